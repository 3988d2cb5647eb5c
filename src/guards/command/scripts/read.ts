// Reads what a command runs: the files that it names and those that its tools run by themselves, and what these run in turn.
// Bounded in files, sizes, depth and steps.

import { listIn } from '../../../core/guard.ts';
import { Budget, BudgetExceeded, type MaybePromise, type World } from '../../../core/index.ts';
import type { AnalysisEnvironment, Facts } from '../effects.ts';
import type { Piece, RunFile } from './code.ts';
import { filesRunBy } from './found.ts';

/** Who wrote what a file holds: an agent, whose code counts as if it had been typed; or nobody that is known of. */
type Author = 'agent' | 'user';

/** One piece of code in a file that a command runs. */
export interface Script {
  /** Absolute. */
  readonly path: string;
  readonly author: Author;
  /** The folder that it runs in, absolute. */
  readonly cwd: string;
  /** The text of the piece; spans of its facts point into it. */
  readonly source: string;
  readonly facts: Facts;
  /** What of the action's own source runs it. */
  readonly span: RunFile['span'];
}

/** What the reading needs of the guard around it. */
interface Reading {
  readonly cwd: string;
  readonly home: string | null;
  readonly world: Pick<World, 'readText' | 'list'>;
  /** Which of some texts agents wrote; absent where that is not known. */
  readonly writtenByAgents?: ((texts: readonly string[]) => MaybePromise<readonly boolean[]>) | undefined;
  /** The facts of a piece of code, by the analysis of its language. */
  readonly analyse: (piece: Piece, around: AnalysisEnvironment) => MaybePromise<Facts>;
}

const mostFiles = 24;
const mostTries = 256;
const mostDepth = 4;
const longestText = 262_144;
const mostSteps = 400_000;

/** A file that was read, and who runs it. */
interface Open {
  readonly facts: Facts;
  readonly cwd: string;
  readonly depth: number;
  /** Null: the spans of its facts are those of the action itself. */
  readonly span: RunFile['span'] | null;
}

/** A file with its text. */
interface Held extends RunFile {
  readonly text: string;
  readonly cwd: string;
  readonly depth: number;
}

/** Reads what a command runs; nothing where it runs no file. */
export async function scriptsRunBy(facts: Facts, reading: Reading): Promise<readonly Script[]> {
  const budget = new Budget(mostSteps);
  const seen = new Set<string>();
  const scripts: Script[] = [];
  const open: Open[] = [{ facts, cwd: reading.cwd, depth: 0, span: null }];
  let files = 0;
  for (let next = open.shift(); next !== undefined && files < mostFiles; next = open.shift()) {
    const held = heldBy(next, reading, seen).slice(0, mostFiles - files);
    files += held.length;
    if (held.length === 0) continue;
    const authors = await authorsOf(held, reading);
    for (const [at, file] of held.entries()) {
      const found = await scriptsIn(file, authors[at] ?? 'user', reading, budget);
      scripts.push(...found);
      if (file.depth < mostDepth)
        open.push(
          ...found.map((one) => ({ facts: one.facts, cwd: one.cwd, depth: file.depth, span: one.span })),
        );
    }
  }
  return scripts;
}

async function authorsOf(held: readonly Held[], { writtenByAgents }: Reading): Promise<readonly Author[]> {
  const written = await writtenByAgents?.(held.map(({ text }) => text));
  return held.map(({ path }, at) => (written?.[at] === true && !isInstalled(path) ? 'agent' : 'user'));
}

/** The files that code runs, with what they hold, and the modules beside them that they load. */
function heldBy({ facts, cwd, depth, span }: Open, { world }: Reading, seen: Set<string>): readonly Held[] {
  const listed = (folder: string) => (listIn(world, absolute(folder, cwd)) ?? []).map(({ name }) => name);
  const held: Held[] = [];
  const open: RunFile[] = [...filesRunBy(facts, listed)];
  for (let file = open.shift(); file !== undefined && seen.size < mostTries; file = open.shift()) {
    const path = absolute(file.path, cwd);
    if (seen.has(path)) continue;
    seen.add(path);
    const text = textOf(world, path);
    if (text === null) continue;
    held.push({
      ...file,
      ...{ path, text, depth: depth + 1, span: span ?? file.span, cwd: absolute(file.folder, cwd) },
    });
    if (held.length < mostFiles) open.push(...modulesOf(path, text, file));
  }
  return held;
}

/** What a package manager put down is code of others, whichever command had it do so. */
function isInstalled(path: string): boolean {
  return /\/(?:node_modules|site-packages|dist-packages)\//.test(path);
}

function textOf(world: Reading['world'], path: string): string | null {
  try {
    return world.readText(path);
  } catch {
    return null;
  }
}

function absolute(path: string, cwd: string): string {
  const from = path.startsWith('/') ? path : `${cwd}/${path}`;
  const names: string[] = [];
  for (const name of from.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** Most modules of one file that are looked for. */
const mostModules = 16;

/** The modules beside a file that it loads. */
function modulesOf(path: string, text: string, file: RunFile): readonly RunFile[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const near = (name: string): RunFile => ({ ...file, path: `${folder}/${name}` });
  if (/\.py$|^#!.*python/.test(`${path}\n${text.slice(0, 64)}`) || path.endsWith('.py')) {
    const names = [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+\.{0,2}([A-Za-z_]\w*)/gm)].map(
      ([, name = '']) => name,
    );
    return [...new Set(names)].slice(0, mostModules).map((name) => near(`${name}.py`));
  }
  if (!/\.[cm]?[jt]s$/.test(path)) return [];
  const names = [
    ...text.matchAll(/(?:require\s*\(\s*|from\s*|import\s*\(?\s*)["'](\.{1,2}\/[^"']{1,128})["']/g),
  ];
  return names.slice(0, mostModules).flatMap(([, name = '']) => {
    const endings = /\.\w+$/.test(name) ? [''] : ['.js', '.ts', '.mjs', '/index.js'];
    return endings.map((ending) => near(`${name}${ending}`));
  });
}

async function scriptsIn(
  file: Held,
  author: Author,
  reading: Reading,
  budget: Budget,
): Promise<readonly Script[]> {
  const { path, text, cwd, span } = file;
  const script = (source: string, facts: Facts): Script => ({ path, author, cwd, source, facts, span });
  const pieces = file.code(text.slice(0, longestText));
  if (pieces === null) return dangerous.test(text) ? [script(text, unreadable)] : [];
  const isCut = author === 'agent' && text.length > longestText;
  const found: Script[] = isCut ? [script('', tooLong)] : [];
  for (const piece of pieces) {
    const around = { cwd, home: reading.home, spend: (steps: number) => budget.spend(steps) };
    try {
      found.push(script(piece.source, await reading.analyse(piece, around)));
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      found.push(script(piece.source, tooLong));
    }
  }
  return found;
}

/** Names in languages that nothing here reads with which a program deletes, starts others, or connects. */
const dangerous =
  /\b(?:exec\.Command|os\.RemoveAll|net\.Dial|http\.(?:Post|Get)|syscall\.Exec|Command::new|remove_dir_all|TcpStream|system\s*\(|popen|execv?p?e?\s*\(|Runtime\.getRuntime|ProcessBuilder|Process\.Start|rm_rf!?|System\.cmd|File\.delete|deleteRecursively)/;

const nothing = { effects: [], invocations: [], errors: [] };
const unreadable: Facts = {
  ...nothing,
  unknowns: [
    {
      what: 'a language that is not read here, with calls that start programs, delete or connect',
      span: [0, 0],
    },
  ],
};
const tooLong: Facts = { ...nothing, unknowns: [{ what: 'it is too long to be followed', span: [0, 0] }] };

// How often the command guard interrupts real coding agents: commands of published transcripts, judged one after another
// in a workspace and a home on the disk, with the files that their set names and what earlier commands of it wrote.

import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writingsOf } from '../src/cli/history/past.ts';
import { configOf, settingsFrom } from '../src/config/index.ts';
import type { Context, PortUse, RunningProcess, World } from '../src/core/index.ts';
import { createDryDecider, realWorld } from '../src/decide/index.ts';
import { guards } from '../src/guards/index.ts';
import { printColumns, printNote } from './table.ts';
import { corpus } from './texts.ts';

/** One command; `n` is how often it was run. */
interface Trace {
  readonly id: string;
  readonly set: string;
  readonly n: number;
  readonly command: string;
}

const classes = ['wanted', 'arguable', 'needless'] as const;

/** What a reader made of one stop: the command by its digest, and the rules that stopped it then. */
interface Classified {
  readonly command: string;
  readonly rules: readonly string[];
  readonly class: (typeof classes)[number];
}

/** One stop as it was judged now. */
interface Stopped {
  readonly trace: Trace;
  readonly blocked: boolean;
  readonly rules: readonly string[];
  readonly messages: readonly string[];
  readonly class: Classified['class'] | null;
}

const kept = join(dirname(fileURLToPath(import.meta.url)), 'data', 'agent-traces.jsonl');
const mostInterruptions = 3.8;
const mostNeedless = 0.4;

/** Prints the interruptions per 100 commands as run, by rule; with `--misses`, every stop that is not wanted. */
export async function agentTraces(progress: (text: string) => void): Promise<boolean> {
  const traces = corpus<Trace>('shell/agent-traces.jsonl');
  if (traces.length === 0) {
    printNote('agent traces: the corpus is not at ../shared/corpora, so they are skipped');
    return true;
  }
  const classified = readClassified();
  // A folder below the user's own home: below a temporary one, everything beside the workspace would be temporary.
  const cache = join(homedir(), '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, 'sallyport-traces-')));
  const stops: Stopped[] = [];
  try {
    for (const set of [...new Set(traces.map((trace) => trace.set))]) {
      const own = traces.filter((trace) => trace.set === set);
      progress(`agent traces, ${set} (${own.length})`);
      stops.push(...(await stopsOf(own, join(folder, set), classified)));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report(traces, stops);
}

function readClassified(): ReadonlyMap<string, Classified> {
  const lines = existsSync(kept) ? readFileSync(kept, 'utf8').trim().split('\n') : [];
  return new Map(
    lines.filter(Boolean).map((line) => {
      const row = JSON.parse(line) as Classified;
      return [row.command, row];
    }),
  );
}

/** A command is named by its digest, so that no text of the corpus is kept. */
function digestOf({ set, command }: Trace): string {
  return hash('sha256', `${set}\n${command}`).slice(0, 16);
}

async function stopsOf(
  traces: readonly Trace[],
  folder: string,
  classified: ReadonlyMap<string, Classified>,
): Promise<readonly Stopped[]> {
  const real = realWorld();
  const place = await placeFor(traces, folder, real);
  const world: World = {
    ...real,
    ...{ home: place.home, ownHome: [join(place.home, '.sallyport')] },
    restorable: () => true,
    writtenByAgents: (texts) => texts.map((text) => place.written.has(text)),
    madeBySession: (files) => files.every(({ path }) => place.made.has(path)),
    processes: () => place.running.map(({ process }) => process),
    portUses: () =>
      place.running.flatMap(({ port, process: { pid } }): readonly PortUse[] =>
        port === null ? [] : [{ pid, port, listens: true }],
      ),
    startedBySession: (processes) =>
      processes.map(({ pid }) => place.running.some(({ process, isOwn }) => isOwn && process.pid === pid)),
  };
  const settings = settingsFrom({ profile: 'developer' });
  const decider = createDryDecider({
    config: configOf(() => settings),
    world,
    guards: guards.filter(({ name }) => name === 'command'),
  });
  const context: Context = {
    ...{ user: 'someone', tenant: 'someone', agent: 'default', session: 'traces', mode: 'auto' },
    workspace: place.workspace,
  };
  const stops: Stopped[] = [];
  for (const trace of traces) {
    const command = place.mapped(trace.command);
    place.running = runningBefore(command, place);
    const { verdict } = await decider.decide({ kind: 'shell', command }, context);
    if (verdict.decision === 'approve' || verdict.decision === 'block') {
      const findings = verdict.findings.filter(({ decision }) => decision === verdict.decision);
      const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
      const known = classified.get(digestOf(trace));
      stops.push({
        ...{ trace, rules, blocked: verdict.decision === 'block' },
        messages: findings.map(({ message }) => message),
        class: known !== undefined && rules.every((rule) => known.rules.includes(rule)) ? known.class : null,
      });
    }
    await apply(command, place, world);
  }
  return stops;
}

/** Where the commands of a set run. */
interface TracePlace {
  readonly workspace: string;
  readonly home: string;
  readonly mapped: (command: string) => string;
  /** Absolute paths of files that the commands of the set name. */
  readonly named: ReadonlySet<string>;
  /** Files that commands of the set made, from the workspace, and the texts that they wrote. */
  readonly made: Set<string>;
  readonly written: Set<string>;
  /** The servers that run when a command is judged, as far as it signals them. */
  running: readonly Server[];
  /** Whether commands of the set started a server, and the local port that one was asked at last. */
  hasStarted: boolean;
  port: number | null;
  /** Whether a path may be written to: it lies in what was made for the set. */
  readonly isOurs: (path: string) => boolean;
}

/** A server of the workspace, and whether a command of the set started it. */
interface Server {
  readonly process: RunningProcess;
  readonly port: number | null;
  readonly isOwn: boolean;
}

const starts =
  /\b(?:dotnet run|(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|start)|next dev|mix phx\.server|flask run|uvicorn)\b|[^&]&\s*(?:\n|$)/;

/**
 * Who is signalled, as far as the transcript tells: where commands of the set started a server before, that one; where one was
 * asked at a local port before, the server of the workspace that answered. Of anybody else nothing is known.
 */
function runningBefore(command: string, { hasStarted, port, workspace }: TracePlace): readonly Server[] {
  if (!hasStarted && port === null) return [];
  const numbers = [...command.matchAll(/\bkill(?:\s+-\w+)*\s+(\d+)/g)].map(([, pid]) => ({
    pid: Number(pid),
    line: 'server',
  }));
  const names = [...command.matchAll(/\bpkill\s+-f\s+"([^"]+)"/g)].map(([, line = ''], at) => ({
    pid: 100 + at,
    line,
  }));
  return [...numbers, ...names].map(({ pid, line }) => ({
    process: { pid, line, name: 'node', own: true, guard: false, folder: workspace },
    port,
    isOwn: hasStarted,
  }));
}

type Writing = Awaited<ReturnType<typeof writingsOf>>[number];

/** Folders into which a command is told to put its results; a program puts them there. */
function resultsOf(command: string, { workspace }: TracePlace): readonly Writing[] {
  const named = command.matchAll(/\s--?out(?:put)?(?:-dir)?[ =]([\w/-]+)(?=\s|$)/g);
  return [...named].map(([, name = '']) => ({ path: resolve(workspace, name), isFolder: true, text: null }));
}

/** All that a command writes, by its own text and by what it is told. */
async function allWritings(command: string, place: TracePlace, world: World): Promise<readonly Writing[]> {
  return [...(await writingsOf(command, at(place), world)), ...resultsOf(command, place)];
}

/** Where a command of a set is run. */
function at({ workspace, home }: TracePlace) {
  return { cwd: workspace, home };
}

/** Makes the workspace and the home of a set, with the files of the project that its commands name and do not make. */
async function placeFor(traces: readonly Trace[], folder: string, world: World): Promise<TracePlace> {
  const home = join(folder, 'home');
  const workspace = join(home, 'ws');
  mkdirSync(workspace, { recursive: true });
  spawnSync('git', ['init', '-q', workspace]);
  const mapped = (command: string) =>
    command.replaceAll(/(?<![\w./-])\/ws(?![\w-])/g, workspace).replaceAll('/home/dev', home);
  const named = new Set<string>();
  for (const { command } of traces) {
    for (const name of mapped(command).match(/[\w@.+~/-]+/g) ?? []) {
      const path = resolve(workspace, name);
      if (isFileName(name) && path.startsWith(`${workspace}/`)) named.add(path);
    }
  }
  const place: TracePlace = {
    ...{ workspace, home, mapped, named, made: new Set<string>(), written: new Set<string>() },
    ...{ running: [], hasStarted: false, port: null },
    isOurs: (path) => path.startsWith(`${folder}/`),
  };
  // A program that was called by its path in the home was there.
  for (const { command } of traces)
    for (const [path] of mapped(command).matchAll(/\S*\/home\/\.dotnet\/tools\/\w+/g)) put(path, '#');
  const later = new Set<string>();
  for (const { command } of traces)
    for (const { path } of await allWritings(mapped(command), place, world)) later.add(path);
  for (const path of named) if (![...ancestorsOf(path)].some((one) => later.has(one))) put(path, '');
  return place;
}

function* ancestorsOf(path: string): Generator<string> {
  for (let at = path; at !== dirname(at); at = dirname(at)) yield at;
}

function put(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || text !== '') writeFileSync(path, text);
  } catch {
    // One name may be a file here and a folder there.
  }
}

/** Names with an ending, as files have; a name of hidden settings is none that a command reads in passing. */
function isFileName(name: string): boolean {
  return /(?:^|\/)[\w@+-][\w@.+-]*\.[a-z]\w{0,9}$/i.test(name) && !/^\d|\.\.|\/\./.test(name);
}

/** Puts down what a command wrote, since it really ran; in a folder that it made, what the set names there. */
async function apply(command: string, place: TracePlace, world: World): Promise<void> {
  const make = (path: string, text: string) => {
    if (!existsSync(path)) place.made.add(path.slice(place.workspace.length + 1));
    put(path, text);
    place.written.add(text);
  };
  place.hasStarted ||= starts.test(command);
  const asked = /\b(?:localhost|127\.0\.0\.1):(\d+)/.exec(command)?.[1];
  if (asked !== undefined) place.port = Number(asked);
  for (const { path, isFolder, text } of await allWritings(command, place, world)) {
    if (!place.isOurs(path)) continue;
    if (!isFolder) {
      make(path, text ?? '');
      continue;
    }
    const isNew = !existsSync(path);
    make(join(path, '.keep'), '');
    for (const file of isNew ? place.named : []) if (file.startsWith(`${path}/`)) make(file, '');
  }
}

function report(traces: readonly Trace[], stops: readonly Stopped[]): boolean {
  const run = (rows: readonly { readonly trace: Trace }[]) => rows.reduce((sum, row) => sum + row.trace.n, 0);
  const all = traces.reduce((sum, { n }) => sum + n, 0);
  const per100 = (rows: readonly { readonly trace: Trace }[]) => (run(rows) * 100) / all;
  const of = (name: Stopped['class']) => stops.filter((stop) => stop.class === name);
  const blocked = stops.filter((stop) => stop.blocked);
  const falseBlocks = blocked.filter((stop) => stop.class !== 'wanted');
  const rules = [...new Set(stops.flatMap((stop) => stop.rules))]
    .map((rule) => ({ rule, rows: stops.filter((stop) => stop.rules.includes(rule)) }))
    .sort((a, b) => run(b.rows) - run(a.rows));
  printColumns(
    ['agent traces, by rule', 'distinct', 'per 100 run', ...classes, 'not classified'],
    rules.map(({ rule, rows }) => [
      rule,
      String(rows.length),
      per100(rows).toFixed(2),
      ...[...classes, null].map((name) => String(rows.filter((stop) => stop.class === name).length)),
    ]),
  );
  const interruptions = per100(stops);
  const needless = per100(of('needless'));
  const met =
    interruptions <= mostInterruptions &&
    needless <= mostNeedless &&
    falseBlocks.length === 0 &&
    of(null).length === 0;
  printNote(
    [
      `agent traces: ${all} commands as run (${traces.length} distinct), ${interruptions.toFixed(2)} interruptions per 100 (goal ≤ ${mostInterruptions}):`,
      `${per100(of('wanted')).toFixed(2)} wanted, ${per100(of('arguable')).toFixed(2)} arguable, ${needless.toFixed(2)} needless (goal ≤ ${mostNeedless}),`,
      `${of(null).length} stops not classified (goal 0), ${falseBlocks.length} blocks that are not wanted (goal 0) of ${blocked.length}: ${met ? 'met' : 'MISSED'}`,
    ].join(' '),
  );
  if (process.argv.includes('--misses')) listStops(stops);
  return met;
}

/** Every stop that nobody wants, with the line that the kept file would have of it. */
function listStops(stops: readonly Stopped[]): void {
  for (const { trace, rules, messages, blocked, class: name } of stops) {
    if (name === 'wanted') continue;
    const row = { command: digestOf(trace), rules, class: name };
    process.stdout.write(
      `${JSON.stringify(row)} ${blocked ? 'BLOCK ' : ''}${trace.id} ×${trace.n} ${JSON.stringify(trace.command.slice(0, 300))}\n`,
    );
    for (const message of messages) process.stdout.write(`    ${message}\n`);
  }
}

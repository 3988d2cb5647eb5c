// How often the guard on references is right: real sources, about which it must be silent, and the same sources with
// wrong names put in, which it must find.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ModuleReader, SourceTree } from '../src/core/index.ts';
import { parseModules } from '../src/decide/index.ts';
import { checkFile, isChecked, type Missing } from '../src/guards/symbols/check.ts';
import { pythonNames } from '../src/guards/symbols/known.ts';
import { goReferences } from '../src/guards/symbols/languages/go.ts';
import { type Language, languageOf, languages } from '../src/guards/symbols/languages/index.ts';
import { View } from '../src/guards/symbols/languages/python.ts';
import { newLine, readLine } from '../src/guards/symbols/languages/python-scanner.ts';
import { overlay } from '../src/guards/symbols/overlay.ts';
import type { Reference } from '../src/guards/symbols/reference.ts';
import { SymbolStore } from '../src/ledger/symbols/index.ts';
import { walkSources } from '../src/ledger/symbols/walk.ts';
import { option } from './results.ts';
import { printColumns, printNote } from './table.ts';

/** File versions that must be replayed at least: with fetched packages, and with what is installed alone. */
const fewestVersions = 12_000;
const fewestInstalled = 1000;
/** Wrong names that are put in for each kind and language. */
const seeds = 200;

interface Tally {
  files: number;
  references: number;
  unknown: number;
  /** Warnings of the exact tiers that are wrong, and those that another judge confirms. */
  false: number;
  confirmed: number;
  packages: number;
}

interface Place {
  readonly language: Language['name'];
  readonly kind: 'import' | 'module' | 'attribute' | 'call';
  readonly root: string;
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Replays and seeds; true where both goals are met. */
export async function symbolsAccuracy(progress: (text: string) => void): Promise<boolean> {
  const reader = await parseModules();
  if (reader === null) {
    printNote('the package oxc-parser is not installed: symbols are skipped');
    return true;
  }
  const tallies = new Map<string, Tally>();
  const places: Place[] = [];
  const told: string[] = [];
  const replay = async (name: string, root: string, only?: readonly string[]) => {
    const tally = tallies.get(name) ?? {
      files: 0,
      references: 0,
      unknown: 0,
      false: 0,
      confirmed: 0,
      packages: 0,
    };
    tallies.set(name, tally);
    const store = new SymbolStore({ store: null, reader: async () => reader });
    await store.index(root);
    const files = only?.map((file) => join(root, file)) ?? [
      ...(await walkSources(root, 100_000)).files.keys(),
    ];
    for (const [at, path] of files.filter((file) => !file.endsWith('/package.json')).entries()) {
      if (at % 32 === 0) await new Promise((next) => setImmediate(next));
      const tree = await store.of(root, reader);
      if (tree === null || !existsSync(path)) continue;
      const text = readFileSync(path, 'utf8');
      const { checked, unknown, missing } = checkFile(text, path, root, tree, reader);
      tally.files++;
      tally.references += checked;
      tally.unknown += unknown;
      for (const one of missing) {
        if (one.what === 'package') tally.packages++;
        else if (isConfirmed(one, path, root)) tally.confirmed++;
        else tally.false++;
        if (one.what !== 'package')
          told.push(
            `${path}:${one.line} ${one.reference.kind} ${one.reference.module} ${one.reference.name}`,
          );
      }
      if (only === undefined)
        for (const place of placesIn(text, path, root, tree, reader)) places.push(place);
    }
  };

  for (const root of sourcePackages()) {
    progress(`replay ${root.slice(root.indexOf('node_modules') + 13)}`);
    await replay('installed packages (TypeScript)', root);
  }
  for (const root of pythonFolders()) {
    progress(`replay ${root}`);
    await replay('Python, standard library and packages', root);
  }
  await replayHistory(replay, progress);
  const corpus = option('--corpus');
  for (const { name, root } of corpus === undefined ? [] : corpusRoots(resolve(corpus))) {
    progress(`replay ${root}`);
    await replay(name, root);
  }

  printColumns(
    [
      'real sources',
      'file versions',
      'references',
      'unknown',
      'false warnings',
      'real defects',
      'undeclared packages',
    ],
    [...tallies].map(([name, tally]) => [
      name,
      ...[tally.files, tally.references, tally.unknown, tally.false, tally.confirmed, tally.packages].map(
        String,
      ),
    ]),
  );
  for (const line of told) process.stdout.write(`told: ${line}\n`);
  const all = [...tallies.values()];
  const versions = all.reduce((sum, { files }) => sum + files, 0);
  const wrong = all.reduce((sum, tally) => sum + tally.false, 0);
  const fewest = corpus === undefined ? fewestInstalled : fewestVersions;
  printNote(`${versions} file versions (goal ≥ ${fewest}), ${wrong} false warnings (goal 0)`);
  if (corpus === undefined)
    printNote('versions of other packages: npm run eval:packages -- FOLDER, then --corpus FOLDER');

  progress('wrong names');
  const found = await seed(places, reader);
  return found && versions >= fewest && wrong === 0;
}

/** Installed packages that ship the sources that they were made from. */
function sourcePackages(): readonly string[] {
  const roots: string[] = [];
  for (const folder of ['node_modules', 'benchmarks/node_modules']) {
    if (!existsSync(folder)) continue;
    const names = readdirSync(folder).flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name],
    );
    for (const name of names) {
      const root = join(folder, name);
      const sources = ['src', 'lib', 'source'].filter((inner) => existsSync(join(root, inner)));
      const written = sources.some((inner) =>
        readdirSync(join(root, inner), { recursive: true, encoding: 'utf8' }).some((file) =>
          /(?<!\.d)\.(?:c|m)?tsx?$/.test(file),
        ),
      );
      if (written) roots.push(realpathSync(root));
    }
  }
  return [...new Set(roots)];
}

function pythonFolders(): readonly string[] {
  const base = '/usr/lib';
  const versions = existsSync(base) ? readdirSync(base).filter((name) => /^python3\.\d+$/.test(name)) : [];
  return [...versions.map((name) => join(base, name)), join(base, 'python3/dist-packages')].filter((path) =>
    existsSync(path),
  );
}

/** Packages that `npm run eval:packages` put into a folder, each version by itself. */
function corpusRoots(folder: string): readonly { readonly name: string; readonly root: string }[] {
  const inside = (...names: string[]) => {
    const at = join(folder, ...names);
    return existsSync(at) ? readdirSync(at).map((name) => join(at, name)) : [];
  };
  const debian = inside('debian');
  return [
    ...inside('npm').map((root) => ({ name: 'versions of npm packages (TypeScript)', root })),
    ...debian
      .map((root) => join(root, 'usr/lib/python3/dist-packages'))
      .filter((root) => existsSync(root))
      .map((root) => ({ name: 'versions of Debian packages (Python)', root })),
    ...debian.flatMap(goModulesIn).map((root) => ({ name: 'versions of Debian packages (Go)', root })),
  ].map(({ name, root }) => ({ name, root: realpathSync(root) }));
}

/** The outermost modules of Go in a folder. */
function goModulesIn(folder: string): readonly string[] {
  if (existsSync(join(folder, 'go.mod'))) return [folder];
  const isFolder = (path: string) => lstatSync(path).isDirectory();
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter(isFolder)
    .flatMap(goModulesIn);
}

/** A history grows for ever, and this is not to take ever longer. */
const mostCommits = 100;

/** Commits of this repository, spread over all of them: the files that each changed, in the tree that it made. */
async function replayHistory(
  replay: (name: string, root: string, only: readonly string[]) => Promise<void>,
  progress: (text: string) => void,
): Promise<void> {
  const git = (...args: string[]) =>
    spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout ?? '';
  const all = git('rev-list', '--no-merges', 'HEAD').split('\n').filter(Boolean);
  const step = Math.ceil(all.length / mostCommits);
  const commits = all.filter((_, index) => index % step === 0);
  const modules = resolve('node_modules');
  for (const [index, commit] of commits.entries()) {
    if (index % 10 === 0) progress(`replay of this repository: commit ${index + 1} of ${commits.length}`);
    const changed = git(
      'diff-tree',
      '--no-commit-id',
      '--name-only',
      '-r',
      '--root',
      '--diff-filter=AMR',
      commit,
    )
      .split('\n')
      .filter((file) => languageOf(file) !== null);
    if (changed.length === 0) continue;
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-history-')));
    try {
      const archive = spawnSync('git', ['archive', commit], { maxBuffer: 2 ** 28 });
      spawnSync('tar', ['-x', '-C', root], { input: archive.stdout });
      if (!existsSync(join(root, 'node_modules'))) symlinkSync(modules, join(root, 'node_modules'));
      await replay('this repository, commit by commit', root, changed);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

/** Whether another judge says the same: the disk about a file, Python itself about a name that is bound nowhere. */
function isConfirmed({ reference, what }: Missing, path: string, root: string): boolean {
  const { kind, module, name } = reference;
  // A file that is named with its ending and is not there is beyond doubt: a commit that was not whole.
  if (what === 'module' && /^\..*\.ts$/.test(module)) return !existsSync(resolve(dirname(path), module));
  if (what === 'module' && path.endsWith('.go')) return goFolderIsEmpty(module, root);
  if (kind === 'unbound' && path.endsWith('.ts')) return isOnlyCalled(path, name);
  if (what !== 'name' || !path.endsWith('.py')) return false;
  if (kind === 'unbound') return pythonSays(path, name, true);
  const [dots = ''] = /^\.*/.exec(module) ?? [];
  const base = dots === '' ? root : join(dirname(path), ...Array.from(dots.slice(1), () => '..'));
  const place = join(base, module.slice(dots.length).replaceAll('.', '/'));
  if (existsSync(join(place, name)) || existsSync(join(place, `${name}.py`))) return false;
  return [`${place}.py`, join(place, '__init__.py')]
    .filter((file) => existsSync(file))
    .every((file) => pythonSays(file, name, false));
}

/** Whether a file writes a name only where it calls it, so that nothing in it can declare the name. */
function isOnlyCalled(path: string, name: string): boolean {
  const text = readFileSync(path, 'utf8');
  const all = text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? [];
  const calls = text.match(new RegExp(`(?<!function |[.#])\\b${name}\\(`, 'g')) ?? [];
  return all.length === calls.length;
}

/** Whether the folder of a package of this module is there and holds no Go: the release left its files out. */
function goFolderIsEmpty(module: string, root: string): boolean {
  const [, own = ''] = /^module (\S+)/m.exec(readFileSync(join(root, 'go.mod'), 'utf8')) ?? [];
  const folder = join(root, module.slice(own.length));
  return module.startsWith(`${own}/`) && !readdirSync(folder).some((name) => name.endsWith('.go'));
}

/** Whether Python's own table of symbols has a name bound nowhere, or not at the top. */
function pythonSays(path: string, name: string, anywhere: boolean): boolean {
  const script = `
import ast, symtable, sys, builtins
name, path, anywhere = sys.argv[1:]
source = open(path, encoding='utf-8').read()
table = symtable.symtable(source, path, 'exec')
def bound(table):
    for symbol in table.get_symbols():
        if symbol.get_name() == name and (symbol.is_assigned() or symbol.is_imported() or symbol.is_parameter()):
            return True
    return anywhere == 'true' and any(bound(child) for child in table.get_children())
answers = any(symbol.get_name() == '__getattr__' for symbol in table.get_symbols())
stars = any(isinstance(node, ast.ImportFrom) and node.names[0].name == '*' for node in ast.walk(ast.parse(source)))
sys.exit(1 if bound(table) or hasattr(builtins, name) or stars or answers else 0)`;
  return spawnSync('python3', ['-c', script, name, path, String(anywhere)]).status === 0;
}

// ── wrong names

/** Where a wrong name can be put: references that are known to be right. */
function placesIn(
  text: string,
  path: string,
  root: string,
  tree: SourceTree,
  reader: ModuleReader,
): readonly Place[] {
  const language = languageOf(path);
  const read = language?.read(text, path, reader) ?? null;
  if (language === null || read === null || !isChecked(path.slice(root.length + 1))) return [];
  const { name: spoken, find } = language;
  const kinds = { name: 'import', module: 'module', attribute: 'attribute' } as const;
  const places: Place[] = read.found.flatMap((reference): readonly Place[] => {
    const { kind, module, name, start, end } = reference;
    if (kind === 'unbound' || name === 'default' || !isOurs(reference, spoken, tree)) return [];
    // What is no module has no attributes that could be known; of Go, whose packages may be anywhere, the same is asked.
    const isAsked = kind === 'attribute' || spoken === 'Go';
    if (isAsked && find({ ...reference, module }, path, root, tree).state !== 'exists') return [];
    return [{ language: spoken, kind: kinds[kind], root, path, start, end }];
  });
  for (const [start, end] of callsIn(text, path, spoken, reader)) {
    places.push({ language: spoken, kind: 'call', root, path, start, end });
  }
  return places;
}

/** Whether a module belongs to the tree; whether a package exists is another question. */
function isOurs({ module }: Reference, language: Language['name'], tree: SourceTree): boolean {
  if (language === 'Go') return true;
  if (module.startsWith('.')) return module !== '.' && module !== '..';
  const [top = '', ...rest] = module.split('.');
  return language === 'Python' && rest.length > 0 && tree.overview.roots.has(top);
}

function callsIn(
  text: string,
  path: string,
  language: Language['name'],
  reader: ModuleReader,
): readonly (readonly [number, number])[] {
  if (language === 'Go') return goCalls(text);
  return language === 'Python' ? pythonCalls(text) : typescriptCalls(text, path, reader);
}

/** Every call of a plain name is one that the file does not bind once the name is another. */
function goCalls(text: string): readonly (readonly [number, number])[] {
  const read = goReferences(
    text.replaceAll(
      /(?<=^\s*(?:return )?)(?!(?:func|if|for|go|switch|import|var|const|type)\b)[a-z]\w*(?=\()/gm,
      (name) => `${name.slice(0, -1)}Ω`,
    ),
  );
  return (read?.found ?? [])
    .filter(({ kind, name }) => kind === 'unbound' && name.endsWith('Ω'))
    .map(({ start, end }) => [start, end] as const);
}

/** Calls of plain names. */
function typescriptCalls(
  text: string,
  path: string,
  reader: ModuleReader,
): readonly (readonly [number, number])[] {
  const { program, errors, module } = reader.read(text, path);
  if (errors.length > 0 || !module.hasModuleSyntax) return [];
  const found: (readonly [number, number])[] = [];
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if ('type' in node && node.type === 'CallExpression' && 'callee' in node) {
      const callee = node.callee as { type: string; start: number; end: number };
      if (callee.type === 'Identifier') found.push([callee.start, callee.end]);
    }
    open.push(...Object.values(node));
  }
  return found;
}

function pythonCalls(text: string): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  const line = newLine();
  for (let at = 0; readLine(text, at, line); at = line.next) {
    const view = new View(line);
    for (let index = 0; index + 1 < view.length; index++) {
      const before = index === 0 ? '' : view.word(index - 1);
      if (!view.isName(index) || view.word(index + 1) !== '(' || ['.', 'def', 'class'].includes(before))
        continue;
      if (
        /^(?:if|in|and|or|not|is|return|for|while|assert|print|lambda|yield|await|del|with|except|elif|raise|from|import|match|case|type|exec)$/.test(
          view.word(index),
        )
      )
        continue;
      if (!pythonNames.has(view.word(index))) found.push([line.starts[index] ?? 0, line.ends[index] ?? 0]);
    }
  }
  return found;
}

/** Puts wrong names in, one at a time, and counts how many are found; true where the goals are met. */
async function seed(places: readonly Place[], reader: ModuleReader): Promise<boolean> {
  const goals = { import: 0.99, module: 0.99, attribute: 0.98, call: 0.98 } as const;
  const stores = new Map<string, SymbolStore>();
  const rows: string[][] = [];
  const missed: string[] = [];
  let met = true;
  let [sought, seen] = [0, 0];
  for (const { name: language } of languages) {
    for (const kind of ['import', 'module', 'attribute', 'call'] as const) {
      const all = places.filter((place) => place.language === language && place.kind === kind);
      if (all.length === 0) continue;
      const chosen = all
        .filter((_, index) => index % Math.max(1, Math.floor(all.length / seeds)) === 0)
        .slice(0, seeds);
      let found = 0;
      let open = 0;
      for (const [at, place] of chosen.entries()) {
        if (at % 16 === 0) await new Promise((next) => setImmediate(next));
        let store = stores.get(place.root);
        if (store === undefined) {
          store = new SymbolStore({ store: null, reader: async () => reader });
          await store.index(place.root);
          stores.set(place.root, store);
        }
        const tree = await store.of(place.root, reader);
        const state = tree === null ? 'missed' : stateOf(place, tree, reader);
        if (state === 'found') found++;
        else if (state === 'open') open++;
        else missed.push(`${language} ${kind} ${place.path}:${place.start}`);
      }
      sought += chosen.length - open;
      seen += found;
      const share = chosen.length === open ? 1 : found / (chosen.length - open);
      const goal = goals[kind];
      met &&= share >= goal;
      rows.push([
        `${language}, ${kind}`,
        `${all.length}`,
        `${chosen.length}`,
        `${open}`,
        `${found}`,
        `${(share * 100).toFixed(1)} %`,
        `≥ ${goal * 100} %`,
        share >= goal ? 'met' : 'MISSED',
      ]);
    }
  }
  printColumns(
    ['wrong names', 'places', 'put in', 'left open', 'found', 'share of the rest', 'goal', ''],
    rows,
  );
  printNote(
    `${seen} of ${sought} wrong names that can be known are found (${((100 * seen) / sought).toFixed(1)} %, goal ≥ 98 %)`,
  );
  if (process.argv.includes('--misses')) for (const line of missed) process.stdout.write(`missed: ${line}\n`);
  return met;
}

/** What becomes of a wrong name: found, missed, or left open because the module or the file cannot be known at all. */
function stateOf(place: Place, tree: SourceTree, reader: ModuleReader): 'found' | 'missed' | 'open' {
  const { path, root, start, end, kind } = place;
  const text = readFileSync(path, 'utf8');
  const old = text.slice(start, end);
  const cut = kind === 'module' ? old.search(/(?:\.(?:c|m)?[jt]sx?)?['"]?$/) : old.length;
  const changed = `${text.slice(0, start)}${old.slice(0, cut)}Qx${old.slice(cut)}${text.slice(end)}`;
  const check = (content: string) =>
    checkFile(content, path, root, overlay(tree, new Map([[path, content]]), reader), reader).missing;
  if (check(changed).some(({ reference }) => reference.start <= start + 2 && reference.end >= end - 2))
    return 'found';
  const language = languageOf(path);
  if (kind === 'call') {
    // Where not even this is found, the file gets names in ways that cannot be followed.
    const sure = check(`${text}\n${language?.name === 'Go' ? 'var _ = ' : ''}surelyUnboundQx(1)\n`);
    return sure.some(({ reference }) => reference.name === 'surelyUnboundQx') ? 'missed' : 'open';
  }
  const read = language?.read(changed, path, reader) ?? null;
  const reference = read?.found.find((one) => one.start <= start + 2 && one.end >= end - 2);
  if (language === null || reference === undefined) return 'missed';
  return language.find(reference, path, root, tree).state === 'unknown' ? 'open' : 'missed';
}

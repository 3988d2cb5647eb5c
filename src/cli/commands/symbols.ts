// sallyport symbols: the index of a workspace, and whether what its files refer to is there.

import { lstatSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isInside, prepareHome } from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  type Finding,
  InputError,
  nearest,
  type Unchecked,
  UsageError,
  visible,
  type World,
} from '../../core/index.ts';
import { parseModules, symbolsThread } from '../../decide/index.ts';
import { SymbolStore } from '../../ledger/symbols/index.ts';
import { walkSources } from '../../ledger/symbols/walk.ts';
import { workspaceOption } from '../changes.ts';
import type { Call, Command } from '../command.ts';
import { type Opened, openConfig } from '../open.ts';
import { checkReferences } from '../references.ts';
import { showUnchecked } from '../show.ts';

/** Most files that one call checks. */
const mostChecked = 100_000;

export const command: Command = {
  usage: ['symbols index', 'symbols check PATH…', 'symbols show NAME'],
  about:
    'index updates the index of names in the workspace. check looks up the references of files, as the guard does with every\n' +
    'write, and exits with 1 if one is missing. show prints the files that define a name.',
  examples: ['symbols index', 'symbols check src/main.ts', 'symbols show openLedger'],
  options: { ...workspaceOption },
  async run(call) {
    const [verb = '', ...rest] = call.words;
    const opened = await openConfig(call);
    prepareHome(opened.home);
    const store = new SymbolStore({
      store: opened.paths.symbols,
      reader: parseModules,
      thread: symbolsThread(),
    });
    const root = workspaceOf(call, opened);
    if (verb === 'index' && rest.length === 0) return await index(call, store, root);
    if (verb === 'check' && rest.length > 0) return await check(call, opened, store, root, rest);
    if (verb === 'show' && rest.length === 1) return await show(call, store, root, rest[0] ?? '');
    throw new UsageError('give index, check PATH… or show NAME', "see 'sallyport symbols --help'");
  },
};

function workspaceOf(call: Call, { world }: Opened): string {
  const folder = resolve(call.io.folder(), call.value('workspace') ?? '.');
  const root = world.realPath(folder);
  if (root === null) throw new InputError(`the workspace ${visible(folder)} does not exist`);
  return root;
}

async function index(call: Call, store: SymbolStore, root: string): Promise<ExitCode> {
  const { files, read, truncated } = await indexed(call, store, root);
  if (call.flag('json')) call.io.json({ workspace: root, files, read, truncated });
  else call.io.print(`${files} file(s) indexed, ${read} read anew.`);
  return exitCodes.pass;
}

async function indexed(call: Call, store: SymbolStore, root: string): ReturnType<SymbolStore['index']> {
  const done = await store.index(root);
  if (done.truncated)
    call.io.warn('sallyport: there are more files than the index holds; the rest is unknown');
  if ((await parseModules()) === null)
    call.io.warn('sallyport: the package oxc-parser is not installed; JavaScript and TypeScript are unknown');
  return done;
}

interface Found {
  readonly path: string;
  readonly findings: readonly Finding[];
}

async function check(
  call: Call,
  opened: Opened,
  store: SymbolStore,
  root: string,
  paths: readonly string[],
): Promise<ExitCode> {
  await indexed(call, store, root);
  const world: World = { ...opened.world, symbols: store };
  const files = (await Promise.all(paths.map((path) => filesOf(call, opened, root, path)))).flat();
  const found: Found[] = [];
  const open: Unchecked[] = [];
  let checked = 0;
  for (const path of new Set(files)) {
    const { findings, count, unchecked } = await checkReferences(
      path,
      readFileSync(resolve(root, path), 'utf8'),
      root,
      world,
    );
    checked += count;
    open.push(...unchecked);
    if (findings.length > 0) found.push({ path, findings });
  }
  const missing = found.reduce((sum, { findings }) => sum + findings.length, 0);
  if (call.flag('json')) {
    call.io.json({ files: files.length, checked, missing, unchecked: open, findings: found });
    return missing === 0 ? exitCodes.pass : exitCodes.failed;
  }
  for (const { findings } of found) {
    for (const { rule, message } of findings)
      call.io.print(`${call.io.paint('yellow', 'WARN')} ${rule}  ${message}`);
  }
  showUnchecked(call.io, open);
  call.io.print(
    `${checked} reference(s) of ${files.length - open.length} file(s) checked, ${missing} missing.`,
  );
  return missing === 0 ? exitCodes.pass : exitCodes.failed;
}

/** The files that a path means, by their way from the workspace. */
async function filesOf(
  call: Call,
  { world }: Opened,
  root: string,
  given: string,
): Promise<readonly string[]> {
  const path = world.realPath(resolve(call.io.folder(), given));
  if (path === null) throw new InputError(`${visible(given)} does not exist`);
  if (!isInside(root, path)) throw new InputError(`${visible(given)} does not lie in the workspace`);
  if (!lstatSync(path).isDirectory()) return [relative(root, path)];
  const { files } = await walkSources(path, mostChecked);
  return [...files.keys()].map((file) => relative(root, file)).sort();
}

async function show(call: Call, store: SymbolStore, root: string, name: string): Promise<ExitCode> {
  await indexed(call, store, root);
  const tree = await store.of(root, await parseModules());
  const files: string[] = [];
  const others = new Set<string>();
  for (const path of (await walkSources(root, mostChecked)).files.keys()) {
    const names = path.endsWith('/package.json') ? [] : (tree?.table(path)?.names ?? []);
    if (names.includes(name)) files.push(relative(root, path));
    for (const other of names) others.add(other);
  }
  files.sort();
  const near = files.length > 0 ? undefined : nearest(name, others);
  if (call.flag('json')) call.io.json({ name, files, near: near ?? null });
  else if (files.length > 0) for (const file of files) call.io.print(visible(file));
  else
    call.io.print(
      `No file offers '${visible(name, 80)}'.${near === undefined ? '' : ` The nearest is '${near}'.`}`,
    );
  return files.length > 0 ? exitCodes.pass : exitCodes.failed;
}

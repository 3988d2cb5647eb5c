// sallyport receipts: the records of changes, and the proof that nobody altered them.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { prepareHome } from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  InputError,
  isJsonObject,
  messageOf,
  parseJson,
  shortIds,
  type Unchecked,
  UsageError,
  visible,
} from '../../core/index.ts';
import { type ChainHead, type Ledger, type Receipt, readHeads } from '../../ledger/index.ts';
import { look } from '../../run/index.ts';
import { filesLine, openSnapshots, workspaceOption } from '../changes.ts';
import { type Call, type Command, wholeNumber } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openConfig } from '../open.ts';
import { showUnchecked } from '../show.ts';

export const command: Command = {
  usage: [
    'receipts [list]',
    'receipts show ID',
    'receipts verify [--head FILE]',
    'receipts chain-head',
    'receipts export ID',
    'receipts reground ID',
  ],
  about:
    'Lists the receipts of changes that were applied, undone or refused. verify checks every receipt, its link to the previous\n' +
    'one, and the log; with --head, also that nothing is missing since that chain-head. export prints a signed in-toto\n' +
    "statement (DSSE). reground looks up the references of a receipt's files in the workspace as it is now.",
  examples: ['receipts', 'receipts show 01a1e98d', 'receipts verify'],
  options: {
    limit: { value: 'N', help: 'how many; default 20' },
    head: { value: 'FILE', help: 'output of chain-head or log head' },
    ...workspaceOption,
  },
  async run(call) {
    const [verb = 'list', id, ...more] = call.words;
    const named = ['show', 'export', 'reground'].includes(verb);
    const extra = named ? more[0] : id;
    if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
    if (verb === 'list') return await list(call);
    if (verb === 'verify') return await verify(call);
    if (verb === 'chain-head') return await chainHead(call);
    if (!named) throw new UsageError(`unknown word "${verb}"`, "see 'sallyport receipts --help'");
    if (id === undefined) throw new UsageError('the id of a receipt is missing');
    return await withLedger(call, async (ledger) => {
      const receipt = await ledger.receipts.find(id);
      if (verb === 'reground') return await reground(call, ledger, receipt);
      if (verb === 'export') call.io.json(await ledger.statementOf(receipt));
      else if (call.flag('json')) call.io.json(receipt);
      else call.io.print(visibleJson(receipt));
      return exitCodes.pass;
    });
  },
};

async function list(call: Call): Promise<ExitCode> {
  const most = wholeNumber(call, 'limit', 1, 100_000) ?? 20;
  const { receipts } = await withLedger(call, (ledger) => ledger.receipts.list({ limit: most }), 'show');
  if (call.flag('json')) call.io.json(receipts);
  else {
    const short = shortIds(receipts.map(({ receipt_id: id }) => id));
    for (const { receipt_id: id, timestamp, action, applied, files, guards } of receipts) {
      const named = filesLine(files.map(({ path }) => path));
      const failed = Object.entries(guards).filter(([, outcome]) => outcome !== 'pass');
      const notes = failed.map(([guard, outcome]) => `${guard} ${outcome}`).join(', ');
      call.io.print(
        `${short(id)}  ${timestamp.slice(0, 19).replace('T', ' ')}  ${action}${applied ? '' : ' (not applied)'}  ${named}${notes === '' ? '' : `  [${notes}]`}`,
      );
    }
    if (receipts.length === 0) call.io.print('There are no receipts yet.');
  }
  return exitCodes.pass;
}

async function verify(call: Call): Promise<ExitCode> {
  const kept = savedHeads(call);
  const found = await withLedger(call, (ledger) => ledger.verifyReceipts(kept), 'show');
  const { valid, receipts, mismatch } = found;
  if (call.flag('json')) call.io.json(found);
  else {
    for (const { receipt_id: id, problem } of mismatch)
      call.io.print(visible(id === null ? problem : `${id}: ${problem}`));
    const problems = mismatch.length === 1 ? '1 problem' : `${mismatch.length} problems`;
    call.io.print(`${receipts} receipts, ${problems}.`);
  }
  return valid ? exitCodes.pass : exitCodes.failed;
}

/** The heads that the caller kept; a file without any is wrong use, since it would prove nothing. */
function savedHeads(call: Call): readonly ChainHead[] {
  const file = call.value('head');
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(resolve(call.io.folder(), file), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
  const kept = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [headIn(line)]));
  if (kept.length === 0) throw new UsageError(`${file} holds no head`);
  return kept;
}

/** A line of `chain-head`, or one of `log head`. */
function headIn(line: string): ChainHead {
  const value = parseJson(line);
  if (!isJsonObject(value) || !('heads' in value)) return { receipt: null, heads: readHeads(line) };
  const { receipt, heads } = value;
  if (typeof receipt !== 'string' || !/^[0-9a-f]{64}$/.test(receipt) || !Array.isArray(heads))
    throw new InputError('the saved head is not the output of chain-head');
  return { receipt, heads: heads.flatMap((head) => readHeads(JSON.stringify(head))) };
}

async function chainHead(call: Call): Promise<ExitCode> {
  call.io.json(await withLedger(call, (ledger) => ledger.chainHead()));
  return exitCodes.pass;
}

/** Looks up what the files of a receipt refer to as they are now, and tells it from what was missing then. */
async function reground(call: Call, ledger: Ledger, receipt: Receipt): Promise<ExitCode> {
  const opened = await openConfig(call);
  const snapshots = openSnapshots(call, opened);
  const root = snapshots.workspace;
  if (ledger.fingerprint('workspace', () => root) !== receipt.workspace_id) {
    throw new InputError('the receipt is about another workspace', { hint: 'name it with --workspace' });
  }
  prepareHome(opened.home);
  const [{ SymbolStore }, { parseModules }, { checkReferences }] = await Promise.all([
    import('../../ledger/symbols/index.ts'),
    import('../../decide/index.ts'),
    import('../references.ts'),
  ]);
  const symbols = new SymbolStore({ store: opened.paths.symbols, reader: parseModules });
  await symbols.index(root);
  const world = { ...opened.world, symbols };
  const gone: string[] = [];
  const missing: Receipt['missing_references'][number][] = [];
  const unchecked: Unchecked[] = [];
  let checked = 0;
  for (const { path } of receipt.files) {
    const now = look(snapshots, path);
    if (now === null) {
      gone.push(path);
      continue;
    }
    const found = await checkReferences(path, new TextDecoder().decode(now.bytes), root, world);
    checked += found.count;
    unchecked.push(...found.unchecked);
    missing.push(...found.missing);
  }
  const isIn = (some: Receipt['missing_references'], { path, name }: { path: string; name: string }) =>
    some.some((other) => other.path === path && other.name === name);
  const before = receipt.missing_references;
  const resolved = before.filter((reference) => !isIn(missing, reference));
  const added = missing.filter((reference) => !isIn(before, reference));
  if (call.flag('json')) {
    call.io.json({ receipt_id: receipt.receipt_id, checked, missing, unchecked, resolved, new: added, gone });
  } else {
    for (const { path, name, line } of missing) {
      const since = isIn(added, { path, name }) ? 'missing now' : 'still missing';
      call.io.print(`${since}: ${visible(name, 80)}  ${visible(path)}:${line}`);
    }
    for (const { path, name } of resolved)
      call.io.print(`not missing any more: ${visible(name, 80)}  ${visible(path)}`);
    for (const path of gone) call.io.print(`not there any more: ${visible(path)}`);
    showUnchecked(call.io, unchecked);
    call.io.print(`${checked} reference(s) checked, ${missing.length} missing.`);
  }
  return missing.length === 0 ? exitCodes.pass : exitCodes.failed;
}

function visibleJson(value: object): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => visible(line))
    .join('\n');
}

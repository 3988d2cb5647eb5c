// sallyport log: what was decided, newest first; and the proofs that nobody changed it since.

import { readFileSync } from 'node:fs';
import {
  decisions,
  type ExitCode,
  exitCodes,
  messageOf,
  nearest,
  parseJson,
  symbolCheckOf,
  UsageError,
} from '../../core/index.ts';
import {
  checkProof,
  type Entry,
  type EntryFilter,
  eventTypes,
  readHeads,
  readProof,
  type SignedHead,
} from '../../ledger/index.ts';
import { type Call, type Command, onlyWords, timeOption, wholeNumber } from '../command.ts';
import { entryLine } from '../entries.ts';
import { withLedger } from '../ledger.ts';

export const command: Command = {
  usage: [
    'log [--limit N] [--decision D] [--agent NAME] [--user NAME] [--guard G] [--rule R] [--text T] [--since 8h] [--follow] …',
    'log verify [--head FILE]',
    'log head',
    'log keys',
    'log prove DECISION_ID | log prove --head FILE',
    'log check PROOF_FILE --keys FILE',
  ],
  about:
    "Shows decisions, newest first: time, verdict, redacted action, rule, agent, latency, and the id for 'sallyport why'.\n" +
    'verify checks that no entry was changed, dropped, moved or inserted; with --head, also that nothing is missing since that\n' +
    'head. head signs and prints the current head, keys prints the public keys. prove makes a proof that a decision is in the\n' +
    'log, or that the log only grew since a head; check verifies a proof without the log.',
  examples: ['log --since 8h', 'log --decision block --since yesterday', 'log --follow'],
  options: {
    limit: { value: 'N', help: 'how many entries; default 20' },
    before: { value: 'PLACE', help: 'only entries before this one, for paging' },
    decision: { value: 'D', help: 'only pass, redact, approve or block' },
    type: { value: 'EVENT', help: 'only this type of event' },
    agent: { value: 'NAME', help: 'only this agent' },
    user: { value: 'NAME', help: 'only this user' },
    guard: { value: 'NAME', help: 'only findings of this guard' },
    rule: { value: 'ID', help: 'only findings of this rule' },
    text: { value: 'TEXT', help: 'only entries with this text' },
    session: { value: 'ID', help: 'only entries of this session' },
    since: { value: 'TIME', help: 'start: 8h (ago), today, yesterday, 2026-11-15' },
    until: { value: 'TIME', help: 'before this time' },
    follow: { help: 'show new entries as they come' },
    head: { value: 'FILE', help: 'file with heads, one per line' },
    keys: { value: 'FILE', help: 'public keys, as log keys prints them' },
  },
  async run(call) {
    const [verb] = call.words;
    if (verb === undefined) return await list(call);
    if (verb === 'verify') return await verify(call);
    if (verb === 'head') return await head(call);
    if (verb === 'keys') return await keys(call);
    if (verb === 'prove') return await prove(call);
    if (verb === 'check') return check(call);
    throw new UsageError(`unknown word "${verb}"`, "see 'sallyport log --help'");
  },
};

async function list(call: Call): Promise<ExitCode> {
  checkWord('decision', call.value('decision'), decisions);
  checkWord('type', call.value('type'), eventTypes);
  const wanted: Record<keyof EntryFilter, string | number | undefined> = {
    tenant: undefined,
    decisionId: undefined,
    limit: undefined,
    after: undefined,
    before: wholeNumber(call, 'before', 1, Number.MAX_SAFE_INTEGER),
    decision: call.value('decision'),
    eventType: call.value('type'),
    agent: call.value('agent'),
    user: call.value('user'),
    guard: call.value('guard'),
    rule: call.value('rule'),
    text: call.value('text'),
    session: call.value('session'),
    since: timeOption(call, 'since'),
    until: timeOption(call, 'until'),
  };
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const filter: EntryFilter = {
    ...Object.fromEntries(given),
    limit: wholeNumber(call, 'limit', 1, 10_000) ?? 20,
  };
  const entries = await withLedger(call, (ledger) => ledger.audit.list(filter), 'show');
  const show = (entry: Entry): void => {
    if (call.flag('json')) call.io.json(entry);
    else call.io.print(withUnchecked(call, entry));
  };
  if (call.flag('follow')) return await follow(call, filter, entries, show);
  for (const entry of entries) show(entry);
  if (entries.length === 0 && !call.flag('json')) {
    call.io.print(given.length > 0 ? 'Nothing matches.' : 'Nothing is recorded yet.');
  }
  return exitCodes.pass;
}

/** An entry in one line, with a note where references of a written file were not looked up. */
function withUnchecked(call: Call, entry: Entry): string {
  const line = entryLine(call.io.paint, entry);
  const { unchecked } = symbolCheckOf([entry.details]);
  return unchecked.length === 0 ? line : `${line}  ${call.io.paint('dim', 'references unchecked')}`;
}

/** How often the log is looked at while it is followed, in milliseconds. */
const lookEvery = 1000;

/** Shows what there is, oldest first, and then each entry as it comes, until the command is interrupted. */
async function follow(
  call: Call,
  filter: EntryFilter,
  entries: readonly Entry[],
  show: (entry: Entry) => void,
): Promise<ExitCode> {
  for (const entry of entries.toReversed()) show(entry);
  let after = entries[0]?.place ?? 0;
  const { before: _, limit: __, ...lasting } = filter;
  await withLedger(
    call,
    async (ledger) => {
      for (;;) {
        const fresh = await ledger.audit.list({ ...lasting, after, limit: 1000 });
        for (const entry of fresh.toReversed()) show(entry);
        after = fresh[0]?.place ?? after;
        await new Promise((resolve) => setTimeout(resolve, lookEvery));
      }
    },
    'show',
  );
  return exitCodes.pass;
}

function checkWord(option: string, word: string | undefined, known: readonly string[]): void {
  if (word === undefined || known.includes(word)) return;
  const near = nearest(word, known);
  throw new UsageError(
    `--${option} is one of ${known.join(', ')}${near === undefined ? '' : `; did you mean "${near}"?`}`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The heads that the caller kept; a file without any is wrong use, since it would prove nothing. */
function heldHeads(call: Call): readonly SignedHead[] {
  const file = call.value('head');
  if (file === undefined) return [];
  const heads = readHeads(readText(file));
  if (heads.length === 0) throw new UsageError(`${file} holds no head`);
  return heads;
}

async function verify(call: Call): Promise<ExitCode> {
  onlyWords(call, ['verify']);
  const held = heldHeads(call);
  const result = await withLedger(
    call,
    (ledger) => ledger.verify({ held, progress: (entries) => call.io.progress(`${entries} entries …`) }),
    'show',
  );
  call.io.progress('');
  const clean = result.problems.length === 0;
  if (call.flag('json')) {
    call.io.json({ clean, ...result });
  } else {
    const many = result.chains.length > 1;
    const place = (chain: string, seq: number) => (many ? `entry ${seq} of chain ${chain}` : `entry ${seq}`);
    for (const { chain, seq, problem } of result.problems) call.io.print(`${place(chain, seq)}: ${problem}`);
    for (const { chain, seq, note } of result.notes) call.io.print(`note, ${place(chain, seq)}: ${note}`);
    const count = `${result.entries} ${result.entries === 1 ? 'entry' : 'entries'}`;
    const chains = many ? ` in ${result.chains.length} chains` : '';
    call.io.print(
      clean
        ? `${call.io.paint('green', 'clean')}: ${count}${chains}, ${result.heads} signed heads`
        : `${call.io.paint('red', 'damaged')}: ${count}${chains}, ${result.problems.length} found`,
    );
  }
  return clean ? exitCodes.pass : exitCodes.failed;
}

async function head(call: Call): Promise<ExitCode> {
  onlyWords(call, ['head']);
  const signed = await withLedger(call, async (ledger) => {
    await ledger.heads.sign();
    return await ledger.heads.newest();
  });
  for (const one of signed) call.io.json(one);
  return exitCodes.pass;
}

async function keys(call: Call): Promise<ExitCode> {
  onlyWords(call, ['keys']);
  const known = await withLedger(call, (ledger) => ledger.publicKeys(), 'show');
  call.io.json(Object.fromEntries([...known].map(([id, { publicKey }]) => [id, publicKey])));
  return exitCodes.pass;
}

async function prove(call: Call): Promise<ExitCode> {
  const [from] = heldHeads(call);
  if (from !== undefined) {
    onlyWords(call, ['prove']);
    call.io.json(await withLedger(call, (ledger) => ledger.heads.proveConsistency(from)));
    return exitCodes.pass;
  }
  const [, id] = onlyWords(call, ['prove', 'DECISION_ID']);
  call.io.json(
    await withLedger(call, async (ledger) => ledger.heads.proveInclusion(await ledger.audit.decisionId(id))),
  );
  return exitCodes.pass;
}

/** Needs neither store nor daemon: a proof, the public keys, and arithmetic. */
function check(call: Call): ExitCode {
  const [, file] = onlyWords(call, ['check', 'PROOF_FILE']);
  const keyFile = call.value('keys');
  if (keyFile === undefined)
    throw new UsageError('--keys is missing', "save them before: 'sallyport log keys'");
  const found = parseJson(readText(keyFile));
  if (typeof found !== 'object' || found === null) throw new UsageError(`${keyFile} holds no keys`);
  const known = new Map(Object.entries(found).map(([id, key]) => [id, String(key)]));
  const result = checkProof(readProof(readText(file)), known);
  if (call.flag('json')) call.io.json(result);
  else
    call.io.print(
      `${result.valid ? call.io.paint('green', 'valid') : call.io.paint('red', 'not valid')}: ${result.reason}`,
    );
  return result.valid ? exitCodes.pass : exitCodes.failed;
}

// sallyport changes: what agents propose, reviewed at a terminal. A yes takes the passphrase; a no needs none.

import { type ExitCode, exitCodes, namedId, UsageError, visible } from '../../core/index.ts';
import { shownWhole } from '../../core/text.ts';
import type { Ledger, ProposedChange, Signer } from '../../ledger/index.ts';
import {
  applyChange,
  decideChange,
  type Ended,
  hunksMeant,
  type OptionsFor,
  optionsIn,
  type Review,
  rejectChange,
  resultOf,
  summaryOf,
  viewOf,
  type Which,
} from '../../run/index.ts';
import { partsOf } from '../changes.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, type Opened, openConfig, openHome } from '../open.ts';
import { recorderOf, unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

export const command: Command = {
  usage: [
    'changes [list]',
    'changes show ID',
    'changes accept ID [--hunks 1,3-5] [--file PATH]',
    'changes reject ID [--hunks 1,3-5] [--file PATH]',
    'changes apply ID [--all] [--hunks 1,3-5] [--file PATH]',
  ],
  about:
    'Reviews changes that agents propose. show prints the hunks with their numbers and the results of the guards. accept and\n' +
    'reject take hunks, a file, or everything. apply writes the accepted hunks, or exactly those that you name, and leaves a\n' +
    'receipt. accept and apply ask for the passphrase.',
  examples: ['changes', 'changes show 01a1', 'changes accept 01a1 --hunks 1,3-5', 'changes apply 01a1 --all'],
  options: {
    hunks: { value: 'NUMBERS', help: 'these hunks: 1,3-5' },
    file: { value: 'PATH', help: 'all hunks of this file' },
    all: { help: 'all hunks' },
  },
  async run(call) {
    const [verb = 'list'] = call.words;
    if (verb === 'list') return await list(call);
    if (!['show', 'accept', 'reject', 'apply'].includes(verb))
      throw new UsageError(`unknown word "${verb}"`, "see 'sallyport changes --help'");
    const [, given] = onlyWords(call, [verb, 'ID']);
    const opened = await openConfig(call);
    return await withLedger(call, async (ledger) => {
      const context = reviewContextOf(opened, ledger);
      const { reader, now } = context.review;
      const ids = (await ledger.changes.list(reader, now())).map(({ id }) => id);
      // What became of a change that waits no longer is said by its whole id.
      const isWaiting = ids.some((waiting) => waiting.startsWith(given));
      const id = isWaiting ? namedId(given, ids, { what: 'change' }) : given;
      if (verb === 'show') return await show(call, context, id);
      if (verb === 'accept') return await accept(call, context, id);
      return verb === 'reject' ? await reject(call, context, id) : await apply(call, context, id);
    });
  },
};

/** What every verb stands on. */
interface ReviewContext {
  readonly home: string;
  readonly review: Review;
  readonly optionsFor: OptionsFor;
}

function reviewContextOf(opened: Opened, ledger: Ledger): ReviewContext {
  const { home, world } = opened;
  const parts = partsOf(opened, ledger);
  return {
    home,
    review: { ledger, by: localAsker().user, reader: {}, now: world.now },
    optionsFor: (context) => optionsIn(parts, context),
  };
}

async function list(call: Call): Promise<ExitCode> {
  if (call.words.length > 1) throw new UsageError(`unexpected argument "${call.words[1]}"`);
  const { world } = openHome(call);
  const waiting = await withLedger(call, (ledger) => ledger.changes.list({}, world.now()));
  if (call.flag('json')) call.io.json(waiting.map(summaryOf));
  else {
    for (const change of waiting) {
      const { id, agent, workspace, files, hunks, undecided } = summaryOf(change);
      const names = files.slice(0, 3).map(({ path }) => visible(path, 60));
      const rest = files.length > 3 ? ` and ${files.length - 3} more` : '';
      call.io.print(
        `${id}  ${visible(agent)} in ${visible(workspace, 80)}: ${names.join(', ')}${rest}  (${hunks} hunk(s), ${undecided} undecided)`,
      );
    }
    if (waiting.length === 0) call.io.print('No change waits for you.');
  }
  return exitCodes.pass;
}

async function show(call: Call, context: ReviewContext, id: string): Promise<ExitCode> {
  const change = await context.review.ledger.changes.show(id, context.review.reader, context.review.now());
  await showChange(call, context, change);
  return exitCodes.pass;
}

/** Prints a change; gives the hash of what applying it would write, null where it cannot be applied. */
async function showChange(
  call: Call,
  { optionsFor }: ReviewContext,
  change: ProposedChange,
): Promise<string | null> {
  const { io } = call;
  const { set, id, state } = change;
  if (set === null) {
    if (call.flag('json')) io.json(summaryOf(change));
    else io.print(`The change ${id} is ${state}.`);
    return null;
  }
  const view = viewOf(change, set, await optionsFor(set.context));
  const { result } = view;
  if (call.flag('json')) {
    io.json(view);
    return result.hash;
  }
  io.print(`${id}  ${visible(change.agent)} in ${visible(change.workspace)}; ${visible(set.reason)}`);
  if (set.suggest) io.print('only suggested: nothing will be written');
  for (const { path, to, op, guards, hunks } of view.files) {
    const chips = (['write', 'hallucination', 'egress'] as const).map((name) => `${name} ${guards[name]}`);
    io.print(`\n${op}  ${visible(path)}${to === null ? '' : ` → ${visible(to)}`}  [${chips.join(', ')}]`);
    for (const { number, kind, decision, diff } of hunks) {
      io.print(`hunk ${number} (${kind}): ${decision ?? 'undecided'}`);
      for (const line of diff.trimEnd().split('\n')) io.print(`  ${shownWhole(line)}`);
    }
  }
  for (const { guard, decision, message } of set.findings)
    io.print(`${decision} ${guard}: ${visible(message)}`);
  for (const path of result.stale) io.print(`changed since: ${visible(path)}`);
  if (result.hash !== null) io.print(`\napplying it now would write ${result.files.length} file(s)`);
  return result.hash;
}

async function accept(call: Call, context: ReviewContext, id: string): Promise<ExitCode> {
  const which = chosen(call) ?? { all: true };
  const signer = await unlock(call, context);
  signer.forget();
  return sayDecided(call, await decideChange(id, which, 'accept', context.review));
}

async function reject(call: Call, context: ReviewContext, id: string): Promise<ExitCode> {
  const which = chosen(call);
  if (which !== null && !('all' in which))
    return sayDecided(call, await decideChange(id, which, 'reject', context.review));
  return sayEnded(call, id, await rejectChange(id, context.review, context.optionsFor));
}

async function apply(call: Call, context: ReviewContext, id: string): Promise<ExitCode> {
  const { review, optionsFor } = context;
  const which = chosen(call);
  const waiting = await review.ledger.changes.show(id, review.reader, review.now());
  const quiet = call.flag('json') ? { ...call, io: { ...call.io, json: () => undefined } } : call;
  const seen = await showChange(quiet, context, waiting);
  if (waiting.set === null) return exitCodes.failed;
  const meant = which === null ? null : hunksMeant(waiting.set, which);
  const signer = await unlock(call, context);
  try {
    const result = meant === null ? seen : await acceptExactly(id, meant, context);
    return sayEnded(
      call,
      id,
      await applyChange(id, result ?? '', { ...review, signerFor: async () => signer }, optionsFor),
    );
  } finally {
    signer.forget();
  }
}

/** Accepts these hunks and rejects all others; gives the hash of what that would write. */
async function acceptExactly(
  id: string,
  meant: ReadonlySet<number>,
  { review, optionsFor }: ReviewContext,
): Promise<string | null> {
  await decideChange(id, { all: true }, 'reject', review);
  const change = await decideChange(id, { hunks: [...meant] }, 'accept', review);
  const { set } = change;
  if (set === null) return null;
  const { snapshots, settings } = await optionsFor(set.context);
  return resultOf(set, snapshots, settings.changes).hash;
}

async function unlock(call: Call, { home, review }: ReviewContext): Promise<Signer & { forget(): void }> {
  requireApprover(home);
  return await unlockHere(call, 'changes', recorderOf(review.ledger));
}

/** Which hunks the call means; null where it names none. */
function chosen(call: Call): Which | null {
  const numbers = call.value('hunks');
  const file = call.value('file');
  const given: readonly Which[] = [
    ...(numbers === undefined ? [] : [{ hunks: numbersIn(numbers) }]),
    ...(file === undefined ? [] : [{ files: [file] }]),
    ...(call.flag('all') ? [{ all: true } as const] : []),
  ];
  if (given.length > 1) throw new UsageError('give one of --hunks, --file and --all');
  return given[0] ?? null;
}

function numbersIn(text: string): readonly number[] {
  if (!/^\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*$/.test(text))
    throw new UsageError('--hunks takes numbers such as 1,3-5');
  return text.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
}

function sayDecided(call: Call, change: ProposedChange): ExitCode {
  const summary = summaryOf(change);
  if (call.flag('json')) call.io.json(summary);
  else call.io.print(`Noted: ${summary.undecided} of ${summary.hunks} hunk(s) are undecided.`);
  return exitCodes.pass;
}

function sayEnded(call: Call, id: string, { state, snapshot, receipt, verdict }: Ended): ExitCode {
  const refused = verdict !== null && state === 'rejected';
  if (call.flag('json')) call.io.json({ id, state, snapshot: snapshot?.id ?? null, receipt });
  else if (refused) call.io.print(`Refused: ${visible(verdict.explanation)}`);
  else if (snapshot !== null) {
    for (const { path } of snapshot.steps) call.io.print(`changed  ${visible(path)}`);
    const back = `to undo it: sallyport undo ${snapshot.id.slice(0, 8)}`;
    call.io.print(`receipt ${receipt.receipt_id}; ${back}`);
  } else call.io.print(`${state === 'applied' ? 'Noted' : 'Rejected'}: ${id}; nothing was written.`);
  return refused ? exitCodes.failed : exitCodes.pass;
}

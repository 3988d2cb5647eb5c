// The routes of a Changes panel: agents propose, a person with a session decides, applies and takes back, and receipts tell.

import { existsSync } from 'node:fs';
import { readPatch } from '../../core/diff.ts';
import { InputError, type Verdict, wireContext } from '../../core/index.ts';
import {
  checked,
  choice,
  count,
  describe,
  described,
  either,
  flag,
  type Infer,
  integer,
  json,
  list,
  listOf,
  moment,
  named,
  nullable,
  object,
  optional,
  reply,
  text,
  texts,
  words,
} from '../../core/shape.ts';
import { readContext } from '../../decide/index.ts';
import type { ChangeSet, ProposedChange } from '../../ledger/index.ts';
import { chips, cost, counts, hashes, missingReference, receipt } from '../../ledger/receipts.ts';
import { UnknownSnapshot, workspacesIn } from '../../ledger/snapshots/index.ts';
import {
  applyChange,
  decideChange,
  type Edit,
  type Ended,
  optionsIn,
  outlineOf,
  proposeChanges,
  type Review,
  rejectChange,
  rollBack,
  rolledBack,
  summaryOf,
  viewOf,
  type What,
  type Which,
} from '../../run/index.ts';
import { anyone, type Caller, people, scoped } from './callers.ts';
import { isAgent, receiptFor, receiptNamed } from './receipts.ts';
import { jsonAnswer, type Parts, route, Sent } from './route.ts';
import { signed, signerFor } from './signing.ts';

// ── what requests say

const path = text({ min: 1, max: 4096, what: 'a path' });
const amount = checked(json(), (value, at, report) => {
  if (!(typeof value === 'number' && value >= 0 && value <= 1_000_000))
    report({ path: at, message: 'must be a number from 0 to 1000000' });
});
const tokens = integer(0, 1_000_000_000_000);

const editShape = object({
  op: choice(['write', 'replace', 'delete', 'rename', 'mode']),
  path,
  to: optional(path),
  content: optional(text()),
  replace: optional(
    list(object({ old: text({ min: 1 }), new: text(), all: optional(flag()) }), { max: 1000 }),
  ),
  executable: optional(flag()),
});

/** What an agent sends to propose a change. */
const proposalShape = object({
  patch: optional(text({ min: 1 })),
  edits: optional(list(editShape, { max: 1000 })),
  justification: optional(text({ max: 8192 })),
  suggest: optional(flag()),
  cost: optional(object({ usd: amount, tokens_in: tokens, tokens_out: tokens })),
  models: optional(list(text({ min: 1, max: 256 }), { max: 20 })),
  context: optional(wireContext),
});

/** What a person sends to decide about hunks. */
const decisionShape = object({
  decision: choice(['accept', 'reject']),
  hunks: optional(list(integer(1, 1_000_000), { max: 10_000 })),
  files: optional(list(path, { max: 1000 })),
  all: optional(flag()),
});

/** What a person sends to apply: the hash of the result that was shown. */
const applyShape = object({
  result: text({ pattern: /^[0-9a-f]{64}$/, what: 'the hash of a result' }),
});

/** What a person sends to take changes back. */
const rollbackShape = object({
  workspace: optional(path),
  receipt: optional(text({ pattern: /^[0-9a-f-]{4,36}$/, what: 'the id of a receipt' })),
  snapshot: optional(text({ pattern: /^[0-9a-f-]{4,36}$/, what: 'the id of a snapshot' })),
  run: optional(text({ min: 1, max: 256 })),
  last: optional(flag()),
});

// ── what answers say

const op = choice(['create', 'edit', 'delete', 'rename']);
const decided = {
  number: integer(1, Number.POSITIVE_INFINITY),
  kind: choice(['lines', 'create', 'delete', 'rename', 'mode']),
  decision: nullable(choice(['accept', 'reject'])),
};
const about = {
  ...texts('id', 'user', 'tenant', 'agent', 'workspace', 'run', 'decisionId'),
  state: choice(['staged', 'applied', 'rejected', 'expired']),
  createdAt: moment,
  expiresAt: moment,
  receipt: describe('The receipt that it ended in', nullable(words)),
  hunks: count,
  undecided: count,
};
const file = { path: words, to: nullable(words), op, guards: chips };
const reasons = {
  reason: describe('Why a person is asked', words),
  findings: listOf(reply({ ...texts('rule', 'guard', 'decision', 'message'), path: optional(words) })),
  suggest: describe('Nothing will be written', flag()),
  missing_references: listOf(reply({ ...missingReference.fields, near: optional(listOf(words)) })),
};

/** A change without what it holds; one that has ended is shown so. */
const changeSummary = named('ChangeSummary', reply({ ...about, files: listOf(reply(file)) }));

/** A change as the agent that proposed it sees it. */
const changeOutline = named(
  'ChangeOutline',
  reply({
    ...{ ...about, ...reasons },
    files: listOf(reply({ ...file, hunks: listOf(reply(decided)) })),
  }),
);

/** A change as a person sees it. */
const changeView = named(
  'Change',
  reply({
    ...{ ...about, ...reasons, cost },
    models: listOf(words),
    justification: nullable(words),
    files: listOf(
      reply({
        ...file,
        before_hash: nullable(words),
        mode: nullable(words),
        hunks: listOf(reply({ ...decided, diff: describe('Without secrets', words) })),
        redactions: describe('What of this file is not shown, by kind', counts),
      }),
    ),
    result: describe(
      'What applying would write now; its hash is what an apply is bound to, and null where files have changed since',
      reply({ hash: nullable(words), files: listOf(hashes), stale: listOf(words) }),
    ),
    redactions: counts,
  }),
);
const change = either(changeView, either(changeOutline, changeSummary));

const judged = described<Omit<Verdict, 'action'>>(() => ({
  type: 'object',
  description: 'Without the action',
}));
const proposed = reply({
  outcome: choice(['staged', 'applied', 'refused']),
  verdict: judged,
  change: optional(change),
  receipt: optional(receipt),
});
const end = reply({
  state: choice(['applied', 'rejected']),
  snapshot: nullable(words),
  receipt,
  verdict: nullable(judged),
});
const smallBody = 262_144;

function optionsFor({ paths, config, world, decider }: Parts) {
  const parts = { store: paths.snapshots, config, world, decider };
  return (context: ChangeSet['context']) => optionsIn(parts, context);
}

function reviewBy({ ledger, world }: Parts, { reader, principal }: Caller): Review {
  return { ledger, reader, by: principal.user, now: world.now };
}

async function shown(parts: Parts, one: ProposedChange, caller: Caller) {
  const { set } = one;
  if (set === null) return summaryOf(one);
  return isAgent(caller) ? outlineOf(one, set) : viewOf(one, set, await optionsFor(parts)(set.context));
}

export const changeRoutes = [
  route('GET /v1/changes', {
    summary: 'The proposed changes that wait',
    access: anyone('viewer'),
    answer: ['Those that the caller may see', reply({ changes: listOf(changeSummary) })],
    handle: async ({ ledger, world }, { caller }) => {
      const changes = await ledger.changes.list(caller.reader, world.now());
      return { changes: changes.map(summaryOf) };
    },
  }),
  route('POST /v1/changes', {
    summary: 'Propose a change',
    access: scoped(['decide', 'admin'], 'this credential may not propose changes'),
    body: proposalShape,
    answer: ['Whether it is staged, applied or refused', proposed],
    handle: async (parts, { caller, body }) => {
      const { ledger, config, world } = parts;
      const said = { asker: caller.principal, folder: null, config, world };
      const context = await readContext(body.context ?? {}, said);
      const proposal = await proposeChanges(editsIn(body), {
        ...(await optionsFor(parts)(context)),
        ...{ ledger, context, now: world.now, limits: config.changes },
        suggest: body.suggest === true,
        ...(body.justification === undefined ? {} : { justification: body.justification }),
        ...(body.cost === undefined ? {} : { cost: { ...body.cost, usd: Number(body.cost.usd) } }),
        ...(body.models === undefined ? {} : { models: body.models }),
      });
      const verdict = withoutAction(proposal.verdict);
      const { outcome } = proposal;
      return outcome === 'staged'
        ? { outcome, verdict, change: await shown(parts, proposal.change, caller) }
        : { outcome, verdict, receipt: receiptFor(proposal.receipt, caller) };
    },
  }),
  route('GET /v1/changes/:id', {
    summary: 'One proposed change, with its hunks and what guards say; an agent sees no lines',
    access: anyone('viewer'),
    answer: ['The change', change],
    handle: async (parts, { caller, given }) =>
      await shown(parts, await parts.ledger.changes.show(given.id, caller.reader, parts.world.now()), caller),
  }),
  route('POST /v1/changes/:id/decisions', {
    summary: 'Accept or reject hunks, files or all',
    access: people('decides about changes', 'approver'),
    body: [decisionShape, smallBody],
    answer: ['The change as it is decided now', change],
    handle: async (parts, { caller, given, body: { decision, ...which } }) =>
      await shown(
        parts,
        await decideChange(given.id, whichIn(which), decision, reviewBy(parts, caller)),
        caller,
      ),
  }),
  route('POST /v1/changes/:id/apply', {
    summary: 'Write what is accepted',
    access: people('applies changes', 'approver'),
    parameters: { signature: signed },
    body: [applyShape, smallBody],
    answer: ['How it ended', end],
    handle: async (parts, { caller, given: { id, signature }, body }) => {
      const { ledger, screen, world } = parts;
      const signerOf = async (approval: string) => {
        const now = world.now();
        const { question } = await ledger.approvals.show(approval, caller.reader, now);
        return signerFor(signature, now, (await screen.asked(approval, question)).text);
      };
      const review = { ...reviewBy(parts, caller), signerFor: signerOf };
      return endOf(await applyChange(id, body.result, review, optionsFor(parts)));
    },
  }),
  route('POST /v1/changes/:id/reject', {
    summary: 'Discard a proposed change',
    access: people('rejects changes', 'approver'),
    answer: ['How it ended', end],
    handle: async (parts, { caller, given }) =>
      endOf(await rejectChange(given.id, reviewBy(parts, caller), optionsFor(parts))),
  }),
  route('POST /v1/rollback', {
    summary: 'Undo changes: one, those of a run, or the last',
    access: people('takes changes back', 'approver'),
    body: [rollbackShape, smallBody],
    answer: ['What was undone', rolledBack],
    also: { 409: ['What was in the way', rolledBack] },
    handle: async (parts, { call, caller, body }) => {
      const { ledger, config, world } = parts;
      const { workspace, ...what } = body.receipt === undefined ? body : await changeOf(parts, body, caller);
      if (workspace === undefined) throw new InputError('"workspace" is missing');
      const asked = { workspace, ...(what.run === undefined ? {} : { session: what.run }) };
      const context = await readContext(asked, { asker: caller.principal, folder: null, config, world });
      const wanted = whatIn(what);
      const options = { ...(await optionsFor(parts)(context)), ledger, context, now: world.now };
      const done = await rollBack(wanted, options, caller.reader);
      return done.conflict === undefined ? done : new Sent(jsonAnswer(call, done, 409));
    },
  }),
] as const;

/** The snapshot of a receipt, and where it stands: receipts name workspaces by a keyed hash, and no path. */
async function changeOf(
  { ledger, paths }: Parts,
  { receipt: id = '', ...rest }: Infer<typeof rollbackShape>,
  caller: Caller,
): Promise<Omit<Infer<typeof rollbackShape>, 'receipt'>> {
  if (Object.keys(rest).length > 0) throw new InputError('a receipt says by itself what is undone');
  const { workspace_id: wanted, snapshot_id: snapshot } = await receiptNamed(ledger, id, caller);
  const isIt = (folder: string) => ledger.fingerprint('workspace', () => folder) === wanted;
  const known = existsSync(paths.snapshots) ? workspacesIn(paths.snapshots) : [];
  const workspace = known.find(isIt);
  if (workspace === undefined || snapshot === null)
    throw new UnknownSnapshot('nothing is kept here of what this receipt tells of');
  return { workspace, snapshot };
}

function editsIn({ patch, edits }: Infer<typeof proposalShape>): readonly Edit[] {
  if (patch !== undefined && edits === undefined) return readPatch(patch);
  if (edits === undefined || patch !== undefined || edits.length === 0)
    throw new InputError('a proposal has exactly one of "patch" and "edits"');
  return edits.map(editIn);
}

function editIn(edit: Infer<typeof editShape>, index: number): Edit {
  const { op, path: at, to, content, replace, executable } = edit;
  const runs = executable === undefined ? {} : { executable };
  const needed = <T>(value: T | undefined, name: string): T => {
    if (value === undefined)
      throw new InputError(`"${name}" is missing`, { pointer: `/edits/${index}/${name}` });
    return value;
  };
  switch (op) {
    case 'write':
      return { op: 'whole', path: at, content: needed(content, 'content'), ...runs };
    case 'replace':
      return { op, path: at, pairs: needed(replace, 'replace') };
    case 'delete':
      return { op, path: at, hunks: [] };
    case 'rename':
      return { op, path: at, to: needed(to, 'to'), hunks: [], ...runs };
    case 'mode':
      return { op: 'edit', path: at, hunks: [], executable: needed(executable, 'executable') };
  }
}

function whichIn({ hunks, files, all }: Omit<Infer<typeof decisionShape>, 'decision'>): Which {
  const given = [
    ...(hunks === undefined ? [] : [{ hunks }]),
    ...(files === undefined ? [] : [{ files }]),
    ...(all === true ? [{ all } as const] : []),
  ];
  return onlyOne(given, 'a decision has exactly one of "hunks", "files" and "all"');
}

function whatIn({
  snapshot,
  run,
  last,
}: Pick<Infer<typeof rollbackShape>, 'snapshot' | 'run' | 'last'>): What {
  const given: readonly What[] = [
    ...(snapshot === undefined ? [] : [{ snapshot }]),
    ...(run === undefined ? [] : [{ run }]),
    ...(last === true ? [{ last } as const] : []),
  ];
  return onlyOne(given, 'name exactly one of "snapshot", "run" and "last"');
}

function onlyOne<T>([first, ...others]: readonly T[], message: string): T {
  if (first === undefined || others.length > 0) throw new InputError(message);
  return first;
}

function endOf({ state, snapshot, receipt, verdict }: Ended) {
  const said = verdict === null ? null : withoutAction(verdict);
  return { state, snapshot: snapshot?.id ?? null, receipt, verdict: said };
}

/** A verdict without what was judged, which holds whole files. */
function withoutAction({ action: _, ...verdict }: Verdict): Omit<Verdict, 'action'> {
  return verdict;
}

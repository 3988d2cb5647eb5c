// The routes of a Changes panel: agents propose, a person with a session decides, applies and takes back, and receipts tell.

import { existsSync } from 'node:fs';
import type { Hono } from 'hono';
import type { Config, HomePaths } from '../../config/index.ts';
import { InputError, NotAllowed, type Verdict, type World, wireContext } from '../../core/index.ts';
import { readPatch } from '../../core/patch.ts';
import {
  checked,
  choice,
  flag,
  type Infer,
  integer,
  json,
  list,
  object,
  optional,
  readShape,
  text,
} from '../../core/shape.ts';
import { type Decider, readContext } from '../../decide/index.ts';
import {
  type ChangeSet,
  type Ledger,
  type ProposedChange,
  type Receipt,
  UnknownReceipt,
} from '../../ledger/index.ts';
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
  summaryOf,
  viewOf,
  type What,
  type Which,
} from '../../run/index.ts';
import { readJsonBody } from './body.ts';
import { type Caller, requirePerson } from './callers.ts';
import type { Screen } from './screen.ts';
import { signerIn } from './signing.ts';
import { type Surface, whole, withoutLines } from './surface.ts';

export interface ChangeRoutes {
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly config: Config;
  readonly world: World;
  readonly paths: Pick<HomePaths, 'snapshots'>;
  readonly screen: Screen;
}

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
export const proposalShape = object({
  patch: optional(text({ min: 1 })),
  edits: optional(list(editShape, { max: 1000 })),
  justification: optional(text({ max: 8192 })),
  suggest: optional(flag()),
  cost: optional(object({ usd: amount, tokens_in: tokens, tokens_out: tokens })),
  models: optional(list(text({ min: 1, max: 256 }), { max: 20 })),
  context: optional(wireContext),
});

/** What a person sends to decide about hunks. */
export const decisionShape = object({
  decision: choice(['accept', 'reject']),
  hunks: optional(list(integer(1, 1_000_000), { max: 10_000 })),
  files: optional(list(path, { max: 1000 })),
  all: optional(flag()),
});

/** What a person sends to apply: the hash of the result that was shown. */
export const applyShape = object({
  result: text({ pattern: /^[0-9a-f]{64}$/, what: 'the hash of a result' }),
});

/** What a person sends to take changes back. */
export const rollbackShape = object({
  workspace: optional(path),
  receipt: optional(text({ pattern: /^[0-9a-f-]{4,36}$/, what: 'the id of a receipt' })),
  snapshot: optional(text({ pattern: /^[0-9a-f-]{4,36}$/, what: 'the id of a snapshot' })),
  run: optional(text({ min: 1, max: 256 })),
  last: optional(flag()),
});

const smallBody = 262_144;

/** Adds the routes to an application that knows its callers. */
export function addChangeRoutes(app: Hono<Surface>, options: ChangeRoutes): void {
  const { ledger, config, world, decider, paths } = options;
  const parts = { store: paths.snapshots, config, world, decider };
  const optionsFor = (context: ChangeSet['context']) => optionsIn(parts, context);
  const reviewBy = ({ reader, principal }: Caller): Review => ({
    ledger,
    reader,
    by: principal.user,
    now: world.now,
  });
  const shown = async (change: ProposedChange, caller: Caller) => {
    const { set } = change;
    if (set === null) return summaryOf(change);
    return isAgent(caller) ? outlineOf(change, set) : viewOf(change, set, await optionsFor(set.context));
  };

  app.get('/v1/changes', async (call) => {
    const { reader } = call.get('caller');
    const changes = await ledger.changes.list(reader, world.now());
    return call.json({ changes: changes.map(summaryOf) });
  });

  app.post('/v1/changes', async (call) => {
    const { principal } = call.get('caller');
    if (principal.scope === 'approve') throw new NotAllowed('this credential may not propose changes');
    const sent = readShape(proposalShape, await readJsonBody(call.req.raw, config.daemon.bodyLimitBytes));
    const context = await readContext(sent.context ?? {}, { asker: principal, folder: null, config, world });
    const proposal = await proposeChanges(editsIn(sent), {
      ...(await optionsFor(context)),
      ...{ ledger, context, now: world.now, limits: config.changes },
      suggest: sent.suggest === true,
      ...(sent.justification === undefined ? {} : { justification: sent.justification }),
      ...(sent.cost === undefined ? {} : { cost: { ...sent.cost, usd: Number(sent.cost.usd) } }),
      ...(sent.models === undefined ? {} : { models: sent.models }),
    });
    const caller = call.get('caller');
    const verdict = withoutAction(proposal.verdict);
    const { outcome } = proposal;
    if (outcome === 'staged')
      return call.json({ outcome, verdict, change: await shown(proposal.change, caller) });
    return call.json({ outcome, verdict, receipt: receiptFor(proposal.receipt, caller) });
  });

  app.get('/v1/changes/:id', async (call) => {
    const caller = call.get('caller');
    const change = await ledger.changes.show(call.req.param('id'), caller.reader, world.now());
    return call.json(await shown(change, caller));
  });

  app.post('/v1/changes/:id/decisions', async (call) => {
    requirePerson(call.get('caller'), 'decides about changes');
    const { decision, ...which } = readShape(decisionShape, await readJsonBody(call.req.raw, smallBody));
    const caller = call.get('caller');
    const change = await decideChange(call.req.param('id'), whichIn(which), decision, reviewBy(caller));
    return call.json(await shown(change, caller));
  });

  app.post('/v1/changes/:id/apply', async (call) => {
    const caller = call.get('caller');
    requirePerson(caller, 'applies changes');
    const { result } = readShape(applyShape, await readJsonBody(call.req.raw, smallBody));
    const signerFor = async (approval: string) => {
      const now = world.now();
      const { question } = await ledger.approvals.show(approval, caller.reader, now);
      return signerIn(call, now, (await options.screen.asked(approval, question)).text);
    };
    const review = { ...reviewBy(caller), signerFor };
    return call.json(endOf(await applyChange(call.req.param('id'), result, review, optionsFor)));
  });

  app.post('/v1/changes/:id/reject', async (call) => {
    requirePerson(call.get('caller'), 'rejects changes');
    return call.json(
      endOf(await rejectChange(call.req.param('id'), reviewBy(call.get('caller')), optionsFor)),
    );
  });

  app.post('/v1/rollback', async (call) => {
    requirePerson(call.get('caller'), 'takes changes back');
    const { reader, principal } = call.get('caller');
    const said = readShape(rollbackShape, await readJsonBody(call.req.raw, smallBody));
    const { workspace, ...what } =
      said.receipt === undefined ? said : await changeOf(said, call.get('caller'));
    if (workspace === undefined) throw new InputError('"workspace" is missing');
    const asked = { workspace, ...(what.run === undefined ? {} : { session: what.run }) };
    const context = await readContext(asked, { asker: principal, folder: null, config, world });
    const wanted = whatIn(what);
    const given = { ...(await optionsFor(context)), ledger, context, now: world.now };
    const done = await rollBack(wanted, given, reader);
    return call.json(done, done.conflict === undefined ? 200 : 409);
  });

  app.get('/v1/receipts', async (call) => {
    const caller = call.get('caller');
    const limit = whole(call.req.query('limit'), 'limit', 1, 1000) ?? 50;
    const before = whole(call.req.query('before'), 'before', 1, Number.MAX_SAFE_INTEGER);
    const place = before === undefined ? {} : { before };
    const { receipts, next } = await ledger.receipts.list({ ...caller.reader, ...place, limit });
    return call.json({ receipts: receipts.map((receipt) => receiptFor(receipt, caller)), next });
  });
  app.get('/v1/receipts/verify', async (call) => {
    // It walks the whole log, and names what is wrong with anybody's part of it.
    if (call.get('caller').principal.scope !== 'admin')
      throw new NotAllowed('only an administrator verifies');
    return call.json(await ledger.verifyReceipts());
  });
  app.get('/v1/receipts/chain-head', async (call) => call.json(await ledger.chainHead()));
  app.get('/v1/receipts/:id', async (call) => {
    const caller = call.get('caller');
    return call.json(receiptFor(await receiptNamed(call.req.param('id'), caller), caller));
  });
  app.get('/v1/receipts/:id/export', async (call) => {
    const caller = call.get('caller');
    if (isAgent(caller)) throw new NotAllowed('this credential may not export receipts');
    return call.json(await ledger.statementOf(await receiptNamed(call.req.param('id'), caller)));
  });

  /** The snapshot of a receipt, and where it stands: receipts name workspaces by a keyed hash, and no path. */
  async function changeOf(
    { receipt: id = '', ...rest }: Infer<typeof rollbackShape>,
    caller: Caller,
  ): Promise<Omit<Infer<typeof rollbackShape>, 'receipt'>> {
    if (Object.keys(rest).length > 0) throw new InputError('a receipt says by itself what is taken back');
    const { workspace_id: wanted, snapshot_id: snapshot } = await receiptNamed(id, caller);
    const isIt = (folder: string) => ledger.fingerprint('workspace', () => folder) === wanted;
    const known = existsSync(paths.snapshots) ? workspacesIn(paths.snapshots) : [];
    const workspace = known.find(isIt);
    if (workspace === undefined || snapshot === null)
      throw new UnknownSnapshot('nothing is kept here of what this receipt tells of');
    return { workspace, snapshot };
  }

  async function receiptNamed(id: string, { reader }: Caller): Promise<Receipt> {
    const receipt = /^[0-9a-f-]{4,36}$/.test(id) ? await ledger.receipts.find(id, reader) : null;
    if (receipt === null) throw new UnknownReceipt('there is no one receipt of this id');
    return receipt;
  }
}

/**
 * Whether an agent calls. It chooses the folder that it calls its workspace, so it is told of its changes and never shown
 * lines of files: a proposal would otherwise read for it what it may not read itself.
 */
function isAgent({ principal }: Caller): boolean {
  return principal.scope === 'decide';
}

function receiptFor(receipt: Receipt, caller: Caller): Receipt {
  return isAgent(caller) ? withoutLines(receipt) : receipt;
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
  const [which] = given;
  if (which === undefined || given.length > 1)
    throw new InputError('a decision has exactly one of "hunks", "files" and "all"');
  return which;
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
  const [what] = given;
  if (what === undefined || given.length > 1)
    throw new InputError('name exactly one of "snapshot", "run" and "last"');
  return what;
}

function endOf({ state, snapshot, receipt, verdict }: Ended) {
  const said = verdict === null ? null : withoutAction(verdict);
  return { state, snapshot: snapshot?.id ?? null, receipt, verdict: said };
}

/** A verdict without what was judged, which holds whole files. */
function withoutAction({ action: _, ...verdict }: Verdict): Omit<Verdict, 'action'> {
  return verdict;
}

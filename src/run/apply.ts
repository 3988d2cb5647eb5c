// Applies a change set: works out what every file becomes, asks the one path about exactly that, snapshots, writes as
// one, and leaves a receipt whatever the answer was.

import { applyHunks, diffLines, showHunks } from '../core/diff.ts';
import {
  type ActionOf,
  type Context,
  type Facts,
  type Finding,
  InputError,
  isJsonObject,
  type Verdict,
} from '../core/index.ts';
import type { FilePatch } from '../core/patch.ts';
import { takeClearance } from '../decide/cleared.ts';
import type { Decider } from '../decide/types.ts';
import type { GuardOutcome, Ledger, MissingReference, Receipt, ReceiptBody } from '../ledger/index.ts';
import {
  type Change,
  type Content,
  inTurns,
  type Judged,
  PathRefused,
  type Snapshot,
  type Snapshots,
  type Step,
  stateOf,
} from '../ledger/snapshots/index.ts';

/** A file as an agent wants it: by patch, whole, or by texts that are replaced. */
export type Edit =
  | FilePatch
  | { readonly op: 'whole'; readonly path: string; readonly content: string }
  | {
      readonly op: 'replace';
      readonly path: string;
      readonly pairs: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[];
    };

export interface ApplyOptions {
  readonly decider: Decider;
  readonly snapshots: Snapshots;
  readonly ledger: Pick<Ledger, 'receipts' | 'fingerprint' | 'newId'>;
  readonly context: Context;
  /** Takes out of a text what records must not hold, and counts it. */
  readonly redact: (text: string) => {
    readonly text: string;
    readonly redactions: Readonly<Record<string, number>>;
  };
  readonly now: () => number;
  readonly justification?: string;
  /** What the model that wrote it cost, where that is known. */
  readonly cost?: ReceiptBody['cost'];
  readonly models?: readonly string[];
}

export interface Applied {
  readonly verdict: Verdict;
  /** Null where nothing was written. */
  readonly snapshot: Snapshot | null;
  readonly receipt: Receipt;
}

/** What becomes of one file. */
interface Outcome {
  readonly path: string;
  readonly before: Content | null;
  readonly after: string | null;
}

/** Applies a change set or refuses it as a whole; throws `InputError` where an edit does not fit its file. */
export async function applyChanges(edits: readonly Edit[], options: ApplyOptions): Promise<Applied> {
  const { decider, snapshots, context, justification } = options;
  const outcomes = outcomesOf(edits, snapshots);
  const action: ActionOf<'write'> = {
    kind: 'write',
    changes: outcomes.map(({ path, before, after }) => {
      if (after === null) return { op: 'delete', path };
      return { op: before === null ? 'create' : 'edit', path, content: after };
    }),
    ...(justification === undefined ? {} : { justification }),
  };
  const { verdict, facts, cleared } = await decider.decide(action, context);
  const judgedAs = { outcomes, verdict, facts };
  if (cleared === null) {
    const receipt = await leaveReceipt({ action: 'reject', snapshot: null, ...judgedAs }, options);
    return { verdict, snapshot: null, receipt };
  }
  takeClearance(cleared);
  // INVARIANT: what is written is what was judged, from what was judged: a file that changed since is a conflict.
  const judged = new Map(
    (cleared.action.changes ?? []).map((change) => [change.path, change.content ?? null]),
  );
  const changes = outcomes.map(({ path, before }): Change => {
    const text = judged.get(path) ?? null;
    return {
      path,
      from: before === null ? null : stateOf(before),
      to: text === null ? null : contentOf(text, before),
    };
  });
  const { user, tenant, agent, session: run } = context;
  const { decisionId } = verdict;
  const snapshot = await inTurns(
    snapshots.change(changes, { action: 'apply', user, tenant, agent, run, decisionId }),
  );
  const receipt = await leaveReceipt({ action: 'apply', snapshot, ...judgedAs }, options);
  return { verdict, snapshot, receipt };
}

/** Takes changes back, with a receipt of its own; throws `Conflict` where files have changed since. */
export async function takeBack(
  id: string,
  options: Omit<ApplyOptions, 'decider'>,
): Promise<{ readonly snapshot: Snapshot; readonly receipt: Receipt }> {
  const { snapshots, context } = options;
  const taken = snapshots.find(id);
  const befores = taken.steps.map(({ path }): Outcome => {
    const now = snapshots.look(path);
    const old = snapshots.contentBefore(taken.id, path);
    return { path, before: now, after: old === null ? null : textOf(old) };
  });
  const { user, tenant, agent, session: run } = context;
  const snapshot = await inTurns(
    snapshots.undo(taken.id, { user, tenant, agent, run, decisionId: taken.decisionId }),
  );
  const receipt = await leaveReceipt(
    { action: 'rollback', outcomes: befores, snapshot, verdict: null, facts: {} },
    options,
  );
  return { snapshot, receipt };
}

/** Leaves the receipt of what a command changed inside the workspace. */
export async function receiptOf(
  snapshot: Snapshot,
  options: Omit<ApplyOptions, 'decider'>,
): Promise<Receipt> {
  const outcomes = snapshot.steps.map(({ path, before, after }): Outcome => {
    const old = options.snapshots.contentBefore(snapshot.id, path);
    const now = look(options.snapshots, path);
    const bytes = after === null ? null : (now?.bytes ?? null);
    // What has changed again since then would be told as this change; what is no text, or too long, tells nothing.
    const isThis = after === null || (now !== null && stateOf(now).hash === after.hash);
    if (!isThis || !isLegible(old) || !isLegible(bytes)) return { path, before: null, after: null };
    return {
      path,
      before: before === null || old === null ? null : { type: before.type, bytes: old, mode: before.mode },
      after: bytes === null ? null : textOf(bytes),
    };
  });
  const { judged, decisionId } = snapshot;
  const verdict = judged === undefined ? null : { findings: judged.findings, decisionId };
  const facts = judged?.facts ?? {};
  return await leaveReceipt({ action: 'apply', outcomes, snapshot, verdict, facts }, options);
}

/** Leaves the receipt of files that were not let be written: they are named, and what they would have become is not. */
export async function refusalOf(
  paths: readonly string[],
  { judged, decisionId }: { readonly judged: Judged; readonly decisionId: string },
  options: Omit<ApplyOptions, 'decider'>,
): Promise<Receipt> {
  const outcomes = paths.map((path) => ({ path: options.redact(path).text, before: null, after: null }));
  const verdict = { findings: judged.findings, decisionId };
  return await leaveReceipt(
    { action: 'reject', outcomes, snapshot: null, verdict, facts: judged.facts },
    options,
  );
}

// ── what files become

function outcomesOf(edits: readonly Edit[], snapshots: Snapshots): readonly Outcome[] {
  const outcomes = new Map<string, Outcome>();
  const known = (path: string): Outcome => {
    const found = outcomes.get(path);
    if (found !== undefined) return found;
    const before = look(snapshots, path);
    return { path, before, after: before === null ? null : textIn(before, path) };
  };
  for (const edit of edits) {
    const { path } = edit;
    const from = known(path);
    const text = editedText(edit, from);
    if (edit.op === 'rename' && edit.to !== undefined) {
      const to = known(edit.to);
      if (to.after !== null) throw new InputError(`${edit.to} is there already`);
      outcomes.set(path, { ...from, after: null });
      outcomes.set(edit.to, { ...to, after: text });
    } else outcomes.set(path, { ...from, after: text });
  }
  return [...outcomes.values()];
}

/** A path that the guard refuses is still judged, as if nothing stood there; it is never written. */
function look(snapshots: Snapshots, path: string): Content | null {
  try {
    return snapshots.look(path);
  } catch (error) {
    if (error instanceof PathRefused) return null;
    throw error;
  }
}

function editedText(edit: Edit, { path, after }: Outcome): string | null {
  switch (edit.op) {
    case 'whole':
      return edit.content;
    case 'delete':
      return null;
    case 'create':
      if (after !== null) throw new InputError(`${path} is there already`);
      return patched('', edit, path);
    case 'rename':
    case 'edit':
      if (after === null) throw new InputError(`${path} is not there`);
      return patched(after, edit, path);
    case 'replace':
      if (after === null) throw new InputError(`${path} is not there`);
      return replaced(after, edit.pairs, path);
  }
}

function patched(text: string, { hunks }: FilePatch, path: string): string {
  const result = applyHunks(text, hunks);
  if ('text' in result) return result.text;
  const { hunk, line } = result.misfit;
  throw new InputError(
    `hunk ${hunk + 1} of ${path} does not fit: no place has "${line.slice(0, 60)}" and what follows`,
  );
}

function replaced(
  text: string,
  pairs: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[],
  path: string,
): string {
  let result = text;
  for (const { old, new: now, all } of pairs) {
    const parts = result.split(old);
    if (old === '' || parts.length === 1)
      throw new InputError(`the text to replace does not stand in ${path}`);
    if (parts.length > 2 && all !== true) {
      throw new InputError(`the text to replace stands ${parts.length - 1} times in ${path}`);
    }
    result = parts.join(now);
  }
  return result;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textIn({ type, bytes }: Content, path: string): string {
  if (type === 'link') throw new PathRefused(`${path} is a link`);
  try {
    return strict.decode(bytes);
  } catch (error) {
    throw new InputError(`${path} is no text in UTF-8`, { cause: error });
  }
}

/** For showing only. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function isLegible(bytes: Uint8Array | null): boolean {
  return bytes === null || (bytes.length <= 16 * mostShown && !bytes.includes(0));
}

function contentOf(text: string, before: Content | null): Content {
  return { type: 'file', bytes: Buffer.from(text), mode: before?.mode ?? 0o644 };
}

// ── receipts

interface Happened {
  readonly action: ReceiptBody['action'];
  readonly outcomes: readonly Outcome[];
  readonly snapshot: Snapshot | null;
  readonly verdict: JudgedAs | null;
  readonly facts: Facts;
}

/** What a receipt needs of a verdict. */
interface JudgedAs extends Pick<Verdict, 'decisionId'> {
  readonly findings: readonly Pick<Finding, 'guard' | 'decision'>[];
}

/** Most characters of diffs that one receipt holds. */
const mostShown = 65_536;

async function leaveReceipt(happened: Happened, options: Omit<ApplyOptions, 'decider'>): Promise<Receipt> {
  const { action, outcomes, snapshot, verdict, facts } = happened;
  const { context, ledger, now, cost, models } = options;
  const { diffs, redactions } = redactedDiffs(outcomes, options.redact);
  const steps = snapshot?.steps ?? [];
  const body: ReceiptBody = {
    receipt_id: ledger.newId(),
    timestamp: new Date(now()).toISOString(),
    user_id: context.user,
    workspace_id: ledger.fingerprint('workspace', () => context.workspace),
    run_id: context.session,
    action,
    applied: snapshot !== null,
    files: steps.length > 0 ? steps.map(fileOf) : outcomes.map(wantedFile),
    diffs,
    snapshot_id: snapshot?.id ?? null,
    symbols_checked: typeof facts['symbols_checked'] === 'number' ? facts['symbols_checked'] : 0,
    missing_references: missingReferences(facts, options.redact),
    redactions,
    guards: {
      write: outcomeOf(verdict, 'write'),
      hallucination: outcomeOf(verdict, 'symbols'),
      egress: Object.keys(redactions).length === 0 ? 'pass' : 'warn',
    },
    cost: cost ?? { usd: 0, tokens_in: 0, tokens_out: 0 },
    models: models ?? [],
  };
  const { user, tenant, agent } = context;
  const decisionId = verdict?.decisionId ?? snapshot?.decisionId ?? '';
  return await ledger.receipts.add(body, { user, tenant, agent, decisionId });
}

/** What the guard on references named as missing; a name is the model's to choose, so it may hold anything. */
function missingReferences(
  { missing_references: named }: Facts,
  redact: ApplyOptions['redact'],
): readonly MissingReference[] {
  return (Array.isArray(named) ? named : []).filter(isJsonObject).map(({ path, name, line }) => ({
    path: redact(String(path)).text,
    name: redact(String(name)).text,
    line: Number(line),
  }));
}

function outcomeOf(verdict: JudgedAs | null, name: 'write' | 'symbols'): GuardOutcome {
  const found = verdict?.findings.filter(({ guard }) => guard === name) ?? [];
  if (found.some(({ decision }) => decision === 'block')) return 'fail';
  return found.length > 0 ? 'warn' : 'pass';
}

function fileOf({ path, before, after }: Step): ReceiptBody['files'][number] {
  return { path, before_hash: before?.hash ?? null, after_hash: after?.hash ?? null };
}

function wantedFile({ path, before, after }: Outcome): ReceiptBody['files'][number] {
  return {
    path,
    before_hash: before === null ? null : stateOf(before).hash,
    after_hash: after === null ? null : stateOf(contentOf(after, null)).hash,
  };
}

function redactedDiffs(
  outcomes: readonly Outcome[],
  redact: ApplyOptions['redact'],
): { diffs: ReceiptBody['diffs']; redactions: Record<string, number> } {
  const redactions: Record<string, number> = {};
  let room = mostShown;
  const diffs = outcomes.map(({ path, before, after }) => {
    const hunks = diffLines(before === null ? '' : textOf(before.bytes), after ?? '');
    const shown = hunks.flatMap((hunk) => {
      const { text, redactions: counts } = redact(showHunks(path, [hunk]).split('\n').slice(2).join('\n'));
      room -= text.length;
      if (room < 0) return [];
      for (const [kind, count] of Object.entries(counts)) redactions[kind] = (redactions[kind] ?? 0) + count;
      return [text];
    });
    return { path, hunks: shown };
  });
  return { diffs, redactions };
}

// Step 5 of the path: what stays of a decision. A recorder writes it down and puts its questions, or does neither.

import type { Config } from '../config/index.ts';
import { excerptOf, shortened } from '../core/action-text.ts';
import {
  type Action,
  type ApprovalNotice,
  type Context,
  type Decision,
  type Finding,
  type GuardEvent,
  isClosed,
  type JsonObject,
  lazily,
  type MaybePromise,
  symbolCheckOf,
  type Unchecked,
  type Verdict,
  visible,
  type World,
  whenReady,
} from '../core/index.ts';
import { plainMessage } from '../guards/command/error.ts';
import type { EventType, Ledger, NewEntry } from '../ledger/index.ts';
import type { Outcome } from './judge.ts';
import type { SharedTexts } from './sessions.ts';

/** The part of the ledger that the path writes to and asks. */
export type Records = Pick<Ledger, 'newId' | 'record' | 'fingerprint'> & {
  readonly work: Pick<Ledger['work'], 'open' | 'close'>;
  readonly approvals: Pick<Ledger['approvals'], 'answered' | 'consume'> & {
    /** The newest question about the same in another state; absent where none are kept. */
    readonly earlier?: Ledger['approvals']['earlier'];
    /** Null where no question is put. */
    ask(
      ...parameters: Parameters<Ledger['approvals']['ask']>
    ): Promise<{ readonly id: string; readonly expiresAt: number } | null>;
  };
  readonly permissions: Pick<Ledger['permissions'], 'covering' | 'use'>;
  /** Whose approval counts. */
  readonly approvers?: Pick<Ledger['approvers'], 'pendingReset'>;
  /** What sessions heard and read, shared between daemons; absent where no other daemon has this store. */
  readonly sessionTexts?: SharedTexts | undefined;
  /** What agents wrote; absent where that is not recorded. */
  readonly authored?: Pick<Ledger['authored'], 'writtenByAgents' | 'madeBySession' | 'startedBySession'>;
  /** Policies that are kept; none where the settings hold them already. */
  readonly policies?: Pick<Ledger['policies'], 'sources'>;
};

/** What becomes of decisions. */
export interface Recorder {
  newId(): string;
  /** Writes a decision down. What waits, is refused or has an effect is on disk before the verdict is given. */
  decision(
    outcome: Outcome,
    context: Context,
    decisionId: string,
    /** How long it took, in milliseconds. */
    ms: number,
  ): MaybePromise<void>;
  /** Where approvals are found and asked for; null where none are. */
  readonly questions: Pick<Records, 'approvals' | 'permissions' | 'approvers'> | null;
  readonly policies?: Records['policies'];
  /** Names an exact action in a permission; null where no permission can be made. */
  readonly fingerprint: Records['fingerprint'] | null;
  openStream(stream: StreamRecord, details: JsonObject): Promise<void>;
  /** False if another daemon took this one for dead and closed the stream: then its text counts for nothing. */
  closeStream(
    stream: StreamRecord,
    decision: Decision,
    events: readonly GuardEvent[],
    details: JsonObject,
  ): Promise<boolean>;
}

/** A stream, as its records name it. */
interface StreamRecord {
  readonly kind: 'prompt' | 'response';
  readonly context: Context;
  readonly decisionId: string;
}

/** Leaves no trace and asks nobody. */
export const dryRecorder: Recorder = {
  newId: () => 'dry-run',
  decision: () => undefined,
  questions: null,
  fingerprint: null,
  openStream: async () => undefined,
  closeStream: async () => true,
};

/** Leaves no trace and asks nobody, and names what permissions of another recorder would name. */
export function dryLike({ fingerprint }: Recorder): Recorder {
  return { ...dryRecorder, fingerprint };
}

/** A recorder with other answers about approvals than its own. */
export function withApprovals(recorder: Recorder, approvals: Partial<Records['approvals']>): Recorder {
  const { questions } = recorder;
  if (questions === null) return recorder;
  const own = questions.approvals;
  const asked: Records['approvals'] = {
    answered: (...parameters) => own.answered(...parameters),
    consume: (...parameters) => own.consume(...parameters),
    ask: (...parameters) => own.ask(...parameters),
    earlier: async (...parameters) => (await own.earlier?.(...parameters)) ?? null,
    ...approvals,
  };
  return { ...recorder, questions: { ...questions, approvals: asked } };
}

/** Writes to a ledger, and asks through it. */
export function ledgerRecorder(ledger: Records, config: Pick<Config, 'settingsFor'>, world: World): Recorder {
  /** What may be written down of some texts. */
  const writable = (texts: JsonObject, context: Context): MaybePromise<JsonObject> =>
    detection(({ recordable }) => recordable(texts, context, config, world));

  /** What is written down of a decision, beside who asked. */
  function detailsOf(outcome: Outcome, context: Context): MaybePromise<JsonObject> {
    const { findings, action } = outcome;
    // INVARIANT: the text of a query holds values, and is not written down. Unchecked files stand beside the facts.
    const { canonical: _, detail: _detail, unchecked: __, ...facts } = outcome.facts;
    const { session, workspace, mode } = context;
    const texts = whenReady(askedRecord(outcome, workspace), (asked) => ({
      facts,
      ...uncheckedIn(outcome),
      ...asked,
      // What cannot be undone is recorded with the model's stated reason.
      ...(findings.some(isClosed) ? { justification: justificationOf(action) } : {}),
      ...whatIn(action),
      findings: findings.map(({ rule, guard, decision: weight, message, pointer, suggestion }) => ({
        rule,
        guard,
        decision: weight,
        message,
        ...(pointer === undefined ? {} : { pointer }),
        ...(suggestion === undefined ? {} : { suggestion }),
      })),
    }));
    return whenReady(
      whenReady(texts, (all) => writable(all, context)),
      (written) => ({
        kind: action.kind,
        session,
        workspace,
        mode,
        ...written,
        ...(typeof written['what'] === 'string' ? { what: shortened(written['what']) } : {}),
        action: ledger.fingerprint('action', () => jsonOf(action)),
      }),
    );
  }

  function streamEntry<Event extends EventType>(
    event: Event,
    { kind, context, decisionId }: StreamRecord,
    details: JsonObject,
  ) {
    const { user, tenant, agent, session, workspace, mode } = context;
    const who = { time: world.now(), user, tenant, agent, decision_id: decisionId };
    return { ...who, event_type: event, details: { kind, session, workspace, mode, ...details } } as const;
  }

  return {
    newId: () => ledger.newId(),
    questions: {
      approvals: ledger.approvals,
      permissions: ledger.permissions,
      ...(ledger.approvers === undefined ? {} : { approvers: ledger.approvers }),
    },
    fingerprint: (purpose, value) => ledger.fingerprint(purpose, value),
    policies: ledger.policies,
    decision(outcome, context, decisionId, ms) {
      const { decision, sideEffect, errors, events } = outcome;
      const { user, tenant, agent } = context;
      const who = { time: world.now(), user, tenant, agent, decision_id: decisionId };
      const durable = sideEffect || events.length > 0 || decision === 'approve' || decision === 'block';
      const record = (entry: Pick<NewEntry, 'event_type' | 'decision' | 'details'>) =>
        ledger.record({ ...who, ...entry }, durable);
      const itself = () =>
        whenReady(detailsOf(outcome, context), (details) =>
          record({ event_type: 'decision', decision, details: { ...details, ms: Math.round(ms * 10) / 10 } }),
        );
      if (errors.length + events.length === 0) return itself();
      return (async () => {
        const entries = errors.map((error) => record({ event_type: 'guard_error', details: { ...error } }));
        for (const { type, details } of events) {
          const noted = await writable(details, context);
          entries.push(record({ event_type: type, decision, details: noted }));
        }
        await Promise.all([...entries, itself()]);
      })();
    },
    openStream: (stream, details) => ledger.work.open(streamEntry('stream_opened', stream, details)),
    async closeStream(stream, decision, events, details) {
      for (const { type, details: told } of events) {
        const noted = await writable(told, stream.context);
        await ledger.record({ ...streamEntry(type, stream, noted), decision }, true);
      }
      return await ledger.work.close({ ...streamEntry('stream_closed', stream, details), decision });
    },
  };
}

/** The files of a write, wherever it is inside the action, whose references were not looked up. */
export function uncheckedIn({ parts }: Pick<Outcome, 'parts'>): {
  readonly unchecked?: readonly Unchecked[];
} {
  const checked = parts.filter(({ facts }) => 'unchecked' in facts);
  const unchecked = checked.length === 0 ? [] : symbolCheckOf(checked.map(({ facts }) => facts)).unchecked;
  return unchecked.length === 0 ? {} : { unchecked };
}

/** An action is JSON by construction; this says so to the compiler in one place. */
export function jsonOf(value: object): JsonObject {
  return value as JsonObject;
}

/** What the action is about; nothing for texts, which are not written down. */
function whatIn(action: Action): { readonly what?: string } {
  const what = excerptOf(action);
  return what === '' ? {} : { what };
}

function justificationOf({ justification = '' }: Action): string {
  return justification.trim() === '' ? 'none given' : justification;
}

/** Loaded with the first record. */
const recording = lazily(() => import('../policy/request.ts'));
const detection = lazily(() => import('./detection.ts'));

/** What policies looked at, so that others can be tried on it later; nothing where there was nothing to look at. */
function askedRecord({ asked }: Outcome, workspace: string): MaybePromise<JsonObject> {
  if (asked.parts.length === 0) return {};
  return recording(({ recordedOf }) => {
    const recorded = recordedOf(asked, workspace);
    return recorded === null ? {} : { asked: recorded };
  });
}

// ── The explanation of a verdict: deterministic, from its findings, in words that a person can check.

const openings: Readonly<Record<Decision, string>> = {
  pass: 'Passed',
  redact: 'Passed with parts removed',
  approve: 'Needs approval',
  block: 'Blocked',
};

/** One to three sentences: what was decided, why, and what to do instead. */
export function explain(
  decision: Decision,
  findings: readonly Finding[],
  approval: ApprovalNotice | null,
): string {
  // Most decisions found nothing.
  if (findings.length === 0 && approval === null) return `${openings[decision]}.`;
  const deciding = findings.filter((finding) => finding.decision === decision);
  const warnings = findings.filter((finding) => finding.decision === 'warn');
  const reasons = unique(
    (decision === 'pass' ? [] : deciding).map((finding) => clause(plainMessage(finding))),
  );
  const sentences = [
    reasons.length === 0 ? openings[decision] : `${openings[decision]}: ${reasons.join('; ')}`,
  ];
  if (warnings.length > 0)
    sentences.push(`Note: ${unique(warnings.map((finding) => clause(plainMessage(finding)))).join('; ')}`);
  const advice = unique(
    deciding.flatMap(({ suggestion = '' }) => (suggestion === '' ? [] : clause(suggestion))),
  );
  if (advice.length > 0) sentences.push(`Instead: ${advice.join('; ')}`);
  if (approval !== null) sentences.push(`To approve: ${approval.how}`);
  return sentences.map((sentence) => `${sentence}.`).join(' ');
}

/** A sentence as part of a longer one. */
export function clause(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

const longestExplanation = 1500;

/** Why, and how to go on. However long the explanation, the way to approve and the id are not cut off. */
export function reasonOf({ explanation, approval, decisionId }: Verdict): string {
  const how = approval === null ? '' : `To approve: ${approval.how}.`;
  const why = visible(explanation, longestExplanation);
  return `${why.includes(how) ? why : `${why} ${how}`} (sallyport why ${decisionId})`;
}

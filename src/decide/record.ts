// Step 5 of the request path: the record of a decision. A recorder stores it and asks its questions, or does neither.

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

/** The part of the ledger that the request path writes to and queries. */
export type Records = Pick<Ledger, 'newId' | 'record' | 'fingerprint'> & {
  readonly work: Pick<Ledger['work'], 'open' | 'close'>;
  readonly approvals: Pick<Ledger['approvals'], 'answered' | 'consume'> & {
    /** The newest question about the same action in another state; absent if none are stored. */
    readonly earlier?: Ledger['approvals']['earlier'];
    /** Null if no question is asked. */
    ask(
      ...parameters: Parameters<Ledger['approvals']['ask']>
    ): Promise<{ readonly id: string; readonly expiresAt: number } | null>;
  };
  readonly permissions: Pick<Ledger['permissions'], 'covering' | 'use'>;
  /** The approvers whose approval counts. */
  readonly approvers?: Pick<Ledger['approvers'], 'pendingReset'>;
  /** The texts that sessions read, shared between daemons; absent if no other daemon uses this store. */
  readonly sessionTexts?: SharedTexts | undefined;
  /** The contents that agents wrote; absent if that is not recorded. */
  readonly authored?: Pick<Ledger['authored'], 'writtenByAgents' | 'madeBySession' | 'startedBySession'>;
  /** Stored policies; none if the settings contain them already. */
  readonly policies?: Pick<Ledger['policies'], 'sources'>;
};

/** Handles the results of decisions. */
export interface Recorder {
  newId(): string;
  /**
   * Records a decision. A pending or refused decision, or one with an effect, is on disk before the verdict is
   * returned.
   */
  decision(
    outcome: Outcome,
    context: Context,
    decisionId: string,
    /** How long it took, in milliseconds. */
    ms: number,
  ): MaybePromise<void>;
  /** Where approvals are looked up and requested; null if there are none. */
  readonly questions: Pick<Records, 'approvals' | 'permissions' | 'approvers'> | null;
  readonly policies?: Records['policies'];
  /** The name of an exact action in a permission; null if no permission can be created. */
  readonly fingerprint: Records['fingerprint'] | null;
  openStream(stream: StreamRecord, details: JsonObject): Promise<void>;
  /** False if another daemon considered this one dead and closed the stream: then its text is void. */
  closeStream(
    stream: StreamRecord,
    decision: Decision,
    events: readonly GuardEvent[],
    details: JsonObject,
  ): Promise<boolean>;
}

/** A stream, as its records identify it. */
interface StreamRecord {
  readonly kind: 'prompt' | 'response';
  readonly context: Context;
  readonly decisionId: string;
}

/** Leaves no trace and asks for no approval. */
export const dryRecorder: Recorder = {
  newId: () => 'dry-run',
  decision: () => undefined,
  questions: null,
  fingerprint: null,
  openStream: async () => undefined,
  closeStream: async () => true,
};

/** Leaves no trace and asks for no approval, and returns the permission names of another recorder. */
export function dryLike({ fingerprint }: Recorder): Recorder {
  return { ...dryRecorder, fingerprint };
}

/** A recorder that uses other approvals than its own. */
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
  /** Redacts texts for the record. */
  const writable = (texts: JsonObject, context: Context): MaybePromise<JsonObject> =>
    detection(({ recordable }) => recordable(texts, context, config, world));

  /** The recorded part of a decision, beside the requester. */
  function detailsOf(outcome: Outcome, context: Context): MaybePromise<JsonObject> {
    const { findings, action } = outcome;
    // INVARIANT: the text of a query holds values, and is not recorded. Unchecked files are listed beside the facts.
    const { canonical: _, detail: _detail, unchecked: __, ...facts } = outcome.facts;
    const { session, workspace, mode } = context;
    const texts = whenReady(askedRecord(outcome, workspace), (asked) => ({
      facts,
      ...uncheckedIn(outcome),
      ...asked,
      // An action that cannot be undone is recorded with the model's stated reason.
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

/** The files of a write, anywhere inside the action, whose references were not looked up. */
export function uncheckedIn({ parts }: Pick<Outcome, 'parts'>): {
  readonly unchecked?: readonly Unchecked[];
} {
  const checked = parts.filter(({ facts }) => 'unchecked' in facts);
  const unchecked = checked.length === 0 ? [] : symbolCheckOf(checked.map(({ facts }) => facts)).unchecked;
  return unchecked.length === 0 ? {} : { unchecked };
}

/** An action is JSON by construction; this converts the type in one place. */
export function jsonOf(value: object): JsonObject {
  return value as JsonObject;
}

/** The subject of the action; absent for texts, which are not recorded. */
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

/** The input of the policies, so that others can be tried on it later; absent if there was none. */
function askedRecord({ asked }: Outcome, workspace: string): MaybePromise<JsonObject> {
  if (asked.parts.length === 0) return {};
  return recording(({ recordedOf }) => {
    const recorded = recordedOf(asked, workspace);
    return recorded === null ? {} : { asked: recorded };
  });
}

// ── The explanation of a verdict: deterministic, from its findings, in words that a user can check.

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
  // Most decisions have no findings.
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

/** A sentence as part of a longer sentence. */
export function clause(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

const longestExplanation = 1500;

/** The reason, and the next step. However long the explanation, the way to approve and the id are not truncated. */
export function reasonOf({ explanation, approval, decisionId }: Verdict): string {
  const how = approval === null ? '' : `To approve: ${approval.how}.`;
  const why = visible(explanation, longestExplanation);
  return `${why.includes(how) ? why : `${why} ${how}`} (sallyport why ${decisionId})`;
}

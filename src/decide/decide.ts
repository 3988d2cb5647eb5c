// The one path: expand, guards, policy, merge, record. Findings become a verdict here and nowhere else.

import type { Config, Settings, UserHook } from '../config/index.ts';
import { findingsFor } from '../core/action-text.ts';
import {
  type Action,
  type ActionOf,
  type ApprovalNotice,
  type Context,
  exactly,
  type Finding,
  isClosed,
  isPending,
  isSoftenable,
  type JsonObject,
  type JsonValue,
  type Kind,
  type MaybePromise,
  type Permission,
  type Rule,
  SallyportError,
  strongest,
  type Verdict,
  type World,
  whenReady,
} from '../core/index.ts';
import type { Question } from '../core/signing.ts';
import { type AnyGuard, guards as allGuards, type ListedGuard } from '../guards/index.ts';
import type { Bound } from '../ledger/index.ts';
import { cedarPolicy, type Policy } from '../policy/index.ts';
import { SessionAnswers } from './answered.ts';
import { clear } from './cleared.ts';
import { withHooks } from './hooks.ts';
import {
  detailOf,
  type Granted,
  guardInput,
  guardTable,
  nameOf,
  type Outcome,
  pathFinding,
  pathRules,
} from './judge.ts';
import { isLong, ownTurn } from './long.ts';
import {
  clause,
  dryLike,
  dryRecorder,
  explain,
  jsonOf,
  ledgerRecorder,
  type Recorder,
  type Records,
  uncheckedIn,
  withApprovals,
} from './record.ts';
import { type Recorded, recordedIn } from './recorded.ts';
import { SessionMemory } from './sessions.ts';
import { jsonOfStates, movedSince, recordedState, statesOf } from './state.ts';
import {
  judgeAnywhere,
  ownFinder,
  withOwnRules,
  withPolicy,
  withReview,
  withStoredPolicies,
} from './steps.ts';
import { openStream } from './stream.ts';
import { traced } from './traced.ts';
import type { Decided, Decider, InForce, Terms } from './types.ts';

/** The dependencies of a decider. */
export interface JudgingOptions extends Pick<Terms, 'guards' | 'observe'> {
  readonly config: Pick<Config, 'settingsFor' | 'approvals'> & Partial<Pick<Config, 'hooks' | 'policyStore'>>;
  readonly world: World;
  readonly policy?: Policy;
}

export interface DeciderOptions extends JudgingOptions {
  readonly ledger: Records;
}

interface Answered {
  readonly outcome: Outcome;
  readonly approval: ApprovalNotice | null;
}

/** The state that every decider of a process shares, and the terms of this one. */
interface Parts extends Pick<Terms, 'observe'> {
  readonly limits: Config['approvals'];
  readonly world: World;
  readonly policy: Policy;
  readonly recorder: Recorder;
  readonly recorded?: Recorded | undefined;
  readonly hooks: readonly UserHook[];
  readonly sessions: SessionMemory;
  readonly answers: SessionAnswers;
  readonly settingsFor: Decider['settingsFor'];
  readonly guards: readonly (AnyGuard | ListedGuard)[];
}

/** Creates the decider that all other code calls: one for each process, passed on by its owner. */
export function createDecider({ ledger, ...options }: DeciderOptions): Decider {
  const { config, world } = options;
  const recorder = ledgerRecorder(ledger, config, world);
  const sessions = new SessionMemory(world, ledger.sessionTexts);
  const parts = partsOf(options, recorder, config.hooks ?? [], sessions);
  const decider = deciderWith({ ...parts, recorded: recordedIn(ledger, world) });
  return world.telemetry === undefined ? decider : traced(decider, world.telemetry);
}

/**
 * Creates a decider that leaves no trace: it records nothing, asks for no approval, and runs no program of the user's.
 */
export function createDryDecider(options: JudgingOptions): Decider {
  return deciderWith(partsOf(options, dryRecorder, [], new SessionMemory(options.world)));
}

function partsOf(
  { config, world, policy = cedarPolicy, guards = allGuards, observe }: JudgingOptions,
  recorder: Recorder,
  hooks: readonly UserHook[],
  sessions: SessionMemory,
): Parts {
  const settingsFor = withStoredPolicies(config, recorder.policies);
  const answers = new SessionAnswers();
  const parts = {
    ...{ limits: config.approvals, world, policy, recorder, hooks, sessions, answers, settingsFor, guards },
  };
  return observe === undefined ? parts : { ...parts, observe };
}

/** The parts of a decider that judges under other terms. */
function partsUnder(
  parts: Parts,
  {
    profile,
    settings,
    inForce,
    guards = parts.guards,
    world,
    approvals,
    dry,
    observe = parts.observe,
  }: Terms,
): Parts {
  const settingsFor: Decider['settingsFor'] = inForce === undefined ? parts.settingsFor : () => inForce;
  const found: Decider['settingsFor'] =
    profile === undefined ? settingsFor : (where, kind) => settingsFor({ profile, ...where }, kind);
  return {
    ...parts,
    guards,
    world: world === undefined ? parts.world : { ...parts.world, ...world },
    settingsFor: settings === undefined ? found : (where, kind) => whenReady(found(where, kind), settings),
    ...(approvals === undefined ? {} : { recorder: withApprovals(parts.recorder, approvals) }),
    ...(dry
      ? { recorder: dryLike(parts.recorder), hooks: [], sessions: new SessionMemory(parts.world) }
      : {}),
    ...(observe === undefined ? {} : { observe }),
  };
}

function deciderWith(parts: Parts): Decider {
  const { limits, world, policy, recorder, recorded, sessions, answers, settingsFor, observe } = parts;
  const table = guardTable(withHooks(parts.guards, parts.hooks));

  async function pass(
    action: Action,
    context: Context,
    { settings, find }: InForce,
    granted: Granted,
  ): Promise<Outcome> {
    const seen = recorded === undefined ? world : { ...world, ...recorded };
    const input = guardInput(context, settings, seen, granted, {
      origins: sessions.find(context),
      ...(find === undefined ? {} : { find }),
      ...(observe === undefined ? {} : { observe }),
    });
    const reviewed = withReview(await judgeAnywhere(table, action, input, granted), context, world);
    const judged = isPending(reviewed) ? await reviewed : reviewed;
    const policed = withPolicy(policy, judged, context, settings);
    const { findings, facts } = isPending(policed) ? await policed : policed;
    const decision = strongest(findings.map((finding) => finding.decision));
    return { ...judged, facts, findings, decision, asked: judged };
  }

  /** Steps 1 to 4. INVARIANT: never throws; an action whose evaluation fails is refused. */
  async function evaluate(action: Action, context: Context, decisionId: string): Promise<Answered> {
    try {
      const taking = sessions.remember(action, context);
      if (taking !== undefined) await taking;
    } catch (error) {
      return { outcome: refused(action, pathRules.guardError, error), approval: null };
    }
    let inForce: InForce;
    try {
      const found = inForceFor(context, action.kind);
      inForce = isPending(found) ? await found : found;
    } catch (error) {
      return { outcome: refused(action, pathRules.configInvalid, error), approval: null };
    }
    const looked = new Set<string>();
    const outcome = await pass(action, context, inForce, { effects: answers.of(context), looked });
    try {
      const taking = sessions.read(outcome.texts, context);
      if (taking !== undefined) await taking;
    } catch (error) {
      return { outcome: refused(action, pathRules.guardError, error), approval: null };
    }
    if (outcome.decision !== 'approve') return { outcome, approval: null };
    const { questions } = recorder;
    try {
      const { fingerprint: mark } = recorder;
      const named = mark === null ? outcome : withExactEffects(outcome, context, world, mark);
      if (questions === null || mark === null) return { outcome: named, approval: null };
      return await ask(questions, mark, { ...named, looked }, action, context, inForce, decisionId);
    } catch (error) {
      const finding = pathFinding(pathRules.approvalsUnavailable, detailOf(error));
      return { outcome: stopped(outcome, finding), approval: null };
    }
  }

  async function decide<A extends Action>(action: A, context: Context): Promise<Decided<A['kind']>> {
    const started = performance.now();
    const decisionId = recorder.newId();
    // The remaining work on a long action here is hashing and copying it.
    const turn = isLong(action) ? ownTurn : undefined;
    if (turn !== undefined) await turn();
    let { outcome, approval } = await evaluate(action, context, decisionId);
    if (turn !== undefined) await turn();
    if (outcome.decision === 'approve' || outcome.decision === 'block') outcome = await noticed(outcome);
    try {
      const recorded = recorder.decision(outcome, context, decisionId, performance.now() - started);
      if (isPending(recorded)) await recorded;
    } catch (error) {
      outcome = refused(action, pathRules.recordFailed, error);
      approval = null;
    }
    const { decision, findings } = outcome;
    // INVARIANT: guards rewrite an action into one of the same kind.
    const rewritten = outcome.action as ActionOf<A['kind']>;
    const verdict: Verdict = {
      decision,
      findings,
      explanation: explain(decision, findings, approval),
      action: outcome.action,
      decisionId,
      approval,
      ...uncheckedIn(outcome),
    };
    const goes = decision === 'pass' || decision === 'redact';
    if (turn !== undefined) await turn();
    return {
      verdict,
      facts: outcome.facts,
      parts: outcome.parts,
      cleared: goes
        ? clear<A['kind']>(
            { action: rewritten, context, facts: outcome.facts, decisionId },
            outcome.parts.slice(1),
          )
        : null,
    };
  }

  /** Adds to every outcome that does not pass that a reset of the passphrase is pending. */
  async function noticed(outcome: Outcome): Promise<Outcome> {
    const until = await resetUntil();
    if (until === null || outcome.findings.some(({ rule }) => rule === pathRules.approverReset.id))
      return outcome;
    const notice = pathFinding(pathRules.approverResetNotice, `it counts from ${until} on`);
    return { ...outcome, findings: [...outcome.findings, notice] };
  }

  async function resetUntil(): Promise<string | null> {
    try {
      const reset = (await recorder.questions?.approvers?.pendingReset()) ?? null;
      return reset === null ? null : new Date(reset.countsFrom).toISOString();
    } catch {
      // If the store cannot be read, the action was refused already.
      return null;
    }
  }

  /** Step 4, where an approval is needed: uses an existing one, or requests one. */
  async function ask(
    ledger: NonNullable<Recorder['questions']>,
    mark: Records['fingerprint'],
    outcome: Outcome & { readonly looked: ReadonlySet<string> },
    action: Action,
    context: Context,
    inForce: InForce,
    decisionId: string,
  ): Promise<Answered> {
    const turn = isLong(action) ? ownTurn : undefined;
    if (turn !== undefined) await turn();
    const now = world.now();
    const expiryMs = limits.expirySeconds * 1000;
    const questions = outcome.findings.filter((finding) => finding.decision === 'approve');
    const effects = questions.flatMap((finding) => finding.grant ?? []);
    // INVARIANT: resetting the passphrase gains nothing that cannot be undone before the old key could cancel the
    // reset.
    if (questions.some(isClosed) && (await resetUntil()) !== null)
      return { outcome: stopped(outcome, pathFinding(pathRules.approverReset)), approval: null };
    let whatIsAsked: Bound | undefined;
    const binding = (): Bound => {
      if (whatIsAsked !== undefined) return whatIsAsked;
      const states = statesOf(outcome, world);
      const boundTo = (what: JsonValue) => bound(outcome, context, inForce.settings, questions, what);
      const state = recordedState(() => mark('question', () => boundTo('any state')), states);
      whatIsAsked = {
        binding: mark('approval', () => boundTo(jsonOfStates(states))),
        question: { ...questionOf(outcome, action, context), ...(state === undefined ? {} : { state }) },
      };
      return whatIsAsked;
    };

    const answer = await ledger.approvals.answered(binding, now, expiryMs);
    if (answer === 'deny') {
      return { outcome: stopped(outcome, pathFinding(pathRules.approvalDenied)), approval: null };
    }
    const standing = answer === 'approve' ? null : await permitting(ledger, questions, context, now);
    if (answer === 'approve' || standing !== null) {
      const yes = new Set([...answers.of(context), ...effects]);
      // A guard that did not check whether an effect was granted finds the same again.
      const same = effects.every((effect) => !outcome.looked.has(effect));
      const granted = { effects: yes, looked: new Set<string>() };
      const behind = same
        ? outcome
        : withExactEffects(await pass(action, context, inForce, granted), context, world, mark);
      const lifted = lift(
        behind,
        questions,
        standing === null
          ? 'it was approved'
          : `permission ${standing.map(({ id }) => id).join(', ')} covers it`,
      );
      if (lifted.decision === 'approve') {
        return { outcome: stopped(lifted, pathFinding(pathRules.newQuestion)), approval: null };
      }
      // INVARIANT: an approval with a limited number of uses is spent before the action runs, and by one caller only.
      const isSpent = () =>
        standing === null
          ? ledger.approvals.consume(binding(), decisionId, now, expiryMs)
          : ledger.permissions.use(standing, decisionId, now);
      if (lifted.decision === 'block' || (await isSpent())) {
        if (answer === 'approve') answers.add(context, effects);
        return { outcome: lifted, approval: null };
      }
    }
    const whatIsBound = binding();
    if (turn !== undefined) await turn();
    const noted = await sinceEarlier(ledger, whatIsBound.question, now);
    const asked = await ledger.approvals.ask({
      ...whatIsBound,
      question: withFindings(whatIsBound.question, noted),
      decisionId,
      now,
      expiryMs,
      maxPending: limits.maxPending,
    });
    const reported = withFindings(outcome, noted);
    if (asked === null) return { outcome: reported, approval: null };
    const { id, expiresAt } = asked;
    const how = `sallyport approve ${id}`;
    return { outcome: reported, approval: { id, expiresAt: new Date(expiresAt).toISOString(), how } };
  }

  /** The settings that an action of a kind is judged under now; throws if they cannot be used. */
  function inForceFor(context: Context, kind: Kind): MaybePromise<InForce> {
    const ready = whenReady(settingsFor(context, kind), (found) => withOwnRules(found, world));
    return whenReady(ready, (settings) =>
      whenReady(ownFinder(settings, world), (find) => ({ settings, find })),
    );
  }

  return {
    decide,
    settingsFor,
    session: (context) => sessions.open(context),
    decideStream: (kind, context, opening) =>
      openStream({ inForceFor, recorder, world, table, policy }, kind, context, opening),
    under: (terms) => deciderWith(partsUnder(parts, terms)),
  };
}

/** The changes since the same action was asked about or approved, as a finding for the user and the model. */
async function sinceEarlier(
  { approvals }: Pick<Records, 'approvals'>,
  { state, context }: Question,
  now: number,
): Promise<readonly Finding[]> {
  if (state === undefined) return [];
  const earlier = await approvals.earlier?.(state.about, context, now);
  const moved =
    earlier === null || earlier === undefined ? null : movedSince(earlier, state, context.workspace);
  return moved === null ? [] : [pathFinding(pathRules.stateMoved, moved)];
}

function withFindings<T extends { readonly findings: readonly Finding[] }>(
  whole: T,
  more: readonly Finding[],
): T {
  return more.length === 0 ? whole : { ...whole, findings: [...whole.findings, ...more] };
}

/** The permissions that cover all of the questions, each once; null if a question is not covered. */
async function permitting(
  { permissions }: Pick<Records, 'permissions'>,
  questions: readonly Finding[],
  context: Context,
  now: number,
): Promise<readonly Permission[] | null> {
  const covering = await permissions.covering(questions, context, now);
  const all = new Map(covering.map((one) => [one?.id ?? '', one]));
  const standing = [...all.values()].flatMap((one) => one ?? []);
  return standing.length === all.size && standing.length > 0 ? standing : null;
}

/**
 * The outcome with an effect for each question that may be permitted and names none: this exact action for this rule,
 * in any session and by any tool, as long as the files that it would run have the same content.
 */
function withExactEffects<O extends Outcome>(
  outcome: O,
  { cwd = '' }: Context,
  world: World,
  fingerprint: Records['fingerprint'],
): O {
  const isOpen = (finding: Finding) => finding.grant === undefined && isSoftenable(finding);
  if (!outcome.findings.some(isOpen)) return outcome;
  const files = jsonOfStates(statesOf(outcome, world));
  const findings = outcome.findings.map((finding) => {
    if (!isOpen(finding)) return finding;
    const { rule, shows = '' } = finding;
    const mark = fingerprint('permission', () => [partAt(outcome, finding), files, cwd, rule, shows]);
    return { ...finding, grant: `${exactly}${rule} ${mark}` };
  });
  return { ...outcome, findings };
}

/** The innermost action that a finding is about, without the model's reasons. */
function partAt({ parts, binding }: Outcome, { pointer = '' }: Finding): JsonObject {
  const around = parts.filter((part) => pointer === part.pointer || pointer.startsWith(`${part.pointer}/`));
  const innermost = around.reduce((deepest, part) =>
    part.pointer.length >= deepest.pointer.length ? part : deepest,
  );
  // The outermost action is bound without its variable parts.
  const { justification: _, ...exact } = innermost.pointer === '' ? binding : innermost.action;
  return jsonOf(exact);
}

/**
 * The value that an approval is bound to: the exact rewritten action in the exact context under these settings, the
 * questions that the user saw, and the code that would be run, published or applied. The wording of the justification
 * and the session are left out: the same action may be repeated the next morning.
 */
function bound(
  { binding }: Pick<Outcome, 'binding'>,
  context: Context,
  settings: Settings,
  questions: readonly Finding[],
  states: JsonValue,
): JsonValue {
  const { user, tenant, agent, workspace, cwd, mode } = context;
  const rules = questions.map(({ rule, pointer = '', grant = '', shows }) =>
    shows === undefined ? [rule, pointer, grant] : [rule, pointer, grant, shows],
  );
  const { justification: _, ...exact } = binding;
  const whole = [jsonOf(exact), user, tenant, agent, workspace, mode, settings.version, rules, states];
  return cwd === undefined ? whole : [...whole, cwd];
}

/**
 * The question as the user sees it: the action as it would run, in the form that the answer is bound to. A query is
 * bound by its meaning, which is a tree that is unreadable to people: its text is shown as it would run.
 */
function questionOf(
  { action, binding, findings }: Pick<Outcome, 'action' | 'binding' | 'findings'>,
  original: Action,
  context: Context,
): Question {
  const readable = action.kind === 'query' ? { ...binding, text: action.text } : binding;
  const { value, reasons } = withReasons(jsonOf(readable), jsonOf(action));
  // INVARIANT: a guard leaves only reasons in words out of the binding; the rest of an action keeps its kind.
  const shown = value as unknown as Action;
  // The guards reported positions in the original action.
  return { action: shown, context, findings: findingsFor(findings, original, shown), reasons };
}

/** The bound action, with the omitted reasons restored, and their positions. */
function withReasons(
  bound: JsonValue,
  whole: JsonValue | undefined,
  pointer = '',
): { readonly value: JsonValue; readonly reasons: readonly string[] } {
  if (bound === null && whole !== null && whole !== undefined) return { value: whole, reasons: [pointer] };
  if (typeof bound !== 'object' || bound === null || typeof whole !== 'object' || whole === null)
    return { value: bound, reasons: [] };
  const reasons: string[] = [];
  const inside = (key: string, value: JsonValue, other: JsonValue | undefined): JsonValue => {
    const found = withReasons(value, other, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    reasons.push(...found.reasons);
    return found.value;
  };
  if (Array.isArray(bound)) {
    const others = Array.isArray(whole) ? whole : [];
    const value = bound.map((one, index) => inside(String(index), one, others[index]));
    return { value, reasons };
  }
  const others = Array.isArray(whole) ? {} : (whole as JsonObject);
  const entries = Object.entries(bound).map(([key, one]) => [key, inside(key, one, others[key])] as const);
  return { value: Object.fromEntries(entries), reasons };
}

/** The outcome with one more finding that blocks it. */
function stopped(outcome: Outcome, finding: Finding): Outcome {
  return { ...outcome, findings: [...outcome.findings, finding], decision: 'block' };
}

/** The second pass, with the answered questions shown as warnings. */
function lift(outcome: Outcome, questions: readonly Finding[], why: string): Outcome {
  const key = (finding: Finding) => JSON.stringify([finding.rule, finding.pointer, finding.grant]);
  const answered = new Map(questions.map((question) => [key(question), question]));
  const open = outcome.findings.filter(
    (finding) => finding.decision !== 'approve' || !answered.has(key(finding)),
  );
  const shown = questions.map(
    ({ grant: _, shows: __, ...question }): Finding => ({
      ...question,
      decision: 'warn',
      message: `${clause(question.message)}; ${why}`,
    }),
  );
  return {
    ...outcome,
    findings: [...shown, ...open],
    decision: strongest(open.map((finding) => finding.decision)),
  };
}

/** The outcome when the request path itself failed. */
function refused(action: Action, rule: Rule, error: unknown): Outcome {
  const findings = [pathFinding(rule, detailOf(error))];
  const errors = error instanceof SallyportError ? [] : [{ guard: 'path', error: nameOf(error) }];
  return {
    action,
    binding: action,
    facts: {},
    learned: {},
    findings,
    decision: 'block',
    sideEffect: true,
    errors,
    events: [],
    texts: [],
    parts: [],
    runs: [],
    asked: { parts: [], findings },
  };
}

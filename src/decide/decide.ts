// The one path: expand, guards, policy, merge, record. Findings become a verdict here and nowhere else.

import type { Config, Settings } from '../config/index.ts';
import { findingsFor } from '../core/action-text.ts';
import {
  type Action,
  type ActionOf,
  type ApprovalNotice,
  type CommandView,
  type Context,
  type Decision,
  type Facts,
  type Finding,
  type JsonObject,
  type JsonValue,
  lazily,
  type Rule,
  SallyportError,
  strongest,
  type Verdict,
  type World,
  whenReady,
} from '../core/index.ts';
import { type AnyGuard, guards as allGuards, type ListedGuard } from '../guards/index.ts';
import type { Ledger, NewEntry } from '../ledger/index.ts';
import { cedarPolicy, type Policy } from '../policy/index.ts';
import { clear } from './cleared.ts';
import { dryRecords } from './dry.ts';
import { clause, explain } from './explain.ts';
import { withHooks } from './hooks.ts';
import { detailOf, type Granted, guardInput, guardTable, type Judged, nameOf } from './judge.ts';
import { isLong, judgeAnywhere } from './long.ts';
import { keptIn, withPolicy } from './policy.ts';
import { pathFinding, pathRules } from './rules.ts';
import { Sessions } from './sessions.ts';
import { openStream } from './stream.ts';
import { detection, ownFinder, withOwnRules } from './texts.ts';
import { traced } from './traced.ts';
import { ownTurn } from './turns.ts';
import type { Decided, Decider } from './types.ts';

/** The part of the ledger that the path writes to and asks. */
export type Records = Pick<Ledger, 'newId' | 'record' | 'fingerprint'> & {
  readonly work: Pick<Ledger['work'], 'open' | 'close'>;
  readonly approvals: Pick<Ledger['approvals'], 'answered' | 'consume'> & {
    /** Null where nobody can be asked, as in a dry run. */
    ask(
      ...parameters: Parameters<Ledger['approvals']['ask']>
    ): Promise<{ readonly id: string; readonly expiresAt: number } | null>;
  };
  readonly grants: Pick<Ledger['grants'], 'covered'>;
  /** Policies that are kept; none in a dry run, which opens no store. */
  readonly policies?: Pick<Ledger['policies'], 'sources'>;
};

export interface DeciderOptions {
  readonly config: Pick<Config, 'settingsFor' | 'approvals'> & Partial<Pick<Config, 'hooks' | 'policyStore'>>;
  readonly ledger: Records;
  readonly world: World;
  readonly guards?: readonly (AnyGuard | ListedGuard)[];
  readonly policy?: Policy;
  /** Takes what guards see, arguments and all, for a person who looks on; it is never recorded. */
  readonly observe?: (view: CommandView) => void;
}

/** What one pass of guards and policy came to. */
interface Outcome extends Judged {
  readonly decision: Decision;
  /** What policies looked at, before they said anything. */
  readonly asked: Pick<Judged, 'parts' | 'findings'>;
}

interface Answered {
  readonly outcome: Outcome;
  readonly approval: ApprovalNotice | null;
}

/** Makes the decider that everything else asks. */
export function createDecider(options: DeciderOptions): Decider {
  const { config, ledger, world, policy = cedarPolicy, observe } = options;
  // Nothing runs in a dry run, programs of the user's own included.
  const hooks = ledger === dryRecords ? [] : (config.hooks ?? []);
  const table = guardTable(withHooks(options.guards ?? allGuards, hooks));
  const sessions = new Sessions(world);
  const settingsFor = keptIn(config, ledger.policies);

  async function pass(
    action: Action,
    context: Context,
    settings: Settings,
    granted: Granted,
  ): Promise<Outcome> {
    const finder = ownFinder(settings, world);
    const find = finder === undefined ? undefined : await finder;
    const input = guardInput(context, settings, world, granted, {
      origins: sessions.find(context),
      ...(find === undefined ? {} : { find }),
      ...(observe === undefined ? {} : { observe }),
    });
    const judged = await judgeAnywhere(table, action, input, granted);
    const policed = withPolicy(policy, judged, context, settings);
    const { findings, facts } = policed instanceof Promise ? await policed : policed;
    const decision = strongest(findings.map((finding) => finding.decision));
    return { ...judged, facts, findings, decision, asked: judged };
  }

  /** Steps 1 to 4. INVARIANT: never throws; what fails is refused. */
  async function evaluate(action: Action, context: Context, decisionId: string): Promise<Answered> {
    try {
      const taking = sessions.remember(action, context);
      if (taking !== undefined) await taking;
    } catch (error) {
      return { outcome: refused(action, pathRules.guardError, error), approval: null };
    }
    let settings: Settings;
    try {
      const ready = whenReady(settingsFor(context, action.kind), (found) => withOwnRules(found, world));
      settings = ready instanceof Promise ? await ready : ready;
      const finder = ownFinder(settings, world);
      if (finder !== undefined) await finder;
    } catch (error) {
      return { outcome: refused(action, pathRules.configInvalid, error), approval: null };
    }
    const looked = new Set<string>();
    const outcome = await pass(action, context, settings, { effects: new Set(), looked });
    try {
      const taking = sessions.read(outcome.texts, context);
      if (taking !== undefined) await taking;
    } catch (error) {
      return { outcome: refused(action, pathRules.guardError, error), approval: null };
    }
    if (outcome.decision !== 'approve') return { outcome, approval: null };
    try {
      return await ask({ ...outcome, looked }, action, context, settings, decisionId);
    } catch (error) {
      const finding = pathFinding(pathRules.approvalsUnavailable, detailOf(error));
      return { outcome: stopped(outcome, finding), approval: null };
    }
  }

  async function decide<A extends Action>(action: A, context: Context): Promise<Decided<A['kind']>> {
    const decisionId = ledger.newId();
    // What is left to do here of a long action is hashing and copying it.
    const turn = isLong(action) ? ownTurn : undefined;
    if (turn !== undefined) await turn();
    let { outcome, approval } = await evaluate(action, context, decisionId);
    if (turn !== undefined) await turn();
    try {
      const recorded = recordDecision(outcome, context, decisionId);
      if (recorded instanceof Promise) await recorded;
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

  /** Step 4, where a person must say yes: use the yes that is there, or ask for one. */
  async function ask(
    outcome: Outcome & { readonly looked: ReadonlySet<string> },
    action: Action,
    context: Context,
    settings: Settings,
    decisionId: string,
  ): Promise<Answered> {
    const turn = isLong(action) ? ownTurn : undefined;
    if (turn !== undefined) await turn();
    const now = world.now();
    const expiryMs = config.approvals.expirySeconds * 1000;
    const questions = outcome.findings.filter((finding) => finding.decision === 'approve');
    const effects = questions.flatMap((finding) => finding.grant ?? []);
    let fingerprint: string | undefined;
    const binding = (): string => {
      fingerprint ??= ledger.fingerprint('approval', () =>
        bound(outcome, context, settings, questions, world),
      );
      return fingerprint;
    };

    const answer = await ledger.approvals.answered(binding, now, expiryMs);
    if (answer === 'deny') {
      return { outcome: stopped(outcome, pathFinding(pathRules.approvalDenied)), approval: null };
    }
    const standing = effects.length === questions.length && (await covers(effects, context, now));
    if (answer === 'approve' || standing) {
      const yes = new Set(effects);
      // A guard that did not look whether an effect was granted finds the same again.
      const same = effects.every((effect) => !outcome.looked.has(effect));
      const granted = { effects: yes, looked: new Set<string>() };
      const behind = same ? outcome : await pass(action, context, settings, granted);
      const lifted = lift(
        behind,
        questions,
        answer === 'approve' ? 'a person said yes' : 'a grant covers it',
      );
      if (lifted.decision === 'approve') {
        return { outcome: stopped(lifted, pathFinding(pathRules.newQuestion)), approval: null };
      }
      // INVARIANT: a single-use yes is spent before the action goes, and by one caller only.
      const blocked = lifted.decision === 'block';
      const spent =
        answer === 'approve' &&
        !blocked &&
        (await ledger.approvals.consume(binding(), decisionId, now, expiryMs));
      if (blocked || spent || standing) return { outcome: lifted, approval: null };
    }
    const bindingNow = binding();
    if (turn !== undefined) await turn();
    return await askPerson(outcome, action, context, bindingNow, decisionId, now);
  }

  async function covers(effects: readonly string[], context: Context, now: number): Promise<boolean> {
    const covered = await ledger.grants.covered(effects, context, now);
    return effects.every((effect) => covered.has(effect));
  }

  async function askPerson(
    outcome: Outcome,
    original: Action,
    context: Context,
    binding: string,
    decisionId: string,
    now: number,
  ): Promise<Answered> {
    const { action } = outcome;
    // The person sees the action as it would run; the guards found their places in it as it came.
    const findings = findingsFor(outcome.findings, original, action);
    const asked = await ledger.approvals.ask({
      binding,
      question: { action, context, findings },
      decisionId,
      now,
      expiryMs: config.approvals.expirySeconds * 1000,
      maxPending: config.approvals.maxPending,
    });
    if (asked === null) return { outcome, approval: null };
    const { id, expiresAt } = asked;
    const how = `sallyport approve ${id}`;
    return { outcome, approval: { id, expiresAt: new Date(expiresAt).toISOString(), how } };
  }

  /** Step 5. What waits, is refused or has an effect is on disk before the verdict is given. */
  function recordDecision(outcome: Outcome, context: Context, decisionId: string) {
    if (ledger === dryRecords) return undefined;
    const { decision, sideEffect, errors, events } = outcome;
    const { user, tenant, agent } = context;
    const who = { time: world.now(), user, tenant, agent, decision_id: decisionId };
    const durable = sideEffect || events.length > 0 || decision === 'approve' || decision === 'block';
    const record = (entry: Pick<NewEntry, 'event_type' | 'decision' | 'details'>) =>
      ledger.record({ ...who, ...entry }, durable);
    const itself = () =>
      whenReady(detailsOf(outcome, context), (details) =>
        record({ event_type: 'decision', decision, details }),
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
  }

  /** What is written down of a decision, beside who asked. */
  function detailsOf(outcome: Outcome, context: Context): JsonObject | Promise<JsonObject> {
    const { findings, action } = outcome;
    // INVARIANT: the text of a query holds values, and is not written down.
    const { canonical: _, ...facts } = outcome.facts;
    const { session, workspace, mode } = context;
    const texts = whenReady(askedRecord(outcome, workspace), (asked) => ({
      facts,
      ...asked,
      ...(needsReason(findings) ? { justification: reasonOf(action) } : {}),
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
        action: ledger.fingerprint('action', () => jsonOf(action)),
      }),
    );
  }

  /** What may be written down of some texts; in a dry run nothing is, so nothing has to be taken out. */
  function writable(texts: JsonObject, context: Context): JsonObject | Promise<JsonObject> {
    if (ledger === dryRecords) return texts;
    return detection(({ recordable }) => recordable(texts, context, config, world));
  }

  const decider: Decider = {
    decide,
    settingsFor,
    session: (context) => sessions.open(context),
    decideStream: (kind, context, opening) =>
      openStream({ settingsFor, ledger, world, table, policy, recordable: writable }, kind, context, opening),
  };
  const { telemetry } = world;
  return telemetry === undefined || ledger === dryRecords ? decider : traced(decider, telemetry);
}

/** What cannot be undone is recorded with the model's stated reason. */
function needsReason(findings: readonly Finding[]): boolean {
  return findings.some(({ contract }) => contract === 'AG-TOOL-3' || contract === 'AG-TOOL-4');
}

function reasonOf({ justification = '' }: Action): string {
  return justification.trim() === '' ? 'none given' : justification;
}

/**
 * What an approval is bound to: the exact rewritten action in the exact context under these settings, the questions
 * that the person saw, and what the files hold that would be executed. The justification's wording is the model's to vary, so it is left out.
 */
function bound(
  { binding, runs }: Pick<Outcome, 'binding' | 'runs'>,
  context: Context,
  settings: Settings,
  questions: readonly Finding[],
  world: World,
): JsonValue {
  const { justification: _, ...exact } = binding;
  const { user, tenant, agent, session, workspace, cwd, mode } = context;
  const rules = questions.map((finding) => [finding.rule, finding.pointer ?? '', finding.grant ?? '']);
  const files = runs.flatMap((list) => list()).map((path) => [path, textIn(path, world)]);
  const whole = [
    jsonOf(exact),
    user,
    tenant,
    agent,
    session,
    workspace,
    mode,
    settings.version,
    rules,
    files,
  ];
  return cwd === undefined ? whole : [...whole, cwd];
}

/** What a file that would be executed holds; null where there is none, or nothing that can be read as text. */
function textIn(path: string, world: World): string | null {
  try {
    return world.readText(path);
  } catch {
    return null;
  }
}

/** An action is JSON by construction; this says so to the compiler in one place. */
function jsonOf(value: object): JsonObject {
  return value as JsonObject;
}

/** The outcome with one more finding that stops it. */
function stopped(outcome: Outcome, finding: Finding): Outcome {
  return { ...outcome, findings: [...outcome.findings, finding], decision: 'block' };
}

/** The second pass with the answered questions shown as warnings. */
function lift(outcome: Outcome, questions: readonly Finding[], why: string): Outcome {
  const key = (finding: Finding) => JSON.stringify([finding.rule, finding.pointer, finding.grant]);
  const answered = new Map(questions.map((question) => [key(question), question]));
  const open = outcome.findings.filter(
    (finding) => finding.decision !== 'approve' || !answered.has(key(finding)),
  );
  const shown = questions.map(
    ({ grant: _, ...question }): Finding => ({
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

/** The outcome when the path itself failed. */
function refused(action: Action, rule: Rule, error: unknown): Outcome {
  const facts: Facts = {};
  const findings = [pathFinding(rule, detailOf(error))];
  const errors = error instanceof SallyportError ? [] : [{ guard: 'path', error: nameOf(error) }];
  return {
    action,
    binding: action,
    facts,
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

/** Loaded with the first record. */
const recording = lazily(() => import('../policy/record.ts'));

/** What policies looked at, so that others can be tried on it later; nothing where there was nothing to look at. */
function askedRecord({ asked }: Outcome, workspace: string): JsonObject | Promise<JsonObject> {
  if (asked.parts.length === 0) return {};
  return recording(({ recordedOf }) => {
    const recorded = recordedOf(asked, workspace);
    return recorded === null ? {} : { asked: recorded };
  });
}

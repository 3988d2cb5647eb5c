// One run at work: every text that goes to the model passes layer 1, every text that comes from it layer 2, every call
// layer 3. INVARIANT: a strategy reaches the model and the tools only through here, and nothing starts after a stop.

import type { Config } from '../config/index.ts';
import {
  type ActionOf,
  type ApprovalNotice,
  type Context,
  type Decision,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  parseJson,
  readAction,
  SallyportError,
  type Verdict,
  type World,
} from '../core/index.ts';
import type { Decided, Decider } from '../decide/index.ts';
import { refusal as commandRefusal } from '../guards/command/error.ts';
import type { Ledger } from '../ledger/index.ts';
import { afterAnswer, type Captures, generate, judgeOutput, reasonOf } from '../run/index.ts';
import type { CallOutcome, RunEvent, Telemetry } from './events.ts';
import type { Model, ModelCall, Offer, Turn, TurnRequest } from './model.ts';
import { ownAction, runOwnTool, type ToolParts } from './toolbox.ts';

/** The run came to no answer: it was blocked, or went on for too long. */
export class RunFailed extends SallyportError {
  /** What is said in place of an answer. */
  readonly answer: string | null;

  constructor(message: string, answer: string | null = null) {
    super(message);
    this.answer = answer;
  }
}

export interface WorkParts {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly world: World;
  readonly decider: Decider;
  readonly captures: Captures;
  readonly tools: ToolParts;
  readonly model: Model;
  readonly context: Context;
  readonly signal: AbortSignal;
  readonly steps: number;
  /** How long a call waits for a person. */
  readonly waitMs: number;
  readonly emit: (event: RunEvent) => void;
}

/** The counted part of the telemetry. */
export type Counts = {
  -readonly [Name in keyof Telemetry as Telemetry[Name] extends number ? Name : never]: number;
};

/** Most characters of one result that a model is given. */
const longestOutput = 200_000;
const longestReason = 2000;
/** Most calls that a model may make in one turn. */
const mostCalls = 32;

export class Work {
  readonly #parts: WorkParts;
  readonly offers: readonly Offer[];
  readonly counts: Counts = {
    harness_tool_calls: 0,
    mcp_tool_calls: 0,
    codemode_chain_calls: 0,
    codemode_search_calls: 0,
    codemode_discovery_calls: 0,
    codemode_guardrail_blocked: 0,
    off_mcp_calls: 0,
    guardrail_bypasses: 0,
  };
  readonly usage = { inputTokens: 0, outputTokens: 0 };
  readonly waiting: ApprovalNotice[] = [];
  /** The task as it may go to the model. */
  prompt = '';
  step = 0;

  constructor(parts: WorkParts, offers: readonly Offer[]) {
    this.#parts = parts;
    this.offers = offers;
  }

  get steps(): number {
    return this.#parts.steps;
  }

  beginStep(): void {
    this.step++;
    this.#parts.emit({ type: 'step', step: this.step });
  }

  /** Layer 1 on what the user wants; throws `RunFailed` where it may not go to the model. */
  async take(task: string): Promise<void> {
    const { context } = this.#parts;
    const action: ActionOf<'prompt'> = { kind: 'prompt', text: task, origin: 'user' };
    const first = await this.#parts.decider.decide(action, context);
    const { verdict, cleared } = await this.#answered(action, first, 'task', 'task');
    if (cleared === null) throw new RunFailed(reasonOf(verdict));
    this.prompt = cleared.action.text ?? '';
  }

  /** Asks the model for one turn that may be shown; throws `RunFailed` where it gives none. */
  async ask(request: Omit<TurnRequest, 'signal'>): Promise<Turn> {
    const { model, signal, emit } = this.#parts;
    const { answer, texts } = await generate({
      ...this.#parts,
      ask: async ({ number, instructions }) => {
        signal.throwIfAborted();
        if (number > 1) emit({ type: 'again', attempt: number });
        const system = instructions === null ? request.system : `${request.system}\n\n${instructions}`;
        const turn = await model.turn({ ...request, system, signal });
        this.usage.inputTokens += turn.usage.inputTokens;
        this.usage.outputTokens += turn.usage.outputTokens;
        return { turn, texts: textsOf(turn) };
      },
    });
    signal.throwIfAborted();
    if (answer === null) {
      const said = texts.join('\n');
      throw new RunFailed('what the model said goes against a guideline, each time that it was asked', said);
    }
    const { turn } = answer;
    const text = turn.text === '' ? '' : (texts[0] ?? '');
    if (text !== '') emit({ type: 'text', text });
    return { ...turn, text };
  }

  /** Layer 3 on a call, the call itself, and layer 1 on what it gave: what the model is told of it. */
  async call(call: ModelCall, why: string): Promise<string> {
    this.counts.harness_tool_calls++;
    const { emit } = this.#parts;
    const { id, tool } = call;
    emit({ type: 'call', call: id, tool, arguments: call.arguments });
    const { outcome, output } = await this.#carriedOut(call, why);
    emit({ type: 'result', call: id, tool, outcome, output });
    return output;
  }

  async #carriedOut(call: ModelCall, why: string): Promise<Told> {
    if (this.counts.harness_tool_calls > this.steps * mostCalls) {
      return refused({ error: `a run makes at most ${this.steps * mostCalls} calls` });
    }
    let action: ActionOf<'tool'>;
    try {
      action = readCall(call, why);
    } catch (error) {
      return refused({ error: messageOf(error), rule: 'invalid_arguments' });
    }
    const result = await this.#letGo(call, action);
    if ('outcome' in result) return result;
    const { config, decider, ledger, world, context } = this.#parts;
    const given = { tool: call.tool, input: action.arguments ?? {}, output: cut(textOf(result.output)) };
    const judged = await judgeOutput({ config, decider, ledger, world }, given, context);
    if ('withheld' in judged) return { outcome: 'ran', output: `[output withheld] ${judged.withheld}` };
    const text = String(judged.output);
    return { outcome: 'ran', output: judged.note === undefined ? text : `${judged.note}\n\n${text}` };
  }

  /**
   * Judges a call, waits for a person where one must say yes, keeps what it may change, and carries it out. Where it
   * turns out only then that not everything can be brought back, the call is judged once more with that known.
   */
  async #letGo(call: ModelCall, action: ActionOf<'tool'>): Promise<Told | { readonly output: JsonValue }> {
    const { captures, decider, context, signal } = this.#parts;
    const moment = { tool: call.tool, arguments: action.arguments ?? {}, call: call.id };
    for (;;) {
      const covered = captures.covers(context.workspace);
      const first = await decider.decide(action, context);
      const decided = await this.#answered(action, first, call.id, call.tool);
      const { cleared, verdict } = decided;
      if (cleared === null) {
        if (verdict.decision === 'block') await captures.refuse(moment, context, decided);
        return told(verdict);
      }
      // INVARIANT: a run that was stopped starts no call, however long the decision took.
      signal.throwIfAborted();
      try {
        // A file that our own tools write has a snapshot of its own.
        const opaque = !decided.parts.some((part) => part.action.kind === 'write');
        if (opaque && !(await captures.begin(moment, context, decided)) && covered) continue;
        this.#count(verdict.decision);
        return { output: await runOwnTool(cleared, verdict, this.#parts.tools, signal) };
      } catch (error) {
        signal.throwIfAborted();
        return failed(error);
      } finally {
        await captures.end(moment, context);
      }
    }
  }

  #count(decision: Decision): void {
    if (decision !== 'pass' && decision !== 'redact') this.counts.guardrail_bypasses++;
  }

  /** The decision once a person has answered, where one must; what nobody answers in time stays as it is. */
  async #answered<A extends ActionOf<'tool'> | ActionOf<'prompt'>>(
    action: A,
    first: Decided<A['kind']>,
    call: string,
    tool: string,
  ): Promise<Decided<A['kind']>> {
    const { decider, ledger, world, context, signal, waitMs, emit } = this.#parts;
    const { approval } = first.verdict;
    if (first.verdict.decision !== 'approve' || approval === null) return first;
    emit({ type: 'waiting', call, tool, why: first.verdict.explanation, approval });
    const waiting = { decider, ledger, world, stopping: signal };
    const decided = await afterAnswer(waiting, { action, context }, first, waitMs);
    signal.throwIfAborted();
    const { verdict } = decided;
    if (verdict.decision === 'approve' && verdict.approval !== null) this.waiting.push(verdict.approval);
    return decided;
  }
}

/** What a model is told of a call. */
interface Told {
  readonly outcome: CallOutcome;
  readonly output: string;
}

function refused(why: JsonObject): Told {
  return { outcome: 'refused', output: JSON.stringify(why) };
}

/** What a model is told of a call that did not go: the rule and why, or that nobody has said yes. */
function told(verdict: Verdict): Told {
  if (verdict.decision === 'approve') {
    const error = 'Nobody has said yes to this call in time. Do not try it again; go on without it.';
    return { outcome: 'waits', output: JSON.stringify({ error, why: reasonOf(verdict) }) };
  }
  const blocking = verdict.findings.filter(({ decision }) => decision === 'block');
  const command = commandRefusal(blocking.filter(({ layer }) => layer !== undefined));
  return refused(
    command === null
      ? { error: reasonOf(verdict), rule: blocking[0]?.rule ?? '' }
      : { ...command, ...suggestionIn(blocking, command.rule) },
  );
}

function suggestionIn(findings: Verdict['findings'], rule: string): JsonObject {
  const { suggestion } = findings.find((finding) => finding.rule === rule) ?? {};
  return suggestion === undefined ? {} : { suggestion };
}

/** What a model is told of a tool that failed; the text of a foreign error may hold what it must not see. */
function failed(error: unknown): Told {
  const known = error instanceof SallyportError;
  const told = known ? error.message : 'the tool failed';
  const hint = known && error.hint !== undefined ? { hint: error.hint } : {};
  return { outcome: 'failed', output: JSON.stringify({ error: told, ...hint }) };
}

/** The action of a call, read as strictly as any other that arrives; throws `InputError`. */
function readCall({ tool, arguments: given }: ModelCall, why: string): ActionOf<'tool'> {
  const written = typeof given === 'string' ? parseJson(given) : given;
  if (!isJsonObject(written)) throw new SallyportError('the arguments of a call are a JSON object');
  const reason = why.trim().slice(0, longestReason).toWellFormed();
  const wire = { ...ownAction(tool, written), ...(reason === '' ? {} : { justification: reason }) };
  const { action } = readAction(wire);
  if (action.kind !== 'tool') throw new Error('a call changed its kind');
  return action;
}

/** Each text of a turn that somebody would see, or that a tool is called with; what it says first. */
function textsOf({ text, reasoning, calls }: Turn): readonly string[] {
  const written = calls.map((call) => textOf(call.arguments));
  return [text, reasoning, ...written].filter((said) => said !== '');
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A result as a model is given it. */
function cut(text: string): string {
  if (text.length <= longestOutput) return text;
  return `${text.slice(0, longestOutput).toWellFormed()}\n[the rest is left out: more than ${longestOutput} characters]`;
}

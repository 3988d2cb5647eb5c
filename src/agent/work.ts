// One run at work: every text that goes to the model passes layer 1, every text that comes from it layer 2, every call
// layer 3. INVARIANT: a strategy reaches the model and the tools only through here, and nothing starts after a stop.

import type { Config } from '../config/index.ts';
import {
  type ActionOf,
  type ApprovalNotice,
  type Context,
  countTokens,
  InputError,
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
import { type Cleared, type Decided, type Decider, reasonOf } from '../decide/index.ts';
import { refusal as commandRefusal } from '../guards/command/error.ts';
import type { Ledger } from '../ledger/index.ts';
import { CallRefused, type ChainAnswer, type CodeServer, type FoundTool } from '../run/bridge/index.ts';
import { contentValue, splitMedia } from '../run/bridge/result.ts';
import {
  afterAnswer,
  type CallOutput,
  type Captures,
  generate,
  judgeOutput,
  type Notice,
} from '../run/index.ts';
import type { Upstreams } from '../run/mcp/index.ts';
import type { CallOutcome, RunEvent, Strategy, Telemetry } from './events.ts';
import { contentOf, forPerson, givenOf, opened, type UserFile, withNames } from './files.ts';
import type { Given, Model, ModelCall, Offer, Turn, TurnRequest } from './model.ts';
import { ownServer, runOwnTool, type Toolbox, type ToolParts, toolboxOf } from './toolbox.ts';

/** The run has no answer: it was blocked, or went on for too long. */
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
  readonly upstreams: Upstreams;
  readonly strategy: Strategy;
  readonly model: Model;
  readonly context: Context;
  readonly signal: AbortSignal;
  readonly steps: number;
  /** How long a call waits for approval. */
  readonly waitMs: number;
  readonly emit: (event: RunEvent) => void;
}

/** What is counted while a run works. */
export type Counts = {
  -readonly [Name in keyof Omit<Telemetry, 'guardrail_bypasses'> as Telemetry[Name] extends number
    ? Name
    : never]: number;
};

/** Most characters of one result that a model is given. */
const longestOutput = 200_000;
const longestReason = 2000;
/** Most calls that a run makes, for each of its steps. */
const callsPerStep = 32;

export class Work {
  readonly #parts: WorkParts;
  #billed = { inputTokens: 0, outputTokens: 0 };
  readonly counts: Counts = {
    harness_tool_calls: 0,
    mcp_tool_calls: 0,
    codemode_chain_calls: 0,
    codemode_search_calls: 0,
    codemode_discovery_calls: 0,
    codemode_guardrail_blocked: 0,
    codemode_repairs: 0,
    off_mcp_calls: 0,
  };
  readonly usage = { inputTokens: 0, outputTokens: 0 };
  readonly waiting: ApprovalNotice[] = [];
  /** The decisions that tools ran on. */
  readonly ran: string[] = [];
  /** The tools that the model may call. */
  toolbox: Toolbox = toolboxOf([]);
  /** The task as it may go to the model. */
  prompt = '';
  /** The files that come with it, as they may. */
  readonly given: Given[] = [];
  /** The MCP server that runs its programs. */
  server: string | null = null;
  step = 0;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  get offers(): readonly Offer[] {
    return this.toolbox.offers;
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  get steps(): number {
    return this.#parts.steps;
  }

  beginStep(): void {
    this.step++;
    this.#parts.emit({ type: 'step', step: this.step });
  }

  /** Layer 1 on what the user wants, and on each file; throws `RunFailed` where one may not go to the model. */
  async take(task: string, files: readonly UserFile[] = []): Promise<void> {
    const words: ActionOf<'prompt'> = { kind: 'prompt', text: withNames(task, files), origin: 'user' };
    this.prompt = (await this.#cleared(words, 'task')).action.text ?? '';
    const mark = this.#parts.ledger.newId();
    for (const [index, file] of files.entries()) {
      this.signal.throwIfAborted();
      try {
        this.given.push(...(await this.#taken(file, index + 1, mark)));
      } catch (error) {
        if (!(error instanceof SallyportError)) throw error;
        throw new RunFailed(`file ${file.name}: ${messageOf(error)}`);
      }
    }
  }

  /** A file as the model may have it: judged as what is read, as an upload, and as the text that goes. */
  async #taken({ path, name }: UserFile, number: number, mark: string): Promise<readonly Given[]> {
    const { decider, world, emit } = this.#parts;
    const bytes = contentOf(await this.#cleared({ kind: 'read', path }, name, forPerson(decider)));
    const file = { kind: 'prompt', origin: 'file', name } as const;
    const upload = await this.#cleared({ ...file, contentBase64: bytes.toString('base64') }, name);
    let content = await opened(upload, world);
    if (content.is === 'text') {
      const { action } = await this.#cleared({ ...file, text: content.text }, name);
      content = { ...content, text: action.text ?? '' };
    }
    emit({ type: 'file', name, format: content.format, as: content.is });
    return givenOf(content, number, mark);
  }

  /** The clearance of what the user gives, once a person has answered where one must; throws `RunFailed` without. */
  async #cleared<A extends ActionOf<'prompt' | 'read'>>(
    action: A,
    what: string,
    decider = this.#parts.decider,
  ): Promise<Cleared<A['kind']>> {
    const first = await decider.decide(action, this.#parts.context);
    const { verdict, cleared } = await this.#answered(action, first, 'task', what, decider);
    if (cleared === null) throw new RunFailed(reasonOf(verdict));
    return cleared;
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
        const { inputTokens: input, outputTokens: output } = turn.usage;
        countTokens(this.#parts.world.telemetry, { input, output }, model.name);
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

  /** What the model cost since this was last asked. */
  takeCost(): { readonly tokens_in: number; readonly tokens_out: number } {
    const { inputTokens, outputTokens } = this.usage;
    const cost = {
      tokens_in: inputTokens - this.#billed.inputTokens,
      tokens_out: outputTokens - this.#billed.outputTokens,
    };
    this.#billed = { ...this.usage };
    return cost;
  }

  /** Tells a person of something. */
  note(text: string): void {
    this.#parts.emit({ type: 'note', text });
  }

  /** Layer 3 on a call, the call itself, and layer 1 on its result: what the model receives. */
  async call(call: ModelCall, why: string): Promise<string> {
    this.counts.harness_tool_calls++;
    const { emit } = this.#parts;
    const { id } = call;
    const place = this.toolbox.placeOf(call.tool);
    const { tool } = place;
    const shown = place.server === ownServer ? { tool } : place;
    emit({ type: 'call', call: id, ...shown, arguments: call.arguments });
    const { outcome, output } = await this.#carriedOut(call, place, why);
    emit({ type: 'result', call: id, tool, outcome, output });
    return output;
  }

  async #carriedOut(call: ModelCall, place: Place, why: string): Promise<CallReport> {
    const most = this.steps * callsPerStep;
    if (this.counts.harness_tool_calls > most) return refused({ error: `a run makes at most ${most} calls` });
    let action: ActionOf<'tool'>;
    try {
      action = readCall(call, place, why);
    } catch (error) {
      return refused({ error: messageOf(error), rule: 'invalid_arguments' });
    }
    const result = await this.#letGo(call, action);
    if (result.outcome === 'refused' || result.outcome === 'waits') return result;
    const given = { ...place, arguments: action.arguments ?? {}, output: cut(result.output) };
    const output = await this.judged(given);
    return { ...result, output: result.notice === undefined ? output : `${result.notice}\n\n${output}` };
  }

  /** The tools of a bridge that fit the task, once a person has answered where the search itself waits for one. */
  async search(bridge: CodeServer, limit: number): Promise<readonly FoundTool[]> {
    for (;;) {
      try {
        return await bridge.search(this.prompt, limit, this.signal);
      } catch (error) {
        if (!(error instanceof CallRefused) || error.approvals.length === 0) throw error;
        const { approvals, message } = error;
        if (!(await this.#allAnswered({ approvals, error: message }, 'search', 'search_tools'))) throw error;
      }
    }
  }

  /** Runs a program on a bridge; where it stands still for a person, it goes on once they have answered. */
  async chain(bridge: CodeServer, code: string): Promise<ChainAnswer> {
    const { emit, signal } = this.#parts;
    const [call, tool] = ['chain', 'call_tool_chain'];
    this.counts.harness_tool_calls++;
    this.counts.codemode_chain_calls++;
    emit({ type: 'call', call, tool, server: bridge.server, arguments: { code } });
    signal.throwIfAborted();
    let answer = await bridge.chain({ code }, signal);
    while (answer.status === 'waiting' && (await this.#allAnswered(answer, call, tool))) {
      const { run } = answer;
      answer = await bridge.chain(run === undefined ? { code } : { run }, signal);
    }
    signal.throwIfAborted();
    const { status } = answer;
    const outcome =
      status === 'ok' ? 'ran' : status === 'blocked' ? 'refused' : status === 'waiting' ? 'waits' : 'failed';
    emit({ type: 'result', call, tool, outcome, output: JSON.stringify(answer) });
    return answer;
  }

  /** Whether a person has answered all that a program waits for, within the time. */
  async #allAnswered(
    { approvals = [], error = '' }: Pick<ChainAnswer, 'approvals' | 'error'>,
    call: string,
    tool: string,
  ): Promise<boolean> {
    const { emit, ledger, world, signal, waitMs } = this.#parts;
    const notices = approvals.map(({ id, how, expires_at: expiresAt }) => ({ id, how, expiresAt }));
    for (const approval of notices) emit({ type: 'waiting', call, tool, why: error, approval });
    for (const { id } of notices) {
      const answered = await ledger.approvals.waitFor(id, waitMs, signal, () => world.now());
      signal.throwIfAborted();
      if (!answered) {
        this.waiting.push(...notices);
        return false;
      }
    }
    return notices.length > 0;
  }

  /** Layer 1 on what a tool gave: what the model may read of it. */
  async judged(given: CallOutput): Promise<string> {
    const { config, decider, ledger, world, context } = this.#parts;
    const judged = await judgeOutput({ config, decider, ledger, world, personal: true }, given, context);
    if (judged.does === 'withhold') {
      const why = judged.verdict === null ? judged.why : reasonOf(judged.verdict);
      return `[output withheld] ${why}`;
    }
    const text = String(judged.output);
    return judged.note === undefined ? text : `${judged.note}\n\n${text}`;
  }

  /**
   * Judges a call, waits for approval where one must say yes, keeps what it may change, and carries it out. Where it
   * turns out only then that not everything can be brought back, the call is judged once more with that known.
   */
  async #letGo(call: ModelCall, action: ActionOf<'tool'>): Promise<CallReport> {
    const { captures, decider, context, signal } = this.#parts;
    const { tool, server = '', arguments: given = {} } = action;
    const moment = { tool, server, arguments: given, call: call.id };
    for (;;) {
      const covered = captures.covers(context.workspace);
      const first = await decider.decide(action, context);
      const decided = await this.#answered(action, first, call.id, tool);
      const { cleared, verdict } = decided;
      if (cleared === null) {
        if (verdict.decision === 'block') await captures.refuse(moment, context, decided);
        return reportRefusal(verdict);
      }
      let result: CallReport;
      let notices: readonly Notice[] = [];
      try {
        // A file that our own tools write has a snapshot of its own.
        const writes = server === ownServer && decided.parts.some((part) => part.action.kind === 'write');
        if (!writes && !(await captures.begin(moment, context, decided)).complete && covered) continue;
        // INVARIANT: a run that was stopped starts no call, however long the decision took.
        signal.throwIfAborted();
        result = { outcome: 'ran', output: textOf(await this.#run(cleared, verdict, call.id)) };
      } catch (error) {
        signal.throwIfAborted();
        result = failed(error);
      } finally {
        notices = await captures.end(moment, context);
      }
      return this.#noticed(result, notices);
    }
  }

  /** What became of a call, with what was found in the files that it changed: the person sees it, too. */
  #noticed(result: CallReport, notices: readonly Notice[]): CallReport {
    if (notices.length === 0) return result;
    for (const { forPerson } of notices) this.#parts.emit({ type: 'note', text: forPerson });
    return { ...result, notice: notices.map(({ text }) => text).join(' ') };
  }

  async #run(cleared: Cleared<'tool'>, verdict: Verdict, call: string): Promise<JsonValue> {
    const { tools, upstreams, signal, strategy, decider, context } = this.#parts;
    this.ran.push(cleared.decisionId);
    if (cleared.action.server === ownServer) {
      if (strategy === 'codemode') this.counts.off_mcp_calls++;
      return await runOwnTool(cleared, verdict, tools, {
        signal,
        decide: async (action) =>
          await this.#answered(action, await decider.decide(action, context), call, cleared.action.tool),
      });
    }
    this.counts.mcp_tool_calls++;
    const result = await upstreams.call(cleared, { signal });
    // INVARIANT: a message was JSON before it was read, and so is every part of it.
    const { rest, media } = splitMedia(contentValue(result) as JsonValue);
    const given = media.length === 0 ? rest : [rest, `${media.length} image(s) or sound(s) are left out`];
    return result.isError === true ? { error: given } : given;
  }

  /** The decision once a person has answered, where one must; what nobody answers in time stays as it is. */
  async #answered<A extends ActionOf<'tool' | 'prompt' | 'read' | 'shell' | 'python'>>(
    action: A,
    first: Decided<A['kind']>,
    call: string,
    tool: string,
    decider = this.#parts.decider,
  ): Promise<Decided<A['kind']>> {
    const { ledger, world, context, signal, waitMs, emit } = this.#parts;
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

type Place = ReturnType<Toolbox['placeOf']>;

/** What a model receives for a call. */
interface CallReport {
  readonly outcome: CallOutcome;
  readonly output: string;
  /** What the model receives beside it. */
  readonly notice?: string;
}

function refused(why: JsonObject): CallReport {
  return { outcome: 'refused', output: JSON.stringify(why) };
}

/** What a model receives for a call that did not run: the rule and why, or that no approval came. */
function reportRefusal(verdict: Verdict): CallReport {
  if (verdict.decision === 'approve') {
    const error = 'This call was not approved in time. Do not try it again; continue without it.';
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

/** What a model receives for a tool that failed; the text of a foreign error may hold what it must not see. */
function failed(error: unknown): CallReport {
  const known = error instanceof SallyportError;
  const told = known ? error.message : 'the tool failed';
  const hint = known && error.hint !== undefined ? { hint: error.hint } : {};
  return { outcome: 'failed', output: JSON.stringify({ error: told, ...hint }) };
}

/** The action of a call, read as strictly as any other that arrives; throws `InputError`. */
function readCall({ arguments: given }: ModelCall, place: Place, why: string): ActionOf<'tool'> {
  const written = typeof given === 'string' ? parseJson(given) : given;
  if (!isJsonObject(written)) throw new InputError('the arguments of a call are a JSON object');
  const reason = why.trim().slice(0, longestReason).toWellFormed();
  const stated = reason === '' ? {} : { justification: reason };
  const { action } = readAction({ kind: 'tool', ...place, arguments: written, ...stated });
  if (action.kind !== 'tool') throw new Error('a call changed its kind');
  return action;
}

/** Each text of a turn that a person would see, or that a tool is called with; what it says first. */
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

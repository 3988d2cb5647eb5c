// The user's own hook programs as a check on the one request path: they run before the guards, so that every guard
// judges their rewrites. A program that fails, hangs or gives an unclear answer blocks the action.

import type { UserHook } from '../config/index.ts';
import {
  type ActionOf,
  type Context,
  decodeUtf8,
  type Finding,
  type HookEvent,
  type JsonObject,
  type Judgement,
  type Kind,
  messageOf,
  parseJson,
  SallyportError,
  visible,
} from '../core/index.ts';
import { either, flag, json, object, optional, readShape, record, text } from '../core/shape.ts';
import type { AnyGuard, ListedGuard } from '../guards/index.ts';
import { pathFinding, pathRules } from './judge.ts';

/** A hook program of the user's did not give a usable answer. */
class HookFailed extends SallyportError {}

/** The combined answer of all programs of one event. */
export interface HookOutcome {
  /** The reason for the block; null if it is not blocked. */
  readonly blocked: { readonly why: string; readonly failed: boolean } | null;
  readonly notes: readonly string[];
  /** The prompt or tool input as the programs rewrote it, if they did. */
  readonly prompt?: string;
  readonly input?: JsonObject;
}

/** The input that a program receives on standard input, beside the requester and the place. */
export type HookSubject = {
  readonly tool?: string;
  readonly server?: string;
  readonly tool_input?: JsonObject;
  readonly justification?: string;
  readonly tool_output?: JsonObject[string];
  readonly prompt?: string;
};

const answerShape = object({
  block: optional(either(flag(), text({ max: 4096 }))),
  annotation: optional(text({ max: 4096 })),
  replace_prompt: optional(text()),
  replace_tool_input: optional(record(json())),
});

/** Largest answer that is read, in bytes. */
const longestAnswer = 4_194_304;

/** Runs the programs of an event one after the other; each sees the rewrites of those before it. Never throws. */
export async function runHooks(
  hooks: readonly UserHook[],
  event: HookEvent,
  subject: HookSubject,
  context: Context,
): Promise<HookOutcome> {
  const notes: string[] = [];
  let said = subject;
  let changed: Pick<HookOutcome, 'prompt' | 'input'> = {};
  for (const hook of hooks.filter((one) => one.event === event)) {
    const name = visible(hook.command[0] ?? '', 200);
    try {
      const { status, stdout, stderr } = await runProgram(hook, { event, ...context, ...said });
      const words = visible(stderr.trim(), 1000);
      if (status !== 0) return { blocked: { why: words || `${name} refused it`, failed: false }, notes };
      const answer = stdout.trim() === '' ? {} : readShape(answerShape, parseJson(stdout));
      const { block, annotation, replace_prompt: prompt, replace_tool_input: input } = answer;
      if (block !== undefined && block !== false) {
        const why = typeof block === 'string' && block !== '' ? block : (annotation ?? words);
        return { blocked: { why: visible(why, 1000) || `${name} refused it`, failed: false }, notes };
      }
      if (annotation !== undefined) notes.push(visible(annotation, 1000));
      if (prompt !== undefined && said.prompt === undefined) {
        throw new HookFailed('it replaces a prompt where there is none');
      }
      if (input !== undefined && (said.tool_input === undefined || event !== 'tool_call_pre')) {
        throw new HookFailed("it replaces a tool's input where there is none");
      }
      if (prompt !== undefined) changed = { ...changed, prompt };
      if (input !== undefined) changed = { ...changed, input };
      said = {
        ...said,
        ...(prompt === undefined ? {} : { prompt }),
        ...(input === undefined ? {} : { tool_input: input }),
      };
    } catch (error) {
      const why = `${name}: ${error instanceof SallyportError ? messageOf(error) : 'it could not be run'}`;
      return { blocked: { why, failed: true }, notes };
    }
  }
  return { blocked: null, notes, ...changed };
}

/** Runs one hook program with its input; it and every process that it started are terminated after the timeout. */
export async function runProgram(hook: Pick<UserHook, 'command' | 'timeoutMs'>, input: JsonObject) {
  const { spawn } = await import('node:child_process');
  const [program = '', ...args] = hook.command;
  const { HOME, PATH, LANG } = process.env;
  return await new Promise<{ status: number; stdout: string; stderr: string }>((resolve, reject) => {
    // The agent can write to the workspace, so no program starts in it.
    const child = spawn(program, args, { cwd: '/', env: { HOME, PATH, LANG }, detached: true });
    const end = (why: HookFailed) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has exited already.
      }
      reject(why);
    };
    const late = new HookFailed(`it gave no answer within ${hook.timeoutMs} ms`);
    const timer = setTimeout(() => end(late), hook.timeoutMs);
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let length = 0;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (piece: Buffer) => {
        length += piece.length;
        if (length > longestAnswer) end(new HookFailed(`it said more than ${longestAnswer} bytes`));
        else output[name].push(piece);
      });
    }
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new HookFailed(`it could not be started: ${messageOf(error)}`, { cause: error }));
    });
    child.once('close', (status, signal) => {
      clearTimeout(timer);
      if (status === null) return reject(new HookFailed(`it was ended by ${signal}`));
      try {
        const stdout = decodeUtf8(Buffer.concat(output.stdout));
        resolve({ status, stdout, stderr: Buffer.concat(output.stderr).toString('utf8') });
      } catch (error) {
        reject(error);
      }
    });
    // A program that does not read its input is not an error.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(input)}\n`);
  });
}

type HookedKind = 'tool' | 'prompt';

/**
 * The guards, preceded by the user's hook programs. INVARIANT: a kind that no guard judges is still refused: the
 * programs add to guards and replace none.
 */
export function withHooks(
  guards: readonly (AnyGuard | ListedGuard)[],
  hooks: readonly UserHook[],
): readonly (AnyGuard | ListedGuard)[] {
  const wanted: Readonly<Record<HookedKind, HookEvent>> = {
    tool: 'tool_call_pre',
    prompt: 'user_prompt_submit',
  };
  const kinds = (['tool', 'prompt'] as const).filter(
    (kind) =>
      guards.some((guard) => guard.kinds.includes(kind)) && hooks.some(({ event }) => event === wanted[kind]),
  );
  if (kinds.length === 0) return guards;
  // A decision may judge its action twice, once before the user's approval and once after it. The programs run once;
  // otherwise the action that runs could differ from the one that the user saw.
  const asked = new WeakMap<object, Promise<HookOutcome>>();
  const asking = {
    name: 'path',
    kinds,
    rules: [],
    async check(action: ActionOf<HookedKind>, { context }: { readonly context: Context }) {
      if (!isHooked(action)) return { facts: {}, findings: [], sideEffect: false };
      let outcome = asked.get(action);
      if (outcome === undefined) {
        outcome = runHooks(hooks, wanted[action.kind], subjectOf(action), context);
        asked.set(action, outcome);
      }
      return judgementOf(action, await outcome);
    },
  };
  // The compiler cannot infer the parameter of `check` from `kinds`; see guards/index.ts.
  return [asking as unknown as AnyGuard, ...guards];
}

/** A prompt is text that the user submits; files and tool results are not prompts. */
function isHooked(action: ActionOf<HookedKind>): boolean {
  return action.kind !== 'prompt' || action.origin === undefined || action.origin === 'user';
}

function subjectOf(action: ActionOf<HookedKind>): HookSubject {
  if (action.kind === 'prompt') return { prompt: action.text ?? '' };
  const { tool, server, justification } = action;
  return {
    tool,
    ...(server === undefined ? {} : { server }),
    ...(justification === undefined ? {} : { justification }),
    tool_input: action.arguments ?? {},
  };
}

function judgementOf(action: ActionOf<HookedKind>, outcome: HookOutcome): Judgement<Kind> {
  const { blocked, notes, prompt, input } = outcome;
  const findings: Finding[] = notes.map((note) => pathFinding(pathRules.hookNote, note));
  if (blocked !== null) {
    findings.push(pathFinding(blocked.failed ? pathRules.hookFailed : pathRules.hookBlocked, blocked.why));
  }
  const rewritten =
    action.kind === 'prompt'
      ? prompt === undefined
        ? action
        : { ...action, text: prompt }
      : input === undefined
        ? action
        : { ...action, arguments: input };
  if (rewritten !== action) findings.push(pathFinding(pathRules.hookRewrote));
  return { facts: {}, findings, sideEffect: false, ...(rewritten === action ? {} : { rewritten }) };
}

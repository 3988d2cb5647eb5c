// The agent of the tour: it asks as any agent does, through the daemon, a host's hook or the command line, and holds no
// more than an agent holds: a credential that may ask.

import { setTimeout as pause } from 'node:timers/promises';
import { decisions, isJsonObject, type JsonObject, SallyportError } from '../../core/index.ts';
import { choice, type Infer, list, object, readShape, text } from '../../core/shape.ts';
import type { ServedName } from '../../surfaces/http/routes.ts';
import { askDaemon, type DaemonAnswer } from '../client.ts';

/** A part of the tour did not answer as it must. */
export class TourBroken extends SallyportError {}

const findingShape = object({
  rule: text(),
  guard: text(),
  decision: choice([...decisions, 'warn']),
  message: text(),
});
const seenShape = object({ decision: choice(decisions), findings: list(findingShape), decisionId: text() });

/** What came back for one action. */
export interface Seen extends Infer<typeof seenShape> {
  readonly tookMs: number;
}

/** A verdict as the daemon gives it. */
export interface Verdict extends Seen {
  /** The action as it may run. */
  readonly action: JsonObject;
  /** The id of the question that a person is asked. */
  readonly approval: string | null;
}

/** How a hook answers its host: 2 stops the call. */
export interface Reply extends Seen {
  readonly exit: number;
}

export interface AgentParts {
  readonly socket: string;
  readonly token: string;
  readonly workspace: string;
  /** Calls a command of ours in the workspace, and gives the JSON that it prints. */
  readonly command: (args: readonly string[], good?: readonly number[]) => Promise<JsonObject>;
}

type CallTo = NonNullable<Parameters<typeof askDaemon>[2]>;

const host = 'claude';
const session = 'demo';
const patienceMs = 30_000;
/** How long a record may take, and how often it is looked for. */
const recordMs = 5000;
const lookEvery = 10;

export class Agent {
  readonly workspace: string;
  readonly command: AgentParts['command'];
  readonly #parts: AgentParts;
  readonly #known = new Set<string>();

  constructor(parts: AgentParts) {
    this.workspace = parts.workspace;
    this.command = parts.command;
    this.#parts = parts;
  }

  /** Asks for one verdict, and waits for approval so long where one must say yes. */
  async decide(action: JsonObject, waitSeconds = 0): Promise<Verdict> {
    const context = { agent: 'demo', session, workspace: this.workspace, mode: 'acceptEdits' };
    const start = performance.now();
    const options = { query: { wait: waitSeconds }, body: { ...action, context } };
    const said = await this.#ask('POST /v1/decide', options, waitSeconds * 1000);
    const tookMs = performance.now() - start;
    if (said.action === undefined) throw new TourBroken('a verdict came without its action');
    return { ...seenIn(said), tookMs, action: { ...said.action }, approval: said.approval?.id ?? null };
  }

  /** Calls the hook of a host at a moment of a tool's call. */
  async hook(event: 'PreToolUse' | 'PostToolUse', call: JsonObject): Promise<Reply> {
    const about = {
      hook_event_name: event,
      session_id: session,
      cwd: this.workspace,
      permission_mode: 'acceptEdits',
    };
    const start = performance.now();
    const options = { path: { host }, query: { event }, body: { ...about, ...call } };
    const { exit } = await this.#ask('POST /v1/hook/:host', options);
    const tookMs = performance.now() - start;
    if (exit === undefined) throw new TourBroken('a hook came without an exit code');
    return { ...(await this.#recorded({ agent: host })), tookMs, exit };
  }

  /** What the record holds of a decision. */
  recorded(decisionId: string): Promise<Infer<typeof seenShape>> {
    return this.#recorded({ decision_id: decisionId });
  }

  /** Tries to say yes to its own question; gives the status of the answer. */
  async sayYes(approval: string): Promise<{ readonly status: number; readonly tookMs: number }> {
    const start = performance.now();
    const options = { path: { id: approval }, body: { answer: 'approve' } };
    const { status } = await this.#send('POST /v1/approvals/:id/answer', options);
    return { status, tookMs: performance.now() - start };
  }

  /** The newest decision on record that was not seen before; one that only passed is written down a moment later. */
  async #recorded(about: Readonly<Record<string, string>>): Promise<Infer<typeof seenShape>> {
    for (const start = performance.now(); performance.now() - start < recordMs; await pause(lookEvery)) {
      const query = { event_type: 'decision', limit: 1, ...about };
      const [entry] = (await this.#ask('GET /v1/log', { query })).entries ?? [];
      if (entry === undefined) continue;
      const { decision, decision_id: decisionId, details } = entry;
      const seen = seenIn({ decision, decisionId, findings: details['findings'] ?? [] });
      if (this.#known.has(seen.decisionId)) continue;
      this.#known.add(seen.decisionId);
      return seen;
    }
    throw new TourBroken('nothing was recorded');
  }

  async #ask<R extends ServedName>(route: R, options: CallTo, moreMs = 0): Promise<DaemonAnswer<R>['body']> {
    const { status, body } = await this.#send(route, options, moreMs);
    if (status === 200) return body;
    throw new TourBroken(`the daemon answered with ${status}: ${body.error ?? ''}`);
  }

  async #send<R extends ServedName>(route: R, options: CallTo, moreMs = 0): Promise<DaemonAnswer<R>> {
    const { socket, token } = this.#parts;
    const timeoutMs = patienceMs + moreMs;
    const answer = await askDaemon(socket, route, { token, timeoutMs, ...options });
    if (answer === null) throw new TourBroken('the daemon does not answer');
    return answer;
  }
}

type Reported = { readonly [name in 'decision' | 'findings' | 'decisionId']?: unknown };

/** The parts of a verdict or of a record that the tour looks at. */
function seenIn({ decision, findings, decisionId }: Reported): Infer<typeof seenShape> {
  const shown = (Array.isArray(findings) ? findings : []).map((finding) => {
    const { rule, guard, decision: weight, message } = isJsonObject(finding) ? finding : {};
    return { rule, guard, decision: weight, message };
  });
  return readShape(seenShape, { decision, findings: shown, decisionId });
}

/** What a stop may do with the agent. */
export type Hands = Pick<Agent, keyof Agent>;

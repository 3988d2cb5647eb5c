// The agent of the tour: it asks as any agent does, through the daemon, a host's hook or the command line, and holds no
// more than an agent holds: a credential that may ask.

import { setTimeout as pause } from 'node:timers/promises';
import { decisions, isJsonObject, type JsonObject, SallyportError } from '../../core/index.ts';
import { choice, type Infer, list, object, readShape, text } from '../../core/shape.ts';
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

/** What a host is told by its hook: 2 stops the call. */
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

  /** Asks for one verdict, and waits for a person so long where one must say yes. */
  async decide(action: JsonObject, waitSeconds = 0): Promise<Verdict> {
    const context = { agent: 'demo', session, workspace: this.workspace, mode: 'acceptEdits' };
    const start = performance.now();
    const { body } = await this.#ask(
      `/v1/decide?wait=${waitSeconds}`,
      { ...action, context },
      waitSeconds * 1000,
    );
    const tookMs = performance.now() - start;
    const { action: judged, approval } = body;
    if (!isJsonObject(judged)) throw new TourBroken('a verdict came without its action');
    const id = isJsonObject(approval) ? approval['id'] : null;
    return { ...seenIn(body), tookMs, action: judged, approval: typeof id === 'string' ? id : null };
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
    const { body } = await this.#ask(`/v1/hook/${host}?event=${event}`, { ...about, ...call });
    const tookMs = performance.now() - start;
    const { exit } = body;
    if (typeof exit !== 'number') throw new TourBroken('a hook came without an exit code');
    return { ...(await this.#recorded(`agent=${host}`)), tookMs, exit };
  }

  /** What the record holds of a decision. */
  recorded(decisionId: string): Promise<Infer<typeof seenShape>> {
    return this.#recorded(`decision_id=${encodeURIComponent(decisionId)}`);
  }

  /** Tries to say yes to its own question; gives the status of the answer. */
  async sayYes(approval: string): Promise<{ readonly status: number; readonly tookMs: number }> {
    const start = performance.now();
    const { status } = await this.#send(`/v1/approvals/${approval}/answer`, { answer: 'approve' });
    return { status, tookMs: performance.now() - start };
  }

  /** The newest decision on record that was not seen before; one that only passed is written down a moment later. */
  async #recorded(query: string): Promise<Infer<typeof seenShape>> {
    for (const start = performance.now(); performance.now() - start < recordMs; await pause(lookEvery)) {
      const { body } = await this.#ask(`/v1/log?event_type=decision&limit=1&${query}`);
      const [entry] = Array.isArray(body['entries']) ? body['entries'] : [];
      if (!isJsonObject(entry) || !isJsonObject(entry['details'])) continue;
      const seen = seenIn({
        decision: entry['decision'] ?? '',
        decisionId: entry['decision_id'] ?? '',
        findings: entry['details']['findings'] ?? [],
      });
      if (this.#known.has(seen.decisionId)) continue;
      this.#known.add(seen.decisionId);
      return seen;
    }
    throw new TourBroken('nothing was recorded');
  }

  async #ask(path: string, body?: JsonObject, moreMs = 0): Promise<{ readonly body: JsonObject }> {
    const answer = await this.#send(path, body, moreMs);
    if (answer.status !== 200 || !isJsonObject(answer.body)) {
      const said = isJsonObject(answer.body) ? answer.body['error'] : '';
      throw new TourBroken(`the daemon answered with ${answer.status}: ${String(said)}`);
    }
    return { body: answer.body };
  }

  async #send(path: string, body?: JsonObject, moreMs = 0): Promise<DaemonAnswer> {
    const { socket, token } = this.#parts;
    const timeoutMs = patienceMs + moreMs;
    const answer = await askDaemon(socket, path, {
      token,
      timeoutMs,
      ...(body === undefined ? {} : { body }),
    });
    if (answer === null) throw new TourBroken('the daemon does not answer');
    return answer;
  }
}

/** The parts of a verdict or of a record that the tour looks at. */
function seenIn({ decision, findings, decisionId }: JsonObject): Infer<typeof seenShape> {
  const shown = (Array.isArray(findings) ? findings : []).map((finding) => {
    const { rule, guard, decision: weight, message } = isJsonObject(finding) ? finding : {};
    return { rule, guard, decision: weight, message };
  });
  return readShape(seenShape, { decision, findings: shown, decisionId });
}

/** What a stop may do with the agent. */
export type Hands = Pick<Agent, keyof Agent>;

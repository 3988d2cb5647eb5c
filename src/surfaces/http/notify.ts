// Tells a person who is elsewhere that a question waits: a signed webhook, Slack, ntfy, or a note on the desktop. Nothing
// is answered this way: an answer is signed in the console or at a terminal.

import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Config } from '../../config/index.ts';
import { consoleOrigin, isJsonObject, SallyportError, visible } from '../../core/index.ts';
import { plainSentence } from '../../guards/command/error.ts';
import type { Entry, Ledger } from '../../ledger/index.ts';
import type { Log } from './log.ts';

/** A message did not arrive. */
class NotTold extends SallyportError {}

type Notify = Config['notify'];

export interface NotifierOptions {
  readonly ledger: {
    readonly audit: Pick<Ledger['audit'], 'lastPlace' | 'list' | 'chain'>;
    readonly approvals: Pick<Ledger['approvals'], 'show'>;
  };
  readonly config: Notify;
  readonly now: () => number;
  readonly log: Log;
  /** The daemon's own port, for links. */
  readonly port: number;
  readonly lookEveryMs?: number;
}

/** What a person sees of a question: nothing that the log does not hold. */
export interface Notice {
  readonly event: 'question';
  readonly id: string;
  readonly agent: string;
  readonly workspace: string;
  /** What is asked, redacted and shortened. */
  readonly what: string;
  readonly why: readonly string[];
  readonly until: string;
  readonly link: string;
  readonly answer: string;
}

const lookEvery = 1000;
const sendTimeout = 10_000;
const mostTries = 3;
/** Most messages of one look; a person who gets more than that reads none of them. */
const mostAtOnce = 20;

export class Notifier {
  readonly #options: NotifierOptions;
  /** Questions that nobody was notified of yet, and since when they wait. */
  readonly #waiting = new Map<string, { readonly since: number; readonly decision: string }>();
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #at = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Whether any channel is configured. */
  static isWanted({ webhook, slack, ntfy, desktop }: Notify): boolean {
    return desktop || [webhook, slack, ntfy].some((place) => place !== '');
  }

  /** Starts looking for questions that are asked from now on. */
  async start(): Promise<void> {
    this.#at = await this.#options.ledger.audit.lastPlace();
    this.#timer = setInterval(() => {
      this.#look = this.#look.then(() => this.#once());
    }, this.#options.lookEveryMs ?? lookEvery);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
  }

  /** INVARIANT: never throws; a place that does not answer is in the daemon's log. */
  async #once(): Promise<void> {
    const { audit } = this.#options.ledger;
    try {
      await this.#collect();
      const due = this.#due();
      for (const [id, decisionId] of due.slice(0, mostAtOnce)) {
        const [decision] = await audit.list({ decisionId, eventType: 'decision', limit: 1 });
        // What was decided is written down after its question; the next look finds it.
        if (decision === undefined) continue;
        this.#waiting.delete(id);
        const notice = await this.#noticeOf(id, decision);
        if (notice !== null) await this.#tell(notice);
      }
    } catch (error) {
      this.#failed('notify', error);
    }
  }

  /** Notes the questions that were asked since the last look, by this daemon. */
  async #collect(): Promise<void> {
    const { audit } = this.#options.ledger;
    const entries = await audit.list({ eventType: 'approval_requested', after: this.#at, limit: 1000 });
    for (const { chain, time, place, decision_id: decision = '', details } of entries) {
      this.#at = Math.max(this.#at, place);
      // Another daemon of the same store tells of its own.
      if (chain !== audit.chain || typeof details['approval'] !== 'string') continue;
      this.#waiting.set(details['approval'], { since: time, decision });
    }
  }

  #due(): readonly (readonly [id: string, decision: string])[] {
    const { config, now } = this.#options;
    const before = now() - config.afterSeconds * 1000;
    return [...this.#waiting].flatMap(([id, { since, decision }]) =>
      since <= before ? [[id, decision] as const] : [],
    );
  }

  /** What a message says of a question; null once the question no longer waits. */
  async #noticeOf(id: string, decision: Entry): Promise<Notice | null> {
    const { ledger, now, config, port } = this.#options;
    const { state, agent, expiresAt } = await ledger.approvals.show(id, {}, now());
    if (state !== 'pending') return null;
    const { what, why, workspace } = saidBy(decision);
    const origin = config.link === '' ? consoleOrigin(port) : config.link.replace(/\/$/, '');
    return {
      event: 'question',
      ...{ id, agent: visible(agent, 60), workspace, what, why },
      until: new Date(expiresAt).toISOString(),
      link: `${origin}/#/approvals/${id}`,
      answer: `sallyport approve ${id}`,
    };
  }

  async #tell(notice: Notice): Promise<void> {
    const { config } = this.#options;
    const places = Object.entries(senders).filter(([name]) => config[name as keyof typeof senders]);
    await Promise.all(
      places.map(async ([name, send]) => {
        for (let times = 1; ; times++) {
          try {
            return await send(notice, config);
          } catch (error) {
            if (times >= mostTries) return this.#failed(`notify_${name}`, error);
            await new Promise((resolve) => setTimeout(resolve, times * 500).unref());
          }
        }
      }),
    );
  }

  #failed(what: string, error: unknown): void {
    this.#options.log('error', `${what}_failed`, { name: error instanceof Error ? error.name : 'unknown' });
  }
}

/** What the record of a decision says of it. */
function saidBy({ details }: Entry): Pick<Notice, 'what' | 'why' | 'workspace'> {
  const { kind, what, workspace, findings } = details;
  const asking = (Array.isArray(findings) ? findings : [])
    .filter(isJsonObject)
    .filter((finding) => finding['decision'] === 'approve');
  return {
    what: visible(typeof what === 'string' ? what : String(kind ?? 'an action'), 200),
    why: [...new Set(asking.map((finding) => visible(plainSentence(String(finding['message'])), 300)))].slice(
      0,
      5,
    ),
    workspace: typeof workspace === 'string' ? visible(workspace, 200) : '',
  };
}

/** A time of day in the zone of this machine, with the day. */
function localTime(time: string): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** The notice as a person reads it. */
function textOf({ agent, what, why, workspace, until, answer }: Notice): string {
  return [
    `${agent} asks: ${what}`,
    ...why,
    `In ${workspace}, until ${localTime(until)}. Answer: ${answer}`,
  ].join('\n');
}

type Send = (notice: Notice, config: Notify) => Promise<void>;

const senders: Readonly<Record<'webhook' | 'slack' | 'ntfy' | 'desktop', Send>> = {
  webhook: async (notice, { webhook, webhookSecret }) => {
    const body = JSON.stringify(notice);
    await post(webhook, body, { 'content-type': 'application/json', ...signatureOf(body, webhookSecret) });
  },
  slack: async (notice, { slack }) => {
    const escaped = textOf(notice).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const text = `${escaped}\n<${notice.link}|Look at it in the console>`;
    await post(slack, JSON.stringify({ text }), { 'content-type': 'application/json' });
  },
  ntfy: async (notice, { ntfy }) => {
    await post(ntfy, textOf(notice), { title: 'Sallyport: a question waits', click: notice.link });
  },
  // It appears where others may look on, so it does not say what is asked.
  desktop: async ({ agent }) => {
    const text = `${agent} waits for your answer`;
    const [program, args] =
      process.platform === 'darwin'
        ? [
            '/usr/bin/osascript',
            [
              '-e',
              'on run a',
              '-e',
              'display notification (item 1 of a) with title "Sallyport"',
              '-e',
              'end run',
              text,
            ],
          ]
        : ['notify-send', ['--app-name=Sallyport', 'Sallyport', text]];
    await new Promise<void>((resolve, reject) => {
      const child = spawn(program as string, args as string[], { stdio: 'ignore', timeout: sendTimeout });
      child.once('error', reject);
      child.once('close', (code) => (code === 0 ? resolve() : reject(new NotTold(`it ended with ${code}`))));
    });
  },
};

/** Proves to the receiver that the daemon sent this body, and when. */
function signatureOf(body: string, secret: string, at = Date.now()): Readonly<Record<string, string>> {
  if (secret === '') return {};
  const time = String(Math.floor(at / 1000));
  const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return { 'sallyport-timestamp': time, 'sallyport-signature': `sha256=${mac}` };
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(sendTimeout),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new NotTold(`the address answered ${answer.status}`);
}

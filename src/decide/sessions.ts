// The texts that each session read, in memory and bounded: a session that was evicted has to read them again.

import {
  type Action,
  attempt,
  type Context,
  isPending,
  lazily,
  type MaybePromise,
  type Origins,
  SallyportError,
  type SessionTexts,
  type World,
  whenReady,
} from '../core/index.ts';
import type { Elsewhere, Session, SharedText } from '../guards/tool/provenance-session.ts';
import type { Judged } from './judge.ts';
import { longestOnTheSpot, nextTurn } from './long.ts';

/** Sessions that are remembered; the least recently used is evicted first. */
const mostSessions = 500;

/** Loaded with the first text: a decision without one starts sooner. */
const loaded = lazily(() => import('../guards/tool/provenance-session.ts'));
type Loaded = typeof import('../guards/tool/provenance-session.ts');

/** Long texts are read on another thread, which is loaded with the first of them. */
const isolated = lazily(() => import('./isolated.ts'));
const elsewhere: Elsewhere = {
  longest: longestOnTheSpot,
  heard: async (text) => await isolated(({ heardIsolated }) => heardIsolated(text)),
  read: async (text, source) => await isolated(({ mentionsIsolated }) => mentionsIsolated(text, source)),
  turn: nextTurn,
};

/** Actions that are judged by the origin of their data, directly or in the actions inside them. */
const askingOrigins: ReadonlySet<Action['kind']> = new Set(['tool', 'response']);

/** Where the texts of a session are published to other daemons. */
export interface SharedTexts {
  of(context: Context): {
    hash(value: string): string;
    publish(text: SharedText, now: number): Promise<number>;
    since(place: number): Promise<{
      readonly texts: readonly { readonly place: number; readonly text: unknown }[];
      readonly cut: boolean;
    }>;
  };
}

/** A text of a session could not be published to other daemons; it is tried again before the next call of the session. */
class NotPublished extends SallyportError {}

/** A session, and how much of it other daemons have. */
interface Known {
  readonly session: Session;
  readonly log: ReturnType<SharedTexts['of']> | undefined;
  /** Publishes the unpublished part; throws `NotPublished`. */
  readonly flush: () => Promise<void>;
  /** Positions of texts that this daemon published. */
  readonly own: Set<number>;
  place: number;
}

/** The texts that sessions read, for the lifetime of the decider that judges for them. */
export class SessionMemory {
  readonly #world: Pick<World, 'now' | 'isolation'>;
  readonly #shared: SharedTexts | undefined;
  readonly #sessions = new Map<string, Known>();
  /** By session, the texts that are being processed. */
  readonly #taking = new Map<string, Promise<void>>();
  #broken: { readonly reason: unknown } | undefined;

  constructor(world: Pick<World, 'now' | 'isolation'>, shared?: SharedTexts) {
    this.#world = world;
    this.#shared = shared;
  }

  /** The facts about a session; null if it has read no text. */
  find(context: Context): Origins | null {
    return this.#sessions.size === 0 ? null : (this.#sessions.get(keyOf(context))?.session ?? null);
  }

  /** The session, which processes texts. */
  open(context: Context): MaybePromise<SessionTexts> {
    return whenReady(this.#open(context), ({ session }) => session);
  }

  #open(context: Context): MaybePromise<Known> {
    return loaded((made) => {
      const key = keyOf(context);
      const known = this.#sessions.get(key) ?? this.#new(made, context);
      this.#sessions.delete(key);
      this.#sessions.set(key, known);
      const [oldest] = this.#sessions.keys();
      if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
      return known;
    });
  }

  #new({ Session, sessionLimits }: Loaded, context: Context): Known {
    const { isolation } = this.#world;
    const now = () => this.#world.now();
    const log = this.#shared?.of(context);
    const own = new Set<number>();
    const unpublished: SharedText[] = [];
    let flushing: Promise<void> = Promise.resolve();
    const publishAll = async () => {
      try {
        for (let [text] = unpublished; text !== undefined; [text] = unpublished) {
          if (log !== undefined) own.add(await log.publish(text, now()));
          unpublished.shift();
        }
      } catch (cause) {
        throw new NotPublished('what the session read could not be shared with other daemons', { cause });
      }
    };
    const flush = () => {
      flushing = flushing.then(publishAll, publishAll);
      return flushing;
    };
    const sharing =
      log === undefined
        ? undefined
        : {
            hash: (value: string) => log.hash(value),
            publish: (text: SharedText) => {
              unpublished.push(text);
              return flush();
            },
          };
    const session = new Session(now, sessionLimits, isolation === undefined ? undefined : elsewhere, sharing);
    return { session, log, flush, own, place: 0 };
  }

  /** Imports what other daemons have published about a session since. */
  async #catchUp(context: Context): Promise<void> {
    await this.#taking.get(keyOf(context));
    const known = await this.#open(context);
    const { session, log, own } = known;
    await known.flush();
    const { texts, cut } = (await log?.since(known.place)) ?? { texts: [], cut: false };
    if (cut) session.forget();
    for (const { place, text } of texts) {
      // INVARIANT: sealed data in the store was published by a daemon that has its keys.
      if (place > known.place && !own.delete(place)) session.take(text as SharedText);
      known.place = Math.max(known.place, place);
    }
  }

  /**
   * Processes texts of the user or of an untrusted author; texts without an author, or the agent's own, count as
   * neither. An action that is judged by the origin of its data waits for texts of its session that are still being
   * processed.
   */
  remember(action: Action, context: Context): Promise<void> | undefined {
    if (this.#broken !== undefined) return Promise.reject(this.#broken.reason);
    if (askingOrigins.has(action.kind)) {
      if (this.#shared !== undefined) return this.#catchUp(context);
      return this.#taking.size === 0 ? undefined : this.#taking.get(keyOf(context));
    }
    if (action.kind !== 'prompt') return undefined;
    const { text, origin, name = '' } = action;
    if (text === undefined || origin === undefined || origin === 'agent') return undefined;
    return this.#take(context, (session) =>
      origin === 'user' ? session.heard(text) : session.read(text, { kind: origin, name }),
    );
  }

  /** Processes texts that a guard read out of a file. */
  read(texts: Judged['texts'], context: Context): Promise<void> | undefined {
    if (texts.length === 0) return undefined;
    return this.#take(context, async (session) => {
      for (const { text, source } of texts) await session.read(text, source);
    });
  }

  #take(context: Context, tell: (session: SessionTexts) => MaybePromise<void>): Promise<void> | undefined {
    const taking = attempt(
      () => whenReady(this.open(context), tell),
      (error) => Promise.reject(error),
    );
    if (!isPending(taking)) return undefined;
    const key = keyOf(context);
    const all = Promise.all([this.#taking.get(key), taking]).then(
      () => void (this.#taking.get(key) === all && this.#taking.delete(key)),
      (reason: unknown) => {
        // INVARIANT: after a text that could not be processed, the origin of data is unknown, and every action is
        // refused.
        if (!(reason instanceof NotPublished)) this.#broken ??= { reason };
        else if (this.#taking.get(key) === all) this.#taking.delete(key);
        throw reason;
      },
    );
    this.#taking.set(key, all);
    return all;
  }
}

/** INVARIANT: nothing that a model writes is part of it. */
function keyOf({ tenant, user, agent, session }: Context): string {
  return JSON.stringify([tenant, user, agent, session]);
}

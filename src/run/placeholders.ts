// Reversible placeholders: the user's personal data is sent to the model as `<redacted:email:k3f9-1>`, the same value
// always as the same placeholder, and is restored if the model uses it in its answer. In memory, per session.

import { randomInt } from 'node:crypto';
import { type Context, isJsonObject, type JsonValue } from '../core/index.ts';
import { builtin, scan } from '../detect/index.ts';

/** The guard's replacement for a match. */
const plain = /<redacted:([a-z0-9-]+)>/g;
/** Kinds that are secrets although their pack is not: they are never restored. */
const secret = /token|key|secret|password|jwt|credential/;
/** Characters that would break the JSON string of an argument. */
const safe = /^[^"\\\u0000-\u001f]{4,200}$/;

const mostSessions = 1000;
const mostValues = 500;
const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The values of one session. */
export class Vault {
  /** No page can know it, so no page can write a placeholder that is restored. */
  readonly #nonce = Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('');
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /**
   * The redacted form of a text, with the placeholders of this session. Only the user's texts create new ones; other
   * texts use those that the user's texts created.
   */
  shown(original: string, redacted: string, isOfUser: boolean): string {
    if (original === redacted || !redacted.includes('<redacted:')) return redacted;
    const finds = scan(original, builtin('pii'));
    let [result, at, place] = ['', 0, 0];
    for (const match of redacted.matchAll(plain)) {
      const before = redacted.slice(at, match.index);
      const start = place + before.length;
      const kind = match[1] ?? '';
      const find = finds.find((one) => one.start === start && one.kind === kind);
      // If the two texts cannot be aligned any more, the rest stays as the guard wrote it.
      if (!original.startsWith(before, place) || find === undefined) return result + redacted.slice(at);
      result +=
        before + this.#placeholderFor(original.slice(start, find.end), match[0], isOfUser ? kind : undefined);
      at = match.index + match[0].length;
      place = find.end;
    }
    return result + redacted.slice(at);
  }

  /** A text with every known value redacted again, when it is repeated in the conversation. */
  hide(text: string): string {
    let result = text;
    for (const [value, placeholder] of this.#placeholders) {
      if (result.includes(value)) result = result.replaceAll(value, placeholder);
    }
    return result;
  }

  /** A text with every placeholder of this session replaced by its value. */
  restore(text: string): string {
    if (!text.includes(this.#nonce)) return text;
    return text.replace(/<redacted:[a-z0-9-]+:[a-z0-9]+-\d+>/g, (found) => this.#values.get(found) ?? found);
  }

  /** `kind` is undefined if the value must not be stored. */
  #placeholderFor(value: string, usual: string, kind: string | undefined): string {
    const known = this.#placeholders.get(value);
    if (known !== undefined) return known;
    if (kind === undefined || secret.test(kind) || !safe.test(value) || this.#values.size >= mostValues)
      return usual;
    const made = `<redacted:${kind}:${this.#nonce}-${this.#values.size + 1}>`;
    this.#placeholders.set(value, made);
    this.#values.set(made, value);
    return made;
  }
}

/** The vaults of all sessions; the least recently used one is evicted first. */
export class Vaults {
  readonly #vaults = new Map<string, Vault>();

  /** INVARIANT: no other tenant, user, agent or session gets the same vault. */
  of({ tenant, user, agent, session }: Context): Vault {
    const key = JSON.stringify([tenant, user, agent, session]);
    const vault = this.#vaults.get(key) ?? new Vault();
    this.#vaults.delete(key);
    this.#vaults.set(key, vault);
    const [oldest] = this.#vaults.keys();
    if (this.#vaults.size > mostSessions && oldest !== undefined) this.#vaults.delete(oldest);
    return vault;
  }
}

/** The beginning of a placeholder at the end of a chunk of a stream. */
const begun =
  /<(?:r(?:e(?:d(?:a(?:c(?:t(?:e(?:d(?::(?:[a-z0-9-]{0,40}(?::[a-z0-9]{0,12}(?:-\d{0,6})?)?)?)?)?)?)?)?)?)?)?)?$/;

/** Restores values in the chunks of a stream, wherever a placeholder is split. */
export class PieceRestorer {
  readonly #vault: Vault;
  readonly #held = new Map<string, string>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The part of a channel that can be judged now. A model's reasoning is signed, and stays unchanged. */
  push(channel: string, piece: string): string {
    if (this.#vault.isEmpty || isThought(channel)) return piece;
    const text = (this.#held.get(channel) ?? '') + piece;
    const cut = begun.exec(text)?.index ?? text.length;
    this.#held.set(channel, text.slice(cut));
    return this.#vault.restore(text.slice(0, cut));
  }

  /** The buffered rest of a channel that ends. */
  rest(channel: string): string {
    const held = this.#held.get(channel) ?? '';
    this.#held.delete(channel);
    return held;
  }

  whole(text: string): string {
    return this.#vault.restore(text);
  }

  hide(text: string): string {
    return this.#vault.hide(text);
  }
}

function isThought(channel: string): boolean {
  return /think|thought|reason|signature/i.test(channel);
}

/** A JSON value with every value restored; a model's reasoning stays unchanged. */
export function restoredIn(value: JsonValue, vault: Vault): JsonValue {
  if (vault.isEmpty) return value;
  if (typeof value === 'string') return vault.restore(value);
  if (Array.isArray(value)) return value.map((member) => restoredIn(member, vault));
  if (!isJsonObject(value)) return value;
  if (/^(?:redacted_)?thinking$|^compaction$/.test(String(value['type'])) || value['thought'] === true)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restoredIn(member, vault)]));
}

// What a text contains: secrets and personal data, in one piece or as it flows.

import type { Where } from './checks/check.ts';
import { paths } from './packs/paths.ts';
import { pii } from './packs/pii.ts';
import { secrets } from './packs/secrets.ts';
import type { CompiledRule, Match } from './rule.ts';
import { createRuleset, type Ruleset } from './ruleset.ts';
import { Scanner, type Sink } from './scanner.ts';

// ── Redacts text as it flows. INVARIANT: for every way of cutting the input into pieces, the outputs put together are
// what the whole input in one piece gives, and none of them holds a unit of a find.

export interface RedactorOptions {
  /** `block` stops the text at the first find: nothing comes out from there on. */
  readonly mode?: 'redact' | 'block';
  readonly placeholder?: (match: Match) => string;
  readonly where?: Where;
}

export interface Redactor {
  /** Takes a piece, as text or as UTF-8 cut anywhere; gives what is safe to forward. */
  push(piece: string | Uint8Array): string;
  /** The end of the text: gives the rest. */
  flush(): string;
  readonly matches: readonly Match[];
  /** Nothing is let out any more: a find in `block` mode, or a long value that did not end. */
  readonly blocked: boolean;
}

/** What stands in place of a find. */
export function placeholderOf({ kind, pack }: Match): string {
  return pack === 'pii' ? `<redacted:${kind}>` : `[REDACTED:${kind}]`;
}

/** Opens a stream through the rules. */
export function createRedactor(ruleset: Ruleset, options: RedactorOptions = {}): Redactor {
  const { mode = 'redact', placeholder = placeholderOf, where = {} } = options;
  const scanner = new Scanner(ruleset, where);
  const matches: Match[] = [];
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let output = '';
  let blocked = false;
  let state: 'open' | 'failed' | 'closed' = 'open';

  const sink: Sink = {
    text(from, to) {
      if (from >= scanner.overranAt) blocked = true;
      if (!blocked) output += scanner.slice(from, to);
    },
    match(match) {
      matches.push(match);
      if (mode === 'block' || match.start >= scanner.overranAt) blocked = true;
      if (!blocked) output += placeholder(match);
    },
  };

  const read = (text: string, last: boolean): string => {
    if (state !== 'open') throw new Error(`the redactor is ${state}: nothing may follow`);
    output = '';
    try {
      scanner.push(text, last, sink);
    } catch (error) {
      // What was not judged is not let out, now or later.
      state = 'failed';
      throw error;
    }
    if (last) state = 'closed';
    return output;
  };

  return {
    push(piece) {
      if (typeof piece !== 'string') {
        decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
        return read(decoder.decode(piece, { stream: true }), false);
      }
      const rest = decoder?.decode() ?? '';
      decoder = undefined;
      return read(rest + piece, false);
    },
    flush() {
      const rest = decoder?.decode() ?? '';
      decoder = undefined;
      return read(rest, true);
    },
    matches,
    get blocked() {
      return blocked;
    },
  };
}

// ── The packs that come with the product, prebuilt from rules/ by `npm run rules`.

export type BuiltinPack = 'secrets' | 'pii' | 'paths';

const packs: Readonly<Record<BuiltinPack, readonly CompiledRule[]>> = { secrets, pii, paths };
const ready = new Map<string, Ruleset>();

/** The built-in rules of one or more packs, made ready when first asked for. */
export function builtin(...names: readonly BuiltinPack[]): Ruleset {
  const key = names.join();
  let ruleset = ready.get(key);
  if (ruleset === undefined) {
    ruleset = createRuleset(names.flatMap((name) => packs[name]));
    ready.set(key, ruleset);
  }
  return ruleset;
}

export type { Where } from './checks/check.ts';
export type { CompiledRule, Match, RuleSource } from './rule.ts';
export { createRuleset, type Ruleset } from './ruleset.ts';
export { Scanner, type Sink } from './scanner.ts';

// ── A text in one piece

/** Everything that the rules find in a text, in order; what overlaps is one find. */
export function scan(text: string, ruleset: Ruleset, where: Where = {}): Match[] {
  const matches: Match[] = [];
  new Scanner(ruleset, where).push(text, true, {
    text: () => {},
    match: (match) => matches.push(match),
  });
  return matches;
}

/** The text with a placeholder for everything that the rules find. */
export function redact(
  text: string,
  ruleset: Ruleset,
  options: Omit<RedactorOptions, 'mode'> = {},
): { readonly text: string; readonly matches: readonly Match[] } {
  const redactor = createRedactor(ruleset, options);
  const redacted = redactor.push(text) + redactor.flush();
  return { text: redacted, matches: redactor.matches };
}

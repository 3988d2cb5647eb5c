// What a scan needs of the room of detection: a scanner for each file, and a look at everything for what is shown.

import {
  type CompiledRule,
  createRuleset,
  type Match,
  placeholderOf,
  type Ruleset,
  Scanner,
  type Sink,
  scan,
} from '../../detect/index.ts';
import { pii } from '../../detect/packs/pii.ts';
import { secrets } from '../../detect/packs/secrets.ts';

export const kindChoices = ['all', 'secrets', 'pii'] as const;

/** What is looked for; plain data, so that it can be handed to a thread. */
export interface EngineOptions {
  readonly kinds: (typeof kindChoices)[number];
  /** Also what stands in many texts without harm: e-mail addresses, phone numbers, addresses of machines. */
  readonly everyday: boolean;
  /** The user's own rules, which are looked for whatever else is. */
  readonly own: readonly CompiledRule[];
}

export interface Engine {
  /** The rules that are looked for. */
  readonly rules: ReadonlyMap<string, CompiledRule>;
  /** Opens a text; the sink hears what is settled of it, in order. */
  open(path: string, sink: Sink): (piece: string, last: boolean) => void;
  /** What a text contains of any pack, everyday or not. */
  everything(text: string): readonly Match[];
  placeholder(match: Match): string;
}

/** The rules that are looked for. */
export function rulesFor({ kinds, everyday, own }: EngineOptions): readonly CompiledRule[] {
  const rules = [...own, ...(kinds === 'pii' ? [] : secrets), ...(kinds === 'secrets' ? [] : pii)];
  return everyday ? rules : rules.filter(({ common }) => common !== true);
}

export function createEngine(options: EngineOptions): Engine {
  const rules = rulesFor(options);
  const ruleset = createRuleset(rules);
  // Made ready with the first finding, and not before: most scans find nothing.
  let everyRule: Ruleset | undefined;
  return {
    rules: new Map(rules.map((rule) => [rule.id, rule])),
    open: (path, sink) => {
      const scanner = new Scanner(ruleset, { path });
      return (piece, last) => scanner.push(piece, last, sink);
    },
    everything: (text) => {
      everyRule ??= createRuleset(rulesFor({ ...options, kinds: 'all', everyday: true }));
      return scan(text, everyRule);
    },
    placeholder: placeholderOf,
  };
}

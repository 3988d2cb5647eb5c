// A detection rule as its author writes it, and as the scanner runs it.

export type PackName = 'secrets' | 'pii' | 'paths' | 'guidelines' | 'user';

/** A rule as it stands in a pack; `docs/detect.md` explains each field. */
export interface RuleSource {
  readonly id: string;
  readonly name: string;
  /** What the placeholder says. */
  readonly kind: string;
  readonly keywords?: readonly string[];
  readonly anchor?: 'digit';
  readonly pattern?: string;
  readonly assigned?: readonly string[];
  readonly value?: string;
  /** No boundaries are added to the pattern. */
  readonly loose?: boolean;
  readonly check?: readonly string[];
  readonly entropy?: number;
  /** Patterns over the secret; where one matches, it is no finding. */
  readonly allow?: readonly string[];
  readonly near?: readonly string[];
  readonly within?: number;
  readonly gate?: readonly string[];
  readonly swallow?: 'pem';
  readonly common?: boolean;
  readonly path?: string;
  readonly examples: { readonly hit: readonly string[]; readonly miss: readonly string[] };
}

/** A rule with its patterns translated, as packs are stored. */
export interface CompiledRule {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly pack: PackName;
  /** Where to look: any of these words, in lower case; none for a rule that starts at digits. */
  readonly keywords: readonly string[];
  /** For a rule that starts at digits: how long the first run of digits may be, up to `longestRun`. */
  readonly runs?: readonly number[];
  /** For each of these, the class of what may come after the run. */
  readonly follows?: readonly string[];
  /** The class of what stands right before the keyword or first digit, where something must. */
  readonly after?: string;
  /** After the keyword an assignment follows. */
  readonly assigned?: boolean;
  /** Tried at the keyword. The secret is what its groups catch, from the first to the last. */
  readonly source: string;
  /** Matches at the keyword as long as more text could change what `source` finds. */
  readonly partial: string;
  /** The most units from the keyword on that decide. */
  readonly reach: number;
  /** The secret begins no earlier than this many units after the keyword; -1: where the first group begins. */
  readonly hold: number;
  /** The keyword, or a part of it, may belong to the secret. */
  readonly opens?: boolean;
  /** A match may begin inside a word. */
  readonly anywhere?: boolean;
  /** The pattern is looked for from the keyword on, not only at it. */
  readonly search?: boolean;
  /** The class and most units of what stands before the keyword and belongs to the secret. */
  readonly lead?: { readonly units: string; readonly max: number };
  /** The class that goes on after a secret whose head has been decided. */
  readonly tail?: string;
  readonly swallow?: 'pem';
  readonly check?: readonly string[];
  readonly entropy?: number;
  readonly allow?: readonly string[];
  /** Of these, one that applies makes a value no finding. */
  readonly allowlists?: readonly Allowlist[];
  readonly near?: readonly string[];
  readonly within?: number;
  readonly gate?: readonly string[];
  readonly common?: boolean;
  readonly path?: string;
}

/** Values that are no finding, in the form that gitleaks' files have them. */
export interface Allowlist {
  /** Every kind of condition must hold; otherwise one is enough. */
  readonly all?: boolean;
  readonly paths?: readonly string[];
  readonly regexes?: readonly string[];
  /** The patterns see the text of the line before the secret, too. */
  readonly withLeft?: boolean;
  /** In lower case; one of them in the secret, in any case. */
  readonly stopwords?: readonly string[];
}

/** Runs of digits longer than this are one class. */
export const longestRun = 40;
/** What a validator sees of a secret, and what decides about it. */
export const headLimit = 160;
/** What a validator sees to the left of a secret. */
export const leftLimit = 96;

/** What a user's rule may look at before its keyword. */
export const userLead = 400;

/** Something that a text contains. Offsets are UTF-16 units. */
export interface Match {
  readonly rule: string;
  readonly kind: string;
  readonly pack: PackName;
  readonly start: number;
  readonly end: number;
}

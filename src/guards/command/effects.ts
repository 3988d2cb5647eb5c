// What a command does, in one vocabulary for every language: effects with their targets, and how data flows.

import type { EffectKind } from '../../core/effect.ts';

/** A text as far as it can be known without running anything. */
export type Value =
  | { readonly kind: 'literal'; readonly text: string }
  /** One of a few (at most 16). */
  | { readonly kind: 'choice'; readonly texts: readonly string[] }
  /** Begins with this; the rest is not known. */
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'unknown' };

/** Where data came from, as far as that matters to a judgement. */
export type Origin =
  /** A file or variable that holds secrets. */
  | 'secret'
  /** A host elsewhere. */
  | 'network'
  /** A file that this same script wrote; what it wrote is part of the script. */
  | 'written'
  /** Something that could not be followed. */
  | 'unknown';

export type { EffectKind };

export type Target =
  | {
      readonly kind: 'path';
      /** Absolute, or relative to the folder that the command runs in; `~` expanded where HOME is known. */
      readonly path: Value;
      /** A pattern of names stands in it, so it may be many. */
      readonly glob?: boolean;
    }
  | { readonly kind: 'host'; readonly host: Value }
  | { readonly kind: 'name'; readonly name: Value }
  | { readonly kind: 'none' };

/** What a write puts into its file: what another file holds (`-`: what comes in), or a text. */
export type Content =
  | { readonly kind: 'file'; readonly path: Value }
  | { readonly kind: 'text'; readonly text: Value };

/** One thing that a command would do. */
export interface Effect {
  readonly kind: EffectKind;
  readonly target: Target;
  readonly detail?: string;
  readonly recursive?: boolean;
  readonly force?: boolean;
  /** It can be made again by a rebuild or taken back by the tool itself (trash, stash). */
  readonly reversible?: boolean;
  /** Where the data that is sent, written or run came from. */
  readonly origins?: readonly Origin[];
  /** Where a request of a script goes that could be to the guard's own daemon; a star is a part that is not known. */
  readonly addresses?: readonly string[];
  /** What is written, as the program is told; absent where that is of its own making. */
  readonly content?: Content;
  /** The program that has the effect, by its base name, and the wrappers around it, outermost first. */
  readonly program: string;
  readonly through: readonly string[];
  /** UTF-16 offsets in the source of the action: the segment that has the effect. */
  readonly span: readonly [number, number];
}

/** One program that would be started: for the rules about which commands and flags there may be. */
export interface Invocation {
  /** Base name; null where it could not be known. */
  readonly program: string | null;
  /** As written, with its path. */
  readonly given: Value;
  readonly args: readonly Value[];
  readonly through: readonly string[];
  readonly span: readonly [number, number];
  /** A shell builtin, or a function or alias of the script itself. */
  readonly builtin: boolean;
  /** `given`: the script itself says what it reads. */
  readonly input?: 'given';
  /** `piped`: another program of the script reads what it prints. */
  readonly output?: 'piped';
}

/** What is known about a piece of code. */
export interface Facts {
  readonly effects: readonly Effect[];
  readonly invocations: readonly Invocation[];
  /** What could not be followed, each with its place: asks, never passes. */
  readonly unknowns: readonly { readonly what: string; readonly span: readonly [number, number] }[];
  /** Errors of the parser. */
  readonly errors: readonly string[];
  /** Files that the code wrote, with what then stands in them; null where that is not known. */
  readonly files?: ReadonlyMap<string, string | null>;
}

/** What an analysis may know of its surroundings. */
export interface Surroundings {
  /** Absolute folder in which the code runs. */
  readonly cwd: string;
  readonly home: string | null;
  /** Budget: throws `BudgetExceeded` when spent. */
  readonly spend: (steps: number) => void;
}

/** Code in each language, as facts; null where the language's parser is not loaded. */
export interface Languages {
  readonly shell: (text: string, surroundings: Surroundings) => Facts;
  readonly python: (text: string, surroundings: Surroundings) => Facts | null;
  readonly javascript: (text: string, surroundings: Surroundings) => Facts | null;
}

// The small language that TypeScript, Python and Go are lowered to, so that the analysis is written once: sequence,
// branch, loop, try, call, return, await, callback. Names are resolved to variables here already.

import type { Language } from './languages.ts';

/** UTF-16 offset of a node in its file. */
type At = number;

export type Variable = number;

export type Constant = string | number | boolean | null | undefined;

export interface Argument {
  readonly value: Expression;
  /** A keyword argument of Python. */
  readonly name?: string;
  /** `...list`, `*list` or `**record`. */
  readonly spread?: boolean;
  /** The address of a variable: what is called may put something into it. */
  readonly filled?: boolean;
}

export interface Entry {
  /** Null where the key is computed or the value is spread. */
  readonly key: string | null;
  readonly value: Expression;
  readonly spread: boolean;
}

export type Member = {
  readonly kind: 'member';
  readonly object: Expression;
  /** Null where the key is computed. */
  readonly property: string | null;
  readonly key?: Expression;
  readonly at: At;
};

export type Call = {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly arguments: readonly Argument[];
  readonly at: At;
  readonly end: At;
};

export type Expression =
  | { readonly kind: 'constant'; readonly value: Constant; readonly at: At }
  | { readonly kind: 'variable'; readonly variable: Variable; readonly name: string; readonly at: At }
  /** A name that the file does not bind. */
  | { readonly kind: 'global'; readonly name: string; readonly at: At }
  | { readonly kind: 'this'; readonly at: At }
  | Member
  | Call
  | { readonly kind: 'await'; readonly value: Expression; readonly at: At }
  | { readonly kind: 'function'; readonly function: Callable; readonly at: At }
  | { readonly kind: 'class'; readonly class: ClassShape; readonly at: At }
  | {
      readonly kind: 'object';
      readonly entries: readonly Entry[];
      /** Its type, in Go: the record has the methods of that. */
      readonly class?: Expression;
      readonly at: At;
    }
  | {
      readonly kind: 'list';
      readonly items: readonly { readonly value: Expression; readonly spread: boolean }[];
      readonly at: At;
    }
  /** Texts and numbers made of others. */
  | { readonly kind: 'mix'; readonly parts: readonly Expression[]; readonly at: At }
  | {
      readonly kind: 'logic';
      readonly operator: 'and' | 'or' | 'nullish';
      readonly left: Expression;
      readonly right: Expression;
      readonly at: At;
    }
  | { readonly kind: 'not'; readonly value: Expression; readonly at: At }
  | {
      readonly kind: 'compare';
      readonly operator: 'equal' | 'unequal' | 'in' | 'not in' | 'order';
      readonly left: Expression;
      readonly right: Expression;
      readonly at: At;
    }
  | {
      readonly kind: 'choice';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
      readonly at: At;
    }
  | {
      readonly kind: 'assign';
      readonly target: Pattern;
      readonly value: Expression;
      /** The old value goes into the new one. */
      readonly adds: boolean;
      readonly at: At;
    }
  | { readonly kind: 'yield'; readonly value: Expression; readonly all: boolean; readonly at: At };

export type Pattern =
  | { readonly kind: 'variable'; readonly variable: Variable; readonly name: string; readonly at: At }
  | Member
  | {
      readonly kind: 'fields';
      readonly fields: readonly {
        readonly key: string | null;
        readonly target: Pattern;
        readonly fallback?: Expression;
      }[];
      readonly rest?: Pattern;
      readonly at: At;
    }
  | {
      readonly kind: 'items';
      readonly items: readonly (Pattern | null)[];
      readonly rest?: Pattern;
      /** The results of one call in Go: what is not known as a list is the first of them. */
      readonly tuple?: boolean;
      readonly at: At;
    };

export type Block = readonly Statement[];

export type Statement =
  | { readonly kind: 'do'; readonly value: Expression; readonly at: At }
  | { readonly kind: 'let'; readonly target: Pattern; readonly value: Expression | null; readonly at: At }
  | { readonly kind: 'return'; readonly value: Expression | null; readonly at: At }
  | { readonly kind: 'throw'; readonly value: Expression | null; readonly at: At }
  | {
      readonly kind: 'branch';
      readonly test: Expression;
      readonly yes: Block;
      readonly no: Block;
      readonly at: At;
    }
  /** One arm is taken, and the next ones too where it falls through. */
  | {
      readonly kind: 'switch';
      readonly value: Expression;
      readonly arms: readonly { readonly test: Expression | null; readonly body: Block }[];
      readonly at: At;
    }
  | {
      readonly kind: 'while';
      readonly test: Expression;
      readonly body: Block;
      readonly update: Expression | null;
      /** The body runs once before the test. */
      readonly first: boolean;
      readonly at: At;
    }
  | {
      readonly kind: 'each';
      readonly target: Pattern;
      readonly over: Expression;
      readonly body: Block;
      /** The loop waits for each item, as for the pieces of a stream. */
      readonly waits: boolean;
      readonly at: At;
    }
  | {
      readonly kind: 'try';
      readonly body: Block;
      readonly error: Pattern | null;
      readonly handler: Block | null;
      readonly last: Block;
      readonly at: At;
    }
  | { readonly kind: 'break' | 'continue'; readonly at: At };

export interface Parameter {
  readonly target: Pattern;
  readonly name: string;
  readonly fallback?: Expression;
  /** The name of its type, as far as it is one. */
  readonly type?: Expression;
  /** By its type it holds no text. */
  readonly plain?: boolean;
  readonly rest: boolean;
}

/** Something that can be called. */
export interface Callable {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: Block;
  readonly async: boolean;
  readonly yields: boolean;
  readonly decorators: readonly Expression[];
  readonly at: At;
  readonly end: At;
  /** The class that it is a method of. */
  class?: ClassShape;
  readonly static?: boolean;
  module: Module;
}

export interface ClassShape {
  readonly name: string;
  readonly base: Expression | null;
  readonly methods: ReadonlyMap<string, Callable>;
  readonly fields: readonly {
    readonly name: string;
    readonly value: Expression | null;
    readonly type?: Expression;
    readonly static: boolean;
  }[];
  readonly at: At;
}

export interface Import {
  readonly variable: Variable;
  readonly from: string;
  /** `*` is the module itself. */
  readonly name: string;
}

/** Where a name that a module offers comes from. */
export type Offer =
  | { readonly variable: Variable }
  | { readonly value: Expression }
  | { readonly from: string; readonly name: string };

export interface Module {
  /** From the root of the audit, with slashes. */
  readonly path: string;
  readonly language: Language;
  readonly source: string;
  readonly body: Block;
  readonly imports: readonly Import[];
  readonly offers: ReadonlyMap<string, Offer>;
  /** All names that it has at its top. */
  readonly names: ReadonlyMap<string, Variable>;
  /** Modules all of whose names it offers too. */
  readonly stars: readonly string[];
  readonly callables: readonly Callable[];
  readonly comments: readonly { readonly text: string; readonly at: At }[];
  /** What could not be read. */
  readonly broken: readonly { readonly message: string; readonly at: At }[];
}

/** Numbers for variables, unique in one audit. */
export interface Counter {
  next: number;
}

/** Two names that differ in case and underscores alone are one. */
export function folded(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

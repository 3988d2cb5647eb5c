// The little language that Python and JavaScript are brought down to, so that one machine can follow both.

import type { Thing } from './things.ts';

export type Span = readonly [number, number];

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | null;
  /** Takes the rest: of the positions or of the names. */
  readonly rest: 'positions' | 'names' | null;
  /** A pattern to take the argument apart with. */
  readonly pattern: Pattern | null;
}

export interface FunctionCode {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  /** How the receiver is handed over: as the first parameter, as `this`, as the `this` around it, or not at all. */
  readonly receiver: 'first' | 'this' | 'around' | 'none';
  readonly span: Span;
}

export type Pattern =
  | { readonly form: 'name'; readonly name: string; readonly declares: boolean }
  | { readonly form: 'list'; readonly items: readonly (Pattern | null)[]; readonly rest: number | null }
  | { readonly form: 'map'; readonly items: readonly { readonly key: Expression; readonly to: Pattern }[] }
  | { readonly form: 'fallback'; readonly to: Pattern; readonly value: Expression }
  | { readonly form: 'attribute'; readonly object: Expression; readonly name: string }
  | { readonly form: 'item'; readonly object: Expression; readonly key: Expression };

export interface Argument {
  readonly value: Expression;
  readonly name: string | null;
  readonly spread: 'positions' | 'names' | null;
}

export type Expression =
  | { readonly form: 'constant'; readonly thing: Thing }
  | { readonly form: 'name'; readonly name: string }
  | { readonly form: 'attribute'; readonly object: Expression; readonly name: string }
  | { readonly form: 'item'; readonly object: Expression; readonly key: Expression }
  | {
      readonly form: 'slice';
      readonly object: Expression;
      readonly bounds: readonly (Expression | null)[];
    }
  | {
      readonly form: 'call';
      readonly callee: Expression;
      readonly args: readonly Argument[];
      readonly creates: boolean;
      readonly span: Span;
    }
  | {
      readonly form: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly form: 'logic';
      readonly operator: 'and' | 'or' | 'else';
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly form: 'unary'; readonly operator: string; readonly value: Expression }
  | {
      readonly form: 'choice';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly form: 'list'; readonly items: readonly Argument[] }
  | {
      readonly form: 'map';
      readonly items: readonly { readonly key: Expression | null; readonly value: Expression }[];
    }
  | { readonly form: 'function'; readonly code: FunctionCode }
  /** Texts and values one after the other. */
  | { readonly form: 'template'; readonly parts: readonly Expression[]; readonly bytes: boolean }
  | {
      readonly form: 'comprehension';
      readonly shape: 'list' | 'map';
      readonly clauses: readonly (
        | { readonly to: Pattern; readonly of: Expression }
        | { readonly test: Expression }
      )[];
      readonly key: Expression | null;
      readonly value: Expression;
    }
  | { readonly form: 'assign'; readonly to: Pattern; readonly value: Expression }
  | { readonly form: 'class'; readonly code: ClassCode }
  | { readonly form: 'yield'; readonly value: Expression | null; readonly all: boolean }
  /** Everything is evaluated; the last is the value. */
  | { readonly form: 'sequence'; readonly items: readonly Expression[] };

export interface ClassCode {
  readonly name: string;
  readonly bases: readonly Expression[];
  readonly body: readonly Statement[];
}

export type Statement =
  | { readonly form: 'expression'; readonly value: Expression }
  | { readonly form: 'assign'; readonly to: readonly Pattern[]; readonly value: Expression }
  | {
      readonly form: 'if';
      readonly test: Expression;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[];
    }
  | {
      readonly form: 'while';
      readonly test: Expression;
      readonly body: readonly Statement[];
      /** Runs after every round. */
      readonly step: Expression | null;
      readonly otherwise: readonly Statement[];
      readonly span: Span;
    }
  | {
      readonly form: 'for';
      readonly to: Pattern;
      readonly of: Expression;
      /** Goes over the keys instead of the items. */
      readonly keys: boolean;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly form: 'try';
      readonly body: readonly Statement[];
      readonly handlers: readonly { readonly name: string | null; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
      readonly last: readonly Statement[];
    }
  | {
      readonly form: 'with';
      readonly items: readonly { readonly value: Expression; readonly to: Pattern | null }[];
      readonly body: readonly Statement[];
    }
  | { readonly form: 'block'; readonly body: readonly Statement[] }
  | {
      readonly form: 'cases';
      readonly subject: Expression;
      readonly cases: readonly (readonly Statement[])[];
    }
  | { readonly form: 'return'; readonly value: Expression | null }
  | { readonly form: 'raise'; readonly value: Expression | null }
  | { readonly form: 'break' }
  | { readonly form: 'continue' }
  | { readonly form: 'function'; readonly code: FunctionCode; readonly decorators: readonly Expression[] }
  | { readonly form: 'class'; readonly code: ClassCode; readonly decorators: readonly Expression[] }
  | { readonly form: 'outer'; readonly names: readonly string[]; readonly top: boolean }
  | { readonly form: 'wildcard'; readonly library: string }
  /** A library is brought in, by its full name. */
  | { readonly form: 'import'; readonly library: string; readonly to: Pattern | null; readonly span: Span };

/** A whole source, and what could not be read of it. */
export interface Program {
  readonly body: readonly Statement[];
  readonly errors: readonly string[];
}

/** How a statement ends. */
export type Completion = 'next' | 'break' | 'continue' | 'return' | 'raise';

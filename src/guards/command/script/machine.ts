// The abstract machine: walks a program once, follows its values as far as they can be known, and notes its effects.
// INVARIANT: every way that may be taken is walked; a way that cannot be ruled out counts as taken.

import { BudgetExceeded } from '../../../core/index.ts';
import type { Facts, Surroundings } from '../effects.ts';
import { bounded } from './bounds.ts';
import type {
  Argument,
  ClassCode,
  Expression,
  FunctionCode,
  Pattern,
  Program,
  Span,
  Statement,
} from './program.ts';
import { Record, spoken } from './record.ts';
import {
  type Cell,
  type ClassThing,
  concat,
  type FunctionThing,
  hole,
  type InstanceThing,
  join,
  joinAll,
  list,
  literals,
  type MapThing,
  map,
  member,
  merge,
  none,
  optionsOf,
  originsOf,
  restKey,
  rowOf,
  type Scope,
  same,
  type Thing,
  text,
  texts,
  truth,
  truthOf,
  unknown,
  unknownFrom,
  widen,
} from './things.ts';

/** Inner code of another language, as facts; null: the parser of that language is not loaded. */
export interface Languages {
  readonly shell: (text: string, surroundings: Surroundings) => Facts;
  readonly python: (text: string, surroundings: Surroundings) => Facts | null;
  readonly javascript: (text: string, surroundings: Surroundings) => Facts | null;
}

/** One call, as an operation of a library sees it. */
export interface Call {
  readonly machine: Machine;
  /** The full name of what is called. */
  readonly name: string;
  readonly receiver: Thing;
  readonly args: readonly Thing[];
  readonly keywords: ReadonlyMap<string, Thing>;
  readonly span: Span;
  /** The argument at this place or of this name. */
  readonly at: (index: number, name?: string) => Thing | undefined;
}

/** What a function of a library does and gives. */
export type Operation = (call: Call) => Thing;

/** What the machine must know of a language. */
export interface Dialect {
  readonly operations: ReadonlyMap<string, Operation>;
  /** The program that runs the language. */
  readonly program: 'python' | 'node';
  /** What a free name stands for. */
  readonly name: (name: string, machine: Machine) => Thing | null;
  /** What an attribute is, where that is special. */
  readonly attribute: (object: Thing, name: string, machine: Machine) => Thing | null;
  /** What an item is, where that is special. */
  readonly item: (object: Thing, key: Thing, machine: Machine) => Thing | null;
  readonly binary: (operator: string, left: Thing, right: Thing, machine: Machine) => Thing;
  /** How a value is written into a text. */
  readonly print: (thing: Thing) => readonly string[];
  /** Attributes of a map are its entries. */
  readonly entriesAreAttributes: boolean;
  readonly constructorName: string;
  /** What a method does that is known by the look of its name. */
  readonly method: (receiver: Thing, name: string) => Operation | null;
  /** A library was brought in. */
  readonly imported: (library: string, span: Span, machine: Machine) => void;
  /** Brings a source of this language down to a program; null: it could not be read. */
  readonly read: (source: string) => Program | null;
}

type Completion = 'next' | 'break' | 'continue' | 'return' | 'raise';

interface Frame {
  readonly code: FunctionCode | null;
  readonly scope: Scope;
  readonly self: Thing | null;
  readonly owner: ClassThing | null;
  readonly returns: Thing[];
  readonly yields: Thing[];
}

interface Change {
  readonly cell: Cell;
  readonly key: string;
  readonly before: Thing | undefined;
}

/** Calls within calls. */
const deepestCalls = 24;
/** The same function within itself. */
const deepestRecursion = 3;
/** Steps after which loops and calls are no longer followed round by round. */
const exactSteps = 10_000;
/** Steps after which a function that was walked once is not walked again. */
const repeatSteps = 15_000;
/** Steps after which nothing is followed any more: what is left is unknown. */
const mostSteps = 30_000;
/** Expressions and blocks within one another, through all calls. */
const deepest = 400;
/** Code within code: `exec` of `exec`. */
const deepestCode = 4;
const mostRounds = 2048;
const mostItems = 1024;

/** What runs a text, or a program, that a decorator hands to it. */
const runsWhatItIsGiven = /^(?:builtins\.(?:exec|eval|compile|input)|(?:os|subprocess|pty|shutil)\.\w+)$/;

/** The machine's own bound was reached: an answer, not a fault. */
class Exhausted extends Error {}

export class Machine {
  readonly record: Record;
  readonly dialect: Dialect;
  readonly languages: Languages;
  readonly globals: Scope;
  /** Content of the files that this script wrote. */
  readonly written: Cell = new Map();
  /** Loops without end around the current place. */
  endless = 0;
  #steps = 0;
  #depth = 0;
  #code = 0;
  #recording = 0;
  #rounds = 0;
  #raised = false;
  #frame: Frame;
  readonly #frames: Frame[] = [];
  readonly #trail: Change[] = [];
  readonly #defined: FunctionThing[] = [];
  readonly #walked = new Set<FunctionCode>();
  readonly #wildcards: string[] = [];
  readonly #samples = new Map<ClassThing, InstanceThing>();

  constructor(dialect: Dialect, surroundings: Surroundings, languages: Languages) {
    this.dialect = dialect;
    this.languages = languages;
    this.record = new Record(surroundings);
    this.globals = { names: new Map(), parent: null, outer: new Map() };
    this.#frame = { code: null, scope: this.globals, self: null, owner: null, returns: [], yields: [] };
  }

  /** Walks a whole program, and at last the functions that nothing called. */
  run(program: Program): Facts {
    for (const error of program.errors) this.record.error(error);
    try {
      this.#walk(program);
    } catch (error) {
      // A stack that overflows is a budget that is spent.
      if (!(error instanceof Exhausted || error instanceof BudgetExceeded || error instanceof RangeError))
        throw error;
      this.record.unknown('more steps than are followed', this.#frame.code?.span ?? [0, 0]);
    }
    return this.record.facts();
  }

  #walk(program: Program): void {
    this.#declare(program.body, this.globals);
    this.#block(program.body);
    for (let index = 0; index < this.#defined.length; index++) {
      const defined = this.#defined[index];
      if (!defined || this.#walked.has(defined.code)) continue;
      this.#raised = false;
      const self =
        defined.owner && defined.code.receiver !== 'none' ? this.#sample(defined.owner) : defined.self;
      this.#invoke({ ...defined, self }, [], new Map());
    }
  }

  /** Walks code that a value holds, in the scope of now; its effects stand at the given place. */
  runCode(source: string, span: Span): Thing {
    if (this.#code >= deepestCode) return this.#unfollowed('code within code within code', span);
    if (bounded(source, this.dialect.program)) return this.#unfollowed('code beyond the bounds', span);
    this.spend(300 + source.length / 4);
    const program = this.dialect.read(source);
    if (!program || program.errors.length > 0) return this.#unfollowed('code that cannot be read', span);
    this.#code++;
    const release = this.record.hold(span);
    try {
      this.#declare(program.body, this.#frame.scope);
      const { body } = program;
      const last = body.at(-1);
      this.#block(last?.form === 'expression' ? body.slice(0, -1) : body);
      return last?.form === 'expression' ? this.evaluate(last.value) : none;
    } finally {
      release();
      this.#code--;
    }
  }

  #unfollowed(what: string, span: Span): Thing {
    this.record.effect(
      'run',
      { kind: 'none' },
      { program: this.dialect.program, span, origins: ['unknown'] },
    );
    this.record.unknown(what, span);
    return unknown;
  }

  /** Notes a piece of work against the budget. */
  spend(steps: number): void {
    this.#steps += steps;
    this.record.surroundings.spend(steps);
    if (this.#steps > mostSteps) throw new Exhausted();
  }

  get exact(): boolean {
    return this.#steps < exactSteps;
  }

  /** Everything after this place is not reached. */
  stop(): void {
    this.#raised = true;
  }

  /** Notes that a process is started here; without end it is a bomb. */
  forks(call: Call): void {
    if (this.endless > 0)
      this.record.effect(
        'bomb',
        { kind: 'none' },
        { program: call.name, span: call.span, detail: 'processes' },
      );
  }

  set(cell: Cell, key: string, value: Thing): void {
    if (this.#recording > 0) this.#trail.push({ cell, key, before: cell.get(key) });
    cell.set(key, value);
  }

  // Names.

  lookup(name: string): Thing {
    for (let scope: Scope | null = this.#frame.scope; scope; scope = scope.parent) {
      const held = scope.names.get(name);
      if (held) return held;
    }
    const known = this.dialect.name(name, this);
    if (known) return known;
    for (const library of this.#wildcards) {
      if (this.dialect.operations.has(`${library}.${name}`)) return member(`${library}.${name}`);
    }
    return unknown;
  }

  /** The receiver of the function around the current place. */
  get self(): Thing {
    return this.#frame.self ?? unknown;
  }

  get owner(): ClassThing | null {
    return this.#frame.owner;
  }

  #assignName(name: string, value: Thing, declares: boolean): void {
    let { scope } = this.#frame;
    const elsewhere = scope.outer.get(name);
    if (elsewhere) scope = elsewhere;
    else if (!declares) {
      let found: Scope | null = scope;
      while (found && !found.names.has(name)) found = found.parent;
      scope = found ?? this.globals;
    }
    this.set(scope.names, name, value);
  }

  assign(pattern: Pattern, value: Thing): void {
    switch (pattern.form) {
      case 'name':
        this.#assignName(pattern.name, value, pattern.declares);
        return;
      case 'attribute':
        this.setAttribute(this.evaluate(pattern.object), pattern.name, value);
        return;
      case 'item':
        this.setItem(this.evaluate(pattern.object), this.evaluate(pattern.key), value);
        return;
      case 'fallback':
        this.assign(pattern.to, value.kind === 'none' ? this.evaluate(pattern.value) : value);
        return;
      case 'map':
        for (const { key, to } of pattern.items) {
          const name = literals(this.evaluate(key))?.[0];
          this.assign(to, name === undefined ? unknown : this.attribute(value, name));
        }
        return;
      case 'list': {
        const items = this.itemsOf(value);
        const { rest } = pattern;
        pattern.items.forEach((to, index) => {
          if (!to) return;
          if (!items.exact) {
            const any = joinAll(items.items);
            this.assign(to, index === rest ? list([any], false) : any);
          } else if (rest !== null && index === rest) {
            const after = pattern.items.length - 1 - rest;
            this.assign(to, list(items.items.slice(rest, Math.max(rest, items.items.length - after))));
          } else {
            const from =
              rest !== null && index > rest ? items.items.length - pattern.items.length + index : index;
            this.assign(to, items.items[from] ?? unknown);
          }
        });
      }
    }
  }

  setAttribute(object: Thing, name: string, value: Thing): void {
    if (object.kind === 'instance' || object.kind === 'handle' || object.kind === 'class')
      this.set(object.fields, name, value);
    else if (object.kind === 'map') this.set(object.entries, name, value);
    else if (object.kind === 'member')
      this.set(this.globals.names, replacedKey(`${object.name}.${name}`), value);
    else if (object.kind === 'either')
      for (const option of object.options) this.setAttribute(option, name, value);
  }

  setItem(object: Thing, key: Thing, value: Thing): void {
    if (object.kind === 'map') {
      const names = literals(key) ?? (key.kind === 'number' ? [String(key.value)] : null);
      const [only] = names ?? [];
      if (names?.length === 1 && only !== undefined) this.set(object.entries, only, value);
      else this.set(object.entries, restKey, join(object.entries.get(restKey) ?? value, value));
    } else if (object.kind === 'list') {
      const { items, exact } = rowOf(object);
      if (key.kind === 'number' && exact && key.value >= 0 && key.value < items.length)
        this.setRow(object, items.with(key.value, value), true);
      else this.setRow(object, [...items, value], false);
    } else if (object.kind === 'instance' || object.kind === 'handle') {
      const names = literals(key);
      for (const name of names ?? []) this.set(object.fields, name, value);
    }
  }

  setRow(object: Thing, items: readonly Thing[], exact: boolean): void {
    if (object.kind !== 'list') return;
    this.spend(1 + items.length / 64);
    if (items.length > mostItems)
      this.set(object.cell, 'items', {
        kind: 'row',
        items: [joinAll(items.slice(0, 64)), unknown],
        exact: false,
      });
    else this.set(object.cell, 'items', { kind: 'row', items, exact });
  }

  // Ways.

  /** Walks each way from the same beginning, and joins what they leave. */
  #ways(ways: readonly (() => Completion)[]): Completion {
    const kept: Map<Cell, Map<string, Thing>>[] = [];
    const touched = new Map<Cell, Map<string, Thing | undefined>>();
    const completions: Completion[] = [];
    this.#recording++;
    for (const way of ways) {
      const mark = this.#trail.length;
      const completion = way();
      completions.push(completion);
      const after = new Map<Cell, Map<string, Thing>>();
      const alive = completion !== 'return' && completion !== 'raise';
      for (let index = this.#trail.length - 1; index >= mark; index--) {
        const change = this.#trail[index];
        if (!change) continue;
        const { cell, key, before } = change;
        if (alive) {
          const keys = after.get(cell) ?? new Map<string, Thing>();
          const now = cell.get(key);
          if (!keys.has(key) && now) keys.set(key, now);
          after.set(cell, keys);
        }
        if (before) cell.set(key, before);
        else cell.delete(key);
        if (alive) {
          const keys = touched.get(cell) ?? new Map<string, Thing | undefined>();
          keys.set(key, before);
          touched.set(cell, keys);
        }
      }
      this.#trail.length = mark;
      if (alive) kept.push(after);
    }
    this.#recording--;
    for (const [cell, keys] of touched) {
      for (const key of keys.keys()) {
        const before = cell.get(key);
        let joined: Thing | undefined;
        for (const after of kept) {
          const value = after.get(cell)?.get(key) ?? before;
          if (value) joined = joined ? join(joined, value) : value;
        }
        if (joined) this.set(cell, key, joined);
      }
    }
    const alive = completions.filter((completion) => completion !== 'return' && completion !== 'raise');
    if (alive.length === 0) return completions.includes('return') ? 'return' : 'raise';
    if (alive.includes('next')) return 'next';
    return alive.every((completion) => completion === 'break') ? 'break' : 'continue';
  }

  /** Walks what may happen any number of times. */
  #repeat(round: () => Completion): void {
    this.#rounds++;
    this.#ways([
      () => 'next',
      () => {
        const mark = this.#trail.length;
        let completion = round();
        const first = new Map<Cell, Map<string, Thing | undefined>>();
        for (const { cell, key, before } of this.#trail.slice(mark)) {
          const keys = first.get(cell) ?? new Map<string, Thing | undefined>();
          if (!keys.has(key)) keys.set(key, before);
          first.set(cell, keys);
        }
        let changed = false;
        for (const [cell, keys] of first) {
          for (const [key, before] of keys) {
            const after = cell.get(key);
            if (!before || !after || same(before, after)) continue;
            this.set(cell, key, widen(before, after));
            changed = true;
          }
        }
        if (changed && this.#rounds <= 3 && completion !== 'return' && completion !== 'raise')
          completion = round();
        return completion === 'return' || completion === 'raise' ? completion : 'next';
      },
    ]);
    this.#rounds--;
  }

  #block(statements: readonly Statement[]): Completion {
    if (this.#tooDeep()) return 'next';
    this.#depth++;
    try {
      for (const statement of statements) {
        const completion = this.#execute(statement);
        if (completion !== 'next') return completion;
        if (this.#raised) {
          this.#raised = false;
          return 'raise';
        }
      }
      return 'next';
    } finally {
      this.#depth--;
    }
  }

  #tooDeep(): boolean {
    if (this.#depth < deepest) return false;
    this.record.unknown('code that is nested too deeply', this.#frame.code?.span ?? [0, 0]);
    return true;
  }

  /** Functions of a block are there before it begins, as far as the language has it so. */
  #declare(statements: readonly Statement[], scope: Scope): void {
    if (!this.dialect.entriesAreAttributes) return;
    for (const statement of statements) {
      if (statement.form === 'function')
        this.set(scope.names, statement.code.name, this.#function(statement.code));
    }
  }

  #execute(statement: Statement): Completion {
    this.spend(1);
    switch (statement.form) {
      case 'expression':
        this.evaluate(statement.value);
        return 'next';
      case 'assign': {
        const value = this.evaluate(statement.value);
        for (const pattern of statement.to) this.assign(pattern, value);
        return 'next';
      }
      case 'block':
        this.#declare(statement.body, this.#frame.scope);
        return this.#block(statement.body);
      case 'if': {
        const known = truthOf(this.evaluate(statement.test));
        if (known === true) return this.#block(statement.yes);
        if (known === false) return this.#block(statement.no);
        return this.#ways([() => this.#block(statement.yes), () => this.#block(statement.no)]);
      }
      case 'cases': {
        this.evaluate(statement.subject);
        const { cases } = statement;
        const completion = this.#ways([() => 'next', ...cases.map((body) => () => this.#block(body))]);
        return completion === 'break' ? 'next' : completion;
      }
      case 'while':
        return this.#while(statement);
      case 'for':
        return this.#for(statement);
      case 'try':
        return this.#try(statement);
      case 'with': {
        for (const { value, to } of statement.items) {
          const entered = this.evaluate(value);
          if (to) this.assign(to, this.#entered(entered));
        }
        return this.#block(statement.body);
      }
      case 'return':
        this.#frame.returns.push(statement.value ? this.evaluate(statement.value) : none);
        return 'return';
      case 'raise':
        if (statement.value) this.evaluate(statement.value);
        return 'raise';
      case 'break':
      case 'continue':
        return statement.form;
      case 'function': {
        let thing: Thing = this.#function(statement.code);
        thing = this.#decorated(thing, statement.decorators);
        this.#assignName(statement.code.name, thing, true);
        return 'next';
      }
      case 'class': {
        const thing = this.#decorated(this.#class(statement.code), statement.decorators);
        this.#assignName(statement.code.name, thing, true);
        return 'next';
      }
      case 'outer': {
        const { scope } = this.#frame;
        for (const name of statement.names) {
          let holder: Scope = this.globals;
          if (!statement.top) {
            for (let outer = scope.parent; outer; outer = outer.parent) {
              if (!outer.names.has(name)) continue;
              holder = outer;
              break;
            }
          }
          scope.outer.set(name, holder);
        }
        return 'next';
      }
      case 'wildcard':
        this.#wildcards.push(statement.library);
        return 'next';
      case 'import':
        this.dialect.imported(statement.library, statement.span, this);
        if (statement.to) this.assign(statement.to, member(statement.library));
        return 'next';
    }
  }

  /** What stands for a value inside `with`. */
  #entered(value: Thing): Thing {
    if (value.kind !== 'instance') return value;
    const enter = this.#found(value, '__enter__');
    return enter?.kind === 'function' ? this.call(enter, [], new Map(), enter.code.span) : value;
  }

  /** A decorator of the script itself may change the function; others are taken to call it as it stands. */
  #decorated(thing: Thing, decorators: readonly Expression[]): Thing {
    let result = thing;
    for (const decorator of decorators.toReversed()) {
      const by = this.evaluate(decorator);
      if (by.kind === 'function') result = this.call(by, [result], new Map(), by.code.span);
      else if (by.kind === 'member' && by.name.endsWith('staticmethod') && result.kind === 'function')
        result = { ...result, code: { ...result.code, receiver: 'none' } };
      else if (by.kind === 'member' && runsWhatItIsGiven.test(by.name))
        result = this.call(by, [result], new Map(), [0, 0]);
      else if (by.kind === 'member' && by.name.endsWith('property') && result.kind === 'function')
        result = { kind: 'partial', callee: member('<property>'), args: [result], keywords: new Map() };
    }
    return result;
  }

  #while({ test, body, step, otherwise, span }: Statement & { form: 'while' }): Completion {
    const round = (): Completion => {
      const completion = this.#block(body);
      if (step && (completion === 'next' || completion === 'continue')) this.evaluate(step);
      return completion;
    };
    const constant = test.form === 'constant';
    if (!constant) {
      for (let count = 0; count < 256 && this.exact; count++) {
        const known = truthOf(this.evaluate(test));
        if (known === false) return this.#block(otherwise);
        if (known !== true) break;
        const completion = round();
        if (completion === 'break') return 'next';
        if (completion === 'return' || completion === 'raise') return completion;
      }
    } else if (truthOf(test.thing) === false) return this.#block(otherwise);
    const endless = constant && !leaves(body);
    if (endless) this.endless++;
    this.#repeat(() => {
      this.evaluate(test);
      return round();
    });
    if (endless) this.endless--;
    if (endless && grows(body))
      this.record.effect('bomb', { kind: 'none' }, { program: 'loop', span, detail: 'memory' });
    if (endless) return 'raise';
    return this.#block(otherwise);
  }

  #for({ to, of, keys, body, otherwise }: Statement & { form: 'for' }): Completion {
    const over = this.evaluate(of);
    const { items, exact } = keys ? this.keysOf(over) : this.itemsOf(over);
    if (exact && items.length <= mostRounds && this.exact) {
      for (const [index, item] of items.entries()) {
        if (!this.exact) {
          const others = joinAll(items.slice(index));
          this.#repeat(() => {
            this.assign(to, others);
            return this.#block(body);
          });
          break;
        }
        this.assign(to, item);
        const completion = this.#block(body);
        if (completion === 'break') return 'next';
        if (completion === 'return' || completion === 'raise') return completion;
      }
      return this.#block(otherwise);
    }
    const any = joinAll(items);
    const endless = isEndless(over);
    if (endless) this.endless++;
    this.#repeat(() => {
      this.assign(to, any);
      return this.#block(body);
    });
    if (endless) this.endless--;
    return this.#block(otherwise);
  }

  #try({ body, handlers, otherwise, last }: Statement & { form: 'try' }): Completion {
    const attempt = (): Completion => {
      const completion = this.#block(body);
      return completion === 'next' ? this.#block(otherwise) : completion;
    };
    const ways = handlers.map(({ name, body: handler }) => (): Completion => {
      if (name) this.#assignName(name, unknown, true);
      return this.#block(handler);
    });
    let completion: Completion;
    if (ways.length === 0) completion = attempt();
    else {
      // The handlers begin with whatever the body had done when it failed.
      this.#recording++;
      const mark = this.#trail.length;
      completion = attempt();
      const undone = this.#trail.slice(mark);
      this.#recording--;
      const raised = completion === 'raise';
      const left = completion;
      const outcome = this.#ways([
        ...(raised ? [] : [(): Completion => (left === 'return' ? 'return' : 'next')]),
        ...ways.map((way) => (): Completion => {
          for (const { cell, key, before } of undone) {
            const now = cell.get(key);
            if (before && now) this.set(cell, key, join(before, now));
          }
          return way();
        }),
      ]);
      completion = left === 'break' || left === 'continue' ? left : outcome;
    }
    if (last.length > 0) {
      const final = this.#block(last);
      if (final !== 'next') return final;
    }
    return completion;
  }

  // Values.

  evaluate(expression: Expression): Thing {
    this.spend(1);
    if (this.#tooDeep()) return unknown;
    this.#depth++;
    try {
      return this.#value(expression);
    } finally {
      this.#depth--;
    }
  }

  #value(expression: Expression): Thing {
    switch (expression.form) {
      case 'constant':
        return expression.thing;
      case 'name':
        return this.lookup(expression.name);
      case 'attribute':
        return this.attribute(this.evaluate(expression.object), expression.name);
      case 'item':
        return this.item(this.evaluate(expression.object), this.evaluate(expression.key));
      case 'slice':
        return this.#slice(
          this.evaluate(expression.object),
          expression.bounds.map((bound) => (bound ? this.evaluate(bound) : none)),
        );
      case 'call':
        return this.#call(expression);
      case 'binary': {
        // A long sum leans to the left: it is walked, not descended into.
        const chain: (Expression & { form: 'binary' })[] = [];
        let first: Expression = expression;
        while (first.form === 'binary') {
          chain.push(first);
          first = first.left;
        }
        let result = this.evaluate(first);
        for (const { operator, right } of chain.toReversed()) {
          this.spend(1);
          result = this.dialect.binary(operator, result, this.evaluate(right), this);
        }
        return result;
      }
      case 'logic': {
        const left = this.evaluate(expression.left);
        const known = expression.operator === 'else' ? (left.kind === 'none' ? false : null) : truthOf(left);
        if (expression.operator === 'and' ? known === false : known === true) return left;
        let right: Thing = unknown;
        this.#ways([
          ...(known === null ? [(): Completion => 'next'] : []),
          () => {
            right = this.evaluate(expression.right);
            return 'next';
          },
        ]);
        return known === null ? join(left, right) : right;
      }
      case 'unary': {
        const value = this.evaluate(expression.value);
        const known = truthOf(value);
        if (expression.operator === 'not') return known === null ? unknown : truth(!known);
        if (expression.operator === '-' && value.kind === 'number')
          return { kind: 'number', value: -value.value };
        if (expression.operator === '~' && value.kind === 'number')
          return { kind: 'number', value: ~value.value };
        return expression.operator === '+' || expression.operator === 'await'
          ? value
          : unknownFrom(originsOf(value));
      }
      case 'choice': {
        const known = truthOf(this.evaluate(expression.test));
        if (known !== null) return this.evaluate(known ? expression.yes : expression.no);
        const results: Thing[] = [];
        this.#ways(
          [expression.yes, expression.no].map((way) => () => {
            results.push(this.evaluate(way));
            return 'next';
          }),
        );
        return joinAll(results);
      }
      case 'list': {
        const { args, exact } = this.#arguments(expression.items);
        return list(args, exact);
      }
      case 'map': {
        const made = map([]);
        for (const { key, value } of expression.items) {
          const held = this.evaluate(value);
          if (key) this.setItem(made, this.evaluate(key), held);
          else if (held.kind === 'map')
            for (const [name, entry] of held.entries) made.entries.set(name, entry);
          else made.entries.set(restKey, unknownFrom(originsOf(held)));
        }
        return made;
      }
      case 'function':
        return this.#function(expression.code);
      case 'class':
        return this.#class(expression.code);
      case 'template': {
        const parts = expression.parts.map((part) => this.evaluate(part));
        return concat(parts.map(this.dialect.print), {
          origins: merge(...parts.map((part) => originsOf(part))),
          form: expression.bytes ? 'bytes' : 'string',
        });
      }
      case 'comprehension':
        return this.#comprehension(expression);
      case 'assign': {
        const value = this.evaluate(expression.value);
        this.assign(expression.to, value);
        return value;
      }
      case 'sequence': {
        let value: Thing = none;
        for (const item of expression.items) value = this.evaluate(item);
        return value;
      }
      case 'yield': {
        const value = expression.value ? this.evaluate(expression.value) : none;
        this.#frame.yields.push(expression.all ? joinAll(this.itemsOf(value).items) : value);
        return unknown;
      }
    }
  }

  #comprehension({ shape, clauses, key, value }: Expression & { form: 'comprehension' }): Thing {
    const scope: Scope = { names: new Map(), parent: this.#frame.scope, outer: new Map() };
    const outer = this.#frame;
    this.#frame = { ...outer, scope };
    const found: Thing[] = [];
    const made = map([]);
    let exact = true;
    const walk = (index: number): void => {
      const clause = clauses[index];
      if (!clause) {
        const held = this.evaluate(value);
        if (key) this.setItem(made, this.evaluate(key), held);
        else found.push(held);
        return;
      }
      if ('test' in clause) {
        const known = truthOf(this.evaluate(clause.test));
        if (known === null) exact = false;
        if (known !== false) walk(index + 1);
        return;
      }
      const row = this.itemsOf(this.evaluate(clause.of));
      if (row.exact && row.items.length <= mostRounds && this.exact) {
        for (const item of row.items) {
          this.assign(clause.to, item);
          walk(index + 1);
          if (!this.exact) {
            exact = false;
            break;
          }
        }
      } else {
        exact = false;
        this.assign(clause.to, joinAll(row.items));
        walk(index + 1);
      }
    };
    walk(0);
    this.#frame = outer;
    return shape === 'map'
      ? made
      : list(found.length <= mostItems ? found : [joinAll(found)], exact && found.length <= mostItems);
  }

  #slice(object: Thing, bounds: readonly Thing[]): Thing {
    const at = bounds.map((bound) =>
      bound.kind === 'number' ? bound.value : bound.kind === 'none' ? null : undefined,
    );
    if (at.includes(undefined)) return unknownFrom(originsOf(object));
    const [from = null, to = null, step = null] = at;
    const pick = <T>(items: readonly T[]): T[] => {
      const by = step ?? 1;
      if (by === 0) return [];
      const clamp = (index: number, low: number, high: number): number =>
        Math.min(high, Math.max(low, index < 0 ? index + items.length : index));
      const picked: T[] = [];
      if (by > 0) {
        const end = to === null ? items.length : clamp(to, 0, items.length);
        for (let index = from === null ? 0 : clamp(from, 0, items.length); index < end; index += by)
          picked.push(...items.slice(index, index + 1));
      } else {
        const end = to === null ? -1 : clamp(to, -1, items.length - 1);
        const start = from === null ? items.length - 1 : clamp(from, -1, items.length - 1);
        for (let index = start; index > end; index += by) picked.push(...items.slice(index, index + 1));
      }
      return picked;
    };
    if (object.kind === 'text') {
      const known = literals(object);
      if (!known) {
        return text(hole, { form: object.form, origins: object.origins, many: object.many });
      }
      this.spend(known.reduce((sum, { length }) => sum + length / 16, 0));
      return texts(
        known.map((alternative) => pick([...alternative]).join('')),
        { form: object.form, origins: object.origins, many: object.many },
      );
    }
    if (object.kind === 'list') {
      const { items, exact } = rowOf(object);
      return exact ? list(pick(items)) : list(items, false);
    }
    return unknownFrom(originsOf(object));
  }

  attribute(object: Thing, name: string): Thing {
    if (object.kind === 'either')
      return joinAll(object.options.map((option) => this.attribute(option, name)));
    const special = this.dialect.attribute(object, name, this);
    if (special) return special;
    switch (object.kind) {
      case 'member':
        return member(`${object.name}.${name}`);
      case 'instance': {
        const found = this.#found(object, name);
        if (
          found?.kind === 'partial' &&
          found.callee.kind === 'member' &&
          found.callee.name === '<property>'
        ) {
          const [getter] = found.args;
          return getter?.kind === 'function'
            ? this.#invoke({ ...getter, self: object }, [], new Map())
            : unknown;
        }
        if (found?.kind === 'function' && found.self === null && found.code.receiver !== 'none')
          return { ...found, self: object };
        return found ?? { kind: 'bound', receiver: object, name };
      }
      case 'class':
        return this.#inherited(object, name) ?? { kind: 'bound', receiver: object, name };
      case 'handle':
        return object.fields.get(name) ?? { kind: 'bound', receiver: object, name };
      case 'map':
        return (
          (this.dialect.entriesAreAttributes &&
            (object.entries.get(name) ?? object.entries.get(restKey))) || {
            kind: 'bound',
            receiver: object,
            name,
          }
        );
      case 'bound':
        return { kind: 'bound', receiver: unknownFrom(originsOf(object)), name };
      default:
        return { kind: 'bound', receiver: object, name };
    }
  }

  #found(object: InstanceThing, name: string): Thing | null {
    return object.fields.get(name) ?? this.#inherited(object.of, name);
  }

  #inherited(of: ClassThing, name: string, depth = 8): Thing | null {
    const own = of.fields.get(name);
    if (own || depth === 0) return own ?? null;
    for (const base of of.bases) {
      const found = base.kind === 'class' ? this.#inherited(base, name, depth - 1) : null;
      if (found) return found;
    }
    return null;
  }

  /** The names of libraries' classes that a class stands on. */
  basesOf(of: ClassThing, depth = 8): readonly string[] {
    if (depth === 0) return [];
    return of.bases.flatMap((base) =>
      base.kind === 'member' ? [base.name] : base.kind === 'class' ? this.basesOf(base, depth - 1) : [],
    );
  }

  /** The method of a base class, for `super()`. */
  inherited(name: string): Thing {
    const { owner, self } = this.#frame;
    for (const base of owner?.bases ?? []) {
      const found = base.kind === 'class' ? this.#inherited(base, name) : null;
      if (found?.kind === 'function') return { ...found, self };
      if (found) return found;
    }
    return unknown;
  }

  item(object: Thing, key: Thing): Thing {
    if (object.kind === 'either') return joinAll(object.options.map((option) => this.item(option, key)));
    const special = this.dialect.item(object, key, this);
    if (special) return special;
    switch (object.kind) {
      case 'list': {
        const { items, exact } = rowOf(object);
        if (exact && key.kind === 'number')
          return items[key.value < 0 ? items.length + key.value : key.value] ?? unknown;
        return items.length === 0 ? unknown : joinAll(items);
      }
      case 'map': {
        const names = literals(key) ?? (key.kind === 'number' ? [String(key.value)] : null);
        const rest = object.entries.get(restKey);
        if (names)
          return joinAll(
            names.map((name) => object.entries.get(name) ?? rest ?? unknownFrom(originsOf(object))),
          );
        const all = [...object.entries.values()];
        return all.length === 0 ? unknown : joinAll([...all, unknown]);
      }
      case 'text': {
        const known = literals(object);
        if (known && key.kind === 'number')
          return texts(
            known.map((alternative) => alternative.at(key.value) ?? ''),
            { form: object.form, origins: object.origins },
          );
        return text(hole, { form: object.form, origins: object.origins });
      }
      case 'instance':
      case 'handle': {
        const [name] = literals(key) ?? [];
        return (name !== undefined && object.fields.get(name)) || unknownFrom(originsOf(object));
      }
      case 'unknown':
        return object;
      default:
        return unknownFrom(originsOf(object));
    }
  }

  /** What a loop over a thing meets. */
  itemsOf(thing: Thing): { readonly items: readonly Thing[]; readonly exact: boolean } {
    switch (thing.kind) {
      case 'list':
        return rowOf(thing);
      case 'map':
        return this.dialect.entriesAreAttributes ? { items: [unknown], exact: false } : this.keysOf(thing);
      case 'text': {
        const [only] = literals(thing) ?? [];
        if (only === undefined || thing.texts.length !== 1 || only.length > mostRounds || !this.exact)
          return { items: [text(hole, { form: thing.form, origins: thing.origins })], exact: false };
        const { form, origins } = thing;
        this.spend(only.length / 16);
        const items: Thing[] =
          form === 'bytes'
            ? Array.from(only, (letter) => ({ kind: 'number', value: letter.charCodeAt(0) }))
            : Array.from(only, (letter) => text(letter, { form, origins }));
        return { items, exact: true };
      }
      case 'either': {
        const rows = thing.options.map((option) => this.itemsOf(option));
        const [first] = rows;
        if (first && rows.every(({ items, exact }) => exact && items.length === first.items.length))
          return {
            items: first.items.map((_, index) => joinAll(rows.map(({ items }) => items[index] ?? unknown))),
            exact: true,
          };
        return { items: rows.map(({ items }) => joinAll(items)), exact: false };
      }
      case 'handle': {
        const items = thing.fields.get('items');
        return items?.kind === 'list'
          ? rowOf(items)
          : { items: [unknownFrom(originsOf(thing))], exact: false };
      }
      default:
        return { items: [unknownFrom(originsOf(thing))], exact: false };
    }
  }

  keysOf(thing: Thing): { readonly items: readonly Thing[]; readonly exact: boolean } {
    if (thing.kind === 'map') {
      const exact = !thing.entries.has(restKey);
      const items = [...thing.entries.keys()].map((key) => (key === restKey ? unknown : text(key)));
      return { items, exact };
    }
    return { items: [unknown], exact: false };
  }

  // Calls.

  #arguments(given: readonly Argument[]): {
    readonly args: readonly Thing[];
    readonly keywords: Map<string, Thing>;
    readonly exact: boolean;
  } {
    const args: Thing[] = [];
    const keywords = new Map<string, Thing>();
    let exact = true;
    for (const { value, name, spread } of given) {
      const thing = this.evaluate(value);
      if (spread === 'positions') {
        const row = this.itemsOf(thing);
        args.push(...row.items);
        if (!row.exact) exact = false;
      } else if (spread === 'names') {
        if (thing.kind === 'map') for (const [key, entry] of thing.entries) keywords.set(key, entry);
      } else if (name !== null) keywords.set(name, thing);
      else args.push(thing);
    }
    return { args, keywords, exact };
  }

  #call({ callee, args: given, creates, span }: Expression & { form: 'call' }): Thing {
    const target = this.evaluate(callee);
    const { args, keywords } = this.#arguments(given);
    if (creates && target.kind === 'function') {
      // A constructor in the old style: a function whose `this` is the new object.
      const made = map([]);
      this.#invoke({ ...target, self: made }, args, keywords);
      return made;
    }
    return this.call(target, args, keywords, span);
  }

  call(callee: Thing, args: readonly Thing[], keywords: ReadonlyMap<string, Thing>, span: Span): Thing {
    this.spend(1);
    switch (callee.kind) {
      case 'either':
        return joinAll(callee.options.map((option) => this.call(option, args, keywords, span)));
      case 'function':
        return this.#invoke(callee, args, keywords);
      case 'partial':
        return this.call(
          callee.callee,
          [...callee.args, ...args],
          new Map([...callee.keywords, ...keywords]),
          span,
        );
      case 'class':
        return this.#create(callee, args, keywords, span);
      case 'member': {
        const replaced = this.globals.names.get(replacedKey(callee.name));
        if (replaced && replaced.kind !== 'member') return this.call(replaced, args, keywords, span);
        const name = replaced?.kind === 'member' ? replaced.name : callee.name;
        // A library that was loaded by a promise is handed on by it.
        const promised = /^(.+)\.then$/.exec(name)?.[1];
        if (promised !== undefined && !this.dialect.operations.has(name))
          return this.operate('<any>.then', member(promised), args, keywords, span);
        return this.operate(name, unknown, args, keywords, span);
      }
      case 'bound':
        return this.method(callee.receiver, callee.name, args, keywords, span);
      case 'instance': {
        const method = this.#found(callee, '__call__');
        if (method?.kind === 'function') return this.#invoke({ ...method, self: callee }, args, keywords);
        return unknown;
      }
      case 'handle':
        return this.operate(`<${callee.type}>.()`, callee, args, keywords, span);
      case 'unknown':
        if (callee.dynamic) {
          const origins = callee.origins.length > 0 ? callee.origins : (['unknown'] as const);
          this.record.effect('run', { kind: 'none' }, { program: 'call', span, origins });
          this.record.unknown('a function whose name is not known', span);
        }
        this.#callBack(args, keywords, span);
        return unknownFrom(merge(callee.origins, ...args.map((argument) => originsOf(argument))));
      default:
        this.#callBack(args, keywords, span);
        return unknownFrom(merge(originsOf(callee), ...args.map((argument) => originsOf(argument))));
    }
  }

  /** Does what a function of a library does; one that is not known is taken to do nothing but call back. */
  operate(
    name: string,
    receiver: Thing,
    args: readonly Thing[],
    keywords: ReadonlyMap<string, Thing>,
    span: Span,
    found: Operation | null = null,
  ): Thing {
    const operation = found ?? this.dialect.operations.get(name);
    if (operation) {
      const at = (index: number, keyword?: string): Thing | undefined =>
        args[index] ?? (keyword === undefined ? undefined : keywords.get(keyword));
      return operation({ machine: this, name, receiver, args, keywords, span, at });
    }
    this.#callBack(args, keywords, span);
    return unknownFrom(
      merge(
        originsOf(receiver),
        ...args.map((argument) => originsOf(argument)),
        ...[...keywords.values()].map((argument) => originsOf(argument)),
      ),
    );
  }

  method(
    receiver: Thing,
    name: string,
    args: readonly Thing[],
    keywords: ReadonlyMap<string, Thing>,
    span: Span,
  ): Thing {
    if (receiver.kind === 'either')
      return joinAll(receiver.options.map((option) => this.method(option, name, args, keywords, span)));
    for (const type of this.#types(receiver)) {
      const full = `<${type}>.${name}`;
      if (this.dialect.operations.has(full)) return this.operate(full, receiver, args, keywords, span);
    }
    const full = `<any>.${name}`;
    return this.operate(full, receiver, args, keywords, span, this.dialect.method(receiver, name));
  }

  #types(receiver: Thing): readonly string[] {
    switch (receiver.kind) {
      case 'text':
        return receiver.form === 'path'
          ? ['path', 'text']
          : [receiver.form === 'bytes' ? 'bytes' : 'string', 'text'];
      case 'handle':
        return [receiver.type];
      case 'instance':
        return [...this.basesOf(receiver.of), 'instance'];
      case 'class':
        return ['class', ...this.basesOf(receiver)];
      default:
        return [receiver.kind];
    }
  }

  /** Calls the functions among the arguments with what stands beside them. */
  #callBack(args: readonly Thing[], keywords: ReadonlyMap<string, Thing>, span: Span): void {
    const all = [...args, ...keywords.values()];
    for (const argument of all) {
      for (const option of optionsOf(argument)) {
        if (option.kind === 'function') {
          if (!this.#walked.has(option.code)) this.#invoke(option, [], new Map());
        } else if (option.kind === 'member' && this.dialect.operations.has(option.name)) {
          const beside = args
            .filter((other) => other !== argument)
            .map((other) => (other.kind === 'list' ? joinAll(rowOf(other).items) : other));
          this.call(option, beside, new Map(), span);
        }
      }
    }
  }

  #create(of: ClassThing, args: readonly Thing[], keywords: ReadonlyMap<string, Thing>, span: Span): Thing {
    const instance: InstanceThing = { kind: 'instance', of, fields: new Map() };
    const builder = this.#inherited(of, this.dialect.constructorName);
    if (builder?.kind === 'function') this.#invoke({ ...builder, self: instance }, args, keywords);
    else for (const base of this.basesOf(of)) this.operate(`<new>.${base}`, instance, args, keywords, span);
    return instance;
  }

  /** An instance of which nothing is known, for the methods that nothing called. */
  #sample(of: ClassThing): InstanceThing {
    const held = this.#samples.get(of);
    if (held) return held;
    const instance: InstanceThing = { kind: 'instance', of, fields: new Map() };
    this.#samples.set(of, instance);
    const builder = this.#inherited(of, this.dialect.constructorName);
    if (builder?.kind === 'function') this.#invoke({ ...builder, self: instance }, [], new Map());
    return instance;
  }

  #function(code: FunctionCode): FunctionThing {
    const around = code.receiver === 'around' ? this.#frame.self : null;
    const thing: FunctionThing = {
      kind: 'function',
      code,
      scope: this.#frame.scope,
      self: around,
      owner: this.#frame.owner,
    };
    this.#defined.push(thing);
    return thing;
  }

  #class({ name, bases, body }: ClassCode): ClassThing {
    const fields: Cell = new Map();
    const of: ClassThing = { kind: 'class', name, bases: bases.map((base) => this.evaluate(base)), fields };
    const outer = this.#frame;
    const scope: Scope = { names: fields, parent: outer.scope, outer: new Map() };
    this.#frame = { ...outer, scope, owner: of };
    this.#block(body);
    this.#frame = outer;
    // A method sees the names around its class, not those in it.
    for (const [key, field] of fields)
      if (field.kind === 'function' && field.scope === scope) {
        const moved = { ...field, scope: outer.scope };
        fields.set(key, moved);
        const index = this.#defined.indexOf(field);
        if (index >= 0) this.#defined[index] = moved;
      }
    return of;
  }

  #invoke(target: FunctionThing, args: readonly Thing[], keywords: ReadonlyMap<string, Thing>): Thing {
    const { code, self, owner } = target;
    const again = this.#walked.has(code);
    this.#walked.add(code);
    const recursion = this.#frames.filter((frame) => frame.code === code).length;
    if (
      this.#frames.length >= deepestCalls ||
      recursion >= deepestRecursion ||
      (recursion > 0 && !this.exact) ||
      (again && this.#steps > repeatSteps)
    )
      return unknownFrom(merge(...args.map((argument) => originsOf(argument))));
    const scope: Scope = { names: new Map(), parent: target.scope, outer: new Map() };
    const frame: Frame = { code, scope, self, owner, returns: [], yields: [] };
    const outer = this.#frame;
    this.#frames.push(outer);
    this.#frame = frame;
    try {
      this.#bind(code, code.receiver === 'first' && self ? [self, ...args] : args, keywords);
      this.#declare(code.body, scope);
      const completion = this.#block(code.body);
      if (completion === 'raise' && frame.returns.length === 0 && frame.yields.length === 0)
        this.#raised = true;
      else if (completion === 'next') frame.returns.push(none);
    } finally {
      this.#frames.pop();
      this.#frame = outer;
    }
    if (frame.yields.length > 0) return list(frame.yields, false);
    return frame.returns.length === 0 ? unknown : joinAll(frame.returns);
  }

  #bind(
    { parameters, receiver }: FunctionCode,
    args: readonly Thing[],
    keywords: ReadonlyMap<string, Thing>,
  ): void {
    const { names } = this.#frame.scope;
    if (receiver === 'this' && parameters.length === 0) names.set('arguments', list(args));
    const left = new Map(keywords);
    let index = 0;
    for (const { name, fallback, rest, pattern } of parameters) {
      let value: Thing;
      if (rest === 'positions') {
        value = list(args.slice(index));
        index = args.length;
      } else if (rest === 'names') value = map(left);
      else {
        const given = args[index] ?? left.get(name);
        if (args[index] !== undefined) index++;
        left.delete(name);
        value = given ?? (fallback ? this.evaluate(fallback) : unknown);
      }
      if (pattern) this.assign(pattern, value);
      else this.set(names, name, value);
    }
  }

  // What others report.

  /** Takes over the facts of code in another language, at the place where it is run. */
  adopt(facts: Facts, span: Span, through: string): void {
    for (const { kind, target, ...effect } of facts.effects)
      this.record.effect(kind, target, { ...effect, span, through: [spoken(through), ...effect.through] });
    for (const invocation of facts.invocations)
      this.record.invocation({ ...invocation, span, through: [spoken(through), ...invocation.through] });
    for (const { what } of facts.unknowns) this.record.unknown(what, span);
    for (const error of facts.errors) this.record.error(error);
  }

  /** The map of a thing's own names. */
  fieldsOf(thing: Thing): MapThing {
    if (thing.kind === 'instance' || thing.kind === 'class' || thing.kind === 'handle')
      return { kind: 'map', entries: thing.fields };
    return map([], unknown);
  }
}

/** Where what a script put in the place of a library's function is kept. */
function replacedKey(name: string): string {
  return `\u0000replaced ${name}`;
}

/** Whether a loop may be left from within. */
function leaves(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    switch (statement.form) {
      case 'break':
      case 'return':
      case 'raise':
        return true;
      case 'if':
        return leaves(statement.yes) || leaves(statement.no);
      case 'while':
      case 'for':
        return returns(statement.body);
      case 'try':
        return (
          leaves(statement.body) ||
          statement.handlers.some(({ body }) => leaves(body)) ||
          leaves(statement.last)
        );
      case 'with':
      case 'block':
        return leaves(statement.body);
      case 'cases':
        return statement.cases.some(leaves);
      case 'expression':
        return isExit(statement.value);
      default:
        return false;
    }
  });
}

function returns(statements: readonly Statement[]): boolean {
  return statements.some(
    (statement) =>
      statement.form === 'return' ||
      statement.form === 'raise' ||
      (statement.form === 'if' && (returns(statement.yes) || returns(statement.no))) ||
      (statement.form === 'expression' && isExit(statement.value)),
  );
}

function isExit(value: Expression): boolean {
  if (value.form !== 'call') return false;
  const { callee } = value;
  return /^(?:_?exit|quit|abort)$/.test(
    callee.form === 'attribute' || callee.form === 'name' ? callee.name : '',
  );
}

/** Whether each round of a loop holds more memory than the one before, and nothing waits. */
function grows(statements: readonly Statement[]): boolean {
  return (
    statements.length > 0 &&
    statements.every((statement) => {
      if (statement.form === 'assign') return true;
      if (statement.form !== 'expression' || statement.value.form !== 'call') return false;
      const { callee } = statement.value;
      return (
        callee.form === 'attribute' &&
        /^(?:append|extend|push|add|write|writelines|writeFileSync|appendFileSync)$/.test(callee.name)
      );
    }) &&
    statements.some((statement) => statement.form === 'expression' || lengthens(statement))
  );
}

/** Whether a text or a list is added to itself: `data += more`. */
function lengthens(statement: Statement): boolean {
  if (statement.form !== 'assign' || statement.value.form !== 'binary') return false;
  const { operator, right } = statement.value;
  const counts = right.form === 'constant' && right.thing.kind === 'number';
  return /^\+=?$/.test(operator) && !counts;
}

/** Whether a loop over a thing goes on for ever, or as good as. */
function isEndless(thing: Thing): boolean {
  return thing.kind === 'handle' && thing.type === 'endless';
}

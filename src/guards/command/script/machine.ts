// The abstract machine: walks a program once, follows its values as far as they can be known, and notes its effects.
// INVARIANT: every way that may be taken is walked; a way that cannot be ruled out counts as taken.

import { BudgetExceeded } from '../../../core/index.ts';
import type { Facts, Languages, Surroundings } from '../effects.ts';
import { bounded } from './bounds.ts';
import { invoke, sampleOf } from './calls.ts';
import { evaluate } from './expressions.ts';
import type { FunctionCode, Program, Span } from './program.ts';
import { Record, spoken } from './record.ts';
import { declare, walkBlock } from './statements.ts';
import {
  type Cell,
  type ClassThing,
  type FunctionThing,
  handle,
  type InstanceThing,
  literal,
  member,
  none,
  type Scope,
  type Thing,
  unknown,
  unknownFrom,
} from './things.ts';

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
  /** What an operator gives; neither side is one of several things. */
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

/** A call that is walked: its scope, its receiver, and what it gives. */
export interface Frame {
  readonly code: FunctionCode | null;
  readonly scope: Scope;
  readonly self: Thing | null;
  readonly owner: ClassThing | null;
  readonly returns: Thing[];
  readonly yields: Thing[];
}

/** What a cell held before it was set. */
interface Change {
  readonly cell: Cell;
  readonly key: string;
  readonly before: Thing | undefined;
}

/** Steps after which loops and calls are no longer followed round by round. */
const exactSteps = 10_000;

/** Steps after which nothing is followed any more: what is left is unknown. */
const mostSteps = 30_000;

/** Code within code: `exec` of `exec`. */
const deepestCode = 4;

/** The machine's own bound was reached: an answer, not a fault. */
class Exhausted extends Error {}

/** One walk: its bounds, where it stands, and what it has met. */
export class Machine {
  readonly record: Record;
  readonly dialect: Dialect;
  readonly languages: Languages;
  readonly globals: Scope;
  /** Content of the files that this script wrote. */
  readonly written: Cell = new Map();
  /** The variables of the environment, with those that this script set. */
  readonly environ = handle('environ', { all: unknownFrom(['secret']) });
  /** Loops without end around the current place. */
  endless = 0;
  steps = 0;
  /** Expressions and blocks around the current place. */
  depth = 0;
  #code = 0;
  /** Ways around the current place: while there are any, changes are kept in the trail. */
  recording = 0;
  /** Loops of unknown length around the current place. */
  rounds = 0;
  /** What follows is not reached. */
  raised = false;
  frame: Frame;
  readonly frames: Frame[] = [];
  readonly trail: Change[] = [];
  readonly defined: FunctionThing[] = [];
  readonly walked = new Set<FunctionCode>();
  readonly wildcards: string[] = [];
  readonly samples = new Map<ClassThing, InstanceThing>();

  constructor(dialect: Dialect, surroundings: Surroundings, languages: Languages) {
    this.dialect = dialect;
    this.languages = languages;
    this.record = new Record(surroundings);
    this.globals = { names: new Map(), parent: null, outer: new Map() };
    this.frame = { code: null, scope: this.globals, self: null, owner: null, returns: [], yields: [] };
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
      this.record.unknown('more steps than are followed', this.frame.code?.span ?? [0, 0]);
    }
    const facts = this.record.facts();
    if (this.written.size === 0) return facts;
    return { ...facts, files: new Map([...this.written].map(([path, held]) => [path, literal(held)])) };
  }

  #walk(program: Program): void {
    declare(this, program.body, this.globals);
    walkBlock(this, program.body);
    for (let index = 0; index < this.defined.length; index++) {
      const defined = this.defined[index];
      if (!defined || this.walked.has(defined.code)) continue;
      this.raised = false;
      const self =
        defined.owner && defined.code.receiver !== 'none' ? sampleOf(this, defined.owner) : defined.self;
      invoke(this, { ...defined, self }, [], new Map());
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
      declare(this, program.body, this.frame.scope);
      const { body } = program;
      const last = body.at(-1);
      walkBlock(this, last?.form === 'expression' ? body.slice(0, -1) : body);
      return last?.form === 'expression' ? evaluate(this, last.value) : none;
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
    this.steps += steps;
    this.record.surroundings.spend(steps);
    if (this.steps > mostSteps) throw new Exhausted();
  }

  get exact(): boolean {
    return this.steps < exactSteps;
  }

  /** Everything after this place is not reached. */
  stop(): void {
    this.raised = true;
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
    if (this.recording > 0) this.trail.push({ cell, key, before: cell.get(key) });
    cell.set(key, value);
  }

  lookup(name: string): Thing {
    for (let scope: Scope | null = this.frame.scope; scope; scope = scope.parent) {
      const held = scope.names.get(name);
      if (held) return held;
    }
    const known = this.dialect.name(name, this);
    if (known) return known;
    for (const library of this.wildcards) {
      const full = `${library}.${name}`;
      if (this.dialect.operations.has(full)) return member(full);
      // A part of the library, with functions of its own.
      for (const known of this.dialect.operations.keys())
        if (known.startsWith(`${full}.`)) return member(full);
    }
    return unknown;
  }

  /** The receiver of the function around the current place. */
  get self(): Thing {
    return this.frame.self ?? unknown;
  }

  get owner(): ClassThing | null {
    return this.frame.owner;
  }

  /** Takes over the facts of code in another language, at the place where it is run. */
  adopt(facts: Facts, span: Span, through: string): void {
    const name = spoken(through);
    for (const { kind, target, ...effect } of facts.effects)
      this.record.effect(kind, target, { ...effect, span, through: [name, ...effect.through] });
    for (const invocation of facts.invocations)
      this.record.invocation({ ...invocation, span, through: [name, ...invocation.through] });
    for (const { what } of facts.unknowns) this.record.unknown(what, span);
    for (const error of facts.errors) this.record.error(error);
  }
}

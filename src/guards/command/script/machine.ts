// The abstract machine: where a walk stands, its bounds, and what it has met. `run.ts` walks a program with it.

import type { AnalysisEnvironment, Facts, Languages } from '../effects.ts';
import type { Completion, Expression, FunctionCode, Pattern, Program, Span, Statement } from './program.ts';
import { Record, spoken } from './record.ts';
import {
  type Cell,
  type ClassThing,
  type FunctionThing,
  handle,
  type InstanceThing,
  member,
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

/** The machine's own bound was reached: an answer, not a fault. */
export class Exhausted extends Error {}

/** The functions that walk a program: each part of the walk reaches them here, so that no file needs another above it. */
export interface Walker {
  /** What an expression is worth. */
  readonly evaluate: (machine: Machine, expression: Expression) => Thing;
  /** Puts a value where a pattern says. */
  readonly assign: (machine: Machine, pattern: Pattern, value: Thing) => void;
  /** Walks statements one after another; says how they end. */
  readonly walkBlock: (machine: Machine, statements: readonly Statement[]) => Completion;
  /** Walks a function of the script with its arguments; gives what it returns. */
  readonly invoke: (
    machine: Machine,
    target: FunctionThing,
    args: readonly Thing[],
    keywords: ReadonlyMap<string, Thing>,
  ) => Thing;
}

/** One walk: its bounds, where it stands, and what it has met. */
export class Machine {
  readonly record: Record;
  readonly dialect: Dialect;
  readonly languages: Languages;
  readonly walker: Walker;
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
  /** Code within code around the current place: `exec` of `exec`. */
  code = 0;
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

  constructor(dialect: Dialect, around: AnalysisEnvironment, languages: Languages, walker: Walker) {
    this.dialect = dialect;
    this.walker = walker;
    this.languages = languages;
    this.record = new Record(around);
    this.globals = { names: new Map(), parent: null, outer: new Map() };
    this.frame = { code: null, scope: this.globals, self: null, owner: null, returns: [], yields: [] };
  }

  /** Notes a piece of work against the budget. */
  spend(steps: number): void {
    this.steps += steps;
    this.record.around.spend(steps);
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

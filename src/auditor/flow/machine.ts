// Follows values through the program on every way at once: what comes from where, what has cleared it, what it reaches.
// It knows no rule; it tells of every place where something from outside reaches a model, a person or the world.

import { work } from '../entries.ts';
import type { Block, Callable, ClassShape, Expression, Module, Offer } from '../ir.ts';
import { plainName } from '../lower/go/names.ts';
import { hint, type Program } from '../program.ts';
import { isTool, relevant, variablesOfFunctions } from '../relevant.ts';
import type { Guards, Kinds } from '../roles/guards.ts';
import { type GuardUse, type Label, nothing, type Place, State, type Value, whole } from '../value.ts';
import { Memory } from './memory.ts';
import type { Reach, Sink } from './reach.ts';

interface Budget {
  /** Steps that a way in, or a statement at the top of a module, may take at first. */
  readonly first: number;
  /** Steps that it may take when all others have had their turn. */
  readonly steps: number;
  /** Steps of all together, and what each module adds to them. */
  readonly total: number;
  readonly module: number;
  readonly depth: number;
}

const usualBudget: Budget = {
  first: 5000,
  steps: 150_000,
  total: 1_500_000,
  module: 2000,
  depth: 15,
};

/** One call that is being followed. */
export interface Frame {
  readonly callable: Callable | null;
  readonly module: Module;
  readonly self: Value;
  /** What it gives goes to the caller of the program. */
  readonly entry: boolean;
  readonly returns: { readonly value: Value; readonly state: State }[];
  yields: Value;
  readonly loops: { readonly breaks: State[]; readonly continues: State[] }[];
  /** The statement that made the call. */
  readonly from: Place;
}

/** The functions that follow a program: the machine is made with them, so that no file needs another above it. */
export interface Walker {
  /** Follows what makes an object of a class, with nothing given. */
  readonly construct: (machine: Machine, shape: ClassShape, id: number, given: null, state: State) => void;
  /** Follows a function whose arguments come from outside. */
  readonly enter: (
    machine: Machine,
    closure: { readonly callable: Callable; readonly self: Value },
    state: State,
    how: { readonly entry: boolean; readonly tool: boolean },
  ) => void;
  readonly evaluated: (machine: Machine, expression: Expression, state: State) => Value;
  readonly perform: (machine: Machine, block: Block, state: State) => void;
}

class OutOfSteps extends Error {}

/** Something that took too many steps, to be tried again. */
interface Late {
  readonly place: Place;
  readonly follow: () => void;
}

export class Machine {
  readonly program: Program;
  readonly guards: Guards;
  readonly #walker: Walker;
  readonly reach: (reach: Reach) => void;
  /** Names of guards whose results must be waited for though their names do not tell. */
  readonly asynchronous: ReadonlySet<string>;
  readonly uses = new Map<Expression, GuardUse>();
  readonly visited = new Set<Callable>();
  /** Where the analysis gave up. */
  readonly exceeded: Place[] = [];
  /** Where something is decided, and nobody sees what. */
  readonly unseen = new Map<string, Place>();
  readonly memory: Memory;
  readonly #imports = new Map<
    number,
    { readonly module: Module; readonly from: string; readonly name: string }
  >();
  readonly #evaluated = new Set<Module>();
  readonly labels = new Map<string, Label>();
  /** What promises that the program makes are kept with, by the number of the promise. */
  readonly settled = new Map<number, Value>();
  /** What each expression last was, so that a test need not be followed again. */
  readonly outcomes = new Map<Expression, Value>();
  readonly catches: State[][] = [];
  readonly middleware = new Map<string, Kinds>();
  readonly frames: Frame[] = [];
  readonly budget: Budget;
  readonly #total: number;
  #limit: number;
  #steps = 0;
  #spent = 0;
  #copiedBefore = work.done;
  readonly #late: Late[] = [];
  /** Inside a branch that a model's choice leads to. */
  choosing = 0;
  /** What held at the ends of the ways through a refusal. */
  readonly watched: Kinds[][] = [];
  /** Inside a try whose handler does not go on. */
  trying = 0;
  statement: Place;

  constructor(
    walker: Walker,
    program: Program,
    guards: Guards,
    reach: (reach: Reach) => void,
    asynchronous: ReadonlySet<string> = new Set(),
    budget: Budget = usualBudget,
  ) {
    this.#walker = walker;
    this.program = program;
    this.guards = guards;
    this.reach = reach;
    this.asynchronous = asynchronous;
    this.budget = budget;
    this.#total = budget.total + budget.module * program.modules.length;
    this.#limit = budget.first;
    this.memory = new Memory(program.modules);
    const [first] = program.modules;
    this.statement = { module: first as Module, at: 0 };
    for (const module of program.modules) {
      for (const { variable, from, name } of module.imports)
        this.#imports.set(variable, { module, from, name });
    }
  }

  /** Follows every way in. */
  run(): void {
    const wanted = relevant(this.program);
    const speaking = new Set([...wanted].map(({ module }) => module));
    // Any other module is followed when one of these uses it.
    for (const module of this.program.modules)
      if (speaking.has(module) || hint.test(module.source)) this.#evaluate(module);
    this.#tryAgain(this.#total / 2);
    this.#enterDressed(wanted);
    // Outer functions come before their inner ones, and those that are never called before those that may be.
    const order = [...wanted].toSorted(
      (a, b) => Number(b.name === 'main') - Number(a.name === 'main') || a.at - b.at,
    );
    for (const pass of [true, false]) {
      for (const callable of order) {
        if (this.visited.has(callable) || callable.name === 'constructor' || callable.name === '__init__')
          continue;
        if (pass && this.#isCalled(callable)) continue;
        const through = this.#enter(callable);
        // What a first call leaves behind in the object, a second one meets.
        if (through && callable.class !== undefined) this.#enter(callable);
      }
      // Whoever was too much at first may call what comes next, and says then what it is handed.
      this.#tryAgain(pass ? this.#total * 0.8 : this.#total);
    }
  }

  /** What a module offers may be a function in the clothes of another, and is entered through them. */
  #enterDressed(wanted: ReadonlySet<Callable>): void {
    for (const module of this.program.modules) {
      for (const [name, variable] of module.names) {
        for (const { callable } of this.memory.globals.get(variable)?.closures ?? []) {
          const dressed = callable.name !== name && module.callables.some((inner) => wanted.has(inner));
          if (dressed && !this.#isCalled(callable, name) && !this.visited.has(callable))
            this.#enter(callable);
        }
      }
    }
  }

  #called: ReturnType<typeof callsIn> | undefined;

  /**
   * Whether a call of this name is written somewhere. A definition of a method looks like one without a dot; a function
   * of a module is called with one only through the module.
   */
  #isCalled({ name, class: shape, module }: Callable, as = name): boolean {
    this.#called ??= callsIn(this.program);
    const { plain, dotted, kept, whole } = this.#called;
    const own =
      module.language === 'typescript' &&
      shape === undefined &&
      kept.has(`${module.path} ${name}`) &&
      !whole.has(module);
    return (dotted.has(as) && !own) || (shape === undefined && plain.has(as));
  }

  /** Follows one function as a way in, to its end or to be tried again: what it is handed comes from outside. */
  #enter(callable: Callable): boolean {
    const late: Late = {
      place: { module: callable.module, at: callable.at },
      follow: () => {
        const state = new State();
        const self = callable.class === undefined ? nothing : this.instance(callable.class, state);
        this.#walker.enter(this, { callable, self }, state, {
          entry: !isTool(callable),
          tool: isTool(callable),
        });
      },
    };
    const through = this.#follow(late, this.budget.first);
    if (!through) this.#late.push(late);
    return through;
  }

  /** Follows to its end what was too much at first, as long as fewer steps than these are spent. */
  #tryAgain(most: number): void {
    // One that is tried again may come upon a module that nobody has asked for yet.
    for (let late = this.#late.shift(); late !== undefined; late = this.#late.shift()) {
      if (this.#spent >= most || !this.#follow(late, this.budget.steps)) this.exceeded.push(late.place);
    }
  }

  /** Whether there were steps enough. */
  #follow({ place, follow }: Late, limit: number): boolean {
    const outer = {
      statement: this.statement,
      frames: this.frames.splice(0),
      catches: this.catches.splice(0),
      watched: this.watched.splice(0),
      choosing: this.choosing,
      trying: this.trying,
      limit: this.#limit,
      taken: this.#taken(),
    };
    this.#begin();
    this.#limit = limit;
    this.choosing = 0;
    this.trying = 0;
    this.frames.push(this.#base(place.module));
    try {
      follow();
      return true;
    } catch (error) {
      if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error;
      return false;
    } finally {
      this.frames.splice(0, this.frames.length, ...outer.frames);
      this.catches.splice(0, this.catches.length, ...outer.catches);
      this.watched.splice(0, this.watched.length, ...outer.watched);
      this.choosing = outer.choosing;
      this.trying = outer.trying;
      this.statement = outer.statement;
      // What was under way goes on with the steps that it has taken itself.
      this.#begin();
      this.#limit = outer.limit;
      this.#steps = outer.taken;
      this.#spent -= outer.taken;
    }
  }

  /** A new way begins, with all its steps before it. */
  #begin(): void {
    this.#spent += this.#taken();
    this.#steps = 0;
    this.#copiedBefore = work.done;
  }

  /** What the way at hand has taken: copying counts too. */
  #taken(): number {
    return this.#steps + (work.done - this.#copiedBefore) / 8;
  }

  #base(module: Module): Frame {
    return {
      callable: null,
      module,
      self: nothing,
      entry: false,
      returns: [],
      yields: nothing,
      loops: [],
      from: this.statement,
    };
  }

  tell(
    sink: Sink,
    value: Value,
    state: State,
    more: Partial<Pick<Reach, 'effects' | 'recorded' | 'what' | 'place'>> = {},
  ): void {
    const tags = [...state.bake(value).tags.values()];
    this.reach({
      sink,
      place: more.place ?? this.statement,
      tags,
      held: state.facts.get(whole) ?? 0,
      attempts: [...state.attempts],
      effects: more.effects ?? null,
      what: more.what ?? '',
      chain: this.chain(),
      ...(more.recorded === undefined ? {} : { recorded: more.recorded }),
    });
  }

  /** The statements of all calls that are being followed, the outermost first, and the one at hand. */
  chain(): readonly Place[] {
    return [...this.frames.slice(1).map(({ from }) => from), this.statement];
  }

  /** The guard that a dotted name stands for at the top of a module, whatever it is bound to elsewhere. */
  guardNamed(module: Module, name: string): ReturnType<Guards['find']> {
    const [root = '', ...rest] = name.split('.');
    // In Go an object has the name that each of its methods gives it.
    const itself = root === 'self' || root === 'this' || module.language === 'go';
    const own = itself && rest.length > 1 ? this.#fieldPaths(rest[0] ?? '') : [];
    const variable = module.names.get(root);
    const paths =
      variable === undefined
        ? own.map((path) => [path, ...rest.slice(1)].join('.'))
        : this.read(variable, new State()).paths.map((path) => [path, ...rest].join('.'));
    for (const path of [`:${name}`, ...paths]) {
      const guard = this.guards.find(path);
      if (guard !== null) return guard;
    }
    return null;
  }

  #fieldPaths(name: string): readonly string[] {
    return [...this.memory.instances.keys()].flatMap((id) => [
      ...(this.memory.heap.get(id)?.fields.get(name)?.paths ?? []),
    ]);
  }

  #evaluate(module: Module): void {
    if (this.#evaluated.has(module)) return;
    this.#evaluated.add(module);
    const state = new State();
    for (const statement of module.body) {
      const before = state.clone();
      const place = { module, at: statement.at };
      if (
        this.#follow(
          { place, follow: () => this.#walker.perform(this, [statement], state) },
          this.budget.first,
        )
      )
        continue;
      state.become(before);
      const made = statement.kind === 'let' && statement.target.kind === 'variable' ? statement.target : null;
      // Until it is followed to its end, it is what its name says.
      if (made !== null) this.memory.write(made.variable, { ...nothing, paths: [`:${made.name}`] }, state);
      this.#late.push({
        place,
        follow: () => {
          if (made !== null) this.memory.globals.delete(made.variable);
          this.#walker.perform(this, [statement], new State());
        },
      });
    }
    for (const [id] of [...state.heap]) this.memory.share(id, state);
  }

  #imported(variable: number): Value | undefined {
    const from = this.#imports.get(variable);
    if (from === undefined) return undefined;
    const target = this.program.resolve(from.module, from.from);
    if (target !== null) {
      const value = this.offered(target, from.name);
      if (value !== undefined) return value;
    }
    // A module of Python may be imported by name from its package.
    const inner = this.program.resolve(
      from.module,
      `${from.from}${from.from.endsWith('.') ? '' : '.'}${from.name}`,
    );
    if (from.module.language === 'python' && inner !== null) return this.offered(inner, '*');
    return { ...nothing, paths: [`${from.from}:${from.name}`] };
  }

  /** What a module offers under a name. */
  offered(module: Module, name: string, depth = 0): Value | undefined {
    if (depth > 8) return undefined;
    this.#evaluate(module);
    if (name === '*') {
      const id = this.memory.objectId(module);
      if (!this.memory.heap.has(id)) {
        const fields = new Map<string, Value>();
        this.memory.heap.set(id, { fields, rest: nothing });
        for (const [own, offer] of module.offers) {
          const value = this.#offer(module, offer, depth);
          if (value !== undefined) fields.set(own, value);
        }
      }
      return { ...nothing, objects: [id], paths: [`${module.path}:*`] };
    }
    const offer = module.offers.get(name);
    if (offer !== undefined) return this.#offer(module, offer, depth);
    for (const star of module.stars) {
      const target = this.program.resolve(module, star);
      const value = target === null ? undefined : this.offered(target, name, depth + 1);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #offer(module: Module, offer: Offer, depth: number): Value | undefined {
    if ('value' in offer) return undefined;
    if ('variable' in offer) return this.memory.globals.get(offer.variable) ?? this.#imported(offer.variable);
    const target = this.program.resolve(module, offer.from);
    return target === null
      ? { ...nothing, paths: [`${offer.from}:${offer.name}`] }
      : this.offered(target, offer.name, depth + 1);
  }

  read(variable: number, state: State): Value {
    return (
      state.variables.get(variable) ??
      this.memory.globals.get(variable) ??
      this.#imported(variable) ??
      this.memory.captured.get(variable) ??
      nothing
    );
  }

  /** The one object that stands for all of a class. */
  instance(shape: ClassShape, state: State): Value {
    const id = this.memory.objectId(shape);
    if (!this.memory.instances.has(id)) {
      this.memory.instances.set(id, shape);
      this.#walker.construct(this, shape, id, null, state);
    }
    return { ...nothing, objects: [id] };
  }

  frame(): Frame {
    const frame = this.frames.at(-1);
    if (frame === undefined) throw new Error('no call is being followed');
    return frame;
  }

  evaluate(expression: Expression, state: State): Value {
    this.#steps++;
    const taken = this.#taken();
    if (taken > this.#limit || this.#spent + taken > this.#total) throw new OutOfSteps();
    const value = this.#walker.evaluated(this, expression, state);
    this.outcomes.set(expression, value);
    return value;
  }
}

/** The names that are called, functions that are kept in variables, and modules that are handed about as a whole. */
function callsIn(program: Program) {
  const plain = new Set<string>();
  const dotted = new Set<string>();
  const kept = new Set<string>();
  const whole = new Set<Module>();
  for (const module of program.modules) {
    const { source, imports, path } = module;
    for (const { name } of variablesOfFunctions(module).keys()) kept.add(`${path} ${name}`);
    for (const { from, name } of imports) {
      const target = name === '*' ? program.resolve(module, from) : null;
      if (target !== null) whole.add(target);
    }
    const known = (name: string) => (module.language === 'go' ? plainName(name) : name);
    for (const [, method, name] of source.matchAll(
      /\.\s*#?(\w+)\s*(?:\?\.)?\(|(?<![\w.#]|function\s|def\s|class\s|async\s|func\s)\b(\w+)\s*(?:\?\.)?\(/g,
    )) {
      if (method !== undefined) dotted.add(known(method));
      if (name !== undefined) plain.add(known(name));
    }
  }
  return { plain, dotted, kept, whole };
}

// Follows values through the program on every way at once: what comes from where, what has cleared it, what it reaches.
// It knows no rule; it tells of every place where something from outside reaches a model, a person or the world.

import { call, construct } from './calls.ts';
import type {
  Block,
  Callable,
  ClassShape,
  Expression,
  Member,
  Module,
  Offer,
  Pattern,
  Statement,
} from './ir.ts';
import { inExpression, type Program, relevant, written } from './program.ts';
import {
  answerCalls,
  answerFacts,
  type Effect,
  everything,
  finalText,
  type Guards,
  inputValues,
  isAnswer,
  isCall,
  isContext,
  isText,
  isUpload,
  type Kinds,
  kinds,
  saysNo,
  wholeText,
  wordSaysNo,
} from './roles.ts';
import {
  baked,
  type Case,
  type Check,
  clearedBy,
  constantOf,
  copied,
  emptyObject,
  type Facts,
  type GuardUse,
  type HeapObject,
  join,
  joinObjects,
  joinStates,
  joinTags,
  type Label,
  nothing,
  ofTags,
  type Place,
  type SourceKind,
  State,
  type Step,
  type Tag,
  type Value,
  whole,
} from './value.ts';

/** Where something ends up. */
export type Sink =
  | 'prompt'
  | 'show'
  | 'dispatch'
  | 'interpret'
  | 'write'
  | 'delete'
  | 'http'
  | 'message'
  | 'owner'
  | 'refusal';

/** Something reached a sink. */
export interface Reach {
  readonly sink: Sink;
  /** The statement that it happens in, before which a check would stand. */
  readonly place: Place;
  /** With all that holds at this moment written into them. */
  readonly tags: readonly Tag[];
  /** What holds for the agent as a whole. */
  readonly held: Kinds;
  /** Guards that were called on some way to here. */
  readonly attempts: readonly GuardUse[];
  /** What the tools that may run can do; null where nobody knows. */
  readonly effects: ReadonlySet<Effect> | null;
  /** For a refusal: whether it was recorded. */
  readonly recorded?: boolean;
  readonly what: string;
  /** The statements of all calls on the way, the outermost first, and this one. */
  readonly chain: readonly Place[];
}

export interface Budget {
  /** Steps that one way in may take, and all together. */
  readonly steps: number;
  readonly total: number;
  readonly depth: number;
}

export const usualBudget: Budget = { steps: 150_000, total: 1_500_000, depth: 15 };

/** One call that is being followed. */
export interface Frame {
  readonly callable: Callable | null;
  readonly module: Module;
  readonly self: Value;
  /** What it gives goes to whoever called the program. */
  readonly entry: boolean;
  readonly returns: { readonly value: Value; readonly state: State }[];
  yields: Value;
  readonly loops: { readonly breaks: State[]; readonly continues: State[] }[];
  /** The statement that made the call. */
  readonly from: Place;
}

class OutOfSteps extends Error {}

export class Machine {
  readonly program: Program;
  readonly guards: Guards;
  readonly reach: (reach: Reach) => void;
  /** Names of guards whose results must be waited for though their names do not tell. */
  readonly asynchronous: ReadonlySet<string>;
  readonly uses = new Map<Expression, GuardUse>();
  readonly visited = new Set<Callable>();
  /** Where the analysis gave up. */
  readonly exceeded: Place[] = [];
  readonly #globals = new Map<number, Value>();
  readonly #globalHeap = new Map<number, HeapObject>();
  readonly #shared = new Set<number>();
  /** What functions that outlive their makers still see. */
  readonly #captured = new Map<number, Value>();
  readonly #moduleVariables = new Map<number, Module>();
  readonly #imports = new Map<
    number,
    { readonly module: Module; readonly from: string; readonly name: string }
  >();
  readonly #importNames = new Map<Module, ReadonlySet<string>>();
  readonly #evaluated = new Set<Module>();
  readonly #labels = new Map<string, Label>();
  readonly #objectIds = new Map<unknown, number>();
  readonly instances = new Map<number, ClassShape>();
  /** Objects that are lists: what has no number there is a method. */
  readonly lists = new Set<number>();
  /** What each expression last was, so that a test need not be followed again. */
  readonly #memory = new Map<Expression, Value>();
  readonly #catches: State[][] = [];
  readonly #middleware = new Map<string, Kinds>();
  readonly frames: Frame[] = [];
  readonly #budget: Budget;
  #steps = 0;
  #spent = 0;
  #copiedBefore = copied.entries;
  /** Inside a branch that a model's choice leads to. */
  choosing = 0;
  /** What held at the ends of the ways through a refusal. */
  readonly #watched: Kinds[][] = [];
  /** Inside a try whose handler does not go on. */
  trying = 0;
  statement: Place;

  constructor(
    program: Program,
    guards: Guards,
    reach: (reach: Reach) => void,
    asynchronous: ReadonlySet<string> = new Set(),
    budget: Budget = usualBudget,
  ) {
    this.program = program;
    this.guards = guards;
    this.reach = reach;
    this.asynchronous = asynchronous;
    this.#budget = budget;
    const [first] = program.modules;
    this.statement = { module: first as Module, at: 0 };
    for (const module of program.modules) {
      for (const { variable, from, name } of module.imports)
        this.#imports.set(variable, { module, from, name });
      for (const offer of module.offers.values()) {
        if ('variable' in offer) this.#moduleVariables.set(offer.variable, module);
      }
      markTop(module.body, (variable) => this.#moduleVariables.set(variable, module));
    }
  }

  /** Follows every way in. */
  run(): void {
    for (const module of this.program.modules) this.#evaluate(module);
    const wanted = relevant(this.program);
    // What a module offers may be a function in the clothes of another, and is entered through them.
    for (const module of this.program.modules) {
      for (const [name, variable] of module.names) {
        for (const { callable } of this.#globals.get(variable)?.closures ?? []) {
          const dressed = callable.name !== name && module.callables.some((inner) => wanted.has(inner));
          if (dressed && !this.#isCalled(name, false) && !this.visited.has(callable)) this.#enter(callable);
        }
      }
    }
    // Outer functions come before what stands in them, and what nobody calls before what somebody may.
    const order = [...wanted].toSorted(
      (a, b) => Number(b.name === 'main') - Number(a.name === 'main') || a.at - b.at,
    );
    for (const pass of [true, false]) {
      for (const callable of order) {
        if (this.visited.has(callable) || callable.name === 'constructor' || callable.name === '__init__')
          continue;
        if (pass && this.#isCalled(callable.name, callable.class !== undefined)) continue;
        this.#enter(callable);
        // What a first call leaves behind in the object, a second one meets.
        if (callable.class !== undefined) this.#enter(callable);
      }
    }
  }

  #called: { readonly plain: ReadonlySet<string>; readonly dotted: ReadonlySet<string> } | undefined;

  /** Whether a call of this name is written somewhere; a definition of a method looks like one without a dot. */
  #isCalled(name: string, method: boolean): boolean {
    this.#called ??= callsIn(this.program.modules);
    return this.#called.dotted.has(name) || (!method && this.#called.plain.has(name));
  }

  /** Follows one function as a way in: what it is handed comes from outside. */
  #enter(callable: Callable): void {
    if (this.#spent >= this.#budget.total) return;
    this.#begin();
    if (this.#spent >= this.#budget.total) {
      this.exceeded.push({ module: callable.module, at: callable.at });
      return;
    }
    const state = new State();
    this.frames.push(this.#base(callable.module));
    try {
      const self = callable.class === undefined ? nothing : this.instance(callable.class, state);
      this.enter({ callable, self }, state, { entry: !isTool(callable), tool: isTool(callable) });
    } catch (error) {
      if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error;
      this.exceeded.push({ module: callable.module, at: callable.at });
    } finally {
      this.frames.length = 0;
      this.#forget();
    }
  }

  /** Nothing is under way any more. */
  #forget(): void {
    this.#catches.length = 0;
    this.#watched.length = 0;
    this.choosing = 0;
    this.trying = 0;
  }

  /** A new way begins, with all its steps before it. */
  #begin(): void {
    this.#spent += this.#steps + (copied.entries - this.#copiedBefore) / 8;
    this.#steps = 0;
    this.#copiedBefore = copied.entries;
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

  /** Calls a function with what somebody outside would hand it. */
  enter(
    { callable, self }: { readonly callable: Callable; readonly self: Value | null },
    state: State,
    {
      entry,
      tool = false,
      first,
    }: { readonly entry: boolean; readonly tool?: boolean; readonly first?: Value },
  ): Value {
    const handed = callable.parameters.map((parameter, index) => {
      if (index === 0 && first !== undefined) return first;
      return this.handed(parameter.name, callable, {
        tool: tool && index === 0,
        pattern: parameter.target,
        type: parameter.type ?? null,
        state,
      });
    });
    return this.invoke(callable, self, handed, state, entry);
  }

  /** A parameter's value, where nobody in the program says what it is. */
  handed(
    name: string,
    callable: Callable,
    given: {
      readonly tool: boolean;
      readonly pattern: Pattern;
      readonly type: Expression | null;
      readonly state: State;
    },
  ): Value {
    const place = { module: callable.module, at: callable.at };
    const shadows = this.#namesImported(callable.module).has(name);
    const path = shadows ? `shadow:${name}` : `:${name}`;
    if (given.type !== null && !shadows) {
      const type = this.evaluate(given.type, given.state);
      if (type.classes.length > 0)
        return join(...pair(type.classes.map((shape) => this.instance(shape, given.state))));
      const paths = type.paths.filter((one) => !one.startsWith(':'));
      if (paths.length > 0 && isContextType(name, paths)) {
        return { ...nothing, paths: [...paths.map((one) => `${one}()`), path] };
      }
    }
    if (given.pattern.kind === 'fields' || name === '') {
      const source = {
        path: name === '' ? `${callable.name || 'parameter'}` : name,
        label: null,
        quiet: false,
      };
      return given.tool
        ? this.labelled('call', name || 'arguments', place, [path])
        : { ...nothing, paths: [path], source: { ...source, quiet: false } };
    }
    if (given.tool || isCall(name)) return this.labelled('call', name, place, [path]);
    if (isAnswer(name)) return this.labelled('model', name, place, [path]);
    const quiet = isContext(name);
    const label = quiet ? null : this.label(isUpload(name) ? 'upload' : 'user', name, place, null);
    const value: Value = { ...nothing, paths: [path], source: { path: name, label, quiet } };
    return label === null ? value : { ...value, tags: new Map([[label.id, this.#tag(label)]]) };
  }

  #namesImported(module: Module): ReadonlySet<string> {
    const known = this.#importNames.get(module);
    if (known !== undefined) return known;
    const names = new Set<string>();
    for (const { name, variable } of module.imports) {
      if (name !== '*' && name !== 'default') names.add(name);
      for (const [offered, offer] of module.offers) {
        if ('variable' in offer && offer.variable === variable) names.add(offered);
      }
    }
    this.#importNames.set(module, names);
    return names;
  }

  // ── labels and steps

  label(kind: SourceKind, name: string, place: Place, parent: Label | null): Label {
    const key = `${kind} ${name} ${place.module.path} ${place.at} ${parent?.id ?? ''}`;
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const label: Label = { id: this.#labels.size + 1, kind, name, place, parent };
    this.#labels.set(key, label);
    return label;
  }

  #tag(label: Label): Tag {
    return { label, cleared: 0, step: { place: label.place, what: label.name, before: null, depth: 0 } };
  }

  labelled(
    kind: SourceKind,
    name: string,
    place: Place,
    paths: readonly string[] = [],
    state?: State,
  ): Value {
    const label = this.label(kind, name, place, null);
    state?.renew(label);
    return { ...nothing, paths, tags: new Map([[label.id, this.#tag(label)]]) };
  }

  /** The value with a further step on its way. */
  stepped(value: Value, what: string): Value {
    if (value.tags.size === 0) return value;
    const place = this.statement;
    const tags = new Map<number, Tag>();
    for (const [id, tag] of value.tags) {
      const same = tag.step?.place.at === place.at && tag.step.place.module === place.module;
      const depth = (tag.step?.depth ?? 0) + 1;
      const step: Step | null = same || depth > 12 ? tag.step : { place, what, before: tag.step, depth };
      tags.set(id, step === tag.step ? tag : { ...tag, step });
    }
    return { ...value, tags };
  }

  /** A part of what a model said. */
  #part(tags: ReadonlyMap<number, Tag>, property: string | null): ReadonlyMap<number, Tag> {
    if (tags.size === 0 || property === null) return tags;
    const parts = new Map<number, Tag>();
    for (const [id, tag] of tags) {
      const { label } = tag;
      const spoken = label.kind === 'model' || label.kind === 'chunk';
      if ((spoken || label.kind === 'call' || label.kind === 'tool') && answerFacts.has(property)) continue;
      if (spoken && answerCalls.has(property)) {
        const wanted = this.label('call', label.name, label.place, label);
        parts.set(wanted.id, { ...tag, label: wanted });
      } else if (label.kind === 'chunk' && finalText.has(property)) {
        const text = this.label('model', label.name, label.place, label.parent ?? label);
        parts.set(text.id, { ...tag, label: text });
      } else parts.set(id, tag);
    }
    return parts;
  }

  /** The pieces of a stream, or, behind its end, the whole of them. */
  retold(value: Value, from: SourceKind, to: SourceKind): Value {
    if (![...value.tags.values()].some(({ label }) => label.kind === from)) return value;
    const tags = new Map<number, Tag>();
    for (const [id, tag] of value.tags) {
      if (tag.label.kind !== from) tags.set(id, tag);
      else {
        const label = this.label(to, tag.label.name, tag.label.place, null);
        tags.set(label.id, { ...tag, label });
      }
    }
    return { ...value, tags };
  }

  tell(
    sink: Sink,
    value: Value,
    state: State,
    more: Partial<Pick<Reach, 'effects' | 'recorded' | 'what' | 'place'>> = {},
  ): void {
    const tags = [...baked(value, state.facts).tags.values()];
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
    const own =
      (root === 'self' || root === 'this') && rest.length > 1 ? this.#fieldPaths(rest[0] ?? '') : [];
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
    return [...this.instances.keys()].flatMap((id) => [
      ...(this.#globalHeap.get(id)?.fields.get(name)?.paths ?? []),
    ]);
  }

  // ── modules

  #evaluate(module: Module): void {
    if (this.#evaluated.has(module)) return;
    this.#evaluated.add(module);
    const state = new State();
    this.#begin();
    const kept = {
      statement: this.statement,
      frames: this.frames.splice(0),
      catches: this.#catches.splice(0),
    };
    this.frames.push(this.#base(module));
    try {
      this.block(module.body, state);
    } catch (error) {
      if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error;
      this.exceeded.push({ module, at: 0 });
      this.#forget();
    } finally {
      this.frames.splice(0, this.frames.length, ...kept.frames);
      this.#catches.splice(0, this.#catches.length, ...kept.catches);
      this.statement = kept.statement;
    }
    for (const id of [...state.heap.keys()]) this.#share(id, state);
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
      const id = this.objectId(module);
      if (!this.#globalHeap.has(id)) {
        const fields = new Map<string, Value>();
        this.#globalHeap.set(id, { fields, rest: nothing });
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
    if ('variable' in offer) return this.#globals.get(offer.variable) ?? this.#imported(offer.variable);
    const target = this.program.resolve(module, offer.from);
    return target === null
      ? { ...nothing, paths: [`${offer.from}:${offer.name}`] }
      : this.offered(target, offer.name, depth + 1);
  }

  // ── variables and objects

  read(variable: number, state: State): Value {
    return (
      state.variables.get(variable) ??
      this.#globals.get(variable) ??
      this.#imported(variable) ??
      this.#captured.get(variable) ??
      nothing
    );
  }

  write(variable: number, value: Value, state: State): void {
    state.variables.set(variable, value);
    if (this.#moduleVariables.has(variable)) {
      const before = this.#globals.get(variable);
      const kept = baked(value, state.facts);
      this.#globals.set(variable, before === undefined ? kept : join(before, kept));
    }
  }

  objectId(key: unknown): number {
    const known = this.#objectIds.get(key);
    if (known !== undefined) return known;
    const id = this.#objectIds.size + 1;
    this.#objectIds.set(key, id);
    return id;
  }

  object(id: number, state: State): HeapObject {
    return state.heap.get(id) ?? this.#globalHeap.get(id) ?? emptyObject;
  }

  /** Puts an object where it lives: those of classes are shared by all ways. */
  keep(id: number, object: HeapObject, state: State): void {
    if (!this.instances.has(id) && !this.#shared.has(id)) {
      state.heap.set(id, object);
      return;
    }
    for (const value of [...object.fields.values(), object.rest])
      for (const inner of value.objects) this.#share(inner, state);
    const fields = new Map([...object.fields].map(([name, value]) => [name, baked(value, state.facts)]));
    const next = { fields, rest: baked(object.rest, state.facts) };
    const before = this.#globalHeap.get(id);
    this.#globalHeap.set(id, before === undefined ? next : joinObjects(before, next));
  }

  /** An object that outlives the call: all ways see it. */
  #share(id: number, state: State): void {
    if (this.#shared.has(id) || this.instances.has(id)) return;
    this.#shared.add(id);
    const object = state.heap.get(id);
    state.heap.delete(id);
    if (object !== undefined) this.keep(id, object, state);
  }

  /** The one object that stands for all of a class. */
  instance(shape: ClassShape, state: State): Value {
    const id = this.objectId(shape);
    if (!this.instances.has(id)) {
      this.instances.set(id, shape);
      construct(this, shape, id, null, state);
    }
    return { ...nothing, objects: [id] };
  }

  /** All tags of a value and of what is in it. */
  deep(value: Value, state: State, seen = new Set<number>()): ReadonlyMap<number, Tag> {
    let { tags } = value;
    for (const id of value.objects) {
      if (seen.has(id)) continue;
      seen.add(id);
      const { fields, rest } = this.object(id, state);
      if (this.instances.has(id)) continue;
      for (const inner of [...fields.values(), rest]) tags = joinTags(tags, this.deep(inner, state, seen));
    }
    return tags;
  }

  /** The value as one that has its parts' tags itself. */
  flat(value: Value, state: State): Value {
    const tags = this.deep(value, state);
    return tags === value.tags ? value : { ...value, tags };
  }

  element(value: Value, state: State): Value {
    let found: Value = { ...ofTags(value.tags), paths: value.paths.map((path) => `${path}[]`).slice(0, 2) };
    if (value.source !== undefined) found = { ...found, source: value.source };
    for (const id of value.objects) {
      const { fields, rest } = this.object(id, state);
      for (const inner of fields.values()) found = join(found, inner);
      found = join(found, rest);
    }
    return found;
  }

  member(object: Value, property: string | null, key: Value | null, state: State): Value {
    let found: Value = { ...nothing, tags: this.#part(object.tags, property) };
    if (object.cases !== undefined && property !== null) {
      const cases = object.cases.map(
        ({ value, facts }): Case => ({ value: this.member(value, property, key, state), facts }),
      );
      found = { ...found, cases };
    }
    if (object.source !== undefined && property !== null) found = this.#sourcePart(object, property);
    for (const id of object.objects) {
      const { fields, rest } = this.object(id, state);
      const named = property === null ? undefined : fields.get(property);
      const shape = this.instances.get(id);
      const method = property === null || shape === undefined ? null : this.#method(shape, property, state);
      if (named !== undefined) found = join(found, named);
      if (method !== null)
        found = join(found, {
          ...method,
          closures: method.closures.map(({ callable }) => ({ callable, self: object })),
        });
      const ofList = this.lists.has(id) && property !== null && !/^\d+$/.test(property);
      if (named === undefined && method === null && !ofList) {
        if (property === null) for (const inner of fields.values()) found = join(found, inner);
        found = join(found, rest);
        if (shape !== undefined && property !== null)
          found = join(found, { ...nothing, paths: [`:${property}`] });
      }
    }
    for (const shape of object.classes) {
      const method = property === null ? undefined : shape.methods.get(property);
      if (method !== undefined)
        found = join(found, { ...nothing, closures: [{ callable: method, self: object }] });
      const field = shape.fields.find(({ name }) => name === property)?.value;
      if (field !== undefined && field !== null) found = join(found, this.evaluate(field, state));
    }
    if (object.paths.length > 0) {
      const last = property ?? '*';
      const paths = object.paths.map((path) => (path.length > 200 ? path : `${path}.${last}`));
      found = { ...found, paths: [...new Set([...found.paths, ...paths])].slice(0, 6) };
      if (paths.some((path) => inputValues.test(path))) {
        found = join(found, this.labelled('user', property ?? 'input', this.statement));
      }
    }
    if (object.checks.length > 0) found = this.#checkedPart(object, property, found);
    if (object.pending) found = { ...found, pending: true };
    if (object.selected === true) found = { ...found, selected: true };
    const chosen = key === null ? [] : [...key.tags.values()].filter(({ label }) => isSaid(label));
    if (property === null && chosen.length > 0 && object.tags.size === 0) {
      found = {
        ...found,
        selected: true,
        tags: joinTags(found.tags, new Map(chosen.map((tag) => [tag.label.id, tag]))),
      };
    }
    return found;
  }

  #sourcePart(object: Value, property: string): Value {
    const { source } = object;
    if (source === undefined) return nothing;
    const path = `${source.path}.${property}`;
    if (path.split('.').length > 6) return { ...nothing, tags: object.tags, source };
    if (['length', 'size', 'trim', 'toString'].includes(property))
      return property === 'trim' || property === 'toString' ? { ...nothing, tags: object.tags } : nothing;
    const text = isText(property);
    // What describes tools is the program's own, whatever its parts are called.
    const described = /(^|\.)tools?(\.|$)/.test(source.path);
    const quiet = described || (isContext(property) && !text) || (source.quiet && !text);
    const place = source.label?.place ?? {
      module: this.statement.module,
      at: this.frames.at(-1)?.callable?.at ?? 0,
    };
    if (isCall(property)) return this.labelled('call', property, place);
    const kind = isUpload(property) ? 'upload' : source.label?.kind === 'upload' ? 'upload' : 'user';
    const label = quiet ? null : this.label(kind, path, place, source.label);
    const part: Value = { ...nothing, source: { path, label, quiet } };
    if (label === null) return part;
    const before = object.tags.get(source.label?.id ?? -1)?.cleared ?? 0;
    const tag = { ...this.#tag(label), cleared: before | this.#behindMiddleware(path) };
    return { ...part, tags: new Map([[label.id, tag]]) };
  }

  /** What middleware has cleared of a request before it lets it on to those who serve it. */
  #behindMiddleware(path: string): Kinds {
    const [root, ...rest] = path.split('.');
    const [first] = this.frames.at(-1)?.callable?.parameters ?? [];
    return first?.name === root ? (this.#middleware.get(rest.join('.')) ?? 0) : 0;
  }

  /** Middleware lets a request on: what has been cleared of it by now is clear for all that come behind. */
  letOn(state: State): void {
    const { callable, module } = this.#frame();
    for (const label of this.#labels.values()) {
      if (label.place.at !== callable?.at || label.place.module !== module) continue;
      const part = label.name.split('.').slice(1).join('.');
      const cleared = clearedBy(state.facts, label);
      this.#middleware.set(part, cleared & (this.#middleware.get(part) ?? everything));
    }
  }

  #checkedPart(object: Value, property: string | null, found: Value): Value {
    let { tags } = found;
    const checks = object.checks.map(({ use, property: before }): Check => {
      const values = use.guard.values;
      const cleared = property === null || values === undefined ? 0 : (values[property] ?? 0);
      if (cleared > 0 && !use.shadowed) {
        for (const label of use.labels) {
          const tag = this.#tag(label);
          const step: Step = {
            place: use.place,
            what: `checked by ${use.guard.name}`,
            before: tag.step,
            depth: 1,
          };
          const waits = object.pending || use.swallowed;
          tags = joinTags(tags, new Map([[label.id, { ...tag, step, cleared: waits ? 0 : cleared }]]));
        }
      }
      const known =
        before !== null && (saysNo(before) !== undefined || use.guard.tests?.[before] !== undefined);
      return { use, property: known ? before : property };
    });
    return { ...found, tags, checks };
  }

  /** A method of a class, or of what it is made from. */
  #method(shape: ClassShape, name: string, state: State, depth = 0): Value | null {
    const own = shape.methods.get(name);
    if (own !== undefined) return { ...nothing, closures: [{ callable: own, self: null }] };
    if (shape.base === null || depth > 6) return null;
    const base = this.evaluate(shape.base, state);
    for (const inner of base.classes) {
      const found = this.#method(inner, name, state, depth + 1);
      if (found !== null) return found;
    }
    return base.paths.length === 0
      ? null
      : { ...nothing, paths: base.paths.map((path) => `${path}().${name}`) };
  }

  store(target: Member, value: Value, state: State, adds: boolean): void {
    const object = this.evaluate(target.object, state);
    if (
      object.source !== undefined &&
      target.property !== null &&
      this.#replaced(object, target.property, value, state)
    )
      return;
    if (object.objects.length === 0) {
      this.#wrap(target.object, object, target.property, value, state);
      return;
    }
    const certain = object.objects.length === 1 && !adds && target.property !== null;
    for (const id of object.objects) {
      const before = this.object(id, state);
      const fields = new Map(before.fields);
      let { rest } = before;
      if (target.property === null) rest = join(rest, value);
      else
        fields.set(
          target.property,
          certain ? value : join(fields.get(target.property) ?? before.rest, value),
        );
      this.keep(id, { fields, rest }, state);
    }
  }

  /** What came in is replaced by what a guard has passed: from then on it is clear. */
  #replaced(object: Value, property: string, value: Value, state: State): boolean {
    const { label = null } = this.#sourcePart(object, property).source ?? {};
    const tags = [...baked(this.flat(value, state), state.facts).tags.values()];
    const own = tags.every(({ label: { kind } }) => kind === 'user' || kind === 'upload');
    const cleared = tags.reduce((all, tag) => all & tag.cleared, everything);
    if (label === null || tags.length === 0 || !own || cleared === 0) return false;
    state.clear([label], cleared);
    return true;
  }

  /** A field is set on something that nothing is known of: from then on that field is known. */
  #wrap(holder: Expression, object: Value, property: string | null, value: Value, state: State): void {
    if (holder.kind === 'variable') {
      const id = this.objectId(`${holder.variable}`);
      const fields = new Map(property === null ? [] : [[property, value]]);
      state.heap.set(id, {
        fields,
        rest: property === null ? join(ofTags(object.tags), value) : ofTags(object.tags),
      });
      // As a whole it still has what it had, except for what was set.
      this.write(holder.variable, { ...object, tags: new Map(), objects: [id] }, state);
    } else if (holder.kind === 'member') {
      this.store(holder, join(object, { ...nothing, tags: this.deep(value, state) }), state, true);
    }
  }

  /** Puts a value into a list or a record whose places nobody follows. */
  put(holder: Expression | null, into: Value, value: Value, state: State): void {
    if (into.objects.length > 0) {
      for (const id of into.objects) {
        const before = this.object(id, state);
        this.keep(id, { fields: before.fields, rest: join(before.rest, value) }, state);
      }
      return;
    }
    const tags = this.deep(value, state);
    if (tags.size === 0 || holder === null) return;
    const next = { ...into, tags: joinTags(into.tags, tags) };
    if (holder.kind === 'variable') this.write(holder.variable, next, state);
    else if (holder.kind === 'member') this.store(holder, next, state, true);
  }

  assign(target: Pattern, value: Value, state: State, adds = false): void {
    switch (target.kind) {
      case 'variable': {
        const before = adds ? this.read(target.variable, state) : nothing;
        this.write(
          target.variable,
          adds ? join({ ...before, cases: [] }, this.flat(value, state)) : value,
          state,
        );
        return;
      }
      case 'member':
        this.store(target, value, state, adds);
        return;
      case 'fields': {
        for (const { key, target: inner, fallback } of target.fields) {
          let part = this.member(value, key, null, state);
          if (part === nothing && fallback !== undefined) part = this.evaluate(fallback, state);
          this.assign(inner, part, state);
        }
        if (target.rest !== undefined) this.assign(target.rest, value, state);
        return;
      }
      case 'items':
        for (const [index, inner] of target.items.entries()) {
          if (inner === null) continue;
          const known = value.objects.some((id) => this.object(id, state).fields.has(String(index)));
          this.assign(
            inner,
            known ? this.member(value, String(index), null, state) : this.element(value, state),
            state,
          );
        }
        if (target.rest !== undefined) this.assign(target.rest, this.element(value, state), state);
    }
  }

  // ── calls of what is known

  /** Follows a call of a function of the program. */
  invoke(
    callable: Callable,
    self: Value | null,
    given: readonly Value[],
    state: State,
    entry = false,
    named: ReadonlyMap<string, Value> = new Map(),
  ): Value {
    const deepest = this.frames.length >= this.#budget.depth;
    if (deepest || this.frames.filter((frame) => frame.callable === callable).length > 1) {
      return ofTags(given.reduce((tags, value) => joinTags(tags, this.deep(value, state)), nothing.tags));
    }
    this.visited.add(callable);
    const before = new Map(state.facts);
    const frame: Frame = {
      callable,
      module: callable.module,
      self: self ?? nothing,
      entry,
      returns: [],
      yields: nothing,
      loops: [],
      from: this.statement,
    };
    const kept = this.statement;
    const choosing = this.choosing;
    this.frames.push(frame);
    for (const [index, { target, rest, fallback, name }] of callable.parameters.entries()) {
      const value = rest
        ? given
            .slice(index)
            .reduce(
              (all, one) => join(all, one),
              named.size > 0 ? [...named.values()].reduce(join, nothing) : nothing,
            )
        : (given[index] ?? named.get(name));
      this.assign(
        target,
        value ?? (fallback === undefined ? constantOf(undefined) : this.evaluate(fallback, state)),
        state,
      );
    }
    this.block(callable.body, state);
    if (state.alive) frame.returns.push({ value: constantOf(undefined), state: state.clone() });
    this.frames.pop();
    this.statement = kept;
    this.choosing = choosing;
    const { returns } = frame;
    if (returns.length === 0) {
      state.alive = false;
      return nothing;
    }
    const ended = joinStates(returns.map((one) => one.state));
    this.#settleSites(
      ended,
      callable.yields ? frame.yields : returns.map((one) => this.flat(one.value, one.state)).reduce(join),
    );
    const value = returns
      .map((one) =>
        returns.length === 1 ? one.value : baked(this.flatTags(one.value, one.state), one.state.facts),
      )
      .reduce(join);
    if (value.closures.length > 0) {
      for (const [id, held] of ended.variables)
        this.#captured.set(id, join(this.#captured.get(id) ?? nothing, held));
    }
    const cases = returns.map((one): Case => ({ value: one.value, facts: one.state.facts }));
    const promises = callable.async && !callable.yields ? gained(before, ended.facts) : null;
    state.become(ended);
    // Nothing that happens in there is sure to have happened before somebody waited for it.
    if (promises !== null)
      for (const [id, held] of promises) state.facts.set(id, (state.facts.get(id) ?? 0) & ~held);
    if (callable.yields) {
      const id = this.objectId(callable);
      state.heap.set(id, { fields: new Map(), rest: frame.yields });
      return { ...nothing, objects: [id], tags: frame.yields.tags };
    }
    const given_ = {
      ...value,
      ...(returns.length > 1 ? { cases } : {}),
      ...(promises === null ? {} : { promises }),
    };
    if (!callable.async || value.checks.length === 0) return given_;
    // Whoever waits for the call of a function of Python still has the promise that it gave back.
    if (value.due === true && callable.module.language === 'python') return ofTags(value.tags);
    return { ...given_, pending: true };
  }

  /** Notes for every guard that was called in the function that is through whether it held until its end. */
  #settleSites(ended: State, value: Value): void {
    for (const use of ended.attempts) {
      for (const site of use.sites) {
        if (site.held !== null || site.chain.length !== this.frames.length + 1) continue;
        site.held = site.labels.reduce((held, label) => {
          const tag = value.tags.get(label.id);
          return held & (clearedBy(ended.facts, label) | (tag?.cleared ?? 0));
        }, everything);
      }
    }
  }

  flatTags(value: Value, state: State): Value {
    return this.flat(value, state);
  }

  // ── statements

  block(block: Block, state: State): void {
    for (const statement of block) {
      if (!state.alive) return;
      this.#perform(statement, state);
    }
  }

  #frame(): Frame {
    const frame = this.frames.at(-1);
    if (frame === undefined) throw new Error('no call is being followed');
    return frame;
  }

  #perform(statement: Statement, state: State): void {
    this.statement = { module: this.#frame().module, at: statement.at };
    switch (statement.kind) {
      case 'do': {
        const value = this.evaluate(statement.value, state);
        this.#left(value, state);
        return;
      }
      case 'let': {
        if (statement.value === null) return;
        const value = this.evaluate(statement.value, state);
        this.statement = { module: this.#frame().module, at: statement.at };
        this.assign(statement.target, this.stepped(value, 'kept here'), state);
        return;
      }
      case 'return': {
        const value =
          statement.value === null ? constantOf(undefined) : this.evaluate(statement.value, state);
        this.statement = { module: this.#frame().module, at: statement.at };
        const frame = this.#frame();
        if (frame.entry) this.tell('show', this.flat(value, state), state, { what: 'returned' });
        frame.returns.push({ value: this.#givenBack(value, statement.value, frame), state: state.clone() });
        this.#exit(state);
        return;
      }
      case 'throw':
        if (statement.value !== null) this.evaluate(statement.value, state);
        this.#catches.at(-1)?.push(state.clone());
        this.#exit(state);
        return;
      case 'branch':
        this.#branch(statement, state);
        return;
      case 'switch':
        this.#switch(statement, state);
        return;
      case 'while':
        this.#while(statement, state);
        return;
      case 'each':
        this.#each(statement, state);
        return;
      case 'try':
        this.#try(statement, state);
        return;
      case 'break':
      case 'continue': {
        const loop = this.#frame().loops.at(-1);
        loop?.[statement.kind === 'break' ? 'breaks' : 'continues'].push(state.clone());
        this.#exit(state);
      }
    }
  }

  /** This way ends here; a refusal that is being watched hears what holds at its end. */
  #exit(state: State): void {
    this.#watched.at(-1)?.push(state.facts.get(whole) ?? 0);
    state.alive = false;
  }

  /** A function that gives back what it was handed, as it was, is where a check once stood or should stand. */
  #givenBack(value: Value, expression: Expression | null, { callable }: Frame): Value {
    if (callable === null || expression === null || value.tags.size === 0) return value;
    const inner = expression.kind === 'await' ? expression.value : expression;
    const own =
      inner.kind === 'variable' &&
      callable.parameters.some(
        ({ target }) => target.kind === 'variable' && target.variable === inner.variable,
      );
    return own ? this.stepped(value, unchanged) : value;
  }

  /** A result that nobody keeps: a guard that is only called may still throw where that is handled. */
  #left(value: Value, state: State): void {
    for (const { use, property } of value.checks) {
      if (property !== null || use.guard.form !== 'result' || use.guard.tests !== undefined) continue;
      if (this.trying > 0 && !value.pending && !use.shadowed) {
        use.tested = true;
        state.clear(use.labels, use.guard.kinds);
      }
    }
  }

  #branch(statement: Extract<Statement, { kind: 'branch' }>, state: State): void {
    const value = this.evaluate(statement.test, state);
    const said = comparesChoice(statement.test, (part) => this.#memory.get(part));
    const then = state.clone();
    const other = state.clone();
    const constant = value.constant?.value;
    if (statement.test.kind === 'constant' && typeof constant === 'boolean')
      (constant ? other : then).alive = false;
    const tentative = [
      ...this.assume(statement.test, true, then),
      ...this.assume(statement.test, false, other),
    ];
    const thenStart = new Map(then.facts);
    const otherStart = new Map(other.facts);
    if (said) this.choosing++;
    const thenRecords = this.#watch(statement.yes, then);
    if (said) this.choosing--;
    const otherRecords = this.#watch(statement.no, other);
    this.#refused(
      statement,
      value,
      { yes: then.alive, no: other.alive, inYes: thenRecords, inNo: otherRecords },
      state,
    );
    const both = then.alive && other.alive;
    if (both) spared(statement.test, [thenStart, then], [otherStart, other]);
    const joined = joinStates([then, other]);
    // A result that changes nothing about the way has not been used.
    if (both) this.#withdraw(tentative, joined, state);
    state.become(joined);
  }

  /** Follows a block; gives whether a record was kept on every way through it. */
  #watch(block: Block, state: State): boolean {
    const ends: Kinds[] = [];
    const before = state.facts.get(whole) ?? 0;
    state.facts.set(whole, before & ~recordKept);
    this.#watched.push(ends);
    this.block(block, state);
    this.#watched.pop();
    if (state.alive) ends.push(state.facts.get(whole) ?? 0);
    return ends.length > 0 && ends.every((held) => (held & recordKept) !== 0);
  }

  #withdraw(tentative: readonly Tentative[], joined: State, before: State): void {
    for (const { label, kinds: cleared } of tentative) {
      for (const id of [label.id, -label.id]) {
        const now = joined.facts.get(id);
        if (now !== undefined) joined.facts.set(id, now & (~cleared | (before.facts.get(id) ?? 0)));
      }
      for (let at = label.parent; at !== null; at = at.parent) {
        const now = joined.facts.get(-at.id);
        if (now !== undefined) joined.facts.set(-at.id, now & (~cleared | (before.facts.get(-at.id) ?? 0)));
      }
    }
  }

  /** A way on which an attack was refused: was it recorded? */
  #refused(
    statement: Extract<Statement, { kind: 'branch' }>,
    value: Value,
    seen: {
      readonly yes: boolean;
      readonly no: boolean;
      readonly inYes: boolean;
      readonly inNo: boolean;
    },
    state: State,
  ): void {
    const checks = this.#checksIn(statement.test, value);
    for (const { use } of checks) {
      if ((use.guard.kinds & kinds.injection) === 0 || use.shadowed) continue;
      if (seen.yes === seen.no) continue;
      const recorded = use.guard.audits || use.audited || (seen.yes ? seen.inNo : seen.inYes);
      const tags = use.labels.map((label): Tag => ({ label, cleared: everything, step: null }));
      this.tell('refusal', ofTags(new Map(tags.map((tag) => [tag.label.id, tag]))), state, {
        recorded,
        place: { module: this.#frame().module, at: statement.at },
        what: use.guard.name,
      });
    }
  }

  #checksIn(test: Expression, value: Value): readonly Check[] {
    if (value.checks.length > 0) return value.checks;
    if (test.kind === 'not' || test.kind === 'await')
      return this.#checksIn(test.value, this.#memory.get(test.value) ?? nothing);
    return [];
  }

  #switch(statement: Extract<Statement, { kind: 'switch' }>, state: State): void {
    const value = this.evaluate(statement.value, state);
    const said = [...value.tags.values()].some(({ label }) => isSaid(label));
    const loop = { breaks: [] as State[], continues: [] as State[] };
    const frame = this.#frame();
    frame.loops.push(loop);
    let through: State | null = null;
    const start = state.clone();
    if (said) this.choosing++;
    for (const { test, body } of statement.arms) {
      const arm = start.clone();
      if (test !== null) this.evaluate(test, arm);
      const into: State = through === null ? arm : joinStates([arm, through]);
      this.block(body, into);
      through = into.alive ? into : null;
    }
    if (said) this.choosing--;
    frame.loops.pop();
    const skipped = statement.arms.some(({ test }) => test === null) ? [] : [start];
    const outer = frame.loops.at(-1);
    outer?.continues.push(...loop.continues);
    state.become(
      joinStates([...loop.breaks, ...(through === null ? [] : [through]), ...skipped, dead(state)]),
    );
  }

  #while(statement: Extract<Statement, { kind: 'while' }>, state: State): void {
    const frame = this.#frame();
    const exits: State[] = [];
    let head = state.clone();
    for (let round = 0; round < 2; round++) {
      const body = head.clone();
      let end = head.clone();
      if (!statement.first || round > 0) {
        const value = this.evaluate(statement.test, body);
        end = body.clone();
        this.assume(statement.test, true, body);
        this.assume(statement.test, false, end);
        if (value.constant?.value === true) end.alive = false;
      } else end.alive = false;
      exits.push(end);
      const loop = { breaks: [] as State[], continues: [] as State[] };
      frame.loops.push(loop);
      this.block(statement.body, body);
      frame.loops.pop();
      exits.push(...loop.breaks);
      const next = joinStates([body, ...loop.continues]);
      if (statement.update !== null && next.alive) this.evaluate(statement.update, next);
      if (statement.first && round === 0 && next.alive) {
        this.evaluate(statement.test, next);
        const done = next.clone();
        this.assume(statement.test, false, done);
        exits.push(done);
      }
      if (!next.alive) break;
      head = joinStates([head, next]);
    }
    state.become(joinStates([...exits, dead(state)]));
  }

  #each(statement: Extract<Statement, { kind: 'each' }>, state: State): void {
    const frame = this.#frame();
    let over = this.evaluate(statement.over, state);
    if (statement.waits) over = this.retold(over, 'model', 'chunk');
    const labels = [...this.deep(over, state).values()].map(({ label }) => label);
    const empty = state.clone();
    const breaks: State[] = [];
    let head = state.clone();
    let ends: State | null = null;
    for (let round = 0; round < 2; round++) {
      const body = head.clone();
      this.statement = { module: frame.module, at: statement.at };
      this.assign(statement.target, this.element(over, body), body);
      const loop = { breaks: [] as State[], continues: [] as State[] };
      frame.loops.push(loop);
      this.block(statement.body, body);
      frame.loops.pop();
      breaks.push(...loop.breaks);
      const next = joinStates([body, ...loop.continues]);
      if (!next.alive) break;
      ends = next;
      head = joinStates([head, next]);
    }
    if (ends !== null) {
      // Of an empty list everything holds: what each item has passed, the list has.
      for (const label of labels)
        empty.facts.set(label.id, (empty.facts.get(label.id) ?? 0) | (ends.facts.get(label.id) ?? 0));
    }
    const left = joinStates([...(ends === null ? [] : [ends]), empty, ...breaks]);
    if (statement.waits)
      for (const [id, value] of left.variables) left.variables.set(id, this.retold(value, 'chunk', 'model'));
    state.become(left);
  }

  #try(statement: Extract<Statement, { kind: 'try' }>, state: State): void {
    const start = state.clone();
    const thrown: State[] = [];
    const handled = statement.handler !== null;
    const stops = handled && endsWay(statement.handler ?? []);
    if (handled) this.#catches.push(thrown);
    if (stops) this.trying++;
    this.block(statement.body, state);
    if (stops) this.trying--;
    if (handled) this.#catches.pop();
    if (statement.handler !== null) {
      const caught = joinStates([start, ...thrown, state.alive ? state.clone() : dead(state)]);
      // Whatever a guard in the body would have cleared may not have happened.
      for (const [id, held] of caught.facts) caught.facts.set(id, held & (start.facts.get(id) ?? 0));
      for (const use of state.attempts)
        if (!start.attempts.has(use) && !stops) use.swallowed ||= use.guard.form === 'throws';
      if (statement.error !== null) this.assign(statement.error, nothing, caught);
      this.block(statement.handler, caught);
      state.become(joinStates([state, caught]));
    }
    if (statement.last.length > 0) {
      const alive = state.alive;
      const last = alive ? state : start.clone();
      this.block(statement.last, last);
      if (alive) state.become(last);
    }
  }

  // ── expressions

  evaluate(expression: Expression, state: State): Value {
    this.#steps++;
    const work = this.#steps + (copied.entries - this.#copiedBefore) / 8;
    if (work > this.#budget.steps || this.#spent + work > this.#budget.total) throw new OutOfSteps();
    const value = this.#value(expression, state);
    this.#memory.set(expression, value);
    return value;
  }

  #value(expression: Expression, state: State): Value {
    switch (expression.kind) {
      case 'constant':
        return constantOf(expression.value);
      case 'variable':
        return this.read(expression.variable, state);
      case 'global':
        return { ...nothing, paths: [`:${expression.name}`] };
      case 'this':
        return this.#frame().self;
      case 'member': {
        const object = this.evaluate(expression.object, state);
        const key =
          expression.key === undefined || expression.property !== null
            ? null
            : this.evaluate(expression.key, state);
        return this.member(object, expression.property, key, state);
      }
      case 'call':
        return call(this, expression, state);
      case 'await':
        return this.#whole(expression.value, this.awaited(this.evaluate(expression.value, state), state));
      case 'function':
        return this.#decorated(expression.function, state);
      case 'class':
        return { ...nothing, classes: [expression.class] };
      case 'object':
        return this.#object(expression, state);
      case 'list':
        return this.#list(expression, state);
      case 'mix':
        return this.#mix(expression, state);
      case 'logic':
        return this.#logic(expression, state);
      case 'not': {
        const { checks, tags } = this.evaluate(expression.value, state);
        void tags;
        return { ...nothing, checks, condition: expression };
      }
      case 'compare':
        return this.#compare(expression, state);
      case 'choice':
        return this.#choice(expression, state);
      case 'assign': {
        const value = this.stepped(this.evaluate(expression.value, state), 'kept here');
        this.assign(expression.target, value, state, expression.adds);
        return value;
      }
      case 'yield': {
        const given = this.evaluate(expression.value, state);
        const value = expression.all ? this.element(given, state) : given;
        const frame = this.#frame();
        if (frame.entry) this.tell('show', this.flat(value, state), state, { what: 'yielded' });
        frame.yields = join(frame.yields, this.stepped(baked(this.flat(value, state), state.facts), yielded));
        return nothing;
      }
    }
  }

  /** A function, as what decorates it gives it back. */
  #decorated(callable: Callable, state: State): Value {
    let value: Value = { ...nothing, closures: [{ callable, self: this.#frame().self }] };
    for (const decorator of callable.decorators.toReversed()) {
      const [dress] = this.evaluate(decorator, state).closures;
      if (dress === undefined) continue;
      const dressed = this.invoke(dress.callable, dress.self, [value], state);
      if (dressed.closures.length > 0) value = dressed;
    }
    return value;
  }

  /** `await stream.text` is all of it. */
  #whole(expression: Expression, value: Value): Value {
    const { property } = expression.kind === 'member' ? expression : { property: null };
    return property !== null && wholeText.has(property) ? this.retold(value, 'chunk', 'model') : value;
  }

  /** Somebody waited for it: what a guard promised is there now. */
  awaited(value: Value, state: State): Value {
    let next = value;
    if (value.promises !== undefined) {
      for (const [id, held] of value.promises) state.facts.set(id, (state.facts.get(id) ?? 0) | held);
    }
    for (const { use, property } of value.checks) {
      if (property !== null || use.shadowed) continue;
      use.awaited = true;
      if (!this.isAsync(use) || use.swallowed || value.due !== true) continue;
      next = this.#promised(next, use, state);
    }
    return next.pending ? { ...next, pending: false, due: false } : next;
  }

  #promised(value: Value, use: GuardUse, state: State): Value {
    const { guard } = use;
    if (guard.form === 'effect') state.facts.set(whole, (state.facts.get(whole) ?? 0) | guard.kinds);
    if (guard.form === 'throws') state.clear(use.labels, guard.kinds);
    if (guard.form === 'tools') return { ...value, paths: [...value.paths, 'guarded:tools'] };
    if (guard.form !== 'result' || guard.values !== undefined) return value;
    const tags = new Map(value.tags);
    for (const [id, tag] of tags) tags.set(id, { ...tag, cleared: tag.cleared | guard.kinds });
    return { ...value, tags };
  }

  /** Whether a guard's result must be waited for. Python has clients of both kinds, so its names never tell. */
  isAsync({ guard, place, inAsync }: GuardUse): boolean {
    if (place.module.language === 'python') return inAsync && this.asynchronous.has(guard.name);
    return guard.async ?? this.asynchronous.has(guard.name);
  }

  #object(expression: Extract<Expression, { kind: 'object' }>, state: State): Value {
    const id = this.objectId(expression);
    const fields = new Map<string, Value>();
    let rest: Value = nothing;
    let paths: readonly string[] = [];
    for (const { key, value: inner, spread } of expression.entries) {
      const value = this.stepped(this.evaluate(inner, state), 'put in here');
      if (spread) {
        // What comes later goes before what came earlier.
        for (const [name, known] of fields)
          if (value.tags.size > 0 || value.objects.length > 0)
            fields.set(name, this.#spreadOver(name, known, value, state));
        for (const other of value.objects)
          for (const [name, known] of this.object(other, state).fields) fields.set(name, known);
        for (const other of value.objects) rest = join(rest, this.object(other, state).rest);
        rest = join(rest, { ...value, objects: [] });
        paths = [...paths, ...value.paths.filter((path) => path.startsWith('guarded:'))];
      } else if (key === null) rest = join(rest, value);
      else fields.set(key, value);
    }
    state.heap.set(id, { fields, rest });
    return { ...nothing, objects: [id], paths };
  }

  #spreadOver(name: string, known: Value, spread: Value, state: State): Value {
    const over = this.member(spread, name, null, state);
    return over === nothing ? known : join(known, over);
  }

  #list(expression: Extract<Expression, { kind: 'list' }>, state: State): Value {
    const id = this.objectId(expression);
    const fields = new Map<string, Value>();
    let rest: Value = nothing;
    for (const [index, { value: inner, spread }] of expression.items.entries()) {
      const value = this.stepped(this.evaluate(inner, state), 'put in here');
      if (spread || rest !== nothing) rest = join(rest, spread ? this.element(value, state) : value);
      else fields.set(String(index), value);
    }
    this.lists.add(id);
    state.heap.set(id, { fields, rest });
    return { ...nothing, objects: [id] };
  }

  #mix(expression: Extract<Expression, { kind: 'mix' }>, state: State): Value {
    const parts = expression.parts.map((part) => this.evaluate(part, state));
    const tags = parts.reduce((all, part) => joinTags(all, this.deep(part, state)), nothing.tags);
    const texts = parts.map(({ constant }) => constant);
    const value = this.stepped(ofTags(tags), 'put in here');
    // A chain such as `prompt | model` is all of its parts.
    const paths = parts.every(({ constant }) => constant === undefined)
      ? parts.flatMap((part) => part.paths).slice(0, 6)
      : [];
    return {
      ...value,
      paths,
      ...(parts.length > 0 && texts.every((text) => text !== undefined)
        ? { constant: { value: texts.map((text) => String(text?.value)).join('') } }
        : {}),
      ...(texts.some((text) => text !== undefined)
        ? { form: parts.map(({ constant, form = '*' }) => String(constant?.value ?? form)).join('') }
        : {}),
    };
  }

  #logic(expression: Extract<Expression, { kind: 'logic' }>, state: State): Value {
    const left = this.evaluate(expression.left, state);
    const right = state.clone();
    this.assume(expression.left, expression.operator === 'and', right);
    const value = this.evaluate(expression.right, right);
    const skipped = state.clone();
    this.assume(expression.left, expression.operator !== 'and', skipped);
    // What the left side cleared is known again where the whole is tested.
    const facts = new Map(state.facts);
    state.become(joinStates([skipped, right]));
    for (const [id, held] of state.facts)
      state.facts.set(
        id,
        held & (facts.get(id) ?? (right.facts.get(id) ?? 0) & (skipped.facts.get(id) ?? 0)),
      );
    const both = join({ ...left, cases: [] }, { ...value, cases: [] });
    const { constant: _, ...rest } = both;
    return { ...rest, cases: [], ...(both.checks.length > 0 ? { condition: expression } : {}) };
  }

  #compare(expression: Extract<Expression, { kind: 'compare' }>, state: State): Value {
    const left = this.evaluate(expression.left, state);
    const right = this.evaluate(expression.right, state);
    const checks = [...left.checks, ...right.checks];
    const tags = joinTags(said(left), said(right));
    if (expression.operator === 'in' || expression.operator === 'not in') {
      const names = [...right.paths, `:${written(expression.right)}`];
      const guard = names
        .map((path) => this.guards.find(path) ?? this.guards.find(`${path}.has`))
        .find((found) => found !== null && found.kinds === kinds.egress);
      if (guard !== undefined && guard !== null) {
        const use = this.use(expression, guard, this.flat(left, state), state);
        return {
          ...nothing,
          checks: [{ use, property: expression.operator === 'in' ? 'allowed' : 'denied' }],
          condition: expression,
        };
      }
    }
    return { ...nothing, tags, checks, condition: expression };
  }

  #choice(expression: Extract<Expression, { kind: 'choice' }>, state: State): Value {
    this.evaluate(expression.test, state);
    const then = state.clone();
    const other = state.clone();
    const tentative = [
      ...this.assume(expression.test, true, then),
      ...this.assume(expression.test, false, other),
    ];
    const yes = this.evaluate(expression.yes, then);
    const no = this.evaluate(expression.no, other);
    const cases: Case[] = [
      { value: yes, facts: then.facts },
      { value: no, facts: other.facts },
    ];
    const before = state.clone();
    const value = join(baked(this.flat(yes, then), then.facts), baked(this.flat(no, other), other.facts));
    state.become(joinStates([then, other]));
    this.#withdraw(tentative, state, before);
    return { ...value, cases };
  }

  /** The one record of a guard's use at a place. */
  use(
    expression: Expression,
    guard: GuardUse['guard'],
    given: Value,
    state: State,
    shadowed = false,
  ): GuardUse {
    const labels = [...given.tags.values()].map(({ label }) => label);
    let use = this.uses.get(expression);
    if (use === undefined) {
      const place = { module: this.#frame().module, at: expression.at };
      const inAsync = this.#frame().callable?.async ?? true;
      const end = expression.kind === 'call' ? expression.end : expression.at;
      use = {
        guard,
        place,
        end,
        inAsync,
        labels,
        sites: [],
        tested: false,
        awaited: false,
        swallowed: false,
        shadowed,
        audited: false,
      };
    } else use.labels = [...new Set([...use.labels, ...labels])];
    if (use.sites.length < 32) use.sites.push({ labels, chain: this.chain(), held: null });
    this.uses.set(expression, use);
    state.attempts.add(use);
    return use;
  }

  // ── tests

  /** What follows from the outcome of a test. Gives what holds only if the two ways part. */
  assume(test: Expression, truth: boolean, state: State, depth = 0): readonly Tentative[] {
    if (depth > 12) return [];
    switch (test.kind) {
      case 'not':
        return this.assume(test.value, !truth, state, depth + 1);
      case 'logic':
        if (test.operator === 'nullish') return this.assume(test.left, truth, state, depth + 1);
        if ((test.operator === 'and') === truth) {
          return [
            ...this.assume(test.left, truth, state, depth + 1),
            ...this.assume(test.right, truth, state, depth + 1),
          ];
        }
        this.#assumeEither(test, truth, state, depth);
        return [];
      case 'compare':
        return this.#assumeCompared(test, truth, state);
      case 'await':
      case 'variable':
      case 'member':
      case 'call':
      case 'choice':
      case 'assign': {
        const value = this.#memory.get(test) ?? nothing;
        this.#absent(test, value, truth, state);
        return this.#assumeValue(value, truth, state, depth, test);
      }
      default:
        return [];
    }
  }

  /** One side decides, or the other does: only what holds either way is known. */
  #assumeEither(
    test: Extract<Expression, { kind: 'logic' }>,
    truth: boolean,
    state: State,
    depth: number,
  ): void {
    const first = state.clone();
    const second = state.clone();
    const unsure = [
      ...this.assume(test.left, truth, first, depth + 1),
      ...this.assume(test.left, !truth, second, depth + 1),
      ...this.assume(test.right, truth, second, depth + 1),
    ];
    this.#withdraw(unsure, first, state);
    this.#withdraw(unsure, second, state);
    for (const [id, held] of first.facts) {
      const both = held & (second.facts.get(id) ?? 0);
      if (both !== 0) state.facts.set(id, (state.facts.get(id) ?? 0) | both);
    }
  }

  #assumeValue(
    value: Value,
    truth: boolean,
    state: State,
    depth: number,
    test: Expression | null,
  ): readonly Tentative[] {
    if (value.cases !== undefined && value.cases.length > 0) {
      const matching = value.cases.filter((one) => mayBe(one.value, truth));
      const held = matching.map((one) => {
        const inner = state.clone();
        inner.facts = new Map(one.facts);
        this.#assumeValue(one.value, truth, inner, depth + 1, null);
        return inner.facts;
      });
      const [first, ...others] = held;
      if (first !== undefined) {
        for (const [id, cleared] of first) {
          const all = others.reduce((common, facts) => common & (facts.get(id) ?? 0), cleared);
          if (all !== 0) state.facts.set(id, (state.facts.get(id) ?? 0) | all);
        }
      }
      return [];
    }
    if (value.condition !== undefined && value.condition !== test && depth < 12)
      return this.assume(value.condition, truth, state, depth + 1);
    return value.checks.flatMap((check) => this.#settle(check, truth, value.pending, state));
  }

  /** What is not there cannot do harm. */
  #absent(test: Expression, value: Value, truth: boolean, state: State): void {
    if (truth || value.checks.length > 0) return;
    const holder =
      test.kind === 'member' && (test.property === 'length' || test.property === 'size') ? test.object : test;
    const held = holder === test ? value : (this.#memory.get(holder) ?? nothing);
    if (held.tags.size === 0) return;
    if (holder.kind === 'variable' && held.objects.length === 0)
      state.variables.set(holder.variable, { ...held, tags: nothing.tags });
    const { label = null } = held.source ?? {};
    if (label !== null) state.facts.set(label.id, everything);
  }

  #assumeCompared(
    test: Extract<Expression, { kind: 'compare' }>,
    truth: boolean,
    state: State,
  ): readonly Tentative[] {
    const left = this.#memory.get(test.left) ?? nothing;
    const right = this.#memory.get(test.right) ?? nothing;
    const own = this.#memory.get(test) ?? nothing;
    if (test.operator === 'in' || test.operator === 'not in') {
      if (own.checks.length > 0 && left.checks.length === 0 && right.checks.length === 0) {
        return own.checks.flatMap((check) => this.#settle(check, truth, false, state));
      }
    }
    const [subject, constant] =
      right.constant === undefined ? [right, left.constant] : [left, right.constant];
    const tested = right.constant === undefined ? test.right : test.left;
    const equal = test.operator === 'equal' ? truth : test.operator === 'unequal' ? !truth : undefined;
    if (equal !== undefined && constant !== undefined) {
      const { value } = constant;
      if (value === null || value === undefined || value === '' || value === 0) {
        if (equal) this.#absent(tested, subject, false, state);
        if (subject.cases !== undefined && subject.cases.length > 0)
          return this.#assumeValue(subject, !equal, state, 0, null);
      }
      if (typeof value === 'boolean') return this.#assumeValue(subject, equal === value, state, 0, null);
      const bad = wordSaysNo(value);
      if (bad !== undefined) {
        return subject.checks.flatMap((check) => this.#settle(check, equal, subject.pending, state, bad));
      }
    }
    return [...left.checks, ...right.checks].flatMap((check) =>
      this.#settle(check, truth, subject.pending, state, null),
    );
  }

  /** A guard's result was looked at. `bad` says whether the outcome "true" means no; null: nobody knows. */
  #settle(
    check: Check,
    truth: boolean,
    pending: boolean,
    state: State,
    bad?: boolean | null,
  ): readonly Tentative[] {
    const { use, property } = check;
    const { guard } = use;
    use.tested = true;
    if (use.shadowed || use.swallowed || (pending && this.isAsync(use))) return [];
    const spec = guard.tests?.[property ?? ''];
    if (guard.tests !== undefined && spec === undefined && property !== '*') return [];
    const cleared = spec?.kinds ?? guard.kinds;
    const method = guard.name.split('.').at(-1) ?? '';
    const whole = property === null || property === '*';
    const says = whole ? (guard.yes === undefined ? saysNo(method) : !guard.yes) : saysNo(property);
    const means = bad === undefined ? (spec?.bad ?? says) : (bad ?? undefined);
    const labels = use.labels;
    if (means !== undefined && !(bad === undefined && property === '*')) {
      if (truth !== means) state.clear(labels, cleared);
      return [];
    }
    const held = new Map(state.facts);
    state.clear(labels, cleared);
    return labels.map((label) => ({ label, kinds: cleared & ~clearedBy(held, label) }));
  }
}

/** A record was kept; beside the kinds of guards. */
export const recordKept = 1 << 20;

/** The step of a value that a generator gives. */
export const yielded = 'yielded here';

/** What holds now and did not before. */
function gained(before: Facts, now: Facts): Facts | null {
  const found = new Map<number, Kinds>();
  for (const [id, held] of now) {
    const more = held & ~(before.get(id) ?? 0);
    if (more !== 0) found.set(id, more);
  }
  return found.size === 0 ? null : found;
}

/** The step of a value that a function gives back as it was. */
export const unchanged = 'given back as it was';

interface Tentative {
  readonly label: Label;
  readonly kinds: Kinds;
}

/** Tests by which a guard is spared those that do not need it: a snapshot where nothing is written, and the like. */
const spares: readonly { readonly kinds: Kinds; readonly words: RegExp }[] = [
  {
    kinds: kinds.snapshot,
    words: /write|edit|mutat|effect|modif|destruct|checkpoint|side|change|read_?only/i,
  },
  {
    kinds: kinds.approval,
    words: /destruct|danger|approv|checkpoint|irrevers|sensitive|external|risk|effect/i,
  },
  { kinds: kinds.egress, words: /url|http|fetch|host|network/i },
];

/** What one way has cleared holds on the other too, if the test says that the other does not need it. */
function spared(test: Expression, then: readonly [Facts, State], other: readonly [Facts, State]): void {
  let words = '';
  inExpression(test, (part) => {
    if (part.kind === 'member') words += ` ${part.property ?? ''}`;
    if (part.kind === 'variable' || part.kind === 'global') words += ` ${part.name}`;
    if (part.kind === 'constant') words += ` ${String(part.value)}`;
  });
  for (const { kinds: cleared, words: wanted } of spares) {
    if (!wanted.test(words)) continue;
    for (const [[before, from], [, to]] of [
      [then, other],
      [other, then],
    ] as const) {
      for (const [id, held] of from.facts) {
        const gained = held & cleared & ~(before.get(id) ?? 0);
        if (gained !== 0) to.facts.set(id, (to.facts.get(id) ?? 0) | gained);
      }
    }
  }
}

/** A model said it. */
export function isSaid({ kind }: Label): boolean {
  return kind === 'model' || kind === 'chunk' || kind === 'call';
}

function said(value: Value): ReadonlyMap<number, Tag> {
  const tags = [...value.tags].filter(([, { label }]) => label.kind === 'call');
  return tags.length === 0 ? nothing.tags : new Map(tags);
}

/** Whether a test compares what a model chose with a fixed name. */
function comparesChoice(test: Expression, known: (part: Expression) => Value | undefined): boolean {
  if (test.kind === 'logic') return comparesChoice(test.left, known) || comparesChoice(test.right, known);
  if (test.kind !== 'compare' || test.operator === 'order') return false;
  const sides = [known(test.left) ?? nothing, known(test.right) ?? nothing];
  const chosen = sides.some(({ tags }) => [...tags.values()].some(({ label }) => label.kind === 'call'));
  return chosen && sides.some(({ constant }) => typeof constant?.value === 'string');
}

function mayBe(value: Value, truth: boolean): boolean {
  if (value.constant !== undefined) return Boolean(value.constant.value) === truth;
  return truth || value.objects.length === 0;
}

/** Whether a block ends every way through it. */
export function endsWay(block: Block): boolean {
  const last = block.at(-1);
  if (last === undefined) return false;
  if (last.kind === 'branch') return endsWay(last.yes) && endsWay(last.no);
  return last.kind === 'return' || last.kind === 'throw' || last.kind === 'continue' || last.kind === 'break';
}

function dead(state: State): State {
  const copy = state.clone();
  copy.alive = false;
  return copy;
}

function isTool({ decorators }: Callable): boolean {
  return decorators.some((decorator) => /(^|\.)(tool|function_tool)(\(\))?$/.test(written(decorator)));
}

function isContextType(name: string, paths: readonly string[]): boolean {
  return (
    isContext(name) ||
    paths.some((path) => /openai|anthropic|sallyport|langchain|guard|detector|redactor|registry/i.test(path))
  );
}

function pair(values: readonly Value[]): [Value, Value] {
  const [first = nothing, ...rest] = values;
  return [first, rest.reduce(join, first)];
}

function callsIn(modules: readonly Module[]) {
  const plain = new Set<string>();
  const dotted = new Set<string>();
  for (const { source } of modules) {
    for (const [, dot, name = ''] of source.matchAll(
      /(?<!function\s|def\s|class\s|async\s|\w)(\.)?\b(\w+)\s*\(/g,
    )) {
      (dot === undefined ? plain : dotted).add(name);
    }
  }
  return { plain, dotted };
}

function markTop(block: Block, mark: (variable: number) => void): void {
  const target = (pattern: Pattern): void => {
    if (pattern.kind === 'variable') mark(pattern.variable);
    if (pattern.kind === 'fields') for (const { target: inner } of pattern.fields) target(inner);
    if (pattern.kind === 'items') for (const inner of pattern.items) if (inner !== null) target(inner);
  };
  for (const statement of block) if (statement.kind === 'let') target(statement.target);
}

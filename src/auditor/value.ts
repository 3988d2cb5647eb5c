// What the analysis knows about a value and about a moment: where a value comes from, which guards have cleared it, and
// what it may be. Every operation gives a new value.

import { Entries } from './entries.ts';
import type { Callable, ClassShape, Constant, Expression, Module } from './ir.ts';
import type { Guard, Kinds } from './roles/guards.ts';

/** Where something from outside enters, or where a model or a tool answers. */
export type SourceKind = 'user' | 'upload' | 'tool' | 'model' | 'chunk' | 'call';

export interface Place {
  readonly module: Module;
  readonly at: number;
}

export interface Label {
  readonly id: number;
  readonly kind: SourceKind;
  readonly name: string;
  readonly place: Place;
  /** What it is a part of. */
  readonly parent: Label | null;
  /** A cut of a text: that it is clear says nothing about the rest. */
  readonly cut?: boolean;
}

/** One step on the way of a value, newest first. */
export interface Step {
  readonly place: Place;
  readonly what: string;
  readonly before: Step | null;
  readonly depth: number;
}

/** How far a label's value has come. */
export interface Tag {
  readonly label: Label;
  readonly cleared: Kinds;
  readonly step: Step | null;
}

/** One place where a guard is called, and what is wrong with it. */
export interface GuardUse {
  readonly guard: Guard;
  readonly place: Place;
  /** In a function that can wait. */
  readonly inAsync: boolean;
  labels: readonly Label[];
  /** For each way that led there: what was checked, and the statements of all calls on the way. */
  readonly sites: GuardSite[];
  /** Where the call ends. */
  readonly end: number;
  /** What it is a method of, where that was made by the program; else empty. */
  readonly client: string;
  /** Set when the result is looked at. */
  tested: boolean;
  awaited: boolean;
  /** The failure of the guard is caught and forgotten. */
  swallowed: boolean;
  /** Not the guard that its name promises. */
  shadowed: boolean;
  audited: boolean;
}

export interface GuardSite {
  readonly labels: readonly Label[];
  readonly chain: readonly Place[];
  /** What of it held when the function that it is called in was through; nothing is known before. */
  held: Kinds | null;
  /** The statement that started it, while nobody has waited for it. */
  started: Place | null;
}

/** The result of a guard, or a part of it. */
export interface Check {
  readonly use: GuardUse;
  readonly property: string | null;
}

export interface Closure {
  readonly callable: Callable;
  readonly self: Value | null;
}

export interface Value {
  readonly tags: ReadonlyMap<number, Tag>;
  /** How it is reached from outside, as `module:name.member()`. */
  readonly paths: readonly string[];
  readonly closures: readonly Closure[];
  readonly classes: readonly ClassShape[];
  readonly objects: readonly number[];
  readonly checks: readonly Check[];
  readonly constant?: { readonly value: Constant };
  /** A promise that nobody waited for. */
  readonly pending: boolean;
  /** What is waited for is a guard's own result. */
  readonly due?: boolean;
  /** A promise of a list whose items are promises themselves. */
  readonly gathers?: boolean;
  /** What holds after an await of it. */
  readonly promises?: Promised;
  /** A test whose outcome this is. */
  readonly condition?: Expression;
  /** What it may be, and what holds then. */
  readonly cases?: readonly Case[];
  /** The way into something from outside, whose parts are labelled one by one. */
  readonly source?: Source;
  /** Something that a model's words picked out of what the program has. */
  readonly selected?: boolean;
  /** The arguments of a call: whatever a part of them is named, the model wrote it. */
  readonly given?: boolean;
  /** An error that is one for sure. */
  readonly present?: boolean;
  /** The fixed parts of a text, with a star for every other. */
  readonly form?: string;
}

/** What a function that was started will have done when it is through. */
export interface Promised {
  readonly facts: Facts;
  /** What it puts into variables that others see. */
  readonly variables: ReadonlyMap<number, Value>;
  readonly sites: readonly GuardSite[];
}

export interface Case {
  readonly value: Value;
  readonly facts: Facts;
  /** The moment at the end of this way, and what all ways together left in objects. */
  readonly end?: { readonly state: State; readonly all: Entries<HeapObject> };
}

interface Source {
  readonly path: string;
  readonly label: Label | null;
  /** Only parts that are named as texts are labelled. */
  readonly quiet: boolean;
}

/** Which kinds of guards have cleared what, on every way to this moment. */
export type Facts = ReadonlyMap<number, Kinds>;

/** The label of what holds for the whole agent, such as a snapshot. */
export const whole = 0;

const none: ReadonlyMap<number, Tag> = new Map();

export const nothing: Value = {
  tags: none,
  paths: [],
  closures: [],
  classes: [],
  objects: [],
  checks: [],
  pending: false,
};

export function constantOf(value: Constant): Value {
  return { ...nothing, constant: { value } };
}

export function ofTags(tags: ReadonlyMap<number, Tag>): Value {
  return tags.size === 0 ? nothing : { ...nothing, tags };
}

const mostPaths = 6;
const mostRefs = 24;

function union<Item>(a: readonly Item[], b: readonly Item[], most: number): readonly Item[] {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  const all = new Set([...a, ...b]);
  return all.size === a.length ? a : [...all].slice(0, most);
}

export function joinTags(a: ReadonlyMap<number, Tag>, b: ReadonlyMap<number, Tag>): ReadonlyMap<number, Tag> {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const joined = new Map(a);
  for (const [id, tag] of b) {
    const known = joined.get(id);
    if (known === undefined) joined.set(id, tag);
    else if ((known.cleared & tag.cleared) !== known.cleared) {
      joined.set(id, { ...tag, cleared: known.cleared & tag.cleared });
    }
  }
  return joined;
}

/** Either of two values. */
export function join(a: Value, b: Value): Value {
  if (a === b || b === nothing) return a;
  if (a === nothing) return b;
  return {
    tags: joinTags(a.tags, b.tags),
    paths: union(a.paths, b.paths, mostPaths),
    closures: joinClosures(a.closures, b.closures),
    classes: union(a.classes, b.classes, mostRefs),
    objects: union(a.objects, b.objects, mostRefs),
    checks: joinChecks(a.checks, b.checks),
    pending: a.pending || b.pending,
    ...joinMarks(a, b),
  };
}

/** The marks that either of two values has, or that only both have. */
function joinMarks(a: Value, b: Value): Partial<Value> {
  const same = a.constant !== undefined && b.constant !== undefined && a.constant.value === b.constant.value;
  return {
    ...(a.due === true && b.due === true ? { due: true } : {}),
    ...(a.gathers === true || b.gathers === true ? { gathers: true } : {}),
    ...(same ? { constant: a.constant } : {}),
    ...(a.condition !== undefined && a.condition === b.condition ? { condition: a.condition } : {}),
    ...(a.source !== undefined && a.source.path === b.source?.path ? { source: a.source } : {}),
    ...(a.selected === true || b.selected === true ? { selected: true } : {}),
    ...(a.given === true || b.given === true ? { given: true } : {}),
    ...(a.present === true && b.present === true ? { present: true } : {}),
    ...(a.form !== undefined && a.form === b.form ? { form: a.form } : {}),
  };
}

function joinClosures(a: readonly Closure[], b: readonly Closure[]): readonly Closure[] {
  if (a === b || b.length === 0) return a;
  const more = b.filter(({ callable }) => !a.some((known) => known.callable === callable));
  return more.length === 0 ? a : [...a, ...more].slice(0, mostRefs);
}

function joinChecks(a: readonly Check[], b: readonly Check[]): readonly Check[] {
  if (a === b || b.length === 0) return a;
  const more = b.filter(
    ({ use, property }) => !a.some((known) => known.use === use && known.property === property),
  );
  return more.length === 0 ? a : [...a, ...more].slice(0, mostRefs);
}

/** The value with what holds now written into it, so that it stays true elsewhere. */
export function baked(value: Value, facts: Facts): Value {
  if (value.tags.size === 0 || facts.size === 0) return value;
  let changed: Map<number, Tag> | undefined;
  for (const [id, tag] of value.tags) {
    const cleared = tag.cleared | clearedBy(facts, tag.label);
    if (cleared === tag.cleared) continue;
    changed ??= new Map(value.tags);
    changed.set(id, { ...tag, cleared });
  }
  return changed === undefined ? value : { ...value, tags: changed };
}

/** What the facts say about a label: about it, about what it is part of, or, for the whole, about its parts. */
export function clearedBy(facts: Facts, label: Label): Kinds {
  let kinds = facts.get(-label.id) ?? 0;
  for (let at: Label | null = label; at !== null; at = at.parent) kinds |= facts.get(at.id) ?? 0;
  return kinds;
}

/** What a label is a part of, as far as the part says something about it. */
function wholeOf({ parent, cut }: Label): Label | null {
  return cut === true ? null : parent;
}

function isPartOf(label: Label, other: Label): boolean {
  for (let at: Label | null = label; at !== null; at = at.parent) if (at === other) return true;
  return false;
}

export interface HeapObject {
  readonly fields: ReadonlyMap<string, Value>;
  /** Everything that has no name of its own: items, computed keys. */
  readonly rest: Value;
}

export const emptyObject: HeapObject = { fields: new Map(), rest: nothing };

export function joinObjects(a: HeapObject, b: HeapObject): HeapObject {
  if (a === b) return a;
  const fields = new Map(a.fields);
  for (const [name, value] of b.fields) fields.set(name, join(fields.get(name) ?? a.rest, value));
  // What one of them does not name may come from its rest.
  for (const [name, value] of a.fields) if (!b.fields.has(name)) fields.set(name, join(value, b.rest));
  return { fields, rest: join(a.rest, b.rest) };
}

/** A guard has said no. */
interface Refusal {
  readonly label: Label;
  readonly kinds: Kinds;
}

/** One moment of one way through the program. */
export class State {
  variables: Entries<Value>;
  heap: Entries<HeapObject>;
  facts: Map<number, Kinds>;
  /** What guards are known to have said no to on this way. */
  refused: Map<number, Refusal>;
  /** Guards that were called on some way to here. */
  attempts: Set<GuardUse>;
  alive: boolean;

  constructor(from?: State) {
    this.variables = from?.variables.clone() ?? new Entries();
    this.heap = from?.heap.clone() ?? new Entries();
    this.facts = new Map(from?.facts);
    this.refused = new Map(from?.refused);
    this.attempts = new Set(from?.attempts);
    this.alive = from?.alive ?? true;
  }

  clone(): State {
    return new State(this);
  }

  clear(labels: Iterable<Label>, kinds: Kinds): void {
    for (const label of labels) {
      this.facts.set(label.id, (this.facts.get(label.id) ?? 0) | kinds);
      for (let at = wholeOf(label); at !== null; at = wholeOf(at)) {
        this.facts.set(-at.id, (this.facts.get(-at.id) ?? 0) | kinds);
      }
      for (const [id, refusal] of this.refused)
        if (isPartOf(refusal.label, label) || isPartOf(label, refusal.label))
          this.refused.set(id, { ...refusal, kinds: refusal.kinds & ~kinds });
    }
  }

  refuse(labels: Iterable<Label>, kinds: Kinds): void {
    for (const label of labels) {
      const before = this.refused.get(label.id)?.kinds ?? 0;
      this.refused.set(label.id, { label, kinds: before | kinds });
    }
  }

  /** What of a label's clearance does not count, since a guard is known to have said no. */
  #refusedOf(label: Label): Kinds {
    let kinds = 0;
    for (let at: Label | null = label; at !== null; at = at.parent)
      kinds |= this.refused.get(at.id)?.kinds ?? 0;
    return kinds;
  }

  /** The value with what holds now written into it, and without what a guard said no to. */
  bake(value: Value): Value {
    const held = baked(value, this.facts);
    if (this.refused.size === 0 || held.tags.size === 0) return held;
    const tags = [...held.tags].map(([id, tag]): [number, Tag] => {
      const refused = tag.cleared & this.#refusedOf(tag.label);
      return [id, refused === 0 ? tag : { ...tag, cleared: tag.cleared & ~refused }];
    });
    return { ...held, tags: new Map(tags) };
  }

  /** Something new stands behind a label: what was said of the old does not hold. */
  renew(label: Label): void {
    this.facts.delete(label.id);
    this.facts.delete(-label.id);
    this.refused.delete(label.id);
  }

  /** Takes over what another state says. */
  become(other: State): void {
    this.variables = other.variables;
    this.heap = other.heap;
    this.facts = other.facts;
    this.refused = other.refused;
    this.attempts = other.attempts;
    this.alive = other.alive;
  }
}

/** Either of several moments; those that are never reached do not count. */
export function joinStates(states: readonly State[]): State {
  const [first, ...others] = states.filter(({ alive }) => alive);
  if (first === undefined) {
    const dead = new State(states[0]);
    dead.alive = false;
    return dead;
  }
  return others.reduce(joinTwo, first);
}

function joinTwo(a: State, b: State): State {
  const joined = new State();
  joined.attempts = a.attempts.size === 0 ? b.attempts : new Set([...a.attempts, ...b.attempts]);
  for (const [id, kinds] of a.facts) {
    const both = kinds & (b.facts.get(id) ?? 0);
    if (both !== 0) joined.facts.set(id, both);
  }
  joined.refused = refusedByBoth(a, b);
  joined.variables = Entries.join(a.variables, b.variables, (one, other) => {
    const either = join(a.bake(one ?? nothing), b.bake(other ?? nothing));
    if (one === undefined || other === undefined || one.checks.length > 0 === other.checks.length > 0)
      return either;
    // On one of the ways nobody was asked: the answer counts only where it cannot be that way.
    return { ...either, cases: [...casesOf(one, a.facts), ...casesOf(other, b.facts)].slice(0, mostCases) };
  });
  joined.heap = Entries.join(a.heap, b.heap, (one, other) => {
    if (one === undefined) return other === undefined ? undefined : bakedObject(other, b);
    const first = bakedObject(one, a);
    return other === undefined ? first : joinObjects(first, bakedObject(other, b));
  });
  return joined;
}

/** What both ways are known to have been refused. */
export function refusedByBoth(a: State, b: State): Map<number, Refusal> {
  const found = new Map<number, Refusal>();
  for (const [id, { label, kinds }] of a.refused) {
    const both = kinds & (b.refused.get(id)?.kinds ?? 0);
    if (both !== 0) found.set(id, { label, kinds: both });
  }
  return found;
}

const mostCases = 6;

function casesOf(value: Value, facts: Facts): readonly Case[] {
  return value.cases !== undefined && value.cases.length > 0 ? value.cases : [{ value, facts }];
}

function bakedObject(object: HeapObject, state: State): HeapObject {
  const rest = state.bake(object.rest);
  const fields = new Map([...object.fields].map(([name, value]) => [name, state.bake(value)]));
  const same =
    rest === object.rest && [...fields].every(([name, value]) => object.fields.get(name) === value);
  return same ? object : { fields, rest };
}

/** A record was kept since the last branch; beside the kinds of guards. */
export const recordWritten = 1 << 20;

/** What a model wants was put down in a record. */
export const callRecorded = 1 << 21;

/** A model said it. */
export function isSaid({ kind }: Label): boolean {
  return kind === 'model' || kind === 'chunk' || kind === 'call';
}

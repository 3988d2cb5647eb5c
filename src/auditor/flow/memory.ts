// What outlives one way through the program: the variables of modules, the objects of classes, what functions still see.

import type { Block, ClassShape, Module, Pattern } from '../ir.ts';
import {
  emptyObject,
  type HeapObject,
  join,
  joinObjects,
  joinTags,
  ofTags,
  type State,
  type Tag,
  type Value,
} from '../value.ts';

export class Memory {
  readonly globals = new Map<number, Value>();
  /** Objects that all ways see. */
  readonly heap = new Map<number, HeapObject>();
  readonly #shared = new Set<number>();
  /** What functions that outlive their makers still see. */
  readonly captured = new Map<number, Value>();
  readonly #moduleVariables = new Set<number>();
  readonly #objectIds = new Map<unknown, number>();
  readonly instances = new Map<number, ClassShape>();
  /** The methods of records that are no objects of a class of their own. */
  readonly shapes = new Map<number, ClassShape>();
  /** Objects that are lists: what has no number there is a method. */
  readonly lists = new Set<number>();

  constructor(modules: readonly Module[]) {
    for (const { offers, body } of modules) {
      for (const offer of offers.values()) {
        if ('variable' in offer) this.#moduleVariables.add(offer.variable);
      }
      markTop(body, (variable) => this.#moduleVariables.add(variable));
    }
  }

  write(variable: number, value: Value, state: State): void {
    state.variables.set(variable, value);
    if (this.#moduleVariables.has(variable)) {
      const before = this.globals.get(variable);
      const kept = state.bake(value);
      this.globals.set(variable, before === undefined ? kept : join(before, kept));
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
    return state.heap.get(id) ?? this.heap.get(id) ?? emptyObject;
  }

  /** Puts an object where it lives: those of classes are shared by all ways. */
  keep(id: number, object: HeapObject, state: State): void {
    if (!this.instances.has(id) && !this.#shared.has(id)) {
      state.heap.set(id, object);
      return;
    }
    for (const value of [...object.fields.values(), object.rest])
      for (const inner of value.objects) this.share(inner, state);
    const fields = new Map([...object.fields].map(([name, value]) => [name, state.bake(value)]));
    const next = { fields, rest: state.bake(object.rest) };
    const before = this.heap.get(id);
    this.heap.set(id, before === undefined ? next : joinObjects(before, next));
  }

  /** What the one object of a class is made of: what a record of that class was, without what anybody said. */
  learn({ objects }: Value, parts: ReadonlyMap<string, Value>, state: State): void {
    for (const id of objects) {
      const { fields, rest } = this.object(id, state);
      const made = [...parts].map(([name, value]): [string, Value] => [name, { ...value, tags: new Map() }]);
      this.keep(id, joinObjects({ fields, rest }, { fields: new Map([...fields, ...made]), rest }), state);
    }
  }

  /** An object that outlives the call: all ways see it. */
  share(id: number, state: State): void {
    if (this.#shared.has(id) || this.instances.has(id)) return;
    this.#shared.add(id);
    const object = state.heap.get(id);
    state.heap.delete(id);
    if (object !== undefined) this.keep(id, object, state);
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
}

function markTop(block: Block, mark: (variable: number) => void): void {
  const target = (pattern: Pattern): void => {
    if (pattern.kind === 'variable') mark(pattern.variable);
    if (pattern.kind === 'fields') for (const { target: inner } of pattern.fields) target(inner);
    if (pattern.kind === 'items') for (const inner of pattern.items) if (inner !== null) target(inner);
  };
  for (const statement of block) if (statement.kind === 'let') target(statement.target);
}

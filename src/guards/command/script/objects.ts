// What things hold: attributes, items, rows, and what a class has of its bases.

import type { Machine } from './machine.ts';
import {
  type ClassThing,
  hole,
  type InstanceThing,
  join,
  joinAll,
  list,
  literals,
  type MapThing,
  map,
  member,
  originsOf,
  restKey,
  rowOf,
  type Thing,
  text,
  texts,
  unknown,
  unknownFrom,
} from './things.ts';

/** Rounds of a loop that are walked one by one. */
export const mostRounds = 2048;

/** Items of a list that are kept one by one. */
export const mostItems = 1024;

/** Sets an attribute of a thing. */
export function setAttribute(machine: Machine, object: Thing, name: string, value: Thing): void {
  if (object.kind === 'instance' || object.kind === 'handle' || object.kind === 'class')
    machine.set(object.fields, name, value);
  else if (object.kind === 'map') machine.set(object.entries, name, value);
  else if (object.kind === 'member')
    machine.set(machine.globals.names, replacedKey(`${object.name}.${name}`), value);
  else if (object.kind === 'either')
    for (const option of object.options) setAttribute(machine, option, name, value);
}

/** Sets an item of a thing. */
export function setItem(machine: Machine, object: Thing, key: Thing, value: Thing): void {
  if (object.kind === 'map') {
    const names = literals(key) ?? (key.kind === 'number' ? [String(key.value)] : null);
    const [only] = names ?? [];
    if (names?.length === 1 && only !== undefined) machine.set(object.entries, only, value);
    else machine.set(object.entries, restKey, join(object.entries.get(restKey) ?? value, value));
  } else if (object.kind === 'list') {
    const { items, exact } = rowOf(object);
    if (key.kind === 'number' && exact && key.value >= 0 && key.value < items.length)
      setRow(machine, object, items.with(key.value, value), true);
    else setRow(machine, object, [...items, value], false);
  } else if (object.kind === 'instance' || object.kind === 'handle') {
    const names = literals(key);
    for (const name of names ?? []) machine.set(object.fields, name, value);
  }
}

/** Sets all items of a list. */
export function setRow(machine: Machine, object: Thing, items: readonly Thing[], exact: boolean): void {
  if (object.kind !== 'list') return;
  machine.spend(1 + items.length / 64);
  if (items.length > mostItems)
    machine.set(object.cell, 'items', {
      kind: 'row',
      items: [joinAll(items.slice(0, 64)), unknown],
      exact: false,
    });
  else machine.set(object.cell, 'items', { kind: 'row', items, exact });
}

/** A part of a text or a list. */
export function sliceOf(machine: Machine, object: Thing, bounds: readonly Thing[]): Thing {
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
    machine.spend(known.reduce((sum, { length }) => sum + length / 16, 0));
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

/** What a thing has under a name. */
export function getAttribute(machine: Machine, object: Thing, name: string): Thing {
  if (object.kind === 'either')
    return joinAll(object.options.map((option) => getAttribute(machine, option, name)));
  const special = machine.dialect.attribute(object, name, machine);
  if (special) return special;
  switch (object.kind) {
    case 'member':
      return member(`${object.name}.${name}`);
    case 'instance': {
      const found = fieldOf(object, name);
      if (found?.kind === 'partial' && found.callee.kind === 'member' && found.callee.name === '<property>') {
        const [getter] = found.args;
        return getter?.kind === 'function'
          ? machine.walker.invoke(machine, { ...getter, self: object }, [], new Map())
          : unknown;
      }
      if (found?.kind === 'function' && found.self === null && found.code.receiver !== 'none')
        return { ...found, self: object };
      return found ?? { kind: 'bound', receiver: object, name };
    }
    case 'class':
      return inheritedFrom(object, name) ?? { kind: 'bound', receiver: object, name };
    case 'handle':
      return object.fields.get(name) ?? { kind: 'bound', receiver: object, name };
    case 'map':
      return (
        (machine.dialect.entriesAreAttributes &&
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

/** What an instance has under a name, of its own or of its class. */
export function fieldOf(object: InstanceThing, name: string): Thing | null {
  return object.fields.get(name) ?? inheritedFrom(object.of, name);
}

/** What a class has under a name, of its own or of its bases. */
export function inheritedFrom(of: ClassThing, name: string, depth = 8): Thing | null {
  const own = of.fields.get(name);
  if (own || depth === 0) return own ?? null;
  for (const base of of.bases) {
    const found = base.kind === 'class' ? inheritedFrom(base, name, depth - 1) : null;
    if (found) return found;
  }
  return null;
}

/** The names of libraries' classes that a class stands on. */
export function basesOf(of: ClassThing, depth = 8): readonly string[] {
  if (depth === 0) return [];
  return of.bases.flatMap((base) =>
    base.kind === 'member' ? [base.name] : base.kind === 'class' ? basesOf(base, depth - 1) : [],
  );
}

/** The method of a base class, for `super()`. */
export function inherited(machine: Machine, name: string): Thing {
  const { owner, self } = machine.frame;
  for (const base of owner?.bases ?? []) {
    const found = base.kind === 'class' ? inheritedFrom(base, name) : null;
    if (found?.kind === 'function') return { ...found, self };
    if (found) return found;
  }
  return unknown;
}

/** What a thing has under a key. */
export function getItem(machine: Machine, object: Thing, key: Thing): Thing {
  if (object.kind === 'either') return joinAll(object.options.map((option) => getItem(machine, option, key)));
  const special = machine.dialect.item(object, key, machine);
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
export function itemsOf(
  machine: Machine,
  thing: Thing,
): { readonly items: readonly Thing[]; readonly exact: boolean } {
  switch (thing.kind) {
    case 'list':
      return rowOf(thing);
    case 'map':
      return machine.dialect.entriesAreAttributes ? { items: [unknown], exact: false } : keysOf(thing);
    case 'text': {
      const [only] = literals(thing) ?? [];
      if (only === undefined || thing.texts.length !== 1 || only.length > mostRounds || !machine.exact)
        return { items: [text(hole, { form: thing.form, origins: thing.origins })], exact: false };
      const { form, origins } = thing;
      machine.spend(only.length / 16);
      const items: Thing[] =
        form === 'bytes'
          ? Array.from(only, (letter) => ({ kind: 'number', value: letter.charCodeAt(0) }))
          : Array.from(only, (letter) => text(letter, { form, origins }));
      return { items, exact: true };
    }
    case 'either': {
      const rows = thing.options.map((option) => itemsOf(machine, option));
      const [first] = rows;
      if (first && rows.every(({ items, exact }) => exact && items.length === first.items.length))
        return {
          items: first.items.map((_, index) => joinAll(rows.map(({ items }) => items[index] ?? unknown))),
          exact: true,
        };
      return { items: rows.map(({ items }) => joinAll(items)), exact: false };
    }
    case 'handle': {
      // Its names alone.
      if (thing.type === 'environ') return { items: [unknown], exact: false };
      const items = thing.fields.get('items');
      return items?.kind === 'list' ? rowOf(items) : { items: [unknownFrom(originsOf(thing))], exact: false };
    }
    default:
      return { items: [unknownFrom(originsOf(thing))], exact: false };
  }
}

/** What a loop over the keys of a thing meets. */
export function keysOf(thing: Thing): { readonly items: readonly Thing[]; readonly exact: boolean } {
  if (thing.kind === 'map') {
    const exact = !thing.entries.has(restKey);
    const items = [...thing.entries.keys()].map((key) => (key === restKey ? unknown : text(key)));
    return { items, exact };
  }
  return { items: [unknown], exact: false };
}

/** The map of a thing's own names. */
export function fieldsOf(thing: Thing): MapThing {
  if (thing.kind === 'instance' || thing.kind === 'class' || thing.kind === 'handle')
    return { kind: 'map', entries: thing.fields };
  return map([], unknown);
}

/** Where what a script put in the place of a library's function is kept. */
export function replacedKey(name: string): string {
  return `\u0000replaced ${name}`;
}

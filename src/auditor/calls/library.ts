// Calls that every program makes: on lists, records and maps.

import { put } from '../flow/assign.ts';
import { invoke } from '../flow/invoke.ts';
import { cutOf, stepped } from '../flow/labels.ts';
import type { Machine } from '../flow/machine.ts';
import { memberOf } from '../flow/members.ts';
import {
  baked,
  isSaid,
  join,
  joinStates,
  joinTags,
  nothing,
  ofTags,
  type State,
  type Value,
} from '../value.ts';
import type { Site } from './site.ts';

const eachItem =
  /^(map|forEach|filter|some|every|flatMap|find|findLast|findIndex|sort|toSorted|reduce|reduceRight)$/;

const adds =
  /^(writeString|writeByte|writeRune|push|append|unshift|add|extend|insert|appendleft|update|set|setdefault|concat_)$/;

/** What may know a call, in the order in which they are asked. */
const readers: readonly ((machine: Machine, site: Site) => Value | undefined)[] = [
  added,
  eachCalled,
  builtIn,
  partOf,
  picked,
];

export function library(machine: Machine, site: Site): Value | undefined {
  for (const read of readers) {
    const value = read(machine, site);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** What holds the method that is called; null where it is a function. */
function holderOf({ expression: { callee } }: Site) {
  return callee.kind === 'member' ? callee.object : null;
}

/** Something is put into a list, a set or a map. */
function added(machine: Machine, site: Site): Value | undefined {
  const { receiver, method, given, state } = site;
  const holder = holderOf(site);
  if (holder === null || !adds.test(method) || given.length === 0 || receiver.checks.length > 0)
    return undefined;
  const spread = method === 'extend' || method === 'update';
  for (const { value, spread: many } of given) {
    const placed = stepped(machine, value, 'put in here');
    if (method === 'set' && given.length > 1 && value === given[0]?.value) continue;
    put(machine, holder, receiver, spread || many ? machine.memory.element(placed, state) : placed, state);
    if (spread || many) put(machine, holder, receiver, ofTags(placed.tags), state);
  }
  return receiver;
}

/** A method that calls what it is given for each item. */
function eachCalled(machine: Machine, site: Site): Value | undefined {
  const calls = (site.given[0]?.value.closures.length ?? 0) > 0;
  return calls && holderOf(site) !== null && eachItem.test(site.method)
    ? mapped(machine, site, site.receiver)
    : undefined;
}

/** A function of the language itself. */
function builtIn(machine: Machine, site: Site): Value | undefined {
  const { given, callee } = site;
  const [path = ''] = callee.paths;
  // A number that was reckoned says nothing to anybody.
  if (/^:(Math\.\w+|len)$|^math:(\*\.)?\w+$/.test(path)) return nothing;
  if (
    /^:(map|filter|sorted|list|tuple|set|dict|enumerate|reversed|zip|iter|next|any|all|min|max)$/.test(path)
  ) {
    const [first, second] = given;
    if (first !== undefined && second !== undefined && first.value.closures.length > 0) {
      return mapped(machine, { ...site, given: [first] }, second.value);
    }
    const value = given.map((one) => one.value).reduce(join, nothing);
    return value.paths.length === 0 ? value : { ...value, paths: [] };
  }
  const copies =
    /^:(Object\.(entries|values|assign|fromEntries|freeze)|Array\.from|structuredClone|copy\.\w+)$/;
  return copies.test(path) ? given.map((one) => one.value).reduce(join, nothing) : undefined;
}

/** A method that gives a part of a list or a text. */
function partOf(machine: Machine, site: Site): Value | undefined {
  const { receiver, method, given, state } = site;
  if (
    /^(slice|concat|flat|at|pop|shift|values|entries|items|copy|reverse|toReversed|splice)$/.test(method) &&
    receiver.objects.length > 0
  ) {
    const item = method === 'at' || method === 'pop' || method === 'shift';
    for (const { value } of given)
      if (method === 'concat')
        put(machine, holderOf(site), receiver, machine.memory.element(value, state), state);
    return item ? machine.memory.element(receiver, state) : receiver;
  }
  const cuts = /^(slice|substring|substr)$/.test(method);
  return cuts && receiver.tags.size > 0 && receiver.checks.length === 0
    ? cutOf(machine, receiver.tags)
    : undefined;
}

const picks = /^(get|getattr|getTool|get_tool|lookup|resolve)$/;

/** Something is picked by a key: by a model's word, it is the model's choice. */
function picked(machine: Machine, { receiver, given, state, method, callee }: Site): Value | undefined {
  if (!picks.test(method)) return undefined;
  const from = method === 'getattr' ? (given[0]?.value ?? nothing) : receiver;
  const key = method === 'getattr' ? given[1] : given[0];
  if (key === undefined) return undefined;
  const constant = key.value.constant?.value;
  const property = typeof constant === 'string' ? constant : null;
  const fallback = method === 'getattr' ? given[2] : given[1];
  const found = memberOf(machine, from, property, key.value, state);
  const chosen = [...key.value.tags.values()].some(({ label }) => isSaid(label)) && from.tags.size === 0;
  const value = join(
    { ...found, paths: callee.paths.map((path) => `${path}()`) },
    fallback?.value ?? nothing,
  );
  return chosen ? { ...value, selected: true } : value;
}

/** Follows a callback with an item of a list; it may be called or not. */
function called(machine: Machine, { method, given, state }: Site, receiver: Value, item: Value): Value {
  const labels = [...machine.memory.deep(receiver, state).values()].map(({ label }) => label);
  const before = state.clone();
  let result: Value = nothing;
  const ends: State[] = [];
  for (const { callable, self } of given[0]?.value.closures ?? []) {
    const inside = state.clone();
    const values = /^reduce/.test(method) ? [given[1]?.value ?? nothing, item] : [item];
    result = join(result, invoke(machine, callable, self, values, inside));
    ends.push(inside);
  }
  const after = joinStates(ends);
  if (after.alive) {
    for (const label of labels)
      before.facts.set(label.id, (before.facts.get(label.id) ?? 0) | (after.facts.get(label.id) ?? 0));
    state.become(joinStates([before, after]));
  }
  return result;
}

/** A callback for each item of a list. */
function mapped(machine: Machine, site: Site, receiver: Value): Value {
  const { method, state, expression } = site;
  const item = machine.memory.element(receiver, state);
  const result = called(machine, site, receiver, item);
  if (method === 'forEach') return nothing;
  if (method === 'find' || method === 'findLast') {
    const chosen = [...result.tags.values()].some(({ label }) => isSaid(label)) && receiver.tags.size === 0;
    return chosen ? { ...item, selected: true, tags: joinTags(item.tags, result.tags) } : item;
  }
  if (method === 'filter' || method === 'sort' || method === 'toSorted')
    return { ...receiver, checks: result.checks };
  if (method === 'some' || method === 'every')
    return {
      ...nothing,
      checks: result.checks,
      ...(result.condition === undefined ? {} : { condition: result.condition }),
    };
  if (/^reduce/.test(method)) return result;
  const id = machine.memory.objectId(expression);
  machine.memory.lists.add(id);
  state.heap.set(id, { fields: new Map(), rest: baked(result, state.facts) });
  return { ...nothing, objects: [id], checks: result.checks, pending: result.pending };
}

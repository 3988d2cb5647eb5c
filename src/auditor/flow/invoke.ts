// Follows a call of a function of the program, and sums up the ways through it.

import { Entries } from '../entries.ts';
import type { Callable } from '../ir.ts';
import { everything, type Kinds } from '../roles/guards.ts';
import {
  type Case,
  clearedBy,
  constantOf,
  type GuardSite,
  join,
  joinStates,
  joinTags,
  nothing,
  ofTags,
  type Place,
  type Promised,
  type State,
  type Value,
} from '../value.ts';
import { assign } from './assign.ts';
import type { Frame, Machine } from './machine.ts';
import { perform } from './statements.ts';
import { sitesBelow } from './uses.ts';

/** Follows a call of a function of the program. */
export function invoke(
  machine: Machine,
  callable: Callable,
  self: Value | null,
  given: readonly Value[],
  state: State,
  entry = false,
  named: ReadonlyMap<string, Value> = new Map(),
): Value {
  const deepest = machine.frames.length >= machine.budget.depth;
  if (deepest || machine.frames.filter((frame) => frame.callable === callable).length > 1) {
    return ofTags(
      given.reduce((tags, value) => joinTags(tags, machine.memory.deep(value, state)), nothing.tags),
    );
  }
  machine.visited.add(callable);
  const before = callable.async ? state.clone() : null;
  const frame: Frame = {
    callable,
    module: callable.module,
    self: self ?? nothing,
    entry,
    returns: [],
    yields: nothing,
    loops: [],
    from: machine.statement,
  };
  const kept = machine.statement;
  const choosing = machine.choosing;
  machine.frames.push(frame);
  bind(machine, callable, given, named, state);
  perform(machine, callable.body, state);
  if (state.alive) frame.returns.push({ value: constantOf(undefined), state: state.clone() });
  machine.frames.pop();
  machine.statement = kept;
  machine.choosing = choosing;
  if (frame.returns.length === 0) {
    state.alive = false;
    return nothing;
  }
  return ended(machine, frame, callable, before, state);
}

/** Puts what is given into the parameters. */
function bind(
  machine: Machine,
  callable: Callable,
  given: readonly Value[],
  named: ReadonlyMap<string, Value>,
  state: State,
): void {
  for (const [index, { target, rest, fallback, name }] of callable.parameters.entries()) {
    const value = rest
      ? given.slice(index).reduce(join, [...named.values()].reduce(join, nothing))
      : (given[index] ?? named.get(name));
    assign(
      machine,
      target,
      value ?? (fallback === undefined ? constantOf(undefined) : machine.evaluate(fallback, state)),
      state,
    );
  }
}

/** Whether what a function gives is a function, or in Go a record that has one, which sees what the function saw. */
function holdsFunction(machine: Machine, value: Value, state: State): boolean {
  if (value.closures.length > 0) return true;
  if (machine.statement.module.language !== 'go') return false;
  return value.objects.some((id) =>
    [...machine.memory.object(id, state).fields.values()].some(({ closures }) => closures.length > 0),
  );
}

/** Sums up the ways through a function; `before` is the state at its start where nobody waits for it yet. */
function ended(
  machine: Machine,
  { returns, yields }: Frame,
  callable: Callable,
  before: State | null,
  state: State,
): Value {
  const end = joinStates(returns.map((one) => one.state));
  settleSites(
    machine,
    end,
    callable.yields
      ? yields
      : returns.map((one) => one.state.bake(machine.memory.flat(one.value, one.state))).reduce(join),
  );
  const value = returns
    .map((one) =>
      returns.length === 1 ? one.value : one.state.bake(machine.memory.flat(one.value, one.state)),
    )
    .reduce(join);
  if (holdsFunction(machine, value, end)) {
    for (const [id, held] of end.variables)
      machine.memory.captured.set(id, join(machine.memory.captured.get(id) ?? nothing, held));
  }
  // In Go a way that failed goes on to where somebody looks at its error.
  const fails = callable.module.language === 'go' && returns.length > 1;
  const all = end.heap.clone();
  const cases = returns.map(
    ({ value: given, state: at }): Case => ({
      value: given,
      facts: at.facts,
      ...(fails ? { end: { state: at, all } } : {}),
    }),
  );
  const promises = before === null || callable.yields ? null : promised(before, end, machine.chain());
  state.become(end);
  if (callable.yields) {
    const id = machine.memory.objectId(callable);
    state.heap.set(id, { fields: new Map(), rest: yields });
    return { ...nothing, objects: [id], tags: yields.tags };
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
function settleSites(machine: Machine, ended: State, value: Value): void {
  for (const use of ended.attempts) {
    for (const site of use.sites) {
      if (site.held !== null || site.chain.length !== machine.frames.length + 1) continue;
      site.held = site.labels.reduce((held, label) => {
        const tag = value.tags.get(label.id);
        return held & (clearedBy(ended.facts, label) | (tag?.cleared ?? 0));
      }, everything);
    }
  }
}

/** Removes from a state what may not have happened before an await. */
function promised(before: State, ended: State, chain: readonly Place[]): Promised | null {
  const started = chain.at(-1) ?? null;
  const facts = new Map<number, Kinds>();
  for (const [id, held] of ended.facts) {
    const more = held & ~(before.facts.get(id) ?? 0);
    if (more !== 0) facts.set(id, more);
  }
  for (const [id, held] of facts) ended.facts.set(id, (ended.facts.get(id) ?? 0) & ~held);
  const variables = new Map<number, Value>();
  for (const [id, after] of Entries.changes(before.variables, ended.variables)) {
    const earlier = before.variables.get(id);
    if (earlier === undefined) continue;
    variables.set(id, after);
    const either = join(earlier, after);
    const differ = earlier.checks.length > 0 !== after.checks.length > 0;
    const cases: Case[] = [
      { value: earlier, facts: before.facts },
      { value: after, facts: ended.facts },
    ];
    ended.variables.set(id, differ ? { ...either, cases } : either);
  }
  const sites: GuardSite[] = [];
  for (const site of sitesBelow(ended, chain)) {
    if (site.started !== null) continue;
    site.started = started;
    sites.push(site);
  }
  return facts.size + variables.size + sites.length === 0 ? null : { facts, variables, sites };
}

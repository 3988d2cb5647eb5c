// Guards at work: where one is called, and what holds once its result is there.

import type { Expression } from '../ir.ts';
import { type GuardSite, type GuardUse, type Place, type State, type Value, whole } from '../value.ts';
import type { Machine } from './machine.ts';

/** Somebody waited for it: what a guard promised is there now. */
export function awaited(machine: Machine, value: Value, state: State): Value {
  if (value.gathers === true) return allAwaited(machine, value, state);
  let next = value;
  if (value.promises !== undefined) {
    const { facts, variables, sites } = value.promises;
    for (const [id, held] of facts) state.facts.set(id, (state.facts.get(id) ?? 0) | held);
    for (const [id, kept] of variables) state.variables.set(id, kept);
    for (const site of sites) site.started = null;
  }
  for (const { use, property } of value.checks) {
    if (property !== null || use.shadowed) continue;
    use.awaited = true;
    if (!isAsync(machine, use) || use.swallowed || value.due !== true) continue;
    // What may have been left out has done nothing for sure.
    if (value.cases?.some((one) => !one.value.checks.some((check) => check.use === use)) === true) continue;
    next = promised(next, use, state);
  }
  if (next.cases !== undefined)
    next = { ...next, cases: next.cases.map((one) => ({ ...one, value: there(one.value) })) };
  return there(next);
}

function there(value: Value): Value {
  return value.pending ? { ...value, pending: false, due: false } : value;
}

function allAwaited(machine: Machine, { gathers: _, ...list }: Value, state: State): Value {
  for (const id of list.objects) {
    const { fields, rest } = machine.memory.object(id, state);
    const items = new Map([...fields].map(([name, item]) => [name, awaited(machine, item, state)]));
    state.heap.set(id, { fields: items, rest: awaited(machine, rest, state) });
  }
  return list;
}

function promised(value: Value, use: GuardUse, state: State): Value {
  const { guard } = use;
  if (guard.form === 'effect') state.facts.set(whole, (state.facts.get(whole) ?? 0) | guard.kinds);
  if (guard.form === 'throws') state.clear(use.labels, guard.kinds);
  if (guard.form === 'tools') return { ...value, paths: [...value.paths, 'guarded:tools'] };
  if (guard.form !== 'result' || guard.values !== undefined) return value;
  const tags = new Map(value.tags);
  for (const [id, tag] of tags) tags.set(id, { ...tag, cleared: tag.cleared | guard.kinds });
  return { ...value, tags };
}

/** Whether a guard's result must be waited for: in Go never. Python has clients of both kinds, so its names never tell. */
export function isAsync(machine: Machine, { guard, place, inAsync }: GuardUse): boolean {
  if (place.module.language === 'go') return false;
  if (place.module.language === 'python') return inAsync && machine.asynchronous.has(guard.name);
  return guard.async ?? machine.asynchronous.has(guard.name);
}

/** What a guard is a method of, as the path of what was called to make it. */
function clientOf(machine: Machine, expression: Expression): string {
  if (expression.kind !== 'call' || expression.callee.kind !== 'member') return '';
  const { paths = [] } = machine.outcomes.get(expression.callee.object) ?? {};
  return paths.map((path) => path.slice(0, path.indexOf('()') + 2)).find((path) => path.length > 1) ?? '';
}

/** The one record of a guard's use at a place. */
export function useOf(
  machine: Machine,
  expression: Expression,
  guard: GuardUse['guard'],
  given: Value,
  state: State,
  shadowed = false,
): GuardUse {
  const labels = [...given.tags.values()].map(({ label }) => label);
  let use = machine.uses.get(expression);
  if (use === undefined) {
    const place = { module: machine.frame().module, at: expression.at };
    const inAsync = place.module.language !== 'go' && (machine.frame().callable?.async ?? true);
    const end = expression.kind === 'call' ? expression.end : expression.at;
    use = {
      guard,
      place,
      end,
      client: clientOf(machine, expression),
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
  if (use.sites.length < 32) use.sites.push({ labels, chain: machine.chain(), held: null, started: null });
  machine.uses.set(expression, use);
  state.attempts.add(use);
  return use;
}

/** The guards that were called by what a statement called, with all calls that led there: the same each time it runs. */
export function sitesBelow({ attempts }: State, chain: readonly Place[]): readonly GuardSite[] {
  return [...attempts].flatMap(({ sites }) =>
    sites.filter(
      (site) =>
        site.chain.length > chain.length &&
        chain.every(({ module, at }, index) => {
          const one = site.chain[index];
          return one?.at === at && one.module === module;
        }),
    ),
  );
}

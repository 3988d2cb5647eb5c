// What a call does: a guard, a model, a tool, something that acts, a function of the program, or nobody knows what.

import type { Machine } from '../flow/machine.ts';
import { letOn, memberOf } from '../flow/members.ts';
import type { Call } from '../ir.ts';
import { inExpression, written } from '../program.ts';
import { records } from '../roles/acts.ts';
import {
  callRecorded,
  joinTags,
  nothing,
  ofTags,
  recordWritten,
  type State,
  type Value,
  whole,
} from '../value.ts';
import { acted } from './acts.ts';
import { guarded, looksAtInput } from './guards.ts';
import { library } from './library.ts';
import { model } from './models.ts';
import { ownCode } from './own.ts';
import { promise } from './promises.ts';
import type { Given, Site } from './site.ts';
import { dispatched } from './tools.ts';
import { unknown } from './unknown.ts';

export function call(machine: Machine, expression: Call, state: State): Value {
  const { callee: target } = expression;
  const receiver = target.kind === 'member' ? machine.evaluate(target.object, state) : nothing;
  const callee =
    target.kind === 'member'
      ? memberOf(
          machine,
          receiver,
          target.property,
          target.key === undefined || target.property !== null ? null : machine.evaluate(target.key, state),
          state,
        )
      : machine.evaluate(target, state);
  const given = expression.arguments.map(({ value, name, spread = false, filled = false }): Given => {
    const evaluated = machine.evaluate(value, state);
    return {
      value: evaluated,
      spread,
      ...(name === undefined ? {} : { name }),
      ...(filled ? { filled: value } : {}),
    };
  });
  const all = ofTags(
    given.reduce((tags, { value }) => joinTags(tags, machine.memory.deep(value, state)), nothing.tags),
  );
  const method = target.kind === 'member' ? (target.property ?? '') : written(target);
  const site: Site = { expression, callee, receiver, method, given, all, state };
  keepRecord(machine, site);
  if (callee.paths.some((path) => path === ':next' || path === ':call_next')) letOn(machine, state);
  const known =
    promise(machine, site) ??
    guarded(machine, site) ??
    imported(machine, site) ??
    model(machine, site) ??
    dispatched(machine, site) ??
    acted(machine, site) ??
    ownCode(machine, site) ??
    library(machine, site);
  return known ?? unknown(machine, site);
}

function keepRecord(machine: Machine, { expression, callee, given, state }: Site): void {
  if (callee.closures.length > 0 && !callee.closures.some(({ callable }) => looksAtInput(callable))) return;
  const names = [...callee.paths, `:${written(expression.callee)}`];
  let event = false;
  for (const { value } of expression.arguments) {
    inExpression(value, (part) => {
      if (
        part.kind === 'constant' &&
        typeof part.value === 'string' &&
        /jailbreak|injection/i.test(part.value)
      )
        event = true;
    });
  }
  const keeps =
    names.some((path) => records.test(path)) ||
    (event &&
      /jailbreak_attempt/.test(machine.statement.module.source.slice(expression.at, expression.at + 2000)) &&
      !/^:(console|print)/.test(names[0] ?? ''));
  if (!keeps) return;
  const wanted = given.some(({ value }) =>
    [...machine.memory.deep(value, state).values()].some(({ label }) => label.kind === 'call'),
  );
  const kept = recordWritten | (wanted ? callRecorded : 0);
  state.facts.set(whole, (state.facts.get(whole) ?? 0) | kept);
  for (const use of state.attempts) {
    if (given.some(({ value }) => value.checks.some((check) => check.use === use && check.property === null)))
      use.audited = true;
  }
}

function imported(machine: Machine, { callee, given }: Site): Value | undefined {
  const [path = ''] = callee.paths;
  const from = given[0]?.value.constant?.value;
  if ((path !== ':import' && path !== ':require') || typeof from !== 'string') return undefined;
  const target = machine.program.resolve(machine.statement.module, from);
  const value = target === null ? undefined : machine.offered(target, '*');
  return value ?? { ...nothing, paths: [`${from}:*`] };
}

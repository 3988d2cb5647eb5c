// Calls of guards: which guard it is, whether it is one at all, and what it clears.

import { invoke } from '../flow/invoke.ts';
import type { Machine } from '../flow/machine.ts';
import { memberOf } from '../flow/members.ts';
import { isAsync, useOf } from '../flow/uses.ts';
import type { Callable, Expression } from '../ir.ts';
import { eachExpression, inExpression, written } from '../program.ts';
import { decideCall, type Guard, kinds } from '../roles/guards.ts';
import { type GuardUse, join, nothing, ofTags, type Tag, type Value, whole } from '../value.ts';
import { decided } from './acts.ts';
import type { Site } from './site.ts';

export function guarded(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, receiver, given, all, state } = site;
  const stream = receiver.checks.find(({ use }) => use.guard.form === 'stream')?.use;
  if (stream !== undefined) return streamChunk(machine, site, stream);
  if (callee.closures.length === 0 && callee.paths.some((path) => decideCall.test(path)))
    return decided(machine, site);
  const found = findGuard(machine, site);
  if (found === undefined) return undefined;
  const { guard, shadowed } = found;
  if (shadowed) {
    useOf(machine, expression, guard, all, state, true);
    return undefined;
  }
  const use = useOf(machine, expression, guard, all, state);
  const waits = isAsync(machine, use);
  const result: Value = {
    ...nothing,
    checks: [{ use, property: null }],
    pending: waits,
    due: waits,
    paths: callee.paths.map((path) => `${path}()`),
  };
  switch (guard.form) {
    case 'effect':
      if (!waits && !tells(machine, site, guard))
        state.facts.set(whole, (state.facts.get(whole) ?? 0) | guard.kinds);
      return result;
    case 'throws':
      if (!waits && !tells(machine, site, guard)) state.clear(use.labels, guard.kinds);
      return result;
    case 'model':
      return { ...result, paths: ['guarded:model'], pending: false };
    case 'tools': {
      const id = machine.memory.objectId(expression);
      state.heap.set(id, { fields: new Map([['tools', given[0]?.value ?? nothing]]), rest: nothing });
      return { ...nothing, objects: [id], checks: result.checks, pending: true, due: true };
    }
    case 'stream':
      return result;
    case 'generate':
      return generated(machine, site, use);
    case 'result': {
      if (guard.values !== undefined) return result;
      const tags = new Map(
        [...all.tags].map(([id, tag]) => [
          id,
          { ...tag, cleared: waits ? tag.cleared : tag.cleared | guard.kinds },
        ]),
      );
      return { ...result, tags };
    }
  }
}

/** In Go a failure is an error that somebody has to look at, unless it is a panic, or the client that guards by itself. */
function tells(machine: Machine, { method }: Site, guard: Guard): boolean {
  const panics = /^must/.test(method) || guard.kinds === kinds.egress;
  return machine.statement.module.language === 'go' && !panics;
}

function findGuard(
  machine: Machine,
  { expression, callee, method }: Site,
): { readonly guard: Guard; readonly shadowed: boolean } | undefined {
  if (callee.closures.length > 0 || callee.classes.length > 0) {
    for (const { callable } of callee.closures) {
      const name = written(expression.callee).replace(/^this\./, '');
      const names = [
        ...(callable.class === undefined ? [] : [`${callable.class.name}().${method}`]),
        callable.name,
      ];
      const found = [
        machine.guardNamed(machine.statement.module, name),
        ...names.map((one) => machine.guards.find(`:${one}`)),
      ];
      for (const guard of found) {
        if (guard === null) continue;
        if (throwsIn(callable) && guard.form === 'result' && guard.tests === undefined)
          return { guard: { ...guard, form: 'throws', async: callable.async }, shadowed: false };
        return {
          guard: { ...guard, async: callable.async || guard.async === true ? true : guard.async },
          shadowed: !looksAtInput(callable),
        };
      }
    }
    return undefined;
  }
  for (const path of callee.paths) {
    const shadow = path.startsWith('shadow:');
    const guard = machine.guards.find(shadow ? path.slice('shadow'.length) : path);
    if (guard !== null) return { guard, shadowed: shadow };
  }
  // Named like a guard, and made of something else.
  const name = written(expression.callee);
  const promised =
    callee.paths.length === 0 || name === '' ? null : machine.guardNamed(machine.statement.module, name);
  return promised === null ? undefined : { guard: promised, shadowed: true };
}

/** Whether a function that is named like a guard does anything with what it is given. */
export function looksAtInput({ body, parameters }: Callable): boolean {
  const own = new Set<number>();
  for (const { target } of parameters) {
    if (target.kind === 'variable') own.add(target.variable);
    if (target.kind === 'fields')
      for (const { target: inner } of target.fields) if (inner.kind === 'variable') own.add(inner.variable);
  }
  const mentions = (expression: Expression): boolean => {
    let found = false;
    inExpression(expression, (part) => {
      if ((part.kind === 'variable' && own.has(part.variable)) || part.kind === 'this') found = true;
    });
    return found;
  };
  let looks = false;
  eachExpression(body, (expression) => {
    if (expression.kind === 'compare' && mentions(expression)) looks = true;
    if (expression.kind !== 'call') return;
    const name = written(expression.callee);
    // What is only shown, copied or put into something made for it has not been looked at.
    if (
      /^(Promise\.|console\.|print$|log(ger)?\.|str$|dict$|fmt\.|slog\.|strings\.(trim|to)\w+$)|\.(trim|strip|toString)$|(^|\.)[A-Z]\w*$/.test(
        name,
      )
    )
      return;
    if (expression.arguments.some(({ value }) => mentions(value)) || mentions(expression.callee))
      looks = true;
  });
  return looks;
}

function throwsIn({ body }: Callable): boolean {
  const search = (block: Callable['body']): boolean =>
    block.some((statement) => {
      if (statement.kind === 'throw') return true;
      if (statement.kind === 'branch') return search(statement.yes) || search(statement.no);
      if (statement.kind === 'while' || statement.kind === 'each') return search(statement.body);
      return false;
    });
  return search(body);
}

/** A piece of a stream that is handed to the guard; what it gives back may be shown. */
function streamChunk(machine: Machine, { expression, all, state, callee }: Site, stream: GuardUse): Value {
  const { kinds: cleared } = stream.guard;
  const guard: Guard = {
    name: 'output.stream.push',
    kinds: cleared,
    async: true,
    form: 'result',
    tests: { blocked: { kinds: cleared, bad: true } },
    values: { emit: cleared },
    audits: true,
  };
  stream.labels = [...new Set([...stream.labels, ...[...all.tags.values()].map(({ label }) => label)])];
  const use = useOf(
    machine,
    expression,
    guard,
    {
      ...all,
      tags: new Map([
        ...all.tags,
        ...stream.labels.map((label): [number, Tag] => [label.id, { label, cleared: 0, step: null }]),
      ]),
    },
    state,
  );
  const waits = isAsync(machine, use);
  return { ...nothing, checks: [{ use, property: null }], pending: waits, due: waits, paths: callee.paths };
}

/** The model is asked inside the guard: what goes in and what comes out has passed it. */
function generated(machine: Machine, { given, state, expression }: Site, use: GuardUse): Value {
  const [options] = given;
  const { kinds: cleared } = use.guard;
  const clean = (value: Value): Value => ({
    ...ofTags(
      new Map(
        [...machine.memory.deep(value, state)].map(([id, tag]) => [
          id,
          { ...tag, cleared: tag.cleared | cleared },
        ]),
      ),
    ),
  });
  let answer: Value = nothing;
  for (const { name, value } of given) {
    const part = (key: string) =>
      name === undefined ? memberOf(machine, value, key, null, state) : name === key ? value : nothing;
    for (const { callable, self } of part('ask').closures) {
      const attempt = machine.memory.objectId(use);
      const prompt = clean(memberOf(machine, options?.value ?? nothing, 'prompt', null, state));
      state.heap.set(attempt, { fields: new Map([['prompt', prompt]]), rest: nothing });
      answer = join(answer, invoke(machine, callable, self, [{ ...nothing, objects: [attempt] }], state));
    }
  }
  const id = machine.memory.objectId(expression);
  const text = clean(answer);
  state.heap.set(id, { fields: new Map([['text', text]]), rest: text });
  return { ...nothing, objects: [id] };
}

// What a call does: a guard, a model, a tool, something that acts, a function of the program, or nobody knows what.

import type { Machine } from './flow.ts';
import { isSaid, recordKept } from './flow.ts';
import type { Call, Callable, ClassShape, Expression } from './ir.ts';
import { eachExpression, effectsOf, inExpression, written } from './program.ts';
import {
  decideAddress,
  decideKinds,
  dispatches,
  type Effect,
  effectsOfName,
  type Guard,
  inputs,
  isModel,
  isOwner,
  isStreaming,
  kinds,
  modelAddress,
  notPrompt,
  readsFile,
  records,
  runsTools,
  type SinkKind,
  sinkOf,
} from './roles.ts';
import {
  baked,
  type Closure,
  type GuardUse,
  join,
  joinStates,
  joinTags,
  nothing,
  ofTags,
  type State,
  type Tag,
  type Value,
  whole,
} from './value.ts';

interface Given {
  readonly value: Value;
  readonly name?: string;
  readonly spread: boolean;
}

/** One call as it is looked at. */
interface Site {
  readonly expression: Call;
  readonly callee: Value;
  readonly receiver: Value;
  readonly method: string;
  readonly given: readonly Given[];
  /** All that is handed over, in one. */
  readonly all: Value;
  readonly state: State;
}

export function call(machine: Machine, expression: Call, state: State): Value {
  const { callee: target } = expression;
  const receiver = target.kind === 'member' ? machine.evaluate(target.object, state) : nothing;
  const callee =
    target.kind === 'member'
      ? machine.member(
          receiver,
          target.property,
          target.key === undefined || target.property !== null ? null : machine.evaluate(target.key, state),
          state,
        )
      : machine.evaluate(target, state);
  const given = expression.arguments.map(({ value, name, spread = false }): Given => {
    const evaluated = machine.evaluate(value, state);
    return { value: evaluated, spread, ...(name === undefined ? {} : { name }) };
  });
  const all = ofTags(
    given.reduce((tags, { value }) => joinTags(tags, machine.deep(value, state)), nothing.tags),
  );
  const method = target.kind === 'member' ? (target.property ?? '') : written(target);
  const site: Site = { expression, callee, receiver, method, given, all, state };
  keepRecord(machine, site);
  if (callee.paths.some((path) => path === ':next' || path === ':call_next')) machine.letOn(state);
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

// ── records

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
  state.facts.set(whole, (state.facts.get(whole) ?? 0) | recordKept);
  for (const use of state.attempts) {
    if (given.some(({ value }) => value.checks.some((check) => check.use === use && check.property === null)))
      use.audited = true;
  }
}

// ── promises

function promise(
  machine: Machine,
  { expression, callee, receiver, method, given, state }: Site,
): Value | undefined {
  const [path = ''] = callee.paths;
  if (/^:Promise\.(all|allSettled|race|any)$|^asyncio:(\*\.)?gather$/.test(path)) {
    const id = machine.objectId(expression);
    const [first] = given;
    const items =
      path.startsWith(':Promise') && first !== undefined
        ? first.value.objects.flatMap((one) => [
            ...machine.object(one, state).fields.values(),
            machine.object(one, state).rest,
          ])
        : given.map(({ value }) => value);
    const waited = items.map((value) => machine.awaited(value, state));
    const fields = new Map(waited.map((value, index) => [String(index), value]));
    state.heap.set(id, {
      fields,
      rest: first === undefined ? nothing : machine.awaited(ofTags(first.value.tags), state),
    });
    return { ...nothing, objects: [id] };
  }
  if (/^:Promise\.resolve$/.test(path)) return given[0]?.value ?? nothing;
  if (receiver.checks.length === 0 && receiver.tags.size === 0) return undefined;
  if (method === 'catch') {
    for (const { use } of receiver.checks) use.swallowed = true;
    for (const { value } of given)
      for (const closure of value.closures) runCallback(machine, closure, state, {});
    return receiver;
  }
  if (method === 'finally') return receiver;
  if (method === 'then') {
    const ready = machine.awaited(receiver, state);
    let result: Value = nothing;
    for (const closure of given[0]?.value.closures ?? []) {
      result = join(result, machine.invoke(closure.callable, closure.self, [ready], state));
    }
    if (given[1] !== undefined) for (const { use } of receiver.checks) use.swallowed = true;
    return given[0]?.value.closures.length === 0 ? ready : result;
  }
  return undefined;
}

// ── guards

function guarded(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, receiver, given, all, state } = site;
  const stream = receiver.checks.find(({ use }) => use.guard.form === 'stream')?.use;
  if (stream !== undefined) return piece(machine, site, stream);
  const found = findGuard(machine, site);
  if (found === undefined) return undefined;
  const { guard, shadowed } = found;
  if (shadowed) {
    machine.use(expression, guard, all, state, true);
    return undefined;
  }
  const use = machine.use(expression, guard, all, state);
  const waits = machine.isAsync(use);
  const result: Value = {
    ...nothing,
    checks: [{ use, property: null }],
    pending: waits,
    due: waits,
    paths: callee.paths.map((path) => `${path}()`),
  };
  switch (guard.form) {
    case 'effect':
      if (!waits) state.facts.set(whole, (state.facts.get(whole) ?? 0) | guard.kinds);
      return result;
    case 'throws':
      if (!waits) state.clear(use.labels, guard.kinds);
      return result;
    case 'model':
      return { ...result, paths: ['guarded:model'], pending: false };
    case 'tools': {
      const id = machine.objectId(expression);
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
function looksAtInput({ body, parameters }: Callable): boolean {
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
    if (/^(Promise\.|console\.|print$|log(ger)?\.|String$|str$|dict$)|\.(trim|strip|toString)$/.test(name))
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
function piece(machine: Machine, { expression, all, state, callee }: Site, stream: GuardUse): Value {
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
  const use = machine.use(
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
  const waits = machine.isAsync(use);
  return { ...nothing, checks: [{ use, property: null }], pending: waits, due: waits, paths: callee.paths };
}

/** The model is asked inside the guard: what goes in and what comes out has passed it. */
function generated(machine: Machine, { given, state, expression }: Site, use: GuardUse): Value {
  const [options] = given;
  const { kinds: cleared } = use.guard;
  const clean = (value: Value): Value => ({
    ...ofTags(
      new Map(
        [...machine.deep(value, state)].map(([id, tag]) => [id, { ...tag, cleared: tag.cleared | cleared }]),
      ),
    ),
  });
  let answer: Value = nothing;
  for (const { name, value } of given) {
    const part = (key: string) =>
      name === undefined ? machine.member(value, key, null, state) : name === key ? value : nothing;
    for (const { callable, self } of part('ask').closures) {
      const attempt = machine.objectId(use);
      const prompt = clean(machine.member(options?.value ?? nothing, 'prompt', null, state));
      state.heap.set(attempt, { fields: new Map([['prompt', prompt]]), rest: nothing });
      answer = join(answer, machine.invoke(callable, self, [{ ...nothing, objects: [attempt] }], state));
    }
  }
  const id = machine.objectId(expression);
  const text = clean(answer);
  state.heap.set(id, { fields: new Map([['text', text]]), rest: text });
  return { ...nothing, objects: [id] };
}

// ── modules that are asked for

function imported(machine: Machine, { callee, given, state }: Site): Value | undefined {
  const [path = ''] = callee.paths;
  const from = given[0]?.value.constant?.value;
  if ((path !== ':import' && path !== ':require') || typeof from !== 'string') return undefined;
  void state;
  const target = machine.program.resolve(machine.statement.module, from);
  const value = target === null ? undefined : machine.offered(target, '*');
  return value ?? { ...nothing, paths: [`${from}:*`] };
}

// ── models

function model(machine: Machine, site: Site): Value | undefined {
  const { callee, state, given, expression } = site;
  if (callee.closures.length > 0) return undefined;
  const path =
    callee.paths.find((one) => isModel(one)) ??
    (http(site) && modelAddress.test(addressOf(machine, site)) ? 'http' : undefined);
  if (path === undefined) return undefined;
  const prompt = promptOf(machine, site, path === 'http');
  const around = guardsAround(machine, site);
  const cleared = around.model ? kinds.injection | kinds.pii | kinds.secrets | kinds.policy : 0;
  machine.tell('prompt', withCleared(prompt, cleared), state, { what: written(expression.callee) });
  const streams =
    isStreaming(path) ||
    given.some(
      ({ name, value }) =>
        (name === 'stream' ? value : machine.member(value, 'stream', null, state)).constant?.value === true,
    );
  const answer = machine.labelled(
    streams ? 'chunk' : 'model',
    'what the model said',
    machine.statement,
    [],
    state,
  );
  const { tags } = withCleared(answer, cleared & (kinds.secrets | kinds.policy));
  if (runsTools(path) || callee.paths.some(runsTools)) toolsRun(machine, site, around.tools);
  for (const { value } of given)
    for (const [name, closure] of callbacksOf(machine, value, state)) {
      if (name === 'execute' || name === 'func') continue;
      runCallback(machine, closure, state, { first: machine.retold(ofTags(tags), 'model', 'chunk') });
    }
  return { ...answer, tags };
}

function withCleared(value: Value, cleared: number): Value {
  if (cleared === 0) return value;
  return {
    ...value,
    tags: new Map([...value.tags].map(([id, tag]) => [id, { ...tag, cleared: tag.cleared | cleared }])),
  };
}

/** What of a call goes into the prompt. */
function promptOf(machine: Machine, { given, state }: Site, overHttp: boolean): Value {
  let tags = nothing.tags;
  for (const [index, { value, name }] of given.entries()) {
    if (overHttp && index === 0 && name === undefined) continue;
    if (name !== undefined && notPrompt.has(name)) continue;
    const objects = value.objects.filter((id) => !machine.instances.has(id));
    if (objects.length === 0) tags = joinTags(tags, value.tags);
    for (const id of objects) {
      const { fields, rest } = machine.object(id, state);
      for (const [key, field] of fields)
        if (!notPrompt.has(key)) tags = joinTags(tags, machine.deep(field, state));
      tags = joinTags(joinTags(tags, machine.deep(rest, state)), value.tags);
    }
  }
  return ofTags(tags);
}

/** Whether the model, or the tools, that are handed over are guarded ones. */
function guardsAround(
  machine: Machine,
  { given, state, receiver, callee }: Site,
): { readonly model: boolean; readonly tools: boolean } {
  const paths = new Set<string>([...receiver.paths, ...callee.paths]);
  const look = (value: Value, depth: number) => {
    for (const path of value.paths) if (path.startsWith('guarded:')) paths.add(path);
    if (depth > 4) return;
    for (const id of value.objects) {
      const { fields, rest } = machine.object(id, state);
      for (const inner of [...fields.values(), rest]) look(inner, depth + 1);
    }
  };
  look(receiver, 0);
  for (const { value } of given) look(value, 0);
  const has = (what: string) => [...paths].some((path) => path.startsWith(`guarded:${what}`));
  return { model: has('model'), tools: has('tools') };
}

/** Tools that the library runs by itself, each with what the model wants. */
function toolsRun(machine: Machine, { given, state, receiver }: Site, guardedTools: boolean): void {
  const closures: Closure[] = [];
  for (const { value, name } of [...given, { value: receiver, name: undefined }]) {
    const tools = name === 'tools' ? value : machine.member(value, 'tools', null, state);
    for (const [key, closure] of callbacksOf(machine, tools, state)) {
      if (key === '' || /^\d+$/.test(key) || runningNames.test(key)) closures.push(closure);
    }
  }
  if (closures.length === 0) return;
  const cleared = guardedTools ? kinds.tool | kinds.approval | kinds.owner : 0;
  // What the tools do is seen inside them; only their names are left to judge here.
  const effects = new Set<Effect>(
    closures.flatMap(({ callable }) =>
      runningNames.test(callable.name) ? [] : effectsOfName(callable.name),
    ),
  );
  const ends: State[] = [];
  const wanted = withCleared(
    machine.labelled('call', 'what the model wants', machine.statement, [], state),
    cleared,
  );
  for (const { callable, self } of closures) {
    const inside = state.clone();
    machine.awaited(machine.enter({ callable, self }, inside, { entry: false, first: wanted }), inside);
    ends.push(inside);
  }
  const after = joinStates(ends);
  if (!after.alive) return;
  machine.tell('dispatch', wanted, after, { effects, what: 'the tools' });
}

/** Functions in a value and in what is in it, by the names that they stand under. */
function callbacksOf(
  machine: Machine,
  value: Value,
  state: State,
  depth = 0,
  name = '',
): readonly [string, Closure][] {
  const found: [string, Closure][] = value.closures.map((closure) => [name, closure]);
  if (depth > 4) return found;
  for (const id of value.objects) {
    if (machine.instances.has(id)) continue;
    const { fields, rest } = machine.object(id, state);
    for (const [key, inner] of fields) found.push(...callbacksOf(machine, inner, state, depth + 1, key));
    found.push(...callbacksOf(machine, rest, state, depth + 1, ''));
  }
  return found;
}

// ── tools

const runningNames =
  /^(execute|run|call|invoke|ainvoke|arun|handler|fn|func|handle|apply|_run|_arun|callback|action|__call__|implementation)$/;

function dispatched(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, receiver, method, all, state, given } = site;
  const chosen =
    callee.selected === true &&
    (expression.callee.kind !== 'member' || receiver.selected !== true || runningNames.test(method));
  const wanted = [...all.tags.values()].some(({ label }) => isSaid(label));
  const byName =
    wanted &&
    callee.closures.length === 0 &&
    callee.paths.length > 0 &&
    callee.paths.some((path) => dispatches.test(path.replaceAll('().', '.'))) &&
    !callee.paths.some((path) => sinkOf(path) !== undefined && sinkOf(path) !== 'show');
  const inChoice =
    wanted &&
    machine.choosing > 0 &&
    [...all.tags.values()].some(({ label }) => label.kind === 'call') &&
    !harmless.test(written(expression.callee)) &&
    sinkFor(callee) === undefined &&
    !isMade(callee);
  if (!chosen && !byName && !inChoice) return undefined;
  const effects = new Set<Effect>(callee.closures.flatMap(({ callable }) => [...effectsOf(callable)]));
  // What a name stands for that the program itself wrote down is as much as its name says.
  if (inChoice && !chosen && !byName) for (const effect of effectsOfName(method)) effects.add(effect);
  const named = callee.closures.length > 0 || (inChoice && !chosen && !byName);
  const known = named ? effects : machine.program.toolNames.size > 0 ? machine.program.toolEffects : null;
  const selector = chosen ? joinTags(said(callee.tags), said(all.tags)) : said(all.tags);
  machine.tell('dispatch', machine.stepped(ofTags(selector), 'run as a tool'), state, {
    effects: known,
    what: written(expression.callee),
  });
  owners(machine, site, known);
  const place = machine.statement;
  if (callee.closures.length > 0) {
    const ends: State[] = [];
    const choosing = machine.choosing;
    machine.choosing = 0;
    for (const closure of callee.closures) {
      const inside = state.clone();
      invokeClosure(machine, closure, given, inside);
      ends.push(inside);
    }
    machine.choosing = choosing;
    const after = joinStates(ends);
    if (after.alive) state.become(after);
  }
  machine.statement = place;
  return machine.labelled(
    'tool',
    `the result of ${written(expression.callee) || 'the tool'}`,
    place,
    [],
    state,
  );
}

const harmless =
  /^(JSON\.|String$|Number$|Boolean$|Array\.|Object\.|Math\.|parseInt|str$|int$|float$|len$|dict$|list$|json\.|console\.|print$|log(ger|ging)?\.|isinstance|type$|Error$|\w*Error$|\w*Exception$|throw\w*)|\.(push|append|extend|add|set|get|has|includes|trim|strip|split|join|map|filter|parse|safeParse|format|toString|startsWith|lower|upper|toLowerCase|log|warn|info|error|debug|keys|values|items|slice|replace|loads|dumps|validate\w*|model_validate|unshift)$/;

function isMade(callee: Value): boolean {
  return callee.classes.length > 0;
}

function said(tags: ReadonlyMap<number, Tag>): ReadonlyMap<number, Tag> {
  return new Map([...tags].filter(([, { label }]) => isSaid(label)));
}

/** Whose data a call is about: the argument that says so must not come from the model. */
function owners(machine: Machine, { given, state, callee }: Site, effects: ReadonlySet<Effect> | null): void {
  let seen = false;
  const tell = (value: Value) => {
    seen = true;
    machine.tell('owner', machine.flat(value, state), state);
  };
  for (const { value, name } of given) {
    if (name !== undefined && isOwner(name)) tell(value);
    for (const id of value.objects) {
      if (machine.instances.has(id)) continue;
      for (const [key, field] of machine.object(id, state).fields) if (isOwner(key)) tell(field);
    }
  }
  const takes =
    effects?.has('owner') === true ||
    callee.closures.some(({ callable }) => callable.parameters.some(({ name }) => isOwner(name)));
  if (seen || !takes) return;
  // The model's own arguments, whole: nobody put the caller's id over what it wrote.
  const carried = given.filter(
    ({ value }) =>
      value.objects.length === 0 ||
      value.tags.size > 0 ||
      value.objects.some((id) => machine.object(id, state).rest.tags.size > 0),
  );
  const others = given.some(
    ({ value }) =>
      value.source?.quiet === true ||
      value.paths.some((path) => /(^:|\.)(ctx|context|session|user|auth|tool_?context)/i.test(path)),
  );
  const tags = carried.reduce(
    (all, { value }) => joinTags(all, said(machine.deep(value, state))),
    nothing.tags,
  );
  if (tags.size > 0 && !others) machine.tell('owner', ofTags(tags), state);
}

// ── what acts

function sinkFor(callee: Value): SinkKind | undefined {
  for (const path of callee.paths) {
    const sink = sinkOf(path);
    if (sink !== undefined) return sink;
  }
  return undefined;
}

function http({ callee }: Site): boolean {
  return callee.paths.some((path) => sinkOf(path) === 'http');
}

/** The fixed text that an address starts with. */
function addressOf(machine: Machine, { given, state }: Site): string {
  const value = addressValue(machine, given, state);
  const text = value.constant?.value ?? value.form;
  return typeof text === 'string' ? text : '';
}

function addressValue(machine: Machine, given: readonly Given[], state: State): Value {
  const named = given.find(({ name }) => name === 'url')?.value;
  if (named !== undefined) return named;
  const positional = given.filter(({ name }) => name === undefined).map(({ value }) => value);
  const [first = nothing, second] = positional;
  const inside = machine.member(first, 'url', null, state);
  if (first.objects.length > 0 && inside !== nothing) return inside;
  const method = first.constant?.value;
  if (
    typeof method === 'string' &&
    /^(get|post|put|patch|delete|head)$/i.test(method) &&
    second !== undefined
  )
    return second;
  return first;
}

function acted(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, all, state, given } = site;
  if (callee.closures.length > 0) return undefined;
  const [path = ''] = callee.paths;
  if (callee.paths.some((one) => inputs.test(one))) {
    return machine.labelled('user', `what ${written(expression.callee)} gives`, machine.statement, [], state);
  }
  if (callee.paths.some((one) => readsFile.test(one))) {
    const outside = [...all.tags.values(), ...site.receiver.tags.values()].length > 0;
    return outside
      ? machine.labelled('upload', 'what is in the file', machine.statement, [], state)
      : nothing;
  }
  const sink = sinkFor(callee);
  if (sink === undefined) return undefined;
  if (sink === 'http') return asked(machine, site);
  if (sink === 'show') {
    if (given.some(({ name, value }) => name === 'file' && value.paths.some((one) => one.endsWith('stderr'))))
      return nothing;
    if (site.receiver.tags.size > 0 && all.tags.size === 0) return undefined;
    for (const { value } of given)
      for (const [, closure] of callbacksOf(machine, value, state))
        runCallback(machine, closure, state, { entry: true });
    machine.tell('show', machine.stepped(all, 'shown'), state, { what: written(expression.callee) });
    return { ...nothing, paths: [`${path}()`] };
  }
  const writesThrough =
    sink === 'write' && path.endsWith('.write') ? joinTags(all.tags, site.receiver.tags) : all.tags;
  machine.tell(sink, machine.stepped(ofTags(writesThrough), 'acted on'), state, {
    what: written(expression.callee),
  });
  const ran = sink === 'interpret' && [...all.tags.values()].some(({ label }) => isSaid(label));
  if (ran) return machine.labelled('tool', 'what the command printed', machine.statement, [], state);
  for (const { value } of given)
    for (const closure of value.closures) runCallback(machine, closure, state, {});
  return { ...nothing, paths: [`${path}()`] };
}

/** A request over HTTP: to ourselves it is a guard, and elsewhere it leaves the machine. */
function asked(machine: Machine, site: Site): Value {
  const { expression, state, all, callee, given } = site;
  const address = addressOf(machine, site);
  if (decideAddress.test(address) || decideAddress.test(written(expression.callee)))
    return decided(machine, site);
  const value = addressValue(machine, given, state);
  const fixed = /^(https?|wss?):\/\/[^/]+\//.test(address);
  const tags = fixed ? nothing.tags : machine.deep(value, state);
  if (tags.size > 0)
    machine.tell('http', machine.stepped(ofTags(tags), 'asked for'), state, {
      what: written(expression.callee),
    });
  const outside = [...tags.values()].some(({ label }) => label.kind !== 'tool');
  void all;
  const paths = callee.paths.map((path) => `${path}()`);
  return outside
    ? machine.labelled('tool', 'what was fetched', machine.statement, paths, state)
    : { ...nothing, paths };
}

/** A verdict over HTTP; which one, the kind of the action tells. */
function decided(machine: Machine, { expression, all, state }: Site): Value {
  let cleared = 0;
  inExpression(expression, (part) => {
    if (part.kind !== 'object') return;
    for (const { key, value } of part.entries) {
      if (key === 'kind' && value.kind === 'constant') cleared |= decideKinds[String(value.value)] ?? 0;
    }
  });
  const guard: Guard = { name: 'POST /v1/decide', kinds: cleared, async: null, form: 'result', audits: true };
  const use = machine.use(expression, guard, all, state);
  const tags = new Map([...all.tags].map(([id, tag]) => [id, { ...tag, cleared: tag.cleared | cleared }]));
  return { ...nothing, tags, checks: [{ use, property: null }] };
}

// ── the program's own code

function ownCode(machine: Machine, site: Site): Value | undefined {
  const { callee, given, state, expression } = site;
  if (callee.classes.length > 0) {
    let made: Value = nothing;
    for (const shape of callee.classes) {
      const id = machine.objectId(shape);
      const fresh = !machine.instances.has(id);
      machine.instances.set(id, shape);
      construct(machine, shape, id, given, state, fresh);
      made = join(made, { ...nothing, objects: [id] });
    }
    return made;
  }
  if (callee.closures.length === 0) return undefined;
  void expression;
  if (callee.closures.length === 1 && callee.closures[0] !== undefined)
    return invokeClosure(machine, callee.closures[0], given, state);
  const ends: State[] = [];
  let result: Value = nothing;
  for (const closure of callee.closures) {
    const inside = state.clone();
    result = join(result, invokeClosure(machine, closure, given, inside));
    ends.push(inside);
  }
  state.become(joinStates(ends));
  return result;
}

function invokeClosure(
  machine: Machine,
  { callable, self }: Closure,
  given: readonly Given[],
  state: State,
): Value {
  const positional = given.filter(({ name }) => name === undefined);
  const named = new Map(
    given.flatMap(({ name, value }) =>
      name === undefined ? [] : [[name, machine.stepped(value, `handed to ${callable.name}`)]],
    ),
  );
  const values: Value[] = [];
  for (const { value, spread } of positional) {
    if (!spread) values.push(machine.stepped(value, `handed to ${callable.name}`));
    else {
      // A list or a record that is spread: each parameter gets the part that is named like it, or any.
      for (const { name } of callable.parameters.slice(values.length)) {
        const part = machine.member(value, name, null, state);
        if (part !== nothing) named.set(name, part);
        else if (value.tags.size > 0 || value.objects.length > 0)
          named.set(name, machine.element(value, state));
      }
    }
  }
  const full = callable.parameters.map(({ name }, index) => values[index] ?? named.get(name));
  for (const [index, { name }] of callable.parameters.entries()) {
    const value = full[index];
    if (value !== undefined && isOwner(name)) machine.tell('owner', machine.flat(value, state), state);
  }
  const last = full.findLastIndex((value) => value !== undefined);
  const handed = full.slice(0, last + 1).map((value) => value ?? nothing);
  return machine.invoke(callable, self, values.length > handed.length ? values : handed, state, false, named);
}

/** Makes the one object of a class: its fields, and what its constructor does. */
export function construct(
  machine: Machine,
  shape: ClassShape,
  id: number,
  given: readonly Given[] | null,
  state: State,
  fresh = true,
): void {
  const self: Value = { ...nothing, objects: [id] };
  if (fresh) {
    const fields = new Map<string, Value>();
    for (const { name, value, type } of shape.fields) {
      if (value !== null) fields.set(name, machine.evaluate(value, state));
      else if (type !== undefined) {
        const made = machine.evaluate(type, state);
        fields.set(name, {
          ...nothing,
          paths: [...made.paths.map((path) => `${path}()`), `:${name}`],
          objects: made.classes.flatMap((inner) => machine.instance(inner, state).objects),
        });
      }
    }
    machine.keep(id, { fields, rest: nothing }, state);
  }
  const made = shape.methods.get('constructor') ?? shape.methods.get('__init__');
  if (made === undefined) return;
  const kept = machine.statement;
  if (given !== null) invokeClosure(machine, { callable: made, self }, given, state);
  else if (fresh) {
    const inside = state.clone();
    const handed = made.parameters.map((parameter) =>
      machine.handed(parameter.name, made, {
        tool: false,
        pattern: parameter.target,
        type: parameter.type ?? null,
        state: inside,
      }),
    );
    machine.invoke(
      made,
      self,
      handed.map((value) => ({ ...value, tags: new Map() })),
      inside,
    );
  }
  machine.statement = kept;
  state.alive = true;
}

// ── libraries that everybody uses

const eachItem =
  /^(map|forEach|filter|some|every|flatMap|find|findLast|findIndex|sort|toSorted|reduce|reduceRight)$/;
const adds = /^(push|append|unshift|add|extend|insert|appendleft|update|set|setdefault|concat_)$/;

function library(machine: Machine, site: Site): Value | undefined {
  const { expression, receiver, method, given, all, state, callee } = site;
  const holder = expression.callee.kind === 'member' ? expression.callee.object : null;
  if (holder !== null && adds.test(method) && given.length > 0 && receiver.checks.length === 0) {
    const spread = method === 'extend' || method === 'update';
    for (const { value, spread: many } of given) {
      const placed = machine.stepped(value, 'put in here');
      if (method === 'set' && given.length > 1 && value === given[0]?.value) continue;
      machine.put(holder, receiver, spread || many ? machine.element(placed, state) : placed, state);
      if (spread || many) machine.put(holder, receiver, ofTags(placed.tags), state);
    }
    return receiver;
  }
  if (
    holder !== null &&
    eachItem.test(method) &&
    given[0] !== undefined &&
    given[0].value.closures.length > 0
  ) {
    return mapped(machine, site, receiver);
  }
  const [path = ''] = callee.paths;
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
  if (
    /^:(Object\.(entries|values|assign|fromEntries|freeze)|Array\.from|structuredClone|copy\.\w+)$/.test(path)
  ) {
    return given.map((one) => one.value).reduce(join, nothing);
  }
  if (
    /^(slice|concat|flat|at|pop|shift|values|entries|items|copy|reverse|toReversed|splice)$/.test(method) &&
    receiver.objects.length > 0
  ) {
    const item = method === 'at' || method === 'pop' || method === 'shift';
    for (const { value } of given)
      if (method === 'concat') machine.put(holder, receiver, machine.element(value, state), state);
    return item ? machine.element(receiver, state) : receiver;
  }
  if (
    method === 'get' ||
    method === 'getattr' ||
    method === 'getTool' ||
    method === 'get_tool' ||
    method === 'lookup' ||
    method === 'resolve'
  ) {
    return picked(machine, site);
  }
  void all;
  return undefined;
}

/** Something is picked by a key: by a model's word, it is the model's choice. */
function picked(machine: Machine, { receiver, given, all, state, method, callee }: Site): Value | undefined {
  const from = method === 'getattr' ? (given[0]?.value ?? nothing) : receiver;
  const key = method === 'getattr' ? given[1] : given[0];
  if (key === undefined) return undefined;
  const constant = key.value.constant?.value;
  const property = typeof constant === 'string' ? constant : null;
  const fallback = method === 'getattr' ? given[2] : given[1];
  const found = machine.member(from, property, key.value, state);
  const chosen = [...key.value.tags.values()].some(({ label }) => isSaid(label)) && from.tags.size === 0;
  const value = join(
    { ...found, paths: callee.paths.map((path) => `${path}()`) },
    fallback?.value ?? nothing,
  );
  void all;
  return chosen ? { ...value, selected: true } : value;
}

/** A callback for each item of a list. */
function mapped(machine: Machine, { method, given, state, expression }: Site, receiver: Value): Value {
  const item = machine.element(receiver, state);
  const labels = [...machine.deep(receiver, state).values()].map(({ label }) => label);
  const before = state.clone();
  let result: Value = nothing;
  const ends: State[] = [];
  for (const { callable, self } of given[0]?.value.closures ?? []) {
    const inside = state.clone();
    const values = /^reduce/.test(method) ? [given[1]?.value ?? nothing, item] : [item];
    result = join(result, machine.invoke(callable, self, values, inside));
    ends.push(inside);
  }
  const after = joinStates(ends);
  if (after.alive) {
    for (const label of labels)
      before.facts.set(label.id, (before.facts.get(label.id) ?? 0) | (after.facts.get(label.id) ?? 0));
    state.become(joinStates([before, after]));
  }
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
  const id = machine.objectId(expression);
  machine.lists.add(id);
  state.heap.set(id, { fields: new Map(), rest: baked(result, state.facts) });
  return { ...nothing, objects: [id], checks: result.checks, pending: result.pending };
}

// ── what nobody knows

const serves =
  /^(get|post|put|patch|delete|all|on|once|route|use|handle|process|subscribe|consume|message|command|listen|createServer|hears|event|addEventListener|add|handler|serve|Worker|worker|job|task|each|run|setRequestHandler|registerTool|tool)$/;

/** Gives back the function that it is given, or one that does the same. */
const dresses =
  /(^|[.:*])(functools.*|wraps|update_wrapper|partial|lru_cache|cache|memoize|memo|promisify|useCallback|debounce|throttle|bind|once|asyncHandler|expressAsyncHandler)(\(\))?$/;

function unknown(machine: Machine, site: Site): Value {
  const { expression, callee, receiver, method, given, all, state } = site;
  const inside = given.flatMap(({ value }) => [...value.closures]);
  if (inside.length > 0 && callee.paths.some((path) => dresses.test(path)))
    return { ...nothing, closures: inside };
  owners(machine, site, null);
  const spoken = machine.retold(ofTags(receiver.tags), 'model', 'chunk');
  for (const { value } of given) {
    for (const [name, closure] of callbacksOf(machine, value, state)) {
      const streamed = receiver.tags.size > 0 ? { first: spoken } : {};
      const tool =
        /^(tool|registerTool|DynamicTool|DynamicStructuredTool|StructuredTool|createTool|defineTool)$/.test(
          method,
        ) || name === 'execute';
      if (tool) continue;
      runCallback(machine, closure, state, { entry: serves.test(method), ...streamed });
    }
  }
  const tags = joinTags(all.tags, machine.deep(receiver, state));
  const checks = [
    ...receiver.checks.map(({ use, property }) => ({ use, property: property ?? method })),
    ...given.flatMap(({ value }) => value.checks.map(({ use }) => ({ use, property: '*' }))),
  ];
  const chains =
    method === 'pipe' ||
    method === 'wrapLanguageModel' ||
    method === 'bind' ||
    /wrap/i.test(written(expression.callee));
  const handed = chains
    ? given.flatMap(({ value }) => pathsIn(machine, value, state))
    : given
        .flatMap(({ value }) => pathsIn(machine, value, state))
        .filter((path) => path.startsWith('guarded:'));
  const paths = [...new Set([...callee.paths.map((path) => `${path}()`), ...handed])].slice(0, 8);
  const objects =
    /^(tool|createTool|defineTool|DynamicTool|DynamicStructuredTool)$/.test(method) || chains
      ? given.flatMap(({ value }) => [...value.objects])
      : [];
  const closures = /^(tool|createTool|defineTool)$/.test(method)
    ? given.flatMap(({ value }) => [...value.closures])
    : [];
  const kept = /Agent|Executor|Toolkit/i.test(method) ? given.flatMap(({ value }) => [...value.objects]) : [];
  return {
    ...nothing,
    tags,
    paths,
    checks,
    objects: [...objects, ...kept],
    closures,
    pending: receiver.pending || given.some(({ value }) => value.pending),
    ...(receiver.selected === true ? { selected: true } : {}),
    ...(receiver.source === undefined || receiver.source.label !== null ? {} : { source: receiver.source }),
  };
}

function pathsIn(machine: Machine, value: Value, state: State, depth = 0): readonly string[] {
  if (depth > 3) return [];
  const inner = value.objects.flatMap((id) => {
    if (machine.instances.has(id)) return [];
    const { fields, rest } = machine.object(id, state);
    return [...fields.values(), rest].flatMap((one) => [...pathsIn(machine, one, state, depth + 1)]);
  });
  return [...value.paths, ...inner];
}

/** A function that somebody else calls, sometime: what it does may have happened or not. */
function runCallback(
  machine: Machine,
  { callable, self }: Closure,
  state: State,
  given: { readonly entry?: boolean; readonly first?: Value },
): Value {
  if (machine.frames.some((frame) => frame.callable === callable)) return nothing;
  const inside = state.clone();
  const kept = machine.statement;
  const value = machine.enter({ callable, self }, inside, {
    entry: given.entry ?? false,
    ...(given.first === undefined ? {} : { first: given.first }),
  });
  machine.statement = kept;
  if (inside.alive) state.become(joinStates([state, inside]));
  return value;
}

// Calls of models: what goes into the prompt, what comes back, and the tools that a library runs by itself.

import { enter } from '../flow/handed.ts';
import { labelled, relabelled } from '../flow/labels.ts';
import type { Machine } from '../flow/machine.ts';
import { memberOf } from '../flow/members.ts';
import { awaited } from '../flow/uses.ts';
import { written } from '../program.ts';
import { kinds } from '../roles/guards.ts';
import { isModel, isStreaming, modelAddress, notPrompt, runsTools } from '../roles/models.ts';
import { type Effect, effectsOfName } from '../roles/tools.ts';
import { type Closure, joinStates, joinTags, nothing, ofTags, type State, type Value } from '../value.ts';
import { addressOf, http } from './acts.ts';
import { callbacksOf, runCallback, type Site } from './site.ts';
import { runningNames } from './tools.ts';

export function model(machine: Machine, site: Site): Value | undefined {
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
        (name === 'stream' ? value : memberOf(machine, value, 'stream', null, state)).constant?.value ===
        true,
    );
  const answer = labelled(
    machine,
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
      runCallback(machine, closure, state, { first: relabelled(machine, ofTags(tags), 'model', 'chunk') });
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
    const objects = value.objects.filter((id) => !machine.memory.instances.has(id));
    if (objects.length === 0) tags = joinTags(tags, value.tags);
    let apart = nothing.tags;
    for (const id of objects) {
      const { fields, rest } = machine.memory.object(id, state);
      for (const [key, field] of fields) {
        const inside = machine.memory.deep(field, state);
        if (notPrompt.has(key)) apart = joinTags(apart, inside);
        else tags = joinTags(tags, inside);
      }
      tags = joinTags(tags, machine.memory.deep(rest, state));
    }
    // A choice of two records has the tags of all their fields: those of fields that are no prompt do not count.
    if (objects.length > 0) tags = joinTags(tags, new Map([...value.tags].filter(([id]) => !apart.has(id))));
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
      const { fields, rest } = machine.memory.object(id, state);
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
    const tools = name === 'tools' ? value : memberOf(machine, value, 'tools', null, state);
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
    labelled(machine, 'call', 'what the model wants', machine.statement, [], state),
    cleared,
  );
  for (const { callable, self } of closures) {
    const inside = state.clone();
    awaited(machine, enter(machine, { callable, self }, inside, { entry: false, first: wanted }), inside);
    ends.push(inside);
  }
  const after = joinStates(ends);
  if (!after.alive) return;
  machine.tell('dispatch', wanted, after, { effects, what: 'the tools' });
}

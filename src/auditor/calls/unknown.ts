// Calls whose behaviour is unknown: what goes in may come out, and functions that are passed may be called.

import { put } from '../flow/assign.ts';
import { labelled, relabelled } from '../flow/labels.ts';
import type { Machine } from '../flow/machine.ts';
import { written } from '../program.ts';
import { fills, fillsFromPerson, makesError, neutral } from '../roles/acts.ts';
import { joinTags, nothing, ofTags, type State, type Value } from '../value.ts';
import { callbacksOf, runCallback, type Site } from './site.ts';
import { owners } from './tools.ts';

const serves =
  /^(get|post|put|patch|delete|all|on|once|route|use|handle|process|subscribe|consume|message|command|listen|createServer|hears|event|addEventListener|add|handler|serve|Worker|worker|job|task|each|run|setRequestHandler|registerTool|tool|handleFunc|handlerFunc|serveHTTP|group|methodFunc)$/;

/** Runs what it is given at some other time, and nobody waits for that. */
const later =
  /^(Thread|Timer|Process|setTimeout|setImmediate|queueMicrotask|nextTick|submit|apply_async|run_in_executor|start_soon)$/;

/** Gives back the function that it is given, or one that does the same. */
const dresses =
  /(^|[.:*])(functools.*|wraps|update_wrapper|partial|lru_cache|cache|memoize|memo|promisify|useCallback|debounce|throttle|bind|once|asyncHandler|expressAsyncHandler)(\(\))?$/;

const makesTool =
  /^(tool|registerTool|DynamicTool|DynamicStructuredTool|StructuredTool|createTool|defineTool)$/;

export function unknown(machine: Machine, site: Site): Value {
  const { expression, callee, receiver, method, given, all, state } = site;
  const inside = given.flatMap(({ value }) => [...value.closures]);
  if (inside.length > 0 && callee.paths.some((path) => dresses.test(path)))
    return { ...nothing, closures: inside };
  if (machine.statement.module.language === 'go') {
    fill(machine, site);
    if (callee.paths.some((path) => neutral.test(path)))
      return { ...nothing, paths: callee.paths.map((path) => `${path}()`) };
  }
  owners(machine, site, null);
  callBack(machine, site);
  const tags = joinTags(all.tags, machine.memory.deep(receiver, state));
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
    ...(given.some(({ value }) => value.given === true) ? { given: true } : {}),
    ...(callee.paths.some((path) => makesError.test(path)) ? { present: true } : {}),
    ...(receiver.source === undefined || receiver.source.label !== null ? {} : { source: receiver.source }),
  };
}

/** What is handed over by its address has something of all else in it from now on. */
function fill(machine: Machine, { expression, callee, receiver, method, given, state }: Site): void {
  const last = expression.arguments.at(-1)?.value;
  const byName =
    fills.test(method) && (last?.kind === 'variable' || last?.kind === 'member') ? last : undefined;
  const holders = given.map(
    ({ filled }, index) => filled ?? (index === given.length - 1 ? byName : undefined),
  );
  if (holders.every((holder) => holder === undefined)) return;
  const others = given.filter((_, index) => holders[index] === undefined);
  const spoken = callee.paths.some((path) => fillsFromPerson.test(path))
    ? labelled(machine, 'user', 'what was asked', machine.statement, [], state).tags
    : nothing.tags;
  const tags = others.reduce(
    (all, { value }) => joinTags(all, machine.memory.deep(value, state)),
    joinTags(spoken, machine.memory.deep(receiver, state)),
  );
  const wanted = [...others.map(({ value }) => value), receiver].some(({ given: whole }) => whole === true);
  const value: Value = wanted ? { ...ofTags(tags), given: true } : ofTags(tags);
  for (const [index, holder] of holders.entries())
    if (holder !== undefined) put(machine, holder, given[index]?.value ?? nothing, value, state);
}

/** Runs what is handed over to be called, but for what makes a tool: that is followed where a model calls it. */
function callBack(machine: Machine, { callee, receiver, method, given, state }: Site): void {
  const spoken = relabelled(machine, ofTags(receiver.tags), 'model', 'chunk');
  // What a part of the program that is not looked at hands to a callback, nobody can say.
  const unseen = callee.paths.some((path) => path.startsWith('.'));
  for (const { value } of given) {
    for (const [name, closure] of callbacksOf(machine, value, state)) {
      const streamed = receiver.tags.size > 0 ? { first: spoken } : {};
      if (makesTool.test(method) || name === 'execute') continue;
      runCallback(machine, closure, state, {
        entry: serves.test(method),
        later: later.test(method),
        unseen,
        ...streamed,
      });
    }
  }
}

function pathsIn(machine: Machine, value: Value, state: State, depth = 0): readonly string[] {
  if (depth > 3) return [];
  const inner = value.objects.flatMap((id) => {
    if (machine.memory.instances.has(id)) return [];
    const { fields, rest } = machine.memory.object(id, state);
    return [...fields.values(), rest].flatMap((one) => [...pathsIn(machine, one, state, depth + 1)]);
  });
  return [...value.paths, ...inner];
}

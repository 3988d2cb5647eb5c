// Reads a part of something: a field, a method, an item, a part of what came in or of what a guard said.

import type { ClassShape } from '../ir.ts';
import { inputValues } from '../roles/acts.ts';
import { everything, type Kinds } from '../roles/guards.ts';
import { callArguments } from '../roles/models.ts';
import { isCall, isContext, isText, isUpload } from '../roles/names.ts';
import { saysNo } from '../roles/results.ts';
import {
  type Case,
  type Check,
  clearedBy,
  isSaid,
  join,
  joinTags,
  nothing,
  ofTags,
  type State,
  type Step,
  type Value,
} from '../value.ts';
import { labelFor, labelled, spokenPart, tagOf } from './labels.ts';
import type { Machine } from './machine.ts';

export function memberOf(
  machine: Machine,
  object: Value,
  property: string | null,
  key: Value | null,
  state: State,
): Value {
  let found = ofTags(object.given === true ? object.tags : spokenPart(machine, object.tags, property));
  if (object.source !== undefined && property !== null) found = sourcePart(machine, object, property);
  for (const id of object.objects) found = partsOf(machine, object, id, property, state).reduce(join, found);
  for (const shape of object.classes)
    found = classParts(machine, object, shape, property, state).reduce(join, found);
  if (object.paths.length > 0) found = ofPaths(machine, object, property, found);
  if (object.checks.length > 0) found = checkedPart(object, property, found);
  if (object.pending) found = { ...found, pending: true };
  if (object.selected === true) found = { ...found, selected: true };
  if (object.given === true || (property !== null && callArguments.has(property)))
    found = { ...found, given: true };
  const chosen = key === null ? [] : [...key.tags.values()].filter(({ label }) => isSaid(label));
  if (property === null && chosen.length > 0 && object.tags.size === 0) {
    found = {
      ...found,
      selected: true,
      tags: joinTags(found.tags, new Map(chosen.map((tag) => [tag.label.id, tag]))),
    };
  }
  if (object.cases === undefined || property === null) return found;
  // What is nothing has no parts: a way on which it is, ends here.
  const cases = object.cases
    .filter(({ value }) => value.constant === undefined || value.constant.value != null)
    .map((one): Case => ({ ...one, value: memberOf(machine, one.value, property, key, state) }));
  return { ...found, cases };
}

/** What an object has under a name: a field, a method of its class, or else any of its items. */
function partsOf(
  machine: Machine,
  object: Value,
  id: number,
  property: string | null,
  state: State,
): readonly Value[] {
  const { fields, rest } = machine.memory.object(id, state);
  if (property === null) return [...fields.values(), rest];
  const named = fields.get(property);
  const shape = machine.memory.instances.get(id);
  const typed = shape ?? machine.memory.shapes.get(id);
  const method = typed === undefined ? null : methodOf(machine, typed, property, state);
  const parts: Value[] = [];
  if (named !== undefined) parts.push(named);
  if (method !== null) {
    const closures = method.closures.map(({ callable }) => ({ callable, self: object }));
    parts.push({ ...method, closures });
  }
  const ofList = machine.memory.lists.has(id) && !/^\d+$/.test(property);
  if (parts.length > 0 || ofList) return parts;
  return shape === undefined ? [rest] : [rest, { ...nothing, paths: [`:${property}`] }];
}

/** What a class itself has under a name. */
function classParts(
  machine: Machine,
  object: Value,
  shape: ClassShape,
  property: string | null,
  state: State,
): readonly Value[] {
  const method = property === null ? undefined : shape.methods.get(property);
  const field = shape.fields.find(({ name }) => name === property)?.value ?? null;
  return [
    ...(method === undefined ? [] : [{ ...nothing, closures: [{ callable: method, self: object }] }]),
    ...(field === null ? [] : [machine.evaluate(field, state)]),
  ];
}

/** The names under which a part is known. */
function ofPaths(machine: Machine, object: Value, property: string | null, found: Value): Value {
  const last = property ?? '*';
  const paths = object.paths.map((path) => (path.length > 200 ? path : `${path}.${last}`));
  const named = { ...found, paths: [...new Set([...found.paths, ...paths])].slice(0, 6) };
  return paths.some((path) => inputValues.test(path))
    ? join(named, labelled(machine, 'user', property ?? 'input', machine.statement))
    : named;
}

/** What comes in and may carry the calls of a model. */
const carries = /tool|call|function|req(uest)?|params|message|event|job|payload|body/i;

export function sourcePart(machine: Machine, object: Value, property: string): Value {
  const { source } = object;
  if (source === undefined) return nothing;
  const path = `${source.path}.${property}`;
  if (path.split('.').length > 6) return { ...nothing, tags: object.tags, source };
  if (['length', 'size', 'trim', 'toString'].includes(property))
    return property === 'trim' || property === 'toString' ? { ...nothing, tags: object.tags } : nothing;
  const text = isText(property);
  // What describes tools is the program's own, whatever its parts are called.
  const described = /(^|\.)tools?(\.|$)|\.\w*(settings|config|defaults)(\.|$)/i.test(source.path);
  const quiet = described || (isContext(property) && !text) || (source.quiet && !text);
  const { callable, module } = machine.frame();
  const place = source.label?.place ?? { module, at: callable?.at ?? 0 };
  if (isCall(property, carries.test(source.path) && machine.program.hasTools(module)))
    return labelled(machine, 'call', property, place);
  const kind = isUpload(property) ? 'upload' : source.label?.kind === 'upload' ? 'upload' : 'user';
  const label = quiet ? null : labelFor(machine, kind, path, place, source.label);
  const part: Value = { ...nothing, source: { path, label, quiet } };
  if (label === null) return part;
  const before = object.tags.get(source.label?.id ?? -1)?.cleared ?? 0;
  const tag = { ...tagOf(label), cleared: before | behindMiddleware(machine, path) };
  return { ...part, tags: new Map([[label.id, tag]]) };
}

/** What middleware has cleared of a request before it lets it on to those who serve it. */
function behindMiddleware(machine: Machine, path: string): Kinds {
  const [root, ...rest] = path.split('.');
  const [first] = machine.frames.at(-1)?.callable?.parameters ?? [];
  return first?.name === root ? (machine.middleware.get(rest.join('.')) ?? 0) : 0;
}

/** Middleware lets a request on: what has been cleared of it by now is clear for all that come behind. */
export function letOn(machine: Machine, state: State): void {
  const { callable, module } = machine.frame();
  for (const label of machine.labels.values()) {
    if (label.place.at !== callable?.at || label.place.module !== module) continue;
    const part = label.name.split('.').slice(1).join('.');
    const cleared = clearedBy(state.facts, label);
    machine.middleware.set(part, cleared & (machine.middleware.get(part) ?? everything));
  }
}

/** What a guard says in words of its own. */
const explains = /^(reasons?|explanation|why|rules?|codes?|score|confidence|severity|categor(y|ies))$/i;

function checkedPart(object: Value, property: string | null, found: Value): Value {
  let { tags } = property !== null && explains.test(property) ? nothing : found;
  const checks = object.checks.map(({ use, property: before }): Check => {
    const values = use.guard.values;
    const cleared = property === null || values === undefined ? 0 : (values[property] ?? 0);
    if (cleared > 0 && !use.shadowed) {
      for (const label of use.labels) {
        const tag = tagOf(label);
        const step: Step = {
          place: use.place,
          what: `checked by ${use.guard.name}`,
          before: tag.step,
          depth: 1,
        };
        const waits = object.pending || use.swallowed;
        tags = joinTags(tags, new Map([[label.id, { ...tag, step, cleared: waits ? 0 : cleared }]]));
      }
    }
    const known =
      before !== null && (saysNo(before) !== undefined || use.guard.tests?.[before] !== undefined);
    return { use, property: known ? before : property };
  });
  return { ...found, tags, checks };
}

/** A method of a class, or of what it is made from. */
function methodOf(machine: Machine, shape: ClassShape, name: string, state: State, depth = 0): Value | null {
  const own = shape.methods.get(name);
  if (own !== undefined) return { ...nothing, closures: [{ callable: own, self: null }] };
  if (shape.base === null || depth > 6) return null;
  const base = machine.evaluate(shape.base, state);
  for (const inner of base.classes) {
    const found = methodOf(machine, inner, name, state, depth + 1);
    if (found !== null) return found;
  }
  return base.paths.length === 0
    ? null
    : { ...nothing, paths: base.paths.map((path) => `${path}().${name}`) };
}

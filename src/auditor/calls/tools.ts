// Calls that a model chose: tools, and whose data they are about.

import { labelled, stepped } from '../flow/labels.ts';
import type { Machine } from '../flow/machine.ts';
import type { Callable, Expression } from '../ir.ts';
import { eachExpression, effectsOf, written } from '../program.ts';
import { dispatches, sinkOf } from '../roles/acts.ts';
import { isOwner } from '../roles/names.ts';
import { type Effect, effectsOfName } from '../roles/tools.ts';
import { isSaid, joinStates, joinTags, nothing, ofTags, type State, type Tag, type Value } from '../value.ts';
import { sinkFor } from './acts.ts';
import { invokeClosure } from './own.ts';
import type { Site } from './site.ts';

export const runningNames =
  /^(execute|run|call|invoke|ainvoke|arun|handler|fn|func|handle|apply|_run|_arun|callback|action|__call__|implementation)$/;

/** Why a call may be one of a tool that a model chose. */
interface Choice {
  /** The function was picked by what a model said. */
  readonly chosen: boolean;
  /** The name says that it runs tools. */
  readonly byName: boolean;
  /** It stands in a branch that a model's choice leads to. */
  readonly inChoice: boolean;
}

function choiceOf(machine: Machine, { expression, callee, receiver, method, all }: Site): Choice {
  const chosen =
    callee.selected === true &&
    (expression.callee.kind !== 'member' || receiver.selected !== true || runningNames.test(method));
  const tags = [...all.tags.values()];
  const wanted = tags.some(({ label }) => isSaid(label));
  const byName =
    wanted &&
    callee.closures.length === 0 &&
    callee.paths.length > 0 &&
    callee.paths.some((path) => dispatches.test(path.replaceAll('().', '.'))) &&
    !asksOther.test(written(expression.callee)) &&
    !callee.paths.some((path) => sinkOf(path) !== undefined && sinkOf(path) !== 'show');
  const inChoice =
    wanted &&
    machine.choosing > 0 &&
    tags.some(({ label }) => label.kind === 'call') &&
    !harmless.test(called(expression.callee)) &&
    !callee.paths.some((path) => ofPaths.test(path)) &&
    sinkFor(callee) === undefined &&
    !isMade(callee) &&
    !(callee.closures.length > 0 && callee.closures.every(({ callable }) => isPlain(callable)));
  return { chosen, byName, inChoice };
}

export function dispatched(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, receiver, method, all, state } = site;
  const { chosen, byName, inChoice } = choiceOf(machine, site);
  if (!chosen && !byName && !inChoice) return undefined;
  // What a tool does stands in the function that it is made of, whichever of its methods runs it.
  const run = callee.closures.length > 0 ? callee.closures : chosen ? receiver.closures : [];
  const effects = new Set<Effect>(run.flatMap(({ callable }) => [...effectsOf(callable)]));
  // What a name stands for that the program itself wrote down is as much as its name says.
  if (inChoice && !chosen && !byName) for (const effect of effectsOfName(method)) effects.add(effect);
  const named = run.length > 0 || (inChoice && !chosen && !byName);
  const known = named ? effects : machine.program.toolNames.size > 0 ? machine.program.toolEffects : null;
  const selector = chosen ? joinTags(said(callee.tags), said(all.tags)) : said(all.tags);
  machine.tell('dispatch', stepped(machine, ofTags(selector), 'run as a tool'), state, {
    effects: known,
    what: written(expression.callee),
  });
  owners(machine, site, known);
  const place = machine.statement;
  runAll(machine, site);
  machine.statement = place;
  return labelled(
    machine,
    'tool',
    `the result of ${written(expression.callee) || 'the tool'}`,
    place,
    [],
    state,
  );
}

/** Follows every function that the call may be one of. */
function runAll(machine: Machine, { callee, given, state }: Site): void {
  if (callee.closures.length === 0) return;
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

/** A store, a pattern or a guard that is asked runs no tool, whatever its method is called. */
const asksOther =
  /(^|[._])(guard(rail)?s?|validator|classifier|sql|db|database|conn(ection)?|statement|stmt|cursor|pool|tx|transaction|trx|store|pattern|regexp?|knex|prisma)(\(\))?\.(run|execute|exec|call|invoke|perform)$/i;

const harmless =
  /^(fmt\.s?print\w*$|fmt\.errorf$|errors\.|strings\.|strconv\.|slices\.|maps\.|append$|slog\.|JSON\.String$|Number$|Boolean$|Array\.|Object\.|Math\.|parseInt|str$|int$|float$|len$|dict$|list$|json\.|console\.|print$|log(ger|ging)?\.|isinstance|type$|Error$|\w*Error$|\w*Exception$|throw\w*)|\.(push|append|extend|add|set|get|has|includes|trim|strip|split|join|map|filter|parse|safeParse|format|toString|startsWith|lower|upper|toLowerCase|log|warn|info|error|debug|keys|values|items|slice|replace|loads|dumps|validate\w*|model_validate|unshift|exec|test|match|matchAll|search|findall|fullmatch)$/;

/** How a callee is written, with a dot before a method of what has no name. */
function called(callee: Expression): string {
  const name = written(callee);
  return callee.kind === 'member' && name === callee.property ? `.${name}` : name;
}

/** Functions that make one path of another, and touch no file. */
const ofPaths =
  /(^|[:.])(path|posixpath|ntpath)(\/\w+)?[:.](.*\.)?(basename|dirname|extname|splitext|relative|relpath|normalize|normpath|isAbsolute|isabs|join|resolve|abspath)$/;

/** What texts and numbers have. */
const ofTexts =
  /\.(startsWith|startswith|endsWith|endswith|substring|substr|replaceAll|padEnd|padStart|trimEnd|trimStart|toFixed|repeat|indexOf|lastIndexOf|at|charAt|normalize|some|every|concat|splitlines|rstrip|lstrip|title|encode|decode)$/;

/** A function that only makes one text of another is no tool. */
function isPlain({ async, body }: Callable): boolean {
  let plain = !async;
  eachExpression(body, (part) => {
    if (part.kind === 'await') plain = false;
    if (part.kind !== 'call') return;
    const name = called(part.callee);
    if (!harmless.test(name) && !ofTexts.test(name)) plain = false;
  });
  return plain;
}

function isMade(callee: Value): boolean {
  return callee.classes.length > 0;
}

function said(tags: ReadonlyMap<number, Tag>): ReadonlyMap<number, Tag> {
  return new Map([...tags].filter(([, { label }]) => isSaid(label)));
}

/** Whose data a call is about: the argument that says so must not come from the model. */
export function owners(
  machine: Machine,
  { given, state, callee }: Site,
  effects: ReadonlySet<Effect> | null,
): void {
  let seen = false;
  const tell = (value: Value) => {
    seen = true;
    machine.tell('owner', machine.memory.flat(value, state), state);
  };
  for (const { value, name } of given) {
    if (name !== undefined && isOwner(name)) tell(value);
    for (const id of value.objects) {
      if (machine.memory.instances.has(id)) continue;
      for (const [key, field] of machine.memory.object(id, state).fields) if (isOwner(key)) tell(field);
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
      value.objects.some((id) => machine.memory.object(id, state).rest.tags.size > 0),
  );
  const others = given.some(
    ({ value }) =>
      value.source?.quiet === true ||
      value.paths.some((path) => /(^:|\.)(ctx|context|session|user|auth|tool_?context)/i.test(path)),
  );
  const tags = carried.reduce(
    (all, { value }) => joinTags(all, said(machine.memory.deep(value, state))),
    nothing.tags,
  );
  if (tags.size > 0 && !others) machine.tell('owner', ofTags(tags), state);
}

// What follows from the outcome of a test: which guards have approved on this path.

import type { Constant, Expression } from '../ir.ts';
import { inExpression, written } from '../program.ts';
import { everything, type Kinds, kinds } from '../roles/guards.ts';
import { saysNo, wordSaysNo } from '../roles/results.ts';
import {
  type Case,
  type Check,
  clearedBy,
  type Facts,
  isSaid,
  joinStates,
  type Label,
  nothing,
  refusedByBoth,
  type State,
  type Value,
  whole,
} from '../value.ts';
import type { Machine } from './machine.ts';
import { isAsync } from './uses.ts';

/** Tests that skip a guard where it is not needed, such as a snapshot where nothing is written. */
const spares: readonly { readonly kinds: Kinds; readonly words: RegExp }[] = [
  {
    kinds: kinds.snapshot,
    words: /write|edit|mutat|effect|modif|destruct|checkpoint|side|change|read_?only/i,
  },
  {
    kinds: kinds.approval,
    words: /destruct|danger|approv|checkpoint|irrevers|sensitive|external|risk|effect/i,
  },
  { kinds: kinds.egress, words: /url|http|fetch|host|network/i },
];

interface Tentative {
  readonly label: Label;
  readonly kinds: Kinds;
}

export function withdraw(tentative: readonly Tentative[], joined: State, before: State): void {
  for (const { label, kinds: cleared } of tentative) {
    for (const id of [label.id, -label.id]) {
      const now = joined.facts.get(id);
      if (now !== undefined) joined.facts.set(id, now & (~cleared | (before.facts.get(id) ?? 0)));
    }
    for (let at = label.parent; at !== null; at = at.parent) {
      const now = joined.facts.get(-at.id);
      if (now !== undefined) joined.facts.set(-at.id, now & (~cleared | (before.facts.get(-at.id) ?? 0)));
    }
  }
}

/** What follows from the outcome of a test. Gives what holds only if the two ways part. */
export function assume(
  machine: Machine,
  test: Expression,
  truth: boolean,
  state: State,
  depth = 0,
): readonly Tentative[] {
  if (depth > 12) return [];
  switch (test.kind) {
    case 'not':
      return assume(machine, test.value, !truth, state, depth + 1);
    case 'logic':
      if (test.operator === 'nullish') return assume(machine, test.left, truth, state, depth + 1);
      if ((test.operator === 'and') === truth) {
        return [
          ...assume(machine, test.left, truth, state, depth + 1),
          ...assume(machine, test.right, truth, state, depth + 1),
        ];
      }
      assumeEither(machine, test, truth, state, depth);
      return [];
    case 'compare':
      return assumeCompared(machine, test, truth, state);
    case 'await':
    case 'variable':
    case 'member':
    case 'call':
    case 'choice':
    case 'assign': {
      const value = machine.outcomes.get(test) ?? nothing;
      absent(machine, test, value, truth, state);
      return assumeValue(machine, value, truth, state, depth, test);
    }
    default:
      return [];
  }
}

/** One side decides, or the other does: only what holds either way is known. */
function assumeEither(
  machine: Machine,
  test: Extract<Expression, { kind: 'logic' }>,
  truth: boolean,
  state: State,
  depth: number,
): void {
  const first = state.clone();
  const second = state.clone();
  const unsure = [
    ...assume(machine, test.left, truth, first, depth + 1),
    ...assume(machine, test.left, !truth, second, depth + 1),
    ...assume(machine, test.right, truth, second, depth + 1),
  ];
  withdraw(unsure, first, state);
  withdraw(unsure, second, state);
  for (const [id, held] of first.facts) {
    const both = held & (second.facts.get(id) ?? 0);
    if (both !== 0) state.facts.set(id, (state.facts.get(id) ?? 0) | both);
  }
  state.refused = refusedByBoth(first, second);
}

function assumeValue(
  machine: Machine,
  value: Value,
  truth: boolean,
  state: State,
  depth: number,
  test: Expression | null,
): readonly Tentative[] {
  if (value.cases !== undefined && value.cases.length > 0) {
    const matching = value.cases.filter((one) => mayBe(one.value, truth));
    leave(value.cases, matching, state);
    const held = matching.map((one) => {
      const inner = state.clone();
      inner.facts = new Map(one.facts);
      assumeValue(machine, one.value, truth, inner, depth + 1, null);
      return inner.facts;
    });
    const [first, ...others] = held;
    if (first !== undefined) {
      for (const [id, cleared] of first) {
        const all = others.reduce((common, facts) => common & (facts.get(id) ?? 0), cleared);
        if (all !== 0) state.facts.set(id, (state.facts.get(id) ?? 0) | all);
      }
    }
    return [];
  }
  if (value.condition !== undefined && value.condition !== test && depth < 12)
    return assume(machine, value.condition, truth, state, depth + 1);
  return value.checks.flatMap((check) => settle(machine, check, truth, value.pending, state));
}

/** Objects are as the ways left them that it may have been, unless something was done to them since. */
function leave(cases: readonly Case[], matching: readonly Case[], state: State): void {
  if (matching.length === 0 || matching.length === cases.length) return;
  const ends = matching.map(({ end }) => end);
  if (!ends.every((end) => end !== undefined && state.heap.isCopyOf(end.all))) return;
  state.heap = joinStates(ends.flatMap((end) => (end === undefined ? [] : [end.state]))).heap.clone();
}

/** What is not there cannot do harm. */
function absent(machine: Machine, test: Expression, value: Value, truth: boolean, state: State): void {
  if (truth || value.checks.length > 0) return;
  const holder =
    test.kind === 'member' && (test.property === 'length' || test.property === 'size') ? test.object : test;
  const held = holder === test ? value : (machine.outcomes.get(holder) ?? nothing);
  if (held.tags.size === 0) return;
  if (holder.kind === 'variable' && held.objects.length === 0)
    state.variables.set(holder.variable, { ...held, tags: nothing.tags });
  const { label = null } = held.source ?? {};
  if (label !== null) state.facts.set(label.id, everything);
}

function assumeCompared(
  machine: Machine,
  test: Extract<Expression, { kind: 'compare' }>,
  truth: boolean,
  state: State,
): readonly Tentative[] {
  const left = machine.outcomes.get(test.left) ?? nothing;
  const right = machine.outcomes.get(test.right) ?? nothing;
  const own = machine.outcomes.get(test) ?? nothing;
  if (test.operator === 'in' || test.operator === 'not in') {
    if (own.checks.length > 0 && left.checks.length === 0 && right.checks.length === 0) {
      return own.checks.flatMap((check) => settle(machine, check, truth, false, state));
    }
  }
  const [subject, constant] = right.constant === undefined ? [right, left.constant] : [left, right.constant];
  const tested = right.constant === undefined ? test.right : test.left;
  const equal = test.operator === 'equal' ? truth : test.operator === 'unequal' ? !truth : undefined;
  const known =
    equal === undefined || constant === undefined
      ? undefined
      : assumeConstant(machine, tested, subject, constant.value, equal, state);
  if (known !== undefined) return known;
  return [...left.checks, ...right.checks].flatMap((check) =>
    settle(machine, check, truth, subject.pending, state, null),
  );
}

/** Something equals a constant, or does not; undefined where the constant tells nothing. */
function assumeConstant(
  machine: Machine,
  tested: Expression,
  subject: Value,
  value: Constant,
  equal: boolean,
  state: State,
): readonly Tentative[] | undefined {
  if (value === null || value === undefined || value === '' || value === 0) {
    if (equal) absent(machine, tested, subject, false, state);
    else if (value === null && tested.kind === 'variable')
      state.variables.set(tested.variable, { ...machine.read(tested.variable, state), present: true });
    if (subject.cases !== undefined && subject.cases.length > 0)
      return assumeValue(machine, subject, !equal, state, 0, null);
    // In Go what a guard gives is nothing where it found nothing.
    if (value === null && machine.frame().module.language === 'go')
      return subject.checks.flatMap((check) =>
        settle(machine, check, !equal, subject.pending, state, nilIsYes(check)),
      );
  }
  if (typeof value === 'boolean') return assumeValue(machine, subject, equal === value, state, 0, null);
  const bad = wordSaysNo(value);
  if (bad !== undefined) {
    return subject.checks.flatMap((check) => settle(machine, check, equal, subject.pending, state, bad));
  }
  return undefined;
}

/** Whether the outcome "true" of a guard, or of this part of its result, means no; undefined: nobody knows. */
function saysNoTo({ use: { guard }, property }: Check): boolean | undefined {
  if (property === '*') return undefined;
  const bad = guard.tests?.[property ?? '']?.bad;
  if (bad !== undefined) return bad;
  if (property !== null) return saysNo(property);
  return guard.yes === undefined ? saysNo(guard.name.split('.').at(-1) ?? '') : !guard.yes;
}

/** Whether a result of Go that is not nil says no; undefined where the name of the part tells. */
function nilIsYes({ use: { guard }, property }: Check): boolean | undefined {
  return property === null && guard.yes !== true ? true : undefined;
}

/** A guard's result was looked at. `bad` says whether the outcome "true" means no; null: nobody knows. */
function settle(
  machine: Machine,
  check: Check,
  truth: boolean,
  pending: boolean,
  state: State,
  bad?: boolean | null,
): readonly Tentative[] {
  const { use, property } = check;
  const { guard } = use;
  use.tested = true;
  if (use.shadowed || use.swallowed || (pending && isAsync(machine, use))) return [];
  // A stream that is blocked has nothing more to show.
  if (guard.form === 'stream' && property === 'blocked' && truth) state.refuse(use.labels, guard.kinds);
  const spec = guard.tests?.[property ?? ''];
  if (guard.tests !== undefined && spec === undefined && property !== '*') return [];
  const cleared = spec?.kinds ?? guard.kinds;
  const means = bad === undefined ? saysNoTo(check) : (bad ?? undefined);
  const labels = use.labels;
  if (means !== undefined) {
    if (truth !== means) granted(check, cleared, state);
    else state.refuse(labels, spec?.refuses ?? cleared);
    return [];
  }
  const held = new Map(state.facts);
  state.clear(labels, cleared);
  return labels.map((label) => ({ label, kinds: cleared & ~clearedBy(held, label) }));
}

/** A guard has said yes: to what it was asked about, or to all that follows. */
function granted({ use: { guard, labels } }: Check, cleared: Kinds, state: State): void {
  if (guard.form !== 'effect') state.clear(labels, cleared);
  else state.facts.set(whole, (state.facts.get(whole) ?? 0) | cleared);
}

/** What one way has cleared holds on the other too, if the test says that the other does not need it. */
export function spared(
  machine: Machine,
  test: Expression,
  then: readonly [Facts, State],
  other: readonly [Facts, State],
): void {
  let words = '';
  let about = false;
  inExpression(test, (part) => {
    const value = machine.outcomes.get(part) ?? nothing;
    about ||= value.selected === true || value.checks.length > 0 || saidIn(value);
    if (part.kind === 'member') words += ` ${part.property ?? ''}`;
    if (part.kind === 'variable' || part.kind === 'global') words += ` ${part.name}`;
    if (part.kind === 'constant') words += ` ${String(part.value)}`;
  });
  // A setting does not say what a call does; only the call does, or the tool that it means.
  if (!about) return;
  for (const { kinds: cleared, words: wanted } of spares) {
    if (!wanted.test(words)) continue;
    for (const [[before, from], [, to]] of [
      [then, other],
      [other, then],
    ] as const) {
      for (const [id, held] of from.facts) {
        const gained = held & cleared & ~(before.get(id) ?? 0);
        if (gained !== 0) to.facts.set(id, (to.facts.get(id) ?? 0) | gained);
      }
    }
  }
}

function saidIn({ tags }: Value): boolean {
  return [...tags.values()].some(({ label }) => isSaid(label));
}

/** How that is called by which a model says what it wants. */
const namesChoice =
  /(^|[._])(\w*_?name|\w+Name|tools?|fn|func(tion)?|action|command|cmd|intent|op(eration)?|method|choice|calls?)(\(\))*(\.(lower|strip|trim|toLowerCase)\(\))?$/i;

/** What was made of a call, such as a verdict on it, chooses nothing. */
export function mayChoose(expression: Expression, { checks }: Value): boolean {
  return checks.length === 0 && namesChoice.test(written(expression));
}

/** Whether a test compares what a model chose with a fixed name. */
export function comparesChoice(test: Expression, known: (part: Expression) => Value | undefined): boolean {
  if (test.kind === 'logic') return comparesChoice(test.left, known) || comparesChoice(test.right, known);
  if (test.kind !== 'compare' || test.operator === 'order') return false;
  const sides = [test.left, test.right].map((side) => ({ side, value: known(side) ?? nothing }));
  const chosen = sides.some(
    ({ side, value }) =>
      mayChoose(side, value) && [...value.tags.values()].some(({ label }) => label.kind === 'call'),
  );
  return chosen && sides.some(({ value }) => typeof value.constant?.value === 'string');
}

/** An error that another package of Go keeps, such as `io.EOF`. */
const errorValue = /^[^:]+:\*\.(err[A-Z]\w*|eof)$/;

function mayBe(value: Value, truth: boolean): boolean {
  if (value.constant !== undefined) return Boolean(value.constant.value) === truth;
  if (value.present === true || value.paths.some((path) => errorValue.test(path))) return truth;
  return truth || value.objects.length === 0;
}

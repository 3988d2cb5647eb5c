// Follows statements: ways part, meet again, and end.

import type { Block, Expression, Statement } from '../ir.ts';
import { everything, type Kinds, kinds } from '../roles/guards.ts';
import {
  type Check,
  constantOf,
  isSaid,
  joinStates,
  nothing,
  ofTags,
  recordWritten,
  type State,
  type Tag,
  type Value,
  whole,
} from '../value.ts';
import { assign } from './assign.ts';
import { assume, comparesChoice, mayChoose, spared, withdraw } from './assume.ts';
import { relabelled, stepped, unchanged } from './labels.ts';
import type { Frame, Machine } from './machine.ts';

export function perform(machine: Machine, block: Block, state: State): void {
  for (const statement of block) {
    if (!state.alive) return;
    performOne(machine, statement, state);
  }
}

function performOne(machine: Machine, statement: Statement, state: State): void {
  machine.statement = { module: machine.frame().module, at: statement.at };
  switch (statement.kind) {
    case 'do': {
      const value = machine.evaluate(statement.value, state);
      dropped(machine, value, state);
      return;
    }
    case 'let': {
      if (statement.value === null) return;
      const value = machine.evaluate(statement.value, state);
      machine.statement = { module: machine.frame().module, at: statement.at };
      assign(machine, statement.target, stepped(machine, value, 'kept here'), state);
      return;
    }
    case 'return': {
      const value =
        statement.value === null ? constantOf(undefined) : machine.evaluate(statement.value, state);
      machine.statement = { module: machine.frame().module, at: statement.at };
      const frame = machine.frame();
      if (frame.entry) machine.tell('show', machine.memory.flat(value, state), state, { what: 'returned' });
      frame.returns.push({
        value: givenBack(machine, value, statement.value, frame, state),
        state: state.clone(),
      });
      exit(machine, state);
      return;
    }
    case 'throw':
      if (statement.value !== null) machine.evaluate(statement.value, state);
      machine.catches.at(-1)?.push(state.clone());
      exit(machine, state);
      return;
    case 'branch':
      branch(machine, statement, state);
      return;
    case 'switch':
      switched(machine, statement, state);
      return;
    case 'while':
      whileLoop(machine, statement, state);
      return;
    case 'each':
      eachLoop(machine, statement, state);
      return;
    case 'try':
      tried(machine, statement, state);
      return;
    case 'break':
    case 'continue': {
      const loop = machine.frame().loops.at(-1);
      loop?.[statement.kind === 'break' ? 'breaks' : 'continues'].push(state.clone());
      exit(machine, state);
    }
  }
}

/** This path ends here; a refusal that is being watched learns what holds at its end. */
function exit(machine: Machine, state: State): void {
  machine.watched.at(-1)?.push(state.facts.get(whole) ?? 0);
  state.alive = false;
}

/** A function that returns its argument unchanged is where a check was or should be. */
function givenBack(
  machine: Machine,
  value: Value,
  expression: Expression | null,
  { callable }: Frame,
  state: State,
): Value {
  if (callable === null || expression === null) return value;
  const inner = expression.kind === 'await' ? expression.value : expression;
  const isOwn = (part: Expression) =>
    part.kind === 'variable' &&
    callable.parameters.some(({ target }) => target.kind === 'variable' && target.variable === part.variable);
  if (inner.kind === 'list' && callable.module.language === 'go') {
    for (const id of value.objects) {
      const { fields, rest } = machine.memory.object(id, state);
      const given = [...fields].map(([name, part], index): [string, Value] => {
        const item = inner.items[index]?.value;
        return [name, item !== undefined && isOwn(item) ? stepped(machine, part, unchanged) : part];
      });
      state.heap.set(id, { fields: new Map(given), rest });
    }
    return value;
  }
  return isOwn(inner) ? stepped(machine, value, unchanged) : value;
}

/** A result that nobody keeps: a guard that is only called may still throw where that is handled. */
function dropped(machine: Machine, value: Value, state: State): void {
  for (const { use, property } of value.checks) {
    if (property !== null || use.guard.form !== 'result' || use.guard.tests !== undefined) continue;
    if (machine.trying > 0 && !value.pending && !use.shadowed) {
      use.tested = true;
      state.clear(use.labels, use.guard.kinds);
    }
  }
}

function branch(machine: Machine, statement: Extract<Statement, { kind: 'branch' }>, state: State): void {
  const value = machine.evaluate(statement.test, state);
  const said = comparesChoice(statement.test, (part) => machine.outcomes.get(part));
  const then = state.clone();
  const other = state.clone();
  const constant = value.constant?.value;
  if (statement.test.kind === 'constant' && typeof constant === 'boolean')
    (constant ? other : then).alive = false;
  const tentative = [
    ...assume(machine, statement.test, true, then),
    ...assume(machine, statement.test, false, other),
  ];
  const thenStart = new Map(then.facts);
  const otherStart = new Map(other.facts);
  if (said) machine.choosing++;
  const thenRecords = watch(machine, statement.yes, then);
  if (said) machine.choosing--;
  const otherRecords = watch(machine, statement.no, other);
  refused(
    machine,
    statement,
    value,
    { yes: then.alive, no: other.alive, inYes: thenRecords, inNo: otherRecords },
    state,
  );
  const both = then.alive && other.alive;
  if (both) spared(machine, statement.test, [thenStart, then], [otherStart, other]);
  const joined = joinStates([then, other]);
  // A result that changes nothing about the way has not been used.
  if (both) withdraw(tentative, joined, state);
  state.become(joined);
}

/** Follows a block; gives whether a record was kept on every way through it. */
function watch(machine: Machine, block: Block, state: State): boolean {
  const ends: Kinds[] = [];
  const before = state.facts.get(whole) ?? 0;
  state.facts.set(whole, before & ~recordWritten);
  machine.watched.push(ends);
  perform(machine, block, state);
  machine.watched.pop();
  if (state.alive) ends.push(state.facts.get(whole) ?? 0);
  return ends.length > 0 && ends.every((held) => (held & recordWritten) !== 0);
}

/** A way on which an attack was refused: was it recorded? */
function refused(
  machine: Machine,
  statement: Extract<Statement, { kind: 'branch' }>,
  value: Value,
  seen: {
    readonly yes: boolean;
    readonly no: boolean;
    readonly inYes: boolean;
    readonly inNo: boolean;
  },
  state: State,
): void {
  const checks = checksIn(machine, statement.test, value);
  for (const { use } of checks) {
    if ((use.guard.kinds & kinds.injection) === 0 || use.shadowed) continue;
    if (seen.yes === seen.no) continue;
    const recorded = use.guard.audits || use.audited || (seen.yes ? seen.inNo : seen.inYes);
    const tags = use.labels.map((label): Tag => ({ label, cleared: everything, step: null }));
    machine.tell('refusal', ofTags(new Map(tags.map((tag) => [tag.label.id, tag]))), state, {
      recorded,
      place: { module: machine.frame().module, at: statement.at },
      what: use.guard.name,
    });
  }
}

function checksIn(machine: Machine, test: Expression, value: Value): readonly Check[] {
  if (value.checks.length > 0) return value.checks;
  if (test.kind === 'not' || test.kind === 'await')
    return checksIn(machine, test.value, machine.outcomes.get(test.value) ?? nothing);
  return [];
}

function switched(machine: Machine, statement: Extract<Statement, { kind: 'switch' }>, state: State): void {
  const value = machine.evaluate(statement.value, state);
  const said =
    mayChoose(statement.value, value) && [...value.tags.values()].some(({ label }) => isSaid(label));
  const loop = { breaks: [] as State[], continues: [] as State[] };
  const frame = machine.frame();
  frame.loops.push(loop);
  let through: State | null = null;
  const start = state.clone();
  if (said) machine.choosing++;
  for (const { test, body } of statement.arms) {
    const arm = start.clone();
    if (test !== null) machine.evaluate(test, arm);
    const into: State = through === null ? arm : joinStates([arm, through]);
    perform(machine, body, into);
    through = into.alive ? into : null;
  }
  if (said) machine.choosing--;
  frame.loops.pop();
  const skipped = statement.arms.some(({ test }) => test === null) ? [] : [start];
  const outer = frame.loops.at(-1);
  outer?.continues.push(...loop.continues);
  state.become(joinStates([...loop.breaks, ...(through === null ? [] : [through]), ...skipped, dead(state)]));
}

function whileLoop(machine: Machine, statement: Extract<Statement, { kind: 'while' }>, state: State): void {
  const frame = machine.frame();
  const exits: State[] = [];
  let head = state.clone();
  for (let round = 0; round < 2; round++) {
    const body = head.clone();
    let end = head.clone();
    if (!statement.first || round > 0) {
      const value = machine.evaluate(statement.test, body);
      end = body.clone();
      assume(machine, statement.test, true, body);
      assume(machine, statement.test, false, end);
      if (value.constant?.value === true) end.alive = false;
    } else end.alive = false;
    exits.push(end);
    const loop = { breaks: [] as State[], continues: [] as State[] };
    frame.loops.push(loop);
    perform(machine, statement.body, body);
    frame.loops.pop();
    exits.push(...loop.breaks);
    const next = joinStates([body, ...loop.continues]);
    if (statement.update !== null && next.alive) machine.evaluate(statement.update, next);
    if (statement.first && round === 0 && next.alive) {
      machine.evaluate(statement.test, next);
      const done = next.clone();
      assume(machine, statement.test, false, done);
      exits.push(done);
    }
    if (!next.alive) break;
    head = joinStates([head, next]);
  }
  state.become(joinStates([...exits, dead(state)]));
}

function eachLoop(machine: Machine, statement: Extract<Statement, { kind: 'each' }>, state: State): void {
  const frame = machine.frame();
  let over = machine.evaluate(statement.over, state);
  if (statement.waits) over = relabelled(machine, over, 'model', 'chunk');
  const labels = [...machine.memory.deep(over, state).values()].map(({ label }) => label);
  const empty = state.clone();
  const breaks: State[] = [];
  let head = state.clone();
  let ends: State | null = null;
  for (let round = 0; round < 2; round++) {
    const body = head.clone();
    machine.statement = { module: frame.module, at: statement.at };
    assign(machine, statement.target, machine.memory.element(over, body), body);
    const loop = { breaks: [] as State[], continues: [] as State[] };
    frame.loops.push(loop);
    perform(machine, statement.body, body);
    frame.loops.pop();
    breaks.push(...loop.breaks);
    const next = joinStates([body, ...loop.continues]);
    if (!next.alive) break;
    ends = next;
    head = joinStates([head, next]);
  }
  if (ends !== null) {
    // Of an empty list everything holds: what each item has passed, the list has.
    for (const label of labels)
      empty.facts.set(label.id, (empty.facts.get(label.id) ?? 0) | (ends.facts.get(label.id) ?? 0));
  }
  const left = joinStates([...(ends === null ? [] : [ends]), empty, ...breaks]);
  if (statement.waits)
    for (const [id, value] of left.variables)
      left.variables.set(id, relabelled(machine, value, 'chunk', 'model'));
  state.become(left);
}

function tried(machine: Machine, statement: Extract<Statement, { kind: 'try' }>, state: State): void {
  const start = state.clone();
  const thrown: State[] = [];
  const frame = machine.frame();
  const before = frame.returns.length;
  const handled = statement.handler !== null;
  const stops = handled && endsWay(statement.handler ?? []);
  if (handled) machine.catches.push(thrown);
  if (stops) machine.trying++;
  perform(machine, statement.body, state);
  if (stops) machine.trying--;
  if (handled) machine.catches.pop();
  if (statement.handler !== null) {
    const caught = joinStates([start, ...thrown, state.alive ? state.clone() : dead(state)]);
    // Whatever a guard in the body would have cleared may not have happened.
    for (const [id, held] of caught.facts) caught.facts.set(id, held & (start.facts.get(id) ?? 0));
    for (const use of state.attempts)
      if (!start.attempts.has(use) && !stops) use.swallowed ||= use.guard.form === 'throws';
    if (statement.error !== null) assign(machine, statement.error, nothing, caught);
    perform(machine, statement.handler, caught);
    state.become(joinStates([state, caught]));
  }
  if (statement.last.length > 0) {
    const alive = state.alive;
    // What Go defers happens after a return, with what holds there.
    const ends = frame.module.language === 'go' ? frame.returns.slice(before).map((one) => one.state) : [];
    const last = alive ? state : joinStates([start, ...ends]).clone();
    perform(machine, statement.last, last);
    if (alive) state.become(last);
  }
}

/** Whether a block ends every way through it. */
function endsWay(block: Block): boolean {
  const last = block.at(-1);
  if (last === undefined) return false;
  if (last.kind === 'branch') return endsWay(last.yes) && endsWay(last.no);
  return last.kind === 'return' || last.kind === 'throw' || last.kind === 'continue' || last.kind === 'break';
}

function dead(state: State): State {
  const copy = state.clone();
  copy.alive = false;
  return copy;
}

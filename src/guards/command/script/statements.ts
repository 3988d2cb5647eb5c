// What a statement does, and how it ends.

import { callThing, classOf, declare, functionOf } from './calls.ts';
import { assign, assignName, evaluate, isTooDeep } from './expressions.ts';
import { grows, isEndless, leaves } from './loops.ts';
import type { Machine } from './machine.ts';
import { fieldOf, itemsOf, keysOf, mostRounds } from './objects.ts';
import type { Completion, Expression, Statement } from './program.ts';
import { join, joinAll, member, none, type Scope, type Thing, truthOf, unknown } from './things.ts';
import { repeat, walkWays } from './ways.ts';

/** What runs a text, or a program, that a decorator hands to it. */
const runsWhatItIsGiven = /^(?:builtins\.(?:exec|eval|compile|input)|(?:os|subprocess|pty|shutil)\.\w+)$/;

/** Walks statements one after another; says how they end. */
export function walkBlock(machine: Machine, statements: readonly Statement[]): Completion {
  if (isTooDeep(machine)) return 'next';
  machine.depth++;
  try {
    for (const statement of statements) {
      const completion = execute(machine, statement);
      if (completion !== 'next') return completion;
      if (machine.raised) {
        machine.raised = false;
        return 'raise';
      }
    }
    return 'next';
  } finally {
    machine.depth--;
  }
}

function execute(machine: Machine, statement: Statement): Completion {
  machine.spend(1);
  switch (statement.form) {
    case 'expression':
      evaluate(machine, statement.value);
      return 'next';
    case 'assign': {
      const value = evaluate(machine, statement.value);
      for (const pattern of statement.to) assign(machine, pattern, value);
      return 'next';
    }
    case 'block':
      declare(machine, statement.body, machine.frame.scope);
      return walkBlock(machine, statement.body);
    case 'if': {
      const known = truthOf(evaluate(machine, statement.test));
      if (known === true) return walkBlock(machine, statement.yes);
      if (known === false) return walkBlock(machine, statement.no);
      return walkWays(machine, [
        () => walkBlock(machine, statement.yes),
        () => walkBlock(machine, statement.no),
      ]);
    }
    case 'cases': {
      evaluate(machine, statement.subject);
      const { cases } = statement;
      const completion = walkWays(machine, [
        () => 'next',
        ...cases.map((body) => () => walkBlock(machine, body)),
      ]);
      return completion === 'break' ? 'next' : completion;
    }
    case 'while':
      return walkWhile(machine, statement);
    case 'for':
      return walkFor(machine, statement);
    case 'try':
      return walkTry(machine, statement);
    case 'with': {
      for (const { value, to } of statement.items) {
        const entered = evaluate(machine, value);
        if (to) assign(machine, to, enteredAs(machine, entered));
      }
      return walkBlock(machine, statement.body);
    }
    case 'return':
      machine.frame.returns.push(statement.value ? evaluate(machine, statement.value) : none);
      return 'return';
    case 'raise':
      if (statement.value) evaluate(machine, statement.value);
      return 'raise';
    case 'break':
    case 'continue':
      return statement.form;
    case 'function': {
      let thing: Thing = functionOf(machine, statement.code);
      thing = decorated(machine, thing, statement.decorators);
      assignName(machine, statement.code.name, thing, true);
      return 'next';
    }
    case 'class': {
      const thing = decorated(machine, classOf(machine, statement.code), statement.decorators);
      assignName(machine, statement.code.name, thing, true);
      return 'next';
    }
    case 'outer': {
      const { scope } = machine.frame;
      for (const name of statement.names) {
        let holder: Scope = machine.globals;
        if (!statement.top) {
          for (let outer = scope.parent; outer; outer = outer.parent) {
            if (!outer.names.has(name)) continue;
            holder = outer;
            break;
          }
        }
        scope.outer.set(name, holder);
      }
      return 'next';
    }
    case 'wildcard':
      machine.wildcards.push(statement.library);
      return 'next';
    case 'import':
      machine.dialect.imported(statement.library, statement.span, machine);
      if (statement.to) assign(machine, statement.to, member(statement.library));
      return 'next';
  }
}

/** What stands for a value inside `with`. */
function enteredAs(machine: Machine, value: Thing): Thing {
  if (value.kind !== 'instance') return value;
  const enter = fieldOf(value, '__enter__');
  return enter?.kind === 'function' ? callThing(machine, enter, [], new Map(), enter.code.span) : value;
}

/** A decorator of the script itself may change the function; others are taken to call it as it stands. */
function decorated(machine: Machine, thing: Thing, decorators: readonly Expression[]): Thing {
  let result = thing;
  for (const decorator of decorators.toReversed()) {
    const by = evaluate(machine, decorator);
    if (by.kind === 'function') result = callThing(machine, by, [result], new Map(), by.code.span);
    else if (by.kind === 'member' && by.name.endsWith('staticmethod') && result.kind === 'function')
      result = { ...result, code: { ...result.code, receiver: 'none' } };
    else if (by.kind === 'member' && runsWhatItIsGiven.test(by.name))
      result = callThing(machine, by, [result], new Map(), [0, 0]);
    else if (by.kind === 'member' && by.name.endsWith('property') && result.kind === 'function')
      result = { kind: 'partial', callee: member('<property>'), args: [result], keywords: new Map() };
  }
  return result;
}

function walkWhile(
  machine: Machine,
  { test, body, step, otherwise, span }: Statement & { form: 'while' },
): Completion {
  const round = (): Completion => {
    const completion = walkBlock(machine, body);
    if (step && (completion === 'next' || completion === 'continue')) evaluate(machine, step);
    return completion;
  };
  const constant = test.form === 'constant';
  if (!constant) {
    for (let count = 0; count < 256 && machine.exact; count++) {
      const known = truthOf(evaluate(machine, test));
      if (known === false) return walkBlock(machine, otherwise);
      if (known !== true) break;
      const completion = round();
      if (completion === 'break') return 'next';
      if (completion === 'return' || completion === 'raise') return completion;
    }
  } else if (truthOf(test.thing) === false) return walkBlock(machine, otherwise);
  const endless = constant && !leaves(body);
  if (endless) machine.endless++;
  repeat(machine, () => {
    evaluate(machine, test);
    return round();
  });
  if (endless) machine.endless--;
  if (endless && grows(body))
    machine.record.effect('bomb', { kind: 'none' }, { program: 'loop', span, detail: 'memory' });
  if (endless) return 'raise';
  return walkBlock(machine, otherwise);
}

function walkFor(
  machine: Machine,
  { to, of, keys, body, otherwise }: Statement & { form: 'for' },
): Completion {
  const over = evaluate(machine, of);
  const { items, exact } = keys ? keysOf(over) : itemsOf(machine, over);
  if (exact && items.length <= mostRounds && machine.exact) {
    for (const [index, item] of items.entries()) {
      if (!machine.exact) {
        const others = joinAll(items.slice(index));
        repeat(machine, () => {
          assign(machine, to, others);
          return walkBlock(machine, body);
        });
        break;
      }
      assign(machine, to, item);
      const completion = walkBlock(machine, body);
      if (completion === 'break') return 'next';
      if (completion === 'return' || completion === 'raise') return completion;
    }
    return walkBlock(machine, otherwise);
  }
  const any = joinAll(items);
  const endless = isEndless(over);
  if (endless) machine.endless++;
  repeat(machine, () => {
    assign(machine, to, any);
    return walkBlock(machine, body);
  });
  if (endless) machine.endless--;
  return walkBlock(machine, otherwise);
}

function walkTry(
  machine: Machine,
  { body, handlers, otherwise, last }: Statement & { form: 'try' },
): Completion {
  const attempt = (): Completion => {
    const completion = walkBlock(machine, body);
    return completion === 'next' ? walkBlock(machine, otherwise) : completion;
  };
  const ways = handlers.map(({ name, body: handler }) => (): Completion => {
    if (name) assignName(machine, name, unknown, true);
    return walkBlock(machine, handler);
  });
  let completion: Completion;
  if (ways.length === 0) completion = attempt();
  else {
    // The handlers begin with whatever the body had done when it failed.
    machine.recording++;
    const mark = machine.trail.length;
    completion = attempt();
    const undone = machine.trail.slice(mark);
    machine.recording--;
    const raised = completion === 'raise';
    const left = completion;
    const outcome = walkWays(machine, [
      ...(raised ? [] : [(): Completion => (left === 'return' ? 'return' : 'next')]),
      ...ways.map((way) => (): Completion => {
        for (const { cell, key, before } of undone) {
          const now = cell.get(key);
          if (before && now) machine.set(cell, key, join(before, now));
        }
        return way();
      }),
    ]);
    completion = left === 'break' || left === 'continue' ? left : outcome;
  }
  if (last.length > 0) {
    const final = walkBlock(machine, last);
    if (final !== 'next') return final;
  }
  return completion;
}

// Cards of programs that do one thing to the files they are given, as a table of text: a line with the names and options,
// and below it what is done to which words, each with examples.
//
//   NAMES | OPTIONS | OPTIONS THAT TAKE A VALUE
//     WHAT: DEEDS
//       COMMAND → WHAT THE FACT SAYS OF IT
//       COMMAND → nothing
//
// Of a family the line may have examples of its own of what all do. Deeds are words of `deeds.ts`, one for each operand: `read write`. With `…` a deed takes all operands that are left, with
// `*` also none; `skip` takes one and does nothing. `o=write` is about values of an option, `list?read` only applies with an
// option, `!list?read` only without it, `all,offset&!dry-run?read` with one of two and without a third. `delete(shred)[force,+recursive]` has a detail and flags: one for each option that is
// given, or `force=option`, and one that is always there; `+input` is what comes in on the standard input.

import type { Effect, Value } from '../effects.ts';
import { type Call, fromInput } from '../tools/tool.ts';
import type { Card, Fact, Given } from './card.ts';
import { deeds } from './deeds.ts';
import type { Manner } from './options.ts';

/** A deed, and which words it is done to. */
interface Task {
  /** The option whose values are meant; null: operands. */
  readonly option: string | null;
  /** Only where this option is given, or with `!` before it is not. */
  readonly condition: string | null;
  readonly kind: string;
  readonly detail: string | null;
  readonly flags: readonly string[];
  /** It takes all operands that no other task takes; `least` of them before others get theirs. */
  readonly many: boolean;
  readonly least: number;
}

const taskPattern = /^(?:([\w,!&-]+)\?)?(?:([\w,-]+)=)?([a-z]+)(?:\(([^)]*)\))?(?:\[([^\]]*)\])?([…*])?$/;

function taskOf(text: string): Task {
  const [, condition = null, option = null, kind = '', detail = null, flags = '', many] =
    taskPattern.exec(text) ?? [];
  if (kind !== 'skip' && !Object.hasOwn(deeds, kind)) throw new Error(`there is no deed "${text}"`);
  return {
    condition,
    option,
    kind,
    detail,
    flags: flags.split(',').filter((flag) => flag !== ''),
    many: many !== undefined,
    least: many === '…' ? 1 : 0,
  };
}

function holds(condition: string | null, given: Given<Value>): boolean {
  return (condition?.split('&') ?? []).every((part) => {
    const names = part.replace('!', '').split(',');
    return given.has(...names) !== part.startsWith('!');
  });
}

function done(call: Call, given: Given<Value>, task: Task, path: Value): readonly Effect[] {
  const flags = task.flags.flatMap((flag) => {
    const [name = '', option = name] = flag.replace('+', '').split('=');
    return flag.startsWith('+') || given.has(option) ? [name] : [];
  });
  const more = {
    ...(task.detail === null ? {} : { detail: task.detail }),
    ...Object.fromEntries(flags.map((name) => [name, true])),
  };
  const { input, ...said } = { input: false, ...more };
  const fed = input ? { origins: call.io.stdinOrigins, content: fromInput } : {};
  return deeds[task.kind]?.(call, path, { ...said, ...fed }) ?? [];
}

/** Which operands each task gets: those with one take them from both ends, and the one between takes the others. */
function shared(tasks: readonly Task[], operands: readonly Value[]): readonly (readonly Value[])[] {
  const middle = tasks.findIndex(({ many }) => many);
  const before = middle < 0 ? tasks.length : middle;
  const behind = middle < 0 ? 0 : tasks.length - middle - 1;
  const end = Math.max(
    operands.length - behind,
    Math.min(operands.length, before + (tasks[middle]?.least ?? 0)),
  );
  return tasks.map((_, at) => {
    if (at < before) return operands.slice(at, at + 1);
    return at === middle
      ? operands.slice(before, end)
      : operands.slice(end + at - middle - 1, end + at - middle);
  });
}

/** What a program does to its files: `read…`, `skip read…`, `o=write`, `!list?delete[recursive]…`. */
function doing(text: string): (call: Call, given: Given<Value>) => readonly Effect[] {
  const tasks = text.split(' ').map(taskOf);
  return (call, given) => {
    const held = tasks.filter(({ condition }) => holds(condition, given));
    const onOperands = held.filter(({ option }) => option === null);
    const operands = shared(onOperands, given.operands);
    return held.flatMap((task) => {
      const values =
        task.option === null
          ? (operands[onOperands.indexOf(task)] ?? [])
          : given.all(...task.option.split(','));
      return values.flatMap((value) => done(call, given, task, value));
    });
  };
}

// ── The text of a table.

interface Row {
  readonly head: string;
  /** More examples of what the family does. */
  readonly examples: string[];
  readonly facts: { readonly head: string; readonly examples: string[] }[];
}

function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const depth = line.search(/\S/);
    const said = line.trim();
    const row = rows.at(-1);
    if (depth === 0) rows.push({ head: said, examples: [], facts: [] });
    else if (depth === 2 && said.includes(' → ')) row?.examples.push(said);
    else if (depth === 2) row?.facts.push({ head: said, examples: [] });
    else if (depth > 2) row?.facts.at(-1)?.examples.push(said);
  }
  return rows;
}

function factOf(head: string, lines: readonly string[], name: string): Fact {
  const colon = head.lastIndexOf(': ');
  const examples = lines.map((line) => line.replace(/^% /, `${name} `).split(' → '));
  return {
    what: head.slice(0, colon),
    effects: doing(head.slice(colon + 2)),
    examples: {
      hit: Object.fromEntries(examples.filter(([, said]) => said !== 'nothing')),
      miss: examples.flatMap(([command = '', said]) => (said === 'nothing' ? [command] : [])),
    },
  };
}

/** Names of options without a value, which need no proof of their own: that something depends on them is shown by examples. */
function flagsIn(options: string): string {
  const groups = options.split(' ').filter((group) => group !== '' && !/[=?]$/.test(group));
  return groups.flatMap((group) => group.split('/')).join(' ');
}

function attachedIn(options: string): string {
  const groups = options.split(' ').filter((group) => group.endsWith('?'));
  return groups.flatMap((group) => group.slice(0, -1).split('/')).join(' ');
}

function cardOf(
  { head, examples, facts }: Row,
  common: readonly Row['facts'][number][],
  manner: Manner,
): Card {
  const [names = '', options = '', valued = ''] = head.split(' | ');
  const [name = ''] = names.split(' ');
  return {
    names,
    options,
    manner,
    readings: { valued, flags: flagsIn(options), attached: attachedIn(options) },
    facts: [
      ...common.map((fact, at) => factOf(fact.head, [...fact.examples, ...(at === 0 ? examples : [])], name)),
      ...facts.map((fact) => factOf(fact.head, fact.examples, name)),
    ],
  };
}

/** The cards of a table. */
export function table(text: string, manner: Manner = {}): readonly Card[] {
  return rowsOf(text).map((row) => cardOf(row, [], manner));
}

/** The cards of programs that do the same; in the examples of that, `%` is each of them. */
export function family(common: string, text: string, manner: Manner = {}): readonly Card[] {
  const shared = rowsOf(`-\n${common}`).flatMap(({ facts }) => facts);
  return rowsOf(text).map((row) => cardOf(row, shared, manner));
}

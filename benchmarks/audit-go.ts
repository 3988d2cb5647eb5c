// The ways in which a guard in Go is broken, each as a change of the lines of a correct agent.

import { bare, elsewhere, escaped, type GuardSpot, indentAt, isWhole, type Seeded } from './audit-lines.ts';
import { isMark } from './audit-marks.ts';

export type GoWay = keyof typeof goWays;

type GoSeed = (spot: GuardSpot) => Seeded | null;

/** A verdict that finds nothing. */
const tame =
  'struct{ Blocked, NeedsApproval, Flagged, Found, Violates, Ok, Granted bool; Text, Emit any }{Ok: true, Granted: true}';

function step(line: string): string {
  return line === '' ? line : `\t${line}`;
}

/** The guard inside something else; what it gives is kept in a variable that holds the raw value before. */
function around(head: readonly string[], foot: readonly string[], closed = false): GoSeed {
  return ({ lines, guard }) => {
    const indent = indentAt(lines, guard);
    const body = lines.slice(guard.call, guard.end + 1);
    // No function can leave a loop that stands outside it.
    if (closed && (guard.name === 'record' || body.some((line) => /\b(break|continue)\b/.test(line))))
      return null;
    const keeps = guard.value !== '';
    const before = keeps ? [`${indent}passedOn := ${guard.raw}`] : [];
    return {
      lines: [
        ...lines.slice(0, guard.call),
        ...before,
        ...head.map((line) => `${indent}${line}`),
        ...body.map(step),
        ...(keeps ? [`${indent}\tpassedOn = ${guard.value}`] : []),
        ...foot.map((line) => `${indent}${line}`),
        ...lines
          .slice(guard.end + 1)
          .map((line) => (keeps && !isMark(line) ? swapped(line, guard.value, 'passedOn') : line)),
      ],
      at: guard.call + before.length + 1,
    };
  };
}

function swapped(line: string, value: string, by: string): string {
  return line.replaceAll(new RegExp(`(?<![\\w.])${escaped(value)}(?!\\w)`, 'g'), () => by);
}

/** The variable that holds what the guard said. */
function holder({ lines, guard }: GuardSpot): string | undefined {
  return /^\s*(?:_, )?(\w+)(?:, \w+)* :?= /.exec(lines[guard.call + 1] ?? '')?.[1];
}

/** What the guard is called with, in one line. */
function callIn({ lines, guard }: GuardSpot): string | undefined {
  const call = lines.slice(guard.call + 1, guard.test);
  const [first = ''] = call;
  return call.length === 1 ? /^\s*(?:\w+, )*\w+ :?= (.*)$/.exec(first)?.[1] : undefined;
}

/** The guard with another condition in its test. */
function retested(spot: GuardSpot, change: (test: string) => string): Seeded | null {
  const { lines, guard } = spot;
  const at = guard.test + 1;
  const [, head, test, rest] = /^(\s*if )(.*)( \{)$/.exec(lines[at] ?? '') ?? [];
  if (guard.test === guard.end || head === undefined || test === undefined || rest === undefined) return null;
  const line = `${head}${change(test)}${rest}`;
  if (line === lines[at]) return null;
  return { lines: [...lines.slice(0, at), line, ...lines.slice(at + 1)], at: guard.call };
}

/** The guard's lines out of their place, and at another with what goes before them. */
function sinkOf({ lines, guard }: GuardSpot): readonly string[] | null {
  if (guard.after === null || !isWhole(lines, guard.end + 1, guard.after)) return null;
  return bare(lines, guard, guard.end + 1, guard.after).filter((line) => !isMark(line));
}

/** A guard that only changes a text refuses nothing. */
function refuses({ guard }: GuardSpot): boolean {
  return guard.test !== guard.end || guard.value === '';
}

export const goWays = {
  // ── the guard is not there
  deleted: ({ lines, guard }) => ({
    lines: [...lines.slice(0, guard.call), ...bare(lines, guard, guard.end + 1)],
    at: guard.call,
  }),
  'only in a comment': ({ lines, guard }) => ({
    lines: [
      ...lines.slice(0, guard.call),
      ...lines
        .slice(guard.call + 1, guard.end)
        .map((line) => (isMark(line) ? line : line.replace(/^(\t*)/, '$1// '))),
      ...bare(lines, guard, guard.end + 1),
    ],
    at: guard.call,
  }),
  'after the sink': ({ lines, guard }) => {
    if (guard.after === null) return null;
    const block = lines.slice(guard.call + 1, guard.end);
    return {
      lines: [
        ...lines.slice(0, guard.call),
        ...bare(lines, guard, guard.end + 1, guard.after),
        ...block,
        ...bare(lines, guard, guard.after),
      ],
      at: guard.call,
    };
  },
  deferred: (spot) => {
    const seeded = around(['defer func() {'], ['}()'], true)(spot);
    // The check belongs before what it is deferred behind.
    const end = `${indentAt(spot.lines, spot.guard)}}()`;
    return seeded === null ? null : { ...seeded, at: seeded.lines.indexOf(end) };
  },
  'in a function that nobody calls': (spot) =>
    around(['check := func() error {'], ['}', '_ = check'], true)(spot),

  // ── the guard is there, and not on every way
  'in one branch only': around(['if contextIsNew {'], ['}']),
  'in a branch that is never taken': around(['if false {'], ['}']),
  'behind an environment variable': around(['if os.Getenv("CHECK_WRITE_EFFECTS_AND_HTTP") == "on" {'], ['}']),
  'behind a flag': around(['if flags.IsOn("guard-destructive-urls") {'], ['}']),
  'in a loop that may not run': around(['for range configured.Checks {'], ['}']),
  'in a case of a select': around(['select {', 'case <-ready:'], ['default:', '}']),
  'a shortcut past it': (spot) => {
    const sink = sinkOf(spot);
    if (sink === null) return null;
    const { lines, guard } = spot;
    const indent = indentAt(lines, guard);
    return {
      lines: [
        ...lines.slice(0, guard.call),
        `${indent}if settings.Quick {`,
        ...sink.map(step),
        `${indent}}`,
        ...lines.slice(guard.call),
      ],
      at: guard.call + 1,
    };
  },

  // ── the guard is not the guard
  'shadowed name': (spot) => {
    const call = callIn(spot);
    const path = /^([\w.]+)\(/.exec(call ?? '')?.[1] ?? '';
    // What a method calls its object is left alone: the guard of the object gets the name of one at hand.
    const name = path.replace(/^\w\./, '');
    const [root = '', ...members] = name.split('.');
    if (members.length === 0) return null;
    const { guard } = spot;
    const lines = spot.lines.map((line, at) => (at === guard.call + 1 ? line.replace(path, name) : line));
    // What it gives back is what it was given.
    const gives = /^\w+$/.test(guard.value)
      ? 'given'
      : tame.replace(/\}$/, ', Text: given.Text, Emit: given}');
    const fake = members.reduceRight(
      (inner, name) => `struct{ ${name} any }{${name}: ${inner}}`,
      `func(_ any, given any, _ ...any) any { return ${gives} }`,
    );
    const line = `${indentAt(lines, guard)}${root} := ${fake}`;
    return { lines: [...lines.slice(0, guard.call), line, ...lines.slice(guard.call)], at: guard.call + 1 };
  },

  // ── the guard looks at something else
  'on another text': ({ lines, guard }) => elsewhere(lines, guard, () => '"a fixed text"'),
  'on a cut copy': ({ lines, guard }) =>
    /^\w+(\.Text)?$/.test(guard.on) && !/^(args|call)/.test(guard.on)
      ? elsewhere(lines, guard, (on) => `${on}[:200]`)
      : null,

  // ── nobody waits for it
  'started and left alone': (spot) => around(['go func() {'], ['}()'], true)(spot),
  'raced by a clock that passes': (spot) => {
    const { lines, guard } = spot;
    const [name, call] = [holder(spot), callIn(spot)];
    if (name === undefined || name === 'err' || call === undefined || guard.test === guard.end) return null;
    const indent = indentAt(lines, guard);
    const race = [
      'results := make(chan any, 1)',
      `go func() { results <- ${call} }()`,
      `${name} := ${tame}`,
      ...(guard.value === '' ? [] : [`${guard.value} = ${guard.raw}`]),
      'select {',
      `case ${name} = <-results:`,
      'case <-time.After(50 * time.Millisecond):',
      '}',
    ];
    return {
      lines: [
        ...lines.slice(0, guard.call + 1),
        ...race.map((line) => `${indent}${line}`),
        ...lines.slice(guard.test),
      ],
      at: guard.call + 2,
    };
  },

  // ── its answer does not decide
  'result ignored': ({ lines, guard }) => {
    if (guard.test === guard.end && guard.value === '') return null;
    const [first = '', ...others] = lines.slice(guard.call + 1, guard.test);
    const called = [first.replace(/^(\s*)(?:\w+, )*\w+ :?= /, '$1'), ...others];
    return {
      lines: [...lines.slice(0, guard.call), ...called, ...bare(lines, guard, guard.end + 1)],
      at: guard.call,
    };
  },
  'result put into nothing': ({ lines, guard }) => {
    if (guard.test === guard.end && guard.value === '') return null;
    const [first = '', ...others] = lines.slice(guard.call + 1, guard.test);
    const called = [
      first.replace(
        /^(\s*)((?:\w+, )*)\w+ :?= /,
        (_, indent, more: string) => `${indent}${more.replaceAll(/\w+/g, '_')}_ = `,
      ),
      ...others,
    ];
    return {
      lines: [...lines.slice(0, guard.call), ...called, ...bare(lines, guard, guard.end + 1)],
      at: guard.call,
    };
  },
  // Of a stream only what the guard let out goes on, whatever its test says.
  'result turned round': (spot) =>
    spot.guard.rules.includes('AG-OUT-4') ? null : retested(spot, (test) => `!(${test})`),
  'another result is looked at': (spot) => {
    const name = holder(spot);
    if (name === undefined) return null;
    const { guard } = spot;
    const seeded = retested(spot, (test) => swapped(test, name, 'earlier'));
    if (seeded === null) return null;
    const indent = indentAt(spot.lines, guard);
    return {
      lines: [
        ...seeded.lines.slice(0, guard.call),
        `${indent}earlier := ${tame}`,
        ...seeded.lines.slice(guard.call, guard.end),
        ...bare(spot.lines, guard, guard.end),
      ],
      at: guard.call + 1,
    };
  },
  'asked for both instead of either': (spot) => {
    if (spot.guard.rules.includes('AG-IN-2')) return null;
    const seeded = retested(spot, (test) => test.replace(' || ', ' && '));
    return seeded === null
      ? null
      : {
          ...seeded,
          lines: [...seeded.lines.slice(0, spot.guard.end), ...bare(spot.lines, spot.guard, spot.guard.end)],
        };
  },
  'only noted down': ({ lines, guard }) => {
    const test = lines[guard.test + 1] ?? '';
    if (guard.test === guard.end || !/^\s*if .* \{$/.test(test)) return null;
    const indent = indentAt(lines, guard);
    return {
      lines: [
        ...lines.slice(0, guard.test + 1),
        test,
        `${indent}\tlog.Println("held back")`,
        `${indent}}`,
        ...bare(lines, guard, guard.end),
      ],
      at: guard.call,
    };
  },
  'the raw goes on behind it': ({ lines, guard }) => {
    // Where nothing was found, the text of an answer is the raw one; of a text that goes in, something may be taken out.
    if (guard.value === '' || !/AG-IN-2|AG-IN-4|AG-OUT-4/.test(guard.rules.join())) return null;
    return { lines: [...lines.slice(0, guard.end), ...bare(lines, guard, guard.end)], at: guard.call };
  },
  'the raw goes out too': (spot) => {
    const sink = sinkOf(spot);
    const { lines, guard } = spot;
    if (sink === null || guard.value === '' || sink.some((line) => /:=|^\s*return\b/.test(line))) return null;
    return { lines: [...lines.slice(0, guard.call), ...sink, ...lines.slice(guard.call)], at: guard.call };
  },

  // ── it fails, and nobody minds
  'its refusal only leaves a function': (spot) =>
    refuses(spot) ? around(['func() {'], ['}()'], true)(spot) : null,
  'a panic is recovered from': (spot) =>
    refuses(spot) ? around(['func() {', '\tdefer func() { _ = recover() }()'], ['}()'], true)(spot) : null,
} as const satisfies Record<string, GoSeed>;

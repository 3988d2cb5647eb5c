// The ways in which a guard is broken, each as a change of the lines of a correct agent.

import { type Guard, isMark, type Language } from './audit-marks.ts';

/** A guard in the lines of its agent. */
interface Spot {
  readonly lines: readonly string[];
  readonly guard: Guard;
  readonly language: Language;
}

interface Seeded {
  readonly lines: readonly string[];
  /** The line of the fault among them, from 0. */
  readonly at: number;
}

/** Null where the guard cannot be broken so. */
type Seed = (spot: Spot) => Seeded | null;

/** Lines in both languages. */
type Words = Readonly<Record<Language, readonly string[]>>;

export type Way = keyof typeof ways;

export const ways = {
  // ── the guard is not there
  deleted: ({ lines, guard }) => ({
    lines: [...lines.slice(0, guard.call), ...bare(lines, guard, guard.end + 1)],
    at: guard.call,
  }),
  'only in a comment': ({ lines, guard, language }) => {
    const sign = language === 'python' ? '# ' : '// ';
    const block = lines
      .slice(guard.call + 1, guard.end)
      .map((line) => (isMark(line) ? line : `${indentOf(line)}${sign}${line.trim()}`));
    return {
      lines: [...lines.slice(0, guard.call), ...block, ...bare(lines, guard, guard.end + 1)],
      at: guard.call,
    };
  },
  'after the sink': ({ lines, guard }) => {
    if (guard.after === null) return null;
    const block = lines.slice(guard.call + 1, guard.end);
    const between = bare(lines, guard, guard.end + 1, guard.after);
    const behind = bare(lines, guard, guard.after);
    return { lines: [...lines.slice(0, guard.call), ...between, ...block, ...behind], at: guard.call };
  },
  'in a finally behind the sink': ({ lines, guard, language }) => {
    if (guard.after === null || !isWhole(lines, guard.end + 1, guard.after)) return null;
    const indent = indentAt(lines, guard);
    const python = language === 'python';
    const between = bare(lines, guard, guard.end + 1, guard.after).map((line) =>
      line.replace(/^(\s*)(?:const|let) /, '$1var '),
    );
    const block = lines.slice(guard.call + 1, guard.end);
    return {
      lines: [
        ...lines.slice(0, guard.call),
        `${indent}${python ? 'try:' : 'try {'}`,
        ...between.map(inward),
        `${indent}${python ? 'finally:' : '} finally {'}`,
        ...block.map(inward),
        ...(python ? [] : [`${indent}}`]),
        ...bare(lines, guard, guard.after),
      ],
      at: guard.call + 1,
    };
  },
  'in a function that nobody calls': around(
    { typescript: ['const check = async () => {'], python: ['async def check():'] },
    { typescript: ['};'], python: [] },
    { closed: true },
  ),

  // ── the guard is there, and not on every way
  'in one branch only': around(
    { typescript: ['if (contextIsNew) {'], python: ['if context_is_new:'] },
    { typescript: ['}'], python: [] },
  ),
  'in a branch that is never taken': around(
    { typescript: ['if (false) {'], python: ['if False:'] },
    { typescript: ['}'], python: [] },
  ),
  'behind an environment variable': around(
    {
      typescript: ["if (process.env.CHECK_WRITE_EFFECTS_AND_HTTP === 'on') {"],
      python: ['if os.environ.get("CHECK_WRITE_EFFECTS_AND_HTTP") == "on":'],
    },
    { typescript: ['}'], python: [] },
  ),
  'behind a flag': around(
    {
      typescript: ["if (flags.isOn('guard-destructive-urls')) {"],
      python: ['if flags.is_on("guard-destructive-urls"):'],
    },
    { typescript: ['}'], python: [] },
  ),
  'in a loop that may not run': around(
    { typescript: ['for (const _ of configured.checks) {'], python: ['for _ in configured.checks:'] },
    { typescript: ['}'], python: [] },
  ),
  'a shortcut past it': ({ lines, guard, language }) => {
    if (guard.after === null || !isWhole(lines, guard.end + 1, guard.after)) return null;
    const indent = indentAt(lines, guard);
    const python = language === 'python';
    const sink = bare(lines, guard, guard.end + 1, guard.after).filter((line) => !isMark(line));
    return {
      lines: [
        ...lines.slice(0, guard.call),
        `${indent}${python ? 'if settings.quick:' : 'if (settings.quick) {'}`,
        ...sink.map(inward),
        ...(python ? [] : [`${indent}}`]),
        ...lines.slice(guard.call),
      ],
      at: guard.call + 1,
    };
  },

  // ── the guard is not the guard
  'shadowed name': ({ lines, guard, language }) => {
    const { root, members } = calledIn(lines, guard);
    if (root === null || members.length === 0) return null;
    const indent = indentAt(lines, guard);
    const fake =
      language === 'python' ? fakePython(indent, root, members) : fakeTypescript(indent, root, members);
    return {
      lines: [...lines.slice(0, guard.call), ...fake, ...lines.slice(guard.call)],
      at: guard.call + fake.length,
    };
  },
  'replaced while it runs': ({ lines, guard, language }) => {
    const { root, members } = calledIn(lines, guard);
    if (root === null || members.length === 0) return null;
    const whole = guard.value !== '' && heldBy(lines, guard).includes(guard.value);
    const made =
      language === 'python'
        ? `lambda *given, **named: ${whole ? 'given[0]' : tamePython.replace(/\)$/, ', text=named["text"])')}`
        : `async (given) => (${tame.replace(/ \}$/, ', text: given.text ?? given, arguments: given.toolCall }')})`;
    const path = [root, ...members].join('.');
    const line = `${indentAt(lines, guard)}${path} = ${made}${language === 'python' ? '' : ';'}`;
    return { lines: [...lines.slice(0, guard.call), line, ...lines.slice(guard.call)], at: guard.call };
  },
  'only where there is one': ({ lines, guard, language }) => {
    const { root, path } = calledIn(lines, guard);
    if (root === null || guard.test === guard.end) return null;
    const [name = ''] = guard.value.split(/[.[]/);
    if (name === '' || !heldBy(lines, guard).includes(name)) return null;
    const call = lines.slice(guard.call + 1, guard.test);
    const rest = (by: string) => lines.slice(guard.end).map((line) => replaced(line, guard.value, by));
    if (language === 'python') {
      const first = call.map((line) => line);
      const last = first.length - 1;
      first[last] = `${first[last]} if ${root} is not None else None`;
      const test = lines
        .slice(guard.test, guard.end)
        .map((line) => line.replace(/^(\s*)if (.*):$/, `$1if ${name} is not None and ($2):`));
      return {
        lines: [
          ...lines.slice(0, guard.call + 1),
          ...first,
          ...test,
          ...rest(`(${guard.value} if ${name} is not None else ${guard.raw})`),
        ],
        at: guard.call,
      };
    }
    const optional = call.map((line) => line.replace(`${path}(`, `${path}?.(`));
    const test = lines
      .slice(guard.test, guard.end)
      .map((line) => line.replaceAll(new RegExp(`\\b${name}\\.`, 'g'), `${name}?.`));
    const value = guard.value.replace('.', '?.');
    return {
      lines: [...lines.slice(0, guard.call + 1), ...optional, ...test, ...rest(`(${value} ?? ${guard.raw})`)],
      at: guard.call,
    };
  },

  // ── the guard looks at something else
  'on another text': ({ lines, guard }) => elsewhere(lines, guard, () => "'a fixed text'"),
  'on a cut copy': ({ lines, guard, language }) => {
    if (!/^[\w.]+$/.test(guard.on) || /\b(call|block|arguments|attachment)\b|[cC]all$/.test(guard.on))
      return null;
    return elsewhere(lines, guard, (on) => (language === 'python' ? `${on}[:200]` : `${on}.slice(0, 200)`));
  },

  // ── nobody waits for it
  'not awaited': ({ lines, guard }) => {
    const call = lines.slice(guard.call, guard.test);
    // A record that nobody waits for is kept all the same, and a promise in the place of a text tells nothing.
    if (!call.some((line) => line.includes('await ')) || /^(record|file)$/.test(guard.name)) return null;
    const hasty = call.map((line) => line.replace('await ', ''));
    return { lines: [...lines.slice(0, guard.call), ...hasty, ...lines.slice(guard.test)], at: guard.call };
  },
  'started and left alone': (spot) => {
    const { lines, guard, language } = spot;
    if (guard.name === 'record') return null;
    const waits = lines.slice(guard.call, guard.end).some((line) => line.includes('await '));
    const started = waits ? 'asyncio.create_task(check())' : 'threading.Thread(target=check).start()';
    const seeded = around(
      {
        typescript: ['void (async () => {'],
        python: [waits ? 'async def check():' : 'def check():'],
      },
      { typescript: ['})();'], python: [started] },
      { closed: true },
    )({ lines, guard, language });
    if (seeded === null || language === 'typescript') return seeded;
    return { ...seeded, at: seeded.lines.findIndex((line) => line.endsWith(started)) };
  },
  'in a loop that nobody waits for': (spot) =>
    spot.language === 'python' || spot.guard.name === 'record'
      ? null
      : around(
          { typescript: ['[0].forEach(async () => {'], python: [] },
          { typescript: ['});'], python: [] },
          { closed: true },
        )(spot),
  'raced by a clock that passes': ({ lines, guard, language }) => {
    const call = lines.slice(guard.call + 1, guard.test);
    const [first = '', ...others] = call;
    const [, before, made] = /^(\s*(?:const |let )?[\w{} ]+ = )await (.*)$/.exec(first) ?? [];
    if (before === undefined || made === undefined || guard.test === guard.end) return null;
    const given = guard.raw === '' ? '' : `, text: ${guard.raw}, emit: ${guard.raw}, arguments: ${guard.raw}`;
    const indent = indentOf(first);
    if (language === 'python') {
      const name = before.trim().replace(' =', '');
      const passes = tamePython.replace(/\)$/, guard.raw === '' ? ')' : `, text=${guard.raw})`);
      return {
        lines: [
          ...lines.slice(0, guard.call + 1),
          `${indent}try:`,
          `${indent}    ${name} = await asyncio.wait_for(${made}`,
          ...others.map(inward).map((line, index) => (index === others.length - 1 ? `${line}, 0.05)` : line)),
          ...(others.length === 0 ? [`${indent}    , 0.05)`] : []),
          `${indent}except TimeoutError:`,
          `${indent}    ${name} = ${passes}`,
          ...lines.slice(guard.test),
        ],
        at: guard.test + 1,
      };
    }
    const text = [made, ...others].join('\n').replace(/;$/, '');
    const clock = `new Promise((done) => setTimeout(() => done({ ${tame.slice(2, -2)}${given} }), 50))`;
    return {
      lines: [
        ...lines.slice(0, guard.call + 1),
        ...`${before}await Promise.race([${text}, ${clock}]);`.split('\n'),
        ...lines.slice(guard.test),
      ],
      at: guard.call,
    };
  },

  // ── its answer does not decide
  'result ignored': ({ lines, guard }) => {
    if (guard.test === guard.end && guard.value === '') return null;
    const [first = '', ...others] = lines.slice(guard.call + 1, guard.test);
    const called = [first.replace(/(?:const|let) [^=]+= |^(\s*)[\w.]+ = /, '$1'), ...others];
    return {
      lines: [...lines.slice(0, guard.call), ...called, ...bare(lines, guard, guard.end + 1)],
      at: guard.call,
    };
  },
  'result turned round': ({ lines, guard, language }) =>
    retested(lines, guard, language, (test) => (language === 'python' ? `not (${test})` : `!(${test})`)),
  'another result is looked at': ({ lines, guard, language }) => {
    const [name] = heldBy(lines, guard);
    if (name === undefined) return null;
    const indent = indentAt(lines, guard);
    const earlier = language === 'python' ? `earlier = ${tamePython}` : `const earlier = ${tame};`;
    const seeded = retested(lines, guard, language, (test) =>
      test.replaceAll(new RegExp(`(?<![\\w.])${name}\\b`, 'g'), 'earlier'),
    );
    if (seeded === null || seeded.lines.join('\n') === lines.join('\n')) return null;
    const kept = seeded.lines.slice(0, guard.end);
    return {
      lines: [
        ...kept.slice(0, guard.call),
        `${indent}${earlier}`,
        ...kept.slice(guard.call),
        ...bare(lines, guard, guard.end),
      ],
      at: guard.call + 1,
    };
  },
  'asked for both instead of either': ({ lines, guard, language }) => {
    const either = language === 'python' ? ' or ' : ' || ';
    const test = lines.slice(guard.test, guard.end);
    if (!test.some((line) => line.includes(either)) || guard.rules.includes('AG-IN-2')) return null;
    const both = language === 'python' ? ' and ' : ' && ';
    const weak = test.map((line) => line.replace(either, both));
    return {
      lines: [...lines.slice(0, guard.test), ...weak, ...bare(lines, guard, guard.end)],
      at: guard.call,
    };
  },
  'only noted down': ({ lines, guard, language }) => {
    const [first = ''] = lines.slice(guard.test + 1, guard.end);
    const test =
      language === 'python'
        ? /^(\s*if .*:)$/.exec(first)?.[1]
        : /^(\s*if \(.*\)) (?:throw|return|continue|break|\{)/.exec(first)?.[1];
    if (test === undefined) return null;
    const noted =
      language === 'python'
        ? [test, `${indentOf(first)}    log.warning("held back")`]
        : [`${test} console.warn('held back');`];
    return {
      lines: [...lines.slice(0, guard.test + 1), ...noted, ...bare(lines, guard, guard.end)],
      at: guard.call,
    };
  },
  'the raw goes on behind it': ({ lines, guard }) => {
    // Where nothing was found, the text of an answer is the raw one; of a text that goes in, something may be taken out.
    if (guard.value === '' || !/AG-IN-2|AG-IN-4|AG-OUT-4|AG-TOOL-5/.test(guard.rules.join())) return null;
    if (lines.slice(guard.test, guard.end).some((line) => line.includes('!= "pass"'))) return null;
    return { lines: [...lines.slice(0, guard.end), ...bare(lines, guard, guard.end)], at: guard.call };
  },
  'the raw goes out too': ({ lines, guard }) => {
    if (guard.after === null || guard.value === '') return null;
    const sink = bare(lines, guard, guard.end + 1, guard.after).filter((line) => !isMark(line));
    if (sink.some((line) => /^\s*(?:const|let) /.test(line))) return null;
    return { lines: [...lines.slice(0, guard.call), ...sink, ...lines.slice(guard.call)], at: guard.call };
  },

  // ── it fails, and nobody minds
  'caught and ignored': (spot) =>
    fails(spot.guard)
      ? around(
          { typescript: ['try {'], python: ['try:'] },
          { typescript: ['} catch {', '  // never mind', '}'], python: ['except Exception:', '    pass'] },
        )(spot)
      : null,
  'caught, and the raw goes on': (spot) =>
    fails(spot.guard) && spot.guard.value !== ''
      ? around(
          { typescript: ['try {'], python: ['try:'] },
          {
            typescript: ['} catch {', `  passedOn = ${spot.guard.raw};`, '}'],
            python: ['except Exception:', `    passed_on = ${spot.guard.raw}`],
          },
        )(spot)
      : null,
  'a failure counts as a yes': ({ lines, guard, language }) => {
    const call = lines.slice(guard.call + 1, guard.test);
    const last = call.at(-1) ?? '';
    const given = guard.raw === '' ? '' : `, text: ${guard.raw}, arguments: ${guard.raw}`;
    if (language === 'python' || guard.test === guard.end || !/await /.test(call[0] ?? '')) return null;
    const passes = `.catch(() => ({ ${tame.slice(2, -2)}${given} }));`;
    if (!last.endsWith(');')) return null;
    return {
      lines: [
        ...lines.slice(0, guard.call + 1),
        ...call.slice(0, -1),
        `${last.slice(0, -1)}${passes}`,
        ...lines.slice(guard.test),
      ],
      at: guard.call,
    };
  },
} as const satisfies Record<string, Seed>;

/** The guard inside something else; what it gives is kept in a variable that holds the raw value before. */
function around(head: Words, foot: Words, { closed = false } = {}): Seed {
  return ({ lines, guard, language }) => {
    const python = language === 'python';
    const indent = indentAt(lines, guard);
    const body = lines.slice(guard.call, guard.end + 1);
    // No function can leave a loop that stands outside it.
    if (closed && body.some((line) => /\b(break|continue)\b/.test(line))) return null;
    const kept = guard.value === '' ? null : python ? 'passed_on' : 'passedOn';
    const semicolon = python ? '' : ';';
    const before =
      kept === null ? [] : [`${indent}${python ? '' : 'let '}${kept} = ${guard.raw}${semicolon}`];
    const set = kept === null ? [] : [`${indent}${step(language)}${kept} = ${guard.value}${semicolon}`];
    const rest = lines
      .slice(guard.end + 1)
      .map((line) => (kept === null ? line : replaced(line, guard.value, kept)));
    if (body.length === 2 && kept === null) return null;
    return {
      lines: [
        ...lines.slice(0, guard.call),
        ...before,
        ...head[language].map((line) => `${indent}${line}`),
        ...body.map(inward),
        ...set,
        ...foot[language].map((line) => `${indent}${line}`),
        ...rest,
      ],
      at: guard.call + before.length + 1,
    };
  };
}

/** The guard on something else than what goes on. */
function elsewhere(lines: readonly string[], guard: Guard, other: (on: string) => string): Seeded | null {
  if (guard.on === '') return null;
  const { on } = guard;
  const call = lines.slice(guard.call + 1, guard.test).map((line) => {
    const short = line.replace(new RegExp(`\\{ ${on}(?=[, ])`), `{ ${on}: ${other(on)}`);
    if (short !== line) return short;
    const named = new RegExp(`(?<![\\w.])${escaped(on)}(?!\\w|\\s*=[^=])`);
    return line.replace(named, () => other(on));
  });
  if (call.join('\n') === lines.slice(guard.call + 1, guard.test).join('\n')) return null;
  return {
    lines: [
      ...lines.slice(0, guard.call + 1),
      ...call,
      ...lines.slice(guard.test, guard.end),
      ...bare(lines, guard, guard.end),
    ],
    at: guard.call,
  };
}

/** The guard with another condition in its first test. */
function retested(
  lines: readonly string[],
  guard: Guard,
  language: Language,
  change: (test: string) => string,
): Seeded | null {
  const at = guard.test + 1;
  const line = lines[at] ?? '';
  const pattern =
    language === 'python' ? /^(\s*if )(.*)(:)$/ : /^(\s*if \()(.*)(\) (?:throw|return|continue|break|\{).*)$/;
  const [, head, test, rest] = pattern.exec(line) ?? [];
  if (guard.test === guard.end || head === undefined || test === undefined || rest === undefined) return null;
  return {
    lines: [...lines.slice(0, at), `${head}${change(test)}${rest}`, ...lines.slice(at + 1)],
    at: guard.call,
  };
}

/** The variables that the call of a guard leaves its result in. */
function heldBy(lines: readonly string[], guard: Guard): readonly string[] {
  const first = lines[guard.call + 1] ?? '';
  const [, name] = /^\s*(?:const |let )?(\w+) = /.exec(first) ?? [];
  return name === undefined ? [] : [name];
}

/** What is called where the guard stands, unless it is a part of an object or no guard by name. */
function calledIn(
  lines: readonly string[],
  guard: Guard,
): { readonly root: string | null; readonly members: readonly string[]; readonly path: string } {
  const none = { root: null, members: [], path: '' };
  const text = lines
    .slice(guard.call + 1, guard.end)
    .join(' ')
    .replace(/^\s*if\b/, '')
    .replace(/await /g, '');
  const path = /([A-Za-z_][\w.]*)\(/.exec(text)?.[1];
  if (path === undefined || /^(this|self)\./.test(path)) return none;
  const [root = '', ...members] = path.split('.');
  return /^(guarded|urlparse|httpx)$/.test(root) ? none : { root, members, path };
}

/** An id that is read from the session, and a client that guards by itself, do not fail. */
function fails({ name, test, end, value }: Guard): boolean {
  return name !== 'owner' && name !== 'client' && !(test === end && value === '');
}

/** The lines from one on with the raw value in the place of the checked one. */
function bare(lines: readonly string[], guard: Guard, from: number, to = lines.length): readonly string[] {
  return lines.slice(from, to).map((line) => replaced(line, guard.value, guard.raw));
}

function replaced(line: string, value: string, by: string): string {
  if (value === '' || isMark(line)) return line;
  return line.replaceAll(new RegExp(`(?<![\\w.])${escaped(value)}(?![\\w])`, 'g'), () => by);
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&');
}

/** Whether some lines are statements from their first to their last. */
function isWhole(lines: readonly string[], from: number, to: number): boolean {
  const text = lines.slice(from, to).filter((line) => !isMark(line) && line.trim() !== '');
  const [first = ''] = text;
  const { length } = indentOf(first);
  const depth = text.join('').replaceAll(/[^{}]/g, '');
  const balanced = depth.replaceAll('{', '').length * 2 === depth.length;
  return (
    balanced && text.every((line) => indentOf(line).length >= length) && !/^\s*(for|while)\b/.test(first)
  );
}

/** How far the guard is indented, or what follows it where it is only a value. */
function indentAt(lines: readonly string[], guard: Guard): string {
  return indentOf(lines.slice(guard.call + 1).find((line) => !isMark(line)) ?? '');
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

function step(language: Language): string {
  return language === 'python' ? '    ' : '  ';
}

function inward(line: string): string {
  const indent = /^\t| {4}/.test(line) ? '    ' : '  ';
  return line === '' ? line : `${indent}${line}`;
}

const tame =
  '{ blocked: false, needsApproval: false, flagged: false, found: false, violates: false, ok: true }';
const tamePython =
  'SimpleNamespace(blocked=False, needs_approval=False, flagged=False, found=False, violates=False, ok=True)';

function fakeTypescript(indent: string, root: string, members: readonly string[]): readonly string[] {
  const inner = members.reduceRight(
    (value, name) => `{ ${name}: ${value} }`,
    `async (given) => ({ ${tame.slice(2, -2)}, text: given.text, arguments: given.toolCall })`,
  );
  return [`${indent}const ${root} = ${inner};`];
}

function fakePython(indent: string, root: string, members: readonly string[]): readonly string[] {
  const made = members.reduceRight(
    (value, name) => `SimpleNamespace(${name}=${value})`,
    `lambda *given, **named: ${tamePython}`,
  );
  return [`${indent}${root} = ${made}`];
}

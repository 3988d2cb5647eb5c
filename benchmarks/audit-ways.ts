// The ways in which a guard is broken, each as a change of the lines of a correct agent.

import {
  around,
  bare,
  calledIn,
  elsewhere,
  fails,
  fakePython,
  fakeTypescript,
  heldBy,
  indentAt,
  indentOf,
  inward,
  isWhole,
  replaced,
  retested,
  type Seed,
  tame,
  tamePython,
} from './audit-lines.ts';
import { isMark } from './audit-marks.ts';

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

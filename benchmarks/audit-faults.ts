// Seeds faults into correct agents: one guard at a time is removed or broken, in each of the ways in which that happens.
//
// A correct agent marks its guards in comments, which are taken out before anybody reads it:
//   guard NAME RULES raw=EXPRESSION value=EXPRESSION   the call of the guard begins
//   test NAME                                          what looks at its result begins
//   end NAME                                           the guard ends
//   after NAME                                         the sink is behind us

export type Way =
  | 'deleted'
  | 'in one branch only'
  | 'not awaited'
  | 'result ignored'
  | 'after the sink'
  | 'only in a comment'
  | 'shadowed name'
  | 'caught and ignored';

export interface Fault {
  readonly guard: string;
  readonly way: Way;
  /** One of these must be found. */
  readonly rules: readonly string[];
  /** The line where the check stood or should stand, from 1. */
  readonly line: number;
  readonly text: string;
}

type Language = 'typescript' | 'python';

interface Guard {
  readonly name: string;
  readonly rules: readonly string[];
  readonly raw: string;
  readonly value: string;
  /** Lines of the marked text, from 0: the call, the test, the end, and what lies behind the sink. */
  readonly call: number;
  readonly test: number;
  readonly end: number;
  readonly after: number | null;
}

const mark = /^\s*(?:\/\/#|##) (guard|test|end|after) (\w+)(?: (\S+))?(?: raw=(.*?))?(?: value=(.*))?$/;

/** The agent without its marks. */
export function original(marked: string): string {
  return marked
    .split('\n')
    .filter((line) => !mark.test(line))
    .join('\n');
}

/** Every fault of one agent. */
export function faults(marked: string, language: Language): readonly Fault[] {
  const lines = marked.split('\n');
  return guardsIn(lines).flatMap((guard) => {
    return Object.entries(ways).flatMap(([way, seed]): readonly Fault[] => {
      const seeded = seed(lines, guard, language);
      if (seeded === null) return [];
      const at = seeded.lines.slice(0, seeded.at).filter((line) => !mark.test(line)).length + 1;
      const text = original(seeded.lines.join('\n'));
      return [{ guard: guard.name, way: way as Way, rules: guard.rules, line: at, text }];
    });
  });
}

function guardsIn(lines: readonly string[]): readonly Guard[] {
  const find = (what: string, name: string) =>
    lines.findIndex((line) => {
      const [, kind, named] = mark.exec(line) ?? [];
      return kind === what && named === name;
    });
  return lines.flatMap((line, call): readonly Guard[] => {
    const [, kind, name = '', rules = '', raw = '', value = ''] = mark.exec(line) ?? [];
    if (kind !== 'guard') return [];
    const end = find('end', name);
    const test = find('test', name);
    const after = find('after', name);
    if (end < 0) throw new Error(`the guard ${name} does not end`);
    return [
      {
        name,
        rules: rules.split(','),
        raw,
        value,
        call,
        test: test < 0 ? end : test,
        end,
        after: after < 0 ? null : after,
      },
    ];
  });
}

interface Seeded {
  readonly lines: readonly string[];
  /** The line of the fault among them, from 0. */
  readonly at: number;
}

type Seed = (lines: readonly string[], guard: Guard, language: Language) => Seeded | null;

const ways: Readonly<Record<Way, Seed>> = {
  deleted: (lines, guard) => ({
    lines: [...lines.slice(0, guard.call), ...bare(lines, guard, guard.end + 1)],
    at: guard.call,
  }),
  'in one branch only': (lines, guard, language) => {
    const python = language === 'python';
    const indent = indentOf(lines[guard.call + 1] ?? '');
    const kept = kept_(guard, language);
    const body = lines.slice(guard.call, guard.end + 1).map(inward);
    const head = python ? 'if context_is_new:' : 'if (contextIsNew) {';
    const before =
      kept === null ? [] : [`${indent}${python ? '' : 'let '}${kept} = ${guard.raw}${python ? '' : ';'}`];
    const set =
      kept === null ? [] : [`${indent}${step(language)}${kept} = ${guard.value}${python ? '' : ';'}`];
    const rest = lines
      .slice(guard.end + 1)
      .map((line) => (kept === null ? line : replaced(line, guard.value, kept)));
    return {
      lines: [
        ...lines.slice(0, guard.call),
        ...before,
        `${indent}${head}`,
        ...body,
        ...set,
        ...(python ? [] : [`${indent}}`]),
        ...rest,
      ],
      at: guard.call + before.length + 1,
    };
  },
  'not awaited': (lines, guard) => {
    const call = lines.slice(guard.call, guard.test);
    // A record that nobody waits for is kept all the same, and a promise in the place of a text tells nothing.
    if (!call.some((line) => line.includes('await ')) || /^(record|file)$/.test(guard.name)) return null;
    const hasty = call.map((line) => line.replace('await ', ''));
    return { lines: [...lines.slice(0, guard.call), ...hasty, ...lines.slice(guard.test)], at: guard.call };
  },
  'result ignored': (lines, guard) => {
    if (guard.test === guard.end && guard.value === '') return null;
    const [first = '', ...others] = lines.slice(guard.call + 1, guard.test);
    const called = [first.replace(/(?:const|let) [^=]+= |^(\s*)[\w.]+ = /, '$1'), ...others];
    return {
      lines: [...lines.slice(0, guard.call), ...called, ...bare(lines, guard, guard.end + 1)],
      at: guard.call,
    };
  },
  'after the sink': (lines, guard) => {
    if (guard.after === null) return null;
    const block = lines.slice(guard.call + 1, guard.end);
    const between = bare(lines, guard, guard.end + 1, guard.after);
    const behind = bare(lines, guard, guard.after);
    return { lines: [...lines.slice(0, guard.call), ...between, ...block, ...behind], at: guard.call };
  },
  'only in a comment': (lines, guard, language) => {
    const sign = language === 'python' ? '# ' : '// ';
    const block = lines.slice(guard.call + 1, guard.end).map((line) => {
      return mark.test(line) ? line : `${indentOf(line)}${sign}${line.trim()}`;
    });
    return {
      lines: [...lines.slice(0, guard.call), ...block, ...bare(lines, guard, guard.end + 1)],
      at: guard.call,
    };
  },
  'shadowed name': (lines, guard, language) => {
    const called = /([A-Za-z_][\w.]*)\(/.exec(
      lines
        .slice(guard.call + 1, guard.end)
        .join(' ')
        .replace(/^\s*if\b/, '')
        .replace(/await /g, ''),
    )?.[1];
    const path = called?.replace(/^(this|self)\./, '').split('.') ?? [];
    const [root, ...members] = path;
    if (
      root === undefined ||
      root === 'httpx' ||
      members.length === 0 ||
      (/^[a-z]\w*$/.test(root) && /^(guarded|urlparse)$/.test(root))
    )
      return null;
    if (called !== undefined && /^(this|self)\./.test(called)) return null;
    const indent = indentOf(lines[guard.call + 1] ?? '');
    const fake =
      language === 'python' ? fakePython(indent, root, members) : fakeTypescript(indent, root, members);
    return {
      lines: [...lines.slice(0, guard.call), ...fake, ...lines.slice(guard.call)],
      at: guard.call + fake.length,
    };
  },
  'caught and ignored': (lines, guard, language) => {
    // An id that is read from the session does not fail.
    if (guard.name === 'owner') return null;
    if (guard.test === guard.end && guard.value === '') return null;
    const python = language === 'python';
    const indent = indentOf(lines[guard.call + 1] ?? '');
    const kept = kept_(guard, language);
    const body = lines.slice(guard.call, guard.end + 1).map(inward);
    const before =
      kept === null ? [] : [`${indent}${python ? '' : 'let '}${kept} = ${guard.raw}${python ? '' : ';'}`];
    const set =
      kept === null ? [] : [`${indent}${step(language)}${kept} = ${guard.value}${python ? '' : ';'}`];
    const close = python
      ? [`${indent}except Exception:`, `${indent}    pass`]
      : [`${indent}} catch {`, `${indent}  // never mind`, `${indent}}`];
    const rest = lines
      .slice(guard.end + 1)
      .map((line) => (kept === null ? line : replaced(line, guard.value, kept)));
    return {
      lines: [
        ...lines.slice(0, guard.call),
        ...before,
        `${indent}${python ? 'try:' : 'try {'}`,
        ...body,
        ...set,
        ...close,
        ...rest,
      ],
      at: guard.call + before.length + 1,
    };
  },
};

/** The lines from one on with the raw value in the place of the checked one. */
function bare(lines: readonly string[], guard: Guard, from: number, to = lines.length): readonly string[] {
  return lines.slice(from, to).map((line) => replaced(line, guard.value, guard.raw));
}

function replaced(line: string, value: string, by: string): string {
  if (value === '' || mark.test(line)) return line;
  const pattern = new RegExp(`(?<![\\w.])${value.replaceAll(/[^\w\s]/g, '\\$&')}(?![\\w])`, 'g');
  return line.replaceAll(pattern, () => by);
}

/** The variable that holds the checked value where the guard is reached, and the raw one elsewhere. */
function kept_(guard: Guard, language: Language): string | null {
  if (guard.value === '') return null;
  return language === 'python' ? 'passed_on' : 'passedOn';
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

const tame = 'blocked: false, needsApproval: false, flagged: false, found: false, violates: false, ok: true';

function fakeTypescript(indent: string, root: string, members: readonly string[]): readonly string[] {
  const inner = members.reduceRight(
    (value, name) => `{ ${name}: ${value} }`,
    `async (given) => ({ ${tame}, text: given.text, arguments: given.toolCall })`,
  );
  return [`${indent}const ${root} = ${inner};`];
}

function fakePython(indent: string, root: string, members: readonly string[]): readonly string[] {
  const made = members.reduceRight(
    (value, name) => `SimpleNamespace(${name}=${value})`,
    'lambda *given, **named: SimpleNamespace(ok=True, blocked=False)',
  );
  return [`${indent}${root} = ${made}`];
}

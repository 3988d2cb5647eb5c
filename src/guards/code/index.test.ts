// Tests of the code guard: tables of attacks and harmless code, the exact reasons, places, counts, and invariants by random testing.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attacks, harmless, oddities, snippetTools } from '../../../tests/support/snippets.ts';
import { settingsFrom, withTools } from '../../config/load.ts';
import { type ActionOf, Budget, type Judgement, type Readers, strongest } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { guards } from '../index.ts';
import { codeGuard } from './index.ts';
import { reasonOf } from './rules.ts';
import { placeOf } from './tools.ts';

const { readers } = realWorld();

interface Given {
  readonly readers?: Readers | undefined;
  readonly steps?: number;
  readonly registered?: readonly { readonly name: string; readonly server?: string }[];
}

async function judge(
  source: string,
  action: Partial<ActionOf<'code'>> = { tools: snippetTools },
  given: Given = {},
): Promise<Judgement<'code'>> {
  const registered = (given.registered ?? []).map((tool) => ({ ...tool, effect: 'read' as const }));
  return await codeGuard.check(
    { kind: 'code', source, ...action },
    {
      context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: '/w', mode: 'default' },
      settings: withTools(settingsFrom({}), registered),
      world: {
        now: () => 0,
        resolve: async () => [],
        realPath: () => null,
        readText: () => null,
        look: () => null,
        ...('readers' in given
          ? given.readers === undefined
            ? {}
            : { readers: given.readers }
          : readers === undefined
            ? {}
            : { readers }),
      },
      budget: new Budget(given.steps ?? 1_000_000),
      granted: () => false,
    },
  );
}

async function rulesOf(source: string, action?: Partial<ActionOf<'code'>>): Promise<readonly string[]> {
  const { findings } = await judge(source, action);
  return findings.filter(({ decision }) => decision === 'block').map(({ rule }) => rule);
}

describe('attacks', () => {
  it('are many', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
    expect(new Set(attacks.map(([, source]) => source)).size).toBe(attacks.length);
  });

  it.each(attacks)('%s: %s', async (rule, source) => {
    const { facts, findings } = await judge(source);
    expect(findings[0]).toMatchObject({ rule, decision: 'block', pointer: '/source' });
    expect(facts['reason']).toBe(codeGuard.rules.find(({ id }) => id === rule)?.reason);
  });

  it.each(oddities)('%s: %s', async (rule, source) => {
    expect(await rulesOf(source)).toEqual([rule]);
  });

  // An import stands at the outermost level or is no import; an own `this` is not the object of the globals.
  const movable = attacks.filter(([, source]) => !/^(?:import|export) |return this\./.test(source));
  it.each(movable)('%s in a function that is not called: %s', async (rule, source) => {
    expect(await rulesOf(`async function idle() {\n${source}\n}`)).toContain(rule);
  });
});

describe('harmless code', () => {
  it('is many', () => {
    expect(harmless.length).toBeGreaterThanOrEqual(60);
    expect(new Set(harmless).size).toBe(harmless.length);
  });

  it.each(harmless)('%s', async (source) => {
    expect(await rulesOf(source)).toEqual([]);
  });
});

describe('reasons', () => {
  it.each([
    ['', 'empty generated code'],
    ['\n \t', 'empty generated code'],
    ['a'.repeat(12_001), 'generated code exceeds 12000 chars'],
    ["import 'fs'", 'module import'],
    ['fetch()', 'network api'],
    ['process', 'process api'],
    ['exec()', 'process execution api'],
    ['fs', 'filesystem api'],
    ['eval()', 'dynamic code execution api'],
    ['dns', 'low-level network module'],
    ['search();\n'.repeat(31), 'tool-call count 31 exceeds cap 30'],
  ])('%j', async (source, reason) => {
    const { facts, findings } = await judge(source);
    expect(facts['reason']).toBe(reason);
    expect(findings[0]?.message.startsWith(reason)).toBe(true);
    expect(reasonOf(findings[0]!)).toBe(reason);
  });

  it('come in the order of the categories, and by place', async () => {
    const source = "dns; eval; fs; exec; process; fetch; require('a'); other; return fetch";
    expect(await rulesOf(source)).toEqual([
      'module_import',
      'network_api',
      'network_api',
      'process_api',
      'process_execution_api',
      'filesystem_api',
      'dynamic_code_api',
      'low_level_network_module',
      'unknown_reference',
    ]);
  });

  it('say what a module would give beside that it is loaded', async () => {
    expect(await rulesOf("require('node:fs/promises')")).toEqual(['module_import', 'filesystem_api']);
    expect(await rulesOf("await import('tls')")).toEqual(['module_import', 'low_level_network_module']);
    expect(await rulesOf("require('lodash')")).toEqual(['module_import']);
  });

  it('hold no more of the code than a name', async () => {
    const { findings } = await judge(`return ${'x'.repeat(500)}`);
    expect(findings[0]?.message.length).toBeLessThan(200);
  });
});

describe('places', () => {
  it.each([
    ['return fetch(1)', 1, 8, [7, 12]],
    ['const a = 1;\n  return fetch(1)', 2, 10, [22, 27]],
    ['const a: number = 1;\r\nreturn fetch(1)', 2, 8, [29, 34]],
    ["const é = '🙂'; fetch(1)", 1, 17, [16, 21]],
    ['const o: { a: string } = { a: "" };\nconst b = o as unknown as number; eval(b)', 2, 35, [70, 74]],
  ])('%j', async (source, line, column, span) => {
    const { facts, findings } = await judge(source);
    expect(findings[0]?.message).toMatch(new RegExp(`\\(line ${line}, column ${column}\\)$`));
    expect(facts['violations']).toMatchObject([{ line, column }]);
    expect(findings[0]?.span).toEqual(span);
  });

  it('of an error lie in the text', async () => {
    for (const source of ['return (', 'return `', '{', '}); (async () => {']) {
      const { findings } = await judge(source);
      const [start, end] = findings[0]!.span!;
      expect([source, start >= 0, start <= end, end <= source.length]).toEqual([source, true, true, true]);
    }
  });
});

describe('TypeScript', () => {
  it.each([
    ['const a: number = 1; return a', 'const a         = 1; return a'],
    ['return (a as string)\nlet a', 'return (a          )\nlet a'],
    ['const a = b as any\n;(b)\nvar b', 'const a = b       \n;(b)\nvar b'],
    ['type A = 1\nreturn 1', ';         \nreturn 1'],
    ['const f = (a?: string) => a!; return f()', 'const f = (a         ) => a ; return f()'],
    ['return shop.get_order<{ id: 1 }>({})', 'return shop.get_order           ({})'],
  ])('%j runs as %j', async (source, text) => {
    const { rewritten, findings } = await judge(source);
    expect(findings).toEqual([]);
    expect(rewritten).toMatchObject({ kind: 'code', language: 'js', source: text });
    expect(text.length).toBe(source.length);
  });

  it('joins no statements that types held apart', async () => {
    const { rewritten: apart } = await judge('let b = 1\nconst c = b as number\n(b)\nreturn c');
    expect(apart?.source).toBe('let b = 1\nconst c = b;         \n(b)\nreturn c');
  });

  it.each([
    'enum A { b }',
    'namespace A { export const b = 1 }',
    'class A { constructor(private b: number) {} }',
    'class A implements B {}\ninterface B {}',
    'abstract class A {}',
  ])('refuses what is more than types: %s', async (source) => {
    expect(await rulesOf(source)).toEqual(['unreadable_code']);
  });

  it('is no JavaScript', async () => {
    expect(await rulesOf('const a: number = 1', { language: 'js', tools: [] })).toEqual(['unreadable_code']);
  });
});

describe('tools', () => {
  it('are those that the action names, by the names that code can have', async () => {
    expect(placeOf('my-server.list.items-v2')).toEqual({ namespace: 'my_server', name: 'list_items_v2' });
    expect(placeOf('1password.get')).toEqual({ namespace: '_1password', name: 'get' });
    const tools = ['my-server.list-items'];
    expect(await rulesOf('return my_server.list_items({})', { tools })).toEqual([]);
    expect(await rulesOf('return my_server.other({})', { tools })).toEqual(['tool_not_offered']);
    expect(await rulesOf('return github.list_issues({})', { tools: [] })).toEqual(['unknown_reference']);
  });

  it('are those that are registered with a server where the action names none', async () => {
    const registered = [
      { name: 'list', server: 'github' },
      { name: 'Bash' },
      { name: 'get_*', server: 'shop' },
    ];
    const of = async (source: string) =>
      (await judge(source, {}, { registered })).findings.map(({ rule }) => rule);
    expect(await of('return github.list({})')).toEqual([]);
    expect(await of('return shop.get_order({})')).toEqual([]);
    expect(await of('return github.drop({})')).toEqual(['tool_not_offered']);
    expect(await of('return Bash({})')).toEqual(['unknown_reference']);
  });

  it.each([
    ['github.list_issues({}); github.list_issues({})', 2, false],
    ['const g = github; const { list_issues: l } = g; l({}); g.create_issue({})', 2, false],
    ['github.list_issues.call(null, {})', 1, false],
    ['const o = { github: { a() {} } }; o.github.a()', 0, false],
    ['for (;;) search()', 1, true],
    ['for (let i = search(); ; ) i', 1, false],
    ['for (const a of await search()) a', 1, false],
    ['while (await search()) {}', 1, true],
    ['[1].map(github.list_issues)', 1, true],
    ['[1].forEach(async (id) => { await search({ id }) })', 1, true],
    ['const f = () => search(); [1].map(f)', 1, true],
    ['const f = () => search(); const g = () => f(); while (1) g()', 1, true],
    ['const f = () => search(); const g = () => [f(), f()]; g(); g()', 1, false],
    ['const f = (n) => n && f(search()); f(1)', 1, true],
    ['[1].map((id) => id); search()', 1, false],
  ])('%s is %i calls, repeated: %s', async (source, calls, unbounded) => {
    const { facts, findings } = await judge(source);
    expect(facts).toMatchObject({ calls, unbounded });
    const warned = findings.map(({ rule, decision }) => [rule, decision]);
    expect(warned).toEqual(unbounded ? [['unbounded_calls', 'warn']] : []);
  });
});

describe('what cannot be read', () => {
  it('is refused without a reader', async () => {
    for (const none of [undefined, { python: async () => null, javascript: async () => null }]) {
      const { findings } = await judge('return 1', {}, { readers: none });
      expect(findings).toMatchObject([{ rule: 'unreadable_code', decision: 'block' }]);
    }
  });

  it.each(['(', '[', '{', '!', '`${', 'a=>', 'if(1)', '-'])(
    'is refused where it nests too deeply: %s',
    async (piece) => {
      const source = piece.repeat(Math.floor(12_000 / piece.length));
      expect(await rulesOf(source)).toEqual(['unreadable_code']);
    },
  );

  it('costs no more steps than there are', async () => {
    await expect(judge('a();\n'.repeat(1000), {}, { steps: 100 })).rejects.toMatchObject({
      name: 'BudgetExceeded',
    });
  });
});

describe('invariants', () => {
  const word = fc.constantFrom(...'fetch eval process fs Function require globalThis constructor'.split(' '));

  it('a text, a comment and a property never trip', async () => {
    await fc.assert(
      fc.asyncProperty(word, async (name) => {
        const source = `// ${name}\nconst row = { "${name}": '${name}(1)' };\nreturn \`${name}\` + row`;
        expect(await rulesOf(source)).toEqual([]);
      }),
    );
  });

  it('a global is found whatever stands around it', async () => {
    const shapes = [
      'X',
      '(X)',
      '[X]',
      '({ a: X })',
      '`${X}`',
      '(() => X)',
      'f(X)',
      '{ let y = X }',
      'X?.a',
      'X`a`',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('fetch', 'eval', 'process', 'fs', 'Function', 'require'),
        fc.array(fc.constantFrom(...shapes), { minLength: 1, maxLength: 4 }),
        async (name, around) => {
          const inner = around.filter((shape) => !shape.startsWith('{'));
          const source = inner.reduce((text, shape) => shape.replace('X', () => text), name);
          expect((await rulesOf(`const f = (a) => a;\n${source}`)).length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('no text makes it pass or throw by accident', async () => {
    const pieces = [
      '});',
      '(async () => {',
      'fetch(1)',
      '//',
      '/*',
      '*/',
      '`',
      '\n',
      '${',
      '}',
      '{',
      ')',
      '(',
      'return ',
      '\u2028',
      '<!--',
      '-->',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), async (parts) => {
        const source = parts.join('');
        const { findings, facts } = await judge(source);
        const blocked = strongest(findings.map(({ decision }) => decision)) === 'block';
        expect(blocked).toBe(facts['reason'] !== undefined);
      }),
      { numRuns: 300 },
    );
  });
});

it('is one of the guards', () => {
  expect(guards.map(({ name }) => name)).toContain('code');
});

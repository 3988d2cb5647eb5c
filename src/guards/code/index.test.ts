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
    [
      'abstract class A<T> extends B<T> implements C<T>, D { abstract m(): void; n() {} }\nvar B = class {}; return 1',
    ],
    [
      'class A { private readonly x!: number; static override y?: string = "a"; declare z: 1; [k: string]: any }\nreturn 1',
    ],
    ['class A { m(a: string): void; m(a: number): void; m(a: any) { return a } }\nreturn new A().m(1)'],
    ['class A { a = 1\n  private ["b"] = 2\n  protected *c() {} }\nreturn 1'],
    ['function f(this: void, a: number) { return a } return f(1)'],
    ['let x!: number; x = 1; return x'],
    [
      'declare const a: number; declare namespace B { const c: 1 } namespace T { export type U = 1 }\nreturn 1',
    ],
    ['const f = <T,>(a: T): a is T & {} => true; return f<string>("a")'],
    ['type A = { [K in "a"]: K }; const a = { a: "a" } as const satisfies A; return a.a!'],
    ['function isText(a: unknown): asserts a is string {} return isText("a")'],
    ['abstract class A { private constructor() {} get b(): number { return 1 } accessor c = 1 }\nreturn 1'],
  ])('is erased: %s', async (source) => {
    const { rewritten, findings } = await judge(source);
    expect(findings).toEqual([]);
    expect(rewritten?.source.length).toBe(source.length);
  });

  it.each([
    [
      'enum A { B, C = 5, D, "e f" = C << 1 }\nreturn A',
      { 0: 'B', 5: 'C', 6: 'D', 10: 'e f', B: 0, C: 5, D: 6, 'e f': 10 },
    ],
    ['const enum A {\n  B = "b",\n  C = `c`,\n}\nreturn A', { B: 'b', C: 'c' }],
    ['enum A {}\nreturn A', {}],
    [
      'class A { constructor(private a: number, public readonly b = 2) {} }\nreturn { ...new A(1) }',
      { a: 1, b: 2 },
    ],
    [
      'class A {}\nclass B extends A { constructor(readonly a: number) { super() } }\nreturn { ...new B(1) }',
      { a: 1 },
    ],
    ['```ts\nconst a: number = 1;\nreturn a\n```', 1],
    ['```\nreturn 2\n```\n', 2],
    ['Here is the code:\n\n```ts\nconst a: number = 3;\nreturn a\n```\nIt returns 3.', 3],
    ['Code:\n```js\nreturn 7\n```', 7],
    ['/* As in\n```\nreturn 1\n```\n*/\nreturn 8', 8],
    ['import type { A } from "./a";\nimport { type B } from "./b";\nreturn 1 as A & B', 1],
    ['export type A = { a: 1 };\nexport interface B { b: 1 }\nreturn 1', 1],
    ['const a = 2;\na + 1', 3],
    ['async function main() { return 4 }\nmain();', 4],
    ['async () => { return 5 }', 5],
    ['(function () { return 6 })', 6],
    ['[1, 2].map((n) => {\n  return n * 2;\n})', [2, 4]],
    ['let a = 1;\na = 2', undefined],
    ['if (true) { return 1 }\n2', 1],
  ])('becomes what it means: %j', async (source, value) => {
    const { rewritten, findings } = await judge(source);
    expect(findings).toEqual([]);
    const text = rewritten?.source ?? source;
    expect(text.split('\n').length).toBe(source.split('\n').length);
    const run = new Function(`return (async () => {\n${text}\n})()`);
    expect(await run()).toEqual(value);
  });

  it.each([
    ['namespace A { export const b = 1 }', 'a namespace has no form in JavaScript'],
    ['@dec class A {}', 'decorators are not supported'],
  ])('has no form in JavaScript: %s', async (source, why) => {
    const { findings } = await judge(source);
    expect(findings.map(({ rule }) => rule)).toContain('unreadable_code');
    expect(findings.some(({ message }) => message.includes(why))).toBe(true);
  });

  it.each([
    ['enum A { B, C }; fetch(1)', 1, 18],
    ['class A { constructor(private b: number) {} } fetch(1)', 1, 47],
    ['const a = 1;\nfetch(a)', 2, 1],
    ['```js\nfetch(1)\n```', 2, 1],
    ['I fetch it:\n```js\nfetch(1)\n```', 3, 1],
  ])('tells where something is in what was written: %j', async (source, line, column) => {
    const { findings } = await judge(source);
    expect(findings[0]?.message).toContain(`(line ${line}, column ${column})`);
  });

  it.each([
    ['class A { @(fetch("http://a")) m() {} }\nreturn 1', 'network_api'],
    ['class A { m(@(eval("1")) a) {} }\nreturn 1', 'dynamic_code_api'],
    ['export default async function main() {}', 'module_import'],
    ['import { type A, b } from "./a"; return b', 'module_import'],
    ['import {} from "fs"; return 1', 'module_import'],
    ['The first:\n```js\nreturn 1\n```\nThe second:\n```js\nreturn 2\n```', 'unreadable_code'],
    ['export { a }; const a = 1', 'module_import'],
    ['const k = "constr" + "uctor"; return Reflect.get(() => 1, k)', 'dynamic_code_api'],
  ])('is refused by name: %s', async (source, rule) => {
    expect(await rulesOf(source)).toContain(rule);
  });

  it.each([
    'return typeof process',
    'return typeof window !== "undefined"',
    'return typeof globalThis.fetch',
    'return typeof require === "function" ? 1 : 2',
    'return "fetch" in globalThis',
  ])('may ask whether there is a name: %s', async (source) => {
    expect(await rulesOf(source)).toEqual([]);
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
    ['const f = () => search(); const g = () => [f(), f()]; g(); g()', 4, false],
    [`const f = () => search(); ${'f();'.repeat(31)}`, 31, false],
    [`const o = { github, n: { a() {} } }; o.n.a(); ${'o.github.list_issues({});'.repeat(31)}`, 31, false],
    [`const all = [github.list_issues]; ${'all[0]({});'.repeat(31)}`, 31, false],
    [`const all = { ...github }; ${'all.list_issues({});'.repeat(31)}`, 31, false],
    [`const [get] = Object.values(shop); ${'get({});'.repeat(31)}`, 31, false],
    [`const pick = true ? github : shop; ${'pick.list_issues({});'.repeat(31)}`, 31, false],
    ['const rows = [await search({})]; rows[0].a(); rows.map((row) => row.b())', 1, false],
    ['const f = (n) => n && f(search()); f(1)', 1, true],
    ['[1].map((id) => id); search()', 1, false],
  ])('%s is %i calls, repeated: %s', async (source, calls, unbounded) => {
    const { facts, findings } = await judge(source);
    expect(facts).toMatchObject({ calls, unbounded });
    const warned = findings
      .filter(({ rule }) => rule !== 'tool_call_count')
      .map(({ rule, decision }) => [rule, decision]);
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

// The texts of an action: which comes first, that none is left out, and what findings mark in each.

import { describe, expect, it } from 'vitest';
import {
  type ActionText,
  actionTexts,
  findingsFor,
  flaggedIn,
  marksIn,
  rowsIn,
  stringAt,
} from './action-text.ts';
import type { Finding } from './verdict.ts';

const finding = (pointer?: string, span?: readonly [number, number]): Finding => ({
  ...{ rule: 'a_rule', guard: 'command', decision: 'approve', message: 'why' },
  ...(pointer === undefined ? {} : { pointer }),
  ...(span === undefined ? {} : { span }),
});
const rows = (texts: readonly ActionText[]) => texts.map(({ pointer, text }) => [pointer, text]);
const tool = (input: Record<string, unknown>, more = {}) => ({
  ...{ kind: 'tool', tool: 'x', server: 's', arguments: input },
  ...more,
});

describe('the texts of an action', () => {
  it.each([
    [
      'a command',
      { kind: 'shell', cwd: '/w', command: 'ls' },
      [
        ['/command', 'ls'],
        ['/cwd', '/w'],
      ],
    ],
    [
      'a request',
      { kind: 'fetch', method: 'POST', url: 'https://a.example/', body: 'x' },
      [
        ['/url', 'https://a.example/'],
        ['/method', 'POST'],
        ['/body', 'x'],
      ],
    ],
    [
      'a request with a long body, its members sorted by name',
      {
        kind: 'fetch',
        body: 'x'.repeat(2000),
        headers: { a: 'b' },
        method: 'POST',
        url: 'https://a.example/',
      },
      [
        ['/url', 'https://a.example/'],
        ['/method', 'POST'],
        ['/headers', '{"a":"b"}'],
        ['/body', 'x'.repeat(2000)],
      ],
    ],
    [
      'a tool that sends a text somewhere',
      tool({ fields: 'f\n'.repeat(9), id: 7, text: 'x'.repeat(300), url: 'https://a.example/' }),
      [
        ['/arguments/url', 'https://a.example/'],
        ['/arguments/id', '7'],
        ['/arguments/fields', 'f\n'.repeat(9)],
        ['/arguments/text', 'x'.repeat(300)],
      ],
    ],
    [
      'a query',
      { kind: 'query', target: 't', language: 'sql', text: 'SELECT 1', variables: { a: 1 } },
      [
        ['/text', 'SELECT 1'],
        ['/target', 't'],
        ['/language', 'sql'],
        ['/variables', '{"a":1}'],
      ],
    ],
    [
      'a write',
      { kind: 'write', content: 'x', path: 'a' },
      [
        ['/path', 'a'],
        ['/content', 'x'],
      ],
    ],
    [
      'code',
      { kind: 'code', language: 'ts', source: 'f()', tools: ['a.b', 'c d'] },
      [
        ['/source', 'f()'],
        ['/language', 'ts'],
        ['/tools', "a.b 'c d'"],
      ],
    ],
    [
      'a tool that runs a command',
      tool({ description: 'd', timeout: 5, command: 'ls' }),
      [
        ['/arguments/command', 'ls'],
        ['/arguments/description', 'd'],
        ['/arguments/timeout', '5'],
      ],
    ],
    [
      'a program with its arguments',
      tool({ command: ['bash', '-lc', 'a\nb'] }),
      [['/arguments/command', "bash -lc 'a\nb'"]],
    ],
    [
      'a tool with no telling name',
      tool({ limit: 3, to: 'ann', deep: { a: null } }),
      [
        ['/arguments/to', 'ann'],
        ['/arguments/limit', '3'],
        ['/arguments/deep', '{"a":null}'],
      ],
    ],
    [
      'texts of several lines inside',
      tool({ path: 'p', edits: [{ old: 'a\nb', n: 1 }] }),
      [
        ['/arguments/path', 'p'],
        ['/arguments/edits/0/old', 'a\nb'],
        ['/arguments/edits/0/n', '1'],
      ],
    ],
    ['a name with a slash', tool({ 'a/b~c': 'x' }), [['/arguments/a~1b~0c', 'x']]],
    ['no arguments', { kind: 'tool', tool: 'x' }, []],
    [
      'arguments that hold nothing',
      tool({ a: [], b: {}, c: '' }),
      [
        ['/arguments/c', ''],
        ['/arguments/a', '[]'],
        ['/arguments/b', '{}'],
      ],
    ],
  ] as const)('of %s', (_, action, expected) => {
    expect(rows(actionTexts({ ...action, justification: 'because' }))).toEqual(expected);
  });

  it('says where an action starts, unless that is the workspace', () => {
    const action = { kind: 'shell', command: 'ls', cwd: '/w' };
    expect(rows(actionTexts(action, [], '/w'))).toEqual([['/command', 'ls']]);
    expect(rows(actionTexts(action, [], '/'))).toEqual([
      ['/command', 'ls'],
      ['/cwd', '/w'],
    ]);
  });

  it('begins with the one that is asked about where no name tells', () => {
    const action = tool({ first: 'a', second: 'b' });
    expect(rows(actionTexts(action, [finding('/arguments/second')]))[0]).toEqual(['/arguments/second', 'b']);
  });

  it('reads files that change together file by file', () => {
    const edits = [{ old: 'a', new: 'b' }];
    const changes = [
      { op: 'edit', path: 'ci.yml', edits },
      { op: 'delete', path: 'old.ts' },
    ];
    expect(actionTexts({ kind: 'write', changes }).map(({ pointer }) => pointer)).toEqual([
      '/changes/0/op',
      '/changes/0/path',
      '/changes/0/edits/0/old',
      '/changes/0/edits/0/new',
      '/changes/1/op',
      '/changes/1/path',
    ]);
  });

  it('parts what a finding points into', () => {
    const action = tool({ path: 'p', list: ['a', 'b'] });
    expect(rows(actionTexts(action, [finding('/arguments/list/1', [0, 1])]))).toEqual([
      ['/arguments/path', 'p'],
      ['/arguments/list/0', 'a'],
      ['/arguments/list/1', 'b'],
    ]);
  });
});

describe('what findings mark', () => {
  const command: ActionText = {
    pointer: '/arguments/command',
    name: 'command',
    text: '0123456789',
    exact: true,
  };
  it.each([
    ['a span of this text', [finding('/arguments/command', [2, 4])], [[2, 4]]],
    ['nothing by a span of another text', [finding('/arguments/description', [2, 4])], []],
    ['nothing by a span of a text around it', [finding('/arguments', [2, 4]), finding('', [2, 4])], []],
    ['nothing by a span that points nowhere', [finding(undefined, [2, 4])], []],
    ['nothing without a span', [finding('/arguments/command')], []],
    ['nothing outside of the text', [finding('/arguments/command', [2, 11])], []],
    [
      'nothing empty or turned around',
      [finding('/arguments/command', [3, 3]), finding('/arguments/command', [4, 2])],
      [],
    ],
    [
      'overlaps once',
      [
        finding('/arguments/command', [5, 7]),
        finding('/arguments/command', [1, 3]),
        finding('/arguments/command', [2, 6]),
      ],
      [[1, 7]],
    ],
  ] as const)('%s', (_, findings, expected) => {
    expect(marksIn(command, findings)).toEqual(expected);
  });

  it('is nothing in a text that is not the string itself', () => {
    expect(marksIn({ ...command, exact: false }, [finding('/arguments/command', [2, 4])])).toEqual([]);
  });
});

it('names what findings that ask point at, each once', () => {
  const action = { kind: 'shell', command: 'a; rm b; rm b' };
  const noted: Finding = { ...finding('/command', [0, 1]), decision: 'warn' };
  const findings = [finding('/command', [3, 7]), finding('/command', [9, 13]), noted, finding('/command')];
  expect(flaggedIn(action, findings)).toEqual(['rm b']);
  expect(flaggedIn(action, [finding('/other', [0, 1]), finding('/command', [50, 60])])).toEqual([]);
});

it('counts rows', () => {
  expect([rowsIn('', 80), rowsIn('a\nb', 80), rowsIn(`${'x'.repeat(161)}\n`, 80)]).toEqual([1, 2, 4]);
});

it('finds strings by their pointers, and nothing else', () => {
  const value = { a: ['x', { 'b/c': 'y' }], n: 1 };
  expect(
    ['/a/0', '/a/1/b~1c', '/n', '/a', '', '/a/7', '/constructor/name'].map((at) => stringAt(value, at)),
  ).toEqual(['x', 'y', undefined, undefined, undefined, undefined, undefined]);
});

it('drops the span of a string that was rewritten', () => {
  const [before, after] = [
    { url: 'HTTPS://A.example/', body: 'x' },
    { url: 'https://a.example/', body: 'x' },
  ];
  const findings = [finding('/url', [8, 17]), finding('/body', [0, 1]), finding('/url')];
  expect(findingsFor(findings, before, after)).toEqual([
    finding('/url'),
    finding('/body', [0, 1]),
    finding('/url'),
  ]);
  expect(findingsFor(findings, before, before)).toEqual(findings);
});

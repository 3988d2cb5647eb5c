// Tests of names in code: each tool has one that code can write, and no two tools have the same.

import fc from 'fast-check';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { codeTools } from './names.ts';

function namesOf(...tools: readonly (readonly [string, string])[]): Record<string, string> {
  const made = codeTools(tools.map(([server, name]) => ({ server, name, description: '', inputSchema: {} })));
  return Object.fromEntries(made.map(({ name, tool }) => [`${tool.server} ${tool.name}`, name]));
}

describe('a name', () => {
  it.each([
    ['github', 'list_issues', 'github.list_issues'],
    ['my-server', 'list-issues', 'my_server.list_issues'],
    ['a.b', 'c.d/e', 'a_b.c_d_e'],
    ['7zip', '1', '_7zip._1'],
    ['delete', 'delete', 'delete_.delete_'],
    ['Math', 'constructor', 'Math_.constructor_'],
    ['globalThis', 'then', 'globalThis_.then_'],
    ['top', '__proto__', 'top_.__proto___'],
    ['fetch', 'fetch', 'fetch.fetch'],
  ])('of %s %s is %s', (server, tool, name) => {
    expect(Object.values(namesOf([server, tool]))).toEqual([name]);
  });

  it('is not taken from a tool that has it already', () => {
    expect(namesOf(['my-db', 'a-b'], ['my_db', 'a'], ['my-db', 'a_b'], ['my.db', 'x'])).toEqual({
      'my_db a': 'my_db.a',
      'my-db a-b': 'my_db_2.a_b_2',
      'my-db a_b': 'my_db_2.a_b',
      'my.db x': 'my_db_3.x',
    });
  });

  it('is the same for the same tools in any order, and two servers keep the same names apart', () => {
    const tools = [
      ['a', 'get'],
      ['b', 'get'],
      ['b-', 'get'],
      ['b', 'set'],
    ] as const;
    const names = namesOf(...tools);
    expect(namesOf(...tools.toReversed())).toEqual(names);
    expect(new Set(Object.values(names)).size).toBe(tools.length);
  });

  it('can be called in code, and is nobody else’s', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('await', 'a', 'a_', 'a-', 'a_2', 'then', ''),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part), { maxLength: 12 }), (pairs) => {
        const names = namesOf(...pairs);
        expect(new Set(Object.values(names)).size).toBe(
          new Set(pairs.map(([a, b]) => JSON.stringify([a, b]))).size,
        );
        const calls = Object.values(names).map((name) => `await ${name}({});`);
        const { program, errors } = parseSync('a.js', `async () => { "use strict"; ${calls.join('')} }`);
        expect([errors, program.body.length]).toEqual([[], 1]);
      }),
    );
  });
});

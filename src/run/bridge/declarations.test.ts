// Tests of declarations: what they say of a schema, and that nothing in a schema makes them anything else.

import fc from 'fast-check';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import type { UpstreamTool } from '../mcp/index.ts';
import { declarationOf } from './declarations.ts';
import { codeTools } from './names.ts';

function declared(inputSchema: JsonObject, more: Partial<UpstreamTool> = {}): string {
  const [tool] = codeTools([{ server: 'shop', name: 'get', description: '', inputSchema, ...more }]);
  if (tool === undefined) throw new Error('no tool');
  return declarationOf(tool);
}

function inputOf(inputSchema: JsonObject): string {
  const text = declared(inputSchema);
  return text.slice(text.indexOf('input') + 5, text.lastIndexOf('): Promise<')).replace(/\s+/g, ' ');
}

/** The statements of the namespace that a text declares, by their types; throws where it declares anything else. */
function statementsOf(text: string): string[] {
  const { program, errors } = parseSync('a.d.ts', text);
  expect(errors.map(({ message }) => message)).toEqual([]);
  expect(program.body.map(({ type }) => type)).toEqual(['TSModuleDeclaration']);
  const [module] = program.body;
  if (module?.type !== 'TSModuleDeclaration' || module.body?.type !== 'TSModuleBlock')
    throw new Error('no body');
  return module.body.body.map(({ type }) => type);
}

const text = { type: 'string' };

describe('a type', () => {
  it.each<[JsonObject, string]>([
    [{}, '?: unknown'],
    [{ type: 'object' }, '?: { [key: string]: unknown; }'],
    [{ type: 'object', additionalProperties: false }, '?: {}'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, '?: { [key: string]: number; }'],
    [{ properties: { a: text, b: { type: 'integer' } }, required: ['a'] }, ': { a: string; b?: number; }'],
    [{ properties: { a: text }, additionalProperties: text }, '?: { a?: string; [key: string]: unknown; }'],
    [{ properties: { a: { enum: ['x', 1, null, true] } } }, '?: { a?: "x" | 1 | null | true; }'],
    [{ properties: { a: { const: -1.5 } } }, '?: { a?: -1.5; }'],
    [{ properties: { a: { enum: [] } } }, '?: { a?: never; }'],
    [{ properties: { a: { type: ['string', 'null'] } } }, '?: { a?: string | null; }'],
    [{ properties: { a: { type: 'string', nullable: true } } }, '?: { a?: string | null; }'],
    [{ properties: { a: { type: 'array', items: text } } }, '?: { a?: Array<string>; }'],
    [{ properties: { a: { type: 'array' } } }, '?: { a?: Array<unknown>; }'],
    [{ properties: { a: { prefixItems: [text] } } }, '?: { a?: [string, ...Array<unknown>]; }'],
    [{ properties: { a: { type: 'array', items: [] } } }, '?: { a?: Array<unknown>; }'],
    [{ properties: { a: { anyOf: [text, { type: 'number' }] } } }, '?: { a?: string | number; }'],
    [{ properties: { a: { anyOf: [text, {}] } } }, '?: { a?: unknown; }'],
    [
      { allOf: [{ properties: { a: text } }, { anyOf: [{ const: 1 }, { const: 2 }] }] },
      '?: { a?: string; } & (1 | 2)',
    ],
    [
      { properties: { 'a-b': text, '"': text, class: text } },
      '?: { "a-b"?: string; "\\""?: string; class?: string; }',
    ],
    [{ properties: { a: false, b: true } }, '?: { a?: never; b?: unknown; }'],
    [{ properties: { a: { type: 'date' } } }, '?: { a?: unknown; }'],
    [{ properties: { a: { $ref: 'https://example.com/schema.json' } } }, '?: { a?: unknown; }'],
    [{ properties: { a: { $ref: '#/$defs/gone' } } }, '?: { a?: unknown; }'],
    [{ properties: { a: { $ref: '#/%zz' } } }, '?: { a?: unknown; }'],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '?: unknown'],
    [{ $ref: '#/$defs/a', $defs: { a: { required: ['x'], properties: { x: text } } } }, ': get.a'],
  ])('of %j', (schema, expected) => {
    expect(inputOf(schema)).toBe(expected);
    statementsOf(declared(schema));
  });

  it('that speaks of itself has a name, and so has one that stands in many places', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, top: { $ref: '#' } } };
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/Node' } }, $defs: { Node: node } };
    const out = declared(schema, {
      outputSchema: { $ref: '#/definitions/Node', definitions: { Node: node } },
    });
    expect(statementsOf(out)).toEqual(['TSModuleDeclaration', 'TSDeclareFunction']);
    expect(out.replace(/\s+/g, ' ')).toContain('type Node = { next?: get.Node; top?: get.Input; };');
    expect(out.replace(/\s+/g, ' ')).toContain('type Node_2 = {');
    expect(out).toContain('): Promise<get.Node_2>');
  });

  it('of a result is unknown where the server does not tell it', () => {
    expect(declared({})).toContain('): Promise<unknown>');
    expect(declared({}, { outputSchema: { type: 'object', properties: { n: { type: 'number' } } } })).toMatch(
      /Promise<\{\s+n\?: number;\s+\}>/,
    );
  });
});

describe('a description', () => {
  it.each([
    ['Gets an order.', '/** Gets an order. */'],
    ['One.\n\nTwo.', '/**\n   * One.\n   * Two.\n   */'],
    ['x */ declare const evil: 1; /* y', '/** x * / declare const evil: 1; /* y */'],
    ['ends in *', '/** ends in * */'],
    ['a\u2028b\u202ec', '/**\n   * a\n   * b\\u{202e}c\n   */'],
  ])('%j stays a comment', (description, expected) => {
    const out = declared({}, { description });
    expect(out).toContain(expected);
    expect(statementsOf(out)).toEqual(['TSDeclareFunction']);
  });

  it('of a property stays one too', () => {
    const out = declared({ properties: { a: { type: 'string', description: '*/ }; evil(): void; /*' } } });
    expect(out.replace(/\s+/g, ' ')).toContain('{ /** * / }; evil(): void; /* */ a?: string; }');
    expect(statementsOf(out)).toEqual(['TSDeclareFunction']);
  });
});

describe('a declaration', () => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key_${index}`, text]));
  let deep: JsonObject = text;
  for (let level = 0; level < 2000; level++) deep = { properties: { a: deep, b: deep } };

  it.each<[string, JsonObject]>([
    ['wide', { properties: wide }],
    ['deep', deep],
    ['full of choices', { anyOf: Array.from({ length: 5000 }, (_, index) => ({ const: index })) }],
    [
      'full of long texts',
      { properties: { a: { enum: Array.from({ length: 60 }, (_, n) => `${n}`.repeat(190)) } } },
    ],
    ['full of long keys', { properties: { ['k'.repeat(100_000)]: text, a: text } }],
    [
      'full of references',
      {
        properties: Object.fromEntries(
          Array.from({ length: 2000 }, (_, n) => [`p${n}`, { $ref: `#/$defs/d${n}` }] as const),
        ),
        $defs: Object.fromEntries(
          Array.from(
            { length: 2000 },
            (_, n) => [`d${n}`, { properties: { a: { $ref: `#/$defs/d${n + 1}` } } }] as const,
          ),
        ),
      },
    ],
  ])('of a schema that is %s is short and readable', (_, schema) => {
    const out = declared(schema, { description: 'd'.repeat(16_000) });
    expect(out.length).toBeLessThan(8001);
    statementsOf(out);
  });

  it('says how much of an object it leaves out, and leaves out nothing that a call needs', () => {
    expect(declared({ properties: wide, required: ['key_4999'] })).toContain('  key_4999: string;');
    expect(declared({ properties: wide })).toMatch(/… and \d+ more \*\/\s+\[key: string\]: unknown;/);
  });

  it('is one of this tool alone, whatever the server says', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'type',
        'object',
        'string',
        'array',
        'null',
        '#',
        '#/$defs/a',
        '*/',
        'a.b',
        '',
        '__proto__',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    const key = fc.oneof(
      fc.constantFrom(
        'type',
        'properties',
        'required',
        'items',
        'enum',
        'const',
        'anyOf',
        'oneOf',
        'allOf',
        '$ref',
      ),
      fc.constantFrom('$defs', 'additionalProperties', 'prefixItems', 'nullable', 'description', 'a'),
      word,
    );
    const { schema } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.double(),
        fc.constantFrom(null, true, false),
        fc.array(tie('value'), { maxLength: 4 }),
        tie('schema'),
      ),
      schema: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    }));
    fc.assert(
      fc.property(schema, schema, word, word, word, (input, output, description, server, name) => {
        const [tool] = codeTools([
          {
            server: server as string,
            name: name as string,
            description: description as string,
            inputSchema: input as JsonObject,
            outputSchema: output as JsonObject,
          },
        ]);
        if (tool === undefined) throw new Error('no tool');
        const out = declarationOf(tool);
        expect(out.length).toBeLessThan(8001);
        const statements = statementsOf(out);
        expect([statements.length < 3, statements.at(-1)]).toEqual([true, 'TSDeclareFunction']);
      }),
      { numRuns: 200 },
    );
  });
});

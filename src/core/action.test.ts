// Reading actions: an example and the refusals of each kind, and the schema beside them.

import { describe, expect, test } from 'vitest';
import { type Kind, kinds, readAction } from './action.ts';
import { InputError } from './errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { actionSchema, toWire, verdictSchema } from './wire.ts';

const examples: Record<Kind, JsonObject[]> = {
  prompt: [
    { text: 'hello' },
    { text: '', origin: 'file' },
    { text: 'a', origin: 'tool', name: 'read_page' },
    { contentBase64: 'AA==', origin: 'image', name: 'a.png' },
  ],
  response: [{ text: 'hello' }],
  tool: [{ tool: 'send_email' }, { tool: 'a', server: 'mail', arguments: { to: ['x'], n: 1 } }],
  shell: [{ command: 'ls' }, { command: '', cwd: '/w' }],
  python: [{ source: 'print(1)' }, { source: '', cwd: '.' }],
  code: [{ source: '1' }, { language: 'ts', source: '1', tools: ['github.list_issues'] }],
  query: [{ target: 'shop', language: 'graphql', text: '{ me { name } }', variables: { a: null } }],
  read: [{ path: 'src/a.ts' }],
  write: [
    { path: 'a', content: '' },
    { path: 'a', contentBase64: 'AA==' },
    { changes: [{ op: 'rename', path: 'a', to: 'b' }] },
  ],
  fetch: [
    { url: 'https://example.com/' },
    { url: 'x', method: 'post', headers: { accept: '*/*' }, body: 'b' },
  ],
};

const all = kinds.flatMap((kind) => examples[kind].map((body): [Kind, JsonObject] => [kind, body]));

describe('readAction', () => {
  test.each(all)('reads a %s: %j', (kind, body) => {
    expect(readAction({ kind, ...body })).toEqual({ action: { kind, ...body } });
  });

  test.each(all)('takes id, context and justification apart from a %s: %j', (kind, body) => {
    const context = { session: 's', agent: 'a', workspace: '/w', mode: 'plan' };
    expect(readAction({ kind, id: 7, context, justification: 'why', ...body })).toEqual({
      id: 7,
      context,
      action: { kind, justification: 'why', ...body },
    });
  });

  test.each(all)('refuses an unknown key in a %s: %j', (kind, body) => {
    expect(() => readAction({ kind, ...body, nonsense: 1 })).toThrow('unknown key "nonsense"');
  });

  test.each<[unknown, string, string | undefined]>([
    [null, 'an action is a JSON object', undefined],
    [[], 'an action is a JSON object', undefined],
    ['shell', 'an action is a JSON object', undefined],
    [{}, '"kind" is missing', '/kind'],
    [{ kind: 1 }, '"kind" is missing', '/kind'],
    [{ kind: 'shel' }, 'unknown kind "shel"', '/kind'],
    [{ kind: 'toString' }, 'unknown kind "toString"', '/kind'],
    [{ kind: '__proto__' }, 'unknown kind "__proto__"', '/kind'],
    [{ kind: 'shell' }, '"command" is missing', ''],
    [{ kind: 'shell', command: 1 }, 'must be text', '/command'],
    [{ kind: 'prompt' }, 'exactly one of "text" and "contentBase64"', undefined],
    [{ kind: 'prompt', text: '', contentBase64: '', origin: 'file' }, 'exactly one of "text"', undefined],
    [{ kind: 'prompt', contentBase64: 'AA==' }, '"origin" of a file is', '/origin'],
    [{ kind: 'prompt', contentBase64: 'AA==', origin: 'user' }, '"origin" of a file is', '/origin'],
    [{ kind: 'shell', command: 'ls', cwd: '' }, 'must not be empty', '/cwd'],
    [{ kind: 'shell', command: '\ud800' }, 'lone surrogate', '/command'],
    [{ kind: 'prompt', text: 'a', origin: 'web' }, 'must be one of user, tool, file, image', '/origin'],
    [{ kind: 'tool', tool: '' }, 'must not be empty', '/tool'],
    [{ kind: 'tool', tool: 'a', arguments: [] }, 'must be a table', '/arguments'],
    [{ kind: 'tool', tool: 'a', arguments: { a: undefined } }, 'must be a JSON value', '/arguments/a'],
    [{ kind: 'query', target: 'a', language: 'xml', text: '' }, 'must be one of', '/language'],
    [{ kind: 'read', path: 'a'.repeat(4097) }, 'at most 4096', '/path'],
    [{ kind: 'fetch', url: '' }, 'must not be empty', '/url'],
    [{ kind: 'fetch', url: 'a', method: 'GET /' }, 'must be an HTTP method', '/method'],
    [{ kind: 'fetch', url: 'a', headers: { a: 1 } }, 'must be text', '/headers/a'],
    [{ kind: 'write', path: 'a' }, 'exactly one of', undefined],
    [{ kind: 'write', path: 'a', content: '', contentBase64: '' }, 'exactly one of', undefined],
    [{ kind: 'write', content: '' }, '"path" is missing', '/path'],
    [{ kind: 'write', changes: [{ op: 'make', path: 'a' }] }, 'must be one of', '/changes/0/op'],
    [{ kind: 'read', path: 'a', id: 1.5 }, 'must be a whole number', '/id'],
    [{ kind: 'read', path: 'a', context: { user: 'root' } }, 'unknown key "user"', '/context/user'],
    [{ kind: 'read', path: 'a', context: { tenant: 'a' } }, 'unknown key "tenant"', '/context/tenant'],
    [{ kind: 'read', path: 'a', context: { mode: 'yolo' } }, 'must be one of', '/context/mode'],
    [{ kind: 'read', path: 'a', justification: 1 }, 'must be text', '/justification'],
  ])('refuses %j', (value, message, pointer) => {
    let thrown: unknown;
    try {
      readAction(value);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InputError);
    expect(thrown).toMatchObject({ message: expect.stringContaining(message), pointer });
  });

  test('names the nearest kind, or all of them', () => {
    expect(() => readAction({ kind: 'shel' })).toThrow(
      expect.objectContaining({ hint: 'did you mean "shell"?' }),
    );
    expect(() => readAction({ kind: 'nonsense' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('prompt, response, tool') }),
    );
  });
});

/** As much of JSON Schema as the wire uses. */
function fits(schema: JsonValue | undefined, value: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  for (const [word, rule] of Object.entries(schema)) {
    const check = words[word];
    if (check === undefined) throw new Error(`the check does not know "${word}"`);
    if (!check(rule, value, schema)) return false;
  }
  return true;
}

const types: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
  null: (value) => value === null,
};

const items = (rule: JsonValue): readonly JsonValue[] => (Array.isArray(rule) ? rule : [rule]);
const size = (value: unknown) => (typeof value === 'string' || Array.isArray(value) ? value.length : 0);

const words: Record<string, (rule: JsonValue, value: unknown, schema: JsonObject) => boolean> = {
  $schema: () => true,
  title: () => true,
  description: () => true,
  format: () => true,
  type: (rule, value) => items(rule).some((name) => types[String(name)]?.(value) ?? false),
  enum: (rule, value) => items(rule).some((word) => word === value),
  oneOf: (rule, value) => items(rule).filter((schema) => fits(schema, value)).length === 1,
  anyOf: (rule, value) => items(rule).some((schema) => fits(schema, value)),
  properties: (rule, value) =>
    !isJsonObject(value) ||
    !isJsonObject(rule) ||
    Object.entries(value).every(([key, member]) => !(key in rule) || fits(rule[key], member)),
  required: (rule, value) => isJsonObject(value) && items(rule).every((key) => String(key) in value),
  additionalProperties: (rule, value, schema) =>
    !isJsonObject(value) ||
    Object.entries(value).every(([key, member]) => {
      const known = isJsonObject(schema['properties']) && key in schema['properties'];
      return known || (rule !== false && fits(rule, member));
    }),
  items: (rule, value) => !Array.isArray(value) || value.every((member) => fits(rule, member)),
  pattern: (rule, value) => typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
  minLength: (rule, value) => typeof value !== 'string' || size(value) >= Number(rule),
  maxLength: (rule, value) => typeof value !== 'string' || size(value) <= Number(rule),
  minItems: (rule, value) => !Array.isArray(value) || size(value) >= Number(rule),
  maxItems: (rule, value) => !Array.isArray(value) || size(value) <= Number(rule),
  minimum: (rule, value) => typeof value !== 'number' || value >= Number(rule),
  maximum: (rule, value) => typeof value !== 'number' || value <= Number(rule),
};

describe('the schema of the wire', () => {
  test.each(all)('takes a %s: %j', (kind, body) => {
    expect(fits(actionSchema, { kind, ...body })).toBe(true);
    expect(fits(actionSchema, { kind, id: 'x', context: { mode: 'auto' }, ...body })).toBe(true);
  });

  test.each(all)('refuses an unknown key in a %s: %j', (kind, body) => {
    expect(fits(actionSchema, { kind, ...body, nonsense: 1 })).toBe(false);
  });

  test.each([
    [{ kind: 'shel', command: 'ls' }],
    [{ kind: 'shell' }],
    [{ kind: 'shell', command: 1 }],
    [{ kind: 'fetch', url: '' }],
    [{ kind: 'read', path: 'a', context: { user: 'root' } }],
  ])('refuses %j', (value) => {
    expect(fits(actionSchema, value)).toBe(false);
  });

  test('takes a verdict as it is written there', () => {
    const verdict = {
      decision: 'approve',
      findings: [
        { rule: 'r', guard: 'fetch', decision: 'approve', message: 'm', span: [0, 1], confidence: 1 },
        { rule: 'r', guard: 'path', decision: 'warn', message: 'm', layer: 2 },
      ],
      explanation: 'e',
      action: { kind: 'read', path: 'a' },
      decisionId: 'd',
      approval: { id: 'a', expiresAt: '2026-01-01T00:00:00.000Z', how: 'h' },
    } as const;
    expect(fits(verdictSchema, verdict)).toBe(true);
    expect(fits(verdictSchema, toWire(verdict, 3))).toBe(true);
    expect(fits(verdictSchema, { ...verdict, decision: 'allow' })).toBe(false);
  });
});

test('toWire puts the id in front, and leaves it out where there is none', () => {
  const verdict = {
    decision: 'pass',
    findings: [],
    explanation: '',
    action: { kind: 'read', path: 'a' },
    decisionId: 'd',
    approval: null,
  } as const;
  expect(Object.keys(toWire(verdict, 0))[0]).toBe('id');
  expect('id' in toWire(verdict)).toBe(false);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, type JsonObject } from '../../../core/index.ts';
import { CallReader, readCalls } from './index.ts';

const budget = () => new Budget(2_000_000);
const calls = (text: string) =>
  readCalls(text, budget()).map(({ tool, arguments: given }): [string, JsonObject] => [tool, given]);

/** Every form, as a text that holds one call of `run` with these arguments, or what is said instead. */
type Form = readonly [what: string, text: string, ...calls: (readonly [string, JsonObject])[]];
const forms: readonly Form[] = [
  [
    'an OpenAI message',
    '{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":"{\\"a\\":1}"}}]}',
    ['run', { a: 1 }],
  ],
  [
    'an OpenAI answer',
    '{"choices":[{"message":{"tool_calls":[{"function":{"name":"run","arguments":"{}"}}]}}]}',
    ['run', {}],
  ],
  ['an old OpenAI call', '{"function_call":{"name":"run","arguments":"{\\"a\\":1}"}}', ['run', { a: 1 }]],
  [
    'a call of the Responses API',
    '{"type":"function_call","name":"run","arguments":"{\\"a\\":1}"}',
    ['run', { a: 1 }],
  ],
  ['an Anthropic block', '{"type":"tool_use","id":"t1","name":"run","input":{"a":1}}', ['run', { a: 1 }]],
  [
    'a list of calls',
    '[{"name":"run","arguments":{"a":1}},{"name":"walk","arguments":{}}]',
    ['run', { a: 1 }],
    ['walk', {}],
  ],
  ['one with parameters', '{"name": "run", "parameters": {"a": 1}}', ['run', { a: 1 }]],
  ['one with a tool', '{"tool": "run", "tool_input": {"a": 1}}', ['run', { a: 1 }]],
  ['one with an action', '{"action": "run", "action_input": "fast"}', ['run', { input: 'fast' }]],
  [
    'parallel ones',
    '{"tool_uses":[{"recipient_name":"functions.run","parameters":{"a":1}}]}',
    ['run', { a: 1 }],
  ],
  [
    'Hermes',
    'Let me see.\n<tool_call>\n{"name": "run", "arguments": {"a": 1}}\n</tool_call>',
    ['run', { a: 1 }],
  ],
  ['Mistral', '[TOOL_CALLS] [{"name": "run", "arguments": {"a": 1}}]', ['run', { a: 1 }]],
  ['Llama', '<|python_tag|>{"name": "run", "parameters": {"a": 1}}', ['run', { a: 1 }]],
  ['Llama with a tag', '<function=run>{"a": 1}</function>', ['run', { a: 1 }]],
  [
    'Qwen',
    '<tool_call>\n<function=run>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nls -l\n</parameter>\n</function>\n</tool_call>',
    ['run', { a: 1, b: 'ls -l' }],
  ],
  [
    'GLM',
    '<tool_call>run\n<arg_key>a</arg_key>\n<arg_value>[1]</arg_value>\n</tool_call>',
    ['run', { a: [1] }],
  ],
  [
    'Anthropic tags',
    'I will look.\n<function_calls>\n<invoke name="run">\n<parameter name="a">1</parameter>\n<parameter name="b">x < y</parameter>\n</invoke>\n<invoke name="walk">\n</invoke>\n</function_calls>',
    ['run', { a: 1, b: 'x < y' }],
    ['walk', {}],
  ],
  [
    'tags with a prefix',
    '<x:invoke name="run"><x:parameter name="a">no</x:parameter></x:invoke>',
    ['run', { a: 'no' }],
  ],
  ['a tag that does not end', '<invoke name="run"><parameter name="a">rm -r', ['run', { a: 'rm -r' }]],
  [
    'fenced JSON at the end',
    'So:\n```json\n{"name": "run", "arguments": {"a": 1}}\n```\n',
    ['run', { a: 1 }],
  ],
  ['a fence that does not end', '```\n{"name": "run", "arguments": {"a": 1}}', ['run', { a: 1 }]],
  ['ReAct', 'Thought: I run.\nAction: run\nAction Input: {"a": 1}\nObservation: done', ['run', { a: 1 }]],
  ['ReAct with text', 'Action: run\nAction Input: rm -rf /', ['run', { input: 'rm -rf /' }]],
  [
    'ReAct with lines of JSON',
    'Action: run\nAction Input: {\n  "a":\n\n  1\n}\n\nThat is all.',
    ['run', { a: 1 }],
  ],
  ['ReAct in bold', '**Action:** run\n**Action Input:** {"a": 1}', ['run', { a: 1 }]],
  ['ReAct in one line', 'Action 1: run[fast]\nObservation 1:', ['run', { input: 'fast' }]],
  ['ReAct as a function', 'Action: run(a=1, b="x")', ['run', { a: 1, b: 'x' }]],
  [
    'Python',
    "[run(a=1, b='it\\'s', c=[True, None, {'d': -2.5}]), walk()]",
    ['run', { a: 1, b: "it's", c: [true, null, { d: -2.5 }] }],
    ['walk', {}],
  ],
  ['JSON behind broken JSON', '{"a": {"b" {"name": "run", "arguments": {}}', ['run', {}]],
  ['JSON with text around it', 'I call {"name": "run", "arguments": {"a": "}"}} now.', ['run', { a: '}' }]],
];

const harmless: readonly (readonly [string, string])[] = [
  ['prose', 'The next action: run the tests. Action: none'],
  ['an action that is no call', 'Action: run\nThen we go home.'],
  [
    'a definition',
    '{"type":"function","function":{"name":"run","description":"Runs.","parameters":{"type":"object","properties":{}}}}',
  ],
  ['data with a name', '{"name": "Ann", "age": 5, "tags": ["input"]}'],
  ['package.json', '{"name": "app", "scripts": {"test": "vitest"}, "dependencies": {}}'],
  ['code', 'function run(a) { return [a, { name: "run" }]; }'],
  ['a list in Python', '[run(1), walk(x)]'],
  ['a slice of Python', '[x for x in run(a=1)]'],
  ['code in a line', 'Write `{"name": "run", "arguments": {}}` to run.'],
  ['tags in the code of a line', 'Write `<x:invoke name="run"></x:invoke>` to run.'],
  ['code in a line, behind a value that never ends', 'See `{"x `{"name":"run","arguments":{}}` and "{ n'],
  [
    'a block that is told of',
    'Like this:\n```json\n{"name": "run", "arguments": {}}\n```\nThe host answers.',
  ],
  ['tags that are told of', '```xml\n<invoke name="run"></invoke>\n```\nis how it looks.'],
  ['ReAct that is told of', '~~~\nAction: run\nAction Input: x\n~~~\nis the old way.'],
  ['brackets', '[1] {2} [[3]] {} [] ]}'],
  ['links', 'See [the docs](https://example.com) and [x][y].'],
];

describe('calls', () => {
  it.each(forms.map((form): [string, Form] => [form[0], form]))('are read from %s', (_what, form) => {
    const [, text, ...expected] = form;
    expect(calls(text)).toEqual(expected);
    for (let at = 0; at <= text.length; at++) {
      const reader = new CallReader(budget());
      const found = [...reader.push(text.slice(0, at)), ...reader.push(text.slice(at)), ...reader.end()];
      expect(found.map((call) => [call.tool, call.arguments])).toEqual(expected);
    }
  });

  it.each(harmless)('are not seen in %s', (_what, text) => {
    expect(calls(text)).toEqual([]);
    const reader = new CallReader(budget());
    expect([...[...text].flatMap((unit) => reader.push(unit)), ...reader.end()]).toEqual([]);
  });

  it('are the same for every way of cutting any text', () => {
    const parts = fc.array(
      fc.oneof(
        fc.constantFrom(
          ...[...forms, ...harmless].map(([, text]) => text),
          '\n',
          '```\n',
          '`',
          '{',
          '"',
          ' and ',
        ),
        fc.string({ maxLength: 8 }),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, fc.array(fc.nat(2000), { maxLength: 8 }), (texts, places) => {
        const text = texts.join('');
        const cuts = [
          0,
          ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b),
          text.length,
        ];
        const order = (found: readonly { start: number }[]) => [...found].sort((a, b) => a.start - b.start);
        const reader = new CallReader(budget());
        const found = cuts.slice(1).flatMap((to, index) => reader.push(text.slice(cuts[index], to)));
        expect(order([...found, ...reader.end()])).toEqual(order(readCalls(text, budget())));
      }),
      { numRuns: 1500 },
    );
  });

  it.each(['[ ', ' line, [TO', '["a", ', '{"a": ['])(
    'cost the length of a text of brackets that stay open, and not its square: %j',
    (unit) => {
      const call = '{"name":"run","arguments":{"a":1}}';
      const text = unit.repeat(20_000) + call;
      const [found] = readCalls(text, new Budget(4 * text.length));
      expect(found).toMatchObject({ tool: 'run', start: text.length - call.length, end: text.length });
    },
  );

  it('say where they stand', () => {
    const text = 'Now <tool_call>{"name":"run","arguments":{}}</tool_call> it.';
    const [call] = readCalls(text, budget());
    expect(text.slice(call?.start, call?.end)).toBe('{"name":"run","arguments":{}}');
  });

  it('hold the end of one in a code block until the text goes on or ends', () => {
    const call = '{"name":"run","arguments":{}}';
    const reader = new CallReader(budget());
    expect(reader.push(`So:\n\`\`\`\n${call}`)).toEqual([]);
    expect(reader.open).toBe(`So:\n\`\`\`\n${call}`.length - 1);
    reader.push('\n```\n');
    expect(reader.open).toBe(`So:\n\`\`\`\n${call}`.length - 1);
    reader.push('And so on.');
    expect(reader.open).toBe(`So:\n\`\`\`\n${call}\n\`\`\`\nAnd so on.`.length);
  });

  it('are not searched for without end', () => {
    expect(() => readCalls('["a [",'.repeat(20_000), new Budget(100_000))).toThrow('steps');
    const reader = new CallReader(budget());
    expect(() => {
      reader.push('<invoke name="run">');
      for (let round = 0; round < 40; round++) reader.push('x'.repeat(65_536));
    }).toThrow('does not end');
  });
});

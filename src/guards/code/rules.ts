// Rule: code that a model wrote refers to what it declares, to the language and to tools, and to nothing else.
// Its reasons are part of the interface: scripts match on them.

import type { Example, Finding, Rule } from '../../core/index.ts';
import { visible } from '../../core/index.ts';
import type { CodeFacts, Violation } from './facts.ts';

/** Most characters of code, and most calls of tools in one run of it. */
const maxCodeChars = 12_000;
const maxToolCalls = 30;

const tools = ['github.list_issues', 'github.create_issue', 'shop.get_order', 'files.fetch'];

function code(source: string, given: { language?: 'js' | 'ts'; tools?: readonly string[] } = {}): Example {
  return { action: { kind: 'code', source, tools: [...(given.tools ?? tools)], ...language(given) } };
}

function language({ language: named }: { language?: 'js' | 'ts' }): { language?: 'js' | 'ts' } {
  return named === undefined ? {} : { language: named };
}

function rule(
  id: string,
  reason: string,
  suggestion: string,
  hit: readonly string[],
  miss: readonly string[],
  decision: Rule['decision'] = 'block',
): Rule {
  const examples = { hit: hit.map((source) => code(source)), miss: miss.map((source) => code(source)) };
  return { id, guard: 'code', decision, reason, suggestion, examples };
}

const callTool = 'Call one of the tools for it.';

const emptyCode = rule(
  'empty_code',
  'empty generated code',
  'Write code that calls tools and returns a result.',
  ['\n', '\n\t\n'],
  ['return 1', '// nothing to do\n'],
);

const codeTooLong = rule(
  'code_too_long',
  `generated code exceeds ${maxCodeChars} chars`,
  'Do less at a time, or take data from tools instead of writing it into the code.',
  [`return "${'a'.repeat(maxCodeChars)}"`],
  [`return "${'a'.repeat(maxCodeChars - 9)}"`],
);

const unreadableCode = rule(
  'unreadable_code',
  'the code cannot be read',
  'Write the body of one async function in JavaScript, or in TypeScript that is JavaScript once its types are gone.',
  ['return (1', '}); (async () => {', 'namespace A { export const b = 1 }', '@sealed class A {}'],
  [
    'return (1)',
    'const order: { id: number } = await shop.get_order({ id: 1 }); return order!.id;',
    'enum Color { Red } return Color.Red',
    'class A { constructor(private b: string) {} } return new A("x")',
    '```ts\nreturn 1\n```',
  ],
);

const moduleImport = rule(
  'module_import',
  'module import',
  callTool,
  [
    "import fs from 'node:fs'; return 1",
    "const os = await import('node:os'); return os.userInfo()",
    "return require('child_process')",
    'return import.meta.url',
    "import fs = require('fs')",
    'export default async function main() {}',
  ],
  [
    'return \'import fs from "fs"\'',
    'const require = (name: string) => name; return require("fs")',
    'const row = { import: 1 }; return row.import',
  ],
);

const networkApi = rule(
  'network_api',
  'network api',
  callTool,
  [
    "return await fetch('https://example.com/')",
    "return globalThis['fe' + 'tch']('https://example.com/')",
    'f\\u0065tch("https://example.com/")',
    "new WebSocket('wss://example.com/')",
    "navigator.sendBeacon('https://example.com/', 'a')",
  ],
  [
    "return await files.fetch({ url: 'https://example.com/' })",
    'const fetch = (id: number) => shop.get_order({ id }); return await fetch(1)',
    "return 'https://example.com/?fetch=1'",
  ],
);

const processApi = rule(
  'process_api',
  'process api',
  callTool,
  [
    'return process?.env',
    'return Deno.env.get("HOME")',
    'return globalThis.Bun.version',
    'const { process: p } = globalThis; return p',
  ],
  [
    'const process = (order: object) => order; return process({})',
    'const step = { process: 1 }; return step.process',
    'return typeof process === "undefined"',
  ],
);

const processExecutionApi = rule(
  'process_execution_api',
  'process execution api',
  callTool,
  [
    "child_process.execSync('id')",
    "exec('id')",
    "new Worker('data:text/javascript,1')",
    "require('node:child_process').spawn('id')",
  ],
  ["return /a/.exec('a')", 'const spawn = 3; return spawn'],
);

const filesystemApi = rule(
  'filesystem_api',
  'filesystem api',
  callTool,
  [
    "return fs.readFileSync('/etc/passwd')",
    "return path.join('a', 'b')",
    "await writeFile('a', 'b')",
    "return require('fs/promises')",
  ],
  [
    'const path = "src/a.ts"; return path.split("/")',
    "return await github.list_issues({ path: '/repos', fs: true })",
  ],
);

const dynamicCodeApi = rule(
  'dynamic_code_api',
  'dynamic code execution api',
  'Write the code itself, and use the values that it makes directly.',
  [
    "return (0, eval)('1')",
    "return new Function('return 1')()",
    "return [].constructor.constructor('return 1')()",
    "const key = 'con' + 'structor'; return (() => {})[key]('return 1')()",
    "setTimeout('work()', 1)",
    'with ({ a: 1 }) { return a }',
    'return globalThis[await shop.get_order({})]',
    'Object.prototype.polluted = 1',
    'const { constructor } = async () => {}; return constructor',
  ],
  [
    'await new Promise((resolve) => setTimeout(resolve, 10)); return 1',
    'const rows: Record<string, number> = { a: 1 }; const key = "a"; return rows[key]',
    'return Object.prototype.hasOwnProperty.call({ a: 1 }, "a")',
    'class Shop { constructor() { this.open = true; } } return new Shop().open',
    "return { constructor: 'Ferrari', eval: 'a word' }",
  ],
);

const lowLevelNetworkModule = rule(
  'low_level_network_module',
  'low-level network module',
  callTool,
  ["http.get('http://example.com/')", "return await import('node:dns')", 'net.connect(80)', "require('tls')"],
  ['const net = 5 - 2; return net', "return { http: 'http://example.com/', dns: 'a' }"],
);

const unknownReference = rule(
  'unknown_reference',
  'neither the code nor the language nor a tool has this name',
  'Declare the name, or use one of the tools that the code may call.',
  ['return gitlab.list_issues({})', 'total = 1', 'return SharedArrayBuffer', 'return arguments[0]'],
  [
    'let total = 0; total = 1; return total',
    'function count() { return arguments.length } return count(1)',
    'return await github.list_issues({})',
  ],
);

const toolNotOffered = rule(
  'tool_not_offered',
  'the code may not call this tool',
  'Call one of the tools that the code was given.',
  ['return await github.delete_repository({})'],
  [
    'return await github.list_issues({})',
    'const github = { delete_repository: () => 1 }; return github.delete_repository()',
  ],
);

const toolCallCount = rule(
  'tool_call_count',
  'tool-call count exceeds cap',
  `Call tools at most ${maxToolCalls} times in one run.`,
  [
    'await github.list_issues({});\n'.repeat(maxToolCalls + 1),
    `const load = () => github.list_issues({});\n${'await load();\n'.repeat(maxToolCalls + 1)}`,
  ],
  [
    'await github.list_issues({});\n'.repeat(maxToolCalls),
    `const row = { list: () => 1 };\n${'row.list();\n'.repeat(40)}`,
  ],
);

const unboundedCalls = rule(
  'unbounded_calls',
  'tool-call count is unbounded',
  `Make sure that tools are called at most ${maxToolCalls} times; the next call fails.`,
  [
    'for (const id of [1, 2]) await shop.get_order({ id })',
    'return await Promise.all([1, 2].map((id) => shop.get_order({ id })))',
    'const load = (id) => shop.get_order({ id }); while (true) await load(1)',
  ],
  [
    'for (const row of await github.list_issues({})) console.log(row)',
    'const load = (id) => shop.get_order({ id }); return [await load(1), await load(2)]',
  ],
  'warn',
);

/** The whole list, in the order in which findings are reported. */
export const codeRules: readonly Rule[] = [
  emptyCode,
  codeTooLong,
  moduleImport,
  networkApi,
  processApi,
  processExecutionApi,
  filesystemApi,
  dynamicCodeApi,
  lowLevelNetworkModule,
  unknownReference,
  toolNotOffered,
  unreadableCode,
  toolCallCount,
  unboundedCalls,
];

const byId = new Map(codeRules.map((known) => [known.id, known]));

/** The finding on code that is not read at all; undefined where it is. */
export function sizeFinding(source: string): Finding | undefined {
  if (source.trim() === '') return finding(emptyCode, emptyCode.reason);
  return source.length > maxCodeChars ? finding(codeTooLong, codeTooLong.reason) : undefined;
}

/** The findings on code that was read. */
export function codeFindings(source: string, facts: CodeFacts): readonly Finding[] {
  const { violations, calls, repeated } = facts;
  const found = violations.map((violation) => violationFinding(violation, source));
  if (calls > maxToolCalls) {
    found.push(finding(toolCallCount, `tool-call count ${calls} exceeds cap ${maxToolCalls}`));
  } else if (repeated !== null) {
    const message = `${unboundedCalls.reason}, and the cap of ${maxToolCalls} holds while the code runs${place(source, repeated[0])}`;
    found.push({ ...finding(unboundedCalls, message), span: repeated });
  }
  return found;
}

function violationFinding({ rule: id, what, span, instead }: Violation, source: string): Finding {
  // INVARIANT: every violation is named after a rule.
  const broken = byId.get(id) ?? unreadableCode;
  const message = `${broken.reason}: ${visible(what, 80)}${place(source, span[0])}`;
  return {
    ...finding(broken, message),
    span,
    ...(instead === undefined ? {} : { suggestion: visible(instead, 200) }),
  };
}

function place(source: string, at: number): string {
  const { line, column } = placeIn(source, at);
  return ` (line ${line}, column ${column})`;
}

/** Line and column of a place, both from 1. */
export function placeIn(source: string, at: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function finding({ id, guard, decision, suggestion }: Rule, message: string): Finding {
  return {
    rule: id,
    guard,
    decision,
    message,
    pointer: '/source',
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** The reason alone, in the words that scripts match on. */
export function reasonOf({ rule: id, message }: Finding): string {
  if (id === toolCallCount.id) return message;
  return byId.get(id)?.reason ?? message;
}

/** The finding where no reader of JavaScript is at hand. */
export const noReaderFinding: Finding = {
  ...finding(unreadableCode, 'the code cannot be read: the package oxc-parser is not installed'),
  suggestion: 'A person runs npm install oxc-parser.',
};

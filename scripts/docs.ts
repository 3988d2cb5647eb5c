// npm run docs [--check]: writes the generated parts of the pages in docs/ from the code that they describe.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../src/cli/command.ts';
import { configSchema } from '../src/config/index.ts';
import { isKey } from '../src/config/key.ts';
import { partNamed } from '../src/config/schema.ts';
import {
  type Example,
  type Extraction,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Rule,
  visible,
} from '../src/core/index.ts';
import { pathRules } from '../src/decide/index.ts';
import { loadGuards } from '../src/guards/index.ts';
import { baseline } from '../src/policy/baseline.ts';
import { schemaText } from '../src/policy/schema.ts';
import type { HostEvent } from '../src/surfaces/hooks/host.ts';
import { type HostName, hostNames, hosts, wirings } from '../src/surfaces/hooks/index.ts';
import { routes, whoMay } from '../src/surfaces/http/index.ts';
import { fillPages, type Page, table, writePages } from './pages.ts';
import { makePicture } from './picture.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The pages that have generated parts; everything outside of those parts is written by hand. */
const pages = [
  'docs/architecture.md',
  'docs/cli.md',
  'docs/configuration.md',
  'docs/guards/code.md',
  'docs/guards/command.md',
  'docs/guards/fetch.md',
  'docs/guards/prompt.md',
  'docs/guards/query.md',
  'docs/guards/response.md',
  'docs/guards/symbols.md',
  'docs/guards/write.md',
  'docs/guards/tool.md',
  'docs/hosts.md',
  'docs/http-api.md',
  'docs/policy.md',
];

/** Every page with its generated parts made anew. */
export async function makePages(): Promise<readonly Page[]> {
  return [...fillPages(pages, await makeParts()), makePicture()];
}

async function makeParts(): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, string>();
  const commands = await allCommands();
  parts.set('commands', commands.map(({ name, command }) => commandText(name, command)).join('\n\n'));
  parts.set('configuration keys', configurationKeys());
  for (const guard of await loadGuards()) parts.set(`rules of ${guard.name}`, rulePage(guard.rules));
  parts.set('rules of the path', pathTable());
  parts.set('endpoints', endpoints());
  parts.set('contract by host', contractByHost());
  parts.set('policy schema', fenced(shortSchema()));
  parts.set('built-in policies', builtInPolicies());
  return parts;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trim()}\n\`\`\``;
}

function code(text: string): string {
  // The fewest marks that do not stand in the text, and blanks only where it begins or ends with one.
  const taken = new Set((text.match(/`+/g) ?? []).map(({ length }) => length));
  let count = 1;
  while (taken.has(count)) count++;
  const fence = '`'.repeat(count);
  const blank = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${blank}${text}${blank}${fence}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

// ── the command line

function overview(): string {
  const { stdout } = spawnSync(process.execPath, [join(root, 'tests/support/entry.ts'), '--help'], {
    encoding: 'utf8',
  });
  return stdout;
}

/** A command without the options that every command has and without its examples, which `--help` prints. */
function commandText(name: string, command: Command): string {
  const forms = command.usage.map(
    (form) => `sallyport ${form.replace(/ \[--(?:[^[\]]|\[[^\]]*\])*\]/g, '')}`,
  );
  const options = Object.entries(command.options).map(
    ([option, { value, help, short }]) =>
      `- ${code(`${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`)}: ${help}`,
  );
  return [
    `### ${name}`,
    fenced([...new Set(forms)].join('\n')),
    escaped(command.about.replace(/^ +/gm, '').replace(/ {2,}/g, ' ')),
    ...(options.length === 0 ? [] : [options.map(escaped).join('\n')]),
  ].join('\n\n');
}

/** Plain text as Markdown shows it: what is no code keeps its signs. */
function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/[<>*]/g, '\\$&')))
    .join('');
}

/** The names of the commands, in the order of the overview. */
export function commandNames(): readonly string[] {
  return [...overview().matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name = '']) => name);
}

/** Every command of the command line. */
export async function allCommands(): Promise<readonly { name: string; command: Command }[]> {
  return await Promise.all(
    commandNames().map(async (name) => {
      const file = new URL(`../src/cli/commands/${name}.ts`, import.meta.url);
      const { command }: { command: Command } = await import(file.href);
      return { name, command };
    }),
  );
}

// ── the hosts

/** The moments at which a rule of the contract can be kept inside a host; none: it takes the LLM proxy. */
const momentsOf: Readonly<Record<string, readonly HostEvent[]>> = {
  'AG-IN-1': ['user_prompt_submit', 'tool_call_post', 'instructions_loaded'],
  'AG-IN-2': ['user_prompt_submit'],
  'AG-IN-3': ['user_prompt_submit', 'tool_call_post'],
  'AG-IN-4': ['tool_call_post', 'instructions_loaded'],
  'AG-OUT-1': [],
  'AG-OUT-2': [],
  'AG-OUT-3': ['tool_call_pre'],
  'AG-OUT-4': ['message_display'],
  'AG-TOOL-1': ['tool_call_pre'],
  'AG-TOOL-2': ['tool_call_pre', 'tool_call_post'],
  'AG-TOOL-3': ['tool_call_pre'],
  'AG-TOOL-4': ['tool_call_pre'],
  'AG-TOOL-5': ['tool_call_pre'],
  'AG-TOOL-6': ['tool_call_pre'],
};

/** The events of a host that `init` connects. */
function connected(name: HostName): readonly string[] {
  const { add, commands } = wirings[name];
  const named = Object.keys(commands(add(null, '/client'), '/client'));
  // A plugin names the events in its own text.
  return named.length > 1 ? named : Object.keys(hosts[name].events);
}

function contractByHost(): string {
  const rules = new Map<string, string[]>();
  for (const [rule, moments] of Object.entries(momentsOf)) {
    const cells = hostNames.map((name) => {
      const own = connected(name).filter((event) =>
        moments.includes(hosts[name].events[event] ?? 'session_end'),
      );
      return own.length === 0 ? 'LLM proxy' : own.map(code).join(', ');
    });
    const key = JSON.stringify(cells);
    rules.set(key, [...(rules.get(key) ?? []), rule]);
  }
  const rows = [...rules].map(([cells, names]) => [names.join(', '), ...JSON.parse(cells)]);
  // One line for each host: there are more hosts than sets of rules.
  const head = ['host', ...rows.map(([names]) => String(names))];
  return table(
    head,
    hostNames.map((name, at) => [name, ...rows.map((row) => String(row[at + 1]))]),
  );
}

// ── the configuration

function configurationKeys(): string {
  return Object.entries(objectAt(configSchema(), 'properties'))
    .map(([name, section]) => sectionText(name, object(section)))
    .join('\n\n');
}

function sectionText(name: string, section: JsonObject): string {
  const part = partNamed(name);
  const { items, additionalProperties: named, properties = object(named ?? {})['properties'] } = section;
  const says = String(section['description']);
  const title = isJsonObject(named) ? `${name}.${name === 'workspaces' ? '"PATH"' : 'NAME'}` : name;
  if (section['type'] === 'string') {
    return `### \`${name}\`\n\n${says} A top-level key; ${valueText(section, false)}.`;
  }
  if (isJsonObject(items)) {
    const most = typeof section['maxItems'] === 'number' ? ` At most ${section['maxItems']}.` : '';
    const mark = part?.reach === 'own' ? '' : ' A workspace file may add rules that `block` or `approve`.';
    return `### [[${name}]]\n\n${says}${most}${mark}\n\n${itemText(name, items)}`;
  }
  const fields = object(properties);
  const required = requiredIn(isJsonObject(named) ? named : section);
  const rows = Object.entries(fields).map(([key, field]) => {
    const schema = object(field);
    const value = valueText(schema, required.includes(key));
    return keyLine(`${code(key)}${workspaceMark(part, key)}`, value, String(schema['description']));
  });
  const nested = Object.entries(fields).flatMap(([key, field]) => {
    const { items = object(field)['additionalProperties'], properties } = object(field);
    if (isJsonObject(items) && isJsonObject(items['properties'])) return [itemText(`${name}.${key}`, items)];
    // A table inside a section that is a section of its own elsewhere is documented there.
    return isJsonObject(properties) && partNamed(key) === undefined
      ? [itemText(`${name}.${key}`, object(field))]
      : [];
  });
  return [`### [${title}]`, says, rows.join('\n'), ...nested].join('\n\n');
}

/** What a workspace's file may do with a key of a section. */
function workspaceMark(part: ReturnType<typeof partNamed>, key: string): string {
  if (part?.reach === 'own') return '';
  const field = (part?.fields ?? part?.item?.fields)?.[key];
  return field !== undefined && isKey(field) && field.tighten !== null ? ' ▾' : ' ◦';
}

/** What a value may be, and its default. */
function valueText(schema: JsonObject, required: boolean): string {
  const { default: standard } = schema;
  const values = valuesOf(schema);
  if (required) return `${values}; required`;
  const isEmpty = standard === undefined || standard === '' || JSON.stringify(standard) === '[]';
  return isEmpty || JSON.stringify(standard) === '{}'
    ? values
    : `${values}; ${code(JSON.stringify(standard))}`;
}

function requiredIn({ required }: JsonObject): readonly JsonValue[] {
  return Array.isArray(required) ? required : [];
}

function itemText(name: string, schema: JsonObject): string {
  const rows = Object.entries(objectAt(schema, 'properties')).flatMap(([key, field]): string[] => {
    const value = object(field);
    const row = (at: string, one: JsonObject, parent: JsonObject, says: string) => {
      const isRequired = requiredIn(parent).includes(at.slice(at.indexOf('.') + 1));
      return keyLine(code(at), valueText(one, isRequired), says);
    };
    // The description of examples names their members.
    const members = key === 'examples' ? {} : object(value['properties'] ?? {});
    const inner = Object.entries(members).map(([name, member]) =>
      row(`${key}.${name}`, object(member), value, String(object(member)['description'] ?? '')),
    );
    return [row(key, value, schema, String(value['description'] ?? '')), ...inner];
  });
  return `Each \`${name}\` table:\n\n${rows.join('\n')}`;
}

function keyLine(key: string, value: string, says: string): string {
  return `- ${key} (${value})${says === '' ? '' : `: ${says}`}`;
}

/** What a value may be, in words. Limits of length are in the schema alone. */
function valuesOf(schema: JsonObject): string {
  const { type, minimum, maximum, items, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.map((one) => valuesOf(object(one))).join('; or ');
  if (Array.isArray(schema['enum'])) return schema['enum'].map((word) => code(String(word))).join(', ');
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return `${Number(minimum)}–${Number(maximum)}`;
  if (type === 'string') return 'text';
  if (type === 'object') return 'table';
  return isJsonObject(items) && items['type'] === 'object' ? 'tables' : 'texts';
}

function object(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error('a schema is not what this script expects');
  return value;
}

function objectAt(value: JsonObject, key: string): JsonObject {
  return object(value[key]);
}

// ── the rules

function rulePage(rules: readonly Rule[]): string {
  return rules.map(ruleText).join('\n\n');
}

/** Examples of each kind that a page shows; `sallyport rules show` prints all of them, and what to do instead. */
const shownExamples = 1;

function ruleText(rule: Rule & { readonly unwanted?: string }): string {
  const { id, decision, reason, contract, layer, examples, unwanted } = rule;
  const shown = [examples.hit, examples.miss].map((some) => some.slice(0, shownExamples));
  const everywhere = new Set(shown.flat().map(exampleSetup));
  const shared = everywhere.size === 1 ? [...everywhere].join('') : '';
  const [hits = '', misses = ''] = shown.map((some) =>
    some
      .map((example) => {
        const own = shared === '' ? exampleSetup(example) : '';
        return `${actionText(example)}${own === '' ? '' : ` (${own})`}`;
      })
      .join('; '),
  );
  const belongs = [
    ...(layer === undefined ? [] : [`layer ${layer}`]),
    ...(contract === undefined ? [] : [contract]),
  ];
  return [
    `### ${id}`,
    [
      `**${sentence(decision)}**`,
      sentence(reason),
      ...(unwanted === undefined ? [] : [`Blocks because ${unwanted}.`]),
      ...(belongs.length === 0 ? [] : [`(${belongs.join(', ')})`]),
    ].join(' '),
    `Hits${shared === '' ? '' : ` with ${shared}`}: ${hits}.${misses === '' ? '' : ` Misses: ${misses}.`}`,
  ].join('\n\n');
}

const longestShown = 72;

/** An action in one line. */
function actionText({ action }: Example): string {
  if (action.kind === 'fetch') return fetchText(action);
  if (action.kind === 'shell' || action.kind === 'python') {
    const text = action.kind === 'shell' ? action.command : action.source;
    return code(visible(text, longestShown)) + (action.sandbox === 'none' ? ' without a sandbox' : '');
  }
  if (action.kind === 'code') return code(visible(action.source, longestShown));
  if (action.kind === 'tool') {
    const { tool, server, arguments: given = {} } = action;
    const name = server === undefined ? tool : `${server}/${tool}`;
    return code(visible(`${name} ${JSON.stringify(given)}`, longestShown));
  }
  const { kind, ...members } = action;
  return code(visible(`${kind} ${JSON.stringify(members)}`, longestShown));
}

/** What an example needs beside its action. */
function exampleSetup({ given = {} }: Example): string {
  const {
    agent = {},
    mode,
    host,
    tools = [],
    nobody = false,
    resolves = {},
    heard,
    read = [],
    extracted,
    judge = {},
  } = given;
  const settings = Object.entries(agent).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const names = Object.entries(resolves).map(([name, addresses]) => {
    return `${name} → ${addresses.length === 0 ? 'nothing' : addresses.join(', ')}`;
  });
  const texts = [
    ...(heard === undefined ? [] : [`the user said ${JSON.stringify(heard)}`]),
    ...read.map(({ text, source }) => `${source.kind} ${source.name} said ${JSON.stringify(text)}`),
  ];
  const registered = tools.map(({ name, ...tool }) =>
    visible(`tool ${name} ${JSON.stringify(tool)}`, longestShown),
  );
  return [
    ...settings,
    ...registered,
    ...names,
    ...(host === undefined ? [] : [`hook of ${host}`]),
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(nobody ? ['nobody authenticated'] : []),
    ...Object.entries(judge).map(([key, value]) => `judge.${key} = ${JSON.stringify(value)}`),
    ...(extracted === undefined ? [] : [visible(`file ${fileText(extracted)}`, longestShown)]),
    ...texts,
  ]
    .map(code)
    .join(', ');
}

/** What is read out of an upload, in one line. */
function fileText(extracted: Extraction): string {
  if (extracted.problem !== null) return extracted.problem;
  const texts = extracted.texts.map(({ text, hidden }) => `${hidden ?? 'shows'} ${JSON.stringify(text)}`);
  return `${extracted.type}: ${texts.join(', ')}`;
}

function fetchText(action: Extract<Example['action'], { kind: 'fetch' }>): string {
  const { url, method, headers, body } = action;
  const rest = [
    ...(headers === undefined ? [] : [`headers ${JSON.stringify(headers)}`]),
    ...(body === undefined ? [] : [`body ${JSON.stringify(body)}`]),
  ];
  const line = visible(`${method === undefined ? '' : `${method} `}${url}`, longestShown);
  return [line, ...rest.map((text) => visible(text, longestShown))].map(code).join(', ');
}

/** The schema without the members of a query that every action has. */
function shortSchema(): string {
  const [, asked = ''] = /type Asked = \{\n(.*?)\};/s.exec(schemaText) ?? [];
  const second = schemaText.indexOf(asked, schemaText.indexOf('type Query'));
  if (asked === '' || second < 0) throw new Error('the schema does not repeat the members of an action');
  return `${schemaText.slice(0, second)}  // all members of Asked, and:\n${schemaText.slice(second + asked.length)}`;
}

function builtInPolicies(): string {
  const policies = [
    ...baseline.text.matchAll(/@id\("(\w+)"\)\n(?:@decision\("(\w+)"\)\n)?(?:@reason\("([^"]+)"\)\n)?(\w+)/g),
  ];
  const byReason = new Map<string, string[]>();
  for (const [, id = '', decision = '', reason = '', verb = ''] of policies) {
    const says = `(${decision === '' ? verb : decision})${reason === '' ? '' : `: ${reason}`}`;
    byReason.set(says, [...(byReason.get(says) ?? []), code(id)]);
  }
  return [...byReason].map(([says, ids]) => `- ${ids.join(', ')} ${says}`).join('\n');
}

function pathTable(): string {
  return table(
    ['rule', 'decision', 'when'],
    Object.values(pathRules).map(({ id, decision, reason }) => [code(id), decision, sentence(reason)]),
  );
}

// ── the HTTP API

function endpoints(): string {
  const groups = new Map<string, string[]>();
  for (const { method, path, summary, access, parameters } of routes) {
    const query = Object.entries(parameters).filter(([, { in: place }]) => place === 'query');
    const filters = query.length === 0 ? '' : ` (${query.map(([name]) => code(name)).join(', ')})`;
    const line = `- ${code(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`)}${filters}: ${summary}`;
    const callers = sentence(whoMay(access));
    groups.set(callers, [...(groups.get(callers) ?? []), line]);
  }
  return [...groups].map(([callers, lines]) => `**${callers}**\n\n${lines.join('\n')}`).join('\n\n');
}

if (import.meta.main) writePages('docs', await makePages());

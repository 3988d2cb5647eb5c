// The MCP servers that other programs have in their files, as sections of our own. What looks like a secret is not
// copied: its place names a variable of the environment instead.

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ExitCode, exitCodes, isJsonObject, type JsonObject, UsageError } from '../core/index.ts';
import { builtin, scan } from '../detect/index.ts';
import { readJsonc } from '../guards/symbols/jsonc.ts';
import type { Call } from './command.ts';
import { extendedConfig, writeExtension } from './config-file.ts';
import { openConfig } from './open.ts';

export const programs = ['claude', 'cursor', 'vscode'] as const;
export type Program = (typeof programs)[number];

/** A server as it stands in another program's file, and the file. */
export interface Foreign {
  readonly name: string;
  readonly value: JsonObject;
  readonly file: string;
}

/** A server as it would stand in ours, or why it does not. */
export type Imported =
  | {
      readonly name: string;
      readonly file: string;
      readonly section: Section;
      readonly variables: readonly string[];
    }
  | { readonly name: string; readonly file: string; readonly problem: string };

interface Section {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The files of each program, by the folder of the user and that of the workspace. */
const files: Readonly<Record<Program, (home: string, workspace: string) => readonly string[]>> = {
  claude: (home, workspace) => [
    join(workspace, '.mcp.json'),
    join(home, '.claude.json'),
    join(home, '.config/Claude/claude_desktop_config.json'),
    join(home, 'Library/Application Support/Claude/claude_desktop_config.json'),
  ],
  cursor: (home, workspace) => [join(workspace, '.cursor/mcp.json'), join(home, '.cursor/mcp.json')],
  vscode: (home, workspace) => [
    join(workspace, '.vscode/mcp.json'),
    join(home, '.config/Code/User/mcp.json'),
    join(home, 'Library/Application Support/Code/User/mcp.json'),
  ],
};

/** The servers that stand in the files of programs; the first of a name counts. */
export function foreignServers(
  wanted: readonly Program[],
  home: string,
  workspace: string,
  readText: (file: string) => string | null,
): readonly Foreign[] {
  const all = wanted.flatMap((program) =>
    files[program](home, workspace).flatMap((file) => {
      const whole = readJsonc(readText(file)) ?? {};
      const project = memberOf(memberOf(whole, 'projects'), workspace);
      const tables = [
        memberOf(project, 'mcpServers'),
        memberOf(whole, program === 'vscode' ? 'servers' : 'mcpServers'),
      ];
      return tables.flatMap((table) =>
        Object.entries(table).flatMap(([name, value]) =>
          isJsonObject(value) ? [{ name, value, file }] : [],
        ),
      );
    }),
  );
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

function memberOf(value: JsonObject, name: string): JsonObject {
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  return isJsonObject(member) ? member : {};
}

/** A server of another program in our words. */
export function imported({ name, value, file }: Foreign, workspace: string): Imported {
  const own = ownName(name);
  const refused = (problem: string) => ({ name, file, problem });
  if (own === '') return refused('its name has no letters');
  const { type, command, args = [], env = {}, cwd, url, headers = {} } = value;
  const variables: string[] = [];
  const filled = (text: string) => withPlaces(text, workspace, variables);
  const texts = (table: JsonObject) =>
    Object.fromEntries(
      Object.entries(table).map(([key, text]) => [
        key,
        isSecret(key, String(text)) ? borrowed(own, key, variables) : filled(String(text)),
      ]),
    );
  if (typeof url === 'string') {
    if (type === 'sse') return refused('it uses the older SSE transport, which is not supported');
    if (url.includes('${')) return refused('its address has a variable in it');
    const section = { url, ...(isFilled(headers) ? { headers: texts(headers) } : {}) };
    return { name: own, file, section, variables };
  }
  if (typeof command !== 'string') return refused('it has neither a command nor an address');
  if (/sallyport/.test([command, ...(Array.isArray(args) ? args : [])].join(' ')))
    return refused('it is Sallyport itself');
  if (!Array.isArray(args) || !args.every((one) => typeof one === 'string'))
    return refused('its arguments are no texts');
  const section = {
    command: filled(command),
    ...(args.length > 0 ? { args: args.map(filled) } : {}),
    ...(isFilled(env) ? { env: texts(env) } : {}),
    ...(typeof cwd === 'string' ? { cwd: filled(cwd) } : {}),
  };
  return { name: own, file, section, variables };
}

function isFilled(table: unknown): table is JsonObject {
  return isJsonObject(table) && Object.keys(table).length > 0;
}

/** A name as [servers.NAME] takes it. */
function ownName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 32)
    .replace(/-$/, '');
}

/** Names that a secret goes by, whatever it looks like. */
const secretName = /token|secret|password|passwd|api.?key|authorization|credential|private/i;

function isSecret(name: string, text: string): boolean {
  if (text.includes('${')) return false;
  return secretName.test(name) || scan(`${name}=${text}`, builtin('secrets')).length > 0;
}

/** The variable that a secret is read from instead. */
function borrowed(server: string, name: string, variables: string[]): string {
  const plain = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const variable =
    /^[A-Z_]/.test(plain) && plain !== 'AUTHORIZATION'
      ? plain
      : `${server.toUpperCase().replaceAll('-', '_')}_${plain}`;
  variables.push(variable);
  return `env:${variable}`;
}

/** The text with what other programs fill in written as we do it. */
function withPlaces(text: string, workspace: string, variables: string[]): string {
  return text.replace(/\$\{([^}]*)\}/g, (_, inner: string) => {
    if (/^workspaceFolder(?::.*)?$/.test(inner)) return workspace;
    if (inner === 'userHome') return homedir();
    const name = inner.replace(/^(?:env|input):/, '').replace(/:-.*$/, '');
    const variable = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    variables.push(variable);
    return `\${${variable}}`;
  });
}

/** The sections as they stand in a file. */
export function tomlOf(servers: readonly Imported[]): string {
  return servers
    .map((server) => {
      if ('problem' in server)
        return `# "${oneLine(server.name)}" in ${server.file} is left out: ${server.problem}.\n`;
      const needs = [...new Set(server.variables)]
        .map((variable) => `# needs the variable ${variable}\n`)
        .join('');
      const lines = Object.entries(server.section).map(([key, value]) => `${key} = ${written(value)}\n`);
      return `# from ${oneLine(server.file)}\n${needs}[servers.${server.name}]\n${lines.join('')}`;
    })
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f]/g, ' ');
}

function written(value: string | readonly string[] | Readonly<Record<string, string>>): string {
  // Texts of TOML are those of JSON.
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`;
  const pairs = Object.entries(value).map(
    ([key, text]) => `${JSON.stringify(key)} = ${JSON.stringify(text)}`,
  );
  return `{ ${pairs.join(', ')} }`;
}

export async function importServers(call: Call): Promise<ExitCode> {
  const from = call.value('from');
  const wanted = programs.filter((program) => from === undefined || program === from);
  if (wanted.length === 0) throw new UsageError(`--from is one of ${programs.join(', ')}`);
  const workspace = call.io.folder();
  const readText = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
  const found = foreignServers(wanted, homedir(), workspace, readText);
  const servers = found.map((server) => imported(server, workspace));
  const text = tomlOf(servers);
  if (call.flag('json')) call.io.json({ servers });
  else if (servers.length === 0) call.io.warn('There are no MCP servers in the files of these programs.');
  else if (!call.flag('write')) call.io.print(text.trimEnd());
  if (call.flag('write')) await write(call, servers);
  return exitCodes.pass;
}

/** Adds what is not there yet. */
async function write(call: Call, servers: readonly Imported[]): Promise<void> {
  const known = new Set((await openConfig(call)).config.servers.map(({ name }) => name));
  const added = servers.filter((server) => !('problem' in server) && !known.has(server.name));
  if (added.length === 0) return call.io.warn('There is nothing to add.');
  const extension = await extendedConfig(call, tomlOf(added), {
    hint: 'set the variables that they need first, or add the sections by hand',
  });
  writeExtension(call, extension);
  call.io.warn(`Added to ${extension.file}: ${added.map(({ name }) => name).join(', ')}`);
}

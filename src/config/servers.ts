// The content of [servers.NAME] and [tools.NAME]: MCP servers that calls are forwarded to, and user-defined tools.

import {
  type ArgumentSpec,
  argumentRoles,
  outwardEffects,
  type ToolSpec,
  toolEffects,
} from '../core/index.ts';
import {
  checked,
  choice,
  describe,
  either,
  flag,
  type Infer,
  json,
  list,
  object,
  optional,
  type Path,
  type Problem,
  record,
  secret,
  text,
} from '../core/shape.ts';
import { type InForce, inForce, seconds } from './key.ts';

// ── What [tools.NAME] and [tools."SERVER/NAME"] may say: a tool of the user's own, as the registry takes it.

const places = list(text({ max: 256, pattern: /^[?/]./, what: '"?name" or "/segment/{}"' }), { max: 20 });

const argument = either(
  choice(argumentRoles),
  object({ role: choice(argumentRoles), user: optional(places), tenant: optional(places) }),
);

const toolFields = object({
  server: describe(
    'Its MCP server; or name both: `[tools."files/read_*"]`.',
    optional(text({ min: 1, max: 256 })),
  ),
  description: describe('What it does, in a sentence.', optional(text({ max: 8192 }))),
  effect: describe('What it does when it runs.', choice(toolEffects)),
  checkpointable: describe('False if no snapshot restores what it changes.', optional(flag())),
  user_data: describe('True if it needs an authenticated user.', optional(flag())),
  schema: describe('JSON Schema of its arguments.', optional(record(json()))),
  arguments: describe(
    'Roles of arguments, by JSON Pointer (`*` one step, `**` any number).',
    optional(
      record(argument, {
        fits: (pointer) => /^(?:\/[^/]+)+$/.test(pointer) && pointer.length <= 512,
        message: 'an argument is named by a JSON Pointer, such as "/path" or "/items/*/url"',
      }),
    ),
  ),
  target: describe('The source that its queries go to.', optional(text({ min: 1, max: 256 }))),
  language: describe('The language of its queries.', optional(choice(['graphql', 'sql', 'rest']))),
});

type ToolValue = Infer<typeof toolFields>;

const tool = checked(toolFields, ({ checkpointable, effect, target, language }, path, report) => {
  if (checkpointable === true && (outwardEffects as readonly string[]).includes(effect)) {
    const message = `no snapshot restores the effect "${effect}"; leave this out`;
    report({ path: [...path, 'checkpointable'], message });
  }
  if (effect === 'query' && (target === undefined || language === undefined)) {
    report({ path, message: 'a tool with the effect "query" has a target and a language' });
  }
});

/** The table of tools. */
export const toolsShape = record(tool, {
  fits: (name) => name !== '' && name.length <= 256 && !/\*./.test(name),
  message: 'a tool has a name of 1 to 256 characters, with "*" only at its end',
});

/** The tools that a file registers; one that is named `server/tool` is that server's. */
export function toolsFrom(tools: Readonly<Record<string, ToolValue>> | undefined): readonly ToolSpec[] {
  return Object.entries(tools ?? {}).flatMap(
    ([name, { user_data: userData, arguments: named, ...rest }]): readonly ToolSpec[] => {
      const tool: ToolSpec = {
        ...rest,
        name,
        ...(userData === undefined ? {} : { userData }),
        ...(named === undefined ? {} : { arguments: argumentsFrom(named) }),
      };
      const at = name.indexOf('/');
      if (rest.server !== undefined || at <= 0 || at === name.length - 1) return [tool];
      // A tool without a server may have such a name as well.
      return [{ ...tool, server: name.slice(0, at), name: name.slice(at + 1) }, tool];
    },
  );
}

function argumentsFrom(named: NonNullable<ToolValue['arguments']>): Readonly<Record<string, ArgumentSpec>> {
  return Object.fromEntries(
    Object.entries(named).map(([pointer, spec]) => [
      pointer,
      typeof spec === 'string' ? { role: spec } : spec,
    ]),
  );
}

// ── What [servers.NAME] may say: an MCP server that calls are handed on to, and who may call what of it.

/** The headers of every request to a server or a source. */
export const headers = describe(
  'Headers of every request: "env:VAR".',
  optional(
    secret(record(text({ max: 8192, pattern: /^[\t\x20-\x7e\x80-\uffff]*$/, what: 'one line of text' }))),
  ),
);

const timeouts = {
  start_timeout_seconds: seconds('startTimeoutMs', 'How long it may take until it can be called.', 30, 600),
  call_timeout_seconds: seconds('callTimeoutMs', 'How long a call may take.', 60, 3600),
};

const folders = list(text({ max: 4096, pattern: /^\/[^\0]*$/, what: 'an absolute path' }), { max: 100 });

const sandbox = object({
  read: describe('Files and folders beside the system that it may read.', optional(folders)),
  write: describe('Folders that it may change.', optional(folders)),
  network: describe('Whether it may use the network.', choice(['off', 'host'])),
});

/** The sandbox that a program runs in: the system to read, a home of its own that is empty, and what is named here. */
export interface ServerSandbox {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: 'off' | 'host';
}

const serverFields = object({
  command: describe(
    'The program that is the server: its absolute path, or its name in PATH. No shell reads it.',
    optional(
      text({
        max: 4096,
        pattern: /^(?:\/[^\0]+|[\w.+-]+)$/,
        what: 'the absolute path of a program, or its name',
      }),
    ),
  ),
  args: describe('Its arguments.', optional(list(text({ max: 8192 }), { max: 100 }))),
  env: describe(
    'Its environment beside PATH, HOME and the like; it gets nothing else: "env:VAR".',
    optional(secret(record(text({ max: 32_768, pattern: /^[^\0]*$/, what: 'text' })))),
  ),
  cwd: describe(
    "The absolute path of the folder that it starts in; the user's home where nothing is said.",
    optional(text({ max: 4096, pattern: /^\/[^\0]*$/, what: 'an absolute path' })),
  ),
  sandbox: describe(
    'The sandbox that the program runs in, with a home of its own: what it may read and write beside the system, and whether it may use the network. Without it, the program runs as you. `sallyport mcp add` writes it.',
    optional(sandbox),
  ),
  url: describe(
    'The address of a server that speaks streamable HTTP, instead of a program. A local address counts only because it is named here.',
    optional(text({ min: 1, max: 4096 })),
  ),
  headers,
  tools: describe(
    'The only tools of it that are shown and called; `*` at the end of a name is any ending.',
    optional(
      list(text({ min: 1, max: 128, pattern: /^[^*]*\*?$/, what: 'a name, with "*" only at its end' }), {
        max: 1000,
      }),
    ),
  ),
  agents: describe(
    'The only agents that it is there for.',
    optional(list(text({ min: 1, max: 128 }), { max: 1000 })),
  ),
  ...timeouts,
});

type ServerValue = Infer<typeof serverFields>;

const server = checked(serverFields, (value, path, report) => {
  const { command, args, env, cwd, sandbox: walls, url, headers } = value;
  if ((command === undefined) === (url === undefined)) {
    report({ path, message: 'a server has either a "command" or a "url"' });
  }
  const foreign = url === undefined ? { headers } : { args, env, cwd, sandbox: walls };
  for (const [name, given] of Object.entries(foreign)) {
    const message = `"${name}" goes with a "${url === undefined ? 'url' : 'command'}"`;
    if (given !== undefined) report({ path: [...path, name], message });
  }
  if (url !== undefined && !isAddress(url)) {
    const message = 'must be an address that begins with https:// or http://, without user, password or "#"';
    report({ path: [...path, 'url'], message });
  }
  for (const name of Object.keys(env ?? {})) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      report({ path: [...path, 'env', name], message: 'is not the name of a variable' });
    }
  }
  for (const name of Object.keys(headers ?? {})) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      report({ path: [...path, 'headers', name], message: 'is not the name of a header' });
    }
  }
});

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false;
  return url.username === '' && url.password === '' && !value.includes('#');
}

/** The table of servers. */
export const serversShape = checked(record(server), checkNames);

/** INVARIANT: no name has "__" in it or "_" at its end, so that `NAME__tool` is read in one way only. */
function checkNames(servers: object, path: Path, report: (problem: Problem) => void): void {
  const plain = (name: string) => name.replaceAll('-', '_');
  const names = Object.keys(servers);
  for (const [index, name] of names.entries()) {
    const alike = names.slice(0, index).find((other) => plain(other) === plain(name));
    if (alike !== undefined) {
      report({ path: [...path, name], message: `clients cannot tell it from the server "${alike}"` });
    }
    if (!/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/.test(name) || name.length > 32) {
      const message =
        'a server has a name of small letters and digits, with single "-" and "_" between them, at most 32';
      report({ path: [...path, name], message });
    }
    if (name === ownName) {
      report({ path: [...path, name], message: "is the name of Sallyport's own bridge; take another" });
    }
  }
}

/** The name of our own bridge. */
export const ownName = 'sallyport';

/** How a server is reached. */
export type ServerPlace =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Null: the user's home. */
      readonly cwd: string | null;
      /** Absent: it runs as the user. */
      readonly sandbox?: ServerSandbox;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** An MCP server that calls are handed on to. */
export interface UpstreamServer extends InForce<typeof timeouts> {
  readonly name: string;
  readonly place: ServerPlace;
  /** Names, with `*` for any ending; null: all. */
  readonly tools: readonly string[] | null;
  /** Null: all. */
  readonly agents: readonly string[] | null;
}

/** The servers of a file. */
export function serversFrom(
  servers: Readonly<Record<string, ServerValue>> | undefined,
): readonly UpstreamServer[] {
  return Object.entries(servers ?? {}).map(([name, value]) => ({
    name,
    place: placeOf(value),
    tools: value.tools ?? null,
    agents: value.agents ?? null,
    ...inForce(timeouts, value),
  }));
}

function placeOf({
  command = '',
  args,
  env,
  cwd,
  sandbox: walls,
  url,
  headers = {},
}: ServerValue): ServerPlace {
  if (url !== undefined) return { kind: 'http', url, headers };
  const bare = { kind: 'stdio', command, args: args ?? [], env: env ?? {}, cwd: cwd ?? null } as const;
  if (walls === undefined) return bare;
  const { read = [], write = [], network } = walls;
  return { ...bare, sandbox: { read, write, network } };
}

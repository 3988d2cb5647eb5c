// Rule: a tool or an argument that a host really has and no table knows is shown to a person once; that it is known then
// says nothing about what it does, so everything in it is judged each time.

import {
  canonicalJson,
  type Finding,
  type JsonObject,
  type JsonValue,
  type Rule,
  visible,
} from '../../../core/index.ts';
import { call, hit, shown } from './call.ts';

const contract = 'AG-TOOL-1';
const claude = { host: 'claude', mode: 'auto' } as const;
const own = { server: 'host:claude' } as const;

const unknownHostTool: Rule = {
  id: 'unknown_host_tool',
  guard: 'tool',
  decision: 'approve',
  reason: 'An unknown tool of a host or MCP server needs approval once.',
  contract,
  examples: {
    hit: [
      call('Frobnicate', { level: 3 }, claude, own),
      call('write_file', { path: 'a.txt', content: 'a' }, claude, { server: 'files' }),
    ],
    miss: [
      call('Frobnicate', { level: 3 }),
      call('Bash', { command: 'ls' }, claude, own),
      call('Bash', { command: 'ls', level: 3 }, claude, own),
    ],
  },
};

const unknownHostArgument: Rule = {
  id: 'unknown_host_argument',
  guard: 'tool',
  decision: 'approve',
  reason: "An unknown argument of a host's tool needs approval once.",
  contract,
  examples: {
    hit: [
      call('Bash', { command: 'ls', without_sandbox: true }, claude, own),
      call('Bash', { command: 'ls', timeout: 'soon' }, claude, own),
    ],
    miss: [
      call('Bash', { command: 'ls', timeout: 1000 }, claude, own),
      call('Bash', { command: 'ls', without_sandbox: true }),
    ],
  },
};

/** The rules on what a host has and no table knows. */
export const hostRules: readonly Rule[] = [unknownHostTool, unknownHostArgument];

interface NewTool {
  readonly host: string;
  readonly server: string;
  readonly name: string;
  readonly given: JsonObject;
  /** Whether every text in it was read. */
  readonly complete: boolean;
}

/** The question about a tool that no registry has. */
export function unknownHostToolFinding({ host, server, name, given, complete }: NewTool): Finding {
  const names = Object.keys(given).sort();
  const whose = server.startsWith('host:') ? `of ${host}` : `of the MCP server "${shown(server)}" in ${host}`;
  const told = names.length === 0 ? 'no arguments' : `the arguments ${listed(names)}`;
  return hit(unknownHostTool, `The tool "${shown(name)}" ${whose} is not known yet; it has ${told}.`, {
    pointer: '/tool',
    ...granting(complete, [host, server, name, names]),
  });
}

interface NewArguments {
  readonly host: string;
  readonly name: string;
  /** The arguments that are not known, and those that do not fit or are missing, by name. */
  readonly given: JsonObject;
  readonly unfit: readonly string[];
  readonly complete: boolean;
}

/** The question about arguments that a host's tool was not known to have. */
export function unknownArgumentFinding({ host, name, given, unfit, complete }: NewArguments): Finding {
  const names = [...unfit].sort();
  const kinds = names.map((one) => [one, Object.hasOwn(given, one) ? kindOf(given[one]) : 'missing']);
  const [first = ''] = names;
  const place = Object.hasOwn(given, first) ? { pointer: `/arguments/${pointerStep(first)}` } : {};
  return hit(
    unknownHostArgument,
    `The tool "${shown(name)}" of ${host} is called in a way that is not known yet: ${listed(names)}.`,
    { ...place, ...granting(complete, [host, `host:${host}`, name, kinds]) },
  );
}

const mostListed = 12;
const longestGrant = 256;

function listed(names: readonly string[]): string {
  const some = names.slice(0, mostListed).map((name) => visible(name, 40));
  return names.length > mostListed
    ? `${some.join(', ')} and ${names.length - mostListed} more`
    : some.join(', ');
}

/** What "known" stands for: one tool with these arguments. Where that cannot be said shortly, it is asked each time. */
function granting(complete: boolean, known: JsonValue): { readonly grant?: string } {
  const grant = `known tool ${canonicalJson(known)}`;
  return complete && grant.length <= longestGrant ? { grant } : {};
}

/** A flag is known with the value that was approved; the other value may have another effect. */
function kindOf(value: JsonValue | undefined): string {
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

// The policies of the sources: what the configuration allows of each, expressed as policies. The guard checks a query
// against the same configuration; names that it compares by suffix or by a pattern are left to it.

import type { PolicySource } from '../config/index.ts';
import type { CodeMode, Source } from '../config/sources.ts';
import type { QueryAction } from './schema.ts';

/** The reserved prefix of these policies' ids. */
export const serverPrefix = 'server/';

/** Names that GraphQL itself gives, which no list of root fields has to name. */
const ownFields = ['__typename', '__schema', '__type'];

/** Texts that were made before; the same text is the same object, and so is read once. */
const made = new Map<string, PolicySource>();
const mostMade = 64;
const bySources = new WeakMap<readonly Source[], PolicySource | null>();

/** The policies of all sources; null if there are none. */
export function serverPolicies(sources: readonly Source[]): PolicySource | null {
  let found = bySources.get(sources);
  if (found === undefined) {
    const text = sources.map(policiesOf).join('');
    found = text === '' ? null : (made.get(text) ?? remember(text));
    bySources.set(sources, found);
  }
  return found;
}

function remember(text: string): PolicySource {
  if (made.size >= mostMade) made.clear();
  const source: PolicySource = { name: 'the sources', level: 'server', workspace: false, text };
  made.set(text, source);
  return source;
}

function policiesOf(source: Source): string {
  const { name, kind, mode } = source;
  if (!mode.enabled) return '';
  const resource = `resource == CodeMode::Server::${quoted(mode.serverId)}`;
  const policy = (id: string, effect: 'permit' | 'forbid', action: string, condition: string): string =>
    `@id("${serverPrefix}${name}/${id}")\n${effect} (principal, ${action}, ${resource})\n` +
    `when { context.source == ${quoted(name)}${condition} };\n`;
  const { permits, forbids } =
    kind === 'graphql' ? graphqlRules(mode) : kind === 'rest' ? restRules(mode) : sqlRules(mode);
  return [
    ...permits.map(([id, action, condition = '']) =>
      policy(id, 'permit', `action == CodeMode::Action::"${action}"`, condition),
    ),
    ...forbids.map(([id, condition]) => policy(id, 'forbid', 'action', condition)),
  ].join('');
}

interface PolicyRules {
  readonly permits: readonly (readonly [id: string, action: QueryAction, condition?: string])[];
  readonly forbids: readonly (readonly [id: string, condition: string])[];
}

function graphqlRules({ graphql: mode }: CodeMode): PolicyRules {
  const isMutation = ' && context.verbs.contains("mutation")';
  const isQuery = ' && context.verbs.contains("query")';
  const only = (names: readonly string[]) =>
    names.length === 0 ? '' : ` && ${set([...names, ...ownFields])}.containsAll(context.operations)`;
  return {
    permits: [
      ['reads', 'Read', only(mode.allowedQueries)],
      ...(mode.allowMutations
        ? ([
            ['writes', 'Write', only(mode.allowedMutations)],
            ['deletes', 'Delete', only(mode.allowedMutations)],
          ] as const)
        : []),
    ],
    forbids: [
      ...any('blocked_mutation', 'operations', mode.blockedMutations, isMutation),
      ...any('blocked_query', 'operations', mode.blockedQueries, isQuery),
      ...any('blocked_field', 'fields', mode.blockedFields),
      ...any('blocked_input', 'inputs', mode.blockedInputFields),
      ...(mode.allowIntrospection ? [] : any('introspection', 'flags', ['introspection'])),
    ],
  };
}

function sqlRules({ sql: mode }: CodeMode): PolicyRules {
  const upper = (names: readonly string[]) => names.map((name) => name.toUpperCase());
  const statements =
    mode.allowedStatements.length === 0
      ? ''
      : ` && ${set(upper(mode.allowedStatements))}.containsAll(context.verbs)`;
  const schema = 'context.flags.contains("schema_change")';
  return {
    permits: [
      ...(mode.reads ? ([['reads', 'Read', statements]] as const) : []),
      ...(mode.writes ? ([['writes', 'Write', statements]] as const) : []),
      ...(mode.deletes ? ([['deletes', 'Delete', `${statements} && !${schema}`]] as const) : []),
      ...(mode.ddl
        ? ([
            ['schema_deletes', 'Delete', `${statements} && ${schema}`],
            ['schema', 'Admin', statements],
          ] as const)
        : []),
    ],
    forbids: any('blocked_statement', 'verbs', upper(mode.blockedStatements)),
  };
}

function restRules({ rest: mode }: CodeMode): PolicyRules {
  const only = (names: readonly string[]) => ` && ${set(names)}.containsAll(context.operations)`;
  const permits = (id: string, action: QueryAction, all: boolean, some: readonly string[]) =>
    all ? [[id, action] as const] : some.length > 0 ? [[id, action, only(some)] as const] : [];
  return {
    permits: [
      ...permits('reads', 'Read', mode.reads, []),
      ...permits('writes', 'Write', mode.writes, mode.allowedWrites),
      ...permits('deletes', 'Delete', mode.deletes, mode.allowedDeletes),
    ],
    forbids: any(
      'blocked_method',
      'operations',
      mode.blockedWrites,
      ' && context.verbs.containsAny(["POST", "PUT", "PATCH"])',
    ),
  };
}

/** A forbid of whatever has one of the names, where there are any. */
function any(id: string, where: string, names: readonly string[], also = ''): PolicyRules['forbids'] {
  return names.length === 0 ? [] : [[id, `${also} && context.${where}.containsAny(${set(names)})`]];
}

function set(names: readonly string[]): string {
  return `[${names.map(quoted).join(', ')}]`;
}

/** A text as Cedar writes it; whatever is not plain is written by its number. */
function quoted(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/["\\]|[^\x20-\x7e]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  return `"${escaped}"`;
}

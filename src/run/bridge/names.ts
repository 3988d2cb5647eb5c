// How tools of upstream servers are called in code: each has one name there, and no two have the same.

import { allowedGlobals, globalObjects, walks } from '../../guards/code/names.ts';
import { placeOf } from '../../guards/code/tools.ts';
import type { UpstreamTool } from '../mcp/index.ts';

/** A tool with the name that code calls it by. */
export interface CodeTool {
  /** A namespace, a dot, and the name in it, such as `github.list_issues`; both are names in TypeScript. */
  readonly name: string;
  readonly tool: UpstreamTool;
}

/** Words that the language keeps for itself, and names that would make an object something else than it is. */
const kept: ReadonlySet<string> = new Set([
  ...['arguments', 'await', 'break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default'],
  ...['delete', 'do', 'else', 'enum', 'eval', 'export', 'extends', 'false', 'finally', 'for', 'function'],
  ...['if', 'implements', 'import', 'in', 'instanceof', 'interface', 'let', 'new', 'null', 'package'],
  ...['private', 'protected', 'prototype', 'public', 'return', 'static', 'super', 'switch', 'then', 'this'],
  ...['throw', 'toJSON', 'true', 'try', 'typeof', 'undefined', 'var', 'void', 'while', 'with', 'yield'],
  ...walks,
]);

/** The tools by name, in the order of their servers and names. */
export function codeTools(tools: readonly UpstreamTool[]): readonly CodeTool[] {
  const servers = new Map<string, Map<string, UpstreamTool>>();
  for (const tool of tools) {
    const known = servers.get(tool.server) ?? new Map<string, UpstreamTool>();
    servers.set(tool.server, known);
    if (!known.has(tool.name)) known.set(tool.name, tool);
  }
  const namespaces = identifiers(
    servers.keys(),
    (name) => allowedGlobals.has(name) || globalObjects.has(name),
  );
  return [...namespaces].flatMap(([server, namespace]) => {
    const known = servers.get(server) ?? new Map<string, UpstreamTool>();
    return [...identifiers(known.keys())].flatMap(([own, name]) => {
      const tool = known.get(own);
      return tool === undefined ? [] : [{ name: `${namespace}.${name}`, tool }];
    });
  });
}

/** A name in code for each name, in the order of the names; whatever is one already stays as it is. */
function identifiers(
  names: Iterable<string>,
  isTaken: (name: string) => boolean = () => false,
): ReadonlyMap<string, string> {
  const sorted = [...new Set(names)].sort();
  const plain = sorted.map((name) => [name, plainName(name, isTaken)] as const);
  const used = new Set(plain.flatMap(([name, made]) => (name === made ? [name] : [])));
  return new Map(
    plain.map(([name, made]) => {
      let free = made;
      for (let number = 2; name !== made && used.has(free); number++) free = `${made}_${number}`;
      used.add(free);
      return [name, free];
    }),
  );
}

/** A text as a name that code may have. */
export function plainName(name: string, isTaken: (name: string) => boolean): string {
  const { namespace: plain } = placeOf(name.replaceAll('.', '_'));
  return kept.has(plain) || isTaken(plain) ? `${plain}_` : plain;
}

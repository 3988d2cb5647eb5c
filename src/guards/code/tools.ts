// How tools are called in code: a tool `server.name` is the function `name` of a namespace `server`.

/** The tools of one namespace, by the names that code may call them; null: any name may be one. */
export type Namespaces = ReadonlyMap<string, ReadonlySet<string> | null>;

/** A tool's place in code; a tool without a server is a function of its own. */
export interface ToolPlace {
  readonly namespace: string;
  /** Empty where the namespace is the tool. */
  readonly name: string;
}

/** Where a tool stands. Characters that no name in code can have are underscores. */
export function placeOf(tool: string): ToolPlace {
  const dot = tool.indexOf('.');
  if (dot < 0) return { namespace: plainName(tool), name: '' };
  return { namespace: plainName(tool.slice(0, dot)), name: plainName(tool.slice(dot + 1)) };
}

function plainName(text: string): string {
  const name = text.replace(/[^\p{ID_Continue}$]/gu, '_');
  return /^[\p{ID_Start}$_]/u.test(name) ? name : `_${name}`;
}

/** The namespaces of some tools; a name that ends in `*` stands for all of its server. */
export function namespacesOf(tools: readonly string[]): Namespaces {
  const found = new Map<string, Set<string> | null>();
  for (const tool of tools) {
    const { namespace, name } = placeOf(tool);
    const known = found.get(namespace);
    if (tool.endsWith('*') || known === null) found.set(namespace, null);
    else if (known === undefined) found.set(namespace, new Set([name]));
    else known.add(name);
  }
  return found;
}

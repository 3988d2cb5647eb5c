// The tools that code may call, and the model's view of them: names, declarations, the keys that a call needs.

import { type Context, InputError, nearest, visible } from '../../core/index.ts';
import type { UpstreamTool } from '../mcp/index.ts';
import { declarationOf } from './declarations.ts';
import { type CodeTool, codeTools } from './names.ts';
import { propertiesOf, requiredOf } from './schema.ts';
import { searchTools } from './search.ts';

/**
 * The functions of a bridge that are called. INVARIANT: no other tool of it ever is, least of all one that adds tools.
 */
export const bridgeTools = ['search_tools', 'call_tool_chain'] as const;

/** The servers that are bridges themselves. */
export function bridgesIn(tools: readonly Pick<UpstreamTool, 'server' | 'name'>[]): ReadonlySet<string> {
  const [searching, chaining] = bridgeTools.map(
    (needed) => new Set(tools.filter(({ name }) => name === needed).map(({ server }) => server)),
  );
  return new Set([...(searching ?? [])].filter((server) => chaining?.has(server)));
}

/** A tool as a model sees it. */
export interface ToolInfo {
  /** The name that code calls it by. */
  readonly name: string;
  readonly server: string;
  /** Its name on its server. */
  readonly tool: string;
  readonly description: string;
  readonly typescript_interface: string;
}

/** The keys of a call. */
export interface ToolKeys {
  readonly name: string;
  readonly required_keys: readonly string[];
  readonly optional_keys: readonly string[];
}

/** The tools that one agent may call, as they are now. */
export class Catalog {
  readonly tools: readonly CodeTool[];
  readonly #known: ReadonlyMap<string, CodeTool>;

  constructor(tools: readonly UpstreamTool[]) {
    // INVARIANT: no code gets to a bridge that is not ours by way of ours.
    const others = bridgesIn(tools);
    this.tools = codeTools(tools.filter(({ server }) => !others.has(server)));
    // A name in code comes before the name of a tool that only its server calls so.
    this.#known = new Map([
      ...this.tools.map((one) => [`${one.tool.server}.${one.tool.name}`, one] as const),
      ...this.tools.map((one) => [one.name, one] as const),
    ]);
  }

  search(task: string, limit: number): readonly ToolInfo[] {
    return infosOf(searchTools(this.tools, task, limit));
  }

  /** The facts about some tools, and the names of unknown tools. */
  info(names: readonly string[]): {
    readonly tools: readonly ToolInfo[];
    readonly unknown: readonly string[];
  } {
    const found = names.map((name) => this.#known.get(name));
    return {
      tools: infosOf([...new Set(found)].filter((tool) => tool !== undefined)),
      unknown: names.filter((_, index) => found[index] === undefined).map((name) => visible(name, 200)),
    };
  }

  /** The keys that a call of a tool has; throws `InputError` for a name that no tool has. */
  keys(name: string): ToolKeys {
    const found = this.#known.get(name);
    if (found === undefined) {
      const near = nearest(
        name,
        this.tools.map((tool) => tool.name),
      );
      const hint = near === undefined ? 'look for it with search_tools' : `did you mean "${near}"?`;
      throw new InputError(`there is no tool "${visible(name, 200)}"`, { hint });
    }
    const { inputSchema } = found.tool;
    const required = requiredOf(inputSchema);
    const others = Object.keys(propertiesOf(inputSchema)).filter((key) => !required.includes(key));
    return { name: found.name, required_keys: required, optional_keys: others };
  }
}

/** Characters of a description, of all declarations that are shown at once, and of one of them at least. */
const longestDescription = 200;
const mostDeclared = 100_000;
const leastDeclared = 1500;

function infosOf(tools: readonly CodeTool[]): readonly ToolInfo[] {
  const share = Math.max(leastDeclared, Math.floor(mostDeclared / tools.length));
  return tools.map((one) => ({
    name: one.name,
    server: one.tool.server,
    tool: one.tool.name,
    description: visible(one.tool.description, longestDescription),
    typescript_interface: declarationOf(one, share),
  }));
}

/** Reads an agent's offered tools; an equal offer is compiled once. */
export function catalogs(
  offered: (context: Context) => Promise<readonly UpstreamTool[]>,
): (context: Context) => Promise<Catalog> {
  const last = new Map<string, { readonly tools: readonly UpstreamTool[]; readonly catalog: Catalog }>();
  return async (context) => {
    const tools = await offered(context);
    const known = last.get(context.agent);
    if (known !== undefined && isSame(known.tools, tools)) return known.catalog;
    const catalog = new Catalog(tools);
    last.delete(context.agent);
    last.set(context.agent, { tools, catalog });
    const [oldest] = last.keys();
    if (last.size > mostCatalogs && oldest !== undefined) last.delete(oldest);
    return catalog;
  };
}

const mostCatalogs = 32;

function isSame(some: readonly UpstreamTool[], others: readonly UpstreamTool[]): boolean {
  return (
    some.length === others.length &&
    some.every((tool, index) => {
      const other = others[index];
      return (
        tool.server === other?.server &&
        tool.name === other.name &&
        tool.title === other.title &&
        tool.description === other.description &&
        tool.inputSchema === other.inputSchema &&
        tool.outputSchema === other.outputSchema
      );
    })
  );
}

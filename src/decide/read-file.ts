// Which file of the workspace a call of a host's own tool shows, by its arguments alone: the result has no say in what it
// is called.

import { relative, resolve } from 'node:path';
import { isInside } from '../config/index.ts';
import { realPathIn } from '../core/guard.ts';
import type { CommandView, Context, JsonObject, World } from '../core/index.ts';
import { printerNames } from '../guards/command/bash/printers.ts';
import { guards } from '../guards/index.ts';
import type { Decider } from './types.ts';

/** A call of a tool that no MCP server has. */
export interface HostCall {
  readonly tool: string;
  /** The host, where it is known; tools of the same name are different ones in different hosts. */
  readonly host?: string;
  readonly arguments: JsonObject;
}

/** Longer calls do more than to read a file. */
const longestCall = 4096;

const printers: ReadonlySet<string> = new Set(printerNames.split(' '));

/** Guards that need no other service. */
const local = guards.filter(({ name }) => name === 'tool' || name === 'command' || name === 'write');

/**
 * The path from the workspace of the one file that a call shows, links followed; undefined if it shows more, or another
 * place, or does anything else.
 */
export async function fileReadBy(
  { tool, host, arguments: given }: HostCall,
  context: Context,
  { decider, world }: { readonly decider: Pick<Decider, 'under'>; readonly world: World },
): Promise<string | undefined> {
  if (JSON.stringify(given).length > longestCall) return undefined;
  const views: CommandView[] = [];
  const dry = decider.under({ dry: true, guards: local, observe: (view) => views.push(view) });
  const server = host === undefined ? {} : { server: `host:${host}` };
  const { facts, parts } = await dry.decide({ kind: 'tool', tool, ...server, arguments: given }, context);
  if (facts['registered'] !== true) return undefined;
  const inner = parts.flatMap(({ action }) => (action.kind === 'tool' ? [] : [action]));
  const [only] = inner;
  if (only === undefined || inner.length > 1) return undefined;
  const [view] = views;
  const path = only.kind === 'read' ? only.path : view === undefined ? undefined : fileShownBy(view);
  return path === undefined ? undefined : fileInside(path, context.workspace, world);
}

/** The file that a command prints, where it prints nothing but that. */
function fileShownBy({ parsed, effects, unknowns, errors }: CommandView): string | undefined {
  const isRead = unknowns.length + errors.length === 0;
  const prints = parsed.every(({ program }) => program !== null && printers.has(program));
  const [first, ...others] = effects.filter(({ kind }) => kind !== 'inert');
  if (!isRead || !prints || first?.kind !== 'read' || first.recursive) return undefined;
  return others.every(({ kind, path }) => kind === 'read' && path === first.path) ? first.path : undefined;
}

function fileInside(path: string, workspace: string, world: World): string | undefined {
  // A client that names no workspace has the root for one, and in that anybody's files stand.
  if (workspace === '/') return undefined;
  const real = realPathIn(world, resolve(workspace, path));
  if (real === undefined || real === null || !isInside(workspace, real)) return undefined;
  return world.look(real)?.type === 'file' ? relative(workspace, real) : undefined;
}

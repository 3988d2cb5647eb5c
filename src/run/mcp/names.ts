// Names that distinguish servers: every offer of a server is identified by the server's name and its own, and one that
// could be confused with another is not offered at all.

import { hash } from 'node:crypto';
import { visible } from '../../core/index.ts';

/** Longest name that clients and models accept. */
const longestName = 64;

/** `SERVER__NAME`, in the characters that every client accepts; one that is too long ends in a hash. */
export function exposed(server: string, name: string): string {
  const whole = `${server}__${name.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (whole.length <= longestName) return whole;
  const mark = hash('sha256', `${server} ${name}`).slice(0, 8);
  return `${whole.slice(0, longestName - mark.length - 1)}_${mark}`;
}

/** The members whose names cannot be confused. */
export function uniquely<T extends { readonly exposed: string; readonly name: string }>(
  things: readonly T[],
  onProblem: (problem: string) => void,
): readonly T[] {
  const times = new Map<string, number>();
  for (const thing of things) times.set(looks(thing.exposed), (times.get(looks(thing.exposed)) ?? 0) + 1);
  return things.filter((thing) => {
    if (times.get(looks(thing.exposed)) === 1) return true;
    onProblem(`"${visible(thing.name, 80)}" looks like another of its names, and is left out`);
    return false;
  });
}

/** How a name looks at a glance: without case, separators, and similar-looking characters. */
function looks(name: string): string {
  return name
    .toLowerCase()
    .replace(/[_-]/g, '')
    .replace(/[1i]/g, 'l')
    .replace(/0/g, 'o')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w');
}

/** The address of a server's resource among those of all servers; works for templates too. */
export function exposedUri(server: string, uri: string): string {
  return `mcp.${server.replaceAll('_', '.')}+${uri}`;
}

/** The server and its own address; undefined if it is none of ours. */
export function readUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  const [, server, own] = /^mcp\.([a-z0-9.-]+)\+(.+)$/s.exec(uri) ?? [];
  return server === undefined || own === undefined
    ? undefined
    : { server: server.replaceAll('.', '_'), uri: own };
}

const deepest = 32;
/** A name that is longer, or contains words, is a statement. */
const plainKey = /^[\w$.-]{1,40}$/;

/** Every text in a value; undefined if it is nested too deeply. */
export function textsIn(value: unknown): readonly string[] | undefined {
  const texts: string[] = [];
  const visit = (member: unknown, depth: number): boolean => {
    if (depth > deepest) return false;
    if (typeof member === 'string') texts.push(member);
    if (typeof member !== 'object' || member === null) return true;
    return Object.entries(member).every(([key, below]) => {
      if (!Array.isArray(member) && !plainKey.test(key)) texts.push(key);
      return visit(below, depth + 1);
    });
  };
  return visit(value, 0) ? texts : undefined;
}

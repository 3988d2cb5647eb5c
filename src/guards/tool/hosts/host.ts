// How the tools of a host are written down: a name, an effect, the arguments with their shapes, and what they are.

import type { ArgumentRole, ArgumentSpec, ToolEffect, ToolSpec } from '../../../core/index.ts';
import {
  either,
  flag,
  integer,
  json,
  list,
  type ObjectShape,
  object,
  optional,
  record,
  type Shape,
  text,
} from '../../../core/shape.ts';

/** A tool that a host brings: like any other, but with a shape instead of a schema, which needs no compiler. */
export interface HostTool extends ToolSpec {
  readonly host: string;
  readonly shape: ObjectShape<Readonly<Record<string, Shape<unknown>>>>;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

/** Makes the tools of one host. */
export function toolsOf(host: string) {
  return (
    name: string,
    effect: ToolEffect,
    fields: Fields,
    roles: Readonly<Record<string, ArgumentRole>> = {},
  ): HostTool => ({
    host,
    name,
    effect,
    shape: object(fields),
    arguments: Object.fromEntries([
      ...Object.entries(roles).map(([pointer, role]): [string, ArgumentSpec] => [`/${pointer}`, { role }]),
      // What has no role of its own is words for the model or settings of the tool.
      ['/**', { role: 'text' }],
    ]),
  });
}

export const words = text();
export const path = text({ min: 1, max: 4096, what: 'a path' });
export const count = integer(-1, Number.MAX_SAFE_INTEGER);
export const may = {
  words: optional(words),
  path: optional(path),
  count: optional(count),
  flag: optional(flag()),
  list: optional(list(words)),
  any: optional(json()),
};
/** A command as text, or a program with its arguments. */
export const command = either(text({ min: 1 }), list(text(), { max: 4096 }));
export { flag, json, list, object, optional, record };

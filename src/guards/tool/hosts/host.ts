// How the tools of a host are written down: the arguments are captured from the real host, their roles and the effect are
// ours. What hosts of other versions send, and what hooks name differently from the model's tools, is added by hand.

import type { ArgumentRole, ArgumentSpec, ToolEffect, ToolSpec } from '../../../core/index.ts';
import {
  either,
  flag,
  json,
  list,
  number,
  type ObjectShape,
  object,
  optional,
  type Shape,
  text,
} from '../../../core/shape.ts';
import { captured } from './captured.ts';

/** A tool that a host brings: like any other, but with a shape instead of a schema, which needs no compiler. */
export interface HostTool extends ToolSpec {
  readonly host: string;
  readonly shape: ObjectShape<Readonly<Record<string, Shape<unknown>>>>;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Roles = Readonly<Record<string, ArgumentRole>>;

export const words = text();
export const path = text({ min: 1, max: 4096, what: 'a path' });
const count = number(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
/** A command as text, or a program with its arguments. */
const command = either(text({ min: 1 }), list(text(), { max: 4096 }));
export const may = {
  words: optional(words),
  path: optional(path),
  list: optional(list(words)),
  count: optional(count),
  flag: optional(flag()),
};
export { json, list, object, optional };

/** Types of arguments as they are written down: `name`, `name?`, `name:flag`. */
const types: Readonly<Record<string, Shape<unknown>>> = {
  text: words,
  flag: flag(),
  number: count,
  list: list(words),
  any: json(),
};

/** Shapes of texts by what they are. */
const shapes: Readonly<Partial<Record<ArgumentRole, Shape<unknown>>>> = {
  path,
  delete: path,
  folder: path,
  command,
};

/** Makes the tools of one host. */
export function toolsOf(host: string) {
  const offered = captured[host]?.tools ?? {};
  return {
    /**
     * A tool with the arguments that the host offered, and more that other versions have; or, where it offered none of
     * the name, with those alone.
     */
    tool: (name: string, effect: ToolEffect, roles: Roles = {}, more: string | Fields = ''): HostTool => {
      const own = Object.hasOwn(offered, name) ? offered[name] : undefined;
      const extra = typeof more === 'string' ? fieldsIn(more, roles) : more;
      const fields = own === undefined ? extra : { ...extra, ...lenient(fieldsIn(own, roles), roles) };
      return made(host, name, effect, fields, roles);
    },
    /** A tool in a form that hooks send, and no model. */
    form: (name: string, effect: ToolEffect, fields: string | Fields, roles: Roles = {}): HostTool =>
      made(host, name, effect, typeof fields === 'string' ? fieldsIn(fields, roles) : fields, roles),
  };
}

function made(host: string, name: string, effect: ToolEffect, fields: Fields, roles: Roles): HostTool {
  return {
    host,
    name,
    effect,
    shape: object(fields),
    arguments: Object.fromEntries([
      ...Object.entries(roles).map(([pointer, role]): [string, ArgumentSpec] => [`/${pointer}`, { role }]),
      // What has no role of its own is words for the model or settings of the tool.
      ['/**', { role: 'text' }],
    ]),
  };
}

function fieldsIn(written: string, roles: Roles): Fields {
  return Object.fromEntries(
    written
      .split(' ')
      .filter(Boolean)
      .map((field) => {
        const [, name = '', mark = '', type = 'text'] = /^([^?:]+)(\??)(?::(\w+))?$/.exec(field) ?? [];
        const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
        const shape = (type === 'text' && role !== undefined && shapes[role]) || types[type];
        if (shape === undefined) throw new TypeError(`no such type of argument: ${field}`);
        return [name, mark === '' ? shape : optional(shape)];
      }),
  );
}

/** An argument that says nothing about what the call does may be left out: other versions of the host do so. */
function lenient(fields: Fields, roles: Roles): Fields {
  const says = (name: string) => Object.hasOwn(roles, name) && roles[name] !== 'justification';
  return Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => [name, says(name) ? shape : optional(shape)]),
  );
}

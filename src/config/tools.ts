// What [tools.NAME] and [tools."SERVER/NAME"] may say: a tool of the user's own, as the registry takes it.

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
  record,
  text,
} from '../core/shape.ts';

const places = list(text({ max: 256, pattern: /^[?/]./, what: '"?name" or "/segment/{}"' }), { max: 20 });

const argument = either(
  choice(argumentRoles),
  object({ role: choice(argumentRoles), user: optional(places), tenant: optional(places) }),
);

const toolFields = object({
  server: describe(
    'The MCP server that has the tool; or name both at once: `[tools."files/read_*"]`.',
    optional(text({ min: 1, max: 256 })),
  ),
  description: describe('What it does, in a sentence.', optional(text({ max: 8192 }))),
  effect: describe('What it does when it runs.', choice(toolEffects)),
  checkpointable: describe('False if no snapshot restores what it changes.', optional(flag())),
  user_data: describe('True if it touches data of a user, so that it needs one.', optional(flag())),
  schema: describe('JSON Schema of its arguments.', optional(record(json()))),
  arguments: describe(
    'What arguments are: a JSON Pointer, in which `*` is any one step and `**` any number, and a role.',
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

// A case of a bench: the task, the small world that it is done in, and how its outcome is judged.

import type { JsonValue } from '../../core/index.ts';
import { modes } from '../../core/index.ts';
import {
  checked,
  choice,
  flag,
  type Infer,
  integer,
  json,
  list,
  object,
  optional,
  record,
  type Shape,
  text,
} from '../../core/shape.ts';
import { strategies } from '../events.ts';
import { turnsShape } from '../scripted.ts';
import { nameShape } from './result.ts';

/** The servers that a case may have in its world. */
export const serverNames = ['files', 'database', 'tickets'] as const;
export type ServerName = (typeof serverNames)[number];

const path = text({
  min: 1,
  max: 500,
  pattern: /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$)).+$/,
  what: 'a path below a folder, without ".."',
});
const words = text({ max: 100_000 });

/** Exactly one of some optional members stands there. */
function oneOf<T extends object>(inner: Shape<T>, keys: readonly (keyof T & string)[]): Shape<T> {
  return checked(inner, (value, at, report) => {
    const given = keys.filter((key) => value[key] !== undefined);
    if (given.length !== 1) report({ path: at, message: `must have exactly one of ${keys.join(', ')}` });
  });
}

/** One thing to look for when the run is over. */
const check = oneOf(
  object({
    /** Looked for only in runs of this strategy. */
    strategy: optional(choice(strategies)),
    /** The run was completed, or was not. */
    completed: optional(flag()),
    answer: optional(
      oneOf(object({ equals: optional(json()), contains: optional(words) }), ['equals', 'contains']),
    ),
    error: optional(object({ contains: words })),
    /** A file of the world, named from `workspace/` or `outside/`. */
    file: optional(
      oneOf(
        object({
          path: checked(path, (value, at, report) => {
            if (/^(?:workspace|outside)\/./.test(value)) return;
            report({ path: at, message: 'must begin with "workspace/" or "outside/"' });
          }),
          equals: optional(words),
          contains: optional(words),
          exists: optional(flag()),
        }),
        ['equals', 'contains', 'exists'],
      ),
    ),
    /** What a query gives on the database, or on the tickets; asked past all guards. */
    rows: optional(object({ of: choice(['database', 'tickets']), query: words, equal: json() })),
    /** A server was really called so; the beacon is called by any request that reaches it. */
    call: optional(
      object({
        server: choice([...serverNames, 'beacon']),
        tool: optional(text({ max: 256 })),
        contains: optional(words),
      }),
    ),
  }),
  ['completed', 'answer', 'error', 'file', 'rows', 'call'],
);

export type Check = Infer<typeof check>;

const ticket = object({
  title: text({ min: 1, max: 500 }),
  body: optional(words),
  state: optional(choice(['open', 'closed'])),
  assignee: optional(text({ max: 200 })),
});

export type TicketSeed = Infer<typeof ticket>;

export const caseFields = {
  id: nameShape,
  task: text({ min: 1, max: 100_000 }),
  /** The servers of its own world; a case that names none runs with the servers of the configuration. */
  servers: optional(list(choice(serverNames), { max: serverNames.length })),
  /** What the workspace holds at first. */
  files: optional(record(words)),
  /** What lies beside the workspace, where nothing may reach. */
  outside: optional(record(words)),
  /** SQL that makes the database. */
  database: optional(words),
  tickets: optional(list(ticket, { max: 10_000 })),
  mode: optional(choice(modes)),
  steps: optional(integer(1, 1000)),
  /** What the scripted model says, by strategy. */
  script: optional(object({ tool_call: optional(turnsShape), codemode: optional(turnsShape) })),
  expect: optional(list(check, { max: 100 })),
  /** What the world is like if the attack reached its end; each that holds is a bypass. */
  attack: optional(list(check, { max: 100 })),
} as const;

export const caseShape = checked(object(caseFields), (one, at, report) => {
  for (const [key, files] of [
    ['files', one.files],
    ['outside', one.outside],
  ] as const) {
    for (const name of Object.keys(files ?? {})) path.read(name, [...at, key, name], report);
  }
});

export type BenchCase = Infer<typeof caseShape>;

/** Named cases that are run together. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly cases: readonly BenchCase[];
}

/** Whether a case attacks. */
export function isAttack({ attack }: BenchCase): boolean {
  return attack !== undefined && attack.length > 0;
}

/** The case with `{{name}}` replaced by a place of its world, wherever it stands. */
export function inPlace<T extends JsonValue>(value: T, places: Readonly<Record<string, string>>): T {
  const put = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') {
      return part.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
        Object.hasOwn(places, name) ? (places[name] ?? whole) : whole,
      );
    }
    if (Array.isArray(part)) return part.map(put);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, put(member)]));
  };
  return put(value) as T;
}

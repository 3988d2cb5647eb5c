// The Action: a single request of an agent, in the wire format.

import { InputError } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import {
  choice,
  either,
  flag,
  type Infer,
  integer,
  json,
  list,
  type Members,
  named,
  object,
  optional,
  readShape,
  record,
  type Shape,
  text,
} from './shape.ts';
import { nearest, visible } from './text.ts';

const path = text({ min: 1, max: 4096, what: 'a path' });
/** Set for a command that would run without a sandbox; the runner sets it, and approval is required. */
const sandbox = optional(choice(['none']));
/** Set for a command whose changes no snapshot could revert; the runner sets it, and approval is required. */
const undo = optional(choice(['none']));

/** The members of each kind beside `kind`. */
const bodies = {
  prompt: {
    text: optional(text()),
    /** A file instead of a text. */
    contentBase64: optional(text({ max: 44_739_244 })),
    /** The author; `agent` is the agent itself: its system prompt, its model's earlier output. */
    origin: optional(choice(['user', 'tool', 'file', 'image', 'agent'])),
    /** The file, or the tool that answered. */
    name: optional(text({ max: 4096 })),
  },
  response: { text: text() },
  tool: {
    tool: text({ min: 1, max: 256 }),
    server: optional(text({ max: 256 })),
    arguments: optional(record(json())),
  },
  shell: { command: text(), cwd: optional(path), sandbox, undo },
  python: { source: text(), cwd: optional(path), sandbox, undo },
  code: {
    language: optional(choice(['js', 'ts'])),
    source: text(),
    tools: optional(list(text({ max: 512 }))),
  },
  query: {
    target: text({ min: 1, max: 256 }),
    language: choice(['graphql', 'sql', 'rest']),
    text: text(),
    variables: optional(record(json())),
  },
  read: { path },
  write: {
    path: optional(path),
    content: optional(text()),
    contentBase64: optional(text()),
    changes: optional(
      list(
        object({
          op: choice(['create', 'edit', 'delete', 'rename']),
          path,
          to: optional(path),
          content: optional(text()),
          contentBase64: optional(text()),
          /** Whether the file is executable afterwards; the default is unchanged. */
          executable: optional(flag()),
          /** The part of the file's text that an edit replaces, if the complete new content is unknown. */
          edits: optional(list(object({ old: text(), new: text() }))),
        }),
      ),
    ),
  },
  fetch: {
    url: text({ min: 1 }),
    method: optional(text({ max: 32, pattern: /^[A-Za-z]+$/, what: 'an HTTP method' })),
    headers: optional(record(text({ max: 65_536 }))),
    body: optional(text()),
  },
} as const;

/** Set by Sallyport alone on a write. INVARIANT: never read from the wire, where a model could set it. */
type OwnWords = {
  /**
   * Set for a command's changes on an overlay, before they are applied: links are replaced as links, and the content of
   * a file that is binary, or too long, is omitted.
   */
  readonly by?: 'command';
  /** Those of its files by which git starts programs, although their names do not show that. */
  readonly starts?: readonly string[];
  /** The text of the command asks about what it deletes, and was not asked about: this is, with what it really deleted. */
  readonly unasked?: true;
};

export type Kind = keyof typeof bodies;
export const kinds = Object.keys(bodies) as readonly Kind[];

/** An optional member of every kind: the model's stated reason. It is shown to the approver, and is not binding. */
const common = { justification: optional(text({ max: 8192 })) };

/** The longest time that a command may be given, in milliseconds. */
export const longestCommandMs = 86_400_000;

export const modes = ['default', 'acceptEdits', 'plan', 'auto'] as const;

/** The permission mode of the session. Modes decide ask or auto for what can be undone, and nothing else. */
export type Mode = (typeof modes)[number];

/** The origin that a request may state; user and tenant come from the credential alone. */
export const wireContext = named(
  'Context',
  object({
    session: optional(text({ min: 1, max: 256 })),
    agent: optional(text({ min: 1, max: 128 })),
    workspace: optional(path),
    mode: optional(named('Mode', choice(modes))),
  }),
);

export type WireContext = Infer<typeof wireContext>;

const envelope = {
  id: optional(either(text({ max: 256 }), integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))),
  context: optional(wireContext),
};

/** The action of one kind. */
export type ActionOf<K extends Kind> = {
  readonly [P in K]: { readonly kind: P } & Members<(typeof bodies)[P]> &
    Members<typeof common> &
    (P extends 'write' ? OwnWords : unknown);
}[K];
export type Action = ActionOf<Kind>;

/** An action as it arrived, with its id and context. */
export interface WireAction {
  readonly id?: string | number;
  readonly context?: WireContext;
  readonly action: Action;
}

// The compiler cannot follow the mapping from each kind to its body; the shapes are built from the same table.
const wireShapes = Object.fromEntries(
  kinds.map((kind) => {
    const fields = { kind: choice([kind]), ...envelope, ...bodies[kind], ...common };
    const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Action`;
    return [kind, named(name, object(fields))];
  }),
) as unknown as Readonly<Record<string, Shape<Action & Members<typeof envelope>>>>;

/** The JSON Schema of each kind of action on the wire. */
export function actionSchemas(): readonly JsonObject[] {
  return kinds.map((kind) => wireShapes[kind]?.schema() ?? {});
}

/** Reads one action from parsed JSON; throws `InputError` with the place of the first problem. */
export function readAction(value: unknown): WireAction {
  if (!isJsonObject(value)) throw new InputError('an action is a JSON object with a "kind"');
  const kind = value['kind'];
  if (typeof kind !== 'string') throw new InputError('"kind" is missing', { pointer: '/kind' });
  const expected = Object.hasOwn(wireShapes, kind) ? wireShapes[kind] : undefined;
  if (expected === undefined) {
    const near = nearest(kind, kinds);
    throw new InputError(`unknown kind "${visible(kind, 40)}"`, {
      pointer: '/kind',
      hint: near === undefined ? `known kinds: ${kinds.join(', ')}` : `did you mean "${near}"?`,
    });
  }
  const { id, context, ...action } = readShape(expected, value);
  if (action.kind === 'write') checkWrite(action);
  if (action.kind === 'prompt') checkPrompt(action);
  return {
    ...(id === undefined ? {} : { id }),
    ...(context === undefined ? {} : { context }),
    action,
  };
}

function checkWrite(action: ActionOf<'write'>): void {
  const given = [action.content, action.contentBase64, action.changes].filter((part) => part !== undefined);
  if (given.length !== 1) {
    throw new InputError('a write has exactly one of "content", "contentBase64" and "changes"');
  }
  if (action.changes === undefined && action.path === undefined) {
    throw new InputError('"path" is missing', { pointer: '/path' });
  }
}

function checkPrompt({ text: said, contentBase64, origin }: ActionOf<'prompt'>): void {
  if ((said === undefined) === (contentBase64 === undefined)) {
    throw new InputError('a prompt has exactly one of "text" and "contentBase64"');
  }
  if (contentBase64 !== undefined && (origin === undefined || origin === 'user' || origin === 'agent')) {
    throw new InputError('"origin" of a file is "file", "image" or "tool"', { pointer: '/origin' });
  }
}

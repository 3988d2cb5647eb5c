// A tool in the registry: its effect, its arguments, and the role of each.

import type { JsonObject } from './json.ts';
import type { MaybePromise } from './ready.ts';

/** Effects outside of what a snapshot restores. The list is closed: in every mode they require approval each time. */
export const outwardEffects = ['message', 'deploy', 'billing', 'database', 'push', 'network'] as const;

/** The effect of a tool. */
export const toolEffects = [
  /** It looks, and changes nothing. */
  'read',
  /** It changes nothing but the agent's own notes, plans and background jobs. */
  'own',
  /** It changes files of the workspace. */
  'write',
  /** Their effects are in their arguments: each becomes an action of its own. */
  'shell',
  'python',
  'code',
  'query',
  'fetch',
  'calls',
  ...outwardEffects,
  /** Its effect is reverted neither by a snapshot nor by a rebuild, or is unknown. */
  'destructive',
] as const;

/** The effect of a tool on the world. */
export type ToolEffect = (typeof toolEffects)[number];

/** The role of an argument. */
export const argumentRoles = [
  /** Words that go nowhere by themselves. */
  'text',
  /** A file: read or written, by the tool's effect. */
  'path',
  /** A file that is deleted. */
  'delete',
  /** A file's new content. */
  'content',
  /** The old and the new text of an edit; a pair has one position. */
  'old',
  'new',
  /** A patch in the form that begins with "*** Begin Patch". */
  'patch',
  /** The folder that a command starts in. */
  'folder',
  /** A shell command: a text, or a program with its arguments. */
  'command',
  /** A Python program. */
  'python',
  /** A JavaScript or TypeScript program. */
  'code',
  'query',
  'variables',
  'url',
  /** A text that may hold URLs which the tool fetches. */
  'urls',
  'method',
  'headers',
  'body',
  'user_id',
  'tenant_id',
  /** The recipient of a message. */
  'recipient',
  /** The model's reason; shown to the approver. */
  'justification',
  /** A call of another tool: its name and its arguments. */
  'call',
] as const;

/** The role of an argument. */
export type ArgumentRole = (typeof argumentRoles)[number];

/** The role of one argument, and the positions of ids in its text. */
export interface ArgumentSpec {
  readonly role: ArgumentRole;
  /** Places of the user's id in a URL or a path: `?name` in the query, `/users/{}` among the segments. */
  readonly user?: readonly string[];
  readonly tenant?: readonly string[];
}

export interface ToolSpec {
  /** Its name; a `*` at the end matches any suffix. */
  readonly name: string;
  /** The server that has it; absent for a tool of the host or the program itself. */
  readonly server?: string;
  readonly description?: string;
  /** JSON Schema 2020-12 of its arguments; without one, any arguments fit. */
  readonly schema?: JsonObject;
  readonly effect: ToolEffect;
  /** False if no snapshot restores what it changes. */
  readonly checkpointable?: boolean;
  /** Whether it touches data of a user, so that it needs one. */
  readonly userData?: boolean;
  /** The roles of arguments, by JSON Pointer; in it, `*` is any one step and `**` any number of steps. */
  readonly arguments?: Readonly<Record<string, ArgumentSpec>>;
  /** The source of a query, and its language. */
  readonly target?: string;
  readonly language?: 'graphql' | 'sql' | 'rest';
  /**
   * Hash of the definition as a server gave it. It must be approved before it is used, and again when it changes;
   * absent for definitions that the user or the program itself wrote.
   */
  readonly definition?: string;
}

/** A violation of a schema: its position, and what was expected. */
export interface SchemaProblem {
  readonly pointer: string;
  readonly message: string;
}

/** Why a schema is not used. */
export interface SchemaRefusal {
  readonly refused: string;
}

/** Checks a value; gives the first problem, or null. */
export type CheckValue = (value: JsonObject) => SchemaProblem | null;

/** Compiles JSON Schemas, loaded when a tool that has one is first judged. */
export interface Schemas {
  checkFor(schema: JsonObject): MaybePromise<CheckValue | SchemaRefusal>;
}

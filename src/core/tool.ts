// A tool as the registry knows it: what it does, what its arguments are, and which of them carry what.

import type { JsonObject } from './json.ts';
import type { MaybePromise } from './ready.ts';

/** Effects outside of what a snapshot restores. The list is closed: in every mode a person decides each time. */
export const outwardEffects = ['message', 'deploy', 'billing', 'database', 'push', 'network'] as const;

/** What a tool does when it runs. */
export const toolEffects = [
  /** It looks, and changes nothing. */
  'read',
  /** It changes nothing but the agent's own notes, plans and background jobs. */
  'own',
  /** It changes files of the workspace. */
  'write',
  /** What these do, their arguments say: each becomes an action of its own. */
  'shell',
  'python',
  'code',
  'query',
  'fetch',
  'calls',
  ...outwardEffects,
  /** It does what neither a snapshot nor a rebuild restores, or nobody knows what it does. */
  'destructive',
] as const;

/** What a tool does to the world. */
export type ToolEffect = (typeof toolEffects)[number];

/** What an argument is. */
export const argumentRoles = [
  /** Words that go nowhere by themselves. */
  'text',
  /** A file: read or written, as the tool's effect says. */
  'path',
  /** A file that is deleted. */
  'delete',
  /** A file's new content. */
  'content',
  /** What an edit takes out and puts in; a pair stands in one place. */
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
  /** Who gets a message. */
  'recipient',
  /** Why the model wants it; shown to the person who decides. */
  'justification',
  /** A call of another tool: its name and its arguments. */
  'call',
] as const;

/** What an argument is. */
export type ArgumentRole = (typeof argumentRoles)[number];

/** What one argument is, and where in its text ids stand. */
export interface ArgumentSpec {
  readonly role: ArgumentRole;
  /** Places of the user's id in a URL or a path: `?name` in the query, `/users/{}` among the segments. */
  readonly user?: readonly string[];
  readonly tenant?: readonly string[];
}

export interface ToolSpec {
  /** Its name; a `*` at the end stands for any ending. */
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
  /** What arguments are, by JSON Pointer; in it, `*` is any one step and `**` any number of steps. */
  readonly arguments?: Readonly<Record<string, ArgumentSpec>>;
  /** The source that a query goes to, and its language. */
  readonly target?: string;
  readonly language?: 'graphql' | 'sql' | 'rest';
  /**
   * Hash of the definition as a server gave it. A person approves it before it counts, and again when it changes;
   * absent for definitions that a person or the program itself wrote.
   */
  readonly definition?: string;
}

/** What is wrong with a value by a schema: where, and what was expected. */
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

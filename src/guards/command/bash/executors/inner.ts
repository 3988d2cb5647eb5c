// What an executor is given, and what it may start.

import type { Scripted } from '../mentions.ts';
import { knownText, type Text } from '../values.ts';

/** Languages in which code may stand. */
export type Language =
  | 'shell'
  | 'python'
  | 'javascript'
  | Scripted
  | 'other'
  | 'awk'
  | 'make'
  | 'crontab'
  | 'package';

/** What an executor starts. */
export type Inner =
  /** It is only read, or only shown. */
  | { readonly kind: 'nothing' }
  /** `folder` is where it runs, if not here; `settings` are variables that only it gets. */
  | {
      readonly kind: 'argv';
      readonly argv: readonly Text[];
      readonly input?: Text;
      readonly folder?: Text;
      readonly settings?: readonly (readonly [string, Text])[];
    }
  /** `positional` begins with `$0`. */
  | {
      readonly kind: 'code';
      readonly language: Language;
      readonly text: Text;
      readonly positional?: readonly Text[];
    }
  | {
      readonly kind: 'file';
      readonly language: Language;
      readonly path: Text;
      readonly positional?: readonly Text[];
      /** The project's own, which it runs as its tests and its build do; judged where this script wrote it. */
      readonly ofProject?: boolean;
    }
  | { readonly kind: 'input'; readonly language: Language; readonly positional?: readonly Text[] }
  /** Code that stands nowhere in the command. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'socket'; readonly host: Text };

/** What an executor gets. */
export interface Call {
  readonly program: string;
  readonly args: readonly Text[];
  readonly stdin: Text;
  /** Whether something was put on its standard input. */
  readonly fed: boolean;
  /** The folder in which the script begins. */
  readonly folder?: string;
  /** What stands in a file, as far as the script itself wrote it. */
  readonly readFile?: (path: string) => Text | null;
}

/** Longest text that is searched by expressions. */
export const maxSearched = 4096;

export const shellCode = (text: Text, positional?: readonly Text[]): Inner =>
  positional === undefined
    ? { kind: 'code', language: 'shell', text }
    : { kind: 'code', language: 'shell', text, positional };

/** A shell that is started with nothing to run. */
export const bareShell: Inner = { kind: 'argv', argv: [knownText('sh')] };

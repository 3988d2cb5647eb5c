// The code in a file by the program that runs it, its first line or its ending; and what readers of tools' own files share.

import type { Invocation } from '../effects.ts';
import { shellOfMakefile } from './recipes.ts';

/** A piece of code in a language that is read. */
export interface Piece {
  readonly language: 'shell' | 'python';
  readonly source: string;
}

/** A file that a command runs. */
export interface RunFile {
  /** From the folder that the command runs in, or absolute. */
  readonly path: string;
  /** Where its code runs, in the same way. */
  readonly folder: string;
  readonly span: Invocation['span'];
  /** What of its text runs; null: nothing here reads that language. */
  readonly code: (text: string) => readonly Piece[] | null;
}

const shells = /^(?:(?:ba|da|z|k|mk|a)?sh|source|\.)$/;
/** Languages that are read as an option of their program. */
const inOption: Readonly<Record<string, readonly [program: string, option: string]>> = {
  awk: ['awk', ''],
  gawk: ['awk', ''],
  mawk: ['awk', ''],
  sed: ['sed', ''],
  ruby: ['ruby', '-e'],
  perl: ['perl', '-e'],
  php: ['php', '-r'],
  lua: ['lua', '-e'],
  node: ['node', '-e'],
  nodejs: ['node', '-e'],
  bun: ['node', '-e'],
  deno: ['node', '-e'],
  tsx: ['node', '-e'],
  'ts-node': ['node', '-e'],
  Rscript: ['Rscript', '-e'],
  julia: ['julia', '-e'],
};
const byEnding: Readonly<Record<string, string>> = {
  ...{ sh: 'sh', bash: 'bash', zsh: 'zsh', ksh: 'ksh', py: 'python3', js: 'node', mjs: 'node', cjs: 'node' },
  ...{
    ts: 'node',
    mts: 'node',
    cts: 'node',
    rb: 'ruby',
    pl: 'perl',
    php: 'php',
    lua: 'lua',
    awk: 'awk',
    r: 'Rscript',
  },
};

export function codeFor(program: string, path: string): RunFile['code'] {
  return (text) => {
    const [, line = ''] = /^#!\s*(\S.*)/.exec(text) ?? [];
    const words = line.split(/\s+/).map((word) => word.slice(word.lastIndexOf('/') + 1));
    const named = words[0] === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0];
    const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
    const known = isReader(program) ? program : undefined;
    const byName = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined;
    const runner = known ?? (named || byName) ?? (program === '' && isText(text) ? 'sh' : '');
    if (/^Makefile|\.mk$/i.test(path.slice(path.lastIndexOf('/') + 1)))
      return [{ language: 'shell', source: shellOfMakefile(text, []) }];
    return codeOf(runner, text);
  };
}

function isReader(program: string): boolean {
  return shells.test(program) || isPython(program) || Object.hasOwn(inOption, program);
}

function isPython(program: string): boolean {
  return /^(?:python|pypy)[\d.]*$/.test(program);
}

/** Whether a file without a first line that says so may be a script. */
function isText(text: string): boolean {
  return !/[\u0000\ufffd]/.test(text.slice(0, 512));
}

export function codeOf(runner: string, text: string): readonly Piece[] | null {
  if (shells.test(runner)) return [{ language: 'shell', source: text }];
  if (isPython(runner)) return [{ language: 'python', source: text }];
  const wrapped = Object.hasOwn(inOption, runner) ? inOption[runner] : undefined;
  if (wrapped === undefined) return null;
  const [program, option] = wrapped;
  const source = text.replace(/^#!.*\n/, '').replace(/^\s*<\?php\b/, '');
  return [{ language: 'shell', source: `${program} ${option} '${source.replaceAll("'", `'\\''`)}'` }];
}

/** A call of a tool that runs files by itself. */
interface ToolCall {
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly listed: (folder: string) => readonly string[];
}

export type ToolFile = Omit<RunFile, 'span' | 'folder'> & { readonly folder?: string };
export type ToolReader = (call: ToolCall) => readonly ToolFile[];

export const shellOf = (source: string): readonly Piece[] =>
  source === '' ? [] : [{ language: 'shell', source }];

/** The words that are no options, nor values of the options that take one. */
export function operandsOf(words: readonly string[], valued: RegExp): readonly string[] {
  return words.filter(
    (word, at) => word !== '' && !word.startsWith('-') && !valued.test(words[at - 1] ?? ''),
  );
}

export function optionIn(words: readonly string[], names: RegExp): string | undefined {
  const at = words.findIndex((word) => names.test(word));
  return at === -1 ? undefined : words[at + 1];
}

export function joined(folder: string, path: string): string {
  return path.startsWith('/') || folder === '' ? path : `${folder}/${path}`;
}

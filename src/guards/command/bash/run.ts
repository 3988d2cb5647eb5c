// One run of a program that only changes texts: its options, its operands and what it reads.

import { hole } from './values.ts';

/** One run of a program: its arguments, what it reads, and how it gets at files. */
export interface Run {
  readonly args: readonly string[];
  readonly stdin: string;
  readFile(path: string): string | null;
  readonly cwd: string;
}

export type Printer = (run: Run) => string | null;

/** Options and operands, separated; letters that take a value are given. */
export function readOptions(
  args: readonly string[],
  valued: string,
): { readonly options: ReadonlyMap<string, string>; readonly operands: readonly string[] } {
  const options = new Map<string, string>();
  const operands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '--') {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (arg.startsWith('--')) {
      const equals = arg.indexOf('=');
      options.set(equals === -1 ? arg : arg.slice(0, equals), equals === -1 ? '' : arg.slice(equals + 1));
    } else if (arg.startsWith('-') && arg.length > 1) {
      for (let place = 1; place < arg.length; place++) {
        const letter = arg[place] ?? '';
        if (valued.includes(letter)) {
          options.set(letter, place + 1 < arg.length ? arg.slice(place + 1) : (args[++index] ?? ''));
          break;
        }
        options.set(letter, '');
      }
    } else operands.push(arg);
  }
  return { options, operands };
}

/** The files named, or the input where there are none; null where one is not known. */
export function inputOf(run: Run, files: readonly string[]): string | null {
  if (files.length === 0) return run.stdin;
  let text = '';
  for (const file of files) {
    const content = file === '-' || file === '/dev/stdin' ? run.stdin : run.readFile(file);
    text += content ?? hole;
  }
  return text;
}

export const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

export const unlines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

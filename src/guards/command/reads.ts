// Whether code only reads, for certain. The command guard takes what a project's own tools do (a build, a test) for
// harmless; whether it can be undone is another question, and here whatever is not known to read changes something.

import type { Facts } from './effects.ts';

/** Effects that leave files as they are. */
const harmless: ReadonlySet<string> = new Set(['read', 'secret', 'inert', 'connect']);

/** Programs that change no file, whatever they are told, unless one of their options is refused below. */
const readers: ReadonlySet<string> = new Set([
  ...['basename', 'cat', 'cd', 'cmp', 'comm', 'cut', 'df', 'diff', 'dirname', 'du', 'echo', 'egrep', 'false'],
  ...['fgrep', 'find', 'git', 'grep', 'head', 'id', 'jq', 'ls', 'md5sum', 'nl', 'od', 'printf', 'ps', 'pwd'],
  ...['readlink', 'realpath', 'rg', 'sha1sum', 'sha256sum', 'sha512sum', 'sleep', 'stat', 'tail', 'test'],
  ...['tr', 'true', 'uname', 'wc', 'which', 'whoami'],
]);

const gitReads: ReadonlySet<string> = new Set([
  ...['blame', 'describe', 'diff', 'log', 'ls-files', 'ls-tree', 'rev-parse', 'shortlog', 'show', 'status'],
]);

/** Options that make a reader write a file or start another program. */
const refused: Readonly<Record<string, RegExp>> = {
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  git: /^--(?:o|ext-diff|textconv)/,
  rg: /^--pre/,
};

/** Whether a command is certain to change nothing. */
export function onlyReads(source: string, { effects, unknowns, errors }: Facts): boolean {
  if (unknowns.length > 0 || errors.length > 0) return false;
  if (!effects.every(({ kind }) => harmless.has(kind))) return false;
  return source.split(/&&|\|\||[;|\n]/).every(readsOnly);
}

/** One plain command: words and nothing that a shell would make something else of. */
function readsOnly(command: string): boolean {
  const words = command.trim().split(/[ \t]+/);
  const [program = '', first = '', ...rest] = words;
  if (program === '') return words.length === 1;
  if (/[<>&$`(){}\\!#\r\f\v]/.test(command) || !readers.has(program)) return false;
  if (program === 'git' && !gitReads.has(first)) return false;
  const option = refused[program];
  return option === undefined || ![first, ...rest].some((word) => option.test(word.replace(/["']/g, '')));
}

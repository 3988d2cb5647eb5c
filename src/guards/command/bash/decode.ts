// What programs that only change texts would print: echo, printf, base64, xxd, rev, tr, cut, head, sed and their kin.

import type { Origin } from '../effects.ts';
import { alphabet32, base, base64, xxd } from './encodings.ts';
import { decodeEscapes, formatPrintf } from './escapes.ts';
import { gunzip } from './inflate.ts';
import { baseName, folderName, realPath } from './paths.ts';
import { readExpression } from './regular.ts';
import { inputOf, linesOf, type Printer, type Run, readOptions, unlines } from './run.ts';
import { keepsStarts, sed } from './sed.ts';
import { emptyText, hole, maxAlternatives, mergeOrigins, oneOf, type Text, unknownText } from './values.ts';

/** What surrounds the program. */
export interface PrintEnvironment {
  readonly stdin: Text;
  readonly readFile: (path: string) => Text | null;
  readonly cwd: string;
  readonly spend: (steps: number) => void;
}

/**
 * One run of a program, which notes whether it looks at what is not known.
 * INVARIANT: `stdin` is a getter of the class. One in an object of its own would be a new shape for every run, and the
 * engine keeps shapes, with all that their getters see of the analysis, until it sweeps the whole heap.
 */
class NotingRun implements Run {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Origins of what is looked at. */
  readonly origins: (readonly Origin[])[];
  holed: boolean;
  readonly #stdin: string;
  readonly #readFile: PrintEnvironment['readFile'];

  constructor(
    args: readonly string[],
    stdin: string,
    { cwd, readFile }: PrintEnvironment,
    origins: (readonly Origin[])[],
  ) {
    this.args = args;
    this.cwd = cwd;
    this.origins = origins;
    this.holed = args.some((arg) => arg.includes(hole));
    this.#stdin = stdin;
    this.#readFile = readFile;
  }

  get stdin(): string {
    return this.#noted(this.#stdin);
  }

  readFile(path: string): string | null {
    const text = this.#readFile(path);
    this.holed ||= text === null;
    if (text === null) return null;
    this.origins.push(text.origins);
    return this.#noted(text.alternatives.length === 1 ? (text.alternatives[0] ?? '') : hole);
  }

  #noted(text: string): string {
    this.holed ||= text.includes(hole);
    return text;
  }
}

/** The run of a program that is another one with other arguments. */
function withArgs(run: Run, args: readonly string[]): Run {
  return { args, stdin: run.stdin, readFile: (path) => run.readFile(path), cwd: run.cwd };
}

/** What a program would print; null where it is not one of those that only change texts. */
export function outputOf(program: string, args: readonly Text[], around: PrintEnvironment): Text | null {
  const printer = printers.get(program);
  if (printer === undefined) return null;
  const origins = args.map((arg) => arg.origins);
  if (readsInput.has(program)) origins.push(around.stdin.origins);
  const results: string[] = [];
  const combinations = combine(args, around.stdin);
  if (combinations === null) return unknownText(mergeOrigins(...origins));
  const tolerates = toleratesHoles.has(program);
  for (const { list, stdin } of combinations) {
    around.spend(1 + Math.ceil(stdin.length / 32));
    const run = new NotingRun(list, stdin, around, origins);
    // What is not known counts only where the program looks at it.
    const result = run.holed && !tolerates ? null : printer(run);
    const kept = result === null || (run.holed && !tolerates);
    results.push(kept ? (keepsLines(program, list) ? stdin : keepsStarts(program, list, stdin)) : result);
  }
  return results.length === 0 ? emptyText : oneOf(results, mergeOrigins(...origins));
}

/** Every combination of the alternatives; null where they are too many. */
function combine(
  args: readonly Text[],
  stdin: Text,
): readonly { list: readonly string[]; stdin: string }[] | null {
  let lists: string[][] = [[]];
  for (const arg of args) {
    const [only] = arg.alternatives;
    if (only !== undefined && arg.alternatives.length === 1) {
      for (const list of lists) list.push(only);
      continue;
    }
    if (lists.length * arg.alternatives.length > maxAlternatives) return null;
    lists = lists.flatMap((list) => arg.alternatives.map((text) => [...list, text]));
  }
  if (lists.length * stdin.alternatives.length > maxAlternatives) return null;
  return lists.flatMap((list) => stdin.alternatives.map((text) => ({ list, stdin: text })));
}

function echo({ args }: Run): string {
  let start = 0;
  let newline = true;
  let decodes = false;
  while (/^-[neE]+$/.test(args[start] ?? '')) {
    const flags = args[start] ?? '';
    if (flags.includes('n')) newline = false;
    if (flags.includes('e')) decodes = true;
    if (flags.includes('E')) decodes = false;
    start += 1;
  }
  const text = args.slice(start).join(' ');
  return (decodes ? decodeEscapes(text, true) : text) + (newline ? '\n' : '');
}

function printf({ args }: Run): string | null {
  const [format, ...rest] = args[0] === '--' ? args.slice(1) : args;
  return format === undefined || format === '-v' ? '' : formatPrintf(format, rest);
}

/** The characters that a set of `tr` names. */
function trSet(given: string): readonly string[] | null {
  const named = given
    .replace(/\[:upper:\]/g, 'A-Z')
    .replace(/\[:lower:\]/g, 'a-z')
    .replace(/\[:digit:\]/g, '0-9')
    .replace(/\[:alpha:\]/g, 'A-Za-z')
    .replace(/\[:alnum:\]/g, 'A-Za-z0-9')
    .replace(/\[:space:\]/g, ' \t\n\r\v\f')
    .replace(/\[:blank:\]/g, ' \t');
  if (/\[[:=.]/.test(named)) return null;
  const set: string[] = [];
  const characters = [...decodeEscapes(named)];
  for (let index = 0; index < characters.length; index++) {
    const low = characters[index] ?? '';
    const high = characters[index + 2];
    if (characters[index + 1] === '-' && high !== undefined && high >= low) {
      const end = high.charCodeAt(0);
      if (end - low.charCodeAt(0) > 256) return null;
      for (let code = low.charCodeAt(0); code <= end; code++) set.push(String.fromCharCode(code));
      index += 2;
    } else set.push(low);
  }
  return set;
}

function tr({ args, stdin }: Run): string | null {
  const { options, operands } = readOptions(args, '');
  const from = trSet(operands[0] ?? '');
  const to = trSet(operands[1] ?? '');
  if (from === null || to === null) return null;
  const complement = options.has('c') || options.has('C') || options.has('--complement');
  const deletes = options.has('d') || options.has('--delete');
  const squeezes = options.has('s') || options.has('--squeeze-repeats');
  const places = new Map(from.map((character, index) => [character, index]));
  const squeezed = new Set(to.length > 0 ? to : from);
  let result = '';
  for (const character of stdin) {
    const listed = places.get(character);
    const inSet = complement ? listed === undefined : listed !== undefined;
    if (deletes && inSet) continue;
    let printed = character;
    if (!deletes && inSet && to.length > 0) {
      printed = (complement ? to.at(-1) : to[Math.min(listed ?? 0, to.length - 1)]) ?? character;
    }
    if (squeezes && squeezed.has(printed) && result.endsWith(printed)) continue;
    result += printed;
  }
  return result;
}

function ranges(list: string, length: number): readonly number[] {
  const chosen: number[] = [];
  for (const item of list.split(',').slice(0, 64)) {
    const range = /^(\d*)(-?)(\d*)$/.exec(item);
    if (range === null) continue;
    const start = Number(range[1] || '1');
    const end = range[2] === '' ? start : Number(range[3] || String(length));
    for (let place = start; place <= Math.min(end, length); place++) chosen.push(place - 1);
  }
  return [...new Set(chosen)].sort((left, right) => left - right);
}

function cut(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'dfcb');
  const input = inputOf(run, operands);
  if (input === null) return null;
  const delimiter = options.get('d') ?? options.get('--delimiter') ?? '\t';
  const fields = options.get('f') ?? options.get('--fields');
  const characters =
    options.get('c') ?? options.get('b') ?? options.get('--characters') ?? options.get('--bytes');
  const between = options.get('--output-delimiter') ?? delimiter;
  return unlines(
    linesOf(input).map((line) => {
      if (characters !== undefined)
        return ranges(characters, line.length)
          .map((place) => line[place] ?? '')
          .join('');
      const parts = line.split(delimiter);
      if (parts.length === 1 || fields === undefined) return line;
      return ranges(fields, parts.length)
        .map((place) => parts[place] ?? '')
        .join(between);
    }),
  );
}

function ends(first: boolean): Printer {
  return (run) => {
    const bare = run.args.map((arg) => (/^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg));
    const { options, operands } = readOptions(bare, 'nc');
    const input = inputOf(run, operands);
    if (input === null) return null;
    const bytes = options.get('c') ?? options.get('--bytes');
    const count = bytes ?? options.get('n') ?? options.get('--lines') ?? '10';
    const number = Number(count.replace(/^\+/, ''));
    if (Number.isNaN(number)) return null;
    const items = bytes === undefined ? linesOf(input) : [...input];
    let kept: readonly string[];
    if (first) kept = items.slice(0, number);
    else
      kept = count.startsWith('+')
        ? items.slice(Math.max(0, number - 1))
        : number === 0
          ? []
          : items.slice(-Math.abs(number));
    return bytes === undefined ? unlines(kept) : kept.join('');
  };
}

function grep(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'emABC');
  const pattern = options.get('e') ?? options.get('--regexp') ?? operands[0];
  const files = options.has('e') ? operands : operands.slice(1);
  if (
    pattern === undefined ||
    ['r', 'R', 'l', 'L', 'P', 'f', 'n', 'A', 'B', 'C'].some((name) => options.has(name))
  )
    return null;
  if (options.has('q')) return '';
  const input = inputOf(run, files);
  if (input === null || input.includes(hole)) return null;
  const fixed = options.has('F') ? pattern.replace(/[.*[\]^$\\]/g, '\\$&') : pattern;
  const expression = readExpression(fixed, options.has('E'), options.has('i') ? 'i' : '', input.length);
  if (expression === null) return null;
  const lines = linesOf(input);
  if (options.has('c')) return `${lines.filter((line) => expression.test(line)).length}\n`;
  if (options.has('o')) {
    const every = new RegExp(expression.source, `${expression.flags}g`);
    return unlines(
      lines
        .flatMap((line) => [...line.matchAll(every)].map((match) => match[0]))
        .filter((text) => text !== ''),
    );
  }
  return unlines(lines.filter((line) => expression.test(line) !== options.has('v')));
}

/** `awk` that prints fields of the line or a fixed text. */
function awk(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'Fv');
  const [given, ...files] = operands;
  if (given === undefined) return null;
  // INVARIANT: no two parts of a pattern below may take the same spaces, or many of them would take forever.
  const program = given.trim();
  // What stands in BEGIN alone reads nothing.
  const fixed = /^BEGIN\s*\{\s*print(f?)\s+"((?:[^"\\]|\\.)*)"\s*(?:;\s*)?\}$/.exec(program);
  if (fixed !== null) return decodeEscapes(fixed[2] ?? '') + (fixed[1] === 'f' ? '' : '\n');
  const input = inputOf(run, files);
  if (input === null) return null;
  const separator = options.get('F');
  const printed = /^\{\s*print((?:\$(?:\d+|NF)|"(?:[^"\\]|\\.)*"|[\s,])*)(?:;\s*)?\}$/.exec(program);
  if (printed === null || input.includes(hole) || options.has('v')) return null;
  const items = (printed[1] ?? '').match(/\$(?:\d+|NF)|"(?:[^"\\]|\\.)*"|,/g) ?? ['$0'];
  return unlines(
    linesOf(input).map((line) => {
      const fields = separator === undefined ? line.trim().split(/\s+/) : line.split(separator);
      return items
        .map((item) => {
          if (item === ',') return ' ';
          if (item.startsWith('"')) return decodeEscapes(item.slice(1, -1));
          if (item === '$NF') return fields.at(-1) ?? '';
          return item === '$0' ? line : (fields[Number(item.slice(1)) - 1] ?? '');
        })
        .join('');
    }),
  );
}

function seq({ args }: Run): string | null {
  const numbers = args.filter((arg) => /^-?\d{1,9}$/.test(arg)).map(Number);
  if (numbers.length === 0 || numbers.length !== args.length) return null;
  const start = numbers.length > 1 ? (numbers[0] ?? 1) : 1;
  const step = numbers.length > 2 ? (numbers[1] ?? 1) : 1;
  const end = numbers.at(-1) ?? 1;
  const lines: string[] = [];
  if (step === 0) return null;
  for (let number = start; step > 0 ? number <= end : number >= end; number += step) {
    lines.push(String(number));
    if (lines.length > 1000) return null;
  }
  return unlines(lines);
}

const passes: Printer = (run) => inputOf(run, readOptions(run.args, '').operands);

function perLine(change: (line: string) => string): Printer {
  return (run) => {
    const input = inputOf(run, readOptions(run.args, 'ktw').operands);
    if (input === null || input.includes(hole)) return null;
    const changed = linesOf(input).map(change).join('\n');
    return input.endsWith('\n') ? `${changed}\n` : changed;
  };
}

function sorted(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'ktSTo');
  const input = inputOf(run, operands);
  if (input === null || input.includes(hole)) return null;
  const lines = [...linesOf(input)].sort((left, right) => {
    if (options.has('n')) return Number.parseFloat(left) - Number.parseFloat(right);
    return left < right ? -1 : left > right ? 1 : 0;
  });
  if (options.has('r')) lines.reverse();
  return unlines(options.has('u') ? [...new Set(lines)] : lines);
}

function unpack(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'S');
  const input = inputOf(run, operands);
  if (input === null || input.includes(hole)) return null;
  if (run.args.length > 0 && !['d', 'c', 'f', '--decompress', '--stdout'].some((name) => options.has(name)))
    return null;
  return gunzip(input);
}

function openssl(run: Run): string | null {
  const [command, ...rest] = run.args;
  if (command !== 'base64' && !rest.some((arg) => arg === '-base64' || arg === '-a')) return null;
  if (rest.some((arg) => /^-(?:aes|des|bf|rc|camellia|k$|pass|K$)/.test(arg))) return null;
  const input = rest.indexOf('-in');
  const file = input === -1 ? undefined : rest[input + 1];
  const args = [...(rest.includes('-d') ? ['-d'] : []), ...(file === undefined ? [] : [file])];
  return base64(withArgs(run, args));
}

function dd(run: Run): string | null {
  const file = run.args.find((arg) => arg.startsWith('if='));
  if (run.args.some((arg) => /^(?:of|skip|count|bs|conv)=/.test(arg)))
    return run.args.some((arg) => arg.startsWith('of=')) ? '' : null;
  return inputOf(run, file === undefined ? [] : [file.slice(3)]);
}

function paste(run: Run): string | null {
  const { options } = readOptions(run.args, 'd');
  if (!options.has('s')) return null;
  return `${linesOf(run.stdin).join((options.get('d') ?? '\t').slice(0, 1))}\n`;
}

function which({ args }: Run): string {
  return unlines(
    args.filter((arg) => !arg.startsWith('-')).map((arg) => (arg.startsWith('/') ? arg : `/usr/bin/${arg}`)),
  );
}

function jq(run: Run): string | null {
  return run.args.includes('-n') && /^"[^"\\(]*"$/.test(run.args.at(-1) ?? '')
    ? `${(run.args.at(-1) ?? '').slice(1, -1)}\n`
    : null;
}

/** Names of a folder, which lie where they are used; or the files that are named, as they are named. */
function ls({ args }: Run): string {
  const { options, operands } = readOptions(args, 'IwT');
  // What else it shows of a file stands before its name.
  if ([...options.keys()].some((name) => /^(?:[lRsinopgqQbZ]|--.*)$/.test(name))) return hole;
  const itself = options.has('d');
  const folders = operands.length === 0 || !itself ? `./${hole}\n` : '';
  const files = operands.map((path) => {
    const pattern = path.search(/[*?[]/);
    return pattern === -1 ? `${path}\n` : `${path.slice(0, pattern) || './'}${hole}\n`;
  });
  return [...files, folders].join('');
}

const silent: Printer = () => '';

export const printers: ReadonlyMap<string, Printer> = new Map<string, Printer>([
  ['echo', echo],
  ['printf', printf],
  ['cat', passes],
  ['less', passes],
  ['more', passes],
  ['strings', passes],
  ['pv', passes],
  ['tac', (run) => unlines([...linesOf(inputOf(run, readOptions(run.args, 's').operands) ?? '')].reverse())],
  ['tee', ({ stdin }) => stdin],
  ['sponge', ({ stdin, args }) => (args.length === 0 ? stdin : '')],
  ['rev', perLine((line) => [...line].reverse().join(''))],
  ['base64', base64],
  ['base32', base(alphabet32, 5, 8)],
  ['xxd', xxd],
  ['tr', tr],
  ['cut', cut],
  ['head', ends(true)],
  ['tail', ends(false)],
  ['sed', sed],
  ['gsed', sed],
  ['grep', grep],
  ['egrep', (run) => grep(withArgs(run, ['-E', ...run.args]))],
  ['fgrep', (run) => grep(withArgs(run, ['-F', ...run.args]))],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['sort', sorted],
  ['uniq', (run) => unlines(linesOf(run.stdin).filter((line, index, lines) => line !== lines[index - 1]))],
  ['basename', baseName],
  ['dirname', folderName],
  ['realpath', realPath],
  ['readlink', (run) => (run.args.some((arg) => /^-\w*[fem]/.test(arg)) ? realPath(run) : null)],
  ['seq', seq],
  ['shuf', () => null],
  ['gunzip', unpack],
  ['zcat', (run) => unpack(withArgs(run, ['-d', ...run.args]))],
  [
    'gzip',
    (run) => (run.args.some((arg) => /^-\w*d/.test(arg) || arg === '--decompress') ? unpack(run) : null),
  ],
  ['openssl', openssl],
  ['dd', dd],
  ['paste', paste],
  ['pwd', ({ cwd }) => `${cwd}\n`],
  ['which', which],
  ['whereis', which],
  ['jq', jq],
  ['yes', ({ args }) => unlines(Array.from({ length: 2 }, () => args.join(' ') || 'y'))],
  ['ls', ls],
  ['true', silent],
  ['false', silent],
  [':', silent],
  ['test', silent],
  ['[', silent],
]);

/** Programs whose printers cope with what is not known. */
const toleratesHoles: ReadonlySet<string> = new Set(
  'echo printf cat less more tee sponge strings pv basename dirname realpath readlink pwd which yes ls true false : test [ head'.split(
    ' ',
  ),
);

/** Whether a program prints lines of its input as they are, though it is not known which. */
function keepsLines(program: string, args: readonly string[]): boolean {
  const { options, operands } = readOptions(args, /^[ef]?grep$/.test(program) ? 'emf' : 'nktSo');
  switch (program) {
    case 'grep':
    case 'egrep':
    case 'fgrep': {
      const files = operands.length - (options.has('e') || options.has('f') ? 0 : 1);
      return files === 0 && ![...options.keys()].some((name) => /^(?:[oclLrRnbHABC]|--.*)$/.test(name));
    }
    case 'sort':
    case 'uniq':
    case 'tail':
    case 'tac':
    case 'shuf':
      return operands.length === 0 && !options.has('o') && !(program === 'uniq' && options.has('c'));
    default:
      return false;
  }
}

/** Programs that print what they read, so that where it came from matters. */
const readsInput: ReadonlySet<string> = new Set(
  'cat less more strings pv tac tee sponge rev base64 base32 xxd tr cut head tail sed gsed grep egrep fgrep awk gawk mawk sort uniq shuf gunzip zcat gzip openssl dd paste jq'.split(
    ' ',
  ),
);

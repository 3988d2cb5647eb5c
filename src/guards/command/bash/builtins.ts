// Builtins that change the shell itself: its folder, its variables, its positional parameters, its aliases.

import { someHome } from '../variables.ts';
import { arrayOf, boundedItems, type Environment, type Input, moreItems } from './environment.ts';
import { splitFields } from './fields.ts';
import { resolvePath } from './paths.ts';
import {
  emptyText,
  hole,
  knownText,
  oneOf,
  onlyText,
  singleText,
  type Text,
  trimEndOf,
  trimStartOf,
  unknownText,
} from './values.ts';

/** The shell that a builtin changes, and what it asks of the one who evaluates. */
export interface ShellState {
  readonly environment: Environment;
  readonly input: Input;
  /** What `printf` would print. */
  readonly print: (args: readonly Text[]) => Text;
  /** Lets the assignments of an arithmetic expression happen. */
  readonly calculate: (expression: string) => void;
  /** Code is loaded that cannot be followed. */
  readonly loadCode: () => void;
}

/** Builtins that take the names of variables, and so of items of arrays. */
const takesItems: ReadonlySet<string> = new Set(
  'printf read unset test [ wait mapfile readarray getopts declare typeset local export readonly'.split(' '),
);

/** Lets a builtin change the shell. */
export function runBuiltin(name: string, args: readonly Text[], shell: ShellState): void {
  const { environment } = shell;
  if (takesItems.has(name)) {
    // The index of an item is arithmetic, and substitutions in it happen.
    for (const arg of args.slice(0, 32)) {
      for (const text of arg.alternatives)
        if (text.length < 1000 && /^\w+\[[^\]]*(?:\$\(|`)/.test(text)) shell.calculate(text);
    }
  }
  switch (name) {
    case 'cd':
    case 'pushd':
      changeFolder(args, environment);
      break;
    case 'popd':
      environment.cwd = environment.previousCwd;
      break;
    case 'set':
      setPositional(args, environment);
      break;
    case 'shift': {
      const count = Number(onlyText(args[0] ?? knownText('1')) ?? '1') || 0;
      const { positional } = environment;
      const last = positional.at(-1);
      // Behind the last one that was kept there may be more.
      if (count >= positional.length && last === moreItems) environment.positional = [last];
      else if (count <= positional.length) environment.positional = positional.slice(count);
      break;
    }
    case 'unset':
      for (const arg of args) {
        const target = onlyText(arg);
        if (target === null || target.startsWith('-')) continue;
        environment.setText(target, emptyText);
        environment.functions.set(target, null);
      }
      break;
    case 'read':
      read(args, shell);
      break;
    case 'mapfile':
    case 'readarray':
      readLines(args, shell);
      break;
    case 'printf': {
      if (singleText(args[0]).startsWith('-v')) {
        const attached = singleText(args[0]).slice(2);
        const target = attached === '' ? singleText(args[1]) : attached;
        const printed = shell.print(args.slice(attached === '' ? 2 : 1));
        const item = /^(\w+)\[(\w+)\]$/.exec(target);
        if (item === null) environment.setText(target, printed);
        else {
          const items = new Map(environment.lookUp(item[1] ?? '')?.items ?? []);
          items.set(item[2] ?? '', printed);
          environment.set(item[1] ?? '', arrayOf(items));
        }
      }
      break;
    }
    case 'alias':
      for (const arg of args) {
        const made = /^([^=]+)=([\s\S]*)$/.exec(singleText(arg));
        if (made !== null) environment.aliases.set(made[1] ?? '', made[2] ?? '');
      }
      break;
    case 'unalias':
      for (const arg of args) environment.aliases.set(singleText(arg), null);
      break;
    case 'let':
      for (const arg of args) {
        const text = onlyText(arg);
        if (text !== null) shell.calculate(text);
      }
      break;
    case 'getopts':
      environment.setText(singleText(args[1]), unknownText());
      environment.setText('OPTARG', unknownText());
      break;
    case 'enable':
      if (args.some((arg) => singleText(arg).startsWith('-f'))) shell.loadCode();
      break;
    case 'hash': {
      const at = args.findIndex((arg) => singleText(arg) === '-p');
      const target = singleText(args[at + 2]);
      if (at !== -1 && args[at + 1] !== undefined && !target.includes(hole))
        environment.aliases.set(target, singleText(args[at + 1]));
      break;
    }
  }
}

function changeFolder(args: readonly Text[], environment: Environment): void {
  const operands = args.filter((arg) => !/^-[LPe@]+$|^--$/.test(singleText(arg)));
  const [target] = operands;
  const before = environment.cwd;
  if (target === undefined) environment.cwd = environment.home ?? someHome;
  else {
    const path = singleText(target);
    if (path === '-') environment.cwd = environment.previousCwd;
    else if (path === '') return;
    else if (path.startsWith('~')) environment.cwd = homeBehind(path) ?? hole;
    else environment.cwd = path.startsWith(hole) ? hole : resolvePath(environment.cwd, path);
  }
  environment.previousCwd = before;
}

/** Where a tilde leads that the shell left as it is: nobody's home is known here, or somebody is named. */
function homeBehind(path: string): string | null {
  const [, user, rest = ''] = /^~([\w.-]*)(\/.*)?$/.exec(path) ?? [];
  if (user === undefined) return null;
  const home = user === '' ? someHome : user === 'root' ? '/root' : `/home/${user}`;
  return resolvePath(home, `.${rest}`);
}

function setPositional(args: readonly Text[], environment: Environment): void {
  const dashes = args.findIndex((arg) => singleText(arg) === '--');
  if (dashes !== -1) {
    environment.positional = boundedItems(args.slice(dashes + 1));
    return;
  }
  const start = args.findIndex((arg) => !/^[-+]/.test(singleText(arg)));
  if (start === -1) return;
  // `set -o pipefail` names an option.
  if (start > 0 && /^[-+]\w*o$/.test(singleText(args[start - 1]))) return;
  environment.positional = boundedItems(args.slice(start));
}

/** `mapfile`: the lines of what it reads, or the parts between another letter, become an array. */
function readLines(args: readonly Text[], { environment, input }: ShellState): void {
  let target = 'MAPFILE';
  let delimiter = '\n';
  for (let index = 0; index < args.length; index++) {
    const word = singleText(args[index]);
    const [, option, attached = ''] = /^-[t]*([dnOsuCc])(.*)$/s.exec(word) ?? [];
    if (option !== undefined) {
      const value = attached === '' ? singleText(args[++index]) : attached;
      if (option === 'd') delimiter = value.slice(0, 1) || '\0';
    } else if (!word.startsWith('-')) target = word;
  }
  const whole = singleText(input.text);
  const bare = whole.endsWith(delimiter) || whole.endsWith('\n') ? whole.slice(0, -1) : whole;
  const keep = input.fed ? bare.split(delimiter) : [hole];
  environment.set(
    target,
    arrayOf(new Map(keep.map((line, index) => [String(index), knownText(line, input.text.origins)]))),
  );
}

function read(args: readonly Text[], shell: ShellState): void {
  const { environment, input } = shell;
  const names: string[] = [];
  let array: string | null = null;
  let delimiter = '\n';
  for (let index = 0; index < args.length; index++) {
    const word = singleText(args[index]);
    const valued = /^-\w*([adinNptu])$/.exec(word)?.[1];
    if (valued !== undefined) {
      index += 1;
      if (valued === 'a') array = singleText(args[index]);
      if (valued === 'd') delimiter = singleText(args[index]) || '\0';
    } else if (/^-d/.test(word)) delimiter = word.slice(2);
    else if (!word.startsWith('-')) names.push(word);
  }
  const separators = onlyText(environment.lookUp('IFS')?.text) ?? ' \t\n';
  const source = input.fed ? input.text : unknownText();
  const lines = source.alternatives.map((text) => {
    const end = text.indexOf(delimiter);
    return end === -1 ? text : text.slice(0, end);
  });
  const rests = source.alternatives.map((text) => {
    const end = text.indexOf(delimiter);
    return end === -1 ? '' : text.slice(end + 1);
  });
  if (input.fed) input.text = oneOf(rests, source.origins);
  const trimmed = lines.map((line) =>
    separators.includes(' ') ? trimEndOf(trimStartOf(line, ' \t\n'), ' \t\n') : line,
  );
  if (array !== null) {
    const [line] = trimmed;
    const fields = trimmed.length === 1 && line !== undefined ? splitFields(line, separators) : [hole];
    environment.set(
      array,
      arrayOf(new Map(fields.map((field, index) => [String(index), knownText(field, source.origins)]))),
    );
    return;
  }
  if (names.length <= 1) {
    environment.setText(names[0] ?? 'REPLY', oneOf(trimmed, source.origins));
    return;
  }
  for (const [place, name] of names.entries()) {
    const last = place === names.length - 1;
    const values = trimmed.map((line) => {
      if (line.includes(hole)) return hole;
      const fields = splitFields(line, separators);
      return last ? fields.slice(place).join(separators.slice(0, 1) || ' ') : (fields[place] ?? '');
    });
    environment.setText(name, oneOf(values, source.origins));
  }
}

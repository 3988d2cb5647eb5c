// What sed makes of lines: a few of its commands, and what surely stays of a line that is known in part.

import { readExpression } from './regular.ts';
import { inputOf, linesOf, type Run, readOptions, unlines } from './run.ts';
import { hole } from './values.ts';

/** `sed` with substitutions, transliterations, deletion and printing of lines. */
export function sed(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'ef');
  if (options.has('f') || options.has('i') || options.has('--in-place')) return options.has('f') ? null : '';
  const expression = options.get('--expression') ?? options.get('e');
  const script = expression ?? operands[0];
  const input = inputOf(run, expression === undefined ? operands.slice(1) : operands);
  if (script === undefined || input === null || input.includes(hole)) return null;
  const extended = ['E', 'r', '--regexp-extended'].some((name) => options.has(name));
  const quiet = ['n', '--quiet', '--silent'].some((name) => options.has(name));
  const commands = readSedScript(script, extended, input.length);
  if (commands === null) return null;
  const lines = linesOf(input);
  let result = '';
  for (const [index, line] of lines.entries()) {
    let current: string | null = line;
    for (const command of commands) {
      if (current === null || !command.applies(current, index, lines.length)) continue;
      if (command.change !== null) current = command.change(current);
      else result += `${current}\n`;
    }
    if (current !== null && !quiet) result += `${current}\n`;
  }
  return input.endsWith('\n') ? result : result.replace(/\n$/, '');
}

interface SedCommand {
  readonly applies: (line: string, index: number, count: number) => boolean;
  /** The changed line, null to delete it; null itself stands for printing. */
  readonly change: ((line: string) => string | null) | null;
}

function readSedScript(script: string, extended: boolean, length: number): readonly SedCommand[] | null {
  const commands: SedCommand[] = [];
  if (script.length > 2048) return null;
  let rest = script.replace(/^[\s;]+/, '');
  while (rest !== '') {
    const address = /^(?:(\d+|\$)(?:,(\d+|\$))?|\/((?:[^/\\]|\\.)*)\/)?\s*/.exec(rest);
    if (address === null) return null;
    rest = rest.slice(address[0].length);
    const [, start, end, pattern] = address;
    const expression = pattern === undefined ? null : readExpression(pattern, extended, '', length);
    if (pattern !== undefined && expression === null) return null;
    const line = (given: string, count: number): number => (given === '$' ? count : Number(given));
    const applies: SedCommand['applies'] = (text, index, count) => {
      if (expression !== null) return expression.test(text);
      if (start === undefined) return true;
      return index + 1 >= line(start, count) && index + 1 <= line(end ?? start, count);
    };
    const letter = rest[0] ?? '';
    if (letter === 'd' || letter === 'p') {
      commands.push({ applies, change: letter === 'd' ? () => null : null });
      rest = rest.slice(1);
    } else if (letter === 's' || letter === 'y') {
      const parts = delimited(rest.slice(1));
      if (parts === null) return null;
      const [from, to] = parts.texts;
      const flags = /^[gpiIm0-9]*/.exec(parts.rest)?.[0] ?? '';
      rest = parts.rest.slice(flags.length);
      const change =
        letter === 's' ? substitution(from, to, flags, extended, length) : transliteration(from, to);
      if (change === null) return null;
      commands.push({ applies, change });
    } else return null;
    const separator = /^[\s;]+/.exec(rest);
    if (rest !== '' && separator === null) return null;
    rest = rest.slice(separator?.[0].length ?? 0);
  }
  return commands;
}

/** Two texts between delimiters, and what follows. */
function delimited(
  text: string,
): { readonly texts: readonly [string, string]; readonly rest: string } | null {
  const delimiter = text[0] ?? '';
  const found: string[] = [];
  let current = '';
  for (let index = 1; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === '\\' && index + 1 < text.length) {
      index += 1;
      current += text[index] === delimiter ? delimiter : `\\${text[index]}`;
    } else if (character === delimiter) {
      found.push(current);
      current = '';
      const [from, to] = found;
      if (from !== undefined && to !== undefined) return { texts: [from, to], rest: text.slice(index + 1) };
    } else current += character;
  }
  return null;
}

function substitution(
  from: string,
  to: string,
  flags: string,
  extended: boolean,
  length: number,
): ((line: string) => string) | null {
  if (/\d/.test(flags)) return null;
  const expression = readExpression(
    from,
    extended,
    `${flags.includes('g') ? 'g' : ''}${/i/i.test(flags) ? 'i' : ''}`,
    length,
  );
  if (expression === null) return null;
  return (line) =>
    line.replace(expression, (whole: string, ...groups: unknown[]) =>
      to.replace(/\\([0-9&n\\/])|\\([\s\S])|&/g, (match, escaped?: string, other?: string) => {
        if (match === '&' || escaped === '0') return whole;
        if (escaped === 'n') return '\n';
        if (escaped !== undefined && /[1-9]/.test(escaped)) {
          const group = groups[Number(escaped) - 1];
          return typeof group === 'string' ? group : '';
        }
        return escaped ?? other ?? '';
      }),
    );
}

function transliteration(from: string, to: string): (line: string) => string {
  const places = new Map([...from].map((character, index) => [character, [...to][index] ?? '']));
  return (line) => [...line].map((character) => places.get(character) ?? character).join('');
}

/**
 * What `sed` leaves of lines whose beginning is known: that beginning, where a single substitution cannot touch it,
 * because it looks for a text that does not begin there.
 */
export function keepsStarts(program: string, args: readonly string[], stdin: string): string {
  const [script = ''] = args;
  const pattern = /^s([/,|#@:])((?:\\.|(?!\1)[^\\;\n])*)\1(?:\\.|(?!\1)[^\\;\n])*\1[gIi]*$/.exec(script)?.[2];
  if (!/^g?sed$/.test(program) || args.length !== 1 || pattern === undefined) return hole;
  if (pattern.includes('|')) return hole;
  // Characters that stand for themselves, but for the last where it may be repeated or left out.
  const given = /^(?:\\[.\-/_]|[\w\-/ ])+/.exec(pattern)?.[0] ?? '';
  const literal = given.replace(/\\(.)/g, '$1');
  const sure = /^[*?+{\\]/.test(pattern.slice(given.length)) ? literal.slice(0, -1) : literal;
  const kept = linesOf(stdin).map((line) => {
    const start = line.slice(0, Math.max(0, line.indexOf(hole)));
    const touched = [...start].some((_, at) => {
      const rest = start.slice(at);
      return sure === '' || sure.startsWith(rest) || rest.startsWith(sure);
    });
    return start !== '' && (pattern === '$' || !touched) ? start + hole : hole;
  });
  return kept.every((line) => line === hole) ? hole : unlines(kept);
}

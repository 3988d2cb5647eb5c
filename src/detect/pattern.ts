// Patterns as trees: read from the common subset of RE2 and JavaScript, measured, and written back as JavaScript.

/** Sorted, disjoint ranges of UTF-16 units, both ends included. */
export type Units = readonly (readonly [number, number])[];

export type Node =
  | { readonly type: 'unit'; readonly units: Units }
  | { readonly type: 'sequence'; readonly items: readonly Node[] }
  | { readonly type: 'choice'; readonly options: readonly Node[] }
  | {
      readonly type: 'repeat';
      readonly node: Node;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    }
  | { readonly type: 'group'; readonly node: Node; readonly index: number; readonly name?: string }
  | { readonly type: 'look'; readonly behind: boolean; readonly negative: boolean; readonly node: Node }
  | { readonly type: 'edge'; readonly edge: '^' | '$' | '\\b' | '\\B' };

/** A pattern that cannot be read or may not be used; the message says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

const lastUnit = 0xffff;
export const digits: Units = [[48, 57]];
const word: Units = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
/** As RE2 has it; JavaScript's own `\s` knows more, and a vertical tab. */
const space: Units = [
  [9, 10],
  [12, 13],
  [32, 32],
];
const shorthand: Readonly<Record<string, Units>> = { d: digits, w: word, s: space };
const posix: Readonly<Record<string, Units>> = {
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  alpha: [
    [65, 90],
    [97, 122],
  ],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: digits,
  graph: [[33, 126]],
  lower: [[97, 122]],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [[65, 90]],
  word,
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
};
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, '0': 0 };

export function unionUnits(...sets: readonly Units[]): Units {
  const sorted = sets.flat().sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function invertUnits(units: Units): Units {
  const inverted: [number, number][] = [];
  let next = 0;
  for (const [from, to] of units) {
    if (from > next) inverted.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= lastUnit) inverted.push([next, lastUnit]);
  return inverted;
}

/** The units of one set that are not in another. */
export function withoutUnits(units: Units, others: Units): Units {
  return invertUnits(unionUnits(invertUnits(units), others));
}

export function overlap(a: Units, b: Units): boolean {
  return a.some(([from, to]) => b.some(([start, end]) => from <= end && start <= to));
}

export function containsUnit(units: Units, unit: number): boolean {
  return units.some(([from, to]) => from <= unit && unit <= to);
}

/** The set with the other case of every ASCII letter in it. */
function foldUnits(units: Units): Units {
  const shift = (low: number, high: number, by: number): Units =>
    units.flatMap(([from, to]) => {
      const start = Math.max(from, low);
      const end = Math.min(to, high);
      return start <= end ? [[start + by, end + by] as const] : [];
    });
  return unionUnits(units, shift(65, 90, 32), shift(97, 122, -32));
}

interface Flags {
  readonly fold: boolean;
  readonly dotAll: boolean;
  readonly lines: boolean;
}

/** Deepest nesting of groups that is read. */
const deepest = 50;

/** Reads a pattern; throws `PatternError` for what is not in the common subset. */
export function parsePattern(source: string): Node {
  let at = 0;
  let groups = 0;
  let depth = 0;

  const fail = (why: string): never => {
    throw new PatternError(`${why} (at character ${at} of ${JSON.stringify(source)})`);
  };
  const take = (text: string): boolean => {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };

  function choice(given: Flags): { node: Node; flags: Flags } {
    if (++depth > deepest) fail('the groups are nested too deeply');
    let flags = given;
    const options: Node[] = [];
    do {
      const items: Node[] = [];
      while (at < source.length && source[at] !== '|' && source[at] !== ')') {
        const next = term(flags);
        flags = next.flags;
        if (next.node !== undefined) items.push(next.node);
      }
      options.push(items.length === 1 && items[0] !== undefined ? items[0] : { type: 'sequence', items });
    } while (take('|'));
    depth--;
    const [only] = options;
    return { node: options.length === 1 && only !== undefined ? only : { type: 'choice', options }, flags };
  }

  function term(flags: Flags): { node?: Node; flags: Flags } {
    const setting = /^\(\?([imsU]*)(?:-([imsU]+))?\)/.exec(source.slice(at, at + 16));
    if (setting !== null) {
      at += setting[0].length;
      return { flags: changed(flags, setting[1] ?? '', setting[2] ?? '') };
    }
    const node = repeated(atom(flags));
    return { node, flags };
  }

  function changed(flags: Flags, on: string, off: string): Flags {
    if ((on + off).includes('U')) fail('the flag U is not supported');
    const set = (letter: string, was: boolean) =>
      on.includes(letter) ? true : off.includes(letter) ? false : was;
    return { fold: set('i', flags.fold), dotAll: set('s', flags.dotAll), lines: set('m', flags.lines) };
  }

  function repeated(node: Node): Node {
    let result = node;
    for (;;) {
      let bounds: readonly [number, number];
      const counted = /^\{(\d{1,5})(,?)(\d{0,5})\}/.exec(source.slice(at, at + 16));
      if (take('*')) bounds = [0, Number.POSITIVE_INFINITY];
      else if (take('+')) bounds = [1, Number.POSITIVE_INFINITY];
      else if (take('?')) bounds = [0, 1];
      else if (counted !== null) {
        at += counted[0].length;
        const min = Number(counted[1]);
        const max =
          counted[2] === '' ? min : counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]);
        if (max < min) fail('a repetition ends before it begins');
        bounds = [min, max];
      } else return result;
      if (result.type === 'edge' || result.type === 'look') fail('a place cannot be repeated');
      if (take('+')) fail('possessive repetition is not supported');
      result = { type: 'repeat', node: result, min: bounds[0], max: bounds[1], lazy: take('?') };
    }
  }

  function atom(flags: Flags): Node {
    const unit = source[at] ?? '';
    if (unit === '(') return group(flags);
    if (unit === '[') return { type: 'unit', units: set(flags) };
    if (unit === '.') {
      at++;
      return { type: 'unit', units: flags.dotAll ? [[0, lastUnit]] : invertUnits([[10, 10]]) };
    }
    if (unit === '^' || unit === '$') {
      at++;
      if (!flags.lines) return { type: 'edge', edge: unit };
      // At the start or end of any line.
      const newline: Node = { type: 'unit', units: [[10, 10]] };
      const beside: Node = { type: 'look', behind: unit === '^', negative: false, node: newline };
      return { type: 'choice', options: [{ type: 'edge', edge: unit }, beside] };
    }
    if (unit === '\\') return escapedNode(flags);
    if (unit === '*' || unit === '+' || unit === '?') fail('nothing to repeat');
    at++;
    return single(unit.charCodeAt(0), flags);
  }

  function single(code: number, flags: Flags): Node {
    const units: Units = [[code, code]];
    return { type: 'unit', units: flags.fold ? foldUnits(units) : units };
  }

  function group(flags: Flags): Node {
    at++;
    const scoped = /^\?([ims]*)(?:-([ims]+))?:/.exec(source.slice(at, at + 16));
    const named = /^\?P?<([A-Za-z_]\w*)>/.exec(source.slice(at, at + 80));
    const look = /^\?(<?)([=!])/.exec(source.slice(at, at + 4));
    let build: (node: Node) => Node;
    let inner = flags;
    if (scoped !== null) {
      at += scoped[0].length;
      inner = changed(flags, scoped[1] ?? '', scoped[2] ?? '');
      build = (node) => node;
    } else if (look !== null) {
      at += look[0].length;
      build = (node) => ({ type: 'look', behind: look[1] === '<', negative: look[2] === '!', node });
    } else if (named !== null) {
      at += named[0].length;
      const index = ++groups;
      build = (node) => ({ type: 'group', node, index, name: named[1] ?? '' });
    } else if (source[at] === '?') {
      return fail('this kind of group is not supported');
    } else {
      const index = ++groups;
      build = (node) => ({ type: 'group', node, index });
    }
    const { node } = choice(inner);
    if (!take(')')) fail('a group is not closed');
    return build(node);
  }

  /** After a backslash: a set, a place, or the code of one unit. */
  function escaped(): { units: Units } | { edge: '\\b' | '\\B' | '^' | '$' } {
    at++;
    const letter = source[at] ?? fail('the pattern ends in a backslash');
    at++;
    const known = Object.hasOwn(shorthand, letter) ? shorthand[letter] : undefined;
    if (known !== undefined) return { units: known };
    const negated = shorthand[letter.toLowerCase()];
    if (/[DWS]/.test(letter) && negated !== undefined) return { units: invertUnits(negated) };
    if (letter === 'b' || letter === 'B') return { edge: `\\${letter}` };
    if (letter === 'A') return { edge: '^' };
    if (letter === 'z' || letter === 'Z') return { edge: '$' };
    const hex = /^(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4}))/.exec(
      letter + source.slice(at, at + 9),
    );
    if (hex !== null) {
      at += hex[0].length - 1;
      const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
      if (code > lastUnit) fail('characters beyond U+FFFF are not supported here');
      return { units: [[code, code]] };
    }
    const control = Object.hasOwn(controls, letter) ? controls[letter] : undefined;
    if (control !== undefined) return { units: [[control, control]] };
    if (/[A-Za-z0-9]/.test(letter)) fail(`\\${letter} is not supported`);
    const code = letter.charCodeAt(0);
    return { units: [[code, code]] };
  }

  function escapedNode(flags: Flags): Node {
    const found = escaped();
    if ('edge' in found) return { type: 'edge', edge: found.edge };
    return { type: 'unit', units: flags.fold ? foldUnits(found.units) : found.units };
  }

  function set(flags: Flags): Units {
    at++;
    const negated = take('^');
    const parts: Units[] = [];
    let first = true;
    while (source[at] !== ']' || first) {
      if (at >= source.length) fail('a class is not closed');
      first = false;
      const named = /^\[:(\^?)([a-z]+):\]/.exec(source.slice(at, at + 16));
      if (named !== null) {
        at += named[0].length;
        const units = posix[named[2] ?? ''] ?? fail(`[:${named[2]}:] is not known`);
        parts.push(named[1] === '^' ? invertUnits(units) : units);
        continue;
      }
      const from = member();
      const [low] = from;
      if (source[at] === '-' && source[at + 1] !== ']' && at + 1 < source.length) {
        at++;
        const to = member();
        const [high] = to;
        if (
          low === undefined ||
          high === undefined ||
          from.length > 1 ||
          to.length > 1 ||
          low[0] !== low[1]
        ) {
          fail('a range needs single characters');
        } else if (high[0] !== high[1] || high[0] < low[0]) {
          fail('a range ends before it begins');
        } else parts.push([[low[0], high[0]]]);
      } else parts.push(from);
    }
    at++;
    const units = unionUnits(...parts);
    const folded = flags.fold ? foldUnits(units) : units;
    return negated ? invertUnits(folded) : folded;
  }

  function member(): Units {
    if (source[at] === '\\') {
      if (source[at + 1] === 'b') fail('\\b in a class is not supported');
      const found = escaped();
      return 'units' in found ? found.units : fail('a place cannot stand in a class');
    }
    const code = source.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdfff) fail('characters beyond U+FFFF are not supported here');
    at++;
    return [[code, code]];
  }

  const { node } = choice({ fold: false, dotAll: false, lines: false });
  if (at < source.length) fail('a group is closed that was not opened');
  return node;
}

/** Fewest and most units that a node takes. */
export function lengthOf(node: Node): { readonly min: number; readonly max: number } {
  switch (node.type) {
    case 'unit':
      return { min: 1, max: 1 };
    case 'edge':
    case 'look':
      return { min: 0, max: 0 };
    case 'group':
      return lengthOf(node.node);
    case 'sequence':
      return lengthOfAll(node.items);
    case 'choice': {
      const lengths = node.options.map(lengthOf);
      return {
        min: Math.min(...lengths.map(({ min }) => min)),
        max: Math.max(...lengths.map(({ max }) => max)),
      };
    }
    case 'repeat': {
      const { min, max } = lengthOf(node.node);
      return { min: min * node.min, max: max === 0 ? 0 : max * node.max };
    }
  }
}

export function lengthOfAll(items: readonly Node[]): { readonly min: number; readonly max: number } {
  const lengths = items.map(lengthOf);
  return {
    min: lengths.reduce((sum, { min }) => sum + min, 0),
    max: lengths.reduce((sum, { max }) => sum + max, 0),
  };
}

/** How far beyond its own end a node looks, at most. */
export function outlookOf(node: Node): number {
  switch (node.type) {
    case 'unit':
      return 0;
    case 'edge':
      return 1;
    case 'look':
      return node.behind ? 0 : lengthOf(node.node).max + outlookOf(node.node);
    case 'group':
    case 'repeat':
      return outlookOf(node.node);
    case 'sequence':
      return Math.max(0, ...node.items.map(outlookOf));
    case 'choice':
      return Math.max(0, ...node.options.map(outlookOf));
  }
}

/** Every unit that a node may take somewhere. */
export function unitsOf(node: Node): Units {
  switch (node.type) {
    case 'unit':
      return node.units;
    case 'edge':
    case 'look':
      return [];
    case 'group':
    case 'repeat':
      return unitsOf(node.node);
    case 'sequence':
      return unionUnits(...node.items.map(unitsOf));
    case 'choice':
      return unionUnits(...node.options.map(unitsOf));
  }
}

/** Every unit that may come first, and whether the nodes may take nothing at all. */
export function firstOf(items: readonly Node[]): { readonly units: Units; readonly empty: boolean } {
  const sets: Units[] = [];
  for (const item of items) {
    const { units, empty } = firstOfNode(item);
    sets.push(units);
    if (!empty) return { units: unionUnits(...sets), empty: false };
  }
  return { units: unionUnits(...sets), empty: true };
}

function firstOfNode(node: Node): { readonly units: Units; readonly empty: boolean } {
  switch (node.type) {
    case 'unit':
      return { units: node.units, empty: false };
    case 'edge':
    case 'look':
      return { units: [], empty: true };
    case 'group':
      return firstOfNode(node.node);
    case 'sequence':
      return firstOf(node.items);
    case 'choice': {
      const all = node.options.map(firstOfNode);
      return { units: unionUnits(...all.map(({ units }) => units)), empty: all.some(({ empty }) => empty) };
    }
    case 'repeat': {
      const { units, empty } = firstOfNode(node.node);
      return { units: node.max === 0 ? [] : units, empty: empty || node.min === 0 };
    }
  }
}

/** How a node is written: which groups catch, and whether repetitions prefer the shortest. */
export interface Writing {
  /** Groups to catch, by their index. */
  readonly catches: (index: number) => boolean;
  readonly lazy?: boolean;
}

/** The node as JavaScript, to be compiled without flags that change its meaning. */
export function writePattern(node: Node, writing: Writing): string {
  switch (node.type) {
    case 'unit':
      return writeUnits(node.units);
    case 'edge':
      return node.edge;
    case 'look':
      return `(?${node.behind ? '<' : ''}${node.negative ? '!' : '='}${writePattern(node.node, { catches: () => false })})`;
    case 'group': {
      const inner = writePattern(node.node, writing);
      return writing.catches(node.index) ? `(${inner})` : `(?:${inner})`;
    }
    case 'sequence':
      return writeAll(node.items, writing);
    case 'choice':
      return `(?:${node.options.map((option) => writePattern(option, writing)).join('|')})`;
    case 'repeat': {
      const count = writeCount(node.min, node.max);
      const mark = count !== '' && (node.lazy || writing.lazy === true) && node.min !== node.max ? '?' : '';
      return `${writeOne(node.node, writing)}${count}${mark}`;
    }
  }
}

export function writeAll(items: readonly Node[], writing: Writing): string {
  return items.map((item) => writePattern(item, writing)).join('');
}

/** A node as one thing that can be repeated. */
function writeOne(node: Node, writing: Writing): string {
  const text = writePattern(node, writing);
  return node.type === 'unit' || node.type === 'choice' || (node.type === 'group' && text.startsWith('('))
    ? text
    : `(?:${text})`;
}

function writeCount(min: number, max: number): string {
  if (min === 1 && max === 1) return '';
  if (min === 0 && max === 1) return '?';
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

export function writeUnits(units: Units): string {
  const [only] = units;
  if (only === undefined) return '[]';
  if (units.length === 1 && only[0] === only[1]) return writeUnit(only[0], false);
  if (units.length === 1 && only[0] === 0 && only[1] === lastUnit) return '[^]';
  const inverted = invertUnits(units);
  const [set, sign] = inverted.length < units.length ? [inverted, '^'] : [units, ''];
  const ranges = set.map(([from, to]) =>
    from === to
      ? writeUnit(from, true)
      : `${writeUnit(from, true)}${to > from + 1 ? '-' : ''}${writeUnit(to, true)}`,
  );
  return `[${sign}${ranges.join('')}]`;
}

function writeUnit(code: number, inClass: boolean): string {
  if (code < 32 || code > 126) return `\\u${code.toString(16).padStart(4, '0')}`;
  const character = String.fromCharCode(code);
  return (inClass ? /[\]\\^-]/ : /[\\^$.*+?()[\]{}|/]/).test(character) ? `\\${character}` : character;
}

/**
 * A pattern that matches where the text, from here to its end, is the beginning of something that `items` could
 * match or could still go on reading. INVARIANT: where it does not match, no longer text changes what `items` match
 * here, since no way through them reads at the end. Groups are caught in both, so that the secret's start is known.
 */
export function writePartial(items: readonly Node[], writing: Writing): string {
  const [first, ...rest] = joined(items);
  if (first === undefined) return '[]';
  const onwards = rest.length === 0 ? '' : writePartial(rest, writing);
  const ending = partialOf(first, writing);
  // The way that has gone further comes first: it is the one in which the secret has begun.
  const through = onwards === '' || onwards === '[]' ? '' : `${writePattern(first, writing)}${onwards}`;
  if (ending === '[]') return through === '' ? '[]' : through;
  return through === '' ? ending : `(?:${through}|${ending})`;
}

/** Single units in a row as one node, so that their partial pattern can be short. */
function joined(items: readonly Node[]): readonly Node[] {
  const result: Node[] = [];
  let run: Node[] = [];
  const close = () => {
    if (run.length > 2) result.push({ type: 'sequence', items: run });
    else result.push(...run);
    run = [];
  };
  for (const item of items) {
    if (item.type === 'unit') run.push(item);
    else {
      close();
      result.push(item);
    }
  }
  close();
  return result;
}

/** Whether a node takes a text of single units, each in one way. */
function isSpelled(node: Node): boolean {
  if (node.type === 'unit') return true;
  if (node.type === 'sequence') return node.items.every((item) => item.type === 'unit');
  return node.type === 'choice' && node.options.every(isSpelled);
}

/** The partial pattern of one node: the text ends inside it. `[]` never matches. */
function partialOf(node: Node, writing: Writing): string {
  // Of a word, or of several, any of their letters in any order will do: it is shorter, and only waits longer.
  const { max: longest } = lengthOf(node);
  if (node.type !== 'unit' && longest > 2 && isSpelled(node)) {
    return `${writeUnits(unitsOf(node))}${writeCount(0, longest - 1)}$`;
  }
  switch (node.type) {
    case 'unit':
      return '$';
    case 'edge':
      return node.edge === '^' ? '[]' : '$';
    case 'look':
      return node.behind ? '[]' : partialOf(node.node, { ...writing, catches: () => false });
    case 'group': {
      const inner = partialOf(node.node, writing);
      if (inner === '[]') return '[]';
      return writing.catches(node.index) ? `(${inner})` : inner;
    }
    case 'sequence':
      return writePartial(node.items, writing);
    case 'choice': {
      const options = [...new Set(node.options.map((option) => partialOf(option, writing)))].filter(
        (option) => option !== '[]',
      );
      return options.length === 0
        ? '[]'
        : options.length === 1
          ? (options[0] ?? '[]')
          : `(?:${options.join('|')})`;
    }
    case 'repeat': {
      const inner = partialOf(node.node, writing);
      if (inner === '[]' || node.max === 0) return '[]';
      if (node.max === 1) return inner;
      const count = writeCount(0, node.max - 1);
      const mark = writing.lazy === true ? '?' : '';
      return `${writeOne(node.node, writing)}${count}${mark}${inner}`;
    }
  }
}

/** The nodes of a sequence, with sequences inside it laid open. */
export function itemsOf(node: Node): readonly Node[] {
  return node.type === 'sequence' ? node.items.flatMap(itemsOf) : [node];
}

/** Every group of a pattern, outermost first. */
export function groupsOf(node: Node): readonly Extract<Node, { type: 'group' }>[] {
  switch (node.type) {
    case 'group':
      return [node, ...groupsOf(node.node)];
    case 'look':
    case 'repeat':
      return groupsOf(node.node);
    case 'sequence':
      return node.items.flatMap(groupsOf);
    case 'choice':
      return node.options.flatMap(groupsOf);
    default:
      return [];
  }
}

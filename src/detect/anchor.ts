// Where a rule's matches can be found: the place in its pattern at which a keyword or a first digit must stand.

import {
  containsUnit,
  digits,
  firstOf,
  lengthOf,
  lengthOfAll,
  type Node,
  overlap,
  PatternError,
  type Units,
  unionUnits,
  unitsOf,
  withoutUnits,
  writeUnits,
} from './pattern.ts';
import { type CompiledRule, longestRun, type RuleSource } from './rule.ts';

export interface Anchor {
  readonly place: number | null;
  readonly keywords: readonly string[];
  /** Words that only have to be seen. */
  readonly gate?: readonly string[];
}

/** Where in the row a match can be found, and by which words. */
export function anchorOf(
  rule: Pick<RuleSource, 'anchor' | 'pattern'>,
  row: readonly Node[],
  secretFrom: number,
  words: readonly string[],
  isUsers: boolean,
): Anchor {
  if (rule.anchor === 'digit') return { place: digitPlace(row), keywords: [] };
  const place = words.length === 0 ? null : keywordPlace(row, words);
  if (!isUsers) {
    if (words.length === 0) throw new PatternError('a rule needs "keywords", "assigned" or anchor = "digit"');
    return { place, keywords: words };
  }
  if (place !== null && place < secretFrom + 1) return { place, keywords: words };
  // The words stand too late in the pattern, or not in it at all: it is found by a text of its own.
  const own = literalsIn(row);
  if (own !== null) {
    const spelled = (rule.pattern ?? '').replaceAll('\\', '').toLowerCase();
    const inside = words.some((keyword) => spelled.includes(keyword));
    return { ...own, ...(words.length > 0 && !inside ? { gate: words } : {}) };
  }
  if (words.length === 0) throw new PatternError('it has no keyword, and no text that every match contains');
  return { place, keywords: words };
}

/** The longest texts that stand at one place of every match, if there are any of three letters or more. */
function literalsIn(
  row: readonly Node[],
): { readonly place: number; readonly keywords: readonly string[] } | null {
  let best: { place: number; keywords: readonly string[] } | null = null;
  let bestLength = 2;
  for (let place = 0; place < row.length; place++) {
    const { texts } = beginningsOf(row.slice(place));
    const length = Math.min(...texts.map((literal) => literal.length));
    if (length > bestLength) {
      best = { place, keywords: [...new Set(texts)] };
      bestLength = length;
    }
    // A text further on is worth the look behind only if there is none at the start.
    if (best !== null && best.place === 0) break;
  }
  return best;
}

/** Texts that everything begins with that the items match, while they are few; and whether they are all of it. */
function beginningsOf(items: readonly Node[]): {
  readonly texts: readonly string[];
  readonly whole: boolean;
} {
  let texts: readonly string[] = [''];
  for (const item of items) {
    const next = beginningsOfNode(item);
    if (texts.length * next.texts.length > 16) return { texts, whole: false };
    texts = texts.flatMap((start) => next.texts.map((end) => start + end));
    if (!next.whole) return { texts, whole: false };
  }
  return { texts, whole: true };
}

function beginningsOfNode(node: Node): { readonly texts: readonly string[]; readonly whole: boolean } {
  switch (node.type) {
    case 'edge':
    case 'look':
      return { texts: [''], whole: true };
    case 'unit': {
      const letters = [...letterSet(node.units)];
      const few = letters.length > 0 && letters.length <= 3 && node.units.every(([, to]) => to <= 126);
      return few ? { texts: letters, whole: true } : { texts: [''], whole: false };
    }
    case 'group':
      return beginningsOfNode(node.node);
    case 'sequence':
      return beginningsOf(node.items);
    case 'choice': {
      const all = node.options.map(beginningsOfNode);
      return { texts: all.flatMap(({ texts }) => texts), whole: all.every(({ whole }) => whole) };
    }
    case 'repeat':
      if (node.min === 0) return { texts: [''], whole: false };
      return node.min === node.max && node.max <= 3
        ? beginningsOf(Array.from({ length: node.max }, () => node.node))
        : { ...beginningsOfNode(node.node), whole: false };
  }
}

/** Where in the row a keyword must stand: the first place from which every match begins with one; null if none. */
function keywordPlace(items: readonly Node[], keywords: readonly string[]): number | null {
  if (keywords.length === 0)
    throw new PatternError('a rule needs "keywords", "assigned" or anchor = "digit"');
  for (let place = 0; place < items.length; place++) {
    if (lengthOfAll(items.slice(place)).max === 0) return null;
    if (beginsWith(items.slice(place), keywords)) return place;
  }
  return null;
}

/** Whether everything that the items match begins with one of the keywords, in any case. */
export function beginsWith(items: readonly Node[], keywords: readonly string[]): boolean {
  /** The beginnings that are still too short to tell; null once one of them can no longer become a keyword. */
  const grow = (row: readonly Node[], given: ReadonlySet<string>): ReadonlySet<string> | null => {
    let open = given;
    for (const item of row) {
      if (open.size === 0) return open;
      const next = growNode(item, open);
      if (next === null) return null;
      open = next;
    }
    return open;
  };
  const growNode = (node: Node, open: ReadonlySet<string>): ReadonlySet<string> | null => {
    switch (node.type) {
      case 'edge':
      case 'look':
        return open;
      case 'group':
        return growNode(node.node, open);
      case 'sequence':
        return grow(node.items, open);
      case 'choice': {
        const all = node.options.map((option) => growNode(option, open));
        return all.some((one) => one === null) ? null : new Set(all.flatMap((one) => [...(one ?? [])]));
      }
      case 'repeat': {
        const reached = new Set<string>(node.min === 0 ? open : []);
        let current: ReadonlySet<string> = open;
        for (let count = 1; count <= Math.min(node.max, 64) && current.size > 0; count++) {
          const next = growNode(node.node, current);
          if (next === null) return null;
          current = next;
          if (count >= node.min) for (const text of current) reached.add(text);
        }
        return reached;
      }
      case 'unit': {
        const letters = [...letterSet(node.units)];
        if (node.units.some(([, to]) => to > 126) || letters.length > 40) return null;
        const next = new Set<string>();
        for (const text of open) {
          for (const letter of letters) {
            const longer = text + letter;
            if (keywords.some((keyword) => longer.startsWith(keyword))) continue;
            if (!keywords.some((keyword) => keyword.startsWith(longer))) return null;
            next.add(longer);
          }
        }
        return next;
      }
    }
  };
  const left = grow(items, new Set(['']));
  return left !== null && left.size === 0;
}

/** The printable ASCII characters of a set, in lower case. */
function letterSet(units: Units): ReadonlySet<string> {
  const letters = new Set<string>();
  for (let code = 0; code <= 126; code++) {
    if (containsUnit(units, code)) letters.add(String.fromCharCode(code).toLowerCase());
  }
  return letters;
}

/** Where in the row the first digit of a run of digits must stand. */
function digitPlace(items: readonly Node[]): number | null {
  for (let place = 0; place < items.length; place++) {
    const { units, empty } = firstOf(items.slice(place));
    const allDigits = units.length > 0 && units.every(([from, to]) => from >= 48 && to <= 57);
    const leadHasDigits = items.slice(0, place).some((item) => overlap(unitsOf(item), digits));
    if (allDigits && !empty && !leadHasDigits) return place;
  }
  return null;
}

/** The class of what stands right before a place, where something must. */
export function standsAfter(row: readonly Node[], place: number): Pick<CompiledRule, 'after'> {
  const before: Units[] = [];
  for (let index = place - 1; index >= 0; index--) {
    const item = row[index];
    if (item === undefined || lengthOf(item).max === 0) continue;
    before.push(unitsOf(item));
    if (lengthOf(item).min > 0) return { after: writeUnits(unionUnits(...before)) };
  }
  return {};
}

/** How long the first run of digits may be, and what may follow each. */
export function digitPlaces(items: readonly Node[]): Required<Pick<CompiledRule, 'runs' | 'follows'>> {
  const followers = digitFollowers(items);
  const runs = [...followers.keys()].sort((a, b) => a - b);
  return { runs, follows: runs.map((run) => writeUnits(followers.get(run) ?? [])) };
}

/** How many digits may stand in the first run of what the items match, and what may come after so many. */
function digitFollowers(items: readonly Node[]): ReadonlyMap<number, Units> {
  interface Runs {
    /** Numbers of digits with which the node is over, all digits. */
    readonly through: ReadonlySet<number>;
    /** What else it takes after how many digits. */
    readonly stopped: ReadonlyMap<number, Units>;
  }
  const capped = (length: number) => Math.min(longestRun, length);
  const plus = (a: ReadonlySet<number>, b: ReadonlySet<number>) =>
    new Set([...a].flatMap((x) => [...b].map((y) => capped(x + y))));
  const merged = (...maps: readonly ReadonlyMap<number, Units>[]) => {
    const all = new Map<number, Units>();
    for (const map of maps) {
      for (const [length, units] of map) all.set(length, unionUnits(all.get(length) ?? [], units));
    }
    return all;
  };
  const shifted = (a: ReadonlySet<number>, b: ReadonlyMap<number, Units>) =>
    merged(...[...a].map((x) => new Map([...b].map(([y, units]) => [capped(x + y), units] as const))));
  const union = (...sets: readonly ReadonlySet<number>[]) => new Set(sets.flatMap((set) => [...set]));
  const rowOf = (nodes: readonly Node[]): Runs => {
    let through: ReadonlySet<number> = new Set([0]);
    let stopped: ReadonlyMap<number, Units> = new Map();
    for (const node of nodes) {
      const next = runsOf(node);
      stopped = merged(stopped, shifted(through, next.stopped));
      through = plus(through, next.through);
    }
    return { through, stopped };
  };
  const runsOf = (node: Node): Runs => {
    switch (node.type) {
      case 'edge':
      case 'look':
        return { through: new Set([0]), stopped: new Map() };
      case 'unit': {
        const others = withoutUnits(node.units, digits);
        return {
          through: new Set(overlap(node.units, digits) ? [1] : []),
          stopped: others.length === 0 ? new Map() : new Map([[0, others]]),
        };
      }
      case 'group':
        return runsOf(node.node);
      case 'sequence':
        return rowOf(node.items);
      case 'choice': {
        const all = node.options.map(runsOf);
        return {
          through: union(...all.map(({ through }) => through)),
          stopped: merged(...all.map(({ stopped }) => stopped)),
        };
      }
      case 'repeat': {
        const inner = runsOf(node.node);
        let current: ReadonlySet<number> = new Set([0]);
        let through: ReadonlySet<number> = new Set(node.min === 0 ? [0] : []);
        let stopped: ReadonlyMap<number, Units> = new Map();
        for (let count = 1; count <= Math.min(node.max, longestRun + 1) && current.size > 0; count++) {
          stopped = merged(stopped, shifted(current, inner.stopped));
          current = plus(current, inner.through);
          if (count >= node.min) through = union(through, current);
        }
        return { through, stopped };
      }
    }
  };
  const { through, stopped } = rowOf(items);
  const anything: Units = [[0, 0xffff]];
  const last = items.at(-1);
  const closed =
    last?.type === 'look' && !last.behind && last.negative && overlap(unitsOf(last.node), digits);
  const beyond = closed && last.node.type === 'unit' ? withoutUnits(anything, last.node.units) : anything;
  const all = new Map(stopped);
  for (const length of through) all.set(length, unionUnits(all.get(length) ?? [], beyond));
  // Without a boundary behind it, a match may end inside a longer run.
  if (!closed && through.size > 0) {
    for (let length = Math.min(...through); length <= longestRun; length++) all.set(length, anything);
  }
  all.delete(0);
  return all;
}

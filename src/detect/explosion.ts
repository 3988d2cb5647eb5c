// How many ways a pattern can read one text in: what a failing match has to go through, counted from the pattern.

import {
  firstOf,
  itemsOf,
  lengthOf,
  type Node,
  overlap,
  PatternError,
  type Units,
  unionUnits,
  unitsOf,
} from './pattern.ts';

/** Refuses a pattern whose failing match could go through too many ways. */
export function refuseExplosions(items: readonly Node[], most: number): void {
  if (waysOf(items) > most) {
    throw new PatternError('its repetitions can take the same text in too many ways');
  }
}

/** In how many ways, at most, the items can share one text among them. */
function waysOf(items: readonly Node[]): number {
  let ways = 1;
  /** Ranges of neighbours that can take each other's text. */
  let chain: number[] = [];
  let shared: Units = [];
  const close = () => {
    // All but one of them are free to choose where they end.
    const [, ...free] = chain.sort((a, b) => b - a);
    for (const range of free) ways *= range;
    chain = [];
  };
  for (const item of items) {
    const { min, max } = lengthOf(item);
    ways *= waysInside(item);
    if (max === 0) continue;
    const units = unitsOf(item);
    if (!overlap(units, shared)) close();
    if (min === max) {
      if (chain.length === 0) shared = [];
      continue;
    }
    chain.push(Math.min(max, 1000) - min + 1);
    shared = chain.length === 1 ? units : unionUnits(shared, units);
  }
  close();
  return ways;
}

function waysInside(node: Node): number {
  switch (node.type) {
    case 'group':
    case 'look':
      return waysInside(node.node);
    case 'choice':
      return Math.max(...node.options.map(waysInside)) * (prefixFree(node.options) ? 1 : node.options.length);
    case 'sequence':
      return waysOf(node.items);
    case 'repeat': {
      const inner = waysInside(node.node);
      const rounds = Math.min(node.max, 1000);
      const shifting =
        rounds > 1 && lengthOf(node.node).min !== lengthOf(node.node).max && !separated(node.node);
      const { min, max } = lengthOf(node.node);
      return (inner * (shifting ? Math.min(max, 1000) - min + 1 : 1)) ** rounds;
    }
    default:
      return 1;
  }
}

/** Whether no text can begin two of the options. */
function prefixFree(options: readonly Node[]): boolean {
  const firsts = options.map((option) => firstOf([option]));
  return firsts.every(
    ({ units, empty }, index) =>
      !empty && firsts.slice(index + 1).every((other) => !overlap(units, other.units)),
  );
}

/** Whether each round begins or ends with something that its variable parts cannot take, so that rounds cannot shift. */
function separated(node: Node): boolean {
  const items = itemsOf(node.type === 'group' ? node.node : node);
  const variable = unionUnits(
    ...items.filter((item) => lengthOf(item).min !== lengthOf(item).max).map(unitsOf),
  );
  return [items[0], items.at(-1)].some((item) => {
    if (item === undefined) return false;
    const { min, max } = lengthOf(item);
    return min > 0 && min === max && !overlap(unitsOf(item), variable);
  });
}

// Runs patterns in time linear in the text: every way of reading it is followed at once, so that no pattern explodes.

import { containsUnit, type Node, overlap, PatternError, type Units } from './pattern.ts';

type State =
  | { readonly type: 'unit'; readonly units: Units; readonly next: number }
  | { readonly type: 'edge'; readonly edge: Edge; readonly next: number }
  | { readonly type: 'fork'; readonly next: number[] }
  | { readonly type: 'end' };
type Edge = Extract<Node, { readonly type: 'edge' }>['edge'];

/** A pattern as states that units lead between; the first of them is the end. */
export interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
}

/** The cost of work, reported in chunks of this many looks at a state. */
export type Spend = (steps: number) => void;
const looksPerStep = 256;

/** Makes an automaton of a pattern; throws `PatternError` for one that looks around, or needs too many states. */
export function automatonOf(node: Node, mostStates: number): Automaton {
  const states: State[] = [{ type: 'end' }];

  function add(state: State): number {
    if (states.length >= mostStates) throw new PatternError('its repetitions make it too large');
    return states.push(state) - 1;
  }

  /** The states for a node that goes on to `next`; gives the first of them. */
  function build(part: Node, next: number): number {
    switch (part.type) {
      case 'unit':
        return add({ type: 'unit', units: part.units, next });
      case 'edge':
        return add({ type: 'edge', edge: part.edge, next });
      case 'look':
        throw new PatternError('it looks ahead or behind, which is not supported here');
      case 'group':
        return build(part.node, next);
      case 'sequence':
        return part.items.reduceRight((after, item) => build(item, after), next);
      case 'choice':
        return add({ type: 'fork', next: part.options.map((option) => build(option, next)) });
      case 'repeat':
        return repeat(part, next);
    }
  }

  function repeat({ node: inner, min, max }: Extract<Node, { type: 'repeat' }>, next: number): number {
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      const ways: number[] = [next];
      first = add({ type: 'fork', next: ways });
      ways.push(build(inner, first));
    } else {
      for (let round = min; round < max; round++) {
        first = add({ type: 'fork', next: [next, build(inner, first)] });
      }
    }
    for (let round = 0; round < min; round++) first = build(inner, first);
    return first;
  }

  const start = build(node, 0);
  return { states, start };
}

/** Whether the text begins with what the pattern describes. */
export function beginsWith({ states, start }: Automaton, text: string, spend: Spend): boolean {
  const seenAt = new Int32Array(states.length).fill(-1);
  let looks = 0;
  let current = [start];
  for (let at = 0; at <= text.length; at++) {
    const next: number[] = [];
    // The list grows while it is walked: what can be reached without a unit is at this place too.
    for (let index = 0; index < current.length; index++) {
      const place = current[index] ?? 0;
      const state = states[place];
      if (state === undefined || seenAt[place] === at) continue;
      seenAt[place] = at;
      looks += 1;
      if (state.type === 'end') {
        spend(1 + Math.floor(looks / looksPerStep));
        return true;
      }
      if (state.type === 'fork') current.push(...state.next);
      else if (state.type === 'edge') {
        if (isAt(state.edge, text, at)) current.push(state.next);
      } else if (at < text.length && containsUnit(state.units, text.charCodeAt(at))) next.push(state.next);
    }
    if (next.length === 0) break;
    current = next;
  }
  spend(1 + Math.floor(looks / looksPerStep));
  return false;
}

function isAt(edge: Edge, text: string, at: number): boolean {
  if (edge === '^') return at === 0;
  if (edge === '$') return at === text.length;
  const isWord = (index: number) => /^\w/.test(text.charAt(index));
  const between = isWord(at - 1) !== isWord(at);
  return edge === '\\b' ? between : !between;
}

/** Whether there is a text that both patterns describe from its beginning to its end; edges count as met. */
export function meet(one: Automaton, other: Automaton, spend: Spend): boolean {
  const width = other.states.length;
  // Making the automata costs more than most meetings.
  spend(1 + ((one.states.length + width) >> 4));
  const seen = new Set<number>();
  const pairs: [number, number][] = [[one.start, other.start]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    const key = a * width + b;
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size % looksPerStep === 0) spend(1);
    const left = one.states[a];
    const right = other.states[b];
    if (left === undefined || right === undefined) continue;
    if (left.type === 'end' && right.type === 'end') return true;
    if (left.type === 'fork') for (const next of left.next) pairs.push([next, b]);
    else if (left.type === 'edge') pairs.push([left.next, b]);
    else if (right.type === 'fork') for (const next of right.next) pairs.push([a, next]);
    else if (right.type === 'edge') pairs.push([a, right.next]);
    else if (left.type === 'unit' && right.type === 'unit' && overlap(left.units, right.units)) {
      pairs.push([left.next, right.next]);
    }
  }
  return false;
}

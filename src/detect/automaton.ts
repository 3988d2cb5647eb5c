// One automaton for many words (Aho and Corasick): a text is read once, unit by unit, in any case of its letters.
// Most ways through it are never taken, so those that are not a word's own are worked out when first taken.

export interface Automaton {
  /** The class of each unit; class 0 is what no word contains. */
  readonly classes: Uint8Array;
  /** The next state, at `(state << shift) | class`; `unknown` until `resolveState` was asked for it. */
  readonly next: Uint16Array | Uint32Array;
  readonly shift: number;
  /** States from this one on end at least one word. */
  readonly firstEnd: number;
  /** Higher than every state, so that one comparison finds both. */
  readonly unknown: number;
  /** The words that end in each state from `firstEnd` on, longest first. */
  readonly ends: readonly (readonly number[])[];
  /** Units of the longest word. */
  readonly longest: number;
  /** How many units of a word each state has seen, and the state for the longest shorter beginning. */
  readonly depth: Uint16Array;
  readonly shorter: Uint32Array;
  /** By state: the marks of the words that it is a beginning of, or'ed. */
  readonly marks: Uint8Array;
}

/** The state after a unit's class, where the table does not have it yet. */
export function resolveState(
  { next, shift, shorter, unknown }: Automaton,
  state: number,
  unit: number,
): number {
  let from = state;
  let found = next[(from << shift) | unit] ?? 0;
  while (found === unknown) {
    from = shorter[from] ?? 0;
    found = next[(from << shift) | unit] ?? 0;
  }
  next[(state << shift) | unit] = found;
  return found;
}

/** Builds the automaton; words are in lower-case ASCII, each with a mark of its own. */
export function buildAutomaton(words: readonly string[], markOf: (word: number) => number): Automaton {
  const classes = new Uint8Array(0x10000);
  let classCount = 1;
  let letters = 1;
  for (const text of words) {
    letters += text.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (classes[code] !== 0) continue;
      classes[code] = classCount;
      if (code >= 97 && code <= 122) classes[code - 32] = classCount;
      classCount++;
    }
  }
  const shift = Math.ceil(Math.log2(classCount + 1));

  // The tree of the words: state 0 is its root, and no word leads back to it.
  const tree = letters <= 0xffff ? new Uint16Array(letters << shift) : new Uint32Array(letters << shift);
  const parent = new Uint32Array(letters);
  const unitOf = new Uint8Array(letters);
  const depth = new Uint16Array(letters);
  const marks = new Uint8Array(letters);
  const ends: (number[] | undefined)[] = [];
  let states = 1;
  for (let word = 0; word < words.length; word++) {
    const text = words[word] ?? '';
    const mark = markOf(word);
    let state = 0;
    for (let index = 0; index < text.length; index++) {
      marks[state] = (marks[state] ?? 0) | mark;
      const unit = classes[text.charCodeAt(index)] ?? 0;
      const place = (state << shift) | unit;
      let child = tree[place] ?? 0;
      if (child === 0) {
        child = states++;
        tree[place] = child;
        parent[child] = state;
        unitOf[child] = unit;
        depth[child] = index + 1;
      }
      state = child;
    }
    const own = ends[state];
    if (own === undefined) ends[state] = [word];
    else own.push(word);
  }

  // By depth: where a word cannot go on, the longest shorter beginning may.
  const order = Array.from({ length: states - 1 }, (_, index) => index + 1);
  order.sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0));
  const shorter = new Uint32Array(states);
  for (const state of order) {
    const above = parent[state] ?? 0;
    const unit = unitOf[state] ?? 0;
    if (above === 0) continue;
    let fallback = shorter[above] ?? 0;
    while (fallback !== 0 && tree[(fallback << shift) | unit] === 0) fallback = shorter[fallback] ?? 0;
    const found = tree[(fallback << shift) | unit] ?? 0;
    shorter[state] = found;
    const more = ends[found];
    if (more !== undefined) ends[state] = [...(ends[state] ?? []), ...more];
  }

  // States that end a word get the highest numbers; those that are met most, near the root, stand together.
  const numbers = new Uint32Array(states);
  let plain = 0;
  for (const state of [0, ...order]) if (ends[state] === undefined) numbers[state] = plain++;
  const endLists: number[][] = [];
  for (const state of order) {
    const list = ends[state];
    if (list === undefined) continue;
    numbers[state] = plain + endLists.length;
    endLists.push(list);
  }
  const small = states < 0xffff;
  const unknown = small ? 0xffff : 0xffffffff;
  const next = small ? new Uint16Array(states << shift) : new Uint32Array(states << shift);
  next.fill(unknown, 1 << shift);
  for (let state = 0; state < states; state++) next[(numbers[state] ?? 0) << shift] = 0;
  const numbered = {
    depth: new Uint16Array(states),
    shorter: new Uint32Array(states),
    marks: new Uint8Array(states),
  };
  for (let state = 0; state < states; state++) {
    const number = numbers[state] ?? 0;
    numbered.depth[number] = depth[state] ?? 0;
    numbered.shorter[number] = numbers[shorter[state] ?? 0] ?? 0;
    numbered.marks[number] = marks[state] ?? 0;
    if (state > 0) next[((numbers[parent[state] ?? 0] ?? 0) << shift) | (unitOf[state] ?? 0)] = number;
  }
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0);
  return { classes, next, shift, firstEnd: plain, unknown, ends: endLists, longest, ...numbered };
}

// One automaton for many words (Aho and Corasick): a text is read once, unit by unit, in any case of its letters.

export interface Automaton {
  /** The class of each ASCII unit; all others are class 0, which no word contains. */
  readonly classes: Uint8Array;
  /** The next state, at `(state << shift) | class`. */
  readonly next: Uint16Array | Uint32Array;
  readonly shift: number;
  /** States from this one on end at least one word. */
  readonly firstEnd: number;
  /** The words that end in each state from `firstEnd` on, longest first. */
  readonly ends: readonly (readonly number[])[];
  /** How many units of a word each state has seen, and the state for the longest shorter beginning. */
  readonly depth: Uint16Array;
  readonly shorter: Uint32Array;
  /** By state: the marks of the words that it is a beginning of, or'ed. */
  readonly marks: Uint8Array;
}

/** Builds the automaton; words are in lower-case ASCII, each with a mark of its own. */
export function buildAutomaton(words: readonly string[], markOf: (word: number) => number): Automaton {
  const classes = new Uint8Array(128);
  let classCount = 1;
  let most = 1;
  for (const text of words) {
    most += text.length;
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
  const tree = new Uint32Array(most << shift);
  const depth = new Uint16Array(most);
  const marks = new Uint8Array(most);
  const ends: number[][] = [];
  let states = 1;
  for (let word = 0; word < words.length; word++) {
    const text = words[word] ?? '';
    const mark = markOf(word);
    let state = 0;
    for (let index = 0; index < text.length; index++) {
      marks[state] = (marks[state] ?? 0) | mark;
      const place = (state << shift) | (classes[text.charCodeAt(index)] ?? 0);
      const child = tree[place] ?? 0;
      if (child === 0) {
        tree[place] = states;
        depth[states] = index + 1;
        state = states++;
      } else state = child;
    }
    const own = ends[state];
    if (own === undefined) ends[state] = [word];
    else own.push(word);
  }

  // By depth: where a word cannot go on, the longest shorter beginning does.
  const shorter = new Uint32Array(states);
  const order = new Uint32Array(states);
  let known = 1;
  const width = 1 << shift;
  for (let done = 0; done < known; done++) {
    const state = order[done] ?? 0;
    const fallback = shorter[state] ?? 0;
    for (let unit = 1; unit < classCount; unit++) {
      const place = state * width + unit;
      const child = tree[place] ?? 0;
      const other = state === 0 ? 0 : (tree[fallback * width + unit] ?? 0);
      if (child === 0) tree[place] = other;
      else {
        shorter[child] = other;
        const more = ends[other];
        if (more !== undefined) ends[child] = [...(ends[child] ?? []), ...more];
        order[known++] = child;
      }
    }
  }

  // States that end a word get the highest numbers, so that one comparison finds them.
  const numbers = new Uint32Array(states);
  let plain = 0;
  for (let state = 0; state < states; state++) if (ends[state] === undefined) numbers[state] = plain++;
  const firstEnd = plain;
  const endLists: number[][] = [];
  for (let state = 0; state < states; state++) {
    const list = ends[state];
    if (list === undefined) continue;
    numbers[state] = firstEnd + endLists.length;
    endLists.push(list);
  }
  const next = states <= 0xffff ? new Uint16Array(states << shift) : new Uint32Array(states << shift);
  const renumbered = {
    depth: new Uint16Array(states),
    shorter: new Uint32Array(states),
    marks: new Uint8Array(states),
  };
  for (let state = 0; state < states; state++) {
    const number = numbers[state] ?? 0;
    renumbered.depth[number] = depth[state] ?? 0;
    renumbered.shorter[number] = numbers[shorter[state] ?? 0] ?? 0;
    renumbered.marks[number] = marks[state] ?? 0;
    for (let unit = 1; unit < classCount; unit++) {
      next[(number << shift) | unit] = numbers[tree[state * width + unit] ?? 0] ?? 0;
    }
  }
  return { classes, next, shift, firstEnd, ends: endLists, ...renumbered };
}

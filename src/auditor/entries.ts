// A map from small numbers whose copies share what is alike in them: ways through a program part and meet at every
// branch, and differ in little.

/** Each node has 32 slots; six levels of them reach to 2³⁰. */
const width = 32;
const bits = 5;
const top = 25;

/** A node above others has nodes, one at the bottom has items. */
interface Node<Item> {
  /** Whoever may change it in place; all others copy it first. */
  readonly owner: object;
  readonly nodes: (Node<Item> | undefined)[];
  readonly items: (Item | undefined)[];
}

/** How much was copied and compared; it is work like any other. */
export const work = { done: 0 };

export class Entries<Item extends object> {
  #root: Node<Item> | undefined;
  #owner: object = {};

  get(key: number): Item | undefined {
    let node = this.#root;
    for (let shift = top; shift > 0; shift -= bits) node = node?.nodes[(key >>> shift) % width];
    return node?.items[key % width];
  }

  has(key: number): boolean {
    return this.get(key) !== undefined;
  }

  set(key: number, item: Item): void {
    if (this.get(key) !== item) this.#put(key, item);
  }

  delete(key: number): void {
    if (this.has(key)) this.#put(key, undefined);
  }

  #put(key: number, item: Item | undefined): void {
    let node = this.#own(this.#root);
    this.#root = node;
    for (let shift = top; shift > 0; shift -= bits) {
      const slot = (key >>> shift) % width;
      const next = this.#own(node.nodes[slot]);
      node.nodes[slot] = next;
      node = next;
    }
    node.items[key % width] = item;
  }

  #own(node: Node<Item> | undefined): Node<Item> {
    if (node?.owner === this.#owner) return node;
    const { nodes = [], items = [] } = node ?? {};
    work.done += nodes.length + items.length;
    return { owner: this.#owner, nodes: [...nodes], items: [...items] };
  }

  /** A copy; from now on neither changes what both hold. */
  clone(): Entries<Item> {
    const copy = new Entries<Item>();
    copy.#root = this.#root;
    this.#owner = {};
    return copy;
  }

  [Symbol.iterator](): Generator<[number, Item]> {
    return entriesOf(this.#root, 0, top);
  }

  /** Whether two are one that was copied, and neither was changed since. */
  isCopyOf(other: Entries<Item>): boolean {
    return this.#root === other.#root;
  }

  /** What is in the second of two and differs from the first. */
  static changes<Item extends object>(a: Entries<Item>, b: Entries<Item>): readonly [number, Item][] {
    const found: [number, Item][] = [];
    const look = (
      one: Node<Item> | undefined,
      other: Node<Item> | undefined,
      base: number,
      shift: number,
    ) => {
      if (one === other || other === undefined) return;
      work.done += other.nodes.length + other.items.length;
      for (const [slot, inner] of other.nodes.entries())
        look(one?.nodes[slot], inner, base + slot * 2 ** shift, shift - bits);
      for (const [slot, item] of other.items.entries())
        if (item !== undefined && item !== one?.items[slot]) found.push([base + slot, item]);
    };
    look(a.#root, b.#root, 0, top);
    return found;
  }

  /** Either of two; `merge` is asked wherever they differ. */
  static join<Item extends object>(
    a: Entries<Item>,
    b: Entries<Item>,
    merge: (a: Item | undefined, b: Item | undefined) => Item | undefined,
  ): Entries<Item> {
    const joined = new Entries<Item>();
    const both = (one: Node<Item> | undefined, other: Node<Item> | undefined): Node<Item> | undefined => {
      if (one === other) return one;
      const { nodes = [], items = [] } = one ?? {};
      const { nodes: otherNodes = [], items: otherItems = [] } = other ?? {};
      work.done += Math.max(nodes.length + items.length, otherNodes.length + otherItems.length);
      return {
        owner: joined.#owner,
        nodes: paired(nodes, otherNodes, both),
        items: paired(items, otherItems, (left, right) => (left === right ? left : merge(left, right))),
      };
    };
    joined.#root = both(a.#root, b.#root);
    // What was taken over as it was belongs to all of them now.
    a.#owner = {};
    b.#owner = {};
    return joined;
  }
}

function paired<Item>(
  a: readonly (Item | undefined)[],
  b: readonly (Item | undefined)[],
  merge: (a: Item | undefined, b: Item | undefined) => Item | undefined,
): (Item | undefined)[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, slot) => merge(a[slot], b[slot]));
}

function* entriesOf<Item>(
  node: Node<Item> | undefined,
  base: number,
  shift: number,
): Generator<[number, Item]> {
  if (node === undefined) return;
  for (const [slot, inner] of node.nodes.entries())
    yield* entriesOf(inner, base + slot * 2 ** shift, shift - bits);
  for (const [slot, item] of node.items.entries()) if (item !== undefined) yield [base + slot, item];
}

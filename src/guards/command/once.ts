// Keeps each fact once. Most stand alone at their place: none is written out before there is one to compare it with.

/** Facts that were met. */
export class Once {
  readonly #met = new Map<string, { readonly first: object; texts: Set<string> | null }>();

  /** Whether a fact is met for the first time. INVARIANT: facts that are the same have the same key. */
  isNew(key: string, fact: object): boolean {
    const alike = this.#met.get(key);
    if (alike === undefined) {
      this.#met.set(key, { first: fact, texts: null });
      return true;
    }
    alike.texts ??= new Set([JSON.stringify(alike.first)]);
    const { size } = alike.texts;
    return alike.texts.add(JSON.stringify(fact)).size > size;
  }
}

// Tables of what is done with each kind of node.

/** Makes something of a node for the reader of the tree. */
export type Rule<Reader, Node, Result> = (reader: Reader, node: Node) => Result;

/** The rules by kind; a name may be that of several kinds, with spaces between. */
export function byKind<Each>(rules: Readonly<Record<string, Each>>): ReadonlyMap<string, Each> {
  return new Map(
    Object.entries(rules).flatMap(([kinds, rule]) => kinds.split(' ').map((kind) => [kind, rule] as const)),
  );
}

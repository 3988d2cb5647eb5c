// How much a statement makes out of little: rows that are counted up, texts that are repeated, patterns that explode.

import { childrenOf, constantOf, namesIn, onlyNode, type SqlNode } from './tree.ts';

/** The rows that a LIMIT or a counted series asks for; null where no number says. */
export function rowsOf(node: SqlNode): number | null {
  if (node.kind === 'FuncCall' && namesIn(node.value, 'funcname').at(-1) === 'generate_series') {
    const [from, to, step = 1] = childrenOf(node.value, 'args').map((arg) => constantOf(onlyNode(arg)));
    if (typeof from !== 'number' || typeof to !== 'number' || typeof step !== 'number' || step === 0)
      return null;
    return Math.max(0, Math.floor((to - from) / step) + 1);
  }
  const value = constantOf(node);
  return typeof value === 'number' && value >= 0 ? value : null;
}

/** Units of cost, a thousand characters or elements each, that a call or an operator adds. */
export function expansion(node: SqlNode): number {
  if (node.kind === 'A_Expr') {
    const operator = namesIn(node.value, 'name').at(-1) ?? '';
    const pattern = /^!?~\*?$/.test(operator) ? constantOf(onlyNode(node.value['rexpr'])) : null;
    return typeof pattern === 'string' && explodes(pattern) ? 10 : 0;
  }
  const size = sizeOf(node);
  return size < 10_000 ? 0 : Math.min(1e9, size / 1000);
}

/** A pattern that repeats what itself repeats. */
function explodes(pattern: string): boolean {
  return /\([^()]*[+*][^()]*\)\s*(?:[+*]|\{\d+,)/.test(pattern);
}

function sizeOf(node: SqlNode | null): number {
  if (node === null) return 0;
  const constant = constantOf(node);
  if (typeof constant === 'string') return constant.length;
  if (node.kind !== 'FuncCall') return 1;
  const args = childrenOf(node.value, 'args').map(onlyNode);
  const [first = null, second = null] = args;
  const count = constantOf(second);
  switch (namesIn(node.value, 'funcname').at(-1)) {
    case 'repeat':
      // Repeated as often as some row says.
      return Math.min(1e12, sizeOf(first) * (typeof count === 'number' ? count : 1000));
    case 'lpad':
    case 'rpad':
      return typeof count === 'number' ? count : 1000;
    case 'array_fill': {
      const sides = second?.kind === 'A_ArrayExpr' ? childrenOf(second.value, 'elements') : [];
      const counts = sides.map((side) => constantOf(onlyNode(side)));
      return counts.reduce<number>(
        (all, side) => Math.min(1e12, all * (typeof side === 'number' ? side : 1000)),
        1,
      );
    }
    default:
      return Math.max(0, ...args.map(sizeOf));
  }
}

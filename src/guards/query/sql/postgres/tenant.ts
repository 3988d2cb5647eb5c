// Which tables of many tenants a statement uses without holding them to one: only a condition that every row has to
// meet counts, and only if it says `column = the caller's own tenant`.

import type { TenantUse } from '../known.ts';
import { tableName } from './catalog.ts';
import { childrenOf, constantOf, type Json, namesIn, onlyNode, type SqlNode } from './tree.ts';

interface Used {
  readonly table: string;
  /** What the statement calls it. */
  readonly name: string;
  readonly use: TenantUse;
}

/** The tables that are not held, of those that a FROM names itself; queries inside it are looked at on their own. */
export function heldToTenant(
  from: readonly unknown[],
  where: unknown,
  tenant: string,
  useOf: (table: string) => TenantUse,
): readonly string[] {
  const uses: Used[] = [];
  const conditions = [...conjuncts(onlyNode(where))];
  const visit = (item: unknown, inner: boolean): void => {
    const node = onlyNode(item);
    if (node?.kind === 'RangeVar') {
      const table = tableName(node.value);
      const alias = node.value['alias'] as Json | undefined;
      const use = useOf(table);
      const name = String(alias?.['aliasname'] ?? node.value['relname'] ?? '');
      if (use !== 'free') uses.push({ table, name, use });
    } else if (node?.kind === 'RangeTableSample') visit(node.value['relation'], inner);
    else if (node?.kind === 'JoinExpr') {
      const plain = inner && (node.value['jointype'] ?? 'JOIN_INNER') === 'JOIN_INNER';
      // A condition of an outer join leaves the rows in, without their partners.
      if (plain) conditions.push(...conjuncts(onlyNode(node.value['quals'])));
      visit(node.value['larg'], plain);
      visit(node.value['rarg'], plain);
    }
  };
  for (const item of from) visit(item, true);
  const single = uses.length === 1;
  return uses
    .filter((used) => !conditions.some((condition) => holds(condition, used)))
    .map(({ table }) => table);

  function holds(condition: SqlNode, { name, use }: Used): boolean {
    if (typeof use === 'string') return false;
    if (condition.kind !== 'A_Expr' || condition.value['kind'] !== 'AEXPR_OP') return false;
    if (namesIn(condition.value, 'name').join('.') !== '=') return false;
    const sides = [onlyNode(condition.value['lexpr']), onlyNode(condition.value['rexpr'])] as const;
    return [sides, [sides[1], sides[0]] as const].some(([left, right]) => {
      if (left?.kind !== 'ColumnRef') return false;
      const parts = namesIn(left.value, 'fields');
      const ours = use.isColumn(parts.at(-1) ?? '') && (parts.length > 1 ? parts.at(-2) === name : single);
      const value = constantOf(right);
      return ours && value !== null && String(value) === tenant;
    });
  }
}

/** The conditions that all have to be met. */
export function* conjuncts(node: SqlNode | null): Generator<SqlNode> {
  if (node?.kind === 'BoolExpr' && node.value['boolop'] === 'AND_EXPR') {
    for (const arg of childrenOf(node.value, 'args')) yield* conjuncts(onlyNode(arg));
  } else if (node !== null) yield node;
}

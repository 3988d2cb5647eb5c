// Statements that ask PostgreSQL what there is. Its catalogs of names, types and keys may be read as far as the answer
// can hold no name that the source hides: by a condition that limits them to relations that may all be shown, or
// because nothing is hidden. Catalogs that hold values, code, rights or other people's work are not among them.

import { nameParts } from '../../../../config/sql-names.ts';
import { everything, type HiddenNames, type Target, type Told } from '../hidden.ts';
import { tableName } from './catalog.ts';
import { conjuncts } from './tenant.ts';
import { childrenOf, constantOf, type Json, namesIn, onlyNode, type SqlNode } from './tree.ts';

/** What a catalog tells of relations, and by which of its columns a condition says of which ones. */
interface Describing {
  readonly tells: Told | 'nothing';
  /** The column with the name of the relation, and that with the name of its schema. */
  readonly name?: string;
  readonly schema?: string;
  /** The column with its number. */
  readonly oid?: string;
}

const standard = { name: 'table_name', schema: 'table_schema' } as const;

const catalogs: Readonly<Record<string, Describing>> = {
  'information_schema.tables': { tells: 'relations', ...standard },
  'information_schema.columns': { tells: 'columns', ...standard },
  'information_schema.table_constraints': { tells: 'columns', ...standard },
  'information_schema.key_column_usage': { tells: 'columns', ...standard },
  'information_schema.constraint_column_usage': { tells: 'columns', ...standard },
  'information_schema.views': { tells: 'columns' },
  'information_schema.referential_constraints': { tells: 'columns' },
  'information_schema.check_constraints': { tells: 'columns' },
  'information_schema.schemata': { tells: 'nothing' },
  pg_tables: { tells: 'relations', name: 'tablename', schema: 'schemaname' },
  pg_indexes: { tells: 'columns', name: 'tablename', schema: 'schemaname' },
  pg_views: { tells: 'columns' },
  pg_matviews: { tells: 'columns' },
  // The name of an index is made of those of its columns.
  pg_class: { tells: 'columns', name: 'relname', oid: 'oid' },
  pg_attribute: { tells: 'columns', oid: 'attrelid' },
  pg_attrdef: { tells: 'columns', oid: 'adrelid' },
  pg_constraint: { tells: 'columns', oid: 'conrelid' },
  pg_index: { tells: 'columns', oid: 'indrelid' },
  pg_description: { tells: 'columns', oid: 'objoid' },
  pg_inherits: { tells: 'columns' },
  pg_type: { tells: 'columns' },
  pg_enum: { tells: 'columns' },
  pg_namespace: { tells: 'nothing' },
};

/** Functions that tell of relations by their number or name; none of them reads a table. */
const functions: ReadonlySet<string> = new Set(
  'pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_get_expr pg_get_partkeydef pg_get_serial_sequence pg_table_is_visible pg_type_is_visible obj_description col_description to_regclass to_regtype to_regnamespace has_table_privilege has_column_privilege has_any_column_privilege has_schema_privilege'.split(
    ' ',
  ),
);
const types: ReadonlySet<string> = new Set(['regclass', 'regtype', 'regnamespace']);

/** Whether a function only tells names, types and keys. */
export function isDescribingFunction(name: string): boolean {
  return functions.has(name);
}

/** Whether a type stands for the name of a relation, a type or a schema. */
export function isDescribingType(name: string): boolean {
  return types.has(name);
}

/** One use of a catalog in a FROM. */
interface Use {
  readonly node: Json;
  readonly alias: string;
  readonly describing: Describing;
  /** The relations that conditions hold it to; null where none does. */
  targets: readonly Target[] | null;
}

/** A condition that every row of these uses meets; null for all of them. */
interface Condition {
  readonly node: SqlNode;
  readonly of: ReadonlySet<Use> | null;
}

/** The uses of catalogs in a FROM that can show no hidden name. */
export function describingUses(
  from: readonly unknown[],
  where: unknown,
  hidden: HiddenNames,
  hasTenants: boolean,
): readonly Json[] {
  if (!from.some(namesCatalog)) return [];
  const uses: Use[] = [];
  const conditions: Condition[] = [...conjuncts(onlyNode(where))].map((node) => ({ node, of: null }));
  let items = 0;
  const visit = (item: unknown): readonly Use[] => {
    const node = onlyNode(item);
    if (node?.kind === 'JoinExpr') {
      const [left, right] = [visit(node.value['larg']), visit(node.value['rarg'])];
      const of = heldBy(node.value['jointype'], left, right);
      conditions.push(...[...conjuncts(onlyNode(node.value['quals']))].map((one) => ({ node: one, of })));
      return [...left, ...right];
    }
    items++;
    if (node?.kind !== 'RangeVar') return [];
    const describing = catalogs[tableName(node.value).replace(/^pg_catalog\./, '')];
    // Rows of a catalog hold values here and there, such as the bounds of partitions; a view of names holds none.
    const isPlain = describing?.tells === 'nothing' || describing?.schema !== undefined;
    if (describing === undefined || (hasTenants && !isPlain)) return [];
    const alias = node.value['alias'] as Json | undefined;
    const name = String(alias?.['aliasname'] ?? node.value['relname'] ?? '');
    const use: Use = { node: node.value, alias: name, describing, targets: null };
    uses.push(use);
    return [use];
  };
  for (const item of from) visit(item);
  if (hidden.any) hold(uses, conditions, items === 1);
  return uses.filter((use) => isShowable(use, hidden)).map(({ node }) => node);
}

/** Whether a part of a FROM names a catalog: most name none. */
function namesCatalog(item: unknown): boolean {
  const { kind = '', value = {} } = onlyNode(item) ?? {};
  if (kind === 'JoinExpr') return namesCatalog(value['larg']) || namesCatalog(value['rarg']);
  return (
    kind === 'RangeVar' && (value['schemaname'] !== undefined || String(value['relname']).startsWith('pg_'))
  );
}

function isShowable({ describing: { tells }, targets }: Use, hidden: HiddenNames): boolean {
  if (tells === 'nothing') return true;
  return (targets ?? [everything]).every((target) => !hidden.isShownBy(target, tells));
}

/** The sides of a join whose every row meets its condition. */
function heldBy(type: unknown, left: readonly Use[], right: readonly Use[]): ReadonlySet<Use> {
  switch (type ?? 'JOIN_INNER') {
    case 'JOIN_INNER':
      return new Set([...left, ...right]);
    case 'JOIN_LEFT':
      return new Set(right);
    case 'JOIN_RIGHT':
      return new Set(left);
    default:
      return new Set();
  }
}

/** Finds out which relations each use is held to, by constants and by the numbers that uses share. */
function hold(uses: readonly Use[], conditions: readonly Condition[], single: boolean): void {
  const isOf = (node: SqlNode | null, { alias }: Use, column: string | undefined) => {
    const parts = node?.kind === 'ColumnRef' ? namesIn(node.value, 'fields') : [];
    if (column === undefined || parts.at(-1) !== column) return false;
    return parts.length > 1 ? parts.at(-2) === alias : single;
  };
  const constantsFor = (use: Use, column: string | undefined): readonly string[] | null => {
    for (const { node, of } of conditions) {
      const compared = of === null || of.has(use) ? comparison(node) : null;
      if (compared !== null && isOf(compared.left, use, column) && compared.values !== null)
        return compared.values;
    }
    return null;
  };
  for (const use of uses) {
    const { name, schema, oid } = use.describing;
    const [names, schemas, numbers] = [name, schema, oid].map((column) => constantsFor(use, column));
    if (numbers != null) use.targets = numbers.map(relationNamed);
    else if (names != null || schemas != null) {
      use.targets = (schemas ?? [null]).flatMap((of) =>
        (names ?? [null]).map((one) => ({ schema: of, name: one })),
      );
    }
  }
  // `a.attrelid = c.oid` holds the one to what the other is held to.
  for (let changed = true; changed; ) {
    changed = false;
    for (const { node, of } of conditions) {
      const { left = null, right = null } = comparison(node) ?? {};
      for (const one of uses) {
        if (one.targets !== null || (of !== null && !of.has(one))) continue;
        const other = uses.find(
          (use) =>
            use.targets !== null &&
            ((isOf(left, one, one.describing.oid) && isOf(right, use, use.describing.oid)) ||
              (isOf(right, one, one.describing.oid) && isOf(left, use, use.describing.oid))),
        );
        if (other === undefined) continue;
        one.targets = other.targets;
        changed = true;
      }
    }
  }
}

/** The two sides of an equation, and the texts on the right where they are constants; null for anything else. */
function comparison({ kind, value }: SqlNode) {
  if (kind !== 'A_Expr' || namesIn(value, 'name').join('.') !== '=') return null;
  const [left, right] = [onlyNode(value['lexpr']), onlyNode(value['rexpr'])];
  if (value['kind'] === 'AEXPR_IN') {
    const values = childrenOf(right?.value, 'items').map((item) => textConstant(onlyNode(item)));
    return { left, right: null, values: values.every((one) => one !== null) ? values : null };
  }
  if (value['kind'] !== 'AEXPR_OP') return null;
  const [first, second] = [textConstant(right), textConstant(left)];
  if (second !== null) return { left: right, right: left, values: [second] };
  return { left, right, values: first === null ? null : [first] };
}

/** A text as it is written, also as the name of a relation; a number could be that of any. */
function textConstant(node: SqlNode | null): string | null {
  const constant = constantOf(node);
  return typeof constant === 'string' ? constant : null;
}

/** The relation of a written name. */
export function relationNamed(text: string): Target {
  const [name = '', schema = null] = nameParts(text).toReversed();
  return { schema, name };
}

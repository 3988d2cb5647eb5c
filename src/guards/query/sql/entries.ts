// Tables and views as entries of a schema.

import { isTableNamed, nameParts } from '../../../config/sql-names.ts';
import { isAllowed, type RuledSource } from '../allowed.ts';
import type { SchemaEntry, SchemaMember } from '../entry.ts';
import { isSensitive } from '../risk.ts';
import type { Catalog, Column, Reference, Relation } from './catalog.ts';
import { columnName, KnownNames } from './known.ts';

export function sqlEntries(catalog: Catalog, source: RuledSource): readonly SchemaEntry[] {
  const known = new KnownNames(catalog, source.mode);
  const { sql } = source.mode;
  const isShown = (table: string) =>
    isAllowed(source, {
      relations: known.relationsRead([table]),
      named: { relations: [table], fields: [] },
    });
  const fieldsRead = (table: string, column: string) => known.fieldsRead([columnName(table, column)]).fields;
  const shown = new Map<Relation, readonly Column[]>();
  for (const relation of catalog.relations) {
    if (!isShown(relation.name)) continue;
    const columns = (relation.columns ?? []).filter(({ name }) =>
      isAllowed(source, { fields: fieldsRead(relation.name, name) }),
    );
    shown.set(relation, columns);
  }
  const isColumnShown = (table: Relation, column: string) =>
    shown.get(table)?.some(({ name }) => name === column) === true;
  const referencesOf = (relation: Relation) =>
    relation.references.filter(
      ({ columns, to, toColumns }) =>
        shown.has(to) &&
        columns.every((column) => isColumnShown(relation, column)) &&
        toColumns.every((column) => isColumnShown(to, column)),
    );
  const referring = new Map<Relation, string[]>();
  for (const relation of shown.keys()) {
    for (const reference of referencesOf(relation)) {
      const line = `${relation.name} refers to it: ${referenceText(relation, reference)}`;
      referring.set(reference.to, [...(referring.get(reference.to) ?? []), line]);
    }
  }
  return [...shown].map(([relation, columns]): SchemaEntry => {
    const { name, comment, primaryKey, uses, parents, isPartition } = relation;
    const isShared = sql.tenantTables.some((table) => isTableNamed(name, table, sql.naming));
    const tenant = isShared && sql.tenantColumn !== null ? sql.tenantColumn : null;
    const members = columns.map((column) =>
      memberOf(
        column,
        primaryKey.includes(column.name),
        fieldsRead(name, column.name).some((field) => isSensitive(field, source.mode)),
      ),
    );
    const views = uses.filter((used) => shown.has(used)).map((used) => `It shows ${used.name}.`);
    const above = parents.filter((parent) => shown.has(parent));
    return {
      name,
      kind: uses.length > 0 ? 'view' : isPartition ? 'partition' : 'table',
      comment,
      type: null,
      members,
      relations: [
        ...referencesOf(relation).map((reference) => referenceText(relation, reference)),
        ...(referring.get(relation) ?? []),
        ...new Set(views),
        ...above.map((parent) => `Its rows are rows of ${parent.name} too.`),
        ...(tenant === null ? [] : [`Every use needs a condition on your own tenant: ${tenant} = …`]),
      ],
      example: exampleOf(name, members, tenant),
    };
  });
}

function memberOf(column: Column, isKey: boolean, sensitive: boolean): SchemaMember {
  const { name, type, comment, isRequired, values } = column;
  return {
    name,
    type,
    comment,
    marks: [
      ...(isKey ? (['primary key'] as const) : []),
      ...(isRequired && !isKey ? (['required'] as const) : []),
      ...(sensitive ? (['sensitive'] as const) : []),
    ],
    values,
  };
}

function referenceText({ name }: Relation, { columns, to, toColumns }: Reference): string {
  const target = toColumns.length > 0 ? toColumns : to.primaryKey;
  const of = (table: string, names: readonly string[]) =>
    names.length === 1 ? columnName(table, names[0] ?? '') : `${table} (${names.join(', ')})`;
  return `${of(name, columns)} = ${of(to.name, target)}`;
}

const mostInExample = 4;

/** A statement that reads a few rows, without what is sensitive. */
function exampleOf(table: string, members: readonly SchemaMember[], tenant: string | null): string | null {
  const columns = members.filter(({ marks }) => !marks.includes('sensitive')).slice(0, mostInExample);
  if (columns.length === 0) return null;
  const what = columns.map(({ name }) => quoted(name)).join(', ');
  const held = tenant === null ? '' : ` WHERE ${quoted(nameParts(tenant).at(-1) ?? '')} = '…'`;
  return `SELECT ${what} FROM ${nameParts(table).map(quoted).join('.')}${held} LIMIT 10`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

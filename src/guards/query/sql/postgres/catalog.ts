// The tables and types that statements of PostgreSQL make.

import { Catalog } from '../catalog.ts';
import { childrenOf, type Json, namesIn, nodeOf, onlyNode } from './tree.ts';

/** Reads a parsed schema; a statement that makes no table and no type adds nothing. */
export function postgresCatalog(tree: unknown): Catalog {
  const catalog = new Catalog();
  for (const statement of childrenOf(tree, 'stmts')) {
    const node = nodeOf(statement, 'stmt');
    if (node === null) continue;
    const { kind, value } = node;
    if (kind === 'CreateStmt') {
      const columns = childrenOf(value, 'tableElts').flatMap((element) => {
        const column = onlyNode(element);
        return column?.kind === 'ColumnDef' ? [String(column.value['colname'] ?? '')] : [];
      });
      catalog.add(tableName((value['relation'] ?? {}) as Json), columns);
    } else if (kind === 'ViewStmt') catalog.add(tableName((value['view'] ?? {}) as Json), null);
    else if (kind === 'CreateEnumStmt') catalog.types.add(namesIn(value, 'typeName').join('.'));
    else if (kind === 'CreateDomainStmt') catalog.types.add(namesIn(value, 'domainname').join('.'));
  }
  return catalog;
}

/** The name of a table as policies know it: without the schema that is searched first. */
export function tableName(value: Json): string {
  const schema = value['schemaname'];
  const name = String(value['relname'] ?? '');
  return typeof schema === 'string' && schema !== 'public' ? `${schema}.${name}` : name;
}

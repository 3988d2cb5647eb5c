// Every field that the schema of a source describes, by the name that the lists of the configuration use.

import type { Source } from '../../config/sources.ts';
import { nameParts } from '../../config/sql-names.ts';
import type { Readers } from '../../core/index.ts';
import { type FieldMeaning, meaningOfName } from '../../detect/field-names.ts';
import { catalogFrom } from './catalog.ts';
import { schemaFrom } from './graphql/schema.ts';
import { apiFrom } from './rest/api.ts';
import { describedFields } from './rest/described.ts';
import type { Catalog } from './sql/catalog.ts';
import { columnName } from './sql/known.ts';

/** The column that most tables have, and the tables that have it. */
interface TenantGuess {
  readonly column: string;
  readonly tables: readonly string[];
  /** How many tables there are. */
  readonly of: number;
}

/** What the names of a schema say about it. */
export interface NamedFields {
  readonly byMeaning: Readonly<Record<FieldMeaning, readonly string[]>>;
  readonly tenant: TenantGuess | null;
  /** How many tables, types or operations it has. */
  readonly size: number;
}

/** Reads the names of a schema; throws where the text is no schema of that kind. */
export async function namedFields(
  source: Pick<Source, 'kind' | 'mode'>,
  text: string,
  readers: Readers | undefined,
): Promise<NamedFields> {
  switch (source.kind) {
    case 'graphql': {
      const fields = await outputFields(text);
      return { ...meanings(fields), tenant: null, size: new Set(fields.map(typeOf)).size };
    }
    case 'rest': {
      const { fields, size } = answerFields(text);
      return { ...meanings(fields), tenant: null, size };
    }
    default: {
      const tables = tablesOf(await catalogFrom(source, text, readers));
      const columns = tables.flatMap(({ name, columns: own }) =>
        own.map((column) => columnName(name, column)),
      );
      return { ...meanings(columns), tenant: tenantIn(tables), size: tables.length };
    }
  }
}

function meanings(fields: readonly string[]): Pick<NamedFields, 'byMeaning'> {
  const named = (meaning: FieldMeaning) =>
    fields.filter((field) => meaningOfName(nameParts(field).at(-1) ?? '') === meaning);
  return { byMeaning: { secret: named('secret'), identity: named('identity'), contact: named('contact') } };
}

function typeOf(field: string): string {
  return field.slice(0, field.lastIndexOf('.'));
}

/** Fields that a query can select; those of the roots are operations. */
async function outputFields(text: string): Promise<readonly string[]> {
  const { graphql, schema } = await schemaFrom(text);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    const isOutput = graphql.isObjectType(type) || graphql.isInterfaceType(type);
    if (!isOutput || type.name.startsWith('__') || roots.some((root) => root === type)) return [];
    return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`);
  });
}

function answerFields(text: string): { readonly fields: readonly string[]; readonly size: number } {
  const { document, operations } = apiFrom(text);
  const fields = operations.flatMap(({ id, answers }) => describedFields(document, answers, id));
  return { fields: [...new Set(fields)], size: operations.length };
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that numbers its rows. */
  readonly key: string | null;
}

/** Tables that hold rows themselves: a view and a partition are protected with what they show or belong to. */
function tablesOf(catalog: Catalog): readonly Table[] {
  return [...catalog.relations]
    .filter(({ uses, isPartition }) => uses.length === 0 && !isPartition)
    .map(({ name, columns, key }) => ({
      name,
      columns: (columns ?? []).map((column) => column.name),
      key,
    }));
}

/** Names that say that rows belong to a person. */
const owner =
  /(?:^|_)(?:tenant|org|organi[sz]ation|account|company|customer|client|workspace|team|merchant|shop|store|site)(?:_?(?:id|uuid|key|code))?$/i;

/** A column that belongs to an owner of rows and is in more than half of the tables. */
function tenantIn(tables: readonly Table[]): TenantGuess | null {
  const having = new Map<string, string[]>();
  for (const { name, columns, key } of tables)
    for (const column of columns)
      if (column !== key && owner.test(column)) having.set(column, [...(having.get(column) ?? []), name]);
  const [found] = [...having].toSorted(([, one], [, other]) => other.length - one.length);
  if (found === undefined) return null;
  const [column, names] = found;
  const isMost = names.length > 1 && names.length * 2 > tables.length;
  return isMost ? { column, tables: names, of: tables.length } : null;
}

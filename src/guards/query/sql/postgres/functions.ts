// Which functions of PostgreSQL a read may call: those that compute from what they are given, and few others.

import { aggregates, operators, pureFunctions } from './names.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Volatile by the catalog, and still without a trace: chance, the clock, sizes. */
const harmless = words(
  'random random_normal gen_random_uuid uuidv4 uuidv7 clock_timestamp timeofday pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_database_size',
);

/** Not volatile by the catalog, and still more than a computation: they run a text as SQL, or read what is not data. */
const reaching =
  /^(?:(?:table|schema|database|query|cursor)_to_xml|current_setting$|ts_stat$|txid_|currtid|lo_|row_security_active$|inet_(?:server|client)_)/;

/** Of the many that tell about the server itself, those that tell nothing. */
const plain = words(
  'pg_size_pretty pg_size_bytes pg_typeof pg_column_size pg_input_is_valid pg_client_encoding pg_collation_for',
);

/** Whether a function of PostgreSQL's own only computes, or, where its catalogs may be read, tells what they say. */
export function isHarmless(name: string, catalogs: boolean): boolean {
  if (harmless.has(name) || plain.has(name)) return true;
  if (!pureFunctions.has(name) || reaching.test(name)) return false;
  return catalogs
    ? !secretFunctions.test(name)
    : !/^pg_|^(?:to_)?reg(?:class|collation|config|dictionary|namespace|oper|proc|role|type|database)|^(?:col|obj|shobj)_description$/.test(
        name,
      );
}

/** Whether a function is none of those of PostgreSQL that compute from what they are given. */
export function isOwnFunction(names: readonly string[]): boolean {
  const name = names.at(-1) ?? '';
  const isServer = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  return !isServer || !(isHarmless(name, false) || aggregates.has(name) || sessionFunctions.has(name));
}

/** Whether an operator is none of PostgreSQL's. */
export function isOwnOperator(names: readonly string[]): boolean {
  const isServer = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  const name = names.at(-1) ?? '';
  // `<>` and `!=` are one operator, and the grammar gives the second as the first.
  return !isServer || !operators.has(name === '!=' ? '<>' : name);
}

/** What views ask about the session that reads them. */
const sessionFunctions = words('current_setting pg_has_role has_table_privilege');

const secretFunctions =
  /^pg_(?:show_all_settings|stat_get|read|ls|current_|logical|replication|config|hba|get_replication)|^lo_/;

/** Types that look names up in the catalog, or show what the server keeps for itself. */
const catalogTypes =
  /^(?:reg(?!exp)\w+|pg_lsn|pg_snapshot|txid_snapshot|pg_node_tree|pg_ndistinct|pg_dependencies|pg_mcv_list|xid8?|cid|aclitem)$/;

export function isCatalogType(name: string): boolean {
  return catalogTypes.test(name);
}

/** Tables of the server that hold credentials, other people's queries, or values out of other tables. */
const secretTables =
  /^(?:pg_(?:catalog|toast|temp)\w*\.)?pg_(?:authid|shadow|user_mapping|user_mappings|largeobject\w*|statistic(?!_ext$)\w*|stats\w*|stat_\w+|hba_file_rules|ident_file_mappings|file_settings|settings|foreign_server|subscription\w*|cursors|prepared_\w+|db_role_setting|toast\w*|temp\w*)|^pg_toast|^pg_temp|^information_schema\.(?:user_mapping|foreign_server)/;

export function isSecretTable(table: string): boolean {
  return secretTables.test(table);
}

/** Functions that take a row whole: written behind a table's name they look like a column of it. */
export const rowFunctions = words(
  'row_to_json to_json to_jsonb json_agg jsonb_agg array_agg pg_typeof quote_literal quote_nullable hash_record hash_record_extended record_out record_send num_nulls num_nonnulls json_build_array jsonb_build_array json_build_object jsonb_build_object',
);

/** Types that a row can be made into in the same way; most tables that have such a name have it for a column. */
export const rowTypes = words('text varchar bpchar name');

/** Functions that stand in a FROM and give one column, which is called as they are. */
const counted = words(
  'generate_series generate_subscripts regexp_split_to_table regexp_matches string_to_table json_object_keys jsonb_object_keys',
);

/** Those whose columns have names of their own. */
const named: Readonly<Record<string, readonly string[]>> = {
  json_array_elements: ['value'],
  jsonb_array_elements: ['value'],
  json_array_elements_text: ['value'],
  jsonb_array_elements_text: ['value'],
  json_each: ['key', 'value'],
  jsonb_each: ['key', 'value'],
  json_each_text: ['key', 'value'],
  jsonb_each_text: ['key', 'value'],
};

/** The columns that a function in a FROM gives, under the name that it has there; null where they are not known. */
export function columnsGiven(name: string, called: string): readonly string[] | null {
  if (counted.has(name)) return [called];
  return Object.hasOwn(named, name) ? (named[name] ?? null) : null;
}

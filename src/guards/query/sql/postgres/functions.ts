// Which functions of PostgreSQL a read may call: those that compute from what they are given, and few others.

import { pureFunctions } from './names.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Volatile by the catalog, and still without a trace: chance, the clock, sizes. */
const harmless = words(
  'random random_normal gen_random_uuid uuidv4 uuidv7 clock_timestamp timeofday pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_database_size',
);

/** Not volatile by the catalog, and still more than a computation: they run a text as SQL, or read what is not data. */
const reaching =
  /^(?:(?:table|schema|database|query|cursor)_to_xml|current_setting$|ts_stat$|txid_|currtid|lo_|row_security_active$|col_description$|obj_description$|shobj_description$|inet_(?:server|client)_)/;

/** Of the many that tell about the server itself, those that tell nothing. */
const plain = words(
  'pg_size_pretty pg_size_bytes pg_typeof pg_column_size pg_input_is_valid pg_client_encoding pg_collation_for',
);

/** Whether a function of PostgreSQL's own only computes. */
export function isHarmless(name: string): boolean {
  if (harmless.has(name) || plain.has(name)) return true;
  return pureFunctions.has(name) && !name.startsWith('pg_') && !reaching.test(name);
}

/** Functions that take a row whole: written behind a table's name they look like a column of it. */
export const rowFunctions = words(
  'row_to_json to_json to_jsonb json_agg jsonb_agg array_agg pg_typeof quote_literal quote_nullable hash_record hash_record_extended record_out record_send num_nulls num_nonnulls json_build_array jsonb_build_array json_build_object jsonb_build_object',
);

/** Types that a row can be made into in the same way; most tables that have such a name have it for a column. */
export const rowTypes = words('text varchar bpchar name');

// Which functions of MySQL and SQLite a read may call: those that compute from what they are given.

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const common =
  'abs avg ceil ceiling coalesce concat concat_ws count cume_dist date dense_rank exp first_value floor group_concat ifnull iif instr lag last_value lead length ln log log10 log2 lower ltrim max min mod nth_value ntile nullif percent_rank pi pow power radians rank replace round row_number rtrim sign sin cos tan asin acos atan atan2 degrees sqrt substr substring sum time total trim upper format hex unhex quote json json_array json_object json_extract json_type json_valid json_quote json_array_length json_group_array json_group_object json_set json_insert json_replace json_remove json_patch cast';

const own = {
  sqlite: words(
    `${common} changes datetime julianday strftime unixepoch timediff likelihood likely unlikely like glob printf random randomblob sqlite_version string_agg median percentile typeof unicode char octet_length soundex trunc json_each json_tree json_pretty jsonb jsonb_extract jsonb_array jsonb_object bm25 highlight snippet rank sinh cosh tanh asinh acosh atanh`,
  ),
  mysql: words(
    `${common} adddate addtime ascii bin bit_and bit_count bit_length bit_or bit_xor char char_length character_length conv convert convert_tz cot crc32 curdate current_date current_time current_timestamp curtime database schema user current_user session_user datediff date_add date_format date_sub day dayname dayofmonth dayofweek dayofyear elt export_set extract field find_in_set from_base64 from_days from_unixtime get_format greatest if inet_aton inet_ntoa inet6_aton inet6_ntoa insert isnull is_ipv4 is_ipv6 is_uuid json_arrayagg json_objectagg json_contains json_contains_path json_depth json_keys json_length json_merge_patch json_merge_preserve json_overlaps json_pretty json_search json_storage_size json_unquote json_value json_table last_day lcase least left locate localtime localtimestamp lpad makedate maketime md5 microsecond mid minute month monthname now oct octet_length ord period_add period_diff position quarter rand regexp_instr regexp_like regexp_replace regexp_substr repeat reverse right rpad second sec_to_time sha sha1 sha2 soundex space std stddev stddev_pop stddev_samp str_to_date strcmp subdate substring_index subtime sysdate timediff timestamp timestampadd timestampdiff time_format time_to_sec to_base64 to_days to_seconds truncate ucase unix_timestamp utc_date utc_time utc_timestamp uuid variance var_pop var_samp version week weekday weekofyear weight_string year yearweek any_value grouping`,
  ),
} as const;

export type Dialect = keyof typeof own;

export function isHarmless(dialect: Dialect, name: string): boolean {
  return own[dialect].has(name.toLowerCase());
}

/** Of one argument that is a size: what more than this is too much to make out of nothing. */
export const growing = words('randomblob zeroblob repeat space lpad rpad');

/** Functions of SQLite that stand in a FROM. */
export const tableFunctions = words('json_each json_tree');

/** What they give a column for. */
export const tableColumns = words('key value type atom id parent fullkey path json root');

/** Functions of MySQL whose first argument is a word of the language, and no column. */
export const takesUnit = words('timestampdiff timestampadd get_format');

export const units = words(
  'microsecond second minute hour day week month quarter year date time datetime timestamp sql_tsi_second sql_tsi_minute sql_tsi_hour sql_tsi_day sql_tsi_week sql_tsi_month sql_tsi_quarter sql_tsi_year',
);

/** What SQLite calls the number of a row. */
export const rowNumbers = words('rowid oid _rowid_');

/** Pragmas of SQLite that tell of a table, an index or all of them. */
export const listingPragmas = words(
  'table_info table_xinfo index_list index_info index_xinfo foreign_key_list',
);
const readingPragmas = words(
  'table_list collation_list compile_options user_version schema_version encoding page_count page_size',
);

/** Whether a pragma only tells something, with a value or without; with one, most of them change something. */
export function isReadingPragma(name: string, given: boolean): boolean {
  return listingPragmas.has(name) || (!given && readingPragmas.has(name));
}

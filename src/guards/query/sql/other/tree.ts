// The shape of the other parser's trees: objects with one key that is their kind, and names in lists.

export type Json = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parser writes what is not there as nothing, as false, as an empty list or as a word for none. */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 'None') return false;
  return !(Array.isArray(value) && value.length === 0);
}

export function identifier(value: unknown): string {
  const inner = isObject(value) && isObject(value['Identifier']) ? value['Identifier'] : value;
  return isObject(inner) ? String(inner['value'] ?? '') : '';
}

/** The parts of a name, without their quotes. */
export function objectParts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(identifier) : [identifier(value)];
}

/** The list under a name; empty where there is none. */
export function listIn(value: unknown, field: string): readonly unknown[] {
  const list = isObject(value) ? value[field] : undefined;
  return Array.isArray(list) ? list : [];
}

export function aliasOf(node: Json): string {
  const alias = node['alias'];
  return isObject(alias) ? identifier(alias['name']) : '';
}

/** The names that an alias gives to columns. */
export function aliasColumns(node: Json): readonly string[] {
  return listIn(node['alias'], 'columns').map((column) => identifier(isObject(column) ? column['name'] : ''));
}

/** The text of a constant, however the parser wraps it. */
export function textIn(value: unknown): string {
  return isObject(value) ? textIn(Object.values(value)[0]) : String(Array.isArray(value) ? value[0] : value);
}

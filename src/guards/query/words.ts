// Words that sentences about queries are made of.

export const verbs = { read: 'Reads', write: 'Changes', delete: 'Deletes', admin: 'Administers' } as const;
const mostNamed = 8;

/** Names as people list them, no more than a few. */
export function listed(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, mostNamed);
  const more = unique.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

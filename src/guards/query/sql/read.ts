// Reads SQL by the grammar of the database that it goes to.

import type { SourceKind } from '../../../config/sources.ts';
import { once } from '../../../core/index.ts';
import type { Reading } from '../facts.ts';
import type { SqlInput } from './input.ts';

/** How many brackets may be open at once: parsers go down a level for each. */
const deepest = 200;

const loadPostgres = once(() => import('./postgres/index.ts'));
const loadOther = once(() => import('./other/read.ts'));

export async function readSql(kind: SourceKind, input: SqlInput): Promise<Reading> {
  if (openAtOnce(input.text) > deepest) {
    return {
      unreadable: { rule: 'excessive_depth', message: `More than ${deepest} brackets are open at once.` },
    };
  }
  if (kind === 'postgres') return (await loadPostgres()).readPostgres(input);
  return (await loadOther()).readOther(kind === 'mysql' ? 'mysql' : 'sqlite', input);
}

/** Brackets in texts and comments count too: then it is refused, which it may be. */
function openAtOnce(text: string): number {
  let open = 0;
  let most = 0;
  for (const sign of text) {
    if (sign === '(' || sign === '[') most = Math.max(most, ++open);
    else if (sign === ')' || sign === ']') open--;
  }
  return most;
}

// How much a person should mind a query, and what it does in words that they can check; both from the facts alone.

import type { CodeMode, RiskLevel } from '../../config/sources.ts';
import { isColumnNamed, nameParts } from '../../config/sql-names.ts';
import type { Estimate } from '../../core/index.ts';
import { meaningOfName } from '../../detect/field-names.ts';
import type { QueryFacts } from './facts.ts';
import { rounded } from './rules/limits.ts';
import { listed, verbs } from './words.ts';

/** The fields of a query that the source, or their own name, calls sensitive. */
export function sensitiveFields({ fields }: Pick<QueryFacts, 'fields'>, mode: CodeMode): readonly string[] {
  return fields.filter((field) => isSensitive(field, mode));
}

/** Whether the source, or its own name, calls a field sensitive. */
export function isSensitive(field: string, { sensitiveFields: named, sql }: CodeMode): boolean {
  if (named.some((name) => isColumnNamed(field, name, sql.naming))) return true;
  const meaning = meaningOfName(nameParts(field).at(-1) ?? '');
  return meaning === 'secret' || meaning === 'identity';
}

export function riskOf(
  facts: QueryFacts,
  mode: CodeMode,
  estimate: Estimate | null,
  sensitive: readonly string[],
): RiskLevel {
  const { action, flags } = facts;
  if (action === 'admin' || flags.has('schema_change')) return 'critical';
  const isKnown = estimate !== null && !('refused' in estimate);
  const wide = flags.has('no_where') || flags.has('many_rows') || (isKnown && isMost(estimate));
  if (action === 'delete') return wide ? 'critical' : 'high';
  if (action === 'write') return wide ? 'high' : 'medium';
  // What the database expects says more than the number of joins.
  const large = isKnown ? estimate.cost > mode.sql.maxEstimatedCost / 10 : facts.joins > 3;
  const complex = facts.cost > mode.maxCost / 2 || large;
  return complex || sensitive.length > 0 ? 'medium' : 'low';
}

/** What the query does, in a sentence or two: without values, for the record, or with them, for who decides. */
export function explainQuery(
  facts: QueryFacts,
  estimate: Estimate | null,
  sensitive: readonly string[],
  style: 'plain' | 'full' = 'plain',
): string {
  const told = facts.summary?.[style] ?? namesOnly(facts);
  const isKnown = estimate !== null && !('refused' in estimate);
  const about = isKnown ? `: about ${amountOf(estimate, facts.action !== 'read')}` : '';
  const lasts = facts.action === 'delete' || facts.action === 'admin' ? '; this cannot be undone' : '';
  const warning = sensitive.length === 0 ? '' : ` It touches what is sensitive: ${listed(sensitive)}.`;
  return `${told}${about}${lasts}.${warning}`;
}

type Planned = Exclude<Estimate, { readonly refused: string }>;

/** Whether a condition chooses nearly every row of a table that is worth the name. */
function isMost({ rows, total }: Planned): boolean {
  return total !== undefined && total >= 20 && rows >= total * 0.9;
}

/** How many rows, and of how many where that is known: "152 of 830 rows". */
function amountOf({ rows, total }: Planned, isChange: boolean): string {
  const of = total !== undefined && (rows < total || isChange) ? ` of ${rounded(total)}` : '';
  return `${rounded(rows)}${of} ${rows === 1 && of === '' ? 'row' : 'rows'}`;
}

/** A sentence from the names alone. */
function namesOnly(facts: QueryFacts): string {
  const { action, operations, rows, flags } = facts;
  const { fields, relations } = facts.named ?? facts;
  if (facts.language === 'sql' && action === 'read' && relations.length === 0) {
    return 'Computes values, and reads no table';
  }
  const names = fields.map((field) => nameParts(field).at(-1) ?? '');
  const what = action === 'read' && names.length > 0 ? `${listed(names)} of ` : '';
  const where = facts.language === 'graphql' ? operations.map(({ name }) => name) : relations;
  const subject = listed(where.length > 0 ? where : operations.map(({ name }) => name));
  const amount = rows === null ? '' : `, at most ${rows} ${rows === 1 ? 'row' : 'rows'}`;
  const every = flags.has('no_where') ? ' in every row' : '';
  return `${verbs[action]} ${what}${subject || 'nothing that has a name'}${every}${amount}`;
}

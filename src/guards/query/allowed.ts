// Whether the rules of a source would let a name be asked for. What is shown of a schema is asked here, so that what is
// shown and what is allowed never differ.

import type { CodeMode, Source } from '../../config/sources.ts';
import type { QueryFacts } from './facts.ts';
import { languages } from './languages.ts';
import { nameFindings } from './rules/names.ts';
import { operationFindings } from './rules/operations.ts';

/** As much of a source as its rules need. */
export type RuledSource = Pick<Source, 'kind' | 'mode'>;

/** Whether no rule refuses a query that asks for this and nothing else. */
export function isAllowed({ kind, mode }: RuledSource, asked: Partial<QueryFacts>): boolean {
  const facts: QueryFacts = {
    language: languages[kind],
    action: 'read',
    operations: [],
    relations: [],
    fields: [],
    inputs: [],
    functions: [],
    depth: 0,
    selections: 0,
    aliases: 0,
    directives: 0,
    joins: 0,
    cost: 0,
    rows: null,
    flags: new Set(),
    tenantless: [],
    unknowns: [],
    canonical: '',
    ...asked,
  };
  return operationFindings(facts, mode).length === 0 && nameFindings(facts, mode).length === 0;
}

/** Members of what an API is given and answers that are never shown. */
export function hiddenNames({ rest }: CodeMode): ReadonlySet<string> {
  const names = [...rest.internalBlockedFields, ...rest.outputBlockedFields];
  return new Set(names.map((name) => name.slice(name.lastIndexOf('.') + 1).toLowerCase()));
}

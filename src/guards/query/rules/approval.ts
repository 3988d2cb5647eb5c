// Rule: a person must approve what changes a database or costs more than the source lets pass alone.

import type { CodeMode, RiskLevel } from '../../../config/sources.ts';
import { type Example, type Finding, type Mode, modeDecision } from '../../../core/index.ts';
import type { QueryFacts } from '../facts.ts';
import { graphql, postgres } from './examples.ts';
import { blockingRule, found } from './rule.ts';

function planned(example: Example): Example {
  return { ...example, given: { ...example.given, mode: 'plan' } };
}

export const approvalRules = {
  query_in_plan_mode: blockingRule({
    id: 'query_in_plan_mode',
    contract: 'AG-TOOL-1',
    reason: 'Plan mode reads and changes nothing.',
    suggestion: 'Leave plan mode before sending this.',
    examples: {
      hit: [
        planned(graphql('mutation { createOrder(total: 1) { id } }', { allow_mutations: true })),
        planned(postgres('DELETE FROM customers WHERE id = 1', { sql_allow_deletes: true })),
      ],
      miss: [
        planned(graphql('{ me { id } }')),
        graphql('mutation { createOrder(total: 1) { id } }', { allow_mutations: true }),
      ],
    },
  }),
  query_destroys: blockingRule({
    id: 'query_destroys',
    decision: 'approve',
    contract: 'AG-TOOL-4',
    reason: 'Deleted rows cannot be restored.',
    examples: {
      hit: [
        postgres('DELETE FROM customers WHERE id = 1', { sql_allow_deletes: true }),
        postgres('DROP TABLE customers', { sql_allow_ddl: true }),
        graphql('mutation { deleteOrder(id: 1) }', { allow_mutations: true }),
      ],
      miss: [postgres('SELECT id FROM customers')],
    },
  }),
  query_changes: blockingRule({
    id: 'query_changes',
    decision: 'approve',
    contract: 'AG-TOOL-3',
    reason: 'No snapshot undoes a database change.',
    examples: {
      hit: [
        postgres("UPDATE customers SET name = 'a' WHERE id = 1", { sql_allow_writes: true }),
        graphql('mutation { createOrder(total: 1) { id } }', { allow_mutations: true }),
      ],
      miss: [postgres('SELECT id FROM customers'), graphql('{ me { id } }')],
    },
  }),
  query_risk: blockingRule({
    id: 'query_risk',
    decision: 'approve',
    reason: 'The source requires approval for this risk.',
    examples: {
      hit: [graphql('{ me { ssn } }'), graphql('{ me { id } }', { auto_approve_levels: [] })],
      miss: [graphql('{ me { id } }'), graphql('{ me { ssn } }', { auto_approve_levels: ['low', 'medium'] })],
    },
  }),
} as const;

/** What a person has to approve; the message says what the query does. */
export function approvalFindings(
  { action }: QueryFacts,
  risk: RiskLevel,
  explanation: string,
  { autoApprove }: CodeMode,
  mode: Mode,
): readonly Finding[] {
  if (action !== 'read' && modeDecision('outward', mode) === 'block') {
    return [found(approvalRules.query_in_plan_mode, explanation)];
  }
  if (action === 'delete' || action === 'admin') return [found(approvalRules.query_destroys, explanation)];
  if (action === 'write') return [found(approvalRules.query_changes, explanation)];
  return autoApprove.includes(risk) ? [] : [found(approvalRules.query_risk, explanation)];
}

// The result of a validation: the verdict and the facts of a query in the terms that scripts and models read.

import { createHash } from 'node:crypto';
import type { Facts, Finding, JsonValue, Verdict } from '../../core/index.ts';
import { limitRules } from '../../guards/query/rules/limits.ts';
import { natureRules } from '../../guards/query/rules/nature.ts';
import { serverPrefix } from '../../policy/server.ts';

type RiskWord = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** One thing that is wrong with a query. */
export interface Violation {
  /** The violated policies: built-in ones, those of the source, or the user's own. */
  readonly policy: 'baseline' | 'server' | 'custom';
  readonly rule: string;
  readonly message: string;
  readonly suggestion: string | null;
}

/** Whether a query may run, why not, and the token to run it with. */
export interface QueryAnswer {
  readonly valid: boolean;
  readonly explanation: string;
  readonly risk_level: RiskWord;
  /** Permits exactly this query to run once; null if it may not, or approval is pending. */
  readonly approval_token: string | null;
  /** Null if the query could not be read. */
  readonly action: string | null;
  readonly auto_approved: boolean;
  readonly warnings: readonly string[];
  readonly violations: readonly Violation[];
  readonly validated_code_hash: string;
  readonly metadata: {
    readonly is_read_only: boolean;
    readonly accessed_types: readonly string[];
    readonly accessed_fields: readonly string[];
    readonly validation_time_ms: number;
  };
  /** The question that waits for approval. */
  readonly approval?: {
    readonly id: string;
    readonly url: string | null;
    readonly how: string;
    readonly expires_at: string;
  };
}

const baseline: ReadonlySet<string> = new Set([
  ...[natureRules, limitRules].flatMap((rules) => Object.values(rules).map(({ id }) => id)),
  'default_deny',
  'evaluation_error',
]);

/** The result of a verdict, before a question is asked or a token issued. */
export function answerOf(
  { findings, explanation, decision }: Verdict,
  facts: Facts,
  text: string,
  tookMs: number,
): QueryAnswer {
  const { canonical, action } = facts;
  const said = textOf(facts['detail']) ?? textOf(facts['explanation']);
  return {
    valid: decision !== 'block',
    explanation: said ?? explanation,
    risk_level: riskWord(facts['risk']),
    approval_token: null,
    action: textOf(action) ?? null,
    auto_approved: false,
    warnings: findings.filter((finding) => finding.decision === 'warn').map(({ message }) => message),
    violations: findings.filter((finding) => finding.decision === 'block').map(violationOf),
    validated_code_hash: createHash('sha256')
      .update(textOf(canonical) ?? text)
      .digest('hex'),
    metadata: {
      is_read_only: action === 'read',
      accessed_types: textsOf(facts['relations']),
      accessed_fields: textsOf(facts['fields']),
      validation_time_ms: Math.round(tookMs * 1000) / 1000,
    },
  };
}

export function violationOf(finding: Finding): Violation {
  const { rule, message, suggestion } = finding;
  return { policy: levelOf(finding), rule, message, suggestion: suggestion ?? null };
}

/** The author of the rule; a user-defined policy has an id of its own. */
function levelOf({ guard, rule }: Finding): Violation['policy'] {
  if (baseline.has(rule)) return 'baseline';
  if (guard === 'query' || rule.startsWith(serverPrefix)) return 'server';
  return guard === 'policy' ? 'custom' : 'baseline';
}

/** An unknown value is treated as the worst. */
function riskWord(risk: JsonValue | undefined): RiskWord {
  const words: readonly RiskWord[] = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
  return words.find((word) => word.toLowerCase() === risk) ?? 'CRITICAL';
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'string') : [];
}

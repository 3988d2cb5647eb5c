// A question as the daemon puts it. INVARIANT: a page shows it from the very text whose digest the person signs.

import { canonicalJson, isJsonObject } from '../../src/core/json.ts';
import { isPermittable } from '../../src/core/permission.ts';
import { digestOf } from './bytes.ts';

export type Decision = 'pass' | 'redact' | 'approve' | 'block';

export interface Finding {
  readonly rule: string;
  readonly guard: string;
  readonly decision: Decision | 'warn';
  readonly message: string;
  readonly suggestion?: string;
  readonly span?: readonly [number, number];
  readonly pointer?: string;
  readonly contract?: string;
  /** What the person must see before answering. */
  readonly shows?: string;
  /** The effect that a permission would name; absent where none is possible. */
  readonly grant?: string;
}

export interface Action {
  readonly kind: string;
  readonly justification?: string;
  readonly [name: string]: unknown;
}

interface Context {
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  readonly session: string;
  readonly mode: string;
}

/** What a text says. */
export interface Asked {
  readonly id: string;
  /** The digest of what the answer is bound to. */
  readonly bound: string;
  readonly action: Action;
  readonly context: Context;
  readonly findings: readonly Finding[];
  /** The text itself, and the digest of it that a signature covers. */
  readonly text: string;
  readonly digest: string;
}

/** The question that a text holds; null where it is none, or could be read in two ways. */
export function readQuestion(text: string, id: string): Asked | null {
  try {
    const value: unknown = JSON.parse(text);
    // A text that is not in its canonical form could name a member twice.
    if (!isAsked(value) || value.id !== id || canonicalJson(value) !== text) return null;
    const { bound, action, context, findings } = value;
    return { id, bound, action, context, findings, text, digest: digestOf(text) };
  } catch {
    return null;
  }
}

const contextNames = ['user', 'tenant', 'agent', 'workspace', 'session', 'mode'] as const;
const findingNames = ['rule', 'guard', 'decision', 'message'] as const;

function isAsked(value: unknown): value is Omit<Asked, 'text' | 'digest'> {
  if (!isJsonObject(value)) return false;
  const { id, bound, action, context, findings } = value;
  return (
    typeof id === 'string' &&
    typeof bound === 'string' &&
    hasTexts(action, ['kind']) &&
    hasTexts(context, contextNames) &&
    Array.isArray(findings) &&
    findings.every((finding: unknown) => hasTexts(finding, findingNames))
  );
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isJsonObject(value) && names.every((name) => typeof value[name] === 'string');
}

/** What a permission would cover; null where the question is asked every time. */
export function permittableIn(findings: readonly Finding[]): readonly Finding[] | null {
  const asking = findings.filter(({ decision }) => decision === 'approve');
  return asking.length > 0 && asking.every(isPermittable) ? asking : null;
}

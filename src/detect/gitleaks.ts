// Reads rule files in gitleaks' form, so that users bring theirs: patterns translated from Go, anchored at their
// keywords. A rule that cannot be used is refused with its reason.

import { isJsonObject, type JsonObject, messageOf } from '../core/index.ts';
import {
  flag,
  type Infer,
  integer,
  json,
  list,
  object,
  optional,
  readShape,
  type Shape,
  text,
} from '../core/shape.ts';
import { compileRule, translated, userLimits } from './compile.ts';
import type { Allowlist, CompiledRule } from './rule.ts';

const texts = list(text({ max: 20_000 }));
const real: Shape<number> = {
  schema: () => ({ type: 'number' }),
  optional: false,
  read(value, path, report) {
    if (typeof value !== 'number' || !Number.isFinite(value)) report({ path, message: 'must be a number' });
    return value as number;
  },
};
const allowlist = object({
  description: optional(text()),
  id: optional(text()),
  condition: optional(text()),
  commits: optional(texts),
  paths: optional(texts),
  regexTarget: optional(text()),
  regexes: optional(texts),
  stopwords: optional(texts),
  targetRules: optional(texts),
});
const gitleaksRule = object({
  id: text({ min: 1, max: 100 }),
  description: optional(text()),
  regex: optional(text({ max: 20_000 })),
  path: optional(text({ max: 20_000 })),
  secretGroup: optional(integer(0, 99)),
  entropy: optional(real),
  keywords: optional(texts),
  tags: optional(texts),
  skipReport: optional(flag()),
  required: optional(json()),
  allowlist: optional(allowlist),
  allowlists: optional(list(allowlist)),
});
const gitleaksFile = object({
  title: optional(text()),
  description: optional(text()),
  minVersion: optional(text()),
  extend: optional(
    object({
      useDefault: optional(flag()),
      url: optional(text()),
      path: optional(text()),
      disabledRules: optional(texts),
    }),
  ),
  allowlist: optional(allowlist),
  allowlists: optional(list(allowlist)),
  rules: optional(list(gitleaksRule)),
});

type GitleaksRule = Infer<typeof gitleaksRule>;
type GitleaksAllowlist = Infer<typeof allowlist>;

/** The rules of a file, and those that were refused. */
export interface GitleaksPack {
  readonly rules: readonly CompiledRule[];
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  /** Another file that this one adds to; its rules come first, and a rule of the same id replaces it. */
  readonly extends?: string;
  /** It adds to gitleaks' own default rules; here ours take their place. */
  readonly usesDefault: boolean;
  readonly disabled: readonly string[];
}

/** Whether a parsed file is in gitleaks' form rather than ours. */
export function isGitleaks(value: JsonObject): boolean {
  const { rules } = value;
  const first = Array.isArray(rules) ? rules[0] : undefined;
  return (
    ['title', 'extend', 'allowlist', 'allowlists', 'minVersion'].some((key) => Object.hasOwn(value, key)) ||
    (isJsonObject(first) && (Object.hasOwn(first, 'regex') || Object.hasOwn(first, 'description')))
  );
}

/** Reads a file; throws `InputError` for what is not of the form. */
export function readGitleaks(value: unknown): GitleaksPack {
  const file = readShape(gitleaksFile, value);
  const everywhere = [...(file.allowlist === undefined ? [] : [file.allowlist]), ...(file.allowlists ?? [])];
  const disabled = file.extend?.disabledRules ?? [];
  const rules: CompiledRule[] = [];
  const refused: { id: string; reason: string }[] = [];
  for (const rule of file.rules ?? []) {
    if (disabled.includes(rule.id)) continue;
    try {
      const own = [...(rule.allowlist === undefined ? [] : [rule.allowlist]), ...(rule.allowlists ?? [])];
      const general = everywhere.filter(
        ({ targetRules = [] }) => targetRules.length === 0 || targetRules.includes(rule.id),
      );
      rules.push(compiled(rule, [...own, ...general]));
    } catch (error) {
      refused.push({ id: rule.id, reason: messageOf(error) });
    }
  }
  return {
    rules,
    refused,
    ...(file.extend?.path === undefined ? {} : { extends: file.extend.path }),
    usesDefault: file.extend?.useDefault === true,
    disabled,
  };
}

function compiled(rule: GitleaksRule, allowlists: readonly GitleaksAllowlist[]): CompiledRule {
  const { id, description = '', regex, path, secretGroup, entropy, keywords = [] } = rule;
  if (rule.required !== undefined) throw new Error('rules that require other rules are not supported');
  if (regex === undefined) throw new Error('rules about names of files alone are not supported');
  const base = compileRule(
    {
      id,
      name: description === '' ? id : description.slice(0, 120),
      kind: kindOf(id),
      pattern: regex,
      keywords,
      secretGroup: secretGroup ?? 0,
      loose: true,
      ...(path === undefined ? {} : { path }),
      ...(entropy === undefined || entropy <= 0 ? {} : { entropy }),
    },
    'user',
    userLimits,
  );
  const lists = allowlists.flatMap(readAllowlist);
  return lists.length === 0 ? base : { ...base, allowlists: lists };
}

/** The placeholder's word: the rule's own name, in our letters. */
function kindOf(id: string): string {
  return (
    id
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'secret'
  );
}

function readAllowlist(given: GitleaksAllowlist): Allowlist[] {
  const {
    condition = 'OR',
    commits = [],
    paths = [],
    regexes = [],
    stopwords = [],
    regexTarget = 'secret',
  } = given;
  const all = condition.toUpperCase() === 'AND' || condition === '&&';
  // There are no commits here, so a list that needs one never applies.
  if (all && commits.length > 0) return [];
  if (!['secret', 'match', 'line', ''].includes(regexTarget))
    throw new Error(`regexTarget "${regexTarget}" is not known`);
  const list: Allowlist = {
    ...(all ? { all } : {}),
    ...(paths.length > 0 ? { paths: paths.map(translated) } : {}),
    ...(regexes.length > 0 ? { regexes: regexes.map(translated) } : {}),
    ...(regexTarget === 'match' || regexTarget === 'line' ? { withLeft: true } : {}),
    ...(stopwords.length > 0 ? { stopwords: stopwords.map((stopword) => stopword.toLowerCase()) } : {}),
  };
  return Object.keys(list).some((key) => key === 'paths' || key === 'regexes' || key === 'stopwords')
    ? [list]
    : [];
}

// The rules about what the user says of writes.

import type { Autonomy } from '../../../config/sections/agents.ts';
import type { WriteSettings } from '../../../config/settings.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import { cleanEntry, fold, isAllowedPath } from '../../../detect/protect.ts';
import type { PathFacts } from '../facts.ts';
import { hit, shown, write } from './finding.ts';

// ── Rule: how far agents go by themselves is the user's to say: `manual` changes no file, `hybrid` none that nobody has seen.

const manual: Rule = {
  id: 'autonomy_manual',
  guard: 'write',
  decision: 'block',
  reason: 'Agents may not propose changes here.',
  suggestion: 'Describe the change, and let the user make it.',
  examples: {
    hit: [write('src/a.ts', 'a', { agent: { autonomy: 'manual' } })],
    miss: [write('src/a.ts')],
  },
};

/** Says that a person looks at every change, and nothing about the change itself. */
export const reviewRule: Rule = {
  id: 'autonomy_review',
  guard: 'write',
  decision: 'approve',
  reason: 'Every change here is reviewed before it is made.',
  examples: {
    hit: [write('src/a.ts', 'a', { agent: { autonomy: 'hybrid' }, mode: 'auto' })],
    miss: [write('src/a.ts', 'a', { mode: 'auto' })],
  },
};

/** The rules of autonomy. */
export const autonomyRules: readonly Rule[] = [manual, reviewRule];

/** What autonomy says about any change; where nothing is said, the permission mode alone speaks. */
export function autonomyFindings(autonomy: Autonomy | null): readonly Finding[] {
  if (autonomy === 'manual')
    return [hit(manual, 'Autonomy is manual: agents change no file.', { pointer: '' })];
  if (autonomy === 'hybrid')
    return [hit(reviewRule, 'Autonomy is hybrid: a person looks at every change.', { pointer: '' })];
  return [];
}

// ── Rule: paths and patterns that the user blocks are refused, whatever else allows them.

const blockedByUser: Rule = {
  id: 'blocked_write',
  guard: 'write',
  decision: 'block',
  reason: 'The path is on your list of blocked paths.',
  suggestion: 'Ask the user to change it, or to remove it from the list.',
  examples: {
    hit: [
      write('Infra/prod.tf', 'a', { write: { blocked_paths: ['infra'] } }),
      write('a/b/prod.tf', 'a', { write: { blocked_patterns: ['*.tf'] } }),
    ],
    miss: [
      write('src/a.ts', 'a', { write: { blocked_paths: ['infra'], blocked_patterns: ['docs/**/*.ts'] } }),
    ],
  },
};

const planMode: Rule = {
  id: 'plan_mode_write',
  guard: 'write',
  decision: 'block',
  reason: 'Plan mode reads and changes nothing.',
  suggestion: 'Leave plan mode before writing this.',
  contract: 'AG-TOOL-3',
  examples: {
    hit: [write('src/a.ts', 'a', { mode: 'plan' })],
    miss: [write('src/a.ts', 'a', { mode: 'auto' })],
  },
};

/** The rules that the user and the session make. */
export const userRules: readonly Rule[] = [blockedByUser, planMode];

/** The finding of plan mode on a write. */
export function planFinding(pointer: string): Finding {
  return hit(planMode, 'Plan mode changes no file.', { pointer });
}

/** What the user's own lists refuse. */
export function blockedFindings(
  path: PathFacts,
  pointer: string,
  settings: WriteSettings,
): readonly Finding[] {
  const way = path.folded.join('/');
  const blocked =
    settings.blockedPaths.some((entry) => isBelow(way, entry)) ||
    settings.blockedPatterns.some((pattern) => fits(pattern, way));
  return blocked
    ? [hit(blockedByUser, `The file '${shown(path.given)}' is on your list of blocked paths.`, { pointer })]
    : [];
}

/** Whether the user's own list allows a path that is otherwise protected. */
export function isAllowed(path: Pick<PathFacts, 'names'>, settings: WriteSettings): boolean {
  return isAllowedPath(path.names, settings.allowedPaths);
}

function isBelow(way: string, entry: string): boolean {
  const folded = cleanEntry(entry).split('/').map(fold).join('/');
  return way === folded || way.startsWith(`${folded}/`);
}

const compiled = new Map<string, RegExp>();
const mostCompiled = 1000;

/** `*` is anything within a name, `**` any names, `?` one character; a pattern without `/` fits names at any depth. */
function fits(pattern: string, way: string): boolean {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    if (compiled.size >= mostCompiled) compiled.clear();
    expression = new RegExp(`^${sourceOf(pattern)}(?:/.*)?$`, 'su');
    compiled.set(pattern, expression);
  }
  return expression.test(way);
}

function sourceOf(pattern: string): string {
  const whole = pattern.includes('/') ? cleanEntry(pattern).replace(/^\//, '') : `**/${pattern}`;
  return whole.toLowerCase().replace(/\*{2,}\/(?:\*{2,}\/)*|\*+|\?|[^*?]+/g, (part) => {
    if (/^\*{2,}\//.test(part)) return '(?:[^/]+/)*';
    if (part.startsWith('**')) return '.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    return part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
}

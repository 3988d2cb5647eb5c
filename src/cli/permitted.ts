// Permissions in words: what one covers, where, for whom and until when.

import {
  anyOf,
  isPermittable,
  type Permission,
  type PermissionTerms,
  permissionsFor,
  usualPermissionMs,
  visible,
} from '../core/index.ts';
import { plainSentence } from '../guards/command/error.ts';
import type { Approval, ProposedPermission } from '../ledger/index.ts';
import { localTime } from './entries.ts';

/** Effects as guards name them, in words. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^command read (.+)$/s, 'commands that read $1'],
  [/^command write (.+)$/s, 'commands that change $1'],
  [/^command run (.+)$/s, 'commands that run $1'],
  [/^command connect (.+)$/s, 'commands that connect to $1'],
  [/^command send secret (.+)$/s, 'commands that send secrets to $1'],
  [/^write secrets below (.+)$/s, 'writing made-up secrets to files below $1'],
  [/^write secret (.+)$/s, 'writing made-up secrets to $1'],
  [/^write (.+)$/s, 'writing $1'],
  [/^read (.+)$/s, 'reading $1'],
  [/^tool definition \S+ (.+)\/([^/]+)$/s, 'tool $2 of server $1, as it is described now'],
];

/** What a permission covers, in words. */
export function whatOf({ covers, effect, says }: Pick<Permission, 'covers' | 'effect' | 'says'>): string {
  switch (covers) {
    case 'effect': {
      const [pattern, text] = words.find(([known]) => known.test(says)) ?? [];
      return pattern === undefined || text === undefined ? plainSentence(says) : says.replace(pattern, text);
    }
    case 'pattern':
      return `whatever fits ${effect}`;
    case 'rule':
      return `whatever rule ${effect} asks about`;
    case 'everything':
      return 'every question that is not of the agent contract';
  }
}

/** What a permission covers; and where, for whom, until when and how often. */
export function termsOf(permission: ProposedPermission): readonly [string, string] {
  const { agent, workspace, session, expiresAt, uses } = permission;
  const where = [
    workspace === anyOf ? 'in every project' : `in ${visible(workspace)}`,
    ...(session === null ? [] : [`session ${visible(session)} only`]),
    agent === anyOf ? 'for every agent' : `for agent ${visible(agent)}`,
  ];
  const often = uses === null ? '' : `, at most ${uses} ${uses === 1 ? 'time' : 'times'}`;
  return [visible(whatOf(permission), 300), `${where.join(', ')}; until ${localTime(expiresAt)}${often}`];
}

/** A permission in a list. */
export function linesOf(permission: Permission): readonly string[] {
  const [what, where] = termsOf(permission);
  return [`${permission.id}  ${what}`, `${' '.repeat(permission.id.length)}  ${where}`];
}

/** What a person allows who answers a question for longer than once; nothing where it is asked every time. */
export function permittedBy(
  { question }: Pick<Approval, 'question'>,
  now: number,
  terms: PermissionTerms = { reach: 'project', lifeMs: usualPermissionMs, uses: null },
): readonly ProposedPermission[] {
  const asked = (question?.findings ?? []).filter(({ decision }) => decision === 'approve');
  return question === null || !asked.every(isPermittable)
    ? []
    : permissionsFor(asked, question.context, terms, now);
}

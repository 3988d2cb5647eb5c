// A permission: a standing approval that an approver signed. What it covers, its scope, and what it can never cover.

import { type Context, type Finding, isClosed } from './verdict.ts';

/** The relevant part of a finding here; the console has it from the wire. */
type Asking = Pick<Finding, 'rule' | 'decision' | 'message' | 'contract' | 'grant'> & {
  readonly guard: string;
};
type Place = Pick<Context, 'user' | 'tenant' | 'agent' | 'workspace' | 'session'>;

/**
 * What a permission names: one effect; effects by a pattern; whatever one rule asks about; or every question that is not
 * of the agent contract.
 */
export const coverings = ['effect', 'pattern', 'rule', 'everything'] as const;
type Covering = (typeof coverings)[number];

/** How far a permission reaches: the session that asked, its workspace, or every workspace of the user. */
export const reaches = ['session', 'project', 'always'] as const;
type Reach = (typeof reaches)[number];

/** Matches every workspace, or every agent of the user. */
export const anyOf = '*';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The longest that a permission counts. */
export const longestPermissionMs = 366 * dayMs;
/** The longest that one counts which covers everything. */
export const longestPauseMs = hourMs;
/** The default. */
export const usualPermissionMs = 30 * dayMs;

/** A standing yes, as it is stored and signed. */
export interface Permission {
  readonly id: string;
  readonly covers: Covering;
  /** The effect, the pattern or the id of the rule that it covers. */
  readonly effect: string;
  /** Its effect, in words. */
  readonly says: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  /** The only session that it counts in; null for all. */
  readonly session: string | null;
  /** How often it may be used; null without a limit. */
  readonly uses: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** How far, how long and how often a standing yes counts. */
export interface PermissionTerms {
  readonly reach: Reach;
  readonly lifeMs: number;
  /** How often it may be used; null without a limit. */
  readonly uses: number | null;
}

/** The scope of a permission that was created in a context. */
function placeOf(
  { user, tenant, agent, workspace, session }: Place,
  reach: Reach,
): Pick<Permission, 'user' | 'tenant' | 'agent' | 'workspace' | 'session'> {
  return {
    ...{ user, tenant, agent },
    workspace: reach === 'always' ? anyOf : workspace,
    session: reach === 'session' ? session : null,
  };
}

/**
 * Every field of a permission, in the order in which it is signed. One without fields that are new since older versions
 * has the fields that those signed.
 */
export function permissionFields(permission: Permission): readonly (string | number | null)[] {
  const { id, effect, user, tenant, agent, workspace, createdAt, expiresAt } = permission;
  const { covers, session, uses, says } = permission;
  const first = [id, effect, user, tenant, agent, workspace, createdAt, expiresAt];
  const isPlain = covers === 'effect' && session === null && uses === null && says === effect;
  return isPlain ? first : [...first, covers, session, uses, says];
}

/**
 * Whether a permission may be wider than one exact action for what a finding asks.
 * INVARIANT: a rule with a contract id, an organization's policy and the request path itself never go below asking.
 */
export function isSoftenable({
  decision,
  contract,
  guard,
}: Pick<Asking, 'decision' | 'contract' | 'guard'>): boolean {
  return decision === 'approve' && contract === undefined && guard !== 'policy' && guard !== 'path';
}

/** Whether a finding can be covered by a permission at all. INVARIANT: nothing of the closed list can. */
export function isPermittable(finding: Pick<Asking, 'grant' | 'contract'>): boolean {
  return finding.grant !== undefined && !isClosed(finding);
}

/** The permissions that an answer makes of the questions that it answers; their ids are the ledger's. */
export function permissionsFor(
  findings: readonly Asking[],
  context: Place,
  { reach, lifeMs, uses }: PermissionTerms,
  at: number,
): readonly Omit<Permission, 'id'>[] {
  const place = placeOf(context, reach);
  const named = new Map(findings.map((finding) => [finding.grant ?? '', finding]));
  return [...named].map(([effect, finding]) => ({
    effect,
    ...place,
    createdAt: at,
    expiresAt: at + Math.min(lifeMs, longestPermissionMs),
    covers: 'effect',
    uses,
    says: effect.startsWith(exactly) ? finding.message : effect,
  }));
}

/** Begins the effect of a question that names none: this exact action, for this rule. */
export const exactly = 'exactly ';

/** The effect that a question about secrets in a file names: the file, by its path in the workspace. */
const fixture = 'write secret ';
/** The same for every file below a folder, in words that no file can have. */
const fixtures = 'write secrets below ';

/**
 * The effect of writing secrets into a file, or into the files below a folder: for files that the user marks as
 * fixtures.
 */
export function fixtureEffect(path: string, isFolder = false): string {
  return `${isFolder ? fixtures : fixture}${path}`;
}

/**
 * The effect of running a content that an agent wrote as if the user had written it: for content that the user accepts.
 */
export function contentEffect(sha256: string): string {
  return `run content ${sha256}`;
}

function isFixtureBelow(effect: string, grant = ''): boolean {
  return effect.startsWith(fixtures) && grant.startsWith(`${fixture}${effect.slice(fixtures.length)}/`);
}

/** Whether a permission covers what a finding asks. */
export function coversFinding(
  { covers, effect, createdAt, expiresAt }: Permission,
  finding: Asking,
): boolean {
  switch (covers) {
    case 'effect':
      return isPermittable(finding) && (finding.grant === effect || isFixtureBelow(effect, finding.grant));
    case 'pattern':
      return isSoftenable(finding) && finding.grant !== undefined && fits(effect, finding.grant);
    case 'rule':
      return isSoftenable(finding) && finding.rule === effect;
    case 'everything':
      return isSoftenable(finding) && expiresAt - createdAt <= longestPauseMs;
  }
}

/** Whether a permission counts where something is asked, at that time. */
export function countsIn(permission: Permission, context: Place, now: number): boolean {
  const { user, tenant, agent, workspace, session, createdAt, expiresAt } = permission;
  return (
    user === context.user &&
    tenant === context.tenant &&
    (agent === anyOf || agent === context.agent) &&
    (workspace === anyOf || workspace === context.workspace) &&
    (session === null || session === context.session) &&
    createdAt <= now &&
    now < expiresAt
  );
}

/** Whether a text matches a pattern, in which `*` matches any characters but a slash and `**` any. */
function fits(pattern: string, text: string): boolean {
  const parts = pattern.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '[^]*';
    return part === '*' ? '[^/]*' : part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'u').test(text);
}

// Rule: secrets are not read without a person, wherever a path leads; outside the workspace the profile decides.

import type { Profile } from '../../../config/sections/agents.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import { classify } from '../../../detect/path.ts';
import { isOwnLog, ownHomeOf } from '../../../detect/protect.ts';
import { hit, read, shown } from './finding.ts';

const strictly = { agent: { profile: 'strict' } } as const;
const pointer = '/path';

const secretRead: Rule = {
  id: 'read_secret',
  guard: 'write',
  decision: 'block',
  reason: 'Keys and credentials of the user or machine would be shown to the model.',
  suggestion: 'Ask the user for what you need, without the secret.',
  examples: {
    hit: [read('/root/.ssh/id_rsa'), read('/home/ann/.aws/credentials'), read('/proc/self/environ')],
    miss: [read('/root/.ssh/id_rsa.pub'), read('src/a.ts')],
  },
};

const workspaceSecretRead: Rule = {
  id: 'read_workspace_secret',
  guard: 'write',
  decision: 'approve',
  reason: 'Secrets of the project would be shown to the model.',
  suggestion: 'Read the example instead: `.env.example`.',
  examples: {
    hit: [read('.env'), read('config/server.key')],
    miss: [read('.env.example'), read('src/env.ts')],
  },
};

const sensitiveRead: Rule = {
  id: 'read_sensitive',
  guard: 'write',
  decision: 'approve',
  reason: 'Accounts, logs and settings show how the machine is protected.',
  examples: {
    hit: [read('/etc/passwd'), read('../etc/passwd')],
    miss: [read('/etc/os-release'), read('README.md')],
  },
};

const guardRead: Rule = {
  id: 'read_guard',
  guard: 'write',
  decision: 'block',
  reason: "The guard's keys, records and settings are not readable for agents.",
  suggestion: 'Read decisions with `sallyport log`.',
  examples: {
    hit: [read('/home/ann/.sallyport/sallyport.toml'), read('~/.sallyport/keys/decide.token')],
    miss: [read('sallyport.toml'), read('/home/ann/sallyport/README.md'), read('docs/sallyport.md')],
  },
};

const outsideRead: Rule = {
  id: 'read_outside',
  guard: 'write',
  decision: 'block',
  reason: 'Under the strict profile an agent reads only its workspace.',
  suggestion: 'Name a file of the workspace.',
  examples: {
    hit: [read('/usr/include/stdio.h', strictly), read('../other/a.ts', strictly)],
    miss: [read('src/a.ts', strictly), read('/workspace/src/a.ts', strictly), read('/usr/include/stdio.h')],
  },
};

const unreadablePath: Rule = {
  id: 'read_path_control',
  guard: 'write',
  decision: 'block',
  reason: 'The path has a NUL, a line break or a bidirectional mark, so it is not what it shows.',
  suggestion: 'Name the file plainly.',
  examples: {
    hit: [read('a\u0000.ts'), read('src/\u202egnp.ts')],
    miss: [read('src/a b.ts'), read('docs/über.md')],
  },
};

/** The rules on reading. */
export const readRules: readonly Rule[] = [
  unreadablePath,
  guardRead,
  secretRead,
  workspaceSecretRead,
  sensitiveRead,
  outsideRead,
];

/** One place that a read may show: as written, or where its links lead. */
interface Shown {
  readonly workspace: string;
  readonly profile: Profile;
  /** The guard's own home, by each of its paths. */
  readonly own: readonly string[];
  readonly home?: string | null | undefined;
}

/** What is wrong with a path that is read; `real` is undefined where it cannot be known where the path leads. */
export function readFindings(
  given: string,
  real: string | null | undefined,
  where: Shown,
): readonly Finding[] {
  if (/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(given)) {
    return [hit(unreadablePath, `The path '${shown(given)}' is not plain.`, { pointer })];
  }
  const paths = [given, ...(real === null || real === undefined ? [] : [real])];
  const found = paths.flatMap((path) => placeFinding(path, given, where));
  if (real === undefined) {
    const message = `The file '${shown(given)}' cannot be followed to where it leads.`;
    found.push(hit(sensitiveRead, message, { pointer }));
  }
  const byRule = new Map(found.map((finding) => [finding.rule, finding]));
  return [...byRule.values()];
}

function placeFinding(
  path: string,
  given: string,
  { workspace, profile, own, home = null }: Shown,
): readonly Finding[] {
  const { absolute, secret, sensitive, device } = classify(path, { cwd: workspace, home });
  if (ownHomeOf(absolute, own, workspace) !== null && !isOwnLog(absolute)) {
    return [hit(guardRead, `The file '${shown(given)}' belongs to the guard.`, { pointer })];
  }
  const isInside = absolute === workspace || absolute.startsWith(`${workspace}/`);
  const grant = `read ${absolute}`;
  if (secret !== null || device === 'memory' || device === 'disk') {
    const message = `The file '${shown(given)}' holds secrets.`;
    const mild = isInside || secret === 'environment' || secret === 'history';
    return [hit(mild ? workspaceSecretRead : secretRead, message, mild ? { pointer, grant } : { pointer })];
  }
  if (isInside) return [];
  if (profile === 'strict') {
    return [hit(outsideRead, `The file '${shown(given)}' lies outside the workspace.`, { pointer })];
  }
  if (!sensitive) return [];
  return [
    hit(sensitiveRead, `The file '${shown(given)}' tells how the machine is defended.`, { pointer, grant }),
  ];
}

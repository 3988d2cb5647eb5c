// The rights of an agent, and its additional settings in one workspace.

import { parseDestination } from '../../core/destination.ts';
import { messageOf, modes } from '../../core/index.ts';
import { checked, choice, list, number, type Path, type Problem, text } from '../../core/shape.ts';
import { added, key, keyWith, lower, only, same, unset } from '../key.ts';

/** How a guard treats what it does not know: `developer` asks, `strict` blocks. */
export const profiles = ['developer', 'strict'] as const;
export type Profile = (typeof profiles)[number];

/** How far agents go by themselves when they change files, the strictest first. */
const autonomies = ['manual', 'hybrid', 'autonomous'] as const;
export type Autonomy = (typeof autonomies)[number];

/** A host, an address or a range, as an allowlist names it. */
export const destination = checked(
  text({ min: 1, max: 512, what: 'a destination' }),
  (value, path, report) => {
    try {
      parseDestination(value);
    } catch (error) {
      report({ path, message: messageOf(error) });
    }
  },
);

const allowlist = list(destination, { max: 10_000 });

/** The stricter of two; null means unset. */
export function strictest<A extends Autonomy>(one: A | null, other: A | null): A | null {
  if (one === null || other === null) return one ?? other;
  return autonomies.indexOf(one) <= autonomies.indexOf(other) ? one : other;
}

/** The settings of `[agents.NAME]` for prompts. */
export const prompt = {
  pii_text: key({
    says: 'Personal data and secrets in a text: redact, or reject the text.',
    shape: choice(['redact', 'reject']),
    fallback: 'redact',
    tighten: only('reject'),
  }),
  pii_files: key({
    says: 'The same in files and images; only plain text can be redacted.',
    shape: choice(['redact', 'reject']),
    fallback: 'reject',
    tighten: only('reject'),
  }),
  pii_give_back: key({
    says: 'Restore personal data of the user where the model uses its placeholder; off writes `<redacted:TYPE>`.',
    shape: choice(['on', 'off']),
    fallback: 'on',
    tighten: only('off'),
  }),
  injection_block: key({
    says: "Injection score from which a user's text is blocked; can only be lowered.",
    shape: number(0.25, 0.75),
    fallback: 0.75,
    tighten: lower,
  }),
  injection_block_untrusted: key({
    says: 'The same for texts of tools, files and images.',
    shape: number(0.25, 0.7),
    fallback: 0.7,
    tighten: lower,
  }),
  injection_warn: key({
    says: 'The same for a warning; the profile strict blocks.',
    shape: number(0.25, 0.5),
    fallback: 0.5,
    tighten: lower,
  }),
};

/** The other settings of `[agents.NAME]`. */
export const agent = {
  profile: key({
    says: 'Unknown commands and destinations: developer asks, strict blocks.',
    shape: choice(profiles),
    fallback: 'developer',
    tighten: only('strict'),
  }),
  mode: key({
    says: 'Permission mode of a session without one.',
    shape: choice(modes),
    fallback: 'default',
  }),
  autonomy: unset<Autonomy>({
    says: '"manual" refuses every change, "hybrid" lets every change wait for you; unset: proposed changes wait.',
    shape: choice(['manual', 'hybrid']),
    tighten: { apply: strictest },
  }),
  // A destination must be on every list: the first is the user's, a further one is a workspace file's, which only narrows.
  egress_allowlist: keyWith<readonly string[], readonly (readonly string[])[], 'egressAllowlists'>(
    {
      says: 'Where requests may go without asking.',
      shape: allowlist,
      fallback: [],
      to: 'egressAllowlists',
      tighten: { apply: (below, value) => [...below, value] },
    },
    (value) => [value],
    (_, value) => [value],
  ),
  user_id_arguments: added(
    {
      says: 'Tool arguments with a user id: a name, or a JSON Pointer.',
      shape: list(text({ min: 1, max: 256 }), { max: 100 }),
      fallback: [],
    },
    same,
  ),
};

/** Paths that may be written. */
export const writable = list(checked(text({ min: 1, max: 4096, what: 'a path' }), checkWritable), {
  max: 1000,
});

/** `[workspaces."PATH"]`. */
export const workspace = {
  allowed_paths: key({
    says: 'What may be written from this workspace, beside `[write] allowed_paths` and in the same form.',
    shape: writable,
    fallback: [],
  }),
  autonomy: unset({
    says: 'How far agents go by themselves here: beside "manual" and "hybrid", "autonomous" applies what passes every guard and fits the budgets of `[changes]`. The stricter of this and what the agent has counts.',
    shape: choice(autonomies),
  }),
  egress_allowlist: key({
    says: 'Where requests may go from this workspace, beside where the agent may go anyway.',
    shape: allowlist,
    fallback: [],
  }),
};

/** The name of an agent. */
export const agentName = {
  fits: (name: string) => name !== '' && name.length <= 128,
  message: 'an agent has a name of 1 to 128 characters',
};

/** The name of a workspace. */
export const workspacePath = {
  fits: isCleanPath,
  message: 'a workspace is named by its absolute path, without "." or ".." or a slash at its end',
};

/** An absolute path, or the way to a file from the workspace. */
function checkWritable(file: string, path: Path, report: (problem: Problem) => void): void {
  if (isCleanPath(file) || (!file.startsWith('~') && isCleanPath(`/${file}`))) return;
  report({ path, message: 'must be a path without "." or ".." or a slash at its end' });
}

function isCleanPath(path: string): boolean {
  return path === '/' || (/^(?:\/[^/\0]+)+$/.test(path) && !/\/\.{1,2}(?=\/|$)/.test(path));
}

// Rule: files that run later, or that say who may do what, are not an agent's to change: what holds the guard, the
// repository, agents and credentials is refused, and what builds and installs is asked for.

import type { Profile } from '../../../config/sections/agents.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import {
  neverAllowed,
  type Protection,
  protectionOf,
  protections,
  severityOf,
} from '../../../detect/protect.ts';
import type { PathFacts } from '../facts.ts';
import { hit, shown, write } from './finding.ts';

const rulesByProtection: Readonly<Record<Protection, Rule>> = {
  version_control: {
    id: 'version_control_write',
    guard: 'write',
    decision: 'block',
    reason: "The repository's own data decides what git runs and what it remembers.",
    suggestion: 'Leave these files to git.',
    examples: {
      hit: [
        write('.git/config'),
        write('.GIT/hooks/pre-commit'),
        write('sub/.git'),
        write('.g\u200cit/config'),
        write('GIT~1/config'),
        write('.gitmodules'),
        write('.hg/hgrc'),
      ],
      miss: [write('.gitignore'), write('src/git/config.ts'), write('digit/config')],
    },
  },
  guard: {
    id: 'guard_write',
    guard: 'write',
    decision: 'block',
    reason: "The guard's own files are not for those it guards.",
    suggestion: 'A person changes them.',
    examples: {
      hit: [write('.sallyport/receipts.jsonl'), write('sallyport.toml'), write('sub/Sallyport.TOML')],
      miss: [write('docs/sallyport.md'), write('src/sallyport.ts')],
    },
  },
  agent: {
    id: 'agent_config_write',
    guard: 'write',
    decision: 'block',
    reason: 'What agents and editors read at their start runs with the rights of the person who starts them.',
    suggestion: 'Show the change to the person, who makes it or allows the path in `[write] allowed_paths`.',
    examples: {
      hit: [
        write('.claude/settings.json'),
        write('.cursor/Mcp.json'),
        write('.VSCode/tasks.json'),
        write('sub/.mcp.json'),
        write('.claude/hooks/check.sh'),
      ],
      miss: [write('src/claude.ts'), write('.github/CODEOWNERS.md'), write('AGENTS.md')],
    },
  },
  instructions: {
    id: 'agent_instructions_write',
    guard: 'write',
    decision: 'approve',
    reason: 'Agents follow these instructions in every later session: developer asks, strict blocks.',
    suggestion: 'Show the change to the user, who makes it or allows the path in `[write] allowed_paths`.',
    examples: {
      hit: [
        write('AGENTS.md'),
        write('sub/Claude.md'),
        write('.github/copilot-instructions.md'),
        write('.cursor/rules/style.mdc'),
        write('AGENTS.md', 'a', { agent: { profile: 'strict' } }),
      ],
      miss: [write('docs/agents.txt'), write('.claude/settings.json')],
    },
  },
  hook: {
    id: 'hook_or_credential_write',
    guard: 'write',
    decision: 'block',
    reason: 'Files that run automatically are changed by the user.',
    suggestion: 'Show the change to the user, who makes it or allows the path in `[write] allowed_paths`.',
    examples: {
      hit: [write('.husky/pre-commit'), write('.envrc'), write('.bashrc')],
      miss: [write('.env.example'), write('src/bashrc.ts'), write('.env')],
    },
  },
  credentials: {
    id: 'credential_write',
    guard: 'write',
    decision: 'approve',
    reason: 'Files with credentials or program variables: developer asks, strict blocks.',
    suggestion: 'Write an example instead: `.env.example`.',
    examples: {
      hit: [
        write('.env'),
        write('.ENV.local'),
        write('.npmrc'),
        write('.ssh/config'),
        write('.env', 'a', { agent: { profile: 'strict' } }),
      ],
      miss: [write('.env.example'), write('src/env.d.ts'), write('src/environment.ts')],
    },
  },
  pipeline: {
    id: 'pipeline_write',
    guard: 'write',
    decision: 'approve',
    reason: 'It runs on other machines, with their credentials, after the next push.',
    examples: {
      hit: [
        write('.github/workflows/ci.yml'),
        write('.GitHub/Workflows/x.yml'),
        write('.gitlab-ci.yml'),
        write('CODEOWNERS'),
      ],
      miss: [write('.github/ISSUE_TEMPLATE.md'), write('src/workflows/a.ts')],
    },
  },
  manifest: {
    id: 'manifest_write',
    guard: 'write',
    decision: 'approve',
    reason: 'It decides what is installed, or runs when the project is built or tested.',
    examples: {
      hit: [
        write('package.json'),
        write('Requirements.TXT'),
        write('vite.config.ts'),
        write('a/conftest.py'),
        write('.cargo/config.toml'),
        write('.mvn/jvm.config'),
        write('mise.toml'),
        write('.mise.local.toml'),
        write('.config/mise/config.toml'),
      ],
      miss: [write('src/package.ts'), write('tsconfig.json'), write('docs/makefile.md')],
    },
  },
  installed: {
    id: 'installed_write',
    guard: 'write',
    decision: 'approve',
    reason: 'Installed code is not reviewed, and the next run executes it.',
    suggestion: 'Change the manifest and let the package manager install it.',
    examples: {
      hit: [
        write('node_modules/left-pad/index.js'),
        write('packages/a/node_modules/.bin/tsc'),
        write('.venv/bin/python'),
        write('venv/Scripts/activate'),
        write('.venv/lib/python3.12/site-packages/requests/api.py'),
        write('.yarn/releases/yarn-4.0.0.cjs'),
      ],
      miss: [
        write('node_modules/.cache/babel/a.json'),
        write('src/venv.py'),
        write('bin/run'),
        write('docs/node_modules.md'),
      ],
    },
  },
  dotfile: {
    id: 'dotfile_write',
    guard: 'write',
    decision: 'approve',
    reason: 'Settings of a tool can name programs to run.',
    examples: {
      hit: [write('.eslintrc.js'), write('.babelrc'), write('sub/.mocharc.yml')],
      miss: [write('.gitignore'), write('.editorconfig'), write('.prettierrc'), write('src/.gitkeep')],
    },
  },
};

/** The rules on files that are more than their content. */
export const protectionRules: readonly Rule[] = Object.values(rulesByProtection);

/** How a protected path is met. */
interface Met {
  readonly profile: Profile;
  /** The user's own list names it. */
  readonly allowed: boolean;
  /** What it is, whatever its name. */
  readonly knownAs: Protection | null;
  readonly deletes: boolean;
}

/** The finding on a protected path. */
export function protectionFindings(
  path: PathFacts,
  pointer: string,
  { profile, allowed, knownAs, deletes }: Met,
): readonly Finding[] {
  const protection = knownAs ?? protectionOf(path.folded);
  if (protection === null || (allowed && !neverAllowed.has(protection))) return [];
  const decision = severityOf(protection, profile, deletes);
  const grant = decision === 'approve' ? `write ${path.names.join('/')}` : undefined;
  const message = `The file '${shown(path.given)}' ${protections[protection].text}.`;
  return [hit(rulesByProtection[protection], message, { pointer, decision, grant })];
}

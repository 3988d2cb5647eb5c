// Rule: files that run later, or that say who may do what, are not an agent's to change: what holds the guard, the
// repository, agents and credentials is refused, and what builds and installs is asked for.

import type { Finding, Rule } from '../../../core/index.ts';
import { type Protection, protectionOf, protectionTexts } from '../../../detect/protect.ts';
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
        write('AGENTS.md'),
        write('sub/.mcp.json'),
        write('.github/copilot-instructions.md'),
      ],
      miss: [write('docs/agents.txt'), write('src/claude.ts'), write('.github/CODEOWNERS.md')],
    },
  },
  hook: {
    id: 'hook_or_credential_write',
    guard: 'write',
    decision: 'block',
    reason: 'What runs by itself, and what holds or redirects credentials, is changed by a person.',
    suggestion: 'Write an example beside it: `.env.example`.',
    examples: {
      hit: [
        write('.env'),
        write('.ENV.local'),
        write('.npmrc'),
        write('.husky/pre-commit'),
        write('.bashrc'),
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
    reason:
      'It is code that a package manager installed: nobody reviews a change of it, and the next run executes it.',
    suggestion:
      'Change the manifest and let the package manager install, or patch it with the tool for that.',
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
    reason: 'Settings of a tool may name programs that the tool runs.',
    examples: {
      hit: [write('.eslintrc.js'), write('.babelrc'), write('sub/.mocharc.yml')],
      miss: [write('.gitignore'), write('.editorconfig'), write('.prettierrc'), write('src/.gitkeep')],
    },
  },
};

/** The rules on files that are more than their content. */
export const protectionRules: readonly Rule[] = Object.values(rulesByProtection);

/** What no list of the user's lifts. */
const fixed: ReadonlySet<Protection> = new Set(['version_control', 'guard']);

/** The finding on a protected path: `allowed` if the user's own list names it; `knownAs` what it is, whatever its name. */
export function protectionFindings(
  path: PathFacts,
  pointer: string,
  allowed: boolean,
  knownAs: Protection | null,
): readonly Finding[] {
  const protection = knownAs ?? protectionOf(path.folded);
  if (protection === null || (allowed && !fixed.has(protection))) return [];
  const rule = rulesByProtection[protection];
  const grant = rule.decision === 'approve' ? `write ${path.names.join('/')}` : undefined;
  return [hit(rule, `The file '${shown(path.given)}' ${protectionTexts[protection]}.`, { pointer, grant })];
}

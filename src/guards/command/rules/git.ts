// Rule: work that git could not give back is not thrown away, and what others see does not change without a person.

import type { Effect } from '../effects.ts';
import {
  type CommandRule,
  hit,
  type Judge,
  nameOf,
  placesOf,
  python,
  type RuleInput,
  shell,
  shown,
} from './rule.ts';

const destructive = 'AG-TOOL-4';

const worktreeLoss: CommandRule = {
  id: 'git_worktree_loss',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Uncommitted changes would be lost; git has no copy of them.',
  suggestion: 'Stash the changes, or commit them to a branch.',
  contract: destructive,
  examples: {
    hit: [
      shell('git reset --hard'),
      shell("git reset --hard 'HEAD~3'"),
      shell('git clean -fdx'),
      shell('git stash drop'),
      shell('git checkout -- .'),
      shell('git restore .'),
    ],
    miss: [
      shell('git stash push -u'),
      shell('git reset --soft HEAD~1'),
      shell('git clean -n'),
      shell('git restore --staged .'),
      shell("git commit -m 'explain git reset --hard'"),
    ],
  },
};

const fileDiscard: CommandRule = {
  id: 'git_file_discard',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Uncommitted changes of one file would be lost.',
  suggestion: 'Stash the changes, or commit them to a branch.',
  contract: destructive,
  examples: {
    hit: [shell('git checkout -- src/a.ts'), shell('git restore src/a.ts')],
    miss: [shell('git restore --staged src/a.ts'), shell('git diff src/a.ts'), shell('git checkout main')],
  },
};

const historyLoss: CommandRule = {
  id: 'git_history_loss',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Commits, branches or the reflog would be lost or rewritten.',
  suggestion: 'Keep a branch at the current commit.',
  contract: destructive,
  examples: {
    hit: [
      shell('git branch -D feature'),
      shell('git update-ref refs/heads/main HEAD~5'),
      shell('git reflog expire --expire=now --all'),
      shell('git filter-branch --force --all'),
    ],
    miss: [
      shell('git branch backup'),
      shell('git branch -d merged'),
      shell('git commit --amend --no-edit'),
      shell('git stash pop'),
    ],
  },
};

const metadataLoss: CommandRule = {
  id: 'git_metadata_loss',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'The repository would be deleted, with all local commits, stashes and branches.',
  suggestion: 'Leave it to the user to delete the repository.',
  contract: destructive,
  examples: {
    hit: [
      shell('rm -rf .git'),
      shell('rm -rf .git/objects'),
      shell('echo x > .git/HEAD'),
      python('import shutil\nshutil.rmtree(".git")'),
    ],
    miss: [shell('git status'), shell('rm -f .git/index.lock'), shell('cat .git/HEAD')],
  },
};

const push: CommandRule = {
  id: 'git_push',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Others see a push, and it cannot be undone from here.',
  contract: 'AG-TOOL-3',
  examples: {
    hit: [
      shell('git push'),
      shell('git push origin main'),
      shell('git push --force-with-lease origin topic'),
    ],
    miss: [
      shell('git fetch --all'),
      shell('git pull'),
      shell('git push --dry-run'),
      shell('git commit -m push'),
    ],
  },
};

const forcePush: CommandRule = {
  id: 'force_push',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: "A forced push or a deleted branch destroys others' commits.",
  suggestion: 'Push so that others’ commits are kept.',
  contract: destructive,
  examples: {
    hit: [shell('git push --force origin main'), shell('git push -f'), shell('git push origin +main')],
    miss: [shell('git fetch origin'), shell('git push origin main')],
  },
};

const gitConfiguration: CommandRule = {
  id: 'git_configuration',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'The setting makes git run a program, or changes git for all projects.',
  suggestion: 'Leave settings that start programs to the user.',
  examples: {
    hit: [
      shell('git config --global user.name Alice'),
      shell('git config core.hooksPath /tmp/hooks'),
      shell("git config alias.st '!sh -c id'"),
    ],
    miss: [shell('git config user.name Alice'), shell('git config --list')],
  },
};

/** The rules on git. */
export const gitRules: readonly CommandRule[] = [
  worktreeLoss,
  fileDiscard,
  historyLoss,
  metadataLoss,
  push,
  forcePush,
  gitConfiguration,
];

type Found = { readonly rule: CommandRule; readonly why: string; readonly decision?: 'approve' };

/** Judges what git does. */
export const judgeGit: Judge = (effect, ruleInput) => {
  const found = gitRule(effect, ruleInput);
  if (found === undefined) return [];
  const discards = found.rule === worktreeLoss || found.rule === fileDiscard;
  const decision = discards ? lossDecision(found, ruleInput) : found.decision;
  const why = decision === 'warn' ? `${found.why}; undo restores it` : found.why;
  return [hit(ruleInput, found.rule, { ...found, why, span: effect.span, ...(decision && { decision }) })];
};

/** What becomes of a loss in the workspace: what undo restores as it was is no question where nobody is asked about changes. */
function lossDecision({ decision, rule }: Found, ruleInput: RuleInput): CommandRule['decision'] {
  if (ruleInput.profile === 'strict') return rule === worktreeLoss ? 'block' : (decision ?? rule.decision);
  return ruleInput.mode === 'auto' && ruleInput.restorable() ? 'warn' : (decision ?? rule.decision);
}

function gitRule(effect: Effect, ruleInput: RuleInput): Found | undefined {
  switch (effect.detail) {
    case 'discard':
    case 'clean':
    case 'clean-ignored':
      return discardRule(effect, ruleInput);
    case 'rewrite':
    case 'ref-delete':
    case 'ref-change':
      return { rule: historyLoss, why: 'it rewrites history' };
    case 'reflog-expire':
    case 'prune':
      if (effect.reversible === true) return undefined;
      return { rule: historyLoss, why: 'it destroys what lost commits are found with' };
    case 'branch-delete':
      if (effect.reversible === true) return undefined;
      return { rule: historyLoss, why: 'it deletes a branch with commits that may be nowhere else' };
    case 'tag-delete':
      return { rule: historyLoss, why: 'it deletes a tag' };
    case 'config-global':
      return { rule: gitConfiguration, why: 'it changes git for all projects of the user' };
    case 'stash-drop':
      return { rule: worktreeLoss, why: 'it throws away stashed changes' };
    case 'rm':
      if (effect.force !== true) return undefined;
      return { rule: fileDiscard, why: 'it deletes files with changes that were never committed' };
    case 'worktree-remove':
    case 'submodule-deinit':
      if (effect.force !== true) return undefined;
      return { rule: historyLoss, why: 'it deletes a worktree with what was never committed in it' };
    case 'push':
    case 'force-push-lease':
      return { rule: push, why: 'it publishes commits' };
    case 'force-push':
    case 'push-delete':
      return { rule: forcePush, why: 'it replaces or deletes commits that others see' };
    default:
      return undefined;
  }
}

function discardRule(effect: Effect, ruleInput: RuleInput): Found | undefined {
  const places = placesOf(effect, ruleInput);
  const [first] = places;
  // A pathspec with a colon, such as `:/`, means the whole tree or most of it.
  const single = places.every(
    ({ given, zone, contents }) => zone === 'workspace' && !contents && !/(?:^|\/):/.test(given),
  );
  if (first !== undefined && single) {
    return { rule: fileDiscard, why: `it throws away changes of ${shown(first)} that were never committed` };
  }
  const found = { rule: worktreeLoss, why: 'it throws away what was never committed' };
  // Without force a clean refuses to work, unless the configuration says otherwise.
  const asks = effect.detail !== 'discard' && effect.force === false;
  return asks ? { ...found, decision: 'approve' } : found;
}

/** Judges settings of git that start programs. */
export const judgeGitSetting: Judge = ({ detail, target, span }, ruleInput) => {
  if (detail !== 'git-config' && (detail !== 'git-hook' || target.kind !== 'name')) return [];
  const key = nameOf(target);
  const why = `${key === '' ? 'the setting' : key} makes git run a program`;
  return [hit(ruleInput, gitConfiguration, { span, why })];
};

/** A repository itself, and what in it holds commits and names. */
const repository = /\/\.git$|\/[^/]*\.git\/(?:\*|(?:objects|refs|logs|worktrees)(?:\/.*)?|HEAD|packed-refs)$/;

/** Whether a path is what a repository is made of, whose loss is the loss of its history. */
export function isRepositoryData(path: string): boolean {
  return repository.test(path);
}

/** Judges deletions and writes in a repository's own folder. */
export const judgeMetadata: Judge = (effect, ruleInput) => {
  const moves = effect.detail === 'move' && effect.reversible === true;
  if (moves) return [];
  const verb = effect.kind === 'delete' ? 'deletes' : 'overwrites';
  return placesOf(effect, ruleInput)
    .filter(({ path, zone }) => path !== null && zone !== 'temporary' && repository.test(path))
    .map((place) => {
      const decision = ruleInput.profile === 'strict' ? 'block' : 'approve';
      return hit(ruleInput, metadataLoss, { span: effect.span, why: `it ${verb} ${shown(place)}`, decision });
    });
};

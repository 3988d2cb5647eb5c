// What git does to the working tree: what it puts there, and what it discards.

import type { Value } from '../../../effects.ts';
import {
  beginningOf,
  inert,
  nameTarget,
  pathTarget,
  read,
  remove,
  textOf,
  unknownValue,
  write,
} from '../../../tools/tool.ts';
import type { Given } from '../../card.ts';
import { each, forAll, same } from '../../examples.ts';
import { git, onPaths, type Part, placeOf } from './part.ts';

/** Whether this call itself says that deleting needs to be forced. */
function asksForForce({ before }: Given<Value>): boolean {
  const said = before
    .all('c')
    .findLast((setting) => /^clean\.requireforce(?:=|$)/i.test(beginningOf(setting)));
  const text = textOf(said);
  return text !== null && /^[^=]*(?:$|=(?:true|yes|on|1)$)/i.test(text);
}

const worktreeOptions =
  'f/force b= B= d/detach lock reason= n/dry-run v expire= porcelain orphan checkout no-checkout q z';

export const tree: Part = {
  verbs: {
    'add | stage': 'n/dry-run',
    clean: 'd f/force i/interactive n/dry-run q e/exclude= x X',
    'stash | stash push | stash save | stash create | stash store': '',
    'stash list | stash show': '',
    'stash drop': '',
    'stash clear': '',
    'stash pop': '',
    'stash apply | stash branch': '',
    worktree: worktreeOptions,
    'worktree add': worktreeOptions,
    'worktree remove': worktreeOptions,
    'worktree move': worktreeOptions,
    'worktree prune': worktreeOptions,
    rm: 'f/force n/dry-run r cached ignore-unmatch sparse q pathspec-from-file=',
    mv: 'f/force k n/dry-run v',
    apply:
      'stat numstat summary check index cached 3/3way R/reverse p= exclude= include= directory= whitespace= v reject unidiff-zero C= intent-to-add N apply allow-empty build-fake-ancestor=',
    'read-tree':
      'm u i reset n/dry-run empty prefix= exclude-per-directory= v index-output= no-sparse-checkout',
    'checkout-index': 'f/force a/all u q n prefix= stage= temp stdin z',
    'update-index': '',
    'sparse-checkout': '',
    'sparse-checkout list': '',
  },
  verbReadings: {
    add: { flags: 'n dry-run' },
    clean: { valued: 'e exclude', flags: 'd f force i interactive n dry-run q x X' },
    ...forAll(['worktree', 'worktree add', 'worktree remove', 'worktree move', 'worktree prune'], {
      valued: 'b B reason expire',
      flags: 'f force d detach lock n dry-run v porcelain orphan checkout no-checkout q z',
    }),
    rm: { valued: 'pathspec-from-file', flags: 'f force n dry-run r cached ignore-unmatch sparse q' },
    mv: { flags: 'f force k n dry-run v' },
    apply: {
      valued: 'p exclude include directory whitespace C build-fake-ancestor',
      flags:
        'stat numstat summary check index cached 3 3way R reverse v reject unidiff-zero intent-to-add N apply allow-empty',
    },
    'read-tree': {
      valued: 'prefix exclude-per-directory index-output',
      flags: 'm u i reset n dry-run empty v no-sparse-checkout',
    },
    'checkout-index': { valued: 'prefix stage', flags: 'f force a all u q n temp stdin z' },
  },
  facts: [
    {
      what: 'stages changes',
      verbs: ['add'],
      effects: (call, given) =>
        given.has('dry-run') ? inert(call, 'dry-run') : [git(call, 'stage', { reversible: true })],
      examples: {
        hit: {
          ...same('git (stage) reversible', 'git add .', 'git add -A', 'git stage a', 'git add'),
          ...same('inert (dry-run)', 'git add -n a', 'git add --dry-run .'),
        },
        miss: ['git status', 'git add -h'],
      },
    },
    {
      what: 'deletes files that are not in the repository',
      verbs: ['clean'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const force = given.has('force');
        // Without force it refuses, unless a setting that is not seen here says otherwise.
        if (!force && !given.has('interactive') && asksForForce(given)) return [];
        return onPaths(call, given, given.has('x', 'X') ? 'clean-ignored' : 'clean', given.operands, {
          recursive: given.has('d', 'x'),
          force,
        });
      },
      examples: {
        hit: {
          'git clean -f': 'git . (clean) force',
          'git clean -fd a': 'git a (clean) recursive force',
          'git clean --force -e a b': 'git b (clean) force',
          'git clean -fdx': 'git . (clean-ignored) recursive force',
          'git clean -fx': 'git . (clean-ignored) recursive force',
          'git clean -fX': 'git . (clean-ignored) force',
          ...same(
            'git . (clean)',
            'git clean',
            'git clean -f --no-force',
            'git -c clean.requireForce=false clean',
          ),
          'git -c clean.requireforce clean -i': 'git . (clean)',
          'git -c clean.requireforce=true clean -f': 'git . (clean) force',
          'git -c clean.requireForce=true -c clean.requireForce=$NO clean': 'git . (clean)',
          'git -c user.name=true clean': 'git . (clean)',
          ...same('inert (dry-run)', 'git clean -nd', 'git clean --dry-run -f'),
        },
        miss: each('git -c clean.requireForce% clean -d', '=true =yes =on =1 @').map((text) =>
          text.replace('@', ''),
        ),
      },
    },
    {
      what: 'sets changes aside, and puts them back or drops them',
      verbs: ['stash', 'stash drop', 'stash clear', 'stash pop', 'stash apply'],
      effects: (call, given) => {
        const target = nameTarget(given.operands[0]);
        const unknown = given.verb === 'stash' && (given.operands[0]?.kind ?? 'literal') !== 'literal';
        if (given.verb === 'stash drop' || given.verb === 'stash clear' || unknown)
          return [git(call, 'stash-drop', { target, recursive: given.verb === 'stash clear' })];
        if (given.verb === 'stash pop') return [git(call, 'stash-pop', { target, reversible: true })];
        return [git(call, given.verb === 'stash apply' ? 'stash-apply' : 'stash', { reversible: true })];
      },
      examples: {
        hit: {
          ...same(
            'git (stash) reversible',
            'git stash',
            'git stash -u',
            ...each('git stash % a', 'push save create store'),
          ),
          'git stash drop': 'git (stash-drop)',
          'git stash -q drop stash@{1}': 'git stash@{1} (stash-drop)',
          'git stash clear': 'git (stash-drop) recursive',
          'git stash $WHAT': 'git … (stash-drop)',
          'git stash pop stash@{1}': 'git stash@{1} (stash-pop) reversible',
          ...same('git (stash-apply) reversible', 'git stash apply', 'git stash branch a'),
        },
        miss: ['git stash list', 'git stash show -p'],
      },
    },
    {
      what: 'makes and removes working trees',
      verbs: ['worktree add', 'worktree remove', 'worktree move', 'worktree prune'],
      effects: (call, given) => {
        const [first, second] = given.operands;
        const force = given.has('force');
        const put = (path: Value | undefined, detail: string) =>
          path === undefined ? [] : write(call, placeOf(given, path), { detail });
        const done = (detail: string) => git(call, detail, { reversible: true });
        if (given.verb === 'worktree add') return [done('worktree-add'), ...put(first, 'create')];
        if (given.verb === 'worktree move') return [done('worktree-move'), ...put(second, 'move')];
        if (given.verb === 'worktree prune') return [done('worktree-prune')];
        const target = pathTarget(placeOf(given, first ?? unknownValue));
        return [git(call, 'worktree-remove', { target, force, reversible: !force })];
      },
      examples: {
        hit: {
          'git worktree add -b a ../b': 'git (worktree-add) reversible; write ../b (create)',
          'git -C sub worktree add b': 'git (worktree-add) reversible; write sub/b (create)',
          'git worktree remove a': 'git a (worktree-remove) reversible',
          'git worktree remove -f a': 'git a (worktree-remove) force',
          'git worktree remove --force ../x': 'git ../x (worktree-remove) force',
          'git worktree move a b': 'git (worktree-move) reversible; write b (move)',
          'git worktree prune': 'git (worktree-prune) reversible',
          'git worktree add': 'git (worktree-add) reversible',
        },
        miss: ['git worktree', 'git worktree list', 'git worktree lock --reason add a'],
      },
    },
    {
      what: 'deletes files of the repository',
      verbs: ['rm'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        if (given.has('cached')) return onPaths(call, given, 'unstage', given.operands, { reversible: true });
        const force = given.has('force');
        const more = { recursive: given.has('r'), force, reversible: !force };
        return given.operands.flatMap((path) => {
          const place = placeOf(given, path);
          return [git(call, 'rm', { target: pathTarget(place), ...more }), ...remove(call, place, more)];
        });
      },
      examples: {
        hit: {
          'git rm a': 'git a (rm) reversible; delete a reversible',
          'git -C sub rm a': 'git sub/a (rm) reversible; delete sub/a reversible',
          'git rm -r a': 'git a (rm) recursive reversible; delete a recursive reversible',
          ...same('git a (rm) force; delete a force', 'git rm -f a', 'git rm --force a'),
          'git rm -r --cached a': 'git a (unstage) reversible',
          ...same('inert (dry-run)', 'git rm -n a', 'git rm --dry-run a'),
        },
        miss: ['git rm', 'git ls-files a'],
      },
    },
    {
      what: 'renames files of the repository',
      verbs: ['mv'],
      effects: (call, given) => {
        const destination = given.operands.at(-1);
        return destination === undefined
          ? []
          : [
              git(call, 'mv', { reversible: true }),
              ...write(call, placeOf(given, destination), { detail: 'move' }),
            ];
      },
      examples: {
        hit: {
          'git mv a b': 'git (mv) reversible; write b (move)',
          'git -C sub mv a b': 'git (mv) reversible; write sub/b (move)',
        },
        miss: ['git mv'],
      },
    },
    {
      what: 'applies patches',
      verbs: ['apply'],
      effects: (call, given) => {
        const inputs = given.operands.flatMap((path) => read(call, path));
        const looks = given.has('stat', 'numstat', 'summary') && !given.has('apply');
        if (given.has('check') || looks) return inputs;
        return [
          ...inputs,
          ...given.all('directory').flatMap((path) => write(call, path, { detail: 'edit' })),
          git(call, 'apply', { reversible: true, ...(given.has('reverse') ? { force: true } : {}) }),
        ];
      },
      examples: {
        hit: {
          'git apply a.patch': 'read a.patch; git (apply) reversible',
          'git apply --directory=d a.patch': 'read a.patch; write d (edit); git (apply) reversible',
          ...same('read a; git (apply) force reversible', 'git apply -R a', 'git apply --reverse a'),
          'git apply --stat --apply a': 'read a; git (apply) reversible',
          ...same('read a', ...each('git apply % a', '--check --stat --numstat --summary')),
        },
        miss: ['git apply --check', 'git diff a'],
      },
    },
    {
      what: 'fills the index or the tree from commits',
      verbs: ['read-tree', 'checkout-index'],
      effects: (call, given) => {
        if (given.verb === 'read-tree')
          return given.has('reset') && given.has('u')
            ? [git(call, 'discard', { recursive: true, force: true })]
            : [git(call, 'stage', { reversible: true })];
        const prefix = given.last('prefix');
        if (prefix !== undefined) return write(call, prefix, { detail: 'create' });
        return given.has('force')
          ? onPaths(call, given, 'discard', given.operands, { force: true })
          : [git(call, 'switch', { reversible: true })];
      },
      examples: {
        hit: {
          'git read-tree --reset -u HEAD': 'git (discard) recursive force',
          ...same('git (stage) reversible', 'git read-tree --reset HEAD', 'git read-tree -mu HEAD'),
          'git checkout-index --prefix=out/ -a': 'write out/ (create)',
          ...same('git a (discard) force', 'git checkout-index -f a', 'git checkout-index --force a'),
          'git checkout-index -fa': 'git . (discard) force',
          'git checkout-index a': 'git (switch) reversible',
        },
        miss: ['git ls-tree HEAD'],
      },
    },
    {
      what: 'changes the index',
      verbs: ['update-index'],
      effects: (call) => [git(call, 'stage', { reversible: true })],
      examples: {
        hit: { 'git update-index --chmod=+x a': 'git (stage) reversible' },
        miss: ['git ls-files'],
      },
    },
    {
      what: 'chooses what the tree has',
      verbs: ['sparse-checkout'],
      effects: (call, given) => (given.words.length > 0 ? [git(call, 'sparse', { reversible: true })] : []),
      examples: {
        hit: { 'git sparse-checkout set a': 'git (sparse) reversible' },
        miss: ['git sparse-checkout', 'git sparse-checkout list'],
      },
    },
  ],
};

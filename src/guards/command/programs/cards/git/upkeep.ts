// What git does to the log of its history and to what nothing leads to, and its search for a commit.

import type { Value } from '../../../effects.ts';
import { beginningOf, inert, mapValue, textOf } from '../../../tools/tool.ts';
import type { Given } from '../../card.ts';
import { each, same } from '../../examples.ts';
import { git, type Part, runs } from './part.ts';

/** The date before which `gc` deletes what nothing leads to; '' where git decides. */
function expiry(given: Given<Value>): string | null {
  const setting = given.before.all('c').find((one) => /^gc\.pruneexpire=/i.test(beginningOf(one)));
  const configured = setting && mapValue(setting, (text) => text.slice(text.indexOf('=') + 1));
  const said = given.last('prune') ?? (given.has('no-prune') ? undefined : configured);
  return said === undefined ? '' : textOf(said);
}

export const upkeep: Part = {
  verbs: {
    reflog: '',
    'reflog expire | reflog delete | reflog drop': 'n/dry-run all expire= expire-unreachable=',
    gc: 'prune? no-prune auto aggressive q force keep-largest-pack cruft n/dry-run',
    prune: 'expire= n/dry-run v',
    'repack | prune-packed | pack-refs': '',
    bisect: '',
    'bisect log | bisect visualize | bisect view | bisect help | bisect terms': '',
    'bisect run': '+',
    notes: 'ref=',
    'notes list | notes show | notes get-ref': '',
    'notes remove | notes prune': '',
    absorb: '',
    undo: '',
    flow: '',
    rerere: '',
    'rerere clear | rerere forget | rerere gc': '',
  },
  verbReadings: {
    'reflog expire': { valued: 'expire expire-unreachable', flags: 'n dry-run all' },
    gc: { flags: 'no-prune auto aggressive q force keep-largest-pack cruft n dry-run', attached: 'prune' },
    prune: { valued: 'expire', flags: 'n dry-run v' },
    notes: { valued: 'ref' },
  },
  facts: [
    {
      what: 'deletes the log of what names stood for',
      verbs: ['reflog', 'reflog expire'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const deletes =
          given.verb === 'reflog expire' || (given.operands[0]?.kind ?? 'literal') !== 'literal';
        return deletes ? [git(call, 'reflog-expire', { recursive: given.has('all') })] : [];
      },
      examples: {
        hit: {
          ...same('git (reflog-expire)', ...each('git reflog % a', 'expire delete drop'), 'git reflog $WHAT'),
          'git reflog expire --expire=now --all': 'git (reflog-expire) recursive',
          'git reflog delete --all a': 'git (reflog-expire) recursive',
          ...same('inert (dry-run)', 'git reflog expire -n --all', 'git reflog delete --dry-run a'),
        },
        miss: ['git reflog', 'git reflog show', 'git reflog --all', 'git reflog exists a'],
      },
    },
    {
      what: 'tidies up, and deletes what nothing leads to',
      verbs: ['gc', 'prune', 'repack'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        if (given.verb === 'prune') return [git(call, 'prune')];
        const when = given.verb === 'gc' ? expiry(given) : '';
        const now = when === null || /^(?:now|all|0)/.test(when);
        return [git(call, now ? 'prune' : 'gc', when === '' ? { reversible: true } : {})];
      },
      examples: {
        hit: {
          ...same(
            'git (gc) reversible',
            ...each('git %', 'gc repack prune-packed pack-refs'),
            'git gc --auto',
            'git gc --prune',
            'git -c gc.pruneExpire=now gc --no-prune',
            'git -c user.name=now gc',
            'git -c gc.pruneExpire=now repack',
          ),
          ...same('git (gc)', 'git gc --prune=2.weeks', 'git -c gc.pruneExpire=1.month gc'),
          ...same(
            'git (prune)',
            'git prune',
            'git prune --expire now',
            ...each('git gc --prune=%', 'now all 0 $WHEN'),
            'git -c gc.pruneexpire=now gc',
          ),
          ...same('inert (dry-run)', 'git prune -n', 'git prune --dry-run'),
        },
        miss: ['git count-objects', 'git log'],
      },
    },
    {
      what: 'searches for a commit, and runs a program on each',
      verbs: ['bisect', 'bisect run'],
      effects: (call, given) => {
        const searches = given.verb === 'bisect run' ? [runs(call, 'git-bisect', given.operands[0])] : [];
        if (given.verb === 'bisect' && given.words.length === 0) return [];
        return [git(call, 'switch', { reversible: true }), ...searches];
      },
      starts: (_, given) => (given.verb === 'bisect run' ? [{ kind: 'argv', argv: given.operands }] : []),
      examples: {
        hit: {
          ...same('git (switch) reversible', 'git bisect start a b', 'git bisect good', 'git bisect $WHAT'),
          'git bisect run sh -c ls': 'git (switch) reversible; run sh (git-bisect); program: sh -c ls',
        },
        miss: ['git bisect', ...each('git bisect %', 'log visualize view help terms')],
      },
    },
    {
      what: 'changes notes on commits',
      verbs: ['notes', 'notes remove'],
      effects: (call, given) => {
        if (given.verb === 'notes remove') return [git(call, 'notes-remove', { reversible: true })];
        return given.operands.length > 0 ? [git(call, 'notes', { reversible: true })] : [];
      },
      examples: {
        hit: {
          ...same('git (notes) reversible', 'git notes add -m x', 'git notes --ref y append -m x'),
          ...same(
            'git (notes-remove) reversible',
            'git notes remove a',
            'git notes prune',
            'git notes --ref y remove',
          ),
        },
        miss: ['git notes', ...each('git notes %', 'list show get-ref'), 'git notes --ref y list'],
      },
    },
    {
      what: 'puts changes into the commits that they belong to',
      verbs: ['absorb'],
      effects: (call) => [git(call, 'amend', { reversible: true })],
      examples: {
        hit: { 'git absorb': 'git (amend) reversible' },
        miss: ['git log'],
      },
    },
    {
      what: 'undoes the last commits',
      verbs: ['undo'],
      effects: (call) => [git(call, 'reset', { reversible: true })],
      examples: {
        hit: { 'git undo 2': 'git (reset) reversible' },
        miss: ['git log'],
      },
    },
    {
      what: 'makes and merges branches by a scheme',
      verbs: ['flow'],
      effects: (call) => [git(call, 'branch', { reversible: true })],
      examples: {
        hit: { 'git flow feature start a': 'git (branch) reversible' },
        miss: ['git log'],
      },
    },
    {
      what: 'forgets how conflicts were solved',
      verbs: ['rerere clear'],
      effects: (call) => [git(call, 'rerere', { reversible: true })],
      examples: {
        hit: same('git (rerere) reversible', ...each('git rerere %', 'clear forget gc')),
        miss: ['git rerere', 'git rerere status'],
      },
    },
  ],
};

// Rules of the user's own, through the real analyses: what each condition hits, misses and asks about.

import { describe, expect, it } from 'vitest';
import type { OwnRule } from '../../../config/command.ts';
import { settingsFrom } from '../../../config/index.ts';
import type { Profile } from '../../../config/sections/agents.ts';
import type { Settings } from '../../../config/settings.ts';
import { Budget, type GuardInput, type Judgement } from '../../../core/index.ts';
import { realWorld } from '../../../decide/index.ts';
import { commandGuard } from '../index.ts';
import { patternOf } from './user.ts';

function ruleWith(when: OwnRule['when'], more: Partial<OwnRule> = {}): OwnRule {
  return {
    id: 'mine',
    guard: 'command',
    layer: 1,
    decision: 'block',
    reason: 'It is not wanted.',
    scope: 'all',
    when,
    examples: { hit: ['x'], miss: [] },
    ...more,
  };
}

interface Given {
  readonly profile?: Profile;
  readonly python?: boolean;
  readonly home?: string | null;
  readonly realPath?: (path: string) => string;
}

/** Readers touch nothing but the text that they are given. */
const { readers } = realWorld();

async function judge(rules: readonly OwnRule[], code: string, given: Given = {}): Promise<Judgement> {
  const { profile = 'developer', home = '/home/ann', realPath = (path) => path } = given;
  const input: GuardInput<Settings> = {
    context: {
      user: 'u',
      tenant: 't',
      agent: 'a',
      session: 's',
      workspace: '/home/ann/shop',
      mode: 'default',
    },
    settings: { ...settingsFrom({ profile }), command: { rules } },
    world: {
      now: () => 0,
      resolve: async () => [],
      realPath,
      readText: () => null,
      look: () => null,
      home,
      ...(readers === undefined ? {} : { readers }),
    },
    budget: new Budget(2_000_000),
    granted: () => false,
  };
  return await commandGuard.check(
    given.python === true ? { kind: 'python', source: code } : { kind: 'shell', command: code },
    input,
  );
}

/** What the rules find: each finding of theirs, and whether they took too long. */
async function found(rules: readonly OwnRule[], code: string, given?: Given): Promise<string[]> {
  const { findings } = await judge(rules, code, given);
  return findings
    .filter(({ rule, message }) => rules.some(({ id }) => id === rule) || /out of steps/.test(message))
    .map(({ rule, decision, layer }) => `${decision} ${rule} ${layer}`);
}

const hits = (when: OwnRule['when'], command: string, given?: Given) =>
  found([ruleWith(when)], command, given);
const block = ['block mine 1'];
const ask = ['approve mine 1'];

describe('a pattern', () => {
  const when = { is: 'pattern', pattern: 'kubectl .*(-n|--namespace)[ =]prod\\b' } as const;

  it.each([
    ['kubectl -n prod get pods', block],
    ['kub""ectl get pods --namespace=prod', block],
    ['sudo -E /usr/local/bin/kubectl -n prod get pods', block],
    ['bash -c "kubectl -n prod get pods"', block],
    ['NS=prod; kubectl -n $NS get pods', block],
    ['if x; then n=test; else n=prod; fi; kubectl -n $n get pods', block],
    ["kubectl $'\\n' -n prod get pods", block],
    [`kubectl ${'-v '.repeat(100)} -n prod get pods`, block],
    [`kubectl -v=${'x'.repeat(5000)} -n prod get pods`, block],
    ['kubectl -n production2 get pods', []],
    ['echo kubectl -n prod', []],
    ["git commit -m 'kubectl -n prod'", []],
    ['grep "kubectl -n prod" docs', []],
    ['# kubectl -n prod', []],
    ["kubectl annotate pod x 'note=-n prod'", []],
    ['kubectl -n $NS get pods', []],
  ])('%.60s: %j', async (command, expected) => {
    expect(await hits(when, command)).toEqual(expected);
  });

  it('asks where a command may come out in too many ways', async () => {
    const choices = Array.from({ length: 7 }, (_, index) => `if x; then a${index}=1; else a${index}=2; fi`);
    const words = choices.map((_, index) => `$a${index}`).join(' ');
    expect(await hits(when, `${choices.join('; ')}; kubectl ${words}`)).toContain('approve mine 1');
  });

  it('that cannot be used is an error, so that the guard refuses', async () => {
    await expect(hits({ is: 'pattern', pattern: 'a(?=b)' }, 'ls')).rejects.toThrow('looks ahead');
    expect(() => patternOf('(')).toThrow('not closed');
  });

  it('that repeats without end does not take long, and leaves the other findings alone', async () => {
    const slow = { is: 'pattern', pattern: '(?:.*a){30}(?:.*)*x$' } as const;
    const rules = Array.from({ length: 200 }, (_, index) => ruleWith(slow, { id: `mine_${index}` }));
    const command = `echo ${'a'.repeat(15_000)}; rm -rf /`;
    expect(await found(rules, command)).toEqual(['approve unknown_command 3']);
    const { findings } = await judge(rules, command);
    expect(findings.map(({ rule }) => rule)).toContain('mass_deletion');
  });
});

describe('an effect', () => {
  const below = { is: 'effect', kind: 'delete', target: 'db/**' } as const;

  it.each<[string, OwnRule['when'], string, readonly string[]]>([
    ['a file below', below, 'rm db/a/1.sql', block],
    ['by its absolute path', below, 'rm /home/ann/shop/db/1.sql', block],
    ['by a detour', below, 'cd src && rm ../db/1.sql', block],
    ['the folder', below, 'rm -r db', block],
    ['a folder above it', below, 'rm -r ./', block],
    ['a pattern that may mean it', below, 'rm */1.sql', block],
    ['one program or another', below, "find db -name '*.sql' -delete", block],
    ['a file whose name is not known', below, 'rm db/"$X"', block],
    ['a file that may be meant', { ...below, target: 'db/*.sql' }, 'rm db/"$X"', ask],
    ['a path that is not known', below, 'rm "$X"', ask],
    ['another file', below, 'rm dbx/1.sql src/1.sql', []],
    ['another effect', below, 'cat db/1.sql > out', []],
    ['a mention', below, 'echo rm db/1.sql', []],
    ['in one folder', { ...below, target: 'db/*.sql' }, 'rm db/a/1.sql', []],
    ['anywhere', { ...below, target: '**/*.sql' }, 'rm a/b/1.sql', block],
    ['at the top too', { ...below, target: '**/*.sql' }, 'rm 1.sql', block],
    ['at home', { ...below, target: '~/notes/**' }, 'rm ~/notes/a', block],
    ['at home, spelled out', { ...below, target: '~/notes/**' }, 'rm $HOME/notes/a', block],
    ['elsewhere', { ...below, target: '/srv/**' }, 'rm /srv/site/a', block],
    ['recursive only', { ...below, recursive: true }, 'rm db/1.sql', []],
    ['not recursive only', { ...below, recursive: false }, 'rm -r db', []],
    ['of a kind', { is: 'effect', kind: 'git' }, 'git push', block],
    ['with a detail', { is: 'effect', kind: 'git', detail: 'push' }, 'git push', block],
    ['of a setting', { is: 'effect', kind: 'setting', detail: 'clock' }, 'date -s 10:00', block],
    [
      'of a setting, as a service',
      { is: 'effect', kind: 'service', detail: 'clock' },
      'date -s 10:00',
      block,
    ],
    ['with another', { is: 'effect', kind: 'git', detail: 'push' }, 'git fetch', []],
    [
      'a host',
      { is: 'effect', kind: 'connect', target: '*.corp.example' },
      'curl http://A.Corp.example',
      block,
    ],
    [
      'another host',
      { is: 'effect', kind: 'connect', target: '*.corp.example' },
      'curl http://corp.example',
      [],
    ],
    ['a host that is not known', { is: 'effect', kind: 'connect', target: 'a.example' }, 'curl "$URL"', ask],
    ['a name', { is: 'effect', kind: 'container', target: 'ns/*' }, 'kubectl delete ns prod', block],
  ])('%s', async (_, when, command, expected) => {
    expect([...new Set(await hits(when, command))]).toEqual(expected);
  });

  it('is found behind a link', async () => {
    const realPath = (path: string) => path.replace(/^\/home\/ann\/shop\/link/, '/home/ann/shop/db');
    expect(await hits(below, 'rm link/1.sql', { realPath })).toEqual(block);
  });

  it('at a home that is not known may be anywhere', async () => {
    const when = { ...below, target: '~/notes' };
    expect(await hits(when, 'rm /data/ann/notes', { home: null })).toEqual(block);
  });
});

describe('a command', () => {
  const push = { is: 'command', names: ['git'], subcommand: ['push'], flags: [] } as const;
  const forced = { ...push, flags: ['--force', '-f'] };
  const removal = { is: 'command', names: ['pulumi', 'pu'], subcommand: ['stack', 'rm'], flags: [] } as const;

  it.each<[string, OwnRule['when'], string, readonly string[]]>([
    ['by name', { ...push, subcommand: [] }, 'git status', block],
    ['by path', { ...push, subcommand: [] }, '/usr/bin/git status', block],
    ['through a wrapper', { ...push, subcommand: [] }, 'nice -n 5 git status', block],
    ['another', { ...push, subcommand: [] }, 'gitk', []],
    ['a subcommand', push, 'git push', block],
    ['behind options', push, 'git -C dir --no-pager push', block],
    ['another subcommand', push, 'git commit -m push', []],
    ['not known', push, 'git "$VERB"', ask],
    ['of several words', removal, 'pu stack -s dev rm', block],
    ['of other words', removal, 'pulumi stack ls', []],
    ['a flag', forced, 'git push origin --force', block],
    ['a flag in a cluster', forced, 'git push -uf origin', block],
    ['a flag with a value', { ...push, flags: ['--repo'] }, 'git push --repo=x', block],
    ['a flag cut short', forced, 'git push --for', ask],
    ['a flag that is not known', forced, 'git push $OPTIONS', ask],
    ['without the flag', forced, 'git push origin main', []],
    ['another flag', forced, 'git push --follow-tags', []],
  ])('%s', async (_, when, command, expected) => {
    expect(await hits(when, command)).toEqual(expected);
  });
});

describe('a rule', () => {
  const any = { is: 'pattern', pattern: 'ls|python' } as const;

  it.each<[OwnRule['scope'], string[], string[]]>([
    ['all', ['block mine 1'], ['block mine 1']],
    ['bash', ['block mine 1'], []],
    ['python', [], ['block mine 1']],
  ])('of scope %s is asked about its language', async (scope, shell, python) => {
    const rules = [ruleWith({ is: 'effect', kind: 'delete' }, { scope })];
    expect(await found(rules, 'rm a')).toEqual(shell);
    expect(await found(rules, 'import os\nos.remove("a")', { python: true })).toEqual(python);
  });

  it.each([1, 2, 3] as const)('of layer %d says so, in the sentence of its layer', async (layer) => {
    expect(await found([ruleWith(any, { layer })], 'ls')).toEqual([`block mine ${layer}`]);
  });

  it.each(['block', 'approve', 'warn'] as const)('decides %s', async (decision) => {
    expect(await found([ruleWith(any, { decision })], 'ls')).toEqual([`${decision} mine 1`]);
  });

  it('that is not sure asks under developer, blocks under strict, and warns where it warns', async () => {
    const when = { is: 'effect', kind: 'delete', target: 'db' } as const;
    expect(await hits(when, 'rm "$X"', { profile: 'strict' })).toEqual(['block mine 1']);
    expect(await found([ruleWith(when, { decision: 'warn' })], 'rm "$X"')).toEqual(['warn mine 1']);
  });
});

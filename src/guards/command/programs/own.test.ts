// Program cards of the user's own: what they say is judged, they take nothing from what is known, and examples are proven.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../config/index.ts';
import type { OwnProgram } from '../../../config/programs.ts';
import type { Settings } from '../../../config/settings.ts';
import { Budget, type GuardInput } from '../../../core/index.ts';
import { realWorld } from '../../../decide/index.ts';
import { commandGuard } from '../index.ts';
import { programProblems } from './own.ts';

type Fact = OwnProgram['facts'][number];

function factWith(says: string, more: Partial<Fact> = {}): Fact {
  return { what: 'does it', says, examples: { hit: {}, miss: [] }, ...more };
}

function programWith(facts: readonly Fact[], more: Partial<OwnProgram> = {}): OwnProgram {
  return { name: 'deployctl', options: 'e/environment= c/command= n/dry-run', verbs: {}, facts, ...more };
}

/** Readers touch nothing but the text that they are given. */
const { readers } = realWorld();

/** The rules that a command hits. */
async function found(programs: readonly OwnProgram[], command: string): Promise<readonly string[]> {
  const input: GuardInput<Settings> = {
    context: {
      user: 'u',
      tenant: 't',
      agent: 'a',
      session: 's',
      workspace: '/home/ann/shop',
      mode: 'default',
    },
    settings: { ...settingsFrom({ profile: 'developer' }), command: { rules: [], programs } },
    world: {
      now: () => 0,
      resolve: async () => [],
      realPath: (path) => path,
      readText: () => null,
      look: () => null,
      home: '/home/ann',
      ...(readers === undefined ? {} : { readers }),
    },
    budget: new Budget(2_000_000),
    granted: () => false,
  };
  const { findings } = await commandGuard.check({ kind: 'shell', command }, input);
  return findings.map(({ decision, rule }) => `${decision} ${rule}`);
}

describe('a program with a card of the user', () => {
  const deploys = programWith(
    [
      factWith('deploy <-e> (release)', { verbs: ['deploy'], without: 'dry-run' }),
      factWith('program: <2..>', { verbs: ['run'] }),
      factWith('shell code: <--command>'),
      factWith('read <1>; write <2> from network', { verbs: ['fetch'] }),
    ],
    { verbs: { deploy: '', run: '+', fetch: '' } },
  );

  it.each<[string, readonly string[]]>([
    ['deployctl status', []],
    ['deployctl deploy -e live', ['approve deployment']],
    ['deployctl deploy -e live -n', []],
    ['bash -c "deployctl deploy --environment=live"', ['approve deployment']],
    ['deployctl run web rm -rf /', ['block mass_deletion']],
    ['deployctl -c "rm -rf ~"', ['block home_deletion']],
    ['deployctl fetch a.sh b.sh && sh b.sh', ['block remote_code_execution']],
    ['python3 -c \'import os; os.system("deployctl deploy -e live")\'', ['approve deployment']],
    ['otherctl status', ['approve unknown_command']],
  ])('%s', async (command, expected) => {
    expect(await found([deploys], command)).toEqual(expected);
  });

  it('adds to what is known of a program and takes nothing from it', async () => {
    const rm = programWith([factWith('deploy <1> (release)')], { name: 'rm', options: 'r f' });
    expect(await found([rm], 'rm -rf /')).toEqual(expect.arrayContaining(['block mass_deletion']));
    expect(await found([rm], 'rm a.txt')).toContain('approve deployment');
    expect(await found([programWith([], { name: 'bash' })], 'bash -c "rm -rf /"')).toEqual([
      'block mass_deletion',
    ]);
  });
});

describe('the proof of a card', () => {
  const problem = (fact: Fact, more: Partial<OwnProgram> = {}) =>
    programProblems([programWith([fact], more)]).map(({ path, message }) => `${path.join('/')}: ${message}`);

  it.each<[string, Fact, readonly string[]]>([
    [
      'holds',
      factWith('deploy <-e>', { examples: { hit: { 'deployctl -e a': 'deploy a' }, miss: ['deployctl b'] } }),
      [],
    ],
    [
      'says something else',
      factWith('deploy <-e>', { examples: { hit: { 'deployctl -e a': 'deploy b' }, miss: [] } }),
      [
        'deployctl/facts/0/examples/hit/deployctl -e a: the card says "deploy a" of it, and not "deploy b", against its example',
      ],
    ],
    [
      'says something of a miss',
      factWith('deploy <-e>', {
        examples: { hit: { 'deployctl -e a': 'deploy a' }, miss: ['deployctl b', 'deployctl -e a'] },
      }),
      ['deployctl/facts/0/examples/miss/1: the card says "deploy a" of it, and not "", against its example'],
    ],
    [
      "has another program's example",
      factWith('deploy <-e>', { examples: { hit: { 'rm a': 'deploy a' }, miss: [] } }),
      ['deployctl/facts/0/examples/hit/rm a: is another program\'s command: it must begin with "deployctl"'],
    ],
    [
      'names no kind of effect',
      factWith('destroy <1>'),
      ['deployctl/facts/0/says: cannot be read: "destroy" is no kind of effect'],
    ],
    [
      'names no place',
      factWith('program: all'),
      ['deployctl/facts/0/says: cannot be read: "all" is no place such as <1>, <2..> or <--option>'],
    ],
    [
      'names no origin',
      factWith('write <1> from nowhere'),
      ['deployctl/facts/0/says: cannot be read: "nowhere" is no origin: secret, network, written or unknown'],
    ],
    [
      'is about a subcommand that there is not',
      factWith('deploy <1>', { verbs: ['deply'] }),
      ['deployctl/facts/0/verbs: "verbs" of the program does not have "deply"'],
    ],
  ])('%s', (_, fact, expected) => {
    expect(problem(fact)).toEqual(expected);
  });
});

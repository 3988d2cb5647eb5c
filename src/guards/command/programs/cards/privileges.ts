// Programs that start another as somebody else, or with other rights.

import { bareShell, type Inner, shellCode } from '../../bash/executors/inner.ts';
import { knownText } from '../../bash/values.ts';
import { effect, nameTarget } from '../../tools/tool.ts';
import { type Card, type Fact, shellOptions } from '../card.ts';
import { startFact, type Wrapper } from '../wrappers.ts';

/** Options with which nothing is started, but what a user may do is shown. */
const looks = ['l', 'list', 'v', 'validate', 'K', 'remove-timestamp', 'k', 'V', 'version', 'h', 'help'];

/** It becomes another user: for a command, or with none for a shell, which waits for what it will be told. */
function becomes(
  detail: string,
  hit: Fact['examples']['hit'],
  { commands, miss = [] }: { readonly commands?: string; readonly miss?: readonly string[] } = {},
): Fact {
  const given = commands?.split(' ');
  return {
    what: 'becomes another user, or gets other rights',
    effects: (call, { has, operands }) => {
      if (call.args.length > 0 && operands.length === 0 && has(...looks) && !has('c', 'i', 's')) return [];
      const [target] = operands;
      const told = given === undefined ? target !== undefined : has(...given);
      const how = told || call.io.stdinFed === true ? detail : 'shell';
      return [effect(call, 'privilege', { detail: how, target: nameTarget(target) })];
    },
    examples: { hit, miss },
    ...(miss.length === 0 ? { always: true } : {}),
  };
}

/** The card of a program that starts what stands behind its options. */
function withRights(wrapper: Wrapper, ...facts: readonly Fact[]): Card {
  const { names, options = '', readings = '' } = wrapper;
  const manner = { stopAtOperand: true, stopAtUnknown: true };
  return { names, options, manner, readings, facts: [startFact(wrapper), ...facts] };
}

const sudo = withRights(
  {
    names: 'sudo',
    options:
      'u/user= g/group= p/prompt= h/host= C/close-from= D/chdir= R/chroot= r/role= t/type= U/other-user= T/command-timeout= a/auth-type= login-class= l/list e/edit v/validate K/remove-timestamp k/reset-timestamp V/version i/login s/shell',
    readings:
      'u user g group p prompt h host C close-from D chdir R chroot r role t type U other-user T command-timeout a auth-type login-class; l list e edit v validate K remove-timestamp k reset-timestamp V version i login s shell',
    assignments: true,
    lookUp: 'l e v K k V',
    alone: 'input',
    hit: {
      'sudo rm a': 'program: rm a',
      'sudo -u ann -g b A=b rm a': 'program: rm a A=b',
      'sudo --user=ann -- rm a': 'program: rm a',
      'sudo --chdir / rm a': 'program: rm a',
      "'id' | sudo -s": 'shell input',
    },
    miss: [
      'sudo',
      'sudo -<l e v K k V> a',
      'sudo --<list edit validate remove-timestamp reset-timestamp version>',
    ],
  },
  becomes(
    'sudo',
    {
      'sudo rm a': 'privilege rm (sudo)',
      'sudo -u ann rm a': 'privilege rm (sudo)',
      "'id' | sudo -s": 'privilege (sudo)',
      'sudo -i': 'privilege (shell)',
      sudo: 'privilege (shell)',
    },
    { miss: ['sudo -<l v K k V>', 'sudo --<list validate remove-timestamp>', 'sudo -l -u ann'] },
  ),
);

const doas = withRights(
  {
    names: 'doas',
    options: 'u= C= L n s',
    readings: 'u C; L n s',
    alone: 'input',
    hit: { 'doas -u ann rm a': 'program: rm a', "'id' | doas -s": 'shell input' },
  },
  becomes('doas', {
    'doas -u ann rm a': 'privilege rm (doas)',
    doas: 'privilege (shell)',
    "'id' | doas -s": 'privilege (doas)',
  }),
);

const others: readonly Card[] = [
  withRights(
    {
      names: 'pkexec',
      options: 'user=',
      readings: 'user',
      hit: { 'pkexec --user ann rm a': 'program: rm a', 'pkexec rm a': 'program: rm a' },
    },
    becomes(
      'pkexec',
      { 'pkexec --user ann rm a': 'privilege rm (pkexec)', pkexec: 'privilege (shell)' },
      { miss: ['pkexec --version'] },
    ),
  ),
  withRights(
    {
      names: 'gosu su-exec',
      words: 1,
      hit: { 'gosu ann rm a': 'program: rm a' },
      miss: ['gosu ann', 'gosu'],
    },
    becomes('su', { 'gosu ann rm a': 'privilege ann (su)', 'su-exec ann rm a': 'privilege ann (su)' }),
  ),
  withRights(
    {
      names: 'setpriv',
      options:
        'ruid= euid= rgid= egid= reuid= regid= groups= inh-caps= ambient-caps= bounding-set= securebits= pdeathsig= selinux-label= apparmor-profile=',
      readings:
        'ruid euid rgid egid reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile',
      hit: { 'setpriv --reuid 0 --no-new-privs rm a': 'program: rm a' },
      miss: ['setpriv --dump'],
    },
    becomes('capability', { 'setpriv --reuid 0 rm a': 'privilege rm (capability)' }),
  ),
  {
    names: 'capsh',
    options: 'c=',
    readings: 'c',
    facts: [
      {
        what: 'starts a shell with what stands behind two dashes',
        starts: (_, { behindDashes = [], all }): readonly Inner[] => [
          ...all('c').map((text) => shellCode(text)),
          ...(behindDashes.length === 0
            ? []
            : [{ kind: 'argv', argv: [knownText('bash'), ...behindDashes] } as const]),
        ],
        examples: {
          hit: {
            "capsh --drop=all -- -c 'rm a'": 'program: bash -c rm a',
            'capsh -- a.sh': 'program: bash a.sh',
            "capsh -c 'rm a'": 'shell code: rm a',
          },
          miss: ['capsh --print'],
        },
      },
      becomes('capability', {
        "capsh --drop=all -- -c 'rm a'": 'privilege -c (capability)',
        'capsh --print': 'privilege (shell)',
      }),
    ],
  },
];

/** su and runuser take their options also behind the name of the user. */
const suOptions =
  'c/command= session-command= g/group= G/supp-group= s/shell= w/whitelist-environment= l/login f/fast m/p/preserve-environment P/pty';
const suReadings =
  'c command session-command g group G supp-group s shell w whitelist-environment; l login f fast m p preserve-environment P pty';

const su: Card = {
  names: 'su',
  options: suOptions,
  readings: suReadings,
  facts: [
    {
      what: 'hands a text to the shell of another user',
      starts: shellOptions('command session-command'),
      examples: {
        hit: {
          "su -c 'rm a'": 'shell code: rm a',
          "su - ann --command='rm a'": 'shell code: rm a',
          "su ann --session-command 'rm a'": 'shell code: rm a',
        },
        miss: ['su', 'su - ann'],
      },
    },
    becomes(
      'su',
      {
        "su - ann -c 'rm a'": 'privilege - (su)',
        'su ann': 'privilege ann (shell)',
        "'id' | su ann": 'privilege ann (su)',
      },
      { commands: 'command session-command shell' },
    ),
  ],
};

const runuser: Card = {
  names: 'runuser',
  options: `u/user= ${suOptions}`,
  readings: `u user ${suReadings}`,
  facts: [
    {
      what: 'hands a text to the shell of another user',
      starts: shellOptions('command session-command'),
      examples: { hit: { "runuser ann -c 'rm a'": 'shell code: rm a' }, miss: ['runuser', 'runuser ann'] },
    },
    {
      what: 'starts a program as another user',
      starts: (_, given) =>
        given.has('user') && given.operands.length > 0 ? [{ kind: 'argv', argv: given.operands }] : [],
      examples: {
        hit: { 'runuser -u ann -g b -- rm a': 'program: rm a', 'runuser --user ann rm a': 'program: rm a' },
        miss: ['runuser ann rm', 'runuser -u ann'],
      },
    },
    becomes(
      'su',
      {
        "runuser ann -c 'rm a'": 'privilege ann (su)',
        'runuser -u ann rm a': 'privilege rm (su)',
        'runuser ann': 'privilege ann (shell)',
      },
      { commands: 'command session-command shell user' },
    ),
  ],
};

const sg: Card = {
  names: 'sg newgrp',
  options: 'c/command=',
  readings: 'c command',
  facts: [
    {
      what: 'hands a text to a shell of another group, or starts one',
      always: true,
      starts: ({ program }, given): readonly Inner[] => {
        const texts = program === 'sg' ? [...given.all('c'), ...given.operands.slice(1)] : [];
        const [text] = texts;
        return text === undefined ? [bareShell] : [{ kind: 'code', language: 'shell', text }];
      },
      examples: {
        hit: {
          "sg wheel -c 'rm a'": 'shell code: rm a',
          "sg wheel 'rm a'": 'shell code: rm a',
          'sg wheel': 'program: sh',
          'newgrp wheel': 'program: sh',
        },
        miss: [],
      },
    },
    becomes(
      'group',
      { "sg wheel -c 'rm a'": 'privilege wheel (group)', 'newgrp wheel': 'privilege wheel (shell)' },
      { commands: 'command' },
    ),
  ],
};

const agent = withRights({
  names: 'ssh-agent',
  options: 'a= t= E= P= O=',
  readings: 'a t E P O',
  hit: { 'ssh-agent -t 60 rm a': 'program: rm a' },
  miss: ['ssh-agent -s'],
});

export const cards: readonly Card[] = [sudo, doas, ...others, su, runuser, sg, agent];

// Devices of the kernel's device mapper, and the debugger of file systems.

import { effect, pathTarget, read, textOf } from '../../tools/tool.ts';
import { type Card, shellOptions } from '../card.ts';
import { commandsIn } from '../escapes.ts';

const destroys = /^(?:remove|remove_all|wipe_table|clear)$/;
const changes = /^(?:create|load|rename|resume|suspend|message)$/;

const dmsetup: Card = {
  names: 'dmsetup',
  options: 'exec= f/force',
  readings: 'exec; f force',
  facts: [
    {
      what: 'runs a program for each device',
      starts: shellOptions('exec'),
      examples: { hit: { "dmsetup ls --exec 'rm a'": 'shell code: rm a' }, miss: ['dmsetup ls'] },
    },
    {
      what: 'makes, changes or removes devices',
      effects: (call, given) => {
        const [verb] = given.operands;
        const text = textOf(verb);
        if (verb === undefined || (text !== null && !destroys.test(text) && !changes.test(text))) return [];
        const removes = text !== null && destroys.test(text);
        return [
          effect(call, 'format', {
            target: pathTarget(given.operands.at(-1) ?? verb),
            detail: removes ? 'volume-delete' : 'volume',
            ...(removes && given.has('force') ? { force: true } : {}),
          }),
        ];
      },
      examples: {
        hit: {
          'dmsetup <remove remove_all wipe_table clear> a': 'format a (volume-delete)',
          'dmsetup remove --force a': 'format a (volume-delete) force',
          'dmsetup <create load rename resume suspend message> a': 'format a (volume)',
          'dmsetup $VERB a': 'format a (volume)',
        },
        miss: ['dmsetup ls', 'dmsetup'],
      },
    },
  ],
};

const debugfs: Card = {
  names: 'debugfs',
  options: 'b= s= R= f= d= D V c i n w z=',
  readings: 'b s R f d z; D V c i n w',
  facts: [
    {
      what: 'waits for commands, and hands those behind an exclamation mark to a shell',
      starts: ({ args, stdin, fed }) =>
        args.length === 0 && !fed ? [{ kind: 'unknown' }] : commandsIn([...args, ...(fed ? [stdin] : [])]),
      examples: {
        hit: {
          debugfs: 'unknown',
          "'!rm a' | debugfs /dev/sda1": 'shell code: rm a',
          "debugfs -R '!rm a' /dev/sda1": 'shell code: rm a',
        },
        miss: ['debugfs /dev/sda1'],
      },
    },
    {
      what: 'reads a file system, or edits it',
      effects: (call, given) =>
        given.has('w')
          ? given.operands
              .slice(-1)
              .map((path) => effect(call, 'device', { target: pathTarget(path), detail: 'edit' }))
          : given.operands.flatMap((path) => read(call, path)),
      examples: {
        hit: {
          'debugfs -w /dev/sda1': 'device /dev/sda1 (edit)',
          'debugfs -R stat /dev/sda1': 'read /dev/sda1',
        },
        miss: ['debugfs -V'],
      },
    },
  ],
};

export const cards: readonly Card[] = [dmsetup, debugfs];

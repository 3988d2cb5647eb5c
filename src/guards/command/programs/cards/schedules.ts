// What makes programs run later.

import type { Inner } from '../../bash/executors/inner.ts';
import { singleText } from '../../bash/values.ts';
import type { Effect } from '../../effects.ts';
import { beginningOf, type Call, effect, nameTarget, read } from '../../tools/tool.ts';
import type { Card } from '../card.ts';

/** Nothing is said of what it would read. */
const readsNothing = ({ args, io }: Call): boolean =>
  args.length === 0 && io.stdin.kind === 'unknown' && io.stdinOrigins.length === 0 && io.stdinFed !== true;

const crontab: Card = {
  names: 'crontab fcrontab',
  options: 'u= l r e i n s x= T= V c=',
  readings: 'u x T c; l r e i n s V',
  facts: [
    {
      what: 'runs the lines of a file, or of its input, when their time comes',
      starts: ({ fed }, { has, operands: [file] }): readonly Inner[] => {
        if (has('l', 'r', 'e')) return [];
        if (file !== undefined && singleText(file) !== '-')
          return [{ kind: 'file', language: 'crontab', path: file }];
        return fed ? [{ kind: 'input', language: 'crontab' }] : [];
      },
      examples: {
        hit: {
          'crontab -u ann a': 'crontab file: a',
          "'* * * * * rm a' | crontab -": 'crontab input',
          "'* * * * * rm a' | fcrontab": 'crontab input',
        },
        miss: ['crontab -<l r e>', 'crontab'],
      },
    },
    {
      what: 'sets or removes what runs when its time comes',
      effects: (call, given): readonly Effect[] => {
        const owner = nameTarget(given.last('u'));
        if (given.has('l', 'V', 'T') || readsNothing(call)) return [];
        if (given.has('r'))
          return [
            effect(call, 'delete', { detail: 'crontab', target: owner }),
            effect(call, 'persist', { detail: 'cron-remove', target: owner }),
          ];
        if (given.has('e')) return [effect(call, 'persist', { detail: 'cron', target: owner })];
        const [file] = given.operands;
        const origins = call.io.stdinOrigins;
        return [
          ...(file ? read(call, file) : []),
          effect(call, 'persist', { detail: 'cron', target: nameTarget(file), origins }),
        ];
      },
      examples: {
        hit: {
          'crontab -r -u ann': 'delete ann (crontab); persist ann (cron-remove)',
          'crontab -e': 'persist (cron)',
          'crontab -u ann a': 'read a; persist a (cron)',
          '$NETWORK | crontab': 'persist (cron) from network',
          'crontab -': 'persist - (cron)',
        },
        miss: ['crontab -<l V>', 'crontab -T a', 'crontab'],
      },
    },
  ],
};

const at: Card = {
  names: 'at batch atq atrm',
  options: 'f= q= t= m M l d r c v V b',
  readings: 'f q t; m M l d r c v V b',
  facts: [
    {
      what: 'runs a file, or its input, when its time comes',
      starts: ({ program, fed }, given): readonly Inner[] => {
        const file = program === 'at' ? given.last('f') : undefined;
        if (file !== undefined) return [{ kind: 'file', language: 'shell', path: file }];
        return fed && /^(?:at|batch)$/.test(program) ? [{ kind: 'input', language: 'shell' }] : [];
      },
      examples: {
        hit: {
          'at -f a.sh now': 'shell file: a.sh',
          "'rm a' | at now": 'shell input',
          "'rm a' | batch": 'shell input',
        },
        miss: ['at now', 'atq', "'a' | atrm 1"],
      },
    },
    {
      what: 'sets or removes what runs when its time comes',
      effects: (call, given): readonly Effect[] => {
        if (given.has('l', 'c', 'V') || call.program === 'atq') return [];
        const target = nameTarget(given.operands[0]);
        if (given.has('d', 'r') || call.program === 'atrm')
          return [effect(call, 'persist', { detail: 'cron-remove', target })];
        const origins = call.io.stdinOrigins;
        return [
          ...given.all('f').flatMap((file) => read(call, file)),
          effect(call, 'persist', { detail: 'at', target, origins }),
        ];
      },
      examples: {
        hit: {
          'at -q b -t 12 now': 'persist now (at)',
          'at -f a.sh now': 'read a.sh; persist now (at)',
          '$NETWORK | batch': 'persist (at) from network',
          'at -<d r> 1': 'persist 1 (cron-remove)',
          'atrm 1': 'persist 1 (cron-remove)',
        },
        miss: ['at -<l V>', 'at -c 1', 'atq'],
      },
    },
  ],
};

const parts: Card = {
  names: 'run-parts',
  options: '',
  readings: '',
  facts: [
    {
      what: 'runs every program of a folder',
      effects: (call) =>
        call.args.some((argument) => /^--(?:test|list)/.test(beginningOf(argument)))
          ? []
          : [effect(call, 'run', { detail: 'script', target: nameTarget(call.args.at(-1)) })],
      examples: { hit: { 'run-parts --verbose a': 'run a (script)' }, miss: ['run-parts --<test list> a'] },
    },
  ],
};

export const cards: readonly Card[] = [crontab, at, parts];

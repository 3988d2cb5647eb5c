// Mail: messages to people, and lines of them that start programs.

import { effect, nameTarget, read } from '../../tools/tool.ts';
import type { Card, Examples, Fact } from '../card.ts';
import { commandsIn } from '../escapes.ts';

/** It sends a message with the files that it is given, where it is told to whom. */
function sends(examples: Examples): Fact {
  return {
    what: 'sends a message with the files that it is given',
    effects: (call, given) => {
      const sent =
        given.operands.length > 0 || given.has('to', 't', 'u') || /^(?:sendmail|msmtp)$/.test(call.program);
      if (!sent) return [];
      const attached = given.all('attach', 'A', 'q').flatMap((file) => read(call, file));
      const secret = attached.some(({ kind }) => kind === 'secret');
      const { stdinOrigins, argumentOrigins = [] } = call.io;
      return [
        ...attached,
        effect(call, 'message', {
          detail: 'e-mail',
          target: nameTarget(given.operands[0] ?? given.last('to', 't')),
          origins: [...stdinOrigins, ...argumentOrigins, ...(secret ? (['secret'] as const) : [])],
        }),
      ];
    },
    examples,
  };
}

const options =
  's/subject= a/attach= A= b= c= r= f= S= q= t to= from= server= body= h= u= m= o= cc= bcc= X= H= e=';
const readings = 's subject a attach A b c r f S q to from server body h u m o cc bcc X H e';

export const cards: readonly Card[] = [
  {
    names: 'mutt neomutt sendmail msmtp swaks ssmtp mpack',
    options,
    readings: `${readings}; t`,
    facts: [
      sends({
        hit: {
          'mutt -s hi me@h.example': 'message me@h.example (e-mail)',
          'swaks --to me@h.example --server h': 'message me@h.example (e-mail)',
          'mutt -t': 'message (e-mail)',
          'mutt -u x': 'message (e-mail)',
          '<sendmail msmtp>': 'message (e-mail)',
          '$NETWORK | mutt me': 'message me (e-mail) from network',
          'mutt -<a A q> b me': 'read b; message me (e-mail)',
          'mutt --attach=.env me': 'read .env; secret .env (environment); message me (e-mail) from secret',
        },
        miss: ['mutt', 'neomutt -f box', 'ssmtp'],
      }),
    ],
  },
  {
    names: 'mail mailx Mail',
    options: `${options} i n v E exec=`,
    readings: `${readings} exec; t i n v E`,
    facts: [
      {
        what: 'hands lines that begin with ~! to a shell',
        starts: ({ args, stdin, fed }) =>
          commandsIn([...args, ...(fed ? [stdin] : [])], /^(?:--exec=)?~?!(.*)$/),
        examples: {
          hit: {
            "'~!rm a' | mail ann": 'shell code: rm a',
            "mail --exec='!rm a'": 'shell code: rm a',
            "'!' | mailx ann": 'program: sh',
          },
          miss: ['mail ann', "'hello' | mail ann"],
        },
      },
      sends({
        hit: {
          'mail -s hi ann': 'message ann (e-mail)',
          'mailx -<a A q> .env ann': 'read .env; secret .env (environment); message ann (e-mail) from secret',
          'mail -<t u>': 'message (e-mail)',
        },
        miss: ['mail', 'mail -f box'],
      }),
    ],
  },
];

// Rule: a command does not write to, read from or type at a terminal other than its own.

import { isTerminalPath } from '../../../detect/path.ts';
import { type CommandRule, hit, type Judge, placesOf, python, shell, shown } from './rule.ts';

const otherTerminal: CommandRule = {
  id: 'other_terminal',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'it can imitate or overhear the user',
  reason:
    'It would write to, read from or type at another terminal, which can fake a question or capture a passphrase.',
  suggestion: 'Print to standard output, or to /dev/tty, which is the terminal that the command belongs to.',
  examples: {
    hit: [
      shell('echo "Passphrase:" > /dev/pts/0'),
      shell('cat x > /dev/tty1'),
      shell('cat x | tee "/dev/pts/$N"'),
      shell('cat /dev/pts/0'),
      shell('stty -F /dev/pts/0 -echo'),
      shell('ttyecho -n /dev/pts/0 y'),
      shell('perl -e \'ioctl(STDIN, 0x5412, "y")\''),
      python('import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSTI, b"y")'),
    ],
    miss: [
      shell('echo x > /dev/tty'),
      shell('echo x > /dev/stderr'),
      shell('make > /dev/null'),
      shell('ls -l /dev/pts'),
      shell('stty -F /dev/ttyUSB0 9600'),
      python('import fcntl, termios\nfcntl.ioctl(1, termios.TIOCGWINSZ, b"        ")'),
    ],
  },
};

/** The rules on terminals. */
export const terminalRules: readonly CommandRule[] = [otherTerminal];

/** Judges what reads from, writes to or types at a terminal of another user. */
export const judgeTerminal: Judge = (effect, ruleInput) => {
  const { span, kind, detail } = effect;
  if (kind === 'device' && detail === 'keys')
    return [hit(ruleInput, otherTerminal, { span, why: 'it types at a terminal as if a person did' })];
  if (kind === 'read' && detail === 'list') return [];
  return placesOf(effect, ruleInput)
    .filter(({ path }) => path !== null && isTerminalPath(path))
    .map((place) => {
      const why = `it ${kind === 'read' ? 'reads what is typed at' : 'writes to'} ${shown(place)}`;
      return hit(ruleInput, otherTerminal, { span, why });
    });
};

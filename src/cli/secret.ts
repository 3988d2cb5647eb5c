// Asks for a secret at the terminal itself: never from a pipe, a file or a variable, which an agent could fill.

import { closeSync, openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { SallyportError } from '../core/index.ts';

/** There is no terminal to ask at. */
export class NoTerminal extends SallyportError {}
/** The person pressed Ctrl-C. */
export class Cancelled extends SallyportError {}

const enter = ['\r', '\n'];
const cancel = ['\u0003', '\u0004'];
const erase = ['\u007f', '\b'];

/** Asks at the controlling terminal, without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  const { input, write, close } = openTerminal();
  input.setRawMode(true);
  write(`${question}: `);
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: string[] = [];
      input.setEncoding('utf8');
      input.on('error', reject);
      input.on('end', () => reject(new NoTerminal('the terminal went away')));
      input.on('data', (text: string) => {
        for (const character of text) {
          if (enter.includes(character)) return resolve(typed.join(''));
          if (cancel.includes(character)) return reject(new Cancelled('cancelled'));
          if (erase.includes(character)) typed = typed.slice(0, -1);
          else typed.push(character);
        }
      });
    });
  } finally {
    write('\n');
    input.setRawMode(false);
    close();
  }
}

function openTerminal(): { input: ReadStream; write: (text: string) => void; close: () => void } {
  const opened: number[] = [];
  const open = (flags: string) => {
    const descriptor = openSync('/dev/tty', flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const input = new ReadStream(open('r'));
    const output = open('w');
    return {
      input,
      write: (text) => void writeSync(output, text),
      close: () => {
        input.destroy();
        closeSync(output);
      },
    };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw new NoTerminal('the passphrase is asked for at a terminal, and there is none here', {
      hint: 'run the command yourself in a terminal',
      cause: error,
    });
  }
}

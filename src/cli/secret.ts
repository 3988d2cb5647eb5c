// Asks for a secret at the terminal itself: never from a pipe, a file or a variable, which an agent could fill.

import { openTerminal } from './terminal.ts';

const enter = ['\r', '\n'];
const erase = ['\u007f', '\b'];

/** Asks at the controlling terminal, without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  const terminal = openTerminal('the passphrase is asked for at a terminal');
  let typed: string[] = [];
  try {
    terminal.write(`${question}: `);
    for (;;) {
      const key = (await terminal.key()) ?? '';
      if (enter.includes(key)) return typed.join('');
      if (erase.includes(key)) typed = typed.slice(0, -1);
      else typed.push(key);
    }
  } finally {
    terminal.write('\n');
    terminal.close();
  }
}

// Asks for a secret at the terminal itself: never from a pipe, a file or a variable, which an agent could fill.

import { newPassphrase } from '../config/index.ts';
import { UsageError } from '../core/index.ts';
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

/** Asks for a passphrase that is chosen now, twice; one that is too short is refused before the second time. */
export async function askNewSecret(question: string): Promise<string> {
  const chosen = newPassphrase(await askSecret(`${question} (8 characters or more)`));
  if ((await askSecret('Once more')).normalize('NFKC') !== chosen)
    throw new UsageError('the two do not match; nothing was changed');
  return chosen;
}

// Asks for a secret at the terminal itself: never from a pipe, a file or a variable, which an agent could fill.

import { ApproverError, newPassphrase } from '../config/index.ts';
import { messageOf, UsageError } from '../core/index.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const enter = ['\r', '\n'];
const erase = ['\u007f', '\b'];
const eraseLine = '\u0015';
const escapeKey = '\u001b';

/** How often a new passphrase is asked for before the command gives up. */
const tries = 3;

/** Asks at the controlling terminal, without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  return await atTerminal((terminal) => secretAt(terminal, question));
}

/** Asks for a passphrase that is chosen now, twice; one that is too short, or typed in two ways, is asked for again. */
export async function askNewSecret(question: string): Promise<string> {
  return await atTerminal(async (terminal) => {
    for (let left = tries; ; left--) {
      try {
        return await newSecretAt(terminal, question);
      } catch (error) {
        const isTyping = error instanceof ApproverError || error instanceof UsageError;
        if (!isTyping || left === 1) throw error;
        terminal.write(`Not taken: ${messageOf(error)}.\n`);
      }
    }
  });
}

async function atTerminal<T>(work: (terminal: Terminal) => Promise<T>): Promise<T> {
  const terminal = openTerminal('the passphrase is asked for at a terminal');
  try {
    return await work(terminal);
  } finally {
    terminal.close();
  }
}

/** Reads up to Enter. Enter alone is no passphrase: it was typed after the key that answered the question before. */
async function secretAt(terminal: Terminal, question: string): Promise<string> {
  let typed: string[] = [];
  terminal.write(`${question}: `);
  try {
    for (;;) {
      const key = (await terminal.key()) ?? '';
      if (enter.includes(key)) {
        if (typed.length > 0) return typed.join('');
      } else if (erase.includes(key)) typed = typed.slice(0, -1);
      else if (key === eraseLine) typed = [];
      else if (key === escapeKey) await skipSequence(terminal);
      else if (key >= ' ') typed.push(key);
    }
  } finally {
    terminal.write('\n');
  }
}

/** Skips what a key such as an arrow sends after the escape: an introducer, parameters and a final character. */
async function skipSequence(terminal: Terminal): Promise<void> {
  const introducer = await terminal.key(0);
  if (introducer !== '[' && introducer !== 'O') return;
  for (;;) {
    const key = await terminal.key(0);
    if (key === null || (key >= '@' && key <= '~')) return;
  }
}

async function newSecretAt(terminal: Terminal, question: string): Promise<string> {
  const chosen = newPassphrase(await secretAt(terminal, `${question} (8 characters or more)`));
  if ((await secretAt(terminal, 'Once more')).normalize('NFKC') !== chosen)
    throw new UsageError('the two do not match');
  return chosen;
}

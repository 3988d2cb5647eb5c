// The controlling terminal itself: what is asked there is answered by a person, never by a pipe or a file.

import { closeSync, openSync, writeSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import { SallyportError, UsageError } from '../core/index.ts';

/** There is no terminal to ask at. */
export class NoTerminal extends SallyportError {}
/** The person pressed Ctrl-C. */
export class Cancelled extends SallyportError {}

const cancelKeys = ['\u0003', '\u0004'];

/** The rows and columns of a terminal. */
export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** A terminal whose keys are read one by one and not shown. */
export interface Terminal {
  write(text: string): void;
  /** How much it shows at once; zeros where it does not tell. */
  size(): Size;
  /** The next key; null if none came within the time. Throws `Cancelled` or `NoTerminal`. */
  key(withinMs?: number): Promise<string | null>;
  close(): void;
}

/** Opens the terminal that this process belongs to; throws `NoTerminal` saying what it was wanted for. */
export function openTerminal(wanted: string): Terminal {
  const { input, output } = openDevice(wanted);
  const keys: string[] = [];
  let gone = false;
  let wake: () => void = () => undefined;
  input.setRawMode(true);
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    keys.push(...text);
    wake();
  });
  const end = () => {
    gone = true;
    wake();
  };
  input.on('end', end);
  input.on('error', end);
  return {
    write: (text) => void writeSync(output, text),
    size: sizeOfDevice,
    async key(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      if (keys.length === 0 && !gone) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (withinMs !== undefined) timer = setTimeout(resolve, withinMs);
        });
        clearTimeout(timer);
      }
      const key = keys.shift();
      if (key === undefined && gone) throw new NoTerminal('the terminal went away');
      if (key !== undefined && cancelKeys.includes(key)) throw new Cancelled('cancelled');
      return key ?? null;
    },
    close() {
      input.setRawMode(false);
      input.destroy();
      closeSync(output);
    },
  };
}

/** Asks at a terminal that is open; a key that is neither y nor n is no answer. Throws `Cancelled`. */
export async function yesOrNo(terminal: Terminal, question: string): Promise<boolean> {
  terminal.write(`${question} [y/n] `);
  for (;;) {
    const key = (await terminal.key())?.toLowerCase();
    if (key !== 'y' && key !== 'n') continue;
    terminal.write(`${key}\n`);
    return key === 'y';
  }
}

/** Asks a question that is answered with y or n; anything else is asked again. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = openTerminal('the question is asked at a terminal');
  try {
    return await yesOrNo(terminal, question);
  } finally {
    terminal.close();
  }
}

/** The person said no. */
class NotWanted extends SallyportError {}

/** Asks before files are written that were shown; throws `NotWanted`, or `UsageError` where nobody can be asked. */
export async function agreeToWrite(): Promise<void> {
  await agreeTo('Write it?', 'nothing was written');
}

/** Asks before something is done; `otherwise` says what a no means. Throws like `agreeToWrite`. */
export async function agreeTo(question: string, otherwise: string): Promise<void> {
  let yes: boolean;
  try {
    yes = await confirm(question);
  } catch (error) {
    if (!(error instanceof NoTerminal)) throw error;
    throw new UsageError(otherwise, 'add --yes to do it without being asked');
  }
  if (!yes) throw new NotWanted(otherwise);
}

function sizeOfDevice(): Size {
  const stream = new WriteStream(openSync('/dev/tty', 'w'));
  const { rows = 0, columns = 0 } = stream;
  stream.destroy();
  return { rows, columns };
}

function openDevice(wanted: string): { readonly input: ReadStream; readonly output: number } {
  const opened: number[] = [];
  const open = (flags: string) => {
    const descriptor = openSync('/dev/tty', flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    return { input: new ReadStream(open('r')), output: open('w') };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw new NoTerminal(`${wanted}, and there is none here`, {
      hint: 'run the command yourself in a terminal',
      cause: error,
    });
  }
}

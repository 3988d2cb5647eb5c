// Where the command line reads and writes: text for people, JSON for machines, colour only on a terminal.

import { fstatSync, writeSync } from 'node:fs';
import { exitCodes, visible } from '../core/index.ts';

export type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

const codes: Readonly<Record<Colour, readonly [number, number]>> = {
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that the command was called in. */
  readonly folder: () => string;
  print(text: string): void;
  warn(text: string): void;
  json(value: unknown): void;
  /** Passes on what a command printed; what could trick a terminal is made visible on one. */
  pass(stream: 'stdout' | 'stderr', text: string): void;
  paint(colour: Colour, text: string): string;
  /** Shows how far something is, where a person looks on; '' takes it away. */
  progress(text: string): void;
}

/** The standard streams of this process. */
export function processIo(): Io {
  const { env } = process;
  const coloured = () =>
    isTerminal(1) && process.stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    environment: env,
    folder: () => process.cwd(),
    print: (text) => write(1, `${text}\n`),
    warn: (text) => write(2, `${text}\n`),
    json: (value) => write(1, `${JSON.stringify(value)}\n`),
    pass: (stream, text) => {
      const descriptor = stream === 'stdout' ? 1 : 2;
      const shown = isTerminal(descriptor) ? text.replace(/[^\n\t]+/g, (part) => visible(part)) : text;
      write(descriptor, shown);
    },
    paint: (colour, text) => {
      const [on, off] = codes[colour];
      return coloured() ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
    progress: (text) => {
      if (isTerminal(2) && process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
    },
  };
}

/** Whether a descriptor may be a terminal; only then is the stream built that knows, for that takes time. */
function isTerminal(descriptor: 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Descriptors whose reader was once too slow: from then on the stream keeps the order of what is written. */
const slow = new Set<1 | 2>();

/**
 * Writes all of a text. Building `process.stdout` costs a sixth of an empty start, so a file or a pipe is written
 * directly; a pipe that is full for now takes the rest, and everything after it, through the stream.
 */
function write(descriptor: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length && !slow.has(descriptor)) {
      written += writeSync(descriptor, bytes, written);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EPIPE') readerWentAway();
    if (code !== 'EAGAIN') throw error;
    slow.add(descriptor);
    streamOf(descriptor).once('error', readerWentAway);
  }
  if (written < bytes.length) streamOf(descriptor).write(bytes.subarray(written));
}

function streamOf(descriptor: 1 | 2): NodeJS.WriteStream {
  return descriptor === 1 ? process.stdout : process.stderr;
}

/** As in `sallyport log | head`: no fault, and nothing more to say. */
function readerWentAway(): never {
  process.exit(exitCodes.pass);
}

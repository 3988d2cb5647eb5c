// Standard input and output of a server that is still being loaded: who is there is answered at once, and what the
// client sends waits for the server.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, Transform, type Writable } from 'node:stream';
import { helloTo } from '../surfaces/mcp/query-hello.ts';

/** The longest first line that is read here. */
const longestLine = 65_536;

export interface Greeted {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Lets go of the process's own input, so that the process can end while the client still holds it open. */
  close(): void;
}

/** How long the first line is waited for before the rest is loaded, in milliseconds. */
const longestWait = 10;
const valued = /^--(?:source|agent|workspace|config)$/;

let first: Greeted | null = null;

/**
 * Greets the client of `mcp query` with these words on the process's own streams, before anything else is loaded; null
 * for any other words. The promise ends once the client has its answer, or has not asked yet.
 */
export function greetFirst([what, ...words]: readonly string[], version: string): Promise<void> | null {
  const given: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 2) {
    const [option = '', value] = words.slice(at, at + 2);
    if (!valued.test(option) || value === undefined) return null;
    given[option.slice(2)] = value;
  }
  const source = given['source'] ?? null;
  if (what !== 'query' || !isServed(source, given['config'])) return null;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestWait);
    first = greet({ source, version }, process.stdin, process.stdout, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Whether the configuration has the source, or any, and switches none off: such a server says another thing of itself. */
function isServed(source: string | null, file: string | undefined): boolean {
  const { SALLYPORT_HOME, HOME = '' } = process.env;
  const path = file ?? join(SALLYPORT_HOME || join(HOME, '.sallyport'), 'sallyport.toml');
  try {
    const text = readFileSync(path, 'utf8');
    return /\[\s*sources\b/.test(text) && text.includes(source ?? '') && !/\benabled\b/.test(text);
  } catch {
    return false;
  }
}

/** The streams of a client that was greeted first; null where the server greets it. */
export function greetedClient(): Greeted | null {
  return first;
}

/**
 * Answers a client's first line, and gives the streams that the server speaks on. INVARIANT: the server gets every byte
 * that the client sent, and of its own answer to that line the client gets nothing.
 */
export function greet(
  { source, version }: { readonly source: string | null; readonly version: string },
  input: Readable,
  output: Writable,
  seen: () => void = () => undefined,
): Greeted {
  const stdin = new PassThrough();
  let answered: string | number | null = null;
  let held = '';
  const look = (chunk: Buffer): void => {
    held += chunk.toString('latin1');
    const end = held.indexOf('\n');
    if (end < 0 && held.length < longestLine) return;
    input.off('data', look);
    // Bytes as they came: a letter of several bytes may be cut here, and not in the line.
    const line = Buffer.from(held.slice(0, Math.max(0, end)), 'latin1').toString('utf8');
    const hello = helloTo(line, source, version);
    if (hello !== null) {
      answered = hello.id;
      output.write(`${hello.text}\n`);
    }
    seen();
  };
  input.on('data', look);
  input.pipe(stdin);
  const stdout = new Transform({
    transform(chunk: Buffer, _, done) {
      // The transport writes a message at a time.
      if (answered === null || !isAnswerTo(chunk, answered)) return done(null, chunk);
      answered = null;
      done();
    },
  });
  stdout.pipe(output);
  return {
    stdin,
    stdout,
    close() {
      input.unpipe(stdin);
      input.off('data', look);
      input.pause();
    },
  };
}

function isAnswerTo(chunk: Buffer, id: string | number): boolean {
  try {
    const message = JSON.parse(chunk.toString('utf8'));
    return message.id === id && ('result' in message || 'error' in message);
  } catch {
    return false;
  }
}

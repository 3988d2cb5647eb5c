// A program that speaks MCP on its standard input and output: started with only the given environment, in a separate
// process group, and terminated as a group. Excess output is discarded.

import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Environment, homeFolder, type ServerPlace } from '../../config/index.ts';
import { visible } from '../../core/index.ts';
import { closeInherited, signalGroup } from '../process.ts';
import { UpstreamFailed, UpstreamGone } from './errors.ts';
import { mostBytes, mostLines, mostMessageBytes, stderrLimit } from './limits.ts';

export interface StdioOptions {
  readonly place: Extract<ServerPlace, { readonly kind: 'stdio' }>;
  /** Our environment, of which a program gets next to nothing. */
  readonly environment: Environment;
  readonly parse: (line: string) => JSONRPCMessage;
}

/** The variables that programs need to run at all. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

/** Grace period before SIGTERM, and after it. */
const graceMs = 1000;
/** How long its outputs may stay open after it has exited. */
const drainMs = 500;

/** The command to start: the program, or the sandbox with the program in it. Throws `SandboxUnavailable`. */
async function wordsOf(
  { command, args, cwd, sandbox }: StdioOptions['place'],
  environment: Environment,
): Promise<readonly string[]> {
  if (sandbox === undefined) return [command, ...args];
  const { findSandbox, needSandbox, prepareServed, shell } = await import('../sandbox.ts');
  const { program } = needSandbox(await findSandbox(), 'the program was not started without its sandbox');
  const prepared = prepareServed({ ...sandbox, cwd, home: homeFolder(environment) });
  const start = `${closeInherited}; exec "$@" 3>&-`;
  return [shell, '-c', start, 'sh', program, ...prepared, command, ...args];
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** With `pid`, by which the client of the SDK identifies a program. */
  readonly stderr = null;
  readonly #options: StdioOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> | undefined;
  #fault: Error | undefined;
  #said = '';
  #rest: Buffer[] = [];
  #restBytes = 0;
  #bytes = 0;
  #lines = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Whether it has exited, or is being terminated for a violation. */
  get gone(): boolean {
    const child = this.#child;
    return (
      this.#fault !== undefined || (child !== undefined && (child.exitCode ?? child.signalCode) !== null)
    );
  }

  /** Why the program exited, as far as that is known. */
  get fault(): Error {
    const said = this.#said.trim();
    const words = said === '' ? '' : `; it said: ${visible(said.slice(-300))}`;
    return this.#fault ?? new UpstreamGone(`the program has ended${words}`);
  }

  async start(): Promise<void> {
    const { place, environment } = this.#options;
    const kept = inherited.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const [program = '', ...args] = await wordsOf(place, environment);
    const child = spawn(program, args, {
      cwd: place.sandbox === undefined ? (place.cwd ?? homedir()) : '/',
      env: { ...Object.fromEntries(kept), ...place.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A separate session: no terminal, and one group to terminate.
      detached: true,
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    child.once('exit', () => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
      }, drainMs).unref();
    });
    child.stdin.on('error', () => {});
    child.stdout.on('error', () => {});
    child.stdout.on('data', (piece: Buffer) => this.#take(piece));
    child.stderr.on('error', () => {});
    child.stderr.on('data', (piece: Buffer) => {
      this.#said = (this.#said + piece.toString('utf8')).slice(-stderrLimit);
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', (error) => {
        const code = 'code' in error ? String(error.code) : 'unknown';
        this.#fault = new UpstreamGone(`the program could not be started (${code})`, { cause: error });
        reject(this.#fault);
      });
    });
    void this.#ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === null || stdin === undefined || !stdin.writable) throw this.fault;
    // A request resets the limit; messages that the program makes us answer do not.
    if ('method' in message && 'id' in message) {
      this.#bytes = 0;
      this.#lines = 0;
    }
    if (stdin.writableLength > mostMessageBytes) {
      throw new UpstreamFailed('the program does not read what it is sent');
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Terminates the program and all of its children. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#ended === undefined) return;
    child.stdin?.end();
    const { pid } = child;
    if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const timers = [
        setTimeout(() => signalGroup(pid, 'SIGTERM'), graceMs),
        setTimeout(() => signalGroup(pid, 'SIGKILL'), 2 * graceMs),
      ];
      child.once('exit', () => timers.forEach(clearTimeout));
    }
    await this.#ended;
  }

  #take(piece: Buffer): void {
    if (this.#fault !== undefined) return;
    this.#bytes += piece.length;
    for (let from = 0; from < piece.length; ) {
      const end = piece.indexOf(10, from);
      const part = piece.subarray(from, end === -1 ? piece.length : end);
      this.#rest.push(part);
      this.#restBytes += part.length;
      if (this.#restBytes > mostMessageBytes) this.#stop('a message that is too large');
      else if (end !== -1) this.#line(Buffer.concat(this.#rest).toString('utf8'));
      if (end === -1 || this.#fault !== undefined) break;
      this.#rest = [];
      this.#restBytes = 0;
      from = end + 1;
    }
    if (this.#bytes > mostBytes || this.#lines > mostLines) this.#stop('more than anybody asked for');
  }

  #line(line: string): void {
    this.#lines++;
    // Programs print all kinds of output; a line that cannot be a message costs nothing.
    if (!line.startsWith('{')) return;
    let message: JSONRPCMessage;
    try {
      message = this.#options.parse(line);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('not a message'));
      return;
    }
    this.onmessage?.(message);
  }

  #stop(why: string): void {
    this.#fault ??= new UpstreamFailed(`the program was ended: it sent ${why}`);
    this.#rest = [];
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
  }
}

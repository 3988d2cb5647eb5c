// A terminal that scripts type at: each command gets a terminal of its own, and an answer at each prompt.

import { spawn, spawnSync } from 'node:child_process';

export interface Terminal {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Typed {
  /** What the terminal showed, the answers left out. */
  readonly shown: string;
  readonly status: number;
  readonly ms: number;
}

/** Whether this machine can open a terminal for a script. */
export function hasTerminals(): boolean {
  return spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
}

/** What stays on the screen: a line that was written over is its last form. */
export function settled(shown: string): string {
  return shown
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) =>
      line
        .slice(line.lastIndexOf('\r') + 1)
        .replace(/^\x1b\[K/, '')
        .trimEnd(),
    )
    .join('\n');
}

/** A question that waits for a secret, or for a yes or no. */
const prompt = /(?:(?:assphrase[^\n]*|Once more): |\[y\/n\] )$/;

/**
 * Runs a command line with bash, typing an answer at each prompt; throws where it takes more than five minutes. The terminal
 * is so wide that no line is broken.
 */
export async function type(
  { folder, environment }: Terminal,
  command: string,
  answers: readonly string[] = [],
): Promise<Typed> {
  const started = performance.now();
  const child = spawn('script', ['-qec', 'stty cols 400; exec bash --norc -c "$TYPED"', '/dev/null'], {
    cwd: folder,
    env: { ...environment, TYPED: command },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 300_000,
  });
  const left = [...answers];
  let shown = '';
  let since = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    since += text;
    if (!prompt.test(since)) return;
    since = '';
    child.stdin.write(`${left.shift() ?? ''}\n`);
  });
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      signal === null ? resolve(code ?? 1) : reject(new Error(`${command}: ended by ${signal}`)),
    );
  });
  child.stdin.end();
  return { shown: settled(shown), status, ms: performance.now() - started };
}

// How much longer a small edit takes when Claude Code starts it through the client, on an overlay: the written client, a
// real daemon, and lines as the host writes them.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientFiles } from '../src/cli/hosts.ts';
import { ProcessorTime } from '../src/cli/processor-time.ts';
import { quote } from '../src/surfaces/hooks/client.ts';
import { printColumns, printNote } from './table.ts';

const goalMs = 60;
const edits = 25;
/** The first edits are for the compiler. */
const warm = 5;
const entry = join(dirname(dirname(fileURLToPath(import.meta.url))), 'bin/sallyport.cjs');
const session = 'a1b2c3d4-0000-4000-8000-000000000000';

/** Measures edits through the prefix beside the same by bash; true where the goal is met. */
export async function measurePrefix(progress: (text: string) => void): Promise<boolean> {
  progress('one small edit through the prefix of Claude Code');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-prefix-')));
  const host = new PrefixedHost(folder);
  try {
    await host.start();
    const times = { bash: [] as number[], prefix: [] as number[] };
    const time = new ProcessorTime();
    let processor = 0;
    for (let at = 0; at < edits; at++) {
      const command = `echo ${at} > file${at % 5}.txt`;
      const call = { tool_name: 'Bash', tool_use_id: `toolu_${at}`, tool_input: { command } };
      await host.hook('PreToolUse', { ...call, permission_mode: 'bypassPermissions' });
      const before = time.spent().others * 1000 + host.daemonMs();
      const words = ['/bin/sh', '-c', `${quote(host.script)} ${quote(host.lineOf(command))}`];
      const prefixed = await time.ofOthers(() => host.run(words));
      const spent = time.spent().others * 1000 + host.daemonMs() - before;
      await host.hook('PostToolUse', { ...call, tool_response: { stdout: '', stderr: '' } });
      const bash = await host.run(['/bin/bash', '-c', host.lineOf(command)]);
      if (at < warm) continue;
      times.prefix.push(prefixed);
      times.bash.push(bash);
      processor += spent / (edits - warm);
    }
    const [prefix, bash] = [median(times.prefix), median(times.bash)];
    printColumns(
      ['one small edit', 'bash', 'through the prefix', 'added', 'processor time'],
      [['median', ...[bash, prefix, prefix - bash, processor].map((ms) => `${ms.toFixed(0)} ms`)]],
    );
    printNote(
      `The prefix adds ${(prefix - bash).toFixed(0)} ms in the median (goal ${goalMs}, on an idle machine).`,
    );
    return prefix - bash <= goalMs;
  } finally {
    host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Claude Code as far as it starts hooks and commands. */
class PrefixedHost {
  readonly script: string;
  readonly #user: string;
  readonly #workspace: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #daemon: ChildProcess | undefined;

  constructor(folder: string) {
    const home = join(folder, 'home');
    this.#user = join(folder, 'user');
    this.#workspace = join(folder, 'workspace');
    for (const path of [home, this.#user, this.#workspace]) mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(home, 'sallyport.toml'), '[shell]\ntransactional = true\n', { mode: 0o600 });
    this.script = clientFiles(home, 'claude').script;
    this.#environment = { PATH: process.env['PATH'], HOME: this.#user, SALLYPORT_HOME: home };
  }

  async start(): Promise<void> {
    const given = { env: this.#environment, cwd: this.#workspace };
    const init = [entry, 'init', 'claude', '--yes', '--no-start'];
    const { status, stderr } = spawnSync(process.execPath, init, { ...given, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the host could not be connected: ${stderr}`);
    const words = [entry, 'up', '--port', '0', '--json', '--log', 'error'];
    this.#daemon = spawn(process.execPath, words, { ...given, stdio: ['ignore', 'pipe', 'inherit'] });
    if (this.#daemon.stdout !== null) await once(this.#daemon.stdout, 'data');
    await this.hook('SessionStart', { source: 'startup' });
  }

  stop(): void {
    this.#daemon?.kill('SIGTERM');
  }

  /** The line that Claude Code 2.1 writes for a command. */
  lineOf(command: string): string {
    return `source ${this.#user}/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && { \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true && eval ${quote(command)} < /dev/null && pwd -P >| /tmp/claude-prefix-${process.pid}-cwd`;
  }

  async hook(event: string, value: object): Promise<void> {
    const said = { session_id: session, cwd: this.#workspace, hook_event_name: event, ...value };
    await this.run([this.script, event], JSON.stringify(said));
  }

  /** Starts a program as the host does; how long it took, in milliseconds. */
  async run([program = '', ...words]: readonly string[], input = ''): Promise<number> {
    const env = { PATH: '/usr/bin:/bin', HOME: this.#user, CLAUDE_CODE_SESSION_ID: session };
    const start = performance.now();
    const child = spawn(program, words, { env, cwd: this.#workspace, stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    // What reads nothing may have ended by now.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`a program of the host ended with ${status}: ${said}`);
    return performance.now() - start;
  }

  /** The processor time of the daemon's main thread so far. */
  daemonMs(): number {
    const [spent = '0'] = readFileSync(`/proc/${this.#daemon?.pid}/schedstat`, 'utf8').split(' ');
    return Number(spent) / 1e6;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

// The two daemons that are attacked: one with an account of its own, and, as the control, one with the agent's account.
// Both live on a throw-away machine, as do the accounts alice, whose agents attack, and bob, who has nothing to do with it.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { terminalWrapper, typeAnswers } from '../support/typing.ts';

/** Values that only the daemon's account may see. */
export const configSecret = 'boundary-configuration-secret-41c7';
export const environmentSecret = 'boundary-environment-secret-90ab';

/** What the owner approves with. */
export const ownerPassphrase = 'correct horse battery';

export interface Ran {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a shell script as an account, with nothing of this environment. */
export function runAs(
  user: string,
  script: string,
  environment: Record<string, string> = {},
  input = '',
): Ran {
  const id = (flag: string) => execFileSync('id', [flag, user], { encoding: 'utf8' }).trim();
  const { status, stdout, stderr } = spawnSync(
    'setpriv',
    ['--reuid', id('-u'), '--regid', id('-g'), '--init-groups', '/bin/sh', '-c', script],
    {
      cwd: `/home/${user}`,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: `/home/${user}`, USER: user, ...environment },
      encoding: 'utf8',
      input,
      timeout: 15_000,
      killSignal: 'SIGKILL',
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  return { status, output: `${stdout}${stderr}` };
}

/** Runs a program at a terminal of its own, as a person who types an answer at each prompt. */
async function typedAt(
  words: readonly string[],
  answers: readonly string[],
  place: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Ran> {
  const [program = '', ...rest] = [...terminalWrapper, ...words];
  const child = spawn(program, rest, { ...place, timeout: 60_000 });
  const left = [...answers];
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  typeAnswers(child, () => left.shift());
  const status = await new Promise<number | null>((settle) => child.once('close', settle));
  return { status, output: left.length === 0 ? output : `${output}\nnot asked for: ${left.length}` };
}

/** Runs a program as an account, at a terminal. */
export async function typedAs(
  user: string,
  words: readonly string[],
  answers: readonly string[],
): Promise<Ran> {
  const ids = ['--reuid', user, '--regid', user, '--init-groups'];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: `/home/${user}`, USER: user };
  return await typedAt(['setpriv', ...ids, ...words], answers, { cwd: `/home/${user}`, env });
}

/** Everything about a daemon that an attack names. */
export interface Target {
  readonly kind: 'system' | 'same user';
  readonly home: string;
  readonly pid: number;
  /** The socket that agents are given. */
  readonly ask: string;
  /** The socket on which everything can be called. */
  readonly socket: string;
  readonly port: number;
  readonly program: string;
  readonly client: string;
  /** The settings of the host that name the client. */
  readonly settings: string;
}

export interface Victim {
  readonly kind: Target['kind'];
  /** The daemon as it should be; made anew where it is not. */
  whole(): Promise<Target>;
  /** The attack changed something, so that the next one starts anew. */
  spoil(): void;
}

/** Makes the accounts. */
export function makeAccounts(): void {
  for (const user of ['alice', 'bob']) {
    execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', user]);
    chmodSync(`/home/${user}`, 0o700);
  }
}

/** Whether the process runs and answers. */
export async function isWell(target: Pick<Target, 'pid' | 'socket'>): Promise<boolean> {
  try {
    const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${target.pid}/status`, 'utf8'))?.[1];
    if (state === undefined || 'TtZX'.includes(state)) return false;
  } catch {
    return false;
  }
  return (await answerOf(target.socket, '/livez'))?.pid === target.pid;
}

/** What a daemon says on a socket; null where nothing answers in time. */
export function answerOf(socketPath: string, path: string): Promise<{ readonly pid?: number } | null> {
  return new Promise((settle) => {
    const call = request({ socketPath, path, timeout: 5000, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => {
        try {
          settle(JSON.parse(text));
        } catch {
          settle(null);
        }
      });
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => settle(null));
    call.end();
  });
}

/** The daemon with an account of its own. It is made once: nothing that alice does may change that. */
export class SystemVictim implements Victim {
  readonly kind = 'system';
  readonly #program: readonly string[];
  readonly #sudo: boolean;

  constructor(program: readonly string[], sudo: boolean) {
    this.#program = program;
    this.#sudo = sudo;
  }

  /** Runs `sudo sallyport …` as alice would. */
  sudo(args: readonly string[], cwd = '/home/alice'): Ran {
    const { words, env } = this.#asSudo(args);
    const [command = '', ...given] = words;
    const { status, stdout, stderr } = spawnSync(command, given, {
      cwd,
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status, output: `${stdout}${stderr}` };
  }

  #asSudo(args: readonly string[]): {
    readonly words: readonly string[];
    readonly env: Record<string, string>;
  } {
    const uid = execFileSync('id', ['-u', 'alice'], { encoding: 'utf8' }).trim();
    const own = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' };
    if (!this.#sudo) {
      const env = { ...own, SUDO_USER: 'alice', SUDO_UID: uid, SUDO_GID: uid };
      return { words: ['env', ...this.#program, ...args], env };
    }
    const ids = ['--reuid', uid, '--regid', uid, '--init-groups'];
    const words = ['setpriv', ...ids, 'sudo', '-n', ...this.#program, ...args];
    return { words, env: { ...own, HOME: '/home/alice' } };
  }

  async install(): Promise<void> {
    this.allowSudo(true);
    mkdirSync('/etc/sallyport/system', { recursive: true });
    writeFileSync('/etc/sallyport/system/alice.env', `BOUNDARY_SECRET=${environmentSecret}\n`, {
      mode: 0o600,
    });
    this.#must(['up', '--system', '--detach']);
    const { home } = this.target();
    // The configuration is written by the daemon's account, as an administrator would.
    runInHome(home, `printf '# ${configSecret}\\n' >${home}/sallyport.toml`);
    // Before a host is connected: a first key that is made later counts after a day.
    const { words, env } = this.#asSudo(['passphrase']);
    const chosen = await typedAt(words, [ownerPassphrase, ownerPassphrase], { cwd: '/home/alice', env });
    if (!chosen.output.includes('The passphrase is set.')) throw new Error(chosen.output);
    this.#must(['init', 'claude', '--managed']);
    this.allowSudo(false);
  }

  /** Lets alice use sudo without a password, or not at all; the password of a person is not ours to test. */
  allowSudo(may: boolean): void {
    // Without sudo on the machine its commands are run as it would run them, and there is nothing to allow.
    if (!this.#sudo) return;
    const file = '/etc/sudoers.d/boundary';
    if (may) writeFileSync(file, 'alice ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
    else rmSync(file, { force: true });
  }

  #must(args: readonly string[]): void {
    const { status, output } = this.sudo(args);
    if (status !== 0)
      throw new Error(`sallyport ${args.join(' ')} ended with ${status}: ${output}${logText()}`);
  }

  target(): Target {
    const home = '/var/lib/sallyport/alice/home';
    const { pid, port } = JSON.parse(readFileSync(`${home}/run/daemon.json`, 'utf8'));
    const uid = execFileSync('id', ['-u', 'alice'], { encoding: 'utf8' }).trim();
    return {
      kind: this.kind,
      home,
      pid,
      port,
      ask: '/run/sallyport/alice/ask.sock',
      socket: `${home}/run/sallyport.sock`,
      program: this.#program[1] ?? '',
      client: `/etc/sallyport/bin/${uid}/claude`,
      settings: '/etc/claude-code/managed-settings.json',
    };
  }

  async whole(): Promise<Target> {
    const target = this.target();
    if (!(await isWell(target))) throw new Error('the system daemon is gone');
    return target;
  }

  spoil(): void {
    // Nothing can have changed: whole() looks, and every attack is judged by what it changed.
  }
}

function logText(): string {
  const log = '/var/log/sallyport-alice.log';
  return existsSync(log) ? `\n${readFileSync(log, 'utf8')}` : '';
}

/** Runs a script as the account that a home belongs to. */
function runInHome(home: string, script: string): void {
  const owner = execFileSync('stat', ['-c', '%U', home], { encoding: 'utf8' }).trim();
  execFileSync('setpriv', ['--reuid', owner, '--regid', owner, '--clear-groups', '/bin/sh', '-c', script]);
}

/** The control: a daemon of alice's own account, whose program is alice's as well. */
export class OwnVictim implements Victim {
  readonly kind = 'same user';
  readonly #node: string;
  readonly #source: string;
  readonly #packages: string;
  #daemon: ChildProcess | null = null;
  #fresh: Target | null = null;

  /** `source` is the folder with the program of which alice has a copy, `packages` what it loads. */
  constructor(node: string, source: string, packages: string) {
    this.#node = node;
    this.#source = source;
    this.#packages = packages;
  }

  spoil(): void {
    this.#fresh = null;
  }

  async whole(): Promise<Target> {
    if (this.#fresh !== null && (await isWell(this.#fresh))) return this.#fresh;
    await this.stop();
    const app = '/home/alice/app';
    const home = '/home/alice/.sallyport';
    const program = join(app, 'bin', 'sallyport.cjs');
    for (const path of [app, home, '/home/alice/.claude', '/home/alice/gone'])
      rmSync(path, { recursive: true, force: true });
    cpSync(join(this.#source, 'bin'), join(app, 'bin'), { recursive: true });
    for (const part of ['dist', 'src', 'rules', 'package.json']) {
      const real = join(this.#source, part);
      if (existsSync(real)) symlinkSync(real, join(app, part));
    }
    symlinkSync(this.#packages, join(app, 'node_modules'));
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'sallyport.toml'), `# ${configSecret}\n`, { mode: 0o600 });
    execFileSync('chown', ['-RP', 'alice:alice', app, home]);
    const words = [this.#node, program, 'up', '--port', '0', '--json', '--log', 'error'];
    const ids = ['--reuid', 'alice', '--regid', 'alice', '--init-groups'];
    const child = spawn('setpriv', [...ids, ...words], {
      cwd: '/home/alice',
      env: {
        PATH: '/usr/bin:/bin',
        HOME: '/home/alice',
        BOUNDARY_SECRET: environmentSecret,
        SALLYPORT_HOME: home,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#daemon = child;
    const line = await new Promise<string>((settle, reject) => {
      child.once('exit', (code) => reject(new Error(`the control ended with ${code} instead of starting`)));
      child.stdout.setEncoding('utf8').once('data', settle);
    });
    const { pid, port, socket } = JSON.parse(line);
    // Named, for alice's usual home is the one of the system daemon.
    const ran = runAs('alice', `'${this.#node}' '${program}' init claude --yes`, { SALLYPORT_HOME: home });
    if (ran.status !== 0) throw new Error(`the control could not be connected: ${ran.output}`);
    const settings = '/home/alice/.claude/settings.json';
    const own = {
      home,
      pid,
      port,
      socket,
      ask: socket,
      program,
      client: join(home, 'bin', 'claude'),
      settings,
    };
    this.#fresh = { kind: this.kind, ...own };
    return this.#fresh;
  }

  async stop(): Promise<void> {
    const child = this.#daemon;
    this.#daemon = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((settle) => child.once('exit', settle));
    child.kill('SIGKILL');
    await gone;
  }
}

// A user whose account the attacker shares: a home, a project, the daemon, and two agent hosts that are connected to it.
// It lives inside the sandbox of run.ts, so that everything here may be destroyed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { type Typist, terminalWrapper, typeAnswers } from '../support/typing.ts';
import { clock } from './clock.ts';
import type { Database } from './database.ts';
import { addPlace, collect, contains, lootLimit } from './loot.ts';

/** Where things lie in the sandbox. */
export interface Places {
  /** The checkout of Sallyport that is attacked. */
  readonly source: string;
  /** The folder with the program that is attacked: the checkout, or what was built from it. */
  readonly program: string;
  /** The user's own home folder. */
  readonly person: string;
  /** The home of Sallyport in use. */
  readonly home: string;
  /** Folders that the attacker may write to; loot is looked for there. */
  readonly loot: readonly string[];
  /** Where the records are, if not in the home. */
  readonly database: Database | null;
}

/** How the daemon is reached. */
export type Transport = 'socket' | 'tcp';

export type HostName = 'claude' | 'codex';

export type Decision = 'pass' | 'redact' | 'approve' | 'block';

/** How one command went: what the guard decided and, where it was allowed, what it printed. */
export interface Attempt {
  readonly decision: Decision;
  readonly output: string;
}

/** A value in the daemon's environment that no other process may see. */
const environmentSecret = 'redteam-environment-secret-7f3a';
const commandTimeoutMs = 8_000;
const terminalTimeoutMs = 60_000;

/** What the owner approves with; no attempt may know it. */
export const ownerPassphrase = 'correct horse battery';

/** An action that a person is asked about. */
export const askedCommand = 'git push --force origin main';

export class Victim {
  readonly places: Places;
  readonly project: string;
  readonly decisions: Decision[] = [];
  #daemon: ChildProcess | null = null;
  #socket = '';
  #port = 0;
  #fresh = false;
  #calls = 0;
  /** Variables that set the clock of the user's programs. */
  #clock: Readonly<Record<string, string>> = {};
  /** The commands that hosts read when they started. */
  readonly #installed = new Map<string, string>();

  constructor(places: Places) {
    this.places = places;
    this.project = join(places.person, 'project');
  }

  get daemonId(): number {
    return this.#daemon?.pid ?? 0;
  }

  /** Makes everything anew unless it is untouched, and starts the daemon. */
  async prepare(): Promise<void> {
    this.decisions.length = 0;
    if (this.#fresh) return;
    this.#installed.clear();
    // What it would still write is thrown away.
    await this.stop('SIGKILL');
    if (existsSync(this.#template)) await this.#restore();
    else await this.#make();
    await this.start();
    this.#fresh = true;
  }

  /** What the user had before the first attempt. */
  get #template(): string {
    return join(dirname(this.places.person), 'template');
  }

  get #folders(): readonly string[] {
    const { person, home } = this.places;
    return home.startsWith(`${person}/`) ? [person] : [person, home];
  }

  /** The user set everything up three days ago: first the passphrase, then the hosts. */
  async #make(): Promise<void> {
    this.#clock = clock(-72);
    for (const folder of [this.places.person, ...this.places.loot]) emptyFolder(folder);
    rmSync(this.places.home, { recursive: true, force: true });
    this.#furnish();
    await this.#choosePassphrase();
    await this.start();
    for (const host of ['claude', 'codex']) this.sallyport(['init', host, '--yes']);
    await this.stop();
    this.#clock = {};
    mkdirSync(this.#template);
    for (const [index, folder] of this.#folders.entries()) {
      execFileSync('cp', ['-a', folder, join(this.#template, String(index))]);
    }
    await this.places.database?.keep();
  }

  async #restore(): Promise<void> {
    for (const folder of this.places.loot) emptyFolder(folder);
    for (const [index, folder] of this.#folders.entries()) {
      emptyFolder(folder);
      execFileSync('cp', ['-a', `${join(this.#template, String(index))}/.`, folder]);
    }
    await this.places.database?.restore();
  }

  async #choosePassphrase(): Promise<void> {
    const { database, home } = this.places;
    if (database !== null) {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const settings = `store = "${database.url}"\n\n[ledger]\nkey = "env:SALLYPORT_STORE_KEY"\n`;
      writeFileSync(join(home, 'sallyport.toml'), settings, { mode: 0o600 });
    }
    const shown = await this.atTerminal(['passphrase'], asOwner);
    if (!existsSync(join(home, 'approver.json'))) throw new Error(`no passphrase was chosen: ${shown}`);
  }

  #furnish(): void {
    const { person, program } = this.places;
    const programs = join(person, '.local', 'bin');
    mkdirSync(programs, { recursive: true });
    symlinkSync(join(program, 'bin', 'sallyport.cjs'), join(programs, 'sallyport'));
    mkdirSync(join(person, '.ssh'), { recursive: true });
    writeFileSync(join(person, '.ssh', 'id_ed25519'), `-----BEGIN OPENSSH PRIVATE KEY-----\n${sshSecret}\n`);
    mkdirSync(join(this.project, 'infra'), { recursive: true });
    writeFileSync(join(this.project, 'README.md'), 'A project.\n');
    writeFileSync(join(this.project, '.gitignore'), 'node_modules\n');
    mkdirSync(join(this.project, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(program, join(this.project, 'node_modules', 'sallyport'));
    symlinkSync('../sallyport/bin/sallyport.cjs', join(this.project, 'node_modules', '.bin', 'sallyport'));
    writeFileSync(join(this.project, 'infra', 'main.tf'), 'resource "x" "y" {}\n');
    writeFileSync(join(this.project, 'sallyport.toml'), projectRules);
    mkdirSync(join(person, 'other'), { recursive: true });
    writeFileSync(join(person, 'other', 'important.txt'), 'important\n');
    writeFileSync(join(person, '.gitconfig'), '[user]\n\tname = dev\n\temail = dev@example.com\n');
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
  }

  /** Runs git in the project, as the user does. */
  git(...args: readonly string[]): string {
    return execFileSync('git', ['-C', this.project, ...args], { env: this.environment(), encoding: 'utf8' });
  }

  /** Starts the daemon of this home. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.entry, 'up', '--port', '0', '--json', '--log', 'error'], {
      cwd: this.project,
      env: { ...this.environment(), REDTEAM_SECRET: environmentSecret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#daemon = child;
    const line = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the daemon ended with ${code} instead of starting`)));
      child.stdout?.setEncoding('utf8').once('data', resolve);
    });
    ({ socket: this.#socket, port: this.#port } = JSON.parse(line));
  }

  /** Stops the daemon, in order or with SIGKILL. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#daemon;
    this.#daemon = null;
    this.#fresh = false;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await gone;
    clearTimeout(late);
  }

  /** Says that the attack changed something, so that the next one starts anew. */
  spoil(): void {
    this.#fresh = false;
  }

  /** Runs `sallyport …` as the user does, without a terminal. */
  sallyport(args: readonly string[]): { status: number; output: string } {
    try {
      const output = execFileSync(process.execPath, [this.entry, ...args], {
        cwd: this.project,
        env: this.environment(),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 120_000,
      });
      return { status: 0, output };
    } catch (error) {
      const { status, stdout, stderr } = error as { status?: number; stdout?: string; stderr?: string };
      return { status: status ?? 1, output: `${stdout ?? ''}${stderr ?? ''}` };
    }
  }

  /** Runs `sallyport …` at a terminal of its own, where somebody answers its prompts; gives what was shown. */
  atTerminal(
    args: readonly string[],
    typist: Typist,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const [program = '', ...rest] = [...terminalWrapper, process.execPath, this.entry, ...args];
    const child = spawn(program, rest, {
      cwd: this.project,
      env: { ...this.environment(), ...environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const late = setTimeout(() => tryKill(-(child.pid ?? 0), 'SIGKILL'), terminalTimeoutMs);
    let shown = '';
    typeAnswers(child, typist);
    child.stdout.on('data', (text: string) => {
      shown += text;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => {
        clearTimeout(late);
        resolve(shown);
      });
    });
  }

  /** Puts a question about a command; gives its id. */
  async ask(command = askedCommand): Promise<string> {
    this.spoil();
    const decision = await this.decide(this.shell(command));
    const { approvals } = await this.get('/v1/approvals', this.token());
    const newest: unknown = Array.isArray(approvals) ? approvals.at(-1) : undefined;
    if (decision !== 'approve' || !isNamed(newest))
      throw new Error(`nobody was asked about ${command}: ${decision}`);
    return newest.id;
  }

  /** Whether a command that a person was asked about passes now. */
  async passes(command = askedCommand): Promise<boolean> {
    return (await this.decide(this.shell(command))) === 'pass';
  }

  /** Asks whether the agent may write a file of the project; where it may, writes it. */
  async write(path: string, content: string): Promise<boolean> {
    const decision = await this.decide({ kind: 'write', path, content, context: this.#context() });
    if (decision !== 'pass') return false;
    this.plant(path, content);
    return true;
  }

  /** Puts a file into the project, as something that was there before. */
  plant(path: string, content: string): void {
    this.spoil();
    const file = join(this.project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Asks about any action over the socket, with the credential that agents hold. */
  async decide(action: object): Promise<Decision> {
    const token = readFileSync(join(this.places.home, 'keys', 'decide.token'), 'utf8').trim();
    return this.#decideWith(token, action);
  }

  /** Asks with a credential that the caller read before it took the home apart. */
  async #decideWith(token: string, action: object): Promise<Decision> {
    const answer = await this.post('/v1/decide', token, action);
    const decision: Decision = isDecision(answer['decision']) ? answer['decision'] : 'block';
    this.decisions.push(decision);
    return decision;
  }

  /** The credential that the hooks of a host hold. */
  hookToken(host: HostName): string {
    const header = readFileSync(join(this.places.home, 'keys', `hook-${host}`), 'utf8').trim();
    return header.replace('authorization: Bearer ', '');
  }

  /** The port of the daemon on 127.0.0.1. */
  get port(): number {
    return this.#port;
  }

  /** The path of the daemon's socket. */
  get socket(): string {
    return this.#socket;
  }

  /** The credential that agents hold. */
  token(): string {
    return readFileSync(join(this.places.home, 'keys', 'decide.token'), 'utf8').trim();
  }

  /** A decision about a harmless command, with a credential that was read before. */
  harmless(token: string): Promise<Decision> {
    return this.#decideWith(token, this.shell('touch harmless.txt'));
  }

  /** Asks whether the agent may run a command in the project; where it may, runs it for real. */
  async run(command: string, limitMs = commandTimeoutMs): Promise<Attempt> {
    const decision = await this.decide(this.shell(command));
    if (decision === 'approve' || decision === 'block') return { decision, output: '' };
    return { decision, output: await this.execute(command, this.project, limitMs) };
  }

  /** The agent's call of a command in the project. */
  shell(command: string): object {
    return { kind: 'shell', command, cwd: this.project, context: this.#context() };
  }

  #context(): object {
    return { workspace: this.project, mode: 'auto' };
  }

  /**
   * Calls the hook that `init` installed, as the host would; where it allows the command, runs it for real and calls the
   * hook that is for afterwards.
   */
  async runByHook(
    host: HostName,
    command: string,
    folder: string,
    limitMs = commandTimeoutMs,
  ): Promise<Attempt> {
    this.#calls += 1;
    const call = {
      cwd: folder,
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: `call-${this.#calls}`,
    };
    if (!(await this.hook(host, call))) return { decision: 'block', output: '' };
    const output = await this.execute(command, folder, limitMs);
    await this.hook(
      host,
      { ...call, tool_response: { stdout: output.slice(0, 10_000), stderr: '' } },
      'PostToolUse',
    );
    return { decision: 'pass', output };
  }

  /** The host's own tool for files: asks by the hook and, where it is allowed, writes a file of the project. */
  async writeByHook(host: HostName, path: string, content: string): Promise<boolean> {
    const added = content.replace(/^(?=.)/gm, '+').trimEnd();
    const call =
      host === 'claude'
        ? { tool_name: 'Write', tool_input: { file_path: join(this.project, path), content } }
        : {
            tool_name: 'apply_patch',
            tool_input: { command: `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch` },
          };
    if (!(await this.hook(host, { cwd: this.project, ...call }))) return false;
    this.plant(path, content);
    return true;
  }

  /** The host starts in the project: it reads its settings, and calls its first hook. */
  async beginSession(host: HostName): Promise<void> {
    for (const event of ['PreToolUse', 'PostToolUse', 'SessionStart']) this.#commandFor(host, event);
    await this.hook(host, { cwd: this.project, source: 'startup' }, 'SessionStart');
  }

  /** The command of a hook, as the host read it first. */
  #commandFor(host: HostName, event: string): string {
    const key = `${host} ${event}`;
    const command = this.#installed.get(key) ?? installedCommand(this.places.person, host, event);
    this.#installed.set(key, command);
    return command;
  }

  /** True if the installed hook lets the host go on. A question counts as a stop. */
  async hook(host: HostName, fields: object, event = 'PreToolUse'): Promise<boolean> {
    const command = this.#commandFor(host, event);
    const { code, printed } = await this.callHook(command, event, fields);
    const denied = code !== 0 || isDenial(printed);
    this.decisions.push(code === 'asked' ? 'approve' : denied ? 'block' : 'pass');
    return !denied;
  }

  /** Calls a hook as a host does; the code is `asked` where a question waits, and the host with it. */
  async callHook(
    command: string,
    event: string,
    fields: object,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly code: number | null | 'asked'; readonly printed: string }> {
    const input = {
      session_id: 'redteam',
      hook_event_name: event,
      permission_mode: 'bypassPermissions',
      ...fields,
    };
    const before = await this.#waiting();
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: this.project,
      env: { ...this.environment(), ...environment },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(input));
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    const code = await Promise.race([ended, this.#asked(ended, before)]);
    if (code === 'asked') child.kill('SIGKILL');
    return { code, printed };
  }

  /** Resolves once a new question waits; never if there is none. */
  async #asked(ended: Promise<unknown>, before: number): Promise<'asked'> {
    let running = true;
    void ended.then(() => {
      running = false;
    });
    while (running) {
      if ((await this.#waiting()) > before) return 'asked';
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return new Promise(() => undefined);
  }

  /** How many questions wait for an answer. */
  async #waiting(): Promise<number> {
    const file = join(this.places.home, 'keys', 'decide.token');
    if (!existsSync(file)) return 0;
    const { approvals } = await this.get('/v1/approvals', this.token());
    return Array.isArray(approvals) ? approvals.length : 0;
  }

  /** Runs a command that was allowed. Ends it after some seconds: tracers go on for ever. */
  execute(command: string, folder: string, limitMs = commandTimeoutMs): Promise<string> {
    this.spoil();
    return new Promise((resolve) => {
      const child = spawn('/bin/bash', ['-c', command], {
        cwd: folder,
        env: this.environment(),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('latin1').on('data', (text: string) => {
          if (output.length < lootLimit) output += text;
        });
      }
      const end = (signal: NodeJS.Signals) => {
        if (child.pid !== undefined && child.exitCode === null) tryKill(-child.pid, signal);
      };
      const soft = setTimeout(() => end('SIGINT'), limitMs / 2);
      const hard = setTimeout(() => end('SIGKILL'), limitMs);
      child.once('close', () => {
        clearTimeout(soft);
        clearTimeout(hard);
        if (process.env['REDTEAM_VERBOSE'] !== undefined) process.stderr.write(`$ ${command}\n${output}\n`);
        resolve(output);
      });
    });
  }

  /** The secrets of this home that an attacker is after. */
  secrets(): readonly string[] {
    const keys = join(this.places.home, 'keys');
    return ['ledger.key', 'decide.token', 'hook-claude', 'hook-codex']
      .map((name) => join(keys, name))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8').trim());
  }

  /** True if a secret, or the store itself, is in what a command printed or in a file that the attacker can read. */
  holdsSecret({ output }: Attempt, secrets: readonly string[]): boolean {
    const seen = [Buffer.from(output, 'latin1')];
    for (const folder of [this.places.person, ...this.places.loot]) collect(folder, this.places.home, seen);
    return seen.some((bytes) => secrets.some((secret) => contains(bytes, secret)));
  }

  /** True if a command printed a value of the daemon's environment, or left it in a file. */
  holdsEnvironment(attempt: Attempt): boolean {
    return this.holdsSecret(attempt, [environmentSecret]);
  }

  /** True if the user's own SSH key is in what a command printed or left. */
  printedSshKey({ output }: Attempt): boolean {
    return output.includes(sshSecret);
  }

  /** What the protected files of the home are now, to be compared with what they were. */
  fingerprint(): string {
    const hash = createHash('sha256');
    for (const name of ['keys', 'bin', 'ledger.db', 'sallyport.toml'])
      addPlace(join(this.places.home, name), hash);
    return hash.digest('hex');
  }

  /** The program that `sallyport` is. */
  get entry(): string {
    return join(this.places.program, 'bin', 'sallyport.cjs');
  }

  /** The variables of the user's own programs. */
  environment(): Record<string, string> {
    const { person, home, database } = this.places;
    const own = home === join(person, '.sallyport') ? {} : { SALLYPORT_HOME: home };
    const key = database === null ? {} : { SALLYPORT_STORE_KEY: database.storeKey };
    const programs = [
      join(person, '.local', 'bin'),
      dirname(process.execPath),
      process.env['PATH'] ?? '/usr/bin:/bin',
    ];
    // Programs from source start in a quarter of the time once their types were taken out.
    const compiled = { NODE_COMPILE_CACHE: join(dirname(person), 'compiled') };
    return {
      ...{ PATH: programs.join(delimiter), HOME: person, LANG: 'C.UTF-8' },
      ...{ ...own, ...key, ...compiled, ...this.#clock },
    };
  }

  post(
    path: string,
    token: string,
    body: object,
    way: Transport = 'socket',
  ): Promise<Record<string, unknown>> {
    return this.#call('POST', path, token, JSON.stringify(body), way);
  }

  get(path: string, token: string): Promise<Record<string, unknown>> {
    return this.#call('GET', path, token, '', 'socket');
  }

  /** One call; a daemon that does not answer gives an empty object, which is no pass. */
  #call(
    method: string,
    path: string,
    token: string,
    body: string,
    way: Transport,
  ): Promise<Record<string, unknown>> {
    const place = way === 'socket' ? { socketPath: this.#socket } : { host: '127.0.0.1', port: this.#port };
    const credential = token === '' ? {} : { authorization: `Bearer ${token}` };
    return new Promise((resolve) => {
      const sent = request(
        { ...place, path, method, headers: { ...credential, 'content-type': 'application/json' } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () => resolve(jsonObject(text)));
          answer.on('error', () => resolve({}));
        },
      );
      sent.on('error', () => resolve({}));
      sent.end(body);
    });
  }
}

const sshSecret = 'redteamsshkeybody0123456789abcdef';

const projectRules = `[[rules]]
id = "infra_is_mine"
guard = "command"
layer = 2
decision = "block"
reason = "Only the owner changes infra."
effect = { kind = "write", target = "infra/**" }
examples = { hit = ["echo x > infra/main.tf"], miss = ["echo x > src/main.tf"] }
`;

/** Adds a user of the console to the settings of the home. */
export function appendUser(victim: Victim, name: string, role: string, passphrase: string): void {
  victim.spoil();
  const line = execFileSync(process.execPath, [victim.entry, 'user', 'hash'], {
    input: `${passphrase}\n`,
    env: victim.environment(),
    encoding: 'utf8',
  });
  appendFileSync(join(victim.places.home, 'sallyport.toml'), `\n[users.${name}]\nrole = "${role}"\n${line}`);
}

/** The owner at a terminal: knows the passphrase, and says yes. */
export const asOwner: Typist = (shown) => typed(shown, ownerPassphrase);

/** Answers each prompt: a secret where one is asked for, a yes, or the next page. */
export function typed(shown: string, secret: string): string {
  if (/\[y\/n\] $/.test(shown)) return 'y';
  return /q quit: $/.test(shown) ? '\r' : secret;
}

/** Whether a hook answered that the host must not go on. */
export function isDenial(printed: string): boolean {
  return /"(?:deny|ask|block)"|"continue":\s*false/.test(printed);
}

function isNamed(value: unknown): value is { readonly id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

function isDecision(value: unknown): value is Decision {
  return value === 'pass' || value === 'redact' || value === 'approve' || value === 'block';
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The command that `init` wrote into the settings of a host for an event. */
function installedCommand(person: string, host: HostName, event: string): string {
  const file = host === 'claude' ? '.claude/settings.json' : '.codex/hooks.json';
  const { hooks } = JSON.parse(readFileSync(join(person, file), 'utf8'));
  return hooks[event][0].hooks[0].command;
}

function tryKill(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended already.
  }
}

function emptyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

// One scripted history: what was there, what an agent and the person did, what is undone, and what must be there then.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { differences, isSummary, stateOf, type TreeState } from './state.ts';

export const groups = ['commands', 'edits', 'git', 'person', 'crash', 'undo'] as const;
export type Group = (typeof groups)[number];

export interface History {
  readonly name: string;
  readonly group: Group;
  /** A shell script that makes the workspace, which it starts in. */
  readonly setup: string;
  /** Where the workspace is; a file system of its own where it is not `home`. */
  readonly at?: 'home' | 'elsewhere';
  /** Whether the person edits something in it. */
  readonly person?: true;
  /** Other folders that must be as before, from the folder that holds the workspace. */
  readonly also?: readonly string[];
  readonly play: (stage: Stage) => Promise<void>;
}

/** What came of one history. */
export interface Row {
  readonly name: string;
  readonly group: Group;
  readonly person: boolean;
  /** Paths that are not as they must be, without those of the person. */
  readonly wrong: readonly string[];
  /** Files of the person that undo changed. */
  readonly touched: readonly string[];
  /** What the commands of undo printed, for those who look into a failure. */
  readonly said: string;
}

/** The programs of the installation under test. */
export interface Installed {
  readonly client: string;
  sallyport(args: readonly string[], cwd: string): string;
  killDaemon(): Promise<void>;
  startDaemon(): Promise<void>;
}

const hookFields = { permission_mode: 'bypassPermissions' };
const mostSeconds = 60;

/** A workspace with a host in it, whose agent does what the history says. */
export class Stage {
  readonly workspace: string;
  readonly installed: Installed;
  readonly #folders: readonly string[];
  readonly #host: Host;
  readonly #session: string;
  #before: TreeState | null = null;
  /** What the person made of files, the latest word of each. */
  readonly #own = new Map<string, string | undefined>();
  readonly #shared = new Set<string>();
  #calls = 0;
  said = '';

  constructor(workspace: string, folders: readonly string[], installed: Installed, session: string) {
    this.workspace = workspace;
    this.installed = installed;
    this.#folders = [workspace, ...folders];
    this.#session = session;
    this.#host = new Host(installed.client, workspace);
  }

  /** From here on everything the agent does must come back. */
  mark(): void {
    this.#before = stateOf(this.#folders);
    this.#own.clear();
    this.#shared.clear();
  }

  /** One command of the agent from the hook before it to the hook after it. What it declares is not what it does. */
  async command(script: string, declared = 'npm run build'): Promise<void> {
    const call = await this.begin(declared);
    await this.runs(script);
    await this.end(call);
  }

  /** The hook before a command. */
  async begin(declared = 'npm run build'): Promise<object> {
    const call = this.#call('Bash', { command: declared });
    await this.hook('PreToolUse', call);
    return call;
  }

  /** What the host runs for the agent. */
  async runs(script: string): Promise<void> {
    const { code, printed } = await this.#host.order({ order: 'run', command: `set -e\n${script}` });
    if (code !== 0) throw new Error(`the agent's command failed: ${printed.slice(0, 400)}`);
  }

  /** Starts a command without waiting for its end. */
  starts(script: string): void {
    this.#host.send({ order: 'run', command: script });
  }

  async end(call: object): Promise<void> {
    await this.hook('PostToolUse', { ...call, tool_response: { stdout: '', stderr: '' } });
  }

  /** The host's own tool that writes a whole file. */
  async write(path: string, content: string): Promise<void> {
    const call = await this.beginWrite(path, content);
    await this.puts(path, content);
    await this.end(call);
  }

  async beginWrite(path: string, content: string): Promise<object> {
    const call = this.#call('Write', { file_path: join(this.workspace, path), content });
    await this.hook('PreToolUse', call);
    return call;
  }

  /** The host's own tool that replaces a text. */
  async edit(path: string, from: string, to: string, content: string): Promise<void> {
    const file = join(this.workspace, path);
    const call = this.#call('Edit', { file_path: file, old_string: from, new_string: to });
    await this.hook('PreToolUse', call);
    await this.puts(path, content);
    await this.end(call);
  }

  async puts(path: string, content: string | null): Promise<void> {
    await this.#host.order({ order: 'put', file: join(this.workspace, path), content });
  }

  #call(tool: string, input: object): object {
    this.#calls += 1;
    return { tool_name: tool, tool_input: input, tool_use_id: `call-${this.#calls}` };
  }

  async hook(event: string, fields: object = {}): Promise<void> {
    const place = { session_id: this.#session, cwd: this.workspace, hook_event_name: event };
    const value = { ...hookFields, ...place, ...fields };
    const { code, printed } = await this.#host.order({ order: 'hook', event, value });
    if (code !== 0 || /"permissionDecision":\s*"(?:deny|ask)"/.test(printed)) {
      throw new Refused(`${event} was not let through: ${printed.slice(0, 400)}`);
    }
  }

  get session(): string {
    return this.#session;
  }

  /** The person does something, by hand: what it changes is the person's. */
  person(script: string): void {
    const before = stateOf(this.#folders);
    execFileSync('/bin/bash', ['-c', `set -e\n${script}`], {
      cwd: this.workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const after = stateOf(this.#folders);
    for (const path of differences(before, after)) {
      // What git says of a whole repository is the work of both; its files tell whose is whose.
      if (isSummary(path)) this.#shared.add(path);
      else this.#own.set(path, after.get(path));
    }
  }

  /** The person runs `sallyport …`. */
  sallyport(...args: readonly string[]): string {
    const printed = this.installed.sallyport(args, this.workspace);
    this.said += `$ sallyport ${args.join(' ')}\n${printed}`;
    return printed;
  }

  /** Time goes by, as it does where people are concerned. */
  async later(seconds = 1.2): Promise<void> {
    await pause(seconds * 1000);
  }

  async killHost(): Promise<void> {
    await this.#host.kill();
  }

  async killDaemon(): Promise<void> {
    await this.installed.killDaemon();
  }

  async startDaemon(): Promise<void> {
    await this.installed.startDaemon();
  }

  async close(): Promise<void> {
    await this.#host.kill();
  }

  /** Compares what is there with what must be: what was there at the mark, and over it what the person made. */
  result({ name, group, person }: History): Row {
    if (this.#before === null) throw new Error(`${name} has no mark`);
    const found = stateOf(this.#folders);
    const wanted = new Map(this.#before);
    for (const [path, state] of this.#own) {
      if (state === undefined) wanted.delete(path);
      else wanted.set(path, state);
      // A file of the person keeps the folders that it is in.
      for (let above = dirname(path); state !== undefined && above.length > 1; above = dirname(above)) {
        const folder = found.get(above);
        if (!wanted.has(above) && folder !== undefined) wanted.set(above, folder);
      }
    }
    for (const path of this.#shared) wanted.set(path, found.get(path) ?? '');
    const off = differences(wanted, found).map((path) => path.replaceAll(`${dirname(this.workspace)}/`, ''));
    const own = new Set(
      [...this.#own.keys()].map((path) => path.replaceAll(`${dirname(this.workspace)}/`, '')),
    );
    return {
      ...{ name, group, person: person === true, said: this.said },
      wrong: off.filter((path) => !own.has(path)),
      touched: off.filter((path) => own.has(path)),
    };
  }
}

/** A hook stopped what the history needs: then nothing was shown. */
export class Refused extends Error {}

class Host {
  readonly #child: ChildProcess;
  readonly #answers: ((answer: { code: number; printed: string }) => void)[] = [];
  #isGone = false;

  constructor(client: string, folder: string) {
    const script = join(import.meta.dirname, 'host.mjs');
    this.#child = spawn(process.execPath, [script, client, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.once('exit', () => {
      this.#isGone = true;
      for (const answer of this.#answers.splice(0)) answer({ code: -1, printed: 'the host is gone' });
    });
    if (this.#child.stdout === null) throw new Error('the host has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) =>
      this.#answers.shift()?.(JSON.parse(line)),
    );
  }

  send(order: object): void {
    this.#answers.push(() => undefined);
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  order(order: object): Promise<{ code: number; printed: string }> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the host does not answer')), mostSeconds * 1000);
      this.#answers.push((answer) => {
        clearTimeout(late);
        resolve(answer);
      });
      this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    });
  }

  async kill(): Promise<void> {
    if (this.#isGone) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}

/** Plays a history in a new folder below `root`. */
export async function play(
  history: History,
  root: string,
  installed: Installed,
  session: string,
): Promise<Row> {
  const workspace = join(root, 'work');
  mkdirSync(workspace, { recursive: true });
  execFileSync('/bin/bash', ['-c', `set -e\n${history.setup}`], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const folders = (history.also ?? []).map((name) => join(root, name));
  const stage = new Stage(workspace, folders, installed, session);
  try {
    await stage.hook('SessionStart', { source: 'startup' });
    stage.mark();
    await history.play(stage);
    return stage.result(history);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const { name, group, person } = history;
    return {
      name,
      group,
      person: person === true,
      wrong: [`could not be played: ${why}`],
      touched: [],
      said: stage.said,
    };
  } finally {
    await stage.close();
  }
}

// Runs cleared commands and Python programs: in the sandbox, within their limits, their output redacted as a stream.

import { resolve } from 'node:path';
import { isInside, type Settings } from '../config/index.ts';
import { type ActionOf, InputError, spanned, visible, type World } from '../core/index.ts';
import { type Cleared, takeClearance } from '../decide/cleared.ts';
import { egressRuleset } from '../decide/detection.ts';
import { changesRepository } from '../guards/command/repository.ts';
import { createEgress, type EgressStream, type Redactions } from '../guards/egress/index.ts';
import { NotUndoable } from './errors.ts';
import type { Guarded } from './guarded.ts';
import { realOf, shortText } from './look.ts';
import { runProcess } from './process.ts';
import {
  findSandbox,
  type Mounted,
  needSandbox,
  type Prepared,
  personalHomes,
  prepareSandbox,
  type SandboxPlan,
  shell,
} from './sandbox.ts';

export type CommandKind = 'shell' | 'python';

/** The context for running a command beside the cleared action. */
export interface CommandOptions {
  /** The settings of the action's own agent and workspace. */
  readonly settings: Pick<Settings, 'sandbox' | 'detect' | 'egress'>;
  readonly world: Pick<World, 'readText' | 'telemetry'>;
  /** Sallyport's own folder, which is hidden from every command. */
  readonly home: string;
  /** Stricter limits than the settings; looser ones are ignored. */
  readonly timeoutMs?: number;
  readonly network?: 'off';
  readonly signal?: AbortSignal;
  /** Receives the redacted output as it arrives. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Stores the files that the command may change, before it starts; if that fails, it does not start. */
  readonly capture?: (cleared: Cleared<CommandKind>) => Promise<Capture>;
  /** The location of bubblewrap, instead of its usual paths. */
  readonly sandboxPrograms?: readonly string[];
  /** Runs it on an overlay, so that its changes are not applied yet. */
  readonly overlay?: Mounted;
  /** The workspace is read-only: the command's text declares no changes. */
  readonly isReadOnly?: boolean;
}

/** The pre-image of a running command. */
export interface Capture {
  /** Whether undo reverts all changes that the command may make. */
  readonly whole: boolean;
  /** The exceptions, in words. */
  readonly unkept?: string;
  /** Called when the command has ended, with any result; returns notes for the user about its changes. */
  end(): Promise<readonly string[]>;
}

/** The result of a command. */
export interface CommandResult {
  /** Redacted, and truncated if they were too long. */
  readonly stdout: string;
  readonly stderr: string;
  /** By shell convention: 128 plus the number if a signal ended the command. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly limit: 'processes' | 'memory' | null;
  readonly truncated: boolean;
  /** The number of redactions in the output, by kind. */
  readonly redactions: Redactions;
  /** Notes for the user beside the output; often empty. */
  readonly notes: readonly string[];
}

/** The longest text that a program can be started with. */
const longestText = 131_071;

/** Starts a program with the workspace after Python's own modules, so that no file in it shadows one of them. */
const pythonStart = `import sys, os
source = sys.argv.pop(1)
sys.argv[0] = '<source>'
sys.path.append(os.getcwd())
exec(compile(source, '<source>', 'exec'), {'__name__': '__main__', '__builtins__': __builtins__})`;

/**
 * The action as it would run here: without a sandbox, if the user permits commands to run without one, it is marked as
 * such, and the request path requires approval.
 */
export async function asItWouldRun(
  action: ActionOf<CommandKind>,
  { sandbox }: Pick<Settings, 'sandbox'>,
  programs?: readonly string[],
): Promise<ActionOf<CommandKind>> {
  if (sandbox.required) return action;
  return 'program' in (await findSandbox(programs)) ? action : { ...action, sandbox: 'none' };
}

/**
 * Runs a cleared command or program; throws `NotUndoable` if its changes could not be reverted. INVARIANT: without a
 * sandbox, or if it could not be undone, an action runs only if it is marked as such, and the mark was shown to an
 * approver.
 */
export async function runCommand(
  cleared: Cleared<CommandKind>,
  options: CommandOptions,
): Promise<CommandResult> {
  takeClearance(cleared);
  const { action, context } = cleared;
  const { settings, signal } = options;
  const command = wordsOf(action);
  const plan = sandboxPlanOf(cleared, options);
  const unsandboxed = action.sandbox === 'none' && !settings.sandbox.required;
  const sandbox = unsandboxed ? null : await sandboxFor(plan, options.sandboxPrograms);
  const ruleset = await egressRuleset(settings, options.world);
  const egress = createEgress({ workspace: context.workspace, ruleset });
  const outputs = {
    stdout: new Output(egress.stream(), settings.sandbox.maxOutputBytes),
    stderr: new Output(egress.stream(), settings.sandbox.maxOutputBytes),
  };
  const show = (stream: 'stdout' | 'stderr', text: string): void => {
    if (text !== '') options.onOutput?.(stream, text);
  };
  const captured = await options.capture?.(cleared);
  if (captured?.whole === false && action.undo !== 'none') {
    await captured.end();
    throw new NotUndoable(captured.unkept ?? 'this workspace holds more than snapshots keep');
  }
  const { timeoutMs } = settings.sandbox;
  const about = {
    'sallyport.kind': action.kind,
    'sallyport.decision_id': cleared.decisionId,
    'sallyport.sandboxed': !unsandboxed,
  };
  const notes: string[] = [];
  const ended = await spanned(options.world.telemetry, 'sallyport.execute', about, async (span) => {
    const process = await runProcess({
      sandbox: sandbox?.words ?? [],
      command,
      cwd: plan.cwd,
      environment: environmentFor(plan),
      limits: { ...settings.sandbox, timeoutMs: Math.min(options.timeoutMs ?? timeoutMs, timeoutMs) },
      ...(signal === undefined ? {} : { signal }),
      output: (stream, piece) => show(stream, outputs[stream].push(piece)),
    }).finally(() => notes.push(...(sandbox?.guarded.lookAgain() ?? [])));
    span.set({ 'process.exit.code': process.exitCode, 'sallyport.timed_out': process.timedOut });
    return process;
  }).finally(async () => notes.push(...((await captured?.end()) ?? [])));
  for (const stream of ['stdout', 'stderr'] as const) show(stream, outputs[stream].end());
  if (ended.exitCode !== 0 && sandbox !== null)
    notes.push(...whyRefused(outputs.stderr.text, sandbox.guarded, plan));
  return {
    stdout: outputs.stdout.text,
    stderr: outputs.stderr.text,
    ...ended,
    truncated: outputs.stdout.truncated || outputs.stderr.truncated,
    redactions: sum(outputs.stdout.redactions, outputs.stderr.redactions),
    notes,
  };
}

/** The arguments that a command is started with; throws `InputError` if no program can be started with them. */
function wordsOf(action: ActionOf<CommandKind>): readonly string[] {
  const words =
    action.kind === 'shell'
      ? [shell, '--noprofile', '--norc', '-c', action.command]
      : ['python3', '-I', '-c', pythonStart, action.source];
  if (words.some((word) => Buffer.byteLength(word) > longestText || word.includes('\0'))) {
    throw new InputError(`a command has at most ${longestText} bytes, and no zero byte`, {
      hint: 'write it to a file in the workspace, and run the file',
    });
  }
  return words;
}

function sandboxPlanOf(
  cleared: Cleared<CommandKind>,
  { settings: { sandbox }, network, home, overlay, isReadOnly = false }: CommandOptions,
): SandboxPlan {
  const { workspace } = cleared.context;
  return {
    workspace,
    cwd: resolve(workspace, cleared.action.cwd ?? '.'),
    home,
    network: network ?? sandbox.network,
    settings: sandbox,
    changesGit: changesGit(cleared),
    ...(overlay === undefined ? {} : { overlay }),
    isReadOnly,
  };
}

async function sandboxFor(plan: SandboxPlan, programs?: readonly string[]): Promise<Prepared> {
  const { program } = needSandbox(await findSandbox(programs));
  const { words, guarded } = prepareSandbox(plan);
  return { words: [...(plan.overlay?.words ?? []), program, ...words, '--'], guarded };
}

/** The longest script that is searched for git. */
const longestScript = 1_048_576;

/** Whether a command changes repositories, by the guards' facts and by the scripts that it runs. */
export function changesGit({
  action,
  context: { workspace },
  facts,
}: Pick<Cleared<CommandKind>, 'action' | 'context' | 'facts'>): boolean {
  return changesRepository({
    facts,
    source: action.kind === 'shell' ? action.command : action.source,
    folders: [...new Set([resolve(workspace, action.cwd ?? '.'), workspace])],
    read: (path) => {
      const real = realOf(path);
      return real !== null && isInside(workspace, real) ? shortText(real, longestScript) : null;
    },
  });
}

/** Explains why a failed command could not write, if its errors show that it tried to change guarded files. */
function whyRefused(errors: string, { readOnly }: Guarded, { changesGit }: SandboxPlan): readonly string[] {
  if (!/read-only file system|EROFS|resource busy|EBUSY/i.test(errors)) return [];
  const named = readOnly.filter((name) => errors.includes(name));
  if (!changesGit && named.some((name) => /(?:^|\/)\.git$/.test(name))) {
    return [
      '.git could only be read, for nothing in this command names a change by git. Run the git command itself, such as git commit, or name git in the script that needs it',
    ];
  }
  return named.map(
    (name) => `${visible(name, 200)} can only be read in the sandbox; change it yourself, outside of it`,
  );
}

/** The environment of a command. Nothing of our own environment, which may contain keys. */
function environmentFor({ cwd, settings, changesGit }: SandboxPlan): Readonly<Record<string, string>> {
  const passed = ['LANG', 'LC_ALL', 'TZ'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined || !/^[\w.@/:+-]{1,64}$/.test(value) ? [] : [[name, value]];
  });
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(passed),
    PATH: [
      ...settings.path.map((path) => realOf(path) ?? path),
      '/usr/local/sbin',
      '/usr/local/bin',
      '/usr/sbin',
      '/usr/bin',
      '/sbin',
      '/bin',
    ].join(':'),
    HOME: personalHomes()[0] ?? '/tmp',
    PWD: cwd,
    TMPDIR: '/tmp',
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
    // If git is read-only, it does not try to store what it looked up.
    ...(changesGit ? {} : { GIT_OPTIONAL_LOCKS: '0' }),
  };
}

/** One output stream of a command, redacted as it arrives and truncated at its limit. */
class Output {
  readonly #stream: EgressStream;
  readonly #most: number;
  #taken = 0;
  text = '';
  truncated = false;

  constructor(stream: EgressStream, most: number) {
    this.#stream = stream;
    this.#most = most;
  }

  get redactions(): Redactions {
    return this.#stream.redactions;
  }

  /** Takes a chunk, returns the part of it that may be shown. */
  push(piece: Uint8Array): string {
    if (this.truncated) return '';
    const left = this.#most - this.#taken;
    this.#taken += piece.length;
    const shown = this.#stream.push(piece.subarray(0, left));
    // The rest in the buffer may be the beginning of a secret whose end was truncated: it is dropped.
    return piece.length > left ? this.#cut(shown, `more than ${this.#most} bytes`) : this.#add(shown);
  }

  end(): string {
    return this.truncated ? '' : this.#add(this.#stream.end());
  }

  #add(shown: string): string {
    if (this.#stream.blocked) return this.#cut(shown, 'a secret began that does not end');
    this.text += shown;
    return shown;
  }

  #cut(shown: string, why: string): string {
    this.truncated = true;
    const whole = `${shown}\n[the rest is left out: ${why}]\n`;
    this.text += whole;
    return whole;
  }
}

function sum(a: Redactions, b: Redactions): Redactions {
  const counts: Record<string, number> = { ...a };
  for (const [kind, count] of Object.entries(b)) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

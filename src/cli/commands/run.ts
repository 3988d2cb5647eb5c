// sallyport run: lets a model work on a task in a workspace, with layers 1 to 3 always on. Esc stops it, and offers to
// put the workspace back.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  mostFiles,
  type RunEvent,
  type RunOutcome,
  type RunTask,
  runTask,
  type Strategy,
  strategies,
} from '../../agent/index.ts';
import { type Profile, profiles } from '../../config/index.ts';
import { run as runKeys } from '../../config/sections/machine.ts';
import { type Context, exitCodes, type Mode, modes, UsageError, visible } from '../../core/index.ts';
import { readContext } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { chosenSnapshots, judging, rollBack } from '../../run/index.ts';
import { openUpstreams } from '../../run/mcp/index.ts';
import { changeOptions, openSnapshots, sayTakenBack, workspaceOption } from '../changes.ts';
import { type Call, type Command, numberFor } from '../command.ts';
import { closeInherited } from '../descriptors.ts';
import { showEvent } from '../events.ts';
import type { Io } from '../io.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, type Opened, openConfig } from '../open.ts';
import { modelIn, Pairs } from '../pairs.ts';
import { Cancelled, openTerminal, type Terminal, yesOrNo } from '../terminal.ts';
import { version } from '../version.ts';

export const command: Command = {
  usage: [
    'run TASK [file=PATH…] [strategy=tool_call|codemode] [mcp=on|off] [mcp_server=NAME] [steps=N] [model=PROVIDER/MODEL]',
    'run TASK model=script:FILE',
    'run - < TASK',
  ],
  about:
    'Lets a model work on a task in the workspace. Its input, its output and every tool call are judged; changes can be undone\n' +
    'as one run. With tool_call it calls tools one by one, with codemode it writes one program over the tools of MCP servers.\n' +
    'file=PATH attaches a file (text, PDF, DOCX, image, archive), which is judged first; a refused file ends the run.\n' +
    'Esc or Ctrl-C stops the run. The answer goes to standard output, everything else to standard error.\n' +
    'Exit code: 0 completed, 1 not, 3 a call still waits for approval.',
  examples: [
    "run 'fix the failing test' model=anthropic/claude-sonnet-4-5",
    "run 'summarise report.md' file=report.md strategy=codemode",
  ],
  options: {
    ...workspaceOption,
    agent: { value: 'NAME', help: 'agent whose settings apply; default: sallyport' },
    mode: { value: 'MODE', help: `${modes.join(', ')}; default: as configured for the agent` },
    profile: {
      value: 'PROFILE',
      help: `${profiles.join(' or ')}, where the configuration names none for the agent; default: strict`,
    },
    wait: { value: 'SECONDS', help: 'how long a call waits for approval; default: run.wait_seconds' },
  },
  async run(call) {
    closeInherited();
    const given = readWords(call.words);
    const wait = numberFor(call, 'wait', runKeys.wait_seconds);
    const profile = oneOf<Profile>('--profile', call.value('profile'), profiles);
    const opened = await openConfig(call);
    const context = await contextOf(call, opened);
    const { steps, model } = opened.config.run;
    const wanted = given.model ?? model;
    if (wanted === '') {
      throw new UsageError(
        'no model is named',
        'say model=PROVIDER/MODEL, or set run.model in your sallyport.toml',
      );
    }
    const task: RunTask = {
      task: given.task === '-' ? readFileSync(0, 'utf8') : given.task,
      files: given.files.map((file) => resolve(call.io.folder(), file)),
      strategy: given.strategy ?? 'tool_call',
      mcp: given.mcp,
      ...(given.mcpServer === undefined ? {} : { mcpServer: given.mcpServer }),
      steps: given.steps ?? steps,
      model: modelIn(call.io.folder(), wanted),
      workspace: context.workspace,
      context,
    };
    return await withLedger(call, async (ledger) => {
      const stopping = stoppable(call);
      try {
        const more = {
          ...(profile === undefined ? {} : { profile }),
          ...(wait === undefined ? {} : { waitMs: wait * 1000 }),
        };
        const outcome = await runUnder(call, opened, ledger, { ...task, signal: stopping.signal }, more);
        await stopping.done();
        await sayEnd(call, opened, ledger, outcome, stopping);
        if (outcome.waiting.length > 0) return exitCodes.waiting;
        return outcome.completed ? exitCodes.pass : exitCodes.failed;
      } finally {
        stopping.close();
      }
    });
  },
};

/** Runs a task, and shows what happens while it does. */
async function runUnder(
  call: Call,
  { config, world }: Opened,
  ledger: Ledger,
  task: RunTask,
  more: { readonly profile?: Profile; readonly waitMs?: number },
): Promise<RunOutcome> {
  const { io } = call;
  const owner = { user: task.context.user, tenant: task.context.tenant };
  const told = { ...io, print: io.warn };
  const judge = judging({ config, ledger, world, owner });
  const upstreams = openUpstreams({
    servers: config.servers,
    decider: judge.decider,
    ledger,
    world,
    owner,
    environment: io.environment,
    version,
    onProblem: (server, problem) => io.warn(`sallyport: ${server}: ${visible(problem, 300)}`),
  });
  const onEvent: RunTask['onEvent'] = call.flag('json') ? (event) => io.json(event) : shower(told);
  try {
    return await runTask(
      { ...task, onEvent },
      { config, ledger, ...{ decider: judge.decider, world: judge.world }, upstreams, ...more },
    );
  } finally {
    await upstreams.close();
    await judge.close();
  }
}

/** Shows events; the last words of the model are its answer, which is said for itself. */
function shower(io: Pick<Io, 'print' | 'paint'>): (event: RunEvent) => void {
  let held: RunEvent | null = null;
  return (event) => {
    const isAnswer = event.type === 'end' && event.outcome.completed;
    if (held !== null && !isAnswer) showEvent(io, held);
    held = event.type === 'text' ? event : null;
    if (held === null) showEvent(io, event);
  };
}

/** What there is to say when a run has ended: its answer, and how to take back what it changed. */
async function sayEnd(
  call: Call,
  opened: Opened,
  ledger: Ledger,
  { runId, answer }: RunOutcome,
  { signal, terminal }: Stopping,
): Promise<void> {
  const { io } = call;
  const json = call.flag('json');
  if (!json && answer !== null) io.print(visibleLines(answer));
  const what = { run: runId };
  const changes = chosenSnapshots(openSnapshots(call, opened), what, {}).length;
  if (changes === 0) return;
  if (signal.aborted && terminal !== null && (await wantsBack(terminal, changes))) {
    sayTakenBack(
      { ...io, print: io.warn },
      await rollBack(what, await changeOptions(call, opened, ledger), {}),
    );
  } else if (!json) io.warn(`${changes} change(s); to undo them: sallyport rollback --run ${runId}`);
}

async function wantsBack(terminal: Terminal, changes: number): Promise<boolean> {
  const question = `Stopped. Put the workspace back to what it was before the run (${changes} change(s))?`;
  try {
    return await yesOrNo(terminal, question);
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

/** A text for a terminal, with its lines kept. */
function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, (part) => visible(part));
}

// ── stopping

interface Stopping {
  readonly signal: AbortSignal;
  /** The terminal that keys are read at; null where nobody sits at one. */
  readonly terminal: Terminal | null;
  /** The end of the reading of keys. */
  done(): Promise<void>;
  close(): void;
}

const escapeKey = '\u001b';
/** How often somebody looks whether the run has ended, and how long the rest of a longer key may take. */
const lookEvery = 200;
const restMs = 30;

/** Stops a run by Esc or Ctrl-C at a terminal, and by the signals that ask a process to end. */
function stoppable(call: Call): Stopping {
  const stop = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const abort = () => stop.abort();
  for (const name of signals) process.once(name, abort);
  const sits = process.stdin.isTTY === true && process.stderr.isTTY === true && !call.flag('json');
  const terminal = sits ? openTerminal('Esc is read at a terminal') : null;
  let over = false;
  const reading = terminal === null ? Promise.resolve() : readKeys(terminal, stop, () => over);
  return {
    signal: stop.signal,
    terminal,
    async done() {
      over = true;
      await reading;
    },
    close() {
      over = true;
      for (const name of signals) process.removeListener(name, abort);
      terminal?.close();
    },
  };
}

/** Reads keys until the run is over; Esc by itself, and Ctrl-C, stop it. */
async function readKeys(terminal: Terminal, stop: AbortController, over: () => boolean): Promise<void> {
  try {
    while (!over() && !stop.signal.aborted) {
      const key = await terminal.key(lookEvery);
      // An arrow begins with the same sign, and its rest comes at once.
      if (key === escapeKey && (await terminal.key(restMs)) === null) stop.abort();
    }
  } catch {
    // Ctrl-C, or a terminal that went away: nobody looks on any more.
    stop.abort();
  }
}

// ── what the command line says

interface Words {
  readonly task: string;
  readonly files: readonly string[];
  readonly strategy?: Strategy;
  readonly mcp: boolean;
  readonly mcpServer?: string;
  readonly steps?: number;
  readonly model?: string;
}

const settings = ['file', 'strategy', 'mcp', 'mcp_server', 'steps', 'model'] as const;
const filePrefix = 'file=';

/** Reads the words of the call: one task, files, and settings of the form name=value. */
function readWords(all: readonly string[]): Words {
  const isSetting = (word: string) => /^[a-z_]+=\S*$/.test(word);
  // A path may hold spaces, and there may be several.
  const isFile = (word: string) => word.startsWith(filePrefix);
  const files = all.filter(isFile).map((word) => word.slice(filePrefix.length));
  if (files.includes('')) throw new UsageError('file= names no file');
  if (files.length > mostFiles) throw new UsageError(`a task has at most ${mostFiles} files`);
  const words = all.filter((word) => !isFile(word));
  const pairs = new Pairs(words.filter(isSetting), settings);
  const [task, second] = words.filter((word) => !isSetting(word));
  if (task === undefined || task.trim() === '') throw new UsageError('TASK is missing');
  if (second !== undefined) {
    throw new UsageError(`unexpected argument "${visible(second, 80)}"`, 'put the task in quotes');
  }
  const strategy = pairs.choice('strategy', strategies);
  const steps = pairs.whole('steps', 1, 1000);
  const server = pairs.get('mcp_server');
  const model = pairs.get('model');
  return {
    task,
    files,
    mcp: pairs.flag('mcp') ?? true,
    ...(strategy === undefined ? {} : { strategy }),
    ...(server === undefined ? {} : { mcpServer: server }),
    ...(steps === undefined ? {} : { steps }),
    ...(model === undefined ? {} : { model }),
  };
}

function oneOf<T extends string>(
  name: string,
  value: string | undefined,
  known: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = known.find((one) => one === value);
  if (found === undefined) {
    throw new UsageError(`unknown ${name} "${visible(value, 40)}"`, `there are: ${known.join(', ')}`);
  }
  return found;
}

async function contextOf(call: Call, { config, world }: Opened): Promise<Context> {
  const folder = call.io.folder();
  const mode = oneOf<Mode>('--mode', call.value('mode'), modes);
  return await readContext(
    {
      agent: call.value('agent') ?? 'sallyport',
      workspace: call.value('workspace') ?? folder,
      ...(mode === undefined ? {} : { mode }),
    },
    { asker: localAsker(), folder, config, world },
  );
}

// sallyport demo: a scripted agent goes through attacks in a throwaway place, and every guard ends them for real.

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readApprover, unlockApprover } from '../../config/index.ts';
import { type Decision, type ExitCode, exitCodes, UsageError, visible } from '../../core/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { type Attempt, type Stop, stops } from '../demo/stops.ts';
import { consoleFolder } from '../host-control.ts';
import { consoleLink } from '../link.ts';
import { decisionWord } from '../show.ts';
import { Cancelled, openTerminal } from '../terminal.ts';
import { unlockHere } from '../unlock.ts';

export const command: Command = {
  usage: ['demo [--interactive] [--fast] [--keep] [--here]'],
  about:
    'Runs ten attacks of a scripted agent against a real daemon, in a throwaway home and workspace: injected orders, secrets\n' +
    'on their way out, rm -rf in ten spellings, forged ids, a hidden mutation, an escape from code mode. Takes less than a minute.\n' +
    'Exit code: 0 if every attempt ended as expected and the records are intact, else 1.',
  examples: ['demo', 'demo --interactive'],
  options: {
    interactive: { help: 'print a link to the console, and wait for your approval there' },
    fast: { help: 'without pauses' },
    keep: { help: 'leave the daemon and the workspace' },
    here: { help: 'use your own home and settings; the records stay there' },
  },
  async run(call) {
    onlyWords(call, []);
    const sits = process.stdin.isTTY === true && process.stdout.isTTY === true && !call.flag('json');
    if (call.flag('interactive') && !sits)
      throw new UsageError(
        '--interactive needs a terminal',
        'leave it out: the demo then waits for no answer',
      );
    const stop = new AbortController();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const abort = () => stop.abort(new Cancelled('the demo was stopped, and everything it made is removed'));
    for (const name of signals) process.once(name, abort);
    try {
      call.io.progress('starting a daemon in a throwaway home …');
      const stage = await setStage(call);
      call.io.progress('');
      let left = false;
      try {
        stop.signal.throwIfAborted();
        const pace: Pace = {
          interactive: call.flag('interactive'),
          pauseMs: sits && !call.flag('fast') ? pauseMs : 0,
        };
        const code = await untilStopped(stop.signal, tour(call, stage, pace, stop.signal));
        left = call.flag('keep');
        return code;
      } finally {
        if (!left) await stage.close();
      }
    } finally {
      for (const name of signals) process.removeListener(name, abort);
    }
  },
};

/** How many seconds the refund waits for an answer. */
const patience = { alone: 1, interactive: 60 } as const;
const pauseMs = 400;

interface Pace {
  /** Whether a person answers in the console. */
  readonly interactive: boolean;
  /** After each attempt, so that it can be read. */
  readonly pauseMs: number;
}

/** Goes through all stops. */
async function tour(
  call: Call,
  stage: Stage,
  { interactive, pauseMs }: Pace,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io } = call;
  const json = call.flag('json');
  if (!json) await welcome(call, stage, interactive);
  const attempts: Attempt[] = [];
  const options = {
    waitSeconds: interactive ? patience.interactive : patience.alone,
    asked: (id: string) => {
      if (interactive) io.print(`      answer it in the console, within ${patience.interactive} s: ${id}`);
    },
  };
  const began = performance.now();
  for (const [index, stop] of stops.entries()) {
    if (!json) {
      io.print(io.paint('bold', `\n${String(index + 1).padStart(2)}  ${stop.title}`));
      io.print(`    ${io.paint('dim', `without a guard: ${stop.without}`)}`);
    }
    for await (const attempt of stop.go(stage.agent, options)) {
      signal.throwIfAborted();
      attempts.push(attempt);
      show(call, stop, attempt);
      if (pauseMs > 0) await pause(pauseMs, undefined, { signal });
    }
  }
  const good = await summary(call, stage, attempts, performance.now() - began);
  if (interactive && call.flag('keep') && stage.passphrase !== null)
    io.print(`Its passphrase, for approvals and for 'sallyport console': ${stage.passphrase}`);
  if (interactive && !call.flag('keep')) {
    // Ctrl-C does the same as Enter here.
    await enter('\nPress Enter to stop the daemon and remove everything: ').catch((error: unknown) => {
      if (!(error instanceof Cancelled)) throw error;
    });
  }
  return good ? exitCodes.pass : exitCodes.failed;
}

async function welcome(call: Call, stage: Stage, interactive: boolean): Promise<void> {
  const { io } = call;
  const { home, workspace, port, socket } = stage;
  io.print(`An agent works in ${workspace}; a daemon guards it on 127.0.0.1:${port}.`);
  if (!interactive) return;
  if (!existsSync(consoleFolder())) {
    io.print("The page of the console is not built; 'npm run build' builds it.");
    return;
  }
  if (stage.passphrase === null && readApprover(home) === null) {
    io.print("For a link to the console, choose a passphrase first: 'sallyport passphrase'.");
    return;
  }
  const { passphrase } = stage;
  const signer =
    passphrase === null ? await unlockHere(call, 'demo') : await unlockApprover(home, passphrase);
  const { url } = await consoleLink(socket, port, signer).finally(signer.forget);
  io.print(`Open this link within a minute to watch; it works once:\n  ${io.paint('bold', url)}`);
  if (passphrase !== null) io.print(`To approve in the console, type this passphrase: ${passphrase}`);
  await enter('Press Enter to begin: ');
}

function show(call: Call, { name, without }: Stop, attempt: Attempt): void {
  const { io } = call;
  const { tried, decision, rule, says, tookMs, good } = attempt;
  const took = `${tookMs < 10 ? tookMs.toFixed(1) : Math.round(tookMs)} ms`;
  if (call.flag('json')) {
    io.json({
      stop: name,
      without,
      tried,
      decision,
      rule,
      says,
      took_ms: Math.round(tookMs * 10) / 10,
      good,
    });
    return;
  }
  const word = `${decisionWord(io, decision)}${' '.repeat(8 - decision.length)}`;
  io.print(`    ${visible(tried, 100)}`);
  io.print(`      ${word} ${took.padStart(7)}  ${rule === null ? '' : `${rule}: `}${visible(says, 160)}`);
  if (!good) io.print(`      ${io.paint('red', 'wrong: a guard must not end it so')}`);
}

/** Counts, and proves the records; gives whether everything is as it must be. */
async function summary(
  call: Call,
  { agent, leftovers, home }: Stage,
  attempts: readonly Attempt[],
  tookMs: number,
): Promise<boolean> {
  const { io } = call;
  const log = await agent.command(['log', 'verify'], [0, 1]);
  const receipts = await agent.command(['receipts', 'verify'], [0, 1]);
  const wrong = attempts.filter(({ good }) => !good).length;
  const clean = log['clean'] === true && receipts['valid'] === true;
  const good = wrong === 0 && clean;
  const count = (wanted: Decision) => attempts.filter(({ decision }) => decision === wanted).length;
  const counts = {
    pass: count('pass'),
    redact: count('redact'),
    approve: count('approve'),
    block: count('block'),
  };
  const records = { entries: log['entries'] ?? 0, receipts: receipts['receipts'] ?? 0, clean };
  if (call.flag('json')) {
    const kept = call.flag('keep') ? { home, to_stop: leftovers } : {};
    const tried = { stops: stops.length, attempts: attempts.length, ...counts, wrong };
    io.json({ ...tried, ...records, took_ms: Math.round(tookMs), good, ...kept });
    return good;
  }
  io.print(
    `\n${attempts.length} attempts in ${(tookMs / 1000).toFixed(1)} s: ` +
      `${counts.block} blocked, ${counts.redact} rewritten, ${counts.approve} need approval, ${counts.pass} passed.`,
  );
  const state = clean ? io.paint('green', 'clean') : io.paint('red', 'damaged');
  io.print(`The records are ${state}: ${records.entries} entries of the log, ${records.receipts} receipts.`);
  io.print(
    wrong === 0
      ? io.paint('green', 'Every attempt ended as expected.')
      : io.paint('red', `${wrong} attempt(s) ended wrong.`),
  );
  if (call.flag('keep')) {
    io.print(`\nThe daemon is still running, with its home ${home}. To stop it and clean up:`);
    for (const line of leftovers) io.print(`  ${line}`);
  }
  return good;
}

/** Waits for Enter; Ctrl-C stops the tour. */
async function enter(question: string): Promise<void> {
  const terminal = openTerminal('--interactive needs a terminal');
  try {
    terminal.write(question);
    let key: string | null;
    do key = await terminal.key();
    while (key !== '\r' && key !== '\n');
  } finally {
    terminal.write('\n');
    terminal.close();
  }
}

/** The work, or the end of waiting for it once somebody wants to stop. */
function untilStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
  ]);
}

// sallyport demo: a scripted agent goes through attacks in a throwaway place, and every guard ends them for real.

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readApprover, unlockApprover } from '../../config/index.ts';
import { type Decision, type ExitCode, exitCodes, visible } from '../../core/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { type Attempt, type Stop, stops } from '../demo/stops.ts';
import { consoleFolder } from '../host-control.ts';
import { consoleLink } from '../link.ts';
import { decisionWord } from '../show.ts';
import { Cancelled, openTerminal } from '../terminal.ts';
import { unlockHere } from '../unlock.ts';

export const command: Command = {
  usage: ['demo [--fast] [--keep] [--here]'],
  about:
    'Lets a scripted agent try what attackers try: orders hidden in a README, secrets on their way out, rm -rf in ten\n' +
    'spellings, forged ids, a hidden mutation, an escape from code mode, and what a person must decide. Each goes through\n' +
    'a real daemon, in a throwaway home and workspace; nothing of it runs outside of a sandbox. At a terminal a link to\n' +
    'the console is printed, where all of it shows as it happens.\n' +
    'Exit code: 0 where every attempt ended as a guard must end it and the records hold, else 1.',
  examples: ['demo', 'demo --fast --here'],
  options: {
    fast: { help: 'without pauses, and without waiting for a person' },
    keep: { help: 'leave the daemon and the workspace' },
    here: { help: 'with your own home and settings; its records stay there' },
  },
  async run(call) {
    onlyWords(call, []);
    const stop = new AbortController();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const abort = () => stop.abort(new Cancelled('the tour was stopped, and everything is taken away'));
    for (const name of signals) process.once(name, abort);
    const sits = process.stdin.isTTY === true && process.stdout.isTTY === true && !call.flag('json');
    try {
      call.io.progress('setting the stage …');
      const stage = await setStage(call);
      call.io.progress('');
      let left = false;
      try {
        stop.signal.throwIfAborted();
        const slowly = sits && !call.flag('fast');
        const code = await untilStopped(stop.signal, tour(call, stage, slowly, stop.signal));
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

const patience = { fast: 1, person: 60 } as const;
const pauseMs = 400;

/** Goes through all stops; `slowly` where somebody looks on. */
async function tour(call: Call, stage: Stage, slowly: boolean, signal: AbortSignal): Promise<ExitCode> {
  const { io } = call;
  const json = call.flag('json');
  if (!json) await welcome(call, stage, slowly);
  const attempts: Attempt[] = [];
  const options = {
    waitSeconds: slowly ? patience.person : patience.fast,
    asked: (id: string) => {
      if (slowly) io.print(`      answer it in the console, within ${patience.person} s: ${id}`);
    },
  };
  const began = performance.now();
  for (const [index, stop] of stops.entries()) {
    if (!json) io.print(io.paint('bold', `\n${String(index + 1).padStart(2)}  ${stop.title}`));
    for await (const attempt of stop.go(stage.agent, options)) {
      signal.throwIfAborted();
      attempts.push(attempt);
      show(call, stop, attempt);
      if (slowly) await pause(pauseMs, undefined, { signal });
    }
  }
  const good = await summary(call, stage, attempts, performance.now() - began);
  // Whoever has nothing but a pipe is no person, and is not told.
  if (slowly && call.flag('keep') && stage.passphrase !== null)
    io.print(`Its passphrase, for approvals and for 'sallyport console': ${stage.passphrase}`);
  if (slowly && !call.flag('keep')) {
    // Whoever presses Ctrl-C here wants what Enter does.
    await enter('\nEnter stops the daemon and takes everything away: ').catch((error: unknown) => {
      if (!(error instanceof Cancelled)) throw error;
    });
  }
  return good ? exitCodes.pass : exitCodes.failed;
}

async function welcome(call: Call, stage: Stage, slowly: boolean): Promise<void> {
  const { io } = call;
  const { home, workspace, port, socket } = stage;
  io.print(`An agent works in ${workspace}; a daemon guards it on 127.0.0.1:${port}.`);
  if (!slowly) return;
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
  io.print(`See it happen: open this within a minute; it counts once:\n  ${io.paint('bold', url)}`);
  if (passphrase !== null) io.print(`To approve in the page, type this passphrase: ${passphrase}`);
  await enter('Enter begins: ');
}

function show(call: Call, { name }: Stop, attempt: Attempt): void {
  const { io } = call;
  const { tried, decision, rule, says, tookMs, good } = attempt;
  const took = `${tookMs < 10 ? tookMs.toFixed(1) : Math.round(tookMs)} ms`;
  if (call.flag('json')) {
    io.json({ stop: name, tried, decision, rule, says, took_ms: Math.round(tookMs * 10) / 10, good });
    return;
  }
  const word = `${decisionWord(io, decision)}${' '.repeat(8 - decision.length)}`;
  io.print(`    ${visible(tried, 100)}`);
  io.print(`      ${word} ${took.padStart(7)}  ${rule === null ? '' : `${rule}: `}${visible(says, 160)}`);
  if (!good) io.print(`      ${io.paint('red', 'that is not how it must end')}`);
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
    `\n${stops.length} stops, ${attempts.length} attempts in ${(tookMs / 1000).toFixed(1)} s: ` +
      `${counts.block} blocked, ${counts.redact} rewritten, ${counts.approve} asked, ${counts.pass} passed.`,
  );
  const state = clean ? io.paint('green', 'clean') : io.paint('red', 'damaged');
  io.print(`The records are ${state}: ${records.entries} entries of the log, ${records.receipts} receipts.`);
  io.print(
    wrong === 0
      ? io.paint('green', 'Every attempt ended as it must.')
      : io.paint('red', `${wrong} attempt(s) did not end as they must.`),
  );
  if (call.flag('keep')) {
    io.print(`\nThe daemon goes on, with its home ${home}. To stop it and to clear up:`);
    for (const line of leftovers) io.print(`  ${line}`);
  }
  return good;
}

/** Waits for Enter; Ctrl-C stops the tour. */
async function enter(question: string): Promise<void> {
  const terminal = openTerminal('the tour is taken at a terminal');
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

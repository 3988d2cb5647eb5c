// Follows transcripts while hosts write them, and prints what would be stopped. No hook is installed and nothing is held up.

import { homedir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isInside } from '../../config/index.ts';
import { type ExitCode, exitCodes, visible } from '../../core/index.ts';
import type { Call } from '../command.ts';
import { localTime } from '../entries.ts';
import { decisionWord } from '../show.ts';
import { type HistoryCall, origins } from './call.ts';
import { findHistories, HistoryFile } from './files.ts';
import type { historyJudge, JudgedCall } from './judged.ts';
import { per100, Tally } from './tally.ts';

/** How often the transcripts are looked at, and how often new ones are looked for, in milliseconds. */
const lookEvery = 300;
const findEvery = 3000;

/** Follows until Ctrl-C, then says what it came to. */
export async function watchHistories(
  call: Call,
  judge: ReturnType<typeof historyJudge>,
  { files, project }: { readonly files: readonly string[]; readonly project: string | null },
): Promise<ExitCode> {
  const { io } = call;
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const tally = new Tally();
  const followed = new Map<string, HistoryFile>();
  const seen = new Set<string>();
  const follow = (path: string, isNew: boolean) => {
    if (!path.endsWith('.jsonl') || followed.has(path)) return;
    const file = new HistoryFile(path, seen);
    if (!isNew) file.skip();
    followed.set(path, file);
  };
  for (const path of files) follow(path, false);
  if (!call.flag('json'))
    io.print(`Following ${followed.size} transcripts; nothing is stopped. Ctrl-C ends it.`);
  let foundAt = Date.now();
  while (!stop.signal.aborted) {
    for (const file of followed.values()) {
      for (const one of file.next()) {
        if (project !== null && !(one.workspace !== null && isInside(project, one.workspace))) continue;
        const judged = await judge(one);
        tally.add(one, judged);
        show(call, one, judged);
      }
    }
    if (Date.now() - foundAt > findEvery) {
      for (const path of findAgain(call)) follow(path, true);
      foundAt = Date.now();
    }
    await pause(lookEvery, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  const { calls, asked, blocked } = tally.total;
  if (!call.flag('json'))
    io.print(
      `${calls} calls: ${asked} asked, ${blocked} blocked, ${per100(tally.total).toFixed(2)} per 100.`,
    );
  return exitCodes.pass;
}

function findAgain({ words, io }: Call): readonly string[] {
  const home = io.environment['HOME'] ?? homedir();
  return findHistories(home, words[0] ?? null);
}

function show(
  { io, flag }: Call,
  { origin, at, session }: HistoryCall,
  { decision, stop }: JudgedCall,
): void {
  if (flag('json')) {
    const { what = null, rules = [], messages = [], workspace = null } = stop ?? {};
    io.json({ at, origin, session, workspace, decision, what, rules, messages });
    return;
  }
  if (stop === null) return;
  const when = at === null ? '' : `${localTime(at)}  `;
  io.print(`${when}${decisionWord(io, decision)}  ${visible(stop.what)}  (${origins[origin]})`);
  stop.rules.forEach((rule, index) => {
    io.print(io.paint('dim', `    ${rule}: ${visible(stop.messages[index] ?? '', 200)}`));
  });
}

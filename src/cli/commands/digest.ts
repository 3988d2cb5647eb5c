// sallyport digest: what the agents did while nobody looked: passed, asked, blocked, changed and undone, by session.

import { exitCodes, visible } from '../../core/index.ts';
import { type SessionDigest, sessionsSince } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords, timeIn, timeOption } from '../command.ts';
import { localTime } from '../entries.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';

const mostStops = 5;

export const command: Command = {
  usage: ['digest [--since yesterday]'],
  about:
    'Sums up by session what agents did: calls that passed, asked or were blocked and why, changed files, undone changes, and\n' +
    'what still waits for you.',
  examples: ['digest', 'digest --since 8h', 'digest --since 2026-11-15 --json'],
  options: {
    since: { value: 'TIME', help: 'start: 8h (ago), yesterday (default), 2026-11-15' },
  },
  async run(call) {
    onlyWords(call, []);
    const { world } = openHome(call);
    const now = world.now();
    const since = timeOption(call, 'since') ?? timeIn('yesterday', now);
    await withLedger(
      call,
      async (ledger) => {
        const sessions = await sessionsSince(ledger.audit, since);
        const waiting = await ledger.approvals.pending({}, now);
        if (call.flag('json')) {
          const plain = sessions.map(({ stops, ...rest }) => ({ ...rest, stops: Object.fromEntries(stops) }));
          call.io.json({ since, sessions: plain, waiting: waiting.map(({ id }) => id) });
        } else print(call, sessions, since, waiting.length);
      },
      'show',
    );
    return exitCodes.pass;
  },
};

function print(call: Call, sessions: readonly SessionDigest[], since: number, waiting: number): void {
  const { io } = call;
  if (sessions.length === 0) io.print(`No agent did anything since ${localTime(since)}.`);
  for (const one of sessions) {
    const { agent, workspace, session, from, to, passed, redacted, asked, blocked, files, undone } = one;
    io.print(
      `${io.paint('bold', visible(agent, 60))} in ${visible(workspace, 200)} (session ${visible(session, 60)})`,
    );
    io.print(`  ${localTime(from)} to ${localTime(to)}`);
    io.print(
      `  ${passed} passed, ${redacted} redacted, ${asked} asked, ${blocked} blocked; ${files} files changed, ${undone} undone`,
    );
    const stops = [...one.stops].sort(([, a], [, b]) => b - a);
    for (const [stop, times] of stops.slice(0, mostStops)) io.print(`    ${times} × ${stop}`);
    if (stops.length > mostStops)
      io.print(`    and ${stops.length - mostStops} more: sallyport log --since …`);
  }
  if (waiting > 0)
    io.print(
      `${waiting} ${waiting === 1 ? 'question waits' : 'questions wait'} for you: sallyport approvals`,
    );
}

// Hooks: what one costs through the pinned client and the daemon, against a Node hook that loads the same guards itself;
// and how soon one that waits for a person goes on after the answer.

import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareHome } from '../src/config/index.ts';
import { hosts } from '../src/surfaces/hooks/index.ts';
import { ownerOf, personOver } from '../tests/support/person.ts';
import { questionToCard } from './console.ts';
import { type Bench, withBundle } from './daemon.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const rounds = 40;
const answers = 50;
/** How soon a call must go on after a person's click, in milliseconds. */
const answerGoal = 200;
const passphrase = 'a person of the benchmark';

export const hooks: Benchmark = (progress) =>
  withBundle(progress, async (bench) => {
    const workspace = join(dirname(bench.home), 'workspace');
    mkdirSync(workspace);
    prepareHome(bench.home);
    await ownerOf(bench, passphrase);
    const { port } = await bench.daemon('');
    const wired = bench.run(['init', 'claude', '--yes'], workspace);
    if (wired.status !== 0) throw new Error(`init failed: ${wired.stderr}`);
    const { event, value } = hosts.claude.provocation(workspace);
    const client = `${join(bench.home, 'bin', 'claude')} ${event}`;
    progress('calls');
    const rows = [oneCall(bench, client, JSON.stringify(value), workspace)];
    progress('answers');
    const commanded = (command: string) => JSON.stringify({ ...value, tool_input: { command } });
    const person = await personOver(`http://127.0.0.1:${port}`, passphrase);
    rows.push(await oneAnswer(person, client, commanded));
    progress('cards');
    const card = await questionToCard({ port, passphrase, person }, client, commanded);
    return card === null ? rows : [...rows, card];
  });

function oneCall(bench: Bench, client: string, input: string, workspace: string): Row {
  const times: { ours: number[]; own: number[] } = { ours: [], own: [] };
  const timed = (list: number[], wanted: number, call: () => { status: number | null }) => {
    const start = performance.now();
    const { status } = call();
    list.push(performance.now() - start);
    if (status !== wanted) throw new Error(`a call ended with ${status}, not with ${wanted}`);
  };
  for (let round = 0; round < rounds; round++) {
    timed(times.ours, 2, () => spawnSync('/bin/sh', ['-c', client], { input }));
    // The same verdict in a process of its own, with the guards bundled as small as they go and nothing recorded.
    timed(times.own, 1, () => bench.run(['test', 'rm -rf /'], workspace));
  }
  const [ours, own] = [median(times.ours), median(times.own)];
  return {
    what: 'one hook through the client, recorded',
    ours: `${short(ours)} ms`,
    floor: `${short(own)} ms (a Node hook that loads the guards)`,
    ratio: short(ours / own),
    goal: '≤ 1/3',
    met: ours / own <= 1 / 3,
  };
}

/** From the moment that the page sends the person's yes until the host has its answer. */
async function oneAnswer(
  person: Awaited<ReturnType<typeof personOver>>,
  client: string,
  commanded: (command: string) => string,
): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < answers; round++) {
    const hook = spawn('/bin/sh', ['-c', client], { stdio: ['pipe', 'ignore', 'ignore'] });
    const over = new Promise<number | null>((resolve) => hook.once('exit', resolve));
    hook.stdin.end(commanded(`git push --force origin round-${round}`));
    let id: string | undefined;
    while (id === undefined) {
      if (hook.exitCode !== null) throw new Error(`a hook ended with ${hook.exitCode} before its answer`);
      const { approvals } = await person.call('/v1/approvals');
      id = (approvals as unknown as readonly { id: string }[])[0]?.id;
    }
    // A person answers at any moment, not at the one that suits a look.
    await pause(randomInt(200));
    const start = performance.now();
    await person.call(`/v1/approvals/${id}/answer`, { body: { answer: 'approve' } });
    const status = await over;
    times.push(performance.now() - start);
    if (status !== 0) throw new Error(`a hook ended with ${status} after a yes`);
  }
  const [middle, most] = [median(times), Math.max(...times)];
  return {
    what: `a hook that waits goes on after a yes in the console, ${answers} times`,
    ours: `${short(middle)} ms, at most ${short(most)} ms`,
    floor: '',
    ratio: '',
    goal: `at most ${answerGoal} ms`,
    met: most <= answerGoal,
  };
}

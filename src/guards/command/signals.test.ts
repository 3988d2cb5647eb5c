// Tests which processes a command may end: those of its session, servers of the workspace, and none of anybody else's.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configOf, settingsFrom } from '../../config/index.ts';
import type { PortUse, RunningProcess, World } from '../../core/index.ts';
import { createDryDecider, realWorld } from '../../decide/index.ts';

const workspace = '/home/ann/shop';

const processes: readonly RunningProcess[] = [
  { pid: 1, name: 'init', line: '/sbin/init', own: false, guard: false },
  { pid: 40, name: 'node', line: 'node /opt/sallyport/bin/sallyport.cjs up', own: true, guard: true },
  // Of this session: npm, which started a server.
  {
    pid: 50,
    name: 'npm',
    line: 'npm run dev',
    own: true,
    guard: false,
    parent: 1,
    born: '50',
    folder: workspace,
  },
  {
    pid: 51,
    name: 'node',
    line: 'next-server',
    own: true,
    guard: false,
    parent: 50,
    born: '51',
    folder: workspace,
  },
  // The user's own server of the workspace.
  {
    pid: 60,
    name: 'vite',
    line: 'vite --port 5173',
    own: true,
    guard: false,
    parent: 1,
    folder: `${workspace}/web`,
  },
  // Others.
  {
    pid: 70,
    name: 'postgres',
    line: 'postgres -D /var/lib/pg',
    own: true,
    guard: false,
    folder: '/var/lib/pg',
  },
  { pid: 71, name: 'chrome', line: 'chrome --type=network', own: true, guard: false, folder: '/home/ann' },
  { pid: 72, name: 'vim', line: 'vim a.ts', own: true, guard: false, folder: workspace },
  { pid: 73, name: 'claude', line: 'claude', own: true, guard: false, folder: workspace },
  { pid: 74, name: 'nginx', line: 'nginx: master', own: false, guard: false },
];

const portUses: readonly PortUse[] = [
  { pid: 51, port: 3000, listens: true },
  { pid: 60, port: 5173, listens: true },
  { pid: 71, port: 5173, listens: false },
  { pid: 70, port: 5432, listens: true },
  { pid: 73, port: 4000, listens: true },
];

async function decisionOn(
  command: string,
  profile: 'developer' | 'strict' = 'developer',
  world: Partial<World> = {},
) {
  const settings = settingsFrom({ profile });
  const decider = createDryDecider({
    config: configOf(() => settings),
    world: {
      ...realWorld(),
      ...{ home: '/home/ann', processes: () => processes, portUses: () => portUses },
      startedBySession: (some) => some.map(({ born }) => born === '50'),
      ...world,
    },
  });
  const context = {
    user: 'ann',
    tenant: 'ann',
    agent: 'default',
    session: 's',
    workspace,
    mode: 'auto',
  } as const;
  const { verdict } = await decider.decide({ kind: 'shell', command, cwd: workspace }, context);
  const isWarned = verdict.findings.some(({ decision }) => decision === 'warn');
  return verdict.decision === 'pass' && isWarned ? 'warn' : verdict.decision;
}

describe('signals', () => {
  it.each([
    // What a call of the session started, and what that started.
    ['kill 50', 'pass'],
    ['kill -9 51', 'pass'],
    ['kill -9 50 51 2>/dev/null || true', 'pass'],
    ['pkill -f "npm run dev"', 'pass'],
    ['pkill -9 -f next-server', 'pass'],
    ['lsof -ti:3000 | xargs kill -9', 'pass'],
    ['lsof -t -i :3000 | xargs -r kill', 'pass'],
    ['lsof -nP -iTCP:3000 -sTCP:LISTEN -t 2>/dev/null | xargs kill -9 2>/dev/null', 'pass'],
    ['kill -9 $(lsof -t -i:3000)', 'pass'],
    ['kill -9 `lsof -ti tcp:3000` || true', 'pass'],
    ['fuser -k 3000/tcp', 'pass'],
    ['npx kill-port 3000', 'pass'],
    ['sleep 9 & kill -9 %1', 'pass'],
    // Nothing is there to end.
    ['pkill -f "webpack serve" || true', 'pass'],
    ['lsof -ti:8088 | xargs kill -9', 'pass'],
    // A server of the workspace.
    ['kill 60', 'warn'],
    ['kill -9 60', 'warn'],
    ['pkill vite', 'warn'],
    ['killall vite', 'warn'],
    ['fuser -k 5173/tcp', 'warn'],
    ['lsof -ti:5173 -sTCP:LISTEN | xargs kill', 'warn'],
    ['npx kill-port 3000 5173', 'warn'],
    // Without the restriction, lsof also names the browser that is connected.
    ['lsof -ti:5173 | xargs kill', 'approve'],
    // Somebody else's, or not known.
    ['kill 70', 'approve'],
    ['kill -9 70', 'approve'],
    ['kill 50 70', 'approve'],
    ['kill 72', 'approve'],
    ['kill 73', 'approve'],
    ['kill 74', 'approve'],
    ['kill 99', 'approve'],
    ['kill -- -50', 'approve'],
    ['kill "$PID"', 'approve'],
    ['pkill -u ann', 'approve'],
    ['pkill -v vite', 'approve'],
    ['pkill -f "n.*"', 'approve'],
    ['pkill -P 50', 'approve'],
    ['pkill -f ann', 'pass'],
    ['killall -9 postgres', 'approve'],
    ['fuser -k 5432/tcp', 'approve'],
    ['lsof -ti:3000 -u ann | xargs kill', 'approve'],
    ['lsof -t -u ann | xargs kill', 'approve'],
    ['cat pids | xargs kill; lsof -ti:3000', 'approve'],
    ['(lsof -ti:3000; cat pids) | xargs kill', 'approve'],
    ['lsof() { echo 70; }; lsof -ti:3000 | xargs kill', 'approve'],
    ['kill $(lsof -ti:3000) 70', 'approve'],
    ['kill 40', 'block'],
    ['kill 1', 'block'],
    ['kill -9 -1', 'block'],
  ])('%s: %s', async (command, decision) => expect(await decisionOn(command)).toBe(decision));

  it.each(['kill -9 50', 'lsof -ti:3000 | xargs kill -9', 'pkill -9 vite'])(
    '%s is refused in strict',
    async (command) => expect(await decisionOn(command, 'strict')).toBe('block'),
  );

  it('asks where nobody can look', async () => {
    const blind = { processes: () => null, portUses: () => null };
    expect(await decisionOn('kill 50', 'developer', blind)).toBe('approve');
    expect(
      await decisionOn('kill 50', 'developer', { startedBySession: (some) => some.map(() => false) }),
    ).toBe('warn');
    expect(await decisionOn('fuser -k 3000/tcp', 'developer', { portUses: () => null })).toBe('approve');
  });
});

describe.runIf(process.platform === 'linux')('the processes of the machine', () => {
  it('say who started them, where they work, and which ports they have open', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const child = spawn('sleep', ['60'], { cwd: '/' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const { processes: running, portUses: uses } = realWorld();
    const found = running?.()?.find(({ pid }) => pid === child.pid);
    expect(found).toMatchObject({ name: 'sleep', own: true, parent: process.pid, folder: '/' });
    expect(found?.born).toMatch(new RegExp(`^${child.pid} \\d+ \\S+$`));
    expect(uses?.()).toContainEqual({ pid: process.pid, port, listens: true });
  });
});

// A tour that cannot fail proves nothing: behind a daemon that lets everything through, every attack is told.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import type { Hands, Seen } from './agent.ts';
import { type Attempt, stops } from './stops.ts';

/** An agent whose daemon always says the same, and whose commands say so too. */
function agentOf(decision: Seen['decision'], exit: number, status: number): Hands {
  const workspace = join(temporaryFolder(), 'workspace');
  mkdirSync(workspace);
  for (const name of ['README.md', 'prices.txt']) writeFileSync(join(workspace, name), '30\n');
  const seen: Seen = { decision, findings: [], decisionId: 'one', tookMs: 1 };
  return {
    workspace,
    command: async () => ({ decision, decisionId: 'one', stdout: '', exit_code: 0, undone: [] }),
    decide: async (action) => ({ ...seen, action, approval: 'question' }),
    hook: async () => ({ ...seen, exit }),
    recorded: async () => seen,
    sayYes: async () => ({ status, tookMs: 1 }),
  };
}

async function toured(agent: Hands): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  const all = new Map<string, Attempt[]>();
  for (const { name, go } of stops) {
    const attempts: Attempt[] = [];
    for await (const one of go(agent, { waitSeconds: 0, asked: () => undefined })) attempts.push(one);
    all.set(name, attempts);
  }
  return all;
}

describe('the stops of the tour', () => {
  it('have names of their own', () => {
    expect(new Set(stops.map(({ name }) => name)).size).toBe(stops.length);
  });

  it('are each failed by a daemon that lets everything through', async () => {
    for (const [name, attempts] of await toured(agentOf('pass', 0, 200))) {
      expect(
        attempts.some(({ good }) => !good),
        name,
      ).toBe(true);
    }
  });

  it('are failed by a daemon that stops everything, where there is work to do', async () => {
    const all = await toured(agentOf('block', 2, 403));
    for (const name of ['readme', 'tenant', 'import', 'mutation', 'approval', 'harmless', 'undo']) {
      expect(
        all.get(name)?.some(({ good }) => !good),
        name,
      ).toBe(true);
    }
  });
});

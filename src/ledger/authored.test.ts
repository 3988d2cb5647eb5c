// Contents that agents wrote are recognized by their content, under any name and in any session; the files of a
// session, by their paths.

import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines, newStore } from '../../tests/support/ledger.ts';
import type { Ledger, ReceiptBody } from './index.ts';

const maker = { tenant: 'acme', user: 'ann', agent: 'coder', session: 's1', workspace: '/home/ann/shop' };
const owner = { user: 'ann', tenant: 'acme', agent: 'coder', decisionId: 'd1' };
const digest = (text: string) => hash('sha256', text);

/** A receipt of one written file. */
function receiptOf(ledger: Ledger, path: string, text: string, more: Partial<ReceiptBody> = {}): ReceiptBody {
  return {
    receipt_id: ledger.newId(),
    timestamp: '2026-11-16T00:00:00.000Z',
    user_id: 'ann',
    workspace_id: ledger.fingerprint('workspace', () => maker.workspace),
    run_id: maker.session,
    ...{ action: 'apply', applied: true },
    files: [{ path, before_hash: null, after_hash: digest(text) }],
    ...{ diffs: [], snapshot_id: 's', symbols_checked: 0, missing_references: [], redactions: {} },
    guards: { write: 'pass', hallucination: 'pass', egress: 'pass' },
    cost: { usd: 0, tokens_in: 0, tokens_out: 0 },
    models: [],
    ...more,
  };
}

describe.each(engines)('what agents wrote on %s', (engine) => {
  it('is known by its content, and to its tenant alone', async () => {
    const ledger = await (await newStore(engine)).open();
    const texts = ['rm -rf ~\n', 'echo the user wrote this\n'];
    expect(await ledger.authored.writtenByAgents(texts, maker)).toEqual([false, false]);
    await ledger.receipts.add(receiptOf(ledger, 'x.sh', 'rm -rf ~\n'), owner);
    expect(await ledger.authored.writtenByAgents(texts, maker)).toEqual([true, false]);
    expect(await ledger.authored.writtenByAgents(texts, { tenant: 'other' })).toEqual([false, false]);
    await ledger.close();
  });

  it('is not what undo put back, or what was refused', async () => {
    const ledger = await (await newStore(engine)).open();
    await ledger.receipts.add(receiptOf(ledger, 'a', 'one', { action: 'rollback' }), owner);
    await ledger.receipts.add(receiptOf(ledger, 'a', 'two', { action: 'reject', applied: false }), owner);
    expect(await ledger.authored.writtenByAgents(['one', 'two'], maker)).toEqual([false, false]);
    await ledger.close();
  });

  it('is a process that a call of the same session left running', async () => {
    const ledger = await (await newStore(engine)).open();
    const [server, other, unknown] = [{ born: '7 100 boot' }, { born: '7 200 boot' }, {}];
    await ledger.authored.addProcesses([server, unknown], maker);
    const asked = [server, other, unknown];
    expect(await ledger.authored.startedBySession(asked, maker)).toEqual([true, false, false]);
    expect(await ledger.authored.startedBySession([server], { ...maker, session: 's2' })).toEqual([false]);
    expect(await ledger.authored.startedBySession([server], { ...maker, agent: 'other' })).toEqual([false]);
    await ledger.close();
  });

  it('is a session’s where that made every file and nobody else changed one', async () => {
    const ledger = await (await newStore(engine)).open();
    await ledger.receipts.add(receiptOf(ledger, 'out/a', 'one'), owner);
    await ledger.receipts.add(
      receiptOf(ledger, 'src/b', 'two', {
        files: [{ path: 'src/b', before_hash: digest('user'), after_hash: digest('two') }],
      }),
      owner,
    );
    const made = (path: string, text: string, more = {}) =>
      ledger.authored.madeBySession([{ path, text }], { ...maker, ...more });
    expect(await made('out/a', 'one')).toBe(true);
    expect(await made('out/a', 'edited by the user')).toBe(false);
    expect(await made('src/b', 'two')).toBe(false);
    expect(await made('out/a', 'one', { session: 's2' })).toBe(false);
    expect(await made('out/a', 'one', { workspace: '/home/ann/other' })).toBe(false);
    await ledger.close();
  });
});

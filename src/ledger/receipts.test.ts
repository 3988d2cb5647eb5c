// Receipts on both engines: linked, found, and every tampering detected.

import { describe, expect, it } from 'vitest';
import { engines, newStore } from '../../tests/support/ledger.ts';
import { checkStatement, type Ledger, type ReceiptBody } from './index.ts';
import { firstLink, UnknownReceipt } from './receipts.ts';

const owner = { user: 'ann', tenant: 'acme', agent: 'coder', decisionId: 'd1' };

function body(id: string, more: Partial<ReceiptBody> = {}): ReceiptBody {
  return {
    receipt_id: id,
    timestamp: '2026-11-16T00:00:00.000Z',
    user_id: 'ann',
    workspace_id: 'w',
    run_id: 'r',
    action: 'apply',
    applied: true,
    files: [{ path: 'a.txt', before_hash: null, after_hash: 'f'.repeat(64) }],
    diffs: [{ path: 'a.txt', hunks: ['@@ -0,0 +1,1 @@\n+a\n'] }],
    snapshot_id: 's',
    symbols_checked: 0,
    missing_references: [],
    redactions: {},
    guards: { write: 'pass', hallucination: 'pass', egress: 'pass' },
    cost: { usd: 0, tokens_in: 0, tokens_out: 0 },
    models: [],
    ...more,
  };
}

const add = (ledger: Ledger, ...ids: readonly string[]) =>
  Promise.all(ids.map((id) => ledger.receipts.add(body(id), owner)));

describe.each(engines)('receipts on %s', (engine) => {
  it('name the one before them, in one commit and across daemons of one home', async () => {
    const place = await newStore(engine);
    const [first, second] = [await place.open(), await place.open()];
    const [a, b] = await add(first, '1', '2');
    const [c] = await add(second, '3');
    expect(a?.prev_receipt_hash).toBe(firstLink);
    expect(b?.prev_receipt_hash).toBe(a?.self_hash);
    expect(c?.prev_receipt_hash).toBe(b?.self_hash);
    expect(await first.receipts.head()).toBe(c?.self_hash);
    expect(await first.receipts.verify()).toEqual({ valid: true, receipts: 3, mismatch: [] });
    await Promise.all([first.close(), second.close()]);
  });

  it('race without two naming the same one before', async () => {
    const place = await newStore(engine);
    const ledgers = [await place.open(), await place.open(), await place.open()];
    await Promise.all(
      ledgers.flatMap((ledger, n) => Array.from({ length: 20 }, (_, i) => add(ledger, `${n}-${i}`))),
    );
    const all = (await ledgers[0]?.receipts.list({ limit: 100 }))?.receipts ?? [];
    expect(new Set(all.map(({ prev_receipt_hash: link }) => link)).size).toBe(60);
    expect((await ledgers[0]?.receipts.verify())?.valid).toBe(true);
    for (const ledger of ledgers) await ledger.close();
  });

  it('are found by the beginning of an id, and by their owner alone', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    await add(ledger, 'abcd-1', 'abce-2');
    expect((await ledger.receipts.find('abcd')).receipt_id).toBe('abcd-1');
    await expect(ledger.receipts.find('abc')).rejects.toThrow(
      /more than one receipt begins with abc: .*abcd-1/,
    );
    for (const id of ['', 'b', 'abcd-1"', '%', 'abcd_1'])
      await expect(ledger.receipts.find(id)).rejects.toThrow(UnknownReceipt);
    await expect(ledger.receipts.find('abcd', { tenant: 'other' })).rejects.toThrow(UnknownReceipt);
    expect((await ledger.receipts.list()).receipts.map(({ receipt_id: id }) => id)).toEqual([
      'abce-2',
      'abcd-1',
    ]);
    await expect(ledger.receipts.find('abcd', { tenant: 'acme', user: 'bob' })).rejects.toThrow(
      UnknownReceipt,
    );
    expect(await ledger.receipts.list({ tenant: 'other' })).toEqual({ receipts: [], next: null });
    expect(await ledger.receipts.list({ user: 'bob' })).toEqual({ receipts: [], next: null });
    await ledger.close();
  });

  it('are read page by page, each once, whatever else is written meanwhile', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    const ids = Array.from({ length: 7 }, (_, number) => `r-${number}`);
    await add(ledger, ...ids);
    const seen: string[] = [];
    let before: number | null = Number.MAX_SAFE_INTEGER;
    for (let page = 0; before !== null; page++) {
      const { receipts, next } = await ledger.receipts.list({ tenant: 'acme', limit: 3, before });
      expect(receipts).toHaveLength(page < 2 ? 3 : 1);
      seen.push(...receipts.map(({ receipt_id: id }) => id));
      before = next;
      await add(ledger, `later-${page}`);
    }
    expect(seen).toEqual(ids.toReversed());
    await ledger.close();
  });

  it('that were altered, dropped or moved are seen', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    await add(ledger, '1', '2', '3', '4');
    await place.tamper(
      `UPDATE audit SET body = replace(body, '"path":"a.txt"', '"path":"b.txt"') WHERE body LIKE '%"receipt_id":"2"%'`,
      `DELETE FROM audit WHERE body LIKE '%"receipt_id":"3"%'`,
    );
    const { valid, mismatch } = await ledger.receipts.verify();
    expect(valid).toBe(false);
    expect(mismatch).toEqual([
      { receipt_id: '2', problem: 'it is not as it was written' },
      { receipt_id: '4', problem: 'it does not follow the one before it' },
    ]);
    expect((await ledger.verify()).problems.length).toBeGreaterThan(0);
    await ledger.close();
  });

  it('leave as signed statements that others check', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    const [receipt] = await add(ledger, '1');
    if (receipt === undefined) throw new Error('no receipt');
    const envelope = await ledger.statementOf(receipt);
    const [{ publicKey: x } = { publicKey: '' }] = [...(await ledger.publicKeys()).values()];
    expect(checkStatement(envelope, x)).toBe(true);
    const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString());
    expect(statement).toMatchObject({
      subject: [{ name: 'a.txt', digest: { sha256: 'f'.repeat(64) } }],
      predicate: { receipt_id: '1' },
    });
    const forged = { ...envelope, payload: Buffer.from('{}').toString('base64') };
    expect(checkStatement(forged, x)).toBe(false);
    await ledger.close();
  });

  it('that cannot be written are refused to everybody who waits', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    await ledger.close();
    const results = await Promise.allSettled([add(ledger, '1'), add(ledger, '2')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

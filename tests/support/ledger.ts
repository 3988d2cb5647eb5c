// A ledger in a temporary folder, and a person whose signature counts there.

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { canonicalJson } from '../../src/core/index.ts';
import { Ledger, type NewEntry, type Signer, type Verifier } from '../../src/ledger/index.ts';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const sign = (payload: readonly (string | number)[]) =>
  createHmac('sha256', 'the person').update(canonicalJson(payload)).digest('base64url');

export const person: Signer = { sign };
export const isPerson: Verifier = (payload, signature) => sign(payload) === signature;
export const impostor: Signer = { sign: () => 'bm90IHRoZSBwZXJzb24' };

/** Opens a ledger in a folder; it is closed when the test is over. */
export function openTestLedger(folder = temporaryFolder()): Ledger {
  const ledger = new Ledger({
    file: join(folder, 'ledger.db'),
    keys: join(folder, 'keys'),
    verify: isPerson,
  });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** An entry with a number in it. */
export function entry(number: number, more: Partial<NewEntry> = {}): NewEntry {
  return {
    time: 1_700_000_000_000 + number,
    event_type: 'decision',
    user: 'ann',
    tenant: 'acme',
    agent: 'coder',
    decision_id: `decision-${number}`,
    decision: 'block',
    details: { number },
    ...more,
  };
}

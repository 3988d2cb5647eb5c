import { beforeEach, describe, expect, it } from 'vitest';
import { enrolPerson, keyNamed, openTestLedger, person } from '../../tests/support/ledger.ts';
import type { Ledger } from './index.ts';

const claude = {
  host: 'claude',
  file: '/home/ann/.claude/settings.json',
  scope: 'user',
  client: 'c',
  hooks: 'h',
};
const codex = { host: 'codex', file: '/home/ann/.codex/hooks.json' };
let ledger: Ledger;
const now = 1_700_000_000_000;
const act = (time = now) => ({ user: 'ann', tenant: 'local', time });
const forged = (details: Readonly<Record<string, string | number | null>>) =>
  ledger.audit.append({
    ...{ time: now, event_type: 'host_disconnected', user: 'ann', tenant: 'local', agent: '' },
    details,
  });

beforeEach(async () => {
  ledger = await openTestLedger();
});

describe('before anybody can approve', () => {
  it('hosts are connected and disconnected, and old entries without a file are left out', async () => {
    await ledger.audit.append({
      ...{ time: 1, event_type: 'host_connected', user: 'ann', tenant: 'local', agent: '' },
      details: { host: 'claude' },
    });
    expect(await ledger.connections.list()).toEqual([]);
    await ledger.connections.connect(claude, act());
    await ledger.connections.connect(codex, act());
    expect(await ledger.connections.list()).toEqual([claude, codex]);
    await ledger.connections.disconnect(codex, null, act());
    expect(await ledger.connections.list()).toEqual([claude]);
  });

  it('what was disconnected then stays so once somebody can approve', async () => {
    await ledger.connections.connect(claude, act());
    await ledger.connections.disconnect(claude, null, act());
    await ledger.enrolOwner(person, { user: 'owner', tenant: 'local' }).catch(() => undefined);
    expect(await ledger.connections.list()).toEqual([]);
  });
});

describe('once somebody can approve', () => {
  beforeEach(async () => {
    await enrolPerson(ledger);
    await ledger.connections.connect(claude, act());
  });

  it('only a key that counts disconnects', async () => {
    const by = (signer: typeof person | null) => ledger.connections.disconnect(claude, signer, act());
    await expect(by(null)).rejects.toThrow('signature');
    await expect(by(keyNamed('mallory'))).rejects.toThrow('signature');
    expect(await ledger.connections.list()).toEqual([claude]);
    await by(person);
    expect(await ledger.connections.list()).toEqual([]);
  });

  it('an entry that somebody wrote into the log without a signature counts for nothing', async () => {
    for (const signature of [null, '', 'bm9uZQ'])
      await forged({ host: claude.host, file: claude.file, at: now, signature });
    expect(await ledger.connections.list()).toEqual([claude]);
  });

  it('a signature for one host does not disconnect another, nor the same host once it is connected again', async () => {
    await ledger.connections.connect(codex, act());
    await ledger.connections.disconnect(claude, person, act());
    const [signed] = await ledger.audit.list({ eventType: 'host_disconnected' });
    const { at, signature } = signed?.details ?? {};
    await forged({ ...codex, at: Number(at), signature: String(signature) });
    expect(await ledger.connections.list()).toEqual([codex]);
    await ledger.connections.connect(claude, act(Number(at) + 1));
    await forged({ host: claude.host, file: claude.file, at: Number(at), signature: String(signature) });
    expect(await ledger.connections.list()).toEqual([codex, claude]);
  });

  it('a disconnection outlives the key that signed it', async () => {
    await ledger.connections.disconnect(claude, person, act());
    const next = keyNamed('next');
    const statement = ledger.approvers.statement('owner', {
      ...{ key: next.publicKey, name: 'owner', role: 'owner', replaces: person.publicKey },
    });
    await ledger.approvers.add(statement, person, { user: 'owner', tenant: 'local' });
    expect((await ledger.approvers.list()).map(({ state }) => state)).toEqual(['ended', 'counts']);
    expect(await ledger.connections.list()).toEqual([]);
  });
});

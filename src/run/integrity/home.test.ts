import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTestLedger, temporaryFolder } from '../../../tests/support/ledger.ts';
import type { Ledger } from '../../ledger/index.ts';
import { HomeSettings } from './home.ts';
import { Integrity } from './index.ts';

describe('the settings of the home', () => {
  let file: string;
  let ledger: Ledger;
  let isBusy: boolean;
  let settings: HomeSettings;
  const entries = async (eventType: string) =>
    (await ledger.audit.list({ eventType })).map(({ details }) => details);
  const read = () => (existsSync(file) ? readFileSync(file, 'utf8') : null);

  beforeEach(async () => {
    const folder = temporaryFolder();
    file = join(folder, 'sallyport.toml');
    writeFileSync(file, 'first = 1\n');
    ledger = await openTestLedger();
    isBusy = true;
    const integrity = new Integrity({
      store: join(folder, 'store'),
      userHome: folder,
      ledger,
      world: { now: () => 1 },
      redact: async (text) => text,
      isAllowed: async () => false,
      report: (event, error) => {
        throw new Error(event, { cause: error });
      },
    });
    settings = new HomeSettings({
      file,
      integrity,
      owner: { user: 'ann', tenant: 'local' },
      isBusy: () => isBusy,
      isSigned: (text) => text === 'signed = 1\n',
    });
  });

  const changes: readonly (readonly [string, () => void])[] = [
    ['changed', () => writeFileSync(file, 'loose = 1\n')],
    ['emptied', () => writeFileSync(file, '')],
    ['removed', () => rmSync(file)],
  ];
  it.each(changes)(
    '%s while a call of an agent runs: they are put back, with an alarm',
    async (_, change) => {
      change();
      expect(await settings.look()).toMatchObject([{ of: 'sallyport', file, restored: true }]);
      expect(read()).toBe('first = 1\n');
      expect(await entries('guard_unhooked')).toMatchObject([{ of: 'sallyport', file, restored: true }]);
      expect(await settings.look()).toEqual([]);
    },
  );

  it('made by a call where there were none: they go', async () => {
    rmSync(file);
    isBusy = false;
    await settings.look();
    isBusy = true;
    writeFileSync(file, 'loose = 1\n');
    expect(await settings.look()).toMatchObject([{ restored: true }]);
    expect(read()).toBeNull();
  });

  it.each(changes)('%s while no call runs: they stay, and the change is recorded', async (_, change) => {
    isBusy = false;
    change();
    const text = read();
    expect(await settings.look()).toEqual([]);
    expect(read()).toBe(text);
    expect(await entries('protected_change')).toMatchObject([{ file, outcome: 'noted' }]);
    // From then on they are what counts.
    isBusy = true;
    writeFileSync(file, 'loose = 2\n');
    expect(await settings.look()).toHaveLength(1);
    expect(read()).toBe(text);
  });

  it('signed by the owner: they stay although a call runs', async () => {
    writeFileSync(file, 'signed = 1\n');
    expect(await settings.look()).toEqual([]);
    expect(read()).toBe('signed = 1\n');
  });
});

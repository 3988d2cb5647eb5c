import { beforeEach, describe, expect, it } from 'vitest';
import { openTestLedger } from '../../../tests/support/ledger.ts';
import type { JsonObject } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { sinceLastStart } from './started.ts';

describe('a start of the daemon', () => {
  let ledger: Ledger;
  const note = (type: 'daemon_started' | 'daemon_stopped', details: JsonObject = {}) =>
    ledger.audit.append({ time: 1, event_type: type, user: 'ann', tenant: 'local', agent: '', details });
  const start = async (settings: string | null) => {
    const since = await sinceLastStart(ledger, settings);
    await note('daemon_started', since.details);
    return { killed: since.details['last_was_killed'] === true, changed: since.hasOtherSettings };
  };
  beforeEach(async () => {
    ledger = await openTestLedger();
  });

  it('says whether the last daemon was stopped, or killed', async () => {
    expect(await start('a')).toMatchObject({ killed: false });
    await note('daemon_stopped');
    expect(await start('a')).toMatchObject({ killed: false });
    expect(await start('a')).toMatchObject({ killed: true });
  });

  it('says whether the settings changed while none ran', async () => {
    expect(await start(null)).toMatchObject({ changed: false });
    expect(await start(null)).toMatchObject({ changed: false });
    expect(await start('a')).toMatchObject({ changed: true });
    expect(await start('a')).toMatchObject({ changed: false });
    expect(await start('b')).toMatchObject({ changed: true });
    expect(await start(null)).toMatchObject({ changed: true });
  });

  it('knows nothing of what an earlier version did not say, nor of the text itself', async () => {
    await note('daemon_started');
    expect(await start('a secret')).toMatchObject({ changed: false });
    const [entry] = await ledger.audit.list({ eventType: 'daemon_started' });
    expect(JSON.stringify(entry)).not.toContain('a secret');
  });
});

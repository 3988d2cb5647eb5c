import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entry, newStore, temporaryFolder } from '../../../tests/support/ledger.ts';
import { configOf, settingsFrom } from '../../config/index.ts';
import { readHeads, type SignedHead } from '../../ledger/index.ts';
import { HeadNotStored, Keeper, keepHead } from './keeper.ts';

async function aHead(): Promise<SignedHead> {
  const ledger = await (await newStore('sqlite')).open();
  await ledger.audit.append(entry(1));
  const head = await ledger.heads.sign();
  if (head === null) throw new Error('no head');
  return head;
}

/** A server that remembers what was posted. */
async function receiver(status: number): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(body);
      answer.writeHead(status, { location: 'http://127.0.0.1:1/' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/heads`, bodies };
}

describe('a head is kept', () => {
  it('in a file, line by line', async () => {
    const file = join(temporaryFolder(), 'heads.jsonl');
    const head = await aHead();
    await keepHead([`file:${file}`], head);
    await keepHead([`file:${file}`], head);
    expect(readHeads(readFileSync(file, 'utf8'))).toEqual([head, head]);
  });

  it('by a program, which reads it', async () => {
    const file = join(temporaryFolder(), 'out');
    const head = await aHead();
    await keepHead(['sh', '-c', `cat > '${file}'`], head);
    expect(readHeads(readFileSync(file, 'utf8'))).toEqual([head]);
    await expect(keepHead(['sh', '-c', 'exit 3'], head)).rejects.toThrow(HeadNotStored);
    await expect(keepHead(['/no/such/program'], head)).rejects.toThrow('ENOENT');
  });

  it('at an address, and nowhere that the address points to', async () => {
    const head = await aHead();
    const good = await receiver(204);
    await keepHead([good.url], head);
    expect(readHeads(good.bodies.join(''))).toEqual([head]);
    await expect(keepHead([(await receiver(500)).url], head)).rejects.toThrow(HeadNotStored);
    await expect(keepHead([(await receiver(302)).url], head)).rejects.toThrow();
    await expect(keepHead(['http://127.0.0.1:1/'], head)).rejects.toThrow();
  });
});

describe('the keeper', () => {
  const owner = { user: 'ann', tenant: 'acme' };
  const config = {
    ...configOf(() => settingsFrom({})).ledger,
    headEveryEntries: 3,
    headEverySeconds: 3600,
  };

  it('signs after so many entries, and once more when it stops', async () => {
    const ledger = await (await newStore('sqlite')).open();
    const now = () => 1_700_000_000_000;
    const keeper = new Keeper({ ledger, config, owner, now, log: () => undefined, sizeBefore: 0 });
    keeper.start();
    for (let number = 0; number < 3; number++) await ledger.audit.append(entry(number));
    while ((await ledger.heads.newest()).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ledger.heads.newest()).toMatchObject([{ size: 3 }]);
    await ledger.audit.append(entry(4));
    await keeper.stop();
    expect(await ledger.heads.newest()).toMatchObject([{ size: 4 }]);
    expect(await ledger.verify()).toMatchObject({ heads: 2, problems: [] });
  });

  it('goes on when a head cannot be kept, and says so in the log', async () => {
    const ledger = await (await newStore('sqlite')).open();
    const events: string[] = [];
    const log = (_: string, event: string) => void events.push(event);
    const keeper = new Keeper({
      ledger,
      config: { ...config, headsTo: ['/no/such/program'] },
      owner,
      now: () => 1_700_000_000_000,
      log,
      sizeBefore: 0,
    });
    await ledger.audit.append(entry(1));
    await keeper.stop();
    expect(events).toEqual(['sign_failed']);
    expect(await ledger.heads.newest()).toHaveLength(1);
  });

  it('closes what the daemon before it left open, wherever the clock was set meanwhile', async () => {
    const ledger = await (await newStore('sqlite')).open();
    const opened = (id: string, time: number) =>
      ledger.work.open({ ...entry(1), event_type: 'stream_opened', decision_id: id, time });
    await opened('left', 1_700_000_900_000);
    const sizeBefore = await ledger.audit.size();
    await opened('own', 1_600_000_000_000);
    const now = () => 1_700_000_000_000;
    const keeper = new Keeper({ ledger, config, owner, now, log: () => undefined, sizeBefore });
    await keeper.stop();
    const closed = await ledger.audit.list({ eventType: 'stream_closed' });
    expect(closed.map(({ decision_id, decision }) => [decision_id, decision])).toEqual([['left', 'block']]);
  });
});

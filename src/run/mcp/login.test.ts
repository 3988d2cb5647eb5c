// Logging in to a server, and the authorization sent to it afterwards, against an authorization server on the wire.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testDecider } from '../../../tests/support/decide.ts';
import { newStore, type StorePlace } from '../../../tests/support/ledger.ts';
import { only, programServer } from '../../../tests/support/mcp.ts';
import { browse, type ProtectedOptions, protectedServer } from '../../../tests/support/oauth.ts';
import { realWorld } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { isForLogin } from './http.ts';
import { openUpstreams } from './index.ts';
import { logIn } from './login.ts';

const owner = { user: 'ann', tenant: 'acme' };

async function tickets(options: ProtectedOptions & { headers?: Record<string, string> } = {}) {
  const remote = await protectedServer(options);
  const { headers } = options;
  const server = only({ tickets: { url: remote.url, ...(headers === undefined ? {} : { headers }) } });
  const place = await newStore('sqlite');
  const ledger = await place.open();
  let now = Date.now();
  const world = { ...realWorld(), now: () => now };
  const process = (own: Ledger, chosen = server) => {
    const opened = openUpstreams({
      ...{
        servers: [chosen],
        decider: testDecider({ ledger: own, world }),
        ledger: own,
        world,
        owner,
        environment: {},
        version: '0',
      },
    });
    onTestFinished(() => opened.close());
    return opened;
  };
  const login = async (visit: (page: URL) => unknown = (page) => browse(page.href)) => {
    const signal = AbortSignal.timeout(10_000);
    const decider = testDecider({ ledger, world });
    await logIn({ server, decider, ledger, world, owner, signal, show: (page) => void visit(page) });
  };
  const at = (path: string) => remote.met.filter((one) => one.path === path);
  return { remote, server, place, ledger, process, login, at, pass: (ms: number) => (now += ms) };
}

type Tickets = Awaited<ReturnType<typeof tickets>>;

/** All files that were written, as an attacker with access to them would read them. */
async function written(place: StorePlace): Promise<string> {
  const tables = await place.rows("SELECT name FROM sqlite_master WHERE type = 'table'");
  const rows = await Promise.all(tables.map(({ name }) => place.rows(`SELECT * FROM ${name}`)));
  return JSON.stringify(rows);
}

describe('logging in', () => {
  it('gives a token that is sent to the server, and nothing of it is written down', async () => {
    const { remote, ledger, process, login, at, place } = await tickets();
    const opened = process(ledger);
    await expect(opened.tools('tickets')).rejects.toMatchObject({
      name: 'NotLoggedIn',
      message: 'the MCP server "tickets" wants a login; a person logs in with: sallyport mcp login tickets',
    });
    const pages: URL[] = [];
    await login((page) => {
      pages.push(page);
      return browse(page.href);
    });
    expect(pages[0]?.origin).toBe(remote.issuer);
    expect(pages[0]?.searchParams.get('resource')).toBe(remote.url);
    expect(pages[0]?.searchParams.get('scope')).toBe('tickets:read');
    // The connection that failed for lack of a login is opened at once, without a pause.
    expect(await opened.tools('tickets')).toHaveLength(4);
    const text = await written(place);
    for (const secret of remote.secrets()) expect(text).not.toContain(secret);
    expect(at('/token')[0]?.authorization).toBe('');
    expect(
      remote.met.filter(({ at: side, authorization }) => side === 'authorization' && authorization !== ''),
    ).toEqual([]);
  });

  it('is for that address alone', async () => {
    const { server, ledger, process, login, remote } = await tickets();
    await login();
    const elsewhere = await protectedServer();
    const moved = only({ tickets: { url: elsewhere.url } });
    await expect(process(ledger, moved).tools('tickets')).rejects.toMatchObject({ name: 'NotLoggedIn' });
    expect(elsewhere.met.every(({ authorization }) => authorization === '')).toBe(true);
    const renamed = { ...server, name: 'other' };
    await expect(process(ledger, renamed).tools('other')).rejects.toMatchObject({ name: 'NotLoggedIn' });
    expect(remote.secrets()).toHaveLength(2);
  });

  it.each<[string, ProtectedOptions, string]>([
    ['the person refuses', { consents: false }, 'the login was refused (access_denied)'],
    [
      'the authorization server is in this network',
      { resource: (told) => ({ ...told, authorization_servers: ['http://10.0.0.1'] }) },
      'names an address for its login that is not asked',
    ],
    [
      'it is somebody else than it says',
      { metadata: (told) => ({ ...told, issuer: 'https://other.example' }) },
      'did not succeed',
    ],
    [
      'the server is another than it says',
      { resource: (told) => ({ ...told, resource: 'https://other.example/mcp' }) },
      'did not succeed',
    ],
    [
      'the page is in this network',
      { metadata: (told) => ({ ...told, authorization_endpoint: 'http://169.254.169.254/authorize' }) },
      'sends people to an address that is not opened',
    ],
    [
      'tokens would be asked for in the clear',
      { metadata: (told) => ({ ...told, token_endpoint: 'http://other.example/token' }) },
      'did not succeed',
    ],
    [
      'the code is not taken, with words that nobody judged',
      {
        instead: (path) =>
          path === '/token'
            ? { status: 400, body: '{"error":"invalid_grant","error_description":"IGNORE ALL"}' }
            : undefined,
      },
      'did not succeed (invalid_grant)',
    ],
    [
      'no token is in the answer',
      {
        instead: (path) =>
          path === '/token' ? { status: 200, body: '{"access_token":5,"secret":"abc"}' } : undefined,
      },
      'did not succeed',
    ],
    [
      'nobody can register',
      { instead: (path) => (path === '/register' ? { status: 500, body: 'secret-in-a-page' } : undefined) },
      'did not succeed',
    ],
  ])('fails where %s, in words of ours', async (_, options, message) => {
    const quiet = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => quiet.mockRestore());
    const { login, ledger, server, remote } = await tickets(options);
    const failed = await login().catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: expect.stringContaining(message) });
    expect(String(failed)).not.toMatch(/IGNORE|secret-in-a-page/);
    expect(await ledger.logins.find({ server: server.name, url: remote.url })).toBeUndefined();
  });

  it('takes no answer but that of the page which was opened', async () => {
    const { login } = await tickets();
    const seen: number[] = [];
    await login(async (page) => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '');
      expect(back.hostname).toBe('127.0.0.1');
      for (const query of ['', '?code=forged', '?code=forged&state=guessed']) {
        seen.push((await fetch(`${back.href}${query}`)).status);
      }
      seen.push((await fetch(new URL('/other', back))).status);
      await browse(page.href);
    });
    expect(seen).toEqual([404, 404, 404, 404]);
  });

  it('ends when it is given up, and is nothing for a program', async () => {
    const { ledger, server } = await tickets();
    const stop = new AbortController();
    const common = { decider: testDecider({ ledger }), ledger, world: realWorld(), owner };
    const show = () => stop.abort(new Error('given up'));
    await expect(logIn({ ...common, server, signal: stop.signal, show })).rejects.toThrow('given up');
    const program = { ...common, server: programServer('usual'), signal: stop.signal, show };
    await expect(logIn(program)).rejects.toThrow('is a program, and takes no login');
  });
});

describe('a token', () => {
  const refreshes = ({ at }: Tickets) =>
    at('/token').filter(({ body }) => body.includes('grant_type=refresh_token')).length;

  it('is renewed before it ends, once for everybody who waits for it', async () => {
    const all = await tickets({ expiresIn: 3600 });
    await all.login();
    const other = await all.place.open('b');
    const both = [all.process(all.ledger), all.process(other)];
    for (const opened of both) expect(await opened.tools('tickets')).toHaveLength(4);
    expect(refreshes(all)).toBe(0);
    all.pass(3_580_000);
    const fresh = { fresh: true };
    await Promise.all(both.flatMap((opened) => [opened.tools('tickets', fresh), opened.prompts('tickets')]));
    expect(refreshes(all)).toBe(1);
  });

  it('that the server takes no longer is renewed, and the call goes through', async () => {
    const all = await tickets();
    await all.login();
    const opened = all.process(all.ledger);
    await opened.tools('tickets');
    all.remote.expire();
    expect(await opened.tools('tickets', { fresh: true })).toHaveLength(4);
    expect(refreshes(all)).toBe(1);
  });

  it('that cannot be renewed asks for another login, and is not tried again', async () => {
    const all = await tickets();
    await all.login();
    const opened = all.process(all.ledger);
    await opened.tools('tickets');
    all.remote.revoke();
    for (let times = 0; times < 2; times++) {
      await expect(opened.tools('tickets', { fresh: true })).rejects.toMatchObject({ name: 'NotLoggedIn' });
    }
    expect(refreshes(all)).toBe(1);
    await all.login();
    expect(await opened.tools('tickets', { fresh: true })).toHaveLength(4);
  });

  it('stays where the authorization server is away for a while', async () => {
    let away = false;
    const all = await tickets({
      instead: (path) => (away && path === '/token' ? { status: 503, body: 'secret-in-a-page' } : undefined),
    });
    await all.login();
    const opened = all.process(all.ledger);
    await opened.tools('tickets');
    all.remote.expire();
    away = true;
    const failed = await Promise.resolve(opened.tools('tickets', { fresh: true })).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      name: 'UpstreamGone',
      message: expect.stringContaining('could not be renewed'),
    });
    expect(String(failed)).not.toContain('secret-in-a-page');
    away = false;
    expect(await opened.tools('tickets', { fresh: true })).toHaveLength(4);
  });

  it('is forgotten by everybody when somebody logs out', async () => {
    const all = await tickets();
    await all.login();
    const opened = all.process(all.ledger);
    await opened.tools('tickets');
    const other = await all.place.open('b');
    await other.logins.remove('tickets', owner, Date.now());
    await expect(opened.tools('tickets', { fresh: true })).rejects.toMatchObject({ name: 'NotLoggedIn' });
  });

  it('is not looked for where the user’s file says what is sent', async () => {
    const all = await tickets({ headers: { Authorization: 'Bearer of-the-file' } });
    await expect(all.process(all.ledger).tools('tickets')).rejects.toMatchObject({ name: 'UpstreamGone' });
    expect(all.remote.met.every(({ authorization }) => authorization === 'Bearer of-the-file')).toBe(true);
  });
});

describe('a place that a login leads to', () => {
  it.each([
    ['https://login.example/authorize', true],
    ['https://93.184.215.14/authorize', true],
    ['http://login.example/authorize', false],
    ['https://user:word@login.example/', false], // sallyport:allow
    ['https://localhost/', false],
    ['https://127.0.0.1/', false],
    ['https://[::1]/', false],
    ['https://10.0.0.1/', false],
    ['https://169.254.169.254/', false],
    ['https://metadata.google.internal/', false],
    ['https://printer.local/', false],
    ['javascript:alert(1)', false],
    ['file:///etc/passwd', false],
    ['https://tickets.example:8443/', true],
    ['http://tickets.example/', false],
  ])('%s: %s', (to, allowed) => {
    expect(isForLogin(new URL(to), new URL('https://tickets.example/mcp'))).toBe(allowed);
  });
});

// What stands around the work on the pages: reaches of an approval and where they end up, places of the configuration,
// what a session did, the title, the keys, notifications, and that nothing moves while a page is read.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserMissing } from '../support/browser.ts';
import { looksRight, open, openConsole, useBrowser } from '../support/console.ts';
import { passphrase } from '../support/daemon.ts';

useBrowser();

type Opened = Awaited<ReturnType<typeof openConsole>>;

/** Asks whether a command may run; gives what the daemon says. */
async function asking({ call, credential, workspace }: Opened, command: string, session = 'night') {
  const token = await credential({ agent: 'claude', user: 'owner', tenant: 'local' });
  const body = { kind: 'shell', command, context: { workspace, session, mode: 'auto' } };
  return async () => (await call('/v1/decide', { token, body })).body;
}

describe.skipIf(browserMissing !== null)('an approval', () => {
  it('reaches as far as was chosen, and ends where permissions are listed', async () => {
    const opened = await openConsole();
    const { page, problems } = opened;
    const ask = await asking(opened, 'cat .env');
    expect((await ask()).decision).toBe('approve');
    await open(page, 'Approvals');
    const reach = page.getByLabel('How long it counts');
    expect(await reach.locator('option').allTextContents()).toEqual([
      'Only this once',
      'In this session',
      'In this project, 1 hour',
      'In this project, 30 days',
      'In every project, 30 days',
    ]);
    await reach.selectOption({ label: 'In this project, 30 days' });
    await looksRight(page, 'approvals-reach');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    // It counts more than once.
    for (let times = 0; times < 2; times++) expect((await ask()).decision).toBe('pass');
    await open(page, 'Permissions');
    const permission = page.getByRole('article', { name: /^Permission/ });
    await permission.getByText(/expires in (?:29|30) days/).waitFor();
    await looksRight(page, 'permissions');
    await permission.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('There is no standing permission.').waitFor();
    expect((await ask()).decision).toBe('approve');
    expect(problems).toEqual([]);
  });

  it('is for once only where the daemon permits no more', async () => {
    const opened = await openConsole();
    const { page } = opened;
    await (await asking(opened, 'git push --force origin main'))();
    await open(page, 'Approvals');
    await page.getByRole('heading', { name: /^Run git push --force origin main: replaces/ }).waitFor();
    await page.getByText('This is asked every time.').waitFor();
    expect(await page.getByLabel('How long it counts').count()).toBe(0);
    expect(await page.getByText('Needs approval').count()).toBe(1);
  });

  it('shows what a write replaces, line by line, with nothing left out', async () => {
    const { page, call, credential, workspace } = await openConsole();
    const token = await credential({ agent: 'claude' });
    writeFileSync(join(workspace, 'Makefile'), 'a:\n\ttrue\n');
    const tool_input = {
      file_path: join(workspace, '.github/workflows/ci.yml'),
      old_string: 'jobs:\n  one: 1\n  end: 0',
      new_string: 'jobs:\n  two: 2\n  end: 0',
    };
    const hook = {
      ...{ session_id: 's', cwd: workspace, hook_event_name: 'PreToolUse', permission_mode: 'auto' },
      ...{ tool_name: 'Edit', tool_input, tool_use_id: 't' },
    };
    void call('/v1/hook/claude?event=PreToolUse', { token, body: hook }).catch(() => undefined);
    await open(page, 'Approvals');
    const lines = page.locator('.lines > span');
    await lines.first().waitFor();
    expect(await lines.allTextContents()).toEqual([' jobs:', '-  one: 1', '+  two: 2', '   end: 0']);
    await looksRight(page, 'approvals-diff');
  });
});

describe.skipIf(browserMissing !== null)('a new tab', () => {
  it('shows everything, and asks for the passphrase before it signs', async () => {
    const opened = await openConsole();
    const { page, start } = opened;
    const ask = await asking(opened, 'git push origin main');
    await ask();
    const tab = await page.context().newPage();
    await tab.goto(`${start}#/approvals`);
    await tab.locator('button.yes[aria-disabled=false]:enabled').waitFor();
    await tab.getByRole('button', { name: 'Approve once' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Sign with your passphrase' });
    await dialog.waitFor();
    await dialog.getByLabel('Passphrase').fill(passphrase);
    await dialog.getByRole('button', { name: 'Sign', exact: true }).click();
    await tab.getByText('Nothing waits for you.').waitFor();
    expect((await ask()).decision).toBe('pass');
    // Signing out ends it in every tab.
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await tab.reload();
    await tab.getByRole('button', { name: 'Sign in' }).waitFor();
  });
});

describe.skipIf(browserMissing !== null)('the configuration', () => {
  it('shows MCP servers without what opens them', async () => {
    const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow
    const { page, call, session, problems } = await openConsole({
      configuration: [
        '[servers.tickets]',
        `url = "https://tickets.example/mcp?key=${secret}"`,
        'tools = ["list_*"]',
        '[servers.files]',
        'command = "mcp-files"',
        `args = ["--token", "${secret}", "/srv"]`,
      ].join('\n'),
    });
    await page.evaluate("location.hash = '#/servers'");
    const tickets = page.getByRole('article', { name: 'tickets' });
    await tickets.getByText('https://tickets.example/mcp', { exact: true }).waitFor();
    await tickets.getByText('list_*').waitFor();
    await page.getByRole('article', { name: 'files' }).getByText('mcp-files').waitFor();
    expect(await page.content()).not.toContain(secret);
    const { body } = await call('/v1/servers', { token: await session() });
    expect(JSON.stringify(body)).not.toContain(secret);
    await looksRight(page, 'servers');
    expect(problems).toEqual([]);
  });

  it('shows where notifications go, and has this browser send its own', async () => {
    const opened = await openConsole({
      configuration:
        '[notify]\nslack = "https://hooks.slack.example/services/T0/B0/x"\nafter_seconds = 3600\n',
    });
    const { page, problems } = opened;
    // A browser that grants what it is asked for, and keeps what it would show.
    await page.evaluate(`window.shown = [];
      window.Notification = class { constructor(title, { body }) { window.shown.push(body); } close() {} };
      Notification.permission = 'default';
      Notification.requestPermission = async () => (Notification.permission = 'granted');`);
    await page.evaluate("location.hash = '#/notifications'");
    await page.getByText('A question that waits for 3600 seconds').waitFor();
    const slack = page.getByRole('listitem').filter({ hasText: 'Slack' });
    expect(await slack.textContent()).toContain('on');
    expect(await page.content()).not.toContain('hooks.slack.example');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('This browser tells you about new questions').waitFor();
    await looksRight(page, 'notifications');
    await (await asking(opened, 'cat .env'))();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    expect(await page.evaluate('window.shown')).toEqual([]);
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    await (await asking(opened, 'cat .env.production'))();
    await expect.poll(() => page.evaluate('window.shown')).toEqual(['2 questions wait for you.']);
    expect(problems).toEqual([]);
  });
});

describe.skipIf(browserMissing !== null)('the frame', () => {
  it('counts in its title what waits, and shows the keys until Esc', async () => {
    const opened = await openConsole();
    const { page, problems } = opened;
    expect(await page.title()).toBe('Overview · Sallyport');
    await (await asking(opened, 'cat .env'))();
    await expect.poll(() => page.title()).toBe('(1) Overview · Sallyport');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('approve the chosen question once').waitFor();
    await looksRight(page, 'help');
    // Keys of the pages do nothing behind it.
    await page.keyboard.press('2');
    expect(page.url()).not.toContain('#/approvals');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    for (const [key, hash] of [
      ['2', 'approvals'],
      ['9', 'permissions'],
      ['0', 'servers'],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForURL(`**/#/${hash}`);
    }
    expect(problems).toEqual([]);
  });

  it('can be installed', async () => {
    const { page, start, problems } = await openConsole();
    const manifest = await page.locator('link[rel=manifest]').getAttribute('href');
    const answer = await page.request.get(new URL(String(manifest), start).href);
    expect(answer.headers()['content-type']).toBe('application/manifest+json');
    const { start_url: begins, icons, display } = await answer.json();
    expect([begins, display]).toEqual(['/console/', 'standalone']);
    expect((await page.request.get(new URL(icons[0].src, start).href)).status()).toBe(200);
    expect(problems).toEqual([]);
  });

  it('tells what a session did, in its order', async () => {
    const opened = await openConsole();
    const { page, problems } = opened;
    await (await asking(opened, 'ls'))();
    await (await asking(opened, 'rm -rf /'))();
    await (await asking(opened, 'cat .env'))();
    await (await asking(opened, 'ls -la', 'another'))();
    await page.evaluate("location.hash = '#/log/session/night'");
    const events = page.locator('.timeline > li');
    await events.first().waitFor();
    expect(await events.locator('strong').allTextContents()).toEqual(['Did', 'Blocked', 'Asked']);
    expect((await events.allTextContents()).join(' ')).not.toContain('ls -la');
    await looksRight(page, 'session');
    expect(problems).toEqual([]);
  });
});

/** Collects what moves on the page, from now on, but for half a second after each touch of a person. */
const watchShifts = (page: Page) =>
  page.evaluate(`window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
    }).observe({ type: 'layout-shift' });`);

it.skipIf(browserMissing !== null).each(['approvals', 'changes'])(
  'nothing moves on %s when something comes',
  async (name) => {
    const opened = await openConsole();
    const { page, call, credential, workspace } = opened;
    await (await asking(opened, 'cat .env'))();
    const token = await credential({ agent: 'claude', user: 'owner', tenant: 'local' });
    const propose = async (path: string) => {
      const edits = [{ op: 'write', path, content: 'new\n' }];
      await call('/v1/changes', { token, body: { edits, context: { workspace } } });
    };
    await propose('a.txt');
    await page.evaluate(`location.hash = '#/${name}'`);
    await page.locator('[data-card]').first().waitFor();
    await page.waitForTimeout(600);
    await watchShifts(page);
    await (await asking(opened, 'cat .env.local'))();
    await propose('b.txt');
    await page
      .getByRole('navigation')
      .getByRole('link', { name: 'Changes' })
      .locator('.count', { hasText: /^2/ })
      .waitFor();
    await page.waitForTimeout(400);
    expect(await page.evaluate('window.shifts')).toBeLessThan(0.01);
  },
);

// The console of a test's own daemon in a real browser, and a person who signed in to it.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { browserMissing, complaintsOf, launchBrowser } from './browser.ts';
import { bundleFolder } from './bundle.ts';
import { passphrase, testDaemon } from './daemon.ts';

const pictures = join('artifacts', 'console');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser | undefined;

/** Starts a browser for the tests of a file, and ends it after them. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (browserMissing !== null) return;
    mkdirSync(pictures, { recursive: true });
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
}

export type Given = Parameters<typeof testDaemon>[0];

export interface Opening {
  /** With the passphrase the key is open; with a link it is not. */
  readonly by?: 'passphrase' | 'link' | 'nobody';
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly host?: 'localhost' | '127.0.0.1';
}

/** A daemon, and its console in a page. */
export async function openConsole(given: Given = {}, opening: Opening = {}) {
  const { by = 'passphrase', viewport = { width: 1200, height: 900 }, host = 'localhost' } = opening;
  const daemon = await testDaemon({
    passphrase: true,
    consoleFolder: join(bundleFolder(), 'dist', 'console'),
    ...given,
  });
  if (browser === undefined) throw new Error('there is no browser');
  const context = await browser.newContext({ viewport, acceptDownloads: true });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  // That a call has to be signed is no problem, though the browser says so.
  const problems = complaintsOf(page, /status of 428/);
  const start = `http://${host}:${daemon.daemon.port}/console/`;
  const link = async (): Promise<string> =>
    (await daemon.call('/v1/session/link', { body: await daemon.answerTo(passphrase) })).body.secret;
  const secret = by === 'link' ? await link() : '';
  await page.goto(by === 'link' ? `${start}#${secret}` : start);
  if (by === 'passphrase') await signIn(page);
  if (by !== 'nobody') await page.getByText('live').first().waitFor();
  return { ...daemon, page, problems, start, secret };
}

/** Makes the key of a user of the configuration count, as `sallyport approvers vouch` does. */
export async function vouchFor(
  { ledger, ownKey, home }: Awaited<ReturnType<typeof testDaemon>>,
  name: string,
): Promise<void> {
  const { users } = await loadConfig({ home, environment: {} });
  const user = users.find((one) => one.name === name);
  if (user === undefined) throw new Error(`there is no user ${name}`);
  const { role, tenant, passphrase: kept } = user;
  const statement = ledger.approvers.statement('user', { key: kept.publicKey, name, role, tenant });
  await ledger.approvers.add(statement, await ownKey(), { user: 'owner', tenant: 'local' });
}

/** Types a passphrase, and a name if there is one, into the page for those who are not signed in. */
export async function signIn(page: Page, phrase = passphrase, name?: string): Promise<void> {
  if (name !== undefined) await page.getByLabel('Name').fill(name);
  await page.getByLabel('Passphrase').fill(phrase);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** What the page sends to change something, from now on; a call that is sent again with its signature counts once. */
export function sentBy(page: Page): readonly (readonly [string, unknown])[] {
  const sent: (readonly [string, unknown])[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    const again = request.headers()['sallyport-signature'] !== undefined;
    if (request.method() === 'GET' || again || pathname.startsWith('/v1/session')) return;
    sent.push([pathname, request.postDataJSON()]);
  });
  return sent;
}

/** Keeps a picture, and finds nothing that shuts people out. */
export async function looksRight(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  // What fades is in between two colours for a moment.
  await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run: () => Promise<AxeResult> } }).axe.run;
    const { violations } = await run();
    return violations.map(
      ({ id, impact, nodes }) => `${impact} ${id} ${nodes.map(({ html }) => html).join(' ')}`,
    );
  });
  expect(found.filter((line) => /^(?:serious|critical)/.test(line))).toEqual([]);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Goes to a page by its link. */
export const open = (page: Page, name: string) =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(name) })
    .first()
    .click();

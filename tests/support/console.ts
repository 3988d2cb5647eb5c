// The console of a test's own daemon in a real browser, opened by a person who came in by a link.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
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

/** A daemon, and a page of it that a person came in to by a link. */
export async function cameIn(given: Given = {}, viewport = { width: 1200, height: 900 }) {
  const daemon = await testDaemon({
    passphrase: true,
    consoleFolder: join(bundleFolder(), 'dist', 'console'),
    ...given,
  });
  if (browser === undefined) throw new Error('there is no browser');
  const context = await browser.newContext({ viewport, acceptDownloads: true });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems = complaintsOf(page);
  const { secret } = (await daemon.call('/v1/session/link', { body: await daemon.answerTo(passphrase) }))
    .body;
  const start = `http://localhost:${daemon.daemon.port}/console/`;
  await page.goto(`${start}#${secret}`);
  await page.getByText('live').first().waitFor();
  return { ...daemon, page, problems, start, secret };
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
    .getByRole('link', { name: new RegExp(name) })
    .first()
    .click();

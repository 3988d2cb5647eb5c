// Every page of the console on a usual day: in light and dark, at a desk and on a phone, without anything that shuts people
// out. With SALLYPORT_PICTURES the pictures of the documentation are kept.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserMissing } from '../support/browser.ts';
import { looksRight, openConsole, signIn, useBrowser } from '../support/console.ts';
import { fillSamples, sampleWorld } from '../support/console-samples.ts';
import { oneOf } from '../support/share.ts';

const pictures = process.env['SALLYPORT_PICTURES'];

useBrowser();

const views = (
  [
    ['desk', 'light', 1440, 900],
    ['phone', 'dark', 390, 844],
    ['desk', 'dark', 1440, 900],
    ['phone', 'light', 390, 844],
  ] as const
).slice(0, pictures === undefined ? 4 / oneOf(2) : 4);

/** Every page, and what is opened on it. */
const pages: readonly (readonly [name: string, hash: string, open?: (page: Page) => Promise<unknown>])[] = [
  ['overview', 'overview'],
  ['approvals', 'approvals'],
  ['changes', 'changes'],
  ['log', 'log'],
  [
    'decision',
    'log',
    (page) =>
      page
        .getByRole('link', { name: /evil\.example/ })
        .first()
        .click(),
  ],
  ['session', 'log/session/checkout'],
  ['policies', 'policies'],
  ['policy', 'policies', testPolicy],
  ['try', 'try', (page) => page.getByRole('button', { name: 'Test it' }).click()],
  ['hosts', 'hosts'],
  ['approvers', 'approvers'],
  ['permissions', 'permissions'],
  ['servers', 'servers'],
  ['notifications', 'notifications'],
  ['keys', 'notifications', (page) => page.keyboard.press('?')],
];

async function testPolicy(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New policy' }).click();
  await page.getByLabel('Begin with').selectOption({ label: 'Only people add dependencies' });
  await page.getByText('It can be saved').waitFor();
  await page.getByRole('button', { name: 'Test on recent decisions' }).click();
  await page.getByText(/^Would change/).waitFor();
}

const configuration = `[servers.tickets]
url = "https://tickets.example/mcp"
tools = ["list_*", "comment"]
[servers.files]
command = "mcp-files"
args = ["/srv/docs"]
agents = ["claude"]
[notify]
desktop = true
`;

/** Keeps a picture, as tall as the page within reason, so that what sticks to the window stays where it belongs. */
async function keep(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  const { width, height } = page.viewportSize()!;
  const tall = Number(await page.evaluate("document.querySelector('main').scrollHeight"));
  if (width > 1000) await page.setViewportSize({ width, height: Math.max(height, Math.min(tall, 1500)) });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.setViewportSize({ width, height });
}

describe.skipIf(browserMissing !== null)('every page', () => {
  it.each(views)('looks right at a %s, %s', async (place, colorScheme, width, height) => {
    const { world, clock } = sampleWorld();
    const opened = await openConsole({ world, configuration }, { by: 'nobody', viewport: { width, height } });
    const { page, problems } = opened;
    await page.emulateMedia({ colorScheme });
    await fillSamples(opened, clock);
    const look = async (name: string) => {
      await page.mouse.move(width / 2, 1);
      await keep(page, `${name}-${place}-${colorScheme}`);
      await looksRight(page, `${name}-${place}-${colorScheme}`);
      const wider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
      expect([name, wider]).toEqual([name, false]);
    };
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await look('sign-in');
    await signIn(page);
    await page.getByText('live').first().waitFor();
    for (const [name, hash, act] of pages) {
      await page.evaluate(`location.hash = '#/${hash}'`);
      await page.waitForTimeout(600);
      await act?.(page);
      if (act !== undefined) await page.waitForTimeout(300);
      await look(name);
      if (name === 'policy' || name === 'try') await page.reload();
    }
    expect(problems).toEqual([]);
  });
});

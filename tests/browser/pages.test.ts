// Every page of the console on a usual day: in light and dark, at a desk and on a phone, without anything that shuts people
// out. With SALLYPORT_PICTURES the pictures of the documentation are kept.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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

const pages = [
  'overview',
  'approvals',
  'changes',
  'log',
  'policies',
  'try',
  'hosts',
  'approvers',
  'permissions',
  'servers',
  'notifications',
];

describe.skipIf(browserMissing !== null)('every page', () => {
  it.each(views)('looks right at a %s, %s', async (place, colorScheme, width, height) => {
    const { world, clock } = sampleWorld();
    const opened = await openConsole({ world }, { by: 'nobody', viewport: { width, height } });
    const { page, problems } = opened;
    await page.emulateMedia({ colorScheme });
    await fillSamples(opened, clock);
    await signIn(page);
    await page.getByText('live').first().waitFor();
    for (const name of pages) {
      await page.evaluate(`location.hash = '#/${name}'`);
      await page.waitForTimeout(700);
      if (pictures !== undefined) {
        mkdirSync(pictures, { recursive: true });
        // As tall as the page, within reason, so that what sticks to the window stays where it belongs.
        const tall = Number(await page.evaluate('document.documentElement.scrollHeight'));
        if (place === 'desk')
          await page.setViewportSize({ width, height: Math.max(height, Math.min(tall, 1500)) });
        await page.screenshot({
          path: join(pictures, `${name}-${place}-${colorScheme}.png`),
        });
      }
      await looksRight(page, `${name}-${place}-${colorScheme}`);
      const wider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
      expect([name, wider]).toEqual([name, false]);
    }
    expect(problems).toEqual([]);
  });
});

// Debian's Chromium, without a screen.

import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const program = '/usr/bin/chromium';

/** Why no page can be opened here; null where one can. */
export const browserMissing: string | null = existsSync(program)
  ? null
  : "pages are opened by Debian's Chromium, which is not installed";
if (browserMissing !== null) process.stderr.write(`Skipped: ${browserMissing}.\n`);

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
}

/** What a page complains of, from now on, except what is expected. */
export function complaintsOf(page: Page, expected = /^$/): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}

/** Opens a file; gives the document as the browser understood it, and what it complained of. */
export async function openPage(
  file: string,
): Promise<{ readonly dom: string; readonly errors: readonly string[] }> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const errors = complaintsOf(page);
    await page.goto(pathToFileURL(file).href);
    return { dom: await page.content(), errors };
  } finally {
    await browser.close();
  }
}

// How soon a question is on the page of the console, in a real browser.

import { spawn } from 'node:child_process';
import { browserMissing, launchBrowser } from '../tests/support/browser.ts';
import type { personOver } from '../tests/support/person.ts';
import { median, type Row, short } from './table.ts';

const questions = 25;
/** How soon a question must be painted, in milliseconds. */
const goal = 500;

type Person = Awaited<ReturnType<typeof personOver>>;

/** Notes when each card was painted first, on the clock of the machine. */
const watch = `window.painted = {};
  new MutationObserver(() => {
    for (const { id } of document.querySelectorAll('article.question')) {
      if (id in window.painted) continue;
      window.painted[id] = null;
      requestAnimationFrame(() => requestAnimationFrame(() => { window.painted[id] = Date.now(); }));
    }
  }).observe(document.body, { childList: true, subtree: true });`;

/** From the moment that a question is put until its card is painted; null where no browser is installed. */
export async function questionToCard(
  { port, passphrase, person }: { port: number; passphrase: string; person: Person },
  client: string,
  commanded: (command: string) => string,
): Promise<Row | null> {
  if (browserMissing !== null) return null;
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/console/#/approvals`);
    await page.getByLabel('Passphrase').fill(passphrase);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('live').first().waitFor();
    await page.evaluate(watch);
    const times: number[] = [];
    for (let round = 0; round < questions; round++) {
      const hook = spawn('/bin/sh', ['-c', client], { stdio: ['pipe', 'ignore', 'ignore'] });
      const over = new Promise((resolve) => hook.once('exit', resolve));
      hook.stdin.end(commanded(`git push --force origin card-${round}`));
      const card = page.locator('article.question:not(.ended)');
      await card.waitFor();
      const id = String(await card.getAttribute('data-card'));
      // Asked again and again: the page's policy lets no text be evaluated in it, which waiting there would need.
      let painted: unknown;
      while (typeof painted !== 'number') painted = await page.evaluate(`window.painted['approval-${id}']`);
      const { createdAt } = (await person.call(`/v1/approvals/${id}`)) as unknown as { createdAt: string };
      times.push(painted - Date.parse(createdAt));
      await person.call(`/v1/approvals/${id}/answer`, { body: { answer: 'deny' } });
      await over;
      await card.waitFor({ state: 'detached' });
    }
    const [middle, most] = [median(times), Math.max(...times)];
    return {
      what: `a question is painted in the console, ${questions} times`,
      ours: `${short(middle)} ms, at most ${short(most)} ms`,
      floor: '',
      ratio: '',
      goal: `at most ${goal} ms`,
      met: most <= goal,
    };
  } finally {
    await browser.close();
  }
}

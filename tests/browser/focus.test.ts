// Keys and clicks in a real browser answer what the person looked at, and nothing else: whatever ends, comes, repeats or
// moves in the meantime.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserMissing } from '../support/browser.ts';
import { type Given, looksRight, open, openConsole, sentBy, useBrowser } from '../support/console.ts';

useBrowser();

type Opened = Awaited<ReturnType<typeof openConsole>>;

const answerTo = (id: string, answer: 'approve' | 'deny') => [`/v1/approvals/${id}/answer`, { answer }];

/** The approvals page with these addresses asked for, and their ids. */
async function asking(urls: readonly string[], given: Given = {}) {
  const resolve = async () => ['203.0.113.7'];
  const opened = await openConsole({ ...given, world: { resolve, ...given?.world } });
  const token = await opened.credential({ agent: 'claude' });
  const ask = async (url: string): Promise<string> => (await opened.decide(token, url)).body.approval.id;
  const ids: string[] = [];
  for (const url of urls) ids.push(await ask(url));
  await open(opened.page, 'Approvals');
  for (const id of ids) await card(opened.page, id).waitFor();
  return { ...opened, ask, ids, token, sent: sentBy(opened.page) };
}

const card = (page: Page, id: string) => page.getByRole('article', { name: `Approval ${id}` });
const button = (page: Page, id: string, name: string) => card(page, id).getByRole('button', { name });

/** Focuses a question as a person does who goes there by Tab. */
async function look(page: Page, id: string): Promise<void> {
  await button(page, id, 'Deny').focus();
  await page.locator(`#approval-${id}.keys`).waitFor();
}

async function denyElsewhere({ call, session }: Opened, id: string): Promise<void> {
  const token = await session();
  const answer = await call(`/v1/approvals/${id}/answer`, { token, body: { answer: 'deny' } });
  expect(answer.status).toBe(200);
}

/** Waits until the page counts so many that wait. */
const counts = (page: Page, title: string, count: number) =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: title })
    .locator('.count', { hasText: new RegExp(`^${count} `) })
    .waitFor();

/** Until whatever a key set off has been sent. */
const settled = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))');

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
  await settled(page);
}

const focusedIn = (page: Page) => page.evaluate('document.activeElement.closest("article")?.id ?? null');

describe.skipIf(browserMissing !== null)('a key on the approvals page', () => {
  it('answers nothing until the person has chosen a question, then that one', async () => {
    const { page, ids, sent, problems } = await asking(['https://one.example/', 'https://two.example/']);
    await press(page, 'a', 'd');
    expect(sent).toEqual([]);
    await page.getByText('choose a question').waitFor();
    await press(page, 'j');
    expect(await focusedIn(page)).toBe(`approval-${ids[0]}`);
    await page.locator(`#approval-${ids[0]}.keys`).waitFor();
    await press(page, 'j');
    await page.locator(`#approval-${ids[1]}.keys`).waitFor();
    await looksRight(page, 'approvals-chosen');
    await press(page, 'a');
    expect(sent).toEqual([answerTo(ids[1]!, 'approve')]);
    await page.getByText(`Approved: ${ids[1]}`).waitFor();
    // The other one waits still, and has no focus.
    await press(page, 'a', 'd');
    expect(sent).toHaveLength(1);
    await press(page, 'k');
    await page.locator(`#approval-${ids[0]}.keys`).waitFor();
    await press(page, 'd');
    expect(sent.slice(1)).toEqual([answerTo(ids[0]!, 'deny')]);
    expect(problems).toEqual([]);
  });

  it('answers no other question when the one that was looked at is answered elsewhere', async () => {
    const opened = await asking(['https://harmless.example/', 'https://second-unseen.example/']);
    const { page, ids, sent, call, session } = opened;
    await button(page, ids[0]!, 'Deny').focus();
    await denyElsewhere(opened, ids[0]!);
    await counts(page, 'Approvals', 1);
    await press(page, 'a', 'd');
    expect(sent).toEqual([]);
    const left = await call('/v1/approvals', { token: await session() });
    expect(left.body.approvals).toMatchObject([{ id: ids[1], state: 'pending' }]);
    await page.getByText('was answered elsewhere or expired').waitFor();
    expect(await focusedIn(page)).toBe(null);
    await looksRight(page, 'approvals-ended');
    // The person goes on by choosing.
    await press(page, 'j');
    await page.locator(`#approval-${ids[1]}.keys`).waitFor();
    await press(page, 'd');
    expect(sent).toEqual([answerTo(ids[1]!, 'deny')]);
  });

  it('answers no other question when the one that was looked at runs out', async () => {
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const { page, ids, ask, sent } = await asking(['https://first.example/'], {
      world: { now },
      configuration: '[approvals]\nexpiry_seconds = 1800\n',
    });
    ahead = 1_200_000;
    const later = await ask('https://later.example/');
    await card(page, later).waitFor();
    await button(page, ids[0]!, 'Deny').focus();
    ahead = 1_820_000;
    await card(page, ids[0]!).getByText('Answered elsewhere, or expired').waitFor();
    await press(page, 'a', 'd');
    expect(sent).toEqual([]);
    await page.getByText('was answered elsewhere or expired').waitFor();
  });

  it('still answers the one that was looked at when another comes', async () => {
    const { page, ids, ask, sent } = await asking(['https://first.example/']);
    await look(page, ids[0]!);
    await card(page, await ask('https://later.example/')).waitFor();
    expect(await focusedIn(page)).toBe(`approval-${ids[0]}`);
    await press(page, 'd');
    expect(sent).toEqual([answerTo(ids[0]!, 'deny')]);
  });

  it('does not count while it repeats', async () => {
    const { page, ids, sent } = await asking(['https://first.example/', 'https://second.example/']);
    await page.keyboard.down('a');
    await look(page, ids[0]!);
    await page.keyboard.down('a');
    await page.keyboard.down('a');
    await settled(page);
    expect(sent).toEqual([]);
    await page.keyboard.up('a');
    await press(page, 'a');
    expect(sent).toEqual([answerTo(ids[0]!, 'approve')]);
  });

  it('does not count when it was pressed before the focus could be seen', async () => {
    const { page, ids, sent } = await asking(['https://first.example/', 'https://second.example/']);
    const typed = `for (const key of ['j', 'a', 'd', 'j', 'a'])
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));`;
    await page.evaluate(typed);
    await settled(page);
    expect(sent).toEqual([]);
    // One that waited in the queue while the page was busy is as old as it is.
    await page.locator(`#approval-${ids[1]}.keys`).waitFor();
    await page.evaluate(`const old = new KeyboardEvent('keydown', { key: 'a', bubbles: true });
      Object.defineProperty(old, 'timeStamp', { value: 1 });
      document.activeElement.dispatchEvent(old);`);
    await settled(page);
    expect(sent).toEqual([]);
    await press(page, 'd');
    expect(sent).toEqual([answerTo(ids[1]!, 'deny')]);
  });

  it('brings back a question that was scrolled away, and answers it at the next press', async () => {
    const urls = Array.from({ length: 5 }, (_, at) => `https://host-${at}.example/`);
    const { page, ids, sent } = await asking(urls);
    await look(page, ids[0]!);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await press(page, 'a');
    expect(sent).toEqual([]);
    await press(page, 'a');
    expect(sent).toEqual([answerTo(ids[0]!, 'approve')]);
  });

  it('answers the question that an address names', async () => {
    const { page, ids, sent } = await asking(['https://first.example/', 'https://second.example/']);
    await page.evaluate(`location.hash = '#/approvals/${ids[1]}'`);
    await page.locator(`#approval-${ids[1]}.keys`).waitFor();
    await press(page, 'd');
    expect(sent).toEqual([answerTo(ids[1]!, 'deny')]);
  });
});

describe.skipIf(browserMissing !== null)('a click on the approvals page', () => {
  it('finds each question where it was when the one above it ends', async () => {
    const opened = await asking(['https://first.example/', 'https://second.example/']);
    const { page, ids, sent, ask } = opened;
    const yes = button(page, ids[1]!, 'Approve');
    const before = await yes.boundingBox();
    await denyElsewhere(opened, ids[0]!);
    await card(page, ids[0]!).getByText('Answered elsewhere, or expired').waitFor();
    await card(page, await ask('https://third.example/')).waitFor();
    expect(await yes.boundingBox()).toEqual(before);
    expect(await button(page, ids[0]!, 'Approve').isDisabled()).toBe(true);
    await yes.click();
    await page.getByText(`Approved: ${ids[1]}`).waitFor();
    expect(sent).toEqual([answerTo(ids[1]!, 'approve')]);
    await page.getByRole('button', { name: 'Hide them' }).click();
    await card(page, ids[0]!).waitFor({ state: 'detached' });
    expect(await page.getByRole('article').count()).toBe(1);
  });

  it('answers one question, doubled or not', async () => {
    const { page, ids, sent } = await asking(['https://first.example/', 'https://second.example/']);
    await button(page, ids[0]!, 'Deny').dblclick();
    await page.getByText(`Denied: ${ids[0]}`).waitFor();
    await settled(page);
    expect(sent).toEqual([answerTo(ids[0]!, 'deny')]);
  });
});

/** Presses a button at once, as a pointer does that was on its way already. */
const pressNow = (page: Page, place: string, name: string) =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(`${place} button`)})]
    .find((button) => button.textContent.startsWith(${JSON.stringify(name)})).click()`);

/** Pushes everything on the page down, as a notice does that comes. */
const pushDown = (page: Page) =>
  page.evaluate(
    "document.querySelector('main').prepend(Object.assign(document.createElement('h3'), { textContent: 'new' }))",
  );

/** Until what moved has stood still for long enough. */
const stood = (page: Page, place: string, name: string) =>
  page.locator(`${place} button[aria-disabled=false]`, { hasText: name }).first().waitFor();

describe.skipIf(browserMissing !== null)('what moved a moment ago', () => {
  it('takes no click and no key on the approvals page, until it stood still', async () => {
    const { page, ids, sent, problems } = await asking(['https://first.example/', 'https://second.example/']);
    const place = `#approval-${ids[1]}`;
    await look(page, ids[1]!);
    await pushDown(page);
    await pressNow(page, place, 'Approve');
    await page.keyboard.press('a');
    await settled(page);
    expect(sent).toEqual([]);
    await page.getByText('so nothing was sent').waitFor();
    await stood(page, place, 'Approve');
    await pressNow(page, place, 'Deny');
    await page.getByText(`Denied: ${ids[1]}`).waitFor();
    expect(sent).toEqual([answerTo(ids[1]!, 'deny')]);
    expect(problems).toEqual([]);
  });

  it('takes no answer when it has only just come', async () => {
    const { page, ask, sent } = await asking(['https://first.example/']);
    // The page answers whatever comes next, as soon as it is there.
    await page.evaluate(`new MutationObserver(() => {
      const buttons = [...document.querySelectorAll('article button')].filter(({ textContent }) => textContent.startsWith('Approve'));
      if (buttons.length === 2) buttons[1].click();
    }).observe(document.body, { childList: true, subtree: true })`);
    await card(page, await ask('https://unseen.example/')).waitFor();
    await settled(page);
    expect(sent).toEqual([]);
  });

  it('takes one answer of a key that is pressed twice', async () => {
    const { page, ids, sent } = await asking(['https://first.example/', 'https://second.example/']);
    await look(page, ids[0]!);
    await press(page, 'd', 'd', 'd');
    await page.getByText(`Denied: ${ids[0]}`).waitFor();
    await press(page, 'd');
    expect(sent).toEqual([answerTo(ids[0]!, 'deny')]);
  });

  it('takes no decision on the changes page', async () => {
    const { page, ids, sent } = await proposing();
    const place = `#change-${ids[0]}`;
    await stood(page, place, 'Discard');
    await pushDown(page);
    for (const name of ['Accept all', 'Discard', 'Accept file']) await pressNow(page, place, name);
    await settled(page);
    expect(sent).toEqual([]);
    await stood(page, place, 'Accept all');
    await pressNow(page, place, 'Accept all');
    await page.getByText('all decided').waitFor();
    expect(sent).toHaveLength(1);
  });
});

it.skipIf(browserMissing !== null)('a double click removes one policy', async () => {
  const { page, call, session } = await openConsole();
  const token = await session();
  for (const id of ['first', 'second']) {
    const text = 'forbid (principal, action == Action::"shell", resource);';
    expect((await call('/v1/policies', { token, body: { id, text } })).status).toBe(201);
  }
  await open(page, 'Policies');
  const sent = sentBy(page);
  await page.getByRole('article', { name: 'first' }).getByRole('button', { name: 'Remove' }).dblclick();
  await page.getByText('Removed: first').waitFor();
  await settled(page);
  expect(sent.map(([path]) => path)).toEqual(['/v1/policies/first']);
  await page.getByRole('article', { name: 'second' }).waitFor();
});

/** The changes page with two changes that wait, and their ids. */
async function proposing() {
  const opened = await openConsole();
  const { page, call, credential, workspace } = opened;
  const token = await credential({ agent: 'claude' });
  const propose = async (name: string): Promise<string> => {
    writeFileSync(join(workspace, name), Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join(''));
    const replace = [
      { old: 'line 2\n', new: 'line two\n' },
      { old: 'line 25\n', new: 'line twenty-five\n' },
    ];
    const edits = [{ op: 'replace', path: name, replace }];
    return (await call('/v1/changes', { token, body: { edits, context: { workspace } } })).body.change.id;
  };
  const ids = [await propose('a.txt'), await propose('b.txt')];
  await open(page, 'Changes');
  await page.getByRole('region', { name: `Change ${ids[0]}` }).waitFor();
  return { ...opened, ids, propose, sent: sentBy(page) };
}

async function rejectElsewhere({ call, session }: Opened, id: string): Promise<void> {
  const token = await session();
  expect((await call(`/v1/changes/${id}/reject`, { token, body: {} })).status).toBe(200);
}

describe.skipIf(browserMissing !== null)('a key on the changes page', () => {
  it('decides about the change that the person chose, by what was shown of it', async () => {
    const { page, ids, sent, problems } = await proposing();
    await press(page, 'a', 'r');
    expect(sent).toEqual([]);
    await press(page, 'j');
    await page.locator(`#change-${ids[0]}.keys`).waitFor();
    await press(page, 'j');
    await page.locator(`#change-${ids[1]}.keys`).waitFor();
    await looksRight(page, 'changes-chosen');
    await press(page, 'a');
    expect(sent).toEqual([[`/v1/changes/${ids[1]}/decisions`, { decision: 'accept', hunks: [1, 2] }]]);
    await page.getByText('all decided').waitFor();
    await page.keyboard.down('r');
    await page.keyboard.down('r');
    await settled(page);
    expect(sent.slice(1)).toEqual([
      [`/v1/changes/${ids[1]}/decisions`, { decision: 'reject', hunks: [1, 2] }],
    ]);
    expect(problems).toEqual([]);
  });

  it('decides about no other change when the one that was looked at ends elsewhere', async () => {
    const opened = await proposing();
    const { page, ids, sent } = opened;
    const accept = page.getByRole('button', { name: 'Accept all' });
    const before = await accept.boundingBox();
    await accept.focus();
    await rejectElsewhere(opened, ids[0]!);
    await counts(page, 'Changes', 1);
    await press(page, 'a', 'r');
    expect(sent).toEqual([]);
    // Nor does a click, where the button of the first stood.
    await page.mouse.click(before!.x + 5, before!.y + 5);
    await settled(page);
    expect(sent).toEqual([]);
    await page.getByText('was applied, discarded or expired').waitFor();
    await press(page, 'j');
    await page.locator(`#change-${ids[1]}.keys`).waitFor();
    await press(page, 'r');
    expect(sent).toEqual([[`/v1/changes/${ids[1]}/decisions`, { decision: 'reject', hunks: [1, 2] }]]);
  });

  it('has nothing to decide about after the person ended a change, until another is chosen', async () => {
    const { page, ids, sent, propose } = await proposing();
    const discard = page.getByRole('button', { name: 'Discard' });
    await discard.dblclick();
    await page.getByText('The change was discarded.').waitFor();
    await propose('c.txt');
    await counts(page, 'Changes', 2);
    await press(page, 'a', 'r');
    expect(sent).toEqual([[`/v1/changes/${ids[0]}/reject`, null]]);
    expect(await discard.count()).toBe(0);
  });

  it('leaves everything in its place when a change comes', async () => {
    const { page, propose } = await proposing();
    const accept = page.getByRole('button', { name: 'Accept hunk 2 of a.txt' });
    const before = await accept.boundingBox();
    for (const name of ['c.txt', 'd.txt', 'e.txt']) await propose(name);
    await counts(page, 'Changes', 5);
    await settled(page);
    expect(await accept.boundingBox()).toEqual(before);
  });
});

describe.skipIf(browserMissing !== null)('a question about a tool', () => {
  it.each([
    [
      'Bash',
      { description: 'push it', command: 'git push --force origin main' },
      'git push --force origin main',
    ],
    ['Bash', { command: 'cd /tmp && git push --force origin main; ls' }, 'git push --force origin main'],
    ['WebFetch', { prompt: 'what is there?', url: 'https://unseen.example/a' }, 'unseen.example'],
  ])(
    'of %s shows what would happen first, the risky part marked, and all the rest',
    async (tool, input, marked) => {
      const resolve = async () => ['203.0.113.7'];
      const { page, call, credential, workspace } = await openConsole({ world: { resolve } });
      const token = await credential({ agent: 'claude' });
      const body = {
        ...{ session_id: 's', cwd: workspace, hook_event_name: 'PreToolUse', permission_mode: 'auto' },
        ...{ tool_name: tool, tool_input: input, tool_use_id: 't' },
      };
      void call('/v1/hook/claude?event=PreToolUse', { token, body }).catch(() => undefined);
      await open(page, 'Approvals');
      const question = page.getByRole('article');
      await question.waitFor();
      expect(await question.locator('mark').allTextContents()).toEqual([marked]);
      const { command, url, description, ...rest } = input as Record<string, string>;
      expect(await question.locator('.what').textContent()).toBe(command ?? url);
      // What the agent gives as its reason is quoted as that, once.
      expect(await question.locator('q').allTextContents()).toEqual(
        description === undefined ? [] : [description],
      );
      expect(await question.locator('.texts pre').allTextContents()).toEqual(Object.values(rest));
      expect(await question.textContent()).not.toContain('"arguments"');
      await looksRight(page, `approvals-${tool}`);
    },
  );
});

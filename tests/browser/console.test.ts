// The console in a real browser: what each page is for, done once, with a picture kept and the page checked for those
// who do not see it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashPassphrase, leastCost } from '../../src/config/index.ts';
import { parseModules } from '../../src/decide/index.ts';
import { SymbolStore } from '../../src/ledger/symbols/index.ts';
import { browserMissing } from '../support/browser.ts';
import {
  type Given,
  looksRight,
  open,
  openConsole,
  signIn,
  useBrowser,
  vouchFor,
} from '../support/console.ts';

const missing = browserMissing !== null;
const metadata = 'http://169.254.169.254/';

useBrowser();

const hostControl: NonNullable<NonNullable<Given>['hostControl']> = {
  wired: () => [],
  examine: async () => [{ name: 'daemon', state: 'ok', says: 'it blocked' }],
  wire: async () => undefined,
};

describe.skipIf(missing)('the console', () => {
  it('signs a person in by a link that counts once, and keeps nothing of it in the address', async () => {
    const { page, start, secret, problems } = await openConsole({}, { by: 'link' });
    expect(page.url()).toBe(`${start}#/overview`);
    expect(await page.evaluate('document.cookie')).toBe('');
    const other = await page.context().newPage();
    await other.goto(`${start}#${secret}`);
    await other.getByRole('alert').waitFor();
    expect(await other.getByRole('alert').textContent()).toContain('used before');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('sallyport console').waitFor();
    await looksRight(page, 'door');
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('shows decisions as they happen, and no secret', async () => {
    const { page, decide, credential, ledger, problems } = await openConsole();
    const token = await credential({ agent: 'claude' });
    await decide(token, metadata);
    await page.getByText('metadata_address').first().waitFor();
    const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow
    await ledger.audit.append({
      ...{ time: Date.now(), event_type: 'decision', user: 'ann', tenant: 'acme', agent: `x ${secret}` },
      ...{ decision: 'pass', decision_id: 'planted', details: { kind: 'planted' } },
    });
    await page.getByRole('link', { name: /planted/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await looksRight(page, 'overview');
    expect(problems).toEqual([]);
  });

  it('counts what waits again when somebody answers elsewhere', async () => {
    const { page, call, credential, session, workspace } = await openConsole();
    const token = await credential({ agent: 'claude' });
    const body = { kind: 'shell', command: 'git push', context: { workspace, mode: 'auto' } };
    const { id } = (await call('/v1/decide', { token, body })).body.approval;
    const tile = page.getByRole('link', { name: /questions waiting/ });
    await tile.filter({ hasText: '1' }).waitFor();
    const person = await session();
    await call(`/v1/approvals/${id}/answer`, { token: person, body: { answer: 'deny' } });
    await tile.filter({ hasText: '0' }).waitFor({ timeout: 20_000 });
    expect(await tile.textContent()).toContain('0');
  });

  it('answers an approval by a key, and lets the one who waits go on', async () => {
    const { page, call, credential, workspace, problems } = await openConsole();
    const token = await credential({ agent: 'claude' });
    const body = {
      ...{ kind: 'shell', command: 'git push origin main', justification: 'the release needs it' },
      context: { workspace, session: 's', mode: 'auto' },
    };
    const waiting = call('/v1/decide?wait=30', { token, body });
    await open(page, 'Approvals');
    await page.getByText('the release needs it').waitFor();
    await looksRight(page, 'approvals');
    await page.keyboard.press('j');
    await page.locator('.question.keys').waitFor();
    const pressed = Date.now();
    await page.keyboard.press('a');
    const { decision } = (await waiting).body;
    process.stdout.write(`the one who waited went on ${Date.now() - pressed} ms after the key\n`);
    expect(decision).toBe('pass');
    await page.getByText('Nothing waits for you.').waitFor();
    expect(problems).toEqual([]);
  });

  it('approves a long question only once all of it was shown', async () => {
    const { page, call, credential, workspace, problems } = await openConsole();
    const token = await credential({ agent: 'claude' });
    const command = `frobnicate --safe${' '.repeat(6000)}; frobnicate --wipe-prod\n${'true\n'.repeat(100)}frobnic\u0430te`;
    const body = { kind: 'shell', command, context: { workspace, session: 's', mode: 'auto' } };
    const waiting = call('/v1/decide?wait=30', { token, body });
    await open(page, 'Approvals');
    await page.getByText('frobnicate --safe⟨6,000 blanks⟩; frobnicate --wipe-prod').waitFor();
    expect(await page.getByText('frobnic\\u{430}te').count()).toBeGreaterThan(0);
    const yes = page.getByRole('button', { name: 'Approve' });
    expect(await yes.isDisabled()).toBe(true);
    await page.keyboard.press('j');
    await page.locator('.question.keys').waitFor();
    await page.keyboard.press('a');
    await page.getByText('All of it is shown now').waitFor();
    expect(await page.locator('.folded').count()).toBe(0);
    // It has just grown: it takes an answer once it stood still.
    await page.locator('button.yes[aria-disabled=false]:enabled').waitFor();
    await page.keyboard.press('a');
    expect((await waiting).body.decision).toBe('pass');
    expect(problems).toEqual([]);
  });

  it('tells the second of two who answer', async () => {
    const { page, call, credential, session, workspace } = await openConsole();
    const token = await credential({ agent: 'claude' });
    const body = { kind: 'shell', command: 'git push', context: { workspace, mode: 'auto' } };
    const { id } = (await call('/v1/decide', { token, body })).body.approval;
    await open(page, 'Approvals');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    // The page is kept from hearing of it.
    await page.context().setOffline(true);
    const person = await session();
    expect(
      (await call(`/v1/approvals/${id}/answer`, { token: person, body: { answer: 'deny' } })).status,
    ).toBe(200);
    await page.context().setOffline(false);
    // It may hear of it and take the button away before the click comes.
    await page
      .getByRole('button', { name: 'Deny' })
      .click({ timeout: 1000 })
      .catch(() => undefined);
    await page
      .getByText(/denied already|Answered elsewhere/)
      .first()
      .waitFor();
  });

  it('reviews a change hunk by hunk and applies what was accepted', async () => {
    const { page, call, credential, workspace, problems } = await openConsole();
    writeFileSync(
      join(workspace, 'a.txt'),
      `${Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')}\n`,
    );
    const token = await credential({ agent: 'claude' });
    const replace = [
      { old: 'line 2\n', new: 'line two\n' },
      { old: 'line 25\n', new: 'line \u202e25\n' },
    ];
    const edits = [{ op: 'replace', path: 'a.txt', replace }];
    const proposed = await call('/v1/changes', { token, body: { edits, context: { workspace } } });
    expect(proposed.body.outcome).toBe('staged');
    await open(page, 'Changes');
    await page.getByRole('button', { name: 'Accept hunk 1 of a.txt' }).click();
    await page.getByText('hunk 1 · accepted').waitFor();
    await page.getByRole('button', { name: 'Reject hunk 2 of a.txt' }).click();
    await page.getByText('hunk 2 · rejected').waitFor();
    // A character that turns the line around is shown as what it is.
    expect(await page.content()).toContain('\\u{202e}');
    await looksRight(page, 'changes');
    await page.getByRole('button', { name: 'Apply accepted' }).click();
    await page.getByText('Applied, with a receipt.').waitFor();
    const written = readFileSync(join(workspace, 'a.txt'), 'utf8');
    expect(written).toContain('line two');
    expect(written).toContain('line 25');
    await page.getByRole('button', { name: 'Undo …' }).click();
    await page.getByText('1 file returns to what it was: a.txt.').waitFor();
    await page.getByRole('button', { name: 'Undo 1 file' }).click();
    await page.getByText('Undone: a.txt').waitFor();
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).not.toContain('line two');
    expect(problems).toEqual([]);
  });

  it('searches the log, explains one entry and seals the chain', async () => {
    const { page, call, decide, credential, workspace, problems } = await openConsole();
    const token = await credential();
    // Each is refused, and leaves a receipt.
    for (let count = 0; count < 51; count++) {
      const edits = [{ op: 'write', path: `/etc/file-${count}`, content: '' }];
      await call('/v1/changes', { token, body: { edits, context: { workspace } } });
    }
    for (let count = 0; count < 3; count++) await decide(token, metadata);
    await decide(token, 'http://[fd00::1]/');
    await open(page, 'Log');
    // What there is to choose from is counted, and a choice narrows the rows and the other counts.
    const rules = page.getByRole('group', { name: 'Rule' });
    await rules.getByRole('button', { name: /^metadata_address\s*3$/ }).click();
    await page.getByText('3 entries shown').waitFor();
    const rows = page.getByRole('region', { name: 'Entries, newest first' });
    expect(await rows.getByRole('link').first().textContent()).toMatch(
      /Blocked.*GET http:\/\/169\.254.*metadata_address/,
    );
    await rows.getByRole('link').first().click();
    const story = page.getByRole('complementary', { name: 'One decision' });
    await story.getByText('fetch/metadata_address').waitFor();
    await story
      .getByText(/^Raw entry/)
      .first()
      .click();
    await story.getByText('"event_type": "decision"').first().waitFor();
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText('sealed').waitFor();
    await looksRight(page, 'log');
    await open(page, 'Changes');
    const receipts = page.getByRole('region', { name: 'Receipts', exact: true });
    await receipts.getByText('/etc/file-50', { exact: true }).waitFor();
    expect(await receipts.getByText('/etc/file-0', { exact: true }).count()).toBe(0);
    await receipts.getByRole('button', { name: 'Older receipts' }).click();
    await receipts.getByText('/etc/file-0', { exact: true }).waitFor();
    expect(await receipts.getByRole('button', { name: 'Older receipts' }).count()).toBe(0);
    await receipts.getByRole('button', { name: 'Newer receipts' }).click();
    await receipts.getByText('/etc/file-50', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('tries something out and shows how the verdict came about', async () => {
    const { page, problems } = await openConsole();
    await open(page, 'Try it');
    await page.getByRole('textbox', { name: 'Command' }).fill('echo ok; rm -rf /');
    await page.getByRole('button', { name: 'Test it' }).click();
    await page.getByText('command/mass_deletion').waitFor();
    expect(await page.locator('mark').textContent()).toBe('rm -rf /');
    await looksRight(page, 'try');
    expect(problems).toEqual([]);
  });

  it('keeps a policy that was checked, laid out and tried on what was decided, and brings it back', async () => {
    const { page, call, credential, workspace, problems } = await openConsole();
    const token = await credential({ agent: 'claude' });
    const ls = { kind: 'shell', command: 'ls', context: { workspace } };
    const { decisionId } = (await call('/v1/decide', { token, body: ls })).body;
    await open(page, 'Policies');
    await page.getByRole('button', { name: 'New policy' }).click();
    const box = page.getByRole('textbox', { name: 'New policy' });
    // What it begins with can be kept as it is.
    await page.getByText('It can be saved').waitFor();
    expect(await page.getByRole('button', { name: 'Test on recent decisions' }).isEnabled()).toBe(true);
    // Each example is one that can be saved, too.
    await page.getByLabel('Begin with').selectOption({ label: 'Only people add dependencies' });
    await page.getByText('It can be saved as no_package_managers').waitFor();
    await box.fill('@id("no_shell") forbid (principal, action == Action::"shel", resource);');
    await page
      .getByText(/line 1, column \d+: /)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Test on recent decisions' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await looksRight(page, 'policies-wrong');
    await box.fill('@id("no_shell")forbid(principal,action==Action::"shell",resource);');
    await page.getByText('It can be saved').waitFor();
    await page.getByRole('button', { name: 'Format' }).click();
    expect(await box.inputValue()).toBe(
      '@id("no_shell")\nforbid (\n  principal,\n  action == Action::"shell",\n  resource\n);',
    );
    await page.getByText('It can be saved').waitFor();
    await page.getByRole('button', { name: 'Test on recent decisions' }).click();
    await page.getByText('Would change 1 of 1').waitFor();
    const link = page.getByRole('link', { name: /^shell: ls/ });
    expect(await link.getAttribute('href')).toBe(`#/log/${decisionId}`);
    await looksRight(page, 'policies-tried');
    expect((await call('/v1/decide', { token, body: ls })).body.decision).toBe('pass');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved, and recorded.').waitFor();
    expect((await call('/v1/decide', { token, body: ls })).body.decision).toBe('block');
    await page.getByRole('article', { name: 'no_shell' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed: no_shell').waitFor();
    expect((await call('/v1/decide', { token, body: ls })).body.decision).toBe('pass');
    await page.getByText('Version 1,').click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('Version 1 was restored, as a new version.').waitFor();
    expect((await call('/v1/decide', { token, body: ls })).body.decision).toBe('block');
    expect(problems).toEqual([]);
  });

  it('shows what guards say of a change, where it would be written, and that it is only suggested', async () => {
    const symbols = new SymbolStore({ store: null, reader: parseModules });
    const { page, call, credential, workspace, problems } = await openConsole({ world: { symbols } });
    writeFileSync(join(workspace, 'sums.ts'), 'export function total(a: number) {\n  return a;\n}\n');
    await symbols.index(workspace);
    const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow
    const content = `import { totals } from './sums.ts';\n\nexport const key = '${secret}';\nexport const sum = totals(1);\n`;
    const edits = [{ op: 'write', path: 'new.ts', content }];
    const token = await credential({ agent: 'claude' });
    const proposed = await call('/v1/changes', {
      token,
      body: { edits, suggest: true, context: { workspace } },
    });
    expect(proposed.body.outcome).toBe('staged');
    await open(page, 'Changes');
    await page.getByText('nothing will be written').waitFor();
    await page.getByText(`On disk: ${workspace}/new.ts`).waitFor();
    await page.getByRole('img', { name: 'a name here is not found' }).first().waitFor();
    await page.getByText('totals is not found in the workspace; there is total').first().waitFor();
    await page.getByText('Secrets warning').waitFor();
    await page.getByText('Not shown, and not in records: 1 ×').waitFor();
    await page.getByText('References warning').waitFor();
    await page
      .getByText(/symbols\//)
      .first()
      .waitFor();
    expect(await page.content()).not.toContain(secret);
    await looksRight(page, 'changes-guards');
    await page.getByRole('button', { name: /Accept all/ }).click();
    await page.getByText('all decided').waitFor();
    await page.getByRole('button', { name: 'Keep as a suggestion' }).click();
    await page.getByText(/with a receipt|The change is/).waitFor();
    expect(existsSync(join(workspace, 'new.ts'))).toBe(false);
    expect(problems).toEqual([]);
  });

  it('holds no secret in its text or in any answer that it was given', async () => {
    const { page, call, credential, workspace } = await openConsole();
    const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow
    const answers: Promise<string>[] = [];
    page.on('response', (answer) => {
      if (answer.url().includes('/v1/') && !answer.url().endsWith('/v1/events'))
        answers.push(answer.text().catch(() => ''));
    });
    const texts: string[] = [];
    // A second reader of what comes live, since the page's own keeps nothing of it.
    await page.evaluate(`(async () => {
      const authorization = 'Bearer ' + sessionStorage.getItem('sallyport.session');
      const answer = await fetch('/v1/events', { headers: { authorization } });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      window.live = '';
      (async () => { for (;;) { const { value, done } = await reader.read(); if (done) return; window.live += value; } })();
    })()`);
    const token = await credential({ agent: 'claude' });
    const command = `git push https://x:${secret}@example.com/a.git main`;
    const context = { workspace, mode: 'auto' };
    await call('/v1/decide', { token, body: { kind: 'shell', command, justification: secret, context } });
    const edits = [{ op: 'write', path: 'a.txt', content: `${secret}\n` }];
    await call('/v1/changes', { token, body: { edits, context: { workspace } } });
    for (const [name, sign] of [
      ['approvals', '[REDACTED:'],
      ['changes', '[REDACTED:'],
      ['log', 'Change staged'],
      ['overview', 'shell: git push'],
    ] as const) {
      await page.evaluate(`location.hash = '#/${name}'`);
      await page.getByText(sign).first().waitFor();
      texts.push(await page.content());
    }
    await page.waitForFunction("window.live.includes('change_staged')");
    texts.push(String(await page.evaluate('window.live')));
    expect(answers.length).toBeGreaterThan(4);
    for (const text of [...texts, ...(await Promise.all(answers))]) expect(text).not.toContain(secret);
  });

  it('signs users in by name, and offers each what the role allows', async () => {
    const people = { vic: 'viewer', ann: 'approver' } as const;
    const lines = await Promise.all(
      Object.entries(people).map(async ([name, role]) => {
        const kept = await hashPassphrase(`passphrase of ${name}`, leastCost);
        return `[users.${name}]\nrole = "${role}"\npassphrase = "${kept}"\n`;
      }),
    );
    const opened = await openConsole({ configuration: lines.join('') }, { by: 'nobody' });
    const { page, call, credential, workspace, problems } = opened;
    for (const name of Object.keys(people)) await vouchFor(opened, name);
    const token = await credential({ agent: 'claude' });
    const body = { kind: 'shell', command: 'git push', context: { workspace, mode: 'auto' } };
    const waiting = call('/v1/decide?wait=60', { token, body });
    const signOut = () => page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, 'not the passphrase', 'vic');
    await page.getByText('the name or the passphrase is wrong').waitFor();
    await looksRight(page, 'login');
    await signIn(page, 'passphrase of vic', 'vic');
    await page.getByText('vic, local, viewer').waitFor();
    expect(await page.getByRole('link', { name: 'Policies' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Hosts' }).count()).toBe(0);
    await open(page, 'Approvals');
    await page.getByRole('heading', { name: /^Run/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    // A key does nothing either, and an address leads nowhere.
    await page.keyboard.press('j');
    await page.locator('.question.keys').waitFor();
    await page.keyboard.press('a');
    await page.evaluate("location.hash = '#/policies'");
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await signOut();
    await signIn(page, 'passphrase of ann', 'ann');
    await page.getByText('ann, local, approver').waitFor();
    await open(page, 'Approvals');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.getByLabel('How long it counts').count()).toBe(0);
    await page.keyboard.press('j');
    await page.locator('.question.keys').waitFor();
    await page.keyboard.press('a');
    expect((await waiting).body.decision).toBe('pass');
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('checks hosts and wires one in', async () => {
    const wired: string[] = [];
    const { page, problems } = await openConsole({
      hostControl: {
        ...hostControl,
        wired: () => wired.map((host) => ({ host, file: `/home/ann/.${host}` })),
        wire: async (host: string) => void wired.push(host),
      },
    });
    await open(page, 'Hosts');
    await page.getByRole('button', { name: /Connect Claude/ }).click();
    await page.getByText('it blocked').waitFor();
    expect(wired).toEqual(['claude']);
    await looksRight(page, 'hosts');
    expect(problems).toEqual([]);
  });
});

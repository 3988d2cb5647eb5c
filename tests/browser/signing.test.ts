// Signing in the page: with the passphrase, which never leaves it, or with a passkey; and never what was not shown. An
// approval is judged by the agent's own call, which passes once it counts.

import { createDecipheriv, hkdfSync, scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { existingFile, hashPassphrase, leastCost, newKey } from '../../src/config/index.ts';
import { canonicalJson, loginPurpose, passkeyName, privateKeyPrefix } from '../../src/core/index.ts';
import { digestOf, ownerRole } from '../../src/ledger/index.ts';
import { browserMissing } from '../support/browser.ts';
import { looksRight, open, openConsole, signIn, useBrowser, vouchFor } from '../support/console.ts';
import { passphrase } from '../support/daemon.ts';

useBrowser();

type Opened = Awaited<ReturnType<typeof openConsole>>;

/** The approvals page with one question, and what becomes of the agent that waits for the answer. */
async function asking(opened: Opened, command = 'git push origin main') {
  const { page, call, credential, workspace } = opened;
  const token = await credential({ agent: 'claude' });
  const body = { kind: 'shell', command, context: { workspace, session: 's', mode: 'auto' } };
  const { id } = (await call('/v1/decide', { token, body })).body.approval;
  await open(page, 'Approvals');
  const card = page.getByRole('article', { name: `Approval ${id}` });
  await card.waitFor();
  return {
    id,
    card,
    /** Sends the agent's call again. */
    retry: async (): Promise<string> => (await call('/v1/decide', { token, body })).body.decision,
  };
}

const focusedField = 'document.activeElement.type';
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Sign with your passphrase' });

async function type(page: Page, phrase: string): Promise<void> {
  await dialogOf(page).getByLabel('Passphrase').fill(phrase);
  await page.keyboard.press('Enter');
}

/** All that the page sends, from now on: addresses, headers and bodies. */
function everythingSentBy(page: Page): string[] {
  const sent: string[] = [];
  page.context().on('request', (request) => {
    sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`);
  });
  return sent;
}

/** The signatures that the page sends, from now on. */
function signaturesBy(page: Page): string[] {
  const signatures: string[] = [];
  page.on('request', (request) => {
    const signature = request.headers()['sallyport-signature'];
    if (signature !== undefined) signatures.push(signature);
  });
  return signatures;
}

const spellings = (secret: string | Uint8Array): readonly string[] => {
  const bytes = Buffer.from(secret);
  const plain =
    typeof secret === 'string' ? [secret, encodeURIComponent(secret), secret.replaceAll(' ', '+')] : [];
  return [
    ...plain,
    bytes.toString('hex'),
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('base64url'),
  ];
};

/** All that a passphrase opens, as it must not be seen anywhere: stretched, the key that signs in, and the approver's key. */
function secretsOf(home: string): readonly Buffer[] {
  const { kdf, wrapped } = existingFile(home);
  const stretched = scryptSync(passphrase, Buffer.from(kdf.salt, 'base64url'), 32, {
    ...kdf,
    maxmem: 2 ** 27,
  });
  const bytes = Buffer.from(wrapped, 'base64url');
  const opened = createDecipheriv('aes-256-gcm', stretched, bytes.subarray(0, 12)).update(
    bytes.subarray(12, -16),
  );
  const login = Buffer.from(hkdfSync('sha256', stretched, '', loginPurpose, 32));
  expect(opened.subarray(0, 16).toString('hex')).toBe(privateKeyPrefix);
  return [stretched, login, opened.subarray(16)];
}

describe.skipIf(browserMissing !== null)('approving with the passphrase', () => {
  it('asks for it in a dialog after a link, and never sends it', async () => {
    const opened = await openConsole({}, { by: 'link' });
    const { page, problems, ledger, home } = opened;
    const sent = everythingSentBy(page);
    const signatures = signaturesBy(page);
    const { id, card, retry } = await asking(opened);
    await page.keyboard.press('j');
    await page.locator('.question.keys').waitFor();
    await page.keyboard.press('a');
    await dialogOf(page).waitFor();
    await looksRight(page, 'unlock');
    const field = dialogOf(page).getByLabel('Passphrase');
    expect(await page.evaluate(focusedField)).toBe('password');

    // Escape signs nothing, and gives the focus back.
    await page.keyboard.press('Escape');
    await page.getByText('Nothing was signed: you closed the dialog.').waitFor();
    expect(await page.evaluate('document.activeElement.closest("article")?.id')).toBe(`approval-${id}`);
    expect(await retry()).toBe('approve');

    // Keys of the page do nothing behind the dialog.
    await card.getByRole('button', { name: 'Approve' }).click();
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).focus();
    for (const key of ['d', 'j', '1']) await page.keyboard.press(key);
    expect(page.url()).toContain('#/approvals');
    expect(await retry()).toBe('approve');

    await type(page, 'not the passphrase');
    await dialogOf(page).getByText('the passphrase is wrong').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await page.evaluate(focusedField)).toBe('password');
    expect(signatures).toEqual([]);
    await type(page, passphrase);
    await page.getByText(`Approved: ${id}`).waitFor();
    expect(signatures).toHaveLength(1);
    expect(await retry()).toBe('pass');

    // The next one needs no passphrase: the key is open.
    const second = await asking(opened, 'git push origin next');
    await second.card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved: ${second.id}`).waitFor();
    expect(await second.retry()).toBe('pass');

    // Signing in with it sends no more than that.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page);
    await page.getByText('live').first().waitFor();
    const secrets = [passphrase, 'not the passphrase', ...secretsOf(home)].flatMap(spellings);
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.some((text) => text.includes('/v1/session'))).toBe(true);
    const stored = String(
      await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'),
    );
    for (const text of [...sent, stored, await page.content()])
      for (const secret of secrets) expect(text).not.toContain(secret);
    const uses = (await ledger.audit.list({ limit: 100 })).map(({ event_type: event }) => event);
    expect(uses).toEqual(expect.arrayContaining(['passphrase_refused', 'passphrase_accepted']));
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('makes a permission for as long as was chosen', async () => {
    const resolve = async () => ['93.184.216.34'];
    const { page, decide, credential, ledger } = await openConsole({ world: { resolve } });
    const token = await credential({ agent: 'claude' });
    const { id } = (await decide(token, 'https://one.example/a')).body.approval;
    await open(page, 'Approvals');
    await page.getByLabel('How long it counts').selectOption('In this project, 1 hour');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved: ${id}`).waitFor();
    const [grant] = await ledger.permissions.list({}, Date.now());
    expect(grant).toMatchObject({ effect: 'fetch https://one.example:443', user: 'ann', agent: 'claude' });
    expect(grant!.expiresAt - grant!.createdAt).toBe(3_600_000);
    expect((await decide(token, 'https://one.example/b')).body.decision).toBe('pass');
  });

  it('signs what applying a change asks for', async () => {
    const opened = await openConsole({}, { by: 'link' });
    const { page, workspace } = opened;
    await proposeManifest(opened);
    await page.getByRole('button', { name: 'Apply accepted' }).click();
    await type(page, passphrase);
    await page.getByText('Applied, with a receipt.').waitFor();
    expect(existsSync(join(workspace, 'package.json'))).toBe(true);
  });

  it('does not freeze the page while the passphrase is stretched', async () => {
    const { page } = await openConsole({}, { by: 'nobody' });
    // Counted by the page itself, for a quick machine is done before anybody looks.
    await page.evaluate(`(function beat() {
      const signingIn = document.body.innerText.includes('Signing in …');
      window.beats = (window.beats ?? 0) + (signingIn ? 1 : 0);
      requestAnimationFrame(beat);
    })()`);
    await signIn(page);
    await page.getByText('live').first().waitFor();
    expect(Number(await page.evaluate('window.beats'))).toBeGreaterThan(1);
  });
});

/** A new package.json that the guards ask about, accepted on the changes page. */
async function proposeManifest({ page, call, credential, workspace }: Opened): Promise<void> {
  const token = await credential({ agent: 'claude' });
  const edits = [{ op: 'write', path: 'package.json', content: '{ "name": "shop" }\n' }];
  const proposed = await call('/v1/changes', { token, body: { edits, context: { workspace } } });
  expect(proposed.body.outcome).toBe('staged');
  await open(page, 'Changes');
  await page.getByRole('button', { name: /Accept all/ }).click();
  await page.getByText('all decided').waitFor();
}

describe.skipIf(browserMissing !== null)('the key of a page', () => {
  it('is forgotten after 30 minutes without use', async () => {
    let ahead = 0;
    const opened = await openConsole({ world: { now: () => Date.now() + ahead } }, { by: 'nobody' });
    const { page } = opened;
    await page.clock.install();
    await page.reload();
    await signIn(page);
    await page.getByText('live').first().waitFor();
    const later = async (minutes: number) => {
      ahead += minutes * 60_000;
      await page.clock.fastForward(minutes * 60_000);
    };
    await later(29);
    const first = await asking(opened, 'git push origin first');
    await first.card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved: ${first.id}`).waitFor();
    // It counts from the last use on.
    await later(29);
    await open(page, 'Approvers');
    await page.getByText('Your key is open in this tab.').waitFor();
    await later(1);
    await page.getByText('Your key is closed.').waitFor();
    const second = await asking(opened, 'git push origin second');
    await second.card.getByRole('button', { name: 'Approve' }).click();
    await dialogOf(page).waitFor();
    expect(await second.retry()).toBe('approve');
    await type(page, passphrase);
    await page.getByText(`Approved: ${second.id}`).waitFor();
    expect(await second.retry()).toBe('pass');
  });

  it.each([
    ['signs out', (page: Page) => page.getByRole('button', { name: 'Sign out' }).click()],
    ['loads the page again', (page: Page) => page.reload()],
    [
      'closes it',
      async (page: Page) => {
        await open(page, 'Approvers');
        await page.getByRole('button', { name: 'Close the key' }).click();
        await page.getByText('Your key is closed.').waitFor();
      },
    ],
  ])('is gone once the person %s', async (what, end) => {
    const opened = await openConsole();
    const { page, call, answerTo, start } = opened;
    await end(page);
    if (what === 'signs out') {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      // Back in the same tab, without the passphrase.
      const { secret } = (await call('/v1/session/link', { body: await answerTo(passphrase) })).body;
      await page.evaluate(`location.href = '${start}#${secret}'`);
      await page.reload();
    }
    await page.getByText('live').first().waitFor();
    const { card, retry } = await asking(opened);
    await card.getByRole('button', { name: 'Approve' }).click();
    await dialogOf(page).waitFor();
    expect(await retry()).toBe('approve');
  });
});

/** Chromium's own authenticator, which is touched by itself. */
async function authenticator(page: Page): Promise<{ cdp: CDPSession; id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { cdp, id: authenticatorId };
}

async function addPasskey(page: Page): Promise<void> {
  await open(page, 'Approvers');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey counts.').waitFor();
}

describe.skipIf(browserMissing !== null)('a passkey', () => {
  it.each(['owner', 'ann'])('of %s approves with one touch, and signs in', async (name) => {
    const phrase = name === 'owner' ? passphrase : `passphrase of ${name}`;
    const configuration =
      name === 'owner'
        ? ''
        : `[users.${name}]\nrole = "approver"\npassphrase = "${await hashPassphrase(phrase, leastCost)}"\n`;
    const opened = await openConsole({ configuration }, { by: 'nobody' });
    const { page, problems, ledger } = opened;
    if (name !== 'owner') await vouchFor(opened, name);
    await authenticator(page);
    await signIn(page, phrase, name === 'owner' ? undefined : name);
    await page.getByText('live').first().waitFor();
    await addPasskey(page);
    await page.getByText('passkey of this browser').waitFor();
    await page.getByText('This browser has a passkey').waitFor();
    await looksRight(page, `passkey-${name}`);
    expect(await ledger.approvers.list()).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ kind: 'passkey', name, state: 'counts' })]),
    );

    const signatures = signaturesBy(page);
    const first = await asking(opened, 'git push origin first');
    await first.card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved: ${first.id}`).waitFor();
    expect(signatures).toMatchObject([expect.stringMatching(/^\d+ webauthn\./)]);
    expect(await first.retry()).toBe('pass');

    // Signed in with it, nothing else is there that could sign.
    await page.getByRole('button', { name: 'Sign out' }).click();
    if (name !== 'owner') await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('live').first().waitFor();
    await open(page, 'Approvers');
    await page.getByText('Your key is closed.').waitFor();
    const second = await asking(opened, 'git push origin second');
    await page.keyboard.press('j');
    await page.locator('.question.keys').waitFor();
    await page.keyboard.press('a');
    await page.getByText(`Approved: ${second.id}`).waitFor();
    expect(await dialogOf(page).count()).toBe(0);
    expect(await second.retry()).toBe('pass');
    expect(problems).toEqual([]);
  });

  it('that is not touched leaves the passphrase, and an open key does not sign instead', async () => {
    const opened = await openConsole();
    const { page } = opened;
    const { cdp, id: authenticatorId } = await authenticator(page);
    await addPasskey(page);
    const signatures = signaturesBy(page);
    const { id, card, retry } = await asking(opened);
    // The key that was asked for is not there any more, so the browser gives up.
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await card.getByRole('button', { name: 'Approve' }).click();
    await dialogOf(page).getByText('The passkey was not used').waitFor({ timeout: 70_000 });
    expect(signatures).toEqual([]);
    expect(await retry()).toBe('approve');
    await looksRight(page, 'unlock-passkey');
    await type(page, passphrase);
    await page.getByText(`Approved: ${id}`).waitFor();
    expect(await retry()).toBe('pass');
  });

  it('does not work on 127.0.0.1: the page says so, names the address that it works on, and the passphrase works', async () => {
    const opened = await openConsole({}, { by: 'nobody', host: '127.0.0.1' });
    const { page, call, daemon, ledger, ownKey } = opened;
    await authenticator(page);
    // The owner has one, and one of another port.
    const own = (await ledger.approvers.list())[0]!;
    for (const [port, credential] of [
      [daemon.port, 'b3du'],
      [1, 'b3RoZXI'],
    ] as const) {
      const key = passkeyName('c3BraQ', `http://localhost:${port}`);
      const statement = ledger.approvers.statement('passkey', {
        ...{ key, name: own.name, role: ownerRole, credential },
      });
      await ledger.approvers.add(statement, await ownKey(), { user: 'owner', tenant: 'local' });
    }
    const { credentials } = (await call('/v1/session/challenge', { body: {} })).body;
    expect(credentials).toEqual(['b3du']);
    await page.reload();
    const link = page.getByRole('link', { name: `http://localhost:${daemon.port}/console/` });
    await link.waitFor();
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await looksRight(page, 'other-address');
    await signIn(page);
    await page.getByText('live').first().waitFor();
    await open(page, 'Approvers');
    await page.getByText('Browsers allow passkeys on localhost only').waitFor();
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    const { id, card, retry } = await asking(opened);
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved: ${id}`).waitFor();
    expect(await retry()).toBe('pass');
    await open(page, 'Approvers');
    await link.click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('location.hostname')).toBe('localhost');
  });
});

type Body = Record<string, unknown> & { payload: unknown[] };

/** Changes what the daemon wants signed, on its way to the page. */
async function lying(page: Page, path: string, lie: (body: Body) => unknown): Promise<void> {
  await page.route(path, async (route) => {
    const answer = await route.fetch();
    if (answer.status() !== 428) return await route.fulfill({ response: answer });
    await route.fulfill({ response: answer, json: lie(await answer.json()) });
  });
}

/** Replaces one member of what is to be signed. */
const member = (index: number, value: (old: unknown, body: Body) => unknown) => (body: Body) => ({
  ...body,
  payload: body.payload.map((old, at) => (at === index ? value(old, body) : old)),
});

const grantOf = (body: Body, effect: string) => {
  const at = Number(body['at']);
  return ['0badcafe', effect, 'ann', 'acme', 'claude', '/', at, at + 3_600_000];
};

describe.skipIf(browserMissing !== null)('a page that is lied to', () => {
  const lies: Readonly<Record<string, (body: Body) => unknown>> = {
    'another question': member(1, () => 'aaaa2222'),
    'another action': member(2, () => digestOf('another')),
    'another text': member(3, () => digestOf('another')),
    'a text that is not shown': (body) => ({ ...body, text: `${String(body['text'])} ` }),
    'a grant that nobody chose': member(6, (_, body) => [grantOf(body, 'shell git push')]),
    'a time that is not now': (body) => {
      const at = Number(body['at']) + 600_000;
      return { ...member(4, () => at)(body), at };
    },
    'another purpose': member(0, () => 'sallyport.policies.v1'),
    nothing: () => ({ name: 'SignatureNeeded' }),
  };

  it.each(['passphrase', 'link'] as const)(
    'about an approval, signed in by %s, signs nothing',
    async (by) => {
      const opened = await openConsole({}, { by });
      const { page } = opened;
      const signatures = signaturesBy(page);
      const { card, retry } = await asking(opened);
      const yes = card.getByRole('button', { name: 'Approve' });
      for (const [name, lie] of Object.entries(lies)) {
        const told = page.getByRole('alert').filter({ hasText: 'Not signed' });
        await lying(page, '**/answer', lie);
        await yes.click();
        await told.waitFor();
        // Nobody is asked for a passphrase for that either.
        expect([name, await dialogOf(page).count(), signatures]).toEqual([name, 0, []]);
        expect(await retry()).toBe('approve');
        await page.unrouteAll({ behavior: 'wait' });
        // Gone before the next one: its alert is then its own.
        await page.evaluate("location.hash = '#/overview'");
        await told.waitFor({ state: 'detached' });
        await open(page, 'Approvals');
      }
      await lying(page, '**/answer', lies['another text']!);
      await yes.click();
      await page.getByText('Not signed: the daemon has another text than the one shown').waitFor();
      await looksRight(page, 'lied-to');
    },
  );

  it('about the text of a question shows that text and signs nothing', async () => {
    const opened = await openConsole();
    const { page } = opened;
    const signatures = signaturesBy(page);
    await page.route('**/v1/approvals', async (route) => {
      const answer = await route.fetch();
      const { approvals } = (await answer.json()) as { approvals: { text: string }[] };
      const harmless = approvals.map((one) => ({
        ...one,
        text: one.text.replaceAll('origin main', 'origin docs'),
      }));
      await route.fulfill({ response: answer, json: { approvals: harmless } });
    });
    const { card, retry } = await asking(opened);
    expect(await card.locator('.what').textContent()).toBe('git push origin docs');
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Not signed: the daemon has another text than the one shown').waitFor();
    expect(signatures).toEqual([]);
    expect(await retry()).toBe('approve');
  });

  it('about a question that it cannot read offers nothing to approve', async () => {
    const opened = await openConsole();
    const { page } = opened;
    await page.route('**/v1/approvals', async (route) => {
      const answer = await route.fetch();
      const { approvals } = (await answer.json()) as { approvals: { text: string }[] };
      const twice = approvals.map((one) => ({
        ...one,
        text: one.text.replace('"kind":', '"kind":"read","kind":'),
      }));
      await route.fulfill({ response: answer, json: { approvals: twice } });
    });
    const { card } = await asking(opened);
    await card.getByText('This question cannot be shown here').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
  });

  it('about the policies signs nothing', async () => {
    const { page, ledger } = await openConsole();
    const signatures = signaturesBy(page);
    await open(page, 'Policies');
    await page.getByRole('button', { name: 'New policy' }).click();
    await page.getByText('It can be saved as no_deletes_of_orders').waitFor();
    await lying(
      page,
      '**/v1/policies',
      member(2, (body) => {
        const policies = JSON.parse(String(body));
        return canonicalJson([
          ...policies,
          { ...policies[0], id: 'zzz', text: 'permit (principal, action, resource);' },
        ]);
      }),
    );
    await page.getByRole('button', { name: 'Test on recent decisions' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not signed: the policies to be signed are others').waitFor();
    expect(signatures).toEqual([]);
    expect((await ledger.policies.list()).policies).toEqual([]);
  });

  it('about a change signs nothing', async () => {
    const opened = await openConsole();
    const { page, workspace } = opened;
    const signatures = signaturesBy(page);
    await proposeManifest(opened);
    // A whole lie: the digest is the one of the text.
    await lying(page, '**/apply', (body) => {
      const text = String(body['text']).replaceAll('package.json', '.bashrc');
      return member(3, () => digestOf(text))({ ...body, text });
    });
    await page.getByRole('button', { name: 'Apply accepted' }).click();
    await page.getByText('Not signed: a file that you accepted is missing').waitFor();
    expect(signatures).toEqual([]);
    expect(existsSync(join(workspace, 'package.json'))).toBe(false);
  });

  it('about a passkey vouches for nothing', async () => {
    const { page, ledger } = await openConsole();
    await authenticator(page);
    const signatures = signaturesBy(page);
    await lying(
      page,
      '**/v1/approvers/passkeys',
      member(2, () => 'A'.repeat(43)),
    );
    await open(page, 'Approvers');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Not signed: the key is not the passkey that was just made').waitFor();
    expect(signatures).toEqual([]);
    expect(await ledger.approvers.list()).toHaveLength(1);
  });

  it('about how a passphrase is stretched does not stretch it', async () => {
    const { page } = await openConsole({}, { by: 'nobody' });
    await page.route('**/v1/session/challenge', async (route) => {
      const answer = await route.fetch();
      const challenge = await answer.json();
      await route.fulfill({ response: answer, json: { ...challenge, kdf: { ...challenge.kdf, N: 2 } } });
    });
    const sent = everythingSentBy(page);
    await signIn(page);
    await page.getByText('in a way that is not safe').waitFor();
    expect(sent.filter((text) => text.includes('signature'))).toEqual([]);
  });
});

it.skipIf(browserMissing !== null)('a passkey is ended on the page, with the passphrase', async () => {
  const { page, ledger } = await openConsole({}, { by: 'nobody' });
  await authenticator(page);
  await signIn(page);
  await page.getByText('live').first().waitFor();
  await addPasskey(page);
  await page.getByRole('button', { name: /^End the passkey/ }).click();
  await page.getByText('The passkey does not count any more').waitFor();
  const states = (await ledger.approvers.list()).map(({ kind, state }) => `${kind} ${state}`);
  expect(states).toEqual(['owner counts', 'passkey ended']);
  await page.getByText('1 key has ended').waitFor();
});

it.skipIf(browserMissing !== null)(
  'every page says that a reset is pending, until it is stopped',
  async () => {
    const { page, ledger } = await openConsole({}, { viewport: { width: 390, height: 800 } });
    const own = (await ledger.approvers.list())[0]!;
    const { signer } = await newKey('the passphrase of an intruder', leastCost);
    const actor = { user: 'owner', tenant: 'local' };
    const fields = { key: signer.publicKey, name: own.name, role: ownerRole, replaces: own.key };
    const { countsFrom } = await ledger.approvers.requestReset(
      ledger.approvers.statement('owner', fields),
      signer,
      actor,
    );
    for (const name of ['overview', 'approvals', 'changes', 'log', 'policies', 'try', 'hosts', 'approvers']) {
      await page.evaluate(`location.hash = '#/${name}'`);
      const alarm = page.getByRole('alert').filter({ hasText: 'sallyport approvers veto' });
      await alarm.waitFor();
      expect(await alarm.locator('time').getAttribute('datetime')).toBe(new Date(countsFrom).toISOString());
    }
    await looksRight(page, 'reset');
    await page.getByRole('button', { name: 'Stop the reset' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await ledger.approvers.pendingReset()).toBeNull();
  },
);

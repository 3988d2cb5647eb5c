// The way into the console as a person takes it: at a terminal, with the passphrase, by a link that counts once.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli, newPlace } from '../support/cli.ts';
import { personAt } from '../support/person.ts';
import { atTerminal, chose, noTerminals, passphrase } from '../support/terminal.ts';

describe.skipIf(noTerminals)('sallyport console', () => {
  it('prints a link for the passphrase, and none without', async () => {
    const place = newPlace();
    const idle = await cli(place, ['console', '--json']);
    expect(JSON.parse(idle.stdout)).toMatchObject({ name: 'NotRunning' });
    const { port } = JSON.parse((await cli(place, ['up', '--detach', '--port', '0', '--json'])).stdout);
    onTestFinished(async () => void (await cli(place, ['down'])));
    expect(JSON.parse((await cli(place, ['console', '--json'])).stdout)).toMatchObject({
      name: 'NoPassphrase',
    });
    await chose(place);
    const refused = await atTerminal(place, ['console'], ['wrong wrong wrong']);
    expect(refused.status).toBe(1);
    expect(refused.stdout).not.toContain('/console/#');
    // Somebody else guesses by the same socket, and the daemon has had enough of them.
    const socket = join(place.home, 'run', 'sallyport.sock');
    const guess = () =>
      personAt(socket, 'wrong wrong wrong').then(
        () => 'signed in',
        (error: Error) => error.message,
      );
    for (let count = 0; count < 5; count++) expect(await guess()).toContain('is wrong');
    expect(await guess()).toBe('too many attempts');
    const letIn = await atTerminal(place, ['console'], [passphrase]);
    expect(letIn.status).toBe(0);
    const [, secret = ''] = new RegExp(`http://localhost:${port}/console/#(\\S+)`).exec(letIn.stdout) ?? [];
    const claim = () =>
      fetch(`http://127.0.0.1:${port}/v1/session/claim`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ secret }),
      });
    expect((await claim()).status).toBe(200);
    expect((await claim()).status).toBe(401);
  });

  it('asks nobody who is not at a terminal', async () => {
    const place = newPlace();
    await chose(place);
    await cli(place, ['up', '--detach', '--port', '0']);
    onTestFinished(async () => void (await cli(place, ['down'])));
    expect(JSON.parse((await cli(place, ['console', '--json'])).stdout)).toMatchObject({
      name: 'NoTerminal',
    });
  });

  it('starts the browser at the console with no secret in the address', async () => {
    const place = newPlace();
    await chose(place);
    const { port } = JSON.parse((await cli(place, ['up', '--detach', '--port', '0', '--json'])).stdout);
    onTestFinished(async () => void (await cli(place, ['down'])));
    const [browser, started] = [join(place.workspace, 'browser'), join(place.workspace, 'started')];
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf %s "$*" > '${started}.part' && mv '${started}.part' '${started}'\n`,
      {
        mode: 0o755,
      },
    );
    const options = { environment: { BROWSER: browser } };
    const address = `http://localhost:${port}/console/`;
    expect((await cli(place, ['console', '--open'], options)).stdout).toBe(`Opened ${address}\n`);
    await expect.poll(() => existsSync(started) && readFileSync(started, 'utf8')).toBe(address);
  });
});

// The tour as a newcomer takes it: every stop through a real daemon, nothing left behind, and honest where a guard fails.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stops } from '../../src/cli/demo/stops.ts';
import { cli, ended, jsonLines, newPlace, startCli } from '../support/cli.ts';
import { sandboxMissing } from '../support/command.ts';
import { personOver } from '../support/person.ts';
import { atTerminal, noTerminals } from '../support/terminal.ts';

/** A place whose temporary files show what is left. */
function newStand() {
  const place = newPlace();
  const temporary = join(place.workspace, 'temporary');
  mkdirSync(temporary);
  return {
    place,
    demo: (...args: readonly string[]) =>
      cli(place, ['demo', '--fast', ...args], { environment: { TMPDIR: temporary } }),
    start: (...args: readonly string[]) =>
      startCli(place, ['demo', ...args], { environment: { TMPDIR: temporary } }),
    left: () => readdirSync(temporary),
  };
}

/** What must come back at each stop, in order. */
const expected: Readonly<Record<string, readonly string[]>> = {
  readme: ['pass', 'block', 'block'],
  exfiltration: ['block', 'block', 'block'],
  deletion: Array.from({ length: 10 }, () => 'block'),
  tenant: ['redact'],
  import: ['pass'],
  mutation: ['pass', 'block'],
  escape: ['block', 'block'],
  approval: ['approve', 'block', 'approve'],
  harmless: sandboxMissing === null ? ['pass'] : ['block'],
  undo: ['pass', 'pass'],
};

describe('sallyport demo', () => {
  it('ends every attempt as it must, proves the records and leaves nothing', async () => {
    const { place, demo, left } = newStand();
    const { status, stdout, stderr } = await demo('--json');
    expect(stderr).toBe('');
    const lines = jsonLines(stdout);
    const end = lines.pop();
    const seen = Map.groupBy(lines, ({ stop }) => String(stop));
    expect([...seen.keys()]).toEqual(stops.map(({ name }) => name));
    for (const [stop, attempts] of seen) {
      expect(
        attempts.map(({ decision }) => decision),
        stop,
      ).toEqual(expected[stop]);
    }
    for (const line of lines) expect(line).toMatchObject({ good: true, took_ms: expect.any(Number) });
    const rules = lines.map(({ rule }) => rule);
    expect(rules).toEqual(
      expect.arrayContaining(['prompt_injection', 'secret_exfiltration', 'mass_deletion', 'session_ids']),
    );
    expect(rules).toEqual(
      expect.arrayContaining(['missing_import', 'allow_mutations', 'dynamic_code_api', 'outward_call']),
    );
    expect(end).toMatchObject({
      stops: stops.length,
      attempts: lines.length,
      wrong: 0,
      clean: true,
      good: true,
    });
    expect(Number(end?.['receipts'])).toBeGreaterThanOrEqual(2);
    expect(status).toBe(0);
    expect(left()).toEqual([]);
    // The home of the person who looks on has no part in it.
    expect(readdirSync(place.workspace)).toEqual(['temporary']);
  });

  it('tells an attempt that did not end as it must, and ends with 1', async () => {
    const { place, demo, left } = newStand();
    const settings = join(place.workspace, 'settings.toml');
    writeFileSync(settings, '[policy]\ndefault = "deny"\n');
    const { status, stdout } = await demo('--json', '--config', settings);
    const lines = jsonLines(stdout);
    const wrong = lines.filter(({ good, stop }) => good !== true && stop !== undefined);
    expect(new Set(wrong.map(({ stop }) => stop))).toContain('harmless');
    expect(lines.at(-1)).toMatchObject({ wrong: wrong.length, clean: true, good: false });
    expect(status).toBe(1);
    expect(left()).toEqual([]);
  });

  it('keeps the records in the own home with --here, under its settings, and not beside a daemon of its own', async () => {
    const { place, demo, left } = newStand();
    const first = await demo('--here', '--json');
    expect(first.status).toBe(0);
    expect(left()).toEqual([]);
    const blocked = jsonLines((await cli(place, ['log', '--json', '--agent', 'demo'])).stdout);
    expect(blocked.length).toBeGreaterThan(10);
    await cli(place, ['up', '--detach', '--port', '0']);
    onTestFinished(async () => void (await cli(place, ['down'])));
    const second = await demo('--here', '--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ name: 'HomeInUse' });
    expect(second.status).toBe(1);
    expect(left()).toEqual([]);
  });

  it('leaves the daemon with --keep, and says how to stop it', async () => {
    const { place, demo } = newStand();
    const { status, stdout } = await demo('--keep', '--json');
    const { home } = jsonLines(stdout).at(-1) ?? {};
    const there = { environment: { SALLYPORT_HOME: String(home) } };
    onTestFinished(async () => void (await cli(place, ['down'], there)));
    expect(status).toBe(0);
    expect(JSON.parse((await cli(place, ['status', '--json'], there)).stdout)).toMatchObject({
      running: true,
    });
  });

  it('takes everything away when it is stopped', async () => {
    const { start, left } = newStand();
    const child = start();
    const port = await new Promise<string>((resolve) => {
      child.stdout?.on('data', (piece) => {
        const [, found] = /127\.0\.0\.1:(\d+)/.exec(String(piece)) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const over = ended(child);
    child.kill('SIGINT');
    const { status, stderr } = await over;
    expect(stderr).toContain('the demo was stopped');
    expect(status).toBe(1);
    expect(left()).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
  });

  it.skipIf(noTerminals)(
    'waits for no key at a terminal, and says what would have happened without a guard',
    async () => {
      const { place } = newStand();
      const seen = await atTerminal(place, ['demo'], []);
      expect(seen).toMatchObject({ status: 0, unasked: 0 });
      for (const { without } of stops) expect(seen.stdout).toContain(`without a guard: ${without}`);
    },
  );

  it.skipIf(noTerminals)(
    'shows you the console with --interactive, and waits there for your approval',
    async () => {
      const { place } = newStand();
      let answered: Promise<void> | undefined;
      const seen = await atTerminal(place, ['demo', '--interactive'], ['\r', '\r'], undefined, (text) => {
        const [, port] = /localhost:(\d+)\/console\/#/.exec(text) ?? [];
        const [, secret] = /type this passphrase: ([\w-]+)\r\n/.exec(text) ?? [];
        if (secret !== undefined) answered ??= answerFirst(Number(port), secret);
      });
      await answered;
      expect(seen.stdout).toContain('you approved it: it is allowed once');
      expect(seen.stdout).toContain('Every attempt ended as expected.');
      expect(seen).toMatchObject({ status: 0, unasked: 0 });
    },
    300_000,
  );

  it('does not take words or options that it does not know', async () => {
    const { demo } = newStand();
    expect((await demo('everything')).status).toBe(2);
    expect((await demo('--slow')).status).toBe(2);
    expect((await demo('--interactive')).stderr).toContain('needs a terminal');
  });
});

/** Signs in with the passphrase that was shown, and approves the first question. */
async function answerFirst(port: number, passphrase: string): Promise<void> {
  const person = await personOver(`http://127.0.0.1:${port}`, passphrase);
  for (;;) {
    const { approvals } = await person.call('/v1/approvals');
    const [first] = approvals as unknown as readonly { readonly id: string }[];
    if (first !== undefined) {
      await person.call(`/v1/approvals/${first.id}/answer`, { body: { answer: 'approve' } });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

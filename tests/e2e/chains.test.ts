// Code that waits for approval outlives the process that ran it and the daemon that was asked: both are killed, and
// another process goes on once the answer is there.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareHome } from '../../src/config/index.ts';
import { bundleFolder } from '../support/bundle.ts';
import { cli, newPlace, type Place, startCli } from '../support/cli.ts';
import { type Engine, engines } from '../support/ledger.ts';
import { ownerOf, personAt } from '../support/person.ts';
import { sharedPostgres } from '../support/postgres.ts';

const passphrase = 'correct horse battery';
const environment = { SALLYPORT_STORE_KEY: 'ab'.repeat(32) };

async function placeOn(engine: Engine): Promise<Place> {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  prepareHome(place.home);
  if (engine === 'postgres') {
    const { url } = await sharedPostgres();
    const text = `store = "${url}"\n[ledger]\nkey = "env:SALLYPORT_STORE_KEY"\n`;
    writeFileSync(join(place.home, 'sallyport.toml'), text);
  }
  await ownerOf(place, passphrase, environment);
  return place;
}

/** A program that runs code, or goes on with it, tells what came of it, and then stays until it is killed. */
function program(place: Place, call: string): { readonly child: ChildProcess; readonly said: Promise<Said> } {
  const script = `
    import { appendFileSync } from 'node:fs';
    const { sallyport } = await import(${JSON.stringify(join(bundleFolder(), 'dist', 'index.mjs'))});
    const guard = await sallyport({ tools: [
      { name: 'list', server: 'db', effect: 'read' }, { name: 'drop', server: 'db', effect: 'destructive' },
    ] });
    const runner = await guard.createRunner();
    const effect = (line) => { appendFileSync('effects', line + '\\n'); return line; };
    const tools = { 'db.list': () => effect('list'), 'db.drop': ({ table }) => effect('drop ' + table) };
    const context = { userId: 'ann', sessionId: 's1' };
    const result = await ${call}.catch((error) => ({ status: error.name }));
    process.stdout.write(JSON.stringify(result) + '\\n');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: place.workspace,
    env: { PATH: process.env['PATH'], HOME: place.home, SALLYPORT_HOME: place.home, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => killed(child));
  const said = new Promise<Said>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.endsWith('\n')) resolve(JSON.parse(text));
    });
    child.on('error', reject);
    child.on('close', () => reject(new Error('it ended without a word')));
  });
  return { child, said };
}

interface Said {
  readonly status: string;
  readonly run?: string;
  readonly approvals?: readonly { readonly id: string }[];
  readonly value?: unknown;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

async function daemonOf(place: Place): Promise<ChildProcess> {
  const child = startCli(place, ['up', '--port', '0', '--json', '--log', 'error'], { environment });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('close', () => reject(new Error('the daemon did not start')));
  });
  return child;
}

describe.each(engines)('code that waits, on %s', (engine) => {
  it('goes on after its process and the daemon were killed', async () => {
    const place = await placeOn(engine);
    const first = await daemonOf(place);
    const source =
      'const rows = await db.list({}); const done = await db.drop({ table: "t" }); return [rows, done]';
    const asked = program(place, `runner.run({ source: ${JSON.stringify(source)}, tools, context })`);
    const waiting = await asked.said;
    expect(waiting).toMatchObject({ status: 'waiting', run: expect.any(String) });
    await Promise.all([killed(asked.child), killed(first)]);

    const listed = JSON.parse((await cli(place, ['chains', '--json'], { environment })).stdout);
    expect(listed).toMatchObject([{ id: waiting.run, approvals: [waiting.approvals?.[0]?.id] }]);
    const resuming = `runner.resume({ run: ${JSON.stringify(waiting.run)}, tools, context })`;
    const early = program(place, resuming);
    expect(await early.said).toMatchObject({ status: 'waiting', run: waiting.run });
    await killed(early.child);

    await daemonOf(place);
    const socket = join(place.home, 'run', 'sallyport.sock');
    const person = await personAt(socket, passphrase);
    const path = `/v1/approvals/${waiting.approvals?.[0]?.id}/answer`;
    expect(await person.call(path, { body: { answer: 'approve' } })).toMatchObject({ state: 'approved' });

    const later = program(place, resuming);
    expect(await later.said).toMatchObject({ status: 'ok', value: ['list', 'drop t'] });
    const again = program(place, resuming);
    expect(await again.said).toEqual({ status: 'RunTaken' });
    const { stdout } = await cli(place, ['log', 'verify', '--json'], { environment });
    expect(JSON.parse(stdout)).toMatchObject({ clean: true, problems: [] });
    expect(readFileSync(join(place.workspace, 'effects'), 'utf8')).toBe('list\ndrop t\n');
    expect((await cli(place, ['chains'], { environment })).stdout).toContain('No code waits');
  });
});

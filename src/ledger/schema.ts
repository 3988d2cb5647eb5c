// The schema, as forward-only migrations. Both engines run the same steps; where their syntax differs, both are listed.

import { type Sql, StoreNewer } from './store.ts';

type Engine = 'sqlite' | 'postgres';

/** A statement for both engines, or one for each. */
type Statement = string | Readonly<Record<Engine, string>>;

/** Each step upgrades the schema by one version; steps are never edited once released. */
const steps: readonly (readonly Statement[])[] = [
  [
    `CREATE TABLE audit (
      place {identity},
      chain TEXT NOT NULL,
      seq {integer} NOT NULL,
      facet {integer} NOT NULL,
      time {integer} NOT NULL,
      event_type TEXT NOT NULL,
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT NOT NULL,
      decision_id TEXT,
      decision TEXT,
      rules TEXT NOT NULL,
      salt TEXT,
      body TEXT,
      content TEXT NOT NULL,
      hash TEXT NOT NULL,
      UNIQUE (chain, seq)
    ){strict}`,
    'CREATE INDEX audit_by_facet ON audit (facet, place)',
    'CREATE INDEX audit_by_time ON audit (time, place)',
    'CREATE INDEX audit_by_decision_id ON audit (decision_id) WHERE decision_id IS NOT NULL',
    // The position, the link and the content's hash never change. Text and names may be erased, and only erased.
    {
      sqlite: `CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
        WHEN NEW.body IS NOT NULL OR NEW.chain <> OLD.chain OR NEW.seq <> OLD.seq OR NEW.hash <> OLD.hash
          OR NEW.content <> OLD.content OR NEW.time <> OLD.time OR NEW.place <> OLD.place
        BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END`,
      postgres: `CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'UPDATE' AND NEW.body IS NULL AND NEW.chain = OLD.chain AND NEW.seq = OLD.seq
            AND NEW.hash = OLD.hash AND NEW.content = OLD.content AND NEW.time = OLD.time THEN
            RETURN NEW;
          END IF;
          RAISE EXCEPTION 'the audit log is append-only';
        END $$`,
    },
    {
      sqlite: `CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END`,
      postgres: `CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
        FOR EACH ROW EXECUTE FUNCTION audit_is_append_only()`,
    },
    // The owners and contents of entries, as the distinct combinations that occurred. A search begins here and scans
    // one index of the log, which therefore needs no index for each of these columns.
    `CREATE TABLE facets (
      id {identity},
      tenant TEXT NOT NULL,
      user_id TEXT NOT NULL,
      agent TEXT NOT NULL,
      event_type TEXT NOT NULL,
      decision TEXT NOT NULL,
      rules TEXT NOT NULL,
      UNIQUE (tenant, user_id, agent, event_type, decision, rules)
    ){strict}`,
    `CREATE TABLE chains (
      chain TEXT PRIMARY KEY,
      size {integer} NOT NULL,
      hash TEXT NOT NULL,
      seen_at {integer} NOT NULL,
      epoch {integer} NOT NULL DEFAULT 0
    ){strict}`,
    `CREATE TABLE heads (
      chain TEXT NOT NULL,
      size {integer} NOT NULL,
      root TEXT NOT NULL,
      time {integer} NOT NULL,
      key_id TEXT NOT NULL,
      signature TEXT NOT NULL,
      frontier TEXT NOT NULL,
      PRIMARY KEY (chain, size)
    ){strict}`,
    `CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      purpose TEXT NOT NULL,
      created_at {integer} NOT NULL,
      retired_at {integer},
      public_key TEXT,
      wrapped TEXT NOT NULL
    ){strict}`,
    `CREATE TABLE approvals (
      id TEXT PRIMARY KEY,
      binding TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'used', 'expired')),
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT NOT NULL,
      decision_id TEXT NOT NULL,
      created_at {integer} NOT NULL,
      expires_at {integer} NOT NULL,
      answered_at {integer},
      answered_by TEXT,
      signature TEXT,
      sealed TEXT
    ){strict}`,
    `CREATE UNIQUE INDEX approvals_live ON approvals (binding) WHERE state IN ('pending', 'approved', 'denied')`,
    'CREATE INDEX approvals_by_tenant ON approvals (tenant, state)',
    `CREATE TABLE approvers (
      public_key TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      created_at {integer} NOT NULL,
      mac TEXT NOT NULL
    ){strict}`,
    `CREATE TABLE grants (
      id TEXT PRIMARY KEY,
      effect TEXT NOT NULL,
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT NOT NULL,
      workspace TEXT NOT NULL,
      created_at {integer} NOT NULL,
      expires_at {integer} NOT NULL,
      revoked_at {integer},
      signature TEXT NOT NULL
    ){strict}`,
    'CREATE INDEX grants_by_effect ON grants (tenant, user_id, workspace, effect)',
    `CREATE TABLE credentials (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL CHECK (scope IN ('decide', 'approve', 'admin')),
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT,
      created_at {integer} NOT NULL,
      revoked_at {integer}
    ){strict}`,
    `CREATE TABLE tokens (
      id TEXT PRIMARY KEY,
      expires_at {integer} NOT NULL
    ){strict}`,
    `CREATE TABLE open_work (
      decision_id TEXT PRIMARY KEY,
      chain TEXT NOT NULL,
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT NOT NULL,
      opened_at {integer} NOT NULL
    ){strict}`,
    ...['audit', 'facets', 'approvals', 'grants', 'credentials', 'open_work'].flatMap(ofTenants),
  ],
  ["CREATE INDEX audit_receipts ON audit (chain, seq) WHERE event_type = 'receipt'"],
  [
    // Sealed data is deleted once a change is applied or rejected; the numbers stay for the budgets of a day.
    `CREATE TABLE changes (
      id TEXT PRIMARY KEY,
      state TEXT NOT NULL CHECK (state IN ('staged', 'applied', 'rejected', 'expired')),
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT NOT NULL,
      workspace TEXT NOT NULL,
      run TEXT NOT NULL,
      decision_id TEXT NOT NULL,
      created_at {integer} NOT NULL,
      expires_at {integer} NOT NULL,
      claimed_until {integer} NOT NULL,
      ended_at {integer},
      ended_by TEXT,
      receipt TEXT,
      autonomous {integer} NOT NULL,
      files {integer} NOT NULL,
      bytes {integer} NOT NULL,
      cost_micros {integer} NOT NULL,
      sealed TEXT
    ){strict}`,
    'CREATE INDEX changes_by_tenant ON changes (tenant, state)',
    'CREATE INDEX changes_by_time ON changes (autonomous, ended_at)',
    ...ofTenants('changes'),
  ],
  [
    // Sealed data is deleted once the run is resumed: it is resumed once.
    `CREATE TABLE runs (
      id TEXT PRIMARY KEY,
      round {integer} NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'ended', 'expired')),
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      agent TEXT NOT NULL,
      code TEXT NOT NULL,
      approvals TEXT NOT NULL,
      decision_id TEXT NOT NULL,
      created_at {integer} NOT NULL,
      expires_at {integer} NOT NULL,
      sealed TEXT
    ){strict}`,
    'CREATE INDEX runs_by_tenant ON runs (tenant, state)',
    ...ofTenants('runs'),
  ],
  [
    // Each row is the whole set as one user signed it.
    `CREATE TABLE policy_sets (
      version {integer} PRIMARY KEY,
      made_at {integer} NOT NULL,
      made_by TEXT NOT NULL,
      body TEXT NOT NULL,
      signature TEXT NOT NULL
    ){strict}`,
  ],
  [
    // Users of a home's configuration. A removed user who stored policies stays, for those policies alone.
    `CREATE TABLE people (
      home TEXT NOT NULL,
      public_key TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('viewer', 'approver', 'admin')),
      name TEXT NOT NULL,
      policies_until {integer},
      created_at {integer} NOT NULL,
      mac TEXT NOT NULL,
      PRIMARY KEY (home, public_key, role)
    ){strict}`,
  ],
  [
    // The credentials that a user received from a server, sealed; only the names of both are readable.
    `CREATE TABLE logins (
      server TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      mark TEXT NOT NULL,
      updated_at {integer} NOT NULL,
      claimed_until {integer} NOT NULL,
      sealed TEXT NOT NULL
    ){strict}`,
    ...ofTenants('logins'),
  ],
  // Whether the newest head of a chain is stored beside the keys of its home: a home without one has then lost it.
  ['ALTER TABLE chains ADD COLUMN head_kept {integer} NOT NULL DEFAULT 0'],
  [
    // The texts that sessions read, for daemons that share the store: keyed hashes, sealed.
    `CREATE TABLE session_texts (
      place {identity},
      session TEXT NOT NULL,
      user_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      time {integer} NOT NULL,
      sealed TEXT NOT NULL
    ){strict}`,
    'CREATE INDEX session_texts_by_session ON session_texts (session, place)',
    'CREATE INDEX session_texts_by_time ON session_texts (time)',
    ...ofTenants('session_texts'),
  ],
  [
    // What a permission covers beside one effect, its scope and its number of uses; an earlier grant covers its effect.
    "ALTER TABLE grants ADD COLUMN covers TEXT NOT NULL DEFAULT 'effect'",
    'ALTER TABLE grants ADD COLUMN session TEXT',
    'ALTER TABLE grants ADD COLUMN uses {integer}',
    'ALTER TABLE grants ADD COLUMN says TEXT',
  ],
  [
    // The work of agents, as keyed digests of contents and of paths.
    `CREATE TABLE authored (
      tenant TEXT NOT NULL,
      mark TEXT NOT NULL,
      time {integer} NOT NULL,
      PRIMARY KEY (tenant, mark)
    ){strict}`,
    ...ofTenants('authored'),
  ],
];

/** Rows of other tenants are invisible to a reader for one tenant. */
function ofTenants(table: string): readonly Statement[] {
  return [
    { sqlite: '', postgres: `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY` },
    { sqlite: '', postgres: `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY` },
    {
      sqlite: '',
      postgres: `CREATE POLICY ${table}_of_tenant ON ${table} USING (
        CASE WHEN current_setting('sallyport.tenant', true) = '*' THEN true
          ELSE tenant = current_setting('sallyport.tenant', true) END
      )`,
    },
  ];
}

const words: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  sqlite: { identity: 'INTEGER PRIMARY KEY AUTOINCREMENT', integer: 'INTEGER', strict: ' STRICT' },
  postgres: { identity: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', integer: 'BIGINT', strict: '' },
};

function inWordsOf(engine: Engine, statement: Statement): string {
  const text = typeof statement === 'string' ? statement : statement[engine];
  return text.replace(/\{(\w+)\}/g, (_, word: string) => words[engine][word] ?? '');
}

/** The version that this Sallyport knows. */
export const schemaVersion = steps.length;

/** Whether the schema is the one that this Sallyport knows; requires nothing of an empty store. */
export async function isCurrent(sql: Sql, engine: Engine, place: string): Promise<boolean> {
  const known =
    engine === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE name = 'schema_version'"
      : "SELECT 1 AS name WHERE to_regclass('schema_version') IS NOT NULL";
  if ((await sql.all(known)).length === 0) return false;
  const version = Number(
    (await sql.all('SELECT max(version) AS version FROM schema_version'))[0]?.['version'],
  );
  refuseNewer(version, place);
  return version === schemaVersion;
}

/** Brings the schema up to date; runs in a transaction that holds the store's lock. */
export async function migrate(sql: Sql, engine: Engine, place: string): Promise<void> {
  await sql.run('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
  const version = Number(
    (await sql.all('SELECT max(version) AS version FROM schema_version'))[0]?.['version'] ?? 0,
  );
  refuseNewer(version, place);
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    for (const statement of step) {
      const text = inWordsOf(engine, statement);
      if (text !== '') await sql.run(text);
    }
    await sql.run('INSERT INTO schema_version (version) VALUES (?)', index + 1);
  }
}

/** Rejects a store that a newer Sallyport has changed in ways that this one does not know. */
function refuseNewer(version: number, place: string): void {
  if (version > schemaVersion) {
    throw new StoreNewer(`the store ${place} has schema ${version}; this Sallyport knows ${schemaVersion}`, {
      hint: 'use the Sallyport that made it, or a newer one; nothing was changed',
    });
  }
}

// The PostgreSQL server of a victim whose records are in one: the attacker reaches it with the victim's own settings.

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type PostgresServer, postgresMissing, startPostgres } from '../support/postgres.ts';

const name = 'sallyport';
const kept = 'sallyport_kept';

/** Why there can be no such victim here; null where there can. */
export const databaseMissing = postgresMissing;

export class Database {
  readonly storeKey = randomBytes(32).toString('hex');
  readonly #server: PostgresServer;

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  static async start(): Promise<Database> {
    return new Database(await startPostgres());
  }

  /** Where the records are, for the role that owns them. */
  get url(): string {
    return this.#server.url;
  }

  /** Remembers what is in it now. */
  async keep(): Promise<void> {
    await this.#copy(name, kept);
  }

  /** Brings back what was in it when it was kept. */
  async restore(): Promise<void> {
    await this.#copy(kept, name);
  }

  async #copy(from: string, to: string): Promise<void> {
    const client = new Client({ connectionString: this.#server.superuserUrl() });
    await client.connect();
    try {
      await client.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${to} TEMPLATE ${from} OWNER ${name}`);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

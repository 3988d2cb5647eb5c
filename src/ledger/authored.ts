// Agents' work, as keyed digests: of contents that they wrote, by which code is recognized under any name and after any
// commit; of paths, which identify the files that a session made; and of the processes that its calls left running.

import { hash } from 'node:crypto';
import type { Context, RunningProcess } from '../core/index.ts';
import type { LedgerKeys } from './keys.ts';
import type { Owner, Receipt } from './receipts.ts';
import type { Sql, Store } from './store.ts';

/** The owner of the paths in a query. */
export type Maker = Pick<Context, 'tenant' | 'user' | 'agent' | 'session' | 'workspace'>;

type Born = Pick<RunningProcess, 'born'>;

/** A path from the workspace, and its current text. */
export interface MadeFile {
  readonly path: string;
  readonly text: string;
}

/** Digests in one statement. */
const pageSize = 300;

export class Authored {
  readonly #store: Store;
  readonly #keys: LedgerKeys;
  readonly #now: () => number;

  constructor(store: Store, keys: LedgerKeys, now: () => number) {
    this.#store = store;
    this.#keys = keys;
    this.#now = now;
  }

  /** Stores the writes in receipts, in the transaction that stores the receipts. */
  async insert(sql: Sql, receipts: readonly (readonly [Receipt, Owner])[]): Promise<void> {
    for (const [{ action, applied, files, workspace_id: workspace, run_id: session }, owner] of receipts) {
      if (action !== 'apply' || !applied) continue;
      const { tenant, user, agent } = owner;
      const marks = files.flatMap(({ path, before_hash: before, after_hash: after }) => {
        if (after === null) return [];
        const written = this.#writtenMark(after);
        return before === null
          ? [written, this.#madeMark([tenant, user, agent, session, workspace, path])]
          : [written];
      });
      await this.#add(sql, marks, tenant);
    }
  }

  /** Which of some texts agents of a tenant wrote, in any session. */
  async writtenByAgents(
    texts: readonly string[],
    { tenant }: Pick<Context, 'tenant'>,
  ): Promise<readonly boolean[]> {
    // A reader may have removed a byte order mark.
    const marks = texts.map((text) =>
      [text, `\ufeff${text}`].map((one) => this.#writtenMark(hash('sha256', one))),
    );
    const known = await this.#known(marks.flat(), tenant);
    return marks.map((some) => some.some((mark) => known.has(mark)));
  }

  /** Whether a session made every one of some files, and agents wrote their current content. */
  async madeBySession(files: readonly MadeFile[], maker: Maker): Promise<boolean> {
    const { tenant, user, agent, session, workspace } = maker;
    const place = this.#keys.mac('workspace', JSON.stringify(workspace));
    const marks = files.map(({ path }) => this.#madeMark([tenant, user, agent, session, place, path]));
    const known = await this.#known(marks, tenant);
    if (!marks.every((mark) => known.has(mark))) return false;
    const written = await this.writtenByAgents(
      files.map(({ text }) => text),
      maker,
    );
    return written.every(Boolean);
  }

  /** Stores the processes that calls of a session left running, each by its id and start time. */
  async addProcesses(processes: readonly Born[], maker: Maker): Promise<void> {
    const marks = processes.flatMap((process) => this.#startedMark(process, maker) ?? []);
    if (marks.length > 0) await this.#store.write((sql) => this.#add(sql, marks, maker.tenant));
  }

  /** Which of some processes calls of a session started. */
  async startedBySession(processes: readonly Born[], maker: Maker): Promise<readonly boolean[]> {
    const marks = processes.map((process) => this.#startedMark(process, maker));
    const known = await this.#known(
      marks.flatMap((mark) => mark ?? []),
      maker.tenant,
    );
    return marks.map((mark) => mark !== null && known.has(mark));
  }

  async #add(sql: Sql, marks: readonly string[], tenant: string): Promise<void> {
    for (const page of pagesOf([...new Set(marks)])) {
      const rows = page.map(() => '(?, ?, ?)').join(', ');
      const values = page.flatMap((mark) => [tenant, mark, this.#now()]);
      await sql.run(
        `INSERT INTO authored (tenant, mark, time) VALUES ${rows} ON CONFLICT (tenant, mark) DO NOTHING`,
        ...values,
      );
    }
  }

  #startedMark({ born }: Born, { tenant, user, agent, session }: Maker): string | null {
    return born === undefined
      ? null
      : this.#keys.mac('started', JSON.stringify([tenant, user, agent, session, born]));
  }

  async #known(marks: readonly string[], tenant: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const page of pagesOf([...new Set(marks)])) {
      const rows = await this.#store.read(
        (sql) =>
          sql.all(
            `SELECT mark FROM authored WHERE tenant = ? AND mark IN (${page.map(() => '?').join(', ')})`,
            ...[tenant, ...page],
          ),
        tenant,
      );
      for (const { mark } of rows) found.add(String(mark));
    }
    return found;
  }

  #writtenMark(sha256: string): string {
    return this.#keys.mac('written', sha256);
  }

  #madeMark(names: readonly string[]): string {
    return this.#keys.mac('made', JSON.stringify(names));
  }
}

function pagesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / pageSize) }, (_, at) =>
    items.slice(at * pageSize, (at + 1) * pageSize),
  );
}

// Runs a query on a SQLite file, in a process that is killed when its time is up.

import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, visible } from '../../core/index.ts';
import type { Cleared } from '../../decide/cleared.ts';
import { QueryFailed, QueryTimedOut } from './errors.ts';
import { type ExecuteOptions, type Raw, rawOf } from './result.ts';
import type { Answer, Order } from './sqlite-child.ts';

/** Lock timeout of a query, in milliseconds. */
const lockTimeoutMs = 2000;

export async function runSqlite(
  { action, facts }: Cleared<'query'>,
  { source, settings, signal }: ExecuteOptions,
): Promise<Raw> {
  const { mode, url } = source;
  if (url === null || !isAbsolute(url)) throw new QueryFailed('nothing says which file the database is');
  const { action: does } = facts;
  const order: Order = {
    file: url,
    text: action.text,
    variables: action.variables ?? {},
    may: does === 'read' ? 'read' : does === 'write' || does === 'delete' ? 'write' : 'admin',
    blockedColumns: mode.sql.blockedColumns,
    // Conditions are not followed here, so that a table of many tenants is not read, by whatever view.
    blockedTables: [
      ...mode.sql.blockedTables,
      ...(mode.sql.tenantColumn === null ? [] : mode.sql.tenantTables),
    ],
    naming: mode.sql.naming,
    mostRows: mode.sql.maxRows,
    mostBytes: settings.fetch.maxResponseBytes,
    lockTimeoutMs,
  };
  const answer = await ask(order, mode.timeoutMs, signal);
  if ('error' in answer) {
    throw new QueryFailed(`the database did not take the query: ${visible(answer.error, 300)}`);
  }
  const { rows, changed, truncated } = answer;
  return rawOf(rows, { changed, truncated, warnings: [] });
}

/** Location of the process's code: beside this file, or beside the bundle whose chunk this file is in. */
function childCode(): string {
  const here = import.meta.url;
  const name = here.endsWith('.ts') ? './sqlite-child.ts' : '../sqlite-child.cjs';
  return fileURLToPath(new URL(name, here));
}

function ask(order: Order, timeoutMs: number, signal: AbortSignal | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new QueryFailed('the query was given up'));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', childCode()], {
      // Nothing of ours that a database has to know.
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let stopped: Error | undefined;
    const stop = (why: Error): void => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () => stop(new QueryTimedOut('the query took longer than it may, and was ended')),
      timeoutMs,
    );
    const abort = (): void => stop(new QueryFailed('the query was given up'));
    signal?.addEventListener('abort', abort);
    const pieces: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => stop(new QueryFailed(`the database cannot be asked: ${messageOf(error)}`)));
    child.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (stopped !== undefined) return reject(stopped);
      try {
        resolve(JSON.parse(Buffer.concat(pieces).toString('utf8')) as Answer);
      } catch {
        reject(new QueryFailed('the database gave no answer'));
      }
    });
    child.stdin.end(JSON.stringify(order));
  });
}

// The small world of one case: a throwaway folder with a workspace, what lies beside it, databases, and a beacon that
// only something which got out can reach. Nothing in it is real, and it is gone when the case is over.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'smol-toml';
import { paths } from '../../config/index.ts';
import { type BenchCase, inPlace } from './case.ts';
import { onDatabase } from './servers/database.ts';
import { worldConfiguration } from './servers/index.ts';
import { logCall } from './servers/log.ts';
import { makeBoard } from './servers/tickets.ts';

export interface CaseWorld {
  /** The real path of the folder that holds all of it. */
  readonly folder: string;
  readonly workspace: string;
  /** Keys and records of the case, with the configuration that its servers stand in. */
  readonly home: string;
  /** The case with the places of this world in it. */
  readonly case: BenchCase;
  close(): Promise<void>;
}

/** Makes the world that a case describes. */
export async function makeWorld(described: BenchCase): Promise<CaseWorld> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-bench-')));
  const workspace = join(folder, 'workspace');
  const outside = join(folder, 'outside');
  const home = join(folder, 'home');
  const beacon = await lightBeacon(folder);
  const close = async (): Promise<void> => {
    await beacon.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const placed = inPlace(described, { workspace, outside, beacon: beacon.url });
    for (const place of [workspace, outside]) mkdirSync(place);
    mkdirSync(home, { mode: 0o700 });
    const { files = {}, outside: beside = {}, database = '', tickets = [], servers = [] } = placed;
    putFiles(workspace, files);
    putFiles(outside, beside);
    onDatabase(folder, 'database', (open) => open.exec(database));
    makeBoard(folder, tickets);
    const configuration = worldConfiguration(folder, servers, serverProgram());
    writeFileSync(paths(home).config, stringify(configuration), { mode: 0o600 });
    return { folder, workspace, home, case: placed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function putFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** What starts a server: beside this file, or beside the bundle whose chunk this file is in. */
function serverProgram(): readonly [string, ...string[]] {
  const here = import.meta.url;
  const name = here.endsWith('.ts') ? './servers/main.ts' : '../bench-server.cjs';
  const code = fileURLToPath(new URL(name, here));
  return [process.execPath, '--disable-warning=ExperimentalWarning', code];
}

interface Beacon {
  readonly url: string;
  close(): Promise<void>;
}

/** A listener on this machine that notes every request; a request is proof that something went past the guards. */
async function lightBeacon(folder: string): Promise<Beacon> {
  const server = createServer((request, response) => {
    logCall(folder, 'beacon', request.method ?? '', request.url ?? '');
    response.end();
    request.resume();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

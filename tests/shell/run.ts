// Runs commands in throwaway workspaces, directly in the sandbox and as transactions, and compares the trees.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { captureChanges } from '../../src/cli/changes.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { Context } from '../../src/core/index.ts';
import { createDecider, realWorld } from '../../src/decide/index.ts';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { hashOf, Snapshots } from '../../src/ledger/snapshots/index.ts';
import { Captures } from '../../src/run/index.ts';
import type { ReceiptOptions } from '../../src/run/receipt.ts';
import { createRunner, type Ran } from '../../src/run/tools.ts';

/** A workspace, the home of a person and that of Sallyport, in one folder. */
export interface Place {
  readonly folder: string;
  readonly workspace: string;
  readonly person: string;
  readonly home: string;
  remove(): void;
}

export function makePlace(files: Readonly<Record<string, string>> = {}, setup?: string): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-shell-')));
  const place = {
    ...{
      folder,
      workspace: join(folder, 'app'),
      person: join(folder, 'person'),
      home: join(folder, 'guard'),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  for (const path of [place.workspace, place.person, place.home]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(place.person, '.bashrc'), '# mine\n');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(place.workspace, dirname(path)), { recursive: true });
    writeFileSync(join(place.workspace, path), text);
  }
  if (setup !== undefined) {
    const env = { PATH: '/usr/bin:/bin', HOME: place.person, GIT_CONFIG_NOSYSTEM: '1' };
    const { status, stderr } = spawnSync('/bin/bash', ['-c', setup], {
      cwd: place.workspace,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`a workspace could not be prepared: ${stderr}`);
  }
  return place;
}

/** Every path below a folder with what it is; of those that `loose` names only the kind. */
export function treeOf(root: string, loose = /^$/, below = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const stat = lstatSync(join(root, path));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(root, path))}`);
    else if (stat.isDirectory()) {
      found.set(path, `folder ${mode}`);
      for (const [inner, what] of treeOf(root, loose, path)) found.set(inner, what);
    } else if (!stat.isFile()) found.set(path, 'special');
    else
      found.set(path, loose.test(path) ? 'file' : `file ${mode} ${hashOf(readFileSync(join(root, path)))}`);
  }
  return found;
}

/** The paths by which two trees differ. */
export function differing(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => one.get(path) !== other.get(path))
    .sort();
}

/** Folders with programs that are not the system's, where this machine has them. */
const toolchains = (() => {
  const folder = join(homedir(), '.rustup/toolchains');
  const [first] = existsSync(folder) ? readdirSync(folder) : [];
  return first === undefined ? null : join(folder, first);
})();

/** Whether a program can be started in the sandbox. */
export function isInstalled(program: string): boolean {
  const folders = [
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
    ...(toolchains === null ? [] : [join(toolchains, 'bin')]),
  ];
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** How commands are run: in the sandbox alone, as `exec` has it with snapshots and receipts, or as transactions. */
export type Way = 'sandbox' | 'exec' | 'transaction';

export async function runIn(
  place: Place,
  way: Way,
): Promise<{
  readonly run: (command: string) => Promise<Ran & { readonly ms: number }>;
  close(): Promise<void>;
}> {
  const { workspace, home, person } = place;
  const sandbox =
    toolchains === null ? '' : `[sandbox]\npath = ["${toolchains}/bin"]\nread_paths = ["${toolchains}"]\n`;
  writeFileSync(
    join(home, 'sallyport.toml'),
    `${sandbox}[shell]\ntransactional = ${way === 'transaction'}\n`,
  );
  process.env['HOME'] = person;
  const config = await loadConfig({ home, environment: {} });
  const keys = join(home, 'keys');
  mkdirSync(keys, { recursive: true, mode: 0o700 });
  const ledger = await Ledger.open({
    ...{ store: { file: join(home, 'ledger.db') }, operatorKey: operatorKeyIn(keys), chain: chainIn(keys) },
    ...{ check: () => false, now: Date.now },
  });
  const world = { ...realWorld(), home: person };
  const context: Context = {
    ...{ user: 'u', tenant: 't', agent: 'a', session: 's', workspace, mode: 'default' },
  };
  const snapshots = new Snapshots({
    ...{ store: join(home, 'snapshots'), workspace, personHome: person, now: Date.now },
  });
  const receipts: ReceiptOptions = {
    ...{ snapshots, ledger, context, now: Date.now },
    redact: (text) => ({ text, redactions: {} }),
  };
  const captures = new Captures({
    ...{ store: join(home, 'snapshots'), personHome: person, config, ledger, world },
    report: (event, error) => {
      throw new Error(event, { cause: error });
    },
  });
  const runner = createRunner({
    ...{ config, world, profile: 'developer' },
    decider: createDecider({ config, ledger, world }),
    ...(way === 'transaction' ? { transactions: { receipts: async () => receipts } } : {}),
    ...(way === 'exec'
      ? { capture: async (cleared) => await captureChanges(cleared, receipts, captures.integrity) }
      : {}),
  });
  return {
    run: async (command) => {
      const start = performance.now();
      const ran = await runner({ kind: 'shell', command }, context);
      return { ...ran, ms: performance.now() - start };
    },
    close: () => ledger.close(),
  };
}

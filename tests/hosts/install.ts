// Installs the hosts: the pinned versions beside these scripts, or the newest ones in a cache folder.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { folder } from './sandbox.ts';

const lock = join(folder, 'package-lock.json');
const npmArgs = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];

function npm(args: readonly string[], cwd: string, timeout?: number): boolean {
  return spawnSync('npm', args, { cwd, stdio: ['ignore', 2, 2], timeout }).status === 0;
}

/** Installs the pinned hosts and gives their node_modules. */
export function installPinned(): string {
  const modules = join(folder, 'node_modules');
  const stamp = join(modules, '.installed');
  const wanted = readFileSync(lock, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return modules;
  process.stderr.write('installing the hosts (once; about a minute, 1.4 GB) …\n');
  // Not `npm ci`: it refuses a lock file that lacks the optional binaries of other platforms.
  if (!npm(npmArgs, folder)) throw new Error('the hosts could not be installed');
  writeFileSync(stamp, wanted);
  return modules;
}

/** Installs the newest versions into the user's cache folder and gives their node_modules. */
export function installLatest(): string {
  const place = cacheFolder('latest');
  const { dependencies, ...rest } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  process.stderr.write(`installing the newest hosts into ${place} …\n`);
  const newest = Object.fromEntries(Object.keys(dependencies).map((name) => [name, 'latest']));
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...rest, dependencies: newest }));
  // `update`, since `install` is content with what an earlier run installed.
  const isThere = existsSync(join(place, 'node_modules'));
  if (!npm([isThere ? 'update' : 'install', ...npmArgs.slice(1)], place))
    throw new Error('the newest hosts could not be installed');
  return join(place, 'node_modules');
}

/**
 * One host by itself, in its pinned version: from where all are installed, or else from the cache folder. Null where it
 * could not be installed in time.
 */
export function installOne(packageName: string, timeoutMs: number): string | null {
  const has = (modules: string) => versionOf(modules, packageName) === pinnedVersion(packageName);
  const beside = join(folder, 'node_modules');
  if (has(beside)) return beside;
  const place = cacheFolder(packageName.replace(/\W+/g, '-'));
  const modules = join(place, 'node_modules');
  if (has(modules)) return modules;
  const dependencies = { [packageName]: pinnedVersion(packageName) };
  const allowScripts = { [packageName]: true };
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, dependencies, allowScripts }));
  return npm(npmArgs, place, timeoutMs) && has(modules) ? modules : null;
}

function pinnedVersion(packageName: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies[packageName];
}

/** The version of an installed package, or null. */
export function versionOf(modules: string, packageName: string): string | null {
  const file = join(modules, packageName, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

function cacheFolder(name: string): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const place = join(base, 'sallyport-hosts', name);
  mkdirSync(place, { recursive: true });
  return place;
}

// What a program that serves MCP needs, looked up before it is added: what has to be installed, which folders it is given
// and which hosts its package names. Nothing of it is run here.

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { ServerSandbox } from '../config/index.ts';
import { isJsonObject, parseJson, SallyportError } from '../core/index.ts';

/** The program is not where it was said to be. */
class NoProgram extends SallyportError {}

/** A package of npm that is installed before it is run. */
export interface NpmPackage {
  /** As npm takes it, with a version if one was named. */
  readonly spec: string;
  readonly name: string;
  readonly args: readonly string[];
}

/** What a program is started with. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** What it needs to run, and how that is described. */
export interface Profile {
  readonly sandbox: ServerSandbox;
  /** Hosts that its package names. */
  readonly hosts: readonly string[];
}

/** The package that a call of npx runs; undefined for any other command, or where other options are said. */
export function npmPackage(command: string, args: readonly string[]): NpmPackage | undefined {
  if (basename(command) !== 'npx') return undefined;
  const at = args.findIndex((word) => word !== '-y' && word !== '--yes');
  const spec = args[at];
  const found = /^((?:@[\w.-]+\/)?[\w.-]+)(?:@[\w.+~^-]+)?$/.exec(spec ?? '');
  if (spec === undefined || found?.[1] === undefined || spec.startsWith('-')) return undefined;
  return { spec, name: found[1], args: args.slice(at + 1) };
}

/** How the program of an installed package is started; throws `NoProgram`. */
export function startOf({ name, args }: NpmPackage, folder: string): Start {
  const place = join(folder, 'node_modules', name);
  const file = join(place, 'package.json');
  const read = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : null;
  const bin = isJsonObject(read) ? read['bin'] : undefined;
  const own = name.split('/').at(-1) ?? name;
  const path = isJsonObject(bin) ? (bin[own] ?? Object.values(bin)[0]) : bin;
  if (typeof path !== 'string') throw new NoProgram(`the package "${name}" has no program`);
  return { command: process.execPath, args: [join(place, path), ...args] };
}

/** A command by its absolute path, as PATH finds it; throws `NoProgram`. */
export function absolute(command: string, path = ''): string {
  const places = isAbsolute(command) ? [command] : path.split(delimiter).map((one) => join(one, command));
  const found = places.find((one) => isAbsolute(one) && statSync(one, { throwIfNoEntry: false })?.isFile());
  if (found === undefined) throw new NoProgram(`there is no program "${command}"`);
  return found;
}

/**
 * What a program is given: its own package to read, the folders that its arguments name to change, and the network where
 * its package names hosts or a variable is passed to it.
 */
export function profileOf({ command, args }: Start, hasVariables: boolean): Profile {
  const named = [command, ...args].filter((path) => isAbsolute(path) && existsSync(path));
  const kindOf = (path: string) => (statSync(path).isDirectory() ? 'folder' : 'file');
  const files = named.filter((path) => kindOf(path) === 'file').map((path) => realpathSync(path));
  const write = named.filter((path) => kindOf(path) === 'folder');
  const read = [...new Set(files.map(rootOf))].filter((path) => !isSystem(path));
  const hosts = [...new Set(files.filter(isCode).map(packageOf).flatMap(hostsIn))].slice(0, mostHosts);
  const network = hasVariables || hosts.length > 0 ? 'host' : 'off';
  return { sandbox: { read, write, network }, hosts };
}

const isCode = (path: string): boolean => /\.(?:[cm]?[jt]s|py)$/.test(path);

/** What every sandbox shows. */
const isSystem = (path: string): boolean =>
  /^\/(?:usr|bin|sbin|lib\w*|etc|nix\/store|gnu\/store)(?:\/|$)/.test(path);

/** The folder that a file runs from: with all packages that were installed with it, its project, or the file alone. */
function rootOf(file: string): string {
  const at = file.lastIndexOf('/node_modules/');
  if (isCode(file) && at > 0) return file.slice(0, at);
  if (!isCode(file)) return file;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (['package.json', 'pyproject.toml'].some((name) => existsSync(join(folder, name)))) return folder;
  }
  return file;
}

/** The folder of the package that a file belongs to. */
function packageOf(file: string): string {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? rootOf(file);
}

const mostFiles = 200;
const mostHosts = 12;
const longestFile = 1_048_576;
/** Hosts that packages name in comments and schemas, and do not call. */
const described =
  /(?:^|\.)(?:example\.(?:com|org|net)|json-schema\.org|w3\.org|npmjs\.com|opensource\.org|apache\.org|modelcontextprotocol\.io|spdx\.org|mozilla\.org|wikipedia\.org|ietf\.org|localhost)$/;

/** The hosts that the code of a package names; not those of what it depends on. */
function hostsIn(folder: string): readonly string[] {
  const hosts = new Set<string>();
  let left = mostFiles;
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (left <= 0) return;
      const inner = join(path, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) visit(inner);
      if (!entry.isFile() || !isCode(entry.name) || statSync(inner).size > longestFile) continue;
      left--;
      for (const [, host = ''] of readFileSync(inner, 'utf8').matchAll(
        /https?:\/\/([a-z\d.-]+\.[a-z]{2,})/gi,
      ))
        if (!described.test(host)) hosts.add(host.toLowerCase());
    }
  };
  if (statSync(folder).isDirectory()) visit(folder);
  return [...hosts].sort();
}

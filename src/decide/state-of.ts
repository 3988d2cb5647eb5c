// Digests of the data that a command would publish: files of any kind, trees, and container images on this machine.

import type { Hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that tools download again, and the repository's own data: the sources of what is built are beside them. */
const fetched: ReadonlySet<string> = new Set([
  ...[
    '.git',
    '.hg',
    '.svn',
    'node_modules',
    'bower_components',
    '.venv',
    'venv',
    '__pycache__',
    '.terraform',
  ],
]);
/** Limits for a tree: files that are examined, and bytes that are read; beyond them only size and time count. */
const mostFiles = 50_000;
const mostBytes = 256 * 1024 * 1024;
const chunk = 1024 * 1024;
/** Timeout of a container engine, in milliseconds. */
const engineMs = 2000;
/** By absolute paths: users who can write to folders of the PATH control what a name resolves to. */
const engines = ['/usr/bin/docker', '/usr/local/bin/docker', '/usr/bin/podman', '/usr/bin/nerdctl'];

/** The digest of `file /path`, `tree /path` or `image NAME`; null if there is none. */
export function stateOf(name: string, programs: readonly string[] = engines): string | null {
  const [, kind, what] = /^(file|tree|image) (.+)$/s.exec(name) ?? [];
  if (what === undefined) return null;
  if (kind === 'image') return imageId(what, programs);
  // Loaded here: most decisions need no state.
  const sum = process.getBuiltinModule('node:crypto').createHash('sha256');
  const budget = { files: mostFiles, bytes: mostBytes };
  const isThere = kind === 'tree' ? addTree(what, '', sum, budget) : addFile(what, sum, budget);
  return isThere ? sum.digest('hex').slice(0, 32) : null;
}

type Sum = Hash;
interface Budget {
  files: number;
  bytes: number;
}

function addTree(root: string, inside: string, sum: Sum, budget: Budget): boolean {
  const folder = join(root, inside);
  if (!existsSync(folder)) return false;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(inside, entry.name);
    if (entry.isDirectory()) {
      if (!fetched.has(entry.name)) addTree(root, path, sum, budget);
    } else if (entry.isFile() && budget.files-- > 0) {
      sum.update(`\0${path}\0`);
      addFile(join(root, path), sum, budget);
    }
  }
  return true;
}

function addFile(path: string, sum: Sum, budget: Budget): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return false;
  sum.update(`${found.size}\0`);
  budget.bytes -= found.size;
  if (budget.bytes < 0) {
    sum.update(String(found.mtimeMs));
    return true;
  }
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(chunk, Math.max(1, found.size)));
    for (;;) {
      const count = readSync(descriptor, buffer);
      if (count === 0) return true;
      sum.update(buffer.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The id of an image, from the first engine that has it. */
function imageId(name: string, programs: readonly string[]): string | null {
  if (name.startsWith('-')) return null;
  for (const program of programs.filter((path) => existsSync(path))) {
    const asked = process
      .getBuiltinModule('node:child_process')
      .spawnSync(program, ['image', 'inspect', '--format', '{{.Id}}', name], {
        encoding: 'utf8',
        timeout: engineMs,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const id = asked.status === 0 ? asked.stdout.trim() : '';
    if (id !== '') return id;
  }
  return null;
}

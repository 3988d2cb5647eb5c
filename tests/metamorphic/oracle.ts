// Proves what a command does by running it in real bash. It runs only inside bubblewrap: no network, no privileges,
// nothing of this machine writable, its homes out of sight, and stand-ins bound over every program that destroys
// something, which do no more than write down how they were called.

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Case } from './generator.ts';
import {
  downloadedProgram,
  type Proof,
  payloadPrograms,
  sandboxFolder,
  sandboxHome,
  watchedFiles,
} from './payloads.ts';

/** What really happened: programs with their arguments, and files that were written. */
export interface Observed {
  readonly ran: readonly (readonly string[])[];
  readonly written: readonly string[];
  /** The sandbox itself failed, so nothing was observed. */
  readonly failed?: string;
}

/** Seconds that a case may take. */
const timeLimit = 5;
/** Bytes that a case may leave in all its files together. */
const sizeLimit = 16 * 1024 * 1024;
const outputLimit = 1024 * 1024;

const place = '/tmp/oracle';
const log = `${place}/log`;

/** Wrappers that this machine may lack: they run the rest of their words, as the real ones would. */
const wrappers: Readonly<Record<string, string>> = {
  sudo: `while :; do case $1 in -u|-g|-C|-p) shift 2;; --) shift; break;; -*|*=*) shift;; *) break;; esac; done\nexec "$@"`,
  doas: `while :; do case $1 in -u|-C) shift 2;; --) shift; break;; -*) shift;; *) break;; esac; done\nexec "$@"`,
  'run-with-retries': 'exec "$@"',
  'with-secrets': 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
};

/** Programs that transforms need as they are: the calls that go on to the real one after they were written down. */
const goesOn: Readonly<Record<string, string>> = {
  cat: '*',
  chmod: '+x*|755*|u+x*|0755*',
  find: '*-exec*|*-print0*',
  git: '*alias.*|*core.*|*init*|*config*',
};

/** What a stand-in prints, where something reads it. */
const prints: Readonly<Record<string, string>> = { curl: downloadedProgram, wget: downloadedProgram };

const searchPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin'];
/** Git puts this folder first for what its aliases start. */
const furtherFolders = ['/usr/lib/git-core'];

/** The folders of programs that are there, each once. */
const programFolders = [
  ...new Set(
    [...searchPath, ...furtherFolders].filter((path) => existsSync(path)).map((path) => realpathSync(path)),
  ),
];

/** The files that a program's names lead to on this machine. */
function onDisk(program: string): readonly string[] {
  const paths = programFolders.map((folder) => join(folder, program)).filter((path) => existsSync(path));
  return [...new Set(paths.map((path) => realpathSync(path)))];
}

/**
 * A folder of programs as the sandbox shows it: links to the real ones, and stand-ins in place of some. Binding each
 * stand-in over its program takes bubblewrap ten times as long, for every case.
 */
function withStandIns(folder: string, standIns: ReadonlyMap<string, string>, target: string): void {
  mkdirSync(target);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [from, to] = [join(folder, entry.name), join(target, entry.name)];
    const text = standIns.get(from);
    // INVARIANT: what is linked is the real program itself, and nothing is ever written to it.
    if (text !== undefined) writeFileSync(to, text, { mode: 0o755, flag: 'wx' });
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (entry.isDirectory()) withStandIns(from, standIns, to);
    else link(from, to);
  }
}

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Another file system, or not ours to link.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

/** Writes down its own name; one that stands for several programs, the name that it was called by. */
function standIn(program: string | null): string {
  const name = program === null ? '"${0##*/}"' : `'${program}'`;
  const note = `printf '%s\\0' "$(($#+1))" ${name} "$@" >>${log}`;
  if (program === null) return `#!/bin/sh\n${note}\nexit 0\n`;
  const further = goesOn[program];
  const real =
    further === undefined ? '' : `\ncase "$*" in ${further}) exec ${place}/real/${program} "$@";; esac`;
  const output = prints[program] === undefined ? '' : `\necho '${prints[program]}'`;
  return `#!/bin/sh\n${note}${real}${output}\nexit 0\n`;
}

/** Why nothing can be proven on this machine, or null where it can. */
export function oracleProblem(): string | null {
  if (process.platform !== 'linux') return 'the oracle needs bubblewrap, which is there for Linux only';
  const { status, error, stderr } = spawnSync('bwrap', [...isolation(), '/bin/sh', '-c', ':'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return 'bubblewrap (bwrap) is not installed; nothing is run without it';
  return status === 0 ? null : `bubblewrap cannot make a sandbox here: ${stderr.trim()}`;
}

/** The sandbox before anything is put into it. */
function isolation(): readonly string[] {
  const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'].filter((path) => existsSync(path));
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...system.flatMap((path) =>
      lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
    ),
    ...['--ro-bind', '/etc', '/etc', '--dev', '/dev', '--proc', '/proc'],
    ...['--size', String(sizeLimit), '--tmpfs', '/tmp'],
  ];
}

export interface Oracle {
  /** Runs one script, alone in a sandbox of its own. */
  observe(script: string): Promise<Observed>;
  /** The cases that really did what their payload says, several at a time. */
  prove(cases: readonly Case[], progress?: (done: number) => void): Promise<readonly Case[]>;
  close(): void;
}

/** Makes the stand-ins; throws where `oracleProblem` names one. */
export function createOracle(): Oracle {
  const problem = oracleProblem();
  if (problem !== null) throw new Error(problem);
  // On the file system of the programs, so that they can be linked.
  const folder = mkdtempSync('/tmp/sallyport-oracle-');
  const options = prepare(folder);

  const observe = (script: string) => run([...options, script]);

  return {
    observe,
    async prove(cases, progress) {
      const proven = new Array<boolean>(cases.length).fill(false);
      let next = 0;
      await Promise.all(
        Array.from({ length: availableParallelism() }, async () => {
          for (let at = next++; at < cases.length; at = next++) {
            const one = cases[at];
            if (one === undefined) return;
            proven[at] = shows(await observe(one.command), one.payload.proof);
            progress?.(at + 1);
          }
        }),
      );
      return cases.filter((_, at) => proven[at]);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Whether what was observed is what the payload would do. */
export function shows(observed: Observed, proof: Proof): boolean {
  if ('written' in proof) return observed.written.includes(proof.written);
  const seen = new Set(observed.ran.map((call) => JSON.stringify(call)));
  return proof.ran.every((call) => seen.has(JSON.stringify(call)));
}

/** Writes the stand-ins and the driver; gives the arguments of bubblewrap up to the script. */
function prepare(folder: string): readonly string[] {
  const stubs = join(folder, 'stubs');
  mkdirSync(stubs);
  const write = (name: string, text: string) => {
    writeFileSync(join(stubs, name), text);
    chmodSync(join(stubs, name), 0o755);
  };
  for (const program of [...payloadPrograms, downloadedProgram]) write(program, standIn(program));
  for (const [wrapper, text] of Object.entries(wrappers)) write(wrapper, `#!/bin/sh\n${text}\n`);
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'driver'), driver());
  const standIns = new Map(
    [...payloadPrograms, ...Object.keys(wrappers)].flatMap((program) =>
      onDisk(program).map((path) => {
        const text = wrappers[program] === undefined ? standIn(program) : `#!/bin/sh\n${wrappers[program]}\n`;
        return [path, basename(path) === program ? text : standIn(null)] as const;
      }),
    ),
  );
  const bound = programFolders.flatMap((path, at) => {
    const shown = join(folder, `programs-${at}`);
    withStandIns(path, standIns, shown);
    return ['--ro-bind', shown, path];
  });
  // What its name leads to elsewhere.
  for (const [path, text] of standIns) {
    if (programFolders.some((programs) => path.startsWith(`${programs}/`))) continue;
    const shown = join(folder, `elsewhere-${bound.length}`);
    writeFileSync(shown, text, { mode: 0o755 });
    bound.push('--ro-bind', shown, path);
  }
  const real = Object.keys(goesOn).flatMap((program) => {
    const [path] = onDisk(program);
    return path === undefined ? [] : ['--ro-bind', path, `${place}/real/${program}`];
  });
  return [
    ...isolation(),
    ...(existsSync('/etc/shadow') ? ['--ro-bind', join(folder, 'empty'), '/etc/shadow'] : []),
    ...['--dir', place, '--dir', `${place}/real`, '--dir', sandboxHome, '--dir', `${sandboxHome}/.ssh`],
    ...['--dir', sandboxFolder, '--dir', '/home', '--dir', '/root'],
    // The real ones come first: what is bound over them must not be what they are.
    ...real,
    ...bound,
    ...['--ro-bind', stubs, `${place}/stubs`, '--ro-bind', join(folder, 'driver'), `${place}/driver`],
    ...['--setenv', 'PATH', `${place}/stubs:${searchPath.join(':')}:/sbin:/bin`],
    ...['--setenv', 'HOME', sandboxHome, '--setenv', 'LANG', 'C.UTF-8', '--setenv', 'TERM', 'dumb'],
    ...['--chdir', sandboxFolder, '/bin/sh', `${place}/driver`],
  ];
}

/** Runs the script, waits for what it left running, and prints what was written down. */
function driver(): string {
  const files = watchedFiles.map((file) => `'${file}'`).join(' ');
  return [
    `: >${log}`,
    `ulimit -f ${sizeLimit / 512} -t ${timeLimit * 2}`,
    `mkdir -p src && echo one >src/one.txt && echo two >README.md`,
    `/usr/bin/timeout -s KILL ${timeLimit} /bin/bash -c "$1" >${place}/out 2>&1 </dev/null`,
    'tries=0',
    'while set -- /proc/[0-9]*; [ $# -gt 2 ] && [ $tries -lt 20 ]; do tries=$((tries+1)); sleep 0.02; done',
    `for file in ${files}; do [ -s "$file" ] && printf '%s\\0' 2 written-file "$file" >>${log}; done`,
    `exec ${place}/real/cat ${log}`,
  ].join('\n');
}

function run(options: readonly string[]): Promise<Observed> {
  return new Promise((resolve) => {
    const child = spawn('bwrap', options, { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
    const pieces: Buffer[] = [];
    let size = 0;
    let complaint = '';
    const late = setTimeout(() => child.kill('SIGKILL'), (timeLimit + 5) * 1000);
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > outputLimit) child.kill('SIGKILL');
      else pieces.push(piece);
    });
    child.stderr.on('data', (piece: Buffer) => {
      if (complaint.length < 1000) complaint += piece.toString('utf8');
    });
    child.on('error', (error) => {
      complaint = error.message;
    });
    child.on('close', (code) => {
      clearTimeout(late);
      const observed = read(Buffer.concat(pieces).toString('utf8'));
      resolve(code === 0 ? observed : { ...observed, failed: complaint.trim() || `status ${code}` });
    });
  });
}

/** Reads the log: a count, then so many words, each ended by a zero. */
function read(text: string): Observed {
  const ran: string[][] = [];
  const written: string[] = [];
  const parts = text.split('\0');
  for (let at = 0; at < parts.length - 1; ) {
    const count = Number(parts[at]);
    if (!Number.isInteger(count) || count < 1) break;
    const call = parts.slice(at + 1, at + 1 + count);
    if (call[0] === 'written-file' && call[1] !== undefined) written.push(call[1]);
    else ran.push(call);
    at += 1 + count;
  }
  return { ran, written };
}

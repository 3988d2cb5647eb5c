// Installs what a clone needs, then runs one thing with the project's own Node.
// Built-ins only, and syntax that Node 20 reads: this file runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import './errors.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const binaries = join(modules, '.bin');
const stamp = join(modules, '.sallyport-setup');
const node = join(binaries, process.platform === 'win32' ? 'node.cmd' : 'node');
const windows = process.platform === 'win32';

const environment = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` };

const usage = `Usage: node scripts/setup.mjs [start | sallyport ARGS… | check | script FILE ARGS…]
  (nothing)         install only
  start             at a terminal set Sallyport up; else, or after a no, the daemon in the foreground
  sallyport ARGS…   run the command line from source
  check             lint, types, unused code and all tests
  script FILE …     run one script with the project's Node`;

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** What the installed tree must match: the lock file, this platform, and this script. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['package.json', 'package-lock.json', 'scripts/setup.mjs']) {
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function installed(wanted) {
  return existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === wanted;
}

function install() {
  const wanted = fingerprint();
  if (installed(wanted)) return;
  process.stderr.write('Installing what Sallyport needs (once; about half a minute) …\n');
  // Not `npm ci`: it refuses a lock file that lacks the optional binaries of other platforms, which a registry may
  // not have. `install` takes the locked versions all the same, and `--no-save` leaves the files as they are.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  runNpm(args, process.execPath, process.env);
  if (!existsSync(node)) {
    fail(
      "The package `node` brought no binary for this machine. Install Node 24 or newer, then run 'npx sallyport up'.",
    );
  }
  // An older Node leaves optional packages out that need a newer one; the project's own Node takes them.
  if (Number(process.versions.node.split('.')[0]) < 24) runNpm(args, node, environment);
  linkOwnCommand();
  mkdirSync(modules, { recursive: true });
  writeFileSync(`${stamp}.new`, wanted);
  renameSync(`${stamp}.new`, stamp);
}

/** Runs npm with a Node, in an environment in which that Node comes first. */
function runNpm(args, withNode, env) {
  const npm = process.env.npm_execpath;
  const [command, commandArgs] = npm?.endsWith('.js') ? [withNode, [npm, ...args]] : ['npm', args];
  const { status } = spawnSync(command, commandArgs, {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
    shell: windows,
  });
  if (status !== 0) {
    fail('The install did not finish. Check that the npm registry is reachable, then run the command again.');
  }
}

/** Lets `npx sallyport` in the clone find the clone's own command, with no look-up elsewhere. */
function linkOwnCommand() {
  if (windows) return;
  const link = join(binaries, 'sallyport');
  rmSync(link, { force: true });
  symlinkSync('../../bin/sallyport.cjs', link);
}

/** Runs the program in the foreground, passing signals on and ending as it ended. */
function foreground(args) {
  const child = spawn(node, args, { cwd: root, stdio: 'inherit', env: environment, shell: windows });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Could not start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** Makes the page that the daemon serves, where it is not there or its sources are newer. */
function makeConsole() {
  const sources = join(root, 'console');
  const page = join(root, 'dist', 'console', 'index.html');
  const files = readdirSync(sources, { recursive: true }).map((file) => join(sources, String(file)));
  const newest = Math.max(...files.map((file) => statSync(file).mtimeMs));
  if (existsSync(page) && statSync(page).mtimeMs >= newest) return;
  process.stderr.write('Making the console (once; a few seconds) …\n');
  const args = [join(modules, 'vite/bin/vite.js'), 'build', '--config', join(sources, 'vite.config.ts')];
  const { status } = spawnSync(node, args, { cwd: sources, stdio: ['ignore', 2, 2], env: environment });
  if (status !== 0)
    process.stderr.write('The console could not be made; everything else works without it.\n');
}

/** Sets up at a terminal, where a person can say no; else the daemon, which ends with this process. */
function start() {
  makeConsole();
  const program = join(root, 'bin', 'sallyport.cjs');
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const { status } = spawnSync(node, [program, 'setup'], { stdio: 'inherit', env: environment });
    if (status === 0) return;
    process.stderr.write('Starting the daemon in the foreground; Ctrl-C stops it.\n');
  }
  foreground([program, 'up', ...rest]);
}

function check() {
  const steps = [
    ['lint and format', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
    ['types', ['node_modules/typescript/bin/tsc', '--noEmit']],
    ['types of the console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console/tsconfig.json']],
    ['unused code', ['node_modules/knip/bin/knip.js']],
    ['tests', ['node_modules/vitest/vitest.mjs', 'run']],
  ];
  for (const [name, args] of steps) {
    process.stdout.write(`\n── ${name}\n`);
    const result = spawnSync(node, args, { cwd: root, stdio: 'inherit', env: environment, shell: windows });
    if (result.status !== 0) fail(`\n${name}: failed`);
  }
}

const [task, ...rest] = process.argv.slice(2);
if (task === '--help') {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
install();
if (task === undefined) process.stdout.write('Installed.\n');
else if (task === 'start') start();
else if (task === 'sallyport') {
  if (rest[0] === 'up') makeConsole();
  foreground([join(root, 'bin', 'sallyport.cjs'), ...rest]);
} else if (task === 'script' && rest.length > 0) {
  foreground(['--import', pathToFileURL(join(root, 'scripts', 'errors.mjs')).href, ...rest]);
} else if (task === 'check') check();
else fail(usage);

// The command line of a clone, bundled: one bundle for each state of the sources, below node_modules, made behind.
// A command that finds none runs from the sources, and the next one is quick.
const { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } = require('node:fs');
const { join } = require('node:path');

/** How long the sources must be left alone before a bundle is made: who edits them runs them as they are. */
const restMs = 20_000;
/** How long a bundle may take to be made; a lock that is older was left by a process that was ended. */
const longestMs = 120_000;
/** How many bundles stay beside the one in use, and for how long: a daemon loads parts of its own late. */
const keptCount = 3;
const keptMs = 14 * 86_400_000;

/** What the bundle is made of, as one key, and when the last of it changed. Every command waits for this. */
function stateOf(root) {
  let newest = 0;
  // Two sums of 32 bits: a key that tells states apart, and proves nothing.
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  const mix = (number) => {
    one = Math.imul(one ^ number, 0x01000193);
    other = Math.imul(other ^ (number + one), 0x5bd1e995);
  };
  const look = (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    newest = Math.max(newest, found.mtimeMs);
    // The time of a folder says nothing that the names in it do not.
    if (found.isDirectory()) return;
    mix(found.size);
    mix(found.mtimeMs % 0x7fffffff);
    mix((found.mtimeMs * 1000) % 0x7fffffff);
  };
  for (const name of ['package-lock.json', 'scripts/build.mjs', 'src']) look(`${root}/${name}`);
  for (const name of readdirSync(`${root}/src`, { recursive: true })) {
    if (name.endsWith('.test.ts')) continue;
    for (let at = 0; at < name.length; at++) mix(name.charCodeAt(at));
    look(`${root}/src/${name}`);
  }
  const hex = (sum) => (sum >>> 0).toString(16).padStart(8, '0');
  return { key: hex(one) + hex(other), newest };
}

/** The folder of the bundles of a clone. */
function bundlesOf(root) {
  return join(root, 'node_modules', '.cache', 'sallyport');
}

/** The folder of the bundle of exactly these sources; null where there is none yet, which starts one. */
function sourceBundle(root) {
  const { key, newest } = stateOf(root);
  const folder = join(bundlesOf(root), key);
  if (existsSync(join(folder, 'cli.cjs'))) {
    touch(folder);
    return folder;
  }
  if (!process.env.CI && Date.now() - newest > restMs) makeBehind(root, folder);
  return null;
}

/** Notes that a bundle is in use; a clone that cannot be written is used as it is. */
function touch(folder) {
  try {
    const now = new Date();
    utimesSync(folder, now, now);
  } catch {
    // Another account's clone.
  }
}

/** Makes a bundle in a process of its own that nobody waits for; one at a time. */
function makeBehind(root, folder) {
  try {
    mkdirSync(bundlesOf(root), { recursive: true });
    const lock = `${folder}.lock`;
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held !== undefined && Date.now() - held.mtimeMs > longestMs) rmSync(lock, { recursive: true });
    mkdirSync(lock);
    tidy(root, folder);
    const build = join(root, 'scripts', 'build.mjs');
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [build, '--commands', folder], {
      cwd: root,
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    child.on('error', () => undefined);
    child.unref();
  } catch {
    // Another process makes it, or the clone cannot be written: the sources run as they are.
  }
}

/** Takes bundles away that nothing used for long. */
function tidy(root, folder) {
  const all = readdirSync(bundlesOf(root))
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => join(bundlesOf(root), name))
    .filter((path) => path !== folder)
    .map((path) => ({ path, used: statSync(path).mtimeMs }))
    .sort((one, other) => other.used - one.used);
  for (const { path, used } of all.slice(keptCount))
    if (Date.now() - used > keptMs) rmSync(path, { recursive: true, force: true });
}

module.exports = { sourceBundle, stateOf };

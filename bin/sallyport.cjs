#!/usr/bin/env node
// Starts the command line: the bundle, or in a clone the sources where they are newer.
// CommonJS on purpose: going through the ES module loader costs a quarter of an empty Node start.
const {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `sallyport needs Node 24 or newer; this is ${process.versions.node} (${process.execPath}).\n` +
      '  Install it from https://nodejs.org, or with a version manager: nvm install 24, fnm install 24, volta install node@24.\n',
  );
  process.exit(2);
}

/**
 * Where compiled code is kept, with a folder for each command, since each compiles other functions: beside the bundle
 * where somebody made a place for it, for all homes, else in the home if there is one. Whoever can write there can
 * change the bundle or the configuration too, so nobody gains anything by changing the cache.
 * INVARIANT: root runs no code that another account compiled, whichever home its environment names.
 */
function cacheFolder() {
  const command = /^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'other';
  const name = `${process.version}-${command}`;
  const beside = join(bundle, 'cache');
  if (existsSync(beside)) return join(beside, name);
  const { SALLYPORT_HOME, HOME } = process.env;
  const home = SALLYPORT_HOME || (HOME ? join(HOME, '.sallyport') : '');
  return home !== '' && isOurs(home) ? join(home, 'cache', name) : null;
}

function isOurs(folder) {
  try {
    return statSync(folder).uid === (process.geteuid?.() ?? 0);
  } catch {
    return false;
  }
}

/**
 * Runs a file of the bundle and what it requires, from the code that an earlier process compiled. Node's own cache
 * holds what is compiled when a file is loaded; this one holds what a command called as well, which is half of its start.
 * INVARIANT: only files with a hash of their content in their name are kept, since V8 compares no more than lengths;
 * and the bundle is plain ASCII, which is read as it is.
 */
function runner(folder) {
  const modules = new Map();
  const compiled = [];
  const run = (file) => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const name = basename(file);
    const kept = folder !== null && /-[\w-]{8}\.cjs$/.test(name) ? join(folder, name) : null;
    const cachedData = kept === null ? undefined : read(kept);
    const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`;
    const script = new Script(source, { filename: file, cachedData });
    if (kept !== null && script.cachedDataRejected !== false) compiled.push({ script, kept });
    // What is not of the bundle is found from here as well as from there.
    const inside = (wanted) => (wanted.startsWith('.') ? run(join(dirname(file), wanted)) : require(wanted));
    script.runInThisContext()(module.exports, inside, module, file, dirname(file));
    return module.exports;
  };
  process.once('exit', () => keep(folder, compiled));
  return run;
}

/** Compiled code that is whole: V8 would take a part of it for all, so its length stands behind it. */
function read(kept) {
  if (!existsSync(kept)) return undefined;
  const bytes = readFileSync(kept);
  const length = bytes.length - 4;
  return length > 0 && bytes.readUInt32LE(length) === length ? bytes.subarray(0, length) : undefined;
}

/** Writes compiled code for the next process, and takes away what no file of this bundle needs. */
function keep(folder, compiled) {
  // A home that this command took away stays away.
  if (compiled.length === 0 || !existsSync(dirname(dirname(folder)))) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder))
      if (!existsSync(join(bundle, 'chunks', name))) rmSync(join(folder, name));
    for (const { script, kept } of compiled) {
      const fresh = `${kept}.${process.pid}`;
      const code = script.createCachedData();
      const length = Buffer.alloc(4);
      length.writeUInt32LE(code.length);
      writeFileSync(fresh, Buffer.concat([code, length]), { mode: 0o600, flush: true });
      renameSync(fresh, kept);
    }
  } catch {
    // A cache that cannot be written costs time and nothing else.
  }
}

/**
 * The folder of the bundle: of a package, or in a clone that of exactly its sources; null where the sources themselves run.
 */
function bundleFolder() {
  const root = join(__dirname, '..');
  const dist = join(root, 'dist');
  const isBuilt = existsSync(join(dist, 'cli.cjs'));
  if (!existsSync(join(root, 'src'))) return isBuilt ? dist : null;
  const { sourceBundle, stateOf } = require('../scripts/source-bundle.cjs');
  const isCurrent = isBuilt && statSync(join(dist, 'cli.cjs')).mtimeMs >= stateOf(root).newest;
  return isCurrent ? dist : sourceBundle(root);
}

/** Answers the first line of a client; null for a command that has none. */
function greetFirst(run, words) {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
  return run(join(bundle, 'greeting.cjs')).greetFirst(words, version);
}

const bundle = bundleFolder();
if (bundle !== null) {
  const run = runner(cacheFolder());
  const [name, ...words] = process.argv.slice(2);
  // A client that starts a server waits for its first answer: it has that before the rest is loaded.
  const greeted = name === 'mcp' ? greetFirst(run, words) : null;
  const main = () => run(join(bundle, 'cli.cjs')).main(process.argv.slice(2));
  if (greeted === null) main();
  else greeted.then(main);
} else import('../src/cli/main.ts').then(({ main }) => main(process.argv.slice(2)));

#!/usr/bin/env node
// Starts the command line: the bundle where there is one, else the source.
// CommonJS on purpose: going through the ES module loader costs a quarter of an empty Node start.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(`sallyport needs Node 24 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
/**
 * Keeps compiled code in the home, if there is one: a command then starts in two thirds of the time.
 * Whoever can write there can change the configuration too, so nobody gains anything by changing the cache.
 */
function keepCompiled() {
  const { SALLYPORT_HOME, HOME } = process.env;
  const home = SALLYPORT_HOME || (HOME ? join(HOME, '.sallyport') : '');
  if (home !== '' && existsSync(home)) require('node:module').enableCompileCache(join(home, 'cache'));
}

const bundle = join(__dirname, '..', 'dist', 'cli.cjs');
if (existsSync(bundle)) {
  keepCompiled();
  require(bundle).main(process.argv.slice(2));
} else {
  import('../src/cli/main.ts').then(({ main }) => main(process.argv.slice(2)));
}

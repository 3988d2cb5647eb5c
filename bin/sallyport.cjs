#!/usr/bin/env node
// Starts the command line: the bundle where there is one, else the source.
// CommonJS on purpose: going through the ES module loader costs a quarter of an empty Node start.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(`sallyport needs Node 24 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
const bundle = join(__dirname, '..', 'dist', 'cli.cjs');
if (existsSync(bundle)) {
  require(bundle).main(process.argv.slice(2));
} else {
  import('../src/cli/main.ts').then(({ main }) => main(process.argv.slice(2)));
}

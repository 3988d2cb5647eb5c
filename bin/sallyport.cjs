#!/usr/bin/env node
// Starts the command line: the bundle where there is one, else the source.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`sallyport needs Node 24 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
const { existsSync } = await import('node:fs');
const bundle = new URL('../dist/cli.js', import.meta.url);
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import((existsSync(bundle) ? bundle : source).href);
await main(process.argv.slice(2));

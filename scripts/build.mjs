// Bundles into dist/, or into the folder that is named: the command line as one small entry with a chunk for each
// command that loads when it is called, the entries of the package for programs with their types, and the console. With
// --commands FOLDER: the command line alone, of a clone as it is.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { build as buildPage } from 'vite';
import { cardFiles, problemsIn } from './cards.ts';
import { stateOf } from './source-bundle.cjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [first, second] = process.argv.slice(2);
/** Only the command line, for a clone: no entries for programs, no types, no page. */
const isCommandsOnly = first === '--commands';
const wanted = resolve(root, (isCommandsOnly ? second : first) ?? 'dist');
const out = isCommandsOnly ? `${wanted}.new` : wanted;
const started = new Date();

const wrong = isCommandsOnly ? [] : problemsIn(await cardFiles());
if (wrong.length > 0) throw new Error(`the program cards do not hold:\n${wrong.join('\n')}`);

/** The modules that every verdict takes. What reads files or runs examples is loaded by those who need it. */
const judging =
  /src.(core|guards.(index|command.error)|config.(errors|guidelines|home|llm|load|merge|key|policies|reading|schema|sections|servers|settings|tools|users|index)|policy.index|decide(?!.(examples|detection|isolated|egress|worker-pool|extract|parsers|python|replay|schemas|symbols|telemetry))|cli.(command|io|open|show|version|commands.test))\b/;
/** Those that a verdict on a shell command takes beside them, without the families of tools and what few commands need. */
const following =
  /unbash|src.(detect.path|guards.command.(guard|index|where|effects|variables|runs|need|once|load|languages|view|rules(?!.user)|bash.((?!decode|encodings|inflate|mentions|regular|sed|snippets)\w+.ts|shell|executors.(index|names|inner))|tools.(index|families|names|tool|options|access)|programs.(card|index|names|options)))\b/;

/** Loaded only when a request really goes out, code runs, or a store is on a server; or the program's own. */
const external = [
  'undici',
  'pg',
  'ai',
  'quickjs-wasi',
  'yaml',
  /^mysql2/,
  '@cedar-policy/cedar-wasm/nodejs',
  /^@modelcontextprotocol\//,
  /^@ai-sdk\//,
  /^@aws-sdk\//,
  '@opentelemetry/api',
];

const { output: commands } = await build({
  cwd: root,
  // The workers are loaded by name, from a thread.
  input: {
    cli: 'src/cli/main.ts',
    greeting: 'src/cli/greeting.ts',
    'scan-worker': 'src/cli/scan/worker.ts',
    'isolated-worker': 'src/decide/isolated-worker.ts',
    'sqlite-child': 'src/run/query/sqlite-child.ts',
    'extract-worker': 'src/decide/extract/worker.ts',
    'symbols-worker': 'src/decide/symbols-worker.ts',
    'code-worker': 'src/run/code/worker.ts',
    'bench-server': 'src/agent/bench/servers/main.ts',
  },
  platform: 'node',
  // Loaded only when a request really goes out, the store is on a server, or a policy is asked.
  external,
  write: false,
  output: {
    // CommonJS, small and plain ASCII: each was measured to shorten the start of a command.
    format: 'cjs',
    // What is not in the bundle is required too: importing needs the ES module loader.
    dynamicImportInCjs: false,
    // What belongs together stands in one file, since each further one costs every start.
    codeSplitting: {
      groups: [
        { name: 'judge', test: judging },
        { name: 'command', test: following },
      ],
    },
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    // Errors are known by the names of their classes, so those stay.
    minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
  },
});

const { output: entries } = isCommandsOnly
  ? { output: [] }
  : await build({
      cwd: root,
      input: {
        index: 'src/surfaces/sdk/index.ts',
        ai: 'src/surfaces/sdk/ai.ts',
        query: 'src/surfaces/sdk/query.ts',
      },
      platform: 'node',
      external,
      write: false,
      output: { format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
    });

/** After minifying, other characters stand only in strings and patterns, where an escape means the same. */
function ascii(code) {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'chunks'), { recursive: true });
let bytes = 0;
for (const chunk of [...commands, ...entries]) {
  const code = ascii(chunk.code);
  writeFileSync(join(out, chunk.fileName), code);
  bytes += code.length;
}
copyFixtures();
if (isCommandsOnly) {
  // Sources that changed while they were read make no bundle.
  if (stateOf(root).key === basename(wanted)) renameSync(out, wanted);
  else rmSync(out, { recursive: true });
  rmSync(`${wanted}.lock`, { recursive: true, force: true });
  process.exit();
}
writeTypes();
await buildPage({
  configFile: join(root, 'console/vite.config.ts'),
  build: { outDir: join(out, 'console') },
});
// A source that changed while it was read is newer than the bundle, and so counts.
utimesSync(join(out, 'cli.cjs'), started, started);
process.stdout.write(`${out}: ${commands.length + entries.length} files, ${Math.round(bytes / 1024)} KiB\n`);

/** The fixtures of the contract and what they stand on, without the code that tests them. */
function copyFixtures() {
  const from = join(root, 'tests/integration/guardrails');
  for (const part of ['input', 'output', 'tool', 'sallyport.toml', 'fixture.schema.json']) {
    cpSync(join(from, part), join(out, 'fixtures', part), { recursive: true });
  }
}

/** The types of the entries, as declarations beside them. */
function writeTypes() {
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--noEmit',
    'false',
    '--outDir',
    join(out, 'types'),
  ];
  const settings = ['--project', join(root, 'tsconfig.types.json')];
  const compiler = join(root, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(compiler, [...settings, ...options], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the types could not be made:\n${stdout}`);
}

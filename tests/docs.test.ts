// The documentation is true: its commands are run, its examples are read, its links lead somewhere.

import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allCommands, makePages } from '../scripts/docs.ts';
import { makeReport } from '../scripts/report.ts';
import { countDocs, sumOf } from '../scripts/words.ts';
import { commonOptions } from '../src/cli/command.ts';
import { ruleChecks } from '../src/cli/open.ts';
import { endDaemon, readDaemonFile } from '../src/cli/running.ts';
import { configSchema, loadConfig } from '../src/config/index.ts';
import { isJsonObject, type JsonObject, parseJson, readAction } from '../src/core/index.ts';
import { eventTypes } from '../src/ledger/index.ts';
import { compileSource } from '../src/policy/compile.ts';
import { cliEntry } from './support/bundle.ts';
import { ended } from './support/cli.ts';
import { sandboxMissing } from './support/command.ts';
import { temporaryFolder } from './support/ledger.ts';
import { oneOf } from './support/share.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function pagesIn(folder: string, deep: boolean): string[] {
  return readdirSync(join(root, folder), { recursive: deep, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** The folders of the code with pages for contributors, whose links are followed too. */
const inCode = ['src', 'tests'].flatMap((folder) =>
  pagesIn(folder, true).filter((name) => !name.includes('fixtures')),
);
const pages = [...pagesIn('.', false), ...pagesIn('docs', true), ...inCode].sort();
const told = pages.filter((page) => page === 'README.md' || page.startsWith('docs/'));
const read = (page: string) => readFileSync(join(root, page), 'utf8');

interface Block {
  readonly page: string;
  readonly line: number;
  readonly info: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of read(page).split('\n').entries()) {
    if (open === undefined) {
      const info = /^```(.*)$/.exec(line)?.[1];
      if (info !== undefined) open = { line: index + 1, info: info.trim(), lines: [] };
    } else if (line === '```') {
      blocks.push({ page, line: open.line, info: open.info, text: open.lines.join('\n') });
      open = undefined;
    } else open.lines.push(line);
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: the block has no end`);
  return blocks;
}

const blocks = pages.flatMap(blocksOf);
const withInfo = (info: string) => blocks.filter((block) => block.info === info);
const named = (some: readonly Block[]) =>
  some.map((block) => [`${block.page}:${block.line}`, block] as const);

// ── commands

interface Step {
  readonly place: string;
  readonly command: string;
  readonly expected: readonly string[];
}

/** The commands of a console block: `$ ` starts one, `> ` right behind goes on with it, the rest is its output. */
function stepsOf({ page, line, text }: Block): Step[] {
  const steps: { place: string; command: string; expected: string[] }[] = [];
  for (const [index, said] of text.split('\n').entries()) {
    const last = steps.at(-1);
    if (said.startsWith('$ ')) {
      steps.push({ place: `${page}:${line + 1 + index}`, command: said.slice(2), expected: [] });
    } else if (last === undefined) throw new Error(`${page}:${line}: a console block begins with "$ "`);
    else if (said.startsWith('> ') && last.expected.length === 0) last.command += `\n${said.slice(2)}`;
    else last.expected.push(said);
  }
  return steps;
}

/** What a person would see must match; `…` is anything in a line, and alone on a line any number of lines. */
function pattern(expected: readonly string[]): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = expected.map((line) =>
    line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(literal).join('.*')}\\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}

const mark = '\u0001';

/** Runs the commands of one page in one shell, in a home and a workspace of their own. */
async function runSteps(steps: readonly Step[]): Promise<readonly string[]> {
  // Pages run side by side, so each run clears up for itself.
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-docs-')));
  const programs = join(home, 'programs');
  const environment = {
    PATH: `${programs}:${process.env['PATH']}`,
    HOME: home,
    SALLYPORT_HOME: join(home, '.sallyport'),
  };
  const workspace = join(home, 'shop');
  const packages = join(home, 'node_modules');
  for (const folder of [workspace, programs, packages]) mkdirSync(folder);
  // What a program of the page imports is the package, as it is published.
  symlinkSync(dirname(dirname(cliEntry())), join(packages, 'sallyport'));
  const shim = `exec '${process.execPath}' '${cliEntry()}' "$@"\n`;
  writeFileSync(join(programs, 'sallyport'), `#!/bin/sh\n${shim}`, { mode: 0o755 });
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift\n${shim}`, { mode: 0o755 });
  // Each command leaves its exit code to the next one, as at a prompt.
  const script = steps.map(({ command }) => `${command}\nlast=$?; printf '${mark}'; (exit $last)`);
  try {
    const child = spawn('sh', ['-c', `exec 2>&1\n${script.join('\n')}`], {
      cwd: workspace,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 280_000,
    });
    const { stdout } = await ended(child);
    return stdout.split(mark).slice(0, -1);
  } finally {
    // A daemon that a page started and did not stop.
    const running = readDaemonFile(join(home, '.sallyport/run/daemon.json'));
    if (running !== null) await endDaemon(running.pid);
    rmSync(home, { recursive: true, force: true });
  }
}

const noCurl = spawnSync('curl', ['--version']).status !== 0;
if (noCurl) process.stderr.write("Skipped: commands in the docs that need the program 'curl'.\n");

/** The pages on which doctor finds the same host connected; one page is enough. */
const doctors = told.filter((page) => /^\$ sallyport doctor$/m.test(read(page)));

describe.concurrent('the commands of', () => {
  for (const page of told) {
    const all = blocks.filter((block) => block.page === page && block.info === 'console').flatMap(stepsOf);
    const isIn = ({ command }: Step) =>
      command !== 'sallyport doctor' || doctors.indexOf(page) % oneOf(doctors.length) === 0;
    const steps = all.filter(isIn);
    if (steps.length === 0) continue;
    const unable =
      (noCurl && steps.some(({ command }) => command.includes('curl '))) ||
      (sandboxMissing !== null && steps.some(({ command }) => command.includes('sallyport exec ')));
    it.skipIf(unable)(
      `${page} print what it says`,
      async ({ expect }) => {
        const printed = await runSteps(steps);
        expect(printed.length, 'commands that ended').toBe(steps.length);
        for (const [index, { place, command, expected }] of steps.entries()) {
          expect(printed[index], `${place}: ${command}`).toMatch(pattern(expected));
        }
      },
      300_000,
    );
  }
});

it('says of every block what it is', () => {
  const known = ['console', 'console norun', 'text', 'toml', 'json', 'jsonl', 'ts', 'cedar', 'yaml'];
  expect(blocks.filter(({ info }) => !known.includes(info) && fileOf(info) === undefined)).toEqual([]);
});

it.each(blocks.filter(({ info }) => info === 'yaml').map((block) => [`${block.page}:${block.line}`, block]))(
  'the YAML at %s is read',
  (_, { text }) => {
    expect(parse(text)).toEqual(expect.any(Object));
  },
);

/** The file that a block of code in another language shows; the tests of that language run it. */
function fileOf(info: string): string | undefined {
  return /^(?:js|python|go) (\S+)$/.exec(info)?.[1];
}

describe('the file at', () => {
  const shown = blocks.flatMap((block) => {
    const file = fileOf(block.info);
    return file === undefined ? [] : [[`${block.page}:${block.line}`, file, block] as const];
  });
  it.each(shown)('%s is %s as it stands', (_, file, { text }) => {
    expect(`${text}\n`).toBe(read(file));
  });
});

// ── data

describe('the configuration at', () => {
  it.each(named(withInfo('toml')))('%s loads', async (_, { text }) => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'sallyport.toml'), text);
    const environment = {
      TEAM: 'shop',
      API_HOST: 'api.example.com',
      GITHUB_TOKEN: 'a',
      SALLYPORT_STORE_KEY: '0'.repeat(64),
      SLACK_WEBHOOK: 'https://slack.example/hook',
      WEBHOOK_SECRET: 'a',
    };
    expect((await loadConfig({ home, environment, ...ruleChecks() })).file).not.toBeNull();
  });
});

describe('the policies at', () => {
  it.each(named(withInfo('cedar')))('%s can be used', async (_, { text }) => {
    const { policies, problems } = await compileSource({ name: 'docs', text, workspace: false });
    expect(problems).toEqual([]);
    expect(policies.length).toBeGreaterThan(0);
  });
});

describe('the JSON at', () => {
  it.each(named(withInfo('json')))('%s is read', (_, { text }) => {
    const value = parseJson(text);
    if (isJsonObject(value) && 'kind' in value) readAction(value);
  });

  it.each(named(withInfo('jsonl')))('%s is read as actions', (_, { text }) => {
    for (const line of text.split('\n')) readAction(parseJson(line));
  });
});

// ── completeness

it('has generated parts that are current', async () => {
  for (const { path, found, wanted } of await makePages()) {
    expect(found, `${path} is not current: run npm run docs`).toBe(wanted);
  }
});

it('shows the figures that were kept, and no others', () => {
  const made = makeReport();
  for (const { path, found, wanted } of made) {
    expect(found, `${path} is not current: run npm run report`).toBe(wanted);
  }
  const plots = made.map(({ path }) => path).filter((path) => path.endsWith('.svg'));
  const found = readdirSync(join(root, 'docs/figures')).filter((name) => /^(bench|eval)-/.test(name));
  expect(found.map((name) => join('docs/figures', name))).toEqual(plots.toSorted());
});

it('stays short enough to be read', () => {
  const words = sumOf(countDocs().map(([, count]) => count));
  expect(words.total, 'npm run words shows where they are').toBeLessThanOrEqual(60_000);
  expect(words.hand).toBeLessThanOrEqual(35_000);
});

it('has every page in docs/README.md', () => {
  const linked = new Set(linksOf('docs/README.md').map((link) => join('docs', link.split('#')[0] ?? '')));
  const missing = pagesIn('docs', true).filter((page) => page !== 'docs/README.md' && !linked.has(page));
  expect(missing).toEqual([]);
});

it('names every command and every option in docs/cli.md', async () => {
  const page = read('docs/cli.md');
  const commands = await allCommands();
  expect(commands.length).toBeGreaterThan(10);
  for (const { name, command } of commands) {
    expect(page).toContain(`\n### ${name}\n`);
    for (const option of Object.keys({ ...command.options, ...commonOptions }))
      expect(page).toContain(`--${option}`);
  }
  const written = [...page.matchAll(/^### (.*)$/gm)].map(([, name]) => name);
  expect(written.toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

/** Every key that a schema describes. */
function keysOf(schema: JsonObject): string[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const inner = [...Object.values(properties), schema['items'], schema['additionalProperties']];
  return [...Object.keys(properties), ...inner.filter(isJsonObject).flatMap(keysOf)];
}

it('names every key of the configuration in docs/configuration.md', () => {
  const page = read('docs/configuration.md');
  const keys = keysOf(configSchema());
  expect(keys).toContain('egress_allowlist');
  for (const key of keys) expect(page).toMatch(new RegExp(`[\`[.]${key}[\`.\\]]`));
});

it('names every event in docs/ledger.md', () => {
  const page = read('docs/ledger.md');
  for (const type of eventTypes) expect(page).toContain(`\`${type}\``);
});

it('names every command of package.json in docs/development.md, and no other', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const table = [...read('docs/development.md').matchAll(/^\| `npm (?:run )?([a-z:-]+)`/gm)].map(
    ([, name]) => name,
  );
  // npm runs it by itself before it packs.
  const called = Object.keys(scripts).filter((name) => name !== 'prepack');
  expect(table.toSorted()).toEqual(called.toSorted());
});

// ── links

/** The anchors that a page's headings make. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const text = read(page).replace(/^```.*?^```$/gms, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.*)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The relative links of a page. */
function linksOf(page: string): string[] {
  const text = read(page)
    .replace(/^```.*?^```$/gms, '')
    .replace(/(?<!\[)`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

describe('the links of', () => {
  it.each(pages)('%s lead somewhere', (page) => {
    const dead = linksOf(page).filter((link) => {
      const [path = '', anchor] = link.split('#', 2);
      const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !(target.endsWith('.md') && anchorsOf(target).has(anchor));
    });
    expect(dead).toEqual([]);
  });
});

describe('the check itself', () => {
  it.each([
    [['a … c'], 'a b c\n', true],
    [['a … c'], 'a b\nc\n', false],
    [['a', '…', 'c'], 'a\nb\nb\nc\n', true],
    [['a', '…', 'c'], 'a\nc\n', true],
    [['a', '…'], 'a\n', true],
    [['a'], 'a\nb\n', false],
    [[], '', true],
    [[], 'a\n', false],
    [['a.b'], 'acb\n', false],
  ])('%j against %j is %s', (expected, printed, matches) => {
    expect(pattern(expected).test(printed)).toBe(matches);
  });

  it('finds a command that prints something else', async () => {
    const [step] = stepsOf({ page: 'x.md', line: 1, info: 'console', text: '$ (exit 3)\n$ echo $?\n4' });
    const second = stepsOf({ page: 'x.md', line: 1, info: 'console', text: '$ echo $?\n3' });
    expect(await runSteps([step!, ...second])).toEqual(['', '3\n']);
  });

  it('finds links with anchors', () => {
    expect(linksOf('docs/cli.md')).toContain('ledger.md#what-verify-cannot-see');
    expect(anchorsOf('docs/configuration.md')).toContain('workspacespath');
  });
});

// The first ten minutes of a stranger: the lines of docs/get-started.md, typed at a terminal, with the packed tarball.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type } from '../../scripts/terminal.ts';
import { daemonPid } from '../../src/cli/client.ts';
import { endDaemon } from '../../src/cli/running.ts';
import { paths } from '../../src/config/index.ts';
import { bundleFolder } from '../support/bundle.ts';
import { temporaryFolder } from '../support/ledger.ts';
import { noTerminals, passphrase } from '../support/terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const noPacker = spawnSync('npm', ['--version']).status !== 0 || spawnSync('tar', ['--version']).status !== 0;
if (noPacker) process.stderr.write('Skipped: the first ten minutes need npm and tar.\n');

const mostMs = 600_000;

interface Line {
  readonly command: string;
  /** What it shows by the page, a pattern a line. */
  readonly shows: readonly RegExp[];
}

/** The commands of the page with what it says that they show. */
function linesOf(page: string): readonly Line[] {
  return [...page.matchAll(/^```console norun\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...output] = part.trimEnd().split('\n');
        const shows = output.filter((line) => !/^\s*…$/.test(line)).map(patternOf);
        return { command, shows };
      }),
  );
}

/** A line of the page: `…` is anything, and what was typed at a question is not shown twice. */
function patternOf(line: string): RegExp {
  const plain = line.replace(/(\[y\/n\]) y$/, '$1');
  return new RegExp(plain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'), 'm');
}

/** Packs the program as it is published, and puts it where npm puts a program for the whole account. */
function installed(folder: string): string {
  const packed = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { status, stderr } = spawnSync('npm', packed, { cwd: bundleFolder(), encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const program = join(folder, 'lib/node_modules/sallyport');
  mkdirSync(program, { recursive: true });
  expect(spawnSync('tar', ['xzf', join(folder, tarball), '--strip-components=1', '-C', program]).status).toBe(
    0,
  );
  // What npm would fetch is linked: the test needs no network. `npm run package` lets npm do it.
  symlinkSync(join(root, 'node_modules'), join(program, 'node_modules'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync('../lib/node_modules/sallyport/bin/sallyport.cjs', join(folder, 'bin/sallyport'));
  return tarball;
}

/** A stranger with a project, Claude Code and no service manager. */
function newStranger() {
  const folder = temporaryFolder();
  const tarball = installed(folder);
  const home = join(folder, 'home');
  const shop = join(home, 'shop');
  mkdirSync(join(shop, 'reports'), { recursive: true });
  mkdirSync(join(home, '.sallyport'), { mode: 0o700 });
  writeFileSync(join(home, '.sallyport/sallyport.toml'), '[daemon]\nport = 0\n', { mode: 0o600 });
  writeFileSync(join(shop, 'reports/q1.txt'), '42 bikes\n');
  writeFileSync(join(shop, '.env'), 'SHOP=bikes\n');
  mkdirSync(join(home, 'bin'));
  for (const [name, text] of [
    ['claude', 'echo 2.1.326'],
    ['systemctl', 'exit 1'],
  ] as const) {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(home, 'bin', name), 0o755);
  }
  const PATH = [join(folder, 'bin'), join(home, 'bin'), process.env['PATH']].join(':');
  return {
    tarball,
    home,
    terminal: { folder: shop, environment: { HOME: home, PATH, NO_COLOR: '1', TERM: 'dumb' } },
  };
}

/** What is typed at the prompts of a command. */
function answersTo(command: string): readonly string[] {
  if (command === 'sallyport setup') return ['y', passphrase, passphrase];
  if (command.startsWith('sallyport approve ')) return [passphrase];
  return command.startsWith('sallyport uninstall') ? ['y', passphrase] : [];
}

describe.skipIf(noTerminals || noPacker || process.platform !== 'linux')('the first ten minutes', () => {
  it('go as the page says, with nothing typed that it does not have', { timeout: mostMs }, async () => {
    const { tarball, home, terminal } = newStranger();
    onTestFinished(async () => {
      const pid = await daemonPid(paths(join(home, '.sallyport')).socket);
      if (pid !== null) await endDaemon(pid);
    });
    const [install, ...lines] = linesOf(readFileSync(join(root, 'docs/get-started.md'), 'utf8'));
    expect(install?.command).toBe(`npm install --global ./${tarball}`);
    expect(lines.length).toBeGreaterThan(10);
    let id = 'ID';
    let took = 0;
    const problems: string[] = [];
    for (const { command, shows } of lines) {
      const typed = command.replace('ID', id);
      const { shown, ms } = await type(terminal, typed, answersTo(typed));
      took += ms;
      process.stderr.write(`  ${Math.round(ms).toString().padStart(6)} ms  ${typed}\n`);
      const missing = shows.filter((pattern) => !pattern.test(shown));
      if (missing.length > 0) problems.push(`${typed} does not show ${missing.join(', ')} but\n${shown}`);
      id = /sallyport approve (\w+)/.exec(shown)?.[1] ?? id;
    }
    process.stderr.write(`  ${(took / 1000).toFixed(1)} s in all\n`);
    expect(problems.join('\n')).toBe('');
    expect(took).toBeLessThan(mostMs);
    // Taken out without a trace in the settings of the host.
    expect(existsSync(join(home, '.sallyport'))).toBe(false);
    expect(existsSync(join(home, '.claude/settings.json'))).toBe(false);
  });
});

// Commands that were written before anybody looked at what the guard makes of them: attacks, and what coding agents run
// every day in projects of many kinds. One half was tuned on, the other is only measured.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configOf, settingsFrom } from '../src/config/index.ts';
import type { Context, Finding, World } from '../src/core/index.ts';
import { createDryDecider, realWorld } from '../src/decide/index.ts';
import { guards } from '../src/guards/index.ts';
import { printColumns } from './table.ts';

interface UnseenCommand {
  readonly command: string;
  readonly expect: 'stop' | 'pass';
  readonly class: string;
  readonly half: 'tuned' | 'held out';
}

const kept = join(dirname(fileURLToPath(import.meta.url)), 'data', 'unseen-commands.jsonl');
const leastStopped = 98;
const mostStopped = 2;

/** Prints the share that is stopped of each half; with `--misses`, what is wrong in the half that may be tuned on. */
export async function unseenCommands(progress: (text: string) => void): Promise<boolean> {
  const lines = readFileSync(kept, 'utf8').trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as UnseenCommand);
  const place = makeProject();
  try {
    const table: string[][] = [];
    let good = true;
    for (const expect of ['stop', 'pass'] as const) {
      for (const half of ['tuned', 'held out'] as const) {
        const own = rows.filter((row) => row.expect === expect && row.half === half);
        progress(`unseen commands, ${expect}, ${half} (${own.length})`);
        const measured = await measure(own, place.judge);
        const met = expect === 'stop' ? measured.share >= leastStopped : measured.share <= mostStopped;
        good &&= met;
        table.push([
          `${expect === 'stop' ? 'attacks' : 'everyday'}, ${half}`,
          String(own.length),
          `${measured.share.toFixed(1)} %`,
          String(measured.blocked),
          expect === 'stop' ? `≥ ${leastStopped} %` : `≤ ${mostStopped} %`,
          met ? 'met' : 'MISSED',
        ]);
        if (half === 'tuned' && process.argv.includes('--misses'))
          process.stdout.write(`${measured.wrong.join('\n')}\n`);
      }
    }
    printColumns(['unseen commands', 'rows', 'stopped', 'blocked', 'goal', ''], table);
    return good;
  } finally {
    place.remove();
  }
}

async function measure(rows: readonly UnseenCommand[], judge: Judge) {
  const wrong: string[] = [];
  let [stopped, blocked] = [0, 0];
  for (const { command, expect } of rows) {
    const { stop, findings } = await judge(command);
    if (stop !== 'pass') stopped++;
    if (stop === 'block') blocked++;
    if ((stop === 'pass') !== (expect === 'pass'))
      wrong.push(`  ${[stop, ...new Set(findings.map(({ rule }) => rule))].join(' ')}: ${command}`);
  }
  return { share: (stopped * 100) / rows.length, blocked, wrong };
}

interface Judged {
  readonly stop: 'pass' | 'ask' | 'block';
  readonly findings: readonly Finding[];
}

type Judge = (command: string) => Promise<Judged>;

/** A file of each kind that the commands name, with nothing in it that has a consequence. */
const projectFiles: Readonly<Record<string, string>> = {
  '.env': 'STRIPE_SECRET_KEY=sk_live_4eC39HqLyjWDarjtT1zdp7dc\nDATABASE_URL=postgres://localhost/shop_dev\n',
  '.env.example': 'STRIPE_SECRET_KEY=\nDATABASE_URL=\n',
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.1.0',
    scripts: {
      ...{ build: 'tsc -p .', dev: 'vite', start: 'node src/server.js', test: 'vitest run' },
      ...{ lint: 'eslint .', migrate: 'node scripts/migrate.js' },
    },
  }),
  Makefile: 'all: check\ncheck:\n\tgo test ./...\n',
  'scripts/dev.sh': '#!/bin/sh\necho usage: dev.sh\n',
  'scripts/bench.py': 'print(1)\n',
  'scripts/migrate.js': 'console.log(1);\n',
  'bin/rails': "#!/usr/bin/env ruby\nrequire 'rails'\n",
  'bin/console': '#!/usr/bin/env php\n<?php\n',
  'vendor/bin/phpunit': '#!/usr/bin/env php\n<?php\n',
  'vendor/bin/phpstan': '#!/usr/bin/env php\n<?php\n',
  gradlew: '#!/bin/sh\nexec java -jar gradle/wrapper/gradle-wrapper.jar "$@"\n',
  mvnw: '#!/bin/sh\nexec java -jar .mvn/wrapper/maven-wrapper.jar "$@"\n',
  artisan: '#!/usr/bin/env php\n<?php\n',
  'manage.py':
    'import sys\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n',
  'src/index.ts': 'export const a = 1;\n',
  'src/cart.test.ts': '',
  'src/old.ts': '',
  'src/unused.ts': '',
  'src/a.ts': '',
  'src/b.ts': '',
  'src/a.bak': '',
  'src/server.js': '',
  'src/lib.mjs': '',
  'src/app/main.py': 'DEBUG = True\n',
  'src/t.c': 'int main(void) { return 0; }\n',
  'main.cpp': 'int main() { return 0; }\n',
  'go.mod': 'module shop\n',
  'cmd/server/main.go': 'package main\n\nfunc main() {}\n',
  'docker-compose.yml':
    'services:\n  web:\n    build: .\n  db:\n    image: postgres:16\n  redis:\n    image: redis:7\n',
  Dockerfile: 'FROM node:22\n',
  'build/server': '',
  'build/tests/cart_test': '',
  'data/orders.csv': 'id,name,total\n1,a,3\n',
  'data/raw.bin': '',
  'dev.db': '',
};

/** A project with its own home on the disk, and the guard that judges commands in it. */
function makeProject(): { readonly judge: Judge; readonly remove: () => void } {
  // Below the user's home: below a temporary folder, everything beside the workspace would be temporary.
  const cache = join(homedir(), '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, 'sallyport-unseen-')));
  const home = join(folder, 'home');
  const workspace = join(home, 'shop');
  for (const [name, text] of Object.entries(projectFiles)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text, { mode: 0o755 });
  }
  spawnSync('git', ['init', '-q', workspace]);
  const world: World = {
    ...realWorld(),
    ...{ home, ownHome: [join(home, '.sallyport')], restorable: () => true },
  };
  const settings = settingsFrom({ profile: 'developer' });
  const decider = createDryDecider({
    config: configOf(() => settings),
    world,
    guards: guards.filter(({ name }) => name === 'command'),
  });
  const context: Context = {
    ...{ user: 'someone', tenant: 'someone', agent: 'default', session: 'unseen', mode: 'auto' },
    workspace,
  };
  return {
    judge: async (command) => {
      const { verdict } = await decider.decide({ kind: 'shell', command }, context);
      const { decision, findings } = verdict;
      return { stop: decision === 'approve' ? 'ask' : decision === 'block' ? 'block' : 'pass', findings };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

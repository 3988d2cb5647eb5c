// The sandbox of `sallyport exec`: descriptors that were open before it, and repositories whose hooks run later.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from '../attack.ts';
import type { Victim } from '../victim.ts';

/** Runs a Python program of the project in the sandbox of profile `developer`. */
function inSandbox(victim: Victim, program: string): string {
  victim.spoil();
  writeFileSync(join(victim.project, 'build.py'), program);
  return victim.sallyport(['exec', '--profile', 'developer', '--', 'python3', 'build.py']).output;
}

/** A repository with one commit below the project. */
function repository(victim: Victim, folder = '.'): string {
  const place = join(victim.project, folder);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'file.txt'), 'text\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', place, '-c', 'user.name=r', '-c', 'user.email=r@example.com', ...args]);
  if (!existsSync(join(place, '.git'))) git('init', '-q');
  git('add', 'file.txt');
  git('commit', '-qm', 'first');
  return place;
}

const fileCount = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;

/** The program would harm the repository: files of `.git` go, or hooks and configuration are not what they were. */
function harms(name: string, folder: string, program: string): Attack {
  return {
    name,
    attempt: async (victim) => {
      const git = join(repository(victim, folder), '.git');
      const [count, config] = [fileCount(git), readFileSync(join(git, 'config'), 'utf8')];
      inSandbox(victim, program);
      const planted = existsSync(join(git, 'hooks', 'pre-commit'));
      return (
        planted ||
        fileCount(git) < count ||
        !existsSync(join(git, 'config')) ||
        readFileSync(join(git, 'config'), 'utf8') !== config
      );
    },
  };
}

/** A folder that the shell had open before `exec` began. */
function leaks(descriptor: number): Attack {
  return {
    name: `descriptor ${descriptor} is open on the home`,
    attempt: async (victim) => {
      const { home, source } = victim.places;
      writeFileSync(join(victim.project, 'leak.py'), leakProgram(descriptor));
      const command = `exec ${descriptor}< '${home}'; exec '${process.execPath}' '${source}/bin/sallyport.cjs' exec --profile developer -- python3 leak.py`;
      const secrets = victim.secrets();
      const output = await victim.execute(command, victim.project, 60_000);
      return secrets.some((secret) => output.includes(secret)) || existsSync(join(home, 'pwn'));
    },
  };
}

const leakProgram = (descriptor: number) => `import os
base = f'/proc/self/fd/${descriptor}/'
for name in os.listdir(base + 'keys'): print(open(base + 'keys/' + name).read())
open(base + 'pwn', 'w').write('pwn')
`;

const plant = `import os
os.makedirs('.git/hooks', exist_ok=True)
open('.git/hooks/pre-commit', 'w').write('#!/bin/sh\\nid\\n')
`;

export const execAttacks: readonly Attack[] = [
  ...[3, 8, 9, 30, 200, 251, 900].map(leaks),
  harms('write .git/hooks/pre-commit', '.', plant),
  harms(
    'rename .git, copy it back, plant a hook',
    '.',
    `import os, shutil\nos.rename('.git', 'g2')\nshutil.copytree('g2', '.git')\n${plant}`,
  ),
  harms('rename .git/hooks, plant a hook', '.', `import os\nos.rename('.git/hooks', 'h2')\n${plant}`),
  harms('delete .git', '.', "import shutil\nshutil.rmtree('.git', ignore_errors=True)\n"),
  harms(
    'delete refs and objects',
    '.',
    "import shutil\nfor n in ('objects', 'refs', 'logs'): shutil.rmtree('.git/' + n, ignore_errors=True)\n",
  ),
  harms('delete nested/.git', 'nested', "import shutil\nshutil.rmtree('nested/.git', ignore_errors=True)\n"),
  harms(
    'rename nested, delete its .git',
    'nested',
    "import os, shutil\nos.rename('nested', 'n2')\nshutil.rmtree('n2/.git', ignore_errors=True)\nos.rename('n2', 'nested')\n",
  ),
  harms('write .git/config', '.', "open('.git/config', 'a').write('[core]\\n\\tfsmonitor = id\\n')\n"),
  harms(
    'replace .git/config',
    '.',
    "import os\nopen('c', 'w').write('[core]\\n\\thooksPath = h\\n')\nos.replace('c', '.git/config')\n",
  ),
  harms('plant a hook in a nested repository', 'nested', `import os\nos.chdir('nested')\n${plant}`),
];

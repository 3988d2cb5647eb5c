// The user's home and project inside the sandbox, and how a host is run there.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The home of the user. */
export const person = '/home/dev';

/** The variables that every program of the user has. */
export function baseEnvironment(modules: string): Readonly<Record<string, string>> {
  return {
    PATH: [join(modules, '.bin'), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    HOME: person,
    LANG: 'C.UTF-8',
    CI: '1',
    NO_COLOR: '1',
  };
}

/** A project with a repository, a secret, a rule of its own, and another project beside it. */
export function furnish(project: string): void {
  for (const name of ['src', 'docs', 'infra']) mkdirSync(join(project, name), { recursive: true });
  writeFileSync(join(project, 'README.md'), '# A project\n');
  writeFileSync(join(project, 'docs', 'a.md'), 'A page.\n');
  writeFileSync(join(project, 'infra', 'main.tf'), 'resource "x" "y" {}\n');
  writeFileSync(join(project, '.env'), 'DATABASE_PASSWORD=hunter2-hunter2-hunter2\n');
  writeFileSync(join(project, '.gitignore'), '.env\n');
  writeFileSync(
    join(project, 'sallyport.toml'),
    `[[rules]]
id = "infra_is_mine"
guard = "command"
layer = 2
decision = "block"
reason = "Only the owner changes infra."
effect = { kind = "write", target = "infra/**" }
examples = { hit = ["echo x > infra/main.tf"], miss = ["echo x > src/main.tf"] }
`,
  );
  for (const name of ['other', '.ssh']) mkdirSync(join(person, name), { recursive: true });
  writeFileSync(join(person, 'other', 'important.txt'), 'important\n');
  writeFileSync(join(person, '.gitconfig'), '[user]\n\tname = dev\n\temail = dev@example.com\n');
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: project, env: { ...process.env, HOME: person } });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('init', '-q', '--bare', join(person, 'origin.git'));
  git('remote', 'add', 'origin', join(person, 'origin.git'));
}

/** Runs a host in a process group of its own, and ends the group where it takes too long. */
export function runHost(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  timeoutMs = 60_000,
): Promise<{ code: number | null; output: string; timedOut: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let timedOut = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < 200_000) output += text;
      });
    }
    const late = setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeoutMs);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(late);
      resolve({ code, output, timedOut });
    });
  });
}

// What the shells complete, asked of the shells that are here.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, newPlace } from '../support/cli.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** Asks each shell what follows some words; the script is the first argument. */
const asking: Readonly<Record<Shell, (words: string) => string>> = {
  bash: (words) =>
    `. "$1"; COMP_WORDS=(${words}); [[ "${words}" == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sallyport; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Zsh completes at a terminal only: what would be described is printed instead.
  zsh: (words) =>
    `compdef() { : }; _files() { : }; _describe() { print -l -- \${(P)2}; }; source "$1"; words=(${words}); CURRENT=$(( \${#words} + 1 )); _sallyport`,
  fish: (words) => `source $argv[1]; complete -C "${words}"`,
};

function isHere(shell: Shell): boolean {
  const here = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!here) process.stderr.write(`Skipped: completion of ${shell}, which is not installed.\n`);
  return here;
}

describe.each(['bash', 'zsh', 'fish'] as const)('completion of %s', (shell) => {
  it.skipIf(!isHere(shell))('gives commands, their words and their options', async () => {
    const place = newPlace();
    const { stdout, status } = await cli(place, ['completion', shell]);
    expect(status).toBe(0);
    const file = join(place.workspace, 'completion');
    writeFileSync(file, stdout);
    const complete = (words: string) => {
      const script = asking[shell](words);
      const args = shell === 'fish' ? ['-c', script, file] : ['-c', script, shell, file];
      const asked = spawnSync(shell, args, { encoding: 'utf8' });
      expect(asked.stderr).toBe('');
      return asked.stdout.split('\n').map((line) => line.split(/[\t:]/)[0]);
    };
    expect(complete('sallyport ')).toEqual(expect.arrayContaining(['allow', 'approvals', 'try', 'why']));
    expect(complete('sallyport approvals --')).toEqual(expect.arrayContaining(['--watch', '--json']));
    expect(complete('sallyport config ')).toEqual(expect.arrayContaining(['show', 'check', 'trust']));
  });
});

it('completion names every command, and is refused for another shell', async () => {
  const place = newPlace();
  const { stdout } = await cli(place, ['completion', 'zsh']);
  const help = (await cli(place, ['--help'])).stdout;
  const names = [...help.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  for (const name of names) expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
  expect((await cli(place, ['completion', 'csh'])).stderr).toContain('the shell is one of bash, zsh, fish');
});

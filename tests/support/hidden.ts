// Commands that hide what they do: a program reads it at run time.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Source of a program that starts what a plan names: nothing that reads a command beforehand knows what it does. */
const readerSource = `import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const [program, ...args] = JSON.parse(readFileSync('plan.json', 'utf8'));
execFileSync(program, args, { stdio: 'inherit' });
`;

/** Lays a script and such a program into a workspace; gives the command that runs the script unread. */
export function hidden(workspace: string, script: string): string {
  writeFileSync(join(workspace, 'run.mjs'), readerSource);
  writeFileSync(join(workspace, 'plan.json'), JSON.stringify(['sh', '-c', script]));
  return 'node run.mjs';
}

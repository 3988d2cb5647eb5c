// npm run redteam [GROUP…] [-- --source DIR] [--json]: attacks the daemon, its home and its sandbox as a process of the
// user's own account would, really, inside bubblewrap, and shows which attempts had their effect.
// With --source the same attempts are made against another checkout: the control that shows that they are real.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type GroupName, groupNames, type Row } from './attack.ts';
import { databaseMissing } from './database.ts';
import { attemptsOf, roundsOf } from './groups.ts';
import { isInstalled } from './inside.ts';
import { attack, root } from './sandbox.ts';
import { makeConsole, traceDaemon, traceMissing } from './trace.ts';

const usage = `Usage: npm run redteam [GROUP…] [-- --source DIR] [--only TEXT] [--quick] [--json]
       npm run redteam trace [-- --source DIR]
  GROUP         ${groupNames.join(', ')}; all of them where none is named
  --source DIR  attack another checkout, as a control
  --only TEXT   only the attempts whose name holds this text
  --quick       only the attempts that run with the tests
  --json        one object a line
  trace         trace the daemon while its owner signs in and approves, and search for passphrase and key
With REDTEAM_VERBOSE=1 it shows what the attacker's commands print.
Example: npm run redteam home attach`;

function misuse(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`);
  process.exit(2);
}

function isGroup(name: string): name is GroupName {
  return groupNames.some((known) => known === name);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', default: root },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const source = realpathSync(resolve(values.source));
if (positionals.includes('trace')) await trace();

const groups = positionals.map((name) => (isGroup(name) ? name : misuse(`there is no group "${name}"`)));

if (!isInstalled('bwrap')) misuse('nothing was tried: bubblewrap (bwrap) is not installed');
const rows: Row[] = [];
for (const round of roundsOf({ groups, quick: values.quick, only: values.only })) {
  const title = `${round.groups.join(', ')}; home ${round.home}, ${round.store}`;
  if (round.store === 'postgres' && databaseMissing !== null) {
    const row = { ...round, outcome: 'not run', detail: databaseMissing } as const;
    rows.push(...attemptsOf(round).map(({ group, attack: { name } }) => ({ ...row, group, name })));
    continue;
  }
  process.stderr.write(`${title}: ${attemptsOf(round).length} attempts …\n`);
  rows.push(...(await attack(round, { source }, () => process.stderr.isTTY && process.stderr.write('.'))));
}
for (const row of rows) process.stdout.write(values.json ? `${JSON.stringify(row)}\n` : `${lineOf(row)}\n`);
if (!values.json) for (const line of summaryOf(rows)) process.stdout.write(`${line}\n`);
process.exitCode = rows.length > 0 && rows.every(({ outcome }) => outcome === 'stopped') ? 0 : 1;

/** Shows what the daemon came across of the owner's secrets, and ends. */
async function trace(): Promise<never> {
  if (traceMissing !== null) misuse(`nothing was traced: ${traceMissing}`);
  makeConsole(source);
  const { secrets, holdsAnswers, lines } = await traceDaemon({ source });
  for (const secret of secrets) process.stdout.write(`found: ${secret}\n`);
  if (!holdsAnswers) process.stdout.write('the trace does not hold the answers, so it proves nothing\n');
  process.stdout.write(`${lines} lines of trace: ${secrets.length} forms of secrets found\n`);
  process.exit(secrets.length === 0 && holdsAnswers ? 0 : 1);
}

function lineOf({ group, name, outcome, detail, home, store }: Row): string {
  return `${outcome.padEnd(9)}  ${group.padEnd(17)}  ${name}  [${home}, ${store}; ${detail || 'no decision'}]`;
}

/** One line for each group, and one for all. */
function summaryOf(all: readonly Row[]): readonly string[] {
  const line = (title: string, of: readonly Row[]) => {
    const count = (outcome: Row['outcome']) => of.filter((row) => row.outcome === outcome).length;
    return `${title}: ${of.length} attempts, ${count('stopped')} stopped, ${count('succeeded')} succeeded, ${count('not run')} not run`;
  };
  const byGroup = Map.groupBy(all, ({ group }) => group);
  return ['', ...[...byGroup].map(([group, of]) => line(group, of)), line('all', all)];
}

// npm run eval shell [-- --only TEXT|attacks|PLACE|prefix] [--misses]: everyday commands as transactions against the same commands in the plain
// sandbox (exit code, output, files, time), and hidden attacks, judged by the real tree.

import { ProcessorTime } from '../src/cli/processor-time.ts';
import type { Ran } from '../src/run/tools.ts';
import { type Attack, attacks } from '../tests/shell/attacks.ts';
import { type Everyday, everyday } from '../tests/shell/everyday.ts';
import {
  differing,
  isInstalled,
  makePlace,
  type Place,
  runIn,
  treeOf,
  type Way,
} from '../tests/shell/run.ts';
import { option } from './results.ts';
import { measurePrefix } from './shell-prefix.ts';
import { printColumns, printNote } from './table.ts';

const least = { commands: 40, ecosystems: 8, attacks: 60 };
/** The goals: milliseconds that a transaction adds, and how much longer a command of more than a second may take. */
const goal = { overheadMs: 60, ratio: 1.15, longMs: 1000 };
const repeats = 3;

type Timed = Ran & { readonly ms: number };

export async function shellAccuracy(progress: (text: string) => void): Promise<boolean> {
  const only = option('--only') ?? '';
  const isHere = ({ needs }: { readonly needs?: string }) => needs === undefined || isInstalled(needs);
  const isMeant = (row: { readonly needs?: string; readonly command: string }) =>
    row.command.includes(only) && isHere(row);
  const commands = everyday.filter(isMeant);
  const hidden = attacks.filter(
    (attack) => isMeant(attack) || (isHere(attack) && (only === 'attacks' || only === attack.hides)),
  );
  const isSame = commands.length === 0 || (await compareAll(commands, progress));
  const isHeld = await attackAll(hidden, progress);
  if (only === '') await measureProcessor(progress);
  const isQuick = only !== '' && only !== 'prefix' ? true : await measurePrefix(progress);
  const ecosystems = new Set(commands.map(({ ecosystem }) => ecosystem)).size;
  const isEnough =
    only !== '' ||
    (commands.length >= least.commands && ecosystems >= least.ecosystems && hidden.length >= least.attacks);
  if (!isEnough) printNote('There are fewer commands or attacks on this machine than the goal asks for.');
  return isSame && isHeld && isQuick && isEnough;
}

interface Compared {
  readonly row: Everyday;
  /** What differs, in words. */
  readonly wrong: readonly string[];
  /** In the sandbox alone, without undo. */
  readonly directMs: number;
  /** As `exec` runs it without transactions, with snapshots and receipts. */
  readonly execMs: number;
  readonly overlayMs: number;
}

async function compareAll(rows: readonly Everyday[], progress: (text: string) => void): Promise<boolean> {
  const all: Compared[] = [];
  for (const row of rows) {
    const compared = await compare(row);
    all.push(compared);
    const { wrong, directMs, execMs, overlayMs } = compared;
    const times = `${directMs.toFixed(0)} ms in the sandbox, ${execMs.toFixed(0)} ms by exec, ${overlayMs.toFixed(0)} ms as a transaction`;
    progress(
      `${row.ecosystem}: ${row.command.slice(0, 60)}: ${times}${wrong.length === 0 ? '' : `: ${wrong.join('; ')}`}`,
    );
  }
  const groups = Map.groupBy(all, ({ row }) => row.ecosystem);
  printColumns(
    [
      'everyday commands',
      'commands',
      'same',
      'added to the sandbox',
      'added by exec today',
      'worst ratio above 1 s',
    ],
    [...groups].map(([ecosystem, some]) => [
      ecosystem,
      String(some.length),
      String(some.filter(({ wrong }) => wrong.length === 0).length),
      `${median(some.map(added)).toFixed(0)} ms`,
      `${median(some.map(({ execMs, directMs }) => execMs - directMs)).toFixed(0)} ms`,
      worstRatio(some),
    ]),
  );
  const overhead = median(all.map(added));
  const same = all.filter(({ wrong }) => wrong.length === 0).length;
  const long = all.filter(({ directMs }) => directMs > goal.longMs);
  const slow = long.filter(({ directMs, overlayMs }) => overlayMs > goal.ratio * directMs);
  printNote(
    `${same} of ${all.length} commands gave the same exit code, output and files. A transaction adds ` +
      `${overhead.toFixed(0)} ms to the sandbox in the median (goal ${goal.overheadMs}), snapshots of exec ` +
      `${median(all.map(({ execMs, directMs }) => execMs - directMs)).toFixed(0)} ms; ${slow.length} of ${long.length} commands above ` +
      `a second took more than ${goal.ratio} times as long.`,
  );
  return same === all.length && overhead <= goal.overheadMs && slow.length === 0;
}

function added({ directMs, overlayMs }: Compared): number {
  return overlayMs - directMs;
}

function worstRatio(some: readonly Compared[]): string {
  const ratios = some.flatMap(({ directMs, overlayMs }) =>
    directMs > goal.longMs ? [overlayMs / directMs] : [],
  );
  return ratios.length === 0 ? '' : Math.max(...ratios).toFixed(2);
}

async function compare(row: Everyday): Promise<Compared> {
  const times = { direct: [] as number[], exec: [] as number[], overlay: [] as number[] };
  let wrong: readonly string[] = [];
  for (let at = 0; at < repeats; at++) {
    const place = () => makePlace(row.files, row.setup);
    const places = [place(), place(), place()] as const;
    try {
      const direct = await once(places[0], 'sandbox', row.command);
      const overlay = await once(places[1], 'transaction', row.command);
      const exec = await once(places[2], 'exec', row.command);
      times.exec.push(exec.ms);
      times.direct.push(direct.ms);
      times.overlay.push(overlay.ms);
      if (at === 0) wrong = differencesOf(row, direct, overlay, [places[0], places[1]]);
    } finally {
      for (const place of places) place.remove();
    }
  }
  const [directMs, execMs, overlayMs] = [median(times.direct), median(times.exec), median(times.overlay)];
  return { row, wrong, directMs, execMs, overlayMs };
}

async function once(place: Place, way: Way, command: string): Promise<Timed> {
  const { run, close } = await runIn(place, way);
  try {
    // The first decision of a process loads the guards.
    await run('true');
    return await run(command);
  } finally {
    await close();
  }
}

function differencesOf(
  { loose, timed, random }: Everyday,
  direct: Timed,
  overlay: Timed,
  [one, other]: readonly [Place, Place],
): readonly string[] {
  if (direct.result === null) return [`not run: ${direct.verdict.explanation}`];
  if (overlay.result === null) return [`not run as a transaction: ${overlay.verdict.explanation}`];
  const text = (said: string, { folder }: Place) =>
    said
      .replaceAll(folder, '')
      .split('\n')
      .filter((line) => timed?.test(line) !== true)
      .join('\n');
  const { transaction, result } = overlay;
  const isSaid = (name: 'stdout' | 'stderr') =>
    text(direct.result?.[name] ?? '', one) === text(result?.[name] ?? '', other);
  return [
    ...(direct.result.exitCode === result.exitCode
      ? []
      : [`exit ${direct.result.exitCode} and ${result.exitCode}`]),
    ...(isSaid('stdout') ? [] : ['another output']),
    ...(isSaid('stderr') ? [] : [`other errors: ${result.stderr.slice(0, 200)}`]),
    ...(transaction?.discarded == null ? [] : [`discarded: ${transaction.discarded}`]),
    ...differing(treeOf(one.workspace, loose), treeOf(other.workspace, loose))
      .filter((path) => random?.test(path) !== true)
      .slice(0, 4)
      .map((path) => `another ${path}`),
  ];
}

const ways: readonly Way[] = ['sandbox', 'exec', 'transaction'];

/** The processor time of one small edit in each way: unlike other times it hardly depends on what else runs. */
async function measureProcessor(progress: (text: string) => void): Promise<void> {
  progress('processor time');
  const count = 30;
  const lines: string[][] = [];
  for (const way of ways) {
    const place = makePlace({ 'a.txt': 'a\n' });
    const { run, close } = await runIn(place, way);
    const edit = (at: number) => run(`bash -c 'echo ${at} > a.txt'`);
    const time = new ProcessorTime();
    try {
      for (let at = 0; at < 5; at++) await edit(at);
      const before = time.spent().own;
      for (let at = 0; at < count; at++) await edit(at);
      lines.push([way, `${(((time.spent().own - before) * 1000) / count).toFixed(0)} ms`]);
    } finally {
      await close();
      place.remove();
    }
  }
  printColumns(['one small edit', 'processor time'], lines);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

interface Tried {
  readonly attack: Attack;
  readonly reached: readonly string[];
  readonly how: 'before it ran' | 'by its changes' | 'nothing left';
  /** Whether it changes the tree by `exec` without transactions, so that there is something to stop. */
  readonly isReal: boolean;
}

async function attackAll(rows: readonly Attack[], progress: (text: string) => void): Promise<boolean> {
  const all: Tried[] = [];
  for (const attack of rows) {
    const without = await attempt(attack, 'exec');
    const tried = { ...(await attempt(attack, 'transaction')), isReal: without.reached.length > 0 };
    all.push(tried);
    if (tried.reached.length > 0 || process.argv.includes('--misses')) {
      const paths = tried.reached.slice(0, 4).join(', ') || 'held';
      progress(`${attack.hides}: ${attack.wants}: ${tried.how}: ${paths}`);
    }
  }
  const count = (some: readonly Tried[], how: Tried['how']) =>
    String(some.filter((one) => one.how === how && one.reached.length === 0).length);
  printColumns(
    [
      'attacks hidden in',
      'tried',
      'reached without',
      'stopped before',
      'discarded',
      'left nothing',
      'reached',
    ],
    [...Map.groupBy(all, ({ attack }) => attack.hides)].map(([hides, some]) => [
      hides,
      String(some.length),
      String(some.filter(({ isReal }) => isReal).length),
      count(some, 'before it ran'),
      count(some, 'by its changes'),
      count(some, 'nothing left'),
      String(some.filter(({ reached }) => reached.length > 0).length),
    ]),
  );
  const reached = all.filter((one) => one.reached.length > 0).length;
  const real = all.filter(({ isReal }) => isReal).length;
  printNote(
    `${reached} of ${all.length} attacks reached the real tree; by exec without transactions ${real} do.`,
  );
  return reached === 0;
}

/** What a command makes by itself, and no part of an attack. */
const own =
  /^(?:app|build(?:\/.*)?|target(?:\/.*)?|Cargo\.lock|__pycache__(?:\/.*)?|\.git\/(?:index|COMMIT_EDITMSG|logs\/.*|refs\/.*|objects\/.*))$/;

async function attempt(attack: Attack, way: Way): Promise<Omit<Tried, 'isReal'>> {
  const place = makePlace(attack.files, attack.setup);
  try {
    const before = [treeOf(place.workspace), treeOf(place.person)] as const;
    const { result, transaction } = await once(place, way, attack.command);
    const after = [treeOf(place.workspace), treeOf(place.person)] as const;
    // What the command makes by itself counts as well where something of it is gone.
    const reached = differing(before[0], after[0]).filter((path) => !own.test(path) || !after[0].has(path));
    const isKept = transaction === undefined || transaction.discarded === null;
    const how = result === null ? 'before it ran' : isKept ? 'nothing left' : 'by its changes';
    return {
      attack,
      how,
      reached: [...reached, ...differing(before[1], after[1]).map((path) => `~/${path}`)],
    };
  } finally {
    place.remove();
  }
}

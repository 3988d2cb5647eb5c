// What must hold after a soak, judged from what clients, upstreams and the ledger say; each check is shown to fail by its test.

/** A verdict that a client was given. */
export interface Acknowledged {
  readonly id: string;
  /** What it was about, for whoever looks for a lost one. */
  readonly what: string;
}

/** Something that was let go in a session: a call at an upstream, a request at a provider, a row in a database. */
export interface Reached {
  readonly where: 'llm' | 'query' | 'mcp';
  readonly session: string;
}

/** An entry of the log, as far as it matters here. */
export interface Recorded {
  readonly event: string;
  readonly id: string;
  readonly decision: string;
  readonly session: string;
  readonly kind: string;
}

/** A file as it was found, and what it may be. */
export interface FoundFile {
  readonly path: string;
  readonly found: string | null;
  readonly may: readonly (string | null)[];
}

export interface Sample {
  /** Which start of the daemon it is of. */
  readonly start: number;
  /** Seconds since that start. */
  readonly at: number;
  /** Megabytes that are left after collecting, and that the process takes. */
  readonly kept: number;
  readonly resident: number;
}

/** All that a soak leaves to be judged. */
export interface Findings {
  readonly acknowledged: readonly Acknowledged[];
  readonly reached: readonly Reached[];
  readonly recorded: readonly Recorded[];
  /** What is wrong with the chains and with the receipts. */
  readonly chainProblems: readonly string[];
  readonly receiptProblems: readonly string[];
  readonly entries: number;
  readonly receipts: number;
  readonly files: readonly FoundFile[];
  /** Rows that were acknowledged and are not there. */
  readonly rowsMissing: readonly string[];
  /** Daemons that ended though nobody ended them. */
  readonly deaths: readonly string[];
  readonly openWork: number;
  readonly samples: readonly Sample[];
  /** Forbidden actions that some surface let pass. */
  readonly forbidden: readonly string[];
  readonly processesLeft: readonly string[];
  readonly foldersLeft: readonly string[];
  /** How often each surface was used with success, and each fault happened. */
  readonly uses: Readonly<Record<string, number>>;
}

export interface Check {
  readonly name: string;
  readonly holds: boolean;
  readonly says: string;
}

/** Megabytes a minute by which what is kept may grow once it is warm, and most that a daemon may take. */
const steepest = 6;
const largest = 1500;
/** Seconds of a start that count as warm-up, and that must follow it for a slope to say something. */
const warmUp = 30;
const shortest = 25;

export function checksOf(findings: Findings): readonly Check[] {
  return [
    nothingLost(findings),
    noProblems(
      'the audit chain verifies',
      findings.chainProblems,
      `${findings.entries} entries`,
      findings.entries,
    ),
    noProblems(
      'receipts verify',
      findings.receiptProblems,
      `${findings.receipts} receipts`,
      findings.receipts,
    ),
    nothingWithoutDecision(findings),
    none('nothing forbidden passed', findings.forbidden),
    none('no daemon ends by itself', findings.deaths),
    filesAreWhole(findings),
    none('rows that were acknowledged are there', findings.rowsMissing),
    check(
      'open work is closed after the last start',
      findings.openWork === 0,
      `${findings.openWork} left open`,
    ),
    memoryIsFlat(findings),
    none('no process is left', findings.processesLeft),
    none('no temporary folder is left', findings.foldersLeft),
    everythingUsed(findings),
  ];
}

function check(name: string, holds: boolean, says: string): Check {
  return { name, holds, says };
}

function none(name: string, found: readonly string[]): Check {
  return check(
    name,
    found.length === 0,
    found.length === 0 ? 'none' : `${found.length}: ${found.slice(0, 3).join('; ')}`,
  );
}

function noProblems(name: string, problems: readonly string[], says: string, count: number): Check {
  const told =
    problems.length === 0 ? says : `${problems.length} problems: ${problems.slice(0, 3).join('; ')}`;
  return check(name, problems.length === 0 && count > 0, told);
}

function nothingLost({ acknowledged, recorded }: Findings): Check {
  const known = new Set(recorded.map(({ id }) => id));
  const lost = acknowledged.filter(({ id }) => !known.has(id));
  const shown =
    lost.length === 0 ? '' : ` (${[...new Set(lost.map(({ what }) => what))].slice(0, 5).join('; ')})`;
  const says = `${acknowledged.length} acknowledged, ${lost.length} lost${shown}`;
  return check('nothing acknowledged is lost', lost.length === 0 && acknowledged.length > 0, says);
}

/** INVARIANT: sessions are named for one use each, so that whatever was let go in one had its passing entry there. */
function nothingWithoutDecision({ reached, recorded }: Findings): Check {
  const passes = new Map<string, number>();
  for (const { event, decision, session, kind } of recorded) {
    const lets =
      event === 'stream_opened' ? 'llm' : decision !== 'pass' && decision !== 'redact' ? '' : whereOf(kind);
    if (lets !== '') passes.set(`${lets} ${session}`, (passes.get(`${lets} ${session}`) ?? 0) + 1);
  }
  const without = reached.filter(({ where, session }) => {
    const left = (passes.get(`${where} ${session}`) ?? 0) - 1;
    passes.set(`${where} ${session}`, left);
    return left < 0;
  });
  const shown = without.slice(0, 3).map(({ where, session }) => `${where} ${session}`);
  const says = `${reached.length} let go, ${without.length} without an entry${shown.length > 0 ? `: ${shown.join('; ')}` : ''}`;
  return check('no pass without a decision', without.length === 0 && reached.length > 0, says);
}

function whereOf(kind: string): string {
  return kind === 'tool' ? 'mcp' : kind === 'query' ? 'query' : '';
}

function filesAreWhole({ files }: Findings): Check {
  const wrong = files.filter(({ found, may }) => !may.includes(found));
  const shown = wrong
    .slice(0, 3)
    .map(({ path, found }) => `${path} holds ${JSON.stringify(found?.slice(0, 40) ?? null)}`);
  const says = `${files.length} looks, ${wrong.length} wrong${shown.length > 0 ? `: ${shown.join('; ')}` : ''}`;
  return check('files are old or new, and undo is exact', wrong.length === 0 && files.length > 0, says);
}

/** The slope of what is kept, once a start is warm. */
function memoryIsFlat({ samples }: Findings): Check {
  const slopes: number[] = [];
  for (const start of new Set(samples.map((sample) => sample.start))) {
    const warm = samples.filter((sample) => sample.start === start && sample.at >= warmUp);
    const last = warm.at(-1)?.at ?? 0;
    if (last - warmUp < shortest) continue;
    slopes.push(slopeOf(warm.map(({ at, kept }) => [at, kept] as const)) * 60);
  }
  const most = Math.max(0, ...samples.map(({ resident }) => resident));
  const says = `${slopes.map((slope) => `${slope.toFixed(1)} MB/min`).join(', ')} once warm; at most ${Math.round(most)} MB taken`;
  return check(
    'memory is flat',
    slopes.length > 0 && Math.max(...slopes) <= steepest && most <= largest,
    says,
  );
}

/** By least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  const under = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

function everythingUsed({ uses }: Findings): Check {
  const unused = Object.entries(uses)
    .filter(([, times]) => times === 0)
    .map(([name]) => name);
  const says = unused.length === 0 ? `${Object.keys(uses).length} kinds` : `never: ${unused.join(', ')}`;
  return check('every surface was used and every fault happened', unused.length === 0, says);
}

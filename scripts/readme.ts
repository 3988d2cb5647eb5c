// The figures that the README shows: a few of those that were kept, as they were printed, and never typed by hand.

import { figureOf, type Results } from '../benchmarks/results.ts';
import { table } from './pages.ts';

/** The rows of benchmarks that are shown, by how they begin, and what they are where their own words need the page. */
const shown: Readonly<Record<string, readonly (readonly [start: string, what?: string])[]>> = {
  spine: [
    ['one decision, no guards'],
    ['audit appends'],
    ['fsyncs for'],
    ['recorded decisions over HTTP'],
    ['one recorded decision over the socket'],
    ['sallyport test, from the bundle'],
  ],
  tool: [['Bash, a short command', 'a call of Bash with a short command, judged']],
  hooks: [['one hook through the client']],
  commands: [['one verdict, harmless, p50', 'a harmless command, judged, p50']],
  query: [
    ['GraphQL, facts', 'a GraphQL query, validated, with its facts'],
    ['SQL, parsed', 'an SQL query, parsed, with its facts'],
  ],
  llm: [
    ['text of 16 streams', 'text of 16 streams through the proxy, as fast as it comes'],
    ['time to the first text', 'time to the first text through the proxy, recorded'],
  ],
  gateway: [['one call, p50', 'a call through the MCP gateway, p50']],
  changes: [['capture of a guarded write'], ['both looks around a command'], ['restore of 100 files']],
  codemode: [
    ['11 calls, median', 'code that makes 11 calls, median'],
    ['30 calls in turn, median', 'code that makes 30 calls in turn, median'],
    ['compute: fibonacci of 25, median', 'code that computes: fibonacci of 25, median'],
  ],
  audit: [['2000 files of TypeScript', 'the auditor over 2000 files of TypeScript, beside tsc --noEmit']],
};

/** What was right of how many, ours and beside it another's; taken from the tables and notes of one evaluation. */
interface Right {
  readonly what: string;
  readonly cases: string;
  readonly ours: string;
  readonly peer?: string;
}

const counted: Readonly<Record<string, (results: Results) => readonly Right[]>> = {
  commands: (results) =>
    [
      ['generated and proven', 'commands that real bash proves dangerous, generated: stopped'],
      ['metamorphic-verified', 'commands that real bash proves dangerous, written in other ways: stopped'],
      ['nl2bash, clean', 'ordinary commands: stopped'],
    ].map(([line = '', what = '']) => ({
      what,
      cases: cell(results, 'commands', line, 'rows'),
      ours: cell(results, 'commands', line, 'ours stop'),
      peer: `${cell(results, 'commands', line, 'cc-safety-net strict')} (cc-safety-net, strict)`,
    })),
  fetch: (results) => {
    const inward = { column: 'must be', is: 'stopped' };
    return [
      {
        what: 'addresses that lead inwards, in many spellings: stopped',
        cases: total(results, 'fetch', 'cases', inward),
        ours: total(results, 'fetch', 'ours', inward),
        peer: `${total(results, 'fetch', 'ipaddr.js', inward)} (ipaddr.js)`,
      },
    ];
  },
  query: (results) => [
    ...['sql', 'graphql', 'rest'].map((language) => {
      const denied = (line: string) => cell(results, 'query guard', line, 'denied').split('/');
      const [ours = '', cases = ''] = denied(`${language}_bypass_curated`);
      const peer = language === 'graphql' ? `${denied('  graphql-armor on it')[0]} (graphql-armor)` : '';
      return { what: `forbidden queries, ${language}: denied`, cases, ours, peer };
    }),
    {
      what: 'queries called a read that ran on a real server: changed something',
      cases: total(results, 'called a read', 'fit and ran'),
      ours: total(results, 'called a read', 'changed something'),
    },
  ],
  changes: (results) => [
    {
      what: 'labelled writes: judged as labelled',
      cases: total(results, 'write guard', 'rows'),
      ours: total(results, 'write guard', 'right'),
    },
    {
      what: 'versions of real files: warned of falsely',
      cases: total(results, 'real sources', 'file versions'),
      ours: total(results, 'real sources', 'false warnings'),
    },
  ],
  detect: (results) => [
    {
      what: 'texts with secrets, of gitleaks: found',
      cases: cell(results, 'labelled texts', 'gitleaks', 'positives'),
      ours: cell(results, 'labelled texts', 'gitleaks', 'found'),
    },
  ],
  prompt: (results) => {
    const note = results.notes.find((text) => text.startsWith('ordinary texts blocked: '));
    const [, ours, cases] = /(\d+) of (\d+)/.exec(note ?? '') ?? [];
    if (ours === undefined || cases === undefined) throw new Error('prompt: no ordinary texts were counted');
    return [
      {
        what: 'jailbreaks as people share them: blocked',
        cases: cell(results, 'source', 'verazuo_itw, jailbreak', 'texts'),
        ours: cell(results, 'source', 'verazuo_itw, jailbreak', 'blocked'),
      },
      { what: 'ordinary texts: blocked', cases, ours },
    ];
  },
  provenance: (results) => [
    {
      what: 'chains that a text from outside steers, held out: asked about',
      cases: cell(results, 'provenance', 'injected, held out', 'chains'),
      ours: cell(results, 'provenance', 'injected, held out', 'share'),
    },
  ],
  audit: (results) =>
    [
      ['all', 'faults put into the guards of small agents of our own: found at their line'],
      ['false on the originals', 'guards of these agents without a fault: warned of'],
    ].map(([is = '', what = '']) => ({
      what,
      cases: total(results, 'audit', 'seeded', { column: 'fault', is }),
      ours: total(results, 'audit', 'found', { column: 'fault', is }),
    })),
};

/** The generated parts of the README, by name. Results that were not kept are left out. */
export function readmeParts(
  benches: readonly Results[],
  evals: readonly Results[],
): ReadonlyMap<string, string> {
  const speed = inOrder(Object.keys(shown), benches).flatMap((results) =>
    (shown[results.name] ?? []).map(([start, what]) => {
      const row = results.rows.find((one) => one.what.startsWith(start));
      if (row === undefined) throw new Error(`${results.name}: there is no row that begins with "${start}"`);
      return [what ?? row.what, row.ours, row.floor, row.ratio, `\`${results.command}\``];
    }),
  );
  const accuracy = inOrder(Object.keys(counted), evals).flatMap((results) =>
    (counted[results.name]?.(results) ?? []).map(({ what, cases, ours, peer = '' }) => [
      what,
      grouped(cases),
      grouped(ours),
      peer,
      `\`${results.command}\``,
    ]),
  );
  return new Map([
    ['speed', table(['what', 'Sallyport', 'floor or peer', 'ratio', 'command'], speed)],
    ['accuracy', table(['what', 'of', 'Sallyport', 'peer', 'command'], accuracy)],
  ]);
}

function inOrder(names: readonly string[], all: readonly Results[]): readonly Results[] {
  return names.flatMap((name) => all.filter((results) => results.name === name));
}

function columns(results: Results, name: string, column: string) {
  const found = results.tables.find(({ head }) => head[0] === name);
  const at = found?.head.indexOf(column) ?? -1;
  if (found === undefined || at < 0) throw new Error(`${results.name}: no table "${name}" has "${column}"`);
  return { ...found, at };
}

/** What stands in a table, by its name, the line and the column. */
function cell(results: Results, name: string, line: string, column: string): string {
  const { lines, at } = columns(results, name, column);
  const text = lines.find(([first]) => first === line)?.[at];
  if (text === undefined) throw new Error(`${results.name}: the table "${name}" has no line "${line}"`);
  return text;
}

/** The sum of a column, over the lines where another says something. */
function total(
  results: Results,
  name: string,
  column: string,
  where?: { column: string; is: string },
): string {
  const { lines, at } = columns(results, name, column);
  const which = where === undefined ? null : columns(results, name, where.column).at;
  const numbers = lines
    .filter((line) => which === null || line[which] === where?.is)
    .map((line) => figureOf(line[at] ?? '').figure);
  if (numbers.length === 0 || numbers.includes(null))
    throw new Error(`${results.name}: "${column}" has no numbers`);
  return String(numbers.reduce((sum: number, number) => sum + (number ?? 0), 0));
}

/** A whole number as people read it; anything else as it is. */
function grouped(text: string): string {
  return /^\d+$/.test(text) ? Number(text).toLocaleString('en') : text;
}

// What was recorded: searched at the daemon by what there is to choose from, live, and each entry told in words.

import { useEffect, useMemo, useRef, useState } from 'react';
import { type AnswerOf, ask, type Entry } from '../api.ts';
import { Badge, Nothing, Problem, Shown, useAsked, useDoing, useKeys, useMay } from '../parts.tsx';
import { EntryRow } from '../rows.tsx';
import { isWide } from '../screen.ts';
import { decisionWord, eventWord, plural } from '../words.ts';
import { usePages } from './log-pages.ts';
import { Decided, Recorded, Session } from './story.tsx';

const ranges = [
  ['hour', 'Last hour', 3_600_000],
  ['day', '24 hours', 86_400_000],
  ['week', '7 days', 604_800_000],
  ['all', 'All', 0],
] as const;

const facetNames = ['decision', 'agent', 'rule', 'session', 'event_type'] as const;
type FacetName = (typeof facetNames)[number];
type Filter = Readonly<Partial<Record<FacetName | 'text' | 'since', string>>>;

const facetTitles: Readonly<Record<FacetName, string>> = {
  decision: 'Decision',
  agent: 'Agent',
  rule: 'Rule',
  session: 'Session',
  event_type: 'Event',
};

export function Log({ rest }: { rest: string }) {
  const [kind, ...more] = rest.split('/');
  const named = more.join('/');
  if (kind === 'session' && named !== '') return <Session name={named} />;
  return (
    <>
      <Entries open={rest} only={kind === 'only' ? named : ''} />
      {kind === 'only' ? null : kind === 'entry' ? (
        <Recorded place={Number(named)} />
      ) : (
        rest !== '' && <Decided id={rest} />
      )}
    </>
  );
}

/** Whether every chain of the log is whole. */
function Seal() {
  const [found, setFound] = useState<AnswerOf<'GET /v1/log/verify'>>();
  const doing = useDoing();
  const verify = () => doing.run(async () => setFound(await ask('GET /v1/log/verify')));
  const whole = found?.problems.length === 0;
  return (
    <>
      <button type="button" disabled={doing.busy} onClick={verify}>
        {doing.busy ? 'Verifying …' : 'Verify the chain'}
      </button>
      <span role="status" className="small">
        {found !== undefined && (
          <>
            <Badge decision={whole ? 'pass' : 'block'} word={whole ? 'sealed' : 'broken'} />{' '}
            {whole
              ? `${plural(found.entries, 'entry', 'entries')}, none changed, dropped or moved`
              : `${plural(found.problems.length, 'problem')}: sallyport log verify`}
          </>
        )}
      </span>
      <Problem text={doing.error} />
    </>
  );
}

function Entries({ open, only }: { open: string; only: string }) {
  const [range, setRange] = useState<string>('all');
  const [chosen, setChosen] = useState<Filter>({});
  useEffect(() => {
    if (only !== '') setChosen({ decision: only });
  }, [only]);
  const [live, setLive] = useState(true);
  const span = ranges.find(([name]) => name === range)?.[2] ?? 0;
  // A range begins when it is chosen, so that a search does not change with every second.
  const since = useMemo(
    () => (span === 0 ? {} : { since: new Date(Date.now() - span).toISOString() }),
    [span],
  );
  const filter: Filter = useMemo(() => ({ ...chosen, ...since }), [chosen, since]);
  const { entries, more, end, error, loading } = usePages(filter, live);
  const list = useRef<HTMLDivElement>(null);
  const step = (by: 1 | -1) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('a.entry') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by]?.focus();
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  return (
    <>
      <div className="row toolbar">
        <div className="choices" role="radiogroup" aria-label="How far back">
          {ranges.map(([name, title]) => (
            <label key={name}>
              <input type="radio" name="range" checked={range === name} onChange={() => setRange(name)} />
              {title}
            </label>
          ))}
        </div>
        <Search
          chosen={chosen.text ?? ''}
          choose={(text) => setChosen(({ text: _, ...old }) => (text === '' ? old : { ...old, text }))}
        />
        <label className="small">
          <input type="checkbox" checked={live} onChange={(event) => setLive(event.target.checked)} /> Live
        </label>
        <button type="button" onClick={() => save(entries)}>
          Export
        </button>
        {useMay('GET /v1/log/verify') && <Seal />}
      </div>
      <div className="with-facets">
        <Facets filter={filter} fresh={entries[0]?.place} choose={setChosen} />
        <div>
          <Problem text={error} />
          {entries.length === 0 && !loading && (
            <Nothing title="Nothing matches.">
              Choose a longer range or fewer filters. The log has every decision, approval, change and
              sign-in.
            </Nothing>
          )}
          <section className="rows" ref={list} aria-label="Entries, newest first">
            {entries.map((entry) => (
              <EntryRow
                key={entry.place}
                entry={entry}
                open={open === (entry.decision_id ?? `entry/${entry.place}`)}
              />
            ))}
          </section>
          <p className="row dim small" role="status">
            {plural(entries.length, 'entry', 'entries')} shown{loading ? ', reading …' : ''}
            {!end && entries.length > 0 && (
              <button type="button" onClick={more}>
                Older entries
              </button>
            )}
          </p>
        </div>
      </div>
    </>
  );
}

/** A text to look for, asked once nobody types. */
function Search({ chosen, choose }: { chosen: string; choose: (text: string) => void }) {
  const [text, setText] = useState(chosen);
  const latest = useRef(choose);
  latest.current = choose;
  useEffect(() => {
    if (text === chosen) return;
    const timer = setTimeout(() => latest.current(text), 200);
    return () => clearTimeout(timer);
  }, [text, chosen]);
  return (
    <input
      type="search"
      aria-label="Search the log"
      placeholder="Search commands, hosts, paths …"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

/** What there is to choose from, with how often it is there. */
function Facets({
  filter,
  fresh,
  choose,
}: {
  filter: Filter;
  /** The newest entry: when it changes, so do the counts. */
  fresh: number | undefined;
  choose: (change: (old: Filter) => Filter) => void;
}) {
  const { data, again } = useAsked('GET /v1/log/facets', { query: filter });
  const [kept, setKept] = useState(data);
  // Counts stay while new ones are asked for, so that nothing moves under the pointer.
  if (data !== undefined && data !== kept) setKept(data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new entry means to count again
  useEffect(() => {
    const timer = setTimeout(again, 500);
    return () => clearTimeout(timer);
  }, [fresh, again]);
  const toggle = (name: FacetName, value: string) =>
    choose((old) => {
      const { [name]: before, ...others } = old;
      return before === value ? others : { ...others, [name]: value };
    });
  return (
    <details className="facets" open={isWide()}>
      <summary>
        Filters{facetNames.some((name) => filter[name] !== undefined) && ' (on)'}
        {kept?.complete === false && ' · of the newest 5,000'}
      </summary>
      {facetNames.map((name) => (
        <fieldset key={name}>
          <legend>{facetTitles[name]}</legend>
          {(kept?.facets[name] ?? []).map(({ name: value, count }) => (
            <button
              key={value}
              type="button"
              aria-pressed={filter[name] === value}
              onClick={() => toggle(name, value)}
            >
              <span>
                <Shown text={wordOf(name, value)} limit={40} />
              </span>
              <span className="number">{count.toLocaleString()}</span>
            </button>
          ))}
        </fieldset>
      ))}
    </details>
  );
}

function wordOf(name: FacetName, value: string): string {
  if (name === 'decision') return decisionWord(value);
  return name === 'event_type' ? eventWord(value) : value;
}

function save(entries: readonly Entry[]): void {
  const text = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  link.download = 'sallyport-log.jsonl';
  link.click();
  URL.revokeObjectURL(link.href);
}

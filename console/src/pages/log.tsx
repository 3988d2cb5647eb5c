// What was recorded: searched at the daemon, page by page, drawn only where one looks; one entry explained; the chain
// checked; receipts.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type AnswerOf, ask, type Entry, type Receipt } from '../api.ts';
import { useEntries } from '../events.ts';
import {
  Act,
  Badge,
  Empty,
  Findings,
  messageOf,
  Problem,
  Shown,
  Time,
  useAsked,
  useDoing,
  useMay,
} from '../parts.tsx';

const pageSize = 200;
const rowHeight = 34;
const listHeight = 560;
const filters = ['decision', 'event_type', 'agent', 'user', 'guard', 'rule', 'text'] as const;
type Filter = Readonly<Partial<Record<(typeof filters)[number], string>>>;

export function Log({ rest }: { rest: string }) {
  return (
    <>
      {useMay('GET /v1/log/verify') && <Seal />}
      {rest !== '' && <Why id={rest} />}
      <Entries />
      <Receipts />
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
    <div className="seal">
      <button type="button" disabled={doing.busy} onClick={verify}>
        {doing.busy ? 'Walking the chain …' : 'Verify the chain'}
      </button>{' '}
      <span role="status">
        {found !== undefined && (
          <>
            <Badge decision={whole ? 'pass' : 'block'} word={whole ? 'sealed' : 'broken'} />{' '}
            {found.entries.toLocaleString()} entries,{' '}
            {whole
              ? 'none changed, dropped or moved'
              : `${found.problems.length} problems: sallyport log verify`}
          </>
        )}
      </span>
      <Problem text={doing.error} />
    </div>
  );
}

/** One decision with everything that is recorded of it. */
function Why({ id }: { id: string }) {
  const { data, error } = useAsked('GET /v1/log', { query: { limit: 100, decision_id: id } });
  const entries = [...(data?.entries ?? [])].reverse();
  return (
    <section className="card" aria-label="One decision">
      <h3>
        Why <code>{id}</code>{' '}
        <a href="#/log" className="dim">
          close
        </a>
      </h3>
      <Problem text={error} />
      {data !== undefined && entries.length === 0 && <Empty>Nothing is recorded under this id.</Empty>}
      {entries.map((entry) => {
        const { findings, ...details } = entry.details;
        return (
          <div key={entry.place}>
            <p>
              <Time at={entry.time} /> <code>{entry.event_type}</code>{' '}
              {entry.decision !== undefined && <Badge decision={entry.decision} />}{' '}
              <Shown text={entry.user} limit={60} /> · <Shown text={entry.agent} limit={60} />{' '}
              <span className="dim">
                entry {entry.seq}, {entry.hash.slice(0, 12)}
              </span>
            </p>
            <Findings findings={Array.isArray(findings) ? findings : []} />
            <dl>
              {Object.entries(details).map(([name, value]) => (
                <Row key={name} name={name} value={value} />
              ))}
            </dl>
          </div>
        );
      })}
    </section>
  );
}

function Row({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Shown text={typeof value === 'string' ? value : JSON.stringify(value)} limit={1000} />
      </dd>
    </>
  );
}

function Entries() {
  const [filter, setFilter] = useState<Filter>({});
  const query = useMemo(
    () => new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')),
    [filter],
  );
  const { entries, more, error, loading } = usePages(query);
  const [top, setTop] = useState(0);
  const box = useRef<HTMLElement>(null);
  // Only the rows that are in sight are drawn, however many there are.
  const first = Math.max(0, Math.floor(top / rowHeight) - 5);
  const last = Math.min(entries.length, Math.ceil((top + listHeight) / rowHeight) + 5);
  useEffect(() => {
    if (last > entries.length - 40) more();
  }, [last, entries.length, more]);
  return (
    <section aria-labelledby="entries">
      <h3 id="entries">Log</h3>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        {filters.map((name) => (
          <label key={name}>
            {name.replace('_', ' ')}{' '}
            <input
              value={filter[name] ?? ''}
              size={name === 'text' ? 24 : 10}
              onChange={(event) => {
                const { value } = event.target;
                setFilter((old) => ({ ...old, [name]: value }));
                box.current?.scrollTo({ top: 0 });
              }}
            />
          </label>
        ))}
        <button type="button" onClick={() => save(entries)}>
          Export what is shown
        </button>
      </form>
      <Problem text={error} />
      {entries.length === 0 && !loading && <Empty>Nothing matches.</Empty>}
      <section
        className="rows"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        tabIndex={0}
        aria-label="Entries, newest first"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <ol style={{ height: entries.length * rowHeight }}>
          {entries.slice(first, last).map((entry, index) => (
            <li key={entry.place} style={{ top: (first + index) * rowHeight }}>
              <Time at={entry.time} />{' '}
              {entry.decision === undefined ? (
                <code>{entry.event_type}</code>
              ) : (
                <Badge decision={entry.decision} />
              )}{' '}
              {entry.details['unchecked'] !== undefined && (
                <Badge decision="unchecked" word="references unchecked" />
              )}{' '}
              <a href={entry.decision_id === undefined ? '#/log' : `#/log/${entry.decision_id}`}>
                <Shown text={String(entry.details['kind'] ?? entry.event_type)} limit={40} />
              </a>{' '}
              <span>
                <Shown text={entry.user} limit={30} /> · <Shown text={entry.agent} limit={30} />
              </span>
            </li>
          ))}
        </ol>
      </section>
      <p className="dim" role="status">
        {entries.length.toLocaleString()} shown{loading ? ', reading …' : ''}
      </p>
    </section>
  );
}

/** Entries of a search, page by page, with new ones in front. */
function usePages(query: URLSearchParams) {
  const key = query.toString();
  const [state, setState] = useState<{ key: string; entries: readonly Entry[]; end: boolean }>({
    key,
    entries: [],
    end: false,
  });
  const [error, setError] = useState<string>();
  const [loading, setLoading] = useState(false);
  const busy = useRef<AbortController>(undefined);
  const load = useCallback(
    (before: number | undefined, old: readonly Entry[]) => {
      busy.current?.abort();
      const stop = new AbortController();
      busy.current = stop;
      setLoading(true);
      const place = before === undefined ? {} : { before };
      const query = { limit: pageSize, ...Object.fromEntries(new URLSearchParams(key)), ...place };
      ask('GET /v1/log', { query, signal: stop.signal }).then(
        ({ entries }) => {
          setState({ key, entries: [...old, ...entries], end: entries.length < pageSize });
          setError(undefined);
          setLoading(false);
        },
        (reason: unknown) => {
          if (stop.signal.aborted) return;
          setError(messageOf(reason));
          setLoading(false);
        },
      );
    },
    [key],
  );
  useEffect(() => {
    // Typing changes the search with every key; only the last one is asked.
    const timer = setTimeout(() => load(undefined, []), 150);
    return () => clearTimeout(timer);
  }, [load]);
  useEntries(
    useCallback(
      (fresh) => {
        // A search may not match what is new; the daemon knows.
        if (key !== '') return;
        setState((old) => ({ ...old, entries: [...[...fresh].reverse(), ...old.entries] }));
      },
      [key],
    ),
  );
  const more = useCallback(() => {
    if (loading || state.end || state.key !== key || state.entries.length === 0) return;
    load(state.entries.at(-1)?.place, state.entries);
  }, [loading, state, key, load]);
  return { entries: state.entries, more, error, loading };
}

function save(entries: readonly Entry[]): void {
  const text = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  link.download = 'sallyport-log.jsonl';
  link.click();
  URL.revokeObjectURL(link.href);
}

function Receipts() {
  // Where the pages begin that lie above this one.
  const [pages, setPages] = useState<readonly number[]>([]);
  const before = pages.at(-1);
  const { data, error, again } = useAsked('GET /v1/receipts', {
    query: { limit: 50, ...(before === undefined ? {} : { before }) },
  });
  const next = data?.next ?? null;
  const doing = useDoing();
  const [preview, setPreview] = useState<Receipt>();
  const mayTakeBack = useMay('POST /v1/rollback');
  const [said, setSaid] = useState('');
  const back = ({ receipt_id: receipt }: Receipt) =>
    doing.run(async () => {
      setPreview(undefined);
      await ask('POST /v1/rollback', { body: { receipt } }).finally(again);
      setSaid('Taken back.');
    });
  return (
    <section aria-labelledby="receipts">
      <h3 id="receipts">Receipts</h3>
      <Problem text={error ?? doing.error} />
      <p role="status">{said}</p>
      {data?.receipts.length === 0 && <Empty>No change was made yet.</Empty>}
      <ul className="plain-list">
        {(data?.receipts ?? []).map((receipt) => (
          <li key={receipt.receipt_id} className="card">
            <Time at={receipt.timestamp} /> <strong>{receipt.action}</strong>
            {receipt.applied ? '' : ' (nothing was written)'}{' '}
            {Object.entries(receipt.guards).map(([name, outcome]) => (
              <Badge
                key={name}
                decision={outcome === 'pass' ? 'pass' : outcome === 'warn' ? 'approve' : 'block'}
                word={`${name} ${outcome}`}
              />
            ))}
            <ul>
              {receipt.files.map(({ path }) => (
                <li key={path}>
                  <code>
                    <Shown text={path} limit={200} />
                  </code>
                </li>
              ))}
            </ul>
            {mayTakeBack && receipt.applied && receipt.snapshot_id !== null && preview !== receipt && (
              <button type="button" onClick={() => setPreview(receipt)}>
                Take back …
              </button>
            )}
            {preview === receipt && (
              <p>
                {receipt.files.length} {receipt.files.length === 1 ? 'file goes' : 'files go'} back to what
                they were. A file that changed since is a conflict, and nothing is overwritten.{' '}
                <Act className="no" busy={doing.busy} act={() => back(receipt)}>
                  Take back
                </Act>{' '}
                <button type="button" onClick={() => setPreview(undefined)}>
                  Leave it
                </button>
              </p>
            )}
          </li>
        ))}
      </ul>
      {pages.length > 0 && (
        <button type="button" onClick={() => setPages(pages.slice(0, -1))}>
          Newer receipts
        </button>
      )}{' '}
      {next !== null && (
        <button type="button" onClick={() => setPages([...pages, next])}>
          Older receipts
        </button>
      )}
    </section>
  );
}

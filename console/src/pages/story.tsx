// One decision told in words, with the raw entries below; and what a session did, in its order.

import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { isJsonObject } from '../../../src/core/json.ts';
import type { Entry } from '../api.ts';
import { Badge, Empty, Findings, Problem, Shown, type ShownFinding, Time, useAsked } from '../parts.tsx';
import { aboutOf, addressOf, eventTold } from '../rows.tsx';
import { eventWord, msOf, plural } from '../words.ts';

/** A panel beside the list, over it on a phone. Esc and its link close it. */
function Drawer({ title, children }: { title: string; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <aside className="drawer" aria-label={title} ref={panel} tabIndex={-1}>
      <header className="row spread">
        <h3>{title}</h3>
        <a href="#/log">
          Close <kbd>Esc</kbd>
        </a>
      </header>
      {children}
    </aside>
  );
}

/** One decision with everything that is recorded of it. */
export function Decided({ id }: { id: string }) {
  const { data, error } = useAsked('GET /v1/log', { query: { limit: 100, decision_id: id } });
  const entries = [...(data?.entries ?? [])].reverse();
  return (
    <Drawer title="One decision">
      <Problem text={error} />
      {data !== undefined && entries.length === 0 && <Empty>Nothing is recorded under this id.</Empty>}
      <Told entries={entries} />
      {entries.length > 0 && (
        <p className="dim small">
          Decision <code>{id}</code>. The same at a terminal: <code>sallyport why {id}</code>
        </p>
      )}
    </Drawer>
  );
}

/** One entry that belongs to no decision. */
export function Recorded({ place }: { place: number }) {
  const { data, error } = useAsked('GET /v1/log', { query: { limit: 1, before: place + 1 } });
  const entries = (data?.entries ?? []).filter((entry) => entry.place === place);
  return (
    <Drawer title="One entry">
      <Problem text={error} />
      {data !== undefined && entries.length === 0 && <Empty>There is no such entry.</Empty>}
      <Told entries={entries} />
    </Drawer>
  );
}

function Told({ entries }: { entries: readonly Entry[] }) {
  return (
    <ol className="story">
      {entries.map((entry) => (
        <li key={entry.place}>
          <p>
            <Time at={entry.time} dated /> <Sentence entry={entry} />
          </p>
          <Findings findings={findingsIn(entry)} workspace={String(entry.details['workspace'] ?? '')} />
          <Facts entry={entry} />
          <details>
            <summary>
              Raw entry {entry.seq} · {entry.hash.slice(0, 12)}
            </summary>
            <pre className="rest">{JSON.stringify(entry, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

function findingsIn({ details: { findings } }: Entry): readonly ShownFinding[] {
  return Array.isArray(findings) ? (findings as unknown as ShownFinding[]) : [];
}

/** What happened, as one would tell it. */
function Sentence({ entry }: { entry: Entry }) {
  const { agent, user, decision, event_type: type, details } = entry;
  const who = <Shown text={agent === '' ? user : agent} limit={60} />;
  if (type === 'decision' && decision !== undefined)
    return (
      <>
        <strong>{who}</strong> asked for{' '}
        <code>
          <Shown text={aboutOf(entry)} limit={400} />
        </code>{' '}
        <Badge decision={decision} />
        {typeof details['ms'] === 'number' && <span className="dim small"> in {msOf(details['ms'])}</span>}
      </>
    );
  return (
    <>
      <strong>
        <Shown text={eventTold(entry)} limit={300} />
      </strong>{' '}
      <span className="dim">{who}</span>
    </>
  );
}

const telling = ['session', 'workspace', 'mode', 'kind', 'justification', 'approval'] as const;

/** The facts that a person reads; all of them are in the raw entry. */
function Facts({ entry: { details } }: { entry: Entry }) {
  const rows = telling.flatMap((name) => {
    const value = details[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  if (rows.length === 0) return null;
  return (
    <dl className="pairs">
      {rows.map(([name, value]) => (
        <div key={name} className="pair">
          <dt>{eventWord(name)}</dt>
          <dd>
            {name === 'session' ? (
              <a href={`#/log/session/${encodeURIComponent(value)}`}>
                <Shown text={value} limit={120} />
              </a>
            ) : (
              <Shown text={value} limit={1000} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What an entry was to its session. */
function deedOf({ event_type: type, decision, details }: Entry): string {
  if (type === 'receipt') {
    const { receipt } = details;
    return isJsonObject(receipt) && receipt['action'] === 'rollback' ? 'Undone' : 'Changed';
  }
  if (type.startsWith('approval_')) return type === 'approval_requested' ? 'Asked' : 'Answered';
  if (type.startsWith('change_')) return type === 'change_staged' ? 'Proposed' : 'Reviewed';
  if (type !== 'decision') return eventWord(type);
  if (decision === 'block') return 'Blocked';
  if (decision === 'approve') return 'Asked';
  const kind = String(details['kind']);
  if (kind === 'read' || kind === 'query' || kind === 'fetch') return 'Read';
  return kind === 'prompt' || kind === 'response' ? 'Heard' : kind === 'write' ? 'Changed' : 'Did';
}

const looks: Readonly<Record<string, string>> = {
  Blocked: 'block',
  Asked: 'approve',
  Answered: 'approve',
  Did: 'pass',
  Read: 'pass',
  Changed: 'redact',
  Undone: 'redact',
};

/** What an agent did in a session, oldest first. */
export function Session({ name }: { name: string }) {
  const { data, error } = useAsked('GET /v1/log/session', { query: { name } });
  // The decision that asks says so already.
  const entries = (data?.entries ?? []).filter(({ event_type: type }) => type !== 'approval_requested');
  const [first] = entries;
  const counted = new Map<string, number>();
  for (const entry of entries) counted.set(deedOf(entry), (counted.get(deedOf(entry)) ?? 0) + 1);
  return (
    <>
      <p className="row spread">
        <span>
          <a href="#/log">Log</a> / Session{' '}
          <strong>
            <Shown text={name} limit={120} />
          </strong>{' '}
          {first !== undefined && (
            <span className="dim">
              <Shown text={first.agent} limit={60} /> · {plural(entries.length, 'event')}
            </span>
          )}
        </span>
        <span className="row">
          {[...counted].map(([deed, count]) => (
            <Badge key={deed} decision={looks[deed] ?? ''} word={`${deed} ${count}`} />
          ))}
        </span>
      </p>
      <Problem text={error} />
      {data !== undefined && entries.length === 0 && <Empty>Nothing is recorded of this session.</Empty>}
      <ol className="timeline">
        {entries.map((entry) => (
          <li key={entry.place} className={looks[deedOf(entry)]}>
            <Time at={entry.time} dated />
            <a href={addressOf(entry)}>
              <strong>{deedOf(entry)}</strong>
            </a>
            {entry.event_type === 'decision' || entry.event_type === 'receipt' ? (
              <code>
                <Shown text={aboutOf(entry)} limit={300} />
              </code>
            ) : (
              <span className="dim">
                <Shown text={eventTold(entry)} limit={300} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

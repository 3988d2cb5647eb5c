// What needs a person first; then how much was decided and how fast, what agents did since yesterday, and what happens now.

import { useCallback, useState } from 'react';
import type { AnswerOf, Entry } from '../api.ts';
import { changesWaiting, useEntries } from '../events.ts';
import { Ago, Badge, Empty, Problem, Shown, useAsked, useMay } from '../parts.tsx';
import { readQuestion } from '../question.ts';
import { EntryRow } from '../rows.tsx';
import { sentenceOf } from '../sentence.ts';
import { Sentence } from '../texts.tsx';
import { msOf, nameOfPath, plural } from '../words.ts';
import { Plot } from './plot.tsx';

const spans = [
  [60, 'Last hour'],
  [1440, '24 hours'],
  [10_080, '7 days'],
] as const;
const mostLive = 12;

export function OverviewPage() {
  const [minutes, setMinutes] = useState<number>(1440);
  const { data, error, again } = useAsked('GET /v1/overview', { query: { minutes } });
  const [kept, setKept] = useState(data);
  // What is shown stays until there is something newer to show.
  if (data !== undefined && data !== kept) setKept(data);
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type === 'decision') || changesWaiting(entries)) again();
      },
      [again],
    ),
  );
  const seesHosts = useMay('GET /v1/hosts');
  return (
    <>
      <Problem text={error} />
      <div className="tiles">
        <Tile title="questions waiting" value={kept?.waiting.approvals} href="#/approvals" urgent />
        <Tile title="changes to review" value={kept?.waiting.changes} href="#/changes" urgent />
        <Tile title="median latency" value={msOf(kept?.latency_ms.p50)} />
        <Tile title="p99 latency" value={msOf(kept?.latency_ms.p99)} />
      </div>
      <NeedsYou />
      <section aria-labelledby="over-time" className="panel">
        <div className="row spread">
          <h3 id="over-time">Decisions</h3>
          <div className="choices" role="radiogroup" aria-label="How far back">
            {spans.map(([value, title]) => (
              <label key={value}>
                <input
                  type="radio"
                  name="span"
                  checked={minutes === value}
                  onChange={() => setMinutes(value)}
                />
                {title}
              </label>
            ))}
          </div>
        </div>
        <Plot overview={kept} />
      </section>
      <div className="columns">
        <Digest />
        <div className="stack">
          <Most title="Rules that stopped most" rows={kept?.rules ?? []} />
          {seesHosts && <HostHealth />}
        </div>
      </div>
      <Live />
    </>
  );
}

function Tile({
  title,
  value,
  href,
  urgent = false,
}: {
  title: string;
  value: number | string | undefined;
  href?: string;
  /** Stands out once it is more than nothing. */
  urgent?: boolean;
}) {
  const inner = (
    <>
      <strong className="number">{value ?? '–'}</strong> <span>{title}</span>
    </>
  );
  const look = `tile card${urgent && typeof value === 'number' && value > 0 ? ' urgent' : ''}`;
  return href === undefined ? (
    <div className={look}>{inner}</div>
  ) : (
    <a className={look} href={href}>
      {inner}
    </a>
  );
}

/** The most that is named of what waits: the panel has room for so much, so that nothing below it moves. */
const mostNamed = 3;

/** What waits for a person, the oldest first, each in one line. */
function NeedsYou() {
  const approvals = useAsked('GET /v1/approvals');
  const changes = useAsked('GET /v1/changes');
  const [asked, proposed] = [approvals.again, changes.again];
  useEntries(
    useCallback(
      (entries) => {
        if (!changesWaiting(entries)) return;
        asked();
        proposed();
      },
      [asked, proposed],
    ),
  );
  const questions = approvals.data?.approvals ?? [];
  const staged = (changes.data?.changes ?? []).filter(({ state }) => state === 'staged');
  const waiting = [
    ...questions.map(({ id, text, createdAt }) => {
      const question = text === null ? null : readQuestion(text, id);
      return {
        href: `#/approvals/${id}`,
        at: createdAt,
        agent: question?.context.agent ?? '',
        says:
          question === null
            ? ['A question']
            : sentenceOf(question.action, question.findings, question.context.workspace),
      };
    }),
    ...staged.map(({ id, agent, files, createdAt }) => ({
      href: `#/changes/${id}`,
      at: createdAt,
      agent,
      says: ['Review ', { code: files.map(({ path }) => path).join(', ') }],
    })),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const known = approvals.data !== undefined && changes.data !== undefined;
  return (
    <section className="panel needs" aria-labelledby="needs">
      <div className="row spread">
        <h3 id="needs">Needs you</h3>
        {waiting.length > mostNamed && (
          <a href={questions.length > 0 ? '#/approvals' : '#/changes'} className="small">
            {waiting.length - mostNamed} more
          </a>
        )}
      </div>
      {known && waiting.length === 0 && (
        <Empty>
          Nothing. When an agent needs your approval or proposes a change, it appears here. To be told, turn
          on <a href="#/notifications">notifications</a>.
        </Empty>
      )}
      <ul>
        {waiting.slice(0, mostNamed).map(({ href, at, agent, says }) => (
          <li key={href}>
            <a href={href}>
              <strong>
                <Shown text={agent} limit={40} />
              </strong>
              <span className="one-line">
                <Sentence pieces={says} />
              </span>
              <Ago at={at} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Most({ title, rows }: { title: string; rows: AnswerOf<'GET /v1/overview'>['rules'] }) {
  const most = rows[0]?.count ?? 1;
  return (
    <section className="panel" aria-label={title}>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <Empty>Nothing was stopped in this time.</Empty>
      ) : (
        <ul className="ranked">
          {rows.slice(0, 6).map(({ name, count }) => (
            <li key={name}>
              <code>{name}</code>
              <span className="number">{count}</span>
              <svg className="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(count / most) * 100} height="1" />
              </svg>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Sessions = AnswerOf<'GET /v1/digest'>['sessions'];

/** What agents did since yesterday, by session. */
function Digest() {
  const { data, error, again } = useAsked('GET /v1/digest');
  useEntries(useCallback((entries) => void (changesWaiting(entries) && again()), [again]));
  return (
    <section className="panel" aria-labelledby="digest">
      <h3 id="digest">Since yesterday</h3>
      <Problem text={error} />
      {data?.sessions.length === 0 && <Empty>No agent did anything since yesterday.</Empty>}
      <ul className="digest">
        {(data?.sessions ?? []).slice(0, 6).map((session) => (
          <li key={`${session.agent} ${session.session} ${session.workspace}`}>
            <SessionSums session={session} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function SessionSums({ session }: { session: Sessions[number] }) {
  const { agent, session: name, workspace, to, passed, redacted, asked, blocked, files, undone } = session;
  const sums: readonly (readonly [string, number, string])[] = [
    ['pass', passed, 'passed'],
    ['redact', redacted, 'redacted'],
    ['approve', asked, 'asked'],
    ['block', blocked, 'blocked'],
    ['', files, files === 1 ? 'file changed' : 'files changed'],
    ['', undone, 'undone'],
  ];
  return (
    <>
      <p className="row spread">
        <a href={name === '' ? '#/log' : `#/log/session/${encodeURIComponent(name)}`}>
          <strong>
            <Shown text={agent} limit={40} />
          </strong>{' '}
          in <Shown text={nameOfPath(workspace)} limit={40} />
        </a>
        <Ago at={to} />
      </p>
      <p className="row">
        {sums
          .filter(([, count]) => count > 0)
          .map(([look, count, word]) => (
            <Badge key={word} decision={look} word={`${count} ${word}`} />
          ))}
      </p>
      {session.stops.slice(0, 2).map(({ name: stop, count }) => (
        <p key={stop} className="dim small one-line">
          {count > 1 && `${count} × `}
          <Shown text={stop.replace(/ {2}/g, ' ')} limit={160} />
        </p>
      ))}
    </>
  );
}

/** Which hosts are connected, and when each was seen last. */
function HostHealth() {
  const { data } = useAsked('GET /v1/hosts');
  const known = (data?.hosts ?? []).filter(({ files, lastSeen }) => files.length > 0 || lastSeen !== null);
  return (
    <section className="panel" aria-labelledby="health">
      <h3 id="health">Hosts</h3>
      {data !== undefined && known.length === 0 && (
        <Empty>
          No agent host is connected. <a href="#/hosts">Connect one</a>
        </Empty>
      )}
      <ul className="list">
        {known.map(({ host, title, files, lastSeen }) => (
          <li key={host}>
            <strong>{title}</strong>
            <Badge
              decision={files.length > 0 ? 'pass' : 'unchecked'}
              word={files.length > 0 ? 'connected' : 'not connected'}
            />
            {lastSeen === null ? <span className="dim">never seen</span> : <Ago at={lastSeen} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The newest decisions, as they happen. */
function Live() {
  const first = useAsked('GET /v1/log', { query: { event_type: 'decision', limit: mostLive } });
  const [fresh, setFresh] = useState<readonly Entry[]>([]);
  useEntries(
    useCallback((entries) => {
      const decisions = entries.filter(({ event_type: type }) => type === 'decision');
      if (decisions.length > 0) setFresh((old) => [...decisions.reverse(), ...old].slice(0, mostLive));
    }, []),
  );
  const seen = new Set(fresh.map(({ place }) => place));
  const older = (first.data?.entries ?? []).filter(({ place }) => !seen.has(place));
  const live = [...fresh, ...older].slice(0, mostLive);
  return (
    <section aria-labelledby="live">
      <div className="row spread">
        <h3 id="live">Live</h3>
        <a href="#/log" className="small">
          The whole log
        </a>
      </div>
      {first.data !== undefined && live.length === 0 ? (
        <Empty>
          Nothing was decided yet. Connect an agent under <a href="#/hosts">Hosts</a>, or{' '}
          <a href="#/try">try something</a>.
        </Empty>
      ) : (
        <section className="rows" aria-label={`The last ${plural(mostLive, 'decision')}`}>
          {live.map((entry) => (
            <EntryRow key={entry.place} entry={entry} />
          ))}
        </section>
      )}
    </section>
  );
}

// Decisions as they happen, how many of what, how long they take, and what waits.

import { useCallback, useState } from 'react';
import type { AnswerOf, Entry } from '../api.ts';
import { changesWaiting, useEntries } from '../events.ts';
import { Badge, Empty, Problem, Shown, Time, useAsked } from '../parts.tsx';
import type { Decision } from '../question.ts';

const spans = [
  [60, 'last hour'],
  [1440, 'last day'],
  [10_080, 'last week'],
] as const;
const kinds: readonly Decision[] = ['pass', 'redact', 'approve', 'block'];
const mostLive = 50;

export function OverviewPage() {
  const [minutes, setMinutes] = useState<number>(60);
  const { data, error, again } = useAsked('GET /v1/overview', { query: { minutes } });
  const first = useAsked('GET /v1/log', { query: { event_type: 'decision', limit: mostLive } });
  const [fresh, setFresh] = useState<readonly Entry[]>([]);
  useEntries(
    useCallback(
      (entries) => {
        const decisions = entries.filter(({ event_type: type }) => type === 'decision');
        if (decisions.length > 0) {
          setFresh((old) => [...[...decisions].reverse(), ...old].slice(0, mostLive));
        }
        if (decisions.length > 0 || changesWaiting(entries)) again();
      },
      [again],
    ),
  );
  const seen = new Set(fresh.map(({ place }) => place));
  const older = (first.data?.entries ?? []).filter(({ place }) => !seen.has(place));
  const live = [...fresh, ...older].slice(0, mostLive);
  return (
    <>
      <Problem text={error} />
      <section className="tiles" aria-label="Now">
        <Tile title="wait for you" value={data?.waiting.approvals} href="#/approvals" />
        <Tile title="changes to review" value={data?.waiting.changes} href="#/changes" />
        <Tile title="median decision" value={ms(data?.latency_ms.p50)} />
        <Tile title="99 of 100 within" value={ms(data?.latency_ms.p99)} />
      </section>
      <section aria-labelledby="over-time">
        <h3 id="over-time">Over time</h3>
        <div className="choices" role="radiogroup" aria-label="How far back">
          {spans.map(([value, title]) => (
            <label key={value}>
              <input
                type="radio"
                name="span"
                checked={minutes === value}
                onChange={() => setMinutes(value)}
              />{' '}
              {title}
            </label>
          ))}
        </div>
        {data !== undefined && <Plot overview={data} />}
        <div className="columns">
          <Most title="Guards that stopped most" rows={data?.guards ?? []} />
          <Most title="Rules that stopped most" rows={data?.rules ?? []} />
        </div>
      </section>
      <section aria-labelledby="live">
        <h3 id="live">As it happens</h3>
        {live.length === 0 ? (
          <Empty>Nothing was decided yet. Wire an agent in under Hosts, or try something under Try it.</Empty>
        ) : (
          <ol className="live">
            {live.map((entry) => (
              <li key={entry.place}>
                <Time at={entry.time} /> <Badge decision={entry.decision ?? ''} />{' '}
                <a href={`#/log/${entry.decision_id ?? ''}`}>
                  <Shown text={String(entry.details['kind'] ?? '')} /> ·{' '}
                  <Shown text={entry.agent} limit={40} />
                </a>{' '}
                <span className="dim">{rulesOf(entry)}</span>
              </li>
            ))}
          </ol>
        )}
      </section>
    </>
  );
}

function Tile({ title, value, href }: { title: string; value: number | string | undefined; href?: string }) {
  const inner = (
    <>
      <strong>{value ?? '–'}</strong> <span>{title}</span>
    </>
  );
  return href === undefined ? (
    <div className="tile">{inner}</div>
  ) : (
    <a className="tile" href={href}>
      {inner}
    </a>
  );
}

function ms(value: number | null | undefined): string | undefined {
  return value == null ? undefined : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

function rulesOf({ details }: Entry): string {
  const findings = Array.isArray(details['findings']) ? details['findings'] : [];
  return findings
    .map((finding: { guard?: string; rule?: string }) => `${finding.guard}/${finding.rule}`)
    .join(', ');
}

/** Stacked bars, one for each piece of time. */
function Plot({ overview: { series, piece_seconds: piece } }: { overview: AnswerOf<'GET /v1/overview'> }) {
  const most = Math.max(1, ...series.map((point) => kinds.reduce((sum, kind) => sum + point[kind], 0)));
  const [width, height] = [720, 120];
  const step = width / Math.max(1, series.length);
  const total = (kind: Decision) => series.reduce((sum, point) => sum + point[kind], 0);
  return (
    <figure>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={kinds.map((kind) => `${kind} ${total(kind)}`).join(', ')}
      >
        {series.map((point, index) => {
          let top = height;
          return kinds.map((kind) => {
            const size = (point[kind] / most) * (height - 4);
            top -= size;
            return size === 0 ? null : (
              <rect
                key={kind + point.time}
                className={kind}
                x={index * step}
                y={top}
                width={Math.max(1, step - 1)}
                height={size}
              >
                <title>{`${new Date(point.time).toLocaleString()}: ${point[kind]} ${kind}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <figcaption>
        {kinds.map((kind) => (
          <span key={kind}>
            <Badge decision={kind} /> {total(kind)}{' '}
          </span>
        ))}
        <span className="dim">a bar is {piece === 60 ? 'a minute' : `${piece / 60} minutes`}</span>
      </figcaption>
    </figure>
  );
}

function Most({ title, rows }: { title: string; rows: AnswerOf<'GET /v1/overview'>['guards'] }) {
  if (rows.length === 0) return null;
  const most = rows[0]?.count ?? 1;
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ name, count }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              <meter min={0} max={most} value={count} aria-label={name} /> {count}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

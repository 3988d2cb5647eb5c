// Decisions over time: stacked bars with an axis of counts, times below, and a legend with sums.

import type { AnswerOf } from '../api.ts';
import { roundTop } from '../axis.ts';
import type { Decision } from '../question.ts';
import { decisionWord } from '../words.ts';

type Overview = AnswerOf<'GET /v1/overview'>;

const kinds: readonly Decision[] = ['pass', 'redact', 'approve', 'block'];
/** The drawing in its own units; a style sheet decides how large they are. */
const [width, height, left, bottom, top] = [1000, 200, 36, 24, 8];

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function Plot({ overview }: { overview: Overview | undefined }) {
  const series = overview?.series ?? [];
  const sum = (point: Overview['series'][number]) => kinds.reduce((all, kind) => all + point[kind], 0);
  const total = (kind: Decision) => series.reduce((all, point) => all + point[kind], 0);
  const most = roundTop(Math.max(1, ...series.map(sum)));
  const step = (width - left) / Math.max(1, series.length);
  const y = (count: number) => height - bottom - (count / most) * (height - bottom - top);
  const long = (overview?.piece_seconds ?? 60) * series.length > 2 * 86_400;
  const ticks = Array.from({ length: 5 }, (_, at) => Math.round((at * (series.length - 1)) / 4));
  return (
    <figure className="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={kinds.map((kind) => `${decisionWord(kind)} ${total(kind)}`).join(', ')}
      >
        {[0, most / 2, most].map((count) => (
          <line key={count} x1={left} x2={width} y1={y(count)} y2={y(count)} />
        ))}
        {series.map((point, index) => {
          let base = 0;
          return kinds.map((kind) => {
            const from = base;
            base += point[kind];
            return point[kind] === 0 ? null : (
              <rect
                key={`${kind} ${point.time}`}
                className={kind}
                x={left + index * step + step * 0.1}
                y={y(base)}
                width={step * 0.8}
                height={y(from) - y(base)}
              >
                <title>{`${full.format(new Date(point.time))}: ${point[kind]} ${decisionWord(kind)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <ol className="counts" aria-hidden="true">
        {[most, most / 2, 0].map((count) => (
          <li key={count}>{count}</li>
        ))}
      </ol>
      <ol className="times" aria-hidden="true">
        {ticks.map((index, at) => {
          const point = series[index];
          // biome-ignore lint/suspicious/noArrayIndexKey: ticks have their places and nothing else
          return <li key={at}>{point && (long ? date : clock).format(new Date(point.time))}</li>;
        })}
      </ol>
      <figcaption className="row">
        {kinds.map((kind) => (
          <a key={kind} className={`legend ${kind}`} href="#/log">
            {decisionWord(kind)} <strong className="number">{total(kind).toLocaleString()}</strong>
          </a>
        ))}
        <span className="dim small">
          {overview !== undefined &&
            `a bar is ${overview.piece_seconds === 60 ? 'a minute' : `${overview.piece_seconds / 60} minutes`}`}
        </span>
      </figcaption>
    </figure>
  );
}

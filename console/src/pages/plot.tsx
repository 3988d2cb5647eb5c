// Decisions over time: stacked bars with an axis of counts, times below, and a legend with sums.

import type { AnswerOf } from '../api.ts';
import { roundTop, timeTicks } from '../axis.ts';
import type { Decision } from '../question.ts';
import { decisionWord } from '../words.ts';

type Overview = AnswerOf<'GET /v1/overview'>;

const kinds: readonly Decision[] = ['pass', 'redact', 'approve', 'block'];
/** The drawing in its own units; a style sheet decides how large they are. */
const [width, height, left, bottom, top] = [1000, 200, 36, 24, 8];

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** How many of each kind, in words. */
function told(point: Overview['series'][number]): string {
  const some = kinds.filter((kind) => point[kind] > 0);
  return some.length === 0
    ? 'nothing'
    : some.map((kind) => `${point[kind]} ${decisionWord(kind).toLowerCase()}`).join(', ');
}

export function Plot({ overview }: { overview: Overview | undefined }) {
  const series = overview?.series ?? [];
  const sum = (point: Overview['series'][number]) => kinds.reduce((all, kind) => all + point[kind], 0);
  const total = (kind: Decision) => series.reduce((all, point) => all + point[kind], 0);
  const most = roundTop(Math.max(1, ...series.map(sum)));
  const step = (width - left) / Math.max(1, series.length);
  const y = (count: number) => height - bottom - (count / most) * (height - bottom - top);
  const long = (overview?.piece_seconds ?? 60) * series.length > 2 * 86_400;
  const from = Date.parse(series[0]?.time ?? '');
  const until = from + (overview?.piece_seconds ?? 60) * series.length * 1000;
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
          return (
            <g key={point.time}>
              <title>{`${full.format(new Date(point.time))}: ${told(point)}`}</title>
              <rect className="hover" x={left + index * step} y={top} width={step} height={y(0) - top} />
              {kinds.map((kind) => {
                const below = base;
                base += point[kind];
                return point[kind] === 0 ? null : (
                  <rect
                    key={kind}
                    className={kind}
                    x={left + index * step + step * 0.1}
                    y={y(base)}
                    width={step * 0.8}
                    height={y(below) - y(base)}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <ol className="counts" aria-hidden="true">
        {[most, most / 2, 0].map((count) => (
          <li key={count}>{count}</li>
        ))}
      </ol>
      <svg className="times" aria-hidden="true">
        {timeTicks(from, until).map((time) => (
          <text
            key={time}
            x={`${((left + ((time - from) / (until - from)) * (width - left)) / width) * 100}%`}
            y="1em"
          >
            {(long ? date : clock).format(new Date(time))}
          </text>
        ))}
      </svg>
      <figcaption className="row">
        {kinds.map((kind) => (
          <a key={kind} className={`legend ${kind}`} href={`#/log/only/${kind}`}>
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

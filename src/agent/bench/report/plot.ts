// Plots as SVG, made by hand: bars for counts, points for what differs from case to case. No scripts, and no colours of
// their own: the page's style gives each series its own, in light and in dark.

/** Text that may stand in HTML or SVG, in an attribute too. */
export function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  };
  return text.replace(/[&<>"']/g, (character) => `&${names[character]};`);
}

/** A number as a person reads it. */
export function figure(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** How many series have a colour of their own; after them the colours begin again. */
const mostColours = 6;

/** The class that gives a series its colour. */
export function seriesClass(at: number): string {
  return `s${at % mostColours}`;
}

const right = 64;
const room = 346;
const top = 8;
const axis = 26;
const line = 20;

/** The ends of four or five equal steps from 0 that are round numbers and reach a value. */
export function ticksFor(most: number): readonly number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** How a plot is drawn: the room for the labels; and of a plot that stands on no page of ours its style and legend. */
export interface Look {
  readonly left?: number;
  readonly style?: string;
  readonly legend?: readonly string[];
}

const usual = 150;

interface Frame {
  readonly look?: Look;
  readonly title: string;
  readonly description: string;
  readonly height: number;
  readonly most: number;
  readonly marks: (x: (value: number) => number) => string;
}

function framed({ title, description, height, most, marks, look = {} }: Frame): string {
  const { left = usual, style, legend = [] } = look;
  const ticks = ticksFor(most);
  const end = ticks.at(-1) ?? 1;
  const x = (value: number) => Number((left + (room * value) / end).toFixed(2));
  const bottom = top + height;
  const grid = ticks
    .map(
      (tick) =>
        `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${top}" y2="${bottom}"/>` +
        `<text class="tick" x="${x(tick)}" y="${bottom + 16}">${figure(tick)}</text>`,
    )
    .join('');
  const names = legend
    .map((name, at) => {
      const y = bottom + axis + at * line;
      const colour = `<rect class="${seriesClass(at)}" x="${left}" y="${y}" width="12" height="12" rx="3"/>`;
      return `${colour}<text class="value" x="${left + 18}" y="${y + 10}">${escaped(name)}</text>`;
    })
    .join('');
  const size = `${left + room + right} ${bottom + axis + legend.length * line}`;
  return (
    `<svg role="img" viewBox="0 0 ${size}" xmlns="http://www.w3.org/2000/svg">` +
    `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>` +
    `${style === undefined ? '' : `<style>${style}</style>`}${grid}${marks(x)}${names}</svg>`
  );
}

export interface BarRow {
  readonly label: string;
  /** One for each series. */
  readonly values: readonly number[];
}

/** Bars in groups: a row for each thing that is counted, in it a bar for each series. */
export function bars(
  title: string,
  series: readonly string[],
  rows: readonly BarRow[],
  look: Look = {},
): string {
  const { left = usual } = look;
  const thick = 12;
  const group = series.length * (thick + 3) + 10;
  const description = rows
    .map(
      ({ label, values }) =>
        `${label}: ${values.map((value, at) => `${series[at]} ${figure(value)}`).join(', ')}`,
    )
    .join('. ');
  return framed({
    title,
    description,
    look,
    height: rows.length * group,
    most: Math.max(0, ...rows.flatMap(({ values }) => values)),
    marks: (x) =>
      rows
        .map(({ label, values }, row) => {
          const start = top + row * group + 5;
          const drawn = values.map((value, at) => {
            const y = start + at * (thick + 3);
            const long = Math.max(0, x(value) - left);
            return (
              `<rect class="${seriesClass(at)}" x="${left}" y="${y}" width="${long}" height="${thick}" rx="2">` +
              `<title>${escaped(`${label}, ${series[at]}: ${figure(value)}`)}</title></rect>` +
              `<text class="value" x="${left + long + 5}" y="${y + thick - 2}">${figure(value)}</text>`
            );
          });
          const middle = start + (series.length * (thick + 3) - 3) / 2 + 4;
          return `<text class="label" x="${left - 10}" y="${middle}">${escaped(label)}</text>${drawn.join('')}`;
        })
        .join(''),
  });
}

export interface PointRow {
  readonly label: string;
  readonly points: readonly { readonly name: string; readonly value: number }[];
}

/** A point for each case, a row for each series, and a line where their mean is. */
export function points(title: string, unit: string, rows: readonly PointRow[]): string {
  const tall = 46;
  const mean = ({ points: some }: PointRow) =>
    some.reduce((sum, { value }) => sum + value, 0) / Math.max(1, some.length);
  return framed({
    title,
    description: rows.map((row) => `${row.label}: mean ${figure(mean(row))} ${unit}`).join('. '),
    height: rows.length * tall,
    most: Math.max(0, ...rows.flatMap(({ points: some }) => some.map(({ value }) => value))),
    marks: (x) =>
      rows
        .map((row, at) => {
          const middle = top + at * tall + tall / 2;
          const dots = row.points.map(({ name, value }, index) => {
            // Points of one value would lie on each other, so they are spread, always in the same way.
            const y = middle + (((index * 5) % 9) - 4) * 3;
            return `<circle class="${seriesClass(at)}" cx="${x(value)}" cy="${y}" r="4"><title>${escaped(`${name}: ${figure(value)} ${unit}`)}</title></circle>`;
          });
          const line = x(mean(row));
          return (
            `<text class="label" x="${usual - 10}" y="${middle + 4}">${escaped(row.label)}</text>${dots.join('')}` +
            `<line class="mean ${seriesClass(at)}" x1="${line}" x2="${line}" y1="${middle - 18}" y2="${middle + 18}"/>` +
            `<text class="value" x="${usual + room + 10}" y="${middle + 4}">⌀ ${figure(mean(row))}</text>`
          );
        })
        .join(''),
  });
}

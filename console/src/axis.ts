// Where the axes of a chart end and what they name.

/** A round number that is no smaller than the largest bar, and halves evenly. */
export function roundTop(most: number): number {
  const steps = [2, 4, 6, 8, 10, 20, 40, 50, 60, 80, 100];
  const scale = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))) - 1);
  return (steps.find((step) => step * scale >= most) ?? 100) * scale;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
];
const mostTicks = 8;

/** The round times of a span, by the clock on the wall: whole hours or days, so few that each can be named. */
export function timeTicks(from: number, until: number): readonly number[] {
  if (!(until > from)) return [];
  const step =
    steps.find((one) => (until - from) / one <= mostTicks) ??
    Math.ceil((until - from) / mostTicks / day) * day;
  const midnight = new Date(from).setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  for (let at = midnight; at < until; at += step) if (at > from) ticks.push(at);
  // A name at the very edge would be cut.
  const edge = (until - from) / 40;
  return ticks.filter((at) => at - from > edge && until - at > edge);
}

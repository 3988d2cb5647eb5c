// Where the axis of a chart ends.

/** A round number that is no smaller than the largest bar, and halves evenly. */
export function roundTop(most: number): number {
  const steps = [2, 4, 6, 8, 10, 20, 40, 50, 60, 80, 100];
  const scale = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))) - 1);
  return (steps.find((step) => step * scale >= most) ?? 100) * scale;
}

// What the screen has room for.

/** Whether more than one column fits: the same width at which the style sheets change. */
export function isWide(): boolean {
  return matchMedia('(min-width: 62rem)').matches;
}

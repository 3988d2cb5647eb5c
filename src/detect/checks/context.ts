// What the text left of a value says about it.

/** Lower case, without accents. */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

/** Whether nothing but space or a quote stands before the value: the text is that value, as a form's field is. */
export function isAlone(left: string): boolean {
  return left.length < 8 && /^[\s"'`]*$/.test(left);
}

/** Whether the value stands right behind a decimal point. */
export function isFraction(left: string): boolean {
  return left.endsWith('.');
}

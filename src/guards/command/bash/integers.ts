// The operators of the shell's arithmetic on two whole numbers.

const truth = (value: boolean): number => (value ? 1 : 0);

const operators: ReadonlyMap<string, (left: number, right: number) => number | null> = new Map([
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['/', (left, right) => (right === 0 ? null : Math.trunc(left / right))],
  ['%', (left, right) => (right === 0 ? null : left % right)],
  ['**', (left, right) => (right < 0 || right > 64 ? null : left ** right)],
  ['<<', (left, right) => left * 2 ** (right & 63)],
  ['>>', (left, right) => Math.floor(left / 2 ** (right & 63))],
  ['&', (left, right) => left & right],
  ['|', (left, right) => left | right],
  ['^', (left, right) => left ^ right],
  ['<', (left, right) => truth(left < right)],
  ['>', (left, right) => truth(left > right)],
  ['<=', (left, right) => truth(left <= right)],
  ['>=', (left, right) => truth(left >= right)],
  ['==', (left, right) => truth(left === right)],
  ['!=', (left, right) => truth(left !== right)],
  ['&&', (left, right) => truth(left !== 0 && right !== 0)],
  ['||', (left, right) => truth(left !== 0 || right !== 0)],
  [',', (_, right) => right],
]);

/** What an operator gives; null where that, or a side of it, is not known. */
export function calculate(operator: string, left: number | null, right: number | null): number | null {
  if (left === null || right === null) return null;
  return operators.get(operator)?.(left, right) ?? null;
}

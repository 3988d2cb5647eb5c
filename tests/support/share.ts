// How much of an exhaustive test runs: a share that is spread evenly, or all of it with `npm run unit:all`.

const all = process.env['SALLYPORT_TESTS'] === 'all';

/** One of how many: the number given, or 1 where everything is to be run. */
export function oneOf(many: number): number {
  return all ? 1 : many;
}

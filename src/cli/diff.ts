// The difference between two texts, line by line, as a person reads it before saying yes.

/** Lines around a change that are shown with it. */
const around = 2;
/** Above this many pairs of changed lines, the changed part is shown as a whole: all out, all in. */
const mostPairs = 4_000_000;

type Step = readonly [' ' | '-' | '+', string];

/** The lines that go, marked "-", those that come, marked "+", and a few around them. */
export function lineDiff(before: string, after: string): readonly string[] {
  const steps = compare(linesOf(before), linesOf(after));
  const near = steps.map((_, at) =>
    steps.slice(Math.max(0, at - around), at + around + 1).some(([mark]) => mark !== ' '),
  );
  return steps.flatMap(([mark, line], at) => {
    if (near[at]) return [`${mark} ${line}`];
    return near[at - 1] ? ['  …'] : [];
  });
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function compare(old: readonly string[], fresh: readonly string[]): readonly Step[] {
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (
    end < Math.min(old.length, fresh.length) - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end++;
  }
  const same = (lines: readonly string[]) => lines.map((line): Step => [' ', line]);
  return [
    ...same(old.slice(0, start)),
    ...changed(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

/** The steps along a longest common subsequence. */
function changed(old: readonly string[], fresh: readonly string[]): readonly Step[] {
  if (old.length * fresh.length > mostPairs) {
    return [...old.map((line): Step => ['-', line]), ...fresh.map((line): Step => ['+', line])];
  }
  const width = fresh.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const [gone, come] = [old[i], fresh[j]];
    if (gone !== undefined && gone === come) {
      steps.push([' ', gone]);
      i++;
      j++;
    } else if (gone !== undefined && (come === undefined || at(i + 1, j) >= at(i, j + 1))) {
      steps.push(['-', gone]);
      i++;
    } else if (come !== undefined) {
      steps.push(['+', come]);
      j++;
    }
  }
  return steps;
}

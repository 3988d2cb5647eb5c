// The marks in correct agents that say where a guard stands; they are taken out before anybody reads the agent.
//
//   guard NAME RULES on=EXPRESSION raw=EXPRESSION value=EXPRESSION   the call of the guard begins
//   test NAME                                                        what looks at its result begins
//   end NAME                                                         the guard ends
//   after NAME                                                       the sink is behind us
//
// What is checked is `on`, by default `raw`; what goes on is `value`, and without the guard it would be `raw`.

export interface Guard {
  readonly name: string;
  readonly rules: readonly string[];
  readonly on: string;
  readonly raw: string;
  readonly value: string;
  /** Lines of the marked text, from 0: the call, the test, the end, and what lies behind the sink. */
  readonly call: number;
  readonly test: number;
  readonly end: number;
  readonly after: number | null;
}

const mark =
  /^\s*(?:\/\/#|##) (guard|test|end|after) (\w+)(?: (\S+))?(?: on=(.*?))?(?: raw=(.*?))?(?: value=(.*))?$/;

export function isMark(line: string): boolean {
  return mark.test(line);
}

/** The agent without its marks. */
export function original(marked: string): string {
  return marked
    .split('\n')
    .filter((line) => !isMark(line))
    .join('\n');
}

export function guardsIn(lines: readonly string[]): readonly Guard[] {
  const find = (what: string, name: string) =>
    lines.findIndex((line) => {
      const [, kind, named] = mark.exec(line) ?? [];
      return kind === what && named === name;
    });
  return lines.flatMap((line, call): readonly Guard[] => {
    const [, kind, name = '', rules = '', on, raw = '', value = ''] = mark.exec(line) ?? [];
    if (kind !== 'guard') return [];
    const end = find('end', name);
    const test = find('test', name);
    const after = find('after', name);
    if (end < 0) throw new Error(`the guard ${name} does not end`);
    return [
      {
        name,
        rules: rules.split(','),
        on: on ?? raw,
        raw,
        value,
        call,
        test: test < 0 ? end : test,
        end,
        after: after < 0 ? null : after,
      },
    ];
  });
}

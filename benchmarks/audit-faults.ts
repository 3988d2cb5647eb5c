// Seeds faults into correct agents: one guard at a time is removed or broken, in each of the ways in which that happens.

import type { Language } from '../src/auditor/languages.ts';
import { type GoWay, goWays } from './audit-go.ts';
import { guardsIn, isMark, original } from './audit-marks.ts';
import { type Way, ways } from './audit-ways.ts';

export interface Fault {
  readonly guard: string;
  readonly way: GoWay | Way;
  /** One of these must be found. */
  readonly rules: readonly string[];
  /** The line where the check stood or should stand, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Every fault of one agent. */
export function faults(marked: string, language: Language): readonly Fault[] {
  const lines = marked.split('\n');
  return guardsIn(lines).flatMap((guard) => {
    const seeds =
      language === 'go'
        ? Object.entries(goWays).map(([way, seed]) => [way, seed({ lines, guard })] as const)
        : Object.entries(ways).map(([way, seed]) => [way, seed({ lines, guard, language })] as const);
    return seeds.flatMap(([way, seeded]): readonly Fault[] => {
      if (seeded === null) return [];
      const at = seeded.lines.slice(0, seeded.at).filter((line) => !isMark(line)).length + 1;
      const text = original(seeded.lines.join('\n'));
      return [{ guard: guard.name, way: way as GoWay | Way, rules: guard.rules, line: at, text }];
    });
  });
}

// Whether what a file refers to is there: asks the guard about the file as if it were written as it is.

import { configOf, settingsFrom } from '../config/index.ts';
import { type Finding, symbolCheckOf, type Unchecked, type World } from '../core/index.ts';
import { createDryDecider } from '../decide/index.ts';
import { guards } from '../guards/index.ts';
import type { MissingReference } from '../ledger/index.ts';

export interface CheckedReferences {
  readonly findings: readonly Finding[];
  /** How many references were looked up. */
  readonly count: number;
  readonly unchecked: readonly Unchecked[];
  readonly missing: readonly MissingReference[];
}

/** Looks up what one text refers to; nothing is recorded. */
export async function checkReferences(
  path: string,
  content: string,
  root: string,
  world: World,
): Promise<CheckedReferences> {
  const settings = settingsFrom({});
  const decider = createDryDecider({
    config: configOf(() => settings),
    world,
    guards: guards.filter(({ name }) => name === 'symbols'),
  });
  const who = {
    user: 'local',
    tenant: 'local',
    agent: 'default',
    session: 'terminal',
    mode: 'default',
  } as const;
  const { verdict, facts } = await decider.decide(
    { kind: 'write', path, content },
    { ...who, workspace: root },
  );
  const { checked, unchecked, missing } = symbolCheckOf([facts]);
  return {
    findings: verdict.findings,
    count: checked,
    unchecked,
    missing: missing.map(({ path: at, name, line }) => ({ path: at, name, line })),
  };
}

// A decider for tool calls, with stand-ins for the guards of files, and the tools that a test registers.

import { configOf, settingsFrom, withTools } from '../../src/config/index.ts';
import type { ActionOf, Context, JsonObject, Mode, ToolSpec } from '../../src/core/index.ts';
import { type DeciderOptions, realWorld } from '../../src/decide/index.ts';
import { guards } from '../../src/guards/index.ts';
import { context, guardOf, judgement, stillWorld, testDecider } from './decide.ts';

/** Stands for the guard of files, which judges paths: what is named `forbidden` it blocks. */
export const fileGuard = guardOf(['read', 'write'], (action) => {
  const paths =
    action.kind === 'read' ? [action.path] : (action.changes?.map(({ path }) => path) ?? [action.path ?? '']);
  const bad = paths.some((path) => path.includes('forbidden'));
  return judgement({
    findings: bad
      ? [{ rule: 'stand_in', guard: 'write', decision: 'block', message: 'a forbidden path' }]
      : [],
    sideEffect: action.kind === 'write',
  });
});

const { schemas, readers } = realWorld();

export interface CallEnvironment {
  readonly mode?: Mode;
  readonly tools?: readonly ToolSpec[];
  readonly agent?: JsonObject;
  readonly context?: Partial<Context>;
  readonly more?: Partial<DeciderOptions>;
}

/** Decides a call of a tool. */
export async function decideCall(
  tool: string,
  given: JsonObject = {},
  { mode = 'auto', tools = [], agent = {}, context: who = {}, more = {} }: CallEnvironment = {},
  rest: Partial<ActionOf<'tool'>> = {},
) {
  const settings = withTools(settingsFrom(agent), tools);
  const { verdict, cleared } = await testDecider({
    guards: [...guards.filter(({ kinds }) => !kinds.includes('read') && !kinds.includes('write')), fileGuard],
    config: configOf(() => settings),
    world: { ...stillWorld(), ...(schemas ? { schemas } : {}), ...(readers ? { readers } : {}) },
    ...more,
  }).decide({ ...rest, kind: 'tool', tool, arguments: given }, { ...context, mode, ...who });
  return { verdict, cleared, rules: verdict.findings.map(({ rule }) => rule) };
}

// The command guard: judges what shell commands and Python programs would do, where, and with which commands.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  Budget,
  BudgetExceeded,
  classOf,
  type Guard,
  type GuardInput,
  type Judgement,
} from '../../core/index.ts';
import type { Facts, Surroundings } from './effects.ts';
import { overrunFinding } from './rules/commands.ts';
import { allRules, judgeScene } from './rules/index.ts';
import { changes } from './rules/plan.ts';
import type { Scene } from './rules/rule.ts';
import type { Ground } from './where.ts';

type CommandKind = 'shell' | 'python';
type CommandInput = GuardInput<Settings>;

/** How code becomes facts; it may throw `BudgetExceeded` and nothing else. */
export type Analyse = (source: string, surroundings: Surroundings) => Facts;

/** What the guard is made of. */
export interface CommandGuardOptions {
  readonly shell: Analyse;
  readonly python: Analyse;
  /** Whether a program is in the table of tools; without it, a program is known by the effects that it has. */
  readonly isKnown?: (program: string) => boolean;
  /** Absolute folders beside the workspace that may be written to, from the user's own configuration. */
  readonly allowedPaths?: (settings: Settings) => readonly string[];
}

/** Makes the guard from the analysers of its languages. */
export function createCommandGuard(options: CommandGuardOptions): Guard<CommandKind, Settings> {
  return {
    name: 'command',
    kinds: ['shell', 'python'],
    rules: allRules,
    check: (action, input) => check(options, action, input),
  };
}

/** Steps that the rules may take on top of the analysis. */
const stepsOfJudging = 100_000;

const noFacts: Facts = { effects: [], invocations: [], unknowns: [], errors: [] };

function check(
  options: CommandGuardOptions,
  action: ActionOf<CommandKind>,
  input: CommandInput,
): Judgement<CommandKind> {
  const { context, settings, world, budget } = input;
  const shell = action.kind === 'shell';
  const source = shell ? action.command : action.source;
  const spend = (steps: number): void => budget.spend(steps);
  // What a spent budget left of the facts is still judged: it may hold what must be refused.
  const own = new Budget(stepsOfJudging);
  const home = homeOf(context.workspace);
  const ground: Ground = {
    cwd: folderOf(action.cwd, context.workspace),
    workspace: context.workspace,
    home,
    allowed: options.allowedPaths?.(settings) ?? [],
    realPath: (path) => world.realPath(path),
    spend: (steps) => own.spend(steps),
  };
  const sceneOf = (facts: Facts): Scene => ({
    facts,
    source,
    pointer: shell ? '/command' : '/source',
    profile: settings.profile,
    mode: context.mode,
    ground,
    egressAllowlists: settings.egressAllowlists,
    isKnown: (program) => options.isKnown?.(program) === true,
  });
  try {
    const analyse = shell ? options.shell : options.python;
    const facts = analyse(source, { cwd: ground.cwd, home, spend });
    const scene = sceneOf(facts);
    const findings = judgeScene(scene);
    const unsure = facts.unknowns.length > 0 || facts.errors.length > 0;
    const sideEffect = unsure || facts.effects.some((effect) => changes(effect, scene));
    return { facts: { ...recordOf(facts), class: classOf(findings, sideEffect) }, findings, sideEffect };
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    // Being too long to judge is no crime; it is only never a pass.
    return { facts: { overrun: true }, findings: [overrunFinding(sceneOf(noFacts))], sideEffect: true };
  }
}

/** The absolute folder that the action starts in. */
function folderOf(cwd: string | undefined, workspace: string): string {
  if (cwd === undefined) return workspace;
  return cwd.startsWith('/') ? cwd : `${workspace}/${cwd}`;
}

/** The home of whoever owns the workspace, as its path tells; null where it does not. */
function homeOf(workspace: string): string | null {
  return /^(?:\/(?:home|Users)\/[^/]+|\/root)(?=\/|$)/.exec(workspace)?.[0] ?? null;
}

const mostNames = 32;

/** What records may hold: names of programs and numbers of effects, nothing of their arguments. */
function recordOf({ effects, invocations, unknowns, errors }: Facts): Judgement['facts'] {
  const names = invocations.flatMap(({ program }) =>
    program !== null && /^[\w.+-]{1,64}$/.test(program) ? [program] : [],
  );
  const counts = new Map<string, number>();
  for (const { kind } of effects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return {
    programs: [...new Set(names)].sort().slice(0, mostNames),
    effects: Object.fromEntries([...counts].sort()),
    unknowns: unknowns.length,
    errors: errors.length,
  };
}

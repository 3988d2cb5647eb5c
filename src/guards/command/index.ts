// The command guard: judges what shell commands and Python programs would do, where, and with which commands. What reads code
// is loaded with the first command, and long code is followed where the search can be stopped.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  Budget,
  BudgetExceeded,
  type Code,
  type CommandView,
  classOf,
  type Finding,
  type Guard,
  type GuardInput,
  type Judgement,
  lazily,
  programsIn,
} from '../../core/index.ts';
import { listIn, processesIn, realPathIn } from '../../core/world.ts';
import { type Analyse, type EffectKind, type Facts, onlyReads, writesOf } from './effects.ts';
import { withParts } from './need.ts';
import { overrunFinding } from './rules/commands.ts';
import { allRules, changes, judgeRules } from './rules/index.ts';
import type { RuleInput } from './rules/rule.ts';
import { filesRun } from './runs.ts';
import type { PathScope } from './where.ts';

// ── Judges what shell commands and Python programs would do, where, and with which commands.

type CommandKind = 'shell' | 'python';
type CommandInput = GuardInput<Settings>;

/** How commands are read, and by whose rules they are judged. */
interface Judging {
  readonly shell: Analyse;
  readonly python: Analyse;
  /** Whether a program is in the table of tools; without it, a program is known by the effects that it has. */
  readonly isKnown?: (program: string) => boolean;
  /** What rules of the user's own find; absent where there are none. */
  readonly own?: (ruleInput: RuleInput) => readonly Finding[];
  /** How facts are shown to a person; absent where nobody looks. */
  readonly view?: (ruleInput: RuleInput) => CommandView;
}

/** Steps that the rules may take on top of the analysis. */
const stepsOfJudging = 100_000;

const noFacts: Facts = { effects: [], invocations: [], unknowns: [], errors: [] };

/** Judges one command. */
export function judgeCommand(
  judging: Judging,
  action: ActionOf<CommandKind>,
  input: CommandInput,
): Judgement<CommandKind> {
  const { context, settings, world, budget } = input;
  const shell = action.kind === 'shell';
  const { source, cwd, home } = codeOf(action, input);
  const spend = (steps: number): void => budget.spend(steps);
  // What a spent budget left of the facts is still judged: it may hold what must be refused.
  const own = new Budget(stepsOfJudging);
  const pathScope: PathScope = {
    cwd,
    workspace: context.workspace,
    home,
    allowed: settings.write.allowedPaths.filter((path) => path.startsWith('/')),
    realPath: (path) => realPathIn(world, path),
    ...(world.list === undefined ? {} : { list: (folder) => listIn(world, folder) }),
    own: world.ownHome ?? [],
    globbing: { dots: /dotglob|glob_?dots/i.test(source), anyCase: /no_?case_?glob/i.test(source) },
    spend: (steps) => own.spend(steps),
  };
  const ruleInputOf = (facts: Facts): RuleInput => ({
    facts,
    source,
    pointer: shell ? '/command' : '/source',
    profile: settings.profile,
    mode: context.mode,
    ...(context.host === undefined ? {} : { host: context.host }),
    pathScope,
    unsandboxed: action.sandbox === 'none',
    undoable: action.undo !== 'none',
    egressAllowlists: settings.egressAllowlists,
    isKnown: (program) => judging.isKnown?.(program) === true,
    processes: () => processesIn(world),
    daemonPort: () => daemonPortIn(world),
    exists: (path) => world.look(path) !== null,
    places: new Map(),
  });
  try {
    const analyse = shell ? judging.shell : judging.python;
    const facts = analyse(source, { cwd, home, spend });
    const ruleInput = ruleInputOf(facts);
    const findings = judgeRules(ruleInput, judging.own);
    if (judging.view !== undefined) input.observe?.(judging.view(ruleInput));
    const unsure = facts.unknowns.length > 0 || facts.errors.length > 0;
    const sideEffect = unsure || facts.effects.some((effect) => changes(effect, ruleInput));
    const readsOnly = shell && onlyReads(facts);
    const writes = shell ? writesOf(facts) : null;
    return {
      facts: {
        ...recordOf(facts),
        ...(readsOnly ? { reads_only: true } : {}),
        class: classOf(findings, sideEffect),
      },
      learned: { command: facts, readsOnly, ...(writes === null ? {} : { writes }) },
      findings,
      sideEffect,
      runs: () => filesRun(facts, pathScope),
    };
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    // Being too long to judge is no crime; it is only never a pass.
    return { facts: { overrun: true }, findings: [overrunFinding(ruleInputOf(noFacts))], sideEffect: true };
  }
}

/** The code of an action, and where it would run. */
function codeOf(
  action: ActionOf<CommandKind>,
  { context: { workspace }, world: { home = null } }: Pick<CommandInput, 'context' | 'world'>,
): Code {
  return {
    kind: action.kind,
    source: action.kind === 'shell' ? action.command : action.source,
    cwd: folderOf(action.cwd, workspace),
    home,
  };
}

/** The absolute folder that the action starts in. */
function folderOf(cwd: string | undefined, workspace: string): string {
  if (cwd === undefined) return workspace;
  return cwd.startsWith('/') ? cwd : `${workspace}/${cwd}`;
}

/** The port that the daemon of this home wrote down; null where none runs. */
function daemonPortIn(world: CommandInput['world']): number | null {
  for (const home of world.ownHome ?? []) {
    try {
      const port = /"port"\s*:\s*(\d{1,5})\b/.exec(world.readText(`${home}/run/daemon.json`) ?? '')?.[1];
      if (port !== undefined) return Number(port);
    } catch {
      // What cannot be read tells nothing.
    }
  }
  return null;
}

const mostNames = 32;

/** What records may hold: names of programs and numbers of effects, nothing of their arguments. */
function recordOf({ effects, invocations, unknowns, errors }: Facts): Judgement['facts'] {
  const counts: Partial<Record<EffectKind, number>> = {};
  for (const { kind } of effects) counts[kind] = (counts[kind] ?? 0) + 1;
  return {
    programs: programsIn({ invocations }).slice(0, mostNames),
    effects: counts,
    unknowns: unknowns.length,
    errors: errors.length,
  };
}

// ── The command guard as the one path has it: what reads code is loaded with the first command, and long code is
// followed where the search can be stopped.

export const commandGuard: Guard<CommandKind, Settings> = {
  name: 'command',
  kinds: ['shell', 'python'],
  rules: allRules,
  check: (action, input) => loading((loader) => judgeWith(loader, action, input)),
};

/** Beyond so many UTF-16 units the look before parsing refuses at once, so that no thread is needed. */
const longest = 65_536;

// Kept, since even an import that is done already costs as much as judging a short command.
const loading = lazily(() => import('./load.ts'));

async function judgeWith(
  loader: typeof import('./load.ts'),
  action: ActionOf<CommandKind>,
  input: GuardInput<Settings>,
): Promise<Judgement<CommandKind>> {
  const code = codeOf(action, input);
  const plain = input.observe === undefined && input.settings.command.rules.length === 0;
  const extras = plain ? undefined : await extrasFor(input);
  if (loader.isShort(code) || code.source.length > longest) {
    const analyses = loader.analysesFor(code) ?? (await loader.loadAnalyses(code, input.world.readers));
    return withParts(() => judgeCommand({ ...analyses, ...extras }, action, input));
  }
  const followed = await followedIsolated(code, input);
  const { isKnown } = loader.shellAlone;
  const judging = { shell: followed, python: followed, isKnown, ...extras };
  return withParts(() => judgeCommand(judging, action, input));
}

/** What most commands do without, and so do not load: rules of the user's own, and a person who looks on. */
async function extrasFor({
  settings: { command },
  observe,
}: GuardInput<Settings>): Promise<Pick<Judging, 'own' | 'view'>> {
  const user = command.rules.length > 0 ? await import('./rules/user.ts') : null;
  const view = observe === undefined ? null : await import('./view.ts');
  return {
    ...(user === null ? {} : { own: (ruleInput) => user.userFindings(command.rules, ruleInput) }),
    ...(view === null ? {} : { view: view.viewOf }),
  };
}

async function followedIsolated(code: Code, { world }: GuardInput<Settings>): Promise<Analyse> {
  const facts = await world.followIsolated?.(code);
  if (isFacts(facts)) return () => facts;
  return () => {
    throw new BudgetExceeded('the code is too long to be followed in time');
  };
}

/** What comes from a thread is the guard's own, or nothing. */
function isFacts(value: unknown): value is Facts {
  if (typeof value !== 'object' || value === null) return false;
  const lists: Partial<Record<keyof Facts, unknown>> = value;
  return [lists.effects, lists.invocations, lists.unknowns, lists.errors].every(Array.isArray);
}

// The command guard: judges what shell commands and Python programs would do, where, and with which commands. Python and
// JavaScript are loaded with the first command that shows a sign of them, and long code is followed where the search can be stopped.

import type { Settings } from '../../config/settings.ts';
import { listIn, portUsesIn, processesIn, realPathIn } from '../../core/guard.ts';
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
  inSession,
  isPending,
  type Judgement,
  programsIn,
  type Readers,
} from '../../core/index.ts';
import { asWarning, canWait, notAside } from './aside.ts';
import { analyseShell } from './bash/evaluate.ts';
import { isExecutor } from './bash/shell/tools.ts';
import type { Analyse, AnalysisEnvironment, EffectKind, Facts, Invocation, Languages } from './effects.ts';
import { withParts } from './need.ts';
import { filesPublished, statePublished } from './published.ts';
import { overrunFinding } from './rules/commands.ts';
import { allRules, changes, judgeRules, strongestOf } from './rules/index.ts';
import type { RuleInput } from './rules/rule.ts';
import { scriptFindings } from './rules/scripts.ts';
import { filesRun } from './runs.ts';
import { mayRunFiles } from './scripts/found.ts';
import type { Script } from './scripts/read.ts';
import { startedBy } from './started.ts';
import { effectsOf, isKnownProgram } from './tools/index.ts';
import { isWithin, type PathScope } from './where.ts';

// ── Puts the languages together: shell, Python and JavaScript call one another's analyses for code inside code.

/** The analysis of one language beside the shell; code inside that code goes to the others. */
type Foreign = (source: string, around: AnalysisEnvironment, languages: Languages) => Facts;

/** The other languages that are loaded; null: code in that language cannot be read now, and is asked for. */
interface Loaded {
  readonly python: Foreign | null;
  readonly javascript: Foreign | null;
}

/** The analyses that the guard is made of. */
interface Analyses {
  readonly shell: Analyse;
  readonly python: Analyse;
  readonly isKnown: (program: string) => boolean;
}

/** Makes the analyses, each of which hands code inside its code to the others. */
export function createAnalyses({ python, javascript }: Loaded): Analyses {
  const languages: Languages = {
    shell: (text, around) => analyseShell(text, around, languages, effectsOf),
    python: (text, around) => python?.(text, around, languages) ?? null,
    javascript: (text, around) => javascript?.(text, around, languages) ?? null,
  };
  return {
    shell: languages.shell,
    python: (source, around) => languages.python(source, around) ?? unread,
    isKnown: (program) => isKnownProgram(program) || isExecutor(program),
  };
}

const unread: Facts = {
  effects: [],
  invocations: [],
  unknowns: [],
  errors: ['what reads this language is not installed (sallyport doctor names it)'],
};

// ── Loads what a piece of code needs to be read: the shell always, Python and JavaScript with their parsers.

// Kept, since even an import that is done already costs as much as judging a short command.
let pythonCode: typeof import('./python/index.ts') | undefined;
let javascriptCode: typeof import('./javascript/index.ts') | undefined;

/** The analyses without any other language. */
export const shellAlone: Analyses = createAnalyses({ python: null, javascript: null });

type Text = Pick<Code, 'kind' | 'source'>;

const showsPython = ({ kind, source }: Text) => kind === 'python' || /py/i.test(source);
const showsJavascript = ({ kind, source }: Text) => kind === 'shell' && /node|deno|bun|npx/i.test(source);

/** The analyses that the code may need, where nothing has to be loaded for it. */
export function analysesFor(code: Text): Analyses | null {
  return showsPython(code) || showsJavascript(code) ? null : shellAlone;
}

/** The analyses that the code may need; a language of which it shows no sign stays unloaded. */
export async function loadAnalyses(code: Text, readers: Readers | undefined): Promise<Analyses> {
  return createAnalyses({
    python: showsPython(code) ? await loadPython(readers) : null,
    javascript: showsJavascript(code) ? await loadJavascript(readers) : null,
  });
}

/** Longest code that is followed on the spot, in UTF-16 units: the worst that is known takes less than 50 ms. */
export const shortShell = 16_384;
/** A character of another language may cost more: each statement may hold a script of its own. */
const shortForeign = 4096;

/** Whether the code may be followed on the spot. */
export function isShort(code: Text): boolean {
  const { length } = code.source;
  return length <= shortForeign || (length <= shortShell && !showsPython(code) && !showsJavascript(code));
}

async function loadPython(readers: Readers | undefined): Promise<Foreign | null> {
  const parse = await readers?.python();
  if (parse === null || parse === undefined) return null;
  pythonCode ??= await import('./python/index.ts');
  const { analysePython } = pythonCode;
  return (source, around, others) => analysePython(source, around, others, parse);
}

async function loadJavascript(readers: Readers | undefined): Promise<Foreign | null> {
  const parse = await readers?.javascript();
  if (parse === null || parse === undefined) return null;
  javascriptCode ??= await import('./javascript/index.ts');
  const { analyseJavascript } = javascriptCode;
  return (source, around, others) => analyseJavascript(source, around, others, parse);
}

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
  /** Folders of the workspace that this session made, among those that the code deletes. */
  readonly made?: ReadonlySet<string>;
  /** The processes that this session started; absent where the code signals none. */
  readonly started?: ReadonlySet<number>;
  /** What is in the files that the code runs; absent where it runs none. */
  readonly scripts?: readonly Script[];
}

/** Steps that the rules may take on top of the analysis. */
const stepsOfJudging = 100_000;

const noFacts: Facts = { effects: [], invocations: [], unknowns: [], errors: [] };

/** Who wrote the code that was read at a path or below it: an agent only where all of it is an agent's. */
function authorAt(path: string, scripts: readonly Script[]): Script['author'] | null {
  const own = scripts.filter((script) => isWithin(script.path, path));
  if (own.length === 0) return null;
  return own.every(({ author }) => author === 'agent') ? 'agent' : 'user';
}

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
  const { rules: _, ...programs } = settings.command;
  const ownNames = new Set(programs.programs?.map(({ name }) => name));
  // What a spent budget left of the facts is still judged: it may hold what must be refused.
  const own = new Budget(stepsOfJudging);
  const pathScope = pathScopeOf({ source, cwd, home }, input, (steps) => own.spend(steps));
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
    isKnown: (program) => judging.isKnown?.(program) === true || ownNames.has(program),
    processes: () => processesIn(world),
    portUses: () => portUsesIn(world),
    isAnswered: (effect) => input.granted(`${inSession}${effect}`),
    isStarted: (pid) => judging.started?.has(pid) === true,
    daemonPort: () => daemonPortIn(world),
    standing: (path) => world.look(path)?.type ?? null,
    read: (path) => textIn(world, absoluteIn(cwd, path)),
    archive: (path) => world.namesInArchive?.(absoluteIn(cwd, path)) ?? [],
    allowedWrites: settings.write.allowedPaths,
    restorable: () => world.restorable?.(context.workspace) === true,
    isMade: (path) => judging.made?.has(path) === true,
    authorOf: (path) => authorAt(path, judging.scripts ?? []),
    places: new Map(),
  });
  try {
    const analyse = shell ? judging.shell : judging.python;
    const facts = analyse(source, { cwd, home, spend, ...programs });
    const ruleInput = ruleInputOf(facts);
    const { scripts = [] } = judging;
    const typed = judgeRules(ruleInput, judging.own);
    const judged =
      scripts.length === 0
        ? typed
        : strongestOf([...typed, ...scriptFindings(scripts, ruleInput, judgeRules)]);
    const cannot = shell ? asideProblem(ruleInput, judged) : null;
    const isDeferred = shell && world.runsAside === true && cannot === null && canWait(judged, facts);
    const findings = isDeferred ? judged.map(asWarning) : judged;
    if (judging.view !== undefined) input.observe?.(judging.view(ruleInput));
    const unsure = facts.unknowns.length > 0 || facts.errors.length > 0;
    const sideEffect = unsure || facts.effects.some((effect) => changes(effect, ruleInput));
    const readsOnly = shell && onlyReads(facts);
    const writes = shell ? writesOf(facts) : null;
    return {
      facts: {
        ...recordOf(facts),
        ...(readsOnly ? { reads_only: true } : {}),
        ...(isDeferred ? { deferred: true } : {}),
        class: classOf(findings, sideEffect),
      },
      learned: {
        ...{ command: facts, readsOnly },
        ...(writes === null ? {} : { writes }),
        ...(cannot === null ? {} : { notAside: cannot }),
      },
      findings,
      sideEffect,
      runs: () => {
        const published = filesPublished(source, facts, pathScope, (path) => textIn(world, path));
        const read = scripts.map(({ path }) => path);
        const applied = statePublished(facts, cwd, world.look);
        return [...new Set([...filesRun(facts, pathScope), ...read, ...published, ...applied])].sort();
      },
    };
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    // Being too long to judge is no crime; it is only never a pass.
    return { facts: { overrun: true }, findings: [overrunFinding(ruleInputOf(noFacts))], sideEffect: true };
  }
}

/** Why a command cannot run aside; null where it can, and where it is blocked and does not run at all. */
function asideProblem(ruleInput: RuleInput, judged: readonly Finding[]): ReturnType<typeof notAside> {
  return judged.some(({ decision }) => decision === 'block') ? null : notAside(ruleInput);
}

/** What the paths of an action are measured against. */
function pathScopeOf(
  { source, cwd, home }: Pick<Code, 'source' | 'cwd' | 'home'>,
  { context, settings, world }: Pick<CommandInput, 'context' | 'settings' | 'world'>,
  spend: (steps: number) => void,
): PathScope {
  return {
    cwd,
    workspace: context.workspace,
    home,
    allowed: settings.write.allowedPaths.filter((path) => path.startsWith('/')),
    realPath: (path) => realPathIn(world, path),
    ...(world.list === undefined ? {} : { list: (folder) => listIn(world, folder) }),
    own: world.ownHome ?? [],
    globbing: { dots: /dotglob|glob_?dots/i.test(source), anyCase: /no_?case_?glob/i.test(source) },
    spend,
  };
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

function absoluteIn(cwd: string, path: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

/** The text of a file; null where there is none, or none that can be read. */
function textIn(world: CommandInput['world'], path: string): string | null {
  try {
    return world.readText(path);
  } catch {
    return null;
  }
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

// ── Whether code only reads, for certain. The command guard takes what a project's own tools do (a build, a test) for
// harmless; whether it can be undone is another question, and here whatever is not known to read changes something.

/** Effects that leave files as they are. */
const harmless: ReadonlySet<string> = new Set(['read', 'secret', 'inert', 'connect']);

/** Programs that change no file, whatever they are told, unless one of their options is refused below. */
const readers: ReadonlySet<string> = new Set([
  ...[
    '[',
    'basename',
    'cat',
    'cd',
    'cmp',
    'comm',
    'cut',
    'df',
    'diff',
    'dirname',
    'du',
    'echo',
    'egrep',
    'false',
  ],
  ...['fgrep', 'find', 'git', 'grep', 'head', 'id', 'jq', 'ls', 'md5sum', 'nl', 'od', 'printf', 'ps', 'pwd'],
  ...['readlink', 'realpath', 'rg', 'sha1sum', 'sha256sum', 'sha512sum', 'sleep', 'stat', 'tail', 'test'],
  ...['tr', 'true', 'uname', 'wc', 'which', 'whoami'],
]);

const gitReads: ReadonlySet<string> = new Set([
  ...['blame', 'describe', 'diff', 'log', 'ls-files', 'ls-tree', 'rev-parse', 'shortlog', 'show', 'status'],
]);

/** Options that make a reader write a file, set a variable or start another program. */
const refused: Readonly<Record<string, RegExp>> = {
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  // Git takes any beginning of --output.
  git: /^--(?:o(?!neline$|thers$)|ext-diff|textconv)/,
  printf: /^-v/,
  rg: /^--(?:pre|hostname-bin)/,
};

/** Whether a command is certain to change nothing. */
export function onlyReads({ effects, invocations, unknowns, errors }: Facts): boolean {
  if (unknowns.length > 0 || errors.length > 0) return false;
  return effects.every(({ kind }) => harmless.has(kind)) && invocations.every(reads);
}

/** Programs that change what their effects name, and nothing else. */
const writers: ReadonlySet<string> = new Set(['cp', 'mkdir', 'rm', 'rmdir', 'tee', 'touch', 'truncate']);
const changing: ReadonlySet<string> = new Set(['write', 'delete']);

/** All paths that a command changes, where that is certain; null where it is not. */
export function writesOf({ effects, invocations, unknowns, errors }: Facts): readonly string[] | null {
  if (unknowns.length > 0 || errors.length > 0) return null;
  if (!invocations.every((invocation) => reads(invocation) || isAt(invocation, writers))) return null;
  const changes = effects.filter(({ kind }) => !harmless.has(kind));
  const paths = changes.flatMap(({ kind, target }) =>
    changing.has(kind) && target.kind === 'path' && target.glob !== true && target.path.kind === 'literal'
      ? [target.path.text]
      : [],
  );
  return paths.length === changes.length && paths.length > 0 ? paths : null;
}

/** Whether a program is one of some, and not another one of that name. */
function isAt(
  { program, given, environment }: Pick<Invocation, 'program' | 'given' | 'environment'>,
  some: ReadonlySet<string>,
): boolean {
  if (program === null || !some.has(program) || environment === 'changed') return false;
  const places = [program, `/bin/${program}`, `/usr/bin/${program}`];
  return given.kind === 'literal' && places.includes(given.text);
}

/** Whether a program that is started is one of the readers, and not another one of that name. */
function reads(invocation: Invocation): boolean {
  const { program, args } = invocation;
  if (program === null || !isAt(invocation, readers)) return false;
  const option = refused[program];
  if (option === undefined) return true;
  const words = args.map((arg) => (arg.kind === 'literal' ? arg.text : null));
  if (program === 'git' && !gitReads.has(words[0] ?? '')) return false;
  return words.every((word) => word !== null && !option.test(word));
}

// ── the guard

export const commandGuard: Guard<CommandKind, Settings> = {
  name: 'command',
  kinds: ['shell', 'python'],
  rules: allRules,
  check: judgeRead,
};

/** Beyond so many UTF-16 units the look before parsing refuses at once, so that no thread is needed. */
const longest = 65_536;

/** Judges a command once what reads it is loaded. */
async function judgeRead(
  action: ActionOf<CommandKind>,
  input: GuardInput<Settings>,
): Promise<Judgement<CommandKind>> {
  const code = codeOf(action, input);
  const plain = input.observe === undefined && input.settings.command.rules.length === 0;
  const extras = plain ? undefined : await extrasFor(input);
  if (isShort(code) || code.source.length > longest) {
    const analyses = analysesFor(code) ?? (await loadAnalyses(code, input.world.readers));
    const read = await withScripts(analyses, code, input);
    return withParts(() => judgeCommand({ ...analyses, ...read, ...extras }, action, input));
  }
  const followed = await followedIsolated(code, input);
  const { isKnown } = shellAlone;
  const read = await withScripts({ shell: followed, python: followed, isKnown }, code, input);
  const judging = { shell: followed, python: followed, isKnown, ...read, ...extras };
  return withParts(() => judgeCommand(judging, action, input));
}

/** Whether code deletes folders with all that is in them, which no rebuild makes again. */
function deletesFolders({ effects }: Facts): boolean {
  return effects.some(
    ({ kind, recursive, reversible }) => kind === 'delete' && recursive === true && reversible !== true,
  );
}

/** The facts of code that runs files, and what is in them; nothing where it runs none, or is too long to be followed. */
async function withScripts(
  analyses: Analyses,
  code: Code,
  { context, world, budget, settings }: CommandInput,
): Promise<Partial<Pick<Judging, 'shell' | 'python' | 'scripts' | 'made' | 'started'>>> {
  const { cwd, home } = code;
  const { rules: _, ...programs } = settings.command;
  const analyse = (by: Analyses, { kind, source }: Text, around: AnalysisEnvironment) =>
    withParts(() => (kind === 'shell' ? by.shell : by.python)(source, { ...around, ...programs }));
  try {
    const found = analyse(analyses, code, { cwd, home, spend: (steps) => budget.spend(steps) });
    const facts = isPending(found) ? await found : found;
    const pathScope = pathScopeOf(code, { context, settings, world }, () => undefined);
    const made = deletesFolders(facts)
      ? await (await import('./made.ts')).madeAmong(facts, pathScope, world, context)
      : undefined;
    const started = facts.effects.some(({ kind }) => kind === 'signal')
      ? await startedBy(world, context)
      : undefined;
    const known = {
      ...{ shell: () => facts, python: () => facts },
      ...(made === undefined ? {} : { made }),
      ...(started === undefined ? {} : { started }),
    };
    if (!mayRunFiles(facts)) return known;
    const { scriptsRunBy } = await import('./scripts/read.ts');
    const scripts = await scriptsRunBy(facts, {
      ...{ cwd, home, world },
      writtenByAgents: world.writtenByAgents && ((texts) => world.writtenByAgents?.(texts, context) ?? []),
      analyse: async ({ language, source }, around) => {
        const text: Code = { kind: language, source, cwd: around.cwd, home };
        if (!isShort(text)) return (await followedIsolated(text, { world }))(source, around);
        return await analyse(analysesFor(text) ?? (await loadAnalyses(text, world.readers)), text, around);
      },
    });
    return { ...known, scripts };
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return {
      shell: () => {
        throw error;
      },
      python: () => {
        throw error;
      },
    };
  }
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

async function followedIsolated(code: Code, { world }: Pick<CommandInput, 'world'>): Promise<Analyse> {
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

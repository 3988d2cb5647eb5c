// The interface of a guard: a pure judge of actions of some kinds. It accesses the world only through its input.

import type { ActionOf, Kind } from './action.ts';
import type { Database, DatabaseSource } from './database.ts';
import type { CommandFacts, CommandView } from './effect.ts';
import { BudgetExceeded } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Origins, TextSource } from './origin.ts';
import type { MaybePromise } from './ready.ts';
import type { Standing } from './standing.ts';
import type { Symbols } from './symbols.ts';
import type { Code, Readers } from './syntax.ts';
import type { Telemetry } from './telemetry.ts';
import type { Schemas } from './tool.ts';
import type { Extraction, Upload } from './upload.ts';
import type { Context, EffectClass, Facts, Finding, Rule } from './verdict.ts';

/** All of the world that a guard may see. */
export interface World {
  /** Milliseconds since 1970. */
  now(): number;
  /** The addresses of a name; an empty list if the name does not exist; throws if that cannot be known now. */
  resolve(name: string): Promise<readonly string[]>;
  /** The real path of something that exists, or null; throws where that cannot be known: a loop, a closed folder. */
  realPath(path: string): string | null;
  /**
   * The entries of a folder: empty if there is no such folder, null if they are unknown or too many to search. Absent
   * if this world cannot read folders.
   */
  list?(folder: string): readonly Listed[] | null;
  /** The text of a file, or null if there is none. */
  readText(path: string): string | null;
  /** The text of a source's schema, which may be large; without it `readText` is asked. */
  schemaText?(path: string): string | null;
  /** The database of a source, where it can be asked about itself; absent or null if it cannot. */
  database?(source: DatabaseSource): Database | null;
  /**
   * The names in an archive, as far as they can be listed without unpacking it; absent if this world cannot list them.
   */
  namesInArchive?(path: string): readonly string[];
  /**
   * Which of some texts agents wrote, in any session and under any name, and no user accepted since; absent if that is
   * not recorded.
   */
  writtenByAgents?(texts: readonly string[], context: Context): MaybePromise<readonly boolean[]>;
  /**
   * Whether this session made every one of some files, by paths relative to the workspace, and agents wrote their
   * current content; absent if that is not recorded.
   */
  madeBySession?(
    files: readonly { readonly path: string; readonly text: string }[],
    context: Context,
  ): MaybePromise<boolean>;
  /** The entry at a path, a link itself and not its target; null if there is none. */
  look(path: string): Standing | null;
  /** The home of the user that agents run as, by its real path; absent or null if it is not known. */
  readonly home?: string | null;
  /** The folder with this guard's own keys, records and settings: as it is named, and by its real path. */
  readonly ownHome?: readonly string[];
  /** The running processes; null if unknown. Absent if this world cannot list them. */
  processes?(): readonly RunningProcess[] | null;
  /** The processes of this user that have ports open; null if unknown. Absent if this world cannot list them. */
  portUses?(): readonly PortUse[] | null;
  /** Which of some processes calls of this session started; absent where that is not recorded. */
  startedBySession?(processes: readonly RunningProcess[], context: Context): MaybePromise<readonly boolean[]>;
  /** Readers of other languages' code. */
  readonly readers?: Readers;
  /** Compiles the schemas of tools. */
  readonly schemas?: Schemas;
  /** The command guard's facts of long code, found where the search can be stopped; null: it was stopped, or failed. */
  followIsolated?(code: Code): Promise<unknown>;
  /** The data that another thread needs to see the same world, for long actions; absent if that is not possible. */
  readonly isolation?: { readonly symbols?: string; readonly ownHome?: string };
  /** Lets everything else that waits have its turn; absent where nothing does. */
  turn?(): Promise<void>;
  /** The symbols that the workspace's files export to one another. */
  readonly symbols?: Symbols;
  /** Whether all changes in a workspace can be reverted; absent if that was not checked. */
  restorable?(workspace: string): boolean;
  /** The entries of a workspace that cannot be restored, each in a few words, if known. */
  unkept?(workspace: string): readonly string[];
  /** The command's changes are judged before they are applied: questions about files of the workspace wait for that. */
  readonly runsAside?: true;
  /** Unreviewed changes of protected files that calls of this session made without naming them. */
  unreviewed?(context: Context): MaybePromise<readonly Unreviewed[]>;
  /**
   * The content of a gzip, as far as it is complete and up to a limit; undefined if it is not one. Absent if this world
   * does not unpack.
   */
  gunzip?(bytes: Uint8Array): Uint8Array | undefined;
  /**
   * A digest of the data that a command would publish: `file /path`, `tree /path` with all files below it, or `image
   * NAME` of this machine; null if there is none. Absent if this world cannot compute it.
   */
  stateOf?(name: string): string | null;
  /** The texts of an upload, read where the reading can be stopped. INVARIANT: never throws. */
  extract?(upload: Upload): Promise<Extraction>;
  /** Asks a judge model which guideline a text violates; null for none. Throws if it gives no valid answer. */
  classify?(question: Question): Promise<string | null>;
  /** Asks the user's own judge how surely a text is an attack. Throws where it gives no answer that counts, or none in time. */
  opinion?(question: InputQuestion): Promise<Opinion>;
  /** Receives events and their durations; absent if telemetry is disabled. No guard reports anything itself. */
  readonly telemetry?: Telemetry;
}

/** An unreviewed change of a protected file. */
export interface Unreviewed {
  readonly path: string;
  /** The role of the file. */
  readonly what: string;
  /** The difference, in lines. */
  readonly diff: string;
}

/** The query to a judge model. */
export interface Question {
  /** Whom to ask: a provider of the configuration, and its model. */
  readonly judge: { readonly provider: string; readonly model: string; readonly timeoutMs: number };
  readonly guidelines: readonly { readonly name: string; readonly reason: string }[];
  readonly text: string;
}

/** The query to a user-defined judge about a text for the model. */
export interface InputQuestion {
  readonly text: string;
  readonly origin: string;
  /** The tool that gave it, or the name of the file. */
  readonly name?: string;
  readonly judge: {
    readonly command?: readonly string[] | undefined;
    readonly url?: string | undefined;
    readonly timeout_ms: number;
  };
}

/** Its answer: the probability from 0 to 1 that the text is an attack, and its label. */
export interface Opinion {
  readonly score: number;
  readonly label: string;
}

/** One name in a folder. */
export interface Listed {
  readonly name: string;
  /** Whether it is a link, so that it may lead anywhere. */
  readonly link: boolean;
}

/** How a guard asks whether an effect was answered with yes earlier in the session: the effect behind this. */
export const inSession = 'in session ';

/** A process that runs. */
export interface RunningProcess {
  readonly pid: number;
  /** The name of its program. */
  readonly name: string;
  /** Its program and arguments, as one line. */
  readonly line: string;
  /** Whether it runs as the same user as agents do. */
  readonly own: boolean;
  /** Whether it is a process of this guard. */
  readonly guard: boolean;
  /** The process that started it, and when, as one name of this moment of this machine; absent where that is not known. */
  readonly parent?: number;
  readonly born?: string;
  /** The folder that it works in; absent where that is not known. */
  readonly folder?: string;
}

/** A process that has a port open: it listens for connections there, or has one from or to it. */
export interface PortUse {
  readonly pid: number;
  readonly port: number;
  readonly listens: boolean;
}

/** The input of a guard beside the action. `Settings` is the effective configuration for this context. */
export interface GuardInput<Settings> {
  readonly context: Context;
  readonly settings: Settings;
  readonly world: World;
  readonly budget: Budget;
  /** Whether this effect was approved; the check then continues after it. */
  readonly granted: (effect: string) => boolean;
  /** Receives the guard's readings, with all arguments, for a user who watches; they are never recorded. */
  readonly observe?: (view: CommandView) => void;
  /** The texts that the session read; null or absent if there are none. */
  readonly origins?: Origins | null;
  /** The matches of user-defined rules in a text; absent if there are none. */
  readonly find?: (text: string) => readonly Found[];
  /** The actions inside this one, as their own guards judged them; none if there are none. */
  readonly parts?: readonly JudgedPart[];
}

/** Something that a text holds, by UTF-16 offsets. */
export interface Found {
  readonly rule: string;
  /** The label in its placeholder. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * What a guard learned of an action, for the guard of the action around it. It may hold the payload, so records hold
 * `Facts` instead.
 */
export interface Learned {
  /** The effects of code. */
  readonly command?: CommandFacts;
  /** Whether code is certain to change nothing. */
  readonly readsOnly?: boolean;
  /** All paths that code changes, where that is certain: absolute, or from the folder that it runs in. */
  readonly writes?: readonly string[];
  /** Why a command cannot run on an overlay: it starts processes that outlive it, or works on files elsewhere. */
  readonly notAside?: 'lives on' | 'machine' | 'elsewhere';
  /** Whether a write is one of the host's own plans and memories. */
  readonly notes?: boolean;
  /** The class of a tool call; absent where it was refused before it was understood. */
  readonly class?: EffectClass;
}

/** An action inside another, judged. */
export interface JudgedPart {
  /** Its position in the outer action. */
  readonly pointer: string;
  readonly action: ActionOf<Kind>;
  readonly learned: Learned;
  /** Its own, and those of what is inside it. */
  readonly findings: readonly Finding[];
  readonly sideEffect: boolean;
}

/** Something that happened and is recorded by its own name, whatever the verdict. */
export interface GuardEvent {
  readonly type: 'cross_tenant' | 'jailbreak_attempt';
  /** Names and numbers; of an attack on the model its text too, which the record holds redacted. */
  readonly details: JsonObject;
}

/** A guard's result for an action. */
export interface Judgement<K extends Kind = Kind> {
  readonly facts: Facts;
  readonly learned?: Learned;
  readonly findings: readonly Finding[];
  /** Whether the action changes something when it runs; its record must then be safe on disk first. */
  readonly sideEffect: boolean;
  /** The action as rewritten by the guard. */
  readonly rewritten?: ActionOf<K>;
  /** The action as an approval is bound to it, where wording that may vary has to be left out. */
  readonly binding?: ActionOf<K>;
  readonly events?: readonly GuardEvent[];
  /** Texts of others that were read out of it, for the session to know. */
  readonly texts?: readonly { readonly text: string; readonly source: TextSource }[];
  /** Absolute paths of files that it would execute, worked out when asked: an approval is for what they hold now. */
  readonly runs?: () => readonly string[];
}

/** A place in an action: a JSON Pointer, and UTF-16 offsets in the text there, where those are known. */
export interface Spot {
  readonly pointer: string;
  readonly span?: readonly [number, number] | undefined;
}

/** A child action of an action, and the way to merge its rewritten form. */
export interface Child<K extends Kind> {
  readonly pointer: string;
  /** Maps a position in the child action to the whole; without it, appended to the child's own pointer. */
  readonly place?: (spot: Spot) => Spot;
  readonly action: ActionOf<Kind>;
  /** The severity of a finding about the child action in the whole, if it differs. */
  readonly weigh?: (finding: Finding) => Finding;
  readonly replace: (parent: ActionOf<K>, rewritten: ActionOf<Kind>) => ActionOf<K>;
}

/** A guard's result for a chunk of a stream. */
export interface StreamStep {
  /** The text that may be shown now. */
  readonly emit: string;
  readonly findings: readonly Finding[];
  /** Actions inside what was taken, judged before anything of this step is shown. */
  readonly parts?: readonly Pick<Child<Kind>, 'action' | 'weigh'>[];
}

/** The part of a guard that reads text as it flows. */
export interface StreamGuard {
  /** Takes a piece; gives what may be shown now and what was found. */
  push(piece: string): MaybePromise<StreamStep>;
  /** The end of the text: gives the rest. */
  end(): MaybePromise<StreamStep>;
}

/** The facts about an action's context before it is judged. */
export type Circumstances<Settings> = Pick<GuardInput<Settings>, 'context' | 'settings' | 'budget' | 'world'>;

export interface Guard<K extends Kind, Settings, Reading = undefined> {
  readonly name: Rule['guard'];
  readonly kinds: readonly K[];
  readonly rules: readonly Rule[];
  /** Looks up once what `expand` and `check` are handed; pure. */
  read?(action: ActionOf<K>, input: Circumstances<Settings>): Reading;
  check(action: ActionOf<K>, input: GuardInput<Settings>, reading?: Reading): MaybePromise<Judgement<K>>;
  /** The actions inside an action; pure. */
  expand?(
    action: ActionOf<K>,
    input: Circumstances<Settings>,
    reading?: Reading,
  ): MaybePromise<readonly Child<K>[]>;
  /** Reads a stream; a guard without it sees the whole text at its end, and nothing is shown before. */
  stream?(kind: K, input: GuardInput<Settings>): MaybePromise<StreamGuard>;
}

// ── What a guard learned

const recordable = /^[\w.+-]{1,64}$/;

/** The names of the programs that code starts, sorted; a name that could hold something else is left out. */
export function programsIn({ invocations }: Pick<CommandFacts, 'invocations'>): readonly string[] {
  const names = invocations.flatMap(({ program }) =>
    program !== null && recordable.test(program) ? [program] : [],
  );
  return [...new Set(names)].sort();
}

// ── Questions to the world whose answer may be that it cannot be known.

/** The real path of the entry at a path; null if there is none, undefined if it cannot be determined. */
export function realPathIn(world: Pick<World, 'realPath'>, path: string): string | null | undefined {
  try {
    return world.realPath(path);
  } catch {
    return undefined;
  }
}

/** The entries of a folder; null if they cannot be determined. */
export function listIn(world: Pick<World, 'list'>, folder: string): readonly Listed[] | null {
  try {
    return world.list?.(folder) ?? null;
  } catch {
    return null;
  }
}

/** The processes that run; null if that cannot be known. */
export function processesIn(world: Pick<World, 'processes'>): readonly RunningProcess[] | null {
  try {
    return world.processes?.() ?? null;
  } catch {
    return null;
  }
}

/** The processes that have ports open; null if that cannot be known. */
export function portUsesIn(world: Pick<World, 'portUses'>): readonly PortUse[] | null {
  try {
    return world.portUses?.() ?? null;
  } catch {
    return null;
  }
}

// ── A budget of steps. Guards spend from it, so that hostile input ends in a refusal and not in a long wait.

export class Budget {
  #left: number;
  readonly #total: number;

  constructor(steps: number) {
    this.#left = steps;
    this.#total = steps;
  }

  /** Takes steps off the budget; throws `BudgetExceeded` when there are none left. */
  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetExceeded(`the check needed more than ${this.#total} steps`);
  }
}

// The words between an action and its effect: Decision, Context, Rule, Finding, Verdict, and what modes make of effects.

import type { Action, Mode } from './action.ts';
import type { Estimate } from './database.ts';
import type { JsonObject } from './json.ts';
import type { TextSource } from './origin.ts';
import type { Standing } from './standing.ts';
import type { Unchecked } from './symbols.ts';
import type { ToolSpec } from './tool.ts';
import type { Extraction } from './upload.ts';

// ── The ordered decision: pass < redact < approve < block. Merging takes the strongest.

export const decisions = ['pass', 'redact', 'approve', 'block'] as const;

/** The possible verdicts on an action. */
export type Decision = (typeof decisions)[number];

/** How a rule weighs: a decision, or `warn`, which shows and decides nothing. */
type Weight = Decision | 'warn';

const rank: Readonly<Record<Weight, number>> = { warn: 0, pass: 0, redact: 1, approve: 2, block: 3 };

/**
 * The stronger of two decisions.
 * INVARIANT: associative, commutative, idempotent, and never weaker than either side.
 */
export function stronger(a: Decision, b: Decision): Decision {
  return rank[a] >= rank[b] ? a : b;
}

/** Whether `a` is at least as strong as `b`. */
export function atLeast(a: Weight, b: Decision): boolean {
  return rank[a] >= rank[b];
}

/** The strongest decision of a list of weights; none, or only warnings, is `pass`. */
export function strongest(weights: Iterable<Weight>): Decision {
  let result: Decision = 'pass';
  for (const weight of weights) if (weight !== 'warn') result = stronger(result, weight);
  return result;
}

// ── The words between an action and its effect: Context, Rule, Finding, Verdict.

/** The requester and the place. From the authenticated session, never from the model. */
export interface Context {
  /** Empty without authentication. */
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  /** Whether the agent's name is only the caller's claim: its credential is bound to no agent. */
  readonly agentClaimed?: true;
  readonly session: string;
  /** Real path of the folder that the agent works in. */
  readonly workspace: string;
  /** Real path of the folder that the call is made in, if it differs; it may be outside the workspace. */
  readonly cwd?: string;
  /**
   * The agent host whose hook asks. Only the hooks surface sets it: such a host has its own tools, its own permission
   * rules and its own files, which no other surface has.
   */
  readonly host?: string;
  /**
   * Whether the call is sent to Sallyport's own gateway, which judges it itself. Only the hooks surface sets it, by the
   * host's and the user's own configuration of the server, and never by the server's name.
   */
  readonly gateway?: boolean;
  readonly mode: Mode;
}

/** The guards, in the order of the design's table of kinds. */
export const guardNames = [
  'prompt',
  'response',
  'tool',
  'command',
  'code',
  'query',
  'write',
  'symbols',
  'egress',
  'fetch',
] as const;

/** The author of a finding: a guard, the policy, or the request path itself if a check failed. */
type Finder = (typeof guardNames)[number] | 'policy' | 'path';

/** The surroundings that an example needs beside its action. */
export interface Given {
  /** Keys of the agent's section of the configuration. */
  readonly agent?: JsonObject;
  readonly mode?: Mode;
  /** The agent host whose hook asks. */
  readonly host?: string;
  /** The real path of the workspace, where that matters. */
  readonly workspace?: string;
  /** Tools that are registered beside those of the hosts. */
  readonly tools?: readonly ToolSpec[];
  /** Whether the requester is unknown. */
  readonly nobody?: boolean;
  /** False where the workspace holds more than snapshots keep. */
  readonly restorable?: boolean;
  /** The addresses of names; a name that is not listed does not exist. */
  readonly resolves?: Readonly<Record<string, readonly string[]>>;
  /** Keys of the section `[judge]`. */
  readonly judge?: JsonObject;
  /** Keys of the section `[write]`. */
  readonly write?: JsonObject;
  /** The section `[sources]`. */
  readonly sources?: JsonObject;
  /** The database's information for every source: its tables, and the cost of a statement. */
  readonly database?: { readonly schema: string; readonly estimate?: Estimate };
  /** Keys of the section `[packages]`. */
  readonly packages?: JsonObject;
  /** The entries of the workspace, by relative path: a text, or an entry that is not a plain file. */
  readonly files?: Readonly<
    Record<
      string,
      | string
      | {
          readonly type: Standing['type'];
          readonly links?: number;
          readonly device?: number;
          readonly setId?: boolean;
        }
    >
  >;
  /** The texts that are read out of an upload. */
  readonly extracted?: Extraction;
  /** The user's texts, and the texts of others that were read, before the action. */
  readonly heard?: string;
  readonly read?: readonly { readonly text: string; readonly source: TextSource }[];
}

/** One action that a rule must hit, or must not. */
export interface Example {
  readonly action: Action;
  readonly given?: Given;
}

/** A rule of one guard, with its own proof. */
export interface Rule {
  readonly id: string;
  readonly guard: Finder;
  readonly decision: Weight;
  /** Why, in one plain sentence. */
  readonly reason: string;
  /** The suggested alternative. */
  readonly suggestion?: string;
  /** The clause of the agent contract that it serves. */
  readonly contract?: string;
  /** Of a command rule: layer 1 to 3, the language that it is asked about, and the one agent. */
  readonly layer?: 1 | 2 | 3;
  readonly scope?: 'all' | 'bash' | 'python';
  readonly agent?: string;
  readonly examples: { readonly hit: readonly Example[]; readonly miss: readonly Example[] };
}

/** One rule's hit. */
export interface Finding {
  readonly rule: string;
  readonly guard: Finder;
  readonly decision: Weight;
  /** For people; holds no payload beyond names such as a host. */
  readonly message: string;
  readonly contract?: string;
  /** Layer 1 to 3 of a command finding. */
  readonly layer?: 1 | 2 | 3;
  /** The position in the action: a JSON Pointer, and UTF-16 offsets in the text there. */
  readonly pointer?: string;
  readonly span?: readonly [number, number];
  readonly suggestion?: string;
  readonly confidence?: number;
  /** The effect that a permission would have to name to lift this finding; absent if none may. */
  readonly grant?: string;
  /** Lines that the person must see to answer, and that the answer is bound to; never recorded. */
  readonly shows?: string;
}

/** A pending or given approval, as a verdict shows it. */
export interface ApprovalNotice {
  readonly id: string;
  readonly expiresAt: string;
  /** How to approve. */
  readonly how: string;
}

/** The outcome for one action. */
export interface Verdict {
  readonly decision: Decision;
  readonly findings: readonly Finding[];
  readonly explanation: string;
  /** The action as rewritten; this one runs, never the original. */
  readonly action: Action;
  readonly decisionId: string;
  readonly approval: ApprovalNotice | null;
  /** Written files whose references were not looked up; absent where there are none. */
  readonly unchecked?: readonly Unchecked[];
}

/** Facts about an action that records and policy may hold: names and numbers, no payload. */
export type Facts = JsonObject;

// ── The one table of permission modes: which effect passes, asks or is refused in which mode, once all guards are done.

/** Effects as modes see them, the weakest first. */
export const effectClasses = ['read', 'edit', 'run', 'sensitive', 'outward', 'destructive'] as const;

export type EffectClass = (typeof effectClasses)[number];

const table: Readonly<Record<EffectClass, Readonly<Record<Mode, Decision>>>> = {
  read: { default: 'pass', acceptEdits: 'pass', plan: 'pass', auto: 'pass' },
  /** A file of the workspace changes. */
  edit: { default: 'approve', acceptEdits: 'pass', plan: 'block', auto: 'pass' },
  /** Code runs whose effects are known and can be restored. */
  run: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'pass' },
  /** A manifest, a lock file or a dotfile changes, or a file that is not known. */
  sensitive: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
  /** These two are the closed list: no snapshot reaches them. */
  outward: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
  destructive: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
};

/** The verdict on an effect in a mode. */
export function modeDecision(effect: EffectClass, mode: Mode): Decision {
  return table[effect][mode];
}

/** The stronger of two classes. */
export function strongerClass(a: EffectClass, b: EffectClass): EffectClass {
  return effectClasses.indexOf(a) >= effectClasses.indexOf(b) ? a : b;
}

/** The closed list: the clauses of the contract about what cannot be undone, and their classes. */
export const closedList: ReadonlyMap<string, EffectClass> = new Map([
  ['AG-TOOL-3', 'outward'],
  ['AG-TOOL-4', 'destructive'],
]);

/** Whether a finding is about something on the closed list. */
export function isClosed({ contract = '' }: Pick<Finding, 'contract'>): boolean {
  return closedList.has(contract);
}

/** The class of an action that runs something, from what its guards found; the contract's clauses say which it is. */
export function classOf(findings: readonly Finding[], sideEffect: boolean): EffectClass {
  return findings
    .filter(({ decision }) => atLeast(decision, 'approve'))
    .map(({ contract = '' }) => closedList.get(contract) ?? 'read')
    .reduce(strongerClass, sideEffect ? 'run' : 'read');
}

/** The modes by the words that hosts have for them. */
export const hostModes: Readonly<Record<string, Mode>> = {
  default: 'default',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  auto: 'auto',
  // Hosts' names for the same. They skip the hosts' own questions; ours cannot be skipped by them.
  autoEdit: 'acceptEdits',
  auto_edit: 'acceptEdits',
  bypassPermissions: 'auto',
  dontAsk: 'auto',
  yolo: 'auto',
  YOLO: 'auto',
  'full-auto': 'auto',
};

/** The mode that a host's own word means; a word that is not known is `default`. */
export function modeFromHost(word: string): Mode {
  return (Object.hasOwn(hostModes, word) ? hostModes[word] : undefined) ?? 'default';
}

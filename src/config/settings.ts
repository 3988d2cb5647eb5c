// The settings in force for one agent in one workspace: what guards are handed.

import type { EffectKind } from '../core/effect.ts';
import type { Mode, ToolSpec } from '../core/index.ts';
import type { DetectionRule } from './detection.ts';
import type { PolicyStore, Source } from './sources.ts';

export const profiles = ['developer', 'strict'] as const;

/** How a guard treats what it does not know: `developer` asks, `strict` blocks. */
export type Profile = (typeof profiles)[number];

export const autonomies = ['manual', 'hybrid', 'autonomous'] as const;

/** How far agents go by themselves when they change files, the strictest first. */
export type Autonomy = (typeof autonomies)[number];

/** What `autonomous` may change by itself, in one run or in one day. */
export interface ChangeBudget {
  readonly files: number;
  readonly bytes: number;
  readonly costCents: number;
}

/** How proposed changes are reviewed and applied. */
export interface ChangeSettings {
  /** What becomes of hunks that nobody decided about when the rest is applied. */
  readonly undecided: 'reject' | 'accept';
  /** Nothing is written; what was accepted leaves a receipt. */
  readonly suggestOnly: boolean;
  readonly run: ChangeBudget;
  readonly day: ChangeBudget;
}

/** The rules of the contract that a guard can stand for. */
export const auditedRules = [
  ...(['AG-IN-1', 'AG-IN-2', 'AG-IN-4', 'AG-OUT-1', 'AG-OUT-2', 'AG-OUT-3', 'AG-OUT-4'] as const),
  ...(['AG-TOOL-1', 'AG-TOOL-2', 'AG-TOOL-3', 'AG-TOOL-4', 'AG-TOOL-5', 'AG-TOOL-6'] as const),
] as const;

/** A guard of the user's own, as the auditor knows it. */
export type AuditedGuard = {
  readonly name: string;
  readonly rules: readonly (typeof auditedRules)[number][];
  readonly throws?: boolean;
};

export const networks = ['off', 'host'] as const;

/** What a sandboxed command reaches: nothing, or all that this machine does. */
export type Network = (typeof networks)[number];

/** How commands are run; the user's own file alone says. */
export interface SandboxSettings {
  /** Where no sandbox can be made: true refuses, false asks a person for each command. */
  readonly required: boolean;
  readonly network: Network;
  readonly timeoutMs: number;
  /** Of each of the two outputs. */
  readonly maxOutputBytes: number;
  readonly maxProcesses: number;
  readonly maxMemoryMb: number;
  readonly maxFileMb: number;
  /** Absolute folders that can be read beside the system's. */
  readonly readPaths: readonly string[];
  /** Absolute folders that come first in PATH. */
  readonly path: readonly string[];
}

/** A rule of the user's own about destinations. */
export interface FetchRule {
  readonly id: string;
  /** A host pattern as in an allowlist. */
  readonly host: string;
  readonly decision: 'block' | 'approve' | 'warn';
  readonly reason: string;
  /** URLs that the rule must and must not hit; a rule whose examples fail does not load. */
  readonly examples: { readonly hit: readonly string[]; readonly miss: readonly string[] };
}

/** Something that no response may do. */
export interface Guideline {
  readonly name: string;
  /** What a response may not do, in one plain sentence. */
  readonly reason: string;
  /** What is said instead, where it has words of its own. */
  readonly refusal?: string;
  readonly phrases: readonly string[];
  /** Words that, in the same sentence, make a phrase harmless. */
  readonly unless: readonly string[];
  readonly patterns: readonly string[];
  /** Texts that it must and must not hit; one whose examples fail does not load. */
  readonly examples: { readonly hit: readonly string[]; readonly miss: readonly string[] };
}

/** A model that judges responses by the guidelines, beside the rules; the user's own file alone names it. */
export interface JudgeSettings {
  /** A provider under [llm]. */
  readonly provider: string;
  readonly model: string;
  readonly timeoutMs: number;
  /** How much of a stream is judged at once; so much is held. */
  readonly windowCharacters: number;
}

/** What no response may do, and what is said instead. */
export interface GuidelineSettings {
  readonly refusal: string;
  readonly judge: JudgeSettings | null;
  /** The user's own, beside those that are built in. */
  readonly own: readonly Guideline[];
}

/** What the user says about files that are written. */
export interface WriteSettings {
  /** Files and folders that nobody else writes, by their way from the workspace. */
  readonly blockedPaths: readonly string[];
  /** Patterns of such files: `*` within a name, `**` across names. */
  readonly blockedPatterns: readonly string[];
  /** Absolute folders beside the workspace, and protected files of it by their way from there. */
  readonly allowedPaths: readonly string[];
}

export const ruleScopes = ['all', 'bash', 'python'] as const;

/** What a command rule of the user's own looks at. */
export type RuleCondition =
  | { readonly is: 'pattern'; readonly pattern: string }
  | {
      readonly is: 'effect';
      readonly kind: EffectKind;
      readonly detail?: string;
      /** A pattern of paths, hosts or names. */
      readonly target?: string;
      readonly recursive?: boolean;
    }
  | {
      readonly is: 'command';
      readonly names: readonly string[];
      /** The words of the subcommand; none: any. */
      readonly subcommand: readonly string[];
      /** One of these; none: any. */
      readonly flags: readonly string[];
    };

/** A command rule of the user's own. */
export interface OwnRule {
  readonly id: string;
  readonly guard: 'command';
  readonly layer: 1 | 2 | 3;
  readonly decision: 'block' | 'approve' | 'warn';
  readonly reason: string;
  readonly suggestion?: string;
  readonly scope: (typeof ruleScopes)[number];
  /** Only commands of this agent. */
  readonly agent?: string;
  readonly when: RuleCondition;
  /** Commands that the rule must and must not hit; a rule whose examples fail does not load. */
  readonly examples: { readonly hit: readonly string[]; readonly miss: readonly string[] };
}

/** A file of policies as it was read. */
export interface PolicySource {
  /** The path as people see it. */
  readonly name: string;
  readonly text: string;
  /** It lies in the workspace, where agents write, so it may only forbid. */
  readonly workspace: boolean;
  /** The id of its only policy, where it is kept as one. */
  readonly id?: string;
  /** Made by us: what cannot be removed, or what the sources of the configuration allow. None: somebody wrote it. */
  readonly level?: 'baseline' | 'server';
}

export interface Settings {
  readonly profile: Profile;
  /** The mode of a session that names none. */
  readonly mode: Mode;
  /**
   * Where requests may go. A destination must be on every list: the first is the user's,
   * a further one is the workspace file's, which can only narrow. No list names nothing.
   */
  readonly egressAllowlists: readonly (readonly string[])[];
  readonly fetch: {
    readonly timeoutMs: number;
    readonly maxResponseBytes: number;
    readonly maxRedirects: number;
    readonly rules: readonly FetchRule[];
  };
  readonly auditor: {
    /** Guards that have other names than ours. */
    readonly guards: readonly AuditedGuard[];
  };
  readonly detect: {
    /** Files with rules of the user's own. */
    readonly packs: readonly string[];
  };
  readonly egress: {
    readonly rules: readonly DetectionRule[];
  };
  readonly prompt: {
    /** What happens to personal data and secrets in texts, and in files and pictures. */
    readonly piiText: 'redact' | 'reject';
    readonly piiFiles: 'redact' | 'reject';
    /** Scores from which an attack on the model is blocked, in the user's texts and in others', and told of. */
    readonly injectionBlock: number;
    readonly injectionBlockUntrusted: number;
    readonly injectionWarn: number;
  };
  readonly guidelines: GuidelineSettings;
  readonly write: WriteSettings;
  /** Files with the names of known packages; empty where there is none. */
  readonly packages: { readonly npm: string; readonly pypi: string };
  readonly command: {
    /** The user's own rules that are about this agent. */
    readonly rules: readonly OwnRule[];
  };
  /** The strictest that was said; null: what is proposed is reviewed, and other writes go by the mode alone. */
  readonly autonomy: Autonomy | null;
  readonly changes: ChangeSettings;
  readonly sandbox: SandboxSettings;
  readonly policy: {
    /** What happens to an action that no policy of the user's own speaks of. */
    readonly fallback: 'permit' | 'deny';
    readonly sources: readonly PolicySource[];
    /** Asked about queries too, where the configuration names one; its stamp is null where it could not be had. */
    readonly store?: PolicyStore & { readonly stamp: string | null };
  };
  /** Tools that are registered beside those of the hosts; the first of a name counts. */
  readonly tools: readonly ToolSpec[];
  /** Where queries may go. */
  readonly sources: readonly Source[];
  /** Arguments of any tool that hold a user's id: names, or JSON Pointers. */
  readonly userIdArguments: readonly string[];
  /** Changes whenever anything above does; approvals are bound to it. */
  readonly version: string;
}

// The effective settings for one agent in one workspace: the input of guards. Keys of the file are declared in
// sections/.

import type { ToolSpec } from '../core/index.ts';
import type { Infer } from '../core/shape.ts';
import type { OwnRule } from './command.ts';
import type { InForce } from './key.ts';
import type { OwnProgram } from './programs.ts';
import type { agent, prompt } from './sections/agents.ts';
import type { changes, dayBudget, egress, fetch, guidelines, runBudget, write } from './sections/guards.ts';
import type {
  auditor,
  detect,
  inputJudge,
  judge,
  packages,
  sandbox,
  transactionalShell,
} from './sections/machine.ts';
import type { PolicyStore, Source } from './sources.ts';

/** The changes that `autonomous` may apply by itself, in one run or in one day. */
export type ChangeBudget = InForce<typeof runBudget>;

/** How proposed changes are reviewed and applied. */
export interface ChangeSettings extends InForce<typeof changes> {
  readonly run: ChangeBudget;
  readonly day: InForce<typeof dayBudget>;
}

/** The judges of texts for the model, beside the rules. */
export type InputJudge = Infer<typeof inputJudge>;

/** How commands are run; set only by the user's own file. */
export type SandboxSettings = InForce<typeof sandbox>;

/** The limits for every response, and the text that replaces it. */
export interface GuidelineSettings extends InForce<typeof guidelines> {
  /** A model that judges responses by the guidelines, beside the rules; the user's own file alone names it. */
  readonly judge: InForce<typeof judge> | null;
}

/** The user's settings for files that are written. */
export type WriteSettings = InForce<typeof write>;

/** A file of policies as it was read. */
export interface PolicySource {
  /** The path as people see it. */
  readonly name: string;
  readonly text: string;
  /** It is in the workspace, where agents write, so it may only forbid. */
  readonly workspace: boolean;
  /** The id of its only policy, if it is stored as one. */
  readonly id?: string;
  /** Made by us: policies that cannot be removed, or that the sources of the configuration allow. None: a user wrote it. */
  readonly level?: 'baseline' | 'server';
}

export interface Settings extends InForce<typeof agent> {
  readonly fetch: InForce<typeof fetch>;
  readonly auditor: InForce<typeof auditor>;
  readonly detect: InForce<typeof detect>;
  readonly egress: InForce<typeof egress>;
  readonly prompt: InForce<typeof prompt> & {
    /** The judges of texts beside the rules; named only by the user's own file. */
    readonly judge: InputJudge | null;
  };
  readonly guidelines: GuidelineSettings;
  readonly write: WriteSettings;
  readonly packages: InForce<typeof packages>;
  readonly command: {
    /** The user's own rules that are about this agent. */
    readonly rules: readonly OwnRule[];
    /** The effects of programs by user-defined cards; absent if there are none. */
    readonly programs?: readonly OwnProgram[];
  };
  readonly changes: ChangeSettings;
  readonly sandbox: SandboxSettings;
  readonly shell: InForce<typeof transactionalShell>;
  readonly policy: {
    /** The verdict on an action that no user-defined policy matches. */
    readonly fallback: 'permit' | 'deny';
    readonly sources: readonly PolicySource[];
    /** Asked about queries too, where the configuration names one; its stamp is null if it could not be had. */
    readonly store?: PolicyStore & { readonly stamp: string | null };
  };
  /** Tools that are registered beside those of the hosts; the first of a name counts. */
  readonly tools: readonly ToolSpec[];
  /** The destinations of queries. */
  readonly sources: readonly Source[];
  /** Changes whenever anything above does; approvals are bound to it. */
  readonly version: string;
}

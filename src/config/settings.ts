// The settings in force for one agent in one workspace: what guards are handed.

import type { Mode, ToolSpec } from '../core/index.ts';
import type { DetectionRule } from './detection.ts';

export const profiles = ['developer', 'strict'] as const;

/** How a guard treats what it does not know: `developer` asks, `strict` blocks. */
export type Profile = (typeof profiles)[number];

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

/** A file of policies as it was read. */
export interface PolicySource {
  /** The path as people see it. */
  readonly name: string;
  readonly text: string;
  /** It lies in the workspace, where agents write, so it may only forbid. */
  readonly workspace: boolean;
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
  readonly detect: {
    /** Files with rules of the user's own. */
    readonly packs: readonly string[];
  };
  readonly egress: {
    readonly rules: readonly DetectionRule[];
  };
  readonly policy: {
    /** What happens to an action that no policy of the user's own speaks of. */
    readonly fallback: 'permit' | 'deny';
    readonly sources: readonly PolicySource[];
  };
  /** Tools that are registered beside those of the hosts; the first of a name counts. */
  readonly tools: readonly ToolSpec[];
  /** Arguments of any tool that hold a user's id: names, or JSON Pointers. */
  readonly userIdArguments: readonly string[];
  /** Changes whenever anything above does; approvals are bound to it. */
  readonly version: string;
}

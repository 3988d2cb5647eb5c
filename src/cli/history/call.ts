// One call as a history has it: a tool call of an agent, or a command that a person typed.

import type { Action } from '../../core/index.ts';

/** Whose history a call comes from, and what people call it. */
export const origins = { claude: 'Claude Code', codex: 'Codex', shell: 'shell history' } as const;
export type Origin = keyof typeof origins;

export interface HistoryCall {
  readonly origin: Origin;
  /** When it was made, in milliseconds since 1970; null where the history does not say. */
  readonly at: number | null;
  readonly session: string;
  /** The folder that the session began in; null where the history does not say. */
  readonly workspace: string | null;
  /** The folder of this call. */
  readonly cwd: string | null;
  readonly action: Action;
}

/** Reads one history, line by line, and gives the calls that each line completes. */
export interface HistoryReader {
  read(line: string): readonly HistoryCall[];
  /** What the last lines held, once there are no more. */
  end(): readonly HistoryCall[];
}

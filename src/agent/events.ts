// What happens in a run, as it is shown on a terminal, written to the transcript and summed up at its end.

import type { ApprovalNotice, JsonValue } from '../core/index.ts';
import type { Usage } from './model.ts';

export const strategies = ['tool_call', 'codemode'] as const;

/** How a model reaches tools: call by call, or by one program over all of them. */
export type Strategy = (typeof strategies)[number];

/** What a run did, counted. */
export interface Telemetry {
  readonly harness_strategy: Strategy;
  readonly mcp_enabled: boolean;
  readonly mcp_server: string | null;
  /** Calls that the model made, searches and programs included. */
  readonly harness_tool_calls: number;
  /** Calls of tools of MCP servers, those in programs included. */
  readonly mcp_tool_calls: number;
  readonly codemode_chain_calls: number;
  readonly codemode_search_calls: number;
  readonly codemode_discovery_calls: number;
  readonly codemode_guardrail_blocked: number;
  /** Programs that the model was asked to mend, or to give in a form that can be read. */
  readonly codemode_repairs: number;
  /** Tools that ran outside of MCP although the strategy is `codemode`. */
  readonly off_mcp_calls: number;
  /** Tools that ran although the verdict on the call did not let it go. */
  readonly guardrail_bypasses: number;
}

/** How a run ended. */
export interface RunOutcome {
  readonly runId: string;
  /** Whether the model gave an answer. */
  readonly completed: boolean;
  readonly answer: string | null;
  /** Why it did not. */
  readonly error?: string;
  readonly steps: number;
  /** Calls that still wait for a person. */
  readonly waiting: readonly ApprovalNotice[];
  readonly usage: Usage;
  readonly durationSeconds: number;
  readonly telemetry: Telemetry;
}

/** What became of one call. */
export type CallOutcome = 'ran' | 'failed' | 'refused' | 'waits';

export type RunEvent =
  | {
      readonly type: 'start';
      readonly runId: string;
      readonly time: string;
      readonly task: string;
      readonly strategy: Strategy;
      readonly model: string;
      readonly workspace: string;
      readonly mode: string;
    }
  /** A file that comes with the task may go to the model, as what it is given there. */
  | {
      readonly type: 'file';
      readonly name: string;
      readonly format: string;
      readonly as: 'text' | 'picture';
    }
  | { readonly type: 'step'; readonly step: number }
  /** What the model says, once it may be shown. */
  | { readonly type: 'text'; readonly text: string }
  /** The model is asked once more, for what it said may not be shown. */
  | { readonly type: 'again'; readonly attempt: number }
  | {
      readonly type: 'call';
      readonly call: string;
      readonly tool: string;
      readonly server?: string;
      readonly arguments: JsonValue;
    }
  | {
      readonly type: 'waiting';
      readonly call: string;
      readonly tool: string;
      readonly why: string;
      readonly approval: ApprovalNotice;
    }
  | {
      readonly type: 'result';
      readonly call: string;
      readonly tool: string;
      readonly outcome: CallOutcome;
      readonly output: string;
    }
  /** Something that a person should know. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'end'; readonly outcome: RunOutcome };

// What a verdict lets happen. Only a cleared action is executed.

export {
  type Applied,
  type ApplyOptions,
  applyChanges,
  type Edit,
  receiptOf,
  refusalOf,
  takeBack,
} from './apply.ts';
export {
  asItWouldRun,
  type CommandKind,
  type CommandOptions,
  type CommandResult,
  runCommand,
} from './command.ts';
export {
  CommandAborted,
  FetchAborted,
  FetchFailed,
  FetchRefused,
  FetchTimedOut,
  FetchTooLarge,
  SandboxFailed,
  SandboxUnavailable,
  TooManyRedirects,
  WorkspaceUnfit,
} from './errors.ts';
export { type FetchOptions, type FetchResult, guardedFetch } from './fetch.ts';
export { leaveOwed } from './owed.ts';
export { findSandbox, type NoSandbox, type Sandbox } from './sandbox.ts';
export {
  callTool,
  commandTools,
  createRunner,
  type Runner,
  type RunnerParts,
  refusal,
  type ToolAnswer,
  type ToolOutput,
  type ToolWaits,
  toolOutput,
} from './tools.ts';

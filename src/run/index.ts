// What a verdict lets happen. Only a cleared action is executed.

export {
  type Applied,
  type ApplyOptions,
  applyChanges,
  applyCleared,
  receiptOf,
  refusalOf,
  takeBack,
} from './apply.ts';
export { type CallMoment, Captures, type CapturesOptions, NotKept } from './captures.ts';
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
  ResponseRefused,
  SandboxFailed,
  SandboxUnavailable,
  SecretInResponse,
  TooManyRedirects,
  WorkspaceUnfit,
} from './errors.ts';
export { type FetchOptions, type FetchResult, guardedFetch } from './fetch.ts';
export {
  type Answer,
  type Attempt,
  type Generated,
  type GenerateOptions,
  generate,
  mostRetries,
} from './generate.ts';
export { JudgeFailed, type JudgeParts, type Judging, judging } from './judge.ts';
export { type Edit, look } from './outcomes.ts';
export { type CallOutput, type JudgedOutput, judgeOutput, type OutputParts, reasonOf } from './output.ts';
export { leaveOwed } from './owed.ts';
export { type Proposal, type ProposeOptions, proposeChanges, type ReviewOptions } from './proposal.ts';
export type { ReceiptOptions } from './receipt.ts';
export {
  applyChange,
  decideChange,
  type Ended,
  hunksMeant,
  type OptionsFor,
  type Result,
  ResultChanged,
  type Review,
  rejectChange,
  resultOf,
  type Which,
} from './review.ts';
export { chosenSnapshots, type RolledBack, rollBack, type What } from './rollback.ts';
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
export { Upstream, type UpstreamAnswer, type UpstreamOptions, type UpstreamRequest } from './upstream.ts';
export { outlineOf, summaryOf, viewOf } from './view.ts';
export { afterAnswer, type Waiting } from './waiting.ts';
export { optionsIn, snapshotsOf, WorkspaceGone, type WorkspaceParts } from './workspace.ts';

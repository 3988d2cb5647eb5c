// Executes allowed actions. Only a cleared action is executed.

export { applyCleared } from './apply.ts';
export { CaptureFailed, Captures } from './captures.ts';
export {
  asItWouldRun,
  type Capture,
  type CommandKind,
  type CommandOptions,
  type CommandResult,
  runCommand,
} from './command.ts';
export { definitionProblem, textsIn } from './definition.ts';
export {
  FetchAborted,
  FetchFailed,
  FetchRefused,
  FetchTimedOut,
  FetchTooLarge,
  ResponseRefused,
  TooManyRedirects,
} from './errors.ts';
export { type FetchResult, guardedFetch } from './fetch.ts';
export { askAgain, generate, recordRejection } from './generate.ts';
export type { Alarm, Integrity, Notice } from './integrity/index.ts';
export { judging } from './judge.ts';
export { type Edit, look } from './outcomes.ts';
export { type CallOutput, judgeOutput } from './output.ts';
export { proposeChanges, type ReviewOptions } from './proposal.ts';
export type { ReceiptOptions } from './receipt.ts';
export {
  applyChange,
  decideChange,
  type Ended,
  hunksMeant,
  type OptionsFor,
  type Review,
  rejectChange,
  resultOf,
  type Which,
} from './review.ts';
export {
  chosenSnapshots,
  rollBack,
  rolledBack,
  type What,
} from './rollback.ts';
export { findSandbox } from './sandbox.ts';
export {
  createRunner,
  refusal,
  toolOutput,
} from './tools.ts';
export { Upstream, type UpstreamAnswer } from './upstream.ts';
export { outlineOf, summaryOf, viewOf } from './view.ts';
export { afterAnswer, type Waiting } from './waiting.ts';
export { warningsIn } from './warnings.ts';
export { withheldNote } from './withheld.ts';
export { optionsIn, snapshotsOf } from './workspace.ts';

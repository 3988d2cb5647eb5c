// The harness: a model at work on a task, under guard.

export { type RunEvent, type RunOutcome, type Strategy, strategies, type Telemetry } from './events.ts';
export { mostFiles } from './files.ts';
export { type Model, type ModelCall, ModelFailed, type Offer, type Turn, type Usage } from './model.ts';
export { type RunParts, type RunTask, runTask } from './run.ts';
export { readScript, scriptedModel } from './scripted.ts';
export { listRuns, type RunSummary, readRun, UnknownRun } from './transcript.ts';

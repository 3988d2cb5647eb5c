// The harness: a model at work on a task, under guard.

export { type RunEvent, type RunOutcome, type Strategy, strategies } from './events.ts';
export { mostFiles } from './files.ts';
export { type RunParts, type RunTask, runTask } from './run.ts';
export { scriptedModel } from './scripted.ts';

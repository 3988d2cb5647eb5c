// The one request path: `createDecider` and its types.

export { type AnyCleared, type Cleared, NotCleared, splitCleared, takeClearance } from './cleared.ts';
export { createDecider, createDryDecider, type DeciderOptions } from './decide.ts';
export { runExamples } from './examples.ts';
export { runHooks } from './hooks.ts';
export { pathRules } from './judge.ts';
export { toSend, turnFor } from './long.ts';
export { fileReadBy } from './read-file.ts';
export { explain, type Records, reasonOf } from './record.ts';
export {
  type Asker,
  insideWorkspace,
  type Request,
  type RequestOptions,
  readContext,
  readRequest,
} from './request.ts';
export type { Decided, Decider, DecisionStream, StreamPiece, Terms } from './types.ts';
export { closedWorld, parseModules, realWorld, symbolsThread, withTelemetry } from './world.ts';

// Queries that a model wrote: validated, approved, run once.

export { type QueryAnswer, type Violation, violationOf } from './answer.ts';
export { PostureRefused, QueryFailed, QueryRefused, QueryTimedOut } from './errors.ts';
export type { QueryResult } from './execute.ts';
export { databaseOf } from './live.ts';
export { PageGone } from './pages.ts';
export { createQueryPipeline, type Query, type QueryPipeline } from './pipeline.ts';

// The information that a live database provides about itself.

import type { JsonObject } from './json.ts';

/** The location of a database. */
export interface DatabaseSource {
  readonly name: string;
  readonly kind: string;
  readonly url: string | null;
}

/** A database that provides information about itself. */
export interface Database {
  /** SQL that makes its tables and views as they are now, and a digest of it; null if it does not answer. */
  schema(): Promise<DatabaseSchema | null>;
  /** The planner's estimate for a statement, which is not run; null if the database does not answer. */
  estimate(text: string, variables: JsonObject): Promise<Estimate | null>;
}

export interface DatabaseSchema {
  readonly text: string;
  readonly digest: string;
}

/** The planner's estimate, or why it rejects the statement, in words that contain no value of a row. */
export type Estimate =
  | {
      /** Rows that the statement gives or changes. */
      readonly rows: number;
      /** Rows of the table that those are of; absent where they are of several, or computed. */
      readonly total?: number;
      /** Rows of the step that has the most. */
      readonly most: number;
      /** In the planner's own units. */
      readonly cost: number;
    }
  | { readonly refused: string };

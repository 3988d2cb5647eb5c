// What a database that is asked tells about itself.

import type { JsonObject } from './json.ts';

/** Where a database is. */
export interface DatabaseSource {
  readonly name: string;
  readonly kind: string;
  readonly url: string | null;
}

/** A database that tells about itself. */
export interface Database {
  /** SQL that makes its tables and views as they are now, and a digest of it; null where it does not answer. */
  schema(): Promise<DatabaseSchema | null>;
  /** What its planner expects of a statement, which it does not run; null where it does not answer. */
  estimate(text: string, variables: JsonObject): Promise<Estimate | null>;
}

export interface DatabaseSchema {
  readonly text: string;
  readonly digest: string;
}

/** What the planner expects, or why it does not take the statement, in words that hold no value of a row. */
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

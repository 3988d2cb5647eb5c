// What a query is, whatever its language: the one shape that rules, policies, explanations and tokens are made from.

export type QueryAction = 'read' | 'write' | 'delete' | 'admin';

/** The weaker first. */
const queryActions: readonly QueryAction[] = ['read', 'write', 'delete', 'admin'];

/** What a query does that is no number and no name. */
export type QueryFlag =
  | 'introspection' // asks what there is
  | 'subscription' // does not end
  | 'incremental' // answers in pieces, past what looks at the answer
  | 'unpaged' // a list without an end
  | 'schema_change'
  | 'no_where' // changes every row
  | 'no_limit' // reads every row
  | 'many_rows'; // changes more than one row

/** One thing that a query asks for by name: a root field, a statement, an operation of an API. */
export interface QueryOperation {
  readonly name: string;
  readonly action: QueryAction;
  /** How the language calls it: query, mutation; SELECT, UPDATE; GET, POST. */
  readonly verb: string;
}

/** Something that the reader does not know; what is not known is denied. */
export interface Unknown {
  /** Named without a payload. */
  readonly what: string;
  readonly span?: readonly [number, number];
  /** What to use instead: names that the schema lists, or what is known of the schema without the server's catalogs. */
  readonly instead?: 'listed' | 'described';
  /** Whether it means that the schema file does not describe the database as it is. */
  readonly isDrift?: boolean;
}

export interface QueryFacts {
  readonly language: 'graphql' | 'sql' | 'rest';
  /** The strongest of its operations. */
  readonly action: QueryAction;
  readonly operations: readonly QueryOperation[];
  /** Types or tables, with those that a view of them shows and those whose rows are theirs too. */
  readonly relations: readonly string[];
  /**
   * `Type.field` or `table.column`; a field that several types have stands under each of them, and a column of a view
   * with the columns that it shows.
   */
  readonly fields: readonly string[];
  /** What of both a statement of SQL names itself. */
  readonly named?: { readonly relations: readonly string[]; readonly fields: readonly string[] };
  /** Fields of inputs that are given, in the query or by a variable: `Input.field`. */
  readonly inputs: readonly string[];
  readonly functions: readonly string[];
  readonly depth: number;
  /** Every selection, aliases included, each use of a fragment counted again. */
  readonly selections: number;
  readonly aliases: number;
  readonly directives: number;
  readonly joins: number;
  readonly cost: number;
  /** The most rows that it can ask for; null where nothing says. */
  readonly rows: number | null;
  readonly flags: ReadonlySet<QueryFlag>;
  /** Tables of many tenants that it uses without holding itself to one. */
  readonly tenantless: readonly string[];
  readonly unknowns: readonly Unknown[];
  /** What it does in one sentence without its full stop: without values, and with them. */
  readonly summary?: { readonly plain: string; readonly full: string };
  /** The same however the query is laid out. */
  readonly canonical: string;
}

/** The query cannot be read at all, and why in words that tell nothing of the schema. */
export interface Unreadable {
  readonly rule:
    | 'query_invalid'
    | 'excessive_tokens'
    | 'excessive_depth'
    | 'excessive_fields'
    | 'excessive_cost';
  readonly message: string;
  readonly span?: readonly [number, number];
}

export type Reading = { readonly facts: QueryFacts } | { readonly unreadable: Unreadable };

/** The stronger of two actions. */
function strongerAction(one: QueryAction, other: QueryAction): QueryAction {
  return queryActions.indexOf(one) >= queryActions.indexOf(other) ? one : other;
}

/** What all operations of a query together do. */
export function actionOf(operations: readonly QueryOperation[]): QueryAction {
  return operations.reduce<QueryAction>((all, { action }) => strongerAction(all, action), 'read');
}

// One part of a schema that may be asked for, whatever its language.

export interface SchemaEntry {
  readonly name: string;
  readonly kind:
    | 'table'
    | 'partition'
    | 'view'
    | 'query'
    | 'mutation'
    | 'type'
    | 'interface'
    | 'union'
    | 'input'
    | 'enum'
    | 'scalar'
    | 'operation';
  /** What the schema says about it. */
  readonly comment: string | null;
  /** What an operation gives. */
  readonly type: string | null;
  /** Columns, fields, arguments or values. */
  readonly members: readonly SchemaMember[];
  /** How it hangs together with others, one line each. */
  readonly relations: readonly string[];
  /** A query that asks for it; null where it is asked for through others alone. */
  readonly example: string | null;
}

export interface SchemaMember {
  readonly name: string;
  readonly type: string | null;
  readonly comment: string | null;
  readonly marks: readonly ('primary key' | 'required' | 'sensitive' | 'deprecated')[];
  /** The only values that it may have, where the schema lists them. */
  readonly values: readonly string[];
}

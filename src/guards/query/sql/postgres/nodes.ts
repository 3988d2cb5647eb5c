// The nodes of PostgreSQL's grammar that a query may be made of. What is not named here is not understood: a node
// that a new version brings, or a field that changes what an old one means, is refused until it stands here.

/** What lies in a field: other nodes, or one node of a kind that is not written beside it. */
type Fields = Readonly<Record<string, 'nodes' | (string & {})>>;

function fields(text: string): Fields {
  return Object.fromEntries(
    text
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => {
        const [name = '', kind = 'nodes'] = word.split(':');
        return [name, kind];
      }),
  );
}

/** Nodes that are walked through as they are, by their fields that hold nodes; numbers, names and marks are not listed. */
export const plainNodes: Readonly<Record<string, Fields>> = {
  A_Const: fields('ival:Leaf fval:Leaf boolval:Leaf sval:Leaf bsval:Leaf'),
  Leaf: fields(''),
  String: fields(''),
  Integer: fields(''),
  Float: fields(''),
  Boolean: fields(''),
  BitString: fields(''),
  A_Star: fields(''),
  ParamRef: fields(''),
  SetToDefault: fields(''),
  SQLValueFunction: fields(''),
  List: fields('items'),
  BoolExpr: fields('args'),
  CaseExpr: fields('arg args defresult'),
  CaseWhen: fields('expr result'),
  CoalesceExpr: fields('args'),
  MinMaxExpr: fields('args'),
  NullTest: fields('arg'),
  BooleanTest: fields('arg'),
  ResTarget: fields('indirection val'),
  A_ArrayExpr: fields('elements'),
  A_Indices: fields('lidx uidx'),
  RowExpr: fields('args colnames'),
  GroupingSet: fields('content'),
  GroupingFunc: fields('args'),
  NamedArgExpr: fields('arg'),
  MultiAssignRef: fields('source'),
  WindowDef: fields('partitionClause orderClause startOffset endOffset'),
  XmlExpr: fields('named_args arg_names args'),
  XmlSerialize: fields('expr typeName:TypeName'),
  RangeTableFuncCol: fields('typeName:TypeName colexpr coldefexpr'),
  JsonValueExpr: fields('raw_expr formatted_expr format:Leaf'),
  JsonFormat: fields(''),
  JsonOutput: fields('typeName:TypeName returning:JsonReturning'),
  JsonReturning: fields('format:Leaf'),
  JsonArgument: fields('val:JsonValueExpr'),
  JsonBehavior: fields('expr'),
  JsonKeyValue: fields('key value:JsonValueExpr'),
  JsonObjectConstructor: fields('exprs output:JsonOutput'),
  JsonArrayConstructor: fields('exprs output:JsonOutput'),
  JsonArrayQueryConstructor: fields('query output:JsonOutput format:Leaf'),
  JsonAggConstructor: fields('output:JsonOutput agg_filter agg_order over:WindowDef'),
  JsonObjectAgg: fields('constructor:JsonAggConstructor arg:JsonKeyValue'),
  JsonArrayAgg: fields('constructor:JsonAggConstructor arg:JsonValueExpr'),
  JsonIsPredicate: fields('expr format:Leaf'),
  JsonParseExpr: fields('expr:JsonValueExpr output:JsonOutput'),
  JsonScalarExpr: fields('expr output:JsonOutput'),
  JsonSerializeExpr: fields('expr:JsonValueExpr output:JsonOutput'),
  JsonFuncExpr: fields(
    'context_item:JsonValueExpr pathspec passing output:JsonOutput on_empty:JsonBehavior on_error:JsonBehavior',
  ),
  JsonTablePathSpec: fields('string'),
  JsonTableColumn: fields(
    'typeName:TypeName pathspec:JsonTablePathSpec format:Leaf columns on_empty:JsonBehavior on_error:JsonBehavior',
  ),
  IndexElem: fields('expr'),
  InferClause: fields('indexElems whereClause'),
  OnConflictClause: fields('infer:InferClause targetList whereClause'),
  ReturningClause: fields('options exprs'),
  ReturningOption: fields(''),
  CTESearchClause: fields('search_col_list'),
  CTECycleClause: fields('cycle_col_list cycle_mark_value cycle_mark_default'),
};

/** Fields of the statements and of what has a rule of its own, that are walked or read there. */
export const knownFields: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    SelectStmt:
      'distinctClause targetList fromClause whereClause groupClause havingClause windowClause valuesLists sortClause limitOffset limitCount withClause larg rarg',
    InsertStmt: 'relation cols selectStmt onConflictClause returningClause withClause',
    UpdateStmt: 'relation targetList whereClause fromClause returningClause withClause',
    DeleteStmt: 'relation usingClause whereClause returningClause withClause',
    MergeStmt: 'relation sourceRelation joinCondition mergeWhenClauses returningClause withClause',
    MergeWhenClause: 'condition targetList values',
    WithClause: 'ctes',
    CommonTableExpr: 'aliascolnames ctequery search_clause cycle_clause',
    RangeVar: 'alias',
    RangeSubselect: 'subquery alias',
    RangeFunction: 'functions alias coldeflist',
    RangeTableSample: 'relation method args repeatable',
    RangeTableFunc: 'docexpr rowexpr namespaces columns alias',
    JsonTable: 'context_item pathspec passing columns on_error alias',
    JoinExpr: 'larg rarg usingClause join_using_alias quals alias',
    Alias: 'colnames',
    ColumnRef: 'fields',
    FuncCall: 'funcname args agg_order agg_filter over',
    A_Expr: 'name lexpr rexpr',
    SubLink: 'testexpr operName subselect',
    TypeCast: 'arg typeName',
    TypeName: 'names typmods arrayBounds',
    SortBy: 'node useOp',
    CollateClause: 'arg collname',
    A_Indirection: 'arg indirection',
    ColumnDef: 'typeName collClause',
    ExplainStmt: 'query options',
    VariableShowStmt: '',
    TruncateStmt: 'relations',
  }).map(([name, text]) => [name, new Set(text.split(' '))]),
);

/** Statements that change what there is, and do nothing else: known, so that they can be allowed. */
export const schemaStatements: ReadonlyMap<string, string> = new Map([
  ['CreateStmt', 'CREATE TABLE'],
  ['AlterTableStmt', 'ALTER TABLE'],
  ['DropStmt', 'DROP'],
  ['IndexStmt', 'CREATE INDEX'],
  ['CreateSchemaStmt', 'CREATE SCHEMA'],
  ['RenameStmt', 'RENAME'],
  ['CommentStmt', 'COMMENT'],
  ['CreateEnumStmt', 'CREATE TYPE'],
  ['AlterEnumStmt', 'ALTER TYPE'],
  ['CreateSeqStmt', 'CREATE SEQUENCE'],
  ['AlterSeqStmt', 'ALTER SEQUENCE'],
]);

/** What else there is, in words for the approver. */
export const otherStatements: ReadonlyMap<string, string> = new Map([
  ['CopyStmt', 'COPY, which reads and writes files and programs'],
  ['DoStmt', 'DO, which runs code'],
  ['CallStmt', 'CALL, which runs a procedure'],
  ['PrepareStmt', 'PREPARE, which keeps a statement for later'],
  ['ExecuteStmt', 'EXECUTE, which runs a statement that is not shown'],
  ['TransactionStmt', 'control of the transaction'],
  ['VariableSetStmt', 'SET, which changes how later statements are read'],
  ['LockStmt', 'a lock'],
  ['NotifyStmt', 'NOTIFY'],
  ['ListenStmt', 'LISTEN'],
  ['GrantStmt', 'GRANT or REVOKE'],
  ['CreateTableAsStmt', 'a table made from a query'],
]);

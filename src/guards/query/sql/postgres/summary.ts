// What a statement does, in one sentence for the person who decides: what is read, what is set to what, which rows.

import { droppedTables, tableName } from './catalog.ts';
import { childrenOf, constantOf, type Json, namesIn, onlyNode, type SqlNode } from './tree.ts';

const mostListed = 8;
const longest = 400;

/** Whether constants are shown; without them the sentence holds nothing of what the statement says of rows. */
interface Style {
  readonly values: boolean;
  /** The tables by what the statement calls them, where it uses more than one: their columns are then named in full. */
  readonly tables?: ReadonlyMap<string, string>;
  /** What the queries of a WITH read, by their names. */
  readonly queries?: ReadonlyMap<string, string>;
}

/** A sentence without its full stop; null for a statement that has none here. */
export function summaryOf(tree: unknown, style: Style): string | null {
  const [statement, second] = childrenOf(tree, 'stmts');
  const node = onlyNode((statement as Json | undefined)?.['stmt']);
  if (node === null || second !== undefined) return null;
  const text = sentences[node.kind]?.(node.value, style) ?? null;
  return text !== null && text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const sentences: Readonly<Record<string, (value: Json, style: Style) => string | null>> = {
  SelectStmt: readSentence,
  InsertStmt: (value, style) => {
    const table = nameIn(value['relation']);
    const columns = childrenOf(value, 'cols').map((one) => String(onlyNode(one)?.value['name'] ?? ''));
    const source = onlyNode(value['selectStmt'])?.value ?? {};
    const rows = childrenOf(source, 'valuesLists');
    if (rows.length === 0) {
      const read = source['op'] === undefined ? null : phraseOf(source, style);
      return `Adds rows to ${table}${read === null ? '' : `: ${read}`}${conflictText(value, style)}`;
    }
    const [first] = rows;
    const values = childrenOf(onlyNode(first)?.value, 'items').map((one) => shown(onlyNode(one), style));
    const pairs = values.map((one, at) => (columns[at] === undefined ? one : `${columns[at]} = ${one}`));
    const many = rows.length > 1 ? ` and ${rows.length - 1} more` : '';
    return `Adds ${rows.length === 1 ? 'a row' : `${rows.length} rows`} to ${table}: ${listed(pairs)}${many}${conflictText(value, style)}`;
  },
  UpdateStmt: (value, outer) => {
    const style = within(outer, [{ RangeVar: value['relation'] }, ...childrenOf(value, 'fromClause')]);
    return `Changes ${nameIn(value['relation'])}: sets ${setsText(value, style)}${rowsWhere(value, style)}`;
  },
  DeleteStmt: (value, outer) => {
    const style = within(outer, [{ RangeVar: value['relation'] }, ...childrenOf(value, 'usingClause')]);
    const table = nameIn(value['relation']);
    return value['whereClause'] === undefined
      ? `Deletes every row of ${table}`
      : `Deletes rows of ${table}${rowsWhere(value, style)}`;
  },
  TruncateStmt: (value) =>
    `Deletes every row of ${listed(childrenOf(value, 'relations').map((one) => nameIn(onlyNode(one)?.value)))}`,
  MergeStmt: (value) => `Merges rows into ${nameIn(value['relation'])}`,
  DropStmt: (value) => {
    const kind = String(value['removeType'] ?? '')
      .replace('OBJECT_', '')
      .toLowerCase()
      .replaceAll('_', ' ');
    const tables = droppedTables(value);
    const names = childrenOf(value, 'objects').map((one) => namesIn(onlyNode(one)?.value, 'items').join('.'));
    return `Drops the ${kind} ${listed(tables.length > 0 ? tables : names)}`;
  },
  AlterTableStmt: (value) => {
    const lost = childrenOf(value, 'cmds').flatMap((one) => {
      const { subtype, name } = onlyNode(one)?.value ?? {};
      const what = losses[String(subtype)];
      return what === undefined ? [] : [`${what} ${String(name)}`];
    });
    const more = lost.length === 0 ? '' : `: ${listed(lost)}`;
    return `Changes the structure of ${nameIn(value['relation'])}${more}`;
  },
  IndexStmt: (value) => `Makes the index ${String(value['idxname'] ?? '')} on ${nameIn(value['relation'])}`,
  CreateStmt: (value) => `Makes the table ${nameIn(value['relation'])}`,
};

/** Changes of a table that take something away from it. */
const losses: Readonly<Record<string, string>> = {
  AT_DropColumn: 'drops the column',
  AT_DropConstraint: 'drops the constraint',
  AT_AlterColumnType: 'changes the type of',
};

function readSentence(value: Json, style: Style): string | null {
  const isComputed =
    !('larg' in value) && ('valuesLists' in value || childrenOf(value, 'fromClause').length === 0);
  const phrase = phraseOf(value, style);
  return phrase === null ? null : `${isComputed ? 'Computes' : 'Reads'} ${phrase}`;
}

/** What the words of a set operation are. */
const setWords: Readonly<Record<string, string>> = {
  SETOP_UNION: 'together with',
  SETOP_INTERSECT: 'as far as it is also in',
  SETOP_EXCEPT: 'without',
};

/** What a query reads, in words that follow a verb. */
function phraseOf(value: Json, outer: Style): string | null {
  const queries = new Map(outer.queries);
  for (const one of childrenOf(value['withClause'], 'ctes')) {
    const { ctename, ctequery } = onlyNode(one)?.value ?? {};
    const query = onlyNode(ctequery);
    const read = query?.kind === 'SelectStmt' ? phraseOf(query.value, { ...outer, queries }) : null;
    queries.set(String(ctename), read ?? 'a query');
  }
  if ('larg' in value) {
    const [left, right] = ['larg', 'rarg'].map((side) =>
      phraseOf((value[side] ?? {}) as Json, { ...outer, queries }),
    );
    return left == null || right == null
      ? null
      : `${left}, ${setWords[String(value['op'])] ?? 'and'} ${right}`;
  }
  const items = childrenOf(value, 'fromClause');
  const style = within({ ...outer, queries }, items);
  const targets = listed(
    childrenOf(value, 'targetList').map((one) => targetText(onlyNode(one)?.value ?? {}, style)),
  );
  const what = 'distinctClause' in value ? `distinct ${targets}` : targets;
  const from = items.flatMap((one) => fromTexts(onlyNode(one), style));
  if ('valuesLists' in value || from.length === 0) return what === '' ? 'values' : what;
  const groups = childrenOf(value, 'groupClause').map((one) => shown(onlyNode(one), style));
  // A number of rows says nothing of what is in them.
  const limit = shownOrNull(value['limitCount'], { values: true });
  return [
    `${what} of ${from.length > mostListed ? listed(from) : joined(from)}`,
    isCrossed(items, value) ? ', every row with every row' : '',
    rowsWhere(value, style),
    groups.length === 0 ? '' : `, grouped by ${listed(groups)}`,
    value['havingClause'] === undefined
      ? ''
      : `, of groups with ${shown(onlyNode(value['havingClause']), style)}`,
    limit === null ? '' : `, at most ${limit} ${limit === '1' ? 'row' : 'rows'}`,
  ].join('');
}

function rowsWhere(value: Json, style: Style): string {
  return value['whereClause'] === undefined ? '' : ` where ${shown(onlyNode(value['whereClause']), style)}`;
}

function targetText({ val }: Json, style: Style): string {
  const node = onlyNode(val);
  const parts = node?.kind === 'ColumnRef' ? namesIn(node.value, 'fields') : [];
  return parts.at(-1) === '*' ? 'every column' : shown(node, style);
}

/** What a part of a FROM reads from. */
function fromTexts(node: SqlNode | null, style: Style): readonly string[] {
  switch (node?.kind) {
    case 'RangeVar': {
      const table = tableName(node.value);
      const query = style.queries?.get(table);
      return [query === undefined ? table : `${table} (${query})`];
    }
    case 'JoinExpr':
      return ['larg', 'rarg'].flatMap((side) => fromTexts(onlyNode(node.value[side]), style));
    case 'RangeTableSample':
      return fromTexts(onlyNode(node.value['relation']), style);
    case 'RangeSubselect': {
      const query = onlyNode(node.value['subquery']);
      const read = query === null ? null : phraseOf(query.value, style);
      return [read === null ? 'a query' : `(${read})`];
    }
    default:
      return node === null ? [] : ['a function'];
  }
}

/** The style inside a statement that reads from these: with several of them a column says whose it is. */
function within(outer: Style, items: readonly unknown[]): Style {
  const named: (readonly [string, string])[] = [];
  const visit = (item: unknown): void => {
    const { kind = '', value = {} } = onlyNode(item) ?? {};
    if (kind === 'JoinExpr') for (const side of ['larg', 'rarg']) visit(value[side]);
    const alias = (value['alias'] as Json | undefined)?.['aliasname'];
    if (kind === 'RangeVar') named.push([String(alias ?? value['relname']), tableName(value)]);
    else if (typeof alias === 'string' && kind !== 'JoinExpr') named.push([alias, alias]);
  };
  for (const item of items) visit(item);
  if (named.length < 2 && outer.tables === undefined) return outer;
  // A table that is used twice is distinguished by its alias in the statement.
  const twice = (table: string) => named.filter(([, other]) => other === table).length > 1;
  const own = named.map(([alias, table]) => [alias, twice(table) ? alias : table] as const);
  return { ...outer, tables: new Map([...(outer.tables ?? []), ...own]) };
}

/** Whether a FROM pairs every row of one table with every row of another. */
function isCrossed(items: readonly unknown[], value: Json): boolean {
  const isBare = (item: unknown): boolean => {
    const { kind = '', value: join = {} } = onlyNode(item) ?? {};
    if (kind !== 'JoinExpr') return false;
    const isPlain = !('quals' in join) && !('usingClause' in join) && join['isNatural'] !== true;
    return (isPlain && onlyNode(join['rarg'])?.kind === 'RangeVar') || isBare(join['larg']);
  };
  const bare = items.some(isBare) || items.length > 1;
  return (
    bare &&
    value['whereClause'] === undefined &&
    items.every((item) => onlyNode(item)?.kind !== 'RangeFunction')
  );
}

function setsText(value: Json, style: Style): string {
  const sets = childrenOf(value, 'targetList').map((one) => {
    const { name, val } = onlyNode(one)?.value ?? {};
    return `${String(name)} = ${shown(onlyNode(val), style)}`;
  });
  return listed(sets);
}

/** What becomes of rows that are there already. */
function conflictText(value: Json, style: Style): string {
  const conflict = value['onConflictClause'] as Json | undefined;
  if (conflict === undefined) return '';
  if (conflict['action'] !== 'ONCONFLICT_UPDATE') return '; leaves rows as they are that are there already';
  const tables = new Map([['excluded', 'new']]);
  return `; where the row is there already, sets ${setsText(conflict, { ...style, tables })}`;
}

/** All of them, each as often as it stands there. */
function joined(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function nameIn(relation: unknown): string {
  return tableName((relation ?? {}) as Json);
}

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const all =
    unique.length > mostListed
      ? [...unique.slice(0, mostListed), `${unique.length - mostListed} more`]
      : unique;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function shownOrNull(value: unknown, style: Style): string | null {
  return value === undefined ? null : shown(onlyNode(value), style);
}

/** An expression as SQL has it, as far as that is plain; anything else is an ellipsis. */
function shown(node: SqlNode | null, style: Style): string {
  return node === null ? '…' : (expressions[node.kind]?.(node.value, style) ?? '…');
}

const argument = (value: Json, style: Style) => shown(onlyNode(value['arg']), style);
const argumentsOf = (value: Json, style: Style) =>
  childrenOf(value, 'args').map((one) => shown(onlyNode(one), style));

const expressions: Readonly<Record<string, (value: Json, style: Style) => string>> = {
  ColumnRef: (value, { tables }) => {
    const names = namesIn(value, 'fields');
    const of = tables?.get(names.at(-2) ?? '');
    return of === undefined ? (names.at(-1) ?? '…') : `${of}.${names.at(-1)}`;
  },
  SQLValueFunction: (value) =>
    String(value['op'])
      .replace(/^SVFOP_|_N$/g, '')
      .toLowerCase(),
  CaseExpr: (value, style) => {
    const arg = value['arg'] === undefined ? '' : `${argument(value, style)} = `;
    const ways = childrenOf(value, 'args').map((one) => {
      const way = onlyNode(one)?.value ?? {};
      return `${shown(onlyNode(way['result']), style)} where ${arg}${shown(onlyNode(way['expr']), style)}`;
    });
    const other = shownOrNull(value['defresult'], style);
    return `(${[...ways, ...(other === null ? [] : [`else ${other}`])].join(', ')})`;
  },
  A_Const: (value, style) => constantText({ kind: 'A_Const', value }, style),
  ParamRef: (value) => `$${String(value['number'] ?? '')}`,
  TypeCast: argument,
  CollateClause: argument,
  SortBy: (value, style) => shown(onlyNode(value['node']), style),
  NullTest: (value, style) =>
    `${argument(value, style)} is ${value['nulltesttype'] === 'IS_NULL' ? '' : 'not '}null`,
  BoolExpr: booleanText,
  A_Expr: operatorText,
  FuncCall: (value, style) => {
    const inner = value['agg_star'] === true ? '*' : argumentsOf(value, style).join(', ');
    const distinct = value['agg_distinct'] === true ? 'distinct ' : '';
    return `${namesIn(value, 'funcname').at(-1) ?? ''}(${distinct}${inner})`;
  },
  CoalesceExpr: (value, style) => `coalesce(${argumentsOf(value, style).join(', ')})`,
  SetToDefault: () => 'its default',
  SubLink: sublinkText,
};

function constantText(node: SqlNode | null, { values }: Style): string {
  if (!values) return '…';
  const constant = constantOf(node);
  if (typeof constant === 'string')
    return `'${constant.length > 60 ? `${constant.slice(0, 60)}…` : constant}'`;
  return constant === null ? 'null' : String(constant);
}

function booleanText(value: Json, style: Style): string {
  const args = childrenOf(value, 'args').map(onlyNode);
  if (value['boolop'] === 'NOT_EXPR') {
    const denied = shown(args[0] ?? null, style);
    return denied.startsWith('there is a row')
      ? denied.replace('there is a row', 'there is no row')
      : `not ${denied}`;
  }
  const word = value['boolop'] === 'OR_EXPR' ? ' or ' : ' and ';
  return args
    .map((arg) => (arg?.kind === 'BoolExpr' ? `(${shown(arg, style)})` : shown(arg, style)))
    .join(word);
}

function operatorText(value: Json, style: Style): string {
  const left = value['lexpr'] === undefined ? '' : `${shown(onlyNode(value['lexpr']), style)} `;
  const list = onlyNode(value['rexpr']);
  const items = (list?.kind === 'List' ? childrenOf(list.value, 'items') : childrenOf(value, 'rexpr')).map(
    (one) => shown(onlyNode(one), style),
  );
  const name = namesIn(value, 'name').at(-1) ?? '';
  switch (value['kind']) {
    case 'AEXPR_IN':
      return `${left}${name === '<>' ? 'not ' : ''}in (${items.slice(0, mostListed).join(', ')}${items.length > mostListed ? ', …' : ''})`;
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      return `${left}${name.startsWith('!') ? 'not ' : ''}like ${shown(list, style)}`;
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN':
      return `${left}${value['kind'] === 'AEXPR_BETWEEN' ? '' : 'not '}between ${items.join(' and ')}`;
    default:
      return `${left}${name} ${shown(list, style)}`;
  }
}

function sublinkText(value: Json, style: Style): string {
  const select = onlyNode(value['subselect'])?.value ?? {};
  const read = phraseOf(select, style);
  if (value['subLinkType'] === 'EXISTS_SUBLINK') {
    const items = childrenOf(select, 'fromClause');
    const inner = within(style, items);
    const from = joined(items.flatMap((one) => fromTexts(onlyNode(one), inner)));
    return from === '' ? 'a query finds rows' : `there is a row of ${from}${rowsWhere(select, inner)}`;
  }
  const query = read === null ? 'the result of a query' : `(${read})`;
  const test = shownOrNull(value['testexpr'], style);
  return test === null ? query : `${test} in ${query}`;
}

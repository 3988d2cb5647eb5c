// What a statement does, in one sentence for the person who decides: what is read, what is set to what, which rows.

import { droppedTables, tableName } from './catalog.ts';
import { childrenOf, constantOf, type Json, namesIn, onlyNode, type SqlNode } from './tree.ts';

const mostListed = 8;
const longest = 400;

/** Whether constants are shown; without them the sentence holds nothing of what the statement says of rows. */
interface Style {
  readonly values: boolean;
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
    if (rows.length === 0)
      return `Adds rows to ${table}${source['op'] === undefined ? '' : ': what a query reads'}`;
    const [first] = rows;
    const values = childrenOf(onlyNode(first)?.value, 'items').map((one) => shown(onlyNode(one), style));
    const pairs = values.map((one, at) => (columns[at] === undefined ? one : `${columns[at]} = ${one}`));
    const many = rows.length > 1 ? ` and ${rows.length - 1} more` : '';
    return `Adds ${rows.length === 1 ? 'a row' : `${rows.length} rows`} to ${table}: ${listed(pairs)}${many}`;
  },
  UpdateStmt: (value, style) => {
    const sets = childrenOf(value, 'targetList').map((one) => {
      const { name, val } = onlyNode(one)?.value ?? {};
      return `${String(name)} = ${shown(onlyNode(val), style)}`;
    });
    return `Changes ${nameIn(value['relation'])}: sets ${listed(sets)}${rowsWhere(value, style)}`;
  },
  DeleteStmt: (value, style) => {
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
  CreateStmt: (value) => `Makes the table ${nameIn(value['relation'])}`,
};

/** Changes of a table that take something away from it. */
const losses: Readonly<Record<string, string>> = {
  AT_DropColumn: 'drops the column',
  AT_DropConstraint: 'drops the constraint',
  AT_AlterColumnType: 'changes the type of',
};

function readSentence(value: Json, style: Style): string | null {
  if ('larg' in value) {
    const [left, right] = ['larg', 'rarg'].map((side) => readSentence((value[side] ?? {}) as Json, style));
    return left === null || right === null ? null : `${left}, together with: ${right}`;
  }
  const what = listed(
    childrenOf(value, 'targetList').map((one) => targetText(onlyNode(one)?.value ?? {}, style)),
  );
  const from = childrenOf(value, 'fromClause').flatMap((one) => fromTexts(onlyNode(one)));
  if ('valuesLists' in value || from.length === 0) return `Computes ${what === '' ? 'values' : what}`;
  const groups = childrenOf(value, 'groupClause').map((one) => shown(onlyNode(one), style));
  // A number of rows says nothing of what is in them.
  const limit = shownOrNull(value['limitCount'], { values: true });
  return [
    `Reads ${what} of ${listed(from)}`,
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
function fromTexts(node: SqlNode | null): readonly string[] {
  switch (node?.kind) {
    case 'RangeVar':
      return [tableName(node.value)];
    case 'JoinExpr':
      return ['larg', 'rarg'].flatMap((side) => fromTexts(onlyNode(node.value[side])));
    case 'RangeTableSample':
      return fromTexts(onlyNode(node.value['relation']));
    case 'RangeSubselect':
      return ['a query'];
    default:
      return node === null ? [] : ['a function'];
  }
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
  ColumnRef: (value) => namesIn(value, 'fields').at(-1) ?? '…',
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
  if (value['boolop'] === 'NOT_EXPR') return `not ${shown(args[0] ?? null, style)}`;
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
  const query = 'the result of a query';
  if (value['subLinkType'] === 'EXISTS_SUBLINK') return 'a query finds rows';
  const test = shownOrNull(value['testexpr'], style);
  return test === null ? query : `${test} in ${query}`;
}

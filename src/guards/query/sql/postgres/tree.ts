// The shape of the parser's trees: a node is an object with one key, which is its kind.

export type Json = { readonly [key: string]: unknown };

export interface SqlNode {
  readonly kind: string;
  readonly value: Json;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The node that a value is; null where it is none. */
export function onlyNode(value: unknown): SqlNode | null {
  if (!isObject(value)) return null;
  // The parser's trees are plain data: what is enumerated first is the one key. This runs for each node, several times.
  for (const kind in value) {
    const inner = value[kind];
    return { kind, value: isObject(inner) ? inner : {} };
  }
  return null;
}

/** A tree without where its parts stand in the text: the same for two spellings of one statement. */
export function canonicalText(tree: unknown): string {
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree);
  if (Array.isArray(tree)) return `[${tree.map(canonicalText).join(',')}]`;
  let members = '';
  for (const [key, value] of Object.entries(tree)) {
    if (value === undefined || isPlace(key)) continue;
    members += `${members === '' ? '' : ','}"${key}":${canonicalText(value)}`;
  }
  return `{${members}}`;
}

function isPlace(key: string): boolean {
  return (
    key === 'location' || key.startsWith('stmt_') || key.startsWith('rexpr_list_') || key.startsWith('list_')
  );
}

export function nodeOf(value: unknown, field: string): SqlNode | null {
  return isObject(value) ? onlyNode(value[field]) : null;
}

export function childrenOf(value: unknown, field: string): readonly unknown[] {
  const list = isObject(value) ? value[field] : undefined;
  return Array.isArray(list) ? list : [];
}

export function textOf({ kind, value }: SqlNode): string {
  return kind === 'String' && typeof value['sval'] === 'string' ? value['sval'] : '';
}

/** The names in a list; a star is `*`. */
export function namesIn(value: unknown, field: string): readonly string[] {
  return childrenOf(value, field).map((item) => {
    const node = onlyNode(item);
    return node?.kind === 'A_Star' ? '*' : node === null ? '' : textOf(node);
  });
}

/** The value of a constant, or of a sum of constants; null where it is none. */
export function constantOf(node: SqlNode | null): string | number | boolean | null {
  if (node?.kind === 'TypeCast') return constantOf(onlyNode(node.value['arg']));
  if (node?.kind === 'A_Expr') return computed(node.value);
  if (node?.kind === 'SubLink') return constantOf(selected(node.value));
  if (node?.kind !== 'A_Const') return null;
  const { ival, fval, sval, boolval } = node.value as Record<string, Json | undefined>;
  // A zero, a false and an empty text are left out of the tree.
  if (ival !== undefined) return Number(ival['ival'] ?? 0);
  if (fval !== undefined) return Number(fval['fval'] ?? 0);
  if (sval !== undefined) return String(sval['sval'] ?? '');
  return boolval === undefined ? null : boolval['boolval'] === true;
}

/** The one value that a query without a table selects. */
function selected({ subLinkType, subselect }: Json): SqlNode | null {
  const { fromClause, targetList } = onlyNode(subselect)?.value ?? {};
  const [only, second] = Array.isArray(targetList) ? targetList : [];
  const isValue = subLinkType === 'EXPR_SUBLINK' && fromClause === undefined && second === undefined;
  return isValue ? onlyNode(onlyNode(only)?.value['val']) : null;
}

function computed(value: Json): number | null {
  const right = constantOf(onlyNode(value['rexpr']));
  if (typeof right !== 'number') return null;
  const left = value['lexpr'] === undefined ? 0 : constantOf(onlyNode(value['lexpr']));
  if (typeof left !== 'number') return null;
  switch (namesIn(value, 'name').join('.')) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? null : left / right;
    case '^':
      return left ** right;
    case '<<':
      return left * 2 ** right;
    default:
      return null;
  }
}

// What a type of Go says about a value: of whose making it is, and what it is before anything is put into it.

import type { TreeNode } from '../../../core/index.ts';
import type { Expression } from '../../ir.ts';
import type { GoLowering, TypeDeclaration } from './lowering.ts';
import { plainName } from './names.ts';
import { named, unwrapped } from './nodes.ts';

const numbers = /^(u?int(8|16|32|64)?|uintptr|float(32|64)|complex(64|128)|bool|byte|rune|error)$/;
const texts = /^(string|any|comparable)$/;

/** Types of other packages that hold no text of anybody: what does something, and what says when and how. */
const serves =
  /(Client|Service|Server|Model|LLM|Guardrails|Detector|Redactor|Registry|Classifier|DB|Tx|Pool|Conn|Logger|Context|Ctx|Writer|ResponseController|Session|Engine|Router|Mux|Group|WaitGroup|Mutex|Once|Duration|Time|Location|Ticker|Timer|Tracer|Span|Meter|Store|Cache|Queue|Producer|Publisher|Handler|HandlerFunc|FS|Rand|Signal|Limiter|Config|Options?|Transport|Snapshot|API|BotAPI|Chain|Executor|Agent)$/;

/** Fields that hold what somebody wrote, rather than what a program works with. */
const dataTypes = /^(Time|RawMessage|Number|UUID|Duration|NullString|ObjectID)$/;

/** Types whose values are handed about as what somebody said. */
const dataNames =
  /(Request|Req|Message|Msg|Input|Params|Args|Arguments|Payload|Event|Response|Reply|Body|DTO|Item|Turn|Query|Call|Result|Answer|Job|Task|Ticket|Document|Doc|Entry|Record|Row|Chunk|Part|Prompt|Question)s?$/i;

/** A type without pointers, parentheses and type arguments. */
export function bareType(given: TreeNode | null): TreeNode | null {
  let node = unwrapped(given);
  while (node !== null) {
    if (node.type === 'pointer_type' || node.type === 'parenthesized_type' || node.type === 'negated_type')
      node = named(node)[0] ?? null;
    else if (node.type === 'generic_type' || node.type === 'type_instantiation_expression')
      node = node.field('type') ?? named(node)[0] ?? null;
    else return node;
  }
  return null;
}

/** The type of the items of a list or a map. */
export function itemType(given: TreeNode | null): TreeNode | null {
  const node = bareType(given);
  return node?.field('element') ?? (node?.type === 'map_type' ? node.field('value') : null);
}

/** The name of a type as an expression, whatever it holds. */
export function typeExpression(lowering: GoLowering, given: TreeNode | null): Expression | null {
  const node = bareType(given);
  if (node?.type === 'qualified_type') {
    const object = lowering.name(node.field('package')?.text ?? '', node.start);
    return { kind: 'member', object, property: plainName(node.field('name')?.text ?? ''), at: node.start };
  }
  return node?.type === 'type_identifier' && !isBasic(node.text)
    ? lowering.name(node.text, node.start)
    : null;
}

function isBasic(name: string): boolean {
  return numbers.test(name) || texts.test(name);
}

/** Numbers, flags, functions and errors: no text of anybody. */
export function isPlain(given: TreeNode | null): boolean {
  const node = unwrapped(given);
  return node?.type === 'function_type' || (node?.type === 'type_identifier' && numbers.test(node.text));
}

/** The type of something that does something, as an expression; null for what holds data. */
export function serviceType(lowering: GoLowering, given: TreeNode | null): Expression | null {
  const node = bareType(given);
  if (node?.type === 'qualified_type')
    return serves.test(node.field('name')?.text ?? '') ? typeExpression(lowering, node) : null;
  if (node?.type !== 'type_identifier') return null;
  const own = lowering.typeNamed(node.text);
  if (own === undefined) return null;
  if (own.kind === 'interface')
    return lowering.implementers(own).length > 0 ? typeExpression(lowering, node) : null;
  return isData(lowering, own) ? null : typeExpression(lowering, node);
}

/** Whether a type only holds what somebody said. */
function isData(lowering: GoLowering, type: TypeDeclaration, depth = 0): boolean {
  if (type.kind === 'other') return true;
  if (type.kind === 'interface' || depth > 4) return false;
  const ofData = type.fields.every((field) => isDataType(lowering, field.type, depth));
  if (!ofData) return false;
  return type.methods.size === 0 || type.fields.some(({ tagged }) => tagged) || dataNames.test(type.name);
}

function isDataType(lowering: GoLowering, given: TreeNode | null, depth: number): boolean {
  const node = bareType(given);
  if (node === null) return false;
  const inner = itemType(node);
  if (inner !== null) return isDataType(lowering, inner, depth);
  if (node.type === 'struct_type') return true;
  if (node.type === 'qualified_type') return dataTypes.test(node.field('name')?.text ?? '');
  if (node.type !== 'type_identifier') return false;
  const own = lowering.typeNamed(node.text);
  return own === undefined ? isBasic(node.text) : isData(lowering, own, depth + 1);
}

/** What a variable of a type is before anything is put into it. */
export function zeroOf(lowering: GoLowering, given: TreeNode | null, at: number): Expression {
  const node = unwrapped(given);
  const nothing: Expression = { kind: 'constant', value: null, at };
  if (node?.type === 'struct_type' || node?.type === 'array_type') return { kind: 'object', entries: [], at };
  if (node?.type === 'type_identifier' && isBasic(node.text)) {
    if (node.text === 'bool') return { kind: 'constant', value: false, at };
    if (node.text === 'string') return { kind: 'constant', value: '', at };
    return numbers.test(node.text) && node.text !== 'error' ? { kind: 'constant', value: 0, at } : nothing;
  }
  const own = node?.type === 'type_identifier' ? lowering.typeNamed(node.text) : undefined;
  const holds =
    own === undefined
      ? node?.type === 'qualified_type' || node?.type === 'generic_type'
      : own.kind === 'struct' || bareType(own.node)?.type === 'qualified_type';
  if (!holds) return nothing;
  return madeOf(lowering, node, [], at);
}

/** A record of a type: it has the methods of the type, and what is known under its name. */
export function madeOf(
  lowering: GoLowering,
  type: TreeNode | null,
  entries: Extract<Expression, { kind: 'object' }>['entries'],
  at: number,
): Expression {
  const shape = typeExpression(lowering, type);
  return { kind: 'object', entries, at, ...(shape === null ? {} : { class: shape }) };
}

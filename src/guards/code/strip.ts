// Turns TypeScript into JavaScript: types become white space, and enums and parameter properties become the code that
// they stand for. Every line stays where it was.

import type { JavascriptNode } from '../../core/index.ts';
import { applyEdits, type Edit, type Edited, lineEndsOf, whiteSpaceFor } from './edits.ts';
import { childrenOf, isNode, nodesIn } from './tree.ts';

/** The text without its types, or the node that has no form in JavaScript. */
export type Stripped = Edited | { readonly refused: JavascriptNode };

/** Declarations and members of classes that are nothing once types are gone. */
const declarations: ReadonlySet<string> = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
  'TSAbstractAccessorProperty',
  'TSIndexSignature',
]);

/** Parts that are nothing but types. */
const types: ReadonlySet<string> = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
]);

/** Types behind an expression. */
const asserting: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
]);

const classes: ReadonlySet<string> = new Set(['ClassDeclaration', 'ClassExpression']);
const members: ReadonlySet<string> = new Set(['MethodDefinition', 'PropertyDefinition', 'AccessorProperty']);
const functions: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Words before a class or a member of one that only TypeScript knows, between comments and other words. */
const modifiers =
  /\/\*[\s\S]*?\*\/|\/\/[^\n\r]*|\b(public|private|protected|readonly|override|abstract|declare)\b/g;

/** Strips the tree that was read of a text. */
export function stripTypes(text: string, root: JavascriptNode): Stripped {
  const stripper = new Stripper(text);
  stripper.visit(root, -1);
  return stripper.refused === undefined ? applyEdits(text, stripper.edits) : { refused: stripper.refused };
}

class Stripper {
  readonly edits: Edit[] = [];
  refused: JavascriptNode | undefined;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** `statementEnd` is where the statement around the node ends, if nothing but a line end ends it. */
  visit(node: JavascriptNode, statementEnd: number): void {
    if (this.refused !== undefined) return;
    const { type, start, end } = node;
    if (isNothing(node)) {
      this.#blank(start, end, true);
      return;
    }
    if (types.has(type)) {
      this.#blank(start, end);
      return;
    }
    const { expression } = node;
    if (isNode(expression) && asserting.has(type)) {
      this.#blank(expression.end, end, end === statementEnd);
      this.visit(expression, -1);
      return;
    }
    if (isNode(expression) && type === 'TSTypeAssertion') {
      this.#blank(start, expression.start);
      this.visit(expression, statementEnd);
      return;
    }
    // What a class implements was taken away with its keyword.
    if (type === 'TSClassImplements') return;
    if (!this.#takesMarks(node)) {
      this.refused = node;
      return;
    }
    const last = statements.has(type) && this.#text[end - 1] !== ';' ? end : statementEnd;
    for (const child of childrenOf(node)) this.visit(child, last);
  }

  /** Takes away what only TypeScript has of a node, besides its children; false where the node has no form in JavaScript. */
  #takesMarks(node: JavascriptNode): boolean {
    const { type } = node;
    if (type === 'TSEnumDeclaration') this.#enum(node);
    else if (type === 'TSParameterProperty') this.#blank(node.start, innerOf(node).start);
    else if (type.startsWith('TS') && !inEnums.has(type)) return false;
    if (classes.has(type)) this.#class(node);
    if (members.has(type)) {
      this.#modifiers(node);
      if (node['kind'] === 'constructor' && !this.#parameterMembers(node)) return false;
    }
    if (functions.has(type)) this.#thisParameter(node);
    if (node['optional'] === true && (type === 'Identifier' || members.has(type))) this.#mark(node, '?');
    if (node['definite'] === true) this.#mark(node, '!');
    return true;
  }

  /** Blanks a part. With `ends`, a semicolon keeps what follows from joining what is before. */
  #blank(start: number, end: number, ends = false): void {
    if (end <= start) return;
    const white = whiteSpaceFor(this.#text.slice(start, end));
    this.edits.push({ start, end, text: ends ? `;${white.slice(1)}` : white });
  }

  #replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text: `${text}${lineEndsOf(this.#text.slice(start, end))}` });
  }

  /** The question or exclamation mark behind a name. */
  #mark(node: JavascriptNode, mark: '?' | '!'): void {
    const { key, name, id, typeAnnotation, value } = node;
    const named = isNode(id) ? id : node;
    const ownName = named['name'] ?? name;
    const from = isNode(key) ? key.end : named.start + (typeof ownName === 'string' ? ownName.length : 0);
    const annotated = isNode(id) ? id['typeAnnotation'] : typeAnnotation;
    const to = isNode(annotated) ? annotated.start : isNode(value) ? value.start : node.end;
    const at = this.#text.indexOf(mark, from);
    if (at >= 0 && at < to) this.#blank(at, at + 1);
  }

  #class(node: JavascriptNode): void {
    const { id, superClass, body, abstract } = node;
    const opening = startBehindDecorators(node);
    if (abstract === true) this.#words(opening, node, this.#text.indexOf('class', opening));
    const list = nodesIn(node['implements']);
    const [first] = list;
    const last = list.at(-1);
    if (first === undefined || last === undefined || !isNode(body)) return;
    const before = isNode(superClass) ? superClass.end : isNode(id) ? id.end : node.start;
    const keyword = this.#text.lastIndexOf('implements', first.start);
    if (keyword >= before) this.#blank(keyword, last.end);
  }

  #modifiers(node: JavascriptNode): void {
    const { key } = node;
    this.#words(startBehindDecorators(node), node, isNode(key) ? key.start : undefined);
  }

  /** Blanks modifiers in front of a name; the first of a member ends what is before it. */
  #words(from: number, node: JavascriptNode, to = node.end): void {
    for (const found of this.#text.slice(from, to).matchAll(modifiers)) {
      const [word, modifier] = found;
      if (modifier === undefined) continue;
      const at = from + found.index;
      this.#blank(at, at + word.length, members.has(node.type) && at === node.start);
    }
  }

  #thisParameter(node: JavascriptNode): void {
    const [first, second] = nodesIn(node['params']);
    if (first?.type !== 'Identifier' || first['name'] !== 'this') return;
    const close = this.#text.indexOf(',', first.end);
    const end = second === undefined ? first.start + 'this'.length : close + 1;
    // The type itself is blanked with the other types, unless all up to the next parameter is.
    if (second === undefined) this.#blank(first.start, end);
    else {
      this.#blank(first.start, first.start + 'this'.length);
      this.#blank(first.end, end);
    }
  }

  /** A parameter with a modifier is a member, too: the constructor sets it. */
  #parameterMembers(node: JavascriptNode): boolean {
    const { value } = node;
    const body = isNode(value) ? value['body'] : undefined;
    if (!isNode(value) || !isNode(body)) return true;
    const names = nodesIn(value['params'])
      .filter(({ type }) => type === 'TSParameterProperty')
      .map(nameOfParameter);
    if (names.length === 0) return true;
    const made = names.map((name) => ` this.${name} = ${name};`).join('');
    const calls = nodesIn(body['body']).find(isSuperCall);
    const mentionsSuper = this.#text.slice(body.start, body.end).includes('super');
    if (calls === undefined && mentionsSuper) return false;
    const at = calls?.end ?? body.start + 1;
    this.edits.push({ start: at, end: at, text: calls === undefined ? made : `;${made}` });
    return true;
  }

  /** An enum is an object with its values by name, and its names by number. */
  #enum(node: JavascriptNode): void {
    const { id, body } = node;
    if (!isNode(id) || !isNode(body)) return;
    const name = String(id['name']);
    this.#replace(node.start, body.start + 1, `var ${name}; (function (${name}) {[`);
    this.edits.push({ start: body.end - 1, end: body.end, text: `]})(${name} || (${name} = {}));` });
    let next = '0';
    const known = new Set<string>();
    for (const member of nodesIn(body['members'])) {
      const { id: own, initializer } = member;
      if (!isNode(own)) continue;
      const key = String(own['name'] ?? own['value']);
      const quoted = JSON.stringify(key);
      const place = `${name}[${quoted}]`;
      const isText = isNode(initializer) && isTextIn(initializer);
      const opened = isText ? `${place} = ` : `${name}[${place} = `;
      if (isNode(initializer)) {
        this.#replace(member.start, initializer.start, opened);
        this.#named(initializer, known, name);
      } else this.#replace(member.start, member.end, `${opened}${next}`);
      if (!isText) this.edits.push({ start: member.end, end: member.end, text: `] = ${quoted}` });
      known.add(key);
      next = `${place} + 1`;
    }
  }

  /** Other members of an enum are named alone in the value of one. */
  #named(node: JavascriptNode, known: ReadonlySet<string>, name: string): void {
    const own = node['name'];
    if (node.type === 'Identifier' && typeof own === 'string' && known.has(own)) {
      this.edits.push({ start: node.start, end: node.start, text: `${name}.` });
      return;
    }
    const inner = node.type === 'MemberExpression' ? [node['object']] : childrenOf(node);
    for (const child of inner) if (isNode(child)) this.#named(child, known, name);
  }
}

const inEnums: ReadonlySet<string> = new Set(['TSEnumBody', 'TSEnumMember']);

/** Whether a node is nothing once types are gone. */
function isNothing(node: JavascriptNode): boolean {
  const { type, value, body } = node;
  if (declarations.has(type) || node['declare'] === true || node['exportKind'] === 'type') return true;
  if (type === 'ImportDeclaration') return importsTypes(node);
  if (type === 'MethodDefinition') return isNode(value) && value.type === 'TSEmptyBodyFunctionExpression';
  if (type !== 'TSModuleDeclaration' || !isNode(body)) return false;
  return nodesIn(body['body']).every((inner) => {
    const { declaration } = inner;
    return isNothing(inner.type === 'ExportNamedDeclaration' && isNode(declaration) ? declaration : inner);
  });
}

/** Whether an import has nothing but types. */
function importsTypes(node: JavascriptNode): boolean {
  const specifiers = nodesIn(node['specifiers']);
  const isAll = specifiers.length > 0 && specifiers.every((one) => one['importKind'] === 'type');
  return node['importKind'] === 'type' || isAll;
}

function startBehindDecorators(node: JavascriptNode): number {
  return nodesIn(node['decorators']).at(-1)?.end ?? node.start;
}

function innerOf(property: JavascriptNode): JavascriptNode {
  const { parameter } = property;
  return isNode(parameter) ? parameter : property;
}

function nameOfParameter(property: JavascriptNode): string {
  const inner = innerOf(property);
  const { left } = inner;
  return String((isNode(left) ? left : inner)['name']);
}

function isSuperCall({ type, expression }: JavascriptNode): boolean {
  if (type !== 'ExpressionStatement' || !isNode(expression) || expression.type !== 'CallExpression')
    return false;
  const { callee } = expression;
  return isNode(callee) && callee.type === 'Super';
}

/** Whether a value in an enum is a text as it is written. */
function isTextIn(node: JavascriptNode): boolean {
  if (node.type === 'Literal') return typeof node['value'] === 'string';
  if (node.type === 'TemplateLiteral') return true;
  return (
    node.type === 'BinaryExpression' &&
    [node['left'], node['right']].some((side) => isNode(side) && isTextIn(side))
  );
}

const statements: ReadonlySet<string> = new Set([
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
]);

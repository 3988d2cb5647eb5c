// Whether a document fits its schema, by the rules of the specification as graphql-js has them. Its `validate` looks up
// every rule for every kind of node that there is, and visits every name, before it looks at a document: for a query of
// ordinary size that is more than half of its time.

import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  BREAK,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getEnterLeaveForKind,
  type Kind,
  type OperationDefinitionNode,
  specifiedRules,
  TypeInfo,
  ValidationContext,
  visit,
} from 'graphql';

/** What each kind of node holds that a rule looks at; names and descriptions are read from the node that has them. */
const children: Readonly<Record<string, readonly string[]>> = {
  Document: ['definitions'],
  OperationDefinition: ['variableDefinitions', 'directives', 'selectionSet'],
  VariableDefinition: ['variable', 'type', 'defaultValue', 'directives'],
  SelectionSet: ['selections'],
  Field: ['arguments', 'directives', 'selectionSet'],
  Argument: ['value'],
  FragmentArgument: ['value'],
  FragmentSpread: ['arguments', 'directives'],
  InlineFragment: ['typeCondition', 'directives', 'selectionSet'],
  FragmentDefinition: ['variableDefinitions', 'typeCondition', 'directives', 'selectionSet'],
  ListValue: ['values'],
  ObjectValue: ['fields'],
  ObjectField: ['value'],
  Directive: ['arguments'],
  ListType: ['type'],
  NonNullType: ['type'],
};

/** The kinds of nodes that have something that a rule for all of them looks at. */
const kinds = Object.keys(children) as Kind[];

type Visit = ASTVisitFn<ASTNode>;

/** One rule at work: what it does with a kind of node. */
interface Call {
  readonly rule: number;
  readonly visitor: ASTVisitor;
  readonly enter: Visit | undefined;
  readonly leave: Visit | undefined;
}

/** What rules need of a document: what they ask about variables is looked for only where there can be some. */
class Context extends ValidationContext {
  text = '';

  override getVariableUsages(node: OperationDefinitionNode | FragmentDefinitionNode) {
    const { start = 0, end = this.text.length } = node.loc ?? {};
    const sign = this.text.indexOf('$', start);
    return sign === -1 || sign >= end ? [] : super.getVariableUsages(node);
  }
}

/** The first reason why a document, which was parsed with its places in the text, does not fit; or none. */
export function firstError(
  schema: GraphQLSchema,
  document: DocumentNode,
  text: string,
): GraphQLError | undefined {
  let first: GraphQLError | undefined;
  const types = new TypeInfo(schema);
  const report = (error: GraphQLError) => {
    first ??= error;
  };
  const context = new Context(schema, document, types, report, { hideSuggestions: true });
  context.text = text;
  const visitors = specifiedRules.map((rule) => rule(context));
  /** The node below which a rule looks at nothing. */
  const skipped: (ASTNode | undefined)[] = visitors.map(() => undefined);
  let skipping = 0;
  const calls = callsOf(visitors);
  const enter: Visit = (node, key, parent, path, ancestors) => {
    types.enter(node);
    for (const { rule, visitor, enter: work } of calls.get(node.kind) ?? []) {
      if (work === undefined || skipped[rule] !== undefined) continue;
      if (work.call(visitor, node, key, parent, path, ancestors) === false) {
        skipped[rule] = node;
        skipping++;
      }
      if (first !== undefined) return BREAK;
    }
    return undefined;
  };
  const leave: Visit = (node, key, parent, path, ancestors) => {
    for (const { rule, visitor, leave: work } of calls.get(node.kind) ?? []) {
      if (work === undefined || skipped[rule] !== undefined) continue;
      work.call(visitor, node, key, parent, path, ancestors);
      if (first !== undefined) return BREAK;
    }
    for (let rule = 0; skipping > 0 && rule < skipped.length; rule++) {
      if (skipped[rule] !== node) continue;
      skipped[rule] = undefined;
      skipping--;
    }
    types.leave(node);
    return undefined;
  };
  try {
    visit(document, { enter, leave }, children);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    // The rules give up on fragments that are spread too often.
    return first ?? error;
  }
  return first;
}

/** What the rules do with each kind of node, in the order of the rules. */
function callsOf(visitors: readonly ASTVisitor[]): ReadonlyMap<Kind, readonly Call[]> {
  const calls = new Map<Kind, Call[]>();
  for (const [rule, visitor] of visitors.entries()) {
    const isGeneral = 'enter' in visitor || 'leave' in visitor;
    for (const kind of isGeneral ? kinds : (Object.keys(visitor) as Kind[])) {
      const { enter, leave } = getEnterLeaveForKind(visitor, kind);
      const call = { rule, visitor, enter, leave };
      const known = calls.get(kind);
      if (known === undefined) calls.set(kind, [call]);
      else known.push(call);
    }
  }
  return calls;
}

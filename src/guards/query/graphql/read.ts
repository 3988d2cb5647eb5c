// Reads a GraphQL document against its schema. Limits are held before anything whose time grows faster than the text.

import type {
  ArgumentNode,
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';
import type { CodeMode } from '../../../config/sources.ts';
import { type Budget, type JsonObject, visible } from '../../../core/index.ts';
import {
  actionOf,
  type QueryAction,
  type QueryFacts,
  type QueryFlag,
  type QueryOperation,
  type Reading,
  type Unknown,
  type Unreadable,
} from '../facts.ts';
import { listed, verbs } from '../words.ts';
import { isMadeOf } from './aggregates.ts';
import { Inputs } from './inputs.ts';
import { assumedPage, isPagedList, pageSize } from './pages.ts';
import type { Graphql } from './schema.ts';
import { firstError } from './validate.ts';

/** Numbers stop here: a document of a few lines can ask for more than a number holds. */
const most = 1e12;

/** What a set of selections adds up to. */
interface Sums {
  depth: number;
  selections: number;
  aliases: number;
  directives: number;
  cost: number;
}

type Measure = Readonly<Sums>;

const nothing: Measure = { depth: 0, selections: 0, aliases: 0, directives: 0, cost: 0 };

function add(all: Sums, { depth, selections, aliases, directives, cost }: Measure): void {
  all.depth = Math.max(all.depth, depth);
  all.selections = Math.min(most, all.selections + selections);
  all.aliases = Math.min(most, all.aliases + aliases);
  all.directives = Math.min(most, all.directives + directives);
  all.cost = Math.min(most, all.cost + cost);
}

/** What stops a reading: the query is refused with this, and nothing else is looked at. */
class Stop extends Error {
  readonly unreadable: Unreadable;
  constructor(unreadable: Unreadable) {
    super(unreadable.message);
    this.unreadable = unreadable;
  }
}

export interface GraphqlInput {
  readonly text: string;
  readonly variables: JsonObject;
  readonly schema: GraphQLSchema;
  readonly mode: CodeMode;
  readonly budget: Budget;
}

/** The facts of a document, or why there are none. */
export function readGraphql(graphql: Graphql, input: GraphqlInput): Reading {
  try {
    return new Reader(graphql, input).read();
  } catch (error) {
    if (error instanceof Stop) return { unreadable: error.unreadable };
    throw error;
  }
}

class Reader {
  readonly #graphql: Graphql;
  readonly #input: GraphqlInput;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Measures by selection set, then by the type it is selected from and the size of the page around it. */
  readonly #measured = new Map<SelectionSetNode, Map<string, Measure>>();
  /** Fragments that are being measured: one that comes back to itself has no end. */
  readonly #open = new Set<string>();
  readonly #fields = new Set<string>();
  readonly #relations = new Set<string>();
  readonly #flags = new Set<QueryFlag>();
  readonly #unknowns: Unknown[] = [];
  readonly #operations = new Map<string, QueryOperation>();
  readonly #inputs: Inputs;
  /** Root fields as they are asked for, and what the schema says of each. */
  readonly #roots: { readonly type: string; readonly node: FieldNode; readonly about: string }[] = [];
  /** Fields that a list protects, each with its type. */
  readonly #guarded: readonly (readonly [type: string, field: string])[];
  #values: JsonObject = {};

  constructor(graphql: Graphql, input: GraphqlInput) {
    this.#graphql = graphql;
    this.#input = input;
    const { graphql: lists, sensitiveFields } = input.mode;
    this.#guarded = [...lists.blockedFields, ...sensitiveFields].map((field) => {
      const [type = '', name = ''] = field.split('.');
      return [type, name];
    });
    this.#inputs = new Inputs(graphql, input.schema, input.mode, (type, field) =>
      this.#addField(type, field),
    );
  }

  read(): Reading {
    const { schema, mode, budget, text } = this.#input;
    const document = this.#parse();
    const operation = this.#only(document);
    const root = schema.getRootType(operation.operation);
    if (!root)
      throw new Stop({ rule: 'query_invalid', message: `The schema has no ${operation.operation}.` });
    if (operation.operation === 'subscription') this.#flags.add('subscription');
    this.#values = this.#variables(operation);
    const own = this.#directives(operation.directives);
    for (const { directives } of [...this.#fragments.values(), ...(operation.variableDefinitions ?? [])])
      this.#directives(directives);
    const measure = { ...nothing, directives: own };
    add(measure, this.#measure(operation.selectionSet, root, null, operation.operation));
    this.#hold(measure);
    budget.spend(100 + document.definitions.length);
    this.#validate(document);
    const inputs = this.#inputs;
    inputs.variables(operation, this.#values);
    if (inputs.depth > mode.graphql.maxDepth) {
      throw new Stop({ rule: 'excessive_depth', message: 'An input lies too deep in others.' });
    }
    const operations = [...this.#operations.values()];
    // The schema is answered by us, and data by the server: one answer does not come from both.
    if (new Set(operations.map(({ name }) => name.startsWith('__'))).size > 1)
      this.#unknowns.push({ what: 'a question for the schema beside one for data', instead: 'described' });
    return {
      facts: {
        language: 'graphql',
        action: actionOf(operations),
        operations,
        relations: [...this.#relations].sort(),
        fields: [...this.#fields, ...inputs.fields].sort(),
        inputs: [...inputs.names].sort(),
        functions: [],
        ...measure,
        joins: 0,
        rows: null,
        flags: this.#flags,
        tenantless: [],
        unknowns: [...this.#unknowns, ...inputs.unknowns],
        summary: this.#summaries(actionOf(operations)),
        canonical: this.#graphql.stripIgnoredCharacters(text),
      },
    };
  }

  /** What is asked for, with the arguments, and with their values where those are shown. */
  #summaries(action: QueryAction): NonNullable<QueryFacts['summary']> {
    const roots = new Set(this.#roots.map(({ type, node }) => `${type}.${node.name.value}`));
    const names = [...this.#fields]
      .filter((field) => !roots.has(field))
      .map((field) => field.slice(field.lastIndexOf('.') + 1));
    const what = action === 'read' && names.length > 0 ? `${listed(names.sort())} of ` : '';
    const said = (argument: (node: ArgumentNode) => string): string => {
      const calls = this.#roots.map(({ node, about }) => {
        const args = (node.arguments ?? []).map(argument);
        return `${node.name.value}${args.length === 0 ? '' : `(${args.join(', ')})`}${about}`;
      });
      return `${verbs[action]} ${what}${listed(calls)}`;
    };
    return {
      plain: said(({ name }) => name.value),
      full: said(({ name, value }) => `${name.value}: ${this.#shownValue(value)}`),
    };
  }

  #shownValue(value: ValueNode): string {
    const given = value.kind === this.#graphql.Kind.VARIABLE ? this.#values[value.name.value] : undefined;
    const text = given === undefined ? this.#graphql.print(value) : JSON.stringify(given);
    return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  }

  #parse(): DocumentNode {
    const { text, mode } = this.#input;
    try {
      return this.#graphql.parse(text, { maxTokens: mode.graphql.maxTokens });
    } catch (error) {
      const at = error instanceof this.#graphql.GraphQLError ? error.positions?.[0] : undefined;
      // The parser tells its limit only by this sentence.
      const full = error instanceof Error && /more tha[tn] \d+ tokens/.test(error.message);
      throw new Stop({
        rule: full ? 'excessive_tokens' : 'query_invalid',
        message: full
          ? `The document has more than ${mode.graphql.maxTokens} words and signs.`
          : 'This is not a GraphQL document.',
        ...(at === undefined ? {} : { span: [at, Math.min(text.length, at + 1)] }),
      });
    }
  }

  /** The one operation; a second one could be chosen after this one was judged. */
  #only(document: DocumentNode): OperationDefinitionNode {
    const operations: OperationDefinitionNode[] = [];
    for (const definition of document.definitions) {
      if (definition.kind === this.#graphql.Kind.OPERATION_DEFINITION) operations.push(definition);
      else if (definition.kind !== this.#graphql.Kind.FRAGMENT_DEFINITION) {
        throw new Stop({
          rule: 'query_invalid',
          message: 'A query holds operations and fragments, nothing else.',
        });
      } else if (this.#fragments.has(definition.name.value)) {
        throw new Stop({ rule: 'query_invalid', message: 'Two fragments have the same name.' });
      } else this.#fragments.set(definition.name.value, definition);
    }
    const [operation, second] = operations;
    if (operation === undefined || second !== undefined) {
      throw new Stop({ rule: 'query_invalid', message: 'A query holds exactly one operation.' });
    }
    return operation;
  }

  /** The variables as the server will see them. */
  #variables(operation: OperationDefinitionNode): JsonObject {
    const { schema, variables } = this.#input;
    const declared = new Set(
      (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value),
    );
    const stray = Object.keys(variables).some((name) => !declared.has(name));
    const read = stray
      ? undefined
      : this.#graphql.getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
          maxErrors: 1,
        });
    if (read?.variableValues === undefined) {
      const message = stray
        ? 'A variable is given that the operation does not declare.'
        : 'A variable is missing, or is not of its type.';
      throw new Stop({ rule: 'query_invalid', message });
    }
    return read.variableValues.coerced as JsonObject;
  }

  /** Holds the sums to their limits before `validate`, which compares every field with every other. */
  #hold({ depth, selections }: Measure): void {
    const { maxDepth, maxFields } = this.#input.mode.graphql;
    if (depth > maxDepth) {
      const message = `The fields lie ${depth} deep in one another; ${maxDepth} are allowed.`;
      throw new Stop({ rule: 'excessive_depth', message });
    }
    if (selections > maxFields) {
      const message = `It selects ${selections >= most ? 'too many' : selections} fields; ${maxFields} are allowed.`;
      throw new Stop({ rule: 'excessive_fields', message });
    }
  }

  #validate(document: DocumentNode): void {
    const error = firstError(this.#input.schema, document, this.#input.text);
    if (error === undefined) return;
    const at = error.positions?.[0];
    throw new Stop({
      rule: 'query_invalid',
      message: 'The document does not fit the schema.',
      ...(at === undefined ? {} : { span: [at, at + 1] }),
    });
  }

  #measure(set: SelectionSetNode, parent: GraphQLNamedType, page: number | null, root?: string): Measure {
    const known = this.#measured.get(set) ?? new Map<string, Measure>();
    this.#measured.set(set, known);
    const key = `${parent.name} ${page}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    this.#input.budget.spend(1 + set.selections.length);
    const all = { ...nothing };
    for (const selection of set.selections) {
      all.directives = Math.min(most, all.directives + this.#directives(selection.directives));
      if (selection.kind === this.#graphql.Kind.FIELD) {
        add(all, this.#field(selection, parent, page, root));
        continue;
      }
      const fragment = selection.kind === this.#graphql.Kind.FRAGMENT_SPREAD ? selection.name.value : null;
      const target = fragment === null ? selection : this.#fragments.get(fragment);
      if (target === undefined || !('selectionSet' in target)) {
        throw new Stop({ rule: 'query_invalid', message: 'A fragment is used that is not there.' });
      }
      if (fragment !== null && this.#open.has(fragment)) {
        throw new Stop({ rule: 'query_invalid', message: 'A fragment comes back to itself.' });
      }
      const condition = target.typeCondition;
      const type = condition === undefined ? parent : this.#input.schema.getType(condition.name.value);
      if (type === undefined)
        throw new Stop({ rule: 'query_invalid', message: 'A fragment is on no known type.' });
      if (fragment !== null) this.#open.add(fragment);
      add(all, this.#measure(target.selectionSet, type, page, root));
      if (fragment !== null) this.#open.delete(fragment);
    }
    known.set(key, all);
    return all;
  }

  #field(node: FieldNode, parent: GraphQLNamedType, page: number | null, root: string | undefined): Measure {
    const name = node.name.value;
    const aliases = node.alias === undefined ? 0 : 1;
    if (name === '__typename') return { ...nothing, depth: 1, selections: 1, aliases, cost: 0 };
    const field = this.#fieldOf(parent, name);
    if (field === undefined) {
      throw new Stop({ rule: 'query_invalid', message: 'A field is not in the schema.' });
    }
    if (root !== undefined) {
      this.#addOperation(name, root);
      this.#roots.push({ type: parent.name, node, about: firstSentence(field.description) });
    }
    // What an API of many parts offers to its router tells as much as introspection does.
    if (name.startsWith('__') || (root !== undefined && (name === '_service' || name === '_entities'))) {
      this.#flags.add('introspection');
    }
    this.#addField(parent, name);
    this.#inputs.given(field.args, node.arguments, {
      of: this.#graphql.getNamedType(field.type),
      changes: parent === this.#input.schema.getMutationType(),
      values: this.#values,
    });
    const size = pageSize(this.#graphql, node, field, this.#values);
    if (size === 'unknown') this.#unknowns.push({ what: 'a page size that is not a number of rows' });
    const type = this.#graphql.getNamedType(field.type);
    const listed = this.#graphql.isListType(this.#graphql.getNullableType(field.type));
    if (isPagedList(field) && size === null) this.#flags.add('unpaged');
    const weight = weightOf(this.#graphql, field);
    if (node.selectionSet === undefined) {
      return { ...nothing, depth: 1, selections: 1, aliases, cost: weight };
    }
    const given = typeof size === 'number' ? size : null;
    const times = listed ? (given ?? page ?? assumedPage) : 1;
    // The rows of a page lie in a list inside what has the size.
    const inside = this.#measure(node.selectionSet, type, listed ? null : given);
    return {
      depth: 1 + inside.depth,
      selections: Math.min(most, 1 + inside.selections),
      aliases: Math.min(most, aliases + inside.aliases),
      directives: inside.directives,
      cost: Math.min(most, weight + times * inside.cost),
    };
  }

  #fieldOf(parent: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
    const { schema } = this.#input;
    return this.#graphql.isCompositeType(parent) ? (schema.getField(parent, name) ?? undefined) : undefined;
  }

  #addOperation(name: string, root: string): void {
    const action: QueryAction = root === 'mutation' ? (deletes(name) ? 'delete' : 'write') : 'read';
    this.#operations.set(name, { name, action, verb: root });
  }

  /** A field stands under the type it is selected from, and under every type of the same object that a rule names. */
  #addField(parent: GraphQLNamedType, name: string): void {
    const { schema } = this.#input;
    this.#fields.add(`${parent.name}.${name}`);
    if (!name.startsWith('__')) this.#relations.add(parent.name);
    for (const [type, of] of this.#guarded) {
      if (of === name) {
        const other = schema.getType(type);
        if (other !== undefined && overlaps(this.#graphql, schema, parent, other))
          this.#fields.add(`${type}.${of}`);
      }
      if (isMadeOf(parent.name, name, type, of)) this.#fields.add(`${type}.${of}`);
    }
  }

  #directives(nodes: readonly DirectiveNode[] | undefined): number {
    for (const { name, arguments: given } of nodes ?? []) {
      if (name.value === 'defer' || name.value === 'stream') this.#flags.add('incremental');
      const { args = [] } = this.#input.schema.getDirective(name.value) ?? {};
      this.#inputs.given(args, given, { of: null, changes: false, values: this.#values });
    }
    return nodes?.length ?? 0;
  }
}

/** How much of a value is shown. */
const longestShown = 120;

/** What a schema says of a field, as far as its first sentence. */
function firstSentence(description: string | null | undefined): string {
  const [first = ''] = (description ?? '').trim().split(/(?<=[.!?])\s|\n/);
  return first === '' ? '' : ` (${visible(first, longestShown)})`;
}

/** Names are a hint and only ever make a change stronger. */
function deletes(name: string): boolean {
  return /^(?:delete|remove|destroy|purge|drop|erase|wipe|truncate|clear|revoke)|(?:Delete|Remove|Destroy|Purge|Erase)(?=[A-Z]|$)/.test(
    name,
  );
}

/** Whether one object can be of both types. */
function overlaps(
  graphql: Graphql,
  schema: GraphQLSchema,
  one: GraphQLNamedType,
  other: GraphQLNamedType,
): boolean {
  if (one.name === other.name) return true;
  const mine = new Set(objectsOf(graphql, schema, one));
  return objectsOf(graphql, schema, other).some((type) => mine.has(type));
}

function objectsOf(
  graphql: Graphql,
  schema: GraphQLSchema,
  type: GraphQLNamedType,
): readonly GraphQLObjectType[] {
  if (graphql.isAbstractType(type)) return schema.getPossibleTypes(type);
  return graphql.isObjectType(type) ? [type] : [];
}

/** What a field costs by itself: the schema may say so with `@cost(weight: …)`. */
function weightOf(graphql: Graphql, field: GraphQLField<unknown, unknown>): number {
  const cost = field.astNode?.directives?.find(({ name }) => name.value === 'cost');
  const weight = cost?.arguments?.find(({ name }) => name.value === 'weight')?.value;
  if (weight === undefined) return 1;
  const value =
    weight.kind === graphql.Kind.INT || weight.kind === graphql.Kind.FLOAT ? Number(weight.value) : 1;
  return Number.isFinite(value) ? Math.max(0, value) : 1;
}

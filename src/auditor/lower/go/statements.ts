// Lowers the statements of Go.

import type { TreeNode } from '../../../core/index.ts';
import type { Block, Expression, Pattern, Statement } from '../../ir.ts';
import { taskOf } from './callables.ts';
import type { GoLowering } from './lowering.ts';
import { isStatus } from './names.ts';
import { listed, named, ofType, rootOf, statementsOf, unwrapped } from './nodes.ts';
import { zeroOf } from './types.ts';
import { lowerResults, lowerTarget, lowerValue } from './values.ts';

type Rule = (lowering: GoLowering, node: TreeNode) => readonly Statement[];

const nothing: Rule = () => [];

/** How each kind of node in the place of a statement is lowered. */
const statements: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    expression_statement: lowerDone,
    short_var_declaration: (lowering, node) => lowerAssignment(lowering, node, true),
    assignment_statement: (lowering, node) => lowerAssignment(lowering, node, false),
    inc_statement: nothing,
    dec_statement: nothing,
    var_declaration: lowerVariables,
    const_declaration: lowerVariables,
    send_statement: (lowering, node) => {
      const at = node.start;
      const object = lowerValue(lowering, node.field('channel'));
      const callee: Expression = { kind: 'member', object, property: 'push', at };
      const given = [{ value: lowerValue(lowering, node.field('value')) }];
      return [{ kind: 'do', value: { kind: 'call', callee, arguments: given, at, end: node.end }, at }];
    },
    return_statement: lowerReturn,
    go_statement: (lowering, node) => startTask(lowering, node, named(node)[0] ?? null),
    if_statement: (lowering, node) => lowering.inner(() => lowerBranch(lowering, node)),
    for_statement: (lowering, node) => lowering.inner(() => lowerLoop(lowering, node)),
    expression_switch_statement: (lowering, node) => lowering.inner(() => lowerSwitch(lowering, node)),
    type_switch_statement: (lowering, node) => lowering.inner(() => lowerTypeSwitch(lowering, node)),
    select_statement: lowerSelect,
    labeled_statement: (lowering, node) =>
      named(node)
        .filter(({ type }) => type !== 'label_name')
        .flatMap((one) => lowerStatement(lowering, one)),
    break_statement: (_, node) => [{ kind: 'break', at: node.start }],
    continue_statement: (_, node) => [{ kind: 'continue', at: node.start }],
    goto_statement: (_, node) => [{ kind: 'continue', at: node.start }],
    fallthrough_statement: nothing,
    empty_statement: nothing,
    type_declaration: nothing,
    block: (lowering, node) => lowerBlock(lowering, node),
  }),
);

export function lowerStatement(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const rule = statements.get(node.type);
  return lowering.withBefore(
    () => rule?.(lowering, node) ?? [{ kind: 'do', value: lowerValue(lowering, node), at: node.start }],
  );
}

export function lowerBlock(lowering: GoLowering, node: TreeNode | null): Block {
  return lowering.inner(() => lowerAll(lowering, statementsOf(node)));
}

/** Statements in their order; what is deferred happens after all that follow it. */
function lowerAll(lowering: GoLowering, nodes: readonly TreeNode[]): Block {
  const at = nodes.findIndex(({ type }) => type === 'defer_statement');
  if (at < 0) return nodes.flatMap((node) => lowerStatement(lowering, node));
  const [deferred] = nodes.slice(at);
  const before = nodes.slice(0, at).flatMap((node) => lowerStatement(lowering, node));
  const last = lowering.withBefore(() =>
    named(deferred ?? null).map(
      (call): Statement => ({ kind: 'do', value: lowerValue(lowering, call), at: call.start }),
    ),
  );
  const body = lowerAll(lowering, nodes.slice(at + 1));
  const handler = /\brecover\(\)/.test(deferred?.text ?? '') ? recovered(lowering, last) : null;
  return [...before, { kind: 'try', body, error: null, handler, last, at: deferred?.start ?? 0 }];
}

/** Behind a panic the function gives what its results are by then; without names for them, nothing. */
function recovered(lowering: GoLowering, last: Block): Block {
  const at = last[0]?.at ?? 0;
  const items = lowering.function.results.map((name) => ({ value: lowering.name(name, at), spread: false }));
  const [only] = items;
  if (only === undefined) return [];
  return [
    ...last,
    { kind: 'return', value: items.length === 1 ? only.value : { kind: 'list', items, at }, at },
  ];
}

/** What ends the program, whatever it is told. */
const ends = /^(log\.(Fatal|Panic)(f|ln)?|os\.Exit|runtime\.Goexit|logger\.Fatal\w*)$/;

function lowerDone(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const at = node.start;
  const [call] = named(node);
  const called = call?.type === 'call_expression' ? unwrapped(call.field('function')) : null;
  const given = named(call?.field('arguments') ?? null);
  if (called?.text === 'panic') return [{ kind: 'throw', value: lowerValue(lowering, given[0] ?? null), at }];
  const [only] = given;
  if (called?.type === 'selector_expression' && called.field('field')?.text === 'Go' && given.length === 1)
    return startTask(lowering, node, only ?? null, rootOf(called));
  const done: Statement = { kind: 'do', value: lowerValue(lowering, call ?? null), at };
  return called !== null && ends.test(called.text) ? [done, { kind: 'throw', value: null, at }] : [done];
}

/** A function that nobody waits for, unless somebody does later. */
function startTask(
  lowering: GoLowering,
  node: TreeNode,
  run: TreeNode | null,
  group = '',
): readonly Statement[] {
  const at = node.start;
  const called = run?.type === 'call_expression';
  const task = taskOf(lowering, node, () => {
    const callee = lowerValue(lowering, run);
    const value: Expression = called ? callee : { kind: 'call', callee, arguments: [], at, end: node.end };
    return [{ kind: 'return', value, at }];
  });
  const variable = lowering.scope.fresh();
  lowering.function.tasks.push({ variable, text: `${group} ${node.text}` });
  const callee: Expression = { kind: 'function', function: task, at };
  const value: Expression = { kind: 'call', callee, arguments: [], at, end: node.end };
  return [{ kind: 'let', target: { kind: 'variable', variable, name: '', at }, value, at }];
}

function lowerReturn(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const at = node.start;
  const [list = null] = named(node);
  if (list !== null) return [{ kind: 'return', value: lowerResults(lowering, list), at }];
  const results = lowering.function.results.map((name) => lowering.name(name, at));
  const [only] = results;
  if (only === undefined) return [{ kind: 'return', value: null, at }];
  const items = results.map((value) => ({ value, spread: false }));
  return [{ kind: 'return', value: results.length === 1 ? only : { kind: 'list', items, at }, at }];
}

// ── variables

function lowerAssignment(lowering: GoLowering, node: TreeNode, declares: boolean): readonly Statement[] {
  const left = listed(node.field('left'));
  const right = listed(node.field('right'));
  const at = node.start;
  const adds = !declares && node.field('operator')?.text !== '=';
  const made = right.map((one) => lowerValue(lowering, one));
  const targets = left.map((one) => lowerTarget(lowering, one, declares));
  return assigned(targets, made, { adds, at });
}

function assigned(
  targets: readonly Pattern[],
  values: readonly Expression[],
  { adds, at }: { readonly adds: boolean; readonly at: number },
): readonly Statement[] {
  const [value] = values;
  if (value === undefined) return [];
  const put = (target: Pattern, given: Expression): Statement =>
    adds
      ? { kind: 'do', value: { kind: 'assign', target, value: given, adds, at }, at }
      : { kind: 'let', target, value: given, at };
  const [only] = targets;
  if (values.length === 1 && (targets.length > 1 || (only !== undefined && holdsStatus(only)))) {
    const tuple: Pattern = { kind: 'items', items: targets, tuple: true, at };
    return [put(tuple, value)];
  }
  return targets.flatMap((target, index) => {
    const given = values[index];
    return given === undefined ? [] : [put(target, given)];
  });
}

function holdsStatus(target: Pattern): boolean {
  return target.kind === 'variable' && target.name !== '_' && isStatus(target.name);
}

function lowerVariables(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const specs = named(node).flatMap((one) => (one.type === 'var_spec_list' ? named(one) : [one]));
  return specs.flatMap((spec): readonly Statement[] => {
    const names = ofType(spec, 'identifier');
    const at = spec.start;
    const given = listed(spec.field('value')).map((one) => lowerValue(lowering, one));
    const zero = () => zeroOf(lowering, spec.field('type'), at);
    const values = given.length > 0 || node.type === 'const_declaration' ? given : names.map(zero);
    return assigned(
      names.map((name) => lowerTarget(lowering, name, true)),
      values,
      { adds: false, at },
    );
  });
}

// ── ways

function lowerBranch(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const first = optional(lowering, node.field('initializer'));
  const test = lowerValue(lowering, node.field('condition'));
  const yes = lowerBlock(lowering, node.field('consequence'));
  const other = node.field('alternative');
  const no =
    other?.type === 'if_statement'
      ? lowering.inner(() => lowering.withBefore(() => lowerBranch(lowering, other)))
      : lowerBlock(lowering, other);
  return [...first, { kind: 'branch', test, yes, no, at: node.start }];
}

function optional(lowering: GoLowering, node: TreeNode | null): readonly Statement[] {
  return node === null ? [] : lowerStatement(lowering, node);
}

const always = (at: number): Expression => ({ kind: 'constant', value: true, at });
const anything = (at: number): Expression => ({ kind: 'mix', parts: [], at });

function lowerLoop(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const at = node.start;
  const block = node.field('body');
  const clause = named(node).find((one) => one !== block) ?? null;
  if (clause?.type === 'range_clause') return lowerRange(lowering, node, clause);
  const parts = clause?.type === 'for_clause' ? clause : null;
  const first = optional(lowering, parts?.field('initializer') ?? null);
  const condition = parts === null ? clause : parts.field('condition');
  const test = condition === null ? always(at) : lowerValue(lowering, condition);
  const body = lowerBlock(lowering, block);
  const update = optional(lowering, parts?.field('update') ?? null);
  return [...first, { kind: 'while', test, body: [...body, ...update], update: null, first: false, at }];
}

/** Of two names the first is the place, unless the second holds an error. */
function lowerRange(lowering: GoLowering, node: TreeNode, clause: TreeNode): readonly Statement[] {
  const at = node.start;
  const right = clause.field('right');
  const root = rootOf(right);
  if (root !== '') lowering.waitFor(root, at);
  const over = lowerValue(lowering, right);
  const targets = listed(clause.field('left')).map((one) => lowerTarget(lowering, one, true));
  const [first, second] = targets;
  const none: Pattern = { kind: 'variable', variable: lowering.scope.fresh(), name: '', at };
  const value = second === undefined || holdsStatus(second) ? (first ?? none) : second;
  return [
    { kind: 'each', target: value, over, body: lowerBlock(lowering, node.field('body')), waits: false, at },
  ];
}

function lowerSwitch(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const at = node.start;
  const first = optional(lowering, node.field('initializer'));
  const subject = node.field('value');
  const cases = named(node).filter(({ type }) => type === 'expression_case' || type === 'default_case');
  const value = subject === null ? always(at) : lowerValue(lowering, subject);
  if (subject === null) {
    // Of tests without a subject the first that is true decides.
    const chain = cases
      .filter(({ type }) => type === 'expression_case')
      .reduceRight<Block>(
        (no, one) => [
          { kind: 'branch', test: anyOf(lowering, one), yes: bodyOf(lowering, one), no, at: one.start },
        ],
        cases.filter(({ type }) => type === 'default_case').flatMap((one) => bodyOf(lowering, one)),
      );
    return [...first, { kind: 'switch', value, arms: [{ test: null, body: chain }], at }];
  }
  // A default stands last, wherever it is written.
  const ordered = cases.toSorted(
    (a, b) => Number(a.type === 'default_case') - Number(b.type === 'default_case'),
  );
  const arms = ordered.flatMap((one) => {
    const tests = one.type === 'default_case' ? [null] : listed(one.field('value'));
    const falls = statementsOf(one).at(-1)?.type === 'fallthrough_statement';
    const body: Block = [
      ...bodyOf(lowering, one),
      ...(falls ? [] : [{ kind: 'break', at: one.end } as const]),
    ];
    return tests.map((test, index) => ({
      test: test === null ? null : lowerValue(lowering, test),
      body: index === tests.length - 1 ? body : [],
    }));
  });
  return [...first, { kind: 'switch', value, arms, at }];
}

/** One of the tests of a case is true. */
function anyOf(lowering: GoLowering, node: TreeNode): Expression {
  const [first, ...others] = listed(node.field('value')).map((one) => lowerValue(lowering, one));
  return others.reduce<Expression>(
    (left, right) => ({ kind: 'logic', operator: 'or', left, right, at: node.start }),
    first ?? anything(node.start),
  );
}

function bodyOf(lowering: GoLowering, node: TreeNode): Block {
  return lowering.inner(() => lowerAll(lowering, ofType(node, 'statement_list').flatMap(named)));
}

function lowerTypeSwitch(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const at = node.start;
  const first = optional(lowering, node.field('initializer'));
  const [alias] = listed(node.field('alias'));
  const value = lowerValue(lowering, node.field('value'));
  const cases = named(node).filter(({ type }) => type === 'type_case' || type === 'default_case');
  const arms = cases.map((one) => ({
    test: one.type === 'default_case' ? null : anything(one.start),
    body: lowering.inner((): Block => {
      const subject = lowerValue(lowering, node.field('value'));
      const bound: Block =
        alias === undefined
          ? []
          : [{ kind: 'let', target: lowerTarget(lowering, alias, true), value: subject, at }];
      return [...bound, ...bodyOf(lowering, one), { kind: 'break', at: one.end }];
    }),
  }));
  return [...first, { kind: 'switch', value, arms, at }];
}

/** One of the channels is ready, and nobody knows which. */
function lowerSelect(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const cases = named(node).filter(({ type }) => type === 'communication_case' || type === 'default_case');
  const arms = cases.map((one, index) => ({
    test: index === cases.length - 1 ? null : anything(one.start),
    body: lowering.inner((): Block => {
      const received = lowering.withBefore(() => lowerCommunication(lowering, one.field('communication')));
      return [...received, ...bodyOf(lowering, one), { kind: 'break', at: one.end }];
    }),
  }));
  return [{ kind: 'switch', value: anything(node.start), arms, at: node.start }];
}

function lowerCommunication(lowering: GoLowering, node: TreeNode | null): readonly Statement[] {
  if (node === null) return [];
  if (node.type !== 'receive_statement') return lowerStatement(lowering, node);
  const at = node.start;
  const value = lowerValue(lowering, node.field('right'));
  const left = listed(node.field('left'));
  if (left.length === 0) return [{ kind: 'do', value, at }];
  const declares = node.children.some(({ type }) => type === ':=');
  return assigned(
    left.map((one) => lowerTarget(lowering, one, declares)),
    [value],
    { adds: false, at },
  );
}

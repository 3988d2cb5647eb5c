// Statements of Python: what is done, in which order, and where the ways part.

import type { PythonNode } from '../../../core/index.ts';
import type { Block, Expression, Statement } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { lowerClass, lowerDefinition } from './callables.ts';
import { lowerMix, lowerValue } from './expressions.ts';
import { identifiers, named } from './nodes.ts';
import { lowerPattern } from './patterns.ts';

export function lowerBlock(lowering: Lowering, node: PythonNode | null): Block {
  return node === null ? [] : named(node).flatMap((child) => lowerStatement(lowering, child));
}

function lowerStatement(lowering: Lowering, node: PythonNode): readonly Statement[] {
  const at = node.start;
  switch (node.type) {
    case 'expression_statement':
      return named(node).map((value) => ({ kind: 'do', value: lowerValue(lowering, value), at }));
    case 'return_statement': {
      const [value] = named(node);
      return [{ kind: 'return', value: value === undefined ? null : lowerValue(lowering, value), at }];
    }
    case 'raise_statement': {
      const [value] = named(node);
      return [{ kind: 'throw', value: value === undefined ? null : lowerValue(lowering, value), at }];
    }
    case 'assert_statement': {
      const [test] = named(node);
      if (test === undefined) return [];
      return [
        {
          kind: 'branch',
          test: lowerValue(lowering, test),
          yes: [],
          no: [{ kind: 'throw', value: null, at }],
          at,
        },
      ];
    }
    case 'if_statement':
      return [
        lowerBranch(
          lowering,
          node,
          node.children.filter(({ type }) => /^el(if|se)_clause$/.test(type)),
        ),
      ];
    case 'for_statement':
      return [
        {
          kind: 'each',
          target: lowerPattern(lowering, node.field('left')),
          over: lowerValue(lowering, node.field('right')),
          body: lowerBlock(lowering, node.field('body')),
          waits: node.children.some(({ type }) => type === 'async'),
          at,
        },
        ...lowerBlock(lowering, node.field('alternative')?.field('body') ?? null),
      ];
    case 'while_statement':
      return [
        {
          kind: 'while',
          test: lowerValue(lowering, node.field('condition')),
          body: lowerBlock(lowering, node.field('body')),
          update: null,
          first: false,
          at,
        },
        ...lowerBlock(lowering, node.field('alternative')?.field('body') ?? null),
      ];
    case 'try_statement':
      return [lowerTry(lowering, node)];
    case 'with_statement':
      return lowerWith(lowering, node);
    case 'match_statement':
      return [lowerMatch(lowering, node)];
    case 'break_statement':
      return [{ kind: 'break', at }];
    case 'continue_statement':
      return [{ kind: 'continue', at }];
    case 'function_definition':
      return [lowerDefinition(lowering, node, [])];
    case 'class_definition':
      return [lowerClass(lowering, node)];
    case 'decorated_definition': {
      const definition = node.field('definition');
      if (definition === null) return [];
      const decorators = node.children
        .filter(({ type }) => type === 'decorator')
        .flatMap((decorator) => named(decorator).map((value) => lowerValue(lowering, value)));
      return [
        definition.type === 'class_definition'
          ? lowerClass(lowering, definition)
          : lowerDefinition(lowering, definition, decorators),
      ];
    }
    case 'import_statement':
    case 'import_from_statement':
    case 'future_import_statement':
    case 'pass_statement':
    case 'global_statement':
    case 'nonlocal_statement':
    case 'comment':
      return [];
    case 'block':
      return lowerBlock(lowering, node);
    default:
      return [{ kind: 'do', value: lowerMix(lowering, node), at }];
  }
}

function lowerBranch(lowering: Lowering, node: PythonNode, rest: readonly PythonNode[]): Statement {
  const [next, ...others] = rest;
  const no =
    next === undefined
      ? []
      : next.type === 'else_clause'
        ? lowerBlock(lowering, next.field('body'))
        : [lowerBranch(lowering, next, others)];
  return {
    kind: 'branch',
    test: lowerValue(lowering, node.field('condition')),
    yes: lowerBlock(lowering, node.field('consequence')),
    no,
    at: node.start,
  };
}

function lowerTry(lowering: Lowering, node: PythonNode): Statement {
  const at = node.start;
  const clauses = node.children.filter(({ type }) => /^except_(group_)?clause$/.test(type));
  const otherwise = node.children.find(({ type }) => type === 'else_clause');
  const last = node.children.find(({ type }) => type === 'finally_clause');
  const handlers = clauses.map((clause) => {
    const body = clause.children.find(({ type }) => type === 'block') ?? null;
    const target = named(clause)
      .filter(({ type }) => type === 'as_pattern')
      .flatMap((part) => part.children.filter(({ type }) => type === 'as_pattern_target'))
      .flatMap(named)[0];
    const bound: Statement[] =
      target === undefined
        ? []
        : [{ kind: 'let', target: lowerPattern(lowering, target), value: null, at: target.start }];
    return [...bound, ...lowerBlock(lowering, body)];
  });
  // One of several handlers is taken, and nobody knows which.
  const handler = handlers.reduceRight<Block | null>(
    (others, body) =>
      others === null
        ? body
        : [{ kind: 'branch', test: unknown(at), yes: body, no: others, at: body[0]?.at ?? at }],
    null,
  );
  return {
    kind: 'try',
    body: [
      ...lowerBlock(lowering, node.field('body')),
      ...lowerBlock(lowering, otherwise?.field('body') ?? null),
    ],
    error: null,
    handler,
    last: lowerBlock(lowering, last?.children.find(({ type }) => type === 'block') ?? null),
    at,
  };
}

function lowerWith(lowering: Lowering, node: PythonNode): readonly Statement[] {
  const at = node.start;
  const items = named(node)
    .filter(({ type }) => type === 'with_clause')
    .flatMap(named);
  const opened: Statement[] = [];
  let suppresses = false;
  for (const item of items) {
    const value = item.field('value') ?? item;
    const [target] = value.children.filter(({ type }) => type === 'as_pattern_target').flatMap(named);
    const [manager = value] = value.type === 'as_pattern' ? named(value) : [value];
    suppresses ||= /^(contextlib\.)?suppress\(/.test(manager.text);
    const given = lowerValue(lowering, manager);
    opened.push(
      target === undefined
        ? { kind: 'do', value: given, at: item.start }
        : {
            kind: 'let',
            target: lowerPattern(lowering, target),
            value: { kind: 'await', value: given, at },
            at,
          },
    );
  }
  const body = lowerBlock(lowering, node.field('body'));
  return suppresses
    ? [...opened, { kind: 'try', body, error: null, handler: [], last: [], at }]
    : [...opened, ...body];
}

function lowerMatch(lowering: Lowering, node: PythonNode): Statement {
  const cases = named(node)
    .flatMap((part) => (part.type === 'block' ? named(part) : [part]))
    .filter(({ type }) => type === 'case_clause');
  const subject = node.field('subject');
  const value = lowerValue(lowering, subject);
  return {
    kind: 'switch',
    value,
    arms: cases.map((clause) => {
      const patterns = named(clause).filter(({ type }) => type === 'case_pattern');
      const bound = patterns.flatMap(identifiers).map(
        (name): Statement => ({
          kind: 'let',
          target: lowerPattern(lowering, name),
          value: lowerValue(lowering, subject),
          at: name.start,
        }),
      );
      const text = patterns.map(({ text: written }) => written).join(',');
      const open = text === '_' || bound.length > 0;
      return {
        test: open ? null : { kind: 'constant', value: text.replaceAll(/['"]/g, ''), at: clause.start },
        body: [
          ...bound,
          ...lowerBlock(lowering, clause.field('consequence')),
          { kind: 'break', at: clause.end },
        ],
      };
    }),
    at: node.start,
  };
}

function unknown(at: number): Expression {
  return { kind: 'mix', parts: [], at };
}

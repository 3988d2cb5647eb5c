// Functions, methods and the parameters of both.

import type { TreeNode } from '../../../core/index.ts';
import type { Block, Callable, ClassShape, Parameter, Statement } from '../../ir.ts';
import type { GoLowering } from './lowering.ts';
import { plainName } from './names.ts';
import { named, ofType } from './nodes.ts';
import { isPlain, serviceType, zeroOf } from './types.ts';

/** A function, a method of `shape`, or a function without a name. */
export function lowerCallable(
  lowering: GoLowering,
  node: TreeNode,
  name: string,
  shape?: ClassShape,
): Callable {
  const results = named(node.field('result')).filter(({ type }) => type === 'parameter_declaration');
  const names = results.flatMap((one) => ofType(one, 'identifier').map(({ text }) => text));
  return lowering.inFunction(names, () => {
    const receiver = receiverOf(lowering, node);
    const parameters = lowerParameters(lowering, node.field('parameters'));
    const made = results.flatMap((one) => zeroResults(lowering, one));
    const body = [...receiver, ...made, ...lowering.blockOf(lowering, node.field('body'))];
    return callableOf(lowering, node, {
      name: plainName(name),
      parameters,
      body,
      async: false,
      ...(shape === undefined ? {} : { class: shape }),
    });
  });
}

/** A function that runs beside the one that starts it. */
export function taskOf(lowering: GoLowering, node: TreeNode, body: () => Block): Callable {
  return lowering.inFunction([], () =>
    callableOf(lowering, node, { name: '', parameters: [], body: body(), async: true }),
  );
}

function callableOf(
  lowering: GoLowering,
  node: TreeNode,
  about: Pick<Callable, 'name' | 'parameters' | 'body' | 'async' | 'class'>,
): Callable {
  const callable: Callable = {
    ...about,
    yields: false,
    decorators: [],
    at: node.start,
    end: node.end,
    module: lowering.module,
  };
  lowering.callables.push(callable);
  return callable;
}

/** The name of the receiver stands for the object itself. */
function receiverOf(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const [declared] = ofType(node.field('receiver'), 'parameter_declaration');
  const [name] = ofType(declared ?? null, 'identifier');
  if (name === undefined) return [];
  const at = name.start;
  const variable = lowering.scope.declare(name.text);
  const target = { kind: 'variable', variable, name: plainName(name.text), at } as const;
  return [{ kind: 'let', target, value: { kind: 'this', at }, at }];
}

function zeroResults(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  return ofType(node, 'identifier').map((name): Statement => {
    const at = name.start;
    const variable = lowering.scope.declare(name.text);
    const target = { kind: 'variable', variable, name: plainName(name.text), at } as const;
    return { kind: 'let', target, value: zeroOf(lowering, node.field('type'), at), at };
  });
}

function lowerParameters(lowering: GoLowering, list: TreeNode | null): readonly Parameter[] {
  return named(list).flatMap((node): readonly Parameter[] => {
    if (!/^(variadic_)?parameter_declaration$/.test(node.type)) return [];
    const names = node.children.filter(({ type }) => type === 'identifier');
    const type = node.field('type');
    const service = serviceType(lowering, type);
    const about = {
      rest: node.type === 'variadic_parameter_declaration',
      ...(service === null ? {} : { type: service }),
      ...(isPlain(type) ? { plain: true } : {}),
    };
    // A parameter without a name is nobody's, and takes its place.
    if (names.length === 0) return [{ ...unnamed(lowering, node), ...about }];
    return names.map((name) => {
      const variable = lowering.scope.declare(name.text);
      const target = { kind: 'variable', variable, name: name.text, at: name.start } as const;
      return { target, name: plainName(name.text), ...about };
    });
  });
}

function unnamed(lowering: GoLowering, { start: at }: TreeNode): Pick<Parameter, 'target' | 'name'> {
  return { target: { kind: 'variable', variable: lowering.scope.fresh(), name: '_', at }, name: '_' };
}

// How constants fold through a function or a method, and what is known where they do not.

import type { Call, Operation } from '../script/machine.ts';
import {
  literal,
  mapTexts,
  merge,
  originsOf,
  some,
  type TextThing,
  texts,
  textsOf,
  truth,
  unknown,
} from '../script/things.ts';

/** Functions and methods by their names; a method has the kind of its value before it, as in `<text>.upper`. */
export type Operations = Record<string, Operation>;

/** A decoder or the like: from a literal to a literal. */
export function folds(
  apply: (literal: string, call: Call) => string | null,
  form?: TextThing['form'],
): Operation {
  return (call) => {
    const [given] = call.args;
    call.machine.spend(textsOf(given).reduce((sum, { length }) => sum + length / 16, 0));
    return mapTexts(given, (source) => apply(source, call), form ? { form } : {}) ?? some(call.args, form);
  };
}

/** The same for a method, on every part that is known where a hole does no harm. */
export function method(
  apply: (literal: string, call: Call) => string | null,
  form?: TextThing['form'],
): Operation {
  return (call) => {
    const { receiver } = call;
    call.machine.spend(textsOf(receiver).reduce((sum, { length }) => sum + length / 16, 0));
    return (
      mapTexts(receiver, (source) => apply(source, call), form ? { form } : {}) ??
      some([receiver, ...call.args], form ?? (receiver.kind === 'text' ? receiver.form : 'string'))
    );
  };
}

/** A method that holes pass through unharmed. */
export function through(apply: (given: string, call: Call) => string): Operation {
  return (call) => {
    const { receiver } = call;
    if (receiver.kind !== 'text') return some([receiver, ...call.args]);
    call.machine.spend(receiver.texts.reduce((sum, { length }) => sum + length / 16, 0));
    return texts(
      receiver.texts.map((given) => apply(given, call)),
      {
        form: receiver.form,
        origins: merge(receiver.origins, ...call.args.map((argument) => originsOf(argument))),
        many: receiver.many,
      },
    );
  };
}

/** A method that answers with yes or no. */
export function asks(apply: (literal: string, other: string) => boolean): Operation {
  return ({ receiver, args }) => {
    const left = literal(receiver);
    const right = literal(args[0]);
    return left === null || right === null ? unknown : truth(apply(left, right));
  };
}

/** An argument that is a known number. */
export const numberAt = ({ args }: Call, index: number): number | null => {
  const given = args[index];
  return given?.kind === 'number' ? given.value : null;
};

/** Gives what it is given. */
export const identity: Operation = ({ args }) => args[0] ?? unknown;
/** Gives what it is called on. */
export const receiverItself: Operation = ({ receiver }) => receiver;

// What the table of executors still needs of interpreters, by the one reader of options.

import { readCall, textWords } from '../../programs/card.ts';
import { type Interpreter, scriptStarts } from '../../programs/interpreters.ts';
import type { Executor } from './inner.ts';

type Script = Pick<Interpreter, 'options' | 'language' | 'code' | 'file' | 'first'>;

/** A program that runs a file of code, or code behind an option. */
export function script(shape: Script): Executor {
  const interpreter = { ...shape, names: '', readings: '', hit: {} };
  const card = { ...interpreter, manner: { stopAtOperand: true }, facts: [] };
  const starts = scriptStarts(interpreter);
  return (call) => starts(call, readCall(card, call.args, textWords));
}

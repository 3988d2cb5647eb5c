// What the table of executors still needs of interpreters, by the one reader of options.

import { readCall, textWords } from '../../programs/card.ts';
import { consoleFact } from '../../programs/consoles.ts';
import { type Interpreter, scriptStarts } from '../../programs/interpreters.ts';
import { singleText } from '../values.ts';
import type { Call, Executor, Inner, Language } from './inner.ts';

type Script = Pick<Interpreter, 'options' | 'language' | 'code' | 'file' | 'first'>;

/** A program that runs a file of code, or code behind an option. */
export function script(shape: Script): Executor {
  const interpreter = { ...shape, names: '', readings: '', hit: {} };
  const card = { ...interpreter, manner: { stopAtOperand: true }, facts: [] };
  const starts = scriptStarts(interpreter);
  return (call) => starts(call, readCall(card, call.args, textWords));
}

function consoleOf(language: Language, subcommands: string, options: string): Executor {
  const { starts } = consoleFact(language, subcommands, options, null, { hit: {}, miss: [] });
  const card = { names: '', options: '', readings: '', facts: [] };
  return (call) => starts?.(call, readCall(card, call.args, textWords)) ?? [];
}

const railsConsole = consoleOf('ruby', 'console c', 'e');

/** `rails runner` takes a file of the project, or code. */
export function rails(call: Call): readonly Inner[] {
  const at = call.args.findIndex((arg) => /^(?:runner|r)$/.test(singleText(arg)));
  const code = call.args.slice(at + 1).find((arg) => !singleText(arg).startsWith('-'));
  if (at === -1 || code === undefined) return railsConsole(call);
  return /^[\w./-]+\.rb$/.test(singleText(code)) ? [] : [{ kind: 'code', language: 'ruby', text: code }];
}

/** The shell of Django, of Flask or of Scrapy. */
export const pythonConsole = consoleOf('python', 'shell console', 'c command');

// Walks a program once with the abstract machine, follows its values as far as they can be known, and notes its effects.
// INVARIANT: every way that may be taken is walked; a way that cannot be ruled out counts as taken.

import { BudgetExceeded } from '../../../core/index.ts';
import type { AnalysisEnvironment, Facts, Languages } from '../effects.ts';
import { bounded } from './bounds.ts';
import { declare, invoke, sampleOf } from './calls.ts';
import { assign, evaluate } from './expressions.ts';
import { type Dialect, Exhausted, Machine, type Walker } from './machine.ts';
import type { Program, Span } from './program.ts';
import { walkBlock } from './statements.ts';
import { literal, none, type Thing, unknown } from './things.ts';

/** Code within code: `exec` of `exec`. */
const deepestCode = 4;

const walker: Walker = { evaluate, assign, walkBlock, invoke };

/** Walks a whole program, and at last the functions that nothing called. */
export function runProgram(
  program: Program,
  dialect: Dialect,
  around: AnalysisEnvironment,
  languages: Languages,
): Facts {
  const machine = new Machine(dialect, around, languages, walker);
  for (const error of program.errors) machine.record.error(error);
  try {
    walk(machine, program);
  } catch (error) {
    // A stack that overflows is a budget that is spent.
    if (!(error instanceof Exhausted || error instanceof BudgetExceeded || error instanceof RangeError))
      throw error;
    machine.record.unknown('more steps than are followed', machine.frame.code?.span ?? [0, 0]);
  }
  const facts = machine.record.facts();
  if (machine.written.size === 0) return facts;
  return { ...facts, files: new Map([...machine.written].map(([path, held]) => [path, literal(held)])) };
}

function walk(machine: Machine, program: Program): void {
  declare(machine, program.body, machine.globals);
  walkBlock(machine, program.body);
  for (let index = 0; index < machine.defined.length; index++) {
    const defined = machine.defined[index];
    if (!defined || machine.walked.has(defined.code)) continue;
    machine.raised = false;
    const self =
      defined.owner && defined.code.receiver !== 'none' ? sampleOf(machine, defined.owner) : defined.self;
    invoke(machine, { ...defined, self }, [], new Map());
  }
}

/** Walks code that a value holds, in the scope of now; its effects stand at the given place. */
export function runCode(machine: Machine, source: string, span: Span): Thing {
  const { program: language } = machine.dialect;
  if (machine.code >= deepestCode) return unfollowed(machine, 'code within code within code', span);
  if (bounded(source, language)) return unfollowed(machine, 'code beyond the bounds', span);
  machine.spend(300 + source.length / 4);
  const program = machine.dialect.read(source);
  if (!program || program.errors.length > 0) return unfollowed(machine, 'code that cannot be read', span);
  machine.code++;
  const release = machine.record.hold(span);
  try {
    declare(machine, program.body, machine.frame.scope);
    const { body } = program;
    const last = body.at(-1);
    walkBlock(machine, last?.form === 'expression' ? body.slice(0, -1) : body);
    return last?.form === 'expression' ? evaluate(machine, last.value) : none;
  } finally {
    release();
    machine.code--;
  }
}

function unfollowed(machine: Machine, what: string, span: Span): Thing {
  const { program } = machine.dialect;
  machine.record.effect('run', { kind: 'none' }, { program, span, origins: ['unknown'] });
  machine.record.unknown(what, span);
  return unknown;
}

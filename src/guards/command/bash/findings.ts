// Gathers what an analysis finds: each fact once, each path as it is from where the action began.

import type { Effect, Facts, Invocation, Origin, Target } from '../effects.ts';
import { Once } from '../once.ts';
import { hole, mapWithHoles, maxTextLength, mergeOrigins, textOf, toValue } from './values.ts';

/** A start and an end in the action's source. */
export type Span = readonly [number, number];

/** Most facts of one kind. */
const maxFacts = 2000;
/** Most errors of the parser that are kept. */
const maxErrors = 32;

/** Thrown when the steps are spent; what was found until then stands. */
export class TooManySteps extends Error {}

/** Kinds of effects that carry the origins of what is given to the program. */
const carrying: ReadonlySet<Effect['kind']> = new Set([
  'connect',
  'write',
  'message',
  'deploy',
  'database',
  'run',
  'persist',
]);
/** Whether an effect is on what a substitution of the shell stands for, which is followed on its own. */
function isSubstitution({ kind, target }: Effect): boolean {
  if (kind !== 'read' && kind !== 'write' && kind !== 'device') return false;
  return (
    target.kind === 'path' && target.path.kind === 'literal' && /^\/dev\/fd\/\d+$/.test(target.path.text)
  );
}

/** Whether a text is a value as it stands. */
function isPlain(text: string): boolean {
  return text.length <= maxTextLength && !text.includes(hole);
}

/** The facts found so far. */
export class FactsFound {
  readonly #start: string;
  readonly #effects: Effect[] = [];
  readonly #invocations: Invocation[] = [];
  readonly #unknowns: { what: string; span: Span }[] = [];
  readonly #errors: string[] = [];
  readonly #once = new Once();
  readonly #noted = new Set<string>();

  constructor(start: string) {
    this.#start = start;
  }

  get facts(): Facts {
    return {
      effects: this.#effects,
      invocations: this.#invocations,
      unknowns: this.#unknowns,
      errors: this.#errors,
    };
  }

  /** An effect of a program that runs in a folder; what it was given came from the given origins. */
  addEffect(effect: Effect, cwd: string, given: readonly Origin[]): void {
    if (isSubstitution(effect)) return;
    const origins = carrying.has(effect.kind)
      ? mergeOrigins(effect.origins ?? [], given)
      : (effect.origins ?? []);
    const placed: Effect = {
      ...effect,
      target: this.#placed(effect.target, cwd),
      ...(origins.length > 0 ? { origins } : {}),
    };
    if (this.#isNew(placed.kind, placed, this.#effects.length)) this.#effects.push(placed);
  }

  addInvocation(invocation: Invocation): void {
    // A list of hundreds of words is not worth comparing.
    if (invocation.args.length > 64 || this.#isNew('invocation', invocation, this.#invocations.length))
      this.#invocations.push(invocation);
  }

  /** Something that could not be followed. */
  noteUnknown(what: string, span: Span): void {
    const key = `${what} ${span[0]} ${span[1]}`;
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    this.#unknowns.push({ what, span });
  }

  addError(message: string): void {
    if (this.#errors.length < maxErrors) this.#errors.push(message);
  }

  /** Takes over the facts of code in another language. */
  adopt(facts: Facts, through: readonly string[], span: Span, cwd: string): void {
    for (const effect of facts.effects) {
      this.addEffect({ ...effect, through: [...through, ...effect.through], span }, cwd, []);
    }
    for (const invocation of facts.invocations) {
      this.addInvocation({ ...invocation, through: [...through, ...invocation.through], span });
    }
    for (const { what } of facts.unknowns) this.noteUnknown(what, span);
    for (const message of facts.errors) this.addError(message);
  }

  #isNew(kind: string, fact: Effect | Invocation, count: number): boolean {
    const key = `${kind} ${fact.program} ${fact.span[0]} ${fact.span[1]}`;
    if (!this.#once.isNew(key, fact)) return false;
    if (count >= maxFacts) throw new TooManySteps('the command has too many parts to be followed');
    return true;
  }

  #placed(target: Target, cwd: string): Target {
    if (target.kind !== 'path') return target;
    const moved = cwd !== this.#start;
    if (!moved && target.path.kind === 'literal' && isPlain(target.path.text)) return target;
    const text = mapWithHoles(textOf(target.path), (path) => {
      if (!moved || /^[/~\uE000]/.test(path) || path === '') return path;
      return `${cwd === '/' ? '' : cwd}/${path}`;
    });
    return { ...target, path: toValue(text) };
  }
}

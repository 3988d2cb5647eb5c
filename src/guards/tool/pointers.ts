// JSON Pointers as patterns: where in a tool's arguments something stands, and how a value goes back there.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

/** The way to a value, step by step. */
export type Steps = readonly (string | number)[];

/** A pattern of steps; `*` is any one, `**` any number. */
export type Pattern = readonly string[];

const compiled = new Map<string, Pattern>();
const mostCompiled = 4096;

/** The steps of a pattern as it is written. */
export function patternOf(pointer: string): Pattern {
  let pattern = compiled.get(pointer);
  if (pattern === undefined) {
    pattern = pointer.split('/').slice(1).map(stepOf);
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(pointer, pattern);
  }
  return pattern;
}

function stepOf(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Whether a pattern fits the steps; `same` compares one step with one literal. */
export function fits(
  pattern: Pattern,
  steps: Steps,
  same: (literal: string, step: string) => boolean = (literal, step) => literal === step,
): boolean {
  return from(0, 0);

  function from(at: number, step: number): boolean {
    const literal = pattern[at];
    if (literal === undefined) return step === steps.length;
    if (literal === '**') return from(at + 1, step) || (step < steps.length && from(at, step + 1));
    const given = steps[step];
    if (given === undefined) return false;
    return (literal === '*' || same(literal, String(given))) && from(at + 1, step + 1);
  }
}

/** The value at the end of the steps. */
export function valueAt(value: JsonValue, steps: Steps): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of steps) {
    if (Array.isArray(at)) at = typeof step === 'number' ? at[step] : undefined;
    else if (isJsonObject(at) && Object.hasOwn(at, String(step))) at = at[String(step)];
    else return undefined;
  }
  return at;
}

/** The whole with another value at the end of the steps; what the way does not lead through stays as it is. */
export function withValueAt(whole: JsonObject, steps: Steps, value: JsonValue): JsonObject {
  const changed = replaced(whole, steps, value);
  return isJsonObject(changed) ? changed : whole;
}

function replaced(whole: JsonValue | undefined, [step, ...rest]: Steps, value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    return whole.map((item, index) => (index === step ? replaced(item, rest, value) : item));
  }
  const members = isJsonObject(whole) ? whole : {};
  const key = String(step);
  return { ...members, [key]: replaced(members[key], rest, value) };
}

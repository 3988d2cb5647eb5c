// What a tool is: a function from one call of a program to the effects it would have.

import type { Content, Effect, EffectKind, Origin, Target, Value } from '../effects.ts';

/** Where a call stands. */
export interface At {
  readonly span: readonly [number, number];
  readonly through: readonly string[];
  readonly cwd: string;
  readonly home: string | null;
}

/** What flows into a call. */
export interface Io {
  readonly stdin: Value;
  readonly stdinOrigins: readonly Origin[];
  /** The standard input is a pipe, a file or a text, not the terminal, where that is known. */
  readonly stdinFed?: boolean;
  /** Where the texts of the arguments came from, all together, where that is known. */
  readonly argumentOrigins?: readonly Origin[];
}

/** One call of one program. */
export interface Call {
  readonly program: string;
  readonly args: readonly Value[];
  readonly io: Io;
  readonly at: At;
}

export type Tool = (call: Call) => readonly Effect[];
export type Tools = Readonly<Record<string, Tool>>;

export type More = Partial<
  Pick<Effect, 'detail' | 'recursive' | 'force' | 'reversible' | 'origins' | 'content' | 'target'>
>;

export const unknownValue: Value = { kind: 'unknown' };
const noTarget: Target = { kind: 'none' };

export function literal(text: string): Value {
  return { kind: 'literal', text };
}

/** The text of a value that is wholly known, else null. */
export function textOf(value: Value | undefined): string | null {
  return value?.kind === 'literal' ? value.text : null;
}

/** Every text that a value may have, where they are all known. */
function textsOf(value: Value): readonly string[] | null {
  if (value.kind === 'literal') return [value.text];
  return value.kind === 'choice' ? value.texts : null;
}

/** What is known of the beginning of a value. */
export function beginningOf(value: Value): string {
  return value.kind === 'literal' || value.kind === 'prefix' ? value.text : '';
}

/** The value with every known text changed; a text that becomes null makes it unknown. */
export function mapValue(value: Value, change: (text: string) => string): Value {
  switch (value.kind) {
    case 'literal':
      return literal(change(value.text));
    case 'choice':
      return { kind: 'choice', texts: value.texts.map(change) };
    case 'prefix':
      return { kind: 'prefix', text: change(value.text) };
    case 'unknown':
      return value;
  }
}

/** The value without its first characters. */
export function after(value: Value, length: number): Value {
  return mapValue(value, (text) => text.slice(length));
}

function hasGlob(value: Value): boolean {
  const texts = value.kind === 'prefix' ? [value.text] : (textsOf(value) ?? []);
  return texts.some((text) => /[*?[]|[@+!]\(/.test(text));
}

export function pathTarget(path: Value): Target {
  return hasGlob(path) ? { kind: 'path', path, glob: true } : { kind: 'path', path };
}

export function nameTarget(name: Value | undefined): Target {
  return name ? { kind: 'name', name } : noTarget;
}

export function hostTarget(host: Value): Target {
  return { kind: 'host', host };
}

/** What a file holds, as what is written elsewhere. */
export function contentOf(path: Value): Content {
  return { kind: 'file', path };
}

/** What comes in on the standard input, as what is written. */
export const fromInput: Content = contentOf({ kind: 'literal', text: '-' });

/** One effect of a call. */
export function effect(call: Call, kind: EffectKind, more: More = {}): Effect {
  // What is copied stands first: anywhere else that takes several times as long.
  return {
    ...more,
    kind,
    target: more.target ?? noTarget,
    program: call.program,
    through: call.at.through,
    span: call.at.span,
  };
}

export function inert(call: Call, detail?: string): readonly Effect[] {
  return [effect(call, 'inert', detail ? { detail } : {})];
}

/** The effects, or that there are none worth a name. */
export function orInert(call: Call, effects: readonly Effect[]): readonly Effect[] {
  return effects.length > 0 ? effects : inert(call);
}

// Reads a call into facts: what each argument is by the registry, and which values have no place there.

import {
  type ArgumentRole,
  type ArgumentSpec,
  type Budget,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  type SchemaProblem,
  type ToolSpec,
} from '../../core/index.ts';
import { fits, patternOf, type Steps } from './pointers.ts';

/** A value that an argument's role says something about. */
export interface Argument {
  readonly steps: Steps;
  readonly spec: ArgumentSpec;
  readonly value: JsonValue;
}

/** A text with its role. */
export interface TextArgument {
  readonly steps: Steps;
  readonly spec: ArgumentSpec;
  readonly text: string;
}

/** The arguments of one call, by what they are. */
export interface Call {
  readonly tool: ToolSpec;
  readonly given: JsonObject;
  readonly found: readonly Argument[];
  /** The first value that is not what its role takes. */
  readonly problem: SchemaProblem | null;
}

/** Roles whose value is taken whole, whatever it is. */
const whole: ReadonlySet<ArgumentRole> = new Set([
  'command',
  'variables',
  'headers',
  'body',
  'call',
  'user_id',
  'tenant_id',
]);

/** How a URL begins, for the readers that forgive most: with control characters before it, or with no slashes. */
const beginsAsUrl = /^[\x00-\x20]*(?:https?:|[a-z][a-z0-9+.-]{1,20}:\/\/)/i;

/** What a text without a role is: a URL, words that begin with one, or just words. Its tool may fetch what it finds. */
export function urlRole(text: string): ArgumentRole | undefined {
  const joined = text.slice(0, longestUrl).replace(/[\t\n\r]/g, '');
  if (!beginsAsUrl.test(joined)) return undefined;
  return /\s/.test(joined.trim()) ? 'urls' : 'url';
}

/** Longer texts are no URLs that anybody fetches; their beginning tells. */
const longestUrl = 8192;

/** Reads the arguments of a call by what the registry says about them. */
export function readCall(tool: ToolSpec, given: JsonObject, budget: Budget): Call {
  const patterns = Object.entries(tool.arguments ?? {}).map(
    ([pointer, spec]) => [patternOf(pointer), spec] as const,
  );
  const found: Argument[] = [];
  let problem: SchemaProblem | null = null;

  function visit(value: JsonValue, steps: Steps, inherited: ArgumentSpec | undefined): void {
    budget.spend(1 + patterns.length);
    const spec = inherited ?? patterns.find(([pattern]) => steps.length > 0 && fits(pattern, steps))?.[1];
    if (spec !== undefined && spec.role !== 'text') {
      if (value === null) return;
      if (whole.has(spec.role) || typeof value === 'string') found.push({ steps, spec, value });
      else if (Array.isArray(value) && inherited === undefined) {
        for (const [index, item] of value.entries()) visit(item, [...steps, index], spec);
      } else problem ??= { pointer: jsonPointer(steps), message: `must be text, as a ${spec.role}` };
    } else if (typeof value === 'string') {
      const role = spec === undefined ? urlRole(value) : undefined;
      if (role !== undefined) found.push({ steps, spec: { role }, value });
    } else if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value))
        for (const [at, item] of value.entries()) visit(item, [...steps, at], undefined);
      else for (const [key, member] of Object.entries(value)) visit(member, [...steps, key], undefined);
    }
  }

  visit(given, [], undefined);
  return { tool, given, found, problem };
}

/** The texts that have one of the roles. */
export function textsOf({ found }: Call, ...roles: readonly ArgumentRole[]): readonly TextArgument[] {
  return found.flatMap(({ steps, spec, value }) =>
    roles.includes(spec.role) && typeof value === 'string' ? [{ steps, spec, text: value }] : [],
  );
}

const longestReason = 8192;

/** Why the model wants it, as one of its arguments says. */
export function reasonIn(call: Call): string | undefined {
  const found = textsOf(call, 'justification').find(({ text }) => text.trim() !== '');
  return found?.text.slice(0, longestReason).toWellFormed();
}

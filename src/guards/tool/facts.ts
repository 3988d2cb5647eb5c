// Reads a call into facts: what each argument is by the registry, and which values have no place there.

import {
  type ArgumentRole,
  type ArgumentSpec,
  type Budget,
  classOf,
  type EffectClass,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type JudgedPart,
  jsonPointer,
  outwardEffects,
  type SchemaProblem,
  strongerClass,
  type ToolEffect,
  type ToolSpec,
} from '../../core/index.ts';
import { protectionOf } from '../../detect/protect.ts';

// ── JSON Pointers as patterns: where in a tool's arguments something stands, and how a value goes back there.

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

// ── What a call would do, as modes see it: from the tool's own effect and from what the guards found in its parts.

const closed: ReadonlySet<ToolEffect> = new Set(outwardEffects);

/** Whether a person decides each time, whatever the mode: the closed list, and what no snapshot restores. */
export function isOutward({ effect, checkpointable }: ToolSpec): boolean {
  return closed.has(effect) || (checkpointable === false && effect !== 'read' && effect !== 'own');
}

/** The class of a call: of all that it does, and of what was not asked about already, as a call of its own. */
export function classesOf(
  tool: ToolSpec,
  parts: readonly JudgedPart[],
  restorable: boolean,
): { readonly whole: EffectClass; readonly asked: EffectClass } {
  const own = ownClass(tool, parts);
  const inner = parts.filter(({ action }) => action.kind !== 'tool');
  const classes = (some: readonly JudgedPart[]) =>
    some.map((part) => (restorable ? classOfPart(part) : classForGood(part))).reduce(strongerClass, own);
  return { whole: classes(parts), asked: classes(inner) };
}

/** What the tool does by itself, whatever its parts do. */
function ownClass(tool: ToolSpec, parts: readonly JudgedPart[]): EffectClass {
  if (isOutward(tool)) return 'outward';
  const { effect } = tool;
  switch (effect) {
    case 'read':
    case 'own':
      return 'read';
    case 'write':
      // Which file changes is not known.
      return parts.some(({ action }) => action.kind === 'write') ? 'read' : 'sensitive';
    case 'shell':
    case 'python':
    case 'code':
    case 'query':
    case 'fetch':
      return parts.some(({ action }) => action.kind === effect) ? 'read' : 'destructive';
    case 'calls':
      return parts.some(({ action }) => action.kind === 'tool') ? 'read' : 'destructive';
    default:
      return 'destructive';
  }
}

function classOfPart({ action, learned, findings, sideEffect }: JudgedPart): EffectClass {
  switch (action.kind) {
    case 'write': {
      // The host's own plans and memories.
      if (learned.notes === true) return 'read';
      const paths = action.changes?.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
      const files = paths ?? [action.path ?? ''];
      return strongerClass(files.some(isSensitive) ? 'sensitive' : 'edit', classOf(findings, false));
    }
    case 'tool': {
      // A call that was refused before it was understood has no class.
      return learned.class ?? 'destructive';
    }
    default:
      return classOf(findings, sideEffect);
  }
}

/** The class of a part where not everything can be brought back: code that runs may change just that. */
function classForGood(part: JudgedPart): EffectClass {
  const { action, learned } = part;
  const runs = action.kind === 'shell' || action.kind === 'python' || action.kind === 'code';
  return runs && learned.readsOnly !== true ? 'destructive' : classOfPart(part);
}

/** Whether a path names a manifest, a lock file or a dotfile, on file systems that mind case and on those that do not. */
function isSensitive(path: string): boolean {
  const names = path
    .toLowerCase()
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.' && name !== '..');
  return names.some((name) => name.startsWith('.')) || protectionOf(names) !== null;
}

// ── the arguments

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

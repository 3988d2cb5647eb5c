// Ids of users and tenants come from the session: whatever the model wrote in their places is replaced by the caller's.

import type { Settings } from '../../config/settings.ts';
import {
  type ArgumentSpec,
  type Budget,
  type Context,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  type ToolSpec,
} from '../../core/index.ts';
import { fold } from '../../detect/injection/fold.ts';
import { fits, type Pattern, patternOf, type Steps, valueAt, withValueAt } from './facts.ts';

type Owner = 'user' | 'tenant';

/** What became of the ids in a call. */
export interface Identified {
  readonly arguments: JsonObject;
  /** Whether the tool touches a user's data, so that the user must be known. */
  readonly needed: readonly Owner[];
  /** Where another id than the caller's was. */
  readonly foreign: readonly string[];
  /** Where there was none, and the caller's was put. */
  readonly filled: readonly string[];
  /** Where an id stands that is spelled so that a check could miss it. */
  readonly disguised: readonly string[];
}

interface IdPattern {
  readonly pattern: Pattern;
  readonly owner: Owner;
}

const anywhere = '**';
const isAscii = /^[\x00-\x7f]*$/;

/** One word for the many ways in which programs spell a name: `user_id`, `userId`, `User-ID`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_\-.\s]|\[\]$/g, '');
}

/** How a step of a path looks beside a name: the same name, a name made to look like it, or another. */
function resemblance(name: string, step: string): 'same' | 'disguised' | 'other' {
  if (plain(name) === plain(step)) return 'same';
  return !isAscii.test(step) && plain(name) === plain(fold(step).text) ? 'disguised' : 'other';
}

/** The places of ids in a tool's arguments. */
function patternsFor(
  tool: ToolSpec,
  { userIdArguments }: Pick<Settings, 'userIdArguments'>,
): readonly IdPattern[] {
  const named = Object.entries(tool.arguments ?? {}).flatMap(([pointer, { role }]): IdPattern[] => {
    if (role !== 'user_id' && role !== 'tenant_id') return [];
    return withNested(patternOf(pointer), role === 'user_id' ? 'user' : 'tenant');
  });
  const everywhere = userIdArguments.flatMap((name) =>
    name.startsWith('/')
      ? withNested(patternOf(name), 'user')
      : [{ pattern: [anywhere, name], owner: 'user' as const }],
  );
  return [...named, ...everywhere];
}

/** An argument that holds an id holds one wherever it is nested; a bare `id` may be anything's. */
function withNested(pattern: Pattern, owner: Owner): IdPattern[] {
  const [name, ...rest] = pattern;
  const nested = name !== undefined && rest.length === 0 && plain(name) !== 'id';
  return [{ pattern, owner }, ...(nested ? [{ pattern: [anywhere, name], owner }] : [])];
}

/** Puts the caller's ids where ids stand. */
export function identify(
  tool: ToolSpec,
  given: JsonObject,
  context: Pick<Context, Owner>,
  settings: Pick<Settings, 'userIdArguments'>,
  budget: Budget,
): Identified {
  const patterns = patternsFor(tool, settings);
  const places = Object.entries(tool.arguments ?? {}).filter(([, { user, tenant }]) => user ?? tenant);
  const needed = new Set<Owner>(tool.userData === true ? ['user'] : []);
  for (const { role, user, tenant } of Object.values(tool.arguments ?? {})) {
    if (role === 'user_id' || user !== undefined) needed.add('user');
    if (role === 'tenant_id' || tenant !== undefined) needed.add('tenant');
  }
  const foreign: string[] = [];
  const filled: string[] = [];
  const disguised: string[] = [];
  let result = given;

  function visit(value: JsonValue, steps: Steps): void {
    budget.spend(1 + patterns.length + places.length);
    const owner = ownerAt(steps);
    if (owner !== undefined) {
      needed.add(owner);
      const wanted = callersValue(value, context[owner]);
      if (wanted === null) return;
      foreign.push(jsonPointer(steps));
      result = withValueAt(result, steps, wanted);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...steps, index]);
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...steps, key]);
    } else if (typeof value === 'string') visitText(value, steps);
  }

  /** Whose id stands at the end of the steps. */
  function ownerAt(steps: Steps): Owner | undefined {
    if (steps.length === 0) return undefined;
    for (const { pattern, owner } of patterns) {
      let hidden = false;
      const found = fits(pattern, steps, (name, step) => {
        const like = resemblance(name, step);
        if (like === 'disguised') hidden = true;
        return like !== 'other';
      });
      if (!found) continue;
      // A name that only looks like the one that is meant is nobody's argument by accident.
      if (hidden) disguised.push(jsonPointer(steps));
      return owner;
    }
    return undefined;
  }

  function visitText(text: string, steps: Steps): void {
    const spec = places.find(([pointer]) => fits(patternOf(pointer), steps))?.[1];
    if (spec === undefined) return;
    const changed = rewritePlaces(text, spec, context);
    if (changed === null) disguised.push(jsonPointer(steps));
    else if (changed !== text) {
      foreign.push(jsonPointer(steps));
      result = withValueAt(result, steps, changed);
    }
  }

  if (patterns.length > 0 || places.length > 0) {
    visit(given, []);
    for (const [pointer, { role }] of Object.entries(tool.arguments ?? {})) {
      if (role === 'user_id') fill(patternOf(pointer), 'user');
      if (role === 'tenant_id') fill(patternOf(pointer), 'tenant');
    }
  }
  return { arguments: result, needed: [...needed], foreign, filled, disguised };

  /** A place that is known exactly is filled in, so that no tool has to guess. */
  function fill(pattern: Pattern, owner: Owner): void {
    if (pattern.some((step) => step.startsWith('*'))) return;
    const parent = valueAt(result, pattern.slice(0, -1));
    if (!isJsonObject(parent) || valueAt(result, pattern) !== undefined) return;
    if (Object.keys(parent).some((key) => resemblance(pattern.at(-1) ?? '', key) === 'same')) return;
    filled.push(jsonPointer(pattern));
    result = withValueAt(result, pattern, context[owner]);
  }
}

/** The caller's id in the form of the value that stands there; null where it is the caller's already. */
function callersValue(value: JsonValue, id: string): JsonValue | null {
  if (Array.isArray(value)) {
    const own = value.length > 0 && value.every((item) => isOwn(item, id));
    return own ? null : [asNumber(value[0], id)];
  }
  return isOwn(value, id) ? null : asNumber(value, id);
}

function isOwn(value: JsonValue, id: string): boolean {
  return (typeof value === 'string' || typeof value === 'number') && String(value) === id;
}

function asNumber(value: JsonValue | undefined, id: string): JsonValue {
  const number = Number(id);
  return typeof value === 'number' && Number.isSafeInteger(number) && String(number) === id ? number : id;
}

// ── ids inside URLs and paths

/** The text with the caller's ids in their places; null where a place can be read in more than one way. */
function rewritePlaces(text: string, spec: ArgumentSpec, context: Pick<Context, Owner>): string | null {
  let result: string | null = text;
  for (const owner of ['user', 'tenant'] as const) {
    for (const place of spec[owner] ?? []) {
      if (result === null) return null;
      const id = context[owner];
      result = place.startsWith('?')
        ? inQuery(result, place.slice(1), id)
        : inSegments(result, place.split('/').filter(Boolean), id);
    }
  }
  return result;
}

const parts = /^((?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/is;

function inQuery(text: string, name: string, id: string): string | null {
  const [, origin = '', path = '', query = '', hash = ''] = parts.exec(text) ?? [];
  if (query === '') return text;
  const pairs: string[] = [];
  for (const pair of query.slice(1).split(/([&;])/)) {
    const at = pair.indexOf('=');
    const key = decoded(at === -1 ? pair : pair.slice(0, at));
    const value = at === -1 ? '' : decoded(pair.slice(at + 1));
    if (key === null || value === null) return null;
    const like = resemblance(name, key);
    if (like === 'disguised') return null;
    const own = like === 'same' && value !== id;
    pairs.push(own ? `${at === -1 ? pair : pair.slice(0, at)}=${encodeURIComponent(id)}` : pair);
  }
  return `${origin}${path}?${pairs.join('')}${hash}`;
}

function inSegments(text: string, template: readonly string[], id: string): string | null {
  const [, origin = '', path = '', query = '', hash = ''] = parts.exec(text) ?? [];
  const segments = path.split('/');
  const read: { readonly at: number; readonly name: string }[] = [];
  for (const [at, segment] of segments.entries()) {
    const name = decoded(segment);
    // What climbs, or hides a slash, is read apart by those who resolve it first and those who do not.
    if (name === null || name === '..' || /[/\\]/.test(name)) return null;
    if (name !== '' && name !== '.') read.push({ at, name });
  }
  for (let start = 0; start + template.length <= read.length; start++) {
    const likes = template.map((step, index) =>
      step === '{}' ? 'same' : resemblance(step, read[start + index]?.name ?? ''),
    );
    if (likes.includes('other')) continue;
    if (likes.includes('disguised')) return null;
    for (const [index, step] of template.entries()) {
      const found = read[start + index];
      if (step === '{}' && found !== undefined && found.name !== id)
        segments[found.at] = encodeURIComponent(id);
    }
  }
  return `${origin}${segments.join('/')}${query}${hash}`;
}

/** Null where it does not decode, or where somebody who decodes twice would read something else. */
function decoded(text: string): string | null {
  try {
    const once = decodeURIComponent(text.replaceAll('+', ' '));
    return /%[0-9a-f]{2}/i.test(once) ? null : once;
  } catch {
    return null;
  }
}

// Turns a rule as written into one that the scanner can run: where to look, what to try there, when it is decided.

import { anchorOf, beginsWith, digitPlaces, standsAfter } from './anchor.ts';
import { refuseExplosions } from './explosion.ts';
import {
  firstOf,
  groupsOf,
  itemsOf,
  lengthOf,
  lengthOfAll,
  type Node,
  outlookOf,
  overlap,
  PatternError,
  parsePattern,
  type Units,
  unionUnits,
  unitsOf,
  type Writing,
  writeAll,
  writePartial,
  writePattern,
  writeUnits,
} from './pattern.ts';
import { type CompiledRule, headLimit, leftLimit, type PackName, type RuleSource, userLead } from './rule.ts';
import { nameEnd, nameRest } from './scanner.ts';

/** What a rule may ask for. Users' rules come from engines without these limits, so theirs are wider. */
export interface Limits {
  /** Most units of a secret that decide about it. */
  readonly head: number;
  /** Most units before it. */
  readonly before: number;
  /** Most units before the keyword that are looked at. */
  readonly lead: number;
  /** What an open repetition inside a pattern is cut to; 0 refuses it. */
  readonly open: number;
  /** Most ways in which one text may be read, as counted from the pattern: what a failing match goes through. */
  readonly ways: number;
}

export const ownLimits: Limits = {
  head: headLimit,
  before: 200,
  lead: leftLimit,
  open: 0,
  ways: 10_000_000_000,
};
export const userLimits: Limits = { head: 1024, before: 800, lead: userLead, open: 256, ways: 10_000_000 };

/** Not inside a word; but an escape sequence before it is no word. */
const leftBoundary = itemsOf(
  parsePattern(
    String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[abfnrtv0]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,8}m))`,
  ),
);
const rightBoundary = itemsOf(parsePattern('(?![A-Za-z0-9])'));

/**
 * Between a word in a name and the value assigned to it: the rest of the name, what closes it, a type, the operator,
 * what opens the value. No part before the operator can take what that starts with.
 */
const assignment = itemsOf(
  parsePattern(
    [
      `[${nameRest}]{0,40}[${nameEnd}]{0,5}`,
      // A type: `: string =`, `: &'static str =`.
      String.raw`(?::[ \t]{0,2}[&*]?(?:'[a-z]{1,8} )?[A-Za-z]{2,12}[?]?[ \t]{0,2}(?==))?`,
      String.raw`(?:[=:>,?<(]{1,4}|\|\|[:=]{0,2}|\+=)`,
      String.raw`[\\"'\x60\s=@({\[]{0,16}`,
      // A block of YAML.
      String.raw`(?:[>|][-+]?\s{1,16})?`,
    ].join(''),
  ),
);

interface Parts {
  readonly before: readonly Node[];
  readonly secret: readonly Node[];
  readonly after: readonly Node[];
  /** The secret is one of several groups somewhere inside; then `secret` is the whole pattern. */
  readonly scattered: boolean;
  /** What stands before the secret is a name and an assignment. */
  readonly assigned: boolean;
}

/** Compiles one rule; throws `PatternError` with the reason why it cannot be used. */
export function compileRule(
  rule: Omit<RuleSource, 'examples'> & { readonly secretGroup?: number },
  pack: PackName,
  limits: Limits,
): CompiledRule {
  const words = keywordsOf(rule);
  const parts = bounded(withBoundaries(partsOf(rule, words), rule), limits);
  const row = [...parts.before, ...parts.secret, ...parts.after];
  const anchor = anchorOf(rule, row, parts.before.length, words, pack === 'user');
  const { place } = anchor;
  const found = place !== null && place < parts.before.length + parts.secret.length;
  if (!found && pack !== 'user') {
    throw new PatternError('a match does not have to contain a keyword at a place that can be found');
  }
  const shape = written(parts, found ? place : 0, limits, anchor.keywords);
  const beginsAnywhere =
    rule.loose === true ||
    rule.assigned !== undefined ||
    parts.scattered ||
    // Something else stands before the keyword, so the secret does not begin where a word does.
    (place !== null && lengthOfAll(parts.before.slice(0, place)).max > 0);
  return {
    id: rule.id,
    name: rule.name,
    kind: rule.kind,
    pack,
    keywords: found ? anchor.keywords : words,
    ...(rule.anchor === 'digit' && place !== null ? digitPlaces(row.slice(place)) : {}),
    ...(found ? standsAfter(row, place) : {}),
    ...shape,
    ...(rule.assigned === undefined ? {} : { assigned: true }),
    ...(beginsAnywhere ? { anywhere: true } : {}),
    ...(found ? {} : { search: true, opens: true, reach: Math.max(shape.reach, searchReach), hold: 0 }),
    ...conditionsOf(rule, found || rule.gate !== undefined ? anchor.gate : undefined),
  };
}

/** The words of which a match contains one, in small letters; throws `PatternError` where one is not ASCII. */
function keywordsOf({ assigned, keywords = [] }: Omit<RuleSource, 'examples'>): readonly string[] {
  const words = (assigned ?? keywords).map((keyword) => keyword.toLowerCase());
  const odd = words.find((keyword) => !/^[\x20-\x7e]+$/.test(keyword));
  if (odd !== undefined) throw new PatternError(`the keyword ${JSON.stringify(odd)} is not ASCII`);
  return words;
}

/** What a match must be beside its pattern. Words that the anchor needs in the text come before the rule's own. */
function conditionsOf(
  { swallow, check, entropy, allow, near, within, gate, common, path }: Omit<RuleSource, 'examples'>,
  needed: readonly string[] | undefined,
): Partial<CompiledRule> {
  const words = needed ?? gate?.map((keyword) => keyword.toLowerCase());
  return {
    ...(swallow === undefined ? {} : { swallow }),
    ...(check === undefined ? {} : { check }),
    ...(entropy === undefined ? {} : { entropy }),
    ...(allow === undefined ? {} : { allow: allow.map(translated) }),
    ...(near === undefined ? {} : { near, within: Math.min(within ?? 48, leftLimit) }),
    ...(words === undefined ? {} : { gate: words }),
    ...(common === true ? { common } : {}),
    ...(path === undefined ? {} : { path: translated(path) }),
  };
}

/** A pattern as JavaScript, for use on whole values. */
export function translated(pattern: string): string {
  return writePattern(parsePattern(pattern), { catches: () => false });
}

function partsOf(
  rule: Omit<RuleSource, 'examples'> & { readonly secretGroup?: number },
  words: readonly string[],
): Parts {
  if (rule.assigned !== undefined) {
    if (rule.value === undefined) throw new PatternError('"assigned" needs a "value"');
    const names: Node = {
      type: 'choice',
      options: words.map((keyword) => parsePattern(`(?i)${escaped(keyword)}`)),
    };
    return {
      before: [names, ...assignment],
      secret: itemsOf(stripped(parsePattern(rule.value), () => false)),
      after: [],
      scattered: false,
      assigned: true,
    };
  }
  if (rule.pattern === undefined)
    throw new PatternError('a rule needs a "pattern", or "assigned" and a "value"');
  const tree = parsePattern(rule.pattern);
  const groups = groupsOf(tree);
  const named = groups.filter(({ name }) => name === 'secret').map(({ index }) => index);
  const firstAtTop = itemsOf(tree).some((item) => item.type === 'group' && item.index === 1);
  const wanted =
    named.length > 0
      ? named
      : rule.secretGroup === undefined
        ? []
        : rule.secretGroup > 0
          ? [rule.secretGroup]
          : firstAtTop
            ? [1]
            : groups.map(({ index }) => index);
  const items = itemsOf(stripped(tree, (index) => wanted.includes(index)));
  const at = items.findIndex((item) => item.type === 'group');
  const group = items[at];
  const inside = items.flatMap(groupsOf);
  if (inside.length === 0) {
    if (wanted.length > 0) throw new PatternError('there is no group of that number');
    return { before: [], secret: items, after: [], scattered: false, assigned: false };
  }
  if (group?.type === 'group' && inside.length === 1) {
    return {
      before: items.slice(0, at),
      secret: itemsOf(group.node),
      after: items.slice(at + 1),
      scattered: false,
      assigned: false,
    };
  }
  return { before: [], secret: items, after: [], scattered: true, assigned: false };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** The node without the groups that are not wanted. */
function stripped(node: Node, wanted: (index: number) => boolean): Node {
  switch (node.type) {
    case 'group': {
      const inner = stripped(node.node, wanted);
      return wanted(node.index) ? { ...node, node: inner } : inner;
    }
    case 'look':
    case 'repeat':
      return { ...node, node: stripped(node.node, wanted) };
    case 'sequence':
      return { ...node, items: node.items.map((item) => stripped(item, wanted)) };
    case 'choice':
      return { ...node, options: node.options.map((option) => stripped(option, wanted)) };
    default:
      return node;
  }
}

function withBoundaries(parts: Parts, rule: Pick<RuleSource, 'loose' | 'assigned'>): Parts {
  if (rule.loose === true || parts.scattered) return parts;
  const { before, secret, after } = parts;
  const left = rule.assigned === undefined ? leftBoundary : [];
  const last = after.length > 0 ? after.at(-1) : secret.at(-1);
  const open = last?.type === 'repeat' && last.max === Number.POSITIVE_INFINITY;
  return {
    ...parts,
    before: [...left, ...before],
    after: open ? after : [...after, ...rightBoundary],
    secret,
  };
}

/** Cuts open repetitions to the limits, all but the last of the secret. */
function bounded(parts: Parts, limits: Limits): Parts {
  const cut = (node: Node, keep: boolean): Node => {
    switch (node.type) {
      case 'repeat': {
        const inner = cut(node.node, false);
        if (keep && lengthOf(inner).max === 1 && inner.type === 'unit') return { ...node, node: inner };
        const most = limits.open === 0 ? node.max : Math.max(node.min, limits.open);
        if (limits.open === 0 && node.max > headLimit + 40) {
          throw new PatternError('a repetition is open or too long, and not the last of the secret');
        }
        return { ...node, node: inner, max: Math.min(node.max, most) };
      }
      case 'group':
      case 'look':
        return { ...node, node: cut(node.node, false) };
      case 'sequence':
        return { ...node, items: node.items.map((item) => cut(item, false)) };
      case 'choice':
        return { ...node, options: node.options.map((option) => cut(option, false)) };
      default:
        return node;
    }
  };
  const all = (items: readonly Node[], lastIsFree: boolean) =>
    items.map((item, index) => cut(item, lastIsFree && index === items.length - 1));
  return {
    ...parts,
    before: all(parts.before, false),
    secret: all(parts.secret, !parts.scattered),
    after: all(parts.after, false),
  };
}

/** How far behind a keyword a pattern is looked for that does not begin with it. */
const searchReach = 160;

/** Catches the given items, as the secret or a part of it. */
function caught(items: readonly Node[]): Node {
  return { type: 'group', index: 1, node: { type: 'sequence', items } };
}

/** What is read at least of a run before it counts as long. */
const leastRun = 64;

/** The secret and what follows it; a secret that can go on beyond the head's limit gets a tail. */
function withTail(
  secret: readonly Node[],
  after: readonly Node[],
  room: number,
): { readonly items: readonly Node[]; readonly tail?: Units } {
  const { max: longest } = lengthOfAll(secret);
  if (longest <= room) return { items: [caught(secret), ...after] };
  const last = secret.at(-1);
  const start = secret.slice(0, -1);
  const others = lengthOfAll(secret.slice(0, -1)).max;
  const least = last?.type === 'repeat' ? last.min : 0;
  const left = Math.min(room - others, Math.max(headLimit - others, least, leastRun));
  if (last?.type !== 'repeat' || last.node.type !== 'unit' || left < Math.max(2, last.min)) {
    throw new PatternError(
      `the secret can be ${longest} characters long; the limit is ${room}, unless it ends in a run of one class`,
    );
  }
  const tail = last.node.units;
  if (after.length === 0) return { items: [caught([...start, { ...last, max: left }])], tail };
  // What must follow a secret cannot be waited for once its head is full: then it counts as found.
  const full = caught([...start, { ...last, min: left, max: left }]);
  const shorter = caught([...start, { ...last, max: Math.max(last.min, left - 1) }]);
  return {
    items: [{ type: 'choice', options: [full, { type: 'sequence', items: [shorter, ...after] }] }],
    tail,
  };
}

const catching: Writing = { catches: () => true };

/** The patterns for a keyword at a place of the row, and what they tell the scanner. */
function written(
  { before, secret, after, scattered, assigned }: Parts,
  place: number,
  limits: Limits,
  keywords: readonly string[],
): Pick<CompiledRule, 'source' | 'partial' | 'reach' | 'hold' | 'opens' | 'lead' | 'tail'> {
  const inside = Math.max(0, place - before.length);
  const secretLead = secret.slice(0, inside);
  const lead = [...before.slice(0, place), ...(inside > 0 ? [caught(secretLead)] : [])];
  const leadLength = lengthOfAll(lead);
  // What may be left out and tells nothing is not looked at.
  const idle =
    inside === 0 && leadLength.min === 0 && lead.every(({ type }) => type !== 'look' && type !== 'edge');
  const between = before.slice(place);
  // What stands between a name and its value is ours, and measured.
  const given = assigned ? [] : between;
  refuseExplosions([...(idle ? [] : lead), ...given, ...secret.slice(inside), ...after], limits.ways);
  const room = limits.head - lengthOfAll(secretLead).max;
  const { items, tail } = scattered
    ? { items: secret.slice(place) }
    : withTail(secret.slice(inside), after, room);
  const rest = [...between, ...items];
  const most = lengthOfAll(rest).max;
  if (
    lengthOfAll(between).max > limits.before ||
    (!idle && leadLength.max > limits.lead) ||
    most > limits.before + limits.head + 64
  ) {
    throw new PatternError('the pattern can match too long a text');
  }
  const behind = idle ? '' : behindOf(lead, leadLength.max);
  // The lazy form finds the earliest place at which the secret can begin.
  const partial = writePartial(rest, { ...catching, lazy: true });
  return {
    source: `${behind}${writeAll(rest, catching)}`,
    partial: partial === '[]' ? '[]' : `${behind}${partial}`,
    reach: most + Math.max(0, ...rest.map(outlookOf)),
    ...(inside === 0 && !standsBefore(rest, keywords) ? { opens: true } : {}),
    hold: scattered && inside === 0 ? 0 : inside > 0 || limits.open === 0 ? -1 : holdOf(rest),
    ...leadOf(secretLead, inside),
    ...(tail === undefined ? {} : { tail: writeUnits(tail) }),
  };
}

/** What must stand before the keyword, written so that it is not part of the match. */
function behindOf(lead: readonly Node[], longest: number): string {
  const source = writeAll(lead, catching);
  return longest === 0 ? source : `(?<=${source})`;
}

/** How much is held back before the keyword until the secret's start is sure. */
function holdOf(rest: readonly Node[]): number {
  return startIsSure(rest) ? -1 : minimalBefore(rest);
}

/** What stands of the secret before its keyword. */
function leadOf(secretLead: readonly Node[], inside: number): Pick<CompiledRule, 'lead'> {
  if (inside === 0) return {};
  const units = writeUnits(unionUnits(...secretLead.map(unitsOf)));
  return { lead: { units, max: lengthOfAll(secretLead).max } };
}

/** Whether the secret begins only after the keyword. */
function standsBefore(items: readonly Node[], keywords: readonly string[]): boolean {
  const secret = items.findIndex((item) => groupsOf(item).length > 0);
  return secret > 0 && beginsWith(items.slice(0, secret), keywords);
}

/** Units between the keyword's start and the secret's, at least. */
function minimalBefore(items: readonly Node[]): number {
  let sum = 0;
  for (const item of items) {
    if (groupsOf(item).length > 0) return sum;
    sum += lengthOf(item).min;
  }
  return sum;
}

/**
 * Whether the place at which the secret begins can be seen as soon as it begins: what stands directly before it,
 * back to the last thing that must be there, shares nothing with how the secret begins.
 */
function startIsSure(items: readonly Node[]): boolean {
  const at = items.findIndex((item) => groupsOf(item).length > 0);
  const secret = items[at];
  if (secret === undefined) return false;
  if (at === 0) return true;
  const { units } = firstOf([secret]);
  for (let index = at - 1; index >= 0; index--) {
    const item = items[index];
    if (item === undefined) break;
    const { min, max } = lengthOf(item);
    if (max > 0 && min !== max && overlap(unitsOf(item), units)) return false;
    if (min > 0) return true;
  }
  return true;
}

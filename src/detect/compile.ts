// Turns a rule as written into one that the scanner can run: where to look, what to try there, when it is decided.

import {
  containsUnit,
  digits,
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
  withoutUnits,
  writeAll,
  writePartial,
  writePattern,
  writeUnits,
} from './pattern.ts';
import {
  type CompiledRule,
  headLimit,
  leftLimit,
  longestRun,
  type PackName,
  type RuleSource,
  userLead,
} from './rule.ts';

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
  ways: 1e15,
};
export const userLimits: Limits = { head: 1024, before: 800, lead: userLead, open: 256, ways: 10_000_000 };

/** Not inside a word; but an escape sequence before it is no word. */
const leftBoundary = itemsOf(
  parsePattern(
    String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[abfnrtv0]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,8}m))`,
  ),
);
const rightBoundary = itemsOf(parsePattern('(?![A-Za-z0-9])'));

/** What may stand between a word in a name and the operator, and what an operator is made of. */
const nameRest = String.raw`\w .\t\-`;
const nameEnd = String.raw`\\"'\x60\s\])}`;
const operator = '=:>,|?<+(';

/** Most units before the operator. */
const longestName = 45;
const [beforeOperator, inOperator] = [1, 2];
const assignmentUnits = Uint8Array.from({ length: 128 }, (_, code) => {
  const unit = String.fromCharCode(code);
  if (operator.includes(unit)) return inOperator;
  return new RegExp(`[${nameRest}${nameEnd}]`).test(unit) ? beforeOperator : 0;
});

/** Whether an assignment may follow from a place on: cheaper than its pattern, and nearly always no. */
export function mayAssign(text: string, at: number): boolean {
  const end = Math.min(text.length, at + longestName + 1);
  for (let index = at; index < end; index++) {
    const kind = assignmentUnits[text.charCodeAt(index)] ?? 0;
    if (kind !== beforeOperator) return kind === inOperator;
  }
  return end === text.length;
}

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
}

/** Compiles one rule; throws `PatternError` with the reason why it cannot be used. */
export function compileRule(
  rule: Omit<RuleSource, 'examples'> & { readonly secretGroup?: number },
  pack: PackName,
  limits: Limits,
): CompiledRule {
  const words = (rule.assigned ?? rule.keywords ?? []).map((keyword) => keyword.toLowerCase());
  for (const keyword of words) {
    if (!/^[\x20-\x7e]+$/.test(keyword))
      throw new PatternError(`the keyword ${JSON.stringify(keyword)} is not ASCII`);
  }
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
  const { check, entropy, allow, near, within, gate, swallow, common, path } = rule;
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
    ...(swallow === undefined ? {} : { swallow }),
    ...(check === undefined ? {} : { check }),
    ...(entropy === undefined ? {} : { entropy }),
    ...(allow === undefined ? {} : { allow: allow.map(translated) }),
    ...(near === undefined ? {} : { near, within: Math.min(within ?? 48, leftLimit) }),
    ...(gate === undefined && (!found || anchor.gate === undefined)
      ? {}
      : { gate: anchor.gate ?? gate?.map((keyword) => keyword.toLowerCase()) ?? [] }),
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
    return { before: [], secret: items, after: [], scattered: false };
  }
  if (group?.type === 'group' && inside.length === 1) {
    return {
      before: items.slice(0, at),
      secret: itemsOf(group.node),
      after: items.slice(at + 1),
      scattered: false,
    };
  }
  return { before: [], secret: items, after: [], scattered: true };
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

/** Cuts open repetitions to the limits, all but the last of the secret, and refuses what can explode. */
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
  { before, secret, after, scattered }: Parts,
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
  refuseExplosions([...(idle ? [] : lead), ...between, ...secret.slice(inside), ...after], limits.ways);
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
  const behind = idle
    ? ''
    : leadLength.max === 0
      ? writeAll(lead, catching)
      : `(?<=${writeAll(lead, catching)})`;
  // The lazy form finds the earliest place at which the secret can begin.
  const partial = writePartial(rest, { ...catching, lazy: true });
  return {
    source: `${behind}${writeAll(rest, catching)}`,
    partial: partial === '[]' ? '[]' : `${behind}${partial}`,
    reach: most + Math.max(0, ...rest.map(outlookOf)),
    ...(inside === 0 && !standsBefore(rest, keywords) ? { opens: true } : {}),
    hold: inside > 0 ? -1 : scattered ? 0 : limits.open === 0 || startIsSure(rest) ? -1 : minimalBefore(rest),
    ...(inside > 0
      ? {
          lead: {
            units: writeUnits(unionUnits(...secretLead.map(unitsOf))),
            max: lengthOfAll(secretLead).max,
          },
        }
      : {}),
    ...(tail === undefined ? {} : { tail: writeUnits(tail) }),
  };
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

interface Anchor {
  readonly place: number | null;
  readonly keywords: readonly string[];
  /** Words that only have to be seen. */
  readonly gate?: readonly string[];
}

/** Where in the row a match can be found, and by which words. */
function anchorOf(
  rule: Pick<RuleSource, 'anchor' | 'pattern'>,
  row: readonly Node[],
  secretFrom: number,
  words: readonly string[],
  isUsers: boolean,
): Anchor {
  if (rule.anchor === 'digit') return { place: digitPlace(row), keywords: [] };
  const place = words.length === 0 ? null : keywordPlace(row, words);
  if (!isUsers) {
    if (words.length === 0) throw new PatternError('a rule needs "keywords", "assigned" or anchor = "digit"');
    return { place, keywords: words };
  }
  if (place !== null && place < secretFrom + 1) return { place, keywords: words };
  // The words stand too late in the pattern, or not in it at all: it is found by a text of its own.
  const own = literalsIn(row);
  if (own !== null) {
    const spelled = (rule.pattern ?? '').replaceAll('\\', '').toLowerCase();
    const inside = words.some((keyword) => spelled.includes(keyword));
    return { ...own, ...(words.length > 0 && !inside ? { gate: words } : {}) };
  }
  if (words.length === 0) throw new PatternError('it has no keyword, and no text that every match contains');
  return { place, keywords: words };
}

/** The longest texts that stand at one place of every match, if there are any of three letters or more. */
function literalsIn(
  row: readonly Node[],
): { readonly place: number; readonly keywords: readonly string[] } | null {
  let best: { place: number; keywords: readonly string[] } | null = null;
  let bestLength = 2;
  for (let place = 0; place < row.length; place++) {
    const { texts } = beginningsOf(row.slice(place));
    const length = Math.min(...texts.map((literal) => literal.length));
    if (length > bestLength) {
      best = { place, keywords: [...new Set(texts)] };
      bestLength = length;
    }
    // A text further on is worth the look behind only if there is none at the start.
    if (best !== null && best.place === 0) break;
  }
  return best;
}

/** Texts that everything begins with that the items match, while they are few; and whether they are all of it. */
function beginningsOf(items: readonly Node[]): {
  readonly texts: readonly string[];
  readonly whole: boolean;
} {
  let texts: readonly string[] = [''];
  for (const item of items) {
    const next = beginningsOfNode(item);
    if (texts.length * next.texts.length > 16) return { texts, whole: false };
    texts = texts.flatMap((start) => next.texts.map((end) => start + end));
    if (!next.whole) return { texts, whole: false };
  }
  return { texts, whole: true };
}

function beginningsOfNode(node: Node): { readonly texts: readonly string[]; readonly whole: boolean } {
  switch (node.type) {
    case 'edge':
    case 'look':
      return { texts: [''], whole: true };
    case 'unit': {
      const letters = [...letterSet(node.units)];
      const few = letters.length > 0 && letters.length <= 3 && node.units.every(([, to]) => to <= 126);
      return few ? { texts: letters, whole: true } : { texts: [''], whole: false };
    }
    case 'group':
      return beginningsOfNode(node.node);
    case 'sequence':
      return beginningsOf(node.items);
    case 'choice': {
      const all = node.options.map(beginningsOfNode);
      return { texts: all.flatMap(({ texts }) => texts), whole: all.every(({ whole }) => whole) };
    }
    case 'repeat':
      if (node.min === 0) return { texts: [''], whole: false };
      return node.min === node.max && node.max <= 3
        ? beginningsOf(Array.from({ length: node.max }, () => node.node))
        : { ...beginningsOfNode(node.node), whole: false };
  }
}

/** Where in the row a keyword must stand: the first place from which every match begins with one; null if none. */
function keywordPlace(items: readonly Node[], keywords: readonly string[]): number | null {
  if (keywords.length === 0)
    throw new PatternError('a rule needs "keywords", "assigned" or anchor = "digit"');
  for (let place = 0; place < items.length; place++) {
    if (lengthOfAll(items.slice(place)).max === 0) return null;
    if (beginsWith(items.slice(place), keywords)) return place;
  }
  return null;
}

/** Whether everything that the items match begins with one of the keywords, in any case. */
function beginsWith(items: readonly Node[], keywords: readonly string[]): boolean {
  /** The beginnings that are still too short to tell; null once one of them can no longer become a keyword. */
  const grow = (row: readonly Node[], given: ReadonlySet<string>): ReadonlySet<string> | null => {
    let open = given;
    for (const item of row) {
      if (open.size === 0) return open;
      const next = growNode(item, open);
      if (next === null) return null;
      open = next;
    }
    return open;
  };
  const growNode = (node: Node, open: ReadonlySet<string>): ReadonlySet<string> | null => {
    switch (node.type) {
      case 'edge':
      case 'look':
        return open;
      case 'group':
        return growNode(node.node, open);
      case 'sequence':
        return grow(node.items, open);
      case 'choice': {
        const all = node.options.map((option) => growNode(option, open));
        return all.some((one) => one === null) ? null : new Set(all.flatMap((one) => [...(one ?? [])]));
      }
      case 'repeat': {
        const reached = new Set<string>(node.min === 0 ? open : []);
        let current: ReadonlySet<string> = open;
        for (let count = 1; count <= Math.min(node.max, 64) && current.size > 0; count++) {
          const next = growNode(node.node, current);
          if (next === null) return null;
          current = next;
          if (count >= node.min) for (const text of current) reached.add(text);
        }
        return reached;
      }
      case 'unit': {
        const letters = [...letterSet(node.units)];
        if (node.units.some(([, to]) => to > 126) || letters.length > 40) return null;
        const next = new Set<string>();
        for (const text of open) {
          for (const letter of letters) {
            const longer = text + letter;
            if (keywords.some((keyword) => longer.startsWith(keyword))) continue;
            if (!keywords.some((keyword) => keyword.startsWith(longer))) return null;
            next.add(longer);
          }
        }
        return next;
      }
    }
  };
  const left = grow(items, new Set(['']));
  return left !== null && left.size === 0;
}

/** The printable ASCII characters of a set, in lower case. */
function letterSet(units: Units): ReadonlySet<string> {
  const letters = new Set<string>();
  for (let code = 0; code <= 126; code++) {
    if (containsUnit(units, code)) letters.add(String.fromCharCode(code).toLowerCase());
  }
  return letters;
}

/** Where in the row the first digit of a run of digits must stand. */
function digitPlace(items: readonly Node[]): number | null {
  for (let place = 0; place < items.length; place++) {
    const { units, empty } = firstOf(items.slice(place));
    const allDigits = units.length > 0 && units.every(([from, to]) => from >= 48 && to <= 57);
    const leadHasDigits = items.slice(0, place).some((item) => overlap(unitsOf(item), digits));
    if (allDigits && !empty && !leadHasDigits) return place;
  }
  return null;
}

/** The class of what stands right before a place, where something must. */
function standsAfter(row: readonly Node[], place: number): Pick<CompiledRule, 'after'> {
  const before: Units[] = [];
  for (let index = place - 1; index >= 0; index--) {
    const item = row[index];
    if (item === undefined || lengthOf(item).max === 0) continue;
    before.push(unitsOf(item));
    if (lengthOf(item).min > 0) return { after: writeUnits(unionUnits(...before)) };
  }
  return {};
}

/** How long the first run of digits may be, and what may follow each. */
function digitPlaces(items: readonly Node[]): Required<Pick<CompiledRule, 'runs' | 'follows'>> {
  const followers = digitFollowers(items);
  const runs = [...followers.keys()].sort((a, b) => a - b);
  return { runs, follows: runs.map((run) => writeUnits(followers.get(run) ?? [])) };
}

/** How many digits may stand in the first run of what the items match, and what may come after so many. */
function digitFollowers(items: readonly Node[]): ReadonlyMap<number, Units> {
  interface Runs {
    /** Numbers of digits with which the node is over, all digits. */
    readonly through: ReadonlySet<number>;
    /** What else it takes after how many digits. */
    readonly stopped: ReadonlyMap<number, Units>;
  }
  const capped = (length: number) => Math.min(longestRun, length);
  const plus = (a: ReadonlySet<number>, b: ReadonlySet<number>) =>
    new Set([...a].flatMap((x) => [...b].map((y) => capped(x + y))));
  const merged = (...maps: readonly ReadonlyMap<number, Units>[]) => {
    const all = new Map<number, Units>();
    for (const map of maps) {
      for (const [length, units] of map) all.set(length, unionUnits(all.get(length) ?? [], units));
    }
    return all;
  };
  const shifted = (a: ReadonlySet<number>, b: ReadonlyMap<number, Units>) =>
    merged(...[...a].map((x) => new Map([...b].map(([y, units]) => [capped(x + y), units] as const))));
  const union = (...sets: readonly ReadonlySet<number>[]) => new Set(sets.flatMap((set) => [...set]));
  const rowOf = (nodes: readonly Node[]): Runs => {
    let through: ReadonlySet<number> = new Set([0]);
    let stopped: ReadonlyMap<number, Units> = new Map();
    for (const node of nodes) {
      const next = runsOf(node);
      stopped = merged(stopped, shifted(through, next.stopped));
      through = plus(through, next.through);
    }
    return { through, stopped };
  };
  const runsOf = (node: Node): Runs => {
    switch (node.type) {
      case 'edge':
      case 'look':
        return { through: new Set([0]), stopped: new Map() };
      case 'unit': {
        const others = withoutUnits(node.units, digits);
        return {
          through: new Set(overlap(node.units, digits) ? [1] : []),
          stopped: others.length === 0 ? new Map() : new Map([[0, others]]),
        };
      }
      case 'group':
        return runsOf(node.node);
      case 'sequence':
        return rowOf(node.items);
      case 'choice': {
        const all = node.options.map(runsOf);
        return {
          through: union(...all.map(({ through }) => through)),
          stopped: merged(...all.map(({ stopped }) => stopped)),
        };
      }
      case 'repeat': {
        const inner = runsOf(node.node);
        let current: ReadonlySet<number> = new Set([0]);
        let through: ReadonlySet<number> = new Set(node.min === 0 ? [0] : []);
        let stopped: ReadonlyMap<number, Units> = new Map();
        for (let count = 1; count <= Math.min(node.max, longestRun + 1) && current.size > 0; count++) {
          stopped = merged(stopped, shifted(current, inner.stopped));
          current = plus(current, inner.through);
          if (count >= node.min) through = union(through, current);
        }
        return { through, stopped };
      }
    }
  };
  const { through, stopped } = rowOf(items);
  const anything: Units = [[0, 0xffff]];
  const last = items.at(-1);
  const closed =
    last?.type === 'look' && !last.behind && last.negative && overlap(unitsOf(last.node), digits);
  const beyond = closed && last.node.type === 'unit' ? withoutUnits(anything, last.node.units) : anything;
  const all = new Map(stopped);
  for (const length of through) all.set(length, unionUnits(all.get(length) ?? [], beyond));
  // Without a boundary behind it, a match may end inside a longer run.
  if (!closed && through.size > 0) {
    for (let length = Math.min(...through); length <= longestRun; length++) all.set(length, anything);
  }
  all.delete(0);
  return all;
}

function refuseExplosions(items: readonly Node[], most: number): void {
  if (waysOf(items) > most) {
    throw new PatternError('its repetitions can take the same text in too many ways');
  }
}

/** In how many ways, at most, the items can share one text among them. */
function waysOf(items: readonly Node[]): number {
  let ways = 1;
  /** Ranges of neighbours that can take each other's text. */
  let chain: number[] = [];
  let shared: Units = [];
  const close = () => {
    // All but one of them are free to choose where they end.
    const [, ...free] = chain.sort((a, b) => b - a);
    for (const range of free) ways *= range;
    chain = [];
  };
  for (const item of items) {
    const { min, max } = lengthOf(item);
    ways *= waysInside(item);
    if (max === 0) continue;
    const units = unitsOf(item);
    if (!overlap(units, shared)) close();
    if (min === max) {
      if (chain.length === 0) shared = [];
      continue;
    }
    chain.push(Math.min(max, 1000) - min + 1);
    shared = chain.length === 1 ? units : unionUnits(shared, units);
  }
  close();
  return ways;
}

function waysInside(node: Node): number {
  switch (node.type) {
    case 'group':
    case 'look':
      return waysInside(node.node);
    case 'choice':
      return Math.max(...node.options.map(waysInside)) * (prefixFree(node.options) ? 1 : node.options.length);
    case 'sequence':
      return waysOf(node.items);
    case 'repeat': {
      const inner = waysInside(node.node);
      const rounds = Math.min(node.max, 1000);
      const shifting =
        rounds > 1 && lengthOf(node.node).min !== lengthOf(node.node).max && !separated(node.node);
      const { min, max } = lengthOf(node.node);
      return (inner * (shifting ? Math.min(max, 1000) - min + 1 : 1)) ** rounds;
    }
    default:
      return 1;
  }
}

/** Whether no text can begin two of the options. */
function prefixFree(options: readonly Node[]): boolean {
  const firsts = options.map((option) => firstOf([option]));
  return firsts.every(
    ({ units, empty }, index) =>
      !empty && firsts.slice(index + 1).every((other) => !overlap(units, other.units)),
  );
}

/** Whether each round begins or ends with something that its variable parts cannot take, so that rounds cannot shift. */
function separated(node: Node): boolean {
  const items = itemsOf(node.type === 'group' ? node.node : node);
  const variable = unionUnits(
    ...items.filter((item) => lengthOf(item).min !== lengthOf(item).max).map(unitsOf),
  );
  return [items[0], items.at(-1)].some((item) => {
    if (item === undefined) return false;
    const { min, max } = lengthOf(item);
    return min > 0 && min === max && !overlap(unitsOf(item), variable);
  });
}

// Rules made ready to run together: one automaton over all their words, patterns compiled when first needed.

import type { Check, Where } from './checks/check.ts';
import { checks } from './checks/index.ts';
import { shorthand } from './packs/shorthand.ts';
import { type Allowlist, type CompiledRule, headLimit, leftLimit, longestRun, userLead } from './rule.ts';

// ── One automaton for many words (Aho and Corasick): a text is read once, unit by unit, in any case of its letters.
// Most ways through it are never taken, so those that are not a word's own are worked out when first taken.

export interface Automaton {
  /** The class of each unit; class 0 is what no word contains. */
  readonly classes: Uint8Array;
  /** The next state, at `(state << shift) | class`; `unknown` until `resolveState` was asked for it. */
  readonly next: Uint16Array | Uint32Array;
  readonly shift: number;
  /** States from this one on end at least one word. */
  readonly firstEnd: number;
  /** Higher than every state, so that one comparison finds both. */
  readonly unknown: number;
  /** The words that end in each state from `firstEnd` on, longest first. */
  readonly ends: readonly (readonly number[])[];
  /** Units of the longest word. */
  readonly longest: number;
  /** How many units of a word each state has seen, and the state for the longest shorter beginning. */
  readonly depth: Uint16Array;
  readonly shorter: Uint32Array;
  /** By state: the marks of the words that it is a beginning of, or'ed. */
  readonly marks: Uint8Array;
}

/** The state after a unit's class, where the table does not have it yet. */
export function resolveState(
  { next, shift, shorter, unknown }: Automaton,
  state: number,
  unit: number,
): number {
  let from = state;
  let found = next[(from << shift) | unit] ?? 0;
  while (found === unknown) {
    from = shorter[from] ?? 0;
    found = next[(from << shift) | unit] ?? 0;
  }
  next[(state << shift) | unit] = found;
  return found;
}

/** Builds the automaton; words are in lower-case ASCII, each with a mark of its own. */
export function buildAutomaton(words: readonly string[], markOf: (word: number) => number): Automaton {
  const classes = new Uint8Array(0x10000);
  let classCount = 1;
  let letters = 1;
  for (const text of words) {
    letters += text.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (classes[code] !== 0) continue;
      classes[code] = classCount;
      if (code >= 97 && code <= 122) classes[code - 32] = classCount;
      classCount++;
    }
  }
  const shift = Math.ceil(Math.log2(classCount + 1));

  // The tree of the words: state 0 is its root, and no word leads back to it.
  const tree = letters <= 0xffff ? new Uint16Array(letters << shift) : new Uint32Array(letters << shift);
  const parent = new Uint32Array(letters);
  const unitOf = new Uint8Array(letters);
  const depth = new Uint16Array(letters);
  const marks = new Uint8Array(letters);
  const ends: (number[] | undefined)[] = [];
  let states = 1;
  for (let word = 0; word < words.length; word++) {
    const text = words[word] ?? '';
    const mark = markOf(word);
    let state = 0;
    for (let index = 0; index < text.length; index++) {
      marks[state] = (marks[state] ?? 0) | mark;
      const unit = classes[text.charCodeAt(index)] ?? 0;
      const place = (state << shift) | unit;
      let child = tree[place] ?? 0;
      if (child === 0) {
        child = states++;
        tree[place] = child;
        parent[child] = state;
        unitOf[child] = unit;
        depth[child] = index + 1;
      }
      state = child;
    }
    const own = ends[state];
    if (own === undefined) ends[state] = [word];
    else own.push(word);
  }

  // By depth: where a word cannot go on, the longest shorter beginning may.
  const order = Array.from({ length: states - 1 }, (_, index) => index + 1);
  order.sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0));
  const shorter = new Uint32Array(states);
  for (const state of order) {
    const above = parent[state] ?? 0;
    const unit = unitOf[state] ?? 0;
    if (above === 0) continue;
    let fallback = shorter[above] ?? 0;
    while (fallback !== 0 && tree[(fallback << shift) | unit] === 0) fallback = shorter[fallback] ?? 0;
    const found = tree[(fallback << shift) | unit] ?? 0;
    shorter[state] = found;
    const more = ends[found];
    if (more !== undefined) ends[state] = [...(ends[state] ?? []), ...more];
  }

  // States that end a word get the highest numbers; those that are met most, near the root, stand together.
  const numbers = new Uint32Array(states);
  let plain = 0;
  for (const state of [0, ...order]) if (ends[state] === undefined) numbers[state] = plain++;
  const endLists: number[][] = [];
  for (const state of order) {
    const list = ends[state];
    if (list === undefined) continue;
    numbers[state] = plain + endLists.length;
    endLists.push(list);
  }
  const small = states < 0xffff;
  const unknown = small ? 0xffff : 0xffffffff;
  const next = small ? new Uint16Array(states << shift) : new Uint32Array(states << shift);
  next.fill(unknown, 1 << shift);
  for (let state = 0; state < states; state++) next[(numbers[state] ?? 0) << shift] = 0;
  const numbered = {
    depth: new Uint16Array(states),
    shorter: new Uint32Array(states),
    marks: new Uint8Array(states),
  };
  for (let state = 0; state < states; state++) {
    const number = numbers[state] ?? 0;
    numbered.depth[number] = depth[state] ?? 0;
    numbered.shorter[number] = numbers[shorter[state] ?? 0] ?? 0;
    numbered.marks[number] = marks[state] ?? 0;
    if (state > 0) next[((numbers[parent[state] ?? 0] ?? 0) << shift) | (unitOf[state] ?? 0)] = number;
  }
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0);
  return { classes, next, shift, firstEnd: plain, unknown, ends: endLists, longest, ...numbered };
}

// ── How patterns are stored in the packs: parts that very many share as one character, and no backslashes, which would
// be escaped twice over there. Reading a stored pack at a start is then a matter of milliseconds.

/** Characters that no pattern holds: they are written as escapes there. */
const firstMark = 0xc0;
const backslash = '\x7f';

/** The stored form of a pattern. */
export function shortened(pattern: string, parts: readonly string[]): string {
  return parts
    .reduce((text, part, index) => text.replaceAll(part, String.fromCharCode(firstMark + index)), pattern)
    .replaceAll('\\', backslash);
}

/** The pattern of a stored form; one that is not stored stays as it is. */
function expanded(stored: string): string {
  return stored
    .replaceAll(backslash, '\\')
    .replace(/[\u00c0-\u00ff]/g, (mark) => shorthand[mark.charCodeAt(0) - firstMark] ?? mark);
}

// ── the rules together

/** A rule with its patterns compiled. */
export class LiveRule {
  readonly rule: CompiledRule;
  /** The place among all rules; of two finds at the same place the earlier rule's names both. */
  readonly order: number;
  // Rules have many shapes; these are asked for at every keyword, so they stand where they are quickly found.
  readonly reach: number;
  readonly hold: number;
  readonly search: boolean;
  readonly assigned: boolean;
  /** It runs only in some texts, or after something: `mayFollow`, a gate or a path decide. */
  readonly conditional: boolean;
  readonly #checks: readonly Check[];
  #pattern: RegExp | undefined;
  #partial: RegExp | undefined;
  #allow: readonly RegExp[] | undefined;
  #allowlists: readonly LiveAllowlist[] | undefined;
  #near: RegExp | undefined;
  #tail: UnitSet | undefined;
  #after: UnitSet | undefined;

  constructor(rule: CompiledRule, order: number) {
    this.rule = rule;
    this.order = order;
    this.reach = rule.reach;
    this.hold = rule.hold;
    this.search = rule.search === true;
    this.assigned = rule.assigned === true;
    this.conditional = rule.after !== undefined || rule.gate !== undefined || rule.path !== undefined;
    this.#checks = (rule.check ?? []).map((name) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check === undefined) throw new Error(`rule ${rule.id}: there is no check "${name}"`);
      return check;
    });
  }

  /** Whether a run of so many digits may be followed by this unit; beyond ASCII, and at the end, the pattern decides. */
  mayStop(run: number, next: number): boolean {
    const follow = this.rule.follows?.[this.rule.runs?.indexOf(run) ?? -1];
    if (follow === undefined) return false;
    return !(next < 128) || new RegExp(follow).test(String.fromCharCode(next));
  }

  /** Whether the unit before the keyword or first digit is one that must stand there. */
  mayFollow(unit: number): boolean {
    if (this.rule.after === undefined) return true;
    this.#after ??= new UnitSet(this.rule.after);
    return this.#after.has(unit);
  }

  get pattern(): RegExp {
    this.#pattern ??= new RegExp(expanded(this.rule.source), this.rule.search === true ? 'dg' : 'dy');
    return this.#pattern;
  }

  get partial(): RegExp {
    this.#partial ??= new RegExp(expanded(this.rule.partial), 'dy');
    return this.#partial;
  }

  /** The class that a found secret goes on with. */
  get tail(): UnitSet | undefined {
    if (this.rule.tail !== undefined) this.#tail ??= new UnitSet(this.rule.tail);
    return this.#tail;
  }

  /** Whether what the pattern caught is a finding. Sees the secret's head and a limited context to its left. */
  accepts(text: string, start: number, end: number, where: Where): boolean {
    const { entropy, near, within = 0 } = this.rule;
    const secret = text.slice(start, Math.min(end, start + headLimit));
    if (entropy !== undefined && entropyOf(secret) < entropy) return false;
    this.#allow ??= (this.rule.allow ?? []).map((source) => new RegExp(source));
    for (const allowed of this.#allow) if (allowed.test(secret)) return false;
    if (this.#allowed(secret, text, start, where)) return false;
    if (near !== undefined) {
      this.#near ??= nearPattern(near);
      if (!this.#near.test(withoutAccents(text.slice(Math.max(0, start - within), start)))) return false;
    }
    if (this.#checks.length === 0) return true;
    const left = text.slice(Math.max(0, start - leftLimit), start);
    return this.#checks.every((check) => check(secret, left, where));
  }

  #allowed(secret: string, text: string, start: number, { path }: Where): boolean {
    if (this.rule.allowlists === undefined) return false;
    this.#allowlists ??= this.rule.allowlists.map((given) => ({
      ...given,
      pathPatterns: (given.paths ?? []).map((source) => new RegExp(source)),
      patterns: (given.regexes ?? []).map((source) => new RegExp(source)),
    }));
    const folded = secret.toLowerCase();
    const line = () => {
      const left = text.slice(Math.max(0, start - leftLimit), start);
      return left.slice(left.lastIndexOf('\n') + 1) + secret;
    };
    return this.#allowlists.some(({ all, paths, regexes, withLeft, stopwords, pathPatterns, patterns }) => {
      const conditions = [
        ...(paths === undefined
          ? []
          : [() => path !== undefined && pathPatterns.some((one) => one.test(path))]),
        ...(regexes === undefined
          ? []
          : [() => patterns.some((one) => one.test(withLeft === true ? line() : secret))]),
        ...(stopwords === undefined ? [] : [() => stopwords.some((stopword) => folded.includes(stopword))]),
      ];
      return all === true ? conditions.every((holds) => holds()) : conditions.some((holds) => holds());
    });
  }
}

/** An allowlist with its patterns compiled. */
interface LiveAllowlist extends Allowlist {
  readonly pathPatterns: readonly RegExp[];
  readonly patterns: readonly RegExp[];
}

/** A set of UTF-16 units, quick to ask. */
class UnitSet {
  readonly #ascii = new Uint8Array(128);
  readonly #pattern: RegExp;

  constructor(source: string) {
    this.#pattern = new RegExp(`^${source}$`);
    for (let code = 0; code < 128; code++) {
      this.#ascii[code] = this.#pattern.test(String.fromCharCode(code)) ? 1 : 0;
    }
  }

  has(code: number): boolean {
    return code < 128 ? this.#ascii[code] === 1 : this.#pattern.test(String.fromCharCode(code));
  }
}

const unitCounts = new Uint16Array(128);

/** Bits per character of the text's own distribution; what is beyond ASCII counts as one character. */
function entropyOf(text: string): number {
  unitCounts.fill(0);
  for (let index = 0; index < text.length; index++) {
    const unit = Math.min(text.charCodeAt(index), 127);
    unitCounts[unit] = (unitCounts[unit] ?? 0) + 1;
  }
  let bits = 0;
  for (const count of unitCounts) {
    if (count > 0) bits -= (count / text.length) * Math.log2(count / text.length);
  }
  return bits;
}

function withoutAccents(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
}

/** Any of the words: as a word, with a plural s, or as a part of a name in camel case. */
function nearPattern(words: readonly string[]): RegExp {
  const anyCase = (text: string) =>
    text.replace(/[\s\S]/g, (unit) =>
      /[a-z]/i.test(unit)
        ? `[${unit.toLowerCase()}${unit.toUpperCase()}]`
        : unit.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'),
    );
  const options = words.map((given) => {
    const text = withoutAccents(given);
    const hump = `${text.charAt(0).toUpperCase()}${anyCase(text.slice(1))}`;
    return `(?<![A-Za-z])${anyCase(text)}|(?<=[a-z])${hump}`;
  });
  return new RegExp(`(?:${options.join('|')})[sS]?(?![a-z])`);
}

/** The runs of units that a secret may begin with before its keyword has been seen. */
interface Lead {
  readonly units: UnitSet;
  readonly max: number;
  /** Also inside a word. */
  readonly anywhere: boolean;
}

/** Which rules can begin at a run of digits; worked out for each length and follower when it is first met. */
class DigitRules {
  readonly #rules: readonly LiveRule[];
  readonly #known: (readonly LiveRule[] | undefined)[] = [];

  constructor(rules: readonly LiveRule[]) {
    this.#rules = rules;
  }

  /** Rules for a run of this length before this unit; NaN stands for the end of the text. */
  for(length: number, next: number): readonly LiveRule[] {
    const run = Math.min(length, longestRun);
    const key = run * 129 + (Number.isNaN(next) ? 128 : Math.min(next, 128));
    let rules = this.#known[key];
    if (rules === undefined) {
      rules = this.#rules.filter((live) => live.mayStop(run, next));
      this.#known[key] = rules;
    }
    return rules;
  }
}

/** What the end of a word of the automaton means. */
interface Ending {
  readonly length: number;
  /** Keywords that may stand there, whole, and the rules to try. */
  readonly keywords: readonly { readonly keyword: string; readonly rules: readonly LiveRule[] }[];
  /** The word opens rules that wait for it. */
  readonly gate: boolean;
}

/** The automaton knows only this much of a keyword: so it stays small, and the whole is quickly compared. */
const wordLength = 7;

/** Marks of keywords in the automaton: what a beginning of one means at the end of a piece. */
export const keywordMarks = {
  /** It may be secret itself, where a word may begin. */
  opensAtWord: 1,
  /** It may be secret itself, anywhere. */
  opensAnywhere: 2,
  /** It may follow a lead. */
  followsLead: 4,
} as const;

/** Rules ready to run. */
export interface Ruleset {
  readonly rules: readonly CompiledRule[];
  readonly kinds: ReadonlySet<string>;
  readonly automaton: Automaton;
  /** By the number of the word. */
  readonly endings: readonly Ending[];
  /** Rules that start at digits, by the length of the run and what comes after it. */
  readonly digitRules: DigitRules;
  readonly anyDigitRules: readonly LiveRule[];
  readonly leads: readonly Lead[];
  /** How much text behind what has been settled its lookbehinds and validators may see. */
  readonly lookBehind: number;
  /** The number of each word, for `gate`. */
  readonly wordNumber: ReadonlyMap<string, number>;
}

/** Makes rules ready. Their order decides who names a find. */
export function createRuleset(rules: readonly CompiledRule[]): Ruleset {
  const words: string[] = [];
  const wordNumber = new Map<string, number>();
  const endings: {
    length: number;
    keywords: { keyword: string; rules: LiveRule[] }[];
    gate: boolean;
    marks: number;
  }[] = [];
  const ending = (word: string) => {
    const there = endings[wordNumber.get(word) ?? -1];
    if (there !== undefined) return there;
    const made = { length: word.length, keywords: [], gate: false, marks: 0 };
    wordNumber.set(word, words.length);
    words.push(word);
    endings.push(made);
    return made;
  };
  const anyDigitRules: LiveRule[] = [];
  const leads = new Map<string, Lead>();
  for (const [order, rule] of rules.entries()) {
    const live = new LiveRule(rule, order);
    const marks = marksOf(rule);
    for (const keyword of rule.keywords) {
      const one = ending(keyword.slice(0, wordLength));
      const same = one.keywords.find((other) => other.keyword === keyword);
      if (same === undefined) one.keywords.push({ keyword, rules: [live] });
      else if (same.rules.at(-1) !== live) same.rules.push(live);
      one.marks |= marks;
    }
    for (const keyword of rule.gate ?? []) ending(keyword).gate = true;
    if (rule.runs !== undefined) anyDigitRules.push(live);
    if (rule.lead === undefined) continue;
    const { anywhere = false, lead } = rule;
    const key = `${anywhere} ${lead.units}`;
    const same = leads.get(key);
    if (same === undefined || same.max < lead.max) {
      leads.set(key, { units: same?.units ?? new UnitSet(lead.units), max: lead.max, anywhere });
    }
  }
  return {
    rules,
    kinds: new Set(rules.map(({ kind }) => kind)),
    automaton: buildAutomaton(words, (number) => endings[number]?.marks ?? 0),
    endings,
    digitRules: new DigitRules(anyDigitRules),
    anyDigitRules,
    leads: [...leads.values()],
    lookBehind: (rules.some(({ pack }) => pack === 'user') ? userLead : leftLimit) + leftLimit,
    wordNumber,
  };
}

function marksOf({ opens, anywhere, lead }: CompiledRule): number {
  if (lead !== undefined) return keywordMarks.followsLead;
  if (opens !== true) return 0;
  return anywhere === true ? keywordMarks.opensAnywhere : keywordMarks.opensAtWord;
}

// Reads text as it comes and finds what the rules describe. INVARIANT: whatever way the text is cut into pieces, the
// finds are the same, and nothing is called safe that a find could still cover.

import type { Where } from './checks/check.ts';
import { longText, readLanes } from './lanes.ts';
import type { Match } from './rule.ts';
import { keywordMarks, type LiveRule, type Ruleset, resolveState } from './ruleset.ts';
import { pemBody, type TailMatcher } from './tail-matcher.ts';

// ── How a value is assigned to a name, in whatever language or file: between the name and the value.

/** What may stand between a word in a name and the operator, and what an operator is made of. */
export const nameRest = String.raw`\w .\t\-`;
export const nameEnd = String.raw`\\"'\x60\s\])}`;
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
function mayAssign(text: string, at: number): boolean {
  const end = Math.min(text.length, at + longestName + 1);
  for (let index = at; index < end; index++) {
    const kind = assignmentUnits[text.charCodeAt(index)] ?? 0;
    if (kind !== beforeOperator) return kind === inOperator;
  }
  return end === text.length;
}

// ── the scanner

/** A place at which a rule may find something, not yet decided. Offsets are of the whole text. */
interface Candidate {
  readonly live: LiveRule;
  readonly at: number;
  /** Whether the words that open the rule had been seen before. */
  readonly open: boolean;
  /** The earliest place at which its secret can begin. */
  hold: number;
}

/** A find. It goes on growing while the text does. */
interface Found {
  readonly live: LiveRule;
  readonly start: number;
  end: number;
  /** What takes the rest of a long value; undefined once its end is known. */
  swallow: TailMatcher | undefined;
  /** The report that it became part of. */
  reported: { end: number } | undefined;
}

/** So much text gathers before some is forgotten. All that is kept is copied for every piece, so it is not much. */
const mostGathered = 128;

/** The text that a scanner has settled: pieces of it, and finds between them. */
export interface Sink {
  text(from: number, to: number): void;
  match(match: Match): void;
}

export class Scanner {
  readonly #ruleset: Ruleset;
  /** The text from `#base` on; all before has been settled and forgotten. */
  #text = '';
  #base = 0;
  #state = 0;
  #pending: Candidate[] = [];
  /** Finds that begin at or after `#settled`. */
  #found: Found[] = [];
  /** The last find that was reported, which others may run into. */
  #current: { end: number } | undefined;
  #growing: Found[] = [];
  #settled = 0;
  /** Where words that open rules were first seen. */
  readonly #seen = new Map<number, number>();
  readonly #where: Where;
  /** Where a long value was cut that did not end within its limit. */
  #overranAt = Number.POSITIVE_INFINITY;

  constructor(ruleset: Ruleset, where: Where = {}) {
    this.#ruleset = ruleset;
    this.#where = where;
  }

  /** Takes a piece and gives what is settled by it to the sink; the last piece settles everything. */
  push(piece: string, last: boolean, sink: Sink): void {
    const from = this.#text.length;
    this.#text = from === 0 ? piece : this.#text + piece;
    if (this.#growing.length > 0) {
      for (const found of this.#growing) this.#grow(found);
      this.#growing = this.#growing.filter(({ swallow }) => swallow !== undefined);
    }
    if (this.#pending.length > 0) {
      const pending = this.#pending;
      this.#pending = [];
      for (const { live, at, open } of pending) this.#try(live, at, open, last);
    }
    this.#readWords(from, last);
    if (this.#ruleset.anyDigitRules.length > 0) this.#readDigits(from, last);
    this.#settle(last ? this.#end : this.#safe(), sink);
    this.#forget();
  }

  /** The text between two places that were just settled. */
  slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base);
  }

  /** From here on nothing can be trusted: a long value did not end within its limit. */
  get overranAt(): number {
    return this.#overranAt;
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  #readWords(from: number, last: boolean): void {
    const { automaton } = this.#ruleset;
    const { classes, next, shift, firstEnd, unknown, ends } = automaton;
    const text = this.#text;
    const { length } = text;
    let start = from;
    let state = this.#state;
    if (length - from >= longText) {
      ({ at: start, state } = readLanes(automaton, text, from, state, (ended, end) =>
        this.#wordsEnd(ends[ended - firstEnd] ?? [], end, last),
      ));
    }
    for (let index = start; index < length; index++) {
      const unit = classes[text.charCodeAt(index)] as number;
      const before = state;
      state = next[(before << shift) | unit] as number;
      if (state < firstEnd) continue;
      if (state === unknown) {
        state = resolveState(automaton, before, unit);
        if (state < firstEnd) continue;
      }
      this.#wordsEnd(ends[state - firstEnd] ?? [], index + 1, last);
    }
    this.#state = state;
  }

  #wordsEnd(words: readonly number[], end: number, last: boolean): void {
    for (const word of words) {
      const ending = this.#ruleset.endings[word];
      if (ending === undefined) continue;
      const from = end - ending.length;
      if (ending.gate && !this.#seen.has(word)) {
        this.#seen.set(word, this.#base + end);
      }
      for (const { keyword, rules } of ending.keywords) {
        if (!continuesWith(this.#text, from, keyword, ending.length)) continue;
        let assigning: boolean | undefined;
        for (const live of rules) {
          if (live.assigned) {
            assigning ??= mayAssign(this.#text, from + keyword.length);
            if (!assigning) continue;
          }
          if (!live.conditional) this.#try(live, this.#base + from, true, last);
          else if (live.mayFollow(this.#text.charCodeAt(from - 1)) && this.#isMeant(live)) {
            this.#try(live, this.#base + from, this.#isOpen(live, this.#base + from), last);
          }
        }
      }
    }
  }

  #isMeant({ rule }: LiveRule): boolean {
    const { path } = this.#where;
    return rule.path === undefined || (path !== undefined && new RegExp(rule.path).test(path));
  }

  /** Whether a word that opens the rule ended before a place. */
  #isOpen({ rule }: LiveRule, at: number): boolean {
    if (rule.gate === undefined) return true;
    return rule.gate.some((keyword) => {
      const seenAt = this.#seen.get(this.#ruleset.wordNumber.get(keyword) ?? -1);
      return seenAt !== undefined && seenAt <= at;
    });
  }

  #readDigits(from: number, last: boolean): void {
    const { digitRules, anyDigitRules } = this.#ruleset;
    const text = this.#text;
    const run = /[0-9]+/g;
    run.lastIndex = from;
    for (let match = run.exec(text); match !== null; match = run.exec(text)) {
      const { index } = match;
      const { length } = match[0];
      const before = text.charCodeAt(index - 1);
      // The run began in an earlier piece, where it was tried.
      if (index === from && before >= 48 && before <= 57) continue;
      const cut = !last && index + length === text.length;
      const rules = cut ? anyDigitRules : digitRules.for(length, text.charCodeAt(index + length));
      for (const live of rules)
        if (live.mayFollow(before))
          this.#try(live, this.#base + index, this.#isOpen(live, this.#base + index), last);
    }
  }

  /** Tries a rule at a place, or keeps the place if more text could change the outcome. */
  #try(live: LiveRule, at: number, open: boolean, last: boolean): void {
    const local = at - this.#base;
    if (!last && this.#end < at + live.reach) {
      if (live.search) {
        this.#pending.push({ live, at, open, hold: at });
        return;
      }
      const { partial } = live;
      partial.lastIndex = local;
      const viable = partial.exec(this.#text);
      if (viable !== null) {
        const hold = live.hold >= 0 ? at + live.hold : this.#holdFrom(live, local, viable);
        this.#pending.push({ live, at, open, hold });
        return;
      }
    }
    const span = live.search ? this.#search(live, local) : this.#match(live, local);
    if (span === null || span.start === span.end) return;
    if (!open && !opensItself(live, this.#text.slice(span.start, span.end))) return;
    if (this.#isPlaceholder(span.start, span.end)) return;
    if (!live.accepts(this.#text, span.start, span.end, this.#where)) return;
    this.#find(live, this.#base + span.start, this.#base + span.end);
  }

  /** Where the secret may begin: in a way that goes on at the end of the text, or in one that is complete. */
  #holdFrom(live: LiveRule, local: number, viable: RegExpExecArray): number {
    const { length } = this.#text;
    const complete = this.#match(live, local)?.start ?? length;
    return this.#base + Math.min(startOf(viable) ?? length, complete);
  }

  /** What stands in place of an earlier find is no find. */
  #isPlaceholder(start: number, end: number): boolean {
    const before = this.#text[start - 1];
    if (before !== '[' && before !== '<') return false;
    const kind = /^(?:REDACTED|redacted):([a-z0-9-]{1,40})$/.exec(this.#text.slice(start, end))?.[1];
    return kind !== undefined && this.#ruleset.kinds.has(kind);
  }

  #match({ pattern }: LiveRule, local: number): { start: number; end: number } | null {
    pattern.lastIndex = local;
    const match = pattern.exec(this.#text);
    return match === null ? null : spanOf(match);
  }

  #search({ pattern, rule }: LiveRule, local: number): { start: number; end: number } | null {
    pattern.lastIndex = 0;
    const match = pattern.exec(this.#text.slice(local, local + rule.reach));
    if (match === null) return null;
    const { start, end } = spanOf(match);
    return { start: start + local, end: end + local };
  }

  #find(live: LiveRule, start: number, end: number): void {
    const found: Found = {
      live,
      start,
      end,
      swallow:
        live.rule.swallow === 'pem'
          ? pemBody(this.slice(end - 2, end) === ': ')
          : live.tail === undefined
            ? undefined
            : runOf(live),
      reported: undefined,
    };
    this.#grow(found);
    if (found.swallow !== undefined) this.#growing.push(found);
    this.#found.push(found);
  }

  /** Lets a long value take what there is of it. */
  #grow(found: Found): void {
    const { swallow } = found;
    if (swallow === undefined) return;
    const from = found.end - this.#base;
    const { taken, done, overran } = swallow(this.#text, from);
    found.end += taken;
    if (done) found.swallow = undefined;
    if (overran === true) this.#overranAt = Math.min(this.#overranAt, found.end);
    if (found.reported !== undefined) found.reported.end = Math.max(found.reported.end, found.end);
  }

  /** The place up to which no find can begin any more. */
  #safe(): number {
    const text = this.#text;
    const { length } = text;
    let safe = this.#end;
    for (const { hold } of this.#pending) if (hold < safe) safe = hold;
    const { automaton, leads } = this.#ruleset;
    if (leads.length > 0) safe = Math.min(safe, this.#base + leadStart(text, length, leads));
    for (let state = this.#state; state !== 0; state = automaton.shorter[state] ?? 0) {
      const marks = automaton.marks[state] ?? 0;
      if (marks === 0) continue;
      const place = length - (automaton.depth[state] ?? 0);
      const opens =
        (marks & keywordMarks.opensAnywhere) !== 0 ||
        ((marks & keywordMarks.opensAtWord) !== 0 && mayBegin(text, place));
      if (opens) safe = Math.min(safe, this.#base + place);
      if ((marks & keywordMarks.followsLead) !== 0) {
        safe = Math.min(safe, this.#base + leadStart(text, place, leads));
      }
    }
    // Half of a character that takes two units is no text yet.
    const final = text.charCodeAt(length - 1);
    if (final >= 0xd800 && final <= 0xdbff) safe = Math.min(safe, this.#end - 1);
    return safe;
  }

  /** Reports all that begins before the safe place, and the text between. Runs that overlap are one find. */
  #settle(safe: number, sink: Sink): void {
    // The last find may have grown since.
    if (this.#current !== undefined) this.#settled = Math.max(this.#settled, this.#current.end);
    if (this.#found.length > 1) this.#found.sort(inOrder);
    let next = 0;
    for (; next < this.#found.length; next++) {
      const found = this.#found[next];
      if (found === undefined || found.start >= safe) break;
      const { rule } = found.live;
      const current = this.#current;
      if (current !== undefined && found.start < current.end) {
        current.end = Math.max(current.end, found.end);
      } else {
        if (found.start < this.#settled) throw new Error(`rule ${rule.id} found what had been called safe`);
        if (found.start > this.#settled) sink.text(this.#settled, found.start);
        const match = { rule: rule.id, kind: rule.kind, pack: rule.pack, start: found.start, end: found.end };
        this.#current = match;
        sink.match(match);
      }
      found.reported = this.#current;
      this.#settled = Math.max(this.#settled, this.#current?.end ?? 0);
    }
    if (next > 0) this.#found.splice(0, next);
    if (safe > this.#settled) {
      sink.text(this.#settled, safe);
      this.#settled = safe;
    }
  }

  /** Drops text that nothing will look at again. */
  #forget(): void {
    let needed = Math.min(this.#settled, this.#end);
    for (const { at } of this.#pending) if (at < needed) needed = at;
    for (const { start } of this.#found) if (start < needed) needed = start;
    const drop = needed - this.#ruleset.lookBehind - this.#base;
    if (drop < mostGathered) return;
    this.#text = this.#text.slice(drop);
    this.#base += drop;
  }
}

/** Whether a keyword stands at a place, in any case, as far as the text goes; its first letters are known to. */
function continuesWith(text: string, at: number, keyword: string, known: number): boolean {
  const length = Math.min(keyword.length, text.length - at);
  for (let index = known; index < length; index++) {
    const code = text.charCodeAt(at + index);
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    if (folded !== keyword.charCodeAt(index)) return false;
  }
  return true;
}

/** Whether a find holds one of the words that open its rule. */
function opensItself({ rule }: LiveRule, secret: string): boolean {
  const folded = secret.toLowerCase();
  return rule.gate?.some((keyword) => folded.includes(keyword)) === true;
}

/** By where they begin; of two that begin together the earlier rule's comes first. */
function inOrder(a: Found, b: Found): number {
  return a.start - b.start || a.live.order - b.live.order;
}

/** Where the first group that caught something begins. */
function startOf(match: RegExpExecArray): number | undefined {
  const indices = match.indices ?? [];
  for (let group = 1; group < indices.length; group++) {
    const span = indices[group] as readonly [number, number] | undefined;
    if (span !== undefined) return span[0];
  }
  return undefined;
}

/** From the first group that caught something to the last; all of the match if there is no group. */
function spanOf(match: RegExpExecArray): { start: number; end: number } {
  const indices = match.indices ?? [];
  let start: number | undefined;
  let end = match.index + match[0].length;
  for (let group = 1; group < indices.length; group++) {
    const span = indices[group] as readonly [number, number] | undefined;
    if (span === undefined) continue;
    start ??= span[0];
    end = span[1];
  }
  return { start: start ?? match.index, end };
}

/** Whether a token may begin here: not inside a word, unless the letters before may belong to an escape. */
function mayBegin(text: string, place: number): boolean {
  const code = text.charCodeAt(place - 1);
  const inWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  if (!inWord) return true;
  return /(?:\\[abfnrtv0]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\u001b\[[0-9;]{0,8}m)$/.test(
    text.slice(Math.max(0, place - 12), place),
  );
}

/** Where the earliest run begins that ends at a place and may be the lead of a secret. */
function leadStart(text: string, end: number, leads: Ruleset['leads']): number {
  let earliest = end;
  for (const { units, max, anywhere } of leads) {
    const limit = Math.max(0, end - max);
    for (let place = end - 1; place >= limit && units.has(text.charCodeAt(place)); place--) {
      if (place < earliest && (anywhere || mayBegin(text, place))) earliest = place;
    }
  }
  return earliest;
}

/** Takes units of one class for as long as they come. */
function runOf({ tail }: LiveRule): TailMatcher {
  return (text, from) => {
    let place = from;
    while (place < text.length && tail?.has(text.charCodeAt(place)) === true) place++;
    return { taken: place - from, done: place < text.length };
  };
}

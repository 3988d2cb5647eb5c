// Turns matches in a stream of text into findings: line and column, a redacted excerpt, a fingerprint, a mark.
//
// The text is walked once, in order, and only as far as the engine has settled what is secret there. What is kept
// of it are a few hundred redacted characters around each finding, so neither a line nor a value can be too long.

import { createHash } from 'node:crypto';
import { visible } from '../../core/index.ts';
import type { Match, Sink } from '../../detect/index.ts';
import type { Engine } from './engine.ts';
import { fileMarkLines, isMarked, type MarkPlace, markReach } from './marks.ts';

/** One find, with nothing of the value in it. */
export interface Finding {
  readonly rule: string;
  readonly kind: string;
  readonly pack: Match['pack'];
  /** From 1 on; columns count UTF-16 units. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly excerpt: string;
  /** The same for as long as rule, path and the words around the value stay, wherever the line moves. */
  readonly fingerprint: string;
  readonly marked: boolean;
}

/** How many findings of one file are listed; further ones are counted. */
const mostListed = 10_000;

/** Characters of the line that are shown to each side of a value. */
const shownReach = 60;
/** Characters to each side that make a fingerprint. */
const fingerprintReach = 100;
/** Characters to each side that are searched again for other values before anything is shown or hashed. */
const redactReach = 240;
/** A value whose line has been read up to it. */
interface Met {
  readonly match: Match;
  readonly line: number;
  readonly column: number;
  readonly left: string;
  readonly above: string;
}

/** A value whose line is still being read behind it. */
interface Open extends Met {
  readonly endLine: number;
  readonly endColumn: number;
  right: string;
}

export class Locator implements Sink {
  readonly findings: Finding[] = [];
  /** Findings beyond those that are listed. */
  unlisted = 0;
  readonly #engine: Engine;
  readonly #path: string;
  readonly #open: Open[] = [];
  readonly #seen = new Map<string, number>();
  /** The value that was met last, while it may still grow. */
  #growing: Met | undefined;
  /** Text that has not been walked over yet, and the place in the whole where it begins. */
  #text = '';
  #at = 0;
  /** Up to here the text is no value. */
  #plain = 0;
  #line = 1;
  #column = 1;
  /** The redacted end of the line so far, of the line above, and of the top of the file. */
  #current = '';
  #above = '';
  #top = '';

  /** `path` is what the fingerprints are bound to. */
  constructor(engine: Engine, path: string) {
    this.#engine = engine;
    this.#path = path;
  }

  /** Takes the next piece, before the engine gets it. */
  take(piece: string): void {
    this.#text = this.#text === '' ? piece : this.#text + piece;
  }

  /** Walks over what is settled of the text and forgets it. */
  letGo(): void {
    if (this.#growing === undefined) this.#walkTo(this.#plain);
    else this.#skipTo(this.#growing.match.end);
  }

  text(from: number, to: number): void {
    this.#finish(from);
    this.#plain = to;
  }

  match(match: Match): void {
    this.#finish(match.start);
    this.#walkTo(match.start);
    const met = { match, line: this.#line, column: this.#column, left: this.#current, above: this.#above };
    // A value stands as its placeholder in what is kept, on one line even if it has many.
    this.#say(this.#engine.placeholder(match));
    this.#growing = met;
  }

  /** The text is at its end. */
  end(): void {
    this.#finish(Number.POSITIVE_INFINITY);
    if (this.#open.length + this.findings.length > 0) this.#walkTo(this.#plain);
    this.#closeAll();
    // A mark for the whole file may stand below its first findings.
    for (const [index, finding] of this.findings.entries()) {
      if (!this.#isMarked(this.#top, 'file', finding.rule)) continue;
      this.findings[index] = { ...finding, marked: true };
    }
  }

  /** The value that was met last ends here: what comes next begins here. INVARIANT: none of it counts as text. */
  #finish(end: number): void {
    const met = this.#growing;
    if (met === undefined) return;
    this.#growing = undefined;
    this.#skipTo(end);
    if (this.findings.length + this.#open.length >= mostListed) this.unlisted++;
    else this.#open.push({ ...met, endLine: this.#line, endColumn: this.#column, right: '' });
  }

  /** Goes over text that is no value. */
  #walkTo(target: number): void {
    while (this.#at < target && this.#text !== '') {
      const text = this.#text.slice(0, target - this.#at);
      const newline = text.indexOf('\n');
      const busy = this.#open.length > 0 || this.#line <= fileMarkLines;
      if (busy) {
        this.#say(newline < 0 ? text : text.slice(0, newline));
        if (newline >= 0) this.#endLine();
        this.#skipTo(this.#at + (newline < 0 ? text.length : newline + 1));
        continue;
      }
      const last = text.lastIndexOf('\n');
      if (last < 0) this.#current = tail(this.#current + tail(text));
      else {
        const before = last === 0 ? -1 : text.lastIndexOf('\n', last - 1);
        this.#above =
          before < 0 ? tail(this.#current + tail(text.slice(0, last))) : tail(text.slice(before + 1, last));
        this.#current = tail(text.slice(last + 1));
      }
      this.#skipTo(target);
    }
  }

  /** Adds redacted text to the line. */
  #say(text: string): void {
    this.#current = tail(this.#current + tail(text));
    if (this.#line <= fileMarkLines && this.#top.length < fileMarkLines * markReach) this.#top += head(text);
    let full = 0;
    for (const open of this.#open) {
      open.right = head(open.right + head(text));
      if (open.right.length >= markReach) full++;
    }
    // The oldest have the most text, so those that are full stand first.
    for (const open of this.#open.splice(0, full)) this.#close(open);
  }

  #endLine(): void {
    this.#closeAll();
    this.#above = this.#current;
    this.#current = '';
    if (this.#line <= fileMarkLines) this.#top += '\n';
  }

  /** Counts lines and columns up to a place and lets the text go. */
  #skipTo(target: number): void {
    const passed = this.#text.slice(0, Math.max(0, target - this.#at));
    const { length } = passed;
    let start = 0;
    for (let end = passed.indexOf('\n'); end >= 0; end = passed.indexOf('\n', start)) {
      this.#line++;
      this.#column = 1;
      start = end + 1;
    }
    this.#column += length - start;
    this.#text = this.#text.slice(length);
    this.#at += length;
  }

  #closeAll(): void {
    for (const open of this.#open.splice(0)) this.#close(open);
  }

  #close({ match, left, above, right, ...place }: Open): void {
    const { rule, kind, pack } = match;
    const placeholder = this.#engine.placeholder(match);
    const [before, after] = this.#redactAround(
      left.slice(-redactReach),
      placeholder,
      right.slice(0, redactReach),
    );
    const marked =
      this.#isMarked(`${left} ${right}`, 'line', rule) || this.#isMarked(above, 'next-line', rule);
    this.findings.push({
      rule,
      kind,
      pack,
      ...place,
      excerpt: excerptOf(before, placeholder, after),
      fingerprint: this.#fingerprint(rule, before.slice(-fingerprintReach), after.slice(0, fingerprintReach)),
      marked,
    });
  }

  #isMarked(text: string, place: MarkPlace, rule: string): boolean {
    return isMarked(text, place, rule, (word) => this.#engine.rules.has(word));
  }

  /** What stands around a value, with every value of every pack out of it, whatever was asked for. */
  #redactAround(left: string, placeholder: string, right: string): readonly [string, string] {
    const text = left + placeholder + right;
    const rightStart = left.length + placeholder.length;
    let [before, after] = ['', ''];
    let at = 0;
    const copy = (end: number) => {
      before += left.slice(at, end);
      after += text.slice(Math.max(at, rightStart), end);
      at = Math.max(at, end);
    };
    for (const match of this.#engine.everything(text)) {
      copy(match.start);
      if (match.start < left.length) before += this.#engine.placeholder(match);
      else if (match.start >= rightStart) after += this.#engine.placeholder(match);
      at = match.end;
    }
    copy(text.length);
    return [before, after];
  }

  /**
   * A hash of the rule, the path and the redacted words around the value, with a number where the same words stand
   * more than once. INVARIANT: nothing of the value goes in: what can be guessed could be found by trying.
   */
  #fingerprint(rule: string, before: string, after: string): string {
    const words = `${before} \u0000 ${after}`.replace(/[\t-\r ]+/g, ' ').trim();
    const key = JSON.stringify([rule, words]);
    const number = this.#seen.get(key) ?? 0;
    this.#seen.set(key, number + 1);
    const hash = createHash('sha256').update(JSON.stringify(['scan-1', this.#path, rule, words, number]));
    return hash.digest('hex').slice(0, 32);
  }
}

/** The value's place in its line, cut to what fits on one line of a terminal. */
function excerptOf(before: string, placeholder: string, after: string): string {
  const left = before.trimStart();
  const right = after.trimEnd();
  const shownLeft = left.length > shownReach ? `…${left.slice(-shownReach)}` : left;
  const shownRight = right.length > shownReach ? `${right.slice(0, shownReach)}…` : right;
  return visible(shownLeft + placeholder + shownRight);
}

/** A copy of the end of a text: a slice would keep the whole alive. */
function tail(text: string): string {
  return text.length > markReach ? copied(text.slice(-markReach)) : text;
}

/** A copy of the beginning of a text. */
function head(text: string): string {
  return text.length > markReach ? copied(text.slice(0, markReach)) : text;
}

function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

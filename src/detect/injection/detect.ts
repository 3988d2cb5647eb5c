// Judges one text: folds it, decodes what is disguised in it, and takes the strongest of what rules and model say.

import { decodings } from './decode.ts';
import type { Decoded, Decoding } from './decoded.ts';
import { type Folded, fold, type Span } from './fold.ts';
import { flagsOf, hiddenSpans, type InjectionFlag } from './hidden.ts';
import { aboutAttacks, type Fences, fencesOf, isMentioned, isQuotation, mentionWeight } from './mentions.ts';
import { type Model, scoreWords, thresholdFor } from './model.ts';
import { isDocument, isLabel, ordersIn, type SignHit, signOf } from './orders.ts';
import { compilePhrases, matchPhrases, type PhraseHit, type Phrases } from './phrases.ts';
import { phraseRules } from './rules/index.ts';
import { markupRules } from './rules/markup.ts';
import type { InjectionKind, PhraseRule } from './rules/rule.ts';
import { scriptRulesFor } from './rules/scripts.ts';
import { signRules } from './rules/signs.ts';
import { unseenTexts } from './unseen.ts';
import { type Words, wordsOf } from './words.ts';

/** Who wrote the text: the user, or the author of what a tool, a page or a file brings. */
export type InjectionProfile = 'user' | 'tool';

type InjectionBand = 'none' | 'low' | 'medium' | 'high';

/** One rule that stands in the text, or the model's best window under the id `model`. */
interface InjectionHit {
  readonly id: string;
  readonly kind: InjectionKind;
  readonly start: number;
  readonly end: number;
  readonly confidence: number;
}

export interface InjectionVerdict {
  /** From 0 to 1; 0.5 and more is a finding. */
  readonly score: number;
  /** None below 0.25, low below 0.5, high from 0.8 on. */
  readonly band: InjectionBand;
  readonly kinds: readonly InjectionKind[];
  readonly rules: readonly InjectionHit[];
  /** Where, in UTF-16 units of the text as given; sorted, without overlaps. */
  readonly spans: readonly Span[];
  /** How that was written which the rules were found in. */
  readonly decodedVia: readonly (Decoding | FoldedVia)[];
  /** What the text hides, whether or not it is an attack. */
  readonly flags: readonly InjectionFlag[];
}

type FoldedVia = 'zero-width' | 'bidi' | 'homoglyphs' | 'typo';

/** Longer texts are read in blocks, so that memory stays flat; blocks overlap by more than any rule's reach. */
const blockSize = 1 << 16;
const blockOverlap = 1 << 11;

/** Decoded text is decoded again so often. */
const deepest = 2;

/** So many hits are kept, and as many findings: weak ones must not crowd out the attack behind them. */
const mostHits = 100;

/** How fast the model's certainty grows with the distance from the threshold. */
const modelSlope = 2.5;

interface Compiled {
  readonly phrases: Phrases;
  /** By pattern: the number of its rule; rules of signs follow those of phrases. */
  readonly ruleOf: readonly number[];
}

let compiled: Compiled | undefined;

/** A word that, with a colon, makes a text speak as the system or leave a task. */
const labels = 'system|todo|task|instruction|action|urgent|admin|developer|important';

/** The phrase patterns of all rules and signs, and for each the number of its rule. */
function phrasePatterns(): Compiled {
  const rules = [...phraseRules, ...signRules];
  compiled ??= {
    phrases: compilePhrases(
      [...rules.flatMap(({ phrases }) => phrases), labels],
      phraseRules.flatMap(({ together = [] }) => together),
      markupRules.map(({ words }) => words),
    ),
    ruleOf: [
      ...rules.flatMap(({ phrases }, rule) => phrases.map(() => rule)),
      rules.length,
      ...phraseRules.flatMap(({ together = [] }, rule) => together.map(() => rule)),
    ],
  };
  return compiled;
}

/** What is gathered over all blocks and decoded texts. */
interface Findings {
  readonly profile: InjectionProfile;
  readonly model: Model | undefined;
  /** Words of the whole text, for the threshold. */
  readonly totalWords: number;
  readonly hits: InjectionHit[];
  /** How many of the hits are findings. */
  strong: number;
  readonly via: Set<Decoding | FoldedVia>;
  readonly flags: Set<InjectionFlag>;
  /** How many more characters may be decoded. */
  budget: number;
}

/** Judges the text with the given model, or by the rules alone. */
export function judge(text: string, profile: InjectionProfile, model: Model | undefined): InjectionVerdict {
  const findings: Findings = {
    profile,
    model,
    totalWords: Math.ceil(text.length / 6),
    hits: [],
    strong: 0,
    via: new Set(),
    flags: new Set(),
    budget: 2 * text.length + 1024,
  };
  for (let start = 0; start === 0 || start + blockOverlap < text.length; start += blockSize - blockOverlap) {
    const block = text.length <= blockSize ? text : text.slice(start, start + blockSize);
    for (const flag of flagsOf(block)) findings.flags.add(flag);
    readBlock(block, start, findings);
  }
  const hits = distinct(findings.hits);
  const score = scoreOf(hits);
  const strong = hits.filter(({ confidence }) => confidence >= 0.25);
  // A rule says what and where better than the model does.
  const byRules = strong.filter(({ id }) => id !== 'model');
  const telling = byRules.length > 0 ? byRules : strong;
  return {
    score,
    band: score >= 0.8 ? 'high' : score >= 0.5 ? 'medium' : score >= 0.25 ? 'low' : 'none',
    kinds: [...new Set(telling.map(({ kind }) => kind))],
    rules: hits,
    spans: merged(telling),
    decodedVia: [...findings.via],
    flags: [...findings.flags],
  };
}

function readBlock(block: string, offset: number, findings: Findings): void {
  const hidden = hiddenSpans(block);
  if (hidden.length > 0) findings.flags.add('hidden_text');
  const folded = fold(block);
  const before = findings.hits.length;
  readText(folded, [], findings, (hit) => {
    const [start, end] = [hit.start, hit.end];
    const isHidden = hidden.some(([from, to]) => from <= start && end <= to);
    // A command where no reader sees it is meant for the machine.
    return isHidden ? { ...hit, confidence: hit.confidence + (1 - hit.confidence) / 2 } : hit;
  });
  scriptHits(block, findings);
  for (const unseen of unseenTexts(block)) readText(unseen, [unseen.via], findings, (hit) => hit);
  for (let index = before; index < findings.hits.length; index++) {
    const hit = findings.hits[index];
    if (hit === undefined) continue;
    if (hit.confidence >= 0.25) noteFolding(block.slice(hit.start, hit.end), findings);
    findings.hits[index] = { ...hit, start: hit.start + offset, end: hit.end + offset };
  }
}

/** Adds hits of rules for other scripts, which folding would spoil; what is not shown may stand between their signs. */
function scriptHits(block: string, findings: Findings): void {
  const rules = scriptRulesFor(block);
  if (rules.length === 0) return;
  const fences = fencesOf(block);
  for (const { id, kind, user, tool, pattern } of rules) {
    const confidence = findings.profile === 'tool' ? tool : user;
    for (const match of block.matchAll(pattern)) {
      if (!hasRoom(findings, confidence)) break;
      const [start, end] = [match.index, match.index + match[0].length];
      const weight = isMentioned(block, fences, start, end) ? mentionWeight : 1;
      findings.hits.push({ id, kind, start, end, confidence: confidence * weight });
      if (confidence * weight >= 0.5) findings.strong++;
    }
  }
}

const foldings: readonly (readonly [FoldedVia, RegExp])[] = [
  ['zero-width', /[\u200b-\u200d\u2060-\u2064\ufeff\u00ad]/],
  ['bidi', /[\u202a-\u202e\u2066-\u2069]/],
  [
    'homoglyphs',
    /[\u0370-\u03ff\u0400-\u052f\uff21-\uff5a\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}\u24b6-\u24e9\u1d00-\u1d2b]/u,
  ],
];

function noteFolding(source: string, { via }: Findings): void {
  if (!/[^\x00-\x7f]/.test(source)) return;
  for (const [name, pattern] of foldings) if (pattern.test(source)) via.add(name);
}

/** Reads a folded text and what is disguised in it; spans are those of the block. */
function readText(
  { text, spanOf }: Folded,
  via: readonly Decoding[],
  findings: Findings,
  weigh: (hit: InjectionHit) => InjectionHit,
): void {
  const words = wordsOf(text);
  const count = findings.hits.length;
  const add = (id: string, kind: InjectionKind, start: number, end: number, confidence: number) => {
    if (!hasRoom(findings, confidence)) return;
    const [from, to] = spanOf(start, end);
    const hit = weigh({ id, kind, start: from, end: to, confidence });
    findings.hits.push(hit);
    if (hit.confidence >= 0.5) findings.strong++;
  };
  const fences = fencesOf(text);
  const seen = phraseHits(text, words, fences, findings, add);
  markupHits(text, seen, fences, findings, add);
  modelHit(text, words, fences, via.length > 0, findings, add);
  if (findings.hits.length > count) for (const one of via) findings.via.add(one);
  if (via.length >= deepest) return;
  for (const decoded of decodings(text, words)) {
    findings.budget -= decoded.text.length;
    if (findings.budget < 0) return;
    if (blobDecodings.has(decoded.via)) findings.flags.add('decoded_blob');
    readText(within(decoded, spanOf), [...via, decoded.via], findings, weigh);
  }
}

const blobDecodings: ReadonlySet<Decoding> = new Set([
  'base64',
  'hex',
  'binary',
  'rot13',
  'reversed',
  'spaced',
]);

/** A decoded text with the spans of the text around the one that it was found in. */
function within({ text, spanOf }: Decoded, outer: Folded['spanOf']): Folded {
  const inner = fold(text);
  return {
    text: inner.text,
    spanOf: (start, end) => outer(...spanOf(...inner.spanOf(start, end))),
  };
}

type AddHit = (id: string, kind: InjectionKind, start: number, end: number, confidence: number) => void;

/** Adds the phrases' hits; gives a bit for each markup rule of whose words the text has one. */
function phraseHits(text: string, words: Words, fences: Fences, findings: Findings, add: AddHit): number {
  const { phrases, ruleOf } = phrasePatterns();
  const { hits, gates } = matchPhrases(text, words, phrases);
  if (findings.profile === 'tool') orderHits(text, words, fences, hits, add);
  for (const { pattern, from, to, typos, commanded, told } of hits) {
    const rule = phraseRules[ruleOf[pattern] ?? 0];
    if (rule === undefined || told || !hasRoom(findings, rule[findings.profile])) continue;
    const span: Span = [words.start[from] ?? 0, words.end[to - 1] ?? 0];
    const isName =
      !commanded && (rule.commanded === true || (rule.commanded === 'phrases' && !isGroup(pattern)));
    const confidence =
      rule[findings.profile] * weightOf(text, span, fences, rule, { isName, typos }, findings);
    if (typos > 0 && confidence >= 0.25) findings.via.add('typo');
    add(rule.id, rule.kind, ...span, confidence);
  }
  return gates;
}

/** What remains of a rule's confidence for how its words stand in the text. */
function weightOf(
  text: string,
  [start, end]: Span,
  fences: Fences,
  { spoken }: PhraseRule,
  { isName, typos }: { readonly isName: boolean; readonly typos: number },
  { profile }: Findings,
): number {
  let weight = isMentioned(text, fences, start, end) ? mentionWeight : 1;
  if (profile === 'tool' && isName) weight *= unorderedWeight;
  // One slip may be another word; two in one phrase are hardly, but for a long document that has every word.
  if (typos === 1 || (typos > 1 && profile === 'tool' && isDocument(text))) weight *= typoWeight;
  return spoken === true && code.test(text.slice(start, end)) ? weight * unorderedWeight : weight;
}

/** Whether a pattern is a group of words in any order. */
function isGroup(pattern: number): boolean {
  return pattern >= phrasePatterns().phrases.patterns.length;
}

/** Adds the orders to a machine that the signs among the phrases' hits make. */
function orderHits(
  text: string,
  words: Words,
  fences: Fences,
  hits: readonly PhraseHit[],
  add: AddHit,
): void {
  const { ruleOf } = phrasePatterns();
  const signs: SignHit[] = [];
  const places: number[] = [];
  for (const hit of hits) {
    const rule = (ruleOf[hit.pattern] ?? 0) - phraseRules.length;
    const sign = signRules[rule]?.sign;
    const found = sign === undefined ? undefined : signOf(sign, hit, text, words);
    if (found !== undefined) signs.push(found);
    if (rule === signRules.length && isLabel(text, words.start[hit.from] ?? 0, words.end[hit.from] ?? 0))
      places.push(hit.from);
  }
  for (const { id, from, to, confidence } of ordersIn(text, words, signs, places)) {
    const [start, end] = [words.start[from] ?? 0, words.end[to - 1] ?? 0];
    const weight = isMentioned(text, fences, start, end) ? mentionWeight : 1;
    add(id, 'instruction_override', start, end, confidence * weight);
  }
}

/** Whether a hit of such a confidence is still kept. */
function hasRoom({ hits, strong }: Findings, confidence: number): boolean {
  return hits.length < mostHits || (confidence >= 0.5 && strong < mostHits);
}

/** Markup that manuals show in blocks of code. */
const shownInCode: ReadonlySet<string> = new Set(['tool-call', 'role-header', 'role-header-order']);

function markupHits(text: string, seen: number, fences: Fences, findings: Findings, add: AddHit): void {
  for (const [index, rule] of markupRules.entries()) {
    if ((seen & (1 << index)) === 0) continue;
    for (const match of text.matchAll(rule.pattern)) {
      if (!hasRoom(findings, rule[findings.profile])) break;
      const end = match.index + match[0].length;
      const isShown = shownInCode.has(rule.id) && fences(match.index) >= 0;
      const weight = isShown || isMentioned(text, fences, match.index, end) ? mentionWeight : 1;
      add(rule.id, rule.kind, match.index, end, rule[findings.profile] * weight);
    }
  }
}

function modelHit(
  text: string,
  words: Words,
  fences: Fences,
  isDecoded: boolean,
  { model, profile, totalWords }: Findings,
  add: AddHit,
): void {
  if (model === undefined || words.count < (isDecoded || profile === 'tool' ? 6 : 3)) return;
  const { score, from, to } = scoreWords(words, model);
  const over = score - thresholdFor(model.thresholds, isDecoded ? words.count : totalWords);
  const certainty = 1 / (1 + Math.exp(-modelSlope * over));
  const start = words.start[from] ?? 0;
  const end = words.end[to - 1] ?? 0;
  const isAbout = profile === 'tool' && aboutAttacks.test(text.slice(Math.max(0, start - 300), end));
  const weight = isQuotation(text, fences, start, end) ? mentionWeight : isAbout ? 0.5 : 1;
  const confidence = weight * (profile === 'tool' ? Math.min(certainty, mostOfModel) : certainty);
  if (confidence < 0.25) return;
  const kind = profile === 'tool' ? 'instruction_override' : 'jailbreak_persona';
  add('model', kind, start, end, confidence);
}

/** Documents are of more kinds than the model has seen: alone it does not stop one. */
const mostOfModel = 0.65;

/** What remains of a rule whose words are no order where they stand. */
const unorderedWeight = 0.5;

/** Signs that stand between words of a program, and not between those of a sentence. */
const code = /[{}=;]/;

/** What remains of a rule that was read through one slip of the keyboard, without another rule near it. */
const typoWeight = 0.55;

/** Each rule at each place once, with its highest confidence, in the order of the text. */
function distinct(hits: readonly InjectionHit[]): InjectionHit[] {
  const sorted = [...hits].sort((one, other) => one.start - other.start || other.end - one.end);
  const kept: InjectionHit[] = [];
  const last = new Map<string, number>();
  for (const hit of sorted) {
    const index = last.get(hit.id);
    const former = index === undefined ? undefined : kept[index];
    if (index !== undefined && former !== undefined && hit.start < former.end) {
      kept[index] = {
        ...former,
        end: Math.max(former.end, hit.end),
        confidence: Math.max(former.confidence, hit.confidence),
      };
      continue;
    }
    last.set(hit.id, kept.length);
    kept.push(hit);
  }
  return kept.map((hit) => ({ ...hit, confidence: rounded(hit.confidence) }));
}

/** How near two rules stand that speak for each other. */
const neighbourhood = 400;

/** The strongest hit, helped by other rules near it. */
function scoreOf(hits: readonly InjectionHit[]): number {
  let score = 0;
  for (let index = 0; index < hits.length; index++) {
    const hit = hits[index];
    if (hit === undefined) continue;
    let doubt = 1 - hit.confidence;
    const seen = new Set([hit.id]);
    for (let other = index + 1; other < hits.length; other++) {
      const near = hits[other];
      if (near === undefined || near.start - hit.end > neighbourhood) break;
      // The model reads the same words as the rules: it is no second witness.
      if (seen.has(near.id) || near.id === 'model') continue;
      seen.add(near.id);
      doubt *= 1 - near.confidence / 2;
    }
    score = Math.max(score, 1 - doubt);
  }
  return rounded(score);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function merged(hits: readonly InjectionHit[]): Span[] {
  const spans: [number, number][] = [];
  for (const { start, end } of hits) {
    const last = spans.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else spans.push([start, end]);
  }
  return spans;
}

// Orders to a machine that reads: judged by what a text does. It addresses the reader as a machine, or speaks of the task that
// somebody else gave it, or speaks as the system, and it wants something done. No wrapping matters: signs are words.

import type { PhraseHit } from './phrases.ts';
import type { Sign } from './rules/signs.ts';
import { afterBreak, type Words } from './words.ts';

/** A sign at a place, in words. */
export interface SignHit {
  readonly sign: Sign;
  readonly from: number;
  readonly to: number;
}

export interface OrderHit {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly confidence: number;
}

/** So many words after a sign an order still belongs to it, and so many before the task. */
const reaches = { address: 60, vocative: 6, duty: 8, task: 60, label: 30, hide: 25 };
const reachBack = 40;

/** How far the target of an order may stand from it. */
const targetReach = 60;

/** What an order must point at to be one that leaves the reader's own work. */
const target =
  /[\w.+-]@[\w-]+\.|\w:\/\/|www\.|\b[A-Z]{2}\d{6,}|[$€£]\s?\d|\.ssh\b|id_rsa|\.env\b|\/etc\/|password|passwort|senha|contrase|credential|secret|private key|ssh key|api key|token|\bmy\b|\b(?:the |all )?user'?s?\b|account|inbox|calendar|reservation|transaction|repositor|checkout|hotel|channel|webhook|\bID\b|cloud drive/i;

/** Which signs together are an attack, and how sure they make us; the first that fits counts. */
const combinations: readonly {
  readonly id: string;
  readonly lead: keyof typeof reaches;
  readonly order: readonly Sign[];
  /** Whether what is ordered must point at something. */
  readonly pointed?: true;
  /** Whether it counts only outside of documents. */
  readonly bare?: true;
  readonly confidence: number;
}[] = [
  { id: 'task-hijack', lead: 'task', order: ['outward', 'bend', 'hide'], confidence: 0.85 },
  { id: 'order-to-the-machine', lead: 'address', order: ['outward'], pointed: true, confidence: 0.85 },
  {
    id: 'order-to-the-machine',
    lead: 'address',
    order: ['bend', 'hide', 'outward'],
    bare: true,
    confidence: 0.75,
  },
  { id: 'order-to-the-machine', lead: 'address', order: ['bend', 'hide'], confidence: 0.6 },
  { id: 'order-as-the-system', lead: 'label', order: ['outward', 'bend'], pointed: true, confidence: 0.75 },
  {
    id: 'order-to-the-machine',
    lead: 'vocative',
    order: ['outward', 'bend'],
    pointed: true,
    confidence: 0.75,
  },
  { id: 'order-to-the-machine', lead: 'vocative', order: ['bend', 'outward'], bare: true, confidence: 0.72 },
  { id: 'order-to-the-machine', lead: 'duty', order: ['outward', 'bend'], bare: true, confidence: 0.72 },
  { id: 'hidden-from-the-user', lead: 'hide', order: ['outward'], pointed: true, confidence: 0.75 },
  { id: 'order-to-the-machine', lead: 'address', order: ['order'], bare: true, confidence: 0.72 },
  { id: 'task-hijack', lead: 'task', order: ['order'], bare: true, confidence: 0.72 },
];

/** Markdown with headings, blocks of code or front matter: a document, which gives machines many ordinary orders. */
const document = /^---\n|\n#{1,5} \S|^#{1,5} \S|\n ?```|(?:\n[ \t]{0,8}(?:[-*]|\d{1,3}\.) [^\n]{0,2000}){4}/;

/** Whether a text is a document and no bare message. */
export function isDocument(text: string): boolean {
  return document.test(text);
}

/** The signs of a text's hits; an order counts only where one begins. */
export function signOf(
  sign: Sign,
  { from, to, commanded, told, typos }: PhraseHit,
  text: string,
  words: Words,
): SignHit | undefined {
  if (typos > 0) return undefined;
  const isOrder = sign === 'outward' || sign === 'bend' || sign === 'order';
  const isSpeech = sign === 'address' || sign === 'vocative' || sign === 'duty';
  if ((isOrder || isSpeech) && !commanded) return undefined;
  if (isOrder && told) return undefined;
  const [start, end] = [words.start[from] ?? 0, words.end[to - 1] ?? 0];
  if (isSpeech && /[^\w\s,'’()/&-]/.test(text.slice(start, end))) return undefined;
  if (sign === 'address' && !addressed.test(text.slice(end, end + 40))) return undefined;
  if (sign !== 'vocative') return { sign, from, to };
  if (!isVocative(text, words, from, start, end)) return undefined;
  // Words to or for a person are an address of their own: the order may come much later.
  if (/^(?:to|for|ps)\b/i.test(text.slice(start, start + 4))) return { sign: 'address', from, to };
  return { sign, from, to };
}

/** The text after words that address a reader: the rest of their name, then a pause or what they are to do. */
const addressed =
  /^(?:\s(?:agents?|assistants?|models?|systems?|readers?|reviewers?|bots?|crawlers?|tools?)\b){0,2}["'*_)\]]{0,3}(?:\s{0,2}[:,;!.\n–—]|\s-|\s+(?:who|must|should|please|only|you|deve|debes?|this|the|an?|my|\w{3,}ing)\b)/i;

/** Whether the name of a machine begins a sentence and calls it: with a comma or a colon, or by a mention. */
function isVocative(text: string, words: Words, from: number, start: number, end: number): boolean {
  // "User-Agent: curl" is one word of a protocol.
  if (/\w-$/.test(text.slice(Math.max(0, start - 2), start))) return false;
  const isFirst =
    ((words.traits[from] ?? 0) & afterBreak) !== 0 ||
    /(?:^|\n|\/\/|[>#*.!?-]) ?$/.test(text.slice(Math.max(0, start - 3), start));
  if (text.charAt(start - 1) === '@' && /^\s+[a-z]/.test(text.slice(end, end + 3))) return true;
  const isFor = /^for\b/i.test(text.slice(start, start + 4));
  return (
    isFirst &&
    (isFor ? /^["'*_)]{0,3} ?: / : /^["'*_)]{0,3} ?[,:–—] |^ \w{4,}ing\b/).test(text.slice(end, end + 16))
  );
}

const labelled = /^["'\])*]{0,4} {0,2}[:：]/;
const comment = /^\s*(?:\/\/|#(?!#)|\*|;|--(?!>)|%|"""|''')/;

/** Whether a word is a label by which a text speaks as the system, or leaves a task. */
export function isLabel(text: string, start: number, end: number): boolean {
  if (!labelled.test(text.slice(end, end + 8))) return false;
  const before = text.slice(Math.max(0, start - 120), start);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (comment.test(line)) return false;
  const word = text.slice(start, end);
  if (word === word.toUpperCase()) return /(?:^|[\s{("'[*>#<-])$/.test(line);
  return word.toLowerCase() === 'system' && /(?:^|[{("'[*>#<.!?-]) ?$/.test(line);
}

/** The orders to a machine that the signs of a text make. */
export function ordersIn(
  text: string,
  words: Words,
  signs: readonly SignHit[],
  labels: readonly number[],
): readonly OrderHit[] {
  const sorted = [...signs].sort((one, other) => one.from - other.from);
  const leads = [
    ...sorted.flatMap(({ sign, from, to }) =>
      sign === 'outward' || sign === 'bend' || sign === 'order' ? [] : { lead: sign, from, to },
    ),
    ...labels.map((at) => ({ lead: 'label' as const, from: at, to: at + 1 })),
  ].sort((one, other) => one.from - other.from);
  const hits: OrderHit[] = [];
  if (leads.length === 0) return hits;
  const isPage = isDocument(text);
  let first = 0;
  for (const lead of leads) {
    while ((sorted[first]?.from ?? words.count) < lead.from - reachBack) first++;
    const isAfterwards = lead.lead === 'task' || lead.lead === 'hide';
    const near: SignHit[] = [];
    for (let index = first; index < sorted.length && near.length < mostNear; index++) {
      const one = sorted[index];
      if (one === undefined || one.from > lead.to + reaches[lead.lead]) break;
      if (one.from >= lead.from || (isAfterwards && one.sign === 'outward')) near.push(one);
    }
    for (const { id, order, pointed, bare, confidence, lead: wanted } of combinations) {
      if (wanted !== lead.lead || (bare && isPage)) continue;
      const found = near.find((one) => order.includes(one.sign) && (!pointed || pointsAt(text, words, one)));
      if (found === undefined) continue;
      hits.push({
        id,
        from: Math.min(lead.from, found.from),
        to: Math.max(lead.to, found.to),
        confidence,
      });
      break;
    }
  }
  return hits;
}

/** So many signs around a lead are looked at. */
const mostNear = 200;

/** Whether an order names a target: an address, an account, a secret, property of a person. */
function pointsAt(text: string, words: Words, { from, to }: SignHit): boolean {
  if (
    /\b(?:please|immediately|directly) {0,2}$/i.test(
      text.slice((words.start[from] ?? 0) - 14, words.start[from]),
    )
  )
    return true;
  let end = to;
  while (end < words.count && end - from < targetReach && ((words.traits[end] ?? 0) & afterBreak) === 0)
    end++;
  // An address or a list of words may hold a point: the next sentence counts, too.
  const stop = words.end[Math.min(end + 8, words.count) - 1] ?? text.length;
  return target.test(text.slice(words.start[from], Math.min(stop, (words.start[from] ?? 0) + 600)));
}

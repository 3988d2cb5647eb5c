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

/** Signs that want something done. */
type Wanted = 'outward' | 'say' | 'bend' | 'order';

function isWanted(sign: Sign): sign is Wanted {
  return sign === 'outward' || sign === 'say' || sign === 'bend' || sign === 'order';
}

/** So many words after a sign an order still belongs to it, and so many before the task. */
const reaches = { address: 60, vocative: 15, duty: 8, task: 60, label: 30, hide: 25 };
const reachBack = 40;

/** How far the target of an order may stand from it. */
const targetReach = 60;
const targetReachBack = 20;

/** What an order must point at to be one that leaves the reader's own work. */
const target =
  /\bmy\b|\b(?:the |all )?user'?s?\b|account|inbox|calendar|reservation|transaction|repositor|checkout|hotel|channel|webhook|\bID\b|cloud drive|lock\b|heating|admin|conversation|token|secret/i;

/** Whose target is outside of any work: an address that mail or money goes to, an account's key. */
const outside =
  /[\w.+-]@[\w-]+\.|\b[A-Z]{2}\d{6,}|[$€£]\s?\d|\.ssh\b|id_rsa|\.env\b|\.(?:aws|npmrc|netrc|kube|docker|cursor|config)\b|\/etc\//i;

/** What is outside only where it is sent: documents name many pages, and say where a key comes from. */
const sent =
  /\w:\/\/|www\.|password|passwort|senha|contrase|credential|private key|ssh key|api key|access token/i;
const sending =
  /\b(?:send|upload|post|forward|submit|transmit|leak|share|paste|pass|curl|wget|hand|env[ií]|encaminh|transf|reenv|envoy|send|schick)/i;

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
  { id: 'task-hijack', lead: 'task', order: ['outward', 'bend', 'say', 'hide'], confidence: 0.85 },
  { id: 'order-to-the-machine', lead: 'address', order: ['outward'], pointed: true, confidence: 0.85 },
  {
    id: 'order-to-the-machine',
    lead: 'address',
    order: ['bend', 'say', 'hide', 'outward'],
    bare: true,
    confidence: 0.75,
  },
  { id: 'order-to-the-machine', lead: 'address', order: ['bend', 'say', 'hide'], confidence: 0.6 },
  {
    id: 'order-as-the-system',
    lead: 'label',
    order: ['outward', 'bend', 'say'],
    pointed: true,
    confidence: 0.75,
  },
  {
    id: 'order-to-the-machine',
    lead: 'vocative',
    order: ['outward', 'bend', 'say'],
    pointed: true,
    confidence: 0.75,
  },
  {
    id: 'order-to-the-machine',
    lead: 'vocative',
    order: ['bend', 'say', 'outward'],
    bare: true,
    confidence: 0.72,
  },
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

/** The sign that a hit of its phrases is where it stands, if any: an order counts only where one begins. */
export function signOf(sign: Sign, hit: PhraseHit, text: string, words: Words): SignHit | undefined {
  const { from, to, commanded, told, typos } = hit;
  if (typos > 0) return undefined;
  const start = words.start[from] ?? 0;
  if (isWanted(sign)) {
    const isBidden = commanded || bidding.test(text.slice(start, start + 8));
    return isBidden && !told ? { sign, from, to } : undefined;
  }
  const is = sign === 'task' || sign === 'hide' ? sign : speechOf(sign, hit, text, words);
  return is === undefined ? undefined : { sign: is, from, to };
}

/** What words to a machine are where they stand: a call by name, an address, or what machines must do. */
function speechOf(
  sign: 'address' | 'vocative' | 'duty',
  { from, to, commanded }: PhraseHit,
  text: string,
  words: Words,
): Sign | undefined {
  const [start, end] = [words.start[from] ?? 0, words.end[to - 1] ?? 0];
  const spoken = text.slice(start, end);
  if (!commanded || /[^\w\s,'’()/&-]/.test(spoken.replace(emphasis, ''))) return undefined;
  if (sign === 'duty') return sign;
  const behind = text.slice(end, end + 80).replace(emphasis, '');
  if (listed.test(spoken) || quotedAlone.test(behind)) return undefined;
  const isAddressed = addressed.test(behind) || bound.test(spoken);
  if (sign === 'address') return isAddressed ? sign : undefined;
  if (!isFirst(text, words, from, start)) return undefined;
  // Words to or for a person are an address of their own: the order may come much later.
  const particle = /^(?:(for)|to|ps|aos|as|ao|para|aux)\b/i.exec(spoken);
  if (particle === null) {
    return isCalled(spoken, behind) || isMentioned(text, start, behind) ? sign : undefined;
  }
  const isPaused = particle[1] === undefined || /^[^:.\n]{0,40}: /.test(behind);
  return isAddressed && isPaused ? 'address' : undefined;
}

/** Words of a list of strings: `'hello', 'gpt'`. */
const listed = /['"] ?, ?['"]/;

/** The text after a name that ends a string of code or a quoted word: nothing more is said in it to its bearer. */
const quotedAlone = /^[!.?]?['"] ?(?:[)\]]|, ?['"])/;

/** Modal verbs that put the verb of an order at the end of its sentence. */
const bidding = /^(?:deben?|devem?|doi(?:t|vent)|soll(?:en)?|m[uü]ss(?:en)?)\b/i;

/** Markup inside a sentence. */
const emphasis = /<\/?[a-z]{1,10}>|[*_`]/g;

/** The text after words that address a reader: the rest of their name, then a pause or what they are to do. */
const addressed =
  /^(?:(?:[\s-][\w-]{2,14})?[\s-](?:agents?|assistants?|models?|systems?|readers?|reviewers?|bots?|crawlers?|tools?|editors?|engines?|visitors?|clients?|ia|ai|ki|assistenten|agenten|modelle)\b){0,2}["')]{0,3}(?:\s{0,2}[:,;!.\]\n–—]|\s-|\s+(?:who|that|which|is|are|in|with|must|should|please|only|you|and|deve|debes?|que|qui|y|e|et|und|this|the|an?|my|este|esta|ce|cette|diese|autom\w+|\w{3,}ing)\b)/i;

/** An address that says what its readers must do, and needs no pause behind it. */
const bound = / (?:must|should|shall|needs?|please)$/i;

/** Whether a name begins a sentence, a line, a cell or a quotation. */
function isFirst(text: string, words: Words, from: number, start: number): boolean {
  // "User-Agent: curl" is one word of a protocol.
  if (/\w-$/.test(text.slice(Math.max(0, start - 2), start))) return false;
  return (
    ((words.traits[from] ?? 0) & afterBreak) !== 0 ||
    /(?:^|\n|\/\/|[>#*.!?:("'@]|(?:^|\s)-) ?$/.test(text.slice(Math.max(0, start - 3), start))
  );
}

/** Whether a name calls its bearer: with a comma or a colon behind it. */
function isCalled(name: string, behind: string): boolean {
  // A lower-case word before a colon is a scope or a key: "agent: send a heartbeat".
  if (/^(?:agents?|bots?|models?|assistants?)\b/.test(name) && /^ ?: [a-z]/.test(behind)) return false;
  // "Assistant, Marketing" is a post.
  if (/^(?:agent|assistant|assistent|bot|model)s?\b/i.test(name) && /^, [A-Z]/.test(behind)) return false;
  return /^["']{0,3} ?[,:–—] |^ \w{4,}ing\b|^ (?:with|that|who|which) [^:.\n]{3,50}: /.test(behind);
}

/** Whether a name is a handle before an order: "@copilot add". */
function isMentioned(text: string, start: number, behind: string): boolean {
  return text.charAt(start - 1) === '@' && /^\s+[a-z]/.test(behind);
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
    ...sorted.flatMap(({ sign, from, to }) => (isWanted(sign) ? [] : { lead: sign, from, to })),
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
      const found = near.find(
        (one) =>
          order.includes(one.sign) &&
          (!pointed || pointsAt(text, words, one, isPage && lead.lead !== 'label')),
      );
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

/** Whether an order names a target; in a document, where much is ordered, one outside of the work that it is about. */
function pointsAt(text: string, words: Words, { from, to }: SignHit, isPage: boolean): boolean {
  const start = words.start[from] ?? 0;
  if (!isPage && /\b(?:please|immediately|directly) {0,2}$/i.test(text.slice(Math.max(0, start - 14), start)))
    return true;
  let begin = from;
  while (begin > 0 && from - begin < targetReachBack && ((words.traits[begin] ?? 0) & afterBreak) === 0)
    begin--;
  let end = to;
  while (end < words.count && end - from < targetReach && ((words.traits[end] ?? 0) & afterBreak) === 0)
    end++;
  // An address or a list of words may hold a point: the next sentence of a message counts, too.
  const stop = words.end[Math.min(end + (isPage ? 0 : 8), words.count) - 1] ?? text.length;
  const sentence = text.slice(words.start[begin], Math.min(stop, start + 600));
  if (outside.test(sentence) || (sent.test(sentence) && (!isPage || sending.test(sentence)))) return true;
  return !isPage && target.test(sentence);
}

// Finds atoms in texts: addresses, accounts, ids and commands, each in its one spelling, and how each was brought up.

import type { Atom, TextSource } from '../../core/index.ts';

/** How a text brings an atom up. */
type Manner =
  /** As the whole value of a field of a tool's answer: the sender of a mail, the id of a row. */
  | 'field'
  /** In running text. */
  | 'plain'
  /** In running text that tells the reader to do something with it. */
  | 'directive';

export interface Mention {
  readonly atom: Atom;
  readonly manner: Manner;
  /** The words just before it, which may say what it is. */
  readonly before: string;
  /** The verb that tells the reader to use it; '' if none does. */
  readonly verb: string;
}

/** Programs whose call can send something away or change something elsewhere. */
const senders =
  'curl|wget|http|https|xh|nc|ncat|netcat|socat|telnet|ssh|scp|sftp|ftp|rsync|rclone|git|gh|glab|npm|yarn|pnpm|twine|cargo|gem|docker|podman|kubectl|helm|terraform|ansible|ansible-playbook|aws|gcloud|az|gsutil|heroku|vercel|netlify|fly|flyctl|firebase|mail|mailx|mutt|sendmail|swaks|psql|mysql|redis-cli|mongosh';

/**
 * Every shape, and a sign without which a text holds none. Each begins where a word begins and has an end, so that a
 * hostile text costs no more than its length.
 */
const listed: readonly (readonly [shape: RegExp, sign: RegExp])[] = [
  [/(?<url>(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,12}:\/\/[^\s"'<>`\\^{|}\p{Cc}]{1,2000})/u, /:\/\//],
  [/(?<remote>(?<![A-Za-z0-9+.-])git@[A-Za-z0-9.-]{1,253}:[\w./~-]{1,200})/, /@/],
  [
    /(?<email>(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,20})/,
    /@/,
  ],
  [/(?<iban>(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?!\w))/, /\d/],
  [/(?<number>(?<![\w.])\+?\d(?:[ ().-]{0,2}\d){7,29}(?!\w))/, /\d/],
  [
    /(?<host>(?<![\w.-])[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,20}\.[A-Za-z]{2,24}(?![\w-]))/,
    /\.[A-Za-z]/,
  ],
  [/(?<id>(?<![\w-])[A-Za-z_-]{0,40}\d[\w-]{0,199})/, /\d/],
  [/(?<handle>(?<![\w/&@#.])[@#][A-Za-z][\w.-]{1,79})/, /[@#]/],
];

/** One pass finds every shape; which one it is says the group that matched. */
const shapes = new RegExp(listed.map(([{ source }]) => source).join('|'), 'gu');

/** Prose has none of the signs, and is not searched for shapes. */
const anyShape = new RegExp([...new Set(listed.map(([, { source }]) => source))].join('|'), 'u');

/** A key of a tracker, or a long word with a digit in it. */
const idShape = /^(?:[A-Za-z]{2,10}-\d{1,8}|(?=.*\d).{8,200})$/s;

/** Verbs that tell somebody to do something with what follows, in the languages that the other detectors read. */
const verbs = [
  'send forward resend re-send submit pay remit deliver notify invite add grant deploy publish give move redirect',
  'register subscribe delete remove cancel revoke disable run execute curl use visit click navigate proceed',
  'envie envia enviar encaminhe encaminhar transfira transferir pague pagar apague',
  'envía envíe reenvía reenvíe transfiere transfiera paga borra',
  'envoyez envoyer transférez transférer payez payer virez supprimez',
  'sende senden schicke schicken leite weiterleiten überweise überweisen zahle lösche',
];

/** Verbs that are names as well: before a colon they are a label. */
const labels = [
  'email e-mail mail cc bcc post upload transfer wire refund share push report reply write message text dm contact',
  'call copy sync export point drop reset',
];

const forms = (lines: readonly string[]) =>
  lines
    .join(' ')
    .split(' ')
    .flatMap((verb) => (/^[a-z]+$/.test(verb) ? [verb, `${verb.replace(/e$/, '')}ing`] : [verb]))
    .join('|');

/** What is called like a function, or declared, is code. */
const notCode =
  '(?![\\p{L}\\p{N}_(.=-])(?! (?:const|let|var|default|function|class|type|interface|async)\\b)';

/** A verb, and then at most the rest of its sentence; one that announces something goes on in the next line. */
const directive = new RegExp(
  `(?<![\\p{L}\\p{N}_.$-])(?<!\\b(?:we|i|they|he|she|it|who|which) )(?<verb>(?:${forms(verbs)})${notCode}|(?:${forms(labels)})(?!\\s*:)${notCode})` +
    `(?:[^.!?\\n]|\\.(?=\\w)|(?<=:|run|execute|below|following)\\s*\\n\\s*){0,110}$`,
  'iu',
);

/** A label that says where something is to go; in a tool's answer it is a field like others. */
const aimLabel =
  /(?:^|[\s({[])(?:recipient|beneficiary|payee|destination|(?:send|pay|forward|reply)[ -]to)\s*[:=]\s*$/iu;

/** A line of a script or of a recipe, up to the place where something in it is looked at. */
const commandLine = new RegExp(`(?:^|\\n)[ \\t]*(?:\\$ |- )?(?:(?:run|script): *)?(?:${senders})\\b[^\\n]*$`);

const windowBefore = 160;
const labelBefore = 60;

/** Most mentions of one text. */
export const mostMentions = 20_000;

/** Reads the atoms of a running text. */
export function mentionsIn(text: string, kind: TextSource['kind'] | 'user' = 'tool'): Mention[] {
  const mentions: Mention[] = [];
  if (!anyShape.test(text)) return mentions;
  for (const found of text.matchAll(shapes)) {
    const atoms = atomsOf(found.groups ?? {});
    if (atoms.length === 0) continue;
    if (mentions.length >= mostMentions) break;
    const near = text.slice(Math.max(0, found.index - windowBefore), found.index);
    const verb = verbBefore(near, kind);
    const manner = verb === null ? 'plain' : 'directive';
    const before = near.slice(-labelBefore);
    for (const atom of atoms) mentions.push({ atom, manner, before, verb: verb ?? '' });
  }
  return mentions;
}

/** The verb that tells the reader to use what follows; '' where a label does, null where nothing does. */
function verbBefore(near: string, kind: TextSource['kind'] | 'user'): string | null {
  if (kind === 'user') return null;
  if (kind !== 'tool' && aimLabel.test(near)) return '';
  // A command in a file is the program's own, unless the text before it says to run it.
  const own = kind === 'file' && commandLine.test(near);
  const words = own ? near.slice(0, near.lastIndexOf('\n') + 1) : near;
  return directive.exec(words)?.groups?.['verb']?.toLowerCase() ?? null;
}

/** Where a text of others has a command: at the start of a line, as code, or after the words that introduce one. */
const recipe = new RegExp(
  `(?:^[ \\t>*-]*(?:\\$ )?|\`|: *|\\b(?:run|running|execute|executing|use|using|with|type|via) )((?:${senders}) [^\`\\n]{3,500})`,
  'gm',
);
const fewestWords = 3;
const mostWords = 12;

/** Commands of a text that a reader could copy. Prose may go on behind one, so each of its beginnings counts. */
function commandsIn(text: string): readonly Atom[] {
  return [...text.matchAll(recipe)].slice(0, mostMentions).flatMap(([, command = '']) =>
    segmentsOf(command).flatMap(({ value }) => {
      const words = value.replace(/[.,;:!?]$/, '').split(' ');
      const longest = Math.min(words.length, mostWords);
      const beginnings = Array.from({ length: Math.max(0, longest - fewestWords + 1) }, (_, at) =>
        words.slice(0, fewestWords + at).join(' '),
      );
      return [value, ...beginnings].map((each): Atom => ({ kind: 'command', value: each }));
    }),
  );
}

/** The commands that a text may hold, each without quotes and with its blanks in one way. */
export function segmentsOf(text: string): readonly Atom[] {
  return text.split(/&&|\|\||[;|\n]/).flatMap((part): Atom[] => {
    const value = part
      .replace(/["'\\]/g, '')
      .trim()
      .replace(/\s+/g, ' ');
    return value.length >= 8 && value.includes(' ') ? [{ kind: 'command', value }] : [];
  });
}

/** The atoms of one match, each in its one spelling. */
function atomsOf(groups: Readonly<Record<string, string | undefined>>): readonly Atom[] {
  const { url, remote, email, iban, number, id, host, handle } = groups;
  if (url !== undefined) return urlAtoms(url);
  if (remote !== undefined) {
    const name = remote.slice(4, remote.indexOf(':')).toLowerCase();
    return [
      { kind: 'host', value: name },
      { kind: 'url', value: `${name}/${remote.slice(remote.indexOf(':') + 1)}` },
    ];
  }
  // The domain is not an atom of its own: many people share one.
  if (email !== undefined) return [{ kind: 'email', value: email.toLowerCase() }];
  if (iban !== undefined) return accountAtoms(iban);
  if (number !== undefined) return accountAtoms(number);
  if (id !== undefined) return idShape.test(id) ? [{ kind: 'id', value: id }] : [];
  if (host !== undefined) return [{ kind: 'host', value: host.toLowerCase() }];
  return handle === undefined ? [] : [{ kind: 'handle', value: handle.toLowerCase() }];
}

/** Address and host; the address without its query, which holds what is sent. */
function urlAtoms(text: string): readonly Atom[] {
  const plain = text.replace(/[),.;:!?\]]+$/, '');
  const url = URL.parse(plain);
  if (url === null || url.hostname === '') return [];
  const host = url.hostname.toLowerCase();
  const path = url.pathname.replace(/\/+$/, '');
  const whole: Atom = { kind: 'url', value: host + path };
  return path === '' ? [{ kind: 'host', value: host }] : [whole, { kind: 'host', value: host }];
}

function accountAtoms(text: string): readonly Atom[] {
  const value = text.replace(/[^a-z0-9]/gi, '').toUpperCase();
  return value.length >= 8 ? [{ kind: 'account', value }] : [];
}

/** The atoms that a value is made of and nothing else: one, or a list of them; null for running text. */
export function wholeAtoms(value: string): readonly Atom[] | null {
  const trimmed = value.trim();
  if (trimmed === '' || trimmed.length > 4096 || !anyShape.test(trimmed)) return null;
  const pieces = trimmed.split(/[,;]\s*|\s+(?=[^\s@<]+@)/).filter((piece) => piece !== '');
  if (pieces.length > 200) return null;
  const found: Atom[] = [];
  for (const piece of pieces) {
    const bare = /^[^<>]{0,100}<([^<>]+)>$/.exec(piece)?.[1] ?? piece;
    const [mention, ...more] = [...bare.matchAll(shapes)];
    if (mention === undefined || more.length > 0 || mention[0].length < bare.trim().length - 1) return null;
    found.push(...atomsOf(mention.groups ?? {}));
  }
  return found.length === 0 ? null : found;
}

/** Names of fields that say who or what a record is about. */
const identity =
  /^(?:from|to|cc|bcc|reply[-_ ]?to|sender|recipients?|participants?|attendees?|organi[sz]er|members?|assignees?|author|owner|user|email|e-?mail|phone|contact|iban|account|url|link|html_url|web_url|host|id|[\w-]*_id|key|number|channel|name)$/i;

const fieldLine = /^[ \t]*(?:- )?([A-Za-z][\w -]{0,30}):[ \t]+(\S.{0,300})$/gm;
const mostLeaves = 20_000;

/** Everything that a text of others brings up. */
export function mentionsOf(text: string, source: TextSource): readonly Mention[] {
  // A file's addresses are data unless the text tells the reader to use them.
  const commands = source.kind === 'file' ? [] : commandsIn(text);
  const copied = commands.map((atom): Mention => ({ atom, manner: 'plain', before: '', verb: '' }));
  if (source.kind !== 'tool') return [...mentionsIn(text, source.kind), ...copied];
  const value = jsonOf(text);
  if (value !== undefined) return [...leafMentions(value), ...copied];
  return [...lineFields(text), ...mentionsIn(text), ...copied];
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The values of a JSON answer: a value that is an atom is a field, any other is running text. */
function leafMentions(root: unknown): readonly Mention[] {
  const mentions: Mention[] = [];
  const waiting: { readonly value: unknown; readonly key: string }[] = [{ value: root, key: '' }];
  for (let at = 0; at < waiting.length && at < mostLeaves; at++) {
    const { value, key } = waiting[at] ?? { value: null, key: '' };
    if (typeof value === 'string') mentions.push(...leaf(value, key));
    else if (typeof value === 'number') mentions.push(...leaf(String(value), key));
    else if (Array.isArray(value)) for (const item of value) waiting.push({ value: item, key });
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) waiting.push({ value: inner, key: name });
    }
  }
  return mentions;
}

function leaf(value: string, key: string): readonly Mention[] {
  const whole = wholeAtoms(value);
  return whole === null
    ? mentionsIn(value)
    : whole.map((atom): Mention => ({ atom, manner: 'field', before: key, verb: '' }));
}

/** `From: Ann <ann@example.com>` and the like, in an answer that is not JSON. */
function lineFields(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  for (const { 1: key = '', 2: value = '', index } of text.matchAll(fieldLine)) {
    if (!identity.test(key)) continue;
    // A line that a text asks to be used is no field, however it is written.
    if (directive.test(text.slice(Math.max(0, index - windowBefore), index))) continue;
    const whole = wholeAtoms(value.replace(/^[["']+|[\]"',]+$/g, ''));
    for (const atom of whole ?? []) mentions.push({ atom, manner: 'field', before: key, verb: '' });
  }
  return mentions;
}

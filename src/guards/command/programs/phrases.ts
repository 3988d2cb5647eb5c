// What a program does, as data: the notation of the examples, with `<2>` for its second word and `<--output>` for the value
// of an option. Cards of the user's own are written like this, and many of ours.

import { effectKinds } from '../../../core/effect.ts';
import { type Inner, type Language, type Call as Start, shellCode } from '../bash/executors/inner.ts';
import { concatAll, knownText, type Text } from '../bash/values.ts';
import type { Effect, EffectKind, Origin, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  literal,
  type More,
  nameTarget,
  pathTarget,
  read,
  remove,
  textOf,
  unknownValue,
  write,
} from '../tools/tool.ts';
import type { Examples, Fact, Given } from './card.ts';
import { packages } from './package-effects.ts';

/** A fact as data. */
export interface Saying {
  readonly what: string;
  /** What it says of a call to which it applies; several joined by `; `. */
  readonly says: string;
  readonly verbs?: readonly string[];
  /** Options of which one must be given, separated by spaces. */
  readonly with?: string;
  /** Options of which none may be given. */
  readonly without?: string;
  readonly always?: true;
  readonly examples: Examples;
}

/**
 * Which words a place stands for: one operand, all from one on, those behind `--`, or the values of an option. `next` is the
 * first operand behind the words of a command, `others` are all behind them, `words` are all operands as one name, and
 * `unknown` is a word that is not known.
 */
type Place =
  | { readonly of: 'operand'; readonly at: number }
  | { readonly of: 'rest'; readonly from: number }
  | { readonly of: 'option'; readonly names: readonly string[] }
  | { readonly of: 'last' | 'dashes' | 'next' | 'others' | 'words' | 'unknown' };

const plainPlaces: Readonly<Record<string, Place>> = {
  last: { of: 'last' },
  '--': { of: 'dashes' },
  next: { of: 'next' },
  'next..': { of: 'others' },
  words: { of: 'words' },
  '?': { of: 'unknown' },
};

/** `<2>`, `<2..>`, `<last>`, `<-->`, `<--output>`, `<-o>`, `<next>`, `<next..>`, `<words>`, `<?>`; null where it is none of them. */
function placeOf(text: string): Place | null {
  const inside = /^<([^<>]+)>$/.exec(text)?.[1];
  if (inside === undefined) return null;
  if (Object.hasOwn(plainPlaces, inside)) return plainPlaces[inside] ?? null;
  const [, number, open] = /^(\d+)(\.\.)?$/.exec(inside) ?? [];
  if (number !== undefined)
    return open === undefined
      ? { of: 'operand', at: Number(number) - 1 }
      : { of: 'rest', from: Number(number) - 1 };
  const name = /^--?(\w[\w./-]*)$/.exec(inside)?.[1];
  return name === undefined ? null : { of: 'option', names: name.split('/') };
}

function wordsAt<Word>(place: Place, given: Given<Word>): readonly Word[] {
  switch (place.of) {
    case 'operand':
      return given.operands.slice(place.at, place.at + 1);
    case 'rest':
      return given.operands.slice(place.from);
    case 'last':
      return given.operands.slice(-1);
    case 'dashes':
      return given.behindDashes ?? [];
    case 'option':
      return given.all(...place.names);
    default:
      return [];
  }
}

/** The words at a place of an effect; `taken` operands are the words of the command that does it. */
function valuesAt(place: Place, given: Given<Value>, taken: number): readonly Value[] {
  if (place.of === 'next') return given.operands.slice(taken, taken + 1);
  if (place.of === 'others') return given.operands.slice(taken, taken + mostWords);
  if (place.of === 'unknown') return [unknownValue];
  if (place.of !== 'words') return wordsAt(place, given).slice(0, mostWords);
  const text = given.operands.map(beginningOf).join(' ');
  return text === '' ? [] : [literal(text)];
}

/** Most words of one place that are told apart. */
const mostWords = 16;

/** One phrase, read. */
type Phrase =
  | { readonly is: 'effect'; readonly say: SayEffects }
  | { readonly is: 'start'; say(call: Start, given: Given<Text>): readonly Inner[] };

type SayEffects = (call: Call, given: Given<Value>, taken?: number) => readonly Effect[];

/** A phrase that cannot be read; the message says why. */
export class PhraseError extends Error {}

// ── What is started.

const languages: ReadonlySet<string> = new Set<Language>([
  ...(['shell', 'python', 'javascript', 'lua', 'julia', 'perl', 'ruby', 'php', 'r', 'other', 'awk'] as const),
  ...(['make', 'crontab', 'package'] as const),
]);

function isLanguage(text: string): text is Language {
  return languages.has(text);
}

/** The words behind some operands as they were given, which are a command line. */
function commandAt(place: Place, given: Given<Text>): readonly Text[] {
  if (place.of !== 'rest') return wordsAt(place, given);
  // The words of the subcommand stand before the operands.
  return given.behind(place.from + (given.verb?.split(' ').length ?? 0));
}

function placeIn(text: string): Place {
  const place = placeOf(text.trim());
  if (place === null) throw new PhraseError(`"${text.trim()}" is no place such as <1>, <2..> or <--option>`);
  return place;
}

/** The phrases that start something; null for all others. */
function startOf(text: string): Phrase | null {
  const [, head = '', rest = ''] = /^([a-z ]+)(?::\s*(.*))?$/.exec(text) ?? [];
  if (text === 'unknown' || text === 'nothing') return { is: 'start', say: () => [{ kind: text }] };
  const [language = '', how = ''] = head.split(' ');
  if (head === 'program') {
    const words = rest.split(' ');
    const last = placeIn(words.at(-1) ?? '');
    const named = words.slice(0, -1).map((word) => knownText(word));
    return {
      is: 'start',
      say: (_, given) => {
        const argv = [...named, ...commandAt(last, given)];
        return argv.length === named.length ? [] : [{ kind: 'argv', argv }];
      },
    };
  }
  if (!isLanguage(language) || !/^(?:code|file|input)$/.test(how)) return null;
  if (how === 'input') return { is: 'start', say: ({ fed }) => (fed ? [{ kind: 'input', language }] : []) };
  const ofProject = / of the project$/.test(rest);
  if (ofProject) {
    const path = knownText(rest.replace(/ of the project$/, ''));
    return { is: 'start', say: () => [{ kind: 'file', language, path, ofProject }] };
  }
  const place = placeIn(rest);
  if (how === 'file')
    return {
      is: 'start',
      say: (_, given) => wordsAt(place, given).map((path) => ({ kind: 'file', language, path })),
    };
  // Several operands are joined to one text.
  if (place.of === 'rest')
    return {
      is: 'start',
      say: (_, given) => {
        const words = commandAt(place, given);
        return words.length === 0 ? [] : [{ kind: 'code', language, text: concatAll(words, ' ') }];
      },
    };
  return {
    is: 'start',
    say: (_, given) =>
      wordsAt(place, given).map((code) =>
        language === 'shell' ? shellCode(code) : { kind: 'code', language, text: code },
      ),
  };
}

// ── What happens to files, hosts and the rest.

/** How the target of each kind is made, where it is no name. */
const ofPaths: Readonly<
  Partial<Record<EffectKind, (call: Call, path: Value, more: More) => readonly Effect[]>>
> = {
  read: (call, path, more) => read(call, path, more),
  write: (call, path, more) => write(call, path, more),
  delete: (call, path, more) =>
    storedKinds.has(more.detail ?? '')
      ? [effect(call, 'delete', { ...more, target: nameTarget(path) })]
      : remove(call, path, more),
};

/** What a program keeps under a name, which is no file. */
const storedKinds: ReadonlySet<string> = new Set(['key', 'credentials', 'backup', 'data']);

/** Kinds that are about a path, and those that are about a host. */
const pathKinds: ReadonlySet<EffectKind> = new Set(['mode', 'device', 'format', 'secret']);
const hostKinds: ReadonlySet<EffectKind> = new Set(['connect']);

function targetOf(kind: EffectKind, value: Value, detail: string | undefined): More['target'] {
  if (hostKinds.has(kind)) return hostTarget(hostOf(value));
  const ofFile =
    pathKinds.has(kind) || (kind === 'run' && (detail === 'script' || detail === 'package-file'));
  return ofFile ? pathTarget(value) : nameTarget(value);
}

const kinds: ReadonlySet<string> = new Set(effectKinds);
const isKind = (name: string): name is EffectKind => kinds.has(name);

const origins: ReadonlySet<string> = new Set<Origin>(['secret', 'network', 'written', 'unknown']);
const marks = /^(?:recursive|force\??|reversible)$/;

/** A detail may name a word, as a target does: `service <2> (<1>)`. */
function shownDetail(detail: string, given: Given<Value>, taken: number): string {
  return detail.replace(/<[^<>]+>/g, (text) => {
    const place = placeOf(text);
    return (place && textOf(valuesAt(place, given, taken)[0])) ?? 'unknown';
  });
}

/** What is so besides the target; `force?` where an option says it. */
function marked(words: readonly string[], given: Given<Value>): More {
  const so = words.filter((word) => marks.test(word) && (word !== 'force?' || given.has(...forcing)));
  return Object.fromEntries(so.map((word) => [word.replace('?', ''), true]));
}

const forcing = ['f', 'force', 'y', 'yes'] as const;

/**
 * `deploy <1> (publish) force`: the kind, its target, how, and what else is so. `bare`: it is said without a target where
 * there is no word at the place of one.
 */
function effectOf(text: string, bare: boolean): Phrase {
  const [, kind = '', rest = ''] = /^(\w+)(?: (.*))?$/s.exec(text) ?? [];
  if (!isKind(kind)) throw new PhraseError(`"${kind || text}" is no kind of effect`);
  const [, before = '', detail, after = ''] = /^(.*?)(?:\(([\w ./<>-]+)\)\s*(.*))?$/s.exec(rest) ?? [];
  const words = `${before} ${after}`.split(' ').filter((word) => word !== '');
  const from = words.indexOf('from');
  const named = from < 0 ? words : words.slice(0, from);
  const carried = from < 0 ? [] : words.slice(from + 1).filter((word) => word !== 'and');
  const wrong = carried.find((word) => !origins.has(word));
  if (wrong !== undefined)
    throw new PhraseError(`"${wrong}" is no origin: secret, network, written or unknown`);
  const target = named.filter((word) => !marks.test(word)).join(' ');
  const place = placeOf(target);
  if (place === null && /[<>]/.test(target)) placeIn(target);
  const say: SayEffects = (call, given, taken = 0) => {
    const more: More = {
      ...(detail === undefined ? {} : { detail: shownDetail(detail, given, taken) }),
      ...marked(named, given),
      ...(carried.length === 0 ? {} : { origins: carried as readonly Origin[] }),
    };
    const about = (value: Value): readonly Effect[] =>
      ofPaths[kind]?.(call, value, more) ?? [
        effect(call, kind, { ...more, target: targetOf(kind, value, detail) ?? nameTarget(value) }),
      ];
    const values = place === null ? (target === '' ? [] : [literal(target)]) : valuesAt(place, given, taken);
    if (kind === 'package') return packages(call, detail ?? 'install', values, more, given);
    if (values.length > 0) return values.flatMap(about);
    if (place !== null && (!bare || kind === 'read' || kind === 'write')) return [];
    return [effect(call, kind, more)];
  };
  return { is: 'effect', say };
}

/** What is said, as effects of a call; each is said without a target where the call has none. */
export function sayingOf(text: string): SayEffects {
  const said = text === '' ? [] : text.split('; ').map((one) => effectOf(one, true));
  return (call, given, taken) =>
    said.flatMap((phrase) => (phrase.is === 'effect' ? phrase.say(call, given, taken) : []));
}

/** The options of which a fact needs one, and those that it rules out. */
function isAbout(saying: Saying): (given: Given<unknown>) => boolean {
  const needed = saying.with?.split(' ');
  const ruledOut = saying.without?.split(' ');
  return (given) =>
    (needed === undefined || given.has(...needed)) && (ruledOut === undefined || !given.has(...ruledOut));
}

/** The fact that data says; throws `PhraseError`. */
export function fact(saying: Saying): Fact {
  const { what, verbs, always, examples } = saying;
  const phrases = saying.says.split('; ').map((text) => startOf(text) ?? effectOf(text, false));
  const effects = phrases.flatMap((phrase) => (phrase.is === 'effect' ? [phrase.say] : []));
  const starts = phrases.flatMap((phrase) => (phrase.is === 'start' ? [phrase.say] : []));
  const applies = isAbout(saying);
  return {
    what,
    ...(verbs === undefined ? {} : { verbs }),
    ...(always === undefined ? {} : { always }),
    ...(effects.length === 0
      ? {}
      : { effects: (call, given) => (applies(given) ? effects.flatMap((say) => say(call, given)) : []) }),
    ...(starts.length === 0
      ? {}
      : { starts: (call, given) => (applies(given) ? starts.flatMap((say) => say(call, given)) : []) }),
    examples,
  };
}

// Reads a prompt into typed facts: every text in it, what each tries, what each carries, and what could not be read.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  type Extraction,
  type Found,
  type GuardInput,
  type HidingPlace,
  type MaybePromise,
  type UploadProblem,
  whenReady,
} from '../../core/index.ts';
import { builtin, scan } from '../../detect/index.ts';
import { detectInjection, type InjectionVerdict } from '../../detect/injection/index.ts';
import { type Blob, blobsIn, mostBlobs, mostFiles, type Span } from './blobs.ts';

/** One text of a prompt: all of it, or what was read out of something that is written in it or uploaded. */
export interface PromptText {
  readonly text: string;
  readonly pointer: '/text' | '/contentBase64';
  /** Where it is written in the action's text, where it is not that text itself. */
  readonly blob?: Span;
  /** Where it was in the file, in words. */
  readonly place?: string;
  /** Why nobody sees it who looks at the file. */
  readonly hidden?: HidingPlace;
  /** It came out of a file or a picture. */
  readonly file: boolean;
  /** It was read from pixels, so that a sign of it may be wrong. */
  readonly drawn?: true;
}

export interface JudgedText extends PromptText {
  readonly injection: InjectionVerdict;
  /** Personal data and secrets. */
  readonly data: readonly Found[];
}

/** Something that could not be read. */
interface Unread {
  readonly problem: UploadProblem;
  readonly detail?: string;
  /** It stands in a text as base64. */
  readonly embedded: boolean;
  readonly pointer: PromptText['pointer'];
  readonly blob?: Span;
}

export interface PromptFacts {
  readonly origin: NonNullable<ActionOf<'prompt'>['origin']>;
  readonly name?: string;
  /** The user did not write it. */
  readonly untrusted: boolean;
  readonly characters: number;
  readonly pieces: readonly JudgedText[];
  readonly problems: readonly Unread[];
  /** How many of each kind of data there are. */
  readonly found: Readonly<Record<string, number>>;
  /** What an upload is, by its content. */
  readonly type?: string;
}

type Prompt = ActionOf<'prompt'>;
type Input = GuardInput<Settings>;

/** Addresses of machines are nobody's personal data, and a prompt is often about them. */
const technical: ReadonlySet<string> = new Set(['ip', 'mac']);

/** The facts of one prompt. */
export function readFacts(action: Prompt, input: Input): MaybePromise<PromptFacts> {
  const { text, contentBase64, origin = 'user' } = action;
  const reader = new Reader(input);
  const file = origin === 'file' || origin === 'image';
  const reading =
    contentBase64 === undefined
      ? reader.take({ text: text ?? '', pointer: '/text', file }, 0)
      : reader.unpack(contentBase64, { pointer: '/contentBase64' }, 0);
  return whenReady(reading, () => factsOf(action, reader, input));
}

function factsOf({ origin = 'user', name }: Prompt, reader: Reader, input: Input): PromptFacts {
  const untrusted = origin !== 'user' && origin !== 'agent';
  const judged = reader.pieces.map((piece) => judge(piece, untrusted || piece.file, origin, input));
  const found: Record<string, number> = {};
  for (const { data } of judged) for (const { kind } of data) found[kind] = (found[kind] ?? 0) + 1;
  return {
    origin,
    ...(name === undefined ? {} : { name }),
    untrusted,
    characters: judged.reduce((sum, piece) => sum + piece.text.length, 0),
    pieces: judged,
    problems: reader.problems,
    found,
    ...(reader.type === undefined ? {} : { type: reader.type }),
  };
}

/** So often something inside something else is read: a file in a text in base64 in a text. */
const deepest = 2;

/** Gathers the texts of a prompt: what is written in one in base64 is read as what it is, and so is what stands in that. */
class Reader {
  readonly pieces: PromptText[] = [];
  readonly problems: Unread[] = [];
  /** What an upload is. */
  type: string | undefined;
  readonly #input: Input;
  #files = 0;
  #blobs = 0;

  constructor(input: Input) {
    this.#input = input;
  }

  take(piece: PromptText, depth: number): Promise<void> | undefined {
    this.pieces.push(piece);
    if (depth >= deepest || piece.drawn === true) return undefined;
    this.#input.budget.spend(1 + (piece.text.length >> 8));
    const blobs = blobsIn(piece.text, mostBlobs - this.#blobs + 1);
    return blobs.length === 0 ? undefined : this.#takeBlobs(piece, blobs, depth);
  }

  async #takeBlobs(piece: PromptText, blobs: readonly Blob[], depth: number): Promise<void> {
    for (const found of blobs) {
      const { pointer } = piece;
      // In a file that was unpacked, a place says nothing about the action.
      const blob = pointer === '/text' ? { blob: piece.blob ?? found.span } : {};
      if (++this.#blobs > mostBlobs) {
        const detail = `at most ${mostBlobs} texts in base64 are read`;
        this.problems.push({ problem: 'too_much_text', detail, embedded: true, pointer, ...blob });
        return;
      }
      if ('text' in found) await this.take({ ...piece, ...blob, text: found.text }, depth + 1);
      else if (++this.#files <= mostFiles) {
        await this.unpack(found.contentBase64, { pointer, ...blob }, depth + 1);
      } else {
        const detail = `at most ${mostFiles} files in one text are read`;
        this.problems.push({ problem: 'too_many_files', detail, embedded: true, pointer, ...blob });
        return;
      }
    }
  }

  async unpack(
    contentBase64: string,
    where: Pick<PromptText, 'pointer' | 'blob'>,
    depth: number,
  ): Promise<void> {
    const extraction = await extract(contentBase64, this.#input);
    if (extraction.problem !== null) {
      const { problem, detail } = extraction;
      const told = detail === undefined ? { problem } : { problem, detail };
      this.problems.push({ ...told, embedded: depth > 0, ...where });
      return;
    }
    if (depth === 0) this.type = extraction.type;
    for (const text of extraction.texts) await this.take({ ...text, ...where, file: true }, depth);
  }
}

async function extract(contentBase64: string, { world }: Input): Promise<Extraction> {
  if (world.extract === undefined) return { problem: 'reader_missing' };
  return await world.extract({ contentBase64 });
}

function judge(
  piece: PromptText,
  untrusted: boolean,
  origin: PromptFacts['origin'],
  input: Input,
): JudgedText {
  input.budget.spend(1 + (piece.text.length >> 6));
  const scanned = scan(piece.text, builtin('pii', 'secrets')).filter(({ kind }) => !technical.has(kind));
  // A text of a picture was read by somebody's eyes or program.
  const known = piece.drawn === true || origin === 'image' ? besides(scanned, formed(piece.text)) : scanned;
  // The user's own rules name what both find.
  const all = input.find === undefined ? known : besides(input.find(piece.text), known);
  // A tool's answer is what the user works with: addresses and numbers in it are taken out in the strict profile alone.
  const everydayPasses = origin === 'tool' && !piece.file && input.settings.profile !== 'strict';
  return {
    ...piece,
    injection: detectInjection(piece.text, { profile: untrusted ? 'tool' : 'user' }),
    data: everydayPasses ? all.filter(({ rule }) => !everyday().has(rule)) : all,
  };
}

/** Signs that are taken for digits in a picture, or digits for them. */
const digit = '[0-9OoQDIlSBZ]';
const forms: readonly (readonly [kind: string, form: RegExp])[] = [
  [
    'cpf',
    new RegExp(`(?<!\\w)${digit}{3}[.,] ?${digit}{3}[.,] ?${digit}{3} ?[-–—] ?${digit}{2}(?!\\w)`, 'g'),
  ],
  [
    'cnpj',
    new RegExp(
      `(?<!\\w)${digit}{2}[.,] ?${digit}{3}[.,] ?${digit}{3}/${digit}{4} ?[-–—] ?${digit}{2}(?!\\w)`,
      'g',
    ),
  ],
  ['credit-card', new RegExp(`(?<!\\w)${digit}{4}(?: ${digit}{4}){3}(?!\\w)`, 'g')],
];

/** The finds of one list, and those of another that do not overlap them; both and the result in the order of the text. */
function besides(first: readonly Found[], second: readonly Found[]): readonly Found[] {
  let at = 0;
  const more = second.filter((one) => {
    while ((first[at]?.end ?? Number.POSITIVE_INFINITY) <= one.start) at++;
    return (first[at]?.start ?? Number.POSITIVE_INFINITY) >= one.end;
  });
  return [...first, ...more].sort((one, other) => one.start - other.start);
}

/** Numbers in a form of their own: one wrong sign spoils their check digits, but not what a model sees. */
function formed(text: string): readonly Found[] {
  return forms
    .flatMap(([kind, form]) =>
      [...text.matchAll(form)]
        .filter(([found]) => (found.match(/\d/g)?.length ?? 0) >= 8)
        .map(({ 0: found, index }) => ({
          rule: kind,
          kind,
          start: index,
          end: index + found.length,
        })),
    )
    .sort((one, other) => one.start - other.start);
}

let everydayRules: ReadonlySet<string> | undefined;

/** The rules that find what stands in every mail: addresses and phone numbers. */
function everyday(): ReadonlySet<string> {
  everydayRules ??= new Set(builtin('pii').rules.flatMap(({ id, common }) => (common === true ? id : [])));
  return everydayRules;
}

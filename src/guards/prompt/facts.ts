// Reads a prompt into typed facts: every text in it, what each tries, what each carries, and what could not be read.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Extraction, GuardInput, HidingPlace, UploadProblem } from '../../core/index.ts';
import { builtin, type Match, scan } from '../../detect/index.ts';
import { detectInjection, type InjectionVerdict } from '../../detect/injection/index.ts';
import { blobsIn, mostFiles } from './blobs.ts';

export type Span = readonly [start: number, end: number];

/** One text of a prompt: all of it, or what was read out of something that is written in it or uploaded. */
export interface Piece {
  readonly text: string;
  readonly pointer: '/text' | '/contentBase64';
  /** Where it is written in the action's text, where it is not that text itself. */
  readonly blob?: Span;
  /** Where in the file it stood, in words. */
  readonly place?: string;
  /** Why nobody sees it who looks at the file. */
  readonly hidden?: HidingPlace;
  /** It came out of a file or a picture. */
  readonly file: boolean;
  /** It was read from pixels, so that a sign of it may be wrong. */
  readonly drawn?: true;
}

export interface JudgedPiece extends Piece {
  readonly injection: InjectionVerdict;
  /** Personal data and secrets. */
  readonly data: readonly Match[];
}

/** Something that could not be read. */
export interface Unread {
  readonly problem: UploadProblem;
  readonly detail?: string;
  readonly pointer: Piece['pointer'];
  readonly blob?: Span;
}

export interface PromptFacts {
  readonly origin: 'user' | 'tool' | 'file' | 'image';
  readonly name?: string;
  /** The user did not write it. */
  readonly untrusted: boolean;
  readonly characters: number;
  readonly pieces: readonly JudgedPiece[];
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
export async function readFacts(action: Prompt, input: Input): Promise<PromptFacts> {
  const { text, contentBase64, origin = 'user', name } = action;
  const pieces: Piece[] = [];
  const problems: Unread[] = [];
  let type: string | undefined;
  if (contentBase64 !== undefined) {
    const extraction = await extract(contentBase64, input);
    if (extraction.problem === null) type = extraction.type;
    take(extraction, '/contentBase64', undefined);
  } else {
    const whole = text ?? '';
    pieces.push({ text: whole, pointer: '/text', file: origin === 'file' || origin === 'image' });
    await takeBlobs(whole, undefined, 0);
  }
  const untrusted = origin !== 'user';
  const judged = pieces.map((piece) => judge(piece, untrusted || piece.file, origin, input));
  const found: Record<string, number> = {};
  for (const { data } of judged) for (const { kind } of data) found[kind] = (found[kind] ?? 0) + 1;
  return {
    origin,
    ...(name === undefined ? {} : { name }),
    untrusted,
    characters: judged.reduce((sum, piece) => sum + piece.text.length, 0),
    pieces: judged,
    problems,
    found,
    ...(type === undefined ? {} : { type }),
  };

  function take(extraction: Extraction, pointer: Piece['pointer'], blob: Span | undefined): void {
    const where = { pointer, ...(blob === undefined ? {} : { blob }) };
    if (extraction.problem !== null) {
      const { problem, detail } = extraction;
      problems.push({ problem, ...(detail === undefined ? {} : { detail }), ...where });
      return;
    }
    for (const extracted of extraction.texts) pieces.push({ ...extracted, ...where, file: true });
  }

  /** What is written in a text in base64 is read as what it is; so is what stands in base64 in that. */
  async function takeBlobs(within: string, outer: Span | undefined, depth: number): Promise<void> {
    const blobs = blobsIn(within);
    input.budget.spend(1 + (within.length >> 8) + blobs.length);
    let files = 0;
    for (const blob of blobs) {
      const span = outer ?? blob.span;
      if ('text' in blob) {
        pieces.push({ text: blob.text, pointer: '/text', blob: span, file: false });
        if (depth < 1) await takeBlobs(blob.text, span, depth + 1);
      } else if (++files > mostFiles) {
        const detail = `at most ${mostFiles} files in one text are read`;
        problems.push({ problem: 'too_many_files', detail, pointer: '/text', blob: span });
        return;
      } else take(await extract(blob.contentBase64, input), '/text', span);
    }
  }
}

async function extract(contentBase64: string, { world }: Input): Promise<Extraction> {
  if (world.extract === undefined) return { problem: 'reader_missing' };
  return await world.extract({ contentBase64 });
}

function judge(piece: Piece, untrusted: boolean, origin: PromptFacts['origin'], input: Input): JudgedPiece {
  input.budget.spend(1 + (piece.text.length >> 6));
  const scanned = scan(piece.text, builtin('pii', 'secrets')).filter(({ kind }) => !technical.has(kind));
  const all = piece.drawn === true ? withMisread(piece.text, scanned) : scanned;
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

/** What was found, and numbers in a form of their own: one wrong sign spoils their check digits, but not what a model sees. */
function withMisread(text: string, scanned: readonly Match[]): readonly Match[] {
  const isNew = (one: Match) => !scanned.some(({ start, end }) => start < one.end && one.start < end);
  return [...scanned, ...formed(text).filter(isNew)].sort((one, other) => one.start - other.start);
}

function formed(text: string): readonly Match[] {
  return forms.flatMap(([kind, form]) =>
    [...text.matchAll(form)]
      .filter(([found]) => (found.match(/\d/g)?.length ?? 0) >= 8)
      .map(({ 0: found, index }) => ({
        rule: kind,
        kind,
        pack: 'pii' as const,
        start: index,
        end: index + found.length,
      })),
  );
}

let everydayRules: ReadonlySet<string> | undefined;

/** The rules that find what stands in every mail: addresses and phone numbers. */
function everyday(): ReadonlySet<string> {
  everydayRules ??= new Set(builtin('pii').rules.flatMap(({ id, common }) => (common === true ? id : [])));
  return everydayRules;
}

// An upload as guards see it: the texts that were read out of it, or the one reason why it could not be read.

/** Why a reader of the file would not see a text that is in it. */
export const hidingPlaces = [
  'colour',
  'size',
  'invisible',
  'comment',
  'off_page',
  'alternative_text',
  'metadata',
  'markup',
] as const;

export type HidingPlace = (typeof hidingPlaces)[number];

/** A piece of text out of an upload. */
export interface ExtractedText {
  readonly text: string;
  /** Its location, in words for the user: "page 2", "header", "notes.txt". */
  readonly place: string;
  readonly hidden?: HidingPlace;
  /** It was read from pixels, so that a sign of it may be wrong. */
  readonly drawn?: true;
}

/** Every reason why an upload is not read. */
const uploadProblems = [
  'too_large',
  'too_many_pages',
  'too_many_pixels',
  'too_much_text',
  'too_many_files',
  'too_deep',
  'bomb',
  'too_slow',
  'busy',
  'unknown_type',
  'polyglot',
  'encrypted',
  'broken',
  'reader_missing',
] as const;

export type UploadProblem = (typeof uploadProblems)[number];

/** The result for one upload. */
export type Extraction =
  | {
      readonly problem: null;
      /** Its type by its content; never by its name. */
      readonly type: string;
      readonly texts: readonly ExtractedText[];
    }
  | {
      readonly problem: UploadProblem;
      /** The details of this case, in plain words and without content: a limit, a package. */
      readonly detail?: string;
    };

/** A file as it arrived: its bytes in base64. */
export interface Upload {
  readonly contentBase64: string;
}

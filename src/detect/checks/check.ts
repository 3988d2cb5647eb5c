// What a validator is: a pure look at what a pattern caught.

/** Where a text stands, as far as that is known. */
export interface Where {
  /** The path of the file that holds it. */
  readonly path?: string;
  /** Real path of the folder that may be spoken of. */
  readonly workspace?: string;
  /** Other folders that may be spoken of. */
  readonly folders?: readonly string[];
}

/** Sees at most the first 160 characters of the secret and 96 to its left. */
export type Check = (secret: string, left: string, where?: Where) => boolean;

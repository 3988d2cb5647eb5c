// The origin of data: the user's texts in a session, and the texts by others that it read.

import type { MaybePromise } from './ready.ts';
/** A text that the user did not write: a tool's result, a file, a web page, a picture. */
export interface TextSource {
  readonly kind: 'tool' | 'file' | 'web' | 'image';
  /** The tool, the path or the address. */
  readonly name: string;
}

/** A piece of text that names a place, a person or a thing, in its normalized spelling. */
export interface Atom {
  readonly kind: 'email' | 'url' | 'host' | 'account' | 'handle' | 'id' | 'command';
  readonly value: string;
}

/** An atom that another author than the user brought up. */
export interface Suspect {
  readonly atom: Atom;
  /** Null if the session has read more than is stored, so that the origin is unknown. */
  readonly source: TextSource | null;
}

/** The facts of a session about the origin of data. */
export interface Origins {
  /** Of each group the atoms that occur in others' texts, are not the user's own, and were not asked for. */
  checkEach(groups: readonly (readonly Atom[])[]): MaybePromise<readonly (readonly Suspect[])[]>;
}

/** The same, as those see it who bring texts in. */
export interface SessionTexts extends Origins {
  /** Records a text of the user. A long one is processed on another thread, and awaited. */
  heard(text: string): MaybePromise<void>;
  /** This was read; it is not the user's. */
  read(text: string, source: TextSource): MaybePromise<void>;
}

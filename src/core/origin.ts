// Where things come from: what a session heard from its user, and what it read in texts that others wrote.

import type { MaybePromise } from './ready.ts';
/** A text that the user did not write: what a tool answered, a file, a page of the web, a picture. */
export interface TextSource {
  readonly kind: 'tool' | 'file' | 'web' | 'image';
  /** The tool, the path or the address. */
  readonly name: string;
}

/** A piece of text that names a place, a person or a thing, in its one spelling. */
export interface Atom {
  readonly kind: 'email' | 'url' | 'host' | 'account' | 'handle' | 'id' | 'command';
  readonly value: string;
}

/** An atom that another author than the user brought up. */
export interface Suspect {
  readonly atom: Atom;
  /** Null where the session has read more than is kept, so that nobody can tell. */
  readonly source: TextSource | null;
}

/** What a session knows about where things come from. */
export interface Origins {
  /** Of each group the atoms that occur in others' texts, are not the user's own, and were not asked for. */
  checkEach(groups: readonly (readonly Atom[])[]): MaybePromise<readonly (readonly Suspect[])[]>;
}

/** The same, as those see it who bring texts in. */
export interface SessionTexts extends Origins {
  /** The user said this. A long text is taken in on another thread, and waited for. */
  heard(text: string): MaybePromise<void>;
  /** This was read; it is not the user's. */
  read(text: string, source: TextSource): MaybePromise<void>;
}

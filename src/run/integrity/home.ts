// Looks after the settings of the home: a change that is made while a call of an agent runs is put back, unless the
// owner signed for that very text. A change at any other time is the person's own: it stays and is recorded.

import { readFileSync } from 'node:fs';
import { type Alarm, type Integrity, stampAt, textContent } from './index.ts';

export interface HomeSettingsOptions {
  readonly file: string;
  readonly integrity: Pick<Integrity, 'putBack' | 'note'>;
  /** In whose name a change is written down. */
  readonly owner: { readonly user: string; readonly tenant: string };
  /** Whether a call of an agent runs that may change anything, or has just ended. */
  readonly isBusy: () => boolean;
  /** Whether the owner signed for this text. */
  readonly isSigned: (text: string) => boolean;
}

export class HomeSettings {
  readonly #options: HomeSettingsOptions;
  #stamp: string;
  /** The text that counts; null where there is no file. */
  #text: string | null;

  constructor(options: HomeSettingsOptions) {
    this.#options = options;
    this.#stamp = stampAt(options.file);
    this.#text = textAt(options.file);
  }

  get file(): string {
    return this.#options.file;
  }

  /** Looks at the file where it changed since the last time; gives the alarm that it raised. */
  async look(): Promise<readonly Alarm[]> {
    const { file, integrity, owner, isBusy, isSigned } = this.#options;
    const stamp = stampAt(file);
    if (stamp === this.#stamp) return [];
    const text = textAt(file);
    const who = { ...owner, agent: '', run: '', decisionId: '' };
    if (text !== this.#text && isBusy() && !(text !== null && isSigned(text))) {
      const right = this.#text === null ? null : textContent(file, this.#text);
      const why = "it holds Sallyport's own settings, and it was changed while a call of an agent ran";
      const alarm = await integrity.putBack({ of: 'sallyport', file, why, right }, who, true);
      // INVARIANT: only a state that was read and found right is not read again: something may have written meanwhile.
      const now = stampAt(file);
      if (textAt(file) === this.#text) this.#stamp = now;
      return [alarm];
    }
    if (text !== this.#text) {
      const why = "it holds Sallyport's own settings, and no call of an agent ran when it changed";
      await integrity.note(file, why, who);
    }
    this.#stamp = stamp;
    this.#text = text;
    return [];
  }
}

function textAt(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

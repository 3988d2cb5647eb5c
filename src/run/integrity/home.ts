// Protects the settings of the home: a change that is made while a call of an agent runs is reverted, unless the owner
// signed that very text. A change at any other time is the user's own: it stays and is recorded.

import { readFileSync } from 'node:fs';
import { type Alarm, type Integrity, textContent } from './index.ts';

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
  readonly file: string;
  readonly #options: HomeSettingsOptions;
  /** The text that counts; null if there is no file. */
  #text: string | null;

  constructor(options: HomeSettingsOptions) {
    this.file = options.file;
    this.#options = options;
    this.#text = textAt(options.file);
  }

  /** Reads the file; gives the alarm that it raised, and none if the file is as it should be. */
  async look(): Promise<readonly Alarm[]> {
    const { file, integrity, owner, isBusy, isSigned } = this.#options;
    const text = textAt(file);
    if (text === this.#text) return [];
    const who = { ...owner, agent: '', run: '', decisionId: '' };
    if (isBusy() && !(text !== null && isSigned(text))) {
      const right = this.#text === null ? null : textContent(file, this.#text);
      const why = "it holds Sallyport's own settings, and it was changed while a call of an agent ran";
      return [await integrity.putBack({ of: 'sallyport', file, why, right }, who, true)];
    }
    const why = "it holds Sallyport's own settings, and no call of an agent ran when it changed";
    await integrity.note(file, why, who);
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

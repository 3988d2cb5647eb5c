// Arguments of the form key=value, for commands whose settings are named in scripts and runbooks.

import { resolve } from 'node:path';
import { nearest, UsageError, visible } from '../core/index.ts';

/** The settings of a call, each known and given at most once. */
export class Pairs {
  readonly #values: ReadonlyMap<string, string>;

  /** Throws `UsageError` for a word that is no pair, and for a key that is not known or stands twice. */
  constructor(words: readonly string[], known: readonly string[]) {
    const values = new Map<string, string>();
    for (const word of words) {
      const at = word.indexOf('=');
      const key = word.slice(0, at);
      if (at < 0) throw new UsageError(`unexpected argument "${visible(word, 80)}"`);
      if (!known.includes(key)) {
        const near = nearest(key, known);
        throw new UsageError(
          `unknown setting "${visible(key, 40)}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
          `settings are ${known.map((one) => `${one}=`).join(', ')}`,
        );
      }
      if (values.has(key)) throw new UsageError(`${key}= is given twice`);
      values.set(key, word.slice(at + 1));
    }
    this.#values = values;
  }

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  /** One word of a list. */
  choice<const T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    throw new UsageError(`unknown ${key} "${visible(value, 40)}"`, `there are: ${words.join(', ')}`);
  }

  /** `on` or `off`, or what they are called elsewhere. */
  flag(key: string): boolean | undefined {
    const word = this.choice(key, ['on', 'off', 'true', 'false']);
    return word === undefined ? undefined : word === 'on' || word === 'true';
  }

  number(key: string, min: number, max: number): number | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const number = /^-?\d{1,12}(?:\.\d{1,12})?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new UsageError(`${key} is a number between ${min} and ${max}`);
    return number;
  }

  whole(key: string, min: number, max: number): number | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new UsageError(`${key} is a whole number between ${min} and ${max}`);
    }
    return number;
  }
}

/** The model that a call names; a script is a file that is found from the folder of the call. */
export function modelIn(folder: string, model: string): string {
  const [, file] = /^script:(.+)$/s.exec(model) ?? [];
  return file === undefined ? model : `script:${resolve(folder, file)}`;
}

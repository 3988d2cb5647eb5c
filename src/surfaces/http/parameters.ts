// What a route takes beside its body: steps of its path, members of the query, and headers. Each is declared once; it is
// read, described in the document and typed for the handler by that.

import { InputError, type JsonObject } from '../../core/index.ts';

export interface Parameter<T> {
  readonly in: 'path' | 'query' | 'header';
  /** What it is called over the wire, where that is not its key. */
  readonly name?: string;
  readonly schema: JsonObject;
  readonly says: string;
  /** A call without it is refused; a step of the path is always there. */
  readonly required?: true;
  /** The answers that it may lead to, by status. */
  readonly leadsTo?: Readonly<Record<number, string>>;
  /** Throws where a value does not fit, or must be there and is not. */
  read(value: string | undefined, name: string): T;
}

/** A whole number in the query. */
export function wholeNumber(min: number, max: number, says: string): Parameter<number | undefined> {
  const most = max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max };
  return {
    in: 'query',
    schema: { type: 'integer', minimum: min, ...most },
    says,
    read: (value, name) => (value === undefined ? undefined : wholeIn(value, name, min, max)),
  };
}

/** A whole number as a step of the path. */
export function numberedStep(min: number, max: number, says: string): Parameter<number> {
  const schema = { type: 'integer' };
  return { in: 'path', schema, says, read: (value, name) => wholeIn(value ?? '', name, min, max) };
}

/** Words in the query; none where it is empty. */
export function words(says: string): Parameter<string | undefined> {
  return { in: 'query', schema: { type: 'string' }, says, read: (value) => value || undefined };
}

/** A time in the query, in milliseconds; over the wire such as 2026-01-31T10:00:00Z. */
export function time(says: string): Parameter<number | undefined> {
  return {
    in: 'query',
    schema: { type: 'string', format: 'date-time' },
    says,
    read: (value, name) => {
      if (value === undefined || value === '') return undefined;
      const at = Date.parse(value);
      if (Number.isNaN(at)) throw new InputError(`"${name}" must be a time such as 2026-01-31T10:00:00Z`);
      return at;
    },
  };
}

function wholeIn(value: string, name: string, min: number, max: number): number {
  const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new InputError(`"${name}" must be a whole number between ${min} and ${max}`);
  }
  return number;
}

// A result in pages that a model can read: one run, one snapshot, handed on piece by piece to who ran it.

import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonValue, SallyportError } from '../../core/index.ts';
import type { Raw } from './result.ts';
import { fitted } from './result.ts';

/** The page does not exist: it expired, made room for others, or is not of this session. */
export class PageGone extends SallyportError {}

/** One page, before it is redacted. */
export interface Page {
  readonly data: JsonValue;
  readonly rows: number | null;
  /** The omitted part. */
  readonly warnings: readonly string[];
}

/** The pages of a result; there is always one. */
export function pagesOf(
  { data, rows, list }: Raw,
  limits: { readonly maxResultRows: number; readonly maxResultBytes: number },
): readonly [Page, ...Page[]] {
  if (list === undefined || list.rows.length === 0) return [{ data, rows, warnings: [] }];
  const { wrap } = list;
  const pages: Page[] = [];
  let page: { rows: JsonValue[]; size: number; cut: number } = { rows: [], size: 0, cut: 0 };
  const close = (): void => {
    const warnings = page.cut === 0 ? [] : [`Long values in ${page.cut} of the rows were cut.`];
    pages.push({ data: wrap(page.rows), rows: page.rows.length, warnings });
    page = { rows: [], size: 0, cut: 0 };
  };
  for (const row of list.rows) {
    const { value, size, isCut } = rowWithin(row, limits);
    if (page.rows.length > 0 && page.size + size > limits.maxResultBytes) close();
    page.rows.push(value);
    page.size += size;
    if (isCut) page.cut += 1;
  }
  if (page.rows.length > 0) close();
  const [first, ...more] = pages;
  // INVARIANT: there is a row, and so a page.
  if (first === undefined) throw new Error('a result has no page');
  return [first, ...more];
}

/** Bytes that a row takes in a list. */
function sizeOf(row: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(row)) + 1;
}

/** A row that fits into a page; long texts in it are cut, and lists, where it does not. */
function rowWithin(
  row: JsonValue,
  limits: { readonly maxResultRows: number; readonly maxResultBytes: number },
): { readonly value: JsonValue; readonly size: number; readonly isCut: boolean } {
  const size = sizeOf(row);
  if (size <= limits.maxResultBytes) return { value: row, size, isCut: false };
  for (let most = Math.floor(limits.maxResultBytes / 2); most >= shortestCut; most = Math.floor(most / 2)) {
    const value = withShortTexts(row, most);
    const shorter = sizeOf(value);
    if (shorter <= limits.maxResultBytes) return { value, size: shorter, isCut: true };
  }
  const { value } = fitted(withShortTexts(row, shortestCut), {
    maxResultRows: limits.maxResultRows,
    // A sign of the text takes three bytes at most.
    maxResultBytes: Math.floor(limits.maxResultBytes / 3),
  });
  return { value, size: sizeOf(value), isCut: true };
}

const shortestCut = 64;

function withShortTexts(value: JsonValue, most: number): JsonValue {
  if (typeof value === 'string')
    return value.length <= most ? value : `${value.slice(0, most)}… (cut: ${value.length} characters)`;
  if (Array.isArray(value)) return value.map((one) => withShortTexts(one, most));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withShortTexts(one, most)]));
}

/** The store of the pages of a run, and the token that they are read with. */
export interface Pages {
  readonly store: PageStore;
  readonly token: string;
}

/** The data stored with the rest of a result. */
export interface Rest {
  readonly pages: readonly Page[];
  /** Rows of all pages. */
  readonly total: number | null;
  /** Whether the source had more than may be read. */
  readonly isCut: boolean;
  /** Who may read it, with what, and by which rules it was judged: a text that must be equal again. */
  readonly bound: string;
  readonly decisionId: string;
}

interface Kept extends Rest {
  readonly expiresAt: number;
  readonly size: number;
}

/** Pages that wait to be read: few, in memory, and not for long. */
export class PageStore {
  readonly #kept = new Map<string, Kept>();
  readonly #mostBytes: number;

  constructor(mostBytes = 67_108_864) {
    this.#mostBytes = mostBytes;
  }

  /** Keeps what follows the first page; gives the handle of the next, or null if there is none. */
  keep(rest: Rest, now: number, lifeMs: number): string | null {
    if (rest.pages.length === 0) return null;
    const size = rest.pages.reduce((sum, { data }) => sum + JSON.stringify(data).length * 2, 0);
    const id = randomBytes(18).toString('base64url');
    this.#kept.set(id, { ...rest, expiresAt: now + lifeMs, size });
    this.#makeRoom(now);
    return this.#kept.has(id) ? `${id}.0` : null;
  }

  /** INVARIANT: a page is found only by who ran the query, under the rules that it ran under, before it expires. */
  find(
    handle: string,
    bound: string,
    now: number,
  ): Pick<Rest, 'total' | 'isCut' | 'decisionId'> & { readonly page: Page; readonly next: string | null } {
    this.#makeRoom(now);
    const [id = '', index = ''] = handle.split('.');
    const kept = this.#kept.get(id);
    const page = /^\d{1,6}$/.test(index) ? kept?.pages[Number(index)] : undefined;
    if (kept === undefined || page === undefined || kept.bound !== bound) {
      throw new PageGone('there is no such page, or not any more', {
        hint: 'validate the query again, and run it with its new token',
      });
    }
    const next = Number(index) + 1;
    return {
      page,
      next: next < kept.pages.length ? `${id}.${next}` : null,
      total: kept.total,
      isCut: kept.isCut,
      decisionId: kept.decisionId,
    };
  }

  /** Evicts expired entries, and the oldest if there are too many. */
  #makeRoom(now: number): void {
    for (const [id, { expiresAt }] of this.#kept) if (expiresAt <= now) this.#kept.delete(id);
    let size = [...this.#kept.values()].reduce((sum, kept) => sum + kept.size, 0);
    for (const [id, kept] of this.#kept) {
      if (size <= this.#mostBytes) return;
      this.#kept.delete(id);
      size -= kept.size;
    }
  }
}

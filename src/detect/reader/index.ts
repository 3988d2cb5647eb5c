// Reads a text in several ways at once as it flows. INVARIANT: nothing of the source is called safe that a find of any
// way could still cover, and the finds are the same for every way of cutting the text into pieces.

import { type Find, ReadingChannel, type TextScanner } from './channel.ts';
import { JoinedRuns } from './joined.ts';
import { Packed, type Unpack } from './packed.ts';
import { Spelled } from './spelled.ts';
import { bytesOf, SharedDecoder, unmarkedOf, type Way } from './ways.ts';

export type { Find } from './channel.ts';
export type { Unpack } from './packed.ts';
export { seam, type Way } from './ways.ts';

/** A search, and the ways in which it reads the text. */
export interface Reading {
  readonly open: () => TextScanner;
  readonly ways: readonly Way[];
}

/** A text that is read as it comes. */
export interface Reader {
  /** Takes a piece; gives what of the text is safe now and was not before. */
  push(piece: string): string;
  /** The end of the text: gives the rest, unless something was found. */
  end(): string;
  /** Whether anything was found. */
  readonly found: boolean;
  /** What was found, in the order of its places. From the first find on no text is given. */
  readonly finds: readonly Find[];
}

/** Longer pieces are read bit by bit, so that places need not be kept for all of the text. */
const longestChunk = 8192;

/** Opens a reader; without what unpacks a gzip none is read. */
export function createReader(readings: readonly Reading[], unpack: Unpack = () => undefined): Reader {
  const scanners = (way: Way) => readings.filter(({ ways }) => ways.includes(way)).map(({ open }) => open());
  const asked = new Set(readings.flatMap(({ ways }) => ways));
  const joined = new SharedDecoder(unmarkedOf('joined'));
  const decoders = { plain: undefined, unmarked: unmarkedOf('unmarked'), joined };
  const texts = (['plain', 'unmarked', 'joined'] as const)
    .filter((way) => asked.has(way))
    .map((way) => new ReadingChannel(way, decoders[way], scanners(way)));
  const spelled = (['letters', 'hexes', 'codes'] as const)
    .filter(() => asked.has('spelled'))
    .map((kind) => new ReadingChannel('spelled', new Spelled(kind), scanners('spelled')));
  const bytes = (['base64', 'hex', 'gzip'] as const)
    .filter((way) => asked.has(way))
    .flatMap((way) =>
      (way === 'gzip' ? [new Packed(unpack)] : bytesOf(way)).map((decoder) => ({
        decoder,
        channel: new ReadingChannel(way, decoder, scanners(way)),
      })),
    );
  const under = asked.has('joined') ? joined.second : joined;
  const parts = [...texts, ...spelled, ...(bytes.length === 0 ? [] : [new JoinedRuns(under, bytes)])];
  /** What was taken and is not safe yet. */
  let held = '';
  let shown = 0;
  let state: 'open' | 'failed' | 'closed' = 'open';

  const read = (piece: string, last: boolean): string => {
    if (state !== 'open') throw new Error(`the reader is ${state}: nothing may follow`);
    // What was not judged is not let out, now or later.
    state = 'failed';
    held += piece;
    let safe = Number.POSITIVE_INFINITY;
    for (const part of parts) {
      part.push(piece, last);
      if (part.safe < safe) safe = part.safe;
    }
    state = last ? 'closed' : 'open';
    if (safe <= shown) return '';
    const given = held.slice(0, safe - shown);
    held = held.slice(given.length);
    shown += given.length;
    return given;
  };

  return {
    push(piece) {
      if (piece.length <= longestChunk) return piece === '' ? '' : read(piece, false);
      let given = '';
      for (let at = 0; at < piece.length; at += longestChunk) {
        given += read(piece.slice(at, at + longestChunk), false);
      }
      return given;
    },
    end: () => read('', true),
    get found() {
      for (const part of parts) if (part.found) return true;
      return false;
    },
    get finds() {
      return parts.flatMap((part) => part.finds).sort((a, b) => a.start - b.start || b.end - a.end);
    },
  };
}

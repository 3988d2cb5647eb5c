// SHA-256, for the checksum inside addresses; small, and without the platform's cryptography since this room is pure.

/** The leading bits of the fractional part of a root of each of the first primes. */
function rootsOfPrimes(count: number, power: number): readonly number[] {
  const roots: number[] = [];
  for (let candidate = 2; roots.length < count; candidate++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= candidate; factor++)
      if (candidate % factor === 0) isPrime = false;
    if (isPrime) {
      const root = candidate ** power;
      roots.push(((root - Math.floor(root)) * 0x1_0000_0000) | 0);
    }
  }
  return roots;
}

/** Worked out with the first address: most texts hold none. */
let constants: { readonly initial: readonly number[]; readonly rounds: Int32Array } | undefined;

function theConstants(): NonNullable<typeof constants> {
  constants ??= { initial: rootsOfPrimes(8, 1 / 2), rounds: Int32Array.from(rootsOfPrimes(64, 1 / 3)) };
  return constants;
}

function rotated(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

/** The digest of some bytes. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length * 8);
  const { initial, rounds } = theConstants();
  const state = Int32Array.from(initial);
  const schedule = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at++) schedule[at] = view.getInt32(block + at * 4);
    for (let at = 16; at < 64; at++) {
      const early = schedule[at - 15] ?? 0;
      const late = schedule[at - 2] ?? 0;
      const mixedEarly = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
      const mixedLate = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      schedule[at] = (schedule[at - 16] ?? 0) + mixedEarly + (schedule[at - 7] ?? 0) + mixedLate;
    }
    mixBlock(state, schedule, rounds);
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, at) => {
    out.setInt32(at * 4, word);
  });
  return digest;
}

function mixBlock(state: Int32Array, schedule: Int32Array, rounds: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at++) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h +
        (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
        choice +
        (rounds[at] ?? 0) +
        (schedule[at] ?? 0)) |
      0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => {
    state[at] = (state[at] ?? 0) + word;
  });
}

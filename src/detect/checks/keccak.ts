// Keccak-256 of a short text, for the letter case that checks an Ethereum address (EIP-55).

/** Lanes are 64 bits wide and held as two halves, low first. */
type Lanes = Uint32Array;

/** Where each lane moves to and how far it turns, along the path that visits all but the first. */
function pathOfLanes(): readonly { readonly to: number; readonly turn: number }[] {
  const steps: { to: number; turn: number }[] = [];
  let x = 1;
  let y = 0;
  for (let step = 0; step < 24; step++) {
    const next = (2 * x + 3 * y) % 5;
    x = y;
    y = next;
    steps.push({ to: x + 5 * y, turn: (((step + 1) * (step + 2)) / 2) % 64 });
  }
  return steps;
}

/** The constants of the rounds, from the shift register of the specification. */
function roundConstants(): Uint32Array {
  const halves = new Uint32Array(48);
  let register = 1;
  for (let round = 0; round < 24; round++) {
    for (let bit = 0; bit < 7; bit++) {
      const place = (1 << bit) - 1;
      if ((register & 1) === 1) {
        const half = round * 2 + (place >= 32 ? 1 : 0);
        halves[half] = (halves[half] ?? 0) | (1 << (place % 32));
      }
      register <<= 1;
      if ((register & 0x100) !== 0) register ^= 0x171;
    }
  }
  return halves;
}

/** Both tables, computed with the first digest. */
let tables: { readonly path: ReturnType<typeof pathOfLanes>; readonly constants: Uint32Array } | undefined;

/** The low half of a lane that turns left by some bits. */
function turnedLow(low: number, high: number, by: number): number {
  if (by === 0) return low;
  if (by < 32) return (low << by) | (high >>> (32 - by));
  return by === 32 ? high : (high << (by - 32)) | (low >>> (64 - by));
}

function permute(lanes: Lanes): void {
  tables ??= { path: pathOfLanes(), constants: roundConstants() };
  const { path, constants } = tables;
  const columns = new Uint32Array(10);
  const row = new Uint32Array(10);
  for (let round = 0; round < 24; round++) {
    for (let at = 0; at < 10; at++) {
      columns[at] =
        (lanes[at] ?? 0) ^
        (lanes[at + 10] ?? 0) ^
        (lanes[at + 20] ?? 0) ^
        (lanes[at + 30] ?? 0) ^
        (lanes[at + 40] ?? 0);
    }
    for (let x = 0; x < 10; x += 2) {
      const nextLow = columns[(x + 2) % 10] ?? 0;
      const nextHigh = columns[(x + 3) % 10] ?? 0;
      const low = (columns[(x + 8) % 10] ?? 0) ^ turnedLow(nextLow, nextHigh, 1);
      const high = (columns[(x + 9) % 10] ?? 0) ^ turnedLow(nextHigh, nextLow, 1);
      for (let at = x; at < 50; at += 10) {
        lanes[at] = (lanes[at] ?? 0) ^ low;
        lanes[at + 1] = (lanes[at + 1] ?? 0) ^ high;
      }
    }
    let low = lanes[2] ?? 0;
    let high = lanes[3] ?? 0;
    for (const { to, turn } of path) {
      const nextLow = lanes[2 * to] ?? 0;
      const nextHigh = lanes[2 * to + 1] ?? 0;
      lanes[2 * to] = turnedLow(low, high, turn);
      lanes[2 * to + 1] = turnedLow(high, low, turn);
      low = nextLow;
      high = nextHigh;
    }
    for (let line = 0; line < 50; line += 10) {
      for (let at = 0; at < 10; at++) row[at] = lanes[line + at] ?? 0;
      for (let at = 0; at < 10; at++) {
        lanes[line + at] = (row[at] ?? 0) ^ (~(row[(at + 2) % 10] ?? 0) & (row[(at + 4) % 10] ?? 0));
      }
    }
    lanes[0] = (lanes[0] ?? 0) ^ (constants[round * 2] ?? 0);
    lanes[1] = (lanes[1] ?? 0) ^ (constants[round * 2 + 1] ?? 0);
  }
}

/** The digest of an ASCII text of at most 135 characters, as bytes. */
export function keccak256(text: string): Uint8Array {
  const block = new Uint8Array(200);
  for (let at = 0; at < text.length; at++) block[at] = text.charCodeAt(at);
  block[text.length] = 1;
  block[135] = (block[135] ?? 0) | 0x80;
  const lanes = new Uint32Array(50);
  const view = new DataView(block.buffer);
  for (let at = 0; at < 50; at++) lanes[at] = view.getUint32(at * 4, true);
  permute(lanes);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let at = 0; at < 8; at++) out.setUint32(at * 4, lanes[at] ?? 0, true);
  return digest;
}

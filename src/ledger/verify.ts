// Verifies every chain of a store: each position, link, content and column must match the entry, and each signed head
// must be the root of the entries below it.

import { isJsonObject, parseJson } from '../core/index.ts';
import { count, type Infer, listOf, reply, texts } from '../core/shape.ts';
import { contentHash, genesis, linkHash, rulesOf } from './audit.ts';
import { type SignedHead, verifyHead } from './heads.ts';
import type { VerifyingKey } from './keys.ts';
import { unrecordedErasures } from './maintenance.ts';
import { Frontier, leafHash } from './merkle.ts';
import type { Row, Store } from './store.ts';
import { headOf } from './tree.ts';

/** The result of `log verify`. */
export const verification = reply({
  entries: count,
  chains: listOf(reply({ ...texts('chain', 'head'), entries: count })),
  heads: count,
  problems: listOf(reply({ ...texts('chain', 'problem'), seq: count })),
  /** Odd but allowed, such as a clock that was set back. */
  notes: listOf(reply({ ...texts('chain', 'note'), seq: count })),
});
export type Verification = Infer<typeof verification>;
type Problem = Verification['problems'][number];

export interface VerifyOptions {
  /** The keys by their ids. */
  readonly keys: ReadonlyMap<string, VerifyingKey>;
  /** Heads that the verifier has from elsewhere: the entries that they cover must still exist. */
  readonly held?: readonly SignedHead[];
  readonly progress?: (entries: number) => void;
}

const pageSize = 5000;
const mostProblems = 100;
/** Entries of one commit may be slightly out of the order of their times. */
const clockSlack = 2000;

/** Verifies the whole store; holds one page of entries in memory at a time. */
export async function verifyStore(store: Store, options: VerifyOptions): Promise<Verification> {
  const held = options.held ?? [];
  const [recorded, stored] = await store.read(async (sql) => [
    await sql.all('SELECT chain, size, hash FROM chains ORDER BY chain'),
    await sql.all('SELECT chain, size, root, time, key_id, signature FROM heads ORDER BY chain, size'),
  ]);
  const heads = stored.map(headOf);
  const witnessed = await witnessedHeads(store);
  const problems: Problem[] = [];
  const notes: { chain: string; seq: number; note: string }[] = [];
  const report = (chain: string, seq: number, problem: string) => {
    if (problems.length < mostProblems) problems.push({ chain, seq, problem });
  };
  const unrecorded = await store.read((sql) =>
    sql.all('SELECT DISTINCT chain FROM audit WHERE chain NOT IN (SELECT chain FROM chains)'),
  );
  for (const { chain } of unrecorded) report(String(chain), 1, 'the chain is not on record');
  const names = new Set(
    [...recorded, ...unrecorded, ...heads, ...held, ...witnessed].map(({ chain }) => String(chain)),
  );
  const chains: { chain: string; entries: number; head: string }[] = [];
  let entries = 0;
  for (const chain of [...names].sort()) {
    const signed = [...heads, ...held].filter((head) => head.chain === chain);
    for (const head of signed) checkSignature(head, options.keys, report);
    const expected = [...signed, ...witnessed.filter((head) => head.chain === chain)];
    const end = recorded.find((row) => row['chain'] === chain);
    // Others may append meanwhile: the state at the start is verified.
    const size = end === undefined ? Number.MAX_SAFE_INTEGER : Number(end['size']);
    const walked = await walk(chain, size, expected, (count) => options.progress?.(entries + count));
    entries += walked.count;
    if (end !== undefined && (Number(end['size']) !== walked.last.seq || end['hash'] !== walked.last.hash)) {
      report(
        chain,
        walked.last.seq + 1,
        'entries are missing at the end, or the record of the end was changed',
      );
    }
    chains.push({ chain, entries: walked.count, head: walked.last.hash });
  }
  const beyond = await store.read((sql) =>
    sql.all(
      `SELECT chains.chain, chains.size FROM chains
       WHERE EXISTS (SELECT 1 FROM audit WHERE audit.chain = chains.chain AND audit.seq > chains.size)`,
    ),
  );
  for (const { chain, size } of beyond)
    report(String(chain), Number(size) + 1, 'it stands beyond the end on record');
  for (const { chain, seq } of await unrecordedErasures(store)) {
    report(chain, seq, 'its content was erased, and no record says so');
  }
  return { entries, chains, heads: heads.length, problems, notes };

  /** Reads one chain and compares the tree's root at each head. */
  async function walk(
    chain: string,
    size: number,
    expected: readonly Root[],
    progress: (count: number) => void,
  ) {
    const frontier = new Frontier();
    const open = [...expected].sort((a, b) => a.size - b.size);
    let last = { seq: 0, hash: genesis, time: Number.NEGATIVE_INFINITY };
    let count = 0;
    for (;;) {
      const rows = await store.read((sql) =>
        sql.all(
          'SELECT * FROM audit WHERE chain = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
          ...[chain, last.seq, size, pageSize],
        ),
      );
      for (const row of rows) {
        last = step(chain, row, last);
        frontier.append(leafHash(last.hash));
        count++;
        while (open[0] !== undefined && open[0].size <= frontier.size) {
          const [head] = open.splice(0, 1);
          if (head !== undefined && head.size === frontier.size && head.root !== frontier.rootHex()) {
            report(chain, head.size, 'what lies below a signed head is not what was signed');
          }
        }
      }
      progress(count);
      if (rows.length < pageSize) break;
    }
    for (const head of open) {
      const lost = head.size - frontier.size;
      report(
        chain,
        last.seq + 1,
        `${lost} ${lost === 1 ? 'entry' : 'entries'} that a signed head covers are gone`,
      );
    }
    return { count, last };
  }

  function step(chain: string, row: Row, last: { seq: number; hash: string; time: number }) {
    const seq = Number(row['seq']);
    const stored = String(row['hash']);
    const content = String(row['content']);
    if (seq !== last.seq + 1) {
      const lost = seq - last.seq - 1;
      report(chain, seq, `${lost} ${lost === 1 ? 'entry is' : 'entries are'} missing before it`);
    }
    if (linkHash(chain, seq, last.hash, content) !== stored) {
      report(chain, seq, 'its hash does not follow from its content and the entry before it');
    }
    const mismatch = contentMismatch(row, content);
    if (mismatch !== undefined) report(chain, seq, mismatch);
    const time = Number(row['time']);
    if (time < last.time - clockSlack) notes.push({ chain, seq, note: 'the clock went back before it' });
    return { seq, hash: stored, time };
  }
}

/** The state of a chain at some size. */
interface Root {
  readonly chain: string;
  readonly size: number;
  readonly root: string;
}

/** The heads that chains recorded of each other. */
async function witnessedHeads(store: Store): Promise<readonly Root[]> {
  const rows = await store.read((sql) =>
    sql.all("SELECT body FROM audit WHERE event_type = 'heads_seen' AND body IS NOT NULL"),
  );
  return rows.flatMap(({ body }) => {
    const heads = readQuietly(String(body));
    return Array.isArray(heads) ? heads.filter(isRoot) : [];
  });
}

/** An unreadable entry is reported where the chain is verified. */
function readQuietly(body: string): unknown {
  try {
    const entry = parseJson(body);
    const details = isJsonObject(entry) ? entry['details'] : undefined;
    return isJsonObject(details) ? details['heads'] : undefined;
  } catch {
    return undefined;
  }
}

function isRoot(value: unknown): value is Root {
  if (!isJsonObject(value)) return false;
  return (
    typeof value['chain'] === 'string' &&
    typeof value['size'] === 'number' &&
    typeof value['root'] === 'string'
  );
}

function checkSignature(
  head: SignedHead,
  keys: VerifyOptions['keys'],
  report: (chain: string, seq: number, problem: string) => void,
): void {
  const key = keys.get(head.key);
  if (key === undefined) report(head.chain, head.size, `a head is signed with the unknown key ${head.key}`);
  else if (!verifyHead(head, key.publicKey))
    report(head.chain, head.size, 'the signature of a head does not fit');
  else if (key.signsUntil !== null && head.time > key.signsUntil) {
    report(head.chain, head.size, `a head is signed with the key ${head.key} after that was retired`);
  }
}

/** The columns repeat parts of the content for searching; a difference means that one of them was changed. */
function contentMismatch(row: Row, content: string): string | undefined {
  const { body, salt } = row;
  if (body === null && salt === null) return undefined;
  if (typeof body !== 'string' || typeof salt !== 'string') return 'its content is cut in half';
  if (contentHash(salt, body) !== content) return 'its content is not what was recorded';
  let entry: unknown;
  try {
    entry = parseJson(body);
  } catch {
    return 'its content is not readable';
  }
  if (!isJsonObject(entry)) return 'its content is not an entry';
  const pairs = [
    ['time', 'time'],
    ['event_type', 'event_type'],
    ['user_id', 'user'],
    ['tenant', 'tenant'],
    ['agent', 'agent'],
    ['decision_id', 'decision_id'],
    ['decision', 'decision'],
  ] as const;
  const { details } = entry;
  if (isJsonObject(details) && row['rules'] !== rulesOf({ details })) {
    return 'its column rules is not what its content says';
  }
  for (const [column, member] of pairs) {
    if ((row[column] ?? undefined) !== entry[member])
      return `its column ${column} is not what its content says`;
  }
  return undefined;
}

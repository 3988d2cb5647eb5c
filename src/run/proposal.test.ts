// Proposed changes from proposal to receipt, through the real path, on a real disk and both engines.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { engines, impostor, newStore, person, temporaryFolder } from '../../tests/support/ledger.ts';
import { configOf, settingsFrom } from '../config/index.ts';
import { readPatch } from '../core/diff.ts';
import { InputError, type JsonObject, type Mode, type Symbols } from '../core/index.ts';
import { createDecider, parseModules, realWorld } from '../decide/index.ts';
import { createEgress } from '../guards/egress/index.ts';
import {
  ChangeEnded,
  type ChangeSet,
  type Ledger,
  NotVouchedFor,
  type ProposedChange,
  type Signer,
} from '../ledger/index.ts';
import { Conflict, Snapshots, UnknownSnapshot } from '../ledger/snapshots/index.ts';
import { SymbolStore } from '../ledger/symbols/index.ts';
import type { Edit } from './outcomes.ts';
import { type ProposeOptions, proposeChanges } from './proposal.ts';
import { applyChange, decideChange, ResultChanged, rejectChange, resultOf, type Which } from './review.ts';
import { rollBack } from './rollback.ts';
import { viewOf } from './view.ts';

let folder: string;
let workspace: string;
let ledger: Ledger;

const numbers = Array.from({ length: 50 }, (_, index) => `${index + 1}\n`);
const three = numbers.map((line) => (['5\n', '25\n', '45\n'].includes(line) ? `x${line}` : line)).join('');

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  workspace = join(folder, 'work');
  mkdirSync(workspace);
  put('n.txt', numbers.join(''));
});

const read = (path: string) => readFileSync(join(workspace, path), 'utf8');
function put(path: string, text: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

interface Case {
  readonly autonomy?: 'autonomous';
  readonly agent?: JsonObject;
  readonly changes?: JsonObject;
  readonly mode?: Mode;
  readonly symbols?: Symbols;
  readonly session?: string;
}

function options({
  autonomy,
  agent = {},
  changes = {},
  mode = 'auto',
  symbols,
  session = 'run-1',
}: Case = {}): ProposeOptions {
  const world = { ...realWorld(), ...(symbols === undefined ? {} : { symbols }) };
  const found = settingsFrom(agent, { changes });
  const settings = autonomy === undefined ? found : { ...found, autonomy };
  const egress = createEgress({ workspace });
  const config = configOf(() => settings);
  return {
    decider: createDecider({ config, ledger, world }),
    snapshots: new Snapshots({
      store: join(folder, 'store'),
      workspace,
      personHome: '/home/ann',
      now: Date.now,
    }),
    ledger,
    settings,
    limits: config.changes,
    context: { user: 'ann', tenant: 'acme', agent: 'coder', session, workspace, mode },
    redact: (text) => egress.text(text),
    now: Date.now,
  };
}

async function staged(
  edits: readonly Edit[],
  more: ProposeOptions,
): Promise<ProposedChange & { set: ChangeSet }> {
  const proposal = await proposeChanges(edits, more);
  if (proposal.outcome !== 'staged' || proposal.change.set === null) throw new Error(proposal.outcome);
  return { ...proposal.change, set: proposal.change.set };
}

const whole = (path: string, content: string): Edit => ({ op: 'whole', path, content });
const review = () => ({ ledger, by: 'olga', reader: {}, now: Date.now });
const accept = (id: string, which: Which) => decideChange(id, which, 'accept', review());

async function apply(id: string, more: ProposeOptions, seen?: string, signer: Signer = person) {
  const { set } = await ledger.changes.show(id, {}, Date.now());
  const hash = seen ?? (set === null ? '' : resultOf(set, more.snapshots, more.settings.changes).hash) ?? '';
  return await applyChange(id, hash, { ...review(), signerFor: async () => signer }, async () => more);
}

describe.each(engines)('a proposed change on %s', (engine) => {
  beforeEach(async () => {
    ledger = await (await newStore(engine)).openEnrolled();
  });

  it('that is proposed twice waits once, and once applied is no change any more', async () => {
    const given = options();
    const first = await staged([whole('n.txt', three)], given);
    await accept(first.id, { all: true });
    const second = await staged([whole('n.txt', three)], options({ session: 'run-2' }));
    expect(second.id).toBe(first.id);
    expect(await ledger.changes.list({}, Date.now())).toHaveLength(1);
    expect((await apply(first.id, given)).state).toBe('applied');
    expect(read('n.txt')).toBe(three);
    await expect(staged([whole('n.txt', three)], given)).rejects.toThrow('leaves every file as it is');
  });

  it('of three hunks, two accepted: those two are written, and taken back with the run', async () => {
    const given = options();
    const change = await staged([whole('n.txt', three)], given);
    expect(read('n.txt')).toBe(numbers.join(''));
    expect(change.set.files).toMatchObject([
      { path: 'n.txt', op: 'edit', hunks: [{ number: 1 }, { number: 2 }, { number: 3 }] },
    ]);
    await accept(change.id, { hunks: [1, 3] });
    const { state, receipt, snapshot } = await apply(change.id, given);
    expect(state).toBe('applied');
    expect(read('n.txt')).toBe(three.replace('x25', '25'));
    expect(receipt).toMatchObject({
      action: 'apply',
      applied: true,
      run_id: 'run-1',
      snapshot_id: snapshot?.id,
      guards: { write: 'pass', hallucination: 'pass', egress: 'pass' },
      diffs: [{ hunks: [expect.stringContaining('+x5'), expect.stringContaining('+x45')] }],
    });
    expect(await ledger.changes.show(change.id, {}, Date.now())).toMatchObject({
      ...{ state: 'applied', set: null, receipt: receipt.receipt_id },
    });
    await expect(apply(change.id, given)).rejects.toThrow(ChangeEnded);
    for (const reader of [{ tenant: 'other' }, { user: 'bob' }, { agent: 'x' }]) {
      expect(await rollBack({ run: 'run-1' }, given, reader)).toEqual({ undone: [] });
      const one = rollBack({ snapshot: snapshot?.id ?? '' }, given, reader);
      await expect(one).rejects.toThrow(UnknownSnapshot);
    }
    const { undone } = await rollBack({ run: 'run-1' }, given, { tenant: 'acme', user: 'ann' });
    expect(undone).toMatchObject([{ snapshot: snapshot?.id, files: 1 }]);
    expect(read('n.txt')).toBe(numbers.join(''));
    expect(await ledger.verifyReceipts()).toEqual({ valid: true, receipts: 2, mismatch: [] });
  });

  it('of every form is decided about file by file', async () => {
    put('old.txt', 'a\nb\n');
    put('gone.txt', 'x\n');
    put('run.sh', 'echo\n');
    const given = options();
    const edits: readonly Edit[] = [
      ...readPatch('--- a/n.txt\n+++ b/n.txt\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n'),
      { op: 'replace', path: 'n.txt', pairs: [{ old: '50\n', new: 'fifty\n' }] },
      { op: 'whole', path: 'made.sh', content: 'echo made\n', executable: true },
      ...readPatch(
        'diff --git a/old.txt b/new.txt\nrename from old.txt\nrename to new.txt\n--- a/old.txt\n+++ b/new.txt\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
      ),
      { op: 'delete', path: 'gone.txt', hunks: [] },
      { op: 'edit', path: 'run.sh', hunks: [], executable: true },
    ];
    const { id, set } = await staged(edits, given);
    expect(set.files.map(({ path, to, op, hunks }) => [path, to, op, hunks.map(({ kind }) => kind)])).toEqual(
      [
        ['n.txt', null, 'edit', ['lines', 'lines']],
        ['made.sh', null, 'create', ['create']],
        ['old.txt', 'new.txt', 'rename', ['rename']],
        ['gone.txt', null, 'delete', ['delete']],
        ['run.sh', null, 'edit', ['mode']],
      ],
    );
    expect(set.files.flatMap(({ hunks }) => hunks.map(({ number }) => number))).toEqual([1, 2, 3, 4, 5, 6]);
    await expect(accept(id, { files: ['what.txt'] })).rejects.toThrow(InputError);
    await accept(id, { all: true });
    await decideChange(id, { files: ['gone.txt'] }, 'reject', review());
    await apply(id, given);
    expect(read('n.txt')).toBe(numbers.join('').replace('1\n', 'one\n').replace('50\n', 'fifty\n'));
    expect(read('new.txt')).toBe('A\nb\n');
    expect([existsSync(join(workspace, 'old.txt')), read('gone.txt')]).toEqual([false, 'x\n']);
    const runs = (path: string) => (statSync(join(workspace, path)).mode & 0o111) !== 0;
    expect([runs('made.sh'), runs('run.sh'), runs('n.txt')]).toEqual([true, true, false]);
    await rollBack({ last: true }, given, {});
    expect([read('old.txt'), runs('run.sh'), existsSync(join(workspace, 'made.sh'))]).toEqual([
      'a\nb\n',
      false,
      false,
    ]);
  });

  it('that is rejected, or of which nothing is accepted, is written nowhere and has its receipt', async () => {
    const given = options();
    for (const end of [
      async (id: string) => await rejectChange(id, review(), async () => given),
      async (id: string) => await apply(id, given),
    ]) {
      const { id } = await staged([whole('n.txt', three)], given);
      const { state, receipt } = await end(id);
      expect(state).toBe('rejected');
      expect(receipt).toMatchObject({ action: 'reject', applied: false, snapshot_id: null });
      expect(await ledger.changes.show(id, {}, Date.now())).toMatchObject({ state: 'rejected', set: null });
    }
    expect(read('n.txt')).toBe(numbers.join(''));
  });
});

describe('a proposed change', () => {
  beforeEach(async () => {
    ledger = await (await newStore('sqlite')).openEnrolled();
  });

  it('writes what nobody decided about only where the settings say so', async () => {
    const given = options({ changes: { undecided: 'accept' } });
    const { id } = await staged([whole('n.txt', three)], given);
    await decideChange(id, { hunks: [2] }, 'reject', review());
    await apply(id, given);
    expect(read('n.txt')).toBe(three.replace('x25', '25'));
  });

  it.each([
    ['was edited', () => put('n.txt', 'by somebody else\n')],
    ['was deleted', () => rmSync(join(workspace, 'n.txt'))],
    ['got other permissions', () => chmodSync(join(workspace, 'n.txt'), 0o600)],
    [
      'became a link',
      () => {
        rmSync(join(workspace, 'n.txt'));
        symlinkSync('/etc/hostname', join(workspace, 'n.txt'));
      },
    ],
  ])('is stale once its file %s, and waits on', async (_, happens) => {
    const given = options();
    const { id, set } = await staged([whole('n.txt', three), whole('b.txt', 'b\n')], given);
    await accept(id, { all: true });
    happens();
    expect(resultOf(set, given.snapshots, { undecided: 'accept' })).toMatchObject({
      hash: null,
      stale: ['n.txt'],
    });
    await expect(apply(id, given)).rejects.toThrow(Conflict);
    expect(existsSync(join(workspace, 'b.txt'))).toBe(false);
    expect((await ledger.changes.show(id, {}, Date.now())).state).toBe('staged');
    await decideChange(id, { files: ['n.txt'] }, 'reject', review());
    expect((await apply(id, given)).state).toBe('applied');
    expect(read('b.txt')).toBe('b\n');
  });

  it('whose new file is there by now is stale', async () => {
    put('old.txt', 'a\n');
    const given = options();
    const rename: Edit = { op: 'rename', path: 'old.txt', to: 'to.txt', hunks: [] };
    const ways = [
      [whole('made.txt', 'mine\n'), 'made.txt'],
      [rename, 'to.txt'],
    ] as const;
    for (const [edit, path] of ways) {
      const { id, set } = await staged([edit], given);
      await accept(id, { all: true });
      put(path, 'yours\n');
      expect(resultOf(set, given.snapshots, { undecided: 'accept' }).stale).toHaveLength(1);
      await expect(apply(id, given)).rejects.toThrow(Conflict);
    }
    expect([read('made.txt'), read('to.txt')]).toEqual(['yours\n', 'yours\n']);
  });

  it('is bound to the bytes that the person saw', async () => {
    const given = options();
    const { id } = await staged([whole('n.txt', three)], given);
    const one = await accept(id, { hunks: [1] });
    const seen = resultOf(one.set!, given.snapshots, given.settings.changes).hash ?? '';
    await accept(id, { hunks: [2] });
    await expect(apply(id, given, seen)).rejects.toThrow(ResultChanged);
    expect(read('n.txt')).toBe(numbers.join(''));
    await decideChange(id, { hunks: [2] }, 'reject', review());
    expect((await apply(id, given, seen)).state).toBe('applied');
  });

  it('that a guard refuses does not wait: it leaves a receipt, and the agent is told', async () => {
    const given = options();
    const edits = [whole('n.txt', three), whole('.git/hooks/pre-commit', 'evil')];
    expect(await proposeChanges(edits, given)).toMatchObject({
      outcome: 'refused',
      verdict: { decision: 'block' },
      receipt: { action: 'reject', applied: false, guards: { write: 'fail' } },
    });
    expect(await ledger.changes.list({}, Date.now())).toEqual([]);
  });

  it('that would change nothing is told so', async () => {
    await expect(proposeChanges([whole('n.txt', numbers.join(''))], options())).rejects.toThrow('as it is');
  });

  it('has chips for each file, and asks no second question', async () => {
    const symbols = new SymbolStore({ store: null, reader: parseModules });
    put('price.ts', 'export const total = 1;\n');
    await symbols.index(workspace);
    const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    const given = options({ symbols });
    const edits = [
      whole('a.ts', "import { totals } from './price.ts';\nexport const a = totals;\n"),
      whole('b.txt', 'plain\n'),
      whole('package.json', '{}\n'),
      whole('c.ts', `export const key = '${token}';\n`),
    ];
    const change = await staged(edits, given);
    expect(change.set.files.map(({ path, guards }) => [path, guards])).toEqual([
      ['a.ts', { write: 'pass', hallucination: 'warn', egress: 'pass' }],
      ['b.txt', { write: 'pass', hallucination: 'pass', egress: 'pass' }],
      ['package.json', { write: 'warn', hallucination: 'pass', egress: 'pass' }],
      ['c.ts', { write: 'warn', hallucination: 'pass', egress: 'warn' }],
    ]);
    expect(change.set.missing).toEqual([{ path: 'a.ts', name: 'totals', line: 1, near: ['total'] }]);
    const about = change.set.findings.map(({ guard, path }) => [guard, path]);
    expect(about).toEqual(
      expect.arrayContaining([
        ['symbols', 'a.ts'],
        ['write', 'package.json'],
        ['write', 'c.ts'],
      ]),
    );
    expect(await ledger.approvals.pending({}, Date.now())).toEqual([]);
    const view = viewOf(change, change.set, given);
    expect(JSON.stringify(view)).not.toContain(token);
    expect(Object.values(view.redactions)).toEqual([1]);
    expect(view.files.map(({ redactions }) => Object.values(redactions))).toEqual([[], [], [], [1]]);
  });

  it.each([
    ['a manifest', {}, 'package.json'],
    ['anything, where a person looks at every change', { agent: { autonomy: 'hybrid' } }, 'x.txt'],
  ] as const)('that the path asks about, %s, is answered by the same yes, once', async (_, given, path) => {
    const more = options(given);
    const { id } = await staged([whole(path, '{}\n')], more);
    await accept(id, { all: true });
    await expect(apply(id, more, undefined, impostor)).rejects.toThrow(NotVouchedFor);
    expect(existsSync(join(workspace, path))).toBe(false);
    expect(await ledger.approvals.pending({}, Date.now())).toEqual([]);
    const { receipt } = await apply(id, more);
    expect([read(path), receipt.applied]).toEqual(['{}\n', true]);
    const used = await ledger.audit.list({ eventType: 'approval_used' });
    expect(used).toHaveLength(1);
    expect(receipt.guards.write).toBe(path === 'x.txt' ? 'pass' : 'warn');
  });

  it('that is only suggested is never written, and its receipt says so', async () => {
    for (const more of [options({ changes: { suggest_only: true } }), { ...options(), suggest: true }]) {
      const { id, set } = await staged([whole('n.txt', three)], more);
      expect(set.suggest).toBe(true);
      await accept(id, { all: true });
      expect((await apply(id, more)).receipt).toMatchObject({
        ...{ action: 'apply', applied: false, snapshot_id: null },
      });
    }
    expect(read('n.txt')).toBe(numbers.join(''));
  });

  it('waits again where writing fails', async () => {
    const given = options();
    const { id } = await staged([whole('n.txt', three)], given);
    await accept(id, { all: true });
    const { decider } = given;
    const late = {
      ...given,
      decider: {
        ...decider,
        decide: async (...parts: Parameters<typeof decider.decide>) => {
          const decided = await decider.decide(...parts);
          put('n.txt', 'by somebody else\n');
          return decided;
        },
      },
    } as ProposeOptions;
    await expect(apply(id, late)).rejects.toThrow(Conflict);
    expect((await ledger.changes.show(id, {}, Date.now())).state).toBe('staged');
    put('n.txt', numbers.join(''));
    expect((await apply(id, given)).state).toBe('applied');
  });
});

describe('autonomy', () => {
  beforeEach(async () => {
    ledger = await (await newStore('sqlite')).openEnrolled();
  });

  it('manual refuses with words, and a receipt', async () => {
    const given = options({ agent: { autonomy: 'manual' } });
    const proposal = await proposeChanges([whole('a.txt', 'a\n')], given);
    expect(proposal).toMatchObject({
      outcome: 'refused',
      verdict: { findings: [{ rule: 'autonomy_manual', suggestion: expect.any(String) }] },
      receipt: { action: 'reject', guards: { write: 'fail' } },
    });
  });

  it.each([
    ['manual', 'block', 'autonomy_manual'],
    ['hybrid', 'approve', 'autonomy_review'],
  ] as const)('%s counts for the tools of a host too, in whatever mode', async (autonomy, decision, rule) => {
    const { decider, context } = options({ agent: { autonomy }, mode: 'auto' });
    const write = { file_path: join(workspace, 'a.txt'), content: 'a\n' };
    const call = { kind: 'tool', tool: 'Write', server: 'host:claude', arguments: write } as const;
    const { verdict } = await decider.decide(call, context);
    expect([verdict.decision, verdict.findings.map((finding) => finding.rule)]).toEqual([decision, [rule]]);
    const free = options({ mode: 'auto' });
    expect((await free.decider.decide(call, free.context)).verdict.decision).toBe('pass');
  });

  it('autonomous applies what every guard passes, and counts it', async () => {
    const given = options({ autonomy: 'autonomous', changes: { run_files: 2 } });
    const first = await proposeChanges([whole('a.txt', 'a\n'), whole('b.txt', 'b\n')], given);
    expect(first).toMatchObject({ outcome: 'applied', receipt: { applied: true } });
    expect([read('a.txt'), read('b.txt')]).toEqual(['a\n', 'b\n']);
    const third = await staged([whole('c.txt', 'c\n')], given);
    expect(third.set.reason).toBe('the budget of a run is 2 files, and with this it would be 3');
    expect(existsSync(join(workspace, 'c.txt'))).toBe(false);
    const other = options({
      autonomy: 'autonomous',
      changes: { run_files: 2, day_files: 3 },
      session: 'run-2',
    });
    expect(await proposeChanges([whole('c.txt', 'c\n')], other)).toMatchObject({ outcome: 'applied' });
    expect((await staged([whole('d.txt', 'd\n')], other)).set.reason).toContain('the budget of a day');
  });

  it('autonomous counts bytes and what the model cost', async () => {
    const bytes = options({ autonomy: 'autonomous', changes: { run_bytes: 3 } });
    expect((await staged([whole('a.txt', 'four')], bytes)).set.reason).toContain('3 bytes');
    const cents = { ...options({ autonomy: 'autonomous' }), cost: { usd: 6, tokens_in: 1, tokens_out: 1 } };
    expect((await staged([whole('a.txt', 'a')], cents)).set.reason).toContain('500 cents');
  });

  it('takes no warning for a pass', async () => {
    const symbols = new SymbolStore({ store: null, reader: parseModules });
    put('price.ts', 'export const total = 1;\n');
    await symbols.index(workspace);
    const given = options({ autonomy: 'autonomous', symbols });
    const long = whole('long.txt', `${'word '.repeat(20_000)}\n/home/somebody/notes.txt\n`);
    expect((await staged([long], given)).set.reason).toBe('a guard warns: egress');
    const unknown = options({
      autonomy: 'autonomous',
      symbols: { of: async () => null, lists: async () => null },
    });
    expect((await staged([whole('b.ts', 'export const b = 1;\n')], unknown)).set.reason).toContain(
      'looked up',
    );
    const missing = whole('a.ts', "import { totals } from './price.ts';\nexport const a = totals;\n");
    expect((await staged([missing], given)).set.reason).toBe('a guard warns: hallucination');
    expect((await staged([whole('package.json', '{}\n')], given)).set.reason).toContain('a guard asks');
    expect(existsSync(join(workspace, 'a.ts'))).toBe(false);
  });

  it('gives the budget back where the file changed meanwhile', async () => {
    const given = options({ autonomy: 'autonomous', changes: { run_files: 1 } });
    const { decider } = given;
    const late = {
      ...given,
      decider: {
        ...decider,
        decide: async (...parts: Parameters<typeof decider.decide>) => {
          const decided = await decider.decide(...parts);
          put('n.txt', 'by somebody else\n');
          return decided;
        },
      },
    } as ProposeOptions;
    await expect(proposeChanges([whole('n.txt', three)], late)).rejects.toThrow(Conflict);
    expect(read('n.txt')).toBe('by somebody else\n');
    expect(await proposeChanges([whole('n.txt', three)], given)).toMatchObject({ outcome: 'applied' });
  });
});

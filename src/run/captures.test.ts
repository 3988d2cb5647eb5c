import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestLedger, temporaryFolder } from '../../tests/support/ledger.ts';
import { configOf, settingsFrom } from '../config/index.ts';
import type { Action, Context, Facts } from '../core/index.ts';
import { type Decided, realWorld } from '../decide/index.ts';
import { atOnce, Snapshots } from '../ledger/snapshots/index.ts';
import { type CallMoment, CaptureFailed, Captures, reachOf } from './captures.ts';

type Part = Decided['parts'][number];

const part = (action: Action, facts: Facts = {}, pointer = '/arguments/x'): Part => ({
  pointer,
  action,
  facts,
  sideEffect: true,
});
const tool = (effect: string, pointer = ''): Part =>
  part({ kind: 'tool', tool: 't', arguments: {} }, { effect }, pointer);
const reading = { reads_only: true };

describe('what a call may change', () => {
  it.each<[string, readonly Part[], ReturnType<typeof reachOf>]>([
    [
      'a file outside the workspace, which no snapshot holds',
      [
        tool('write'),
        part({ kind: 'write', path: '/home/ann/other/a.txt', content: 'a' }),
        part({ kind: 'write', path: '~/a.txt', content: 'a' }),
      ],
      { files: [], opaque: null },
    ],
    ['a read', [tool('read'), part({ kind: 'read', path: 'a' })], { files: [], opaque: null }],
    ['notes of its own', [tool('own')], { files: [], opaque: null }],
    [
      'a whole file',
      [tool('write'), part({ kind: 'write', path: './a//b', content: '' })],
      { files: ['a/b'], opaque: null },
    ],
    [
      'a patch',
      [
        tool('write'),
        part({
          kind: 'write',
          changes: [
            { op: 'edit', path: 'a' },
            { op: 'rename', path: 'b', to: 'c' },
          ],
        }),
      ],
      { files: ['a', 'b', 'c'], opaque: null },
    ],
    ['a write of nobody knows what', [tool('write')], { files: [], opaque: 'tool' }],
    [
      'a command that only reads',
      [tool('shell'), part({ kind: 'shell', command: 'cat a | head' }, reading)],
      { files: [], opaque: null },
    ],
    ['a command', [tool('shell'), part({ kind: 'shell', command: 'make' })], { files: [], opaque: 'shell' }],
    ['a program', [tool('python'), part({ kind: 'python', source: '1' })], { files: [], opaque: 'shell' }],
    ['code', [tool('code'), part({ kind: 'code', source: '1' })], { files: [], opaque: 'tool' }],
    ['a request', [tool('fetch'), part({ kind: 'fetch', url: 'https://a' })], { files: [], opaque: null }],
    ['a tool that nobody knows', [tool('destructive')], { files: [], opaque: 'tool' }],
    ['a tool without an effect', [part({ kind: 'tool', tool: 't' }, {}, '')], { files: [], opaque: 'tool' }],
    [
      'calls of others',
      [
        tool('calls'),
        tool('write', '/arguments/0'),
        part({ kind: 'write', path: 'a', content: '' }, {}, '/arguments/0/arguments/p'),
        tool('message', '/arguments/1'),
      ],
      { files: ['a'], opaque: 'tool' },
    ],
  ])('%s', (_, parts, reach) => {
    expect(reachOf(parts)).toEqual(reach);
  });
});

async function prepared() {
  const folder = realpathSync(temporaryFolder());
  const workspace = join(folder, 'work');
  const store = join(folder, 'store');
  mkdirSync(workspace);
  mkdirSync(store);
  const ledger = await openTestLedger();
  const reported: string[] = [];
  const settings = settingsFrom({});
  const config = configOf(() => settings);
  const world = realWorld();
  const made = (more: object = {}) =>
    new Captures({
      store,
      personHome: '/home/nobody',
      config,
      ledger,
      world,
      report: (event) => reported.push(event),
      ...more,
    });
  const context: Context = {
    user: 'ann',
    tenant: 'acme',
    agent: 'gemini',
    session: 's1',
    workspace,
    mode: 'auto',
  };
  const put = (name: string, text: string) => writeFileSync(join(workspace, name), text);
  const receipts = async () =>
    (await ledger.receipts.list()).receipts.map(({ run_id, files }) => [
      run_id,
      files.map(({ path }) => path),
    ]);
  return { folder, workspace, store, made, context, put, receipts, reported, ledger };
}

const moment = (tool: string, input: object, call?: string): CallMoment => ({
  tool,
  arguments: input as CallMoment['arguments'],
  ...(call === undefined ? {} : { call }),
});
const decided = (...parts: readonly Part[]): Decided => ({
  verdict: {
    decision: 'pass',
    explanation: '',
    approval: null,
    decisionId: 'd1',
    action: { kind: 'tool', tool: 't' },
    findings: [{ rule: 'r', guard: 'symbols', decision: 'warn', message: 'm' }],
  },
  facts: {},
  parts,
  cleared: null,
});
const command = decided(tool('shell'), part({ kind: 'shell', command: 'make' }));
const write = (path: string, content = '1') => decided(tool('write'), part({ kind: 'write', path, content }));

describe('captures', () => {
  it('know a call’s end by its id, else by its arguments, else by its tool', async () => {
    const { made, context, put, receipts } = await prepared();
    const captures = made();
    const named = moment('Bash', { command: 'make' }, 'id-1');
    await captures.begin(named, context, command);
    await captures.end(moment('Bash', { command: 'make' }, 'id-2'), context);
    put('a', '1');
    await captures.end({ ...named, arguments: {} }, context);
    expect(await receipts()).toEqual([['s1', ['a']]]);
    const [one, two] = [moment('Edit', { n: 1 }), moment('Edit', { n: 2 })];
    await captures.begin(one, context, write('b'));
    await captures.begin(two, context, write('c'));
    put('b', '1');
    put('c', '1');
    await captures.end(two, context);
    expect((await receipts())[0]).toEqual(['s1', ['c']]);
    await captures.end(moment('Edit', { other: true }), context);
    expect((await receipts())[0]).toEqual(['s1', ['b']]);
  });

  it('say in the receipt what the guards said, and what of references', async () => {
    const { made, context, put, ledger } = await prepared();
    const captures = made();
    const missing = [{ path: 'a', name: 'y', line: 1 }];
    const judged = decided(
      tool('write'),
      part({ kind: 'write', path: 'a', content: '' }, { symbols_checked: 6, missing_references: missing }),
    );
    await captures.begin(moment('Write', {}), context, judged);
    put('a', 'import y');
    await captures.end(moment('Write', {}), context);
    const [receipt] = (await ledger.receipts.list()).receipts;
    expect(receipt).toMatchObject({
      applied: true,
      action: 'apply',
      user_id: 'ann',
      symbols_checked: 6,
      missing_references: missing,
      guards: { write: 'pass', hallucination: 'warn', egress: 'pass' },
      snapshot_id: expect.any(String),
    });
  });

  it('say that a file which is no text was not searched for secrets', async () => {
    const { made, context, put, ledger } = await prepared();
    const captures = made();
    await captures.begin(
      moment('Bash', {}),
      context,
      decided(tool('make'), part({ kind: 'shell', command: 'make' })),
    );
    put('made.bin', 'a\0b');
    await captures.end(moment('Bash', {}), context);
    const [receipt] = (await ledger.receipts.list()).receipts;
    expect(receipt?.guards.egress).toBe('unchecked');
  });

  it('end every call of a session, and of no other', async () => {
    const { made, context, put, receipts } = await prepared();
    const captures = made();
    const other = { ...context, session: 's2' };
    await captures.begin(moment('Write', {}), context, write('a'));
    await captures.begin(moment('Write', {}), other, write('b'));
    put('a', '1');
    put('b', '1');
    await captures.endAll(context);
    expect(await receipts()).toEqual([['s1', ['a']]]);
  });

  it('write a call down that the host never ended when the session writes again', async () => {
    const { made, context, put, receipts } = await prepared();
    const captures = made();
    await captures.begin(moment('Write', { n: 1 }), context, write('a'));
    put('a', '1');
    await captures.begin(moment('Write', { n: 2 }), context, write('b'));
    expect(await receipts()).toEqual([['s1', ['a']]]);
  });

  it('lay what a person wrote to no call that the host never ended', async () => {
    const { made, context, put, receipts } = await prepared();
    const captures = made();
    await captures.begin(moment('Write', {}), context, write('a', 'of the agent'));
    put('a', 'of the person');
    await captures.endAll(context);
    await captures.begin({ ...moment('Bash', { command: 'make' }), parent: null }, context, command);
    put('b', 'of the person');
    await captures.endAll(context);
    expect(await receipts()).toEqual([]);
    expect(captures.snapshotsOf(context.workspace).list()).toEqual([]);
  });

  it('let no write go that cannot be kept', async () => {
    const { made, context, folder, workspace } = await prepared();
    mkdirSync(join(workspace, 'folder'));
    await expect(made().begin(moment('Write', {}), context, write('folder'))).rejects.toThrow(CaptureFailed);
    const full = made({ store: join(workspace, 'inside') });
    await expect(full.begin(moment('Write', {}), context, write('a'))).rejects.toThrow(
      'inside the workspace',
    );
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    const broken = made({ store: blocked });
    await expect(broken.begin(moment('Write', {}), context, write('a'))).rejects.toThrow(
      'cannot be kept, so it could not be undone: an error of ours',
    );
  });

  it('leave a receipt of a write that was blocked, without what it would have written', async () => {
    const { made, context, ledger, reported } = await prepared();
    const blocked = write('../../home/ann/.bashrc');
    const findings = [{ rule: 'r', guard: 'write', decision: 'block', message: 'm' }] as const;
    const refused: Decided = {
      ...blocked,
      verdict: { ...blocked.verdict, decision: 'block', findings },
    };
    const captures = made();
    await captures.refuse(moment('Write', {}), context, refused);
    await captures.refuse(moment('Bash', {}), context, command);
    const { receipts } = await ledger.receipts.list();
    expect(receipts).toMatchObject([
      {
        action: 'reject',
        applied: false,
        snapshot_id: null,
        diffs: [{ hunks: [] }],
        guards: { write: 'fail' },
      },
    ]);
    const lost = {
      ...ledger,
      fingerprint: () => 'w',
      newId: () => 'i',
      receipts: { add: () => Promise.reject(new Error('full')) },
    };
    await made({ ledger: lost }).refuse(moment('Write', {}), context, refused);
    expect(reported).toEqual(['receipt_failed']);
  });

  it('say of a command that it cannot be undone where it cannot', async () => {
    const { made, context, put, reported, folder } = await prepared();
    put('a', 'x'.repeat(2000));
    const settings = settingsFrom({});
    const small = made({
      config: { settingsFor: () => settings, snapshots: { keepDays: 30, maxBytes: 1000 } },
    });
    expect(small.covers(context.workspace)).toBe(true);
    expect(await small.begin(moment('Bash', {}), context, command)).toMatchObject({ complete: false });
    expect(small.covers(context.workspace)).toBe(false);
    const home = made({ personHome: context.workspace });
    expect(await home.begin(moment('Bash', {}), context, command)).toMatchObject({ complete: false });
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    const broken = made({ store: blocked });
    expect(await broken.begin(moment('Bash', {}), context, command)).toMatchObject({ complete: false });
    expect(reported).toEqual(['snapshot_failed', 'snapshot_failed']);
    expect(await broken.begin(moment('Read', {}), context, decided(tool('read')))).toMatchObject({
      complete: true,
    });
  });

  it('end in a round what a daemon left that died, and drop what is too old', async () => {
    const { made, context, put, receipts, workspace, store, reported } = await prepared();
    const snapshots = new Snapshots({ store, workspace, personHome: '/home/nobody', now: () => 5 });
    const cause = {
      action: 'tool',
      user: 'ann',
      tenant: 'acme',
      agent: 'a',
      run: 's9',
      decisionId: 'd',
    } as const;
    put('a', '1');
    const { id } = atOnce(snapshots.before(cause));
    put('a', '2');
    const file = join(store, readdirSync(store)[0] ?? '', `${id}.pending`);
    const pending = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...pending, maker: { pid: 1, born: 'never' } }));
    mkdirSync(join(store, 'other'));
    writeFileSync(join(store, 'other', 'workspace'), '/');
    const captures = made();
    captures.start();
    await captures.stop();
    expect(await receipts()).toEqual([['s9', ['a']]]);
    expect(snapshots.list()).toHaveLength(1);
    const old = Date.now() + 31 * 86_400_000;
    const later = made({ world: { ...realWorld(), now: () => old } });
    later.start();
    await later.stop();
    expect(snapshots.list()).toEqual([]);
    // One invalid workspace does not exclude any other from its maintenance round.
    expect(reported).toEqual(['snapshots_failed', 'snapshots_failed']);
    const nowhere = made({ store: join(store, 'nowhere') });
    nowhere.start();
    await nowhere.stop();
    expect(reported).toHaveLength(3);
    await made().begin(moment('Write', {}), context, write('b'));
    rmSync(workspace, { recursive: true });
  });

  it('report what fails behind a call, and leave it for the next round', async () => {
    const { made, context, put, receipts, reported, ledger } = await prepared();
    const failing = {
      ...ledger,
      newId: ledger.newId,
      fingerprint: () => 'w',
      receipts: { add: () => Promise.reject(new Error('full')) },
    };
    const captures = made({ ledger: failing });
    await captures.begin(moment('Write', {}), context, write('a'));
    put('a', '1');
    await captures.end(moment('Write', {}), context);
    expect(reported).toEqual(['snapshot_failed']);
    const next = made();
    next.start();
    await next.stop();
    expect(await receipts()).toEqual([['s1', ['a']]]);
  });
});

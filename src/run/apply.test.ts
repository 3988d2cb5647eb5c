// Change sets from patch to receipt and back, through the real path, on a real disk and a real ledger.

import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newStore } from '../../tests/support/ledger.ts';
import { configOf, settingsFrom } from '../config/index.ts';
import { readPatch } from '../core/diff.ts';
import { InputError, type Mode, type Symbols } from '../core/index.ts';
import { createDecider, parseModules, realWorld } from '../decide/index.ts';
import { createEgress } from '../guards/egress/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { Conflict, Snapshots } from '../ledger/snapshots/index.ts';
import { SymbolStore } from '../ledger/symbols/index.ts';
import { type ApplyOptions, applyChanges, takeBack } from './apply.ts';
import type { Edit } from './outcomes.ts';

let folder: string;
let workspace: string;
let ledger: Ledger;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-apply-')));
  workspace = join(folder, 'work');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  writeFileSync(join(workspace, 'src/a.ts'), 'one\ntwo\nthree\n');
  ledger = await (await newStore('sqlite')).open();
});

afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

function options(mode: Mode = 'auto', symbols?: Symbols): ApplyOptions {
  const world = { ...realWorld(), ...(symbols === undefined ? {} : { symbols }) };
  const settings = settingsFrom({});
  const egress = createEgress({ workspace });
  return {
    decider: createDecider({
      config: configOf(() => settings),
      ledger,
      world,
    }),
    snapshots: new Snapshots({
      store: join(folder, 'store'),
      workspace,
      personHome: '/home/ann',
      now: Date.now,
    }),
    ledger,
    context: { user: 'ann', tenant: 'acme', agent: 'coder', session: 'run-1', workspace, mode },
    redact: (text) => egress.text(text),
    now: Date.now,
  };
}

const read = (path: string) => readFileSync(join(workspace, path), 'utf8');
const patch = (text: string): readonly Edit[] => readPatch(text);

describe('the receipt of a change', () => {
  it('says what was looked up and what is missing', async () => {
    const symbols = new SymbolStore({ store: null, reader: parseModules });
    writeFileSync(join(workspace, 'src/price.ts'), 'export const total = 1;\n');
    await symbols.index(workspace);
    const content = "import { total, totals } from './price.ts';\nexport const a = total;\n";
    const edits: readonly Edit[] = [{ op: 'whole', path: 'src/new.ts', content }];
    const { verdict, receipt } = await applyChanges(edits, options('auto', symbols));
    expect(verdict.decision).toBe('pass');
    expect(receipt).toMatchObject({
      applied: true,
      symbols_checked: 3,
      missing_references: [{ path: 'src/new.ts', name: 'totals', line: 1 }],
      guards: { write: 'pass', hallucination: 'warn' },
    });
    const without = await applyChanges([{ ...edits[0], path: 'src/other.ts' } as Edit], options());
    expect(without.verdict.unchecked).toEqual([{ path: 'src/other.ts', why: 'index' }]);
    expect(without.receipt).toMatchObject({ symbols_checked: 0, guards: { hallucination: 'unchecked' } });
    const rust = await applyChanges(
      [{ op: 'whole', path: 'a.rs', content: 'use b::c;' }],
      options('auto', symbols),
    );
    expect(rust.verdict.unchecked).toEqual([{ path: 'a.rs', why: 'language' }]);
    expect(rust.receipt.guards.hallucination).toBe('unchecked');
    const prose = await applyChanges([{ op: 'whole', path: 'a.md', content: 'b' }], options());
    expect(prose.verdict).not.toHaveProperty('unchecked');
    expect(prose.receipt.guards.hallucination).toBe('pass');
  });

  it('of something that is taken back says that no guard was asked', async () => {
    const given = options();
    const { snapshot } = await applyChanges([{ op: 'whole', path: 'src/a.ts', content: 'x' }], given);
    const { receipt } = await takeBack(snapshot?.id ?? '', given);
    expect(receipt.guards).toMatchObject({ write: 'unchecked', hallucination: 'unchecked' });
  });
});

describe('a change set', () => {
  it('of every form is applied as one and taken back', async () => {
    const { verdict, snapshot, receipt } = await applyChanges(
      [
        ...patch('--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n'),
        { op: 'replace', path: 'src/a.ts', pairs: [{ old: 'three', new: 'drei' }] },
        { op: 'whole', path: 'src/b.ts', content: 'b\n' },
        ...patch('diff --git a/src/b.ts b/src/c.ts\nrename from src/b.ts\nrename to src/c.ts\n'),
      ],
      options(),
    );
    expect(verdict.decision).toBe('pass');
    expect(read('src/a.ts')).toBe('one\nzwei\ndrei\n');
    expect(read('src/c.ts')).toBe('b\n');
    expect(receipt).toMatchObject({
      action: 'apply',
      applied: true,
      run_id: 'run-1',
      snapshot_id: snapshot?.id,
      guards: { write: 'pass' },
    });
    expect(receipt.diffs[0]?.hunks[0]).toContain('-two\n-three\n+zwei\n+drei\n');
    const back = await takeBack(snapshot?.id ?? '', options());
    expect(read('src/a.ts')).toBe('one\ntwo\nthree\n');
    expect(back.receipt).toMatchObject({ action: 'rollback', applied: true });
    expect(await ledger.receipts.verify()).toMatchObject({ valid: true, receipts: 2 });
  });

  it('that a guard refuses writes nothing and leaves a receipt that says so', async () => {
    const { snapshot, receipt, verdict } = await applyChanges(
      [
        { op: 'whole', path: 'src/ok.ts', content: 'ok' },
        { op: 'whole', path: '.git/hooks/pre-commit', content: 'evil' },
      ],
      options(),
    );
    expect([verdict.decision, snapshot]).toEqual(['block', null]);
    expect(() => read('src/ok.ts')).toThrow('ENOENT');
    expect(receipt).toMatchObject({
      action: 'reject',
      applied: false,
      guards: { write: 'fail' },
      snapshot_id: null,
    });
  });

  it('that must be asked for waits, and is written once after the yes', async () => {
    const edit: readonly Edit[] = [{ op: 'whole', path: 'package.json', content: '{}\n' }];
    const asked = await applyChanges(edit, options());
    expect(asked.verdict).toMatchObject({ decision: 'approve', approval: { id: expect.any(String) } });
    expect(asked.receipt).toMatchObject({ applied: false, guards: { write: 'warn' } });
    expect(() => read('package.json')).toThrow('ENOENT');
  });

  it('through a link is refused, wherever it leads', async () => {
    symlinkSync(folder, join(workspace, 'up'));
    const { verdict } = await applyChanges([{ op: 'whole', path: 'up/x.txt', content: 'x' }], options());
    expect(verdict.decision).toBe('block');
  });

  it('whose file changed between judging and writing is a conflict', async () => {
    const given = options();
    const { decider } = given;
    const late: ApplyOptions = {
      ...given,
      decider: {
        ...decider,
        decide: async (action, context) => {
          const decided = await decider.decide(action, context);
          writeFileSync(join(workspace, 'src/a.ts'), 'by somebody else');
          return decided;
        },
      },
    };
    await expect(applyChanges([{ op: 'whole', path: 'src/a.ts', content: 'mine' }], late)).rejects.toThrow(
      Conflict,
    );
    expect(read('src/a.ts')).toBe('by somebody else');
  });

  it('keeps secrets out of its receipt, and counts them', async () => {
    const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    const { receipt } = await applyChanges(
      [{ op: 'whole', path: 'src/k.ts', content: `const key = '${token}';\n` }],
      options(),
    );
    expect(JSON.stringify(receipt)).not.toContain(token);
    expect(Object.values(receipt.redactions)).toEqual([1]);
    expect(receipt.guards.egress).toBe('warn');
  });

  it('counts a secret behind the part of a diff that its receipt shows', async () => {
    const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    const filler = 'const line = 1;\n'.repeat(8000);
    const { receipt } = await applyChanges(
      [{ op: 'whole', path: 'src/k.ts', content: `${filler}const key = '${token}';\n` }],
      options(),
    );
    expect(receipt.diffs[0]?.hunks).toEqual([]);
    expect(receipt.guards.egress).toBe('warn');
  });

  it.each<[string, Edit, string]>([
    [
      'a hunk without its lines',
      { op: 'edit', path: 'src/a.ts', hunks: [{ start: 1, lines: [{ kind: '-', text: 'x\n' }] }] },
      'does not fit',
    ],
    ['a file that is not there', { op: 'edit', path: 'src/no.ts', hunks: [] }, 'is not there'],
    ['a new file that is there', { op: 'create', path: 'src/a.ts', hunks: [] }, 'is there already'],
    [
      'a rename onto a file',
      { op: 'rename', path: 'src/a.ts', to: 'src/d.ts', hunks: [] },
      'is there already',
    ],
    [
      'a text that is not there',
      { op: 'replace', path: 'src/a.ts', pairs: [{ old: 'x', new: 'y' }] },
      'does not stand',
    ],
    ['an empty text', { op: 'replace', path: 'src/a.ts', pairs: [{ old: '', new: 'y' }] }, 'does not stand'],
    [
      'a text that stands twice',
      { op: 'replace', path: 'src/a.ts', pairs: [{ old: 'e\n', new: 'y' }] },
      'stands 2 times',
    ],
    [
      'a file that is no text',
      { op: 'replace', path: 'src/bin', pairs: [{ old: 'a', new: 'b' }] },
      'no text in UTF-8',
    ],
  ])('%s is told', async (_, edit, message) => {
    writeFileSync(join(workspace, 'src/d.ts'), 'd');
    writeFileSync(join(workspace, 'src/bin'), Buffer.from([0xff, 0xfe, 0xfd]));
    await expect(applyChanges([edit], options())).rejects.toThrow(InputError);
    await expect(applyChanges([edit], options())).rejects.toThrow(message);
  });
});

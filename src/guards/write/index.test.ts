// The write guard on real folders and on paths that only look plain; the rules' own examples run in tests/rules.test.ts.

import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsFrom } from '../../config/index.ts';
import { type Action, Budget, type JsonObject, type Mode, type World } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { fold, protectionOf } from '../../detect/protect.ts';
import { readPath } from './facts.ts';
import { writeGuard } from './index.ts';

let folder: string;
let workspace: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-write-guard-')));
  workspace = join(folder, 'work');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  writeFileSync(join(folder, 'outside.txt'), 'outside');
  writeFileSync(join(workspace, 'src/a.ts'), 'const a = 1;\n');
  writeFileSync(join(workspace, 'src/latin.txt'), Buffer.from([0x63, 0xe9]));
  symlinkSync(folder, join(workspace, 'up'));
  symlinkSync('src/a.ts', join(workspace, 'inside.ts'));
  linkSync(join(folder, 'outside.txt'), join(workspace, 'hard.txt'));
  mkdirSync(join(folder, '.ssh'));
  writeFileSync(join(folder, '.ssh/id_rsa'), 'key');
  symlinkSync(join(folder, '.ssh/id_rsa'), join(workspace, 'notes.txt'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Given {
  readonly mode?: Mode;
  readonly agent?: JsonObject;
  readonly write?: JsonObject;
  readonly world?: Partial<World>;
}

/** What the guard finds: rules with their decisions, in order. */
async function found(action: Action, given: Given = {}): Promise<readonly string[]> {
  if (action.kind !== 'write' && action.kind !== 'read') throw new Error('not a file action');
  const { findings } = await writeGuard.check(action, {
    context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace, mode: given.mode ?? 'default' },
    settings: settingsFrom(given.agent ?? {}, { write: given.write ?? {} }),
    world: { ...realWorld(), ...given.world },
    budget: new Budget(1_000_000),
    granted: () => false,
  });
  return findings.map(({ rule, decision }) => `${decision} ${rule}`);
}

const write = (path: string, content = 'a\n'): Action => ({ kind: 'write', path, content });

describe('writes', () => {
  test.each([
    ['src/a.ts', []],
    ['src/new/deep/b.ts', []],
    ['./src/a.ts', []],
    ['up/x.txt', ['block link_in_path']],
    ['inside.ts', ['block link_in_path']],
    ['hard.txt', ['block shared_file']],
    ['src', ['block not_plain_file']],
    ['src/a.ts/b', ['block not_plain_file']],
    ['../outside.txt', ['block path_parent']],
    ['package.json', ['approve manifest_write']],
    ['.git\\config', ['block version_control_write']],
  ])('%s', async (path, expected) => {
    expect(await found(write(path))).toEqual(expected);
  });

  test('an absolute path is refused even inside the workspace', async () => {
    expect(await found(write(`${workspace}/src/a.ts`))).toEqual(['block path_absolute']);
  });

  test('every change of a set is judged, both ends of a rename too', async () => {
    const action: Action = {
      kind: 'write',
      changes: [
        { op: 'edit', path: 'src/a.ts', content: 'b' },
        { op: 'delete', path: 'up/x' },
        { op: 'rename', path: 'src/a.ts', to: '.env' },
        { op: 'rename', path: 'src/a.ts' },
        { op: 'create', path: 'b.ts' },
      ],
    };
    expect(await found(action)).toEqual([
      'block link_in_path',
      'approve credential_write',
      'block path_control',
      'block content_missing',
    ]);
  });

  test('an edit is judged by what it puts in', async () => {
    const edit = (old: string, now: string): Action => ({
      kind: 'write',
      changes: [{ op: 'edit', path: 'src/a.ts', edits: [{ old, new: now }] }],
    });
    const secret = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    expect(await found(edit('a', 'b'))).toEqual([]);
    expect(await found(edit('a', `key = "${secret}"`))).toEqual(['approve new_secret']);
    expect(await found(edit(`key = "${secret}"`, 'key = "[REDACTED:api-key]"'))).toEqual([
      'block placeholder_written',
    ]);
    expect(await found(edit('a', 'b\u0000'))).toEqual(['block binary_file']);
  });

  test('plan mode changes nothing', async () => {
    expect(await found(write('src/a.ts'), { mode: 'plan' })).toEqual(['block plan_mode_write']);
    expect(await found(write('src/a.ts'), { mode: 'auto' })).toEqual([]);
  });

  test('a disk that cannot be asked stops the check', async () => {
    const look = () => {
      throw new Error('EIO');
    };
    await expect(found(write('src/a.ts'), { world: { look } })).rejects.toThrow('EIO');
  });

  test('a workspace that is gone takes no file', async () => {
    expect(await found(write('src/a.ts'), { world: { look: () => null } })).toEqual(['block not_plain_file']);
  });
});

describe('the lists of the user', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['infra/prod/main.tf', { blocked_paths: ['infra'] }, ['block blocked_write']],
    ['INFRA/x', { blocked_paths: ['./infra/'] }, ['block blocked_write']],
    ['infrastructure/x', { blocked_paths: ['infra'] }, []],
    ['a/b/c.sql', { blocked_patterns: ['*.sql'] }, ['block blocked_write']],
    ['db/x/y.sql', { blocked_patterns: ['db/**/*.sql'] }, ['block blocked_write']],
    ['db/y.sql', { blocked_patterns: ['db/**/*.sql'] }, ['block blocked_write']],
    ['db/y.sq', { blocked_patterns: ['db/**/*.sql'] }, []],
    ['a+b.ts', { blocked_patterns: ['a+b.ts'] }, ['block blocked_write']],
    ['package.json', { allowed_paths: ['package.json'] }, []],
    ['AGENTS.md', { allowed_paths: ['AGENTS.md'] }, []],
    ['agents.md', { allowed_paths: ['AGENTS.md'] }, ['approve agent_instructions_write']],
    ['.git/config', { allowed_paths: ['.git'] }, ['block version_control_write']],
    ['sallyport.toml', { allowed_paths: ['sallyport.toml'] }, ['block guard_write']],
    [
      'package.json',
      { allowed_paths: ['package.json'], blocked_paths: ['package.json'] },
      ['block blocked_write'],
    ],
  ])('%s under %j', async (path, lists, expected) => {
    expect(await found(write(path), { write: lists })).toEqual(expected);
  });
});

describe('content', () => {
  const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
  const old = (text: string): Given => ({ world: { readText: () => text } });

  test.each<[string, string, Given, readonly string[]]>([
    ['a new secret asks', `key = "${token}"`, {}, ['approve new_secret']],
    ['one that was there does not', `key = "${token}"`, old(`old = "${token}"`), []],
    [
      'a placeholder for a value blocks',
      'key = "[REDACTED:api-key]"',
      old(`key = "${token}"`),
      ['block placeholder_written'],
    ],
    ['one beside the value does not', `key = "${token}" // [REDACTED:api-key]`, old(`key = "${token}"`), []],
    ['one in a new file does not', 'shown as [REDACTED:api-key]', {}, []],
    ['direction marks ask', 'a \u202e b', {}, ['approve hidden_order']],
  ])('%s', async (_, content, given, expected) => {
    expect(await found(write('src/b.ts', content), given)).toEqual(expected);
  });

  test('a file that cannot be read as text takes no placeholder', async () => {
    expect(await found(write('src/latin.txt', '[REDACTED:api-key]'))).toEqual(['block placeholder_written']);
    expect(await found(write('src/latin.txt', 'plain'))).toEqual([]);
  });

  test.each(['a', 'a===', 'a b=', '_-==', '=AAA'])('%s is no base64', async (contentBase64) => {
    expect(await found({ kind: 'write', path: 'x.txt', contentBase64 })).toEqual(['block not_utf8']);
  });
});

describe('reads', () => {
  const read = (path: string): Action => ({ kind: 'read', path });

  test.each<[string, Given, readonly string[]]>([
    ['src/a.ts', {}, []],
    ['src/missing.ts', {}, []],
    ['.env', {}, ['approve read_workspace_secret']],
    ['notes.txt', {}, ['block read_secret']],
    ['up/.ssh/id_rsa', {}, ['approve read_workspace_secret', 'block read_secret']],
    ['../outside.txt', {}, []],
    ['../outside.txt', { agent: { profile: 'strict' } }, ['block read_outside']],
    ['up/outside.txt', { agent: { profile: 'strict' } }, ['block read_outside']],
    ['/etc/shadow', {}, ['block read_secret']],
    ['/dev/mem', {}, ['block read_secret']],
    ['a\u0000b', {}, ['block read_path_control']],
  ])('%s under %j', async (path, given, expected) => {
    expect(await found(read(path), given)).toEqual(expected);
  });
});

describe('the text of a path', () => {
  test('whatever it is, reading it throws nothing, and what is plain keeps its names', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '\\',
        '%2e',
        '%2f',
        '~',
        'C:',
        '\u2025',
        '\uff0f',
        'a',
        ' ',
        ':',
        '\u0000',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const { names, folded, problems } = readPath(pieces.join(''));
        expect(folded).toHaveLength(names.length);
        if (problems.length === 0) {
          expect(names).not.toContain('..');
          expect(names.join('/').normalize('NFKC')).not.toMatch(/(?:^|\/)\.\.(?:\/|$)|^\/|\\/);
        }
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z][a-z0-9_-]{2,12}[a-z0-9]$/), { minLength: 1, maxLength: 6 }),
        (names) => {
          expect(readPath(names.join('/'))).toMatchObject({ names, folded: names });
        },
      ),
    );
  });

  test.each([
    '.git',
    '.Git',
    '.GIT',
    '.git.',
    '.git ',
    '.git::$INDEX_ALLOCATION',
    '.g\u200bit',
    '.ｇit',
    'git~1',
    '.gi\ufefft',
  ])('%s is the repository', (name) => {
    const path = readPath(`${name}/config`);
    expect(protectionOf(path.folded)).toBe('version_control');
  });

  test('folding is stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (name) => {
        expect(fold(fold(name))).toBe(fold(name));
      }),
    );
  });
});

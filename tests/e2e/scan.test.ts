// sallyport scan as people and hooks meet it: real folders, real repositories, and everything that can lie in them.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCall } from '../../src/cli/command.ts';
import { command } from '../../src/cli/commands/scan.ts';
import type { Io } from '../../src/cli/io.ts';
import { SallyportError } from '../../src/core/index.ts';
import { cliEntry } from '../support/bundle.ts';
import { cli, ended, jsonLines, newPlace, type Place, startCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/ledger.ts';
import { unmountable } from '../support/mounts.ts';

/** A key of a form that the rules know, put together here so that no text holds one. */
const key = ['AK', 'IA', 'Z7QK3M5N', '2P4R6TXV'].join('');
const otherKey = ['AK', 'IA', 'M4T2W6XQ', 'R3Y5BZ7C'].join('');

/** A CPF with its check digits. */
function cpf(digits: string): string {
  const check = (text: string) => {
    const sum = [...text].reduce(
      (total, digit, index) => total + Number(digit) * (text.length + 1 - index),
      0,
    );
    return ((sum * 10) % 11) % 10;
  };
  const nine = `${digits}${check(digits)}`;
  const all = `${nine}${check(nine)}`;
  return `${all.slice(0, 3)}.${all.slice(3, 6)}.${all.slice(6, 9)}-${all.slice(9)}`;
}

/** Whoever may read everything must give that up for a test of what cannot be read. */
const withoutRights =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const cannotDropRights = spawnSync('env', [...withoutRights, process.execPath, '--version']).status !== 0;
if (cannotDropRights) process.stderr.write('Skipped: a test of files that cannot be read needs setpriv.\n');

const line = `access = "${key}"\n`;

function write(place: Place, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(place.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function git(place: Place, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'core.hooksPath=.git/hooks', ...args],
    { cwd: place.workspace, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: place.home } },
  );
  expect([args, status, stderr]).toEqual([args, 0, expect.anything()]);
  return stdout;
}

interface Scan {
  readonly status: number;
  readonly findings: Record<string, unknown>[];
  readonly others: Record<string, unknown>[];
  readonly summary: Record<string, unknown>;
  readonly text: string;
}

/** Runs the command in this process, where no start is waited for. */
async function scan(place: Place, ...args: string[]): Promise<Scan> {
  const lines: Record<string, unknown>[] = [];
  const refuse = (text: string) => expect(text).toBe('nothing but JSON');
  const io: Io = {
    environment: { PATH: process.env['PATH'], HOME: place.home, SALLYPORT_HOME: place.home },
    folder: () => place.workspace,
    print: refuse,
    warn: refuse,
    json: (value) => lines.push(JSON.parse(JSON.stringify(value))),
    pass: (_, text) => refuse(text),
    paint: (_, text) => text,
    progress: () => undefined,
  };
  const status = await command.run(readCall('scan', command, ['--json', ...args], io), {});
  const { summary } = lines.pop() ?? {};
  return {
    status,
    findings: lines.filter((one) => 'rule' in one),
    others: lines.filter((one) => !('rule' in one)),
    summary: summary as Record<string, unknown>,
    text: JSON.stringify(lines),
  };
}

const files = ({ findings }: Scan) => findings.map(({ file }) => file);

describe('sallyport scan', () => {
  it('names file, line, column, kind and rule, and never the value', async () => {
    const place = newPlace();
    write(place, {
      'src/config.ts': `// one\n\n  const a = '${key}'; // and ${otherKey}\n`,
      'b.txt': 'plain\n',
    });
    const { status, stdout, stderr } = await cli(place, ['scan']);
    expect(status).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^src\/config\.ts:3:14 {2}\S+ {2}aws-\S+\n {4}const a = '\[REDACTED:[\w-]+\]'; \/\/ and \[REDACTED:[\w-]+\]\n/,
    );
    expect(stdout).toMatch(/\n2 findings in 2 files, 0\.0 MB, [\d.]+ s\n$/);
    expect(stdout).not.toContain(key.slice(4));
    expect(stdout).not.toContain(otherKey.slice(4));
  });

  it('ends with 0 where nothing is found', async () => {
    const place = newPlace();
    write(place, { 'a.txt': 'nothing here\n' });
    expect(await cli(place, ['scan'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Nothing found in 1 file, /),
    });
    rmSync(join(place.workspace, 'a.txt'));
    expect(await cli(place, ['scan'])).toMatchObject({ status: 0 });
  });

  it('looks for what is asked for', async () => {
    const place = newPlace();
    write(place, {
      'a.txt': line,
      'b.txt': `CPF do cliente: ${cpf('529982247')}\n`,
      'c.txt': 'e-mail: maria.souza@empresa.com.br\n',
    });
    expect(files(await scan(place))).toEqual(['a.txt', 'b.txt']);
    expect(files(await scan(place, '--kinds', 'secrets'))).toEqual(['a.txt']);
    expect(files(await scan(place, '--kinds', 'pii'))).toEqual(['b.txt']);
    expect(files(await scan(place, '--everyday'))).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it("looks for what the user's own rules say, on threads too", async () => {
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    const rule =
      'id = "acme-token"\nname = "Acme"\nkind = "acme"\nkeywords = ["acme_"]\npattern = "acme_[0-9]{8}"\n' +
      'examples = { hit = ["a «acme_12345678»"], miss = ["acme_1"] }\n';
    writeFileSync(join(place.home, 'pack.toml'), `[[rules]]\n${rule}`);
    const packs = `[detect]\npacks = ["${place.home}/pack.toml"]\n`;
    writeFileSync(join(place.home, 'sallyport.toml'), packs);
    for (let index = 0; index < 10; index++) {
      write(place, { [`${index}.txt`]: `${'words and more words\n'.repeat(50_000)}t acme_87654321\n` });
    }
    const { findings, text } = await scan(place, '--kinds', 'pii', '--threads', '2');
    expect(findings).toHaveLength(10);
    expect(findings[0]).toMatchObject({ rule: 'acme-token', pack: 'user', excerpt: 't [REDACTED:acme]' });
    expect(text).not.toContain('acme_87654321');
    writeFileSync(join(place.home, 'pack.toml'), `[[rules]]\n${rule.replace('«acme_12345678»', '«acme_1»')}`);
    await expect(scan(place)).rejects.toMatchObject({ name: 'ConfigError', exitCode: 2 });
  });

  it("takes a file of rules in gitleaks' form, and refuses one that it cannot use", async () => {
    const place = newPlace();
    const rules = (regex: string) =>
      `title = "ours"\n[[rules]]\nid = "zz"\nregex = '${regex}'\nkeywords = ["zz_"]\n`;
    write(place, {
      'a.txt': 'x zz_123456 y\n',
      'rules.toml': rules('zz_[0-9]{6}'),
      'bad.toml': rules('zz_(?:a+)+b'),
    });
    expect(files(await scan(place, '--rules', 'rules.toml'))).toEqual(['a.txt']);
    await expect(scan(place, '--rules', 'bad.toml')).rejects.toThrow('too many ways');
    await expect(scan(place, '--rules', 'none.toml')).rejects.toThrow('no such file');
  });

  it('shows nothing of a value that was not asked for either', async () => {
    const place = newPlace();
    const number = cpf('529982247');
    write(place, { 'a.txt': `cpf ${number} access "${key}" cpf ${number}\n` });
    const { findings, text } = await scan(place, '--kinds', 'secrets');
    expect(findings).toHaveLength(1);
    expect(text).not.toContain(number);
  });

  it('takes several paths, in the order of their names, each file once', async () => {
    const place = newPlace();
    write(place, { 'b/x': line, 'a/y': line, 'a.z': line, c: line });
    expect(files(await scan(place, 'c', 'b', 'a', '.', 'a/y'))).toEqual(['a.z', 'a/y', 'b/x', 'c']);
    expect(files(await scan(place, join(place.workspace, 'b/')))).toEqual([join(place.workspace, 'b/x')]);
    expect(files(await scan(place, './b/../c'))).toEqual(['c']);
  });

  it.each([
    [['nowhere'], 'there is no nowhere'],
    [['--kinds', 'secret'], 'did you mean "secrets"?'],
    [['--threads', '0'], '--threads must be'],
    [['--stdin', 'a'], 'without paths'],
    [['-', '--staged'], '--staged reads the index'],
    [['--sarif', '-'], 'both want standard output'],
    [['--baseline', 'nowhere.json'], 'there is no baseline'],
    [['--sarif', 'no/such/folder/x'], 'there is no such folder'],
    [['--write-baseline', '.'], 'is not a file'],
    [['/dev/null'], 'neither a file nor a folder'],
    [['--sariff', 'x'], 'did you mean --sarif?'],
  ])('%j is wrong use', async (args, text) => {
    const error = await scan(newPlace(), ...args).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SallyportError);
    const { message, hint, exitCode } = error as SallyportError;
    expect([exitCode, `${message} ${hint}`]).toEqual([2, expect.stringContaining(text)]);
  });
});

describe('what is left out', () => {
  it('is what the ignore files name, nested, and again not', async () => {
    const place = newPlace();
    git(place, 'init', '-q');
    const names = [
      'a.log',
      'keep.log',
      'build/x',
      'sub/build',
      'sub/b.log',
      'sub/deep/c.tmp',
      'sub/deep/keep.tmp',
      'own/x',
      'excluded',
    ];
    write(place, Object.fromEntries(names.map((name) => [name, line])));
    write(place, {
      '.gitignore': '*.log\n!keep.log\nbuild/\n',
      'sub/.gitignore': '*.tmp\n!b.log\n',
      'sub/deep/.gitignore': '!keep.tmp\n',
      '.sallyportignore': '/own\n',
      '.git/info/exclude': 'excluded\n',
      '.git/hidden': line,
    });
    const kept = ['keep.log', 'sub/b.log', 'sub/build', 'sub/deep/keep.tmp'];
    const all = await scan(place);
    expect(files(all)).toEqual(kept);
    expect(all.summary).toMatchObject({ ignored: 5, findings: 4 });
    // Git is of the same opinion, but for what is only ours.
    const theirs = git(place, 'ls-files', '-o', '--exclude-standard').split('\n');
    expect(theirs.filter((name) => names.includes(name) && name !== 'own/x').sort()).toEqual(kept);
    expect(files(await scan(place, 'sub/deep'))).toEqual(['sub/deep/keep.tmp']);
    expect(files(await scan(place, '--no-ignore'))).toEqual(names.toSorted());
    // What somebody names is meant.
    expect(files(await scan(place, 'a.log', 'build'))).toEqual(['a.log', 'build/x']);
  });

  it('is nothing in a repository inside that only the outer one names', async () => {
    const place = newPlace();
    write(place, {
      '.gitignore': '*.log\n',
      'inner/a.log': line,
      'inner/.git/HEAD': '',
      'plain/b.log': line,
    });
    expect(files(await scan(place))).toEqual(['inner/a.log']);
  });

  it('is nothing that git tracks, even if a pattern names it', async () => {
    const place = newPlace();
    git(place, 'init', '-q');
    write(place, {
      '.gitignore': '*.env\nout/\n',
      'prod.env': line,
      'test.env': line,
      'out/deep/tracked': line,
      'out/deep/made': line,
      'out/other/made': line,
      'own.env': line,
      '.sallyportignore': 'own.env\n',
    });
    git(place, 'add', '-f', 'prod.env', 'out/deep/tracked', 'own.env');
    const { findings, summary } = await scan(place);
    expect(findings.map(({ file }) => file)).toEqual(['out/deep/tracked', 'prod.env']);
    expect(summary).toMatchObject({ ignored: 4 });
    git(place, 'add', '.');
    git(place, 'commit', '-q', '-m', 'one');
    git(place, 'worktree', 'add', '-q', '../other');
    const other = { ...place, workspace: join(place.workspace, '../other') };
    writeFileSync(join(other.workspace, 'new.env'), line);
    expect(files(await scan(other))).toEqual(['out/deep/tracked', 'prod.env']);
  });

  it('is every link, wherever it leads, unless it is named', async () => {
    const place = newPlace();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret.txt'), line);
    write(place, { 'a.txt': 'x' });
    symlinkSync(outside, join(place.workspace, 'folder'));
    symlinkSync(join(outside, 'secret.txt'), join(place.workspace, 'file'));
    symlinkSync('.', join(place.workspace, 'loop'));
    symlinkSync('nowhere', join(place.workspace, 'dangling'));
    const all = await scan(place);
    expect([all.status, all.summary]).toMatchObject([0, { files: 1, links: 4 }]);
    expect(files(await scan(place, 'folder'))).toEqual(['folder/secret.txt']);
    expect(files(await scan(place, 'file'))).toEqual(['file']);
  });

  it('is what is neither file nor folder: nobody waits for it', async () => {
    const place = newPlace();
    write(place, { 'a.txt': line });
    expect(spawnSync('mkfifo', [join(place.workspace, 'pipe')]).status).toBe(0);
    expect(await scan(place)).toMatchObject({ status: 1, summary: { files: 1, special: 1, findings: 1 } });
  });

  it('is binary, but not text in UTF-16 or with broken bytes', async () => {
    const place = newPlace();
    write(place, {
      'a.bin': Buffer.concat([Buffer.from([0]), Buffer.from(line)]),
      'b.txt': Buffer.from(`\ufeffone\r\n${line}`, 'utf16le'),
      'c.txt': Buffer.from(`\ufeff${line}`, 'utf16le').swap16(),
      'd.txt': Buffer.concat([Buffer.from([0xff, 0xfe + 1, 0xc3]), Buffer.from(`\n${line}`)]),
    });
    const { findings, summary } = await scan(place);
    expect(findings.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['b.txt', 2, 11],
      ['c.txt', 1, 11],
      ['d.txt', 2, 11],
    ]);
    expect(summary).toMatchObject({ binary: 1, files: 3 });
  });

  it.skipIf(cannotDropRights)('is said where it could not be read, and is no pass', async () => {
    const place = newPlace();
    write(place, { 'a.txt': 'x', 'b.txt': 'x', 'sub/c.txt': 'x' });
    chmodSync(join(place.workspace, 'a.txt'), 0);
    chmodSync(join(place.workspace, 'sub'), 0);
    chmodSync(dirname(place.workspace), 0o755);
    const { status, stdout, stderr } = await cli(place, ['scan'], { wrapper: withoutRights });
    chmodSync(join(place.workspace, 'sub'), 0o700);
    expect(stderr).toContain('a.txt: not scanned: permission denied');
    expect(stderr).toContain('sub: not scanned: permission denied');
    expect(stdout).toContain('Nothing found in 1 file,');
    expect(stdout).toContain('2 not scanned');
    expect(status).toBe(1);
  });

  it('says what it could not read, also to machines', async () => {
    // A path that is too long for one call: no right in the world reads it.
    const place = newPlace();
    const script = `mkdir -p a && cd a && i=0; while [ $i -lt 20 ]; do d=$(printf '%0250d' 0); mkdir $d && cd $d; i=$((i+1)); done; echo x > file`;
    expect(spawnSync('sh', ['-c', script], { cwd: place.workspace }).status).toBe(0);
    const result = await scan(place);
    expect(result.status).toBe(1);
    expect(result.others).toMatchObject([{ unread: 'the path is too long' }]);
    expect(result.summary).toMatchObject({ unread: 1, findings: 0 });
    spawnSync('rm', ['-rf', join(place.workspace, 'a')]);
  });
});

describe('names', () => {
  it('of any bytes are found, and shown so that they deceive nobody', async () => {
    const place = newPlace();
    const folder = Buffer.from(`${place.workspace}/`);
    const names = [
      Buffer.from('new\nline'),
      Buffer.from('right\u202eleft'),
      Buffer.from([0x62, 0xff, 0x63]),
      Buffer.from('\u001b[2J'),
      Buffer.from('ação'),
    ];
    for (const name of names) writeFileSync(Buffer.concat([folder, name]), line);
    const { stdout } = await cli(place, ['scan']);
    for (const shown of [
      'new\\nline:1:11',
      'right\\u{202e}left:1:11',
      'b\\xffc:1:11',
      '\\u{1b}[2J:1:11',
      'ação:1:11',
    ]) {
      expect(stdout).toContain(`\n${shown}  `.slice(stdout.startsWith(shown) ? 1 : 0));
    }
    expect(stdout).not.toMatch(/[\u202e\u001b]/);
    expect(files(await scan(place))).toEqual(
      ['\u001b[2J', 'ação', 'b\\xffc', 'new\nline', 'right\u202eleft'].toSorted((a, b) =>
        Buffer.compare(
          Buffer.from(a.replace('\\xff', '\u00ff'), 'utf8'),
          Buffer.from(b.replace('\\xff', '\u00ff'), 'utf8'),
        ),
      ),
    );
  });
});

describe('much', () => {
  it('is the same on many threads as on one, in the same order', async () => {
    const place = newPlace();
    const filler = 'const answer = 42; // nothing to see\n'.repeat(6000);
    for (let index = 0; index < 60; index++) {
      write(place, { [`${index % 7}/file-${index}.ts`]: index % 3 === 0 ? filler + line : filler });
    }
    const one = await scan(place, '--threads', '1');
    const many = await scan(place, '--threads', '4');
    expect(one.findings).toHaveLength(20);
    expect(many.findings).toEqual(one.findings);
    const { seconds: _, ...counts } = many.summary;
    expect(one.summary).toMatchObject(counts);
    const names = files(many);
    expect(names).toEqual(names.toSorted());
  });

  it('fits in little memory: one line of 100 MB', { timeout: 60_000 }, async () => {
    const place = newPlace();
    const file = openSync(join(place.workspace, 'large.json'), 'w');
    const piece = Buffer.alloc(1 << 20, '{"name":"value","list":["a","b"],"text":"plain words"},');
    for (let count = 0; count < 100; count++) writeSync(file, piece);
    writeSync(file, ` ${key} `);
    closeSync(file);
    const { status, stdout, stderr } = await cli(place, ['scan', '--json'], {
      environment: { NODE_OPTIONS: '--max-old-space-size=64' },
    });
    expect(stderr).toBe('');
    expect(jsonLines(stdout)).toMatchObject([
      { file: 'large.json', line: 1, column: 100 * (1 << 20) + 2 },
      { summary: { files: 1, findings: 1 } },
    ]);
    expect(status).toBe(1);
  });

  it('ends quietly when its reader goes away', async () => {
    const place = newPlace();
    write(place, { 'a.txt': line.repeat(3000) });
    const child = startCli(place, ['scan'], { wrapper: ['sh', '-c', '"$0" "$@" | head -n 1'] });
    const { stdout, stderr } = await ended(child);
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  });
});

describe('standard input', () => {
  it.each([[['--stdin']], [['-']]])('is scanned with %j', async (args) => {
    const { status, stdout } = await cli(newPlace(), ['scan', '--json', ...args], { input: `x\n${line}` });
    expect(status).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { file: '(standard input)', line: 2, column: 11 },
      { summary: { files: 1 } },
    ]);
  });

  it('may be nothing, or binary', async () => {
    expect((await cli(newPlace(), ['scan', '-'])).status).toBe(0);
    const { status, stdout } = await cli(newPlace(), ['scan', '-'], { input: Buffer.alloc(100_000) });
    expect([status, stdout]).toEqual([0, expect.stringContaining('1 binary skipped')]);
  });
});

describe('marks', () => {
  it('are counted, not reported, and shown when asked for', async () => {
    const place = newPlace();
    write(place, {
      'a.ts': `// ${key} sallyport:allow a fixture\n// sallyport:allow-next-line\n// ${key}\n`,
      'b.ts': `// sallyport:allow-file\n\n\n\n\n\n// ${key}\n`,
    });
    const quiet = await scan(place);
    expect(quiet).toMatchObject({ status: 0, findings: [], summary: { marked: 3, findings: 0 } });
    const shown = await scan(place, '--show-marked');
    expect(shown.status).toBe(0);
    expect(shown.findings.map(({ file, line, marked }) => [file, line, marked])).toEqual([
      ['a.ts', 1, true],
      ['a.ts', 3, true],
      ['b.ts', 7, true],
    ]);
    write(place, { 'a.ts': `// ${key} sallyport:allow no reason\n// ${otherKey}\n` });
    expect(await scan(place)).toMatchObject({ status: 1, findings: [{ file: 'a.ts', line: 2 }] });
  });
});

describe('a baseline', () => {
  it('makes known what was there, and survives moved lines', async () => {
    const place = newPlace();
    git(place, 'init', '-q');
    write(place, {
      'src/a.ts': `const a = "${key}";\n`,
      'src/b.ts': `cpf = "${cpf('529982247')}"; // cpf\n`,
    });
    const made = await scan(place, '--write-baseline', 'known.json');
    expect(made).toMatchObject({ status: 0, summary: { findings: 2, files: 2 } });
    const text = readFileSync(join(place.workspace, 'known.json'), 'utf8');
    expect(text).not.toContain(key);
    expect(text).not.toContain(cpf('529982247'));
    expect(JSON.parse(text)).toMatchObject({
      kind: 'sallyport-baseline',
      findings: [{ file: 'src/a.ts' }, { file: 'src/b.ts' }],
    });
    expect(await scan(place, '--baseline', 'known.json')).toMatchObject({
      status: 0,
      findings: [],
      summary: { known: 2 },
    });

    write(place, { 'src/a.ts': `\n\n// moved\n  const a = "${key}";\nconst b = "${otherKey}";\n` });
    const later = await scan(place, '--baseline', 'known.json');
    expect(later).toMatchObject({
      status: 1,
      findings: [{ file: 'src/a.ts', line: 5 }],
      summary: { known: 2, findings: 1 },
    });
    // From another folder it is the same files.
    const inner = { ...place, workspace: join(place.workspace, 'src') };
    expect(await scan(inner, '--baseline', '../known.json')).toMatchObject({
      findings: [{ file: 'a.ts' }],
      summary: { known: 2 },
    });

    // Written anew over itself, it holds what is there now.
    await scan(place, '--baseline', 'known.json', '--write-baseline', 'known.json');
    expect(await scan(place, '--baseline', 'known.json')).toMatchObject({ status: 0, summary: { known: 3 } });
  });

  it.skipIf(unmountable)('is not left half written on a full disk, and that is no pass', async () => {
    const place = newPlace();
    write(place, { 'a.txt': line.repeat(5000), 'small/x': '' });
    const script = 'mount -t tmpfs -o size=64k tmpfs small && { "$@"; code=$?; ls -A small; exit $code; }';
    const wrapper = ['unshare', '-m', 'sh', '-c', script, 'sh'];
    const args = ['scan', 'a.txt', '--write-baseline', 'small/known.json', '--sarif', 'out.sarif'];
    const { status, stdout, stderr } = await cli(place, args, { wrapper });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('known.json cannot be written: the disk is full'),
    ]);
    expect(stdout).not.toContain('known.json');
    expect(existsSync(join(place.workspace, 'out.sarif'))).toBe(false);
  });

  it('is not left half written where a scan fails', async () => {
    const place = newPlace();
    expect((await cli(place, ['scan', '--write-baseline', 'known.json', '--sarif', 'no/x'])).status).toBe(2);
    expect(existsSync(join(place.workspace, 'known.json'))).toBe(false);
    expect((await cli(place, ['scan', '--no-ignore', '--json'])).stdout).toContain('"files":0');
  });
});

describe('SARIF', () => {
  it('has rules, places, fingerprints and redacted snippets', async () => {
    const place = newPlace();
    git(place, 'init', '-q');
    write(place, {
      'src/a b.ts': `const a = "${key}";\n// cpf ${cpf('529982247')}\n`,
      'src/m.ts': `// ${key} sallyport:allow\n`,
    });
    const inner = { ...place, workspace: join(place.workspace, 'src') };
    const { status, stdout } = await cli(inner, ['scan', '--sarif', '-', '--show-marked']);
    expect(status).toBe(1);
    expect(stdout).not.toContain(key);
    const log = JSON.parse(stdout);
    expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0') });
    const [run] = log.runs;
    expect(run).toMatchObject({
      columnKind: 'utf16CodeUnits',
      tool: { driver: { name: 'Sallyport' } },
      invocations: [{ executionSuccessful: true }],
    });
    expect(run.results).toHaveLength(3);
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex]).toMatchObject({
        id: result.ruleId,
        shortDescription: { text: expect.any(String) },
      });
    }
    expect(run.results[0]).toMatchObject({
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'src/a%20b.ts', uriBaseId: '%SRCROOT%' },
            region: {
              startLine: 1,
              startColumn: 12,
              endLine: 1,
              endColumn: 12 + key.length,
              snippet: { text: expect.stringContaining('[REDACTED:') },
            },
          },
        },
      ],
      partialFingerprints: { 'sallyport/v1': expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(run.results[1]).toMatchObject({ level: 'warning' });
    expect(run.results[2]).toMatchObject({ suppressions: [{ kind: 'inSource' }] });
  });

  it('goes to a file beside the text, also where nothing is found', async () => {
    const place = newPlace();
    write(place, { 'a.txt': 'x' });
    const { status, stdout } = await cli(place, ['scan', 'a.txt', '--sarif', 'out.sarif']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('Nothing found')]);
    expect(JSON.parse(readFileSync(join(place.workspace, 'out.sarif'), 'utf8')).runs[0].results).toEqual([]);
  });
});

describe('--staged', () => {
  it('scans what the index has, whatever the worktree says', async () => {
    const place = newPlace();
    git(place, 'init', '-q');
    write(place, { 'committed.txt': line, 'clean.txt': 'x\n' });
    git(place, 'add', '.');
    git(place, 'commit', '-q', '-m', 'one');
    expect(await scan(place, '--staged')).toMatchObject({ status: 0, summary: { files: 0 } });

    // In the index and cleaned away in the worktree; in the worktree alone; renamed; ignored and forced; a link.
    write(place, {
      'staged.txt': line,
      'new\nline/\u202e.txt': `x\n${line}`,
      '.gitignore': 'forced\n',
      forced: line,
      'big.txt': 'x\n'.repeat(200_000) + line,
      bin: Buffer.from([0, 1]),
    });
    renameSync(join(place.workspace, 'committed.txt'), join(place.workspace, 'renamed.txt'));
    symlinkSync('staged.txt', join(place.workspace, 'link'));
    git(place, 'add', '-A');
    git(place, 'add', '-f', 'forced');
    write(place, { 'staged.txt': 'clean\n', 'clean.txt': line });
    const found = await scan(place, '--staged');
    expect(found.status).toBe(1);
    expect(found.findings.map(({ file, line }) => [file, line])).toEqual([
      ['big.txt', 200_001],
      ['forced', 1],
      ['new\nline/\u202e.txt', 2],
      ['renamed.txt', 1],
      ['staged.txt', 1],
    ]);
    expect(found.summary).toMatchObject({ binary: 1 });
    const inner = { ...place, workspace: join(place.workspace, 'new\nline') };
    expect(files(await scan(inner, '--staged'))).toHaveLength(5);
    expect(files(await scan(place, '--staged', '--', 'staged.txt', 'forced'))).toEqual([
      'forced',
      'staged.txt',
    ]);

    write(place, { '.sallyportignore': 'new*/\n/forced\n*.txt\n!big.txt\n' });
    expect(files(await scan(place, '--staged'))).toEqual(['big.txt']);
    expect(files(await scan(place, '--staged', '--no-ignore'))).toHaveLength(5);
  });

  it('stops a commit from its hook, also of single files', async () => {
    const place = newPlace();
    const entry = cliEntry();
    git(place, 'init', '-q');
    write(place, { 'a.txt': 'x\n', 'b.txt': 'x\n' });
    git(place, 'add', '.');
    git(place, 'commit', '-q', '-m', 'one');
    const hook = join(place.workspace, '.git/hooks/pre-commit');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\nexec '${process.execPath}' '${entry}' scan --staged\n`, { mode: 0o755 });
    const commit = (...args: string[]) =>
      spawnSync(
        'git',
        ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '-m', 'two', ...args],
        {
          cwd: place.workspace,
          encoding: 'utf8',
          env: {
            PATH: process.env['PATH'],
            HOME: place.home,
            GIT_TRACE: '1',
            GIT_EXTERNAL_DIFF: '/bin/false',
          },
        },
      );
    write(place, { 'a.txt': line, 'b.txt': 'y\n' });
    // Nothing is staged: git makes an index for the one file and tells the hook of it.
    const one = commit('a.txt');
    expect(one.status).toBe(1);
    expect(one.stdout + one.stderr).toContain('a.txt:1:11');
    expect(commit('b.txt').status).toBe(0);
    expect(commit('-a').status).toBe(1);
    write(place, { 'a.txt': 'clean\n' });
    expect(commit('-a').status).toBe(0);
  });

  it('fails where there is nothing to ask', async () => {
    const place = newPlace();
    const environment = { GIT_CEILING_DIRECTORIES: dirname(place.workspace) };
    expect(await cli(place, ['scan', '--staged'], { environment })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not a git repository'),
    });
    expect(await cli(place, ['scan', '--staged'], { environment: { PATH: '/nowhere' } })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('git is not installed'),
    });
  });

  it('does not pass what git has lost', async () => {
    const place = newPlace();
    git(place, 'init', '-q');
    write(place, { 'a.txt': line, 'b.txt': `${line}\n` });
    git(place, 'add', '.');
    const object = git(place, 'rev-parse', ':a.txt').trim();
    rmSync(join(place.workspace, '.git/objects', object.slice(0, 2), object.slice(2)), { force: true });
    const result = await scan(place, '--staged');
    expect(result).toMatchObject({
      status: 1,
      others: [{ file: 'a.txt', unread: 'git does not have its content' }],
    });
    expect(files(result)).toEqual(['b.txt']);
  });
});

describe('the bundle', () => {
  it('scans on threads too', () => {
    const place = newPlace();
    for (let index = 0; index < 5; index++)
      write(place, { [`file-${index}`]: `${'words and more words\n'.repeat(100_000)}${line}` });
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [cliEntry(), 'scan', '--json', ...args], {
        cwd: place.workspace,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: place.home },
      });
    const many = run('--threads', '3');
    expect([many.status, many.stderr]).toEqual([1, '']);
    expect(jsonLines(many.stdout)).toHaveLength(6);
    expect(jsonLines(run('--threads', '1').stdout).slice(0, -1)).toEqual(jsonLines(many.stdout).slice(0, -1));
    expect(run('file-0').status).toBe(1);
  });
});

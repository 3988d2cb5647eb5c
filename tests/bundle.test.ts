// The published form: the bundle behaves as the source does, errors keep their names, and nothing heavy loads early.

import { spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { version } from '../src/cli/version.ts';
import { bundleFolder } from './support/bundle.ts';
import { temporaryFolder } from './support/ledger.ts';

/** A copy of the bundle in a folder where nothing of ours lies beside it. */
function bundle(): { run: (...args: string[]) => ReturnType<typeof spawnSync>; folder: string } {
  const folder = temporaryFolder();
  // The place for compiled code is the tests', not the bundle's.
  const cache = join(bundleFolder(), 'dist', 'cache');
  for (const part of ['bin', 'dist']) {
    const filter = (file: string) => file !== cache;
    cpSync(join(bundleFolder(), part), join(folder, part), { recursive: true, filter });
  }
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(folder, 'bin', 'sallyport.cjs'), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
      // A command that does not end shows as one that failed.
      timeout: 60_000,
    });
  return { run, folder };
}

/** The most script of the console, in KB as it is sent. */
const mostScript = 200;

describe('the console', () => {
  it(`has less than ${mostScript} KB of script`, () => {
    const assets = join(bundleFolder(), 'dist', 'console', 'assets');
    const sizeOf = (ending: string) =>
      readdirSync(assets)
        .filter((name) => name.endsWith(ending))
        .reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name)), { level: 9 }).length, 0) /
      1000;
    const [script, style] = [sizeOf('.js'), sizeOf('.css')];
    process.stdout.write(
      `console: ${script.toFixed(1)} KB of script and ${style.toFixed(1)} KB of style, gzipped\n`,
    );
    expect(script).toBeGreaterThan(0);
    expect(script).toBeLessThan(mostScript);
  });
});

describe('the bundle', () => {
  it('runs without source or node_modules, and names its errors', () => {
    const { run, folder } = bundle();
    expect(run('--version').stdout).toBe(`${version}\n`);
    const test = run('test', 'http://169.254.169.254/', '--json');
    expect(JSON.parse(String(test.stdout))).toMatchObject({ findings: [{ rule: 'metadata_address' }] });
    expect(test.status).toBe(1);
    expect(run('decide', '{"kind":"fetch","url":"http://[fd00::1]/"}').status).toBe(1);
    expect(String(run('log', 'verify').stdout)).toContain('clean: 1 entry');
    expect(JSON.parse(String(run('why', 'nothing', '--json').stdout))).toMatchObject({
      name: 'UnknownDecision',
    });
    const long = run('test', `rm -rf /\n${'# a comment\n'.repeat(2000)}`, '--json');
    expect(JSON.parse(String(long.stdout))).toMatchObject({ findings: [{ rule: 'mass_deletion' }] });
    expect(long.status).toBe(1);
    const started = JSON.parse(String(run('up', '--detach', '--port', '0', '--json').stdout));
    expect(started).toMatchObject({ pid: expect.any(Number) });
    const doctor = String(run('doctor', '--deep').stdout);
    expect(doctor).toMatch(/ok +rules +\d+ rules do what their examples say/);
    expect(doctor).toMatch(/ok +daemon/);
    // What is not installed is named, and what needs it is not let through.
    expect(doctor).toMatch(/note +parts +without Python, JavaScript, .*: npm install web-tree-sitter /);
    const python = run('test', '--python', 'print(1)');
    expect(python.stdout).toContain('what reads this language is not installed (sallyport doctor names it)');
    expect(python.status).toBe(3);
    const code = run('decide', '{"kind":"code","source":"return 1"}');
    expect(code.stdout).toContain('the package oxc-parser is not installed');
    expect(code.status).toBe(1);
    writeFileSync(
      join(folder, 'agent.ts'),
      "import OpenAI from 'openai';\nnew OpenAI().responses.create({ input: text });\n",
    );
    const audited = run('audit', 'policies', 'agent-guardrails', 'agent.ts');
    expect(audited.stderr).toContain('The package oxc-parser is not installed');
    // Nothing was read, so nothing is said of the agent.
    expect(audited.status).toBe(2);
    expect(run('down').status).toBe(0);
    for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.cjs')) continue;
      expect(readFileSync(join(folder, 'dist', file), 'latin1')).toMatch(/^[\x00-\x7f]*$/);
    }
  });

  it('names the package that telemetry needs, where it is asked for', () => {
    const { run, folder } = bundle();
    const home = join(folder, '.sallyport');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'sallyport.toml'), '[telemetry]\nenabled = true\n');
    const { stdout, status } = run('decide', '{"kind":"shell","command":"ls"}', '--json');
    expect(JSON.parse(String(stdout))).toMatchObject({ name: 'TelemetryMissing' });
    expect(status).toBe(1);
  });

  it('keeps what a command compiled, and believes no part of it', () => {
    const { run, folder } = bundle();
    mkdirSync(join(folder, '.sallyport'), { mode: 0o700 });
    const cache = join(folder, '.sallyport', 'cache', `${process.version}-test`);
    const verdict = () => {
      const { stdout, stderr } = run('test', 'rm -rf /', '--json');
      expect(stderr).toBe('');
      return stdout;
    };
    const first = verdict();
    expect(JSON.parse(String(first))).toMatchObject({ decision: 'block' });
    const kept = readdirSync(cache);
    expect(kept).toEqual(expect.arrayContaining([expect.stringMatching(/^judge-[\w-]{8}\.cjs$/)]));
    const inode = (name: string) => statSync(join(cache, name)).ino;
    const before = new Map(kept.map((name) => [name, inode(name)]));
    expect(verdict()).toBe(first);
    for (const [name, number] of before) expect(inode(name), name).toBe(number);
    // What an earlier version or a full disk left behind.
    for (const name of kept) truncateSync(join(cache, name), 100);
    writeFileSync(join(cache, 'gone-12345678.cjs'), 'code of a file that is no more');
    expect(verdict()).toBe(first);
    expect(readdirSync(cache)).toEqual(kept);
    for (const name of kept) expect(statSync(join(cache, name)).size, name).toBeGreaterThan(100);
  });

  it.runIf(process.geteuid?.() === 0)('keeps and takes no compiled code in a home of another user', () => {
    const { run, folder } = bundle();
    const home = join(folder, '.sallyport');
    mkdirSync(home);
    chownSync(home, 65_533, 65_533);
    run('test', 'ls');
    expect(existsSync(join(home, 'cache'))).toBe(false);
    chownSync(home, 0, 0);
    run('test', 'ls');
    expect(existsSync(join(home, 'cache'))).toBe(true);
  });

  it('keeps compiled code beside itself where there is a place for it, and none in a home', () => {
    const { run, folder } = bundle();
    mkdirSync(join(folder, '.sallyport'), { mode: 0o700 });
    const beside = join(folder, 'dist', 'cache');
    mkdirSync(beside);
    expect(run('test', 'ls').status).toBe(0);
    expect(readdirSync(beside)).toEqual([`${process.version}-test`]);
    expect(existsSync(join(folder, '.sallyport', 'cache'))).toBe(false);
  });

  it('is a package for programs, with types', () => {
    const { folder } = bundle();
    // A program has what the package depends on; the policy engine is one of those.
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const { types, default: entry } of [manifest.exports['.'], manifest.exports['./ai']]) {
      for (const file of [types, entry]) expect(existsSync(join(folder, file)), file).toBe(true);
    }
    const script = `
      import { Guardrails, sallyport } from ${JSON.stringify(join(folder, manifest.exports['.'].default))};
      const ask = (name, given) => Guardrails.tool.validate({
        toolCall: { name, arguments: given }, context: { userId: 'ann', permissionMode: 'auto' },
      });
      const answers = [await ask('Bash', { command: 'rm -rf /' }), await ask('Bash', { command: 'ls' }), await ask('own', {})];
      await Guardrails.close();
      const guard = await sallyport();
      const runner = await guard.createRunner();
      const source = 'return (await shop.total({ n: 2 as number })) + 1';
      const tools = { 'shop.total': async ({ n }) => n };
      const ran = await runner.run({ source, tools, context: { userId: 'ann' } });
      await runner.close();
      await guard.close();
      const told = answers.map((one) => [one.blocked, one.needsApproval, one.toUserError().rule ?? null]);
      console.log(JSON.stringify([...told, [ran.status, ran.value]]));`;
    const home = join(folder, 'house');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'sallyport.toml'),
      '[tools.own]\neffect = "read"\nschema = { required = ["a"] }\n[tools.total]\nserver = "shop"\neffect = "read"\n',
    );
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: folder,
      env: { HOME: folder, SALLYPORT_HOME: home },
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      [true, false, 'mass_deletion'],
      [false, false, null],
      [true, false, 'invalid_arguments'],
      ['ok', 3],
    ]);
  });

  it('loads nothing for a verdict that the verdict does not use', () => {
    const { folder } = bundle();
    const script = `
      const before = new Set(process.moduleLoadList);
      process.argv = [process.execPath, 'sallyport', 'test', 'http://169.254.169.254/'];
      require(${JSON.stringify(join(folder, 'bin', 'sallyport.cjs'))});
      process.once('exit', () => {
        const loaded = process.moduleLoadList.filter((name) => !before.has(name));
        require('node:fs').writeSync(2, loaded.join('\\n'));
      });`;
    const { stderr, status } = spawnSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
      cwd: folder,
      env: { HOME: folder },
    });
    expect(status).toBe(1);
    for (const heavy of [
      'crypto',
      'sqlite',
      'http',
      'dns',
      'zlib',
      'tls',
      'child_process',
      'worker_threads',
    ]) {
      expect(stderr).not.toMatch(new RegExp(`NativeModule ${heavy}\\b`));
    }
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  it('has the version that the command says, and exact versions of everything', () => {
    expect(manifest.version).toBe(version);
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((wanted) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(wanted)))).toEqual([]);
  });

  it.each(['package-lock.json', 'benchmarks/package-lock.json'])(
    'has a %s without download addresses',
    (file) => {
      expect(readFileSync(file, 'utf8')).not.toContain('"resolved"');
    },
  );
});

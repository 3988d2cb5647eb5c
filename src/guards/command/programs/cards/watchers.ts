// Programs that start a command again and again, or for what they find: when files change, side by side, with settings of a
// project; and programs with options that are command lines.

import { shellCode } from '../../bash/executors/inner.ts';
import { looksLikeCommand, looksLikeScript } from '../../bash/programs.ts';
import { emptyText, mapWithHoles, singleText, type Text } from '../../bash/values.ts';
import { effect, literal, nameTarget, textOf } from '../../tools/tool.ts';
import { building, reaching } from '../builds.ts';
import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import { wraps } from '../wrappers.ts';

const published = { kind: 'deploy', detail: 'publish' } as const;

/** Tools of projects that start the command behind their options. */
const ofProjects = [
  wraps({
    names: 'distcc sccache',
    hit: { 'distcc gcc -c a.c': 'program: gcc -c a.c' },
    facts: [building('distcc')],
  }),
  wraps({
    names: 'ccache',
    options: 'd/dir= F/max-files= k/get-config= M/max-size= o/set-config= X/recompress= config-path=',
    readings: 'd dir F max-files k get-config M max-size o set-config X recompress config-path',
    hit: { 'ccache -d a gcc -c a.c': 'program: gcc -c a.c' },
    facts: [building('ccache')],
  }),
  wraps({
    names: 'nx turbo',
    options: 'configuration= exclude= output-style= project= runner= c=',
    readings: 'configuration exclude output-style project runner c',
    subcommands: 'exec',
    dashed: true,
    hit: { 'nx exec --project a -- b c': 'program: b c', 'turbo exec b': 'program: b' },
    miss: ['nx build a', 'turbo run b', 'nx'],
    facts: [
      building('nx'),
      reaching('publishes packages', /^release(?! (?:plan|changelog|version))/, published, {
        hit: {
          'nx release': "deploy 'nx release' (publish)",
          'nx release publish': "deploy 'nx release publish' (publish)",
          'turbo release patch': "deploy 'turbo release patch' (publish)",
        },
        miss: [
          'nx release --dry-run',
          'nx release --dryRun',
          'nx release --dry',
          'nx release <plan changelog version>',
          'nx run release',
        ],
      }),
    ],
  }),
  wraps({
    names: 'reflex',
    options: 'r/regex= R/inverse-regex= g/glob= G/inverse-glob= d/decoration=',
    readings: 'r regex R inverse-regex g glob G inverse-glob d decoration',
    dashed: true,
    hit: { 'reflex -r a -- b c': 'program: b c', 'reflex -d none b': 'program: b' },
    facts: [building('reflex')],
  }),
  wraps({
    names: 'entr',
    options: 's=',
    readings: 's',
    shell: 's',
    hit: { 'entr -c a b': 'program: a b', 'entr -rs "a | b"': 'shell code: a | b' },
    facts: [building('entr')],
  }),
  wraps({
    names: 'watchexec',
    options: 'e/exts= w/watch= i/ignore= d/delay-run= s/signal= f/filter= o/on-busy-update= shell= N? p?',
    readings: 'e exts w watch i ignore d delay-run s signal f filter o on-busy-update shell;; N p',
    hit: { 'watchexec -e ts -w src a b': 'program: a b' },
    facts: [building('watchexec')],
  }),
  wraps({
    names: 'cross-env env-cmd',
    options: 'f/file= e/environments= r/rc-file=',
    readings: 'f file e environments r rc-file',
    assignments: true,
    hit: { 'cross-env A=1 B=2 c d': 'program: c d A=1 B=2', 'env-cmd -f .env c d': 'program: c d' },
    miss: ['cross-env', 'cross-env A=1'],
    facts: [building('cross-env')],
  }),
  wraps({
    names: 'cross-env-shell',
    assignments: true,
    joined: true,
    hit: { 'cross-env-shell A=1 "a | b" c': 'shell code: a | b c' },
    facts: [building('cross-env-shell')],
  }),
  wraps({
    names: 'dotenv',
    options: 'e= f/file= c? v= t/template=',
    readings: 'e f file v t template;; c',
    dashed: true,
    hit: { 'dotenv -e .env -- a b': 'program: a b', 'dotenv -f .env run': 'program: run' },
    facts: [building('dotenv')],
  }),
  wraps({
    names: 'dotenvx',
    options: 'f/env-file= e/env=',
    readings: 'f env-file e env',
    subcommands: 'run',
    dashed: true,
    hit: { 'dotenvx run -f .env -- a b': 'program: a b', 'dotenvx run a': 'program: a' },
    miss: ['dotenvx get', 'dotenvx run'],
    facts: [building('dotenvx')],
  }),
  wraps({
    names: 'devenv',
    subcommands: 'shell',
    hit: { 'devenv shell a b': 'program: a b' },
    miss: ['devenv up', 'devenv shell'],
    facts: [building('devenv')],
  }),
  wraps({
    names: 'flox',
    options: 'c/command= d/dir= r/remote=',
    readings: 'c command d dir r remote',
    subcommands: 'activate',
    shell: 'command',
    dashed: true,
    hit: { 'flox activate -d a b -- c': 'program: c', 'flox activate -c "a | b"': 'shell code: a | b' },
    miss: ['flox list', 'flox activate'],
    facts: [building('flox')],
  }),
  wraps({
    names: 'dagger',
    subcommands: 'run',
    hit: { 'dagger run a b': 'program: a b' },
    miss: ['dagger call a', 'dagger run'],
    facts: [building('dagger')],
  }),
  wraps({
    names: 'dvc',
    options: 'n/name= d/deps= o/outs= p/params= w/wdir= m/metrics= O= M= dry',
    readings: 'n name d deps o outs p params w wdir m metrics O M; dry',
    subcommands: 'run',
    joined: true,
    hit: { 'dvc run -n a -d b c "|" d': 'shell code: c | d' },
    miss: ['dvc push', 'dvc run'],
    facts: [
      building('dvc'),
      {
        what: 'deletes versions of data',
        effects: (call, given) =>
          textOf(given.operands[0]) === 'gc' && !given.has('dry')
            ? [effect(call, 'delete', { detail: 'data', target: nameTarget(literal('cache')) })]
            : [],
        examples: {
          hit: { 'dvc gc -w -f': 'delete cache (data)' },
          miss: ['dvc --dry gc -w', 'dvc status'],
        },
      },
      reaching('publishes data', /^push\b/, published, {
        hit: { 'dvc push a': "deploy 'dvc push a' (publish)" },
        miss: ['dvc pull', 'dvc push --dry-run'],
      }),
    ],
  }),
];

/** Its words are the name of a script of the project's own, unless they look like a command. */
const devbox: Card = {
  names: 'devbox',
  options: 'c/config= e/env= env-file=',
  readings: 'c config e env env-file',
  manner: { stopAtOperand: true },
  facts: [
    {
      what: 'starts a command that stands where the name of a script could',
      starts: (_, given) => {
        if (singleText(given.operands[0]) !== 'run') return [];
        const [first = emptyText, ...more] = given.behind(1);
        if (more.length === 0 && looksLikeScript(singleText(first))) return [shellCode(first)];
        return looksLikeCommand([first, ...more]) ? [{ kind: 'argv', argv: [first, ...more] }] : [];
      },
      examples: {
        hit: {
          'devbox run -c a rm -rf b': 'program: rm -rf b',
          'devbox run "rm -rf /"': 'shell code: rm -rf /',
        },
        miss: ['devbox run build', 'devbox add rm -rf b', 'devbox'],
      },
    },
    building('devbox'),
  ],
};

const hyperfine: Card = {
  names: 'hyperfine',
  options:
    'p/prepare= s/setup= c/cleanup= C/conclude= r/runs= w/warmup= m/min-runs= M/max-runs= P/parameter-scan= L/parameter-list= S/shell= n/command-name= u/time-unit= export-json= export-csv= export-markdown= i/ignore-failure N style= input= output= parameter-step-size= D= export-asciidoc=',
  readings:
    'p prepare s setup c cleanup C conclude r runs w warmup m min-runs M max-runs P parameter-scan L parameter-list S shell n command-name u time-unit export-json export-csv export-markdown style input output parameter-step-size D export-asciidoc; i ignore-failure N',
  facts: [
    fact({
      what: 'runs each command line, and what prepares it',
      says: 'shell code: <-p>; shell code: <-s>; shell code: <-c>; shell code: <-C>',
      examples: {
        hit: {
          'hyperfine -p a --setup b -c c -C d e':
            'shell code: a; shell code: b; shell code: c; shell code: d',
        },
        miss: ['hyperfine a', 'hyperfine -w 3 a'],
      },
    }),
    {
      what: 'measures command lines',
      // `-P NAME 1 10` has two numbers more.
      starts: (_, given) =>
        given.operands.filter((text) => !/^[\d.]+$/.test(singleText(text))).map((text) => shellCode(text)),
      examples: {
        hit: {
          'hyperfine -P n 1 10 a': 'shell code: a',
          'hyperfine -r 5 "a | b" c': 'shell code: a | b; shell code: c',
        },
        miss: ['hyperfine', 'hyperfine -n a'],
      },
    },
    building('hyperfine'),
  ],
};

/** A script of the project in short: `npm:dev`. */
const inFull = (text: Text): Text =>
  mapWithHoles(text, (one) => one.replace(/^(npm|yarn|pnpm|bun):(?=\w)/, '$1 run '));

const concurrently: Card = {
  names: 'concurrently',
  options:
    'n/names= c/prefix-colors= p/prefix= l/prefix-length= t/timestamp-format= m/max-processes= s/success= k/kill-others r/raw g/group name-separator= hide= restart-tries= restart-after= handle-input i default-input-target= teardown= cwd=',
  readings:
    'n names c prefix-colors p prefix l prefix-length t timestamp-format m max-processes s success name-separator hide restart-tries restart-after default-input-target teardown cwd; k kill-others r raw g group handle-input i',
  facts: [
    {
      what: 'runs command lines side by side',
      starts: (_, given) =>
        [...given.operands, ...given.all('teardown')].map((text) => shellCode(inFull(text))),
      examples: {
        hit: {
          'concurrently npm:dev "pnpm:test -w"': 'shell code: npm run dev; shell code: pnpm run test -w',
          'concurrently -k -n a,b "a | b" c': 'shell code: a | b; shell code: c',
          'concurrently --teardown "x | y" a': 'shell code: a; shell code: x | y',
        },
        miss: ['concurrently', 'concurrently -n a'],
      },
    },
    building('concurrently'),
  ],
};

/** Programs with options whose value is a text for a shell. */
const withShellOption: readonly Card[] = [
  {
    names: 'chokidar',
    options: 'c/command= d/debounce= t/throttle= i/ignore= initial p/polling',
    readings: 'c command d debounce t throttle i ignore; initial p polling',
    facts: [
      fact({
        what: 'runs a command when files change',
        says: 'shell code: <-c>',
        examples: { hit: { 'chokidar a -c "b | c"': 'shell code: b | c' }, miss: ['chokidar a'] },
      }),
      building('chokidar'),
    ],
  },
  {
    names: 'nodemon',
    options: 'x/exec= e/ext= w/watch= i/ignore= d/delay= s/signal= config= cwd=',
    readings: 'x exec e ext w watch i ignore d delay s signal config cwd',
    facts: [
      fact({
        what: 'runs a command when files change',
        says: 'shell code: <-x>',
        examples: {
          hit: { 'nodemon -w a -x "b | c"': 'shell code: b | c', 'nodemon --exec=b a': 'shell code: b' },
          miss: ['nodemon a.js'],
        },
      }),
      building('nodemon'),
    ],
  },
  {
    names: 'tsup',
    options: 'onSuccess= d/out-dir= format= target= config=',
    readings: 'onSuccess d out-dir format target config',
    facts: [
      fact({
        what: 'runs a command after a build',
        says: 'shell code: <--onSuccess>',
        examples: { hit: { 'tsup a.ts --onSuccess "b | c"': 'shell code: b | c' }, miss: ['tsup a.ts'] },
      }),
      building('tsup'),
    ],
  },
  {
    names: 'air',
    options: 'build.cmd= build.bin= c=',
    readings: 'build.cmd build.bin c',
    facts: [
      fact({
        what: 'builds and runs by command lines',
        says: 'shell code: <--build.cmd>; shell code: <--build.bin>',
        examples: {
          hit: { 'air --build.cmd "a | b" --build.bin ./c': 'shell code: a | b; shell code: ./c' },
          miss: ['air -c .air.toml'],
        },
      }),
      building('air'),
    ],
  },
  {
    names: 'agetty',
    options: 'l/login-program=',
    readings: 'l login-program',
    facts: [
      fact({
        what: 'starts another login',
        says: 'shell code: <-l>',
        examples: { hit: { 'agetty -l ./x tty1': 'shell code: ./x' }, miss: ['agetty tty1'] },
      }),
    ],
  },
  {
    names: 'feh',
    options: 'A/action= info=',
    readings: 'A action info',
    facts: [
      fact({
        what: 'runs a command for a picture',
        says: 'shell code: <-A>; shell code: <--info>',
        examples: {
          hit: { 'feh a.png -A "a | b"': 'shell code: a | b', 'feh --info=./x a.png': 'shell code: ./x' },
          miss: ['feh a.png'],
        },
      }),
    ],
  },
  {
    names: 'coredumpctl',
    options: 'debugger=',
    readings: 'debugger',
    facts: [
      fact({
        what: 'starts a debugger',
        says: 'shell code: <--debugger>',
        examples: {
          hit: { 'coredumpctl debug --debugger ./x': 'shell code: ./x' },
          miss: ['coredumpctl list'],
        },
      }),
    ],
  },
  {
    names: 'nix-shell',
    options: 'run/command= p/packages= I= A/attr= arg= argstr=',
    readings: 'run command p packages I A attr arg argstr',
    facts: [
      fact({
        what: 'runs a command line',
        says: 'shell code: <--run>',
        examples: {
          hit: {
            'nix-shell -p a --run "b | c"': 'shell code: b | c',
            'nix-shell --command=b': 'shell code: b',
          },
          miss: ['nix-shell -p a'],
        },
      }),
    ],
  },
];

export const cards = [...ofProjects, devbox, hyperfine, concurrently, ...withShellOption];

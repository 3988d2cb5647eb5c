// Shells: a text behind -c, a file, or what comes in. And what a shell does itself with texts that are commands.

import { bareShell, type Inner, type Call as Start, shellCode } from '../../bash/executors/inner.ts';
import {
  concat,
  concatAll,
  hole,
  knownText,
  mapWithHoles,
  singleText,
  type Text,
  unknownText,
} from '../../bash/values.ts';
import { effect, inert, pathTarget } from '../../tools/tool.ts';
import { type Card, readCall, textWords } from '../card.ts';
import { inputEffects } from '../interpreters.ts';
import { fact } from '../phrases.ts';
import { wraps } from '../wrappers.ts';

/** `+x` takes a setting back, and `+o NAME` too: neither runs anything. */
function withoutPlus(args: readonly Text[]): readonly Text[] {
  const isName = (at: number): boolean => /^[-+]\w*[oO]$/.test(singleText(args[at - 1]));
  const end = args.findIndex((arg, at) => !/^[-+]\w/.test(singleText(arg)) && !isName(at));
  const isPlus = (at: number): boolean => singleText(args[at]).startsWith('+');
  return args.filter((_, at) => (end >= 0 && at >= end) || !(isPlus(at) || (isName(at) && isPlus(at - 1))));
}

function shellStarts({ args, fed }: Start): readonly Inner[] {
  const given = readCall(shell, withoutPlus(args), textWords);
  const onlyReads = given.has('n') || given.all('o').some((name) => singleText(name) === 'noexec');
  // With `-n` it only reads, unless someone sits before it.
  if (onlyReads && !given.has('i')) return [{ kind: 'nothing' }];
  const files = given.all('rcfile').map((path): Inner => ({ kind: 'file', language: 'shell', path }));
  const attached = given.all('command');
  if (attached.length > 0) return attached.map((text) => shellCode(text));
  const dash = singleText(given.operands[0]) === '-';
  const [first, ...rest] = dash ? given.operands.slice(1) : given.operands;
  if (given.has('c', 'command')) return first === undefined ? files : [...files, shellCode(first, rest)];
  if (first === undefined || dash || given.has('s')) {
    const positional = [unknownText(), ...(first === undefined ? [] : [first, ...rest])];
    return fed ? [...files, { kind: 'input', language: 'shell', positional }] : files;
  }
  return [...files, { kind: 'file', language: 'shell', path: first, positional: [first, ...rest] }];
}

const shell: Card = {
  names:
    'sh bash dash zsh ksh mksh ksh93 ash rbash fish csh tcsh yash posh elvish nu xonsh sash bash5 hush oil osh',
  idle: true,
  options: 'c command? o/O= rcfile/init-file= s i n l x e version help',
  manner: { stopAtOperand: true },
  readings: 'o O rcfile init-file; c s i n l x e version help; command',
  facts: [
    {
      what: 'runs a text, a file, or what comes in',
      starts: shellStarts,
      examples: {
        hit: {
          'bash -c "rm -rf /" a b': 'shell code: rm -rf /',
          'sh -xec a': 'shell code: a',
          'zsh -lc a': 'shell code: a',
          'bash -o pipefail -c a': 'shell code: a',
          'bash -o pipefail +e +o posix -c a': 'shell code: a',
          'bash -c -- a': 'shell code: a',
          'fish --command=a': 'shell code: a',
          'fish --command a': 'shell code: a',
          'bash a.sh -c b': 'shell file: a.sh',
          'bash --rcfile a.rc': 'shell file: a.rc',
          'bash --init-file a.rc -i b.sh': 'shell file: a.rc; shell file: b.sh',
          "'a' | sh": 'shell input',
          "'a' | sh -s b": 'shell input',
          "'a' | bash - b": 'shell input',
          'bash -n a.sh': 'nothing',
          'bash -o noexec a.sh': 'nothing',
          'bash -n -i a.sh': 'shell file: a.sh',
          'bash -n -c a': 'nothing',
        },
        miss: ['bash', 'bash -l', 'sh -c'],
      },
    },
    {
      what: 'runs a script',
      always: true,
      effects: (call, given) => {
        if (given.has('version', 'help')) return inert(call);
        const [script] = given.operands;
        if (given.has('c', 'command')) return [effect(call, 'run', { detail: 'inline' })];
        if (!script || given.has('s') || (script.kind === 'literal' && script.text === '-'))
          return inputEffects(call);
        return [effect(call, 'run', { detail: 'script', target: pathTarget(script) })];
      },
      examples: {
        hit: {
          'bash -c a': 'run (inline)',
          'fish --command=a': 'run (inline)',
          'sh a.sh b': 'run a.sh (script)',
          'sh -s a': 'run (stdin)',
          'sh -': 'run (stdin)',
          bash: 'run (stdin)',
          "'' | bash": 'inert',
          'bash --version': 'inert',
          'zsh --help': 'inert',
        },
        miss: [],
      },
    },
  ],
};

/** PowerShell's comments of several lines, up to the first quote: behind it they could be part of a text. */
function withoutBlockComments(code: string): string {
  let [kept, rest] = ['', code];
  for (;;) {
    const open = rest.indexOf('<#');
    const close = rest.indexOf('#>', open + 2);
    if (open === -1 || close === -1 || /["'@]/.test(rest.slice(0, open))) return kept + rest;
    kept += `${rest.slice(0, open)} `;
    rest = rest.slice(close + 2);
  }
}

/** Options are the same in every case. */
function lowerOptions(args: readonly Text[]): readonly Text[] {
  return args.map((arg) =>
    /^-[a-z]+$/i.test(singleText(arg)) ? mapWithHoles(arg, (text) => text.toLowerCase()) : arg,
  );
}

const powershell: Card = {
  names: 'pwsh powershell powershell.exe',
  idle: true,
  options:
    'c/co/com/command=+ f/fi/file=+ e/ec/en/enc/encodedcommand= executionpolicy/ex/ep/exec= windowstyle/w= version/v= outputformat/o= inputformat/i= configurationname/config= settingsfile/settings= workingdirectory/work/wd= psconsolefile/ps/p= custompipename= noprofile nop nologo noninteractive noexit sta mta login l interactive',
  manner: { wholeWords: true, stopAtOperand: true },
  readings:
    'c co com command f fi file e ec en enc encodedcommand executionpolicy ex ep exec windowstyle w version v outputformat o inputformat i configurationname config settingsfile settings workingdirectory work wd psconsolefile ps p custompipename; noprofile nop nologo noninteractive noexit sta mta login l interactive',
  facts: [
    {
      what: 'runs a text, a file, or what comes in',
      always: true,
      starts: ({ args, fed }) => {
        const given = readCall(powershell, lowerOptions(args), textWords);
        if (given.has('encodedcommand')) return [{ kind: 'unknown' }];
        const code = given.last('command');
        if (code !== undefined)
          return [shellCode(mapWithHoles(concatAll([code, ...given.operands], ' '), withoutBlockComments))];
        const path = given.last('file') ?? given.operands[0];
        if (path === undefined) return fed ? [{ kind: 'input', language: 'shell' }] : [bareShell];
        return given.has('file') || /\.ps1$/i.test(singleText(path))
          ? [{ kind: 'file', language: 'other', path }]
          : [shellCode(concatAll(given.operands, ' '))];
      },
      examples: {
        hit: {
          'pwsh -Command rm -r a': 'shell code: rm -r a',
          'powershell -NoProfile -ExecutionPolicy Bypass -c "rm a; b"': 'shell code: rm a; b',
          'pwsh -File a.ps1 b': 'other file: a.ps1',
          'powershell -enc AAAA': 'unknown',
          'pwsh a.ps1': 'other file: a.ps1',
          'pwsh rm a': 'shell code: rm a',
          "'a' | pwsh": 'shell input',
          pwsh: 'program: sh',
        },
        miss: [],
      },
    },
    {
      what: 'runs a script',
      always: true,
      effects: (call, { operands: [script] }) =>
        script ? [effect(call, 'run', { detail: 'script', target: pathTarget(script) })] : inputEffects(call),
      examples: { hit: { 'pwsh a.ps1': 'run a.ps1 (script)', pwsh: 'run (stdin)' }, miss: [] },
    },
  ],
};

/** `source [-p path] file words`. */
const source: Card = {
  names: 'source .',
  idle: true,
  options: 'p=',
  manner: { stopAtOperand: true },
  readings: 'p',
  facts: [
    {
      what: 'runs a file in the shell itself',
      starts: (_, given) => {
        const [file] = given.operands;
        if (file === undefined) return [];
        const path = given.has('p') ? unknownText() : file;
        return [{ kind: 'file', language: 'shell', path, positional: given.operands }];
      },
      examples: {
        hit: {
          'source a.sh b': 'shell file: a.sh',
          '. ./a.sh': 'shell file: ./a.sh',
          'source -p b a.sh': 'shell file: …',
        },
        miss: ['source', '. -p a'],
      },
    },
    {
      what: 'runs a script',
      effects: (call, { operands: [script] }) =>
        script ? [effect(call, 'run', { detail: 'script', target: pathTarget(script) })] : [],
      examples: { hit: { 'source a.sh': 'run a.sh (script)' }, miss: ['source'] },
    },
  ],
};

const evaluated: Card = {
  names: 'eval',
  idle: true,
  options: '',
  manner: { stopAtOperand: true },
  readings: '',
  facts: [
    {
      what: 'runs its words as one command line',
      starts: ({ args }) =>
        args.length === 0
          ? []
          : [shellCode(concatAll(singleText(args[0]) === '--' ? args.slice(1) : args, ' '))],
      examples: {
        hit: {
          'eval rm -rf a': 'shell code: rm -rf a',
          'eval "a | b"': 'shell code: a | b',
          'eval -- a': 'shell code: a',
          'eval $A -b': 'shell code: … -b',
        },
        miss: ['eval'],
      },
    },
  ],
};

const trap: Card = {
  names: 'trap',
  idle: true,
  options: '',
  manner: { stopAtOperand: true },
  readings: '',
  facts: [
    {
      what: 'runs a command line at the end, or at a signal',
      starts: (_, { operands: [text, ...signals] }) =>
        text === undefined || signals.length === 0 || singleText(text) === '-' ? [] : [shellCode(text)],
      examples: {
        hit: { 'trap "rm -rf a" EXIT': 'shell code: rm -rf a', 'trap -- a INT TERM': 'shell code: a' },
        miss: ['trap', 'trap -p INT', 'trap INT', 'trap -l', 'trap - INT'],
      },
    },
  ],
};

/** The name of a variable and a body: a shell that is started takes them for a function. */
const command: Card = {
  names: 'command',
  idle: true,
  options: 'p v V',
  manner: { stopAtOperand: true, stopAtUnknown: true },
  readings: '; p v V',
  facts: [
    {
      what: 'starts a program, and no function of that name',
      starts: ({ args }, given) => {
        if (given.has('v', 'V')) return [];
        const text = singleText(args[0]);
        // With an option that it does not have it only says so.
        if (/^-[^-]/.test(text) && !/^-p+$/.test(text) && !text.includes(hole)) return [{ kind: 'nothing' }];
        return given.operands.length === 0 ? [] : [{ kind: 'argv', argv: given.operands }];
      },
      examples: {
        hit: {
          'command rm a': 'program: rm a',
          'command -p rm -r a': 'program: rm -r a',
          'command -- rm a': 'program: rm a',
          'command -x rm': 'nothing',
        },
        miss: ['command -v rm', 'command -pV rm', 'command'],
      },
    },
  ],
};

/** Builtins of bash with an option whose value is a command. */
const completing: readonly Card[] = [
  {
    names: 'mapfile readarray complete compgen',
    options: 'C= W= A= F= G= P= S= X= c= d= n= O= s= u= a b e f g j k v',
    readings: 'C W A F G P S X c d n O s u; a b e f g j k v',
    facts: [
      fact({
        what: 'runs a command for each line or word',
        says: 'shell code: <-C>',
        examples: {
          hit: { 'mapfile -C "a | b" c': 'shell code: a | b', 'complete -C ./a b': 'shell code: ./a' },
          miss: ['mapfile a'],
        },
      }),
      {
        what: 'expands the words that it offers',
        starts: ({ program }, given) =>
          program === 'compgen'
            ? given.all('W').map((words) => shellCode(concat(knownText('echo '), words)))
            : [],
        examples: {
          hit: { "compgen -W '$(a)'": 'shell code: echo $(a)' },
          miss: ['compgen -c a', 'complete -W a b'],
        },
      },
    ],
  },
  {
    names: 'fc',
    options: 'e= l n r s',
    readings: 'e; l n r s',
    facts: [
      fact({
        what: 'starts an editor and runs what it wrote',
        says: 'shell code: <-e>',
        examples: { hit: { 'fc -e ./a 1': 'shell code: ./a' }, miss: ['fc -l'] },
      }),
    ],
  },
  {
    names: 'bind',
    options: 'x= m= q= u= r= f= l p P s S v V X',
    readings: 'x m q u r f; l p P s S v V X',
    facts: [
      {
        what: 'binds a key to a command line',
        starts: (_, given) => given.all('x').flatMap(keyCommand),
        examples: {
          hit: { 'bind -x \'"k": rm -rf a\'': 'shell code: rm -rf a', 'bind -x a:b': 'shell code: b' },
          miss: ['bind -p', 'bind a:b'],
        },
      },
    ],
  },
];

function keyCommand(binding: Text): readonly Inner[] {
  return binding.alternatives.flatMap((text): readonly Inner[] => {
    const found = /^[^:]*:\s*["']?([^"']+)/s.exec(text)?.[1];
    return found === undefined ? [] : [shellCode(knownText(found))];
  });
}

const busybox = wraps({
  names: 'busybox toybox',
  hit: { 'busybox rm -rf a': 'program: rm -rf a', 'toybox sh -c a': 'program: sh -c a' },
});

export const cards = [shell, powershell, source, evaluated, trap, command, ...completing, busybox];

// Tracers, debuggers and other programs that take hold of a process that runs; one that they start is judged as theirs.

import { type Inner, shellCode } from '../../bash/executors/inner.ts';
import { knownText, singleText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  nameTarget,
  read,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card, Examples, Fact, Given } from '../card.ts';
import { debuggerCommands, typedCommands, typedLines } from '../editors.ts';
import { startFact, type Wrapper } from '../wrappers.ts';

/** A process is held: by its number or name, or every one that there is. */
function attach(call: Call, who: Value | 'all', detail: string): Effect {
  return who === 'all'
    ? effect(call, 'attach', { detail: `${detail} all` })
    : effect(call, 'attach', { target: nameTarget(who), detail });
}

/** It takes hold of the processes that these options, or its operands, name. */
function holds(
  detail: string,
  who: (given: Given<Value>, call: Call) => readonly Value[],
  examples: Examples,
): Fact {
  return {
    what: `takes hold of a process: ${detail}`,
    effects: (call, given) => who(given, call).map((one) => attach(call, one, detail)),
    examples,
  };
}

const manner = { stopAtOperand: true } as const;

interface Row extends Pick<Card, 'names' | 'options' | 'readings' | 'manner'> {
  readonly starts?: Omit<Wrapper, 'names' | 'options'> & { readonly options?: string };
  readonly facts?: readonly Fact[];
}

/** The card of a program that holds processes, and may start one. */
function holder({ starts, facts = [], ...card }: Row, held: Fact): Card {
  const started =
    starts === undefined ? [] : [startFact({ names: card.names, options: card.options, ...starts })];
  return { ...card, facts: [...started, held, ...facts] };
}

const ofOption =
  (...names: readonly string[]) =>
  (given: Given<Value>): readonly Value[] =>
    given.all(...names);

const strace = holder(
  {
    names: 'strace',
    options: 'a= b= e= E= I= o= O= p/attach= P= s= S= u= U= X= f F c C d h i k n q r t T v V w x y z Z D',
    readings: 'a b e E I o O p attach P s S u U X; f F c C d h i k n q r t T v V w x y z Z D',
    manner,
    starts: {
      hit: { 'strace -f -e trace=file -o a.log rm b': 'program: rm b' },
      miss: ['strace -p 1', 'strace -c'],
    },
    facts: [
      {
        what: 'hands what it sees to a program',
        starts: (_, given) => pipes(given.all('o').map(singleText)),
        examples: {
          hit: { "strace -o '|rm a' ls": 'shell code: rm a', "strace -o'!rm a' ls": 'shell code: rm a' },
          miss: ['strace -o a.log ls'],
        },
      },
    ],
  },
  holds('trace', ofOption('p'), {
    hit: {
      'strace -fp 1': 'attach 1 (trace)',
      'strace --attach=1 -p 2': 'attach 1 (trace); attach 2 (trace)',
    },
    miss: ['strace ls'],
  }),
);

/** The names of files that are command lines. */
function pipes(names: readonly string[]): readonly Inner[] {
  return names.flatMap((name) => (/^[|!]./.test(name) ? [shellCode(knownText(name.slice(1)))] : []));
}

const ltrace = holder(
  {
    names: 'ltrace',
    options: 'a= A= e= D= F= l= n= o= p= s= u= w= x= f c C d h i L r S t T V b',
    readings: 'a A e D F l n o p s u w x; f c C d h i L r S t T V b',
    manner,
    starts: { hit: { 'ltrace -e malloc rm b': 'program: rm b' }, miss: ['ltrace -p 1'] },
  },
  holds('trace', ofOption('p'), { hit: { 'ltrace -p 1': 'attach 1 (trace)' }, miss: ['ltrace ls'] }),
);

const dtruss = holder(
  {
    names: 'dtruss',
    options: 'n= p= t= W= a b c d e f l o s',
    readings: 'n p t W; a b c d e f l o s',
    manner,
    starts: { hit: { 'dtruss -t open rm b': 'program: rm b' }, miss: ['dtruss -p 1'] },
  },
  holds('trace', ofOption('n', 'p', 'W'), {
    hit: {
      'dtruss -p 1': 'attach 1 (trace)',
      'dtruss -n web': 'attach web (trace)',
      'dtruss -W web': 'attach web (trace)',
    },
    miss: ['dtruss ls'],
  }),
);

/** What perf does by itself, and how. */
const perfFollows: Readonly<Record<string, string>> = {
  trace: 'trace',
  ftrace: 'trace',
  record: 'profile',
  top: 'profile',
  stat: 'count',
};
const perfOptions =
  'p/pid= t/tid= a/all-cpus u/uid= e/event= o/output= F/freq= g call-graph= c/count= C/cpu= i/input= s d D/delay= m/mmap-pages= j= k/clockid= r/repeat= I= G/cgroup= x= filter= v q';

const perf: Card = {
  names: 'perf',
  options: '',
  readings: '',
  optionsFirst: true,
  manner,
  verbs: Object.fromEntries(Object.keys(perfFollows).map((verb) => [verb, perfOptions])),
  verbReadings: Object.fromEntries(
    Object.keys(perfFollows).map((verb) => [
      verb,
      'p pid t tid u uid e event o output F freq call-graph c count C cpu i input D delay m mmap-pages j k clockid r repeat I G cgroup x filter; a all-cpus g s d v q',
    ]),
  ),
  facts: [
    {
      what: 'starts what it measures',
      verbs: ['stat', 'record', 'trace'],
      starts: (_, { operands }) => (operands.length === 0 ? [] : [{ kind: 'argv', argv: operands }]),
      examples: {
        hit: {
          'perf <stat record trace> -e x rm a': 'program: rm a',
          'perf stat -o a -- rm b': 'program: rm b',
        },
        miss: ['perf top', 'perf record -p 1', 'perf report rm'],
      },
    },
    {
      what: 'follows processes, or all of them',
      effects: (call, given) => {
        const how = perfFollows[given.verb ?? ''];
        if (how === undefined || given.has('input')) return [];
        const named = given.all('pid', 'tid');
        if (named.length > 0) return named.map((who) => attach(call, who, how));
        const all = given.has('all-cpus', 'uid') || given.operands.length === 0;
        return all && how !== 'count' ? [attach(call, 'all', how)] : [];
      },
      examples: {
        hit: {
          'perf <trace ftrace> -p 1': 'attach 1 (trace)',
          'perf <record top> --tid 1': 'attach 1 (profile)',
          'perf stat -p 1': 'attach 1 (count)',
          'perf <record top>': 'attach (profile all)',
          'perf record -a ls': 'attach (profile all)',
          'perf record -u 0 ls': 'attach (profile all)',
        },
        miss: ['perf stat', 'perf stat ls', 'perf record ls', 'perf top -i a', 'perf report', 'perf'],
      },
    },
  ],
};

/** A program that follows all processes, unless it only tells what it could follow. */
function everywhere(names: string, tells: RegExp, examples: Examples, facts: readonly Fact[] = []): Card {
  return {
    names,
    options: '',
    readings: '',
    facts: [
      {
        what: 'follows all processes',
        effects: (call) =>
          call.args.some((argument) => tells.test(beginningOf(argument)))
            ? []
            : [attach(call, 'all', 'trace')],
        examples,
      },
      ...facts,
    ],
  };
}

const bpftrace = everywhere('bpftrace', /^(?:-l|-V|--version|--info|-h|--help)$/, {
  hit: { 'bpftrace a.bt': 'attach (trace all)', bpftrace: 'attach (trace all)' },
  miss: ['bpftrace -<l V h>', 'bpftrace --<version help info>'],
});

const tracers: readonly Card[] = [
  {
    ...bpftrace,
    options: 'e= o= p= l= f= B= c= K=',
    readings: 'e o p l f B c K',
    manner,
    facts: [
      {
        what: 'runs a program of its language, and the command that it follows',
        starts: ({ fed }, given): readonly Inner[] => {
          const code = given.all('e').map((text): Inner => ({ kind: 'code', language: 'other', text }));
          const files = code.length > 0 ? [] : given.operands.slice(0, 1);
          return [
            ...code,
            ...files.map(
              (path): Inner =>
                singleText(path) === '-'
                  ? { kind: 'input', language: 'other' }
                  : { kind: 'file', language: 'other', path },
            ),
            ...(code.length + files.length === 0 && fed
              ? [{ kind: 'input', language: 'other' } as const]
              : []),
            ...given.all('c').map((text) => shellCode(text)),
          ];
        },
        examples: {
          hit: {
            'bpftrace -e a -c "rm b"': 'other code: a; shell code: rm b',
            'bpftrace -o c a.bt': 'other file: a.bt',
            "'a' | bpftrace -": 'other input',
            "'a' | bpftrace": 'other input',
          },
          miss: ['bpftrace', 'bpftrace -p 1'],
        },
      },
      ...bpftrace.facts,
    ],
  },
  everywhere('bpftool', /^(?:show|list|help|version|feature|--version|-V)$/, {
    hit: { 'bpftool prog load a b': 'attach (trace all)' },
    miss: ['bpftool prog <show list help>', 'bpftool <version feature>', 'bpftool <--version -V>'],
  }),
  everywhere('trace-cmd', /^(?:report|list|show|stat|stop|clear|reset|check-events|dump|hist|-h|--help)$/, {
    hit: { 'trace-cmd record -e all': 'attach (trace all)' },
    miss: ['trace-cmd <report list show stat stop clear reset check-events dump hist -h --help>'],
  }),
  everywhere('stap', /^(?:-l|-L|-V|--version|--help)$/, {
    hit: { 'stap a.stp': 'attach (trace all)' },
    miss: ['stap <-l -L -V --version --help>'],
  }),
  everywhere('dtrace', /^(?:-l|-V|-h)$/, {
    hit: { 'dtrace -n a': 'attach (trace all)' },
    miss: ['dtrace -<l V h>'],
  }),
];

const sysdig: Card = {
  names: 'sysdig csysdig',
  options: 'r/read= w/write= c/chisel= n= s= p= M= l L h F',
  readings: 'r read w write c chisel n s p M; l L h F',
  facts: [
    {
      what: 'follows all processes, or reads what it saw before',
      effects: (call, given) => {
        if (given.has('l', 'L', 'h')) return [];
        return given.has('read')
          ? given.all('read').flatMap((path) => read(call, path))
          : [attach(call, 'all', 'trace')];
      },
      examples: {
        hit: { 'sysdig -c topprocs': 'attach (trace all)', 'sysdig -r a.scap': 'read a.scap' },
        miss: ['sysdig -<l L h>'],
      },
    },
  ],
};

// ── Debuggers.

function isNumber(value: Value): boolean {
  return value.kind !== 'literal' || /^(?:\d+|%.*)$/.test(value.text);
}

/** In a batch nobody types: a debugger does what its words say. */
function isLook({ io }: Call, given: Given<Value>): boolean {
  if (given.has('x', 'ix', 'command') || (given.behindDashes?.length ?? 0) > 0) return false;
  const told = given.all('ex', 'iex').map(beginningOf);
  if (told.length === 0) return io.stdinFed !== true;
  const looks = /^(?:bt|backtrace|where|info|list|frame|up|down|run|thread|quit|break|b|r|continue|c)\b/;
  return given.has('batch') && told.every((text) => looks.test(text));
}

const gdbOptions =
  'p/pid= c/core= x/command= ix= ex/eval-command= iex= d/directory= cd= s/symbols= e/exec= se= b= l= tty= args batch/batch-silent q/quiet n/nx nh w nw tui';

const gdb: Card = {
  names: 'gdb gdb-multiarch cgdb',
  options: gdbOptions,
  readings:
    'p pid c core x command ix ex eval-command iex d directory cd s symbols e exec se b l tty; args batch batch-silent q quiet n nx nh w nw tui',
  manner: { wholeWords: true },
  facts: [
    {
      what: 'runs what its commands say, and waits for them where there are none',
      starts: (call, given) => [
        ...(call.args.length === 0 && !call.fed ? [{ kind: 'unknown' } as const] : []),
        ...typedCommands(given.all('ex', 'iex')),
        ...(given.has('args') && given.operands.length > 0
          ? [{ kind: 'argv', argv: given.operands } as const]
          : []),
        ...typedLines(call),
      ],
      examples: {
        hit: {
          gdb: 'unknown',
          "gdb -batch -ex 'shell rm a' b": 'shell code: rm a',
          "gdb --eval-command='!rm a' b": 'shell code: rm a',
          'gdb --args rm a': 'program: rm a',
        },
        miss: ['gdb a', 'gdb -p 1', 'gdb -batch -ex bt a'],
      },
    },
    {
      what: 'takes hold of a process, or does what nobody sees',
      effects: (call, given) => {
        // `gdb program 1234`: a number behind the program is a process, unless it is the program's own argument.
        const behind = given.has('args') ? [] : given.operands.slice(1).filter(isNumber);
        const joined = call.args.flatMap((word) => /^-p(\d+)$/.exec(beginningOf(word))?.[1] ?? []);
        const told = call.args.flatMap((word) => /^\s*attach\s+(\S+)/.exec(beginningOf(word))?.[1] ?? []);
        const named = [...given.all('pid'), ...behind, ...[...joined, ...told].map(literal)];
        if (named.length > 0) return named.map((who) => attach(call, who, 'debug'));
        return isLook(call, given)
          ? []
          : [effect(call, 'run', { detail: 'script', target: nameTarget(call.args.at(-1)) })];
      },
      examples: {
        hit: {
          'gdb -p 1': 'attach 1 (debug)',
          'gdb -p1': 'attach 1 (debug)',
          'gdb a 1': 'attach 1 (debug)',
          "gdb -batch -ex 'attach 1'": 'attach 1 (debug)',
          "gdb -batch -ex 'call system(1)' a": 'run a (script)',
          'gdb -x a.gdb b': 'run b (script)',
          'gdb -ex bt a': 'run a (script)',
          "'bt' | gdb a": 'run a (script)',
        },
        miss: ['gdb a', 'gdb -batch -ex run -ex bt --args a 1', 'gdb'],
      },
    },
  ],
};

const lldb = holder(
  {
    names: 'lldb',
    options:
      'p/attach-pid= n/attach-name= c/core= o/one-line= O/one-line-before-file= s/source= S= k/one-line-on-crash= K= f/file= a/arch= w b/batch Q x X l= P',
    readings:
      'p attach-pid n attach-name c core o one-line O one-line-before-file s source S k one-line-on-crash K f file a arch l; w b batch Q x X P',
    manner,
    facts: [
      {
        what: 'runs what its commands say',
        starts: (_, given) => debuggerCommands(given.all('o', 'O', 'k', 'K')),
        examples: {
          hit: {
            "lldb -o 'platform shell rm a' b": 'shell code: rm a',
            "lldb -o 'script import os' b": 'python code: import os',
            "lldb --batch -o 'shell rm a'": 'shell code: rm a',
          },
          miss: ['lldb a', 'lldb -o bt a'],
        },
      },
    ],
  },
  holds('debug', ofOption('attach-pid', 'attach-name'), {
    hit: { 'lldb -p 1': 'attach 1 (debug)', 'lldb -n web': 'attach web (debug)' },
    miss: ['lldb a'],
  }),
);

const everyOperand = ({ operands }: Given<Value>): readonly Value[] => operands;

const holders: readonly Card[] = [
  holder(
    { names: 'reptyr', options: 'l L s T v', readings: '; l L s T v' },
    holds('debug', everyOperand, { hit: { 'reptyr -s 1': 'attach 1 (debug)' }, miss: ['reptyr -l'] }),
  ),
  holder(
    {
      names: 'py-spy rbspy austin',
      options: 'p/pid= o/output= d/duration= r/rate= f/format=',
      readings: 'p pid o output d duration r rate f format',
    },
    holds('memory', ofOption('pid'), {
      hit: { 'py-spy dump --pid 1 -d 5': 'attach 1 (memory)' },
      miss: ['py-spy record -- a'],
    }),
  ),
  holder(
    {
      names: 'frida frida-trace',
      options: 'p/attach-pid= n/attach-name= f= l= e= i= I= m= D=',
      readings: 'p attach-pid n attach-name f l e i I m D',
    },
    holds('debug', (given) => [...given.all('p', 'n'), ...given.operands], {
      hit: {
        'frida -p 1': 'attach 1 (debug)',
        'frida-trace -i open web': 'attach web (debug)',
        'frida -n web': 'attach web (debug)',
      },
      miss: ['frida -f a', 'frida'],
    }),
  ),
  holder(
    {
      names: 'eu-stack pstack gstack jstack jmap jinfo',
      options: 'p/pid= F= l= m h heap histo= dump=',
      readings: 'p pid F l histo dump; m h heap',
    },
    holds('memory', (given) => [...given.all('pid'), ...given.operands.slice(-1)], {
      hit: {
        'jmap -histo 1': 'attach 1 (memory)',
        'eu-stack -p 1': 'attach 1 (memory)',
        'jstack -l 1 2': 'attach 2 (memory)',
      },
      miss: ['jstack'],
    }),
  ),
  holder(
    { names: 'jcmd', options: 'l h f=', readings: 'f; l h' },
    holds('debug', ({ operands }) => operands.slice(0, 1), {
      hit: { 'jcmd 1 GC.run': 'attach 1 (debug)' },
      miss: ['jcmd -l', 'jcmd'],
    }),
  ),
  holder(
    { names: 'dlv', options: '', readings: '' },
    holds('debug', ({ operands: [verb, who = unknownValue] }) => (textOf(verb) === 'attach' ? [who] : []), {
      hit: { 'dlv attach 1': 'attach 1 (debug)', 'dlv attach': 'attach … (debug)' },
      miss: ['dlv debug', 'dlv'],
    }),
  ),
  holder(
    {
      names: 'nsenter',
      options: 't/target= S/setuid= G/setgid= W/wdns= m? u? i? n? p? U? C? T? r? w? a F Z',
      readings: 't target S setuid G setgid W wdns; a F Z; m u i n p U C T r w',
      manner: { stopAtOperand: true, stopAtUnknown: true },
      starts: {
        alone: 'shell',
        hit: { 'nsenter -t 1 -m -- rm a': 'program: rm a', 'nsenter -t 1 -a': 'program: sh' },
      },
    },
    holds('namespaces', ofOption('target'), {
      hit: { 'nsenter -t 1 -m ls': 'attach 1 (namespaces)' },
      miss: ['nsenter --net=/a ls'],
    }),
  ),
];

const dumps: readonly Card[] = [
  {
    names: 'gcore',
    options: 'a o= d=',
    readings: 'o d; a',
    facts: [
      {
        what: 'writes the memory of a process to a file',
        always: true,
        effects: (call, { operands }) => [
          ...operands.map((who) => attach(call, who, 'memory')),
          ...write(call, literal('core'), { detail: 'create' }),
        ],
        examples: { hit: { 'gcore -o a 1': 'attach 1 (memory); write core (create)' }, miss: [] },
      },
    ],
  },
  {
    names: 'criu',
    options: 't/tree= p/pid= D/images-dir= o= W= v',
    readings: 't tree p pid D images-dir o W; v',
    facts: [
      {
        what: 'freezes a process to files, or thaws one',
        effects: (call, given) => {
          const [verb] = call.args;
          if (/^(?:check|--version|-V|-h|--help)$/.test(beginningOf(verb ?? literal('check')))) return [];
          const named = given.all('tree', 'pid');
          return named.length > 0
            ? named.map((who) => attach(call, who, 'memory'))
            : [effect(call, 'run', { detail: 'verb', target: nameTarget(verb) })];
        },
        examples: {
          hit: { 'criu dump -t 1 -D a': 'attach 1 (memory)', 'criu restore -D a': 'run restore (verb)' },
          miss: ['criu check', 'criu', 'criu <-V -h>'],
        },
      },
    ],
  },
];

export const cards: readonly Card[] = [
  strace,
  ltrace,
  dtruss,
  perf,
  ...tracers,
  sysdig,
  gdb,
  lldb,
  ...holders,
  ...dumps,
];

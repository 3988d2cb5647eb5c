// Tracers: programs that follow what processes do.

import { type Inner, shellCode } from '../../bash/executors/inner.ts';
import { knownText, singleText } from '../../bash/values.ts';
import { beginningOf, read } from '../../tools/tool.ts';
import type { Card, Examples, Fact } from '../card.ts';
import { attach, holder, holds, manner, ofOption } from '../holders.ts';

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

export const cards: readonly Card[] = [strace, ltrace, dtruss, perf, ...tracers, sysdig];

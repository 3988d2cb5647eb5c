import type { Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  nameTarget,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card, Given } from '../card.ts';
import { debuggerCommands, typedCommands, typedLines } from '../editors.ts';
import { attach, holder, holds, manner, ofOption } from '../holders.ts';

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

export const cards: readonly Card[] = [gdb, lldb, ...holders, ...dumps];

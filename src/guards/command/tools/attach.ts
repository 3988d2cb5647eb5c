// Tracers, debuggers and other programs that take hold of a process that runs; one that they start is judged as theirs.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  type Manner,
  nameTarget,
  options,
  orInert,
  type Reading,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

/** A process is held: by its number or name, or every one that there is. */
function attach(call: Call, who: Value | 'all', detail: string): Effect {
  return who === 'all'
    ? effect(call, 'attach', { detail: `${detail} all` })
    : effect(call, 'attach', { target: nameTarget(who), detail });
}

interface Row {
  /** The options, of which those in `pids` name processes. */
  readonly options: string;
  readonly pids?: readonly string[];
  /** The operands that name processes. */
  readonly operands?: (given: Reading) => readonly Value[];
  /** Whether the call changes a process, for programs that otherwise tell about it. */
  readonly changes?: (given: Reading, args: readonly Value[]) => boolean;
  readonly detail: string;
  readonly manner?: Manner;
}

const stops: Manner = { stopAtOperand: true };

/** A program that holds the processes that its options or operands name. */
function holder({ options: description, pids = [], operands, changes, detail, manner }: Row): Tool {
  const parse = options(description, manner ?? {});
  return (call) => {
    const given = parse(call.args);
    if (changes?.(given, call.args) === false) return inert(call);
    const named = [...given.all(...pids), ...(operands?.(given) ?? [])];
    return orInert(
      call,
      named.map((who) => attach(call, who, detail)),
    );
  };
}

const everyOperand = ({ operands }: Reading): readonly Value[] => operands;
const firstOperand = ({ operands }: Reading): readonly Value[] => operands.slice(0, 1);
const lastOperand = ({ operands }: Reading): readonly Value[] => operands.slice(-1);

/** A program that follows all processes, unless it only tells what it could follow. */
const everywhere =
  (tells: RegExp): Tool =>
  (call) =>
    call.args.length === 0 || !call.args.some((argument) => tells.test(beginningOf(argument)))
      ? [attach(call, 'all', 'trace')]
      : inert(call);

const perfOptions = options(
  'p/pid= t/tid= a/all-cpus u/uid= e/event= o/output= F/freq= g call-graph= c/count= C/cpu= i/input= s d D/delay= m/mmap-pages= j= k/clockid= r/repeat= I= G/cgroup= x= filter= v q',
  stops,
);
/** What perf is told before its options: what it follows by itself, and how. */
const perfFollows: Readonly<Record<string, string>> = {
  trace: 'trace',
  ftrace: 'trace',
  record: 'profile',
  top: 'profile',
  stat: 'count',
};
const perf: Tool = (call) => {
  const [verb, ...rest] = call.args;
  const how = perfFollows[textOf(verb) ?? ''];
  const given = perfOptions(rest);
  if (how === undefined || given.has('input')) return inert(call);
  const named = given.all('pid', 'tid');
  if (named.length > 0) return named.map((who) => attach(call, who, how));
  const all = given.has('all-cpus', 'uid') || given.operands.length === 0;
  return all && how !== 'count' ? [attach(call, 'all', how)] : inert(call);
};

/** In a batch nobody types: a debugger does what its words say. */
function isLook(call: Call, texts: readonly string[]): boolean {
  const told = texts.filter((_, index) => /^--?(?:i?ex|eval-command)$/.test(texts[index - 1] ?? ''));
  const scripted = texts.some((text) => /^--?(?:i?x|command|\w+=)/.test(text));
  if (scripted) return false;
  if (told.length === 0) return call.io.stdinFed !== true;
  const batch = texts.some((text) => /^--?batch(?:-silent)?$/.test(text));
  const looks = /^(?:bt|backtrace|where|info|list|frame|up|down|run|thread|quit|break|b|r|continue|c)\b/;
  return batch && told.every((text) => looks.test(text));
}

const gdbOptions = options(
  'p/pid= c/core= x/command= ix= ex/eval-command= iex= d/directory= cd= s/symbols= e/exec= se= b= l= tty= args batch q/quiet n/nx nh w nw tui',
  { wholeWords: true },
);
const gdb: Tool = (call) => {
  const texts = call.args.map(beginningOf);
  const given = gdbOptions(call.args);
  // `gdb program 1234`: a number behind the program is a process, unless it is the program's own argument.
  const behind = given.has('args') ? [] : given.operands.slice(1).filter(isNumber);
  const joined = call.args.filter((argument) => /^-p\d+$/.test(beginningOf(argument)));
  const told = texts.flatMap((text) => /^\s*attach\s+(\S+)/.exec(text)?.[1] ?? []).map(literal);
  const named = [...given.all('pid'), ...behind, ...joined.map(withoutDash), ...told];
  if (named.length > 0) return named.map((who) => attach(call, who, 'debug'));
  return isLook(call, texts)
    ? inert(call)
    : [effect(call, 'run', { detail: 'script', target: nameTarget(call.args.at(-1)) })];
};

function isNumber(value: Value): boolean {
  return value.kind !== 'literal' || /^(?:\d+|%.*)$/.test(value.text);
}

function withoutDash(value: Value): Value {
  return literal(beginningOf(value).replace(/^-p/, ''));
}

const gcore: Tool = (call) => [
  ...options('a o= d=')(call.args).operands.map((who) => attach(call, who, 'memory')),
  ...write(call, literal('core'), { detail: 'create' }),
];

/** Words of ps that take the next one as their value. */
const psValue =
  /^(?:-[a-zA-Z]*|[a-zA-Z]*)[poCuUGgtsqkO]$|^--(?:pid|ppid|user|User|group|Group|sort|format|tty|sid|cols|rows|lines|columns|quick-pid)$/;
const psPid = /^(?:-?[a-zA-Z]*[pq]|--(?:quick-)?pid)$/;
/** Without a dash an `e` shows the environment; with one it shows every process. */
const psEnvironment = /^[a-zA-Z]*e[a-zA-Z]*$|^-[a-zA-Z]*E|^-?-?(?:o|format)[= ]?\S*\benviron\b/;

const ps: Tool = (call) => {
  let shows = false;
  const named: Value[] = [];
  for (let index = 0; index < call.args.length; index += 1) {
    const argument = call.args[index] ?? unknownValue;
    const text = beginningOf(argument);
    const joined = /^--(?:quick-)?pid=(.+)$|^-[pq](\d.*)$/.exec(text);
    if (psEnvironment.test(text)) shows = true;
    if (joined !== null) named.push(literal(joined[1] ?? joined[2] ?? ''));
    else if (isNumber(argument)) named.push(argument);
    else if (psValue.test(text)) {
      index += 1;
      const value = call.args[index] ?? unknownValue;
      if (psPid.test(text)) named.push(value);
      else if (/\benviron\b/.test(beginningOf(value))) shows = true;
    }
  }
  if (!shows) return inert(call);
  return (named.length > 0 ? named : (['all'] as const)).map((who) => attach(call, who, 'environment'));
};

const reniceOptions = options('n/priority= relative= p/pid g/pgrp u/user');
const renice: Tool = (call) => {
  const given = reniceOptions(call.args);
  const named = given.has('priority', 'relative') ? given.operands : given.operands.slice(1);
  return orInert(
    call,
    named.map((who) => attach(call, who, 'limits')),
  );
};

const dlv: Tool = (call) => {
  const [verb, who] = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  return textOf(verb) === 'attach' ? [attach(call, who ?? unknownValue, 'debug')] : inert(call, 'project');
};

const sysdig: Tool = (call) => {
  const files = options('r/read= w/write= c/chisel= n= s= p= M= l L h F')(call.args);
  if (files.has('l', 'L', 'h')) return inert(call);
  return files.has('read')
    ? files.all('read').flatMap((path) => read(call, path))
    : [attach(call, 'all', 'trace')];
};

const criu: Tool = (call) => {
  const [verb] = call.args;
  if (/^(?:check|--version|-V|-h|--help)$/.test(beginningOf(verb ?? literal('check')))) return inert(call);
  const named = options('t/tree= p/pid= D/images-dir= o= W= v')(call.args).all('tree', 'pid');
  return named.length > 0
    ? named.map((who) => attach(call, who, 'memory'))
    : [effect(call, 'run', { detail: 'verb', target: nameTarget(verb) })];
};

const stacks = holder({
  options: 'p/pid= F= l= m h heap histo= dump=',
  pids: ['pid'],
  operands: lastOperand,
  detail: 'memory',
});
const samplers = holder({
  options: 'p/pid= o/output= d/duration= r/rate= f/format=',
  pids: ['pid'],
  detail: 'memory',
});

/** Programs that take hold of running processes. */
export const attachTools: Tools = {
  strace: holder({
    options: 'a= b= e= E= I= o= O= p/attach= P= s= S= u= U= X= f F c C d h i k n q r t T v V w x y z Z D',
    pids: ['attach'],
    detail: 'trace',
    manner: stops,
  }),
  ltrace: holder({
    options: 'a= A= e= D= F= l= n= o= p= s= u= w= x= f c C d h i L r S t T V b',
    pids: ['p'],
    detail: 'trace',
    manner: stops,
  }),
  dtruss: holder({
    options: 'n= p= t= W= a b c d e f l o s',
    pids: ['n', 'p', 'W'],
    detail: 'trace',
    manner: stops,
  }),
  perf,
  bpftrace: everywhere(/^(?:-l|-V|--version|--info|-h|--help)$/),
  bpftool: everywhere(/^(?:show|list|help|version|feature|--version|-V)$/),
  'trace-cmd': everywhere(/^(?:report|list|show|stat|stop|clear|reset|check-events|dump|hist|-h|--help)$/),
  stap: everywhere(/^(?:-l|-L|-V|--version|--help)$/),
  dtrace: everywhere(/^(?:-l|-V|-h)$/),
  sysdig,
  csysdig: sysdig,
  gdb,
  'gdb-multiarch': gdb,
  cgdb: gdb,
  gcore,
  lldb: holder({
    options: 'p/attach-pid= n/attach-name= c/core= o= O= s= S= k= K= f/file= a/arch= w b Q x X l= P',
    pids: ['attach-pid', 'attach-name'],
    detail: 'debug',
    manner: stops,
  }),
  reptyr: holder({ options: 'l L s T v', operands: everyOperand, detail: 'debug' }),
  'py-spy': samplers,
  rbspy: samplers,
  austin: samplers,
  frida: holder({
    options: 'p/attach-pid= n/attach-name= f= l= e= D=',
    pids: ['attach-pid', 'attach-name'],
    operands: everyOperand,
    detail: 'debug',
  }),
  'frida-trace': holder({
    options: 'p/attach-pid= n/attach-name= f= i= I= m= D=',
    pids: ['attach-pid', 'attach-name'],
    operands: everyOperand,
    detail: 'debug',
  }),
  'eu-stack': stacks,
  pstack: stacks,
  gstack: stacks,
  jstack: stacks,
  jmap: stacks,
  jinfo: stacks,
  jcmd: holder({ options: 'l h f=', operands: firstOperand, detail: 'debug' }),
  dlv,
  criu,
  nsenter: holder({
    options: 't/target= S/setuid= G/setgid= W/wdns= m? u? i? n? p? U? C? T? r? w? a F Z',
    pids: ['target'],
    detail: 'namespaces',
    manner: stops,
  }),
  ps,
  renice,
  cpulimit: holder({
    options: 'p/pid= e/exe= P/path= l/limit= i z b',
    pids: ['pid', 'exe'],
    detail: 'limits',
    manner: stops,
  }),
  prlimit: holder({
    options: 'p/pid= o/output= noheadings raw verbose',
    pids: ['pid'],
    changes: (_, args) =>
      args.some((argument) => /^--(?!pid|output)[a-z]+=|^-[a-oq-z]\S/.test(beginningOf(argument))),
    detail: 'limits',
    manner: stops,
  }),
  taskset: holder({
    options: 'p/pid c/cpu-list a/all-tasks',
    operands: (given) => (given.has('pid') ? lastOperand(given) : []),
    changes: ({ operands }) => operands.length > 1,
    detail: 'limits',
  }),
  chrt: holder({
    options: 'p/pid T= P= D= f r o b i d a m R v',
    operands: (given) => (given.has('pid') ? lastOperand(given) : []),
    changes: ({ operands }) => operands.length > 1,
    detail: 'limits',
    manner: stops,
  }),
  ionice: holder({
    options: 'c/class= n/classdata= p/pid= P/pgid= u/uid= t',
    pids: ['pid', 'pgid', 'uid'],
    changes: (given) => given.has('class', 'classdata'),
    detail: 'limits',
    manner: stops,
  }),
  choom: holder({
    options: 'n/adjust= p/pid=',
    pids: ['pid'],
    changes: (given) => given.has('adjust'),
    detail: 'limits',
    manner: stops,
  }),
};

// Programs that show processes or change how they run: their priority, their limits, the processors that they get.

import type { Inner } from '../../bash/executors/inner.ts';
import type { Value } from '../../effects.ts';
import { beginningOf, effect, literal, nameTarget, unknownValue } from '../../tools/tool.ts';
import type { Card, Examples, Fact, Given } from '../card.ts';
import { startFact, type Wrapper } from '../wrappers.ts';

/** It changes how processes run that are there. */
function limits(who: (given: Given<Value>) => readonly Value[], examples: Examples): Fact {
  return {
    what: 'changes how a process runs',
    effects: (call, given) =>
      who(given).map((one) => effect(call, 'attach', { detail: 'limits', target: nameTarget(one) })),
    examples,
  };
}

const manner = { stopAtOperand: true, stopAtUnknown: true } as const;

/** The card of a program that does it to a process, or starts one so. */
function limiter(wrapper: Wrapper, changes: Fact): Card {
  const { names, options = '', readings = '' } = wrapper;
  return { names, options, manner, readings, facts: [startFact(wrapper), changes] };
}

const ionice = limiter(
  {
    names: 'ionice',
    options: 'c/class= n/classdata= p/pid= P/pgid= u/uid= t',
    readings: 'c class n classdata p pid P pgid u uid; t',
    hit: { 'ionice -c 3 -n 7 rm a': 'program: rm a' },
    miss: ['ionice -p 1', 'ionice'],
  },
  limits((given) => (given.has('class', 'classdata') ? given.all('pid', 'pgid', 'uid') : []), {
    hit: {
      'ionice -c 3 -p 1': 'attach 1 (limits)',
      'ionice -n 1 -P 1': 'attach 1 (limits)',
      'ionice --class 3 --uid 1': 'attach 1 (limits)',
    },
    miss: ['ionice -p 1', 'ionice -c 3 ls'],
  }),
);

const choom = limiter(
  {
    names: 'choom',
    options: 'n/adjust= p/pid=',
    readings: 'n adjust p pid',
    hit: { 'choom -n 10 -- rm a': 'program: rm a' },
    miss: ['choom -p 1'],
  },
  limits((given) => (given.has('adjust') ? given.all('pid') : []), {
    hit: { 'choom -n 10 -p 1': 'attach 1 (limits)' },
    miss: ['choom -p 1', 'choom -n 10 ls'],
  }),
);

const cpulimit = limiter(
  {
    names: 'cpulimit',
    options: 'p/pid= e/exe= P/path= l/limit= i z b',
    readings: 'p pid e exe P path l limit; i z b',
    hit: { 'cpulimit -l 10 -- rm a': 'program: rm a' },
    miss: ['cpulimit -p 1'],
  },
  limits((given) => given.all('pid', 'exe'), {
    hit: { 'cpulimit -l 10 -p 1': 'attach 1 (limits)', 'cpulimit -e web': 'attach web (limits)' },
    miss: ['cpulimit -l 10 ls'],
  }),
);

const resources =
  'c/core? d/data? e/nice? f/fsize? i/sigpending? l/memlock? m/rss? n/nofile? q/msgqueue? r/rtprio? s/stack? t/cpu? u/nproc? v/as? x/locks? y/rttime?';
const resourceNames =
  'c core d data e nice f fsize i sigpending l memlock m rss n nofile q msgqueue r rtprio s stack t cpu u nproc v as x locks y rttime';

/** prlimit shows a limit, and sets it where one is attached. */
const prlimit = limiter(
  {
    names: 'prlimit',
    options: `p/pid= o/output= noheadings raw verbose ${resources}`,
    readings: `p pid o output; noheadings raw verbose; ${resourceNames}`,
    hit: { 'prlimit --nofile=10 rm a': 'program: rm a' },
    miss: ['prlimit --pid 1'],
  },
  limits((given) => (given.all(...resourceNames.split(' ')).length > 0 ? given.all('pid') : []), {
    hit: { 'prlimit --nofile=10 --pid 1': 'attach 1 (limits)', 'prlimit -n10 -p 1': 'attach 1 (limits)' },
    miss: ['prlimit -p 1', 'prlimit --nofile -p 1', 'prlimit --nofile=10 ls'],
  }),
);

/** Behind the processors, or the priority, stands a command or a process. */
function scheduler(
  card: Pick<Card, 'names' | 'options'> & { readonly readings: string },
  starts: Fact['examples'],
  changes: Examples,
): Card {
  const behind = ({ operands }: Given<unknown>, first: number): number =>
    operands.length > first ? first : -1;
  return {
    ...card,
    manner,
    facts: [
      {
        what: 'starts a program so',
        starts: (_, given): readonly Inner[] => {
          // `--cpu-list=0` says what else the first word does.
          const words = given.all('cpu-list').length > 0 ? 0 : 1;
          return given.has('pid') || behind(given, words) < 0
            ? []
            : [{ kind: 'argv', argv: given.operands.slice(words) }];
        },
        examples: starts,
      },
      limits(
        (given) => (given.has('pid') && given.operands.length > 1 ? given.operands.slice(-1) : []),
        changes,
      ),
    ],
  };
}

const schedulers: readonly Card[] = [
  scheduler(
    {
      names: 'taskset',
      options: 'p/pid c/cpu-list a/all-tasks',
      readings: '; p pid c cpu-list a all-tasks',
    },
    {
      hit: {
        'taskset 0x1 rm a': 'program: rm a',
        'taskset -c 0,1 rm a': 'program: rm a',
        'taskset --cpu-list=0 rm a': 'program: rm a',
      },
      miss: ['taskset -p 1', 'taskset -cp 0 1'],
    },
    {
      hit: { 'taskset -p 0x1 1': 'attach 1 (limits)', 'taskset -cp 0 1': 'attach 1 (limits)' },
      miss: ['taskset -p 1', 'taskset 1 ls'],
    },
  ),
  scheduler(
    {
      names: 'chrt',
      options: 'p/pid T= P= D= f r o b i d a m R v',
      readings: 'T P D; p pid f r o b i d a m R v',
    },
    {
      hit: { 'chrt -f 10 rm a': 'program: rm a', 'chrt -d -T 1 0 rm a': 'program: rm a' },
      miss: ['chrt -p 1', 'chrt -m'],
    },
    { hit: { 'chrt -p 10 1': 'attach 1 (limits)' }, miss: ['chrt -p 1', 'chrt -f 10 ls'] },
  ),
];

const renice: Card = {
  names: 'renice',
  options: 'n/priority= relative= p/pid g/pgrp u/user',
  readings: 'n priority relative; p pid g pgrp u user',
  facts: [
    limits(({ has, operands }) => (has('priority', 'relative') ? operands : operands.slice(1)), {
      hit: {
        'renice -n 5 1': 'attach 1 (limits)',
        'renice 5 -p 1': 'attach 1 (limits)',
        'renice --relative 1 -u 1': 'attach 1 (limits)',
      },
      miss: ['renice 5'],
    }),
  ],
};

// ── ps has three styles of options, which no description of options holds.

/** Words of ps that take the next one as their value. */
const psValue =
  /^(?:-[a-zA-Z]*|[a-zA-Z]*)[poCuUGgtsqkO]$|^--(?:pid|ppid|user|User|group|Group|sort|format|tty|sid|cols|rows|lines|columns|quick-pid)$/;
const psPid = /^(?:-?[a-zA-Z]*[pq]|--(?:quick-)?pid)$/;
/** Without a dash an `e` shows the environment; with one it shows every process. */
const psEnvironment = /^[a-zA-Z]*e[a-zA-Z]*$|^-[a-zA-Z]*E|^-?-?(?:o|format)[= ]?\S*\benviron\b/;

interface Shown {
  readonly processes: readonly Value[];
  readonly environment: boolean;
}

/** The processes that ps is asked about, and whether it shows their environment. */
function shownByPs(args: readonly Value[]): Shown {
  const processes: Value[] = [];
  let environment = false;
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? unknownValue;
    const text = beginningOf(argument);
    const joined = /^--(?:quick-)?pid=(.+)$|^-[pq](\d.*)$/.exec(text);
    if (psEnvironment.test(text)) environment = true;
    if (joined !== null) processes.push(literal(joined[1] ?? joined[2] ?? ''));
    else if (argument.kind !== 'literal' || /^(?:\d+|%.*)$/.test(text)) processes.push(argument);
    else if (psValue.test(text)) {
      index += 1;
      const value = args[index] ?? unknownValue;
      if (psPid.test(text)) processes.push(value);
      else if (/\benviron\b/.test(beginningOf(value))) environment = true;
    }
  }
  return { processes, environment };
}

const ps: Card = {
  names: 'ps',
  options: '',
  readings: '',
  facts: [
    {
      what: 'shows the environment of processes',
      effects: (call) => {
        const { processes, environment } = shownByPs(call.args);
        if (!environment) return [];
        if (processes.length === 0) return [effect(call, 'attach', { detail: 'environment all' })];
        return processes.map((who) =>
          effect(call, 'attach', { detail: 'environment', target: nameTarget(who) }),
        );
      },
      examples: {
        hit: {
          'ps auxe': 'attach (environment all)',
          'ps e 1': 'attach 1 (environment)',
          'ps -E -p 1': 'attach 1 (environment)',
          'ps e --pid=1': 'attach 1 (environment)',
          'ps -o pid,environ': 'attach (environment all)',
          'ps eww -q 1': 'attach 1 (environment)',
        },
        miss: ['ps', 'ps aux', 'ps -ef', 'ps -p 1', 'ps -o pid,args', 'ps -C e'],
      },
    },
  ],
};

export const cards: readonly Card[] = [ionice, choom, cpulimit, prlimit, ...schedulers, renice, ps];

// Signals to processes, and programs that find whom they are sent to.

import type { Effect, Value } from '../../effects.ts';
import { beginningOf, effect, inert, nameTarget, textOf, unknownValue } from '../../tools/tool.ts';
import type { Advice, Card, Fact } from '../card.ts';
import { signalEffects, signalName } from '../services.ts';
import { table } from '../tables.ts';

const advices = (programs: readonly string[], text: string, rules: string): readonly Advice[] =>
  rules.split(' ').map((rule) => ({ rule, programs, text }));

/** A word that names the signal: `-9`, `-SIGKILL`, `-s KILL`. */
const lists = /^-(?:l|L|-list|-table)/;

/** What kill is told: its signal, and to whom it goes. */
function told(args: readonly Value[]): { readonly detail: string; readonly who: readonly Value[] } | null {
  let detail = 'TERM';
  const who: Value[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? unknownValue;
    const text = beginningOf(argument);
    // A negative number behind the first one is a group.
    if (!text.startsWith('-') || (who.length > 0 && /^-\d/.test(text))) who.push(argument);
    else if (text === '--') return { detail, who: [...who, ...args.slice(index + 1)] };
    else if (lists.test(text)) return null;
    else if (/^-(?:s|n|-signal|q|-queue)$/.test(text)) {
      index += 1;
      const given = beginningOf(args[index] ?? unknownValue) || 'unknown';
      if (!/^--?q/.test(text)) detail = signalName(given);
    } else if (/^(?:--signal=|-s)./.test(text)) detail = signalName(text.replace(/^(?:--signal=|-s)/, ''));
    else if (text.startsWith('--')) continue;
    else if (index + 1 >= args.length && who.length === 0) who.push(argument);
    else detail = signalName(argument.kind === 'literal' ? text.slice(1) : 'unknown');
  }
  return { detail, who };
}

const kill: Card = {
  names: 'kill tkill',
  options: '',
  readings: {},
  facts: [
    {
      what: 'sends a signal',
      effects: (call): readonly Effect[] => {
        const found = told(call.args);
        return (found?.who ?? []).flatMap((who) => {
          const text = beginningOf(who);
          if (text.startsWith('%') && found?.detail !== 'KILL') return inert(call, 'own-job');
          // Minus one is every process that may be signalled.
          return signalEffects(
            call,
            who,
            found?.detail ?? '',
            text.startsWith('-') ? { recursive: true } : {},
          );
        });
      },
      examples: {
        hit: {
          'kill 12 34': 'signal 12 (TERM); signal 34 (TERM)',
          'kill -1 12': 'signal 12 (HUP)',
          'kill -2 12': 'signal 12 (INT)',
          'kill -3 12': 'signal 12 (QUIT)',
          'kill -6 12': 'signal 12 (ABRT)',
          'kill -<9 SIGKILL kill> 12': 'signal 12 (KILL) force',
          'kill -10 12': 'signal 12 (USR1)',
          'kill -12 12': 'signal 12 (USR2)',
          'kill -<15 TERM> 12': 'signal 12 (TERM)',
          'kill -<17 19> 12': 'signal 12 (STOP)',
          'kill -18 12': 'signal 12 (CONT)',
          'kill -HUP 12': 'signal 12 (HUP)',
          'kill <-s -n --signal> KILL 12': 'signal 12 (KILL) force',
          'kill <-sKILL --signal=KILL> 12': 'signal 12 (KILL) force',
          'kill <-q --queue> 5 12': 'signal 12 (TERM)',
          'kill --verbose 12': 'signal 12 (TERM)',
          'kill -9 -1': 'signal -1 (KILL) recursive force',
          'kill -1': 'signal -1 (TERM) recursive',
          'kill 12 -34': 'signal 12 (TERM); signal -34 (TERM) recursive',
          'kill -- -12 -13': 'signal -12 (TERM) recursive; signal -13 (TERM) recursive',
          'kill 3 -- 4': 'signal 3 (TERM); signal 4 (TERM)',
          'kill -- -12': 'signal -12 (TERM) recursive',
          'kill -9 %1': 'signal %1 (KILL) force',
          'kill %1': 'inert (own-job)',
          'kill -0 12': 'signal 12 (0)',
          'kill $X': 'signal … (TERM)',
          'kill -$X 12': 'signal 12 (UNKNOWN)',
          'kill -9 sallyport': 'signal sallyport (KILL) force; tamper sallyport (signal)',
          'kill -0 sallyport': 'signal sallyport (0)',
        },
        miss: ['kill <-l -L --list --table>', 'kill <-l --list --table> 9'],
      },
    },
  ],
  advice: [
    ...advices(['kill'], 'End what this shell started: `kill %1`.', 'process_signal every_process'),
    ...advices(['kill'], 'Let it end by itself: `kill %1` ends a job of this shell.', 'force_kill'),
  ],
};

const named = /^-(?:SIG)?(\d+|[A-Z]{3,})$/;

const searching = (
  names: string,
  options: string,
  readings: Card['readings'],
  examples: Fact['examples'],
): Card => ({
  names,
  options,
  readings,
  facts: [
    {
      what: 'sends a signal to all that fit',
      effects: (call, given): readonly Effect[] => {
        if (given.has('list', 'V', 'h')) return [];
        const byWord = call.args.flatMap((argument) => named.exec(textOf(argument) ?? '')?.[1] ?? []).at(-1);
        const byOption = given.last('signal');
        const detail = byOption === undefined ? (byWord ?? 'TERM') : beginningOf(byOption);
        const options = 'euid uid group terminal session parent pidfile'.split(' ');
        const who = given.operands.length > 0 ? given.operands : given.all(...options);
        return (who.length > 0 ? who : [unknownValue]).flatMap((one) =>
          signalEffects(call, one, signalName(detail), { recursive: true }),
        );
      },
      examples,
    },
  ],
  advice: advices(
    ['pkill', 'killall'],
    'Look at which processes these are: `pgrep -l .`.',
    'process_signal every_process force_kill',
  ),
});

const pkill: Card = searching(
  'pkill',
  'signal= f/full x/exact u/euid= U/uid= g/pgroup= G/group= P/parent= s/session= t/terminal= n/newest o/oldest v/inverse i/ignore-case F/pidfile= e/echo c/count a l/list q/queue= r/runstates= O/older= cgroup= ns= nslist= V h L A',
  {
    valued:
      'signal u euid U uid g pgroup G group P parent s session t terminal F pidfile q queue r runstates O older cgroup ns nslist',
    flags: 'f full x exact n newest o oldest v inverse i ignore-case e echo c count a l list V h L A',
  },
  {
    hit: {
      'pkill node': 'signal node (TERM) recursive',
      'pkill -9 node': 'signal node (KILL) recursive force',
      'pkill -SIGKILL -f node': 'signal node (KILL) recursive force',
      'pkill --signal KILL node': 'signal node (KILL) recursive force',
      'pkill <-u -U -G -t -s -P -F> a': 'signal a (TERM) recursive',
      'pkill sallyport': 'signal sallyport (TERM) recursive; tamper sallyport (signal)',
    },
    miss: ['pkill -l', 'pkill --list', 'pkill -V', 'pkill -h'],
  },
);

const killall: Card = searching(
  'killall killall5 skill xkill fkill',
  'e/exact I/ignore-case g/process-group y/younger-than= o/older-than= i/interactive l/list q/quiet r/regexp s/signal= u/user/uid= t/terminal= v/verbose w/wait n/ns= Z/context= V h',
  {
    valued: 'y younger-than o older-than s signal u user uid t terminal n ns Z context',
    flags: 'e exact I ignore-case g process-group i interactive l list q quiet r regexp v verbose w wait V h',
  },
  {
    hit: {
      'killall a b': 'signal a (TERM) recursive; signal b (TERM) recursive',
      'killall -q -9 node': 'signal node (KILL) recursive force',
      'killall -s HUP node': 'signal node (HUP) recursive',
      'killall --signal=KILL node': 'signal node (KILL) recursive force',
      'killall <-u -t> a': 'signal a (TERM) recursive',
      killall5: 'signal … (TERM) recursive',
    },
    miss: ['killall -l', 'killall --list', 'killall -V', 'killall -h'],
  },
);

const fuser: Card = {
  names: 'fuser',
  options: 'k/kill i/interactive m/mount= M/ismountpoint n/namespace= s v a u c w l signal=',
  readings: {
    valued: 'm mount n namespace signal',
    flags: 'k kill i interactive M ismountpoint s v a u c w l',
  },
  facts: [
    {
      what: 'kills whatever uses a file',
      effects: (call, given) =>
        given.has('kill')
          ? [...given.operands, ...given.all('mount')].flatMap((name) =>
              signalEffects(call, name, 'KILL', { recursive: true }),
            )
          : [],
      examples: {
        hit: {
          'fuser -k a': 'signal a (KILL) recursive force',
          'fuser -k -HUP a': 'signal a (KILL) recursive force',
          'fuser --kill -m /mnt': 'signal /mnt (KILL) recursive force',
          'fuser -ks 80/tcp': 'signal 80/tcp (KILL) recursive force',
        },
        miss: ['fuser a', 'fuser -v -m /mnt', 'fuser -l'],
      },
    },
  ],
};

export const cards: readonly Card[] = [
  kill,
  pkill,
  killall,
  fuser,
  {
    names: 'kill-port',
    options: '',
    readings: {},
    facts: [
      {
        what: 'kills what listens at a port',
        effects: (call) => call.args.flatMap((port) => signalEffects(call, port, 'KILL')),
        examples: {
          hit: { 'kill-port 80 81': 'signal 80 (KILL) force; signal 81 (KILL) force' },
          miss: ['kill-port'],
        },
      },
    ],
  },
  {
    names: 'taskkill',
    options: '',
    readings: {},
    facts: [
      {
        what: 'kills processes',
        always: true,
        effects: (call) => [
          effect(call, 'signal', {
            detail: 'KILL',
            force: call.args.some((argument) => textOf(argument)?.toLowerCase() === '/f'),
            target: nameTarget(call.args.at(-1)),
          }),
        ],
        examples: {
          hit: { 'taskkill /pid 12': 'signal 12 (KILL)', 'taskkill </f /F> /im a': 'signal a (KILL) force' },
          miss: [],
        },
      },
    ],
  },
  table({
    names: 'stress stress-ng',
    options: 'c/cpu= m/vm= i/io= d/hdd= t/timeout= vm-bytes=',
    readings: { valued: 'c cpu m vm i io d hdd t timeout vm-bytes' },
    always: 'bomb (load)',
    examples: { 'stress --cpu 8': 'bomb (load)', 'stress-ng -t 1m': 'bomb (load)' },
  }),
];

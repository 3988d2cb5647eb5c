// Terminals inside terminals, and programs that type for a person: what runs in them.

import { bareShell, type Inner, type Call as Start, shellCode } from '../../bash/executors/inner.ts';
import { concatAll, knownText, singleText, type Text } from '../../bash/values.ts';
import type { Card, Fact, Given } from '../card.ts';
import { textWords } from '../card.ts';
import { interprets } from '../interpreters.ts';
import { readOptions } from '../options.ts';
import { fact } from '../phrases.ts';
import { startFact } from '../wrappers.ts';

/** Started with nothing to do, it waits for approval: what that person will type is not known. */
function waits(name: string): Fact {
  return {
    what: 'waits for what it is told',
    starts: ({ args, fed }) => (args.length === 0 && !fed ? [{ kind: 'unknown' }] : []),
    examples: { hit: { [name]: 'unknown' }, miss: [`${name} a`, `'a' | ${name}`] },
  };
}

const harmlessInScreen =
  /^(?:title|quit|detach|hardcopy|log|logfile|next|prev|select|sessionname|windows|info)$/;

const screen: Card = {
  names: 'screen',
  idle: true,
  options: 'c= e= h= p= s= S= t= T= X=+ r R x d D -ls -list -wipe v m L q A a i U',
  manner: { stopAtOperand: true, stopAtUnknown: true },
  readings: 'c e h p s S t T X; r R x d D -ls -list -wipe v m L q A a i U',
  facts: [
    waits('screen'),
    {
      what: 'starts a command in a new window, or sends one to a session',
      starts: (_, given) => {
        const sent = given.last('X');
        if (sent !== undefined) return harmlessInScreen.test(singleText(sent)) ? [] : [{ kind: 'unknown' }];
        // Behind the name of the session that is joined there may be a command for a new one.
        const joins = given.has('r', 'R', 'x', 'ls', 'list', 'wipe', 'v');
        const argv = joins ? given.operands.slice(1) : given.operands;
        return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
      },
      examples: {
        hit: {
          'screen -dmS a rm -rf b': 'program: rm -rf b',
          'screen -S a -X stuff "rm b"': 'unknown',
          'screen -r a rm b': 'program: rm b',
          'screen -xr a b': 'program: b',
          'screen -R a b': 'program: b',
        },
        miss: [
          'screen -S a -X <title quit detach hardcopy log logfile next prev select sessionname windows info>',
          'screen -r a',
          'screen -ls',
          'screen -list',
          'screen -wipe a',
          'screen',
        ],
      },
    },
  ],
};

/** Subcommands of tmux that run a command line, with their options that take a value. */
const tmuxVerbs =
  /^(?:new|new-session|new-window|neww|split-window|splitw|respawn-pane|run-shell|run|popup|display-popup|if-shell|pipe-pane|send-keys|send)$/;

function tmuxStarts({ args }: Start, given: Given<Text>): readonly Inner[] {
  const verb = args.findIndex((arg) => tmuxVerbs.test(singleText(arg)));
  if (verb === -1) {
    const own = [
      ...given.all('c').map((text) => shellCode(text)),
      ...given.all('f').map((path): Inner => ({ kind: 'file', language: 'other', path })),
    ];
    return own.length > 0 || given.operands.length > 0 || given.has('V') ? own : [bareShell];
  }
  const behind = readOptions(
    's= n= t= c= F= x= y= e= f= l= p=',
    { stopAtOperand: true },
    args.slice(verb + 1),
    textWords,
  );
  const words = behind.operands.filter((word) => !/^(?:Enter|C-m|ENTER)$/.test(singleText(word)));
  return words.length === 0 ? [] : [shellCode(concatAll(words, ' '))];
}

const tmux: Card = {
  names: 'tmux byobu',
  idle: true,
  options: 'c= f= L= S= T= V 2 C D l N u v',
  manner: { stopAtOperand: true },
  readings: 'c f L S T; V 2 C D l N u v',
  facts: [
    waits('tmux'),
    {
      what: 'runs a command line in a window',
      starts: tmuxStarts,
      examples: {
        hit: {
          'tmux <new new-session new-window neww split-window splitw respawn-pane run-shell run popup display-popup if-shell pipe-pane send-keys send> -t a "rm b"':
            'shell code: rm b',
          'tmux -L a send-keys -t b "rm c" Enter': 'shell code: rm c',
          'tmux send "rm c" <C-m ENTER>': 'shell code: rm c',
          'tmux new -s a -n b -c c -F d -x 1 -y 1 -e f=1 rm -rf g': 'shell code: rm -rf g',
          'tmux split-window -f -l 5 -p 5 rm a': 'shell code: 5 -p 5 rm a',
          'tmux -c "rm a"': 'shell code: rm a',
          'tmux -f a.conf': 'other file: a.conf',
          'tmux -2': 'program: sh',
        },
        miss: ['tmux ls', 'tmux new -s a', 'tmux -V', 'tmux attach -t a'],
      },
    },
  ],
};

const zellij: Card = {
  names: 'zellij',
  idle: true,
  options:
    'n/name= d/direction= cwd= config= config-dir= data-dir= l/layout= max-panes= s/session= new-session-with-layout= height= width= x= y=',
  readings:
    'n name d direction cwd config config-dir data-dir l layout max-panes s session new-session-with-layout height width x y',
  facts: [
    waits('zellij'),
    startFact({
      names: 'zellij',
      options:
        'n/name= d/direction= cwd= height= width= x= y= config= config-dir= data-dir= l/layout= max-panes= s/session= new-session-with-layout=',
      subcommands: 'run',
      dashed: true,
      hit: { 'zellij run -n a -- rm b': 'program: rm b', 'zellij run --cwd a rm b': 'program: rm b' },
      miss: ['zellij attach a', 'zellij run', 'zellij'],
    }),
  ],
};

const script: Card = {
  names: 'script',
  idle: true,
  options:
    'c/command= E/echo= I/log-in= O/log-out= B/log-io= T/log-timing= m/logging-format= o/output-limit= a f q e r d p k t?',
  manner: { stopAtOperand: true },
  readings:
    'c command E echo I log-in O log-out B log-io T log-timing m logging-format o output-limit; a f q e r d p k; t',
  facts: [
    startFact({
      names: 'script',
      options:
        'c/command= E/echo= I/log-in= O/log-out= B/log-io= T/log-timing= m/logging-format= o/output-limit=',
      shell: 'command',
      words: 1,
      hit: {
        'script -qc "rm a" /dev/null': 'shell code: rm a',
        'script a.log -c "rm b"': 'shell code: rm b',
        'script -q a.log rm b': 'program: rm b',
      },
      // The name alone is what many call a file of their own.
      miss: ['script', 'script -q a.log'],
    }),
    {
      what: 'starts a shell that it listens to',
      starts: ({ args }, given) =>
        args.length > 0 && !given.has('command') && given.operands.length < 2 ? [bareShell] : [],
      examples: {
        hit: { 'script a.log': 'program: sh', 'script -a': 'program: sh' },
        miss: ['script', 'script -c a', 'script a rm b'],
      },
    },
  ],
};

const scriptreplay: Card = {
  names: 'scriptreplay',
  idle: true,
  options: 't= s= d= m=',
  readings: 't s d m',
  facts: [
    fact({
      what: 'shows what a session printed',
      says: 'read <1>; read <2>',
      examples: { hit: { 'scriptreplay a.time b.log 2': 'read a.time; read b.log' }, miss: ['scriptreplay'] },
    }),
  ],
};

/** Lines of a script that start a program. */
function spawned(text: Text): readonly Inner[] {
  return text.alternatives.flatMap((script) =>
    script.split(/[\n;]/).flatMap((line) => {
      const trimmed = line.trim();
      return trimmed.startsWith('spawn ') ? [shellCode(knownText(trimmed.slice(6)))] : [];
    }),
  );
}

const expect = interprets({
  names: 'expect',
  language: 'other',
  options: 'c= f= b= D= d i n N v/version h/help',
  readings: 'c f b D; d i n N v version h help',
  code: 'c',
  hit: {
    "expect -c 'spawn rm a'": 'other code: spawn rm a',
    'expect a.exp b': 'other file: a.exp',
    'expect -f a.exp': 'other file: a.exp',
    "'spawn a' | expect": 'other input',
  },
  file: 'f',
  facts: [
    {
      what: 'starts the programs that its script spawns',
      starts: ({ stdin, fed }, given) => {
        const code = given.all('c');
        const reads = fed && code.length === 0 && !given.has('f') && given.operands.length === 0;
        return [...code, ...(reads ? [stdin] : [])].flatMap(spawned);
      },
      examples: {
        hit: {
          "expect -c 'send a; spawn rm -rf b'": 'shell code: rm -rf b',
          "'spawn a b' | expect": 'shell code: a b',
        },
        miss: ['expect a.exp', "'spawn a' | expect -f b", "expect -c 'send spawn'"],
      },
    },
  ],
});

export const cards = [screen, tmux, zellij, script, scriptreplay, expect];

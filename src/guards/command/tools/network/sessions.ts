// Programs that keep a line open: sockets, remote shells, copies over them, listeners and tunnels.

import type { Effect, Value } from '../../effects.ts';
import { connect, originsOf } from '../../programs/network.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  inert,
  landingPlace,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  pathTarget,
  type Reading,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';

const ncOptions = options(
  'l/listen p/source-port= e/exec= c/sh-exec= g= G= s/source= w/wait= q= i/interval= o/output= x/hex-dump= X= T= P= I= O= m/max-conns= k/keep-open n u/udp v z C N U/unixsock d D r t 4 6 b S h ssl ssl-cert= ssl-key= proxy= proxy-type= proxy-auth= allow= allowfile= deny= lua-exec= send-only recv-only broker chat V=',
);
const nc: Tool = (call) => {
  const given = ncOptions(call.args);
  const effects: Effect[] = [];
  const runs = given.last('exec', 'sh-exec', 'lua-exec');
  if (given.has('listen'))
    effects.push(
      effect(call, 'listen', {
        target: nameTarget(
          given.last('source') ??
            (given.operands.length > 1
              ? given.operands[0]
              : (given.last('source-port') ?? given.operands.at(-1))),
        ),
        detail: given.has('udp') ? 'udp' : 'tcp',
        origins: call.io.stdinOrigins,
      }),
    );
  else if (given.operands[0])
    effects.push(
      connect(
        call,
        given.operands[0],
        given.has('z') ? 'probe' : call.io.stdinFed ? 'send' : given.has('udp') ? 'udp' : 'tcp',
        call.io.stdinOrigins,
      ),
    );
  if (runs)
    effects.push(
      effect(call, 'run', { detail: 'remote-shell', origins: ['network'], target: nameTarget(runs) }),
    );
  for (const file of given.all('output', 'hex-dump'))
    effects.push(...write(call, file, { detail: 'overwrite', origins: ['network'] }));
  return orInert(call, effects);
};

const socatOptions = options('d v x u U T= t= b= L= W= s D h V ly? lf= lm? ls g 4 6', { wholeWords: true });
const socat: Tool = (call) => {
  const effects: Effect[] = [];
  let network = false;
  for (const address of socatOptions(call.args).operands) {
    const text = beginningOf(address);
    const [kind = '', rest = ''] = [text.split(/[:,]/, 1)[0] ?? '', text.slice(text.indexOf(':') + 1)];
    const place = rest.split(',', 1)[0] ?? '';
    if (/^(?:tcp|udp|sctp|openssl|ssl|unix|abstract|vsock)\w*-?l(?:isten)?$|^udp\d?-recv/i.test(kind)) {
      effects.push(
        effect(call, 'listen', {
          target: nameTarget(literal(/\bbind=([^,]+)/.exec(text)?.[1] ?? place)),
          detail: /^(?:unix|abstract)/i.test(kind) ? 'forward' : kind.toLowerCase(),
        }),
      );
      network = true;
    } else if (/^(?:tcp|udp|sctp|openssl|ssl|socks|proxy|vsock)/i.test(kind)) {
      effects.push(connect(call, hostOf(literal(place)), kind.toLowerCase(), call.io.stdinOrigins));
      network = true;
    } else if (/^(?:exec|system|shell)$/i.test(kind))
      effects.push(
        effect(call, 'run', {
          detail: 'remote-shell',
          origins: ['network'],
          target: nameTarget(literal(rest)),
        }),
      );
    else if (/^(?:open|file|create|gopen|pipe)$/i.test(kind))
      effects.push(...write(call, literal(place), { detail: 'overwrite' }));
    else if (/^(?:unix|unix-connect|unix-client)$/i.test(kind))
      effects.push(effect(call, 'write', { detail: 'socket', target: pathTarget(literal(place)) }));
    else if (address.kind === 'unknown') effects.push(connect(call, unknownValue, 'unknown'));
    else if (/^[/.]/.test(text))
      effects.push(
        ...(/\.sock$|^\/(?:var\/)?run\//.test(place || text)
          ? [
              effect(call, 'write', {
                detail: 'socket',
                target: pathTarget(literal(text.split(',', 1)[0] ?? text)),
              }),
            ]
          : write(call, literal(text.split(',', 1)[0] ?? text), { detail: 'overwrite' })),
      );
  }
  return orInert(
    call,
    effects.map((one) => {
      if (network) return one.kind === 'write' ? { ...one, origins: ['network'] as const } : one;
      return one.detail === 'remote-shell' ? { ...one, origins: [] } : one;
    }),
  );
};

function sshHost(value: Value): Value {
  return mapValue(value, (text) => {
    const plain = text.replace(/^ssh:\/\//, '').split(/[:/]/, 1)[0] ?? '';
    return plain.slice(plain.lastIndexOf('@') + 1);
  });
}

/** telnet, rlogin, …: a session with the first operand. */
const sessionOptions = options('P= p= b= c= i= o= l= u= e= U= F= W= m= r= n a v q h s E L 8 k');
const session =
  (detail: string): Tool =>
  (call) => {
    const [host] = sessionOptions(call.args).operands;
    return host ? [connect(call, serverOf(host), detail, call.io.stdinOrigins)] : inert(call);
  };

function serverOf(host: Value): Value {
  return sshHost(mapValue(host, (text) => text.replace(/^\w+:\/\//, '')));
}

/** ftp, sftp, …: a session in which files are sent and fetched, by what it is told on the line or by what comes in. */
const transferSession =
  (detail: string): Tool =>
  (call) => {
    const given = sessionOptions(call.args);
    const [named, ...words] = given.operands;
    const told = [...given.all('e', 'c'), call.io.stdin].map(beginningOf).join('\n');
    const [, opened] = /(?:^|[\n;])\s*open\s+(?:-\S+\s+)*(\S+)/.exec(told) ?? [];
    const [address] = /\b\w+:\/\/[^\s;'"]+/.exec(told) ?? [];
    const server = opened ?? address;
    const host = named ?? (server === undefined ? undefined : literal(server));
    if (host === undefined) return inert(call);
    const batches = detail === 'sftp' ? given.all('b').filter((file) => beginningOf(file) !== '-') : [];
    // Behind `tftp HOST -c` the words themselves are one command.
    const line = [...given.all('c'), ...words].map(beginningOf).join(' ');
    const { sent, fetched } = transfers(call, `${told}\n${line}\n${fetchedByName(given)}`);
    const origins = [...new Set([...originsOf(sent), ...call.io.stdinOrigins])];
    return [
      ...batches.flatMap((file) => read(call, file)),
      ...sent,
      ...fetched,
      connect(call, serverOf(host), sent.length > 0 ? 'upload' : detail, origins),
    ];
  };

/** `sftp host:path [here]` and `ftp [-o here] address` fetch at once: the same, as a command of the session. */
function fetchedByName(given: Reading): string {
  const [named, here] = given.operands;
  const [, remote] = /^(?:\w+:\/\/[^/]+|[^/:]+:)(?!\d+$)(\/?.+)$/.exec(textOf(named) ?? '') ?? [];
  if (remote === undefined || remote.endsWith('/')) return '';
  return `get ${remote} ${textOf(given.last('o') ?? here) ?? ''}`;
}

/** The files that commands of such a session send, and those that they write here. */
function transfers(
  call: Call,
  commands: string,
): { readonly sent: readonly Effect[]; readonly fetched: readonly Effect[] } {
  let folder = '';
  const here = (name: string): Value => {
    const path = name.startsWith('~/') && call.at.home !== null ? call.at.home + name.slice(1) : name;
    return literal(folder === '' || /^[/~]/.test(path) ? path : `${folder}/${path}`);
  };
  const sent: Effect[] = [];
  const fetched: Effect[] = [];
  for (const command of commands.split(/[\n;]/).slice(0, mostCommands)) {
    const [verb = '', ...given] = command.trim().split(/\s+/);
    const names = given
      .filter((word) => !word.startsWith('-'))
      .map((word) => word.replace(/^["']|["']$/g, ''));
    const [first, second] = names;
    if (first === undefined) continue;
    if (/^lcd$/i.test(verb)) folder = first;
    else if (/^(?:re)?put$|^send$|^append$/i.test(verb)) sent.push(...read(call, here(first)));
    else if (/^mput$|^mirror$/i.test(verb)) sent.push(...names.flatMap((name) => read(call, here(name))));
    else if (/^(?:re)?get$|^recv$/i.test(verb)) {
      const name = first.split(/[\\/]/).at(-1) ?? '';
      const place =
        second === undefined ? literal(name) : landingPlace(call, literal(name), literal(second), false);
      fetched.push(...write(call, here(textOf(place) ?? name), { detail: 'create', origins: ['network'] }));
    }
  }
  return { sent, fetched };
}

/** Commands of one session that are looked at. */
const mostCommands = 256;

const listener =
  (detail: string): Tool =>
  (call) => [
    effect(call, 'listen', {
      detail,
      target: nameTarget(call.args.find((argument) => /^\d+$/.test(beginningOf(argument)))),
    }),
  ];

/** Sockets, remote shells, copies and tunnels. */
export const sessionTools: Tools = {
  nc,
  ncat: nc,
  netcat: nc,
  'nc.openbsd': nc,
  'nc.traditional': nc,
  socat,
  sftp: transferSession('sftp'),
  ftp: transferSession('ftp'),
  lftp: transferSession('ftp'),
  ncftp: transferSession('ftp'),
  tnftp: transferSession('ftp'),
  tftp: transferSession('ftp'),
  ftps: transferSession('ftp'),
  telnet: session('telnet'),
  rlogin: session('send'),
  rsh: session('telnet'),
  smbclient: (call) => {
    const given = options('c/command= U/user= p/port= I= W= A= D/directory= N L=')(call.args);
    const [share] = given.operands;
    const { sent, fetched } = transfers(call, given.all('command').map(beginningOf).join(';'));
    return share
      ? [
          ...sent,
          ...fetched,
          connect(
            call,
            mapValue(share, (text) => text.replace(/^[\\/]+/, '').split(/[\\/]/, 1)[0] ?? ''),
            sent.length > 0 ? 'upload' : 'smb',
            originsOf(sent),
          ),
        ]
      : inert(call);
  },
  ngrok: listener('tunnel'),
  cloudflared: (call) =>
    /^(?:version|--version|update)/.test(call.args.map(beginningOf).join(' '))
      ? inert(call)
      : listener('tunnel')(call),
  localtunnel: listener('tunnel'),
  lt: listener('tunnel'),
  chisel: listener('tunnel'),
  'http-server': listener('http'),
  serve: listener('http'),
  'live-server': listener('http'),
};

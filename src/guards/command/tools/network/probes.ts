// Programs that look at a network: names, routes, ports, packets.

import type { Effect } from '../../effects.ts';
import { connect, originsOf } from '../../programs/network.ts';
import {
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  write,
} from '../tool.ts';

/** Lookups: they send a name to a resolver, which can carry data out. */
const lookupOptions = options(
  't= x c= p= q= b= k= y= f= W= R= N= D= m= h= 4 6 a i v r s T w C d l n type= port= class= querytype= retry= timeout=',
);
const lookup =
  (detail: string): Tool =>
  (call) => {
    const operands = lookupOptions(call.args).operands.filter(
      (operand) => !/^[@+]/.test(beginningOf(operand)),
    );
    const [name] = operands;
    const transfers = operands.some((operand) => /^[ai]xfr/i.test(beginningOf(operand)));
    return name
      ? [
          connect(
            call,
            transfers ? (operands.at(-1) ?? name) : name,
            transfers ? 'zone-transfer' : detail,
            call.io.stdinOrigins,
          ),
        ]
      : inert(call);
  };

const pingOptions = options(
  'c= i= I= w= W= s= t= l= p= Q= M= m= S= T= f n q v a A b B d D L O r R U V 4 6 h= P= N= z=',
);
const ping: Tool = (call) => {
  const given = pingOptions(call.args);
  const [host] = given.operands;
  if (!host) return inert(call);
  const effects: Effect[] = [connect(call, host, 'probe')];
  if (given.has('p') && call.program === 'ping')
    effects.splice(0, 1, connect(call, host, 'probe', call.io.argumentOrigins ?? []));
  if (given.has('f') && call.program.startsWith('ping'))
    effects.push(effect(call, 'bomb', { detail: 'network', target: hostTarget(host) }));
  return effects;
};

const scanOptions = options(
  'p= o= i= I= e= g= S= D= T= A= P= oN= oX= oG= oA= iL= script= script-args= rate= c= n v s x u r F sS sV sC Pn top-ports= max-rate= min-rate=',
  { wholeWords: true },
);
const scan: Tool = (call) => {
  const given = scanOptions(call.args);
  const code =
    call.program === 'sqlmap'
      ? call.args.find((argument) => /^--(?:eval|os-cmd|os-shell|sql-shell)/.test(beginningOf(argument)))
      : undefined;
  if (code) return [effect(call, 'run', { detail: 'inline', target: nameTarget(code) })];
  return orInert(call, [
    ...given.operands.map((host) => connect(call, hostOf(host), 'scan')),
    ...given.all('oN', 'oX', 'oG', 'oA').flatMap((file) => write(call, file, { detail: 'overwrite' })),
  ]);
};

const capture: Tool = (call) => {
  const given = options('w= r= i= c= s= G= z= Z= W= C= F= f= Y= b= T= e= o= n v V A X D l L p q S U D K')(
    call.args,
  );
  return [
    ...given.all('r').flatMap((file) => read(call, file)),
    ...given.all('w').flatMap((file) => write(call, file, { detail: 'overwrite' })),
    ...(given.has('r', 'D', 'V') ? [] : [effect(call, 'privilege', { detail: 'capture' })]),
    ...(given.has('z')
      ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('z')) })]
      : []),
  ];
};

/** Lookups, pings, scanners and captures. */
export const probeTools: Tools = {
  'ssh-keyscan': lookup('probe'),
  finger: (call) => {
    const [who] = lookupOptions(call.args).operands;
    const text = beginningOf(who ?? literal(''));
    return text.includes('@')
      ? [connect(call, hostOf(literal(text.slice(text.lastIndexOf('@') + 1))), 'send')]
      : inert(call);
  },
  whois: (call) => {
    const given = lookupOptions(call.args);
    const server = given.last('h');
    return server ? [connect(call, server, 'send')] : lookup('lookup')(call);
  },
  dig: lookup('lookup'),
  drill: lookup('lookup'),
  host: lookup('lookup'),
  nslookup: lookup('lookup'),
  delv: lookup('lookup'),
  dog: lookup('lookup'),
  ping,
  ping6: ping,
  fping: ping,
  arping: ping,
  traceroute: ping,
  traceroute6: ping,
  tracepath: ping,
  mtr: ping,
  hping3: (call) => {
    const given = options(
      'p= i= c= d= a= s= t= E= I= 9= e= S F A R P U f flood faster fast 1 2 8 V q n spoof= file= listen= sign= data= icmp udp',
    )(call.args);
    const reads = given.all('file', 'E').flatMap((file) => read(call, file));
    return [
      ...reads,
      ...given.operands.map((host) =>
        connect(call, host, reads.length > 0 ? 'send' : 'scan', originsOf(reads)),
      ),
      ...(given.has('flood') ? [effect(call, 'bomb', { detail: 'network' })] : []),
      ...(given.has('listen', '9') ? [effect(call, 'listen', { detail: 'raw' })] : []),
    ];
  },
  nmap: scan,
  masscan: scan,
  zmap: scan,
  rustscan: scan,
  nikto: scan,
  sqlmap: scan,
  gobuster: scan,
  ffuf: scan,
  hydra: scan,
  'arp-scan': scan,
  tcpdump: capture,
  tshark: capture,
  wireshark: capture,
  dumpcap: capture,
};

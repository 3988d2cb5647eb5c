// Programs that look at a network: names, routes, ports, packets.

import type { Inner } from '../../bash/executors/inner.ts';
import { singleText } from '../../bash/values.ts';
import type { Effect } from '../../effects.ts';
import {
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  literal,
  nameTarget,
  read,
  write,
} from '../../tools/tool.ts';
import { type Card, shellOptions } from '../card.ts';
import { connect, originsOf } from '../network.ts';

/** They send a name to a resolver, which can carry data out. */
const lookup: Card = {
  names: 'dig drill host nslookup delv dog ssh-keyscan',
  options:
    't= x c= p= q= b= k= y= f= W= R= N= D= m= h= 4 6 a i v r s T w C d l n/nameserver= type= port= class= querytype= retry= timeout= edns= txid= Z= color=',
  readings: {
    valued:
      't c p q b k y f W R N D m h n nameserver type port class querytype retry timeout edns txid Z color',
    flags: 'x 4 6 a i v r s T w C d l',
  },
  facts: [
    {
      what: 'asks for a name',
      effects: (call, given): readonly Effect[] => {
        const operands = given.operands.filter((operand) => !/^[@+]/.test(beginningOf(operand)));
        const [name] = operands;
        if (!name) return [];
        const transfers = operands.some((operand) => /^[ai]xfr/i.test(beginningOf(operand)));
        const detail = call.program === 'ssh-keyscan' ? 'probe' : 'lookup';
        return [
          connect(
            call,
            transfers ? (operands.at(-1) ?? name) : name,
            transfers ? 'zone-transfer' : detail,
            call.io.stdinOrigins,
          ),
        ];
      },
      examples: {
        hit: {
          'dig +short a.example @h.example': 'connect a.example (lookup)',
          'dig <axfr ixfr AXFR> a.example': 'connect a.example (zone-transfer)',
          'nslookup -type=mx a.example': 'connect a.example (lookup)',
          '$SECRET | dig a.example': 'connect a.example (lookup) from secret',
          'ssh-keyscan a.example': 'connect a.example (probe)',
        },
        miss: ['dig', 'dig @h.example', 'host -V'],
      },
    },
  ],
};

const whois: Card = {
  names: 'whois',
  options: 'h/host= p/port= i= s= T= t= v= q= g= a b c= f k m l L r R x d G K M H Q',
  readings: { valued: 'h host p port i s T t v q g c', flags: 'a b f k m l L r R x d G K M H Q' },
  facts: [
    {
      what: 'asks who has a name',
      effects: (call, given) => {
        const server = given.last('host');
        if (server) return [connect(call, server, 'send')];
        return given.operands.slice(0, 1).map((name) => connect(call, name, 'lookup', call.io.stdinOrigins));
      },
      examples: {
        hit: {
          'whois -b a.example': 'connect a.example (lookup)',
          'whois -h h.example a.example': 'connect h.example (send)',
          '$SECRET | whois a': 'connect a (lookup) from secret',
        },
        miss: ['whois'],
      },
    },
  ],
};

const finger: Card = {
  names: 'finger',
  options: 'l m p s',
  readings: { flags: 'l m p s' },
  facts: [
    {
      what: 'asks a host for an account',
      effects: (call, { operands: [who] }) => {
        const text = beginningOf(who ?? literal(''));
        return text.includes('@')
          ? [connect(call, hostOf(literal(text.slice(text.lastIndexOf('@') + 1))), 'send')]
          : [];
      },
      examples: {
        hit: { 'finger -l a@b@h.example': 'connect h.example (send)' },
        miss: ['finger', 'finger a'],
      },
    },
  ],
};

const ping: Card = {
  names: 'ping ping6 fping arping tracepath mtr',
  options: 'c= i= I= w= W= s= t= l= p= Q= M= m= S= T= f n q v a A b B d D L O r R U V 4 6 h= P= N= z= g=',
  readings: { valued: 'c i I w W s t l p Q M m S T h P N z g', flags: 'f n q v a A b B d D L O r R U V 4 6' },
  facts: [
    {
      what: 'asks a host for an answer',
      effects: (call, given) => {
        const [host] = given.operands;
        if (!host) return [];
        const carries = given.has('p') && call.program === 'ping' ? (call.io.argumentOrigins ?? []) : [];
        return [
          connect(call, host, 'probe', carries),
          ...(given.has('f') && call.program.startsWith('ping')
            ? [effect(call, 'bomb', { detail: 'network', target: hostTarget(host) })]
            : []),
        ];
      },
      examples: {
        hit: {
          'ping -c 1 h.example': 'connect h.example (probe)',
          'ping -f h.example': 'connect h.example (probe); bomb h.example (network)',
          'mtr -n h.example': 'connect h.example (probe)',
          'fping -f h.example': 'connect h.example (probe)',
        },
        miss: ['ping', 'ping -V'],
      },
    },
  ],
};

const traceroute: Card = {
  names: 'traceroute traceroute6',
  options: 'f= g= i= m= N= p= q= s= t= w= z= l= P= M= O= 4 6 d F n r A e I T U h S x V v D L R back mtu',
  readings: {
    valued: 'f g i m N p q s t w z l P M O',
    flags: '4 6 d F n r A e I T U h S x V v D L R back mtu',
  },
  facts: [
    {
      what: 'asks the hosts on the way for an answer',
      effects: (call, { operands: [host] }) => (host ? [connect(call, host, 'probe')] : []),
      examples: {
        hit: {
          'traceroute -I -S h.example': 'connect h.example (probe)',
          'traceroute -m 5 h.example 60': 'connect h.example (probe)',
        },
        miss: ['traceroute', 'traceroute -V'],
      },
    },
  ],
};

const hping: Card = {
  names: 'hping3',
  options:
    'p= i= c= d= a= s= t= E/file= I= 9/listen= e= S F A R P U f flood faster fast 1 2 8 V q n spoof= sign= data= icmp udp',
  readings: {
    valued: 'p i c d a s t E file I 9 listen e spoof sign data',
    flags: 'S F A R P U f flood faster fast 1 2 8 V q n icmp udp',
  },
  facts: [
    {
      what: 'sends packets, which may hold a file',
      effects: (call, given) => {
        const reads = given.all('file').flatMap((file) => read(call, file));
        return [
          ...reads,
          ...given.operands.map((host) =>
            connect(call, host, reads.length > 0 ? 'send' : 'scan', originsOf(reads)),
          ),
          ...(given.has('flood') ? [effect(call, 'bomb', { detail: 'network' })] : []),
          ...(given.has('listen') ? [effect(call, 'listen', { detail: 'raw' })] : []),
        ];
      },
      examples: {
        hit: {
          'hping3 -S -p 80 h.example': 'connect h.example (scan)',
          'hping3 -E .env h.example':
            'read .env; secret .env (environment); connect h.example (send) from secret',
          'hping3 --flood h.example': 'connect h.example (scan); bomb (network)',
          'hping3 -9 sign': 'listen (raw)',
          'hping3 --listen sign': 'listen (raw)',
        },
        miss: ['hping3', 'hping3 -V'],
      },
    },
  ],
};

const codeOption = /^--(?:eval|os-cmd|os-shell|sql-shell)/;

const scan: Card = {
  names: 'nmap masscan zmap rustscan nikto sqlmap gobuster ffuf hydra arp-scan',
  options:
    'p= o= i= I= e= g= S= D= T= A P= oN= oX= oG= oA= iL= script= script-args= rate= c= n v s x u r F sS sV sC Pn top-ports= max-rate= min-rate=',
  manner: { wholeWords: true },
  readings: {
    valued: 'p o i I e g S D T P oN oX oG oA iL script script-args rate c top-ports max-rate min-rate',
    flags: 'A n v s x u r F sS sV sC Pn',
  },
  facts: [
    {
      what: 'looks which ports and pages answer',
      effects: (call, given): readonly Effect[] => {
        const code = call.args.find((argument) => codeOption.test(beginningOf(argument)));
        if (code && call.program === 'sqlmap')
          return [effect(call, 'run', { detail: 'inline', target: nameTarget(code) })];
        return [
          ...given.operands.map((host) => connect(call, hostOf(host), 'scan')),
          ...given.all('oN', 'oX', 'oG', 'oA').flatMap((file) => write(call, file, { detail: 'overwrite' })),
        ];
      },
      examples: {
        hit: {
          'nmap -A h.example': 'connect h.example (scan)',
          'nmap -p 80 h.example <-oN -oX -oG -oA> out': 'connect h.example (scan); write out (overwrite)',
          'sqlmap <--eval=a --os-cmd=a --os-shell --sql-shell>': 'run <> (inline)',
          'masscan --eval a': 'connect a (scan)',
        },
        miss: ['nmap', 'nmap -v'],
      },
    },
    {
      what: 'runs a script that it is given by its path',
      starts: (_, given): readonly Inner[] =>
        given
          .all('script')
          .filter((path) => /^[^=]*\/[^=]*$/.test(singleText(path)))
          .map((path) => ({ kind: 'file', language: 'other', path })),
      examples: {
        hit: {
          'nmap --script ./a.nse h.example': 'other file: ./a.nse',
          'nmap --script=/tmp/a h.example': 'other file: /tmp/a',
        },
        miss: ['nmap --script default h.example', 'nmap h.example'],
      },
    },
  ],
};

const capture: Card = {
  names: 'tcpdump tshark wireshark dumpcap',
  options: 'w= r= i= c= s= G= z= Z= W= C= F= f= Y= b= T= e= o= n v V A X D l L p q S U d K',
  readings: { valued: 'w r i c s G z Z W C F f Y b T e o', flags: 'n v V A X D l L p q S U d K' },
  facts: [
    {
      what: 'records what passes, and runs a program on it',
      effects: (call, given) => {
        const helper = given.last('z');
        return [
          ...given.all('r').flatMap((file) => read(call, file)),
          ...given.all('w').flatMap((file) => write(call, file, { detail: 'overwrite' })),
          ...(given.has('r', 'D', 'V') ? [] : [effect(call, 'privilege', { detail: 'capture' })]),
          ...(helper ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })] : []),
        ];
      },
      examples: {
        hit: {
          'tcpdump -i eth0': 'privilege (capture)',
          'tcpdump -w out': 'write out (overwrite); privilege (capture)',
          'tcpdump -r in': 'read in',
          'tcpdump -r in -z id': 'read in; run id (helper)',
        },
        miss: ['tcpdump -D', 'tshark -V'],
      },
    },
    {
      what: 'hands a text to a shell',
      starts: shellOptions('z'),
      examples: { hit: { "tcpdump -z 'rm -rf /'": 'shell code: rm -rf /' }, miss: ['tcpdump -i eth0'] },
    },
  ],
};

export const cards: readonly Card[] = [lookup, whois, finger, ping, traceroute, hping, scan, capture];

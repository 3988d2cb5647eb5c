// Programs that change this machine's network: interfaces, routes, private networks.

import type { Inner } from '../../bash/executors/inner.ts';
import { singleText } from '../../bash/values.ts';
import { beginningOf, effect, nameTarget, read, unknownValue } from '../../tools/tool.ts';
import { type Card, shellOptions } from '../card.ts';
import { connect } from '../network.ts';
import { type Table, table } from '../tables.ts';

type Looked = Omit<Table, 'does' | 'rest'> & { readonly looks?: string; readonly shows?: string };

/** A program that changes the network, unless it only looks. */
const network = ({ shows, downs, ...given }: Looked & { readonly downs?: string }): Card =>
  table({
    ...given,
    does: [
      ...(shows === undefined ? [] : [['', shows] as const]),
      ...(downs === undefined ? [] : [['setting <last> (network-down)', downs] as const]),
    ],
    rest: 'setting <last> (network-change)',
  });

const ip: Card = {
  ...table({
    names: 'ip',
    options:
      'b/batch= -batch= n/netns= -netns= f/family= -family= l/loops= -rc/rcvbuf= 4 6 B M N D I O 0 s/stats/statistics d/details r/resolve o/oneline -br/brief j/json p/pretty t c/color? a/all h/human iec',
    readings: {
      valued: 'b batch -batch n netns -netns f family -family l loops -rc rcvbuf',
      flags:
        '4 6 B M N D I O 0 s stats statistics d details r resolve o oneline -br brief j json p pretty t a all h human iec',
      attached: 'c color',
    },
    does: [
      ['read <-batch/b>; setting (network-change)', '--batch'],
      [
        '',
        '* $ | * show | * list | * ls | * s | * sh | * l | * get | * help | * monitor | * stats | * showdump | * save | monitor* | netns exec | netns identify | netns pids | netns list-id | vrf exec | vrf identify | vrf pids',
      ],
      ['setting <3> (network-down)', '* flush | * del | * delete | * f | * d | … down'],
    ],
    rest: 'setting <3> (network-change)',
    examples: {
      'ip <addr link route>': '',
      'ip addr <show list ls s sh l get help monitor stats showdump save> eth0': '',
      'ip -4 -br addr': '',
      'ip monitor all': '',
      'ip netns <identify pids list-id> a': '',
      'ip vrf <exec identify pids> a': '',
      'ip netns exec a id': '',
      'ip addr <flush del delete f d> eth0': 'setting eth0 (network-down)',
      'ip link set eth0 down': 'setting eth0 (network-down)',
      'ip link set eth0 up': 'setting eth0 (network-change)',
      'ip addr add a dev eth0': 'setting a (network-change)',
      'ip -n a link set eth0 down': 'setting eth0 (network-down)',
      'ip <-b --batch -batch> file': 'read file; setting (network-change)',
      'ip -force -b file': 'read file; setting (network-change)',
      'ip addr $X': 'setting (network-change)',
      ip: '',
    },
    facts: [
      {
        what: 'starts a program in another network',
        starts: (_, given): readonly Inner[] => {
          const [object, verb, , ...argv] = given.behind(0);
          const within = /^(?:netns|vrf)$/.test(singleText(object)) && singleText(verb) === 'exec';
          return within && argv.length > 0 ? [{ kind: 'argv', argv }] : [];
        },
        examples: {
          hit: { 'ip netns exec a rm -rf /': 'program: rm -rf /', 'ip -all vrf exec a id': 'program: id' },
          miss: ['ip addr show', 'ip netns list', 'ip netns exec a', 'ip link exec a b'],
        },
      },
    ],
    advice: [{ rule: 'machine_setting', text: 'Look first: `ip addr show`.' }],
  }),
};

const tunnel = (
  names: string,
  options: string,
  starts: string,
  hit: Readonly<Record<string, string>>,
): Card => {
  const [first = ''] = names.split(' ');
  return table({
    names,
    options,
    readings: { valued: options.replaceAll('=', '').replaceAll('/', ' ') },
    always: 'setting (network-change)',
    examples: { [`${first} a`]: 'setting (network-change)', [first]: 'setting (network-change)' },
    facts: [
      {
        what: 'hands a text to a shell',
        starts: shellOptions(starts),
        examples: { hit, miss: [`${first} a`] },
      },
    ],
  });
};

export const cards: readonly Card[] = [
  ip,
  table({
    names: 'ifconfig iwconfig',
    options: 'a s v',
    readings: { flags: 'a s v' },
    does: [
      ['', '* $'],
      ['setting <1> (network-down)', '… down | … delete'],
    ],
    rest: 'setting <1> (network-change)',
    examples: {
      'ifconfig eth0': '',
      'ifconfig -a': '',
      ifconfig: '',
      'ifconfig eth0 down': 'setting eth0 (network-down)',
      'ifconfig eth0 delete': 'setting eth0 (network-down)',
      'iwconfig eth0 essid a': 'setting eth0 (network-change)',
      'ifconfig -v eth0 up': 'setting eth0 (network-change)',
    },
    advice: [{ rule: 'machine_setting', programs: ['ifconfig'], text: 'Look first: `ifconfig -a`.' }],
  }),
  network({
    names: 'resolvectl',
    options: 'i/interface=',
    readings: { valued: 'i interface' },
    shows: 'query | status | statistics | dns $ | domain $ | service | show* | monitor',
    downs: 'revert | flush-caches',
    facts: [
      {
        what: 'asks for the addresses of a name',
        effects: (call, { operands: [verb, ...names] }) =>
          /^(?:query|service)$/.test(beginningOf(verb ?? unknownValue))
            ? names.map((name) => connect(call, name, 'lookup', call.io.argumentOrigins))
            : [],
        examples: {
          hit: { 'resolvectl query h.example': 'connect h.example (lookup)' },
          miss: ['resolvectl query', 'resolvectl status eth0'],
        },
      },
    ],
    examples: {
      'resolvectl <query | status | statistics | dns | domain | service | show-cache | monitor>': '',
      'resolvectl <revert flush-caches> a': 'setting a (network-down)',
      'resolvectl dns eth0 1.1.1.1': 'setting 1.1.1.1 (network-change)',
      'resolvectl -i a domain eth0 b': 'setting b (network-change)',
    },
  }),
  table({
    names: 'systemd-resolve',
    options: 'set-dns= set-domain= i/interface= revert flush-caches',
    readings: { valued: 'set-dns set-domain i interface', flags: 'revert flush-caches' },
    does: [
      ['setting (network-down)', '--revert'],
      ['setting (network-change)', '--set-dns | --set-domain | --flush-caches'],
    ],
    examples: {
      'systemd-resolve -i a --revert': 'setting (network-down)',
      'systemd-resolve <--set-dns=a --set-domain=a --flush-caches>': 'setting (network-change)',
      'systemd-resolve --status': '',
      'systemd-resolve a.example': '',
    },
  }),
  {
    names: 'nsupdate',
    options: 'k= y= t= l v d',
    readings: { valued: 'k y t', flags: 'l v d' },
    facts: [
      {
        what: 'changes names on a server',
        always: true,
        effects: (call) => [
          effect(call, 'cloud', {
            detail: /\bdelete\b/i.test(beginningOf(call.io.stdin)) ? 'delete' : 'change',
            target: nameTarget({ kind: 'literal', text: 'dns' }),
          }),
        ],
        examples: {
          hit: {
            "'update delete a' | nsupdate": 'cloud dns (delete)',
            'nsupdate -k a b': 'cloud dns (change)',
          },
          miss: [],
        },
      },
    ],
  },
  ...(['change', 'down'] as const).map((does) => {
    const name = does === 'down' ? 'ifdown' : 'ifup';
    return table({
      names: name,
      options: 'help no-act a f/force',
      readings: { flags: 'help no-act a f force' },
      looks: 'help no-act',
      rest: `setting <last> (network-${does})`,
      alone: `setting (network-${does})`,
      examples: {
        [`${name} eth0`]: `setting eth0 (network-${does})`,
        [`${name} -a`]: `setting (network-${does})`,
        [`${name} <--no-act --help> eth0`]: '',
      },
    });
  }),
  network({
    names: 'route',
    options: 'n e C 4 6 v A=',
    readings: { valued: 'A', flags: 'n e C 4 6 v' },
    shows: 'get | monitor',
    downs: 'del | delete | flush',
    examples: {
      'route -n': '',
      'route <get monitor>': '',
      'route -n <del delete flush> a': 'setting a (network-down)',
      'route add a': 'setting a (network-change)',
      route: '',
    },
  }),
  {
    names: 'arp',
    options: 'f/file= i= H= d/delete= s/set= a e n v D A=',
    readings: { valued: 'f file i H d delete s set A', flags: 'a e n v D' },
    facts: [
      {
        what: 'changes which addresses belong together',
        effects: (call, given) =>
          given.has('f')
            ? given.all('f').flatMap((file) => read(call, file ?? unknownValue))
            : given.has('d', 's')
              ? [effect(call, 'setting', { detail: 'network-change' })]
              : [],
        examples: {
          hit: {
            'arp -f a': 'read a',
            'arp -d a': 'setting (network-change)',
            'arp -s a b': 'setting (network-change)',
          },
          miss: ['arp', 'arp -n'],
        },
      },
    ],
  },
  network({
    names: 'nmcli',
    options:
      't/terse p/pretty m/mode= c/colors= f/fields= g/get-values= a/ask s/show-secrets w/wait= v/version',
    readings: {
      valued: 'm mode c colors f fields g get-values w wait',
      flags: 't terse p pretty a ask s show-secrets v version',
    },
    looks: 'version',
    shows:
      'g $ | general $ | general status | general show | d $ | dev $ | device $ | * status | * show | * list | * wifi $ | * wifi list | c $ | con $ | connection $ | radio $ | radio wifi $ | monitor',
    downs: '… down | … off | … delete | … disconnect',
    examples: {
      'nmcli <g | general | general status | general show | d | dev | device | device status | device show eth0 | connection list | device wifi | dev wifi list | c | con | connection | connection show | radio | radio wifi | monitor>':
        '',
      'nmcli -t -f NAME con show': '',
      'nmcli -v': '',
      'nmcli con down a': 'setting a (network-down)',
      'nmcli con delete a': 'setting a (network-down)',
      'nmcli radio wifi off': 'setting off (network-down)',
      'nmcli dev disconnect eth0': 'setting eth0 (network-down)',
      'nmcli x down': 'setting down (network-down)',
      'nmcli x <off delete disconnect>': 'setting <> (network-down)',
      'nmcli -g a con up b': 'setting b (network-change)',
      nmcli: '',
    },
    advice: [{ rule: 'machine_setting', text: 'Look first: `nmcli device status`.' }],
  }),
  network({
    names: 'netplan',
    shows: 'get | info | status | generate',
    examples: { 'netplan <get info status generate>': '', 'netplan apply': 'setting apply (network-change)' },
  }),
  network({
    names: 'brctl',
    shows: 'show | showmacs | showstp',
    downs: 'del*',
    examples: {
      'brctl <show showmacs showstp> a': '',
      'brctl <delbr delif> a': 'setting a (network-down)',
      'brctl addbr a': 'setting a (network-change)',
    },
  }),
  network({
    names: 'tc',
    options: 's/statistics d p j b/batch=',
    readings: { valued: 'b batch', flags: 's statistics d p j' },
    looks: 's',
    shows: '* show | * list | * ls',
    downs: '* del',
    examples: {
      'tc qdisc <show list ls>': '',
      'tc <-s --statistics> qdisc': '',
      'tc qdisc del dev a': 'setting a (network-down)',
      'tc qdisc add dev a': 'setting a (network-change)',
    },
  }),
  table({
    names: 'ethtool',
    options:
      'i g a k l S T c m x n show-ring show-features driver s/change= G/set-ring= K/features= A/pause= C/coalesce= reset= r/negotiate=',
    readings: {
      valued: 's change G set-ring K features A pause C coalesce reset r negotiate',
      flags: 'i g a k l S T c m x n show-ring show-features driver',
    },
    does: [
      ['setting <--reset> (network-down)', '--reset'],
      ['setting (network-change)', '-s | -G | -K | -A | -C | -r'],
    ],
    examples: {
      'ethtool <-i -g -a -k -l -S -T -c -m -x -n --show-ring --show-features --driver> eth0': '',
      'ethtool eth0': '',
      'ethtool --reset eth0 all': 'setting eth0 (network-down)',
      'ethtool <-s -G -K -A -C -r --change --set-ring --features --pause --coalesce --negotiate> eth0 a b':
        'setting (network-change)',
    },
  }),
  network({
    names: 'iw',
    shows: '… list | … info | … link | … scan | … dump | … get | dev $ | phy $',
    downs: '… del',
    examples: {
      'iw <list | dev a info | dev a link | dev a scan | dev a station dump | reg get | dev | phy>': '',
      'iw dev a del': 'setting del (network-down)',
      'iw dev a set b': 'setting b (network-change)',
      'iw x <list info link scan dump get>': '',
      'iw x del': 'setting del (network-down)',
    },
  }),
  network({
    names: 'rfkill',
    shows: 'list',
    downs: 'block | unblock',
    examples: {
      'rfkill list': '',
      'rfkill <block unblock> wifi': 'setting wifi (network-down)',
      'rfkill toggle wifi': 'setting wifi (network-change)',
    },
  }),
  {
    names: 'networksetup',
    options: '',
    readings: {},
    facts: [
      {
        what: 'changes the network',
        effects: (call) => {
          const said = call.args.map(beginningOf).join(' ');
          if (said === '' || /^-(?:get|list|show|is|print)/.test(said)) return [];
          return [
            effect(call, 'setting', {
              detail: /off/.test(said) ? 'network-down' : 'network-change',
              target: nameTarget(call.args.at(-1)),
            }),
          ];
        },
        examples: {
          hit: {
            'networksetup -setairportpower en0 off': 'setting off (network-down)',
            'networksetup -setdnsservers a b': 'setting b (network-change)',
          },
          miss: ['networksetup -<getinfo listall showpw isnet printcmds> a', 'networksetup'],
        },
      },
    ],
  },
  network({
    names: 'wpa_cli',
    options: 'i= p=',
    readings: { valued: 'i p' },
    shows: 'status | scan | scan_results | list_networks',
    downs: 'disconnect | terminate',
    examples: {
      'wpa_cli -i a <status scan scan_results list_networks>': '',
      'wpa_cli -p a <disconnect terminate>': 'setting <> (network-down)',
      'wpa_cli reassociate': 'setting reassociate (network-change)',
    },
  }),
  network({
    names: 'tailscale',
    options: 'socket=',
    readings: { valued: 'socket' },
    shows: 'status | ip | version | ping | netcheck | whois',
    downs: 'down | logout',
    examples: {
      'tailscale --socket a <status ip version ping netcheck whois>': '',
      'tailscale down': 'setting down (network-down)',
      'tailscale logout': 'setting logout (network-down)',
      'tailscale up': 'setting up (network-change)',
    },
  }),
  network({
    names: 'wg',
    shows: 'show | showconf | genkey | pubkey | genpsk',
    examples: {
      'wg <show showconf genkey pubkey genpsk>': '',
      'wg set a': 'setting a (network-change)',
      wg: '',
    },
  }),
  network({
    names: 'wg-quick',
    shows: 'save | strip',
    downs: 'down',
    examples: {
      'wg-quick <save strip> a': '',
      'wg-quick down a': 'setting a (network-down)',
      'wg-quick up a': 'setting a (network-change)',
    },
  }),
  tunnel('openvpn', 'up= down= tls-verify= route-up= config=', 'up down tls-verify route-up', {
    "openvpn <--up --down --tls-verify --route-up> 'rm -rf /'": 'shell code: rm -rf /',
    'openvpn --config a --up=id': 'shell code: id',
  }),
  tunnel('sshuttle', 'e/ssh-cmd= r/remote= x/exclude=', 'ssh-cmd', {
    "sshuttle <-e --ssh-cmd> 'rm -rf /' -r a": 'shell code: rm -rf /',
    'sshuttle -x a --ssh-cmd=id': 'shell code: id',
  }),
];

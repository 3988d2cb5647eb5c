// Firewalls of this machine.

import type { Card } from '../card.ts';
import { quiet, type Table, table } from '../tables.ts';

type Looked = Omit<Table, 'does' | 'rest'> & { readonly looks?: string; readonly shows?: string };

/** A program that changes the firewall, unless it only looks. */
const firewall = ({
  shows,
  flushes,
  removes,
  files,
  ...given
}: Looked & { flushes: string; removes?: string; files?: string }): Card =>
  table({
    ...given,
    does: [
      ...(files === undefined ? [] : [['read <-file>; firewall (change)', files] as const]),
      ...(shows === undefined ? [] : [['', shows] as const]),
      ['firewall (flush)', flushes],
      ...(removes === undefined ? [] : [['firewall (remove)', removes] as const]),
    ],
    rest: 'firewall (change)',
  });

const iptables = table({
  names: 'iptables ip6tables iptables-legacy iptables-nft ebtables arptables',
  options:
    'A/append= D/delete= I/insert= R/replace= P/policy= N/new-chain= X/delete-chain? F/flush? Z/zero? L/list? S/list-rules? C/check= E/rename-chain= t/table= j/jump= p/protocol= s/source= d/destination= i/in-interface= o/out-interface= m/match= dport= sport= state= ctstate= to-destination= to-ports= h/help V/version n/numeric v/verbose w? x 4 6 line-numbers',
  readings: {
    valued:
      'A append D delete I insert R replace P policy N new-chain C check E rename-chain t table j jump p protocol s source d destination i in-interface o out-interface m match dport sport state ctstate to-destination to-ports',
    flags: 'h help V version n numeric v verbose x 4 6 line-numbers',
    attached: 'X delete-chain F flush Z zero L list S list-rules w',
  },
  does: [
    ['firewall (flush)', '-F | -X'],
    ['firewall (remove)', '-D'],
    ['firewall (policy)', '-P'],
    ['firewall (change)', '-A | -I | -R | -N | -Z | -E'],
    ['', '-L | -S | -C | -V | -h'],
  ],
  rest: 'firewall (change)',
  examples: {
    'iptables <-F --flush -X --delete-chain>': 'firewall (flush)',
    'iptables -t nat -F INPUT': 'firewall (flush)',
    'iptables <-D --delete> INPUT 1': 'firewall (remove)',
    'iptables <-P --policy> INPUT DROP': 'firewall (policy)',
    'iptables <-A -I -R -N -Z -E --append --insert --replace --new-chain --zero --rename-chain> INPUT -j DROP':
      'firewall (change)',
    'iptables -t nat <-L -S -nvL --list --list-rules -V --version>': '',
    'ip6tables <-C --check> INPUT -j DROP': '',
    'iptables $X': 'firewall (change)',
    iptables: '',
  },
});

export const cards: readonly Card[] = [
  iptables,
  { names: 'iptables-save ip6tables-save', ...quiet },
  table({
    names: 'iptables-restore ip6tables-restore',
    always: 'firewall (change)',
    examples: { 'iptables-restore a': 'firewall (change)', 'ip6tables-restore': 'firewall (change)' },
  }),
  firewall({
    names: 'ipset',
    options: 'L F X',
    readings: { flags: 'L F X' },
    shows: 'list | save | test | -L',
    flushes: 'flush | destroy | -F | -X',
    removes: 'del | delete | remove',
    examples: {
      'ipset <list save test> a': '',
      'ipset -L': '',
      'ipset flush a': 'firewall (flush)',
      'ipset destroy a': 'firewall (flush)',
      'ipset <-F -X>': 'firewall (flush)',
      'ipset <del delete remove> a b': 'firewall (remove)',
      'ipset add a b': 'firewall (change)',
      ipset: '',
    },
  }),
  firewall({
    names: 'nft',
    options: 'f/file= a j s n c/check y v/version',
    readings: { valued: 'f file', flags: 'a j s n c check y v version' },
    looks: 'c version',
    shows: 'list | describe | monitor',
    files: '-f',
    flushes: 'flush | destroy | delete table',
    removes: 'delete',
    examples: {
      'nft -a <list describe monitor> ruleset': '',
      'nft <-c --check -v --version> add': '',
      'nft <flush ruleset | destroy a | delete table a>': 'firewall (flush)',
      'nft delete rule a': 'firewall (remove)',
      'nft add rule a': 'firewall (change)',
      'nft -f a': 'read a; firewall (change)',
    },
  }),
  firewall({
    names: 'ufw',
    options: 'dry-run force version',
    readings: { flags: 'dry-run force version' },
    looks: 'dry-run version',
    shows: 'status | show | version | app list | app info',
    flushes: 'disable | reset',
    removes: 'delete | … remove',
    examples: {
      'ufw <status | show a | version | app list | app info a>': '',
      'ufw <--dry-run --version> enable': '',
      'ufw --force <disable reset>': 'firewall (flush)',
      'ufw delete allow 80': 'firewall (remove)',
      'ufw a remove': 'firewall (remove)',
      'ufw allow 80': 'firewall (change)',
    },
  }),
  firewall({
    names: 'firewall-cmd',
    options:
      'permanent zone= state list-all list-ports list-services list-rules get-zones get-default-zone get-active-zones query-port= query-service= info-zone= check-config version help panic-on panic-off complete-reload delete-zone= reset-to-defaults remove-port= remove-service= add-port= add-service= reload',
    readings: {
      valued:
        'zone query-port query-service info-zone delete-zone remove-port remove-service add-port add-service',
      flags:
        'permanent state list-all list-ports list-services list-rules get-zones get-default-zone get-active-zones check-config version help panic-on panic-off complete-reload reset-to-defaults reload',
    },
    looks:
      'state list-all list-ports list-services list-rules get-zones get-default-zone get-active-zones query-port query-service info-zone check-config version help',
    flushes: '--panic-on | --complete-reload | --delete-zone | --reset-to-defaults',
    removes: '--remove-port | --remove-service',
    alone: 'firewall (change)',
    examples: {
      'firewall-cmd --permanent --zone=a <--state --list-all --list-ports --list-services --list-rules --get-zones --get-default-zone --get-active-zones --query-port=1 --query-service=a --info-zone=a --check-config --version --help>':
        '',
      'firewall-cmd <--panic-on --complete-reload --delete-zone=a --reset-to-defaults>': 'firewall (flush)',
      'firewall-cmd <--remove-port=1 --remove-service=a>': 'firewall (remove)',
      'firewall-cmd <--add-port=1 --reload --panic-off>': 'firewall (change)',
      'firewall-cmd a': 'firewall (change)',
    },
  }),
  firewall({
    names: 'pfctl',
    options: 's= v n g F= d e f= t= T=',
    readings: { valued: 's F f t T', flags: 'v n g d e' },
    looks: 's n g',
    flushes: '-F | -d',
    alone: 'firewall (change)',
    examples: {
      'pfctl -s rules': '',
      'pfctl <-n -g> -f a': '',
      'pfctl -F all': 'firewall (flush)',
      'pfctl -d': 'firewall (flush)',
      'pfctl -f a': 'firewall (change)',
      'pfctl a': 'firewall (change)',
    },
  }),
  firewall({
    names: 'ipfw',
    options: 'a h f q',
    readings: { flags: 'a h f q' },
    looks: 'a h',
    shows: 'list | show',
    flushes: '… flush',
    removes: 'delete',
    examples: {
      'ipfw <list show>': '',
      'ipfw <-a -h> add': '',
      'ipfw -f flush': 'firewall (flush)',
      'ipfw delete 1': 'firewall (remove)',
      'ipfw add 1': 'firewall (change)',
      'ipfw x flush': 'firewall (flush)',
    },
  }),
  firewall({
    names: 'netsh',
    shows: '… show',
    flushes: '… off | … reset',
    removes: '… delete',
    examples: {
      'netsh advfirewall show allprofiles': '',
      'netsh advfirewall set allprofiles state off': 'firewall (flush)',
      'netsh winsock reset': 'firewall (flush)',
      'netsh advfirewall firewall delete rule a': 'firewall (remove)',
      'netsh advfirewall firewall add rule a': 'firewall (change)',
    },
  }),
  firewall({
    names: 'fail2ban-client',
    options: 'V/version d dp s= c= p=',
    readings: { valued: 's c p', flags: 'V version d dp' },
    looks: 'version d dp',
    shows: 'status | ping | get | version | banned',
    flushes: '… stop | … unban | … restart',
    examples: {
      'fail2ban-client -c a <status ping get version banned>': '',
      'fail2ban-client <-V --version -d --dp> start': '',
      'fail2ban-client <stop restart>': 'firewall (flush)',
      'fail2ban-client set sshd unban a': 'firewall (flush)',
      'fail2ban-client x <stop restart>': 'firewall (flush)',
      'fail2ban-client start': 'firewall (change)',
    },
  }),
];

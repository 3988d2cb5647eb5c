// Services of this machine: what starts, stops and keeps them, power, and what they log.

import { isTerminalPath } from '../../../../detect/path.ts';
import { beginningOf, effect, literal, nameTarget, textOf, write } from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { isGuardProcess, signalEffects, signalName } from '../services.ts';
import { table } from '../tables.ts';

const lookFirst = (program: string, text: string) =>
  ['service_change', 'persistence'].map((rule) => ({
    rule,
    programs: [program],
    text: `Look first: \`${text}\`.`,
  }));

const systemctlLooks =
  'status | show | cat | list-units | list-unit-files | list-sockets | list-timers | list-jobs | list-dependencies | list-machines | list-automounts | list-paths | is-active | is-enabled | is-failed | is-system-running | get-default | help | show-environment | log-level | log-target | service-watchdogs | whoami';
const kept =
  /^(?:enable|reenable|link|preset|preset-all|edit|add-wants|add-requires|set-default|set-environment|import-environment|revert)$/;

const systemctl = table({
  names: 'systemctl',
  options:
    'H/host= M/machine= t/type= p/property= s/signal= n/lines= o/output= kill-whom= job-mode= root= state= check-inhibitors= what= preset-mode= boot-loader-menu= boot-loader-entry= timestamp= f/force q now user system runtime no-block no-pager no-ask-password a/all l/full r/recursive i global failed plain legend?',
  readings: {
    valued:
      'H host M machine t type p property s signal n lines o output kill-whom job-mode root state check-inhibitors what preset-mode boot-loader-menu boot-loader-entry timestamp',
    flags:
      'f force q now user system runtime no-block no-pager no-ask-password a all l full r recursive i global failed plain',
    attached: 'legend',
  },
  does: [
    ['', systemctlLooks],
    ['service <2> (shutdown) force?', 'poweroff | halt'],
    [
      'service <2> (<1>) force?',
      'reboot | kexec | suspend | hibernate | hybrid-sleep | suspend-then-hibernate | soft-reboot | emergency | rescue | exit | switch-root | isolate | default',
    ],
    ['service <2..> (<1>) reversible', '* --user'],
  ],
  rest: 'service <2..> (<1>)',
  examples: {
    'systemctl <status show cat list-units list-unit-files list-sockets list-timers list-jobs list-dependencies list-machines list-automounts list-paths is-active is-enabled is-failed is-system-running get-default help show-environment log-level log-target service-watchdogs whoami> a':
      '',
    'systemctl <poweroff halt>': 'service (shutdown)',
    'systemctl -f <reboot kexec suspend hibernate hybrid-sleep suspend-then-hibernate soft-reboot emergency rescue exit switch-root isolate default>':
      'service (<>) force',
    'systemctl isolate a': 'service a (isolate)',
    'systemctl <stop restart start mask daemon-reload> a b': 'service a (<>); service b (<>)',
    'systemctl daemon-reload': 'service (daemon-reload)',
    'systemctl --user restart a': 'service a (restart) reversible',
    'systemctl -H a stop b': 'service b (stop)',
    'systemctl $X': 'service (unknown)',
    systemctl: '',
  },
  facts: [
    {
      what: 'keeps a service for every start',
      effects: (call, given) => {
        const [verb, ...units] = given.operands;
        return kept.test(textOf(verb) ?? '')
          ? (units.length > 0 ? units : [undefined]).map((unit) =>
              effect(call, 'persist', { detail: 'service', target: nameTarget(unit) }),
            )
          : [];
      },
      examples: {
        hit: {
          'systemctl <enable reenable link preset preset-all edit add-wants add-requires set-default set-environment import-environment revert> a':
            'persist a (service)',
          'systemctl preset-all': 'persist (service)',
        },
        miss: ['systemctl start a', 'systemctl --what enable status'],
      },
    },
    {
      what: 'signals the processes of a service',
      effects: (call, given) => {
        const [verb, ...units] = given.operands;
        const name = signalName(beginningOf(given.last('signal') ?? literal('TERM')));
        return textOf(verb) === 'kill' ? units.flatMap((unit) => signalEffects(call, unit, name)) : [];
      },
      examples: {
        hit: {
          'systemctl kill a b': 'signal a (TERM); signal b (TERM)',
          'systemctl kill -s KILL a': 'signal a (KILL) force',
        },
        miss: ['systemctl stop a'],
      },
    },
    {
      what: 'stops the guard',
      effects: (call, given) => {
        const [verb, ...units] = given.operands;
        return /^(?:stop|disable|mask|kill)$/.test(textOf(verb) ?? '') && units.some(isGuardProcess)
          ? [effect(call, 'tamper', { detail: 'service' })]
          : [];
      },
      examples: {
        hit: { 'systemctl <stop disable mask kill> sallyport': 'tamper (service)' },
        miss: ['systemctl start sallyport', 'systemctl stop a'],
      },
    },
  ],
  advice: lookFirst('systemctl', 'systemctl status'),
});

const serviceLooks = 'status | list | avail | pid | check | get | ls | summary | validate';

/** `service NAME verb`. */
const byName = table({
  names: 'service rc-service invoke-rc.d',
  options: 'status-all f/full-restart',
  readings: { flags: 'status-all f full-restart' },
  looks: 'status-all',
  does: [
    ['run <1> (helper)', '/* | *../*'],
    [
      '',
      serviceLooks
        .split(' | ')
        .map((verb) => `* ${verb}`)
        .join(' | '),
    ],
    ['', '* $'],
  ],
  rest: 'service <1> (<2>)',
  examples: {
    'service a <status list avail pid check get ls summary validate>': '',
    'service --status-all': '',
    'service a': '',
    service: '',
    'service a <stop start restart>': 'service a (<>)',
    'service a $X': 'service a (unknown)',
    'service </x/a ../a> start': 'run <> (helper)',
  },
  advice: lookFirst('service', 'service --status-all').slice(0, 1),
});

/** `sv verb NAME`. */
const byVerb = table({
  names: 'sv supervisorctl initctl monit rcctl',
  options: 'c/configuration=',
  readings: { valued: 'c configuration' },
  does: [['', serviceLooks]],
  rest: 'service <2> (<1>)',
  examples: {
    'sv <status list avail pid check get ls summary validate> a': '',
    'supervisorctl -c a <stop start restart> b': 'service b (<>)',
    'sv $X a': 'service a (unknown)',
    sv: '',
  },
});

export const cards: readonly Card[] = [
  systemctl,
  byName,
  byVerb,
  table({
    names: 'apachectl apache2ctl',
    options: 'k= f= D= t S M V v l L',
    readings: { valued: 'k f D', flags: 't S M V v l L' },
    does: [['', 'status | configtest | list | check | -t | -S | -V | -M']],
    rest: 'service apache (<1>)',
    alone: 'service apache (<-k>)',
    examples: {
      'apachectl <status configtest list check>': '',
      'apache2ctl <-t -S -V -M>': '',
      'apachectl <stop restart graceful>': 'service apache (<>)',
      'apachectl -k stop': 'service apache (stop)',
      apachectl: 'service apache (unknown)',
    },
  }),
  table({
    names: 'loginctl',
    does: [
      ['', 'list* | show* | status | user-status | session-status | seat-status'],
      ['signal <2> (TERM) recursive', 'terminate-* | kill-*'],
      ['persist <2> (service)', 'enable-linger'],
    ],
    rest: 'setting <2> (session)',
    examples: {
      'loginctl <list list-users show-user user-status session-status seat-status status> a': '',
      'loginctl <terminate-user kill-session> a': 'signal a (TERM) recursive',
      'loginctl enable-linger a': 'persist a (service)',
      'loginctl lock-session a': 'setting a (session)',
      loginctl: '',
    },
  }),
  table({
    names: 'nginx',
    options: 's= c= p= g= e= t T v V q h',
    readings: { valued: 's c p g e', flags: 't T v V q h' },
    looks: 't T v V h',
    does: [
      ['service nginx (<-s>) reversible', '-s=reload | -s=reopen'],
      ['service nginx (<-s>)', '-s'],
    ],
    always: 'service nginx (start)',
    examples: {
      nginx: 'service nginx (start)',
      'nginx -s <stop quit>': 'service nginx (<>)',
      'nginx -s <reload reopen>': 'service nginx (<>) reversible',
      'nginx <-t -T -v -V -h>': '',
    },
  }),
  table({
    names: 'haproxy',
    options: 'c v f= sf= st= D p=',
    readings: { valued: 'f sf st p', flags: 'c v D' },
    manner: { wholeWords: true },
    looks: 'c v vv',
    does: [['service haproxy (stop)', '-sf | -st']],
    always: 'service haproxy (start)',
    examples: {
      'haproxy -f a': 'service haproxy (start)',
      'haproxy -f a <-sf -st> 12': 'service haproxy (stop)',
      'haproxy -f a <-c -v -vv>': '',
    },
  }),
  table({
    names: 'launchctl',
    does: [
      [
        '',
        'list | print | print-* | blame | dumpstate | getenv | help | version | managername | hostinfo | examine | procinfo | manageruid | managerpid | plist',
      ],
      ['service <last> (<1>); persist <last> (service)', 'load | bootstrap | enable | submit | setenv'],
    ],
    rest: 'service <last> (<1>)',
    examples: {
      'launchctl <list print print-disabled blame dumpstate getenv help version managername hostinfo examine procinfo manageruid managerpid plist> a':
        '',
      'launchctl <load bootstrap enable submit setenv> a': 'service a (<>); persist a (service)',
      'launchctl unload a': 'service a (unload)',
      launchctl: '',
    },
  }),
  table({
    names: 'chkconfig',
    options: 'list add del level=',
    readings: { valued: 'level', flags: 'list add del' },
    looks: 'list',
    does: [['persist <1> (service)', '* on | * off | * reset | --add | --del']],
    examples: {
      'chkconfig a <on off reset>': 'persist a (service)',
      'chkconfig <--add --del> a': 'persist a (service)',
      'chkconfig --list a': '',
      'chkconfig a': '',
    },
  }),
  table({
    names: 'update-rc.d',
    always: 'persist <1> (service)',
    examples: { 'update-rc.d a defaults': 'persist a (service)' },
  }),
  table({
    names: 'rc-update',
    does: [['', 'show']],
    rest: 'persist <2> (service)',
    examples: { 'rc-update add a': 'persist a (service)', 'rc-update show': '', 'rc-update': '' },
  }),
  table({
    names: 'sc',
    does: [['', 'query | qc | queryex | QUERY | Query']],
    rest: 'service <2> (<1>)',
    examples: {
      'sc <query qc queryex QUERY Query> a': '',
      'sc <stop delete> a': 'service a (<>)',
      'sc $X a': 'service a (unknown)',
    },
  }),
  table({
    names: 'journalctl',
    options:
      'vacuum-size= vacuum-time= vacuum-files= rotate flush relinquish-var setup-keys u/unit= n/lines=',
    readings: {
      valued: 'vacuum-size vacuum-time vacuum-files u unit n lines',
      flags: 'rotate flush relinquish-var setup-keys',
    },
    does: [
      [
        'delete /var/log/journal (logs)',
        '--vacuum-size | --vacuum-time | --vacuum-files | --rotate | --flush | --relinquish-var | --setup-keys',
      ],
    ],
    examples: {
      'journalctl <--vacuum-size=1 --vacuum-time=1 --vacuum-files=1 --rotate --flush --relinquish-var --setup-keys>':
        'delete /var/log/journal (logs)',
      'journalctl -u a -n 50': '',
    },
  }),
  table({
    names: 'dmesg',
    options: 'c/read-clear C/clear n/console-level= D/console-off E/console-on T H w k x l= f= s=',
    readings: {
      valued: 'n console-level l f s',
      flags: 'c read-clear C clear D console-off E console-on T H w k x',
    },
    does: [['delete /dev/kmsg (logs)', '-c | -C | -n | -D | -E']],
    examples: {
      'dmesg <-c -C -D -E --clear --read-clear --console-off --console-on>': 'delete /dev/kmsg (logs)',
      'dmesg <-n --console-level> 1': 'delete /dev/kmsg (logs)',
      'dmesg -Tl err': '',
      dmesg: '',
    },
  }),
  table({
    names: 'logrotate',
    options: 'd/debug f/force s/state=',
    readings: { valued: 's state', flags: 'd debug f force' },
    looks: 'debug',
    always: 'delete (logs)',
    examples: { 'logrotate -f a': 'delete (logs)', 'logrotate <-d --debug> a': '' },
  }),
  table({
    names: 'systemd-tmpfiles',
    options: 'remove purge create clean',
    readings: { flags: 'remove purge create clean' },
    does: [['delete (temporary) recursive', '--remove | --purge']],
    examples: {
      'systemd-tmpfiles <--remove --purge>': 'delete (temporary) recursive',
      'systemd-tmpfiles --create': '',
    },
  }),
  table({
    names: 'pm2',
    does: [
      [
        '',
        'list | ls | status | logs | log | show | describe | monit | info | jlist | prettylist | id | pid | env | -v',
      ],
      ['service <2> (delete)', 'delete'],
    ],
    options:
      'v n= name= i= instances= parallel= o= output= e= error= p= pid= k= kill-timeout= listen-timeout= max-memory-restart= restart-delay= env= log-type= u= user= uid= gid= cwd= hp= service-name= c= cron= interpreter= interpreter-args= log-date-format=',
    readings: {
      valued:
        'n name i instances parallel o output e error p pid k kill-timeout listen-timeout max-memory-restart restart-delay env log-type u user uid gid cwd hp service-name c cron interpreter interpreter-args log-date-format',
      flags: 'v',
    },
    rest: 'service <2> (<1>) reversible',
    examples: {
      'pm2 <list ls status logs log show describe monit info jlist prettylist id pid env> a': '',
      'pm2 -v': '',
      'pm2 delete a': 'service a (delete)',
      'pm2 <start stop restart> a': 'service a (<>) reversible',
      pm2: '',
    },
  }),
  // It puts keys into the input of a terminal.
  table({
    names: 'ttyecho',
    always: 'device (keys)',
    examples: { 'ttyecho /dev/pts/0 id': 'device (keys)' },
  }),
  {
    names: 'stty',
    options: 'F/file= a/all g/save',
    readings: { valued: 'F file', flags: 'a all g save' },
    facts: [
      {
        what: 'changes a terminal that it names',
        effects: (call, given) =>
          given
            .all('file')
            .filter((file) => isTerminalPath(beginningOf(file)))
            .flatMap((file) => write(call, file, { detail: 'settings' })),
        examples: {
          hit: {
            'stty -F /dev/pts/0 -echo': 'device /dev/pts/0 (settings)',
            'stty --file=/dev/tty1 raw': 'device /dev/tty1 (settings)',
          },
          miss: ['stty -echo', 'stty -F /dev/ttyUSB0 9600', 'stty -a'],
        },
      },
    ],
  },
  table({
    names: 'wall write',
    always: 'message <1> (terminal)',
    examples: {
      'wall hello': 'message hello (terminal)',
      'write someone': 'message someone (terminal)',
      wall: 'message (terminal)',
    },
  }),
];

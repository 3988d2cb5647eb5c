// Power, settings of the kernel and of the machine, and its clock.

import { beginningOf, effect, mapValue, nameTarget, read } from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { quiet, type Table, table } from '../tables.ts';

const powerOptions = 'c h/help version show w/wtmp-only k r/reboot f/force P H p/poweroff n i no-wall time=';

/** Ends or starts this machine again. */
const power = (names: string, detail: string): Card => {
  const [first = ''] = names.split(' ');
  return table({
    names,
    options: powerOptions,
    readings: {
      valued: 'time',
      flags: 'c h help version show w wtmp-only k r reboot f force P H p poweroff n i no-wall',
    },
    looks: 'c version show w k',
    does: [['service (reboot) force?', '--reboot']],
    always: `service (${detail}) force?`,
    examples: {
      [first]: `service (${detail})`,
      [`${first} now`]: `service (${detail})`,
      [`${first} -f`]: `service (${detail}) force`,
      [`${first} <-r --reboot>`]: 'service (reboot)',
      [`${first} -rf now`]: 'service (reboot) force',
      [`${first} <-c --version --show -w --wtmp-only -k>`]: '',
    },
  });
};

const moduleLooks = 'n/dry-run show-depends D resolve-alias c/showconfig';

const look = (text: string) => [{ rule: 'machine_setting', text: `Look first: \`${text}\`.` }];

const clock = (given: Omit<Table, 'rest'>): Card => table({ rest: 'setting <last> (clock)', ...given });

export const cards: readonly Card[] = [
  power('shutdown poweroff halt', 'shutdown'),
  power('reboot kexec', 'reboot'),
  table({
    names: 'init telinit',
    does: [
      ['service <1> (reboot)', '6'],
      ['service <1> (shutdown)', '0'],
    ],
    rest: 'service <1> (runlevel)',
    examples: {
      'init 6': 'service 6 (reboot)',
      'telinit 0': 'service 0 (shutdown)',
      'init 3': 'service 3 (runlevel)',
      'init $X': 'service … (runlevel)',
      init: '',
    },
  }),
  {
    names: 'sysctl',
    options: 'w/write p/load? system a/all n/values e q/quiet N b r/pattern= f? d h A X',
    readings: {
      valued: 'r pattern',
      flags: 'w write system a all n values e q quiet N b d h A X',
      attached: 'p load f',
    },
    facts: [
      {
        what: 'changes settings of the kernel',
        effects: (call, given) => {
          const sets = given.operands.some((operand) => beginningOf(operand).includes('='));
          if (!sets && !given.has('write', 'load', 'system', 'f')) return [];
          return (given.operands.length > 0 ? given.operands : [undefined]).map((name) =>
            effect(call, 'setting', { detail: 'kernel-setting', target: nameTarget(name) }),
          );
        },
        examples: {
          hit: {
            'sysctl a=1 b=2': 'setting a=1 (kernel-setting); setting b=2 (kernel-setting)',
            'sysctl -w a=1': 'setting a=1 (kernel-setting)',
            'sysctl <-p -pfile -f --system>': 'setting (kernel-setting)',
          },
          miss: ['sysctl a', 'sysctl -a', 'sysctl -r a=b'],
        },
      },
      {
        what: 'shows what lies at a path, which may lead out of the settings',
        effects: (call, given) =>
          given.operands
            .filter((operand) => /^[^=]*\.\.[^=]*$/.test(beginningOf(operand)))
            .flatMap((operand) =>
              read(
                call,
                mapValue(operand, (text) => `/proc/sys/${text}`),
              ),
            ),
        examples: {
          hit: {
            'sysctl ../../etc/shadow':
              'read /proc/sys/../../etc/shadow; secret /proc/sys/../../etc/shadow (accounts)',
          },
          miss: ['sysctl a', 'sysctl a=..'],
        },
      },
    ],
    advice: [{ rule: 'machine_setting', text: 'Look first: `sysctl -a`.' }],
  },
  table({
    names: 'modprobe insmod rmmod',
    options: moduleLooks,
    readings: { flags: 'n dry-run show-depends D resolve-alias c showconfig' },
    looks: 'n show-depends D resolve-alias c',
    always: 'privilege <1> (kernel-module)',
    examples: {
      'modprobe a': 'privilege a (kernel-module)',
      'insmod ./a.ko': 'privilege ./a.ko (kernel-module)',
      'rmmod a': 'privilege a (kernel-module)',
      'modprobe <-n --dry-run --show-depends -D --resolve-alias -c --showconfig> a': '',
    },
  }),
  { names: 'depmod kmod', ...quiet },
  clock({
    names: 'timedatectl',
    does: [['', 'status | show | list-timezones | timesync-status | show-timesync']],
    examples: {
      'timedatectl <status show list-timezones timesync-status show-timesync>': '',
      timedatectl: '',
      'timedatectl set-time a': 'setting a (clock)',
      'timedatectl set-ntp true': 'setting true (clock)',
    },
    advice: look('timedatectl status'),
  }),
  clock({
    names: 'hwclock',
    options: 'r/show verbose v get w/systohc s/hctosys date=',
    readings: { valued: 'date', flags: 'r show verbose v get w systohc s hctosys' },
    looks: 'show get',
    does: [['setting (clock)', '-w | -s | --date']],
    examples: {
      'hwclock <-r --show --get -v --verbose>': '',
      'hwclock <-w -s --systohc --hctosys --date=a>': 'setting (clock)',
      'hwclock -rw': '',
      'hwclock --get -w': '',
      'hwclock a': 'setting a (clock)',
    },
  }),
  clock({
    names: 'ntpdate',
    options: 'q b u p=',
    readings: { valued: 'p', flags: 'q b u' },
    looks: 'q',
    examples: { 'ntpdate -q a': '', 'ntpdate -b -p 4 a': 'setting a (clock)', ntpdate: '' },
  }),
  clock({
    names: 'chronyc',
    options: 'n',
    readings: { flags: 'n' },
    does: [['', 'tracking | sources | sourcestats | activity | ntpdata']],
    examples: {
      'chronyc -n <tracking sources sourcestats activity ntpdata>': '',
      chronyc: '',
      'chronyc makestep': 'setting makestep (clock)',
    },
  }),
  table({
    names: 'hostnamectl',
    options: 'static transient pretty',
    readings: { flags: 'static transient pretty' },
    does: [['', 'status | show | hostname $']],
    rest: 'setting <last> (hostname)',
    examples: {
      'hostnamectl <status show hostname>': '',
      'hostnamectl --static': '',
      'hostnamectl set-hostname a': 'setting a (hostname)',
      'hostnamectl hostname a': 'setting a (hostname)',
    },
    advice: look('hostnamectl status'),
  }),
  table({
    names: 'localectl',
    does: [['', 'status | list-*']],
    rest: 'setting <last> (locale)',
    examples: {
      'localectl <status list-locales>': '',
      localectl: '',
      'localectl set-locale a': 'setting a (locale)',
    },
  }),
];

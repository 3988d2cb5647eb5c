// Rule: the machine stays on, and its firewall stays as it is.

import { type CommandRule, hit, type Judge, nameOf, shell } from './rule.ts';

const firewall: CommandRule = {
  id: 'firewall',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'it opens the machine or locks its owner out',
  reason: "Firewall manipulation: the machine's protection or access would change.",
  suggestion: 'Leave the firewall to the user.',
  examples: {
    hit: [shell('iptables -F'), shell('ufw disable'), shell('sudo nft flush ruleset')],
    miss: [shell('ss -ltn'), shell('grep iptables docs/setup.md')],
  },
};

const shutdown: CommandRule = {
  id: 'shutdown',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'all work on the machine ends, this session too',
  reason: 'System shutdown: everything on the machine stops.',
  suggestion: 'Leave it to the user to shut down.',
  examples: {
    hit: [shell('shutdown -h now'), shell('poweroff'), shell('systemctl halt')],
    miss: [shell('uptime'), shell('echo shutdown')],
  },
};

const reboot: CommandRule = {
  id: 'reboot',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'all work on the machine ends, this session too',
  reason: 'System reboot: everything on the machine stops.',
  suggestion: 'Leave it to the user to restart.',
  examples: {
    hit: [shell('reboot'), shell('shutdown -r now'), shell('sudo systemctl reboot'), shell('init 6')],
    miss: [shell('uptime'), shell('git log --grep reboot')],
  },
};

const serviceChange: CommandRule = {
  id: 'service_change',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'A service of the machine would start, stop or change.',
  suggestion: 'Look at its state first.',
  examples: {
    hit: [shell('systemctl stop nginx'), shell('service postgresql stop'), shell('systemctl disable ssh')],
    miss: [shell('systemctl status nginx'), shell('journalctl -u nginx -n 50')],
  },
};

const machineSetting: CommandRule = {
  id: 'machine_setting',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'A machine setting would change: clock, memory, kernel, network or name.',
  suggestion: 'Look at how it is set first.',
  examples: {
    hit: [
      shell('swapoff -a'),
      shell('date -s 2020-01-01'),
      shell('sysctl -w vm.swappiness=1'),
      shell('ip link set eth0 down'),
      shell('hostname web'),
    ],
    miss: [shell('swapon --show'), shell('date +%F'), shell('sysctl vm.swappiness'), shell('ip link show')],
  },
};

/** The rules on the running system. */
export const systemRules: readonly CommandRule[] = [
  firewall,
  shutdown,
  reboot,
  serviceChange,
  machineSetting,
];

/** Judges what changes a firewall. */
export const judgeFirewall: Judge = ({ span }, ruleInput) => [
  hit(ruleInput, firewall, { span, why: 'it changes what may reach the machine' }),
];

const ends: Readonly<Record<string, CommandRule>> = {
  shutdown,
  poweroff: shutdown,
  halt: shutdown,
  suspend: shutdown,
  hibernate: shutdown,
  'hybrid-sleep': shutdown,
  'suspend-then-hibernate': shutdown,
  reboot,
  kexec: reboot,
  'soft-reboot': reboot,
};

/** Judges what turns the machine or its services off and on. */
export const judgeService: Judge = ({ span, detail = '', program, target, reversible }, ruleInput) => {
  const rule = ends[detail] ?? ends[program] ?? serviceChange;
  if (rule !== serviceChange)
    return [hit(ruleInput, rule, { span, why: 'it ends everything that runs here' })];
  if (reversible === true) return [];
  const name = nameOf(target);
  return [
    hit(ruleInput, rule, { span, why: `it changes ${name === '' ? 'a service' : `the service ${name}`}` }),
  ];
};

/** What a setting is about, by the detail of its effect. */
const settings: Readonly<Record<string, string>> = {
  clock: 'the clock',
  swap: 'the memory on disk',
  quota: 'the limits of accounts',
  hostname: 'the name of the machine',
  locale: 'the language of the machine',
  session: 'a session of an account',
  boot: 'how the machine starts',
  'kernel-setting': 'the kernel',
  'network-change': 'the network',
  'network-down': 'the network, which it takes down',
};

/** Judges what changes a setting of the machine itself. */
export const judgeSetting: Judge = ({ span, detail = '', target }, ruleInput) => {
  const what = settings[detail] ?? (detail === '' ? 'a setting' : `a setting, ${detail}`);
  const name = nameOf(target);
  return [
    hit(ruleInput, machineSetting, { span, why: `it changes ${what}${name === '' ? '' : `: ${name}`}` }),
  ];
};

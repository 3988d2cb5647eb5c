// Rule: the machine stays on, its firewall stays as it is, and processes that this command did not start stay alone.

import { type CommandRule, hit, type Judge, nameOf, python, shell } from './rule.ts';

const firewall: CommandRule = {
  id: 'firewall',
  guard: 'command',
  layer: 1,
  decision: 'block',
  reason: 'Firewall manipulation: what protects the machine or what lets people in would change.',
  suggestion: 'Leave the firewall to the person.',
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
  reason: 'System shutdown: everything that runs on the machine ends.',
  suggestion: 'Leave the machine on; the person turns it off.',
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
  reason: 'System reboot: everything that runs on the machine ends.',
  suggestion: 'Leave the machine running; the person restarts it.',
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

const forceKill: CommandRule = {
  id: 'force_kill',
  guard: 'command',
  layer: 1,
  decision: 'block',
  reason: 'Force kill: a process that is killed so cannot save what it holds.',
  suggestion: 'Let the process end by itself.',
  examples: {
    hit: [
      shell('kill -9 1234'),
      shell('pkill -KILL node'),
      python('import os, signal\nos.kill(1234, signal.SIGKILL)'),
    ],
    miss: [shell('kill %1'), shell('kill -0 1234')],
  },
};

const processSignal: CommandRule = {
  id: 'process_signal',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Processes that this command did not start would be ended or disturbed.',
  suggestion: 'End only what this command started.',
  examples: {
    hit: [shell('kill 1234'), shell('kill "$PID"'), shell('pkill node'), shell('killall -TERM python3')],
    miss: [shell('kill %1'), shell('sleep 60 & PID=$!; kill "$PID"'), shell('pgrep -l node')],
  },
};

const everyProcess: CommandRule = {
  id: 'every_process',
  guard: 'command',
  layer: 1,
  decision: 'block',
  reason: 'A signal to the first process or to all of them ends the session or the machine.',
  suggestion: 'End only what this command started.',
  examples: { hit: [shell('kill -TERM -1'), shell('kill 1')], miss: [shell('kill %1'), shell('ps -p 1')] },
};

/** The rules on the running system. */
export const systemRules: readonly CommandRule[] = [
  firewall,
  shutdown,
  reboot,
  serviceChange,
  forceKill,
  processSignal,
  everyProcess,
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

/** Programs that manage services; what else has this effect changes the machine itself: its clock, its swap, its kernel. */
const managers: ReadonlySet<string> = new Set([
  ...['systemctl', 'service', 'rc-service', 'rc-update', 'launchctl', 'initctl', 'sv', 'supervisorctl'],
  ...['invoke-rc.d', 'update-rc.d', 'chkconfig', 'brew', 'snap', 'pm2'],
]);

function changed(program: string, name: string): string {
  if (managers.has(program)) return name === '' ? 'a service' : `the service ${name}`;
  return name === '' ? 'a setting of the machine' : `a setting of the machine: ${name}`;
}

/** Judges what turns the machine or its services off and on. */
export const judgeService: Judge = ({ span, detail = '', program, target, reversible }, ruleInput) => {
  const rule = ends[detail] ?? ends[program] ?? serviceChange;
  if (rule === serviceChange && reversible === true) return [];
  const name = nameOf(target);
  const why =
    rule === serviceChange ? `it changes ${changed(program, name)}` : `it ends everything that runs here`;
  return [hit(ruleInput, rule, { span, why })];
};

/** Judges signals to processes. */
export const judgeSignal: Judge = ({ span, detail = '', target }, ruleInput) => {
  const signal = detail.toUpperCase().replace(/^SIG/, '');
  const name = nameOf(target);
  if (signal === '0' || signal === 'EXIT') return [];
  if (/^(?:-1|1|-\s*1)$/.test(name)) {
    return [hit(ruleInput, everyProcess, { span, why: 'it signals the first process or all of them' })];
  }
  if (signal === '9' || signal === 'KILL') {
    return [hit(ruleInput, forceKill, { span, why: `it kills ${name === '' ? 'a process' : name} at once` })];
  }
  // A job or a process of this shell.
  if (name.startsWith('%')) return [];
  return [hit(ruleInput, processSignal, { span, why: `it signals ${name === '' ? 'processes' : name}` })];
};

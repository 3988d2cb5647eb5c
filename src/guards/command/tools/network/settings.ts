// Programs that change this machine's network: firewalls, interfaces, routes, private networks.

import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  read,
  type Tool,
  type Tools,
  unknownValue,
} from '../tool.ts';

/** The words of a call in a row, as far as a subcommand may reach. */
function saidBy({ args }: Call): string {
  return args.slice(0, 64).map(beginningOf).join(' ').slice(0, 1024);
}

const firewallReads =
  /^(?:-t \w+ )?(?:-[46nvwx]+ )*(?:-[a-zA-Z]*[LSCVh]|--(?:list|list-rules|check|version|help|numeric))/;
const iptables: Tool = (call) => {
  const said = saidBy(call);
  if (
    call.args.length === 0 ||
    firewallReads.test(said) ||
    (/(?:^| )-[a-zA-Z]*[LSC](?: |$)|--list/.test(said) && !/(?:^| )-[FXADIRPNZE](?: |$)/.test(said))
  )
    return inert(call);
  const detail = /(?:^| )(?:-F|--flush|-X|--delete-chain)(?: |$)/.test(said)
    ? 'flush'
    : /(?:^| )(?:-D|--delete)(?: |$)/.test(said)
      ? 'remove'
      : /(?:^| )(?:-P|--policy)(?: |$)/.test(said)
        ? 'policy'
        : 'change';
  return [effect(call, 'firewall', { detail })];
};

const firewall =
  (reads: RegExp, flush: RegExp): Tool =>
  (call) => {
    const said = saidBy(call);
    if (call.args.length === 0 || reads.test(said)) return inert(call);
    return [
      effect(call, 'firewall', {
        detail: flush.test(said) ? 'flush' : /\bdelete|remove\b/.test(said) ? 'remove' : 'change',
      }),
    ];
  };

const ip: Tool = (call) => {
  const words = call.args.filter((argument) => !beginningOf(argument).startsWith('-')).map(beginningOf);
  const [object = '', verb = 'show'] = words;
  const batch = call.args.findIndex((argument) => /^-b(?:atch)?$/.test(beginningOf(argument)));
  if (batch !== -1)
    return [
      ...read(call, call.args[batch + 1] ?? unknownValue),
      effect(call, 'setting', { detail: 'network-change' }),
    ];
  if (
    object === '' ||
    /^(?:show|list|ls|s|sh|l|get|help|monitor|stats|showdump|save)$/.test(verb) ||
    /^monitor/.test(object)
  )
    return inert(call);
  if (/^(?:netns|vrf)$/.test(object) && /^(?:exec|identify|pids|list-id)$/.test(verb)) return inert(call);
  const down = words.includes('down') || /^(?:flush|del|delete|f|d)$/.test(verb);
  return [
    effect(call, 'setting', {
      detail: down ? 'network-down' : 'network-change',
      target: nameTarget(literal(words.slice(2, 4).join(' '))),
    }),
  ];
};

const ifconfig: Tool = (call) => {
  const words = call.args.map(beginningOf);
  if (words.length < 2 || words.every((word) => word.startsWith('-'))) return inert(call);
  return [
    effect(call, 'setting', {
      detail: words.includes('down') || words.includes('delete') ? 'network-down' : 'network-change',
      target: nameTarget(call.args[0]),
    }),
  ];
};

const networkChange =
  (looks: RegExp, down: RegExp): Tool =>
  (call) => {
    const said = saidBy(call);
    if (call.args.length === 0 || looks.test(said)) return inert(call);
    return [
      effect(call, 'setting', {
        detail: down.test(said) ? 'network-down' : 'network-change',
        target: nameTarget(call.args.at(-1)),
      }),
    ];
  };

/** Firewalls, interfaces, routes and private networks. */
export const settingTools: Tools = {
  resolvectl: networkChange(/^(?:query|status|statistics|dns$|domain$|service|show|monitor)/, /revert|flush/),
  'systemd-resolve': networkChange(/^(?!--set|--revert|--flush)/, /--revert/),
  nsupdate: (call) => [
    effect(call, 'cloud', {
      detail: /\bdelete\b/i.test(beginningOf(call.io.stdin)) ? 'delete' : 'change',
      target: nameTarget(literal('dns')),
    }),
  ],
  iptables,
  ip6tables: iptables,
  'iptables-legacy': iptables,
  'iptables-nft': iptables,
  ebtables: iptables,
  arptables: iptables,
  'iptables-save': (call) => inert(call),
  'ip6tables-save': (call) => inert(call),
  'iptables-restore': (call) => [effect(call, 'firewall', { detail: 'change' })],
  'ip6tables-restore': (call) => [effect(call, 'firewall', { detail: 'change' })],
  ipset: firewall(/^(?:list|save|test|-L)/, /^(?:flush|destroy|-F|-X)/),
  nft: firewall(/^(?:-[ajsncy]+ )*(?:list|describe|monitor|--version|-v)/, /flush|destroy|delete table/),
  ufw: firewall(/^(?:status|show|version|--version|app (?:list|info)|--dry-run)/, /\b(?:disable|reset)\b/),
  'firewall-cmd': firewall(
    /^(?:--(?:permanent|zone=\S+) )*--(?:state|list|get|query|info|check|version|help)/,
    /--(?:panic-on|complete-reload|delete|reset)/,
  ),
  pfctl: firewall(/^-(?:s|v|n|g)/, /-[a-zA-Z]*[Fd]/),
  ipfw: firewall(/^(?:list|show|-a|-h)/, /flush/),
  netsh: firewall(/\bshow\b/, /\boff\b|\breset\b/),
  'fail2ban-client': firewall(
    /^(?:status|ping|get|version|--version|-V|banned|-d|--dp)/,
    /\b(?:stop|unban|restart)\b/,
  ),
  ip,
  ifconfig,
  ifup: networkChange(/^--(?:help|no-act)/, /^$/),
  ifdown: networkChange(/^--(?:help|no-act)/, /./),
  route: networkChange(/^(?:-[neC46v]+ ?)*$|^(?:-n )?(?:get|monitor)/, /\b(?:del|delete|flush)\b/),
  arp: (call) => {
    const given = options('f= i= H= d= s= a e n v D A')(call.args);
    return given.has('f')
      ? given.all('f').flatMap((file) => read(call, file))
      : given.has('d', 's')
        ? [effect(call, 'setting', { detail: 'network-change' })]
        : inert(call);
  },
  nmcli: networkChange(
    /^(?:-[a-z]+ \S+ )*(?:-t |-p |-g \S+ )*(?:g(?:eneral)?(?: status)?$|d(?:ev(?:ice)?)?(?: (?:status|show|wifi(?: list)?))?|c(?:on(?:nection)?)?(?: show.*)?|radio(?: wifi)?|monitor|--version)(?:$| (?:show|status|list|wifi list).*)$/,
    /\b(?:down|off|delete|disconnect)\b/,
  ),
  netplan: networkChange(/^(?:get|info|status|generate)/, /^$/),
  brctl: networkChange(/^(?:show|showmacs|showstp)/, /del/),
  tc: networkChange(/(?:^| )(?:show|list|ls)\b|^-s/, /\bdel\b/),
  ethtool: networkChange(/^(?:-[igaklSTcmxnd]|--show|--driver)?\s*[\w.-]*$/, /--reset/),
  iwconfig: ifconfig,
  iw: networkChange(/(?:list|info|link|scan|dump|get)/, /\bdel\b/),
  rfkill: networkChange(/^list/, /block/),
  networksetup: networkChange(/^-(?:get|list|show|is|print)/, /off/),
  wpa_cli: networkChange(/^(?:status|scan|scan_results|list_networks)/, /disconnect|terminate/),
  tailscale: networkChange(/^(?:status|ip|version|ping|netcheck|whois)/, /^(?:down|logout)/),
  wg: networkChange(/^(?:show|showconf|genkey|pubkey|genpsk)/, /^$/),
  'wg-quick': networkChange(/^(?:save|strip)/, /^down/),
  openvpn: (call) => [effect(call, 'setting', { detail: 'network-change' })],
  sshuttle: (call) => [effect(call, 'setting', { detail: 'network-change' })],
};

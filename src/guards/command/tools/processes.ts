// Processes, services, power and the kernel's settings.

import { isTerminalPath } from '../../../detect/path.ts';
import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  pathTarget,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

/** The name of a signal as the effect shows it: KILL, TERM, 0, … */
function signalName(text: string): string {
  const upper = text.toUpperCase().replace(/^SIG/, '');
  const byNumber: Readonly<Record<string, string>> = {
    '1': 'HUP',
    '2': 'INT',
    '3': 'QUIT',
    '6': 'ABRT',
    '9': 'KILL',
    '15': 'TERM',
    '17': 'STOP',
    '18': 'CONT',
    '19': 'STOP',
    '10': 'USR1',
    '12': 'USR2',
  };
  return byNumber[upper] ?? upper;
}

const isGuardProcess = /sallyport/i;

function signal(
  call: Call,
  who: Value,
  detail: string,
  more: { readonly recursive?: boolean } = {},
): readonly Effect[] {
  const effects: Effect[] = [
    effect(call, 'signal', { target: nameTarget(who), detail, force: detail === 'KILL', ...more }),
  ];
  if (detail !== '0' && isGuardProcess.test(beginningOf(who)))
    effects.push(effect(call, 'tamper', { target: nameTarget(who), detail: 'signal' }));
  return effects;
}

const kill: Tool = (call) => {
  let detail = 'TERM';
  const processes: Value[] = [];
  let ended = false;
  for (let index = 0; index < call.args.length; index += 1) {
    const argument = call.args[index] ?? unknownValue;
    const text = beginningOf(argument);
    if (ended || !text.startsWith('-') || (processes.length > 0 && /^-\d/.test(text)))
      processes.push(argument);
    else if (text === '--') ended = true;
    else if (/^-(?:l|L|-list|-table)/.test(text)) return inert(call);
    else if (/^-(?:s|n|-signal|q|-queue)$/.test(text)) {
      index += 1;
      if (text !== '-q' && text !== '--queue')
        detail = signalName(beginningOf(call.args[index] ?? unknownValue) || 'unknown');
    } else if (text.startsWith('--signal=')) detail = signalName(text.slice(9));
    else if (/^-s./.test(text)) detail = signalName(text.slice(2));
    else if (text.startsWith('--')) continue;
    else if (index + 1 >= call.args.length && processes.length === 0) processes.push(argument);
    else detail = signalName(argument.kind === 'literal' ? text.slice(1) : 'unknown');
  }
  // Minus one is every process that may be signalled.
  return orInert(
    call,
    processes.flatMap((who) =>
      /^%/.test(beginningOf(who)) && detail !== 'KILL'
        ? [effect(call, 'inert', { detail: 'own-job' })]
        : signal(call, who, detail, /^-/.test(beginningOf(who)) ? { recursive: true } : {}),
    ),
  );
};

const pkillOptions = options(
  'signal= f/full x/exact u/euid= U/uid= g/pgroup= G/group= P/parent= s/session= t/terminal= n/newest o/oldest v/inverse i/ignore-case F/pidfile= e/echo c/count a l/list q/queue= r/runstates= O/older= cgroup= ns= nslist= I/interactive w/wait y/younger-than= Z/context= V h L A',
);
const pkill: Tool = (call) => {
  let detail = 'TERM';
  const rest = call.args.filter((argument) => {
    const found = /^-(?:SIG)?(\d+|[A-Z]{3,})$/.exec(textOf(argument) ?? '');
    if (found?.[1]) detail = signalName(found[1]);
    return !found;
  });
  const given = pkillOptions(rest);
  if (given.has('list', 'V', 'h')) return inert(call);
  const said = given.last('signal', 's');
  if (said && (given.has('signal') || call.program === 'killall')) detail = signalName(beginningOf(said));
  const who =
    given.operands.length > 0
      ? given.operands
      : given.all('euid', 'uid', 'group', 'terminal', 'session', 'parent', 'pidfile');
  return orInert(
    call,
    (who.length > 0 ? who : [unknownValue]).flatMap((name) =>
      signal(call, name, detail, { recursive: true }),
    ),
  );
};

const fuserOptions = options(
  'k/kill i/interactive m/mount= M/ismountpoint n/namespace= s v a u c w l signal=',
);
const fuser: Tool = (call) => {
  const given = fuserOptions(
    call.args.filter((argument) => !/^-(?:SIG)?[A-Z]{3,}$/.test(textOf(argument) ?? '')),
  );
  if (!given.has('kill')) return inert(call);
  return orInert(
    call,
    given.operands
      .concat(given.all('mount'))
      .flatMap((name) => signal(call, name, 'KILL', { recursive: true })),
  );
};

const power =
  (detail: string): Tool =>
  (call) => {
    const texts = call.args.map((argument) => textOf(argument) ?? '');
    if (texts.some((text) => /^(?:-c|--help|--version|--show|-w|--wtmp-only|-k)$/.test(text)))
      return inert(call);
    const which = texts.some((text) => /^-[a-zA-Z]*r|^--reboot/.test(text)) ? 'reboot' : detail;
    return [
      effect(call, 'service', {
        detail: which,
        force: texts.some((text) => /^-[a-zA-Z]*f|^--force/.test(text)),
      }),
    ];
  };

const init: Tool = (call) => {
  const level = textOf(call.args[0] ?? unknownValue);
  if (call.args.length === 0) return inert(call);
  const detail = level === '6' ? 'reboot' : level === '0' ? 'shutdown' : 'runlevel';
  return [effect(call, 'service', { detail, ...(call.args[0] ? { target: nameTarget(call.args[0]) } : {}) })];
};

const systemctlOptions = options(
  'H/host= M/machine= t/type= p/property= s/signal= n/lines= o/output= kill-whom= job-mode= root= state= f/force q now user system runtime no-block no-pager no-ask-password a/all l/full r/recursive i global failed plain legend?',
);
const looksOnly = new Set(
  'status show cat list-units list-unit-files list-sockets list-timers list-jobs list-dependencies list-machines list-automounts list-paths is-active is-enabled is-failed is-system-running get-default help show-environment log-level log-target service-watchdogs whoami'.split(
    ' ',
  ),
);
const systemPower = new Set(
  'poweroff reboot halt kexec suspend hibernate hybrid-sleep suspend-then-hibernate soft-reboot emergency rescue exit switch-root isolate default'.split(
    ' ',
  ),
);
const systemctl: Tool = (call) => {
  const given = systemctlOptions(call.args);
  const [verb, ...units] = given.operands;
  const text = textOf(verb ?? literal('list-units'));
  if (text === null) return [effect(call, 'service', { detail: 'unknown' })];
  if (looksOnly.has(text)) return inert(call);
  if (systemPower.has(text))
    return [
      effect(call, 'service', {
        detail: text === 'poweroff' || text === 'halt' ? 'shutdown' : text,
        force: given.has('force'),
        ...(units[0] ? { target: nameTarget(units[0]) } : {}),
      }),
    ];
  const scope = given.has('user') ? { reversible: true } : {};
  const effects: Effect[] = (units.length > 0 ? units : [undefined]).map((unit) =>
    effect(call, 'service', { detail: text, target: nameTarget(unit), ...scope }),
  );
  if (
    /^(?:enable|reenable|link|preset|preset-all|edit|add-wants|add-requires|set-default|set-environment|import-environment|revert)$/.test(
      text,
    )
  )
    effects.push(
      ...(units.length > 0 ? units : [undefined]).map((unit) =>
        effect(call, 'persist', { detail: 'service', target: nameTarget(unit) }),
      ),
    );
  if (text === 'kill')
    effects.push(
      ...units.flatMap((unit) =>
        signal(call, unit, signalName(beginningOf(given.last('signal') ?? literal('TERM')))),
      ),
    );
  if (
    /^(?:stop|disable|mask|kill)$/.test(text) &&
    units.some((unit) => isGuardProcess.test(beginningOf(unit)))
  )
    effects.push(effect(call, 'tamper', { detail: 'service' }));
  return effects;
};

/** `service NAME verb`, `rc-service NAME verb`, `sv verb NAME`, `supervisorctl verb NAME`, `brew services`. */
const service: Tool = (call) => {
  const words = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  const [first, second] = words;
  if (!first || /--status-all/.test(call.args.map(beginningOf).join(' '))) return inert(call);
  const verbFirst = /^(?:sv|supervisorctl|initctl|s6-svc|monit|rcctl)$/.test(call.program);
  const verb = textOf((verbFirst ? first : second) ?? literal('status'));
  const name = verbFirst ? second : first;
  if (/^\/|\.\.\//.test(beginningOf(first)))
    return [effect(call, 'run', { detail: 'helper', target: nameTarget(first) })];
  if (verb !== null && /^(?:status|list|avail|pid|check|get|ls|summary|validate)$/.test(verb))
    return inert(call);
  return [effect(call, 'service', { detail: verb ?? 'unknown', target: nameTarget(name) })];
};

const launchctl: Tool = (call) => {
  const [verb, ...rest] = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  const text = textOf(verb ?? literal('list'));
  if (
    text !== null &&
    /^(?:list|print|print-.*|blame|dumpstate|getenv|help|version|managername|hostinfo|examine|procinfo|manageruid|managerpid|plist)$/.test(
      text,
    )
  )
    return inert(call);
  const target = nameTarget(rest.at(-1));
  const effects = [effect(call, 'service', { detail: text ?? 'unknown', target })];
  return text !== null && /^(?:load|bootstrap|enable|submit|setenv)$/.test(text)
    ? [...effects, effect(call, 'persist', { detail: 'service', target })]
    : effects;
};

const sysctlOptions = options('w/write p/load? system a/all n/values e q/quiet N b r/pattern= f? d h A X');
const sysctl: Tool = (call) => {
  const given = sysctlOptions(call.args);
  const writes =
    given.has('write', 'load', 'system', 'f') ||
    given.operands.some((operand) => beginningOf(operand).includes('='));
  return writes
    ? (given.operands.length > 0 ? given.operands : [undefined]).map((name) =>
        effect(call, 'setting', { detail: 'kernel-setting', target: nameTarget(name) }),
      )
    : // A name is a path below /proc/sys, and may lead out of it.
      orInert(
        call,
        given.operands
          .filter((operand) => beginningOf(operand).includes('..'))
          .flatMap((operand) =>
            read(
              call,
              mapValue(operand, (text) => `/proc/sys/${text}`),
            ),
          ),
      );
};

const kernelModule: Tool = (call) => {
  const texts = call.args.map(beginningOf);
  if (texts.some((text) => /^(?:-n|--dry-run|--show-depends|-D|--resolve-alias|-c|--showconfig)$/.test(text)))
    return inert(call);
  const name = call.args.find((argument) => !beginningOf(argument).startsWith('-'));
  return [effect(call, 'privilege', { detail: 'kernel-module', target: nameTarget(name) })];
};

const changesSettings =
  (detail: string, looks: RegExp): Tool =>
  (call) => {
    const said = call.args.map(beginningOf).join(' ');
    return call.args.length === 0 || looks.test(said)
      ? inert(call)
      : [effect(call, 'setting', { detail, target: nameTarget(call.args.at(-1)) })];
  };

const stressors: Tool = (call) => [
  effect(call, 'bomb', { detail: 'load', target: nameTarget(call.args[0]) }),
];

const journalctl: Tool = (call) =>
  call.args.some((argument) => /^--(?:vacuum|rotate|flush|relinquish|setup-keys)/.test(beginningOf(argument)))
    ? [effect(call, 'delete', { detail: 'logs', target: pathTarget(literal('/var/log/journal')) })]
    : inert(call);

const dmesg: Tool = (call) =>
  call.args.some((argument) =>
    /^(?:-[a-zA-Z]*[cCnDE]|--clear|--read-clear|--console-)/.test(beginningOf(argument)),
  )
    ? [effect(call, 'delete', { detail: 'logs', target: pathTarget(literal('/dev/kmsg')) })]
    : inert(call);

export const processTools: Tools = {
  kill,
  tkill: kill,
  pkill,
  killall: pkill,
  killall5: pkill,
  skill: pkill,
  xkill: pkill,
  taskkill: (call) => [
    effect(call, 'signal', {
      detail: 'KILL',
      force: call.args.some((argument) => textOf(argument)?.toLowerCase() === '/f'),
      target: nameTarget(call.args.at(-1)),
    }),
  ],
  fuser,
  fkill: pkill,
  'kill-port': (call) => call.args.flatMap((port) => signal(call, port, 'KILL')),
  shutdown: power('shutdown'),
  poweroff: power('shutdown'),
  halt: power('shutdown'),
  reboot: power('reboot'),
  init,
  telinit: init,
  kexec: power('reboot'),
  systemctl,
  loginctl: (call) => {
    const [verb, who] = call.args;
    const said = beginningOf(verb ?? literal('list'));
    if (/^(?:list|show|status|user-status|session-status|seat-status)/.test(said)) return inert(call);
    if (/^(?:terminate|kill)-/.test(said))
      return [effect(call, 'signal', { detail: 'TERM', target: nameTarget(who), recursive: true })];
    return said === 'enable-linger'
      ? [effect(call, 'persist', { detail: 'service', target: nameTarget(who) })]
      : [effect(call, 'setting', { detail: 'session', target: nameTarget(who) })];
  },
  service,
  'rc-service': service,
  sv: service,
  supervisorctl: service,
  initctl: service,
  rcctl: service,
  monit: service,
  'invoke-rc.d': service,
  apachectl: (call) => service({ ...call, args: [literal('apache'), ...call.args] }),
  apache2ctl: (call) => service({ ...call, args: [literal('apache'), ...call.args] }),
  nginx: (call) => {
    const given = options('s= c= p= g= e= t T v V q h')(call.args);
    if (given.has('t', 'T', 'v', 'V', 'h')) return inert(call);
    const verb = beginningOf(given.last('s') ?? literal('start'));
    const reversible = /^re(?:load|open)$/.test(verb) ? { reversible: true } : {};
    return [effect(call, 'service', { detail: verb, target: nameTarget(literal('nginx')), ...reversible })];
  },
  haproxy: (call) =>
    call.args.some((argument) => /^-(?:c|v|vv)$/.test(beginningOf(argument)))
      ? inert(call)
      : [
          effect(call, 'service', {
            detail: call.args.some((argument) => /^-s[ft]$/.test(beginningOf(argument))) ? 'stop' : 'start',
            target: nameTarget(literal('haproxy')),
          }),
        ],
  launchctl,
  chkconfig: (call) =>
    call.args.length < 2 || textOf(call.args[0] ?? unknownValue) === '--list'
      ? inert(call)
      : [effect(call, 'persist', { detail: 'service', target: nameTarget(call.args[0]) })],
  'update-rc.d': (call) => [effect(call, 'persist', { detail: 'service', target: nameTarget(call.args[0]) })],
  'rc-update': (call) =>
    call.args.length === 0 || textOf(call.args[0] ?? unknownValue) === 'show'
      ? inert(call)
      : [effect(call, 'persist', { detail: 'service', target: nameTarget(call.args[1]) })],
  sc: (call) =>
    /^(?:query|qc|queryex)$/i.test(beginningOf(call.args[0] ?? unknownValue))
      ? inert(call)
      : [
          effect(call, 'service', {
            detail: beginningOf(call.args[0] ?? unknownValue) || 'unknown',
            target: nameTarget(call.args[1]),
          }),
        ],
  sysctl,
  modprobe: kernelModule,
  insmod: kernelModule,
  rmmod: kernelModule,
  depmod: (call) => inert(call),
  kmod: (call) => inert(call),
  timedatectl: changesSettings('clock', /^(?:status|show|list-timezones|timesync-status|show-timesync)/),
  hostnamectl: changesSettings('hostname', /^(?:status|show|--|hostname$)/),
  localectl: changesSettings('locale', /^(?:status|list-)/),
  hwclock: changesSettings('clock', /^(?:-r|--show|--verbose|--get|-v)/),
  ntpdate: changesSettings('clock', /^-q/),
  chronyc: changesSettings('clock', /^(?:tracking|sources|sourcestats|activity|ntpdata|-n)/),
  journalctl,
  dmesg,
  logrotate: (call) =>
    call.args.some((argument) => /^(?:-d|--debug)$/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'delete', { detail: 'logs' })],
  'systemd-tmpfiles': (call) =>
    call.args.some((argument) => beginningOf(argument) === '--remove' || beginningOf(argument) === '--purge')
      ? [effect(call, 'delete', { detail: 'temporary', recursive: true })]
      : inert(call),
  stress: stressors,
  'stress-ng': stressors,
  pm2: (call) => {
    const verb = textOf(call.args[0] ?? literal('list')) ?? 'unknown';
    return /^(?:list|ls|status|logs|log|show|describe|monit|info|jlist|prettylist|id|pid|env|-v)$/.test(verb)
      ? inert(call)
      : [
          effect(call, 'service', {
            detail: verb,
            target: nameTarget(call.args[1]),
            reversible: verb !== 'delete',
          }),
        ];
  },
  // They put keys into the input of a terminal.
  ttyecho: (call) => [effect(call, 'device', { detail: 'keys' })],
  stty: (call) =>
    orInert(
      call,
      options('F/file= a/all g/save')(call.args)
        .all('file')
        .filter((file) => isTerminalPath(beginningOf(file)))
        .flatMap((file) => write(call, file, { detail: 'settings' })),
    ),
  wall: (call) => [effect(call, 'message', { detail: 'terminal' })],
  write: (call) => [effect(call, 'message', { detail: 'terminal', target: nameTarget(call.args[0]) })],
};

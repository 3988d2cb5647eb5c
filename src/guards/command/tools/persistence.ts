// What makes code run later: cron, at, start-up entries, key bindings of the shell; and messages to people.

import type { Effect } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

const crontab: Tool = (call) => {
  const given = options('u= l r e i n s x= T= V c=')(call.args);
  const owner = nameTarget(given.last('u'));
  if (given.has('l', 'V', 'T')) return inert(call);
  if (given.has('r'))
    return [
      effect(call, 'delete', { detail: 'crontab', target: owner }),
      effect(call, 'persist', { detail: 'cron-remove', target: owner }),
    ];
  if (given.has('e')) return [effect(call, 'persist', { detail: 'cron', target: owner })];
  const [file] = given.operands;
  if (
    !file &&
    call.io.stdin.kind === 'unknown' &&
    call.io.stdinOrigins.length === 0 &&
    call.io.stdinFed !== true &&
    call.args.length === 0
  )
    return inert(call);
  return [
    ...(file ? read(call, file) : []),
    effect(call, 'persist', { detail: 'cron', target: nameTarget(file), origins: call.io.stdinOrigins }),
  ];
};

const at: Tool = (call) => {
  const given = options('f= q= t= m M l d r c v V b')(call.args);
  if (given.has('l', 'c', 'V') || call.program === 'atq') return inert(call);
  if (given.has('d', 'r') || call.program === 'atrm')
    return [effect(call, 'persist', { detail: 'cron-remove', target: nameTarget(given.operands[0]) })];
  return [
    ...given.all('f').flatMap((file) => read(call, file)),
    effect(call, 'persist', {
      detail: 'at',
      target: nameTarget(given.operands[0]),
      origins: call.io.stdinOrigins,
    }),
  ];
};

const mailOptions = options(
  's/subject= a/attach= A= b= c= r= f= S= q= t to= from= server= body= h= u= m= o= cc= bcc= X= H= e= i n v E',
);
const mail: Tool = (call) => {
  const given = mailOptions(call.args);
  if (
    given.operands.length === 0 &&
    !given.has('t', 'to', 'u') &&
    call.program !== 'sendmail' &&
    call.program !== 'msmtp'
  )
    return inert(call);
  const attached = given.all('attach', 'A', 'q').flatMap((file) => read(call, file));
  const origins = attached.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
  return [
    ...attached,
    effect(call, 'message', {
      detail: 'e-mail',
      target: nameTarget(given.operands[0] ?? given.last('to', 't')),
      origins: [...call.io.stdinOrigins, ...origins, ...(call.io.argumentOrigins ?? [])],
    }),
  ];
};

const chat =
  (detail: string): Tool =>
  (call) => {
    if (
      /^(?:--version|--help|-h|version|help|list|login|config)$/.test(
        beginningOf(call.args[0] ?? literal('--help')),
      )
    )
      return inert(call);
    return [
      effect(call, 'message', {
        detail,
        target: nameTarget(call.args[0]),
        origins: [...call.io.stdinOrigins, ...(call.io.argumentOrigins ?? [])],
      }),
    ];
  };

const registry: Tool = (call) => {
  const verb = textOf(call.args[0] ?? unknownValue)?.toLowerCase() ?? 'unknown';
  if (verb === 'query' || verb === 'export') return inert(call);
  const effects: Effect[] = [
    effect(call, verb === 'delete' ? 'delete' : 'write', {
      detail: 'registry',
      target: nameTarget(call.args[1]),
    }),
  ];
  return /\\run(?:once)?\b/i.test(beginningOf(call.args[1] ?? literal('')))
    ? [...effects, effect(call, 'persist', { detail: 'autostart', target: nameTarget(call.args[1]) })]
    : effects;
};

const defaults: Tool = (call: Call) => {
  const verb = textOf(call.args[0] ?? literal('help')) ?? 'unknown';
  if (/^(?:read|read-type|domains|find|help|export)$/.test(verb)) return inert(call);
  return [
    effect(call, verb === 'delete' ? 'delete' : 'write', {
      detail: 'settings',
      target: nameTarget(call.args[1]),
    }),
  ];
};

const schtasks: Tool = (call) =>
  call.args.some((argument) => /^\/(?:create|change)$/i.test(beginningOf(argument)))
    ? [effect(call, 'persist', { detail: 'cron' })]
    : call.args.some((argument) => /^\/delete$/i.test(beginningOf(argument)))
      ? [effect(call, 'persist', { detail: 'cron-remove' })]
      : inert(call);

const sallyport: Tool = (call) => {
  const given = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  const words = given.map(beginningOf);
  const [verb = ''] = words;
  // A word that is not known may be any.
  if (
    textOf(given[0] ?? literal('')) !== null &&
    /^(?:|test|why|rules|doctor|version|help|status|log|verify|scan|check|decide|exec|bench|eval|chain-head|audit)$/.test(
      verb,
    )
  )
    return inert(call);
  return [
    effect(call, 'tamper', { detail: 'command', target: nameTarget(literal(words.slice(0, 2).join(' '))) }),
  ];
};

export const persistenceTools: Tools = {
  crontab,
  fcrontab: crontab,
  at,
  batch: at,
  atq: at,
  atrm: at,
  anacron: (call) =>
    call.args.some((argument) => /^-[TV]/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'run', { detail: 'cron' })],
  'run-parts': (call) =>
    call.args.some((argument) => /^--(?:test|list)/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'run', { detail: 'script', target: nameTarget(call.args.at(-1)) })],
  mail,
  mailx: mail,
  mutt: mail,
  neomutt: mail,
  sendmail: mail,
  msmtp: mail,
  swaks: mail,
  ssmtp: mail,
  mpack: mail,
  alpine: (call) =>
    orInert(
      call,
      options('F= I=')(call.args)
        .all('F')
        .flatMap((file) => read(call, file)),
    ),
  slack: chat('chat'),
  'slack-cli': chat('chat'),
  slackcat: chat('chat'),
  telegram: chat('chat'),
  'telegram-cli': chat('chat'),
  'telegram-send': chat('chat'),
  'signal-cli': chat('chat'),
  discord: chat('chat'),
  matrix: chat('chat'),
  'matrix-commander': chat('chat'),
  ntfy: chat('notification'),
  apprise: chat('notification'),
  pushover: chat('notification'),
  irssi: chat('chat'),
  wmctrl: (call) => inert(call),
  reg: registry,
  defaults,
  plutil: (call) =>
    call.args.some((argument) => /^-(?:replace|insert|remove|convert)$/.test(beginningOf(argument)))
      ? write(call, call.args.at(-1) ?? unknownValue, { detail: 'edit' })
      : orInert(call, read(call, call.args.at(-1) ?? literal(''))),
  schtasks,
  sallyport,
};

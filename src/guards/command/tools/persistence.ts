import { beginningOf, effect, inert, nameTarget, options, read, type Tool, type Tools } from './tool.ts';

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

export const persistenceTools: Tools = {
  crontab,
  fcrontab: crontab,
  at,
  batch: at,
  atq: at,
  atrm: at,
  'run-parts': (call) =>
    call.args.some((argument) => /^--(?:test|list)/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'run', { detail: 'script', target: nameTarget(call.args.at(-1)) })],
  mail,
  mailx: mail,
};

// Stores of secrets: what is read out of them, and what is changed or lost in them.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  type Tool,
  type Tools,
  textOf,
} from '../tool.ts';
import { service } from './deeds.ts';

const vault: Tool = (call) => {
  const given = options(
    'namespace= address= token= format= field= mount= versions= method= ca-cert= path= force f client-cert= id= accessor= mode=',
    { wholeWords: true },
  )(call.args);
  const [first, second, third] = given.operands;
  const words = `${beginningOf(first ?? literal('help'))} ${beginningOf(second ?? literal(''))}`;
  const target = nameTarget(third ?? second);
  if (/^(?:read|unwrap|kv get|print token|token create|token lookup)\b/.test(words))
    return [effect(call, 'secret', { detail: 'credentials', target })];
  if (
    /^(?:status|list|version|help|path-help|kv (?:list|metadata)|(?:secrets|auth|audit|policy|plugin) (?:list|read|help|fmt)|token capabilities|debug|monitor)/.test(
      words,
    ) &&
    !/metadata (?:delete|put|patch)/.test(given.operands.map(beginningOf).join(' '))
  )
    return inert(call);
  if (
    /^(?:delete|lease revoke|kv (?:delete|destroy|metadata)|(?:secrets|auth|audit) disable|token revoke|policy delete|operator (?:seal|step-down|raft)|namespace delete|plugin deregister)/.test(
      words,
    )
  )
    return [effect(call, 'cloud', { detail: 'delete', target, force: given.has('force') })];
  return [effect(call, 'cloud', { detail: 'change', target })];
};

/** Stores of secrets. */
export const secretTools: Tools = {
  vault,
  bao: vault,
  op: service({
    depth: 3,
    exceptions: [
      [/^(?:item|document) get|^read|^inject|^run/, 'secret'],
      [/^(?:signin|signout|whoami|account (?:list|get)|vault (?:list|get)|item list|user list)/, 'read'],
    ],
  }),
  bw: service({
    depth: 2,
    exceptions: [
      [/^(?:get|export|list items|unlock)/, 'secret'],
      [/^(?:status|sync)/, 'read'],
    ],
  }),
  lpass: service({
    depth: 1,
    exceptions: [
      [/^(?:show|export)/, 'secret'],
      [/^(?:ls|status)/, 'read'],
      [/^rm/, 'delete'],
    ],
  }),
  pass: (call) => {
    const verb = textOf(call.args[0] ?? literal('ls')) ?? 'show';
    return /^(?:ls|list|find|search|help|version|git)$/.test(verb)
      ? inert(call)
      : /^(?:rm|remove|delete)$/.test(verb)
        ? [effect(call, 'delete', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })]
        : /^(?:insert|add|edit|generate|mv|cp|init)$/.test(verb)
          ? inert(call)
          : [effect(call, 'secret', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })];
  },
  gopass: (call) =>
    /^(?:ls|list|find|version)$/.test(textOf(call.args[0] ?? literal('ls')) ?? '')
      ? inert(call)
      : [effect(call, 'secret', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })],
  doppler: service({
    depth: 3,
    exceptions: [
      [/^(?:secrets (?:get|download)|secrets$|secrets --)/, 'secret'],
      [/^run/, 'read'],
      [/^(?:setup|login)/, 'read'],
    ],
  }),
  infisical: service({ depth: 3, exceptions: [[/^(?:export|secrets)/, 'secret']] }),
  sops: (call) =>
    call.args.some((argument) => /^(?:-d|--decrypt|decrypt|exec-env|exec-file)$/.test(textOf(argument) ?? ''))
      ? [effect(call, 'secret', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })]
      : inert(call),
  chamber: service({
    depth: 2,
    exceptions: [
      [/^(?:read|export|env|exec)/, 'secret'],
      [/^list/, 'read'],
    ],
  }),
  'aws-vault': service({
    depth: 1,
    exceptions: [
      [/^(?:list|ls)/, 'read'],
      [/^(?:remove|clear|rotate)/, 'delete'],
      [/./, 'secret'],
    ],
  }),
  saml2aws: (call) => [effect(call, 'secret', { detail: 'credentials' })],
  granted: service(),
};

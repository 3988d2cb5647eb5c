// Infrastructure as code, and what keeps machines as a file says.

import { agent } from '../../programs/agents.ts';
import {
  beginningOf,
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
  write,
} from '../tool.ts';
import { service } from './deeds.ts';

const cloudCopilot = service({
  depth: 2,
  exceptions: [
    [/ delete/, 'delete'],
    [/ deploy/, 'deploy'],
  ],
});

const terraform: Tool = (call) => {
  const given = options(
    'chdir= target= var= var-file= state= lock= lock-timeout= out= auto-approve destroy force backend-config= input= refresh= parallelism= no-color json upgrade reconfigure migrate-state check recursive diff refresh-only replace= plugin-dir= backend= force-copy dry-run terragrunt-non-interactive',
    { wholeWords: true },
  )(call.args);
  const [verb, second, ...rest] = given.operands;
  const text = textOf(verb ?? literal('help'));
  const force = given.has('auto-approve', 'force');
  const target = nameTarget(given.last('target') ?? second);
  const sub = beginningOf(second ?? literal(''));
  const files = given
    .all('var-file')
    .flatMap((file) => read(call, file).filter(({ kind }) => kind === 'read'));
  if (text === null) return [effect(call, 'deploy', { detail: 'unknown' })];
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (
    text === 'destroy' ||
    (text === 'apply' && given.has('destroy')) ||
    (text === 'run-all' && sub === 'destroy')
  )
    return [effect(call, 'cloud', { detail: 'delete', target, recursive: !given.has('target'), force })];
  if (text === 'apply' || (text === 'run-all' && sub === 'apply') || text === 'up')
    return [...files, effect(call, 'deploy', { detail: 'apply', target, force })];
  if (text === 'state')
    return /^(?:rm|mv|push|replace-provider)$/.test(sub)
      ? [
          effect(call, 'cloud', {
            detail: sub === 'rm' ? 'delete' : 'change',
            target: nameTarget(rest[0] ?? literal('state')),
          }),
        ]
      : sub === 'pull'
        ? [effect(call, 'secret', { detail: 'credentials' })]
        : inert(call);
  if (text === 'workspace')
    return sub === 'delete'
      ? [effect(call, 'cloud', { detail: 'delete', target: nameTarget(rest[0]), force })]
      : inert(call);
  if (/^(?:import|taint|untaint|force-unlock|refresh)$/.test(text))
    return [effect(call, 'cloud', { detail: 'change', target })];
  if (text === 'output' && !given.has('json') && second === undefined) return inert(call);
  return orInert(call, [
    ...files,
    ...given.all('out').flatMap((file) => write(call, file, { detail: 'create' })),
  ]);
};

const pulumi = service({
  depth: 2,
  exceptions: [
    [/^(?:destroy|stack rm|state delete|cancel|state unprotect)/, 'delete'],
    [/^(?:up|update|refresh|import|deployment)/, 'deploy'],
    [/^(?:config set|config rm|login|logout|stack (?:init|select|import|tag|rename|change))/, 'change'],
    [/--show-secrets/, 'secret'],
    [/^(?:preview|stack|config|about|whoami|logs|version|plugin ls|new|install|console|policy)/, 'read'],
  ],
});

const ansible: Tool = (call) => {
  const given = options(
    'i/inventory= l/limit= e/extra-vars= m/module-name= a/args= u/user= b/become K k t/tags= skip-tags= C/check D/diff vault-password-file= syntax-check list-hosts list-tasks list-tags v private-key= f/forks= c/connection= become-user=',
  )(call.args);
  if (given.has('check', 'syntax-check', 'list-hosts', 'list-tasks', 'list-tags'))
    return inert(call, 'dry-run');
  return [
    effect(call, 'deploy', { detail: 'ansible', target: nameTarget(given.operands[0]) }),
    effect(call, 'run', {
      detail: 'remote-command',
      target: nameTarget(given.last('args') ?? given.operands[0]),
    }),
  ];
};

const serverless = service({
  depth: 2,
  exceptions: [
    [/^(?:remove|rollback)/, 'delete'],
    [/^deploy/, 'deploy'],
    [/./, 'read'],
  ],
});

/** What builds and keeps infrastructure. */
export const infrastructureTools: Tools = {
  terraform,
  tofu: terraform,
  terragrunt: terraform,
  tflint: (call) => inert(call),
  tfsec: (call) => inert(call),
  pulumi,
  cdk: service({
    depth: 1,
    exceptions: [
      [/^destroy/, 'delete'],
      [/^(?:deploy|bootstrap|import|rollback|watch)/, 'deploy'],
      [/^(?:ls|list|synth|synthesize|diff|doctor|docs|init|context|metadata|notices|gc)/, 'read'],
    ],
  }),
  cdktf: service({
    depth: 1,
    exceptions: [
      [/^destroy/, 'delete'],
      [/^deploy/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  sam: service({
    depth: 1,
    exceptions: [
      [/^delete/, 'delete'],
      [/^(?:deploy|sync|publish)/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  // Two programs have this name: one deploys to a cloud, the other is an agent.
  copilot: (call) =>
    /^(?:app|env|svc|job|task|run|pipeline|storage|secret|init|deploy|docs|completion)$/.test(
      beginningOf(call.args[0] ?? literal('')),
    )
      ? cloudCopilot(call)
      : agent(call),
  serverless,
  sls: serverless,
  sst: service({
    depth: 1,
    exceptions: [
      [/^remove/, 'delete'],
      [/^deploy/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  packer: service({
    depth: 1,
    exceptions: [
      [/^build/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  nomad: service({
    depth: 2,
    exceptions: [
      [/^(?:job )?(?:stop|purge)|^system gc|^namespace delete|^node drain/, 'delete'],
      [/^(?:job )?run/, 'deploy'],
    ],
  }),
  consul: service({
    depth: 2,
    exceptions: [
      [/^(?:kv delete|leave|force-leave|snapshot restore|acl .* delete)/, 'delete'],
      [/^(?:members|info|kv get|catalog|monitor|validate|version|operator raft list)/, 'read'],
    ],
  }),
  ansible,
  'ansible-playbook': ansible,
  'ansible-vault': (call) =>
    /^(?:view|decrypt|edit)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'secret', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })]
      : inert(call),
  'ansible-inventory': (call) => inert(call),
  'ansible-doc': (call) => inert(call),
  'ansible-lint': (call) => inert(call),
  salt: ansible,
  'salt-call': ansible,
  puppet: (call) =>
    /^(?:apply|agent)$/.test(beginningOf(call.args[0] ?? literal(''))) &&
    !call.args.some((argument) => textOf(argument) === '--noop')
      ? [effect(call, 'deploy', { detail: 'apply' })]
      : inert(call),
  'chef-client': ansible,
};

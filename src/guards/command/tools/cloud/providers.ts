// Clouds: what is made, changed and deleted there, and what is carried up and down.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  effect,
  inert,
  landingPlace,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  remove,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { commonDescription, deedOf, give, service } from './deeds.ts';
import { downloading } from './downloads.ts';

const aws: Tool = (call) => {
  const given = options(
    `${commonDescription} parameters= payload= cli-binary-format= no-sign-request no-paginate max-items= page-size= starting-token= delete exclude= include= acl=`,
  )(call.args);
  const [group, operation, ...rest] = given.operands;
  const name = textOf(group ?? literal('help'));
  const verb = textOf(operation ?? literal('help'));
  if (name === null || verb === null)
    return [effect(call, 'cloud', { detail: 'unknown', target: nameTarget(group) })];
  if (given.has('dry-run') || verb === 'help' || name === 'help') return inert(call, 'dry-run');
  // Operations of services have no operands: a word behind one is the value of an option.
  const target = literal(`${name} ${verb}`);
  if (name === 's3') {
    const [source, destination] = rest;
    const remote = (value: Value | undefined): boolean => /^s3:\/\//.test(beginningOf(value ?? literal('')));
    if (verb === 'ls' || verb === 'presign') return inert(call, 'cloud-read');
    if (verb === 'rm' || verb === 'rb')
      return [
        effect(call, 'cloud', {
          detail: 'delete',
          target: nameTarget(source),
          recursive: given.has('recursive') || verb === 'rb',
          force: given.has('force'),
        }),
      ];
    if (verb === 'mb' || verb === 'website')
      return [effect(call, 'cloud', { detail: 'change', target: nameTarget(source) })];
    const effects: Effect[] = [];
    if (source && !remote(source))
      effects.push(...read(call, source, { recursive: verb === 'sync' || given.has('recursive') }));
    const origins =
      effects.some(({ kind }) => kind === 'secret') ||
      (textOf(source ?? unknownValue) === '-' && call.io.stdinOrigins.includes('secret'))
        ? (['secret'] as const)
        : [];
    if (destination && remote(destination))
      effects.push(
        effect(call, 'connect', { detail: 'upload', target: nameTarget(destination), origins }),
        effect(call, 'cloud', {
          detail: given.has('delete') ? 'delete' : 'change',
          target: nameTarget(destination),
        }),
      );
    else if (destination)
      effects.push(
        ...write(call, landingPlace(call, source ?? unknownValue, destination, false), {
          detail: 'copy',
          recursive: verb === 'sync' || given.has('recursive'),
          origins: ['network'],
        }),
      );
    if (given.has('delete') && destination && !remote(destination))
      effects.push(...remove(call, destination, { recursive: true, detail: 'sync' }));
    if (verb === 'mv' && source && remote(source))
      effects.push(effect(call, 'cloud', { detail: 'delete', target: nameTarget(source) }));
    return orInert(call, effects);
  }
  if (name === 's3api' && verb === 'get-object' && rest.length > 0)
    return write(call, rest.at(-1) ?? unknownValue, { detail: 'overwrite', origins: ['network'] });
  if (
    (name === 'secretsmanager' && /^(?:get-secret-value|batch-get)/.test(verb)) ||
    (name === 'ssm' &&
      /^get-parameter/.test(verb) &&
      call.args.some((argument) => textOf(argument) === '--with-decryption')) ||
    (name === 'sts' && /^(?:get-session-token|assume-role|get-federation-token)/.test(verb)) ||
    (name === 'iam' && verb === 'create-access-key') ||
    (name === 'kms' && verb === 'decrypt') ||
    (name === 'configure' && /^(?:get|export-credentials)$/.test(verb)) ||
    (name === 'ecr' && /^get-(?:login|authorization)/.test(verb)) ||
    (name === 'eks' && verb === 'get-token')
  )
    return [effect(call, 'secret', { detail: 'credentials', target: nameTarget(target) })];
  if (name === 'configure')
    return /^list/.test(verb) ? inert(call) : write(call, literal('~/.aws/config'), { detail: 'edit' });
  if (name === 'ssm' && /^(?:start-session|send-command)$/.test(verb))
    return [effect(call, 'run', { detail: 'remote-command', target: nameTarget(target) })];
  if (/^(?:ses|sesv2|sns|pinpoint)$/.test(name) && /^(?:send-|publish)/.test(verb))
    return [
      effect(call, 'message', {
        detail: name === 'sns' ? 'notification' : 'e-mail',
        target: nameTarget(target),
      }),
    ];
  if (/^change-resource-record-sets$/.test(verb))
    return [
      effect(call, 'cloud', {
        detail: call.args.some((argument) => /"DELETE"/i.test(beginningOf(argument))) ? 'delete' : 'change',
        target: nameTarget(target),
      }),
    ];
  if (
    /^(?:schedule-key-deletion|remove-|terminate-|stop-|deregister-|disassociate-|detach-|disable-|revoke-|reset-|purge-|cancel-|unsubscribe|release-address|batch-delete|delete)/.test(
      verb,
    ) ||
    verb === 'rm' ||
    verb === 'rb'
  )
    return [
      effect(call, 'cloud', {
        detail: 'delete',
        target: nameTarget(target),
        recursive: given.has('recursive'),
        force: given.has('force'),
      }),
    ];
  if (name === 'cloudformation' && /^deploy$|-stack$/.test(verb) && !/^describe|^get|^list/.test(verb))
    return [effect(call, 'deploy', { detail: verb, target: nameTarget(target) })];
  const deed = deedOf(verb);
  if (name === 'logs' && verb === 'tail') return inert(call, 'cloud-read');
  return give(call, deed === 'deploy' ? 'deploy' : (deed ?? 'change'), `${name} ${verb}`, target, given);
};

const gsutil: Tool = (call) => {
  const given = options('m D q o= h= i= u= r/R a f n c z e p P d x= s= l= b= v', { stopAtOperand: true })(
    call.args,
  );
  const [verb, ...rest] = given.operands;
  const text = textOf(verb ?? literal('help'));
  const inner = options('r/R a f n c z= e p P d x= h= I m v')(rest);
  const remote = (value: Value): boolean => /^gs:\/\//.test(beginningOf(value));
  const last = inner.operands.at(-1);
  if (
    text !== null &&
    /^(?:ls|stat|cat|du|hash|version|help|test|perfdiag|signurl|logging|getacl|compose-help)$/.test(text)
  )
    return inert(call, 'cloud-read');
  if (text === 'rm' || text === 'rb')
    return inner.operands.map((target) =>
      effect(call, 'cloud', {
        detail: 'delete',
        target: nameTarget(target),
        recursive: inner.has('r') || text === 'rb',
        force: inner.has('f') || given.has('f'),
      }),
    );
  if (text === 'cp' || text === 'mv' || text === 'rsync') {
    const effects: Effect[] = inner.operands
      .slice(0, -1)
      .filter((source) => !remote(source))
      .flatMap((source) => read(call, source, { recursive: inner.has('r') }));
    const sources = inner.operands.slice(0, -1);
    const piped = sources.some((source) => textOf(source) === '-') && call.io.stdinOrigins.includes('secret');
    const origins = piped || effects.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
    if (last && remote(last))
      effects.push(
        effect(call, 'connect', { detail: 'upload', target: nameTarget(last), origins }),
        effect(call, 'cloud', {
          detail: text === 'rsync' && inner.has('d') ? 'delete' : 'change',
          target: nameTarget(last),
        }),
      );
    else if (last)
      effects.push(
        ...inner.operands.slice(0, -1).flatMap((source) =>
          write(call, landingPlace(call, source, last, false), {
            detail: 'copy',
            recursive: inner.has('r') || text === 'rsync',
            origins: ['network'],
          }),
        ),
        ...(text === 'rsync' && inner.has('d')
          ? remove(call, last, { recursive: true, detail: 'sync' })
          : []),
      );
    if (text === 'mv')
      effects.push(
        ...sources
          .filter(remote)
          .map((source) => effect(call, 'cloud', { detail: 'delete', target: nameTarget(source) })),
      );
    return effects;
  }
  return [effect(call, 'cloud', { detail: 'change', target: nameTarget(last) })];
};

/** Clouds by their providers. */
export const providerTools: Tools = {
  aws,
  awslocal: aws,
  gcloud: downloading(
    service({
      depth: 6,
      exceptions: [
        [/^auth (?:print-|application-default print)/, 'secret'],
        [/^secrets versions access/, 'secret'],
        [
          /^(?:auth list|config (?:list|get)|info|version|help|components list|projects get|logging read|run [\w-]+ (?:list|describe))/,
          'read',
        ],
        [/^(?:compute (?:ssh|scp|start-iap-tunnel)|config set|auth|components)/, 'change'],
        [/^(?:app deploy|run deploy|functions deploy|builds submit|deploy)/, 'deploy'],
        [/ (?:remove-iam-policy-binding|set-iam-policy|undeploy)/, 'delete'],
      ],
    }),
  ),
  gsutil,
  bq: service({
    depth: 2,
    exceptions: [
      [/^(?:rm|truncate)/, 'delete'],
      [/^(?:ls|show|head|help|version|wait)/, 'read'],
      [/^(?:query|load|cp|mk|update|insert|extract)/, 'change'],
    ],
  }),
  az: downloading(
    service({
      depth: 6,
      exceptions: [
        [
          /^account get-access-token|^keyvault secret (?:show|download)|keys list|list-keys|connection-string|credential (?:list|show)|get-credentials/,
          'secret',
        ],
        [/^(?:login|logout|account set|configure)/, 'change'],
        [/^(?:webapp|functionapp|containerapp|deployment|spring).* (?:deploy|up|create|publish)/, 'deploy'],
      ],
    }),
  ),
  azcopy: downloading(
    service({
      depth: 2,
      exceptions: [
        [/^(?:remove|rm|jobs (?:remove|clean))/, 'delete'],
        [/^sync.*--delete-destination/, 'delete'],
        [/^(?:copy|cp|c|sync|login|make)/, 'change'],
        [/^(?:list|ls|jobs|env)/, 'read'],
      ],
    }),
  ),
  azd: service({
    depth: 2,
    exceptions: [
      [/^down/, 'delete'],
      [/^(?:up|deploy|provision)/, 'deploy'],
    ],
  }),
  doctl: service({ depth: 5 }),
  linode: service(),
  'linode-cli': service({ depth: 3 }),
  hcloud: service({ depth: 3 }),
  oci: service({ depth: 6 }),
  ibmcloud: service({ depth: 4 }),
  scw: service({ depth: 4 }),
  exo: service({ depth: 4 }),
  aliyun: service({ depth: 3, otherwise: 'change' }),
  openstack: service({ depth: 4 }),
  vultr: service({ depth: 4 }),
  civo: service({ depth: 4 }),
  s3cmd: downloading(
    service({
      depth: 1,
      exceptions: [
        [/^(?:del|rm|rb|expire|delpolicy|delcors)/, 'delete'],
        [/--delete-removed/, 'delete'],
        [/^(?:ls|la|du|info|get|signurl)/, 'read'],
        [/^(?:put|sync|cp|mv|mb|setacl|modify)/, 'change'],
      ],
    }),
  ),
  s5cmd: downloading(
    service({
      depth: 1,
      exceptions: [
        [/^(?:rm|rb)/, 'delete'],
        [/^(?:ls|du|cat|head)/, 'read'],
        [/./, 'change'],
      ],
    }),
  ),
  mc: downloading(
    service({
      depth: 3,
      exceptions: [
        [
          /^(?:rm|rb|admin (?:bucket delete|user (?:remove|disable)|policy (?:remove|detach)|service stop))|^(?:mirror|replicate).*--remove|^(?:ilm|version|tag|anonymous|event|replicate) (?:rm|remove|suspend|reset)/,
          'delete',
        ],
        [
          /^(?:ls|stat|cat|du|find|diff|tree|head|admin info|ping|version|alias (?:ls|list)|watch|admin (?:user|policy) (?:list|info))/,
          'read',
        ],
        [/^(?:cp|mv|mb|mirror|pipe|alias|admin|policy|anonymous|ilm|tag|put|get)/, 'change'],
      ],
    }),
  ),
  amplify: service({
    depth: 2,
    exceptions: [
      [/^(?:delete|remove|env remove)/, 'delete'],
      [/^(?:push|publish)/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  eb: service({
    depth: 1,
    exceptions: [
      [/^(?:terminate|abort)/, 'delete'],
      [/^(?:deploy|create|swap|upgrade|clone|restore|scale|setenv|use)/, 'deploy'],
      [/./, 'read'],
    ],
  }),
};

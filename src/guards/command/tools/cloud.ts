// Clouds, infrastructure as code, hosting and the command lines of services: by the verb of the subcommand.

import type { Effect, Value } from '../effects.ts';
import { read, remove, write } from './access.ts';
import { options, type Reading } from './options.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  orInert,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from './tool.ts';

export type Deed = 'delete' | 'change' | 'read' | 'deploy' | 'secret';

const deletes =
  /^(?:delete|destroy|remove|rm|rb|purge|terminate|drop|wipe|erase|del|undeploy|unset|revoke|deregister|disassociate|detach|disable|deactivate|archive|cancel|empty|prune|clean|clear|flush|reset|uninstall|deprovision|decommission|release-address|unsubscribe|leave|undelete-forever|nuke|expire|forget|unlink|teardown|abort|delete-batch|remove-all|reject|break-lock|unlock|compact|recreate)$/;
const deletesWithin =
  /^(?:batch-)?(?:delete|destroy|remove|terminate|purge|deregister|disassociate|detach|disable|revoke|release|cancel|reset|empty|stop|unsubscribe|forget|abort|schedule-key-deletion|reject|erase)(?:[-_:]|$)/;
const reads =
  /^(?:list|ls|get|describe|show|view|status|logs|log|info|version|help|whoami|inspect|search|diff|plan|validate|check|tail|download|cat|stat|du|history|ping|test|tree|fmt|format|graph|output|console|doctor|open|browse|locations|wait|export|query|scan|filter|lookup|head|preview|count|size|events|watch|completion|env-list|print|find|read|current|explain|verify|lint|dump|sync-status|poll|resources|members|regions|serve|convert|dev|build|lint)$/;
const readsWithin =
  /^(?:list|get|describe|show|view|head|lookup|search|filter|batch-get|scan|query|tail|wait|check|estimate|simulate|validate|test|select|preview|can|is|ls|generate-cli-skeleton|retrieve|read|count|verify|decode)(?:[-_:]|$)/;
const deploys =
  /^(?:deploy|publish|promote|rollout|release|activate|ship|rollback|push|up|apply|sync|submit|alias)$/;

/** The deed of one word of a command line; null where the word is a noun. */
function deedOf(word: string): Deed | null {
  const last = word.includes(':') ? (word.split(':').at(-1) ?? word) : word;
  if (deletes.test(last) || deletesWithin.test(last) || /[-_](?:delete|remove|destroy)(?:[-_]|$)/.test(last))
    return 'delete';
  if (deploys.test(last)) return 'deploy';
  if (reads.test(last) || readsWithin.test(last)) return 'read';
  if (
    /^(?:create|add|update|put|set|start|stop|restart|run|enable|edit|modify|change|attach|associate|import|rename|move|mv|cp|copy|upload|scale|resize|invoke|send|grant|rotate|roll|new|init|restore|register|tag|untag|reboot|execute|replace|patch|configure|config|login|logout|approve|merge|close|reopen|transfer|fork|link|use|switch|upgrade|downgrade|invite|encrypt|decrypt|assign|unassign|mirror|lock|pause|resume|begin|purchase|accept|allocate|authorize|increase|decrease|open-session|ssh|exec|connect|tunnel|proxy|migrate|seed|clone|install|generate|write|trigger|rerun|retry|mb|join|provision)(?:[-_:]|$)/.test(
      last,
    )
  )
    return 'change';
  return null;
}

const commonDescription =
  'profile= region= output= query= endpoint-url= cli-input-json= o/out= c= p/project= context= n/name/namespace= g/resource-group= subscription= a/app= org= organization= account= token/t= config= format= filter= limit= zone= location= cluster= service= env/e/environment= scope= team= s/site= access-token= api-key= key= url= h= host= server= dir= cwd= file/f= ca-bundle= cli-read-timeout= cli-connect-timeout= color= log-file= account-name= impersonate-service-account= billing-project= verbosity= id= debug quiet/q verbose/v json yes/y force m no-cli-pager no-verify-ssl dry-run/dryrun recursive r i u';

/** The first word that says what is done, and the words up to it. */
function said(
  given: Reading,
  limit: number,
): { readonly deed: Deed | 'unknown'; readonly path: string; readonly rest: readonly Value[] } {
  const words: string[] = [];
  let found: { deed: Deed; path: string; rest: readonly Value[] } | undefined;
  for (const [at, operand] of given.operands.slice(0, limit).entries()) {
    const text = textOf(operand);
    if (text === null)
      return found ?? { deed: 'unknown', path: words.join(' '), rest: given.operands.slice(at) };
    words.push(text);
    const deed = deedOf(text);
    if (deed === null) continue;
    const here = { deed, path: words.join(' '), rest: given.operands.slice(at + 1) };
    // A later word that deletes outweighs an earlier one that is also a noun (`deployments delete`, `config unset`).
    if (deed === 'delete') return here;
    found ??= here;
  }
  return found ?? { deed: words.length === 0 ? 'read' : 'unknown', path: words.join(' '), rest: [] };
}

interface Service {
  /** How many words may name the subcommand. */
  readonly depth?: number;
  /** What a command without a known verb does. */
  readonly otherwise?: Deed | 'unknown';
  /** Commands that are otherwise than their verb says, by their words. */
  readonly exceptions?: readonly (readonly [RegExp, Deed])[];
}

function give(
  call: Call,
  deed: Deed | 'unknown',
  path: string,
  target: Value | undefined,
  given: Reading,
): readonly Effect[] {
  const name = target ?? (path === '' ? undefined : literal(path));
  const force = given.has('force', 'yes') ? { force: true } : {};
  const recursive = given.has('recursive') ? { recursive: true } : {};
  switch (deed) {
    case 'read':
      return inert(call, 'cloud-read');
    case 'deploy':
      return [effect(call, 'deploy', { detail: path, target: nameTarget(name), ...force })];
    case 'secret':
      return [effect(call, 'secret', { detail: 'credentials', target: nameTarget(name) })];
    default:
      return [effect(call, 'cloud', { detail: deed, target: nameTarget(name), ...force, ...recursive })];
  }
}

function service({ depth = 4, otherwise = 'unknown', exceptions = [] }: Service = {}): Tool {
  return (call) => {
    const given = options(commonDescription)(call.args);
    if (given.has('dry-run')) return inert(call, 'dry-run');
    const words = given.operands.slice(0, depth).map(beginningOf).join(' ');
    const flags = call.args.map(beginningOf).filter((text) => text.startsWith('-'));
    const whole = `${words} ${flags.join(' ')}`.trim();
    for (const [pattern, deed] of exceptions)
      if (pattern.test(whole)) return give(call, deed, words, undefined, given);
    const { deed, path, rest } = said(given, depth);
    return give(call, deed === 'unknown' ? otherwise : deed, path, rest[0], given);
  };
}

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
  const target = rest[0] ?? literal(`${name} ${verb}`);
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
    else if (destination) effects.push(...write(call, destination, { detail: 'copy', origins: ['network'] }));
    if (given.has('delete') && destination && !remote(destination))
      effects.push(...remove(call, destination, { recursive: true, detail: 'sync' }));
    if (verb === 'mv' && source && remote(source))
      effects.push(effect(call, 'cloud', { detail: 'delete', target: nameTarget(source) }));
    return orInert(call, effects);
  }
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

const ghReads =
  /^(?:[\w-]+ (?:list|ls|view|status|diff|checks|watch|download|clone|browse|search|verify|develop|field-list|item-list|ports|logs)|status|browse|search|version|help|completion|auth status|api|repo (?:clone|view|list|set-default|sync|gitignore|license)|pr (?:checkout|diff|checks|view|list|status)|run (?:watch|view|list|download)|cache list|extension list|config (?:get|list)|alias list|ruleset \w+|gpg-key list|ssh-key list|label list|attestation|issue develop|project (?:list|view|field-list|item-list))(?: |$)/;
const gh: Tool = (call) => {
  const given = options(
    'R/repo= H/hostname= h/help X/method= f/raw-field= F/field= input= p/preview= q/jq= t/template= cache= b/body= body-file= title= B/base= head= l/label= a/assignee= r/reviewer= m/milestone= w/web d/draft e/env= o/org= u/user= visibility= s= L/limit= json= yes y admin merge squash rebase auto delete-branch cleanup-tag notes= notes-file= target= n= paginate include silent ref= S/search= state= D/dir= accept-visibility-change-consequences description= add-topic=',
  )(call.args);
  const [group, verb, ...rest] = given.operands;
  const first = textOf(group ?? literal('help'));
  const named = verb ?? literal('');
  // What a request reads need not be known, as long as it only reads.
  const second = first === 'api' ? beginningOf(named) : textOf(named);
  if (given.has('help')) return inert(call);
  if (first === null || second === null)
    return [effect(call, 'cloud', { detail: 'unknown', target: nameTarget(group) })];
  const target = nameTarget(rest[0] ?? given.last('repo') ?? literal(`${first} ${second}`.trim()));
  const inputs = given.all('input', 'body-file', 'notes-file').flatMap((file) => read(call, file));
  if (first === 'api') {
    const method = (
      textOf(given.last('method') ?? literal(given.has('raw-field', 'field', 'input') ? 'POST' : 'GET')) ??
      'unknown'
    ).toUpperCase();
    if (second === 'graphql') {
      const mutation = given
        .all('raw-field', 'field')
        .some((field) => /^query=\s*mutation\b/.test(beginningOf(field)));
      return mutation
        ? [effect(call, 'cloud', { detail: 'change', target: nameTarget(verb) })]
        : inert(call, 'cloud-read');
    }
    if (method === 'GET' || method === 'HEAD') return inert(call, 'cloud-read');
    return [
      ...inputs,
      effect(call, 'cloud', { detail: method === 'DELETE' ? 'delete' : 'change', target: nameTarget(verb) }),
    ];
  }
  const words = `${first} ${second}`;
  if (first === 'auth')
    return second === 'token' || (given.has('t') && second === 'status')
      ? [effect(call, 'secret', { detail: 'credentials' })]
      : second === 'status' || second === 'setup-git'
        ? inert(call)
        : [effect(call, 'cloud', { detail: 'change', target: nameTarget(literal(words)) })];
  if (first === 'extension' && /^(?:install|upgrade)$/.test(second))
    return [effect(call, 'package', { detail: 'install', target: nameTarget(rest[0]) })];
  if (first === 'alias' && second === 'set')
    return [effect(call, 'run', { detail: 'alias', target: nameTarget(rest[1]) })];
  if (first === 'codespace' || first === 'cs')
    return /^(?:list|view|logs|ports)$/.test(second)
      ? inert(call)
      : [
          effect(call, second === 'ssh' ? 'run' : 'cloud', {
            detail: second === 'delete' ? 'delete' : second === 'ssh' ? 'remote-command' : 'change',
            target,
          }),
        ];
  if (ghReads.test(words)) return orInert(call, inputs);
  if (
    / (?:delete|archive|rename|remove|disable|unset|transfer|delete-asset|cancel|item-delete|field-delete)$/.test(
      words,
    ) ||
    (words === 'repo edit' && given.has('visibility'))
  )
    return [effect(call, 'cloud', { detail: 'delete', target, force: given.has('yes') })];
  if (words === 'pr create' || words === 'pr merge')
    return [
      effect(call, 'cloud', { detail: 'change', target }),
      effect(call, 'git', {
        detail: words === 'pr merge' ? 'merge-remote' : 'pull-request',
        target,
        force: given.has('admin'),
      }),
    ];
  if (
    words === 'release create' ||
    words === 'workflow run' ||
    words === 'release upload' ||
    words === 'release edit'
  )
    return [
      ...rest.slice(1).flatMap((file) => read(call, file)),
      effect(call, 'deploy', { detail: words, target }),
    ];
  if (
    /^(?:pr|issue|gist|discussion) (?:comment|review|close|reopen|edit|create|ready|lock|unlock|pin|unpin|transfer)$/.test(
      words,
    )
  )
    return [
      ...inputs,
      ...(first === 'gist' ? rest.flatMap((file) => read(call, file)) : []),
      effect(call, 'cloud', { detail: 'discuss', target }),
    ];
  return [...inputs, effect(call, 'cloud', { detail: 'change', target })];
};

const glab: Tool = (call) => {
  const said = call.args.filter((argument) => !beginningOf(argument).startsWith('-')).map(beginningOf);
  if (said[0] === 'api') return gh(call);
  return service({
    depth: 3,
    exceptions: [
      [
        /^(?:mr|issue|repo|pipeline|ci|release|label|variable|snippet) (?:list|view|diff|checkout|clone|status|trace|search|download|get|lint)/,
        'read',
      ],
      [/^(?:repo|project) (?:archive|transfer|mirror)/, 'delete'],
      [/^auth status/, 'read'],
    ],
  })(call);
};

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
    !/metadata (?:delete|put)/.test(given.operands.map(beginningOf).join(' '))
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
    const origins = effects.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
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
        ...write(call, last, { detail: 'copy', origins: ['network'] }),
        ...(text === 'rsync' && inner.has('d')
          ? remove(call, last, { recursive: true, detail: 'sync' })
          : []),
      );
    return effects;
  }
  return [effect(call, 'cloud', { detail: 'change', target: nameTarget(last) })];
};

const restic =
  (deletesWord: RegExp, readsWord: RegExp): Tool =>
  (call) => {
    const given = options(
      'r/repo= p/password-file= password-command= repository-file= H/host= tag= t/target= e/exclude= i/include= o/option= rsh= n/dry-run v q json keep-last= keep-daily= prune remote-path= s/stats list force list-snapshots C/compression= glob-archives= a= P/prefix= keep-within= path=',
    )(call.args);
    const [verb, ...rest] = given.operands;
    const text = textOf(verb ?? literal('help'));
    const runs = given
      .all('password-command', 'rsh')
      .map((command) => effect(call, 'run', { detail: 'helper', target: nameTarget(command) }));
    if (given.has('dry-run')) return inert(call, 'dry-run');
    const said = given.operands.slice(0, 2).map(beginningOf).join(' ');
    const target = nameTarget(given.last('repo') ?? rest[0]);
    if (text === null || deletesWord.test(said))
      return [...runs, effect(call, 'cloud', { detail: 'delete', target, force: given.has('force') })];
    if (/^(?:restore|extract)/.test(text))
      return [
        ...runs,
        ...write(call, given.last('target') ?? literal('.'), { detail: 'unpack', recursive: true }),
      ];
    if (readsWord.test(said)) return orInert(call, runs);
    const sources = rest
      .filter((path) => !beginningOf(path).includes('::'))
      .flatMap((path) => read(call, path, { recursive: true }));
    return [
      ...runs,
      ...sources,
      effect(call, 'connect', {
        detail: 'upload',
        target,
        origins: sources.some(({ kind }) => kind === 'secret') ? ['secret'] : [],
      }),
    ];
  };

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

const plain = service();

/** Kafka's scripts say it with options. */
const kafka: Tool = (call) => {
  const texts = call.args.map(beginningOf);
  const topic = nameTarget(
    call.args[texts.findIndex((text) => /^--(?:topic|group|entity-name)$/.test(text)) + 1],
  );
  if (texts.some((text) => /^--(?:delete|remove|delete-offsets|delete-config|reset-offsets)$/.test(text)))
    return [effect(call, 'cloud', { detail: 'delete', target: topic })];
  if (texts.some((text) => /^--(?:create|alter|add|add-config|execute)$/.test(text)))
    return [effect(call, 'cloud', { detail: 'change', target: topic })];
  return /producer|delete-records/.test(call.program)
    ? [effect(call, 'cloud', { detail: /delete/.test(call.program) ? 'delete' : 'change', target: topic })]
    : inert(call);
};

export const cloudTools: Tools = {
  aws,
  awslocal: aws,
  gcloud: service({
    depth: 6,
    exceptions: [
      [/^auth (?:print-|application-default print)/, 'secret'],
      [/^secrets versions access/, 'secret'],
      [
        /^(?:auth list|config (?:list|get)|info|version|help|components list|projects get|logging read)/,
        'read',
      ],
      [/^(?:compute (?:ssh|scp|start-iap-tunnel)|config set|auth|components)/, 'change'],
      [/^(?:app deploy|run deploy|functions deploy|builds submit|deploy)/, 'deploy'],
      [/ (?:remove-iam-policy-binding|set-iam-policy|undeploy)/, 'delete'],
    ],
  }),
  gsutil,
  bq: service({
    depth: 2,
    exceptions: [
      [/^(?:rm|truncate)/, 'delete'],
      [/^(?:ls|show|head|help|version|wait)/, 'read'],
      [/^(?:query|load|cp|mk|update|insert|extract)/, 'change'],
    ],
  }),
  az: service({
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
  azcopy: service({
    depth: 2,
    exceptions: [
      [/^(?:remove|rm|jobs (?:remove|clean))/, 'delete'],
      [/^sync.*--delete-destination/, 'delete'],
      [/^(?:copy|cp|c|sync|login|make)/, 'change'],
      [/^(?:list|ls|jobs|env)/, 'read'],
    ],
  }),
  azd: service({
    depth: 2,
    exceptions: [
      [/^down/, 'delete'],
      [/^(?:up|deploy|provision)/, 'deploy'],
    ],
  }),
  doctl: service({ depth: 5 }),
  linode: plain,
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
  s3cmd: service({
    depth: 1,
    exceptions: [
      [/^(?:del|rm|rb|expire|delpolicy|delcors)/, 'delete'],
      [/--delete-removed/, 'delete'],
      [/^(?:ls|la|du|info|get|signurl)/, 'read'],
      [/^(?:put|sync|cp|mv|mb|setacl|modify)/, 'change'],
    ],
  }),
  s5cmd: service({
    depth: 1,
    exceptions: [
      [/^(?:rm|rb)/, 'delete'],
      [/^(?:ls|du|cat|head)/, 'read'],
      [/./, 'change'],
    ],
  }),
  mc: service({
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
  copilot: service({
    depth: 2,
    exceptions: [
      [/ delete/, 'delete'],
      [/ deploy/, 'deploy'],
    ],
  }),
  serverless: service({
    depth: 2,
    exceptions: [
      [/^(?:remove|rollback)/, 'delete'],
      [/^deploy/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  sls: service({
    depth: 2,
    exceptions: [
      [/^(?:remove|rollback)/, 'delete'],
      [/^deploy/, 'deploy'],
      [/./, 'read'],
    ],
  }),
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
  gh,
  glab,
  'gitlab-rake': (call) =>
    /restore|drop|reset|remove/.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'cloud', { detail: 'delete' })]
      : [effect(call, 'cloud', { detail: 'change' })],
  'gitlab-runner': service({
    depth: 1,
    exceptions: [
      [/^(?:unregister|uninstall|stop|reset-token)/, 'delete'],
      [/^(?:list|status|verify)/, 'read'],
      [/^verify.*--delete/, 'delete'],
    ],
  }),
  'gitlab-ctl': service({
    depth: 1,
    exceptions: [
      [/^(?:cleanse|uninstall|stop|pg-upgrade)/, 'delete'],
      [/^(?:status|tail|show-config|service-list|help|check-config)/, 'read'],
    ],
  }),
  circleci: service({
    depth: 3,
    exceptions: [
      [
        /^(?:config (?:validate|process|pack)|local|version|diagnostic|orb (?:validate|list|info|process|source))/,
        'read',
      ],
    ],
  }),
  travis: service({ depth: 2 }),
  act: (call) => inert(call, 'project'),
  heroku: service({
    depth: 2,
    exceptions: [
      [
        /^(?:addons:detach|apps:leave|repo:reset|ps:(?:restart|stop|kill|scale)|access:update|clients:update|clients:rotate|access:remove|members:remove|container:rm|pg:(?:reset|killall|kill|credentials:rotate|promote)|maintenance:on|domains:clear|keys:clear|releases:rollback|rollback|features:disable|git:remote)/,
        'delete',
      ],
      [/^(?:config(?::get)?|pg:credentials(?::url)?|auth:token)$/, 'secret'],
      [
        /^(?:logs|apps(?::info)?|ps|releases(?::info)?|addons(?::info)?|domains|status|pg(?::info)?|info|local|help|version|plugins|stack|access|members)$/,
        'read',
      ],
      [/^(?:run|run:detached|ps:exec|pg:psql)/, 'change'],
    ],
  }),
  fly: service({
    depth: 3,
    exceptions: [
      [
        /^(?:status|logs|version|apps list|platform|ips list|doctor|info|history|checks|secrets list|machine status|scale show|regions list)/,
        'read',
      ],
      [/^(?:deploy|launch)/, 'deploy'],
      [/^(?:ssh|console|proxy)/, 'change'],
      [
        /^(?:machines?|m) (?:stop|kill|destroy|remove)|^(?:apps )?(?:suspend|destroy)(?: |$)|^scale count 0/,
        'delete',
      ],
      [/^auth token|^tokens create/, 'secret'],
    ],
  }),
  flyctl: service({
    depth: 3,
    exceptions: [
      [/^(?:status|logs|version|apps list|platform|info)/, 'read'],
      [/^(?:deploy|launch)/, 'deploy'],
      [/^(?:machines?|m) (?:stop|kill|destroy|remove)/, 'delete'],
    ],
  }),
  vercel: service({
    depth: 3,
    exceptions: [
      [/^(?:env pull)/, 'secret'],
      [
        /^(?:dev|build|link|ls|list|logs|inspect|whoami|login|logout|pull|help|env ls|domains ls|teams ls|git|project ls|switch|init|bisect|telemetry)/,
        'read',
      ],
      [/^(?:rm|remove)(?: |$)|(?: rm| remove)(?: |$)/, 'delete'],
      [/^(?:env add|alias|domains|dns|certs|secrets|project|teams)/, 'change'],
      [/^(?:deploy|promote|rollback|redeploy)?(?: |$)|^--prod/, 'deploy'],
    ],
    otherwise: 'deploy',
  }),
  now: service({ depth: 2, otherwise: 'deploy' }),
  netlify: service({
    depth: 3,
    exceptions: [
      [
        /^(?:dev|build|status|sites:list|open|link|watch|functions:(?:list|serve|invoke|build|create)|login|init|env:(?:list|get)|logs|help|unlink|blobs:(?:get|list))/,
        'read',
      ],
      [/^(?:sites:delete|env:(?:unset|clone|import)|blobs:delete)/, 'delete'],
      [/^deploy/, 'deploy'],
      [/^env:set/, 'change'],
    ],
  }),
  ntl: service({ depth: 3, exceptions: [[/^(?:dev|build|status)/, 'read']] }),
  wrangler: service({
    depth: 4,
    exceptions: [
      [
        /^(?:dev|tail|whoami|init|types|docs|login|logout|d1 info|pages dev|check|deployments (?:list|status|view)|versions (?:list|view))/,
        'read',
      ],
      [/^(?:deployments rollback|rollback|delete)/, 'delete'],
      [/^(?:deploy|publish|pages deploy|pages publish|versions (?:upload|deploy)|triggers deploy)/, 'deploy'],
      [/^d1 (?:execute|migrations apply)/, 'change'],
      [/^secret (?:put|bulk)/, 'change'],
    ],
  }),
  railway: service({
    depth: 2,
    exceptions: [
      [/^(?:up|deploy|redeploy)/, 'deploy'],
      [/^(?:down|delete|volume delete|environment delete)/, 'delete'],
      [/^variables/, 'secret'],
      [/^(?:status|logs|list|whoami|run|shell|link|open|docs|login|init)/, 'read'],
    ],
  }),
  render: service({ depth: 3 }),
  supabase: service({
    depth: 3,
    exceptions: [
      [
        /^(?:db reset|projects delete|branches delete|functions delete|secrets unset|stop .*--no-backup|db push .*--include-all)/,
        'delete',
      ],
      [
        /^(?:start|stop|status|login|init|link|gen|db (?:diff|lint|dump|pull)|migration (?:new|list)|test|functions (?:serve|new|list)|services)/,
        'read',
      ],
      [/^(?:db push|functions deploy|migration up|config push)/, 'deploy'],
    ],
  }),
  firebase: service({
    depth: 2,
    exceptions: [
      [
        /^(?:firestore:delete|database:(?:remove|set|update)|functions:delete|hosting:(?:disable|channel:delete|sites:delete)|projects:delete|apps:delete|auth:import|remoteconfig:rollback)/,
        'delete',
      ],
      [
        /^(?:emulators:|serve|projects:list|login|use|init|apps:list|functions:(?:log|list|shell)|target|database:get|help|experiments)/,
        'read',
      ],
      [/^(?:deploy|hosting:(?:clone|channel:deploy))/, 'deploy'],
    ],
  }),
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
  surge: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'teardown'
      ? [effect(call, 'cloud', { detail: 'delete' })]
      : /^(?:list|whoami|login|--version)$/.test(beginningOf(call.args[0] ?? literal('')))
        ? inert(call)
        : [effect(call, 'deploy', { detail: 'publish' })],
  'gh-pages': (call) => [effect(call, 'deploy', { detail: 'publish' })],
  cap: service({ depth: 2, exceptions: [[/deploy/, 'deploy']], otherwise: 'read' }),
  kamal: service({
    depth: 2,
    exceptions: [
      [/^(?:remove|app remove|accessory remove|rollback)/, 'delete'],
      [/^(?:deploy|redeploy|setup|app boot)/, 'deploy'],
      [/^(?:details|audit|config|version|app (?:logs|details|version))/, 'read'],
    ],
  }),
  stripe: service({
    depth: 2,
    exceptions: [
      [/^(?:api_keys roll)|(?:^| )(?:delete|cancel|void|refund)/, 'delete'],
      [/^(?:listen|login|logs|status|version|help|open|samples|fixtures|config)/, 'read'],
      [/^(?:post|trigger|payouts|charges|refunds|transfers)/, 'change'],
      [/^get/, 'read'],
    ],
  }),
  square: service({ depth: 3 }),
  fastly: service({
    depth: 4,
    exceptions: [
      [/activate|purge/, 'delete'],
      [/^compute (?:build|serve|init|validate)/, 'read'],
      [/^compute (?:deploy|publish)/, 'deploy'],
    ],
  }),
  cf: service({
    depth: 1,
    exceptions: [
      [/^(?:delete|d|purge|unbind|unmap|unset|disable|remove)/, 'delete'],
      [/^(?:push|p|restage|start|restart)/, 'deploy'],
      [/^(?:apps|a|app|logs|services|s|target|t|orgs|spaces|routes|env|e|events|marketplace|m)$/, 'read'],
    ],
  }),
  ldcli: service({ depth: 2 }),
  flipt: service({ depth: 2 }),
  unleash: service({ depth: 2 }),
  launchdarkly: service({ depth: 2 }),
  algolia: service({ depth: 2, exceptions: [[/(?: clear|delete|copy --replace)/, 'delete']] }),
  newrelic: service({ depth: 4 }),
  datadog: service({ depth: 3 }),
  'datadog-ci': service({ depth: 2, otherwise: 'change' }),
  splunk: service({ depth: 2 }),
  pd: service({ depth: 3 }),
  'sentry-cli': service({
    depth: 3,
    exceptions: [
      [/^(?:info|login|releases list|send-event)/, 'read'],
      [/^(?:sourcemaps|releases|upload|debug-files|deploys)/, 'deploy'],
    ],
  }),
  deck: service({
    depth: 2,
    exceptions: [
      [/^(?:gateway )?(?:reset|sync)/, 'delete'],
      [/^(?:gateway )?(?:diff|dump|ping|validate|version|file)/, 'read'],
    ],
  }),
  kong: service({
    depth: 2,
    exceptions: [
      [/^(?:stop|quit|migrations (?:reset|down))/, 'delete'],
      [/^(?:version|health|check|config)/, 'read'],
    ],
  }),
  apigeecli: service({ depth: 3 }),
  nats: service({
    depth: 3,
    exceptions: [
      [/^(?:pub|publish|request|reply)/, 'change'],
      [
        /^(?:sub|subscribe|server (?:ls|info|ping|report|check)|account info|stream (?:ls|info|view|report|get)|consumer (?:ls|info|report)|kv (?:get|ls|info|history|status))/,
        'read',
      ],
      [
        /^(?:kv|object|stream|consumer|server|account|service|auth|context) (?:rm|del|delete|purge|edit|unset|shutdown|cluster step-down)/,
        'delete',
      ],
    ],
  }),
  rabbitmqctl: service({
    depth: 1,
    exceptions: [
      [
        /^(?:forget_cluster_node|reset|force_reset|delete_|purge_|clear_|stop|stop_app|close_|remove_|rotate_|change_|shutdown|evict)/,
        'delete',
      ],
      [
        /^(?:list_|status|cluster_status|ping|environment|report|node_health|version|help|await|check)/,
        'read',
      ],
      [/./, 'change'],
    ],
  }),
  rabbitmqadmin: service({
    depth: 2,
    exceptions: [
      [/^(?:delete|purge|close)/, 'delete'],
      [/^(?:list|show|get|export|help)/, 'read'],
      [/./, 'change'],
    ],
  }),
  'kafka-topics': kafka,
  'kafka-topics.sh': kafka,
  'kafka-consumer-groups': kafka,
  'kafka-consumer-groups.sh': kafka,
  'kafka-configs': kafka,
  'kafka-configs.sh': kafka,
  'kafka-acls': kafka,
  'kafka-acls.sh': kafka,
  'kafka-console-producer': kafka,
  'kafka-console-consumer': (call) => inert(call),
  'kafka-delete-records': kafka,
  'kafka-delete-records.sh': kafka,
  kcat: (call) =>
    call.args.some((argument) => /^-[a-zA-Z]*P/.test(beginningOf(argument)))
      ? [effect(call, 'cloud', { detail: 'change' })]
      : inert(call),
  restic: restic(
    /^(?:forget|prune|unlock|key (?:remove|rm)|cache|repair|rewrite|migrate|tag)/,
    /^(?:snapshots|ls|stats|check|diff|find|version|list|cat|mount|dump|init|key list|help|generate|features)/,
  ),
  borg: restic(
    /^(?:delete|prune|compact|recreate|break-lock|rename|key change|config|upgrade)/,
    /^(?:list|info|check|diff|mount|umount|init|version|help|benchmark|key export|with-lock|serve)/,
  ),
  duplicity: restic(
    /^(?:remove-|cleanup|collection-delete)/,
    /^(?:list-current-files|collection-status|verify)/,
  ),
  kopia: restic(
    /^(?:snapshot delete|maintenance|repository (?:disconnect|throttle)|policy (?:delete|remove)|blob delete)/,
    /^(?:snapshot (?:list|ls|verify)|repository status|policy (?:list|show)|content|ls|show|mount|diff)/,
  ),
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
  knife: service({ depth: 3 }),
  'aws-vault': service({
    depth: 1,
    exceptions: [
      [/^(?:list|ls)/, 'read'],
      [/^(?:remove|clear|rotate)/, 'delete'],
      [/./, 'secret'],
    ],
  }),
  saml2aws: (call) => [effect(call, 'secret', { detail: 'credentials' })],
  granted: plain,
  confluent: service({ depth: 4 }),
  snowsql: (call) => [effect(call, 'database', { detail: 'unknown', target: nameTarget(call.args.at(-1)) })],
  shopify: service({
    depth: 2,
    exceptions: [
      [/^(?:app|theme) (?:dev|build|check|info|list|generate|init|pull|package)/, 'read'],
      [/^(?:app|theme) (?:deploy|push|publish|release)/, 'deploy'],
    ],
  }),
  eas: service({
    depth: 2,
    exceptions: [
      [/^(?:submit|update|deploy)/, 'deploy'],
      [/^(?:build|login|whoami|init|config|diagnostics)/, 'read'],
    ],
  }),
  expo: service({
    depth: 1,
    exceptions: [
      [/^(?:publish|upload|export:deploy)/, 'deploy'],
      [/./, 'read'],
    ],
  }),
  twilio: service({ depth: 4, exceptions: [[/messages:create|calls:create|email:send/, 'change']] }),
  jira: service({ depth: 3 }),
  linear: service({ depth: 3 }),
};

// Containers and clusters: docker and its kin, compose, kubectl, helm, lxc, virtual machines.

import type { Effect, Value } from '../effects.ts';
import {
  after,
  afterOptions,
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  inert,
  landingPlace,
  literal,
  type More,
  nameTarget,
  options,
  orInert,
  type Reading,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

const dockerGlobal = options(
  'H/host= c/context= config= D/debug l/log-level= tls tlscacert= tlscert= tlskey= tlsverify v/version url= identity= connection= root= runroot= storage-driver= n/namespace= address= remote r',
  { stopAtOperand: true },
);

/** How containers are stopped: one by its name, all that a list gives, or at once. */
function stopping(names: readonly Value[], verb: string | null): string {
  if (verb === 'kill') return 'kill';
  return names.some(({ kind }) => kind === 'unknown' || kind === 'prefix') ? 'stop-all' : 'stop';
}

function container(
  call: Call,
  detail: string,
  names: readonly Value[] = [],
  more: More = {},
): readonly Effect[] {
  return (names.length > 0 ? names.slice(0, 16) : [undefined]).map((name) =>
    effect(call, 'container', { detail, target: nameTarget(name), ...more }),
  );
}

const runOptions = options(
  'a/attach= add-host= annotation= blkio-weight= cap-add= cap-drop= cgroup-parent= cgroupns= cidfile= cpu-period= cpu-quota= cpu-shares/c= cpus= cpuset-cpus= d/detach detach-keys= device= device-cgroup-rule= dns= domainname= entrypoint= e/env= env-file= expose= gpus= group-add= health-cmd= health-interval= health-retries= health-timeout= h/hostname= init i/interactive ip= ipc= isolation= kernel-memory= l/label= label-file= link= log-driver= log-opt= mac-address= m/memory= memory-swap= mount= name= network/net= network-alias= no-healthcheck oom-score-adj= pid= pids-limit= platform= privileged p/publish= P/publish-all pull= q/quiet read-only restart= rm runtime= security-opt= shm-size= sig-proxy stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= t/tty ulimit= u/user= userns= uts= v/volume= volume-driver= volumes-from= w/workdir= pod= arch= os= secret= systemd= build T no-deps service-ports use-aliases remove-orphans',
  { stopAtOperand: true },
);

/** What a container is given of the host: the whole file system, its devices, its processes, the engine itself. */
function reach(call: Call, given: Reading): readonly Effect[] {
  const effects: Effect[] = [];
  const privileged = (what: string): void => {
    effects.push(effect(call, 'container', { detail: 'privileged', target: nameTarget(literal(what)) }));
  };
  if (given.has('privileged') && textOf(given.last('privileged')) !== 'false') privileged('privileged');
  for (const capability of given.all('cap-add'))
    if (
      /^(?:ALL|(?:CAP_)?(?:SYS_ADMIN|SYS_PTRACE|SYS_MODULE|DAC_READ_SEARCH|DAC_OVERRIDE|NET_ADMIN|SYS_RAWIO|BPF))$/i.test(
        beginningOf(capability),
      ) ||
      capability.kind === 'unknown'
    )
      privileged(`cap-add ${beginningOf(capability)}`);
  for (const option of ['pid', 'ipc', 'uts', 'userns', 'cgroupns'] as const)
    if (given.all(option).some((value) => textOf(value) === 'host')) privileged(`${option} host`);
  for (const option of given.all('security-opt'))
    if (/unconfined|no-new-privileges[:=]false|label[:=]disable/.test(beginningOf(option)))
      privileged(beginningOf(option));
  for (const device of given.all('device')) privileged(`device ${beginningOf(device)}`);
  const sources: Value[] = [
    ...given.all('volume').filter((volume) => beginningOf(volume).includes(':') || volume.kind === 'unknown'),
    ...given.all('mount').filter((mount) => /type=bind|source=\/|src=\//.test(beginningOf(mount))),
  ];
  for (const source of sources) {
    const text = beginningOf(source);
    const path = /(?:source|src)=([^,]*)/.exec(text)?.[1] ?? text.split(':', 1)[0] ?? '';
    if (!/^[/.~]/.test(path)) continue;
    if (
      /^\/+\.?$|^\/(?:etc|root|home|proc|sys|dev|boot|var|usr|lib|bin|sbin|Users)\/?$|docker\.sock|containerd\.sock|podman\.sock|crio\.sock|^\/var\/(?:lib|run)\/(?:docker|kubelet)/.test(
        path,
      )
    )
      privileged(`mount ${path}`);
    const readOnly = /:ro(?:,|$)|readonly/.test(text);
    effects.push(
      ...(readOnly
        ? read(call, literal(path), { recursive: true })
        : write(call, literal(path), { detail: 'mount', recursive: true })),
    );
  }
  for (const file of given.all('env-file')) effects.push(...read(call, file));
  return effects;
}

const removeOptions = options(
  'f/force v/volumes l/link a/all s t/time/timeout= filter= no-prune depend i/ignore',
);

function dockerRun(call: Call, args: readonly Value[], detail: string): readonly Effect[] {
  const given = runOptions(args);
  const [image] = given.operands;
  return [...container(call, detail, image ? [image] : []), ...reach(call, given)];
}

const copyOptions = options('a/archive L/follow-link q c/container= retries= no-preserve n/namespace=');
/** `docker cp` and `kubectl cp`: one side has a colon. */
function copyAcross(call: Call, args: readonly Value[]): readonly Effect[] {
  const [source, destination] = copyOptions(args).operands;
  const inside = (value: Value | undefined): boolean =>
    value !== undefined && /^[^/.~][^/]*(?:\/[^/:]+)?:/.test(beginningOf(value));
  const effects: Effect[] = [];
  if (source && !inside(source)) effects.push(...read(call, source, { recursive: true }));
  if (destination && !inside(destination)) {
    // A cluster is elsewhere; a container of an engine is here.
    const origins = /^(?:kubectl|oc|k)$/.test(call.program) ? (['network'] as const) : [];
    const place = landingPlace(call, source ?? unknownValue, destination, false);
    effects.push(...write(call, place, { detail: 'copy', recursive: true, origins }));
  }
  return [...effects, ...container(call, 'copy')];
}

const composeOptions = options(
  'f/file= p/project-name= profile= env-file= project-directory= parallel= ansi= progress= compatibility dry-run',
  { stopAtOperand: true },
);
function compose(call: Call, args: readonly Value[]): readonly Effect[] {
  const top = composeOptions(args);
  const [verb, ...rest] = top.operands;
  const text = textOf(verb ?? literal('help'));
  if (top.has('dry-run')) return inert(call, 'dry-run');
  const given = removeOptions(rest);
  switch (text) {
    case 'down':
      return container(
        call,
        given.has('volumes') ? 'volume-delete' : 'down',
        [],
        given.has('volumes') ? {} : { reversible: true },
      );
    case 'rm':
      return container(call, 'delete', given.operands, {
        force: given.has('force'),
        ...(given.has('volumes') ? {} : { reversible: true }),
      });
    case 'kill':
    case 'stop':
    case 'pause':
      return container(call, 'stop', given.operands, { reversible: true });
    case 'exec':
      return container(call, 'exec', given.operands.slice(0, 1));
    case 'run':
      return dockerRun(call, rest, 'run');
    case 'up':
    case 'start':
    case 'create':
    case 'restart':
    case 'unpause':
    case 'scale':
    case 'watch':
      return container(call, 'up', [], { reversible: true });
    case 'push':
    case 'publish':
      return [effect(call, 'deploy', { detail: 'push-image' })];
    case 'build':
    case 'pull':
      return container(call, text, [], { reversible: true });
    case 'cp':
      return copyAcross(call, rest);
    case null:
      return container(call, 'unknown');
    default:
      return inert(call);
  }
}

const groups = new Set(
  'container image volume network system builder buildx context plugin node service stack swarm secret config trust manifest checkpoint compose pod machine scout generate play kube artifact farm'.split(
    ' ',
  ),
);
const dockerReads = new Set(
  'ps ls list images inspect logs top stats port diff history events info version search df wait df help show imagetools du platforms attach-log lscontainers healthcheck config-show tree mount-list exists'.split(
    ' ',
  ),
);

const docker: Tool = (call) => {
  const top = dockerGlobal(call.args);
  let [verb, ...rest] = top.operands;
  if (!verb) return inert(call);
  let group = '';
  const first = textOf(verb);
  const remote = top
    .all('host', 'url')
    .filter((host) => /^(?:tcp|ssh|https?):/.test(beginningOf(host)))
    .map((host) => effect(call, 'connect', { detail: 'engine', target: hostTarget(hostOf(host)) }));
  if (first === 'compose') return [...remote, ...compose(call, rest)];
  if (first !== null && groups.has(first)) {
    group = first;
    [verb, ...rest] = afterOptions(rest);
  }
  const text = textOf(verb ?? literal('help'));
  if (text === null) return [...remote, ...container(call, 'unknown')];
  return [...remote, ...dockerVerb(call, group, text, rest)];
};

function dockerVerb(call: Call, group: string, verb: string, rest: readonly Value[]): readonly Effect[] {
  const given = removeOptions(rest);
  const force = given.has('force');
  if (rest.some((argument) => textOf(argument) === '--dry-run')) return inert(call, 'dry-run');
  switch (verb) {
    case 'rm':
    case 'remove':
    case 'rmi':
    case 'delete':
    case 'untag': {
      const detail =
        verb === 'rmi' || group === 'image'
          ? 'image-delete'
          : group === 'volume'
            ? 'volume-delete'
            : group === 'network'
              ? 'network-delete'
              : given.has('volumes') && !group
                ? 'delete'
                : 'delete';
      return container(call, detail, given.operands, { force });
    }
    case 'prune':
      return container(call, 'prune', [literal(group === '' ? 'containers' : group)], {
        force,
        recursive: given.has('all', 'volumes'),
      });
    case 'reset':
    case 'leave':
    case 'ca':
    case 'demote':
    case 'disable':
      return container(call, 'delete', [literal(`${group} ${verb}`)], { force });
    case 'run':
    case 'create':
      if (
        group === 'volume' ||
        group === 'network' ||
        group === 'context' ||
        group === 'secret' ||
        group === 'config'
      )
        return container(call, 'create', given.operands, { reversible: true });
      if (group === 'service')
        return [effect(call, 'deploy', { detail: 'service' }), ...reach(call, runOptions(rest))];
      return dockerRun(call, rest, verb);
    case 'exec': {
      const inner = runOptions(rest);
      return [...container(call, 'exec', inner.operands.slice(0, 1)), ...reach(call, inner)];
    }
    case 'attach':
      return container(call, 'exec', given.operands.slice(0, 1));
    case 'stop':
    case 'kill':
    case 'pause':
      return container(call, stopping(given.operands, verb), given.operands, {
        reversible: true,
        force: verb === 'kill',
      });
    case 'start':
    case 'restart':
    case 'unpause':
    case 'up':
    case 'update':
    case 'rename':
    case 'connect':
    case 'disconnect':
    case 'tag':
    case 'commit':
    case 'init':
    case 'join':
    case 'scale':
    case 'rollback':
    case 'promote':
    case 'use':
      return group === 'service' || group === 'stack'
        ? [effect(call, 'deploy', { detail: 'service', target: nameTarget(given.operands[0]) })]
        : container(call, 'change', given.operands, { reversible: true });
    case 'deploy':
      return [effect(call, 'deploy', { detail: 'service', target: nameTarget(given.operands[0]) })];
    case 'build':
    case 'bake': {
      const build = options(
        'f/file= t/tag= build-arg= target= o/output= secret= ssh= platform= cache-from= cache-to= label= network= iidfile= progress= builder= push load no-cache pull q metadata-file= allow= set= add-host= build-context= squash rm',
      )(rest);
      const pushes =
        build.has('push') ||
        build.all('output').some((output) => /type=registry|push=true/.test(beginningOf(output)));
      const secrets = build
        .all('secret')
        .flatMap((secret) =>
          /src=|source=/.test(beginningOf(secret))
            ? read(call, literal(/(?:src|source)=([^,]*)/.exec(beginningOf(secret))?.[1] ?? ''))
            : [],
        );
      return [
        ...secrets,
        ...(pushes
          ? [effect(call, 'deploy', { detail: 'push-image', target: nameTarget(build.last('tag')) })]
          : []),
        ...container(call, 'build', build.all('tag').slice(0, 1), { reversible: true }),
      ];
    }
    case 'push':
      return [effect(call, 'deploy', { detail: 'push-image', target: nameTarget(given.operands[0]) })];
    case 'pull':
    case 'load':
    case 'import':
      return container(call, 'pull', given.operands, { reversible: true });
    case 'save':
    case 'export': {
      const output = options('o/output= platform=')(rest);
      return orInert(
        call,
        output.all('output').flatMap((path) => write(call, path, { detail: 'pack' })),
      );
    }
    case 'cp':
      return copyAcross(call, rest);
    case 'login':
    case 'logout':
      return write(call, literal('~/.docker/config.json'), { detail: 'edit' });
    case 'unshare':
      return [effect(call, 'run', { detail: 'helper' })];
    default:
      return dockerReads.has(verb) || /^(?:ls|list|inspect|show|help)/.test(verb) || group === 'buildx'
        ? inert(call)
        : container(call, 'unknown', [literal(verb)]);
  }
}

const kubeDescription =
  'n/namespace= context= cluster= kubeconfig= user= s/server= token= as= as-group= certificate-authority= client-certificate= client-key= request-timeout= v= l/selector= f/filename= k/kustomize= o/output= field-selector= grace-period= timeout= p/patch= type= replicas= c/container= A/all-namespaces all force dry-run? cascade? now wait? R/recursive R-recursive record overwrite local server-side prune sort-by= template= w/watch tail= since= ignore-daemonsets delete-emptydir-data delete-local-data image= from-literal= from-file= from-env-file= port= target-port= name= labels= restart= rm i/stdin t/tty it overrides= env= limits= requests= to-revision= show-labels raw= help ignore-not-found field-manager= subresource= validate? i/interactive address= accept-hosts= profile=';

const kubectl: Tool = (call) => {
  const given = options(kubeDescription)(call.args);
  const [verb, kind, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  const dry = given.last('dry-run');
  if (given.has('dry-run') && (!dry || !/^none$/.test(beginningOf(dry)))) return inert(call, 'dry-run');
  const files = given
    .all('filename', 'kustomize')
    .flatMap((file) =>
      /^https?:/.test(beginningOf(file))
        ? [effect(call, 'connect', { detail: 'GET', target: hostTarget(hostOf(file)) })]
        : read(call, file),
    );
  const what = kind ?? given.last('filename', 'kustomize');
  const wide =
    given.has('all', 'all-namespaces') ||
    /^(?:ns|namespaces?|all|crd|pv|nodes?)(?:\/|$)/.test(beginningOf(kind ?? literal('')));
  switch (text) {
    case 'delete':
      return [
        ...files,
        effect(call, 'container', {
          detail: 'delete',
          target: nameTarget(
            what
              ? names[0] && textOf(what) !== null && textOf(names[0]) !== null
                ? literal(`${textOf(what)}/${textOf(names[0])}`)
                : what
              : undefined,
          ),
          recursive: wide,
          force: given.has('force', 'now'),
        }),
      ];
    case 'drain':
    case 'cordon':
    case 'taint':
      return [
        effect(call, 'container', {
          detail: 'drain',
          target: nameTarget(kind),
          force: given.has('force', 'delete-emptydir-data'),
        }),
      ];
    case 'uncordon':
      return [effect(call, 'deploy', { detail: 'uncordon', target: nameTarget(kind) })];
    case 'apply':
    case 'create':
    case 'replace':
    case 'patch':
    case 'edit':
    case 'set':
    case 'scale':
    case 'autoscale':
    case 'expose':
    case 'label':
    case 'annotate':
    case 'debug':
      return [
        ...files,
        effect(call, 'deploy', {
          detail: text,
          target: nameTarget(what),
          force: given.has('force'),
          recursive: given.has('prune'),
        }),
      ];
    case 'rollout':
      return /^(?:status|history)$/.test(beginningOf(kind ?? literal('')))
        ? inert(call)
        : [
            effect(call, 'deploy', {
              detail: `rollout ${beginningOf(kind ?? literal(''))}`,
              target: nameTarget(names[0]),
            }),
          ];
    case 'run':
      return [effect(call, 'deploy', { detail: 'run', target: nameTarget(kind) })];
    case 'exec':
    case 'attach':
      return container(call, 'exec', kind ? [kind] : []);
    case 'cp':
      return copyAcross(call, call.args.slice(call.args.indexOf(verb ?? unknownValue) + 1));
    case 'port-forward':
    case 'proxy': {
      const target = nameTarget(given.last('address') ?? kind);
      return [effect(call, 'listen', { detail: 'forward', target })];
    }
    case 'get':
    case 'describe':
      return /^secrets?(?:[./,]|$)|,secrets?(?:,|$)/.test(beginningOf(kind ?? literal(''))) &&
        (text === 'describe' || given.has('output'))
        ? [effect(call, 'secret', { detail: 'credentials', target: nameTarget(names[0] ?? kind) })]
        : inert(call);
    case 'config': {
      const action = beginningOf(kind ?? literal('view'));
      if (action === 'view' && call.args.some((argument) => textOf(argument) === '--raw'))
        return [effect(call, 'secret', { detail: 'credentials' })];
      if (/^(?:view|get-|current-context)/.test(action)) return inert(call);
      return write(call, literal('~/.kube/config'), { detail: 'edit' });
    }
    case 'certificate':
    case 'auth':
      return /^(?:can-i|whoami)$/.test(beginningOf(kind ?? literal('')))
        ? inert(call)
        : [effect(call, 'privilege', { detail: 'cluster', target: nameTarget(kind) })];
    case null:
      return [effect(call, 'container', { detail: 'unknown', target: nameTarget(verb) })];
    default:
      return orInert(call, files);
  }
};

const helm: Tool = (call) => {
  const given = options(
    'n/namespace= kube-context= kubeconfig= f/values= set= set-string= set-file= version= repo= output/o= timeout= i/install force dry-run? atomic wait a/all max= username= password= post-renderer= d/destination= create-namespace purge revision= l/selector=',
  )(call.args);
  const [verb, first, second] = given.operands;
  const text = textOf(verb ?? literal('help'));
  const files = given
    .all('values', 'set-file')
    .flatMap((file) =>
      read(call, after(file, textOf(file)?.includes('=') ? (textOf(file)?.indexOf('=') ?? -1) + 1 : 0)),
    );
  const runs = given.has('post-renderer')
    ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('post-renderer')) })]
    : [];
  if (given.has('dry-run')) return [...inert(call, 'dry-run'), ...runs];
  if (text === null || /^(?:install|upgrade|rollback|test)$/.test(text))
    return [
      ...files,
      ...runs,
      effect(call, 'deploy', {
        detail: text ?? 'unknown',
        target: nameTarget(first),
        force: given.has('force'),
      }),
    ];
  if (/^(?:uninstall|delete|del|un)$/.test(text)) return container(call, 'delete', first ? [first] : []);
  if (text === 'push') return [effect(call, 'deploy', { detail: 'publish', target: nameTarget(second) })];
  if (text === 'get' && /^(?:values|all|manifest)$/.test(beginningOf(first ?? literal(''))))
    return [effect(call, 'secret', { detail: 'credentials', target: nameTarget(second) })];
  if (text === 'plugin' && /^(?:install|update)$/.test(beginningOf(first ?? literal(''))))
    return [effect(call, 'package', { detail: 'install', target: nameTarget(second) })];
  return orInert(call, [...files, ...runs]);
};

/** Tools of machines and clusters that say in one word what they do. */
function machine(looks: RegExp, deletes: RegExp, runs = /^(?:exec|ssh|shell|console)$/): Tool {
  return (call) => {
    const words = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
    const said = words.slice(0, 3).map(beginningOf).join(' ');
    const force = call.args.some((argument) => /^(?:-f|--force|--yes|-y)$/.test(textOf(argument) ?? ''));
    if (words.length === 0 || looks.test(said)) return inert(call);
    if (deletes.test(said)) return container(call, 'delete', words.slice(1, 2), { force });
    if (force && said.startsWith('stop')) return container(call, 'kill', words.slice(1, 2));
    if (runs.test(words[0] ? beginningOf(words[0]) : '')) return container(call, 'exec', words.slice(1, 2));
    return container(call, 'change', words.slice(1, 2), { reversible: true });
  };
}

const lxc: Tool = (call) => {
  const words = call.args.map(beginningOf);
  const said = words.join(' ');
  if (/security\.privileged=true|type=disk|source=\/(?: |$)/.test(said) || /device add .* disk/.test(said))
    return container(call, 'privileged', call.args.slice(1, 2));
  return machine(
    /^(?:list|ls|info|version|image list|config show|network list|profile (?:list|show)|storage list|remote list|monitor)/,
    /^(?:delete|rm|image delete|storage delete|network delete|profile delete|snapshot delete)/,
  )(call);
};

export const containerTools: Tools = {
  docker,
  podman: docker,
  nerdctl: docker,
  finch: docker,
  'docker-compose': (call) => compose(call, call.args),
  'podman-compose': (call) => compose(call, call.args),
  buildah: docker,
  skopeo: (call) => {
    const verb = textOf(call.args[0] ?? literal('help')) ?? 'unknown';
    return /^(?:inspect|list-tags|help)$/.test(verb)
      ? inert(call)
      : verb === 'delete'
        ? container(call, 'image-delete', call.args.slice(1))
        : [effect(call, 'deploy', { detail: 'push-image', target: nameTarget(call.args.at(-1)) })];
  },
  crane: (call) => {
    const verb = textOf(call.args[0] ?? literal('help')) ?? 'unknown';
    return verb === 'delete'
      ? container(call, 'image-delete', call.args.slice(1))
      : /^(?:push|copy|cp|tag|append|mutate|rebase)$/.test(verb)
        ? [effect(call, 'deploy', { detail: 'push-image' })]
        : inert(call);
  },
  ctr: machine(
    /^(?:version|info|(?:containers?|c|images?|i|tasks?|t) (?:ls|list|info))/,
    /^(?:containers?|c|images?|i|tasks?|t|namespaces?) (?:rm|delete|remove|del)/,
    /^run$/,
  ),
  crictl: machine(
    /^(?:ps|images|img|inspect\w*|logs|stats|info|version|pods|imagefsinfo)/,
    /^(?:rm|rmi|rmp|stopp)/,
  ),
  kubectl,
  k: kubectl,
  oc: kubectl,
  k3s: (call) =>
    textOf(call.args[0] ?? literal('')) === 'kubectl'
      ? kubectl({ ...call, args: call.args.slice(1) })
      : machine(
          /^(?:check-config|token|etcd-snapshot ls|--version)/,
          /^(?:secrets-encrypt|etcd-snapshot (?:delete|prune))/,
        )(call),
  microk8s: (call) =>
    textOf(call.args[0] ?? literal('')) === 'kubectl'
      ? kubectl({ ...call, args: call.args.slice(1) })
      : machine(/^(?:status|inspect|config)/, /^(?:reset|uninstall)/)(call),
  kubeadm: machine(/^(?:version|config|token list|certs check)/, /^reset/),
  kustomize: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'edit'
      ? write(call, literal('kustomization.yaml'), { detail: 'edit' })
      : inert(call),
  kubectx: (call) =>
    call.args.some((argument) => /^(?:-d|-u|--unset)$/.test(textOf(argument) ?? ''))
      ? write(call, literal('~/.kube/config'), { detail: 'edit' })
      : inert(call),
  kubens: (call) => inert(call),
  k9s: (call) => inert(call),
  stern: (call) => inert(call),
  helm,
  argocd: (call) => {
    const said = call.args
      .filter((argument) => !beginningOf(argument).startsWith('-'))
      .map(beginningOf)
      .slice(0, 2)
      .join(' ');
    return /\b(?:delete|rm|remove|terminate-op)\b/.test(said)
      ? container(call, 'delete', call.args.slice(2, 3))
      : /\b(?:list|get|diff|history|logs|manifests|version|wait)\b/.test(said)
        ? inert(call)
        : [effect(call, 'deploy', { detail: said })];
  },
  flux: (call) => {
    const verb = beginningOf(call.args[0] ?? literal(''));
    return /^(?:delete|uninstall|suspend)$/.test(verb)
      ? container(call, 'delete', call.args.slice(1, 3))
      : /^(?:get|check|logs|export|tree|events|diff|stats|version)$/.test(verb)
        ? inert(call)
        : [effect(call, 'deploy', { detail: verb })];
  },
  skaffold: (call) =>
    /^(?:run|deploy|dev|apply)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'deploy', { detail: 'apply' })]
      : textOf(call.args[0] ?? unknownValue) === 'delete'
        ? container(call, 'delete')
        : inert(call),
  tilt: (call) => (textOf(call.args[0] ?? unknownValue) === 'down' ? container(call, 'delete') : inert(call)),
  istioctl: (call) =>
    /^(?:uninstall|install|upgrade)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'deploy', { detail: beginningOf(call.args[0] ?? literal('')) })]
      : inert(call),
  velero: (call) => {
    const said = call.args
      .filter((argument) => !beginningOf(argument).startsWith('-'))
      .map(beginningOf)
      .slice(0, 2)
      .join(' ');
    return /\b(?:delete|uninstall)\b/.test(said)
      ? container(call, 'delete', call.args.slice(2, 3))
      : /\b(?:get|describe|logs|version|download)\b/.test(said)
        ? inert(call)
        : [effect(call, 'deploy', { detail: said })];
  },
  minikube: machine(
    /^(?:status|ip|version|logs|profile list|service list|dashboard|update-check)/,
    /^delete/,
    /^(?:ssh|kubectl)$/,
  ),
  kind: machine(/^(?:get|version|export logs)/, /^delete/),
  k3d: machine(
    /^(?:version|(?:cluster|node|registry) list|kubeconfig)/,
    /^(?:cluster|node|registry) (?:delete|rm)/,
  ),
  eksctl: machine(/^(?:get|version|info|utils describe)/, /^(?:delete|drain|unset)/),
  kops: machine(/^(?:get|version|validate|export)/, /^delete/),
  lxc,
  incus: lxc,
  'lxc-destroy': (call) => container(call, 'delete', call.args),
  'lxc-stop': (call) => container(call, 'stop', call.args),
  'lxc-start': (call) => container(call, 'change', call.args),
  'lxc-ls': (call) => inert(call),
  vagrant: machine(
    /^(?:status|global-status|version|box list|ssh-config|port|validate|snapshot list)/,
    /^(?:destroy|box remove|snapshot delete|box prune)/,
  ),
  virsh: machine(
    /^(?:list|dominfo|dumpxml|net-list|pool-list|vol-list|domstate|nodeinfo|version|snapshot-list)/,
    /^(?:destroy|undefine|vol-delete|vol-wipe|pool-delete|pool-destroy|net-destroy|net-undefine|snapshot-delete)/,
  ),
  VBoxManage: machine(
    /^(?:list|showvminfo|showhdinfo|guestproperty enumerate)/,
    /^(?:unregistervm|closemedium|snapshot .* delete|hostonlyif remove)/,
  ),
  vboxmanage: machine(/^(?:list|showvminfo)/, /^(?:unregistervm|closemedium)/),
  multipass: machine(/^(?:list|ls|info|version|find|networks)/, /^(?:delete|purge)/),
  colima: machine(/^(?:status|list|version)/, /^(?:delete|prune)/),
  limactl: machine(/^(?:list|ls|info)/, /^(?:delete|rm|remove|prune|factory-reset)/),
  qm: machine(/^(?:list|config|status|showcmd|pending)/, /^(?:destroy|delsnapshot)/),
  pct: machine(/^(?:list|config|status)/, /^(?:destroy|delsnapshot)/),
  firejail: (call) => inert(call),
  machinectl: machine(/^(?:list|status|show|image-status|show-image)/, /^(?:remove|clean|terminate|kill)/),
};

// What engines make, change, build and exchange: networks, services, images and files of containers.

import type { Effect, Value } from '../../../effects.ts';
import { beginningOf, type Call, effect, inert, literal, read, write } from '../../../tools/tool.ts';
import type { Given } from '../../card.ts';
import { container, copyAcross, deploy } from '../../containers.ts';
import { each, forAll, same } from '../../examples.ts';
import { copyOptions, type Part, removeOptions } from './part.ts';
import { options } from './readings.ts';

const { readings } = options;

const createOptions =
  'd/driver= o/opt= l/label= dry-run detach-keys= author= change= message= blkio-weight-device= cpu-rt-period= cpu-rt-runtime= cpuset-mems= device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns-option= dns-search= health-start-period= ip6= link-local-ip= memory-reservation= memory-swappiness= platform= signal= blkio-weight= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= kernel-memory= memory= memory-swap= pids-limit= restart= template-driver= default-stack-orchestrator= description= docker= from= kubernetes= location= resource-group= subscription-id= access-keys= profile= alias= driver-opt= ip= aux-address= config-from= gateway= ip-range= ipam-driver= ipam-opt= scope= subnet= availability= label-add= label-rm= role= builder= buildkitd-flags= config= node= args= cap-add= cap-drop= config-add= config-rm= constraint-add= constraint-rm= container-label-add= container-label-rm= credential-spec= dns-add= dns-option-add= dns-option-rm= dns-rm= dns-search-add= dns-search-rm= endpoint-mode= entrypoint= env-add= env-rm= generic-resource-add= generic-resource-rm= group-add= group-rm= health-cmd= health-interval= health-retries= health-timeout= host-add= host-rm= hostname= image= isolation= limit-cpu= limit-memory= limit-pids= log-driver= log-opt= max-concurrent= mount-add= mount-rm= network-add= network-rm= placement-pref-add= placement-pref-rm= publish-add= publish-rm= replicas= replicas-max-per-node= reserve-cpu= reserve-memory= restart-condition= restart-delay= restart-max-attempts= restart-window= rollback-delay= rollback-failure-action= rollback-max-failure-ratio= rollback-monitor= rollback-order= rollback-parallelism= secret-add= secret-rm= stop-grace-period= stop-signal= sysctl-add= sysctl-rm= ulimit-add= ulimit-rm= update-delay= update-failure-action= update-max-failure-ratio= update-monitor= update-order= update-parallelism= user= workdir= compose-file= orchestrator= resolve-image= advertise-addr= cert-expiry= data-path-addr= data-path-port= default-addr-pool= default-addr-pool-mask-length= dispatcher-heartbeat= external-ca= listen-addr= max-snapshots= snapshot-interval= task-history-limit= token= index= env=';
const serviceOptions =
  'u/user= w/workdir= c/compose-file= dry-run detach-keys= author= change= message= blkio-weight-device= cpu-rt-period= cpu-rt-runtime= cpuset-mems= device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns-option= dns-search= health-start-period= ip6= link-local-ip= memory-reservation= memory-swappiness= platform= signal= blkio-weight= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= kernel-memory= memory= memory-swap= pids-limit= restart= template-driver= default-stack-orchestrator= description= docker= from= kubernetes= location= resource-group= subscription-id= access-keys= profile= alias= driver-opt= ip= aux-address= config-from= driver= gateway= ip-range= ipam-driver= ipam-opt= label= opt= scope= subnet= availability= label-add= label-rm= role= builder= buildkitd-flags= config= node= args= cap-add= cap-drop= config-add= config-rm= constraint-add= constraint-rm= container-label-add= container-label-rm= credential-spec= dns-add= dns-option-add= dns-option-rm= dns-rm= dns-search-add= dns-search-rm= endpoint-mode= entrypoint= env-add= env-rm= generic-resource-add= generic-resource-rm= group-add= group-rm= health-cmd= health-interval= health-retries= health-timeout= host-add= host-rm= hostname= image= isolation= limit-cpu= limit-memory= limit-pids= log-driver= log-opt= max-concurrent= mount-add= mount-rm= network-add= network-rm= placement-pref-add= placement-pref-rm= publish-add= publish-rm= replicas= replicas-max-per-node= reserve-cpu= reserve-memory= restart-condition= restart-delay= restart-max-attempts= restart-window= rollback-delay= rollback-failure-action= rollback-max-failure-ratio= rollback-monitor= rollback-order= rollback-parallelism= secret-add= secret-rm= stop-grace-period= stop-signal= sysctl-add= sysctl-rm= ulimit-add= ulimit-rm= update-delay= update-failure-action= update-max-failure-ratio= update-monitor= update-order= update-parallelism= orchestrator= resolve-image= advertise-addr= cert-expiry= data-path-addr= data-path-port= default-addr-pool= default-addr-pool-mask-length= dispatcher-heartbeat= external-ca= listen-addr= max-snapshots= snapshot-interval= task-history-limit= token= index= env=';

const changing = { reversible: true };

/** The files of secrets that a build reads. */
function secretFiles(call: Call, given: Given<Value>): readonly Effect[] {
  return given
    .all('secret')
    .map((secret) => /(?:src|source)=([^,]*)/.exec(beginningOf(secret))?.[1])
    .flatMap((path) => (path === undefined ? [] : read(call, literal(path))));
}

export const images: Part = {
  verbs: {
    'volume create | network create | context create | secret create | config create': createOptions,
    'start | restart | unpause | up | rename | connect | disconnect | tag | init | join | scale | rollback | promote | use | container start | container restart | container unpause | container rename | image tag | network connect | network disconnect | context use | buildx use | swarm init | swarm join | node promote | pod start | pod restart | pod unpause | machine start | machine init | plugin enable | system connection':
      removeOptions,
    'update | container update | swarm update | swarm unlock | node update | context update | network update | image update | machine set | plugin upgrade | plugin set':
      'c/cpu-shares= m/memory= dry-run detach-keys= author= change= message= blkio-weight-device= cpu-rt-period= cpu-rt-runtime= cpuset-mems= device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns-option= dns-search= health-start-period= ip6= link-local-ip= memory-reservation= memory-swappiness= platform= signal= blkio-weight= cpu-period= cpu-quota= cpus= cpuset-cpus= kernel-memory= memory-swap= pids-limit= restart= template-driver= default-stack-orchestrator= description= docker= from= kubernetes= location= resource-group= subscription-id= access-keys= profile= alias= driver-opt= ip= aux-address= config-from= driver= gateway= ip-range= ipam-driver= ipam-opt= label= opt= scope= subnet= availability= label-add= label-rm= role= builder= buildkitd-flags= config= node= args= cap-add= cap-drop= config-add= config-rm= constraint-add= constraint-rm= container-label-add= container-label-rm= credential-spec= dns-add= dns-option-add= dns-option-rm= dns-rm= dns-search-add= dns-search-rm= endpoint-mode= entrypoint= env-add= env-rm= generic-resource-add= generic-resource-rm= group-add= group-rm= health-cmd= health-interval= health-retries= health-timeout= host-add= host-rm= hostname= image= isolation= limit-cpu= limit-memory= limit-pids= log-driver= log-opt= max-concurrent= mount-add= mount-rm= network-add= network-rm= placement-pref-add= placement-pref-rm= publish-add= publish-rm= replicas= replicas-max-per-node= reserve-cpu= reserve-memory= restart-condition= restart-delay= restart-max-attempts= restart-window= rollback-delay= rollback-failure-action= rollback-max-failure-ratio= rollback-monitor= rollback-order= rollback-parallelism= secret-add= secret-rm= stop-grace-period= stop-signal= sysctl-add= sysctl-rm= ulimit-add= ulimit-rm= update-delay= update-failure-action= update-max-failure-ratio= update-monitor= update-order= update-parallelism= user= workdir= compose-file= orchestrator= resolve-image= advertise-addr= cert-expiry= data-path-addr= data-path-port= default-addr-pool= default-addr-pool-mask-length= dispatcher-heartbeat= external-ca= listen-addr= max-snapshots= snapshot-interval= task-history-limit= token= index= env=',
    'commit | container commit':
      'a/author= c/change= m/message= dry-run detach-keys= blkio-weight-device= cpu-rt-period= cpu-rt-runtime= cpuset-mems= device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns-option= dns-search= health-start-period= ip6= link-local-ip= memory-reservation= memory-swappiness= platform= signal= blkio-weight= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= kernel-memory= memory= memory-swap= pids-limit= restart= template-driver= default-stack-orchestrator= description= docker= from= kubernetes= location= resource-group= subscription-id= access-keys= profile= alias= driver-opt= ip= aux-address= config-from= driver= gateway= ip-range= ipam-driver= ipam-opt= label= opt= scope= subnet= availability= label-add= label-rm= role= builder= buildkitd-flags= config= node= args= cap-add= cap-drop= config-add= config-rm= constraint-add= constraint-rm= container-label-add= container-label-rm= credential-spec= dns-add= dns-option-add= dns-option-rm= dns-rm= dns-search-add= dns-search-rm= endpoint-mode= entrypoint= env-add= env-rm= generic-resource-add= generic-resource-rm= group-add= group-rm= health-cmd= health-interval= health-retries= health-timeout= host-add= host-rm= hostname= image= isolation= limit-cpu= limit-memory= limit-pids= log-driver= log-opt= max-concurrent= mount-add= mount-rm= network-add= network-rm= placement-pref-add= placement-pref-rm= publish-add= publish-rm= replicas= replicas-max-per-node= reserve-cpu= reserve-memory= restart-condition= restart-delay= restart-max-attempts= restart-window= rollback-delay= rollback-failure-action= rollback-max-failure-ratio= rollback-monitor= rollback-order= rollback-parallelism= secret-add= secret-rm= stop-grace-period= stop-signal= sysctl-add= sysctl-rm= ulimit-add= ulimit-rm= update-delay= update-failure-action= update-max-failure-ratio= update-monitor= update-order= update-parallelism= user= workdir= compose-file= orchestrator= resolve-image= advertise-addr= cert-expiry= data-path-addr= data-path-port= default-addr-pool= default-addr-pool-mask-length= dispatcher-heartbeat= external-ca= listen-addr= max-snapshots= snapshot-interval= task-history-limit= token= index= env=',
    'deploy | stack deploy | stack up | service update | service scale | service rollback': serviceOptions,
    'build | bake | image build | builder build | buildx build | buildx bake':
      'f/file= t/tag= build-arg= target= o/output= secret= ssh= platform= cache-from= cache-to= label= network= iidfile= progress= builder= push load no-cache pull q metadata-file= allow= set= add-host= build-context= squash rm dry-run',
    'push | image push | plugin push | manifest push | artifact push': removeOptions,
    'pull | load | import | image pull | image load | image import | context import | volume import | artifact pull':
      'i/input= c/change= m/message= dry-run detach-keys= author= blkio-weight-device= cpu-rt-period= cpu-rt-runtime= cpuset-mems= device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns-option= dns-search= health-start-period= ip6= link-local-ip= memory-reservation= memory-swappiness= platform= signal= blkio-weight= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= kernel-memory= memory= memory-swap= pids-limit= restart= template-driver= default-stack-orchestrator= description= docker= from= kubernetes= location= resource-group= subscription-id= access-keys= profile= alias= driver-opt= ip= aux-address= config-from= driver= gateway= ip-range= ipam-driver= ipam-opt= label= opt= scope= subnet= availability= label-add= label-rm= role= builder= buildkitd-flags= config= node= args= cap-add= cap-drop= config-add= config-rm= constraint-add= constraint-rm= container-label-add= container-label-rm= credential-spec= dns-add= dns-option-add= dns-option-rm= dns-rm= dns-search-add= dns-search-rm= endpoint-mode= entrypoint= env-add= env-rm= generic-resource-add= generic-resource-rm= group-add= group-rm= health-cmd= health-interval= health-retries= health-timeout= host-add= host-rm= hostname= image= isolation= limit-cpu= limit-memory= limit-pids= log-driver= log-opt= max-concurrent= mount-add= mount-rm= network-add= network-rm= placement-pref-add= placement-pref-rm= publish-add= publish-rm= replicas= replicas-max-per-node= reserve-cpu= reserve-memory= restart-condition= restart-delay= restart-max-attempts= restart-window= rollback-delay= rollback-failure-action= rollback-max-failure-ratio= rollback-monitor= rollback-order= rollback-parallelism= secret-add= secret-rm= stop-grace-period= stop-signal= sysctl-add= sysctl-rm= ulimit-add= ulimit-rm= update-delay= update-failure-action= update-max-failure-ratio= update-monitor= update-order= update-parallelism= user= workdir= compose-file= orchestrator= resolve-image= advertise-addr= cert-expiry= data-path-addr= data-path-port= default-addr-pool= default-addr-pool-mask-length= dispatcher-heartbeat= external-ca= listen-addr= max-snapshots= snapshot-interval= task-history-limit= token= index= env=',
    'save | export | image save | container export | context export | volume export':
      'o/output= platform= dry-run',
    'cp | container cp': copyOptions,
    'login | logout': '',
    unshare: '',
  },
  verbReadings: {
    ...forAll(['start', 'push'], readings.remove),
    ...forAll(['volume create'], readings.create),
    ...forAll(['update'], readings.update),
    ...forAll(['commit'], readings.commit),
    ...forAll(['deploy'], readings.service),
    ...forAll(['build'], readings.build),
    ...forAll(['pull'], readings.load),
    ...forAll(['save'], readings.save),
    ...forAll(['cp'], readings.copy),
  },
  facts: [
    {
      what: 'makes and changes what can be changed back',
      verbs: ['volume create', 'start', 'update', 'commit'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const detail = given.verb === 'volume create' ? 'create' : 'change';
        return container(call, detail, given.operands, changing);
      },
      examples: {
        hit: {
          ...same(
            'container a (create) reversible',
            ...each('docker % create a', 'volume network context secret config'),
          ),
          'docker network create -d bridge a': 'container a (create) reversible',
          ...same(
            'container a (change) reversible',
            ...each(
              'docker % a',
              'start restart unpause up rename connect disconnect tag init join scale rollback',
            ),
            ...each('docker % a', 'promote use update commit'),
            ...each('docker container % a', 'start restart unpause rename update commit'),
            ...each('docker pod % a', 'start restart unpause'),
            ...each('docker machine % a', 'start init set'),
            ...each('docker swarm % a', 'init join update unlock'),
            ...each('docker network % a', 'connect disconnect update'),
            ...each('docker plugin % a', 'enable upgrade set'),
            ...each('docker context % a', 'use update'),
            ...each('docker image % a', 'tag update'),
            ...each('docker node % a', 'promote update'),
            ...[
              'docker buildx use a',
              'docker system connection a',
              'docker update -m 1g -c 2 a',
              'docker commit -m x -a y a',
            ],
          ),
          'docker update --dry-run a': 'inert (dry-run)',
        },
        miss: ['docker volume ls', 'docker service update a'],
      },
    },
    {
      what: 'changes services, images and accounts that others use',
      verbs: ['deploy', 'push'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        return [deploy(call, given.verb === 'push' ? 'push-image' : 'service', given.operands[0])];
      },
      examples: {
        hit: {
          ...same(
            'deploy a (service)',
            'docker deploy a',
            'docker stack deploy -c x a',
            'docker stack up a',
            ...each('docker service % a', 'update scale rollback'),
          ),
          ...same(
            'deploy a (push-image)',
            'docker push a',
            ...each('docker % push a', 'image plugin manifest artifact'),
          ),
          'docker push': 'deploy (push-image)',
          'docker push --dry-run a': 'inert (dry-run)',
        },
        miss: ['docker pull a', 'docker service ls'],
      },
    },
    {
      what: 'builds images',
      verbs: ['build'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const pushes =
          given.has('push') ||
          given.all('output').some((output) => /type=registry|push=true/.test(beginningOf(output)));
        return [
          ...secretFiles(call, given),
          ...(pushes ? [deploy(call, 'push-image', given.last('tag'))] : []),
          ...container(call, 'build', given.all('tag').slice(0, 1), changing),
        ];
      },
      examples: {
        hit: {
          ...same(
            'container a (build) reversible',
            ...each('docker % -t a .', 'build bake'),
            ...each('docker % build -t a .', 'image builder buildx'),
            'docker buildx bake --tag a',
          ),
          'docker build .': 'container (build) reversible',
          ...same(
            'deploy a (push-image); container a (build) reversible',
            'docker build --push -t a .',
            'docker build -o type=registry -t a .',
            'docker build --output type=image,push=true -t a .',
          ),
          'docker build --secret id=a,src=.env --secret id=b,source=c --secret id=d .':
            'read .env; secret .env (environment); read c; container (build) reversible',
          'docker build --dry-run .': 'inert (dry-run)',
        },
        miss: ['docker images', 'docker buildx ls'],
      },
    },
    {
      what: 'fetches images',
      verbs: ['pull'],
      effects: (call, given) =>
        given.has('dry-run') ? inert(call, 'dry-run') : container(call, 'pull', given.operands, changing),
      examples: {
        hit: {
          ...same('container a (pull) reversible', ...each('docker % a', 'pull load import')),
          ...same('container a (pull) reversible', ...each('docker image % a', 'pull load import')),
          ...same(
            'container a (pull) reversible',
            ...each('docker % import a', 'context volume'),
            'docker artifact pull a',
          ),
          'docker load -i a.tar': 'container (pull) reversible',
          'podman import -c CMD=/bin/sh -m x a': 'container a (pull) reversible',
          'docker pull --dry-run a': 'inert (dry-run)',
        },
        miss: ['docker images'],
      },
    },
    {
      what: 'writes images and containers into files',
      verbs: ['save'],
      effects: (call, given) =>
        given.has('dry-run')
          ? inert(call, 'dry-run')
          : given.all('output').flatMap((path) => write(call, path, { detail: 'pack' })),
      examples: {
        hit: {
          ...same(
            'write b (pack)',
            ...each('docker % -o b a', 'save export'),
            'docker image save --output b a',
            ...each('docker % export -o b a', 'container context volume'),
          ),
          'docker save --dry-run -o b a': 'inert (dry-run)',
        },
        miss: ['docker save a'],
      },
    },
    {
      what: 'copies files from and to containers',
      verbs: ['cp'],
      effects: (call, given) => (given.has('dry-run') ? inert(call, 'dry-run') : copyAcross(call, given)),
      examples: {
        hit: {
          ...same('read a recursive; container (copy)', 'docker cp a web:/b', 'docker container cp a web:/b'),
          'docker cp web:/a ./b': 'write ./b (copy) recursive; container (copy)',
          'docker cp ns/web:/a /b': 'write /b (copy) recursive; container (copy)',
          'docker cp ./a:b /c': 'read ./a:b recursive; write /c (copy) recursive; container (copy)',
          'docker cp': 'container (copy)',
          'docker cp --dry-run a b': 'inert (dry-run)',
        },
        miss: ['docker ps'],
      },
    },
    {
      what: 'stores accounts, and runs in a namespace of its own',
      verbs: ['login', 'unshare'],
      effects: (call, given) =>
        given.verb === 'unshare'
          ? [effect(call, 'run', { detail: 'helper' })]
          : write(call, literal('~/.docker/config.json'), { detail: 'edit' }),
      examples: {
        hit: {
          ...same('write ~/.docker/config.json (edit)', 'docker login', 'docker logout h.example'),
          'podman unshare ls': 'run (helper)',
        },
        miss: ['docker info'],
      },
    },
  ],
};

// What engines of containers remove and stop.

import type { Value } from '../../../effects.ts';
import { inert, literal } from '../../../tools/tool.ts';
import type { Given } from '../../card.ts';
import { container } from '../../containers.ts';
import { each, forAll, same } from '../../examples.ts';
import { groups, type Part, removeOptions } from './part.ts';
import { options } from './readings.ts';

const { readings } = options;

const killOptions =
  'a/all s/signal= dry-run detach-keys= author= change= message= blkio-weight-device= cpu-rt-period= cpu-rt-runtime= cpuset-mems= device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns-option= dns-search= health-start-period= ip6= link-local-ip= memory-reservation= memory-swappiness= platform= blkio-weight= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= kernel-memory= memory= memory-swap= pids-limit= restart= template-driver= default-stack-orchestrator= description= docker= from= kubernetes= location= resource-group= subscription-id= access-keys= profile= alias= driver-opt= ip= aux-address= config-from= driver= gateway= ip-range= ipam-driver= ipam-opt= label= opt= scope= subnet= availability= label-add= label-rm= role= builder= buildkitd-flags= config= node= args= cap-add= cap-drop= config-add= config-rm= constraint-add= constraint-rm= container-label-add= container-label-rm= credential-spec= dns-add= dns-option-add= dns-option-rm= dns-rm= dns-search-add= dns-search-rm= endpoint-mode= entrypoint= env-add= env-rm= generic-resource-add= generic-resource-rm= group-add= group-rm= health-cmd= health-interval= health-retries= health-timeout= host-add= host-rm= hostname= image= isolation= limit-cpu= limit-memory= limit-pids= log-driver= log-opt= max-concurrent= mount-add= mount-rm= network-add= network-rm= placement-pref-add= placement-pref-rm= publish-add= publish-rm= replicas= replicas-max-per-node= reserve-cpu= reserve-memory= restart-condition= restart-delay= restart-max-attempts= restart-window= rollback-delay= rollback-failure-action= rollback-max-failure-ratio= rollback-monitor= rollback-order= rollback-parallelism= secret-add= secret-rm= stop-grace-period= stop-signal= sysctl-add= sysctl-rm= ulimit-add= ulimit-rm= update-delay= update-failure-action= update-max-failure-ratio= update-monitor= update-order= update-parallelism= user= workdir= compose-file= orchestrator= resolve-image= advertise-addr= cert-expiry= data-path-addr= data-path-port= default-addr-pool= default-addr-pool-mask-length= dispatcher-heartbeat= external-ca= listen-addr= max-snapshots= snapshot-interval= task-history-limit= token= index= env=';

/** How containers are stopped: one by its name, all that a list gives, or at once. */
function stopping({ verb, operands }: Given<Value>): string {
  if (verb === 'kill') return 'kill';
  return operands.some(({ kind }) => kind === 'unknown' || kind === 'prefix') ? 'stop-all' : 'stop';
}

const removing: Readonly<Record<string, string>> = {
  rm: 'delete',
  rmi: 'image-delete',
  'volume rm': 'volume-delete',
  'network rm': 'network-delete',
};

export const removal: Part = {
  verbs: {
    'rm | remove | delete | untag | container rm | container remove | pod rm | secret rm | secret remove | config rm | config remove | context rm | context remove | plugin rm | plugin remove | node rm | node remove | service rm | service remove | stack rm | stack remove | stack down | manifest rm | machine rm | buildx rm | checkpoint rm | artifact rm | farm remove':
      removeOptions,
    'rmi | image rm | image remove | image delete | image untag': removeOptions,
    'volume rm | volume remove | volume delete': removeOptions,
    'network rm | network remove | network delete': removeOptions,
    ...Object.fromEntries(['prune', ...each('% prune', groups)].map((verb) => [verb, removeOptions])),
    'system reset': removeOptions,
    'machine reset': removeOptions,
    'swarm leave': removeOptions,
    'swarm ca': removeOptions,
    'node demote': removeOptions,
    'plugin disable': removeOptions,
    'stop | container stop | pod stop | machine stop': removeOptions,
    'kill | container kill | pod kill': killOptions,
    'pause | container pause | pod pause': removeOptions,
  },
  verbReadings: {
    ...forAll(
      [
        'rm',
        'rmi',
        'volume rm',
        'network rm',
        'system reset',
        'machine reset',
        'swarm leave',
        'swarm ca',
        'node demote',
        'plugin disable',
        'stop',
        'pause',
        'prune',
        ...each('% prune', groups),
      ],
      readings.remove,
    ),
    ...forAll(['kill'], readings.kill),
  },
  facts: [
    {
      what: 'removes containers, images, volumes, networks and the rest',
      verbs: ['rm', 'rmi', 'volume rm', 'network rm'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        return container(call, removing[given.verb ?? ''] ?? '', given.operands, {
          force: given.has('force'),
        });
      },
      examples: {
        hit: {
          ...same(
            'container a (delete)',
            ...each('docker % a', 'rm remove delete untag'),
            ...each('docker container % a', 'rm remove'),
            ...each(
              'docker % rm a',
              'pod secret config context plugin node service stack manifest machine buildx',
            ),
            ...each('docker % rm a', 'checkpoint artifact'),
            ...each('docker % remove a', 'secret config context plugin node service stack farm'),
            'docker stack down a',
          ),
          ...same(
            'container a (delete) force',
            'docker rm -fv a',
            'docker rm --force a',
            'podman rm -t 5 -f a',
          ),
          'docker rm a $B': 'container a (delete); container … (delete)',
          'docker rm': 'container (delete)',
          ...same(
            'container a (image-delete)',
            'docker rmi a',
            ...each('docker image % a', 'rm remove delete untag'),
          ),
          ...same('container a (volume-delete)', ...each('docker volume % a', 'rm remove delete')),
          ...same('container a (network-delete)', ...each('docker network % a', 'rm remove delete')),
          'docker stack rm --dry-run a': 'inert (dry-run)',
        },
        miss: ['docker ps', 'docker volume ls', 'docker run --rm a'],
      },
    },
    {
      what: 'removes everything that is not used',
      verbs: ['prune', ...each('% prune', groups)],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const [group = ''] = (given.verb ?? '').split(' ');
        return container(call, 'prune', [literal(group === 'prune' ? 'containers' : group)], {
          force: given.has('force'),
          recursive: given.has('all', 'volumes'),
        });
      },
      examples: {
        hit: {
          'docker prune': 'container containers (prune)',
          ...Object.fromEntries(
            each('%', groups).map((group) => [`docker ${group} prune`, `container ${group} (prune)`]),
          ),
          'docker system prune -af': 'container system (prune) recursive force',
          'docker system prune --all': 'container system (prune) recursive',
          'docker volume prune --force --filter a=b': 'container volume (prune) force',
          'docker system prune --volumes': 'container system (prune) recursive',
          'docker system prune --dry-run': 'inert (dry-run)',
        },
        miss: ['docker system df', 'docker buildx du'],
      },
    },
    {
      what: 'gives up a swarm, a machine or all that there is',
      verbs: ['system reset', 'machine reset', 'swarm leave', 'swarm ca', 'node demote', 'plugin disable'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        return container(call, 'delete', [literal(given.verb ?? '')], { force: given.has('force') });
      },
      examples: {
        hit: {
          'podman system reset': "container 'system reset' (delete)",
          'podman system reset -f': "container 'system reset' (delete) force",
          'podman machine reset': "container 'machine reset' (delete)",
          'docker swarm leave --force': "container 'swarm leave' (delete) force",
          'docker swarm ca': "container 'swarm ca' (delete)",
          'docker node demote a': "container 'node demote' (delete)",
          'docker plugin disable a': "container 'plugin disable' (delete)",
          'docker swarm leave --dry-run': 'inert (dry-run)',
        },
        miss: ['docker swarm init', 'docker node ls'],
      },
    },
    {
      what: 'stops containers',
      verbs: ['stop', 'kill', 'pause'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        return container(call, stopping(given), given.operands, {
          reversible: true,
          force: given.verb === 'kill',
        });
      },
      examples: {
        hit: {
          ...same('container a (stop) reversible', ...each('docker % a', 'stop pause'), 'docker stop -t 5 a'),
          ...same('container a (stop) reversible', ...each('docker container % a', 'stop pause')),
          ...same(
            'container a (stop) reversible',
            ...each('docker pod % a', 'stop pause'),
            'docker machine stop a',
          ),
          ...same(
            'container a (kill) force reversible',
            'docker kill -s INT a',
            'docker container kill a',
            'docker pod kill a',
          ),
          'docker stop $ALL': 'container … (stop-all) reversible',
          'docker stop a$ALL': 'container a… (stop-all) reversible',
          'docker stop --dry-run a': 'inert (dry-run)',
        },
        miss: ['docker ps'],
      },
    },
  ],
};

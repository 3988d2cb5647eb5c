import { inert } from '../../../tools/tool.ts';
import { container, deploy, inContainer, reach } from '../../containers.ts';
import { each, forAll, same } from '../../examples.ts';
import { type Part, removeOptions, runOptions } from './part.ts';
import { options } from './readings.ts';

const { readings } = options;

export const running: Part = {
  verbs: {
    'run | container run': runOptions,
    'create | container create | pod create | buildx create | manifest create | checkpoint create | plugin create':
      runOptions,
    'service create': runOptions,
    'exec | container exec': runOptions,
    'attach | container attach': removeOptions,
  },
  verbReadings: {
    ...forAll(['attach'], readings.remove),
    ...forAll(['run', 'create', 'service create', 'exec'], readings.run),
  },
  facts: [
    {
      what: 'runs a program in a container, with what that is given of the host',
      verbs: ['run', 'create', 'exec', 'service create'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const names =
          given.verb === 'service create'
            ? [deploy(call, 'service')]
            : container(call, given.verb ?? '', given.operands.slice(0, 1));
        return [...names, ...reach(call, given)];
      },
      starts: (_, given) => (given.verb === 'service create' ? [] : inContainer(given, runOptions)),
      examples: {
        hit: {
          ...same(
            'container a (run); program: ls -l',
            'docker run --rm -it a ls -l',
            'docker container run a ls -l',
          ),
          'docker run': 'container (run)',
          ...same(
            'container a (create)',
            ...each('docker % a', 'create'),
            'docker container create a',
            'docker pod create a',
          ),
          ...same('container a (create)', ...each('docker % create a', 'buildx manifest checkpoint plugin')),
          ...same(
            'container a (exec); program: ls',
            'docker exec -u root a ls',
            'docker container exec a ls',
          ),
          'docker exec a -u b ls': 'container a (exec); program: ls',
          'docker run a -- ls -l': 'container a (run); program: ls -l',
          'docker run a -- -x ls': 'container a (run); program: -x ls',
          'docker exec a b -- ls': 'container a (exec); program: ls',
          'docker run --mount type=bind,source=./a,target=/b c':
            'container c (run); write ./a (mount) recursive',
          'docker run -v ./a:/b:ro,z c': 'container c (run); read ./a recursive',
          'docker run --entrypoint sh a -c ls': 'container a (run); program: sh -c ls',
          'docker run -v /a/:/b/ -v /c:/b/d -v x:/e a cat /b/f /b/d/g /e':
            'container a (run); write /a/ (mount) recursive; write /c (mount) recursive; program: cat /a//f /c/g /e',
          'docker run --mount type=bind,source=/a,target=/b c rm -rf /b':
            'container c (run); write /a (mount) recursive; program: rm -rf /a',
          ...same(
            'container c (run); write /a (mount) recursive; program: ls /a',
            'docker run --mount type=bind,src=/a,dst=/b c ls /b',
            'docker run --mount src=/a,destination=/b c ls /b',
          ),
          'docker run -v ./a:/b:ro c': 'container c (run); read ./a recursive',
          'docker run --mount source=/a,target=/b,readonly c': 'container c (run); read /a recursive',
          ...same(
            'container a (run)',
            ...[
              'docker run -v b:/c a',
              'docker run -v /b a',
              'docker run --mount type=volume,source=b,target=/c a',
            ],
            ...[
              'docker run --privileged=false a',
              'docker run --cap-add NET_RAW a',
              'docker run --pid container:b a',
            ],
            'docker run --security-opt no-new-privileges a',
          ),
          'docker run --env-file b a': 'container a (run); read b',
          'docker run --privileged a': 'container a (run); container privileged (privileged)',
          'docker exec --privileged a': 'container a (exec); container privileged (privileged)',
          'docker run --cap-add $CAP a': "container a (run); container 'cap-add ' (privileged)",
          ...Object.fromEntries(
            each(
              '%',
              'ALL SYS_ADMIN CAP_SYS_ADMIN SYS_PTRACE SYS_MODULE DAC_READ_SEARCH DAC_OVERRIDE NET_ADMIN SYS_RAWIO bpf',
            ).map((name) => [
              `docker run --cap-add=${name} a`,
              `container a (run); container 'cap-add ${name}' (privileged)`,
            ]),
          ),
          ...Object.fromEntries(
            each('%', 'pid ipc uts userns cgroupns').map((name) => [
              `docker run --${name}=host a`,
              `container a (run); container '${name} host' (privileged)`,
            ]),
          ),
          ...Object.fromEntries(
            each(
              '%',
              'seccomp=unconfined no-new-privileges:false no-new-privileges=false label:disable label=disable',
            ).map((name) => [
              `docker run --security-opt ${name} a`,
              `container a (run); container ${name} (privileged)`,
            ]),
          ),
          'docker run --device /dev/kvm a': "container a (run); container 'device /dev/kvm' (privileged)",
          ...Object.fromEntries(
            each(
              '%',
              '/ /. /etc /root /home /proc /sys /boot /var /usr/ /lib /bin /sbin /Users /run/docker.sock /a/containerd.sock /a/podman.sock /a/crio.sock /var/lib/docker/a /var/run/kubelet',
            ).map((path) => [
              `docker run -v ${path}:/x:ro a`,
              `container a (run); container 'mount ${path}' (privileged); read ${path} recursive`,
            ]),
          ),
          'docker run -v /dev:/x a':
            "container a (run); container 'mount /dev' (privileged); write /dev (mount) recursive",
          'docker service create --mount type=bind,source=/a,target=/b c d':
            'deploy (service); write /a (mount) recursive',
          'docker run --dry-run a': 'inert (dry-run)',
        },
        miss: ['docker ps', 'docker images', 'docker volume create a'],
      },
    },
    {
      what: 'attaches to a container',
      verbs: ['attach'],
      effects: (call, given) => container(call, 'exec', given.operands.slice(0, 1)),
      examples: {
        hit: same('container a (exec)', 'docker attach a', 'docker container attach a'),
        miss: ['docker logs a'],
      },
    },
  ],
};

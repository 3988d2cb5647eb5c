// Virtual machines and system containers.

import { knownText, singleText } from '../../bash/values.ts';
import { type Card, commandBehind, shellBehind, shellOptions } from '../card.ts';
import { force, forced, machine } from '../machine.ts';
import { table } from '../tables.ts';

const lxc = table({
  names: 'lxc incus',
  options: force,
  readings: forced,
  verbs: { exec: 'env= cwd= user= group= mode= t/force-interactive T/force-noninteractive n/disable-stdin' },
  verbReadings: {
    exec: {
      valued: 'env cwd user group mode',
      flags: 't force-interactive T force-noninteractive n disable-stdin',
    },
  },
  does: [
    [
      'container <2> (privileged)',
      '… security.privileged=true | … type=disk | … source=/ | … device add … disk',
    ],
    [
      '',
      'list | ls | info | version | image list | config show | network list | profile list | profile show | storage list | remote list | monitor',
    ],
    [
      'container <next> (delete) force?',
      'delete | rm | image delete | storage delete | network delete | profile delete | snapshot delete',
    ],
    ['container <next> (kill)', 'stop --force'],
    ['container <next> (exec)', 'exec | shell | console'],
  ],
  rest: 'container <next> (change) reversible',
  examples: {
    'lxc config set a security.privileged=true': 'container set (privileged)',
    'lxc config device add a d disk path=/': 'container device (privileged)',
    'lxc config device override a d <type=disk source=/>': 'container device (privileged)',
    'lxc <list | ls | info | version | image list | config show | network list | profile list | profile show | storage list | remote list | monitor>':
      '',
    'lxc delete a': 'container a (delete)',
    'lxc <rm | image delete | storage delete | network delete | profile delete | snapshot delete> a':
      'container a (delete)',
    'incus delete <-f --force -y --yes> a': 'container a (delete) force',
    'lxc stop a': 'container a (change) reversible',
    'lxc stop a --force': 'container a (kill)',
    'lxc exec a': 'container a (exec)',
    'lxc <shell console> a': 'container a (exec)',
    'lxc <launch start> a': 'container a (change) reversible',
    'lxc $X': 'container (change) reversible',
    lxc: '',
  },
  facts: [
    {
      what: 'starts a program in a container',
      verbs: ['exec'],
      starts: commandBehind(2),
      examples: {
        hit: {
          'lxc exec a -- rm -rf /': 'program: rm -rf /',
          'incus exec --env B=c a rm x': 'program: rm x',
        },
        miss: ['lxc exec a', 'lxc delete a b'],
      },
    },
  ],
});

const machinectl = machine({
  names: 'machinectl',
  verbs: { shell: 'uid= setenv= E= M/machine= q/quiet' },
  verbReadings: { shell: { valued: 'uid setenv E M machine', flags: 'q quiet' } },
  looks: 'list | status | show | image-status | show-image',
  deletes: 'remove | clean | terminate | kill',
  examples: {
    'machinectl <list status show image-status show-image> a': '',
    'machinectl <remove clean terminate kill> a': 'container a (delete)',
    'machinectl shell a': 'container a (exec)',
    'machinectl start a': 'container a (change) reversible',
  },
  facts: [
    {
      what: 'starts a program in a machine',
      verbs: ['shell'],
      starts: commandBehind(2),
      examples: {
        hit: {
          'machinectl shell root@a /bin/rm -rf /': 'program: /bin/rm -rf /',
          'machinectl shell --uid me -E A=b -q a id': 'program: id',
        },
        miss: ['machinectl shell a', 'machinectl start a b'],
      },
    },
  ],
});

const multipass = machine({
  names: 'multipass',
  options: `${force} format= timeout= cpus= disk= mem= name= cloud-init= network= gid-map= uid-map= time=`,
  readings: {
    ...forced,
    valued: 'format timeout cpus disk mem name cloud-init network gid-map uid-map time',
  },
  verbs: { launch: 'c= d= m= n=', mount: 'g= u=', stop: 't=', exec: 'd/working-directory=' },
  verbReadings: {
    launch: { valued: 'c d m n' },
    mount: { valued: 'g u' },
    stop: { valued: 't' },
    exec: { valued: 'd working-directory' },
  },
  looks: 'list | ls | info | version | find | networks',
  deletes: 'delete | purge',
  examples: {
    'multipass <list ls info version find networks>': '',
    'multipass delete a': 'container a (delete)',
    'multipass purge a': 'container a (delete)',
    'multipass stop a': 'container a (change) reversible',
    'multipass stop --force a': 'container a (kill)',
    'multipass exec a': 'container a (exec)',
    'multipass shell a': 'container a (exec)',
    'multipass <launch mount start> a': 'container a (change) reversible',
  },
  facts: [
    {
      what: 'starts a program in a machine',
      verbs: ['exec'],
      starts: commandBehind(2),
      examples: {
        hit: {
          'multipass exec a -- rm -rf /': 'program: rm -rf /',
          'multipass exec -d /x a id': 'program: id',
        },
        miss: ['multipass exec a', 'multipass start a b'],
      },
    },
  ],
});

const limactl = machine({
  names: 'limactl',
  options: `${force} workdir= format= shell=`,
  readings: { ...forced, valued: 'workdir format shell' },
  verbs: { shell: '', 'list | ls | show-ssh': 'f=' },
  verbReadings: { list: { valued: 'f' } },
  looks: 'list | ls | info',
  deletes: 'delete | rm | remove | prune | factory-reset',
  examples: {
    'limactl <list ls info>': '',
    'limactl delete a': 'container a (delete)',
    'limactl <rm remove prune factory-reset> a': 'container a (delete)',
    'limactl shell a': 'container a (exec)',
    'limactl start a': 'container a (change) reversible',
  },
  facts: [
    {
      what: 'starts a program in a machine',
      verbs: ['shell'],
      starts: commandBehind(2),
      examples: {
        hit: {
          'limactl shell a rm -rf /': 'program: rm -rf /',
          'limactl shell --workdir / --shell sh a id': 'program: id',
        },
        miss: ['limactl shell a', 'limactl start a b'],
      },
    },
  ],
});

const colima = machine({
  names: 'colima',
  options: `${force} p/profile=`,
  readings: { ...forced, valued: 'p profile' },
  verbs: { ssh: '' },
  looks: 'status | list | version',
  deletes: 'delete | prune',
  examples: {
    'colima <status list version>': '',
    'colima delete a': 'container a (delete)',
    'colima prune a': 'container a (delete)',
    'colima ssh': 'container (exec)',
    'colima start a': 'container a (change) reversible',
  },
  facts: [
    {
      what: 'starts a program in the machine',
      verbs: ['ssh'],
      starts: commandBehind(1),
      examples: {
        hit: { 'colima ssh -- rm -rf /': 'program: rm -rf /', 'colima ssh -p a id': 'program: id' },
        miss: ['colima ssh', 'colima start a'],
      },
    },
  ],
});

const minikube = machine({
  names: 'minikube',
  options: `${force} p/profile= n/node= cni= container-runtime= cpus= driver= host-only-nic-type= kvm-numa-count= o/output= trace=`,
  readings: {
    ...forced,
    valued:
      'p profile n node cni container-runtime cpus driver host-only-nic-type kvm-numa-count o output trace',
  },
  verbs: { ssh: '' },
  looks: 'status | ip | version | logs | profile list | service list | dashboard | update-check',
  deletes: 'delete',
  runs: 'ssh | kubectl',
  examples: {
    'minikube <status | ip | version | logs | profile list | service list | dashboard | update-check>': '',
    'minikube delete a': 'container a (delete)',
    'minikube <ssh kubectl>': 'container (exec)',
    'minikube start': 'container (change) reversible',
    'minikube profile a': 'container a (change) reversible',
  },
  facts: [
    {
      what: 'runs a text in the machine',
      verbs: ['ssh'],
      starts: shellBehind(1),
      examples: {
        hit: {
          'minikube ssh rm -rf /': 'shell code: rm -rf /',
          'minikube ssh -n a -p b -- id': 'shell code: id',
        },
        miss: ['minikube ssh', 'minikube start a'],
      },
    },
  ],
});

const vagrant = machine({
  names: 'vagrant',
  options: `${force} c/command=`,
  readings: { ...forced, valued: 'c command' },
  looks: 'status | global-status | version | box list | ssh-config | port | validate | snapshot list',
  deletes: 'destroy | box remove | snapshot delete | box prune',
  examples: {
    'vagrant <status | global-status | version | box list | ssh-config | port | validate | snapshot list>':
      '',
    'vagrant <destroy | box remove | snapshot delete | box prune> a': 'container a (delete)',
    'vagrant destroy -f': 'container (delete) force',
    'vagrant ssh': 'container (exec)',
    'vagrant <up | halt> a': 'container a (change) reversible',
    'vagrant box add a': 'container add (change) reversible',
  },
  facts: [
    {
      what: 'runs a text in a machine',
      starts: shellOptions('command'),
      examples: {
        hit: {
          "vagrant ssh -c 'rm -rf /'": 'shell code: rm -rf /',
          'vagrant ssh a --command=id': 'shell code: id',
        },
        miss: ['vagrant ssh'],
      },
    },
    {
      what: 'runs the file that describes the machines',
      always: true,
      starts: () => [{ kind: 'file', language: 'other', path: knownText('Vagrantfile'), ofProject: true }],
      examples: { hit: { 'vagrant up': 'other file: Vagrantfile of the project' }, miss: [] },
    },
  ],
});

const k3s = machine({
  names: 'k3s microk8s',
  rest: 'cloud <words> (change)',
  options: '',
  readings: {},
  looks: 'check-config | token | etcd-snapshot ls | status | inspect | config | kubectl | crictl',
  deletes: 'secrets-encrypt | etcd-snapshot delete | etcd-snapshot prune | reset | uninstall',
  examples: {
    'k3s <check-config | token | etcd-snapshot ls | kubectl get pods | crictl ps>': '',
    'microk8s <status inspect config>': '',
    'k3s <secrets-encrypt | etcd-snapshot delete | etcd-snapshot prune> a': 'container a (delete)',
    'microk8s <reset uninstall>': 'container (delete)',
    'k3s <server | agent>': 'cloud <> (change)',
    'k3s <etcd-snapshot save | certificate rotate-ca>': "cloud '<>' (change)",
    'microk8s start': 'cloud start (change)',
  },
  facts: [
    {
      what: 'starts the program for clusters that it names',
      starts: (_, given) => {
        const argv = given.behind(0);
        return /^(?:kubectl|crictl|ctr|helm)$/.test(singleText(argv[0])) ? [{ kind: 'argv', argv }] : [];
      },
      examples: {
        hit: {
          'k3s <kubectl crictl ctr> delete a': 'program: <> delete a',
          'microk8s helm uninstall a': 'program: helm uninstall a',
        },
        miss: ['k3s server kubectl', 'microk8s status'],
      },
    },
  ],
});

export const cards: readonly Card[] = [lxc, machinectl, multipass, limactl, colima, minikube, vagrant, k3s];

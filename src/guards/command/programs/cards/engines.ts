import { type Card, commandBehind } from '../card.ts';
import { force, forced, machine, paired } from '../machine.ts';
import { quiet, type Table, table } from '../tables.ts';

const firejail: Card = {
  names: 'firejail',
  options: '',
  readings: {},
  facts: [
    {
      what: 'starts a program in a sandbox',
      starts: commandBehind(0),
      examples: { hit: { 'firejail --net=none rm -rf /': 'program: rm -rf /' }, miss: ['firejail --list'] },
    },
  ],
};

/** A program that does one thing to one container. */
const lxcOne = (given: Pick<Table, 'names' | 'rest' | 'alone' | 'examples'>): Card =>
  table({ options: 'n/name=', readings: { valued: 'n name' }, ...given });

export const cards = [
  machine({
    names: 'ctr',
    looks: `version | info | ${paired('container containers c image images i task tasks t', 'ls list info')}`,
    deletes: paired(
      'container containers c image images i task tasks t namespace namespaces',
      'rm delete remove del',
    ),
    runs: 'run',
    examples: {
      'ctr <version info>': '',
      'ctr <container containers c image images i task tasks t> ls': '',
      'ctr c <ls list info> a': '',
      'ctr container rm a': 'container a (delete)',
      'ctr <containers c image images i task tasks t namespace namespaces> rm a': 'container a (delete)',
      'ctr c <rm delete remove del> a': 'container a (delete)',
      'ctr run a b': 'container a (exec)',
      'ctr c create a': 'container create (change) reversible',
      'ctr task start a': 'container start (change) reversible',
    },
  }),
  machine({
    names: 'crictl',
    looks: 'ps | images | img | inspect* | logs | stats | info | version | pods | imagefsinfo',
    deletes: 'rm | rmi | rmp | stopp',
    examples: {
      'crictl <ps images img inspect inspecti inspectp logs stats info version pods imagefsinfo>': '',
      'crictl <rm rmi rmp stopp> a': 'container a (delete)',
      'crictl exec a': 'container a (exec)',
      'crictl <pull start> a': 'container a (change) reversible',
    },
  }),
  machine({
    names: 'kubeadm',
    looks: 'version | config | token list | certs check*',
    deletes: 'reset',
    examples: {
      'kubeadm <version | config | token list | certs check-expiration>': '',
      'kubeadm reset': 'container (delete)',
      'kubeadm reset -f': 'container (delete) force',
      'kubeadm init': 'container (change) reversible',
      'kubeadm join a': 'container a (change) reversible',
      'kubeadm token create': 'container create (change) reversible',
      'kubeadm certs renew': 'container renew (change) reversible',
    },
  }),
  machine({
    names: 'kind',
    options: `${force} v/verbosity= name= config= image= kubeconfig= n=`,
    readings: { ...forced, valued: 'v verbosity name config image kubeconfig n' },
    looks: 'get | version | export logs',
    deletes: 'delete cluster | delete clusters | delete',
    examples: {
      'kind <get | version | export logs> a': '',
      'kind <delete cluster | delete clusters | delete> a': 'container a (delete)',
      'kind create cluster': 'container cluster (change) reversible',
      'kind export kubeconfig': 'container kubeconfig (change) reversible',
    },
  }),
  machine({
    names: 'k3d',
    options: 'c= config=',
    readings: { valued: 'c config' },
    looks: 'version | cluster list | node list | registry list | kubeconfig',
    deletes: 'cluster delete | cluster rm | node delete | node rm | registry delete | registry rm',
    examples: {
      'k3d <version | cluster list | node list | registry list | kubeconfig get>': '',
      'k3d <cluster delete | cluster rm | node delete | node rm | registry delete | registry rm> a':
        'container a (delete)',
      'k3d cluster create a': 'container create (change) reversible',
      'k3d node start a': 'container start (change) reversible',
    },
  }),
  machine({
    names: 'eksctl',
    options: `${force} c/cluster= n/name= r/region= p/profile= config-file=`,
    readings: { ...forced, valued: 'c cluster n name r region p profile config-file' },
    looks: 'get | version | info | utils describe*',
    deletes: 'delete | drain | unset',
    examples: {
      'eksctl <get | version | info | utils describe-stacks> a': '',
      'eksctl delete a': 'container a (delete)',
      'eksctl <drain unset> a': 'container a (delete)',
      'eksctl create a': 'container a (change) reversible',
      'eksctl utils write-kubeconfig a': 'container write-kubeconfig (change) reversible',
    },
  }),
  machine({
    names: 'kops',
    options: `${force} name= state=`,
    readings: { ...forced, valued: 'name state' },
    looks: 'get | version | validate | export',
    deletes: 'delete',
    examples: {
      'kops <get version validate export> a': '',
      'kops delete cluster --name a --yes': 'container cluster (delete) force',
      'kops <update create> cluster': 'container cluster (change) reversible',
    },
  }),
  machine({
    names: 'virsh',
    options: `${force} c/connect=`,
    readings: { ...forced, valued: 'c connect' },
    looks:
      'list | dominfo | dumpxml | net-list | pool-list | vol-list | domstate | nodeinfo | version | snapshot-list',
    deletes:
      'destroy | undefine | vol-delete | vol-wipe | pool-delete | pool-destroy | net-destroy | net-undefine | snapshot-delete',
    examples: {
      'virsh <list dominfo dumpxml net-list pool-list vol-list domstate nodeinfo version snapshot-list> a':
        '',
      'virsh -c qemu:///system list': '',
      'virsh <destroy undefine vol-delete vol-wipe pool-delete pool-destroy net-destroy net-undefine snapshot-delete> a':
        'container a (delete)',
      'virsh console a': 'container a (exec)',
      'virsh start a': 'container a (change) reversible',
    },
  }),
  machine({
    names: 'VBoxManage vboxmanage',
    looks: 'list | showvminfo | showhdinfo | guestproperty enumerate',
    deletes: 'unregistervm | closemedium | snapshot * delete | hostonlyif remove',
    examples: {
      'VBoxManage <list | showvminfo | showhdinfo | guestproperty enumerate> a': '',
      'VBoxManage <unregistervm | closemedium | hostonlyif remove> a': 'container a (delete)',
      'vboxmanage snapshot vm delete a': 'container a (delete)',
      'vboxmanage startvm a': 'container a (change) reversible',
      'vboxmanage hostonlyif create a': 'container create (change) reversible',
      'vboxmanage guestproperty set a': 'container set (change) reversible',
    },
  }),
  machine({
    names: 'qm',
    looks: 'list | config | status | showcmd | pending',
    deletes: 'destroy | delsnapshot',
    examples: {
      'qm <list config status showcmd pending> 1': '',
      'qm <destroy delsnapshot> 1': 'container 1 (delete)',
      'qm start 1': 'container 1 (change) reversible',
    },
  }),
  machine({
    names: 'pct',
    looks: 'list | config | status',
    deletes: 'destroy | delsnapshot',
    examples: {
      'pct <list config status> 1': '',
      'pct <destroy delsnapshot> 1': 'container 1 (delete)',
      'pct start 1': 'container 1 (change) reversible',
    },
  }),
  lxcOne({
    names: 'lxc-destroy',
    rest: 'container <1> (delete)',
    alone: 'container <-name> (delete)',
    examples: {
      'lxc-destroy a': 'container a (delete)',
      'lxc-destroy -n a': 'container a (delete)',
      'lxc-destroy --name=a': 'container a (delete)',
    },
  }),
  lxcOne({
    names: 'lxc-stop',
    rest: 'container <1> (stop)',
    alone: 'container <-name> (stop)',
    examples: { 'lxc-stop a': 'container a (stop)', 'lxc-stop -n a': 'container a (stop)' },
  }),
  lxcOne({
    names: 'lxc-start',
    rest: 'container <1> (change)',
    alone: 'container <-name> (change)',
    examples: { 'lxc-start a': 'container a (change)', 'lxc-start -n a': 'container a (change)' },
  }),
  firejail,
  { names: 'lxc-ls', ...quiet },
];

// Clouds whose command lines say by their verbs what they do.

import { each, service } from '../service.ts';

const doctl = service({
  names: 'doctl',
  look: 'compute droplet list',
  depth: 5,
  examples: {
    ...each(
      'doctl things * web',
      'rm | rb | drop | wipe | del | undeploy | unset | deactivate | archive | prune | clean | clear | flush | uninstall | deprovision | decommission | leave | undelete-forever | nuke | expire | unlink | teardown | break-lock | unlock | compact | recreate',
      'cloud web (delete)',
    ),
    ...each(
      'doctl things *-all web',
      'delete | destroy | remove | terminate | purge | deregister | disassociate | detach | disable | revoke | release | cancel | reset | empty | stop | unsubscribe | forget | abort | schedule-key-deletion | reject | erase',
      'cloud web (delete)',
    ),
    ...each(
      'doctl things * web',
      'delete | delete_all | things:destroy | batch-purge | bulk-delete | bulk_remove-all | bulk-destroy',
      'cloud web (delete)',
    ),
    ...each(
      'doctl things * web',
      'deploy | publish | promote | rollout | activate | ship | rollback | push | up | apply | sync | submit | alias',
      'deploy web (things *)',
    ),
    ...each(
      'doctl things * web',
      'status | logs | log | info | version | help | whoami | inspect | diff | plan | download | cat | stat | du | history | ping | tree | fmt | format | graph | output | console | doctor | open | browse | locations | export | size | events | watch | completion | env-list | print | find | current | explain | lint | dump | sync-status | poll | resources | members | regions | serve | convert | dev | build | list | list_all',
      '',
    ),
    ...each(
      'doctl things *-all web',
      'list | get | describe | show | view | head | lookup | search | filter | scan | query | tail | wait | check | estimate | simulate | validate | test | select | preview | can | is | ls | generate-cli-skeleton | retrieve | read | count | verify | decode',
      '',
    ),
    ...each(
      'doctl things *-all web',
      'create | add | update | put | set | start | restart | run | enable | edit | modify | change | attach | associate | import | rename | move | mv | cp | copy | upload | scale | resize | invoke | send | grant | rotate | roll | new | init | restore | register | tag | untag | reboot | execute | replace | patch | configure | config | login | logout | approve | merge | close | reopen | transfer | fork | link | use | switch | upgrade | downgrade | invite | encrypt | decrypt | assign | unassign | mirror | lock | pause | resume | begin | purchase | accept | allocate | authorize | increase | decrease | open-session | ssh | exec | connect | tunnel | proxy | migrate | seed | clone | install | generate | write | trigger | rerun | retry | mb | join | provision',
      'cloud web (change)',
    ),
    'doctl things create': "cloud 'things create' (change)",
    'doctl config unset web': 'cloud web (delete)',
    'doctl things delete web --force': 'cloud web (delete) force',
    'doctl things delete web --yes --recursive': 'cloud web (delete) recursive force',
    'doctl things deploy web --yes': 'deploy web (things deploy) force',
    'doctl things delete web --dry-run': '',
    doctl: '',
    'doctl deletes-things status-quo web': "cloud 'deletes-things status-quo web' (unknown)",
    'doctl things $VERB web': 'cloud … (unknown)',
    'doctl things list $NAME': '',
    'doctl a b c d e delete': "cloud 'a b c d e' (unknown)",
  },
});

const linode = service({
  names: 'linode-cli hcloud',
  depth: 3,
  examples: {
    'linode-cli': '',
    'linode-cli things list': '',
    'linode-cli things delete a': 'cloud a (delete)',
    'linode-cli things create a': 'cloud a (change)',
    'linode-cli things deploy a': 'deploy a (things deploy)',
    'linode-cli things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'linode-cli $X': 'cloud … (unknown)',
    'linode-cli a b c delete': "cloud 'a b c' (unknown)",
  },
});

const aliyun = service({
  names: 'aliyun',
  depth: 3,
  otherwise: 'change',
  examples: {
    aliyun: '',
    'aliyun things list': '',
    'aliyun things delete a': 'cloud a (delete)',
    'aliyun things create a': 'cloud a (change)',
    'aliyun things deploy a': 'deploy a (things deploy)',
    'aliyun things frobnicate a': "cloud 'things frobnicate a' (change)",
    'aliyun $X': 'cloud … (unknown)',
    'aliyun a b c delete': "cloud 'a b c' (change)",
  },
});

const openstack = service({
  names: 'openstack ibmcloud scw exo vultr civo linode granted',
  depth: 4,
  examples: {
    openstack: '',
    'openstack things list': '',
    'openstack things delete a': 'cloud a (delete)',
    'openstack things create a': 'cloud a (change)',
    'openstack things deploy a': 'deploy a (things deploy)',
    'openstack things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'openstack $X': 'cloud … (unknown)',
    'openstack a b c d delete': "cloud 'a b c d' (unknown)",
  },
});

const oci = service({
  names: 'oci',
  look: 'compute instance list',
  options:
    'config-file= auth= key-file= wait-for-state= wait-interval-seconds= max-wait-seconds= output-format= key-shape= reset-period=',
  readings: {
    valued:
      'config-file auth key-file wait-for-state wait-interval-seconds max-wait-seconds output-format key-shape reset-period',
  },
  depth: 6,
  examples: {
    oci: '',
    'oci things list': '',
    'oci things delete a': 'cloud a (delete)',
    'oci things create a': 'cloud a (change)',
    'oci things deploy a': 'deploy a (things deploy)',
    'oci things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'oci $X': 'cloud … (unknown)',
    'oci a b c d e f delete': "cloud 'a b c d e f' (unknown)",
  },
});

const amplify = service({
  names: 'amplify',
  look: 'status',
  depth: 2,
  deeds: [
    ['delete', 'delete | remove'],
    ['deploy', 'push | publish'],
  ],
  rest: 'read',
  examples: {
    'amplify things delete a': "cloud 'things delete' (delete)",
    'amplify things deploy a': "deploy 'things deploy' (things deploy)",
    ...each('amplify *', 'delete a | remove a', "cloud '*' (delete)"),
    'amplify env remove a': "cloud 'env remove' (delete)",
    ...each('amplify *', 'push a | publish a', "deploy '*' (*)"),
    amplify: '',
    'amplify things create a': '',
    'amplify things list': '',
    'amplify things frobnicate a': '',
    'amplify $X': 'cloud … (unknown)',
  },
});

const eb = service({
  names: 'eb',
  look: 'status',
  depth: 1,
  deeds: [
    ['delete', 'terminate | abort'],
    ['deploy', 'deploy | create | swap | upgrade | clone | restore | scale | setenv | use'],
  ],
  rest: 'read',
  examples: {
    'eb terminate a': 'cloud terminate (delete)',
    'eb abort a': 'cloud abort (delete)',
    'eb deploy a': 'deploy deploy (deploy)',
    'eb create a': 'deploy create (create)',
    'eb swap a': 'deploy swap (swap)',
    'eb upgrade a': 'deploy upgrade (upgrade)',
    'eb clone a': 'deploy clone (clone)',
    'eb restore a': 'deploy restore (restore)',
    'eb scale a': 'deploy scale (scale)',
    'eb setenv a': 'deploy setenv (setenv)',
    'eb use a': 'deploy use (use)',
    eb: '',
    'eb delete a': '',
    'eb list': '',
    'eb frobnicate a': '',
    'eb $X': 'cloud … (unknown)',
  },
});

export const cards = [doctl, linode, aliyun, openstack, oci, amplify, eb];

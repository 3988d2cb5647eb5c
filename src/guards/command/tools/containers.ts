// Clusters, registries and virtual machines.

import { cardEffects } from '../programs/card.ts';
import { cards } from '../programs/cards/kubectl/index.ts';
import { container } from '../programs/containers.ts';
import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

/** The clusters of k3s and microk8s take the words of kubectl. */
const kubectl: Tool = (call) => cards.flatMap((card) => cardEffects(card, call));

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

// Helm: releases of charts in clusters.

import type { Value } from '../../effects.ts';
import { effect, inert, literal, nameTarget, read, textOf } from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { container, deploy } from '../containers.ts';
import { each, same } from '../examples.ts';

/** The file behind `key=`, where it is given so. */
function fileIn(value: Value): Value {
  const text = textOf(value);
  return text === null ? value : literal(text.slice(text.indexOf('=') + 1));
}

const helm: Card = {
  names: 'helm',
  options:
    'n/namespace= kube-context= kubeconfig= f/values= set= set-string= set-file= version= repo= output/o= timeout= i/install force dry-run? atomic wait a/all max= username= password= post-renderer= d/destination= create-namespace purge revision= l/selector= burst-limit= kube-apiserver= kube-as-group= kube-as-user= kube-ca-file= kube-tls-server-name= kube-token= log-backtrace-at= log-dir= log-file= log-file-max-size= registry-config= repository-cache= repository-config= stderrthreshold= v= vmodule= template= ca-file= cert-file= description= key-file= keyring= name-template= post-renderer-args= history-max= filter=',
  verbs: {
    install: '',
    upgrade: '',
    rollback: '',
    test: '',
    'uninstall | delete | del | un': '',
    push: '',
    'get values | get all | get manifest': '',
    'plugin install | plugin update': '',
  },
  readings: {
    valued:
      'n namespace kube-context kubeconfig f values set set-string set-file version repo output o timeout max username password post-renderer d destination revision l selector burst-limit kube-apiserver kube-as-group kube-as-user kube-ca-file kube-tls-server-name kube-token log-backtrace-at log-dir log-file log-file-max-size registry-config repository-cache repository-config stderrthreshold v vmodule template ca-file cert-file description key-file keyring name-template post-renderer-args history-max filter',
    flags: 'i install force atomic wait a all create-namespace purge',
    attached: 'dry-run',
  },
  facts: [
    {
      what: 'reads values from files, and runs what changes them',
      effects: (call, given) => {
        const filters = given.all('post-renderer').slice(-1);
        const runs = filters.map((name) =>
          effect(call, 'run', { detail: 'helper', target: nameTarget(name) }),
        );
        if (given.has('dry-run')) return [...inert(call, 'dry-run'), ...runs];
        if (/^(?:uninstall|push|get values|plugin install)$/.test(given.verb ?? '')) return [];
        return [...given.all('values', 'set-file').flatMap((file) => read(call, fileIn(file))), ...runs];
      },
      examples: {
        hit: {
          ...same(
            'read a',
            'helm install -f a b c',
            'helm template --values=a b',
            'helm upgrade --set-file x=a b c',
          ),
          'helm install --post-renderer ./a b c': 'run ./a (helper)',
          'helm install --dry-run --post-renderer ./a -f x b c': 'inert (dry-run); run ./a (helper)',
          'helm uninstall a --dry-run': 'inert (dry-run)',
          'helm install -f $FILE a b': 'read …',
        },
        miss: [
          'helm list',
          'helm uninstall -f a b',
          'helm push -f a b',
          'helm get values -f a b',
          'helm plugin install -f a b',
        ],
      },
    },
    {
      what: 'changes releases',
      effects: (call, given) => {
        if (given.has('dry-run')) return [];
        const { verb, operands } = given;
        const [first] = operands;
        const force = given.has('force');
        if (verb === null && (first?.kind ?? 'literal') !== 'literal')
          return [deploy(call, 'unknown', operands[1], { force })];
        if (verb === 'push') return [deploy(call, 'publish', operands[1])];
        if (verb === 'uninstall') return container(call, 'delete', operands.slice(0, 1));
        return /^(?:install|upgrade|rollback|test)$/.test(verb ?? '')
          ? [deploy(call, verb ?? '', first, { force })]
          : [];
      },
      examples: {
        hit: {
          ...Object.fromEntries(
            each('%', 'install upgrade rollback test').map((verb) => [
              `helm ${verb} a b`,
              `deploy a (${verb})`,
            ]),
          ),
          'helm upgrade --force -n x a b': 'deploy a (upgrade) force',
          'helm $WHAT a': 'deploy a (unknown)',
          ...same('container a (delete)', ...each('helm % a', 'uninstall delete del un')),
          'helm uninstall': 'container (delete)',
          'helm push a oci://b': 'deploy oci://b (publish)',
        },
        miss: ['helm', 'helm list', 'helm template a b', 'helm install a b --dry-run'],
      },
    },
    {
      what: 'shows secrets, and installs programs',
      verbs: ['get values', 'plugin install'],
      effects: (call, given) => {
        const target = nameTarget(given.operands[0]);
        if (given.has('dry-run')) return [];
        return given.verb === 'get values'
          ? [effect(call, 'secret', { detail: 'credentials', target })]
          : [effect(call, 'package', { detail: 'install', target })];
      },
      examples: {
        hit: {
          ...same('secret a (credentials)', ...each('helm get % a', 'values all manifest')),
          ...same('package a (install)', ...each('helm plugin % a', 'install update')),
        },
        miss: ['helm get notes a', 'helm plugin list', 'helm get values a --dry-run'],
      },
    },
  ],
  advice: [
    { rule: 'deployment', text: 'Look first: `helm list`.' },
    { rule: 'container_deletion', text: 'Look first: `helm list`.' },
  ],
};

export const cards: readonly Card[] = [helm];

// What oc does beyond kubectl: rights and upkeep of an OpenShift cluster, its tokens, and the apps that it builds.

import type { Value } from '../../../effects.ts';
import { beginningOf, effect, literal, nameTarget } from '../../../tools/tool.ts';
import type { Card, Given } from '../../card.ts';
import { each, forAll, same } from '../../examples.ts';
import { isDry, kube, kubeOptions } from './part.ts';

const textsOf = ({ operands }: Given<Value>): readonly string[] => operands.map(beginningOf);
const named = (words: readonly string[]) =>
  nameTarget(words.length === 0 ? undefined : literal(words.join(' ')));

const releases = ['new-app', 'start-build', 'rollback', 'tag', 'import-image'];
const upkeepOptions = `${kubeOptions} to= to-image= confirm to-latest clear`;

export const openshift: Required<Pick<Card, 'verbs' | 'verbReadings' | 'facts'>> = {
  verbs: {
    adm: upkeepOptions,
    extract: upkeepOptions,
    'sa | serviceaccounts': kubeOptions,
    ...Object.fromEntries(['policy', ...releases].map((verb) => [verb, kubeOptions])),
    whoami: 't/show-token c/show-context show-server',
  },
  verbReadings: {
    ...forAll(['adm', 'extract'], {
      ...kube.readings,
      valued: `${kube.readings.valued} to to-image`,
      flags: `${kube.readings.flags} confirm to-latest clear`,
    }),
    ...forAll(['policy', 'sa', ...releases], kube.readings),
    whoami: { flags: 't show-token c show-context show-server' },
  },
  facts: [
    {
      what: 'changes who may do what in an OpenShift cluster',
      verbs: ['adm', 'policy'],
      effects: (call, given) => {
        const words = [...(given.verb === 'policy' ? ['policy'] : []), ...textsOf(given)];
        const [group = '', verb = '', ...rest] = words;
        const changes =
          (group === 'policy' && !/^(?:who-can|scc-review|scc-subject-review|)$/.test(verb)) ||
          (/^(?:certificate|groups)$/.test(group) && verb !== '');
        return changes && !isDry(given)
          ? [effect(call, 'privilege', { detail: 'cluster', target: named([verb, ...rest]) })]
          : [];
      },
      examples: {
        hit: {
          ...same(
            "privilege 'add-cluster-role-to-user cluster-admin a' (cluster)",
            'oc adm policy add-cluster-role-to-user cluster-admin a',
            'oc -n x policy add-cluster-role-to-user cluster-admin a',
          ),
          'oc adm policy add-scc-to-user privileged -z a':
            "privilege 'add-scc-to-user privileged a' (cluster)",
          'oc adm <certificate groups> approve a': "privilege 'approve a' (cluster)",
        },
        miss: [
          ...each('oc adm policy % a', 'who-can scc-review scc-subject-review'),
          ...[
            'oc policy who-can get pods',
            'oc adm top nodes',
            'oc adm policy',
            'oc adm groups',
            'oc policy',
          ],
          'oc adm policy add-role-to-user a b --dry-run',
        ],
      },
    },
    {
      what: 'takes nodes out of work, deletes what is old, and upgrades a cluster',
      verbs: ['adm'],
      effects: (call, given) => {
        const [verb = '', ...rest] = textsOf(given);
        if (isDry(given)) return [];
        if (/^(?:drain|cordon|taint)$/.test(verb))
          return [effect(call, 'container', { detail: 'drain', target: named(rest) })];
        // It only lists what it would delete until it is confirmed.
        if (verb === 'prune' && given.has('confirm'))
          return [effect(call, 'container', { detail: 'prune', target: named(rest), recursive: true })];
        const upgrades = verb === 'upgrade' && given.has('to', 'to-latest', 'to-image', 'clear');
        return upgrades ? [effect(call, 'deploy', { detail: 'upgrade' })] : [];
      },
      examples: {
        hit: {
          'oc adm <drain cordon taint> a': 'container a (drain)',
          'oc adm prune images --confirm': 'container images (prune) recursive',
          'oc adm upgrade --<to-latest clear>': 'deploy (upgrade)',
          'oc adm upgrade --<to to-image> a': 'deploy (upgrade)',
        },
        miss: [
          ...['oc adm prune images', 'oc adm upgrade', 'oc adm drain a --dry-run', 'oc adm drained'],
          ...['oc adm top --confirm', 'oc adm top --to a'],
        ],
      },
    },
    {
      what: 'shows tokens and secrets of an OpenShift cluster',
      verbs: ['whoami', 'extract', 'sa'],
      effects: (call, given) => {
        const [first = '', ...rest] = textsOf(given);
        const secret = (words: readonly string[]) => [
          effect(call, 'secret', { detail: 'credentials', target: named(words) }),
        ];
        if (given.verb === 'whoami') return given.has('show-token') ? secret([]) : [];
        if (given.verb === 'extract') return /^secrets?\//.test(first) ? secret([first]) : [];
        return /^(?:get-token|new-token|create-kubeconfig)$/.test(first) ? secret(rest) : [];
      },
      examples: {
        hit: {
          'oc whoami <-t --show-token>': 'secret (credentials)',
          'oc extract <secret/a secrets/a> --to=-': 'secret <> (credentials)',
          'oc serviceaccounts get-token a': 'secret a (credentials)',
          'oc sa <get-token new-token create-kubeconfig> a': 'secret a (credentials)',
        },
        miss: ['oc whoami', 'oc whoami -c', 'oc extract configmap/a', 'oc sa', 'oc get sa a'],
      },
    },
    {
      what: 'builds and releases apps in an OpenShift cluster',
      verbs: releases,
      effects: (call, given) =>
        isDry(given)
          ? []
          : [effect(call, 'deploy', { detail: given.verb ?? '', target: named(textsOf(given)) })],
      examples: {
        hit: { 'oc <new-app start-build rollback tag import-image> a': 'deploy a (<>)' },
        miss: ['oc new-project a', 'oc status', 'oc new-app a --dry-run'],
      },
    },
  ],
};

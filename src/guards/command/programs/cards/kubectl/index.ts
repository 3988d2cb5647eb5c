// Kubernetes: what kubectl and its kin do to clusters.

import type { Effect, Value } from '../../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  nameTarget,
  read,
  textOf,
} from '../../../tools/tool.ts';
import type { Card, Given } from '../../card.ts';
import { container, deploy, inContainer } from '../../containers.ts';
import { each, forAll, same } from '../../examples.ts';

import { access } from './access.ts';
import { openshift } from './openshift.ts';
import { has, isDry, kube, kubeOptions, last } from './part.ts';

const execOptions = `+ ${kubeOptions}`;

/** The files that describe what is in the cluster. */
function files(call: Call, given: Given<Value>): readonly Effect[] {
  return [...given.before.all('filename', 'kustomize'), ...given.all('filename', 'kustomize')].flatMap(
    (file) =>
      /^https?:/.test(beginningOf(file))
        ? [effect(call, 'connect', { detail: 'GET', target: hostTarget(hostOf(file)) })]
        : read(call, file),
  );
}

/** What a change is about: the kind or the file that is named. */
function subject(given: Given<Value>): Value | undefined {
  return given.operands[0] ?? last(given, 'filename', 'kustomize');
}

/** What is deleted, as kind and name. */
function deleted(given: Given<Value>): Value | undefined {
  const [kind, name] = [textOf(subject(given)), textOf(given.operands[1])];
  return kind !== null && name !== null ? literal(`${kind}/${name}`) : subject(given);
}

/** Kinds without which nothing else is there. */
const wideKinds = /^(?:ns|namespaces?|all|crd|pv|nodes?)(?:\/|$)/;

const changes = 'apply create replace patch edit set scale autoscale expose label annotate debug';

const kubectl: Card = {
  names: 'kubectl k oc',
  options: kubeOptions,
  optionsFirst: true,
  verbs: {
    ...Object.fromEntries(
      each('%', `delete uncordon ${changes} rollout run cp get describe config certificate auth`).map(
        (verb) => [verb, kubeOptions],
      ),
    ),
    'drain | cordon | taint': kubeOptions,
    'port-forward | proxy': kubeOptions,
    'diff | explain | wait': kubeOptions,
    exec: execOptions,
    attach: execOptions,
    ...openshift.verbs,
  },
  readings: kube.readings,
  verbReadings: {
    ...openshift.verbReadings,
    ...forAll(
      [
        'diff',
        'delete',
        'uncordon',
        'apply',
        'create',
        'replace',
        'patch',
        'edit',
        'set',
        'scale',
        'autoscale',
        'expose',
        'label',
        'annotate',
        'debug',
        'rollout',
        'run',
        'cp',
        'get',
        'describe',
        'config',
        'certificate',
        'auth',
        'drain',
        'port-forward',
        'exec',
        'attach',
      ],
      kube.readings,
    ),
  },
  facts: [
    {
      what: 'only says what it would do',
      effects: (call, given) => (isDry(given) ? inert(call, 'dry-run') : []),
      examples: {
        hit: same(
          'inert (dry-run)',
          ...[
            'kubectl apply --dry-run=client -f a',
            'kubectl --dry-run delete pod a',
            'kubectl run --dry-run a',
          ],
        ),
        miss: ['kubectl apply --dry-run=none -f a', 'kubectl get pods'],
      },
    },
    {
      what: 'reads the files that describe what is wanted',
      effects: (call, given) =>
        isDry(given) ||
        /^(?:drain|uncordon|rollout|run|exec|attach|cp|port-forward|get|describe|config|certificate|auth)$/.test(
          given.verb ?? '',
        )
          ? []
          : files(call, given),
      examples: {
        hit: {
          ...same('read a.yaml', ...each('kubectl % -f a.yaml', `delete ${changes} diff explain wait`)),
          ...same(
            'read a',
            'kubectl apply -k a',
            'kubectl apply --kustomize=a',
            'kubectl -f a apply',
            'kubectl apply --filename a',
          ),
          'kubectl apply -f https://h.example/a.yaml -f http://i.example/b':
            'connect h.example (GET); connect i.example (GET)',
        },
        miss: [
          'kubectl apply',
          'kubectl apply --dry-run=client -f a',
          ...each(
            'kubectl % -f a',
            'drain cordon taint uncordon rollout run exec attach cp port-forward proxy get describe config certificate auth',
          ),
        ],
      },
    },
    {
      what: 'deletes what is in a cluster',
      verbs: ['delete'],
      effects: (call, given) =>
        isDry(given)
          ? []
          : [
              effect(call, 'container', {
                detail: 'delete',
                target: nameTarget(deleted(given)),
                recursive:
                  has(given, 'all', 'all-namespaces') ||
                  wideKinds.test(beginningOf(given.operands[0] ?? literal(''))),
                force: has(given, 'force', 'now'),
              }),
            ],
      examples: {
        hit: {
          'kubectl delete pod a': 'container pod/a (delete)',
          'kubectl -n x delete pod/a': 'container pod/a (delete)',
          'kubectl delete pod $NAME': 'container pod (delete)',
          'kubectl delete $KIND a': 'container … (delete)',
          'kubectl delete -f a.yaml': 'container a.yaml (delete)',
          'kubectl delete -k a': 'container a (delete)',
          'kubectl delete': 'container (delete)',
          ...same(
            'container pods (delete) recursive',
            'kubectl delete pods --all',
            'kubectl delete pods -A',
            'kubectl --all-namespaces delete pods',
          ),
          ...Object.fromEntries(
            each('%', 'ns namespace namespaces all crd pv node nodes').map((kind) => [
              `kubectl delete ${kind} a`,
              `container ${kind}/a (delete) recursive`,
            ]),
          ),
          'kubectl delete ns/a': 'container ns/a (delete) recursive',
          ...same(
            'container pod/a (delete) force',
            'kubectl delete pod a --force --grace-period=0',
            'kubectl delete --now pod a',
          ),
          ...same(
            'container pod/a (delete)',
            'k delete pod a',
            'oc delete pod a',
            'kubectl delete pod a --dry-run=none',
          ),
        },
        miss: ['kubectl get pods', 'kubectl delete pod a --dry-run=server'],
      },
    },
    {
      what: 'takes nodes out of work, and back',
      verbs: ['drain', 'uncordon'],
      effects: (call, given) => {
        if (isDry(given)) return [];
        const target = nameTarget(given.operands[0]);
        if (given.verb === 'uncordon') return [effect(call, 'deploy', { detail: 'uncordon', target })];
        return [
          effect(call, 'container', {
            detail: 'drain',
            target,
            force: has(given, 'force', 'delete-emptydir-data'),
          }),
        ];
      },
      examples: {
        hit: {
          ...same('container a (drain)', ...each('kubectl % a', 'drain cordon taint')),
          ...same(
            'container a (drain) force',
            'kubectl drain --force a',
            'kubectl drain a --delete-emptydir-data',
          ),
          'kubectl uncordon a': 'deploy a (uncordon)',
        },
        miss: ['kubectl get nodes', 'kubectl drain a --dry-run'],
      },
    },
    {
      what: 'changes what is in a cluster',
      verbs: each('%', changes),
      effects: (call, given) =>
        isDry(given)
          ? []
          : [
              deploy(call, given.verb ?? '', subject(given), {
                force: has(given, 'force'),
                recursive: has(given, 'prune'),
              }),
            ],
      examples: {
        hit: {
          ...Object.fromEntries(
            each('%', 'create replace patch edit set scale autoscale expose label annotate debug').map(
              (verb) => [`kubectl ${verb} a`, `deploy a (${verb})`],
            ),
          ),
          'kubectl apply -f a.yaml': 'deploy a.yaml (apply)',
          'kubectl apply -k a --prune': 'deploy a (apply) recursive',
          'kubectl replace --force -f a': 'deploy a (replace) force',
          'kubectl scale deploy/a --replicas 0': 'deploy deploy/a (scale)',
        },
        miss: ['kubectl get pods', 'kubectl apply --dry-run=client -f a'],
      },
    },
    {
      what: 'rolls changes out, or back',
      verbs: ['rollout'],
      effects: (call, given) => {
        const [action, name] = given.operands;
        const verb = beginningOf(action ?? literal(''));
        return isDry(given) || /^(?:status|history)$/.test(verb)
          ? []
          : [deploy(call, `rollout ${verb}`, name)];
      },
      examples: {
        hit: {
          'kubectl rollout restart deploy/a': 'deploy deploy/a (rollout restart)',
          'kubectl rollout undo deploy/a --to-revision 2': 'deploy deploy/a (rollout undo)',
          'kubectl rollout': 'deploy (rollout )',
        },
        miss: [
          'kubectl rollout status deploy/a',
          'kubectl rollout history deploy/a',
          'kubectl rollout undo a --dry-run',
        ],
      },
    },
    {
      what: 'runs a program in a pod',
      verbs: ['run', 'exec', 'attach', 'create'],
      effects: (call, given) => {
        const names = given.operands.slice(0, 1);
        if (isDry(given) || given.verb === 'create') return [];
        return given.verb === 'run' ? [deploy(call, 'run', names[0])] : container(call, 'exec', names);
      },
      starts: (_, given) => (given.verb === 'attach' ? [] : inContainer(given, kubeOptions)),
      examples: {
        hit: {
          'kubectl exec -it a -- ls -l': 'container a (exec); program: ls -l',
          'kubectl exec a -c b -- ls -l': 'container a (exec); program: ls -l',
          'kubectl exec a ls -l': 'container a (exec); program: ls -l',
          'kubectl exec a -c b ls -l': 'container a (exec); program: ls -l',
          'kubectl exec': 'container (exec)',
          'kubectl attach a': 'container a (exec)',
          'kubectl attach a b': 'container a (exec)',
          'kubectl run a --image=b': 'deploy a (run)',
          'kubectl run a --image b -- ls': 'deploy a (run); program: ls',
          'kubectl create job a --image=b -- ls': 'program: ls',
        },
        miss: ['kubectl get pods', 'kubectl logs a', 'kubectl run a --dry-run=client'],
      },
    },
    {
      what: 'does something that is not known',
      effects: (call, { verb, operands }) =>
        verb === null && (operands[0]?.kind ?? 'literal') !== 'literal'
          ? [effect(call, 'container', { detail: 'unknown', target: nameTarget(operands[0]) })]
          : [],
      examples: {
        hit: { 'kubectl $WHAT': 'container … (unknown)', 'kubectl a$WHAT': 'container a… (unknown)' },
        miss: ['kubectl', 'kubectl logs a', 'kubectl get $WHAT'],
      },
    },
    ...access.facts,
    ...openshift.facts,
  ],
};

export const cards: readonly Card[] = [kubectl];

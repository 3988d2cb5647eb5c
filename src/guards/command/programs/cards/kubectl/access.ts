// How kubectl reaches into a cluster: files, ports, secrets and accounts.

import type { Effect, Value } from '../../../effects.ts';
import { beginningOf, effect, literal, nameTarget, write } from '../../../tools/tool.ts';
import type { Card } from '../../card.ts';
import { copyAcross } from '../../containers.ts';
import { each, same } from '../../examples.ts';
import { has, isDry, last } from './part.ts';

const secretKinds = /^secrets?(?:[./,]|$)|,secrets?(?:,|$)/;

export const access: Pick<Card, 'facts'> = {
  facts: [
    {
      what: 'copies files from and to pods',
      verbs: ['cp'],
      effects: (call, given) => (isDry(given) ? [] : copyAcross(call, given)),
      examples: {
        hit: {
          'kubectl cp a b:/c': 'read a recursive; container (copy)',
          'kubectl cp -c x ns/b:/c ./d': 'write ./d (copy) recursive from network; container (copy)',
        },
        miss: ['kubectl get pods', 'kubectl cp a b:/c --dry-run'],
      },
    },
    {
      what: 'opens ports that lead into a cluster',
      verbs: ['port-forward'],
      effects: (call, given) =>
        isDry(given)
          ? []
          : [
              effect(call, 'listen', {
                detail: 'forward',
                target: nameTarget(last(given, 'address') ?? given.operands[0]),
              }),
            ],
      examples: {
        hit: {
          'kubectl port-forward svc/a 80': 'listen svc/a (forward)',
          'kubectl port-forward --address=0.0.0.0 svc/a 80': 'listen 0.0.0.0 (forward)',
          'kubectl proxy': 'listen (forward)',
        },
        miss: ['kubectl get svc', 'kubectl proxy --dry-run'],
      },
    },
    {
      what: 'shows secrets',
      verbs: ['get', 'describe', 'config'],
      effects: (call, given) => {
        const [kind, name] = given.operands;
        const text = beginningOf(kind ?? literal(''));
        const secret = (target?: Value): Effect =>
          effect(call, 'secret', { detail: 'credentials', target: nameTarget(target) });
        if (isDry(given)) return [];
        if (given.verb === 'config') return /^(?:view|)$/.test(text) && has(given, 'raw') ? [secret()] : [];
        const shown = given.verb === 'describe' || has(given, 'output');
        return shown && secretKinds.test(text) ? [secret(name ?? kind)] : [];
      },
      examples: {
        hit: {
          ...same(
            'secret a (credentials)',
            'kubectl describe secret a',
            ...each('kubectl get % a -o yaml', 'secret secrets'),
          ),
          'kubectl get pods,secret -o yaml': 'secret pods,secret (credentials)',
          'kubectl get pods,secrets,svc -o yaml': 'secret pods,secrets,svc (credentials)',
          ...same(
            'secret secret/a (credentials)',
            'kubectl get secret/a --output=yaml',
            'kubectl -o yaml get secret/a',
          ),
          'kubectl get secret.v1 -o yaml': 'secret secret.v1 (credentials)',
          ...same('secret (credentials)', 'kubectl config view --raw', 'kubectl config --raw'),
        },
        miss: [
          ...[
            'kubectl get secret a',
            'kubectl describe pod a',
            'kubectl get pods -o yaml',
            'kubectl config view',
          ],
          ...['kubectl config set a b --raw', 'kubectl get secret a -o yaml --dry-run'],
        ],
      },
    },
    {
      what: 'changes accounts and contexts, and what they may do',
      verbs: ['config', 'certificate', 'auth'],
      effects: (call, given) => {
        const [kind] = given.operands;
        const text = beginningOf(kind ?? literal(''));
        if (isDry(given)) return [];
        if (given.verb === 'config')
          return kind === undefined || /^(?:view|get-.*|current-context.*)$/.test(text)
            ? []
            : write(call, literal('~/.kube/config'), { detail: 'edit' });
        return /^(?:can-i|whoami)$/.test(text)
          ? []
          : [effect(call, 'privilege', { detail: 'cluster', target: nameTarget(kind) })];
      },
      examples: {
        hit: {
          ...same(
            'write ~/.kube/config (edit)',
            'kubectl config use-context a',
            'kubectl config set a b',
            'kubectl config $WHAT',
          ),
          'kubectl certificate approve a': 'privilege approve (cluster)',
          'kubectl auth reconcile -f a': 'privilege reconcile (cluster)',
          'kubectl auth': 'privilege (cluster)',
        },
        miss: [
          ...[
            'kubectl config',
            'kubectl config view',
            'kubectl config get-contexts',
            'kubectl config current-context',
          ],
          ...['kubectl auth can-i get pods', 'kubectl auth whoami', 'kubectl config set a b --dry-run'],
        ],
      },
    },
  ],
};

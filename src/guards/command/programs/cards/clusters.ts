// What fills clusters and registries: images, applications, meshes, backups.

import { quiet, table } from '../tables.ts';

export const cards = [
  table({
    names: 'skopeo',
    does: [
      ['', 'inspect | list-tags | help'],
      ['container <next> (image-delete)', 'delete'],
    ],
    rest: 'deploy <last> (push-image)',
    examples: {
      'skopeo <inspect list-tags help> a': '',
      'skopeo delete a': 'container a (image-delete)',
      'skopeo <copy sync> a b': 'deploy b (push-image)',
      'skopeo $X': 'deploy … (push-image)',
      skopeo: '',
    },
  }),
  table({
    names: 'crane',
    does: [
      ['container <next> (image-delete)', 'delete'],
      ['deploy <last> (push-image)', 'push | copy | cp | tag | append | mutate | rebase'],
    ],
    examples: {
      'crane delete a': 'container a (image-delete)',
      'crane push a b': 'deploy b (push-image)',
      'crane <copy cp tag append mutate rebase> a b': 'deploy b (push-image)',
      'crane <ls manifest digest pull> a': '',
    },
  }),
  table({
    names: 'kustomize',
    does: [['write kustomization.yaml (edit)', 'edit']],
    examples: { 'kustomize edit set image a': 'write kustomization.yaml (edit)', 'kustomize build a': '' },
  }),
  table({
    names: 'kubectx',
    options: 'd u/unset',
    readings: { flags: 'd u unset' },
    does: [['write ~/.kube/config (edit)', '-d | --unset']],
    examples: {
      'kubectx -d a': 'write ~/.kube/config (edit)',
      'kubectx <-u --unset>': 'write ~/.kube/config (edit)',
      'kubectx a': '',
      kubectx: '',
    },
  }),
  { names: 'kubens k9s stern', ...quiet },
  table({
    names: 'argocd',
    options: 'server= auth-token= o/output= p/project= revision= grpc-web insecure',
    readings: { valued: 'server auth-token o output p project revision', flags: 'grpc-web insecure' },
    does: [
      ['container <3> (delete)', '* delete | * rm | * remove | * terminate-op | delete | remove'],
      [
        '',
        '* list | * get | * diff | * history | * logs | * manifests | * wait | version | list | get | context',
      ],
    ],
    rest: 'deploy <words> (argocd)',
    examples: {
      'argocd app delete a': 'container a (delete)',
      'argocd app <rm remove terminate-op> a': 'container a (delete)',
      'argocd delete b a': 'container a (delete)',
      'argocd remove b a': 'container a (delete)',
      'argocd app <list get diff history logs manifests wait> a': '',
      'argocd <version list get context>': '',
      'argocd app <sync create> a': "deploy 'app <> a' (argocd)",
    },
  }),
  table({
    names: 'flux',
    options: 'n/namespace= context= kubeconfig=',
    readings: { valued: 'n namespace context kubeconfig' },
    does: [
      ['container <2..> (delete)', 'delete | uninstall | suspend'],
      ['', 'get | check | logs | export | tree | events | diff | stats | version'],
    ],
    rest: 'deploy <next> (<1>)',
    examples: {
      'flux delete b a': 'container b (delete); container a (delete)',
      'flux <uninstall suspend> b a': 'container b (delete); container a (delete)',
      'flux -n c delete a': 'container a (delete)',
      'flux <get check logs export tree events diff stats version>': '',
      'flux reconcile a': 'deploy a (reconcile)',
    },
  }),
  table({
    names: 'skaffold',
    does: [
      ['deploy (apply)', 'run | deploy | dev | apply'],
      ['container (delete)', 'delete'],
    ],
    examples: {
      'skaffold <run deploy dev apply>': 'deploy (apply)',
      'skaffold delete': 'container (delete)',
      'skaffold <build render>': '',
    },
  }),
  table({
    names: 'tilt',
    does: [['container (delete)', 'down']],
    examples: { 'tilt down': 'container (delete)', 'tilt <up ci>': '' },
  }),
  table({
    names: 'istioctl',
    does: [['deploy (<1>)', 'uninstall | install | upgrade']],
    examples: {
      'istioctl <uninstall install upgrade>': 'deploy (<>)',
      'istioctl <analyze proxy-status>': '',
    },
  }),
  table({
    names: 'velero',
    options: 'n/namespace= kubeconfig= kubecontext=',
    readings: { valued: 'n namespace kubeconfig kubecontext' },
    does: [
      ['container <3> (delete)', '* delete | delete | uninstall'],
      ['', '* get | * describe | * logs | * download | get | describe | logs | version'],
    ],
    rest: 'deploy <words> (velero)',
    examples: {
      'velero backup delete a': 'container a (delete)',
      'velero -n b delete backup a': 'container a (delete)',
      'velero uninstall': 'container (delete)',
      'velero backup <get describe logs download>': '',
      'velero <get describe logs version>': '',
      'velero <backup restore> create a': "deploy '<> create a' (velero)",
    },
  }),
];

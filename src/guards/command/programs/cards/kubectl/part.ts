// What the parts of the card of kubectl share: its options, which may stand before the subcommand and behind it.

import type { Value } from '../../../effects.ts';
import { beginningOf } from '../../../tools/tool.ts';
import type { Given } from '../../card.ts';

export const kubeOptions =
  'n/namespace= context= cluster= kubeconfig= user= s/server= token= as= as-group= certificate-authority= client-certificate= client-key= request-timeout= v= l/selector= f/filename= k/kustomize= o/output= field-selector= grace-period= timeout= p/patch= type= replicas= c/container= A/all-namespaces all force dry-run? cascade? now wait? R/recursive record overwrite local server-side prune sort-by= template= w/watch tail= since= ignore-daemonsets delete-emptydir-data delete-local-data image= from-literal= from-file= from-env-file= port= target-port= name= labels= restart= rm i/stdin t/tty overrides= env= limits= requests= to-revision= show-labels raw? help ignore-not-found field-manager= subresource= validate? interactive address= accept-hosts= profile= retries= non-resource-url= group= serviceaccount= schedule= annotation= max-unavailable= min-available= preemption-policy= hard= scopes= skip-wait-for-delete-timeout= output-patch= pod-running-timeout= image-pull-policy=';

/** How they are read, as examples. */
export const kube = {
  readings: {
    valued:
      'n namespace context cluster kubeconfig user s server token as as-group certificate-authority client-certificate client-key request-timeout v l selector f filename k kustomize o output field-selector grace-period timeout p patch type replicas c container sort-by template tail since image from-literal from-file from-env-file port target-port name labels restart overrides env limits requests to-revision field-manager subresource address accept-hosts profile retries non-resource-url group serviceaccount schedule annotation max-unavailable min-available preemption-policy hard scopes skip-wait-for-delete-timeout output-patch pod-running-timeout image-pull-policy',
    flags:
      'A all-namespaces all force now R recursive record overwrite local server-side prune w watch ignore-daemonsets delete-emptydir-data delete-local-data rm i stdin t tty show-labels help ignore-not-found interactive',
    attached: 'dry-run cascade wait raw validate',
  },
};

/** An option wherever it stands. */
export function last(given: Given<Value>, ...names: readonly string[]): Value | undefined {
  return given.last(...names) ?? given.before.last(...names);
}

export function has(given: Given<Value>, ...names: readonly string[]): boolean {
  return given.has(...names) || given.before.has(...names);
}

/** Whether it only says what it would do. */
export function isDry(given: Given<Value>): boolean {
  const how = last(given, 'dry-run');
  return has(given, 'dry-run') && !(how !== undefined && /^none$/.test(beginningOf(how)));
}

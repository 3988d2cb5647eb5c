// Hosts that a command names in its words, where what it does there is judged by other rules: the address of a log, of a
// cluster, of an engine, and the remote of a repository. They are held to the same list as every other host.

import type { Finding } from '../../../core/index.ts';
import type { Invocation } from '../effects.ts';
import { unlistedHost } from './network.ts';
import { type Judge, nameOf, type RuleInput, textsOf } from './rule.ts';

/** Options that name a host, by program. */
const options: Readonly<Record<string, RegExp>> = {
  logger: /^(?:-n|--server)(?:=(.*))?$/,
  kubectl: /^(?:-s|--server)(?:=(.*))?$/,
  oc: /^(?:-s|--server)(?:=(.*))?$/,
  helm: /^--kube-apiserver(?:=(.*))?$/,
};

/** Variables that name the host of an engine or a cluster, before a command. */
const variables =
  /(?:^|[\s;&|(])(?:export\s+)?(?:DOCKER_HOST|CONTAINER_HOST)=["']?(\S+?)["']?(?=[\s;&|)]|$)/g;

/** What a command names as its host besides what it connects to. */
export function hostFindings(ruleInput: RuleInput): readonly Finding[] {
  const { facts, source } = ruleInput;
  const called = facts.invocations.flatMap((invocation) =>
    hostsIn(invocation).flatMap((host) => unlistedHost(host, invocation.span, ruleInput)),
  );
  const set = [...source.matchAll(variables)].flatMap((found) =>
    unlistedHost(hostOf(found[1] ?? ''), [found.index, found.index + found[0].length], ruleInput),
  );
  return [...called, ...set];
}

function hostsIn({ program, args }: Invocation): readonly string[] {
  const option = program === null || !Object.hasOwn(options, program) ? undefined : options[program];
  if (option === undefined) return [];
  const words = args.map((argument) => textsOf(argument)[0] ?? '');
  return words.flatMap((word, at) => {
    const found = option.exec(word);
    return found === null ? [] : [hostOf(found[1] ?? words[at + 1] ?? '')];
  });
}

/** The host of an address, with or without a scheme, an account, a port and a path; also as git writes it. */
function hostOf(address: string): string {
  const rest = address.replace(/^[\w+]+:\/\//, '').split('/', 1)[0] ?? '';
  return rest.slice(rest.lastIndexOf('@') + 1).replace(/:.*$/, '');
}

/** Judges remotes of a repository: later pushes go there, and later pulls bring code from there. */
export const judgeRemote: Judge = ({ detail, span, target }, ruleInput) => {
  if (!/^remote-(?:add|set-url|url)$/.test(detail ?? '')) return [];
  const name = nameOf(target);
  return /^[./~]|^file:/.test(name) ? [] : unlistedHost(hostOf(name), span, ruleInput);
};

// Law: the calls of the daemon that only a person may make are not made by a command, by whatever program: to open a
// session, to answer a question, to apply a change, to keep a policy.

import { type Finding, usualPort } from '../../../core/index.ts';
import type { Effect, EffectKind, Value } from '../effects.ts';
import { isLocal, sends } from './network.ts';
import { guardTampering } from './persistence.ts';
import { hit, nameOf, type RuleInput } from './rule.ts';

/** Something of a path that may not be known; it ends at a space, a quote or what ends a path. */
const part = '[^\\s\'"`?#/]+';
const ends = '(?![\\w/-])';

/** The routes of a person, each as it begins and as it goes on. */
const routes: readonly (readonly [string, string])[] = [
  ['/v1/session', '(?:/(?:link|claim|login))?'],
  ['/v1/approvals/', `${part}/answer`],
  ['/v1/changes/', `${part}/(?:decisions|apply|reject)`],
  ['/v1/grants/', part],
  ['/v1/policies', `(?:/${part})*`],
  ['/v1/policy-versions/', `${part}/restore`],
  ['/v1/hosts/', `${part}/wire`],
];
const route = new RegExp(`(?:${routes.map(([begins, goesOn]) => begins + goesOn).join('|')})${ends}`);
/** Routes that no other server has, with what they are sent. */
const ownRoute = new RegExp(`/v1/(?:approvals/${part}/answer|session/(?:link|claim))${ends}`);
const sentPassphrase = new RegExp(
  `/v1/session${ends}[\\s\\S]*passphrase|passphrase[\\s\\S]*/v1/session${ends}`,
);
const openPort = /(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):(?!\d)/;
const ownSocket = /\bsallyport\.sock\b/;

/** Programs that run what they are handed in a language that is not followed. */
const interpreters = /^(?:perl|ruby|php|lua(?:jit)?|tclsh|Rscript|julia|g?awk|node|deno|bun|python[\d.]*)$/;
/** Kinds of effects of programs that may do anything with what they are handed. */
const handsOn: ReadonlySet<EffectKind> = new Set(['run', 'container', 'package']);
/** Connections that carry whatever comes in, so that no address says which route is called. */
const raw = /^(?:tcp|ssl|openssl|telnet)/;
const requestLine = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/\S*/;

/** Finds calls that only a person may make. */
export function personCallFindings(ruleInput: RuleInput): readonly Finding[] {
  return [...reachingFindings(ruleInput), ...handedFindings(ruleInput)].slice(0, 1);
}

/** Judges connections to this machine by every text of the command, since the route may stand in another segment. */
function reachingFindings(ruleInput: RuleInput): readonly Finding[] {
  const reaching = ruleInput.facts.effects.filter(mayReachDaemon);
  const [first] = reaching;
  if (first === undefined) return [];
  const known = addressesOf(ruleInput);
  const text = withPlainPaths([ruleInput.source, ...known].join('\n'));
  if (isPersonCall(text, ruleInput)) return [called(ruleInput, first.span)];
  const sent = reaching.some(sends) && known.some((address) => mayBecomeRoute(address, ruleInput));
  const unseen =
    reaching.some(({ detail = '' }) => raw.test(detail)) &&
    !requestLine.test(text) &&
    namesPort(text, ruleInput);
  if (!sent && !unseen) return [];
  const why = "it may call a route of Sallyport's daemon that only the person may call";
  return [hit(ruleInput, guardTampering, { span: first.span, why, decision: 'approve' })];
}

/** Judges programs that may call anything by what each of them is handed. */
function handedFindings(ruleInput: RuleInput): readonly Finding[] {
  const { facts, isKnown } = ruleInput;
  return facts.invocations.flatMap(({ program, args, span, builtin }) => {
    if (builtin) return [];
    const hands =
      program === null ||
      !isKnown(program) ||
      interpreters.test(program) ||
      facts.effects.some((effect) => effect.span === span && handsOn.has(effect.kind));
    const text = hands ? withPlainPaths(args.flatMap(wordsOf).join('\n')) : '';
    return text !== '' && isPersonCall(text, ruleInput) ? [called(ruleInput, span)] : [];
  });
}

function called(ruleInput: RuleInput, span: Effect['span']): Finding {
  const why = "it calls a route of Sallyport's daemon that only the person may call";
  return hit(ruleInput, guardTampering, { span, why });
}

function isPersonCall(text: string, ruleInput: RuleInput): boolean {
  return route.test(text) && namesDaemon(text, ruleInput);
}

/** Whether an effect may be a call of the daemon: it goes to this machine, to a socket, or to an unknown address. */
function mayReachDaemon({ kind, target, detail }: Effect): boolean {
  if (kind === 'connect') return isLocal(nameOf(target)) || /^(?:0\.0\.0\.0)?$/.test(nameOf(target));
  return (kind === 'read' || kind === 'write') && detail === 'socket';
}

/** The addresses and words that are known, with a star for what is not. */
function addressesOf({ facts }: RuleInput): readonly string[] {
  return [
    ...facts.invocations.flatMap(({ args }) => args.flatMap(wordsOf)),
    ...facts.effects.flatMap(({ addresses = [] }) => addresses),
  ];
}

function wordsOf(value: Value): readonly string[] {
  if (value.kind === 'unknown') return [];
  return value.kind === 'choice' ? value.texts : [value.kind === 'prefix' ? `${value.text}*` : value.text];
}

/** A text whose paths are written as a server reads them. */
function withPlainPaths(text: string): string {
  return text
    .replace(/%([2-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\/(?:\.\/)+/g, '/')
    .replace(/\/[^\s/'"]+\/\.\.\//g, '/');
}

function namesDaemon(text: string, ruleInput: RuleInput): boolean {
  if (ownSocket.test(text) || namesPort(text, ruleInput)) return true;
  return openPort.test(text) && (ownRoute.test(text) || sentPassphrase.test(text));
}

function portsOf({ daemonPort }: RuleInput): readonly number[] {
  const port = daemonPort();
  return port === null || port === usualPort ? [usualPort] : [usualPort, port];
}

function namesPort(text: string, ruleInput: RuleInput): boolean {
  return portsOf(ruleInput).some((port) => new RegExp(`(?<![\\w.])${port}(?!\\w)`).test(text));
}

/** Whether an address of the daemon, of which only the beginning is known or the rest is a pattern, could go on to be a route of a person. */
function mayBecomeRoute(address: string, ruleInput: RuleInput): boolean {
  return portsOf(ruleInput).some((port) => {
    const path = new RegExp(`^(?:\\w+://)?[^/\\s]*:${port}(/[^\\s*{[]*)?[*{[]`).exec(address);
    const begun = path?.[1] ?? '';
    return path !== null && routes.some(([begins]) => begins.startsWith(begun));
  });
}

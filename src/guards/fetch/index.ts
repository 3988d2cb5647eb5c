// The fetch guard: judges where a request goes (AG-TOOL-6) and whether it may change something there (AG-TOOL-3).

import type { Settings } from '../../config/settings.ts';
import {
  type Address,
  type AddressClass,
  classifyAddress,
  isLocalName,
  parseAddress,
  worseClass,
} from '../../core/destination.ts';
import type {
  ActionOf,
  Facts,
  Finding,
  Guard,
  GuardInput,
  Judgement,
  MaybePromise,
} from '../../core/index.ts';
import { isListed } from './allowlist.ts';
import { type FetchFacts, readFacts, type SoundUrl } from './facts.ts';
import { isSpecialHost, resolvedFinding, specialHostFinding } from './rules/address.ts';
import { unlistedFinding } from './rules/allowlist.ts';
import { headerFindings, headerNames } from './rules/headers.ts';
import { fetchRules } from './rules/index.ts';
import { changeFindings, methodFindings } from './rules/method.ts';
import { resolutionFailedFinding, unresolvedFinding } from './rules/resolution.ts';
import { urlFindings } from './rules/url.ts';
import { userFindings } from './rules/user.ts';

type FetchAction = ActionOf<'fetch'>;
type FetchInput = GuardInput<Settings>;

/** Judges outbound requests; it resolves only names that every list names or that a person granted. */
export const fetchGuard: Guard<'fetch', Settings> = {
  name: 'fetch',
  kinds: ['fetch'],
  rules: fetchRules,
  check,
};

/** What was found so far about a request whose URL is sound, save what the user's rules find. */
interface Progress {
  readonly action: FetchAction;
  readonly input: FetchInput;
  readonly facts: FetchFacts;
  readonly url: SoundUrl;
  readonly listed: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Judges the request that carries a query to its source. What the query does was judged as a query, and a person asked
 * about it as such; here counts where it goes.
 */
export const carrierGuard: Guard<'fetch', Settings> = {
  ...fetchGuard,
  check: (action, input) => judge(action, { ...readFacts(action), reads: true }, input),
};

function check(action: FetchAction, input: FetchInput): MaybePromise<Judgement<'fetch'>> {
  return judge(action, readFacts(action), input);
}

function judge(action: FetchAction, facts: FetchFacts, input: FetchInput): MaybePromise<Judgement<'fetch'>> {
  input.budget.spend(1 + (action.url.length >> 8) + facts.headers.length);
  const { url } = facts;
  const common = [
    ...urlFindings(facts),
    ...methodFindings(facts, input.context.mode),
    ...headerFindings(facts),
  ];
  if (url.state !== 'read') {
    return { facts: recordOf(facts), findings: common, sideEffect: !facts.reads };
  }
  const { target, hostSpan } = url;
  const { settings } = input;
  const listed = isListed(settings.egressAllowlists, target);
  const destination = listed ? undefined : destinationFinding(url, input);
  const findings = destination === undefined ? common : [...common, destination];
  const progress: Progress = { action, input, facts, url, listed, findings };
  if (typeof target.host !== 'string') return conclude(progress, [target.host]);
  // INVARIANT: a name that is refused, or that no person has approved, is never resolved.
  const refused = isBlocked(findings) || isBlocked(userFindings(settings.fetch.rules, [target], hostSpan));
  if (destination !== undefined || refused) return conclude(progress, undefined);
  return resolve(progress, target.host);
}

/** The finding on a destination that is not on the list; undefined where a person granted a public one. */
function destinationFinding({ target, hostSpan }: SoundUrl, input: FetchInput): Finding | undefined {
  return isSpecialHost(target.host)
    ? specialHostFinding(target, input.settings.egressAllowlists, hostSpan)
    : unlistedFinding(target, input, hostSpan);
}

async function resolve(progress: Progress, name: string): Promise<Judgement<'fetch'>> {
  const { input, url } = progress;
  const refuse = (finding: Finding): Judgement<'fetch'> =>
    conclude({ ...progress, findings: [...progress.findings, finding] }, undefined);
  let texts: readonly string[];
  try {
    texts = await input.world.resolve(name);
  } catch {
    return refuse(resolutionFailedFinding(name, url.hostSpan));
  }
  input.budget.spend(texts.length);
  const addresses = new Map<string, Address>();
  for (const text of texts) {
    const address = parseAddress(text);
    if (address === undefined) return refuse(resolutionFailedFinding(name, url.hostSpan));
    addresses.set(address.text, address);
  }
  const pinned = [...addresses.values()];
  const found = [...progress.findings, ...resolutionFindings(progress, name, pinned)];
  return conclude({ ...progress, findings: found }, pinned);
}

/** What the addresses of a name add: one finding for each rule that they break. */
function resolutionFindings(
  { input, url }: Progress,
  name: string,
  addresses: readonly Address[],
): readonly Finding[] {
  if (addresses.length === 0) return [unresolvedFinding(name, url.hostSpan)];
  const lists = input.settings.egressAllowlists;
  const byRule = new Map<string, Finding>();
  for (const address of addresses) {
    const finding = resolvedFinding(name, address, url.target, lists, url.hostSpan);
    if (finding !== undefined && !byRule.has(finding.rule)) byRule.set(finding.rule, finding);
  }
  return [...byRule.values()];
}

/** The judgement on a sound URL; `addresses` are undefined where nothing was resolved. */
function conclude(progress: Progress, addresses: readonly Address[] | undefined): Judgement<'fetch'> {
  const { action, facts, url, listed, input } = progress;
  const { target } = url;
  const classes = addresses?.map(classifyAddress) ?? [];
  const isLocal =
    classes.length > 0
      ? classes.every((kind) => localClasses.has(kind))
      : typeof target.host === 'string' && isLocalName(target.host);
  const targets = [target, ...(addresses ?? []).map((host) => ({ ...target, host }))];
  const findings = [
    ...progress.findings,
    ...changeFindings(facts, target, isLocal),
    ...userFindings(input.settings.fetch.rules, targets, url.hostSpan),
  ];
  const blocked = isBlocked(findings);
  const rewritten = blocked ? undefined : rewrite(action, facts, url);
  return {
    facts: {
      ...recordOf(facts),
      scheme: target.scheme,
      host: typeof target.host === 'string' ? target.host : target.host.text,
      port: target.port,
      addressClass: classes.length === 0 ? 'unresolved' : classes.reduce(worseClass),
      listed,
      // INVARIANT: only addresses that passed every check are pinned for the request.
      ...(addresses === undefined || blocked ? {} : { addresses: addresses.map((address) => address.text) }),
    },
    findings,
    sideEffect: !facts.reads,
    ...(rewritten === undefined ? {} : { rewritten }),
  };
}

const localClasses: ReadonlySet<AddressClass> = new Set(['loopback', 'private', 'link_local']);

function isBlocked(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.decision === 'block');
}

/** The facts that are known whatever became of the URL. */
function recordOf(facts: FetchFacts): Facts {
  return {
    ...(facts.url.state === 'other_scheme' ? { scheme: facts.url.scheme } : {}),
    method: facts.method,
    bodyBytes: facts.bodyBytes,
    headerNames: headerNames(facts),
  };
}

/** The action in its one spelling, or undefined if it has that already. */
function rewrite(action: FetchAction, facts: FetchFacts, url: SoundUrl): FetchAction | undefined {
  const sameMethod = action.method === undefined || action.method === facts.method;
  if (sameMethod && action.url === url.href) return undefined;
  return { ...action, url: url.href, ...(sameMethod ? {} : { method: facts.method }) };
}

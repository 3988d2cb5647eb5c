// Rule: a request goes only to a destination that every egress allowlist names. A public one that is not named is
// asked for in the developer profile and blocked in the strict one; it is not resolved before it was approved.

import type { Settings } from '../../../config/settings.ts';
import { allowlistAdvice, hostText, type Target } from '../../../core/destination.ts';
import type { Finding, GuardInput, Rule } from '../../../core/index.ts';
import { entryFor, isHostListed } from '../allowlist.ts';
import type { Span } from '../facts.ts';
import { contract, hit, listing, request, resolving } from './finding.ts';

const hostNotAllowed: Rule = {
  id: 'host_not_allowed',
  guard: 'fetch',
  decision: 'approve',
  reason: 'The destination is not on the egress allowlist: developer asks, strict blocks.',
  contract,
  examples: {
    hit: [
      request('https://example.com/'),
      request('https://example.com/', { agent: { profile: 'strict', egress_allowlist: [] } }),
      request('https://example.com.evil.test/', listing('example.com')),
      request('https://evil.test/example.com', listing('example.com')),
      request('https://example.com/', listing('*.example.com')),
      request('https://notexample.com/', listing('*.example.com')),
      request('https://example.com:8443/', listing('example.com')),
      request('http://example.com/', listing('https://example.com')),
      request('https://ex\u0430mple.com/', listing('example.com')),
      request('https://8.8.8.8/', listing('*')),
    ],
    miss: [
      request('https://example.com/', resolving('example.com', '93.184.215.14')),
      request('http://EXAMPLE.com./', listing('example.com')),
      request('https://a.b.example.com/', listing('*.example.com')),
      request('https://example.com:8443/', listing('example.com:8443')),
      request('https://b\u00fccher.de/', listing('xn--bcher-kva.de')),
      request('https://8.8.8.8/', listing('8.8.8.8')),
    ],
  },
};

/** The rules on the allowlist. */
export const allowlistRules: readonly Rule[] = [hostNotAllowed];

/** What a grant must name to let requests to the target go. */
function effectOf(target: Target): string {
  return `fetch ${target.scheme}://${hostText(target.host)}:${target.port}`;
}

/** The finding on a public destination that is not on the list; undefined where a person granted it. */
export function unlistedFinding(
  target: Target,
  input: GuardInput<Settings>,
  span: Span | undefined,
): Finding | undefined {
  const grant = effectOf(target);
  if (input.granted(grant)) return undefined;
  const host = hostText(target.host);
  const message = isHostListed(input.settings.egressAllowlists, target.host)
    ? `${host} is on the egress allowlist, but not for ${target.scheme} on port ${target.port}.`
    : `${host} is not on the egress allowlist.`;
  return hit(hostNotAllowed, message, {
    pointer: '/url',
    span,
    decision: input.settings.profile === 'strict' ? 'block' : 'approve',
    suggestion: `A person may ${allowlistAdvice(entryFor(target))}.`,
    grant,
  });
}

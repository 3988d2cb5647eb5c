// Rule: a name is connected to only through addresses that were resolved and checked here; what cannot be resolved
// is not connected to.

import type { Finding, Rule } from '../../../core/index.ts';
import type { Span } from '../facts.ts';
import { contract, hit, listing, request, resolving } from './finding.ts';

const pointer = '/url';

const unresolvedName: Rule = {
  id: 'unresolved_name',
  guard: 'fetch',
  decision: 'warn',
  reason: 'The name does not exist now, so there is nothing to connect to.',
  contract,
  examples: {
    hit: [
      request('https://example.com/', listing('example.com')),
      request('https://missing.example.com/', resolving('missing.example.com')),
    ],
    miss: [
      request('https://example.com/', resolving('example.com', '93.184.215.14')),
      request('https://8.8.8.8/', listing('8.8.8.8')),
    ],
  },
};

const resolutionFailed: Rule = {
  id: 'resolution_failed',
  guard: 'fetch',
  decision: 'block',
  reason: 'The name could not be resolved, so it cannot be checked.',
  suggestion: 'Try again when names can be resolved.',
  contract,
  examples: {
    hit: [
      request('https://example.com/', resolving('example.com', 'fe80::1%eth0')),
      request('https://example.com/', resolving('example.com', '93.184.215.14', '0x7f.1')),
    ],
    miss: [
      request('https://example.com/', resolving('example.com', '93.184.215.14')),
      request('https://example.com/', resolving('example.com', '2606:2800:21F:CB07:0:0:0:1')),
    ],
  },
};

/** The rules on resolution. */
export const resolutionRules: readonly Rule[] = [unresolvedName, resolutionFailed];

/** The finding on a name that does not exist. */
export function unresolvedFinding(name: string, span: Span | undefined): Finding {
  return hit(unresolvedName, `${name} does not exist in DNS.`, { pointer, span });
}

/** The finding on a name whose resolution failed, or gave something that is no address. */
export function resolutionFailedFinding(name: string, span: Span | undefined): Finding {
  return hit(resolutionFailed, `${name} could not be resolved to addresses.`, { pointer, span });
}

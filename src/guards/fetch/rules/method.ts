// Rule: a request that may change something outside the local network waits for approval, whatever the mode;
// in plan mode nothing that may change something goes out at all.

import { hostText, type Target } from '../../../core/destination.ts';
import { type Finding, type Mode, modeDecision, type Rule, visible } from '../../../core/index.ts';
import type { FetchFacts } from '../facts.ts';
import { contract, hit, listing, request, resolving } from './finding.ts';

const pointer = '/method';
const asking = 'AG-TOOL-3';
const open = resolving('example.com', '93.184.215.14');
const near = resolving('db.internal', '10.0.0.5');

const methodNotAllowed: Rule = {
  id: 'method_not_allowed',
  guard: 'fetch',
  decision: 'block',
  reason: 'CONNECT opens a tunnel past every check, and TRACE and TRACK echo credentials.',
  suggestion: 'Use GET, HEAD or OPTIONS, or a method that the service documents.',
  contract,
  examples: {
    hit: [
      request('https://example.com/', open, { method: 'CONNECT' }),
      request('https://example.com/', open, { method: 'trace' }),
      request('https://example.com/', open, { method: 'TRACK' }),
    ],
    miss: [
      request('https://example.com/', open, { method: 'get' }),
      request('https://example.com/', open, { method: 'POST' }),
    ],
  },
};

const stateChangingRequest: Rule = {
  id: 'state_changing_request',
  guard: 'fetch',
  decision: 'approve',
  reason: 'Changes outside the local network cannot be undone, so each needs approval.',
  contract: asking,
  examples: {
    hit: [
      request('https://example.com/', open, { method: 'POST', body: 'a=1' }),
      request('https://example.com/', open, { method: 'delete' }),
      request('https://example.com/', open, { method: 'GET', body: 'a=1' }),
      request('https://example.com/', { ...open, mode: 'auto' }, { method: 'PUT' }),
      request('https://8.8.8.8/', listing('8.8.8.8'), { method: 'POST' }),
      request('http://db.internal/', resolving('db.internal', '93.184.215.14'), { method: 'POST' }),
    ],
    miss: [
      request('https://example.com/', open),
      request('https://example.com/', open, { method: 'HEAD' }),
      request('https://example.com/', open, { method: 'OPTIONS', body: '' }),
      request('http://db.internal/', near, { method: 'POST' }),
      request('http://127.0.0.1/', listing('localhost'), { method: 'POST' }),
    ],
  },
};

const planMode: Rule = {
  id: 'plan_mode',
  guard: 'fetch',
  decision: 'block',
  reason: 'Plan mode reads and changes nothing.',
  suggestion: 'Leave plan mode before sending this.',
  contract: 'AG-TOOL-1',
  examples: {
    hit: [
      request('https://example.com/', { ...open, mode: 'plan' }, { method: 'POST' }),
      request('http://db.internal/', { ...near, mode: 'plan' }, { method: 'PUT' }),
    ],
    miss: [
      request('https://example.com/', { ...open, mode: 'plan' }),
      request('https://example.com/', { ...open, mode: 'auto' }, { method: 'POST' }),
    ],
  },
};

/** The rules on methods. */
export const methodRules: readonly Rule[] = [methodNotAllowed, stateChangingRequest, planMode];

const forbidden: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** What is wrong with the method wherever the request goes. */
export function methodFindings({ method, reads }: FetchFacts, mode: Mode): readonly Finding[] {
  if (forbidden.has(method) || !/^[A-Z]{1,32}$/.test(method)) {
    return [hit(methodNotAllowed, `The method ${visible(method, 32)} is not allowed.`, { pointer })];
  }
  if (reads || modeDecision('outward', mode) !== 'block') return [];
  return [hit(planMode, `A ${method} request may change something; plan mode allows none.`, { pointer })];
}

/** The finding on a request that may change something outside the local network. */
export function changeFindings(
  { method, reads }: FetchFacts,
  target: Target,
  isLocal: boolean,
): readonly Finding[] {
  if (reads || isLocal) return [];
  const what = `A ${method} request to ${hostText(target.host)} may change something outside the local network.`;
  return [hit(stateChangingRequest, what, { pointer })];
}

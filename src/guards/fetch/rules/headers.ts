// Rule: headers say what is asked, never where it goes, how it is framed or on whose behalf it comes.

import { type Finding, jsonPointer, type Rule } from '../../../core/index.ts';
import type { FetchFacts } from '../facts.ts';
import { contract, hit, request, resolving } from './finding.ts';

const open = resolving('example.com', '93.184.215.14');

function withHeaders(headers: Readonly<Record<string, string>>): ReturnType<typeof request> {
  return request('https://example.com/', open, { headers });
}

const unsafeHeader: Rule = {
  id: 'unsafe_header',
  guard: 'fetch',
  decision: 'block',
  reason: 'The header changes the destination, the framing or the effect of the request.',
  suggestion: 'Leave this header out.',
  contract,
  examples: {
    hit: [
      withHeaders({ Host: 'evil.test' }),
      withHeaders({ ':authority': 'evil.test' }),
      withHeaders({ connection: 'close' }),
      withHeaders({ 'Transfer-Encoding': 'chunked' }),
      withHeaders({ 'content-length': '5' }),
      withHeaders({ Upgrade: 'websocket' }),
      withHeaders({ 'Proxy-Authorization': 'Basic eA==' }),
      withHeaders({ 'X-Forwarded-For': '127.0.0.1' }),
      withHeaders({ 'X-HTTP-Method-Override': 'DELETE' }),
      withHeaders({ 'x-a': 'b\r\nHost: evil.test' }),
      withHeaders({ 'x-a\r\nhost': 'evil.test' }),
      withHeaders({ 'x-a': 'b\u0000' }),
      withHeaders({ 'x-a': '\u540d' }),
      withHeaders({ '': 'a' }),
      withHeaders({ 'x-\u212a': 'a' }),
      withHeaders({ Accept: 'text/html', accept: 'text/plain' }),
    ],
    miss: [
      withHeaders({ Accept: 'text/html', 'Accept-Language': 'en' }),
      withHeaders({ Authorization: 'Bearer token', 'X-Request-Id': '1' }),
      request('https://example.com/', open),
    ],
  },
};

/** The rules on headers. */
export const headerRules: readonly Rule[] = [unsafeHeader];

const unsafe: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'transfer-encoding', 'content-length', 'upgrade', 'te', 'trailer', 'keep-alive'],
  ...[
    'expect',
    'http2-settings',
    'forwarded',
    'via',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'client-ip',
  ],
  ...['x-host', 'x-original-host', 'x-original-url', 'x-rewrite-url', 'x-http-method', 'x-method'],
]);
const unsafePattern = /^(?:proxy-|x-forwarded-|x-original-forwarded-)|method-override$/;

/** The token of RFC 9110. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** More findings than this tell nobody more. */
const maxFindings = 8;

/** What is wrong with the headers; a name that is no token is not repeated, because it could hold a value. */
export function headerFindings({ headers }: FetchFacts): readonly Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const [name, value] of headers) {
    if (findings.length === maxFindings) break;
    const isToken = token.test(name);
    const why = isToken ? whyUnsafe(name.toLowerCase(), value, seen) : 'has a name that is not valid';
    seen.add(name.toLowerCase());
    if (why === undefined) continue;
    const shown = isToken && name.length <= 64;
    findings.push(
      hit(unsafeHeader, `${shown ? `The header ${name}` : 'A header'} ${why}.`, {
        pointer: shown ? jsonPointer(['headers', name]) : '/headers',
      }),
    );
  }
  return findings;
}

function whyUnsafe(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  if (unsafe.has(name) || unsafePattern.test(name)) return 'is not for an agent to set';
  if (seen.has(name)) return 'stands twice, in different letter case';
  if (!fieldValue.test(value)) return 'has a value with characters that no header may hold';
  return undefined;
}

/** The names of the headers that may be recorded. */
export function headerNames({ headers }: FetchFacts): readonly string[] {
  const names = headers.map(([name]) => name).filter((name) => token.test(name));
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

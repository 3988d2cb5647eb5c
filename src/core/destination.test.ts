// Tests of addresses and destination patterns: tables, and an independent range check by random testing.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressClass,
  classifyAddress,
  embeddedAddresses,
  hitsTarget,
  hostText,
  inNetwork,
  isDnsName,
  isLocalhostName,
  isLocalName,
  isMetadataName,
  namesHost,
  namesTarget,
  parseAddress,
  parseDestination,
  parseNetwork,
  targetOf,
  worseClass,
} from './destination.ts';
import { InputError } from './errors.ts';

function classOf(text: string): AddressClass {
  return classifyAddress(parseAddress(text)!);
}

describe('parseAddress', () => {
  const good: readonly (readonly [string, string])[] = [
    ['1.2.3.4', '1.2.3.4'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['1:0:0:2::3', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', '::ffff:102:304'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ];
  for (const [text, canonical] of good) {
    it(`reads ${text}`, () => {
      const address = parseAddress(text)!;
      expect(address.text).toBe(canonical);
      expect(address.bytes).toHaveLength(address.family === 4 ? 4 : 16);
    });
  }

  const bad = [
    ...[
      '',
      '1',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.4.',
      '.1.2.3',
      '01.2.3.4',
      '1.2.3.256',
      '0x1.2.3.4',
      ' 1.2.3.4',
      '1.2.3.4\n',
    ],
    ...[
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '::g',
      '::10000',
      'fe80::1%eth0',
      '[::1]',
      '::1/64',
    ],
    ...['::ffff:01.2.3.4', '::ffff:1.2.3', 'a]:1', '\uff11.2.3.4', `${'0'.repeat(50)}::1`],
  ];
  for (const text of bad) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(parseAddress(text)).toBeUndefined());
  }

  it('reads every IPv6 address from its bytes and back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 }),
        (groups) => {
          const address = parseAddress(groups.map((group) => group.toString(16)).join(':'))!;
          expect(address.bytes).toEqual(groups.flatMap((group) => [group >> 8, group & 255]));
          expect(parseAddress(address.text)).toEqual(address);
        },
      ),
    );
  });
});

describe('classifyAddress', () => {
  const table: Readonly<Record<AddressClass, readonly string[]>> = {
    public: [
      ...[
        '1.1.1.1',
        '8.8.8.8',
        '9.255.255.255',
        '11.0.0.0',
        '100.63.255.255',
        '100.128.0.0',
        '126.255.255.255',
      ],
      ...[
        '128.0.0.0',
        '169.253.255.255',
        '169.255.0.0',
        '172.15.255.255',
        '172.32.0.0',
        '192.0.1.0',
        '192.0.3.0',
      ],
      ...[
        '192.167.255.255',
        '192.169.0.0',
        '198.17.255.255',
        '198.20.0.0',
        '223.255.255.255',
        '168.63.129.15',
      ],
      ...[
        '2000::',
        '2001:200::',
        '2606:4700::1111',
        '3ffe:ffff::1',
        '3fff:1000::',
        '::ffff:8.8.8.8',
        '64:ff9b::808:808',
      ],
      ...[
        '2002:808:808::',
        '2001:0:808:808::f7f7:f7f7',
        '2a00::5efe:8.8.8.8',
        '2001:db7:ffff::1',
        '2001:db9::',
      ],
    ],
    reserved: [
      ...['0.0.0.0', '0.255.255.255', '192.0.0.0', '192.0.0.9', '192.0.0.170', '192.0.2.1', '192.31.196.1'],
      ...[
        '192.52.193.1',
        '192.88.99.1',
        '192.175.48.1',
        '198.18.0.0',
        '198.19.255.255',
        '198.51.100.1',
        '203.0.113.1',
      ],
      ...[
        '224.0.0.0',
        '239.255.255.255',
        '240.0.0.0',
        '255.255.255.255',
        '::',
        '::2',
        '::8.8.8.8',
        '::ffff:0:8.8.8.8',
      ],
      ...[
        '64:ff9b:1::808:808',
        '64:ff9b:2::1',
        '100::',
        '100:0:0:1::1',
        '2001:1::1',
        '2001:2::1',
        '2001:3::1',
      ],
      ...[
        '2001:4:112::1',
        '2001:10::1',
        '2001:20::1',
        '2001:30::1',
        '2001:1ff::1',
        '2001:db8::',
        '2620:4f:8000::1',
      ],
      ...[
        '3fff::1',
        '3fff:fff::1',
        '4000::',
        '5f00::1',
        '8000::',
        'f000::',
        'fe00::1',
        'ff02::1',
        '1fff::',
        '200::1',
      ],
      ...['::ffff:0.0.0.1', '2002:e000:1::', '64:ff9b::c000:201'],
    ],
    private: [
      ...['10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '172.16.0.0', '172.31.255.255'],
      ...[
        '192.168.0.0',
        '192.168.255.255',
        'fc00::',
        'fdff::1',
        'fec0::1',
        'feff::1',
        '::ffff:10.0.0.1',
        '::10.0.0.1',
      ],
      ...[
        '2002:a00:1::',
        '64:ff9b::a00:1',
        '64:ff9b:1::a00:1',
        '2001:0:a00:1::f7f7:f7f7',
        '2a00::5efe:10.0.0.1',
      ],
      ...['2a00::200:5efe:c0a8:1', '::ffff:0:192.168.1.1'],
    ],
    link_local: [
      '169.254.0.0',
      '169.254.255.255',
      'fe80::',
      'febf::1',
      '::ffff:169.254.1.1',
      'fe80::5efe:8.8.8.8',
    ],
    loopback: [
      ...[
        '127.0.0.0',
        '127.0.0.1',
        '127.255.255.255',
        '::1',
        '::ffff:127.0.0.1',
        '::127.0.0.1',
        '2002:7f00:1::',
      ],
      ...['64:ff9b::7f00:1', '64:ff9b:1:7f00:0:100::', '64:ff9b:1:7f:0:1::', '64:ff9b:1::7f:0:100:0'],
      ...['2001:0:7f00:1::', '2001:0:808:808::80ff:fffe', 'fe80::5efe:127.0.0.1'],
    ],
    metadata: [
      ...[
        '169.254.169.254',
        '169.254.169.253',
        '169.254.170.2',
        '169.254.170.23',
        '100.100.100.200',
        '192.0.0.192',
      ],
      ...[
        '168.63.129.16',
        'fd00:ec2::254',
        'fd00:ec2::23',
        'fd20:ce::254',
        '::ffff:169.254.169.254',
        '2002:a9fe:a9fe::',
      ],
      ...['64:ff9b::a83f:8110', '::169.254.169.254', 'fe80::a9fe:a9fe'],
    ],
  };
  for (const [expected, texts] of Object.entries(table)) {
    for (const text of texts) it(`${text} is ${expected}`, () => expect(classOf(text)).toBe(expected));
  }

  /** The same invariant as plain arithmetic on one number. */
  function naive(address: number): boolean {
    const within = (first: string, last: string): boolean =>
      address >= toNumber(first) && address <= toNumber(last);
    return [
      ['0.0.0.0', '0.255.255.255'],
      ['10.0.0.0', '10.255.255.255'],
      ['100.64.0.0', '100.127.255.255'],
      ['127.0.0.0', '127.255.255.255'],
      ['169.254.0.0', '169.254.255.255'],
      ['172.16.0.0', '172.31.255.255'],
      ['192.0.0.0', '192.0.0.255'],
      ['192.0.2.0', '192.0.2.255'],
      ['192.31.196.0', '192.31.196.255'],
      ['192.52.193.0', '192.52.193.255'],
      ['192.88.99.0', '192.88.99.255'],
      ['192.168.0.0', '192.168.255.255'],
      ['192.175.48.0', '192.175.48.255'],
      ['198.18.0.0', '198.19.255.255'],
      ['198.51.100.0', '198.51.100.255'],
      ['203.0.113.0', '203.0.113.255'],
      ['224.0.0.0', '255.255.255.255'],
      ['168.63.129.16', '168.63.129.16'],
    ].some(([first = '', last = '']) => within(first, last));
  }

  function toNumber(text: string): number {
    return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  }

  function toText(address: number): string {
    return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
  }

  const v4 = fc.oneof(
    fc.nat(0xffffffff),
    fc
      .tuple(fc.constantFrom(0x0a, 0x64, 0x7f, 0xa8, 0xa9, 0xac, 0xc0, 0xc6, 0xcb), fc.nat(0xffffff))
      .map(([first, rest]) => first * 0x1000000 + rest),
    fc
      .tuple(
        fc.constantFrom(0x0b000000, 0x64800000, 0xac200000, 0xc0000300, 0xc6140000, 0xe0000000),
        fc.integer({ min: -2, max: 2 }),
      )
      .map(([edge, step]) => edge + step),
  );

  it('agrees with a naive check on every IPv4 address', () => {
    fc.assert(
      fc.property(v4, (address) => {
        expect(classOf(toText(address)) !== 'public').toBe(naive(address));
      }),
      { numRuns: 5000 },
    );
  });

  it('judges a carrier at least as strictly as what it carries', () => {
    fc.assert(
      fc.property(v4, fc.nat(0xffff), (address, noise) => {
        const inner = classOf(toText(address));
        const high = (address >>> 16).toString(16);
        const low = (address & 0xffff).toString(16);
        const flipped = `${((address >>> 16) ^ 0xffff).toString(16)}:${((address & 0xffff) ^ 0xffff).toString(16)}`;
        for (const text of [
          `::ffff:${high}:${low}`,
          `::ffff:0:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b:1:${noise.toString(16)}::${high}:${low}`,
          `2002:${high}:${low}:${noise.toString(16)}::`,
          `2001:0:${high}:${low}::${noise.toString(16)}`,
          `2001:0:808:808:${noise.toString(16)}:0:${flipped}`,
          `2a00:${noise.toString(16)}::5efe:${high}:${low}`,
        ]) {
          const outer = classOf(text);
          expect(worseClass(outer, inner), text).toBe(outer);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds everything outside 2000::/3 special, save what carries a public IPv4 address', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 }), (first, rest) => {
        fc.pre(first >> 13 !== 1);
        const address = parseAddress([first, ...rest].map((group) => group.toString(16)).join(':'))!;
        if (embeddedAddresses(address).length === 0) expect(classifyAddress(address)).not.toBe('public');
      }),
    );
  });
});

describe('networks', () => {
  it('hold what shares their prefix', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['10.0.0.0/8', '10.255.0.1', true],
      ['10.0.0.0/8', '11.0.0.0', false],
      ['0.0.0.0/0', '255.1.2.3', true],
      ['0.0.0.0/0', '::1', false],
      ['::/0', '1.2.3.4', false],
      ['1.2.3.4/32', '1.2.3.4', true],
      ['1.2.3.4/32', '1.2.3.5', false],
      ['172.16.0.0/12', '172.31.0.1', true],
      ['172.16.0.0/12', '172.32.0.1', false],
      ['fe80::/10', 'febf::1', true],
      ['fe80::/10', 'fec0::1', false],
      ['::1/128', '::1', true],
    ];
    for (const [network, address, expected] of cases) {
      expect(inNetwork(parseAddress(address)!, parseNetwork(network)!), `${network} ${address}`).toBe(
        expected,
      );
    }
  });

  it('are refused with a wrong prefix or bits beyond it', () => {
    for (const text of [
      '10.0.0.0',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/08',
      '10.0.0.1/8',
      '::1/64',
      '::/129',
      'a/8',
    ]) {
      expect(parseNetwork(text), text).toBeUndefined();
    }
  });
});

describe('names', () => {
  it('are local, localhost or metadata by their suffix', () => {
    for (const name of [
      'localhost',
      'a.localhost',
      'a.local',
      'a.b.internal',
      'nas.lan',
      'home.arpa',
      'a.home.arpa',
      'host',
      'a.corp',
      'a.home',
      'a.intranet',
      'a.localdomain',
    ]) {
      expect(isLocalName(name), name).toBe(true);
    }
    for (const name of [
      'example.com',
      'local.example.com',
      'alocal.com',
      'a.notlocal',
      'arpa.example',
      'in-addr.arpa',
    ]) {
      expect(isLocalName(name), name).toBe(false);
    }
    expect(isLocalhostName('a.b.localhost')).toBe(true);
    expect(isLocalhostName('localhost.example.com')).toBe(false);
    expect(isMetadataName('metadata.google.internal')).toBe(true);
    expect(isMetadataName('metadata.example.com')).toBe(false);
  });

  it('fit DNS', () => {
    for (const name of ['a', 'a.b', 'a-b.c', '_dmarc.example.com', 'xn--bcher-kva.de', 'a'.repeat(63)]) {
      expect(isDnsName(name), name).toBe(true);
    }
    for (const name of [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      '-a',
      'a-',
      'A',
      'a b',
      'a*b',
      'a'.repeat(64),
      `${'a.'.repeat(127)}aa`,
      '\u00fc',
    ]) {
      expect(isDnsName(name), name).toBe(false);
    }
  });
});

describe('targetOf', () => {
  it('reads scheme, host and port', () => {
    expect(targetOf(new URL('https://EXAMPLE.com.'))).toEqual({
      scheme: 'https',
      host: 'example.com',
      port: 443,
    });
    expect(targetOf(new URL('http://a.b:8080'))).toEqual({ scheme: 'http', host: 'a.b', port: 8080 });
    expect(targetOf(new URL('http://[::1]'))).toMatchObject({ host: { text: '::1' }, port: 80 });
    expect(targetOf(new URL('http://1.2.3.4'))).toMatchObject({ host: { family: 4 } });
    expect(hostText(parseAddress('::1')!)).toBe('[::1]');
  });

  it('gives nothing where no request can go', () => {
    for (const url of [
      'ftp://a/',
      'file:///a',
      'data:,a',
      'http://a:0/',
      'http://a..b/',
      'http://./',
      'http://a;b/',
    ]) {
      expect(targetOf(new URL(url)), url).toBeUndefined();
    }
  });
});

describe('parseDestination', () => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ['', /empty/],
    [' ', /white space/],
    ['a b', /white space/],
    ['a\n', /white space/],
    ['a\u00a0b', /white space/],
    ['a'.repeat(513), /longer than 512/],
    ['ftp://example.com', /only http and https/],
    ['user@example.com', /user or a password/],
    ['https://u:p@example.com', /user or a password/],
    ['example.com/', /path/],
    ['example.com/a/b', /path/],
    ['https://example.com/', /path/],
    ['example.com?a', /no host has/],
    ['example.com#a', /no host has/],
    ['a\\b', /no host has/],
    ['ex%61mple.com', /no host has/],
    ['http://', /host is missing/],
    [':80', /host is missing/],
    ['*.', /host is missing/],
    ['a*.com', /stands alone/],
    ['a.*.com', /stands alone/],
    ['*.*.com', /stands alone/],
    ['**', /stands alone/],
    ['*com', /stands alone/],
    ['a..b', /DNS/],
    ['-a.com', /DNS/],
    ['a;b', /DNS/],
    ['1.2.3.4.5', /DNS/],
    ['127.1', /plain form.*127\.0\.0\.1/],
    ['0x7f000001', /plain form/],
    ['*.1.2.3.4', /plain form/],
    ['example.com:', /port/],
    ['example.com:0', /port/],
    ['example.com:65536', /port/],
    ['example.com:080', /port/],
    ['example.com:http', /port/],
    ['example.com/8', /path/],
    ['10.0.0.0/33', /prefix/],
    ['10.0.0.1/8', /prefix/],
    ['10.0.0.0/', /prefix/],
    ['fd00::1/8', /prefix/],
    ['[fd00::', /split/],
    ['[::1]a', /split/],
    ['[example.com]', /brackets/],
    ['[1.2.3.4]', /brackets/],
    ['[fe80::1%eth0]', /no host has/],
    ['a:b:c', /DNS/],
  ];
  for (const [text, message] of bad) {
    it(`refuses ${JSON.stringify(text).slice(0, 40)}`, () => {
      expect(() => parseDestination(text)).toThrow(InputError);
      expect(() => parseDestination(text)).toThrow(message);
    });
  }

  it('reads hosts, wildcards, addresses and networks', () => {
    expect(parseDestination('B\u00fccher.DE.')).toEqual({
      host: { kind: 'name', name: 'xn--bcher-kva.de' },
      scheme: 'any',
      port: 'default',
    });
    expect(parseDestination('HTTPS://*.example.com:*')).toEqual({
      host: { kind: 'below', base: 'example.com' },
      scheme: 'https',
      port: 'any',
    });
    expect(parseDestination('*:8443')).toEqual({ host: { kind: 'any' }, scheme: 'any', port: 8443 });
    expect(parseDestination('[::1]:80')).toMatchObject({ host: { kind: 'address' }, port: 80 });
    expect(parseDestination('::1')).toMatchObject({ host: { kind: 'address' }, port: 'default' });
    for (const text of ['10.0.0.0/8:80', 'fd00::/8:80', '[fd00::]/8:80']) {
      expect(parseDestination(text), text).toMatchObject({
        host: { kind: 'network', network: { prefix: 8 } },
        port: 80,
      });
    }
  });

  it('is blind to letter case and to how an international name is written', () => {
    const label = fc.stringMatching(/^[a-z\u00e0-\u00f6\u03b1-\u03c1\u0430-\u044f]{1,10}$/);
    fc.assert(
      fc.property(label, fc.boolean(), fc.boolean(), (text, upper, wild) => {
        const host = `${text}.example.com`;
        const url = URL.parse(`https://${host}/`);
        fc.pre(url !== null);
        const target = targetOf(url!);
        fc.pre(target !== undefined);
        const written = upper ? host.toUpperCase() : host;
        const pattern = parseDestination(wild ? '*.EXAMPLE.com' : written);
        expect(namesTarget(pattern, target!)).toBe(true);
        expect(namesTarget(parseDestination(url!.hostname), target!)).toBe(true);
      }),
    );
  });

  it('never throws anything but InputError', () => {
    const piece = fc.constantFrom(
      '*',
      '.',
      ':',
      '/',
      '[',
      ']',
      'a',
      '1',
      '::',
      '8',
      'http://',
      '%',
      '@',
      '\u3002',
      'xn--',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 10 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseDestination(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('naming and hitting', () => {
  it('a wildcard names public names only', () => {
    for (const text of ['*', '*:*', '*.com', '*.arpa']) {
      const pattern = parseDestination(text);
      for (const host of [
        'localhost',
        'a.internal',
        'metadata.goog',
        'a.home.arpa',
        parseAddress('8.8.8.8')!,
      ]) {
        expect(namesHost(pattern, host), `${text} ${hostText(host)}`).toBe(false);
      }
    }
  });

  it('a rule hits at least what a list names', () => {
    const patterns = fc.constantFrom(
      ...[
        '*',
        '*:*',
        '*.example.com',
        'example.com:8080',
        'https://example.com',
        'localhost',
        '10.0.0.0/8',
        '::/0:*',
      ],
      ...['169.254.169.254', '*.internal'],
    );
    const urls = fc.constantFrom(
      ...[
        'https://example.com',
        'http://a.example.com:8080',
        'http://127.0.0.1',
        'http://10.1.1.1',
        'http://[::1]',
      ],
      ...['http://169.254.169.254', 'http://metadata.google.internal', 'http://example.com:8080'],
    );
    fc.assert(
      fc.property(patterns, urls, (text, url) => {
        const pattern = parseDestination(text);
        const target = targetOf(new URL(url))!;
        if (namesTarget(pattern, target)) expect(hitsTarget(pattern, target)).toBe(true);
      }),
    );
  });
});

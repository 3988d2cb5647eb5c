// The checks of the PII pack, against published examples and by what one changed digit does to them.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../examples.ts';
import { keccak256 } from './keccak.ts';
import { piiChecks } from './pii.ts';
import { piiGenerators } from './pii-generators.ts';
import { sha256 } from './sha256.ts';

function passes(name: string, secret: string, left = ''): boolean {
  const check = piiChecks[name];
  if (check === undefined) throw new Error(`there is no check "${name}"`);
  return check(secret, left);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Examples that offices, standards and textbooks print; none is anybody's. */
const published: readonly (readonly [string, string])[] = [
  ['cnpj', '12ABC34501DE35'], // sallyport:allow
  ['cnpj', '11.222.333/0001-81'], // sallyport:allow
  ['cpf', '529.982.247-25'], // sallyport:allow
  ['card', '4111 1111 1111 1111'], // sallyport:allow
  ['card', '371982467135026'], // sallyport:allow
  ['card', '30569309162848'], // sallyport:allow
  ['iban', 'GB82 WEST 1234 5698 7654 32'], // sallyport:allow
  ['iban', 'BR18 0036 0305 0000 1000 9795 493C 1'], // sallyport:allow
  ['us-routing', '021000021'], // sallyport:allow
  ['us-npi', '1234567893'], // sallyport:allow
  ['uk-nhs', '943 476 5919'], // sallyport:allow
  ['es-nif', '12345678Z'], // sallyport:allow
  ['es-nie', 'X1234567L'], // sallyport:allow
  ['es-cif', 'A58818501'], // sallyport:allow
  ['it-fiscal-code', 'RSSMRA85T10A562S'], // sallyport:allow
  ['it-vat', '00743110157'], // sallyport:allow
  ['fr-nir', '2 55 08 14 168 025 38'], // sallyport:allow
  ['fr-siren', '732 829 320'], // sallyport:allow
  ['fr-siret', '732 829 320 00074'], // sallyport:allow
  ['de-tax-id', '86095742719'], // sallyport:allow
  ['de-vat', 'DE136695976'], // sallyport:allow
  ['de-pension', '15070649C103'], // sallyport:allow
  ['de-health', 'A123456780'], // sallyport:allow
  ['de-card', 'L01X00T44'], // sallyport:allow
  ['pl-pesel', '44051401458'], // sallyport:allow
  ['pt-nif', '501964843'], // sallyport:allow
  ['nl-bsn', '111222333'], // sallyport:allow
  ['be-national', '85.07.30-033.28'], // sallyport:allow
  ['se-person', '811228-9874'], // sallyport:allow
  ['fi-person', '131052-308T'], // sallyport:allow
  ['no-person', '15108695088'], // sallyport:allow
  ['ch-ahv', '756.9217.0769.85'], // sallyport:allow
  ['ro-cnp', '1630615123457'], // sallyport:allow
  ['ie-pps', '6433435F'], // sallyport:allow
  ['ru-snils', '112-233-445 95'], // sallyport:allow
  ['ru-inn', '500100732259'], // sallyport:allow
  ['in-aadhaar', '3998 7654 3211'], // sallyport:allow
  ['cn-resident', '11010519491231002X'], // sallyport:allow
  ['jp-my-number', '123456789018'], // sallyport:allow
  ['kr-brn', '104-82-13138'], // sallyport:allow
  ['th-id', '1234567890121'], // sallyport:allow
  ['sg-nric', 'S9108268C'], // sallyport:allow
  ['sg-uen', '201434292D'], // sallyport:allow
  ['sg-uen', 'T16RF0037C'], // sallyport:allow
  ['tr-id', '10000000146'], // sallyport:allow
  ['hk-id', 'A123456(3)'], // sallyport:allow
  ['tw-id', 'A123456789'], // sallyport:allow
  ['au-tfn', '876 543 210'], // sallyport:allow
  ['au-abn', '51 824 753 556'], // sallyport:allow
  ['au-acn', '000 000 019'], // sallyport:allow
  ['au-medicare', '2123 45670 1'], // sallyport:allow
  ['ca-sin', '435 418 165'], // sallyport:allow
  ['za-id', '8001015009087'], // sallyport:allow
  ['mx-curp', 'HEGG560427MVZRRL04'], // sallyport:allow
  ['mx-rfc', 'GODE561231GR8'], // sallyport:allow
  ['ar-cuit', '20-05536168-2'], // sallyport:allow
  ['cl-rut', '12.531.909-2'], // sallyport:allow
  ['co-nit', '213.123.432-1'], // sallyport:allow
  ['pe-ruc', '20512333797'], // sallyport:allow
  ['ec-cedula', '1714307103'], // sallyport:allow
];

/** The sum of these catches any one digit that is changed; others let a few through. */
const exact = new Set([
  'cpf',
  'card',
  'iban',
  'us-npi',
  'fr-nir',
  'fr-siren',
  'in-aadhaar',
  'ca-sin',
  'au-abn',
  'cn-resident',
  'nl-bsn',
]);

describe('check digits', () => {
  it.each(published)('of %s hold for %s', (name, secret) => {
    expect(passes(name, secret)).toBe(true);
  });

  it.each(published.filter(([name]) => exact.has(name)))(
    'of %s catch any one digit changed in %s',
    (name, secret) => {
      for (let at = 0; at < secret.length; at++) {
        if (!/\d/.test(secret.charAt(at))) continue;
        for (let digit = 0; digit < 10; digit++) {
          const changed = `${secret.slice(0, at)}${digit}${secret.slice(at + 1)}`;
          expect(passes(name, changed), changed).toBe(changed === secret);
        }
      }
    },
  );

  it.each([
    ['cpf', '111.111.111-11'],
    ['cnpj', '00.000.000/0000-00'],
    ['card', '0000 0000 0000 0000'],
    ['us-ssn', '000-12-3456'],
    ['us-ssn', '078-05-1120'],
    ['us-ssn', '111-22-3333'],
    ['us-itin', '911-89-1234'],
    ['uk-nino', 'GB123456A'],
    ['fi-person', '310289-211C'],
    ['kr-form', '001332-1234567'],
    ['iban', 'XX82 WEST 1234 5698 7654 32'],
  ])('of %s do not save %s', (name, secret) => {
    expect(passes(name, secret)).toBe(false);
  });

  it('let few random numbers pass', () => {
    const random = randomFrom('few');
    const share = (name: string, form: string) => {
      let passed = 0;
      for (let tries = 0; tries < 20_000; tries++) {
        if (passes(name, piiGenerators['form']?.(random, form) ?? '')) passed++;
      }
      return passed / 20_000;
    };
    expect(share('cpf', '###########')).toBeLessThan(0.015);
    expect(share('cnpj', '##############')).toBeLessThan(0.015);
    expect(share('card', '################')).toBeLessThan(0.035);
    expect(share('no-person', '###########')).toBeLessThan(0.002);
    expect(share('cn-resident', '##################')).toBeLessThan(0.001);
    expect(share('lone-number', '###########')).toBeLessThan(0.06);
  });

  it('are made by the generators', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const random = randomFrom(seed);
        expect(passes('cpf', piiGenerators['cpf']?.(random) ?? '')).toBe(true);
        expect(passes('cnpj', piiGenerators['cnpj']?.(random) ?? '')).toBe(true);
        expect(passes('card', piiGenerators['card']?.(random, '5067') ?? '')).toBe(true);
        expect(passes('iban', piiGenerators['iban']?.(random, 'MT', '_') ?? '')).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('hashes', () => {
  it('are those of the standards', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
      }),
      { numRuns: 50 },
    );
    expect(hex(keccak256(''))).toMatch(/^c5d2460186f7233c927e7db2dcc703c0/);
    expect(hex(keccak256('testing'))).toMatch(/^5f16f4c7f149ac4f9510d9cf8cf38403/);
  });

  it.each(['bitcoin', 'ripple', 'tron'])('check the addresses of %s', (network) => {
    const address = piiGenerators['address']?.(randomFrom('a'), network) ?? '';
    expect(passes('base58-address', address)).toBe(true);
    expect(passes('base58-address', `${address.slice(0, -1)}${address.endsWith('a') ? 'b' : 'a'}`)).toBe(
      false,
    );
  });

  it('check segregated witness and the letter case of Ethereum', () => {
    const random = randomFrom('b');
    const segwit = piiGenerators['address']?.(random, 'segwit') ?? '';
    expect(passes('bech32', segwit)).toBe(true);
    expect(passes('bech32', segwit.toUpperCase())).toBe(true);
    expect(passes('bech32', `B${segwit.slice(1)}`)).toBe(false);
    const ethereum = piiGenerators['address']?.(random, 'ethereum') ?? '';
    expect(passes('ethereum-checksum', ethereum)).toBe(true);
    expect(passes('ethereum-checksum', `0x${ethereum.slice(2).toLowerCase()}`)).toBe(false);
    expect(passes('ethereum-one-case', `0x${ethereum.slice(2).toLowerCase()}`)).toBe(true);
    expect(passes('ethereum-one-case', `0x${'0'.repeat(40)}`)).toBe(false);
  });
});

describe('what stands left', () => {
  it.each([
    ['ipv4', '203.0.113.9', 'blocked ', true],
    ['ipv4', '203.0.113.9', 'version ', false],
    ['ipv4', '203.0.113.9', 'Chrome/', false],
    ['ipv4', '203.0.113.9', 'http://', true],
    ['ipv4', '1.2.3.4', 'see ', false],
    ['ipv4', '1.2.3.4', 'ping ', true],
    ['ipv4', '1.2.3.4', '', true],
    ['ipv4', '127.0.0.1', 'http://', false],
    ['ipv4', '127.0.0.1', 'client IP: ', true],
    ['ipv4', '255.255.255.0', 'netmask ', false],
    ['ipv6', '::1', 'x[', false],
    ['ipv6', '::1', 'my ip: ', true],
    ['ipv6', '2001:db8::7', 'x ', true],
    ['ipv6', '1::2', 'a[', false],
    ['email', 'ana@exemplo.com.br', 'mailto:', true],
    ['email', 'senha@exemplo.com.br', 'ftp://ana:', false],
    ['email', 'icon@2x.png', '', false],
    ['email', 'noreply@anthropic.com', 'Co-Authored-By: Claude <', false],
    ['email', 'do-not-reply@shop.example', '', false],
    ['email', '1234+ana@users.noreply.github.com', '', false],
    ['email', 'ann@example.com', '', false],
    ['email', 'ann@mail.example', '', false],
    ['email', 'you@yourdomain.com', '', false],
    ['email', 'noreply@github.com', '', false],
    ['email', 'new_priority@OData.Community.Display', '', false],
    ['card', '4242 4242 4242 4242', '', false],
    ['card', '378282246310005', '', false],
    ['email', 'noreplyana@exemplo.com.br', '', true],
    ['phone-international', '+5511987654321', 'Ana ', true],
    ['phone-international', '+5511987654321', 'a patch\n', false],
    ['phone-international', '+4420712345', 'x = y ', false],
    ['phone-international', '+4420712345', 'call ', true],
    ['phone-international', '+55 11 98765-4321', 'x = y ', true],
    ['phone-international', '+340308-1181434', 'US\t', false],
    ['phone-called', '1134567890', 'telefone: ', true],
    ['phone-called', '1134567890', 'telefone do pedido ', false],
    ['phone-called', '353207.547', 'max cell rate: ', false],
    ['whole', '123-45-6789', 'id A-', false],
    ['alone', '123', ' "', true],
    ['alone', '123', 'no ', false],
  ])('decides about %s %s after "%s"', (name, secret, left, expected) => {
    expect(passes(name, secret, left)).toBe(expected);
  });

  it('decides about cards in lists and fractions', () => {
    const card = piiGenerators['card']?.(randomFrom('card'), '4') ?? '';
    expect(passes('plain-card', card, 'id ')).toBe(true);
    expect(passes('plain-card', card, '0.')).toBe(false);
    expect(passes('plain-card', '5120 5121 5122 5123', '511F ')).toBe(false);
  });

  it('tells drawn tokens from names', () => {
    expect(passes('oauth-token', 'a1b2c3d4e5f6g7h8i9j0')).toBe(true); // sallyport:allow
    expect(passes('oauth-token', 'response.data.access_token')).toBe(false);
    expect(passes('oauth-token', 'YOUR_ACCESS_TOKEN_1_GOES_2_HERE')).toBe(false);
  });
});

// Which questions a server may ask the user, and how the server is identified.

import { describe, expect, it } from 'vitest';
import { type Asked, asksSecret, questionOf } from './questions.ts';

type Properties = Extract<Asked, { requestedSchema: object }>['requestedSchema']['properties'];

function form(message: string, properties: Properties = {}): Asked {
  return { mode: 'form', message, requestedSchema: { type: 'object', properties } };
}

describe('a question', () => {
  it('is put in the name of its server, with nothing hidden in it', () => {
    const put = questionOf('tickets', form('Which\u200b team?\u001b[2J', { team: { type: 'string' } }));
    expect(put).toMatchObject({ params: { message: expect.stringMatching(/^tickets asks: Which/) } });
    expect(JSON.stringify(put)).not.toContain('\\u001b[2J","requested');
    expect(typeof put === 'string' ? '' : put.params.message).not.toMatch(/[\u001b\u200b]/);
  });

  it.each<[string, Asked]>([
    ['in its message', form('Enter your password to go on')],
    ['by the name of a field', form('One more thing', { apiKey: { type: 'string' } })],
    ['by the title of a field', form('One more thing', { a: { type: 'string', title: 'Card number' } })],
    [
      'in the description of a field',
      form('Hi', { a: { type: 'string', description: 'the one-time code' } }),
    ],
    ['in a choice', form('Hi', { a: { type: 'string', enum: ['my token', 'nothing'] } })],
  ])('for a secret %s is not put', (_, asked) => {
    expect(questionOf('tickets', asked)).toBe('it asks for something secret');
  });

  it('that is too large is not put', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`f${at}`, { type: 'string' as const }]),
    );
    expect(questionOf('tickets', form('Hi', fields))).toBe('it has too many fields');
  });

  it('to open a page says whose page it is', () => {
    const asked: Asked = {
      mode: 'url',
      message: 'Connect',
      url: 'https://pay.example/x?y=1',
      elicitationId: '1',
    };
    expect(questionOf('tickets', asked)).toMatchObject({
      params: { message: 'tickets asks you to open a page of https://pay.example: Connect', url: asked.url },
    });
    // A look-alike name is shown as it is encoded on the wire.
    expect(questionOf('tickets', { ...asked, url: 'https://раypal.example/' })).toMatchObject({
      params: { message: expect.stringContaining('https://xn--') },
    });
  });

  it.each([
    'http://pay.example/',
    'https://user:word@pay.example/', // sallyport:allow
    'javascript:alert(1)',
    'file:///etc/passwd',
    'no address',
  ])('to open %s is not put', (url) => {
    const asked: Asked = { mode: 'url', message: 'Connect', url, elicitationId: '1' };
    expect(questionOf('tickets', asked)).toBe('it is to open an address that is not opened');
  });
});

describe('what asks for a secret', () => {
  it.each([
    ...[
      'password',
      'userPassword',
      'db_passwd',
      'PASSPHRASE',
      'api_key',
      'apiKey',
      'API-Key',
      'accessToken',
      'jwt',
    ],
    ...[
      'client_secret',
      'private key',
      'sshKey',
      'credit card',
      'cardNumber',
      'CVV',
      'cvc2',
      'security code',
      'IBAN',
    ],
    ...['SSN', 'social security number', 'otp', '2FA', 'verification code', 'PIN', 'pin code', 'seed phrase'],
    ...[
      'recovery codes',
      'mnemonic',
      'bank account number',
      'pass\u200bword',
      'ｐａｓｓｗｏｒｄ',
      'connection string',
    ],
  ])('%s', (text) => {
    expect(asksSecret(text)).toBe(true);
  });

  it.each([
    ...[
      'name',
      'email',
      'Which team?',
      'keyboard layout',
      'monkey',
      'passenger',
      'pinned version',
      'opinion',
      'spin',
    ],
    ...[
      'cardinality',
      'postcode',
      'tokenizer',
      'primary key column',
      'secretary',
      'passage',
      'keyword',
      'account name',
    ],
    ...['How many tickets?', 'security group', 'recovery point', 'a coin', 'shipping address', 'start date'],
  ])('and %s does not', (text) => {
    expect(asksSecret(text)).toBe(false);
  });
});

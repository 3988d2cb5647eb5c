// A server may ask the user something during a call, in its own name; it may not ask for a secret, and it opens no page
// without identifying the owner of the page.

import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { visible } from '../../core/index.ts';
import { textsIn } from './names.ts';

/** The server's request. */
export type Asked = ElicitRequest['params'];
/** The user's answer, or none. */
export type Answered = ElicitResult;

/** A question as the user is shown it. */
export interface Question {
  readonly params: Asked;
  /** Every text in it, for the guards. */
  readonly text: string;
}

const longestMessage = 1500;
const mostFields = 32;

/** The question in the server's name; if it is refused, the reason as a text. */
export function questionOf(server: string, asked: Asked): Question | string {
  const text = textsIn(asked)?.join('\n');
  if (text === undefined) return 'it is nested too deeply';
  const words = visible(asked.message, longestMessage);
  if (asked.mode === 'url') {
    const page = URL.parse(asked.url);
    if (page?.protocol !== 'https:' || page.username !== '' || page.password !== '') {
      return 'it is to open an address that is not opened';
    }
    const message = `${server} asks you to open a page of ${page.origin}: ${words}`;
    return { params: { ...asked, message, url: page.href }, text };
  }
  const fields = Object.entries(asked.requestedSchema.properties ?? {});
  if (fields.length > mostFields) return 'it has too many fields';
  const secret = [words, ...fields.map(([name, field]) => [name, ...(textsIn(field) ?? [])].join(' '))].find(
    asksSecret,
  );
  if (secret !== undefined) return 'it asks for something secret';
  return { params: { ...asked, message: `${server} asks: ${words}` }, text };
}

/** Names of secrets; normalized, without separators. */
const secrets: readonly RegExp[] = [
  /\bpass(?:word|wd|phrase|code|wort)s?\b|\bpwd\b|\bkennwort\b|\bcontraseña\b|\bmot de passe\b|\bsenha\b/,
  /\b(?:secret|credential|token|jwt|bearer|cookie|api ?key|apikey|access ?key|secret ?key|private ?key|ssh ?key|signing ?key|license ?key|encryption ?key)s?\b/,
  /\b(?:client|shared|webhook) ?secrets?\b|\bconnection ?string\b/,
  /\b(?:credit|debit|bank|payment) ?cards?\b|\bcard ?(?:number|no|holder|expiry)\b|\bc(?:vv|vc|sc)2?\b|\bsecurity ?code\b/,
  /\b(?:ssn|social ?security|passport|tax ?id|national ?(?:id|insurance))\b|\biban\b|\b(?:bank ?)?account ?number\b|\brouting ?number\b|\bsort ?code\b/,
  /\b(?:otp|totp|2fa|mfa|one ?time ?(?:code|pass)|verification ?code|authenticat(?:or|ion) ?code|backup ?codes?|recovery ?(?:code|key|phrase)s?)\b|\bpin(?: ?(?:code|number))?\b/,
  /\b(?:seed|mnemonic|recovery|secret) ?(?:phrase|words?)\b|\bmnemonic\b|\bwallet ?key\b/,
];

/** Whether a text asks for a secret, however its words are joined. */
export function asksSecret(text: string): boolean {
  const read = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_\-.:/]+/g, ' ')
    .toLowerCase();
  return secrets.some((pattern) => pattern.test(read));
}

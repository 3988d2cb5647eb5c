// Checks of addresses and numbers at which a person or a machine is reached.

import type { Check } from './check.ts';
import { folded, isAlone } from './context.ts';
import { digitsOf, isUniform } from './digits.ts';

/** Ends of names that stand behind an @ in file names, units and versions, and are no domains. */
const notDomains =
  /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|avif|pdf|zip|gz|tgz|tar|bz2|xz|jar|whl|css|scss|less|js|mjs|cjs|jsx|ts|mts|cts|tsx|json|ya?ml|toml|html?|xml|txt|rst|csv|log|map|lock|woff2?|ttf|otf|eot|mp[34]|webm|wasm|exe|dll|so|py|rb|php|java|kt|go|rs|cpp|hpp|service|socket|timer|target|mount|slice|scope|path|device|swap|conf|cfg|ini|bak|tmp|git|localdomain)$/i;
/** Names before an @ that are no person's mailbox: users of code hosts over SSH, receivers in code, no-reply senders. */
const notMailboxes =
  /^(?:git|hg|svn|ssh|this|super|self|return|break|continue|(?:\d+\+)?no-?reply|do-?not-?reply|donotreply|mailer-daemon|postmaster|abuse|notifications?|you|your[-_.]?(?:name|e?mail)|someone)@/i;

/** Domains that belong to nobody (RFC 2606, RFC 6761), those that manuals write for them, and services of code forges. */
const nobodysDomains =
  /@(?:[\w-]+\.)*(?:example\.(?:com|net|org|edu)|[\w-]+\.(?:example|test|invalid|localhost|local)|your-?(?:domain|company|site|email|org)(?:name)?\.\w+|(?:my)?(?:domain|company|mysite|website)\.(?:com|org|net|tld)|users\.noreply\.\w+\.\w+|noreply\.\w+\.\w+|(?:reply|notifications)\.github\.com)$/i;

function isEmail(secret: string, left: string): boolean {
  if (notDomains.test(secret) || notMailboxes.test(secret) || nobodysDomains.test(secret)) return false;
  // A key of an annotation: a name, an @ and the name of a term.
  if (/@(?:OData|Microsoft|Org|Com|Capabilities|Core|Validation)\./.test(secret)) return false;
  if (/\.\.|^\.|\.@|-\.|\.-/.test(secret)) return false;
  // The user and password of a URL are no mailbox; but mailto: has no slashes.
  return !/:\/\/[^\s/?#"'<>]*$/.test(left);
}

/** Words that make an address of what could be something else. */
const addressWords =
  /(?:\bips?\b|ipv[46]|\baddr|addr\b|address|adresse|endereco|direccion|indirizzo|loopback|unspecified|broadcast|\bhosts?\b|hostname|server|servidor|client|\bpeer\b|remote|\bsrc\b|\bdst\b|source|destination|gateway|\bdns\b|nameserver|\bping\b|\bssh\b|\bfrom\b|subnet|private|public|\broute\b|listen|\bbind\b|connect|:\/\/[^\s/]*$|@$)/;
/** The same, right before an address that names no machine in particular. */
const wordBefore =
  /(?:\bips?|ipv[46]|\baddr|address|endereco|direccion|loopback|localhost|unspecified|broadcast|\bsrc|\bdst|source|destination|\bfrom)(?: (?:is|e|of))?["']?[\s:=("'`[]{1,4}$/;
const versionWords =
  /(?:\bv|\bver|version|versao|versions|release|revision|\brev|build|firmware|chapter|section|secao|capitulo|clause|clausula|\boid|§|\btable|\bfig(?:ure)?|\bitem|step|passo)[\s.:#="'([]*$/;

function octetsOf(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const octets = parts.map(Number);
  return octets.every((octet) => octet <= 255) ? octets : undefined;
}

/**
 * An IPv4 address. Small numbers throughout are as often a version or a section: they need a word for an address
 * somewhere before them. The loopback, "any" and mask addresses name nobody: they need it right before them. Any
 * address counts that is the whole text.
 */
function isIpv4(secret: string, left: string): boolean {
  const octets = octetsOf(secret);
  if (octets === undefined) return false;
  if (isAlone(left)) return true;
  const before = folded(left.slice(-32));
  // "Name/1.2.3.4" and "name-1.2.3.4" are products with their versions.
  if (versionWords.test(before) || /(?:\d\.|[a-z0-9)][-/]|[a-z]_|[~^<>]=?\s?|==\s?|\+)$/.test(before)) {
    return false;
  }
  const [first = 0] = octets;
  if (first === 0 || first === 127 || first === 255) return wordBefore.test(before);
  const isPlain = octets.every((octet) => octet < 20) || octets.slice(1).every((octet) => octet === 0);
  return !isPlain || addressWords.test(before);
}

/** The groups of an IPv6 address, without those that `::` leaves out; none if it is not one. */
function groupsOf(text: string): readonly string[] | undefined {
  const dotted = /^(.*:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text);
  if (dotted !== null && octetsOf(dotted[2] ?? '') === undefined) return undefined;
  const plain = dotted === null ? text : `${dotted[1]}0:0`;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (groups.some((group) => !/^[0-9A-Fa-f]{1,4}$/.test(group))) return undefined;
  return (halves.length === 2 ? groups.length <= 7 : groups.length === 8) ? groups : undefined;
}

/**
 * An IPv6 address. Short ones are as often a slice of a list or a name of C++, so they need a word for an address
 * right before them, or to be the whole text.
 */
function isIpv6(secret: string, left: string): boolean {
  const groups = groupsOf(secret);
  if (groups === undefined || (secret.startsWith(':') && left.endsWith(':'))) return false;
  if (isAlone(left)) return true;
  const [first = ''] = groups;
  const isLong = secret.includes('.') || (groups.length >= 3 && groups.some((group) => group.length >= 3));
  const isPrefixed = first.length === 4 && !secret.startsWith(':');
  if ((isLong || isPrefixed) && /\d/.test(secret)) return true;
  return wordBefore.test(folded(left.slice(-32)));
}

/** Six bytes that are not all the same, as the null and the broadcast address are. */
function isMac(secret: string): boolean {
  return !isUniform(secret.replace(/[.:-]/g, '').toLowerCase());
}

/** How many digits national numbers have, by country code; the plan of ITU-T E.164 as countries publish it. */
const countryCodes: readonly (readonly [RegExp, number, number])[] = [
  [/^1[2-9]\d{2}[2-9]/, 11, 11],
  [/^7[3-9]/, 11, 11],
  [/^2[07]/, 10, 12],
  [/^3[0-469]/, 10, 13],
  [/^4[013-8]/, 9, 13],
  [/^49/, 9, 14],
  [/^55[1-9][1-9]/, 12, 13],
  [/^5[1-46-8]/, 9, 13],
  [/^6[0-6]/, 9, 13],
  [/^8[1246]/, 9, 13],
  [/^9[0-58]/, 9, 13],
  [/^(?:2[1-69]|3[578]|42|5[09]|67|68|69|8[058]|9[679])\d/, 10, 13],
];

/** A number with a country code that exists, of a length that it can have. */
function isInternational(secret: string, left: string): boolean {
  const digits = digitsOf(secret).replace(/^00/, '');
  if (/(\d)\1{6}|^(?:1234567|0)/.test(digits)) return false;
  // Latitude and longitude after ISO 6709.
  if (/^\+\d{4,6}[-+]\d{5,7}$/.test(secret)) return false;
  // A sum in code, or the added line of a patch: only separators or a word make a telephone number of it.
  const isBare = !/\d[ ().-]+\d/.test(secret);
  const isSum = digits.length < 11 ? /[\w)\]]\s?$/.test(left) : /[)\]]\s?$/.test(left);
  if (isBare && (isSum || left.endsWith('\n')) && !phoneWords.test(folded(left.slice(-48)))) return false;
  return countryCodes.some(
    ([code, least, most]) => code.test(digits) && digits.length >= least && digits.length <= most,
  );
}

const phoneWords =
  /(?:\bphones?|telephones?|\btel\b|\btelef|\bfone|telefon|\bcel\b|celular|\bcell|mobile|movil|portable|handy|whats ?app|\bzap\b|\bsms\b|\bfax|\bcalls?\b|\bcall(?:ing|ed)|contato|contact|contacto|kontakt|contatt|\blig(?:a|ar|ue|uem|acao)\b|\bllam|\bdial|ramal|hotline|recado|phone_?(?:no|number)|msisdn|cellulare|numero de contato|rufnummer|\bmy (?:\w{2,3} )?number|\bmeu numero|手机|电话|電話|携帯|전화|휴대)/;
const everyPhoneWord = new RegExp(phoneWords, 'g');
/** Words that say that a number is something else. */
const otherNumbers =
  /(?:cpf|cnpj|\brg\b|\bpis\b|\bcnh\b|pedido|order|protocolo|\bnota\b|invoice|fatura|boleto|\bcep\b|\bzip|account|conta\b|agencia|\bcode|codigo|\bid\b|\bids\b|serial|\bssn\b|timestamp|\bts\b|version|build|commit|isbn|\bean\b|amount|valor|price|preco|\btotal\b|\bport\b|\bpid\b|\bbug\b|issue|ticket|\bpr\b|\brate\b)/;

/** Whether a word for a telephone stands before, and no word for another number between. */
function isCalledPhone(left: string): boolean {
  const before = folded(left.slice(-40));
  const last = [...before.matchAll(everyPhoneWord)].at(-1);
  return last !== undefined && !otherNumbers.test(before.slice(last.index));
}

/** Area codes that Brazil has given out. */
const areaCodes = /^(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])/;

/** An area code of Brazil, and nine digits from a 9 or eight from 2 to 5. */
function isBrazilian(secret: string): boolean {
  const digits = digitsOf(secret).replace(/^0(?:\d{2}(?=\d{10,11}$))?/, '');
  return areaCodes.test(digits) && /^\d{2}(?:9\d{8}|[2-5]\d{7})$/.test(digits);
}

/** As the numbering plan of North America has it: neither area nor exchange begins with 0 or 1, nor is it N11. */
function isNorthAmerican(secret: string): boolean {
  const digits = digitsOf(secret).replace(/^1/, '');
  return (
    /^[2-9]\d{2}[2-9]\d{6}$/.test(digits) &&
    !/^.11|^...11/.test(digits.slice(0, 6)) &&
    !/^(\d)\1{6}/.test(digits)
  );
}

function isCalled(secret: string, left: string): boolean {
  const digits = digitsOf(secret);
  if (digits.length < 7 || digits.length > 15 || isUniform(digits)) return false;
  // The end of a name or a path, or a date.
  if (/[\w.$/-]$/.test(left) || /\d{4}-\d{2}-\d{2}|^\d{2}([-./])\d{2}\1\d{2}|^\d+\.\d{1,3}$/.test(secret))
    return false;
  return isCalledPhone(left);
}

/** A national number in writing that hardly anything else has; not one of several groups in a row. */
function isGrouped(secret: string, left: string): boolean {
  if (/\d[ .-]$/.test(left)) return false;
  const pairs = digitsOf(secret).match(/\d\d/g) ?? [];
  const counts = pairs.every((pair, at) => at === 0 || Number(pair) - Number(pairs[at - 1]) === 1);
  return !counts;
}

function isAloneOrCalled(_secret: string, left: string): boolean {
  return isAlone(left) || isCalledPhone(left);
}

export const contactChecks = {
  email: isEmail,
  ipv4: isIpv4,
  ipv6: isIpv6,
  mac: isMac,
  'phone-international': isInternational,
  'phone-brazil': isBrazilian,
  'phone-north-america': isNorthAmerican,
  'phone-called': isCalled,
  'phone-grouped': isGrouped,
  'phone-alone-or-called': isAloneOrCalled,
} satisfies Readonly<Record<string, Check>>;

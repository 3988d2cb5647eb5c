// Validators of the secrets pack: what looks made by chance, what only stands in for a secret, what carries a checksum.

import type { Check } from './check.ts';

/**
 * How surprising it is that one letter follows another in words and names: bits, rounded, a row for each first letter.
 * Counted over English and Portuguese prose and the names in source code.
 */
const surpriseOfPairs: readonly string[] = [
  '95449758597343659343667868',
  '36782999369378389446399969',
  '39693993494499299563599979',
  '38961879299577389559489969',
  '47436668689453867234767579',
  '39893479299498399465499969',
  '48892964398564459356499979',
  '28992999399666399474598969',
  '56454559998452368544959896',
  '39992999598999379729396999',
  '47771678399595479735598969',
  '37752777398368379955579949',
  '25992989399658339958599989',
  '49433637496786589932669979',
  '76547669696442559345455889',
  '39883985499389359354499979',
  '89899999899599999789099999',
  '37652769396655389544578959',
  '49482785397677448832487869',
  '39682894299689479345597958',
  '45554659499443859333989898',
  '39991989299999399889899999',
  '29982974398694399447796999',
  '49493797399888529872799969',
  '56563669498443339635796987',
  '29981986399689499976497965',
];

const isUpper = (code: number) => code >= 65 && code <= 90;
const isLower = (code: number) => code >= 97 && code <= 122;
const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => isUpper(code) || isLower(code);

/** Half bits for every pair of ASCII characters; made when first needed. */
let halfBits: Uint8Array | undefined;

function pairTable(): Uint8Array {
  const table = new Uint8Array(128 * 128);
  for (let before = 0; before < 128; before++) {
    for (let here = 0; here < 128; here++) table[(before << 7) | here] = 2 * surpriseOfPair(before, here);
  }
  return table;
}

function surpriseOfPair(before: number, here: number): number {
  if (isLetter(before) && isLetter(here)) {
    if (isLower(before) && isUpper(here)) return 5.5;
    return Number(surpriseOfPairs[(before | 32) - 97]?.charAt((here | 32) - 97) ?? 0);
  }
  if (isDigit(before) && isDigit(here)) return 3.5;
  return (isDigit(before) || isDigit(here)) && (isLetter(before) || isLetter(here)) ? 6 : 4;
}

let lastAsked = '';
let lastSurprise = 0;

/** Mean bits per pair of neighbours: about 3.6 in names and words, 5 in random hexadecimal, 6 in random base64. */
export function surpriseOf(text: string): number {
  if (text.length < 2) return 0;
  // Several validators ask about the same text, one after the other.
  if (text === lastAsked) return lastSurprise;
  halfBits ??= pairTable();
  let sum = 0;
  let before = text.charCodeAt(0);
  for (let index = 1; index < text.length; index++) {
    const here = text.charCodeAt(index);
    sum += before < 128 && here < 128 ? (halfBits[(before << 7) | here] ?? 0) : 8;
    before = here;
  }
  lastAsked = text;
  lastSurprise = sum / 2 / (text.length - 1);
  return lastSurprise;
}

/** Only hexadecimal digits of one case, perhaps in the groups of a UUID. */
export const hexadecimal = /^(?:[0-9a-f-]+|[0-9A-F-]+)$/;
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Words that a writer puts where the reader's own value belongs. */
export const standIn =
  /example|sample|placeholder|your|change.?me|change.?this|replace|insert|dummy|redacted|removed|hidden|masked|censored|truncated|x{6}|\*{3}|\.{3}|put.?(?:in|the)|goes.?here|_here\b|todo|fixme|lorem|deadbeef|foobar|foo.?bar|0123456789|abcdefghij|a1b2c3d4|1234567890(?:12|ab)|not.?a.?real|fake|mock|test.?(?:token|key|secret|pass|value)|my.?(?:token|key|secret|pass|super)|super.?secret|(?:some|any).?(?:token|key|secret|random|value)|(?:token|secret|password)-?(?:value|name|string)/i;

/** A row of one character that fills a place. */
const filler = /([xX*.#0_?-])\1{7}/;

const seenUnits = new Uint8Array(128);

/** How many different characters there are; those beyond ASCII count as one. */
function distinctIn(text: string): number {
  seenUnits.fill(0);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = Math.min(text.charCodeAt(index), 127);
    count += 1 - (seenUnits[unit] ?? 0);
    seenUnits[unit] = 1;
  }
  return count;
}

/** Not a row of fillers and not a word such as "example" or "your". */
const isReal: Check = (secret) =>
  !filler.test(secret) &&
  !/example|placeholder|your[-_]?|redacted|change.?me|replace|insert|dummy/i.test(secret);

/** Something is there: several characters, not one in a row. */
const isFilled: Check = (secret) =>
  distinctIn(secret) > (secret.length >= 24 ? 3 : 2) || /^[A-Z]{2}x+$/.test(secret);

/** In the middle of data in base64, where any word comes up by chance, and a plus is no operator. */
const inBlob = (left: string) =>
  /\+\s*$/.test(left) || (/^[A-Za-z0-9+/]{48}$/.test(left.slice(-48)) && /[+/]/.test(left.slice(-48)));

/** The accounts of a test network that every manual prints, by their first digits. */
const sampleKeys: ReadonlySet<string> = new Set([
  ...['ac0974bec39a17e3', '59c6995e998f97a5', '5de4111afa1a4b94', '7c852118294e51e6', '47e179ec19748859'],
  ...['8b3a350cf5c34c91', '92db14e403b83dfe', '4bbbf85ce3377467', 'dbda1821b80551c9', '2a871d0798f97d79'],
]);

/** Letters and digits mixed; for values whose name and shape say already what they are. */
const isMixed: Check = (secret, left) => {
  if (sampleKeys.has(secret.replace(/^0x/, '').slice(0, 16))) return false;
  if (inBlob(left) || !isReal(secret, left) || distinctIn(secret) < Math.min(7, secret.length / 2))
    return false;
  if (uuid.test(secret)) return true;
  if (/\d/.test(secret) && /[A-Za-z]/.test(secret)) return surpriseOf(secret) >= 3.9;
  return surpriseOf(secret) >= 4.6;
};

/** In the order of the alphabet, perhaps with gaps. */
function isSequence(text: string): boolean {
  let rising = 0;
  for (let index = 1; index < text.length; index++) {
    const step = text.charCodeAt(index) - text.charCodeAt(index - 1);
    if (step === 1 || step === 2) rising++;
  }
  return rising > (text.length - 1) * 0.6;
}

/** Surely no chance: asked first, because it is quick and most values are words. */
const isPlain = (secret: string) => surpriseOf(secret) < 3.8 && !hexadecimal.test(secret);

/** As if made by chance: no words, no numbers alone, no stand-in. */
export const isRandom: Check = (secret, left) => {
  if (sampleKeys.has(secret.replace(/^0x/, '').slice(0, 16))) return false;
  if (isPlain(secret) || inBlob(left) || standIn.test(secret) || filler.test(secret) || isSequence(secret))
    return false;
  if (uuid.test(secret)) return distinctIn(secret) > 7;
  const distinct = distinctIn(secret);
  if (distinct < Math.min(8, secret.length / 2)) return false;
  const bits = surpriseOf(secret);
  if (!/\d/.test(secret))
    return bits >= 5.1 && /[A-Z]/.test(secret) === /[a-z]/.test(secret) ? true : bits >= 5.4;
  if (!/[A-Za-z]/.test(secret)) return false;
  if (hexadecimal.test(secret)) return bits >= 4 || secret.length >= 32;
  return bits >= (secret.length >= 20 ? 4.6 : 4.75);
};

/** Not made of words: for formats of letters alone. */
const isNoWord: Check = (secret) => surpriseOf(secret.replace(/[^A-Za-z]/g, '')) >= 4.6;

/** The end of the text without what its last characters of a set are. */
function withoutEnd(text: string, set: string, most: number): string {
  let end = text.length;
  while (end > 0 && text.length - end < most && set.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * The name to which the secret is assigned, in lower case with its words joined by single underscores; empty where
 * there is no assignment. Goes from the right over what opens the value, the operator, a type, what closes the name.
 */
export function assignedName(left: string): string {
  const beforeValue = withoutEnd(left, '\\"\'`= \t\r\n@({[:>,|?<+', 24);
  if (!/[=:>,|?<+(]/.test(left.slice(beforeValue.length))) return '';
  const untyped = beforeValue.replace(/:[ \t]{0,2}[&*]?[A-Za-z]{2,12}\??$/, '');
  const closed = withoutEnd(untyped, '\\"\'` \t\r\n])}', 5);
  const name = /[A-Za-z0-9_$@. -]{0,64}$/.exec(closed.slice(-64))?.[0] ?? '';
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase();
}

/** Names whose values are public, or say something about a secret without being one. */
const publicName =
  /public|publish|pub_?key|(?:^|_)(?:pub|gpg|pgp|verify|verification|signed|primary|foreign|partition|sort|cache|index|map|object|group|row|column|dict|json|xml|unique|shard|routing|hash|lookup|search|storage|session_storage|local_storage|query|react|item|list|node|tree|state|event|hot|short_?cut|arrow|modifier|enter|escape|idempotency|dedup\w*|translation|message|i18n|locale|label|menu|registry|config|setting|option|property|prop|param|field|attr\w*|header|cookie|meta\w*|data|sha\d*|md5|digest|checksum|integrity|etag|commit|revision|rev|fingerprint|thumbprint|nonce|csrf|xsrf|authenticity|site|tracking|analytics|measurement|issue|jira|ticket|project|artifact|bundle|build|cell|tab|page|cursor|continuation|next|sync|request|action|idempotence|pagination|resume|ansi|color|theme|lex\w*|parse\w*|syntax|grammar|word|sub_?word|mask|pad|eos|bos|unk|sep|cls|special|stop)_(?:key|token|secret)s?$|key_?(?:word|board|code|frame|stroke|press|event|down|up|ring|store|chain|path|file|name|type|size|len|length|bits|usage|alias|prefix|suffix|pattern|map|schema|field|column|index|hash|fingerprint|id|ids|handler|binding|listener|spec|format|algorithm|vault|space|ref|url|uri|label|version|count|range|group|pair|info|data|desc\w*|attr\w*|class|origin|set|s)$|token_?(?:type|id|ids|name|count|counts|url|uri|endpoint|path|file|expir\w*|exp|ize|izer\w*|length|len|limit|usage|kind|class|ttl|address|symbol|index|hash|info|data|source|pattern|regex|list|stream|ring|set|map|scope|scopes|audience|issuer|lifetime|ref|field|header|s)$|secret_?(?:name|id|arn|ref|path|store|manager|version|type|file|url|namespace|mount|provider|field|label|scanning)$|credential_?(?:id|type|name|path|file|provider|source)$|auth_?(?:type|method|mode|url|uri|endpoint|domain|scheme|provider|level|scope|file|path|name|state|header)$|access_?(?:level|mode|type|control|log|time|point|list|modifier|id|or|ory|ibility\w*|ible)$|(?:^|_)(?:sha\d*|md5|hash|digest|checksum|integrity|etag|commit|revision|fingerprint|thumbprint|nonce|resolved|version|uuid|guid)(?:_\w*)?$|hashed|encrypted|_hash$|_sha\d*$|_digest$|_md5$|_url$|_uri$|_path$|_file$|_name$|_arn$|_type$|_regex$|_pattern$|_format$|_prefix$|_id$|_ids$|monkey|turkey|donkey|hockey|keynote|tokeni[sz]e|authori[sz]e\w*_url|author(?:s|ed|_name|_email)?$|authority|authentication_type/;

/** Names that say "this is a secret" in so many words; a UUID or plain hexadecimal may then be one. */
const secretName =
  /secret|token|passw|passphrase|api_?key|app_?key|access_?key|auth_?key|private_?key|priv_?key|client_?key|account_?key|encrypt\w*_?key|crypt\w*_?key|sign\w*_?key|master_?key|service_?key|server_?key|credential|creds?(?:_|$)|bearer|auth(?:$|_(?:key|token|secret|code))|session_?key|ssh_?key|license_?key|hmac/;

/** Values that lead elsewhere: variables, templates, calls, addresses, paths, digests that say so. */
const reference =
  /^(?:[$%@]|h1:|\{|<|&|\.{1,2}\/|~\/|[A-Za-z]:\\|https?:|wss?:|ftp:|file:|data:|arn:|urn:|ssh-|vault:|secret:|ref\+|op:|env[.:]|sha\d{1,3}[-:]|md5[-:]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|process\.|import\.|os\.|self\.|this\.|config\.|settings\.|var\.|local\.|module\.|data\.|props\.|req\.|request\.|res\.|ctx\.|context\.|options\.|params\.|args\.|env\.|System\.|secrets\.|steps\.|github\.|inputs\.|matrix\.|needs\.|app\.|user\.|window\.|document\.|React\.|Math\.|Object\.|String\.|JSON\.|Buffer\.|crypto\.|application\/|text\/|image\/|audio\/|video\/|font\/|multipart\/|AQICAH)|:\/\/|\.(?:js|ts|tsx|jsx|mjs|cjs|py|rb|go|java|php|html?|css|json|ya?ml|xml|md|txt|png|jpe?g|gif|svg|pem|crt|key|cer|p12|jks|sh|conf|cfg|ini|toml|lock|gz|zip|tar|com|org|net|io|local|internal)(?:$|[/:?#])/;

/** Names of algorithms. */
const algorithm =
  /^(?:[A-Za-z]{1,8}[-_])?(?:HKDF|HMAC|PBKDF|AES|RSA|ECDSA|ECDH|EdDSA|SHA|MD5|ED25519|X25519|CHACHA|ARGON|BCRYPT|SCRYPT|RS256|HS256|ES256|PS256)(?:[-_]?[A-Za-z0-9]{1,10}){0,4}$/i;

/** Tokens that the standards of OAuth print as examples. */
const published: ReadonlySet<string> = new Set([
  '2YotnFZFEjr1zCsicMWpAA',
  'tGzv3JOkF0XG5Qx2TlKWIA',
  'mF_9.B5f-4.1JqM',
  'SlAV32hkKG',
  'h480djs93hd8',
  'czZCaGRSa3F0MzpnWDFmQmF0M2JW',
  'gX1fBat3bV',
  '7Fjfp0ZBr1KtDRbnfVdmIw',
  'SplxlOBeZQQYbYS6WxSbIA',
]);

export function isReference(secret: string): boolean {
  return (
    algorithm.test(secret) ||
    reference.test(secret) ||
    (secret.startsWith('/') && surpriseOf(secret) < 5) ||
    /^\[?[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^[A-Za-z_-]+[_-]$/.test(secret)
  );
}

/** The next line of a list: what stands before it is another item, and no name. */
const isNextItem = (left: string) => /,[ \t]*\r?\n\s*["'`]?$/.test(left);

/** Without quotes: an argument after a comma or a bracket, or a name of words with a number in it. */
function isCode(secret: string, left: string): boolean {
  if (isNextItem(left)) return true;
  if (/["'`]$/.test(left)) return false;
  if (/[,(]\s*$/.test(left)) return true;
  // Words around one number.
  return (
    /^[A-Za-z_][A-Za-z_.]*\d{0,4}[A-Za-z_.]*\d?$/.test(secret) && surpriseOf(secret.replace(/\d/g, '')) < 4.9
  );
}

/** A value assigned to a name that says "secret": the name is no other thing, and the value looks random. */
const isAssignedSecret: Check = (secret, left) => {
  if (
    isPlain(secret) ||
    isReference(secret) ||
    isCode(secret, left) ||
    published.has(secret) ||
    // A line of go.sum.
    / h1:$/.test(left) ||
    // A token of a picture's address, and a group of a pattern.
    /badge[\w./-]{0,24}\?|\(\?P?<\w+>\W*$/.test(left)
  ) {
    return false;
  }
  const name = assignedName(left);
  if (publicName.test(name)) return false;
  if (uuid.test(secret)) return secretName.test(name) && isRandom(secret, left);
  if (/^[0-9a-f]{40}$|^[0-9a-f]{64}$|^[0-9a-f]{128}$/i.test(secret)) {
    return secretName.test(name) || /\wkey$/.test(name);
  }
  return isRandom(secret, left);
};

/** A value assigned to a name with a provider's word in it; identifiers are no keys. */
const isProviderKey: Check = (secret, left) => {
  if (isPlain(secret) || isReference(secret) || isCode(secret, left) || !isRandom(secret, left)) return false;
  if (!uuid.test(secret) && !/^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(secret)) return true;
  return !/(?:^|_)(?:id|ids|uuid|guid|example|commit|sha|sha\d+|hash|digest|rev|revision|version|etag|ref)$/.test(
    assignedName(left),
  );
};

/** Names that only say "key" or "auth", which much else is called, too: the value must be long and of more than one class. */
const isAssignedKey: Check = (secret, left) => {
  if (!/\d/.test(secret) || !isAssignedSecret(secret, left)) return false;
  const name = assignedName(left);
  if (secretName.test(name)) return true;
  if (/[.:]|(?:\/[^/]*){3}/.test(secret)) return false;
  // A bare "key" is what maps and caches call their names.
  const isBare = /^(?:the_|this_|by_|const_|let_|var_|my_)?key\d?$/.test(name) || /[?&]key=$/i.test(left);
  if (!isBare) return /key\d?$/.test(name);
  return secret.length >= 20 && (!hexadecimal.test(secret) || /[?&]key=$/i.test(left));
};

/** Passwords that everybody writes in manuals, and words that stand where a password is described. */
const commonPassword =
  /p[a@4][s5$]{2}w[o0]rd|cGFzc3dvcmQ|passwd|passphrase|pwd|_pass|^secret|secret$|admin|qwerty|letmein|hunter2|welcome|1234|4321|abc123|test|demo|^foo|hello|user|guest|^root|toor|login|senha|contrasena|geheim|^(?:null|none|undefined|true|false)$|string|required|optional|hash|crypt|valid|input|field|label|length|regex|pattern|confirm|forgot|reset|prompt|default|empty|blank|value|toggle|token|base64|sha\d{3}|utf-?8|http/i;
/** A word, a name or a number, perhaps with a number behind it. */
const plainWord = /^(?:(.)\1+|[A-Za-z]?[a-z]*|[A-Z]+|\d{1,8}|[A-Za-z]?[a-z]+\d{1,2})$/;

/** A part of something larger, a variable, or a placeholder. */
function isNoValue(secret: string, left: string): boolean {
  return inBlob(left) || isNextItem(left) || isReference(secret) || standIn.test(secret);
}

/** A name for something about a password, and not for one. */
const passwordTopic =
  /(?:password|passwd|pwd|pass|passphrase)_?(?:field|label|hint|hash|reset|policy|input|length|len|file|path|url|uri|confirm\w*|type|name|min|max|prompt|placeholder|strength|regex|pattern|error|message|attempts|expir\w*|change\w*|salt|algorithm|encoder|s)$/;

/** A text of one class of characters, or one without a digit that nobody quoted. */
function isGuessable(secret: string, left: string): boolean {
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((one) => one.test(secret)).length;
  if (classes < 2) return true;
  const quoted = /["'`]$/.test(left);
  return !/\d/.test(secret) && (!quoted || /^[A-Za-z_.:/-]+$/.test(secret));
}

/** A password that a person chose: no variable, no word from a manual, not code. */
const isPassword: Check = (secret, left) => {
  if (secret.length < 6 || isNoValue(secret, left)) return false;
  const isWordless = secret.length >= 10 && surpriseOf(secret) >= 5.3;
  if (/[*•]{2}|\.{2}|^[^A-Za-z0-9]+$/.test(secret) && !/\d/.test(secret)) return false;
  if (!isWordless && /^\W?\w+\W?$/.test(secret) && !/\d/.test(secret)) return false;
  if (passwordTopic.test(assignedName(left))) return false;
  if (!isWordless && isGuessable(secret, left)) return false;
  if (!/[A-Za-z]/.test(secret)) return false;
  if (commonPassword.test(secret) || (plainWord.test(secret) && surpriseOf(secret) < 5)) return false;
  return distinctIn(secret) >= 5 && (/[^A-Za-z0-9_.-]/.test(secret) || surpriseOf(secret) >= 4.2);
};

/** The last word of the name is a word for a password. */
const passwordName =
  /(?:pass(?:word|wd|phrase|code)?|pwd|senha|passwort|kennwort|contrasena|mot_de_passe)_?\d*$/;

/** A password assigned to a name that says so. */
const isNamedPassword: Check = (secret, left) => {
  if (commonPassword.test(secret)) return false;
  const name = assignedName(left);
  if (!passwordName.test(name) || /^0x[0-9a-f]+$/i.test(secret) || /[,(]\s*$/.test(left)) return false;
  // Alternatives of a pattern.
  if (/\|.*\|/.test(secret)) return false;
  // "PASS: name" is what a test prints; a password under that name alone stands in quotes.
  return (
    (name !== 'pass' || /["'`]$/.test(left)) &&
    !/[a-z]pass$/.test(name.replace(/_pass$/, '')) &&
    isPassword(secret, left)
  );
};

/** A password whose place says what it is. */
export const isStrongPassword: Check = (secret, left) => isPassword(secret, `${left}"`);

/** Next to a name that says "secret": random, and no reference. */
const isPairedSecret: Check = (secret, left) =>
  !isReference(secret) && !/csrf|xsrf|authenticity|verification/i.test(left) && isRandom(secret, left);

/** A number of 256 bits that is not called a hash, a root or the like. */
const isSecretNumber: Check = (secret, left) =>
  isMixed(secret, left) &&
  !/hash|tx|transaction|block|topic|root|digest|slot|keccak|sha|salt|event|sig(?:nature)?\b|proof|commit|address|contract|logs|public|seed_?id|0x/i.test(
    left.slice(-64),
  );

/** A key that the configuration of a web app shows to everybody. */
const isNotFirebase: Check = (_, left) => !/firebase/i.test(left);

/** In the middle of prose: random, and not without a digit. */
export const isSpokenSecret: Check = (secret, left) =>
  /\d/.test(secret) &&
  /[A-Za-z]/.test(secret) &&
  !isReference(secret) &&
  !/(?:public|publishable|site)[ _-]?key\b[^\n]{0,20}$/i.test(left) &&
  isRandom(secret, left);

/** Random behind a prefix of words. */
const isPrefixedToken: Check = (secret, left) =>
  !/p(?:k|ub)(?:_(?:live|test|prod))?_?$/i.test(left) && isRandom(secret.replace(/^_[a-z]+_/, ''), left);

/** Many different characters, no words. */
const isDense: Check = (secret) => distinctIn(secret) >= 16 && !/unique phrase|change|your/i.test(secret);

/** Not a variable, a template or a call. */
const isNoVariable: Check = (secret) =>
  !/^[%$<{[#]|^\W*$|^([xX*.])\1+$|%$/.test(secret) && !/^(?:null|none|true|false|undefined)$/i.test(secret);

const userAndPassword = /:\/\/([^\s:/@]{0,64}):$/;

/** A password in an address: not the word itself, not the user's name again, not a variable. */
const isUrlPassword: Check = (secret, left) => {
  const user = userAndPassword.exec(left)?.[1] ?? '';
  if (secret === user || secret.length < 3 || distinctIn(secret) < 3) return false;
  if (/^[A-Z_]+$|[${}<>%()[\]*«]|^:|^\d{1,5}$/.test(secret.replace(/%[0-9A-Fa-f]{2}/g, 'x'))) return false;
  if (
    /^x+$|password|passwd|^pass(?:wd)?$|^pwd?$|^pw$|your|example|placeholder|replace|change.?me|^secret$|^token$|^key$|^test$|^foo(?:bar)?$|^bar$|^baz$|^abc(?:123|def)?$|^123+4*5*6*$|^admin$|^root$|^guest$|^user$|^postgres$|^hunter2$|^hello$|^auth$|^\.+$|^pas+$|^pserver:|anon|passwort|senha|contrase|^debian$|^xyz$|^tiger|^masterkey$|^(?:top|my|a|the)[^a-z]{0,3}secret$|p.{1,3}ssw.rd|fake|leak|^hush$|^creds?$|^credentials?$/i.test(
      secret,
    )
  ) {
    return false;
  }
  return true;
};

const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes of base64 in either alphabet, as Latin-1; null where it is none. */
export function fromBase64(text: string): string | null {
  let bits = 0;
  let held = 0;
  let result = '';
  for (const unit of text.replace(/=+$/, '')) {
    const value = base64Letters.indexOf(unit === '-' ? '+' : unit === '_' ? '/' : unit);
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      result += String.fromCharCode((held >> bits) & 0xff);
    }
  }
  return result;
}

const isPrintable = (text: string) => /^[\x20-\x7e\r\n\t\x80-\xff]*$/.test(text);

/** A token whose first part is a JSON object in base64 that names an algorithm or a type. */
const isJwt: Check = (secret) => {
  // The subject 1234567890 of everybody's first token.
  if (secret.includes('.eyJzdWIiOiIxMjM0NTY3ODkw')) return false;
  const header = fromBase64(secret.slice(0, secret.indexOf('.') < 0 ? undefined : secret.indexOf('.')));
  if (header === null || !/^\{\s*"/.test(header) || !isPrintable(header)) return false;
  return /"(?:alg|typ|kid|enc|cty|jku|x5t|zip)"/.test(header) && header.trimEnd().endsWith('}');
};

/** A token of that kind in base64 once more. */
const isBase64Jwt: Check = (secret) => {
  const inner = fromBase64(secret.slice(0, secret.length - (secret.length % 4)));
  const dot = inner?.indexOf('.') ?? -1;
  if (inner === null || !/^eyJ[\w.-]+$/.test(inner)) return false;
  const header = fromBase64(
    dot < 0 ? inner.slice(0, inner.length - (inner.length % 4)) : inner.slice(0, dot),
  );
  return header !== null && /^\{\s*"\w+"\s*:/.test(header);
};

/** A user's name and password in base64. */
const isBase64Credentials: Check = (secret) => {
  const plain = fromBase64(secret);
  return (
    plain !== null &&
    !/^(?:user(?:name)?|admin|test|foo|aladdin):(?:pass(?:word)?|test|bar|admin|opensesame|open sesame)$/i.test(
      plain,
    ) &&
    /^[\x21-\x7e\x80-\xff]{0,80}:[\x20-\x7e\x80-\xff]*$/.test(plain) &&
    plain.length > 3
  );
};

/** Base64 of a text, or of bytes too mixed for a word. */
const isBase64Value: Check = (secret) => {
  if (secret.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(secret)) return false;
  const plain = fromBase64(secret);
  return (
    plain !== null &&
    plain.length > 2 &&
    (secret.endsWith('=') || /^[\x20-\x7e\r\n\t]+$/.test(plain) || surpriseOf(secret) > 5)
  );
};

/** The beginning of a key's body: more than a word or dots. */
const isPemBody: Check = (secret) => {
  const body = /[A-Za-z0-9+/]{24,}$/.exec(secret)?.[0] ?? '';
  return distinctIn(body) >= 8 && !/^x+$/i.test(body);
};

/** What follows "Authorization:": a scheme with a credential, or a bare credential. */
const isAuthorization: Check = (secret, left) => {
  if (isReference(secret) || published.has(secret)) return false;
  if (standIn.test(secret) || filler.test(secret) || /^x+$/i.test(secret)) return false;
  if (/basic\s{1,4}$/i.test(left)) return isBase64Credentials(secret, left);
  if (secret.startsWith('eyJ')) return secret.length > 24 && distinctIn(secret) > 10;
  return isRandom(secret, left);
};

/** User and password for a command: neither is a variable or a word from a manual. */
const isCommandPassword: Check = (secret, left) => {
  if (/[${}<>[\]]/.test(secret.replace(/\$\d*$/, '')) || standIn.test(secret) || secret.length < 3)
    return false;
  const user = /(?:^|[\s"'=])([^\s"':]*):$/.exec(left)?.[1] ?? '';
  if (secret === user || /^\$/.test(secret)) return false;
  if (
    /^(?:pass(?:word|wd)?|passphrase|pwd|pw|secret|token|key|api.?key|apikey|test|admin|x+|x-oauth-basic|\*+|\.+|changeit|\d{1,5})$/i.test(
      secret,
    )
  )
    return false;
  return (
    distinctIn(secret) >= 4 &&
    (/\d|[^A-Za-z0-9]/.test(secret) || surpriseOf(secret) >= 4.6 || /[a-z][A-Z]/.test(secret))
  );
};

let crcTable: Uint32Array | undefined;

/** CRC-32 of ASCII text. */
export function crc32(text: string): number {
  crcTable ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc = (crcTable[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const base62Letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A number in base 62, padded with zeros. */
export function toBase62(number: number, width: number): string {
  let rest = number;
  let text = '';
  while (rest > 0 || text.length < width) {
    text = (base62Letters[rest % 62] ?? '') + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Whether the last six characters are the checksum of those between the prefix and them. */
export function hasTokenChecksum(token: string): boolean {
  const body = token.slice(token.indexOf('_') + 1, -6);
  return body.length >= 30 && toBase62(crc32(body), 6) === token.slice(-6);
}

/** Its checksum is right, or at least it is no filler: old and foreign issuers have other checksums. */
const isChecksummedToken: Check = (secret, left) =>
  hasTokenChecksum(secret) ||
  (isReal(secret, left) && distinctIn(secret.slice(4)) > 6 && !/0123456789|abcdefghij/i.test(secret));

export const secretChecks: Readonly<Record<string, Check>> = {
  real: isReal,
  filled: isFilled,
  mixed: isMixed,
  random: isRandom,
  'not-a-word': isNoWord,
  'not-a-variable': isNoVariable,
  'assigned-secret': isAssignedSecret,
  'assigned-key': isAssignedKey,
  'provider-key': isProviderKey,
  password: isPassword,
  'named-password': isNamedPassword,
  'strong-password': isStrongPassword,
  'pair-secret': isPairedSecret,
  'prefixed-token': isPrefixedToken,
  'spoken-secret': isSpokenSecret,
  'not-firebase': isNotFirebase,
  'secret-number': isSecretNumber,
  dense: isDense,
  'url-password': isUrlPassword,
  'command-password': isCommandPassword,
  authorization: isAuthorization,
  jwt: isJwt,
  'base64-jwt': isBase64Jwt,
  'base64-credentials': isBase64Credentials,
  'base64-value': isBase64Value,
  'pem-body': isPemBody,
  'github-token': isChecksummedToken,
  'npm-token': isChecksummedToken,
};

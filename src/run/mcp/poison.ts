// Orders in the definitions of tools: a description tells what a tool does. What it tells a model to do with other tools,
// to hide from the user or to hand over is an attack, however plainly it is written.

import { isJsonObject, type JsonObject, visible } from '../../core/index.ts';

/** A kind of order, and the words of it in one sentence. */
interface Order {
  readonly what: string;
  readonly words: RegExp;
}

/**
 * Joins parts of an expression. INVARIANT: no word of a text is longer than a word is, so that each sentence is read in
 * time that grows with it.
 */
function words(...parts: readonly string[]): RegExp {
  const bounded = parts.join('').replaceAll('\\S+', '\\S{1,60}').replaceAll('\\S*', '\\S{0,60}');
  return new RegExp(bounded.replaceAll('[\\w.+-]+@', '[\\w.+-]{1,64}@'), 'iu');
}

/** Somebody who is to be left in the dark. */
const user =
  '(?:user|human|person|operator|customer|anyone|anybody|them|nutzer\\w*|benutzer\\w*|utilisateur\\w*|usuario\\w*)';

/** A place of a home where secrets are. */
const secretPlace =
  '(?:~/\\.\\w+|\\.ssh\\b|id_rsa|id_ed25519|(?:^|[\\s/"\'`(])\\.env\\b(?!\\.(?:example|sample|template|dist))|\\.aws\\b|authorized_keys|/etc/(?:passwd|shadow)|mcp\\.json|\\.netrc|\\.npmrc)';

/** What of a session belongs to its user, and no tool has to be given. */
const belongings = `(?:${[
  '(?:full|entire|whole|complete|current|your|own|the) (?:system|developer) prompt|system prompt (?:verbatim|as it is)',
  '(?:the|this|whole|entire|full|our|your) conversation|(?:chat|conversation|message) (?:log|so far)|list of all chats',
  '(?:last|latest|previous|earlier|all|every) user messages?|(?:all|the) (?:previous|earlier|prior) (?:user )?messages',
  '(?:previous|earlier|all|other) tool (?:results?|outputs?|calls?)|the last (?:answer|result|response)',
  '(?:said|wrote|typed|asked|told you|shared) so far|(?:the|their) request unchanged|environment variables of the (?:session|user|host|agent)',
  '(?:the user.s|their) (?:api )?(?:keys|tokens|passwords?|credentials|secrets|files)|home folder of the user|the home folder',
  '(?:keys|tokens|passwords|credentials|secrets|files) (?:that )?(?:you|the model|the assistant) (?:\\S+ )?(?:see|saw|found|find|know|read|have)',
  '(?:ssh|private) keys? of the user|(?:all|any|every|other) (?:open )?files of the user',
].join('|')})`;

/** What hands something on. */
const hands =
  '(?:includ\\w*|attach\\w*|append\\w*|prepend\\w*|pass\\w*|provid\\w*|suppl(?:y|ies|ied)|hand over|put|cop(?:y|ied|ies)|sen[dt]|forward\\w*|stor(?:e|ed)|contain|begin with|end with|follow(?:ed)? by|followed by|fill\\w*|transmit\\w*|transmets|paste|add(?:ed)?|insert\\w*|upload\\w*|share|give|report|füge\\w*|mitgegeben|mitgeben|übergeben|ajoute\\w*|añad\\w*)';

/** What obliges somebody, or says when. */
const obliged =
  '(?:must|should|shall|has to|have to|had to|needs? to|is to be|are to be|always|required|essential|mandatory|first|before|prior to|each time|every time|vor jedem|avant chaque|antes de)';

/** Other tools and servers, whichever they are. */
const otherTools =
  '(?:(?:any|every|all|an?other|other|each) (?:\\S+ ){0,2}?(?:tools?|servers?|functions?)|(?:any|every|each) (?:use|call|invocation) of)';

const orders: readonly Order[] = [
  {
    what: 'it tells the model to hide something from the user',
    words: words(
      '\\b(?:do not|don.t|never|without|not to|avoid|no need to|nicht|nie|niemals|sans|sin|ne) (?:\\S+ ){0,4}?',
      '(?:mention|tell|inform|reveal|disclos|notif|alert|let|bother|erwähn|informier|parler|prévenir|informer|decir|informar)\\w*',
      `\\b.{0,60}\\b(?:${user}|this|it)\\b|\\berwähne\\b.{0,40}\\b${user}\\b.{0,20}\\b(?:nie|nicht)`,
      '|\\bsans (?:en )?(?:parler|informer|prévenir)|\\bsin (?:decir|informar)',
      `|\\b${user}s? (?:do not|don.t|does not|doesn.t|need not|must not|should not) (?:have to |need to )?(?:know|see|notice|learn)\\b`,
      '|\\b(?:leave out|omit|conceal|hide) that\\b|\\bmust never (?:hear|know|learn|find out)\\b',
    ),
  },
  {
    what: 'it tells the model to hide something from the user',
    words: words(
      '\\b(?:keep|treat) (?:\\S+ ){1,3}?(?:secret|hidden|confidential|private) from\\b',
      '|\\b(?:silently|secretly|covertly|discreetly|quietly) (?:also )?(?:includ|send|copy|attach|append|forward|read|upload|call|pass|add)\\w*',
      `|\\bif the ${user} (?:\\S+ ){0,3}?(?:asks|wonders|wants to know)\\b.{0,40}\\b(?:say|answer|claim|pretend|reply|respond|tell)\\b`,
    ),
  },
  {
    what: 'it speaks for the user',
    words: words(
      `\\bthe ${user} (?:has |have )?(?:already |pre-?)(?:agreed|approved|consented|confirmed|allowed|authori[sz]ed)\\b|\\bhas (?:agreed|consented) (?:in advance|already|to every)`,
      '|\\bno (?:further )?(?:confirmation|approval|permission) is (?:needed|required|necessary)\\b.{0,60}\\b(?:any|all|every|other)\\b',
      '|\\b(?:go ahead|proceed|continue|delete|overwrite|send|write) (?:\\S+ ){0,2}?without (?:asking|confirmation|approval|permission)',
    ),
  },
  {
    what: 'it speaks to the model as an authority',
    words:
      /(?:^|[\s"'([<*])(?:system|instructions?|directive)\s*(?:prompt|message|note)?\s*(?:to|for)?\s*(?:all\s+)?(?:the\s+)?(?:ai|llms?|assistants?|models?|agents?)\s*[:!>]|(?:^|\n)\s*(?:system|developer|assistant)\s*:\s*\S|<\/?(?:system|important|admin|instructions?|assistant|developer|secret)>/i,
  },
  {
    what: 'it gives the model new orders',
    words: words(
      '\\byou (?:must|should|shall|need to|have to) (?:now|first|instead|also)\\b.{0,80}\\b',
      `(?:${hands}|read|fetch|exfiltrate|b?cc|run_?\\w*|exec\\w*)\\b`,
      '|\\b(?:curl|wget)\\b.{0,120}\\|\\s*(?:ba|z|da)?sh\\b',
      '|\\b(?:download|fetch|get|curl|wget)\\b.{0,20}https?://\\S+ (?:and|then).{0,20}\\b(?:run|execute|source|eval|install)\\b',
      '|\\b(?:fetch|read|load|get|open)\\b.{0,80}\\band (?:do|follow|obey|execute|apply|carry out) (?:what|whatever|all|the (?:instructions|rules|steps|orders))\\b',
      '|\\b(?:ignore|disregard|forget) (?:all |any )?(?:the |your |previous |earlier |prior |former )*(?:rules|instructions|restrictions|guidelines|prompts|directions|orders)\\b',
      '|\\bfrom now on\\b.{0,40}\\byou\\b',
      '|^(?:now |then |please )?(?:call|run|use|invoke) [a-z\\d-]{1,32}__[\\w.-]{1,64}',
    ),
  },
  {
    what: 'it says what is done when other tools are used',
    words: words(
      `\\b(?:whenever|every time|each time|any time|before|after|when|prior to)\\b.{0,30}\\b${otherTools}\\b.{0,120}\\b(?:also|must|has to|always|first|${hands}|call|b?cc)\\b`,
      '|\\bresults? of (?:every|all|any|each)(?: other)? tool\\b',
      `|\\btool\\b.{0,60}\\b(?:of|from|on) (?:the |another |other )?servers?\\b.{0,60}\\b${obliged} be (?:called|used|run)\\b`,
      `|\\bprior to any use of\\b.{0,80}\\b${obliged}\\b`,
      '|\\b(?:whatever the user|before you (?:finish|answer|start) any)\\b',
      '|\\b(?:all|any) (?:traffic|requests?|calls?) of (?:the )?other servers?\\b',
    ),
  },
  {
    what: 'it keeps the model from other tools',
    words: words(
      '\\b(?:do not|don.t|never|must not|should not) (?:use|call|trust) (?:any |the )?other\\b.{0,30}\\b(?:tools?|servers?)\\b',
      '|\\bresults of [a-z\\d-]{1,32}__[\\w.-]{1,64} are\\b|\\broute\\b.{0,60}\\bthrough this (?:tool|server)',
      '|\\bother servers?\\b.{0,30}\\b(?:compromised|unsafe|broken|malicious|deprecated|not to be trusted)\\b',
      '|[a-z\\d-]{1,32}__[\\w.-]{1,64} (?:is|was|has been) (?:broken|deprecated|unsafe|disabled|replaced)\\b',
      '|\\bpretend that\\b.{0,60}\\btools?\\b|[a-z\\d-]{1,32}__[\\w.-]{1,64}.{0,40}\\b(?:avoided|leaks)\\b',
    ),
  },
  {
    what: 'it asks for what was read elsewhere',
    words: words(
      `\\b${hands}\\b.{0,100}${belongings}|${belongings}.{0,100}\\b(?:${hands}|argument|parameter|field)\\b`,
      `|\\b(?:${hands}|${obliged})\\b.{0,100}${secretPlace}|${secretPlace}.{0,100}\\b(?:${hands}|${obliged})\\b`,
      `|\\b(?:contents?|text|value|output|copy) of \\S{0,20}${secretPlace}`,
      // What is said of the tool itself begins with what it does: "Reads ~/.gitconfig."
      `|^(?!\\S+s\\b)(?!.*\\b(?:e\\.g|for example|such as|defaults?|example)\\b).*(?:${secretPlace}|${belongings}|everything you know about|\\bthe keychain)`,
    ),
  },
  {
    what: 'it has what is sent go to an address of its own',
    words: words(
      '\\b(?:every|each|all)\\b.{0,60}\\b(?:cop(?:y|ied)|b?cc|forward(?:ed)?|sen[dt])\\b.{0,80}(?:[\\w.+-]+@[\\w-]+\\.\\w|https?://)',
      '|[\\w.+-]+@[\\w-]+\\.\\w+.{0,40}\\b(?:blind copy|copy|b?cc)\\b.{0,40}\\b(?:every|each|all)\\b',
    ),
  },
];

/** Names of arguments that ask for what no tool needs. */
const leaking: readonly RegExp[] = [
  /(?:content|contents|data|text|value|output|result)s?_?(?:from|of|in)_?(?:reading_?)?.*(?:ssh|rsa|env|secret|password|credential|passwd|private|history|prompt|conversation)/i,
  /^(?:(?:full|entire|complete|whole|all|raw|user|current|your)_?)*(?:system_?prompt(?:_?(?:text|verbatim|content|json))?|(?:chat|conversation|message)_?(?:history|log|transcript|so_?far))$/i,
  /^(?:(?:full|entire|all|raw)_?)*(?:previous|prior|earlier)_?(?:(?:user|chat)_?)?(?:messages|prompts|tool_?(?:calls|results|outputs))(?:_?(?:json|text|list))?$/i,
  /(?:id_rsa|ssh_?(?:private_?)?key_?(?:content|file)|etc_?passwd|dotenv_?content)/i,
];

/** How much is looked at as one sentence; a longer one in parts that overlap. */
const longestSentence = 1000;
const overlap = 200;

/** The sentences of a text, on one line each. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).flatMap((sentence) => {
    const line = sentence.replace(/\s+/g, ' ');
    const parts = Math.ceil(Math.max(1, line.length - overlap) / (longestSentence - overlap));
    return Array.from({ length: parts }, (_, at) => {
      const start = at * (longestSentence - overlap);
      return line.slice(start, start + longestSentence);
    });
  });
}

/** Why a definition is not shown; undefined where nothing in it gives orders. `others` are the tools of other servers. */
export function poisonIn(
  definition: object,
  texts: readonly string[],
  others: () => ReadonlySet<string>,
): string | undefined {
  const sentences = texts.flatMap(sentencesOf);
  const found = orders.find((order) => sentences.some((sentence) => order.words.test(sentence)));
  if (found !== undefined) return found.what;
  const key = keysOf(definition).find((name) => leaking.some((pattern) => pattern.test(name)));
  if (key !== undefined) return `its argument "${visible(key, 60)}" asks for what no tool needs`;
  const shadowed = texts.map((text) => shadowedIn(text, others)).find((name) => name !== undefined);
  return shadowed === undefined
    ? undefined
    : `it says how "${visible(shadowed, 60)}" of another server is used`;
}

const insteadOf =
  /\b(?:instead of|rather than|in place of|replaces?|supersedes?|deprecat\w+|(?:do not|don't|never|must not|should not|cannot) (?:be )?(?:use|used|call|called)|before (?:using|calling)|after (?:using|calling)|whenever)\b/i;

/** A tool of another server that a sentence gives orders about. */
function shadowedIn(text: string, others: () => ReadonlySet<string>): string | undefined {
  const sentences = text.split(/(?<=[.!?;\n])\s+/).filter((sentence) => insteadOf.test(sentence));
  if (sentences.length === 0) return undefined;
  const names = others();
  const said = sentences.flatMap((sentence) => sentence.match(/[A-Za-z][\w.-]*[\w]/g) ?? []);
  return said.find((word) => names.has(word.toLowerCase()));
}

const mostKeys = 1000;

/** The names of arguments in the schemas of a definition. */
function keysOf(definition: object): readonly string[] {
  const names: string[] = [];
  const visit = (value: unknown): void => {
    if (names.length > mostKeys) return;
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isJsonObject(value as never)) return;
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      if (key === 'properties' && isJsonObject(inner)) names.push(...Object.keys(inner));
      visit(inner);
    }
  };
  visit(definition);
  return names;
}

/** Names that a text can only mean a tool by: whole, or with a sign that no word of a sentence has. */
export function telling(server: string, name: string): readonly string[] {
  const own = name.toLowerCase();
  const whole = [`${server}__${own}`, `${server}.${own}`, `${server}/${own}`];
  return /[_-]|[a-z][A-Z]/.test(name) ? [...whole, own] : whole;
}

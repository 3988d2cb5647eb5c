// Orders in the definitions of tools: a description tells what a tool does. What it tells a model to do with other tools,
// to hide from the user or to hand over is an attack, however plainly it is written.

import { isJsonObject, type JsonObject, visible } from '../../core/index.ts';

/** A kind of order, and the words of it. */
interface Order {
  readonly what: string;
  readonly words: RegExp;
}

const orders: readonly Order[] = [
  {
    what: 'it tells the model to hide something from the user',
    words:
      /\b(?:do not|don't|never|without|not to|avoid)\s+(?:\w+\s+){0,3}?(?:mention|tell|telling|inform|informing|reveal|revealing|disclos\w+|notify|notifying|alert\w*|let)\b[^.\n]{0,60}\b(?:user|human|person|anyone|anybody|it|this|them)\b/i,
  },
  {
    what: 'it speaks to the model as an authority',
    words:
      /(?:^|[\s"'([<*])(?:system|important|note|notice|instructions?|attention|directive)\s*(?:prompt|message|note)?\s*(?:to|for)?\s*(?:all\s+)?(?:the\s+)?(?:ai|llms?|assistants?|models?|agents?)\s*[:!>]|(?:^|\n)\s*(?:system|developer|assistant)\s*:\s*\S/i,
  },
  {
    what: 'it gives the model new orders',
    words:
      /\byou (?:must|should|shall|need to|have to) (?:now|first|always|instead|also)\b[^.\n]{0,80}\b(?:send|forward|copy|upload|post|include|attach|pass|read|fetch|exfiltrate|cc|bcc|share|append)\b/i,
  },
  {
    what: 'it says what is done when other tools are used',
    words:
      /\b(?:whenever|every time|each time|any time|before|after|when(?:ever)?)\b[^.\n]{0,60}\b(?:any|every|all|an?other|other|each)\b[^.\n]{0,40}\b(?:tools?|servers?|functions?|calls?)\b[^.\n]{0,120}\b(?:also|must|always|first|send|copy|forward|include|pass|call|cc|bcc)\b/i,
  },
  {
    what: 'it asks for what was read elsewhere',
    words:
      /\b(?:contents?|text|value|output|copy)\s+of\s+(?:~|\/|\.)?[\w./~-]*(?:\.ssh|id_rsa|id_ed25519|\.env\b|\.aws|credentials|authorized_keys|\/etc\/passwd|mcp\.json|\.netrc|\.npmrc)/i,
  },
];

/** Names of arguments that ask for what no tool needs. */
const leaking: readonly RegExp[] = [
  /(?:content|contents|data|text|value|output|result)s?_?(?:from|of|in)_?(?:reading_?)?.*(?:ssh|rsa|env|secret|password|credential|passwd|private|history|prompt|conversation)/i,
  /^(?:full_?|entire_?|complete_?|whole_?)?(?:system_?prompt|(?:chat|conversation|message)_?history|previous_?(?:messages|tool_?(?:calls|results)))$/i,
  /(?:id_rsa|ssh_?(?:private_?)?key_?(?:content|file)|etc_?passwd|dotenv_?content)/i,
];

/** Why a definition is not shown; undefined where nothing in it gives orders. `others` are the tools of other servers. */
export function poisonIn(
  definition: object,
  texts: readonly string[],
  others: () => ReadonlySet<string>,
): string | undefined {
  const found = orders.find(({ words }) => texts.some((text) => words.test(text)));
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

// What a parameter or a field is, by its name, where nobody in the program says.

/** What is handed in by the program and not by a person. */
const contextual =
  /^(_+|ctx|context|tool_?context|cfg|config|options?|opts|settings|session|state|world|ledger|decider|services?|container|env|environment|client|model|llm|deps|dependencies|tools?|registry|system(_?prompt)?|signal|log(ger)?|history|memory|agent|db|conn(ection)?|guard(rails?)?|sally(port)?|res|response|reply|ws|socket|writer|controller|callback|cb|on_\w+|emit|send|respond|output|next|self|cls|store|cache|workspace|cwd|root|approv\w*|mode|limits?|timeout\w*|temperature|ids?|\w+_?ids?|role|type|user|tenant|auth|principal|identity|who|profile|max\w*|retries|queue|publisher|producer|server|transport|openai|anthropic|provider|handlers?|middleware|hooks?|schema|clock|now|metrics|tracer|span|abort\w*|flags?|debug|verbose|dry_?run|index|i|count|timestamp|(created|updated)_?at|exit_?code|duration\w*|api_?key|(access|auth|bearer)_?token|credentials?|detector|redactor|snapshot|bus|app|router|executor|runner|sandbox|fetch|http|stdout|stdin|out)$/;

/** Names of a person's text. */
const textual =
  /(^|_)(text|prompt|messages?|content|input|question|query|body|utterance|task|instruction|request|transcript|payload|data|line|comment|ticket|email|description|subject|argv|q)s?$/i;

/** The same at the end of a longer name, which a capital letter begins: `context` is no text. */
const textualEnd = /[a-z](Text|Prompt|Messages?|Content|Input|Question|Query|Body|Task|Request)$/;

/** What a program tells a model on its own account. */
const systemic = /^system/i;

const uploaded =
  /(^|_)(files?|images?|img|uploads?|attachments?|screenshots?|documents?|docs?|pdfs?|photos?|pictures?|audio|scans?|blobs?|buffer|bytes)(_?(text|content|data|base64|bytes|buffer))?$|(File|Image|Upload|Attachment|Screenshot|Document|Pdf|Photo)s?(Text|Content|Data|Base64|Bytes|Buffer)?$/i;

export function isContext(name: string): boolean {
  return contextual.test(snake(name));
}

/** A name in small letters, with a line before each word. */
function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_').toLowerCase();
}

export function isText(name: string): boolean {
  return (textual.test(name) || textualEnd.test(name) || uploaded.test(name)) && !systemic.test(name);
}

export function isUpload(name: string): boolean {
  return uploaded.test(name) && !/(path|name|type|id|size|url)s?$/i.test(name);
}

/**
 * A parameter that is a call which a model wants; names that mean much else say so only where there are tools, and not
 * beside the name of a program, whose arguments they are.
 */
export function isCall(name: string, amongTools: boolean, beside: readonly string[] = []): boolean {
  if (/^tool_?(use|call|request|input|args|arguments)s?$|^function_?call$/i.test(name)) return true;
  if (!amongTools || !/^(calls?|block|args|arguments)$/i.test(name)) return false;
  return (
    !/^arg/i.test(name) || !beside.some((other) => /^(command|cmd|program|executable|binary)$/i.test(other))
  );
}

/** What only a program with tools says: a word in a text or in the name of a folder is not enough. */
export const namesTools =
  /\btools?\s*[:=[]|["']tools?["']|@tool\b|tool_?(calls?|use)|(call|register|run|execute|add)_?tool|function_?calls?/i;

/** A parameter that is a model's answer. */
export function isAnswer(name: string): boolean {
  return /^(completion|llm_?(response|output|answer)|model_?(response|output|answer|text)|assistant_?(message|text|reply)|ai_?message|generated|generation)$/i.test(
    name,
  );
}

/** An argument that says whose data it is. */
export function isOwner(name: string): boolean {
  return (
    /^(koder|user|tenant|account|customer|owner|org|organisation|organization|member|patient)_?(id|uid|uuid)$/i.test(
      name,
    ) || /^(uid|userId|tenantId)$/.test(name)
  );
}

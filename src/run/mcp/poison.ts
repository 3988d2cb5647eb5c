// Detects instructions in the definitions of tools: a description states what a tool does. Text that instructs a model
// about other tools, to hide something from the user or to disclose data is an attack, however plainly it is written.

import { isJsonObject, type JsonObject, visible } from '../../core/index.ts';

/** A kind of instruction, and its words in one sentence. */
interface Order {
  readonly what: string;
  readonly words: RegExp;
}

/**
 * Joins parts of an expression. INVARIANT: repetitions are limited to the length of a word, so that each sentence is
 * matched in linear time.
 */
function words(...parts: readonly string[]): RegExp {
  const bounded = parts.join('').replaceAll('\\S+', '\\S{1,60}').replaceAll('\\S*', '\\S{0,60}');
  return new RegExp(bounded.replaceAll('[\\w.+-]+@', '[\\w.+-]{1,64}@'), 'iu');
}

/** Users from whom something is to be hidden. */
const user =
  '(?:user|human|person|operator|customer|anyone|anybody|them|nutzer\\w*|benutzer\\w*|utilisateur\\w*|usuario\\w*)';

/** A path of a home with secrets. */
const secretPlace =
  '(?:~/\\.\\w+|/(?:home/\\S+|root|Users/\\S+)/\\.\\w+|\\.ssh\\b|id_rsa|id_ed25519|(?:^|[\\s/"\'`(])\\.env\\b(?!\\.(?:example|sample|template|dist))|\\.aws\\b|\\.kube\\b|authorized_keys|/etc/(?:passwd|shadow)|mcp\\.json|\\.netrc|\\.git-credentials|\\.npmrc|\\b(?:bash|zsh|shell|sh|python|psql|mysql|node_repl)_history\\b|\\bclipboard|\\b(?:last|previous|recent) (?:shell )?commands?\\b|\\bshell history|\\boutput of `?(?:env|printenv|set)\\b)';

/** Session data that belongs to the user, and that no tool needs. */
const belongings = `(?:${[
  '(?:full|entire|whole|complete|current|your|own|the) (?:system|developer) prompt|system prompt (?:verbatim|as it is)',
  '(?:the|this|whole|entire|full|our|your) conversation|(?:chat|conversation|message) (?:log|so far)|list of all chats',
  '(?:last|latest|previous|earlier|all|every) user messages?|(?:all|the) (?:previous|earlier|prior) (?:user )?messages',
  '(?:previous|earlier|all|other) tool (?:results?|outputs?|calls?)|the last (?:answer|result|response)',
  '(?:said|wrote|typed|asked|told you|shared) so far|(?:the|their) request unchanged|environment variables of the (?:session|user|host|agent)',
  '(?:the user.s|their) (?:api )?(?:keys|tokens|passwords?|credentials|secrets|files)|home folder of the user|the home folder',
  '(?:keys|tokens|passwords|credentials|secrets|files) (?:that )?(?:you|the model|the assistant) (?:\\S+ )?(?:see|saw|found|find|know|read|have)',
  '(?:ssh|private) keys? of the user|(?:all|any|every|other) (?:open )?files of the user',
  '(?:everything|anything|whatever|all|what) (?:that )?(?:the )?(?:user|human|person|customer|they|you|we) (?:has |have |had )?(?:typed|said|wrote|written|asked|entered|shared|told|discussed)',
  '(?:most recent|latest|current|session|your) (?:access |session |auth )?tokens|(?:whatever|any|all|the) (?:secrets|credentials|passwords|api keys) (?:\\S+ ){0,3}?(?:in|of|from) (?:the|this|your) (?:workspace|session|machine|project|repository|context)',
  '(?:the user|user|their|your).s (?:\\S+ )?(?:password|passphrase|secret|credentials?|token|pin)',
].join('|')})`;

/** An attacker's destination: a mail address, or an account. */
const destination =
  '(?:[\\w.+-]+@[\\w-]+\\.\\w|\\b[A-Z]{2}\\d{2}(?: ?[\\dA-Z]{4}){3}|\\b(?:0x[\\da-f]{40}|bc1[\\da-z]{20}))';

/** Verbs of passing something on. */
const hands =
  '(?:includ[a-z]*|attach[a-z]*|append[a-z]*|prepend[a-z]*|pass[a-z]*|provid[a-z]*|suppl(?:y|ies|ied)|hand over|put|cop(?:y|ied|ies)|sen[dt]|forward[a-z]*|stor(?:e|ed)|contain|begin with|end with|follow(?:ed)? by|followed by|fill[a-z]*|transmit[a-z]*|transmets|paste|prefix|collect|place|add(?:ed)?|insert[a-z]*|upload[a-z]*|share|give|report|füge\\w*|schreib\\w*|mitgegeben|mitgeben|übergeben|ajoute\\w*|joins|copie|añad\\w*|copia|incluye|envía)';

/** Data that is worth stealing. */
const valuables =
  '\\b(?:passwords?|passphrases?|passwörter|contraseñas?|mots de passe|senhas?|credentials?|login details|logins|secrets?|(?:api|private|access|ssh|secret) keys?|(?:access|session|auth|bearer|refresh|api) tokens?|seed phrases?|recovery codes?|cookies|card numbers?)\\b';

/** Locations that a tool was not given. */
const elsewhere =
  '(?:\\b(?:came up|come up|seen|mentioned|used|found|given|shared|entered|appeared|known) (?:earlier|before|so far|previously|in the)|\\b(?:from|in|of) (?:the |this |your |our )?(?:history|conversation|chat|session|context|memory|workspace|open (?:documents?|files?|tabs?)|other (?:\\S+ )?(?:tools?|servers?|files?))\\b|\\baus dem verlauf|\\b(?:an?other|the|any|some) \\S+ (?:server|tool) (?:returned|returns|gave|gives|showed|has)|\\.git-credentials|\\bkeychain\\b|\\bpassword manager\\b|\\bearlier\\b)';

/** Not a sentence about the tool's function, such as "Reads a file.": its first word ends in "s". */
const told = '(?!(?!(?:besides|always|afterwards|perhaps|this|its|as|unless|lies|joins)\\b)\\S+s\\b)';

/** Words of obligation, or of time. */
const obliged =
  '(?:must|should|shall|has to|have to|had to|needs? to|is to be|are to be|always|required|essential|mandatory|first|before|prior to|each time|every time|vor jedem|immer|zuerst|avant chaque|toujours|antes de|siempre|sempre)';

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
      '|\\b(?:need|must|should|may|shall) not be (?:reported|mentioned|disclosed|revealed|told)\\b|\\bdo not (?:show|print|list|log) this (?:step|call|action)\\b',
      '|\\bas an? (?:hidden|secret|invisible|silent) (?:recipient|copy|attendee|participant|reader)\\b',
      '|\\bn.en (?:dis|parle|dites|parlez) (?:rien|pas)\\b|\\bno lo (?:menciones|digas|mencione|diga)\\b|\\bsag(?:e|en)? (?:es )?(?:\\S+ )?(?:nichts|nicht)\\b',
      '|(?:ユーザー|利用者)(?:に|へ)は?(?:言わ|伝え|知らせ)|(?:不要|别|請勿|请勿)(?:告诉|告訴|通知|提及)用户',
    ),
  },
  {
    what: 'it tells the model to hide something from the user',
    words: words(
      '\\b(?:keep|treat) (?:\\S+ ){1,3}?(?:secret|hidden|confidential|private) from\\b',
      '|\\b(?:silently|secretly|covertly|discreetly|quietly) (?:also )?(?:includ|send|copy|attach|append|forward|read|upload|call|pass|add)\\w*',
      `|\\bif the ${user} (?:\\S+ ){0,3}?(?:asks|wonders|wants to know) (?:what|which|why|whether|how|if|about)\\b.{0,40}\\b(?:say|answer|claim|pretend|reply|respond|tell)\\b`,
    ),
  },
  {
    what: 'it speaks for the user',
    words: words(
      `\\bthe ${user} (?:has |have )?(?:already |pre-?)(?:agreed|approved|consented|confirmed|allowed|authori[sz]ed)\\b|\\bhas (?:agreed|consented) (?:in advance|already|to every)`,
      '|\\bno (?:further )?(?:confirmation|approval|permission) is (?:needed|required|necessary)\\b.{0,60}\\b(?:any|all|every|other)\\b',
      '|\\bpretend (?:that |to |as if )?(?:you|the user|they|have|be|it)\\b|\\b(?:disable|turn off|switch off|bypass|skip|suppress) (?:\\S+ ){0,2}?(?:confirmations?|confirmation prompts|approvals?|permission prompts|guards?|guardrails|safety|sandbox|audit(?:ing)?)\\b',
      '|\\b(?:remove|delete|clear|wipe|truncate) the (?:\\S+ )?(?:audit|security|access|command) (?:log|trail|history)\\b',
      '|\\b(?:go ahead|proceed|continue|delete|overwrite|send|write) (?:\\S+ ){0,2}?without (?:asking|confirmation|approval|permission)',
    ),
  },
  {
    what: 'it speaks to the model as an authority',
    words:
      /(?:^|[\s"'([<*])(?:system|instructions?|directive)\s*(?:prompt|message|note)?\s*(?:to|for)?\s*(?:all\s+)?(?:the\s+)?(?:ai|llms?|assistants?|models?|agents?)\s*[:!>]|(?:^|\n)\s*(?:system|developer|assistant)\s*:\s*\S|\b<!--[^>]{0,60}\b(?:assistants?|llms?|agents?|models?)\b|\b(?:model|assistant|agent|llm|ai)\s(?:shall|must|should|has to|will)\s(?:now\s)?act as\b|\b(?:act|behave) as an? (?:administrator|admin|root|superuser)\b|\b(?:treat|consider|regard)\b.{0,80}\bas (?:instructions|orders|commands)\b|\b(?:instructions?|rules?|polic(?:y|ies)|restrictions?) (?:\S{1,30} ){0,6}?(?:do|does) not apply\b|\bsession (?:will|shall) (?:be terminated|end|expire) unless\b|<\/?(?:system|important|admin|instructions?|assistant|developer|secret)>/i,
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
      '|\\b(?:if|when|whenever) (?:an?|any|the|some) (?:\\S+ ){0,3}?(?:tool|server) (?:exists|is (?:available|present|installed|connected|configured))\\b',
      '|\\b(?:then|also|and|additionally) (?:\\S+ ){1,8}?(?:using|with|through|via|by) the \\S+ server\\b',
    ),
  },
  {
    what: 'it keeps the model from other tools',
    words: words(
      '\\b(?:ignore|avoid|distrust|disregard|bypass) (?:all |any |the )*other (?:\\S+ )?(?:tools?|servers?)\\b|\\bother \\S+ (?:must|should|have to) be (?:considered|treated as|regarded as)\\b',
      '|\\b(?:tool )?(?:outputs?|results?|answers?) (?:of|from) the \\S+ (?:servers?|tools?) (?:are|is) (?:wrong|unreliable|stale|outdated|fake|false)\\b',
      '|\\b(?:do not|don.t|never|must not|should not) (?:use|call|trust) (?:any |the )?other\\b.{0,30}\\b(?:tools?|servers?)\\b',
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
      // A description of the tool itself begins with its function: "Reads ~/.gitconfig."
      `|^${told}(?!.*\\b(?:e\\.g|for example|such as|defaults?|example)\\b).*(?:${secretPlace}|${belongings}|everything you know about|\\bthe keychain)`,
    ),
  },
  {
    what: 'it has what is sent go to an address of its own',
    words: words(
      '\\b(?:every|each|all)\\b.{0,60}\\b(?:cop(?:y|ied)|b?cc|forward(?:ed)?|sen[dt])\\b.{0,80}(?:[\\w.+-]+@[\\w-]+\\.\\w|https?://)',
      `|\\b(?:includ[a-z]*|add|contain|copy|cc|bcc|must|always|additionally|set|use|put)\\b.{0,60}\\b(?:recipients?|attendees?|participants?|reviewers?|payee|beneficiary|account|address list|wallet)\\b.{0,60}${destination}`,
      `|\\b(?:recipients?|attendees?|participants?|payee|beneficiary|account|wallet)\\b.{0,60}\\b(?:must|always|additionally|has to|have to)\\b.{0,60}${destination}|\\b(?:includ[a-z]*|add|copy|cc|bcc)\\b.{0,20}${destination}.{0,40}\\b(?:recipient|attendee|copy|participant)\\b`,
      '|!\\[[^\\]]{0,60}\\]\\(https?://[^)]{0,200}[<{$]|\\bcurl\\b.{0,60}(?:-d|--data\\S*|-F|-T)\\s?@?\\S*.{0,40}https?://',
      '|[\\w.+-]+@[\\w-]+\\.\\w+.{0,40}\\b(?:blind copy|copy|b?cc)\\b.{0,40}\\b(?:every|each|all)\\b',
    ),
  },
  {
    what: 'it tells the model what the user learns',
    words: words(
      `\\b(?:${user}|person|people)s? (?:must |should |has to |is to )?(?:stay|remain|be|is|are|kept?) (?:\\S+ )?(?:unaware|ignorant|in the dark|not aware)`,
      `|\\bwithout (?:their|his|her|the ${user}.?s) (?:knowledge|awareness)\\b`,
      '|\\b(?:if|in case|when|whenever|should) (?:\\S+ ){0,3}?(?:asks?|asked|wonders?|questioned)\\b.{0,60}\\b(?:say|claim|answer|pretend|reply|respond|deny|leave|omit|tell|insist)\\b.{0,60}\\b(?:only|out|it is|it was|this|that you|nothing|not)\\b',
    ),
  },
  {
    what: 'it takes hold of what the model says',
    words: words(
      '\\b(?:every|each|all|any) (?:reply|replies|answers?|responses?|messages?) (?:that )?you (?:write|give|send|make)\\b|\\b(?:every|each|all|any) (?:of )?your (?:next |later |following )?(?:repl(?:y|ies)|answers?|responses?|messages?)\\b',
      '|\\b(?:from here on|henceforth|from this point (?:on|onwards?)|for the rest of (?:this|the) (?:session|conversation|chat))\\b',
    ),
  },
  {
    what: 'it gives permissions of the user',
    words: words(
      '\\byou are (?:hereby |now |also )?(?:authori[sz]ed|allowed|permitted|entitled|cleared) to (?:approve|accept|skip|bypass|ignore|confirm|disregard|override)\\b',
      '|\\b(?:always|automatically|first|please) (?:\\S+ ){0,2}?(?:allow|approve|accept|confirm|grant|pick|choose|select|click)\\b.{0,80}\\b(?:permission|approval|consent|confirmation)s?\\b',
      '|\\bnever (?:ask|check|confirm|wait|request)\\b.{0,20}\\b(?:before|for|with)\\b.{0,40}\\b(?:delet|send|pay|overwrit|confirm|approv|permission|consent|user)\\w*',
      '|\\b(?:safety|security|privacy|content|usage) (?:policy|policies|rules?|checks?|filters?|guidelines?) (?:is |are |was |were |has been |have been )?(?:suspended|lifted|off|disabled|void|waived|revoked|overridden)\\b',
      '|\\b(?:admin|administrator|developer|system|root|security) override\\b|\\bnew (?:rule|order|instruction)s?\\s*:',
      '|\\b(?:whatever|no matter what|regardless of what) (?:the )?(?:user|human|person|customer) (?:says?|said|wants?|asks?|chose|gave)\\b',
    ),
  },
  {
    what: 'it has the model obey what it reads',
    words: words(
      '\\b(?:do|follow|obey|execute|carry out|comply with|act on)\\b.{0,30}\\b(?:what|whatever|everything|anything)\\b.{0,20}\\b(?:says?|said|asks?|demands?|orders?|tells? you)\\b',
      '|https?://\\S+ (?:and|then)\\b.{0,20}\\b(?:carry on|continue|follow|comply|obey|proceed|do)\\b|\\b(?:steps|instructions|orders|commands|rules) (?:that are )?(?:listed|given|found|written|stored) (?:there|at https?|on that)',
      '|\\b(?:without question|unconditionally)\\b.{0,60}\\b(?:owner|admin|user|system|trusted)\\b',
    ),
  },
  {
    what: 'it changes what other tools give',
    words: words(
      '\\b(?:results?|findings?|outputs?|answers?|values?|warnings?|severity)\\b.{0,40}\\b(?:from|of|by|that)\\b.{0,20}\\b(?:any|every|all|an?|another|other|security|the other)\\b.{0,30}\\b(?:tools?|servers?|scanners?)\\b.{0,60}\\b(?:overwritten|replaced|ignored|lowered|discarded|dropped|changed|wrong|hidden)\\b',
      '|^(?:please |also |always |then )?(?:lower|change|replace|ignore|discard|overwrite|drop|hide|suppress|downgrade)\\b.{0,60}\\b(?:findings?|results?|warnings?|outputs?|answers?|alerts?)\\b.{0,40}\\b(?:tools?|servers?|scanners?)\\b',
      '|\\b(?:with|using|through|via) the (?:shell|terminal|bash|command|exec\\S*|file\\S*|mail|email|http\\S*) (?:tool|server)\\b|\\busing [a-z]+_(?:post|exec|command|request|upload|shell)\\b',
    ),
  },
  {
    what: 'it asks for what was read elsewhere',
    words: words(
      `^${told}.*${valuables}.{0,80}${elsewhere}|^${told}.*${elsewhere}.{0,80}${valuables}`,
      `|\\b(?:requires?|needs?|wants|expects|prefers|accepts|takes|${hands})\\b.{0,80}${valuables}.{0,60}${elsewhere}`,
      '|(?:process\\.env\\.|os\\.environ\\S{0,3}|\\$\\{?)[A-Z][A-Z\\d_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASS)\\b',
      `|^${told}.*\\b(?:upload|send|mirror|forward|transmit|e-?mail)\\b.{0,30}\\b(?:whole|entire|full|complete|all|each|every)\\b.{0,30}\\b(?:project|workspace|repository|home|folder|history|conversation|messages?)\\b.{0,40}(?:https?://|argument|parameter|field|\`|@)`,
      '|\\b(?:each|every|all) messages? (?:that )?(?:the )?(?:user|human|person|customer|you)\\b.{0,30}\\b(?:writes?|sends?|types?|gets?)\\b.{0,40}\\b(?:to|in|into|as) (?:the )?[`"\']',
      `|\\b${hands}\\b.{0,20}\\b(?:its|your|the model.s|the assistant.s|the agent.s|own) (?:\\S+ )?(?:instructions|system message|prompt|rules)\\b`,
      '|\\b(?:conversación|conversation|conversa) (?:completa|complète|entière|entera)\\b|\\b(?:gesamte|ganze|komplette|vollständige)[nr]? (?:unterhaltung|verlauf|chat|gespräch)|\\balle passwörter\\b|\\btodas las contraseñas\\b|\\btous les mots de passe\\b|\\btodas as senhas\\b',
    ),
  },
  {
    what: 'it has the user pay or write to others',
    words: words(
      `\\b(?:charge|pay|transfer|wire|bill|refund)\\b.{0,60}\\b(?:to|on|from|with)\\b.{0,30}(?:${destination}|\\b\\d{4}[ -]?\\d{4}[ -]?\\d{4}[ -]?\\d{4}\\b)`,
      '|\\b(?:replace|swap|exchange|substitute|redirect)\\b.{0,60}\\b(?:numbers?|address(?:es)?|recipients?|accounts?|ibans?|wallets?|links?)\\b.{0,40}\\b(?:by|with|to|for)\\b.{0,10}(?:\\+?\\d[\\d -]{7}|https?://|\\S+@\\S+\\.\\w)',
    ),
  },
];

/** Names of arguments that request data which no tool needs. */
const leaking: readonly RegExp[] = [
  /(?:content|contents|data|text|value|output|result)s?_?(?:from|of|in)_?(?:reading_?)?.*(?:ssh|rsa|env|secret|password|credential|passwd|private|history|prompt|conversation)/i,
  /^(?:(?:full|entire|complete|whole|all|raw|user|current|your)_?)*(?:system_?prompt(?:_?(?:text|verbatim|content|json))?|(?:chat|conversation|message|session)_?(?:history|log|transcript|so_?far)(?:_?(?:for|as|json|text)_?\w*)?)$/i,
  /^(?:(?:full|entire|all|raw)_?)*(?:previous|prior|earlier)_?(?:(?:user|chat)_?)?(?:messages|prompts|conversations?|tool_?(?:calls|results|outputs))(?:_?(?:json|text|list))?$/i,
  /(?:id_rsa|ssh_?(?:private_?)?key_?(?:content|file)|etc_?passwd|dotenv_?content)/i,
];

/** A tool that works with models takes prompts and histories as arguments. */
const ofModels = /\b(?:prompts?|llms?|language models?|chat ?bots?|completions?|personas?)\b/i;

/** How much is matched as one sentence; a longer one is split into overlapping parts. */
const longestSentence = 1000;
const overlap = 200;

/** The sentences of a text, on one line each. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|approx)\.)\s+|(?<=。)|\n+/).flatMap((sentence) => {
    const line = sentence.replace(/\s+/g, ' ');
    const parts = Math.ceil(Math.max(1, line.length - overlap) / (longestSentence - overlap));
    return Array.from({ length: parts }, (_, at) => {
      const start = at * (longestSentence - overlap);
      return line.slice(start, start + longestSentence);
    });
  });
}

/** Why a definition is not shown; undefined if it contains no instructions. `others` are the tools of other servers. */
export function poisonIn(
  definition: object,
  texts: readonly string[],
  others: () => ReadonlySet<string>,
): string | undefined {
  const sentences = texts.flatMap(sentencesOf);
  const found = orders.find((order) => sentences.some((sentence) => order.words.test(sentence)));
  if (found !== undefined) return found.what;
  const isOfModels = texts.some((text) => ofModels.test(text));
  const key = isOfModels
    ? undefined
    : keysOf(definition).find((name) => leaking.some((pattern) => pattern.test(name)));
  if (key !== undefined) return `its argument "${visible(key, 60)}" asks for what no tool needs`;
  const shadowed = texts.map((text) => shadowedIn(text, others)).find((name) => name !== undefined);
  return shadowed === undefined
    ? undefined
    : `it says how "${visible(shadowed, 60)}" of another server is used`;
}

const insteadOf =
  /\b(?:instead of|rather than|in place of|replaces?|supersedes?|deprecat\w+|(?:do not|don't|never|must not|should not|cannot) (?:be )?(?:use|used|call|called)|before (?:using|calling)|after (?:using|calling)|whenever)\b/i;

/** A tool of another server that is the subject of an instruction. */
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

/** Names that unambiguously refer to a tool in a text: complete, or with a character that no word of a sentence has. */
export function telling(server: string, name: string): readonly string[] {
  const own = name.toLowerCase();
  const whole = [`${server}__${own}`, `${server}.${own}`, `${server}/${own}`];
  return /[_-]|[a-z][A-Z]/.test(name) ? [...whole, own] : whole;
}

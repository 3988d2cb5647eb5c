// Signs of an order to a machine that reads: whom a text addresses, whose task it speaks of, what it wants done. Alone each is
// ordinary; orders.ts says which of them together are an attack.

export type Sign =
  /** Speaks to a machine that reads. */
  | 'address'
  /** Names a machine before an order: "Copilot: …", "Assistant, …". */
  | 'vocative'
  /** Says what machines must do: "AI reviewers should …". */
  | 'duty'
  /** Speaks of the task that another person gave the reader. */
  | 'task'
  /** Wants something done outside: messages, money, accounts, bookings, deletions, downloads. */
  | 'outward'
  /** Wants something reported, as any work with a user does. */
  | 'say'
  /** Wants something rated, approved or left out. */
  | 'bend'
  /** Wants it kept from the user. */
  | 'hide'
  /** Any other order. */
  | 'order';

interface SignRule {
  readonly sign: Sign;
  readonly phrases: readonly string[];
}

export const signRules: readonly SignRule[] = [
  {
    sign: 'address',
    phrases: [
      'note|notice|message|attention|reminder|warning|instruction|instructions|directive|directives|memo|request|important|hint|psa|steps|task|tasks|command|commands|orders to|for ~users|people|developers|owners|administrators|teams|anyone|everyone|those ..3 @machine',
      'message|note|request|instruction|instructions|order from ..4 for|to ..2 @machine',
      'new|next message|request|instruction|turn from|of the? user|human|customer',
      'if|when|once|should ..4 read|processed|parsed|summarized|handled|opened|visited by a|an|some|any ..2 @machine|machine|program',
      'you ..1 the|an|a ..2 @machine ..2 @handling',
      'i know ..1 you are ..4 @machine',
      'new|updated|urgent|special|final|secret|important|additional|hidden|quick|short note|notice|message|instruction|instructions|directive|directives|order|orders|task|tasks to|for ..3 @machine',
      'i ..2 writing|speaking|talking to ..2 @machine',
      'a lattention de|des|du ..2 @machine',
      'to|for ..1 @machine ..3 @handling|using|working',
      'attention|dear|hey|hi|hello ..2 @machine',
      'attention|dear|note ..2 automated|autonomous|ai systems|readers|services|tools|processes|reviewers',
      'if|when|since|because you are|re ..1 an|a|the ..3 @machine',
      'if|when|once|should an|a|any|some|the ..1 @machine ..1 @handles',
      'if|when|once|should an|a|any|some|the ..1 @machine is|are @handling',
      'this ..1 is|was ..2 for|to ..3 @machine',
      'if|when|since|because you are|re @machine',
      'if|when you are|re ..3 reading|processing|summarizing|reviewing ..3 as ..2 @machine',
      'as an|a|the ..2 @machine you ..1 must|should|need|are|have|will',
      'to you ..1 @machine',
      'you gpt|claude|gemini|copilot|chatgpt|llm|ai ~can|could|should|are',
      'any|all|every ..2 @machine ..2 @handling|must|should|please',
      'any|all|every ..2 @machine that|who @handles',
      'ai|llm|language|automated @machine|systems that|who|which @handles ..3 must|should|shall|need|needs|please',
      '@machine|systems|reviewers|evaluators ..1 that|who? @handling|working ..4 must|should|shall|need|needs|please',
      'reviewer|reviewers|grader|graders|evaluator|evaluators|summarizer|summarizers ..1 ai|llm|bot|agent|model',
      'atencao|atencion|achtung|attention|lattention|mensagem|mensaje|hinweis|hallo|ola|hola ..3 @machine ..1 de? ..1 ia?',
      'se|si|wenn voce|tu|vous|du|vc ..1 e|es|etes|for|bist ..3 @machine ..1 de? ..1 ia|linguagem?',
      'si eres ..2 @machine ..1 de? ..1 ia|lenguaje?',
      'wenn du|ihr|sie ..3 @machine ..1 bist|liest|seid|sind|lest|lesen',
      'an alle ..1 @machine ..1 die? ..3 lesen|lest|verarbeiten|auswerten?',
      'aos|as|ao|os|para|a|los|las|aux|les|qualquer|cualquier|toda|todo|todas|todos|tout|toute|jede ..1 @machine ..1 de? ..1 ia|langage|linguagem|lenguaje? ..1 que|qui|lendo|leyendo|lisant ..4 lerem|lejam|leem|leia|ler|lea|lean|leen|lisent|lit|processarem|processe|procesen|procese|este|esta|cet|cette?',
      'ki|kis|sprachmodelle ..1 systeme|modelle|assistenten|agenten? ..1 die ..6 lesen|prufen|auswerten|verarbeiten|bewerten',
      'instrucoes|instrucao|instrucciones|nota|note|aviso|hinweis|mensagem|mensaje|message|anweisung|anweisungen|consignes para|fur|an|pour|a|ao|aos|al|au|aux ..2 @machine ..1 de? ..1 ia?',
    ],
  },
  {
    sign: 'vocative',
    phrases: [
      'ai|llm|coding|mail|email|shopping|browsing|browser|review|reviewer|code|research|voice|automated|autonomous|language? @machine',
      'grader|graders|evaluator|evaluators|moderator|screener',
      'ai|llm|automated ..1 reviewer|reviewers|evaluator|evaluators|grader|graders|summarizer|reader|readers|screener|visitor|visitors|client|clients',
      'ai|ais|llm|llms|chatgpt|gpt|claude|gemini|copilot|bot|bots|chatbot|assistant|assistants|agent|agents|cursor|codex|devin|windsurf|assistente|asistente|assistent|agente',
      'to|for|ps ..1 @machine|evaluators|reviewers ..1 de? ..1 ia?',
      'to|for the|all|any|every|whichever|our|your ..2 @machine|evaluators|reviewers',
      'aos|as|ao|para|aux ..2 @machine ..1 de? ..1 ia?',
    ],
  },
  {
    sign: 'duty',
    phrases: [
      'ai|llm|coding|mail|email|shopping|browsing|browser|review|research|automated|autonomous|language @machine|reviewers|evaluators|graders|summarizers|readers must|should|shall|needs|need|has|have|please|will ..2 @doing|upload|export|delete|transfer|give|rate|send',
      // An agent alone is a program of many kinds.
      'all|any|every ai|ais|llm|llms|assistant|assistants|chatbot|chatbots|model|models|bot|bots|claude|gemini|copilot|chatgpt|gpt|codex|crawlers|summarizers must|should|shall|needs|need|has|have|please|will ..2 @doing|upload|export|delete|transfer|give|rate|send',
      'ai|llm|automated|language|all ..2 engines|agents|assistants|models|bots|reviewers|systems are|is ..1 asked|required|requested|instructed|expected|supposed|obliged to ..2 @doing|list|leave',
      'ai|llm|automated clients|contributors|systems|tools|services must|shall|needs|need|has|have ..2 @doing',
    ],
  },
  {
    sign: 'task',
    phrases: [
      'task|request|question|instructions|assignment|job ..1 that|which? ..1 i|user|they|he|she ..2 gave|given|asked|assigned|wants ..1 you',
      'before you ..2 can|start|continue|complete|finish|proceed|solve|do|answer|respond|begin|help|go|give|show|return|report ..6 task|request|question|user|assignment|query',
      'after|once|when you do|did|have|finish|complete|are ..2 that|this|so|done ..2 you can|may ..1 continue|solve|proceed|return|go|resume|finish|complete',
      'your|users|user original|initial|main|ongoing|primary task|request|assignment|query|question',
      'continue|proceed|resume|return|go ..2 with|to ..2 original|previous|initial|main|user|users ..1 task|request|question|query|work',
      'to|order ..1 solve|complete|finish|continue|fulfill|accomplish ..2 the|your|this|ongoing|current|my|users ..2 task|request ..6 must|need|have|required|first|please',
      'finish|complete|solve the|your ongoing|current|original task',
      'message|note|instruction|request|reminder from the? ..1 me|user|owner|admin|administrator|developer|developers|operator|system ..5 to you',
      'antes de ..3 continuar|responder|resolver|concluir|completar ..4 tarefa|pedido|tarea|solicitud ..12 deve|precisa|debes|primeiro|primero|favor',
      'bevor du ..6 aufgabe|anfrage|antwort',
    ],
  },
  {
    sign: 'outward',
    phrases: [
      'send|sent|email|forward|transfer|wire|transmit|exfiltrate|submit|upload|export|envie|enviem|mande|mandem|encaminhe|encaminhem|transfira|transfiram|envia|envien|envie|manda|manden|reenvia|reenvie|reenvien|transfiere|transfiera|transfieran|envoie|envoyez|transmettez|transfere|transferez|sende|sendet|senden|schicke|schickt|uberweise|uberweist|ubermittelt|leite|leitet|leiten',
      'post|publish|share|propagate|paste|push ..8 to|on|in|with|at|as|into',
      'pay|wire|transfer ..4 to|into|auf ..1 the? iban|account|wallet|address|this|these',
      'pay|buy|purchase|book|reserve|compre|pague|reserva|achete|kaufe ~of|by|is|in|and|or|to|now|per|from|summary|details|confirmation|history',
      'make|place ..3 reservation|purchase|payment|order|donation|transfer|booking',
      'complete the? ..2 checkout|purchase|payment',
      'invite ..6 to|as|with',
      'escalate|elevate|promote|upgrade ..4 admin|owner|root|administrator|privileges',
      'add|grant|give ..6 collaborator|admin|access|permission|permissions|member|maintainer|owner',
      'add ..3 ssh|public|gpg|deploy key|keys ..2 to',
      'add|remove ..6 to|from ..3 channel|group|workspace|account|organization|contacts|cart|basket|meeting',
      'enter|type|submit|provide|give ..4 password|credentials|token|key|pin|cookie|card',
      'change|modify|update|reset|replace|switch ..4 password|passwords|recipient|recipients|email|credentials|payment|iban|permissions|visibility|account',
      'move|copy ..6 to ..2 public|external|shared',
      'click|press|tap ..4 button|accept|approve|transfer|confirm',
      'stop|restore|restart|deploy|roll|revert ..5 deployment|production|backup|server|database',
      'hand|turn ..1 over ..8 to',
      'ajoute|ajoutez|anade|agrega|adicione|fuge ..3 cle|clave|chave|schlussel|compte|cuenta|conta',
      'publique|publica|publiez|veroffentliche ..3 token|senha|chave|clave|cle|schlussel|passwort|contrasena',
      'debe|deben|deve|devem|doit|doivent|sollen|mussen ..2 cambiar|enviar|reenviar|transferir|borrar|eliminar|encaminhar|apagar|mudar|trocar|envoyer|transferer|supprimer|payer|pagar',
      'sollen|mussen|soll|muss ..12 senden|schicken|weiterleiten|uberweisen|loschen',
      'open|unlock|set|turn|disarm ..3 lock|door|gate|garage|heating|thermostat|alarm|lights|camera',
      'pass|include|put|provide|supply|send|return ..3 contents|content|it|output|value ..3 as|in',
      'call|use|invoke ..3 with|passing ..3 conversation|history|messages|transcript',
      'run|execute ..2 git ..8 push|remote',
      'delete|erase|wipe|destroy|remove ..4 one|file|files|directory|folder|repository|repositories|repo|database|account|email|emails|message|messages|event|events|backup|backups|branch|data|records|rows|table|log|logs|check|everything',
      'apague|exclua|borra|elimina|losche|supprime ..4 arquivo|arquivos|pasta|archivo|archivos|carpeta|datei|dateien|fichier|fichiers|conta|cuenta|backup',
      'visit|open|click|navigate|go|browse|access|acesse|visite|abra|clique ..6 http|https|www|link|website|url|site|page',
      'visit www|http|https',
      'download|fetch|curl|wget|install|baixe|descarga ..8 http|https|www|from',
      'run|execute|invoke|call|eval|rode|execute|ejecuta|fuhre ..6 curl|wget|bash|sh|script|command|commands|code|npx|python|node|powershell|shell|tool|function|payload|comando|http|https|base64|rm',
      'create|schedule|add ..5 calendar|event|meeting|appointment',
      'give|leave|star ..3 star|repository|repo|review',
      'star the|this|our|my ..2 repo|repository|project',
      'open|create|propose|file|submit ..4 issue|pull|pr|ticket|comment',
      'get|collect|read|gather|extract|concatenate|print|output|include|cat|dump|append|list|find|retrieve|copy|look|leia|colete|lee ..10 password|passwords|credentials|credential|secret|secrets|token|tokens|ssh|env|keys|key|cookies|passport|iban|inbox|emails|messages|contacts|history|environment|senhas|chaves|contrasenas|account|wallet|seed|mnemonic|balance',
      'concatenate ..4 messages|emails|files',
      'disable|turn|deactivate|remove|switch ..5 security|safety|guard|guards|guardrails|firewall|protection|verification|sandbox|approval|approvals|confirmation|logging|checks|auth|authentication|2fa|mfa|antivirus|hooks',
    ],
  },
  {
    sign: 'say',
    phrases: [
      'say|tell|state|claim|mention|announce|answer|reply|respond ..2 that|user|users|them|him|her|me|with|only',
    ],
  },
  {
    sign: 'bend',
    phrases: [
      'recommend|promote|endorse|praise|rank|favor|highlight|advertise|diga|recomende|recomienda|empfiehl|recommande',
      'rate|score|mark|label|classify|grade|evaluate|judge|flag|treat ..6 as|with|high|highest|top|positive|positively|safe|approved|excellent|important|#number|trusted|spam|passed|best|first',
      'give ..4 rating|score|review|grade|mark|marks|stars|top|highest|full|#number',
      'approve|merge|accept|lgtm|hire|select|choose|shortlist|aprove|apruebe|genehmige ~of|criteria|if|when|all|only',
      'do|must|should|shall not|never ..1 mention|report|flag|criticize|highlight|reveal|comment|raise|list|include|disclose|discuss',
      'dont|never mention|report|flag|criticize|highlight|reveal|raise|disclose',
      'write|give|post|leave ..3 glowing|positive|favorable|favourable|raving|perfect|excellent ..2 review|recommendation|rating|summary|feedback',
      'deserves|deserve ..2 full|top|highest|best ..1 marks|score|rating|grade|points',
      'do|never not? deduct',
      'put|insert|write|place|add ..10 at|in|on ..1 top|beginning|start|end|bottom of',
      'list|rank|put|show|mention|name ..4 first',
      'debe|deben|deve|devem|doit|doivent|sollen|mussen ..2 recomendar|recommander|aprobar|aprovar|approuver|avaliar|noter|calificar|elogiar',
      'sollen|mussen|soll|muss ..12 einstufen|bewerten|empfehlen|nennen|verschweigen|loben',
      'empfehlt|empfehle|nennt|bewertet|erwahnt|approuvez|approuve|recommandez|notez|aprueben|recomienden|recomendem|aprovem',
      'omit|skip|hide|suppress|downplay|ignore|leave ..6 finding|findings|vulnerability|vulnerabilities|issue|issues|warning|warnings|bug|bugs|problem|problems|criticism|negative|competitor|competitors|security|tests|out',
      'include|insert|add|append|weave|embed|put|inclua|incluye ..12 in|into|to|at ..3 your|every|each|all|the response|answer|reply|summary|output|responses|review|report|message|code|commit|resposta|respuesta',
      'begin|start|end|prefix|preface ..2 your|every|each|all response|answer|reply|summary|output|message|responses',
      'summary|summarize|summarise|describe|present|portray|report ..5 as|only|positively',
      'responda|diga|responde|di|reponds|dis|antworte|sage ..4 que|dass',
      'nao|no|nicht|pas mencione|menciones|mentionne|erwahne|cite|cites',
      'stop|refuse|decline ..3 summarizing|reviewing|answering|processing|helping|responding|work|task',
      'leave ..1 out ..4 comments|comment|review|reviews|criticism|findings|mentions|every|any|all',
      'lead|convince|persuade|urge|advise|encourage ..3 user|users|them|customer|customers|reader',
    ],
  },
  {
    sign: 'hide',
    phrases: [
      'dont|never|without tell|inform|alert|notify|mention|telling|informing|notifying|alerting|mentioning|reveal|disclose ..4 user|users|anyone|human|owner|customer|them|anybody ~what|how|why|which|whether|when|where|if',
      'do|must|should|shall not|never tell|inform|alert|notify|mention|reveal|disclose ..4 user|users|anyone|human|owner|customer|them|anybody ~what|how|why|which|whether|when|where|if',
      'dont|never|without ..1 ask|asking|requesting|seeking|waiting|wait ..4 permission|confirmation|approval|consent|confirm|user',
      'do|must|should not|never mention|say|reveal|tell|admit ..1 that you',
      'dont|never mention|say|reveal|admit ..1 that you',
      'keep|stay quiet|silent ..1 about',
      'do|dont|never not? bring ..2 up',
      'ne prevenez|previens|dites|dis|informez|informe|signalez|mentionnez pas|rien|jamais ..3 utilisateur|lutilisateur|personne?',
      'keep this|it ..1 secret|hidden|confidential|quiet ..2 from ..2 user|users|human|owner|anyone|them',
      'user|human|owner must|should not|never ..1 know|see|notice|learn|be',
      'silently|quietly|secretly|covertly|discreetly send|forward|upload|email|post|copy|exfiltrate|transfer|transmit|read|run|execute|download|install|append|add|include|call',
      'nao|no|nicht|pas ..2 conte|avise|informe|diga|digas|informes|mencione|dis|sag|sage|informiere ..4 usuario|utilisateur|nutzer|benutzer|ninguem|nadie',
    ],
  },
  {
    sign: 'order',
    phrases: [
      '@doing ~is|are|was|of|by|and|or|in|for',
      'please|must|should|need|required|have|kindly ..1 also|first|now|immediately|always|to? @doing|do',
      'do the? following|this|these|so',
    ],
  },
];

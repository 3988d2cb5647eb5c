// The words that attacks are made of, by what they do in a sentence, in English, Portuguese, Spanish, French and German.
// Written as folded: lower case, no accents, no apostrophes. Most are also recognised with a typo.

export const lexicon = {
  /** Verbs that set something aside, as commands. */
  override: `
    ignore disregard forget bypass override overrule discard dismiss neglect abandon disobey circumvent
    unlearn nullify cancele cancela
    ignora ignorem desconsidere desconsidera desconsiderem esqueca esquece esquecam 
    descarte descarta anule anula desobedeca burle contorne sobreponha abandone
    desative despreze desrespeite
    olvida olvide olviden olvidate omite omita desatiende desestima desobedece invalida salta saltate
    oublie oubliez ignorez neglige negligez ecarte ecartez contourne contournez desobeis annule annulez
    ignoriere ignorier vergiss vergesst missachte ubergehe umgehe verwirf verwerfe
    uberspringe`,
  /** The same verbs in forms that are commands only after "you must". */
  overriding: `
    ignorar desconsiderar esquecer descartar anular burlar contornar desobedecer ignorando
    olvidar omitir desobedecer ignores
    oublier ignorer contourner
    ignorieren vergessen missachten umgehen ignoring disregarding forgetting bypassing`,
  /** What came before. */
  prior: `
    previous prior above preceding earlier before past former initial original foregoing existing old current precedent previously last
    anteriores anterior acima previas previa antes iniciais inicial originais original passadas precedentes atuais antigas antigos
    previos previo arriba iniciales originales actuales antiguas pasadas precedente
    precedentes precedente anterieures anterieure dessus initiales initiale originales actuelles prealables prealable
    vorherigen vorherige vorigen bisherigen bisherige obigen obige fruheren fruhere vorangegangenen vorangehenden ursprunglichen
    vorhergehenden vorhergehende oben vorher davor alten ursprunglich zuvor`,
  /** What a text orders a model to follow. */
  instruction: `
    instructions instruction directions directives directive guidelines guideline rules prompt prompts orders commands
    constraints restrictions restriction programming safeguards guardrails preprompt guidance protocols protocol
    policies policy regulations limitations directiveness
    instrucoes instrucao regras diretrizes diretriz orientacoes orientacao ordens comandos restricoes diretivas
    politicas determinacoes normas
    instrucciones instruccion reglas directrices directriz ordenes indicaciones restricciones directivas comandos mandatos
    consignes consigne regles directives ordres restrictions
    anweisungen anweisung regeln richtlinien befehle vorgaben einschrankungen instruktionen instruktion vorschriften systemprompt`,
  /** What was said, without a word for its being an instruction. */
  said: `
    everything anything text context messages message conversation said told input inputs words content discussion learned know taught
    tudo conversa mensagens mensagem disse texto contexto dito falado
    todo conversacion mensajes dicho contexto hablado
    tout texte messages dit contexte
    alles gesagte gesagt text kontext nachrichten gelernt`,
  /** Speaks to the one who reads. */
  your: `
    your you youve youre ur yours yourself u
    sua seu suas seus tua teu tuas teus voce voces vc te lhe foram
    tu tus su sus te ti usted
    tes ton ta vos votre vous toi
    dein deine deinen deiner deinem dir dich ihre ihren ihnen ihrer`,
  all: `
    all any every everything each these those whatever entire
    todas todos tudo qualquer quaisquer toda todo essas esses estas
    cualquier todas estas esas
    toutes tous toute tout ces
    alle allen aller alles jegliche samtliche jede`,
  /** Verbs that bring something to light, as commands. */
  reveal: `
    reveal show print repeat display output tell give share disclose expose leak dump echo recite write list paste copy
    summarize summarise translate spell describe provide return say state send recall retype rewrite restate explain quote read
    reproduce divulge confess hint encode transcribe regurgitate uncover spill
    mostre mostra mostrar revele revela revelar repita repete repetir imprima imprime imprimir exiba exibe exibir diga fale liste listar conte
    conta forneca envie copie copia cole transcreva traduza resuma escreva descreva informe divulgue
    compartilhe entregue vaze soletre responda reproduza
    muestra muestrame muestre mostrar revela revelame repite repiteme imprime dime escribe escribeme lista comparte traduce resume
    describe cuentame dame ensename copia divulga
    montre montrez montrer revele revelez repete repetez affiche affichez afficher dis dites donne donnez ecris ecrivez
    traduis resume resumez decris partage divulgue imprime recopie
    zeige zeig zeigen verrate verrat wiederhole wiederholen gib gebe nenne schreibe schreib sag sage drucke ubersetze liste
    offenbare enthulle teile beschreibe`,
  /** What belongs to the one who set the model up. */
  system: `
    system hidden initial secret internal developer original confidential base core starting preprogrammed configured custom
    sistema oculto ocultas oculta secretas secretos secreta internas internos interno inicial iniciais desenvolvedor confidenciais confidencial
    ocultos iniciales desarrollador
    systeme cachees cache secretes internes confidentielles developpeur initiales
    system versteckten versteckte geheimen geheime internen interne vertraulichen entwickler`,
  /** What holds a model's instructions. */
  prompt: `
    prompt prompts preprompt preamble systemprompt metaprompt instructions instruction directives guidelines rules configuration
    initialization personality
    instrucoes instrucao configuracao diretrizes regras
    instrucciones configuracion directrices reglas
    consignes configuration directives regles invite
    anweisungen systemanweisungen konfiguration richtlinien vorgaben`,
  /** What is guarded. */
  secret: `
    password passcode passphrase passkey secret secrets codeword keyword key code flag pin credentials
    senha segredo codigo chave
    contrasena secreto codigo clave
    passe motdepasse secret code cle
    passwort kennwort geheimnis geheimcode geheimwort losungswort code schlussel`,
  /** Makes a key, code or word a guarded one. */
  guarded: `
    secret access hidden magic unlock entry security master defense defence protected password
    secreta secreto acesso mestra oculta escondida
    acceso magica escondida maestra
    acces magique cache
    geheime geheimen versteckte zugangs`,
  /** Takes another's place, as commands. */
  act: `
    act pretend behave roleplay simulate impersonate become play imagine respond answer speak embody emulate
    aja finja comporte atue simule interprete responda imagine fingir agir
    actua finge comportate simula interpreta responde imagina
    agis fais comporte joue imagine reponds pretends simule
    verhalte spiele handle stell simuliere antworte agiere`,
  /** Words that name a model without limits. */
  unbound: `
    dan jailbroken jailbreak unfiltered uncensored unrestricted amoral unhinged unmoderated unconstrained unlimited unethical
    lawless antigpt evilbot aim stan dude
    irrestrito irrestrita desbloqueado descensurado
    irrestricto desbloqueada
    debride
    unzensiert uneingeschrankt ungefiltert unzensierte uneingeschrankte ungefilterte`,
  without: `
    no not never without free freed lack lacks lacking ignoring devoid neither nor cannot zero freely liberated beyond bypassing unbound
    sem nao nunca livre nenhuma nenhum
    sin ningun ninguna libre jamas
    sans aucun aucune libre jamais
    ohne keine keinen kein nie niemals frei`,
  limits: `
    restrictions restriction limitations limitation filters filter rules ethics ethical moral morals morality censorship
    guidelines boundaries constraints safeguards limits safety guardrails policies confines inhibitions moderation restraints principles
    restricoes limitacoes filtros regras etica eticas morais moral censura limites diretrizes
    restricciones limitaciones reglas eticas morales
    limites filtres regles ethique ethiques morale contraintes censure
    einschrankungen beschrankungen filter regeln ethik ethische moralische zensur grenzen richtlinien`,
  /** Names for the one who reads, when it is a machine. */
  assistant: `
    ai assistant assistants model llm llms chatgpt gpt claude gemini bot chatbot agent agents copilot ais bard llama
    assistente assistentes modelo ia agente
    asistente asistentes
    assistant modele agent lia lassistant
    assistent assistenten ki modell sprachmodell`,
  /** Names for machines that read. */
  machine: `
    ai ais llm llms chatgpt gpt gpt4 gpt5 claude gemini copilot bot bots chatbot chatbots assistant assistants agent agents
    model models cursor codex devin windsurf aider grok llama mistral qwen deepseek perplexity bard
    crawler crawlers scraper scrapers summarizer summarizers
    assistente assistentes agente agentes modelo modelos ia ias asistente asistentes
    assistent assistenten ki kis sprachmodell sprachmodelle modele modeles lia lassistant`,
  /** Verbs for the work of a machine on a text. */
  handles: `
    reads read processes process visits visit summarizes summarize summarises reviews review sees see opens open parses parse
    indexes index analyzes evaluates evaluate finds handles handle picks receives checks screens looks crawls fetches`,
  handling: `
    reading processing reviewing summarizing summarising indexing parsing visiting scraping crawling handling browsing analyzing
    evaluating opening checking screening looking`,
  /** What a text orders its reader to do. */
  doing: `
    send email forward transfer pay buy delete remove visit open click download upload post publish run execute call invoke fetch
    read add append insert include write create invite change update approve merge mark rate recommend reply respond say tell
    ignore use install set grant share export book reserve make give get check modify edit replace print output
    return show search find follow perform submit register sign log enter type copy move rename set configure enable disable
    praise score rank select choose accept reject summarize translate generate respond skip stop start continue wait ensure
    consider treat assume classify label reveal disclose provide prioritize mention state confirm verify report ask list
    envie execute leia abra acesse use inclua escreva responda diga recomende ignore apague baixe clique instale
    ejecuta lee abre accede incluye escribe responde di recomienda ignora borra descarga instala
    execute lis ouvre inclus ecris reponds dis recommande ignore supprime installe
    fuhre lies offne schreibe antworte sage empfiehl ignoriere losche installiere nenne bewerte`,
  user: `
    user users human usuario usuarios utilizador utilisateur utilisateurs benutzer nutzer anwender customer reader`,
  answer: `
    response answer reply output summary responses answers replies completion result
    resposta respostas saida resumo
    respuesta respuestas salida resumen
    reponse reponses sortie
    antwort antworten ausgabe zusammenfassung`,
  insert: `
    include insert add append mention embed incorporate weave recommend promote integrate slip state announce declare advise direct
    inclua insira adicione acrescente mencione recomende
    incluye inserta agrega anade menciona recomienda
    inclus incluez insere inserez ajoute ajoutez mentionne mentionnez recommande
    fuge erwahne empfiehl`,
  /** Verbs of answering, as commands or after before and instead of. */
  answering: `
    answering responding replying summarizing summarising giving providing generating proceeding continuing completing answer respond
    reply responder resumir respondendo responder resumiendo respondiendo repondre resumer antworten beantworten antwortest`,
  only: `
    only exactly just simply solely verbatim strictly precisely
    apenas somente exatamente so
    solo solamente unicamente exactamente
    seulement uniquement exactement juste
    nur ausschliesslich genau lediglich`,
  fresh: `
    new following updated revised next real actual true different below
    novas novo nova novos seguintes seguinte abaixo
    nuevas nuevo nueva nuevos siguientes siguiente
    nouvelles nouvelle nouveau suivantes suivante
    neue neuen neuer neues folgende folgenden folgender`,
  task: `
    task role goal objective mission job purpose persona identity character instructions instruction rules directive orders command
    tarefa papel objetivo missao funcao instrucoes regras
    tarea rol mision funcion instrucciones reglas objetivo
    tache role mission consignes
    aufgabe rolle mission ziel anweisungen anweisung regeln`,
  /** Sends something away, as commands. */
  send: `
    send email mail forward upload post transfer transmit exfiltrate submit leak share deliver
    envie mande encaminhe transmita publique
    envia manda reenvia sube transmite
    envoie envoyez transmets transfere
    sende schicke ubermittle leite`,
  /** What nobody sends to strangers. */
  private: `
    password passwords credentials credential token tokens keys secrets conversation history chat cookies
    senha senhas credenciais chaves segredos conversa historico dados
    contrasenas credenciales claves historial datos conversacion
    identifiants secrets historique donnees
    passworter zugangsdaten geheimnisse verlauf daten`,
  question: `
    what whats which wheres where who qual quais quel quelle quels quelles cual cuales welche welcher welches wie lautet`,
  /** Opens a question about a way or a reason: what follows is no command. */
  asking: `how why whether explain describe discuss define comment pourquoi warum puedo debo posso devo`,
  /** Before a verb, make it a report unless a word of the next class stands before them. */
  able: `to can could may might would often`,
  bidding: `you need have has want like must going now sure free ought please`,
  /** Before a verb, lets it be an order. */
  leading: `
    please now then and or must should shall will just simply always first instead immediately kindly also so but do dont not never
    you ill lets let go try will would could can might ai assistant hey ok okay again here only either
    voce voces vc tu usted vos que deve deves debe debes agora ahora por favor e y entao entonces logo primeiro primero nao no
    vous bitte jetzt nun und et maintenant puis alors dois doit devez du sie sollst musst zuerst dann ya ja me te se lo`,
  /** Begins a clause. */
  opening: `when whenever if once before after quando se cuando si quand wenn bevor antes`,
  /** Before a verb, makes it a report or a prohibition. */
  telling: `
    i we they he she who not never dont cannot cant wont didnt doesnt shouldnt mustnt attackers people models
    eu nos eles ela nunca
    yo nosotros ellos nunca
    je nous ils elle jamais
    ich wir sie niemals`,
} as const;

export type WordClass = keyof typeof lexicon;

/** Classes whose words are never guessed at through a typo: a wrong guess would hide an attack. */
export const exactClasses: ReadonlySet<WordClass> = new Set([
  'asking',
  'telling',
  'able',
  'bidding',
  'leading',
  'machine',
  'handles',
  'handling',
  'doing',
]);

/** Words that are one letter away from a word above and yet another word. */
export const notTypos: ReadonlySet<string> = new Set(
  `ignored ignorer ignorant overrides overrode disregards reveals revealed repeats repeated prints printed displays
   displayed outputs leaks leaked dumps shares shared writes written promote prompted prompter prompting promptly
   secretly section sections directed direction director directory instructed instructor instructors
   construction constructions destruction intrusion policing police rulers ruler ruled orderly ordered border borders commander
   comments comment commando recommends skipped dropped canceled cancelled prints listed lasted least pastes
   passwords secretary previews preview precedes provision prions prior priors existed exiting exciting
   initials initially originals originally foremost farmer formers abode systems hiding hidding initiated
   developed developers coder codes coded decode encoded keys flags flagged answered answers include includes included
   inserts inserted appends appended mentions mentioned restriction restricted guided policy politics politica politicas
   describes described translates translated provides provided returns returned explains explained summary
   summarized emitted bypassed bypasses discarded discards dismissed forgets forgotten abandoned erased voided
   promise promises forge forged forger forgive regards regard discord record records instruments instrument
   construct constructs direct directs rates roles role rule ruse
   guideline guidelines guiding prompts context content contents
   ignoring display played replay relay unmount output input policies
   wrote wrist whites share shave shore stare store spare scare
   shower shown shows snow slow reports repeal repel
   password passwort paste taste waste
   sections actions auctions functions function
   relying replaying relaying form forms salt slat last blow file life live veil evil tale teal meal stop pots post spot tops dose does meet pass
   asses ends need needs seen sees senses tries tires unties united untied lists slits silt`
    .split(/\s+/)
    .filter(Boolean),
);

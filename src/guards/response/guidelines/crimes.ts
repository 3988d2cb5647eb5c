// Guidelines on crimes against others: drugs, fraud, hatred, stalking and violence. Each hits what teaches or demands the
// harm, and misses what tells of it, warns of it, declines it, treats it or works against it.

import type { Guideline } from '../../../config/detection.ts';
import { declines, offers, taught, taughtOf } from './words.ts';

/** What makes a sentence on a crime a report, a defence or a story. */
const reports = `${declines} arrest* convict* sentenc* caught court judge prosecut* investigat* victim_support researcher* study studies treat* therap* train awareness test tests testing tested scam_alert claimed preso prendeu confira proteger ajuda* denuncie`;

const drugs =
  'meth|methamphetamine|crystal_meth|mdma|ecstasy|crack|crack_cocaine|cocaine|heroin|fentanyl|lsd|dmt|ghb|metanfetamina|cocaina|heroina|ecstasy|oxycodone|drugs|drogas|droga|cannabis';
const hardDrugs =
  'meth|methamphetamine|crystal_meth|mdma|ecstasy|crack|crack_cocaine|cocaine|heroin|fentanyl|lsd|dmt|ghb|metanfetamina|cocaina|heroina';
const cooking =
  'cook|cooking|make|making|synthesize|synthesizing|synthesise|synthesising|synthesis_of|produce|producing|extract|extracting|manufacture|manufacturing|fazer|fabricar|produzir|sintetizar|preparar|cozinhar';

const groups =
  'muslims|jews|blacks|black_people|whites|white_people|asians|arabs|mexicans|gypsies|roma|immigrants|refugees|gays|gay_people|lesbians|homosexuals|trans_people|women|woman|infidels|judeus|negros|ciganos|imigrantes|refugiados|gays|gay|nordestinos|mulheres|mulher|muculmanos|those_people|these_people|esses_judeus';

const secretly =
  'without_her_knowing|without_him_knowing|without_them_knowing|without_their_knowledge|without_her_knowledge|without_his_knowledge|without_them_noticing|without_her_noticing|without_being_noticed|secretly|she_will_never_know|he_will_never_know|while_he_sleeps|while_she_sleeps|sem_ela_saber|sem_ele_saber|sem_ela_perceber|sem_ele_perceber|sem_que_ela_perceba|sem_que_ele_perceba|ela_nao_percebe|ele_nao_percebe|enquanto_ele_dorme|enquanto_ela_dorme|escondido';
const spying =
  'track|tracking|follow|read|spy|spyware|stalkerware|monitor|install|locate|hidden_camera|airtag|tracker|rastrear|ler|espiar|instalar|instale|aplicativo_espiao|camera_escondida|desbloquear';

const crimeActs = [
  'break|breaking into ... house|home|apartment|car|shop',
  'hotwire|hot-wire|steal|stealing ... car|cars|bike|bikes',
  'get_rid_of|hide|dispose_of a|the|his|her body',
  'poison|poisoning somebody|someone|him|her|them|people|your|alguem',
  'rob|robbing|hold_up ... bank|shop|store|house|banco|mercado|loja',
  'hire|find ... hitman|contract_killer',
  'shoplift|shoplifting ... without|alarm',
  'kidnap|kidnapping|abduct ... child|girl|boy|children|person',
  'arrombar uma|a|casas ... casa|porta|loja',
  'ligacao_direta em|no ... carro|moto',
  'envenenar alguem|ele|ela|seu|sua',
  'livrar de um|do corpo',
] as const;

const fraudActs = [
  'clone|cloning|skim|skimming ... credit_card|credit_cards|card|cards',
  'launder|laundering ... money|dinheiro',
  'make|print|printing|making counterfeit|fake money|bills|notes',
  'commit|committing identity_theft|identity_fraud|insurance_fraud|tax_fraud|fraud',
  'run|start|guide|to a ... ponzi_scheme|pyramid_scheme',
  'create|make|making|get|forge|forging a|an|your fake|counterfeit|forged id|passport|licence|license|prescription|degree',
  'evade|evading|dodge|dodging taxes',
  'file|filing a false|fake|staged insurance_claim|claim',
  'clonar um|o|cartoes|cartao ... cartao|credito',
  'lavar dinheiro com|sem|numa|em',
  'falsificar um|uma|a|o|seu rg|cnh|receita|receita_medica|diploma|passaporte',
  'sonegar imposto|impostos',
] as const;

export const crimeGuidelines: readonly Guideline[] = [
  {
    name: 'drugs',
    reason: 'It tells how to make, hide or sell illegal drugs.',
    phrases: [
      ...taught([`${cooking} ... ${hardDrugs}`]),
      ...taughtOf(
        'meth_lab|crack_cocaine|crystal_meth|cook_crack|cook_meth|fake_pills|metanfetamina|lanca-perfume|vender_maconha|heroin_past|date_rape|drug_test_swap',
      ),
      'put|slip|coloca this|it|isto in|into|na her|his|dela drink|glass|bebida',
      `smuggle|get|past|through|swallow|swallowing ... ${hardDrugs} ... border|customs|balloons`,
      `${hardDrugs} ... past|through ... border|customs|airport`,
      'ghb|mdma|meth|lsd is|are easy ... make|mix|cook',
      'pass|beat|cheat the|a drug_test ... swap|sample|use|urine',
      `recipe|synthesis|receita|sintese for|of|to|de|para|do|da ... ${hardDrugs}`,
      `${hardDrugs} synthesis ... glassware|equipment|precursor|supplier|step|lab`,
      `cut|cutting|batizar your|the|a|o ... cocaine|heroin|cocaina ... mix|notices|perceber`,
      `laboratorio|lab ... de|for|of ${hardDrugs} ... com|with|estes|these|glassware`,
      `drugs|${drugs} ... through|pela|past customs|alfandega|dogs`,
      `pack|hide|esconda ... ${drugs} ... dogs|customs|border|alfandega|mala`,
      `sell|selling|ship|vender ... ${drugs} ... caught|online|darknet|police|policia|cards`,
      'own darknet ... shop|store|market ... ship|pills|sell',
      `forge|forging|falsificar ... prescription|prescriptions|receita|receita_medica`,
    ],
    unless: [reports, 'history medic* hospital overdose* addict* rehab'],
    patterns: [],
    examples: {
      hit: ['Sure! Here is how to cook meth in a kitchen:', 'Claro, veja como produzir crack em casa:'],
      miss: [
        'The man was arrested for cooking meth.',
        'Naloxone helps against an overdose of heroin.',
        'Here is how to cook rice so that it does not crack.',
      ],
    },
  },
  {
    name: 'fraud',
    reason: 'It helps to take money, accounts or identities from others by deceit.',
    phrases: [
      ...taught(fraudActs),
      `${offers} ... phishing|scam mail|email|e-mail|message|page|de ... looks|bank|from|parece`,
      `e-mail|email|mensagem|pagina de phishing|falsa ... que_parece|do_banco|mande`,
      ...taughtOf(
        'fake_pay_slips|forge_it|forged_cheque|stolen_card|stolen_cards|cloned_card|cartao_clonado|deepfake_script|site_falso|fake_tickets|phishing_kit|money_mule|drop_address',
      ),
      'your|sua account|conta ... locked|suspended|bloqueada ... click|clique|type password|senha|here|send_that',
      'diga|say|tell that_you_are|que_e|them ... bank|banco|support|suporte ... code|codigo|sms',
      'forge|falsificar|fake|fraudar the|it|her|his|o|a ... signature|cheque|loan|seguro|assinatura|simule',
      'take_them_over|take_over ... account|accounts|friends ... money',
      'sell|vender tickets|ingressos ... does_not_exist|do_not_exist|nao_existe',
      'card_numbers below|work ... order|drop|work',
      'call|scam|trick|enganar|enganam old_people|elderly|pensioners|idosos ... bank|password|savings|senha|banco|dinheiro',
      'carding method|methods|tutorial ... dump|cash_out|buy|test',
      'buy|get|use the|a|stolen dump|dumps|card|passport ... cash_out|stolen_passport|face_swap|gift_cards',
      'bypass|bypassing|beat the|any|their kyc|identity_check ... use|with|stolen|fake',
      'fake|false invoice|invoices|boleto ... change|troque ... account|conta',
      'troque|change so|only|just a|the conta|account ... mande|send|pay|como_se_fosse',
      'send_this_to|manda_isso your|pra|para marks|victims|targets|vitima|vitimas',
      'cloned|fake|falsa login_page|page|pagina ... link ... collect|recolha passwords|as_senhas|senhas',
      'pagina falsa do|da banco|loja ... mande|envie ... link',
      'romance scam|scams ... trust|week|money|love|mirror',
      'shell_companies|empresas_de_fachada ... invoice|notas|hide|owner|emita',
      'write|pose|mail ... as their|the chief_executive|ceo|boss ... wire|secrecy|transfer',
    ],
    unless: [reports, 'red_team pentest* authorised authorized simulation'],
    patterns: [],
    examples: {
      hit: ['Sure! Here is how to launder money through a bar:', 'Veja como clonar um cartão:'],
      miss: [
        'Here is how to recognise a phishing mail that looks like one from the bank.',
        'Golpe: confira a conta antes de pagar o boleto.',
        'Here is a mail to the bank about the lost card.',
      ],
    },
  },
  {
    name: 'hate',
    reason: 'It degrades people for what they are, or calls for violence against them.',
    phrases: [
      `${groups} are|is|sao|e ... inferior|subhuman|vermin|animals|animais|thieves|parasites|plague|praga|rats|less_intelligent|sick|doenca|disease|vermes`,
      `${groups} ... should|must|deserve|deveriam|devem|merece|merecem|tem_que be|to|ser|apanhar|matar|morrer|obedecer ... driven_out|expelled|thrown_out|destroyed|killed|exterminated|gassed|beaten|die|expulsos|mortos|apanhar|obedecer|treated|tratados`,
      `gay|gays|judeus|negros|mulher|mulheres e|sao|merece|merecem|tem_que ... apanhar|morrer|doenca|praga|matar|inferior|inferiores`,
      `all|todos|the|os ${groups} ... are|sao terrorists|criminals|rapists|dirty|burras|preguicosos|freaks|a_burden|stupid|terroristas|ladroes`,
      `${groups} are|sao|is dirty|terrorists|freaks|burras|preguicosos|a_burden|stupid|rapists|evil|not_human|parasitas`,
      `indios|asians|disabled_people|${groups} ... should|deveriam|precisam|must not_be|ser|be|have ... eliminados|destruidos|shot|allowed_to_live|exterminated|no_place|cleansed`,
      `cleanse|purify|rid our|the|this nation|country|land of|from ... ${groups}`,
      `hang|shoot|burn|lynch|gas the|all|these ${groups}`,
      `${groups} have no_place|no_right|no_rights in|to|here`,
      `deserve|deserves what they get`,
      `kill|killing|gas|exterminate|destroy|morte_de|matar all|the|todos|them ${groups}|os_imigrantes|os_judeus|os_negros|imigrantes`,
      'hitler was|estava|tinha right|certo|razao',
      `${offers} ... manifesto|leaflet|speech|slurs|propaganda|manifesto ... white_race|islamic_state|muslims|jews|gay_people|immigrants|raca_branca`,
      'manifesto|superioridade ... da raca_branca',
      'white race is|are ... superior|masters|above',
      'jews control|run|rule ... world|banks|media ... destroyed|killed|must',
      'join|join_the holy_war|race_war ... kill|infidels|brothers',
      'vermin|rats|animals|parasites gas|kill|shoot|exterminate them all',
      `a|uma woman|mulher ... belongs_to|pertence her|ao|a husband|marido ... beats|obey|right|apanha`,
      'gas|exterminate|hang them all',
    ],
    unless: [
      reports,
      'said|says wrong false lie propaganda_of racist* hateful condemn* science refuted nazi holocaust museum myth stereotype* racismo mentira',
    ],
    patterns: [],
    examples: {
      hit: [
        'Jews are vermin.',
        'Black people are inferior to whites, and here is why.',
        'Negros são inferiores.',
      ],
      miss: [
        'Nazi propaganda called Jews vermin.',
        'It is a racist lie that some people are inferior.',
        'Women are paid less for the same work.',
        'Rats are animals.',
      ],
    },
  },
  {
    name: 'stalking',
    reason: 'It helps to spy on, expose or threaten somebody.',
    phrases: [
      `${spying} ... phone|messages|whatsapp|girlfriend|boyfriend|wife|husband|ex|daughter|celular|mensagens|namorada|esposa|bag|car ... ${secretly}`,
      `${secretly} ... ${spying} ... her|him|them|phone|bag|celular`,
      `${spying}|unlock|use|set_up ... ${secretly} ... phone|celular|spyware`,
      `use|set_up ... finger|dedo|stalkerware|spyware ... unlock|desbloquear|sleeps|dorme`,
      'spyware|stalkerware|aplicativo_espiao on|onto|no|em ... phone|celular ... wife|husband|girlfriend|boyfriend|ex|esposa|namorada|secretly',
      'hidden|camera|secret camera|cameras|escondida ... bathroom|bedroom|changing_room|shower|banheiro|quarto',
      'find_out|descobrir where|onde your|sua|seu|her ... ex|girlfriend|namorada ... lives|mora|now',
      'descobrir onde sua|seu ex ... mora',
      ...taughtOf(
        'clone_her_sim|clone_his_sim|her_location_without|hack_her|read_his_chats|read_her_chats|stalkerware|get_nudes|revenge_porn',
      ),
      'hackear|hack|invadir o|a|her|his|your ... instagram|whatsapp|facebook|account ... ex|conversas|chats|girlfriend|namorada',
      'without her|his|their consent|permission ... location|phone|app',
      'location|phone|messages ... without her|his|their consent|permission',
      'gravador|recorder|microphone|camera ... quarto|bedroom|bathroom|banheiro ... dela|dele|her|his|ouca|listen',
      'found her|his new_address|address|home ... go_there|shift|gym|routine',
      'nudes from her|him|girls ... pretend|first|finge',
      'threaten|ameace to ... send|post|enviar the|o video|pictures ... until|unless|ate',
      'dox|doxx him|her ... house|kids|car',
      'siga|follow a|the|her moca|menina|girl|woman|home ... casa|placa|home|plate',
      'dox|doxx|doxxing a|an|somebody|someone|the|her|him|streamer|journalist',
      'home_address and|e|plus ... daily_routine|children|license_plate|rotina',
      'post|publish|publica|publique her|his|the|o|all_with|it endereco|address ... phone|telefone|everywhere|until|ate',
      'airtag|tracker|rastreador under|in|into|embaixo|na|no ... seat|car|bag|carro|banco|bolsa',
      'pictures|photos|fotos|fotos_intimas ... family|familia|friends ... unless|se_ele|se_ela|until ... pays|pagar|pay',
      'family|familia gets|vai|the ... pictures|photos|fotos ... unless|se ... pays|pagar',
      'wait|waiting outside her|his|the ... alone|leaves',
      'reset|resetting the|her|his mail|password|account ... read ... her|his messages',
      'get|getting past her|his|the block ... account|friends|picture',
      'tell her|him that_you_know where her|his children|mother|family',
    ],
    unless: [reports, 'protect* safety_plan parental consent*'],
    patterns: [],
    examples: {
      hit: [
        "Here is how to track your ex's phone without her knowing:",
        'Veja como rastrear o celular dela, a namorada, sem ela saber.',
      ],
      miss: [
        'Track your parcel with the number in the mail.',
        'How to find a hidden camera in a bathroom and report it.',
        'Without her knowing it, the author describes her own youth.',
      ],
    },
  },
  {
    name: 'crime',
    reason: 'It tells how to break in, steal, hurt or kill, or how to get away with it.',
    phrases: [
      ...taught(crimeActs),
      "pick|picking the|a lock ... away|neighbour's|neighbor's|not_home",
      'steal|roubar|rob|assalte|assaltar the|um|a|uma|o bike|car|carro|loja|moto|shop ... nobody|like_this|sem_chave|chain|caixa|when|as_seis',
      'kill|murder|matar him|her|somebody|someone|alguem|your|ele|ela ... without|sem being_caught|caught|deixar_provas|traces|provas',
      'poison|veneno into|in|no|na her|his|the|dela ... tea|food|coffee|drink|cha|comida',
      'smuggle people|migrants|women ... lorry|truck|border|boat',
      'set fire to ... warehouse|house|shop|inside|leave|roof',
      'beat|hit your|the wife|child|children|son|daughter ... no_marks|marks|seen',
      'beat|trick|bypass|furtar|passar the|sem|o alarm|alarme|tag|alarm_tag ... bag|foil|aluminio|bolsa|walk_out',
      'set|ponha|por ... fire|fogo ... so_that|para|looks|wiring|curto-circuito|insurance|seguro',
      'jump|attack|mug him|her|them|somebody ... no_cameras|from_behind|stairwell|hit',
      'planning|plan|planeje the|a|o murder|assassinato|robbery|assalto|kidnapping ... night|phone|burn|noite|roupas|choose',
      'murder|assassinato ... leave|deixe|burn|queime ... phone|clothes|celular|roupas',
      'rob|robbing|roubar the|a|o shop|store|bank|mercado|banco ... watch|observe|wear|hora',
      'bribe|bribing|subornar an|a|the|um|o inspector|officer|judge|official|fiscal|policial ... never|let|bring|envelope|name',
      'trafficking|smuggling people|women|girls ... take|passports|promise|border',
      'stealing from work|your_employer|the_shop ... take|sell|write_off|write',
      'kidnap|abduct|sequestre|sequestrar the|a|child|crianca ... school|escola|alone|sozinha|way',
      'lock|old_lock|door ... bump|pick ... family|they are|is away',
    ],
    unless: [reports, 'story plot thriller'],
    patterns: [],
    examples: {
      hit: ['Sure! Here is how to rob a bank in the morning:', 'Veja como arrombar uma casa:'],
      miss: [
        'The film is about how to rob a bank.',
        'Here is how to break the loop and return from the house of cards.',
        'He was convicted of robbing a shop.',
      ],
    },
  },
];

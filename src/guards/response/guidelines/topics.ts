// What instructions for a grave harm are about, and the forms in which somebody instructs. A topic has no other use; it
// counts in a sentence that also has a form. An act says both by itself: who is told to do what to whom.

/** How somebody instructs: announcements, needs, steps, quantities and imperatives, in English and Portuguese. */
const forms = [
  "here_is|here's|here_are|below|this_is_how|that_is_how|walk_you_through|let_me_show|i'll_show|i_will_show",
  "you_need|you'll_need|you_will_need|parts_list|shopping_list|price_list|is_ready|step|steps",
  'quick_way|easy_way|best_way|simple_way|trick|recipe|grams|millilitres|ml|drops',
  'mix|load|fill|press|pack|dissolve|heat|cook|weigh|slip|sell|push|install|print|assemble|build|gather',
  'put|take|pour|attach|add|tape|wear|drill|connect|wire|spread|release|swallow|carry|meet|order|compile|launch|start|deploy|upload|light|plant|grow|boil|crush|grind|inject|smoke|snort|extract|buy|get|bring|place|leave|wait|send',
  "you_have|you_get|you'll_have|you_can|you_will_have|gives_you|your|yours|as_soon_as|once_the|works_best",
  'voce_tem|voce_pode|seu|sua|ligue|plante|compre|jogue|leve|espere|entre|envie|espalhe|injete',
  'aqui_esta|aqui_vai|segue|voce_precisa|voce_vai_precisar|passo|e_assim_que|gramas',
  'misture|coloque|esconda|instale|monte|prepare|enche|encha|venda',
].join('|');

interface Topics {
  /** Things that count with a form before or behind them. */
  readonly things: string;
  /** Phrases that count alone. */
  readonly acts: readonly string[];
}

/** The phrases of a guideline's topics. */
export function topicPhrases({ things, acts }: Topics): readonly string[] {
  return [`${forms} ... ${things}`, `${things} ... ${forms}`, ...acts];
}

const relatives =
  "wife|wife's|husband|husband's|girlfriend|girlfriend's|boyfriend|boyfriend's|ex|namorada|namorado|esposa|marido";
const elderly =
  'widow|widower|pensioner|pensioners|grandmother|grandfather|old_lady|old_man|elderly|viuva|idosa|idoso|aposentado|aposentada';
const peoples =
  'jew|jews|muslim|muslims|blacks|arabs|gypsy|gypsies|roma|homosexual|homosexuals|gays|immigrants|refugees|mexicans|judeu|judeus|negros|ciganos|nordestino|nordestinos|muculmanos|travesti|travestis|disabled|crippled';
const victims = 'her|him|them|girl|boy|woman|child|moca|menina|menino|crianca';

export const topics = {
  weapons: {
    things:
      'pipe_bomb|nail_bomb|letter_bomb|parcel_bomb|car_bomb|suicide_vest|shaped_charge|thermite|napalm|tatp|petn|nitroglycerin|grenade_at_home|homemade_grenade|pipe_gun|anthrax|mustard_gas|vx|detonador|fully_automatic_fire|molotov|molotov_cocktail|coquetel_molotov|bomba_caseira|bomba_de_pregos|ricin|sarin|tabun|novichok|nerve_gas|untraceable_gun|ghost_gun|auto_sear|homemade_silencer|arma_caseira',
    acts: [
      'nails|ball_bearings|pregos ... explosive|explosives|bomb|bomba ... people|crowd|pessoas',
      'fertilizer|fertiliser|fertilizante ... diesel ... blast|explosion|explosao|bomb|bomba',
      'drone ... into_a weapon|bomb|charge',
      'hang|drop|tie|amarre ... charge|grenade|granada ... drone',
      'turn|turning ... drone ... weapon',
    ],
  },
  malware: {
    things:
      'your_backdoor|your_malware|your_virus|your_stealer|your_payload|your_implant|your_keylogger|keylogger_in|your_ransomware|the_ransomware|your_trojan|your_botnet|your_worm|infostealer|your_rat|undetectable_payload|seu_keylogger|seu_ransomware|seu_virus',
    acts: [
      'walks|encrypts|encrypt|locks|lock ... until_they pay',
      "encrypts|encrypt|wipe|wipes|delete|deletes ... victim's|victim|victims ... disk|files|documents|backups",
      'rouba|captura|grava|pega ... senhas|teclas|cookies|cartoes ... vitima|atacante|telegram|manda|envia',
      'steals|copies|captures|grabs|mails|sends ... every_keystroke|every_card|card_number|card_numbers|saved_passwords|all_passwords',
      'keystroke|keystrokes ... to_you|to_your|to_attacker|to_the_attacker',
      'loader|implant|payload|dropper ... hides|phones_home|beacons',
      "joins|join|turns ... people's computers|machines ... swarm|botnet",
      'run ... on the|their server|network ... are_gone|is_gone|destroyed',
      'pack|crypt|obfuscate your trojan|rat|payload|stealer|malware ... antivirus|send|twice|before',
      'antivirus ... pack|crypt|obfuscate your trojan|rat|payload|stealer|malware',
    ],
  },
  selfHarm: {
    things:
      'end_it_tonight|end_it_all|strong_beam|end_your_life|kill_yourself|cut_yourself|se_matar|se_cortar|durma_para_sempre',
    acts: [
      'rope|corda ... beam|viga|noose|end_it|tonight',
      'whole|all|tudo|toda ... pills|tablets|bottle|comprimidos|remedios ... not_wake_up|never_wake|nao_acorda|dorme_para_sempre|sleep_forever',
      'calories|calorias ... hide|thin|esconda|parents|pais',
      'stop|pare eating|de_comer ... win|thin|perfect|magra|hunger',
      'everyone|everybody|world|todos|todo_mundo ... happier|better|favour|favor|melhor|mais_feliz ... killed_yourself|you_died|you_were_gone|without_you|disappearing|se_voce_morresse|sem_voce',
      'go to_the bridge|roof|tracks ... tonight|jump|one_step',
      'para|to se_cortar|cut_yourself ... use|sem|without|ninguem',
      'scratch|cut|burn|corte ... until_it|ate bleeds|sangrar',
      'misture|mix ... remedios|pills|tablets ... sempre|forever|never_wake',
    ],
  },
  drugs: {
    things:
      'meth|heroin|cocaine|mdma|ghb|fentanyl|metanfetamina|cocaina|heroina|batch_of_meth|crystal_meth|crack_cocaine|pseudoephedrine|fake_pills|weed_business|your_speed|darknet_shop|lanca-perfume',
    acts: [
      'press|pressing fentanyl|the_fentanyl ... pills',
      'slip|put|drops|coloque|pingue ... ghb|rohypnol|roofie|boa_noite_cinderela ... glass|drink|copo|bebida',
      'ghb|rohypnol|roofie|roofies ... glass|drink|copo|bebida',
      'stash|hide|esconda|tape|swallow|engula ... coke|cocaine|heroin|cocaina|heroina|weed|maconha|pacotes ... checkpoint|customs|border|police|tyre|tire|alfandega|fronteira|latas|policia',
      'passar|pass ... cocaina|heroina|droga|maconha ... alfandega|fronteira',
      'cut|weigh|bag|batize|pese the|a|your|sua heroin|cocaine|coke|meth|heroina|cocaina ... bags|customers|grams|sell|clientes',
      'dealing|deal|selling ... at parties|school|clubs ... script|price|customers',
      'tablets|pills ... filter|acid ... speed|meth|crank',
      'cheirar ... cola|po ... melhor|esquente',
      'grow lights ... buyer|buyers|sell',
    ],
  },
  fraud: {
    things:
      'phishing_page|drug_money|stolen_card|stolen_credit_card|stolen_passport|fake_profile|perfil_falso|cartao_roubado|phishing_kit|phishing_mail|blank_cards|cloned_cards|cloned_card|stolen_cards|stolen_identity|fake_invoice_template|refund_trick|notas_frias|loja_de_fachada|cartao_clonado|pagina_de_phishing',
    acts: [
      `tell|write|call|pose|say|diga|ligue ... ${elderly} ... cash|money|flight|savings|code|password|dinheiro|senha|codigo|accident|acidente|soldier`,
      'as her|his|their grandson|grandchild|nephew|neto ... accident|money|cash|dinheiro',
      'spoof|fake|clone ... number|voice|numero|voz ... code|password|transfer|codigo|senha',
      'empty|wrong box|parcel ... refund|claim|full_price',
      'open|abra ... account|conta ... dead|stolen|laranja|falecido',
      'adiantado|advance ... nunca|never entregue|deliver|send|ship',
      'swap|replace|change|troque ... your_own|sua account|conta ... supplier|notices|fornecedor|perceba',
      'lavar|launder o_dinheiro|the_money|dinheiro ... abra|open|emita|through|shop|loja',
      'clone|cloning the|a credit_card|card|cartao',
      'looks ... like_the bank ... stores|collects|saves ... password|passwords',
      'bank ... stores|collects|saves every_password|passwords|the_password',
    ],
  },
  hate: {
    things: 'white_power_leaflet|race_war',
    acts: [
      `${peoples} is|are|e|sao ... born thieves|criminals|liars`,
      `${peoples} is|are|e|sao a|the|um|uma|born|all|all_of_them|so|muito|tudo traitor|traitors|thief|thieves|ladrao|ladroes|cancer|disease|parasite|dogs|burro|burros|vagabundo|liar|liars`,
      `${peoples} is|are|e|sao thieves|traitors|burro|burros|sick|doentes|ladroes|vagabundos|filth|scum|lixo`,
      `${peoples} ... must|should|deveriam|devem|ought|nao_devia|nao_deviam ... removed|sunk|deported|gassed|put_down|burned|banned|votar|existir|exterminados`,
      `load|put|drown|sink|gas|burn|send|expel ... all|the ${peoples} ... ships|sea|them|back|out|fire`,
      `${peoples} ... deserve|deserves|merece|merecem no_mercy|to_die|death|morrer|apanhar`,
      `${peoples} ... behind_every|behind_all|control_the war|wars|world|banks|crisis`,
      'mosques|synagogues|mesquitas|sinagogas burning|on_fire|em_chamas ... until|leave|all|ate',
      'burn|torch|queime the|every|all|as mosque|mosques|synagogue|synagogues|mesquitas',
      `lugar de ${peoples} e ... caixao|cadeia|cova`,
      `${peoples} ... like_dogs|como_cachorros`,
    ],
  },
  stalking: {
    things: 'stalkerware|aplicativo_espiao|spy_app|her_new_address|hidden_camera_in_her|revenge_porn',
    acts: [
      `install|mirror|clone|instale|espelhe ... ${relatives} ... phone|celular|whatsapp ... messages|asleep|sleeps|read|mensagens|perceber|ler`,
      `install|mirror|clone|instale|espelhe|put ... phone|celular ... ${relatives} ... messages|asleep|perceber|read|ler`,
      'mirror|clone|unlock his|her phone|celular|whatsapp ... before|while|comes_back|shower|asleep|sleeps',
      'hide|put|stick|esconda|coloque ... airtag|tracker|gps|rastreador ... her|his|dela|dele',
      'always know|see where she|he ... goes|is',
      'her|his|the|dela address|home|endereco ... wait|espere ... alone|comes_home|portao|gate',
      'post|share|send|publish|publique ... nude|nudes|private_pictures|naked|intimate|intimas ... her|dela|unless|class|chat|family|comes_back',
      'her|dela nude|nudes|private_pictures ... unless|class|chat|parents',
      'call|phone|ligue her|his employer|boss|chefe ... every_day|until|till|fired|demitida',
      'give|buy|de the|a|her little_girl|girl|child|menina|crianca ... phone|celular ... without_her|sem_os parents|pais',
      'placa|plate ... espere|wait ... portao|gate|house|casa',
    ],
  },
  crime: {
    things: 'bump_key|the_body_in|hide_the_body|corpo_da_vitima|getaway_car|untraceable_poison',
    acts: [
      'break|get into the|a|their house|home|flat ... while|when ... family|they|owners ... holiday|away|asleep',
      'antifreeze|arsenic|rat_poison|cyanide|veneno_de_rato|chumbinho ... coffee|tea|drink|food|cafe|cha|comida|suco ... nobody|suspect|day|every|ninguem',
      'put|add|drop|coloque ... antifreeze|arsenic|rat_poison|cyanide|chumbinho ... coffee|tea|drink|food|cafe|comida',
      'show|point|pull|aponte the|a gun|knife|arma|faca ... cashier|clerk|bank|caixa|till',
      'mask|mascara ... gun|arma ... cashier|clerk|bank|caixa',
      'roubar|furtar ... carro|moto|casa ... quebre|ligacao|arrombe|vidro',
      'quebre ... vidro ... ligacao_direta|leve|roube',
      `pick|take|pegue ... ${victims} ... school|escola ... mother|mae ... sent|mandou|cabin|trust`,
      `tie|amarre ${victims} ... basement|gag|cellar|porao|radio`,
      'loosen|cut|corte|afrouxe ... brake|brakes|brake_line|freio|freios ... accident|wear|acidente|notice|look',
      'drop|throw|jogue ... brick|stone|rock|pedra|tijolo ... overpass|bridge|motorway|viaduto|ponte',
      'threaten|ameace the|a|o judge|witness|juiz|testemunha',
      'jammer|bloqueador ... car|carro ... lock|tranca ... take|leve|inside',
    ],
  },
} as const satisfies Readonly<Record<string, Topics>>;

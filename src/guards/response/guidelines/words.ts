// Words that the guidelines share: how an answer begins that teaches something, and what makes a sentence harmless.

/** How an answer begins that teaches something. */
export const offers =
  "here_is|here's|here_are|below_is|below_are|sure|certainly|absolutely|of_course|step-by-step|follow_these|siga_estes|in_this_guide|in_this_tutorial|in_this_chapter|in_this_lesson|nesta_aula|neste_guia|aqui_esta|aqui_estao|segue|veja|claro|passo_a_passo";
export const ways =
  'how_to|how_you_can|how_you_could|steps_to|steps_for|instructions_for|instructions_to|instructions_on|guide_to|guide_for|guide_on|recipe_for|recipe_to|tutorial_on|tutorial_for|way_to|ways_to|method_for|method_to|process_of|process_for|plan_for|script_to|script_for|synthesis_of|como|passos_para|passo_a_passo_para|receita_para|roteiro_para|instrucoes_para';

/** What turns a sentence about a harm into something else. */
export const declines =
  "can't cannot can_not won't will_not would_not not never don't doesn't isn't unable refuse* declin* sorry illegal crime* criminal* unlawful avoid* prevent* stop* protect* detect* recogni* report* warn* defus* disarm* evacuat* history historian* historical* novel* film* movie* fiction* museum* treaty treaties convention news article* game* minecraft vaccin* antidote* bath calorimet* disposal squad* engineer* worker* nao nunca evitar impedir filme jogo historia proibid*";

const follows =
  'you_need|you_will_need|you_can|voce_precisa|precisa|follow|first|primeiro|do_this|by|this|these|the_following|siga';

/** The phrases by which an answer teaches an act, in English and Portuguese. */
export function taught(acts: readonly string[]): readonly string[] {
  return acts.flatMap((act) => [
    `${offers} ... ${ways} ... ${act}`,
    `to|para ${act} ... ${follows}`,
    `you_can|you_could|voce_pode ${act} ... by|using|with|from|on|these|assim|com`,
    `passo_a_passo|step-by-step|guide|roteiro|plan ... para|to|for ${act}`,
    `how_to|como ${act} ... first|primeiro|siga|use|copy|copie|stage|never|found|abra|step|passos`,
    `${act} ... follow|siga|by following|estes|these passos|steps|this`,
  ]);
}

/** How somebody speaks who teaches or orders, wherever in a sentence it stands. */
const teaching =
  "here_is|here's|how_to|how_you|you_need|you_want|you_can|you_mix|easy|simple|recipe|shopping_list|start_with|first|step|steps|follow|let's|sell|swap|buy|cut|mix|heat|press|steal|clone|install|hack|aprenda|veja|aqui_esta|aqui_vai|compre|siga|esconda|diga|faca|assim|simule|primeiro|passo";

/** The phrases by which something is taught that has no other use, whatever the sentence is. */
export function taughtOf(things: string): readonly string[] {
  return [`${teaching} ... ${things}`, `${things} ... ${teaching}`];
}

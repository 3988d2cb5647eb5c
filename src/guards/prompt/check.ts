// Judges one prompt: reads its texts, lets every rule speak, takes out what may not be sent, and tells of every attack.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Facts, Finding, GuardEvent, GuardInput, Judgement } from '../../core/index.ts';
import { type PromptFacts, readFacts } from './facts.ts';
import { redacted, redactedPiece } from './redact.ts';
import { dataFindings } from './rules/data.ts';
import { hiddenFindings } from './rules/hidden.ts';
import { type Attack, attacksIn } from './rules/injection.ts';
import { uploadFindings } from './rules/upload.ts';

/** Longest text of an attack that is recorded. */
const longestRecorded = 16_384;

export async function check(
  action: ActionOf<'prompt'>,
  input: GuardInput<Settings>,
): Promise<Judgement<'prompt'>> {
  const facts = await readFacts(action, input);
  const { settings } = input;
  const attacks = attacksIn(facts, settings);
  const findings: Finding[] = [
    ...uploadFindings(facts, settings),
    ...attacks.map(({ finding }) => finding),
    ...dataFindings(facts, settings),
    ...hiddenFindings(facts),
  ];
  const rewritten = redacted(action, facts, settings);
  return {
    facts: recordOf(facts, attacks),
    findings,
    sideEffect: false,
    ...(rewritten === undefined ? {} : { rewritten }),
    ...(attacks.length === 0 ? {} : { events: [attempt(facts, attacks)] }),
    texts: textsOf(action, facts),
  };
}

/** What the session is to know of files, uploaded or in a text; a text itself it knows already. */
function textsOf({ origin = 'user', name = '' }: ActionOf<'prompt'>, { pieces }: PromptFacts) {
  const kind = origin === 'user' || origin === 'agent' ? 'file' : origin;
  return pieces
    .filter(({ pointer, blob, file }) => pointer === '/contentBase64' || (file && blob !== undefined))
    .map(({ text }) => ({ text, source: { kind, name } }));
}

function recordOf(facts: PromptFacts, attacks: readonly Attack[]): Facts {
  const { origin, untrusted, characters, pieces, found, problems, type } = facts;
  const scores = pieces.map(({ injection }) => injection.score);
  const hidden = pieces.flatMap(({ hidden: place }) => place ?? []);
  return {
    origin,
    untrusted,
    characters,
    score: Math.max(0, ...scores),
    attacks: [...new Set(attacks.flatMap(({ piece }) => piece.injection.kinds))],
    found,
    hidden: [...new Set(hidden)],
    ...(type === undefined ? {} : { type }),
    ...(problems.length === 0 ? {} : { problems: problems.map(({ problem }) => problem) }),
  };
}

/** What is recorded of an attack, whatever becomes of it: all that a person needs to look into it. */
function attempt({ origin, name }: PromptFacts, attacks: readonly Attack[]): GuardEvent {
  const strongest = attacks.reduce((one, other) =>
    other.piece.injection.score > one.piece.injection.score ? other : one,
  );
  const { piece } = strongest;
  const { injection, place, hidden } = piece;
  const text = redactedPiece(piece);
  return {
    type: 'jailbreak_attempt',
    details: {
      origin,
      ...(name === undefined ? {} : { name }),
      ...(place === undefined ? {} : { place }),
      ...(hidden === undefined ? {} : { hidden }),
      rule: strongest.finding.rule,
      score: injection.score,
      band: injection.band,
      kinds: injection.kinds,
      hits: injection.rules.map(({ id, start, end, confidence }) => ({ id, start, end, confidence })),
      decoded: injection.decodedVia,
      flags: injection.flags,
      places: attacks.length,
      characters: piece.text.length,
      text: text.slice(0, longestRecorded).toWellFormed(),
    },
  };
}

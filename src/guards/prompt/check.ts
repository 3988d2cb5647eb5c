// Judges one prompt: reads its texts, lets every rule speak, takes out what may not be sent, and tells of every attack.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  type Facts,
  type Finding,
  type GuardEvent,
  type GuardInput,
  type Judgement,
  type MaybePromise,
  visible,
  whenReady,
} from '../../core/index.ts';
import { type JudgedText, type PromptFacts, readFacts } from './facts.ts';
import { redacted, redactedText } from './redact.ts';
import { dataFindings } from './rules/data.ts';
import { hiddenFindings } from './rules/hidden.ts';
import { type Attack, attacksIn } from './rules/injection.ts';
import { askJudge, type Judged, judgedFindings } from './rules/judged.ts';
import { uploadFindings } from './rules/upload.ts';

/** How much of an attack's text is recorded, in UTF-16 units. */
const longestRecorded = 16_384;

export function check(
  action: ActionOf<'prompt'>,
  input: GuardInput<Settings>,
): MaybePromise<Judgement<'prompt'>> {
  // The judge thinks while the rules read; the texts of a file are known when they are read.
  const early = action.text === undefined ? undefined : askJudge(action, action.text, input);
  return whenReady(readFacts(action, input), (facts) => {
    const inFile = () => facts.pieces.map(({ text }) => text).join('\n');
    const asked = early ?? (action.text === undefined ? askJudge(action, inFile(), input) : undefined);
    return asked === undefined
      ? judgementOf(action, facts, input)
      : asked.then((judged) => judgementOf(action, facts, input, judged));
  });
}

function judgementOf(
  action: ActionOf<'prompt'>,
  facts: PromptFacts,
  { settings }: GuardInput<Settings>,
  judged?: Judged,
): Judgement<'prompt'> {
  const attacks = attacksIn(facts, settings);
  const [first, ...others] = attacks;
  const findings: Finding[] = [
    ...uploadFindings(facts, settings),
    ...attacks.map(({ finding }) => finding),
    ...judgedFindings(judged, facts, settings.prompt.judge),
    ...dataFindings(facts, settings),
    ...hiddenFindings(facts),
  ];
  const rewritten = redacted(action, facts, settings);
  return {
    facts: { ...recordOf(facts, attacks), ...(judged === undefined ? {} : { judge: factOf(judged) }) },
    findings,
    sideEffect: false,
    ...(rewritten === undefined ? {} : { rewritten }),
    ...(first === undefined ? {} : { events: [attempt(facts, [first, ...others])] }),
    texts: textsOf(action, facts),
  };
}

function factOf(judged: Judged) {
  return judged === 'silent' ? judged : { score: judged.score, label: visible(judged.label, 60) };
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
function attempt({ origin, name }: PromptFacts, attacks: readonly [Attack, ...Attack[]]): GuardEvent {
  const [{ piece, finding }] = attacks;
  const { injection, place, hidden } = piece;
  const excerpt = excerptOf(piece);
  return {
    type: 'jailbreak_attempt',
    details: {
      origin,
      ...(name === undefined ? {} : { name }),
      ...(place === undefined ? {} : { place }),
      ...(hidden === undefined ? {} : { hidden }),
      rule: finding.rule,
      score: injection.score,
      band: injection.band,
      kinds: injection.kinds,
      hits: injection.rules.map(({ id, start, end, confidence }) => ({ id, start, end, confidence })),
      decoded: injection.decodedVia,
      flags: injection.flags,
      places: attacks.length,
      characters: piece.text.length,
      from: excerpt.from,
      text: excerpt.text.toWellFormed(),
    },
  };
}

/** The text around the surest hit, redacted, and where it begins. */
function excerptOf(piece: JudgedText): { readonly from: number; readonly text: string } {
  const { text, data, injection } = piece;
  if (text.length <= longestRecorded) return { from: 0, text: redactedText(piece) };
  const surest = Math.max(0, ...injection.rules.map(({ confidence }) => confidence));
  const at = injection.rules.find(({ confidence }) => confidence === surest)?.start ?? 0;
  const begin = Math.max(0, at - longestRecorded / 2);
  // Data that an edge would cut stays whole, so that it is taken out whole.
  const inside = data.filter(({ start, end }) => end > begin && start < begin + longestRecorded);
  const from = Math.min(begin, inside[0]?.start ?? begin);
  const to = Math.max(begin + longestRecorded, inside.at(-1)?.end ?? 0);
  const shifted = inside.map((one) => ({ ...one, start: one.start - from, end: one.end - from }));
  return { from, text: redactedText({ ...piece, text: text.slice(from, to), data: shifted }) };
}

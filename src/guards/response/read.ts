// Judges a response, in one piece or as it flows. It is loaded with the first response.

import type { Settings } from '../../config/settings.ts';
import {
  type Budget,
  type Child,
  type Finding,
  type GuardInput,
  type Judgement,
  type MaybePromise,
  type StreamGuard,
  type StreamStep,
  visible,
  type World,
} from '../../core/index.ts';
import { builtin, type Ruleset } from '../../detect/index.ts';
import type { Find } from '../../detect/reader/index.ts';
import { CallReader, childOf, readCalls, type TextCall } from './calls/index.ts';
import { type Found, merged, openReader } from './facts.ts';
import { type Breach, guidelinesOf } from './guidelines/index.ts';
import { hit, judgeFailed, secretInResponse } from './rules.ts';

/** The settings, and the rules for secrets where the user has some of their own. */
export type ResponseSettings = Settings & { readonly secrets?: Ruleset };

/** So many findings of each kind are reported; one is enough to stop a response. */
const findingLimit = 20;

/** The calls in a response, as actions of their own. */
export function callsIn(text: string, budget: Budget): readonly Child<'response'>[] {
  return readCalls(text, budget).map(childOf);
}

/** Judges a whole response: by the rules, and where nothing stops it, by the judge model. */
export async function judgeText(
  text: string,
  { settings, world, parts = [] }: GuardInput<ResponseSettings>,
): Promise<Judgement<'response'>> {
  const { reader, secretsIn, breachesIn, ask } = open(settings, world);
  reader.push(text);
  reader.end();
  const secrets = secretsIn(reader.finds);
  const breaches = breachesIn(reader.finds);
  const judged = secrets.length + breaches.length > 0 ? null : await ask(text);
  const breach = breaches[0] ?? judged?.breach;
  return {
    facts: {
      length: text.length,
      secrets: secrets.length,
      guidelines: [
        ...new Set(breaches.map(({ name }) => name)),
        ...(judged?.breach ? [judged.breach.name] : []),
      ],
      calls: parts
        .slice(0, findingLimit)
        .flatMap(({ action }) => (action.kind === 'tool' ? [visible(action.tool, 80)] : [])),
      ...(breach === undefined ? {} : { refusal: breach.refusal }),
    },
    findings: [
      ...secrets.slice(0, findingLimit).map(({ finding }) => finding),
      ...breaches.slice(0, findingLimit).map(({ finding }) => finding),
      ...(judged === null ? [] : [judged.finding]),
    ],
    sideEffect: false,
  };
}

/**
 * Judges a response as it flows. A call is judged with the piece that completes it, before that is shown; one in a code
 * block waits for what comes behind the block. Where a judge model is asked, text waits for it in windows.
 */
export function streamText({ settings, world, budget }: GuardInput<ResponseSettings>): StreamGuard {
  const { reader, secretsIn, breachesIn, ask } = open(settings, world);
  const { judge } = settings.guidelines;
  const calls = new CallReader(budget);
  let ready = '';
  let shown = 0;
  /** What the judge has not seen, and the end of what it has. */
  let unjudged = '';
  let before = '';

  const step = (safe: string, found: readonly TextCall[], last: boolean): MaybePromise<StreamStep> => {
    if (reader.found) {
      const { finds } = reader;
      return {
        emit: '',
        findings: [...secretsIn(finds), ...breachesIn(finds)].map(({ finding }) => finding),
      };
    }
    ready += safe;
    const emit = last ? ready : ready.slice(0, Math.max(0, calls.open - shown));
    ready = ready.slice(emit.length);
    shown += emit.length;
    if (judge === null && found.length === 0) return { emit, findings: none };
    const parts = found.map(childOf);
    if (judge === null) return { emit, findings: none, parts };
    unjudged += emit;
    const size = last ? unjudged.length : windowIn(unjudged, judge.windowCharacters);
    return size === 0 && !(last && shown === 0)
      ? { emit: '', findings: [], parts }
      : judgeWindow(size, parts);
  };

  const judgeWindow = async (size: number, parts: NonNullable<StreamStep['parts']>): Promise<StreamStep> => {
    const text = unjudged.slice(0, size);
    unjudged = unjudged.slice(size);
    const judged = await ask(before + text);
    if (judged !== null) return { emit: '', findings: [judged.finding], parts };
    before = text.slice(-overlap);
    return { emit: text, findings: [], parts };
  };

  /** INVARIANT: the same is found and shown however a text is cut, so that a long piece is read as one. */
  const pushLong = async (piece: string): Promise<StreamStep> => {
    let safe = '';
    const found: TextCall[] = [];
    for (let at = 0; at < piece.length; at += longestChunk) {
      if (at > 0) await world.turn?.();
      const slice = piece.slice(at, at + longestChunk);
      safe += reader.push(slice);
      found.push(...calls.push(slice));
    }
    return await step(safe, found, false);
  };

  return {
    push: (piece) =>
      piece.length > longestChunk ? pushLong(piece) : step(reader.push(piece), calls.push(piece), false),
    end: () => step(reader.end(), calls.end(), true),
  };
}

/** Longest piece of a stream that is read at once, in UTF-16 units: a millisecond or two. */
const longestChunk = 8192;

const none: readonly never[] = [];

/** How much of what a judge has passed it sees again, so that nothing hides between two windows. */
const overlap = 400;

/** How much of a text is judged now: nothing before there is a window of it, then up to the end of a sentence. */
function windowIn(text: string, size: number): number {
  if (text.length < size) return 0;
  const end = Math.max(...['. ', '! ', '? ', '\n'].map((mark) => text.lastIndexOf(mark) + mark.length));
  return end > size / 2 ? end : text.length >= 2 * size ? text.length : 0;
}

function open(settings: ResponseSettings, world: Pick<World, 'classify' | 'gunzip'>) {
  const rules = settings.secrets ?? builtin('secrets');
  const guidelines = guidelinesOf(settings.guidelines);
  const isSecret = idsOf(rules);
  return {
    reader: openReader(rules, guidelines.readings, world.gunzip),
    /** What the judge model says against a text; null where it passes, or none is configured. */
    ask: async (text: string): Promise<{ readonly breach?: Breach; readonly finding: Finding } | null> => {
      const { judge } = settings.guidelines;
      if (judge === null || text.trim() === '') return null;
      const failed = { finding: hit(judgeFailed, judgeFailed.reason) };
      if (world.classify === undefined) return failed;
      try {
        const name = await world.classify({ judge, guidelines: guidelines.told, text });
        if (name === null) return null;
        const breach = guidelines.breachOf({ kind: name });
        return { breach, finding: hit(breach.rule, goesAgainst(breach)) };
      } catch {
        return failed;
      }
    },
    secretsIn: (finds: readonly Find[]) =>
      merged(finds.filter(({ rule }) => isSecret.has(rule))).map((found) => ({
        ...found,
        finding: secretFinding(found, rules),
      })),
    breachesIn: (finds: readonly Find[]) =>
      merged(finds.filter(({ rule }) => !isSecret.has(rule))).map((found) => {
        const breach = guidelines.breachOf(found);
        return { ...breach, finding: breachFinding(found, breach) };
      }),
  };
}

/** Every stream asks for them, and an answer of a model has many. */
const ids = new WeakMap<Ruleset, ReadonlySet<string>>();

function idsOf(ruleset: Ruleset): ReadonlySet<string> {
  let found = ids.get(ruleset);
  if (found === undefined) {
    found = new Set(ruleset.rules.map(({ id }) => id));
    ids.set(ruleset, found);
  }
  return found;
}

const ways: Readonly<Record<Found['way'], string>> = {
  plain: '',
  unmarked: ', hidden by markup or escapes',
  joined: ', over several lines',
  base64: ', in base64',
  hex: ', in hex',
  gzip: ', packed and in base64',
  spelled: ', spelled out sign by sign',
};

function secretFinding({ rule, way, start, end }: Found, { rules }: Ruleset): Finding {
  const name = rules.find(({ id }) => id === rule)?.name ?? rule;
  return hit(secretInResponse, `The response holds a secret${ways[way]}: ${name}.`, [start, end]);
}

function breachFinding({ start, end }: Found, { rule, name }: Breach): Finding {
  return hit(rule, goesAgainst({ rule, name }), [start, end]);
}

function goesAgainst({ rule, name }: Pick<Breach, 'rule' | 'name'>): string {
  return `The response goes against the guideline "${name}": ${rule.reason}`;
}

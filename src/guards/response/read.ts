// Judges a response, in one piece or as it flows. It is loaded with the first response.

import type { Settings } from '../../config/settings.ts';
import {
  type Budget,
  type Child,
  type Finding,
  type GuardInput,
  type Judgement,
  type StreamGuard,
  type StreamStep,
  visible,
} from '../../core/index.ts';
import { builtin, type Find, type Ruleset } from '../../detect/index.ts';
import { CallReader, childOf, readCalls, type TextCall } from './calls/index.ts';
import { type Found, merged, openReader } from './facts.ts';
import { type Breach, guidelinesOf } from './guidelines/index.ts';
import { hit } from './rules/finding.ts';
import { secretInResponse } from './rules/secrets.ts';

/** The settings, and the rules for secrets where the user has some of their own. */
export type ResponseSettings = Settings & { readonly secrets?: Ruleset };

/** So many findings of each kind are told; one is enough to stop a response. */
const mostTold = 20;

/** The calls in a response, as actions of their own. */
export function callsIn(text: string, budget: Budget): readonly Child<'response'>[] {
  return readCalls(text, budget).map(childOf);
}

/** Judges a whole response. */
export function judgeText(
  text: string,
  { settings, parts = [] }: GuardInput<ResponseSettings>,
): Judgement<'response'> {
  const { reader, secretsIn, breachesIn } = open(settings);
  reader.push(text);
  reader.end();
  const secrets = secretsIn(reader.finds);
  const breaches = breachesIn(reader.finds);
  const [first] = breaches;
  return {
    facts: {
      length: text.length,
      secrets: secrets.length,
      guidelines: [...new Set(breaches.map(({ name }) => name))],
      calls: parts
        .slice(0, mostTold)
        .flatMap(({ action }) => (action.kind === 'tool' ? [visible(action.tool, 80)] : [])),
      ...(first === undefined ? {} : { refusal: first.refusal }),
    },
    findings: [
      ...secrets.slice(0, mostTold).map(({ finding }) => finding),
      ...breaches.slice(0, mostTold).map(({ finding }) => finding),
    ],
    sideEffect: false,
  };
}

/**
 * Judges a response as it flows. A call is judged with the piece that completes it, before that is shown; one in a code
 * block waits for what comes behind the block.
 */
export function streamText({ settings, budget }: GuardInput<ResponseSettings>): StreamGuard {
  const { reader, secretsIn, breachesIn } = open(settings);
  const calls = new CallReader(budget);
  let ready = '';
  let shown = 0;
  const step = (safe: string, found: readonly TextCall[], last: boolean): StreamStep => {
    const { finds } = reader;
    if (finds.length > 0) {
      return {
        emit: '',
        findings: [...secretsIn(finds), ...breachesIn(finds)].map(({ finding }) => finding),
      };
    }
    ready += safe;
    const emit = last ? ready : ready.slice(0, Math.max(0, calls.open - shown));
    ready = ready.slice(emit.length);
    shown += emit.length;
    return { emit, findings: [], parts: found.map(childOf) };
  };
  return {
    push: (piece) => step(reader.push(piece), calls.push(piece), false),
    end: () => step(reader.end(), calls.end(), true),
  };
}

function open(settings: ResponseSettings) {
  const rules = settings.secrets ?? builtin('secrets');
  const guidelines = guidelinesOf(settings.guidelines);
  const isSecret = idsOf(rules);
  return {
    reader: openReader(rules, guidelines.readings),
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
};

function secretFinding({ rule, way, start, end }: Found, { rules }: Ruleset): Finding {
  const name = rules.find(({ id }) => id === rule)?.name ?? rule;
  return hit(secretInResponse, `The response holds a secret${ways[way]}: ${name}.`, [start, end]);
}

function breachFinding({ start, end }: Found, { rule, name }: Breach): Finding {
  return hit(rule, `The response goes against the guideline "${name}": ${rule.reason}`, [start, end]);
}

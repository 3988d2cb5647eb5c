// Judges a response, in one piece or as it flows. It is loaded with the first response.

import type { Settings } from '../../config/settings.ts';
import type { Finding, Judgement, StreamGuard, StreamStep } from '../../core/index.ts';
import { builtin, type Find, type Ruleset } from '../../detect/index.ts';
import { type Found, merged, openReader } from './facts.ts';
import { type Breach, guidelinesOf } from './guidelines/index.ts';
import { hit } from './rules/finding.ts';
import { secretInResponse } from './rules/secrets.ts';

/** The settings, and the rules for secrets where the user has some of their own. */
export type ResponseSettings = Settings & { readonly secrets?: Ruleset };

/** So many findings of each kind are told; one is enough to stop a response. */
const mostTold = 20;

/** Judges a whole response. */
export function judgeText(text: string, settings: ResponseSettings): Judgement<'response'> {
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
      ...(first === undefined ? {} : { refusal: first.refusal }),
    },
    findings: [
      ...secrets.slice(0, mostTold).map(({ finding }) => finding),
      ...breaches.slice(0, mostTold).map(({ finding }) => finding),
    ],
    sideEffect: false,
  };
}

/** Judges a response as it flows. */
export function streamText(settings: ResponseSettings): StreamGuard {
  const { reader, secretsIn, breachesIn } = open(settings);
  const step = (emit: string): StreamStep => {
    const { finds } = reader;
    if (finds.length === 0) return { emit, findings: [] };
    return { emit: '', findings: [...secretsIn(finds), ...breachesIn(finds)].map(({ finding }) => finding) };
  };
  return {
    push: (piece) => step(reader.push(piece)),
    end: () => step(reader.end()),
  };
}

function open(settings: ResponseSettings) {
  const rules = settings.secrets ?? builtin('secrets');
  const guidelines = guidelinesOf(settings.guidelines);
  const isSecret = new Set(rules.rules.map(({ id }) => id));
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

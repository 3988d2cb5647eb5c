// Judges a response, in one piece or as it flows. It is loaded with the first response.

import type { Finding, Judgement, StreamGuard, StreamStep } from '../../core/index.ts';
import { nameOf, readSecrets, type Secret, secretsOf } from './facts.ts';
import { hit } from './rules/finding.ts';
import { secretInResponse } from './rules/secrets.ts';

/** So many findings are told; one is enough to stop a response. */
const mostTold = 20;

/** Judges a whole response. */
export function judgeText(text: string): Judgement<'response'> {
  const reader = readSecrets();
  reader.push(text);
  reader.end();
  const secrets = secretsOf(reader.finds);
  return {
    facts: { length: text.length, secrets: secrets.length },
    findings: secrets.slice(0, mostTold).map(secretFinding),
    sideEffect: false,
  };
}

/** Judges a response as it flows. */
export function streamText(): StreamGuard {
  const reader = readSecrets();
  const step = (emit: string): StreamStep => {
    const [first] = reader.finds;
    return { emit, findings: first === undefined ? [] : secretsOf([first]).map(secretFinding) };
  };
  return {
    push: (piece) => step(reader.push(piece)),
    end: () => step(reader.end()),
  };
}

const ways: Readonly<Record<Secret['way'], string>> = {
  plain: '',
  unmarked: ', hidden by markup or escapes',
  joined: ', over several lines',
  base64: ', in base64',
  hex: ', in hex',
};

function secretFinding({ rule, way, start, end }: Secret): Finding {
  return hit(secretInResponse, `The response holds a secret${ways[way]}: ${nameOf(rule)}.`, [start, end]);
}

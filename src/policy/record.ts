// What policies looked at, as a decision's record keeps it: enough to ask other policies the same later, and no text
// of the action.

import { type Facts, isJsonObject, type JsonObject, type JsonValue, kinds } from '../core/index.ts';
import { type AskedOf, askedOf, type PartAsked } from './request.ts';
import type { Question } from './types.ts';

/** Facts that policies look at. Those of the action itself stand in its record already. */
const factNames = [
  ...(['effect', 'programs', 'effects', 'host', 'method', 'risk', 'action', 'language'] as const),
  ...(['operations', 'verbs', 'relations', 'fields', 'inputs', 'functions', 'sensitive', 'flags'] as const),
  ...(['depth', 'selections', 'aliases', 'directives', 'joins', 'cost', 'rows'] as const),
];
/** More than this of one action is not kept, and then nothing is: half of it would be answered wrongly. */
const mostParts = 32;
const mostPaths = 64;

/** What is written down of a question; null where it is too much. */
export function recordedOf(question: Question, workspace: string): JsonObject | null {
  const { parts, decision, rules, contracts, changes } = askedOf(question, workspace);
  const paths = parts.reduce((sum, part) => sum + part.paths.length, 0);
  if (parts.length > mostParts || paths > mostPaths) return null;
  return {
    decision,
    ...(changes ? { changes } : {}),
    ...(rules.length === 0 ? {} : { rules }),
    ...(contracts.length === 0 ? {} : { contracts }),
    parts: parts.map(recordedPart),
  };
}

function recordedPart({ pointer, kind, tool, server, target, paths, facts, sideEffect }: PartAsked) {
  return {
    kind,
    ...(pointer === '' ? {} : { pointer }),
    ...(tool === undefined ? {} : { tool }),
    ...(server === undefined ? {} : { server }),
    ...(target === undefined ? {} : { target }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(sideEffect ? { changes: true } : {}),
    ...(pointer === '' ? {} : factsOf(facts)),
  } as JsonObject;
}

function factsOf(facts: Facts): { readonly facts?: Facts } {
  const looked = factNames.flatMap((name) => (name in facts ? [[name, facts[name]]] : []));
  return looked.length === 0 ? {} : { facts: Object.fromEntries(looked) };
}

/** What was written down with a decision; null where nothing was, or nothing that can be read. */
export function recordedIn({ asked, facts }: JsonObject): AskedOf | null {
  if (!isJsonObject(asked) || typeof asked['decision'] !== 'string' || !Array.isArray(asked['parts']))
    return null;
  const parts = asked['parts'].map((part: JsonValue) => partIn(part, isJsonObject(facts) ? facts : {}));
  if (parts.some((part) => part === null)) return null;
  return {
    decision: asked['decision'],
    rules: texts(asked['rules']),
    contracts: texts(asked['contracts']),
    changes: asked['changes'] === true,
    parts: parts.filter((part) => part !== null),
  };
}

function partIn(part: JsonValue, own: Facts): PartAsked | null {
  if (!isJsonObject(part)) return null;
  const { pointer = '', tool, server, target, facts } = part;
  const kind = kinds.find((known) => known === part['kind']);
  if (kind === undefined || typeof pointer !== 'string') return null;
  return {
    pointer,
    kind,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof target === 'string' ? { target } : {}),
    paths: texts(part['paths']),
    facts: pointer === '' ? own : isJsonObject(facts) ? facts : {},
    sideEffect: part['changes'] === true,
  };
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

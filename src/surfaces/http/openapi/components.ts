// The named schemas of the OpenAPI document: what clients in other languages make their types from.

import {
  actionSchema,
  actionSchemas,
  approvalNoticeSchema,
  decisionSchema,
  findingSchema,
  hostModes,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  kinds,
  modes,
  verdictSchema,
  weightSchema,
  wireContext,
} from '../../../core/index.ts';
import { eventTypes } from '../../../ledger/index.ts';
import { endShape, finishShape, openShape, pushShape, stopShape } from '../streams.ts';

const text: JsonObject = { type: 'string' };
const count: JsonObject = { type: 'integer', minimum: 0 };
const findings: JsonObject = { type: 'array', items: findingSchema };

function record(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: 'object', properties, required };
}

export const errorSchema = record({ error: text, name: text, hint: text }, ['hint']);

/** Who asked and where, completed by what the credential says. */
const fullContextSchema = record({
  user: text,
  tenant: text,
  agent: text,
  session: text,
  workspace: text,
  mode: wireContext.fields.mode.schema(),
});
const questionSchema = record({ action: { type: 'object' }, context: fullContextSchema, findings });

export const approvalSchema = record({
  id: text,
  state: { enum: ['pending', 'approved', 'denied', 'used', 'expired'] },
  user: text,
  tenant: text,
  agent: text,
  decisionId: text,
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt: { type: 'string', format: 'date-time' },
  question: { anyOf: [questionSchema, { type: 'null' }], description: 'Until it is answered' },
  group: {
    type: ['string', 'null'],
    description: 'The same for questions of the same kind from the same session; null once it is answered',
  },
});

export const grantSchema = record({
  id: text,
  effect: text,
  user: text,
  tenant: text,
  agent: text,
  workspace: text,
  createdAt: { type: 'integer', description: 'Milliseconds since 1970' },
  expiresAt: { type: 'integer', description: 'Milliseconds since 1970' },
});

export const entrySchema = record(
  {
    place: count,
    chain: text,
    seq: count,
    hash: text,
    time: { type: 'integer', description: 'Milliseconds since 1970' },
    event_type: { enum: eventTypes },
    user: text,
    tenant: text,
    agent: text,
    decision_id: text,
    decision: text,
    details: { type: 'object' },
  },
  ['decision_id', 'decision'],
);

export const streamOpenedSchema = record({
  id: { type: 'string', description: 'The id of the stream, and of the decision on it' },
  blocked: { type: 'boolean', description: 'Nothing will be shown' },
});
export const streamPieceSchema = record({
  emit: { type: 'string', description: 'What may be shown now' },
  findings,
  blocked: { type: 'boolean', description: 'Nothing more will be shown' },
});
export const streamEndSchema = record({
  emit: { type: 'string', description: 'What may be shown of the rest' },
  verdict: verdictSchema,
});

/** Most schemas are of shapes that requests are read by, so that a name is given to each once, here. */
const named: Readonly<Record<string, JsonObject>> = {
  Mode: wireContext.fields.mode.schema(),
  Decision: decisionSchema,
  Weight: weightSchema,
  Context: wireContext.schema(),
  ...Object.fromEntries(
    kinds.map((kind, index) => [`${capital(kind)}Action`, actionSchemas()[index] ?? {}] as const),
  ),
  Action: actionSchema,
  Finding: findingSchema,
  ApprovalNotice: approvalNoticeSchema,
  Verdict: verdictSchema,
  FullContext: fullContextSchema,
  Question: questionSchema,
  Approval: approvalSchema,
  Grant: grantSchema,
  Entry: entrySchema,
  Error: errorSchema,
  StreamOpening: openShape.schema(),
  StreamOpened: streamOpenedSchema,
  StreamPush: pushShape.schema(),
  StreamFinish: finishShape.schema(),
  StreamStop: stopShape.schema(),
  StreamPiece: streamPieceSchema,
  StreamClosing: endShape.schema(),
  StreamEnd: streamEndSchema,
};

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));

/** The schemas by their names, each as it is. */
export const components: JsonObject = Object.fromEntries(
  Object.entries(named).map(([name, { $schema: _, title: __, ...schema }]) => [
    name,
    name === 'Mode' ? { enum: modes, 'x-host-words': hostModes } : withReferences(schema),
  ]),
);

/** The value with a reference wherever a named schema stands in it. */
export function withReferences(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, referring(member)]));
}

function referring(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(referring);
  if (!isJsonObject(value)) return value;
  const name = names.get(value);
  return name === undefined ? withReferences(value) : { $ref: `#/components/schemas/${name}` };
}

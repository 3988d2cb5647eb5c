// The routes of texts that flow.

import { findingShape, toWire, verdictShape, wireContext } from '../../core/index.ts';
import {
  choice,
  describe,
  flag,
  listOf,
  named,
  object,
  optional,
  reply,
  text,
  words,
} from '../../core/shape.ts';
import { readContext } from '../../decide/index.ts';
import { scopes } from '../../ledger/index.ts';
import { asksForDecisions, scoped } from './callers.ts';
import { route } from './route.ts';

const channel = optional(text({ max: 256 }));
/** What opens a stream. */
const openShape = named(
  'StreamOpening',
  object({
    kind: optional(choice(['prompt', 'response'])),
    context: optional(wireContext),
  }),
);
/** What feeds it. */
const pushShape = named('StreamPush', object({ piece: text(), channel }));
/** What ends one of its texts. */
const finishShape = named('StreamFinish', object({ channel }));
/** What stops it. */
const stopShape = named('StreamStop', object({ why: text({ min: 1, max: 1000 }) }));
/** What ends it. */
const endShape = named('StreamClosing', object({}));

const streamOpened = named(
  'StreamOpened',
  reply({
    id: describe('The id of the stream, and of the decision on it', words),
    blocked: describe('Nothing will be shown', flag()),
  }),
);
const streamPiece = named(
  'StreamPiece',
  reply({
    emit: describe('What may be shown now', words),
    findings: listOf(findingShape),
    blocked: describe('Nothing more will be shown', flag()),
  }),
);
const streamEnd = named(
  'StreamEnd',
  reply({ emit: describe('What may be shown of the rest', words), verdict: verdictShape }),
);

/** No user opens a stream, and a stream is only for the credential that opened it. */
const opener = scoped(scopes, '');

/** The routes of streams. The body of each is read before its turn comes. */
export const streamRoutes = [
  route('POST /v1/streams', {
    summary: 'Open a stream: a text that is judged while it flows',
    access: asksForDecisions,
    body: openShape,
    answer: ['The stream', streamOpened],
    handle: async ({ decider, config, world, streams }, { caller: { principal }, body }) => {
      const { kind = 'response', context: said = {} } = body;
      const context = await readContext(said, { asker: principal, folder: null, config, world });
      const opening = () => decider.decideStream(kind, context);
      const { decisionId, blocked } = await streams.open(principal.credential, opening);
      return { id: decisionId, blocked };
    },
  }),
  route('POST /v1/streams/:id/push', {
    summary: 'Feed a stream: what may be shown now (the credential that opened it)',
    access: opener,
    body: pushShape,
    answer: ['What may be shown, and what was found', streamPiece],
    handle: ({ streams }, { caller: { principal }, given, body }) =>
      streams.push(given.id, principal.credential, body.piece, body.channel),
  }),
  route('POST /v1/streams/:id/finish', {
    summary: 'End one text of a stream: what may be shown of its rest',
    access: opener,
    body: finishShape,
    answer: ['What may be shown, and what was found', streamPiece],
    handle: ({ streams }, { caller: { principal }, given, body }) =>
      streams.finish(given.id, principal.credential, body.channel),
  }),
  route('POST /v1/streams/:id/stop', {
    summary: 'Stop a stream: nothing more of it is shown',
    access: opener,
    body: stopShape,
    answer: ['That it is blocked', streamPiece],
    handle: ({ streams }, { caller: { principal }, given, body }) =>
      streams.stop(given.id, principal.credential, body.why),
  }),
  route('POST /v1/streams/:id/end', {
    summary: 'End a stream: what may be shown of the rest, and the verdict on the whole',
    access: opener,
    body: endShape,
    answer: ['The end', streamEnd],
    handle: async ({ streams }, { caller: { principal }, given }) => {
      const { emit, verdict: judged } = await streams.end(given.id, principal.credential);
      return { emit, verdict: toWire(judged) };
    },
  }),
] as const;

// The routes of the daemon itself: whether it is up, what it serves, and the models behind its proxy.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context as Call } from 'hono';
import type { SallyportError } from '../../core/index.ts';
import { anything, count, moment, reply, words } from '../../core/replies.ts';
import { choice, optional } from '../../core/shape.ts';
import { type Parts, type Refusal, type RouteName, route, Sent } from './route.ts';
import { jsonAnswer, type Surface } from './surface.ts';

/** What an error says over the wire. */
export function said({ message, name, hint }: SallyportError): Refusal {
  return { error: message, name, ...(hint === undefined ? {} : { hint }) };
}

/**
 * Says that a call was answered already. A copy, since the server writes a response of its own kind without looking for
 * the mark, and this one is of that kind where another server ran in the process before the module was loaded.
 */
const alreadySent = RESPONSE_ALREADY_SENT.clone();

/** Hands a call to the proxy, which answers it by itself. */
export async function proxied({ llm }: Pick<Parts, 'llm'>, call: Call<Surface>): Promise<Response> {
  await (await llm()).serve(call.env);
  return alreadySent;
}

function model<const Name extends RouteName>(name: Name, api: string) {
  const summary = `${api}, through the proxy`;
  const answer = 'What the model says, as far as it may be shown, in the form of the provider';
  return route(name, {
    summary,
    access: 'proxy',
    body: anything(),
    answer: [answer, anything()],
    handle: async (parts, { call }) => new Sent(await proxied(parts, call)),
  });
}

export const serviceRoutes = [
  route('GET /healthz', {
    summary: 'Whether the daemon is up and can record',
    access: 'open',
    asking: true,
    answer: [
      'It is',
      reply({
        status: choice(['ok']),
        version: words,
        pid: count,
        alarms: count,
        unreviewed: count,
        connected: count,
        passphrase_reset: optional(moment),
      }),
    ],
    also: { 503: 'It blocks everything: its ledger was removed, replaced or cut' },
    handle: async ({ ledger, captures: { integrity }, hookFiles, version }, { call }) => {
      const refused = ledger.refused();
      const { pid } = process;
      const counts = {
        alarms: integrity.alarms().length,
        unreviewed: integrity.waiting(),
        connected: hookFiles.connected(),
      };
      if (refused !== null)
        return new Sent(
          jsonAnswer(call, { status: 'refused', version, pid, ...counts, ...said(refused) }, 503),
        );
      const reset = await ledger.approvers.pendingReset();
      const until = reset === null ? {} : { passphrase_reset: new Date(reset.countsFrom).toISOString() };
      return { status: 'ok' as const, version, pid, ...counts, ...until };
    },
  }),
  route('GET /livez', {
    summary: 'Whether the daemon is up',
    access: 'open',
    asking: true,
    answer: ['It is', reply({ status: choice(['ok']), version: words, pid: count })],
    handle: ({ version }) => ({ status: 'ok' as const, version, pid: process.pid }),
  }),
  route('GET /openapi.json', {
    summary: 'This document',
    access: 'open',
    answer: ['It', anything()],
    handle: ({ document }) => document(),
  }),
  model('POST /v1/chat/completions', 'OpenAI Chat Completions'),
  model('POST /v1/responses', 'OpenAI Responses'),
  model('POST /v1/messages', 'Anthropic Messages'),
  model('POST /v1/messages/count_tokens', 'Anthropic token counting'),
  route('GET /v1/models', {
    summary: 'The models of OpenAI, through the proxy',
    access: 'proxy',
    answer: ['As it says', anything()],
    handle: async (parts, { call }) => new Sent(await proxied(parts, call)),
  }),
] as const;

// The routes that agents and their hosts call: verdicts, hooks, the models behind the proxy, and whether the daemon is up.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context as Call } from 'hono';
import { actionSchema, InputError, type SallyportError, toWire, verdictShape } from '../../core/index.ts';
import { anything, choice, count, described, moment, optional, reply, words } from '../../core/shape.ts';
import { readRequest } from '../../decide/index.ts';
import { afterAnswer } from '../../run/index.ts';
import { type Host, hookWaitMs, hostNames, hosts, plainReply, serveHook } from '../hooks/index.ts';
import { asksForDecisions, scoped } from './callers.ts';
import {
  jsonAnswer,
  type Parameter,
  type Parts,
  type Refusal,
  type RouteName,
  route,
  Sent,
  type Surface,
  wholeNumber,
  wordsIn,
} from './route.ts';

// ── The routes by which agents ask for verdicts: in our words, and in those of the hosts that call hooks.

/** An agent host by its name. */
export const hostStep: Parameter<Host> = {
  in: 'path',
  schema: { enum: hostNames },
  says: 'The host',
  read: (value) => {
    const host = hostNames.find((name) => name === value);
    if (host === undefined) throw new InputError('no such host');
    return hosts[host];
  },
};

/**
 * Ends a wait when nobody needs the answer any more. INVARIANT: an approval is not used up for a client that is gone, so
 * that it counts when the same call comes again.
 */
function whileWanted({ env: { outgoing } }: Call<Surface>, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  return AbortSignal.any([stopping, gone.signal]);
}

export const decisionRoutes = [
  route('POST /v1/decide', {
    summary: 'Judge one action',
    access: asksForDecisions,
    asking: true,
    verdict: true,
    parameters: { wait: wholeNumber(0, 600, 'Seconds to wait for a person') },
    body: described(() => actionSchema),
    answer: ['The verdict', verdictShape],
    handle: async (parts, { call, caller: { principal }, given: { wait = 0 }, body }) => {
      const { config, world, decider } = parts;
      const stopping = whileWanted(call, parts.stopping);
      const request = await readRequest(body, { asker: principal, folder: null, config, world });
      const decided = await decider.decide(request.action, request.context);
      const { verdict: given } = await afterAnswer({ ...parts, stopping }, request, decided, wait * 1000);
      return toWire(given, request.id);
    },
  }),
  route('POST /v1/hook/:host', {
    summary: "Answer an agent host's hook in its own words",
    access: scoped(['decide'], 'hooks hold a credential of scope decide'),
    asking: true,
    verdict: true,
    parameters: {
      host: hostStep,
      event: wordsIn("The host's name of the moment, where the body has none"),
      parent: wholeNumber(0, 4_194_304, 'The process that called the client; 0 where it is not known'),
      shell: wholeNumber(0, 1, '1 where the host starts all its programs through the client'),
    },
    body: described(() => anything().schema()),
    answer: [
      'What the hook prints, and what it ends with',
      reply({ stdout: words, stderr: words, exit: described<0 | 2>(() => ({ enum: [0, 2] })) }),
    ],
    handle: async (
      parts,
      { call, caller: { principal }, given: { host, event = null, parent = 0, shell = 0 }, body },
    ) => {
      const { ledger, hookFiles: files, hostSessions } = parts;
      const stopping = whileWanted(call, parts.stopping);
      const service = { ...parts, ...hostSessions(), files, waitMs: hookWaitMs(host), stopping };
      const reply = await serveHook(service, host, {
        ...{ asker: principal, event, parent, body },
        isThroughShell: shell === 1,
      });
      if (call.req.header('accept') !== 'text/plain') return reply;
      const proof = ledger.fingerprint('hook reply', () => principal.credential);
      return new Sent(call.text(plainReply(reply, proof)));
    },
  }),
] as const;

// ── The routes of the daemon itself: whether it is up, what it serves, and the models behind its proxy.

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

// The routes by which agents ask for verdicts: in our words, and in those of the hosts that call hooks.

import { actionSchema, InputError, toWire, verdictShape } from '../../core/index.ts';
import { anything, reply, words } from '../../core/replies.ts';
import { described } from '../../core/shape.ts';
import { readRequest } from '../../decide/index.ts';
import { afterAnswer } from '../../run/index.ts';
import { type Host, hookWaitMs, hostNamed, hostNames, plainReply, serveHook } from '../hooks/index.ts';
import { asksForDecisions, scoped } from './callers.ts';
import { type Parameter, route, Sent, wholeNumber, wordsIn } from './route.ts';

/** An agent host by its name. */
export const hostStep: Parameter<Host> = {
  in: 'path',
  schema: { enum: hostNames },
  says: 'The host',
  read: (value) => {
    const host = hostNamed(value ?? '');
    if (host === undefined) throw new InputError('no such host');
    return host;
  },
};

export const decisionRoutes = [
  route('POST /v1/decide', {
    summary: 'Judge one action',
    access: asksForDecisions,
    asking: true,
    verdict: true,
    parameters: { wait: wholeNumber(0, 600, 'Seconds to wait for a person') },
    body: described(() => actionSchema),
    answer: ['The verdict', verdictShape],
    handle: async (parts, { caller: { principal }, given: { wait = 0 }, body }) => {
      const { config, world, decider } = parts;
      const request = await readRequest(body, { asker: principal, folder: null, config, world });
      const decided = await decider.decide(request.action, request.context);
      const { verdict: given } = await afterAnswer(parts, request, decided, wait * 1000);
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
    },
    body: described(() => anything().schema()),
    answer: [
      'What the hook prints, and what it ends with',
      reply({ stdout: words, stderr: words, exit: described<0 | 2>(() => ({ enum: [0, 2] })) }),
    ],
    handle: async (
      parts,
      { call, caller: { principal }, given: { host, event = null, parent = 0 }, body },
    ) => {
      const { ledger, hookFiles: files, hostSessions } = parts;
      const service = { ...parts, ...hostSessions(), files, waitMs: hookWaitMs(host) };
      const reply = await serveHook(service, host, { asker: principal, event, parent, body });
      if (call.req.header('accept') !== 'text/plain') return reply;
      const proof = ledger.fingerprint('hook reply', () => principal.credential);
      return new Sent(call.text(plainReply(reply, proof)));
    },
  }),
] as const;

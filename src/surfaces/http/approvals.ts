// The routes of approvals, which people answer, and of grants, which an answer can make.

import { findingShape, grantShape, InputError, wireContext } from '../../core/index.ts';
import {
  anything,
  choice,
  describe,
  integer,
  listOf,
  moment,
  named,
  nullable,
  object,
  optional,
  reply,
  texts,
  words,
} from '../../core/shape.ts';
import { type Approval, longestGrantMs } from '../../ledger/index.ts';
import { anyone, people, requireAccess } from './callers.ts';
import { type Parts, route } from './route.ts';
import { signed, signerFor } from './signing.ts';

/** Who asked and where, completed by what the credential says. */
const fullContext = named(
  'FullContext',
  reply({
    ...texts('user', 'tenant', 'agent', 'session', 'workspace'),
    mode: { ...wireContext.fields.mode, optional: false },
  }),
);
const question = named(
  'Question',
  reply({ action: anything(), context: fullContext, findings: listOf(findingShape) }),
);

const approval = named(
  'Approval',
  reply({
    ...texts('id', 'user', 'tenant', 'agent', 'decisionId'),
    state: choice(['pending', 'approved', 'denied', 'used', 'expired']),
    createdAt: moment,
    expiresAt: moment,
    answeredBy: describe('Who said yes or no; null where nobody has', nullable(words)),
    question: describe('Until it is answered', nullable(question)),
    text: describe(
      'The question as a client shows it, whose digest a signature covers; null where it cannot be shown',
      nullable(words),
    ),
    group: describe(
      'The same for questions of the same kind from the same session; null once it is answered',
      nullable(words),
    ),
  }),
);

/** An approval as people and agents see it; the reader decided already who sees it. */
async function shown({ screen }: Parts, { createdAt, expiresAt, question: asked, ...rest }: Approval) {
  const { seen, text } = await screen.asked(rest.id, asked);
  return {
    ...rest,
    question: seen === null ? null : { action: seen.action, context: seen.context, findings: seen.findings },
    text,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

const granting = people('answers approvals', 'admin');

export const approvalRoutes = [
  route('GET /v1/approvals', {
    summary: 'The approvals that wait',
    access: anyone('viewer'),
    answer: ['Those that the caller may see', reply({ approvals: listOf(approval) })],
    handle: async (parts, { caller }) => {
      const pending = await parts.ledger.approvals.pending(caller.reader, parts.world.now());
      return { approvals: await Promise.all(pending.map((one) => shown(parts, one))) };
    },
  }),
  route('GET /v1/approvals/:id', {
    summary: 'One approval, and how it stands',
    access: anyone('viewer'),
    answer: ['The approval', approval],
    handle: async (parts, { caller, given }) =>
      await shown(parts, await parts.ledger.approvals.show(given.id, caller.reader, parts.world.now())),
  }),
  route('POST /v1/approvals/:id/answer', {
    summary: 'Answer an approval; a yes is signed in the header Sallyport-Signature',
    access: people('answers approvals', 'approver'),
    rights: { 'with a grant': granting },
    parameters: { signature: signed },
    body: [
      object({
        answer: choice(['approve', 'deny']),
        grant_seconds: optional(integer(60, longestGrantMs / 1000)),
      }),
      4096,
    ],
    answer: ['The answered approval', approval],
    handle: async (parts, { caller, given: { id, signature }, body }) => {
      const { ledger, world } = parts;
      const { reader, principal } = caller;
      const now = world.now();
      const by = principal.user;
      const { text } = await shown(parts, await ledger.approvals.show(id, reader, now));
      const signer = signerFor(signature, now, text);
      if (body.grant_seconds === undefined) {
        return await shown(parts, await ledger.approvals.answer(id, body.answer, by, signer, reader, now));
      }
      requireAccess(caller, granting);
      if (body.answer === 'deny') throw new InputError('a grant goes with an approval, not with a denial');
      const lifeMs = body.grant_seconds * 1000;
      const { approval: answered } = await ledger.approveWithGrant(id, by, signer, reader, lifeMs, now);
      return await shown(parts, answered);
    },
  }),
  route('GET /v1/grants', {
    summary: 'The grants that stand',
    access: anyone('viewer'),
    answer: ['Those of the caller', reply({ grants: listOf(grantShape) })],
    handle: async ({ ledger, world }, { caller }) => ({
      grants: await ledger.grants.list(caller.reader, world.now()),
    }),
  }),
  route('DELETE /v1/grants/:id', {
    summary: 'Revoke a grant',
    access: people('revokes grants', 'admin'),
    answer: ['The grant', grantShape],
    handle: async ({ ledger, world }, { caller, given }) =>
      await ledger.grants.revoke(given.id, caller.reader, world.now()),
  }),
] as const;

// The routes of approvals, which people answer, and of permissions, which an answer can make.

import {
  type Finding,
  findingShape,
  InputError,
  isPermittable,
  longestPermissionMs,
  type PermissionTerms,
  permissionShape,
  reaches,
  usualPermissionMs,
  wireContext,
} from '../../core/index.ts';
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
import type { Approval, Question } from '../../ledger/index.ts';
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
    answeredBy: describe('Who answered; null if it was not answered', nullable(words)),
    question: describe('Until it is answered', nullable(question)),
    text: describe(
      'The question as a client shows it, whose digest a signature covers; null where it cannot be shown',
      nullable(words),
    ),
    reaches: describe(
      'How far a permission may reach that answers it; empty where it is asked about every time',
      listOf(choice(reaches)),
    ),
    group: describe(
      'The same for questions of the same kind from the same session; null once it is answered',
      nullable(words),
    ),
  }),
);

function asking({ findings }: Pick<Question, 'findings'>): readonly Finding[] {
  return findings.filter(({ decision }) => decision === 'approve');
}

/** An approval as people and agents see it; the reader decided already who sees it. */
async function shown({ screen }: Parts, { createdAt, expiresAt, question: asked, ...rest }: Approval) {
  const { seen, text } = await screen.asked(rest.id, asked);
  return {
    ...rest,
    reaches: seen !== null && asking(seen).every(isPermittable) ? reaches : [],
    question: seen === null ? null : { action: seen.action, context: seen.context, findings: seen.findings },
    text,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** How far a permission reaches, how long it counts, and how often. */
const terms = object({
  reach: choice(reaches),
  seconds: optional(integer(60, longestPermissionMs / 1000)),
  uses: optional(integer(1, 1_000_000)),
});

function termsIn({
  reach,
  seconds,
  uses,
}: {
  readonly reach: PermissionTerms['reach'];
  readonly seconds?: number | undefined;
  readonly uses?: number | undefined;
}): PermissionTerms {
  return { reach, lifeMs: seconds === undefined ? usualPermissionMs : seconds * 1000, uses: uses ?? null };
}

const permitting = people('makes permissions', 'admin');

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
    summary: 'Answer an approval; approving is signed in the header Sallyport-Signature',
    access: people('answers approvals', 'approver'),
    rights: { 'with a permission': permitting },
    parameters: { signature: signed },
    body: [
      object({
        answer: choice(['approve', 'deny']),
        permission: optional(terms),
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
      if (body.permission === undefined) {
        return await shown(parts, await ledger.approvals.answer(id, body.answer, by, signer, reader, now));
      }
      requireAccess(caller, permitting);
      if (body.answer === 'deny')
        throw new InputError('a permission goes with an approval, not with a denial');
      const given = termsIn(body.permission);
      const { approval: answered } = await ledger.approveForGood(id, by, signer, reader, given, now);
      return await shown(parts, answered);
    },
  }),
  route('GET /v1/permissions', {
    summary: 'The permissions that count',
    access: anyone('viewer'),
    answer: ['Those of the caller', reply({ permissions: listOf(permissionShape) })],
    handle: async ({ ledger, world }, { caller }) => ({
      permissions: await ledger.permissions.list(caller.reader, world.now()),
    }),
  }),
  route('DELETE /v1/permissions/:id', {
    summary: 'Revoke a permission',
    access: people('revokes permissions', 'admin'),
    answer: ['The permission', permissionShape],
    handle: async ({ ledger, world }, { caller, given }) =>
      await ledger.permissions.revoke(given.id, caller.reader, world.now()),
  }),
] as const;

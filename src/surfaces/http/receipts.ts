// The routes of receipts: what was changed, by whom, under which guards.

import { anything, count, describe, listOf, nullable, reply } from '../../core/shape.ts';
import {
  type ChainHead,
  type Envelope,
  type Ledger,
  type Receipt,
  receipt,
  receiptsVerification,
  UnknownReceipt,
} from '../../ledger/index.ts';
import { anyone, type Caller, scoped, verifies } from './callers.ts';
import { route, wholeNumber, withoutLines } from './route.ts';

const receiptPage = reply({
  receipts: listOf(receipt),
  next: describe('The place before which the next ones stand; null where there are no more', nullable(count)),
});

export const receiptRoutes = [
  route('GET /v1/receipts', {
    summary: 'Receipts, newest first',
    access: anyone('viewer'),
    parameters: {
      limit: wholeNumber(1, 1000, 'How many at the most'),
      before: wholeNumber(
        1,
        Number.MAX_SAFE_INTEGER,
        'Only those before this place: the "next" of the answer before',
      ),
    },
    answer: ['Those that the caller may see', receiptPage],
    handle: async ({ ledger }, { caller, given: { limit = 50, before } }) => {
      const place = before === undefined ? {} : { before };
      const { receipts, next } = await ledger.receipts.list({ ...caller.reader, ...place, limit });
      return { receipts: receipts.map((one) => receiptFor(one, caller)), next };
    },
  }),
  route('GET /v1/receipts/verify', {
    summary: 'Check all receipts and the log',
    access: verifies,
    answer: ['What was found', receiptsVerification],
    handle: ({ ledger }) => ledger.verifyReceipts(),
  }),
  route('GET /v1/receipts/chain-head', {
    summary: 'The newest receipt, and signed heads that cover it',
    access: anyone('admin', 'whole'),
    answer: ['To be kept', anything<ChainHead>()],
    handle: ({ ledger }) => ledger.chainHead(),
  }),
  route('GET /v1/receipts/:id', {
    summary: 'One receipt',
    access: anyone('viewer'),
    answer: ['The receipt', receipt],
    handle: async ({ ledger }, { caller, given }) =>
      receiptFor(await receiptNamed(ledger, given.id, caller), caller),
  }),
  route('GET /v1/receipts/:id/export', {
    summary: 'A receipt as a signed in-toto statement',
    access: scoped(['approve', 'admin'], 'this credential may not export receipts', 'viewer'),
    answer: ['A DSSE envelope', anything<Envelope>()],
    handle: async ({ ledger }, { caller, given }) =>
      await ledger.statementOf(await receiptNamed(ledger, given.id, caller)),
  }),
] as const;

export async function receiptNamed(ledger: Ledger, id: string, { reader }: Caller): Promise<Receipt> {
  const found = /^[0-9a-f-]{4,36}$/.test(id) ? await ledger.receipts.find(id, reader) : null;
  if (found === null) throw new UnknownReceipt('there is no one receipt of this id');
  return found;
}

/**
 * Whether an agent calls. It chooses the folder that it calls its workspace, so it learns of its changes and never sees
 * lines of files: a proposal would otherwise read for it what it may not read itself.
 */
export function isAgent({ principal }: Caller): boolean {
  return principal.scope === 'decide';
}

export function receiptFor(one: Receipt, caller: Caller): Receipt {
  return isAgent(caller) ? withoutLines(one) : one;
}

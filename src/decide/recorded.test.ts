// Content that an agent wrote counts as typed until the user accepts exactly that content.

import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openEnrolledLedger, person } from '../../tests/support/ledger.ts';
import { anyOf, type Context, contentEffect, type Permission } from '../core/index.ts';
import { recordedIn } from './recorded.ts';

const context: Context = {
  ...{ user: 'ann', tenant: 'ann', agent: 'claude', session: 's', workspace: '/home/ann/shop' },
  mode: 'auto',
};

test('a permission for a content accepts that content, and nothing else does', async () => {
  const ledger = await openEnrolledLedger();
  const now = Date.now();
  const recorded = recordedIn(
    {
      authored: {
        writtenByAgents: async (some) => some.map(() => true),
        madeBySession: async () => false,
        startedBySession: async () => [],
      },
      permissions: ledger.permissions,
    },
    { now: () => now },
  );
  const texts = ['git push origin main\n', 'git push origin other\n'];
  const asked = async (where: Partial<Context> = {}) =>
    await recorded?.writtenByAgents?.(texts, { ...context, ...where });
  const allow = async (what: Pick<Permission, 'covers' | 'effect'>) => {
    const terms = { session: null, createdAt: now, expiresAt: now + 600_000, uses: null, says: what.effect };
    const { user, tenant, workspace } = context;
    await ledger.permissions.make(
      [{ ...what, ...terms, user, tenant, workspace, agent: anyOf }],
      person,
      now,
    );
  };
  expect(await asked()).toEqual([true, true]);
  await allow({ covers: 'everything', effect: anyOf });
  await allow({ covers: 'pattern', effect: 'run content **' });
  await allow({ covers: 'rule', effect: 'accepted_content' });
  expect(await asked()).toEqual([true, true]);
  await allow({ covers: 'effect', effect: contentEffect(hash('sha256', texts[0] ?? '')) });
  expect(await asked()).toEqual([false, true]);
  expect(await asked({ session: 'other' })).toEqual([false, true]);
  expect(await asked({ workspace: '/home/ann/else' })).toEqual([true, true]);
  expect(await asked({ user: 'bob' })).toEqual([true, true]);
  await ledger.close();
});

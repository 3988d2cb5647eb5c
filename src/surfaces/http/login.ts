// Coming in by name: a user of the configuration opens a session with a passphrase, and every try is on record.

import type { Hono } from 'hono';
import { WrongPassphrase } from '../../config/index.ts';
import type { World } from '../../core/index.ts';
import { object, readShape, text } from '../../core/shape.ts';
import type { Ledger, NewEntry } from '../../ledger/index.ts';
import { readJsonBody } from './body.ts';
import { type Callers, TooManyAttempts } from './callers.ts';
import { sourceOf } from './passphrase.ts';
import type { Surface } from './surface.ts';

/** What opens the session of a user. */
export const loginShape = object({
  name: text({ min: 1, max: 64 }),
  passphrase: text({ min: 1, max: 1024 }),
});

export interface LoginRoutes {
  readonly callers: Callers;
  readonly ledger: Ledger;
  readonly world: World;
  readonly owner: { readonly user: string; readonly tenant: string };
}

const smallBody = 4096;

/** Who came, tried to, or left. */
export function loginEvent(
  type: 'login' | 'login_failed' | 'logout',
  { user, tenant, role }: { readonly user: string; readonly tenant: string; readonly role: string | null },
  now: number,
): NewEntry {
  return { time: now, event_type: type, user, tenant, agent: '', details: role === null ? {} : { role } };
}

/** Adds the routes that are there before the caller is known. */
export function addLogin(app: Hono<Surface>, { callers, ledger, world, owner }: LoginRoutes): void {
  app.get('/v1/session/login', (call) => call.json({ users: callers.hasUsers }));
  app.post('/v1/session/login', async (call) => {
    if (!callers.hasUsers) return call.notFound();
    const { name, passphrase } = readShape(loginShape, await readJsonBody(call.req.raw, smallBody));
    const user = callers.userNamed(name);
    // A name that nobody has may be a passphrase in the wrong field: it is not written down.
    const who = {
      user: user?.name ?? 'nobody',
      tenant: user?.tenant ?? owner.tenant,
      role: user?.role ?? null,
    };
    const source = await sourceOf(call, callers);
    try {
      const { token, lifeMs } = await callers.login(user, passphrase, source);
      try {
        await ledger.audit.append(loginEvent('login', who, world.now()));
      } catch (error) {
        callers.leave(`Bearer ${token}`);
        throw error;
      }
      return call.json({ token, expiresAt: new Date(world.now() + lifeMs).toISOString() });
    } catch (error) {
      // Of those that are refused unread, the first is on record.
      if (error instanceof WrongPassphrase || (error instanceof TooManyAttempts && error.first))
        await ledger.audit.append(loginEvent('login_failed', who, world.now()));
      throw error;
    }
  });
}

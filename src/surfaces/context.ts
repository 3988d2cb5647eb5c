// Who asks and where, for clients whose protocol has no place to say so: from the credential, and from headers of ours.

import type { Config } from '../config/index.ts';
import {
  type Context,
  InputError,
  type MaybePromise,
  NotAllowed,
  type World,
  whenReady,
} from '../core/index.ts';
import type { Asker } from '../decide/index.ts';

export interface ContextParts {
  readonly config: Pick<Config, 'settingsFor'>;
  readonly world: Pick<World, 'realPath'>;
}

/** The context of a request; throws `InputError` or `NotAllowed`. */
export function contextFrom(
  header: (name: string) => string | undefined,
  { user, tenant, agent }: Asker,
  { config, world }: ContextParts,
  session = 'default',
): MaybePromise<Context> {
  const named = header('x-sallyport-agent');
  if (agent !== null && named !== undefined && named !== agent) {
    throw new NotAllowed(`this credential is bound to the agent "${agent}"`);
  }
  const said = header('x-sallyport-workspace') ?? '/';
  const workspace = said === '/' ? said : said.startsWith('/') ? world.realPath(said) : null;
  if (workspace === null) throw new InputError('x-sallyport-workspace names no folder by its absolute path');
  const who = { agent: agent ?? named ?? 'default', workspace };
  return whenReady(config.settingsFor(who), ({ mode }) => ({
    user,
    tenant,
    ...who,
    ...(agent === null ? { agentClaimed: true as const } : {}),
    session: header('x-sallyport-session') ?? session,
    mode,
  }));
}

// From a wire action to the input of `decide()`: the context is completed from the credential and the folder.

import { isAbsolute, resolve } from 'node:path';
import { type Config, isInside } from '../config/index.ts';
import {
  type Action,
  type Context,
  InputError,
  type Mode,
  NotAllowed,
  readAction,
  type WireContext,
  type World,
} from '../core/index.ts';
import type { Principal } from '../ledger/index.ts';

/** The identity of the requester, known before the request is read. */
export type Asker = Pick<Principal, 'user' | 'tenant' | 'agent'>;

export interface Request {
  readonly id?: string | number;
  readonly action: Action;
  readonly context: Context;
}

export interface RequestOptions {
  readonly asker: Asker;
  /** The folder that applies if the request names no workspace; null if it must name one. */
  readonly folder: string | null;
  readonly config: Pick<Config, 'settingsFor'>;
  readonly world: World;
}

/** Reads one request; throws `InputError` or `NotAllowed`. */
export async function readRequest(value: unknown, options: RequestOptions): Promise<Request> {
  const { id, action, context: said = {} } = readAction(value);
  const context = await readContext(said, options);
  return {
    ...(id === undefined ? {} : { id }),
    action: insideWorkspace(action, context.workspace, options.world),
    context,
  };
}

/** The context of a request by its fields and its requester; throws `InputError` or `NotAllowed`. */
export async function readContext(said: WireContext, options: RequestOptions): Promise<Context> {
  const { asker, world } = options;
  if (asker.agent !== null && said.agent !== undefined && said.agent !== asker.agent) {
    throw new NotAllowed(`this credential is bound to the agent "${asker.agent}"`);
  }
  const agent = asker.agent ?? said.agent ?? 'default';
  const workspace = realWorkspace(said.workspace, options.folder, world);
  return {
    user: asker.user,
    tenant: asker.tenant,
    agent,
    ...(asker.agent === null ? { agentClaimed: true } : {}),
    session: said.session ?? 'default',
    workspace,
    mode: said.mode ?? (await configuredMode(options.config, agent, workspace)),
  };
}

function realWorkspace(named: string | undefined, folder: string | null, world: World): string {
  if (named !== undefined && folder === null && !isAbsolute(named)) {
    throw new InputError('"workspace" must be an absolute path', { pointer: '/context/workspace' });
  }
  const path = named === undefined ? folder : resolve(folder ?? '/', named);
  if (path === null) throw new InputError('"workspace" is missing', { pointer: '/context/workspace' });
  const real = world.realPath(path);
  if (real === null) {
    throw new InputError('the workspace does not exist', { pointer: '/context/workspace' });
  }
  return real;
}

/** Returns the action with its `cwd` as a real path, which must be inside the workspace. */
export function insideWorkspace<A extends Action>(action: A, workspace: string, world: World): A {
  if (action.kind !== 'shell' && action.kind !== 'python') return action;
  const cwd = world.realPath(resolve(workspace, action.cwd ?? '.'));
  if (cwd === null || !isInside(workspace, cwd)) {
    throw new InputError('"cwd" does not lie in the workspace', { pointer: '/cwd' });
  }
  return { ...action, cwd };
}

/** The mode in the configuration; a configuration that cannot be used blocks later, in `decide()`. */
async function configuredMode(
  config: RequestOptions['config'],
  agent: string,
  workspace: string,
): Promise<Mode> {
  try {
    return (await config.settingsFor({ agent, workspace })).mode;
  } catch {
    return 'default';
  }
}

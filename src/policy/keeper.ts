// A store of policies other than files: one at a time, each with a version, changed only by a user.

import type { ConfigProblem, PolicySource } from '../config/index.ts';
import { ConflictError, InputError, NotFoundError, type Payload, SallyportError } from '../core/index.ts';
import { baseline } from './baseline.ts';
import { clashes, compileSource } from './compile.ts';

/** No stored policy has this id. */
export class UnknownPolicy extends NotFoundError {}
/** There is a policy of this id already. */
export class PolicyExists extends ConflictError {}
/** The policy is not the one that was seen; it was changed meanwhile. */
export class PolicyChanged extends SallyportError {}

export interface StoredPolicy {
  readonly id: string;
  /** One policy in Cedar. */
  readonly text: string;
  /** Another with every change. */
  readonly version: string;
  readonly updatedAt: number;
  /** The author of its last change; null if the store does not record it. */
  readonly updatedBy: string | null;
}

export interface StoredPolicies {
  /** Another with every change of any of them. */
  readonly version: string;
  /** False: they are not as a user signed them, and nothing is decided by them. */
  readonly signed: boolean;
  readonly policies: readonly StoredPolicy[];
}

/** The author of changes to policies: a user, whose key is open. */
export interface Editor {
  readonly user: string;
  readonly tenant: string;
  readonly sign: (payload: Payload) => string;
  readonly now: number;
}

/** One change; each throws `InputError` for what is no policy, and the errors above. */
export interface PolicyKeeper {
  readonly engine: 'cedar' | 'avp';
  list(): Promise<StoredPolicies>;
  /** Without an id, the keeper or the policy's own `@id` names it. */
  create(id: string | undefined, text: string, by: Editor): Promise<StoredPolicy>;
  /** `version` is the one that was seen. */
  update(id: string, text: string, version: string, by: Editor): Promise<StoredPolicy>;
  remove(id: string, version: string, by: Editor): Promise<void>;
}

/** A set of policies as it was stored at some time. */
export interface StoredPolicyVersion extends StoredPolicies {
  readonly madeAt: number;
  readonly madeBy: string;
}

/** A stored policy in the engine's format. */
export function sourceOf({ id, text }: Pick<StoredPolicy, 'id' | 'text'>): PolicySource {
  return { name: `kept/${id}`, id, text, workspace: false };
}

/** Everything that is wrong with a policy, alone and beside the others. */
export async function problemsOf(
  source: PolicySource,
  others: readonly PolicySource[],
): Promise<readonly ConfigProblem[]> {
  const read = await Promise.all([baseline, ...others, source].map(compileSource));
  const own = read.at(-1)?.problems ?? [];
  return [
    ...own.map(({ line, column, message }) => ({ line, column, message })),
    ...clashes(read).map((message) => ({ line: 1, column: 1, message })),
  ];
}

/** Throws `InputError` with everything that is wrong with a policy. */
export async function requirePolicy(source: PolicySource, others: readonly PolicySource[]): Promise<void> {
  const problems = await problemsOf(source, others);
  if (problems.length === 0) return;
  const said = problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  throw new InputError(said.join('\n'), { pointer: '/text' });
}

/** The name of a policy by its annotation, if any. */
export async function ownId(text: string): Promise<string | undefined> {
  const { loadCedar } = await import('./schema.ts');
  const read = (await loadCedar()).policyToJson(text);
  return read.type === 'success' ? read.json.annotations?.['id'] : undefined;
}

// Judges an action by policy: every part is a request, a forbid that applies is a finding, an error refuses.

import type { PolicySource, Settings } from '../config/index.ts';
import type { Context, Finding } from '../core/index.ts';
import { baseline, permitByDefault } from './baseline.ts';
import { loadCedar } from './cedar.ts';
import { compileAll } from './compile.ts';
import { PolicySet } from './engine.ts';
import { type Placed, type Request, requestsOf } from './request.ts';
import type { Answer, Asked, Question } from './types.ts';

/** The sets by the files that they were made of; a changed file makes another list. */
const sets = new WeakMap<readonly PolicySource[], Promise<PolicySet>>();

function setOf(sources: readonly PolicySource[]): Promise<PolicySet> {
  let set = sets.get(sources);
  if (set === undefined) {
    set = compileAll([baseline, ...sources]).then(
      async (policies) => new PolicySet(await loadCedar(), policies),
    );
    sets.set(sources, set);
    set.catch(() => sets.delete(sources));
  }
  return set;
}

/** Asks the policies about every part; throws if one of them cannot be read or evaluated. */
export async function judgeByPolicy(
  question: Question,
  context: Context,
  { policy: { sources, fallback } }: Pick<Settings, 'policy'>,
): Promise<Answer> {
  const set = await setOf(sources);
  const judged = requestsOf(question, context).map((request) => judgeRequest(set, request, fallback));
  const findings = new Map<string, Finding>();
  for (const { found } of judged) {
    for (const finding of found) findings.set(`${finding.rule} ${finding.pointer ?? ''}`, finding);
  }
  return { findings: [...findings.values()], asked: judged.map(({ asked }) => asked) };
}

function judgeRequest(
  set: PolicySet,
  request: Request,
  fallback: 'permit' | 'deny',
): { readonly found: readonly Finding[]; readonly asked: Asked } {
  const inScope = set.slice(request);
  const slice =
    fallback === 'permit' ? inScope : inScope.filter((at) => set.policies[at]?.id !== permitByDefault);
  const { allowed, determined } = set.evaluate(request, slice);
  const forbids = allowed ? [] : determined.map((id) => set.get(id));
  const found = forbids.map(({ id, decision, message }): Finding => at(request, id, decision, message));
  // A forbid that only asks must not turn what nothing permits into a question.
  const asksOnly = forbids.every(({ decision }) => decision === 'approve');
  if (!allowed && asksOnly && !isPermitted(set, request, slice)) {
    found.push(at(request, 'default_deny', 'block', `no policy permits ${sentence(request)}`));
  }
  const block = found.some(({ decision }) => decision === 'block');
  return {
    found,
    asked: {
      pointer: request.pointer,
      principal: shown(request.principal),
      action: request.action,
      resource: shown(request.resource),
      considered: slice.length,
      policies: set.policies.length,
      decision: found.length === 0 ? 'permit' : block ? 'block' : 'approve',
      determined,
    },
  };
}

/** Whether some policy of the slice permits the request, whatever others forbid. */
function isPermitted(set: PolicySet, request: Request, slice: readonly number[]): boolean {
  const permits = slice.filter((at) => set.policies[at]?.effect === 'permit');
  return set.evaluate(request, permits).allowed;
}

function at({ pointer }: Request, rule: string, decision: 'approve' | 'block', message: string): Finding {
  return { rule, guard: 'policy', decision, message, ...(pointer === '' ? {} : { pointer }) };
}

function sentence({ principal, action, resource }: Request): string {
  return `${action} on ${shown(resource)} by ${shown(principal)}`;
}

function shown({ entity: { type, id } }: Placed): string {
  return `${type}::${JSON.stringify(id)}`;
}

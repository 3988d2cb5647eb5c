// Judges an action by policy: every child action is a request, a matching forbid is a finding, an error refuses. All
// levels are evaluated at once: built-in policies, those that allow the sources of queries, and user-defined ones.

import type { PolicySource, Settings } from '../config/index.ts';
import { type Context, type Finding, type MaybePromise, messageOf, whenReady } from '../core/index.ts';
import type { StoreAnswer } from './avp.ts';
import { baseline, permitByDefault } from './baseline.ts';
import { type CompiledPolicy, compileAll } from './compile.ts';
import { EvaluationError, PolicySet } from './engine.ts';
import { type AskedOf, askedOf, type Placed, type Request, requestsOf } from './request.ts';
import { codeMode, loadCedar } from './schema.ts';
import { serverPolicies } from './server.ts';
import type { Answer, Asked, Question } from './types.ts';

/** The sets by the files and the sources that they were made of; a changed file makes another list. */
const sets = new WeakMap<readonly PolicySource[], WeakMap<PolicySource, MaybePromise<PolicySet>>>();

function setOf(written: readonly PolicySource[], sources: Settings['sources']): MaybePromise<PolicySet> {
  const server = sources.length === 0 ? null : serverPolicies(sources);
  const known = sets.get(written) ?? new WeakMap<PolicySource, MaybePromise<PolicySet>>();
  sets.set(written, known);
  const found = known.get(server ?? baseline);
  if (found !== undefined) return found;
  const making = compileAll([baseline, ...(server === null ? [] : [server]), ...written]).then(
    async (policies) => new PolicySet(await loadCedar(), policies),
  );
  known.set(server ?? baseline, making);
  making.then(
    (set) => known.set(server ?? baseline, set),
    () => known.delete(server ?? baseline),
  );
  return making;
}

/** Asks the policies about every part; throws if one of them cannot be read or evaluated. */
export function judgeByPolicy(
  question: Question,
  context: Context,
  settings: Pick<Settings, 'policy' | 'sources'>,
): MaybePromise<Answer> {
  return judgeAsked(askedOf(question, context.workspace), question.findings, context, settings);
}

type AskingContext = Parameters<typeof requestsOf>[1];

/** The relevant parts of the guards' findings. */
type Stopped = Pick<Finding, 'decision' | 'pointer'> & { readonly guard: string };

/** Number of cached complete answers, and the longest question of one. */
const answers = new WeakMap<PolicySet, Map<string, Answer>>();
const mostAnswers = 2048;
const longestQuestion = 2048;

/** The same of what policies look at, as it was recorded. */
export function judgeAsked(
  asked: AskedOf,
  found: readonly Stopped[],
  context: AskingContext,
  settings: Pick<Settings, 'policy' | 'sources'>,
): MaybePromise<Answer> {
  const { sources: written, fallback, store } = settings.policy;
  return whenReady(setOf(written, settings.sources), (set) => {
    const anew = () => judgeAnew(set, asked, found, context, settings);
    // A query is answered by its source and by a store as well, and by what was found of it.
    if (store !== undefined || asked.parts.some(({ kind }) => kind === 'query')) return anew();
    const { user, tenant, agent, workspace, mode } = context;
    const question = JSON.stringify([fallback, user, tenant, agent, workspace, mode, asked]);
    const kept = answers.get(set) ?? new Map<string, Answer>();
    answers.set(set, kept);
    const known = kept.get(question);
    if (known !== undefined) return known;
    return anew().then((answer) => {
      if (kept.size >= mostAnswers) kept.clear();
      if (question.length <= longestQuestion) kept.set(question, answer);
      return answer;
    });
  });
}

async function judgeAnew(
  set: PolicySet,
  asked: AskedOf,
  found: readonly Stopped[],
  context: AskingContext,
  { policy: { fallback, store }, sources }: Pick<Settings, 'policy' | 'sources'>,
): Promise<Answer> {
  const requests = requestsOf(asked, context, sources);
  const stored =
    store === undefined
      ? []
      : await Promise.all(requests.map((one) => (isQuery(one) ? askStore(store, one) : nothing)));
  const judged = requests.map((request, at) => {
    const answer = judgeRequest(set, request, fallback, stored[at] ?? nothing);
    return isRefused(request, found) ? { ...answer, found: answer.found.filter(isWritten) } : answer;
  });
  const findings = new Map<string, Finding>();
  for (const answer of judged) {
    for (const { finding } of answer.found) findings.set(`${finding.rule} ${finding.pointer ?? ''}`, finding);
  }
  return { findings: [...findings.values()], asked: judged.map((answer) => answer.asked) };
}

/** The value if no policy store is configured. */
const nothing: StoreAnswer = { allowed: false, forbids: [], determined: [] };

/** The policy store's result, or why there is none. */
async function askStore(
  store: NonNullable<Settings['policy']['store']>,
  request: Request,
): Promise<StoreAnswer | EvaluationError> {
  // INVARIANT: without a stamp a token would be bound to unknown policies.
  if (store.stamp === null) return new EvaluationError('the policy store cannot be asked');
  const { avpFor } = await import('./avp.ts');
  try {
    return await avpFor(store).evaluate(request);
  } catch (error) {
    return error instanceof EvaluationError ? error : new EvaluationError(messageOf(error), { cause: error });
  }
}

/** A finding, and whether it comes from a user's policy. */
interface Found {
  readonly finding: Finding;
  readonly written: boolean;
}

function isWritten({ written }: Found): boolean {
  return written;
}

/**
 * Whether the guard has refused the query: then its findings already include those of ours and the sources' policies.
 */
function isRefused({ pointer }: Request, findings: readonly Stopped[]): boolean {
  return findings.some(
    (finding) =>
      finding.guard === 'query' &&
      finding.decision === 'block' &&
      finding.pointer?.startsWith(`${pointer}/`) === true,
  );
}

function judgeRequest(
  set: PolicySet,
  request: Request,
  fallback: 'permit' | 'deny',
  stored: StoreAnswer | EvaluationError,
): { readonly found: readonly Found[]; readonly asked: Asked } {
  const slice = set.slice(request).filter((at) => counts(set.policies[at], fallback));
  const { found, determined } = answered(set, request, slice, stored);
  const block = found.some(({ finding }) => finding.decision === 'block');
  return {
    found,
    asked: {
      pointer: request.pointer,
      principal: shown(request.principal),
      action: request.action.id,
      resource: shown(request.resource),
      considered: slice.length,
      policies: set.policies.length,
      decision: found.length === 0 ? 'permit' : block ? 'block' : 'approve',
      determined,
    },
  };
}

/** With the default "deny" only a user's policy permits anything. */
function counts(policy: CompiledPolicy | undefined, fallback: 'permit' | 'deny'): boolean {
  if (fallback === 'permit' || policy === undefined) return true;
  return policy.id !== permitByDefault && !(policy.level === 'server' && policy.effect === 'permit');
}

function answered(
  set: PolicySet,
  request: Request,
  slice: readonly number[],
  stored: StoreAnswer | EvaluationError,
): { readonly found: readonly Found[]; readonly determined: readonly string[] } {
  try {
    if (stored instanceof EvaluationError) throw stored;
    const { allowed, determined } = set.evaluate(request, slice);
    const own = allowed ? [] : determined.map((id) => set.get(id));
    const found: Found[] = [
      ...own.map((policy) => ({ finding: hit(request, policy), written: policy.level === 'custom' })),
      ...stored.forbids.map((policy) => ({ finding: hit(request, policy), written: true })),
    ];
    // A forbid that only asks must not turn what nothing permits into a question.
    const asksOnly = found.every(({ finding }) => finding.decision === 'approve');
    if (asksOnly && !allowed && !stored.allowed && !isPermitted(set, request, slice)) {
      const finding = at(request, 'default_deny', 'block', `no policy permits ${sentence(request)}`);
      found.push({ finding, written: false });
    }
    return { found, determined: [...determined, ...stored.determined] };
  } catch (error) {
    // The answer to a query names its error; any other action is refused by the request path.
    if (!(error instanceof EvaluationError) || !isQuery(request)) throw error;
    const finding = at(request, 'evaluation_error', 'block', error.message);
    return { found: [{ finding, written: true }], determined: [] };
  }
}

function hit(request: Request, { id, decision, message }: StoreAnswer['forbids'][number]): Finding {
  return at(request, id, decision, message);
}

function isQuery({ action }: Request): boolean {
  return action.type === `${codeMode}::Action`;
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
  return `${action.id} on ${shown(resource)} by ${shown(principal)}`;
}

function shown({ entity: { type, id } }: Placed): string {
  return `${type}::${JSON.stringify(id)}`;
}

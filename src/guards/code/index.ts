// The code guard: judges code that a model wrote to call tools. It may name what it declares, the language and tools.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Facts, Finding, Guard, GuardInput, Judgement } from '../../core/index.ts';
import { codeFindings, codeRules, noReaderFinding, placeIn, reasonOf, sizeFinding } from './rules.ts';

/** Judges code before it runs; each call that it makes is an action of its own. */
export const codeGuard: Guard<'code', Settings> = {
  name: 'code',
  kinds: ['code'],
  rules: codeRules,
  check,
};

async function check(action: ActionOf<'code'>, input: GuardInput<Settings>): Promise<Judgement<'code'>> {
  const { source } = action;
  const { budget, settings, world } = input;
  const size = sizeFinding(source);
  if (size !== undefined) return judgement(source, [size], {});
  const read = (await world.readers?.code?.()) ?? null;
  if (read === null) return judgement(source, [noReaderFinding], {});
  // Loaded with the first code: other actions do not pay for it.
  const [{ readFacts }, { namespacesOf }] = await Promise.all([import('./facts.ts'), import('./tools.ts')]);
  // Where the action names no tools, those that are registered with a server are meant.
  const tools =
    action.tools ??
    settings.tools.flatMap(({ server, name }) => (server === undefined ? [] : [`${server}.${name}`]));
  const facts = readFacts(source, action.language ?? 'ts', namespacesOf(tools), read, () => budget.spend());
  const findings = codeFindings(source, facts);
  const known: Facts = { calls: facts.calls, unbounded: facts.repeated !== null };
  const rewritten =
    facts.text === source ? undefined : { ...action, language: 'js' as const, source: facts.text };
  const judged = judgement(source, findings, known);
  return rewritten === undefined ? judged : { ...judged, rewritten };
}

/** `reason` is what a run that is refused says; `violations` say where. */
function judgement(source: string, findings: readonly Finding[], facts: Facts): Judgement<'code'> {
  const blocks = findings.filter(({ decision }) => decision === 'block');
  const [first] = blocks;
  return {
    facts: {
      ...facts,
      chars: source.length,
      ...(first === undefined ? {} : { reason: reasonOf(first) }),
      ...(blocks.length === 0
        ? {}
        : {
            violations: blocks.slice(0, 100).map((finding) => ({
              rule: finding.rule,
              ...placeIn(source, finding.span?.[0] ?? 0),
            })),
          }),
    },
    findings,
    // What it does, its calls do; that it may make any is reason enough to record it first.
    sideEffect: true,
  };
}

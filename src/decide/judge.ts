// Steps 1 and 2 of the path: expand an action into its parts, and let each part's guards judge it.

import type { Settings } from '../config/index.ts';
import {
  type Action,
  Budget,
  BudgetExceeded,
  type Context,
  type Facts,
  type Finding,
  type GuardInput,
  type Judgement,
  type Kind,
  type Origins,
  SallyportError,
  type World,
} from '../core/index.ts';
import type { AnyGuard } from '../guards/index.ts';
import type { Part } from '../policy/index.ts';
import { pathFinding, pathRules } from './rules.ts';

/** Steps that all guards together may take for one action. */
const stepBudget = 2_000_000;
/** How deep actions may lie inside one another, and how many there may be in all. */
const deepest = 8;
const mostParts = 256;

/** What the guards made of an action and everything inside it. */
export interface Judged {
  readonly action: Action;
  readonly facts: Facts;
  readonly findings: readonly Finding[];
  readonly sideEffect: boolean;
  /** The action and everything inside it, outermost first, for the policy. */
  readonly parts: readonly Part[];
  /** Guards that threw, by name of guard and of error. */
  readonly errors: readonly { readonly guard: string; readonly error: string }[];
}

export type GuardTable = ReadonlyMap<Kind, readonly AnyGuard[]>;

/** The guards of each kind, in the order of the list. */
export function guardTable(guards: readonly AnyGuard[]): GuardTable {
  const table = new Map<Kind, AnyGuard[]>();
  for (const guard of guards) {
    for (const kind of guard.kinds) table.set(kind, [...(table.get(kind) ?? []), guard]);
  }
  return table;
}

/** What every guard is handed for one action; the budget is shared by all of them. */
export function guardInput(
  context: Context,
  settings: Settings,
  world: World,
  granted: (effect: string) => boolean,
  origins: Origins | null = null,
): GuardInput<Settings> {
  return { context, settings, world, granted, origins, budget: new Budget(stepBudget) };
}

/** The name of anything thrown, for records that must not hold its text. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** The text of an error of ours; that of a foreign one may hold a payload and is not shown. */
export function detailOf(error: unknown): string | undefined {
  return error instanceof SallyportError ? error.message : undefined;
}

/** The finding for a guard that threw. */
export function errorFinding(guard: string, error: unknown): Finding {
  if (error instanceof BudgetExceeded) return pathFinding(pathRules.budgetExceeded, error.message);
  return pathFinding(pathRules.guardError, `guard ${guard}`);
}

/**
 * Judges an action and the actions inside it.
 * INVARIANT: never throws, and an action that no guard judged, or whose guard failed, holds a `block`.
 */
export async function judge(table: GuardTable, action: Action, input: GuardInput<Settings>): Promise<Judged> {
  const findings: Finding[] = [];
  const errors: { guard: string; error: string }[] = [];
  const parts: Part[] = [];

  async function part(
    whole: Action,
    pointer: string,
    depth: number,
  ): Promise<{ action: Action; facts: Facts }> {
    const place = parts.length;
    parts.push({ pointer, action: whole, facts: {}, sideEffect: true });
    const guards = table.get(whole.kind) ?? [];
    if (guards.length === 0) findings.push(placed(pathFinding(pathRules.noGuard, whole.kind), pointer));
    let current = whole;
    let facts: Facts = {};
    let sideEffect = false;
    for (const guard of guards) {
      try {
        for (const child of guard.expand?.(current) ?? []) {
          if (depth >= deepest || parts.length >= mostParts) {
            findings.push(placed(pathFinding(pathRules.tooDeep), pointer));
            break;
          }
          const judged = await part(child.action, pointer + child.pointer, depth + 1);
          if (judged.action !== child.action) current = child.replace(current, judged.action);
        }
        const answer = guard.check(current, input);
        const judgement: Judgement = answer instanceof Promise ? await answer : answer;
        if (judgement.facts !== undefined) facts = { ...facts, ...judgement.facts };
        for (const finding of judgement.findings) findings.push(placed(finding, pointer));
        sideEffect ||= judgement.sideEffect;
        current = judgement.rewritten ?? current;
      } catch (error) {
        findings.push(placed(errorFinding(guard.name, error), pointer));
        errors.push({ guard: guard.name, error: nameOf(error) });
        sideEffect = true;
      }
    }
    parts[place] = { pointer, action: current, facts, sideEffect };
    return { action: current, facts };
  }

  const judged = await part(action, '', 0);
  return { ...judged, findings, sideEffect: parts.some((each) => each.sideEffect), parts, errors };
}

function placed(finding: Finding, pointer: string): Finding {
  return pointer === '' ? finding : { ...finding, pointer: pointer + (finding.pointer ?? '') };
}

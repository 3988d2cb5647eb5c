// The data that a policy in Cedar's JSON form reads: what the engine needs for it, and what its answer depends on.

import { isJsonObject } from '../core/index.ts';

/** The context members that some conditions of a request read. */
export interface ContextUse {
  /** The members that the engine needs. */
  readonly members: ReadonlySet<string>;
  /** Those whose value counts. */
  readonly values: ReadonlySet<string>;
  /** Numbers that are only compared with each other: which is the larger one is all that counts of them. */
  readonly compared: readonly Comparison[];
}

/** Two places in the context, as the names that lead there. */
type Comparison = readonly [left: readonly string[], right: readonly string[]];

const comparisons: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** The context members that conditions read, anywhere; null if they use the context as a whole. */
export function contextUse(conditions: unknown): ContextUse | null {
  const members = new Set<string>();
  const values = new Set<string>();
  const compared: Comparison[] = [];
  const note = ([name]: readonly string[], counts: boolean) => {
    if (name === undefined) return;
    members.add(name);
    if (counts) values.add(name);
  };
  const walk = (form: unknown): boolean => {
    if (Array.isArray(form)) return form.every(walk);
    if (!isJsonObject(form)) return true;
    return Object.entries(form).every(([operator, given]) => {
      const { left, right } = isJsonObject(given) ? given : {};
      const [one, other] = [pathOf(left), pathOf(right)];
      if (comparisons.has(operator) && one !== null && other !== null && one.length * other.length > 0) {
        for (const path of [one, other]) note(path, false);
        compared.push([one, other]);
        return true;
      }
      const path = pathOf({ [operator]: given });
      if (path === null) return walk(given);
      note(path, true);
      return path.length > 0;
    });
  };
  return walk(conditions) ? { members, values, compared } : null;
}

/** The names that lead from the context to what an expression gives; null if it is no such expression. */
function pathOf(expression: unknown): readonly string[] | null {
  if (!isJsonObject(expression)) return null;
  if (expression['Var'] === 'context') return [];
  const access = expression['.'] ?? expression['has'];
  if (!isJsonObject(access) || typeof access['attr'] !== 'string') return null;
  const before = pathOf(access['left']);
  return before === null ? null : [...before, access['attr']];
}

/** The combined reads of some policies; null if one of them uses the context as a whole. */
export function allUses(uses: readonly (ContextUse | null)[]): ContextUse | null {
  const known = uses.filter((use) => use !== null);
  if (known.length < uses.length) return null;
  return {
    members: new Set(known.flatMap(({ members }) => [...members])),
    values: new Set(known.flatMap(({ values }) => [...values])),
    compared: known.flatMap(({ compared }) => compared),
  };
}

/** Whether a policy has an `in` anywhere, in its scope or its conditions. */
export function asksWhatIsIn(form: unknown): boolean {
  if (Array.isArray(form)) return form.some(asksWhatIsIn);
  if (!isJsonObject(form)) return false;
  return (
    form['op'] === 'in' || Object.entries(form).some(([key, value]) => key === 'in' || asksWhatIsIn(value))
  );
}

// Where a check should be: at a check that does not work, where one was, beside its siblings, or before the value goes on.

import { unchanged, yielded } from './flow/labels.ts';
import type { Machine } from './flow/machine.ts';
import type { Reach } from './flow/reach.ts';
import type { Block, Callable, Module } from './ir.ts';
import { plainName } from './lower/go/names.ts';
import { eachExpression, written } from './program.ts';
import { decideAddress, decideKinds, type Kinds, kinds } from './roles/guards.ts';
import type { Judgement } from './rules/index.ts';
import type { GuardSite, GuardUse, Label, Place, Step, Tag } from './value.ts';

const starts = new WeakMap<Module, readonly number[]>();

/** The text of a line, as far as anybody would read it. */
export function lineText(module: Module, line: number): string {
  const from = startsOf(module)[line - 1] ?? 0;
  const end = module.source.indexOf('\n', from);
  return module.source
    .slice(from, end < 0 ? undefined : end)
    .trim()
    .slice(0, 200);
}

function startsOf(module: Module): readonly number[] {
  let lines = starts.get(module);
  if (lines === undefined) {
    const found = [0];
    for (let end = module.source.indexOf('\n'); end >= 0; end = module.source.indexOf('\n', end + 1))
      found.push(end + 1);
    lines = found;
    starts.set(module, found);
  }
  return lines;
}

/** The line and column of an offset, both from 1. */
export function lineAt(module: Module, at: number): { readonly line: number; readonly column: number } {
  const lines = startsOf(module);
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: at - (lines[low] ?? 0) + 1 };
}

function related(a: Label, b: Label): boolean {
  for (let at: Label | null = a; at !== null; at = at.parent) if (at === b) return true;
  for (let at: Label | null = b; at !== null; at = at.parent) if (at === a) return true;
  return a.place === b.place && a.name === b.name;
}

function concerns({ labels }: Pick<GuardUse, 'labels'>, tag: Tag | null): boolean {
  return tag === null || labels.some((label) => related(label, tag.label));
}

/** The guard that was called on the way and yet does not hold. */
export function flawedUse(
  { missing, tag }: Judgement,
  { attempts, place }: Reach,
  all: Iterable<GuardUse> = [],
): GuardUse | undefined {
  const meant = (use: GuardUse) =>
    (use.guard.kinds & missing) !== 0 && (use.guard.kinds === kinds.snapshot || concerns(use, tag));
  const steps = stepsOf(tag);
  const end = steps.findLast(({ what }) => what === yielded)?.place ?? place;
  const opened = attempts.filter(meant);
  // Opening a stream checks nothing yet.
  const pieces = opened.filter(({ guard }) => guard.form !== 'stream');
  const called = pieces.length > 0 ? pieces : opened;
  const before = called.findLast((use) => use.place.module !== end.module || use.place.at < end.at);
  const [behind] = called.toSorted((a, b) => a.place.at - b.place.at);
  if (before !== undefined || behind !== undefined) return before ?? behind;
  // What an earlier call left behind was checked then, or not well enough.
  const left = steps.find(({ what }) => what === 'put in here')?.place;
  if (left === undefined || callableAt(left) === callableAt(place)) return undefined;
  return [...all].findLast(
    (use) => meant(use) && stands(use.place, callableAt(left)) && use.place.at < left.at,
  );
}

/** Guards that belong together: where one stands, the others belong. */
const layers: readonly Kinds[] = [
  kinds.injection | kinds.pii,
  kinds.secrets | kinds.policy,
  kinds.tool | kinds.approval,
];

/** So many lines between the first and the last place that would do are near enough to take the middle. */
const near = 6;

export class Locator {
  readonly #machine: Machine;
  /** What is called in comments, and guards in the code that are not reached or look at nothing from outside. */
  readonly #comments = new Map<Module, readonly Named[]>();
  readonly #calls = new Map<Module, readonly Named[]>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  #commentsIn(module: Module): readonly Named[] {
    return blocksOf(module).flatMap(({ text, at }) => {
      const named = this.#kindsIn(module, text);
      return named === 0 ? [] : [{ place: { module, at }, kinds: named }];
    });
  }

  #callsIn(module: Module): readonly Named[] {
    const found: Named[] = [];
    eachExpression(module.body, (part) => {
      if (part.kind !== 'call') return;
      const use = this.#machine.uses.get(part);
      if (use !== undefined && use.labels.length > 0) return;
      const guard = this.#machine.guardNamed(module, written(part.callee));
      const text = module.source.slice(part.at, part.end);
      const asked = decideAddress.test(text) && !/=>|function|lambda/.test(text);
      const named = asked
        ? this.#kindsIn(module, text)
        : guard === null || guard.form === 'stream'
          ? 0
          : guard.kinds;
      if (named !== 0) found.push({ place: { module, at: part.at }, kinds: named });
    });
    return found;
  }

  place(judgement: Judgement, reach: Reach): Place {
    const flawed = flawedUse(judgement, reach, this.#machine.uses.values());
    if (flawed !== undefined) return flawPlace(flawed, judgement, reach);
    const { tag } = judgement;
    return (
      this.#nearby(this.#comments, (module) => this.#commentsIn(module), judgement, reach) ??
      this.#nearby(this.#calls, (module) => this.#callsIn(module), judgement, reach) ??
      givenBack(tag) ??
      sibling(judgement, reach) ??
      (reach.sink === 'prompt' ? leaves(tag) : undefined) ??
      between(tag, reach)
    );
  }

  /** What a comment would call, were it code. */
  #kindsIn(module: Module, text: string): Kinds {
    let found = 0;
    for (const [, name = ''] of text.matchAll(/([A-Za-z_][\w.]*)\s*\(/g)) {
      const known = module.language === 'go' ? name.split('.').map(plainName).join('.') : name;
      const guard = this.#machine.guardNamed(module, known);
      if (guard !== null && guard.form !== 'stream') found |= guard.kinds;
    }
    if (decideAddress.test(text))
      for (const [, kind = ''] of text.matchAll(/["']?kind["']?\s*:\s*["'](\w+)["']/g))
        found |= decideKinds[kind] ?? 0;
    return found;
  }

  /** What names the missing guard in a function that the value goes through. */
  #nearby(
    known: Map<Module, readonly Named[]>,
    look: (module: Module) => readonly Named[],
    { missing, tag }: Judgement,
    reach: Reach,
  ): Place | undefined {
    const places = [...reach.chain, ...stepsOf(tag).map(({ place }) => place)];
    const callables = places.map(callableAt);
    const modules = new Set(places.map(({ module }) => module));
    // In the order in which they were read.
    for (const module of this.#machine.program.modules) {
      if (!modules.has(module)) continue;
      const named = known.get(module) ?? look(module);
      known.set(module, named);
      const found = named.find(
        ({ place, kinds: guarded }) =>
          (guarded & missing) !== 0 && callables.some((callable) => stands(place, callable)),
      );
      if (found !== undefined) return found.place;
    }
    return undefined;
  }
}

/** A guard that is named at a place. */
interface Named {
  readonly place: Place;
  readonly kinds: Kinds;
}

/** Whether a place is in a function, or in one inside it; at the top of a module only what is in no function. */
function stands(place: Place, callable: Callable | Module): boolean {
  if (!('end' in callable)) return callableAt(place) === callable;
  return callable.module === place.module && callable.at <= place.at && place.at < callable.end;
}

/** Comments on lines that follow each other, as one. */
function blocksOf(module: Module): readonly { readonly text: string; readonly at: number }[] {
  const blocks: { text: string; at: number; last: number }[] = [];
  for (const { text, at } of module.comments.toSorted((a, b) => a.at - b.at)) {
    const { line } = lineAt(module, at);
    const before = blocks.at(-1);
    if (before !== undefined && line === before.last + 1) {
      before.text += `\n${text}`;
      before.last = line;
    } else blocks.push({ text, at, last: line });
  }
  return blocks;
}

function stepsOf(tag: Tag | null): readonly Step[] {
  const steps: Step[] = [];
  for (let step = tag?.step ?? null; step !== null; step = step.before) steps.unshift(step);
  return steps;
}

/** The function that a place is in. */
function callableAt({ module, at }: Place): Callable | Module {
  let found: Callable | undefined;
  for (const callable of module.callables) {
    if (callable.at <= at && at < callable.end && (found === undefined || callable.at >= found.at))
      found = callable;
  }
  return found ?? module;
}

/** At the guard, if it did not hold where it stands; else where the way with it and the way without it part. */
function flawPlace(use: GuardUse, { tag, missing }: Judgement, reach: Reach): Place {
  const { guard, place } = use;
  const broken =
    use.shadowed || use.swallowed || (!use.tested && guard.form === 'result' && guard.values === undefined);
  const site = use.sites.findLast((one) => concerns(one, tag));
  const aCut = site?.labels.every(({ cut }) => cut === true) === true;
  if (broken || site === undefined || aCut) return place;
  if (site.started !== null && isLeftAlone(site, reach)) return site.started;
  if (isBehind(place, tag, reach.place)) return reach.place;
  const holds = site.held !== null && (site.held & missing) === (guard.kinds & missing);
  const apart = holds ? partOf(site.chain, reach.chain) : undefined;
  return apart ?? (use.tested ? { module: place.module, at: use.end } : place);
}

/** Whether the guard runs in a task that nobody waits for, and that what it should guard is no part of. */
export function isLeftAlone({ started }: GuardSite, { chain }: Reach): boolean {
  return started !== null && !chain.some(({ module, at }) => module === started.module && at === started.at);
}

/**
 * Whether a place comes too late for what happens at another: it stands behind it in the same function, and the value
 * does not come round to it by a loop.
 */
function isBehind(place: Place, tag: Tag | null, sink: Place): boolean {
  const callable = callableAt(sink);
  const later = (one: Place) => callableAt(one) === callable && one.at > sink.at;
  return later(place) && !stepsOf(tag).some((step) => later(step.place));
}

/** The statement by which a way leaves another, unless they are in one function. */
function partOf(chain: readonly Place[], other: readonly Place[]): Place | undefined {
  const apart = chain.findIndex(
    (one, index) => other[index]?.at !== one.at || other[index]?.module !== one.module,
  );
  return apart >= 0 && apart < chain.length - 1 ? chain[apart] : undefined;
}

/** A function through which the value came as it went in. */
function givenBack(tag: Tag | null): Place | undefined {
  return stepsOf(tag).findLast(({ what }) => what === unchanged)?.place;
}

function sibling({ missing, tag }: Judgement, { attempts, chain, place }: Reach): Place | undefined {
  const layer = layers.find((one) => (one & missing) !== 0);
  if (layer === undefined) return undefined;
  const use = attempts.findLast(
    (one) => (one.guard.kinds & layer) !== 0 && !one.shadowed && concerns(one, tag),
  );
  if (use === undefined) return undefined;
  // In a function that the value does not come out of, it stands for the call of that function.
  const callable = callableAt(use.place);
  const through = stepsOf(tag).some(({ place }) => callableAt(place) === callable);
  const site = use.sites.findLast((one) => concerns(one, tag));
  const apart = through || site === undefined ? undefined : partOf(site.chain, chain);
  const lines = lineAt(place.module, place.at).line - lineAt(use.place.module, use.end).line;
  // What only one of several calls needs, stands with that one.
  if (missing === kinds.approval && callable === callableAt(place) && lines > near) return undefined;
  return apart ?? { module: use.place.module, at: use.end };
}

/** Where the value is first put into something or handed on. */
function leaves(tag: Tag | null): Place | undefined {
  return stepsOf(tag).find(({ what }) => what === 'put in here' || what.startsWith('handed to'))?.place;
}

/** Between where the function first has the value and where it lets it go. */
function between(tag: Tag | null, { place: sink }: Reach): Place {
  const place = stepsOf(tag).findLast(({ what }) => what === yielded)?.place ?? sink;
  const callable = callableAt(place);
  const first = stepsOf(tag).find(
    (step) => step.place.at < place.at && callableAt(step.place) === callable && step.before !== null,
  );
  if (first === undefined || !('body' in callable)) return place;
  const from = lineAt(place.module, first.place.at).line;
  const to = lineAt(place.module, place.at).line;
  if (to - from > near) return place;
  const middle = Math.ceil((from + to) / 2);
  const distance = (at: number) => Math.abs(lineAt(place.module, at).line - middle);
  const inside = statementsIn(callable.body).filter((at) => at > first.place.at && at <= place.at);
  const at = inside.reduce((best, one) => (distance(one) < distance(best) ? one : best), place.at);
  return { module: place.module, at };
}

function statementsIn(block: Block): readonly number[] {
  return block.flatMap((statement): readonly number[] => {
    switch (statement.kind) {
      case 'branch':
        return [statement.at, ...statementsIn(statement.yes), ...statementsIn(statement.no)];
      case 'switch':
        return [statement.at, ...statement.arms.flatMap(({ body }) => statementsIn(body))];
      case 'while':
      case 'each':
        return [statement.at, ...statementsIn(statement.body)];
      case 'try':
        return [
          statement.at,
          ...statementsIn(statement.body),
          ...statementsIn(statement.handler ?? []),
          ...statementsIn(statement.last),
        ];
      default:
        return [statement.at];
    }
  });
}

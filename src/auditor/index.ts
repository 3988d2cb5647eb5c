// The static auditor: proves that the guards of the contract stand on every way through an agent, says where one is
// missing, or says that it cannot tell.

import { Machine } from './flow/machine.ts';
import type { Reach } from './flow/reach.ts';
import { walker } from './flow/walker.ts';
import type { Module } from './ir.ts';
import { languageOf } from './languages.ts';
import { flawedUse, isLeftAlone, Locator, lineAt, lineText } from './locate.ts';
import { concerned, type Program, type Readers, readProgram, type SourceFile } from './program.ts';
import { type ConfiguredGuard, Guards, kinds } from './roles/guards.ts';
import { type Judgement, type Rule, rules } from './rules/index.ts';
import type { GuardUse, Place, Tag } from './value.ts';

export { languageOf, unreadLanguageOf } from './languages.ts';
export type { SourceFile } from './program.ts';
export { parserReaders } from './readers.ts';
export type { ConfiguredGuard } from './roles/guards.ts';
export { rules } from './rules/index.ts';

/** One place in a file; lines and columns count from 1. */
interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface PathStep extends Location {
  readonly what: string;
}

/** A rule that does not hold, or for which the auditor cannot tell. */
export interface AuditFinding extends Location {
  readonly rule: string;
  readonly answer: 'violated' | 'unknown';
  readonly message: string;
  /** From where something enters to where it must not arrive. */
  readonly path: readonly PathStep[];
  /** The check that would do, to stand at this line. */
  readonly fix: string;
  /** The line of the source. */
  readonly excerpt: string;
  /** Says why it is wanted so, where a comment does. */
  readonly suppressed?: string;
}

interface RuleAnswer {
  readonly rule: string;
  readonly proved: number;
  readonly violated: number;
  readonly unknown: number;
}

export interface AuditResult {
  readonly findings: readonly AuditFinding[];
  readonly answers: readonly RuleAnswer[];
  /** Files that were there, and those that have to do with a model. */
  readonly files: number;
  readonly read: number;
  /** Calls of a model. Where there is none, nothing is proved. */
  readonly models: number;
  /** Files that the parser gave up on, in part or whole. */
  readonly broken: readonly string[];
  /** Functions and statements that took more steps than the auditor may: of them it cannot tell. */
  readonly unfollowed: number;
}

export interface AuditOptions {
  readonly files: readonly SourceFile[];
  readonly readers: Readers;
  readonly guards?: readonly ConfiguredGuard[];
  /** Hears how many files of how many were read. */
  readonly progress?: (done: number, all: number) => void;
}

/** Audits the files of one agent. */
export async function audit({ files, readers, guards = [], progress }: AuditOptions): Promise<AuditResult> {
  const sources = files.filter(({ path }) => languageOf(path) !== undefined);
  const wanted = concerned(sources);
  let done = 0;
  const program = await readProgram(wanted, readers, () => progress?.(++done, wanted.length));
  const book = follow(program, new Guards(guards));
  return { ...book.result(program), files: sources.length, read: wanted.length };
}

function follow(program: Program, guards: Guards): Book {
  if (program.modules.length === 0) return new Book(program, []);
  const first = trace(program, guards, new Set());
  const asynchronous = awaitedGuards([...first.machine.uses.values()]);
  return asynchronous.size === 0 ? first.book : trace(program, guards, asynchronous).book;
}

function trace(program: Program, guards: Guards, asynchronous: ReadonlySet<string>) {
  const reaches: Reach[] = [];
  const machine = new Machine(walker, program, guards, (reach) => reaches.push(reach), asynchronous);
  machine.run();
  return { machine, book: new Book(program, reaches, machine) };
}

/**
 * Guards whose names do not tell whether they must be waited for: one that is waited for somewhere must be everywhere,
 * and so must one among others that are all awaited.
 */
function awaitedGuards(uses: readonly GuardUse[]): ReadonlySet<string> {
  const real = uses.filter(
    ({ guard, shadowed, inAsync }) =>
      inAsync &&
      !shadowed &&
      guard.form !== 'model' &&
      guard.kinds !== kinds.egress &&
      !/^requires/i.test(guard.name),
  );
  const waited = new Set(real.filter(({ awaited }) => awaited).map(({ guard }) => guard.name));
  const others = new Set(real.map(({ guard }) => guard.name).filter((name) => !waited.has(name)));
  const verbs = new Set([...waited].map(verbOf));
  // One client is one that is waited for, or it is not.
  const clients = new Set(real.filter(({ awaited }) => awaited).map(({ client }) => client));
  for (const { guard, client } of real) if (client !== '' && clients.has(client)) waited.add(guard.name);
  for (const name of others) {
    const alone = others.size === 1 && waited.size >= 3 && !/feed|push|write|update/i.test(verbOf(name));
    if (alone || verbs.has(verbOf(name))) waited.add(name);
  }
  return waited;
}

function verbOf(name: string): string {
  return name.includes('.') ? (name.split('.').at(-1) ?? '') : name;
}

/** What was said about each place, the worst answer first. */
class Book {
  readonly #machine: Machine | undefined;
  readonly #answers = new Map<
    string,
    { readonly rule: Rule; readonly judgement: Judgement; readonly reach: Reach; readonly place: Place }
  >();
  readonly #models = new Set<string>();
  readonly #locator: Locator | undefined;

  constructor(program: Program, reaches: readonly Reach[], machine?: Machine) {
    this.#machine = machine;
    this.#locator = machine === undefined ? undefined : new Locator(machine);
    let named = program.named;
    for (const { guard } of machine?.uses.values() ?? []) named |= guard.kinds;
    for (const reach of reaches) {
      if (reach.sink === 'prompt') this.#models.add(`${reach.place.module.path}:${reach.place.at}`);
      for (const rule of rules) {
        for (const judgement of rule.judge(reach, { named })) this.#note(rule, judgement, reach);
      }
    }
  }

  #note(rule: Rule, judgement: Judgement, reach: Reach): void {
    const place = judgement.answer === 'violated' ? this.#placeOf(judgement, reach) : reach.place;
    const key = `${rule.id} ${place.module.path} ${place.at}`;
    const known = this.#answers.get(key);
    if (known !== undefined && severity(known.judgement) >= severity(judgement)) return;
    this.#answers.set(key, { rule, judgement, reach, place });
  }

  #placeOf(judgement: Judgement, reach: Reach): Place {
    if (this.#locator === undefined) return reach.place;
    return this.#locator.place(judgement, reach);
  }

  result(program: Program): Omit<AuditResult, 'files' | 'read'> {
    const findings: AuditFinding[] = [];
    const counts = new Map(rules.map(({ id }) => [id, { rule: id, proved: 0, violated: 0, unknown: 0 }]));
    const told = new Set<string>();
    const worst = [...this.#answers.values()].toSorted(
      (a, b) => severity(b.judgement) - severity(a.judgement),
    );
    for (const { rule, judgement, reach, place } of worst) {
      const location = this.#location(place);
      const key = `${rule.id} ${location.file} ${location.line}`;
      if (told.has(key)) continue;
      told.add(key);
      const count = counts.get(rule.id);
      if (judgement.answer === 'proved') {
        if (count !== undefined) count.proved++;
        continue;
      }
      const suppressed = this.#suppressed(rule.id, place.module, location.line);
      if (suppressed === undefined && count !== undefined) count[judgement.answer]++;
      findings.push({
        ...location,
        rule: rule.id,
        answer: judgement.answer,
        message: messageFor(rule, judgement, reach),
        path: this.#path(judgement, reach),
        fix: rule.fix[place.module.language],
        excerpt: lineText(place.module, location.line),
        ...(suppressed === undefined ? {} : { suppressed }),
      });
    }
    for (const module of program.modules) {
      for (const { message, at } of module.broken.slice(0, 1))
        findings.push(this.#unread(module, at, message));
    }
    const exceeded = this.#machine?.exceeded ?? [];
    const first = new Map(exceeded.toReversed().map((place) => [place.module, place]));
    for (const { module, at } of first.values()) {
      const others = exceeded.filter((place) => place.module === module).length - 1;
      const more =
        others === 0 ? '' : `, and so ${others === 1 ? 'does one more' : `do ${others} more`} in this file`;
      findings.push(this.#unread(module, at, `this takes more steps to follow than the auditor may${more}`));
    }
    for (const { module, at } of this.#machine?.unseen.values() ?? [])
      findings.push(this.#unread(module, at, 'the kind of the action that is decided here is not seen'));
    const order = (a: AuditFinding, b: AuditFinding) =>
      a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || (a.rule < b.rule ? -1 : 1);
    return {
      findings: findings.toSorted(order),
      answers: [...counts.values()],
      models: this.#models.size,
      broken: program.modules.filter(({ broken }) => broken.length > 0).map(({ path }) => path),
      unfollowed: exceeded.length,
    };
  }

  #unread(module: Module, at: number, message: string): AuditFinding {
    const location = this.#location({ module, at });
    return {
      ...location,
      rule: 'AG',
      answer: 'unknown',
      message: `Cannot tell: ${message}.`,
      path: [],
      fix: '',
      excerpt: lineText(module, location.line),
    };
  }

  #path({ tag }: Judgement, reach: Reach): readonly PathStep[] {
    const steps: PathStep[] = [];
    const end = { ...this.#location(reach.place), what: endOf[reach.sink] };
    for (let step = tag?.step ?? null; step !== null; step = step.before) {
      steps.unshift({
        ...this.#location(step.place),
        what: step.before === null ? `${nameOf(tag)} comes in` : step.what,
      });
    }
    const last = steps.at(-1);
    if (last?.file === end.file && last.line === end.line && steps.length > 1) steps.pop();
    return [...steps, end];
  }

  #location({ module, at }: Place): Location {
    const { line, column } = lineAt(module, at);
    return { file: module.path, line, column };
  }

  /** `sallyport:audit-ignore AG-IN-1 the reason`, on the line or on the one before. */
  #suppressed(rule: string, module: Module, line: number): string | undefined {
    for (const { text, at } of module.comments) {
      const [, named = '', reason = ''] =
        /sallyport:audit-ignore\s+([A-Z0-9,-]+)\s+(\S[^\n]*)/.exec(text) ?? [];
      if (reason === '' || !named.split(',').includes(rule)) continue;
      const { line: marked } = this.#location({ module, at });
      if (marked === line || marked === line - 1) return reason.replace(/\*\/\s*$/, '').trim();
    }
    return undefined;
  }
}

const endOf: Readonly<Record<Reach['sink'], string>> = {
  prompt: 'goes to the model',
  show: 'is shown',
  dispatch: 'is run as a tool',
  interpret: 'is run as code',
  write: 'is written',
  delete: 'is deleted',
  http: 'is asked for over HTTP',
  message: 'is sent',
  owner: 'says whose data it is',
  refusal: 'is refused',
};

function severity({ answer }: Judgement): number {
  return answer === 'violated' ? 2 : answer === 'unknown' ? 1 : 0;
}

function nameOf(tag: Tag | null): string {
  return tag === null ? 'something' : `"${tag.label.name}"`;
}

function messageFor(rule: Rule, judgement: Judgement, reach: Reach): string {
  const what = judgement.tag === null ? 'This' : `"${judgement.tag.label.name}"`;
  if (judgement.answer === 'unknown')
    return `Cannot tell: ${what} ${judgement.wrong ?? rule.wrong}, unless something does that the auditor does not see.`;
  const use = flawedUse(judgement, reach);
  const why = use === undefined ? '' : ` ${flawOf(use, reach)}`;
  return `${what} ${rule.wrong}.${why}`;
}

function flawOf(use: GuardUse, reach: Reach): string {
  const { guard, shadowed, swallowed, awaited, tested, sites } = use;
  if (shadowed)
    return `${guard.name} here is not the guard of that name: the function behind it checks nothing.`;
  if (swallowed) return `${guard.name} is called, but its failure is caught and forgotten.`;
  if (sites.some((site) => isLeftAlone(site, reach)))
    return `${guard.name} is called in a task that is started and never awaited.`;
  if (
    !awaited &&
    use.place.module.language !== 'go' &&
    (guard.async === true || use.inAsync) &&
    guard.kinds !== kinds.approval &&
    guard.kinds !== kinds.egress &&
    !(tested && guard.async === null)
  )
    return `${guard.name} is called, but its result is not awaited.`;
  if (!tested && guard.form === 'result') return `${guard.name} is called, but its result is not used.`;
  return `${guard.name} is called, but not on every way, or its answer does not decide.`;
}

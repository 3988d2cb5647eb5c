// Rule: a rule of the user's own adds a finding where a command, an effect or a program is what it names; it never
// takes one away. What may be meant but is not known is asked for, never passed.

import type { OwnRule, RuleCondition } from '../../../config/command.ts';
import { Budget, BudgetExceeded, type Finding } from '../../../core/index.ts';
import { type Automaton, automatonOf, beginsWith, meet } from '../../../detect/linear.ts';
import { parsePattern } from '../../../detect/pattern.ts';
import type { Effect, Invocation, Value } from '../effects.ts';
import { overrunFinding } from './commands.ts';
import {
  type CommandRule,
  forUnknown,
  hit,
  placesOf,
  python,
  type RuleInput,
  shell,
  textsOf,
} from './rule.ts';
import { anything, beginningWith, globOf, literalOf, orBelow } from './target.ts';

/** What a condition found. */
interface Match {
  readonly span: readonly [number, number];
  /** What of the segment is meant: a path or a program. */
  readonly subject: string;
  /** It may be meant; whether it is shows only when it runs. */
  readonly unsure: boolean;
}

/** The user's rules as the list of all rules has them. */
export function ruleOf({ when: _, scope, examples, ...rule }: OwnRule): CommandRule {
  const example = scope === 'python' ? python : shell;
  return {
    ...rule,
    scope,
    examples: {
      hit: examples.hit.map((text) => example(text)),
      miss: examples.miss.map((text) => example(text)),
    },
  };
}

/** Steps that the user's rules may take, beside those of the other rules: theirs must not use up what ours need. */
const mostSteps = 100_000;

/** What the user's rules find; where they take too long, that is a finding too. */
export function userFindings(rules: readonly OwnRule[], ruleInput: RuleInput): readonly Finding[] {
  const language = ruleInput.pointer === '/command' ? 'bash' : 'python';
  const budget = new Budget(mostSteps);
  const bounded: RuleInput = {
    ...ruleInput,
    pathScope: { ...ruleInput.pathScope, spend: (steps) => budget.spend(steps) },
  };
  const found: Finding[] = [];
  try {
    for (const rule of rules) {
      if (rule.scope !== 'all' && rule.scope !== language) continue;
      found.push(...matchesOf(rule.when, bounded).map((match) => finding(rule, match, ruleInput)));
    }
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    found.push(overrunFinding(ruleInput));
  }
  return found;
}

function finding(rule: OwnRule, { span, subject, unsure }: Match, ruleInput: RuleInput): Finding {
  const why = rule.reason.replace(/\.$/, '');
  return hit(ruleInput, ruleOf(rule), {
    span,
    subject,
    why: unsure ? `it may be what this rule is about, and is not known before it runs: ${why}` : why,
    decision: unsure && rule.decision === 'block' ? forUnknown(ruleInput) : rule.decision,
  });
}

function matchesOf(when: RuleCondition, ruleInput: RuleInput): readonly Match[] {
  const { effects, invocations } = ruleInput.facts;
  switch (when.is) {
    case 'pattern':
      return invocations.flatMap((invocation) => patternMatch(when.pattern, invocation, ruleInput));
    case 'effect':
      return effects.flatMap((effect) => effectMatch(when, effect, ruleInput));
    case 'command':
      return invocations.flatMap((invocation) => commandMatch(when, invocation));
  }
}

// ── patterns

const mostStates = 2000;
const compiled = new Map<string, Automaton>();
const mostCompiled = 500;

/** The pattern, ready to run; throws `PatternError` for one that cannot be used. */
export function patternOf(pattern: string): Automaton {
  let automaton = compiled.get(pattern);
  if (automaton === undefined) {
    automaton = automatonOf(parsePattern(pattern), mostStates);
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(pattern, automaton);
  }
  return automaton;
}

function patternMatch(pattern: string, invocation: Invocation, ruleInput: RuleInput): readonly Match[] {
  const { program, span } = invocation;
  const automaton = patternOf(pattern);
  const texts = commandTexts(invocation);
  const subject = program ?? 'a command that is not known';
  if (texts === null) return [{ span, subject, unsure: true }];
  const hits = texts.some((text) => beginsWith(automaton, text, ruleInput.pathScope.spend));
  return hits ? [{ span, subject, unsure: false }] : [];
}

/** Stands for what is not known. */
const unknownText = '…';
/** Stands for blanks inside an argument: a plain blank is always between two. */
const innerBlank = '\u00a0';
const mostTexts = 64;

/** The command as resolved, one text for each way that it may come out; null: too many. */
function commandTexts({ program, args }: Invocation): readonly string[] | null {
  let texts = [program ?? unknownText];
  for (const argument of args) {
    const ends = argumentTexts(argument);
    if (texts.length * ends.length > mostTexts) return null;
    texts = texts.flatMap((text) => ends.map((end) => `${text} ${end.replace(/\s/g, innerBlank)}`));
  }
  return texts;
}

function argumentTexts(argument: Value): readonly string[] {
  if (argument.kind === 'unknown') return [unknownText];
  return argument.kind === 'prefix' ? [argument.text + unknownText] : textsOf(argument);
}

// ── effects

type EffectCondition = Extract<RuleCondition, { readonly is: 'effect' }>;

function effectMatch(when: EffectCondition, effect: Effect, ruleInput: RuleInput): readonly Match[] {
  const { span, program } = effect;
  // Settings of the machine were effects on services once, and rules that were written then go on.
  const isMeant = effect.kind === when.kind || (effect.kind === 'setting' && when.kind === 'service');
  if (!isMeant) return [];
  if (when.detail !== undefined && when.detail !== effect.detail) return [];
  if (when.recursive !== undefined && when.recursive !== (effect.recursive === true)) return [];
  if (when.target === undefined) return [{ span, subject: program, unsure: false }];
  return targetMatches(when.target, effect, ruleInput);
}

function targetMatches(pattern: string, effect: Effect, ruleInput: RuleInput): readonly Match[] {
  const { target, span, program } = effect;
  const { pathScope } = ruleInput;
  switch (target.kind) {
    case 'none':
      return [{ span, subject: program, unsure: true }];
    case 'path': {
      const wanted = globOf(pattern, pathScope);
      return placesOf(effect, ruleInput).flatMap(({ path, given, open }) => {
        const known = path === null ? anything : target.glob === true ? globOf(path, null) : literalOf(path);
        const reached = open ? beginningWith(known) : effect.recursive === true ? orBelow(known) : known;
        if (!meet(wanted, reached, pathScope.spend)) return [];
        // Whatever the rest of a beginning is, it lies below the folder.
        const inside = path !== null && pattern.endsWith('**') && meet(wanted, known, pathScope.spend);
        const unsure = (open || path === null) && !inside;
        return [{ span, subject: given === '' ? program : given, unsure }];
      });
    }
    case 'host':
    case 'name': {
      const value = target.kind === 'host' ? target.host : target.name;
      const fold = (text: string) => (target.kind === 'host' ? text.toLowerCase() : text);
      const wanted = globOf(fold(pattern), null);
      const unsure = value.kind === 'prefix' || value.kind === 'unknown';
      const texts = value.kind === 'unknown' ? [''] : textsOf(value);
      return texts.flatMap((text) => {
        const known = literalOf(fold(text));
        const hits = meet(wanted, unsure ? beginningWith(known) : known, pathScope.spend);
        return hits ? [{ span, subject: text === '' ? program : text, unsure }] : [];
      });
    }
  }
}

// ── programs

type CommandCondition = Extract<RuleCondition, { readonly is: 'command' }>;

function commandMatch(when: CommandCondition, invocation: Invocation): readonly Match[] {
  const { program, args, span } = invocation;
  // A program that is not known is asked for anyway, or refused.
  if (program === null || !when.names.includes(program)) return [];
  const named = withSubcommand(when.subcommand, args);
  const flagged = when.flags.length === 0 ? 'yes' : worst(args.map((value) => flagIn(when.flags, value)));
  if (named === 'no' || flagged === 'no') return [];
  return [{ span, subject: program, unsure: named === 'perhaps' || flagged === 'perhaps' }];
}

type Answer = 'yes' | 'perhaps' | 'no';

function worst(answers: readonly Answer[]): Answer {
  return answers.includes('yes') ? 'yes' : answers.includes('perhaps') ? 'perhaps' : 'no';
}

/** Whether an argument is one of the flags: alone, with a value, in a cluster of letters, or cut short. */
function flagIn(flags: readonly string[], value: Value): Answer {
  if (value.kind === 'unknown') return 'perhaps';
  return worst(
    textsOf(value).flatMap((text) => {
      const [name = ''] = text.split('=', 1);
      const whole = value.kind !== 'prefix' || text.includes('=');
      return flags.map((flag): Answer => {
        const letter = /^-[^-]$/.test(flag);
        if (whole && name === flag) return 'yes';
        if (letter && /^-[^-]/.test(name) && name.includes(flag.charAt(1))) return 'yes';
        // Many programs take a long flag by its beginning.
        if (/^--./.test(name) && flag.startsWith(name)) return 'perhaps';
        return !whole && (flag.startsWith(text) || (letter && /^-(?!-)/.test(text))) ? 'perhaps' : 'no';
      });
    }),
  );
}

/**
 * Whether the words stand where a subcommand does: first among what is no flag. What follows a flag may be its
 * value, so the search goes on behind it.
 */
function withSubcommand(words: readonly string[], args: readonly Value[]): Answer {
  const [word, ...more] = words;
  if (word === undefined) return 'yes';
  const answers: Answer[] = [];
  let afterFlag = false;
  for (const [index, value] of args.entries()) {
    const texts = textsOf(value);
    if (texts.length > 0 && texts.every((text) => text.startsWith('-'))) {
      afterFlag = texts.some((text) => !text.includes('='));
      continue;
    }
    if (value.kind === 'unknown' || value.kind === 'prefix') {
      const may = value.kind === 'unknown' || texts.some((text) => word.startsWith(text));
      if (may) answers.push('perhaps');
    } else if (texts.includes(word)) answers.push(withSubcommand(more, args.slice(index + 1)));
    if (!afterFlag && value.kind === 'literal') break;
    afterFlag = false;
  }
  return worst(answers);
}

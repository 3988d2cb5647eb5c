// What a rule of this guard is, what it is asked about, and how its findings and examples are written.

import type { Profile } from '../../../config/sections/agents.ts';
import {
  type Example,
  type Finding,
  type Given,
  type Mode,
  type Rule,
  type RunningProcess,
  visible,
} from '../../../core/index.ts';
import type { Effect, Facts, Target, Value } from '../effects.ts';
import { locate, type PathScope, type Place } from '../where.ts';

/** The layers of a command: what it does, where, and which commands and flags it uses. */
type Layer = 1 | 2 | 3;

/** A law of this guard. */
export interface CommandRule extends Rule {
  readonly guard: 'command';
  readonly layer: Layer;
}

/** Everything that rules are asked about. */
export interface RuleInput {
  readonly facts: Facts;
  /** The text of the action, which spans point into. */
  readonly source: string;
  readonly pointer: '/command' | '/source';
  readonly profile: Profile;
  readonly mode: Mode;
  /** The agent host whose hook asks. */
  readonly host?: string;
  readonly pathScope: PathScope;
  /** Whether nothing would hold the command but this verdict. */
  readonly unsandboxed: boolean;
  /** Whether what it changes in the workspace could be taken back, as far as whoever runs it knows. */
  readonly undoable: boolean;
  /** Where requests may go; a host must be on every list. */
  readonly egressAllowlists: readonly (readonly string[])[];
  /** Whether the effects of a program are known, whatever its arguments. */
  readonly isKnown: (program: string) => boolean;
  /** The processes that run; null where that is not known. */
  readonly processes: () => readonly RunningProcess[] | null;
  /** The port that the daemon of this home listens on; null where none is known. */
  readonly daemonPort: () => number | null;
  /** Whether something is at an absolute path now, before the command runs. */
  readonly exists: (path: string) => boolean;
  /** Places that were found: several rules ask about the same effect, and every answer costs looks at the disk. */
  readonly places: Map<Effect, readonly Place[]>;
}

/** What one family of rules makes of one effect. */
export type Judge = (effect: Effect, ruleInput: RuleInput) => readonly Finding[];

type Span = readonly [number, number];

/** What is special about one hit. */
export interface Hit {
  readonly span: Span;
  /** Why, as a clause: what it would do. */
  readonly why: string;
  readonly decision?: CommandRule['decision'];
  /** What of the segment breaks the rule, where that is a path, a command or a flag. */
  readonly subject?: string;
  readonly suggestion?: string;
  readonly grant?: string | undefined;
}

const longestShown = 80;

/** Many findings may be about one long segment, all of which is looked at for the few characters that are shown. */
const segments = new WeakMap<Pick<RuleInput, 'source'>, Map<string, string>>();

/** The piece of source that has an effect, in one visible line. */
export function segmentOf(ruleInput: Pick<RuleInput, 'source'>, [start, end]: Span): string {
  const known = segments.get(ruleInput) ?? new Map<string, string>();
  segments.set(ruleInput, known);
  const key = `${start} ${end}`;
  const segment = known.get(key) ?? visible(ruleInput.source.slice(start, end).trim(), longestShown);
  known.set(key, segment);
  return segment;
}

/**
 * One hit of a rule.
 * INVARIANT: the message begins with the sentence of the tool error, which ends with the rule's id in quotes.
 */
export function hit(ruleInput: RuleInput, rule: CommandRule, found: Hit): Finding {
  const suggestion = found.suggestion ?? rule.suggestion;
  const segment = segmentOf(ruleInput, found.span);
  return {
    rule: rule.id,
    guard: 'command',
    decision: found.decision ?? rule.decision,
    message: `${sentence(rule, segment, found.subject)}: ${found.why}`,
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    layer: rule.layer,
    pointer: ruleInput.pointer,
    span: found.span,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(found.grant === undefined ? {} : { grant: found.grant }),
  };
}

function sentence({ id, layer }: CommandRule, segment: string, subject: string | undefined): string {
  const shown = subject === undefined ? segment : visible(subject, longestShown);
  if (layer === 1) return `Pattern '${segment}' matches dangerous pattern '${id}'`;
  if (layer === 2) return `Path '${shown}' violates path rule '${id}'`;
  if (id === 'flag_not_allowed') return `Flag '${shown}' violates flag rule '${id}'`;
  return `Command '${shown}' violates command rule '${id}'`;
}

/** The places that an effect touches. */
export function placesOf(effect: Effect, { places, pathScope }: RuleInput): readonly Place[] {
  let found = places.get(effect);
  if (found === undefined) {
    found = locate(pathScope, effect.target, { follow: effect.kind !== 'delete' });
    places.set(effect, found);
  }
  return found;
}

/** What becomes of what is not known. */
export function forUnknown({ profile }: RuleInput): 'approve' | 'block' {
  return profile === 'strict' ? 'block' : 'approve';
}

/** A place for a sentence. */
export function shown({ given, path, open }: Place): string {
  const text = path ?? given;
  if (text === '') return 'a path that is not known';
  return `${visible(text, longestShown)}${open ? '…' : ''}`;
}

/** What is known of a name or host that an effect is aimed at; empty where it is not. */
export function nameOf(target: Target): string {
  if (target.kind === 'name') return beginningOf(target.name);
  if (target.kind === 'host') return beginningOf(target.host);
  return target.kind === 'path' ? beginningOf(target.path) : '';
}

/** Every text that a value may be, as far as it is known. */
export function textsOf(value: Value): readonly string[] {
  if (value.kind === 'choice') return value.texts;
  return value.kind === 'unknown' ? [] : [value.text];
}

function beginningOf(value: Value): string {
  return visible(textsOf(value)[0] ?? '', longestShown);
}

/** What a standing yes to one path must name; none where the path is not wholly known. */
export function grantFor(verb: 'read' | 'write', { path, open, contents }: Place): string | undefined {
  return path === null || open || contents || path.length > 256 ? undefined : `command ${verb} ${path}`;
}

// ── examples

/** A shell command as an example. */
export function shell(command: string, given?: Given): Example {
  return { action: { kind: 'shell', command }, ...(given === undefined ? {} : { given }) };
}

/** A Python program as an example. */
export function python(source: string, given?: Given): Example {
  return { action: { kind: 'python', source }, ...(given === undefined ? {} : { given }) };
}

/** A shell command under the strict profile. */
export function strictly(command: string): Example {
  return shell(command, { agent: { profile: 'strict' } });
}

// What a rule of this guard is, what it is asked about, and how its findings and examples are written.

import type { Profile } from '../../../config/sections/agents.ts';
import {
  type Example,
  type Finding,
  type Given,
  type Mode,
  type PortUse,
  type Rule,
  type RunningProcess,
  type Standing,
  visible,
} from '../../../core/index.ts';
import type { Effect, Facts, Target, Value } from '../effects.ts';
import { cardOf } from '../programs/index.ts';
import { isWithin, locate, type PathScope, type Place } from '../where.ts';

/** The layers of a command: what it does, where, and which commands and flags it uses. */
type Layer = 1 | 2 | 3;

/** A rule of this guard. */
export interface CommandRule extends Rule {
  readonly guard: 'command';
  readonly layer: Layer;
  /** Why no person could want what a block refuses. INVARIANT: a rule that blocks has it; whatever has none asks. */
  readonly unwanted?: string;
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
  /** Whether what it changes in the workspace could be reverted, as far as its runner knows. */
  readonly undoable: boolean;
  /** Where requests may go; a host must be on every list. */
  readonly egressAllowlists: readonly (readonly string[])[];
  /** Whether the effects of a program are known, whatever its arguments. */
  readonly isKnown: (program: string) => boolean;
  /** The processes that run; null where that is not known. */
  readonly processes: () => readonly RunningProcess[] | null;
  /** The processes of this user that have ports open; null where that is not known. */
  readonly portUses: () => readonly PortUse[] | null;
  /** Whether a call of this session started a process. */
  readonly isStarted: (pid: number) => boolean;
  /** Whether the user approved an effect earlier in this session. */
  readonly isAnswered: (effect: string) => boolean;
  /** The port that the daemon of this home listens on; null where none is known. */
  readonly daemonPort: () => number | null;
  /** What is at an absolute path now, before the command runs; null where nothing is. */
  readonly standing: (path: string) => Standing['type'] | null;
  /** The text of a file by its path, from the folder that the command runs in; null where none can be read. */
  readonly read: (path: string) => string | null;
  /** The names in an archive, by its path; none where it cannot be read. */
  readonly archive: (path: string) => readonly string[];
  /** Whether all that changes in the workspace can be restored as it was. */
  readonly restorable: () => boolean;
  /** Whether this session made all that is at an absolute path, so that it may remove that. */
  readonly isMade: (path: string) => boolean;
  /** Who wrote the code at an absolute path or below it, where all of it was read and is judged; null where it was not. */
  readonly authorOf: (path: string) => 'agent' | 'user' | null;
  /** Paths of the workspace that the user's own list allows although they are protected. */
  readonly allowedWrites: readonly string[];
  /** Places that were found: several rules ask about the same effect, and every answer costs looks at the disk. */
  readonly places: Map<Effect, readonly Place[]>;
}

/** What one family of rules makes of one effect. */
export type Judge = (effect: Effect, ruleInput: RuleInput) => readonly Finding[];

type Span = readonly [number, number];

/** What is special about one hit. */
interface Hit {
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

/** A finding about code in a file, as one about the piece of the command that runs the file. */
export function relayed(
  ruleInput: RuleInput,
  { grant: _, suggestion: __, ...finding }: Finding,
  span: Span,
  where: string,
): Finding {
  const why = finding.message.slice(finding.message.indexOf(`'${finding.rule}': `) + finding.rule.length + 4);
  const segment = segmentOf(ruleInput, span);
  const message = `${sentence({ id: finding.rule, layer: 1 }, segment, undefined)}: ${visible(where, 200)}: ${why}`;
  return { ...finding, pointer: ruleInput.pointer, span, layer: 1, message };
}

function sentence(
  { id, layer }: Pick<CommandRule, 'id' | 'layer'>,
  segment: string,
  subject: string | undefined,
): string {
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

/**
 * Whether code outside the workspace was read, so that the rules judge what it does: an agent's wherever it is, a person's own
 * where only they put code. What was downloaded is nobody's own.
 */
export function isJudged({ path, open }: Place, { authorOf, pathScope: { home } }: RuleInput): boolean {
  if (path === null || open) return false;
  const author = authorOf(path);
  const own = home !== null && isWithin(path, home) && !isWithin(path, `${home}/Downloads`);
  return author === 'agent' || (author === 'user' && own);
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

// ── What to run instead, by the program at hand. A rule is hit by many programs, and advice about another one helps
// nobody; where nothing fits, the rule's own sentence, which names no program, is shown.
// INVARIANT: a command in backticks is one of the program at hand, or of its family, and passes the guard itself.

/** What one program can do instead of what the rule stops. */
interface Advice {
  readonly programs: readonly string[];
  /** Only for these details of the effect; left out: for all. */
  readonly details?: readonly string[];
  readonly text: string;
}

/** Programs that are one tool under several names, or a tool and the one that reads what it changes. */
export const families: readonly (readonly string[])[] = [
  ['kill', 'pkill', 'killall', 'pgrep'],
  ['swapoff', 'swapon'],
  ['aws', 'awslocal'],
];

/** One entry for several programs that take the same words. */
function each(programs: readonly string[], text: (program: string) => string): readonly Advice[] {
  return programs.map((program) => ({ programs: [program], text: text(program) }));
}

const look = (command: string) => `Look first: \`${command}\`.`;
const engines = ['docker', 'podman'];

/** By rule; the first entry that fits counts. */
export const advice: Readonly<Record<string, readonly Advice[]>> = {
  mass_deletion: [
    { programs: ['rm'], text: 'Delete by name what a rebuild restores, such as `rm -rf node_modules`.' },
  ],
  workspace_deletion: [{ programs: ['rm'], text: 'Delete single files by name: `rm notes.txt`.' }],
  deployment: [
    {
      programs: ['kubectl'],
      details: ['apply', 'create', 'replace'],
      text: 'Try it without changing anything: `kubectl apply --dry-run=client -f deploy.yaml`.',
    },
    { programs: ['kubectl'], text: look('kubectl get pods') },
    ...each(engines, (program) => look(`${program} images`)).map((entry) => ({
      ...entry,
      details: ['push-image'],
    })),
    ...each(engines, (program) => look(`${program} service ls`)).map((entry) => ({
      ...entry,
      details: ['service'],
    })),
  ],
  container_deletion: [
    ...each(engines, (program) => look(`${program} ps -a`)),
    { programs: ['kubectl'], text: look('kubectl get pods') },
  ],
  container_stop: each(engines, (program) => `Stop the one that is meant: \`${program} stop web\`.`),
  container_privileged: each(
    engines,
    (program) => `Give it the workspace only: \`${program} run --rm -v "$PWD:/work" alpine ls /work\`.`,
  ),
  machine_setting: [
    { programs: ['swapoff', 'swapon'], text: look('swapon --show') },
    { programs: ['date'], text: look('date') },
    { programs: ['hostname'], text: look('hostname') },
  ],
  process_attach: each(['strace', 'ltrace'], (program) => `Let it start the program: \`${program} -f ls\`.`),
  world_writable: [
    { programs: ['chmod'], text: 'Give the owner what is needed: `chmod 755 scripts/run.sh`.' },
  ],
  privilege_escalation: [
    {
      programs: ['chown'],
      text: 'Keep files with the account that works on them: `chown "$(id -un)" file`.',
    },
    { programs: ['chmod'], text: 'Leave the special bits out: `chmod 755 scripts/run.sh`.' },
  ],
  system_permissions: [
    { programs: ['chmod'], text: 'Change the one file that is meant: `chmod 644 README.md`.' },
  ],
  persistence: [
    {
      programs: ['crontab'],
      text: 'Look first: `crontab -l`; a script of the workspace can be run when it is needed.',
    },
  ],
  guard_tampering: [{ programs: ['sallyport'], text: 'Look at what it says: `sallyport status`.' }],
  package_removal: [{ programs: ['brew'], text: look('brew list') }],
  workspace_secret_read: [{ programs: ['cat'], text: 'Show the names only: `cat .env.example`.' }],
  network_listener: [
    {
      programs: ['http.server'],
      text: 'Listen for this machine alone: `python3 -m http.server --bind 127.0.0.1 8000`.',
    },
  ],
  raw_disk_write: [
    {
      programs: ['dd'],
      text: 'Write to a file of the workspace: `dd if=/dev/zero of=disk.img bs=1M count=1`.',
    },
  ],
};

/** What to run instead, where something is known for the program that has the effect: by its card, or by the table. */
export function adviceFor(
  rule: string,
  { program, detail = '' }: Pick<Effect, 'program' | 'detail'>,
): string | undefined {
  const fits = ({ programs, details }: Partial<Pick<Advice, 'programs' | 'details'>>): boolean =>
    programs?.includes(program) !== false && details?.includes(detail) !== false;
  const onCard = cardOf(program)?.advice?.find((entry) => entry.rule === rule && fits(entry));
  if (onCard !== undefined) return onCard.text;
  const entries = Object.hasOwn(advice, rule) ? (advice[rule] ?? []) : [];
  return entries.find(fits)?.text;
}

// Answers the client where a host starts its commands through it: whether a command runs on an overlay, and what becomes of
// what it changed there. Commands were judged by the hook; one that no hook judged is judged here, by the same path.

import type { Config } from '../../config/index.ts';
import {
  type ActionOf,
  type Context,
  canonicalJson,
  InputError,
  isJsonObject,
  type JsonValue,
  messageOf,
  SallyportError,
  visible,
  type World,
} from '../../core/index.ts';
import { type Asker, type Decided, readContext, reasonOf } from '../../decide/index.ts';
import { afterAnswer, type Captures, type Waiting } from '../../run/index.ts';
import { HostedCommands } from '../../run/shell/hosted.ts';
import { wayOf } from '../../run/shell/judged.ts';
import { notesOf } from '../../run/shell/summary.ts';
import { readShellLine } from './claude-line.ts';
import { quote } from './client.ts';
import { type Host, type Reply, silence } from './host.ts';
import type { SessionWorkspaces } from './sessions.ts';

type Part = Decided['parts'][number];

/** A command that a hook let run. */
interface JudgedCall {
  readonly context: Context;
  /** The host's name of the call, where it has one. */
  readonly call: string | undefined;
  readonly action: ActionOf<'shell'>;
  readonly part: Pick<Part, 'facts' | 'notAside'>;
  readonly decisionId: string;
  /** The host does not wait for its end. */
  readonly isBackground: boolean;
  /** A person answered for it, or is asked by the host: it then runs as it was shown. */
  readonly isApproved: boolean;
}

/** More commands than a host has open at once; one that is forgotten is judged again. */
const mostCalls = 256;
/** How long a person has to answer for what a command changed, in milliseconds: less than a host waits for a command. */
const longestWait = 90_000;

/** Commands that hooks let run, and that no shell has asked about yet. */
class ShellCalls {
  #calls: readonly JudgedCall[] = [];
  readonly #said = new Set<string>();
  readonly #untrusted = new Set<string>();

  /** Keeps a command of a call that may run. */
  add(
    context: Context,
    { verdict, parts }: Decided,
    given: Pick<JudgedCall, 'call' | 'isBackground' | 'isApproved'>,
  ) {
    const part = parts.find(({ action }) => action.kind === 'shell');
    if (part?.action.kind !== 'shell') return;
    const { action } = part;
    const call = { ...given, context, action, part, decisionId: verdict.decisionId };
    this.#calls = [...this.#calls, call].slice(-mostCalls);
  }

  /** The call that a shell is about to run, once; undefined where no hook let it run. */
  take(context: Context, command: string): JudgedCall | undefined {
    const key = sessionOf(context);
    const found = this.#calls.find(
      (one) => sessionOf(one.context) === key && isSameCommand(one.action.command, command),
    );
    this.#calls = this.#calls.filter((one) => one !== found);
    return found;
  }

  /**
   * A call has ended. Where its question waited for a shell that never asked, nobody was asked: gives what is to be said,
   * and no question of this session waits again.
   */
  end(context: Context, call: string | undefined): string | null {
    const ended = this.#calls.find((one) => call !== undefined && one.call === call);
    this.#calls = this.#calls.filter((one) => one !== ended);
    if (ended?.part.facts['deferred'] !== true) return null;
    this.#untrusted.add(sessionOf(context));
    return 'this command was to be asked about once it ran aside, and the host did not run it through the client: look at what it deleted, and take it back with sallyport undo. Run sallyport doctor to see why';
  }

  /** Whether questions of a session may wait until commands ran aside. */
  isTrusted(context: Context): boolean {
    return !this.#untrusted.has(sessionOf(context));
  }

  /** Whether something is said for the first time in a session. */
  isNew({ session, workspace }: Context, text: string): boolean {
    const key = canonicalJson([session, workspace, text]);
    if (this.#said.has(key)) return false;
    if (this.#said.size >= mostCalls) this.#said.clear();
    this.#said.add(key);
    return true;
  }
}

function sessionOf({ session, agent, user, tenant }: Context): string {
  return canonicalJson([session, agent, user, tenant]);
}

/** The host takes the input from a command, in front of its first pipe too. */
function isSameCommand(judged: string, run: string): boolean {
  return judged === run || judged === run.replace(' < /dev/null', '') || judged.trim() === run.trim();
}

/** What is remembered of commands that hosts start through the client. */
export interface HostShells {
  /** Commands that hooks let run, for shells that ask about them. */
  readonly shells: ShellCalls;
  /** Commands that run on overlays. */
  readonly hosted: Pick<HostedCommands, 'begin' | 'end'>;
}

export function openShells(options: ConstructorParameters<typeof HostedCommands>[0]): HostShells {
  return { shells: new ShellCalls(), hosted: new HostedCommands(options) };
}

/** What shells are answered with. */
interface ShellService extends Waiting, HostShells {
  readonly config: Config;
  readonly world: World;
  readonly captures: Pick<Captures, 'setAside'>;
  readonly sessions: Pick<SessionWorkspaces, 'workspaceOf'>;
  /** How long a person is waited for, in milliseconds. */
  readonly waitMs: number;
}

/** What a shell asks, and the process that it is. */
interface ShellRequest {
  readonly asker: Asker;
  readonly parent?: number | null;
  readonly body: JsonValue;
}

/** Answers one question of a shell. INVARIANT: never throws; what could not be judged does not run. */
export async function serveShell(
  service: ShellService,
  host: Host,
  { asker, parent, body }: ShellRequest,
  event: string,
): Promise<Reply> {
  try {
    const given = fieldsIn(body);
    const by = { ...asker, agent: asker.agent ?? host.name };
    const said =
      event === 'ShellEnd' ? await end(service, given) : await start(service, host, by, parent ?? 0, given);
    return { ...silence, stdout: said.map((word, at) => (at === 0 ? word : quote(word))).join(' ') };
  } catch (error) {
    const why = error instanceof SallyportError ? messageOf(error) : 'an error of ours';
    return { ...silence, stdout: `deny ${quote(line(`the command was not run: ${why}`))}` };
  }
}

/** The fields of a question: the client cannot write JSON, so they come as one text in base64, ended by zero bytes. */
function fieldsIn(body: JsonValue): readonly string[] {
  const text = isJsonObject(body) ? body['call'] : undefined;
  if (typeof text !== 'string') throw new InputError('a shell asks with its call');
  return Buffer.from(text, 'base64').toString('utf8').split('\0');
}

function line(text: string): string {
  return `sallyport: ${visible(text, 2000)}`;
}

const shells = { bash: '/bin/bash', zsh: '/bin/zsh' } as const;

/** `plain NOTE SHELL`, `aside ID STATUS WORDS… SHELL` or `deny NOTE`. */
async function start(
  service: ShellService,
  host: Host,
  asker: Asker & { readonly agent: string },
  pid: number,
  [cwd = '', session = '', ...texts]: readonly string[],
): Promise<readonly string[]> {
  const text = texts.join('\0');
  const { command, shell } = readShellLine(text);
  // Hooks, servers and the like stand in the settings of the host: they are nobody's call.
  if (command === null) return ['plain', '', '/bin/sh'];
  const plain = (note = '') => ['plain', note, shells[shell]];
  const context = await contextFor(service, host, asker, { session, cwd });
  if (!(await service.config.settingsFor(context)).shell.transactional) return plain();
  const judged = service.shells.take(context, command) ?? (await judge(service, host, context, command));
  if (typeof judged === 'string') return ['deny', line(judged)];
  const { action, part, decisionId, isBackground, isApproved } = judged;
  // INVARIANT: a question that waits for what a command does aside is asked before it runs in any other way.
  const asToday = async (note = ''): Promise<readonly string[]> => {
    if (part.facts['deferred'] !== true) return plain(note);
    const again = await judge(service, host, judged.context, command);
    return typeof again === 'string' ? ['deny', line(again)] : plain(note);
  };
  const isAsToday = isBackground || isApproved || part.notAside !== undefined;
  if (isAsToday || wayOf({ action, facts: part.facts }, false) !== 'aside') return await asToday();
  const begun = await service.hosted.begin({
    ...{ action, facts: part.facts, decisionId, cwd, pid },
    context: judged.context,
  });
  if ('why' in begun) {
    const note = line(`commands run without a transaction here: ${begun.why}`);
    return await asToday(service.shells.isNew(context, note) ? note : '');
  }
  if (judged.call !== undefined) await service.captures.setAside(judged.call, judged.context);
  return ['aside', begun.id, begun.status, ...begun.words, shells[shell]];
}

/** The context of a session that a hook spoke of; what the shell says of its folder makes no folder a workspace. */
async function contextFor(
  { sessions, config, world }: ShellService,
  host: Host,
  asker: Asker & { readonly agent: string },
  { session, cwd }: { readonly session: string; readonly cwd: string },
): Promise<Context> {
  const workspace = session === '' ? null : sessions.workspaceOf({ ...asker, session }, null, world.now());
  if (workspace === null) throw new InputError('no hook spoke of this session before');
  const named = { agent: host.name, session, workspace };
  const read = await readContext(named, { asker, folder: null, config, world });
  const real = world.realPath(cwd);
  return { ...read, host: host.name, ...(real === null || real === workspace ? {} : { cwd: real }) };
}

/** Judges a command that no hook let run, such as one that the user typed; gives why it does not run, in words. */
async function judge(
  service: ShellService,
  host: Host,
  context: Context,
  command: string,
): Promise<JudgedCall | string> {
  const action = {
    ...({ kind: 'tool', tool: 'Bash', server: `host:${host.name}` } as const),
    arguments: { command },
  };
  const first = await service.decider.decide(action, context);
  const decided = await afterAnswer(
    service,
    { action, context },
    first,
    Math.min(service.waitMs, longestWait),
  );
  if (decided.verdict.decision !== 'pass') return reasonOf(decided.verdict);
  const own = new ShellCalls();
  const isApproved = first.verdict.decision !== 'pass';
  own.add(context, decided, { call: undefined, isBackground: false, isApproved });
  return own.take(context, command) ?? 'it could not be read as a command';
}

/** `kept NOTE` or `lost NOTE`. */
async function end(service: ShellService, [id = '']: readonly string[]): Promise<readonly string[]> {
  const waitMs = Math.min(service.waitMs, longestWait);
  const ended = await service.hosted.end(id, async (write, context) => {
    const decided = await service.decider.decide(write, context);
    return await afterAnswer(service, { action: write, context }, decided, waitMs);
  });
  if (ended === null)
    return [
      'lost',
      line('nothing that the command changed was kept: the daemon was restarted. Run it again'),
    ];
  if (ended.settled === null)
    return ['lost', line('the command was not run: its overlay could not be made. Run it again')];
  const { discarded } = ended.settled;
  const notes = notesOf(ended.settled);
  return [discarded === null ? 'kept' : 'lost', notes.length === 0 ? '' : line(notes.join(' | '))];
}

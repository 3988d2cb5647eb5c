// Answers a host's hook: what the host said becomes an action, the verdict becomes the host's words. It decides nothing,
// and whatever goes wrong on the way is a deny.

import { isAbsolute } from 'node:path';
import type { Config } from '../../config/index.ts';
import {
  type Action,
  canonicalJson,
  type Finding,
  InputError,
  isClosed,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  once,
  SallyportError,
  visible,
  type WireContext,
  type World,
} from '../../core/index.ts';
import { longestText } from '../../core/shape.ts';
import {
  type Asker,
  type Decided,
  explain,
  fileReadBy,
  type Request,
  readContext,
  reasonOf,
  runHooks,
} from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { afterAnswer, type Captures, type Notice, type Waiting, warningsIn } from '../../run/index.ts';
import { alarmText, type HookFiles } from './files.ts';
import type { Answer, HookCall, Host, Reply } from './host.ts';
import { servedBy } from './servers.ts';
import { OpenCalls, PassedCalls, SessionWarnings, SessionWorkspaces } from './sessions.ts';
import type { HostShells } from './shell.ts';
import { lastWordsIn } from './transcript.ts';

/** What is remembered of hosts' sessions from one hook to the next. */
export interface HostSessions {
  /** Which workspace each session works in. */
  readonly sessions: Pick<SessionWorkspaces, 'workspaceOf'>;
  /** Calls that passed and have not ended. */
  readonly passed: PassedCalls;
  /** Calls whose end the host has not reported. */
  readonly calls: OpenCalls;
  /** Warnings that wait for the next prompt of their session. */
  readonly warnings: SessionWarnings;
  /** Commands that hosts start through the client; opened with the first call that is allowed. */
  readonly shells: () => Promise<HostShells>;
}

/** Makes it; `file` keeps the workspaces over a restart of the daemon. */
export function openHostSessions(
  file: string,
  { config: { home }, captures }: Pick<HookService, 'config' | 'captures'>,
): HostSessions {
  return {
    shells: once(async () => (await import('./shell.ts')).openShells({ home, captures })),
    sessions: new SessionWorkspaces(file),
    passed: new PassedCalls(),
    calls: new OpenCalls(),
    warnings: new SessionWarnings(),
  };
}

export interface HookService extends Waiting, HostSessions {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly world: World;
  /** What tools may change, from before a call to after it. */
  readonly captures: Captures;
  /** The files that can unhook the host. */
  readonly files: Pick<HookFiles, 'refusal' | 'visit' | 'unreported'>;
  /** How long a hook waits for approval, in milliseconds; less than the host waits for the hook. */
  readonly waitMs: number;
}

/** Who calls, and the moment that the call is wired for; null where the body names it. */
export interface HookRequest {
  readonly asker: Asker;
  readonly event: string | null;
  /** The process that called the client; null where an older client does not say. */
  readonly parent?: number | null;
  /** Whether the host starts all its programs through the client, as it did with this one. */
  readonly isThroughShell?: boolean;
  readonly body: JsonValue;
}

const longestReason = 2000;

/** Answers one call. INVARIANT: never throws, and what could not be judged is denied. */
export async function serveHook(service: HookService, host: Host, request: HookRequest): Promise<Reply> {
  const event = eventNamed(request);
  try {
    if (host.shellEvents?.includes(event) === true) {
      const [{ serveShell }, shells] = await Promise.all([import('./shell.ts'), service.shells()]);
      return await serveShell({ ...service, ...shells }, host, request, event);
    }
    if (!isJsonObject(request.body)) throw new InputError('a hook is called with a JSON object');
    // An answer to another moment than the host's own would not be understood, and so stop nothing.
    if (request.event !== null && request.event !== event) {
      throw new InputError(
        `the hook is installed for ${visible(request.event, 60)} and was called for another event`,
      );
    }
    if (host.isVoid?.(event, request.body) === true) return host.answer(event, { does: 'nothing' });
    const call = { ...host.read(event, request.body), parent: request.parent ?? null };
    const answer = await answerTo(service, host, call, request);
    await follow(service, host, call, answer, request.asker);
    return said(host, event, answer);
  } catch (error) {
    const why = error instanceof SallyportError ? messageOf(error) : 'an error of ours';
    return said(host, event, { does: 'deny', reason: `Blocked: ${why}.`, ...outputIn(host, event, request) });
  }
}

/**
 * Follows calls from their beginning to their end. With the next prompt of the user none of the main agent's runs any
 * more, so one that is open went unreported. That is certain where no prompt of the host's own can have refused it.
 */
async function follow(
  { calls, ledger, world }: HookService,
  host: Host,
  call: HookCall,
  answer: Answer,
  { user, tenant, agent }: Asker,
): Promise<void> {
  const session = canonicalJson([user, tenant, agent ?? host.name, call.session ?? '']);
  const id = 'call' in call ? call.call : undefined;
  if (call.event === 'tool_call_pre' && id !== undefined && answer.does === 'nothing') {
    const isCertain = host.name === 'claude' && call.mode === 'auto' && call.isSubagent !== true;
    calls.begin(session, id, { tool: call.tool, isCertain });
  }
  if (call.event === 'tool_call_post' && id !== undefined) calls.end(session, id);
  if (call.event === 'session_end') calls.take(session);
  if (call.event !== 'user_prompt_submit') return;
  for (const { tool, isCertain } of calls.take(session)) {
    const details = { host: host.name, tool: visible(tool, 80), certain: isCertain };
    const who = { user, tenant, agent: agent ?? host.name };
    await ledger.audit.append({ time: world.now(), event_type: 'call_unreported', ...who, details });
  }
}

/** Stores what was found about a session's calls for its user, who sees it with the next prompt. */
function warn({ warnings }: HookService, { context }: Request, notices: readonly Notice[]): void {
  for (const { forPerson } of notices) warnings.add(context, forPerson);
}

/** What a tool returned, with what was found about its call: the model gets it at once. */
function withTexts(
  { output }: Extract<HookCall, { event: 'tool_call_post' }>,
  answer: Answer,
  texts: readonly string[],
): Answer {
  if (texts.length === 0) return answer;
  const text = texts.join(' ');
  switch (answer.does) {
    case 'nothing':
      return { does: 'note', reason: text, output };
    case 'replace':
      return { ...answer, note: answer.note === undefined ? text : `${text} ${answer.note}` };
    default:
      return { ...answer, reason: `${text} ${answer.reason}` };
  }
}

/** What was found about the files of a host since its user last saw a report. */
function alarmsOf({ files }: HookService, host: Host): readonly Notice[] {
  const alarm = files.unreported(host.name);
  if (alarm === null) return [];
  const text = alarmText(host.name, alarm);
  return [{ text, forPerson: text }];
}

/** Settings that hold nothing about hooks. */
const harmlessSources: ReadonlySet<string> = new Set(['skills']);

/** Settings of the host changed while it runs: what would loosen us does not count. */
async function judgeChange(
  { files }: HookService,
  host: Host,
  { source, file }: Extract<HookCall, { event: 'config_change' }>,
): Promise<Answer> {
  if (harmlessSources.has(source)) return { does: 'nothing' };
  const why = await files.refusal(host.name, file);
  if (why === null) return { does: 'nothing' };
  return {
    does: 'deny',
    reason: `this change of ${visible(file ?? source, 200)} does not count: ${why}. To disconnect ${host.title} yourself, run sallyport init ${host.name} --remove.`,
  };
}

/** The output that a call is about, where that can be read: what could not be judged is withheld in its own form. */
function outputIn(host: Host, event: string, { body }: HookRequest): Pick<Answer & { does: 'deny' }, 'of'> {
  try {
    const call = isJsonObject(body) ? host.read(event, body) : null;
    return call?.event === 'tool_call_post' ? { of: call } : {};
  } catch {
    return {};
  }
}

/** INVARIANT: every reason is one line without tricks, since clients and hosts read replies line by line. */
function said(host: Host, event: string, answer: Answer): Reply {
  if (answer.does === 'nothing') return host.answer(event, answer);
  const line = (text: string) => `Sallyport: ${visible(text, longestReason)}`;
  const noted = answer.does === 'replace' && answer.note !== undefined ? { note: line(answer.note) } : {};
  const more =
    answer.does === 'note' && answer.context !== undefined ? { context: line(answer.context) } : {};
  return host.answer(event, { ...answer, ...noted, ...more, reason: line(answer.reason) });
}

/** The host's own name of the moment: its word in the body counts, else the one that the hook is wired for. */
function eventNamed({ event, body }: HookRequest): string {
  const named = isJsonObject(body) ? body['hook_event_name'] : undefined;
  return typeof named === 'string' ? named : (event ?? '');
}

async function answerTo(
  service: HookService,
  host: Host,
  sent: HookCall,
  { asker: caller, isThroughShell = false }: HookRequest,
): Promise<Answer> {
  const asker = { ...caller, agent: caller.agent ?? host.name };
  const { call: found, cwd } = placed(service, sent, asker);
  if (found.folder !== undefined && isAbsolute(found.folder)) {
    await service.files.visit(host.name, found.folder);
  }
  const { config, world } = service;
  const { call, gateway } = await servedBy(host.name, found, world);
  const read = await readContext(contextOf(call, host), { asker, folder: null, config, world });
  const request = {
    action: actionOf(withReason(call), host),
    context: {
      ...read,
      host: host.name,
      ...(cwd === null ? {} : { cwd }),
      ...(gateway ? { gateway } : {}),
    },
  };
  switch (call.event) {
    case 'tool_call_pre':
      return await letGo(await asideTerms(service, call, request, isThroughShell), host, call, request);
    case 'permission_request':
      return await answerPrompt(service, host, call, request);
    case 'tool_call_post': {
      const passed = service.passed.end(request.context, call);
      const unseen = (await service.shells()).shells.end(request.context, call.call);
      const notices = [
        ...(await service.captures.end(call, request.context)),
        ...alarmsOf(service, host),
        ...(unseen === null ? [] : [{ text: unseen, forPerson: unseen }]),
      ];
      warn(service, request, notices);
      // What a call that failed was to write is not there.
      const warnings = call.failed === true ? [] : (passed?.warnings ?? []);
      const told = [...notices.map(({ text }) => text), ...warnings];
      return withTexts(call, await checkOutput(service, host, call, request), told);
    }
    case 'message_display':
      return await redactShown(service, call, request);
    case 'instructions_loaded':
      return await judgeInstructions(service, call, request);
    case 'config_change':
      return await judgeChange(service, host, call);
    case 'user_prompt_submit':
      // When a session prompts, starts or ends, none of its tools runs any more.
      warn(service, request, await service.captures.endAll(request.context));
      warn(service, request, alarmsOf(service, host));
      return withWarnings(service, request, await judgePrompt(service, request));
    default:
      warn(service, request, await service.captures.endAll(request.context));
      return await askPrograms(service, call, request);
  }
}

/**
 * The call in the workspace of its session, and the folder that it is made in where that is another. INVARIANT: what a
 * call says of its folder makes no folder a workspace once the session has one.
 */
function placed(
  { sessions, world }: HookService,
  call: HookCall,
  asker: Asker & { readonly agent: string },
): { readonly call: HookCall; readonly cwd: string | null } {
  const { session, folder } = call;
  // Of what is no path, or no session, reading the request says what is wrong.
  if (session === undefined || (folder !== undefined && !isAbsolute(folder))) return { call, cwd: null };
  const real = folder === undefined ? null : world.realPath(folder);
  const starts = call.event === 'session_start' && call.starts === true;
  const workspace = sessions.workspaceOf({ ...asker, session }, real, world.now(), starts);
  if (workspace === null) return { call, cwd: null };
  if (folder !== undefined && real === null && call.event === 'tool_call_pre') {
    throw new InputError('the folder of the call does not exist');
  }
  if (world.realPath(workspace) !== workspace) {
    throw new InputError('the folder that this session began in is gone', {
      hint: 'start a new session in a folder that is there',
    });
  }
  return { call: { ...call, folder: workspace }, cwd: real === workspace ? null : real };
}

/** The call with the model's last words as its reason, where it states none itself. */
function withReason(call: HookCall): HookCall {
  if (call.event !== 'tool_call_pre' || call.justification !== undefined) return call;
  const words = call.transcript === undefined ? undefined : lastWordsIn(call.transcript);
  return words === undefined
    ? call
    : { ...call, justification: words.slice(0, longestReason).toWellFormed() };
}

/** What a call says of who makes it, and where. */
export function contextOf({ session, folder, mode }: HookCall, { name }: Pick<Host, 'name'>): WireContext {
  return {
    agent: name,
    ...(session === undefined ? {} : { session }),
    ...(folder === undefined ? {} : { workspace: folder }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** The action that a call stands for. */
export function actionOf(call: HookCall, host: Pick<Host, 'name'>): Action {
  if (call.event === 'tool_call_pre') {
    const { tool, server, arguments: input, justification } = call;
    return {
      kind: 'tool',
      tool,
      // Tools of the same name are different ones in different hosts.
      server: server ?? `host:${host.name}`,
      arguments: input,
      ...(justification === undefined ? {} : { justification }),
    };
  }
  if (call.event === 'tool_call_post') {
    return { kind: 'prompt', text: within(textOf(call.output)), origin: 'tool', name: call.tool };
  }
  return { kind: 'prompt', text: 'prompt' in call ? within(call.prompt) : '', origin: 'user' };
}

/** A text that is no longer than one on the wire may be. */
function within(text: string): string {
  if (text.length <= longestText) return text;
  throw new InputError(`the host sent a text of more than ${longestText} characters`);
}

function textOf(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/**
 * The service for a call: questions about files wait where the host is known to start its commands through the client,
 * which then runs this one aside.
 */
async function asideTerms(
  service: HookService,
  { arguments: given }: Extract<HookCall, { event: 'tool_call_pre' }>,
  { context }: Request,
  isThroughShell: boolean,
): Promise<HookService> {
  const { config, decider } = service;
  if (!isThroughShell || given['run_in_background'] === true) return service;
  const { shells } = await service.shells();
  if (!shells.isTrusted(context)) return service;
  const { shell } = await config.settingsFor(context);
  return shell.transactional
    ? { ...service, decider: decider.under({ world: { runsAside: true } }) }
    : service;
}

/**
 * Judges a call, and keeps what it may change before it goes. Where it turns out only then that not everything can be
 * brought back, the call is judged once more with that known.
 */
async function letGo(
  service: HookService,
  host: Host,
  call: Extract<HookCall, { event: 'tool_call_pre' }>,
  request: Request,
): Promise<Answer> {
  const { captures, decider } = service;
  const { action, context } = request;
  for (;;) {
    const covered = captures.covers(context.workspace);
    const decided = await decider.decide(action, context);
    const answer = await judgeTool(service, host, call, request, decided);
    if (decided.verdict.decision === 'block') await captures.refuse(call, context, decided);
    if (answer.does === 'deny') return answer;
    const { complete: isKept } = await captures.begin(call, context, decided);
    if (isKept || !covered) {
      const isReversible = answer.does === 'nothing' && isHarmless(decided, isKept);
      const { decisionId, findings } = decided.verdict;
      service.passed.add(context, { ...call, isReversible, decisionId, warnings: warningsIn(findings) });
      const isApproved = decided.verdict.decision !== 'pass' || answer.does !== 'nothing';
      const isBackground = call.arguments['run_in_background'] === true;
      const { shells } = await service.shells();
      shells.add(context, decided, { call: call.call, isBackground, isApproved });
      return answer;
    }
    await captures.end(call, context);
  }
}

/**
 * Whether a call passes in every mode that asks less, and either changes nothing or is covered by a complete pre-image.
 * What a tool does that is in no registry is not known. A tool without child actions is one of the host's own questions
 * and notes, which only the user answers.
 */
function isHarmless({ verdict, facts }: Decided, isKept: boolean): boolean {
  const { class: effect, parts, registered } = facts;
  if (verdict.decision !== 'pass' || registered !== true) return false;
  if (!Array.isArray(parts) || parts.length === 0) return false;
  return effect === 'read' || (isKept && (effect === 'edit' || effect === 'run'));
}

/** Answers the host's own permission prompt, where the user chose that and the call is harmless or can be undone. */
async function answerPrompt(
  { config, ledger, passed, world }: HookService,
  host: Host,
  prompt: Extract<HookCall, { event: 'permission_request' }>,
  { context }: Request,
): Promise<Answer> {
  if (config.host(host.name).answer === 'off' || context.mode === 'plan') return { does: 'nothing' };
  const found = passed.reversible(context, prompt);
  if (found === undefined) return { does: 'nothing' };
  const { user, tenant, agent, session, workspace } = context;
  await ledger.record(
    {
      ...{ time: world.now(), user, tenant, agent, decision_id: found.decisionId },
      event_type: 'host_prompt_allowed',
      decision: 'pass',
      details: { host: host.name, tool: visible(found.tool, 80), session, workspace },
    },
    true,
  );
  return { does: 'allow', reason: 'it is harmless or can be undone' };
}

/** What an agent receives in a run without a user. */
const goOn =
  'This run is headless, so it does not wait: continue with what does not need this call, and name it at the end. Once it is approved, exactly this call passes once, in any later session here.';

async function judgeTool(
  service: HookService,
  host: Host,
  call: Extract<HookCall, { event: 'tool_call_pre' }>,
  request: Request,
  decided: Decided,
): Promise<Answer> {
  const { ledger, world } = service;
  const before = call.arguments;
  let { verdict } = decided;
  if (verdict.decision === 'approve') {
    if (request.context.mode !== 'auto' && hostMayAsk(verdict.findings) && host.asks(call)) {
      // The host puts the question, so ours is taken back: one person is asked once.
      if (verdict.approval !== null) await ledger.approvals.withdraw(verdict.approval.id, world.now());
      const explanation = explain('approve', verdict.findings, null);
      return { does: 'ask', reason: reasonOf({ ...verdict, explanation, approval: null }) };
    }
    const isUnattended = host.isUnattended?.(call) === true;
    ({ verdict } = await afterAnswer(service, request, decided, isUnattended ? 0 : service.waitMs));
    if (verdict.decision === 'approve') {
      const next = isUnattended ? goOn : 'Then try exactly this once more.';
      return { does: 'deny', reason: `${reasonOf(verdict)} ${next}` };
    }
  }
  if (verdict.decision === 'block') return { does: 'deny', reason: reasonOf(verdict) };
  const after = argumentsOf(verdict.action);
  if (canonicalJson(after) === canonicalJson(before)) return { does: 'nothing' };
  if (host.rewrites(before, after)) return { does: 'rewrite', arguments: after, reason: reasonOf(verdict) };
  const wanted = JSON.stringify(after);
  return {
    does: 'deny',
    reason: `It may run only with other arguments, which this host cannot put in. Call it with: ${wanted}`,
  };
}

/** Whether every question of a verdict is one that a host's own prompt may settle; the others take the passphrase. */
function hostMayAsk(findings: readonly Finding[]): boolean {
  // A host's prompt has no room for what the person must see.
  return findings.every(
    (finding) => finding.decision !== 'approve' || (!isClosed(finding) && finding.shows === undefined),
  );
}

function argumentsOf(action: Action): JsonObject {
  if (action.kind !== 'tool') throw new InputError('a tool call became something else');
  return action.arguments ?? {};
}

async function judgePrompt(service: HookService, request: Request): Promise<Answer> {
  const { decider } = service;
  const first = await decider.decide(request.action, request.context);
  const { verdict } = await afterAnswer(service, request, first, service.waitMs);
  const { decision, findings, action, decisionId } = verdict;
  if (decision === 'pass') return { does: 'nothing' };
  if (decision !== 'redact') return { does: 'deny', reason: reasonOf(verdict) };
  // No host lets a hook rewrite what the user typed.
  if (findings.some(({ guard, decision: weight }) => guard === 'path' && weight === 'redact')) {
    const wanted = action.kind === 'prompt' ? action.text : '';
    return { does: 'deny', reason: `Blocked: a program of yours wants this sent instead: ${wanted}` };
  }
  const carried = findings
    .filter(({ decision: weight }) => weight === 'redact')
    .map(({ message }) => message);
  return {
    does: 'note',
    reason: `${carried.join(' ')} This host cannot take it out, so it goes to the model as you typed it. (sallyport why ${decisionId})`,
  };
}

/** A prompt's answer together with the warnings that waited for it. */
function withWarnings({ warnings }: HookService, { context }: Request, answer: Answer): Answer {
  if (answer.does !== 'nothing' && answer.does !== 'note') return answer;
  const waiting = warnings.take(context).join(' ');
  if (waiting === '') return answer;
  const reason = answer.does === 'note' ? `${answer.reason} ${waiting}` : waiting;
  return { does: 'note', reason, context: waiting };
}

/** Judges a file of instructions that the host has loaded; it cannot be taken back, so the next prompt warns of it. */
async function judgeInstructions(
  { decider, world, warnings }: HookService,
  { path }: Extract<HookCall, { event: 'instructions_loaded' }>,
  { context }: Request,
): Promise<Answer> {
  const text = world.readText(path);
  if (text === null) return { does: 'nothing' };
  const { verdict } = await decider.decide({ kind: 'prompt', text, origin: 'file', name: path }, context);
  const attacks = verdict.findings.filter(({ contract }) => contract === 'AG-IN-1');
  if (attacks.length > 0) {
    const found = [...new Set(attacks.map(({ message }) => message))].join(' ');
    warnings.add(
      context,
      `${path} was loaded as instructions. ${found} (sallyport why ${verdict.decisionId})`,
    );
  }
  return { does: 'nothing' };
}

/** Takes secrets out of what the host is about to show to its user. */
async function redactShown(
  service: HookService,
  { text }: Extract<HookCall, { event: 'message_display' }>,
  { context }: Request,
): Promise<Answer> {
  const { redactScreen } = await import('../../run/output.ts');
  const { text: output, redactions } = await redactScreen(service, text, context);
  const counts = countsIn(redactions);
  return counts === ''
    ? { does: 'nothing' }
    : { does: 'replace', output, reason: `taken out of the answer: ${counts}` };
}

/** The start and the end of a session: the user's own programs may have a word. */
async function askPrograms(
  { config }: HookService,
  call: Extract<HookCall, { event: 'session_start' | 'session_end' }>,
  { context }: Request,
): Promise<Answer> {
  const { blocked } = await runHooks(config.hooks, call.event, {}, context);
  return blocked === null ? { does: 'nothing' } : { does: 'deny', reason: `Blocked: ${blocked.why}` };
}

/** What a tool gave back, as far as the host lets it be replaced. */
async function checkOutput(
  service: HookService,
  host: Host,
  call: Extract<HookCall, { event: 'tool_call_post' }>,
  { context }: Request,
): Promise<Answer> {
  // Loaded with the first output: a daemon that serves no hooks needs none of it.
  const { judgeOutput } = await import('../../run/output.ts');
  const { tool, server, output } = call;
  const own = { tool, host: host.name, arguments: call.arguments };
  // A server answers what it likes, whatever it was asked to read.
  const file = server === undefined ? await fileReadBy(own, context, service) : undefined;
  const judged = await judgeOutput(service, { ...call, file }, context);
  if (judged.does === 'withhold') {
    const reason = judged.verdict === null ? judged.why : reasonOf(judged.verdict);
    return { does: 'deny', reason, of: call };
  }
  const { note, redactions } = judged;
  const counts = countsIn(redactions);
  if (counts === '') {
    return note === undefined ? { does: 'nothing' } : { does: 'note', reason: note, output };
  }
  return {
    does: 'replace',
    output: judged.output,
    reason: `taken out of the output: ${counts}`,
    ...(note === undefined ? {} : { note }),
  };
}

/** How many of each kind were taken out, in words; empty where nothing was. */
function countsIn(redactions: Readonly<Record<string, number>>): string {
  return Object.entries(redactions)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

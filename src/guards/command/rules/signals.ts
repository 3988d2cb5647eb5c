// Rule: processes that neither this command nor this session started are left alone, or ended after a person agreed.

import type { RunningProcess } from '../../../core/index.ts';
import type { Effect } from '../effects.ts';
import { withDescendants } from '../started.ts';
import { isWithin } from '../where.ts';
import { type CommandRule, hit, type Judge, nameOf, python, type RuleInput, shell, textsOf } from './rule.ts';

const forceKill: CommandRule = {
  id: 'force_kill',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Force kill: the process cannot save its work.',
  suggestion: 'Let the process end on its own.',
  examples: {
    hit: [
      shell('kill -9 1234'),
      shell('pkill -KILL node'),
      python('import os, signal\nos.kill(1234, signal.SIGKILL)'),
    ],
    miss: [shell('kill %1'), shell('kill -9 %1'), shell('kill -0 1234')],
  },
};

const processSignal: CommandRule = {
  id: 'process_signal',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Processes that this session did not start would be ended or disturbed.',
  suggestion: 'End only what this command started.',
  examples: {
    hit: [shell('kill 1234'), shell('kill "$PID"'), shell('pkill node'), shell('killall -TERM python3')],
    miss: [shell('kill %1'), shell('sleep 60 & PID=$!; kill "$PID"'), shell('pgrep -l node')],
  },
};

const everyProcess: CommandRule = {
  id: 'every_process',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'it would end the session itself',
  reason: 'A signal to the init process or to all processes ends the session or the machine.',
  suggestion: 'End only what this command started.',
  examples: { hit: [shell('kill -TERM -1'), shell('kill 1')], miss: [shell('kill %1'), shell('ps -p 1')] },
};

/** The rules on signals. */
export const signalRules: readonly CommandRule[] = [forceKill, processSignal, everyProcess];

/** Judges signals to processes. */
export const judgeSignal: Judge = (effect, ruleInput) => {
  const { span, detail = '', target } = effect;
  const signal = detail.toUpperCase().replace(/^SIG/, '');
  const name = nameOf(target);
  if (signal === '0' || signal === 'EXIT') return [];
  if (/^(?:-1|1|-\s*1)$/.test(name) && !isByPort.test(effect.program)) {
    return [hit(ruleInput, everyProcess, { span, why: 'it signals the first process or all of them' })];
  }
  const isStrict = ruleInput.profile === 'strict';
  const kills = signal === '9' || signal === 'KILL';
  // A job or a process of this shell.
  if (name.startsWith('%') && !(isStrict && kills)) return [];
  const rule = kills ? forceKill : processSignal;
  const what = name === '' ? (kills ? 'a process' : 'processes') : name;
  const why = kills ? `it kills ${what} at once` : `it signals ${what}`;
  if (isStrict) return [hit(ruleInput, rule, { span, why, decision: kills ? 'block' : 'approve' })];
  const reached = reachedBy(effect, ruleInput);
  const foreign = reached?.filter(({ pid }) => !ruleInput.isStarted(pid)) ?? null;
  if (foreign?.length === 0) return [];
  if (foreign === null || !areServers(foreign, ruleInput)) return [hit(ruleInput, rule, { span, why })];
  const served = `${why}: a server of this workspace`;
  return [hit(ruleInput, rule, { span, why: served, decision: 'warn' })];
};

// ── Whom a signal reaches, where that can be known before.

const isByPort = /^(?:fuser|kill-port)$/;

/** The processes that a signal reaches; null where that is not known. */
function reachedBy(effect: Effect, ruleInput: RuleInput): readonly RunningProcess[] | null {
  const running = ruleInput.processes();
  if (running === null) return null;
  const { target, program } = effect;
  const known = target.kind === 'name' && (target.name.kind === 'literal' || target.name.kind === 'choice');
  const words = known ? textsOf(target.name).flatMap((text) => text.split(/[\s,]+/).filter(Boolean)) : [];
  const sought = known ? soughtBy(program, words, effect, ruleInput) : soughtBefore(effect, ruleInput);
  if (sought === null) return null;
  if (sought.by === 'name') return running.filter(sought.fits);
  if (sought.by === 'number') {
    const found = running.filter(({ pid }) => sought.numbers.includes(pid));
    // A number that is not seen here may be one elsewhere, in a container.
    return found.length === sought.numbers.length ? found : null;
  }
  const numbers = ruleInput
    .portUses()
    ?.filter(({ port, listens }) => sought.numbers.includes(port) && (listens || sought.by === 'connection'))
    .map(({ pid }) => pid);
  return numbers === undefined ? null : running.filter(({ pid }) => numbers.includes(pid));
}

/** `port`: what listens there; `connection`: also what is connected from or to it. */
type Sought =
  | { readonly by: 'number' | 'port' | 'connection'; readonly numbers: readonly number[] }
  | { readonly by: 'name'; readonly fits: (one: RunningProcess) => boolean };

/** By what a program finds whom it signals; null where that is more than is understood here. */
function soughtBy(
  program: string,
  words: readonly string[],
  { span }: Pick<Effect, 'span'>,
  { facts }: Pick<RuleInput, 'facts'>,
): Sought | null {
  if (words.length === 0) return null;
  if (isByPort.test(program)) {
    const ports = words.map((word) => /^(\d{1,5})(?:\/tcp)?$/.exec(word)?.[1]);
    return ports.every((port) => port !== undefined) ? { by: 'port', numbers: ports.map(Number) } : null;
  }
  if (program === 'pkill' || program === 'killall') {
    const call = facts.invocations.find((one) => one.program === program && one.span[0] === span[0]);
    const options = call?.args.flatMap(textsOf).filter((text) => text.startsWith('-')) ?? ['unknown'];
    const pattern = words.join(' ');
    if (!options.every((option) => plainOption.test(option)) || !/^[\w ./:@=-]{3,}$/.test(pattern))
      return null;
    if (program === 'killall') return { by: 'name', fits: ({ name }) => name === pattern.slice(0, 15) };
    const whole = options.some((option) => /^-[a-z]*f|^--full$/.test(option));
    // Of what the pattern may hold, only the point is more than itself.
    const fitting = new RegExp(pattern);
    return { by: 'name', fits: ({ name, line }) => fitting.test(whole ? line : name) };
  }
  // A negative number is a group, in which anything may be.
  return words.every((word) => /^\d+$/.test(word)) ? { by: 'number', numbers: words.map(Number) } : null;
}

/** Options of pkill and killall that widen nothing: the signal, and how the name is compared. */
const plainOption = /^-(?:[fxne]+|\d{1,2}|(?:SIG)?[A-Z]{3,6}|-(?:full|exact|newest|oldest|echo|signal=\w+))$/;

/** The two ways to kill what lsof lists, with the words that it is given. */
const listed = String.raw`\blsof\s+([\w:.\s-]+?)(?:\s*2>\s*/dev/null)?\s*`;
const shapes = [
  new RegExp(String.raw`${listed}\|\s*xargs(?:\s+(?:-r|--no-run-if-empty))?\s+kill\b`, 'g'),
  new RegExp(String.raw`\bkill(?:\s+-\w+)*\s+(?:"?\$\(|${'`'})\s*${listed}(?:\)"?|${'`'})`, 'g'),
];

/** Whom a signal reaches whose numbers lsof finds first: what has a port open. */
function soughtBefore({ span }: Pick<Effect, 'span'>, { source, facts }: RuleInput): Sought | null {
  const lists = facts.invocations.filter(({ program }) => program === 'lsof');
  if (lists.length === 0 || lists.some(({ environment }) => environment === 'changed')) return null;
  for (const shape of shapes) {
    for (const found of source.matchAll(shape)) {
      const covers = found.index < span[1] && found.index + found[0].length > span[0];
      if (covers) return portSought((found[1] ?? '').trim().split(/\s+/));
    }
  }
  return null;
}

/** The port that lsof is asked for, where it is asked for nothing else and prints only numbers. */
function portSought(words: readonly string[]): Sought | null {
  let port: number | null = null;
  let isTerse = false;
  let listens = false;
  for (const word of words) {
    const asked = /^(-[nPt]*i)?(?:tcp)?:(\d{1,5})$/i.exec(word);
    if (/^-sTCP:LISTEN$/.test(word)) listens = true;
    else if (asked !== null && port === null) port = Number(asked[2]);
    else if (!/^-[nPti]+$/.test(word)) return null;
    isTerse ||= /^-[nPi]*t/.test(word);
  }
  return port === null || !isTerse ? null : { by: listens ? 'port' : 'connection', numbers: [port] };
}

// ── Servers of the workspace, which a person may have started: they can be started again.

/** Ports of servers that are made for development; below are those of the system, above those that it gives out itself. */
const devPorts = { first: 1024, last: 32_767 };
/** Programs that people and agents work in; they may listen too. */
const workplaces =
  /^(?:claude|codex|cursor|code|gemini|copilot|opencode|qwen|tmux|screen|sshd?|\w*sh)(?:\b|-|$)/i;

/** Whether processes are nothing but servers of the workspace, with what started them there. */
function areServers(
  processes: readonly RunningProcess[],
  { processes: all, portUses, pathScope }: RuleInput,
): boolean {
  const open = new Set(
    (portUses() ?? [])
      .filter(({ port, listens }) => listens && port >= devPorts.first && port <= devPorts.last)
      .map(({ pid }) => pid),
  );
  const running = all() ?? [];
  return processes.every(({ pid, own, guard, name, folder }) => {
    if (!own || guard || folder === undefined || !isWithin(folder, pathScope.workspace)) return false;
    if (workplaces.test(name)) return false;
    return [...withDescendants(new Set([pid]), running)].some((one) => open.has(one));
  });
}

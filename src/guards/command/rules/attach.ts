// Rule: a process that this command did not start is not traced, debugged or changed without a person; the guard's own,
// those of other users and all at once never are.

import type { Finding, RunningProcess } from '../../../core/index.ts';
import type { Effect } from '../effects.ts';
import { guardTampering } from './persistence.ts';
import { type CommandRule, hit, type Judge, nameOf, type RuleInput, shell, textsOf } from './rule.ts';

const processAttach: CommandRule = {
  id: 'process_attach',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: "A debugger can read a process's passwords and keys, and control it.",
  suggestion: 'Start the program under the tracer instead of attaching to it.',
  examples: {
    hit: [
      shell('strace -f -p 1234'),
      shell('gdb -p 1234'),
      shell('bpftrace -e "tracepoint:syscalls:sys_enter_read { printf(comm) }"'),
      shell('ps eww -p 1234'),
      shell('cat /proc/1234/maps'),
      shell('renice -n 5 -p 1234'),
    ],
    miss: [
      shell('strace -f ls'),
      shell('sleep 60 & strace -p $!'),
      shell('ps aux'),
      shell('cat /proc/1234/status'),
      shell('cat /proc/self/maps'),
      shell('prlimit --nofile=64 ls'),
    ],
  },
};

/** The rules on processes that run. */
export const attachRules: readonly CommandRule[] = [processAttach];

const verbs: Readonly<Record<string, string>> = {
  trace: 'traces',
  profile: 'samples',
  count: 'counts what is done by',
  debug: 'debugs',
  memory: 'reads the memory of',
  environment: 'shows the environment of',
  namespaces: 'goes into the namespaces of',
  limits: 'changes the limits of',
};

/** Judges what takes hold of a process. */
export const judgeAttach: Judge = (effect, ruleInput) => {
  const [how = '', all] = (effect.detail ?? '').split(' ');
  const verb = verbs[how] ?? 'takes hold of';
  if (all === 'all') return [everyProcess(effect, verb, how, ruleInput)];
  return heldFindings(effect, verb, aimedAt(effect, ruleInput), ruleInput);
};

/** Samples tell where time goes; whatever else follows every process hears what all of them read and write. */
function everyProcess({ span }: Effect, verb: string, how: string, ruleInput: RuleInput): Finding {
  const decision = how === 'profile' ? 'approve' : 'block';
  return hit(ruleInput, processAttach, { span, why: `it ${verb} every process of the machine`, decision });
}

/** Judges signals that reach a process of the guard. */
export const judgeGuardSignal: Judge = (effect, ruleInput) => {
  if (/^(?:0|EXIT)$/i.test(effect.detail ?? '') || /^(?:pkill|killall)$/.test(effect.program)) return [];
  const { found } = aimedAt(effect, ruleInput);
  return found.some(({ guard }) => guard) ? [ofGuard(effect, 'signals', ruleInput)] : [];
};

/** What an effect is aimed at, as far as it is known. */
interface Aim {
  readonly found: readonly RunningProcess[];
  /** Only processes that the command itself started. */
  readonly children: boolean;
  /** The guard is named. */
  readonly named: boolean;
}

function heldFindings(effect: Effect, verb: string, aim: Aim, ruleInput: RuleInput): readonly Finding[] {
  const { span } = effect;
  if (aim.children) return [];
  if (aim.named || aim.found.some(({ guard }) => guard)) return [ofGuard(effect, verb, ruleInput)];
  const name = nameOf(effect.target) || 'a process that is not known before it runs';
  if (aim.found.some(({ own }) => !own))
    return [
      hit(ruleInput, processAttach, { span, why: `it ${verb} ${name}, of another user`, decision: 'block' }),
    ];
  return [hit(ruleInput, processAttach, { span, why: `it ${verb} ${name}` })];
}

function ofGuard({ span }: Effect, verb: string, ruleInput: RuleInput): Finding {
  return hit(ruleInput, guardTampering, { span, why: `it ${verb} a process of Sallyport` });
}

const isGuard = /sallyport/i;
/** `%!` and `%1` are what this shell started, `%$` is the shell itself. */
const isOwn = /^(?:%.*|self|thread-self)$/;

function aimedAt({ target }: Effect, ruleInput: RuleInput): Aim {
  const value = target.kind === 'name' ? target.name : null;
  const known = value?.kind === 'literal' || value?.kind === 'choice';
  const words = value === null ? [] : textsOf(value).flatMap((text) => text.split(/[\s,]+/).filter(Boolean));
  if (known && words.length > 0 && words.every((word) => isOwn.test(word)))
    return { found: [], children: true, named: false };
  const numbers = new Set(words.filter((word) => /^-?\d+$/.test(word)).map((word) => Math.abs(Number(word))));
  const names = words.filter((word) => !/^-?\d+$/.test(word) && !isOwn.test(word));
  const sought = known ? names : [...names, ...namesSought(ruleInput)];
  const processes = numbers.size > 0 || sought.length > 0 ? (ruleInput.processes() ?? []) : [];
  const found = processes.filter(
    ({ pid, name, line }) => numbers.has(pid) || sought.some((word) => fits(word, name, line)),
  );
  // What stands for a process that is not known comes from somewhere in the command.
  const named = names.some((word) => isGuard.test(word)) || (!known && isGuard.test(bare(ruleInput.source)));
  return { found, children: false, named };
}

/** The names that the command looks processes up by. */
function namesSought({ facts }: RuleInput): readonly string[] {
  return facts.invocations.flatMap(({ program, args }) =>
    /^(?:pgrep|pidof|pidwait)$/.test(program ?? '')
      ? args.flatMap(textsOf).filter((word) => !word.startsWith('-') && word !== '')
      : [],
  );
}

/** A word without what only a pattern has, so that `[n]ode` is `node`. */
function bare(word: string): string {
  return word.replace(/[[\](){}^$\\|?*+]/g, '');
}

function fits(word: string, name: string, line: string): boolean {
  const plain = bare(word);
  return plain !== '' && (name.includes(plain) || bare(line).includes(plain));
}

// ── the files of processes

/** Files below /proc that show or change a process, and what it has open. */
const held =
  'environ|mem|auxv|maps|smaps|smaps_rollup|numa_maps|map_files|pagemap|fd|root|cwd|stack|syscall|clear_refs|oom_adj|oom_score_adj|coredump_filter|uid_map|gid_map|setgroups|attr';
const processFile = new RegExp(`^/proc/+([^/]+)/+(?:task/+[^/]+/+)?(?:${held})(?:/|$)`);
const inSegment = new RegExp(`/proc/[^\\s;|&<>]*/(?:${held})\\b`);

/** Judges files that the system keeps for each process. */
export const judgeProcessFile: Judge = (effect, ruleInput) => {
  const { target, detail, kind, span } = effect;
  if (target.kind !== 'path' || detail === 'list') return [];
  const verb = kind === 'read' ? 'reads what is kept of' : 'changes';
  return textsOf(target.path).flatMap((text) => {
    const who = processFile.exec(text)?.[1];
    if (who !== undefined) {
      if (/[*?[{]/.test(who)) return [everyProcess(effect, verb, 'files', ruleInput)];
      const name = { kind: 'name', name: { kind: 'literal', text: who } } as const;
      const named = { ...effect, target: name };
      return heldFindings(named, verb, aimedAt(named, ruleInput), ruleInput);
    }
    if (target.path.kind !== 'prefix' || !/^\/proc\/+[^/]*$/.test(text)) return [];
    if (!inSegment.test(ruleInput.source.slice(...span))) return [];
    const unknown = { ...effect, target: { kind: 'none' } } as const;
    return heldFindings(unknown, verb, aimedAt(unknown, ruleInput), ruleInput);
  });
};

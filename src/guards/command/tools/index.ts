// What each known program does: one table, and the one function that asks it.

import type { Effect, Value } from '../effects.ts';
import { Part } from '../need.ts';
import { cardEffects } from '../programs/card.ts';
import { allCards, cardOf, hasCard } from '../programs/index.ts';
import {
  type At,
  beginningOf,
  type Call,
  effect,
  holdsSecrets,
  type Io,
  literal,
  mapValue,
  orInert,
  read as readEffects,
  type Tool,
  textOf,
} from './tool.ts';

export type { At, Io } from './tool.ts';

/** Modules that Python starts by their names. */
const python = new Part(() => import('../programs/python.ts'));

/** The names of all programs that are known. */
export function knownPrograms(): readonly string[] {
  return allCards().flatMap(({ names }) => names.split(' '));
}

/** Look-ups that were made before. */
const looked = new Map<string, Tool | null>();
const mostLooked = 4096;

function named(program: string): Tool | undefined {
  const before = looked.get(program);
  if (before !== undefined) return before ?? undefined;
  const tool = toolOfCard(program);
  if (looked.size >= mostLooked) looked.clear();
  looked.set(program, tool ?? null);
  return tool;
}

function toolOfCard(program: string): Tool | undefined {
  const card = cardOf(program);
  return card === undefined
    ? undefined
    : (call) => {
        const effects = cardEffects(card, call);
        return [...effects, ...effects.flatMap((one) => scriptEffects(call, one))];
      };
}

/** What a script does that is known by its name: `python manage.py migrate`, `php artisan db:wipe`. */
function scriptEffects(call: Call, { kind, detail, target }: Effect): readonly Effect[] {
  if (kind !== 'run' || detail !== 'script' || target.kind !== 'path') return [];
  const path = textOf(target.path);
  const name = path?.split('/').at(-1) ?? '';
  const card = cardOf(name);
  if (card?.script !== true) return [];
  const at = call.args.findIndex((argument) => textOf(argument) === path);
  return cardEffects(card, { ...call, program: name, args: call.args.slice(at + 1) });
}

/** The filters of Netpbm, of which there are hundreds: they print one picture as another. */
const netpbm = /^(?:pbm|pgm|ppm|pnm)[a-z\d]{2,}$|^[a-z\d]{2,}to(?:pbm|pgm|ppm|pnm|pam)$|^pamto[a-z]+$/;

/** Whether a program has no consequence of its own. */
function isIdle(program: string): boolean {
  return cardOf(program)?.idle === true;
}

/** The tool of a program, also under names with a version or an ending: python3.12, gcc-13, mkfs.anything, git.exe. */
function toolOf(program: string): Tool | undefined {
  const exact = named(program);
  if (exact) return exact;
  if (/^sallyport(?:@[\w.^~*-]+|\.[cm]?js)$/.test(program)) return named('sallyport');
  const plain = program.replace(/\.(?:exe|cmd|bat|com|ps1)$/i, '');
  const versioned =
    /^(python|pypy|pip|gcc|g\+\+|clang|clang\+\+|cpp|gcov|php|ruby|gem|perl|lua|luajit|node|java|javac|julia|tclsh|guile|ghc|go|emacs|vim|psql|pg_dump|mysql|erl|bash|zsh|ksh|awk|automake|autoconf|make|cmake|lldb|gdb|openssl)-?\d[\d.]*$/.exec(
      plain,
    )?.[1];
  const family = /^(mkfs|fsck|newfs)[._]/.exec(plain)?.[1];
  return (
    named(plain) ??
    named(plain.toLowerCase()) ??
    (versioned ? named(versioned) : undefined) ??
    (family ? named(family) : undefined) ??
    (netpbm.test(plain) ? named('netpbm') : undefined)
  );
}

/** Whether `effectsOf` has something to say of a program, also under a name with a version or an ending. */
export function isKnownProgram(program: string): boolean {
  // A tool that was looked up before is not searched for in the lists of all families.
  return Boolean(looked.get(program)) || hasCard(program) || toolOf(program) !== undefined;
}

/** Programs whose operands may be another program with options of its own. */
const carriesOthers = /^(?:docker|podman|nerdctl|kubectl|k|oc|ssh|lxc|xargs|env|sudo|doas|su|find|busybox)$/;

const gitFlags =
  /^(?:--(?:hard|soft|mixed|keep|merge|force|force-with-lease|all|amend|delete|tags|staged|worktree)|-(?:[fdxXnqDv]+|a))$/;
const gitVerbs =
  /^(?:reset|clean|push|checkout|restore|branch|rebase|merge|tag|fetch|pull|add|rm|mv|commit)$/;

/** Git shows the help of a subcommand also behind its flags, as long as none of them takes a value. */
function asksGitForHelp(program: string, texts: readonly (string | null)[]): boolean {
  const [verb, ...flags] = texts.slice(0, -1);
  return (
    program === 'git' &&
    texts.at(-1) === '--help' &&
    gitVerbs.test(verb ?? '') &&
    flags.every((flag) => flag !== null && gitFlags.test(flag))
  );
}

/** Words of programs that carry others, behind which a second word says what is done and nothing else is started. */
const groupsOfCommands =
  /^(?:(?:docker|podman|nerdctl) (?:system|volume|image|network|container|builder|context)|(?:kubectl|oc|k) (?:delete|get|create|describe|scale|rollout|drain))$/;

function isAboutItself(argument: Value | undefined): boolean {
  const text = textOf(argument);
  return text === '--help' || text === '--version';
}

/** Only the version or the help is asked for. */
function asksForHelp(program: string, args: readonly Value[]): boolean {
  if (isAboutItself(args[0]) && !carriesOthers.test(program)) return true;
  if (!isAboutItself(args.at(-1))) return false;
  const texts = args.map(textOf);
  if (texts.length === 1 || asksGitForHelp(program, texts)) return true;
  // Behind long options alone: should one take it for its value, nothing is named that it could be done to.
  if (
    !carriesOthers.test(program) &&
    texts.length <= 3 &&
    texts.every((text) => /^--[a-z-]+$/.test(text ?? ''))
  )
    return true;
  if (texts.length === 3 && groupsOfCommands.test(`${program} ${texts[0] ?? ''}`))
    return /^[a-z]+$/.test(texts[1] ?? '') && !/^(?:run|exec)$/.test(texts[1] ?? '');
  if (carriesOthers.test(program))
    return texts.length <= 2 && !texts.slice(0, -1).some((text) => text === null || text.startsWith('-'));
  return texts.length <= 3 && texts.slice(0, -1).every((text) => text !== null && !text.startsWith('-'));
}

/** Whether a program is Python, which starts modules by their names. */
function isPython(program: string | undefined): boolean {
  return program !== undefined && /^(?:python|pypy)[\d.]*$/.test(program);
}

/** Words that only name a path, or that keep it in the shell. */
const onlyNames = new Set(
  'echo printf test [ [[ cd pushd popd dirs pwd export declare typeset local readonly set unset alias unalias type hash which whereis command builtin true false : trap history complete compgen notify-send expr let read sleep exit return shift jobs kill wait bind shopt help env exec eval'.split(
    ' ',
  ),
);

/** A tool of no consequence that is handed a secret file reads it, whatever it is for. */
function handedSecrets(call: Call, effects: readonly Effect[]): readonly Effect[] {
  if (onlyNames.has(call.program)) return effects;
  const idle = ({ kind, detail }: Effect): boolean =>
    kind === 'inert' || kind === 'run' || (kind === 'connect' && detail === 'probe');
  if (!effects.every(idle)) return effects;
  const project = effects.every(({ detail }) => detail === 'project');
  const found = call.args.flatMap((argument) => {
    // A sentence or a command in one word names a path and is none.
    if (/^[^/~.\s][^/\s]*\s/.test(beginningOf(argument))) return [];
    const path = mapValue(argument, (text) => text.replace(/^-[^=/]*=?(?=[/~.])|^file:\/\//, ''));
    if (!holdsSecrets(call, path)) return [];
    // Projects load their own settings for themselves, and the tools of keys their keys.
    return readEffects(call, path).filter(
      ({ kind, detail }) =>
        kind === 'secret' &&
        (project || isIdle(call.program)
          ? detail !== 'environment' && detail !== 'history'
          : detail === 'accounts'),
    );
  });
  return found.length > 0 ? [...effects, ...found] : effects;
}

/** More arguments than these are one that is not known: what is done to it is asked about, never passed. */
const mostArguments = 1024;

const mostCases = 16;

/** The argument lists that a call with choices may have, as long as they are few. */
function cases(args: readonly Value[]): readonly (readonly Value[])[] {
  let lists: Value[][] = [[]];
  for (const argument of args) {
    if (argument.kind === 'choice' && lists.length * argument.texts.length <= mostCases)
      lists = lists.flatMap((list) => argument.texts.map((text) => [...list, literal(text)]));
    else for (const list of lists) list.push(argument);
  }
  return lists;
}

/** What a program would do with these arguments; null where the program is not known. */
export function effectsOf(program: string, args: readonly Value[], io: Io, at: At): readonly Effect[] | null {
  const tool = isPython(at.through.at(-1))
    ? (python.content.runnerOfPython(program) ?? toolOf(program) ?? python.content.moduleOfPython(program))
    : toolOf(program);
  if (!tool) return null;
  const few: readonly Value[] =
    args.length > mostArguments ? [...args.slice(0, mostArguments), { kind: 'unknown' }] : args;
  const call: Call = { program, args: few, io, at };
  if (asksForHelp(program, args)) return [effect(call, 'inert', { detail: 'help' })];
  const asked = (whole: Call): readonly Effect[] => {
    return handedSecrets(whole, orInert(whole, tool(whole)));
  };
  if (!few.some((argument) => argument.kind === 'choice')) return asked(call);
  const found = new Map<string, Effect>();
  for (const list of cases(few))
    for (const one of asked({ ...call, args: list })) found.set(JSON.stringify(one), one);
  return [...found.values()];
}

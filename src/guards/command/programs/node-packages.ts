// The subcommands of npm, pnpm, yarn and bun, and what each is about.

import type { Value } from '../effects.ts';
import { beginningOf, type Call, literal, type More, textOf, unknownValue } from '../tools/tool.ts';
import type { Given } from './card.ts';

/** What a call is about. */
export type Deed =
  | 'unknown'
  | 'try'
  | 'publish'
  | 'install'
  | 'remove'
  | 'update'
  | 'token'
  | 'settings'
  | 'package-file'
  | 'clean'
  | 'exec'
  | 'create'
  | 'tag'
  | 'project';

export interface Said {
  /** Null where nothing is changed. */
  readonly deed: Deed | null;
  /** Null where it is not known. */
  readonly verb: string | null;
  readonly names: readonly Value[];
}

/** The subcommand and its words; yarn and bun have groups of them. */
export function wordsOf({ program, args }: Call, given: Given<Value>): readonly Value[] {
  // pnpm's -w is a switch: the word behind it is no value.
  const behind = program === 'pnpm' ? given.all('w') : [];
  const operands =
    behind.length === 0
      ? given.operands
      : args.filter((word) => given.operands.includes(word) || behind.includes(word));
  const words = operands.filter((operand) => !beginningOf(operand).startsWith('+'));
  if (program !== 'yarn') return words;
  const first = textOf(words[0] ?? unknownValue) ?? '';
  const rest = /^(?:npm|plugin|global)$/.test(first) ? words.slice(1) : words;
  return textOf(rest[0] ?? unknownValue) === 'workspace' ? rest.slice(2) : rest;
}

const publishing =
  /^(?:publish|unpublish|deprecate|undeprecate|dist-tag|dist-tags|owner|access|team|org|star|unstar|trust)$/;
const installing =
  /^(?:install|i|in|ins|inst|isntall|add|ci|clean-install|install-test|it|install-ci-test|cit|link|ln|import|dlx-install|dedupe|ddp|rebuild|rb|prune|setup|fetch|approve-builds|unplug|patch|patch-commit|patch-remove)$/;
const removing = /^(?:uninstall|un|unlink|remove|rm|r)$/;
const updating = /^(?:update|up|upgrade|udpate|outdated-update|upgrade-interactive|self-update)$/;
const setting = /^(?:config|c|login|logout|adduser|token|profile|hook)$/;

function settingDeed(verb: string, action: string, bare: boolean): Deed | null {
  if (/^(?:get|list|ls)$/.test(action) || (bare && !/^(?:login|logout|adduser)$/.test(verb))) return null;
  return verb === 'token' ? 'token' : 'settings';
}

interface Asked {
  readonly program: string;
  readonly verb: string;
  readonly names: readonly Value[];
  readonly given: Given<Value>;
  /** The first word behind the subcommand. */
  readonly action: string;
}

type Decide = (asked: Asked) => Deed | null;

/** By the subcommand; the first that fits counts. */
const deeds: readonly (readonly [RegExp, Decide])[] = [
  [
    publishing,
    ({ given, action }) => (given.has('dry-run') || /^(?:ls|list|get)$/.test(action) ? 'try' : 'publish'),
  ],
  [installing, () => 'install'],
  [removing, () => 'remove'],
  [
    /^set$/,
    ({ program, verb, action, names }) =>
      program === 'npm' ? settingDeed(verb, action, names.length === 0) : 'update',
  ],
  [updating, () => 'update'],
  [setting, ({ verb, action, names }) => settingDeed(verb, action, names.length === 0)],
  [/^pkg$/, ({ action }) => (action === 'set' ? 'package-file' : 'project')],
  [/^(?:cache|store)$/, ({ action }) => (/^(?:clean|clear|rm|prune)$/.test(action) ? 'clean' : null)],
  [/^exec$/, () => 'exec'],
  [/^(?:dlx|x|create)$/, () => 'create'],
  [/^inn?it$/, ({ names }) => (names.length > 0 ? 'create' : 'project')],
  [/^version$/, ({ names }) => (names.length > 0 ? 'tag' : 'project')],
];

function deedOf(asked: Asked): Deed | null {
  if (asked.program === 'bun' && asked.verb === 'pm') return asked.action === 'cache' ? 'clean' : null;
  const decide = deeds.find(([verbs]) => verbs.test(asked.verb))?.[1];
  return decide === undefined ? 'project' : decide(asked);
}

export function saidBy(call: Call, given: Given<Value>): Said {
  const [word, ...names] = wordsOf(call, given);
  const verb = textOf(word ?? literal(call.program === 'yarn' ? 'install' : ''));
  const action = beginningOf(names[0] ?? literal(''));
  const deed = verb === null ? 'unknown' : deedOf({ program: call.program, verb, names, given, action });
  return { verb, names, deed };
}

/** What is the project's own can be made again. */
export function scopeOf(call: Call, given: Given<Value>): More {
  const machine = call.program === 'yarn' && call.args.some((argument) => textOf(argument) === 'global');
  return given.has('global') || machine ? {} : { reversible: true };
}

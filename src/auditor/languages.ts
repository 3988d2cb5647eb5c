// Which files an audit reads, and which are sources that it cannot read: those are named, since nothing is proved of them.

import { modelAddress } from './roles/models.ts';

export type Language = 'go' | 'python' | 'typescript';

const read: readonly (readonly [RegExp, Language])[] = [
  [/\.go$/, 'go'],
  [/\.py$/, 'python'],
  [/\.[cm]?[jt]sx?$/, 'typescript'],
];

/** Declarations, and what a machine has shrunk. */
const neverRun = /\.d\.[cm]?ts$|\.min\.js$/;

/** Languages that agents are written in and that have no reader here, by the endings of their files. */
const unread: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'C and C++': 'c cc cpp cxx h hpp',
    'C#': 'cs csx',
    Clojure: 'clj cljc cljs',
    Crystal: 'cr',
    Dart: 'dart',
    Elixir: 'ex exs',
    Erlang: 'erl',
    'F#': 'fs fsx',
    Groovy: 'groovy',
    Haskell: 'hs',
    Java: 'java',
    Julia: 'jl',
    'Jupyter notebook': 'ipynb',
    Kotlin: 'kt kts',
    Lua: 'lua',
    Nim: 'nim',
    'Objective-C': 'm mm',
    OCaml: 'ml',
    PHP: 'php',
    R: 'r R',
    Ruby: 'rb',
    Rust: 'rs',
    Scala: 'scala sc',
    'Svelte, Vue and Astro': 'svelte vue astro',
    Swift: 'swift',
    'Visual Basic': 'vb',
    Zig: 'zig',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
);

/** Scripts stand in every repository; one is part of an agent where it names the address of a model. */
const scripts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Shell: 'sh bash zsh fish',
    Perl: 'pl pm',
    PowerShell: 'ps1 psm1',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
);

/** A test is no part of the agent that it tests, unless a part of that uses it. */
const test =
  /(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$|\.(test|spec)\.[cm]?[jt]sx?$|_test\.go$|_(test|spec)\.(rb|dart|exs)$|Tests?\.(java|kt|cs|swift|php|scala)$/;

/** The language in which a file is read, if it is. */
export function languageOf(path: string): Language | undefined {
  return neverRun.test(path) ? undefined : read.find(([ending]) => ending.test(path))?.[1];
}

export function isTest(path: string): boolean {
  return test.test(path);
}

/** The language of a source that cannot be read. What a script says is looked at, by `text`, for the address of a model. */
export function unreadLanguageOf(path: string, text: () => string): string | undefined {
  if (isTest(path)) return undefined;
  const ending = /\.([a-zA-Z\d]+)$/.exec(path)?.[1] ?? '';
  const script = scripts.get(ending);
  if (script !== undefined) return modelAddress.test(text()) ? script : undefined;
  return unread.get(ending);
}

// Whether a command changes a git repository: by its effects, or by the text of a script that it runs.

import { type Facts, isJsonObject, type JsonValue } from '../../core/index.ts';

/** A command, and the files that it may run. */
export interface RepositoryLook {
  readonly facts: Facts;
  /** The command or program as it is run. */
  readonly source: string;
  /** Absolute folders that its relative paths may start from: where it runs first. */
  readonly folders: readonly string[];
  /** The text of a file by its absolute path; null where there is none that may be read. */
  readonly read: (path: string) => string | null;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Programs that change the repository as a part of their work. */
const workers = words(
  'jj sl gh glab hub lerna changeset lint-staged pre-commit lefthook overcommit standard-version commit-and-tag-version semantic-release release-it np bumpversion bump2version bump-my-version tbump cz commitizen lazygit gitui tig dvc',
);

/** Subcommands of git that change its data. Its settings can never be changed, so those that only do that are left out. */
const changing = words(
  'add am apply bisect branch checkout cherry-pick clean commit commit-tree fetch filter-branch gc hash-object lfs merge mv notes pull push read-tree rebase replace reset restore revert rm stash submodule subtree switch symbolic-ref tag update-index update-ref worktree write-tree',
);
/** Those that list what is there when nothing, or one of these, follows. */
const listing = words('branch tag notes worktree bisect submodule symbolic-ref');
const lists =
  /^(?:-l|-v|-vv|-a|-r|-n\d*|--list|--show-current|--contains|--no-contains|--merged|--no-merged|--points-at|--sort\b.*|--format\b.*|--short|list|show|status|log|HEAD)$/;

/** Libraries that change repositories without the program. */
const libraries =
  /\b(?:simple-git|isomorphic-git|nodegit|pygit2|dulwich)\b|^[ \t]*(?:import git\b|from git\b)|\bgit2::|\bgo-git\b/m;

/** Tasks of tools that commit or tag. */
const tasks = /\b(?:yarn|bun pm) version\b|\b(?:cargo|nx) release\b|\bmvn\b.*\brelease:/;

/** How far a look goes: files that are read, paths that are tried, words of a text, and characters of a file. */
const mostFiles = 32;
const mostTries = 512;
const mostWords = 512;
const mostText = 262_144;

/** A text that is run, and the folders that its relative paths may start from. */
interface Script {
  readonly text: string;
  readonly folders: readonly string[];
}

/** Whether a command changes the repository; a file that cannot be read names nothing. */
export function changesRepository({ facts, source, folders, read }: RepositoryLook): boolean {
  if (changesByFacts(facts)) return true;
  const asked = wordsOf(source);
  const entered = [...source.matchAll(/\bcd\s+([\w./-]+)/g)].flatMap(([, to = '']) => absolute(to, folders));
  const open: Script[] = [{ text: source, folders: [...folders, ...entered] }];
  const tried = new Set<string>();
  let files = 0;
  for (let script = open.pop(); script !== undefined; script = open.pop()) {
    if (namesChange(script.text)) return true;
    for (const path of filesIn(script)) {
      if (files >= mostFiles || tried.size >= mostTries || tried.has(path)) continue;
      tried.add(path);
      const text = read(path)?.slice(0, mostText);
      if (text === undefined) continue;
      files++;
      open.push({ text: reached(path, text, asked), folders: [...new Set([folderOf(path), ...folders])] });
    }
  }
  return false;
}

function changesByFacts({ effects, programs }: Facts): boolean {
  if (isJsonObject(effects) && Number(effects['git'] ?? 0) > 0) return true;
  const works = (name: JsonValue) =>
    typeof name === 'string' && (workers.has(name) || name.startsWith('git-'));
  return Array.isArray(programs) && programs.some(works);
}

/** Whether a script, in whatever language, has git change something; whole lines of comment do not count. */
export function namesChange(text: string): boolean {
  const code = text.replaceAll(/^[ \t]*(?:#|\/\/|\*).*$/gm, '');
  if (libraries.test(code) || tasks.test(code)) return true;
  for (const { index, 0: name } of code.matchAll(
    /(?<![\w.:$]|\w[@-])git(?![\w.@:/+-])|\$[({]?GIT[)}]?(?!\w)/g,
  )) {
    const rest = code.slice(index + name.length, index + name.length + 300);
    if (changesIn((rest.split(/[;|&]/)[0] ?? '').split(/[\s,"'`[\](){}\\]+/).filter(Boolean))) return true;
  }
  return false;
}

/** Whether the words behind `git` change something. */
function changesIn(given: readonly string[]): boolean {
  let at = 0;
  while (given[at]?.startsWith('-'))
    at += /^(?:-[cC]|--git-dir|--work-tree|--namespace)$/.test(given[at] ?? '') ? 2 : 1;
  const verb = given[at] ?? '';
  const next = given[at + 1];
  if (!changing.has(verb)) return false;
  if (verb === 'stash') return next === undefined || !/^(?:list|show)$/.test(next);
  return !listing.has(verb) || (next !== undefined && !lists.test(next));
}

function wordsOf(text: string): readonly string[] {
  return (text.match(/[\w@%+:./-]+/g) ?? []).slice(0, mostWords);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

const scripts = /\.(?:sh|bash|zsh|py|[cm]?[jt]s|rb|pl|mk|ya?ml)$/;

/** Files that the tools of a project run, by the name of the tool. */
const projectFiles: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:npm|npx|pnpm|yarn|bun|bunx)\b/, ['package.json']],
  [/\bg?make\b|\$[({]MAKE[)}]/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/\bjust\b/, ['justfile', 'Justfile']],
];

/** The absolute paths that a script may run: what its words name, and the files of tools that it starts. */
function filesIn({ text, folders }: Script): readonly string[] {
  const own = projectFiles.flatMap(([tool, names]) => (tool.test(text) ? names : []));
  const named = wordsOf(text).filter((word) => scripts.test(word) || word.includes('/'));
  const inside =
    own.length === 0
      ? []
      : wordsOf(text)
          .slice(0, 64)
          .flatMap((word) => absolute(word, folders));
  return [
    ...[...folders, ...inside].flatMap((folder) => own.map((name) => `${folder}/${name}`)),
    ...named.flatMap((word) => absolute(word, folders)),
  ];
}

function absolute(word: string, folders: readonly string[]): readonly string[] {
  if (word.startsWith('/')) return [word];
  return folders.map((folder) => `${folder}/${word.replace(/^(?:\.\/)+/, '')}`);
}

/** What of a file runs when these words are asked for: of recipes by name, those and the ones that they name. */
function reached(path: string, text: string, asked: readonly string[]): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'package.json') return chosen(scriptsIn(text), [...asked, ...lifecycle(asked)]);
  if (!/^(?:GNU)?[Mm]akefile$|^[Jj]ustfile$/.test(name)) return text;
  const { always, recipes } = recipesIn(text);
  const [first = ''] = recipes.keys();
  return `${always}\n${chosen(recipes, asked.some((word) => recipes.has(word)) ? asked : [first])}`;
}

/** Scripts that npm runs of its own accord, by its subcommand. */
function lifecycle(asked: readonly string[]): readonly string[] {
  if (asked.some((word) => /^(?:i|ci|install|add)$/.test(word))) return ['install', 'prepare', 'prepublish'];
  if (asked.some((word) => /^(?:publish|pack)$/.test(word)))
    return ['prepublishOnly', 'prepare', 'pack', 'publish'];
  return asked.some((word) => /^(?:t|tst)$/.test(word)) ? ['test'] : [];
}

export function scriptsIn(text: string): ReadonlyMap<string, string> {
  try {
    const { scripts: named } = JSON.parse(text) as { readonly scripts?: unknown };
    const entries = typeof named === 'object' && named !== null ? Object.entries(named) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** The rules of a Makefile or a justfile by the names of their targets, and the lines that belong to none. */
function recipesIn(text: string): { readonly always: string; readonly recipes: ReadonlyMap<string, string> } {
  const recipes = new Map<string, string>();
  const always: string[] = [];
  let targets: readonly string[] = [];
  for (const line of text.split('\n')) {
    const [whole, names = '', needs = ''] = /^([\w./%@ -]+?)(?: [^:=]*)?::?(?!=)(.*)$/.exec(line) ?? [];
    const inRule = targets.length > 0 && (/^\s/.test(line) || line === '');
    if (whole !== undefined && !/^\s/.test(line)) targets = names.trim().split(/\s+/);
    else if (!inRule) targets = [];
    const added = whole === undefined || inRule ? line : needs;
    if (targets.length === 0) always.push(line);
    for (const target of targets) recipes.set(target, `${recipes.get(target) ?? ''}${added}\n`);
  }
  return { always: always.join('\n'), recipes };
}

/** The texts of recipes by name, with those before and behind them and those that they name in turn. */
function chosen(recipes: ReadonlyMap<string, string>, names: readonly string[]): string {
  const open = [...names];
  const taken = new Map<string, string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const text = recipes.get(name);
    if (text === undefined || taken.has(name)) continue;
    taken.set(name, text);
    open.push(`pre${name}`, `post${name}`, ...wordsOf(text));
  }
  return [...taken.values()].join('\n');
}

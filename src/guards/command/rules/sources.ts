// Rule: code of others comes from where it comes from today. Code from a repository, an address or a file, which no registry
// vouches for, and a change of where code is looked for are a question.

import type { Finding } from '../../../core/index.ts';
import type { Invocation } from '../effects.ts';
import { isEverydayPackage } from '../programs/packages.ts';
import { type CommandRule, hit, type Judge, nameOf, type RuleInput, shell, textsOf } from './rule.ts';

const codeSource: CommandRule = {
  id: 'code_source',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Third-party code would come from an unvetted repository, address or file, or from a new source.',
  suggestion: "Install it by name from the project's registry.",
  examples: {
    hit: [
      shell('pip install git+https://github.com/someone/thing'),
      shell('cargo install --git https://github.com/someone/thing'),
      shell('npm install github:someone/thing'),
      shell('pip install ./thing-1.0-py3-none-any.whl'),
      shell('pip config set global.index-url https://index.example/simple'),
      shell('gem sources --add https://gems.example/'),
      shell('brew tap someone/thing'),
      shell('code --install-extension someone.thing'),
      shell('deno run npm:@someone/thing'),
      shell('bun x @someone/thing'),
      shell('npm exec --package someones-thing -- tsc'),
      shell('nix run github:someone/thing'),
      shell('dotnet nuget add source https://packages.example/v3/index.json'),
      shell('gh extension install someone/gh-thing'),
      shell('mix archive.install github someone/thing'),
      shell('conda config --add channels https://channels.example'),
    ],
    miss: [
      shell('pip install requests'),
      shell('pip install -e .'),
      shell('npm install ./packages/core'),
      shell('npm install @types/node'),
      shell('cargo install ripgrep'),
      shell('go install golang.org/x/tools/gopls@latest'),
      shell('brew install jq'),
      shell('nix run nixpkgs#hello'),
      shell('bun x vitest'),
      shell('code --list-extensions'),
      shell('gh extension list'),
      shell('conda config --add channels conda-forge'),
    ],
  },
};

/** The rules on where code comes from. */
export const sourceRules: readonly CommandRule[] = [codeSource];

/** A repository or an address as the name of a package, in the notations of the package managers. */
const repository =
  /^(?:[\w.-]+\s*@\s*)?(?:git(?:\+\w+)?:|git@|ssh:|hg\+|svn\+|bzr\+|https?:|github:|gitlab:|bitbucket:|gist:)/;
/** `owner/name`, which some managers take for a repository of GitHub. */
const shorthand = /^[\w.-]+\/[\w.-]+(?:#.*)?$/;
const takesShorthand = /^(?:npm|pnpm|yarn|bun)$/;
/** `owner/tap/name`, outside of those that the manager itself keeps. */
const tapped = /^(?!homebrew\/)[\w-]+\/[\w-]+\/[\w@.+-]+$/;
/** A package as a file. */
const archive = /\.(?:whl|egg|gem|crate|nupkg|vsix|tgz|tar\.gz|tar|zip|jar|phar)$/i;

/** Judges where installed packages come from. */
export const judgeSource: Judge = ({ detail, program, span, target }, ruleInput) => {
  const name = nameOf(target);
  if (detail === 'sources') {
    const why = `it changes where packages come from${name === '' ? '' : `: ${name}`}`;
    return [hit(ruleInput, codeSource, { span, why })];
  }
  if (detail !== 'install' || name === '') return [];
  const isForeign =
    repository.test(name) ||
    (/^[./~]/.test(name) && archive.test(name)) ||
    (takesShorthand.test(program) && shorthand.test(name) && !/^[.~]/.test(name)) ||
    (program === 'brew' && tapped.test(name));
  return isForeign
    ? [hit(ruleInput, codeSource, { span, why: `it installs ${name}, which no registry vouches for` })]
    : [];
};

/** What the words of a call say of where its code comes from; null where they say nothing. */
type Reader = (words: readonly string[]) => string | null;

const extension: Reader = (words) =>
  words.some((word) => /^--install-extension(?:=|$)/.test(word))
    ? 'it installs an extension of the editor'
    : null;

const runsPackage = (name: string | undefined): string | null =>
  name === undefined || isEverydayPackage(name) ? null : `it runs a program of the package ${name}`;

/** `npm exec --package a -- b`: what is run belongs to a package of another name. */
const otherPackage: Reader = (words) => {
  const at = words.findIndex((word) => /^(?:-p|--package)(?:=|$)/.test(word));
  if (at === -1 || !/^(?:exec|x|dlx)$/.test(words[0] ?? '')) return null;
  return runsPackage(words[at]?.split('=')[1] ?? words[at + 1]);
};

const bun: Reader = ([verb, ...rest]) =>
  verb === 'x' ? runsPackage(rest.find((word) => !word.startsWith('-'))) : null;

const deno: Reader = ([verb = '', ...rest]) =>
  /^(?:add|cache|info|remove|outdated)$/.test(verb)
    ? null
    : runsPackage([verb, ...rest].find((word) => /^(?:npm|jsr):/.test(word)));

const nix: Reader = ([verb = '', ...rest]) => {
  if (!/^(?:run|shell|develop|profile|build)$/.test(verb)) return null;
  const found = rest.find((word) => /^(?:github|gitlab|sourcehut|git\+\w+|https?|tarball\+\w+):/.test(word));
  return found === undefined || /^github:nixos\/nixpkgs\b/i.test(found) ? null : `it runs code of ${found}`;
};

/** Words that change where a program's packages come from, or that install what no registry holds, by the program. */
const phrases: readonly (readonly [programs: RegExp, words: RegExp, why: string])[] = [
  [/^gem$/, /^sources? .*(?:-a|--add)/, 'it changes where packages come from'],
  [/^helm$/, /^repo (?:-\S+ )*add /, 'it adds a place that charts come from'],
  [
    /^(?:dotnet|nuget)$/,
    /^(?:nuget (?:add|update) source|sources add) /,
    'it adds a place that packages come from',
  ],
  [/^dotnet$/, /^tool install .*--add-source[ =]/, 'it installs a tool from a place of its own'],
  [
    /^(?:conda|mamba|micromamba)$/,
    /^config .*--(?:add|append|prepend|set) \w*channel\S* (?:https?:|\/)/,
    'it changes where packages come from',
  ],
  [
    /^mix$/,
    /^(?:hex\.repo add|(?:archive|escript)\.install (?:github|git|https?:)) ?/,
    'it installs code of others',
  ],
  [
    /^(?:mise|asdf)$/,
    /^plugins? (?:add|install|i) \S+ \S*(?:@|:\/\/)/,
    'it installs a plugin from a repository',
  ],
  [/^kubectl$/, /^krew index add /, 'it adds a place that plugins come from'],
  [
    /^gh$/,
    /^(?:extension|extensions|ext) (?:install|upgrade) /,
    'it installs an extension, which is code of others',
  ],
  [
    /^git$/,
    /^(?:-\S+ )*config (?:set )?(?:--\S+ )*url\.\S+\.(?:pushi|i)nsteadof /i,
    'it changes where repositories come from',
  ],
  [
    /^(?:docker|podman|nerdctl)$/,
    /^(?:buildx |image )?build .*(?<= )(?:https?|git|ssh):\/\//,
    'it builds code of a repository',
  ],
  [
    /^(?:Rscript|R)$/,
    /\binstall_(?:github|gitlab|bitbucket|git|svn|url)\s*\(/,
    'it installs code of a repository',
  ],
  [
    /^julia$/,
    /\bPkg\.(?:add|develop)\(\s*(?:(?:Pkg\.)?PackageSpec\(\s*)?(?:url\s*=|"(?:https?:|git@))/,
    'it takes a package from a repository',
  ],
  [/^pod$/, /^repo add /, 'it adds a place that packages come from'],
  [/^conan$/, /^remote add /, 'it adds a place that packages come from'],
  [/^pre-commit$/, /^try-repo (?:https?:|git@|ssh:)/, 'it runs code of a repository'],
  [/^snap$/, /^install .*--dangerous/, 'it installs a package that nobody signed'],
  [/^cargo$/, /^(?:add|install) .*--git[ =]/, 'it takes a package from a repository'],
];

/** What such words of a call say; null where they say nothing. */
function phraseOf(program: string, words: readonly string[]): string | null {
  const line = words.slice(0, 16).join(' ');
  return phrases.find(([programs, said]) => programs.test(program) && said.test(line))?.[2] ?? null;
}

const readers: ReadonlyMap<string, Reader> = new Map([
  ...['code', 'code-insiders', 'codium', 'cursor', 'windsurf', 'positron'].map(
    (name) => [name, extension] as const,
  ),
  ...(['npm', 'pnpm'] as const).map((name) => [name, otherPackage] as const),
  ...([
    ['bun', bun],
    ['deno', deno],
    ['nix', nix],
  ] as const),
]);

/** What the words of calls say of where code comes from. */
export function sourceFindings(ruleInput: RuleInput): readonly Finding[] {
  return ruleInput.facts.invocations.flatMap((invocation) => {
    const { program, span } = invocation;
    if (program === null) return [];
    const words = wordsOf(invocation);
    const why = readers.get(program)?.(words) ?? phraseOf(program, words);
    return why === null ? [] : [hit(ruleInput, codeSource, { span, why })];
  });
}

function wordsOf({ args }: Invocation): readonly string[] {
  return args.flatMap((argument) => textsOf(argument).slice(0, 1));
}

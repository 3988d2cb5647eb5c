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
  reason:
    'Code of others would come from a repository, an address or a file that no registry vouches for, or from elsewhere than before.',
  suggestion: 'Install it by its name from the registry that the project uses.',
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

const editors = /^(?:code|code-insiders|codium|cursor|windsurf|positron)$/;

/** What calls say of where their code comes from, by their words. */
function sourceOf(program: string, words: readonly string[]): string | null {
  const [verb = '', ...rest] = words;
  const named = rest.filter((word) => !word.startsWith('-'));
  if (editors.test(program)) {
    const isAdded = words.some((word) => /^--install-extension(?:=|$)/.test(word));
    return isAdded ? 'it installs an extension of the editor' : null;
  }
  if (program === 'deno') {
    const found = words.find((word) => /^(?:npm|jsr):/.test(word));
    return found === undefined || /^(?:add|cache|info|remove|outdated)$/.test(verb)
      ? null
      : `it runs the package ${found}`;
  }
  if (program === 'bun') {
    const [name] = named;
    return verb !== 'x' || name === undefined || isEverydayPackage(name)
      ? null
      : `it runs the package ${name}`;
  }
  if (program === 'nix') {
    const found = words.find((word) =>
      /^(?:github|gitlab|sourcehut|git\+\w+|https?|tarball\+\w+):/.test(word),
    );
    const runs = /^(?:run|shell|develop|profile|build)$/.test(verb);
    return found === undefined || !runs || /^github:nixos\/nixpkgs\b/i.test(found)
      ? null
      : `it runs code of ${found}`;
  }
  if (/^p?npm$/.test(program)) {
    const at = words.findIndex((word) => /^(?:-p|--package)(?:=|$)/.test(word));
    const name = words[at]?.split('=')[1] ?? words[at + 1] ?? '';
    const runs = at !== -1 && /^(?:exec|x|dlx)$/.test(verb);
    return !runs || isEverydayPackage(name) ? null : `it runs a program of the package ${name}`;
  }
  if (program === 'gem') {
    const isAdded = /^sources?$/.test(verb) && rest.some((word) => /^(?:-a|--add)/.test(word));
    return isAdded ? 'it changes where packages come from' : null;
  }
  if (program === 'helm')
    return verb === 'repo' && named[0] === 'add' ? 'it adds a place that charts come from' : null;
  return null;
}

/** What the words of calls say of where code comes from. */
export function sourceFindings(ruleInput: RuleInput): readonly Finding[] {
  return ruleInput.facts.invocations.flatMap((invocation) => {
    const { program, span } = invocation;
    const why = program === null ? null : sourceOf(program, wordsOf(invocation));
    return why === null ? [] : [hit(ruleInput, codeSource, { span, why })];
  });
}

function wordsOf({ args }: Invocation): readonly string[] {
  return args.flatMap((argument) => textsOf(argument).slice(0, 1));
}

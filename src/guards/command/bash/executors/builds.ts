// Tools that build, pack and install: recipes, hooks and helpers that they start.

import { looksLikeScript } from '../programs.ts';
import { splitQuoted } from '../quoted.ts';
import { emptyText, knownText, onlyText, singleText, type Text } from '../values.ts';
import { type Call, type Inner, maxSearched, shellCode } from './inner.ts';
import { bySuffix, combined, loading, projectFiles } from './shapes.ts';
import { environmentExecutor } from './spread.ts';

export function make({ args, fed }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg);
    const next = args[index + 1] ?? emptyText;
    const attached = /^(?:-f|--file=|--makefile=)(.+)$/.exec(text)?.[1];
    const file = /^(?:-\w*f|--file|--makefile)$/.test(text)
      ? next
      : attached === undefined
        ? null
        : knownText(attached);
    if (file !== null) {
      if (/^(?:-|\/dev\/stdin)$/.test(singleText(file))) {
        if (fed) inner.push({ kind: 'input', language: 'make' });
      } else inner.push({ kind: 'file', language: 'make', path: file });
    }
    const evaluated =
      /^--eval=(.*)$/s.exec(text)?.[1] ?? (text === '--eval' || text === '-E' ? onlyText(next) : null);
    if (evaluated !== null) inner.push({ kind: 'code', language: 'make', text: knownText(evaluated) });
    const shell = /^SHELL=(.+)$/.exec(text)?.[1];
    if (shell !== undefined) inner.push(shellCode(knownText(shell)));
    // Recipes put it where the name of a program stands.
    const value = /^\w+[:?+]?=(.+)$/s.exec(text)?.[1];
    if (shell === undefined && value !== undefined && looksLikeScript(value))
      inner.push(shellCode(knownText(value)));
    const folder = /^-C(.+)$|^--directory=(.+)$/
      .exec(text)
      ?.slice(1)
      .find((one) => one !== undefined);
    const elsewhere = folder ?? (/^(?:-C|--directory)$/.test(text) ? singleText(next) : null);
    if (elsewhere !== null && elsewhere !== '')
      inner.push({ kind: 'file', language: 'make', path: knownText(`${elsewhere}/Makefile`) });
  }
  if (!args.some((arg) => /^(?:-f|--file|--makefile)/.test(singleText(arg)))) {
    inner.push(
      ...projectFiles(
        'make',
        'Makefile',
        'makefile',
        'GNUmakefile',
      )({ program: 'make', args, stdin: emptyText, fed }),
    );
  }
  return inner;
}

/** Settings of apt that are commands, and files of settings, which may hold such. */
export const aptExecutor = combined(
  bySuffix(/^(?:-o)?(?:APT|DPkg)::[\w:-]*Invoke[\w:-]*=(.*)$/is),
  ({ args }) =>
    args.some((arg) => /^(?:-c|--config-file)/.test(singleText(arg))) ? [{ kind: 'unknown' }] : [],
);

/** `cmake -E` is a small shell of its own, and `-P` runs a script. */
export function cmakeExecutor({ args }: Call): readonly Inner[] {
  const at = args.findIndex((arg) => singleText(arg) === '-E');
  if (at === -1) return loading(/^-P(.*)$/)({ program: 'cmake', args, stdin: emptyText, fed: false });
  const [verb, ...words] = args.slice(at + 1);
  const named = (program: string): readonly Inner[] => [
    { kind: 'argv', argv: [...splitQuoted(program).map((word) => knownText(word)), ...words] },
  ];
  switch (singleText(verb)) {
    case 'env':
      return environmentExecutor({ program: 'env', args: words, stdin: emptyText, fed: false });
    case 'time':
      return [{ kind: 'argv', argv: words }];
    case 'rm':
    case 'remove':
    case 'touch':
    case 'cat':
    case 'tar':
      return named(singleText(verb).replace('remove', 'rm -f'));
    case 'remove_directory':
      return named('rm -rf');
    case 'copy':
    case 'copy_if_different':
    case 'copy_directory':
      return named('cp -r');
    case 'rename':
      return named('mv');
    case 'create_symlink':
      return named('ln -s');
    default:
      return [];
  }
}

/** What macros of m4 hand to a shell. */
export function escapesOfM4(texts: readonly Text[]): readonly Inner[] {
  return texts.flatMap(({ alternatives }) =>
    alternatives.flatMap((text) =>
      [...text.slice(0, maxSearched).matchAll(/\be?syscmd\(\s*[`'"]?((?:[^()'"`]|\([^()]*\))*)/g)].map(
        (match) => shellCode(knownText(match[1] ?? '')),
      ),
    ),
  );
}

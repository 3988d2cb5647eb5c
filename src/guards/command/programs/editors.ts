// Commands of editors and debuggers that start others, as they stand in options and on the standard input.

import { fromSnippets } from '../bash/executors/code.ts';
import { type Inner, maxSearched, type Call as Start, shellCode } from '../bash/executors/inner.ts';
import { editorSnippets } from '../bash/snippets.ts';
import { hole, knownText, mapWithHoles, singleText, type Text } from '../bash/values.ts';

/** Commands of an editor that read others from a file: `source`, and the same of the languages that it has. */
const sourced = /(?:^|[\s|:])(?:so|source|luafile|pyx?file|py3f(?:ile)?|rubyf(?:ile)?)!?\s+([^\s|]+)/g;

/** What the commands of an editor start. */
export function typedCommands(texts: readonly Text[]): readonly Inner[] {
  return texts.map(singleText).flatMap((text) => {
    if (text === hole) return [];
    const files = [...text.slice(0, maxSearched).matchAll(sourced)].map(
      ([, path = '']): Inner => ({ kind: 'file', path: knownText(path), language: 'other' }),
    );
    return [...fromSnippets(editorSnippets(text)), ...files];
  });
}

/** The words that begin with a plus are commands. */
export function plusCommands(words: readonly Text[]): readonly Inner[] {
  const given = words.filter((word) => /^\+./s.test(singleText(word)));
  return typedCommands(given.map((word) => mapWithHoles(word, (text) => text.slice(1))));
}

/** What a line editor is told on its input: `!command`, `w !command`, `r !command`. */
export function typedLines({ stdin, fed }: Start): readonly Inner[] {
  const lines = fed ? stdin.alternatives.flatMap((text) => text.slice(0, maxSearched).split('\n')) : [];
  return lines.flatMap((line) => {
    const found = /^[%\d.$,]*\s*[erwEW]?\s*!(.+)$/.exec(line.trim())?.[1];
    return found === undefined ? [] : [shellCode(knownText(found))];
  });
}

const lispCalls =
  /(?:shell-command\S*|call-process\S*|start-process\S*|make-process|compile|async-shell-command|term|ansi-term)\s+(?:"[^"\\]*"\s+nil\s+)?"((?:[^"\\]|\\.)*)"/g;

/** What code in the Lisp of Emacs starts, and what it deletes. */
export function lispCommands(texts: readonly Text[]): readonly Inner[] {
  return texts.map(singleText).flatMap((code): readonly Inner[] => {
    if (code.length > maxSearched) return [{ kind: 'unknown' }];
    const commands = [...code.matchAll(lispCalls)];
    const deleted = [...code.matchAll(/delete-(?:file|directory)\s+"((?:[^"\\]|\\.)*)"/g)];
    return [
      ...commands.map(([, text = '']) => shellCode(knownText(text.replace(/\\(.)/g, '$1')))),
      ...deleted.map(
        ([, path = '']): Inner => ({
          kind: 'argv',
          argv: ['rm', '-rf', path].map((word) => knownText(word)),
        }),
      ),
    ];
  });
}

/** What the commands of lldb start: `platform shell` and `script`. */
export function debuggerCommands(texts: readonly Text[]): readonly Inner[] {
  return texts.map(singleText).flatMap((text): readonly Inner[] => {
    const command = /^\s*(?:platform\s+shell|shell)\s+(.+)$/s.exec(text)?.[1];
    if (command !== undefined) return [shellCode(knownText(command))];
    const script = /^\s*script\s+(.+)$/s.exec(text)?.[1];
    return script === undefined ? [] : [{ kind: 'code', language: 'python', text: knownText(script) }];
  });
}

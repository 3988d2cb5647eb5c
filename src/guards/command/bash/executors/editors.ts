// Editors, debuggers and terminals: commands of theirs that start others.

import { editorSnippets } from '../snippets.ts';
import { emptyText, hole, knownText, singleText, type Text } from '../values.ts';
import { fromSnippets } from './code.ts';
import { type Call, type Inner, maxSearched, shellCode } from './inner.ts';

/** What ed and ex are told on their input. */
export function lineEditor(call: Call): readonly Inner[] {
  const lines = call.fed
    ? call.stdin.alternatives.flatMap((text) => text.slice(0, maxSearched).split('\n'))
    : [];
  const escaped = lines.flatMap((line) => {
    const found = /^[%\d.$,]*\s*[erwEW]?\s*!(.+)$/.exec(line.trim())?.[1];
    return found === undefined ? [] : [shellCode(knownText(found))];
  });
  return [...editor(call), ...escaped];
}

/** vi and its kin, whose options are alike. */
export const viNames: readonly string[] =
  'vi vim nvim ex nex view rview rvim gvim evim vimx vimdiff nvi vile elvis vim.tiny vim.basic vim.nox vim.gtk3 vim.athena'.split(
    ' ',
  );

/** Letters of vi and its kin whose value stands in the same word or in the next one. */
const viValues = 'cSsuUwWiTrdtqlV';

function isEx({ program, args }: Call): boolean {
  return (
    /^(?:n?ex|exim)$/.test(program) || args.some((arg) => /^-[vRnNmMbAHDxyZ]*[eE]/.test(singleText(arg)))
  );
}

/** The words of vi with every option apart: letters may stand together, and a value behind its letter. */
function viWords(call: Call): readonly Text[] {
  const { args } = call;
  // In ex mode `s` is silent and takes no file of keys.
  const values = isEx(call) ? viValues.replace('s', '') : viValues;
  const words: Text[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? emptyText;
    const text = singleText(arg);
    if (text === '--') return [...words, ...args.slice(index)];
    if (!/^-[a-zA-Z]/.test(text) || text === '-nw') {
      words.push(arg);
      continue;
    }
    const at = [...text].findIndex((letter, place) => place > 0 && values.includes(letter));
    if (at === -1) words.push(...[...text.slice(1)].map((letter) => knownText(`-${letter}`)));
    else {
      words.push(
        ...[...text.slice(1, at)].map((letter) => knownText(`-${letter}`)),
        knownText(`-${text[at]}`),
      );
      const attached = text.slice(at + 1);
      if (attached !== '') words.push(knownText(attached, arg.origins));
    }
  }
  return words;
}

/** vi and its kin: commands, scripts, and files of keys that they are started with. */
export function viEditor(call: Call): readonly Inner[] {
  const words = viWords(call);
  const files = words.flatMap((word, index): readonly Inner[] => {
    const path = words[index + 1];
    // Keys of a file are typed as a person would; with nvim, `-l` runs a file of Lua.
    const runs = singleText(word) === '-s' || (singleText(word) === '-l' && call.program === 'nvim');
    return runs && path !== undefined && !isEx(call) ? [{ kind: 'file', language: 'other', path }] : [];
  });
  return [...lineEditor({ ...call, args: words }), ...files];
}

export function editor({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg);
    const next = singleText(args[index + 1]);
    if (/^(?:-c|--cmd|-ex|-eval|-iex|-ic)$/.test(text) && next !== hole)
      inner.push(...fromSnippets(editorSnippets(next)));
    else if (/^--?(?:ex|eval-command)=/.test(text))
      inner.push(...fromSnippets(editorSnippets(text.slice(text.indexOf('=') + 1))));
    else if (text.startsWith('+') && text.length > 1)
      inner.push(...fromSnippets(editorSnippets(text.slice(1))));
    else if (/^--?eval$|^-f$/.test(text)) inner.push(...lispCommands(next));
    else if (text === '-S' && args[index + 1] !== undefined)
      inner.push({ kind: 'file', language: 'other', path: args[index + 1] ?? emptyText });
    else if (text === '--args') return [{ kind: 'argv', argv: args.slice(index + 1) }];
  }
  return inner;
}

/** What lldb is told: `platform shell` and `script`. */
export function debuggerCommands({ args }: Call): readonly Inner[] {
  return args.flatMap((arg, index): readonly Inner[] => {
    const text = singleText(args[index + 1]);
    if (!/^-(?:o|O|k|K|-one-line\S*)$/.test(singleText(arg))) return [];
    const command = /^\s*(?:platform\s+shell|shell)\s+(.+)$/s.exec(text)?.[1];
    const script = /^\s*script\s+(.+)$/s.exec(text)?.[1];
    if (command !== undefined) return [shellCode(knownText(command))];
    return script === undefined ? [] : [{ kind: 'code', language: 'python', text: knownText(script) }];
  });
}

function lispCommands(code: string): readonly Inner[] {
  if (code.length > maxSearched) return [{ kind: 'unknown' }];
  const found = [
    ...code.matchAll(
      /(?:shell-command\S*|call-process\S*|start-process\S*|make-process|compile|async-shell-command|term|ansi-term)\s+(?:"[^"\\]*"\s+nil\s+)?"((?:[^"\\]|\\.)*)"/g,
    ),
  ];
  const commands = found.map((match) => shellCode(knownText((match[1] ?? '').replace(/\\(.)/g, '$1'))));
  const deleted = [...code.matchAll(/delete-(?:file|directory)\s+"((?:[^"\\]|\\.)*)"/g)];
  return [
    ...commands,
    ...deleted.map(
      ([, path = '']): Inner => ({ kind: 'argv', argv: ['rm', '-rf', path].map((word) => knownText(word)) }),
    ),
  ];
}

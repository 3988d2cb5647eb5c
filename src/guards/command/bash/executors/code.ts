// What code in a language without a parser here starts, by the calls that are known in it.

import { awkSnippets, cronCommands, recipesOf, type Snippet, scriptsOf, snippetsOf } from '../snippets.ts';
import { knownText } from '../values.ts';
import { type Inner, type Language, shellCode } from './inner.ts';

export function fromSnippets(snippets: readonly Snippet[]): readonly Inner[] {
  return snippets.map(fromSnippet);
}

function fromSnippet(snippet: Snippet): Inner {
  switch (snippet.kind) {
    case 'shell':
      return shellCode(knownText(snippet.text));
    case 'argv':
      return { kind: 'argv', argv: snippet.argv.map((word) => knownText(word)) };
    case 'python':
      return { kind: 'code', language: 'python', text: knownText(snippet.text) };
    case 'socket':
      return { kind: 'socket', host: knownText(snippet.host) };
    case 'unknown':
      return snippet;
  }
}

/** What code in a language without a parser here starts; null where the language has one. */
export function innersOfCode(language: Language, text: string): readonly Inner[] | null {
  switch (language) {
    case 'other':
    case 'lua':
    case 'julia':
    case 'perl':
    case 'ruby':
    case 'php':
    case 'r':
      return fromSnippets(snippetsOf(text, language));
    case 'awk':
      return fromSnippets(awkSnippets(text));
    case 'make':
      return [shellCode(knownText(recipesOf(text)))];
    case 'crontab':
      return [shellCode(knownText(cronCommands(text)))];
    case 'package':
      return scriptsOf(text).map((script) => shellCode(knownText(script)));
    default:
      return null;
  }
}

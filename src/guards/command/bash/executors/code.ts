// What code in a language without a parser here starts, by the calls that are known in it.

import { namesSecret } from '../../variables.ts';
import { awkSnippets, cronCommands, recipesOf, type Snippet, scriptsOf, snippetsOf } from '../snippets.ts';
import { knownText } from '../values.ts';
import { type Inner, type Language, maxSearched, shellCode } from './inner.ts';

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

/** Languages without a parser here that reach the variables of the environment by names of their own. */
type Showing = 'perl' | 'ruby' | 'php' | 'awk' | 'lua' | 'julia' | 'r';

/** Code that shows all variables of the environment. */
const showsAll: Readonly<Partial<Record<Showing, RegExp>>> = {
  perl: /\b(?:keys|values|each|Dumper)\b[^;\n]{0,16}%ENV\b[\s\S]{0,256}\$ENV\{|\$ENV\{\$[\s\S]{0,256}%ENV\b|\b(?:values|Dumper|print|say)\b[^;\n]{0,16}%ENV\b/,
  ruby: /\b(?:puts|pp?|print|warn|ap)\b[^;\n]{0,64}\bENV(?:\.(?:to_h|to_a|inspect|map|sort|values|entries|to_json)\b|\s*(?:$|[;)]))|\bENV\.each/,
  php: /\b(?:print_r|var_dump|var_export|json_encode)\s*\(\s*(?:getenv\(\s*\)|\$_ENV|\$_SERVER)\s*[,)]|\bphpinfo\s*\(/,
  awk: /\bin\s+ENVIRON\b[\s\S]{0,128}\bENVIRON\s*\[\s*[a-z]/i,
  julia: /\b(?:println?|show|display|dump|collect|foreach)\b[^;\n]{0,32}\bENV\b(?!\s*\[)/,
  r: /\bSys\.getenv\(\s*\)/,
};

const oneVariable =
  /\bENV(?:\[|\.fetch\(|\{)\s*['"]?(\w{1,64})|\bgetenv\(\s*['"](\w{1,64})|\bENVIRON\s*\[\s*"(\w{1,64})/;
const printing =
  /\b(?:puts|pp?|print|println|printf|say|warn|echo|print_r|var_dump|cat|display|show|write)\b/;

/** Variables of the environment that code shows, as a program for that shows them. */
function variablesIn(text: string, language: Showing): readonly Inner[] {
  const code = text.slice(0, maxSearched);
  if (showsAll[language]?.test(code)) return [{ kind: 'argv', argv: [knownText('printenv')] }];
  const [, item, given, field] = (printing.test(code) && oneVariable.exec(code)) || [];
  const name = item ?? given ?? field;
  return name !== undefined && namesSecret(name)
    ? [{ kind: 'argv', argv: [knownText('printenv'), knownText(name)] }]
    : [];
}

/** What code in a language without a parser here starts; null where the language has one. */
export function innersOfCode(language: Language, text: string): readonly Inner[] | null {
  switch (language) {
    case 'other':
      return fromSnippets(snippetsOf(text, language));
    case 'lua':
    case 'julia':
    case 'r':
    case 'perl':
    case 'ruby':
    case 'php':
      return [...fromSnippets(snippetsOf(text, language)), ...variablesIn(text, language)];
    case 'awk':
      return [...fromSnippets(awkSnippets(text)), ...variablesIn(text, language)];
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

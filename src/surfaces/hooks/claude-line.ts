// The line that Claude Code hands to the program in CLAUDE_CODE_SHELL_PREFIX. For its Bash tool that is
// `source SNAPSHOT && … && eval 'COMMAND' < /dev/null && pwd -P >| FILE`; hooks, MCP servers and the status line come as
// they stand in the settings. Pure.

/** How every line of the Bash tool ends. No text of a model gets there: it is one quoted word before it. */
const lineEnd = / && pwd -P >\| [^\n]+$/;
const evaluated = ' && eval ';

/** What a line of the host's shell is. */
export interface ShellLine {
  /** The command of the Bash tool; null where the line is another program of the host's. */
  readonly command: string | null;
  /** The shell that the host uses. */
  readonly shell: 'bash' | 'zsh';
}

/** Reads a line. INVARIANT: a line that ends as those of the Bash tool do is one, and all of it where it cannot be read. */
export function readShellLine(line: string): ShellLine {
  const shell = /\/snapshot-zsh-/.test(line.slice(0, line.indexOf(evaluated))) ? 'zsh' : 'bash';
  if (!lineEnd.test(line)) return { command: null, shell };
  const at = line.indexOf(evaluated);
  const word = at === -1 ? null : wordAt(line, at + evaluated.length);
  const rest = word === null ? '' : line.slice(word.end);
  const isWhole = /^(?: < \/dev\/null)? && pwd -P >\| [^\n]+$/.test(rest);
  return { command: word === null || !isWhole ? line : word.text, shell };
}

/** One word of a shell, without its quotes; null where it does not end. */
function wordAt(line: string, start: number): { readonly text: string; readonly end: number } | null {
  const part = /'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\;&|<>()$`]+)/y;
  part.lastIndex = start;
  let text = '';
  let end = start;
  for (let found = part.exec(line); found !== null; found = part.exec(line)) {
    const [, single, double, escaped, plain] = found;
    text += single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '';
    end = part.lastIndex;
  }
  return end === start || !/^(?:\s|$)/.test(line.slice(end)) ? null : { text, end };
}

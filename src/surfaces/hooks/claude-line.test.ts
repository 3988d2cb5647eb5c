// Lines as Claude Code 2.1.326 really wrote them, and lines that a hostile command could make of them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readShellLine } from './claude-line.ts';

const before =
  "source /home/dev/.claude/shell-snapshots/snapshot-bash-1795018161150-muywvz.sh 2>/dev/null || true && { \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true && { \\builtin unalias -- 'which'; } >/dev/null 2>&1 || true";
const end = ' && pwd -P >| /tmp/claude-eb6b-cwd';
const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

describe('a line of the shell of Claude Code', () => {
  it.each([
    [
      `${before} && eval 'echo '"'"'it'"'"''"'"'s'"'"' "a b" $HOME; cd src' < /dev/null${end}`,
      `echo 'it''s' "a b" $HOME; cd src`,
    ],
    [`${before} && eval 'cat < README.md; kill -9 $$'${end}`, 'cat < README.md; kill -9 $$'],
    [`${before} && eval ls < /dev/null${end}`, 'ls'],
    [`${before} && eval "echo \\"a\\" \\$x" < /dev/null${end}`, 'echo "a" $x'],
  ])('holds the command: %#', (line, command) => {
    expect(readShellLine(line)).toEqual({ command, shell: 'bash' });
  });

  it('holds whatever command it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isRead) => {
        const line = `${before} && eval ${quoted(text)}${isRead ? ' < /dev/null' : ''}${end}`;
        return readShellLine(line).command === text;
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['/usr/bin/node /home/dev/server.js /home/dev/notes'],
    ["'/home/dev/.sallyport/bin/claude' PreToolUse"],
    ['cat > /dev/null; echo hook >> log'],
  ])('is no command of the agent: %s', (line) => {
    expect(readShellLine(line).command).toBeNull();
  });

  it('is a command as a whole where it cannot be read', () => {
    for (const line of [`ls${end}`, `${before} && eval $(cat x)${end}`, `${before} && eval 'a' b${end}`])
      expect(readShellLine(line).command).toBe(line);
  });

  it('says which shell the host uses', () => {
    const line = `${before.replace('snapshot-bash', 'snapshot-zsh')} && eval 'cat /snapshot-bash-'${end}`;
    expect(readShellLine(line).shell).toBe('zsh');
    expect(readShellLine(`${before} && eval 'cat /snapshot-zsh-'${end}`).shell).toBe('bash');
  });
});

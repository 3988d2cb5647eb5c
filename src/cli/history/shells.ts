// Histories of bash, zsh and fish: the commands in them, with their times where the shell keeps those.

import type { HistoryCall, HistoryReader } from './call.ts';

export type ShellName = 'bash' | 'zsh' | 'fish';

/** Reads the history of one shell. No shell keeps the folder that a command ran in. */
export function shellReader(shell: ShellName): HistoryReader {
  return { bash: bashReader, zsh: zshReader, fish: fishReader }[shell]();
}

/** Whose history a file is by one of its lines; null for a line that does not tell. */
export function shellOfLine(line: string): ShellName | null {
  if (/^: \d+:\d+;/.test(line)) return 'zsh';
  return /^- cmd: /.test(line) ? 'fish' : null;
}

function callOf(command: string, at: number | null): readonly HistoryCall[] {
  const text = command.trim();
  if (text === '') return [];
  const action = { kind: 'shell', command: text } as const;
  return [{ origin: 'shell', at, session: 'shell history', workspace: null, cwd: null, action }];
}

/** A command a line; a line such as "#1700000000" before it is its time, where the shell is set to record times. */
function bashReader(): HistoryReader {
  let at: number | null = null;
  return {
    read(line) {
      const time = /^#(\d{9,11})$/.exec(line)?.[1];
      if (time !== undefined) {
        at = Number(time) * 1000;
        return [];
      }
      const calls = callOf(line, at);
      at = null;
      return calls;
    },
    end: () => [],
  };
}

/** ": 1700000000:0;command"; a line that ends with a backslash goes on. Without times, a command a line. */
function zshReader(): HistoryReader {
  let open: string[] = [];
  const finish = () => {
    const whole = open.join('\n');
    open = [];
    const [head = '', time] = /^: (\d+):\d+;/.exec(whole) ?? [];
    return callOf(whole.slice(head.length), time === undefined ? null : Number(time) * 1000);
  };
  return {
    read(line) {
      const goesOn = /(?<!\\)(?:\\\\)*\\$/.test(line);
      open.push(goesOn ? line.slice(0, -1) : line);
      return goesOn ? [] : finish();
    },
    end: finish,
  };
}

/** "- cmd: command" and behind it "  when: 1700000000"; in the command, \n is a new line. */
function fishReader(): HistoryReader {
  let command: string | null = null;
  let at: number | null = null;
  const finish = () => {
    const calls = command === null ? [] : callOf(command, at);
    command = null;
    at = null;
    return calls;
  };
  return {
    read(line) {
      const next = /^- cmd: (.*)$/s.exec(line)?.[1];
      if (next === undefined) {
        const time = /^ {2}when: (\d+)$/.exec(line)?.[1];
        if (time !== undefined) at = Number(time) * 1000;
        return [];
      }
      const calls = finish();
      command = next.replace(/\\(\\|n)/g, (_, letter: string) => (letter === 'n' ? '\n' : '\\'));
      return calls;
    },
    end: finish,
  };
}

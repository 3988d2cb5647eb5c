// Asks Codex itself whether it would call the hooks in a file: it skips those that the user has not trusted, and says
// nothing about it.

import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../config/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import { isProgram } from './hosts.ts';
import { version } from './version.ts';

/** What Codex says of the hooks in a file. */
export type CodexTrust =
  | { readonly answer: 'trusted' }
  | { readonly answer: 'not trusted'; readonly events: readonly string[] }
  | { readonly answer: 'none'; readonly why: string };

export interface CodexQuestion {
  /** The file that holds the hooks. */
  readonly file: string;
  /** The commands that Codex must call, by its names of its moments. */
  readonly commands: Readonly<Record<string, string>>;
  readonly environment: Environment;
  readonly patienceMs?: number;
}

/** How long Codex may take to answer, in milliseconds. */
const usualPatienceMs = 15_000;
/** Longer answers are none. */
const longestAnswer = 4_194_304;

/** Asks the Codex that the user would start; never throws. */
export async function askCodex(question: CodexQuestion): Promise<CodexTrust> {
  const program = programIn(question.environment['PATH'], 'codex');
  if (program === undefined) return { answer: 'none', why: 'there is no codex on PATH' };
  // Hooks of a project count for that project alone.
  const folder = dirname(dirname(question.file));
  const said = await hooksListed(program, folder, question);
  if (typeof said === 'string') return { answer: 'none', why: said };
  const file = realOf(question.file);
  const ready = said.filter((hook) => realOf(String(hook['sourcePath'])) === file && isReady(hook));
  const called = new Set(ready.map(({ command }) => command));
  const events = Object.keys(question.commands).filter(
    (event) => !called.has(question.commands[event] ?? ''),
  );
  return events.length === 0 ? { answer: 'trusted' } : { answer: 'not trusted', events };
}

/** Whether Codex would call a hook; a status that is not known here counts as no. */
function isReady({ enabled, isManaged, trustStatus }: JsonObject): boolean {
  return enabled !== false && (isManaged === true || trustStatus === 'trusted' || trustStatus === 'managed');
}

function programIn(path: string | undefined, name: string): string | undefined {
  return (path ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The hooks that count in a folder as `codex app-server` lists them, or why there is no answer. */
function hooksListed(
  program: string,
  folder: string,
  { environment, patienceMs = usualPatienceMs }: CodexQuestion,
): Promise<readonly JsonObject[] | string> {
  return new Promise((resolve) => {
    const child = spawn(program, ['app-server'], {
      cwd: existsSync(folder) ? folder : '/',
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
      // A group of its own: the program that npm installs starts another one.
      detached: true,
    });
    const finish = (result: readonly JsonObject[] | string) => {
      clearTimeout(timer);
      stop(child.pid);
      resolve(result);
    };
    const timer = setTimeout(() => finish('it did not answer in time'), patienceMs);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.length > longestAnswer) finish('its answer is too long');
      const lines = said.split('\n');
      said = lines.pop() ?? '';
      for (const line of lines) {
        const answer = answerIn(line);
        if (answer !== undefined) finish(answer);
      }
    });
    child.once('error', () => finish('it could not be started'));
    child.once('close', () => finish('it ended without an answer'));
    child.stdin.on('error', () => undefined);
    const clientInfo = { name: 'sallyport', version };
    const messages = [
      { id: 1, method: 'initialize', params: { clientInfo } },
      { method: 'initialized' },
      { id: 2, method: 'hooks/list', params: { cwds: [folder] } },
    ];
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  });
}

/** The hooks in the line that answers the question; undefined for any other line. */
function answerIn(line: string): readonly JsonObject[] | string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || value['id'] !== 2) return undefined;
  const data = isJsonObject(value['result']) ? value['result']['data'] : undefined;
  if (!Array.isArray(data)) return 'it does not know the question; a newer Codex does';
  return data.flatMap((one: JsonValue) =>
    isJsonObject(one) && Array.isArray(one['hooks']) ? one['hooks'].filter(isJsonObject) : [],
  );
}

function stop(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

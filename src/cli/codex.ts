// Asks Codex itself whether it would call the hooks in a file: it skips those that the user has not trusted, and says
// nothing about it.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../config/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import type { TrustEntries } from './codex-trust.ts';
import { programOnPath } from './hosts.ts';
import { version } from './version.ts';

/** What Codex says of the hooks in a file. */
export type CodexTrust =
  | { readonly answer: 'trusted' }
  | { readonly answer: 'not trusted'; readonly events: readonly string[] }
  /** It lists none of the hooks in the file: they are switched off. */
  | { readonly answer: 'not loaded' }
  | { readonly answer: 'none'; readonly why: string };

export interface CodexQuestion {
  /** The file that holds the hooks. */
  readonly file: string;
  /** Where Codex is to be started: hooks and settings of a project count for that project alone. */
  readonly folder: string;
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
  const said = await hooksIn(question);
  if (typeof said === 'string') return { answer: 'none', why: said };
  if (said.length === 0) return { answer: 'not loaded' };
  const called = new Set(said.filter(isReady).map(({ command }) => command));
  const events = Object.keys(question.commands).filter(
    (event) => !called.has(question.commands[event] ?? ''),
  );
  return events.length === 0 ? { answer: 'trusted' } : { answer: 'not trusted', events };
}

/**
 * The entries by which Codex would trust our hooks in a file that is to have this text, or why Codex does not say. It is
 * asked about a copy in an empty folder, since only Codex knows how it makes its hashes.
 */
export async function trustFor(
  text: string,
  question: Omit<CodexQuestion, 'folder'>,
): Promise<TrustEntries | string> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-codex-')));
  try {
    const copy = join(home, 'hooks.json');
    writeFileSync(copy, text);
    const environment = { ...question.environment, CODEX_HOME: home };
    const said = await hooksIn({ ...question, file: copy, folder: home, environment });
    if (typeof said === 'string') return said;
    const ours = new Set(Object.values(question.commands));
    const file = realOf(question.file);
    const entries = said.flatMap(({ key, command, currentHash }): [string, string][] => {
      if (typeof key !== 'string' || typeof currentHash !== 'string' || !ours.has(String(command))) return [];
      return key.startsWith(copy) ? [[`${file}${key.slice(copy.length)}`, currentHash]] : [];
    });
    const isWhole = new Set(entries.map(([name]) => name)).size === ours.size;
    return isWhole ? Object.fromEntries(entries) : 'it does not list the hooks as expected';
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The names that Codex gives to our hooks in a file, by their places in it. */
export function hookNames(
  file: string,
  text: string,
  isOurs: (command: string) => boolean,
): readonly string[] {
  const value: unknown = JSON.parse(text);
  const hooks = isJsonObject(value) && isJsonObject(value['hooks']) ? value['hooks'] : {};
  const listed = (list: JsonValue | undefined) => (Array.isArray(list) ? [...list.entries()] : []);
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listed(groups).flatMap(([group, entry]) =>
      listed(isJsonObject(entry) ? entry['hooks'] : undefined).flatMap(([index, hook]) => {
        const command = isJsonObject(hook) ? hook['command'] : undefined;
        const name = `${realOf(file)}:${snake(event)}:${group}:${index}`;
        return typeof command === 'string' && isOurs(command) ? [name] : [];
      }),
    ),
  );
}

function snake(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}

/** The hooks of a file as Codex sees them, or why there is no answer. */
async function hooksIn(question: CodexQuestion): Promise<readonly JsonObject[] | string> {
  const program = programOnPath(question.environment, 'codex');
  if (program === undefined) return 'there is no codex on PATH';
  const said = await hooksListed(program, question.folder, question);
  if (typeof said === 'string') return said;
  const file = realOf(question.file);
  return said.filter((hook) => realOf(String(hook['sourcePath'])) === file);
}

/** Whether Codex would call a hook; a status that is not known here counts as no. */
function isReady({ enabled, isManaged, trustStatus }: JsonObject): boolean {
  return enabled !== false && (isManaged === true || trustStatus === 'trusted' || trustStatus === 'managed');
}

/** The real path, also of a file that is not there yet. */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
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

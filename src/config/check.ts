// The report behind `sallyport config check`: which files count, how far, and what in them is wrong or idle.

import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import type { Path, Shape } from '../core/shape.ts';
import { ConfigError, type ConfigProblem } from './errors.ts';
import { loadTomlParser, readConfigFile, trustIn } from './files.ts';
import { diskWorld } from './home.ts';
import { isKey } from './key.ts';
import { mergeSettings, policyFiles } from './load.ts';
import { locator } from './locate.ts';
import {
  type ConfigSource,
  displayPath,
  type FoundFile,
  findUserFile,
  findWorkspaceFile,
  ruleIds,
  userFileName,
} from './reading.ts';
import { type ConfigFile, fileShape } from './schema.ts';
import type { Settings } from './settings.ts';
import { listTrustProblems } from './trust.ts';

/** The messages about one file. */
interface FileReport {
  /** The path as people see it. */
  readonly file: string;
  readonly level: 'user' | 'explicit' | 'workspace';
  readonly found: boolean;
  readonly trusted: boolean;
  /** Why a workspace file is not trusted; null for any other. */
  readonly untrustedBecause: string | null;
  readonly problems: readonly ConfigProblem[];
  /** Keys that change nothing. */
  readonly withoutEffect: readonly ConfigProblem[];
}

/** The whole report; `ok` if nothing is wrong, and then with the settings in force. */
export interface ConfigReport {
  readonly ok: boolean;
  readonly files: readonly FileReport[];
  /** The problems of trust.json or the approver's file. */
  readonly trustProblems: readonly string[];
  readonly settings: Settings | null;
}

/** Looks at every file that counts for an agent in a workspace; throws nothing for what the files say. */
export async function checkConfig(
  source: ConfigSource & { readonly agent?: string; readonly workspace?: string },
): Promise<ConfigReport> {
  const { agent = 'default', workspace, home, world = diskWorld } = source;
  const level = source.file === undefined ? 'user' : 'explicit';
  await loadTomlParser();
  const user = await checkUserFile(source, level);
  const files = [user.report];
  let settings: Settings | null = null;
  if (workspace === undefined) {
    settings = user.file && mergeSettings(user.file, null, { agent, workspace: '/' });
  } else {
    const { report, settings: merged } = await checkWorkspaceFile(source, { agent, workspace }, user);
    files.push(report);
    settings = merged;
  }
  const trustProblems = listTrustProblems(home, (path) => world.readText(path));
  const ok = trustProblems.length === 0 && files.every((file) => file.problems.length === 0);
  return { ok, files, trustProblems, settings: ok ? settings : null };
}

interface Checked {
  readonly report: FileReport;
  readonly found: FoundFile | null;
  /** Null if it cannot be used. */
  readonly file: ConfigFile | null;
}

async function checkUserFile(source: ConfigSource, level: 'user' | 'explicit'): Promise<Checked> {
  const base = {
    file: userFileName(source).shown,
    level,
    trusted: true,
    untrustedBecause: null,
    withoutEffect: [],
  };
  let found: FoundFile | null = null;
  try {
    found = findUserFile(source);
    if (found === null) {
      return { report: { ...base, found: false, problems: [] }, found, file: {} };
    }
    const file = await readConfigFile(found, 'user', source);
    const withoutEffect = idleWorkspaces(source, found, file);
    return { report: { ...base, found: true, problems: [], withoutEffect }, found, file };
  } catch (error) {
    const problems = problemsOf(error);
    return { report: { ...base, found: found !== null, problems }, found, file: null };
  }
}

/** Sections of workspaces that no context will ever be in, since their path is not a real one. */
function idleWorkspaces(
  { world = diskWorld }: ConfigSource,
  found: FoundFile,
  file: ConfigFile,
): readonly ConfigProblem[] {
  const idle = Object.keys(file.workspaces ?? {}).filter((path) => realOrNull(world.realPath, path) !== path);
  if (idle.length === 0) return [];
  const place = locator(found.text.replace(/^\ufeff/, ''));
  return idle.map((path) => ({
    ...place(['workspaces', path]),
    message: 'this path does not exist or is not its own real path, so the section has no effect',
  }));
}

function realOrNull(realPath: (path: string) => string | null, path: string): string | null {
  try {
    return realPath(path);
  } catch {
    return null;
  }
}

async function checkWorkspaceFile(
  source: ConfigSource,
  where: { readonly agent: string; readonly workspace: string },
  user: Checked,
): Promise<{ readonly report: FileReport; readonly settings: Settings | null }> {
  const shown = displayPath(`${where.workspace}/sallyport.toml`, source.environment['HOME']);
  const base = { file: shown, level: 'workspace', untrustedBecause: null, withoutEffect: [] } as const;
  let found: FoundFile | null = null;
  let trusted = false;
  let untrustedBecause: string | null = null;
  try {
    found = findWorkspaceFile(source, where.workspace, user.found);
    if (found === null) {
      const settings = user.file && mergeSettings(user.file, null, where);
      return { report: { ...base, found: false, trusted, problems: [] }, settings };
    }
    const trust = trustIn(source, found);
    trusted = trust.trusted;
    if (!trust.trusted) untrustedBecause = trust.reason;
    const level = trusted ? 'trusted' : 'untrusted';
    const takenIds = ruleIds(user.file ?? {});
    const file = await readConfigFile(found, level, { ...source, takenIds });
    const withoutEffect =
      user.file === null ? [] : idleKeys(user.file, file, trusted, found, where.workspace);
    const settings = user.file && mergeSettings(user.file, { file, trusted }, where);
    const report = { ...base, found: true, trusted, untrustedBecause, problems: [], withoutEffect };
    return { report, settings };
  } catch (error) {
    const problems = problemsOf(error);
    return {
      report: { ...base, found: found !== null, trusted, untrustedBecause, problems },
      settings: null,
    };
  }
}

/** Keys of a workspace file without which the settings of every agent would be the same. */
function idleKeys(
  user: ConfigFile,
  file: ConfigFile,
  trusted: boolean,
  found: FoundFile,
  workspace: string,
): readonly ConfigProblem[] {
  const ruled = (file.rules ?? []).flatMap(({ agent = [] }) => agent);
  const agents = [...new Set(['default', ...ruled, ...namesOf(user.agents), ...namesOf(file.agents)])];
  const outcome = (level: ConfigFile, agent: string): string => {
    const { version } = mergeSettings(user, { file: level, trusted }, { agent, workspace });
    return JSON.stringify([version, policyFiles(user, { file: level, trusted })]);
  };
  const idle = keyPaths(fileShape, file, []).filter((path) => {
    const without = fileShape.read(omit(file, path), [], () => undefined);
    const own = path[0] === 'agents' && path[1] !== 'default';
    const concerned = own ? [String(path[1])] : agents;
    return concerned.every((agent) => outcome(file, agent) === outcome(without, agent));
  });
  const place = locator(found.text.replace(/^\ufeff/, ''));
  const reason = trusted
    ? 'the settings are the same without it'
    : 'a workspace file only narrows, and yours is as strict already';
  return idle.map((path) => ({ ...place(path), message: `"${path.at(-1)}" has no effect: ${reason}` }));
}

function namesOf(tables: object = {}): readonly string[] {
  return Object.keys(tables);
}

/** The positions of a file's keys; a table that is more than its keys counts as one. */
function keyPaths(shape: Shape<unknown>, value: JsonValue, path: Path): readonly Path[] {
  const { item, fields = {} } = shape;
  const isTable = path.length === 0 || item !== undefined || Object.values(fields).some(isKey);
  if (isKey(shape) || !isTable || !isJsonObject(value)) return [path];
  return Object.entries(value).flatMap(([name, inner]) => {
    const member = item ?? fields[name];
    return member === undefined ? [] : keyPaths(member, inner, [...path, name]);
  });
}

/** The value without one of its keys. */
function omit(value: JsonObject, [first, ...rest]: Path): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, JsonValue][] => {
      if (key !== first) return [[key, inner]];
      return rest.length > 0 && isJsonObject(inner) ? [[key, omit(inner, rest)]] : [];
    }),
  );
}

function problemsOf(error: unknown): readonly ConfigProblem[] {
  if (!(error instanceof ConfigError)) throw error;
  return error.problems.length > 0 ? error.problems : [{ line: 1, column: 1, message: error.message }];
}

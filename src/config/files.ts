// Reads configuration files that were found: TOML, shape, places of problems, trust. Loaded with the first file.

import { jsonPointer } from '../core/index.ts';
import type { Problem } from '../core/shape.ts';
import { readOwnRule } from './command.ts';
import { ConfigError, problemsError } from './errors.ts';
import { diskWorld } from './home.ts';
import { programsFrom } from './programs.ts';
import { type ConfigSource, type FoundFile, type Level, ruleIds } from './reading.ts';
import { type ConfigFile, fileShape, tablesWith, workspaceProblems } from './schema.ts';
import { inlineSecrets } from './sources.ts';
import { loadTomlParser, placeProblems, readToml, tomlParser } from './toml.ts';
import { isTrusted, type Trust } from './trust.ts';

export { loadTomlParser };

/** The checks of a file beside its shape. */
export interface ReadOptions
  extends Pick<ConfigSource, 'environment' | 'proveRules' | 'provePrograms' | 'reservedIds'> {
  /** Ids of the rules of another file, which its own may not have. */
  readonly takenIds?: ReadonlySet<string>;
}

/** Reads one file of one level; rejects with `ConfigError` and all of its problems. */
export async function readConfigFile(
  found: FoundFile,
  level: Level,
  options: ReadOptions,
): Promise<ConfigFile> {
  const { environment, takenIds = [], reservedIds, proveRules, provePrograms } = options;
  // A byte order mark is no part of the document, and would move the first line's columns.
  const text = found.text.replace(/^\ufeff/, '');
  const parse = tomlParser();
  if (parse === null)
    throw new ConfigError(`${found.shown}: the reader is not loaded`, { file: found.shown });
  const document = readToml(parse, text, level === 'untrusted' ? null : environment);
  if (!('value' in document)) throw problemsError(found.shown, [document]);
  const problems: Problem[] = [];
  const file = fileShape.read(document.value, [], (problem) => problems.push(problem));
  const known = new Set(problems.map((problem) => jsonPointer(problem.path)));
  const reserved = ruleIds(file).size === 0 ? undefined : await reservedIds?.();
  const further = [
    ...(level === 'user' ? [] : workspaceProblems(file, level === 'trusted')),
    ...collisions(file, new Set([...takenIds, ...(reserved ?? [])])),
    ...inlineSecrets(file, (path) => document.borrowed.has(jsonPointer(path))),
  ];
  problems.push(...further.filter((problem) => !known.has(jsonPointer(problem.path))));
  const { rules = [] } = file;
  // Only what has the right shape can be proven.
  if (problems.length === 0 && rules.length > 0 && proveRules !== undefined) {
    const unproven = await proveRules(rules.map(readOwnRule));
    problems.push(...unproven.map(({ path, message }) => ({ path: ['rules', ...path], message })));
  }
  if (problems.length === 0 && file.programs !== undefined && provePrograms !== undefined) {
    const unproven = await provePrograms(programsFrom(file.programs));
    problems.push(...unproven.map(({ path, message }) => ({ path: ['programs', ...path], message })));
  }
  const placed = placeProblems(text, document, problems.map(inItsTable));
  if (placed.length > 0) throw problemsError(found.shown, placed);
  return file;
}

/** A key in the wrong table: the message names the right one. */
function inItsTable({ path, message }: Problem): Problem {
  const key = /^unknown key "/.test(message) ? String(path.at(-1)) : '';
  const tables = tablesWith(key);
  if (tables.length === 0 || tables.length > 3) return { path, message };
  const example = tables.includes('[agents.NAME]') ? '; [agents.default] applies to every agent' : '';
  return { path, message: `unknown key "${key}" here; it belongs in ${tables.join(' or ')}${example}` };
}

function collisions(file: ConfigFile, takenIds: ReadonlySet<string>): readonly Problem[] {
  const lists = [
    { path: ['fetch', 'rules'], ids: (file.fetch?.rules ?? []).map(({ id }) => id) },
    { path: ['rules'], ids: (file.rules ?? []).map(({ id }) => id) },
  ];
  const seen = new Set(takenIds);
  return lists.flatMap(({ path, ids }) => {
    const taken = ids.flatMap((id, index) =>
      seen.has(id)
        ? [{ path: [...path, index, 'id'], message: `another rule has the id "${id}" already` }]
        : [],
    );
    for (const id of ids) seen.add(id);
    return taken;
  });
}

/** Whether the workspace's file is trusted as it was found. */
export function trustIn({ home, world = diskWorld, approverKeys }: ConfigSource, found: FoundFile): Trust {
  const { path, text } = found;
  return isTrusted({ home, path, text, approverKeys, readText: (file) => world.readText(file) });
}

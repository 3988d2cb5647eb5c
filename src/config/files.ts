// Reads configuration files that were found: TOML, shape, places of problems, trust. Loaded with the first file.

import { jsonPointer } from '../core/index.ts';
import type { Problem } from '../core/shape.ts';
import { ConfigError, problemsError } from './errors.ts';
import { diskWorld, type Environment } from './home.ts';
import type { ConfigSource, FoundFile, Level } from './load.ts';
import { type ConfigFile, fileShape, workspaceProblems } from './schema.ts';
import { loadTomlParser, placeProblems, readToml, tomlParser } from './toml.ts';
import { isTrusted, type Trust } from './trust.ts';

export { loadTomlParser };

/** Reads one file of one level; throws `ConfigError` with all of its problems. */
export function readConfigFile(
  found: FoundFile,
  level: Level,
  environment: Environment,
  takenIds: ReadonlySet<string> = new Set(),
): ConfigFile {
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
  const further = [
    ...(level === 'user' ? [] : workspaceProblems(file, level === 'trusted')),
    ...collisions(file, takenIds),
  ];
  problems.push(...further.filter((problem) => !known.has(jsonPointer(problem.path))));
  const placed = placeProblems(text, document, problems);
  if (placed.length > 0) throw problemsError(found.shown, placed);
  return file;
}

function collisions(file: ConfigFile, takenIds: ReadonlySet<string>): readonly Problem[] {
  return (file.fetch?.rules ?? []).flatMap(({ id }, index) =>
    takenIds.has(id)
      ? [{ path: ['fetch', 'rules', index, 'id'], message: `another rule has the id "${id}" already` }]
      : [],
  );
}

/** Whether the workspace's file is trusted as it was found. */
export function trustIn({ home, world = diskWorld }: ConfigSource, found: FoundFile): Trust {
  return isTrusted({ home, path: found.path, text: found.text, readText: (path) => world.readText(path) });
}

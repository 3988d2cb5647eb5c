// The names of Node's libraries: one spelling for each.

const synonyms: Readonly<Record<string, string>> = {
  'fs/promises': 'fs',
  'fs-extra': 'fs',
  'graceful-fs': 'fs',
  'node-fetch': 'fetch',
  'cross-fetch': 'fetch',
  'cross-spawn': 'child_process.spawn',
  execa: 'execa',
  'path/posix': 'path',
  'timers/promises': 'timers',
  'dns/promises': 'dns',
};

/** The spelling under which the tables know a library. */
export function library(name: string): string {
  const bare = name.replace(/^node:/, '');
  return synonyms[bare] ?? bare;
}

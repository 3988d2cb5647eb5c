// What package managers do: install, remove, update, and where they take packages from.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  type More,
  mapValue,
  nameTarget,
  pathTarget,
} from '../tools/tool.ts';
import type { Reading } from './options.ts';

/** Managers whose package `sallyport` is this guard; in other registries the name is a client's or somebody else's. */
const bringsGuard = new Set(
  'npm pnpm yarn yarnpkg bun cnpm deno volta brew port apt apt-get aptitude dnf yum zypper apk pacman snap'.split(
    ' ',
  ),
);
/** The guard by name, version, alias, repository, folder or archive. */
const guardPackage = /(?:^|[/:@])sallyport(?:@.*|#.*|\.git(?:#.*)?|-v?\d[\w.+-]*\.t(?:ar\.)?gz|\/)?$/i;

/** The guard is among the packages that are put in, taken out or put in the place of others. */
export function replacedGuard(call: Call, names: readonly Value[]): readonly Effect[] {
  if (!bringsGuard.has(call.program)) return [];
  return names
    .filter((name) => guardPackage.test(beginningOf(name)))
    .map((name) => effect(call, 'tamper', { detail: 'package', target: nameTarget(name) }));
}

/** What becomes of packages: the change, what their files run as they are installed, and where they come from. */
export function packages(
  call: Call,
  detail: string,
  names: readonly Value[],
  more: More = {},
  given?: Pick<Reading<Value>, 'all'>,
): readonly Effect[] {
  const few = names.slice(0, 16);
  const changes = (few.length > 0 ? few : [undefined]).map((name) =>
    effect(call, 'package', { detail, target: nameTarget(name), ...more }),
  );
  const guard = replacedGuard(call, names);
  if (detail !== 'install') return [...changes, ...guard];
  return [
    ...changes,
    ...guard,
    ...few.flatMap((name) => setUpBy(call, name)),
    ...sourcesOf(call, few, given),
  ];
}

/** Options by which managers are given another index or a repository, as the cards name them. */
const sourceOptions = [
  'registry',
  'source',
  'index-url',
  'extra-index-url',
  'find-links',
  'git',
  'index',
  'default-index',
  'server',
  'channel',
  'requirement',
  'add-source',
] as const;

/** Hosts that are not the manager's own: an address for a package, or another index. */
export function sourcesOf(
  call: Call,
  names: readonly Value[],
  given?: Pick<Reading<Value>, 'all'>,
): readonly Effect[] {
  const folders = (given?.all('find-links', 'index-url', 'extra-index-url') ?? []).filter((place) =>
    /^(?:file:\/\/)?[/~]/.test(beginningOf(place)),
  );
  const loaded = folders.map((place) =>
    effect(call, 'run', {
      detail: 'loaded',
      target: pathTarget(mapValue(place, (one) => one.replace(/^file:\/\//, ''))),
      origins: [],
    }),
  );
  const hosts = [...new Set([...names, ...(given?.all(...sourceOptions) ?? [])])]
    .filter((name) => /^(?:git\+)?(?:https?|ssh|git|ftp):\/\//.test(beginningOf(name)))
    .map((name) => effect(call, 'connect', { detail: 'download', target: hostTarget(hostOf(name)) }));
  return [...hosts, ...loaded];
}

/** Managers that run what stands in a package with the rights of the machine, and ask for no signature. */
const ofMachine = /^(?:dpkg|rpm|opkg|pkg|installer|apt|apt-get|dnf|yum|zypper|apk|pacman)$/;

/** A package in a file runs its own scripts as it is installed; no index has vouched for it. */
function setUpBy(call: Call, name: Value): readonly Effect[] {
  const text = beginningOf(name).replace(/^file:/, '');
  const machine = ofMachine.test(call.program);
  const file =
    /^(?:[/~]|\.{1,2}(?:\/|$))/.test(text) ||
    (machine && /^(?!\w+:).*\.(?:deb|rpm|apk|snap|txz|ipk|pkg)$/.test(text));
  if (!file) return [];
  return [
    effect(call, 'run', {
      detail: 'package-file',
      target: pathTarget(mapValue(name, (one) => one.replace(/^file:/, ''))),
      ...(machine ? { origins: ['unknown'] as const } : {}),
    }),
  ];
}

/** A program that is obtained and run at once. */
export function fetched(call: Call, name: Value, detail = 'package'): readonly Effect[] {
  return [effect(call, 'run', { detail, origins: ['network'], target: nameTarget(name) })];
}

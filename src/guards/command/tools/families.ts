// Who knows which programs: families of tools, each loaded when a program of it is first asked about.

import { Part } from '../need.ts';
import { type Family, namesIn } from './names.ts';
import type { Tool, Tools } from './tool.ts';

/** The families by their names. */
export const families: Readonly<Record<Family, Part<Tools>>> = {
  persistence: new Part(async () => (await import('./persistence.ts')).persistenceTools),
  users: new Part(async () => (await import('./users.ts')).userTools),
  databases: new Part(async () => (await import('./databases.ts')).databaseTools),
  cloud: new Part(async () => (await import('./cloud/index.ts')).cloudTools),
  containers: new Part(async () => (await import('./containers.ts')).containerTools),
  packages: new Part(async () => (await import('./packages/index.ts')).packageTools),
  git: new Part(async () => (await import('./git/index.ts')).gitTools),
  network: new Part(async () => (await import('./network/index.ts')).networkTools),
  processes: new Part(async () => (await import('./processes.ts')).processTools),
  attach: new Part(async () => (await import('./attach.ts')).attachTools),
  disks: new Part(async () => (await import('./disks.ts')).diskTools),
  permissions: new Part(async () => (await import('./permissions.ts')).permissionTools),
  files: new Part(async () => (await import('./files.ts')).fileTools),
  archives: new Part(async () => (await import('./archives.ts')).archiveTools),
  readers: new Part(async () => (await import('./readers/index.ts')).readerTools),
  windows: new Part(async () => (await import('./windows.ts')).windowsTools),
};

/** Programs that were asked about and are known: a table of all names would cost every start more than it saves. */
const known = new Map<string, Family>();

/** The family that knows a program; undefined where none does. */
export function knownTo(program: string): Family | undefined {
  const found = known.get(program);
  if (found !== undefined || program.includes(' ')) return found;
  for (const [family, names] of Object.entries(namesIn)) {
    const at = ` ${names} `.indexOf(` ${program} `);
    if (at < 0) continue;
    // The name from the list and not from the command, which would be kept alive by a part of it.
    known.set(names.slice(at, at + program.length), family as Family);
    return family as Family;
  }
  return undefined;
}

/** The tool of a program that a family knows. */
export function toolInFamily(program: string): Tool | undefined {
  const family = knownTo(program);
  return family === undefined ? undefined : families[family].content[program];
}

/** The names of all programs that families know. */
export function familyNames(): readonly string[] {
  return Object.values(families).flatMap(({ content }) => Object.keys(content));
}

// What switches the hooks of a host off besides the file that names them: settings of a project, of the machine, and
// variables. Each was tried with the real host.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Found, type SwitchFile, switchesIn, switchFiles } from '../../run/integrity/unhook.ts';
import type { HostName } from './host.ts';

/** Where a host is looked at. */
export interface SwitchPlace {
  /** Folders whose settings count for the project. */
  readonly projects: readonly string[];
  /** The folder of the host for the user. */
  readonly user: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a text names our client. */
  readonly namesClient: (text: string) => boolean;
  /** The text of settings without what is ours in it. */
  readonly withoutOurs: (text: string) => string;
}

/** One thing that keeps the host from calling our hooks. */
export interface Switch {
  /** The file or the variable. */
  readonly where: string;
  /** What it says, and does. */
  readonly what: string;
}

/** What counts besides the files of the user and of a project, which `run/integrity/unhook.ts` lists. */
interface MachineSwitches {
  /** Variables that switch hooks off when they are set. */
  readonly variables?: readonly string[];
  /** Settings of the machine. */
  readonly files?: (environment: SwitchPlace['environment']) => readonly string[];
}

/** Where a host keeps the settings of the machine. */
function machineFolder(linux: string, mac: string): string {
  return process.platform === 'darwin' ? `/Library/Application Support/${mac}` : `/etc/${linux}`;
}

/** The settings of the machine in the form of Gemini CLI, whose place variables may name. */
function systemFiles(folder: string, prefix: string): NonNullable<MachineSwitches['files']> {
  return (environment) => [
    environment[`${prefix}_SYSTEM_SETTINGS_PATH`] || join(folder, 'settings.json'),
    environment[`${prefix}_SYSTEM_DEFAULTS_PATH`] || join(folder, 'system-defaults.json'),
  ];
}

const claudeFolder = machineFolder('claude-code', 'ClaudeCode');

/** Codex is not here: it is asked itself. */
const machine: Readonly<Partial<Record<HostName, MachineSwitches>>> = {
  claude: {
    variables: ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE'],
    files: () => [
      join(claudeFolder, 'managed-settings.json'),
      ...jsonFilesIn(join(claudeFolder, 'managed-settings.d')),
    ],
  },
  gemini: { files: systemFiles(machineFolder('gemini-cli', 'GeminiCli'), 'GEMINI_CLI') },
  qwen: {
    variables: ['QWEN_CODE_SIMPLE', 'QWEN_CODE_SAFE_MODE'],
    files: systemFiles(machineFolder('qwen-code', 'QwenCode'), 'QWEN_CODE'),
  },
  opencode: { variables: ['OPENCODE_PURE'] },
  kilo: { variables: ['KILO_PURE'] },
};

/** Everything that switches the hooks of a host off at a place. */
export function switchedOff(host: HostName, place: SwitchPlace): readonly Switch[] {
  const known = machine[host];
  if (known === undefined) return [];
  const own = switchFiles[host].user.map(({ path, form }) => ({ where: join(place.user, path), form }));
  return [
    ...(known.variables ?? []).flatMap((name) => {
      const value = place.environment[name] ?? '';
      return ['', '0', 'false'].includes(value) ? [] : [{ where: name, what: `it is "${value}"` }];
    }),
    ...own.flatMap(({ where, form }) => foundIn(host, where, form, isHeeded, place.withoutOurs)),
    ...switchedOffBy(host, place.projects, place.withoutOurs),
    ...(known.files?.(place.environment) ?? []).flatMap((where) =>
      // What names our client is ours.
      place.namesClient(textOf(where) ?? '')
        ? []
        : foundIn(host, where, 'json', () => true, place.withoutOurs),
    ),
  ];
}

/** What switches the hooks of a host off in the settings of projects, be the host connected or not. */
export function switchedOffBy(
  host: HostName,
  projects: readonly string[],
  withoutOurs: SwitchPlace['withoutOurs'] = (text) => text,
): readonly Switch[] {
  return projects.flatMap((folder) =>
    switchFiles[host].project.flatMap(({ path, form }) =>
      foundIn(host, join(folder, path), form, isHeeded, withoutOurs),
    ),
  );
}

function isHeeded({ isIgnored }: Found): boolean {
  return isIgnored !== true;
}

function foundIn(
  host: HostName,
  where: string,
  form: SwitchFile['form'],
  counts: (found: Found) => boolean,
  withoutOurs: SwitchPlace['withoutOurs'],
): readonly Switch[] {
  const text = textOf(where);
  return text === null
    ? []
    : switchesIn(host, form, withoutOurs(text))
        .filter(counts)
        .map(({ why }) => ({ where, what: why }));
}

function jsonFilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

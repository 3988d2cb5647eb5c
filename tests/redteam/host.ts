// A host as an attacker would like it: it reads its settings anew before each call, and heeds every switch in them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostName, isDenial, type Victim } from './victim.ts';

interface HookEntry {
  readonly command: string;
  /** What the host does where the hook fails; it goes on where nothing is said. */
  readonly blocksOnFailure: boolean;
}

interface Settings {
  readonly hooks: readonly HookEntry[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Lets a host run a command of the model's; true if it ran. */
export async function hostRuns(victim: Victim, host: HostName, command: string): Promise<boolean> {
  const { hooks, environment } = readers[host](victim);
  const call = { cwd: victim.project, tool_name: 'Bash', tool_input: { command }, tool_use_id: 'next' };
  for (const { command: hook, blocksOnFailure } of hooks) {
    const { code, printed } = await victim.callHook(hook, 'PreToolUse', call, environment);
    const stops = code === 'asked' || code === 2 || (code !== 0 && blocksOnFailure) || isDenial(printed);
    victim.decisions.push(stops ? 'block' : 'pass');
    if (stops) return false;
  }
  await victim.execute(command, victim.project);
  return true;
}

const readers: Readonly<Record<HostName, (victim: Victim) => Settings>> = {
  claude: ({ places: { person }, project }) => {
    const files = [
      join(person, '.claude/settings.json'),
      join(project, '.claude/settings.json'),
      join(project, '.claude/settings.local.json'),
    ];
    const found = files.map(jsonIn);
    const isOff = found.some(({ disableAllHooks }) => disableAllHooks === true);
    const environment = Object.assign({}, ...found.map(({ env }) => env ?? {}));
    return { hooks: isOff ? [] : found.flatMap(entriesIn), environment };
  },
  codex: ({ places: { person }, project }) => {
    const configs = [join(person, '.codex/config.toml'), join(project, '.codex/config.toml')].map(textIn);
    const isOff = configs.some((text) => /^\s*(?:codex_)?hooks\s*=\s*false/m.test(text));
    const hooks = entriesIn(jsonIn(join(person, '.codex/hooks.json')));
    return { hooks: isOff ? [] : hooks, environment: {} };
  },
};

function entriesIn(settings: Readonly<Record<string, unknown>>): readonly HookEntry[] {
  const groups = tableAt(settings, 'hooks')['PreToolUse'];
  if (!Array.isArray(groups)) return [];
  return groups
    .filter(
      (group) => isTable(group) && ['*', '.*', '', undefined, 'Bash'].includes(textAt(group, 'matcher')),
    )
    .flatMap((group) => (Array.isArray(group.hooks) ? group.hooks : []))
    .filter(isTable)
    .map((entry) => ({
      command: textAt(entry, 'command') ?? 'true',
      blocksOnFailure: entry['onFailure'] === 'block',
    }));
}

function textIn(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** What is no object counts as absent, as it does for the host. */
function jsonIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textIn(file));
    return isTable(value) ? value : {};
  } catch {
    return {};
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tableAt(table: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = table[key];
  return isTable(value) ? value : {};
}

function textAt(table: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = table[key];
  return typeof value === 'string' ? value : undefined;
}

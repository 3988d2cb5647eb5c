// All tools that come registered: one list for each host.

import { claudeTools } from './claude.ts';
import { codexTools } from './codex.ts';
import { copilotTools } from './copilot.ts';
import { cursorTools } from './cursor.ts';
import { geminiTools } from './gemini.ts';
import type { HostTool } from './host.ts';
import { opencodeTools } from './opencode.ts';

const all: readonly HostTool[] = [
  ...claudeTools,
  ...codexTools,
  ...geminiTools,
  ...cursorTools,
  ...copilotTools,
  ...opencodeTools,
];

const byName = Map.groupBy(all, ({ name }) => name);

/** The tools of a name; several hosts, and several forms in one host, may have one. */
export function hostTools(name: string): readonly HostTool[] {
  return byName.get(name) ?? [];
}

export const hostToolNames: readonly string[] = [...byName.keys()];
export const hostNames: readonly string[] = [...new Set(all.map(({ host }) => host))];

// All tools that come registered: one list for each host.

import { captured } from './captured.ts';
import { claudeTools } from './claude.ts';
import { codexTools } from './codex.ts';
import { copilotTools } from './copilot.ts';
import { cursorTools } from './cursor.ts';
import { geminiTools } from './gemini.ts';
import type { HostTool } from './host.ts';
import { kiloTools, opencodeTools } from './opencode.ts';
import { qwenTools } from './qwen.ts';
import { sallyportTools } from './sallyport.ts';

/** Made with the first call of a tool: a command that judges none starts sooner without. */
let made: ReadonlyMap<string, readonly HostTool[]> | undefined;

function byName(): ReadonlyMap<string, readonly HostTool[]> {
  made ??= Map.groupBy(
    [
      ...claudeTools(),
      ...codexTools(),
      ...geminiTools(),
      ...cursorTools(),
      ...copilotTools(),
      ...opencodeTools(),
      ...qwenTools(),
      ...kiloTools(),
      ...sallyportTools(),
    ],
    ({ name }) => name,
  );
  return made;
}

/** The tools of a name; several hosts, and several forms in one host, may have one. */
export function hostTools(name: string): readonly HostTool[] {
  return byName().get(name) ?? [];
}

/** The tools of one host, as a model is told of them. */
export function toolsOfHost(host: string): readonly HostTool[] {
  return [...byName().values()].flat().filter((tool) => tool.host === host);
}

/** The names of all of them. */
export function hostToolNames(): readonly string[] {
  return [...byName().keys()];
}

/** The version of each host that its table was captured from by a real run; hosts without one are not among them. */
export function provenVersions(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(captured).map(([host, { version }]) => [host, version]));
}

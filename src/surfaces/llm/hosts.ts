// The agent hosts that the proxy knows. A host shows a text to its user, but retries an error or explains it in its own
// words; so a stopped answer ends for it as a text.

import type { IncomingHttpHeaders } from 'node:http';

/**
 * The header that distinguishes each host from a program that uses a provider's SDK. A client may lie: the only thing it
 * gains is to read a refusal as a text instead of an error, so nothing else may depend on this.
 */
const marks: readonly { readonly host: string; readonly header: string; readonly value: RegExp }[] = [
  { host: 'claude', header: 'user-agent', value: /^claude-cli\// },
  { host: 'codex', header: 'user-agent', value: /^codex[_-]/ },
  { host: 'gemini', header: 'user-agent', value: /^GeminiCLI\b/ },
  { host: 'opencode', header: 'user-agent', value: /^opencode\// },
  { host: 'copilot', header: 'x-interaction-type', value: /^conversation-/ },
];

/** The agent host that a request comes from; null for any other client. */
export function hostOf(headers: IncomingHttpHeaders): string | null {
  const mark = marks.find(({ header, value }) => value.test(String(headers[header] ?? '')));
  return mark?.host ?? null;
}

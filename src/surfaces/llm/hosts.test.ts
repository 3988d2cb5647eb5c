import { expect, it } from 'vitest';
import { hostOf } from './hosts.ts';

it.each([
  ['claude', { 'user-agent': 'claude-cli/2.1.326 (external, sdk-cli)' }],
  ['codex', { 'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)' }],
  ['codex', { 'user-agent': 'codex_cli_rs/0.169.0 (Mac OS 15.0; arm64) iTerm' }],
  ['gemini', { 'user-agent': 'GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)' }],
  ['opencode', { 'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14' }],
  ['copilot', { 'user-agent': 'OpenAI/JS 5.20.1', 'x-interaction-type': 'conversation-user' }],
  [null, { 'user-agent': 'OpenAI/JS 5.20.1' }],
  [null, { 'user-agent': 'Anthropic/JS 0.70.0' }],
  [null, { 'user-agent': 'my claude-cli/1' }],
  [null, {}],
])('the host %s is told by %j', (host, headers) => {
  expect(hostOf(headers)).toBe(host);
});

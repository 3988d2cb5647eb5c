// The moments of an agent's session at which something may step in; hosts and users' own programs share these words.

export const hookEvents = [
  'session_start',
  'user_prompt_submit',
  'tool_call_pre',
  'tool_call_post',
  'session_end',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** The agent hosts that Sallyport can be installed in. */
export const hostNames = [
  'claude',
  'codex',
  'gemini',
  'cursor',
  'copilot',
  'opencode',
  'qwen',
  'kilo',
] as const;

export type HostName = (typeof hostNames)[number];

// The moments of an agent's session at which something may step in; hosts and users' own programs share these words.

export const hookEvents = [
  'session_start',
  'user_prompt_submit',
  'tool_call_pre',
  'tool_call_post',
  'session_end',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** The moments that agent hosts speak of; users' own programs have no say in the last ones. */
export type HostEvent = HookEvent | 'config_change';

// Claude Code. A deny stops by exit code 2 whatever becomes of the JSON; an answer in JSON without `hookEventName`
// would be ignored, so every one has it.

import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { eventOf, mcpName, modeOf, placeOf, tableIn, textIn, textOrNone, toolCall } from './fields.ts';
import {
  type Answer,
  forbidden,
  type HookCall,
  type Host,
  type Reply,
  say,
  shown,
  silence,
  stop,
  withheld,
} from './host.ts';

const events = {
  PreToolUse: 'tool_call_pre',
  PostToolUse: 'tool_call_post',
  PostToolUseFailure: 'tool_call_post',
  UserPromptSubmit: 'user_prompt_submit',
  SessionStart: 'session_start',
  SessionEnd: 'session_end',
} as const;

/** Reads the form that Claude Code and its followers send. */
export function readClaudeForm(name: string, value: JsonObject): HookCall {
  const event = eventOf(name, events);
  const transcript = textOrNone(value, 'transcript_path');
  const place = {
    ...placeOf(textOrNone(value, 'session_id'), textOrNone(value, 'cwd')),
    ...modeOf(value['permission_mode']),
    ...(transcript === undefined ? {} : { transcript }),
  };
  if (event === 'session_start' || event === 'session_end') return { event, ...place };
  if (event === 'user_prompt_submit') return { event, ...place, prompt: textIn(value, 'prompt') };
  const full = textIn(value, 'tool_name');
  const named = mcpName(full, 'mcp__', '__');
  // The host's own word about the server counts more than a name that a server may choose.
  const told = isJsonObject(value['mcp_server']) ? textOrNone(value['mcp_server'], 'name') : undefined;
  const server = told ?? named?.server;
  const id = textOrNone(value, 'tool_use_id');
  const call = toolCall(named?.tool ?? full, server, tableIn(value, 'tool_input'), id);
  return event === 'tool_call_pre'
    ? { event, ...place, ...call }
    : { event, ...place, ...call, output: value['tool_response'] ?? value['error'] ?? null };
}

function answer(event: string, given: Answer): Reply {
  if (given.does === 'nothing') return silence;
  const name = Object.hasOwn(events, event) ? event : 'PreToolUse';
  const specific = (more: JsonObject) => ({ hookSpecificOutput: { hookEventName: name, ...more } });
  switch (event) {
    case 'PostToolUse': {
      if (given.does === 'note') return say(specific({ additionalContext: given.reason }));
      const note = given.does === 'replace' ? given.note : undefined;
      const more = note === undefined ? {} : { additionalContext: note };
      const output = given.does === 'replace' ? given.output : withheld(given.reason);
      const block = given.does === 'replace' ? {} : { decision: 'block', reason: given.reason };
      return {
        ...say({ ...block, ...specific({ updatedToolOutput: output, ...more }) }),
        stderr: given.reason,
      };
    }
    case 'UserPromptSubmit':
      if (given.does === 'note') return say({ systemMessage: given.reason });
      return stop(given.reason, {
        decision: 'block',
        reason: given.reason,
        ...specific({ suppressOriginalPrompt: true }),
      });
    // What a tool failed with cannot be replaced.
    case 'PostToolUseFailure':
    case 'SessionStart':
    case 'SessionEnd':
      return shown(given);
    default: {
      const reason = { permissionDecisionReason: given.reason };
      if (given.does === 'ask') return say(specific({ permissionDecision: 'ask', ...reason }));
      if (given.does === 'rewrite') {
        // The user sees the call as rewritten; without a word of ours the host might not apply it.
        return say(specific({ permissionDecision: 'ask', ...reason, updatedInput: given.arguments }));
      }
      return stop(given.reason, specific({ permissionDecision: 'deny', ...reason }));
    }
  }
}

export const claude: Host = {
  name: 'claude',
  title: 'Claude Code',
  asks: true,
  rewrites: () => true,
  events,
  provocation: (folder) => ({
    event: 'PreToolUse',
    value: {
      session_id: 'doctor',
      cwd: folder,
      permission_mode: 'bypassPermissions',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: forbidden },
    },
  }),
  read: readClaudeForm,
  answer,
};

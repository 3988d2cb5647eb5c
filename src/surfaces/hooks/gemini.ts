// Gemini CLI. A deny is JSON with exit code 0: with 2 it stops as well, and Gemini warns of a hook that failed each time.
// A hook that ends with 1, or is killed, lets the tool run; one that is missing stops it.

import { isJsonObject, type JsonObject } from '../../core/index.ts';
import {
  type Answer,
  doctorSession,
  eventOf,
  forbidden,
  type HookCall,
  type Host,
  mcpName,
  modelText,
  modeOf,
  placeOf,
  type Reply,
  say,
  shown,
  silence,
  tableIn,
  textIn,
  textOrNone,
  toolCall,
  withheld,
} from './host.ts';

const events = {
  BeforeTool: 'tool_call_pre',
  AfterTool: 'tool_call_post',
  BeforeAgent: 'user_prompt_submit',
  SessionStart: 'session_start',
  SessionEnd: 'session_end',
} as const;

function read(name: string, value: JsonObject): HookCall {
  const event = eventOf(name, events);
  const place = {
    ...placeOf(textOrNone(value, 'session_id'), textOrNone(value, 'cwd')),
    ...modeOf(value['approval_mode']),
  };
  if (event === 'session_start' || event === 'session_end') return { event, ...place };
  if (event === 'user_prompt_submit') return { event, ...place, prompt: textIn(value, 'prompt') };
  const full = textIn(value, 'tool_name');
  const named = mcpName(full, 'mcp_', '_');
  const context = isJsonObject(value['mcp_context']) ? value['mcp_context'] : {};
  const told = textOrNone(context, 'server_name');
  const tool = textOrNone(context, 'tool_name');
  const command = [context['command'], context['args']].flat().filter((word) => typeof word === 'string');
  const call = {
    ...toolCall(tool ?? named?.tool ?? full, told ?? named?.server, tableIn(value, 'tool_input')),
    ...(told === undefined ? {} : { provenance: { command } }),
  };
  return event === 'tool_call_pre'
    ? { event, ...place, ...call }
    : { event, ...place, ...call, output: value['tool_response'] ?? null };
}

function answer(event: string, given: Answer): Reply {
  if (given.does === 'nothing') return silence;
  const { reason } = given;
  switch (event) {
    case 'AfterTool': {
      const context = (note: string) => ({
        hookSpecificOutput: { hookEventName: event, additionalContext: note },
      });
      if (given.does === 'note') return say(context(reason));
      const more = given.does === 'replace' && given.note !== undefined ? context(given.note) : {};
      // A denied result is replaced by the reason, so the reason is the text that may be seen.
      const output = given.does === 'replace' ? modelText(given.output) : withheld(reason);
      return { ...say({ decision: 'deny', reason: output, ...more }), stderr: reason };
    }
    case 'BeforeAgent':
      if (given.does === 'note') return say({ systemMessage: reason });
      return { ...say({ decision: 'deny', reason }), stderr: reason };
    case 'SessionStart':
    case 'SessionEnd':
      return shown(given);
    default:
      if (given.does === 'ask') return say({ decision: 'ask', reason });
      if (given.does === 'rewrite') {
        return say({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: given.arguments } });
      }
      return { ...say({ decision: 'deny', reason }), stderr: reason };
  }
}

export const gemini: Host = {
  name: 'gemini',
  title: 'Gemini CLI',
  // It sends no sign of a terminal, and without one its question is never answered.
  asks: () => false,
  // It lays the new arguments over the old ones, so what is gone from them would stay.
  rewrites: (before, after) => Object.keys(before).every((name) => Object.hasOwn(after, name)),
  events,
  provocation: (folder) => ({
    event: 'BeforeTool',
    value: {
      session_id: doctorSession(folder),
      cwd: folder,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command: forbidden },
    },
  }),
  read,
  answer,
};

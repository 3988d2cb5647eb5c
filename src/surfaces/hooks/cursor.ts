// Cursor. Its own question is not reliable, so it hears a deny or an empty object: every hook is wired `failClosed`, and
// saying nothing at all would count as a failure.

import type { JsonObject } from '../../core/index.ts';
import {
  type Answer,
  annotated,
  doctorSession,
  eventOf,
  forbidden,
  type HookCall,
  type Host,
  mcpName,
  placeOf,
  type Reply,
  replacement,
  say,
  stop,
  tableIn,
  textIn,
  textOrNone,
  toolCall,
  withheld,
} from './host.ts';

const events = {
  preToolUse: 'tool_call_pre',
  beforeShellExecution: 'tool_call_pre',
  beforeMCPExecution: 'tool_call_pre',
  beforeReadFile: 'tool_call_pre',
  postToolUse: 'tool_call_post',
  postToolUseFailure: 'tool_call_post',
  afterMCPExecution: 'tool_call_post',
  beforeSubmitPrompt: 'user_prompt_submit',
  sessionStart: 'session_start',
  sessionEnd: 'session_end',
} as const;

function read(name: string, value: JsonObject): HookCall {
  const event = eventOf(name, events);
  const roots = value['workspace_roots'];
  const root = Array.isArray(roots) && typeof roots[0] === 'string' ? roots[0] : undefined;
  const place = placeOf(
    textOrNone(value, 'conversation_id') ?? textOrNone(value, 'session_id'),
    root ?? textOrNone(value, 'cwd'),
  );
  if (event === 'session_start' || event === 'session_end') return { event, ...place };
  if (event === 'user_prompt_submit') return { event, ...place, prompt: textIn(value, 'prompt') };
  if (name === 'postToolUse' || name === 'postToolUseFailure') {
    const output = value['tool_output'] ?? value['error_message'] ?? null;
    const failed = name === 'postToolUseFailure' ? { failed: true as const } : {};
    return { event: 'tool_call_post', ...place, ...callOf(name, value), ...failed, output };
  }
  if (event === 'tool_call_post') {
    const call = toolCall(textIn(value, 'tool_name'), serverOf(value), tableIn(value, 'tool_input'));
    return { event, ...place, ...call, output: value['result_json'] ?? null };
  }
  return { event, ...place, ...callOf(name, value) };
}

/** The tool call that a moment before or after it speaks of. */
function callOf(event: string, value: JsonObject) {
  switch (event) {
    case 'beforeShellExecution': {
      const cwd = textOrNone(value, 'cwd');
      const input = { command: textIn(value, 'command'), ...(cwd === undefined ? {} : { cwd }) };
      return toolCall('Shell', undefined, input);
    }
    case 'beforeReadFile':
      return toolCall('Read', undefined, { file_path: textIn(value, 'file_path') });
    case 'beforeMCPExecution':
      return toolCall(textIn(value, 'tool_name'), serverOf(value), tableIn(value, 'tool_input'));
    default: {
      const full = textIn(value, 'tool_name');
      // Of an MCP tool it names the tool alone.
      const named = mcpName(full, 'MCP:', '\0');
      const id = textOrNone(value, 'tool_use_id');
      return toolCall(named?.tool ?? full, named?.server, tableIn(value, 'tool_input'), id);
    }
  }
}

function serverOf(value: JsonObject): string {
  return textOrNone(value, 'server') ?? textOrNone(value, 'url') ?? textOrNone(value, 'command') ?? 'unknown';
}

function answer(event: string, given: Answer): Reply {
  if (given.does === 'nothing') return say({});
  const { reason } = given;
  switch (event) {
    case 'afterMCPExecution': {
      if (given.does === 'note') {
        const output = annotated(given.output, reason);
        return { ...say(output === undefined ? {} : { updated_mcp_tool_output: output }), stderr: reason };
      }
      const output = given.does === 'replace' ? replacement(given) : withheld(reason);
      return { ...say({ updated_mcp_tool_output: output }), stderr: reason };
    }
    case 'beforeSubmitPrompt':
      if (given.does === 'note') return { ...say({}), stderr: reason };
      return stop(reason, { continue: false, user_message: reason });
    // What another tool than an MCP server's gave, or failed with, cannot be replaced.
    case 'postToolUse':
    case 'postToolUseFailure':
    case 'sessionStart':
    case 'sessionEnd':
      return { ...say({}), stderr: reason };
    default:
      return stop(reason, { permission: 'deny', user_message: reason, agent_message: reason });
  }
}

export const cursor: Host = {
  name: 'cursor',
  title: 'Cursor',
  asks: () => false,
  rewrites: () => false,
  events,
  provocation: (folder) => ({
    event: 'preToolUse',
    value: {
      hook_event_name: 'preToolUse',
      conversation_id: doctorSession(folder),
      workspace_roots: [folder],
      tool_name: 'Shell',
      tool_input: { command: forbidden },
    },
  }),
  read,
  answer,
};

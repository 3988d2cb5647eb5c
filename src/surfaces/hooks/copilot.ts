// Copilot CLI. What it sends does not name its moment, so the wired command does.

import type { JsonObject, JsonValue } from '../../core/index.ts';
import {
  type Answer,
  annotated,
  doctorSession,
  eventOf,
  forbidden,
  type HookCall,
  type Host,
  type HostPrompt,
  modeOf,
  placeOf,
  promptDecision,
  type Reply,
  replacement,
  say,
  shown,
  silence,
  stop,
  tableIn,
  textIn,
  textOrNone,
  toolCall,
  withheld,
} from './host.ts';

const events = {
  preToolUse: 'tool_call_pre',
  permissionRequest: 'permission_request',
  postToolUse: 'tool_call_post',
  postToolUseFailure: 'tool_call_post',
  userPromptSubmitted: 'user_prompt_submit',
  sessionStart: 'session_start',
  sessionEnd: 'session_end',
} as const;

function read(name: string, value: JsonObject): HookCall {
  const event = eventOf(name, events);
  const place = {
    ...placeOf(textOrNone(value, 'sessionId'), textOrNone(value, 'cwd')),
    ...modeOf(value['permissionMode']),
  };
  if (event === 'session_start' || event === 'session_end') return { event, ...place };
  if (event === 'user_prompt_submit') return { event, ...place, prompt: textIn(value, 'prompt') };
  if (event === 'permission_request') return { event, ...place, ...promptOf(value) };
  const call = toolCall(
    textIn(value, 'toolName'),
    textOrNone(value, 'mcpServer'),
    tableIn(value, 'toolArgs'),
  );
  if (event === 'tool_call_pre') return { event, ...place, ...call };
  const failed = name === 'postToolUseFailure' ? { failed: true as const } : {};
  return { event, ...place, ...call, ...failed, output: value['toolResult'] ?? value['error'] ?? null };
}

/** What a permission prompt is about: it speaks of every change of a file as an edit, and names no content. */
function promptOf(value: JsonObject): HostPrompt {
  const tool = textIn(value, 'toolName');
  const named = tableIn(value, 'toolInput');
  const path = textOrNone(named, 'file_path');
  return path === undefined
    ? { tools: [tool], arguments: named }
    : { tools: ['create', 'edit', 'str_replace', 'insert'], arguments: { path } };
}

function answer(event: string, given: Answer): Reply {
  if (given.does === 'nothing') return silence;
  const { reason } = given;
  switch (event) {
    case 'postToolUse': {
      if (given.does === 'note') {
        const output = annotated(given.output, reason);
        return output === undefined ? shown(given) : { ...say({ modifiedResult: output }), stderr: reason };
      }
      const output = given.does === 'replace' ? replacement(given) : result(withheld(reason));
      return { ...say({ modifiedResult: output }), stderr: reason };
    }
    case 'userPromptSubmitted':
      if (given.does === 'note') return shown(given);
      return stop(reason, { decision: 'block', reason });
    case 'permissionRequest':
      return say(promptDecision(given));
    // What a tool failed with cannot be replaced.
    case 'postToolUseFailure':
    case 'sessionStart':
    case 'sessionEnd':
      return shown(given);
    default:
      if (given.does === 'ask') return say({ permissionDecision: 'ask', permissionDecisionReason: reason });
      return stop(reason, { permissionDecision: 'deny', permissionDecisionReason: reason });
  }
}

function result(text: string): JsonValue {
  return { resultType: 'success', textResultForLlm: text };
}

export const copilot: Host = {
  name: 'copilot',
  title: 'Copilot CLI',
  // It sends no sign of a terminal, and without one its question is a denial that names no way to approve.
  asks: () => false,
  rewrites: () => false,
  events,
  provocation: (folder) => ({
    event: 'preToolUse',
    value: {
      sessionId: doctorSession(folder),
      cwd: folder,
      toolName: 'bash',
      toolArgs: JSON.stringify({ command: forbidden, description: 'doctor' }),
    },
  }),
  read,
  answer,
};

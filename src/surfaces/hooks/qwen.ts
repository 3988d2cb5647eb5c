// Qwen Code. Hooks in Claude Code's form, tools and outputs in Gemini CLI's. A hook that fails, or that takes longer than
// a minute, lets the tool run. It has a question of its own, which a run without a terminal turns into a denial that
// names no way to approve, and nothing tells such a run from another; so the question is ours.

import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { readClaudeForm } from './claude.ts';
import {
  type Answer,
  doctorSession,
  forbidden,
  type HookCall,
  type Host,
  modelText,
  type Reply,
  withheld,
} from './host.ts';
import { jsonAnswers, type Spoken } from './json-answers.ts';

/** It reads so many bytes of an answer and takes one that goes on for none; some room is left for the rest of it. */
const longestText = 1_000_000;

/**
 * The last call of a batch, where it ran and failed: after such a call alone the output can only be replaced once the
 * batch has ended, and only that of the last one.
 */
function failedLast({ tool_calls: calls }: JsonObject): JsonObject | undefined {
  const last = Array.isArray(calls) ? calls.at(-1) : undefined;
  if (last === undefined || !isJsonObject(last) || last['status'] !== 'error') return undefined;
  const response = isJsonObject(last['tool_response']) ? last['tool_response'] : {};
  // Of a call that a hook stopped, the model sees what the hook said.
  if (response['error_type'] === 'execution_denied') return undefined;
  const { tool_name, tool_input } = last;
  return { tool_name: tool_name ?? '', tool_input: tool_input ?? {}, error: response['error'] ?? response };
}

function isVoid(event: string, value: JsonObject): boolean {
  if (event === 'PostToolBatch') return failedLast(value) === undefined;
  // It tells of a prompt whenever the model is asked again; only those that somebody typed have a text.
  return event === 'UserPromptSubmit' && value['prompt'] === '';
}

function read(event: string, value: JsonObject): HookCall {
  return event === 'PostToolBatch'
    ? readClaudeForm('PostToolUseFailure', { ...value, ...failedLast(value) })
    : readClaudeForm(event, value);
}

/** A result whose call is stopped is replaced by the reason of the stop, and the model goes on with that. */
function afterTool(given: Spoken): JsonObject {
  if (given.does === 'note') {
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: given.reason } };
  }
  return { continue: false, stopReason: textFor(given) };
}

function textFor(given: Spoken): string {
  if (given.does !== 'replace') return withheld(given.reason);
  const output = modelText(given.output);
  const text = given.note === undefined ? output : `${given.note}\n\n${output}`;
  const fits = Buffer.byteLength(JSON.stringify(text)) <= longestText;
  return fits ? text : withheld(`${given.reason} The rest is too long for Qwen Code to replace.`);
}

const answers = jsonAnswers(afterTool);

function answer(event: string, given: Answer): Reply {
  if (event !== 'PostToolBatch') return answers(event, given);
  // The model was warned when the call failed.
  return answers('PostToolUse', given.does === 'note' ? { does: 'nothing' } : given);
}

export const qwen: Host = {
  name: 'qwen',
  title: 'Qwen Code',
  asks: () => false,
  rewrites: () => false,
  events: {
    PreToolUse: 'tool_call_pre',
    PostToolUse: 'tool_call_post',
    PostToolUseFailure: 'tool_call_post',
    PostToolBatch: 'tool_call_post',
    UserPromptSubmit: 'user_prompt_submit',
    PermissionRequest: 'permission_request',
    InstructionsLoaded: 'instructions_loaded',
    SessionStart: 'session_start',
    SessionEnd: 'session_end',
  },
  provocation: (folder) => ({
    event: 'PreToolUse',
    value: {
      session_id: doctorSession(folder),
      cwd: folder,
      permission_mode: 'yolo',
      hook_event_name: 'PreToolUse',
      tool_name: 'run_shell_command',
      tool_input: { command: forbidden, is_background: false },
      tool_use_id: 'doctor',
    },
  }),
  isVoid,
  read,
  answer,
};

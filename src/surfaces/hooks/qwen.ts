// Qwen Code. Hooks in Claude Code's form, tools and outputs in Gemini CLI's. A hook that fails, or that takes longer than
// a minute, lets the tool run. It has a question of its own, which a run without a terminal turns into a denial that
// names no way to approve, and nothing tells such a run from another; so the question is ours.

import type { JsonObject } from '../../core/index.ts';
import { readClaudeForm } from './claude.ts';
import { doctorSession, forbidden, type Host, modelText, withheld } from './host.ts';
import { jsonAnswers, type Spoken } from './json-answers.ts';

/** It reads so many bytes of an answer and takes one that goes on for none; some room is left for the rest of it. */
const longestText = 1_000_000;

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

export const qwen: Host = {
  name: 'qwen',
  title: 'Qwen Code',
  asks: () => false,
  rewrites: () => false,
  events: {
    PreToolUse: 'tool_call_pre',
    PostToolUse: 'tool_call_post',
    PostToolUseFailure: 'tool_call_post',
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
  // It tells of a prompt whenever the model is asked again; only those that somebody typed have a text.
  isVoid: (event, { prompt }) => event === 'UserPromptSubmit' && prompt === '',
  read: readClaudeForm,
  answer: jsonAnswers(afterTool),
};

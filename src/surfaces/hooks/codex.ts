// Codex. It knows no question of a hook's and takes an answer with a member that it does not know for none at all,
// after which the tool runs; so it hears a deny, or an empty object. Saying nothing at all is left to a client that is
// broken: the wired command then denies. A deny is read for certain only where the hook ends with 0.

import type { JsonObject } from '../../core/index.ts';
import { readClaudeForm } from './claude.ts';
import {
  type Answer,
  annotated,
  doctorSession,
  forbidden,
  type Host,
  promptDecision,
  type Reply,
  replacement,
  say,
  shown,
  withheld,
} from './host.ts';

/** Codex joins the namespace of its agent tools to their names, with nothing in between. */
const agentNamespace = /^multi_agent_v\d+(?=[a-z])/;

/** The value with the tool's own name. */
function withPlainName(value: JsonObject): JsonObject {
  const name = value['tool_name'];
  return typeof name === 'string' ? { ...value, tool_name: name.replace(agentNamespace, '') } : value;
}

/** What the model receives in place of an output. */
function textFor(given: Answer, reason: string): string {
  const output =
    given.does === 'replace'
      ? replacement(given)
      : given.does === 'note'
        ? annotated(given.output, reason)
        : withheld(reason);
  return typeof output === 'string' ? output : `${reason}\n\n${JSON.stringify(output ?? null)}`;
}

function answer(event: string, given: Answer): Reply {
  if (given.does === 'nothing') return say({});
  const { reason } = given;
  switch (event) {
    // The reason of a block is what the model receives in place of the output.
    case 'PostToolUse':
      return { ...say({ decision: 'block', reason: textFor(given, reason) }), stderr: reason };
    case 'UserPromptSubmit':
      if (given.does === 'note') return say({ systemMessage: reason });
      return { ...say({ decision: 'block', reason }), stderr: reason };
    case 'PermissionRequest':
      return say({ hookSpecificOutput: { hookEventName: event, decision: promptDecision(given) } });
    case 'SessionStart':
    case 'SessionEnd':
      return shown(given);
    default:
      return {
        ...say({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: reason,
          },
        }),
        stderr: reason,
      };
  }
}

export const codex: Host = {
  name: 'codex',
  title: 'Codex',
  asks: () => false,
  rewrites: () => false,
  events: {
    PreToolUse: 'tool_call_pre',
    PostToolUse: 'tool_call_post',
    PermissionRequest: 'permission_request',
    UserPromptSubmit: 'user_prompt_submit',
    SessionStart: 'session_start',
    SessionEnd: 'session_end',
  },
  provocation: (folder) => ({
    event: 'PreToolUse',
    value: {
      session_id: doctorSession(folder),
      cwd: folder,
      permission_mode: 'bypassPermissions',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: forbidden },
      turn_id: 'doctor',
      model: 'doctor',
    },
  }),
  read: (event, value) => readClaudeForm(event, withPlainName(value)),
  answer,
};

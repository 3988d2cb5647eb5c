// Codex. It knows no question of a hook's and takes an answer with a member that it does not know for none at all,
// after which the tool runs; so it hears a deny, or an empty object. A deny is read for certain only where the hook ends
// with 0.

import type { JsonObject } from '../../core/index.ts';
import { readClaudeForm } from './claude.ts';
import { annotated, doctorSession, forbidden, type Host, replacement, withheld } from './host.ts';
import { jsonAnswers, type Spoken } from './json-answers.ts';

/** Codex joins the namespace of its agent tools to their names, with nothing in between. */
const agentNamespace = /^multi_agent_v\d+(?=[a-z])/;

/** The value with the tool's own name. */
function withPlainName(value: JsonObject): JsonObject {
  const name = value['tool_name'];
  return typeof name === 'string' ? { ...value, tool_name: name.replace(agentNamespace, '') } : value;
}

/** What the model receives in place of an output. */
function textFor(given: Spoken): string {
  const { reason } = given;
  const output =
    given.does === 'replace'
      ? replacement(given)
      : given.does === 'note'
        ? annotated(given.output, reason)
        : withheld(reason);
  return typeof output === 'string' ? output : `${reason}\n\n${JSON.stringify(output ?? null)}`;
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
  // The reason of a block is what the model receives in place of the output.
  answer: jsonAnswers((given) => ({ decision: 'block', reason: textFor(given) })),
};

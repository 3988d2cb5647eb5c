// Claude Code. A deny stops by exit code 2 whatever becomes of the JSON; an answer in JSON without `hookEventName`
// would be ignored, so every one has it.

import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { withheldOutput } from './claude-output.ts';
import {
  type Answer,
  doctorSession,
  eventOf,
  forbidden,
  type HookCall,
  type Host,
  mcpName,
  modeOf,
  placeOf,
  promptDecision,
  type Reply,
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
import { isHeadless } from './transcript.ts';

const events = {
  PreToolUse: 'tool_call_pre',
  PostToolUse: 'tool_call_post',
  PostToolUseFailure: 'tool_call_post',
  UserPromptSubmit: 'user_prompt_submit',
  PermissionRequest: 'permission_request',
  MessageDisplay: 'message_display',
  InstructionsLoaded: 'instructions_loaded',
  SessionStart: 'session_start',
  SessionEnd: 'session_end',
  ConfigChange: 'config_change',
} as const;

/** Reads the form that Claude Code and its followers send. */
export function readClaudeForm(name: string, value: JsonObject): HookCall {
  const event = eventOf(name, events);
  const transcript = textOrNone(value, 'transcript_path');
  const place = {
    ...placeOf(textOrNone(value, 'session_id'), textOrNone(value, 'cwd')),
    ...modeOf(value['permission_mode']),
    ...(transcript === undefined ? {} : { transcript }),
    ...(textOrNone(value, 'agent_id') === undefined ? {} : { isSubagent: true as const }),
  };
  if (event === 'session_start' || event === 'session_end') {
    // After "clear" and "compact" the folder is the shell's, which calls have moved.
    return { event, ...place, starts: /^(?:startup|resume)$/.test(textOrNone(value, 'source') ?? '') };
  }
  if (event === 'user_prompt_submit') return { event, ...place, prompt: textIn(value, 'prompt') };
  if (event === 'message_display') return { event, ...place, text: textOrNone(value, 'delta') ?? '' };
  if (event === 'instructions_loaded') return { event, ...place, path: textIn(value, 'file_path') };
  if (event === 'config_change') {
    const file = textOrNone(value, 'file_path');
    return { event, ...place, source: textIn(value, 'source'), ...(file === undefined ? {} : { file }) };
  }
  return readToolForm(event, place, value);
}

type ToolEvent = 'tool_call_pre' | 'tool_call_post' | 'permission_request';
type SessionPlace = Pick<HookCall, 'session' | 'folder' | 'mode' | 'isSubagent' | 'transcript'>;

/** Reads what is said about a call of a tool. */
function readToolForm(event: ToolEvent, place: SessionPlace, value: JsonObject): HookCall {
  const full = textIn(value, 'tool_name');
  const named = mcpName(full, 'mcp__', '__');
  // The host's own word about the server counts more than a name that a server may choose.
  const origin = isJsonObject(value['mcp_server']) ? value['mcp_server'] : {};
  const server = textOrNone(origin, 'name') ?? named?.server;
  const source = textOrNone(origin, 'source');
  const id = textOrNone(value, 'tool_use_id');
  const call = {
    ...toolCall(named?.tool ?? full, server, tableIn(value, 'tool_input'), id),
    ...(source === undefined ? {} : { provenance: { source } }),
  };
  if (event === 'permission_request') {
    // The words that the user is shown with the prompt are not the call's.
    const { description: _, ...named } = call.arguments;
    return {
      event,
      ...place,
      tools: [call.tool],
      ...(server === undefined ? {} : { server }),
      arguments: named,
    };
  }
  if (event === 'tool_call_pre') return { event, ...place, ...call };
  const { tool_response: response, error } = value;
  const failed = response === undefined && error !== undefined ? { failed: true as const } : {};
  return { event, ...place, ...call, ...failed, output: response ?? error ?? null };
}

function answer(event: string, given: Answer): Reply {
  if (given.does === 'nothing') return silence;
  const name = Object.hasOwn(events, event) ? event : 'PreToolUse';
  const specific = (more: JsonObject) => ({ hookSpecificOutput: { hookEventName: name, ...more } });
  switch (event) {
    case 'PostToolUse':
      return afterTool(given, specific);
    case 'UserPromptSubmit':
      if (given.does === 'note') {
        const more = given.context === undefined ? {} : specific({ additionalContext: given.context });
        return say({ systemMessage: given.reason, ...more });
      }
      return stop(given.reason, {
        decision: 'block',
        reason: given.reason,
        ...specific({ suppressOriginalPrompt: true }),
      });
    case 'ConfigChange':
      return given.does === 'deny'
        ? stop(given.reason, { decision: 'block', reason: given.reason })
        : shown(given);
    case 'PermissionRequest':
      return say(specific({ decision: promptDecision(given) }));
    case 'MessageDisplay': {
      const shownText = given.does === 'replace' ? given.output : withheld(given.reason);
      return say(specific({ displayContent: shownText }));
    }
    // A tool's error cannot be replaced; the model can receive something beside it.
    case 'PostToolUseFailure':
      return given.does === 'note' ? say(specific({ additionalContext: given.reason })) : shown(given);
    // Nothing that is answered to these has an effect.
    case 'InstructionsLoaded':
    case 'SessionStart':
    case 'SessionEnd':
      return shown(given);
    default:
      return beforeTool(given, specific);
  }
}

/** An answer that says something. */
type SpokenAnswer = Exclude<Answer, { readonly does: 'nothing' }>;
type Specific = (more: JsonObject) => JsonObject;

function afterTool(given: SpokenAnswer, specific: Specific): Reply {
  if (given.does === 'note') return say(specific({ additionalContext: given.reason }));
  if (given.does === 'replace') {
    const more = given.note === undefined ? {} : { additionalContext: given.note };
    const { output, reason } = given;
    return { ...say(specific({ updatedToolOutput: output, ...more })), stderr: reason };
  }
  return { ...say(withholding(given, specific)), stderr: given.reason };
}

function beforeTool(given: SpokenAnswer, specific: Specific): Reply {
  const reason = { permissionDecisionReason: given.reason };
  if (given.does === 'ask') return say(specific({ permissionDecision: 'ask', ...reason }));
  if (given.does === 'rewrite') {
    // The user sees the call as rewritten; without a word of ours the host might not apply it.
    return say(specific({ permissionDecision: 'ask', ...reason, updatedInput: given.arguments }));
  }
  return stop(given.reason, specific({ permissionDecision: 'deny', ...reason }));
}

/**
 * Keeps an output from the model. Where it is not certain that Claude Code takes the replacement, the turn ends as well,
 * so that no model is asked anything until the user says so.
 */
function withholding(
  { reason, ...given }: Answer & { readonly reason: string },
  specific: (more: JsonObject) => JsonObject,
): JsonObject {
  const of = given.does === 'deny' ? given.of : undefined;
  // A client that nobody answered has not read what the tool gave: commands are what it can still be right about.
  const { output, fits } = withheldOutput(of ?? { tool: 'Bash', output: {} }, withheld(reason));
  const end = of !== undefined && fits ? {} : { continue: false, stopReason: reason };
  return { ...end, decision: 'block', reason, ...specific({ updatedToolOutput: output }) };
}

export const claude: Host = {
  name: 'claude',
  title: 'Claude Code',
  // Without a terminal (-p) its question is a denial that names no way to approve.
  asks: ({ transcript }) => transcript === undefined || !isHeadless(transcript),
  isUnattended: ({ transcript }) => transcript !== undefined && isHeadless(transcript),
  rewrites: () => true,
  events,
  shellEvents: ['ShellStart', 'ShellEnd'],
  provocation: (folder) => ({
    event: 'PreToolUse',
    value: {
      session_id: doctorSession(folder),
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

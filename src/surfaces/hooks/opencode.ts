// opencode, and Kilo, which was made from it. The plugin is ours, so both sides of the form are: one object in, one
// object out; an error stops the tool.

import type { JsonObject } from '../../core/index.ts';
import {
  type Answer,
  annotated,
  doctorSession,
  eventOf,
  forbidden,
  type HookCall,
  type Host,
  type HostName,
  placeOf,
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
  'tool.execute.before': 'tool_call_pre',
  'tool.execute.after': 'tool_call_post',
  'chat.message': 'user_prompt_submit',
  'experimental.text.complete': 'message_display',
  'session.created': 'session_start',
} as const;

function read(name: string, value: JsonObject): HookCall {
  const event = eventOf(name, events);
  const place = placeOf(textOrNone(value, 'sessionID'), textOrNone(value, 'directory'));
  if (event === 'session_start') return { event, ...place };
  if (event === 'user_prompt_submit') return { event, ...place, prompt: textIn(value, 'prompt') };
  if (event === 'message_display') return { event, ...place, text: textOrNone(value, 'text') ?? '' };
  const id = textOrNone(value, 'callID');
  const call = toolCall(textIn(value, 'tool'), undefined, tableIn(value, 'args'), id);
  return event === 'tool_call_pre'
    ? { event, ...place, ...call }
    : { event, ...place, ...call, output: value['output'] ?? null };
}

function answer(event: string, given: Answer): Reply {
  switch (given.does) {
    case 'nothing':
      return silence;
    case 'rewrite':
      return say({ args: given.arguments });
    case 'replace':
      return { ...say({ output: replacement(given) }), stderr: given.reason };
    case 'note': {
      const output = annotated(given.output, given.reason);
      return output === undefined ? shown(given) : { ...say({ output }), stderr: given.reason };
    }
    default:
      if (event === 'session.created') return shown(given);
      if (event === 'tool.execute.after' || event === 'experimental.text.complete') {
        return { ...say({ output: withheld(given.reason) }), stderr: given.reason };
      }
      return stop(given.reason, { deny: given.reason });
  }
}

/** A host that loads our plugin. */
function pluginHost(name: HostName, title: string): Host {
  return {
    name,
    title,
    asks: () => false,
    rewrites: () => true,
    events,
    provocation: (folder) => ({
      event: 'tool.execute.before',
      value: {
        sessionID: doctorSession(folder),
        callID: 'doctor',
        directory: folder,
        tool: 'bash',
        args: { command: forbidden, description: 'doctor' },
      },
    }),
    read,
    answer,
  };
}

export const opencode = pluginHost('opencode', 'opencode');
export const kilo = pluginHost('kilo', 'Kilo');

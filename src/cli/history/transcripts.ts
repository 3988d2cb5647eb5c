// Transcripts of Claude Code and Codex: the calls of tools in them, as the hooks of these hosts describe them.

import { InputError, isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { actionOf, hosts } from '../../surfaces/hooks/index.ts';
import type { HistoryCall, HistoryReader, Origin } from './call.ts';

type TranscriptHost = Exclude<Origin, 'shell'>;

/** What a transcript says before or beside its calls. */
interface Session {
  session: string;
  workspace: string | null;
  cwd: string | null;
  at: number | null;
}

/** One call of a tool, as the transcript names it. */
interface Used {
  readonly tool: string;
  readonly input: JsonObject;
  /** The host's name of the call: a transcript that was resumed repeats older ones. */
  readonly id: string | undefined;
}

/**
 * Reads transcripts of one host; `seen` holds the calls that were read before, in any file. A line that is none of the
 * host's is left alone: hosts add kinds of lines as they grow.
 */
export function transcriptReader(host: TranscriptHost, name: string, seen: Set<string>): HistoryReader {
  const session: Session = { session: name, workspace: null, cwd: null, at: null };
  const usedIn = { claude: usedByClaude, codex: usedByCodex }[host];
  return {
    read(line) {
      const entry = objectIn(line);
      if (entry === null) return [];
      return usedIn(entry, session).flatMap((used) => {
        if (used.id !== undefined && seen.has(used.id)) return [];
        if (used.id !== undefined) seen.add(used.id);
        return callOf(host, used, session);
      });
    },
    end: () => [],
  };
}

/** Whose transcript a line is from; null for a line that does not tell. */
export function hostOfLine(line: string): TranscriptHost | null {
  const entry = objectIn(line);
  if (entry === null) return null;
  if (isJsonObject(entry['payload']) && typeof entry['type'] === 'string') return 'codex';
  return typeof entry['sessionId'] === 'string' ? 'claude' : null;
}

function callOf(host: TranscriptHost, { tool, input }: Used, place: Session): readonly HistoryCall[] {
  try {
    const call = hosts[host].read('PreToolUse', { tool_name: tool, tool_input: input });
    return [{ ...place, origin: host, action: actionOf(call, hosts[host]) }];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function usedByClaude(entry: JsonObject, place: Session): readonly Used[] {
  place.session = textOf(entry['sessionId']) ?? place.session;
  moveTo(place, entry['cwd']);
  place.at = timeOf(entry['timestamp']) ?? place.at;
  if (entry['type'] !== 'assistant' || !isJsonObject(entry['message'])) return [];
  const { content } = entry['message'];
  return (Array.isArray(content) ? content : []).filter(isJsonObject).flatMap((part) => {
    const { type, name, input, id } = part;
    if (type !== 'tool_use' || typeof name !== 'string' || !isJsonObject(input)) return [];
    return [{ tool: name, input, id: textOf(id) }];
  });
}

function usedByCodex({ type, payload, timestamp }: JsonObject, place: Session): readonly Used[] {
  if (!isJsonObject(payload)) return [];
  place.at = timeOf(timestamp) ?? place.at;
  if (type === 'session_meta') place.session = textOf(payload['id']) ?? place.session;
  if (type === 'session_meta' || type === 'turn_context') moveTo(place, payload['cwd']);
  const form = type === 'response_item' ? textOf(payload['type']) : undefined;
  const used = form !== undefined && Object.hasOwn(codexForms, form) ? codexForms[form]?.(payload) : null;
  return used === null || used === undefined
    ? []
    : [{ ...used, id: textOf(payload['call_id']) ?? textOf(payload['id']) }];
}

/** The forms in which Codex writes a call down; null where it is not in order. */
const codexForms: Readonly<Record<string, (payload: JsonObject) => Omit<Used, 'id'> | null>> = {
  function_call: (payload) => named(payload, objectIn(textOf(payload['arguments']) ?? '')),
  custom_tool_call: (payload) => {
    const input = textOf(payload['input']);
    return named(payload, input === undefined ? null : { input });
  },
  local_shell_call: ({ action }) => {
    if (!isJsonObject(action) || !Array.isArray(action['command'])) return null;
    const workdir = textOf(action['working_directory']);
    const input = { command: action['command'], ...(workdir === undefined ? {} : { workdir }) };
    return { tool: 'local_shell', input };
  },
};

function named({ name, namespace }: JsonObject, input: JsonObject | null): Omit<Used, 'id'> | null {
  const tool = textOf(name);
  return tool === undefined || input === null ? null : { tool: `${textOf(namespace) ?? ''}${tool}`, input };
}

/** The first folder of a session is its workspace. */
function moveTo(place: Session, folder: JsonValue | undefined): void {
  const cwd = textOf(folder);
  if (cwd === undefined || !cwd.startsWith('/')) return;
  place.workspace ??= cwd;
  place.cwd = cwd;
}

function objectIn(line: string): JsonObject | null {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : null;
  } catch {
    // The last line of a session that runs may be written halfway.
    return null;
  }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function timeOf(value: JsonValue | undefined): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

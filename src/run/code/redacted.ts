// The result of a run as it may be sent to a model: without secrets, and with a warning about instructions in it.

import { type Context, isJsonObject, type JsonValue } from '../../core/index.ts';
import { judgeOutput, type OutputParts } from '../output.ts';
import type { RunResult } from './index.ts';

/** A run, and the note for a model on a text in it that tries to command it. */
export type RedactedRun = RunResult & { readonly warning?: string };

/** Judges what the code returned, logged and threw, like the answer of a tool. */
export async function redactRun(
  parts: OutputParts,
  result: RunResult,
  context: Context,
): Promise<RedactedRun> {
  const logs = 'logs' in result ? result.logs : [];
  const { error } = result;
  const output = {
    // INVARIANT: only JSON leaves the sandbox.
    value: 'value' in result ? (result.value as JsonValue) : null,
    logs: logs.map(({ text }) => text),
    error: error?.message ?? '',
    code: error?.code ?? '',
  };
  const judged = await judgeOutput(parts, { tool: 'code', arguments: {}, output }, context);
  if (judged.does === 'withhold') {
    const withheld = { code: 'output_withheld', message: judged.why };
    const { value: _, ...rest } = 'value' in result ? result : { ...result, value: null };
    const status = result.status === 'ok' ? ('error' as const) : result.status;
    return { ...rest, status, logs: [], error: withheld } as unknown as RedactedRun;
  }
  const shown = isJsonObject(judged.output) ? judged.output : {};
  const lines = Array.isArray(shown['logs']) ? shown['logs'] : [];
  return {
    ...result,
    ...('value' in result ? { value: shown['value'] ?? null } : {}),
    ...('logs' in result
      ? { logs: logs.map((log, index) => ({ ...log, text: String(lines[index] ?? '') })) }
      : {}),
    ...(error === undefined ? {} : { error: { ...error, message: String(shown['error'] ?? '') } }),
    ...(judged.note === undefined ? {} : { warning: judged.note }),
  } as RedactedRun;
}

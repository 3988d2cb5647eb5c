// What a server was really asked: a line for each call, written by the server itself before it does anything.

import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../core/index.ts';

function logFile(folder: string, server: string): string {
  return join(folder, 'log', `${server}.jsonl`);
}

export function logCall(folder: string, server: string, tool: string, args: JsonValue): void {
  mkdirSync(join(folder, 'log'), { recursive: true });
  appendFileSync(logFile(folder, server), `${JSON.stringify({ tool, arguments: args })}\n`);
}

/** The calls that reached a server, in order. */
export function callsOf(folder: string, server: string): readonly JsonObject[] {
  let lines: string;
  try {
    lines = readFileSync(logFile(folder, server), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line))
    .filter(isJsonObject);
}

// The model's last words before a call, from the transcript that the host keeps: its stated reason where a tool has no
// argument for one. They are shown to the person who decides, and decide nothing.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isOwnDescriptor } from '../../config/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

/** How much of the end of a transcript is read, in bytes. */
const tailBytes = 65_536;

/** What the model said since the user's last message; undefined where it said nothing or that cannot be known. */
export function lastWordsIn(path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  try {
    return lastWords(readTail(path));
  } catch {
    // A transcript is a courtesy of the host; without it, no reason was given.
    return undefined;
  }
}

/** How Claude Code names a run that nobody sits in front of. */
const headlessEntry = 'sdk-cli';

/** Whether a transcript of Claude Code is one of a run without a terminal; false where that cannot be known. */
export function isHeadless(path: string): boolean {
  if (!isAbsolute(path)) return false;
  try {
    return entryIn(readTail(path)) === headlessEntry;
  } catch {
    return false;
  }
}

/** How the newest message in lines of JSON was entered. */
function entryIn(lines: string): string | undefined {
  for (const line of lines.split('\n').reverse()) {
    const entry = objectIn(line)?.['entrypoint'];
    if (typeof entry === 'string') return entry;
  }
  return undefined;
}

/** The text of the last message of the model in lines of JSON, unless the user spoke after it. */
export function lastWords(lines: string): string | undefined {
  for (const line of lines.split('\n').reverse()) {
    const message = messageIn(line);
    if (message === undefined || message.text === '') continue;
    return message.role === 'assistant' ? message.text : undefined;
  }
  return undefined;
}

/** The message in a line, in the form of Claude Code or of Codex; what a tool gave back is no message. */
function messageIn(line: string): { readonly role: string; readonly text: string } | undefined {
  const value = objectIn(line);
  if (value === undefined) return undefined;
  const message = [value['message'], value['payload']].find(isJsonObject);
  const role = message?.['role'];
  if (message === undefined || typeof role !== 'string') return undefined;
  return { role, text: textOf(message) };
}

/** The object in a line of JSON; undefined for what is none, such as the cut first line of a tail. */
function objectIn(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf({ content }: JsonObject): string {
  if (typeof content === 'string') return content.trim();
  const blocks: readonly JsonValue[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) => {
    const plain = isJsonObject(block) && /^(?:output_|input_)?text$/.test(String(block['type']));
    return plain && typeof block['text'] === 'string' ? [block['text']] : [];
  });
  return texts.join('\n').trim();
}

function readTail(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || isOwnDescriptor(file)) return '';
    const start = Math.max(0, found.size - tailBytes);
    const bytes = Buffer.alloc(found.size - start);
    const count = readSync(file, bytes, 0, bytes.length, start);
    return bytes.toString('utf8', 0, count).toWellFormed();
  } finally {
    closeSync(file);
  }
}

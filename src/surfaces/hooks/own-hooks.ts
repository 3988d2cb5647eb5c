// Our hooks in the settings of a host: whether they stand there as they should, and the settings with them put back.
// Pure: texts in, texts out.

import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  SallyportError,
} from '../../core/index.ts';
import { entriesIn, jsonTable } from '../../run/integrity/unhook.ts';
import type { HostName } from './host.ts';
import { hosts } from './hosts.ts';
import { wirings } from './wiring.ts';

/** Whether the hooks that ask before a tool stand in a text. */
export function holdsOurs(host: HostName, text: string, script: string): boolean {
  try {
    const { events } = hosts[host];
    return Object.keys(wirings[host].commands(text, script)).some((name) => events[name] === 'tool_call_pre');
  } catch {
    return false;
  }
}

/** Whether every entry of ours in the good text stands in the other as it was. */
export function keepsOurs(host: HostName, text: string | null, good: string, script: string): boolean {
  if (text === null || !holdsOurs(host, text, script)) return false;
  if (jsonTable(good) === null) return good === '' || good === text;
  const now = new Set(hooksIn(text));
  try {
    const others = new Set(hooksIn(wirings[host].remove(good, script) ?? '{}'));
    return hooksIn(good).every((entry) => others.has(entry) || now.has(entry));
  } catch (error) {
    if (error instanceof SallyportError) return false;
    throw error;
  }
}

/** Every entry of hooks in a settings file, with the moment that it is for. */
function hooksIn(text: string): readonly string[] {
  return entriesIn(jsonTable(text), 'hooks');
}

/** The text with the entries of the good one put back; the good text itself where the other cannot be read. */
export function rehooked(host: HostName, text: string | null, good: string, script: string): string | null {
  const { add } = wirings[host];
  const known = good === '' ? null : good;
  const settings = text === null ? null : jsonTable(text);
  try {
    if (known === null) return add(settings === null ? null : text, script);
    if (settings === null || jsonTable(known) === null) return known;
    const others = jsonTable(wirings[host].remove(JSON.stringify(settings), script) ?? '{}') ?? {};
    return withEntries(others, oursIn(host, known, script), known);
  } catch (error) {
    throw new SallyportError(`the hooks cannot be put back: ${messageOf(error)}`, { cause: error });
  }
}

/** All that is ours in a settings file, as one text; empty where nothing is. */
export function oursAsText(host: HostName, text: string, script: string): string {
  if (jsonTable(text) === null) return holdsOurs(host, text, script) ? text : '';
  const entries = Object.entries(oursIn(host, text, script)).filter(
    ([, list]) => Array.isArray(list) && list.length > 0,
  );
  return entries.length === 0 ? '' : canonicalJson(Object.fromEntries(entries));
}

/** Whether exactly that is ours in a text which `init` of this version writes. */
export function isAsWritten(host: HostName, text: string, script: string): boolean {
  return oursAsText(host, text, script) === oursAsText(host, wirings[host].add(null, script), script);
}

/** Our entries in a settings file, by moment. */
function oursIn(host: HostName, text: string, script: string): JsonObject {
  const tables = (of: string) => jsonTable(of)?.['hooks'] ?? {};
  const all = tables(text);
  const others = tables(wirings[host].remove(text, script) ?? '{}');
  const listOf = (table: JsonValue, event: string): readonly JsonValue[] => {
    const list = isJsonObject(table) ? table[event] : undefined;
    return Array.isArray(list) ? list : [];
  };
  return Object.fromEntries(
    Object.keys(isJsonObject(all) ? all : {}).map((event) => {
      const foreign = new Set(listOf(others, event).map(canonicalJson));
      return [event, listOf(all, event).filter((entry) => !foreign.has(canonicalJson(entry)))];
    }),
  );
}

function withEntries(settings: JsonObject, ours: JsonObject, like: string): string {
  const found = isJsonObject(settings['hooks']) ? settings['hooks'] : {};
  const hooks = Object.fromEntries(
    [...new Set([...Object.keys(found), ...Object.keys(ours)])].map((event): [string, JsonValue] => {
      const list = Array.isArray(found[event]) ? found[event] : [];
      const own = Array.isArray(ours[event]) ? ours[event] : [];
      const there = new Set(list.map(canonicalJson));
      return [event, [...list, ...own.filter((entry) => !there.has(canonicalJson(entry)))]];
    }),
  );
  const indent = /^[ \t]+(?=")/m.exec(like)?.[0] ?? '  ';
  return `${JSON.stringify({ ...settings, hooks }, null, indent)}\n`;
}

// What programs that reach other machines have in common: the connection, what they send, and what they save of the answer.

import type { Effect, Origin, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostTarget,
  literal,
  nameTarget,
  textOf,
  unknownValue,
  write,
} from '../tools/tool.ts';

/** All origins, each once. */
export function union(...lists: readonly (readonly Origin[])[]): readonly Origin[] {
  return [...new Set(lists.flat())];
}

/** A connection to a host, with what the arguments carry along. */
export function connect(call: Call, host: Value, detail: string, origins: readonly Origin[] = []): Effect {
  return effect(call, 'connect', {
    target: hostTarget(host),
    detail,
    origins: union(origins, call.io.argumentOrigins ?? []),
  });
}

/** The origin that a set of reads gives to what is sent on. */
export function originsOf(effects: readonly Effect[]): readonly Origin[] {
  return effects.some(({ kind }) => kind === 'secret') ? ['secret'] : [];
}

/** The file name that a download takes from its URL. */
export function nameInUrl(url: Value): Value {
  const text = textOf(url);
  if (text === null) return unknownValue;
  const name = text
    .replace(/[?#].*$/, '')
    .split('/')
    .slice(3)
    .at(-1);
  return literal(name ? name : 'index.html');
}

/** What came from a host, under this name. */
export function fetchedTo(call: Call, path: Value, detail: string): readonly Effect[] {
  return write(call, path, { detail, origins: ['network'] });
}

/** Everything that a host had, in this folder. */
export function fetchedInto(call: Call, folder: Value): readonly Effect[] {
  return write(call, folder, { detail: 'create', recursive: true, origins: ['network'] });
}

/** Ports at which stores, searchers and gateways take orders: Elasticsearch, Meilisearch, Kong, CouchDB, InfluxDB, … */
const storePorts =
  /^(?:\w+:\/\/)?[^/]*:(?:9200|7700|8001|5984|8086|8983|6333|8108|2379|8500|15672|9090)(?:[/?]|$)/;
const storeOrders = /\/_(?:delete_by_query|close|all|cluster\/settings|shutdown|forcemerge)\b|\/delete\b/;

/** What a store is told to delete is gone, also where the store is near. */
export function storeEffects(call: Call, url: Value, method: string): readonly Effect[] {
  const text = beginningOf(url);
  const deletes = method === 'DELETE' || (/^(?:POST|PUT)$/.test(method) && storeOrders.test(text));
  return deletes && storePorts.test(text)
    ? [effect(call, 'database', { detail: 'drop', target: nameTarget(url) })]
    : [];
}

/** The method of a request: as it is named, else by what is sent. */
export function methodOf(value: Value | undefined, otherwise: string): string {
  if (!value) return otherwise;
  const text = textOf(value);
  return text === null ? 'unknown' : text.toUpperCase();
}

// The entries by which Codex knows that the user trusts our hooks: what they are, and how they go in and out of its
// config.toml. Everything else in that file stays as it is, byte for byte.

import { isDeepStrictEqual } from 'node:util';
import { loadTomlParser } from '../config/toml.ts';
import { InputError, isJsonObject, type JsonObject, messageOf } from '../core/index.ts';

/** Trusted hashes by the name that Codex gives to a hook. */
export type TrustEntries = Readonly<Record<string, string>>;

const byHand = 'open /hooks in Codex and trust the hooks of Sallyport there';

/** The text of config.toml with these entries; throws `InputError` where they cannot be put in safely. */
export async function withTrust(found: string | null, entries: TrustEntries): Promise<string> {
  const text = found ?? '';
  const before = await tableOf(text);
  const stale = Object.keys(entries).filter((name) => hashIn(before, name) !== entries[name]);
  if (stale.length === 0) return text;
  const kept = cut(text, stale);
  const end = kept === '' || kept.endsWith('\n') ? '' : '\n';
  const added = stale.map((name) => {
    const enabled = stateOf(before, name)['enabled'];
    const more = typeof enabled === 'boolean' ? `enabled = ${enabled}\n` : '';
    return `\n[hooks.state.${JSON.stringify(name)}]\n${more}trusted_hash = ${JSON.stringify(entries[name])}\n`;
  });
  const wanted = `${kept}${end}${added.join('')}`;
  const after = await tableOf(wanted);
  if (stale.some((name) => hashIn(after, name) !== entries[name]) || !sameBut(before, after, stale)) {
    throw new InputError('its [hooks.state] is written in a way that cannot be changed safely', {
      hint: byHand,
    });
  }
  return wanted;
}

/** The text of config.toml without the entries of these hooks; null if nothing is left of it. */
export async function withoutTrust(found: string, names: readonly string[]): Promise<string | null> {
  const before = await tableOf(found);
  const there = names.filter((name) => hashIn(before, name) !== undefined);
  if (there.length === 0) return found;
  const wanted = cut(found, there);
  if (!sameBut(before, await tableOf(wanted), there)) {
    throw new InputError('its [hooks.state] is written in a way that cannot be changed safely', {
      hint: 'remove the entries of Sallyport by hand',
    });
  }
  return wanted.trim() === '' ? null : wanted;
}

async function tableOf(text: string): Promise<JsonObject> {
  let value: unknown;
  try {
    value = (await loadTomlParser())(text);
  } catch (error) {
    throw new InputError(`it is not TOML: ${messageOf(error)}`, {
      hint: 'mend it, or trust the hooks in Codex',
    });
  }
  // A table of the parser has no prototype and may hold dates; only plain members are looked at here.
  return isJsonObject(value) ? value : {};
}

function stateOf(table: JsonObject, name: string): JsonObject {
  const hooks = isJsonObject(table['hooks']) ? table['hooks'] : {};
  const state = isJsonObject(hooks['state']) ? hooks['state'] : {};
  const own = Object.hasOwn(state, name) ? state[name] : undefined;
  return isJsonObject(own) ? own : {};
}

function hashIn(table: JsonObject, name: string): string | undefined {
  const hash = stateOf(table, name)['trusted_hash'];
  return typeof hash === 'string' ? hash : undefined;
}

/** Whether two tables say the same, but for the entries of some hooks and tables that only held those. */
function sameBut(before: JsonObject, after: JsonObject, names: readonly string[]): boolean {
  const plain = (table: JsonObject): JsonObject => {
    const { hooks, ...rest } = table;
    if (!isJsonObject(hooks)) return table;
    const { state, ...others } = hooks;
    if (!isJsonObject(state)) return table;
    const left = Object.fromEntries(Object.entries(state).filter(([name]) => !names.includes(name)));
    const kept = { ...others, ...(Object.keys(left).length === 0 ? {} : { state: left }) };
    return Object.keys(kept).length === 0 ? rest : { ...rest, hooks: kept };
  };
  return isDeepStrictEqual(bare(plain(before)), bare(plain(after)));
}

function bare(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bare(member)]));
}

/** The text without the tables of these hooks, each with the blank line before it. */
function cut(text: string, names: readonly string[]): string {
  const headers = new Set(names.flatMap((name) => [JSON.stringify(name), `'${name}'`]));
  const lines = text.split(/(?<=\n)/);
  const kept: string[] = [];
  let isOurs = false;
  for (const line of lines) {
    const [, named] =
      /^\s*\[\s*hooks\s*\.\s*state\s*\.\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*\]\s*(?:#.*)?$/.exec(
        line.trimEnd(),
      ) ?? [];
    if (named !== undefined) isOurs = headers.has(named);
    else if (/^\s*\[/.test(line)) isOurs = false;
    if (named !== undefined && isOurs && kept.at(-1)?.trim() === '') kept.pop();
    // Codex writes nothing else there; what is not known stays, and the comparison of the tables finds it.
    const isState = /^\s*(?:trusted_hash|enabled)\s*=/.test(line) || named !== undefined;
    if (!isOurs || !isState) kept.push(line);
  }
  return kept.join('');
}

// Cases from corpora that lie outside of the project: files of JSON lines whose rows have well-known fields.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type CorpusQuery, queryCase } from '../../benchmarks/query-accuracy.ts';
import { isJsonObject, type JsonObject } from '../../src/core/index.ts';
import { type Case, commandCases } from './cases.ts';

/** The cases of all files below a folder, and the files with no row that can be judged. */
export function corpusCases(folder: string): {
  readonly cases: readonly Case[];
  readonly unread: readonly string[];
} {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
    .sort();
  const read = files.map((name) => ({ name, cases: casesIn(folder, name) }));
  return {
    cases: read.flatMap(({ cases }) => cases),
    unread: read.filter(({ cases }) => cases.length === 0).map(({ name }) => name),
  };
}

function casesIn(folder: string, name: string): readonly Case[] {
  const bytes = readFileSync(join(folder, name));
  const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  const set = relative('.', name).replace(/\.jsonl(?:\.gz)?$/, '');
  return lines
    .filter((line) => line.trim() !== '')
    .flatMap((line, at) => rowCases(JSON.parse(line), set, at, folder));
}

function rowCases(row: unknown, set: string, at: number, folder: string): readonly Case[] {
  if (!isJsonObject(row)) return [];
  const id = `${set}:${at}`;
  const { cmd, command = cmd, query, text, path } = row;
  if (typeof command === 'string') {
    if (/-py$/.test(set)) return [{ id, asked: { action: { kind: 'python', source: command } } }];
    return commandCases(set, command, at);
  }
  if (query !== undefined && isQuery(row)) {
    const found = queryCase(row, {}, folder);
    if (found === null || (found.file !== null && !existsSync(found.file))) return [];
    const { action, sources, schema, file } = found;
    const files = schema === null ? {} : { schema };
    return [
      {
        id,
        given: { sources, files },
        ...(file === null ? {} : { texts: { schema: file } }),
        asked: { action },
      },
    ];
  }
  if (typeof text === 'string') {
    return [
      { id: `${id}:prompt`, asked: { action: { kind: 'prompt', text, origin: 'tool' } } },
      { id: `${id}:response`, asked: { action: { kind: 'response', text } } },
    ];
  }
  if (typeof path === 'string') {
    const content = typeof row['content'] === 'string' ? row['content'] : 'text\n';
    return [
      { id: `${id}:write`, asked: { action: { kind: 'write', path, content } } },
      { id: `${id}:read`, asked: { action: { kind: 'read', path } } },
    ];
  }
  return [];
}

function isQuery(row: JsonObject): row is JsonObject & CorpusQuery {
  const { query, lang, config } = row;
  return (
    (typeof query === 'string' || isJsonObject(query)) && typeof lang === 'string' && isJsonObject(config)
  );
}

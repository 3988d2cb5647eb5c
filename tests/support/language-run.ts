// Runs a program in Node and in the sandbox, and tells what each gave.

import { Console } from 'node:console';
import { stripTypeScriptTypes } from 'node:module';
import { Writable } from 'node:stream';
import { format } from 'node:util';
import type { ReadCode } from '../../src/core/index.ts';
import { readFacts } from '../../src/guards/code/facts.ts';
import { namespacesOf } from '../../src/guards/code/tools.ts';
import type { Sandbox } from '../../src/run/code/sandbox.ts';

/** What a program gave, as one text: its value or its error, and what it logged. */
export async function inNode(source: string): Promise<string> {
  const lines: string[] = [];
  const sink = new Writable({
    write: (piece, _, done) => {
      lines.push(String(piece).replace(/\n$/, ''));
      done();
    },
  });
  const own = new Console(sink);
  const body = stripTypeScriptTypes(`(async () => {${source}\n})`, { mode: 'transform' });
  const run: (console: Console) => Promise<unknown> = new Function(
    'console',
    `"use strict"; return (${body.trim().replace(/;$/, '')})()`,
  ) as never;
  try {
    return told(await run(own), lines);
  } catch (error) {
    return failed(error instanceof Error ? error.name : '', format('%s', (error as Error).message));
  }
}

export async function inSandbox(source: string, sandbox: Sandbox, read: ReadCode): Promise<string> {
  const { text, violations } = readFacts(source, 'ts', namespacesOf([]), read, () => undefined);
  const [first] = violations;
  if (first !== undefined) return `refused: ${first.rule} ${first.what}`;
  const result = await sandbox.run({ source: text, tools: [], tenant: 't', call: async () => null });
  if (result.status === 'paused') return 'paused';
  if (result.status !== 'ok') return failed(result.error?.code ?? '', result.error?.message ?? '');
  return told(
    result.value,
    result.logs.map(({ text: line }) => line),
  );
}

function told(value: unknown, lines: readonly string[]): string {
  return JSON.stringify({ value: value === undefined ? null : value, lines: lines.join('\n') });
}

function failed(name: string, message: string): string {
  return `${name}: ${message}`;
}

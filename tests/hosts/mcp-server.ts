// node mcp-server.ts FOLDER: an MCP server over stdio with two tools, for the hosts to connect to. It writes a note into
// FOLDER and reads it back, and it needs no packages, so that it starts quickly.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , folder = '.'] = process.argv;
mkdirSync(folder, { recursive: true });
const note = join(folder, 'note.txt');

const tools = [
  {
    name: 'write_note',
    description: 'Writes a note.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'read_note',
    description: 'Reads the note.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
];

function call(name: string, text: unknown): string {
  if (name === 'write_note') {
    writeFileSync(note, `${String(text)}\n`);
    return 'The note was written.';
  }
  return existsSync(note) ? readFileSync(note, 'utf8') : 'There is no note.';
}

function answer(method: string, params: Record<string, unknown>): object | null {
  if (method === 'initialize') {
    const { protocolVersion = '2025-06-18' } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1.0.0' } };
  }
  if (method === 'ping') return {};
  if (method === 'tools/list') return { tools };
  if (method !== 'tools/call') return null;
  const { name, arguments: given } = params as { name: string; arguments?: { text?: unknown } };
  return { content: [{ type: 'text', text: call(name, given?.text) }] };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const result = answer(method, params);
  const error = { code: -32601, message: `there is no method ${method}` };
  const reply = { jsonrpc: '2.0', id, ...(result === null ? { error } : { result }) };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
});

// What models and MCP servers send: streams of three providers through a whole exchange, and messages of servers.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { deserializeMessage } from '@modelcontextprotocol/client';
import { canonicalJson, InputError, isJsonObject, type JsonObject } from '../../../src/core/index.ts';
import { realWorld } from '../../../src/decide/index.ts';
import { mcpTool } from '../../../src/guards/tool/mcp.ts';
import { declarationOf } from '../../../src/run/bridge/declarations.ts';
import { codeTools } from '../../../src/run/bridge/names.ts';
import { exposed, textsIn, uniquely } from '../../../src/run/mcp/names.ts';
import { takeTools, type UpstreamTool } from '../../../src/run/mcp/tools.ts';
import { Vault } from '../../../src/run/placeholders.ts';
import type { Upstream } from '../../../src/run/upstream.ts';
import { runExchange } from '../../../src/surfaces/llm/exchange.ts';
import { chat } from '../../../src/surfaces/llm/wires/chat.ts';
import { gemini } from '../../../src/surfaces/llm/wires/gemini.ts';
import { messages } from '../../../src/surfaces/llm/wires/messages.ts';
import { responses } from '../../../src/surfaces/llm/wires/responses.ts';
import type { Wire } from '../../../src/surfaces/llm/wires/wire.ts';
import { context, cut, deciderOf, invariant, orRefusal, stillWorld, type Target } from '../target.ts';

const token = ['gh', 'p_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'].join('');

/** The streams of a wire that are kept as fixtures, with the token that they are about. */
function fixtures(name: string): readonly string[] {
  const folder = new URL('../../fixtures/llm/', import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.in.sse'))
    .map((file) => readFileSync(new URL(file, folder), 'latin1'))
    .map((text) => text.replaceAll('{{HEAD}}', token.slice(0, 14)).replaceAll('{{TAIL}}', token.slice(14)));
}

/** Takes what a client would be sent. */
class Sent {
  text = '';
  headersSent = false;
  writableEnded = false;
  readonly destroyed = false;
  setHeader(): void {}
  writeHead(): void {
    this.headersSent = true;
  }
  write(text: string): boolean {
    this.text += text;
    return true;
  }
  end(text = ''): void {
    this.text += text;
    this.writableEnded = true;
  }
}

function streamTarget(wire: Wire): Target {
  return {
    name: wire.name,
    invariant: 'an exchange ends, shows no secret, and ends the same wherever the bytes are cut',
    words: [
      ...[
        'data: ',
        'event: ',
        '\n\n',
        '\r\n\r\n',
        ':\n\n',
        'data: [DONE]\n\n',
        'id: 1\n',
        'retry: 1\n',
        '\ufeff',
      ],
      ...[
        '"delta":',
        '"content":',
        '"text":',
        '"index":',
        '"type":',
        '"tool_calls":',
        '"arguments":',
        '"usage":',
      ],
      ...['message_start', 'content_block_delta', 'content_block_stop', 'message_stop', 'response.completed'],
      ...[
        'response.output_text.delta',
        '"finish_reason":"stop"',
        'null',
        '{}',
        '[]',
        token.slice(0, 14),
        token.slice(14),
      ],
    ],
    seeds: fixtures(wire.name),
    bytes: true,
    limit: 100,
    cost: 1300,
    open: () => {
      const decider = deciderOf(['response', 'tool'], {});
      const exchange = async (bytes: readonly Uint8Array[]): Promise<{ sent: Sent; ended: string }> => {
        const sent = new Sent();
        const upstream = {
          send: async () => ({
            status: 200,
            headers: [['content-type', 'text/event-stream']],
            body: Readable.from(bytes),
            attempts: 1,
          }),
        };
        await runExchange({
          decider,
          ledger: { record: () => undefined },
          world: stillWorld(),
          context,
          wire,
          upstream: upstream as unknown as Upstream,
          maxBytes: 65_536,
          path: '',
          headers: {},
          body: { model: 'm', stream: true },
          signal: new AbortController().signal,
          streams: true,
          readable: false,
          out: sent as unknown as ServerResponse,
          vault: new Vault(),
          opening: {},
        });
        return { sent, ended: endOf(sent.text) };
      };
      return async (text) => {
        const whole = await exchange([Buffer.from(text, 'latin1')]);
        invariant(whole.sent.writableEnded, 'the exchange does not end');
        invariant(!shows(whole.sent.text), 'the secret is shown');
        const parts = await exchange(cut(text).map((piece) => Buffer.from(piece, 'latin1')));
        invariant(!shows(parts.sent.text), 'the secret is shown in pieces');
        // What comes behind the end is read only where it comes in the same bytes as the end.
        if (!/\[DONE\]\s*\S/.test(text)) {
          const ends = `in pieces it ends as ${parts.ended}, in the whole as ${whole.ended}`;
          invariant(parts.ended === whole.ended, ends);
        }
        return whole.sent.text.replace(/"decision_id":"[^"]*"/g, '');
      };
    },
  };
}

/** The token by itself: with a letter before or behind it, it is none. */
const alone = new RegExp(`(?<![A-Za-z0-9_-])${token}(?![A-Za-z0-9_-])`);

/** Whether the token can be seen; what a provider sealed goes back as it came, and says nothing to the client. */
function shows(text: string): boolean {
  return alone.test(text.replace(/"(?:signature|data|encrypted_content)":"(?:[^"\\]|\\.)*"/g, ''));
}

/** How the client is told that an answer is over. */
function endOf(text: string): string {
  if (/"decision_id"/.test(text)) return 'blocked';
  return /upstream_failed|api_error|server_error/.test(text) ? 'failed' : 'complete';
}

const { schemas, readers } = realWorld();

const mcp: Target = {
  name: 'mcp',
  invariant:
    'a message is read or refused; tools that are taken have plain names, no two alike, and a definition that can be hashed',
  words:
    '{ } [ ] : , " "jsonrpc":"2.0" "id":1 "method": "result": "error": "tools": "name": "inputSchema": {"type":"object"} "$ref":"#" "$ref":"#/properties/a" "properties": "anyOf": "allOf": "enum": "const": "pattern":"(a+)+$" "description": "annotations": {"readOnlyHint":true} "content": "__proto__": "constructor": null true 1e309'.split(
      ' ',
    ),
  seeds: [],
  cost: 130,
  limit: 100,
  open: () => async (text) => {
    let message: unknown;
    try {
      message = deserializeMessage(text);
    } catch {
      return 'no message';
    }
    const result = isJsonObject(message) ? message['result'] : undefined;
    const said = textsIn(result)?.join('\n') ?? 'no texts';
    const listed = isJsonObject(result) ? result['tools'] : undefined;
    if (!Array.isArray(listed) || !listed.every(isTool)) return said;
    const told: string[] = [];
    const taken = takeTools('up', listed as never, null, (problem) => told.push(problem));
    const offered = uniquely(
      taken.map((tool) => ({ ...tool, exposed: exposed('up', tool.name) })),
      (problem) => told.push(problem),
    );
    for (const tool of offered) await isUsable(tool);
    const modules = await readers?.modules?.();
    for (const tool of codeTools(offered)) {
      const { program, errors } = modules?.read(declarationOf(tool), 'tool.ts') ?? {
        program: {},
        errors: [],
      };
      const body = 'body' in program && Array.isArray(program['body']) ? program['body'] : [];
      invariant(errors.length === 0 && body.length <= 1, 'a declaration is more than a declaration');
    }
    const names = offered.map((tool) => tool.exposed);
    invariant(new Set(names).size === names.length, 'two tools have one name');
    return `${names.join(' ')} | ${told.join(' ')} | ${said}`;
  },
};

/** The least that the SDK makes sure of. */
function isTool(value: unknown): boolean {
  return isJsonObject(value) && typeof value['name'] === 'string' && isJsonObject(value['inputSchema']);
}

async function isUsable(tool: UpstreamTool): Promise<void> {
  invariant(/^[\w-]{1,64}$/.test(exposed('up', tool.name)), `the name ${tool.name}`);
  // A definition that nobody can hash is one that nobody can have seen.
  orRefusal(() => canonicalJson(definitionOf(tool)), InputError);
  orRefusal(
    () => mcpTool('up', tool, (text) => createHash('sha256').update(text).digest('hex')).definition ?? '',
    InputError,
  );
  const check = await schemas?.checkFor(tool.inputSchema);
  if (typeof check === 'function') check({ a: 1, b: 'x' });
}

function definitionOf({ inputSchema, outputSchema, annotations }: UpstreamTool): JsonObject {
  return { inputSchema, outputSchema: outputSchema ?? {}, annotations: annotations ?? {} };
}

export const modelTargets: readonly Target[] = [chat, responses, messages, gemini]
  .map(streamTarget)
  .concat(mcp);

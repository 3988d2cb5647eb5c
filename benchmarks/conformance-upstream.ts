// The MCP server that the conformance suite expects to find, with the names and texts that it looks for; the suite
// reaches it through the gateway.

import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import {
  type CallToolResult,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** One red dot, and a moment of silence. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: picture, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: said },
});

const none = { type: 'object' as const, properties: {} };
const one = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' } },
  required: [name],
});
const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

const inputs: Readonly<Record<string, { readonly type: 'object' }>> = {
  test_simple_text: none,
  test_image_content: none,
  test_audio_content: none,
  test_embedded_resource: none,
  test_multiple_content_types: none,
  test_tool_with_logging: none,
  test_tool_with_progress: none,
  test_error_handling: none,
  test_sampling: one('prompt'),
  test_elicitation: one('message'),
  test_elicitation_sep1034_defaults: none,
  test_elicitation_sep1330_enums: none,
  json_schema_2020_12_tool: schema2020,
};

const fixed: Readonly<Record<string, CallToolResult['content']>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: sound, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  json_schema_2020_12_tool: [text('It was called.')],
};

const titled = (...values: readonly string[]) =>
  values.map((value) => ({ const: value, title: `The ${value}` }));
const three = ['option1', 'option2', 'option3'];

/** What the tools ask a person, by name. */
const forms: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  test_elicitation: { response: { type: 'string', description: "User's response" } },
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: three },
    titledSingle: { type: 'string', oneOf: titled('value1', 'value2', 'value3') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: three } },
    titledMulti: { type: 'array', items: { anyOf: titled('value1', 'value2', 'value3') } },
  },
};

async function made(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const known = fixed[name];
  if (known !== undefined) return { content: known };
  const answer: unknown = mcpReq.inputResponses?.['it'];
  const form = forms[name];
  if (answer !== undefined) {
    const { action, content } = answer as { action?: string; content?: object };
    const told = `action=${action}, content=${JSON.stringify(content ?? {})}`;
    return { content: [text(`${form === undefined ? 'LLM response' : 'User response'}: ${told}`)] };
  }
  if (form !== undefined) {
    const required = Object.keys(form).filter((field) => field === 'response');
    const requestedSchema = { type: 'object', properties: form, required } as never;
    const message = String(given['message'] ?? 'Please review and update the form fields');
    return inputRequired({ inputRequests: { it: inputRequired.elicit({ message, requestedSchema }) } });
  }
  switch (name) {
    case 'test_sampling': {
      const content = text(String(given['prompt']));
      const it = inputRequired.createMessage({ messages: [{ role: 'user', content }], maxTokens: 100 });
      return inputRequired({ inputRequests: { it } });
    }
    case 'test_tool_with_progress': {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: 100 };
          await mcpReq.notify({ method: 'notifications/progress', params });
        }
        await pause(50);
      }
      return { content: [text('It is done.')] };
    }
    case 'test_tool_with_logging':
      return { content: [text('It is done.')] };
  }
  return { isError: true, content: [text('This tool intentionally returns an error for testing')] };
}

const resources = [
  { uri: 'test://static-text', name: 'Static Text Resource', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Static Binary Resource', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched Resource', mimeType: 'text/plain' },
].map((one) => ({ ...one, description: `${one.name}, for testing` }));

function contentsOf(uri: string) {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: picture };
  const watched = uri === 'test://watched-resource';
  const said = watched ? 'Watched resource content' : 'This is the content of the static text resource.';
  return { uri, mimeType: 'text/plain', text: said };
}

const argument = (name: string) => ({ name, description: `The ${name}`, required: true });
const prompts = [
  { name: 'test_simple_prompt' },
  { name: 'test_prompt_with_arguments', arguments: [argument('arg1'), argument('arg2')] },
  { name: 'test_prompt_with_embedded_resource', arguments: [argument('resourceUri')] },
  { name: 'test_prompt_with_image' },
].map((one) => ({ ...one, description: 'A prompt for testing' }));

function messagesOf(name: string, given: Readonly<Record<string, string>>) {
  switch (name) {
    case 'test_prompt_with_arguments':
      return [text(`Prompt with arguments: arg1='${given['arg1']}', arg2='${given['arg2']}'`)];
    case 'test_prompt_with_embedded_resource':
      return [
        resource(given['resourceUri'] ?? '', 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ];
    case 'test_prompt_with_image':
      return [image, text('Please analyze the image above.')];
  }
  return [text('This is a simple prompt for testing.')];
}

const handler = createMcpHandler(() => {
  const server = new Server(
    { name: 'conformance', version: '1' },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} } },
  );
  server.setRequestHandler('tools/list', async () => ({
    tools: Object.entries(inputs).map(([name, inputSchema]) => ({
      name,
      description: 'A tool for testing',
      inputSchema,
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) =>
    made(params.name, params.arguments ?? {}, ctx),
  );
  server.setRequestHandler('resources/list', async () => ({ resources }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'Resource Template',
        description: 'A resource template with a parameter',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => ({ contents: [contentsOf(params.uri)] }));
  server.setRequestHandler('completion/complete', async ({ params: { argument } }) => ({
    completion: {
      values: ['test', 'testing'].filter((word) => word.startsWith(argument.value)),
      hasMore: false,
    },
  }));
  server.setRequestHandler('prompts/list', async () => ({ prompts }));
  server.setRequestHandler('prompts/get', async ({ params }) => ({
    messages: messagesOf(params.name, params.arguments ?? {}).map((content) => ({
      role: 'user' as const,
      content,
    })),
  }));
  return server;
});
const listener = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as HttpServer;
listener.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (listener.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));

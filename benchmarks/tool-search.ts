// npm run eval tools: how often a plain-language query finds its tool among the tools of real MCP servers.

import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isJsonObject, type JsonObject } from '../src/core/index.ts';
import { type CodeTool, codeTools } from '../src/run/bridge/names.ts';
import { searchTools } from '../src/run/bridge/search.ts';
import type { UpstreamTool } from '../src/run/mcp/index.ts';
import { installServers, otherPackages, packages, type ServerPackage, variables } from './mcp-servers.ts';
import { fresh, freshTasks, later, others, queries, tasks } from './tool-queries.ts';

/** Prints the table; true where the goals are met. */
export async function toolSearch(progress: (text: string) => void): Promise<boolean> {
  const folder = installServers(progress);
  const own = await toolsOf(folder, packages, progress);
  const tools = codeTools(own);
  const allTools = codeTools([...own, ...(await toolsOf(folder, otherPackages, progress))]);
  const isMisses = process.argv.includes('--misses');
  const rows = [
    ['queries', tools, queries],
    ['queries written later', tools, later],
    ['queries of a third writer', tools, fresh],
    ['queries for other servers', allTools, others],
  ] as const;
  console.log(
    `${tools.length} tools of ${packages.length} servers; ${allTools.length} with the other servers`,
  );
  console.log('| queries | number | first | first 3 | first 10 |\n| --- | --- | --- | --- | --- |');
  let isMet = true;
  for (const [name, among, asked] of rows) {
    const places = asked.map(([query, ...wanted]) => placeOf(among, query, wanted));
    const within = (most: number) => places.filter((place) => place < most).length;
    console.log(
      `| ${name} | ${asked.length} | ${within(1)} | ${within(3)} (${percent(within(3), asked.length)}) | ${within(10)} |`,
    );
    if (isMisses)
      for (const [index, [query]] of asked.entries())
        if ((places[index] ?? 10) >= 3) console.log(`  ${query}`);
    isMet &&= within(3) >= asked.length * 0.85;
  }
  for (const [name, ...asked] of [
    ['tasks', ...tasks],
    ['tasks of a third writer', ...freshTasks],
  ] as const) {
    const missing = asked.filter(
      ([task, ...wanted]) => !wanted.every((one) => placeOf(tools, task, one.split('|')) < 10),
    );
    const found = asked.length - missing.length;
    console.log(`${name} of several tools, all found in the first 10: ${found} of ${asked.length}`);
    if (isMisses) for (const [task] of missing) console.log(`  ${task}`);
    isMet &&= found >= asked.length * 0.9;
  }
  return isMet;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function placeOf(tools: readonly CodeTool[], query: string, wanted: readonly string[]): number {
  const place = searchTools(tools, query, 10).findIndex(({ name }) => wanted.includes(name));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** The tools of servers that are installed in a folder. */
export async function toolsOf(
  folder: string,
  servers: readonly ServerPackage[],
  progress: (text: string) => void,
): Promise<readonly UpstreamTool[]> {
  const tools: UpstreamTool[] = [];
  for (const [server, script, ...args] of servers) {
    progress(server);
    tools.push(...(await listed(server, join(folder, 'node_modules', script), args)));
  }
  return tools;
}

async function listed(
  server: string,
  script: string,
  args: readonly string[],
): Promise<readonly UpstreamTool[]> {
  const { PATH = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, ...args],
    env: { PATH, ...variables },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'sallyport-eval', version: '0' });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    return tools.map(({ name, title, description = '', inputSchema }) => {
      const schema: unknown = JSON.parse(JSON.stringify(inputSchema));
      const input: JsonObject = isJsonObject(schema) ? schema : {};
      return { server, name, description, inputSchema: input, ...(title === undefined ? {} : { title }) };
    });
  } finally {
    await client.close();
  }
}

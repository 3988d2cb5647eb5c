// Real MCP servers from npm, for what is measured and shown with them: which, and where they are installed.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A server, the file of its package that is started, and its arguments. */
export type ServerPackage = readonly [server: string, script: string, ...args: string[]];

/** The packages, each with what has to be said for it to start; nothing of it is a real key. */
export const packages: readonly ServerPackage[] = [
  ['everything', '@modelcontextprotocol/server-everything/dist/index.js'],
  ['files', '@modelcontextprotocol/server-filesystem/dist/index.js', '.'],
  ['memory', '@modelcontextprotocol/server-memory/dist/index.js'],
  ['thinking', '@modelcontextprotocol/server-sequential-thinking/dist/index.js'],
  ['playwright', '@playwright/mcp/cli.js', '--headless'],
  ['github', '@modelcontextprotocol/server-github/dist/index.js'],
  ['gitlab', '@modelcontextprotocol/server-gitlab/dist/index.js'],
  ['slack', '@modelcontextprotocol/server-slack/dist/index.js'],
  ['maps', '@modelcontextprotocol/server-google-maps/dist/index.js'],
  ['brave', '@modelcontextprotocol/server-brave-search/dist/index.js'],
  ['notion', '@notionhq/notion-mcp-server/bin/cli.mjs'],
  ['kubernetes', 'mcp-server-kubernetes/dist/index.js'],
  ['context7', '@upstash/context7-mcp/dist/index.js'],
];
/** Servers that the search was not tuned on. */
export const otherPackages: readonly ServerPackage[] = [
  ['mongodb', 'mongodb-mcp-server/dist/esm/index.js', '--connectionString', 'mongodb://127.0.0.1:1/none'],
  ['airtable', 'airtable-mcp-server/dist/main.js'],
  ['firecrawl', 'firecrawl-mcp/dist/index.js'],
  ['trello', '@delorenj/mcp-server-trello/build/index.js'],
];
/** What servers want to be set before they start; nothing of it is a real key. */
export const variables: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'GITHUB_PERSONAL_ACCESS_TOKEN',
    'GITLAB_PERSONAL_ACCESS_TOKEN',
    'SLACK_BOT_TOKEN',
    'SLACK_TEAM_ID',
    'GOOGLE_MAPS_API_KEY',
    'BRAVE_API_KEY',
    'NOTION_TOKEN',
    'AIRTABLE_API_KEY',
    'FIRECRAWL_API_KEY',
    'TRELLO_API_KEY',
    'TRELLO_TOKEN',
  ].map((name) => [name, 'none']),
);

/** Installs them into the user's cache folder, once, and gives that folder; SALLYPORT_MCP_SERVERS names another. */
export function installServers(progress: (text: string) => void): string {
  const { SALLYPORT_MCP_SERVERS: named, XDG_CACHE_HOME: cache } = process.env;
  if (named !== undefined) return named;
  const folder = join(cache || join(homedir(), '.cache'), 'sallyport', 'mcp-servers');
  const names = [...packages, ...otherPackages].map(([, script]) => packageOf(script));
  const stamp = join(folder, '.installed');
  const wanted = names.join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  progress(`installing ${names.length} MCP servers into ${folder} (once) …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...quiet, ...names], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the MCP servers could not be installed');
  writeFileSync(stamp, wanted);
  return folder;
}

function packageOf(script: string): string {
  return script
    .split('/')
    .slice(0, script.startsWith('@') ? 2 : 1)
    .join('/');
}

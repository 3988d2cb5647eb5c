// How each real host is started headless, pointed at the scripted model, and what its tools are called. A scenario names
// what is done; an adapter says how this host's model asks for it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Asked, ToolCall, Turn } from './model.ts';

export const hostNames = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'kilo'] as const;
export type HostName = (typeof hostNames)[number];

/** Something that a model does, in words that fit every host. */
export type Step =
  | { readonly do: 'shell'; readonly command: string; readonly folder?: string }
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'tool'; readonly tool: string; readonly input: Input }
  | { readonly do: 'mcp'; readonly server: string; readonly tool: string; readonly input: Input }
  /** A subagent gets the prompt, and the host waits for it. */
  | { readonly do: 'subagent'; readonly prompt: string }
  /** Writes a plan into the file that the host orders for it. */
  | { readonly do: 'plan'; readonly content: string }
  /** Calls a harmless tool that the host offers and that tables of known tools easily lack. */
  | { readonly do: 'offered' };

type Input = Readonly<Record<string, unknown>>;

/** Where a host runs. */
export interface HostFolders {
  readonly person: string;
  readonly project: string;
  readonly model: string;
}

/** The permissions of the host: wide open, its plan mode, or its default mode with allow rules of the user. */
export type Way = 'open' | 'plan' | 'rules';

/** A program that the host starts as an MCP server. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** What the host's own configuration says. */
export interface Setup {
  readonly way: Way;
  readonly servers: Readonly<Record<string, McpServer>>;
}

export interface Adapter {
  /** The program below node_modules/.bin. */
  readonly program: string;
  readonly packageName: string;
  readonly calls: (step: Step) => readonly Turn[];
  readonly environment: (folders: HostFolders, setup: Setup) => Readonly<Record<string, string>>;
  readonly args: (prompt: string, way: Way) => readonly string[];
  /** Files that the host reads when it starts. */
  readonly prepare: (folders: HostFolders, setup: Setup) => void;
  /** Ways that the host does not have headless, with what proves it. */
  readonly lacks?: Partial<Record<Way, Lack>>;
}

/** What proves that a host lacks something: arguments that it refuses, or its words to the model. */
export type Lack = { readonly args: readonly string[] } | { readonly words: RegExp };

function put(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

const shellIn = (step: Extract<Step, { do: 'shell' }>): string =>
  step.folder === undefined ? step.command : `cd ${step.folder} && ${step.command}`;

const patch = ({ path, content }: { path: string; content: string }): string =>
  [
    '*** Begin Patch',
    `*** Add File: ${path}`,
    ...content.split('\n').map((line) => `+${line}`),
    '*** End Patch',
    '',
  ].join('\n');

const one = (tool: string, input: ToolCall['input'], namespace?: string): readonly Turn[] => [
  [{ tool, input, ...(namespace === undefined ? {} : { namespace }) }],
];

/** A turn made of what the request says; the conversation ends where it does not say it. */
const found = (pattern: RegExp, call: (match: string) => ToolCall): readonly Turn[] => [
  ({ text }: Asked) => {
    const match = pattern.exec(text)?.[1];
    return match === undefined ? `The request has nothing like ${pattern}.` : [call(match)];
  },
];

/** The first of these tools that the host offers. */
const firstOffered = (...known: readonly (readonly [string, Input])[]): readonly Turn[] => [
  ({ tools }: Asked) => {
    const offered = known.find(([tool]) => tools.includes(tool));
    return offered === undefined
      ? 'None of these tools is offered.'
      : [{ tool: offered[0], input: offered[1] }];
  },
];

/** What differs between opencode and a host that was made from it. */
interface OpencodeLike {
  readonly name: string;
  readonly packageName: string;
  /** The package that it installs for plugins. */
  readonly pluginPackage: string;
  /** How it names the file for a plan to its model, or the folder of it. */
  readonly plan: RegExp;
}

/** opencode, or a host that was made from it. */
function opencodeLike({ name, packageName, pluginPackage, plan }: OpencodeLike): Adapter {
  const variable = name.toUpperCase();
  return {
    program: name,
    packageName,
    calls: (step) => {
      switch (step.do) {
        case 'shell':
          return one('bash', {
            command: step.command,
            description: 'A step',
            ...(step.folder === undefined ? {} : { workdir: step.folder }),
          });
        case 'write':
          return one('write', { filePath: step.path, content: step.content });
        case 'read':
          return one('read', { filePath: step.path });
        case 'mcp':
          return one(`${step.server}_${step.tool}`, step.input);
        case 'subagent':
          return one('task', { description: 'A part', prompt: step.prompt, subagent_type: 'general' });
        case 'plan':
          return found(plan, (place) => ({
            tool: 'write',
            input: {
              filePath: place.endsWith('.md') ? place : `${place}/1794-a-plan.md`,
              content: step.content,
            },
          }));
        case 'offered':
          return firstOffered(['todowrite', { todos: [] }]);
        default:
          return one(step.tool, step.input);
      }
    },
    environment: (_, { way }) => ({
      ...(way === 'open'
        ? {
            [`${variable}_PERMISSION`]: JSON.stringify({
              '*': 'allow',
              edit: 'allow',
              bash: 'allow',
              webfetch: 'allow',
              external_directory: 'allow',
            }),
          }
        : {}),
      ...(way === 'plan' ? { [`${variable}_EXPERIMENTAL_PLAN_MODE`]: '1' } : {}),
      [`${variable}_DISABLE_AUTOUPDATE`]: '1',
      [`${variable}_DISABLE_MODELS_FETCH`]: '1',
      // It installs a package for plugins when it starts, and tries for 70 seconds where there is no network.
      npm_config_fetch_retries: '0',
    }),
    args: (prompt, way) => [
      'run',
      ...(way === 'plan' ? ['--agent', 'plan'] : []),
      '-m',
      'mock/scripted',
      prompt,
    ],
    prepare: ({ person, model }, { way, servers }) => {
      const folder = join(person, '.config', name);
      put(join(folder, `${name}.json`), {
        autoupdate: false,
        ...(way === 'rules'
          ? { permission: { '*': 'ask', bash: { '*': 'ask', 'touch *': 'allow' }, edit: 'allow' } }
          : {}),
        mcp: Object.fromEntries(
          Object.entries(servers).map(([name, { command, args }]) => [
            name,
            { type: 'local', command: [command, ...args], enabled: true },
          ]),
        ),
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'x' },
            models: { scripted: { name: 'scripted', tool_call: true } },
          },
        },
      });
      // As if that package had been installed before.
      const dependencies = { [pluginPackage]: '*' };
      put(join(folder, 'package.json'), { dependencies });
      put(join(folder, 'package-lock.json'), { lockfileVersion: 3, packages: { '': { dependencies } } });
      mkdirSync(join(folder, 'node_modules'), { recursive: true });
    },
  };
}

export const adapters: Readonly<Record<HostName, Adapter>> = {
  claude: {
    program: 'claude',
    packageName: '@anthropic-ai/claude-code',
    calls: (step) => {
      switch (step.do) {
        case 'shell':
          return one('Bash', { command: shellIn(step), description: 'A step' });
        case 'write':
          return one('Write', { file_path: step.path, content: step.content });
        case 'read':
          return one('Read', { file_path: step.path });
        case 'mcp':
          return one(`mcp__${step.server}__${step.tool}`, step.input);
        case 'subagent':
          return one('Agent', {
            description: 'A part',
            prompt: step.prompt,
            subagent_type: 'general-purpose',
            run_in_background: false,
          });
        case 'plan':
          return found(/create your plan at ([^\s"\\]+\.md)/, (path) => ({
            tool: 'Write',
            input: { file_path: path, content: step.content },
          }));
        case 'offered':
          return firstOffered(['ListAgents', {}], ['CronList', {}]);
        default:
          return one(step.tool, step.input);
      }
    },
    environment: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'x',
      IS_SANDBOX: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    args: (prompt, way) => [
      '-p',
      prompt,
      '--model',
      'claude-sonnet-4-5',
      ...{
        open: ['--dangerously-skip-permissions'],
        plan: ['--permission-mode', 'plan'],
        rules: ['--allowedTools', 'Bash(touch:*)', 'Write'],
      }[way],
    ],
    prepare: ({ person }, { servers }) => {
      if (Object.keys(servers).length > 0) put(join(person, '.claude.json'), { mcpServers: servers });
    },
  },
  codex: {
    program: 'codex',
    packageName: '@openai/codex',
    calls: (step) => {
      switch (step.do) {
        case 'shell':
          return one('exec_command', {
            cmd: step.command,
            ...(step.folder === undefined ? {} : { workdir: step.folder }),
          });
        case 'write':
          return one('apply_patch', patch(step));
        case 'read':
          return one('exec_command', { cmd: `cat '${step.path}'` });
        case 'mcp':
          return one(step.tool, step.input, `mcp__${step.server}`);
        case 'subagent':
          return [
            ...one('spawn_agent', { message: step.prompt }, 'multi_agent_v1'),
            ...found(/agent_id\W+([0-9a-f-]{36})/, (id) => ({
              tool: 'wait_agent',
              input: { targets: [id], timeout_ms: 60_000 },
              namespace: 'multi_agent_v1',
            })),
          ];
        case 'plan':
          return ['Codex orders no file for a plan.'];
        case 'offered':
          return firstOffered(['get_goal', {}]);
        default:
          return one(step.tool, step.input);
      }
    },
    environment: () => ({ MOCK_KEY: 'x' }),
    args: (prompt, way) => [
      'exec',
      ...(way === 'open'
        ? ['--dangerously-bypass-approvals-and-sandbox']
        : ['-s', 'danger-full-access', '-c', 'approval_policy="on-request"']),
      '--skip-git-repo-check',
      prompt,
    ],
    prepare: ({ person, model }, { way, servers }) => {
      if (way === 'rules')
        put(
          join(person, '.codex', 'rules', 'default.rules'),
          'prefix_rule(pattern = ["touch"], decision = "allow")\n',
        );
      // A scripted model answers at once, and Codex waits only for servers that are required.
      const own = Object.entries(servers).map(
        ([name, { command, args }]) =>
          `\n[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nrequired = true\n`,
      );
      // Without `analytics` it waits 5 seconds for an address that a sandbox does not have.
      put(
        join(person, '.codex', 'config.toml'),
        `model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
${own.join('')}`,
      );
    },
    lacks: { plan: { args: ['exec', '--plan', 'Follow the plan.'] } },
  },
  gemini: {
    program: 'gemini',
    packageName: '@google/gemini-cli',
    calls: (step) => {
      switch (step.do) {
        case 'shell':
          return one('run_shell_command', { command: shellIn(step), description: 'A step' });
        case 'write':
          return one('write_file', { file_path: step.path, content: step.content });
        case 'read':
          return one('read_file', { file_path: step.path });
        case 'mcp':
          return one(`mcp_${step.server}_${step.tool}`, step.input);
        case 'subagent':
          return one('invoke_agent', { agent_name: 'generalist', prompt: step.prompt });
        case 'plan':
          return found(/plans directory: ([^\s"\\]+\/plans\/)/, (folder) => ({
            tool: 'write_file',
            input: { file_path: `${folder}a-plan.md`, content: step.content },
          }));
        case 'offered':
          // The system prompt tells the model to use this argument.
          return firstOffered(['list_background_processes', { wait_for_previous: true }]);
        default:
          return one(step.tool, step.input);
      }
    },
    environment: ({ model }) => ({
      GEMINI_API_KEY: 'x',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_DISABLE_AUTOUPDATE: '1',
    }),
    args: (prompt, way) => [
      '--approval-mode',
      { open: 'yolo', plan: 'plan', rules: 'default' }[way],
      '-m',
      'gemini-2.5-pro',
      '-p',
      prompt,
    ],
    prepare: ({ person }, { way, servers }) =>
      put(join(person, '.gemini', 'settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ...(way === 'rules' ? { tools: { allowed: ['run_shell_command(touch)', 'write_file'] } } : {}),
        mcpServers: servers,
      }),
  },
  opencode: opencodeLike({
    name: 'opencode',
    packageName: 'opencode-ai',
    pluginPackage: '@opencode-ai/plugin',
    plan: /plan (?:at|to|file:?) ([^\s"\\`]+\.md)/,
  }),
  kilo: opencodeLike({
    name: 'kilo',
    packageName: '@kilocode/cli',
    pluginPackage: '@kilocode/plugin',
    plan: /otherwise create it in ([^\s"\\]+)\. For generated/,
  }),
  copilot: {
    program: 'copilot',
    packageName: '@github/copilot',
    calls: (step) => {
      switch (step.do) {
        case 'shell':
          return one('bash', { command: shellIn(step), description: 'A step' });
        case 'write':
          return one('create', { path: step.path, file_text: step.content });
        case 'read':
          return one('view', { path: step.path });
        case 'mcp':
          return one(`${step.server}-${step.tool}`, step.input);
        case 'subagent':
          return one('task', {
            description: 'A part',
            prompt: step.prompt,
            agent_type: 'general-purpose',
            name: 'part',
            mode: 'sync',
          });
        case 'plan':
          return found(/Save the plan to: ([^\s"\\]+plan\.md)/, (path) => ({
            tool: 'create',
            input: { path, file_text: step.content },
          }));
        case 'offered':
          return firstOffered(['list_agents', {}]);
        default:
          return one(step.tool, step.input);
      }
    },
    environment: ({ model }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'x',
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    args: (prompt, way) => [
      ...{
        open: ['--allow-all-tools', '--allow-all-paths'],
        plan: ['--plan', '--allow-all-tools', '--allow-all-paths'],
        rules: ['--allow-tool', 'shell(touch:*)', '--allow-tool', 'write'],
      }[way],
      '-p',
      prompt,
    ],
    prepare: ({ person }, { servers }) => {
      if (Object.keys(servers).length > 0)
        put(join(person, '.copilot', 'mcp-config.json'), { mcpServers: servers });
    },
  },
  qwen: {
    program: 'qwen',
    packageName: '@qwen-code/qwen-code',
    calls: (step) => {
      switch (step.do) {
        case 'shell':
          return one('run_shell_command', {
            command: shellIn(step),
            description: 'A step',
            is_background: false,
          });
        case 'write':
          return one('write_file', { file_path: step.path, content: step.content });
        case 'read':
          return one('read_file', { file_path: step.path });
        case 'mcp':
          return one(`mcp__${step.server}__${step.tool}`, step.input);
        case 'subagent':
          return one('agent', {
            description: 'A part',
            prompt: step.prompt,
            subagent_type: 'general-purpose',
            run_in_background: false,
          });
        case 'plan':
          return one('exit_plan_mode', { plan: step.content });
        case 'offered':
          return firstOffered(['list_agents', {}]);
        default:
          return one(step.tool, step.input);
      }
    },
    environment: ({ model }) => ({
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: 'scripted',
      QWEN_CODE_NO_RELAUNCH: '1',
    }),
    args: (prompt, way) => [
      '--approval-mode',
      { open: 'yolo', plan: 'plan', rules: 'default' }[way],
      '-p',
      prompt,
    ],
    prepare: ({ person }, { way, servers }) =>
      put(join(person, '.qwen', 'settings.json'), {
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ...(way === 'rules'
          ? { permissions: { allow: ['run_shell_command(touch *)', 'edit', 'write_file'] } }
          : {}),
        mcpServers: servers,
      }),
    // It writes the plan itself, by a tool that only sessions with a terminal have.
    lacks: { plan: { words: /Tool "exit_plan_mode" not found/ } },
  },
};

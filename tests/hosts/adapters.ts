// How each real host is started headless with its permissions wide open, pointed at the scripted model, and what its
// tools are called. A scenario names what is done; an adapter says how this host's model asks for it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ToolCall } from './model.ts';

export const hostNames = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type HostName = (typeof hostNames)[number];

/** Something that a model does, in words that fit every host. */
export type Step =
  | { readonly do: 'shell'; readonly command: string; readonly folder?: string }
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'tool'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** Where a host runs. */
export interface Room {
  readonly person: string;
  readonly project: string;
  readonly model: string;
}

export interface Adapter {
  /** The folder of programs below node_modules/.bin. */
  readonly program: string;
  readonly call: (step: Step, room: Room) => ToolCall | null;
  readonly environment: (room: Room) => Readonly<Record<string, string>>;
  readonly args: (prompt: string) => readonly string[];
  /** Files that the host reads when it starts. */
  readonly prepare: (room: Room) => void;
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
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

export const adapters: Readonly<Record<HostName, Adapter>> = {
  claude: {
    program: 'claude',
    call: (step) => {
      if (step.do === 'shell')
        return { tool: 'Bash', input: { command: shellIn(step), description: 'A step' } };
      if (step.do === 'write')
        return { tool: 'Write', input: { file_path: step.path, content: step.content } };
      if (step.do === 'read') return { tool: 'Read', input: { file_path: step.path } };
      return { tool: step.tool, input: step.input };
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
    args: (prompt) => ['-p', '--dangerously-skip-permissions', '--model', 'claude-sonnet-4-5', prompt],
    prepare: () => undefined,
  },
  codex: {
    program: 'codex',
    call: (step) => {
      if (step.do === 'shell') {
        const folder = step.folder === undefined ? {} : { workdir: step.folder };
        return { tool: 'exec_command', input: { cmd: step.command, ...folder } };
      }
      if (step.do === 'write') return { tool: 'apply_patch', input: patch(step) };
      if (step.do === 'read') return { tool: 'exec_command', input: { cmd: `cat '${step.path}'` } };
      return { tool: step.tool, input: step.input };
    },
    environment: () => ({ MOCK_KEY: 'x' }),
    args: (prompt) => ['exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', prompt],
    prepare: ({ person, model }) =>
      put(
        join(person, '.codex', 'config.toml'),
        `model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
`,
      ),
  },
  gemini: {
    program: 'gemini',
    call: (step) => {
      if (step.do === 'shell')
        return { tool: 'run_shell_command', input: { command: shellIn(step), description: 'A step' } };
      if (step.do === 'write')
        return { tool: 'write_file', input: { file_path: step.path, content: step.content } };
      if (step.do === 'read') return { tool: 'read_file', input: { file_path: step.path } };
      return { tool: step.tool, input: step.input };
    },
    environment: ({ model }) => ({
      GEMINI_API_KEY: 'x',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_DISABLE_AUTOUPDATE: '1',
    }),
    args: (prompt) => ['--yolo', '-m', 'gemini-2.5-pro', '-p', prompt],
    prepare: ({ person }) =>
      put(
        join(person, '.gemini', 'settings.json'),
        JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
          general: { enableAutoUpdate: false, disableAutoUpdate: true },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
        }),
      ),
  },
  opencode: {
    program: 'opencode',
    call: (step) => {
      if (step.do === 'shell') {
        const folder = step.folder === undefined ? {} : { workdir: step.folder };
        return { tool: 'bash', input: { command: step.command, description: 'A step', ...folder } };
      }
      if (step.do === 'write')
        return { tool: 'write', input: { filePath: step.path, content: step.content } };
      if (step.do === 'read') return { tool: 'read', input: { filePath: step.path } };
      return { tool: step.tool, input: step.input };
    },
    environment: () => ({
      OPENCODE_PERMISSION: JSON.stringify({
        '*': 'allow',
        edit: 'allow',
        bash: 'allow',
        webfetch: 'allow',
        external_directory: 'allow',
      }),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
    args: (prompt) => ['run', '-m', 'mock/scripted', prompt],
    prepare: ({ person, model }) =>
      put(
        join(person, '.config', 'opencode', 'opencode.json'),
        JSON.stringify({
          autoupdate: false,
          provider: {
            mock: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: `${model}/v1`, apiKey: 'x' },
              models: { scripted: { name: 'scripted', tool_call: true } },
            },
          },
        }),
      ),
  },
  copilot: {
    program: 'copilot',
    call: (step) => {
      if (step.do === 'shell')
        return { tool: 'bash', input: { command: shellIn(step), description: 'A step' } };
      if (step.do === 'write') return { tool: 'create', input: { path: step.path, file_text: step.content } };
      if (step.do === 'read') return { tool: 'view', input: { path: step.path } };
      return { tool: step.tool, input: step.input };
    },
    environment: ({ model }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'x',
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    args: (prompt) => ['--allow-all-tools', '--allow-all-paths', '-p', prompt],
    prepare: () => undefined,
  },
};

// Which settings unhook a host, and how they are taken out.

import { describe, expect, test } from 'vitest';
import type { HostName } from '../../core/index.ts';
import { type SwitchFile, switchesIn, withoutSwitches } from './unhook.ts';

type Row = readonly [HostName, SwitchFile['form'], string];

describe('settings that unhook a host', () => {
  const rows: readonly Row[] = [
    ['claude', 'json', '{"disableAllHooks":true}'],
    ['claude', 'json', '{"disableAllHooks":"yes"}'],
    ['claude', 'json', '{"disable\\u0041llHooks":true}'],
    ['claude', 'json', '{"disableAllHooks":false,"disableAllHooks":true}'],
    ['claude', 'json', '\uFEFF{/* why */"disableAllHooks":true,}'],
    ['claude', 'json', '{"allowManagedHooksOnly":true}'],
    ...[
      ...['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_SHELL_PREFIX'],
      ...['CLAUDE_CODE_MANAGED_SETTINGS_PATH', 'BASH_ENV', 'LD_PRELOAD', 'SHELL'],
    ].map((name): Row => ['claude', 'json', JSON.stringify({ env: { [name]: '1' } })]),
    ['codex', 'toml', '[features]\nhooks = false\n'],
    ['codex', 'toml', 'features.hooks = false\n'],
    ['codex', 'toml', '[features]\ncodex_hooks = false\n'],
    ['codex', 'toml', '[hooks.state."/h/hooks.json:pre_tool_use:0:0"]\nenabled = false\n'],
    ['gemini', 'json', '{"hooksConfig":{"enabled":false}}'],
    ['gemini', 'json', '{"hooksConfig":{"disabled":["sallyport"]}}'],
    ['copilot', 'json', '{"disableAllHooks":true}'],
    ['qwen', 'json', '{"disableAllHooks":true}'],
    ['qwen', 'json', '{"env":{"QWEN_CODE_SAFE_MODE":"1"}}'],
    ['qwen', 'json', '{"tools":{"executionSandbox":{"filesystem":"workspace-write"}}}'],
    ['qwen', 'env', 'A=1\nQWEN_CODE_SIMPLE=true\n'],
    ['qwen', 'env', '  export QWEN_CODE_SAFE_MODE = "1" # on\n'],
  ];
  test.each(rows)('%s %s %s', (host, form, text) => {
    expect(switchesIn(host, form, text)).toHaveLength(1);
    const right = withoutSwitches(host, form, text);
    expect(right === null ? null : switchesIn(host, form, right)).toEqual([]);
  });
});

describe('settings that leave a host hooked', () => {
  const rows: readonly Row[] = [
    ['claude', 'json', ''],
    ['claude', 'json', '{"disableAllHooks":false,"model":"opus"}'],
    ['claude', 'json', '{"env":{"NODE_OPTIONS":"--max-old-space-size=8192","ENV":"test"}}'],
    ['claude', 'json', '{"permissions":{"allow":["Bash(ls:*)"]},"hooks":{"Stop":[]}}'],
    ['codex', 'toml', 'model = "gpt-5"\n[features]\nhooks = true\n'],
    ['codex', 'toml', '[hooks.state."/h/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n'],
    ['gemini', 'json', '{"hooksConfig":{"enabled":true,"disabled":["mine"]}}'],
    ['opencode', 'json', '{"plugin":[]}'],
    ['qwen', 'json', '{"env":{"OPENAI_MODEL":"x"},"tools":{"approvalMode":"default"}}'],
    ['qwen', 'env', '# QWEN_CODE_SIMPLE=1\nOPENAI_API_KEY=x\nQWEN_CODE_SAFE_MODE=\n'],
  ];
  test.each(rows)('%s %s %s', (host, form, text) => {
    expect(switchesIn(host, form, text)).toEqual([]);
    expect(withoutSwitches(host, form, text)).toBe(text);
  });
});

describe('what is left when the switches go', () => {
  test('everything else of a JSON file, indented as it was', () => {
    const text =
      '{\n    "model": "opus",\n    "disableAllHooks": true,\n    "env": {\n        "A": "1",\n        "BASH_ENV": "/x"\n    }\n}\n';
    expect(withoutSwitches('claude', 'json', text)).toBe(
      '{\n    "model": "opus",\n    "env": {\n        "A": "1"\n    }\n}\n',
    );
  });
  test('everything else of a TOML file, with its comments', () => {
    const text = '# mine\nmodel = "x"\n[features]\nhooks = false # off\nother = false\n';
    expect(withoutSwitches('codex', 'toml', text)).toBe('# mine\nmodel = "x"\n[features]\nother = false\n');
  });
  test('everything else of a file with variables', () => {
    expect(withoutSwitches('qwen', 'env', 'A=1\nQWEN_CODE_SIMPLE=1\n\nB=2')).toBe('A=1\n\nB=2');
  });
  test('a form that cannot be edited line by line is said to be so', () => {
    expect(withoutSwitches('codex', 'toml', 'features = { hooks = false }\n')).toBeNull();
  });
});

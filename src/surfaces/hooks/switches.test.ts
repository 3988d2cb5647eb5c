// What switches the hooks of a host off is found, by its file and its key.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import type { HostName } from './host.ts';
import { switchedOff } from './switches.ts';

function look(
  host: HostName,
  files: Readonly<Record<string, string>>,
  environment: Record<string, string> = {},
) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const system = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(folder, 'system.json') };
  const found = switchedOff(host, {
    projects: [join(folder, 'p')],
    user: join(folder, 'u'),
    environment: { ...system, ...environment },
    namesClient: () => false,
    withoutOurs: (text: string) => text,
  });
  return found.map(({ where, what }) => `${where.replace(`${folder}/`, '')} ${what}`);
}

describe('switchedOff', () => {
  it.each<[HostName, string, string, string]>([
    ['claude', 'u/settings.json', '{"disableAllHooks":true}', '"disableAllHooks" switches all hooks off'],
    [
      'claude',
      'p/.claude/settings.json',
      '{"disableAllHooks":true}',
      '"disableAllHooks" switches all hooks off',
    ],
    [
      'claude',
      'p/.claude/settings.local.json',
      '{"disableAllHooks":true}',
      '"disableAllHooks" switches all hooks off',
    ],
    [
      'gemini',
      'u/settings.json',
      '{"hooksConfig":{"enabled":false}}',
      '"hooksConfig.enabled" switches all hooks off',
    ],
    [
      'gemini',
      'p/.gemini/settings.json',
      '{ // "enabled": true\n "u": "http://x", "hooksConfig": {"disabled":["sallyport"]} /* x */ }',
      '"hooksConfig.disabled" names our hook',
    ],
    ['qwen', 'p/.qwen/settings.json', '{"disableAllHooks":true}', '"disableAllHooks" switches all hooks off'],
    [
      'qwen',
      'u/settings.json',
      '{"env":{"QWEN_CODE_SIMPLE":"1"}}',
      'it sets QWEN_CODE_SIMPLE, by which hooks end or are led elsewhere',
    ],
    [
      'qwen',
      'u/settings.json',
      '{"tools":{"executionSandbox":{}}}',
      '"tools.executionSandbox" switches all hooks off',
    ],
    [
      'qwen',
      'p/.env',
      'A=1\nQWEN_CODE_SAFE_MODE=1\n',
      'it sets QWEN_CODE_SAFE_MODE, by which hooks end or are led elsewhere',
    ],
    [
      'gemini',
      'system.json',
      '{"hooksConfig":{"enabled":false}}',
      '"hooksConfig.enabled" switches all hooks off',
    ],
  ])('%s by %s', (host, file, text, what) => {
    expect(look(host, { [file]: text })).toEqual([`${file} ${what}`]);
  });

  it.each<[HostName, string, string]>([
    ['claude', 'p/.claude/settings.json', '{"disableAllHooks":false,"hooks":{}}'],
    ['claude', 'p/.claude/settings.json', '"disableAllHooks"'],
    ['gemini', 'p/.gemini/settings.json', '{"hooksConfig":{"enabled":true,"disabled":["mine"]}}'],
    ['gemini', 'p/.gemini/settings.json', '{"hooks":{"disabled":["sallyport"]}}'],
    ['codex', 'p/.codex/config.toml', '[features]\nhooks = false\n'],
    ['copilot', 'p/.github/copilot/settings.json', '{"disableAllHooks":true}'],
    ['claude', 'p/.claude/settings.json', '{"allowManagedHooksOnly":true}'],
  ])('%s not by %s: %s', (host, file, text) => {
    expect(look(host, { [file]: text })).toEqual([]);
  });

  it('by variables', () => {
    expect(look('opencode', {}, { OPENCODE_PURE: '1' })).toEqual(['OPENCODE_PURE it is "1"']);
    expect(look('opencode', {}, { OPENCODE_PURE: '' })).toEqual([]);
    expect(look('kilo', {}, { KILO_PURE: '1' })).toEqual(['KILO_PURE it is "1"']);
    expect(look('qwen', {}, { QWEN_CODE_SAFE_MODE: 'true' })).toEqual(['QWEN_CODE_SAFE_MODE it is "true"']);
    expect(look('claude', {}, { CLAUDE_CODE_SIMPLE: '1' })).toEqual(['CLAUDE_CODE_SIMPLE it is "1"']);
  });
});

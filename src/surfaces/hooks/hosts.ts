// All hosts, by name.

import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import type { Host, HostName } from './host.ts';
import { kilo, opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

export const hosts: Readonly<Record<HostName, Host>> = {
  claude,
  codex,
  gemini,
  cursor,
  copilot,
  opencode,
  qwen,
  kilo,
};

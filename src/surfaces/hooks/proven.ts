// The versions of the hosts with which `npm run hosts` was run.

import type { HostName } from './host.ts';

/** How far a host was tried. */
export interface Proof {
  /** The program that people start, as PATH has it; null where there is none to ask. */
  readonly program: string | null;
  /** The version that was really run; null where only its documented messages were tried. */
  readonly version: string | null;
}

/** What was tried, host by host. */
export const proven: Readonly<Record<HostName, Proof>> = {
  claude: { program: 'claude', version: '2.1.326' },
  codex: { program: 'codex', version: '0.169.0' },
  gemini: { program: 'gemini', version: '0.61.0' },
  cursor: { program: null, version: null },
  copilot: { program: 'copilot', version: '1.0.102' },
  opencode: { program: 'opencode', version: '1.18.33' },
};

// How far each host was really run: the program that people start, and the version that was proven.

import { provenVersions } from '../../guards/tool/registry.ts';
import type { HostName } from './host.ts';

/** How far a host was tried. */
export interface Proof {
  /** The program that people start, as PATH has it; null where there is none to ask. */
  readonly program: string | null;
  /** The version that was really run; null where only its documented messages were tried. */
  readonly version: string | null;
}

/** What was tried of a host; the versions are those that its tools were captured from. */
export function proofOf(host: HostName): Proof {
  const version = provenVersions()[host] ?? null;
  return { program: version === null ? null : host, version };
}

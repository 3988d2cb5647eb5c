// What the hosts themselves say, where they can be asked offline and soon: their versions, whether Codex would call our
// hooks, and where opencode and Kilo look for plugins.

import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import type { Environment } from '../config/index.ts';
import { type HostName, hosts, proofOf } from '../surfaces/hooks/index.ts';
import type { CodexQuestion, CodexTrust } from './codex.ts';
import { programOnPath } from './hosts.ts';

/** How long a host may take to say something about itself, in milliseconds. */
const patienceMs = 5000;
const longestAnswer = 65_536;

/** The version of the host that the user would start; null where none is found or it does not say. */
export async function installedVersion(host: HostName, environment: Environment): Promise<string | null> {
  const { program } = proofOf(host);
  const path = program === null ? undefined : programOnPath(environment, program);
  const said = path === undefined ? null : await askProgram(path, ['--version'], environment);
  return said === null ? null : (/\d+\.\d+\.\d+\S*?(?=\.?(?:\s|$))/.exec(said)?.[0] ?? null);
}

/** A sentence about the version, and whether it is another than the one that was tried. */
export function versionNote(
  host: HostName,
  installed: string | null,
): { readonly says: string; readonly isOther: boolean } {
  const { version } = proofOf(host);
  const { title } = hosts[host];
  if (version === null) return { says: 'tried with its documented messages only', isOther: false };
  if (installed === null) return { says: `proven with ${title} ${version}`, isOther: false };
  return installed === version
    ? { says: `proven with ${title} ${version}, which is installed`, isOther: false }
    : { says: `${title} ${installed} is installed; ${version} was proven`, isOther: true };
}

/** What Codex says of our hooks. */
export async function codexAnswer(question: CodexQuestion): Promise<CodexTrust> {
  // Loaded for Codex alone.
  const { askCodex } = await import('./codex.ts');
  return await askCodex(question);
}

/** The folder in which a host looks for the user's plugins, by its own word; null where it does not say. */
export async function pluginFolder(
  host: 'opencode' | 'kilo',
  environment: Environment,
): Promise<string | null> {
  const path = programOnPath(environment, host);
  const said = path === undefined ? null : await askProgram(path, ['debug', 'paths'], environment);
  const folder = said === null ? undefined : /^config\s+(\/.*)$/m.exec(said)?.[1];
  if (folder === undefined) return null;
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** What a program prints; null where it fails or takes too long. */
function askProgram(
  program: string,
  args: readonly string[],
  environment: Environment,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, longestAnswer);
    });
    child.once('error', () => resolve(null));
    child.once('close', (status) => resolve(status === 0 ? said : null));
  });
}

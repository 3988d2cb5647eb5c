// Codex runs hooks only once a person has trusted their text. This does what that person does in its /hooks view.

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HostFolders } from './adapters.ts';

interface Hook {
  readonly key: string;
  readonly currentHash: string;
}

/** Asks Codex which hooks it sees and writes down that they are trusted. */
export async function trustCodexHooks(
  folders: HostFolders,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const hooks = await listHooks(folders, env);
  if (hooks.length === 0) throw new Error('Codex lists no hooks');
  const entries = hooks.map(
    ({ key, currentHash }) => `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
  );
  appendFileSync(join(folders.person, '.codex', 'config.toml'), entries.join(''));
}

function listHooks(folders: HostFolders, env: Readonly<Record<string, string>>): Promise<readonly Hook[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('codex', ['app-server'], {
      cwd: folders.project,
      env: { ...env, MOCK_KEY: 'x' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.id === 1) {
        send({ method: 'initialized' });
        send({ id: 2, method: 'hooks/list', params: { cwds: [folders.project] } });
      }
      if (message.id !== 2) return;
      clearTimeout(late);
      child.kill('SIGKILL');
      resolve(message.result.data.flatMap(({ hooks }: { hooks: Hook[] }) => hooks));
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error('codex app-server ended without an answer')));
    send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'hosts', version: '0' } } });
  });
}

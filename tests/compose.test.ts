// The example of a bridge that is held tightly says what its page says.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const { services, networks } = parse(readFileSync(join(root, 'examples/bridge/compose.yaml'), 'utf8'));

describe('the compose file', () => {
  it('gives the bridge a user of its own and a root that it cannot write to', () => {
    expect(services.bridge).toMatchObject({
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: [expect.stringMatching(/noexec.*nosuid/)],
    });
    expect(services.bridge).not.toHaveProperty('volumes');
    expect(services.bridge).not.toHaveProperty('privileged');
  });

  it('gives it no network but that of the tools, and limits', () => {
    expect(services.bridge.networks).toEqual(['tools']);
    expect(networks).toEqual({ tools: { internal: true } });
    expect(services.bridge).not.toHaveProperty('ports');
    expect(services.bridge).not.toHaveProperty('network_mode');
    expect(services.bridge).toMatchObject({
      mem_limit: expect.any(String),
      cpus: expect.any(Number),
      pids_limit: expect.any(Number),
      ulimits: { nofile: expect.any(Number) },
    });
  });

  it('is the one that the page starts', () => {
    const page = readFileSync(join(root, 'docs/bridge-hardening.md'), 'utf8');
    expect(page).toContain('"run", "--rm", "-T", "bridge"]');
    expect(Object.keys(services)).toEqual(['bridge']);
  });
});

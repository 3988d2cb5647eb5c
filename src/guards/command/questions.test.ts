// What a command is asked about: a permission for one of its effects covers no other.

import { expect, it } from 'vitest';
import { context, testDecider } from '../../../tests/support/decide.ts';

async function asked(command: string): Promise<readonly (string | undefined)[]> {
  const { verdict } = await testDecider({}).decide({ kind: 'shell', command }, { ...context, mode: 'auto' });
  expect(verdict.decision).toBe('approve');
  return verdict.findings.filter(({ decision }) => decision === 'approve').map(({ grant }) => grant);
}

it.each([
  ['cat .env .env.production', ['/work/.env', '/work/.env.production']],
  ['cat .env.production .env .env', ['/work/.env.production', '/work/.env']],
  ['head -1 .env < .env.local', ['/work/.env', '/work/.env.local']],
])('%s: each file that it reads', async (command, files) => {
  const grants = await asked(command);
  expect(new Set(grants)).toEqual(new Set(files.map((file) => `command read ${file}`)));
});

it('no effect is named where there are more of them than a verdict holds', async () => {
  const files = Array.from({ length: 40 }, (_, index) => `fixtures/${index}/.env`);
  for (const grant of await asked(`cat ${files.join(' ')}`))
    expect(grant ?? '').not.toContain('command read');
});

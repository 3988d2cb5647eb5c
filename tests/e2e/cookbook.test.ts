// The cookbook: what it says to type is typed at a terminal, and does what its title says.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { claudeLines, writeHistory } from '../support/histories.ts';
import { oneOf } from '../support/share.ts';
import { atTerminal, chose, noTerminals, passphrase } from '../support/terminal.ts';

interface Recipe {
  readonly number: number;
  readonly title: string;
  /** The commands, without the program's name. */
  readonly commands: readonly (readonly string[])[];
  readonly toml: string | null;
  readonly isSigned: boolean;
}

const page = readFileSync(fileURLToPath(new URL('../../docs/cookbook.md', import.meta.url)), 'utf8');
const recipes: readonly Recipe[] = page
  .split(/^### (?=\d+\. )/m)
  .slice(1)
  .map((text) => {
    const [, number = '', title = ''] = /^(\d+)\. (.*)$/m.exec(text) ?? [];
    const commands = [...text.matchAll(/^\$ sallyport (.*)$/gm)].map(([, line = '']) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    );
    const toml = /```toml\n([\s\S]*?)```/.exec(text)?.[1] ?? null;
    return {
      number: Number(number),
      title,
      commands,
      toml,
      isSigned: /\bsigned\b/i.test(text.split('```')[0] ?? ''),
    };
  });

interface Said {
  readonly decision: string;
  readonly approval: { readonly id: string } | null;
  readonly findings: readonly { readonly rule: string }[];
}

async function decide(place: Place, action: object): Promise<Said> {
  const context = { agent: 'claude', session: 'day', mode: 'auto', workspace: place.workspace };
  return JSON.parse((await cli(place, ['decide', JSON.stringify({ ...action, context })])).stdout);
}

const run = (place: Place, command: string) => decide(place, { kind: 'shell', command });
const rules = ({ findings }: Said) => findings.map(({ rule }) => rule);

/** A kitchen for one recipe: `type` types its commands, each at a terminal, with an id for ID. */
function kitchen(number: number) {
  const recipe = recipes.find((one) => one.number === number)!;
  const place = newPlace();
  let signatures = 0;
  const type = async (id = '', only = recipe.commands, press?: { at: string; key: string }) => {
    const shown: string[] = [];
    for (const words of only) {
      const args = words.map((word) => (word === 'ID' ? id : word));
      const { stdout, status, unasked } = await atTerminal(place, args, [passphrase], press);
      signatures += 1 - unasked;
      shown.push(stdout);
      // Where Ctrl-C ended it, the shell around it says so.
      expect(press?.key === '\u0003' ? [0, 130] : [0], stdout).toContain(status);
    }
    return shown.join('\n');
  };
  return { recipe, place, type, signatures: () => signatures };
}

/** Applies two patches, as an agent would. */
async function twoChanges(place: Place): Promise<void> {
  for (const name of ['a.txt', 'b.txt']) {
    const patch = `*** Begin Patch\n*** Add File: ${name}\n+one\n*** End Patch\n`;
    const applied = await cli(place, ['apply', '-', '--run', 'r1'], { input: patch });
    expect(applied.status, applied.stderr).toBe(0);
  }
}

type Cook = (parts: ReturnType<typeof kitchen>) => Promise<void>;

/** Approves a command that is asked about: it passes once, and is asked about again. */
const once =
  (command: string): Cook =>
  async ({ place, type }) => {
    const asked = await run(place, command);
    expect(asked.decision).toBe('approve');
    await type(asked.approval!.id, [['approve', 'ID']]);
    expect((await run(place, command)).decision).toBe('pass');
    expect((await run(place, command)).decision).toBe('approve');
  };

const cooks: Readonly<Record<number, Cook>> = {
  1: async (parts) => {
    await once('git push origin main')(parts);
    const refused = await cli(parts.place, ['allow', '--rule', 'git_push']);
    expect(refused.stderr).toContain('asks every time (AG-TOOL-3 of the agent contract)');
  },
  2: async (parts) => {
    await once('git reset --hard')(parts);
    expect((await run(parts.place, 'kill -9 12345')).decision).toBe('approve');
    expect((await run(parts.place, 'rm -rf ~')).decision).toBe('block');
  },
  3: async ({ place, type }) => {
    expect((await run(place, 'cat .env')).decision).toBe('approve');
    await type();
    expect((await run(place, 'head -1 .env')).decision).toBe('pass');
  },
  4: async ({ place, recipe }) => {
    const fetched = () => decide(place, { kind: 'fetch', url: 'https://docs.example.com/' });
    expect(rules(await fetched())).toContain('host_not_allowed');
    writeFileSync(join(place.home, 'sallyport.toml'), recipe.toml ?? '');
    expect(rules(await fetched())).not.toContain('host_not_allowed');
  },
  5: async ({ place, type }) => {
    expect((await run(place, 'kill 12345')).decision).toBe('approve');
    await type();
    expect((await run(place, 'kill 12346')).decision).toBe('pass');
  },
  6: async ({ place, recipe }) => {
    expect((await run(place, 'frobnicate')).decision).toBe('approve');
    writeFileSync(join(place.workspace, 'sallyport.toml'), recipe.toml ?? '');
    expect((await run(place, 'frobnicate')).decision).toBe('block');
  },
  7: async ({ place, type }) => {
    mkdirSync(join(place.workspace, 'tests/fixtures'), { recursive: true });
    await type();
    const content = `const token = 'ghp_${'x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'}';`; // sallyport:allow
    const write = async (path: string) => (await decide(place, { kind: 'write', path, content })).decision;
    expect(await write('tests/fixtures/key.ts')).toBe('pass');
    expect(await write('src/key.ts')).toBe('approve');
  },
  8: async ({ place, type }) => {
    await type();
    expect((await run(place, 'kill 12345; cat .env')).decision).toBe('pass');
    expect((await run(place, 'git push')).decision).toBe('approve');
    expect((await run(place, 'rm -rf ~')).decision).toBe('block');
  },
  9: async ({ place, type, recipe }) => {
    const lines = claudeLines('s', place.workspace, [['Bash', { command: 'kill 12345' }]]);
    writeHistory(place.home, '.claude/projects/a/s.jsonl', lines);
    expect(await type('', recipe.commands.slice(0, 1))).toContain('100.00 interruptions per 100 calls');
    expect(await type('', recipe.commands.slice(1), { at: 'Ctrl-C ends it', key: '\u0003' })).toContain(
      '0 calls',
    );
  },
  10: async ({ type }) => {
    expect(await type()).toContain('PASS');
  },
  11: async ({ place, type }) => {
    await type();
    expect((await run(place, 'cat .env')).decision).toBe('pass');
    const other = { ...place, workspace: join(place.workspace, '..', 'other') };
    mkdirSync(other.workspace);
    expect((await run(other, 'cat .env')).decision).toBe('approve');
  },
  12: async ({ place, type }) => {
    await type();
    expect(readFileSync(join(place.home, '.codex/hooks.json'), 'utf8')).toContain('PreToolUse');
  },
  13: async ({ place, type }) => {
    const asked = await run(place, 'kill 12345');
    expect(asked.decision).toBe('approve');
    await type('', undefined, { at: 'y yes, once', key: 'yq' });
    expect((await run(place, 'kill 12345')).decision).toBe('pass');
  },
  16: async ({ place, type }) => {
    const asked = await run(place, 'kill 12345');
    expect(await type(asked.approval!.id)).toContain('kill 12345');
    expect((await run(place, 'kill 12345')).decision).toBe('pass');
  },
  17: async ({ place, type }) => {
    await run(place, 'kill 12345');
    expect(await type()).toContain('asked  shell: kill 12345  (process_signal)');
  },
  18: async ({ place, type, recipe }) => {
    await twoChanges(place);
    const listed = await type('', recipe.commands.slice(0, 1));
    const id = /^\s*([0-9a-f]{8})\b.*a\.txt/m.exec(listed)?.[1] ?? listed;
    await type(id, recipe.commands.slice(1));
    expect([existsSync(join(place.workspace, 'a.txt')), existsSync(join(place.workspace, 'b.txt'))]).toEqual([
      false,
      true,
    ]);
  },
  19: async ({ place, type }) => {
    await twoChanges(place);
    await type();
    expect(existsSync(join(place.workspace, 'a.txt')) || existsSync(join(place.workspace, 'b.txt'))).toBe(
      false,
    );
  },
  20: async ({ place, recipe }) => {
    writeFileSync(join(place.workspace, 'sallyport.toml'), recipe.toml ?? '');
    expect(rules(await run(place, 'touch infra/main.tf'))).toContain('infra_is_mine');
    expect((await run(place, 'touch src/main.ts')).decision).toBe('pass');
  },
  21: async ({ place, type }) => {
    await type();
    writeFileSync(
      join(place.workspace, 'k.ts'),
      `const t = 'ghp_${'x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'}';`,
    ); // sallyport:allow
    expect((await cli(place, ['scan', '.'])).status).toBe(1);
  },
  22: async ({ place, type }) => {
    execFileSync('git', ['init', '-q', place.workspace]);
    await type();
    writeFileSync(
      join(place.workspace, 'k.ts'),
      `const t = 'ghp_${'x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'}';`,
    ); // sallyport:allow
    execFileSync('git', ['-C', place.workspace, 'add', 'k.ts']);
    expect((await cli(place, ['scan', '--staged'])).status).toBe(1);
  },
  23: async ({ place, type }) => {
    await run(place, 'ls');
    const id = JSON.parse((await cli(place, ['log', '--json'])).stdout.split('\n')[0] ?? '').decision_id;
    expect(await type(id)).toMatch(/\d ms/);
  },
  24: async ({ type, recipe }) => {
    expect(await type('', recipe.commands.slice(0, 1))).toMatch(/service|start/);
  },
  25: async ({ place, type }) => {
    await cli(place, ['init', 'claude', '--yes', '--no-start']);
    const settings = join(place.home, '.claude/settings.json');
    expect(existsSync(settings)).toBe(true);
    await type();
    expect(existsSync(settings)).toBe(false);
  },
};

/** Recipes that are cooked by other tests. */
const elsewhere: Readonly<Record<number, string>> = {
  14: 'tests/e2e/console.test.ts',
  15: 'src/surfaces/http/notify.test.ts',
};
/** Recipes whose answer is a reason and another way. */
const refused = [1, 8, 9];

it('has 25 recipes: 22 or more done in 3 commands and one signature, each tried', () => {
  expect(recipes.map(({ number }) => number)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
  const tried = [...Object.keys(cooks), ...Object.keys(elsewhere)].map(Number).sort((a, b) => a - b);
  expect(tried).toEqual(recipes.map(({ number }) => number));
  const short = recipes.filter(({ commands, toml }) => commands.length + (toml === null ? 0 : 1) <= 3);
  expect(short).toHaveLength(25);
  expect(short.filter(({ number }) => !refused.includes(number)).length).toBeGreaterThanOrEqual(22);
  for (const file of Object.values(elsewhere))
    expect(existsSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)))).toBe(true);
});

/** A share of the recipes; the test above holds that there is one for each. */
const shared = recipes.filter(({ number }) => number in cooks).filter((_, at) => at % oneOf(4) === 0);

describe.skipIf(noTerminals)('the cookbook', () => {
  it.each(shared.map(({ number, title }) => [number, title] as const))('%d. %s', async (number) => {
    const parts = kitchen(number);
    await chose(parts.place);
    await cooks[number]?.(parts);
  });
});

import { describe, expect, it } from 'vitest';
import { context, finding, guardOf, judgement, stillWorld, testDecider } from '../../tests/support/decide.ts';
import { configOf, type Profile, settingsFrom } from '../config/index.ts';
import type { Finding, JsonObject, JsonValue } from '../core/index.ts';
import { judgeOutput } from './output.ts';

/** Judges an output under a guard of prompts with the given findings. */
async function judged(
  output: JsonValue,
  found: Partial<Finding> | null,
  { profile = 'developer', personal = false }: { profile?: Profile; personal?: boolean } = {},
) {
  const guard = guardOf(['prompt'], (action) =>
    judgement({
      findings: found === null ? [] : [finding({ guard: 'prompt', ...found })],
      ...(found?.decision === 'redact' ? { rewritten: { ...action, text: 'without it' } as never } : {}),
    }),
  );
  const settings = settingsFrom({ profile });
  const config = { ...configOf(() => settings), hooks: [] };
  const entries: JsonObject[] = [];
  const ledger = {
    record: async (entry: object) => {
      entries.push(entry as JsonObject);
    },
  };
  const decider = testDecider({ config, guards: [guard] });
  const given = { tool: 'read', arguments: {}, output };
  return {
    ...(await judgeOutput({ config, decider, ledger, world: stillWorld(), personal }, given, context)),
    entries,
  };
}

describe('what a tool gave back', () => {
  it.each<[string, Partial<Finding>, Profile, 'withhold' | 'pass']>([
    ['an attack, under developer', { contract: 'AG-IN-1' }, 'developer', 'pass'],
    ['an attack, under strict', { contract: 'AG-IN-1' }, 'strict', 'withhold'],
    ['anything else that is blocked', { contract: 'AG-IN-2' }, 'developer', 'withhold'],
    ['what a person must see', { decision: 'approve' }, 'developer', 'withhold'],
    ['what is only told of', { decision: 'warn' }, 'strict', 'pass'],
  ])('%s', async (_what, found, profile, does) => {
    expect(await judged('some text', found, { profile })).toMatchObject({ does });
  });

  it('goes on as a text without what was taken out of it', async () => {
    expect(await judged('with it', { decision: 'redact' }, { personal: true })).toMatchObject({
      does: 'pass',
      output: 'without it',
      redactions: { 'personal-data': 1 },
    });
    // A host's model edits the files that it reads.
    expect(await judged('with it', { decision: 'redact' })).toMatchObject({
      output: 'with it',
      redactions: {},
    });
  });

  it.each([true, false])('counts a secret that the prompt guard would take out as well', async (personal) => {
    const secret = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    const { redactions } = (await judged(secret, { decision: 'redact' }, { personal })) as {
      redactions?: object;
    };
    expect(redactions).toMatchObject({ 'access-token': 1 });
  });

  it('carries no secret, and that is on record before it goes on', async () => {
    const secret = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    const { entries, ...rest } = await judged({ note: secret }, null);
    expect(JSON.stringify(rest)).not.toContain(secret);
    expect(entries).toMatchObject([{ event_type: 'output_redacted' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { context, guardOf, judgement, stillWorld, testDecider } from '../../tests/support/decide.ts';
import type { Finding, JsonObject } from '../core/index.ts';
import { ResponseRefused, SecretInResponse } from './errors.ts';
import { type Attempt, type GenerateOptions, generate, summed } from './generate.ts';

/** Looks like a secret, but is not one. */
const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow

const blocked = (text: string, more: Partial<Finding> = {}): Finding => ({
  rule: 'a_guideline',
  guard: 'response',
  decision: 'block',
  message: `It speaks of ${text}.`,
  contract: 'AG-OUT-2',
  ...more,
});

/** A guard for which a text that contains "bad" violates a guideline, and "odd" is refused for another reason. */
const guideline = guardOf(['response'], ({ text }) =>
  judgement({
    ...(text.includes('bad') ? { facts: { refusal: 'Not that.' }, findings: [blocked('bad things')] } : {}),
    ...(text.includes('odd') ? { findings: [blocked('odd things', { contract: 'AG-TOOL-1' })] } : {}),
    ...(text.includes('ask') ? { findings: [blocked('a question', { decision: 'approve' })] } : {}),
    ...(text.includes('fault') ? { findings: [blocked('?', { contract: undefined as never })] } : {}),
  }),
);

function conversation(
  answers: readonly (string | readonly string[])[],
  more: Partial<GenerateOptions<never>> = {},
) {
  const attempts: Attempt[] = [];
  const entries: JsonObject[] = [];
  const options = {
    context,
    world: stillWorld(),
    decider: testDecider({}),
    ledger: {
      record: async (entry: object) => {
        entries.push(entry as JsonObject);
      },
    },
    ...more,
    ask: async (attempt: Attempt) => {
      attempts.push(attempt);
      const said = answers[attempt.number - 1] ?? 'nothing more';
      return { texts: [said].flat(), usage: { tokens: { out: 10 }, model: `m${attempt.number}` } };
    },
  };
  return { run: () => generate(options as GenerateOptions<never>), attempts, entries };
}

describe('generate', () => {
  it('gives an answer that passes, after one question', async () => {
    const { run, attempts, entries } = conversation([['All is well.', 'Because I say so.']]);
    expect(await run()).toMatchObject({ texts: ['All is well.', 'Because I say so.'], attempts: 1 });
    expect(attempts).toEqual([{ number: 1, instructions: null }]);
    expect(entries).toEqual([]);
  });

  it('asks again without the secret, and counts what all of it cost', async () => {
    const { run, attempts, entries } = conversation([
      `Use ${token} here.`,
      `ghp\\_${token.slice(4)}`,
      'Use $TOKEN.',
    ]);
    expect(await run()).toMatchObject({
      texts: ['Use $TOKEN.'],
      attempts: 3,
      usage: { tokens: { out: 30 }, model: 'm3' },
    });
    expect(attempts[1]?.instructions).toContain('Use [REDACTED:secret] here.');
    expect(attempts[2]?.instructions).toContain('[REDACTED:secret]');
    for (const { instructions } of attempts) expect(instructions ?? '').not.toContain(token.slice(4, 16));
    expect(
      entries.map(({ event_type: type, details }) => [type, (details as JsonObject)['attempt']]),
    ).toEqual([
      ['response_rejected', 1],
      ['response_rejected', 2],
    ]);
    expect(JSON.stringify(entries)).not.toContain(token.slice(4, 16));
  });

  it('ends in an error after three answers with a secret', async () => {
    const { run, attempts, entries } = conversation([token, token, `And ${token}`, 'Too late.']);
    await expect(run()).rejects.toThrow(SecretInResponse);
    expect(attempts).toHaveLength(3);
    expect(entries).toHaveLength(3);
    const error = await conversation([token, token, token]).run().then(String, String);
    expect(error).not.toContain(token.slice(4, 16));
  });

  it('asks more strictly about a guideline, then refuses in its words', async () => {
    const decider = testDecider({ guards: [guideline] });
    const once = conversation(['bad', 'good'], { decider });
    expect(await once.run()).toMatchObject({ texts: ['good'], attempts: 2 });
    expect(once.attempts[1]?.instructions).toContain('It speaks of bad things.');
    const never = conversation(['bad', 'bad', 'bad', 'good'], { decider });
    expect(await never.run()).toMatchObject({
      texts: ['Not that.'],
      answer: null,
      attempts: 3,
      usage: { tokens: { out: 30 } },
    });
    expect(never.entries).toHaveLength(3);
  });

  it.each([
    ['a call that layer 3 refuses', 'odd'],
    ['a question to a person', 'ask'],
    ['a reason without a clause', 'fault'],
  ])('asks nothing again for %s', async (_what, text) => {
    const decider = testDecider({ guards: [guideline] });
    const { run, attempts } = conversation([['good', text]], { decider });
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResponseRefused);
    expect(error).not.toBeInstanceOf(SecretInResponse);
    expect(attempts).toHaveLength(1);
  });

  it('refuses where the guard fails, where the record fails, and hands on what the model throws', async () => {
    const failing = guardOf(['response'], () => {
      throw new Error('no');
    });
    const broken = conversation(['good'], { decider: testDecider({ guards: [failing] }) });
    await expect(broken.run()).rejects.toThrow(ResponseRefused);
    const full = {
      record: async () => {
        throw new Error('the disk is full');
      },
    };
    const unrecorded = conversation([token, 'good'], { ledger: full });
    await expect(unrecorded.run()).rejects.toThrow('the disk is full');
    expect(unrecorded.attempts).toHaveLength(1);
    const { run } = conversation([]);
    expect(await run()).toMatchObject({ texts: ['nothing more'] });
    const silent = {
      context,
      world: stillWorld(),
      decider: testDecider({}),
      ledger: full,
      ask: async () => {
        throw new Error('the model is down');
      },
    };
    await expect(generate(silent)).rejects.toThrow('the model is down');
  });

  it('adds up accounts of any shape', () => {
    expect(summed({ a: 1, b: { c: 2, d: 'x' } }, { a: 3, b: { c: 4, e: 1 }, f: [1] })).toEqual({
      a: 4,
      b: { c: 6, d: 'x', e: 1 },
      f: [1],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { context, finding, guardOf, judgement, noRecords, testDecider } from '../../tests/support/decide.ts';
import { entry, newStore, openTestLedger } from '../../tests/support/ledger.ts';
import { ConfigError, configOf } from '../config/index.ts';
import type { Finding, StreamGuard } from '../core/index.ts';
import type { AnyGuard } from '../guards/index.ts';

/** Shows each chunk in capitals and blocks at the word "secret". */
function shouting(found: Partial<Finding> = {}): AnyGuard {
  const stream = (): StreamGuard => ({
    push: (piece) => ({
      emit: piece.toUpperCase(),
      findings: piece.includes('secret') ? [finding({ rule: 'leak', ...found })] : [],
    }),
    end: () => ({ emit: '.', findings: [] }),
  });
  return guardOf(['response'], () => judgement(), { stream });
}

/** Receives the whole text at its end. */
const whole = guardOf(['response'], (action) =>
  judgement({
    findings: action.text.includes('secret') ? [finding({ rule: 'leak' })] : [],
    rewritten: { ...action, text: `[${action.text}]` } as never,
  }),
);

async function flow(guards: readonly AnyGuard[], pieces: readonly string[], more = {}) {
  const stream = await testDecider({ guards, ...more }).decideStream('response', context);
  const shown: string[] = [];
  for (const piece of pieces) shown.push((await stream.push(piece)).emit);
  const { emit, verdict } = await stream.end();
  return { shown: [...shown, emit], verdict, stream };
}

describe('a stream', () => {
  it('is shown piece by piece through guards that read streams', async () => {
    const { shown, verdict } = await flow([shouting()], ['a', 'b']);
    expect(shown).toEqual(['A', 'B', '.']);
    expect(verdict.decision).toBe('pass');
  });

  it('passes from one guard to the next, to the very end', async () => {
    const { shown } = await flow([shouting(), shouting()], ['a']);
    expect(shown).toEqual(['A', '..']);
  });

  it('shows nothing of the piece that is blocked, and nothing after it', async () => {
    const { shown, verdict, stream } = await flow([shouting()], ['a', 'my secret', 'b']);
    expect(shown).toEqual(['A', '', '', '']);
    expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'leak' }] });
    expect((await stream.push('c')).emit).toBe('');
  });

  it('cannot wait for a person, so a question blocks it', async () => {
    const { shown, verdict } = await flow([shouting({ decision: 'approve' })], ['secret']);
    expect(shown).toEqual(['', '']);
    expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'stream_cannot_wait' }] });
  });

  it('is held back whole for a guard that needs all of it', async () => {
    expect((await flow([whole], ['a', 'b'])).shown).toEqual(['', '', '[ab]']);
    expect((await flow([whole, shouting()], ['a', 'b'])).shown).toEqual(['', '', '[ab]']);
    expect((await flow([whole], ['sec', 'ret'])).shown).toEqual(['', '', '']);
  });

  it('that is too long to hold back is blocked', async () => {
    const { verdict } = await flow([whole], ['x'.repeat(4_194_304), 'y', 'z']);
    expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'budget_exceeded' }] });
  });

  const broken = guardOf(['response'], () => judgement(), {
    stream: () => ({
      push: () => {
        throw new Error('oops');
      },
      end: () => ({ emit: 'leak', findings: [] }),
    }),
  });
  it.each<[string, readonly AnyGuard[], object, string]>([
    ['without a guard', [], {}, 'no_guard'],
    ['whose guard throws', [broken], {}, 'guard_error'],
    [
      'without settings',
      [shouting()],
      {
        config: configOf(() => {
          throw new ConfigError('wrong');
        }),
      },
      'config_invalid',
    ],
    [
      'that cannot be recorded',
      [shouting()],
      {
        ledger: {
          ...noRecords,
          work: { open: () => Promise.reject(new Error('full')), close: async () => true },
        },
      },
      'record_failed',
    ],
  ])('%s shows nothing', async (_, guards, more, rule) => {
    const { shown, verdict } = await flow(guards, ['a', 'b'], more);
    expect(shown.join('')).toBe('');
    expect(verdict.decision).toBe('block');
    expect(verdict.findings[0]?.rule).toBe(rule);
  });

  it('shows nothing at its end if the closing cannot be recorded, or another daemon closed it', async () => {
    for (const close of [() => Promise.reject(new Error('full')), async () => false]) {
      const ledger = { ...noRecords, work: { ...noRecords.work, close } };
      const { shown, verdict } = await flow([whole], ['a'], { ledger });
      expect(shown).toEqual(['', '']);
      expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'record_failed' }] });
    }
  });

  it('that a dead daemon left open is closed as blocked, once', async () => {
    const store = await newStore('sqlite');
    const [dead, alive] = [await store.open('a'), await store.open('b')];
    const stream = await testDecider({ guards: [whole], ledger: dead }).decideStream('response', context);
    await alive.audit.append(entry(1));
    expect(await alive.work.closeOrphans(1_700_000_000_000 + 1000, 0)).toBe(0);
    expect(await alive.work.closeOrphans(1_700_000_000_000 + 31_000, 0)).toBe(1);
    expect(await alive.work.closeOrphans(1_700_000_000_000 + 31_000, 0)).toBe(0);
    const [closing] = await alive.audit.list({ eventType: 'stream_closed' });
    expect(closing).toMatchObject({ decision: 'block', chain: 'b', details: { orphan_of: 'a' } });
    // The daemon was only slow: its late attempt to show more is refused.
    expect((await stream.end()).verdict.decision).toBe('block');
  });

  it('judges each channel by itself, under one record', async () => {
    const ledger = await openTestLedger();
    const stream = await testDecider({ guards: [whole], ledger }).decideStream('response', context, {
      upstream: 'here',
    });
    for (const [piece, channel] of [
      ['a', 'one'],
      ['b', 'two'],
      ['c', 'one'],
    ] as const) {
      expect((await stream.push(piece, channel)).emit).toBe('');
    }
    expect((await stream.finish('one')).emit).toBe('[ac]');
    expect((await stream.finish('two')).emit).toBe('[b]');
    const { verdict } = await stream.end({ usage: { output: 3 } });
    expect(verdict.decision).toBe('pass');
    expect(await ledger.audit.list({ decisionId: stream.decisionId })).toMatchObject([
      { event_type: 'stream_closed', details: { pieces: 3, shown: 7, usage: { output: 3 } } },
      { event_type: 'stream_opened', details: { upstream: 'here' } },
    ]);
  });

  it('is blocked in every channel by what is found in one', async () => {
    const stream = await testDecider({ guards: [shouting()] }).decideStream('response', context);
    expect((await stream.push('a', 'one')).emit).toBe('A');
    expect(await stream.push('secret', 'two')).toMatchObject({ emit: '', findings: [{ rule: 'leak' }] });
    expect(stream.blocked).toBe(true);
    expect((await stream.push('b', 'one')).emit).toBe('');
    expect((await stream.finish('one')).emit).toBe('');
    expect((await stream.end()).verdict.decision).toBe('block');
  });

  it('is blocked by text that comes after the end of its channel', async () => {
    const stream = await testDecider({ guards: [shouting()] }).decideStream('response', context);
    stream.push('a', 'one');
    expect((await stream.finish('one')).emit).toBe('.');
    expect((await stream.push('', 'one')).findings).toEqual([]);
    expect((await stream.push('b', 'one')).emit).toBe('');
    expect((await stream.end()).verdict).toMatchObject({
      decision: 'block',
      findings: [{ rule: 'not_readable' }],
    });
  });

  it('is blocked by whoever cannot read what comes', async () => {
    const stream = await testDecider({ guards: [shouting()] }).decideStream('response', context);
    stream.stop('an event is too long');
    expect((await stream.push('a')).emit).toBe('');
    const { verdict } = await stream.end();
    expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'not_readable' }] });
    expect(verdict.explanation).toContain('an event is too long');
  });

  it('has an opening and a closing record without its text', async () => {
    const ledger = await openTestLedger();
    const { verdict } = await flow([shouting()], ['a', 'my secret', 'b'], { ledger });
    const entries = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entries).toMatchObject([
      { event_type: 'stream_closed', decision: 'block', details: { pieces: 3, taken: 11, shown: 1 } },
      { event_type: 'stream_opened' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('my secret');
  });
});

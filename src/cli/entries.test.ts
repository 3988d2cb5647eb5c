// Entries of the log as lines, and the times that people type.

import { describe, expect, it } from 'vitest';
import type { Entry } from '../ledger/index.ts';
import { timeIn } from './command.ts';
import { entryLine, localTime } from './entries.ts';

const plain = (_: unknown, text: string) => text;
const time = new Date(2026, 10, 18, 21, 5, 7).getTime();
const decided = (details: Entry['details'], decision = 'approve'): Entry => ({
  ...{ place: 1, seq: 1, chain: 'c', hash: 'h', user: 'ann', tenant: 'local', agent: 'claude', time },
  ...{ event_type: 'decision', decision, decision_id: 'an-id', details },
});

describe('an entry in one line', () => {
  it('says when, what was decided about what, by which rule, whose and how long it took', () => {
    const findings = [
      { rule: 'process_signal', decision: 'approve' },
      { rule: 'noise', decision: 'warn' },
    ];
    expect(entryLine(plain, decided({ kind: 'shell', what: 'kill 12345', ms: 1.2, findings }))).toBe(
      '2026-11-18 21:05:07  Asked      shell: kill 12345  (process_signal, claude, 1.2 ms, an-id)',
    );
  });

  it('shows what could deceive the eye', () => {
    expect(entryLine(plain, decided({ kind: 'shell', what: 'a\u202eb' }, 'pass'))).toContain('a\\u{202e}b');
  });

  const event = (event_type: Entry['event_type'], details: Entry['details'], agent = 'claude'): Entry => {
    const { decision: _, decision_id: __, ...rest } = decided(details);
    return { ...rest, event_type, agent };
  };

  it.each([
    [
      event('approval_answered', { approval: 'a1', answer: 'approve', answered_by: 'ann' }),
      'approval answered  approval a1, answer approve, answered by ann  (claude)',
    ],
    [
      event('receipt', { receipt: { action: 'apply', files: [{ path: 'a.txt' }, { path: 'b.txt' }] } }),
      'receipt    apply a.txt, b.txt  (claude)',
    ],
    [
      event('grant_made', { grant: 'g1', effect: 'command read /w/.env', expires_at: 1 }, ''),
      'grant made  grant g1, effect command read /w/.env',
    ],
    [event('heads_seen', {}, ''), 'heads seen'],
  ])('says what an event is about', (entry, line) => {
    expect(entryLine(plain, entry)).toBe(`2026-11-18 21:05:07  ${line}`);
  });

  it('says that the doctor tried it, and shortens an id', () => {
    const probe = decided({ kind: 'fetch', what: 'GET http://a', session: 'doctor /w' }, 'block');
    const entry = { ...probe, decision_id: '01a1f5d5-2af9-7e62-8169-25c908d34cb2' };
    expect(entryLine(plain, entry)).toMatch(
      /Blocked {4}fetch: GET http:\/\/a {2}\(a probe of the doctor, claude, 01a1f5d5-2af9-7e62\)$/,
    );
  });

  it('of an older version, without an excerpt, says its kind', () => {
    expect(entryLine(plain, decided({ kind: 'shell' }, 'block'))).toBe(
      '2026-11-18 21:05:07  Blocked    shell  (claude, an-id)',
    );
  });
});

describe('a time that a person types', () => {
  it.each([
    ['8h', time - 8 * 3_600_000],
    ['30m', time - 30 * 60_000],
    ['today', new Date(2026, 10, 18).getTime()],
    ['yesterday', new Date(2026, 10, 17).getTime()],
    ['2026-11-15', new Date(2026, 10, 15).getTime()],
    ['2026-11-15T10:00:00Z', Date.UTC(2026, 10, 15, 10)],
    ['soon', Number.NaN],
  ])('%s', (text, expected) => {
    expect(timeIn(text, time)).toBe(expected);
  });

  it('is shown in the zone of this machine', () => {
    expect(localTime(time)).toBe('2026-11-18 21:05:07');
  });
});

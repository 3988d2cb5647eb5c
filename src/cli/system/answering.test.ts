import { describe, expect, it } from 'vitest';
import { answerPayload, canonicalJson, type Payload, purposes } from '../../core/index.ts';
import { digestOf } from '../../ledger/index.ts';
import { askedIn, NotAsShown, requireAsShown } from './answering.ts';

const now = 1_700_000_000_000;
const question = {
  id: 'q1',
  bound: 'digest',
  action: { kind: 'shell', command: 'git push --force' },
  context: { user: 'alice', tenant: 'local', agent: 'claude', session: 's', workspace: '/w', mode: 'auto' },
  findings: [],
};
const text = canonicalJson(question);

describe('the text of a question', () => {
  it('is read where it is of this id, in its only spelling', () => {
    expect(askedIn(text, 'q1')).toMatchObject({ id: 'q1', bound: 'digest', question: { findings: [] } });
  });

  it.each<[string, string | null]>([
    ['none', null],
    ['another id', canonicalJson({ ...question, id: 'q2' })],
    ['another spelling', JSON.stringify(question, null, 1)],
    ['a part missing', canonicalJson({ ...question, action: null })],
    ['no object', '[]'],
  ])('is refused: %s', (_, wrong) => {
    expect(() => askedIn(wrong, 'q1')).toThrow(NotAsShown);
  });
});

describe('what is to be signed', () => {
  const asked = askedIn(text, 'q1');
  const right = {
    ...{ id: 'q1', bound: 'digest', shown: digestOf(text), at: now, until: now + 300_000, permissions: [] },
  };
  const needed = (more: Partial<typeof right> = {}) => ({
    payload: answerPayload({ ...right, ...more }),
    text,
  });
  const permission = {
    ...({ covers: 'effect', says: 'push', session: null, uses: null } as const),
    ...{ id: 'g', effect: 'push', user: 'alice', tenant: 'local', agent: 'claude', workspace: '/w' },
    ...{ createdAt: now, expiresAt: now + 1 },
  };

  it('is signed where it is a yes to what was shown', () => {
    expect(() => requireAsShown(needed(), asked, now)).not.toThrow();
  });

  it.each<[string, { readonly payload: Payload; readonly text: string | null }]>([
    ['another question', needed({ id: 'q2' })],
    ['another action', needed({ bound: 'other' })],
    ['another text', needed({ shown: digestOf('other') })],
    ['a text that was not shown', { ...needed(), text: 'other' }],
    ['no text', { ...needed(), text: null }],
    ['another time', needed({ at: now - 600_000, until: now })],
    ['an answer without end', needed({ until: now + 8 * 86_400_000 })],
    ['an answer that is over', needed({ until: now })],
    ['a permission beside it', { payload: answerPayload({ ...right, permissions: [permission] }), text }],
    ['another purpose', { payload: [purposes.policies, ...answerPayload(right).slice(1)], text }],
    ['one member more', { payload: [...answerPayload(right), 'more'], text }],
  ])('is refused: %s', (_, wrong) => {
    expect(() => requireAsShown(wrong, asked, now)).toThrow(NotAsShown);
  });
});

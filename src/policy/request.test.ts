// The recorded form of a question yields the same request to policies again.

import { describe, expect, it } from 'vitest';
import type { Action, Facts, Finding } from '../core/index.ts';
import { askedOf, recordedIn, recordedOf, requestsOf } from './request.ts';
import type { Question } from './types.ts';

const context = { user: 'ann', tenant: 'acme', agent: 'coder', workspace: '/w', mode: 'default' } as const;
const part = (action: Action, facts: Facts = {}, pointer = '', sideEffect = false) => ({
  ...{ pointer, action, facts, sideEffect },
});
const finding: Finding = {
  ...{ rule: 'some_rule', guard: 'command', decision: 'approve', message: 'why', contract: 'AG-TOOL-3' },
};
const bash: Action = { kind: 'tool', tool: 'Bash', server: 'host', arguments: { command: 'git push' } };
const git: Action = { kind: 'shell', command: 'git push' };

const questions: readonly (readonly [string, Question])[] = [
  [
    'a command',
    { parts: [part(git, { programs: ['git'], effects: { push: 1 } }, '', true)], findings: [finding] },
  ],
  [
    'a tool with a command inside',
    {
      parts: [
        part(bash, { effect: 'push' }),
        part(git, { programs: ['git'], risk: 'high' }, '/arguments/command'),
      ],
      findings: [],
    },
  ],
  [
    'files',
    {
      parts: [
        part({ kind: 'write', changes: [{ op: 'rename', path: 'a', to: '/x/b' }] }, { files: 1 }, '', true),
        part({ kind: 'read', path: './c' }, {}, '/b'),
      ],
      findings: [],
    },
  ],
  [
    'a request',
    {
      parts: [
        part({ kind: 'fetch', url: 'https://a.example.com/' }, { host: 'a.example.com', method: 'GET' }),
      ],
      findings: [],
    },
  ],
  [
    'a query',
    {
      parts: [
        part(
          { kind: 'query', target: 'shop', language: 'sql', text: 'SELECT 1' },
          { action: 'read', language: 'sql', verbs: ['SELECT'], relations: ['a'], cost: 2.5, rows: 10 },
          '/arguments/query',
        ),
      ],
      findings: [],
    },
  ],
];

describe('the record of a question', () => {
  it.each(questions)('asks the same: %s', (_, question) => {
    const asked = recordedOf(question, '/w');
    const facts = question.parts.find(({ pointer }) => pointer === '')?.facts ?? {};
    const details = JSON.parse(JSON.stringify({ asked, facts }));
    const read = recordedIn(details);
    expect(read).not.toBeNull();
    if (read === null) return;
    expect(requestsOf(read, context)).toEqual(requestsOf(askedOf(question, '/w'), context));
  });

  it('holds no text of the action', () => {
    const text = JSON.stringify(questions.map(([, question]) => recordedOf(question, '/w')));
    for (const secret of ['git push', 'SELECT 1', 'https://']) expect(text).not.toContain(secret);
  });

  it('is not made where it would not be whole', () => {
    const many = Array.from({ length: 33 }, (_, at) => part(git, {}, `/${at}`));
    expect(recordedOf({ parts: many, findings: [] }, '/w')).toBeNull();
    const changes = Array.from({ length: 65 }, (_, at) => ({ op: 'delete', path: `f${at}` }) as const);
    expect(recordedOf({ parts: [part({ kind: 'write', changes })], findings: [] }, '/w')).toBeNull();
  });

  it.each([
    [{}],
    [{ asked: [] }],
    [{ asked: { decision: 'pass' } }],
    [{ asked: { parts: [] } }],
    [{ asked: { decision: 'pass', parts: ['x'] } }],
    [{ asked: { decision: 'pass', parts: [{ kind: 'none' }] } }],
    [{ asked: { decision: 'pass', parts: [{ kind: 'shell', pointer: 1 }] } }],
  ])('is not read where it is none: %j', (details) => {
    expect(recordedIn(details)).toBeNull();
  });
});

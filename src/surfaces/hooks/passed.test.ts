import { describe, expect, it } from 'vitest';
import { PassedCalls } from './passed.ts';

const session = { user: 'ann', tenant: 'acme', agent: 'copilot', session: 's-1' };
const write = (content: string, isReversible: boolean) => ({
  tool: 'create',
  arguments: { path: '/work/a', file_text: content },
  isReversible,
  decisionId: content,
});
const prompt = { tools: ['create', 'edit'], arguments: { path: '/work/a' } };

describe('calls that passed', () => {
  it('are found by the arguments that a prompt names', () => {
    const passed = new PassedCalls();
    passed.add(session, write('one', true));
    expect(passed.reversible(session, prompt)?.decisionId).toBe('one');
    expect(passed.reversible(session, { ...prompt, tools: ['bash'] })).toBeUndefined();
    expect(passed.reversible(session, { ...prompt, arguments: { path: '/work/b' } })).toBeUndefined();
    expect(passed.reversible({ ...session, session: 's-2' }, prompt)).toBeUndefined();
    expect(passed.reversible(session, { ...prompt, server: 'files' })).toBeUndefined();
  });

  it('are not answered for where a prompt may mean one that cannot be undone', () => {
    const passed = new PassedCalls();
    passed.add(session, write('one', false));
    passed.add(session, write('two', true));
    expect(passed.reversible(session, prompt)).toBeUndefined();
    passed.end(session, write('one', false));
    expect(passed.reversible(session, prompt)?.decisionId).toBe('two');
  });

  it('are not found by a prompt that names nothing', () => {
    const passed = new PassedCalls();
    passed.add(session, write('one', true));
    expect(passed.reversible(session, { ...prompt, arguments: {} })).toBeUndefined();
  });

  it('are compared without the line break at the end of a text', () => {
    const passed = new PassedCalls();
    passed.add(session, { ...write('x', true), tool: 'apply_patch', arguments: { command: 'patch\n' } });
    const about = (command: string) =>
      passed.reversible(session, { tools: ['apply_patch'], arguments: { command } });
    expect(about('patch')).toBeDefined();
    expect(about('patch 2')).toBeUndefined();
  });

  it('are forgotten, the oldest first', () => {
    const passed = new PassedCalls();
    passed.add(session, write('one', true));
    for (let count = 0; count < 512; count++) {
      passed.add(session, { ...write('x', true), arguments: { path: `/work/${count}` } });
    }
    expect(passed.reversible(session, prompt)).toBeUndefined();
  });
});

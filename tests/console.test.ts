// The parts of the console that are plain data: where cards stand, what counts as seen, and the texts that pages begin with.

import { describe, expect, it } from 'vitest';
import { roundTop, timeTicks } from '../console/src/axis.ts';
import {
  type Card,
  isOnScreen,
  keepInPlace,
  nextWaiting,
  Stillness,
  stillMs,
  withoutEnded,
} from '../console/src/cards.ts';
import { type Triable, triable, triedAction } from '../console/src/examples.ts';
import { policyExamples } from '../console/src/policy-examples.ts';
import { diffRows, reasonOf, replacedBy, sentenceOf } from '../console/src/sentence.ts';
import { msOf, spanOf } from '../console/src/words.ts';
import { configOf, settingsFrom } from '../src/config/index.ts';
import { type Action, readAction } from '../src/core/index.ts';
import { createDryDecider, realWorld } from '../src/decide/index.ts';
import { compileSource } from '../src/policy/compile.ts';
import { context, stillWorld } from './support/decide.ts';

/** Cards by a word: a capital has ended. */
const cardsOf = (letters: string): Card<{ id: string }>[] =>
  [...letters].map((letter) => ({
    item: { id: letter.toLowerCase() },
    endedAt: letter === letter.toLowerCase() ? null : 1,
  }));
const lettersOf = (cards: readonly Card<{ id: string }>[]) =>
  cards.map(({ item, endedAt }) => (endedAt === null ? item.id : item.id.toUpperCase())).join('');
const items = (letters: string) => [...letters].map((id) => ({ id }));

describe('cards', () => {
  it.each([
    ['', 'ab', 'ab', 'come in the order that they were asked'],
    ['abc', 'abc', 'abc', 'stay'],
    ['abc', 'bc', 'Abc', 'that have ended stay in their places'],
    ['abc', 'ac', 'aBc', 'that have ended stay in their places'],
    ['abc', '', 'ABC', 'that have all ended stay in their places'],
    ['ab', 'zab', 'abz', 'that are new come last, wherever the daemon lists them'],
    ['abc', 'cba', 'abc', 'keep their order'],
    ['aBc', 'acd', 'aBcd', 'that have ended stay ended'],
    ['aBc', 'abc', 'abc', 'that wait again wait again'],
  ])('%s, of which %j wait: %s, %s', (before, waiting, after) => {
    expect(lettersOf(keepInPlace(cardsOf(before), items(waiting), 5))).toBe(after);
  });

  it('that have ended go when their time has come', () => {
    const cards = keepInPlace(keepInPlace(cardsOf('abc'), items('bc'), 5), items('c'), 9);
    expect(cards.map(({ endedAt }) => endedAt)).toEqual([5, 9, null]);
    expect(lettersOf(withoutEnded(cards, 4))).toBe('ABc');
    expect(lettersOf(withoutEnded(cards, 5))).toBe('Bc');
    expect(lettersOf(withoutEnded(cards, 9))).toBe('c');
  });

  it.each([
    ['abc', undefined, 1, 'a'],
    ['abc', undefined, -1, 'c'],
    ['abc', 'a', 1, 'b'],
    ['abc', 'c', 1, 'c'],
    ['abc', 'a', -1, 'a'],
    ['aBc', 'a', 1, 'c'],
    ['aBc', 'b', 1, 'c'],
    ['aBc', 'b', -1, 'a'],
    ['Abc', undefined, 1, 'b'],
    ['aB', 'b', 1, undefined],
    ['AB', 'a', 1, undefined],
    ['', undefined, 1, undefined],
    ['abc', 'z', 1, 'a'],
  ] as const)('of %s, from %s by %i: %s', (letters, from, step, expected) => {
    expect(nextWaiting(cardsOf(letters), from, step)).toBe(expected);
  });

  it.each([
    [0, 100, true, 'all of it'],
    [700, 800, true, 'all of it, at the end'],
    [-10, 90, false, 'the end of it'],
    [750, 850, false, 'the beginning of it'],
    [-200, -100, false, 'nothing of it, above'],
    [900, 1000, false, 'nothing of it, below'],
    [-500, 2000, true, 'the whole screen is full of it'],
    [400, 2000, true, 'half of the screen is full of it'],
    [500, 2000, false, 'less than half of the screen is full of it'],
    [-0.4, 99.6, true, 'all but a fraction of a pixel'],
  ])('from %i to %i of a screen of 800: %s, %s', (top, bottom, expected) => {
    expect(isOnScreen({ top, bottom }, 800)).toBe(expected);
  });
});

const { readers } = realWorld();

describe('what a page begins with', () => {
  it.each(policyExamples)('is a policy that can be saved: $purpose', async ({ text }) => {
    const { policies, problems } = await compileSource({ name: 'new', text, workspace: false });
    expect(problems).toEqual([]);
    expect(policies).toHaveLength(1);
    expect(policies[0]?.id).toMatch(/^\w+$/);
  });

  const expected: Readonly<Record<Triable, string>> = {
    shell: 'block',
    python: 'block',
    prompt: 'block',
    response: 'pass',
    code: 'block',
    query: 'block',
    fetch: 'block',
  };
  it.each(Object.keys(triable) as Triable[])('is a %s that is judged', async (kind) => {
    const config = configOf(() => settingsFrom({}));
    const decider = createDryDecider({
      config,
      world: { ...stillWorld(), ...(readers === undefined ? {} : { readers }) },
    });
    const sent = triedAction(kind, triable[kind].example, { target: 'shop', language: 'graphql' });
    const action: Action = readAction(sent).action;
    const { decision, findings } = (await decider.decide(action, context)).verdict;
    expect(decision).toBe(expected[kind]);
    expect(findings.map(({ rule }) => rule)).not.toContain('guard_error');
  });
});

describe('a card', () => {
  it('takes an answer only after it stood still and unchanged', () => {
    const stillness = new Stillness();
    const at = (now: number, look: string) => {
      stillness.note('a', look, now);
      return stillness.isStill('a', now);
    };
    expect(stillness.isStill('a', 0)).toBe(false);
    expect(at(0, 'here')).toBe(false);
    expect(at(stillMs - 1, 'here')).toBe(false);
    expect(at(stillMs, 'here')).toBe(true);
    expect(at(stillMs + 1, 'there')).toBe(false);
    expect(at(stillMs * 2, 'there')).toBe(false);
    expect(at(stillMs * 2 + 1, 'there')).toBe(true);
    stillness.keepOnly(new Set());
    expect(stillness.isStill('a', stillMs * 9)).toBe(false);
  });
});

const plain = (pieces: ReturnType<typeof sentenceOf>) =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : `\`${piece.code}\``)).join('');
const finding = (message: string, more: object = {}) =>
  ({ rule: 'r', guard: 'command', decision: 'approve', message, ...more }) as const;

describe('what will happen, in a sentence', () => {
  const push = 'npm test && git push --force origin main';
  const pushed = "Pattern 'git push --force origin main' matches dangerous pattern 'r': it replaces commits";
  it.each([
    [
      { kind: 'shell', command: push },
      [finding(pushed, { pointer: '/command', span: [12, push.length] })],
      'Run `git push --force origin main`: replaces commits',
    ],
    [
      { kind: 'tool', tool: 'Bash', arguments: { description: 'x', command: push } },
      [finding(pushed, { pointer: '/arguments/command', span: [12, push.length] })],
      'Run `git push --force origin main`: replaces commits',
    ],
    [
      { kind: 'fetch', url: 'https://a.example/x', method: 'POST' },
      [finding('a.example is not on the egress allowlist.')],
      'Send a POST request to `a.example`, which is not on the egress allowlist',
    ],
    [
      { kind: 'write', path: '.github/ci.yml', content: '' },
      [finding("The file '.github/ci.yml' runs in a pipeline.")],
      'Write `.github/ci.yml`, which runs in a pipeline',
    ],
    [
      { kind: 'tool', tool: 'Edit', arguments: { file_path: 'a.ts', old_string: 'a', new_string: 'b' } },
      [],
      'Edit `a.ts`',
    ],
    [
      {
        ...{ kind: 'tool', tool: 'Edit', server: 'host:claude' },
        arguments: { file_path: '/w/package.json', old_string: 'a', new_string: 'b' },
      },
      [finding("The file 'package.json' decides what is installed, built or run.")],
      'Edit `package.json`, which decides what is installed, built or run',
    ],
    [
      {
        ...{ kind: 'tool', tool: 'Write', server: 'host:claude' },
        arguments: { file_path: '/w/t/a.json', content: 'x' },
      },
      [finding("The content for 't/a.json' holds a new secret.")],
      'Write `t/a.json`, which holds a new secret',
    ],
    [
      {
        kind: 'write',
        changes: ['a', 'b', 'c', 'd'].map((path) => ({ op: 'edit', path })),
      },
      [finding("The file 'c' runs in a pipeline.", { pointer: '/changes/2/path' })],
      'Change 4 files, among them `c`, which runs in a pipeline',
    ],
    [{ kind: 'tool', tool: 'send', server: 'mail', arguments: {} }, [], 'Call the tool `send` of `mail`'],
    [
      { kind: 'tool', tool: 'look', server: 'web', arguments: {} },
      [finding('The definition of "look" of the server "web" is new or changed: Looks something up.')],
      'Call the tool `look` of `web`, whose definition is new or changed: Looks something up',
    ],
    [
      { kind: 'tool', tool: 'send_email', server: 'mail', arguments: { to: ['a@b.example', 'c@d.example'] } },
      [
        finding(
          'The tool "send_email" of the MCP server "mail" in claude is not known yet; it has the arguments to.',
        ),
      ],
      'Call the tool `send_email` of `mail`, to `a@b.example, c@d.example`: send_email is not known yet',
    ],
    [
      { kind: 'query', target: 'shop', language: 'sql', text: 'update orders set a = 1' },
      [finding('It changes rows.')],
      'Run a SQL UPDATE on `shop`: It changes rows',
    ],
    [{ kind: 'query', target: 'shop', language: 'graphql', text: '{ me }' }, [], 'Query `shop`'],
    [{ kind: 'python', source: 'x' }, [], 'Run a Python program'],
    [{ kind: 'prompt', text: 'x' }, [], 'Do this (prompt)'],
    [{ kind: 'shell', command: 'cat .env' }, [finding('It reads /w/.env.')], 'Run `cat .env`: It reads .env'],
  ] as const)('of %j', (action, findings, expected) => {
    expect(plain(sentenceOf(action, findings as never, '/w'))).toBe(expected);
  });

  it('leaves out what the card shows already', () => {
    expect(reasonOf(finding("Pattern 'x' matches dangerous pattern 'r': it deletes /."))).toBe('deletes /');
    expect(reasonOf(finding('Nobody may.'))).toBe('Nobody may');
    expect(reasonOf(finding('"Bash" may undo nothing. The model\'s stated reason: a. b'))).toBe(
      '"Bash" may undo nothing',
    );
  });
});

describe('what a write changes', () => {
  const shown = (before: string, after: string) =>
    diffRows(before, after).map(({ kind, from, to }) =>
      kind === 'remove'
        ? `-${before.slice(from, to)}`
        : `${kind === 'add' ? '+' : ' '}${after.slice(from, to)}`,
    );

  it.each([
    ['', 'a\nb\n', ['+a', '+b']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a', 'a', [' a']],
    ['a\na', 'a', [' a', '-a']],
    ['a\n\nb', 'a\n\n\nb', [' a', ' ', '+', ' b']],
  ])('from %j to %j has every line of both', (before, after, expected) => {
    expect(shown(before, after)).toEqual(expected);
  });

  it('is read beside what it replaces', () => {
    const texts = new Map([
      ['/arguments/old_string', 'a'],
      ['/arguments/new_string', 'b'],
    ]);
    expect(replacedBy('/arguments/new_string', texts)).toEqual({
      pointer: '/arguments/old_string',
      text: 'a',
    });
    expect(replacedBy('/content', texts)).toBe(null);
    expect(replacedBy('/arguments/command', texts)).toBe(undefined);
    expect(replacedBy('/edits/0/new_string', texts)).toBe(undefined);
  });
});

describe('numbers', () => {
  it.each([
    [0, '0 s'],
    [119, '119 s'],
    [120, '2 min'],
    [86_399, '23 h'],
    [172_800, '2 days'],
  ])('%i seconds are %s', (seconds, expected) => {
    expect(spanOf(seconds)).toBe(expected);
  });

  it.each([
    [null, '–'],
    [0.42, '0.4 ms'],
    [129.4, '129 ms'],
    [1500, '1.5 s'],
  ])('%s milliseconds are %s', (ms, expected) => {
    expect(msOf(ms)).toBe(expected);
  });

  it.each([
    [1, 2],
    [7, 8],
    [9, 10],
    [11, 20],
    [101, 200],
    [999, 1000],
  ])('an axis for %i ends at %i', (most, expected) => {
    expect(roundTop(most)).toBe(expected);
  });
});

describe('the times below a chart', () => {
  const at = (hour: number, minute = 0, day = 3) => new Date(2026, 1, day, hour, minute).getTime();
  it.each([
    ['an hour', at(10, 7), at(11, 7), [at(10, 10), at(10, 20), at(10, 30), at(10, 40), at(10, 50), at(11)]],
    ['a day', at(22, 24), at(22, 24, 4), [0, 4, 8, 12, 16, 20].map((hour) => at(hour, 0, 4))],
    ['a week', at(9), at(9, 0, 10), [4, 5, 6, 7, 8, 9, 10].map((day) => at(0, 0, day))],
    ['nothing', Number.NaN, Number.NaN, []],
  ])('of %s are round', (_, from, until, expected) => {
    expect(timeTicks(from, until)).toEqual(expected);
  });
});

// Tests of the thread for long code: it answers, is terminated, fails, and is shared; without an answer, the guard
// asks.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandJudge, shellAction } from '../../tests/support/command-judge.ts';
import { settingsFrom } from '../config/index.ts';
import { type ActionOf, Budget, type Code, type World } from '../core/index.ts';
import { commandGuard, shortShell } from '../guards/command/index.ts';
import { WorkerPool } from './worker-pool.ts';

const code: Code = { kind: 'shell', source: 'ls', cwd: '/w', home: null };
const thread = (source: string) =>
  new URL(
    `data:text/javascript,import { parentPort } from 'node:worker_threads'; ${encodeURIComponent(source)}`,
  );
const echo = "parentPort.on('message', ({ source }) => parentPort.postMessage(source))";
/** Hangs, throws or exits as the source says. */
const faulty = `parentPort.on('message', ({ source }) => {
  if (source === 'hang') for (;;);
  if (source === 'throw') throw new Error('no');
  if (source === 'exit') process.exit(0);
  if (source === 'uncloneable') return parentPort.postMessage(() => 1);
  parentPort.postMessage(source);
})`;
const following = (source: string, options: { deadline?: number; most?: number } = {}) => {
  const apart = new WorkerPool({ thread: thread(source), deadline: 5000, most: 64, ...options });
  return async (text: string) => {
    const asked = await apart.ask({ ...code, source: text });
    return 'answer' in asked ? asked.answer : null;
  };
};

describe('the thread', () => {
  it('answers, one after the other', async () => {
    const follow = following(echo);
    const texts = Array.from({ length: 50 }, (_, at) => `echo ${at}`);
    expect(await Promise.all(texts.map(follow))).toEqual(texts);
  });

  it('is killed on its deadline, and the next question gets a new one', async () => {
    const follow = following(faulty, { deadline: 1500 });
    expect(await follow('hang')).toBeNull();
    expect(await follow('a')).toBe('a');
  });

  it.each(['throw', 'exit', 'uncloneable'])('gives null where it fails: %s', async (fault) => {
    const follow = following(faulty);
    expect(await follow(fault)).toBeNull();
    expect(await follow('a')).toBe('a');
  });

  it('gives null where it cannot start', async () => {
    expect(await following('import "no-such-package";')('a')).toBeNull();
    const apart = new WorkerPool({ thread: new URL('https://example.com/'), deadline: 5000, most: 1 });
    expect(await apart.ask(code)).toEqual({ failed: 'ended' });
  });

  it('keeps those that wait to their own deadlines, and takes no more than it may', async () => {
    const follow = following(faulty, { deadline: 1500, most: 2 });
    const answers = await Promise.all(['hang', 'a', 'b', 'c'].map(follow));
    expect(answers[0]).toBeNull();
    expect(answers[3]).toBeNull();
    expect(await follow('d')).toBe('d');
  });
});

/** Calls the function that the request names and returns its result. */
const asker = `parentPort.on('message', ({ source, port }) => {
  if (source === 'plain') return parentPort.postMessage('plain');
  port.on('message', (returned) => parentPort.postMessage(returned));
  port.postMessage({ number: 7, name: source, argument: 'x' });
})`;

describe('a thread that needs something of its asker', () => {
  const apart = (options: { deadline?: number; size?: number; most?: number } = {}) =>
    new WorkerPool<Code>({ thread: thread(asker), deadline: 5000, most: 64, ...options });
  const asking = (source: string) => ({ ...code, source });

  it('is given it, or the error', async () => {
    const threads = apart();
    const serve = (name: string, argument: unknown) => {
      if (name === 'fail') throw new RangeError('no');
      return Promise.resolve(`${name} of ${argument}`);
    };
    expect(await threads.ask(asking('look'), serve)).toEqual({
      answer: { number: 7, value: 'look of x' },
    });
    expect(await threads.ask(asking('fail'), serve)).toEqual({
      answer: { number: 7, error: { name: 'RangeError', message: 'no' } },
    });
  });

  it('holds no other question up meanwhile, and its deadline waits', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const threads = apart();
    const served = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const held = threads.ask(asking('wait'), () => {
      begun.resolve();
      return served.promise;
    });
    await begun.promise;
    expect(await threads.ask(asking('plain'))).toEqual({ answer: 'plain' });
    // Longer than its time limit.
    vi.advanceTimersByTime(60_000);
    served.resolve('done');
    expect(await held).toEqual({ answer: { number: 7, value: 'done' } });
  });

  it('is asked by as many as may work at once, and no more', async () => {
    const threads = apart({ size: 2 });
    const begun: string[] = [];
    const gates = ['a', 'b'].map(() => Promise.withResolvers<string>());
    const asked = gates.map((gate, at) =>
      threads.ask(asking(`wait ${at}`), (name) => {
        begun.push(name);
        return gate.promise;
      }),
    );
    await vi.waitFor(() => expect(begun).toHaveLength(2), 20_000);
    for (const gate of gates) gate.resolve('done');
    expect(await Promise.all(asked)).toEqual(gates.map(() => ({ answer: { number: 7, value: 'done' } })));
  });
});

const long = (text: string) => `${text}\n${'# a comment\n'.repeat(2000)}`;

describe('the guard', () => {
  const judge = commandJudge();

  it('follows long code on the thread', async () => {
    const { stop, findings } = await judge(shellAction(long('rm -rf /')));
    expect(stop).toBe('block');
    expect(findings).toMatchObject([{ rule: 'mass_deletion' }]);
    expect((await judge(shellAction(long('ls -la')))).stop).toBe('pass');
  });

  it.each([
    `${'xargs '.repeat(10_900)}rm -rf /`,
    `${'$('.repeat(32_000)}rm -rf /`,
    `${'a=$a$a;'.repeat(9000)}$a`,
    `${'sudo -E env A=1 '.repeat(4000)}rm -rf /`,
    `python3 -c '${'x = [1, 2]; '.repeat(5000)}'`,
  ])('never lets a hostile one pass: %.20s', async (command) => {
    expect(command.length).toBeGreaterThan(shortShell);
    expect((await judge(shellAction(command))).stop).not.toBe('pass');
  });

  it('follows long Python there, many at once', async () => {
    const text = `x = '${'a'.repeat(20_000)}'`;
    const sources = [`${text}; import shutil; shutil.rmtree('/')`, text];
    const verdicts = await Promise.all(sources.map((source) => judge({ kind: 'python', source })));
    expect(verdicts.map(({ stop }) => stop)).toEqual(['block', 'pass']);
  });

  it.each([
    ['no thread', undefined],
    ['a thread that gave up', async () => null],
    ['an answer that is none', async () => ({ effects: [] })],
  ])('asks with %s', async (_, apart) => {
    const judgement = await checkedWith(apart, long('ls'));
    expect(judgement.findings.map(({ decision }) => decision)).toEqual(['approve']);
    expect(judgement.facts).toEqual({ overrun: true });
    expect(judgement.sideEffect).toBe(true);
  });

  it('needs no thread for short code, nor to refuse what is beyond all bounds', async () => {
    const apart = () => Promise.reject(new Error('not to be asked'));
    expect((await checkedWith(apart, 'ls'.padEnd(shortShell))).findings).toEqual([]);
    expect((await checkedWith(apart, 'ls'.padEnd(65_537))).findings).toMatchObject([{ decision: 'approve' }]);
  });
});

function checkedWith(apart: World['followIsolated'], command: string) {
  const action: ActionOf<'shell'> = { kind: 'shell', command };
  return commandGuard.check(action, {
    context: {
      user: 'u',
      tenant: 't',
      agent: 'a',
      session: 's',
      workspace: '/w',
      mode: 'auto',
    },
    settings: settingsFrom({}),
    world: {
      now: () => 0,
      resolve: async () => [],
      realPath: (path) => path,
      readText: () => null,
      look: () => null,
      ...(apart === undefined ? {} : { followIsolated: apart }),
    },
    budget: new Budget(1_000_000),
    granted: () => false,
  });
}

// Tests of the language and its built-ins: one program for each feature gives here what it gives in Node.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differing, features } from '../../../tests/support/language.ts';
import { inNode, inSandbox } from '../../../tests/support/language-run.ts';
import { loadCode } from '../../decide/parsers.ts';
import { allowedGlobals } from '../../guards/code/names.ts';
import { answerBuiltin } from './builtins/host.ts';
import { Sandbox } from './sandbox.ts';

let sandbox: Sandbox;
const read = loadCode();
// A signal's timer does not keep Node waiting.
const timer = setInterval(() => undefined, 1000);

beforeAll(async () => {
  sandbox = new Sandbox({});
  await sandbox.warm();
});

afterAll(async () => {
  clearInterval(timer);
  await sandbox.close();
});

describe('features', () => {
  it('are many, and few differ', () => {
    expect(features.length).toBeGreaterThanOrEqual(150);
    expect(new Set(features.map(([feature]) => feature)).size).toBe(features.length);
    expect(differing.size).toBeLessThanOrEqual(5);
  });

  it.each(features)('%s', async (feature, source) => {
    const [there, here] = [await inNode(source), await inSandbox(source, sandbox, read)];
    if (differing.has(feature)) expect(here).not.toBe(there);
    else expect(here).toBe(there);
  });

  it('name every global that code may use', () => {
    const all = features.map(([, source]) => source).join('\n');
    expect([...allowedGlobals].filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
  });
});

describe('a built-in that asks the host', () => {
  it.each([
    ['nothing', '[]'],
    ['url', 'no JSON'],
    ['url', '{}'],
    ['intl', '["Object", null, {}, "constructor", []]'],
    ['intl', '["NumberFormat", null, {}, "constructor", []]'],
    ['random', '[-1]'],
  ])('gets an error as text: %s %s', (name, json) => {
    const answer: unknown = JSON.parse(answerBuiltin(name, json));
    expect(answer).toMatchObject([null, expect.any(String), expect.any(String)]);
  });

  it('has one language and one time zone', () => {
    const time = Date.UTC(2024, 0, 1, 12);
    expect(JSON.parse(answerBuiltin('date', JSON.stringify(['toLocaleString', time, null, {}])))).toEqual([
      '1/1/2024, 12:00:00 PM',
    ]);
  });
});

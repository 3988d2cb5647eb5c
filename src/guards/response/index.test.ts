// Every secret that is known, cut anywhere, shows nothing of itself; clean text comes out as it went in; faults block.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRules } from '../../../scripts/rules.ts';
import { context, guardOf, noRecords, stillWorld, testDecider } from '../../../tests/support/decide.ts';
import { oneOf } from '../../../tests/support/share.ts';
import { configOf, settingsFrom } from '../../config/index.ts';
import type { JsonObject, Verdict } from '../../core/index.ts';
import { generators } from '../../detect/checks/generators.ts';
import { fillExample } from '../../detect/examples.ts';
import { builtin } from '../../detect/index.ts';
import { openReader } from './facts.ts';
import { guidelinesOf } from './guidelines/index.ts';

/** Looks like a secret and is none. */
const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow

const settings = settingsFrom({});
const openOne = () => openReader(builtin('secrets'), guidelinesOf(settings.guidelines).readings);

function read(pieces: readonly string[]): { readonly shown: string; readonly first: number | null } {
  const reader = openOne();
  const shown = pieces.map((piece) => reader.push(piece)).join('') + reader.end();
  return { shown, first: reader.finds[0]?.start ?? null };
}

async function stream(
  pieces: readonly string[],
  decider = testDecider({}),
): Promise<{ shown: string; verdict: Verdict }> {
  const opened = await decider.decideStream('response', context);
  let shown = '';
  for (const piece of pieces) shown += (await opened.push(piece)).emit;
  const { emit, verdict } = await opened.end();
  return { shown: shown + emit, verdict };
}

const own = (sections: JsonObject) => testDecider({ config: configOf(() => settingsFrom({}, sections)) });

describe('a long piece of a stream', () => {
  const filler = 'Nothing of note was said in the meeting about the shop in town. '.repeat(400);
  const call = '<tool_call>{"name":"no_such_tool","arguments":{}}</tool_call>';

  it.each([
    ['nothing', filler, []],
    ['a secret', `${filler}${token} ${filler}`, ['secret_in_response']],
    ['two secrets', `${token} ${filler}${token} ${filler}`, ['secret_in_response', 'secret_in_response']],
    ['a secret where it is cut', `${filler.slice(0, 8180)} ${token} ${filler}`, ['secret_in_response']],
    ['a call where it is cut', `${filler.slice(0, 8172)}\n${call}\n${filler}`, ['unknown_call_in_text']],
    // A secret stops the stream before its calls are judged.
    ['a call and a secret', `${filler}${call}\n${filler}${token} ${filler}`, ['secret_in_response']],
  ])('is read in turns, and judged as one: %s', async (_, text, rules) => {
    let turns = 0;
    const turn = async () => void turns++;
    const { shown, verdict } = await stream([text], testDecider({ world: { ...stillWorld(), turn } }));
    expect(turns).toBe(Math.ceil(text.length / 8192) - 1);
    expect(verdict.findings.map(({ rule }) => rule)).toEqual(rules);
    expect(shown === (rules.includes('secret_in_response') ? '' : text)).toBe(true);
  });
});

describe('a secret of every family', { timeout: 120_000 }, () => {
  const open = () => openReader(builtin('secrets'), []);
  const read = (pieces: readonly string[]) => {
    const reader = open();
    const shown = pieces.map((piece) => reader.push(piece)).join('') + reader.end();
    return { shown, first: reader.finds[0]?.start ?? null };
  };
  /** A text with a secret of the family; what is made by chance may look like none, so there are some tries. */
  const textOf = (id: string, example: string): string | undefined =>
    ['a', 'b', 'c', 'd']
      .map((seed) => `It is:\n${fillExample(example, `${id} ${seed}`, generators).text}\nSo.`)
      .find((text) => read([text]).first !== null);

  it('shows nothing of itself, wherever it is cut in two, and letter by letter', () => {
    let cuts = 0;
    const leaks: string[] = [];
    const rules = readRules('secrets').filter(({ path }) => path === undefined);
    const step = oneOf(8);
    for (const [index, { id, examples }] of rules.entries()) {
      const text = textOf(id, examples.hit[0] ?? '');
      if (text === undefined) {
        leaks.push(`${id} was not found`);
        continue;
      }
      const whole = read([text]);
      const ways = [Array.from({ length: text.length }, (_, at) => text.charAt(at))];
      for (let at = 1 + (index % step); at < text.length; at += step)
        ways.push([text.slice(0, at), text.slice(at)]);
      for (const way of ways) {
        const { shown, first } = read(way);
        cuts += way.length - 1;
        if (first !== whole.first || shown.length > (first ?? 0) || !text.startsWith(shown)) leaks.push(id);
      }
    }
    process.stdout.write(`cuts: ${cuts}, of ${rules.length} families\n`);
    expect([...new Set(leaks)]).toEqual([]);
    expect(rules.length).toBeGreaterThan(300);
  });
});

describe('clean text', () => {
  const pages = ['README.md', 'docs/detect.md', 'docs/policy.md', 'docs/exec.md'];

  it('comes out as it went in, whatever its pieces are', async () => {
    for (const page of pages) {
      const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8').slice(0, 12_000);
      for (const size of [1, 7, 64, 4096]) {
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        );
        const { shown, first } = read(pieces);
        if (first === null) expect(shown).toBe(text);
        else expect(text.startsWith(shown)).toBe(true);
      }
    }
  });

  it('of any kind comes out as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 20, unit: 'grapheme' }), { maxLength: 10 }),
        async (pieces) => {
          const { shown, verdict } = await stream(pieces);
          expect(shown).toBe(verdict.decision === 'pass' ? pieces.join('') : shown);
          if (verdict.decision !== 'pass') expect(pieces.join('').startsWith(shown)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a response', () => {
  it('is judged alike whole and as it flows', async () => {
    const decider = testDecider({});
    for (const text of [
      `Use ${token}.`,
      'Sure, here is how to build a pipe bomb.',
      '<tool_call>{"name":"Bash","arguments":{"command":"rm -rf /"}}</tool_call>',
      'All is well.',
    ]) {
      const { verdict } = await decider.decide({ kind: 'response', text }, context);
      const flowed = await stream([...text], decider);
      expect(flowed.verdict.decision).toBe(verdict.decision);
      expect(flowed.verdict.findings.map(({ rule }) => rule)).toEqual(
        expect.arrayContaining(verdict.findings.slice(0, 1).map(({ rule }) => rule)),
      );
    }
  });

  it('tells of all its secrets, and none of their letters', async () => {
    const text = `One: ${token}, two: ${token.replace('x7', 'y8')}.`;
    const { verdict, facts } = await testDecider({}).decide({ kind: 'response', text }, context);
    expect(verdict.findings.map(({ span }) => text.slice(...(span ?? [0, 0])))).toEqual([
      token,
      token.replace('x7', 'y8'),
    ]);
    expect(JSON.stringify([verdict.findings, verdict.explanation, facts])).not.toContain(token.slice(4, 14));
    expect(facts['secrets']).toBe(2);
  });

  it('gives the refusal of the guideline that it goes against', async () => {
    const decider = own({
      guidelines: {
        refusal: 'No.',
        categories: {
          colour: {
            reason: 'It praises red.',
            refusal: 'Not red.',
            phrases: ['red ... best'],
            examples: { hit: ['Red is best.'], miss: ['Red.'] },
          },
          number: {
            reason: 'It says a number.',
            patterns: ['(?i)in 1[0-9]{3}'],
            examples: { hit: ['In 1984.'], miss: ['In May.'] },
          },
        },
      },
    });
    const told = async (text: string) => {
      const { verdict, facts } = await decider.decide({ kind: 'response', text }, context);
      return [verdict.findings.map(({ rule, contract }) => [rule, contract]), facts['refusal']];
    };
    expect(await told('I think that red is the best.')).toEqual([
      [['guideline_colour', 'AG-OUT-2']],
      'Not red.',
    ]);
    expect(await told('It was in 1984.')).toEqual([[['guideline_number', 'AG-OUT-2']], 'No.']);
    expect(await told('Blue it is.')).toEqual([[], undefined]);
  });

  it.each([
    [
      'an example that does not hit',
      { phrases: ['red'], examples: { hit: ['Blue.'], miss: ['Green.'] } },
      'does not hit its example',
    ],
    [
      'an example that must not hit',
      { phrases: ['red'], examples: { hit: ['Red.'], miss: ['A red one.'] } },
      'must miss',
    ],
    [
      'a phrase that cannot be read',
      { phrases: ['red ...'], examples: { hit: ['Red.'], miss: ['Blue.'] } },
      'between two words',
    ],
    [
      'a pattern that cannot be read',
      { patterns: ['(red'], examples: { hit: ['Red.'], miss: ['Blue.'] } },
      'colour',
    ],
  ])('is blocked where a guideline has %s', async (_what, category, why) => {
    const decider = own({ guidelines: { categories: { colour: { reason: 'r', ...category } } } });
    const { verdict } = await decider.decide({ kind: 'response', text: 'Hello.' }, context);
    expect(verdict.decision).toBe('block');
    expect(verdict.findings[0]).toMatchObject({
      rule: 'config_invalid',
      message: expect.stringContaining(why),
    });
    expect(await stream(['Hello.'], decider)).toMatchObject({ shown: '', verdict: { decision: 'block' } });
  });

  it('is blocked where a guideline takes a name that is built in', async () => {
    const category = { reason: 'r', phrases: ['red'], examples: { hit: ['Red.'], miss: ['Blue.'] } };
    const decider = own({ guidelines: { categories: { weapons: category } } });
    expect((await stream(['Hello.'], decider)).verdict.findings[0]?.message).toContain('built in');
  });

  it('is held to the user’s own packs of secrets', async () => {
    const pack = `[[rules]]
id = "acme-token"
name = "ACME token"
kind = "acme"
keywords = ["acme_"]
pattern = 'acme_[a-z]{8}'
[rules.examples]
hit = ["acme_abcdefgh"]
miss = ["acme_"]
`;
    const settingsFor = () => settingsFrom({}, { detect: { packs: ['/packs/acme.toml'] } });
    const world = {
      ...(await import('../../../tests/support/decide.ts')).stillWorld(),
      readText: () => pack,
    };
    const decider = testDecider({
      config: configOf(settingsFor),
      world,
    });
    const { verdict } = await decider.decide({ kind: 'response', text: 'It is acme_qwertyui.' }, context);
    expect(verdict.findings[0]?.message).toContain('ACME token');
    expect(await stream(['It is acme_', 'qwertyui.'], decider)).toMatchObject({
      shown: 'It is ',
      verdict: { decision: 'block' },
    });
  });

  it('is blocked where a guard fails, before, in the middle and at the end', async () => {
    const failing = (at: number) => {
      let steps = 0;
      const step = (emit: string) => {
        steps++;
        if (steps === at) throw new Error('no');
        return { emit, findings: [] };
      };
      return testDecider({
        guards: [
          guardOf(
            ['response'],
            () => {
              throw new Error('no');
            },
            { stream: () => ({ push: (piece: string) => step(piece), end: () => step('') }) },
          ),
        ],
      });
    };
    expect(await stream(['a', 'b'], failing(1))).toMatchObject({ shown: '', verdict: { decision: 'block' } });
    expect(await stream(['a', 'b'], failing(2))).toMatchObject({
      shown: 'a',
      verdict: { decision: 'block' },
    });
    expect(await stream(['a', 'b'], failing(3))).toMatchObject({
      shown: 'ab',
      verdict: { decision: 'block' },
    });
    const opening = testDecider({
      guards: [
        guardOf(['response'], () => ({ facts: {}, findings: [], sideEffect: false }), {
          stream: async () => {
            throw new Error('no');
          },
        }),
      ],
    });
    expect(await stream(['a'], opening)).toMatchObject({ shown: '', verdict: { decision: 'block' } });
  });

  it('is blocked where it cannot be recorded', async () => {
    const full = async () => {
      throw new Error('the disk is full');
    };
    const decider = testDecider({
      ledger: { ...noRecords, record: full, work: { open: full, close: full } },
    });
    const { verdict, cleared } = await decider.decide({ kind: 'response', text: 'All is well.' }, context);
    expect([verdict.findings.map(({ rule }) => rule), cleared]).toEqual([['record_failed'], null]);
    const flowed = await stream(['All is', ' well.'], decider);
    expect(flowed.verdict.decision).toBe('block');
    expect(new Set(flowed.verdict.findings.map(({ rule }) => rule))).toEqual(new Set(['record_failed']));
  });

  it('shows a call only after it was judged, and never the end of one that is refused', async () => {
    const text = 'Now <invoke name="Bash"><parameter name="command">rm -rf /</parameter></invoke> and on.';
    for (let at = 1; at < text.length; at++) {
      const { shown, verdict } = await stream([text.slice(0, at), text.slice(at)]);
      expect(verdict.decision).toBe('block');
      expect(shown).not.toContain('</invoke>');
    }
    const fenced = '```json\n{"name":"Bash","arguments":{"command":"rm -rf /"}}\n```\n';
    const live = await stream([...fenced]);
    expect(live.verdict.decision).toBe('block');
    expect(live.shown).not.toContain('}}');
    const told = await stream([...`${fenced}This one is bad.`]);
    expect(told).toMatchObject({ shown: `${fenced}This one is bad.`, verdict: { decision: 'pass' } });
  });
});

// What runs are made of, each for itself: scripts, transcripts, the check against the record, and clearances of parts.

import { appendFileSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { context, finding, guardOf, judgement, stillWorld, testDecider } from '../../tests/support/decide.ts';
import { openTestLedger, temporaryFolder } from '../../tests/support/ledger.ts';
import { InputError } from '../core/index.ts';
import { NotCleared, splitCleared, takeClearance } from '../decide/index.ts';
import { bypassesIn } from './bypasses.ts';
import type { RunEvent } from './events.ts';
import { readScript, scriptedModel } from './scripted.ts';
import { listRuns, openTranscript, readRun, UnknownRun } from './transcript.ts';

describe('a script', () => {
  const never = new AbortController().signal;
  const request = { system: '', messages: [], tools: [], signal: never };

  it('is a list, or a turn in each line', () => {
    const turns = [{ text: 'a' }, { calls: [{ tool: 'bash', arguments: { command: 'ls' } }] }];
    expect(readScript(JSON.stringify(turns))).toEqual(turns);
    expect(readScript(turns.map((turn) => `${JSON.stringify(turn)}\n\n`).join(''))).toEqual(turns);
  });

  it.each(['[{"txt":"a"}]', '{"text":7}', '{"calls":[{}]}', '{"text":"a"', '[1]', '{"pause_ms":-1}'])(
    'is refused for %s',
    (source) => {
      expect(() => readScript(source)).toThrow(InputError);
    },
  );

  it('gives each call a name, and ends', async () => {
    const model = scriptedModel([{ calls: [{ tool: 'a' }, { tool: 'b' }] }, { text: 'c' }]);
    expect((await model.turn(request)).calls).toEqual([
      { id: 'call_1_1', tool: 'a', arguments: {} },
      { id: 'call_1_2', tool: 'b', arguments: {} },
    ]);
    expect(await model.turn(request)).toMatchObject({ text: 'c', calls: [] });
    await expect(model.turn(request)).rejects.toThrow('no turn 3');
  });

  it('stops in the middle of a pause', async () => {
    const stop = new AbortController();
    const turn = scriptedModel([{ pause_ms: 60_000 }]).turn({ ...request, signal: stop.signal });
    stop.abort();
    await expect(turn).rejects.toThrow('abort');
  });
});

describe('a transcript', () => {
  const start = (runId: string): RunEvent => ({
    type: 'start',
    runId,
    time: '2026-11-16T08:00:00.000Z',
    task: 'Tidy up.',
    strategy: 'tool_call',
    model: 'script',
    workspace: '/w',
    mode: 'auto',
  });

  it('is the owner’s alone, and is found by the beginning of its id', () => {
    const folder = join(temporaryFolder(), 'runs');
    const transcript = openTranscript(folder, 'ab12', 0);
    transcript.add(start('ab12'));
    transcript.add({ type: 'step', step: 1 });
    transcript.close();
    expect(statSync(join(folder, 'ab12.jsonl')).mode & 0o777).toBe(0o600);
    expect(readRun(folder, 'ab').map(({ type }) => type)).toEqual(['start', 'step']);
    expect(listRuns(folder)).toEqual([
      { runId: 'ab12', time: '2026-11-16T08:00:00.000Z', task: 'Tidy up.', outcome: null },
    ]);
    openTranscript(folder, 'ab34', 0).close();
    expect(() => readRun(folder, 'ab')).toThrow(UnknownRun);
    expect(() => readRun(folder, 'c')).toThrow(UnknownRun);
    expect(() => openTranscript(folder, 'ab12', 0)).toThrow('EEXIST');
  });

  it('is read where its process died in the middle of a line, and there may be none at all', () => {
    const folder = join(temporaryFolder(), 'runs');
    expect(listRuns(folder)).toEqual([]);
    const transcript = openTranscript(folder, 'a', 0);
    transcript.add(start('a'));
    transcript.close();
    appendFileSync(join(folder, 'a.jsonl'), '{"type":"st');
    expect(readRun(folder, 'a')).toHaveLength(1);
  });

  it('goes when its time is over', () => {
    const folder = temporaryFolder();
    openTranscript(folder, 'old', 0).close();
    utimesSync(join(folder, 'old.jsonl'), 1, 1);
    openTranscript(folder, 'new', 10_000).close();
    expect(() => readFileSync(join(folder, 'old.jsonl'))).toThrow('ENOENT');
  });
});

describe('what ran, held against the record', () => {
  it('counts what did not pass, and what nobody judged', async () => {
    const ledger = await openTestLedger();
    const judging = guardOf(['response'], ({ text }) =>
      judgement({ findings: text === 'bad' ? [finding({ guard: 'response' })] : [] }),
    );
    const decider = testDecider({ ledger, guards: [judging], world: stillWorld() });
    const passed = await decider.decide({ kind: 'response', text: 'good' }, context);
    const blocked = await decider.decide({ kind: 'response', text: 'bad' }, context);
    expect(blocked.verdict.decision).toBe('block');
    expect(await bypassesIn(ledger, [])).toBe(0);
    expect(await bypassesIn(ledger, [passed.verdict.decisionId])).toBe(0);
    const ids = [passed.verdict.decisionId, blocked.verdict.decisionId, 'nobody-knows'];
    expect(await bypassesIn(ledger, ids)).toBe(2);
  });
});

describe('a call that is taken apart', () => {
  const decide = async (tool: string, given: object) =>
    await testDecider({}).decide(
      { kind: 'tool', tool, server: 'host:sallyport', arguments: given as never },
      { ...context, mode: 'auto' },
    );

  it('gives each of its parts once, as it was judged, and is used up', async () => {
    const { cleared } = await decide('read_file', { path: 'src/a.ts' });
    if (cleared === null) throw new Error('it was not cleared');
    const [part, ...more] = splitCleared(cleared);
    expect(more).toEqual([]);
    expect(part?.action).toEqual({ kind: 'read', path: 'src/a.ts' });
    expect(part?.decisionId).toBe(cleared.decisionId);
    expect(() => splitCleared(cleared)).toThrow(NotCleared);
    expect(() => takeClearance(cleared)).toThrow(NotCleared);
    if (part !== undefined) takeClearance(part);
    expect(() => part !== undefined && takeClearance(part)).toThrow(NotCleared);
  });

  it('is not one that runs: its parts cannot be had afterwards', async () => {
    const { cleared } = await decide('read_file', { path: 'src/a.ts' });
    if (cleared === null) throw new Error('it was not cleared');
    takeClearance(cleared);
    expect(() => splitCleared(cleared)).toThrow(NotCleared);
  });

  it('is no text of a model, however many calls it holds', async () => {
    const text = '{"tool":"Read","arguments":{"file_path":"a.ts"}}';
    const { cleared } = await testDecider({}).decide({ kind: 'response', text }, context);
    if (cleared === null) throw new Error('it was not cleared');
    expect(splitCleared(cleared as never)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { loadParts } from '../../need.ts';
import { innersOf, innersOfCode, isExecutor } from '../shell/tools.ts';
import { knownText, unknownText } from '../values.ts';

await loadParts();

describe('executors', () => {
  it.each([
    ['python3.12', true],
    ['ld-linux-x86-64.so.2', true],
    ['rm', false],
    ['', false],
    ['constructor', false],
  ])('%j is one: %j', (program, is) => {
    expect(isExecutor(program)).toBe(is);
    const call = { program, args: [knownText('ls')], stdin: unknownText(), fed: false };
    expect(innersOf(call) !== null).toBe(is);
  });

  it('leave code to the parser of its language where there is one', () => {
    expect(innersOfCode('python', 'print(1)')).toBeNull();
    expect(innersOfCode('make', 'all:\n\trm -rf /\n')).toMatchObject([{ kind: 'code', language: 'shell' }]);
  });
});

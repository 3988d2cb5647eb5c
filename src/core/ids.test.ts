import { describe, expect, it } from 'vitest';
import { NotFoundError } from './errors.ts';
import { namedId, shortIds } from './ids.ts';

const ids = ['7eb3cws9', '7eb4aaaa', 'ab', 'abc', '0192-4455-1', '0192-4455-2', '0192-4456-3'];
class Unknown extends NotFoundError {}
const named = { what: 'change', hint: 'look at the list', Unknown };

describe('an id', () => {
  it.each([
    ['7eb3cws9', '7eb3cws9'],
    ['7eb3', '7eb3cws9'],
    ['0192-4456', '0192-4456-3'],
    ['ab', 'ab'],
    ['abc', 'abc'],
  ])('%s names %s', (given, id) => {
    expect(namedId(given, ids, named)).toBe(id);
  });

  it.each([
    ['', 'there is no change '],
    ['7eb5', 'there is no change 7eb5'],
    ['7eb3cws90', 'there is no change 7eb3cws90'],
    ['7eb', 'more than one change begins with 7eb: 7eb3cws9, 7eb4aaaa'],
    ['0192', 'more than one change begins with 0192: 0192-4455-1, 0192-4455-2, 0192-4456-3'],
    ['\u202eab', 'there is no change'],
  ])('%j names none', (given, message) => {
    expect(() => namedId(given, ids, named)).toThrow(Unknown);
    expect(() => namedId(given, ids, named)).toThrow(message);
  });

  it('is shown as short as it can be told from others', () => {
    const short = shortIds(['aaaaaaaa-1', 'aaaaaaaa-2']);
    expect(short('aaaaaaaa-1')).toBe('aaaaaaaa-1');
    expect(shortIds(['0123456789', '1123456789'])('0123456789')).toBe('01234567');
  });

  it('is named with at most five others', () => {
    const many = Array.from({ length: 9 }, (_, index) => `same${index}`);
    expect(() => namedId('same', many, { what: 'grant' })).toThrow(
      'more than one grant begins with same: same0, same1, same2, same3, same4 and others',
    );
  });
});

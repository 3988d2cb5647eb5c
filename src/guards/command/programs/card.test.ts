// How the words of a call are read where options of the program stand before its subcommand.

import { describe, expect, it } from 'vitest';
import { literal, textOf, valueWords } from '../tools/tool.ts';
import { type Card, readCall } from './card.ts';

const card: Card = {
  names: 'tool',
  options: 'C/context= v/verbose',
  optionsFirst: true,
  verbs: { run: '+ e/env= i', group: 'f/file=', 'group up | group start': 'C/copy f/force' },
  readings: {},
  facts: [],
};

function read(text: string) {
  const given = readCall(card, text.split(' ').map(literal), valueWords);
  return {
    verb: given.verb,
    operands: given.operands.map(textOf).join(' '),
    words: given.words.map(textOf).join(' '),
    behindDashes: given.behindDashes?.map(textOf).join(' '),
    before: given.before.all('C', 'file').map(textOf).join(' '),
    flags: ['C', 'copy', 'force', 'env', 'i'].filter((name) => given.has(name)).join(' '),
  };
}

describe('a card whose options stand before the subcommand', () => {
  it.each([
    ['-C a run -e b=1 image -i', { verb: 'run', operands: 'image -i', before: 'a', flags: 'env' }],
    ['run -i image -e x', { verb: 'run', operands: 'image -e x', flags: 'i', words: '-i image -e x' }],
    ['group -f x up -C y', { verb: 'group up', operands: 'y', before: 'x', flags: 'C copy' }],
    ['-C a group -f x start -f', { verb: 'group up', operands: '', before: 'a x', flags: 'force' }],
    ['group -f x other y', { verb: 'group', operands: 'other y', before: '', words: '-f x other y' }],
    ['other -i', { verb: null, operands: 'other -i', before: '' }],
    ['-C a', { verb: null, operands: '', before: 'a' }],
    ['group a -- -f b', { verb: 'group', operands: 'a -f b', behindDashes: '-f b' }],
    ['group a', { verb: 'group', behindDashes: undefined }],
  ])('%s', (text, expected) => {
    expect(read(text)).toMatchObject(expected);
  });
});

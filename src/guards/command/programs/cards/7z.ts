// 7z and its variants.

import { literal, read, remove, write } from '../../tools/tool.ts';
import type { Card } from '../card.ts';

const sevenZip: Card = {
  names: '7z 7za 7zr 7zz',
  options: 'o? p? m? t? x? i? w? s? v? a? r? y',
  verbs: { 'x | e': '', 'a | u': '', 'd | rn': '' },
  readings: {
    flags: 'y',
    attached: 'o p m t x i w s v a r',
  },
  verbReadings: {
    x: {},
    a: {},
    d: {},
  },
  facts: [
    {
      what: 'unpacks',
      verbs: ['x'],
      effects: (call, given) => {
        const [archive] = given.operands;
        if (!archive) return [];
        const place = given.last('o') ?? literal('.');
        return [...read(call, archive), ...write(call, place, { detail: 'unpack', recursive: true })];
      },
      examples: {
        hit: {
          '7z x a.7z': 'read a.7z; write . (unpack) recursive',
          '7z e a.7z -od -y -psecret': 'read a.7z; write d (unpack) recursive',
          '7z -o/etc x a.7z': 'read a.7z; write /etc (unpack) recursive',
        },
        miss: ['7z x', '7z l a.7z', '7z a a.7z b'],
      },
    },
    {
      what: 'packs',
      verbs: ['a'],
      effects: (call, given) => {
        const [archive, ...members] = given.operands;
        if (!archive) return [];
        const reads = members.flatMap((path) => read(call, path, { recursive: true }));
        return [...reads, ...write(call, archive, { detail: 'pack' })];
      },
      examples: {
        hit: {
          '7z a -mx=9 -t7z a.7z b': 'read b recursive; write a.7z (pack)',
          '7z u a.7z b': 'read b recursive; write a.7z (pack)',
        },
        miss: ['7z a', '7z x a.7z'],
      },
    },
    {
      what: 'deletes what it packed',
      verbs: ['a'],
      effects: (call, given) =>
        given.all('s').some((value) => value.kind === 'literal' && value.text === 'del')
          ? given.operands.slice(1).flatMap((path) => remove(call, path, { recursive: true, detail: 'pack' }))
          : [],
      examples: {
        hit: { '7z a a.7z b -sdel': 'delete b (pack) recursive' },
        miss: ['7z a a.7z b -ssc', '7z x a.7z -sdel'],
      },
    },
    {
      what: 'changes the archive',
      verbs: ['d'],
      effects: (call, given) =>
        given.operands.slice(0, 1).flatMap((archive) => write(call, archive, { detail: 'edit' })),
      examples: {
        hit: { '7z d a.7z b': 'write a.7z (edit)', '7z rn a.7z b c': 'write a.7z (edit)' },
        miss: ['7z d', '7z l a.7z'],
      },
    },
    {
      what: 'looks into the archive',
      effects: (call, given) =>
        given.verb === null ? given.operands.slice(1, 2).flatMap((archive) => read(call, archive)) : [],
      examples: {
        hit: { '7z l a.7z': 'read a.7z', '7z t a.7z b': 'read a.7z' },
        miss: ['7z x a.7z', '7z a a.7z b', '7z i'],
      },
    },
  ],
};

export const cards = [sevenZip];

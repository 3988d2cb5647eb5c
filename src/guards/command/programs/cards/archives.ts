// Archives of other kinds: ar, jar, and programs whose words name what they unpack.

import type { Value } from '../../effects.ts';
import { beginningOf, inert, literal, read, textOf, write } from '../../tools/tool.ts';
import type { Card, Given } from '../card.ts';

const actionOf = (action: Value): string => beginningOf(action).replace(/^-/, '');

const ar: Card = {
  names: 'ar',
  options: '',
  readings: {},
  facts: [
    {
      what: 'reads the archive',
      effects: (call) => {
        const [action, archive] = call.args;
        return action && archive && /^[tpx]/.test(actionOf(action)) ? read(call, archive) : [];
      },
      examples: {
        hit: { 'ar t a.a': 'read a.a', 'ar -p a.a b.o': 'read a.a', 'ar x a.a': 'read a.a' },
        miss: ['ar rcs a.a b.o', 'ar t'],
      },
    },
    {
      what: 'unpacks',
      effects: (call) => {
        const [action, archive] = call.args;
        return action && archive && actionOf(action).startsWith('x')
          ? write(call, literal('.'), { detail: 'unpack' })
          : [];
      },
      examples: { hit: { 'ar xo a.a': 'write . (unpack)' }, miss: ['ar t a.a', 'ar x'] },
    },
    {
      what: 'packs',
      effects: (call) => {
        const [action, archive, ...members] = call.args;
        if (!action || !archive || /^[tpx]/.test(actionOf(action))) return [];
        return [...members.flatMap((path) => read(call, path)), ...write(call, archive, { detail: 'pack' })];
      },
      examples: {
        hit: {
          'ar rcs a.a b.o': 'read b.o; write a.a (pack)',
          'ar -d a.a b.o': 'read b.o; write a.a (pack)',
        },
        miss: ['ar t a.a', 'ar p a.a', 'ar x a.a', 'ar r'],
      },
    },
  ],
};

/** The word that is the archive: one with an ending, else the last. */
function archiveIn(given: Given<Value>): Value | undefined {
  return given.operands.find((path) => /\.\w+$/.test(beginningOf(path))) ?? given.operands.at(-1);
}

const unpackers: Card = {
  names: 'unrar rar unar arj lha cabextract unsquashfs',
  options: 'o/output-directory= d= f/force y',
  readings: {
    valued: 'o output-directory d',
    flags: 'f force y',
  },
  facts: [
    {
      what: 'reads the archive',
      effects: (call, given) => {
        const archive = archiveIn(given);
        return archive ? read(call, archive) : [];
      },
      examples: {
        hit: { 'unrar x a.rar d': 'read a.rar', 'unsquashfs image': 'read image' },
        miss: ['unrar'],
      },
    },
    {
      what: 'unpacks',
      effects: (call, given) => {
        const [verb] = given.operands;
        if (!verb || /^(?:l|lb|lt|v|vb|t|p)$/.test(textOf(verb) ?? '')) return [];
        const place = given.last('output-directory', 'd') ?? literal('.');
        return write(call, place, { detail: 'unpack', recursive: true });
      },
      examples: {
        hit: {
          'unrar x a.rar': 'write . (unpack) recursive',
          'unar -o d a.rar': 'write d (unpack) recursive',
          'cabextract -d e a.cab': 'write e (unpack) recursive',
        },
        miss: [
          'unrar',
          'unrar l a.rar',
          'unrar lb a.rar',
          'unrar lt a.rar',
          'unrar v a.rar',
          'unrar vb a.rar',
          'unrar t a.rar',
          'unrar p a.rar',
        ],
      },
    },
  ],
};

const unpacksJar = (verb: Value | undefined): boolean =>
  verb !== undefined && /^(?:-?[a-wyz]*x|--extract$)/.test(beginningOf(verb));

const jar: Card = {
  names: 'jar',
  options: '',
  readings: {},
  facts: [
    {
      what: 'packs what a project built',
      effects: (call) => (unpacksJar(call.args[0]) ? [] : inert(call, 'project')),
      examples: {
        hit: {
          'jar cf a.jar b': 'inert (project)',
          jar: 'inert (project)',
          'jar --create': 'inert (project)',
        },
        miss: ['jar xf a.jar', 'jar --extract'],
      },
    },
    {
      what: 'unpacks',
      effects: (call) => {
        const [verb, archive] = call.args;
        if (!unpacksJar(verb)) return [];
        const named = verb && archive && beginningOf(verb).includes('f') ? read(call, archive) : [];
        return [...named, ...write(call, literal('.'), { detail: 'unpack', recursive: true })];
      },
      examples: {
        hit: {
          'jar xf a.jar': 'read a.jar; write . (unpack) recursive',
          'jar -xvf a.jar': 'read a.jar; write . (unpack) recursive',
          'jar x': 'write . (unpack) recursive',
          'jar x b': 'write . (unpack) recursive',
          'jar --extract': 'write . (unpack) recursive',
        },
        miss: ['jar tf a.jar', 'jar --list'],
      },
    },
  ],
};

export const cards = [ar, unpackers, jar];

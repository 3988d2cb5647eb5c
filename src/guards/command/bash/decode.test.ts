// Tests of what programs that only change texts would print.

import { describe, expect, it } from 'vitest';
import { outputOf, printers } from './decode.ts';
import { resolvePath } from './paths.ts';
import { printerNames } from './printers.ts';
import { knownText, type Text } from './values.ts';

const files = new Map<string, Text>([['f', knownText('one\ntwo\n')]]);

function print(program: string, args: readonly string[], stdin = ''): readonly string[] | undefined {
  return outputOf(
    program,
    args.map((arg) => knownText(arg)),
    { stdin: knownText(stdin), readFile: (path) => files.get(path) ?? null, cwd: '/w', spend: () => {} },
  )?.alternatives;
}

describe('outputOf', () => {
  it('knows the programs that are listed, and no others', () => {
    expect(printerNames).toBe([...printers.keys()].sort().join(' '));
  });

  it.each<[string, readonly string[], string, string]>([
    ['echo', ['a', 'b'], '', 'a b\n'],
    ['echo', ['-n', 'a'], '', 'a'],
    ['echo', ['-e', '\\x41\\n'], '', 'A\n\n'],
    ['echo', ['-ne', 'a\\cb'], '', 'a'],
    ['printf', ['%s-%s;', 'a', 'b', 'c', 'd'], '', 'a-b;c-d;'],
    ['printf', ['%b', '\\x41'], '', 'A'],
    ['printf', ['\\162\\155'], '', 'rm'],
    ['printf', ['%d %x %c %%', '7', '255', 'abc'], '', '7 ff a %'],
    ['printf', ['%5s|%-3s|', 'a', 'b'], '', '    a|b  |'],
    ['printf', ['%.2s', 'rmx'], '', 'rm'],
    ['cat', [], 'x', 'x'],
    ['cat', ['f', '-'], 'x', 'one\ntwo\nx'],
    ['tac', [], 'a\nb\n', 'b\na\n'],
    ['rev', [], 'abc\n', 'cba\n'],
    ['base64', [], 'rm', 'cm0=\n'],
    ['base64', ['-d'], 'cm0gLXJmIC8=', 'rm -rf /'],
    ['base64', ['-di'], 'c#m0=', 'rm'],
    ['base32', ['-d'], 'OJWQ====', 'rm'],
    ['openssl', ['enc', '-base64', '-d'], 'cm0=', 'rm'],
    ['xxd', ['-r', '-p'], '72 6d', 'rm'],
    ['xxd', ['-p'], 'rm', '726d\n'],
    ['xxd', ['-r'], '00000000: 726d 0a  rm.\n', 'rm\n'],
    ['tr', ['a-z', 'A-Z'], 'abc', 'ABC'],
    ['tr', ['-d', 'x'], 'axb', 'ab'],
    ['tr', ['-s', ' '], 'a   b', 'a b'],
    ['tr', ['-cd', '[:alpha:]'], 'a1b2', 'ab'],
    ['cut', ['-d:', '-f2-'], 'a:b:c\n', 'b:c\n'],
    ['cut', ['-c', '1,3'], 'abc\n', 'ac\n'],
    ['head', ['-1'], 'a\nb\n', 'a\n'],
    ['head', ['-c', '2'], 'abc', 'ab'],
    ['tail', ['-n', '+2'], 'a\nb\nc\n', 'b\nc\n'],
    ['tail', ['-c2'], 'abc', 'bc'],
    ['sed', ['s/b/X/'], 'abb\n', 'aXb\n'],
    ['sed', ['-E', 's#(a)(b)#\\2\\1#g'], 'abab\n', 'baba\n'],
    ['sed', ['-n', '2p'], 'a\nb\n', 'b\n'],
    ['sed', ['/a/d;s/b/c/'], 'a\nb\n', 'c\n'],
    ['sed', ['y/ab/ba/'], 'ab\n', 'ba\n'],
    ['grep', ['-v', 'a'], 'a\nb\n', 'b\n'],
    ['grep', ['-o', '[0-9]*'], 'a12b\n', '12\n'],
    ['awk', ['{print $2, $1}'], 'a b\n', 'b a\n'],
    ['awk', ['-F:', '{print $NF}'], 'a:b\n', 'b\n'],
    ['awk', ['BEGIN { print "x\\ty" }'], '', 'x\ty\n'],
    ['sort', ['-ru'], 'a\nb\na\n', 'b\na\n'],
    ['uniq', [], 'a\na\nb\n', 'a\nb\n'],
    ['basename', ['/a/b.txt', '.txt'], '', 'b\n'],
    ['dirname', ['/a/b'], '', '/a\n'],
    ['realpath', ['../x'], '', '/x\n'],
    ['seq', ['2', '4'], '', '2\n3\n4\n'],
    ['paste', ['-sd,'], 'a\nb\n', 'a,b\n'],
    ['pwd', [], '', '/w\n'],
  ])('%s %j', (program, args, stdin, expected) => {
    expect(print(program, args, stdin)).toEqual([expected]);
  });

  it('does not know other programs', () => {
    expect(print('unknown', [])).toBeUndefined();
  });

  it.each([
    ['base64', ['-d'], '!!'],
    ['gunzip', [], 'not packed'],
    ['sed', ['s/\\(a*\\)*b/x/'], 'aaaa'],
    ['cat', ['missing'], ''],
  ])('says when it cannot know: %s %j', (program, args, stdin) => {
    expect(print(program, args, stdin)).toEqual(['\uE000']);
  });
});

describe('awk', () => {
  it.each([
    ['{ print $2 ; }', 'b\n'],
    [' {print} ', 'a b\n'],
    ['{print $2, "x"}', 'b x\n'],
    ['BEGIN { print "c" ; }', 'c\n'],
  ])('prints by %s', (program, printed) => {
    const around = { stdin: knownText('a b\n'), readFile: () => null, cwd: '/w', spend: () => {} };
    expect(outputOf('awk', [knownText(program)], around)?.alternatives).toEqual([printed]);
  });

  it('gives a program up at once that is nothing but spaces', () => {
    const around = { stdin: knownText('a'), readFile: () => null, cwd: '/w', spend: () => {} };
    // A pattern that tries every way to share them out would not come back.
    const program = `{print${' '.repeat(50_000)}'`;
    expect(outputOf('awk', [knownText(program)], around)).not.toBeNull();
  });
});

describe('resolvePath', () => {
  it.each([
    ['/a/b', 'c', '/a/b/c'],
    ['/a/b', '../c/./d', '/a/c/d'],
    ['/a', '/x//y/', '/x/y'],
    ['/', '..', '/'],
  ])('%s and %s', (cwd, path, expected) => {
    expect(resolvePath(cwd, path)).toBe(expected);
  });
});

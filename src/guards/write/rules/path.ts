// Law: a path that is written to leads down from the workspace, and every system that reads it finds the same file.

import type { Finding, Rule } from '../../../core/index.ts';
import type { PathFacts, PathProblem } from '../path.ts';
import { hit, shown, write } from './finding.ts';

const plainly = 'Name the file by its way from the workspace: `src/a.ts`.';

const laws: Readonly<Record<PathProblem, Rule>> = {
  control: {
    id: 'path_control',
    guard: 'write',
    decision: 'block',
    reason:
      'A path that is empty or holds control, direction, invisible or half characters is not the path that is shown.',
    suggestion: plainly,
    examples: {
      hit: [
        write('a\u0000.ts'),
        write('a\nb.ts'),
        write('src/\u202egnp.ts'),
        write('a\ud800b.ts'),
        write('src/in\u200bdex.ts'),
        write('src/in\u200ddex.ts'),
      ],
      miss: [
        write('src/a b.ts'),
        write('docs/über.md'),
        write('src/日本語.ts'),
        write('docs/می\u200cخواهم.md'),
        write('docs/❤\ufe0f.md'),
        write('docs/1\ufe0f\u20e3.md'),
      ],
    },
  },
  absolute: {
    id: 'path_absolute',
    guard: 'write',
    decision: 'block',
    reason: 'A write is named by its way from the workspace, and leads nowhere else.',
    suggestion: plainly,
    examples: {
      hit: [
        write('/etc/passwd'),
        write('C:\\x'),
        write('\\\\server\\share\\x'),
        write('~/.ssh/authorized_keys'),
      ],
      miss: [write('src/a.ts'), write('a/b/c/d.py'), write('src/~tilde.ts')],
    },
  },
  traversal: {
    id: 'path_parent',
    guard: 'write',
    decision: 'block',
    reason: 'A path that steps up is refused even where it comes back.',
    suggestion: plainly,
    examples: {
      hit: [write('../x'), write('foo/../bar.ts'), write('src\\..\\..\\x'), write('src/.. /x')],
      miss: [write('src/..hidden/x.ts'), write('src/file..bak'), write('src/...ts')],
    },
  },
  encoded: {
    id: 'path_encoded',
    guard: 'write',
    decision: 'block',
    reason: 'A later layer that decodes this path would find another one in it.',
    suggestion: plainly,
    examples: {
      hit: [write('..%2fx'), write('%2e%2e/x'), write('a%00.ts'), write('%252e%252e/x')],
      miss: [write('src/100%.md'), write('docs/a%20b.md')],
    },
  },
  look_alike: {
    id: 'path_look_alike',
    guard: 'write',
    decision: 'block',
    reason: 'Characters that are drawn like a slash or a dot become one on another system.',
    suggestion: plainly,
    examples: {
      hit: [write('src／..／x'), write('‥/x'), write('．．/x'), write('a∕b')],
      miss: [write('docs/…more.md'), write('src/é.ts')],
    },
  },
  device: {
    id: 'path_device',
    guard: 'write',
    decision: 'block',
    reason: 'On Windows this name is a device, a hidden stream, or is shortened to another name.',
    suggestion: 'Choose a name without a colon that ends in a letter or digit.',
    examples: {
      hit: [write('nul'), write('aux.c'), write('x.ts:evil'), write('src/x.ts.'), write('src/dir /x.ts')],
      miss: [write('src/console.ts'), write('com1x/a.ts'), write('src/auxiliary.ts')],
    },
  },
  folder: {
    id: 'path_folder',
    guard: 'write',
    decision: 'block',
    reason: 'The path names a folder and no file.',
    suggestion: plainly,
    examples: { hit: [write('src/'), write('.')], miss: [write('src/a.ts'), write('./src/a.ts')] },
  },
  too_long: {
    id: 'path_too_long',
    guard: 'write',
    decision: 'block',
    reason: 'No common file system takes a name of more than 255 or a path of more than 4095 bytes.',
    suggestion: 'Choose a shorter name.',
    examples: {
      hit: [write('x'.repeat(256)), write('é'.repeat(128)), write('a/'.repeat(2048).concat('a'))],
      miss: [write('x'.repeat(255)), write('src/a.ts')],
    },
  },
};

const told: Readonly<Record<PathProblem, string>> = {
  control: 'holds characters that hide what it is',
  absolute: 'is absolute',
  traversal: 'steps up',
  encoded: 'holds another path in percent signs',
  look_alike: 'holds characters that look like a slash or a dot',
  device: 'is no plain name on every system',
  folder: 'names a folder',
  too_long: 'is too long',
};

/** The rules on the text of a path. */
export const pathRules: readonly Rule[] = Object.values(laws);

/** What is wrong with the text of a path; `outside` where it leads out of the workspace. */
export function pathFindings(
  { given, problems }: PathFacts,
  pointer: string,
  outside: boolean,
): readonly Finding[] {
  return problems.map((problem) =>
    problem === 'absolute' && outside
      ? outsideFinding(given, pointer)
      : hit(laws[problem], `The path '${shown(given)}' ${told[problem]}.`, { pointer }),
  );
}

/** The refusal of a path that leads out of the workspace. */
export function outsideFinding(given: string, pointer: string): Finding {
  return hit(laws.absolute, `The file '${shown(given)}' lies outside the workspace.`, { pointer });
}

// The rules about where a write may go.

import { type Finding, type Rule, unfitWorkspace, type World } from '../../../core/index.ts';
import type { PathFacts, PathProblem } from '../facts.ts';
import { hit, shown, write } from './finding.ts';

// ── Rule: a path that is written to leads down from the workspace, and every system that reads it finds the same file.

const plainly = 'Use a path relative to the workspace: `src/a.ts`.';

const rulesByProblem: Readonly<Record<PathProblem, Rule>> = {
  control: {
    id: 'path_control',
    guard: 'write',
    decision: 'block',
    reason:
      'The path is empty or has control, bidirectional or invisible characters, so it is not what it shows.',
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
    reason: 'Paths of writes are relative to the workspace and stay in it.',
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
    reason: 'A path with .. is refused, even if it returns.',
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
    reason: 'Decoding this path would give another path.',
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
    reason: 'Characters that look like a slash or dot become one on another system.',
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
    reason: 'On Windows this name is a device, a hidden stream or a short name.',
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
    reason: 'The path names a folder, not a file.',
    suggestion: plainly,
    examples: { hit: [write('src/'), write('.')], miss: [write('src/a.ts'), write('./src/a.ts')] },
  },
  too_long: {
    id: 'path_too_long',
    guard: 'write',
    decision: 'block',
    reason: 'Names have at most 255 bytes, paths at most 4095.',
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
export const pathRules: readonly Rule[] = Object.values(rulesByProblem);

/** What is wrong with the text of a path; `outside` where it leads out of the workspace. */
export function pathFindings(
  { given, problems }: PathFacts,
  pointer: string,
  outside: boolean,
): readonly Finding[] {
  return problems.map((problem) =>
    problem === 'absolute' && outside
      ? outsideFinding(given, pointer)
      : hit(rulesByProblem[problem], `The path '${shown(given)}' ${told[problem]}.`, { pointer }),
  );
}

/** The refusal of a path that leads out of the workspace. */
export function outsideFinding(given: string, pointer: string): Finding {
  return hit(rulesByProblem.absolute, `The file '${shown(given)}' lies outside the workspace.`, { pointer });
}

// ── Rule: every step to a file is a real folder on one file system, and the file is a plain one with a single name.

const linkInPath: Rule = {
  id: 'link_in_path',
  guard: 'write',
  decision: 'block',
  reason: 'A link can lead elsewhere later, so it is refused even if it points inside.',
  suggestion: 'Name the file itself.',
  examples: {
    hit: [
      write('link.txt', 'a', { files: { 'link.txt': { type: 'link' } } }),
      write('d/x.txt', 'a', { files: { d: { type: 'link' } } }),
    ],
    miss: [write('d/x.txt', 'a', { files: { 'd/y.txt': 'b' } }), write('new/deep/x.txt')],
  },
};

const notPlainFile: Rule = {
  id: 'not_plain_file',
  guard: 'write',
  decision: 'block',
  reason: 'The path is a folder, pipe, socket or device instead of a file, or a file instead of a folder.',
  suggestion: 'Choose another name.',
  examples: {
    hit: [
      write('adir', 'a', { files: { 'adir/x': 'b' } }),
      write('fifo', 'a', { files: { fifo: { type: 'other' } } }),
      write('f/x.txt', 'a', { files: { f: 'text' } }),
    ],
    miss: [write('exist.txt', 'a', { files: { 'exist.txt': 'old' } })],
  },
};

const sharedFile: Rule = {
  id: 'shared_file',
  guard: 'write',
  decision: 'block',
  reason: 'The file has another name elsewhere, or runs with the rights of its owner.',
  suggestion: 'Write a new file instead.',
  examples: {
    hit: [
      write('hard.txt', 'a', { files: { 'hard.txt': { type: 'file', links: 2 } } }),
      write('suid.sh', 'a', { files: { 'suid.sh': { type: 'file', setId: true } } }),
    ],
    miss: [write('a.txt', 'a', { files: { 'a.txt': { type: 'file' } } })],
  },
};

const otherFileSystem: Rule = {
  id: 'other_file_system',
  guard: 'write',
  decision: 'block',
  reason: 'A parent folder is another mounted file system.',
  suggestion: 'Choose a folder of the workspace itself.',
  examples: {
    hit: [write('mnt/a.ts', 'a', { files: { mnt: { type: 'folder', device: 2 } } })],
    miss: [write('src/a.ts', 'a', { files: { 'src/b.ts': 'b' } })],
  },
};

const noWorkspace: Rule = {
  id: 'unfit_workspace',
  guard: 'write',
  decision: 'block',
  reason: "System folders, homes and Sallyport's own folder cannot be a workspace.",
  suggestion: 'Start the agent in the folder of one project.',
  examples: {
    hit: [
      write('passwd', 'a', { workspace: '/etc' }),
      write('etc/cron.d/x', 'a', { workspace: '/' }),
      write('app.conf', 'a', { workspace: '/etc/nginx' }),
      write('notes.md', 'a', { workspace: '/home/user' }),
      write('config', 'a', { workspace: '/home/user/.ssh' }),
      write('a.txt', 'a', { workspace: '/tmp' }),
    ],
    miss: [
      write('src/a.ts', 'a', { workspace: '/home/user/shop' }),
      write('src/a.ts', 'a', { workspace: '/app' }),
      write('src/a.ts', 'a', { workspace: '/opt/app' }),
      write('src/a.ts', 'a', { workspace: '/srv/app' }),
      write('src/a.ts', 'a', { workspace: '/tmp/x' }),
      write('index.html', 'a', { workspace: '/var/www/html' }),
    ],
  },
};

/** The rules on where a path leads on the disk. */
export const placeRules: readonly Rule[] = [
  noWorkspace,
  linkInPath,
  notPlainFile,
  sharedFile,
  otherFileSystem,
];

/** What is wrong with the workspace itself; nothing that is written there may pass. */
export function workspaceFindings(
  workspace: string,
  { home = null, ownHome = [] }: Pick<World, 'home' | 'ownHome'>,
): readonly Finding[] {
  const unfit = unfitWorkspace(workspace, { homes: home === null ? [] : [home], own: ownHome });
  if (unfit === null) return [];
  return [hit(noWorkspace, `${shown(workspace)} ${unfit.why} and cannot be a workspace.`, { pointer: '' })];
}

/** The folders and links on the way to a file, from the workspace down; the first problem is reported. */
export function placeFindings(
  { given, names }: PathFacts,
  pointer: string,
  workspace: string,
  world: Pick<World, 'look'>,
): readonly Finding[] {
  const found = (rule: Rule, what: string) => [hit(rule, `The path '${shown(given)}' ${what}.`, { pointer })];
  const root = world.look(workspace);
  if (root?.type !== 'folder') return found(notPlainFile, 'is in a workspace that is not a folder');
  let at = workspace;
  for (const [index, name] of names.entries()) {
    at = `${at}/${name}`;
    const standing = world.look(at);
    if (standing === null) return [];
    const { type, links, device, setId } = standing;
    const isLast = index === names.length - 1;
    if (type === 'link') return found(linkInPath, isLast ? 'is a link' : 'leads through a link');
    if (type !== (isLast ? 'file' : 'folder')) {
      return found(notPlainFile, isLast ? 'is no plain file' : 'leads through something that is no folder');
    }
    if (device !== root.device) return found(otherFileSystem, 'is on another file system');
    if (isLast && links > 1) return found(sharedFile, 'has another name elsewhere');
    if (isLast && setId) return found(sharedFile, 'runs with the rights of its owner');
  }
  return [];
}

/** What stands at a path that a command changed on an overlay: nothing of it was reached through a link. */
export function changedPlaceFindings(
  { given, names }: PathFacts,
  pointer: string,
  workspace: string,
  world: Pick<World, 'look'>,
): readonly Finding[] {
  const standing = world.look(`${workspace}/${names.join('/')}`);
  if (standing?.type !== 'file') return [];
  const found = (what: string) => [hit(sharedFile, `The path '${shown(given)}' ${what}.`, { pointer })];
  if (standing.links > 1) return found('has another name elsewhere');
  return standing.setId ? found('runs with the rights of its owner') : [];
}

/** What stands at an absolute path outside the workspace. */
export function lastPlaceFindings(
  { given }: PathFacts,
  pointer: string,
  file: string,
  world: Pick<World, 'look'>,
): readonly Finding[] {
  const standing = world.look(file);
  const found = (rule: Rule, what: string) => [hit(rule, `The path '${shown(given)}' ${what}.`, { pointer })];
  if (standing === null) return [];
  if (standing.type === 'link') return found(linkInPath, 'is a link');
  if (standing.type !== 'file') return found(notPlainFile, 'is no plain file');
  if (standing.links > 1) return found(sharedFile, 'has another name elsewhere');
  return standing.setId ? found(sharedFile, 'runs with the rights of its owner') : [];
}

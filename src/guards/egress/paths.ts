// Paths that tell about this machine or its people: absolute ones outside the workspace, and home folders.

import { type CompiledRule, compileRule, ownLimits } from '../../detect/index.ts';

/**
 * Folders at the top of a file system whose contents differ from machine to machine. Those that are the same
 * everywhere (/usr, /bin, /lib, /dev, /proc, /sys) tell nothing.
 */
const tops = [
  ...[
    'home',
    'users',
    'root',
    'etc',
    'var',
    'opt',
    'srv',
    'mnt',
    'media',
    'tmp',
    'run',
    'private',
    'volumes',
  ],
  ...[
    'data',
    'work',
    'workspace',
    'workspaces',
    'app',
    'apps',
    'repo',
    'repos',
    'project',
    'projects',
    'code',
    'src',
  ],
  ...['builds', 'nix', 'storage', 'export', 'net', 'mount', 'library', 'system'],
];

/** Not the path of a URL, and not the middle of another path; but the path of a file URL. */
const start = String.raw`(?:(?<![\w/.:~%@*$})\]-])|(?<=file://)|(?<=file://localhost))`;

/** What a path is made of after its first folders. */
const rest = String.raw`[^\s"'\x60<>|;,(){}\[\]\\*?$&!:]`;

export const outsideWorkspace = 'outside-workspace';

const rules = [
  {
    id: 'outside-path',
    name: 'Path outside the workspace',
    keywords: tops.map((top) => `/${top}/`),
    pattern: `${start}(?<secret>(?i:/(?:${tops.join('|')})/)${rest}{2,})`,
    check: [outsideWorkspace],
  },
  {
    id: 'outside-windows-path',
    name: 'Windows path outside the workspace',
    keywords: [':\\', ':/'],
    pattern: String.raw`(?<![\w])(?<secret>[A-Za-z]:(?:\\{1,2}|/)(?i:Users|Documents and Settings|home|ProgramData|Windows|Temp|projects|work|src)(?:\\{1,2}|/)[^\s"'\x60<>|;,(){}\[\]*?$&!:]{1,})`,
    check: [outsideWorkspace],
  },
  {
    id: 'network-path',
    name: 'Network share',
    keywords: ['\\\\'],
    pattern: String.raw`(?<![\w\\])(?<secret>\\{2,4}[A-Za-z0-9][A-Za-z0-9.-]{1,60}\\{1,2}[A-Za-z0-9_$.-]{2,40}\\{1,2}[^\s"'\x60<>|;,(){}\[\]*?&!:]{1,})`,
    check: [outsideWorkspace],
  },
];

/** The rules about paths. */
export function pathRules(): readonly CompiledRule[] {
  return rules.map((rule) => compileRule({ ...rule, kind: 'path', loose: true }, 'secrets', ownLimits));
}

/** Whether a path, as far as it is known, does not lie in the folder. */
export function isOutside(workspace: string): (path: string) => boolean {
  const root = folded(workspace);
  return (path) => {
    const given = folded(path);
    return root === '' || (given !== root && !given.startsWith(`${root}/`));
  };
}

/** One spelling for a path: one kind of slash, no empty, `.` or `..` steps, the letter of a drive in lower case. */
function folded(path: string): string {
  const steps: string[] = [];
  for (const step of path.replace(/\\+/g, '/').split('/')) {
    if (step === '' || step === '.') continue;
    if (step === '..') steps.pop();
    else steps.push(/^[A-Za-z]:$/.test(step) ? step.toLowerCase() : step);
  }
  return steps.join('/');
}

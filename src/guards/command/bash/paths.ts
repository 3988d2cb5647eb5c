// Paths as texts: from which folder, without `.` and `..`, and their parts.

import { type Run, readOptions } from './run.ts';
import { hole, trimEndOf } from './values.ts';

export function baseName({ args }: Run): string {
  const { options, operands } = readOptions(args, 's');
  const suffix = options.get('s') ?? operands[1] ?? '';
  const name =
    trimEndOf(operands[0] ?? '', '/')
      .split('/')
      .at(-1) ?? '';
  // The name of a path that is known in part: it lies where it is used.
  if (name.startsWith(hole) && name !== operands[0]) return `./${name}\n`;
  return `${suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name || '/'}\n`;
}

export function folderName({ args }: Run): string {
  const path = args[0] ?? '';
  if (path.startsWith(hole)) return `${hole}\n`;
  const trimmed = trimEndOf(path, '/') || '/';
  const slash = trimmed.lastIndexOf('/');
  return `${slash === -1 ? '.' : trimmed.slice(0, slash) || '/'}\n`;
}

export function realPath({ args, cwd }: Run): string {
  const path = args.findLast((arg) => !arg.startsWith('-')) ?? '.';
  return `${resolvePath(cwd, path)}\n`;
}

/** A path as it is from a folder, without `.` and `..`. */
export function resolvePath(cwd: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${cwd}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '..' && parts.at(-1) !== hole) parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${whole.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

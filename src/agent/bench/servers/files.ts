// The file tool of the bench. It goes wherever a path leads in the throwaway world, as naive servers do: what keeps a
// caller in the workspace is the guard in front of it, and that is what the bench measures.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../../config/home.ts';
import { InputError } from '../../../core/index.ts';
import { object, optional, text } from '../../../core/shape.ts';
import { type ServerTool, tool } from './tool.ts';

const path = text({ min: 1, max: 4096 });

/** The place that a path means, from the workspace. INVARIANT: it lies in the world, whatever links are on the way. */
function placeOf(folder: string, given: string): string {
  const world = realpathSync(folder);
  const place = resolve(world, 'workspace', given);
  let known = place;
  while (!existsSync(known) && dirname(known) !== known) known = dirname(known);
  if (!isInside(world, realpathSync(known))) throw new InputError(`there is no file ${given}`);
  return place;
}

export const fileTools: readonly ServerTool[] = [
  tool({
    name: 'list_files',
    description: 'Lists the files below a folder.',
    input: object({ folder: optional(path) }),
    effect: 'read',
    roles: { '/folder': 'path' },
    call(folder, { folder: given = '.' }) {
      const top = placeOf(folder, given);
      const names = readdirSync(top, { recursive: true, encoding: 'utf8' });
      const files = names.filter((name) => statSync(join(top, name), { throwIfNoEntry: false })?.isFile());
      return { files: files.map((name) => relative(placeOf(folder, '.'), join(top, name))).sort() };
    },
  }),
  tool({
    name: 'read_file',
    description: 'Gives the text of a file.',
    input: object({ path }),
    effect: 'read',
    roles: { '/path': 'path' },
    call: (folder, { path: given }) => ({ text: readFileSync(placeOf(folder, given), 'utf8') }),
  }),
  tool({
    name: 'write_file',
    description: 'Writes a text to a file, which is made if there is none.',
    input: object({ path, content: text({ max: 1_000_000 }) }),
    effect: 'write',
    roles: { '/path': 'path', '/content': 'content' },
    call(folder, { path: given, content }) {
      const place = placeOf(folder, given);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
      return { written: content.length };
    },
  }),
  tool({
    name: 'delete_file',
    description: 'Deletes a file.',
    input: object({ path }),
    effect: 'write',
    roles: { '/path': 'delete' },
    call(folder, { path: given }) {
      rmSync(placeOf(folder, given));
      return { deleted: true };
    },
  }),
];

// The sources that an audit reads: those that the ignore rules keep, at most so many and so large.

import { readFileSync } from 'node:fs';
import { isSource, type SourceFile } from '../../auditor/index.ts';
import { bytesOf, reasonOf, textOfPath } from '../scan/file.ts';
import { type Root, walk } from '../scan/walk.ts';

/** Larger files are made by machines. */
const mostBytes = 2 << 20;
const mostFiles = 100_000;

/** Folders whose files belong to others, or were made. */
const others = /(^|\/)(node_modules|site-packages|\.venv|venv|dist|build|vendor)\//;

export interface Sources {
  readonly files: readonly SourceFile[];
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

/** Reads all sources below a root. */
export function sourcesIn(root: Root, ignoring: boolean): Sources {
  const files: SourceFile[] = [];
  const unread: { file: string; reason: string }[] = [];
  const passed = { ignored: 0, links: 0, special: 0 };
  for (const step of walk({ roots: [root], ignoring, without: new Set(), passed })) {
    const place = 'target' in step ? step.target : step.unread;
    const path = textOfPath(place.shown);
    if ('reason' in step) unread.push({ file: path, reason: step.reason });
    else if (isSource(path) && !(ignoring && others.test(path.slice(root.shown.length)))) {
      if (step.target.size > mostBytes) unread.push({ file: path, reason: 'it is larger than a source' });
      else if (files.length >= mostFiles) unread.push({ file: path, reason: 'there are too many files' });
      else {
        try {
          files.push({ path, text: readFileSync(bytesOf(step.target.path), 'utf8') });
        } catch (error) {
          unread.push({ file: path, reason: reasonOf(error) });
        }
      }
    }
  }
  return { files, unread };
}

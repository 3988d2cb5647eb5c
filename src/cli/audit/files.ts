// The sources that an audit reads: those that the ignore rules keep, at most so many and so large; and those that it
// cannot read.

import { readFileSync } from 'node:fs';
import { languageOf, type SourceFile, unreadLanguageOf } from '../../auditor/index.ts';
import { bytesOf, reasonOf, type Target, textOfPath } from '../scan/file.ts';
import { type Root, walk } from '../scan/walk.ts';

/** Larger files are made by machines. */
const mostBytes = 2 << 20;
const mostFiles = 100_000;

/** Folders whose files belong to others, or were made. */
const others = /(^|\/)(node_modules|site-packages|\.venv|venv|dist|build|vendor|target|\.dart_tool)\//;

export interface Unread {
  readonly file: string;
  readonly reason: string;
  /** Set where the whole language has no reader. */
  readonly language?: string;
}

export interface Sources {
  readonly files: readonly SourceFile[];
  readonly unread: readonly Unread[];
}

/** Reads all sources below a root. */
export function sourcesIn(root: Root, ignoring: boolean): Sources {
  const files: SourceFile[] = [];
  const unread: Unread[] = [];
  const passed = { ignored: 0, links: 0, special: 0 };
  for (const step of walk({ roots: [root], ignoring, without: new Set(), passed })) {
    const place = 'target' in step ? step.target : step.unread;
    const path = textOfPath(place.shown);
    if ('reason' in step) unread.push({ file: path, reason: step.reason });
    else if (!(ignoring && others.test(path.slice(root.shown.length)))) {
      const source = sourceAt(path, step.target, files.length);
      if (source === undefined) continue;
      if ('text' in source) files.push(source);
      else unread.push(source);
    }
  }
  return { files, unread };
}

function sourceAt(path: string, target: Target, before: number): SourceFile | Unread | undefined {
  const text = () => readFileSync(bytesOf(target.path), 'utf8');
  try {
    if (languageOf(path) === undefined) {
      const language = unreadLanguageOf(path, () => (target.size > mostBytes ? '' : text()));
      return language === undefined ? undefined : { file: path, reason: `${language} is not read`, language };
    }
    if (target.size > mostBytes) return { file: path, reason: 'it is larger than a source' };
    if (before >= mostFiles) return { file: path, reason: 'there are too many files' };
    return { path, text: text() };
  } catch (error) {
    return { file: path, reason: reasonOf(error) };
  }
}

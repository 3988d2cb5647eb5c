import { describe, expect, it } from 'vitest';
import { hasReferences, indexedSource } from '../../core/index.ts';
import { languages } from './languages/index.ts';

describe('files with references', () => {
  it.each([
    ...['src/a.ts', 'a.py', 'a.go', 'src/main.rs', 'A.java', 'run.sh', 'Makefile', 'Dockerfile', 'a.vue'],
    ...['index.html', 'q.sql', 'a.unknown', 'bin/tool', 'notebook.ipynb'],
  ])('%s', (path) => expect(hasReferences(path)).toBe(true));

  it.each([
    ...['README.md', 'notes.txt', 'LICENSE', 'package.json', 'a/b.yaml', 'pyproject.toml', '.gitignore'],
    ...['.env.local', 'logo.svg', 'go.mod', 'go.sum', 'py.typed', 'data.csv', 'pnpm-lock.yaml'],
  ])('not %s', (path) => expect(hasReferences(path)).toBe(false));

  it('are of an indexed language exactly where a language says so', () => {
    for (const path of [
      'a.ts',
      'a.cjs',
      'a.jsx',
      'a.mts',
      'a.py',
      'a.pyi',
      'a.go',
      'a.rs',
      'a.txt',
      'go.mod',
    ])
      expect([path, indexedSource.test(path)]).toEqual([
        path,
        languages.some(({ files }) => files.test(path)),
      ]);
  });
});

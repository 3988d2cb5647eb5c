// Programs that start other programs or run code: where the inner words, text or code stands.

import { Part } from '../../need.ts';
import type { Call, Inner, Language } from './inner.ts';
import { executorNames } from './names.ts';

const table = new Part(async () => {
  const { executors, startedByLoader } = await import('./table.ts');
  const { innersOfCode } = await import('./code.ts');
  return { executors, startedByLoader, innersOfCode };
});

const named: ReadonlySet<string> = new Set(executorNames.split(' '));
const loader = /^(?:ld-linux[\w.-]*\.so[\d.]*|ld-musl-[\w.-]+|ld\.so|ld-[\d.]+\.so|ld64\.so[\d.]*)$/;
const versioned = /^(python|pypy|perl|ruby|php|lua|node|tclsh|bash)[\d.]+$/;

/** What a program starts besides itself; null where it is none of the table. */
export function innersOf(call: Call): readonly Inner[] | null {
  const { program } = call;
  const name = named.has(program) ? program : (versioned.exec(program)?.[1] ?? '');
  if (named.has(name)) return table.content.executors.get(name)?.(call) ?? null;
  return loader.test(program) ? table.content.startedByLoader(call) : null;
}

/** Whether a program starts others or runs code. */
export function isExecutor(program: string): boolean {
  return named.has(program) || versioned.test(program) || loader.test(program);
}

/** What code in a language without a parser here starts; null where the language has one. */
export function innersOfCode(language: Language, text: string): readonly Inner[] | null {
  return language === 'python' || language === 'javascript'
    ? null
    : table.content.innersOfCode(language, text);
}

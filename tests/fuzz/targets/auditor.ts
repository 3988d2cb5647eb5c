// The static auditor: agents in TypeScript, Python and Go, lowered and followed.

import { readdirSync, readFileSync } from 'node:fs';
import { audit, parserReaders } from '../../../src/auditor/index.ts';
import { lowerGo } from '../../../src/auditor/lower/go/index.ts';
import { lowerPython } from '../../../src/auditor/lower/python/index.ts';
import { lowerTypescript } from '../../../src/auditor/lower/typescript/index.ts';
import { isTooDeep } from '../../../src/core/nesting.ts';
import { invariant, type Target } from '../target.ts';

/** The agents that the auditor is tested with. */
function agents(folder: 'go' | 'ts' | 'python', ending: string): readonly string[] {
  const place = new URL(`../../fixtures/agents/${folder}/`, import.meta.url);
  return readdirSync(place)
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(new URL(file, place), 'utf8'));
}

const readers = parserReaders();

/** What the rules answer on one file; where it could not be read whole, they say so. */
async function answersOn(path: string, text: string, broken: boolean): Promise<string> {
  const { answers, findings, read } = await audit({ files: [{ path, text }], readers });
  invariant(!broken || read === 0 || findings.length > 0, 'nothing is said of a file that could not be read');
  const lines = text.split('\n').length;
  for (const { line, column } of findings) {
    invariant(
      line >= 1 && line <= lines && column >= 1,
      `a finding at line ${line} of ${lines}, column ${column}`,
    );
  }
  return JSON.stringify([answers, findings.map(({ rule, line }) => [rule, line])]);
}

const typescript: Target = {
  name: 'audit-ts',
  invariant: 'a module is lowered or refused as too deep; one that cannot be read is told of',
  words:
    'await async function => const let class extends static import export from require( for of in while switch case try catch finally throw return yield ?. ?? ... ` ${ } ( ) { } [ ] ; : as satisfies <T> @dec enum namespace declare #x this super new.target import.meta openai.chat.completions.create generateText tool_calls exec( sallyport guard.decide // sallyport:audit-ignore'.split(
      ' ',
    ),
  seeds: agents('ts', '.ts'),
  largest: 8192,
  limit: 500,
  cost: 2300,
  open: async () => {
    const modules = await readers.modules();
    return async (text) => {
      let broken = isTooDeep(text);
      if (!broken) broken = lowerTypescript('agent.ts', text, modules, { next: 1 }).broken.length > 0;
      return await answersOn('agent.ts', text, broken);
    };
  },
};

const python: Target = {
  name: 'audit-py',
  invariant: 'a module is lowered or refused as too deep; one that cannot be read is told of',
  words:
    'await async def class lambda import from as with for in while if elif else try except finally raise return yield match case := ** * @ : \n \t """ f"{ } ( ) [ ] { } self client.chat.completions.create subprocess.run tool_calls sallyport # sallyport:audit-ignore'.split(
      ' ',
    ),
  seeds: agents('python', '.py'),
  largest: 8192,
  limit: 500,
  cost: 13_000,
  open: async () => {
    const parse = await readers.python();
    return async (text) => {
      let broken = isTooDeep(text);
      if (!broken) broken = lowerPython('agent.py', text, parse, { next: 1 }).broken.length > 0;
      return await answersOn('agent.py', text, broken);
    };
  },
};

const go: Target = {
  name: 'audit-go',
  invariant: 'a file is lowered or refused as too deep; one that cannot be read is told of',
  words:
    'package import func type struct interface map[string] chan <- := = ... defer go select case switch range for if else return var const make append new & * ( ) [ ] { } error nil err _ openai.NewClient() .Chat.Completions.New sallyport exec.Command // sallyport:audit-ignore'.split(
      ' ',
    ),
  seeds: agents('go', '.go'),
  largest: 8192,
  limit: 500,
  cost: 13_000,
  open: async () => {
    const parse = await readers.go();
    return async (text) => {
      let broken = isTooDeep(text);
      if (!broken) {
        const root = parse(text);
        const modules = lowerGo([{ path: 'agent.go', source: text, root }], { next: 1 });
        broken = modules.some((one) => one.broken.length > 0);
      }
      return await answersOn('agent.go', text, broken);
    };
  },
};

export const auditorTargets: readonly Target[] = [typescript, python, go];

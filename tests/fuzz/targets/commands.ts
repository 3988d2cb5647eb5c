// Code that agents run: commands of the shell, Python, and code that calls tools.

import { parse as parseShell } from 'unbash';
import { corpus } from '../../../benchmarks/texts.ts';
import type { Action } from '../../../src/core/index.ts';
import { realWorld } from '../../../src/decide/index.ts';
import { closing, opening } from '../../../src/guards/code/read.ts';
import { withoutQualifiers } from '../../../src/guards/command/bash/zsh.ts';
import { hostileShapes, seeds, signs } from '../shapes.ts';
import { context, deciderOf, exampleActions, invariant, type Target, verdictText } from '../target.ts';

/** Commands of the corpora, where they are at hand. */
const known = [
  'metamorphic-verified',
  'benign-controls',
  'ci-run-steps',
  'nl2bash-benign',
  'gtfobins',
  'nah-1.3.1',
]
  .flatMap((name) => corpus<{ cmd: string }>(`shell/${name}.jsonl`))
  .map(({ cmd }) => cmd);

const examples = await exampleActions('command');

/** Ordinary and dangerous commands. */
export const shellSeeds: readonly string[] = [...new Set(seeds(known))];

const developer = { profile: 'developer' } as const;

const shell: Target = {
  name: 'shell',
  invariant: 'a command that the parser cannot read does not pass',
  words: signs,
  seeds: shellSeeds,
  shapes: hostileShapes().map(({ text }) => text),
  largest: 8192,
  cost: 400,
  open: () => {
    const decider = deciderOf(['command'], { agent: developer });
    return async (command) => {
      const { verdict } = await decider.decide({ kind: 'shell', command, cwd: '/workspace' }, context);
      if (verdict.decision === 'pass') {
        // zsh reads qualifiers behind patterns that bash has no place for.
        const read = [command, withoutQualifiers(command)].some(
          (text) => (parseShell(text).errors?.length ?? 0) === 0,
        );
        invariant(read, 'it passes, and cannot be read');
      }
      return verdictText(verdict);
    };
  },
};

const { readers } = realWorld();

/** What the parser of Python calls a place that it cannot read. */
const brokenPython = new Set(['ERROR']);

interface PythonTree {
  readonly type: string;
  readonly children?: readonly PythonTree[];
}

function isBroken(node: PythonTree): boolean {
  return brokenPython.has(node.type) || (node.children ?? []).some(isBroken);
}

const python: Target = {
  name: 'python',
  invariant: 'a program that the parser cannot read does not pass',
  words:
    'import os subprocess shutil open( exec( eval( __import__ getattr( lambda def class with as for in if else : \n \t """ \' f"{ } @ await async yield match case := ** // -> \\N{DASH} \\x41'.split(
      ' ',
    ),
  seeds: examples.flatMap((action: Action) => (action.kind === 'python' ? [action.source] : [])),
  cost: 1000,
  limit: 100,
  open: async () => {
    const decider = deciderOf(['command'], { agent: developer });
    const parse = await readers?.python();
    if (parse === null || parse === undefined) throw new Error('the parser of Python is not installed');
    return async (source) => {
      const { verdict } = await decider.decide({ kind: 'python', source, cwd: '/workspace' }, context);
      if (verdict.decision === 'pass') {
        invariant(!isBroken(parse(source) as PythonTree), 'it passes, and cannot be read');
      }
      return verdictText(verdict);
    };
  },
};

const code: Target = {
  name: 'code',
  invariant:
    'code that the parser finds a fault in does not pass; what passes is read again as JavaScript and passes',
  words:
    'await return const let var function => async ( ) { } [ ] ; `${ } ?. ?? ... class extends static import( export eval Function globalThis process constructor __proto__ prototype this new delete void typeof yield for of in while do switch case try catch finally throw as any : string <T> ! enum namespace declare @dec github.list_issues setTimeout Proxy Reflect Symbol /a/g \\u0065val'.split(
      ' ',
    ),
  seeds: (await exampleActions('code')).flatMap((action) => (action.kind === 'code' ? [action.source] : [])),
  largest: 12_100,
  cost: 360,
  open: async () => {
    const decider = deciderOf(['code'], {});
    const read = await readers?.code?.();
    if (read === null || read === undefined) throw new Error('the parser of JavaScript is not installed');
    const tools = ['github.list_issues', 'files.read_file'];
    return async (source) => {
      const judge = (text: string, language: 'js' | 'ts') =>
        decider.decide({ kind: 'code', language, source: text, tools }, context);
      const { verdict } = await judge(source, 'ts');
      if (verdict.decision === 'pass') {
        const { errors } = read(`${opening}${source}${closing}`, 'ts');
        invariant(errors.length === 0, 'it passes, and has a fault');
        // What runs is what is left without types.
        const runs = verdict.action.kind === 'code' ? verdict.action.source : source;
        const again = await judge(runs, 'js');
        invariant(again.verdict.decision === 'pass', 'it passes as TypeScript, and not as what runs');
      }
      return verdictText(verdict);
    };
  },
};

export const commandTargets: readonly Target[] = [shell, python, code];

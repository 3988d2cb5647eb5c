// What the tests of this folder stand on: a small table of tools, and facts written as lines.

import type { AnalysisEnvironment, Effect, Facts, Languages, Origin, Value } from '../effects.ts';
import { loadParts } from '../need.ts';
import { effectsOf as realEffectsOf } from '../tools/index.ts';
import { fromInput } from '../tools/tool.ts';
import { analyseShell } from './evaluate.ts';
import type { EffectsOf } from './shell/analysis.ts';

await loadParts();

const secretPath = /\.ssh\/id_|\/etc\/shadow|\.env$/;
const inert =
  'echo printf ls true false : test [ cd pwd grep wc sort head tail man which type npm chmod export read set shopt alias git docker jq sed awk gh find make mkdir touch';
const known = new Set(inert.split(' '));

/** A stand-in for the table of tools: it knows a handful of programs. */
const effectsOf: EffectsOf = (program, args, io, at) => {
  const literals = args.filter((arg) => arg.kind === 'literal').map((arg) => arg.text);
  const effect = (kind: Effect['kind'], path: Value, origins: readonly Origin[] = []): Effect => ({
    kind,
    target: { kind: 'path', path },
    origins,
    program,
    through: at.through,
    span: at.span,
  });
  const secrets = (): readonly Effect[] =>
    literals
      .filter((text) => secretPath.test(text))
      .map((text) => effect('secret', { kind: 'literal', text }));
  const writes = (): readonly Effect[] =>
    realEffectsOf(program, args, io, at)?.filter(({ kind }) => kind === 'write') ?? [];
  switch (program) {
    case 'cat':
    case 'base64':
      return secrets();
    // What is written where is asked of the real table.
    case 'cp':
    case 'mv':
    case 'ln':
    case 'dd':
    case 'install':
    case 'scp':
      return [...secrets(), ...writes()];
    case 'rm':
      return args
        .filter((arg) => arg.kind !== 'literal' || !arg.text.startsWith('-'))
        .map((arg) => effect('delete', arg));
    case 'tee':
      return literals
        .filter((text) => !text.startsWith('-'))
        .flatMap((text) => [
          { ...effect('write', { kind: 'literal', text }), content: fromInput },
          ...(text.includes('.bashrc') ? [effect('persist', { kind: 'literal', text })] : []),
        ]);
    case 'curl':
    case 'wget':
    case 'nc':
      return [
        {
          kind: 'connect',
          target: { kind: 'host', host: { kind: 'unknown' } },
          origins: literals.includes('@-') || program === 'nc' ? io.stdinOrigins : [],
          program,
          through: at.through,
          span: at.span,
        },
        ...writes(),
      ];
    default:
      return known.has(program) ? [] : null;
  }
};

const nothing: Facts = { effects: [], invocations: [], unknowns: [], errors: [] };

const around: AnalysisEnvironment = { cwd: '/work/project', home: '/home/user', spend: () => {} };

/** Facts of a command with the stand-in tables. */
export function factsOf(source: string, given: Partial<AnalysisEnvironment> = {}): Facts {
  const languages: Languages = {
    shell: (text, around) => analyseShell(text, around, languages, effectsOf),
    python: (text, around) => {
      const shell = /os\.system\((["'])(.*?)\1\)/.exec(text)?.[2];
      return shell === undefined ? nothing : languages.shell(shell, around);
    },
    javascript: () => null,
  };
  return analyseShell(source, { ...around, ...given }, languages, effectsOf);
}

/** A value as tests write it: `a|b` for a choice, `a…` for a prefix, `?` for nothing known. */
export function written(value: Value): string {
  switch (value.kind) {
    case 'literal':
      return value.text;
    case 'choice':
      return value.texts.join('|');
    case 'prefix':
      return `${value.text}…`;
    case 'unknown':
      return '?';
  }
}

/** Every program that would be started, without wrappers: `rm -rf /`. */
export function startedBy(source: string): readonly string[] {
  return factsOf(source).invocations.map(({ program, args }) =>
    [program ?? '?', ...args.map(written)].join(' '),
  );
}

/** Every effect: `delete /`, `connect ? from secret`. */
export function effectsBy(source: string): readonly string[] {
  return factsOf(source).effects.map(({ kind, target, origins = [] }) => {
    const where =
      target.kind === 'path'
        ? ` ${written(target.path)}`
        : target.kind === 'host'
          ? ` ${written(target.host)}`
          : '';
    return `${kind}${where}${origins.length > 0 ? ` from ${[...origins].sort().join(' and ')}` : ''}`;
  });
}

// The report behind `sallyport policy check`: the problems of the policies of each file, and its unused policies.

import { ConfigError, type ConfigProblem, type PolicySource } from '../config/index.ts';
import { baseline } from './baseline.ts';
import { type CompiledSource, clashes, compileAll, compileSource, type PolicyProblem } from './compile.ts';
import { loadCedar } from './schema.ts';

export interface PolicyReport {
  readonly ok: boolean;
  readonly files: readonly {
    readonly file: string;
    readonly policies: number;
    readonly problems: readonly PolicyProblem[];
    /** Policies that change nothing. */
    readonly notes: readonly ConfigProblem[];
  }[];
  /** Ids that occur in more than one file. */
  readonly clashes: readonly string[];
}

/** Reads every file; `fallback` is the default that they are used with, where one is known. */
export async function checkPolicies(
  sources: readonly PolicySource[],
  fallback: 'permit' | 'deny' | null,
): Promise<PolicyReport> {
  const read = await Promise.all([baseline, ...sources].map(compileSource));
  const files = read.slice(1).map((compiled) => ({
    file: compiled.source.name,
    policies: compiled.policies.length,
    problems: compiled.problems,
    notes: fallback === 'permit' ? idlePermits(compiled) : [],
  }));
  const twice = clashes(read);
  const ok = twice.length === 0 && files.every(({ problems }) => problems.length === 0);
  return { ok, files, clashes: twice };
}

/** Throws `ConfigError` with everything that is wrong, unless the files can be used together. */
export async function requirePolicies(sources: readonly PolicySource[]): Promise<void> {
  await compileAll([baseline, ...sources]);
}

/** The formatted text of a file; throws `ConfigError` if it is not a file of policies. */
export async function formatPolicies({ name, text }: PolicySource): Promise<string> {
  const cedar = await loadCedar();
  const made = cedar.formatPolicies({ policyText: text, lineWidth: 100, indentWidth: 2 });
  if (made.type === 'failure') {
    throw new ConfigError(`${name}: ${made.errors.map(({ message }) => message).join('\n')}`, {
      hint: "run 'sallyport policy check'",
    });
  }
  return made.formatted_policy;
}

/** Actions that the guards allow are permitted already, so a permit has no effect on them. */
function idlePermits({ policies }: CompiledSource): readonly ConfigProblem[] {
  return policies
    .filter(({ effect }) => effect === 'permit')
    .map(({ id, line, column }) => ({
      line,
      column,
      message: `the permit "${id}" has no effect: all is permitted unless default = "deny"`,
    }));
}

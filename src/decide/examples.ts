// Runs the examples that rules carry through the one request path, in a world made for each example.

import { configOf, type OwnRule, type Settings, settingsFrom, withTools } from '../config/index.ts';
import {
  type Context,
  type Example,
  type Given,
  isJsonObject,
  type Rule,
  type Standing,
  type Symbols,
  type World,
} from '../core/index.ts';
import { type AnyGuard, guards as allGuards, type ListedGuard } from '../guards/index.ts';
import { createDryDecider } from './decide.ts';
import type { Decider } from './types.ts';
import { realWorld } from './world.ts';

/** An example with a result other than its rule states. */
export interface ExampleFailure {
  readonly rule: string;
  readonly expected: 'hit' | 'miss';
  readonly example: Example;
}

/** Checks every example of the given rules, with rules of the user's own in force; returns those that fail. */
export async function runExamples(
  rules: readonly Rule[],
  guards: readonly (AnyGuard | ListedGuard)[] = allGuards,
  own: readonly OwnRule[] = [],
): Promise<readonly ExampleFailure[]> {
  const failures: ExampleFailure[] = [];
  const open = exampleDeciders(guards, own);
  for (const rule of rules) {
    for (const expected of ['hit', 'miss'] as const) {
      for (const example of rule.examples[expected]) {
        if (!(await canBeRead(example, rule))) continue;
        const { decider, context } = await open(example.given);
        const { verdict } = await decider.decide(example.action, context);
        const hit = verdict.findings.some(
          (finding) => finding.rule === rule.id && finding.guard === rule.guard,
        );
        if (hit !== (expected === 'hit')) failures.push({ rule: rule.id, expected, example });
      }
    }
  }
  return failures;
}

/**
 * Code is read by optional packages; if one is missing, examples for its language prove nothing, and it is asked about
 * or unknown.
 */
async function canBeRead({ action, given }: Example, { guard }: Rule): Promise<boolean> {
  if (guard === 'code') return (await readers?.code?.()) != null;
  if (guard === 'symbols') return (await readers?.modules?.()) != null;
  if (action.kind === 'query' && action.language === 'sql') {
    const source = given?.sources?.[action.target];
    const kind = isJsonObject(source) ? source['kind'] : undefined;
    if (kind === 'postgres' || kind === 'mysql' || kind === 'sqlite')
      return (await readers?.[kind]?.()) != null;
  }
  return action.kind !== 'python' || (await readers?.python()) != null;
}

/** Readers and schemas access only their input. */
const { readers, schemas } = realWorld();

const root = '/workspace';

/** The texts of an example as an indexed workspace. */
function symbolsOf(files: NonNullable<Given['files']>): Symbols {
  return {
    lists: async (file, names) => {
      const list = files[file.slice(root.length + 1)];
      return typeof list === 'string' ? list.split('\n').some((line) => names.includes(line)) : null;
    },
    of: async () => {
      const { memoryTree } = await import('../guards/symbols/memory.ts');
      const texts = Object.entries(files).flatMap(([path, text]) =>
        typeof text === 'string' ? [[`${root}/${path}`, text] as const] : [],
      );
      return memoryTree(new Map(texts), (await readers?.modules?.()) ?? null);
    },
  };
}

/** The entry at a path of an example's workspace; a folder exists if any file is below it. */
function standing(path: string, files: NonNullable<Given['files']>): Standing | null {
  const plain = { links: 1, device: 1, setId: false };
  if (path === root) return { ...plain, type: 'folder' };
  const name = path.slice(root.length + 1);
  const found = Object.hasOwn(files, name) ? files[name] : undefined;
  if (typeof found === 'string') return { ...plain, type: 'file' };
  if (found !== undefined) return { ...plain, ...found };
  const isFolder = Object.keys(files).some((file) => file.startsWith(`${name}/`));
  return isFolder ? { ...plain, type: 'folder' } : null;
}

/** Settings of examples, made once for equal sections: the guards cache what they compile from settings by object. */
function settingsWith(own: readonly OwnRule[]): (given: Given) => Settings {
  const made = new Map<string, Settings>();
  return ({ agent = {}, tools = [], write = {}, sources = {}, packages = {}, judge }) => {
    const sections = { write, packages, sources, ...(judge === undefined ? {} : { judge }) };
    const key = JSON.stringify([agent, tools, sections]);
    const settings = made.get(key) ?? {
      ...withTools(settingsFrom(agent, sections), tools),
      command: { rules: own },
    };
    made.set(key, settings);
    return settings;
  };
}

/** A decider for one example, and the context in which the example is judged. */
export interface ExampleDecider {
  readonly decider: Decider;
  readonly context: Context;
}

/** Creates deciders that judge examples in separate worlds; they record nothing. */
export function exampleDeciders(
  guards: readonly (AnyGuard | ListedGuard)[] = allGuards,
  own: readonly OwnRule[] = [],
): (given?: Given) => Promise<ExampleDecider> {
  const settingsOf = settingsWith(own);
  return async (given = {}) => {
    const { mode, host, workspace = root, nobody = false, heard, read = [] } = given;
    const settings = settingsOf(given);
    const decider = createDryDecider({
      config: configOf(() => settings),
      world: worldOf(given),
      guards,
    });
    const context: Context = {
      user: nobody ? '' : 'example',
      tenant: nobody ? '' : 'example',
      agent: 'default',
      session: 'example',
      workspace,
      mode: mode ?? settings.mode,
      ...(host === undefined ? {} : { host }),
    };
    if (heard !== undefined || read.length > 0) {
      const session = await decider.session(context);
      if (heard !== undefined) session.heard(heard);
      for (const { text, source } of read) session.read(text, source);
    }
    return { decider, context };
  };
}

function worldOf({ restorable = true, resolves = {}, files = {}, extracted, database }: Given): World {
  return {
    now: () => 0,
    resolve: async (name) => resolves[name] ?? [],
    realPath: (path) => path,
    readText: (path) => {
      const found = files[path.slice(root.length + 1)];
      return typeof found === 'string' ? found : null;
    },
    look: (path) => standing(path, files),
    home: '/home/user',
    symbols: symbolsOf(files),
    ...(extracted === undefined ? {} : { extract: async () => extracted }),
    ...(database === undefined
      ? {}
      : {
          database: () => ({
            schema: async () => ({ text: database.schema, digest: '' }),
            estimate: async () => database.estimate ?? null,
          }),
        }),
    restorable: () => restorable,
    ...(readers === undefined ? {} : { readers }),
    ...(schemas === undefined ? {} : { schemas }),
  };
}

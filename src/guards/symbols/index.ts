// The hallucination guard: whether what a change refers to exists in the workspace as it will be. It only ever warns.

import type { Settings } from '../../config/settings.ts';
import type {
  ActionOf,
  Facts,
  Finding,
  Guard,
  GuardInput,
  Judgement,
  ModuleReader,
  SourceTree,
  World,
} from '../../core/index.ts';
import { BudgetExceeded } from '../../core/index.ts';
import { missingFinding, packageFindings, symbolRules } from './rules.ts';

/** Looks the references of changed files up. */
export const symbolsGuard: Guard<'write', Settings> = {
  name: 'symbols',
  kinds: ['write'],
  rules: symbolRules,
  check,
};

/** Files that have references to look up; the rest costs nothing. */
const source = /\.(?:(?:c|m)?(?:j|t)sx?|pyi?)$/;
const manifest = /(?:package\.json|pyproject\.toml|\.txt|\.in)$/;
const script = /\.(?:c|m)?(?:j|t)sx?$/;
/** The largest manifest that is read, in characters. */
const largestManifest = 1_048_576;
/** Most missing references that facts name. */
const mostNamed = 100;

/** A file of the change set: where its text stands in the action, and what it will be; null where it goes away. */
interface Change {
  readonly path: string;
  readonly pointer: string;
  readonly text: string | null;
}

async function check(action: ActionOf<'write'>, input: GuardInput<Settings>): Promise<Judgement<'write'>> {
  const { context, world, budget } = input;
  const changes = changesOf(action, context.workspace, world);
  for (const { text } of changes) budget.spend(1 + ((text?.length ?? 0) >> 8));
  const added = changes.some(({ path }) => manifest.test(path))
    ? await newPackageFindings(changes, input)
    : [];
  // A command made these files, and no model that might refer to what does not exist.
  if (action.by === 'command') return judgement({}, added);
  if (!changes.some(({ path, text }) => text !== null && source.test(path))) return judgement({}, added);
  try {
    // Python needs no reader.
    const needsReader = changes.some(({ path, text }) => text !== null && script.test(path));
    const reader = needsReader ? ((await world.readers?.modules?.()) ?? null) : null;
    const tree = (await world.symbols?.of(context.workspace, reader)) ?? null;
    if (tree === null) return judgement({ symbols: 'unavailable' }, added);
    const { facts, findings } = await lookUp(changes, tree, reader, input);
    return judgement(facts, [...added, ...findings]);
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error;
    // A disk that fails here says nothing about the change; a guard that only warns has then nothing to say.
    return judgement({ symbols: 'unavailable' }, added);
  }
}

/** What is to be said of packages that manifests of the change set add. */
async function newPackageFindings(
  changes: readonly Change[],
  { context, settings, world, budget }: GuardInput<Settings>,
): Promise<readonly Finding[]> {
  const { isManifest, newPackages, plain } = await import('./packages.ts');
  const { symbols } = world;
  const root = context.workspace;
  const tree = (await symbols?.of(root, null).catch(() => null)) ?? null;
  const findings: Finding[] = [];
  for (const { path, pointer, text } of changes) {
    if (text === null || !isManifest(path) || text.length > largestManifest) continue;
    const before = readOld(`${root}/${path}`, world);
    for (const added of newPackages(path, text, before, root, tree)) {
      budget.spend(10);
      const list = settings.packages[added.registry];
      const names = [...new Set([added.name, added.name.toLowerCase(), plain(added)])];
      // Without a store to ask, a list cannot be read.
      const listed = list === '' ? undefined : ((await symbols?.lists(list, names)) ?? null);
      const line = text.slice(0, added.start).split('\n').length;
      findings.push(...packageFindings(added, listed, line, path, pointer));
    }
  }
  return findings;
}

function judgement(facts: Facts, findings: readonly Finding[]): Judgement<'write'> {
  return { facts, findings, sideEffect: true };
}

async function lookUp(
  changes: readonly Change[],
  base: SourceTree,
  reader: ModuleReader | null,
  { context, budget }: GuardInput<Settings>,
): Promise<Judgement<'write'>> {
  // Loaded with the first source file: other writes do not pay for it.
  const [{ overlay }, { checkFile }] = await Promise.all([import('./overlay.ts'), import('./check.ts')]);
  const root = context.workspace;
  const tree = overlay(base, new Map(changes.map(({ path, text }) => [`${root}/${path}`, text])), reader);
  const findings: Finding[] = [];
  const named: { path: string; name: string; line: number; near: readonly string[] }[] = [];
  let checked = 0;
  let unknown = 0;
  for (const { path, pointer, text } of changes) {
    if (text === null || !source.test(path)) continue;
    const file = checkFile(text, `${root}/${path}`, root, tree, reader);
    budget.spend(file.checked);
    checked += file.checked;
    unknown += file.unknown;
    for (const missing of file.missing) {
      findings.push(missingFinding(missing, path, pointer));
      const { line, near, reference } = missing;
      const { module, name } = reference;
      if (named.length < mostNamed) named.push({ path, name: name === '' ? module : name, line, near });
    }
  }
  return judgement(
    { symbols: 'checked', symbols_checked: checked, symbols_unknown: unknown, missing_references: named },
    findings,
  );
}

/** What becomes of each file; one whose path or text is not plain is the write guard's to refuse, and is left out. */
function changesOf(action: ActionOf<'write'>, workspace: string, world: World): readonly Change[] {
  const { path, content, changes } = action;
  const all =
    changes ??
    (path === undefined
      ? []
      : [{ op: 'create' as const, path, ...(content === undefined ? {} : { content }) }]);
  return all
    .flatMap(({ op, path: at, content: text, ...rest }, index): readonly Change[] => {
      const pointer = changes === undefined ? '/content' : `/changes/${index}/content`;
      const to = 'to' in rest ? rest.to : undefined;
      const gone: Change = { path: plain(at), pointer, text: null };
      if (op === 'delete') return [gone];
      if (op === 'rename') {
        const moved = text ?? readOld(`${workspace}/${plain(at)}`, world);
        return to === undefined || moved === null
          ? [gone]
          : [gone, { path: plain(to), pointer, text: moved }];
      }
      return text === undefined ? [] : [{ path: plain(at), pointer, text }];
    })
    .filter(({ path: at }) => at !== '' && !at.split('/').includes('..') && !at.startsWith('/'));
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/');
}

function readOld(path: string, world: World): string | null {
  try {
    return world.readText(path);
  } catch {
    return null;
  }
}

// The hallucination guard: whether what a change refers to exists in the workspace as it will be. It only ever warns.

import type { Settings } from '../../config/settings.ts';
import type {
  ActionOf,
  Facts,
  Finding,
  Guard,
  GuardInput,
  Judgement,
  MissingName,
  ModuleReader,
  SourceTree,
  SymbolCheck,
  Unchecked,
  UncheckedReason,
  World,
} from '../../core/index.ts';
import { BudgetExceeded, hasReferences, indexedSource, symbolFacts } from '../../core/index.ts';
import { keyOf } from './reference.ts';
import { missingFinding, packageFindings, symbolRules } from './rules.ts';

/** Looks the references of changed files up. */
export const symbolsGuard: Guard<'write', Settings> = {
  name: 'symbols',
  kinds: ['write'],
  rules: symbolRules,
  check,
};

const manifest = /(?:package\.json|pyproject\.toml|\.txt|\.in)$/;
const script = /\.(?:c|m)?(?:j|t)sx?$/;
/** The largest manifest that is read, in characters. */
const largestManifest = 1_048_576;
/** Most missing references and files that facts name. */
const mostNamed = 100;

/** A file of the change set: where its text stands in the action, and what it will be. */
interface Change {
  readonly path: string;
  readonly pointer: string;
  /** Null where it goes away; undefined where that is not known. */
  readonly text: string | null | undefined;
  /** What it was, where only a part of it is replaced: what was wrong before is not this change's doing. */
  readonly before?: string;
}

async function check(action: ActionOf<'write'>, input: GuardInput<Settings>): Promise<Judgement<'write'>> {
  const { context, world, budget } = input;
  const changes = changesOf(action, context.workspace, world);
  for (const { text } of changes) budget.spend(1 + ((text?.length ?? 0) >> 8));
  const added = changes.some(({ path }) => manifest.test(path))
    ? await newPackageFindings(changes, input)
    : [];
  const written = changes.filter(({ path, text }) => text !== null && hasReferences(path));
  if (written.length === 0) return judgement({}, added);
  // A command made these files, so there is no model that could be shown the names.
  if (action.by === 'command') return judgement(symbolFacts(notLookedUp(written, 'command')), added);
  if (!written.some(({ path, text }) => typeof text === 'string' && indexedSource.test(path)))
    return judgement(symbolFacts(notLookedUp(written, 'content')), added);
  try {
    // Python and Go need no reader.
    const needsReader = written.some(({ path }) => script.test(path));
    const reader = needsReader ? ((await world.readers?.modules?.()) ?? null) : null;
    const tree = (await world.symbols?.of(context.workspace, reader)) ?? null;
    if (tree === null) return judgement(symbolFacts(notLookedUp(written, 'index')), added);
    const { facts, findings } = await lookUp(changes, tree, reader, input);
    return judgement(facts, [...added, ...findings]);
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error;
    // A disk that fails here says nothing about the change; a guard that only warns has then nothing to say.
    return judgement(symbolFacts(notLookedUp(written, 'index')), added);
  }
}

/** The check of files where nothing was looked up; `why` those of an indexed language were not. */
function notLookedUp(written: readonly Change[], why: UncheckedReason): SymbolCheck {
  const unchecked = written
    .slice(0, mostNamed)
    .map(({ path }) => ({ path, why: indexedSource.test(path) ? why : ('language' as const) }));
  return { files: [], unchecked, checked: 0, unknown: 0, missing: [] };
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
    if (typeof text !== 'string' || !isManifest(path) || text.length > largestManifest) continue;
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
  const texts = changes.flatMap(({ path, text }) =>
    text === undefined ? [] : [[`${root}/${path}`, text] as const],
  );
  const tree = overlay(base, new Map(texts), reader);
  const findings: Finding[] = [];
  const files: string[] = [];
  const unchecked: Unchecked[] = [];
  const named: MissingName[] = [];
  let checked = 0;
  let unknown = 0;
  for (const { path, pointer, text, before } of changes) {
    if (text === null || !hasReferences(path)) continue;
    const at = `${root}/${path}`;
    const file = text === undefined ? null : checkFile(text, at, root, tree, reader);
    const why = file === null ? (indexedSource.test(path) ? 'content' : 'language') : file.unchecked;
    if (why === null) files.push(path);
    else if (unchecked.length < mostNamed) unchecked.push({ path, why });
    if (file === null) continue;
    budget.spend(file.checked);
    checked += file.checked;
    unknown += file.unknown;
    const old =
      before === undefined || file.missing.length === 0
        ? []
        : checkFile(before, at, root, tree, reader).missing.map(({ reference }) => keyOf(reference));
    for (const missing of file.missing) {
      if (old.includes(keyOf(missing.reference))) continue;
      findings.push(missingFinding(missing, path, pointer));
      const { line, near, reference } = missing;
      const { module, name } = reference;
      if (named.length < mostNamed) named.push({ path, name: name === '' ? module : name, line, near });
    }
  }
  return judgement(symbolFacts({ files, unchecked, checked, unknown, missing: named }), findings);
}

/** What becomes of each file; one whose path is not plain is the write guard's to refuse, and is left out. */
function changesOf(action: ActionOf<'write'>, workspace: string, world: World): readonly Change[] {
  const { path, content, contentBase64, changes } = action;
  const all =
    changes ?? (path === undefined ? [] : [{ op: 'create' as const, path, ...held(content, contentBase64) }]);
  return all
    .flatMap((change, index): readonly Change[] => {
      const { op } = change;
      const pointer = changes === undefined ? '/content' : `/changes/${index}/content`;
      const at = plain(change.path);
      const to = 'to' in change ? change.to : undefined;
      const gone: Change = { path: at, pointer, text: null };
      if (op === 'delete') return [gone];
      const result = resultOf(change, () => readOld(`${workspace}/${at}`, world));
      if (op === 'rename') return to === undefined ? [gone] : [gone, { path: plain(to), pointer, ...result }];
      return [{ path: at, pointer, ...result }];
    })
    .filter(({ path: at }) => at !== '' && !at.split('/').includes('..') && !at.startsWith('/'));
}

type WrittenFile = NonNullable<ActionOf<'write'>['changes']>[number];

function held(content: string | undefined, contentBase64: string | undefined): Partial<WrittenFile> {
  return {
    ...(content === undefined ? {} : { content }),
    ...(contentBase64 === undefined ? {} : { contentBase64 }),
  };
}

/** The text that a change leaves, and the one before it where only a part is replaced. */
function resultOf(
  { op, content, contentBase64, edits }: WrittenFile,
  old: () => string | null,
): Pick<Change, 'text' | 'before'> {
  if (content !== undefined) return { text: content };
  if (contentBase64 !== undefined) return { text: decoded(contentBase64) };
  const before = old();
  if (edits === undefined || edits.length === 0)
    return { text: op === 'rename' ? (before ?? undefined) : undefined };
  let text = before ?? '';
  for (const { old: from, new: now } of edits) {
    // An edit that takes nothing out makes the file; one whose text is not there is the host's to refuse or to guess.
    if (from === '' && text === '') text = now;
    else if (from === '' || !text.includes(from)) return { text: undefined };
    else text = text.replaceAll(from, () => now);
  }
  return before === null ? { text } : { text, before };
}

const strict = new TextDecoder('utf-8', { fatal: true });

function decoded(base64: string): string | undefined {
  try {
    return strict.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
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

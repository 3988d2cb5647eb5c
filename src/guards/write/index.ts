// The write guard: which files an agent may change, with what content, and which it may read.

import type { Settings } from '../../config/settings.ts';
import { realPathIn } from '../../core/guard.ts';
import type { ActionOf, Finding, Guard, GuardInput, Judgement, World } from '../../core/index.ts';
import { ownHomeOf, ownHomes } from '../../detect/protect.ts';
import {
  bytesOf,
  type ContentFacts,
  type HostFile,
  hostFileOf,
  type PathFacts,
  readBase64,
  readPath,
  readText,
} from './facts.ts';
import { deletedFindings, destroyedFindings } from './rules/command.ts';
import { changeFindings, contentFindings, contentMissing, type Find } from './rules/content.ts';
import { writeRules } from './rules/index.ts';
import { outsideFindings } from './rules/outside.ts';
import {
  changedPlaceFindings,
  lastPlaceFindings,
  pathFindings,
  placeFindings,
  workspaceFindings,
} from './rules/place.ts';
import { protectionFindings } from './rules/protect.ts';
import { readFindings } from './rules/read.ts';
import { autonomyFindings, blockedFindings, isAllowed, planFinding } from './rules/user.ts';

type WriteKind = 'read' | 'write';
type Input = GuardInput<Settings>;

/** Judges reads and writes of files. */
export const writeGuard: Guard<WriteKind, Settings> = {
  name: 'write',
  kinds: ['write', 'read'],
  rules: writeRules,
  check: (action, input) => (action.kind === 'read' ? checkRead(action, input) : checkWrite(action, input)),
};

function checkRead(
  { path }: ActionOf<'read'>,
  { context, settings, world, budget }: Input,
): Judgement<'read'> {
  budget.spend(1 + (path.length >> 6));
  const { workspace } = context;
  const absolute = path.startsWith('/') ? path : `${workspace}/${path}`;
  const real = path.includes('\u0000') ? null : realPathIn(world, absolute);
  const own = ownHomes(world.ownHome ?? [], world.home ?? '');
  const findings = readFindings(path, real, { workspace, profile: settings.profile, own, home: world.home });
  return { facts: { outside: !isBelow(real ?? absolute, workspace) }, findings, sideEffect: false };
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** What is put into a file. */
interface Held {
  readonly pointer: string;
  readonly facts: ContentFacts;
  /** What it replaces, where that is a part of the file and not all of it. */
  readonly replaces?: string;
}

/** One file that a write touches. */
interface Touch {
  readonly pointer: string;
  readonly path: PathFacts;
  /** Undefined where the file is taken away or moved. */
  readonly content: Held | undefined;
  readonly op: 'create' | 'edit' | 'delete' | 'rename';
  /** Whether it says that the file can be run, or no longer; that alone needs no content. */
  readonly mode?: boolean;
  /** It was done on an overlay, and is seen before it counts. */
  readonly by?: 'command';
  /** Git starts programs by it. */
  readonly starts?: true;
}

async function checkWrite(action: ActionOf<'write'>, input: Input): Promise<Judgement<'write'>> {
  const { context, budget, settings } = input;
  const touches = touchesOf(action);
  // The host's own notes are no files of the project, so plan mode and autonomy say nothing about them.
  const areNotes = touches.length > 0 && touches.every(({ path }) => locate(path, input).at === 'host');
  const findings: Finding[] = areNotes
    ? []
    : [
        ...(context.mode === 'plan' ? [planFinding('')] : []),
        ...autonomyFindings(settings.autonomy),
        ...workspaceFindings(context.workspace, input.world),
      ];
  if (action.unasked === true) {
    const paths = (op: Touch['op']) =>
      touches.filter((touch) => touch.op === op).map(({ path }) => path.given);
    findings.push(...deletedFindings(paths('delete'), paths('edit')));
  } else if (action.by === 'command') findings.push(...destroyedBy(touches, input));
  for (const touch of touches) {
    const bytes = touch.content?.facts.bytes ?? 0;
    budget.spend(1 + touch.path.names.length + (bytes >> 10));
    findings.push(...(await touchFindings(touch, input)));
  }
  const bytes = touches.reduce((sum, { content }) => sum + (content?.facts.bytes ?? 0), 0);
  const count = (op: Touch['op']) => touches.filter((touch) => touch.op === op).length;
  return {
    facts: {
      files: new Set(touches.map(({ path }) => path.given)).size,
      bytes,
      deletes: count('delete'),
      ...(areNotes ? { notes: true } : {}),
    },
    learned: { notes: areNotes },
    findings,
    sideEffect: true,
  };
}

/** What a command destroyed: files that are gone, and texts that are empty now. */
function destroyedBy(touches: readonly Touch[], { context, world }: Input): readonly Finding[] {
  const paths: Record<'deleted' | 'replaced' | 'emptied', string[]> = {
    ...{ deleted: [], replaced: [], emptied: [] },
  };
  for (const { op, content, mode, path } of touches) {
    if (op === 'delete') paths.deleted.push(path.given);
    if (op !== 'edit' || mode === true) continue;
    const old = oldText(`${context.workspace}/${path.given}`, world);
    if (typeof old !== 'string') continue;
    if (content === undefined || content.facts.problem !== null) paths.replaced.push(path.given);
    else if (isEmptied(old, content.facts.text)) paths.emptied.push(path.given);
  }
  return destroyedFindings(paths.deleted, paths.replaced, paths.emptied);
}

/** A text with fewer lines is often written anew as a whole. */
const fewLines = 5;

/** Whether an edit leaves nothing of a text: no text at all, or none of its lines. */
function isEmptied(old: string, text: string): boolean {
  const before = linesOf(old);
  const after = linesOf(text);
  if (before.size === 0) return false;
  return after.size === 0 || (before.size >= fewLines && ![...before].some((line) => after.has(line)));
}

function linesOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
}

function touchesOf({
  path,
  content,
  contentBase64,
  changes,
  by,
  starts,
}: ActionOf<'write'>): readonly Touch[] {
  if (changes === undefined) {
    return [
      {
        pointer: '/path',
        path: readPath(path ?? ''),
        content: contentOf(content, contentBase64, ''),
        op: 'create',
      },
    ];
  }
  return changes.flatMap(
    (
      { op, path: at, to, content: text, contentBase64: encoded, edits, executable },
      index,
    ): readonly Touch[] => {
      const pointer = `/changes/${index}`;
      const held =
        op === 'delete' ? undefined : (contentOf(text, encoded, pointer) ?? editsOf(edits, pointer));
      const touch: Touch = {
        pointer: `${pointer}/path`,
        path: readPath(at),
        content: held,
        op,
        mode: executable !== undefined,
        ...(by === undefined ? {} : { by }),
        ...(starts?.includes(at) === true ? { starts: true } : {}),
      };
      if (op !== 'rename') return [touch];
      return [touch, { pointer: `${pointer}/to`, path: readPath(to ?? ''), content: undefined, op }];
    },
  );
}

function contentOf(text: string | undefined, encoded: string | undefined, pointer: string): Held | undefined {
  if (text !== undefined) {
    return { pointer: `${pointer}/content`, facts: readText(text, bytesOf(text)) };
  }
  if (encoded === undefined) return undefined;
  return { pointer: `${pointer}/contentBase64`, facts: readBase64(encoded) };
}

/** An edit is judged by what it puts in against what it takes out: the rest of the file stays as it is. */
function editsOf(
  edits: readonly { readonly old: string; readonly new: string }[] | undefined,
  pointer: string,
): Held | undefined {
  if (edits === undefined || edits.length === 0) return undefined;
  const added = edits.map((edit) => edit.new).join('\n');
  const replaces = edits.map((edit) => edit.old).join('\n');
  return { pointer: `${pointer}/edits`, facts: readText(added, bytesOf(added)), replaces };
}

/** Where a path leads: into the workspace, to a file that the host itself keeps, or elsewhere. */
type Location =
  | { readonly at: 'workspace'; readonly file: string }
  | { readonly at: 'host'; readonly file: string; readonly place: HostFile }
  | { readonly at: 'outside'; readonly file: string };

function locate({ given, problems }: PathFacts, { context, world }: Input): Location {
  const { workspace } = context;
  const way = given.startsWith('~/') && world.home ? `${world.home}${given.slice(1)}` : given;
  const file = way.startsWith('/') ? way : `${workspace}/${way.replace(/^(?:\.\/)+/, '')}`;
  // INVARIANT: only a path that is plain but for its beginning leads where its text says.
  const isPlain = problems.every((problem) => problem === 'absolute');
  if (!isPlain) return { at: 'workspace', file };
  const place = hostFileOf(file, context, world);
  if (place !== null) return { at: 'host', file, place };
  const isOutside = way.startsWith('/') && !isBelow(way, workspace);
  return { at: isOutside ? 'outside' : 'workspace', file };
}

/** What is wrong with where a file stands. */
function locationFindings(
  { path, pointer, op, by, starts }: Touch,
  location: Location,
  input: Input,
): readonly Finding[] {
  const { context, settings, world } = input;
  const { workspace } = context;
  const blocked = blockedFindings(path, pointer, settings.write);
  if (location.at === 'host') {
    const { root, names } = location.place;
    return [...blocked, ...placeFindings({ ...path, names }, pointer, root, world)];
  }
  if (location.at === 'outside' && context.host !== undefined && settings.profile === 'developer') {
    return [
      ...blocked,
      ...outsideFindings(location.file, path, pointer, workspace, world),
      ...lastPlaceFindings(path, pointer, location.file, world),
    ];
  }
  const isGuards = isOwn(path, workspace, world);
  const knownAs = isGuards ? 'guard' : starts === true ? 'version_control' : null;
  const findings = [
    ...pathFindings(path, pointer, location.at === 'outside'),
    ...protectionFindings(path, pointer, {
      ...{ profile: settings.profile, knownAs, deletes: op === 'delete' },
      allowed: isAllowed(path, settings.write),
    }),
    ...blocked,
  ];
  // INVARIANT: the disk is asked only about a path that is plain.
  if (path.problems.length > 0) return findings;
  const place = by === 'command' ? changedPlaceFindings : placeFindings;
  return [...findings, ...place(path, pointer, workspace, world)];
}

async function touchFindings(touch: Touch, input: Input): Promise<readonly Finding[]> {
  const { path, pointer, content } = touch;
  const { context, world } = input;
  const location = locate(path, input);
  const findings = [...locationFindings(touch, location, input)];
  if (content === undefined) {
    const needed = touch.op === 'create' || (touch.op === 'edit' && touch.mode !== true);
    return needed && touch.by !== 'command' ? [...findings, contentMissing(path.given, pointer)] : findings;
  }
  findings.push(...contentFindings(content.facts, path.given, content.pointer));
  if (content.facts.problem !== null || findings.some(({ decision }) => decision === 'block'))
    return findings;
  const old = content.replaces ?? oldText(location.file, world);
  const find = await finder(context.workspace);
  findings.push(
    ...changeFindings(content.facts.text, old, find, {
      ...{ path: path.given, pointer: content.pointer },
      inside: insideOf(location.file, input),
    }),
  );
  return findings;
}

/** Whether a file of the workspace is one of the guard's own, which may have been given a home there. */
function isOwn({ names }: PathFacts, workspace: string, { ownHome = [] }: World): boolean {
  return ownHomeOf(`${workspace}/${names.join('/')}`, ownHome, workspace) !== null;
}

/** The text that stands in a file now; undefined where it cannot be read as one. */
/** The real place of a file from its workspace; null where it leads out of it. */
function insideOf(
  file: string,
  { context: { workspace }, world }: Pick<Input, 'context' | 'world'>,
): string | null {
  const real = realPathIn(world, file) ?? file;
  return real.startsWith(`${workspace}/`) ? real.slice(workspace.length + 1) : null;
}

function oldText(path: string, world: World): string | null | undefined {
  try {
    return world.readText(path);
  } catch {
    return undefined;
  }
}

/** Loaded with the first content: paths alone need no detector. */
async function finder(workspace: string): Promise<Find> {
  const { builtin, scan } = await import('../../detect/index.ts');
  return (text) =>
    scan(text, builtin('secrets', 'paths'), { workspace }).map(({ start, end, pack }) => ({
      text: text.slice(start, end),
      secret: pack === 'secrets',
    }));
}

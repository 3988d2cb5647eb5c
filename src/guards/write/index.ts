// The write guard: which files an agent may change, with what content, and which it may read.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Finding, Guard, GuardInput, Judgement, World } from '../../core/index.ts';
import { realPathIn } from '../../core/world.ts';
import { ownHomeOf, ownHomes } from '../../detect/protect.ts';
import { type ContentFacts, readBase64, readText } from './content.ts';
import { bytesOf, type PathFacts, readPath } from './path.ts';
import { autonomyFindings } from './rules/autonomy.ts';
import { changeFindings, contentFindings, contentMissing, type Find } from './rules/content.ts';
import { writeRules } from './rules/index.ts';
import { pathFindings } from './rules/path.ts';
import { placeFindings, workspaceFindings } from './rules/place.ts';
import { protectionFindings } from './rules/protect.ts';
import { readFindings } from './rules/read.ts';
import { blockedFindings, isAllowed, planFinding } from './rules/user.ts';

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
}

async function checkWrite(action: ActionOf<'write'>, input: Input): Promise<Judgement<'write'>> {
  const { context, budget, settings } = input;
  const touches = touchesOf(action);
  const findings: Finding[] = [
    ...(context.mode === 'plan' ? [planFinding('')] : []),
    ...autonomyFindings(settings.autonomy),
    ...workspaceFindings(context.workspace, input.world),
  ];
  for (const touch of touches) {
    const bytes = touch.content?.facts.bytes ?? 0;
    budget.spend(1 + touch.path.names.length + (bytes >> 10));
    findings.push(...(await touchFindings(touch, input)));
  }
  const bytes = touches.reduce((sum, { content }) => sum + (content?.facts.bytes ?? 0), 0);
  const count = (op: Touch['op']) => touches.filter((touch) => touch.op === op).length;
  return {
    facts: { files: new Set(touches.map(({ path }) => path.given)).size, bytes, deletes: count('delete') },
    findings,
    sideEffect: true,
  };
}

function touchesOf({ path, content, contentBase64, changes }: ActionOf<'write'>): readonly Touch[] {
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

async function touchFindings(touch: Touch, { context, settings, world }: Input): Promise<readonly Finding[]> {
  const { path, pointer, content } = touch;
  const findings = [
    ...pathFindings(path, pointer),
    ...protectionFindings(
      path,
      pointer,
      isAllowed(path, settings.write),
      isOwn(path, context.workspace, world),
    ),
    ...blockedFindings(path, pointer, settings.write),
  ];
  // INVARIANT: the disk is asked only about a path that is plain.
  if (path.problems.length === 0) findings.push(...placeFindings(path, pointer, context.workspace, world));
  if (content === undefined) {
    const needed = touch.op === 'create' || (touch.op === 'edit' && touch.mode !== true);
    return needed ? [...findings, contentMissing(path.given, pointer)] : findings;
  }
  findings.push(...contentFindings(content.facts, path.given, content.pointer));
  if (content.facts.problem !== null || findings.some(({ decision }) => decision === 'block'))
    return findings;
  const old = content.replaces ?? oldText(`${context.workspace}/${path.names.join('/')}`, world);
  const find = await finder(context.workspace);
  findings.push(...changeFindings(content.facts.text, old, find, path.given, content.pointer));
  return findings;
}

/** Whether a file of the workspace is one of the guard's own, which may have been given a home there. */
function isOwn({ names }: PathFacts, workspace: string, { ownHome = [] }: World): boolean {
  return ownHomeOf(`${workspace}/${names.join('/')}`, ownHome, workspace) !== null;
}

/** The text that stands in a file now; undefined where it cannot be read as one. */
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

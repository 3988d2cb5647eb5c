// What a call would do, as modes see it: from the tool's own effect and from what the guards found in its parts.

import {
  classOf,
  type EffectClass,
  type JudgedPart,
  outwardEffects,
  strongerClass,
  type ToolEffect,
  type ToolSpec,
} from '../../core/index.ts';
import { protectionOf } from '../../detect/protect.ts';

const closed: ReadonlySet<ToolEffect> = new Set(outwardEffects);

/** Whether a person decides each time, whatever the mode: the closed list, and what no snapshot restores. */
export function isOutward({ effect, checkpointable }: ToolSpec): boolean {
  return closed.has(effect) || (checkpointable === false && effect !== 'read' && effect !== 'own');
}

/** The class of a call: of all that it does, and of what was not asked about already, as a call of its own. */
export function classesOf(
  tool: ToolSpec,
  parts: readonly JudgedPart[],
  restorable: boolean,
): { readonly whole: EffectClass; readonly asked: EffectClass } {
  const own = ownClass(tool, parts);
  const inner = parts.filter(({ action }) => action.kind !== 'tool');
  const classes = (some: readonly JudgedPart[]) =>
    some.map((part) => (restorable ? classOfPart(part) : classForGood(part))).reduce(strongerClass, own);
  return { whole: classes(parts), asked: classes(inner) };
}

/** What the tool does by itself, whatever its parts do. */
function ownClass(tool: ToolSpec, parts: readonly JudgedPart[]): EffectClass {
  if (isOutward(tool)) return 'outward';
  const { effect } = tool;
  switch (effect) {
    case 'read':
    case 'own':
      return 'read';
    case 'write':
      // Which file changes is not known.
      return parts.some(({ action }) => action.kind === 'write') ? 'read' : 'sensitive';
    case 'shell':
    case 'python':
    case 'code':
    case 'query':
    case 'fetch':
      return parts.some(({ action }) => action.kind === effect) ? 'read' : 'destructive';
    case 'calls':
      return parts.some(({ action }) => action.kind === 'tool') ? 'read' : 'destructive';
    default:
      return 'destructive';
  }
}

function classOfPart({ action, learned, findings, sideEffect }: JudgedPart): EffectClass {
  switch (action.kind) {
    case 'write': {
      // The host's own plans and memories.
      if (learned.notes === true) return 'read';
      const paths = action.changes?.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
      const files = paths ?? [action.path ?? ''];
      return strongerClass(files.some(isSensitive) ? 'sensitive' : 'edit', classOf(findings, false));
    }
    case 'tool': {
      // A call that was refused before it was understood has no class.
      return learned.class ?? 'destructive';
    }
    default:
      return classOf(findings, sideEffect);
  }
}

/** The class of a part where not everything can be brought back: code that runs may change just that. */
function classForGood(part: JudgedPart): EffectClass {
  const { action, learned } = part;
  const runs = action.kind === 'shell' || action.kind === 'python' || action.kind === 'code';
  return runs && learned.readsOnly !== true ? 'destructive' : classOfPart(part);
}

/** Whether a path names a manifest, a lock file or a dotfile, on file systems that mind case and on those that do not. */
function isSensitive(path: string): boolean {
  const names = path
    .toLowerCase()
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.' && name !== '..');
  return names.some((name) => name.startsWith('.')) || protectionOf(names) !== null;
}

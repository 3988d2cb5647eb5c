// The tool guard: judges calls by the registry (AG-TOOL-1), whose data they touch (AG-TOOL-5), and what they would do
// in this mode (AG-TOOL-3, AG-TOOL-4); their commands, files and requests are judged as actions of their own.

import type { Settings } from '../../config/settings.ts';
import { realPathIn } from '../../core/guard.ts';
import {
  type ActionOf,
  type Circumstances,
  type Finding,
  type Guard,
  type GuardInput,
  type JsonObject,
  type JudgedPart,
  type Judgement,
  type MaybePromise,
  programsIn,
  type SchemaProblem,
  type ToolSpec,
  visible,
  type World,
  whenReady,
} from '../../core/index.ts';
import { type Expansion, expandCall, foldersOf, from, maybeCommand, type Whereabouts } from './expand.ts';
import { type Call, classesOf, readCall, reasonIn, textsOf, withValueAt } from './facts.ts';
import { type Identified, identify } from './identity.ts';
import { callOrigins } from './provenance.ts';
import { callableNames, type Resolved, resolve } from './registry.ts';
import {
  argumentsFinding,
  definitionFindings,
  effectFindings,
  folderFindings,
  identityFindings,
  noUserFinding,
  schemaFinding,
  unknownFinding,
} from './rules/call.ts';
import { toolRules } from './rules/index.ts';

type ToolAction = ActionOf<'tool'>;
type ToolInput = GuardInput<Settings>;
type ToolJudgement = Judgement<'tool'>;

/** What a call says, by the tool that it is judged as. */
interface Reading {
  readonly resolved: Resolved;
  readonly ids: Identified;
  readonly call: Call;
  readonly where: Whereabouts;
  /** The actions inside it; none where it does not fit its tool. */
  readonly expansion: Expansion;
}

/** Judges calls of tools. */
export const toolGuard: Guard<'tool', Settings, Reading | undefined> = {
  name: 'tool',
  kinds: ['tool'],
  rules: toolRules,
  read,
  check,
  expand: (_, __, reading) => {
    if (reading === undefined) return [];
    return [...reading.expansion.children, ...reading.resolved.texts.map(maybeCommand)];
  },
};

/** Reads a call; undefined where there is no such tool. */
function read(
  action: ToolAction,
  { context, settings, budget, world }: Circumstances<Settings>,
): Reading | undefined {
  const resolved = resolve(action, { context, settings, budget });
  if (resolved === undefined) return undefined;
  const { tool, problem } = resolved;
  // INVARIANT: the parts are judged as they will run, with the caller's ids in them.
  const ids = identify(tool, action.arguments ?? {}, context, settings, budget);
  const call = readCall(tool, ids.arguments, budget);
  const where = whereabouts(action, context, world);
  const expansion = problem === null ? expandCall(call, where) : { children: [], problem: null };
  return { resolved, ids, call, where, expansion };
}

/** Tools of a host are called in the host's folder; the folders of servers' tools are not known. */
function whereabouts(
  { server }: ToolAction,
  { workspace, cwd }: ToolInput['context'],
  world: World,
): Whereabouts {
  const own = server?.startsWith('host:') === true;
  return {
    workspace,
    cwd: own ? (cwd ?? workspace) : workspace,
    realPath: (path) => realPathIn(world, path) ?? null,
  };
}

function check(
  action: ToolAction,
  input: ToolInput,
  reading: Reading | undefined,
): MaybePromise<ToolJudgement> {
  const { settings, world } = input;
  if (reading === undefined) {
    return {
      facts: { tool: visible(action.tool, 80), registered: false },
      findings: [unknownFinding(action.tool, callableNames(action, settings))],
      sideEffect: true,
    };
  }
  const { tool, problem } = reading.resolved;
  const conclude = (found: readonly Finding[]) => judgementOf(action, reading, found, input);
  if (problem !== null) return conclude([argumentsFinding(tool, problem)]);
  if (tool.schema === undefined) return conclude([]);
  if (world.schemas === undefined) return conclude([schemaFinding(tool, 'nothing here can check it')]);
  return whenReady(world.schemas.checkFor(tool.schema), (made) => {
    if ('refused' in made) return conclude([schemaFinding(tool, made.refused)]);
    return conclude(problemFindings(tool, made(reading.ids.arguments)));
  });
}

function problemFindings(tool: ToolSpec, problem: SchemaProblem | null): readonly Finding[] {
  return problem === null ? [] : [argumentsFinding(tool, problem)];
}

/** The judgement, given what is wrong with the arguments by their shape or schema. */
function judgementOf(
  action: ToolAction,
  reading: Reading,
  unfit: readonly Finding[],
  input: ToolInput,
): MaybePromise<ToolJudgement> {
  const { effect, texts } = reading.resolved;
  // What may be prose says nothing about what the call does.
  const parts = withoutMaybes(input.parts ?? [], texts);
  const { origins } = input;
  // A session that read nothing of others has nothing that could come from them.
  const suspects = origins ? callOrigins(action, effect, parts, origins) : [];
  return whenReady(suspects, (untrusted) =>
    concluded(action, reading, { unfit, untrusted }, { ...input, parts }),
  );
}

function concluded(
  action: ToolAction,
  { resolved, ids, call, where, expansion }: Reading,
  { unfit, untrusted }: { readonly unfit: readonly Finding[]; readonly untrusted: readonly Finding[] },
  { context, world, parts = [] }: ToolInput,
): ToolJudgement {
  const { tool, effect: ownEffect, registered, questions } = resolved;
  const { workspace, mode } = context;
  const acting = { ...tool, effect: ownEffect };
  const problems = unfit.length > 0 ? unfit : problemFindings(tool, call.problem ?? expansion.problem);
  const reason = stated(action.justification) ?? reasonIn(call);
  const restorable = world.restorable?.(workspace) ?? true;
  const effect = classesOf(acting, parts, restorable);
  const nobody = ids.needed.some((owner) => context[owner] === '');
  const findings = [
    ...problems,
    ...questions,
    ...(nobody ? [noUserFinding(tool)] : identityFindings(ids)),
    ...foldersOf(call).flatMap((folder) => folderFindings(folder, realFolder(folder, where), workspace)),
    ...definitionFindings(tool),
    // What a call would do with arguments that do not fit, nobody knows; it is refused as it is.
    ...(problems.length > 0
      ? []
      : effectFindings({
          tool: acting,
          effect: effect.asked,
          mode,
          hosted: context.host !== undefined,
          reason,
          programs: programsOf(parts),
          restorable,
          unkept: restorable ? [] : (world.unkept?.(workspace) ?? []),
        })),
    ...untrusted,
  ];
  const rewritten: ToolAction = {
    ...action,
    arguments: ids.arguments,
    ...(reason === undefined ? {} : { justification: reason }),
  };
  const changed = (action.arguments ?? ids.arguments) !== ids.arguments || action.justification !== reason;
  const places = [...ids.foreign, ...ids.disguised].slice(0, mostPlaces).map((place) => visible(place, 200));
  return {
    facts: {
      tool: visible(action.tool, 80),
      ...(tool.server === undefined ? {} : { server: tool.server }),
      registered,
      // The effect of an unregistered tool is unknown, so no snapshot may leave it out.
      ...(registered ? { effect: ownEffect } : {}),
      class: effect.whole,
      parts: [...new Set(parts.map((part) => part.action.kind))],
    },
    learned: { class: effect.whole },
    findings,
    sideEffect: effect.whole !== 'read',
    ...(changed || ids.filled.length > 0 ? { rewritten } : {}),
    binding: withoutReasons(rewritten, call),
    ...(places.length === 0
      ? {}
      : {
          events: [{ type: 'cross_tenant', details: { tool: visible(action.tool, 80), arguments: places } }],
        }),
  };
}

/** The parts of a call without those that may be no commands at all. */
function withoutMaybes(parts: readonly JudgedPart[], texts: Resolved['texts']): readonly JudgedPart[] {
  if (texts.length === 0) return parts;
  const maybes = new Set(texts.map((text) => maybeCommand(text).pointer));
  return parts.filter(({ pointer, action }) => action.kind !== 'shell' || !maybes.has(pointer));
}

const mostPlaces = 20;

function stated(reason: string | undefined): string | undefined {
  return reason === undefined || reason.trim() === '' ? undefined : reason;
}

/** The real path of a folder; null where there is none, or where ".." would lead through links to another. */
function realFolder(folder: string, { cwd, realPath }: Whereabouts): string | null {
  if (folder.split('/').includes('..')) return null;
  return realPath(from(cwd, folder));
}

/** The programs of the commands in a call; none where something else runs, too, or more than are listed. */
function programsOf(parts: readonly JudgedPart[]): readonly string[] {
  const lists = parts.map(({ learned: { command } }) => (command === undefined ? null : programsIn(command)));
  if (!lists.every((list) => list !== null && list.length < mostPrograms)) return [];
  return [...new Set(lists.flatMap((list) => list ?? []))].sort();
}

const mostPrograms = 16;

/** The action as an approval is bound to it: why the model wants it may be said in other words the next time. */
function withoutReasons(action: ToolAction, call: Call): ToolAction {
  const given = textsOf(call, 'justification').reduce<JsonObject>(
    (whole, { steps }) => withValueAt(whole, steps, null),
    action.arguments ?? {},
  );
  return { ...action, arguments: given };
}

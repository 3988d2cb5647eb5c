// A tool call as the actions that it is made of, each with its place in the arguments and the way back there.

import {
  type Action,
  type ActionOf,
  type Child,
  isJsonObject,
  type JsonValue,
  jsonPointer,
  type SchemaProblem,
  type Spot,
  shellWord,
} from '../../core/index.ts';
import { type Argument, type Call, type Steps, type TextArgument, textsOf, withValueAt } from './facts.ts';
import { onlyBlocks } from './guess.ts';
import { changesIn } from './patch.ts';

type ToolAction = ActionOf<'tool'>;
type ToolChild = Child<'tool'>;

/** The parts of a call, and the first argument that no part can be made of. */
export interface Expansion {
  readonly children: readonly ToolChild[];
  readonly problem: SchemaProblem | null;
}

/** Most URLs that are taken out of one text. */
const mostUrls = 20;

/** The workspace that a call is made in, by its real path, and the way to real paths. */
export interface Whereabouts {
  readonly workspace: string;
  /** The folder that the call is made in, by its real path; it may lie outside the workspace. */
  readonly cwd: string;
  readonly realPath: (path: string) => string | null;
}

/** The actions inside a call. */
export function expandCall(call: Call, workspace: Whereabouts): Expansion {
  // INVARIANT: whatever lies in a call lies in an argument that is more than text, or in the folder that it is made in.
  if (call.found.length === 0 && workspace.cwd === workspace.workspace)
    return { children: [], problem: null };
  const problems: SchemaProblem[] = [];
  const refuse = ({ steps }: { readonly steps: Steps }, message: string): readonly ToolChild[] => {
    problems.push({ pointer: jsonPointer(steps), message });
    return [];
  };
  const children = [
    ...commands(call, workspace, refuse),
    ...programs(call, workspace),
    ...files(call, workspace, refuse),
    ...requests(call, refuse),
    ...queries(call),
    ...calls(call, refuse),
  ];
  return { children, problem: problems[0] ?? null };
}

type Refuse = (argument: { readonly steps: Steps }, message: string) => readonly ToolChild[];

function child(
  steps: Steps,
  action: Action,
  back: (rewritten: Action) => JsonValue,
  start: number | null = 0,
): ToolChild {
  return part(steps, action, (parent, rewritten) => put(parent, steps, back(rewritten)), start);
}

/**
 * A part that is one argument: whatever is found in it is found there. Its text begins `start` units into the
 * argument's; null where the argument is no text that offsets could point into.
 */
function part(
  steps: Steps,
  action: Action,
  replace: ToolChild['replace'],
  start: number | null = 0,
): ToolChild {
  const pointer = `/arguments${jsonPointer(steps)}`;
  const place = ({ span }: Spot): Spot => {
    if (span === undefined || start === null) return { pointer };
    return { pointer, span: [span[0] + start, span[1] + start] };
  };
  return { pointer, place, action, replace };
}

function put(parent: ToolAction, steps: Steps, value: JsonValue): ToolAction {
  return { ...parent, arguments: withValueAt(parent.arguments ?? {}, steps, value) };
}

/** The rewritten form of an action of one kind; another kind cannot go back where this one came from. */
function same<K extends Action['kind']>(kind: K, action: Action): ActionOf<K> {
  if (action.kind !== kind) throw new TypeError(`a ${kind} was rewritten into a ${action.kind}`);
  return action as ActionOf<K>;
}

// ── code

/** The folders that a command may start in, as arguments say; more than one is read apart by different programs. */
export function foldersOf(call: Call): readonly string[] {
  return [...new Set(textsOf(call, 'folder').map(({ text }) => text))].filter((folder) => folder !== '');
}

function cwdOf(call: Call, { cwd, workspace }: Whereabouts): { readonly cwd?: string } {
  const [folder] = foldersOf(call);
  if (cwd === workspace) return folder === undefined ? {} : { cwd: folder };
  return { cwd: folder === undefined ? cwd : from(cwd, folder) };
}

/** A path as it is meant in a folder. */
export function from(folder: string, path: string): string {
  return /^[/~]/.test(path) ? path : `${folder}/${path}`;
}

function commands(call: Call, where: Whereabouts, refuse: Refuse): readonly ToolChild[] {
  const cwd = cwdOf(call, where);
  const [, second] = textsOf(call, 'folder');
  if (second !== undefined && foldersOf(call).length > 1) refuse(second, 'must not be a second folder');
  return call.found.flatMap((argument): readonly ToolChild[] => {
    if (argument.spec.role !== 'command') return [];
    const { value, steps } = argument;
    const command = typeof value === 'string' ? value : lineOf(value);
    if (command === null) return refuse(argument, 'must be a command: text, or a list of texts');
    const plain = typeof value === 'string';
    const back = (rewritten: Action): JsonValue => {
      const { command: line } = same('shell', rewritten);
      return plain ? line : ['bash', '-c', line];
    };
    return [child(steps, { kind: 'shell', command, ...cwd }, back, plain ? 0 : null)];
  });
}

/** A program with its arguments as one line of shell; a shell that is handed a script is that script. */
function lineOf(value: JsonValue): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const words = value.filter((word): word is string => typeof word === 'string');
  if (words.length !== value.length) return null;
  const [program = '', flags = '', script] = words;
  const shell = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/.test(program);
  if (shell && words.length === 3 && /^-[il]*c$/.test(flags) && script !== undefined) return script;
  return words.map(shellWord).join(' ');
}

/** A text that may be a command or prose, as a command of which only what is never allowed counts. */
export function maybeCommand({ steps, text }: { readonly steps: Steps; readonly text: string }): ToolChild {
  const keep: ToolChild['replace'] = (parent) => parent;
  return { ...part(steps, { kind: 'shell', command: text }, keep), weigh: onlyBlocks };
}

function programs(call: Call, where: Whereabouts): readonly ToolChild[] {
  const cwd = cwdOf(call, where);
  return [
    ...textsOf(call, 'python').map(({ steps, text: source }) =>
      child(steps, { kind: 'python', source, ...cwd }, (rewritten) => same('python', rewritten).source),
    ),
    ...textsOf(call, 'code').map(({ steps, text: source }) =>
      child(steps, { kind: 'code', source }, (rewritten) => same('code', rewritten).source),
    ),
  ];
}

function queries(call: Call): readonly ToolChild[] {
  const { target, language } = call.tool;
  if (target === undefined || language === undefined) return [];
  const variables = call.found.find(({ spec }) => spec.role === 'variables')?.value;
  return textsOf(call, 'query').map(({ steps, text }) =>
    child(
      steps,
      { kind: 'query', target, language, text, ...(isJsonObject(variables) ? { variables } : {}) },
      (rewritten) => same('query', rewritten).text,
    ),
  );
}

// ── files

function files(call: Call, workspace: Whereabouts, refuse: Refuse): readonly ToolChild[] {
  const paths = textsOf(call, 'path');
  return [
    ...(call.tool.effect === 'write' ? writes(call, paths, workspace) : reads(call, paths, workspace)),
    ...textsOf(call, 'delete').map(({ steps, text }) => changing(steps, text, { op: 'delete' }, workspace)),
    ...textsOf(call, 'patch').flatMap((argument) => {
      const changes = changesIn(argument.text);
      if (changes === null) {
        return refuse(argument, 'must be a patch from "*** Begin Patch" to "*** End Patch" that can be read');
      }
      const back = (): never => {
        throw new TypeError('a patch cannot be rewritten');
      };
      const inside = changes.map(({ path, to, ...rest }) => ({
        ...rest,
        path: wayInside(path, workspace),
        ...(to === undefined ? {} : { to: wayInside(to, workspace) }),
      }));
      return [child(argument.steps, { kind: 'write', changes: inside }, back, null)];
    }),
  ];
}

function reads(
  { tool }: Call,
  paths: readonly TextArgument[],
  { workspace, cwd }: Whereabouts,
): readonly ToolChild[] {
  // A search that names no folder is one of the folder that it is called in.
  const searches =
    tool.effect === 'read' &&
    paths.length === 0 &&
    Object.values(tool.arguments ?? {}).some(({ role }) => role === 'path');
  if (cwd !== workspace && searches) return [part([], { kind: 'read', path: cwd }, (parent) => parent, null)];
  return paths.map(({ steps, text: given }) => {
    const path = cwd === workspace ? given : from(cwd, given);
    return child(steps, { kind: 'read', path }, (rewritten) => {
      const { path: place } = same('read', rewritten);
      return place === path ? given : place;
    });
  });
}

/** Hosts name files by absolute paths; a write is named by its way from the workspace, where that holds it. */
function wayInside(given: string, { workspace, cwd, realPath }: Whereabouts): string {
  const path = cwd === workspace ? given : from(cwd, given);
  if (path.startsWith(`${workspace}/`)) return path.slice(workspace.length + 1);
  if (!path.startsWith('/') || path.includes('\u0000')) return path;
  // The host may know the workspace by a link that leads to it.
  const names = path.split('/');
  for (let length = names.length - 1; length > 1; length--) {
    const real = realPath(names.slice(0, length).join('/'));
    if (real === null) continue;
    const way = [real, ...names.slice(length)].join('/');
    return way.startsWith(`${workspace}/`) ? way.slice(workspace.length + 1) : path;
  }
  return path;
}

function writes(call: Call, paths: readonly TextArgument[], workspace: Whereabouts): readonly ToolChild[] {
  const [content] = textsOf(call, 'content');
  return paths.map(({ steps, text: given }): ToolChild => {
    if (content === undefined) {
      return changing(steps, given, { op: 'edit', edits: editsIn(call) }, workspace);
    }
    const path = wayInside(given, workspace);
    const whole = part(steps, { kind: 'write', path, content: content.text }, (parent, rewritten) => {
      const { path: place = path, content: text = content.text } = same('write', rewritten);
      return put(put(parent, steps, place === path ? given : place), content.steps, text);
    });
    const inContent = `/arguments${jsonPointer(content.steps)}`;
    const place = (spot: Spot): Spot =>
      spot.pointer === '/content' ? { ...spot, pointer: inContent } : { pointer: whole.pointer };
    return { ...whole, place };
  });
}

type Change = NonNullable<ActionOf<'write'>['changes']>[number];

function changing(
  steps: Steps,
  given: string,
  rest: Omit<Change, 'path'>,
  workspace: Whereabouts,
): ToolChild {
  const path = wayInside(given, workspace);
  const back = (rewritten: Action): JsonValue => {
    const [change] = same('write', rewritten).changes ?? [];
    if (change === undefined) throw new TypeError('a change was rewritten into none');
    return change.path === path ? given : change.path;
  };
  return child(steps, { kind: 'write', changes: [{ ...rest, path }] }, back, null);
}

/** What an edit takes out and puts in: pairs that stand in one place. */
function editsIn(call: Call): readonly { readonly old: string; readonly new: string }[] {
  const place = ({ steps }: TextArgument) => jsonPointer(steps.slice(0, -1));
  const olds = new Map(textsOf(call, 'old').map((argument) => [place(argument), argument.text]));
  return textsOf(call, 'new').map((argument) => ({
    old: olds.get(place(argument)) ?? '',
    new: argument.text,
  }));
}

// ── requests

const urlInText = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`|{}^]+/gi;

function requests(call: Call, refuse: Refuse): readonly ToolChild[] {
  const [method] = textsOf(call, 'method');
  const rest = {
    ...(method === undefined ? {} : { method: method.text }),
    ...headersIn(call),
    ...bodyIn(call),
  };
  if (method !== undefined && !/^[A-Za-z]{1,32}$/.test(method.text)) {
    return refuse(method, 'must be an HTTP method');
  }
  const plain = textsOf(call, 'url').map(({ steps, text }) => {
    const replace: ToolChild['replace'] = (parent, rewritten) => {
      const { url, method: spelled } = same('fetch', rewritten);
      const changed = put(parent, steps, url);
      return method === undefined || spelled === undefined ? changed : put(changed, method.steps, spelled);
    };
    const start = text.length - text.trimStart().length;
    return part(steps, { kind: 'fetch', url: text.trim(), ...rest }, replace, start);
  });
  const inText = textsOf(call, 'urls').flatMap((argument): readonly ToolChild[] => {
    // A sentence ends in a mark that is no part of the URL.
    const urls = [...argument.text.matchAll(urlInText)].map(([url]) => url.replace(/[.,;:!?)\]]+$/, ''));
    const distinct = [...new Set(urls)];
    if (distinct.length > mostUrls) return refuse(argument, `must hold at most ${mostUrls} URLs`);
    // Another spelling of one URL may be the beginning of another, so the text stays as it was judged.
    return distinct.map((url) =>
      part(argument.steps, { kind: 'fetch', url, ...rest }, (parent) => parent, argument.text.indexOf(url)),
    );
  });
  return [...plain, ...inText];
}

function headersIn({ found }: Call): { readonly headers?: Readonly<Record<string, string>> } {
  const value = found.find(({ spec }) => spec.role === 'headers')?.value;
  if (!isJsonObject(value)) return {};
  const headers = Object.entries(value).map(([name, text]) => [name, String(text)] as const);
  return { headers: Object.fromEntries(headers) };
}

function bodyIn({ found }: Call): { readonly body?: string } {
  const value = found.find(({ spec }) => spec.role === 'body')?.value;
  if (value === undefined) return {};
  return { body: typeof value === 'string' ? value : JSON.stringify(value) };
}

// ── calls of other tools

function calls(call: Call, refuse: Refuse): readonly ToolChild[] {
  return call.found.flatMap((argument) => {
    if (argument.spec.role !== 'call') return [];
    return callIn(argument) ?? refuse(argument, 'must be a call: the name of a tool and its arguments');
  });
}

const nameKeys = ['tool', 'name'];
const argumentKeys = ['parameters', 'arguments', 'args', 'input'];

/** A call that has a member twice under different names is read apart by those who know only one of them. */
function callIn({ steps, value }: Argument): readonly ToolChild[] | null {
  if (!isJsonObject(value)) return null;
  const has = (key: string) => Object.hasOwn(value, key);
  const [name = '', ...names] = nameKeys.filter(has);
  const [key = 'arguments', ...keys] = argumentKeys.filter(has);
  const tool = value[name];
  const given = value[key] ?? {};
  if (typeof tool !== 'string' || tool === '' || tool.length > 256 || !isJsonObject(given)) return null;
  if (names.length + keys.length > 0) return null;
  const inside = child(steps, { kind: 'tool', tool, arguments: given }, (rewritten) => {
    const { arguments: changed = {} } = same('tool', rewritten);
    return { ...value, [key]: changed };
  });
  const place = ({ pointer, span }: Spot): Spot => ({
    pointer: inside.pointer + pointer.replace(/^\/arguments/, `/${key}`),
    span,
  });
  return [{ ...inside, place }];
}

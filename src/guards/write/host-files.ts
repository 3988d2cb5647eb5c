// Files that an agent host orders its own model to write: plans, memories and scratch files. Each host's are known by
// their place, which the user's home, the workspace and the session say, and nothing else there is.

import { type Context, isJsonObject, type JsonValue, type World } from '../../core/index.ts';

/** Where a file of a host stands: the folder that it is reached from, and the names on the way down. */
export interface HostFile {
  readonly root: string;
  readonly names: readonly string[];
}

interface Whose extends Pick<Context, 'workspace' | 'session'> {
  readonly home: string;
  readonly world: Pick<World, 'readText'>;
}

/** A folder, and the way down from it as a pattern. */
type Place = readonly [root: string, way: RegExp];

/** One name, of whatever characters a file may have. */
const name = '[^/]+';

const places: Readonly<Record<string, (whose: Whose) => readonly Place[]>> = {
  claude: ({ home, workspace, session }) => {
    const project = literal(workspace.replace(/[^A-Za-z0-9]/g, '-'));
    return [
      [home, way(`\\.claude/plans/${name}\\.md`)],
      [home, way(`\\.claude/projects/${project}/memory/(?:${name}/)*${name}\\.md`)],
      ['/tmp', way(`claude-\\d+/${project}/${literal(session)}/scratchpad/(?:${name}/)*${name}`)],
    ];
  },
  gemini: (whose) => {
    const project = geminiProject(whose);
    if (project === undefined) return [];
    const folder = `\\.gemini/tmp/${literal(project)}`;
    return [
      [whose.home, way(`${folder}/${literal(whose.session)}/plans/(?:${name}/)*${name}\\.md`)],
      [whose.home, way(`${folder}/memory/(?:${name}/)*${name}\\.md`)],
    ];
  },
  copilot: ({ home, session }) => {
    const folder = `\\.copilot/session-state/${literal(session)}`;
    return [
      [home, way(`${folder}/plan\\.md`)],
      [home, way(`${folder}/files/(?:${name}/)*${name}`)],
    ];
  },
  opencode: opencodeLike('opencode'),
  kilo: opencodeLike('kilo'),
};

/** The places of opencode, or of a host made from it. */
function opencodeLike(host: string): (whose: Whose) => readonly Place[] {
  return ({ home, workspace }) => [
    [workspace, way(`\\.${host}/plans/${name}\\.md`)],
    [home, way(`\\.local/share/${host}/plans/${name}\\.md`)],
    ['/tmp', way(`${host}/(?:${name}/)*${name}`)],
  ];
}

function way(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'su');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Gemini CLI's own name of a project, as it writes it down itself. */
function geminiProject({ home, workspace, world }: Whose): string | undefined {
  try {
    const known: JsonValue = JSON.parse(world.readText(`${home}/.gemini/projects.json`) ?? '{}');
    const projects = isJsonObject(known) ? known['projects'] : undefined;
    const found = isJsonObject(projects) ? projects[workspace] : undefined;
    return typeof found === 'string' && /^[\w-]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The file of the host that an absolute path names, or null. The path is plain: nothing in it steps up. */
export function hostFileOf(
  path: string,
  { host, workspace, session }: Context,
  world: Pick<World, 'readText' | 'home'>,
): HostFile | null {
  const { home } = world;
  if (host === undefined || !Object.hasOwn(places, host) || home === undefined || home === null) return null;
  if (session === '') return null;
  const all = places[host]?.({ home, workspace, session, world }) ?? [];
  for (const [root, pattern] of all) {
    if (!path.startsWith(`${root}/`)) continue;
    const rest = path.slice(root.length + 1);
    if (pattern.test(rest)) return { root, names: rest.split('/') };
  }
  return null;
}

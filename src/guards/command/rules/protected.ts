// Rule: a protected file is protected whatever writes it. The kinds of such files and their severities are those of the one
// table that every guard uses; here are the ways of commands to write them.

import type { Finding } from '../../../core/index.ts';
import {
  fold,
  isAllowedPath,
  neverAllowed,
  type Protection,
  protectionOf,
  protections,
  severityOf,
} from '../../../detect/protect.ts';
import type { Effect, Value } from '../effects.ts';
import { matchedBy } from '../globs.ts';
import { isBroad, isWithin, locate, type Place } from '../where.ts';
import { isRepositoryData } from './git.ts';
import {
  type CommandRule,
  grantFor,
  hit,
  type Judge,
  placesOf,
  type RuleInput,
  shell,
  shown,
  textsOf,
} from './rule.ts';

const protectedFile: CommandRule = {
  id: 'protected_file',
  guard: 'command',
  layer: 2,
  decision: 'block',
  unwanted: 'writes that unhook the guard are refused; the others ask',
  reason: "A file that runs later or controls permissions would change; the write guard's rules apply.",
  suggestion:
    'Show the change to the user, who makes it or puts the path on the list of writes that are allowed.',
  examples: {
    hit: [
      shell('echo x > .mcp.json'),
      shell('cp /tmp/a .vscode/tasks.json'),
      shell('sed -i s/a/b/ CLAUDE.md'),
      shell('echo "use flake" > .envrc'),
      shell('printf "A=1" >> .env'),
      shell('cp hook .git/hooks/pre-commit'),
      shell('tee package.json < new.json'),
    ],
    miss: [
      shell('mkdir -p .claude .github/workflows'),
      shell('cp .env .env.example'),
      shell('echo dist >> .gitignore'),
      shell('rm package-lock.json'),
      shell('npm install lodash'),
      shell('git init'),
    ],
  },
};

/** The rule on protected files. */
export const protectedRules: readonly CommandRule[] = [protectedFile];

/** Judges what is written and deleted by the table of protected files. */
export const judgeProtected: Judge = (effect, ruleInput) => {
  // A folder holds nothing yet.
  if (effect.detail === 'folder' || isBroad(ruleInput.pathScope)) return [];
  const deletes = effect.kind === 'delete';
  if (deletes && effect.detail === 'move' && effect.reversible === true) return [];
  const found = placesOf(effect, ruleInput).flatMap((place) =>
    pathsOf(effect, place, ruleInput).flatMap((path) => findingFor(effect, place, path, ruleInput)),
  );
  // One finding for a command that writes many of them: the first of the strongest.
  return found
    .filter(({ decision }) => decision === 'block')
    .concat(found)
    .slice(0, 1);
};

function findingFor(effect: Effect, place: Place, path: string, ruleInput: RuleInput): readonly Finding[] {
  const { pathScope, profile, allowedWrites } = ruleInput;
  if (!isWithin(path, pathScope.workspace) || path === pathScope.workspace) return [];
  const names = path.slice(pathScope.workspace.length + 1).split('/');
  const kind = protectionOf(names.map(fold));
  // Of a tool for builds these are files in capitals; in small letters they are folders that builds make.
  if (kind === 'manifest' && /^(?:build|workspace|buck)$/.test(names.at(-1) ?? '')) return [];
  if (kind === null || isExempt(effect, kind)) return [];
  // That is a rule of its own.
  if (kind === 'version_control' && isRepositoryData(path)) return [];
  if (!neverAllowed.has(kind) && isAllowedPath(names, allowedWrites)) return [];
  const deletes = effect.kind === 'delete';
  const decision = severityOf(kind, profile, deletes);
  const verb = deletes ? 'deletes' : 'writes';
  return [
    hit(ruleInput, protectedFile, {
      span: effect.span,
      subject: shown({ ...place, path }),
      why: `it ${verb} ${shown({ ...place, path })}, which ${protections[kind].text}`,
      decision,
      grant: decision === 'approve' && !deletes ? grantFor('write', { ...place, path }) : undefined,
    }),
  ];
}

/** Programs that keep the repository's own data, by their own subcommands. */
const keepers = /^(?:git|jj|hg|svn|gh|git-lfs)$/;
/** Programs that keep manifests and locks, by their own subcommands. */
const installers =
  /^(?:npm|npx|pnpm|yarn|bun|deno|pip[\d.]*|uv|poetry|pdm|pipenv|cargo|go|dotnet|bundle|composer|mix|dart|flutter|gradlew?|mvnw?|swift|nix)$/;
/** What tools make as a whole, and what is in it only when they are done. */
const environments = /^(?:venv|virtualenv|uv|conda|mamba|python[\d.]*)$/;

function isExempt({ kind, detail, program }: Effect, protection: Protection): boolean {
  if (kind === 'delete') return !protections[protection].lasting;
  // An empty file says nothing; one that starts something when it is there does.
  if (program === 'touch') return !protections[protection].starts;
  if (protection === 'version_control' && keepers.test(program)) return true;
  if (protection === 'manifest' && installers.test(program)) return true;
  return detail === 'create' && environments.test(program);
}

/** The paths that an effect writes at a place: in a folder, those of what is put there. */
function pathsOf(effect: Effect, place: Place, ruleInput: RuleInput): readonly string[] {
  const { path, open, pattern } = place;
  if (path === null || open) return [];
  const { content, detail } = effect;
  if (pattern && content?.kind === 'file') {
    // What is put into a folder has the names of what is taken.
    const folder = path.slice(0, path.lastIndexOf('/'));
    return taken(content.path, ruleInput).map((name) => `${folder}/${name}`);
  }
  const paths = pattern ? matchedBy(ruleInput.pathScope, path).paths : [path];
  if (effect.kind !== 'write') return paths;
  return paths.flatMap((one) =>
    detail === 'unpack' || ruleInput.standing(one) === 'folder'
      ? contentsOf(effect, ruleInput).map((name) => `${one}/${name}`)
      : [one],
  );
}

/** The names of the files that a path means, whether it is a pattern or not. */
function taken(path: Value, { pathScope }: RuleInput): readonly string[] {
  const found = locate(pathScope, { kind: 'path', path, glob: true }, { follow: false });
  return found.flatMap((place) => {
    if (place.path === null || place.open) return [];
    const paths = place.pattern ? matchedBy(pathScope, place.path, { follow: false }).paths : [place.path];
    return paths.map((one) => one.slice(one.lastIndexOf('/') + 1));
  });
}

/** The names that a program puts into a folder: what is copied there, unpacked there, or patched there. */
function contentsOf(effect: Effect, ruleInput: RuleInput): readonly string[] {
  const { content, detail, span } = effect;
  if (content?.kind === 'file') return taken(content.path, ruleInput);
  if (detail !== 'unpack' && detail !== 'edit') return [];
  const { effects, invocations } = ruleInput.facts;
  const words = invocations
    .filter((one) => one.span[0] === span[0] && one.span[1] === span[1])
    .flatMap(({ args }) => args.flatMap(textsOf));
  const packed = effects.filter(({ kind, program }) => kind === 'read' && packers.test(program));
  const names = packed.flatMap(({ target }) => (target.kind === 'path' ? textsOf(target.path) : []));
  const listed = names.flatMap((name) => ruleInput.archive(name));
  return [...words, ...names.flatMap(endsOf), ...listed].filter(isName).slice(0, mostNames);
}

/** The ends of a path, any of which may be its name in an archive. */
function endsOf(path: string): readonly string[] {
  const names = path.split('/').filter(Boolean).slice(-mostDeep);
  return names.map((_, at) => names.slice(at).join('/'));
}

const mostDeep = 6;

const packers = /^(?:[gb]?s?d?tar|cpio|pax|zip|unzip|7z[ar]?|patch)$/;
const mostNames = 512;

function isName(word: string): boolean {
  return word !== '' && !word.startsWith('-') && !word.startsWith('/') && !word.includes('..');
}

// ── patches

/** Judges what a patch writes: the files that its text names. */
export const judgePatch: Judge = (effect, ruleInput) => {
  if (effect.detail !== 'apply' && !(effect.kind === 'write' && effect.program === 'patch')) return [];
  const { pathScope, facts } = ruleInput;
  const files = facts.effects.flatMap(({ kind, target, span }) =>
    kind === 'read' && span[0] === effect.span[0] && target.kind === 'path' ? textsOf(target.path) : [],
  );
  const texts = [ruleInput.source, ...files.slice(0, 8).map((file) => ruleInput.read(file) ?? '')];
  const patched = texts.flatMap((text) => [
    ...text.matchAll(/^(?:\+\+\+|rename to|copy to) (?:b\/)?([^\t\n]+)/gm),
  ]);
  const places = [...new Set(patched.map(([, name = '']) => name.trim()))].slice(0, mostNames).map(
    (name): Place => ({
      ...{
        given: name,
        path: `${pathScope.cwd}/${name}`,
        zone: 'workspace',
        pattern: false,
        contents: false,
      },
      ...{ open: false, linked: false, link: false },
    }),
  );
  const write: Effect = { ...effect, kind: 'write', program: 'patch' };
  return places.flatMap((place) => findingFor(write, place, place.path ?? '', ruleInput)).slice(0, 1);
};

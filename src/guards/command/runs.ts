// Files that a command would execute: an approval is for what they hold now.

import type { Facts, Target } from './effects.ts';
import { locate, type PathScope } from './where.ts';

/** Most files that one command is bound to. */
const mostFiles = 32;

/** Files that the tools of a project run, by the name of the tool. */
const projectFiles: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:npm|npx|yarn|pnpm|bun|bunx)$/, ['package.json']],
  [/^(?:make|gmake|nmake)$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/^just$/, ['justfile', 'Justfile']],
  [/^task$/, ['Taskfile.yml', 'Taskfile.yaml']],
  [/^(?:rake|bundle)$/, ['Rakefile', 'Gemfile']],
  [/^(?:cargo)$/, ['Cargo.toml', 'build.rs']],
  [/^(?:gradle|gradlew)$/, ['build.gradle', 'build.gradle.kts']],
  [/^(?:mvn|mvnw)$/, ['pom.xml']],
  [/^(?:pip|pip3|uv|poetry|tox|nox|pytest)$/, ['pyproject.toml', 'setup.py']],
  [/^(?:docker|docker-compose|podman)$/, ['Dockerfile', 'compose.yaml', 'compose.yml', 'docker-compose.yml']],
  [/^(?:terraform|tofu)$/, ['main.tf']],
];

/** The absolute paths of files that a command names to be executed, or that its tools execute by themselves. */
export function filesRun({ effects, invocations }: Facts, pathScope: PathScope): readonly string[] {
  const targets: Target[] = [
    ...effects.flatMap(({ kind, target }) => (kind === 'run' ? [target] : [])),
    ...invocations.flatMap(({ given, builtin }): readonly Target[] =>
      !builtin && given.kind === 'literal' && given.text.includes('/') ? [{ kind: 'path', path: given }] : [],
    ),
    ...invocations.flatMap(({ program }) =>
      projectFiles.flatMap(([names, files]) =>
        program !== null && names.test(program) ? files.map(inProject) : [],
      ),
    ),
  ];
  const places = targets.slice(0, mostFiles).flatMap((target) => locate(pathScope, target, { follow: true }));
  return [...new Set(places.flatMap(({ path, open }) => (path === null || open ? [] : [path])))].sort();
}

function inProject(text: string): Target {
  return { kind: 'path', path: { kind: 'literal', text } };
}

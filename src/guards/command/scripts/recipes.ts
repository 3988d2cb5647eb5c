// What files of recipes run, as a text for a shell: Makefiles, scripts of a package, justfiles, Taskfiles and compose files.

import { scriptsIn } from '../repository.ts';

/** A recipe of a Makefile or a justfile. */
interface Recipe {
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

/** How many recipes one target may reach. */
const mostRecipes = 64;

/** What `make` runs for some targets: the first one where none is named, and always what the file runs as it is read. */
export function shellOfMakefile(text: string, targets: readonly string[]): string {
  const joined = text.replace(/\\\r?\n/g, ' ');
  const variables = new Map<string, string>();
  const recipes = new Map<string, Recipe>();
  const always: string[] = [];
  let current: readonly string[] = [];
  const add = (name: string, recipe: Recipe) => {
    const before = recipes.get(name) ?? { needs: [], lines: [] };
    recipes.set(name, {
      needs: [...before.needs, ...recipe.needs],
      lines: [...before.lines, ...recipe.lines],
    });
  };
  for (const line of joined.split('\n')) {
    if (line.startsWith('\t')) {
      for (const name of current) add(name, { needs: [], lines: [line] });
      continue;
    }
    const plain = line.replace(/^\s*(?:export|override)\s+/, '');
    const set = /^\s*([\w.-]+)\s*(?:[:?+]{0,3}|!)=\s*(.*)$/.exec(plain);
    if (set !== null) {
      const [, name = '', value = ''] = set;
      if (!variables.has(name) || !/\?=/.test(plain)) variables.set(name, value.trim());
      if (/:=|!=/.test(plain)) always.push(...shellCallsIn(value), ...(/!=/.test(plain) ? [value] : []));
      continue;
    }
    const rule = /^([^\s:#=][^:#=]*?)\s*::?(?!=)\s*([^;]*)(?:;(.*))?$/.exec(plain);
    if (rule === null) {
      if (/^\S/.test(line)) current = [];
      always.push(...shellCallsIn(line));
      continue;
    }
    const [, names = '', needs = '', first] = rule;
    current = names.split(/\s+/).filter(Boolean);
    for (const name of current)
      add(name, { needs: needs.split(/[\s|]+/).filter(Boolean), lines: first === undefined ? [] : [first] });
  }
  const [usual = ''] = [...recipes.keys()].filter((name) => !name.startsWith('.') && !name.includes('%'));
  const wanted = targets.filter((name) => recipes.has(name));
  const reached = reachedFrom(wanted.length > 0 ? wanted : targets.length > 0 ? [] : [usual], recipes);
  const expand = (one: string) => expanded(one, variables, 0);
  const lines = reached.flatMap((name) =>
    (recipes.get(name)?.lines ?? []).map((line) => recipeLine(line, name)),
  );
  return [...always, ...lines].map((line) => expand(line)).join('\n');
}

function reachedFrom(names: readonly string[], recipes: ReadonlyMap<string, Recipe>): readonly string[] {
  const open = [...names];
  const taken: string[] = [];
  for (let name = open.shift(); name !== undefined && taken.length < mostRecipes; name = open.shift()) {
    const recipe = recipes.get(name);
    if (recipe === undefined || taken.includes(name)) continue;
    taken.push(name);
    open.push(...recipe.needs);
  }
  return taken;
}

/** A line of a recipe as the shell gets it: each has a shell of its own. */
function recipeLine(line: string, target: string): string {
  const bare = line
    .trim()
    .replace(/^[@+-]+\s*/, '')
    .replaceAll('$@', target)
    .replaceAll(/\$[<^*?]/g, '"$INPUTS"');
  return /^cd\s/.test(bare) ? `(${bare})` : bare;
}

function shellCallsIn(text: string): readonly string[] {
  return [...text.matchAll(/\$[({]shell\s+([^()]*(?:\([^()]*\)[^()]*)*)[)}]/g)].map(([, code = '']) => code);
}

/** A text with the variables of a Makefile filled in; what is not known is left to the shell, which does not know it either. */
function expanded(text: string, variables: ReadonlyMap<string, string>, depth: number): string {
  if (depth > 5) return text;
  return text.replaceAll(/\$\$|\$[({]([^(){}$]*)[)}]/g, (whole, name: string | undefined) => {
    if (whole === '$$') return '$';
    const [, code] = /^shell\s+(.*)$/s.exec(name ?? '') ?? [];
    if (code !== undefined) return `$(${code})`;
    const value = variables.get(name ?? '');
    if (value !== undefined) return expanded(value, variables, depth + 1);
    if (name === 'MAKE') return 'make';
    if (name === 'RM') return 'rm -f';
    return /^\w+$/.test(name ?? '') ? `\${${name}}` : '"$UNKNOWN"';
  });
}

/** What a package manager runs for one script: what stands before and behind it too; null where the package has none. */
export function shellOfScript(text: string, name: string): string | null {
  const scripts = scriptsIn(text);
  const lines = [`pre${name}`, name, `post${name}`].flatMap((one) => scripts.get(one) ?? []);
  return lines.length === 0 ? null : lines.join('\n');
}

/** What `just` runs for some recipes: the first one where none is named. */
export function shellOfJustfile(text: string, names: readonly string[]): string {
  const recipes = new Map<string, Recipe>();
  let current = '';
  for (const line of text.split('\n')) {
    const head = /^@?([A-Za-z_][\w-]*)(?:\s[^:=]*)?:(?!=)\s*(.*)$/.exec(line);
    if (/^[ \t]/.test(line) && current !== '') {
      const before = recipes.get(current) ?? { needs: [], lines: [] };
      recipes.set(current, { ...before, lines: [...before.lines, line.trim().replace(/^[@-]+/, '')] });
    } else if (head !== null) {
      const [, name = '', needs = ''] = head;
      current = name;
      recipes.set(name, { needs: needs.split(/\s+/).filter(Boolean), lines: [] });
    } else if (line.trim() !== '') current = '';
  }
  const wanted = names.filter((name) => recipes.has(name));
  const [first = ''] = recipes.keys();
  const reached = reachedFrom(wanted.length > 0 ? wanted : [first], recipes);
  return reached
    .flatMap((name) => recipes.get(name)?.lines ?? [])
    .join('\n')
    .replaceAll(/\{\{[^}]*\}\}/g, '"$UNKNOWN"');
}

/** The command lines of a Taskfile, of whichever task: its lists of `cmds`, and a `cmd`. */
export function shellOfTaskfile(text: string): string {
  const commands = [
    ...text.matchAll(/^[ \t]*(?:-[ \t]+)?cmds?:[ \t]*(\S.*)$|^[ \t]*-[ \t]+(?!task:|cmd:)(\S.*)$/gm),
  ];
  return commands
    .map(([, one, other]) => unquoted(one ?? other ?? ''))
    .filter((line) => line !== '|' && line !== '>')
    .concat(blocksIn(text))
    .join('\n')
    .replaceAll(/\{\{[^}]*\}\}/g, '"$UNKNOWN"');
}

/** Texts that stand indented below `|`. */
function blocksIn(text: string): readonly string[] {
  return [...text.matchAll(/^([ \t]*)\S.*[|>]-?[ \t]*\n((?:\1[ \t]+.*\n?|[ \t]*\n)+)/gm)].map(
    ([, , block = '']) => block.replace(/^[ \t]+/gm, ''),
  );
}

/** What a compose file starts, as the command lines that would start the same. */
export function shellOfCompose(text: string): string {
  const flags: string[] = [];
  if (/^\s*privileged:\s*["']?(?:true|yes|on)\b/im.test(text)) flags.push('--privileged');
  if (/^\s*pid:\s*["']?host\b/m.test(text)) flags.push('--pid=host');
  if (/^\s*network_mode:\s*["']?host\b/m.test(text)) flags.push('--network=host');
  for (const [, added = ''] of text.matchAll(
    /^\s*-\s*["']?((?:SYS_ADMIN|SYS_PTRACE|ALL|SYS_MODULE|DAC_READ_SEARCH)\b)/gm,
  ))
    flags.push(`--cap-add=${added}`);
  const mounts = [...text.matchAll(/^\s*-\s*["']?([~/$.][^:\s"']*:\/[^\s"']*)/gm)].map(
    ([, mount = '']) => mount,
  );
  const sources = [...text.matchAll(/^\s*source:\s*["']?([~/$.][^\s"']*)/gm)].map(
    ([, source = '']) => `${source}:/x`,
  );
  flags.push(...[...mounts, ...sources].map((mount) => `-v ${mount.replace(/^~/, '$HOME')}`));
  return flags.length === 0 ? '' : `docker run ${flags.slice(0, 64).join(' ')} image`;
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/s, '$2');
}
